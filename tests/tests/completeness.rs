//! That the corpus leaves nothing out: a tool, an option, a code, an attack or an example without a case is a failure.

mod attacks;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use fsgate_contract::agent_types::CallArgs;
use fsgate_contract::{ERROR_SCHEMA, OPERATIONS};
use fsgate_corpus::codes::{CALL_CODES, codes_of};
use fsgate_engine::agent;
use fsgate_tests::case::{self, AGENT, Case, POLICY};
use fsgate_tests::memory;
use fsgate_tests::tree::Tree;
use serde_json::Value;

/// Every case. The corpus is read once for all tests: that takes seconds without optimisation.
fn cases() -> &'static [Case] {
    static CASES: LazyLock<Vec<Case>> =
        LazyLock::new(|| case::all().unwrap_or_else(|error| panic!("{error:#}")));
    &CASES
}

/// The codes that the cases of a file expect.
fn codes_in(file: &str) -> BTreeSet<String> {
    cases()
        .iter()
        .filter(|case| case.file == file || case.file == POLICY && case.tool == file)
        .filter_map(|case| case.code().map(str::to_owned))
        .collect()
}

fn set(codes: &[&str]) -> BTreeSet<String> {
    codes.iter().map(|code| (*code).to_owned()).collect()
}

#[test]
fn every_operation_has_cases_and_every_case_file_an_operation() {
    let mut operations: BTreeSet<_> = OPERATIONS.iter().map(|operation| operation.name.to_owned()).collect();
    operations.extend([AGENT, POLICY].map(str::to_owned));
    assert_eq!(case::files().unwrap(), operations);
    let with_cases: BTreeSet<_> = cases().iter().map(|case| case.file.clone()).collect();
    assert_eq!(with_cases, operations);
}

#[test]
fn every_code_has_a_case_and_every_case_a_code_of_the_table() {
    for operation in OPERATIONS {
        assert_eq!(codes_in(operation.name), set(&codes_of(operation.name)), "{}", operation.name);
    }
}

#[test]
fn every_mistake_in_json_has_a_case() {
    assert_eq!(codes_in(AGENT), set(&[CALL_CODES, &["unknown_tool"]].concat()));
}

#[test]
fn every_operation_has_a_case_that_succeeds() {
    for operation in OPERATIONS {
        let succeeds = |case: &Case| case.file == operation.name && case.code().is_none();
        assert!(cases().iter().any(succeeds), "{}", operation.name);
    }
}

/// The options of an operation with which none of these calls is made, or only with what holds without them.
fn untried(operation: &str, schema: &Value, calls: &[Value]) -> Vec<String> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let is_tried = |name: &str, default: &Value| {
        calls.iter().any(|call| call.get(name).is_some_and(|value| !value.is_null() && value != default))
    };
    properties
        .filter(|(name, property)| !is_tried(name, &property["default"]))
        .map(|(name, _)| format!("{operation}.{name}"))
        .collect()
}

#[test]
fn every_option_has_a_case() {
    let cases = cases();
    let mut missing = Vec::new();
    for operation in OPERATIONS {
        let calls: Vec<Value> = cases
            .iter()
            .filter(|case| case.file == operation.name || case.file == POLICY && case.tool == operation.name)
            .map(|case| serde_json::from_str(&case.call).unwrap())
            .collect();
        let schema = serde_json::from_str(operation.input_schema).unwrap();
        missing.extend(untried(operation.name, &schema, &calls));
    }
    assert!(missing.is_empty(), "no case of its tool gives it: {}", missing.join(", "));
}

#[test]
fn the_check_of_options_sees_what_is_not_tried() {
    let schema = serde_json::json!({"properties": {
        "a": {"default": false}, "b": {"default": 3}, "c": {}, "d": {}, "e": {"default": 3},
    }});
    let calls = [serde_json::json!({"a": false, "c": null}), serde_json::json!({"b": 3, "d": "x", "e": 4})];
    assert_eq!(untried("x", &schema, &calls), ["x.a", "x.b", "x.c"]);
}

#[test]
fn names_are_unique() {
    let mut names = BTreeSet::new();
    for case in cases() {
        let name = (&case.file, &case.tool, &case.name);
        assert!(names.insert(name), "{name:?} is there twice");
    }
}

#[test]
fn the_examples_of_the_contract_are_well_formed() {
    for operation in OPERATIONS {
        assert!(!operation.examples.is_empty(), "{} has no example", operation.name);
        for example in operation.examples {
            let tree = Tree::parse("").unwrap();
            let volume = memory::volume(&tree).unwrap();
            let session = memory::session(&tree, &volume, |volume| volume).unwrap();
            let args = CallArgs { tool: operation.name.to_owned(), arguments: (*example).to_owned() };
            if let Err(refused) = agent::call(&session, &args) {
                let error: Value = serde_json::from_str(&refused.error).unwrap();
                let code = error["code"].as_str().unwrap();
                assert!(!CALL_CODES.contains(&code), "{}: {example}: {error}", operation.name);
            }
        }
    }
}

/// Where a schema has a property, or a list of something, without a description. What a list is of is told by the list,
/// unless it is an object: then its properties are looked at.
fn undescribed(at: &str, schema: &Value, missing: &mut Vec<String>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let at = format!("{at}.{name}");
        if property["description"].as_str().is_none_or(str::is_empty) {
            missing.push(at.clone());
        }
        undescribed(&at, property, missing);
    }
    for inner in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(inner) {
            undescribed(&format!("{at}[]"), inner, missing);
        }
    }
    for (number, choice) in
        ["oneOf", "anyOf", "allOf"].iter().flat_map(|of| schema[of].as_array()).flatten().enumerate()
    {
        undescribed(&format!("{at}|{number}"), choice, missing);
    }
    for (name, definition) in
        ["$defs", "definitions"].iter().filter_map(|of| schema[of].as_object()).flatten()
    {
        undescribed(&format!("{at}#{name}"), definition, missing);
    }
}

/// Some who speak OpenAI's interfaces take no longer one, and a model would be told only a part of it.
#[test]
fn every_description_fits_everywhere() {
    const MOST: usize = 1024;
    let long: Vec<_> = OPERATIONS.iter().filter(|one| one.description.chars().count() > MOST).collect();
    let long: Vec<_> = long.iter().map(|one| one.name).collect();
    assert!(
        long.is_empty(),
        "more than {MOST} characters: {long:?}; say it of the arguments that it is about"
    );
}

#[test]
fn every_property_of_every_schema_is_described() {
    let mut missing = Vec::new();
    let mut look = |at: String, schema: &str| {
        undescribed(&at, &serde_json::from_str(schema).unwrap(), &mut missing);
    };
    for operation in OPERATIONS {
        look(format!("{} arguments", operation.name), operation.input_schema);
        look(format!("{} outcome", operation.name), operation.outcome_schema);
    }
    look("error".to_owned(), ERROR_SCHEMA);
    assert!(missing.is_empty(), "without a description: {}", missing.join(", "));
}

#[test]
fn the_check_of_descriptions_sees_what_is_missing() {
    let schema = serde_json::json!({"properties": {
        "a": {"description": "x", "items": {"properties": {"b": {}}}},
        "c": {"properties": {"d": {"description": ""}}},
    }});
    let mut missing = Vec::new();
    undescribed("x", &schema, &mut missing);
    assert_eq!(missing, ["x.a[].b", "x.c", "x.c.d"]);
}
