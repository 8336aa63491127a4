//! Arguments in JSON, read by the contract's table of fields.
//!
//! Unambiguous values are converted: `3.0` and `"3"` to 3, `"true"` to true, a text to a list. An
//! empty optional text or list counts as left out unless it protects or selects something. One
//! error lists all wrong arguments.

use serde_json::{Map, Number, Value};

use crate::{ArgumentProblem, Reason};
use fsgate_contract::{Empty, Field, Kind, Misfit, Operation};
use fsgate_text::close_names::nearest;

/// The arguments by name, not compared with any tool.
pub fn parse(arguments: &str) -> Result<Map<String, Value>, Reason> {
    let object = serde_json::from_str(arguments).map_err(|error| {
        let position = super::position(arguments, &error);
        Reason::MalformedArguments { position, problem: error.to_string() }
    })?;
    super::require_once(arguments)?;
    Ok(object)
}

/// The arguments by name, with the defaults for agents.
pub fn read(operation: &'static Operation, arguments: &str) -> Result<Map<String, Value>, Reason> {
    let mut object = parse(arguments)?;
    let mut problems = Vec::new();
    fit(operation.fields, &mut object, "", &mut problems);
    if !problems.is_empty() {
        return Err(Reason::Arguments(problems));
    }
    for field in operation.fields {
        if let Some(default) = field.agent_default
            && !object.contains_key(field.name)
            && let Ok(default) = serde_json::from_str(default)
        {
            object.insert(field.name.to_owned(), default);
        }
    }
    Ok(object)
}

/// Converts unambiguous arguments. The call refuses the others.
pub(super) fn normalize(operation: &'static Operation, arguments: &mut Map<String, Value>) {
    fit(operation.fields, arguments, "", &mut Vec::new());
}

/// Converts arguments to the tool's values, and returns the problems of the others.
pub fn check(operation: &'static Operation, arguments: &mut Map<String, Value>) -> Vec<ArgumentProblem> {
    let mut problems = Vec::new();
    fit(operation.fields, arguments, "", &mut problems);
    problems
}

/// Converts an object's members, at `at` in the arguments, and reports failures.
fn fit(
    fields: &'static [Field],
    object: &mut Map<String, Value>,
    at: &str,
    problems: &mut Vec<ArgumentProblem>,
) {
    // A name similar to a missing argument's is the only mistake.
    let mut meant = Vec::new();
    for name in object.keys().filter(|name| !fields.iter().any(|field| field.name == *name)) {
        let known: Vec<_> = fields.iter().map(|field| field.name).collect();
        let nearest = nearest(name, &known);
        meant.extend(nearest);
        problems.push(ArgumentProblem::Unknown { field: format!("{at}{name}"), known, nearest });
    }
    for field in fields {
        let place = || format!("{at}{}", field.name);
        let value = object.get_mut(field.name).filter(|value| !value.is_null() || field.required);
        let Some(value) = value else {
            if field.required && !meant.contains(&field.name) {
                problems.push(ArgumentProblem::Missing { field: place() });
            }
            object.shift_remove(field.name);
            continue;
        };
        let is_empty =
            value.as_str().is_some_and(str::is_empty) || value.as_array().is_some_and(Vec::is_empty);
        if is_empty && !field.required && holds_texts(field.kind) {
            match field.empty {
                Empty::Absent => drop(object.shift_remove(field.name)),
                Empty::Refused => problems.push(ArgumentProblem::Empty {
                    field: place(),
                    absent: field.meaning_of_none.or(field.default).unwrap_or_default(),
                }),
                Empty::Value => {}
            }
            continue;
        }
        take(field, value, &place(), problems);
        problems.extend(misfit(field, value, place()));
    }
}

fn misfit(field: &Field, value: &Value, place: String) -> Option<ArgumentProblem> {
    let (low, high) = field.range?;
    let (items, value) = match (field.kind, value) {
        (Kind::Texts | Kind::Records, Value::Array(items)) => (true, items.len() as u64),
        (Kind::Integer, value) => (false, value.as_u64()?),
        _ => return None,
    };
    let is_misfit = !(low..=high).contains(&value);
    is_misfit.then_some(ArgumentProblem::OutOfRange(Misfit { field: place, items, value, low, high }))
}

