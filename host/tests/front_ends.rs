//! The front ends in the program: the parts that only the program has.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use fsgate_corpus::sham::ShamCase;
use fsgate_tests::program::{Ended, program};
use fsgate_tests::reference::root;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A project with a file, a directory beside it, and a home.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Self {
        let scratch = Self(TempDir::new().unwrap());
        for directory in ["project/src", "beside", "home"] {
            fs::create_dir_all(scratch.path().join(directory)).unwrap();
        }
        fs::write(scratch.path().join("project/a.txt"), "one").unwrap();
        fs::write(scratch.path().join("beside/b.txt"), "two").unwrap();
        scratch
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, directory: &str, words: &[&str]) -> Command {
        let mut command = program(env!("CARGO_BIN_EXE_fsgate"), self.path());
        command.current_dir(self.path().join(directory)).args(words);
        command
    }

    fn run(&self, directory: &str, words: &[&str], text: &str) -> Ended {
        let mut command = self.command(directory, words);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        // A program that refuses to start does not read it.
        let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
        Ended::from(child.wait_with_output().unwrap())
    }
}

fn write(path: &str) -> String {
    format!("{{{{invoke_tool: write_file\n  file_path: \"{path}\"\n  content: \"new\"\n}}}}\n")
}

#[test]
fn a_workflow_works_in_its_directory() {
    // Working directory, arguments, written path, and whether that is allowed.
    for (directory, words, path, expected) in [
        ("project", &[][..], "a.txt", true),
        ("project", &[], "new/deep.txt", true),
        ("project", &[], "../beside/b.txt", false),
        ("project", &["--dir", "../beside"], "b.txt", true),
        ("project", &["--dir", "../beside"], "../project/a.txt", false),
        ("beside", &["--context", "../project"], "a.txt", true),
        ("beside", &["--context", "../project"], "../beside/b.txt", false),
        ("beside", &["--context", "../project", "--dir", "."], "../beside/b.txt", true),
        ("beside", &["--context", "../project", "--dir", "."], "a.txt", true),
    ] {
        let scratch = Scratch::new();
        let ended = scratch.run(directory, &[&["workflow"], words].concat(), &write(path));
        let output: Value = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{ended:?}"));
        assert_eq!(
            (output["success"].as_bool(), ended.code),
            (Some(expected), i32::from(!expected)),
            "{words:?} {path}: {ended:?}"
        );
        let written = ["project/a.txt", "project/new/deep.txt", "beside/b.txt"]
            .iter()
            .filter(|path| fs::read(scratch.path().join(path)).is_ok_and(|bytes| bytes == b"new"));
        assert_eq!(written.count(), usize::from(expected), "{words:?} {path}");
    }
}

#[test]
fn the_profile_of_workflows_holds_unless_another_is_named() {
    for (words, expected) in [(&[][..], false), (&["--profile", "open"], true)] {
        let scratch = Scratch::new();
        let ended = scratch.run("project", &[&["workflow"], words].concat(), &write("bin/x.txt"));
        assert_eq!(ended.code == 0, expected, "{words:?}: {ended:?}");
    }
}

#[test]
fn a_workflow_starts_without_an_audit_that_cannot_be_written() {
    let scratch = Scratch::new();
    // The state directory cannot be made.
    fs::write(scratch.path().join("home/.local"), "").unwrap();
    let read = "{{invoke_tool: read_file\n  file_path: \"a.txt\"\n}}\n";
    let refused = scratch.run("project", &["workflow", "--read-only-dir", "."], read);
    assert!(refused.code == 2 && refused.err.contains("with `--no-audit`"), "{refused:?}");
    let done = scratch.run("project", &["workflow", "--read-only-dir", ".", "--no-audit"], read);
    assert!(done.code == 0 && done.out.contains("\"success\":true"), "{done:?}");
}

