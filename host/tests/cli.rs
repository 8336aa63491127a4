//! The program at a shell: exit codes, streams, refused starts.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, str};

use fsgate_tests::program::{Ended, program};
use serde_json::Value;
use tempfile::TempDir;

fn command_component() -> Cow<'static, [u8]> {
    fsgate::component(fsgate::ComponentKind::Command).unwrap()
}

/// A grant `w` with a secret beside it, and a home.
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
        program(env!("CARGO_BIN_EXE_fsgate"), self.path())
    }

    /// The same with the working directory in the grant.
    fn run_inside(&self, args: &[&str]) -> Ended {
        let inside = self.path().join("w");
        Ended::from(self.command().current_dir(&inside).env("PWD", inside).args(args).output().unwrap())
    }

    fn run(&self, args: &[&str]) -> Ended {
        Ended::from(self.command().args(args).output().unwrap())
    }
}

#[test]
fn exit_codes_and_streams_follow_the_answer() {
    let scratch = Scratch::new();
    // Arguments, exit code, beginning of standard output, part of standard error.
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
        (&["sham", "--dir", "w"], 0, "{\"success\":true,\"totalBlocks\":0,", ""),
        (&["sham", "--as", "root", "--dir", "w"], 2, "", "possible values: model, user"),
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
    // More than two answers of 1 MiB, the last line without an end; and a file above the limit of
    // strong tags.
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
        assert!(ended.code == 0 && ended.err.contains("--cursor") && ended.out.lines().count() == 2);
    }
}

#[test]
fn starts_that_would_not_hold_are_refused_with_what_to_do() {
    let scratch = Scratch::new();
    fs::write(scratch.path().join("file"), "").unwrap();
    symlink("w", scratch.path().join("linked")).unwrap();
    symlink("w/sub", scratch.path().join("inner")).unwrap();
    for (grants, err) in [
        (&["--dir", "none"][..], "cannot grant `none`"),
        (&["--dir", "file"], "not a directory"),
        (&["--dir", "w", "--read-only-dir", "w/sub"], "around it is granted for writing"),
        (&["--read-only-dir", "w/sub", "--dir", "w"], "around it is granted for writing"),
        (&["--dir", "w", "--read-only-dir", "inner"], "around it is granted for writing"),
        (&["--dir", "linked", "--read-only-dir", "w/sub"], "around it is granted for writing"),
        (&["--dir", "w", "--read-only-dir", "w/sub::elsewhere"], "around it is granted for writing"),
        (&["--dir", "w::a", "--read-only-dir", "w::b"], "is granted for reading only and, as"),
        (&["--read-only-dir", "linked::b", "--dir", "w::a"], "is granted for reading only and, as"),
        (&["--dir", "w", "--read-only-dir", "linked"], "is granted twice"),
        (&["--dir", "w", "--dir", "w/../w"], "is granted twice"),
        (&["--dir", "home"], "XDG_STATE_HOME"),
        (&["--dir", "/"], "XDG_STATE_HOME"),
        (&["--dir", "home", "--allow-wide-grant"], "XDG_STATE_HOME"),
        (&["--read-only-dir", "/"], "it is all of this machine"),
        (
            &["--read-only-dir", "."],
            "it is a directory with a home directory in it, and everything in it would be open",
        ),
        (&["--read-only-dir", "home"], "it is a home directory, and everything in it would be open"),
        (&["--read-only-dir", "/etc::w"], "it is a directory of the system"),
        (&["--dir", "/usr"], "--allow-wide-grant"),
        (&["--dir", "w", "--state-dir", "w/state"], "and fsgate's own directory"),
        (&["--dir", "w/sub", "--state-dir", "w"], "and fsgate's own directory"),
        (&["--read-only-dir", "w", "--dir", "home"], "XDG_STATE_HOME"),
    ] {
        let args: Vec<_> = ["read", "a.txt"].iter().chain(grants).copied().collect();
        let ended = scratch.run(&args);
        assert_eq!(ended.code, 2, "{grants:?}: {ended:?}");
        assert!(ended.err.contains(err), "{grants:?}: {ended:?}");
        assert_eq!(ended.out, "");
    }
    // A nested grant may be wider than the one around it.
    assert_eq!(scratch.run(&["read", "a.txt", "--read-only-dir", "w", "--dir", "w/sub"]).code, 0);
    // A home may be granted for reading, if that is said; so may one directory under two names,
    // with one access.
    assert_eq!(scratch.run(&["read", "x", "--read-only-dir", "home", "--allow-wide-grant"]).code, 1);
    assert_eq!(scratch.run(&["read", "a.txt", "--dir", "w::a", "--dir", "linked::b"]).code, 0);
}

