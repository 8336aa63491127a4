//! `forget` removes all data of entries, and blocks nothing else.

use serde_json::{Value, json};

use super::{OPERATOR, World, session};
use fsgate_volume::Volume;
use fsgate_volume::memory::{Item, Memory};

fn is_somewhere(state: &Memory, text: &str) -> bool {
    state.snapshot().into_values().any(|item| match item {
        Item::File(bytes) => bytes.windows(text.len()).any(|part| part == text.as_bytes()),
        _ => false,
    })
}

#[test]
fn what_is_kept_nowhere_stands_nowhere() {
    for (name, value) in [("FSGATE_HISTORY_BYTES", "2000"), ("FSGATE_HISTORY_ENTRIES", "0")] {
        let mut world = World::new(false);
        world.volume.put("k", Item::File(format!("SECRET{}", "x".repeat(5_000)).into_bytes()));
        world.session = session(&world.volume, &world.state, &[(name, value)]);
        let edits = json!([{"path": "k", "content": "y"}, {"path": "a", "content": "z"}]);
        for (tool, arguments) in
            [("apply", json!({"edits": edits})), ("write", json!({"path": "k", "content": "gone"}))]
        {
            world.volume.put("k", Item::File(format!("SECRET{}", "x".repeat(5_000)).into_bytes()));
            let outcome = world.call(tool, &arguments).unwrap();
            assert_eq!(outcome["notes"][0]["kind"], "no_undo", "{outcome}");
            assert!(!is_somewhere(&world.state, "SECRET"), "{name} {tool}");
        }
    }
}

/// A crash may have left bytes of uncommitted changes after the last record.
#[test]
fn what_stands_behind_the_last_record_is_forgotten_with_nothing_else() {
    let world = World::new(false);
    world.call("append", &json!({"path": "b", "content": "more\n"})).unwrap();
    let log = world.state.at("log");
    let Some((name, Item::File(mut bytes))) = log.snapshot().pop_first() else { panic!("no log") };
    bytes.extend(b"SECRET");
    log.put(&name, Item::File(bytes));
    let world = World { session: session(&world.volume, &world.state, &[]), ..world };
    assert!(is_somewhere(&world.state, "SECRET"));
    let forgotten = world.call("forget", &json!({"path": "nothing"})).unwrap();
    assert_eq!(forgotten["forgotten"], 0);
    assert!(!is_somewhere(&world.state, "SECRET"));
    world.call("undo", &json!({"any_session": true})).unwrap();
}

/// A damaged record is lost, and its content stays in the trash.
#[test]
fn the_content_of_a_lost_record_is_forgotten_with_everything() {
    for is_operator in [true, false] {
        let mut world = World::new(false);
        world.volume.put("k", Item::File(b"SECRET".to_vec()));
        world.call("delete", &json!({"path": "k"})).unwrap();
        let log = world.state.at("log");
        let Some((name, Item::File(mut bytes))) = log.snapshot().pop_first() else { panic!("no log") };
        let at = bytes.windows(6).position(|word| word == b"delete").unwrap();
        bytes[at] ^= 1;
        log.put(&name, Item::File(bytes));
        let variables = [OPERATOR];
        let variables = if is_operator { &variables[..] } else { &[] };
        world.session = session(&world.volume, &world.state, variables);
        world.call("append", &json!({"path": "a", "content": "more"})).unwrap();
        assert_eq!(world.call("forget", &json!({"everything": true})).unwrap()["forgotten"], 1);
        assert_eq!(is_somewhere(&world.state, "SECRET"), !is_operator, "it may be hidden from a session");
        for file in log.snapshot().keys() {
            log.remove_file(&log.root(), file).unwrap();
        }
        world.call("append", &json!({"path": "a", "content": "more"})).unwrap();
        world.call("forget", &json!({"path": "nothing"})).unwrap();
        assert!(!is_somewhere(&world.state, "SECRET"), "no record is left");
    }
}

#[test]
fn what_lay_in_a_directory_that_is_gone_is_forgotten_by_its_path() {
    let world = World::new(false);
    world.volume.put("d/k", Item::File(b"SECRET".to_vec()));
    world.call("delete_directory", &json!({"path": "d", "recursive": true})).unwrap();
    assert_eq!(world.call("forget", &json!({"path": "dd/k"})).unwrap()["forgotten"], 0);
    assert!(is_somewhere(&world.state, "SECRET"));
    assert_eq!(world.call("forget", &json!({"path": "d/k"})).unwrap()["forgotten"], 1);
    assert!(!is_somewhere(&world.state, "SECRET"));
}

