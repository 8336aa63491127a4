//! The cases in `tests/cases/sham`: every block is carried out, and the last result compared.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value};

use super::run;
use crate::front_ends::InJson;
use crate::front_ends::sham::catalogue::{ACTIONS, Action};
use crate::front_ends::sham::convert::typed;
use crate::front_ends::sham::scan::blocks;
use crate::front_ends::sham::syntax::Code;
use crate::front_ends::testing::{from_outside, session};
use crate::volume::memory::{Item, Memory};

/// A case: its group and its name, the blocks, and what is expected.
struct Case {
    group: String,
    name: String,
    text: String,
    expected: Value,
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

fn cases() -> Vec<Case> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/sham");
    let mut paths: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().flat_map(|path| parsed(&std::fs::read_to_string(path).unwrap())).collect()
}

fn parsed(text: &str) -> Vec<Case> {
    let (mut group, mut name, mut fenced): (_, _, Vec<String>) = (String::new(), String::new(), Vec::new());
    let mut found = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        match (is_inside, line) {
            (true, "```") => {
                is_inside = false;
                if let [text, expected] = &fenced[..] {
                    let expected = serde_json::from_str(expected).unwrap();
                    found.push(Case {
                        group: group.clone(),
                        name: name.clone(),
                        text: text.clone(),
                        expected,
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

/// Times are as they are, and sentences that are not the system's own are compared elsewhere.
fn plain(mut value: Value, expected: &Value) -> Value {
    if let Some(Value::Array(entries)) = value.get_mut("data") {
        for modified in entries.iter_mut().filter_map(|entry| entry.get_mut("modified")) {
            if modified.as_str().is_some_and(|time| time.ends_with('Z') && time.contains('T')) {
                *modified = "$time".into();
            }
        }
    }
    if let Some((start, _)) = expected["error"].as_str().and_then(|error| error.split_once("$any"))
        && value["error"].as_str().is_some_and(|error| error.starts_with(start))
    {
        value["error"] = expected["error"].clone();
    }
    value
}

#[test]
fn the_last_result_is_what_each_case_expects() {
    let cases = cases();
    let of = |group: &str| cases.iter().filter(|case| case.group == group).count();
    assert_eq!(of("file_replace_text"), 17);
    let mut failed = Vec::new();
    for (Case { group, name, text, expected }, in_json) in
        cases.iter().flat_map(|case| [(case, false), (case, true)])
    {
        let volume = Memory::default();
        volume.put(&format!("t_{name}"), Item::Directory);
        for (_, file, content) in
            FILES.iter().filter(|(case, ..)| group == "file_replace_text" && case == name)
        {
            volume.put(&format!("t_{name}/{file}"), Item::File(content.as_bytes().to_vec()));
        }
        let session = session(&volume);
        let (output, _) = match in_json {
            false => run(&session, text, None, false),
            true => run(&InJson(&from_outside(&session)), text, None, false),
        };
        assert_eq!(output["parseErrors"], Value::Array(Vec::new()), "{group}/{name}");
        let results = output["results"].as_array().unwrap();
        assert_eq!(results.len(), blocks(text).len(), "{group}/{name}");
        let last = results.last().unwrap().as_object().unwrap();
        let shown = ["success", "error", "data"].iter().filter_map(|key| Some((*key, last.get(*key)?)));
        let shown: Map<String, Value> = shown.map(|(key, value)| (key.to_owned(), value.clone())).collect();
        let shown = plain(shown.into(), expected);
        if shown != *expected {
            failed.push(format!("{group}/{name}, in JSON: {in_json}: {shown}, and not {expected}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// More than an agent gets that does not say how much it wants: all of it comes all the same.
#[test]
fn nothing_is_cut_short_in_json() {
    let volume = Memory::default();
    let text = "a line, \"\\\" and é\n".repeat(100_000);
    volume.put("long.txt", Item::File(text.clone().into_bytes()));
    volume.put("many", Item::Directory);
    for number in 0..300 {
        volume.put(&format!("many/{number}.txt"), Item::File(b"here\n".to_vec()));
    }
    let blocks = [
        "action = \"file_read\"\npath = \"/tmp/long.txt\"",
        "action = \"ls\"\npath = \"/tmp/many\"",
        "action = \"glob\"\npattern = \"*.txt\"\nbase_path = \"/tmp/many\"",
        "action = \"grep\"\npattern = \"here\"\npath = \"/tmp/many\"",
        "action = \"file_read\"\npath = \"/tmp/none\"",
    ];
    let blocks = blocks.map(|lines| format!("#!SHAM [@three-char-SHA-256: abc]\n{lines}\n#!END_SHAM_abc\n"));
    let session = session(&volume);
    let (output, _) = run(&InJson(&from_outside(&session)), &blocks.concat(), None, false);
    let data = |number: usize| &output["results"][number]["data"];
    assert_eq!(data(0)["content"], text);
    for number in 1..=3 {
        assert_eq!(data(number).as_array().map(Vec::len), Some(300), "{}", output["results"][number]);
    }
    assert_eq!(output["results"][4]["error"], "ENOENT: no such file or directory, open '/tmp/none'");
}

/// What keeps to no contract is an error of the action, and the next one is carried out.
#[test]
fn an_answer_that_nobody_can_read_is_told() {
    let text = "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_read\"\npath = \"/a\"\n#!END_SHAM_abc\n";
    for answer in [Ok("{}".to_owned()), Err("no JSON".to_owned())] {
        let (output, _) = run(&InJson(&|_, _| answer.clone()), &text.repeat(2), None, false);
        assert_eq!((&output["success"], &output["executedActions"]), (&false.into(), &2.into()));
        let error = output["results"][1]["error"].as_str().unwrap();
        assert!(error.starts_with("file_read: the answer to `read` is not the contract's: "), "{error}");
    }
}

#[test]
fn every_action_has_a_case() {
    let cases = cases();
    let last =
        |case: &Case| blocks(&case.text).last().and_then(|block| block.value("action").map(str::to_owned));
    let tried: BTreeSet<_> = cases.iter().filter_map(last).collect();
    let missing: Vec<_> = ACTIONS.iter().filter(|action| !tried.contains(action.name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_page_has_every_action_and_every_code() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/sham.md");
    let page = std::fs::read_to_string(page).unwrap();
    for Action { name, parameters, primary_param, .. } in ACTIONS {
        assert!(page.contains(&format!("`{name}`")), "{name}");
        let names: Vec<_> = parameters.iter().map(|parameter| parameter.name).collect();
        assert!(names.iter().all(|name| page.contains(&format!("`{name}`"))), "{names:?}");
        assert!(primary_param.is_none_or(|primary| names.contains(&primary)), "{name}");
        for parameter in *parameters {
            assert!(
                parameter.default.is_none_or(|default| typed(parameter, default).is_ok()),
                "{parameter:?}"
            );
        }
    }
    for code in Code::ALL {
        let name = serde_json::to_value(code).unwrap();
        assert!(page.contains(&format!("| `{}` |", name.as_str().unwrap())), "{name}");
    }
}
