//! Complete texts: outputs, undo, and fatal errors.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{run, session};
use crate::workflow::catalogue::TOOLS;
use crate::workflow::print::printed;
use crate::{InJson, Tools};
use fsgate_contract::front_ends_types::{WorkflowArgs, WorkflowVariable};
use fsgate_contract::history_types::RestoreArgs;
use fsgate_contract::limits::{FRONT_END_TEXT_BYTES, WORKFLOW_BLOCKS, WORKFLOW_FILLED_BYTES};
use fsgate_volume::memory::{Item, Memory};

const POLICY: &str = r#"{"profile": "workflow"}"#;

fn write(path: &str, content: &str) -> String {
    printed("write_file", &[("file_path", path), ("content", content)])
}

fn read(path: &str) -> String {
    printed("read_file", &[("file_path", path)])
}

fn file(volume: &Memory, path: &str) -> Option<String> {
    match volume.snapshot().remove(path)? {
        Item::File(bytes) => Some(String::from_utf8(bytes).unwrap()),
        _ => None,
    }
}

#[test]
fn every_block_has_its_result_and_takes_nothing_from_the_others() {
    let volume = Memory::default();
    let text = format!("# Steps\n\n{}\n{}\n{}", read("none"), write("a.txt", "1"), read("a.txt"));
    let (output, rendered) = run(&session(&volume, POLICY), &text, &[]);
    assert_eq!((&output["success"], &output["totalBlocks"]), (&json!(false), &json!(3)));
    assert_eq!(output.get("notes"), None);
    let results = output["results"].as_array().unwrap();
    let told: Vec<_> =
        results.iter().map(|result| (&result["tool"], &result["line"], &result["success"])).collect();
    let expected = [("read_file", 3, false), ("write_file", 7, true), ("read_file", 12, true)];
    let expected = expected.map(|(tool, line, success)| (json!(tool), json!(line), json!(success)));
    assert_eq!(told, expected.each_ref().map(|(tool, line, success)| (tool, line, success)));
    let results: Vec<_> = results.iter().map(|result| result["result"].to_string()).collect();
    assert_eq!(rendered, format!("# Steps\n\n{}\n\n{}\n\n{}\n", results[0], results[1], results[2]));
    assert_eq!(file(&volume, "project/a.txt").as_deref(), Some("1"));
}

#[test]
fn a_text_without_blocks_is_a_success() {
    for text in ["", "Only prose, with {{a_variable}}.\n", "---\nname: x\n---\n# Steps\n"] {
        let (output, rendered) = run(&session(&Memory::default(), POLICY), text, &[]);
        assert_eq!(output, json!({"success": true, "totalBlocks": 0, "results": []}));
        assert_eq!(rendered, text);
    }
}

#[test]
fn a_backup_is_brought_back_by_its_path() {
    let volume = Memory::default();
    volume.put("project/a.txt", Item::File(b"old".to_vec()));
    let session = session(&volume, POLICY);
    let text = write("a.txt", "new") + &write("a.txt", "newer");
    let (output, _) = run(&session, &text, &[]);
    let id = output["results"][0]["result"]["backupPath"].as_str().unwrap();
    session.call(&RestoreArgs { id: id.to_owned(), ..RestoreArgs::default() }).unwrap();
    assert_eq!(file(&volume, "project/a.txt").as_deref(), Some("old"));
    let delete = printed("delete_file", &[("file_path", "a.txt"), ("confirm", "true")]);
    let (output, _) = run(&session, &delete, &[]);
    let id = output["results"][0]["result"]["backupPath"].as_str().unwrap();
    session.call(&RestoreArgs { id: id.to_owned(), ..RestoreArgs::default() }).unwrap();
    assert_eq!(file(&volume, "project/a.txt").as_deref(), Some("old"));
}

#[test]
fn the_checksum_is_sha_256() {
    let volume = Memory::default();
    volume.put("project/a.txt", Item::File(b"abc".to_vec()));
    let (output, _) = run(&session(&volume, POLICY), &read("a.txt"), &[]);
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(output["results"][0]["result"]["checksum"], expected);
}

#[test]
fn a_file_of_several_pages_comes_whole_and_its_lines_are_counted() {
    let volume = Memory::default();
    let line = format!("{}\r\n", "x".repeat(99_998));
    volume.put("project/a.txt", Item::File(line.repeat(40).into_bytes()));
    volume.put("project/long.txt", Item::File("y".repeat(3 << 20).into_bytes()));
    let session = session(&volume, POLICY);
    let part = printed("read_file", &[("file_path", "a.txt"), ("skip_lines", "5"), ("max_lines", "30")]);
    let one = printed("read_file", &[("file_path", "long.txt"), ("max_lines", "1")]);
    let (output, _) =
        run(&InJson::over(&crate::testing::from_outside(&session)), &(read("a.txt") + &part + &one), &[]);
    let result = |number: usize| &output["results"][number]["result"];
    for (number, length, lines) in [(0, 40 * line.len(), 40), (1, 30 * line.len(), 40), (2, 3 << 20, 1)] {
        assert_eq!(result(number)["content"].as_str().map(str::len), Some(length));
        assert_eq!(result(number)["lineCount"], lines);
    }
}

#[test]
fn a_file_that_changes_meanwhile_is_told() {
    let volume = Memory::default();
    volume.put("project/a.txt", Item::File(b"old".to_vec()));
    let session = session(&volume, POLICY);
    let inner = crate::testing::from_outside(&session);
    let call = |tool: &str, arguments: &str| {
        let answer = inner(tool, arguments);
        if tool == "read" {
            volume.put("project/a.txt", Item::File(b"new".to_vec()));
        }
        answer
    };
    let (output, _) = run(&InJson::over(&call), &read("a.txt"), &[]);
    assert_eq!(output["results"][0]["result"]["error"]["code"], "stale");
}

