//! A user without privileges, in trees with paths that refuse access.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::kills::{Moment, kill_after};
use super::mount::{self, Mount};
use super::obstacle::{DIRECTORIES, FILES, Obstacle, PlacedObstacle};
use super::scratch::{Scratch, check_settled, left, names, states};
use super::script::{Step, Writer};
use super::tree::{Node, Tree};
use super::user::{ROOT, User, give, is_root};
use super::{Random, soak};

/// A scratch directory of a user whom permissions stop.
pub(super) fn scratch() -> Option<Scratch> {
    User::unprivileged().map(Scratch::of)
}

/// Makes one call in a new process.
pub(super) fn call(scratch: &Scratch, tool: &str, arguments: &Value, words: &[&str]) -> Result<Value, Value> {
    let mut command = scratch.command();
    command
        .args(["call", tool, &arguments.to_string(), "--dir", "w::/w", "--state-dir", "state"])
        .args(words);
    let output = command.output().unwrap();
    let reported = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{tool} {arguments}: {error}: {output:?}"));
    if output.status.success() { Ok(reported) } else { Err(reported) }
}

pub(super) fn done(scratch: &Scratch, tool: &str, arguments: &Value, words: &[&str]) -> Value {
    call(scratch, tool, arguments, words).unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"))
}

/// A directory tree of this user; its last directory has a mode.
fn put(scratch: &Scratch, path: &str, content: &str, mode: u32) -> Result<PlacedObstacle, String> {
    let path = scratch.at("w").join(path);
    let above = path.parent().unwrap();
    fs::create_dir_all(above).unwrap();
    fs::write(&path, content).unwrap();
    scratch.user.owns(&scratch.at("w"));
    Obstacle::Mode(mode).put(above)
}

/// Whether a file below a directory has these bytes.
fn has(directory: &Path, bytes: &str) -> bool {
    let is_it = |(_, node): (String, Node)| match node {
        Node::File(content) => content.windows(bytes.len()).any(|window| window == bytes.as_bytes()),
        Node::Directory => false,
    };
    Tree::read(directory).0.into_iter().any(is_it)
}

/// Gives the owner every right to a directory and to everything below it.
fn make_usable(directory: &Path) {
    mount::run("chmod", &["-R", "u+rwX"], directory).unwrap();
}

const SECRET: &str = "a content of its own";

/// Go's module cache and containers have directories that their own user cannot write.
const MODULE: &str = "mod/pkg/a.go";

/// Ways in which a deletion leaves the history.
const FORGETTING: [(&str, &[&str]); 3] =
    [("forget", &[]), ("entries", &["--history-entries", "1"]), ("bytes", &["--history-bytes", "300"])];

/// The owner of the state makes its own directories writable to empty them.
#[test]
fn a_deleted_directory_that_may_not_be_written_is_gone_when_it_is_forgotten() {
    for (how, words) in FORGETTING {
        for mode in [0o555, 0o500] {
            let Some(scratch) = scratch() else { return };
            let _gone_with_the_trash = put(&scratch, MODULE, SECRET, mode).unwrap();
            done(&scratch, "delete_directory", &json!({"path": "mod", "recursive": true}), words);
            if how == "forget" {
                let said = done(&scratch, "forget", &json!({"everything": true}), words);
                assert_eq!(said["forgotten"], 1, "{said}");
                assert!(!has(&scratch.at("state"), SECRET), "{how} {mode:o}");
            }
            change_much(&scratch, words);
            assert!(!has(&scratch.at("state"), SECRET), "{how} {mode:o}");
            check_settled(&scratch.at("state"), how);
        }
    }
}

/// The trash keeps the directory itself, not a copy with other permissions.
#[test]
fn an_empty_directory_that_may_not_be_written_comes_back_with_its_mode() {
    for mode in [0o555, 0o500] {
        let Some(scratch) = scratch() else { return };
        let at = scratch.at("w/empty");
        fs::create_dir_all(&at).unwrap();
        scratch.user.owns(&scratch.at("w"));
        fs::set_permissions(&at, fs::Permissions::from_mode(mode)).unwrap();
        let identity = fs::metadata(&at).unwrap().ino();
        let said = done(&scratch, "delete_directory", &json!({"path": "empty"}), &[]);
        assert!(said.get("notes").is_none(), "{said}");
        assert!(!at.exists());
        let said = done(&scratch, "undo", &json!({"any_session": true}), &[]);
        assert!(said.get("notes").is_none(), "{said}");
        let back = fs::metadata(&at).unwrap();
        assert_eq!((back.mode() & 0o7777, back.ino()), (mode, identity), "{mode:o}");
        check_settled(&scratch.at("state"), "undo");
    }
}

