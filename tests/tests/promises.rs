//! What `docs/security.md` names as a proof is there: files, and the tests in them.

use std::fs;

use fsgate_tests::reference::root;

/// True if a file has a test of this name. A function alone is none: it may be one that no run calls.
pub(crate) fn has_test(file: &str, name: &str) -> bool {
    let source = fs::read_to_string(root().join(file)).unwrap_or_default();
    if file.ends_with(".py") {
        return name.starts_with("test_") && source.contains(&format!("\ndef {name}("));
    }
    let lines: Vec<_> = source.lines().map(str::trim).collect();
    let head = format!("fn {name}(");
    (0..lines.len()).filter(|at| lines[*at].starts_with(&head)).any(|at| {
        // Others may stand between: `#[cfg(…)]`, `#[expect(…)]`.
        let mut attributes = lines[..at].iter().rev().take_while(|line| line.starts_with("#["));
        attributes.any(|line| *line == "#[test]")
    })
}

/// The same for the title of a test in JavaScript, or its beginning where the rest is put in.
fn has_title(file: &str, title: &str) -> bool {
    let source = fs::read_to_string(root().join(file)).unwrap_or_default();
    ['\'', '"', '`'].iter().any(|quote| source.contains(&format!("test({quote}{title}")))
}

#[test]
fn every_promise_has_a_proof_that_is_there() {
    let page = fs::read_to_string(root().join("docs/security.md")).unwrap();
    let (_, section) = page.split_once("## What is promised").unwrap();
    let (table, _) = section.split_once("\n## ").unwrap();
    let rows: Vec<_> = table.lines().filter(|line| line.starts_with("| ")).skip(2).collect();
    assert!(rows.len() > 20, "{} promises", rows.len());
    for row in rows {
        let (promise, proof) = row.trim_matches(['|', ' ']).rsplit_once(" | ").unwrap();
        let (mut file, mut proofs) = ("", 0);
        for (number, part) in proof.split('`').enumerate() {
            let is_code = number % 2 == 1;
            if is_code && part.contains('/') {
                file = part;
                assert!(root().join(file).is_file(), "`{file}` is no file: {promise}");
                proofs += usize::from(file.ends_with(".cases.md"));
            } else if is_code {
                assert!(has_test(file, part), "`{file}` has no test `{part}`: {promise}");
                proofs += 1;
            } else if file.ends_with(".mjs") {
                for title in part.split('"').skip(1).step_by(2) {
                    assert!(has_title(file, title), "`{file}` has no test \"{title}\": {promise}");
                    proofs += 1;
                }
            }
        }
        assert!(proofs > 0, "no test proves: {promise}");
    }
}

#[test]
fn only_a_test_of_that_name_is_one() {
    let here = "tests/tests/promises.rs";
    for (file, name, expected) in [
        (here, "only_a_test_of_that_name_is_one", true),
        ("host/src/gate/intersect_roots.rs", "a_name_that_is_not_utf_8_stays_closed", true),
        (here, "only_a_test", false),
        (here, "has_title", false),
        (here, "", false),
        ("bindings/python/tests/test_own_program.py", "_nothing", false),
        ("tests/tests/none.rs", "only_a_test_of_that_name_is_one", false),
    ] {
        assert_eq!(has_test(file, name), expected, "{file} {name}");
    }
}