#[test]
fn front_matter_takes_away_and_gives_nothing() {
    let settings = |lines: &str| format!("---\nname: x\ntool_configuration:\n  file_system:\n{lines}---\n");
    for (front_matter, path, code, reported) in [
        (settings("    blocked_directories: [\"src\"]\n"), "a.txt", 0, "\"success\":true"),
        (settings("    blocked_directories: [\"src\"]\n"), "src/a.txt", 1, "blocked_directories"),
        (settings("    max_file_size: 2\n"), "a.txt", 1, "too_large"),
        (settings("    allowed_directories: [\"./src\"]\n"), "src/a.txt", 0, "\"success\":true"),
        (settings("    allowed_directories: [\"./src\"]\n"), "a.txt", 1, "\"success\":false"),
        (settings("    allowed_directories: [\"../beside\"]\n"), "../beside/b.txt", 2, "`../beside` is not"),
        (settings("    allowed_directories: [\".\", \"/opt/none\"]\n"), "a.txt", 2, "`/opt/none` is not"),
        // A directory around the grant is not granted.
        (settings("    allowed_directories: [\".\", \"..\"]\n"), "a.txt", 2, "`..` is not"),
        (settings("    allowed_directories: [\"/\"]\n"), "a.txt", 2, "fsgate: the front matter:5: "),
        (settings("    enable_audit_logging: false\n"), "a.txt", 0, "\"success\":true"),
        // An empty list is refused: it would restrict nothing.
        (settings("    allowed_directories: []\n"), "a.txt", 2, "at least one directory"),
        (format!("\n{}", settings("    max_file_size: 2\n")), "a.txt", 1, "too_large"),
        ("---\ntool_configuration:\nfile_system: {}\n---\n".to_owned(), "a.txt", 2, "has to be a table"),
        (
            settings("    max_file_size: 2\n").replace("tool_configuration", "\"tool\\u005fconfiguration\""),
            "a.txt",
            1,
            "too_large",
        ),
        (
            settings("    max_file_size: 2\n").replace("name: x\n", "name: x\n...\n"),
            "a.txt",
            1,
            "settings that cannot be read",
        ),
        // A text cannot widen the profile's limit.
        (settings("    max_file_size: 99999999999\n"), "a.txt", 2, "the front matter"),
        (settings("    blocked_directory: [\"src\"]\n"), "a.txt", 2, "blocked_directories"),
        ("---\ntool_configuration:\n  other: {a: 1}\n---\n".to_owned(), "a.txt", 0, "\"success\":true"),
    ] {
        let scratch = Scratch::new();
        let ended = scratch.run("project", &["workflow"], &format!("{front_matter}{}", write(path)));
        assert_eq!(ended.code, code, "{front_matter}{path}: {ended:?}");
        let written = scratch.path().join("project").join(path);
        assert_eq!(
            fs::read(written).is_ok_and(|bytes| bytes == b"new"),
            code == 0,
            "{front_matter}{path}: {ended:?}"
        );
        assert!(format!("{}{}", ended.out, ended.err).contains(reported), "{front_matter}{path}: {ended:?}");
    }
}

fn read(path: &str) -> String {
    format!("{{{{invoke_tool: read_file\n  file_path: \"{path}\"\n}}}}\n")
}

/// An operator's file of settings, beside the project.
fn settings(scratch: &Scratch, lines: &str) -> String {
    let path = scratch.path().join("settings.yaml");
    fs::write(&path, format!("tool_configuration:\n  file_system:\n{lines}")).unwrap();
    path.display().to_string()
}

#[test]
fn a_context_and_allowed_directories_hold_together() {
    let lines = "    allowed_directories: [\".\", \"../beside\"]\n";
    for (directory, words, path, expected) in [
        ("project", &[][..], "../beside/b.txt", true),
        ("project", &["--context", "."], "../beside/b.txt", true),
        ("home", &["--context", "../project"], "../beside/b.txt", true),
        ("home", &["--context", "../project"], "a.txt", true),
        ("home", &["--context", "../project", "--dir", "../project/src"], "../beside/b.txt", false),
    ] {
        let scratch = Scratch::new();
        let file = settings(&scratch, lines);
        let words = [&["workflow", "--config", &file], words].concat();
        let ended = scratch.run(directory, &words, &read(path));
        assert_eq!(ended.code == 0, expected, "{words:?} {path}: {ended:?}");
    }
}

#[test]
fn a_directory_that_does_not_exist_grants_nothing() {
    for (directories, code) in
        [("\".\", \"../none\"", 0), ("\"../none\", \"../beside\", \".\"", 0), ("\"../none\"", 2)]
    {
        let scratch = Scratch::new();
        let file = settings(&scratch, &format!("    allowed_directories: [{directories}]\n"));
        let ended = scratch.run("project", &["workflow", "--config", &file], &read("../project/a.txt"));
        assert_eq!(ended.code, code, "{directories}: {ended:?}");
        assert!(ended.err.contains("`../none` does not exist and is not granted"), "{ended:?}");
    }
}