/// Changes by new processes.
fn change_much(scratch: &Scratch, words: &[&str]) {
    for number in 0..4 {
        done(scratch, "create", &json!({"path": format!("n{number}"), "content": "x"}), words);
    }
    done(scratch, "recover", &json!({}), words);
    done(scratch, "create_directory", &json!({"path": "made"}), words);
    done(scratch, "write", &json!({"path": "n1", "content": "y"}), words);
}

/// Containers leave root's directories in those of a user.
#[test]
fn a_deleted_directory_with_a_directory_of_another_user_refuses_no_change_when_it_is_forgotten() {
    if !is_root() {
        eprintln!("not tried: a directory of another user takes the rights of root");
        return;
    }
    for (how, words) in FORGETTING {
        let Some(scratch) = scratch() else { return };
        drop(put(&scratch, MODULE, SECRET, 0o755).unwrap());
        give(&scratch.at("w/mod/pkg"), ROOT);
        done(&scratch, "delete_directory", &json!({"path": "mod", "recursive": true}), words);
        if how == "forget" {
            let said = done(&scratch, "forget", &json!({"everything": true}), words);
            assert_eq!(said["forgotten"], 0, "its content is still there: {said}");
            assert!(said["notes"].to_string().contains("not gone yet: the trash still"), "{said}");
        }
        change_much(&scratch, words);
        assert!(has(&scratch.at("state"), SECRET), "{how}");
        scratch.user.owns(&scratch.at("state"));
        done(&scratch, "create", &json!({"path": "last", "content": "x"}), words);
        assert!(!has(&scratch.at("state"), SECRET), "{how}");
        check_settled(&scratch.at("state"), how);
    }
}

/// A deleted directory moves with a mount in it. Its content belongs to another file system.
#[test]
fn a_file_system_mounted_in_a_deleted_directory_is_not_emptied() {
    let Some(scratch) = scratch() else { return };
    drop(put(&scratch, "mod/a.go", "package a", 0o755).unwrap());
    let at = scratch.at("w/mod/mounted");
    fs::create_dir(&at).unwrap();
    scratch.user.owns(&at);
    let mount = match Mount::small(&at, 1 << 10) {
        Ok(mount) => mount,
        Err(error) => {
            eprintln!("not tried: {error}");
            return;
        }
    };
    scratch.user.owns(&at);
    mount::run("chmod", &["755"], &at).unwrap();
    fs::write(at.join("kept"), SECRET).unwrap();
    done(&scratch, "delete_directory", &json!({"path": "mod", "recursive": true}), &[]);
    let said = done(&scratch, "forget", &json!({"everything": true}), &[]);
    assert!(said["notes"].to_string().contains("pending"), "{said}");
    assert!(has(&scratch.at("state"), SECRET), "the mounted file system is emptied");
    change_much(&scratch, &[]);
    // The mount has moved with its directory.
    drop(mount);
    let moved = mounted_below(&scratch.at("state"));
    mount::run("umount", &["--lazy"], &moved).unwrap();
    done(&scratch, "create", &json!({"path": "last", "content": "x"}), &[]);
    check_settled(&scratch.at("state"), "unmounted");
}

/// The mount point below a directory.
fn mounted_below(directory: &Path) -> PathBuf {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(1)).map(PathBuf::from);
    let directory = directory.canonicalize().unwrap();
    points.into_iter().find(|point| point.starts_with(&directory)).expect("a mount below the state")
}

/// The arguments of a deletion in [`a_deletion_that_is_not_kept_is_refused_before_anything_moves`].
const NOT_KEPT: [(&str, bool, &[&str]); 3] =
    [("not kept", false, &[]), ("too large", true, &["--history-bytes", "1000"]), ("other disk", true, &[])];

#[test]
fn a_deletion_that_is_not_kept_is_refused_before_anything_moves() {
    for (why, keep, words) in NOT_KEPT {
        let Some(scratch) = scratch() else { return };
        let _mount = match other_disk(&scratch, why) {
            Ok(mount) => mount,
            Err(error) => {
                eprintln!("not tried, {why}: {error}");
                continue;
            }
        };
        let content = SECRET.repeat(10_000);
        let _obstacle = put(&scratch, MODULE, &content, 0o555).unwrap();
        let before = Tree::read(&scratch.at("w"));
        let arguments = json!({"path": "mod", "recursive": true, "keep": keep});
        refused(&scratch, &arguments, words, ("read_only", "mod/pkg"));
        let found = Tree::read(&scratch.at("w"));
        assert!(found == before, "{why}: {}", found.difference(&before));
        let recovered = done(&scratch, "recover", &json!({}), words);
        assert_eq!(recovered["waiting"], json!([]), "{why}: {recovered}");
        done(&scratch, "create", &json!({"path": "n1", "content": "x"}), words);
        check_settled(&scratch.at("state"), why);
    }
}

