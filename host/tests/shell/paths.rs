//! Paths relative to the current directory, in arguments and answers, and diffs for other programs.

use std::fs;
use std::process::{Command, Stdio};

use super::{Scratch, display};

#[test]
fn relative_paths_start_at_the_current_directory_and_answers_do_too() {
    let scratch = Scratch::new();
    let project = display(&scratch.at("project"));
    // Directory, arguments, beginning of standard output.
    for (directory, words, out) in [
        ("project/sub", &["read", "b.txt"][..], "four\n"),
        ("project/sub", &["read", "../a.txt"], "one\n"),
        ("project/sub", &["grep", "four"], "b.txt\n1: four\n"),
        ("project/sub", &["grep", "two", ".."], "../a.txt\n2: two\n"),
        ("project/sub", &["glob", "*"], "b.txt\ndeep/\n"),
        ("project/sub", &["tree", "."], ".\nb.txt\ndeep/\n"),
        ("project/sub", &["stat", "../a.txt"], "path:       ../a.txt\n"),
        ("project/sub", &["append", "b.txt", "--content", "x\n"], "appended 2 bytes to b.txt\n"),
        ("project/sub/deep", &["move", "../b.txt", "c.txt"], "moved ../b.txt to c.txt\n"),
        (
            "project/sub/deep",
            &["copy", "c.txt", "../../d.txt"],
            "copied c.txt to ../../d.txt (1 file, 7 bytes)\n",
        ),
        ("project/sub/deep", &["copy", "c.txt", "g.txt"], "copied c.txt to g.txt (1 file, 7 bytes)\n"),
        (
            "project/sub/deep",
            &["move", "g.txt", "../../d.txt"],
            "moved g.txt to ../../d.txt; replaced ../../d.txt\n",
        ),
        ("project/sub", &["write", "e/f.txt", "--content", ""], "created e/f.txt (0 bytes)\n"),
        ("project/sub", &["delete", "e/f.txt"], "deleted e/f.txt\n"),
        (
            "project/sub",
            &["apply", "--edits", r#"[{"path": "deep/c.txt", "old": "x", "new": "y"}]"#],
            "replaced 1 in deep/c.txt (line 2)\n",
        ),
        (
            "project/sub",
            &["apply", "--patch", "--- a/deep/c.txt\n+++ b/deep/c.txt\n@@ -1,2 +1,2 @@\n four\n-y\n+z\n"],
            "replaced 1 in deep/c.txt (line 2)\n",
        ),
    ] {
        let granted = if words[0] == "grep" || words[0] == "stat" { "--read-only-dir" } else { "--dir" };
        let ended = scratch.done(directory, &[words, &[granted, &project]].concat());
        assert!(ended.out.starts_with(out), "{words:?}: {ended:?}");
    }
    assert_eq!(scratch.text("project/d.txt"), "four\nx\n");
    assert_eq!(scratch.text("project/sub/deep/c.txt"), "four\nz\n");
    let log = scratch.done("project/sub", &["log", "--max-items", "1"]);
    assert!(log.out.ends_with("  deep/c.txt\n"), "{log:?}");
    let undone = scratch.done("project/sub", &["undo"]);
    assert!(undone.out.contains(" deep/c.txt "), "{undone:?}");
    let refused = scratch.run("project/sub", &["read", "none.txt", "--dir", &project]);
    assert!(refused.err.contains("fsgate: none.txt: no such file"), "{refused:?}");
    let refused = scratch.run("project/sub", &["read", "../../home/x", "--dir", &project]);
    assert!(refused.err.contains("in no granted directory"), "{refused:?}");
}

#[test]
fn the_first_granted_directory_is_the_start_elsewhere() {
    let scratch = Scratch::new();
    let project = display(&scratch.at("project"));
    // From outside, and in `call` and front ends.
    assert_eq!(scratch.done("home", &["read", "sub/b.txt", "--dir", &project]).out, "four\n");
    let created = scratch.done("home", &["create", "x", "--content=", "--dir", &project]);
    assert_eq!(created.out, format!("created {project}/x (0 bytes)\n"));
    let called = scratch.done("project/sub", &["call", "read", r#"{"path": "a.txt"}"#, "--dir", &project]);
    assert!(called.out.contains(r#""content":"one\ntwo\nthree\n""#), "{called:?}");
    // Data has absolute paths; arguments start at the current directory.
    let data = scratch.done("project/sub", &["stat", "b.txt", "--json", "--dir", &project]);
    assert!(data.out.contains(&format!(r#""path":"{project}/sub/b.txt""#)), "{data:?}");
    // In a second grant, and in one with a chosen name.
    fs::create_dir(scratch.at("other")).unwrap();
    let other = display(&scratch.at("other")) + "::/other";
    let grants = ["--dir", &project, "--dir", &other];
    let created = scratch.done("other", &[&["create", "y", "--content", "why\n"][..], &grants].concat());
    assert_eq!((&created.out[..], &scratch.text("other/y")[..]), ("created y (4 bytes)\n", "why\n"));
    let copied = scratch.done("other", &[&["copy", "y", &format!("{project}/y")][..], &grants].concat());
    assert_eq!(copied.out, format!("copied y to {project}/y (1 file, 4 bytes)\n"));
}

/// Feeds a diff to another program in a directory.
fn apply(scratch: &Scratch, directory: &str, words: &[&str], diff: &str) {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(scratch.at(directory)).stdin(Stdio::piped());
    // A repository around the scratch directory would change where paths start.
    command.env("GIT_CEILING_DIRECTORIES", scratch.root()).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), diff.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}\n{diff}");
}

#[test]
fn other_programs_apply_what_is_shown() {
    let scratch = Scratch::new();
    fs::write(scratch.at("project/with space.txt"), "one\n").unwrap();
    let edits = r#"[
        {"path": "a.txt", "old": "two", "new": "2"},
        {"path": "sub/b.txt", "old": "four", "new": "4"},
        {"path": "with space.txt", "delete": true},
        {"path": "sub/new.txt", "content": "new\n"}
    ]"#;
    let shown = scratch.done("project", &["apply", "--edits", edits, "--dry-run", "--diff", "--dir", "."]);
    for program in [&["git", "apply"][..], &["patch", "-p1", "--quiet"]] {
        let copy = display(&scratch.at(program[0]));
        let copied = Command::new("cp").args(["-r", &display(&scratch.at("project")), &copy]).status();
        assert!(copied.unwrap().success());
        apply(&scratch, program[0], program, &shown.out);
        assert_eq!(scratch.text(&format!("{}/a.txt", program[0])), "one\n2\nthree\n");
        assert_eq!(scratch.text(&format!("{}/sub/b.txt", program[0])), "4\n");
        assert_eq!(scratch.text(&format!("{}/sub/new.txt", program[0])), "new\n");
        assert!(!scratch.at(&format!("{}/with space.txt", program[0])).exists());
    }
    // In a subdirectory, and from the history.
    let project = display(&scratch.at("project"));
    let edit = ["replace", "b.txt", "--old", "four", "--new", "4", "--diff", "--dir", &project];
    let shown = scratch.done("project/sub", &edit);
    assert!(shown.out.contains("--- a/b.txt\n+++ b/b.txt\n"), "{shown:?}");
    let logged = scratch.done("project/sub", &["log", "--diff"]);
    apply(&scratch, "git/sub", &["git", "apply", "--reverse"], &logged.out);
    assert_eq!(scratch.text("git/sub/b.txt"), "four\n");
    apply(&scratch, "patch/sub", &["patch", "-p1", "-R", "--quiet"], &logged.out);
    assert_eq!(scratch.text("patch/sub/b.txt"), "four\n");
    // The diff applies to the tree that it came from.
    scratch.done("project/sub", &["undo"]);
    scratch.done("project/sub", &["apply", "--patch", &shown.out, "--dir", &project]);
    assert_eq!(scratch.text("project/sub/b.txt"), "4\n");
}
