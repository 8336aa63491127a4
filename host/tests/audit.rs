//! The audit as its readers find it: the lines of each kind of call, and the marks of tampering.

use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::{fs, thread};

use fsgate::{
    Access, ApplyArgs, Audit, CancelToken, CommandArgs, CommandOutcome, Edit, FileActionArgs, Gate,
    GateBuilder, PluginArgs, ReadArgs, ReplaceArgs, ShamArgs, WorkflowArgs, WriteArgs,
};
use fsgate_tests::program::program;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A grant `w`, with `state` and a file for the audit beside it.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Self {
        let scratch = Self(TempDir::new().unwrap());
        for directory in ["w", "home"] {
            fs::create_dir(scratch.path().join(directory)).unwrap();
        }
        fs::write(scratch.path().join("w/a.txt"), "one\ntwo\n").unwrap();
        scratch
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(&self) -> PathBuf {
        self.path().join("kept/audit.jsonl")
    }

    fn builder(&self, mut audit: Audit) -> GateBuilder {
        audit.file = Some(self.file());
        let directory = self.path().join("w");
        Gate::builder()
            .dir_as(directory, "/w", Access::Write)
            .state_root(self.path().join("state"))
            .audit(audit)
    }

    fn gate(&self, audit: Audit) -> Gate {
        self.builder(audit).user("somebody").build().unwrap()
    }

    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.file()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn command(&self) -> Command {
        program(env!("CARGO_BIN_EXE_fsgate"), self.path())
    }

    fn run(&self, words: &str) -> (i32, String, String) {
        let Output { status, stdout, stderr } = self.command().args(words.split(' ')).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (status.code().unwrap(), text(stdout), text(stderr))
    }
}

/// The named fields, in the order of the names.
fn fields(line: &Value, names: &[&str]) -> Value {
    names.iter().map(|name| line[*name].clone()).collect()
}

/// Each byte of a control character takes six bytes in JSON.
#[test]
fn no_call_makes_a_line_that_nobody_finds_again() {
    let scratch = Scratch::new();
    let gate = scratch.gate(Audit { rotate_bytes: 100_000, ..Audit::default() });
    let directory = vec!["\u{1}".repeat(250); 15].join("/");
    let edit = |number| Edit {
        path: format!("{directory}/{number}"),
        content: Some(String::new()),
        ..Default::default()
    };
    let args = ApplyArgs { edits: Some((0..100).map(edit).collect()), ..Default::default() };
    assert_eq!(gate.apply(&args).unwrap().files.len(), 100);
    gate.read(&ReadArgs { path: "a.txt".into(), ..Default::default() }).unwrap();
    let again = scratch.gate(Audit::default());
    again.read(&ReadArgs { path: "a.txt".into(), ..Default::default() }).unwrap();
    let lines = scratch.lines();
    let count = lines[0]["files"].as_array().unwrap().len() as u64;
    assert_eq!(lines[0]["files_left"], 100 - count);
    let (code, out, err) = scratch.run("audit verify kept/audit.jsonl");
    assert!(code == 0 && out.starts_with("good: 3 lines"), "{out} {err}");
}