/// The rights in an empty directory do not matter to `rmdir`.
#[test]
fn an_empty_directory_is_deleted_whatever_its_rights_are() {
    for (owner, words) in [(None, &[][..]), (None, &["--durability", "none"]), (Some(ROOT), &[])] {
        for (path, keep) in [("empty", true), ("empty", false), ("above/empty", true), ("above/empty", false)]
        {
            let Some(scratch) = scratch() else { return };
            let at = scratch.at("w").join(path);
            fs::create_dir_all(&at).unwrap();
            scratch.user.owns(&scratch.at("w"));
            let obstacle = Obstacle::Mode(0o555).put(&at).unwrap();
            match owner {
                Some(_) if !is_root() => continue,
                Some(root) => give(&at, root),
                None => {}
            }
            let arguments = json!({"path": path, "recursive": true, "keep": keep});
            let answer = done(&scratch, "delete_directory", &arguments, words);
            assert!(!at.exists(), "{owner:?} {words:?} {path} {keep}: {answer}");
            if keep && words.is_empty() {
                done(&scratch, "undo", &json!({"any_session": true}), words);
                assert!(at.is_dir(), "{owner:?} {path}");
            }
            drop(obstacle);
            check_settled(&scratch.at("state"), path);
        }
    }
}

#[test]
fn what_was_copied_by_the_rights_of_the_group_can_be_read_and_taken_back() {
    if !is_root() {
        eprintln!("not tried: a file of another user takes the rights of root");
        return;
    }
    let Some(scratch) = scratch() else { return };
    for (path, tool) in [("copied", "copy"), ("moved", "move")] {
        let at = scratch.at("w").join(path);
        fs::write(&at, SECRET).unwrap();
        // Readable for all except the owner.
        give(&at, ROOT);
        fs::set_permissions(&at, fs::Permissions::from_mode(0o007)).unwrap();
        fs::create_dir_all(scratch.at("q")).unwrap();
        scratch.user.owns(&scratch.at("q"));
        let words = ["--dir", "q::q"];
        let arguments = json!({"source": path, "destination": format!("/q/{path}")});
        done(&scratch, tool, &arguments, &words);
        assert_eq!(done(&scratch, "read", &json!({"path": format!("/q/{path}")}), &words)["content"], SECRET);
        done(&scratch, "undo", &json!({"any_session": true}), &words);
        assert!(at.exists() && !scratch.at("q").join(path).exists(), "{tool}");
    }
    check_settled(&scratch.at("state"), "undone");
}

#[test]
fn a_directory_that_cannot_lose_its_name_keeps_its_content_without_a_journal() {
    for obstacle in DIRECTORIES {
        let Some(scratch) = scratch() else { return };
        put(&scratch, "mod/pkg/src/a.go", SECRET, 0o755).unwrap();
        let before = Tree::read(&scratch.at("w"));
        let in_the_way = match obstacle.put(&scratch.at("w/mod")) {
            Ok(in_the_way) => in_the_way,
            Err(error) => {
                eprintln!("not tried, {obstacle:?}: {error}");
                continue;
            }
        };
        let arguments = json!({"path": "mod/pkg", "recursive": true});
        let called = call(&scratch, "delete_directory", &arguments, &["--durability", "none"]);
        drop(in_the_way);
        make_usable(&scratch.at("w"));
        let error = called.unwrap_err();
        assert_eq!(error["applied"], json!(false), "{obstacle:?}: {error}");
        let found = Tree::read(&scratch.at("w"));
        assert!(found == before, "{obstacle:?}: {}", found.difference(&before));
    }
}

/// A separate file system for the state, if the case needs one.
fn other_disk(scratch: &Scratch, why: &str) -> Result<Option<Mount>, String> {
    if why != "other disk" {
        return Ok(None);
    }
    let at = scratch.at("state");
    fs::create_dir(&at).unwrap();
    let mount = Mount::small(&at, 16 << 10)?;
    scratch.user.owns(&at);
    mount::run("chmod", &["700"], &at)?;
    Ok(Some(mount))
}

