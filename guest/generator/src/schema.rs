//! Records of a [`Contract`] as JSON Schema, in models' form.

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::model::{Case, Contract, Field, Operation, Shape, Type};
use crate::rust::snake;
use crate::tags;

/// The only list that is left out if empty.
pub const NOTES: &str = "notes";

/// Schema of arguments, with the defaults of `agent.call`. Unknown fields are refused.
pub fn arguments(contract: &Contract, operation: &Operation) -> Result<Value> {
    let mut schema = exactly(contract, &operation.args)?;
    schema["examples"] = json!(operation.docs.examples);
    Ok(schema)
}

/// Schema of a record of arguments without unknown fields.
pub fn exactly(contract: &Contract, args: &Type) -> Result<Value> {
    let mut schema = of(contract, args)?;
    let object = schema.as_object_mut().context("arguments are a record")?;
    object.insert("additionalProperties".to_owned(), Value::Bool(false));
    Ok(schema)
}

/// Schema of any type.
pub fn of(contract: &Contract, ty: &Type) -> Result<Value> {
    Ok(match ty {
        Type::Bool => json!({"type": "boolean"}),
        Type::Bytes => json!({"type": "string", "contentEncoding": "base64"}),
        Type::U32 => json!({"type": "integer", "minimum": 0, "maximum": u32::MAX}),
        Type::U64 => json!({"type": "integer", "minimum": 0}),
        Type::String => json!({"type": "string"}),
        Type::List(inner) => json!({"type": "array", "items": of(contract, inner)?}),
        Type::Option(inner) => of(contract, inner)?,
        Type::Named { module, name } => {
            let definition =
                contract.definition(module, name).with_context(|| format!("no type {module}.{name}"))?;
            match &definition.shape {
                Shape::Alias(target) => of(contract, target)?,
                Shape::Record(fields) => {
                    let mut schema = record(contract, fields)?;
                    if contract.is_argument_item(ty) {
                        schema["additionalProperties"] = Value::Bool(false);
                    }
                    schema
                }
                Shape::Enum(cases) => json!({"type": "string", "enum": names(cases)}),
                Shape::Variant(cases) => {
                    let mut properties = Map::new();
                    variant(contract, name, &definition.docs, cases, &mut properties)?;
                    json!({"type": "object", "properties": properties, "required": [snake(name)]})
                }
            }
        }
    })
}

/// Whether it is a variant, whose fields its record gets.
pub fn is_variant(contract: &Contract, ty: &Type) -> bool {
    let Type::Named { module, name } = ty else { return false };
    contract.definition(module, name).is_some_and(|d| matches!(d.shape, Shape::Variant(_)))
}

fn names(cases: &[Case]) -> Vec<String> {
    cases.iter().map(|case| snake(&case.name)).collect()
}

fn record(contract: &Contract, fields: &[Field]) -> Result<Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        let name = snake(&field.name);
        if let Type::Named { module, name: ty } = &field.ty
            && let Some(Shape::Variant(cases)) = contract.definition(module, ty).map(|d| &d.shape)
        {
            variant(contract, ty, &field.docs.text, cases, &mut properties)?;
            required.push(snake(ty));
            continue;
        }
        let mut schema = of(contract, &field.ty)?;
        if let Some(object) = schema.as_object_mut() {
            describe(object, field);
        }
        if !matches!(field.ty, Type::Option(_)) && name != NOTES {
            required.push(name.clone());
        }
        properties.insert(name, schema);
    }
    Ok(json!({"type": "object", "properties": properties, "required": required}))
}

fn describe(schema: &mut Map<String, Value>, field: &Field) {
    let docs = &field.docs;
    schema.insert("description".to_owned(), json!(docs.text.replace('\n', " ")));
    if let Some((low, high)) = docs.range {
        let [least, most] = if matches!(field.ty.inner(), Type::List(_)) {
            ["minItems", "maxItems"]
        } else {
            ["minimum", "maximum"]
        };
        schema.insert(least.to_owned(), json!(low));
        schema.insert(most.to_owned(), json!(high));
    }
    match (&docs.agent_default, &docs.default) {
        (Some(value), _) | (None, Some(tags::Default::Value(value))) => {
            schema.insert("default".to_owned(), value.clone());
        }
        (None, Some(tags::Default::Meaning(meaning))) => {
            schema.insert(
                "description".to_owned(),
                json!(format!("{} Default: {meaning}.", docs.text.replace('\n', " "))),
            );
        }
        (None, None) => {}
    }
}

