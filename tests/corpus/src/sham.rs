//! The cases in `cases/sham`, in the notation of their system: blocks of SHAM, and the expected
//! last result.
//!
//! The tests of `fsgate-compat` include this file: they run the cases in memory, those of the
//! program on a disk.

use std::io;
use std::path::Path;

use serde_json::{Map, Value};

use super::front_end::FrontEndCase;

/// A case.
#[derive(Debug)]
pub struct ShamCase {
    /// The action that the case tries.
    pub group: String,
    /// Its name without its number. The directory `/tmp/t_<name>` is its own.
    pub name: String,
    /// The blocks of SHAM.
    pub text: String,
    /// The expected last result.
    pub expected: Value,
}

/// The files that cases of `file_replace_text` begin with: the case, the name and the content.
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
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or that has no cases.
    pub fn all(directory: &Path) -> io::Result<Vec<Self>> {
        let cases = FrontEndCase::all(directory)?;
        Ok(cases.iter().map(Self::new).collect())
    }

    /// The case in two blocks.
    #[must_use]
    pub fn new(case: &FrontEndCase) -> Self {
        let block = |name: &str| case.lines(name).unwrap_or_else(|| panic!("{}: {name}", case.title()));
        Self {
            group: case.group.clone(),
            name: case.name.clone(),
            text: block("sh sham").to_owned(),
            expected: serde_json::from_str(block("json")).unwrap(),
        }
    }

    /// Its directory below `/tmp`.
    #[must_use]
    pub fn directory(&self) -> String {
        format!("t_{}", self.name)
    }

    /// The files that it begins with, in its directory: name and content.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let own = |case: &str| self.group == "file_replace_text" && self.name == case;
        FILES.iter().filter(move |(case, ..)| own(case)).map(|(_, name, content)| (*name, *content))
    }

    /// The last result of an output in the form that a case states: placeholders stand for times,
    /// and for sentences that are not the system's own.
    #[must_use]
    pub fn shown(&self, output: &Value) -> Value {
        let last =
            output["results"].as_array().and_then(|results| results.last()).cloned().unwrap_or_default();
        let named = ["success", "error", "data"].iter().filter_map(|key| Some((*key, last.get(*key)?)));
        let mut shown: Map<String, Value> =
            named.map(|(key, value)| (key.to_owned(), value.clone())).collect();
        if let Some(Value::Array(entries)) = shown.get_mut("data") {
            // The size and the time of a directory depend on the volume.
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
