//! Full and read-only disks: a call succeeds, or names the reason and changes nothing.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fsgate::{Access, Gate, StartError};
use serde_json::{Value, json};

use super::mount::{FILLING, Mount};
use super::program::Host;
use super::scratch::{Scratch, check_settled};
use super::soak;
use super::tree::Tree;
use super::user::User;

/// KiB of a small disk: the tree, a copy, and the history of its changes.
const SMALL: u64 = 4 << 10;

/// The content of the small disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Small {
    Tree,
    State,
    Both,
}

struct Disks {
    // Unmounted before its directory is removed.
    mount: Mount,
    scratch: Scratch,
    granted: PathBuf,
    state: PathBuf,
}

impl Disks {
    /// None if mounting is not permitted.
    fn new(small: Small, user: User) -> Option<Self> {
        let scratch = Scratch::of(user);
        let at = scratch.at("small");
        std::fs::create_dir(&at).unwrap();
        let mount = match Mount::small(&at, SMALL) {
            Ok(mount) => mount,
            Err(why) => {
                eprintln!("not tried: a file system cannot be mounted: {why}");
                return None;
            }
        };
        user.owns(&at);
        let place = |is_small: bool| scratch.at(if is_small { "small" } else { "" });
        let granted = place(small != Small::State).join("granted");
        let state = place(small != Small::Tree).join("state");
        std::fs::create_dir(&granted).unwrap();
        before().write(&granted);
        user.owns(&granted);
        Some(Self { scratch, mount, granted, state })
    }

    fn host(&self) -> Host {
        match self.scratch.user {
            User::Own => Host::Here(Box::new(self.gate().unwrap())),
            User::Other => {
                let mut grant = self.granted.clone().into_os_string();
                grant.push("::/w");
                self.scratch.host_over(grant, &self.state)
            }
        }
    }

    fn gate(&self) -> Result<Gate, StartError> {
        Gate::builder().dir_as(&self.granted, "/w", Access::Write).state_root(&self.state).build()
    }
}

fn before() -> Tree {
    let mut tree = Tree::default();
    tree.put("small.txt", "one two three\n");
    tree.put("other.txt", "another one\n");
    tree.put("large.txt", "mark\n".to_owned() + &"a line of many\n".repeat(30_000));
    tree.put("comments.txt", "// a line\n".repeat(9_000));
    for number in 0..6 {
        tree.put(&format!("tree/{number}/file"), format!("{number}\n").repeat(3_000));
    }
    tree
}

/// At least one call of every tool that changes files, with small and large needs of space.
fn calls(gate: &Host) -> Vec<(&'static str, Value)> {
    let much = "much more text\n".repeat(20_000);
    let patch = format!(
        "*** Begin Patch\n*** Update File: small.txt\n*** Move to: moved.txt\n@@\n-one two three\n+1\n*** Add File: added/c.txt\n{}\
         *** Delete File: other.txt\n*** End Patch\n",
        "+much more text\n".repeat(20_000)
    );
    vec![
        ("create", json!({"path": "new/dir/a.txt", "content": "new\n"})),
        ("create", json!({"path": "new.txt", "content": much})),
        ("write", json!({"path": "small.txt", "content": much})),
        ("write", json!({"path": "large.txt", "content": "little\n"})),
        ("write", json!({"path": "large.txt", "content": "little\n", "backup": true})),
        ("write_bytes", json!({"path": "small.txt", "bytes": "AAEC"})),
        ("append", json!({"path": "small.txt", "content": much})),
        ("append", json!({"path": "small.txt", "content": "a line\n"})),
        ("replace", json!({"path": "small.txt", "old": "two", "new": "2"})),
        ("replace", json!({"path": "large.txt", "old": "mark", "new": "a longer mark"})),
        ("replace", json!({"path": "large.txt", "old": "mark", "new": "MARK"})),
        ("replace_all", json!({"path": "large.txt", "old": "many", "new": "very many"})),
        ("replace_lines", json!({"path": "large.txt", "lines": "2-9", "content": "fewer lines"})),
        ("insert_lines", json!({"path": "large.txt", "after": 1, "content": much})),
        ("comment_lines", json!({"path": "large.txt", "lines": "1-30000", "syntax": "rust"})),
        ("uncomment_lines", json!({"path": "comments.txt", "lines": "1-9000", "syntax": "rust"})),
        (
            "apply",
            json!({"edits": [
                {"path": "small.txt", "old": "one", "new": "1"},
                {"path": "large.txt", "old": "mark", "new": "a longer mark"},
                {"path": "other.txt", "delete": true},
                {"path": "added/b.txt", "content": much},
            ]}),
        ),
        ("apply", json!({"patch": patch})),
        ("replace_in_files", chosen(gate)),
        ("create_directory", json!({"path": "new/dir"})),
        ("copy", json!({"source": "large.txt", "destination": "copied/large.txt"})),
        ("copy", json!({"source": "large.txt", "destination": "small.txt", "overwrite": true})),
        ("copy", json!({"source": "tree", "destination": "copied", "recursive": true})),
        ("copy", json!({"source": "tree", "destination": "globbed", "glob": "**/file"})),
        ("move", json!({"source": "small.txt", "destination": "deep/er/moved.txt"})),
        ("move", json!({"source": "small.txt", "destination": "large.txt", "overwrite": true})),
        ("move", json!({"source": "tree", "destination": "moved", "recursive": true})),
        ("delete", json!({"path": "large.txt"})),
        ("delete", json!({"path": "large.txt", "keep": false})),
        ("delete", json!({"path": "tree", "glob": "**/file"})),
        ("delete_directory", json!({"path": "tree", "recursive": true})),
        ("checkpoint", json!({"label": "here"})),
    ]
}

