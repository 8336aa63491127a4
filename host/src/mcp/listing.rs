//! The tool list: all that a model needs for calls, in few words.

use std::mem::take;
use std::sync::Arc;

use fsgate_compat::lean;
use fsgate_contract::types::Code;
use fsgate_text::excerpt::in_backticks;
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::{OPERATIONS, Operation};

pub(super) fn tool(operation: &Operation, output_schema: bool) -> Tool {
    let tool = Tool::new(
        operation.name,
        brief(operation.description),
        Arc::new(slim(parse(operation.input_schema), lean::is_tool(operation))),
    )
    .with_annotations(annotations(operation));
    if output_schema {
        tool.with_raw_output_schema(Arc::new(answer(parse(operation.outcome_schema))))
    } else {
        tool
    }
}

/// A description with one line per paragraph.
pub(super) fn joined(description: &str) -> String {
    description.replace('\n', " ").replace("  ", "\n")
}

/// The first paragraph, and the first sentence of each other one. The pages of the tools have all.
fn brief(description: &str) -> String {
    let joined = joined(description);
    let mut paragraphs = joined.split('\n');
    let first = paragraphs.next().map(str::to_owned);
    first
        .into_iter()
        .chain(paragraphs.map(|more| first_sentence(more).to_owned()))
        .collect::<Vec<_>>()
        .join("\n")
}

fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}

/// The schema of outcomes and errors: some clients validate errors too.
fn answer(mut outcome: Map<String, Value>) -> Map<String, Value> {
    let required = outcome.shift_remove("required").unwrap_or_else(|| json!([]));
    outcome
        .insert("anyOf".to_owned(), json!([{ "required": required }, { "required": ["code", "message"] }]));
    outcome
}

fn annotations(operation: &Operation) -> ToolAnnotations {
    let annotations = ToolAnnotations::new().read_only(operation.read_only).open_world(false);
    if operation.read_only {
        // The other hints concern changes.
        annotations
    } else {
        annotations.destructive(operation.destructive).idempotent(operation.idempotent)
    }
}

/// Removes an argument that models may not set.
pub(super) fn leave_out(tool: &mut Tool, argument: &str) {
    let properties = |schema: &Map<String, Value>| schema.get("properties")?.get(argument).cloned();
    if properties(&tool.input_schema).is_some()
        && let Some(properties) =
            Arc::make_mut(&mut tool.input_schema).get_mut("properties").and_then(Value::as_object_mut)
    {
        properties.shift_remove(argument);
    }
}

/// Removes sentences about tools that are not served, and spells other names as this server does.
pub(super) fn name_served(tool: &mut Tool, is_served: impl Fn(&str) -> bool) {
    let mut arguments = Vec::new();
    add_arguments(&tool.input_schema, &mut arguments);
    let is_foreign = |name: &str| {
        let is_word = Code::NAMES.contains(&name) || arguments.iter().any(|argument| argument == name);
        !is_word && Operation::find(name).is_some() && !is_served(name)
    };
    // Without a description a model can only guess.
    let served = |text: &str| {
        let about = about_served(text, &is_foreign);
        if about.is_empty() { first_words(text, &is_foreign) } else { about }
    };
    if let Some(description) = &mut tool.description {
        *description = served(description).into();
    }
    let mut schema = Value::Object(take(Arc::make_mut(&mut tool.input_schema)));
    each_description(&mut schema, &served);
    if let Value::Object(schema) = schema {
        tool.input_schema = Arc::new(schema);
    }
}

/// Adds the names of arguments, also of those in items.
fn add_arguments(schema: &Map<String, Value>, names: &mut Vec<String>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, below) in properties.into_iter().flatten() {
        names.push(name.clone());
        if let Some(items) = below.get("items").and_then(Value::as_object) {
            add_arguments(items, names);
        }
    }
}

/// The first clause of a text if it names no tool that is not served, else the first sentence with
/// those names as plain words.
fn first_words(text: &str, is_foreign: &impl Fn(&str) -> bool) -> String {
    let sentence = text.split(". ").next().unwrap_or_default().trim_end_matches('.');
    match sentence.split_once(", ") {
        Some((clause, _)) if !in_backticks(clause).any(is_foreign) => format!("{clause}."),
        _ => {
            let names = in_backticks(sentence).filter(|name| is_foreign(name));
            names.fold(format!("{sentence}."), |text, name| text.replace(&format!("`{name}`"), name))
        }
    }
}