#[test]
fn the_lists_of_the_operator_take_the_place_of_the_profile_s() {
    for (lines, path, expected) in [
        ("    blocked_directories: [\"./bin\"]\n", "src/bin/b.cs", true),
        ("    blocked_directories: [\"./bin\"]\n", "bin/b.cs", false),
        ("    blocked_directories: []\n", "bin/b.cs", true),
        ("    blocked_directories: []\n", "q.dylib", false),
        ("    blocked_extensions: [\".exe\"]\n", "q.dylib", true),
        ("    blocked_extensions: [\".exe\"]\n", "q.exe", false),
        ("    blocked_extensions: [\".exe\"]\n", "bin/b.cs", false),
        ("    max_file_size: 1000\n", "src/bin/b.cs", false),
    ] {
        let scratch = Scratch::new();
        for path in ["src/bin/b.cs", "bin/b.cs", "q.dylib", "q.exe"] {
            let path = scratch.path().join("project").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text").unwrap();
        }
        let file = settings(&scratch, lines);
        let ended = scratch.run("project", &["workflow", "--config", &file], &read(path));
        assert_eq!(ended.code == 0, expected, "{lines} {path}: {ended:?}");
        // A project's file narrows, and never widens.
        let scratch_of_project = Scratch::new();
        let project = scratch_of_project.path().join("project");
        fs::create_dir_all(project.join("bin")).unwrap();
        fs::write(project.join("bin/b.cs"), "text").unwrap();
        fs::copy(&file, project.join("dotnet-prompt.yaml")).unwrap();
        let ended = scratch_of_project.run("project", &["workflow"], &read("bin/b.cs"));
        assert_eq!(ended.code, 1, "{lines}: {ended:?}");
    }
}

#[test]
fn a_workflow_is_audited_unless_settings_say_otherwise() {
    for (lines, words, expected) in [
        (None, &[][..], true),
        (Some("    enable_audit_logging: true\n"), &[], true),
        (Some("    enable_audit_logging: false\n"), &[], false),
        (Some("    max_file_size: 1000\n"), &[], true),
    ] {
        let scratch = Scratch::new();
        let file = lines.map(|lines| settings(&scratch, lines));
        let config = file.iter().flat_map(|file| ["--config", file]);
        let words: Vec<_> = ["workflow", "--state-dir", "../state"]
            .into_iter()
            .chain(config)
            .chain(words.iter().copied())
            .collect();
        let ended = scratch.run("project", &words, &write("a.txt"));
        assert_eq!(ended.code, 0, "{words:?}: {ended:?}");
        let audit = fs::read_to_string(scratch.path().join("state/audit/audit.jsonl")).unwrap_or_default();
        assert_eq!(audit.contains("\"tool\":\"write\""), expected, "{words:?}: {audit}");
    }
}

#[test]
fn what_sham_leaves_lasts_from_one_run_to_the_next() {
    let block = |lines: &str| format!("#!SHAM [@three-char-SHA-256: abc]\n{lines}\n#!END_SHAM_abc\n");
    let scratch = Scratch::new();
    let run = |words: &[&str], lines: &str| {
        let words = [&["sham", "--dir", ".::/w", "--state-dir", "../state"], words].concat();
        let ended = scratch.run("project", &words, &block(lines));
        let output: Value = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{ended:?}"));
        output["results"][0].clone()
    };
    let list = "action = \"context_list\"";
    run(&[], "action = \"context_add\"\npath = \"/w/later.txt\"");
    run(&[], "action = \"file_write\"\npath = \"/w/a.txt\"\ncontent = \"new\"");
    assert_eq!(run(&[], list)["data"], json!([{"path": "/w/later.txt", "size": 0}]));
    for other in [&["--session", "other"][..], &["--profile", "strict"], &["--dir", "src::/s"]] {
        assert_eq!(run(other, list)["data"], json!([]), "{other:?}");
        assert_eq!(
            run(&[other, &["--as", "user"]].concat(), "action = \"undo\"")["success"],
            false,
            "{other:?}"
        );
    }
    let content = || fs::read_to_string(scratch.path().join("project/a.txt")).unwrap();
    let undo = "action = \"undo\"";
    assert_eq!(run(&[], undo)["success"], false);
    assert_eq!(run(&["--session", "other", "--as", "user"], undo)["success"], false);
    assert_eq!(content(), "new");
    let undone = run(&["--as", "user"], undo);
    assert_eq!((&undone["success"], content().as_str()), (&json!(true), "one"), "{undone}");
    assert_eq!(run(&["--as", "user"], undo)["error"], "undo: there is nothing to undo");
    run(&[], "action = \"context_prune\"");
    assert_eq!(run(&[], list)["data"], json!([]));
    // No session name leads to another path.
    for name in ["", "../x", "a/b", "."] {
        let ended = scratch.run("project", &["sham", "--dir", ".", "--session", name], "");
        assert_eq!(ended.code, 2, "{name}: {ended:?}");
    }
}

