//! Undo of any sequence of changes, step by step and at once. `FSGATE_SOAK=1` runs twenty-five
//! times as many.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::World;

fn change() -> impl Strategy<Value = (&'static str, Value)> {
    let path = || select(&["a", "b", "c", "d", "d/a", "d/e", "d/e/f", "n/m/o", "n/m", "n", "l"][..]);
    let text = || select(&["", "x", "one\n", "one\ntwo\n", "something longer\nwith lines\n"][..]);
    prop_oneof![
        (path(), text()).prop_map(|(path, content)| ("create", json!({"path": path, "content": content}))),
        (path(), text(), any::<bool>()).prop_map(|(path, content, backup)| {
            ("write", json!({"path": path, "content": content, "backup": backup}))
        }),
        (path(), text()).prop_map(|(path, content)| ("append", json!({"path": path, "content": content}))),
        (path(), select(&["o", "e", "\n"][..]), text())
            .prop_map(|(path, old, new)| ("replace_all", json!({"path": path, "old": old, "new": new}))),
        path().prop_map(|path| ("create_directory", json!({"path": path}))),
        (path(), path(), any::<bool>()).prop_map(|(source, destination, recursive)| {
            ("copy", json!({"source": source, "destination": destination, "recursive": recursive, "overwrite": true}))
        }),
        (path(), path(), any::<bool>()).prop_map(|(source, destination, overwrite)| {
            ("copy", json!({"source": source, "destination": destination, "glob": "**", "overwrite": overwrite}))
        }),
        (path(), path(), any::<bool>()).prop_map(|(source, destination, recursive)| {
            ("move", json!({"source": source, "destination": destination, "recursive": recursive}))
        }),
        path().prop_map(|path| ("delete", json!({"path": path}))),
        path().prop_map(|path| ("delete", json!({"path": path, "glob": "**"}))),
        (path(), any::<bool>())
            .prop_map(|(path, recursive)| ("delete_directory", json!({"path": path, "recursive": recursive}))),
    ]
}

fn call() -> impl Strategy<Value = (&'static str, Value)> {
    prop_oneof![11 => change(), 3 => of_earlier("restore")]
}

/// The same, or an undo or redo in or out of turn.
fn any_call() -> impl Strategy<Value = (&'static str, Value)> {
    let step = |tool: &'static str| Just((tool, json!({})));
    prop_oneof![8 => change(), 3 => of_earlier("restore"), 3 => of_earlier("undo"), 3 => step("undo"), 3 => step("redo")]
}

/// A call about an earlier entry and one of its paths.
fn of_earlier(tool: &'static str) -> impl Strategy<Value = (&'static str, Value)> {
    (any::<u8>(), any::<u8>()).prop_map(move |(of, path)| (tool, json!({"of": of, "path": path})))
}

#[derive(Default)]
struct Made(Vec<(Value, Vec<Value>)>);

impl Made {
    fn call(&mut self, world: &World, tool: &str, arguments: &Value) -> bool {
        let mut arguments = arguments.clone();
        if let Some(of) = arguments["of"].as_u64() {
            let Some((id, paths)) = self.0.get(of as usize % self.0.len().max(1)) else { return false };
            let path = &paths[arguments["path"].as_u64().unwrap_or_default() as usize % paths.len()];
            arguments = if tool == "restore" { json!({"id": id, "path": path}) } else { json!({"id": id}) };
        }
        let id = world.call(tool, &arguments).map_or(Value::Null, |outcome| outcome["undo_id"].clone());
        let is_changed = id.is_string();
        if is_changed {
            let log = world.call("log", &json!({"max_items": 1})).unwrap();
            let paths = log["entries"][0]["paths"].as_array().unwrap().clone();
            self.0.push((id, paths));
        }
        is_changed
    }
}

fn cases() -> u32 {
    if std::env::var_os("FSGATE_SOAK").is_some() { 5_000 } else { 200 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_done_is_undone_and_redone_step_by_step(
        calls in prop::collection::vec(call(), 1..25),
        apart in any::<bool>(),
    ) {
        let world = World::new(apart);
        let (mut trees, mut made) = (vec![world.tree()], Made::default());
        for (tool, arguments) in &calls {
            if made.call(&world, tool, arguments) {
                trees.push(world.tree());
            } else {
                prop_assert_eq!(&world.tree(), trees.last().unwrap(), "{} {}", tool, arguments);
            }
        }
        for _ in 0..2 {
            for tree in trees.iter().rev().skip(1) {
                let undone = world.call("undo", &json!({}));
                prop_assert!(undone.is_ok(), "{undone:?}");
                prop_assert_eq!(&world.tree(), tree, "{:?}", undone);
            }
            prop_assert_eq!(&world.call("undo", &json!({})).unwrap_err()["code"], "nothing_to_undo");
            for tree in trees.iter().skip(1) {
                let redone = world.call("redo", &json!({}));
                prop_assert!(redone.is_ok(), "{redone:?}");
                prop_assert_eq!(&world.tree(), tree, "{:?}", redone);
            }
            prop_assert_eq!(&world.call("redo", &json!({})).unwrap_err()["code"], "nothing_to_undo");
        }
        prop_assert!(world.is_settled());
    }

    #[test]
    fn everything_after_a_checkpoint_is_undone_at_once(
        before in prop::collection::vec(change(), 0..10),
        after in prop::collection::vec(any_call(), 1..25),
        apart in any::<bool>(),
    ) {
        let world = World::new(apart);
        let mut made = Made::default();
        for (tool, arguments) in &before {
            made.call(&world, tool, arguments);
        }
        world.call("checkpoint", &json!({"label": "here"})).unwrap();
        let tree = world.tree();
        // Also undo and redo past the checkpoint.
        for (tool, arguments) in &after {
            made.call(&world, tool, arguments);
        }
        let last = world.tree();
        match world.call("undo", &json!({"to": "here"})) {
            Ok(_) => {
                prop_assert_eq!(&world.tree(), &tree);
                let redone = world.call("redo", &json!({}));
                prop_assert!(redone.is_ok(), "{redone:?}");
                prop_assert_eq!(&world.tree(), &last);
            }
            Err(error) => {
                prop_assert_eq!(&error["code"], "nothing_to_undo", "{}", error);
                prop_assert_eq!(&world.tree(), &tree);
            }
        }
        prop_assert!(world.is_settled());
    }
}
