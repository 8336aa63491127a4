//! The operations as functions of a world, each argument a parameter. Some hosts make a tool of
//! every exported function and show no other documentation, so parameters are described there too.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::model::{Contract, Field, Operation, Shape, Type};
use crate::rust::{camel, outside, snake};
use crate::tags::Default;

/// WIT's keywords among field names.
const KEYWORDS: [&str; 8] = ["as", "enum", "from", "import", "include", "record", "type", "use"];

/// The component's section for documentation.
pub const SECTION: &str = "package-docs";

/// The package with the world.
pub fn wit(contract: &Contract) -> Result<String> {
    let mut out = String::from(
        "/// The operations of `fsgate:tools` as functions of the world, each argument a parameter, for hosts that make a tool of every function
/// that a world exports. Made from `wit/` by `make reference`, and kept true by a test.
package fsgate:flat@0.1.0;

world flat {
",
    );
    let mut used = BTreeMap::<String, BTreeSet<String>>::new();
    let mut functions = String::new();
    for operation in &contract.operations {
        for line in documentation(contract, operation)?.lines() {
            functions.push_str(format!("    /// {line}").trim_end());
            functions.push('\n');
        }
        writeln!(functions, "    export {}: func(", operation.name)?;
        for field in contract.fields(&operation.args)? {
            let name = &field.name;
            let mark = if KEYWORDS.contains(&&name[..]) { "%" } else { "" };
            writeln!(functions, "        {mark}{name}: {},", wit_type(contract, &field.ty, &mut used)?)?;
        }
        let outcome = wit_type(contract, &operation.outcome, &mut used)?;
        let error = wit_type(contract, &error(), &mut used)?;
        writeln!(functions, "    ) -> result<{outcome}, {error}>;\n")?;
    }
    for (module, names) in used {
        let names: Vec<_> = names.into_iter().collect();
        writeln!(out, "    use fsgate:tools/{module}@0.1.0.{{{}}};", names.join(", "))?;
    }
    out.push('\n');
    out.push_str(functions.trim_end());
    out.push_str("\n}\n");
    Ok(out)
}

/// The functions of `Component` in Rust, with the crate `contract` and the function `session` in
/// scope.
pub fn source(contract: &Contract) -> Result<String> {
    let mut out = String::from("impl crate::bindings::Guest for Component {\n");
    for operation in &contract.operations {
        let name = snake(&operation.name);
        // A keyword of Rust.
        let function = if name == "move" { "move_" } else { &name };
        let (mut parameters, mut fields) = (String::new(), String::new());
        for field in contract.fields(&operation.args)? {
            let name = snake(&field.name);
            write!(parameters, "{name}: {}, ", rust_type(&field.ty))?;
            match &field.docs.agent_default {
                Some(value) => {
                    write!(fields, "{name}: {name}.or(Some({})), ", constant(contract, field, value)?)?;
                }
                None => write!(fields, "{name}, ")?,
            }
        }
        writeln!(
            out,
            "fn {function}({parameters}) -> Result<contract::{}, contract::{}> {{
                let args = contract::{} {{ {fields} }};
                session(|session| contract::Callable::on(&args, session))
            }}",
            outside(&operation.outcome),
            outside(&error()),
            outside(&operation.args),
        )?;
    }
    out.push_str("}\n");
    Ok(out)
}

/// The section `package-docs` of the component. Components do not keep a world's name: readers look
/// for `root`.
pub fn section(contract: &Contract) -> Result<Vec<u8>> {
    let mut functions = serde_json::Map::new();
    for operation in &contract.operations {
        functions.insert(operation.name.clone(), json!({ "docs": documentation(contract, operation)? }));
    }
    let docs = json!({ "worlds": { "root": { "func_exports": functions } } });
    // The format's version.
    let mut section = vec![1];
    section.extend(docs.to_string().into_bytes());
    Ok(section)
}

/// A function's effect and its parameters, the only place that all hosts show.
pub fn documentation(contract: &Contract, operation: &Operation) -> Result<String> {
    let mut out =
        format!("{}\n\nParameters, of which those with a default may be null:\n", operation.docs.text);
    for field in contract.fields(&operation.args)? {
        write!(out, "- `{}`: {}", field.name, field.docs.text.replace('\n', " "))?;
        match (&field.docs.agent_default, &field.docs.default) {
            (Some(value), _) | (None, Some(Default::Value(value))) => {
                write!(out, " Default: `{}`.", plain(value))?;
            }
            (None, Some(Default::Meaning(meaning))) => write!(out, " Default: {meaning}.")?,
            (None, None) => {}
        }
        out.push('\n');
    }
    Ok(kebab(contract, out.trim_end()))
}

/// A default as a caller writes it, with cases in kebab-case.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| format!("\"{}\"", text.replace('_', "-")))
}

/// The text with names in kebab-case: documentation has JSON's.
fn kebab(contract: &Contract, text: &str) -> String {
    let mut known = BTreeSet::new();
    for operation in &contract.operations {
        known.insert(snake(&operation.name));
    }
    let types = contract.modules.iter().flat_map(|module| &module.types);
    for definition in types {
        match &definition.shape {
            Shape::Record(fields) => known.extend(fields.iter().map(|field| snake(&field.name))),
            Shape::Enum(cases) | Shape::Variant(cases) => {
                known.extend(cases.iter().map(|case| snake(&case.name)));
            }
            Shape::Alias(_) => {}
        }
    }
    // Every second piece is code.
    let pieces = text.split('`').enumerate().map(|(number, piece)| {
        if number % 2 == 1 && known.contains(piece) { piece.replace('_', "-") } else { piece.to_owned() }
    });
    pieces.collect::<Vec<_>>().join("`")
}