/// A text in two files, chosen by the ids of a preview.
fn chosen(gate: &Host) -> Value {
    let mut arguments = json!({"old": "a", "new": "very many more", "paths": ["other.txt", "large.txt"]});
    let shown = gate.call("replace_in_files", &arguments.to_string()).unwrap();
    let shown: Value = serde_json::from_str(&shown).unwrap();
    let of = |path: &str| {
        let all = shown["occurrences"].as_array().unwrap().iter();
        all.filter(|found| found["path"] == path).map(|found| found["id"].clone()).collect::<Vec<_>>()
    };
    let (one, many) = (of("/w/other.txt"), of("/w/large.txt"));
    arguments["ids"] = json!([one[0], many[0], many[1]]);
    arguments
}

/// The code of a refused call, which has to say that it changed nothing.
fn refusal(error: &str, context: &str) -> String {
    let error: Value = serde_json::from_str(error).unwrap();
    assert_eq!(error["applied"], false, "{context}: {error}");
    error["code"].as_str().unwrap().to_owned()
}

fn read(disks: &Disks) -> Tree {
    let mut tree = Tree::read(&disks.granted);
    tree.0.remove(FILLING);
    tree
}

fn everywhere() -> Vec<(User, Small)> {
    let smalls = [Small::Tree, Small::State, Small::Both];
    User::all().into_iter().flat_map(|user| smalls.map(|small| (user, small))).collect()
}

