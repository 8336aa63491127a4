//! What shuts the history for others, and what does not.

use serde_json::{Value, json};

use super::called;
use super::shared::Shared;
use super::steps::Who::Person;
use super::steps::{FIRST, Grants, NARROW, ONE, Step, TWO, filled, moved, of, written};
use fsgate_volume::memory::Item;

/// What a person did, call by call, before an agent asks for the first of them: its content comes back only where `is_told`.
fn asked(policy: &Value, steps: &[Step], is_told: bool) {
    let shared = Shared::new();
    shared.disk.put("q/d/x.txt", Item::File(b"one\n".to_vec()));
    shared.disk.put("q/sec", Item::Directory);
    let person = of(&shared, ONE, &json!({"profile": "open"}));
    let agent = of(&shared, ONE, policy);
    let mut ids = Vec::new();
    for (_, tool, arguments) in [&[written("d/x.txt")], steps].concat() {
        ids.push(called(&person, tool, &filled(tool, &arguments, &ids)).unwrap()["undo_id"].clone());
    }
    let log = called(&agent, "log", &json!({"any_session": true, "diff": true})).unwrap();
    let first = log["entries"].as_array().unwrap().last().unwrap();
    assert_eq!(first["etag_before"].is_string(), is_told, "{steps:?}: {log}");
    assert_eq!(first["diff"].as_str().is_some_and(|diff| diff.contains("-one")), is_told, "{steps:?}: {log}");
    let restored = called(&agent, "restore", &json!({"id": ids[0], "any_session": true}));
    assert_eq!(restored.is_ok(), is_told, "{steps:?}: {restored:?}");
    // What was done by oneself, and what others do from then on, is told.
    let made = called(&agent, "create", &json!({"path": "own.txt", "content": "own\n"})).unwrap();
    called(&agent, "undo", &json!({"id": made["undo_id"]})).unwrap();
    let made = called(&person, "create", &json!({"path": "new.txt", "content": "new\n"})).unwrap();
    called(&agent, "undo", &json!({"id": made["undo_id"], "any_session": true})).unwrap();
}

#[test]
fn what_was_taken_back_shuts_nothing() {
    // A directory has a name that no file may have.
    let rules = json!([{"name": "guarded", "paths": ["sec/"], "effect": "denied"}]);
    let denied = json!({"profile": "open", "rules": rules, "allowed_extensions": [".txt"]});
    let away = moved(Person, "d/x.txt", "sec/x.txt");
    let back = (Person, "undo", json!({"id": "$2"}));
    for (steps, is_told) in [
        (vec![away.clone(), back.clone()], true),
        (vec![away.clone(), back.clone(), (Person, "redo", json!({"id": "$3"}))], false),
        (vec![away.clone(), back.clone(), away.clone()], false),
        (vec![away.clone(), moved(Person, "sec/x.txt", "d/x.txt")], false),
        (vec![away], false),
        (vec![(Person, "move", json!({"source": "d", "destination": "sec/d", "recursive": true}))], false),
    ] {
        asked(&denied, &steps, is_told);
    }
}

