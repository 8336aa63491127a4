//! Random sequences of calls that make, change, copy, move and delete, against a tree that is a map of paths.

use std::collections::BTreeMap;

use fsgate_contract::agent_types::CallArgs;
use fsgate_engine::agent;
use fsgate_engine::session::Session;
use fsgate_tests::disk::Disk;
use fsgate_tests::memory;
use fsgate_tests::snapshot::{Seen, Snapshot, What};
use fsgate_tests::tree::Tree;
use fsgate_tests::verdict::foretold;
use fsgate_volume::Volume;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::config;

/// Every file with its content, and every directory.
#[derive(Debug, Clone, Default, PartialEq)]
struct Model(BTreeMap<String, Option<String>>);

/// A call that the model would refuse.
struct Refused;

#[derive(Debug, Clone)]
enum Call {
    Create(String, String),
    Write(String, String),
    CreateDirectory(String),
    Copy { source: String, destination: String, overwrite: bool, recursive: bool },
    CopyMatching { source: String, destination: String, overwrite: bool },
    Move { source: String, destination: String, overwrite: bool, recursive: bool },
    Delete(String),
    DeleteMatching(String),
    DeleteDirectory { path: String, recursive: bool },
}

impl Call {
    fn json(&self) -> (&'static str, Value) {
        match self {
            Self::Create(path, content) => ("create", json!({"path": path, "content": content})),
            Self::Write(path, content) => ("write", json!({"path": path, "content": content})),
            Self::CreateDirectory(path) => ("create_directory", json!({"path": path})),
            Self::Copy { source, destination, overwrite, recursive } => (
                "copy",
                json!({"source": source, "destination": destination, "overwrite": overwrite, "recursive": recursive}),
            ),
            Self::CopyMatching { source, destination, overwrite } => (
                "copy",
                json!({"source": source, "destination": destination, "overwrite": overwrite, "glob": "**/a"}),
            ),
            Self::Move { source, destination, overwrite, recursive } => (
                "move",
                json!({"source": source, "destination": destination, "overwrite": overwrite, "recursive": recursive}),
            ),
            Self::Delete(path) => ("delete", json!({"path": path})),
            Self::DeleteMatching(path) => ("delete", json!({"path": path, "glob": "**/a"})),
            Self::DeleteDirectory { path, recursive } => {
                ("delete_directory", json!({"path": path, "recursive": recursive}))
            }
        }
    }
}

impl Model {
    fn is_file(&self, path: &str) -> bool {
        matches!(self.0.get(path), Some(Some(_)))
    }

    fn is_directory(&self, path: &str) -> bool {
        matches!(self.0.get(path), Some(None))
    }

    /// Makes the directories above a path.
    fn parents(&mut self, path: &str) -> Result<(), Refused> {
        let mut at = path;
        while let Some((above, _)) = at.rsplit_once('/') {
            if self.is_file(above) {
                return Err(Refused);
            }
            self.0.insert(above.to_owned(), None);
            at = above;
        }
        Ok(())
    }

    fn put(&mut self, path: &str, content: &str) -> Result<(), Refused> {
        self.parents(path)?;
        self.0.insert(path.to_owned(), Some(content.to_owned()));
        Ok(())
    }

    /// Everything below a path, by what follows it.
    fn below(&self, path: &str) -> Vec<(String, Option<String>)> {
        let below = self.0.iter().filter_map(|(at, item)| {
            let rest = at.strip_prefix(path)?.strip_prefix('/')?;
            Some((rest.to_owned(), item.clone()))
        });
        below.collect()
    }

    fn remove(&mut self, path: &str) {
        let prefix = format!("{path}/");
        self.0.retain(|at, _| at != path && !at.starts_with(&prefix));
    }