#[test]
fn state_elsewhere_makes_a_home_grantable() {
    let scratch = Scratch::new();
    let elsewhere = scratch.path().join("elsewhere");
    let mut command = scratch.command();
    for variable in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        command.env(variable, &elsewhere);
    }
    command.args(["create", "x", "--content=", "--dir", "home", "--allow-wide-grant"]);
    let ended = Ended::from(command.output().unwrap());
    assert_eq!(ended.code, 0, "{ended:?}");
}

#[test]
fn the_policy_of_the_environment_holds_and_a_broken_one_refuses_the_start() {
    let scratch = Scratch::new();
    let run = |policy: &str, args: &[&str]| {
        Ended::from(scratch.command().env("FSGATE_POLICY", policy).args(args).output().unwrap())
    };
    let denied = r#"{"rules": [{"name": "mine", "paths": ["a.txt"], "effect": "denied"}]}"#;
    for (policy, code, reported) in [
        (denied, 1, "the policy rule `mine` denies access to it"),
        (r#"[{"profile": "open"}, {"max_file_size": 3}]"#, 1, "more than 3 bytes"),
        ("{}", 0, ""),
        ("{", 2, "$FSGATE_POLICY: it is no JSON"),
        (r#"{"profile": "lax"}"#, 2, "`policy.profile`"),
        (r#"{"except": ["mine"]}"#, 2, "the profile has no rule `mine`"),
        (r#"{"rules": [{"name": "mine", "effect": "denied"}]}"#, 2, "`policy.rules[0]`"),
    ] {
        let ended = run(policy, &["read", "a.txt", "--dir", "w"]);
        assert_eq!(ended.code, code, "{policy}: {ended:?}");
        assert!(ended.err.contains(reported), "{policy}: {ended:?}");
    }
    // Without a policy the profile `default` applies.
    fs::write(scratch.path().join("w/.netrc"), "machine").unwrap();
    let refused = scratch.run(&["read", ".netrc", "--dir", "w"]);
    assert!(refused.code == 1 && refused.err.contains("`credentials`"), "{refused:?}");
}

#[test]
fn without_a_grant_writing_is_refused_with_the_command_that_allows_it() {
    let scratch = Scratch::new();
    let ended = scratch.run_inside(&["read", "a.txt"]);
    assert!(
        ended.code == 0 && ended.out.starts_with("one") && ended.err.contains("reading only"),
        "{ended:?}"
    );
    let ended = scratch.run_inside(&["create", "new file.txt", "--content", "it's"]);
    assert_eq!(ended.code, 1);
    let directory = scratch.path().join("w").canonicalize().unwrap();
    let command = format!("fsgate create --dir {} 'new file.txt' --content 'it'\\''s'", directory.display());
    assert!(ended.err.contains(&command), "{ended:?}");
    assert!(!directory.join("new file.txt").exists());
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
    assert_eq!(names, fsgate::OPERATIONS.iter().map(|operation| operation.name).collect::<Vec<_>>());
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["input_schema"]["type"], "object");
        assert_eq!(tool["input_schema"]["additionalProperties"], false);
        assert_eq!(tool["outcome_schema"]["type"], "object");
    }
}

#[test]
fn the_component_can_be_taken_out() {
    let scratch = Scratch::new();
    assert_eq!(scratch.run(&["component", "--output", "x.wasm"]).code, 0);
    let written = fs::read(scratch.path().join("x.wasm")).unwrap();
    let printed = scratch.command().arg("component").output().unwrap().stdout;
    assert!(written.starts_with(b"\0asm") && written == printed && written == fsgate::COMPONENT);
    let command = scratch.command().args(["component", "--kind", "command"]).output().unwrap().stdout;
    assert!(command.starts_with(b"\0asm") && command == *command_component() && command != written);
}

#[test]
fn a_kind_that_this_build_has_not_is_refused_with_the_build_that_has_it() {
    let scratch = Scratch::new();
    for kind in fsgate::ComponentKind::ALL {
        let path = format!("{}.wasm", kind.name());
        let ended = scratch.run(&["component", "--kind", kind.name(), "--output", &path]);
        match fsgate::component(kind) {
            Ok(component) => {
                assert_eq!(ended.code, 0, "{}", ended.err);
                assert!(fs::read(scratch.path().join(path)).unwrap() == *component, "{}", kind.name());
            }
            Err(missing) => {
                assert_eq!(ended.code, 2);
                assert!(ended.err.contains(&missing.to_string()), "{}", ended.err);
                assert!(missing.to_string().contains("--features kinds"), "{missing}");
                assert!(!scratch.path().join(path).exists());
            }
        }
    }
    assert_eq!(scratch.run(&["component", "--kind", "other"]).code, 2);
}

#[test]
fn every_tool_has_a_form_for_people() {
    let scratch = Scratch::new();
    fs::write(scratch.path().join("w/b.bin"), b"a\xFFb").unwrap();
    fs::write(scratch.path().join("w/x\n- 1 y"), "").unwrap();
    fs::write(scratch.path().join("input"), "from a file\n").unwrap();
    let home = scratch.path().canonicalize().unwrap();
    let w = home.join("w").display().to_string();
    // Arguments, exit code, standard output (W is the grant), part of standard error.
    for (args, code, out, err) in [
        (&["read", "a.txt"][..], 0, "one\r\ntwo\r\nthree", ""),
        (&["read-numbered", "a.txt"], 0, "1: one\n2: two\n3: three\n", ""),
        (&["read-numbered", "a.txt", "--lines", "9"], 0, "", "3 lines; 9 were asked for"),
        (
            &["read-many", "a.txt", "none", "input.txt"],
            1,
            "=== a.txt ===\none\r\ntwo\r\nthree",
            "none: no such file",
        ),
        (
            &["read-many", "a.txt", "a.txt", "--joined"],
            0,
            "=== a.txt ===\none\r\ntwo\r\nthree\n\n=== a.txt ===\none\r\ntwo\r\nthree",
            "",
        ),
        (&["read-bytes", "a.txt", "--offset", "3", "--length", "3"], 0, "\r\nt", ""),
        (&["exists", "a.txt"], 0, "true\n", ""),
        (&["exists", "none"], 1, "false\n", ""),
        (&["exists", "../secret.txt"], 1, "", "[not_granted]"),
        (&["exists", "none", "--json"], 0, "{\"path\":\"W/none\",\"exists\":false}\n", ""),
        (&["create", "c.txt", "--content", "1\n2\n", "--dry-run"], 0, "would create W/c.txt (4 bytes)\n", ""),
        (&["create", "c.txt", "--content", "1\n2\n"], 0, "created W/c.txt (4 bytes)\n", ""),
        (&["create", "c.txt", "--content", "1\n2\n"], 1, "", "[exists]"),
        (&["append", "c.txt", "--content", "3\n"], 0, "appended 2 bytes to W/c.txt\n", ""),
        (&["replace", "c.txt", "--old", "2", "--new", "two"], 0, "replaced 1 in W/c.txt (line 2)\n", ""),
        (
            &["replace-all", "c.txt", "--old", "\n", "--new", ";\n", "--dry-run"],
            0,
            "would replace 3 in W/c.txt (lines 1, 2, 3)\n",
            "",
        ),
        (
            &["replace", "c.txt", "--old", "none", "--new", "x"],
            1,
            "",
            "in the file [no_match]\nfsgate: read the",
        ),
        (
            &["replace-all", "c.txt", "--old", "none", "--new", "", "--count", "0"],
            0,
            "replaced 0 in W/c.txt\n",
            "",
        ),
        (&["replace-all", "c.txt", "--old", "1", "--new", "", "--count", "7"], 1, "", "set `--count` to 1"),
        (
            &["replace", "a.txt", "--old", "one\ntwo", "--new", "1\n2"],
            0,
            "replaced 1 in W/a.txt (line 1)\n",
            "line ends",
        ),
        (
            &["write", "c.txt", "--content", "@input", "--dry-run"],
            0,
            "would write W/c.txt (12 bytes from the first to the last change)\n",
            "",
        ),
        (
            &["write", "c.txt", "--content", "@input"],
            0,
            "wrote W/c.txt (12 bytes from the first to the last change)\n",
            "",
        ),
        (&["read", "c.txt"], 0, "from a file\n", ""),
        (
            &["write", "c.txt", "--content", "@@input"],
            0,
            "wrote W/c.txt (5 bytes from the first to the last change)\n",
            "",
        ),
        (&["read", "c.txt"], 0, "input", ""),
        (&["write", "c.txt", "--content", "@w/b.bin"], 2, "", "byte at offset 1"),
        (&["write", "c.txt", "--content", "@none"], 2, "", "cannot read the file `none`"),
        (&["write-bytes", "d.bin", "--bytes", "@w/b.bin"], 0, "created W/d.bin (3 bytes)\n", ""),
        (&["write-bytes", "e.bin", "--bytes", "YQ=="], 0, "created W/e.bin (1 bytes)\n", ""),
        (&["read", "e.bin"], 0, "a", ""),
        (&["create-directory", "d/e"], 0, "created W/d/e\n", ""),
        (&["create-directory", "d/e"], 0, "W/d/e is there already\n", ""),
        (
            &["copy", "e.bin", "d/e.bin", "--dry-run"],
            0,
            "would copy W/e.bin to W/d/e.bin (1 file, 1 bytes)\n",
            "",
        ),
        (&["copy", "e.bin", "d/e.bin"], 0, "copied W/e.bin to W/d/e.bin (1 file, 1 bytes)\n", ""),
        (&["copy", "e.bin", "d/e.bin"], 1, "", "[exists]"),
        (&["copy", "d", "f"], 1, "", "give `--recursive` to take it with everything in it"),
        (&["copy", "d", "f", "--recursive"], 0, "copied W/d to W/f (1 file in 2 directories, 1 bytes)\n", ""),
        (&["move", "d/e.bin", "d/f.bin"], 0, "moved W/d/e.bin to W/d/f.bin\n", ""),
        (&["delete", "d/f.bin"], 0, "deleted W/d/f.bin\n", ""),
        (&["delete", "f", "--glob", "*"], 0, "deleted 1 in W/f\n  e.bin\n", ""),
        (&["delete-directory", "f", "--recursive"], 0, "deleted W/f (2 names)\n", ""),
        (&["delete-directory", "d"], 1, "", "it has 1 entry [not_empty]"),
        (&["delete-directory", "d", "--recursive"], 0, "deleted W/d (2 names)\n", ""),
        (&["read", "a.txt", "--max-lines", "1"], 0, "1\r\n", ""),
        (&["read", "a.txt", "--max-bytes", "4"], 0, "1\r\n", "go on with `--cursor 3.2.0."),
        (&["call", "exists", "@request"], 2, "", "cannot read the file `request`"),
        (&["reed", "a.txt"], 2, "", "'read'"),
        (&["replace", "a.txt", "--occurence", "1"], 2, "", "'--occurrence'"),
    ] {
        let args: Vec<_> = args.iter().copied().chain(["--dir", "w"]).collect();
        let ended = scratch.run(&args);
        assert_eq!(ended.code, code, "{args:?}: {ended:?}");
        let out = out.replace("W/", &format!("{w}/"));
        assert!(ended.out == out, "{args:?}: {ended:?}");
        assert!(
            if err.is_empty() { ended.err.is_empty() } else { ended.err.contains(err) },
            "{args:?}: {ended:?}"
        );
    }
    let stat = scratch.run(&["stat", "a.txt", "--checksum", "--dir", "w"]);
    for line in
        [format!("path:       {w}/a.txt\n"), "kind:       file\n".to_owned(), "checksum:   ".to_owned()]
    {
        assert!(stat.code == 0 && stat.out.contains(&line), "{stat:?}");
    }
    let list = scratch.run(&["list-directory", ".", "--dir", "w"]);
    let lines: Vec<_> = list.out.lines().collect();
    assert_eq!((list.code, lines.len()), (0, 7), "{list:?}");
    assert!(lines[0].starts_with("- 11 2") && lines[0].ends_with("Z a.txt"), "{list:?}");
    assert!(lines[5].starts_with("d  0 2") && lines[5].ends_with(" sub/"), "{list:?}");
    assert!(lines[6].ends_with("Z x\\n- 1 y"), "{list:?}");
}

#[test]
fn every_tool_is_in_the_completions_and_the_manual() {
    let scratch = Scratch::new();
    let mut pages = vec![scratch.run(&["man"]).out];
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        pages.push(scratch.run(&["completions", shell]).out);
    }
    assert_eq!(scratch.run(&["man", "-o", "pages"]).code, 0);
    for operation in fsgate::OPERATIONS {
        let name = operation.name.replace('_', "-");
        for page in &pages {
            // troff writes a hyphen as `\-`.
            assert!(page.replace("\\-", "-").contains(&name), "{name}: {page:.200}");
        }
        let page = fs::read_to_string(scratch.path().join(format!("pages/fsgate-{name}.1"))).unwrap();
        assert!(page.contains("path"), "{name}");
    }
    assert!(scratch.path().join("pages/fsgate.1").exists());
}

#[test]
fn standard_input_is_a_text_or_the_arguments() {
    let scratch = Scratch::new();
    for (args, input, code, shown) in [
        (&["create", "in.txt", "--content", "-"][..], &b"typed\n"[..], 0, "(6 bytes)"),
        (&["replace", "in.txt", "--old", "typed", "--new", "-", "--diff"], b"sent", 0, "+sent"),
        (&["replace", "in.txt", "--old", "-", "--new", "-"], b"sent", 2, "only one of `--old` and `--new`"),
        (
            &["apply", "--edits", "-", "--diff"],
            br#"[{"path": "in.txt", "old": "sent", "new": "got"}, {"path": "in2.txt", "content": "x\n"}]"#,
            0,
            "in2.txt (2 bytes)\n--- a/",
        ),
        (
            &["apply", "--edits", "-"],
            br#"[{"path": "in.txt", "old": "got", "new": "sent"}]"#,
            0,
            "replaced 1",
        ),
        (&["apply", "--edits", "-"], b"{}", 2, "`--edits`: this is no list in JSON"),
        (&["apply", "--edits", "-"], br#"[{"path": "in.txt", "odl": "x"}]"#, 1, "there is no argument"),
        (&["append", "in.txt", "--content", "-"], b"a\xFF", 2, "standard input is not UTF-8"),
        (&["write-bytes", "raw", "--bytes", "-"], b"a\xFF", 0, "(2 bytes)"),
        (&["call", "read", "-"], br#"{"path": "in.txt"}"#, 0, r#""content":"sent\n""#),
        (&["create", "empty", "--content", "-"], b"", 0, "(0 bytes)"),
    ] {
        let mut command = scratch.command();
        command
            .args(args)
            .args(["--dir", "w"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let ended = Ended::from(child.wait_with_output().unwrap());
        assert_eq!(ended.code, code, "{args:?}: {ended:?}");
        assert!(ended.out.contains(shown) || ended.err.contains(shown), "{args:?}: {ended:?}");
    }
    assert_eq!(fs::read(scratch.path().join("w/raw")).unwrap(), b"a\xFF");
}

#[test]
fn several_answers_look_like_one() {
    let scratch = Scratch::new();
    let file = |name: &str, content: &[u8]| fs::write(scratch.path().join("w").join(name), content).unwrap();
    let run = |args: &[&str]| {
        let args: Vec<_> = args.iter().copied().chain(["--dir", "w"]).collect();
        let output = scratch.command().args(&args).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && err.is_empty(), "{args:?}: {err}");
        output.stdout
    };
    // A line of 3 MiB between others, where a cut would be inside a character.
    let long = format!("first\n{}\nlast", "äöü".repeat(512 << 10));
    file("long", long.as_bytes());
    assert!(run(&["read", "long"]) == long.as_bytes());
    assert!(run(&["read-bytes", "long"]) == long.as_bytes());
    let lines: Vec<_> = long.lines().collect();
    let numbered = format!("1: first\n2: {}\n3: last\n", lines[1]);
    assert!(run(&["read-numbered", "long"]) == numbered.as_bytes());
    let first_two = format!("first\n{}\n", lines[1]);
    assert!(run(&["read", "long", "--max-lines", "2"]) == first_two.as_bytes());
    let only = format!("2> {}\n", lines[1]);
    assert!(run(&["read-numbered", "long", "--lines", "2", "--delimiter", "> "]) == only.as_bytes());
    let joined = format!(
        "=== a.txt ===\none\r\ntwo\r\nthree\n\n=== long ===\n{long}\n\n=== a.txt ===\none\r\ntwo\r\nthree"
    );
    assert!(run(&["read-many", "a.txt", "long", "a.txt"]) == joined.as_bytes());

    // Numbers of one to six digits over several answers are aligned.
    let many: Vec<_> = (1..=120_000).map(|n| format!("line {n} of very many")).collect();
    file("many", (many.join("\n") + "\n").as_bytes());
    let numbered: String = (1..).zip(&many).map(|(n, line)| format!("{n:6}: {line}\n")).collect();
    assert!(run(&["read-numbered", "many"]) == numbered.as_bytes());
    let numbered: String =
        (1..).zip(&many).take(99_999).map(|(n, line)| format!("{n:5}: {line}\n")).collect();
    assert!(run(&["read-numbered", "many", "--lines", "1-99999"]) == numbered.as_bytes());

    // More entries than an answer of 1 MiB holds.
    let crowd = scratch.path().join("w/crowd");
    fs::create_dir(&crowd).unwrap();
    let names: Vec<_> = (0..6_000).map(|n| format!("{n:05}-{}", "x".repeat(100))).collect();
    for name in &names {
        fs::write(crowd.join(name), "").unwrap();
    }
    let listed = String::from_utf8(run(&["list-directory", "crowd"])).unwrap();
    let listed: Vec<_> = listed.lines().map(|line| line.rsplit(' ').next().unwrap()).collect();
    assert_eq!(listed, names);
    let paths: Vec<_> = names.iter().take(1_500).map(|name| format!("crowd/{name}")).collect();
    let args: Vec<_> = ["read-many"].into_iter().chain(paths.iter().map(String::as_str)).collect();
    assert_eq!(String::from_utf8(run(&args)).unwrap().matches("=== crowd/").count(), 1_500);
}

#[test]
fn directories_have_names_of_ones_choice() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path().join("a::b")).unwrap();
    fs::write(scratch.path().join("a::b/x"), "x").unwrap();
    let full = scratch.path().canonicalize().unwrap().join("a::b/x").display().to_string();
    for (args, code, out) in [
        (&["read", "/project/a.txt", "--dir", "w::/project"][..], 0, "one\r\ntwo\r\nthree"),
        (&["exists", "a.txt", "--dir", "w::work"], 0, "true\n"),
        (&["create", "/docs/x", "--content", "x", "--read-only-dir", "w::docs"], 1, ""),
        (&["read", &full, "--dir", "a::b::"], 0, "x"),
        (&["read", "/c/x", "--dir", "a::b::c"], 0, "x"),
        (&["read", "x", "--dir", "w::n", "--dir", "home::/n"], 2, ""),
    ] {
        let ended = scratch.run(args);
        assert_eq!((ended.code, &ended.out[..]), (code, out), "{args:?}: {ended:?}");
    }
}

#[test]
fn another_component_takes_the_place_of_the_built_in_one() {
    let scratch = Scratch::new();
    fs::write(scratch.path().join("own.wasm"), fsgate::COMPONENT).unwrap();
    fs::write(scratch.path().join("bad.wasm"), "no component").unwrap();
    fs::write(scratch.path().join("command.wasm"), command_component()).unwrap();
    for (args, code, out, err) in [
        (&["read", "a.txt", "--dir", "w", "--component", "own.wasm"][..], 0, "one", ""),
        (&["tools", "--component", "bad.wasm"], 2, "", "cannot load the component"),
        (&["tools", "--component", "none.wasm"], 2, "", "cannot read the component `none.wasm`"),
        // It has another world, with imports that a gate does not provide.
        (&["tools", "--component", "command.wasm"], 2, "", "cannot load the component"),
    ] {
        let ended = scratch.run(args);
        assert_eq!(ended.code, code, "{args:?}: {ended:?}");
        assert!(ended.out.starts_with(out) && ended.err.contains(err), "{args:?}: {ended:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let scratch = Scratch::new();
    // More than a pipe holds, and more than one answer.
    fs::write(scratch.path().join("w/big"), "a line\n".repeat(600_000)).unwrap();
    for args in [
        &["component"][..],
        &["read", "big", "--dir", "w"],
        &["read-numbered", "big", "--dir", "w"],
        &["read-many", "big", "big", "--dir", "w"],
        &["read-bytes", "big", "--dir", "w"],
    ] {
        let mut command = scratch.command();
        let mut child = command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        let ended = Ended::from(child.wait_with_output().unwrap());
        assert_eq!((ended.code, &ended.err[..]), (0, ""), "{args:?}");
    }
}
