//! A list of edits changes all of its files, or none.

use std::collections::BTreeMap;

use fsgate_engine::session::Session;
use fsgate_tests::memory;
use fsgate_tests::placeholder::strong_tag;
use fsgate_tests::tree::Tree;
use fsgate_volume::memory::{Item, Memory};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use super::model::{Replaced, bytes_written, patched, replaced, replaced_all};
use super::{as_bytes, bytes, call, config, request};

const MARK: &[u8] = "\u{FEFF}".as_bytes();

/// The files that there may be; `d` is no directory yet.
const NAMES: &[&str] = &["a", "b", "c", "d/e"];

type Files = BTreeMap<String, Vec<u8>>;

#[derive(Debug, Clone)]
enum Edit {
    Replace { old: String, new: String, occurrence: Option<u32>, all: bool },
    Content(String),
    Delete,
}

fn edit() -> impl Strategy<Value = (&'static str, Edit)> {
    let replace = (request(1..3), request(0..4), prop::option::weighted(0.3, 1..4_u32), any::<bool>())
        .prop_map(|(old, new, occurrence, all)| Edit::Replace {
            old,
            new,
            occurrence,
            all: all && occurrence.is_none(),
        });
    let content = request(0..5).prop_map(Edit::Content);
    (select(NAMES), prop_oneof![12 => replace, 2 => content, 1 => Just(Edit::Delete)])
}

fn edits() -> impl Strategy<Value = Vec<(&'static str, Edit)>> {
    vec(edit(), 1..6)
}

fn json_of((name, edit): &(&str, Edit)) -> Value {
    match edit {
        Edit::Replace { old, new, occurrence, all } => {
            json!({"path": name, "old": old, "new": new, "occurrence": occurrence, "all": all})
        }
        Edit::Content(content) => json!({"path": name, "content": content}),
        Edit::Delete => json!({"path": name, "delete": true}),
    }
}

/// A file after the edits.
#[derive(Debug, Default)]
struct Made {
    lines: Vec<u32>,
    adapted: bool,
}

