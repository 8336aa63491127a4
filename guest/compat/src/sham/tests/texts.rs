//! Complete texts and their outputs.

use proptest::prelude::*;
use serde_json::json;

use super::{block, files, run, write};
use crate::sham::catalogue::ActionSpec;
use crate::sham::convert::parse;
use crate::testing::session;
use fsgate_contract::limits::{FRONT_END_TEXT_BYTES, SHAM_BLOCKS, SHAM_SHOWN_BYTES};
use fsgate_engine::session::Session;
use fsgate_volume::Access;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{Item, Memory};

#[test]
fn what_is_broken_takes_nothing_from_what_is_not() {
    let bad = "#!SHAM [@three-char-SHA-256: bad]\naction = \"file_write\"\npath = \"/tmp/bad.txt\"\npath = \"/tmp/duplicate.txt\"\n#!END_SHAM_bad";
    let text =
        format!("Some prose\n\n```sh sham\n{bad}\n```\n{}", write("gud", "/tmp/good.txt", "Valid content"));
    let (output, state) = run(&session(&Memory::default()), &text, None, false);
    assert_eq!(
        output,
        json!({
            "success": false,
            "totalBlocks": 2,
            "executedActions": 1,
            "results": [{
                "seq": 1,
                "blockId": "gud",
                "action": "file_write",
                "params": {"path": "/tmp/good.txt", "content": "Valid content"},
                "success": true,
                "data": {"path": "/tmp/good.txt", "bytesWritten": 13},
            }],
            "parseErrors": [{
                "blockId": "bad",
                "action": "file_write",
                "errorType": "syntax",
                "message": "Duplicate key 'path' in block 'bad'",
                "blockStartLine": 4,
                "shamContent": bad,
            }],
        })
    );
    assert!(state.is_some());
}

#[test]
fn what_fails_does_not_keep_the_next_one_from_being_done() {
    let text =
        block("del", &[("action", "file_delete"), ("path", "/tmp/ghost")]) + &write("wri", "/tmp/a", "x");
    let (output, _) = run(&session(&Memory::default()), &text, None, false);
    assert_eq!((&output["success"], &output["executedActions"]), (&json!(false), &json!(2)));
    assert_eq!(output["results"][0]["error"], "ENOENT: no such file or directory, unlink '/tmp/ghost'");
    assert_eq!((&output["results"][1]["seq"], &output["results"][1]["success"]), (&json!(2), &json!(true)));
}

#[test]
fn a_text_without_blocks_is_a_success() {
    for text in ["", "Only prose, which mentions #!SHAM blocks.\n", "#!END_SHAM_abc\n"] {
        let (output, state) = run(&session(&Memory::default()), text, None, false);
        let expected = json!({"success": true, "totalBlocks": 0, "executedActions": 0, "results": [], "parseErrors": []});
        assert_eq!((output, state), (expected, None));
    }
}

#[test]
fn parameters_are_typed_and_defaults_are_there() {
    let exec = |values: &[(&str, &str)]| {
        block(
            "exe",
            &[&[("action", "exec"), ("code", "1"), ("lang", "bash"), ("other", "x")], values].concat(),
        )
    };
    let parsed = |text: &str| serde_json::to_value(parse(text)).unwrap();
    let typed = parsed(&exec(&[("return_output", "false")]));
    assert_eq!(
        typed["actions"][0],
        json!({
            "action": "exec",
            "parameters": {"code": "1", "lang": "bash", "return_output": false},
            "metadata": {"blockId": "exe", "startLine": 1, "endLine": 7},
        })
    );
    assert_eq!(typed["summary"], json!({"totalBlocks": 1, "successCount": 1, "errorCount": 0}));
    assert_eq!(parsed(&exec(&[]))["actions"][0]["parameters"]["return_output"], true);
}