    /// The tree after a call. One that is refused changes nothing.
    fn after(&self, call: &Call) -> Result<Self, Refused> {
        let mut tree = self.clone();
        match call {
            Call::Create(path, _) if self.0.contains_key(path) => return Err(Refused),
            Call::Write(path, _) if self.is_directory(path) => return Err(Refused),
            Call::Create(path, content) | Call::Write(path, content) => tree.put(path, content)?,
            Call::CreateDirectory(path) if self.is_file(path) => return Err(Refused),
            Call::CreateDirectory(path) => {
                tree.parents(path)?;
                tree.0.insert(path.clone(), None);
            }
            Call::Copy { source, destination, overwrite, recursive } => {
                tree.bring(source, destination, *overwrite, *recursive)?;
            }
            Call::Move { source, destination, overwrite, recursive } => {
                tree.bring(source, destination, *overwrite, *recursive)?;
                tree.remove(source);
            }
            Call::CopyMatching { source, destination, overwrite } => {
                if !self.is_directory(source) || self.is_file(destination) {
                    return Err(Refused);
                }
                // The destination itself is there only if something is put into it, but it has to be possible.
                self.clone().parents(destination)?;
                for (rest, item) in self.below(source) {
                    let (Some(content), true) = (item, rest == "a" || rest.ends_with("/a")) else { continue };
                    let path = format!("{destination}/{rest}");
                    // What is overwritten must not be copied as well.
                    let is_source = source == destination || path.starts_with(&format!("{source}/"));
                    let taken = self.is_file(&path) && (!overwrite || is_source);
                    if taken || self.is_directory(&path) {
                        return Err(Refused);
                    }
                    tree.put(&path, &content)?;
                }
            }
            Call::Delete(path) if !self.is_file(path) => return Err(Refused),
            Call::Delete(path) => tree.remove(path),
            Call::DeleteMatching(path) if !self.is_directory(path) => return Err(Refused),
            Call::DeleteMatching(path) => {
                let prefix = format!("{path}/");
                tree.0.retain(|at, item| item.is_none() || !at.starts_with(&prefix) || !at.ends_with("/a"));
            }
            Call::DeleteDirectory { path, recursive } => {
                if !self.is_directory(path) || (!recursive && !self.below(path).is_empty()) {
                    return Err(Refused);
                }
                tree.remove(path);
            }
        }
        Ok(tree)
    }

    /// Puts what is at one path to another one as well.
    fn bring(&mut self, from: &str, to: &str, overwrite: bool, recursive: bool) -> Result<(), Refused> {
        if self.is_directory(to) || (self.is_file(to) && (!overwrite || from == to)) {
            return Err(Refused);
        }
        if let Some(Some(content)) = self.0.get(from).cloned() {
            return self.put(to, &content);
        }
        if !self.is_directory(from) || !recursive || self.is_file(to) || to.starts_with(&format!("{from}/")) {
            return Err(Refused);
        }
        self.parents(to)?;
        self.0.insert(to.to_owned(), None);
        for (rest, item) in self.below(from) {
            self.0.insert(format!("{to}/{rest}"), item);
        }
        Ok(())
    }

    fn of(snapshot: &Snapshot) -> Self {
        let items = snapshot.iter().filter_map(|(path, seen)| {
            let item = match &seen.what {
                What::File(bytes) => Some(String::from_utf8(bytes.clone()).unwrap()),
                What::Directory => None,
                other => panic!("{path} is {other:?}"),
            };
            Some((path.strip_prefix("w/")?.to_owned(), item))
        });
        Self(items.collect())
    }
}

fn path() -> impl Strategy<Value = String> {
    vec(select(&["a", "b", "c"][..]), 1..4).prop_map(|names| names.join("/"))
}

fn call() -> impl Strategy<Value = Call> {
    let content = || "[a-z]{0,9}";
    let bring = || (path(), path(), any::<bool>(), prop::bool::weighted(0.7));
    prop_oneof![
        (path(), content()).prop_map(|(path, content)| Call::Create(path, content)),
        (path(), content()).prop_map(|(path, content)| Call::Write(path, content)),
        path().prop_map(Call::CreateDirectory),
        bring().prop_map(|(source, destination, overwrite, recursive)| Call::Copy {
            source,
            destination,
            overwrite,
            recursive
        }),
        bring().prop_map(|(source, destination, overwrite, recursive)| Call::Move {
            source,
            destination,
            overwrite,
            recursive
        }),
        (path(), path(), any::<bool>()).prop_map(|(source, destination, overwrite)| Call::CopyMatching {
            source,
            destination,
            overwrite
        }),
        path().prop_map(Call::Delete),
        path().prop_map(Call::DeleteMatching),
        (path(), any::<bool>()).prop_map(|(path, recursive)| Call::DeleteDirectory { path, recursive }),
    ]
}