#[test]
fn settings_hold_or_nothing_is_done() {
    let asks = "---\ntool_configuration:\n  file_system:\n    enable_audit_logging: true\n---\n";
    let open = "---\ntool_configuration:\n  file_system:\n    max_file_size: 1\n";
    for (front, hold, audited, fatal, notes) in [
        ("---\nname: x\n---\n", None, None, None, 0),
        (asks, None, None, Some("the front matter has settings for the tools"), 0),
        (asks, Some(false), Some(true), Some("the front matter has settings for the tools"), 0),
        (asks, Some(true), None, None, 1),
        (asks, Some(true), Some(true), None, 0),
        (&asks.replace("true", "false"), Some(true), None, None, 0),
        (open, Some(true), None, Some("the front matter has settings that cannot be read"), 0),
        (&asks.replace('_', "\\u005f"), None, None, Some("the front matter has settings for the tools"), 0),
        (
            &asks.replacen("---\n", "---\nname: x\n...\n", 1),
            Some(true),
            None,
            Some("the front matter has settings that cannot be read"),
            0,
        ),
    ] {
        let volume = Memory::default();
        let args = WorkflowArgs {
            text: format!("{front}{}{}", write("a.txt", "1"), write("b.txt", "1")),
            settings_hold: hold,
            audited,
            ..WorkflowArgs::default()
        };
        let outcome = crate::workflow::run(&session(&volume, POLICY), &args);
        let output: Value = serde_json::from_str(&outcome.output).unwrap();
        let told = output["fatalError"].as_str();
        assert_eq!(told.is_some(), fatal.is_some(), "{output}");
        assert!(told.unwrap_or_default().starts_with(fatal.unwrap_or_default()), "{output}");
        assert_eq!(file(&volume, "project/b.txt").is_some(), fatal.is_none());
        assert_eq!(output["notes"].as_array().map_or(0, Vec::len), notes, "{output}");
        assert_eq!(outcome.rendered, None);
    }
}

#[test]
fn what_is_too_much_keeps_everything_from_being_done() {
    let variable = |length| WorkflowVariable { name: "v".to_owned(), value: "x".repeat(length) };
    for (text, variables, why) in [
        (write("a", "1").repeat(WORKFLOW_BLOCKS + 1), None, "a text has at most 10000 blocks"),
        (" ".repeat(FRONT_END_TEXT_BYTES) + &write("a", "1"), None, "a text has at most 16777216 bytes"),
        (
            write("a", "1"),
            Some(vec![variable(FRONT_END_TEXT_BYTES)]),
            "the variables of a text have at most 16777216 bytes together",
        ),
    ] {
        let volume = Memory::default();
        let args = WorkflowArgs { text, variables, ..WorkflowArgs::default() };
        let outcome = crate::workflow::run(&session(&volume, POLICY), &args);
        let output: Value = serde_json::from_str(&outcome.output).unwrap();
        assert_eq!((&output["success"], &output["fatalError"]), (&json!(false), &json!(why)));
        assert_eq!(file(&volume, "project/a"), None);
    }
}

#[test]
fn variables_and_answers_are_bounded() {
    let volume = Memory::default();
    let long = "x".repeat(8 << 20);
    let block = "{{invoke_tool: get_file_info\n  path: {{v}}{{v}}\n}}\n";
    let (output, _) = run(&session(&volume, POLICY), &block.repeat(3), &[("v", &long)]);
    let code = |number: usize| &output["results"][number]["result"]["error"]["code"];
    assert_eq!((code(1), code(2)), (&json!("name_too_long"), &json!("too_large")), "{WORKFLOW_FILLED_BYTES}");
    volume.put("project/a.txt", Item::File(vec![b'x'; 10 << 20]));
    let (output, _) = run(&session(&volume, POLICY), &(read("a.txt").repeat(3) + &write("b.txt", "1")), &[]);
    let results = output["results"].as_array().unwrap();
    let succeeded: Vec<_> = results.iter().map(|result| result["success"] == true).collect();
    assert_eq!(succeeded, [true, true, false, true]);
    assert_eq!(
        results[2]["result"]["error"]["message"],
        "the blocks of one text give at most 25165824 bytes together"
    );
}

#[test]
fn a_change_without_a_history_is_told_all_the_same() {
    let volume = Memory::default();
    let grant = fsgate_volume::grant::Grant {
        name: "/w".to_owned(),
        volume: volume.clone(),
        access: fsgate_volume::Access::Write,
    };
    let session = fsgate_engine::session::Session::open_or_refuse(vec![grant], []);
    let (output, _) = run(&session, &write("a.txt", "1"), &[]);
    let result = &output["results"][0]["result"];
    assert_eq!((&result["success"], result.get("backupPath")), (&json!(true), None));
    assert!(result["timestamp"].as_str().unwrap().ends_with('Z'), "{result}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_values_are_answered(
        tool in prop::sample::select(TOOLS),
        values in prop::collection::vec("\\.?/?[a-b/.*]{0,6}|true|false|[0-9-]{0,4}|\\PC{0,6}", 5),
    ) {
        let names = tool.parameters.iter().map(|parameter| parameter.name);
        let values: Vec<_> = names.zip(values.iter().map(String::as_str)).collect();
        let volume = Memory::default();
        volume.put("project/a", Item::File(b"a\nb\n".to_vec()));
        let (output, _) = run(&session(&volume, POLICY), &printed(tool.name, &values), &[]);
        prop_assert_eq!(&output["totalBlocks"], 1);
        prop_assert_eq!(&output["results"][0]["tool"], tool.name);
    }
}