fn about_served(text: &str, is_foreign: &impl Fn(&str) -> bool) -> String {
    let called = OPERATIONS.iter().filter(|operation| operation.name.contains('_'));
    let text = called.fold(text.to_owned(), |text, operation| {
        text.replace(&format!("`{}`", operation.name.replace('_', "-")), &format!("`{}`", operation.name))
    });
    let remaining = |paragraph: &str| {
        let sentences = paragraph.split_inclusive(". ");
        let remaining: String =
            sentences.filter(|sentence| !in_backticks(sentence).any(is_foreign)).collect();
        remaining.trim_end().to_owned()
    };
    let paragraphs: Vec<_> =
        text.split('\n').map(remaining).filter(|paragraph| !paragraph.is_empty()).collect();
    paragraphs.join("\n")
}

fn each_description(schema: &mut Value, change: &impl Fn(&str) -> String) {
    match schema {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == "description" => *text = change(text),
                    value => each_description(value, change),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_description(item, change)),
        _ => {}
    }
}

pub(super) fn parse(schema: &str) -> Map<String, Value> {
    // Generated from the contract; a test parses every one.
    serde_json::from_str(schema).unwrap_or_default()
}

/// Removes keywords that interfaces of some models refuse. The table of fields still checks each
/// call.
pub(super) fn plain(schema: &mut Map<String, Value>) {
    for keyword in ["additionalProperties", "contentEncoding"] {
        schema.shift_remove(keyword);
    }
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for below in properties.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
        plain(below);
    }
    if let Some(items) = schema.get_mut("items").and_then(Value::as_object_mut) {
        plain(items);
    }
}

/// Arguments that few calls need, and that answers name where a call needs them. A call may have
/// them all the same. Long calls run in chunks, and can be cancelled.
const UNLISTED: [&str; 8] = [
    "backup",
    "delimiter",
    "encoding",
    "escaped",
    "exact_line_ends",
    "if_none_match",
    "max_millis",
    "with_etag",
];

/// Arguments that mean the same in every tool.
const ALIKE: [(&str, &str); 5] = [
    ("cursor", "`next_cursor` of an answer."),
    ("diff", "Show a unified diff."),
    ("dry_run", "Check everything, and change nothing."),
    ("if_match", "Tag that the file must have."),
    ("parents", "Make missing parent directories."),
];

/// Removes examples, type bounds, `false` defaults, and [`UNLISTED`] arguments. A tool of the lean
/// set has its own words.
fn slim(mut schema: Map<String, Value>, is_lean: bool) -> Map<String, Value> {
    schema.shift_remove("examples");
    plain(&mut schema);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| !UNLISTED.contains(&&**name));
        for (name, property) in properties {
            let Some(property) = property.as_object_mut() else { continue };
            if let Some((_, alike)) = ALIKE.iter().find(|(alike, _)| alike == name && !is_lean) {
                property.insert("description".to_owned(), (*alike).into());
            } else if let Some(Value::String(text)) = property.get_mut("description") {
                text.truncate(first_sentence(text).len());
            }
            if property.get("default") == Some(&Value::Bool(false)) {
                property.shift_remove("default");
            }
            bounds(property);
            if let Some(Value::Object(items)) = property.get_mut("items") {
                bounds(items);
                slim_items(items);
            }
        }
    }
    schema
}

fn slim_items(items: &mut Map<String, Value>) {
    let properties = items.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(|properties| properties.values_mut()) {
        let Some(property) = property.as_object_mut() else { continue };
        if property.get("default") == Some(&Value::Bool(false)) {
            property.shift_remove("default");
        }
        bounds(property);
    }
}

/// Removes the bounds that the number's type has anyway. A client that fills in every argument
/// needs the others.
fn bounds(schema: &mut Map<String, Value>) {
    if schema.get("minimum").and_then(Value::as_u64) == Some(0) {
        schema.shift_remove("minimum");
    }
    if schema.get("maximum").and_then(Value::as_u64) == Some(u64::from(u32::MAX)) {
        schema.shift_remove("maximum");
    }
}

#[cfg(test)]
mod tests {
    use fsgate_contract::FRONT_ENDS;

    use super::super::ToolSet;
    use super::*;

    /// Bytes of a tool list in JSON, as a client gets it.
    fn listed(tools: &str, output_schemas: bool) -> usize {
        let tools: ToolSet = tools.parse().unwrap();
        let tools: Vec<_> =
            tools.operations(true).unwrap().iter().map(|operation| tool(operation, output_schemas)).collect();
        serde_json::to_vec(&tools).unwrap().len()
    }

    /// The tokens of the lists without schemas of outcomes have a test of their own.
    #[test]
    fn the_list_with_schemas_of_outcomes_is_bounded() {
        let bytes = listed("all", true);
        assert!(bytes <= 127_000, "{bytes} bytes");
    }

    /// The keywords of a schema, at any depth.
    fn keywords(schema: &Value, found: &mut Vec<String>) {
        for (keyword, below) in schema.as_object().into_iter().flatten() {
            found.push(keyword.clone());
            match (&**keyword, below) {
                ("properties", Value::Object(properties)) => {
                    properties.values().for_each(|property| keywords(property, found));
                }
                ("items", below) => keywords(below, found),
                _ => {}
            }
        }
    }

