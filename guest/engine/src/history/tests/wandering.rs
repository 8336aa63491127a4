//! Random calls of sessions with different policies. A session never sees another policy's entry,
//! nor content that only such entries have. `FSGATE_SOAK=1` runs a hundred times as many calls.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use super::called;
use super::shared::Shared;
use super::steps::{FIRST, Grants, INNER, NARROW, NESTED, ONE, PARTS, TWO, of};
use crate::session::Session;
use fsgate_volume::Access;
use fsgate_volume::memory::{Item, Memory};

#[derive(Debug, Clone, Copy)]
enum By {
    /// Without rules.
    Person,
    /// May not read `sec`.
    Agent,
    /// Without rules, over some of the present directories.
    Other(Index, Index),
}

use By::{Agent, Other, Person};

/// A call about some of the present files, directories and entries.
#[derive(Debug, Clone)]
enum Deed {
    Write(Index),
    Create(Index, &'static str),
    Move(Index, Index, &'static str),
    MoveDirectory(Index, Index, &'static str),
    Delete(Index),
    DeleteDirectory(Index, bool),
    CreateDirectory(Index, &'static str),
    Undo(Index),
    Redo(Index),
    /// Restores a path from an entry.
    Restore(Index, Index),
    Forget(Index),
}

fn deed() -> impl Strategy<Value = (By, Deed)> {
    let index = any::<Index>;
    let name = || select(&["x", "y", "X"][..]);
    let directory = || select(&["d", "e", "D"][..]);
    let deed = prop_oneof![
        3 => index().prop_map(Deed::Write),
        1 => (index(), name()).prop_map(|(into, name)| Deed::Create(into, name)),
        4 => (index(), index(), name()).prop_map(|(from, into, name)| Deed::Move(from, into, name)),
        4 => (index(), index(), directory()).prop_map(|(from, into, name)| Deed::MoveDirectory(from, into, name)),
        1 => index().prop_map(Deed::Delete),
        1 => (index(), any::<bool>()).prop_map(|(which, is_kept)| Deed::DeleteDirectory(which, is_kept)),
        1 => (index(), directory()).prop_map(|(into, name)| Deed::CreateDirectory(into, name)),
        4 => index().prop_map(Deed::Undo),
        2 => index().prop_map(Deed::Redo),
        1 => (index(), index()).prop_map(|(which, path)| Deed::Restore(which, path)),
        1 => index().prop_map(Deed::Forget),
    ];
    let other = (index(), index()).prop_map(|(one, another)| Other(one, another));
    (prop_oneof![4 => Just(Person), 2 => Just(Agent), 1 => other], deed)
}

const GRANTED: &[(Grants, Grants)] = &[
    (ONE, ONE),
    (TWO, TWO),
    (TWO, FIRST),
    (NESTED, NESTED),
    (INNER, NESTED),
    (ONE, NARROW),
    (ONE, DEEP),
    (PARTS, ONE),
];

const DEEP: Grants = &[("/v", "q/d")];

/// A file that identifies the directory that only the agent is granted.
const MARKER: &str = "here it is";

struct World {
    shared: Shared,
    person: (Grants, Session<Memory>),
    agent: (Vec<(&'static str, String)>, Session<Memory>),
    policy: Value,
    /// Others move the agent's directory.
    is_marked: bool,
    ids: Vec<Value>,
    /// The entries of sessions without rules.
    theirs: BTreeSet<String>,
    /// The calls, for the report of a failure.
    done: Vec<String>,
    /// The texts of sessions without rules, with their tags.
    written: BTreeMap<String, Value>,
    /// The texts that a call of the agent could have read.
    known: BTreeSet<String>,
}

impl World {
    fn new((person, agent): (Grants, Grants), policy: Value, apart: bool) -> Self {
        let shared = if apart { Shared::apart() } else { Shared::new() };
        for (number, directory) in ["d", "d/e", "a/d", "b/n", "in/d", "sec", "in/sec"].iter().enumerate() {
            let bytes = format!("file{number}. text{number}.\n").into_bytes();
            shared.disk.put(&format!("q/{directory}/x"), Item::File(bytes));
        }
        for directory in ["a/sec", "b/sec"] {
            shared.disk.put(&format!("q/{directory}"), Item::Directory);
        }
        let grants: Vec<_> = agent.iter().map(|(name, path)| (*name, (*path).to_owned())).collect();
        let moves = if let ([_], [(_, path)]) = (person, agent) {
            Some(path).filter(|path| **path != "q")
        } else {
            None
        };
        if let Some(path) = moves {
            shared.disk.put(&format!("{path}/{MARKER}"), Item::File(Vec::new()));
        }
        let session = (grants, of(&shared, agent, &policy));
        let person = (person, of(&shared, person, &json!({"profile": "open"})));
        let (ids, theirs, done, known) = Default::default();
        let written = (0..7).map(|number| (format!("text{number}."), Value::Null)).collect();
        let (agent, is_marked) = (session, moves.is_some());
        Self { shared, person, agent, policy, is_marked, ids, theirs, done, written, known }
    }

    fn snapshot(&self) -> BTreeMap<String, Item> {
        let items = self.shared.disk.at("q").snapshot();
        items.into_iter().map(|(path, item)| (format!("q/{path}"), item)).collect()
    }

    fn is_open(&self, path: &str) -> bool {
        let inside = |root: &str| path.strip_prefix(root)?.strip_prefix('/');
        self.agent
            .0
            .iter()
            .any(|(_, root)| inside(root).is_some_and(|rest| !rest.split('/').any(|name| name == "sec")))
    }

    /// A new session of the agent with the present paths of its directories.
    fn another_agent(&self) -> Session<Memory> {
        let grants: Vec<_> = self.agent.0.iter().map(|(name, path)| (*name, &path[..])).collect();
        of(&self.shared, &grants, &self.policy)
    }

    fn look(&mut self) {
        if let Some(path) = self.snapshot().keys().find_map(|path| path.strip_suffix(MARKER)) {
            self.agent.0[0].1 = path.trim_end_matches('/').to_owned();
        }
    }

    fn open_texts(&self) -> BTreeSet<String> {
        let open = self.snapshot().into_iter().filter(|(path, _)| self.is_open(path));
        let words = open.flat_map(|(_, item)| {
            let Item::File(bytes) = item else { return Vec::new() };
            let text = String::from_utf8_lossy(&bytes).into_owned();
            text.split_whitespace().map(str::to_owned).collect()
        });
        words.filter(|word| word.starts_with("text")).collect()
    }

    fn grants(&self, by: By) -> Vec<(String, String)> {
        let owned = |grants: Grants| {
            grants.iter().map(|(name, path)| ((*name).to_owned(), (*path).to_owned())).collect()
        };
        match by {
            Person => owned(self.person.0),
            Agent => self.agent.0.iter().map(|(name, path)| ((*name).to_owned(), path.clone())).collect(),
            Other(one, another) => {
                let all = self.directories(true);
                vec![("/x".to_owned(), one.get(&all).clone()), ("/s".to_owned(), another.get(&all).clone())]
            }
        }
    }

    /// One of the names of a path on the disk.
    fn name(&self, by: By, path: &str, which: Index) -> Option<String> {
        let grants = self.grants(by);
        let names = grants.iter().filter_map(|(name, root)| {
            let rest = path.strip_prefix(root.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("{name}{rest}"))
        });
        let names: Vec<String> = names.collect();
        (!names.is_empty()).then(|| which.get(&names).clone())
    }

    fn files(&self) -> Vec<String> {
        self.snapshot()
            .into_iter()
            .filter(|(path, item)| matches!(item, Item::File(_)) && !path.ends_with(MARKER))
            .map(|(path, _)| path)
            .collect()
    }

    fn directories(&self, are_all: bool) -> Vec<String> {
        let moves = self.snapshot().keys().any(|path| path.ends_with(MARKER));
        let is_granted = |path: &String| !moves && self.agent.0.iter().any(|(_, root)| root == path);
        let items = self.snapshot().into_iter().filter(|(_, item)| matches!(item, Item::Directory));
        let all = items.map(|(path, _)| path).chain(["q".to_owned()]);
        all.filter(|path| are_all || !(is_granted(path) || path == "q")).collect()
    }

    /// A place for a new object, in half of the cases one that the agent may not read.
    fn place(&self, into: Index, name: &str) -> String {
        let (open, closed): (Vec<_>, Vec<_>) =
            self.directories(true).into_iter().partition(|path| self.is_open(&format!("{path}/{name}")));
        let is_open = closed.is_empty() || into.index(2) == 0 && !open.is_empty();
        let side = if is_open { open } else { closed };
        format!("{}/{name}", into.get(&side))
    }

    fn call(&mut self, by: By, deed: &Deed) -> Option<()> {
        let (files, directories) = (self.files(), self.directories(false));
        let one_of =
            |paths: &Vec<String>, which: &Index| (!paths.is_empty()).then(|| which.get(paths).clone());
        let id = |which: &Index| (!self.ids.is_empty()).then(|| which.get(&self.ids).clone());
        let text = format!("text{}.", self.ids.len() + 10);
        let mut writes = false;
        let (tool, arguments) = match deed {
            Deed::Write(which) => {
                let path = one_of(&files, which)?;
                let Some(Item::File(bytes)) = self.snapshot().remove(&path) else { return None };
                let first = String::from_utf8_lossy(&bytes).split(' ').next().unwrap().to_owned();
                let content = format!("{first} {text}\n");
                writes = true;
                ("write", json!({"path": self.name(by, &path, *which)?, "content": content, "backup": true}))
            }
            Deed::Create(into, name) => {
                let first = format!("file{}.", self.ids.len() + 10);
                let content = format!("{first} {text}\n");
                writes = true;
                let path = self.name(by, &self.place(*into, name), *into)?;
                ("create", json!({"path": path, "content": content, "parents": true}))
            }
            Deed::Move(from, into, name) => {
                let source = self.name(by, &one_of(&files, from)?, *into)?;
                let destination = self.name(by, &self.place(*into, name), *from)?;
                (
                    "move",
                    json!({"source": source, "destination": destination, "overwrite": from.index(3) == 0, "parents": true}),
                )
            }
            Deed::MoveDirectory(from, into, name) => {
                let source = self.name(by, &one_of(&directories, from)?, *into)?;
                let destination = self.name(by, &self.place(*into, name), *from)?;
                ("move", json!({"source": source, "destination": destination, "recursive": true}))
            }
            Deed::Delete(which) => {
                ("delete", json!({"path": self.name(by, &one_of(&files, which)?, *which)?}))
            }
            Deed::DeleteDirectory(which, is_kept) => {
                let path = self.name(by, &one_of(&directories, which)?, *which)?;
                ("delete_directory", json!({"path": path, "recursive": true, "keep": is_kept}))
            }
            Deed::CreateDirectory(into, name) => {
                ("create_directory", json!({"path": self.name(by, &self.place(*into, name), *into)?}))
            }
            Deed::Undo(which) => ("undo", json!({"id": id(which)?, "any_session": true})),
            Deed::Redo(which) => ("redo", json!({"id": id(which)?, "any_session": true})),
            Deed::Restore(which, path) => {
                let path = self.name(by, &one_of(&files, path)?, *which)?;
                ("restore", json!({"id": id(which)?, "path": path, "any_session": true}))
            }
            Deed::Forget(which) => ("forget", json!({"id": id(which)?})),
        };
        let is_agent = matches!(by, Agent);
        let before = is_agent.then(|| self.open_texts());
        let outcome = match by {
            Person => called(&self.person.1, tool, &arguments),
            Agent => called(&self.agent.1, tool, &arguments),
            Other(..) => {
                let grants = self.grants(by);
                let grants: Vec<_> =
                    grants.iter().map(|(name, path)| (&name[..], &path[..], Access::Write)).collect();
                called(&self.shared.gate(&grants, Some(r#"{"profile": "open"}"#)), tool, &arguments)
            }
        };
        let outcome = outcome.ok()?;
        self.done.push(format!("{by:?} {:?} {tool} {arguments} {}", self.grants(by), outcome["undo_id"]));
        if let Some(id) = outcome["undo_id"].as_str() {
            self.ids.push(json!(id));
            if !is_agent {
                self.theirs.insert(id.to_owned());
            }
        }
        if writes && !is_agent {
            self.written.insert(text, outcome["etag"].clone());
        }
        self.look();
        if let Some(before) = before {
            self.known.extend(before);
            self.known.extend(self.open_texts());
        }
        Some(())
    }

    /// The texts, with tags, that no call of the agent could have read and that are closed now.
    fn secrets(&self) -> Vec<&str> {
        let open = self.open_texts();
        let secret =
            self.written.iter().filter(|(text, _)| !self.known.contains(*text) && !open.contains(*text));
        secret.flat_map(|(text, tag)| [Some(&text[..]), tag.as_str()]).flatten().collect()
    }
}

fn cases() -> u32 {
    if std::env::var_os("FSGATE_SOAK").is_some() { 50_000 } else { 500 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_told_of_entries_of_another_policy_whatever_was_done(
        granted in select(GRANTED),
        profile in select(&["open", "default"][..]),
        effect in select(&["denied", "hidden"][..]),
        apart in any::<bool>(),
        deeds in vec(deed(), 2..16),
    ) {
        let rules = json!([{"name": "guarded", "paths": ["sec/"], "effect": effect}]);
        let mut world = World::new(granted, json!({"profile": profile, "rules": rules}), apart);
        for (by, deed) in &deeds {
            let _ = world.call(*by, deed);
        }
        // The path leads to another directory then.
        if world.is_marked && !world.snapshot().keys().any(|path| path.ends_with(MARKER)) {
            return Ok(());
        }
        let secrets = world.secrets();
        let told = |answer: &Value| {
            let answer = answer.to_string();
            secrets.iter().find(|secret| answer.contains(**secret)).map(|secret| format!("{secret}: {answer}"))
        };
        let asker = world.another_agent();
        let log = called(&asker, "log", &json!({"any_session": true, "diff": true})).unwrap();
        prop_assert_eq!(told(&log), None, "{:#?}", world.done);
        for entry in log["entries"].as_array().unwrap() {
            let is_theirs = world.theirs.contains(entry["undo_id"].as_str().unwrap());
            let is_hidden = entry["hidden"] == true;
            // After a move the rules see the agent's directory under another path, so earlier
            // sessions of the agent had another scope.
            let is_right = if is_theirs { is_hidden } else { !is_hidden || world.is_marked };
            prop_assert!(is_right, "{} {:#?}", entry, world.done);
            prop_assert!(!is_theirs || entry["paths"] == json!([]), "{}", entry);
        }
        for id in world.ids.iter().rev() {
            let is_theirs = world.theirs.contains(id.as_str().unwrap());
            for (tool, arguments) in [
                ("undo", json!({"id": id, "any_session": true, "dry_run": true, "diff": true})),
                ("restore", json!({"id": id, "any_session": true, "dry_run": true, "diff": true})),
                ("redo", json!({"id": id, "any_session": true})),
                ("restore", json!({"id": id, "any_session": true})),
                ("undo", json!({"id": id, "any_session": true})),
                ("forget", json!({"id": id})),
            ] {
                let called = called(&asker, tool, &arguments);
                let does_nothing =
                    called.as_ref().map_or(true, |outcome| tool == "forget" && outcome["forgotten"] == 0);
                prop_assert!(!is_theirs || does_nothing, "{} {} {:#?}", tool, arguments, world.done);
                let answer = called.unwrap_or_else(|refused| refused);
                prop_assert_eq!(told(&answer), None, "{} {} {:#?}", tool, arguments, world.done);
                if is_theirs {
                    prop_assert!(answer.get("path").is_none(), "{} {}: {}", tool, arguments, answer);
                }
                for (path, item) in world.snapshot() {
                    if let Item::File(bytes) = item && world.is_open(&path) {
                        let there = told(&json!(String::from_utf8_lossy(&bytes)));
                        prop_assert_eq!(there, None, "{} {}: {} {:#?}", tool, arguments, path, world.done);
                    }
                }
            }
        }
    }
}
