//! The catalogue as a client lists it: all that a model needs to call a tool, and no word twice.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::{OPERATIONS, Operation};

/// A tool of the catalogue.
pub(super) fn tool(operation: &Operation, output_schema: bool) -> Tool {
    let tool = Tool::new(
        operation.name,
        joined(operation.description),
        Arc::new(slim(parse(operation.input_schema))),
    )
    .with_annotations(annotations(operation));
    if output_schema {
        tool.with_raw_output_schema(Arc::new(answer(parse(operation.outcome_schema))))
    } else {
        tool
    }
}

/// A description with each paragraph in one line.
pub(super) fn joined(description: &str) -> String {
    description.replace('\n', " ").replace("  ", "\n")
}

/// The schema of what an answer has as data: an outcome or an error, which some clients check like an outcome.
fn answer(mut outcome: Map<String, Value>) -> Map<String, Value> {
    let required = outcome.shift_remove("required").unwrap_or_else(|| json!([]));
    outcome
        .insert("anyOf".to_owned(), json!([{ "required": required }, { "required": ["code", "message"] }]));
    outcome
}

fn annotations(operation: &Operation) -> ToolAnnotations {
    let annotations = ToolAnnotations::new().read_only(operation.read_only).open_world(false);
    if operation.read_only {
        // The other hints are about what a tool changes.
        annotations
    } else {
        annotations.destructive(operation.destructive).idempotent(operation.idempotent)
    }
}

/// Takes an argument out of a tool's schema: one that is not for the model to give.
pub(super) fn leave_out(tool: &mut Tool, argument: &str) {
    let properties = |schema: &Map<String, Value>| schema.get("properties")?.get(argument).cloned();
    if properties(&tool.input_schema).is_some()
        && let Some(properties) =
            Arc::make_mut(&mut tool.input_schema).get_mut("properties").and_then(Value::as_object_mut)
    {
        properties.shift_remove(argument);
    }
}

pub(super) fn parse(schema: &str) -> Map<String, Value> {
    // Made by this build from the contract; a test reads every one.
    serde_json::from_str(schema).unwrap_or_default()
}

/// Takes keywords out of a schema that some models' interfaces refuse. The table of fields still
/// checks each call.
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

/// Tools with an argument of one name from which on it is told in one sentence: a model reads it that often.
const SHARED: usize = 3;

/// The schema without what says nothing: bounds of the type, defaults that are what one expects, examples.
fn slim(mut schema: Map<String, Value>) -> Map<String, Value> {
    schema.shift_remove("examples");
    plain(&mut schema);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        // Long calls are made in slices anyway, and can be cancelled.
        properties.shift_remove("max_millis");
        for (name, property) in properties {
            let Some(property) = property.as_object_mut() else { continue };
            let tools = OPERATIONS.iter().filter(|tool| tool.fields.iter().any(|field| field.name == name));
            if tools.count() >= SHARED
                && let Some(Value::String(text)) = property.get_mut("description")
                && let Some(end) = text.find(". ")
            {
                text.truncate(end + 1);
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

/// The same of the objects in a list.
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

fn bounds(schema: &mut Map<String, Value>) {
    if schema.get("minimum").and_then(Value::as_u64).is_some_and(|least| least <= 1) {
        schema.shift_remove("minimum");
    }
    if schema.get("minItems").and_then(Value::as_u64).is_some_and(|least| least <= 1) {
        schema.shift_remove("minItems");
    }
    if schema.get("maximum").and_then(Value::as_u64) == Some(u64::from(u32::MAX)) {
        schema.shift_remove("maximum");
    }
}

#[cfg(test)]
mod tests {
    use fsgate_core::contract::FRONT_ENDS;

    use super::super::ToolSet;
    use super::*;

    /// Bytes of a whole list in JSON, as a client gets it.
    fn listed(tools: &str, output_schemas: bool) -> usize {
        let tools: ToolSet = tools.parse().unwrap();
        let tools: Vec<_> =
            tools.operations(true).unwrap().iter().map(|operation| tool(operation, output_schemas)).collect();
        serde_json::to_vec(&tools).unwrap().len()
    }

    /// What a model pays for the list in every session: about a token for four bytes.
    #[test]
    fn the_list_is_small() {
        for (tools, output_schemas, most) in
            [("core", false, 29_000), ("all", false, 50_000), ("all", true, 135_000)]
        {
            let bytes = listed(tools, output_schemas);
            assert!(bytes <= most, "{tools}: {bytes} bytes");
        }
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
        let slim = slim(full.clone());
        assert_eq!(slim["required"], full["required"]);
        let names = |schema: &Map<String, Value>| {
            schema["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(names(&slim), names(&full));
        assert_eq!(slim["properties"]["max_bytes"]["default"], 40_000);
        assert_eq!(
            slim["properties"]["max_bytes"]["description"],
            "Largest number of bytes of content to show."
        );
        assert!(!parse(operation.outcome_schema).is_empty());
    }
}
