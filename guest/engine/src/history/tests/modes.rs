//! Permissions of copies, and objects that cannot be copied.

use serde_json::{Value, json};

use super::{World, called, session};
use crate::session::Session;
use fsgate_contract::types::SpecialKind;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{Item, Memory};
use fsgate_volume::{Abilities, Access};

/// Modes, one with a right of another user, and the modes that a copy has.
const MODES: [(&str, u32, u32); 5] = [
    ("a", 0o755, 0o755),
    ("b", 0o4640, 0o640),
    ("d", 0o700, 0o700),
    ("d/a", 0o400, 0o400),
    // The owner of a directory can always change it.
    ("d/e", 0o555, 0o755),
];

const NO_MODES: Abilities = Abilities { keeps_modes: false, ..Memory::ABILITIES };

const KEPT: &str = "a copy has the owner and the time of a new file, whatever the original has";
const LOST: &str =
    "a copy has the permissions, the owner and the time of a new file, whatever the original has";

fn set_modes(volume: &Memory) {
    for (path, mode, _) in MODES {
        volume.set_mode(path, mode);
    }
}

/// The note on copies; an outcome has one at most.
fn copy_note(outcome: &Value) -> Option<String> {
    let notes = outcome["notes"].as_array().into_iter().flatten();
    let mut notes = notes.filter(|note| note["kind"] == "new_file");
    let note = notes.next().map(|note| note["text"].as_str().unwrap().to_owned());
    assert!(notes.next().is_none(), "{outcome}");
    note
}

#[test]
fn what_comes_back_from_a_trash_elsewhere_keeps_its_permissions() {
    for (tool, arguments) in [
        ("delete", json!({"path": "a"})),
        ("delete", json!({"path": "b"})),
        ("delete", json!({"path": "d", "glob": "**"})),
        ("delete_directory", json!({"path": "d", "recursive": true})),
        ("move", json!({"source": "a", "destination": "b", "overwrite": true})),
    ] {
        let world = World::new(true);
        set_modes(&world.volume);
        let before = world.tree();
        let outcome = world.call(tool, &arguments).unwrap();
        assert!(copy_note(&outcome).unwrap().ends_with(KEPT), "{tool}: {outcome}");
        let outcome = world.call("undo", &json!({})).unwrap();
        assert_eq!(copy_note(&outcome), None, "{tool}");
        assert_eq!(world.tree(), before, "{tool}");
        for (path, mode, copied) in MODES {
            let now = world.volume.mode(path).unwrap();
            assert!([mode, copied].contains(&now), "{tool} {arguments}: {path} has {now:o}");
        }
    }
}

/// Otherwise a closed directory would be open in its copy.
#[test]
fn directories_of_a_copy_by_pattern_have_the_permissions_of_the_originals() {
    for destination in ["new", "b2/new"] {
        let world = World::new(false);
        set_modes(&world.volume);
        let arguments = json!({"source": "d", "glob": "**", "destination": destination, "parents": true});
        world.call("copy", &arguments).unwrap();
        for (path, _, mode) in MODES {
            if let Some(below) = path.strip_prefix('d') {
                let copied = format!("{destination}{below}");
                assert_eq!(world.volume.mode(&copied), Some(mode), "{copied}");
            }
        }
        assert_ne!(world.volume.mode("b2"), Some(0o700), "it is no copy");
        world.call("undo", &json!({})).unwrap();
        assert_eq!(world.volume.mode("new"), None);
    }
}

#[test]
fn a_copy_has_the_permissions_of_the_original() {
    for (source, _, mode) in MODES {
        let world = World::new(false);
        set_modes(&world.volume);
        let arguments = json!({"source": source, "destination": "new", "recursive": true});
        for dry_run in [true, false] {
            let mut arguments = arguments.clone();
            arguments["dry_run"] = dry_run.into();
            assert_eq!(copy_note(&world.call("copy", &arguments).unwrap()), None, "{source}");
        }
        assert_eq!(world.volume.mode("new"), Some(mode), "{source}");
        for (path, _, mode) in MODES {
            if let Some(below) = path.strip_prefix(&format!("{source}/")) {
                assert_eq!(world.volume.mode(&format!("new/{below}")), Some(mode), "{path}");
            }
        }
    }
}

#[test]
fn a_copy_over_a_file_leaves_its_permissions() {
    let world = World::new(false);
    set_modes(&world.volume);
    let arguments = json!({"source": "a", "destination": "b", "overwrite": true});
    assert_eq!(copy_note(&world.call("copy", &arguments).unwrap()), None);
    assert_eq!(world.volume.mode("b"), Some(0o4640));
}