/// Where nothing is led to where it may not be read, all is told, whatever the rules are.
#[test]
fn only_what_leads_where_less_may_be_read_shuts() {
    let steps = [
        (Person, "create", json!({"path": "e/y.txt", "content": "y\n", "parents": true})),
        (Person, "move", json!({"source": "e", "destination": "f", "recursive": true})),
    ];
    let denied = |paths: &[&str], unless: &[&str]| json!({"profile": "open", "rules": [{"name": "r", "paths": paths, "unless": unless, "effect": "denied"}]});
    let regex = |regex: &str| json!({"profile": "open", "rules": [{"name": "r", "regex": [regex], "effect": "hidden"}]});
    for profile in ["default", "strict", "workflow", "open"] {
        asked(&json!({"profile": profile, "private_keys": "allowed"}), &steps, true);
    }
    for (policy, is_told) in [
        (denied(&["*.key", "secret", "**/in/secret"], &[]), true),
        (denied(&["*.key"], &["public.key"]), true),
        (denied(&["./f/secret"], &[]), false),
        (denied(&["**/f/secret"], &[]), false),
        (denied(&["f/*/secret"], &[]), false),
        (denied(&["**/*secret*", "*s?cret"], &["*public?"]), true),
        (
            json!({"profile": "open", "rules": [{"name": "r", "paths": ["**/f/secret"], "effect": "read_only"}]}),
            true,
        ),
        (json!({"profile": "open", "allowed_paths": ["*.txt"]}), true),
        (regex("/w/[^e]*/secret"), false),
        (regex("/w/[^f]*/secret"), true),
        (denied(&["*.key"], &["./e/*.key"]), false),
        (regex(r".*\.key"), true),
        (regex("/w/f/.*"), false),
        (json!({"profile": "open", "allowed_extensions": [".txt"]}), true),
        (json!({"profile": "open", "allowed_paths": ["/w"]}), true),
        (
            json!({"profile": "open", "allowed_paths": ["/w/d", "/w/e", "/w/own.txt", "/w/new.txt", "/w/f/in"]}),
            false,
        ),
        (
            json!({"profile": "open", "allowed_paths": ["/w/d", "/w/e", "/w/own.txt", "/w/new.txt", "/w/f"]}),
            true,
        ),
    ] {
        asked(&policy, &steps, is_told);
    }
}

/// Rules that are about the same in a directory, wherever that lies.
#[test]
fn a_directory_that_keeps_its_name_is_moved_where_it_is_judged_alike() {
    let named = |name: &str| {
        let (source, destination) = (format!("e/{name}"), format!("f/{name}"));
        [
            (Person, "create", json!({"path": format!("{source}/y.txt"), "content": "y\n", "parents": true})),
            (
                Person,
                "move",
                json!({"source": source, "destination": destination, "recursive": true, "parents": true}),
            ),
        ]
    };
    for name in [".config", ".aws", ".cargo", ".docker"] {
        asked(&json!({"profile": "default", "private_keys": "allowed"}), &named(name), true);
    }
    for (paths, is_told) in [
        ("**/g/secret", true),
        ("g/secret", true),
        ("./f/g/secret", false),
        ("**/f/g/secret", false),
        ("./*/g/secret", false),
    ] {
        let rules = json!([{"name": "r", "paths": [paths], "effect": "denied"}]);
        asked(&json!({"profile": "open", "rules": rules}), &named("g"), is_told);
    }
}

/// What is left of it tells neither where it went nor what: so it shuts for whoever is told something else than who made it, and has
/// what it left.
#[test]
fn a_move_that_is_forgotten_shuts_for_others() {
    let rules = |path: &str| json!([{"name": "r", "paths": [path], "effect": "denied"}]);
    let other = json!({"profile": "open", "rules": rules("never")});
    let steps = [
        (Person, "create", json!({"path": "e/y.txt", "content": "y\n", "parents": true})),
        moved(Person, "e/y.txt", "f.txt"),
        (Person, "forget", json!({"path": "f.txt"})),
    ];
    asked(&json!({"profile": "open"}), &steps, true);
    asked(&other, &steps, false);
    // Where all may be read, it was led nowhere.
    for says in [
        json!({"rules": [{"name": "r", "paths": ["never"], "effect": "read_only"}]}),
        json!({"max_files": 500}),
        json!({"linked_files": "read_only"}),
    ] {
        asked(&json!([{"profile": "open"}, says]), &steps, true);
    }
    // A list closes what it does not name, whatever else is called like that.
    let named = json!([{"name": "allowed_extensions", "paths": ["never"], "effect": "read_only"}]);
    let list = json!({"profile": "open", "rules": named, "allowed_extensions": [".txt"]});
    asked(&list, &steps, false);
    asked(&other, &steps[..2], true);
    // Elsewhere on the disk.
    let shared = Shared::new();
    shared.disk.put("q/x", Item::File(b"one\n".to_vec()));
    let (here, there) = (of(&shared, ONE, &other), of(&shared, &[("/w", "p")], &json!({"profile": "open"})));
    called(&here, "write", &json!({"path": "x", "content": "two\n", "backup": true})).unwrap();
    called(&there, "move", &json!({"source": "a/x", "destination": "a/y"})).unwrap();
    assert_eq!(called(&there, "forget", &json!({"path": "a"})).unwrap()["forgotten"], 1);
    let edits = json!([{"path": "a/new", "content": "n\n"}, {"path": "b/x", "delete": true}]);
    called(&there, "apply", &json!({ "edits": edits })).unwrap();
    called(&there, "undo", &json!({})).unwrap();
    let asker = of(&shared, ONE, &json!({"profile": "open"}));
    called(&asker, "undo", &json!({"any_session": true})).unwrap();
    assert_eq!(shared.disk.at("q").snapshot()["x"], Item::File(b"one\n".to_vec()));
}

