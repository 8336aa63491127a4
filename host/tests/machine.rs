//! Paths and files as a machine has them: absolute links, grants by a link, files of a kernel, old
//! times.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use fsgate_tests::program::{Ended, program};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A scratch directory with `p`, which is granted, and `secret` beside it.
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

    /// The canonical path of something in it.
    fn at(&self, path: &str) -> String {
        format!("{}/{path}", self.0.path().canonicalize().unwrap().display())
    }

    /// Calls a tool, with these grants.
    fn call(&self, grants: &[&str], tool: &str, arguments: &Value) -> Result<Value, Value> {
        let mut command = program(env!("CARGO_BIN_EXE_fsgate"), self.0.path());
        command.args(["call", tool, &arguments.to_string()]).args(grants);
        let ended = Ended::from(command.output().unwrap());
        let answer = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{tool}: {ended:?}"));
        if ended.code == 0 { Ok(answer) } else { Err(answer) }
    }
}

/// The host says where a grant lies, so an absolute link into it is followed by every tool that
/// follows links, whatever the grant is called.
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

/// The kernel makes the content of these files when they are read, and tells no size of them.
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
