//! Taking back any sequence of changes, step by step and at once.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::World;

/// A call that may change something, or be refused.
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

/// The same, or one that brings back what was replaced by one of those so far.
fn call() -> impl Strategy<Value = (&'static str, Value)> {
    let restore = any::<u8>().prop_map(|of| ("restore", json!({"of": of})));
    prop_oneof![11 => change(), 2 => restore]
}

/// The calls so far that have replaced something: their ids, and where.
#[derive(Default)]
struct Made(Vec<(Value, Value)>);

impl Made {
    /// Makes a call. True if it has changed something.
    fn call(&mut self, world: &World, tool: &str, arguments: &Value) -> bool {
        let mut arguments = arguments.clone();
        if let Some(of) = arguments["of"].as_u64() {
            let made = self.0.get(of as usize % self.0.len().max(1));
            let Some((id, path)) = made else { return false };
            arguments = json!({"id": id, "path": path});
        }
        let destination = arguments["destination"].as_str().unwrap_or_default();
        let replaces = world.tree().contains_key(destination);
        let id = world.call(tool, &arguments).map_or(Value::Null, |outcome| outcome["undo_id"].clone());
        let is_changed = id.is_string();
        if is_changed && replaces && ["move", "copy"].contains(&tool) && arguments.get("glob").is_none() {
            self.0.push((id, arguments["destination"].clone()));
        }
        is_changed
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

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
        after in prop::collection::vec(change(), 1..20),
        steps in prop::collection::vec(any::<bool>(), 0..12),
        apart in any::<bool>(),
    ) {
        let world = World::new(apart);
        for (tool, arguments) in &before {
            let _ = world.call(tool, arguments);
        }
        world.call("checkpoint", &json!({"label": "here"})).unwrap();
        let tree = world.tree();
        for (tool, arguments) in &after {
            let _ = world.call(tool, arguments);
        }
        // Steps back, even behind the checkpoint, and forth.
        for back in steps {
            let _ = world.call(if back { "undo" } else { "redo" }, &json!({}));
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
