//! Runs `tests/cases/sham`: every block of a case, comparing the last result.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::run;
use super::sham_cases::ShamCase;
use crate::InJson;
use crate::sham::catalogue::{ACTIONS, ActionSpec};
use crate::sham::convert::typed;
use crate::sham::scan::blocks;
use crate::sham::syntax::SyntaxCode;
use crate::testing::{from_outside, session};
use fsgate_volume::memory::{Item, Memory};

fn cases() -> Vec<ShamCase> {
    ShamCase::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/sham")).unwrap()
}

#[test]
fn the_last_result_is_what_each_case_expects() {
    let cases = cases();
    let of = |group: &str| cases.iter().filter(|case| case.group == group).count();
    assert_eq!(of("file_replace_text"), 17);
    let mut failed = Vec::new();
    for (case, in_json) in cases.iter().flat_map(|case| [(case, false), (case, true)]) {
        let name = format!("{}/{}", case.group, case.name);
        let volume = Memory::default();
        volume.put(&case.directory(), Item::Directory);
        for (file, content) in case.files() {
            volume.put(&format!("{}/{file}", case.directory()), Item::File(content.as_bytes().to_vec()));
        }
        let session = session(&volume);
        let (output, _) = match in_json {
            false => run(&session, &case.text, None, false),
            true => run(&InJson::over(&from_outside(&session)), &case.text, None, false),
        };
        assert_eq!(output["parseErrors"], Value::Array(Vec::new()), "{name}");
        let results = output["results"].as_array().unwrap();
        assert_eq!(results.len(), blocks(&case.text).len(), "{name}");
        let (shown, expected) = (case.shown(&output), &case.expected);
        if shown != *expected {
            failed.push(format!("{name}, in JSON: {in_json}: {shown}, and not {expected}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Larger than an agent's default answers: all of it is read.
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
    let (output, _) = run(&InJson::over(&from_outside(&session)), &blocks.concat(), None, false);
    let data = |number: usize| &output["results"][number]["data"];
    assert_eq!(data(0)["content"], text);
    for number in 1..=3 {
        assert_eq!(data(number).as_array().map(Vec::len), Some(300), "{}", output["results"][number]);
    }
    assert_eq!(output["results"][4]["error"], "ENOENT: no such file or directory, open '/tmp/none'");
}

/// A malformed answer fails its action, and the next one runs.
#[test]
fn an_answer_that_nobody_can_read_is_told() {
    let text = "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_read\"\npath = \"/a\"\n#!END_SHAM_abc\n";
    for answer in [Ok("{}".to_owned()), Err("no JSON".to_owned())] {
        let (output, _) = run(&InJson::over(&|_, _| answer.clone()), &text.repeat(2), None, false);
        assert_eq!((&output["success"], &output["executedActions"]), (&false.into(), &2.into()));
        let error = output["results"][1]["error"].as_str().unwrap();
        assert!(error.starts_with("file_read: the answer to `read` is not the contract's: "), "{error}");
    }
}

#[test]
fn every_action_has_a_case() {
    let cases = cases();
    let last = |case: &ShamCase| {
        blocks(&case.text).last().and_then(|block| block.value("action").map(str::to_owned))
    };
    let tried: BTreeSet<_> = cases.iter().filter_map(last).collect();
    let missing: Vec<_> = ACTIONS.iter().filter(|action| !tried.contains(action.name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_page_has_every_action_and_every_code() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/sham.md");
    let page = std::fs::read_to_string(page).unwrap();
    for ActionSpec { name, parameters, primary_param, .. } in ACTIONS {
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
    for code in SyntaxCode::ALL {
        let name = serde_json::to_value(code).unwrap();
        assert!(page.contains(&format!("| `{}` |", name.as_str().unwrap())), "{name}");
    }
}
