//! The functions of the components beyond the cases of the corpus: their names, the list of tools,
//! the component `flat`, and the front ends.

use std::collections::BTreeSet;

use fsgate_contract::Operation;
use fsgate_corpus::case::{self, AGENT, Case};
use fsgate_corpus::trials::Runner;
use serde_json::json;

use crate::exports::{Exports, FRONT_ENDS};
use crate::program::invoked;
use crate::runners::wasmtime::Wasmtime;
use crate::wave;

/// `--invoke 'read(…)'` finds a function by its own name only if that name is unique.
#[test]
fn functions_need_no_name_of_their_interface() {
    let exports = Exports::new();
    let names: BTreeSet<_> = exports.functions.iter().map(|export| &export.function.name).collect();
    assert_eq!(names.len(), exports.functions.len(), "{names:?}");
}

/// The flat functions differ in their parameters only. So two cases of each one are enough: the
/// first that succeeds, and the first that is refused.
#[test]
fn the_functions_of_the_flat_component_do_what_the_corpus_says() {
    let cases: &'static [Case] = Vec::leak(case::all().unwrap_or_else(|error| panic!("{error:#}")));
    let flat = Wasmtime(Exports::flat());
    let (mut missing, mut failures) = (Vec::new(), Vec::new());
    for export in &flat.0.functions {
        if Operation::find(&export.function.name).is_some_and(|operation| operation.interface == "history") {
            continue;
        }
        for succeeds in [true, false] {
            let is_of_export = |case: &&Case| {
                case.file != AGENT
                    && case.tool.replace('_', "-") == export.function.name
                    && case.code().is_none() == succeeds
            };
            let mut found = cases.iter().filter(is_of_export);
            let Some(case) = found.find(|case| flat.leaves_out(case).is_none()) else {
                missing.push((&export.name, succeeds));
                continue;
            };
            let problems = flat.run(case).unwrap_or_else(|error| vec![format!("{error:#}")]);
            if !problems.is_empty() {
                failures.push(format!("{}, {}: {}", case.tool, case.name, problems.join(", ")));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(missing.is_empty(), "no case calls these functions with this success: {missing:?}");
}

#[test]
fn tools_lists_every_operation() {
    let exports = Exports::new();
    let export = exports.tools();
    let printed = invoked(&[], &format!("{}()", export.name)).unwrap();
    let listed = wave::returned(&exports.resolve, &export.function, &printed).unwrap();
    assert_eq!(listed, serde_json::to_value(fsgate_contract::catalogue()).unwrap());
}

#[test]
fn every_front_end_carries_out_a_text() {
    let exports = Exports::new();
    let disk = tempfile::tempdir().unwrap();
    std::fs::write(disk.path().join("a.txt"), "one").unwrap();
    let grants = [format!("{}::/w", disk.path().display())];
    let mut missing: BTreeSet<_> = exports
        .functions
        .iter()
        .filter(|export| export.interface == FRONT_ENDS)
        .map(|export| &export.name)
        .collect();
    for (name, text, printed) in [
        (
            "sham",
            "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_read\"\npath = \"/w/a.txt\"\n#!END_SHAM_abc\n",
            r#""content\":\"one\""#,
        ),
        ("command", "readFile a.txt", r#"done("FILE_CONTENT:\none")"#),
        ("file-action", r#"{"action": "create", "path": "b.md", "content": "two"}"#, r#"{\"success\":true"#),
        ("plugin", r#"{"tool": "filesystem.output", "input": {"path": "a.txt"}}"#, r#"{\"sent\":true}"#),
        ("workflow", "{{invoke_tool: read_file\n  file_path: \"b.md\"\n}}", r#"\"content\":\"two\""#),
    ] {
        let export = exports.find(|interface| interface == FRONT_ENDS, name).unwrap();
        missing.remove(&export.name);
        let call =
            wave::call(&exports.resolve, &export.name, &export.function, &json!({ "text": text })).unwrap();
        let found = invoked(&grants, &call).unwrap();
        assert!(found.contains(printed), "{name}: {found}");
    }
    assert!(missing.is_empty(), "no text is for {missing:?}");
}