#[test]
fn a_policy_file_takes_the_place_of_a_profile() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/policies/clada.json");
    let example = fs::read_to_string(example).unwrap();
    let scratch = Scratch::new();
    let project = scratch.path().join("project").canonicalize().unwrap();
    let root = project.to_str().unwrap();
    let text = format!(
        "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_read\"\npath = \"{root}/a.txt\"\n#!END_SHAM_abc\n"
    );
    let words = |file| ["sham", "--dir", ".", "--profile", file];
    for (allowed, code) in [(root, 0), ("/none", 2)] {
        let policy = example.replace("/home/user/projects", allowed);
        fs::write(scratch.path().join("policy.json"), policy).unwrap();
        let ended = scratch.run("project", &words("../policy.json"), &text);
        assert_eq!(ended.code, code, "{allowed}: {ended:?}");
    }
    let ended = scratch.run("project", &words("none.json"), &text);
    assert!(ended.code == 2 && ended.err.contains("none.json"), "{ended:?}");
}

#[test]
fn a_plugin_at_a_shell_keeps_times() {
    let write = |text: &str| {
        format!(
            r#"{{"tool": "filesystem.write", "input": {{"path": "n.txt", "content": "{text}", "mimeType": "text/x-own"}}}}"#
        )
    };
    for call in [false, true] {
        let scratch = Scratch::new();
        for text in ["one", "two"] {
            let arguments = json!({"text": write(text)}).to_string();
            let ended = match call {
                false => scratch.run("project", &["plugin", "--dir", ".::/"], &write(text)),
                true => scratch.run("project", &["call", "plugin", &arguments, "--dir", ".::/"], ""),
            };
            assert_eq!(ended.code, 0, "{ended:?}");
        }
        let kept = fs::read_to_string(scratch.path().join("project/n.txt.meta.json")).unwrap();
        let kept: Value = serde_json::from_str(&kept).unwrap();
        assert_eq!(kept["mimeType"], "text/x-own");
        let [created, updated] = ["createdAt", "updatedAt"].map(|key| kept[key].as_str().unwrap().to_owned());
        assert!(created < updated && created.ends_with('Z'), "{kept}");
    }
}

#[test]
fn a_location_that_has_no_meaning_refuses_the_start() {
    let list = r#"{"tool": "filesystem.list", "input": {}}"#;
    for (place, code) in [("../beside", 2), ("", 0)] {
        let scratch = Scratch::new();
        let mut command = scratch.command("project", &["plugin", "--dir", "."]);
        let piped = command.env("FILES_LOCATION", place).stdin(Stdio::piped());
        let mut child = piped.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A program that refuses to start does not read its input.
        let _ = child.stdin.take().unwrap().write_all(list.as_bytes());
        let ended = Ended::from(child.wait_with_output().unwrap());
        assert_eq!(
            (ended.code, ended.err.contains("`FILES_LOCATION` is set")),
            (code, code == 2),
            "{ended:?}"
        );
    }
}

#[test]
fn an_audit_that_is_asked_for_is_kept() {
    let text = "---\ntool_configuration:\n  file_system:\n    enable_audit_logging: true\n---\n".to_owned()
        + &write("a.txt");
    for (words, lines) in
        [(&["workflow"][..], None), (&["workflow", "--audit", "../kept/audit.jsonl"], Some(1))]
    {
        let scratch = Scratch::new();
        let ended = scratch.run("project", words, &text);
        let output: Value = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{ended:?}"));
        // No note about a missing undo.
        assert_eq!(output.get("notes"), None, "{words:?}: {ended:?}");
        let audit = fs::read_to_string(scratch.path().join("kept/audit.jsonl")).ok();
        let calls = audit.map(|text| text.lines().filter(|line| line.contains("\"tool\":\"write\"")).count());
        assert_eq!(calls, lines, "{words:?}: {ended:?}");
    }
}