/// By a way that is no move, or to where somebody else's directory hangs.
#[test]
fn what_came_to_another_place_by_its_name_is_not_told_by_where_it_was() {
    let open = json!({"profile": "open"});
    // Another directory has the name by then.
    let swapped = |first: Step, then: &[(&'static str, Value)]| {
        let away = json!({"source": "d", "destination": "z", "recursive": true});
        let swap = [("move", away), ("create_directory", json!({"path": "d"}))];
        let steps = swap.iter().chain(then).map(|(tool, arguments)| (Person, *tool, arguments.clone()));
        std::iter::once(first).chain(steps).collect::<Vec<_>>()
    };
    let deleted = || (Person, "delete", json!({"path": "d/x"}));
    let replaced = || moved(Person, "e/y", "d/x");
    let undone = || ("undo", json!({"id": "$2"}));
    let restored = || ("restore", json!({"id": "$2", "path": "d/x"}));
    let hung = vec![moved(Person, "d/x", "e/x"), (Person, "forget", json!({"path": "e"}))];
    let inside: Grants = &[("/z", "q/z")];
    for (steps, grants) in [
        (swapped(deleted(), &[undone()]), inside),
        (swapped(deleted(), &[undone(), ("forget", json!({"id": "$2"}))]), inside),
        (swapped(deleted(), &[undone(), ("forget", json!({"id": "$5"}))]), inside),
        (swapped(deleted(), &[restored()]), inside),
        (swapped(deleted(), &[restored(), ("forget", json!({"id": "$5"}))]), inside),
        (swapped(replaced(), &[restored()]), inside),
        (swapped(moved(Person, "d/x", "e/x"), &[undone()]), inside),
        (swapped(moved(Person, "d/x", "e/x"), &[restored()]), inside),
        (swapped(moved(Person, "d/x", "e/x"), &[undone(), ("redo", json!({"id": "$5"}))]), inside),
        (hung, &[("/w", "q"), ("/w/e", "p/a")]),
    ] {
        let shared = Shared::new();
        for path in ["q/e", "q/d"] {
            shared.disk.put(path, Item::Directory);
        }
        shared.disk.put("q/d/x", Item::File(b"SECRET of then\n".to_vec()));
        shared.disk.put("q/e/y", Item::File(b"y\n".to_vec()));
        let person = of(&shared, ONE, &open);
        let mut ids = Vec::new();
        for (_, tool, arguments) in [&[written("d/x")], &steps[..]].concat() {
            let done = called(&person, tool, &filled(tool, &arguments, &ids));
            ids.push(done.unwrap_or_else(|error| panic!("{steps:?}: {tool}: {error}"))["undo_id"].clone());
        }
        let asker = of(&shared, grants, &open);
        let log = called(&asker, "log", &json!({"any_session": true, "diff": true})).unwrap();
        let first = log["entries"].as_array().unwrap().last().unwrap();
        assert_eq!((&first["tool"], &first["etag"]), (&json!("write"), &Value::Null), "{steps:?}: {log}");
        assert!(!log.to_string().contains("SECRET"), "{steps:?}: {log}");
        let restored = called(&asker, "restore", &json!({"id": ids[0], "any_session": true}));
        assert!(restored.is_err(), "{steps:?}: {restored:?}");
    }
}

/// What was brought back to where it was shuts nothing, whatever tool has done it.
#[test]
fn what_came_back_to_its_place_is_told() {
    let denied = json!({"profile": "open", "rules": [{"name": "r", "paths": ["sec/"], "effect": "denied"}]});
    let by_id = |tool: &'static str, id: &str| (Person, tool, json!({"id": id}));
    let deleted = || (Person, "delete", json!({"path": "d/x.txt"}));
    for steps in [
        vec![deleted(), by_id("undo", "$2")],
        vec![deleted(), by_id("restore", "$2")],
        vec![deleted(), by_id("undo", "$2"), by_id("redo", "$3"), by_id("undo", "$4")],
        vec![moved(Person, "d/x.txt", "sec/x.txt"), by_id("undo", "$2")],
        // Also where half of it is forgotten.
        vec![deleted(), by_id("undo", "$2"), by_id("forget", "$2")],
        vec![deleted(), by_id("restore", "$2"), by_id("forget", "$2")],
        vec![deleted(), by_id("restore", "$2"), by_id("forget", "$3")],
    ] {
        asked(&denied, &steps, true);
    }
}

/// Only one call that brings back what lay here, and takes away what was made there, has taken it back.
#[test]
fn a_move_to_another_grant_counts_until_all_of_it_is_taken_back() {
    let denied = json!({"profile": "open", "rules": [{"name": "r", "paths": ["sec/"], "effect": "denied"}]});
    let by_id = |tool: &'static str, id: &str, path: Option<&str>| {
        let mut arguments = json!({ "id": id });
        arguments.as_object_mut().unwrap().extend(path.map(|path| ("path".to_owned(), json!(path))));
        (Person, tool, arguments)
    };
    for (steps, is_told) in [
        (vec![by_id("undo", "$2", None)], true),
        (vec![by_id("restore", "$2", Some("/a/x"))], false),
        (vec![by_id("restore", "$2", Some("/a/x")), by_id("undo", "$3", None)], false),
        // The same call takes away something else.
        (
            vec![
                (Person, "create", json!({"path": "/a/x", "content": "clean"})),
                by_id("restore", "$1", Some("/a/x")),
            ],
            false,
        ),
        (
            vec![
                by_id("undo", "$2", None),
                by_id("restore", "$3", Some("/b/sec/x")),
                (Person, "delete", json!({"path": "/a/x"})),
            ],
            false,
        ),
    ] {
        let shared = Shared::new();
        shared.disk.put("q/a/x", Item::File(b"one\n".to_vec()));
        shared.disk.put("q/b/sec", Item::Directory);
        let person = of(&shared, TWO, &json!({"profile": "open"}));
        let mut ids = Vec::new();
        let changed = (Person, "replace", json!({"path": "/a/x", "old": "one", "new": "two"}));
        for (_, tool, arguments) in [&[changed, moved(Person, "/a/x", "/b/sec/x")], &steps[..]].concat() {
            let done = called(&person, tool, &filled(tool, &arguments, &ids));
            ids.push(done.unwrap_or_else(|error| panic!("{steps:?}: {tool}: {error}"))["undo_id"].clone());
        }
        let asker = of(&shared, TWO, &denied);
        let log = called(&asker, "log", &json!({"any_session": true, "diff": true})).unwrap();
        let first = log["entries"].as_array().unwrap().last().unwrap();
        assert_eq!(first["etag_before"].is_string(), is_told, "{steps:?}: {log}");
        let dry = json!({"id": ids[0], "any_session": true, "dry_run": true});
        assert_eq!(called(&asker, "restore", &dry).is_ok(), is_told, "{steps:?}");
    }
}

