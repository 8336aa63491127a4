//! Permissions of copies on real disks: within one, between two, and through a trash on another
//! one.
#![cfg(target_os = "linux")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use fsgate_tests::program::{Ended, program};
use serde_json::Value;
use tempfile::TempDir;

const KEPT: &str = "a copy has the owner and the time of a new file, whatever the original has";

/// A file system in memory, which most machines have in addition.
const OTHER: &str = "/dev/shm";

/// Umasks: none, the usual one, and owner only.
const MASKS: [&str; 3] = ["000", "022", "077"];

/// Grants `p` and `q` and a state `s`, each on one of two file systems.
struct Disks {
    here: TempDir,
    there: TempDir,
}

impl Disks {
    /// None, with a message, on machines with one file system.
    #[expect(clippy::print_stderr, reason = "what was left out, and why, is part of a run's result")]
    fn new() -> Option<Self> {
        let here = TempDir::new().unwrap();
        let there = TempDir::new_in(OTHER).ok();
        let device = |at: &TempDir| fs::metadata(at.path()).unwrap().dev();
        match there {
            Some(there) if device(&there) != device(&here) => Some(Self { here, there }),
            _ => {
                eprintln!("left out: {OTHER} and the scratch directory are not two file systems");
                None
            }
        }
    }
}

/// A place on a file system.
struct Ground {
    scratch: PathBuf,
    p: PathBuf,
    q: PathBuf,
    s: PathBuf,
}

impl Ground {
    fn new(scratch: &Path, p: &Path, q: &Path, s: &Path) -> Self {
        let ground = Self { scratch: scratch.to_owned(), p: p.join("p"), q: q.join("q"), s: s.join("s") };
        fs::create_dir(&ground.p).unwrap();
        fs::create_dir(&ground.q).unwrap();
        ground
    }

    /// Runs the program under a umask, with both grants.
    fn run(&self, mask: &str, args: &[&str]) -> Ended {
        let mut all: Vec<_> = args.iter().map(|arg| (*arg).to_owned()).collect();
        for (flag, path) in [("--dir", &self.p), ("--dir", &self.q), ("--state-dir", &self.s)] {
            all.extend([flag.to_owned(), path.display().to_string()]);
        }
        let mut command = program("/bin/sh", &self.scratch);
        command.args(["-c", "umask $0; exec \"$@\"", mask, env!("CARGO_BIN_EXE_fsgate")]).args(all);
        Ended::from(command.output().unwrap())
    }

    fn done(&self, mask: &str, args: &[&str]) -> Ended {
        let ended = self.run(mask, args);
        assert_eq!(ended.code, 0, "{args:?}: {}", ended.err);
        ended
    }
}

fn put(at: &Path, mode: u32) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    fs::write(at, "content\n").unwrap();
    set(at, mode);
}

fn set(at: &Path, mode: u32) {
    fs::set_permissions(at, Permissions::from_mode(mode)).unwrap();
}

fn mode(at: &Path) -> u32 {
    fs::symlink_metadata(at).unwrap_or_else(|error| panic!("{}: {error}", at.display())).mode() & 0o7777
}

/// Files of a tree with their modes.
const FILES: [(&str, u32); 2] = [("private/key", 0o640), ("fixed/run.sh", 0o755)];

/// Directories of that tree, the innermost first, with their modes and those of copies: an owner
/// can always change a copied directory.
const DIRECTORIES: [(&str, u32, u32); 3] =
    [("private", 0o700, 0o700), ("fixed", 0o555, 0o755), ("", 0o750, 0o750)];

fn put_tree(at: &Path) {
    for (name, mode) in FILES {
        put(&at.join(name), mode);
    }
    for (name, mode, _) in DIRECTORIES {
        set(&at.join(name), mode);
    }
}

fn assert_copied(tree: &Path) {
    let directories = DIRECTORIES.map(|(name, _, copied)| (name, copied));
    for (name, wanted) in FILES.iter().chain(&directories) {
        assert_eq!(mode(&tree.join(name)), *wanted, "{name:?}");
    }
}

