//! A small contract, written down.

use super::*;

const WIT: &str = "package a:b@0.1.0;
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
        /// An error.
        record error {
            /// Code.
            code: code,
        }
    }
    /// More.
    interface look-types {
        /// Arguments.
        record look-args {
            /// Where \"exactly\".
            path: string,
            /// How much.
            /// @default 7
            /// @agent-default 5
            /// @range 1..=9
            max-bytes: option<u32>,
            /// What between.
            /// @default \": \"
            delimiter: option<string>,
            /// Names.
            /// @default none every name
            /// @range 1..=3
            %include: option<list<string>>,
            /// How.
            /// @default \"two_more\"
            mode: option<mode>,
            /// Places.
            /// @default none no place
            /// @range 1..=5
            places: option<list<place>>,
        }
        /// A place.
        record place {
            /// Line.
            /// @default 3
            /// @range 2..=8
            line: option<u32>,
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
        /// Looks.
        /// @annotation read-only
        /// @example {\"path\": \"a\"}
        look: func(args: look-args) -> result<look-outcome, error>;
    }";

#[test]
fn writes_types_defaults_ranges_flags_and_dispatch() {
    let source = source(&Contract::parse(WIT).unwrap()).unwrap();
    for expected in [
        "pub mod look_types {",
        "pub struct LookArgs {",
        "pub max_bytes: Option<u32>,",
        "pub type Lines = Vec<u32>;",
        "Many(super::types::Lines),",
        "\"many\" => Self::Many(raw.lines.ok_or_else(",
        "pub fn max_bytes(&self) -> u32 { self.max_bytes.unwrap_or(7) }",
        "pub fn delimiter(&self) -> &str { self.delimiter.as_deref().unwrap_or(\": \") }",
        "!(1..=9).contains(value)",
        "impl Arguments for look_types::LookArgs {",
        "const INTERFACE: &'static str = \"look\";\n        const READ_ONLY: bool = true;",
        "pub const MAX_BYTES_HIGH: u32 = 9;",
        "#[serde(flatten)]\npub code: super::types::Code,",
        "kind: Kind::Integer, required: false, default: Some(\"7\")",
        "agent_default: Some(\"5\"), range: Some((1, 9))",
        "pub include: Option<Vec<String>>,",
        "self.include.as_ref().map(|items| items.len() as u64)",
        "kind: Kind::Texts, required: false, default: None,",
        "pub fn mode(&self) -> look_types::Mode { self.mode.unwrap_or(look_types::Mode::TwoMore) }",
        "kind: Kind::Choice, required: false, default: Some(\"\\\"two_more\\\"\")",
        "0 => Self::One,\n_ => Self::TwoMore,",
        "choices: &[\"one\", \"two_more\"]",
        "#[derive(Default)]\n#[serde(deny_unknown_fields)]\n#[cfg_attr(feature = \"host\", derive(\
         wasmtime::component::ComponentType, wasmtime::component::Lift, wasmtime::component::Lower))]\n\
         #[cfg_attr(feature = \"host\", component(record))]\npub struct Place {",
        ".chain(self.places.iter().flatten().enumerate().flat_map(|(number, item)| {",
        "pub fn line(&self) -> u32 { self.line.unwrap_or(3) }",
        "Misfit { field: format!(\"{at}.line\"), items: false, value, low: 2, high: 8 }",
        "kind: Kind::Records, required: false, default: None,",
        r#"#[doc = " Where \"exactly\"."]"#,
        "macro_rules! for_each_operation",
    ] {
        assert!(source.contains(expected), "{expected} is not in\n{source}");
    }
}

#[test]
fn names_follow_the_conventions_of_their_tongue() {
    assert_eq!(
        (snake("read-numbered-args"), camel("read-numbered-args")),
        ("read_numbered_args".into(), "ReadNumberedArgs".into())
    );
}