fn variant(
    contract: &Contract,
    name: &str,
    docs: &str,
    cases: &[Case],
    properties: &mut Map<String, Value>,
) -> Result<()> {
    properties.insert(
        snake(name),
        json!({"type": "string", "enum": names(cases), "description": docs.replace('\n', " ")}),
    );
    for case in cases {
        if let Some(ty @ Type::Named { module, name: payload }) = &case.payload {
            let with = cases.iter().filter(|other| other.payload.as_ref() == Some(ty));
            let with: Vec<_> = with.map(|case| format!("`{}`", snake(&case.name))).collect();
            let docs = contract.definition(module, payload).map_or("", |definition| &definition.docs);
            let mut schema = of(contract, ty)?;
            if let Some(object) = schema.as_object_mut() {
                let docs = format!("With {}: {}", with.join(", "), docs.replace('\n', " "));
                object.insert("description".to_owned(), json!(docs));
            }
            properties.insert(snake(payload), schema);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_records_of_a_list_of_arguments_refuse_what_they_do_not_know() {
        let contract = Contract::parse(
            "package a:b@0.1.0;
            /// Types.
            interface look-types {
                /// Arguments.
                record look-args {
                    /// Places.
                    /// @default none every place
                    /// @range 1..=3
                    places: option<list<place>>,
                }
                /// A place.
                record place {
                    /// Where.
                    path: string,
                    /// Line.
                    /// @default 3
                    line: option<u32>,
                }
                /// Outcome.
                record look-outcome {
                    /// Lines.
                    lines: list<u32>,
                }
            }
            interface types {
                /// An error.
                record error {
                    /// Text.
                    text: string,
                }
            }
            interface look {
                use types.{error};
                use look-types.{look-args, look-outcome};
                /// Looks.
                /// @annotation read-only
                look: func(args: look-args) -> result<look-outcome, error>;
            }",
        )
        .unwrap();
        let schema = arguments(&contract, &contract.operations[0]).unwrap();
        assert_eq!(
            schema["properties"]["places"],
            json!({
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "path": {"type": "string", "description": "Where."},
                        "line": {"type": "integer", "minimum": 0, "maximum": u32::MAX, "description": "Line.", "default": 3},
                    },
                    "required": ["path"],
                    "additionalProperties": false,
                },
                "description": "Places. Default: every place.",
                "minItems": 1,
                "maxItems": 3,
            })
        );
    }

    #[test]
    fn describes_fields_with_defaults_ranges_and_flattened_variants() {
        let contract = Contract::parse(
            "package a:b@0.1.0;
            /// Types.
            interface types {
                /// Lines.
                type lines = list<u32>;
                /// Why.
                variant code {
                    /// Gone.
                    gone,
                    /// Many.
                    many(lines),
                }
                /// Modes.
                enum mode {
                    /// One.
                    one,
                    /// Two.
                    two-more,
                }
                /// A note.
                record error {
                    /// Why.
                    code: code,
                    /// How much.
                    /// @default 9
                    /// @agent-default 5
                    /// @range 1..=10
                    size: option<u32>,
                    /// Which.
                    /// @default none all of them
                    which: option<string>,
                    /// Names.
                    /// @default none every name
                    /// @range 1..=3
                    names: option<list<string>>,
                    /// How.
                    /// @default \"two_more\"
                    mode: option<mode>,
                    /// Notes.
                    notes: list<string>,
                }
            }",
        )
        .unwrap();
        let schema =
            of(&contract, &Type::Named { module: "types".to_owned(), name: "error".to_owned() }).unwrap();
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "code": {"type": "string", "enum": ["gone", "many"], "description": "Why."},
                    "lines": {
                        "type": "array",
                        "items": {"type": "integer", "minimum": 0, "maximum": u32::MAX},
                        "description": "With `many`: Lines."
                    },
                    "size": {"type": "integer", "minimum": 1, "maximum": 10, "description": "How much.", "default": 5},
                    "which": {"type": "string", "description": "Which. Default: all of them."},
                    "names": {
                        "type": "array",
                        "items": {"type": "string"},
                        "description": "Names. Default: every name.",
                        "minItems": 1,
                        "maxItems": 3
                    },
                    "mode": {
                        "type": "string",
                        "enum": ["one", "two_more"],
                        "description": "How.",
                        "default": "two_more"
                    },
                    "notes": {"type": "array", "items": {"type": "string"}, "description": "Notes."},
                },
                "required": ["code"]
            })
        );
    }
}