#[test]
fn a_full_disk_refuses_a_call_and_loses_nothing() {
    for (user, small) in everywhere() {
        let Some(disks) = Disks::new(small, user) else { return };
        let gate = disks.host();
        let before = before();
        let mut counts = BTreeMap::new();
        let rooms =
            if soak() { (0..20).chain((20..400).step_by(8)).collect() } else { vec![0, 1, 3, 80, 150] };
        for (tool, arguments) in calls(&gate) {
            for free in &rooms {
                let context =
                    format!("{user:?} {small:?} {tool} {:.80} {free} blocks", arguments.to_string());
                let filling = disks.mount.fill(*free);
                let answer = gate.call(tool, &arguments.to_string());
                match answer {
                    Ok(_) => *counts.entry("done".to_owned()).or_insert(0) += 1,
                    Err(error) => {
                        let code = refusal(&error, &context);
                        assert_eq!(code, "no_space", "{context}: {error}");
                        let found = read(&disks);
                        assert!(found == before, "{context}: {error} {}", found.difference(&before));
                        *counts.entry(code).or_insert(0) += 1;
                    }
                }
                check_settled(&disks.state, &context);
                drop(filling);
                let found = read(&disks);
                if found != before {
                    // Undone by hand where no history is kept.
                    if arguments["keep"] == false {
                        let path = disks.granted.join("large.txt");
                        std::fs::write(&path, &before.file("large.txt")[..]).unwrap();
                        user.owns(&path);
                    } else {
                        let filling = disks.mount.fill(*free);
                        let undone = gate.call("undo", "{}");
                        check_settled(&disks.state, &context);
                        drop(filling);
                        if let Err(error) = undone {
                            let code = refusal(&error, &context);
                            assert_eq!(code, "no_space", "{context}, undone: {error}");
                            let now = read(&disks);
                            assert!(now == found, "{context}, not undone: {}", now.difference(&found));
                            *counts.entry("undo: ".to_owned() + &code).or_insert(0) += 1;
                            gate.call("undo", "{}").unwrap_or_else(|error| panic!("{context}: {error}"));
                        }
                    }
                    let found = read(&disks);
                    assert!(found == before, "{context}, undone: {}", found.difference(&before));
                }
                // History of earlier calls must not fill the disk.
                gate.call("forget", r#"{"everything": true}"#).unwrap();
                check_settled(&disks.state, &context);
            }
        }
        eprintln!("{small:?} on the small disk, {user:?}: {counts:?}");
        assert!(counts["no_space"] > 0 && counts["done"] > 0);
    }
}

#[test]
fn a_disk_that_becomes_read_only_refuses_a_call_and_loses_nothing() {
    User::all().into_iter().for_each(becomes_read_only);
}

fn becomes_read_only(user: User) {
    let Some(disks) = Disks::new(Small::Tree, user) else { return };
    let (gate, before) = (disks.host(), before());
    let calls = calls(&gate);
    gate.call("append", r#"{"path": "small.txt", "content": "more\n"}"#).unwrap();
    gate.call("undo", "{}").unwrap();
    disks.mount.set_read_only(true);
    let mut counts = BTreeMap::new();
    let history = [("undo", json!({})), ("redo", json!({})), ("forget", json!({"everything": true}))];
    for (tool, arguments) in calls.into_iter().chain(history) {
        let context = format!("{tool} {:.80}", arguments.to_string());
        // Tools that write only to the state directory.
        let alone = ["checkpoint", "undo", "forget"].contains(&tool);
        match gate.call(tool, &arguments.to_string()) {
            Ok(_) => assert!(alone, "{context}"),
            Err(error) => {
                let code = refusal(&error, &context);
                assert!(alone || ["read_only", "io"].contains(&&code[..]), "{context}: {error}");
                *counts.entry(code).or_insert(0) += 1;
            }
        }
        let found = read(&disks);
        assert!(found == before, "{context}: {}", found.difference(&before));
        check_settled(&disks.state, &context);
        gate.call("read", r#"{"path": "small.txt"}"#).unwrap_or_else(|error| panic!("{context}: {error}"));
    }
    disks.mount.set_read_only(false);
    gate.call("append", r#"{"path": "small.txt", "content": "more\n"}"#).unwrap();
    gate.call("undo", "{}").unwrap();
    assert!(read(&disks) == before);
    check_settled(&disks.state, "at the end");
    eprintln!("on a disk that becomes read-only, {user:?}: {counts:?}");
}

/// A disk with an open writable file cannot become read-only, so this test is about the start.
#[test]
fn state_on_a_disk_that_is_read_only_refuses_the_start_for_all_but_readers() {
    for small in [Small::State, Small::Both] {
        let Some(disks) = Disks::new(small, User::Own) else { return };
        drop(disks.gate().unwrap());
        disks.mount.set_read_only(true);
        let refused = disks.gate().err().unwrap();
        assert!(matches!(refused, StartError::State { .. }), "{refused}");
        assert!(refused.to_string().contains("Read-only"), "{refused}");
        let reader = Gate::builder().dir_as(&disks.granted, "/w", Access::Read).build().unwrap();
        reader.call("read", r#"{"path": "small.txt"}"#).unwrap();
    }
}
