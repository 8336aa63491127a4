//! The entries of other sessions that a session sees: completely, or only their id and time.

use std::rc::Rc;

use serde_json::{Value, json};

use super::called;
use super::shared::Shared;
use crate::session::Session;
use fsgate_contract::limits::{SCOPE_BYTES, SCOPE_GRANTS};
use fsgate_journal::{Check, RemovalCause, Writer};
use fsgate_volume::memory::{Item, Memory};
use fsgate_volume::{Access, Volume};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Seen {
    Shown,
    Hidden,
    Absent,
}

use Seen::{Absent, Hidden, Shown};

const WHOLE: &[(&str, &str, Access)] = &[("/w", "q", Access::Write)];
const RENAMED: &[(&str, &str, Access)] = &[("/x", "q", Access::Write)];
const READ: &[(&str, &str, Access)] = &[("/w", "q", Access::Read)];
const INNER: &[(&str, &str, Access)] = &[("/w/in", "q/in", Access::Write)];
const BESIDE: &[(&str, &str, Access)] = &[("/w/d", "q/d", Access::Write)];
const COVERED: &[(&str, &str, Access)] = &[("/w", "q", Access::Write), ("/w/d", "p/b", Access::Write)];

const OPEN: (&str, &str) = ("FSGATE_POLICY", r#"{"profile": "open"}"#);
const READ_ONLY: (&str, &str) = (
    "FSGATE_POLICY",
    r#"{"profile": "open", "rules": [{"name": "r", "paths": ["never"], "effect": "read_only"}]}"#,
);
const DENIED: (&str, &str) = (
    "FSGATE_POLICY",
    r#"{"profile": "open", "rules": [{"name": "r", "paths": ["never"], "effect": "denied"}]}"#,
);
const ALSO_DENIED: (&str, &str) = (
    "FSGATE_POLICY",
    r#"[{"profile": "open", "rules": [{"name": "s", "paths": ["never"], "effect": "denied"}]}, {}]"#,
);
const ELSEWHERE_DENIED: (&str, &str) = (
    "FSGATE_POLICY",
    r#"{"profile": "open", "rules": [{"name": "r", "paths": ["ever"], "effect": "denied"}]}"#,
);
const ITS_FILE_HIDDEN: (&str, &str) = (
    "FSGATE_POLICY",
    r#"{"profile": "open", "rules": [{"name": "r", "paths": ["PLAN"], "effect": "hidden"}]}"#,
);
const SESSION: (&str, &str) = ("FSGATE_SESSION", "0123456789abcdef0123456789abcdef");
const BORN_BEFORE: (&str, &str) = ("FSGATE_BIRTHS", r#"{"/w": 0, "/other": 9}"#);
const BORN_SINCE: (&str, &str) = ("FSGATE_BIRTHS", r#"{"w/": 9000000000000}"#);
const OPERATOR: (&str, &str) = ("FSGATE_OPERATOR", "true");

fn shared() -> Shared {
    let shared = Shared::new();
    shared.disk.put("q/in/PLAN", Item::File(b"OLD CONTENT\n".to_vec()));
    shared.disk.put("q/d/x", Item::File(b"x\n".to_vec()));
    shared
}

/// Changes a file. Returns the id of the entry and the tags of the file.
fn changed(session: &Session<Memory>, path: &str) -> (Value, [String; 2]) {
    let outcome = called(session, "write", &json!({"path": path, "content": "NEW CONTENT\n"})).unwrap();
    let tag = |field: &str| outcome[field].as_str().unwrap().to_owned();
    (outcome["undo_id"].clone(), ["etag", "etag_before"].map(tag))
}

/// The part of an entry that a session sees, by all tools of the history.
fn seen(shared: &Shared, session: &Session<Memory>, id: &Value, tags: &[String], about: &str) -> Seen {
    let before = shared.disk.at("q").snapshot();
    let log = called(session, "log", &json!({"any_session": true, "diff": true})).unwrap();
    let entries = log["entries"].as_array().unwrap();
    let entry = entries.iter().find(|entry| entry["undo_id"] == *id);
    let Some(entry) = entry.filter(|entry| entry["hidden"] == true) else {
        return if entry.is_some() { Shown } else { Absent };
    };
    let expected = json!({
        "undo_id": id, "time": entry["time"], "tool": "", "own": false, "paths": [], "changes": 0,
        "bytes": 0, "undone": false, "hidden": true,
    });
    assert_eq!(*entry, expected, "{about}");

    let mut told = log.to_string();
    let refused = "made under other rules or grants";
    for (tool, arguments, code) in [
        ("undo", json!({"id": id, "any_session": true}), "nothing_to_undo"),
        ("undo", json!({"id": id, "any_session": true, "dry_run": true, "diff": true}), "nothing_to_undo"),
        ("redo", json!({"id": id, "any_session": true}), "nothing_to_undo"),
        ("restore", json!({"id": id, "any_session": true}), "nothing_to_undo"),
        ("restore", json!({"id": id, "any_session": true, "force": true}), "nothing_to_undo"),
        ("undo", json!({"any_session": true}), "nothing_to_undo"),
        ("redo", json!({"any_session": true}), "nothing_to_undo"),
    ] {
        let error = called(session, tool, &arguments).unwrap_err().to_string();
        assert!(error.contains(&format!(r#""code":"{code}""#)), "{about}: {tool} {arguments}: {error}");
        assert_eq!(error.contains(refused), arguments["id"] == *id, "{about}: {tool} {arguments}: {error}");
        told += &error;
    }
    for (arguments, notes) in [
        (json!({"id": id}), 1),
        (json!({"everything": true}), 1),
        // A note would reveal the path of a hidden entry.
        (json!({"path": "/w/in/PLAN"}), 0),
    ] {
        let Ok(forgotten) = called(session, "forget", &arguments) else { continue };
        assert_eq!(forgotten["forgotten"], 0, "{about}: {arguments}");
        let noted = forgotten["notes"].as_array().map_or(0, Vec::len);
        assert_eq!(noted, notes, "{about}: {arguments}: {forgotten}");
        told += &forgotten.to_string();
    }
    let of_path = called(session, "log", &json!({"any_session": true, "path": "/w"}));
    told += &of_path.unwrap_or_else(|error| error).to_string();
    told += &called(session, "recover", &json!({"all": true})).unwrap().to_string();
    let words = ["PLAN", "OLD", "NEW"].into_iter().chain(tags.iter().map(String::as_str));
    for word in words {
        assert!(!told.contains(word), "{about}: {word}: {told}");
    }
    assert_eq!(shared.disk.at("q").snapshot(), before, "{about}");
    Hidden
}

#[test]
fn an_entry_is_seen_by_its_rules_and_grants() {
    type Side<'a> = (&'a [(&'a str, &'a str, Access)], &'a [(&'a str, &'a str)]);
    let made: Side = (WHOLE, &[DENIED]);
    let cases: &[(&str, Side, Side, Seen)] = &[
        ("the same rules and grants", made, (WHOLE, &[DENIED]), Shown),
        ("the same rules, written in another way", made, (WHOLE, &[ALSO_DENIED]), Shown),
        ("other rules", made, (WHOLE, &[ELSEWHERE_DENIED]), Hidden),
        ("the default rules", made, (WHOLE, &[]), Hidden),
        ("the same rules, another name", made, (RENAMED, &[DENIED]), Hidden),
        ("the same rules, another access", made, (READ, &[DENIED]), Hidden),
        ("the same rules, a part", made, (INNER, &[DENIED]), Hidden),
        ("the same rules, more", (INNER, &[DENIED]), (WHOLE, &[DENIED]), Hidden),
        ("no rules", made, (WHOLE, &[OPEN]), Shown),
        ("no rules against reading", made, (WHOLE, &[READ_ONLY]), Shown),
        ("no rules, another name", (WHOLE, &[OPEN]), (RENAMED, &[OPEN]), Shown),
        ("no rules, reading", made, (READ, &[OPEN]), Shown),
        ("no rules, around it", (INNER, &[DENIED]), (WHOLE, &[OPEN]), Shown),
        ("no rules, a part", made, (INNER, &[OPEN]), Hidden),
        ("no rules, beside it", made, (BESIDE, &[OPEN]), Absent),
        ("no rules, a part of it covered", made, (COVERED, &[OPEN]), Hidden),
        ("rules that hide its file", (WHOLE, &[OPEN]), (WHOLE, &[ITS_FILE_HIDDEN]), Absent),
        ("made without rules", (WHOLE, &[OPEN]), (WHOLE, &[DENIED]), Hidden),
        ("its own", (WHOLE, &[OPEN, SESSION]), (INNER, &[DENIED, SESSION]), Shown),
        ("its own, hidden now", (WHOLE, &[OPEN, SESSION]), (WHOLE, &[ITS_FILE_HIDDEN, SESSION]), Absent),
        ("the operator", made, (WHOLE, &[ELSEWHERE_DENIED, OPERATOR]), Shown),
        ("the operator of a part", made, (INNER, &[ELSEWHERE_DENIED, OPERATOR]), Shown),
        ("the operator beside it", made, (BESIDE, &[OPERATOR]), Absent),
        ("a directory from before", made, (WHOLE, &[DENIED, BORN_BEFORE]), Shown),
        ("a younger directory, the same rules", made, (WHOLE, &[DENIED, BORN_SINCE]), Hidden),
        ("a younger directory, no rules", made, (WHOLE, &[OPEN, BORN_SINCE]), Hidden),
        ("a younger directory, its own", (WHOLE, &[SESSION]), (WHOLE, &[SESSION, BORN_SINCE]), Shown),
        ("a younger directory, the operator", made, (WHOLE, &[OPERATOR, BORN_SINCE]), Shown),
        ("an operator that is none", made, (WHOLE, &[("FSGATE_OPERATOR", "false")]), Hidden),
    ];
    for (about, (made_in, made_under), (asked_in, asked_under), expected) in cases {
        let shared = shared();
        let maker = shared.gate_with(made_in, made_under);
        let (id, tags) = changed(&maker, "/w/in/PLAN");
        let asker = shared.gate_with(asked_in, asked_under);
        assert_eq!(seen(&shared, &asker, &id, &tags, about), *expected, "{about}");
    }
}

/// An undo of a hidden entry is hidden as well.
#[test]
fn an_undo_of_a_hidden_entry_is_hidden() {
    let shared = shared();
    let maker = shared.gate_with(WHOLE, &[OPEN]);
    let (_, tags) = changed(&maker, "/w/in/PLAN");
    let undo = called(&maker, "undo", &json!({})).unwrap()["undo_id"].clone();
    let asker = shared.gate_with(WHOLE, &[DENIED]);
    assert_eq!(seen(&shared, &asker, &undo, &tags, "undo"), Hidden);
    called(&maker, "redo", &json!({})).unwrap();
}

/// Records of state format 2 do not have the rules under which they were made.
#[test]
fn an_entry_without_a_scope_is_of_another_policy() {
    for (variables, expected) in
        [(&[OPEN][..], Hidden), (&[OPEN, OPERATOR], Shown), (&[OPEN, SESSION], Shown)]
    {
        let shared = shared();
        let (id, tags) = changed(&shared.gate_with(WHOLE, &[OPEN, SESSION]), "/w/in/PLAN");
        let (state, number) = (shared.state(), id.as_str().unwrap().parse().unwrap());
        let mut stored = state.done(number, Check::Whole).unwrap().unwrap();
        let body = stored.read(&state.volume, 0, 1000).unwrap();
        stored.record.scope = None;
        let file = Rc::new(state.volume.create_file(&state.tmp, "record").unwrap());
        let mut writer = Writer::begin(&state.volume, file, 0, &stored.record, body.len() as u64).unwrap();
        writer.add(&body).unwrap();
        let stored = writer.end(stored.record, false).unwrap();
        state.forget(&[number].into(), &[], RemovalCause::Requested).unwrap();
        state.insert(&stored).unwrap();
        let asker = shared.gate_with(WHOLE, variables);
        assert_eq!(seen(&shared, &asker, &id, &tags, "no scope"), expected, "{variables:?}");
    }
}

/// With more grants, or longer names, than a record lists, only its digest counts.
#[test]
fn a_long_list_of_grants_is_compared_as_a_whole() {
    for (count, length, around) in
        [(SCOPE_GRANTS, 1, Shown), (SCOPE_GRANTS + 1, 1, Hidden), (3, SCOPE_BYTES / 2, Hidden)]
    {
        let shared = shared();
        let name = |n: usize| format!("/w/{}{n}", "g".repeat(length));
        let mut owned: Vec<_> = (1..count).map(|n| (name(n), format!("q/g{n}"))).collect();
        owned.push(("/w/in".to_owned(), "q/in".to_owned()));
        let grants: Vec<_> = owned.iter().map(|(name, path)| (&name[..], &path[..], Access::Write)).collect();
        let (id, tags) = changed(&shared.gate_with(&grants, &[OPEN]), "/w/in/PLAN");
        for (grants, expected) in [(&grants[..], Shown), (WHOLE, around)] {
            let asker = shared.gate_with(grants, &[OPEN]);
            assert_eq!(seen(&shared, &asker, &id, &tags, "many grants"), expected, "{count}");
        }
    }
}

/// `undo` and `redo` without an id skip hidden entries, and so does `undo` back to a place.
#[test]
fn a_hidden_entry_is_passed_over() {
    let shared = shared();
    let (maker, asker) = (shared.gate_with(WHOLE, &[OPEN]), shared.gate_with(WHOLE, &[DENIED]));
    called(&asker, "checkpoint", &json!({"label": "here"})).unwrap();
    called(&maker, "checkpoint", &json!({"label": "MILESTONE"})).unwrap();
    let log = called(&asker, "log", &json!({"any_session": true})).unwrap();
    assert!(log["entries"][0]["hidden"] == true && !log.to_string().contains("MILESTONE"), "{log}");
    let to = json!({"to": "MILESTONE", "any_session": true});
    assert_eq!(called(&asker, "undo", &to).unwrap_err()["code"], "unknown_id");
    called(&asker, "append", &json!({"path": "d/x", "content": "mine\n"})).unwrap();
    changed(&maker, "in/PLAN");
    let theirs = shared.disk.at("q").snapshot()["in/PLAN"].clone();
    let first = Item::File(b"x\n".to_vec());
    for (tool, arguments, is_first) in [
        ("undo", json!({"any_session": true}), true),
        ("redo", json!({"any_session": true}), false),
        ("undo", json!({"to": "here", "any_session": true}), true),
    ] {
        let outcome = called(&asker, tool, &arguments).unwrap();
        assert_eq!(outcome["paths"], json!(["/w/d/x"]), "{tool} {arguments}");
        let now = shared.disk.at("q").snapshot();
        assert_eq!((&now["in/PLAN"], now["d/x"] == first), (&theirs, is_first), "{tool} {arguments}");
    }
}

/// A trash entry of an own entry has the content of the last session that put it there.
#[test]
fn what_another_session_has_changed_meanwhile_does_not_come_out_of_the_trash() {
    let shared = shared();
    let (maker, asker) = (shared.gate_with(WHOLE, &[OPEN]), shared.gate_with(WHOLE, &[DENIED]));
    let deleted = called(&asker, "delete", &json!({"path": "d/x"})).unwrap()["undo_id"].clone();
    let back = called(&maker, "undo", &json!({"id": deleted, "any_session": true})).unwrap();
    called(&maker, "write", &json!({"path": "d/x", "content": "SECRET\n"})).unwrap();
    called(&maker, "undo", &json!({})).unwrap();
    called(&maker, "redo", &json!({"id": back["undo_id"]})).unwrap();
    for (tool, arguments) in [
        ("undo", json!({"id": deleted, "dry_run": true, "diff": true})),
        ("restore", json!({"id": deleted})),
        ("restore", json!({"id": deleted, "force": true})),
    ] {
        let refused = called(&asker, tool, &arguments).unwrap_err();
        let is_hidden = refused["message"].as_str().unwrap().contains("made under other rules or grants");
        assert!(is_hidden, "{tool} {arguments}: {refused}");
    }
    assert!(!shared.disk.at("q").snapshot().contains_key("d/x"));
    let operator = shared.gate_with(WHOLE, &[DENIED, OPERATOR]);
    called(&operator, "restore", &json!({"id": deleted, "any_session": true})).unwrap();
    assert!(shared.disk.at("q").snapshot().contains_key("d/x"));
}
