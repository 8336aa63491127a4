//! Entries outside a session's grants, in a state directory that several sessions share.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::called;
use crate::session::Session;
use fsgate_contract::id::shown;
use fsgate_journal::state::State;
use fsgate_volume::Access;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{Item, Memory};

pub(super) struct Shared {
    pub(super) disk: Memory,
    state: Memory,
}

impl Shared {
    pub(super) fn new() -> Self {
        let disk = Memory::default();
        for (path, text) in [
            ("p/a/customer/list.csv", "customers"),
            ("p/a/x", "of a"),
            ("p/b/x", "of b"),
            ("p/pub/x", "public"),
        ] {
            disk.put(path, Item::File(text.as_bytes().to_vec()));
        }
        Self { state: disk.at("state"), disk }
    }

    pub(super) fn apart() -> Self {
        Self { state: Memory::default(), ..Self::new() }
    }

    pub(super) fn gate(&self, grants: &[(&str, &str, Access)], policy: Option<&str>) -> Session<Memory> {
        let policy = policy.map(|policy| ("FSGATE_POLICY", policy));
        self.gate_with(grants, &policy.into_iter().collect::<Vec<_>>())
    }

    /// An operator's session, which sees entries of other grants and policies.
    pub(super) fn operator(&self, grants: &[(&str, &str, Access)], policy: Option<&str>) -> Session<Memory> {
        let policy = policy.map(|policy| ("FSGATE_POLICY", policy));
        self.gate_with(grants, &policy.into_iter().chain([("FSGATE_OPERATOR", "true")]).collect::<Vec<_>>())
    }

    pub(super) fn gate_with(
        &self,
        grants: &[(&str, &str, Access)],
        variables: &[(&str, &str)],
    ) -> Session<Memory> {
        let grant = |(name, path, access): &(&str, &str, Access)| Grant {
            name: (*name).to_owned(),
            volume: self.disk.at(path),
            access: *access,
        };
        let state = Grant { name: "/.fsgate".to_owned(), volume: self.state.clone(), access: Access::Write };
        let places = grants.iter().map(|(name, path, _)| ((*name).to_owned(), json!([format!("/{path}")])));
        let places = Value::Object(places.collect()).to_string();
        let settings = [("FSGATE_LOCK", "host"), ("FSGATE_POLICY_PATHS", &places)];
        Session::open_or_refuse(
            grants.iter().map(grant).chain([state]).collect(),
            settings.into_iter().chain(variables.iter().copied()),
        )
    }

    fn one(&self, name: &str, path: &str) -> Session<Memory> {
        self.operator(&[(name, path, Access::Write)], None)
    }

    pub(super) fn state(&self) -> State<Memory> {
        State::open(self.state.clone()).ok().unwrap()
    }
}

fn assert_absent(shared: &Shared, session: &Session<Memory>, ids: &[Value], words: &[&str]) {
    let (grants, state) = (shared.disk.at("p").snapshot(), shared.disk.at("state").snapshot());
    let mut told = String::new();
    for (tool, arguments, expected) in [
        ("undo", json!({"any_session": true}), "nothing_to_undo"),
        ("redo", json!({"any_session": true}), "nothing_to_undo"),
        ("undo", json!({"to": "label of a", "any_session": true}), "unknown_id"),
    ] {
        let refused = called(session, tool, &arguments).unwrap_err();
        assert_eq!(refused["code"], expected, "{tool} {arguments}");
    }
    for id in ids {
        for (tool, arguments) in [
            ("undo", json!({"id": id, "any_session": true})),
            ("undo", json!({"to": id, "any_session": true})),
            ("redo", json!({"id": id, "any_session": true})),
            ("restore", json!({"id": id, "any_session": true})),
            ("restore", json!({"id": id, "path": "customer/list.csv", "any_session": true})),
            ("forget", json!({"id": id})),
        ] {
            let refused = called(session, tool, &arguments).unwrap_err();
            assert_eq!(refused["code"], "unknown_id", "{tool} {arguments}");
            told += &refused.to_string();
        }
    }
    let log = called(session, "log", &json!({"any_session": true, "diff": true})).unwrap();
    assert_eq!(log["entries"], json!([]));
    for arguments in
        [json!({"everything": true}), json!({"before": "2999-01-01T00:00:00Z"}), json!({"path": "."})]
    {
        let forgotten = called(session, "forget", &arguments).unwrap();
        assert_eq!((&forgotten["forgotten"], &forgotten["bytes"]), (&json!(0), &json!(0)), "{arguments}");
        told += &forgotten.to_string();
    }
    told += &called(session, "recover", &json!({"all": true})).unwrap().to_string();
    assert!(!words.iter().any(|word| told.contains(word)), "{told}");
    assert_eq!(shared.disk.at("p").snapshot(), grants);
    let kept = |state: &BTreeMap<String, Item>| -> Vec<_> {
        let names = state.iter().filter(|(name, _)| name.starts_with("log") || name.starts_with("trash"));
        names.map(|(name, item)| (name.clone(), item.clone())).collect()
    };
    assert_eq!(kept(&shared.disk.at("state").snapshot()), kept(&state));
}

