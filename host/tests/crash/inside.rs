//! Obstacles inside of a deleted tree, and mounts inside of a grant.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::mount::{Mount, run};
use super::obstacle::Obstacle;
use super::permissions::{call, done, scratch};
use super::scratch::{Scratch, check_settled};
use super::tree::Tree;
use super::user::is_root;

/// An object that only its removal reveals as an obstacle.
#[derive(Debug, Clone, Copy)]
enum Undeletable {
    /// `chattr +i`.
    Immutable,
    /// `chattr +a`.
    AppendOnly,
    /// A mount point.
    Mount,
    /// A file of another user in a sticky directory of that user.
    Sticky,
}

const LASTING: [Undeletable; 4] =
    [Undeletable::Immutable, Undeletable::AppendOnly, Undeletable::Mount, Undeletable::Sticky];

/// An obstacle, removed on drop.
struct Placed(Undeletable, PathBuf);

impl Undeletable {
    fn put(self, directory: &Path) -> Result<Placed, String> {
        let path = match self {
            Self::Immutable | Self::AppendOnly => directory.join("2"),
            Self::Mount => directory.join("d"),
            Self::Sticky => directory.join("s"),
        };
        match self {
            Self::Immutable => run("chattr", &["+i"], &path)?,
            Self::AppendOnly => run("chattr", &["+a"], &path)?,
            Self::Mount => run("mount", &["--bind", &path.to_string_lossy()], &path)?,
            Self::Sticky => {
                fs::create_dir(&path).map_err(|error| error.to_string())?;
                fs::write(path.join("r"), "root's").map_err(|error| error.to_string())?;
                fs::set_permissions(&path, Permissions::from_mode(0o1777))
                    .map_err(|error| error.to_string())?;
            }
        }
        Ok(Placed(self, path))
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        let _ = match self.0 {
            Undeletable::Immutable => run("chattr", &["-i"], &self.1),
            Undeletable::AppendOnly => run("chattr", &["-a"], &self.1),
            Undeletable::Mount => run("umount", &["--lazy"], &self.1),
            Undeletable::Sticky => Ok(()),
        };
    }
}

/// Deletions that take more than one rename.
const DELETIONS: [(bool, &[&str]); 4] = [
    (false, &[]),
    (true, &["--history-bytes", "1000"]),
    (false, &["--durability", "none"]),
    (false, &["--durability", "power"]),
];

/// Whether root's rights are available; prints that the test is skipped otherwise.
fn has_root() -> bool {
    if !is_root() {
        eprintln!("not tried: attributes, mounts and files of other users take the rights of root");
    }
    is_root()
}

#[test]
fn a_tree_with_something_in_it_that_cannot_be_removed_stays_whole() {
    for undeletable in LASTING {
        for (keep, words) in DELETIONS {
            if !has_root() {
                return;
            }
            let Some(scratch) = scratch() else { return };
            let tree = scratch.at("w/mod");
            fs::create_dir_all(tree.join("a")).unwrap();
            fs::create_dir_all(tree.join("b/d")).unwrap();
            for name in ["a/1", "b/1", "b/2", "b/d/3"] {
                fs::write(tree.join(name), "one".repeat(400)).unwrap();
            }
            scratch.user.owns(&scratch.at("w"));
            let placed = match undeletable.put(&tree.join("b")) {
                Ok(placed) => placed,
                Err(why) => {
                    eprintln!("not tried: {undeletable:?}: {why}");
                    continue;
                }
            };
            let before = Tree::read(&scratch.at("w"));
            let arguments = json!({"path": "mod", "recursive": true, "keep": keep});
            let error = call(&scratch, "delete_directory", &arguments, words).unwrap_err();
            let found = Tree::read(&scratch.at("w"));
            drop(placed);
            let context = format!("{undeletable:?}, {words:?}: {error}");
            assert_eq!(error["applied"], json!(false), "{context}");
            assert!(found == before, "{context}: {}", found.difference(&before));
        }
    }
}

/// A grant with a file system of its own at `w/m`.
fn mounted() -> Option<(Scratch, Mount)> {
    if !has_root() {
        return None;
    }
    let scratch = scratch()?;
    let at = scratch.at("w/m");
    fs::create_dir(&at).unwrap();
    match Mount::small(&at, 1 << 10) {
        Ok(mount) => {
            for (name, content) in [("o", "o\n"), ("r", "a\n"), ("m/x", "x\n")] {
                fs::write(scratch.at("w").join(name), content).unwrap();
            }
            fs::create_dir(scratch.at("w/m/d")).unwrap();
            fs::write(scratch.at("w/m/d/y"), "y\n").unwrap();
            scratch.user.owns(&scratch.at("w"));
            Some((scratch, mount))
        }
        Err(why) => {
            eprintln!("not tried: {why}");
            None
        }
    }
}

