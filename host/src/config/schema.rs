//! The table of keys as a JSON Schema, for editors.

use serde_json::{Map, Value as Json, json};

use super::keys::{KEYS, Key};
use super::value_type::{RecordField, ValueType};

/// The JSON Schema of a configuration file, for editors.
pub fn schema() -> Json {
    let mut properties = Map::new();
    for key in KEYS {
        place(&mut properties, key.name, described(key));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of fsgate",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

fn place(properties: &mut Map<String, Json>, name: &str, schema: Json) {
    match name.split_once('.') {
        None => drop(properties.insert(name.to_owned(), schema)),
        Some((table, rest)) => {
            let table = properties.entry(table).or_insert_with(
                || json!({"type": "object", "additionalProperties": false, "properties": {}}),
            );
            if let Some(below) = table["properties"].as_object_mut() {
                place(below, rest, schema);
            }
        }
    }
}

fn described(key: &Key) -> Json {
    let mut schema = of(key.kind);
    schema["description"] = key.meaning.into();
    let default = key.default_value();
    if !default.is_null() {
        schema["default"] = default;
    }
    schema
}

fn of(kind: ValueType) -> Json {
    match kind {
        ValueType::Text | ValueType::Checked(_) => json!({"type": "string"}),
        ValueType::Path | ValueType::PathOr(_) => json!({"type": "string", "minLength": 1}),
        ValueType::Truth => json!({"type": "boolean"}),
        ValueType::Number(least, u64::MAX) => json!({"type": "integer", "minimum": least}),
        ValueType::Number(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
        ValueType::Choice(words) => json!({"enum": words}),
        ValueType::Texts | ValueType::Patterns => json!({"type": "array", "items": {"type": "string"}}),
        ValueType::Records(fields) => json!({"type": "array", "items": record(fields)}),
    }
}

fn record(fields: &[RecordField]) -> Json {
    let mut properties = Map::new();
    for field in fields {
        let mut schema = of(field.kind);
        schema["description"] = field.meaning.into();
        properties.insert(field.name.to_owned(), schema);
    }
    let required: Vec<_> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    })
}
