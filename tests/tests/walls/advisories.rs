//! That `docs/advisories.md` names tests that there are.

use std::collections::BTreeSet;
use std::fs;

use fsgate_tests::case;
use fsgate_tests::reference::root;

use crate::promises::has_test;

/// What stands behind the mark of a cell that says where something is tried.
const CASES: &str = "cases ";

/// The cells of every row.
fn rows() -> Vec<Vec<String>> {
    let table = fs::read_to_string(root().join("docs/advisories.md")).unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| ")).skip(1);
    let cells = |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    rows.map(cells).filter(|cells: &Vec<String>| cells[0] != "---").collect()
}

#[test]
fn every_advisory_is_tried_or_says_why_not() {
    let ideas: BTreeSet<String> =
        case::all().unwrap().into_iter().flat_map(|case| case.attacks).map(|attack| attack.idea).collect();
    let rows = rows();
    assert!(rows.len() > 20, "{}", rows.len());
    for row in &rows {
        let [advisory, .., here] = &row[..] else { panic!("{row:?}") };
        assert_eq!(row.len(), 4, "{advisory}");
        let mut tried = here.starts_with("does not apply");
        for named in here.split('`').skip(1).step_by(2) {
            let (file, test) = named.split_once("::").unwrap_or((named, ""));
            assert!(has_test(file, test), "{advisory}: `{file}` has no test `{test}`");
            tried = true;
        }
        if let Some((_, listed)) = here.split_once(CASES) {
            for idea in listed.split(", ") {
                assert!(ideas.contains(idea), "{advisory}: no case is marked {idea}");
                tried = true;
            }
        }
        assert!(tried, "{advisory}: {here}");
    }
}