    #[test]
    fn a_schema_has_plain_keywords_alone() {
        let operations = OPERATIONS.iter().map(|operation| tool(operation, false));
        let tools = operations.chain(FRONT_ENDS.iter().map(super::super::front_ends::tool));
        let mut found = Vec::new();
        tools.for_each(|tool| keywords(&Value::Object((*tool.input_schema).clone()), &mut found));
        found.sort();
        found.dedup();
        let known = [
            "default",
            "description",
            "enum",
            "items",
            "maxItems",
            "maximum",
            "minItems",
            "minimum",
            "properties",
            "required",
            "type",
        ];
        found.retain(|keyword| !known.contains(&&**keyword));
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn no_text_names_a_tool_that_is_not_served() {
        let sets =
            [("core", true), ("all", true), ("read-only", true), ("read,delete", true), ("core", false)];
        let alone = OPERATIONS.iter().map(|operation| (operation.name, true));
        for (set, writable) in sets.into_iter().chain(alone) {
            let tools = set.parse::<ToolSet>().unwrap().operations(writable).unwrap();
            let is_served = |name: &str| tools.iter().any(|operation| operation.name == name);
            for operation in &tools {
                let mut tool = tool(operation, false);
                name_served(&mut tool, is_served);
                assert!(tool.description.as_ref().is_some_and(|text| text.ends_with('.')), "{tool:?}");
                let text = serde_json::to_string(&tool).unwrap();
                let empty = json!({ "description": "" }).to_string();
                assert!(!text.contains(empty.trim_matches(['{', '}'])), "{set}: {text}");
                for other in OPERATIONS.iter().filter(|other| !is_served(other.name)) {
                    let mut fields =
                        operation.fields.iter().flat_map(|field| [field].into_iter().chain(field.fields));
                    let is_argument = fields.any(|field| field.name == other.name);
                    let is_named = text.contains(&format!("`{}`", other.name));
                    let is_word = is_argument || Code::NAMES.contains(&other.name);
                    assert!(!is_named || is_word, "{set}: {} names {}: {text}", operation.name, other.name);
                    let kebab = other.name.replace('_', "-");
                    assert!(kebab == other.name || !text.contains(&format!("`{kebab}`")), "{set}: {text}");
                }
            }
        }
    }

    #[test]
    fn sentences_about_other_tools_go() {
        let is_foreign = |name: &str| name == "redo" || name == "delete_directory";
        for (text, expected) in [
            ("One. `redo` does more. Two.", "One. Two."),
            ("One. `redo` does more.", "One."),
            ("One.\n`redo` does more.\nTwo, as `undo`.", "One.\nTwo, as `undo`."),
            ("Directories need `delete-directory`.", ""),
        ] {
            assert_eq!(about_served(text, &is_foreign), expected);
        }
    }

    #[test]
    fn an_argument_keeps_its_first_words() {
        let is_foreign = |name: &str| ["undo", "replace_all"].contains(&name);
        for (text, expected) in [
            ("Take `old` as a pattern, as `replace_all` does. Default: no.", "Take `old` as a pattern."),
            ("The `undo` to take back, by its own id.", "The undo to take back, by its own id."),
            ("Take back an `undo` of another session, too.", "Take back an undo of another session, too."),
        ] {
            assert_eq!(first_words(text, &is_foreign), expected);
        }
    }

    #[test]
    fn an_argument_can_be_left_out() {
        let mut tool = tool(Operation::find("delete").unwrap(), false);
        let before = tool.clone();
        leave_out(&mut tool, "nothing");
        assert_eq!(tool.input_schema, before.input_schema);
        leave_out(&mut tool, "keep");
        assert!(tool.input_schema["properties"].get("keep").is_none());
        assert!(tool.input_schema["properties"].get("path").is_some());
    }

    #[test]
    fn a_schema_keeps_what_it_says() {
        let operation = Operation::find("read").unwrap();
        let full = parse(operation.input_schema);
        let slim = slim(full.clone(), false);
        assert_eq!(slim["required"], full["required"]);
        let names = |schema: &Map<String, Value>| {
            schema["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
        };
        let listed = names(&full).into_iter().filter(|name| !UNLISTED.contains(&&**name));
        assert_eq!(names(&slim), listed.collect::<Vec<_>>());
        assert_eq!(slim["properties"]["max_bytes"]["default"], 40_000);
        assert_eq!(
            slim["properties"]["max_bytes"]["description"],
            "Largest number of bytes of content to show."
        );
        assert!(!parse(operation.outcome_schema).is_empty());
    }
}
