//! What was led to where it may not be read is told by no older name, whatever was done with names meanwhile.

use serde_json::{Value, json};

use super::called;
use super::shared::Shared;
use crate::session::Session;
use crate::volume::Access;
use crate::volume::memory::{Item, Memory};

/// Whose call it is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Who {
    /// Somebody from whom nothing is taken away.
    Person,
    /// Somebody who may not read `sec`.
    Agent,
}

use Who::{Agent, Person};

/// Grants by their names, and where they are.
type Grants = &'static [(&'static str, &'static str)];

const ONE: Grants = &[("/w", "q")];
const TWO: Grants = &[("/a", "q/a"), ("/b", "q/b")];
const FIRST: Grants = &[("/a", "q/a")];
const NESTED: Grants = &[("/w", "q"), ("/n", "q/in")];
const INNER: Grants = &[("/n", "q/in")];
const WHOLE: Grants = &[("/w", "q")];
const PARTS: Grants = &[("/w/d", "q/d"), ("/w/sec", "q/sec")];
const NARROW: Grants = &[("/w/in", "q/in")];

/// A call; `$3` as its id is that of the third one.
type Step = (Who, &'static str, Value);

struct Case {
    name: &'static str,
    /// The file that is there before.
    file: Option<&'static str>,
    person: Grants,
    agent: Grants,
    steps: Vec<Step>,
}

fn written(path: &str) -> Step {
    (Person, "write", json!({"path": path, "content": "SECRET of now\n", "backup": true}))
}

fn moved(who: Who, source: &str, destination: &str) -> Step {
    (who, "move", json!({"source": source, "destination": destination, "overwrite": true}))
}

fn cases() -> Vec<Case> {
    let one = |name, steps| Case { name, file: Some("q/d/x"), person: ONE, agent: ONE, steps };
    vec![
        one("a file", vec![written("d/x"), moved(Person, "d/x", "sec/x")]),
        one("by another name", vec![written("d/x"), moved(Person, "d/x", "y"), moved(Person, "y", "sec/x")]),
        one(
            "with its directory",
            vec![
                written("d/x"),
                (Person, "move", json!({"source": "d", "destination": "sec/d", "recursive": true})),
                (Agent, "create", json!({"path": "d/x", "content": "z", "parents": true})),
            ],
        ),
        one(
            "the agent has put something in its place meanwhile, and taken that back",
            vec![
                written("d/x"),
                moved(Agent, "other", "d/x"),
                (Agent, "undo", json!({"id": "$2"})),
                moved(Person, "d/x", "sec/x"),
            ],
        ),
        one(
            "it was deleted, something else had its name and went, and it came back",
            vec![
                written("d/x"),
                (Person, "delete", json!({"path": "d/x"})),
                (Agent, "create", json!({"path": "d/x", "content": "z"})),
                moved(Agent, "d/x", "dummy"),
                (Person, "undo", json!({"id": "$2"})),
                moved(Person, "d/x", "sec/x"),
            ],
        ),
        one(
            "the agent forgets how it went first",
            vec![
                written("d/x"),
                moved(Person, "d/x", "y"),
                moved(Person, "y", "sec/x"),
                (Agent, "forget", json!({"id": "$2"})),
                (Agent, "forget", json!({"path": "y"})),
            ],
        ),
        Case {
            file: None,
            ..one(
                "what was created, and the agent forgets how it went first",
                vec![
                    (Person, "create", json!({"path": "d/y", "content": "SECRET of now\n"})),
                    moved(Person, "d/y", "y"),
                    moved(Person, "y", "sec/x"),
                    (Agent, "forget", json!({"id": "$2"})),
                    (Agent, "create", json!({"path": "d/y", "content": "z"})),
                ],
            )
        },
        one(
            "with other changes in one call",
            vec![
                written("d/x"),
                (
                    Person,
                    "apply",
                    json!({"patch": "diff --git a/d/x b/sec/x\nsimilarity index 100%\nrename from d/x\n\
                        rename to sec/x\ndiff --git a/other b/other\n--- a/other\n+++ b/other\n@@ -1 +1 @@\n-other\n+new\n"}),
                ),
            ],
        ),
        Case {
            file: None,
            ..one(
                "what was created, when something else has had the name since its directory went",
                vec![
                    (Person, "create", json!({"path": "d/x", "content": "SECRET of now\n"})),
                    (Agent, "move", json!({"source": "d", "destination": "e", "recursive": true})),
                    (Agent, "create", json!({"path": "d/x", "content": "z", "parents": true})),
                    moved(Agent, "d/x", "dummy"),
                    moved(Person, "e/x", "sec/x"),
                ],
            )
        },
        Case {
            file: None,
            ..one(
                "what was created with its directories, with one of those",
                vec![
                    (
                        Person,
                        "create",
                        json!({"path": "d/s/x", "content": "SECRET of now\n", "parents": true}),
                    ),
                    (Person, "move", json!({"source": "d/s", "destination": "sec/s", "recursive": true})),
                    (Agent, "create", json!({"path": "d/s/x", "content": "z", "parents": true})),
                ],
            )
        },
        Case {
            file: None,
            ..one(
                "what was created with its directories, of which one went, and that is to be forgotten",
                vec![
                    (
                        Person,
                        "create",
                        json!({"path": "k/s/x", "content": "SECRET of now\n", "parents": true}),
                    ),
                    (Person, "move", json!({"source": "k", "destination": "e", "recursive": true})),
                    moved(Person, "e/s/x", "sec/x"),
                    (Agent, "forget", json!({"id": "$2"})),
                    (Agent, "create", json!({"path": "k/s/x", "content": "z", "parents": true})),
                ],
            )
        },
        one(
            "something has a name that folds to the same",
            vec![
                written("d/x"),
                (Agent, "create", json!({"path": "d/X", "content": "z"})),
                moved(Person, "d/x", "sec/x"),
            ],
        ),
        one(
            "there and back by a name that something else had, which left no record",
            vec![
                written("d/x"),
                (Agent, "create", json!({"path": "t/x", "content": "z", "parents": true})),
                (Agent, "delete", json!({"path": "t/x", "keep": false})),
                moved(Person, "d/x", "t/x"),
                moved(Person, "t/x", "d/x"),
                moved(Person, "d/x", "sec/x"),
            ],
        ),
        one(
            "there and back by a name of something else, of which it is forgotten how it went",
            vec![
                written("d/x"),
                (Agent, "create", json!({"path": "t/x", "content": "z", "parents": true})),
                moved(Agent, "t/x", "t/j"),
                (Agent, "forget", json!({"id": "$3"})),
                moved(Person, "d/x", "t/x"),
                moved(Person, "t/x", "d/x"),
                moved(Person, "d/x", "sec/x"),
            ],
        ),
        one(
            "by a name of something that was made and taken back",
            vec![
                written("d/x"),
                (Person, "create", json!({"path": "t/x", "content": "z", "parents": true})),
                (Person, "undo", json!({"id": "$2"})),
                (Person, "move", json!({"source": "d/x", "destination": "t/x", "parents": true})),
                moved(Person, "t/x", "sec/x"),
            ],
        ),
        one(
            "with a directory that was made for it, when its place there is somebody else's",
            vec![
                written("d/x"),
                (Person, "move", json!({"source": "d/x", "destination": "m/x", "parents": true})),
                (Agent, "move", json!({"source": "m", "destination": "n", "recursive": true})),
                (Agent, "create", json!({"path": "m/x/y", "content": "z", "parents": true})),
                (Agent, "move", json!({"source": "m/x", "destination": "dummy", "recursive": true})),
                (Person, "move", json!({"source": "n", "destination": "sec/n", "recursive": true})),
            ],
        ),
        one(
            "it left a directory that was moved after that",
            vec![
                written("d/x"),
                (Person, "move", json!({"source": "d", "destination": "m", "recursive": true})),
                moved(Person, "m/x", "sec/x"),
                (Agent, "move", json!({"source": "m", "destination": "d", "recursive": true})),
            ],
        ),
        one(
            "it is forgotten how it came into the directory",
            vec![
                written("d/x"),
                (Person, "move", json!({"source": "d/x", "destination": "m/x", "parents": true})),
                (Agent, "forget", json!({"id": "$2"})),
                (Person, "move", json!({"source": "m", "destination": "sec/m", "recursive": true})),
            ],
        ),
        Case {
            name: "with its directory, when a way to another grant was taken back",
            file: Some("q/a/d/x"),
            person: TWO,
            agent: TWO,
            steps: vec![
                written("/a/d/x"),
                moved(Agent, "/a/d/x", "/b/x"),
                (Agent, "undo", json!({"id": "$2"})),
                (
                    Person,
                    "move",
                    json!({"source": "/a/d", "destination": "/a/sec/d", "recursive": true, "parents": true}),
                ),
            ],
        },
        Case {
            name: "by itself, when a way to another grant was taken back",
            file: Some("q/a/d/x"),
            person: TWO,
            agent: TWO,
            steps: vec![
                written("/a/d/x"),
                moved(Agent, "/a/d/x", "/b/x"),
                (Agent, "undo", json!({"id": "$2"})),
                (Person, "move", json!({"source": "/a/d/x", "destination": "/a/sec/x", "parents": true})),
            ],
        },
        Case {
            name: "from a directory in another grant that has moved to and fro",
            file: Some("q/a/d/x"),
            person: TWO,
            agent: TWO,
            steps: vec![
                written("/a/d/x"),
                moved(Person, "/a/d/x", "/b/n/x"),
                (Agent, "move", json!({"source": "/b/n", "destination": "/b/k", "recursive": true})),
                moved(Person, "/b/k/x", "/b/sec/x"),
                (Agent, "move", json!({"source": "/b/k", "destination": "/b/n", "recursive": true})),
            ],
        },
        one(
            "with its directory, which came back without it",
            vec![
                written("d/x"),
                (Person, "move", json!({"source": "d", "destination": "sec/d", "recursive": true})),
                moved(Person, "sec/d/x", "sec/z"),
                (Person, "undo", json!({"id": "$2"})),
            ],
        ),
        one(
            "with its directory, which came back when it had been deleted",
            vec![
                written("d/x"),
                (Person, "move", json!({"source": "d", "destination": "sec/d", "recursive": true})),
                (Person, "delete", json!({"path": "sec/d/x"})),
                (Person, "undo", json!({"id": "$2"})),
                (Person, "create_directory", json!({"path": "sec/d"})),
                (Person, "undo", json!({"id": "$3"})),
            ],
        ),
        Case {
            name: "to another grant, taken back, and done again",
            file: Some("q/a/d/x"),
            person: TWO,
            agent: TWO,
            steps: vec![
                written("/a/d/x"),
                moved(Person, "/a/d/x", "/b/sec/x"),
                (Person, "undo", json!({"id": "$2"})),
                (Person, "redo", json!({"id": "$3"})),
            ],
        },
        Case {
            name: "by a narrower gate, whose directory is made anew without a record",
            file: Some("q/d/x"),
            person: PARTS,
            agent: WHOLE,
            steps: vec![
                written("/w/d/x"),
                moved(Person, "/w/d/x", "/w/sec/x"),
                (Agent, "delete_directory", json!({"path": "/w/d", "recursive": true, "keep": false})),
                (Agent, "create_directory", json!({"path": "/w/d"})),
            ],
        },
        Case {
            name: "to another grant, and on from there, when something else has had the name",
            file: Some("q/a/d/x"),
            person: TWO,
            agent: TWO,
            steps: vec![
                written("/a/d/x"),
                moved(Person, "/a/d/x", "/b/n/x"),
                (Agent, "move", json!({"source": "/b/n", "destination": "/b/e", "recursive": true})),
                (Agent, "create", json!({"path": "/b/n/x", "content": "z", "parents": true})),
                moved(Agent, "/b/n/x", "/b/dummy"),
                moved(Person, "/b/e/x", "/b/sec/x"),
            ],
        },
        Case {
            name: "to another grant, into a directory that is made, and with that",
            file: Some("q/a/d/x"),
            person: TWO,
            agent: TWO,
            steps: vec![
                written("/a/d/x"),
                (Person, "move", json!({"source": "/a/d/x", "destination": "/b/m/x", "parents": true})),
                (Person, "move", json!({"source": "/b/m", "destination": "/b/sec/m", "recursive": true})),
            ],
        },
        Case {
            name: "to another grant",
            file: Some("q/a/d/x"),
            person: TWO,
            agent: TWO,
            steps: vec![written("/a/d/x"), moved(Person, "/a/d/x", "/b/sec/x")],
        },
        Case {
            name: "to another grant, which the agent has not",
            file: Some("q/a/d/x"),
            person: TWO,
            agent: FIRST,
            steps: vec![written("/a/d/x"), moved(Person, "/a/d/x", "/b/sec/x")],
        },
        Case {
            name: "by another name of its directory",
            file: Some("q/in/x"),
            person: NESTED,
            agent: NESTED,
            steps: vec![written("/n/x"), moved(Person, "/w/in/x", "/w/sec/x")],
        },
        Case {
            name: "by another name of its directory, twice",
            file: Some("q/in/x"),
            person: NESTED,
            agent: NESTED,
            steps: vec![
                written("/w/in/x"),
                moved(Person, "/n/x", "/n/y"),
                moved(Person, "/w/in/y", "/w/sec/x"),
            ],
        },
        Case {
            name: "written by a gate to its directory alone",
            file: Some("q/in/x"),
            person: INNER,
            agent: NESTED,
            steps: vec![written("/n/x"), moved(Person, "/n/x", "/n/sec/x")],
        },
        Case {
            name: "its directory is made anew by a gate that is narrower",
            file: Some("q/in/d/x"),
            person: ONE,
            agent: NARROW,
            steps: vec![
                written("in/d/x"),
                moved(Person, "in/d/x", "in/sec/x"),
                (Agent, "delete_directory", json!({"path": "d"})),
                (Agent, "create_directory", json!({"path": "d"})),
            ],
        },
        Case {
            name: "made with its directory, which a narrower gate has moved away",
            file: None,
            person: ONE,
            agent: NARROW,
            steps: vec![
                (
                    Person,
                    "create",
                    json!({"path": "in/made/x", "content": "SECRET of now\n", "parents": true}),
                ),
                moved(Person, "in/made/x", "in/sec/x"),
                (Agent, "move", json!({"source": "made", "destination": "e", "recursive": true})),
                (Agent, "create", json!({"path": "made/x", "content": "z", "parents": true})),
            ],
        },
    ]
}

/// The call with the ids of earlier ones in it.
fn filled(arguments: &Value, ids: &[Value]) -> Value {
    let mut arguments = arguments.clone();
    if let Some(number) = arguments["id"].as_str().and_then(|id| id.strip_prefix('$')) {
        arguments["id"] = ids[number.parse::<usize>().unwrap() - 1].clone();
        arguments["any_session"] = json!(true);
    }
    arguments
}

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
        let session = if *who == Person { &person } else { &agent };
        let mut arguments = filled(arguments, &ids);
        if *tool == "forget" {
            arguments.as_object_mut().unwrap().remove("any_session");
        }
        let outcome =
            called(session, tool, &arguments).unwrap_or_else(|error| panic!("{about}: {tool}: {error}"));
        ids.push(outcome["undo_id"].clone());
        if *who == Person && ["write", "create"].contains(tool) {
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
    ] {
        let refused = called(&agent, tool, &arguments).expect_err(&about);
        // Not because of what is there now: that would tell what was.
        assert!(refused["code"] != "undo_conflict", "{about}: {tool}: {refused}");
    }
    // Nor that which has taken it away brings it back.
    for id in &ids[1..] {
        let _ = called(&agent, "restore", &json!({"id": id, "any_session": true}));
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

/// Somebody with these grants and rules.
fn of(shared: &Shared, grants: Grants, policy: &Value) -> Session<Memory> {
    let grants: Vec<_> = grants.iter().map(|(name, path)| (*name, *path, Access::Write)).collect();
    shared.gate(&grants, Some(&policy.to_string()))
}

/// What a person did, call by call, before an agent asks for the first of them: its content comes back only where `is_told`.
fn asked(policy: &Value, steps: &[Step], is_told: bool) {
    let shared = Shared::new();
    shared.disk.put("q/d/x.txt", Item::File(b"one\n".to_vec()));
    shared.disk.put("q/sec", Item::Directory);
    let person = of(&shared, ONE, &json!({"profile": "open"}));
    let agent = of(&shared, ONE, policy);
    let mut ids = Vec::new();
    for (_, tool, arguments) in [&[written("d/x.txt")], steps].concat() {
        ids.push(called(&person, tool, &filled(&arguments, &ids)).unwrap()["undo_id"].clone());
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
    let denied =
        json!({"profile": "open", "rules": [{"name": "guarded", "paths": ["sec/"], "effect": "denied"}]});
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
    let moved_directory = |to| {
        vec![
            (Person, "create", json!({"path": "e/y.txt", "content": "y\n", "parents": true})),
            (Person, "move", json!({"source": "e", "destination": to, "recursive": true, "parents": true})),
        ]
    };
    let denied = |paths: &[&str], unless: &[&str]| json!({"profile": "open", "rules": [{"name": "r", "paths": paths, "unless": unless, "effect": "denied"}]});
    let regex = |regex: &str| json!({"profile": "open", "rules": [{"name": "r", "regex": [regex], "effect": "hidden"}]});
    let steps = moved_directory("f");
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

/// Contents are judged by what they are: of what may have been a key nothing is told, nor of what has its name.
#[test]
fn what_may_have_been_a_key_has_no_tag() {
    const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n";
    let anew = || (Agent, "create", json!({"path": "d/k", "content": "z", "parents": true}));
    let created = |content: &str| {
        vec![
            (Person, "create", json!({"path": "d/k", "content": content})),
            (Person, "append", json!({"path": "d/k", "content": "-----END PRIVATE KEY-----\n"})),
        ]
    };
    let cases = [
        vec![(Agent, "move", json!({"source": "d", "destination": "e", "recursive": true})), anew()],
        vec![(Agent, "delete_directory", json!({"path": "d", "recursive": true})), anew()],
        vec![(Agent, "delete", json!({"path": "d/k", "keep": false})), anew()],
        vec![moved(Agent, "d/k", "d/k2"), (Agent, "forget", json!({"id": "$3"})), anew()],
        vec![(Person, "write", json!({"path": "d/k", "content": "harmless"}))],
        vec![],
    ];
    for (content, case) in cases.iter().flat_map(|case| [(KEY, case), ("no key\n", case)]) {
        let shared = Shared::new();
        shared.disk.put("q/d", Item::Directory);
        let person = of(&shared, ONE, &json!({"profile": "open"}));
        let default = json!({"profile": "default"});
        let agent = of(&shared, ONE, &default);
        let (mut ids, mut tags) = (Vec::new(), Vec::new());
        for (who, tool, arguments) in created(content).iter().chain(case) {
            let session = if *who == Person { &person } else { &agent };
            let mut arguments = filled(arguments, &ids);
            if *tool == "forget" {
                arguments.as_object_mut().unwrap().remove("any_session");
            }
            let outcome = called(session, tool, &arguments).unwrap_or_else(|error| panic!("{tool}: {error}"));
            ids.push(outcome["undo_id"].clone());
            tags.push(outcome["etag"].clone());
        }
        let log = called(&of(&shared, ONE, &default), "log", &json!({"any_session": true})).unwrap();
        let tells = |tag: &Value| log.to_string().contains(tag.as_str().unwrap());
        assert!(content != KEY || !tags[..2].iter().any(tells), "{case:?}: {log}");
        // What is there now tells what it was before its last change.
        let told = |entry: &Value| entry["etag"].is_string() || entry["etag_before"].is_string();
        let told: Vec<_> = log["entries"].as_array().unwrap().iter().rev().take(2).map(told).collect();
        assert_eq!(told, [false, content != KEY && case.is_empty()], "{case:?}: {log}");
    }
}