#[test]
fn every_call_has_a_line_that_says_what_has_become_of_it() {
    let scratch = Scratch::new();
    let gate = scratch.gate(Audit::default());
    let read = gate.read(&ReadArgs { path: "a.txt".into(), ..Default::default() }).unwrap();
    let replace =
        ReplaceArgs { path: "a.txt".into(), old: "one".into(), new: "three".into(), ..Default::default() };
    let done = gate.replace(&replace).unwrap();
    let refused = gate.replace(&replace).unwrap_err();
    assert_eq!(refused.code.name(), "no_match");
    gate.replace(&ReplaceArgs { old: "two".into(), dry_run: Some(true), ..replace }).unwrap();
    let edit = |path: &str| Edit { path: path.into(), content: Some("x".into()), ..Default::default() };
    gate.apply(&ApplyArgs { edits: Some(vec![edit("b.txt"), edit("c.txt")]), ..Default::default() }).unwrap();
    // The arguments of both do not name the changed files.
    gate.call("undo", "{}").unwrap();
    gate.call("delete", r#"{"path": ".", "glob": "a.*"}"#).unwrap();
    // Calls that reach no tool.
    gate.call("write", "{").unwrap_err();
    gate.call("write", r#"{"path": "../x", "content": "secret words"}"#).unwrap_err();
    gate.call("frobnicate", r#"{"path": "a.txt"}"#).unwrap_err();
    let token = CancelToken::new();
    token.cancel();
    gate.call_cancellable("read", r#"{"path": "a.txt"}"#, &token).unwrap_err();

    let lines = scratch.lines();
    let names = ["tool", "paths", "outcome", "applied", "bytes_written", "dry_run"];
    let found: Vec<_> = lines.iter().map(|line| fields(line, &names)).collect();
    let none = Value::Null;
    assert_eq!(
        found,
        [
            json!(["read", ["a.txt"], "ok", false, none, none]),
            json!(["replace", ["a.txt"], "ok", true, 10, none]),
            json!(["replace", ["a.txt"], "no_match", false, none, none]),
            json!(["replace", ["a.txt"], "ok", false, none, true]),
            json!(["apply", ["b.txt", "c.txt"], "ok", true, 2, none]),
            json!(["undo", [], "ok", true, none, none]),
            json!(["delete", ["."], "ok", true, none, none]),
            json!(["write", [], "malformed", false, none, none]),
            json!(["write", ["../x"], "not_granted", false, none, none]),
            json!(["frobnicate", ["a.txt"], "unknown_tool", false, none, none]),
            json!(["read", ["a.txt"], "cancelled", false, none, none]),
        ]
    );
    assert_eq!(lines[0]["etag"], read.etag);
    let expected = json!([done.etag_before, done.etag, done.undo_id]);
    assert_eq!(fields(&lines[1], &["etag_before", "etag", "undo_id"]), expected);
    assert_eq!(lines[4]["files"].as_array().unwrap().len(), 2);
    assert_eq!(lines[5]["changed"], json!(["/w/b.txt", "/w/c.txt"]));
    assert_eq!(lines[6]["changed"], json!(["a.txt"]));
    for (number, line) in lines.iter().enumerate() {
        assert_eq!(line["seq"], number + 1);
        let who = fields(line, &["user", "front_end", "event"]);
        assert_eq!(who, json!(["somebody", "crate", "call"]));
        assert_eq!(line["session"], lines[0]["session"]);
        assert!(line["duration_us"].is_u64() && line["time"].as_str().unwrap().ends_with('Z'), "{line}");
    }
    let text = fs::read_to_string(scratch.file()).unwrap();
    for content in ["secret words", "three", "two"] {
        assert!(!text.contains(content), "content is not written down: {text}");
    }
    let mode = fs::metadata(scratch.file()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let report = fsgate::audit::verify(&mut text.as_bytes(), None, None).unwrap();
    assert_eq!((report.lines, report.bad), (11, None));
}

/// The caller learns only that nothing is there; the audit has the rule that hid it.
#[test]
fn what_policy_hides_is_told_here_alone() {
    let scratch = Scratch::new();
    for file in ["hidden.txt", "seen.txt"] {
        fs::write(scratch.path().join("w").join(file), "words").unwrap();
    }
    std::os::unix::fs::symlink("hidden.txt", scratch.path().join("w/link")).unwrap();
    let rules = json!({"rules": [
        {"name": "nobody-sees-this", "paths": ["hidden*"], "effect": "hidden"},
        {"name": "not-to-be-written", "paths": ["seen*"], "effect": "read_only"},
    ]});
    let policy = fsgate::policy::Documents::parse(&rules.to_string()).unwrap();
    let gate = scratch.builder(Audit::default()).policy(policy).build().unwrap();
    for (tool, arguments, outcome, hidden) in [
        ("read", json!({"path": "hidden.txt"}), "not_found", true),
        ("read", json!({"path": "link"}), "not_found", true),
        ("read", json!({"path": "hidden-none.txt"}), "not_found", false),
        ("read", json!({"path": "seen.txt"}), "ok", false),
        ("exists", json!({"path": "hidden.txt"}), "ok", true),
        ("read_many", json!({"paths": ["seen.txt", "hidden.txt"]}), "ok", true),
        // The link is followed to its target, and the listing omits hidden names.
        ("glob", json!({"pattern": "**"}), "ok", true),
        ("glob", json!({"pattern": "*.txt"}), "ok", false),
        ("grep", json!({"pattern": "words"}), "ok", false),
        ("delete", json!({"path": "hidden.txt"}), "not_found", true),
        ("write", json!({"path": "seen.txt", "content": "x"}), "denied_by_policy", false),
        ("read", json!({"path": "seen.txt"}), "ok", false),
    ] {
        let (Ok(answer) | Err(answer)) = gate.call(tool, &arguments.to_string());
        assert!(!answer.contains("nobody-sees-this"), "{answer}");
        let line = scratch.lines().pop().unwrap();
        assert_eq!(line["outcome"], outcome, "{tool} {arguments}: {line}");
        let expected = if hidden { json!(["nobody-sees-this"]) } else { Value::Null };
        assert_eq!(line["hidden"], expected, "{tool} {arguments}: {line}");
        let rule = if outcome == "denied_by_policy" { json!("not-to-be-written") } else { Value::Null };
        assert_eq!(line["rule"], rule);
    }
    let typed = gate.read(&ReadArgs { path: "hidden.txt".into(), ..Default::default() }).unwrap_err();
    assert_eq!(typed.code.name(), "not_found");
    assert_eq!(scratch.lines().pop().unwrap()["hidden"], json!(["nobody-sees-this"]));
    let (_, out, _) = scratch.run("audit show kept/audit.jsonl --denied");
    assert_eq!(out.lines().filter(|line| line.contains("nobody-sees-this")).count(), 7, "{out}");
}

#[test]
fn arguments_are_written_down_if_they_are_asked_for() {
    let scratch = Scratch::new();
    let gate = scratch.gate(Audit { arguments: true, ..Audit::default() });
    let content = "long ".repeat(1000);
    gate.write(&WriteArgs { path: "b.txt".into(), content: content.clone(), ..Default::default() }).unwrap();
    let arguments = &scratch.lines()[0]["arguments"];
    assert_eq!(arguments["path"], "b.txt");
    assert_eq!(arguments["content"]["bytes"], content.len());
    assert_eq!(arguments["content"]["blake3"], blake3::hash(content.as_bytes()).to_string());
}

#[test]
fn where_it_is_required_nothing_is_done_that_is_not_written_down() {
    let scratch = Scratch::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hears = heard.clone();
    let tell = move |text: &str| hears.lock().unwrap().push(text.to_owned());
    let builder = scratch.builder(Audit { required: true, ..Audit::default() });
    let gate = builder.tell(tell).build().unwrap();
    let write =
        |content: &str| WriteArgs { path: "a.txt".into(), content: content.into(), ..Default::default() };
    gate.write(&write("first")).unwrap();
    let lines = scratch.lines();
    assert_eq!((&lines[0]["event"], &lines[1]["event"]), (&json!("intent"), &json!("call")));
    assert_eq!(lines[1]["intent"], lines[0]["seq"]);
    assert_eq!(lines[0].get("outcome"), None);

    // Replaced by a directory, the file cannot be written.
    fs::rename(scratch.file(), scratch.path().join("moved")).unwrap();
    fs::create_dir(scratch.file()).unwrap();
    let refused = gate.write(&write("second")).unwrap_err();
    assert_eq!((refused.code.name(), refused.applied), ("io", false), "{refused}");
    assert!(refused.repair.unwrap().contains("--audit-required"));
    assert_eq!(fs::read_to_string(scratch.path().join("w/a.txt")).unwrap(), "first");
    let read = ReadArgs { path: "a.txt".into(), ..Default::default() };
    assert_eq!(gate.read(&read).unwrap_err().code.name(), "io");
    let refused: Value =
        serde_json::from_str(&gate.call("write", r#"{"path": "a.txt", "content": "x"}"#).unwrap_err())
            .unwrap();
    assert_eq!((&refused["code"], &refused["applied"]), (&json!("io"), &json!(false)));

    // Restored: the missed lines are counted.
    fs::remove_dir(scratch.file()).unwrap();
    fs::rename(scratch.path().join("moved"), scratch.file()).unwrap();
    gate.write(&write("third")).unwrap();
    let lines = scratch.lines();
    assert_eq!(lines.len(), 4);
    assert_eq!((&lines[2]["missed"], &lines[2]["seq"]), (&json!(3), &json!(3)));
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 2, "once when it begins, once when it ends: {heard:?}");
}

/// The calls of a text have lines; a text that makes none has one itself.
#[test]
fn a_text_of_another_system_is_written_down_by_its_calls_or_itself() {
    let scratch = Scratch::new();
    let gate = scratch.gate(Audit::default());
    let sham = |action: &str| {
        format!(
            "#!SHAM [@three-char-SHA-256: abc]\naction = \"{action}\"\npath = \"/w/a.txt\"\n#!END_SHAM_abc\n"
        )
    };
    let mut expected = Vec::new();
    for (front_end, text, tool, outcome) in [
        ("sham", "nothing".to_owned(), "sham", "ok"),
        ("sham", sham("explode"), "sham", "invalid_argument"),
        ("sham", sham("file_read"), "read", "ok"),
        ("command", "frob".to_owned(), "command", "invalid_argument"),
        ("command", "copyFile a.txt options: b".to_owned(), "command", "ok"),
        ("command", "readFile a.txt".to_owned(), "read", "ok"),
        ("file_action", r#"{"action": "explode"}"#.to_owned(), "file_action", "invalid_argument"),
        ("file_action", "[]".to_owned(), "file_action", "ok"),
        ("workflow", "{{invoke_tool: nope\n}}\n".to_owned(), "workflow", "invalid_argument"),
        ("workflow", "words".to_owned(), "workflow", "ok"),
        ("plugin", r#"{"tool": "filesystem.nope", "input": {}}"#.to_owned(), "plugin", "invalid_argument"),
        ("plugin", "[]".to_owned(), "plugin", "ok"),
    ] {
        spoken(&gate, front_end, text.clone());
        expected.push(json!([tool, outcome, false]));
        let found: Vec<_> =
            scratch.lines().iter().map(|line| fields(line, &["tool", "outcome", "applied"])).collect();
        assert_eq!(found, expected, "{front_end} {text}");
    }
}

#[test]
fn a_text_that_cannot_be_written_down_is_refused_in_its_own_words() {
    let scratch = Scratch::new();
    let gate = scratch.gate(Audit { required: true, ..Audit::default() });
    fs::remove_file(scratch.file()).unwrap();
    fs::create_dir(scratch.file()).unwrap();
    for (front_end, field) in [
        ("sham", "\"fatalError\":\""),
        ("command", ""),
        ("file_action", "\"error\":{\"name\":"),
        ("workflow", "\"fatalError\":\""),
        ("plugin", "\"error\":{\"code\":\""),
    ] {
        let answer = spoken(&gate, front_end, "[]".to_owned());
        assert!(answer.contains(field) && answer.contains("cannot be written down"), "{front_end}: {answer}");
    }
}

#[test]
fn at_a_shell_a_text_is_written_down_as_well() {
    let scratch = Scratch::new();
    let sham = "#!SHAM [@three-char-SHA-256: abc]\naction = \"explode\"\n#!END_SHAM_abc\n";
    let mut expected = Vec::new();
    for (words, text, tool, outcome) in [
        (&["sham"][..], "nothing", "sham", "ok"),
        (&["sham"], sham, "sham", "invalid_argument"),
        (&["command"], "frob", "command", "invalid_argument"),
        (&["command"], "readFile a.txt", "read", "ok"),
        (&["file-action"], r#"{"action": "explode"}"#, "file_action", "invalid_argument"),
        (&["plugin"], r#"{"tool": "filesystem.nope", "input": {}}"#, "plugin", "invalid_argument"),
        (&["workflow"], "{{invoke_tool: nope\n}}\n", "workflow", "invalid_argument"),
        (&["call", "sham", "-"], "{}", "sham", "invalid_argument"),
        (&["call", "sham", "-"], "{", "sham", "invalid_argument"),
        (&["call", "sham", "-"], r#"{"text": "", "as_user": true}"#, "sham", "invalid_argument"),
        (&["call", "sham", "-"], r#"{"text": "nothing"}"#, "sham", "ok"),
    ] {
        let words = [words, &["--dir", "w::/w", "--audit", "kept/audit.jsonl"]].concat();
        speak(&scratch, &words, text);
        expected.push(json!([tool, outcome, "command-line"]));
        let found: Vec<_> =
            scratch.lines().iter().map(|line| fields(line, &["tool", "outcome", "front_end"])).collect();
        assert_eq!(found, expected, "{words:?} {text}");
    }
    fs::remove_file(scratch.file()).unwrap();
    let words = ["sham", "--dir", "w::/w", "--audit", "audit/audit.jsonl", "--audit-required"];
    assert_eq!(speak(&scratch, &words, "nothing").status.code(), Some(0));
}

fn speak(scratch: &Scratch, words: &[&str], text: &str) -> Output {
    let mut command = scratch.command();
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// The answer of a front end to a text.
fn spoken(gate: &Gate, front_end: &str, text: String) -> String {
    match front_end {
        "sham" => gate.sham(&ShamArgs { text, ..Default::default() }).output,
        "file_action" => gate.file_action(&FileActionArgs { text }).output,
        "workflow" => gate.workflow(&WorkflowArgs { text, ..Default::default() }).output,
        "plugin" => gate.plugin(&PluginArgs { text, now: None }).output,
        _ => match gate.command(&CommandArgs { text, ..Default::default() }) {
            CommandOutcome::Done(words) | CommandOutcome::Failed(words) => words,
            CommandOutcome::NeedsOptions(question) => question.instruction,
        },
    }
}

#[test]
fn where_it_is_not_required_calls_go_on_without() {
    let scratch = Scratch::new();
    let gate = scratch.gate(Audit::default());
    fs::remove_file(scratch.file()).unwrap();
    fs::create_dir(scratch.file()).unwrap();
    gate.read(&ReadArgs { path: "a.txt".into(), ..Default::default() }).unwrap();
}

#[test]
fn an_outcome_that_cannot_be_written_down_is_a_note() {
    let scratch = Scratch::new();
    let gate = scratch.gate(Audit { required: true, ..Audit::default() });
    gate.read(&ReadArgs { path: "a.txt".into(), ..Default::default() }).unwrap();
    // Another host holds the lock, so the call waits between intent and outcome.
    let states = fs::read_dir(scratch.path().join("state/states")).unwrap();
    let lock = states.map(|state| state.unwrap().path().join("lock")).find(|lock| lock.exists()).unwrap();
    let lock = fs::File::open(lock).unwrap();
    lock.lock().unwrap();
    let outcome = thread::scope(|scope| {
        let call = scope.spawn(|| gate.call("write", r#"{"path": "a.txt", "content": "new"}"#));
        while !fs::read_to_string(scratch.file()).unwrap().contains("intent") {
            thread::yield_now();
        }
        fs::remove_file(scratch.file()).unwrap();
        fs::create_dir(scratch.file()).unwrap();
        lock.unlock().unwrap();
        call.join().unwrap().unwrap()
    });
    let outcome: Value = serde_json::from_str(&outcome).unwrap();
    assert_eq!(fs::read_to_string(scratch.path().join("w/a.txt")).unwrap(), "new");
    let notes: Vec<_> = outcome["notes"].as_array().unwrap().iter().map(|note| &note["kind"]).collect();
    assert!(notes.contains(&&json!("unaudited")), "{outcome}");
}

#[test]
fn the_program_writes_shows_and_verifies() {
    let scratch = Scratch::new();
    let host = "--dir w::/w --audit kept/audit.jsonl";
    let (code, ..) = scratch.run(&format!("read a.txt {host}"));
    assert_eq!(code, 0);
    let (code, ..) = scratch.run(&format!("write a.txt --content new {host}"));
    assert_eq!(code, 0);
    let (code, ..) = scratch.run(&format!("read ../secret {host}"));
    assert_eq!(code, 1);
    let lines = scratch.lines();
    assert_eq!(lines.len(), 3, "one chain over three processes");
    assert!(lines.iter().all(|line| line["front_end"] == "command-line" && line["user"] != ""), "{lines:?}");

    let (code, out, _) = scratch.run("audit verify kept/audit.jsonl");
    assert_eq!(code, 0);
    assert!(out.starts_with("good: 3 lines in 1 files\n"), "{out}");
    let hash = out.lines().last().unwrap().to_owned();
    assert_eq!(scratch.run(&format!("audit verify kept/audit.jsonl --expect {hash}")).0, 0);

    let (code, out, _) = scratch.run("audit show kept/audit.jsonl");
    assert_eq!((code, out.lines().count()), (0, 3), "{out}");
    assert!(out.lines().nth(1).unwrap().contains("3 bytes written"), "{out}");
    let (_, out, _) = scratch.run("audit show kept/audit.jsonl --denied");
    assert!(out.lines().count() == 1 && out.contains("../secret"), "{out}");
    let (_, out, _) = scratch.run("audit show kept/audit.jsonl --json --tool write");
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap(), lines[1]);

    // A line is removed from the middle, then the end is cut off.
    let text = fs::read_to_string(scratch.file()).unwrap();
    let kept: Vec<_> = text.lines().collect();
    fs::write(scratch.file(), [kept[0], kept[2], ""].join("\n")).unwrap();
    let (code, _, err) = scratch.run("audit verify kept/audit.jsonl");
    assert!(code == 1 && err.contains("line 2 is not good") && err.contains("missing"), "{err}");
    fs::write(scratch.file(), [kept[0], kept[1], ""].join("\n")).unwrap();
    assert_eq!(scratch.run("audit verify kept/audit.jsonl").0, 0);
    let (code, _, err) = scratch.run(&format!("audit verify kept/audit.jsonl --expect {hash}"));
    assert!(code == 1 && err.contains("cut off"), "{err}");
    assert_eq!(scratch.run("audit verify none.jsonl").0, 3);

    // A change of the last line, and a removed beginning, only show by a hash that was stored.
    let changed = kept[2].replace("../secret", "../public");
    fs::write(scratch.file(), [kept[0], kept[1], &changed, ""].join("\n")).unwrap();
    assert_eq!(scratch.run("audit verify kept/audit.jsonl").0, 0);
    assert_eq!(scratch.run(&format!("audit verify kept/audit.jsonl --expect {hash}")).0, 1);
    fs::write(scratch.file(), [kept[1], kept[2], ""].join("\n")).unwrap();
    let (code, out, _) = scratch.run("audit verify kept/audit.jsonl");
    assert!(code == 0 && out.contains("it begins with line 2"), "{out}");
}

#[test]
fn full_files_are_followed_by_others() {
    let scratch = Scratch::new();
    for _ in 0..12 {
        let words = "read a.txt --dir w::/w --audit kept/audit.jsonl --audit-rotate-bytes 500 --audit-keep 3";
        assert_eq!(scratch.run(words).0, 0);
    }
    let (code, out, err) = scratch.run("audit verify kept/audit.jsonl");
    assert!(
        code == 0 && out.contains("in 4 files") && out.contains("older files are not here"),
        "{out}{err}"
    );
    // Each file once, in any order of naming.
    let (_, named, _) =
        scratch.run("audit verify kept/audit.jsonl kept/audit.jsonl.3 kept/audit.jsonl.1 kept/audit.jsonl.2");
    assert_eq!(out, named);
    fs::remove_file(scratch.path().join("kept/audit.jsonl.2")).unwrap();
    let (code, _, err) = scratch.run("audit verify kept/audit.jsonl kept/audit.jsonl.3");
    assert!(code == 1 && err.contains("missing"), "{err}");
}

#[test]
fn without_a_file_it_lies_beside_the_state() {
    let scratch = Scratch::new();
    assert_eq!(scratch.run("read a.txt --dir w::/w --state-dir state --audit auto").0, 0);
    let file = scratch.path().join("state/audit/audit.jsonl");
    assert_eq!(fs::metadata(file.parent().unwrap()).unwrap().mode() & 0o777, 0o700);
    assert_eq!(fs::read_to_string(file).unwrap().lines().count(), 1);
}

#[test]
fn an_audit_that_a_tool_could_write_refuses_the_start() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path().join("open")).unwrap();
    fs::set_permissions(scratch.path().join("open"), fs::Permissions::from_mode(0o777)).unwrap();
    std::os::unix::fs::symlink("w", scratch.path().join("link")).unwrap();
    fs::create_dir(scratch.path().join("kept")).unwrap();
    fs::write(scratch.path().join("kept/other"), "something else\n").unwrap();
    for (file, problem) in [
        ("w/audit.jsonl", "granted for writing"),
        ("link/new/audit.jsonl", "granted for writing"),
        ("open/audit.jsonl", "others can write"),
        ("kept/other", "no audit"),
        ("w", "cannot write the audit"),
    ] {
        let (code, out, err) = scratch.run(&format!("read a.txt --dir w::/w --audit {file}"));
        assert_eq!((code, &out[..]), (2, ""), "{file}: {err}");
        assert!(err.contains(problem) && err.contains("--audit"), "{file}: {err}");
    }
    assert_eq!(fs::read_to_string(scratch.path().join("kept/other")).unwrap(), "something else\n");
}

/// Every call of a model has one line, also a walk in chunks, and a call of an unknown tool.
#[test]
fn an_mcp_client_is_named() {
    let scratch = Scratch::new();
    let mut command = scratch.command();
    command.args("mcp --dir w::/w --tools all --audit kept/audit.jsonl".split(' '));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut id = 0;
    let mut send = |method: &str, params: Value| {
        id += 1;
        let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if !method.starts_with("notifications/") {
            message["id"] = id.into();
        }
        input.write_all(format!("{message}\n").as_bytes()).unwrap();
    };
    let client = json!({"name": "tests", "version": "7"});
    send("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}));
    send("notifications/initialized", json!({}));
    for (tool, arguments) in [
        ("read", json!({"path": "a.txt"})),
        ("glob", json!({"pattern": "**"})),
        ("write", json!({"path": "a.txt", "content": "x"})),
        ("nonsense", json!({"path": "y"})),
        ("read", json!({"path": 3})),
    ] {
        send("tools/call", json!({"name": tool, "arguments": arguments}));
    }
    drop(input);
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert!(child.wait().unwrap().success());
    let mut lines = scratch.lines();
    lines.sort_by_key(|line| line["tool"].to_string() + &line["outcome"].to_string());
    let found: Vec<_> =
        lines.iter().map(|line| fields(line, &["tool", "outcome", "front_end", "client"])).collect();
    let is = |tool: &str, outcome: &str| json!([tool, outcome, "mcp", "tests 7"]);
    // The input ends after the last call: calls that have not begun are dropped, and have a line as
    // that.
    assert_eq!(found.len(), 5, "{found:?}");
    assert!(found.contains(&is("nonsense", "unknown_tool")), "{found:?}");
    for (tool, outcome) in [("read", "ok"), ("glob", "ok"), ("write", "ok"), ("read", "invalid_argument")] {
        let known = [is(tool, outcome), is(tool, "cancelled")];
        assert!(found.iter().any(|line| known.contains(line)), "{tool}: {found:?}");
    }
}

/// A process that is killed during a write leaves a chain that the next one continues.
#[test]
fn killed_programs_leave_a_chain() {
    let scratch = Scratch::new();
    let words = "call read - --dir w::/w --audit kept/audit.jsonl";
    for round in 0..12_u64 {
        let mut children: Vec<_> = (0..3)
            .map(|_| {
                let mut command = scratch.command();
                command.args(words.split(' ')).stdin(Stdio::piped()).stdout(Stdio::null());
                let mut child = command.spawn().unwrap();
                child.stdin.take().unwrap().write_all(br#"{"path": "a.txt"}"#).unwrap();
                child
            })
            .collect();
        thread::sleep(std::time::Duration::from_millis(3 * round));
        children.iter_mut().for_each(|child| drop(child.kill()));
        children.iter_mut().for_each(|child| drop(child.wait()));
        // Cut off at any byte, the line is closed off by the next one.
        if let Ok(file) = fs::OpenOptions::new().write(true).open(scratch.file()) {
            let length = file.metadata().unwrap().len();
            file.set_len(length.saturating_sub(round * 13)).unwrap();
        }
    }
    assert_eq!(scratch.run(&words.replace("call read -", "read a.txt")).0, 0);
    let (code, out, err) = scratch.run("audit verify kept/audit.jsonl");
    assert_eq!(code, 0, "{out}{err}");
}