fn error() -> Type {
    Type::Named { module: "types".to_owned(), name: "error".to_owned() }
}

fn wit_type(contract: &Contract, ty: &Type, used: &mut BTreeMap<String, BTreeSet<String>>) -> Result<String> {
    Ok(match ty {
        Type::Bool => "bool".to_owned(),
        Type::Bytes => "list<u8>".to_owned(),
        Type::U32 => "u32".to_owned(),
        Type::U64 => "u64".to_owned(),
        Type::String => "string".to_owned(),
        Type::List(item) => format!("list<{}>", wit_type(contract, item, used)?),
        Type::Option(inner) => format!("option<{}>", wit_type(contract, inner, used)?),
        Type::Named { module, name } => {
            let definition = contract.definition(module, name);
            match &definition.with_context(|| format!("no type {module}.{name}"))?.shape {
                Shape::Alias(target) => return wit_type(contract, target, used),
                _ => used.entry(module.clone()).or_default().insert(name.clone()),
            };
            name.clone()
        }
    })
}

/// A type in Rust, beside `contract`.
fn rust_type(ty: &Type) -> String {
    match ty {
        Type::Bytes => "Vec<u8>".to_owned(),
        Type::List(item) => format!("Vec<{}>", rust_type(item)),
        Type::Option(inner) => format!("Option<{}>", rust_type(inner)),
        Type::Named { .. } => format!("contract::{}", outside(ty)),
        Type::Bool | Type::U32 | Type::U64 | Type::String => outside(ty),
    }
}

fn constant(contract: &Contract, field: &Field, value: &Value) -> Result<String> {
    match value {
        Value::Number(number) => Ok(number.to_string()),
        // It is one of the cases.
        Value::String(case) if contract.cases(&field.ty).is_some() => {
            Ok(format!("{}::{}", rust_type(field.ty.inner()), camel(&case.replace('_', "-"))))
        }
        _ => bail!("the default of `{}` for agents is neither a number nor a case", field.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIT: &str = r#"package a:b@0.1.0;
        /// Types.
        interface types {
            /// Where.
            type path = string;
            /// An error.
            record error {
                /// Code.
                message: string,
            }
        }
        /// More.
        interface look-types {
            use types.{path};
            /// Arguments.
            record look-args {
                /// Where.
                path: path,
                /// How much.
                /// @default 7
                /// @agent-default 5
                max-bytes: option<u32>,
                /// How, unless `max_bytes` says
                /// so.
                /// @default "one"
                /// @agent-default "two_more"
                %include: option<mode>,
                /// Places.
                /// @default none no place
                places: option<list<place>>,
            }
            /// A place.
            record place {
                /// Line.
                line: u32,
            }
            /// How.
            enum mode {
                /// One.
                one,
                /// Two.
                two-more,
            }
            /// Outcome.
            record look-outcome {
                /// What.
                content: string,
            }
        }
        interface look {
            use types.{error};
            use look-types.{look-args, look-outcome};
            /// Looks at `two_more`, not at `a_b`.
            /// @annotation read-only
            look: func(args: look-args) -> result<look-outcome, error>;
        }"#;

    #[test]
    fn every_field_is_a_parameter() {
        let contract = Contract::parse(WIT).unwrap();
        let wit = wit(&contract).unwrap();
        for expected in [
            "    use fsgate:tools/look-types@0.1.0.{look-outcome, mode, place};\n",
            "    use fsgate:tools/types@0.1.0.{error};\n",
            "    /// Looks at `two-more`, not at `a_b`.\n    ///\n    /// Parameters",
            "    export look: func(\n        path: string,\n        max-bytes: option<u32>,\n        %include: option<mode>,\n        \
             places: option<list<place>>,\n    ) -> result<look-outcome, error>;\n",
        ] {
            assert!(wit.contains(expected), "{expected} is not in\n{wit}");
        }
        let source = source(&contract).unwrap();
        for expected in [
            "fn look(path: contract::types::Path, max_bytes: Option<u32>, include: Option<contract::look_types::Mode>, \
             places: Option<Vec<contract::look_types::Place>>, ) -> \
             Result<contract::look_types::LookOutcome, contract::types::Error> {",
            "contract::look_types::LookArgs { path, max_bytes: max_bytes.or(Some(5)), \
             include: include.or(Some(contract::look_types::Mode::TwoMore)), places,  };",
            "contract::Callable::on(&args, session)",
        ] {
            assert!(source.contains(expected), "{expected} is not in\n{source}");
        }
    }

    #[test]
    fn parameters_are_told_with_what_null_stands_for() {
        let contract = Contract::parse(WIT).unwrap();
        let section = section(&contract).unwrap();
        let told: Value = serde_json::from_slice(&section[1..]).unwrap();
        assert_eq!(section[0], 1);
        assert_eq!(
            told["worlds"]["root"]["func_exports"]["look"]["docs"],
            "Looks at `two-more`, not at `a_b`.\n\nParameters, of which those with a default may be null:\n- `path`: Where.\n\
             - `max-bytes`: How much. Default: `5`.\n- `include`: How, unless `max-bytes` says so. Default: `\"two-more\"`.\n\
             - `places`: Places. Default: no place."
        );
    }
}