#[test]
fn mistakes_in_actions_are_told() {
    let all = |values: &[(&str, &str)]| {
        let action = ("action", "file_replace_all_text");
        let text = &[action, ("path", "/a"), ("old_text", "a"), ("new_text", "b")];
        block("abc", &[text, values].concat())
    };
    for (text, kind, action, messages) in [
        (block("abc", &[]), "validation", None, &["Missing 'action' field in SHAM block"][..]),
        (
            block("abc", &[("action", "write_file")]),
            "validation",
            Some("write_file"),
            &["Unknown action: write_file"],
        ),
        (
            block("abc", &[("action", "File_Write")]),
            "validation",
            Some("File_Write"),
            &["Unknown action: File_Write"],
        ),
        (
            block("abc", &[("action", "file_write")]),
            "validation",
            Some("file_write"),
            &["Missing required parameter: path", "Missing required parameter: content"],
        ),
        (write("abc", "a/b", ""), "type", Some("file_write"), &["Invalid absolute path: a/b"]),
        (
            block("abc", &[("action", "files_read"), ("paths", "/a\n\n ./b\n/c")]),
            "type",
            Some("files_read"),
            &["Invalid absolute path: ./b"],
        ),
        (all(&[("count", "two")]), "type", Some("file_replace_all_text"), &["Invalid integer value: two"]),
        (all(&[("count", "2.0")]), "type", Some("file_replace_all_text"), &["Invalid integer value: 2.0"]),
        (all(&[("count", "02")]), "type", Some("file_replace_all_text"), &["Invalid integer value: 02"]),
        (
            block("abc", &[("action", "exec"), ("code", "1"), ("lang", "bash"), ("return_output", "yes")]),
            "type",
            Some("exec"),
            &["Invalid boolean value: yes"],
        ),
        (
            block("abc", &[("action", "exec"), ("code", "1"), ("lang", "ruby")]),
            "type",
            Some("exec"),
            &["Invalid enum value: ruby. Allowed: python, javascript, bash"],
        ),
    ] {
        let (output, _) = run(&session(&Memory::default()), &text, None, false);
        assert_eq!((&output["success"], &output["results"]), (&json!(false), &json!([])));
        let told = output["parseErrors"].as_array().unwrap();
        assert_eq!(told.iter().map(|error| error["message"].as_str().unwrap()).collect::<Vec<_>>(), messages);
        let shown: Vec<_> = told.iter().filter_map(|error| error["shamContent"].as_str()).collect();
        assert_eq!(shown, [text.trim_end()]);
        for error in told {
            assert_eq!((&error["errorType"], error["action"].as_str()), (&json!(kind), action));
            assert_eq!((&error["blockId"], &error["blockStartLine"]), (&json!("abc"), &json!(1)));
        }
    }
    let (output, _) = run(&session(&Memory::default()), "#!SHAM [@sham-id: 567]\n", None, false);
    assert_eq!(output["parseErrors"][0]["blockId"], "unknown");
    assert!(output["parseErrors"][0].get("action").is_none());
}

#[test]
fn a_value_of_another_type_is_told_with_its_parameter() {
    for (action, parameter, kind, value, actual) in [
        ("file_move", "new_path", "absolute_path", "b", "b"),
        ("files_read", "paths", "multiline_absolute_paths", "/a\n b \nc", "b"),
        ("file_replace_all_text", "count", "integer", "two", "two"),
        ("exec", "return_output", "boolean", "yes", "yes"),
        ("exec", "lang", "enum", "ruby", "ruby"),
    ] {
        let known = ActionSpec::find(action).unwrap();
        let others = known.parameters.iter().filter(|other| other.required && other.name != parameter);
        let others = others.map(|other| (other.name, if other.name == "lang" { "bash" } else { "/a" }));
        let values: Vec<_> = [("action", action), (parameter, value)].into_iter().chain(others).collect();
        let (output, _) = run(&session(&Memory::default()), &block("abc", &values), None, false);
        let [error] = &output["parseErrors"].as_array().unwrap()[..] else { panic!("{output}") };
        let told = (&error["parameterName"], &error["expectedType"], &error["actualValue"]);
        assert_eq!(told, (&json!(parameter), &json!(kind), &json!(actual)), "{error}");
    }
    let (output, _) = run(&session(&Memory::default()), &block("abc", &[("action", "ls")]), None, false);
    let error = &output["parseErrors"][0];
    assert_eq!((&error["errorType"], error.get("parameterName")), (&json!("validation"), None));
}