/// Makes the calls one after the other, each one as a dry run before, and compares trees.
fn agree<V: Volume>(session: &Session<V>, snapshot: impl Fn() -> Snapshot, calls: &[Call]) -> usize {
    let mut model = Model::default();
    let mut done = 0;
    for call in calls {
        let (tool, arguments) = call.json();
        let made = |arguments: &Value| {
            let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_string() };
            match agent::call(session, &args) {
                Ok(ok) => Ok(foretold(serde_json::from_str(&ok.outcome).unwrap()).to_string()),
                Err(refused) => Err(refused.error),
            }
        };
        let mut dry = arguments.clone();
        dry["dry_run"] = json!(true);
        let promised = made(&dry);
        assert_eq!(Model::of(&snapshot()), model, "a dry run of {call:?}");
        let answer = made(&arguments);
        assert_eq!(answer, promised, "{call:?} in {model:?}");
        match (model.after(call), answer) {
            (Ok(after), Ok(_)) => {
                model = after;
                done += 1;
            }
            (Err(Refused), Err(_)) => {}
            (Ok(_), Err(error)) => panic!("{call:?} in {model:?} was refused: {error}"),
            (Err(Refused), Ok(outcome)) => panic!("{call:?} in {model:?} was done: {outcome}"),
        }
        assert_eq!(Model::of(&snapshot()), model, "after {call:?}");
    }
    done
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn calls_one_after_the_other_make_the_tree_that_a_map_of_paths_makes(calls in vec(call(), 1..40)) {
        let tree = Tree::parse("").unwrap();
        let volume = memory::volume(&tree).unwrap();
        let session = memory::session(&tree, &volume, |volume| volume).unwrap();
        agree(&session, || memory::snapshot(&volume), &calls);
    }
}

proptest! {
    #![proptest_config(config(30))]

    #[test]
    fn and_so_they_do_on_a_disk(calls in vec(call(), 20..60)) {
        let tree = Tree::parse("").unwrap();
        let disk = Disk::new(&tree).unwrap();
        let session = disk.session(&tree).unwrap();
        let done = agree(&session, || disk.snapshot().unwrap(), &calls);
        prop_assert!(done > 0);
    }
}

/// The same, or a call that changes what is in files, of which the model knows nothing.
fn any_call() -> impl Strategy<Value = (&'static str, Value)> {
    let content = || "[a-z]{0,9}";
    let part = || select(&["a", "e", "o", "\n"][..]);
    prop_oneof![
        9 => call().prop_map(|call| call.json()),
        1 => (path(), content())
            .prop_map(|(path, content)| ("append", json!({"path": path, "content": content}))),
        1 => (path(), content()).prop_map(|(path, content)| {
            ("write", json!({"path": path, "content": content, "backup": true}))
        }),
        1 => (path(), part(), content())
            .prop_map(|(path, old, new)| ("replace", json!({"path": path, "old": old, "new": new}))),
        1 => (path(), part(), content(), path(), path(), content()).prop_map(
            |(path, old, new, deleted, made, content)| {
                let edits = json!([
                    {"path": path, "old": old, "new": new},
                    {"path": deleted, "delete": true},
                    {"path": made, "content": content},
                ]);
                ("apply", json!({"edits": edits}))
            }
        ),
        1 => (path(), content(), path(), content()).prop_map(|(one, content, other, more)| {
            let edits = json!([{"path": one, "content": content}, {"path": other, "content": more}]);
            ("apply", json!({"edits": edits}))
        }),
    ]
}

/// What undoing has to bring back: everything but the times.
fn without_times(snapshot: Snapshot) -> Snapshot {
    let timeless = |mut seen: Seen| {
        if let Some(identity) = &mut seen.identity {
            identity.modified = std::time::SystemTime::UNIX_EPOCH;
        }
        seen
    };
    snapshot.into_iter().map(|(path, seen)| (path, timeless(seen))).collect()
}

proptest! {
    // `FSGATE_SOAK=1` tries twenty times as many.
    #![proptest_config(config(if std::env::var_os("FSGATE_SOAK").is_some() { 800 } else { 40 }))]

    #[test]
    fn what_is_undone_call_by_call_is_the_first_tree_with_its_inodes_modes_and_links(
        calls in vec(any_call(), 20..60),
    ) {
        let before = "file w/a mode=755 \"one\\n\"\nfile w/c/a mode=600 \"two\\n\"\nhard-link w/c/b = w/a\n\
                      link w/b -> a\nfile w/c/d/a \"three\\n\"\n";
        let tree = Tree::parse(before).unwrap();
        let disk = Disk::new(&tree).unwrap();
        let session = disk.session(&tree).unwrap();
        let first = without_times(disk.snapshot().unwrap());
        let made = |tool: &str, arguments: &Value| {
            let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_string() };
            agent::call(&session, &args).map(|ok| ok.outcome).map_err(|refused| refused.error)
        };
        let mut undoable = 0;
        for (tool, arguments) in &calls {
            undoable += usize::from(made(tool, arguments).is_ok_and(|outcome| outcome.contains("undo_id")));
        }
        for left in (0..undoable).rev() {
            let undone = made("undo", &json!({}));
            prop_assert!(undone.is_ok(), "{undone:?} with {left} left of {calls:?}");
        }
        let refused = made("undo", &json!({})).unwrap_err();
        prop_assert!(refused.contains("nothing_to_undo"), "{refused}");
        prop_assert_eq!(without_times(disk.snapshot().unwrap()), first);
    }
}