/// Whoever has the directory around it for writing finds there what was moved in it, by whatever gate.
#[test]
fn a_forgotten_move_within_what_is_granted_shuts_nothing_where_all_may_be_read() {
    for (grants, profile, is_told) in [(ONE, "open", true), (ONE, "default", false), (NARROW, "open", true)] {
        let shared = Shared::new();
        for path in ["q/in/x", "q/in/n"] {
            shared.disk.put(path, Item::File(b"one\n".to_vec()));
        }
        let open = json!({"profile": "open"});
        let (person, agent) = (of(&shared, ONE, &open), of(&shared, NARROW, &json!({"profile": "default"})));
        let changed = json!({"path": "/w/in/x", "old": "one", "new": "two"});
        let id = called(&person, "replace", &changed).unwrap()["undo_id"].clone();
        let moved = json!({"source": "/w/in/n", "destination": "/w/in/m"});
        let moved = called(&agent, "move", &moved).unwrap()["undo_id"].clone();
        called(&agent, "forget", &json!({ "id": moved })).unwrap();
        let asker = of(&shared, grants, &json!({ "profile": profile }));
        let undone = called(&asker, "undo", &json!({"id": id, "any_session": true, "dry_run": true}));
        assert_eq!(undone.is_ok(), is_told, "{grants:?} {profile}: {undone:?}");
    }
}

