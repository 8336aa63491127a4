//! The history without `--dir`.

use super::{Scratch, display};

const EDIT: [&str; 8] = ["replace", "a.txt", "--old", "two", "--new", "2", "--dir", "."];

#[test]
fn the_history_is_that_of_the_nearest_directory_that_has_one() {
    let scratch = Scratch::new();
    scratch.done("project", &EDIT);
    let said = format!("no --dir given: the history of `{}`", display(&scratch.at("project")));
    for directory in ["project", "project/sub/deep"] {
        let log = scratch.done(directory, &["log"]);
        assert!(log.out.contains("replace") && log.err.contains(&said), "{log:?}");
    }
    let undone = scratch.done("project/sub", &["undo"]);
    assert!(undone.err.contains(&said), "{undone:?}");
    assert_eq!(scratch.text("project/a.txt"), "one\ntwo\nthree\n");
    scratch.done("project/sub", &["redo"]);
    assert_eq!(scratch.text("project/a.txt"), "one\n2\nthree\n");
    scratch.done("project", &["checkpoint", "here"]);
    scratch.done("project", &["recover"]);
    scratch.done("project", &["forget", "--everything"]);
    let log = scratch.done("project", &["history"]);
    assert!(log.out.is_empty() && log.err.contains("the history is empty"), "{log:?}");
}

#[test]
fn a_root_inside_of_another_one_is_nearer() {
    let scratch = Scratch::new();
    scratch.done("project", &EDIT);
    scratch.done("project", &["append", "b.txt", "--content", "five\n", "--dir", "sub"]);
    let inner = display(&scratch.at("project/sub"));
    let undone = scratch.done("project/sub/deep", &["undo"]);
    // Part of the history is in reach: `a.txt` stays.
    assert!(undone.err.contains(&format!("`{inner}`")) || undone.err.contains("project`"), "{undone:?}");
    assert_eq!(scratch.text("project/sub/b.txt"), "four\n");
    assert_eq!(scratch.text("project/a.txt"), "one\n2\nthree\n");
}

#[test]
fn without_a_history_around_the_directory_has_to_be_named() {
    let scratch = Scratch::new();
    for words in [&["log"][..], &["undo"], &["redo"], &["recover"], &["forget", "--everything"]] {
        let ended = scratch.run("project", words);
        assert_eq!(ended.code, 2, "{words:?}: {ended:?}");
        assert!(ended.err.contains("has a history; name the directory with `--dir PATH`"), "{ended:?}");
    }
    // Reading leaves no files.
    assert!(!scratch.at("home/.local").exists());
    // A history elsewhere does not belong to this directory.
    scratch.done("project", &EDIT);
    assert_eq!(scratch.run("home", &["log"]).code, 2);
    let other = display(&scratch.at("other-state"));
    assert_eq!(scratch.run("project", &["log", "--state-dir", &other]).code, 2);
    // Named directories win.
    let named = scratch.run("project/sub", &["undo", "--read-only-dir", "."]);
    assert!(named.code != 0 && !named.err.contains("no --dir given"), "{named:?}");
}

#[test]
fn a_home_with_a_history_still_needs_its_flag() {
    let scratch = Scratch::new();
    let elsewhere = display(&scratch.at("elsewhere"));
    let run = |words: &[&str]| {
        let mut command = scratch.command("home");
        for variable in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
            command.env(variable, &elsewhere);
        }
        super::Ended::from(command.args(words).output().unwrap())
    };
    let made = run(&["create", "x", "--content=", "--dir", ".", "--allow-wide-grant"]);
    assert_eq!(made.code, 0, "{made:?}");
    let refused = run(&["undo"]);
    assert!(refused.code == 2 && refused.err.contains("--allow-wide-grant"), "{refused:?}");
    assert_eq!(run(&["undo", "--allow-wide-grant"]).code, 0);
    assert!(!scratch.at("home/x").exists());
}