#[test]
fn what_was_changed_in_another_directory_of_the_same_name_is_not_there() {
    let shared = Shared::new();
    let first = shared.one("/w", "p/a");
    let ids = [
        ("write", json!({"path": "x", "content": "password"})),
        ("delete", json!({"path": "customer/list.csv"})),
        ("checkpoint", json!({"label": "label of a"})),
    ]
    .map(|(tool, arguments)| called(&first, tool, &arguments).unwrap()["undo_id"].clone());
    // Their place is free.
    shared.disk.put("p/b/customer", Item::Directory);
    assert_absent(&shared, &shared.one("/w", "p/b"), &ids, &["list.csv", "password", "label"]);
    let again = shared.one("/w", "p/a");
    let log = called(&again, "log", &json!({"any_session": true})).unwrap();
    assert_eq!(log["entries"].as_array().unwrap().len(), 3);
    called(&again, "undo", &json!({"id": ids[1], "any_session": true})).unwrap();
    assert_eq!(shared.disk.at("p/a").snapshot()["customer/list.csv"], Item::File(b"customers".to_vec()));
}

#[test]
fn what_lies_beside_a_granted_directory_is_not_there() {
    let shared = Shared::new();
    let completeness = shared.one("/w", "p");
    let ids = [
        ("create", json!({"path": "private/pw.txt", "content": "password"})),
        ("delete", json!({"path": "private/pw.txt"})),
        ("delete", json!({"path": "a/customer/list.csv"})),
    ]
    .map(|(tool, arguments)| called(&completeness, tool, &arguments).unwrap()["undo_id"].clone());
    for (name, path) in [("/w", "p/pub"), ("/w/pub", "p/pub"), ("/w/private", "p/pub"), ("/w/a", "p/b")] {
        assert_absent(&shared, &shared.one(name, path), &ids, &["pw.txt", "list.csv", "password"]);
    }
    // Its content exists under any name of the grant.
    for (name, path) in [("/w", "p/a"), ("/w/a", "p/a"), ("/else", "p/a")] {
        let gate = shared.one(name, path);
        let log = called(&gate, "log", &json!({"any_session": true})).unwrap();
        let entries = log["entries"].as_array().unwrap();
        let paths = json!([format!("{name}/customer/list.csv")]);
        assert!(entries.iter().all(|entry| entry["paths"] == paths), "{log}");
        assert_eq!(entries.last().unwrap()["undo_id"], ids[2]);
        called(&gate, "undo", &json!({"any_session": true})).unwrap();
        assert!(shared.disk.at("p/a").snapshot().contains_key("customer/list.csv"));
        called(&gate, "redo", &json!({})).unwrap();
    }
}