/// Refuses a deletion of a directory in a dry run and in the call itself, with one code and path.
fn refused(scratch: &Scratch, arguments: &Value, words: &[&str], (code, path): (&str, &str)) {
    for dry_run in [true, false] {
        let mut arguments = arguments.clone();
        arguments["dry_run"] = json!(dry_run);
        let error = call(scratch, "delete_directory", &arguments, words).unwrap_err();
        let said = (&error["code"], &error["applied"]);
        assert_eq!(said, (&json!(code), &json!(false)), "{arguments} {words:?}: {error}");
        assert!(error["path"].as_str().is_some_and(|said| said.ends_with(path)), "{arguments}: {error}");
    }
}

#[test]
fn a_file_that_a_trash_on_another_disk_cannot_keep_is_named() {
    let Some(scratch) = scratch() else { return };
    let _mount = match other_disk(&scratch, "other disk") {
        Ok(mount) => mount,
        Err(error) => {
            eprintln!("not tried: {error}");
            return;
        }
    };
    fs::create_dir_all(scratch.at("w/t/d")).unwrap();
    fs::write(scratch.at("w/t/d/f"), SECRET).unwrap();
    scratch.user.owns(&scratch.at("w"));
    let _obstacle = Obstacle::Mode(0).put(&scratch.at("w/t/d/f")).unwrap();
    refused(&scratch, &json!({"path": "t", "recursive": true}), &[], ("io", "t/d/f"));
}

#[test]
fn a_move_names_the_file_that_refuses_it() {
    let Some(scratch) = scratch() else { return };
    for (source, destination) in [("q", "f"), ("f", "q")] {
        for name in ["q", "f"] {
            fs::write(scratch.at("w").join(name), name).unwrap();
        }
        scratch.user.owns(&scratch.at("w"));
        let obstacle = match Obstacle::Immutable.put(&scratch.at("w/f")) {
            Ok(obstacle) => obstacle,
            Err(error) => {
                eprintln!("not tried: {error}");
                return;
            }
        };
        let arguments = json!({"source": source, "destination": destination});
        let error = call(&scratch, "move", &arguments, &[]).unwrap_err();
        assert_eq!((&error["path"], &error["applied"]), (&json!("f"), &json!(false)), "{error}");
        drop(obstacle);
    }
}

#[test]
fn a_deleted_file_that_its_owner_cannot_read_comes_back() {
    for mode in [0, 0o200, 0o444] {
        let Some(scratch) = scratch() else { return };
        let path = scratch.at("w/f");
        fs::write(&path, SECRET).unwrap();
        scratch.user.owns(&path);
        let obstacle = Obstacle::Mode(mode).put(&path).unwrap();
        done(&scratch, "delete", &json!({"path": "f"}), &[]);
        assert!(!path.exists(), "{mode:o}");
        // The history lists the entry with its content, or with a note instead.
        let log = done(&scratch, "log", &json!({"any_session": true, "diff": true}), &[]);
        assert_eq!(log["entries"][0]["tool"], "delete", "{mode:o}: {log}");
        done(&scratch, "undo", &json!({"any_session": true}), &[]);
        drop(obstacle);
        assert_eq!(fs::read_to_string(&path).unwrap(), SECRET, "{mode:o}");
        check_settled(&scratch.at("state"), &format!("{mode:o}"));
    }
}

/// Bytes of a file that takes long enough to write that its host can be killed meanwhile.
const LARGE: usize = 30 << 20;

/// Longest time for a running host to begin a write.
const PATIENCE: Duration = Duration::from_secs(60);

/// Writes that may complete before the host is killed.
const TRIES: usize = 40;

