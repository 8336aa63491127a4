//! `grep` and `glob` find in real source repositories what ripgrep and fd find there.
//!
//! Every query of `equality/queries.rs` is asked of every repository, with and without ignore rules; the answers have to
//! be equal: paths and their order, line numbers, columns, texts, and the lines around. Each is asked twice of the
//! component, in large pages and in small ones: pages have to add up.

mod answers;
mod by_design;
mod ours;
mod peers;
mod queries;
mod repositories;

use std::fs;

use serde_json::{Value, json};

use answers::difference;
use queries::{GLOB, GREP};
use repositories::Repository;

/// Items of a page, so few that an answer has several, and not hundreds.
fn few(items: usize) -> Option<u32> {
    Some(7.max(items as u32 / 10))
}

fn compared(name: &str) {
    let Repository { gate, directory, .. } = &Repository::new(name);
    let mut wrong = Vec::new();
    for (tool, queries) in [("grep", GREP), ("glob", GLOB)] {
        for (query, rules) in queries.iter().flat_map(|query| [(query, true), (query, false)]) {
            let call: Value = serde_json::from_str(query).unwrap();
            let mut differs = |what: &str, difference: Option<String>| {
                let rules = if rules { "with rules" } else { "without rules" };
                wrong.extend(difference.map(|text| format!("  {tool} {query} {rules}, {what}: {text}")));
            };
            if tool == "glob" {
                let ours = ours::glob(gate, &call, rules, None);
                differs("paths", difference(&ours, &peers::glob(directory, &call, rules)));
                differs(
                    "in small pages",
                    difference(&ours::glob(gate, &call, rules, few(ours.len())), &ours),
                );
                continue;
            }
            // ripgrep searches bytes, whatever they are text in.
            let mut asked = call.clone();
            asked["encoding"] = json!("utf-8");
            let (ours, theirs) =
                (ours::grep(gate, &asked, rules, None), peers::grep(directory, &call, rules));
            differs("files", difference(&ours.files, &theirs.files));
            differs("lines", difference(&ours.lines, &theirs.lines));
            let small = ours::grep(gate, &asked, rules, few(ours.lines.len() + ours.files.len()));
            differs("files in small pages", difference(&small.files, &ours.files));
            differs("lines in small pages", difference(&small.lines, &ours.lines));
        }
    }
    assert!(wrong.is_empty(), "{name}: {} differences\n{}", wrong.len(), wrong.join("\n"));
}

/// Names and contents in CRLF.
#[test]
fn a_crate_with_crlf() {
    compared("mime_guess-2");
}

/// An `.ignore` file of its own, which takes back a hidden directory.
#[test]
fn a_crate_with_an_ignore_file() {
    compared("memchr-2");
}

/// Hundreds of small files in deep directories, hidden ones among them.
#[test]
fn a_crate_with_hundreds_of_small_files() {
    compared("wit-parser-0");
}

/// Tables of every script and long lines.
#[test]
fn a_crate_with_texts_in_many_scripts() {
    compared("encoding_rs-0");
}

/// C and assembly, and rules in two directories.
#[test]
fn a_crate_in_c_and_assembly() {
    compared("blake3-1");
}

/// git itself on what it would not ignore. It knows no `.ignore` files, and has its own ways with a repository in another.
#[test]
fn what_is_ignored_is_what_git_ignores() {
    let Repository { gate, directory, .. } = &Repository::new("memchr-2");
    for other in ["rules/.ignore", "crate/.ignore"] {
        fs::remove_file(directory.join(other)).unwrap();
    }
    fs::remove_dir_all(directory.join("nested")).unwrap();
    let call = json!({"pattern": "**", "include_hidden": true});
    let mut ours = ours::glob(gate, &call, true, None);
    let is_for_git = |path: &str| {
        let kind = fs::symlink_metadata(directory.join(path)).unwrap().file_type();
        (kind.is_file() || kind.is_symlink()) && !path.starts_with(".git/")
    };
    ours.retain(|path| is_for_git(path));
    assert_eq!(difference(&ours, &peers::git(directory)), None);
}

#[test]
fn there_are_fifty_queries_and_they_find_something() {
    assert!(GREP.len() + GLOB.len() >= 50);
    let Repository { directory, .. } = &Repository::new("mime_guess-2");
    let call = json!({});
    assert!(peers::files(directory, &call, true).len() < peers::files(directory, &call, false).len());
    for query in GREP.iter().filter(|query| !query.contains("nothing has this")) {
        let found = peers::grep(directory, &serde_json::from_str(query).unwrap(), false);
        assert!(!found.lines.is_empty() || !found.files.is_empty(), "{query}");
    }
    for query in GLOB {
        assert!(!peers::glob(directory, &serde_json::from_str(query).unwrap(), false).is_empty(), "{query}");
    }
}
