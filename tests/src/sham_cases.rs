//! The cases in `cases/sham`, in the notation of their system: blocks, and the last result that they have to come to.
//!
//! The tests of the core have this file too: they run the cases in memory, the program runs them on a disk.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

/// A case.
#[derive(Debug)]
pub struct ShamCase {
    /// The action that it is about.
    pub group: String,
    /// What it is called, without its number: the directory `/tmp/t_<name>` is its own.
    pub name: String,
    /// The blocks.
    pub text: String,
    /// The last result.
    pub expected: Value,
}

/// Files that the cases of `file_replace_text` begin with, by the name of the case.
const FILES: &[(&str, &str, &str)] = &[
    ("simple-text-replacement", "replace-test.txt", "Hello World"),
    ("replace-with-count-limit", "multi-replace.txt", "foo bar foo baz foo qux foo"),
    ("replace-text-not-found", "no-match.txt", "This file has no matches"),
    (
        "multiline-replacement",
        "multiline-replace.txt",
        "export function oldName() {\n  console.log('oldName');\n  return oldName;\n}\n\nfunction oldName() {\n  return oldName;\n}\n\nconst x = oldName();",
    ),
    ("empty-old-text-error", "empty-search.txt", "Some content here"),
    (
        "file-replace-text-multiple-occurrences",
        "multiple-occurrences.txt",
        "duplicate text with duplicate word and duplicate again",
    ),
    ("file-replace-all-text-no-count", "replace-all.txt", "foo bar foo baz foo"),
    ("file-replace-all-text-count-mismatch", "count-mismatch.txt", "test this test case"),
];

impl ShamCase {
    /// All cases below a directory, in the order of their files.
    pub fn all(directory: &Path) -> Vec<Self> {
        let mut paths: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths.iter().flat_map(|path| parsed(&fs::read_to_string(path).unwrap())).collect()
    }

    /// The directory that is there before it, below `/tmp`.
    pub fn directory(&self) -> String {
        format!("t_{}", self.name)
    }

    /// The files that it begins with, in its directory: name and content.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let own = |case: &str| self.group == "file_replace_text" && self.name == case;
        FILES.iter().filter(move |(case, ..)| own(case)).map(|(_, name, content)| (*name, *content))
    }

    /// The last result of an output as it is compared, and nothing where it has none: times are as they are, and sentences
    /// that are not the system's own are compared elsewhere.
    pub fn shown(&self, output: &Value) -> Value {
        let last =
            output["results"].as_array().and_then(|results| results.last()).cloned().unwrap_or_default();
        let named = ["success", "error", "data"].iter().filter_map(|key| Some((*key, last.get(*key)?)));
        let mut shown: Map<String, Value> =
            named.map(|(key, value)| (key.to_owned(), value.clone())).collect();
        if let Some(Value::Array(entries)) = shown.get_mut("data") {
            // A directory has its size and its time from where it stands.
            for entry in entries.iter_mut().filter(|entry| entry["type"] == "directory") {
                (entry["size"], entry["modified"]) = (0.into(), Value::Null);
            }
            for modified in entries.iter_mut().filter_map(|entry| entry.get_mut("modified")) {
                if modified.as_str().is_some_and(|time| time.ends_with('Z') && time.contains('T')) {
                    *modified = "$time".into();
                }
            }
        }
        if let Some((start, _)) = self.expected["error"].as_str().and_then(|error| error.split_once("$any"))
            && last["error"].as_str().is_some_and(|error| error.starts_with(start))
        {
            shown.insert("error".to_owned(), self.expected["error"].clone());
        }
        shown.into()
    }
}

fn parsed(text: &str) -> Vec<ShamCase> {
    let (mut group, mut name, mut fenced): (_, _, Vec<String>) = (String::new(), String::new(), Vec::new());
    let mut found = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        match (is_inside, line) {
            (true, "```") => {
                is_inside = false;
                if let [text, expected] = &fenced[..] {
                    let (group, name, text) = (group.clone(), name.clone(), text.clone());
                    found.push(ShamCase {
                        group,
                        name,
                        text,
                        expected: serde_json::from_str(expected).unwrap(),
                    });
                    fenced.clear();
                }
            }
            (true, line) => *fenced.last_mut().unwrap() += &format!("{line}\n"),
            (false, line) if line.starts_with("```") => {
                is_inside = true;
                fenced.push(String::new());
            }
            (false, line) => {
                if let Some(title) = line.strip_prefix("### ") {
                    name = title.split_once('-').unwrap().1.to_owned();
                } else if let Some(title) = line.strip_prefix("## ") {
                    group = title.to_owned();
                }
            }
        }
    }
    assert!(fenced.is_empty(), "a case without an end in `{group}`");
    found
}