#[test]
fn a_change_of_which_a_part_lies_elsewhere_is_not_taken_back_and_tells_nothing_of_that() {
    let shared = Shared::new();
    let completeness = shared.one("/w", "p");
    let ids = [
        (
            "apply",
            json!({"edits": [
                {"path": "pub/x", "old": "public", "new": "open"},
                {"path": "a/x", "old": "of a", "new": "password"},
                {"path": "a/y", "content": "password"},
            ]}),
        ),
        ("move", json!({"source": "a/y", "destination": "pub/y"})),
    ]
    .map(|(tool, arguments)| called(&completeness, tool, &arguments).unwrap()["undo_id"].clone());
    let gate = shared.one("/pub", "p/pub");
    let found = shared.disk.at("p").snapshot();
    let mut told = String::new();
    for (arguments, entry, path) in [
        (json!({"any_session": true}), 1, "/pub/y"),
        (json!({"id": ids[0], "any_session": true}), 0, "/pub/x"),
        (json!({"id": ids[1], "any_session": true, "dry_run": true, "diff": true}), 1, "/pub/y"),
        (json!({"to": ids[0], "any_session": true}), 1, "/pub/y"),
    ] {
        let refused = called(&gate, "undo", &arguments).unwrap_err();
        assert_eq!(
            (&refused["code"], &refused["path"]),
            (&json!("not_granted"), &json!(path)),
            "{arguments}"
        );
        let message = refused["message"].as_str().unwrap();
        assert!(message.contains(shown(ids[entry].as_str().unwrap())), "{message}");
        told += &refused.to_string();
    }
    let log = called(&gate, "log", &json!({"any_session": true, "diff": true})).unwrap();
    assert_eq!(log["entries"][0]["paths"], json!(["/pub/y"]));
    let entry = &log["entries"][1];
    assert_eq!((&entry["paths"], &entry["changes"]), (&json!(["/pub/x"]), &json!(1)));
    let forgotten = called(&gate, "forget", &json!({"everything": true})).unwrap();
    assert_eq!((&forgotten["forgotten"], &forgotten["notes"][0]["kind"]), (&json!(0), &json!("left_out")));
    told += &(log.to_string() + &forgotten.to_string());
    assert!(!told.contains("/a/") && !told.contains("/w") && !told.contains("password"), "{told}");
    assert_eq!(shared.disk.at("p").snapshot(), found);
    called(&shared.one("/w", "p"), "undo", &json!({"to": ids[0], "any_session": true})).unwrap();
}

#[test]
fn only_what_may_be_changed_is_forgotten() {
    let rule = |effect| {
        let rule = json!({"name": "now", "paths": ["a/x"], "effect": effect});
        json!({"profile": "open", "rules": [rule]}).to_string()
    };
    let all = [("/p/a", "p/a", Access::Write), ("/p/b", "p/b", Access::Write)];
    for (a, policy) in [
        (Access::Read, None),
        (Access::Write, Some(rule("read_only"))),
        (Access::Write, Some(rule("denied"))),
        (Access::Write, Some(rule("append_only"))),
    ] {
        let shared = Shared::new();
        let first = shared.gate(&all, None);
        let one = called(&first, "write", &json!({"path": "/p/a/x", "content": "1"})).unwrap();
        called(&first, "write", &json!({"path": "/p/b/x", "content": "2"})).unwrap();
        let policy = policy.map(|policy| policy.replace("a/x", "/p/a/x"));
        let gate = shared.operator(&[("/p/a", "p/a", a), all[1]], policy.as_deref());
        let by_id = called(&gate, "forget", &json!({"id": one["undo_id"]})).unwrap();
        assert_eq!((&by_id["forgotten"], &by_id["notes"][0]["kind"]), (&json!(0), &json!("left_out")));
        let rest = called(&gate, "forget", &json!({"everything": true})).unwrap();
        assert_eq!(rest["forgotten"], 1, "{policy:?}");
        let log = called(&shared.gate(&all, None), "log", &json!({"any_session": true})).unwrap();
        assert_eq!(log["entries"].as_array().unwrap().len(), 1, "{policy:?}");
        assert_eq!(log["entries"][0]["paths"], json!(["/p/a/x"]), "{policy:?}");
    }
}

