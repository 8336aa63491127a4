//! JSON arguments as a command line: the inverse of [`arguments`](crate::arguments).

use fsgate_contract::{Kind, Operation};
use serde_json::{Map, Value};

use crate::flags::{is_on, is_positional, kebab, switch};

/// The words of a call, subcommand first; flags may follow. None if flags cannot express an
/// argument. Nulls and default switches are left out.
pub fn command_line(operation: &Operation, arguments: &Map<String, Value>) -> Option<Vec<String>> {
    if !arguments.keys().all(|name| operation.fields.iter().any(|field| field.name == name)) {
        return None;
    }
    let (mut alone, mut flags) = (Vec::new(), Vec::new());
    for field in operation.fields {
        let Some(value) = arguments.get(field.name).filter(|value| !value.is_null()) else {
            if field.required {
                return None;
            }
            continue;
        };
        let values = match field.kind {
            Kind::Boolean => {
                if value.as_bool()? != is_on(field) {
                    flags.push(format!("--{}", switch(field)));
                }
                continue;
            }
            Kind::Integer => {
                let number = value.as_u64()?;
                if !field.range.is_none_or(|(low, high)| (low..=high).contains(&number)) {
                    return None;
                }
                vec![number.to_string()]
            }
            Kind::Text => vec![value.as_str()?.to_owned()],
            Kind::Choice => vec![kebab(value.as_str().filter(|text| field.choices.contains(text))?)],
            Kind::Content => vec![literal(value.as_str()?)],
            // The call checks the items.
            Kind::Records => vec![value.as_array().map(|_| value.to_string())?],
            Kind::Bytes => vec![value.as_str().filter(|text| !text.starts_with(['-', '@']))?.to_owned()],
            // An empty optional list equals none.
            Kind::Texts if !field.required && value.as_array().is_some_and(Vec::is_empty) => continue,
            Kind::Texts => {
                let texts = value.as_array().filter(|texts| !texts.is_empty())?;
                texts.iter().map(|text| text.as_str().map(str::to_owned)).collect::<Option<_>>()?
            }
        };
        for value in values {
            let flag = format!("--{}", kebab(field.name));
            if is_positional(operation, field) {
                alone.push(value);
            } else if value.is_empty() || value.starts_with('-') {
                flags.push(format!("{flag}={value}"));
            } else {
                flags.extend([flag, value]);
            }
        }
    }
    let mut words = vec![kebab(operation.name)];
    if alone.iter().any(|word| word.starts_with('-')) {
        words.extend(flags);
        words.push("--".to_owned());
        words.extend(alone);
    } else {
        words.extend(alone);
        words.extend(flags);
    }
    // Programs cannot receive NUL.
    words.iter().all(|word| !word.contains('\0')).then_some(words)
}

/// A literal text where `-` and `@FILE` have meanings.
fn literal(text: &str) -> String {
    if text == "-" || text.starts_with('@') { format!("@@{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use fsgate_contract::OPERATIONS;
    use serde_json::json;

    use super::*;
    use crate::arguments::tests::typed;

    fn said(tool: &str, arguments: &Value) -> Option<String> {
        command_line(Operation::find(tool).unwrap(), arguments.as_object().unwrap())
            .map(|words| words.join(" "))
    }

    #[test]
    fn every_example_comes_back_from_its_words() {
        for operation in OPERATIONS {
            for example in operation.examples {
                let arguments: Value = serde_json::from_str(example).unwrap();
                let words = command_line(operation, arguments.as_object().unwrap()).unwrap();
                let words: Vec<_> = words.iter().map(String::as_str).collect();
                assert_eq!(typed(&words).unwrap(), arguments, "{words:?}");
            }
        }
    }

    #[test]
    fn what_looks_like_something_else_comes_back_as_it_was() {
        for (tool, arguments) in [
            ("create", json!({"path": "a", "content": "-"})),
            ("create", json!({"path": "-", "content": "@a"})),
            ("create", json!({"path": "--dir", "content": "@@a"})),
            ("create", json!({"path": "", "content": ""})),
            ("create", json!({"path": "a", "content": "--dir"})),
            ("create", json!({"path": "a", "content": "--"})),
            ("append", json!({"path": "a", "content": "=x", "separator": "-=-"})),
            ("read_many", json!({"paths": ["-a", "b", "--"], "joined": true})),
            ("replace", json!({"path": "a", "old": "-x", "new": "", "occurrence": 2})),
            ("read_numbered", json!({"path": "a", "lines": "-5", "delimiter": ""})),
            ("create", json!({"path": "a", "content": "x", "parents": false})),
            ("apply", json!({"edits": [{"path": "-", "content": "@a\n", "if_match": null}, 1]})),
            ("apply", json!({"edits": [], "diff": true})),
        ] {
            let words = command_line(Operation::find(tool).unwrap(), arguments.as_object().unwrap()).unwrap();
            let words: Vec<_> = words.iter().map(String::as_str).collect();
            assert_eq!(typed(&words).unwrap(), arguments, "{words:?}");
        }
    }

    #[test]
    fn what_flags_cannot_say_has_no_words() {
        for (tool, arguments) in [
            ("read", json!({})),
            ("read", json!({"path": null})),
            ("read", json!({"path": 1})),
            ("read", json!({"path": "a", "max_bytes": 0})),
            ("read", json!({"path": "a", "max_bytes": "1"})),
            ("read", json!({"path": "a", "skip_lines": -1})),
            ("read", json!({"path": "a", "nonsense": 1})),
            ("read", json!({"path": "a\u{0}"})),
            ("read_many", json!({"paths": []})),
            ("read_many", json!({"paths": ["a", 1]})),
            ("apply", json!({"edits": {}})),
            ("write_bytes", json!({"path": "a", "bytes": "@a"})),
            ("create", json!({"path": "a", "content": "x", "diff": "true"})),
        ] {
            assert_eq!(said(tool, &arguments), None, "{arguments}");
        }
        let same = json!({"path": "a", "content": "x", "parents": true, "diff": false, "dry_run": null});
        assert_eq!(said("create", &same).as_deref(), Some("create a --content x"));
    }
}
