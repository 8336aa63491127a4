//! Ignore files have the meaning that git gives them, on the same trees.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use fsgate_contract::search_types::{GlobArgs, GlobKind};
use fsgate_engine::session::Session;
use fsgate_engine::tools;
use fsgate_volume::Access;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{Item, Memory};
use tempfile::TempDir;

/// A tree on a disk for git, and in memory for the tools. Both have only git's own directory at
/// first.
struct Trees {
    disk: TempDir,
    memory: Memory,
}

/// None without git, so that nothing can be compared.
fn trees() -> Option<Trees> {
    let disk = TempDir::new().unwrap();
    if let Err(error) = git(disk.path(), &["init", "--quiet"]) {
        #[expect(clippy::print_stderr, reason = "what was left out, and why, is part of a run's result")]
        {
            eprintln!("no comparison with git: {error}");
        }
        return None;
    }
    let memory = Memory::default();
    memory.at(".git");
    Some(Trees { disk, memory })
}

fn git(directory: &Path, words: &[&str]) -> std::io::Result<Vec<u8>> {
    let output = Command::new("git")
        .current_dir(directory)
        .args(words)
        // Without personal settings.
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1"), ("HOME", "/nonexistent")])
        .output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(output.stdout)
}

impl Trees {
    fn put(&self, path: &str, content: &[u8]) {
        let on_disk = self.disk.path().join(path);
        fs::create_dir_all(on_disk.parent().unwrap()).unwrap();
        fs::write(on_disk, content).unwrap();
        self.memory.put(path, Item::File(content.to_vec()));
    }

    fn git(&self) -> BTreeSet<String> {
        let listed = git(self.disk.path(), &["ls-files", "--others", "--exclude-standard", "-z"]).unwrap();
        let listed = String::from_utf8(listed).unwrap();
        listed.split_terminator('\0').map(str::to_owned).collect()
    }

    fn walk(&self) -> BTreeSet<String> {
        let grant = Grant { name: "/w".to_owned(), volume: self.memory.clone(), access: Access::Read };
        let session = Session::new(vec![grant]).unwrap();
        let args = GlobArgs {
            pattern: "**".to_owned(),
            include_hidden: Some(true),
            kind: Some(GlobKind::File),
            max_items: Some(10_000),
            ..GlobArgs::default()
        };
        let outcome = session.run(tools::glob::run, &args).unwrap();
        assert_eq!(outcome.next_cursor, None);
        let below = outcome.entries.iter().map(|entry| entry.path["/w/".len()..].to_owned());
        below.filter(|path| !path.starts_with(".git/")).collect()
    }
}

const PATHS: &[&str] = &[
    "a",
    "b",
    "A",
    "ab",
    "abc",
    "a.o",
    "b.o",
    "a.O",
    "a b",
    "a b ",
    "a ",
    " a",
    "#a",
    "!a",
    "\\a",
    "a\\",
    "a*",
    "*",
    "a[b]",
    "[ab]",
    "{a,b}",
    "{a}",
    "a,b",
    "a-b",
    "-",
    "]",
    "^",
    "a\tb",
    "a\t",
    "ä",
    "äb",
    ".h",
    ".h.o",
    "0",
    "7",
    "x7",
    "d/a",
    "d/b",
    "d/a.o",
    "d/e/a",
    "d/e/a.o",
    "d/e/f/a",
    "d/.h",
    "d/ab",
    "e/a",
    "e/b/a",
    "e/d/a",
    "x/d/e/a",
    "x/y/z",
    "x/y/a.o",
    "a.d/a",
    "a.d/b/c",
    "foo/bar",
    "foo/baz/bar",
    "foobar",
    "foo/x/bar/y",
    "build/x",
    "src/build/y",
    "c/d-e",
];

/// One a line. Without `d**/a`, where git first removes the `d` and then takes the stars for a
/// segment.
const PATTERNS: &[&str] = &[
    "a",
    "*.o",
    "*",
    "?",
    "??",
    "a?",
    "?b",
    "a*",
    "*a",
    "*.O",
    "A",
    "/a",
    "/*.o",
    "/d",
    "d",
    "d/",
    "/d/",
    "a/",
    "d/a",
    "/d/a",
    "d/*",
    "d/*.o",
    "d/**",
    "d/**/a",
    "**/a",
    "**/d",
    "**/d/",
    "**/d/a",
    "**/d/**",
    "**",
    "/**",
    "**/",
    "/**/a",
    "*/a",
    "*/*",
    "/*/",
    "*/",
    "**/*",
    "**/*.o",
    "d/e",
    "d/e/",
    "e/a",
    "d**",
    "a**b",
    "**a",
    "***",
    "d/***/a",
    "foo/*/bar",
    "foo/**/bar",
    "foo**bar",
    "foo*bar",
    "foo/**bar",
    "foo",
    "build/",
    "/build",
    "src/build",
    "x/**/a.o",
    "[ab]",
    "[!a]",
    "[^a]",
    "[a-c]",
    "[]]",
    "[]-]",
    "[-]",
    "[^]]",
    "[a",
    "a[",
    "[",
    "[]",
    "[!]",
    "[b-a]",
    "[b-ab]",
    "[[:digit:]]",
    "[[:alpha:]]",
    "x[[:digit:]]",
    "[[:upper:]]",
    "[![:lower:]]",
    "[[:bogus:]]",
    "[a\\-c]",
    "[\\]]",
    "[\\]b]",
    "a[[]b[]]",
    "a\\[b\\]",
    "[[]ab]",
    "c[+-0]d-e",
    "c/d[-]e",
    "[a-c]b",
    "a[ ]b",
    "*[a]",
    "[^.]*",
    "[a-zA-Z]",
    "{a,b}",
    "\\{a,b\\}",
    "{a}",
    "a,b",
    "a b",
    "a\\ b",
    "a ",
    "a\\ ",
    "a  ",
    "a b ",
    "a b\\ ",
    " a",
    "\\ a",
    "a\t",
    "a\tb",
    "a\\\t",
    "#a",
    "\\#a",
    "!a",
    "\\!a",
    "!",
    "#",
    "/",
    "//",
    "//a",
    "d//a",
    "./a",
    "d/./a",
    "../a",
    "\\a",
    "\\\\a",
    "a\\",
    "a\\\\",
    "a\\*",
    "\\*",
    "a[*]",
    "\\",
    "d\\/a",
    "/\\a",
    "ä",
    "?b\\",
    "[ä]",
    "[ä]b",
    "ä*",
    "*b",
    "*.h",
    ".h",
    ".*",
    ".h*",
    "/.h",
    "**/.h",
    "d/.*",
    "**/*/a",
    "*/**/a",
    "x/*/a.o",
    "x/y/**",
    "x/y/**/",
    "x/**/",
    "a.d",
    "a.d/*",
    "*.d/",
    "*.d/b",
    "*.d/**/c",
    "c/d-e",
    "c/d?e",
    "c?d-e",
    "c*d-e",
    "c[/]d-e",
    "c[!x]d-e",
];

