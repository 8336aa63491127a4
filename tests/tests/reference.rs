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
