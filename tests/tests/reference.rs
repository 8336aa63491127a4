//! The reference is what the contract and the corpus say.

use std::collections::BTreeSet;
use std::fs;

use fsgate_tests::reference::{files, root};

#[test]
fn the_reference_says_what_the_contract_and_the_corpus_say() {
    let files = files().unwrap_or_else(|error| panic!("{error:#}"));
    for (path, content) in &files {
        let found = fs::read_to_string(root().join(path)).unwrap_or_default();
        assert!(found == *content, "{} is out of date: run `make reference`", path.display());
    }
    let pages: BTreeSet<_> =
        fs::read_dir(root().join("docs/tools")).unwrap().map(|page| page.unwrap().file_name()).collect();
    let wanted =
        files.keys().filter(|path| path.starts_with("docs/tools")).filter_map(|path| path.file_name());
    assert_eq!(
        pages,
        wanted.map(std::ffi::OsStr::to_owned).collect(),
        "a page without a tool, or the other way round"
    );
}

/// The folders of the repository that pages name files of.
const FOLDERS: [&str; 7] = ["bench/", "bindings/", "examples/", "guest/", "host/", "tests/", "wit/"];

/// Returns the paths that a page names in backticks, without the test after `::` and a choice in
/// `{}`.
fn named_paths(page: &str) -> Vec<&str> {
    let named = page.split('`').skip(1).step_by(2);
    let named = named.filter(|name| FOLDERS.iter().any(|folder| name.starts_with(folder)));
    named.filter_map(|name| name.split(['{', '*', ':']).next()).collect()
}

#[test]
fn files_that_pages_name_exist() {
    let mut pages =
        ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"].map(|page| root().join(page)).to_vec();
    for folder in ["docs", "docs/design"] {
        let files = fs::read_dir(root().join(folder)).unwrap().map(|file| file.unwrap().path());
        pages.extend(files.filter(|file| file.extension().is_some_and(|end| end == "md")));
    }
    let mut count = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for path in named_paths(&text) {
            count += 1;
            assert!(root().join(path).exists(), "{} names {path}, which does not exist", page.display());
        }
    }
    assert!(count > 80, "the pages name {count} files only");
}
