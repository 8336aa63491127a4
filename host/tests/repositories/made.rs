//! The default repository: a crate's sources, and commits that change, move, add and delete files.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use fsgate_tests::sources::sources;
use tempfile::TempDir;

use super::git::{Repository, git};
use super::tell;

/// Has files with CRLF.
const CRATE: &str = "mime_guess-2";
const COMMITS: usize = 24;

/// None, with a message, if it cannot be made.
pub(super) fn repository() -> Option<Repository> {
    if std::process::Command::new("git").arg("--version").output().is_err() {
        tell("nothing is tried: there is no git");
        return None;
    }
    let Some(source) = sources(CRATE) else {
        tell("nothing is tried: the sources of crates are not in the registry folder");
        return None;
    };
    let directory = TempDir::new().unwrap();
    let at = directory.path();
    in_it(at, &["init", "--quiet"]);
    copy(&source, at);
    // The second byte of a character is a backslash, and the text is not UTF-8.
    fs::write(at.join("sjis.txt"), b"\x83\x5c\x81\x5b\x83\x58 = source\nplain line number two\n").unwrap();
    fs::write(at.join("latin.txt"), b"caf\xe9 = coffee\nplain line number two\nna\xefve = simple\n").unwrap();
    commit(at);
    for number in 0..COMMITS {
        change(at, number);
        commit(at);
    }
    Some(Repository::made(directory))
}

/// Every commit changes a few files in different ways.
fn change(at: &Path, number: usize) {
    let files = files(at);
    let of = |step: usize| &files[(number * step + step) % files.len()];
    let (changed, cut, moved) = (of(3), of(5), of(7));
    let lines = |path: &Path| -> Vec<Vec<u8>> {
        let bytes = fs::read(path).unwrap();
        bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    let mut text = lines(changed);
    let places = text.len();
    for place in [0, places / 2, places.saturating_sub(1)] {
        text.insert(place, format!("one more line, number {number}\n").into_bytes());
    }
    fs::write(changed, text.concat()).unwrap();
    let mut text = lines(cut);
    text.drain(text.len() / 3..text.len() / 2);
    fs::write(cut, text.concat()).unwrap();
    fs::create_dir_all(at.join("moved")).unwrap();
    if number.is_multiple_of(3) {
        fs::rename(moved, at.join(format!("moved/file {number}.txt"))).unwrap();
    }
    fs::write(at.join(format!("added-{number}")), format!("{number}\nno line end")).unwrap();
    if number >= 2 {
        fs::remove_file(at.join(format!("added-{}", number - 2))).unwrap_or_default();
    }
}

/// All files except git's own, in order.
fn files(at: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(at).unwrap().map(Result::unwrap) {
        let path = entry.path();
        match entry.file_type().unwrap().is_dir() {
            true if entry.file_name() != ".git" => found.extend(files(&path)),
            true => {}
            false => found.push(path),
        }
    }
    found.sort();
    found
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&to).unwrap();
            copy(&entry.path(), &to);
        } else if entry.file_name() != ".cargo-ok" {
            fs::write(to, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

fn commit(at: &Path) {
    in_it(at, &["add", "--all", "--force", "."]);
    in_it(at, &["commit", "--quiet", "--no-verify", "--message", "another state"]);
}

fn in_it(at: &Path, words: &[&str]) {
    let mut all = vec![OsStr::new("-C"), at.as_ref()];
    all.extend(words.iter().map(OsStr::new));
    git(&all);
}
