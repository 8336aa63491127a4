//! What was led to where it may not be read is told by no older name, whatever was done with names meanwhile.

mod cases;

use serde_json::json;

use self::cases::{Case, cases};
use super::called;
use super::shared::Shared;
use super::steps::Who::{Agent, Gate, Person};
use super::steps::{filled, of};
use fsgate_volume::memory::Item;

fn tried(case: &Case, profile: &str, effect: &str) {
    let about = format!("{}, {profile}, {effect}", case.name);
    let shared = Shared::new();
    shared.disk.put("q/other", Item::File(b"other\n".to_vec()));
    for path in ["q/d", "q/b/n", "q/sec", "q/in/sec", "q/b/sec"] {
        shared.disk.put(path, Item::Directory);
    }
    if let Some(path) = case.file {
        shared.disk.put(path, Item::File(b"SECRET of then\n".to_vec()));
    }
    let policy =
        json!({"profile": profile, "rules": [{"name": "guarded", "paths": ["sec/"], "effect": effect}]});
    let person = of(&shared, case.person, &json!({"profile": "open"}));
    let agent = of(&shared, case.agent, &policy);
    let (mut ids, mut tags) = (Vec::new(), Vec::new());
    for (who, tool, arguments) in &case.steps {
        let gate;
        let session = match who {
            Person => &person,
            Agent => &agent,
            Gate(grants) => {
                gate = of(&shared, grants, &json!({"profile": "open"}));
                &gate
            }
        };
        let arguments = filled(tool, arguments, &ids);
        let outcome =
            called(session, tool, &arguments).unwrap_or_else(|error| panic!("{about}: {tool}: {error}"));
        ids.push(outcome["undo_id"].clone());
        if *who != Agent && ["write", "create"].contains(tool) {
            tags.extend(
                ["etag", "etag_before"].iter().filter_map(|field| outcome[field].as_str().map(str::to_owned)),
            );
        }
    }
    // What a session did itself it has seen: another one is asked.
    let agent = of(&shared, case.agent, &policy);
    let log = called(&agent, "log", &json!({"any_session": true, "diff": true})).unwrap().to_string();
    assert!(!log.contains("SECRET"), "{about}: {log}");
    assert!(!tags.iter().any(|tag| log.contains(tag)), "{about}: {log}");
    let id = &ids[0];
    for (tool, arguments) in [
        ("undo", json!({"id": id, "any_session": true, "dry_run": true, "diff": true})),
        ("undo", json!({"id": id, "any_session": true})),
        ("restore", json!({"id": id, "any_session": true, "dry_run": true, "diff": true})),
        ("restore", json!({"id": id, "any_session": true})),
        ("restore", json!({"id": id, "path": "d/x", "any_session": true})),
    ] {
        let refused = called(&agent, tool, &arguments).expect_err(&about);
        // Not because of what is there now: that would tell what was.
        let is_forgotten =
            refused["message"].as_str().is_some_and(|why| why.contains("the history has forgotten where"));
        assert!(refused["code"] != "undo_conflict" || is_forgotten, "{about}: {tool}: {refused}");
    }
    // Nor that which has taken it away brings it back.
    for id in &ids[1..] {
        let _ = called(&agent, "restore", &json!({"id": id, "any_session": true}));
        let _ = called(&agent, "restore", &json!({"id": id, "path": "d/x", "any_session": true}));
        let _ = called(&agent, "undo", &json!({"id": id, "any_session": true}));
    }
    for (path, item) in shared.disk.at("q").snapshot() {
        let is_secret = matches!(&item, Item::File(bytes) if bytes.starts_with(b"SECRET"));
        assert!(!is_secret || path.contains("sec/"), "{about}: {path}");
    }
}

#[test]
fn what_was_led_to_where_it_may_not_be_read_is_told_by_no_older_name() {
    for case in cases() {
        for profile in ["open", "default"] {
            for effect in ["denied", "hidden"] {
                tried(&case, profile, effect);
            }
        }
    }
}
