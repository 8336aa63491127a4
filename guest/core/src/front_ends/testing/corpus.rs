//! Cases in `tests/cases/<front end>`: named blocks, and trees of files.

use std::collections::BTreeMap;
use std::path::Path;

use super::session;
use crate::session::Session;
use crate::volume::memory::{Item, Memory};

/// A case: `group/name`, and its blocks by their names.
pub(in crate::front_ends) struct Case {
    pub(in crate::front_ends) name: String,
    blocks: BTreeMap<String, String>,
}

impl Case {
    /// A block, if it has one of this name.
    pub(in crate::front_ends) fn block(&self, name: &str) -> Option<&str> {
        self.blocks.get(name).map(String::as_str)
    }

    /// The files that are there before.
    pub(in crate::front_ends) fn before(&self) -> Memory {
        planted(self.block("before").unwrap_or_default())
    }

    /// The files that have to be there after it: those that were there before, if it says nothing else.
    pub(in crate::front_ends) fn after(&self) -> BTreeMap<String, Item> {
        self.block("after").map_or_else(|| self.before(), planted).snapshot()
    }
}

/// All cases of a front end, in the order of their files.
pub(in crate::front_ends) fn cases(front_end: &str) -> Vec<Case> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases").join(front_end);
    let mut paths: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let cases: Vec<_> =
        paths.iter().flat_map(|path| parsed(&std::fs::read_to_string(path).unwrap())).collect();
    for (index, case) in cases.iter().enumerate() {
        let other = cases[..index].iter().any(|other| other.name == case.name);
        assert!(!other, "two cases have the name {}", case.name);
    }
    cases
}

/// Runs cases in the contract's types and in JSON, each over files of its own: `came_to` tells what came to something else than
/// a case says, and what became of the files is looked at here.
pub(in crate::front_ends) fn all_hold(
    cases: &[Case],
    blocks: &[&str],
    mut came_to: impl FnMut(&Case, &Session<Memory>, bool) -> Vec<String>,
) {
    let mut wrong = Vec::new();
    for (case, in_json) in cases.iter().flat_map(|case| [(case, false), (case, true)]) {
        assert!(case.blocks.keys().all(|block| blocks.contains(&&block[..])), "{}", case.name);
        let volume = case.before();
        let mut differences = came_to(case, &session(&volume), in_json);
        if volume.snapshot() != case.after() {
            differences.push(format!("{:?}", volume.snapshot()));
        }
        let told = differences.iter().map(|found| format!("{}, in JSON: {in_json}: {found}", case.name));
        wrong.extend(told);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn parsed(text: &str) -> Vec<Case> {
    let mut found: Vec<Case> = Vec::new();
    let mut group = "";
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("### ") {
            found.push(Case { name: format!("{group}/{title}"), blocks: BTreeMap::new() });
        } else if let Some(title) = line.strip_prefix("## ") {
            group = title;
        } else if let Some(name) = line.strip_prefix("```") {
            let block: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            let case = found.last_mut().expect("a block stands below the name of a case");
            assert!(case.blocks.insert(name.to_owned(), block.join("\n")).is_none(), "{}: {name}", case.name);
        }
    }
    found
}

/// `file PATH "…"`, `directory PATH` and `link PATH -> TARGET`, one a line; a path with spaces is a JSON string.
fn planted(tree: &str) -> Memory {
    let volume = Memory::default();
    for line in tree.lines() {
        let (kind, rest) = line.split_once(' ').expect(line);
        let (path, rest) = path(rest);
        volume.put(
            &path,
            match (kind, rest.strip_prefix("-> ")) {
                ("file", None) => Item::File(serde_json::from_str::<String>(rest).expect(line).into_bytes()),
                ("directory", None) => Item::Directory,
                ("link", Some(target)) => Item::Link(target.to_owned()),
                _ => panic!("{line}"),
            },
        );
    }
    volume
}

/// A path, and what follows it.
fn path(text: &str) -> (String, &str) {
    if !text.starts_with('"') {
        let (path, rest) = text.split_once(' ').unwrap_or((text, ""));
        return (path.to_owned(), rest);
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let path = values.next().unwrap().expect(text);
    (path, text[values.byte_offset()..].trim_start())
}