fn two(modes: [Abilities; 2]) -> (Memory, Memory, Session<Memory>) {
    let (one, other) =
        (Memory::default().with_abilities(modes[0]), Memory::default().with_abilities(modes[1]));
    let grant = |name: &str, volume: &Memory| Grant {
        name: name.to_owned(),
        volume: volume.clone(),
        access: Access::Write,
    };
    let (states, more) = (one.at("state"), other.at("state"));
    let (one, other) = (one.at("one"), other.at("other"));
    one.put("key", Item::File(b"secret".to_vec()));
    one.set_mode("key", 0o600);
    let preopens = vec![
        grant("/one", &one),
        grant("/other", &other),
        grant("/.fsgate/one", &states),
        grant("/.fsgate/other", &more),
    ];
    let session = Session::open_or_refuse(preopens, []);
    (one, other, session)
}

#[test]
fn a_move_to_another_file_system_keeps_the_permissions() {
    let (one, other, session) = two([Memory::ABILITIES; 2]);
    let arguments = json!({"source": "/one/key", "destination": "/other/key"});
    let outcome = called(&session, "move", &arguments).unwrap();
    assert_eq!(copy_note(&outcome).as_deref(), Some(KEPT));
    assert_eq!((one.mode("key"), other.mode("key")), (None, Some(0o600)));
    called(&session, "undo", &json!({})).unwrap();
    assert_eq!((one.mode("key"), other.mode("key")), (Some(0o600), None));
}

#[test]
fn where_permissions_cannot_be_kept_it_is_said() {
    let (_, other, session) = two([Memory::ABILITIES, NO_MODES]);
    for tool in ["copy", "move"] {
        for dry_run in [true, false] {
            let arguments = json!({"source": "/one/key", "destination": "/other/key", "dry_run": dry_run});
            let outcome = called(&session, tool, &arguments).unwrap();
            assert_eq!(copy_note(&outcome).as_deref(), Some(LOST), "{tool} {dry_run}");
        }
        assert_eq!(other.mode("key"), Some(0o644));
        called(&session, "undo", &json!({})).unwrap();
    }
    // The file system of the trash decides for kept objects.
    let mut world = World::new(true);
    world.volume.set_mode("a", 0o600);
    world.session = session_with(&world, NO_MODES);
    let outcome = world.call("delete", &json!({"path": "a"})).unwrap();
    assert!(copy_note(&outcome).unwrap().ends_with(LOST), "{outcome}");
    world.call("undo", &json!({})).unwrap();
    assert_eq!(world.volume.mode("a"), Some(0o644));
}

fn session_with(world: &World, state: Abilities) -> Session<Memory> {
    session(&world.volume, &world.state.with_abilities(state), &[])
}

/// Without links and special files in the trash, the deletion is refused and nothing moves.
#[test]
fn what_cannot_be_copied_into_a_trash_elsewhere_is_refused_by_its_path() {
    for (item, word) in [
        (Item::Link("../a".to_owned()), "a link"),
        (Item::Special(SpecialKind::CharacterDevice), "a special file"),
    ] {
        for (tool, arguments, path) in [
            ("delete_directory", json!({"path": "d", "recursive": true}), "d/e/x"),
            ("delete", json!({"path": "d/e/x"}), "d/e/x"),
            ("delete", json!({"path": "d", "glob": "**"}), "d/e/x"),
            ("move", json!({"source": "a", "destination": "d/e/x", "overwrite": true}), "d/e/x"),
        ] {
            // No tool replaces or names a special file.
            if word == "a special file" && tool != "delete_directory" {
                continue;
            }
            let world = World::new(true);
            world.volume.put("d/e/x", item.clone());
            let before = world.tree();
            let mut trial = arguments.clone();
            trial["dry_run"] = true.into();
            let foretold = world.call(tool, &trial).unwrap_err();
            let error = world.call(tool, &arguments).unwrap_err();
            assert_eq!(foretold, error, "{tool} {arguments}");
            assert_eq!(
                (&error["code"], &error["path"], &error["applied"]),
                (&json!("unsupported"), &json!(path), &json!(false)),
                "{tool} {error}"
            );
            assert!(error["message"].as_str().unwrap().starts_with(word), "{error}");
            assert!(error["repair"].as_str().unwrap().contains("keep: false"), "{error}");
            assert_eq!(world.tree(), before, "{tool}");
            assert!(world.is_settled(), "{tool}");
            let mut given_up = arguments.clone();
            given_up["keep"] = false.into();
            if tool != "move" {
                world.call(tool, &given_up).unwrap();
            }
        }
    }
}