/// At a shell every command is a session of its own.
#[test]
fn what_was_brought_under_the_same_policy_is_told_to_other_sessions() {
    let by_id = |tool: &'static str, id: &str| (Person, tool, json!({ "id": id }));
    let any = |tool: &'static str| (Person, tool, json!({"any_session": true}));
    let edits = |edits: Value| (Person, "apply", json!({ "edits": edits }));
    let delete = edits(json!([{"path": "a.txt", "delete": true}, {"path": "b.txt", "delete": true}]));
    let create = edits(json!([{"path": "c.txt", "content": "c\n"}, {"path": "e.txt", "content": "e\n"}]));
    let back = (Person, "undo", json!({"to": "here", "any_session": true}));
    let label = (Person, "checkpoint", json!({"label": "here"}));
    let renamed = |name: &str| {
        let path = format!("{name}.d/x.txt");
        [
            label.clone(),
            (Person, "move", json!({"source": name, "destination": format!("{name}.d"), "recursive": true})),
            (Person, "replace", json!({"path": path, "old": "one", "new": "two"})),
            back.clone(),
            any("redo"),
            by_id("undo", "$5"),
            any("redo"),
        ]
    };
    for steps in [
        // Where it came from is known to nobody any more.
        vec![delete.clone(), any("undo"), by_id("forget", "$1"), by_id("undo", "$2"), any("redo")],
        vec![delete, any("undo"), by_id("forget", "$1"), any("redo")],
        vec![create, any("undo"), any("redo"), by_id("forget", "$1"), by_id("undo", "$3")],
        // A rule is about other things in the directory by the name that it comes from.
        renamed(".config").to_vec(),
        renamed("d").to_vec(),
    ] {
        let never = json!([{"name": "r", "paths": ["never"], "effect": "denied"}]);
        for policy in [json!({"profile": "open"}), json!({}), json!({"profile": "open", "rules": never})] {
            let shared = Shared::new();
            for path in ["q/a.txt", "q/b.txt", "q/.config/x.txt", "q/d/x.txt"] {
                shared.disk.put(path, Item::File(b"one\n".to_vec()));
            }
            let mut ids = Vec::new();
            for (number, (_, tool, arguments)) in steps.iter().enumerate() {
                let session = of(&shared, ONE, &policy);
                let done = called(&session, tool, &filled(tool, arguments, &ids));
                let done =
                    done.unwrap_or_else(|error| panic!("{policy} {steps:?}, {number}: {tool}: {error}"));
                ids.push(done["undo_id"].clone());
            }
            let log = json!({"any_session": true, "diff": true});
            let log = called(&of(&shared, ONE, &policy), "log", &log).unwrap();
            assert!(!log.to_string().contains("does not let it be read"), "{policy} {steps:?}: {log}");
        }
    }
}