/// The files after the edits, and the result for each, in the order in which they were first named.
type Applied = (Files, Vec<(&'static str, Made)>);

/// The effect of a list of edits, or the code of the error. Edits are compared with one another first,
/// then carried out, file by file.
fn model(before: &Files, edits: &[(&'static str, Edit)], adapt: bool) -> Result<Applied, &'static str> {
    let stands_alone = |edit: &Edit| !matches!(edit, Edit::Replace { .. });
    for (number, (name, edit)) in edits.iter().enumerate() {
        let mut others = edits[..number].iter().filter(|(other, _)| other == name);
        if others.any(|(_, other)| stands_alone(other) || stands_alone(edit)) {
            return Err("invalid_argument");
        }
    }
    let mut order: Vec<&'static str> = Vec::new();
    for (name, _) in edits {
        if !order.contains(name) {
            order.push(name);
        }
    }
    let mut after = before.clone();
    let mut made = Vec::new();
    for name in order {
        let mut here = Made::default();
        for (_, edit) in edits.iter().filter(|(other, _)| *other == name) {
            let file = after.get(name).cloned();
            match (edit, file) {
                (Edit::Content(content), file) => {
                    let mark = file.is_some_and(|file| file.starts_with(MARK));
                    let content = [if mark { MARK } else { b"" }, content.as_bytes()].concat();
                    after.insert(name.to_owned(), content);
                }
                (Edit::Delete, Some(_)) => drop(after.remove(name)),
                (Edit::Delete, None) | (Edit::Replace { .. }, None) => return Err("not_found"),
                (Edit::Replace { old, new, occurrence, all }, Some(file)) => {
                    let (old, new) = (old.as_bytes(), new.as_bytes());
                    let done = if *all {
                        replaced_all(&file, old, new, None, None, adapt)
                    } else {
                        replaced(&file, old, new, *occurrence, adapt)
                    };
                    let Replaced { after: text, lines, adapted, .. } =
                        done.map_err(|refusal| refusal.name())?;
                    after.insert(name.to_owned(), text);
                    here.lines.extend(lines);
                    here.adapted |= adapted;
                }
            }
        }
        made.push((name, here));
    }
    Ok((after, made))
}

fn session(files: &Files) -> (Memory, Session<Memory>) {
    let tree = Tree::parse("").unwrap();
    let volume = memory::volume(&tree).unwrap();
    for (name, content) in files {
        volume.put(&format!("w/{name}"), Item::File(content.clone()));
    }
    let session = memory::session(&tree, &volume, |volume| volume).unwrap();
    (volume, session)
}

fn files(volume: &Memory) -> Files {
    let named = |(path, item): (String, Item)| match item {
        Item::File(content) => Some((path.strip_prefix("w/")?.to_owned(), content)),
        _ => None,
    };
    volume.snapshot().into_iter().filter_map(named).collect()
}

/// The diff of each file, in order.
fn parts(diff: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let lines: Vec<_> = diff.split_inclusive('\n').collect();
    for (number, line) in lines.iter().enumerate() {
        // No line of the small files looks like a header: none begins with two of these characters.
        let has_hunks =
            line.starts_with("--- ") && lines.get(number + 1).is_some_and(|next| next.starts_with("+++ "));
        if has_hunks || line.starts_with("diff --git ") {
            parts.push(String::new());
        }
        parts.last_mut().unwrap().push_str(line);
    }
    parts
}

proptest! {
    #![proptest_config(config(1_500))]

    #[test]
    fn a_list_of_edits_does_what_the_model_does_to_all_files_or_nothing(
        a in bytes(),
        b in prop_oneof![bytes(), request(0..12).prop_map(String::into_bytes)],
        edits in edits(),
        exact in prop::bool::weighted(0.1),
    ) {
        let before = Files::from([("a".to_owned(), a), ("b".to_owned(), b)]);
        let (volume, session) = session(&before);
        let list: Vec<_> = edits.iter().map(json_of).collect();
        let encoding = before.values().find_map(|content| as_bytes(content));
        let arguments = json!({"edits": list, "exact_line_ends": exact, "encoding": encoding, "diff": true});
        let mut dry = arguments.clone();
        dry["dry_run"] = Value::Bool(true);
        let tried = call(&session, "apply", &dry);
        prop_assert_eq!(&files(&volume), &before, "a dry run writes");
        let answer = call(&session, "apply", &arguments);
        prop_assert_eq!(&tried, &answer, "a dry run answers the same");
        match (model(&before, &edits, !exact), answer) {
            (Ok((after, made)), Ok(outcome)) => {
                prop_assert_eq!(&files(&volume), &after);
                let told = outcome["files"].as_array().unwrap();
                prop_assert_eq!(told.len(), made.len());
                for ((name, made), file) in made.iter().zip(told) {
                    let tag = |files: &Files| files.get(*name).map(|content| strong_tag(content));
                    prop_assert_eq!(&file["path"], &format!("/w/{name}"));
                    let (tag_before, tag_after) = (tag(&before), tag(&after));
                    prop_assert_eq!(file["etag_before"].as_str(), tag_before.as_deref());
                    prop_assert_eq!(file["etag"].as_str(), tag_after.as_deref());
                    prop_assert_eq!(&file["created"], !before.contains_key(*name));
                    prop_assert_eq!(&file["deleted"], !after.contains_key(*name));
                    prop_assert_eq!(&file["line_ends_adapted"], made.adapted);
                    prop_assert_eq!(&file["lines"], &Value::from(made.lines.clone()));
                    let written = match (before.get(*name), after.get(*name)) {
                        (_, None) => 0,
                        (None, Some(after)) => after.len() as u64,
                        (Some(before), Some(after)) => bytes_written(before, after),
                    };
                    prop_assert_eq!(&file["bytes_written"], written);
                }
                let valid = before.values().all(|content| std::str::from_utf8(content).is_ok());
                if let (Some(diff), true, None) = (outcome["diff"].as_str(), valid, left_out(&outcome)) {
                    let changed = made.iter().map(|(name, _)| *name);
                    let mut changed: Vec<_> =
                        changed.filter(|name| before.get(*name) != after.get(*name)).collect();
                    // Empty files have no hunks, and stand at the end.
                    let has_bytes = |files: &Files, name: &str| files.get(name).is_some_and(|bytes| !bytes.is_empty());
                    changed.sort_by_key(|name| !has_bytes(&before, name) && !has_bytes(&after, name));
                    let parts = parts(diff);
                    prop_assert_eq!(changed.len(), parts.len(), "{}", diff);
                    for (name, part) in changed.into_iter().zip(parts) {
                        let old = before.get(name).map_or(&b""[..], Vec::as_slice);
                        // A deleted file has no name behind; what the patch makes of it is nothing.
                        let part = part.replace("+++ /dev/null", "+++ b/gone");
                        let new = after.get(name).map_or(&b""[..], Vec::as_slice);
                        prop_assert_eq!(patched(old, part.as_bytes()), new, "by {}", part);
                    }
                }
            }
            (Err(code), Err(error)) => {
                prop_assert_eq!(&error["code"], code, "{}", error);
                prop_assert_eq!(&error["applied"], false);
                prop_assert!(error["message"].as_str().unwrap().starts_with("edit "), "{}", error);
                prop_assert_eq!(&files(&volume), &before);
            }
            (model, answer) => prop_assert!(false, "the model says {:?}, and the tool {:?}", model, answer),
        }
    }
}

/// The note that a diff is not whole.
fn left_out(outcome: &Value) -> Option<&Map<String, Value>> {
    let notes = outcome["notes"].as_array().into_iter().flatten();
    notes.filter_map(Value::as_object).find(|note| note["kind"] == "diff")
}
