//! Random policies and random calls, against a model of what may change: what is protected keeps its bytes, its identity
//! and its name, whatever is called. The model knows patterns by their words alone.

use std::collections::BTreeMap;

use fsgate_contract::agent_types::CallArgs;
use fsgate_engine::agent;
use fsgate_tests::memory;
use fsgate_tests::tree::Tree;
use fsgate_volume::memory::{Item, Memory};
use fsgate_volume::{Kind, Listed, Volume};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Names that trees are made of, and paths that calls ask for.
const NAMES: &[&str] = &["a", "b", "log", "key.pem", "A", "Log"];

const PATTERNS: &[&str] = &[
    "a", "b/", "log", "key.pem", "*.pem", "./a", "./a/b", "a/log", "b/a/log", "**/b/log", "**/a/b", "A",
    "./B/",
];

const EFFECTS: &[&str] = &["hidden", "denied", "read_only", "append_only", "no_delete"];

#[derive(Debug, Clone)]
struct Rule {
    pattern: &'static str,
    effect: &'static str,
}

impl Rule {
    /// True if the rule is about a path, or about a directory above it.
    fn names(&self, path: &str, is_directory: bool) -> bool {
        let lower = path.to_lowercase();
        let names: Vec<&str> = lower.split('/').collect();
        let pattern = self.pattern.to_lowercase();
        let (pattern, directories_only) = match pattern.strip_suffix('/') {
            Some(pattern) => (pattern, true),
            None => (&pattern[..], false),
        };
        (1..=names.len()).any(|count| {
            let (some, is_directory) = (&names[..count], count < names.len() || is_directory);
            if directories_only && !is_directory {
                return false;
            }
            if let Some(end) = pattern.strip_prefix('*').filter(|_| !pattern.contains('/')) {
                return some[count - 1].ends_with(end);
            }
            if let Some(anywhere) = pattern.strip_prefix("**/") {
                return some.ends_with(&anywhere.split('/').collect::<Vec<_>>());
            }
            match pattern.strip_prefix("./").unwrap_or(pattern) {
                rooted if pattern.contains('/') => some == rooted.split('/').collect::<Vec<_>>(),
                name => some[count - 1] == name,
            }
        })
    }
}

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Thing {
    item: Item,
    identity: u128,
}

/// Everything in the granted directory.
fn things(volume: &Memory) -> BTreeMap<String, Thing> {
    let granted = volume.at("w");
    let mut found = BTreeMap::new();
    let mut waiting = vec![(granted.root(), String::new())];
    while let Some((directory, path)) = waiting.pop() {
        let mut names = Vec::new();
        let listed = granted.each_entry(&directory, &mut |listed| {
            if let Listed::Name(name, kind) = listed {
                names.push((name.to_owned(), kind));
            }
            std::ops::ControlFlow::Continue(())
        });
        listed.unwrap();
        for (name, kind) in names {
            let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            let identity = granted.identity_at(&directory, &name).unwrap();
            if kind == Kind::Directory {
                waiting.push((granted.open_directory(&directory, &name).unwrap(), path.clone()));
            }
            let item = granted.snapshot().remove(&path).unwrap_or(Item::Directory);
            found.insert(path, Thing { item, identity });
        }
    }
    found
}

/// What a call has done that the rules forbid.
fn broken(rules: &[Rule], before: &BTreeMap<String, Thing>, after: &BTreeMap<String, Thing>) -> Vec<String> {
    let mut broken = Vec::new();
    for (path, thing) in before {
        let is_directory = thing.item == Item::Directory;
        let now = after.get(path);
        for rule in rules.iter().filter(|rule| rule.names(path, is_directory)) {
            let is_it = now.is_some_and(|now| now.identity == thing.identity);
            let keeps = match (&thing.item, now.map(|now| &now.item), rule.effect) {
                (_, _, "no_delete") => true,
                (Item::File(old), Some(Item::File(new)), "append_only") => new.starts_with(old),
                (old, Some(new), _) => old == new,
                (_, None, _) => false,
            };
            if !is_it || !keeps {
                broken.push(format!("{path} is {}, and was changed: {thing:?} to {now:?}", rule.effect));
            }
        }
    }
    for (path, thing) in after.iter().filter(|(path, _)| !before.contains_key(*path)) {
        let is_directory = thing.item == Item::Directory;
        let forbids = |rule: &&Rule| ["hidden", "denied", "read_only"].contains(&rule.effect);
        if let Some(rule) = rules.iter().filter(forbids).find(|rule| rule.names(path, is_directory)) {
            broken.push(format!("{path} is {}, and was made", rule.effect));
        }
    }
    broken
}

/// What an answer tells and should not.
fn told(rules: &[Rule], before: &BTreeMap<String, Thing>, answer: &str) -> Vec<String> {
    let contents = before.iter().filter_map(|(path, thing)| match &thing.item {
        Item::File(bytes) => Some((path, String::from_utf8_lossy(bytes).into_owned())),
        _ => None,
    });
    let secret = |path: &str| {
        let forbids = |rule: &&Rule| ["hidden", "denied"].contains(&rule.effect);
        rules.iter().filter(forbids).any(|rule| rule.names(path, false))
    };
    let shown = |(path, content): &(&String, String)| {
        content.starts_with("secret-") && secret(path) && answer.contains(content.trim_end())
    };
    contents.filter(shown).map(|(path, _)| format!("the answer has what is in {path}: {answer}")).collect()
}