/// A session that may move a directory cannot choose the names by which its history is judged.
#[test]
fn a_directory_that_is_moved_to_other_names_takes_no_history_there() {
    let rule = |effect| {
        let rule = json!({"name": "guarded", "paths": ["./customer/list.csv"], "effect": effect});
        json!({"profile": "open", "rules": [rule]}).to_string()
    };
    // The second names lead from one grant to the place that the first ones lead to from the other.
    for (first, second, path, to) in [
        (("/w", "p"), ("/else", "p/a"), "a/customer/list.csv", "a/customer"),
        (("/w", "p"), ("/else", "p/a"), "a/customer/list.csv", "new"),
        (("/w", "p/a"), ("/w", "p"), "customer/list.csv", "customer"),
        (("/in", "p/a"), ("/w", "p"), "customer/list.csv", "customer"),
    ] {
        for effect in ["hidden", "denied"] {
            let shared = Shared::new();
            let completeness = shared.one(first.0, first.1);
            let ids = [
                ("write", json!({"path": path, "content": "password", "backup": true})),
                ("delete", json!({"path": path})),
            ]
            .map(|(tool, arguments)| called(&completeness, tool, &arguments).unwrap()["undo_id"].clone());
            let policy = rule(effect)
                .replace("./customer", if second.1 == "p" { "./a/customer" } else { "./customer" });
            let gate = shared.operator(&[(second.0, second.1, Access::Write)], Some(&policy));
            let source = if second.1 == "p" { "a/customer" } else { "customer" };
            let moved = json!({"source": source, "destination": to, "recursive": true, "parents": true});
            let moved = called(&gate, "move", &moved).unwrap()["undo_id"].clone();
            let about = format!("{first:?} {second:?} {to} {effect}");
            let log = called(&gate, "log", &json!({"any_session": true, "diff": true})).unwrap();
            let told = log.to_string();
            assert!(!told.contains("password") && !told.contains("customers"), "{about}: {log}");
            let listed: Vec<_> =
                log["entries"].as_array().unwrap().iter().map(|entry| &entry["undo_id"]).collect();
            assert!(effect == "denied" || listed == [&moved], "{about}: {log}");
            for id in &ids {
                for (tool, arguments) in [
                    ("undo", json!({"id": id, "any_session": true})),
                    ("restore", json!({"id": id, "any_session": true})),
                    ("restore", json!({"id": id, "path": format!("{to}/list.csv"), "any_session": true})),
                ] {
                    called(&gate, tool, &arguments).unwrap_err();
                }
            }
            assert!(!shared.disk.at("p").snapshot().keys().any(|name| name.ends_with("list.csv")), "{about}");
        }
    }
}

/// A grant under a name in another grant hides the content of that name there.
#[test]
fn behind_another_grant_nothing_is_found() {
    let shared = Shared::new();
    let completeness = shared.one("/w", "p");
    let id =
        called(&completeness, "write", &json!({"path": "a/x", "content": "new"})).unwrap()["undo_id"].clone();
    let both = [("/w", "p", Access::Write), ("/w/a", "p/b", Access::Write)];
    let refused = called(&shared.operator(&both, None), "undo", &json!({"id": id, "any_session": true}));
    assert_eq!(refused.unwrap_err()["code"], "unknown_id");
    let same = [("/w", "p", Access::Write), ("/w/a", "p/a", Access::Read)];
    let refused = called(&shared.operator(&same, None), "undo", &json!({"id": id, "any_session": true}));
    assert_eq!(refused.unwrap_err()["code"], "read_only");
}

/// A change under one name of a grant applies to the file under all its names.
#[test]
fn what_was_changed_by_one_name_is_found_by_all() {
    let grants = [
        ("/one", "p/a", Access::Write),
        ("/two", "p/a", Access::Write),
        ("/in", "p/a/customer", Access::Write),
        ("/r", "p/a", Access::Read),
    ];
    let files = [
        &["/one/x", "/two/x", "/r/x"][..],
        &["/one/customer/list.csv", "/two/customer/list.csv", "/in/list.csv", "/in"],
    ];
    for names in files {
        for written in names.iter().filter(|name| !name.starts_with("/r") && **name != "/in") {
            // The place of a directory with a name of its own is unknown here.
            for asked in names.iter().filter(|asked| asked.starts_with("/in") || !written.starts_with("/in"))
            {
                let about = format!("{written} by {asked}");
                let shared = Shared::new();
                let before = shared.disk.at("p").snapshot();
                let session = shared.gate(&grants, None);
                let call = |tool: &str, arguments: Value| called(&session, tool, &arguments).unwrap();
                let id = call("write", json!({"path": written, "content": "other"}))["undo_id"].clone();
                let log = call("log", json!({"path": asked}));
                assert_eq!(log["entries"].as_array().unwrap().len(), 1, "{about}");
                if !asked.starts_with("/r") && *asked != "/in" {
                    call("restore", json!({"id": id, "path": asked}));
                    assert!(shared.disk.at("p").snapshot() == before, "{about}");
                    call("delete", json!({"path": written}));
                    let log = call("log", json!({}));
                    call("restore", json!({"id": log["entries"][0]["undo_id"], "path": asked}));
                    assert!(shared.disk.at("p").snapshot() == before, "{about}");
                }
                let count = call("log", json!({}))["entries"].as_array().unwrap().len();
                let forgotten = call("forget", json!({"path": asked}));
                assert_eq!(forgotten["forgotten"], count, "{about}");
                assert_eq!(call("log", json!({}))["entries"], json!([]), "{about}");
            }
        }
    }
}
