//! Paths and files of a real machine: absolute links, grants through links, kernel files, old
//! times.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use fsgate_tests::program::{Ended, program};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A grant `p`, with `secret` beside it.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Self {
        let scratch = Self(TempDir::new().unwrap());
        for directory in ["p/items/foo", "p/cat", "home"] {
            fs::create_dir_all(scratch.at(directory)).unwrap();
        }
        fs::write(scratch.at("p/items/foo/a.txt"), "one\n").unwrap();
        fs::write(scratch.at("secret"), "secret elsewhere\n").unwrap();
        scratch
    }

    fn at(&self, path: &str) -> String {
        format!("{}/{path}", self.0.path().canonicalize().unwrap().display())
    }

    fn call(&self, grants: &[&str], tool: &str, arguments: &Value) -> Result<Value, Value> {
        let mut command = program(env!("CARGO_BIN_EXE_fsgate"), self.0.path());
        command.args(["call", tool, &arguments.to_string()]).args(grants);
        let ended = Ended::from(command.output().unwrap());
        let answer = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{tool}: {ended:?}"));
        if ended.code == 0 { Ok(answer) } else { Err(answer) }
    }
}

/// The host knows the path of a grant. Every tool that follows links also follows an absolute one
/// into the grant, under any grant name.
#[test]
fn an_absolute_link_into_its_grant_is_followed() {
    let scratch = Scratch::new();
    symlink(scratch.at("p/items"), scratch.at("p/abs")).unwrap();
    symlink(scratch.at("p/items/foo/a.txt"), scratch.at("p/file")).unwrap();
    symlink(scratch.at("secret"), scratch.at("p/out")).unwrap();
    symlink(scratch.at("pp"), scratch.at("p/beside")).unwrap();
    for (grant, name) in [("p", scratch.at("p")), ("p::/w", "/w".to_owned())] {
        let call = |tool, arguments| scratch.call(&["--dir", grant], tool, &arguments);
        for (tool, arguments, field, expected) in [
            ("read", json!({"path": "abs/foo/a.txt"}), "/content", json!("one\n")),
            ("read", json!({"path": "file"}), "/content", json!("one\n")),
            ("stat", json!({"path": "abs"}), "/entry/kind", json!("directory")),
            (
                "stat",
                json!({"path": "abs", "follow": false}),
                "/entry/target",
                json!(format!("{name}/items")),
            ),
            ("stat", json!({"path": "out", "follow": false}), "/entry/escapes", json!(true)),
            ("exists", json!({"path": "abs/foo"}), "/exists", json!(true)),
            ("list_directory", json!({"path": "abs"}), "/entries/0/name", json!("foo")),
            ("glob", json!({"pattern": "abs/foo/*.txt"}), "/entries/0/name", json!("a.txt")),
            ("grep", json!({"pattern": "one", "path": "abs"}), "/count", json!(1)),
            ("replace", json!({"path": "file", "old": "one", "new": "two"}), "/replacements", json!(1)),
            (
                "replace",
                json!({"path": "abs/foo/a.txt", "old": "two", "new": "one"}),
                "/replacements",
                json!(1),
            ),
            ("create", json!({"path": "abs/new.txt", "content": "x"}), "/created", json!(true)),
            ("delete", json!({"path": "abs/new.txt"}), "/deleted", json!(1)),
        ] {
            let answer = call(tool, arguments.clone());
            let found = answer.as_ref().ok().and_then(|answer| answer.pointer(field));
            assert_eq!(found, Some(&expected), "{grant}: {tool} {arguments}: {answer:?}");
        }
        for path in ["out", "beside/x"] {
            let refused = call("read", json!({"path": path})).unwrap_err();
            assert_eq!(refused["code"], "path_escape", "{grant}: {path}");
            assert_eq!(
                refused["message"], "the path leads through an absolute link, which is not followed",
                "{grant}: {path}"
            );
        }
        assert_eq!(fs::read_to_string(scratch.at("p/items/foo/a.txt")).unwrap(), "one\n");
        assert_eq!(fs::read_to_string(scratch.at("secret")).unwrap(), "secret elsewhere\n");
    }
}

#[test]
fn an_absolute_pattern_may_use_the_name_of_a_linked_grant() {
    let scratch = Scratch::new();
    symlink(scratch.at("p"), scratch.at("link")).unwrap();
    for start in ["link", "p"] {
        let pattern = json!({"pattern": format!("{}/items/**/*.txt", scratch.at(start))});
        let answer = scratch.call(&["--dir", "link"], "glob", &pattern).unwrap();
        assert_eq!(answer["entries"][0]["name"], "a.txt", "{start}: {answer}");
    }
}