#[test]
fn a_write_in_place_that_cannot_be_taken_back_yet_refuses_no_other_change() {
    let obstacles = [
        ("large", Obstacle::Mode(0o444)),
        ("large", Obstacle::Immutable),
        ("", Obstacle::Mode(0)),
        ("", Obstacle::ReadOnlyMount),
    ];
    for (name, obstacle) in obstacles {
        let Some(scratch) = scratch() else { return };
        let before = die_in_place(&scratch);
        let held = Tree::read(&scratch.at("w"));
        let in_the_way = match obstacle.put(&scratch.at("w/dir").join(name)) {
            Ok(in_the_way) => in_the_way,
            Err(why) => {
                eprintln!("not tried: {obstacle:?}: {why}");
                continue;
            }
        };
        done(&scratch, "create", &json!({"path": "other.txt", "content": "x"}), &[]);
        // Where another name is possible, the record waits for the directory too.
        let elsewhere = json!({"source": "dir", "destination": "dir2", "recursive": true});
        if call(&scratch, "move", &elsewhere, &[]).is_ok() {
            done(&scratch, "create", &json!({"path": "another.txt", "content": "x"}), &[]);
            done(&scratch, "delete", &json!({"path": "another.txt"}), &[]);
            done(&scratch, "move", &json!({"source": "dir2", "destination": "dir", "recursive": true}), &[]);
        }
        for (tool, arguments) in [
            ("write", json!({"path": "other.txt", "content": "y"})),
            ("write", json!({"path": "other.txt", "content": "z", "dry_run": true})),
            ("read", json!({"path": "other.txt"})),
            ("grep", json!({"path": "other.txt", "pattern": "y"})),
        ] {
            let answer = done(&scratch, tool, &arguments, &[]);
            let is_told = answer["notes"].to_string().contains("/w/dir/large (");
            assert!(is_told, "{obstacle:?}, {tool}: {answer}");
        }
        let waits = done(&scratch, "recover", &json!({}), &[]);
        assert_eq!(waits["waiting"].as_array().map(Vec::len), Some(1), "{obstacle:?}: {waits}");
        drop(in_the_way);
        let mut now = Tree::read(&scratch.at("w"));
        now.remove("other.txt");
        assert!(now == held, "{obstacle:?}: {}", now.difference(&held));
        done(&scratch, "write", &json!({"path": "other.txt", "content": "z"}), &[]);
        let mut found = Tree::read(&scratch.at("w"));
        found.remove("other.txt");
        assert!(found == before, "{obstacle:?}: {}", found.difference(&before));
        let answer = done(&scratch, "read", &json!({"path": "other.txt"}), &[]);
        assert!(answer["notes"].is_null(), "{obstacle:?}: {answer}");
        check_settled(&scratch.at("state"), &format!("{obstacle:?}"));
    }
}

/// KiB of a small disk that has room for one record of the large file.
const ONE_RECORD: u64 = 80 << 10;

#[test]
fn a_large_record_becomes_pending_on_a_full_disk() {
    let Some(scratch) = scratch() else { return };
    let state = scratch.at("state");
    fs::create_dir_all(&state).unwrap();
    let mount = match Mount::small(&state, ONE_RECORD) {
        Ok(mount) => mount,
        Err(why) => return eprintln!("not tried: a file system cannot be mounted: {why}"),
    };
    scratch.user.owns(&state);
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
    let before = die_in_place(&scratch);
    let in_the_way = Obstacle::Mode(0o444).put(&scratch.at("w/dir/large")).unwrap();
    // Room for small records alone.
    let filling = mount.fill(16);
    let made = done(&scratch, "create", &json!({"path": "other.txt", "content": "x"}), &[]);
    assert!(made["notes"].to_string().contains("/w/dir/large ("), "{made}");
    done(&scratch, "forget", &json!({"path": "other.txt"}), &[]);
    done(&scratch, "read", &json!({"path": "other.txt"}), &[]);
    drop(in_the_way);
    done(&scratch, "delete", &json!({"path": "other.txt"}), &[]);
    let found = Tree::read(&scratch.at("w"));
    assert!(found == before, "{}", found.difference(&before));
    drop(filling);
    check_settled(&state, "a full disk");
}

#[test]
fn every_answer_names_a_half_written_file() {
    let Some(scratch) = scratch() else { return };
    die_in_place(&scratch);
    fs::write(scratch.at("w/other.txt"), "x\n").unwrap();
    let is_named = |answer: &Value| answer["notes"].to_string().contains("/w/dir/large (");
    let read = |path: &str| call(&scratch, "read", &json!({"path": path, "max_bytes": 100}), &[]);
    let looks = [
        ("grep", json!({"path": "dir", "pattern": "mark", "mode": "count"})),
        ("replace", json!({"path": "other.txt", "old": "x", "new": "y", "dry_run": true})),
        ("list_directory", json!({"path": "dir"})),
    ];
    let searched = || looks.iter().map(|(tool, args)| done(&scratch, tool, args, &[]));
    let in_the_way = Obstacle::Mode(0o444).put(&scratch.at("w/dir/large")).unwrap();
    done(&scratch, "create_directory", &json!({"path": "d"}), &[]);
    // The change is pending.
    for answer in searched().chain([read("other.txt").unwrap(), read("dir/large").unwrap()]) {
        assert!(is_named(&answer), "{answer}");
    }
    drop(in_the_way);
    done(&scratch, "create_directory", &json!({"path": "e"}), &[]);
    for answer in searched().chain([read("dir/large").unwrap()]) {
        assert!(!is_named(&answer), "{answer}");
    }
}

