//! The program as a user at a shell meets it: exit codes, what goes where, starts that are refused.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};
use std::{fs, str};

use serde_json::Value;
use tempfile::TempDir;

/// A scratch directory with `w` to be granted and a secret beside it, and a home of its own.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Self {
        let scratch = Self(TempDir::new().unwrap());
        fs::create_dir_all(scratch.path().join("w/sub")).unwrap();
        fs::create_dir_all(scratch.path().join("home")).unwrap();
        fs::write(scratch.path().join("w/a.txt"), "one\r\ntwo\r\nthree").unwrap();
        fs::write(scratch.path().join("secret.txt"), "secret").unwrap();
        scratch
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fsgate"));
        command.current_dir(self.path()).env("HOME", self.path().join("home")).env("PWD", self.path());
        for variable in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
            command.env_remove(variable);
        }
        command
    }

    fn run(&self, args: &[&str]) -> Ended {
        Ended::from(self.command().args(args).output().unwrap())
    }
}

#[derive(Debug)]
struct Ended {
    code: i32,
    out: String,
    err: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| str::from_utf8(bytes).unwrap().to_owned();
        Self { code: output.status.code().unwrap(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

#[test]
fn exit_codes_and_streams_follow_the_answer() {
    let scratch = Scratch::new();
    // Arguments, exit code, what standard output begins with, what standard error contains.
    for (args, code, out, err) in [
        (&["read", "a.txt", "--dir", "w"][..], 0, "one\r\ntwo\r\nthree", ""),
        (&["read-numbered", "a.txt", "--lines", "2", "--dir", "w"], 0, "2: two\n", ""),
        (&["read-numbered", "a.txt", "--lines", "2-9", "--dir", "w"], 0, "2: two\n3: three\n", "3 lines"),
        (&["read", "none.txt", "--dir", "w"], 1, "", "none.txt: no such file"),
        (&["read", "../secret.txt", "--dir", "w"], 1, "", "in no granted directory"),
        (&["replace", "a.txt", "--old=o", "--new=x", "--dir", "w"], 1, "", "lines 1 and 2"),
        (&["read", "a.txt", "--dir", "w", "--json"], 0, "{\"path\":", ""),
        (&["read", "none.txt", "--dir", "w", "--json"], 1, "{\"code\":\"not_found\"", ""),
        (&["call", "read", "{\"path\": \"a.txt\"}", "--dir", "w"], 0, "{\"path\":", ""),
        (&["call", "read-numbered", "{\"path\": \"a.txt\"}", "--dir", "w"], 0, "{\"path\":", ""),
        (&["call", "reed", "{}", "--dir", "w"], 1, "{\"code\":\"unknown_tool\"", ""),
        (&["call", "read", "{", "--dir", "w"], 1, "{\"code\":\"malformed\"", ""),
        (&["read", "w/a.txt"], 0, "one", "reading only"),
        (&["tools"], 0, "read ", ""),
        (&[], 2, "", "Usage"),
        (&["frobnicate"], 2, "", "unrecognized subcommand"),
        (&["read", "a.txt", "--max-bytes", "0", "--dir", "w"], 2, "", "max-bytes"),
        (&["create", "x.txt", "--dir", "w"], 2, "", "--content"),
    ] {
        let ended = scratch.run(args);
        assert_eq!(ended.code, code, "{args:?}: {ended:?}");
        assert!(ended.out.starts_with(out), "{args:?}: {ended:?}");
        assert!(ended.err.contains(err), "{args:?}: {ended:?}");
    }
}

#[test]
fn a_shell_reads_a_file_to_its_end() {
    let scratch = Scratch::new();
    // More than two answers of 1 MiB, the last line without an end; and one beyond the size of strong tags.
    for lines in [60_000, 400_000] {
        let content: String =
            (0..lines).map(|n| format!("line {n:08}, one of very many, all alike\n")).collect();
        let content = content.trim_end();
        fs::write(scratch.path().join("w/many.txt"), content).unwrap();
        let ended = scratch.run(&["read", "many.txt", "--dir", "w"]);
        assert!(ended.code == 0 && ended.err.is_empty() && ended.out == content, "{lines}: {}", ended.err);
        let limit = lines - 3;
        let ended = scratch.run(&["read", "many.txt", "--max-lines", &limit.to_string(), "--dir", "w"]);
        assert!(ended.code == 0 && ended.out.lines().count() == limit, "{}", ended.err);
        let ended = scratch.run(&["read", "many.txt", "--max-bytes", "100", "--dir", "w"]);
        assert!(ended.code == 0 && ended.err.contains("skip_lines") && ended.out.lines().count() == 2);
    }
}

#[test]
fn starts_that_would_not_hold_are_refused_with_what_to_do() {
    let scratch = Scratch::new();
    fs::write(scratch.path().join("file"), "").unwrap();
    symlink("w", scratch.path().join("linked")).unwrap();
    for (grants, err) in [
        (&["--dir", "none"][..], "cannot grant `none`"),
        (&["--dir", "file"], "not a directory"),
        (&["--dir", "w", "--read-only-dir", "w/sub"], "around it is granted for writing"),
        (&["--read-only-dir", "w/sub", "--dir", "w"], "around it is granted for writing"),
        (&["--dir", "w", "--read-only-dir", "linked"], "are granted under the name"),
        (&["--dir", "w", "--dir", "w/../w"], "are granted under the name"),
        (&["--dir", "home"], "XDG_STATE_HOME"),
        (&["--dir", "/"], "XDG_STATE_HOME"),
        (&["--read-only-dir", "w", "--dir", "home"], "XDG_STATE_HOME"),
    ] {
        let args: Vec<_> = ["read", "a.txt"].iter().chain(grants).copied().collect();
        let ended = scratch.run(&args);
        assert_eq!(ended.code, 2, "{grants:?}: {ended:?}");
        assert!(ended.err.contains(err), "{grants:?}: {ended:?}");
        assert_eq!(ended.out, "");
    }
    // Wider inside narrower is what a nested grant is for.
    assert_eq!(scratch.run(&["read", "w/a.txt", "--read-only-dir", ".", "--dir", "w/sub"]).code, 0);
    // A home may be looked at.
    assert_eq!(scratch.run(&["read", "x", "--read-only-dir", "home"]).code, 1);
}

#[test]
fn state_elsewhere_makes_a_home_grantable() {
    let scratch = Scratch::new();
    let elsewhere = scratch.path().join("elsewhere");
    let mut command = scratch.command();
    for variable in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        command.env(variable, &elsewhere);
    }
    let ended = Ended::from(command.args(["create", "x", "--content=", "--dir", "home"]).output().unwrap());
    assert_eq!(ended.code, 0, "{ended:?}");
}

#[test]
fn without_a_grant_writing_is_refused_with_the_command_that_allows_it() {
    let scratch = Scratch::new();
    let ended = scratch.run(&["create", "new file.txt", "--content", "it's"]);
    assert_eq!(ended.code, 1);
    let directory = scratch.path().canonicalize().unwrap();
    let command = format!("fsgate create --dir {} 'new file.txt' --content 'it'\\''s'", directory.display());
    assert!(ended.err.contains(&command), "{ended:?}");
    assert!(!scratch.path().join("new file.txt").exists());
}

#[test]
fn a_replace_keeps_what_the_file_is() {
    let scratch = Scratch::new();
    let path = scratch.path().join("w/a.txt");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
    fs::hard_link(&path, scratch.path().join("w/b.txt")).unwrap();
    let before = fs::metadata(&path).unwrap();
    let ended = scratch.run(&["replace", "a.txt", "--old", "two", "--new", "2\n2", "--diff", "--dir", "w"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.out.contains("-two\r\n+2\r\n+2\r\n"), "{ended:?}");
    let after = fs::metadata(&path).unwrap();
    assert_eq!((before.ino(), before.mode(), before.nlink()), (after.ino(), after.mode(), after.nlink()));
    assert_eq!(fs::read(scratch.path().join("w/b.txt")).unwrap(), b"one\r\n2\r\n2\r\nthree");
}

#[test]
fn a_directory_has_the_name_that_was_typed_besides_its_own() {
    let scratch = Scratch::new();
    symlink("w", scratch.path().join("linked")).unwrap();
    let typed = scratch.path().join("linked/a.txt");
    let real = scratch.path().canonicalize().unwrap().join("w/a.txt");
    for path in [&typed, &real] {
        let ended = scratch.run(&["read", path.to_str().unwrap(), "--dir", "linked"]);
        assert_eq!(ended.code, 0, "{ended:?}");
    }
}

#[test]
fn the_catalogue_is_json_with_schemas() {
    let ended = Scratch::new().run(&["tools", "--json"]);
    let tools: Value = serde_json::from_str(&ended.out).unwrap();
    let names: Vec<_> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["read", "read_numbered", "create", "replace"]);
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["input_schema"]["type"], "object");
        assert_eq!(tool["input_schema"]["additionalProperties"], false);
        assert!(tool["outcome_schema"]["properties"]["path"].is_object());
    }
}

#[test]
fn the_component_can_be_taken_out() {
    let scratch = Scratch::new();
    assert_eq!(scratch.run(&["component", "--output", "x.wasm"]).code, 0);
    let written = fs::read(scratch.path().join("x.wasm")).unwrap();
    let printed = scratch.command().arg("component").output().unwrap().stdout;
    assert!(written.starts_with(b"\0asm") && written == printed && written == fsgate::COMPONENT);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let scratch = Scratch::new();
    let mut child = scratch.command().arg("component").stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