#[test]
fn every_pattern_ignores_the_same_paths() {
    let Some(trees) = trees() else { return };
    for path in PATHS {
        trees.put(path, b"");
    }
    let mut different = Vec::new();
    let compare = |rules: &str, different: &mut Vec<String>| {
        trees.put(".gitignore", rules.as_bytes());
        let (git, ours) = (trees.git(), trees.walk());
        for path in git.symmetric_difference(&ours) {
            let ignored = if ours.contains(path) { "git" } else { "the walk" };
            different.push(format!("{rules:?}: only {ignored} ignores {path:?}"));
        }
    };
    for pattern in PATTERNS {
        compare(&format!("{pattern}\n"), &mut different);
        // And negated again where that is possible.
        compare(&format!("*\n!*/\n!{pattern}\n"), &mut different);
    }
    assert!(different.is_empty(), "{} differences:\n{}", different.len(), different.join("\n"));
}

#[test]
fn files_of_several_directories_have_the_same_precedence() {
    for files in [
        &[(".gitignore", "*.log\n"), ("d/.gitignore", "!keep.log\n"), ("d/keep.log", ""), ("d/a.log", "")][..],
        &[(".gitignore", "d/\n"), ("d/.gitignore", "!a\n"), ("d/a", ""), ("b", "")],
        &[(".gitignore", "d/*\n!d/a\n"), ("d/a", ""), ("d/b", ""), ("d/c/a", "")],
        &[(".gitignore", "/*\n!/d/\n/d/*\n!/d/e/\n"), ("a", ""), ("d/a", ""), ("d/e/a", "")],
        &[(".gitignore", "!a\n"), ("d/.gitignore", "a\n"), ("d/a", ""), ("a", "")],
        &[(".gitignore", "a\n!a\n"), ("a", ""), ("d/a", "")],
        &[(".gitignore", "!a\na\n"), ("a", ""), ("d/a", "")],
        &[("d/.gitignore", "/a\nb/\n"), ("d/a", ""), ("d/e/a", ""), ("d/b/x", ""), ("a", ""), ("b/x", "")],
        &[("d/.gitignore", "e/a\n"), ("d/e/a", ""), ("e/a", ""), ("d/x/e/a", "")],
        &[(".git/info/exclude", "a\n"), ("a", ""), ("b", ""), ("d/a", "")],
        &[(".git/info/exclude", "a\n"), (".gitignore", "!a\n"), ("a", ""), ("d/a", "")],
        &[(".git/info/exclude", "!a\n"), (".gitignore", "a\n"), ("a", ""), ("d/a", "")],
        &[(".gitignore", "*\n!*/\n!*.rs\n"), ("a", ""), ("a.rs", ""), ("d/e/a.rs", ""), ("d/e/b", "")],
        &[(".gitignore", "\u{FEFF}a\r\nb\r\n\r\n"), ("a", ""), ("b", ""), ("c", "")],
        &[(".gitignore", "a\n\n# b\n\\# c\nd"), ("a", ""), ("b", ""), ("# c", ""), ("d", "")],
        &[(".gitignore/x", "a\n"), ("a", "")],
        &[(".gitignore", ".gitignore\n"), ("d/.gitignore", "a\n"), ("d/a", "")],
        &[(".gitignore", "d\n"), ("d", ""), ("e/d/a", "")],
    ] {
        let Some(trees) = trees() else { return };
        for (path, content) in files {
            trees.put(path, content.as_bytes());
        }
        assert_eq!(trees.walk(), trees.git(), "{files:?}");
    }
}

#[test]
fn a_rule_that_is_not_utf_8_is_no_rule_and_hides_no_other() {
    let Some(trees) = trees() else { return };
    trees.put(".gitignore", b"a\n\xFFb\nc\n");
    for path in ["a", "b", "c", "d"] {
        trees.put(path, b"");
    }
    assert_eq!(trees.walk(), trees.git());
}