#[test]
fn a_large_value_is_not_repeated_whole() {
    let value = "ä".repeat(SHAM_SHOWN_BYTES);
    let error = parse(&block("abc", &[("action", "ls"), ("path", &value)])).errors.remove(0);
    let actual = error.mistyped.unwrap().actual_value;
    assert!(actual.len() <= SHAM_SHOWN_BYTES + 3 && actual.ends_with("ä…"));
    assert_eq!(error.message, format!("Invalid absolute path: {actual}"));
}

/// A value that grows sixfold in JSON, with more mistakes than are repeated.
#[test]
fn a_large_action_is_not_repeated_with_each_mistake() {
    let action = "\u{1}".repeat(1 << 20);
    let heredoc = format!("action = <<'EOT_SHAM_abc'\n{action}\nEOT_SHAM_abc\n{}", "bad\n".repeat(12));
    let broken = format!("#!SHAM [@three-char-SHA-256: abc]\n{heredoc}#!END_SHAM_abc\n");
    for (text, mistakes) in [(broken, 10), (block("abc", &[("action", &action)]), 1)] {
        let (output, _) = run(&session(&Memory::default()), &text, None, false);
        assert_eq!(output["parseErrors"].as_array().map(Vec::len), Some(mistakes));
        let bytes = output.to_string().len();
        assert!(bytes < 8 * SHAM_SHOWN_BYTES, "{bytes}");
    }
}

#[test]
fn a_line_that_no_file_has_is_refused() {
    let volume = Memory::default();
    volume.put("a", Item::File(b"one\n".to_vec()));
    for lines in ["18446744073709551615", "99999999999999999999", "2-18446744073709551615"] {
        let text = block("num", &[("action", "file_read_numbered"), ("path", "/tmp/a"), ("lines", lines)]);
        let (output, _) = run(&session(&volume), &text, None, false);
        let told = format!("file_read_numbered: Requested lines {lines} but file only has 1 lines");
        assert_eq!(output["results"][0]["error"], told);
    }
}

#[test]
fn every_mistake_is_counted() {
    let broken = "#!SHAM [@three-char-SHA-256: bad]\nkey = 1\n// 2\n#!END_SHAM_bad\n";
    let text = write("gud", "/tmp/a", "") + broken + &block("abc", &[("action", "no")]);
    let parsed = serde_json::to_value(parse(&text)).unwrap();
    assert_eq!(parsed["summary"], json!({"totalBlocks": 3, "successCount": 1, "errorCount": 3}));
}

#[test]
fn a_number_is_read_with_spaces_around_it() {
    let values = [
        ("action", "file_replace_all_text"),
        ("path", "/a"),
        ("old_text", "a"),
        ("new_text", ""),
        ("count", " 2 "),
    ];
    assert_eq!(parse(&block("abc", &values)).actions[0].parameters["count"], 2);
}

#[test]
fn a_large_broken_block_is_not_repeated_whole() {
    let text = format!("#!SHAM [@three-char-SHA-256: abc]\nkey = \"{}\"\n", "ä".repeat(SHAM_SHOWN_BYTES));
    let shown = parse(&text).errors.remove(0).sham_content.unwrap();
    assert!(shown.len() <= SHAM_SHOWN_BYTES + 3 && shown.ends_with("ä…"));
}

