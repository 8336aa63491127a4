//! The policy of now decides about reading and writing, also for a session that sees every entry.

use serde_json::{Value, json};

use super::{OPERATOR, called, session};
use fsgate_contract::id::shown;
use fsgate_volume::memory::{Item, Memory};

/// The required and forbidden words of an answer, or the code of a refusal.
type Answer = Result<(&'static [&'static str], &'static [&'static str]), &'static str>;

struct Case {
    about: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// Calls of a session without rules.
    earlier: Vec<(&'static str, Value)>,
    policy: Value,
    tool: &'static str,
    /// An id `$1` stands for that of the first earlier call.
    arguments: Value,
    expected: Answer,
}

fn guarded(path: &str, effect: &str) -> Value {
    json!({"profile": "open", "rules": [{"name": "guarded", "paths": [path], "effect": effect}]})
}

fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write", json!({"path": path, "content": content, "backup": true}))
}

const TWO: &[(&str, &str)] = &[("secret", "OLD\n"), ("open", "one\n")];
const ELF: &str = "\u{7f}ELF\n";

fn cases() -> Vec<Case> {
    let both = || vec![write("open", "two\n"), write("secret", "NEW\n")];
    let at_once = || {
        let edits = json!([{"path": "secret", "content": "NEW\n"}, {"path": "open", "content": "two\n"}]);
        vec![("apply", json!({ "edits": edits }))]
    };
    let moved = |source: &str, to: &str| {
        ("move", json!({"source": source, "destination": to, "recursive": true, "parents": true}))
    };
    let led_away = || vec![write("open", "NEW\n"), moved("open", "d/secret")];
    let of_open = || json!({"id": "$1", "path": "open", "any_session": true, "diff": true});
    let log = || json!({"any_session": true, "diff": true});
    let of = |about, files, earlier, policy, tool, arguments, expected| Case {
        about,
        files,
        earlier,
        policy,
        tool,
        arguments,
        expected,
    };
    let (hidden, denied) = (|| guarded("secret", "hidden"), || guarded("secret", "denied"));
    let program = || json!({"profile": "open", "executables": "denied"});
    let undo = || json!({"any_session": true});
    let first = || json!({"id": "$1", "any_session": true, "dry_run": true, "diff": true});
    vec![
        of("hidden now", TWO, both(), hidden(), "log", log(), Ok((&["+two"], &["secret", "OLD", "NEW"]))),
        of("denied now", TWO, both(), denied(), "log", log(), Ok((&["+two", "/w/secret"], &["OLD", "NEW"]))),
        of("several files", TWO, at_once(), hidden(), "log", log(), Ok((&["+two"], &["secret", "NEW"]))),
        of(
            "was a program",
            &[("p", ELF)],
            vec![write("p", "t\n")],
            program(),
            "log",
            log(),
            Ok((&["/w/p"], &["ELF", "etag"])),
        ),
        of(
            "is a program",
            &[("p", "t\n")],
            vec![write("p", ELF)],
            program(),
            "log",
            log(),
            Ok((&["/w/p"], &["ELF", "etag"])),
        ),
        of(
            "another file has its name",
            &[("p", ELF)],
            vec![write("p", "SHORT\n"), moved("p", "q"), ("create", json!({"path": "p", "content": "z"}))],
            program(),
            "log",
            log(),
            Ok((&["+z"], &["ELF"])),
        ),
        of(
            "moved to where it is hidden",
            TWO,
            {
                vec![
                    write("open", "NEW\n"),
                    moved("open", "d/secret"),
                    ("create", json!({"path": "open", "content": "z"})),
                ]
            },
            hidden(),
            "log",
            log(),
            Ok((&["+z"], &["NEW", "d/secret"])),
        ),
        of(
            "moved to where it is denied",
            TWO,
            {
                vec![
                    write("open", "NEW\n"),
                    moved("open", "d/secret"),
                    ("create", json!({"path": "open", "content": "z"})),
                ]
            },
            denied(),
            "log",
            log(),
            Ok((&["+z"], &["NEW"])),
        ),
        of("hidden now", TWO, both(), hidden(), "undo", undo(), Ok((&["/w/open"], &["secret"]))),
        of("denied now", TWO, both(), denied(), "undo", undo(), Err("denied_by_policy")),
        of("several files", TWO, at_once(), hidden(), "undo", undo(), Err("denied_by_policy")),
        of(
            "a program",
            &[("p", ELF)],
            vec![write("p", "t\n")],
            program(),
            "undo",
            first(),
            Ok((&["/w/p"], &["ELF"])),
        ),
        of(
            "a directory",
            &[("d/secret", "x"), ("b", "b")],
            vec![("delete_directory", json!({"path": "d", "recursive": true}))],
            denied(),
            "undo",
            undo(),
            Err("denied_by_policy"),
        ),
        of(
            "moved to where it is denied",
            TWO,
            vec![write("open", "NEW\n"), moved("open", "d/secret")],
            denied(),
            "undo",
            json!({"id": "$2", "any_session": true}),
            Err("denied_by_policy"),
        ),
        of(
            "denied now",
            TWO,
            vec![write("secret", "NEW\n"), ("undo", json!({}))],
            denied(),
            "redo",
            undo(),
            Err("denied_by_policy"),
        ),
        of(
            "denied now",
            TWO,
            vec![write("secret", "NEW\n")],
            denied(),
            "restore",
            first(),
            Err("denied_by_policy"),
        ),
        of(
            "hidden now",
            TWO,
            vec![write("secret", "NEW\n")],
            hidden(),
            "restore",
            first(),
            Err("unknown_id"),
        ),
        of(
            "deleted, and its directory moved",
            &[("p/k/s", "SECRET"), ("p/k/o", "o")],
            vec![("delete", json!({"path": "p/k/s"})), moved("p/k", "k")],
            guarded("./p/k/s", "denied"),
            "restore",
            json!({"id": "$1", "path": "k/s", "any_session": true}),
            Err("invalid_argument"),
        ),
        of(
            "kept whole, and its directory moved",
            &[("p/k/s", "SECRET"), ("p/k/o", "o")],
            vec![write("p/k/s", "public"), ("delete", json!({"path": "p/k/s"})), moved("p/k", "k")],
            guarded("./p/k/s", "denied"),
            "restore",
            json!({"id": "$1", "path": "k/s", "any_session": true, "dry_run": true, "diff": true}),
            Err("invalid_argument"),
        ),
        // The policy of now judges the present path of a file as well as the recorded one.
        of("its tags", TWO, led_away(), denied(), "log", undo(), Ok((&["/w/open"], &["etag"]))),
        of("its tags", TWO, led_away(), hidden(), "log", undo(), Ok((&["/w/open"], &["etag", "secret"]))),
        of(
            "moved to where it is denied and deleted there",
            TWO,
            [led_away(), vec![("delete", json!({"path": "d/secret"}))]].concat(),
            denied(),
            "log",
            log(),
            Ok((&["/w/open"], &["NEW", "etag"])),
        ),
        of("moved", TWO, led_away(), denied(), "restore", of_open(), Err("denied_by_policy")),
        of("moved", TWO, led_away(), hidden(), "restore", of_open(), Err("denied_by_policy")),
        of(
            "another file has its name",
            TWO,
            [led_away(), vec![("create", json!({"path": "open", "content": "z"}))]].concat(),
            denied(),
            "restore",
            of_open(),
            Err("denied_by_policy"),
        ),
        of(
            "another file has its name",
            TWO,
            [led_away(), vec![("create", json!({"path": "open", "content": "z"}))]].concat(),
            denied(),
            "restore",
            json!({"id": "$1", "path": "open", "any_session": true, "force": true}),
            Err("denied_by_policy"),
        ),
        of(
            "moved and deleted",
            TWO,
            [led_away(), vec![("delete", json!({"path": "d/secret"}))]].concat(),
            denied(),
            "restore",
            of_open(),
            Err("denied_by_policy"),
        ),
        of(
            "its directory moved",
            &[("p/k/s", "SECRET")],
            vec![write("p/k/s", "public"), moved("p/k", "k")],
            guarded("./k/s", "denied"),
            "restore",
            json!({"id": "$1", "path": "p/k/s", "any_session": true, "diff": true}),
            Err("denied_by_policy"),
        ),
        of(
            "moved, and back under another name",
            TWO,
            [led_away(), vec![moved("d/secret", "e")]].concat(),
            denied(),
            "restore",
            of_open(),
            Ok((&["/w/open", "+one"], &[])),
        ),
        of(
            "deleted before another file was moved",
            TWO,
            [
                vec![write("open", "NEW\n"), ("delete", json!({"path": "open"}))],
                vec![("create", json!({"path": "open", "content": "z"})), moved("open", "d/secret")],
            ]
            .concat(),
            denied(),
            "restore",
            of_open(),
            Ok((&["/w/open", "+one"], &[])),
        ),
        of(
            "denied now",
            TWO,
            both(),
            denied(),
            "forget",
            json!({"everything": true}),
            Ok((&[r#""forgotten":1"#, "left_out"], &[])),
        ),
        of(
            "hidden now",
            TWO,
            both(),
            hidden(),
            "forget",
            json!({"everything": true}),
            Ok((&[r#""forgotten":1"#], &["left_out"])),
        ),
    ]
}

#[test]
fn the_operator_obeys_the_policy_of_now() {
    for Case { about, files, earlier, policy, tool, mut arguments, expected } in cases() {
        let (volume, state) = (Memory::default(), Memory::default());
        for (path, content) in files {
            volume.put(path, Item::File(content.as_bytes().to_vec()));
        }
        let first = session(&volume, &state, &[("FSGATE_POLICY", r#"{"profile": "open"}"#)]);
        let mut ids = Vec::new();
        for (tool, arguments) in &earlier {
            let outcome = called(&first, tool, arguments).unwrap_or_else(|error| panic!("{about}: {error}"));
            ids.push(outcome["undo_id"].clone());
        }
        if let Some(number) = arguments["id"].as_str().and_then(|id| id.strip_prefix('$')) {
            arguments["id"] = ids[number.parse::<usize>().unwrap() - 1].clone();
        }
        let operator = session(&volume, &state, &[("FSGATE_POLICY", &policy.to_string()), OPERATOR]);
        let before = volume.snapshot();
        let answer = called(&operator, tool, &arguments);
        match expected {
            Ok((has, lacks)) => {
                let text = answer.unwrap_or_else(|error| panic!("{about}, {tool}: {error}")).to_string();
                assert!(has.iter().all(|word| text.contains(word)), "{about}, {tool}: {has:?} {text}");
                assert!(!lacks.iter().any(|word| text.contains(word)), "{about}, {tool}: {lacks:?} {text}");
            }
            Err(code) => {
                let refused = answer.unwrap_err();
                assert_eq!(refused["code"], code, "{about}, {tool}: {refused}");
                assert!(!refused.to_string().contains("SECRET"), "{about}, {tool}: {refused}");
                assert_eq!(volume.snapshot(), before, "{about}, {tool}");
            }
        }
    }
}

#[test]
fn a_refused_undo_names_the_entry_and_a_way_on() {
    let (volume, state) = (Memory::default(), Memory::default());
    volume.put("a", Item::File(b"one\n".to_vec()));
    let first = session(&volume, &state, &[("FSGATE_POLICY", r#"{"except": ["environment_files"]}"#)]);
    let id = |(tool, arguments): (&str, Value)| called(&first, tool, &arguments).unwrap()["undo_id"].clone();
    let earlier = id(write("a", "two\n"));
    let of_secret = id(("create", json!({"path": ".env", "content": "KEY=1\n"})));
    let operator = session(&volume, &state, &[OPERATOR]);
    let refused = called(&operator, "undo", &json!({"any_session": true})).unwrap_err();
    assert_eq!(
        (&refused["code"], &refused["rule"]),
        (&"denied_by_policy".into(), &"environment_files".into())
    );
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains(shown(of_secret.as_str().unwrap())), "{message}");
    assert!(refused["repair"].as_str().unwrap().contains("an earlier entry by its `id`"), "{refused}");
    called(&operator, "undo", &json!({"any_session": true, "id": earlier})).unwrap();
}