#[test]
fn every_language_is_spoken_at_a_shell() {
    for (words, text, code, out, err) in [
        (&["command", "--dir", "."][..], "readFile a.txt", 0, "FILE_CONTENT:\none", ""),
        (&["command", "--dir", "."], "readFile none", 1, "", "ENOENT: no such file or directory, open '"),
        (
            &["command", "--dir", "."],
            "copyFile a.txt options: b.txt",
            1,
            "{\"raw\":\"b.txt\"",
            "--destination",
        ),
        (
            &["command", "--dir", ".", "--destination", "b.txt"],
            "copyFile a.txt options: b.txt",
            0,
            "Copied file from ",
            "",
        ),
        (
            &["file-action", "--dir", "."],
            "{\"action\":\"create\",\"path\":\"n.md\",\"content\":\"#\"}",
            0,
            "{\"success\":true",
            "",
        ),
        (
            &["file-action", "--dir", "."],
            "{\"action\":\"create\",\"path\":\"../n.md\",\"content\":\"#\"}",
            1,
            "{\"success\":false",
            "",
        ),
        (
            &["call", "command", "{\"text\": \"readFile a.txt\"}", "--dir", "."],
            "",
            0,
            "{\"command_outcome\":\"done\"",
            "",
        ),
    ] {
        let ended = Scratch::new().run("project", words, text);
        assert_eq!(ended.code, code, "{words:?} {text}: {ended:?}");
        assert!(ended.out.starts_with(out) && ended.err.contains(err), "{words:?} {text}: {ended:?}");
    }
}

/// Flags speak for the person at the shell; JSON can come from a model.
#[test]
fn who_calls_a_front_end_says_nothing_for_the_host() {
    let write = "action = \"file_write\"\npath = \"a.txt\"\ncontent = \"new\"";
    let sham = format!("#!SHAM [@three-char-SHA-256: abc]\n{write}\n#!END_SHAM_abc\n");
    let held = format!(
        "---\ntool_configuration:\n  file_system:\n    max_file_size: 1\n---\n{}",
        self::write("a.txt")
    );
    let plugin = r#"{"tool": "filesystem.write", "input": {"path": "a.txt", "content": "new"}}"#;
    let [much, more] = ["much", "more"].map(|more| json!([{"name": "a", "value": "b", "more": more}]));
    for (front_end, arguments, reported) in [
        ("sham", json!({"text": sham, "as_user": true}), "`as_user` is for the host"),
        ("sham", json!({"text": sham, "as_user": false}), "`as_user` is for the host"),
        ("sham", json!([sham, null, true]), "an object is needed"),
        ("workflow", json!({"text": held, "settings_hold": true}), "`settings_hold` is for the host"),
        ("workflow", json!({"text": held, "audited": true}), "`audited` is for the host"),
        ("workflow", json!({"text": held, "settings_hold": true, "variables": much}), "number out of range"),
        ("workflow", json!({"text": held, "variables": more}), "unknown field `more`"),
        ("workflow", json!([held, null, null, true]), "an object is needed"),
        ("plugin", json!({"text": plugin, "now": "2026-11-23T00:00:00Z"}), "`now` is for the host"),
        ("plugin", json!([plugin, "2026-11-23T00:00:00Z"]), "an object is needed"),
        ("plugin", json!({"text": plugin}), ""),
    ] {
        let scratch = Scratch::new();
        let arguments = arguments.to_string().replace("\"much\"", "1e999");
        let ended = scratch.run("project", &["call", front_end, "-", "--dir", "."], &arguments);
        let left = fs::read_to_string(scratch.path().join("project/a.txt")).unwrap();
        let (code, expected) = if reported.is_empty() { (0, "new") } else { (2, "one") };
        assert_eq!((ended.code, &left[..]), (code, expected), "{front_end} {arguments}: {ended:?}");
        assert!(ended.err.contains(reported), "{front_end} {arguments}: {ended:?}");
    }
}