#[test]
fn what_cannot_be_read_keeps_everything_from_being_done() {
    let volume = Memory::default();
    let (output, state) = run(&session(&volume), &write("wri", "/tmp/a", "x"), Some("{".to_owned()), false);
    assert_eq!((&output["success"], &output["executedActions"]), (&json!(false), &json!(0)));
    assert!(output["fatalError"].as_str().unwrap().contains("cannot be read"));
    assert_eq!((files(&volume).len(), state.as_deref()), (0, Some("{")));
    let many = write("wri", "/tmp/a", "x").repeat(SHAM_BLOCKS + 1);
    let large = " ".repeat(FRONT_END_TEXT_BYTES) + &write("wri", "/tmp/a", "x");
    for (text, why) in
        [(many, "a text has at most 10000 blocks"), (large, "a text has at most 16777216 bytes")]
    {
        let (output, _) = run(&session(&volume), &text, None, false);
        assert_eq!((&output["fatalError"], &output["executedActions"]), (&json!(why), &json!(0)));
    }
    assert_eq!(files(&volume).len(), 0);
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let volume = Memory::default();
    volume.put("a", Item::File(vec![b'x'; (10 << 20) + 1]));
    volume.put("b", Item::File(b"line\n".repeat((10 << 20) / 5)));
    let session = session(&volume);
    let read = |path| block("rea", &[("action", "file_read"), ("path", path)]);
    let (output, _) = run(&session, &read("/tmp/a"), None, false);
    assert_eq!(output["results"][0]["error"], "EFBIG: file too large, open '/tmp/a'");
    let one = block("one", &[("action", "file_read_numbered"), ("path", "/tmp/b"), ("lines", "7")]);
    let (output, _) = run(&session, &read("/tmp/b").repeat(3), None, false);
    let results = &output["results"];
    assert_eq!(results[1]["data"]["content"].as_str().unwrap().len(), 10 << 20);
    let much = "the actions of one text give at most 25165824 bytes together";
    assert_eq!(results[2]["error"], format!("file_read: {much}"));
    let long = "x".repeat(1000);
    let numbered =
        block("num", &[("action", "file_read_numbered"), ("path", "/tmp/b"), ("delimiter", &long)]);
    let (output, _) = run(&session, &numbered, None, false);
    assert_eq!(output["results"][0]["error"], format!("file_read_numbered: {much}"));
    let (output, _) = run(&session, &one.repeat(5), None, false);
    assert_eq!(output["results"][4]["data"]["content"], "7: line");
}