#[test]
fn an_undo_behind_another_programs_edit_names_the_entry_and_can_be_forced() {
    let scratch = Scratch::new();
    scratch.done("project", &EDIT);
    let edited = "first\n2\nthree\nfour\n";
    std::fs::write(scratch.at("project/a.txt"), edited).unwrap();
    let refused = scratch.run("project", &["undo"]);
    assert_eq!(refused.code, 1);
    let entry = scratch.done("project", &["log", "--json"]).out;
    let entry: serde_json::Value = serde_json::from_str(&entry).unwrap();
    let id = &entry["entries"][0]["undo_id"].as_str().unwrap()[..12];
    for reported in ["a.txt: the file has changed since", id, "`replace` of 2", "later changes", "`--force`"]
    {
        assert!(refused.err.contains(reported), "{reported}: {refused:?}");
    }
    assert_eq!(scratch.text("project/a.txt"), edited);
    let dry = scratch.done("project", &["undo", "--force", "--dry-run", "--diff"]);
    assert!(dry.out.contains("-2\n+two\n") && dry.out.starts_with("would undo: replace of "), "{dry:?}");
    assert_eq!(scratch.text("project/a.txt"), edited);
    // The other program's edit stays, and `undo` reverts the restore.
    scratch.done("project", &["undo", "--force"]);
    assert_eq!(scratch.text("project/a.txt"), "first\ntwo\nthree\nfour\n");
    scratch.done("project", &["undo"]);
    assert_eq!(scratch.text("project/a.txt"), edited);
    // Without an obstacle it is a normal undo.
    let free = Scratch::new();
    free.done("project", &EDIT);
    let undone = free.done("project", &["undo", "--force"]);
    assert!(undone.out.starts_with("undone: replace of "), "{undone:?}");
    assert_eq!(free.run("project", &["undo", "--force", "--to", "x"]).code, 2);
}

#[test]
fn by_force_all_files_of_an_entry_come_back() {
    let scratch = Scratch::new();
    let edits =
        r#"[{"path": "a.txt", "old": "two", "new": "2"}, {"path": "sub/b.txt", "old": "four", "new": "4"}]"#;
    scratch.done("project", &["apply", "--edits", edits, "--dir", "."]);
    std::fs::write(scratch.at("project/sub/b.txt"), "4\nfive\n").unwrap();
    let refused = scratch.run("project", &["undo"]);
    assert!(refused.code == 1 && refused.err.contains("with `--force`"), "{refused:?}");
    let undone = scratch.done("project", &["undo", "--force"]);
    assert!(
        undone.out.starts_with("undone: apply of ") && undone.out.contains("a.txt sub/b.txt"),
        "{undone:?}"
    );
    assert_eq!(scratch.text("project/a.txt"), "one\ntwo\nthree\n");
    assert_eq!(scratch.text("project/sub/b.txt"), "four\nfive\n");
    // One call, so one `undo` reverts it.
    scratch.done("project", &["undo"]);
    assert_eq!(scratch.text("project/a.txt"), "one\n2\nthree\n");
    assert_eq!(scratch.text("project/sub/b.txt"), "4\nfive\n");
}

#[test]
fn force_is_offered_where_it_is_taken() {
    type Change = fn(&Scratch);
    let write: &[&str] = &["write", "a.txt", "--content", "one\ntwo\n3\n", "--dir", "."];
    let moved: &[&str] = &["move", "a.txt", "c.txt", "--dir", "."];
    let cases: [(&[&str], Change, bool); 7] = [
        (&EDIT, |scratch| std::fs::write(scratch.at("project/a.txt"), "0\n2\nthree\n").unwrap(), true),
        // Like editors do on saving: another file takes the name.
        (
            &EDIT,
            |scratch| {
                std::fs::write(scratch.at("project/new"), "one\n2\nthree\nfour\n").unwrap();
                std::fs::rename(scratch.at("project/new"), scratch.at("project/a.txt")).unwrap();
            },
            true,
        ),
        (write, |scratch| std::fs::write(scratch.at("project/a.txt"), "quite other\n").unwrap(), false),
        (moved, |scratch| std::fs::write(scratch.at("project/a.txt"), "new\n").unwrap(), false),
        (
            &EDIT,
            |scratch| std::fs::rename(scratch.at("project/a.txt"), scratch.at("project/c.txt")).unwrap(),
            false,
        ),
        (
            &EDIT,
            |scratch| {
                std::fs::remove_file(scratch.at("project/a.txt")).unwrap();
                std::fs::create_dir(scratch.at("project/a.txt")).unwrap();
            },
            false,
        ),
        (
            &EDIT,
            |scratch| {
                std::fs::remove_file(scratch.at("project/a.txt")).unwrap();
                std::os::unix::fs::symlink("sub/b.txt", scratch.at("project/a.txt")).unwrap();
            },
            false,
        ),
    ];
    for (number, (words, change, is_taken)) in cases.into_iter().enumerate() {
        let scratch = Scratch::new();
        scratch.done("project", &["checkpoint", "before", "--dir", "."]);
        scratch.done("project", words);
        change(&scratch);
        let refused = scratch.run("project", &["undo"]);
        assert_eq!(refused.code, 1, "{number}: {refused:?}");
        assert_eq!(refused.err.contains("`--force`"), is_taken, "{number}: {refused:?}");
        let all = scratch.run("project", &["undo", "--to", "before"]);
        assert!(all.code == 1 && !all.err.contains("`--force`"), "{number}: {all:?}");
        let forced = scratch.run("project", &["undo", "--force"]);
        assert_eq!(forced.code == 0, is_taken, "{number}: {forced:?}");
        let says_so = forced.err.contains("`--force` does not take this back either");
        assert_eq!(says_so, !is_taken, "{number}: {forced:?}");
    }
}

