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
    // One history, of which a part is in reach: `a.txt` stays.
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
    // Looking around leaves nothing behind.
    assert!(!scratch.at("home/.local").exists());
    // A history elsewhere is none of this directory.
    scratch.done("project", &EDIT);
    assert_eq!(scratch.run("home", &["log"]).code, 2);
    let other = display(&scratch.at("other-state"));
    assert_eq!(scratch.run("project", &["log", "--state-dir", &other]).code, 2);
    // Named directories count before all.
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
    let id = entry["entries"][0]["undo_id"].as_str().unwrap();
    for told in ["a.txt: the file has changed since", id, "`replace` of 2", "earlier entry", "`--force`"] {
        assert!(refused.err.contains(told), "{told}: {refused:?}");
    }
    assert_eq!(scratch.text("project/a.txt"), edited);
    let dry = scratch.done("project", &["undo", "--force", "--dry-run", "--diff"]);
    assert!(dry.out.contains("-2\n+two\n") && dry.out.starts_with("would restore a.txt\n"), "{dry:?}");
    assert_eq!(scratch.text("project/a.txt"), edited);
    // The edit of the other program stays, and `undo` leads back.
    scratch.done("project", &["undo", "--force"]);
    assert_eq!(scratch.text("project/a.txt"), "first\ntwo\nthree\nfour\n");
    scratch.done("project", &["undo"]);
    assert_eq!(scratch.text("project/a.txt"), edited);
    // Where nothing is in the way, it is an undo like any other.
    let free = Scratch::new();
    free.done("project", &EDIT);
    let undone = free.done("project", &["undo", "--force"]);
    assert!(undone.out.starts_with("undone: replace of "), "{undone:?}");
    assert_eq!(free.run("project", &["undo", "--force", "--to", "x"]).code, 2);
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