const PATCH: &str = "--- a/o\n+++ b/o\n@@ -1 +1 @@\n-o\n+b\n\
    diff --git a/r b/m/r4\nsimilarity index 50%\nrename from r\nrename to m/r4\n--- a/r\n+++ b/m/r4\n\
    @@ -1 +1 @@\n-a\n+c\n";

#[test]
fn a_change_below_a_mount_in_a_grant_is_undone_and_redone() {
    let all = json!({"any_session": true});
    for (tool, arguments) in [
        ("create", json!({"path": "m/n", "content": "x"})),
        ("create", json!({"path": "m/p/q/n", "content": "x", "parents": true})),
        ("create_directory", json!({"path": "m/n"})),
        ("copy", json!({"source": "o", "destination": "m/o"})),
        ("move", json!({"source": "o", "destination": "m/o"})),
        ("move", json!({"source": "m/x", "destination": "x"})),
        ("delete", json!({"path": "m/x"})),
        ("delete_directory", json!({"path": "m/d", "recursive": true})),
        ("apply", json!({"patch": PATCH})),
    ] {
        let Some((scratch, _mount)) = mounted() else { return };
        let now = || Tree::read(&scratch.at("w"));
        let before = now();
        done(&scratch, tool, &arguments, &[]);
        let after = now();
        assert!(after != before, "{tool}");
        for (then, wanted) in [("undo", &before), ("redo", &after), ("undo", &before)] {
            done(&scratch, then, &all, &[]);
            let found = now();
            assert!(found == *wanted, "{then} of {tool} {arguments}: {}", found.difference(wanted));
        }
        check_settled(&scratch.at("state"), tool);
    }
}

#[test]
fn a_patch_moves_and_edits_a_file_across_a_mount_without_a_journal() {
    let Some((scratch, _mount)) = mounted() else { return };
    done(&scratch, "apply", &json!({"patch": PATCH}), &["--durability", "none"]);
    let read = |name: &str| fs::read_to_string(scratch.at("w").join(name)).ok();
    let found = [read("o"), read("r"), read("m/r4")];
    assert_eq!(found, [Some("b\n".to_owned()), None, Some("c\n".to_owned())]);
}

#[test]
fn without_a_journal_a_call_that_stops_halfway_says_so() {
    let edits = json!({"edits": [
        {"path": "g/1", "old": "1", "new": "x"}, {"path": "g/2", "old": "1", "new": "x"}
    ]});
    let patch = json!({"patch": "*** Begin Patch\n*** Update File: g/1\n@@\n-1\n+x\n\
        *** Update File: g/2\n@@\n-1\n+x\n*** End Patch\n"});
    for arguments in [edits, patch] {
        let Some(scratch) = scratch() else { return };
        fs::create_dir_all(scratch.at("w/g")).unwrap();
        for name in ["w/g/1", "w/g/2"] {
            fs::write(scratch.at(name), "1\n").unwrap();
        }
        scratch.user.owns(&scratch.at("w"));
        let _obstacle = Obstacle::Mode(0o400).put(&scratch.at("w/g/2")).unwrap();
        let error: Value = call(&scratch, "apply", &arguments, &["--durability", "none"]).unwrap_err();
        let is_changed = fs::read_to_string(scratch.at("w/g/1")).unwrap() != "1\n";
        assert_eq!(error["applied"], json!(is_changed), "{error}");
    }
}

#[test]
fn entries_that_cannot_be_removed_hold_up_no_undo() {
    if !has_root() {
        return;
    }
    let Some(scratch) = scratch() else { return };
    fs::create_dir_all(scratch.at("w/g/own")).unwrap();
    fs::write(scratch.at("w/g/own/o"), vec![b'o'; 500_000]).unwrap();
    scratch.user.owns(&scratch.at("w"));
    fs::create_dir(scratch.at("w/g/others")).unwrap();
    fs::write(scratch.at("w/g/others/r"), vec![b'r'; 400_000]).unwrap();
    done(&scratch, "delete_directory", &json!({"path": "g", "recursive": true}), &[]);
    done(&scratch, "forget", &json!({"everything": true}), &[]);
    // The second quota is smaller than the remaining entry.
    for bytes in ["500000", "20000"] {
        let small = ["--history-bytes", bytes];
        for number in 0..5 {
            done(&scratch, "create", &json!({"path": "b", "content": "x"}), &small);
            done(&scratch, "undo", &json!({"any_session": true}), &small);
            assert!(!scratch.at("w/b").exists(), "{bytes}, {number}");
        }
    }
}

