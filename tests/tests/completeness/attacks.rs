//! That every attack is tried on every tool: by a case that is marked with it, by a test that is named here, or not at
//! all for a reason that is given here. A new tool fails until all of its attacks are told.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use fsgate_contract::OPERATIONS;
use fsgate_tests::case::{self, AGENT, Attack};

use super::cases;

/// Every idea that each tool has to be tried with: those of the table in `tests/cases/README.md` that are no matter of
/// content or of names.
const IDEAS: &[&str] = &[
    "A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "A10", "A11", "A12", "A13", "B1", "B2", "B3", "B4",
    "B5", "B6", "B7", "B8", "B9", "B10", "D1", "D3", "D4", "D5", "D6", "D7",
];

/// Every idea that each of [`EDITORS`] has to be tried with: what it must not touch.
const KEPT: &[&str] = &[
    "E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9", "E10", "E11", "E12", "E13", "E14", "E15", "E16",
    "E17", "E18",
];

/// Tools that change a part of a file.
const EDITORS: &[&str] = &[
    "append",
    "apply",
    "comment_lines",
    "insert_lines",
    "replace",
    "replace_all",
    "replace_in_files",
    "replace_lines",
    "uncomment_lines",
];

/// Every idea that some tool has to be tried with: what names and contents pretend.
const PRETENDED: &[&str] = &["F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9"];

/// The tools that take two paths: an attack is tried at each one.
const TWO_PATHS: &[&str] = &["copy", "move"];

/// Tools that change nothing.
const READERS: &[&str] = &[
    "exists",
    "glob",
    "grep",
    "list_directory",
    "outline",
    "read",
    "read_bytes",
    "read_many",
    "read_numbered",
    "stat",
    "tree",
];

/// Tools that change what is in one file.
const WRITERS: &[&str] = &[
    "append",
    "comment_lines",
    "create",
    "insert_lines",
    "replace",
    "replace_all",
    "replace_lines",
    "uncomment_lines",
    "write",
    "write_bytes",
];

/// Those of them that take whole lines.
const LINES: &[&str] = &["comment_lines", "insert_lines", "replace_lines", "uncomment_lines"];

/// Readers that look at what one path names, or several.
const LOOKERS: &[&str] = &["exists", "outline", "read", "read_bytes", "read_many", "read_numbered", "stat"];

/// Ideas that do not concern a tool, and why: groups of tools, each of `copy` and `move` with its path.
const NO_MATTER: &[(&str, &[&[&str]], &str)] = &[
    (
        "A9",
        &[READERS, WRITERS, &["create_directory", "delete", "delete_directory"]],
        "one path lies in one grant",
    ),
    ("A9", &[&["replace_in_files"]], "no edit takes anything from another path"),
    ("A10", &[READERS, &["copy source"]], "reading is enough"),
    (
        "B7",
        &[READERS, WRITERS, &["apply", "create_directory", "delete", "delete_directory", "replace_in_files"]],
        "slashes behind a link: B6",
    ),
    ("B8", &[READERS], "what changes nothing changes no link"),
    (
        "B9",
        &[
            &["exists", "outline", "read", "read_bytes", "read_many", "read_numbered"],
            WRITERS,
            &["create_directory", "copy source", "copy destination"],
        ],
        "a link is followed, never taken for itself: B1 to B4",
    ),
    ("B9", &[&["grep", "replace_in_files"]], "links are counted, not shown: B3"),
    (
        "B10",
        &[LOOKERS, WRITERS, &["apply", "create_directory", "copy destination", "move destination"]],
        "goes to one place, and does not look around",
    ),
    (
        "D3",
        &[LOOKERS, WRITERS, &["apply", "create_directory"]],
        "goes to one place, and does not look around",
    ),
    ("D3", &[&["move source", "move destination", "copy destination"]], "one name, whatever is in it"),
    (
        "D4",
        &[
            LOOKERS,
            LINES,
            &[
                "append",
                "apply",
                "create",
                "replace",
                "write",
                "write_bytes",
                "create_directory",
                "delete_directory",
                "tree",
            ],
            &["copy destination", "move source", "move destination"],
        ],
        "takes no pattern",
    ),
    (
        "D5",
        &[
            READERS,
            LINES,
            &["append", "create", "replace", "write", "write_bytes"],
            &["create_directory", "delete", "delete_directory"],
            &["copy source", "copy destination", "move source", "move destination"],
        ],
        "puts in place no more than it is given, and a mark for each line",
    ),
    (
        "D6",
        &[
            READERS,
            LINES,
            &["append", "create", "write", "write_bytes", "create_directory", "delete", "delete_directory"],
            &["copy source", "copy destination", "move source", "move destination"],
        ],
        "looks for nothing in what it writes",
    ),
    (
        "D7",
        &[
            READERS,
            &["write_bytes", "create_directory", "delete", "delete_directory"],
            &["comment_lines", "uncomment_lines"],
            &["copy source", "copy destination", "move source", "move destination"],
        ],
        "is given no text to put in place",
    ),
];

/// Ideas that no case can hold: they need more than a tree of a case can be. The tests that hold them instead, each with
/// its file.
const IN_TESTS: &[(&str, &[&str], &str, &str)] = &[
    (
        "D3",
        &["list_directory", "glob", "grep", "replace_in_files"],
        "tests/tests/bounds.rs",
        "a_hundred_thousand_entries_are_listed_in_pages",
    ),
    ("D3", &["tree", "grep"], "tests/tests/bounds.rs", "a_walk_ends_where_paths_end"),
    (
        "D3",
        &["copy source", "delete_directory"],
        "tests/tests/bounds.rs",
        "twenty_thousand_files_are_copied_and_deleted",
    ),
    (
        "D3",
        &["copy source", "delete"],
        "tests/tests/gate/large.rs",
        "what_copies_and_deletes_too_much_is_refused_before_it_begins",
    ),
];