#[test]
fn looking_at_the_history_needs_no_grant_for_writing() {
    let scratch = Scratch::new();
    scratch.done("project", &EDIT);
    for words in [
        &["history", "--read-only"][..],
        &["log", "--read-only-dir", "."],
        &["log", "--diff", "--read-only", "--dir", "."],
        &["call", "log", r#"{"any_session": true}"#, "--read-only-dir", "."],
    ] {
        let log = scratch.done("project", words);
        assert!(log.out.contains("replace"), "{words:?}: {log:?}");
    }
    std::fs::write(scratch.at("project/fsgate.toml"), "read_only = true\n").unwrap();
    let log = scratch.done("project", &["history"]);
    assert!(log.out.contains("replace"), "{log:?}");
    let undo = scratch.run("project", &["undo"]);
    assert!(undo.code == 1 && undo.err.contains("grant a directory for writing, with a "), "{undo:?}");
}

#[test]
fn the_history_around_the_current_directory_goes_before_configured_ones() {
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.at("home/.config/fsgate")).unwrap();
    std::fs::create_dir_all(scratch.at("other")).unwrap();
    scratch.done("project", &EDIT);
    scratch.done("other", &["create", "x", "--content=", "--dir", "."]);
    let configure = |access: &str| {
        let dirs = [("other", "read_write"), ("project", access)];
        let dirs = dirs.map(|(name, access)| {
            format!("{{ path = {:?}, access = \"{access}\" }}", display(&scratch.at(name)))
        });
        let file = scratch.at("home/.config/fsgate/config.toml");
        std::fs::write(file, format!("dirs = [{}]\n", dirs.join(", "))).unwrap();
    };
    // A directory keeps its configured access.
    configure("read_only");
    let refused = scratch.run("project/sub", &["undo"]);
    assert!(refused.code == 1 && scratch.at("other/x").exists(), "{refused:?}");
    configure("read_write");
    let undone = scratch.done("project/sub", &["undo"]);
    let said = |name: &str| format!("no --dir given: the history of `{}`", display(&scratch.at(name)));
    assert!(undone.err.contains(&said("project")) && !undone.err.contains(&said("other")), "{undone:?}");
    assert_eq!(scratch.text("project/a.txt"), "one\ntwo\nthree\n");
    // Without a history around the directory: the configured directories.
    let log = scratch.done("home", &["history"]);
    assert!(log.err.contains(&said("other")) && log.out.contains("create"), "{log:?}");
}

#[test]
fn the_newest_entry_has_a_word() {
    let scratch = Scratch::new();
    scratch.done("project", &EDIT);
    scratch.done("project", &["restore", "last", "a.txt"]);
    assert_eq!(scratch.text("project/a.txt"), "one\ntwo\nthree\n");
    scratch.done("project", &["undo", "last"]);
    assert_eq!(scratch.text("project/a.txt"), "one\n2\nthree\n");
}