/// Where it was before is forgotten, and it may be in a directory that somebody has not: there are no rules then.
#[test]
fn what_was_brought_from_nobody_knows_where_is_not_told_under_less() {
    let open = json!({"profile": "open"});
    for (grants, forgets, is_told) in
        [(TWO, false, true), (TWO, true, true), (FIRST, false, false), (FIRST, true, false)]
    {
        let shared = Shared::new();
        shared.disk.put("q/b/x", Item::File(b"SECRET\nx\n".to_vec()));
        shared.disk.put("q/a", Item::Directory);
        let person = of(&shared, TWO, &open);
        let done = |tool: &str, arguments: Value| {
            let outcome = called(&person, tool, &arguments);
            outcome.unwrap_or_else(|error| panic!("{tool}: {error}"))["undo_id"].clone()
        };
        done("checkpoint", json!({"label": "here"}));
        let first = done("move", json!({"source": "/b/x", "destination": "/a/x"}));
        done("replace", json!({"path": "/a/x", "old": "SECRET\n", "new": ""}));
        done("undo", json!({"to": "here"}));
        let id = done("redo", json!({}));
        if forgets {
            done("forget", json!({ "id": first }));
        }
        let asker = of(&shared, grants, &open);
        let log = called(&asker, "log", &json!({"any_session": true, "diff": true})).unwrap().to_string();
        let dry = json!({"id": id, "path": "/a/x", "any_session": true, "dry_run": true, "diff": true});
        let restored = format!("{:?}", called(&asker, "restore", &dry));
        let tells = log.contains("SECRET") || restored.contains("SECRET");
        assert_eq!(tells, is_told, "{grants:?}, {forgets}: {log} {restored}");
    }
}

/// What is kept for a change of a file is about as large as that was.
#[test]
fn what_is_kept_is_counted_only_for_who_may_read_it() {
    let by_path = |tool: &'static str, path: &str| (Person, tool, json!({ "path": path }));
    let edits = |paths: [&str; 2]| {
        let edits = paths.map(|path| json!({"path": path, "content": "new\n"}));
        (Person, "apply", json!({ "edits": edits }))
    };
    for (steps, is_counted) in [
        (vec![written("d/x")], [true].as_slice()),
        (vec![written("sec/x")], &[false]),
        (vec![by_path("delete", "sec/x"), by_path("delete", "d/x")], &[false, true]),
        (vec![edits(["d/x", "d/y"]), edits(["sec/x", "sec/y"])], &[true, false]),
        (vec![moved(Person, "sec/x", "d/z")], &[false]),
        // It was the same file.
        (vec![written("d/x"), moved(Person, "d/x", "sec/x"), written("d/y")], &[false, false, true]),
    ] {
        for effect in ["denied", "hidden"] {
            let shared = Shared::new();
            for path in ["q/d/x", "q/d/y", "q/sec/x", "q/sec/y"] {
                shared.disk.put(path, Item::File(b"one\n".to_vec()));
            }
            let person = of(&shared, ONE, &json!({"profile": "open"}));
            let rules = json!([{"name": "r", "paths": ["sec/"], "effect": effect}]);
            let agent = of(&shared, ONE, &json!({"profile": "open", "rules": rules}));
            let ids: Vec<_> = steps
                .iter()
                .map(|(_, tool, arguments)| called(&person, tool, arguments).unwrap()["undo_id"].clone())
                .collect();
            for (session, sees_all) in [(&agent, false), (&person, true)] {
                let log = called(session, "log", &json!({"any_session": true})).unwrap();
                for (id, is_counted) in ids.iter().zip(is_counted) {
                    let entries = log["entries"].as_array().unwrap();
                    let Some(entry) = entries.iter().find(|entry| entry["undo_id"] == *id) else {
                        assert!(effect == "hidden" && !is_counted && !sees_all, "{steps:?}: {log}");
                        continue;
                    };
                    assert_eq!(entry["bytes"] != 0, *is_counted || sees_all, "{effect} {steps:?}: {entry}");
                }
            }
        }
    }
}