fn holds_texts(kind: Kind) -> bool {
    matches!(kind, Kind::Text | Kind::Content | Kind::Texts | Kind::Choice | Kind::Records)
}

fn take(field: &'static Field, value: &mut Value, place: &str, problems: &mut Vec<ArgumentProblem>) {
    let mut refuse = |wanted: &str, found: &Value| {
        problems.push(ArgumentProblem::mistyped(place.to_owned(), wanted, found));
    };
    match field.kind {
        Kind::Boolean => match boolean(value) {
            Some(meant) => *value = Value::Bool(meant),
            None => refuse("true or false", value),
        },
        Kind::Integer => match integer(value) {
            Some(meant) => *value = Value::Number(meant),
            None => refuse("a whole number from 0 up", value),
        },
        Kind::Text | Kind::Content if value.is_string() => {}
        Kind::Text | Kind::Content => refuse("a text", value),
        Kind::Bytes if value.is_string() => {}
        Kind::Bytes => refuse("a text in base64", value),
        Kind::Choice if value.as_str().is_some_and(|given| field.choices.contains(&given)) => {}
        Kind::Choice => {
            let choices: Vec<_> = field.choices.iter().map(|choice| format!("\"{choice}\"")).collect();
            refuse(&choices.join(" or "), value);
        }
        Kind::Texts => {
            if value.is_string() {
                *value = Value::Array(vec![value.take()]);
            }
            match value.as_array() {
                None => refuse("a list of texts", value),
                Some(items) => {
                    for (number, item) in items.iter().enumerate().filter(|(_, item)| !item.is_string()) {
                        problems.push(ArgumentProblem::mistyped(
                            format!("{place}[{number}]"),
                            "a text",
                            item,
                        ));
                    }
                }
            }
        }
        Kind::Records => {
            if value.is_object() {
                *value = Value::Array(vec![value.take()]);
            }
            let Some(items) = value.as_array_mut() else {
                return refuse("a list of objects", value);
            };
            for (number, item) in items.iter_mut().enumerate() {
                match item {
                    Value::Object(object) => {
                        fit(field.fields, object, &format!("{place}[{number}]."), problems);
                    }
                    item => {
                        problems.push(ArgumentProblem::mistyped(
                            format!("{place}[{number}]"),
                            "an object",
                            item,
                        ));
                    }
                }
            }
        }
    }
}

fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(meant) => Some(*meant),
        Value::String(name) => name.parse().ok(),
        _ => None,
    }
}