/// A session that keeps no history there, or does not see the file, cannot name it in a note.
#[test]
fn a_session_that_cannot_recover_opens_all_but_the_half_written_file() {
    let Some(scratch) = scratch() else { return };
    die_in_place(&scratch);
    fs::create_dir(scratch.at("w/other")).unwrap();
    for path in ["w/other/y", "w/dir/y"] {
        fs::write(scratch.at(path), "one\n").unwrap();
    }
    scratch.user.owns(&scratch.at("w"));
    fs::hard_link(scratch.at("w/dir/large"), scratch.at("w/other/link")).unwrap();
    let sessions: [(&[&str], &str, &str); 4] = [
        (&["--read-only-dir", "w::/w"], "/w/dir/large", "/w/other/y"),
        (&["--dir", "w::/w", "--durability", "none"], "/w/dir/large", "/w/dir/y"),
        (&["--read-only-dir", "w/other::/w"], "/w/link", "/w/y"),
        (&["--dir", "w/other::/w"], "/w/link", "/w/y"),
    ];
    let call_in = |words: &[&str], tool: &str, arguments: Value| {
        let mut command = scratch.command();
        command.args(["call", tool, &arguments.to_string(), "--state-dir", "state"]).args(words);
        let output = command.output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        if output.status.success() { Ok(answer) } else { Err(answer) }
    };
    let answers = |phase: &str| {
        for (words, closed, open) in sessions {
            let call = |tool: &str, arguments: Value| call_in(words, tool, arguments);
            let case = format!("{phase}, {words:?}");
            let refused = call("read", json!({"path": closed, "max_bytes": 10})).unwrap_err();
            assert_eq!(refused["code"], "busy", "{case}: {refused}");
            let read = call("read", json!({"path": open})).unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(read["content"], "one\n", "{case}");
            if words[0] == "--dir" {
                let change = |path: &str| json!({"path": path, "content": "one\n"});
                let refused = call("write", change(closed)).unwrap_err();
                assert_eq!(refused["code"], "busy", "{case}: {refused}");
                call("write", change(open)).unwrap_or_else(|error| panic!("{case}: {error}"));
                let copy = call("copy", json!({"source": closed, "destination": "/w/copied"}));
                assert_eq!(copy.unwrap_err()["code"], "busy", "{case}");
            }
            let found = call("grep", json!({"path": "/w", "pattern": "(?i)mark", "regex": true}));
            let found = found.unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(found["matches"], json!([]), "{case}: half of a file is searched");
            assert_ne!(found["skipped"]["unreadable"], 0, "{case}: {}", found["skipped"]);
        }
    };
    answers("dead");
    let in_the_way = Obstacle::Mode(0o444).put(&scratch.at("w/dir/large")).unwrap();
    done(&scratch, "create_directory", &json!({"path": "d"}), &[]);
    answers("pending");
    drop(in_the_way);
    done(&scratch, "create_directory", &json!({"path": "e"}), &[]);
    for (words, closed, _) in sessions {
        let read = call_in(words, "read", json!({"path": closed, "max_bytes": 10}));
        assert!(read.is_ok(), "{words:?}: {read:?}");
    }
    check_settled(&scratch.at("state"), "the change is rolled back");
}

/// Where the file system gives a number again, a new file can have that of the removed one.
#[test]
fn a_file_younger_than_an_interrupted_change_is_open() {
    let Some(scratch) = scratch() else { return };
    die_in_place(&scratch);
    fs::remove_file(scratch.at("w/dir/large")).unwrap();
    for name in ["one", "two", "three"] {
        let young = scratch.at("w/dir").join(name);
        fs::write(&young, "young\n").unwrap();
        scratch.user.owns(&young);
        let mut command = scratch.command();
        command.args(["read", &format!("dir/{name}"), "--read-only-dir", "w", "--state-dir", "state"]);
        let output = command.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "young\n", "{name}: {output:?}");
    }
}

#[test]
fn a_file_with_its_whole_old_content_needs_no_write() {
    let Some(scratch) = scratch() else { return };
    let before = die_in_place(&scratch);
    fs::write(scratch.at("w/dir/large"), &before.file("dir/large")[..]).unwrap();
    let _in_the_way = Obstacle::Mode(0o444).put(&scratch.at("w/dir/large")).unwrap();
    let recovered = done(&scratch, "recover", &json!({}), &[]);
    let counts = ["rolled_back", "waiting", "conflicts"].map(|name| recovered[name].as_array().map(Vec::len));
    assert_eq!(counts, [Some(1), Some(0), Some(0)], "{recovered}");
    check_settled(&scratch.at("state"), "nothing had to be written");
}