/// Answers repeat a limited part of a text, and still report every result.
#[test]
fn an_answer_to_a_text_has_an_end() {
    const MOST: usize = 64 << 10;
    let block = |lines: &str| format!("#!SHAM [@three-char-SHA-256: abc]\n{lines}\n#!END_SHAM_abc\n");
    let large = "x".repeat(MOST);
    let broken = block(&format!("action = \"{large}\"\nbad")).repeat(20);
    let write = |path: &str| {
        block(&format!("action = \"file_write\"\npath = \"/w/{path}\"\ncontent = \"{large}{large}\""))
    };
    let scratch = Scratch::new();
    let words = ["sham", "--dir", ".::/w", "--result-bytes", &MOST.to_string()];
    let ended = scratch.run("project", &words, &[broken, write("n1"), write("n2")].concat());
    let output: Value = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{ended:?}"));
    assert!(ended.out.len() < 2 * MOST, "{}", ended.out.len());
    for (number, path) in [(0, "n1"), (1, "n2")] {
        let result = &output["results"][number];
        let expected = json!({"path": format!("/w/{path}")});
        assert_eq!((&result["success"], &result["params"]), (&json!(true), &expected));
        assert_eq!(fs::read(scratch.path().join("project").join(path)).unwrap().len(), 2 * MOST);
    }
}

/// The program gets a directory and a text, as from a user.
#[test]
fn the_cases_of_sham_come_to_the_same_on_a_disk() {
    let cases = ShamCase::all(&root().join("tests/cases/sham")).unwrap();
    let mut failed = Vec::new();
    for case in &cases {
        let scratch = Scratch::new();
        let directory = scratch.path().join("project").join(case.directory());
        fs::create_dir(&directory).unwrap();
        for (name, content) in case.files() {
            fs::write(directory.join(name), content).unwrap();
        }
        let ended = scratch.run("beside", &["sham", "--dir", "../project::/tmp"], &case.text);
        let output: Value = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{ended:?}"));
        let done = output["success"] == true;
        if (case.shown(&output), done) != (case.expected.clone(), ended.code == 0) {
            failed.push(format!("{}/{}: {ended:?}, and not {}", case.group, case.name, case.expected));
        }
    }
    let of = |group: &str| cases.iter().filter(|case| case.group == group).count();
    assert_eq!((of("file_replace_text"), of("file_move") > 0), (17, true));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Nested, repeated or huge texts: each gets an answer of its system, or a refusal.
#[test]
fn no_text_ends_the_program() {
    let deep = "[".repeat(100_000);
    let objects = format!(r#"{{"tool": "filesystem.read", "input": {}"#, r#"{"a":"#.repeat(100_000));
    let grown = (1..30).fold("a0: &a0 [x, x]\n".to_owned(), |text, number| {
        text + &format!("a{number}: &a{number} [*a{0}, *a{0}, *a{0}, *a{0}]\n", number - 1)
    });
    let front_matter =
        |yaml: &str| format!("---\ntool_configuration:\n  file_system: {{}}\n{yaml}---\n{}", write("b.txt"));
    for (front_end, text) in [
        ("plugin", deep.clone()),
        ("plugin", objects),
        (
            "plugin",
            format!(r#"{{"tool": "filesystem.glob", "input": {{"pattern": "{}"}}}}"#, "(".repeat(1000)),
        ),
        ("file-action", deep.clone()),
        ("sham", "#!SHAM [@three-char-SHA-256: abc]\n".repeat(100_000)),
        ("sham", format!("#!SHAM [@three-char-SHA-256: abc]\n{}", "key = \"v\"\n".repeat(100_000))),
        ("sham", "#!SHAM [@three-char-SHA-256: abc]\nkey = <<'EOT_SHAM_abd'\n".repeat(1000)),
        ("workflow", "{{invoke_tool: read_file\n".repeat(10_000)),
        ("workflow", front_matter(&grown)),
        ("workflow", front_matter(&format!("b: {deep}\n"))),
        ("command", format!("writeFile a options:{}", " content: x".repeat(100_000))),
        ("command", "dependsOn: ".repeat(100_000)),
    ] {
        let scratch = Scratch::new();
        let words = if front_end == "workflow" { &[front_end][..] } else { &[front_end, "--dir", "."] };
        let ended = scratch.run("project", words, &text);
        let beginning: String = text.chars().take(60).collect();
        assert!(matches!(ended.code, 1 | 2), "{front_end}: {beginning}: {} {}", ended.code, ended.err);
        // Each of ten thousand parts has its result.
        assert!(ended.out.len() + ended.err.len() < 4 << 20, "{front_end}: {beginning}: {}", ended.out.len());
        assert!(!scratch.path().join("project/b.txt").exists(), "{front_end}: {beginning}");
    }
}
