//! The choice in JSON, as a host asks for it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{choose_json, preopen_name};

/// A machine of directories, and its state root.
#[derive(Default)]
struct Host {
    /// Identities by path.
    directories: BTreeMap<String, String>,
    roots: BTreeMap<String, String>,
    states: BTreeSet<String>,
    /// The number of choices so far.
    choices: usize,
    /// The number of answers that asked for facts.
    looks: usize,
    /// True if an answer asked for every entry.
    saw_all: bool,
}

impl Host {
    fn make(&mut self, path: &str) {
        for at in 0..=path.matches('/').count() {
            let parts: Vec<_> = path.split('/').take(at + 1).collect();
            let inode = 10 + self.directories.len();
            let born = 1_700_000_000_000_000_000 + inode;
            self.directories.entry(parts.join("/")).or_insert(format!("5:{inode}:{born}"));
        }
    }

    /// The chosen states of a directory, after all that a host does for them.
    fn choose(&mut self, path: &str) -> (String, Vec<String>) {
        let parts: Vec<_> = path.split('/').collect();
        let around: Vec<_> = (1..=parts.len())
            .map(|length| parts[..length].join("/"))
            .map(|above| (format!("/{above}"), self.directories[&above].clone()))
            .collect();
        let mut request = json!({
            "grant": path,
            "around": around,
            "new_state": format!("{:032x}", 100 + self.choices),
            "now": format!("{}", 1_700_000_000_000_000_000_u64 + self.roots.len() as u64),
        });
        (self.choices, self.looks, self.saw_all) = (self.choices + 1, 0, false);
        let chosen = loop {
            let answer: Value = serde_json::from_str(&choose_json(&request.to_string())).unwrap();
            let Some(look) = answer.get("look") else { break answer["chosen"].clone() };
            self.looks += 1;
            assert!(self.looks < 5, "{look}");
            let names = |field: &str| -> Vec<String> { serde_json::from_value(look[field].clone()).unwrap() };
            for name in names("entries") {
                request["entries"][&name] = json!(self.roots.get(&name));
            }
            if look["all"] == json!(true) {
                self.saw_all = true;
                request["all"] = json!(true);
                for (name, text) in &self.roots {
                    request["entries"][name] = json!(text);
                }
            }
            for path in names("directories") {
                request["directories"][&path] = json!(self.directories.get(&path[1..]));
            }
            for state in names("states") {
                request["states"][&state] = json!(self.states.contains(&state));
            }
        };
        let state = chosen["state"].as_str().unwrap().to_owned();
        assert_eq!(chosen["preopen"], preopen_name(path));
        if chosen["make"].is_object() {
            assert_eq!(chosen["make"]["files"].as_array().unwrap().last().unwrap()[1], "format");
            self.states.insert(state.clone());
        }
        let write: Vec<(String, String)> = serde_json::from_value(chosen["write"].clone()).unwrap();
        self.roots.extend(write);
        if let Some(name) = chosen["remove"].as_str() {
            self.roots.remove(name);
        }
        (state, serde_json::from_value(chosen["retired"].clone()).unwrap())
    }
}

#[test]
fn a_directory_and_its_parts_share_a_state_in_any_order() {
    // Directories granted in turn, and the index of each one's state.
    for (granted, same) in [
        (&["r", "r"][..], &[0, 0][..]),
        (&["r", "r/a"], &[0, 0]),
        (&["r/a", "r"], &[0, 0]),
        (&["r/a", "r/b"], &[0, 1]),
        (&["r/a", "ra"], &[0, 1]),
        (&["r/a", "r/b", "r", "r/b", "r/a"], &[0, 1, 0, 0, 0]),
        (&["r/b", "r/a", "r", "r/b"], &[0, 1, 0, 0]),
    ] {
        let mut host = Host::default();
        let mut states: Vec<String> = Vec::new();
        for (name, expected) in granted.iter().zip(same) {
            host.make(name);
            let (state, retired) = host.choose(name);
            if !states.contains(&state) {
                states.push(state.clone());
            }
            assert_eq!(states.iter().position(|known| *known == state), Some(*expected), "{granted:?}");
            assert!(!retired.contains(&state));
        }
        assert_eq!(states.len(), host.states.len(), "{granted:?}");
    }
}

/// A registered root is found by its own entry, however many there are.
#[test]
fn a_known_root_needs_no_other_entry() {
    let mut host = Host::default();
    for name in ["r", "s/a", "t"] {
        host.make(name);
        host.choose(name);
        assert!(host.saw_all, "it is registered");
    }
    for name in ["r", "s/a", "t"] {
        host.choose(name);
        assert!(!host.saw_all && host.looks == 2, "{}", host.looks);
    }
}

#[test]
fn a_root_is_found_after_it_moved_and_on_another_device() {
    let mut host = Host::default();
    host.make("old");
    let state = host.choose("old");
    let identity = host.directories.remove("old").unwrap();
    host.directories.insert("new".to_owned(), identity.clone());
    assert_eq!(host.choose("new"), state);
    assert!(host.roots.values().all(|text| text.contains("/new")), "{:?}", host.roots);
    host.directories.insert("new".to_owned(), identity.replacen("5:", "6:", 1));
    assert_eq!(host.choose("new"), state);
    assert_eq!(host.roots.len(), 1, "the old number is gone");
    // An inode that is used again.
    host.directories.insert("new".to_owned(), identity.replacen("5:", "6:", 1) + "0");
    assert_ne!(host.choose("new"), state);
}

#[test]
fn an_entry_of_a_state_that_is_not_sound_counts_as_none() {
    let mut host = Host::default();
    host.make("r");
    let before = host.choose("r");
    host.states.clear();
    assert_ne!(host.choose("r").0, before.0);
    for text in ["", "{}", "null", "[", &"9".repeat(1000)] {
        host.roots.values_mut().for_each(|entry| text.clone_into(entry));
        host.choose("r");
    }
}

#[test]
fn a_request_that_has_no_meaning_is_refused() {
    let id = "0".repeat(32);
    for (request, word) in [
        ("", "EOF"),
        ("{}", "`grant` is missing"),
        (&json!({"grant": "r", "around": [], "new_state": id, "now": "1"}).to_string(), "one directory"),
        (&json!({"grant": "r", "around": [["/r", "x"]], "new_state": id, "now": "1"}).to_string(), "number"),
        (
            &json!({"grant": "r", "around": [["/r", "1:2:3:4"]], "new_state": id, "now": "1"}).to_string(),
            "number",
        ),
        (
            &json!({"grant": "r", "around": [["/r", "1:2"]], "new_state": id, "now": "soon"}).to_string(),
            "number",
        ),
        (&json!({"grant": "r", "around": [["/r", "1:2"]], "new_state": "..", "now": "1"}).to_string(), "hex"),
    ] {
        // Without a directory, no entry can help.
        let request = request.replace(r#""around":[]"#, r#""all":true,"around":[]"#);
        let answer: Value = serde_json::from_str(&choose_json(&request)).unwrap();
        assert!(answer["refused"].as_str().unwrap().contains(word), "{request}: {answer}");
    }
}