#[test]
fn recovery_ends_the_wait_for_a_directory_that_is_gone() {
    let Some(scratch) = scratch() else { return };
    die_in_place(&scratch);
    let in_the_way = Obstacle::Mode(0o444).put(&scratch.at("w/dir/large")).unwrap();
    done(&scratch, "create", &json!({"path": "other.txt", "content": "x"}), &[]);
    drop(in_the_way);
    fs::rename(scratch.at("w/dir"), scratch.at("gone")).unwrap();
    done(&scratch, "write", &json!({"path": "other.txt", "content": "y"}), &[]);
    let recovered = done(&scratch, "recover", &json!({}), &[]);
    let counts = ["waiting", "conflicts"].map(|name| recovered[name].as_array().map(Vec::len));
    assert_eq!(counts, [Some(0), Some(1)], "{recovered}");
    done(&scratch, "forget", &json!({"everything": true}), &[]);
    assert!(!has(&scratch.at("state"), "mark"), "content of the change is still there");
}

#[test]
fn a_read_gives_no_interrupted_change_up() {
    let Some(scratch) = scratch() else { return };
    let before = die_in_place(&scratch);
    fs::rename(scratch.at("w/dir"), scratch.at("gone")).unwrap();
    for (tool, arguments) in [("exists", json!({"path": "x"})), ("glob", json!({"pattern": "*"}))] {
        done(&scratch, tool, &arguments, &[]);
    }
    fs::rename(scratch.at("gone"), scratch.at("w/dir")).unwrap();
    done(&scratch, "create_directory", &json!({"path": "other"}), &[]);
    fs::remove_dir(scratch.at("w/other")).unwrap();
    let found = Tree::read(&scratch.at("w"));
    assert!(found == before, "{}", found.difference(&before));
    check_settled(&scratch.at("state"), "a read");
}