/// A whole number, also as `3.0` or digits.
fn integer(value: &Value) -> Option<Number> {
    /// Whole floats up to here are exact.
    const EXACT: f64 = (1_u64 << 53) as f64;
    match value {
        Value::Number(number) if number.is_u64() => Some(number.clone()),
        Value::Number(number) => {
            let number =
                number.as_f64().filter(|number| number.fract() == 0.0 && (0.0..=EXACT).contains(number));
            number.map(|number| Number::from(number as u64))
        }
        Value::String(digits) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            digits.parse::<u64>().ok().map(Number::from)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use fsgate_contract::OPERATIONS;

    fn read(tool: &str, arguments: &Value) -> Result<Value, Reason> {
        super::read(Operation::find(tool).unwrap(), &arguments.to_string()).map(Value::Object)
    }

    #[test]
    fn a_value_that_can_mean_one_thing_is_taken_for_it() {
        for (given, meant) in [
            (json!({"skip_lines": 3.0}), json!({"skip_lines": 3})),
            (json!({"skip_lines": "3"}), json!({"skip_lines": 3})),
            (json!({"skip_lines": -0.0}), json!({"skip_lines": 0})),
            (json!({"with_etag": "false"}), json!({"with_etag": false})),
            (json!({"cursor": ""}), json!({})),
            (json!({"encoding": null}), json!({})),
        ] {
            let (mut given, mut meant) = (given, meant);
            given["path"] = json!("a");
            meant["path"] = json!("a");
            let mut got = read("read", &given).unwrap();
            let defaults = read("read", &json!({"path": "a"})).unwrap();
            for name in defaults.as_object().unwrap().keys().filter(|name| meant.get(&**name).is_none()) {
                got.as_object_mut().unwrap().shift_remove(name);
            }
            assert_eq!(got, meant, "{given}");
        }
        let got = read("read_many", &json!({"paths": "a"})).unwrap();
        assert_eq!(got["paths"], json!(["a"]));
        let got = read("apply", &json!({"edits": {"path": "a", "old": "1", "new": ""}})).unwrap();
        assert_eq!(got["edits"], json!([{"path": "a", "old": "1", "new": ""}]));
    }

    #[test]
    fn every_wrong_argument_is_named_in_words_of_json() {
        let refused = read("read", &json!({"zzz": "a", "max_lines": -1, "skip_lines": "x", "with_etag": 1}));
        let Err(Reason::Arguments(problems)) = refused else { panic!("{refused:?}") };
        let told: Vec<_> = problems.iter().map(|problem| problem.sentence().0).collect();
        assert_eq!(
            told,
            [
                "there is no argument `zzz`",
                "`path` is missing",
                "`skip_lines` has to be a whole number from 0 up, not \"x\"",
                "`max_lines` has to be a whole number from 0 up, not -1",
                "`with_etag` has to be true or false, not 1",
            ]
        );
        for (number, exact) in
            [(json!(1.5), None), (json!(1e300), None), (json!("3.0"), None), (json!("-3"), None)]
        {
            assert_eq!(integer(&number), exact, "{number}");
        }
    }

    #[test]
    fn numbers_out_of_their_ranges_are_named_with_the_other_mistakes() {
        let refused =
            read("read", &json!({"path": "a", "last_lines": 0, "max_bytes": "0", "skip_lines": "x"}));
        let Err(Reason::Arguments(problems)) = refused else { panic!("{refused:?}") };
        let told: Vec<_> = problems.iter().map(|problem| problem.sentence().0).collect();
        assert_eq!(
            told,
            [
                "`skip_lines` has to be a whole number from 0 up, not \"x\"",
                "`last_lines` is 0, and has to be between 1 and 4294967295",
                "`max_bytes` is 0, and has to be between 1 and 1048576",
            ]
        );
    }

    /// Every optional text and list of every operation treats an empty value as the contract says.
    #[test]
    fn an_empty_value_is_left_out_or_refused_as_the_contract_says() {
        let (mut absent, mut refused) = (0, 0);
        for operation in OPERATIONS {
            let whole = json!({});
            let required =
                operation.fields.iter().filter(|field| field.required).fold(whole, |mut all, field| {
                    all[field.name] = match field.kind {
                        Kind::Texts => json!(["a"]),
                        Kind::Records => json!([]),
                        Kind::Choice => json!(field.choices[0]),
                        Kind::Boolean => json!(true),
                        Kind::Integer => json!(1),
                        Kind::Text | Kind::Content | Kind::Bytes => json!("a"),
                    };
                    all
                });
            let without = read(operation.name, &required).unwrap();
            for field in operation.fields.iter().filter(|field| !field.required && holds_texts(field.kind)) {
                let empty =
                    if matches!(field.kind, Kind::Texts | Kind::Records) { json!([]) } else { json!("") };
                let mut given = required.clone();
                given[field.name] = empty.clone();
                let (got, place) =
                    (read(operation.name, &given), format!("{} {}", operation.name, field.name));
                match field.empty {
                    Empty::Absent => {
                        assert_eq!(got.as_ref(), Ok(&without), "{place}");
                        absent += 1;
                    }
                    Empty::Value => assert_eq!(got.unwrap()[field.name], empty, "{place}"),
                    Empty::Refused => {
                        let Err(Reason::Arguments(problems)) = got else { panic!("{place}: {got:?}") };
                        assert!(matches!(&problems[..], [ArgumentProblem::Empty { .. }]), "{place}");
                        refused += 1;
                    }
                }
                // A lost condition or selection never means that there was none.
                let weakens =
                    matches!(field.name, "if_match" | "if_none_match" | "ids" | "before" | "confirm")
                        || !operation.read_only
                            && matches!(
                                field.name,
                                "glob" | "lines" | "section" | "path" | "id" | "to" | "include" | "exclude"
                            );
                assert!(!weakens || field.empty == Empty::Refused, "{place}");
            }
        }
        assert!(absent > 10 && refused > 20, "{absent} {refused}");
    }
}