#[test]
fn a_move_that_cannot_take_the_old_name_away_changes_nothing() {
    for keeping in [Undeletable::Sticky, Undeletable::AppendOnly] {
        if !has_root() {
            return;
        }
        let Some(scratch) = scratch() else { return };
        let directory = scratch.at("w/st");
        fs::create_dir_all(directory.join("d")).unwrap();
        fs::write(directory.join("a"), "root's").unwrap();
        for (name, mode) in [("a", 0o666), ("d", 0o777), ("", 0o1777)] {
            fs::set_permissions(directory.join(name), Permissions::from_mode(mode)).unwrap();
        }
        // The directory is sticky and root's in both cases.
        let marked = match keeping {
            Undeletable::AppendOnly => run("chattr", &["+a"], &directory),
            _ => Ok(()),
        };
        if let Err(why) = marked {
            eprintln!("not tried: {keeping:?}: {why}");
            continue;
        }
        let placed = Placed(keeping, directory);
        let before = Tree::read(&scratch.at("w"));
        for (name, recursive) in [("a", false), ("d", true)] {
            let arguments = json!({
                "source": format!("st/{name}"), "destination": "st/other", "recursive": recursive,
            });
            for words in [&[][..], &["--durability", "none"]] {
                let error = call(&scratch, "move", &arguments, words).unwrap_err();
                let found = Tree::read(&scratch.at("w"));
                let context = format!("{keeping:?}, {name}, {words:?}: {error}");
                assert_eq!(error["code"], json!("read_only"), "{context}");
                assert_eq!(error["applied"], json!(false), "{context}");
                assert!(found == before, "{context}: {}", found.difference(&before));
            }
        }
        done(&scratch, "create", &json!({"path": "b", "content": "x"}), &[]);
        let recovered = done(&scratch, "recover", &json!({}), &[]);
        assert_eq!(recovered["waiting"], json!([]), "{keeping:?}: {recovered}");
        drop(placed);
    }
}

/// A new name in an append-only directory could not be taken back.
#[test]
fn an_append_only_directory_takes_no_new_name() {
    for words in [&[][..], &["--durability", "none"]] {
        if !has_root() {
            return;
        }
        let Some(scratch) = scratch() else { return };
        let directory = scratch.at("w/log");
        fs::create_dir_all(&directory).unwrap();
        fs::write(scratch.at("w/a"), "a\n").unwrap();
        fs::write(directory.join("old"), "old\n").unwrap();
        scratch.user.owns(&scratch.at("w"));
        if let Err(why) = run("chattr", &["+a"], &directory) {
            eprintln!("not tried: {why}");
            return;
        }
        let placed = Placed(Undeletable::AppendOnly, directory);
        let before = Tree::read(&scratch.at("w"));
        let edits = json!([{"path": "a", "old": "a", "new": "b"}, {"path": "log/new", "content": "x"}]);
        for (tool, arguments) in [
            ("create", json!({"path": "log/new", "content": "x"})),
            ("create", json!({"path": "log/d/new", "content": "x"})),
            ("create_directory", json!({"path": "log/d"})),
            ("copy", json!({"source": "a", "destination": "log/new"})),
            ("move", json!({"source": "a", "destination": "log/new"})),
            ("apply", json!({ "edits": edits })),
        ] {
            if tool == "apply" && !words.is_empty() {
                // Without a history the edit before the refusal stays, and the answer says so.
                continue;
            }
            let error = call(&scratch, tool, &arguments, words).unwrap_err();
            let found = Tree::read(&scratch.at("w"));
            let context = format!("{tool} {arguments} {words:?}: {error}");
            assert_eq!(
                (&error["code"], &error["applied"]),
                (&json!("read_only"), &json!(false)),
                "{context}"
            );
            assert!(found == before, "{context}: {}", found.difference(&before));
        }
        done(&scratch, "append", &json!({"path": "log/old", "content": "more\n"}), words);
        drop(placed);
    }
}

#[test]
fn an_error_names_what_cannot_be_moved_or_removed() {
    for undeletable in [Undeletable::Immutable, Undeletable::AppendOnly, Undeletable::Mount] {
        if !has_root() {
            return;
        }
        let Some(scratch) = scratch() else { return };
        let tree = scratch.at("w/t");
        fs::create_dir_all(tree.join("d")).unwrap();
        fs::write(tree.join("2"), "two").unwrap();
        scratch.user.owns(&scratch.at("w"));
        let placed = match undeletable.put(&tree) {
            Ok(placed) => placed,
            Err(why) => {
                eprintln!("not tried: {undeletable:?}: {why}");
                continue;
            }
        };
        let name = placed.1.file_name().unwrap().to_string_lossy().into_owned();
        let path = format!("t/{name}");
        let moved = json!({"source": path, "destination": format!("t/{name}.new"), "recursive": true});
        let error = call(&scratch, "move", &moved, &[]).unwrap_err();
        assert_eq!((&error["code"], &error["path"]), (&json!("read_only"), &json!(path)), "{undeletable:?}");
        if name == "d" {
            let tree = json!({"path": "t", "recursive": true, "keep": false});
            let error = call(&scratch, "delete_directory", &tree, &[]).unwrap_err();
            assert_eq!(
                (&error["code"], &error["path"]),
                (&json!("read_only"), &json!(path)),
                "{undeletable:?}"
            );
        }
        drop(placed);
    }
}