#[test]
fn whatever_the_umask_a_copy_has_the_permissions_of_the_original() {
    for mask in MASKS {
        let scratch = TempDir::new().unwrap();
        let ground = Ground::new(scratch.path(), scratch.path(), scratch.path(), scratch.path());
        for (name, before, after) in [
            ("run.sh", 0o755, 0o755),
            ("key", 0o600, 0o600),
            ("group", 0o664, 0o664),
            ("open", 0o777, 0o777),
            ("set-user-id", 0o4755, 0o755),
            ("set-group-id", 0o2750, 0o750),
            ("read-only", 0o400, 0o400),
            ("closed", 0o000, 0o000),
        ] {
            let source = ground.p.join(name);
            put(&source, before);
            // Only root reads a file of mode 000.
            if fs::read(&source).is_err() {
                continue;
            }
            let copied = ground.done(mask, &["copy", name, &format!("{name}.copy")]);
            assert_eq!(copied.err, "", "{name}");
            assert_eq!(mode(&ground.p.join(format!("{name}.copy"))), after, "{name} under {mask}");
            let moved = ground.q.join(name);
            let reported = ground.done(mask, &["move", name, &moved.display().to_string()]);
            assert!(reported.err.contains(KEPT), "{}", reported.err);
            assert_eq!(mode(&moved), after, "{name} under {mask}");
        }
        put_tree(&ground.p.join("d"));
        ground.done(mask, &["copy", "d", "e", "--recursive"]);
        assert_copied(&ground.p.join("e"));
        ground.done(mask, &["copy", "d", "f", "--glob", "**"]);
        assert_eq!(mode(&ground.p.join("f/private/key")), 0o640);
        // Permissions are copied without a journal too.
        let none = ["copy", "e/private/key", "plain", "--durability", "none"];
        ground.done(mask, &none);
        assert_eq!(mode(&ground.p.join("plain")), 0o640);
    }
}

/// Patches that copy `p/key`: path, content, and the patch, in which Q is the other grant.
const PATCHED: [(&str, &str, &str); 4] = [
    ("p/k1", "content\n", "diff --git a/key b/k1\nsimilarity index 100%\ncopy from key\ncopy to k1\n"),
    (
        "p/k2",
        "other\n",
        "diff --git a/key b/k2\ncopy from key\ncopy to k2\n--- a/key\n+++ b/k2\n@@ -1 +1 @@\n-content\n+other\n",
    ),
    // The patch also edits the original; the copy has the old content.
    (
        "p/k3",
        "content\n",
        "diff --git a/key b/key\n--- a/key\n+++ b/key\n@@ -1 +1 @@\n-content\n+edited\n\
         diff --git a/key b/k3\ncopy from key\ncopy to k3\n",
    ),
    (
        "q/key",
        "other\n",
        "*** Begin Patch\n*** Update File: key\n*** Move to: Q/key\n@@\n-content\n+other\n*** End Patch\n",
    ),
];

#[test]
fn a_copy_that_a_patch_makes_has_the_permissions_of_the_original() {
    for durability in ["process", "none"] {
        for (path, wanted, patch) in PATCHED {
            let scratch = TempDir::new().unwrap();
            let ground = Ground::new(scratch.path(), scratch.path(), scratch.path(), scratch.path());
            put(&ground.p.join("key"), 0o600);
            let arguments =
                serde_json::json!({ "patch": patch.replace('Q', &ground.q.display().to_string()) });
            let arguments = arguments.to_string();
            let reported = ground.done("022", &["call", "apply", &arguments, "--durability", durability]);
            let made = scratch.path().join(path);
            assert_eq!(mode(&made), 0o600, "{path}, {durability}: {}", reported.out);
            assert!(!reported.out.contains("has the permissions"), "{path}: {}", reported.out);

            assert_eq!(fs::read_to_string(&made).unwrap(), wanted, "{path}, {durability}");
        }
    }
}

#[test]
fn what_goes_to_another_file_system_keeps_its_permissions() {
    let Some(disks) = Disks::new() else { return };
    for (p, q) in [(&disks.here, &disks.there), (&disks.there, &disks.here)] {
        for durability in ["process", "power", "none"] {
            let (p, q) = (TempDir::new_in(p.path()).unwrap(), TempDir::new_in(q.path()).unwrap());
            let ground = Ground::new(p.path(), p.path(), q.path(), p.path());
            put(&ground.p.join("key"), 0o600);
            put(&ground.p.join("run.sh"), 0o755);
            put_tree(&ground.p.join("d"));
            let (key, script, tree) = (ground.q.join("key"), ground.q.join("run.sh"), ground.q.join("d"));
            let there = |path: &Path| path.display().to_string();
            let durable = ["--durability", durability];
            ground.done("022", &[&["copy", "run.sh", &there(&script)][..], &durable].concat());
            assert_eq!(mode(&script), 0o755);
            ground.done("022", &[&["move", "key", &there(&key)][..], &durable].concat());
            assert_eq!(mode(&key), 0o600);
            assert!(!ground.p.join("key").exists());
            ground.done("022", &[&["copy", "d", &there(&tree), "--recursive"][..], &durable].concat());
            assert_copied(&tree);
            if durability != "none" {
                ground.done("022", &["undo"]);
                ground.done("022", &["undo"]);
                assert_eq!(mode(&ground.p.join("key")), 0o600);
                assert!(!key.exists() && !tree.exists());
            }
        }
    }
}