/// It was seen when it was deleted, but not what became of it where it may not be read.
#[test]
fn what_a_session_has_deleted_does_not_come_back_as_what_it_was_elsewhere() {
    for effect in ["denied", "hidden"] {
        let shared = Shared::new();
        shared.disk.put("q/d/key", Item::File(b"old key".to_vec()));
        shared.disk.put("q/sec", Item::Directory);
        let rules = json!([{"name": "r", "paths": ["sec/"], "effect": effect}]);
        let person = of(&shared, ONE, &json!({"profile": "open"}));
        let agent = of(&shared, ONE, &json!({"profile": "open", "rules": rules}));
        let done = |session: &_, tool: &str, arguments: Value| {
            let outcome = called(session, tool, &arguments);
            outcome.unwrap_or_else(|error| panic!("{tool}: {error}"))["undo_id"].clone()
        };
        let id = done(&agent, "delete_directory", json!({"path": "d", "recursive": true}));
        done(&person, "checkpoint", json!({"label": "here"}));
        done(&person, "undo", json!({"id": id, "any_session": true}));
        done(&person, "move", json!({"source": "d", "destination": "sec/d", "recursive": true}));
        // By another program.
        shared.disk.put("q/sec/d/key", Item::File(b"NEW KEY".to_vec()));
        done(&person, "undo", json!({"to": "here", "any_session": true}));
        for (tool, arguments) in [
            ("undo", json!({ "id": id })),
            ("restore", json!({ "id": id })),
            ("restore", json!({"id": id, "path": "d/key"})),
        ] {
            let refused = called(&agent, tool, &arguments).expect_err(tool);
            assert_ne!(refused["code"], "undo_conflict", "{effect}, {tool}: {refused}");
        }
        assert!(!shared.disk.at("q").snapshot().contains_key("d/key"), "{effect}");
    }
}

/// Whoever obeys the same rules for the same directories can lead nothing away, whatever the rules are like.
#[test]
fn a_move_under_the_same_rules_shuts_nothing() {
    for paths in ["**/f/secret", "f/*/secret", "./f/secret", ".cargo/credentials", "**/.*/*token*/x"] {
        let rules = json!([{"name": "r", "paths": [paths], "effect": "denied"}]);
        let policy = json!({"profile": "default", "private_keys": "allowed", "rules": rules});
        let shared = Shared::new();
        for path in ["q/d/x.txt", "q/e/y.txt"] {
            shared.disk.put(path, Item::File(b"one\n".to_vec()));
        }
        let session = || of(&shared, ONE, &policy);
        let arguments = json!({"path": "d/x.txt", "content": "two\n", "backup": true});
        let id = called(&session(), "write", &arguments).unwrap()["undo_id"].clone();
        for to in ["f", ".cargo", ".config"] {
            let arguments = json!({"source": "e", "destination": to, "recursive": true});
            called(&session(), "move", &arguments).unwrap();
            let arguments = json!({"source": to, "destination": "e", "recursive": true});
            called(&session(), "move", &arguments).unwrap();
        }
        let log = called(&session(), "log", &json!({"any_session": true, "diff": true})).unwrap();
        assert!(log.to_string().contains("-one"), "{paths}: {log}");
        called(&session(), "undo", &json!({"id": id, "any_session": true})).unwrap();
    }
}