/// The kernel generates these files while they are read, and reports no size.
#[test]
fn a_file_without_a_size_is_read_to_its_end() {
    let version = fs::read_to_string("/proc/version").unwrap();
    let scratch = Scratch::new();
    let grants = ["--read-only-dir", "/proc/sys/kernel::/k", "--allow-wide-grant", "--durability", "none"];
    let kernel = fs::read_to_string("/proc/sys/kernel/ostype").unwrap();
    let answer = scratch.call(&grants, "read", &json!({"path": "ostype"})).unwrap();
    assert_eq!((&answer["content"], answer.get("next_cursor")), (&json!(kernel), None), "{version}");
    let answer = scratch.call(&grants, "grep", &json!({"pattern": kernel.trim(), "path": "ostype"})).unwrap();
    assert_eq!(answer["count"], 1, "{answer}");
    let answer = scratch.call(&grants, "read_bytes", &json!({"path": "ostype"})).unwrap();
    assert_eq!(answer["size"], kernel.len(), "{answer}");
}

/// A copy of such a file would be empty or incomplete.
#[test]
fn a_file_without_a_size_is_not_copied() {
    let scratch = Scratch::new();
    let grants = ["--read-only-dir", "/proc/sys/kernel::/k", "--dir", "p::/p", "--allow-wide-grant"];
    for arguments in [
        json!({"source": "/k/ostype", "destination": "/p/copy"}),
        json!({"source": "/k/ostype", "destination": "/p/items/foo/a.txt", "overwrite": true}),
        json!({"source": "/k", "glob": "ostype", "destination": "/p/copy"}),
        json!({"source": "/k/random", "recursive": true, "destination": "/p/copy"}),
    ] {
        let mut trial = arguments.clone();
        trial["dry_run"] = true.into();
        for arguments in [&trial, &arguments] {
            let refused = scratch.call(&grants, "copy", arguments).unwrap_err();
            assert_eq!(refused["code"], "unsupported", "{arguments}: {refused}");
        }
        assert!(fs::symlink_metadata(scratch.at("p/copy")).is_err(), "{arguments}");
        assert_eq!(fs::read_to_string(scratch.at("p/items/foo/a.txt")).unwrap(), "one\n", "{arguments}");
    }
}

/// A program that starts this one elsewhere may set no `PWD`, or a stale one.
#[test]
fn the_link_of_a_relative_grant_is_a_path_without_pwd() {
    let scratch = Scratch::new();
    symlink(scratch.at("p"), scratch.at("link")).unwrap();
    let path = json!({"path": scratch.at("link/items/foo/a.txt")}).to_string();
    for shell in [None, Some("/"), Some("relative")] {
        let mut command = program(env!("CARGO_BIN_EXE_fsgate"), scratch.0.path());
        command.args(["call", "read", &path, "--dir", "link"]).env_remove("PWD");
        command.envs(shell.map(|shell| ("PWD", shell)));
        let ended = Ended::from(command.output().unwrap());
        assert_eq!(ended.code, 0, "{shell:?}: {ended:?}");
    }
}

#[test]
fn a_time_before_1970_is_absent_and_the_first_moment_is_told() {
    let scratch = Scratch::new();
    let first = SystemTime::UNIX_EPOCH;
    for (name, time) in [("old", first - Duration::from_secs(5)), ("first", first)] {
        fs::write(scratch.at(&format!("p/{name}")), "x").unwrap();
        let file = fs::File::options().write(true).open(scratch.at(&format!("p/{name}"))).unwrap();
        file.set_modified(time).unwrap();
    }
    for (name, expected) in [("old", None), ("first", Some("1970-01-01T00:00:00Z"))] {
        let path = json!({"path": name});
        let read = scratch.call(&["--dir", "p"], "read", &path).unwrap();
        let stat = scratch.call(&["--dir", "p"], "stat", &path).unwrap();
        for answer in [&read, &stat["entry"]] {
            assert_eq!(answer.get("modified").and_then(Value::as_str), expected, "{name}: {answer}");
        }
    }
}

/// A file with a time that the interface cannot express is edited like any other.
#[test]
fn a_file_from_before_1970_is_edited_by_every_tool() {
    let scratch = Scratch::new();
    let old = SystemTime::UNIX_EPOCH - Duration::from_secs(5);
    for durability in ["power", "none"] {
        for (tool, arguments, expected) in [
            ("replace", json!({"old": "x", "new": "y"}), "y\n"),
            ("replace_all", json!({"old": "x", "new": "y"}), "y\n"),
            ("replace_lines", json!({"lines": "1", "content": "y"}), "y\n"),
            ("insert_lines", json!({"after": 1, "content": "y"}), "x\ny\n"),
            ("append", json!({"content": "y\n"}), "x\ny\n"),
            ("write", json!({"content": "y\n"}), "y\n"),
            ("write_bytes", json!({"bytes": "eQo="}), "y\n"),
            ("apply", json!({"edits": [{"path": "old", "old": "x", "new": "y"}]}), "y\n"),
        ] {
            fs::write(scratch.at("p/old"), "x\n").unwrap();
            fs::File::options().write(true).open(scratch.at("p/old")).unwrap().set_modified(old).unwrap();
            let mut arguments = arguments;
            if tool != "apply" {
                arguments["path"] = json!("old");
            }
            let answer = scratch.call(&["--dir", "p", "--durability", durability], tool, &arguments);
            assert!(answer.is_ok(), "{tool}: {answer:?}");
            assert_eq!(fs::read_to_string(scratch.at("p/old")).unwrap(), expected, "{tool}");
        }
    }
}
