//! Random edits of real files, against a model of bytes that also knows the units of UTF-16.

mod model;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fsgate::policy::Documents;
use fsgate::{Access, Gate};
use fsgate_tests::open::Opened;
use fsgate_tests::random::Random;
use serde_json::{Value, json};

use super::git::Workshop;
use model::{Form, Text};

/// Largest file to edit.
const LARGEST: u64 = 2 << 20;

/// The counts of edits.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub(super) edits: usize,
    /// Edits that had to be refused, and were.
    pub(super) refused: usize,
    /// Edits by tool.
    pub(super) tools: BTreeMap<&'static str, usize>,
    /// Edits by the encoding of the file.
    pub(super) forms: BTreeMap<&'static str, usize>,
    /// Edited files with CRLF.
    pub(super) with_crlf: usize,
}

/// An edit with the expected text, or `None` if it has to be refused.
struct Edit {
    tool: &'static str,
    arguments: Value,
    after: Option<Vec<u8>>,
}

/// Makes this many edits.
pub(super) fn compared(workshop: &Workshop, most: usize) -> Done {
    let root = workshop.files();
    let open = Documents::parse(r#"{"profile": "open"}"#).unwrap();
    let gate = Opened::new(Gate::builder().dir_as(&root, "/w", Access::Write).policy(open)).unwrap();
    let files: Vec<(PathBuf, Form)> = files(&root);
    // Every encoding gets its turn, also rare ones.
    let mut forms: Vec<Vec<&PathBuf>> = Vec::new();
    for wanted in [Form::Utf8, Form::Utf16Le, Form::Utf16Be, Form::Other] {
        let with: Vec<_> = files.iter().filter(|(_, form)| *form == wanted).map(|(path, _)| path).collect();
        if !with.is_empty() {
            forms.push(with);
        }
    }
    let (mut done, mut random) = (Done::default(), Random(7));
    while done.edits < most {
        let of_form = random.pick(&forms);
        let path: &Path = random.pick::<&PathBuf>(of_form);
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
        let before = fs::read(path).unwrap();
        let Some(text) = Text::of(&before) else { continue };
        let Some(Edit { tool, mut arguments, after }) = edit(&text, &mut random) else { continue };
        arguments["path"] = name.into();
        let call = match tool {
            "apply" => {
                arguments.as_object_mut().unwrap().remove("exact_line_ends");
                json!({"edits": [arguments], "exact_line_ends": true})
            }
            _ => arguments,
        };
        let answer = gate.call(tool, &call.to_string());
        let expected = after.as_ref().map_or_else(|| before.clone(), |after| text.encoded(after));
        let now = fs::read(path).unwrap();
        assert!(
            answer.is_ok() == after.is_some() && now == expected,
            "{name} ({:?}): {tool} {call}: {answer:?}; {} bytes become {}, and should become {}",
            text.form,
            before.len(),
            now.len(),
            expected.len()
        );
        done.edits += 1;
        done.refused += usize::from(after.is_none());
        done.with_crlf += usize::from(text.line_end() == "\r\n");
        *done.tools.entry(tool).or_default() += 1;
        *done.forms.entry(text.form.name()).or_default() += 1;
    }
    done
}

/// The text files.
fn files(root: &Path) -> Vec<(PathBuf, Form)> {
    let mut found = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                directories.push(entry.path());
            } else if kind.is_file()
                && entry.metadata().unwrap().len() <= LARGEST
                && entry.path().to_str().is_some()
            {
                let text = Text::of(&fs::read(entry.path()).unwrap()).map(|text| text.form);
                found.extend(text.map(|form| (entry.path(), form)));
            }
        }
    }
    found.sort();
    found
}

const WORDS: &[&str] =
    &["one", "two words", "", "x = y;", "\t}", "$1 \\1", "a longer text that stands for many", "=="];
const LETTERS: &[&str] = &["ä", "日本", "€", "Ж"];

/// New text on one line.
fn words(text: &Text, random: &mut Random) -> String {
    let mut words = [*random.pick(WORDS), *random.pick(WORDS)].concat();
    if text.form.has_all_letters() && random.below(3) == 0 {
        words += *random.pick(LETTERS);
    }
    words
}

fn edit(text: &Text, random: &mut Random) -> Option<Edit> {
    let exact = |mut arguments: Value| {
        arguments["exact_line_ends"] = true.into();
        arguments
    };
    let (lines, end) = (text.lines(), text.line_end());
    let made = |tool, arguments, after| Some(Edit { tool, arguments: exact(arguments), after });
    match random.below(6) {
        0..=2 => {
            let old = text.some(random)?;
            let new = words(text, random);
            // Cuts inside of a CRLF are tested by cases.
            let (tool, after) = match random.below(3) {
                0 => ("replace", text.replaced(&old, &new)),
                1 => ("replace_all", Some(text.replaced_all(&old, &new))),
                _ => ("apply", text.replaced(&old, &new)),
            };
            made(tool, json!({"old": old, "new": new}), after)
        }
        3 if !lines.is_empty() => {
            let first = random.below(lines.len() as u64) as usize;
            let last = (first + random.below(4) as usize).min(lines.len() - 1);
            let content: String = (0..random.below(4)).map(|_| words(text, random) + end).collect();
            let after =
                [&lines[..first].concat()[..], content.as_bytes(), &lines[last + 1..].concat()].concat();
            let arguments = json!({"lines": format!("{}-{}", first + 1, last + 1), "content": content});
            // Removing the last lines leaves the lines before them unchanged.
            made("replace_lines", arguments, Some(after))
        }
        4 if text.is_ended() => {
            let behind = random.below(lines.len() as u64 + 1) as usize;
            let content = words(text, random) + end;
            let after =
                [&lines[..behind].concat()[..], content.as_bytes(), &lines[behind..].concat()].concat();
            made("insert_lines", json!({"after": behind, "content": content}), Some(after))
        }
        5 if text.form == Form::Utf8 || text.form == Form::Other => {
            let content = words(text, random);
            let after = [&text.text[..], content.as_bytes()].concat();
            Some(Edit { tool: "append", arguments: json!({"content": content}), after: Some(after) })
        }
        _ => None,
    }
}