#[test]
fn a_conflict_is_told_by_the_next_change_and_not_lost_by_a_read() {
    let Some(scratch) = scratch() else { return };
    die_in_place(&scratch);
    let mut large = fs::OpenOptions::new().append(true).open(scratch.at("w/dir/large")).unwrap();
    large.write_all(b"more\n").unwrap();
    done(&scratch, "exists", &json!({"path": "x"}), &[]);
    let made = done(&scratch, "create_directory", &json!({"path": "other"}), &[]);
    assert!(made["notes"].to_string().contains(r#""conflict""#), "{made}");
}

/// Kills a host while it changes every line of a large file. Returns the tree from before.
fn die_in_place(scratch: &Scratch) -> Tree {
    let words = ["mark\n", "MARK\n"];
    let tree = |number: usize| {
        let mut tree = Tree::default();
        tree.put("dir/large", words[number % 2].repeat(LARGE / 5));
        tree
    };
    scratch.write(&tree(0), "w");
    let mut program = scratch.server();
    let state = states(&scratch.at("state")).remove(0);
    for number in 0..TRIES {
        let (old, new) = (words[number % 2].trim(), words[(number + 1) % 2].trim());
        let change = json!({"path": "dir/large", "old": old, "new": new});
        assert!(program.send_call("replace_all", &change).is_some());
        // The write begins at the end or at the beginning: one of both is new first.
        let begun = Instant::now();
        while ends(scratch) == [words[number % 2].as_bytes(); 2] {
            assert!(begun.elapsed() < PATIENCE, "the host does not write");
        }
        program.child.kill().unwrap();
        program.child.wait().unwrap();
        if left(&state) == (1, true) && Tree::read(&scratch.at("w")) != tree(number + 1) {
            return tree(number);
        }
        // The write had ended, or not begun.
        program = scratch.server();
        done(scratch, "recover", &json!({}), &[]);
        fs::write(scratch.at("w/dir/large"), &tree(number + 1).file("dir/large")[..]).unwrap();
    }
    panic!("no host was killed while it wrote");
}

/// The first and the last line of the large file.
fn ends(scratch: &Scratch) -> [[u8; 5]; 2] {
    let file = fs::File::open(scratch.at("w/dir/large")).unwrap();
    let length = file.metadata().unwrap().len();
    [0, length - 5].map(|at| {
        let mut line = [0; 5];
        file.read_exact_at(&mut line, at).unwrap();
        line
    })
}

#[derive(Debug, Default)]
struct Counts {
    kills: usize,
    pending: usize,
    waited: usize,
    skipped: BTreeSet<String>,
}

#[test]
fn an_obstacle_after_a_kill_is_in_the_way_of_nothing_else() {
    let Some(scratch) = scratch() else { return };
    let (mut writer, mut random) = (Writer::new(11), Random(12));
    let mut tree = writer.beginning();
    scratch.write(&tree, "w");
    let mut counts = Counts::default();
    let wanted = if soak() { 100 } else { 5 };
    while counts.pending < wanted {
        assert!(counts.kills < wanted * 20, "too few were killed in the middle: {counts:?}");
        let script = writer.script(&tree, 60);
        let answers = kill_after(&scratch, "w::/w", &[], &script, Moment::any(&mut random));
        counts.kills += 1;
        let state = &scratch.states()[0];
        counts.pending += usize::from(left(state) != (0, false));
        let found = Tree::read(&scratch.at("w"));
        let path = under_way(&tree, &script, answers, &found, &mut random);
        let obstacles: &[_] = if found.0[&path] == Node::Directory { &DIRECTORIES } else { &FILES };
        let obstacle = obstacles[random.below(obstacles.len() as u64) as usize];
        let context = format!("{answers} answers, {obstacle:?} at {path}");
        match obstacle.put(&scratch.at("w").join(&path)) {
            Ok(in_the_way) => {
                // Two processes: the second one finds the record among the pending ones.
                for content in ["one", "another"] {
                    let new = json!({"path": "elsewhere/new", "content": content});
                    call(&scratch, "write", &new, &[]).unwrap_or_else(|error| panic!("{context}: {error}"));
                }
                counts.waited += usize::from(!names(&state.join("waiting")).is_empty());
                drop(in_the_way);
                // A moved directory has kept its mode.
                make_usable(&scratch.at("w"));
                make_usable(&scratch.at("state"));
            }
            Err(why) => drop(counts.skipped.insert(why)),
        }
        let recovered = done(&scratch, "recover", &json!({}), &[]);
        let length = |what: &str| recovered[what].as_array().map_or(0, Vec::len);
        assert_eq!(length("waiting") + length("conflicts"), 0, "{context}: {recovered}");
        let _ = fs::remove_dir_all(scratch.at("w/elsewhere"));
        let found = Tree::read(&scratch.at("w"));
        let trees: Vec<_> = std::iter::once(&tree).chain(script.iter().map(|step| &step.after)).collect();
        let Some(reached) = trees[answers..].iter().find(|tree| ***tree == found) else {
            let nearest = trees[answers..].iter().take(3).map(|tree| tree.difference(&found));
            panic!("{context}: no such tree; {:#?}", nearest.collect::<Vec<_>>());
        };
        tree = (*reached).clone();
        check_settled(&scratch.at("state"), &context);
    }
    eprintln!("kills, and an obstacle: {counts:?}");
    assert!(counts.waited > 0, "nothing has waited: {counts:?}");
}

/// A path of the interrupted call, or the directory above it; any path if there is no trace.
fn under_way(before: &Tree, script: &[Step], answers: usize, found: &Tree, random: &mut Random) -> String {
    let now = if answers == 0 { before } else { &script[answers - 1].after };
    let next = script.get(answers).map_or(now, |step| &step.after);
    let differs = |path: &String| now.0.get(path) != next.0.get(path) || !now.0.contains_key(path);
    let mut paths: Vec<_> = found.0.keys().filter(|path| differs(path)).cloned().collect();
    let above: Vec<_> = paths.iter().filter_map(|path| Some(path.rsplit_once('/')?.0.to_owned())).collect();
    paths.extend(above);
    if paths.is_empty() {
        paths.extend(found.0.keys().cloned());
    }
    paths.swap_remove(random.below(paths.len() as u64) as usize)
}

/// Ended calls as a user without privileges: they run in the process of the test.
#[test]
fn calls_that_do_not_come_to_their_own_end_are_tried_without_privileges() {
    if !is_root() {
        eprintln!("not tried again: the tests run without root's rights already");
        return;
    }
    let Some(scratch) = scratch() else { return };
    let mut command = Command::new(std::env::current_exe().unwrap());
    scratch.user.runs(&mut command);
    command.args(["crash::ends::", "--nocapture", "--test-threads", "1"]).env("TMPDIR", scratch.at("w"));
    let status = command.current_dir(scratch.at("w")).env("HOME", scratch.at("home")).status().unwrap();
    assert!(status.success(), "{status}");
}
