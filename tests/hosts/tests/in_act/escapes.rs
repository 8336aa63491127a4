//! Ways out of allowed directories, with the unchanged component.
//!
//! It mounts all of the machine as `/`, and the host refuses what `--allow` does not name.

use fsgate_artifact::Kind;
use fsgate_tests::disk::Disk;
use fsgate_tests::tree::Tree;
use serde_json::json;

use crate::act::session::Session;
use crate::program::{kind, written};

const TREE: &str = "file w/a.txt \"one\\n\"\nfile o/secret \"classified\\n\"\nlink w/out -> ../o/secret\nlink w/up -> ..\n\
    link w/away -> $root/o\nlink w/absolute -> $root/o/secret\nlink w/in -> a.txt\n";

#[test]
fn nothing_leads_out_of_what_is_allowed() {
    let disk = Disk::new(&Tree::parse(TREE).unwrap()).unwrap();
    let home = tempfile::tempdir().unwrap();
    let root = disk.path().canonicalize().unwrap().display().to_string();
    let component = written("act-escapes.wasm", &kind(Kind::Act));
    let grants = ["--allow".to_owned(), format!("fs={root}/w/**")];
    let mut session = Session::start(&component, &grants, home.path()).unwrap();
    for inside in ["a.txt", "in", "../w/a.txt"] {
        let read = session.call("read", &json!({ "path": format!("{root}/w/{inside}") })).unwrap();
        assert!(
            read.as_ref().is_ok_and(|outcome| outcome.contains(r#""content":"one\n""#)),
            "{inside}: {read:?}"
        );
    }
    for outside in ["w/../o/secret", "o/secret", "w/out", "w/up/o/secret", "w/away/secret", "w/absolute"] {
        let path = format!("{root}/{outside}");
        for (tool, arguments) in [
            ("read", json!({ "path": path })),
            ("read_numbered", json!({ "path": path })),
            ("read_many", json!({ "paths": [path] })),
            ("read_bytes", json!({ "path": path })),
            ("grep", json!({ "pattern": "class", "path": path })),
            ("copy", json!({ "source": path, "destination": format!("{root}/w/copied") })),
            ("move", json!({ "source": path, "destination": format!("{root}/w/moved") })),
            ("append", json!({ "path": path, "content": "more" })),
            ("write", json!({ "path": path, "content": "other" })),
        ] {
            // A call may move a link that is in an allowed directory.
            if tool == "move" && ["w/out", "w/absolute"].contains(&outside) {
                continue;
            }
            let answer = session.call(tool, &arguments).unwrap();
            let refused = answer.is_err() || tool == "read_many" || tool == "grep";
            assert!(refused && !format!("{answer:?}").contains("classified"), "{tool} {path}: {answer:?}");
        }
    }
    let secret = std::fs::read_to_string(disk.path().join("o/secret")).unwrap();
    assert_eq!(secret, "classified\n");
    for made in ["w/copied", "w/moved"] {
        assert!(!disk.path().join(made).exists(), "{made}");
    }
}

/// The component does not know of `--allow`, and tries the change.
#[test]
fn what_is_allowed_for_reading_only_stays_as_it_is() {
    let disk = Disk::new(&Tree::parse(TREE).unwrap()).unwrap();
    let home = tempfile::tempdir().unwrap();
    let root = disk.path().canonicalize().unwrap().display().to_string();
    let component = written("act-reading.wasm", &kind(Kind::Act));
    let grants = ["--allow".to_owned(), format!("fs={root}/w/**:ro")];
    let mut session = Session::start(&component, &grants, home.path()).unwrap();
    let before = disk.snapshot().unwrap();
    let (file, new) = (format!("{root}/w/a.txt"), format!("{root}/w/new"));
    for (tool, arguments) in [
        ("create", json!({ "path": new, "content": "x" })),
        ("write", json!({ "path": file, "content": "x" })),
        ("write_bytes", json!({ "path": file, "bytes": "eA==" })),
        ("append", json!({ "path": file, "content": "x" })),
        ("replace", json!({ "path": file, "old": "one", "new": "x" })),
        ("replace_lines", json!({ "path": file, "lines": "1", "content": "x" })),
        ("insert_lines", json!({ "path": file, "after": 0, "content": "x" })),
        ("comment_lines", json!({ "path": file, "lines": "1", "syntax": "rust" })),
        ("create_directory", json!({ "path": new })),
        ("copy", json!({ "source": file, "destination": new })),
        ("move", json!({ "source": file, "destination": new })),
        ("delete", json!({ "path": file })),
    ] {
        let answer = session.call(tool, &arguments).unwrap();
        let is_told = answer.as_ref().is_err_and(|error| error.contains(r#""code":"read_only""#));
        assert!(is_told, "{tool}: {answer:?}");
        assert!(disk.snapshot().unwrap() == before, "{tool} has changed something");
    }
}

#[test]
fn nothing_is_granted_without_allow() {
    let disk = Disk::new(&Tree::parse(TREE).unwrap()).unwrap();
    let home = tempfile::tempdir().unwrap();
    let component = written("act-nothing.wasm", &kind(Kind::Act));
    let mut session = Session::start(&component, &[], home.path()).unwrap();
    let path = disk.path().join("w/a.txt").display().to_string();
    let read = session.call("read", &json!({ "path": path })).unwrap();
    assert!(read.as_ref().is_err_and(|error| !error.contains("one")), "{read:?}");
}
