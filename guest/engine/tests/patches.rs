//! Patches have the meaning that git gives them: the output of `git diff` gives the same tree here,
//! and `git apply` takes the output of `apply`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use fsgate_contract::edit_types::{ApplyArgs, Edit};
use fsgate_engine::session::Session;
use fsgate_engine::tools;
use fsgate_volume::Access;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{Item, Memory};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tempfile::TempDir;

type Tree = BTreeMap<&'static str, String>;

const NAMES: &[&str] =
    &["a", "b.txt", "d/a", "d/e/c", "with space", "d/ä", "q\"uote", "tab\tname", "back\\slash", "b/a", "-n"];

fn git(directory: &Path, words: &[&str], input: &[u8]) -> std::io::Result<(bool, Vec<u8>)> {
    let mut child = Command::new("git")
        .current_dir(directory)
        .args(words)
        // Without personal settings.
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1"), ("HOME", "/nonexistent")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    child.stdin.take().unwrap().write_all(input)?;
    let output = child.wait_with_output()?;
    let told = if output.status.success() { output.stdout } else { output.stderr };
    Ok((output.status.success(), told))
}

/// None without git, so that nothing can be compared.
fn repository() -> Option<TempDir> {
    let disk = TempDir::new().unwrap();
    if let Err(error) = git(disk.path(), &["init", "--quiet"], b"") {
        #[expect(clippy::print_stderr, reason = "what was left out, and why, is part of a run's result")]
        {
            eprintln!("no comparison with git: {error}");
        }
        return None;
    }
    Some(disk)
}

fn asked(directory: &Path, words: &[&str]) -> String {
    let (is_ok, told) = git(directory, words, b"").unwrap();
    let told = String::from_utf8(told).unwrap();
    assert!(is_ok, "{words:?}: {told}");
    told
}

fn put(directory: &Path, tree: &Tree) {
    for name in NAMES {
        let _ = fs::remove_file(directory.join(name));
    }
    for (name, content) in tree {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

fn memory(tree: &Tree) -> (Memory, Session<Memory>) {
    let memory = Memory::default();
    for (name, content) in tree {
        memory.put(name, Item::File(content.clone().into_bytes()));
    }
    let grant = Grant { name: "/w".to_owned(), volume: memory.clone(), access: Access::Write };
    (memory, Session::new(vec![grant]).unwrap())
}

fn files(memory: &Memory) -> BTreeMap<String, String> {
    let files = memory.snapshot().into_iter().filter_map(|(path, item)| match item {
        Item::File(content) => Some((path, String::from_utf8(content).unwrap())),
        _ => None,
    });
    files.collect()
}

fn named(tree: &Tree) -> BTreeMap<String, String> {
    tree.iter().map(|(name, content)| ((*name).to_owned(), content.clone())).collect()
}

fn contents() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "one", "two", "three", "", "    x", "\ty", "-- ", "--- a", "+++ b", "ä\u{a0}",
    ]);
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\n", "\r\n"]);
    let lines = prop::collection::vec((line, end), 0..12);
    (lines, any::<bool>()).prop_map(|(lines, is_ended)| {
        let mut text: String = lines.into_iter().map(|(line, end)| format!("{line}{end}")).collect();
        if !is_ended && text.ends_with('\n') {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        text
    })
}

fn trees() -> impl Strategy<Value = Tree> {
    prop::collection::btree_map(prop::sample::select(NAMES), contents(), 0..6)
        // A file of one tree must not be a directory of the other.
        .prop_map(|mut tree| {
            tree.remove("b");
            tree
        })
}

/// Two trees; some files of the first are renamed and slightly changed in the second.
fn pairs() -> impl Strategy<Value = (Tree, Tree)> {
    let moves = prop::collection::vec((prop::sample::select(NAMES), prop::sample::select(NAMES)), 0..3);
    (trees(), trees(), moves, any::<bool>()).prop_map(|(old, other, moves, keeps)| {
        let mut new = if keeps { old.clone() } else { other.clone() };
        for (from, to) in moves {
            if !new.contains_key(to)
                && !old.contains_key(to)
                && let Some(content) = new.remove(from)
            {
                new.insert(to, format!("{content}last\n"));
            }
        }
        for (name, content) in other.into_iter().take(1) {
            new.insert(name, content);
        }
        (old, new)
    })
}

fn checked(run: impl Fn(&Path, &Tree, &Tree)) {
    let Some(disk) = repository() else { return };
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(40);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let checked = runner.run(&pairs(), |(old, new)| {
        run(disk.path(), &old, &new);
        Ok(())
    });
    checked.unwrap();
}

#[test]
fn what_git_prints_gives_git_s_tree() {
    checked(|disk, old, new| {
        put(disk, old);
        asked(disk, &["add", "--all"]);
        let before = asked(disk, &["write-tree"]).trim().to_owned();
        put(disk, new);
        asked(disk, &["add", "--all"]);
        let after = asked(disk, &["write-tree"]).trim().to_owned();
        for options in [
            &["--no-renames"][..],
            &["-M10%"],
            &["-C10%", "--find-copies-harder"],
            &["-M", "-U0"],
            &["-M", "--no-prefix"],
            &["-M", "--src-prefix=i/", "--dst-prefix=w/"],
        ] {
            let words = [&["diff", "--text"][..], options, &[&before, &after]].concat();
            let diff = asked(disk, &words);
            if diff.is_empty() {
                continue;
            }
            let (memory, session) = memory(old);
            let args =
                ApplyArgs { patch: Some(diff.clone()), exact_line_ends: Some(true), ..ApplyArgs::default() };
            let done = session.run(tools::apply::run, &args);
            assert!(done.is_ok(), "{options:?} {done:?}\n{diff}");
            assert_eq!(files(&memory), named(new), "{options:?}\n{diff}");
        }
    });
}

#[test]
fn git_takes_what_apply_prints() {
    checked(|disk, old, new| {
        let (memory, session) = memory(old);
        let edit = |path: &str| Edit { path: path.to_owned(), ..Edit::default() };
        let written = new.iter().map(|(name, content)| Edit { content: Some(content.clone()), ..edit(name) });
        let deleted = old.keys().filter(|name| !new.contains_key(*name));
        let deleted = deleted.map(|name| Edit { delete: Some(true), ..edit(name) });
        let edits: Vec<_> = written.chain(deleted).collect();
        if edits.is_empty() {
            return;
        }
        let args = ApplyArgs { edits: Some(edits), diff: Some(true), ..ApplyArgs::default() };
        let diff = session.run(tools::apply::run, &args).unwrap().diff.unwrap();
        assert_eq!(files(&memory), named(new));
        // Our own patch, too.
        if !diff.is_empty() {
            let (memory, session) = self::memory(old);
            let args =
                ApplyArgs { patch: Some(diff.clone()), exact_line_ends: Some(true), ..ApplyArgs::default() };
            session.run(tools::apply::run, &args).unwrap();
            assert_eq!(files(&memory), named(new), "{diff}");
        }
        // In a diff without extended headers git shows an empty file like none, and then accepts no
        // diff.
        let tells_all = !diff
            .split("--- ")
            .any(|section| section.starts_with("/dev/null\n") && !section.contains("\n@@ "));
        if !diff.is_empty() && tells_all && old.values().all(|content| !content.is_empty()) {
            put(disk, old);
            // The names begin with that of the granted directory.
            let (is_ok, told) = git(disk, &["apply", "--check", "-p2", "-"], diff.as_bytes()).unwrap();
            assert!(is_ok, "{}\n{diff}", String::from_utf8_lossy(&told));
        }
    });
}