#[test]
fn what_comes_back_from_a_trash_on_another_file_system_has_its_permissions() {
    let Some(disks) = Disks::new() else { return };
    for (p, s) in [(&disks.here, &disks.there), (&disks.there, &disks.here)] {
        for mask in MASKS {
            let (p, s) = (TempDir::new_in(p.path()).unwrap(), TempDir::new_in(s.path()).unwrap());
            let ground = Ground::new(p.path(), p.path(), p.path(), s.path());
            for (name, before) in [("run.sh", 0o755), ("key", 0o640), ("read-only", 0o400)] {
                let file = ground.p.join(name);
                put(&file, before);
                let reported = ground.done(mask, &["delete", name]);
                assert!(reported.err.contains(KEPT), "{}", reported.err);
                assert!(!file.exists());
                ground.done(mask, &["undo"]);
                assert_eq!(mode(&file), before, "{name} under {mask}");
            }
            put_tree(&ground.p.join("d"));
            let reported =
                ground.done(mask, &["call", "delete_directory", r#"{"path": "d", "recursive": true}"#]);
            let outcome: Value = serde_json::from_str(&reported.out).unwrap();
            assert_eq!(outcome["notes"][0]["kind"], "new_file", "{outcome}");
            assert!(outcome["notes"][0]["text"].as_str().unwrap().ends_with(KEPT), "{outcome}");
            assert!(!ground.p.join("d").exists());
            ground.done(mask, &["undo"]);
            assert_copied(&ground.p.join("d"));
        }
    }
}

#[test]
fn links_and_special_files_are_not_lost_in_a_trash_on_another_file_system() {
    let Some(disks) = Disks::new() else { return };
    for (p, s) in [(&disks.here, &disks.there), (&disks.there, &disks.here)] {
        let (p, s) = (TempDir::new_in(p.path()).unwrap(), TempDir::new_in(s.path()).unwrap());
        let ground = Ground::new(p.path(), p.path(), p.path(), s.path());
        put(&ground.p.join("d/a"), 0o644);
        put(&ground.p.join("e/a"), 0o644);
        fs::create_dir(ground.p.join("d/in")).unwrap();
        symlink("../a", ground.p.join("d/in/link")).unwrap();
        let made = Command::new("mkfifo").arg(ground.p.join("e/fifo")).status().unwrap();
        assert!(made.success());
        let inode = |name: &str| fs::symlink_metadata(ground.p.join(name)).unwrap().ino();
        let before = ["d", "d/in/link", "e", "e/fifo"].map(inode);
        for (args, path, kind) in [
            (&["delete-directory", "d", "--recursive"][..], "d/in/link", "a link"),
            (&["delete-directory", "e", "--recursive"], "e/fifo", "a special file"),
            (&["delete", "d/in/link"], "d/in/link", "a link"),
            (&["delete", "d", "--glob", "**"], "d/in/link", "a link"),
        ] {
            let refused = ground.run("022", args);
            assert_eq!(refused.code, 1, "{args:?}: {}", refused.err);
            for part in [path, kind, "on another file system", "`--no-keep`"] {
                assert!(refused.err.contains(part), "{args:?}: {}", refused.err);
            }
            assert_eq!(["d", "d/in/link", "e", "e/fifo"].map(inode), before, "{args:?}");
        }
        let names = |at: &Path| {
            let mut names: Vec<_> =
                fs::read_dir(at).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names(&ground.p), ["d", "e"]);
        assert_eq!(names(&ground.p.join("d")), ["a", "in"]);
        for name in ["d", "e"] {
            ground.done("022", &["delete-directory", name, "--recursive", "--no-keep"]);
        }
        assert_eq!(names(&ground.p).len(), 0);
    }
}
