//! A log or a directory that another program removes or moves beneath a session.

use serde_json::json;

use super::World;
use fsgate_volume::Volume;
use fsgate_volume::memory::Item;

/// An open handle of the log would take records that no later session finds.
#[test]
fn a_log_that_is_removed_beneath_a_session_takes_no_record() {
    for with_directory in [false, true] {
        let world = World::new(false);
        for path in ["a", "b"] {
            world.call("append", &json!({"path": path, "content": "more\n"})).unwrap();
        }
        let (state, root) = (&world.state, world.state.root());
        let log = state.open_directory(&root, "log").unwrap();
        for name in state.at("log").snapshot().keys() {
            state.remove_file(&log, name).unwrap();
        }
        if with_directory {
            state.remove_directory(&root, "log").unwrap();
        }
        let before = world.tree();
        let written = world.call("append", &json!({"path": "a", "content": "lost?\n"}));
        if with_directory {
            let refused = written.unwrap_err();
            assert!(
                refused["message"].as_str().unwrap().contains("state directory, or a part of it, is missing"),
                "{refused}"
            );
        } else {
            world.call("undo", &json!({"id": written.unwrap()["undo_id"]})).unwrap();
        }
        assert_eq!(world.tree(), before);
    }
}

/// The recorded directory was moved, and a link has its name.
#[test]
fn an_undo_by_force_follows_no_link() {
    let world = World::new(false);
    let id = world.call("append", &json!({"path": "d/a", "content": "more\n"})).unwrap()["undo_id"].clone();
    let root = world.volume.root();
    world.volume.rename(&root, "d", &root, "moved").unwrap();
    world.volume.put("d", Item::Link("moved".to_owned()));
    let before = world.tree();
    for (arguments, code) in [
        (json!({"id": id, "force": true}), "undo_conflict"),
        (json!({"id": id, "path": "d/a", "force": true}), "invalid_argument"),
    ] {
        let refused = world.call("restore", &arguments).unwrap_err();
        assert_eq!(refused["code"], code, "{refused}");
        assert_eq!(world.tree(), before);
    }
}