#[test]
fn a_large_file_is_searched() {
    let volume = Memory::default();
    let lines = "hay and nothing else\n".repeat((11 << 20) / 21);
    volume.put("a", Item::File(format!("needle 1\n{lines}needle 2").into_bytes()));
    let grep = block("gre", &[("action", "grep"), ("pattern", "needle"), ("path", "/tmp/a")]);
    let (output, _) = run(&session(&volume), &grep, None, false);
    let found = |line: usize, text: &str| json!({"file": "/tmp/a", "line_number": line, "line": text});
    let last = (11 << 20) / 21 + 2;
    assert_eq!(output["results"][0]["data"], json!([found(1, "needle 1"), found(last, "needle 2")]));
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    let volume = Memory::default();
    volume.put("a.png", Item::File(b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\xFF\0".to_vec()));
    let read = block("rea", &[("action", "file_read"), ("path", "/tmp/a.png")]);
    let (output, _) = run(&session(&volume), &read, None, false);
    assert_eq!(output["results"][0]["error"], "EILSEQ: illegal byte sequence, open '/tmp/a.png'");
}

#[test]
fn a_source_that_cannot_be_looked_up_is_not_found() {
    let volume = Memory::default();
    volume.put("file", Item::File(b"x".to_vec()));
    volume.put("dangling", Item::Link("nothing".to_owned()));
    volume.put("round", Item::Link("round".to_owned()));
    let before = volume.snapshot();
    for source in ["/tmp/nothing", "/tmp/file/in", "/tmp/dangling", "/tmp/round"] {
        let text = block("mov", &[("action", "file_move"), ("old_path", source), ("new_path", "/tmp/n/a")]);
        let (output, _) = run(&session(&volume), &text, None, false);
        let error = format!("file_move: Source file not found '{source}' (ENOENT)");
        assert_eq!(output["results"][0]["error"], error);
    }
    assert_eq!(volume.snapshot(), before);
}

#[test]
fn a_move_onto_itself_succeeds_and_changes_nothing() {
    let volume = Memory::default();
    volume.put("d/f", Item::File(b"x".to_vec()));
    volume.put("l", Item::Link("d/f".to_owned()));
    volume.put("way", Item::Link("d".to_owned()));
    let before = volume.snapshot();
    let session = session(&volume);
    let moved = |from, to| {
        let text = block("mov", &[("action", "file_move"), ("old_path", from), ("new_path", to)]);
        run(&session, &text, None, false)
    };
    for (from, to) in [
        ("/tmp/d/f", "/tmp/d/f"),
        ("/tmp/d/f", "/tmp/d/../way/f"),
        ("/tmp/d", "/tmp/d"),
        ("/tmp/l", "/tmp/l"),
    ] {
        let (output, state) = moved(from, to);
        let result = &output["results"][0];
        assert_eq!((&result["success"], state), (&json!(true), None), "{from}: {result}");
        assert_eq!(result["data"], json!({"old_path": from, "new_path": to, "overwrote": true}));
    }
    assert_eq!(volume.snapshot(), before);
    // A directory does not move into itself, and a link does not replace its own target.
    for (from, to) in [("/tmp/d", "/tmp/d/e"), ("/tmp/l", "/tmp/d/f")] {
        assert_eq!(moved(from, to).0["results"][0]["success"], false, "{from}");
    }
    assert_eq!(volume.snapshot(), before);
    // Another spelling is another name, even on a volume that equates both.
    volume.put("e", Item::File(b"x".to_vec()));
    volume.ignore_case();
    let (output, _) = moved("/tmp/e", "/tmp/E");
    assert_eq!(output["results"][0]["error"], "file_move: `source` and `destination` are the same");
}

#[test]
fn steps_in_git_are_known_to_people_and_not_taken() {
    for action in ["git_step_back", "git_step_forward"] {
        let text = block("git", &[("action", action)]);
        let error = |as_user| {
            run(&session(&Memory::default()), &text, None, as_user).0["results"][0]["error"].clone()
        };
        assert_eq!(error(false), format!("{action}: Not available to a model (accessibility: user)"));
        let why = "Not available in this sandbox: no programs are run in it, and git is one; `undo` takes back what a text has changed";
        assert_eq!(error(true), format!("{action}: {why}"));
    }
}

/// The example policy limits a text.
#[test]
fn the_example_policy_has_roots_and_a_limit() {
    let policy = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/policies/clada.json");
    let policy = std::fs::read_to_string(policy).unwrap();
    let volume = Memory::default();
    volume.put("ai-coder/p", Item::Directory);
    volume.put("other/a", Item::File(b"x".to_vec()));
    let grant = |name: &str, volume| Grant { name: name.to_owned(), volume, access: Access::Write };
    let session = Session::open_or_refuse(
        vec![grant("/tmp", volume.clone()), grant("/.fsgate", Memory::default())],
        [("FSGATE_LOCK", "host"), ("FSGATE_POLICY", policy.as_str())],
    );
    let most = "x".repeat(10 << 20);
    let more = most.clone() + "x";
    for (path, content, expected) in [
        ("/tmp/ai-coder/p/a", &most[..], None),
        ("/tmp/ai-coder/p/b", &more, Some("EFBIG: file too large, open '/tmp/ai-coder/p/b'")),
        ("/tmp/other/a", "y", Some("EACCES: permission denied, open '/tmp/other/a'")),
        ("/tmp/ai-coder/.ssh/a", "y", Some("EACCES: permission denied, open '/tmp/ai-coder/.ssh/a'")),
        ("/sys/a", "y", Some("EACCES: permission denied, open '/sys/a'")),
    ] {
        let (output, _) = run(&session, &write("wri", path, content), None, false);
        assert_eq!(output["results"][0]["error"].as_str(), expected, "{path}");
    }
    let read = block("rea", &[("action", "file_read"), ("path", "/tmp/other/a")]);
    let (output, _) = run(&session, &read, None, false);
    assert_eq!(output["results"][0]["error"], "EACCES: permission denied, open '/tmp/other/a'");
}

#[test]
fn links_are_listed_as_what_they_point_to() {
    let volume = Memory::default();
    volume.put("d/f", Item::File(b"12".to_vec()));
    volume.put("l/f", Item::Link("../d/f".to_owned()));
    volume.put("l/d", Item::Link("../d".to_owned()));
    volume.put("l/x", Item::Link("../x".to_owned()));
    let (output, _) =
        run(&session(&volume), &block("lis", &[("action", "ls"), ("path", "/tmp/l")]), None, false);
    let listed = output["results"][0]["data"].as_array().unwrap();
    let listed: Vec<_> =
        listed.iter().map(|entry| (&entry["name"], &entry["type"], &entry["size"])).collect();
    let [d, f, x] = [("d", "directory", 0), ("f", "file", 2), ("x", "link", 0)]
        .map(|(name, kind, size)| (json!(name), json!(kind), json!(size)));
    assert_eq!(listed, [&d, &f, &x].map(|(name, kind, size)| (name, kind, size)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_values_are_answered(
        action in prop::sample::select(crate::sham::catalogue::ACTIONS),
        values in prop::collection::vec("(/tmp)?/?[a-b/.@ #\\n]{0,6}|[0-9-]{0,4}|\\PC{0,6}", 5),
        as_user in any::<bool>(),
    ) {
        let named = action.parameters.iter().map(|parameter| parameter.name).zip(values.iter().map(String::as_str));
        let values: Vec<_> = [("action", action.name)].into_iter().chain(named).collect();
        let volume = Memory::default();
        volume.put("a", Item::File(b"a\nb\n".to_vec()));
        let (output, _) = run(&session(&volume), &block("abc", &values), None, as_user);
        prop_assert_eq!(&output["totalBlocks"], 1);
        let done = output["results"].as_array().unwrap().len();
        let broken = output["parseErrors"].as_array().unwrap().len();
        prop_assert!(done + broken >= 1 && done <= 1);
    }
}

#[test]
fn an_action_on_a_whole_file_takes_no_part_of_it() {
    let part = "/tmp/a.md@@## Two";
    for (action, takes, values) in [
        ("file_delete", "deletes", &[("path", part)][..]),
        ("file_move", "moves", &[("old_path", part), ("new_path", "/tmp/b")]),
        ("file_move", "moves", &[("old_path", "/tmp/c"), ("new_path", part)]),
        (
            "file_replace_lines",
            "counts the lines of",
            &[("path", part), ("lines", "1"), ("new_content", "x")],
        ),
        ("file_comment_lines", "counts the lines of", &[("path", part), ("lines", "1")]),
        ("file_uncomment_lines", "counts the lines of", &[("path", part), ("lines", "1")]),
    ] {
        let volume = Memory::default();
        volume.put("a.md", Item::File(b"# One\n## Two\n".to_vec()));
        volume.put("c", Item::File(b"c".to_vec()));
        let before = volume.snapshot();
        let text = block("act", &[&[("action", action)], values].concat());
        let (output, _) = run(&session(&volume), &text, None, false);
        let expected =
            format!("{action}: `@@` names a part of '/tmp/a.md', and this action {takes} a whole file");
        assert_eq!(output["results"][0]["error"], expected);
        assert_eq!(volume.snapshot(), before, "{action}");
    }
}

#[test]
fn a_late_nul_byte_ends_no_search() {
    let volume = Memory::default();
    let late = [&b"foo\n".repeat(20_000)[..], b"\0\nfoo last\n"].concat();
    volume.put("late", Item::File(late));
    volume.put("late-only", Item::File([&b"-\n".repeat(40_000)[..], b"\0\nfoo last\n"].concat()));
    volume.put("binary", Item::File(b"\0\nfoo\n".to_vec()));
    volume.put("utf-16", Item::File(b"\xFF\xFEf\0o\0o\0\n\0".to_vec()));
    let found = |pattern: &str| {
        let text = block("act", &[("action", "grep"), ("pattern", pattern), ("path", "/tmp")]);
        let (output, _) = run(&session(&volume), &text, None, false);
        let hits = output["results"][0]["data"].as_array().unwrap().clone();
        hits.iter().map(|hit| (hit["file"].clone(), hit["line_number"].as_u64().unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(found("foo last"), [(json!("/tmp/late"), 20_002), (json!("/tmp/late-only"), 40_002)]);
    let all = found("foo");
    assert_eq!(all.len(), 20_003);
    assert!(all.contains(&(json!("/tmp/utf-16"), 1)));
}