#[test]
fn a_forgotten_move_leaves_nothing_and_is_in_the_way_of_nothing() {
    for (apart, by) in [
        (false, json!({"path": "TOLD"})),
        (true, json!({"path": "TOLD"})),
        (false, json!({"everything": true})),
    ] {
        let world = World::new(apart);
        let call = |tool: &str, arguments: Value| world.call(tool, &arguments).unwrap();
        let first = world.tree();
        call("append", json!({"path": "b", "content": "older\n"}));
        let older = world.tree();
        call("create", json!({"path": "TOLD", "content": "replaced SECRET"}));
        call("move", json!({"source": "a", "destination": "TOLD", "overwrite": true}));
        call("move", json!({"source": "TOLD", "destination": "a"}));
        let forgotten = call("forget", by.clone());
        assert_eq!(forgotten["notes"], Value::Null, "{forgotten}");
        assert!(!is_somewhere(&world.state, "TOLD") && !is_somewhere(&world.state, "SECRET"));
        assert!(world.state.at("trash").snapshot().is_empty());
        assert_eq!(world.tree(), older);
        assert!(world.is_settled());
        call("append", json!({"path": "a", "content": "newer\n"}));
        call("undo", json!({}));
        assert_eq!(world.tree(), older);
        if by["path"].is_string() {
            assert_eq!(forgotten["forgotten"], 3, "{forgotten}");
            call("undo", json!({}));
            assert_eq!(world.tree(), first);
            call("redo", json!({}));
            assert_eq!(world.tree(), older);
        }
        let left =
            world.call("log", &json!({"any_session": true})).unwrap()["entries"].as_array().unwrap().len();
        assert_eq!(call("forget", json!({"everything": true}))["forgotten"], left);
        assert_eq!(call("forget", json!({"everything": true}))["forgotten"], 0);
        assert_eq!(world.call("undo", &json!({})).unwrap_err()["code"], "nothing_to_undo");
    }
}

/// Without the undo, its entry would look as if it were in effect, and block older ones.
#[test]
fn what_was_taken_back_is_forgotten_with_what_did_so() {
    for by_id in [false, true] {
        let world = World::new(false);
        let first = world.tree();
        let call = |tool: &str, arguments: Value| world.call(tool, &arguments).unwrap();
        call("append", json!({"path": "b", "content": "older\n"}));
        let older = world.tree();
        call("checkpoint", json!({"label": "here"}));
        call("write", json!({"path": "a", "content": "new"}));
        call("write", json!({"path": "b", "content": "new"}));
        let undone = call("undo", json!({"to": "here"}));
        let forgotten =
            call("forget", if by_id { json!({"id": undone["undo_id"]}) } else { json!({"path": "a"}) });
        assert_eq!(forgotten["forgotten"], 3, "{forgotten}");
        assert_eq!(world.tree(), older);
        call("undo", json!({}));
        assert_eq!(world.tree(), first);
        // A redone entry is in effect, with or without the record of that.
        call("redo", json!({}));
        call("undo", json!({}));
        let redone = call("redo", json!({}));
        let forgotten = call("forget", json!({"id": redone["undo_id"]}));
        assert_eq!(forgotten["forgotten"], 2, "{forgotten}");
        assert_eq!(world.tree(), older);
        call("undo", json!({}));
        assert_eq!(world.tree(), first);
    }
}

/// A call that ends at its deadline reports exactly what it has removed.
#[test]
fn a_call_that_is_cut_off_tells_what_is_gone() {
    let mut cut_off = 0;
    // Each look at a clock takes a millisecond.
    for millis in (1..400).step_by(5) {
        let mut world = World::new(true);
        for number in 0..40 {
            world.call("write", &json!({"path": "a", "content": number.to_string()})).unwrap();
        }
        let deadline = millis.to_string();
        world.session = session(&world.volume, &world.state, &[("FSGATE_DEADLINE_MILLIS", &deadline)]);
        world.volume.set_clock_step(std::time::Duration::from_millis(1));
        world.state.set_clock_step(std::time::Duration::from_millis(1));
        let answer = world.call("forget", &json!({"everything": true}));
        world.session = session(&world.volume, &world.state, &[]);
        let left = world.call("log", &json!({"any_session": true, "max_items": 100})).unwrap();
        let left = left["entries"].as_array().unwrap().len();
        match answer {
            Ok(outcome) => assert_eq!((outcome["forgotten"].as_u64(), left), (Some(40), 0), "{millis}"),
            Err(error) => {
                let message = error["message"].as_str().unwrap();
                let is_partly = error["applied"] == true;
                cut_off += 1;
                assert_eq!(is_partly, left < 40, "{millis}: {left} left, {error}");
                assert!(!message.contains("the file holds a part"), "{millis}: {error}");
                assert!(!is_partly || !message.contains("nothing was changed"), "{millis}: {error}");
            }
        }
    }
    assert!((1..80).contains(&cut_off), "{cut_off} were cut off");
}
