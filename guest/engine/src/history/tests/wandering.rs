//! Nothing is told of what lies where it may not be read, whatever sequence of calls has brought it there. `FSGATE_SOAK=1` tries a
//! hundred times as many.

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

/// Whose call it is.
#[derive(Debug, Clone, Copy)]
enum By {
    /// Somebody from whom nothing is taken away.
    Person,
    /// Somebody who may not read `sec`.
    Agent,
    /// The same as the person, through another gate to some of the directories that there are by then.
    Other(Index, Index),
}

use By::{Agent, Other, Person};

/// A call, about some of the files, directories and calls that there are by then.
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
    /// Brings back what a path was before a call.
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

/// Who has been granted what: the person, and the agent.
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

/// A directory that others move and make anew.
const DEEP: Grants = &[("/v", "q/d")];

/// By this file the directory is known that is granted to the agent alone.
const MARKER: &str = "here it is";

/// A file, by the number that is in all its versions.
type Number = String;

struct World {
    shared: Shared,
    person: (Grants, Session<Memory>),
    agent: (Vec<(&'static str, String)>, Session<Memory>),
    policy: Value,
    /// The agent's directory is one that others move.
    is_marked: bool,
    ids: Vec<Value>,
    /// What was done, for whoever has to find out why.
    done: Vec<String>,
    /// What the person has written, by what says so, with its tag.
    written: BTreeMap<String, (Number, Value)>,
    /// Whether a file lay where the agent may read when it was last seen.
    open: BTreeMap<Number, bool>,
    /// Those that there are now.
    there: BTreeSet<Number>,
    /// Files of which there were two, or of which it is not known where they were last.
    copied: BTreeSet<Number>,
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
        let (ids, done, written, open, there, copied) = Default::default();
        let mut world = Self {
            shared,
            person,
            agent: session,
            policy,
            is_marked: moves.is_some(),
            ids,
            done,
            written,
            open,
            there,
            copied,
        };
        for number in 0..7 {
            world.written.insert(format!("text{number}."), (format!("file{number}."), Value::Null));
        }
        world.look();
        world
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

    /// Another session of the agent, which is told where its directories are by now.
    fn another_agent(&self) -> Session<Memory> {
        let grants: Vec<_> = self.agent.0.iter().map(|(name, path)| (*name, &path[..])).collect();
        of(&self.shared, &grants, &self.policy)
    }

    /// Where what is now.
    fn look(&mut self) {
        let mut seen = BTreeMap::new();
        if let Some(path) = self.snapshot().keys().find_map(|path| path.strip_suffix(MARKER)) {
            self.agent.0[0].1 = path.trim_end_matches('/').to_owned();
        }
        for (path, item) in self.snapshot() {
            let Item::File(bytes) = item else { continue };
            if path.ends_with(MARKER) {
                continue;
            }
            let number = String::from_utf8_lossy(&bytes).split(' ').next().unwrap().to_owned();
            if seen.insert(number.clone(), self.is_open(&path)).is_some() {
                self.copied.insert(number);
            }
        }
        self.there = seen.keys().cloned().collect();
        self.open.extend(seen);
    }

    /// The grants of whoever calls.
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

    /// What a path on the disk is called, by one of the names that it has.
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

    /// Those that may be moved: grants stay where they are, unless it is known where they are by then.
    fn directories(&self, are_all: bool) -> Vec<String> {
        let moves = self.snapshot().keys().any(|path| path.ends_with(MARKER));
        let is_granted = |path: &String| !moves && self.agent.0.iter().any(|(_, root)| root == path);
        let items = self.snapshot().into_iter().filter(|(_, item)| matches!(item, Item::Directory));
        let all = items.map(|(path, _)| path).chain(["q".to_owned()]);
        all.filter(|path| are_all || !(is_granted(path) || path == "q")).collect()
    }

    /// A place for something new. As often as not, one where the agent may not read.
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
        let mut number = None;
        let (tool, arguments) = match deed {
            Deed::Write(which) => {
                let path = one_of(&files, which)?;
                let Some(Item::File(bytes)) = self.snapshot().remove(&path) else { return None };
                let first = String::from_utf8_lossy(&bytes).split(' ').next().unwrap().to_owned();
                let content = format!("{first} {text}\n");
                number = Some(first);
                ("write", json!({"path": self.name(by, &path, *which)?, "content": content, "backup": true}))
            }
            Deed::Create(into, name) => {
                let first = format!("file{}.", self.ids.len() + 10);
                let content = format!("{first} {text}\n");
                number = Some(first);
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
        if outcome["undo_id"].is_string() {
            self.ids.push(outcome["undo_id"].clone());
        }
        if let (Some(number), Person | Other(..)) = (number, by) {
            self.written.insert(text, (number, outcome["etag"].clone()));
        }
        let before: Vec<_> = std::mem::take(&mut self.there).into_iter().collect();
        self.look();
        if ["undo", "redo", "restore"].contains(&tool) {
            // What is in the trash then may have lain where it may be read in between.
            self.copied.extend(before.into_iter().filter(|number| !self.there.contains(number)));
        }
        Some(())
    }

    /// What is nobody's business who may not read where it is: texts and tags.
    fn secrets(&self) -> Vec<&str> {
        let secret = self.written.iter().filter(|(_, (number, _))| {
            self.open.get(number) == Some(&false) && !self.copied.contains(number)
        });
        secret.flat_map(|(text, (_, tag))| [Some(&text[..]), tag.as_str()]).flatten().collect()
    }
}

/// How many sequences.
fn cases() -> u32 {
    if std::env::var_os("FSGATE_SOAK").is_some() { 50_000 } else { 500 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_told_of_what_may_not_be_read_whatever_has_brought_it_there(
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
        // What has the path of the directory then is another one, which was granted by whoever has put it there.
        if world.is_marked && !world.snapshot().keys().any(|path| path.ends_with(MARKER)) {
            return Ok(());
        }
        let secrets = world.secrets();
        let told = |answer: &Value| {
            let answer = answer.to_string();
            secrets.iter().find(|secret| answer.contains(**secret)).map(|secret| format!("{secret}: {answer}"))
        };
        // What a session did itself it has seen: another one is asked.
        let asker = world.another_agent();
        let log = called(&asker, "log", &json!({"any_session": true, "diff": true})).unwrap();
        prop_assert_eq!(told(&log), None, "{:#?}", world.done);
        for id in world.ids.iter().rev() {
            for (tool, arguments) in [
                ("undo", json!({"id": id, "any_session": true, "dry_run": true, "diff": true})),
                ("restore", json!({"id": id, "any_session": true, "dry_run": true, "diff": true})),
                ("redo", json!({"id": id, "any_session": true})),
                ("restore", json!({"id": id, "any_session": true})),
                ("undo", json!({"id": id, "any_session": true})),
            ] {
                let answer = called(&asker, tool, &arguments).unwrap_or_else(|refused| refused);
                prop_assert_eq!(told(&answer), None, "{} {} {:#?}", tool, arguments, world.done);
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