/// Starts that are refused: there is no tool to try then.
const NO_START: &[(&str, &str)] = &[
    ("tests/tests/gate.rs", "a_gate_without_directories_describes_itself_and_does_nothing_else"),
    ("host/tests/cli.rs", "starts_that_would_not_hold_are_refused_with_what_to_do"),
];

/// A tool, and for one with two paths which of them: `read`, `copy source`.
fn place(tool: &str, path: Option<&str>) -> String {
    path.map_or(tool.to_owned(), |path| format!("{tool} {path}"))
}

/// What each idea has to be tried on. The tools of the history take their paths from records, and those that they are given
/// are only compared with them: what may have come into the way since is tried in `guest/engine/src/history/tests.rs`.
fn places() -> BTreeSet<String> {
    OPERATIONS
        .iter()
        .filter(|operation| operation.interface != "history")
        .flat_map(|operation| {
            let paths: &[_] = if TWO_PATHS.contains(&operation.name) {
                &[Some("source"), Some("destination")]
            } else {
                &[None]
            };
            paths.iter().map(|path| place(operation.name, *path))
        })
        .collect()
}

/// The ideas and places of all cases.
fn tried() -> BTreeSet<(String, String)> {
    let of_case = |(tool, attack): (&str, &Attack)| (attack.idea.clone(), place(tool, attack.path));
    cases()
        .iter()
        .filter(|case| case.file != AGENT)
        .flat_map(|case| case.attacks.iter().map(|attack| (&*case.tool, attack)))
        .map(of_case)
        .collect()
}

#[test]
fn every_attack_is_tried_on_every_tool_that_it_concerns() {
    let (places, tried) = (places(), tried());
    let mut missing = Vec::new();
    for idea in IDEAS.iter().filter(|idea| **idea != "A11") {
        for place in &places {
            let is_tried = tried.contains(&((*idea).to_owned(), place.clone()));
            let in_tests =
                IN_TESTS.iter().any(|(other, tools, ..)| other == idea && tools.contains(&place.as_str()));
            let reasons = NO_MATTER
                .iter()
                .filter(|(other, tools, _)| other == idea && tools.concat().contains(&place.as_str()))
                .count();
            if reasons == 0 && !is_tried && !in_tests {
                missing.push(format!("no case tries {idea} on {place}"));
            } else if reasons > 0 && (is_tried || in_tests) {
                missing.push(format!("{idea} is tried on {place}, and needs no reason why not"));
            } else if reasons > 1 {
                missing.push(format!("{reasons} reasons are given for {idea} and {place}"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn what_must_stay_is_tried_on_every_tool_that_changes_a_part_of_a_file() {
    let tried = tried();
    let missing: Vec<_> = EDITORS
        .iter()
        .flat_map(|tool| KEPT.iter().map(|idea| ((*idea).to_owned(), (*tool).to_owned())))
        .filter(|one| !tried.contains(one))
        .collect();
    assert!(missing.is_empty(), "no case tries {missing:?}");
}

#[test]
fn what_names_and_contents_pretend_is_tried() {
    let tried: BTreeSet<_> = tried().into_iter().map(|(idea, _)| idea).collect();
    let missing: Vec<_> = PRETENDED.iter().filter(|idea| !tried.contains(**idea)).collect();
    assert!(missing.is_empty(), "no case tries {missing:?}");
}

/// `A1` and `A8` of `| A1 to A8 | …`.
#[test]
fn every_idea_is_explained() {
    let readme = fs::read_to_string(fsgate_tests::case::directory().join("README.md")).unwrap();
    let rows = readme.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let explained: BTreeSet<_> = rows
        .filter_map(|row| case::attacks(&format!("{row}.")).ok())
        .flatten()
        .map(|attack| attack.idea)
        .collect();
    for idea in [IDEAS, KEPT, PRETENDED].concat() {
        assert!(explained.contains(idea), "{idea} is not explained");
    }
}

#[test]
fn the_marks_of_cases_name_a_path_where_there_are_two_and_an_idea_that_there_is() {
    let places = places();
    for (idea, place) in tried() {
        let is_one_of = |ideas: &[&str]| ideas.contains(&idea.as_str());
        if is_one_of(IDEAS) {
            assert!(places.contains(&place), "{idea} on {place}: it is not said at which path");
        } else {
            assert!(is_one_of(KEPT) || is_one_of(PRETENDED), "{place}: there is no {idea}");
        }
    }
}

#[test]
fn the_reasons_name_tools_that_there_are() {
    let places = places();
    let reasons = NO_MATTER.iter().map(|(idea, tools, _)| (idea, tools.concat()));
    let tests = IN_TESTS.iter().map(|(idea, tools, ..)| (idea, tools.to_vec()));
    for (idea, tools) in reasons.chain(tests) {
        assert!(IDEAS.contains(idea), "there is no {idea}");
        for tool in tools {
            assert!(places.contains(tool), "{idea}: there is no {tool}");
        }
    }
}

#[test]
fn the_tests_that_stand_for_cases_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (file, test) in IN_TESTS
        .iter()
        .map(|(_, _, file, test)| (file, test))
        .chain(NO_START.iter().map(|(file, test)| (file, test)))
    {
        let source = fs::read_to_string(root.join(file)).unwrap();
        assert!(source.contains(&format!("#[test]\nfn {test}() {{")), "{file} has no test {test}");
    }
}
