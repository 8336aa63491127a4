//! What a contract may say, and what is refused.

use super::*;

/// A package with one operation; `field` is the text of one more field of its arguments, `tags` its tags.
fn package(field: &str, tags: &str) -> Result<Contract> {
    Contract::parse(&format!(
        "package a:b@0.1.0;
        /// Types.
        interface types {{
            /// Why.
            variant code {{
                /// One.
                one,
            }}
            /// An error.
            record error {{
                /// Code.
                code: code,
            }}
        }}
        /// More types.
        interface look-types {{
            use types.{{code}};
            /// How.
            enum mode {{
                /// One.
                one,
                /// Two.
                two-more,
            }}
            /// Arguments.
            record look-args {{
                /// Where.
                path: string,
                {field}
            }}
            /// A place.
            record place {{
                /// Line.
                /// @default 1
                /// @range 1..=9
                line: option<u32>,
            }}
            /// A place that says too little.
            record silent {{
                /// Line.
                line: option<u32>,
            }}
            /// A place that has others.
            record nested {{
                /// Lines.
                lines: list<u32>,
            }}
            /// A place that agents see in another way.
            record split {{
                /// Line.
                /// @default 1
                /// @agent-default 2
                line: option<u32>,
            }}
            /// Outcome.
            record look-outcome {{
                /// What.
                code: code,
            }}
        }}
        interface look {{
            use types.{{error}};
            use look-types.{{look-args, look-outcome}};
            /// Looks.
            {tags}
            look: func(args: look-args) -> result<look-outcome, error>;
        }}"
    ))
}

#[test]
fn finds_operations_and_resolves_uses_to_where_they_are_defined() {
    let contract = package("", "/// @annotation read-only").unwrap();
    assert_eq!(contract.operations.len(), 1);
    let outcome = contract.fields(&contract.operations[0].outcome).unwrap();
    assert_eq!(outcome[0].ty, Type::Named { module: "types".to_owned(), name: "code".to_owned() });
    let used = contract.modules.iter().find(|m| m.name == "look-types").unwrap();
    assert_eq!(used.types.len(), 7, "a used type is not defined again: {used:?}");
}

#[test]
fn takes_lists_of_texts_and_of_records_and_enums_as_arguments() {
    for field in [
        "/// More.\n/// @default none all of them\n/// @range 1..=3\nmore: option<list<place>>,",
        "/// More.\nmore: list<place>,",
        "/// More.\n/// @default none all of them\nmore: option<list<string>>,",
        "/// More.\n/// @default \"two_more\"\n/// @agent-default \"one\"\nmore: option<mode>,",
        "/// More.\nmore: mode,",
    ] {
        package(field, "/// @annotation read-only").unwrap();
    }
}

#[test]
fn refuses_a_contract_that_leaves_something_unsaid() {
    let annotation = "/// @annotation read-only";
    for (field, tags, message) in [
        ("", "", "no `@annotation`"),
        ("/// More.\nmore: option<u32>,", annotation, "without `@default`"),
        ("more: u32,", annotation, "no documentation"),
        ("/// More.\n/// @default 1\nmore: u32,", annotation, "not an option"),
        ("/// More.\n/// @default \"\"\n/// @range 1..=2\nmore: option<string>,", annotation, "no number"),
        (
            "/// More.\n/// @default []\nmore: option<list<string>>,",
            annotation,
            "optional list with a default value",
        ),
        ("/// More.\n/// @default \"three\"\nmore: option<mode>,", annotation, "none of its cases"),
        ("/// More.\n/// @default 1\nmore: option<mode>,", annotation, "none of its cases"),
        (
            "/// More.\n/// @default \"one\"\n/// @agent-default \"three\"\nmore: option<mode>,",
            annotation,
            "none of its cases",
        ),
        ("/// More.\nmore: list<silent>,", annotation, "`line` in `more` of `look` is an option without"),
        ("/// More.\nmore: list<nested>,", annotation, "`lines` in `more` of `look` is a list in a list"),
        ("/// More.\nmore: list<split>,", annotation, "has a default for agents"),
        ("/// More.\nmore: f32,", annotation, "not a type of the contract"),
        ("/// More.\nmore: tuple<u32, u32>,", annotation, "tuple"),
    ] {
        let error = format!("{:#}", package(field, tags).unwrap_err());
        assert!(error.contains(message), "{field} {tags}: {error}");
    }
}