fn path() -> impl Strategy<Value = String> {
    vec(select(NAMES), 1..4).prop_map(|names| names.join("/"))
}

/// The same, also through links and up again.
fn asked() -> impl Strategy<Value = String> {
    let ways: &'static [&'static str] = &["", "", "", "", "l/", "k/", "a/../", "./", "l/../"];
    (select(ways), path()).prop_map(|(way, path)| format!("{way}{path}"))
}

fn call() -> impl Strategy<Value = (&'static str, Value)> {
    let flag = any::<bool>;
    prop_oneof![
        asked().prop_map(|path| ("create", json!({"path": path, "content": "new\n"}))),
        asked().prop_map(|path| ("write", json!({"path": path, "content": "other\n"}))),
        asked().prop_map(|path| ("append", json!({"path": path, "content": "more\n"}))),
        asked().prop_map(|path| ("replace", json!({"path": path, "old": "e", "new": "E", "occurrence": 1}))),
        asked().prop_map(|path| ("create_directory", json!({"path": path}))),
        (asked(), asked(), flag(), flag()).prop_map(|(source, destination, overwrite, recursive)| (
            "copy",
            json!({"source": source, "destination": destination, "overwrite": overwrite, "recursive": recursive})
        )),
        (asked(), asked(), flag()).prop_map(|(source, destination, overwrite)| (
            "copy",
            json!({"source": source, "destination": destination, "overwrite": overwrite, "glob": "**/*"})
        )),
        (asked(), asked(), flag()).prop_map(|(source, destination, recursive)| (
            "move",
            json!({"source": source, "destination": destination, "recursive": recursive})
        )),
        (select(&["l", "k"][..]), path())
            .prop_map(|(source, destination)| ("move", json!({"source": source, "destination": destination}))),
        asked().prop_map(|path| ("delete", json!({"path": path}))),
        asked().prop_map(|path| ("delete", json!({"path": path, "glob": "**/*"}))),
        (asked(), flag())
            .prop_map(|(path, recursive)| ("delete_directory", json!({"path": path, "recursive": recursive}))),
        (asked(), asked()).prop_map(|(one, other)| (
            "apply",
            json!({"edits": [{"path": one, "content": "applied\n"}, {"path": other, "delete": true}]})
        )),
        Just(("undo", json!({}))),
        Just(("undo", json!({"diff": true}))),
        Just(("redo", json!({}))),
        Just(("log", json!({"diff": true}))),
        asked().prop_map(|path| ("read", json!({"path": path}))),
        Just(("grep", json!({"pattern": "secret", "include_hidden": true}))),
        Just(("list_directory", json!({"path": ".", "recursive": true, "with_etag": true}))),
    ]
}

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    let rule = (select(PATTERNS), select(EFFECTS)).prop_map(|(pattern, effect)| Rule { pattern, effect });
    vec(rule, 1..4)
}

proptest! {
    #![proptest_config(super::super::laws::config(400))]
    #[test]
    fn what_is_protected_stays_as_it_is(
        rules in rules(),
        files in vec(path(), 1..8),
        calls in vec(call(), 1..12),
    ) {
        let tree = Tree::parse("directory w").unwrap();
        let volume = memory::volume(&tree).unwrap();
        for (number, path) in files.iter().enumerate() {
            let above = |path: &str| path.rsplit_once('/').map(|(above, _)| above.to_owned());
            let taken = volume.snapshot();
            let mut ways = std::iter::successors(above(path), |path| above(path));
            let is_free = !taken.contains_key(&format!("w/{path}"))
                && ways.all(|way| !matches!(taken.get(&format!("w/{way}")), Some(Item::File(_))));
            if is_free {
                volume.put(&format!("w/{path}"), Item::File(format!("secret-{number}-\n").into_bytes()));
            }
        }
        volume.put("w/l", Item::Link("a".to_owned()));
        volume.put("w/k", Item::Link("b/a".to_owned()));
        let written: Vec<_> = rules
            .iter()
            .enumerate()
            .map(|(number, rule)| json!({"name": format!("r{number}"), "paths": [rule.pattern], "effect": rule.effect}))
            .collect();
        let policy = json!({"profile": "open", "rules": written}).to_string();
        let session = memory::journaled(&tree, &volume, |volume| volume, Some(&policy));
        for (tool, arguments) in calls {
            let before = things(&volume);
            let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_string() };
            let answer = agent::call(&session, &args).map(|ok| ok.outcome).unwrap_or_else(|refused| refused.error);
            let mut problems = broken(&rules, &before, &things(&volume));
            problems.extend(told(&rules, &before, &answer));
            prop_assert!(problems.is_empty(), "{tool} {arguments}: {answer}\n{policy}\n{}", problems.join("\n"));
        }
    }
}
