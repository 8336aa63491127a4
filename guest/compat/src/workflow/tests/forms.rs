//! The syntax of texts: accepted, refused and rendered.

use proptest::prelude::*;
use serde_json::Value;

use super::run;
use crate::InJson;
use crate::workflow::front_matter::{parts, settings};
use crate::workflow::print::printed;
use crate::workflow::scan::{WorkflowBlock, blocks};
use fsgate_contract::limits::{FRONT_END_TEXT_BYTES, WORKFLOW_PARAMETERS};
use fsgate_fuzz::fuzz;

fn values(block: &WorkflowBlock) -> Vec<(String, String)> {
    let variable = |name: &str| (name == "v").then_some("{{x}} \\n");
    let filled = |(name, value): &(&str, crate::workflow::value::ParameterValue)| {
        let mut room = usize::MAX;
        ((*name).to_owned(), value.filled(variable, &mut room).unwrap())
    };
    block.values.iter().map(filled).collect()
}

#[test]
fn values_are_read() {
    for (lines, expected) in [
        ("", &[][..]),
        ("\n  \n", &[]),
        ("a: 1", &[("a", "1")]),
        ("a:1", &[("a", "1")]),
        ("\ta : true \r", &[("a", "true")]),
        ("a:", &[("a", "")]),
        ("a: ./x y: z", &[("a", "./x y: z")]),
        ("a: \"\"", &[("a", "")]),
        ("a: \"x\\n\\t\\\"\\\\\\u00e9\\/\ty\"", &[("a", "x\n\t\"\\é/\ty")]),
        ("a: \"\\ud83d\\ude00\"", &[("a", "😀")]),
        ("a: 'it''s \\n'", &[("a", "it's \\n")]),
        ("a: \"}} : |\"", &[("a", "}} : |")]),
        ("a: x{{v}}y", &[("a", "x{{x}} \\ny")]),
        ("a: \"é{{ v }}\\n\"", &[("a", "é{{x}} \\n\n")]),
        ("a: '{{v}}'", &[("a", "{{x}} \\n")]),
        ("a: \"\\u007b{v}}\"", &[("a", "{{v}}")]),
        ("a: |\n  one\n    two\n\n  }}\nb: 2", &[("a", "one\n  two\n\n}}\n"), ("b", "2")]),
        ("  a: |-\r\n    one\r\n\r\n    {{v}}\r\n\r\n  b: 2", &[("a", "one\n\n{{x}} \\n"), ("b", "2")]),
        ("a: |\nb: |-", &[("a", ""), ("b", "")]),
        ("a: |\n  {{invoke_tool: x\n  }}", &[("a", "{{invoke_tool: x\n}}\n")]),
    ] {
        let text = format!("{{{{invoke_tool: t\n{lines}\n}}}}");
        let [block] = &blocks(&text)[..] else { panic!("{lines}") };
        assert_eq!((&block.flaw, block.tool, block.at.clone()), (&None, "t", 0..text.len()), "{lines}");
        let expected: Vec<_> = expected.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        assert_eq!(values(block), expected, "{lines}");
    }
}

#[test]
fn blocks_are_found() {
    for (text, expected) in [
        ("", &[][..]),
        ("no {{invoke_tool: a\n}}", &[]),
        ("{{invoke_tool:a}}", &[("a", 1, "{{invoke_tool:a}}")]),
        ("\n  {{invoke_tool: a }} x\n", &[("a", 2, "{{invoke_tool: a }}")]),
        ("- {{x}}\n{{invoke_tool: a\r\n}} x }}", &[("a", 2, "{{invoke_tool: a\r\n}}")]),
        (
            "```\n{{invoke_tool: a\n  }}\n```\n{{invoke_tool: b\n}}",
            &[("a", 2, "{{invoke_tool: a\n  }}"), ("b", 5, "{{invoke_tool: b\n}}")],
        ),
        ("---\n{{invoke_tool: a\n}}\n---\n{{invoke_tool: b\n}}", &[("b", 5, "{{invoke_tool: b\n}}")]),
    ] {
        let found = blocks(text);
        let told: Vec<_> =
            found.iter().map(|block| (block.tool, block.line, &text[block.at.clone()])).collect();
        assert_eq!(told, expected, "{text}");
        assert!(found.iter().all(|block| block.flaw.is_none()));
    }
}

#[test]
fn mistakes_have_a_place() {
    let many: String = (0..=WORKFLOW_PARAMETERS).map(|number| format!("p{number}: 1\n")).collect();
    let many = format!("{{{{invoke_tool: a\n{many}}}}}");
    for (text, line, at, message) in [
        ("{{invoke_tool:\n}}", 1, 14, "a block begins with"),
        ("{{invoke_tool: a b\n}}", 1, 14, "a block begins with"),
        ("x\n{{invoke_tool: a\n x: 1", 2, 2, "the block has no end"),
        ("{{invoke_tool: a\n{{invoke_tool: b\n}}", 1, 0, "the block has no end"),
        ("{{invoke_tool: a\n  x\n}}", 2, 19, "a line of a block is a parameter"),
        ("{{invoke_tool: a\n  x-y: 1\n}}", 2, 19, "a line of a block is a parameter"),
        ("{{invoke_tool: a\nx: \"1\n}}", 2, 20, "the quoted value does not end on its line"),
        ("{{invoke_tool: a\nx: \"1\\\"\n}}", 2, 20, "the quoted value does not end on its line"),
        ("{{invoke_tool: a\nx: \"1\" 2\n}}", 2, 20, "there is something behind the quoted value"),
        ("{{invoke_tool: a\nx: \"C:\\dir\"\n}}", 2, 20, "the quoted value has an escape"),
        ("{{invoke_tool: a\nx: 'it's'\n}}", 2, 20, "the value in single quotes"),
        ("{{invoke_tool: a\nx: '\n}}", 2, 20, "the value in single quotes"),
        ("{{invoke_tool: a\nx: 1\nx: 2\ny\n}}", 3, 22, "the parameter `x` is there twice"),
        (&many, WORKFLOW_PARAMETERS + 2, many.len() - 9, "a block has at most 32 parameters"),
    ] {
        let found = blocks(text);
        let flaw = found[0].flaw.as_ref().unwrap_or_else(|| panic!("{text}"));
        assert_eq!((flaw.line, flaw.at), (line, at), "{text}");
        assert!(flaw.message.starts_with(message), "{}", flaw.message);
    }
}

#[test]
fn front_matter_is_told_from_the_rest() {
    for (text, yaml, body, is_open) in [
        ("", None, 0, false),
        ("a\n---\nb\n---\n", None, 0, false),
        ("---\na: 1\n---\nrest", Some("a: 1\n"), 13, false),
        ("---\r\na: 1\r\n...\r\n", Some("a: 1\r\n"), 16, false),
        ("\u{FEFF}---\na: 1\n---\n", Some("a: 1\n"), 16, false),
        ("---\n---\n", Some(""), 8, false),
        ("---\na\n", None, 0, false),
        ("---\ntool_configuration:\n", None, 0, true),
        ("----\na: 1\n---\n", None, 0, false),
        ("--- # x\na: 1\n---\n", Some("a: 1\n"), 17, false),
        ("---\ra: 1\r---\rrest", Some("a: 1\r"), 13, false),
        ("\n---\na: 1\n---\n", None, 0, false),
        ("\n \r\n---\ntool_configuration:\n---\n", Some("tool_configuration:\n"), 32, false),
        ("\n---\ntool_configuration:\n", None, 0, true),
        ("--- {tool_configuration: {}}\n---\n", None, 0, true),
        (" ---\ntool_configuration:\n---\n", None, 0, false),
        ("---\ntool\\u005fconfiguration:\n", None, 0, true),
        ("---\na: 1\n...\ntool_configuration:\n---\n", Some("a: 1\n"), 13, true),
        ("---\na: 1\n...\nb: 1\n\"tool\\x5Fconfiguration\" :\n", Some("a: 1\n"), 13, true),
        ("---\na: 1\n...\n\n---\ntool_configuration:\n---\n", Some("a: 1\n"), 13, true),
        ("---\na: 1\n...\nb: 1\n...\ntool_configuration:\n", Some("a: 1\n"), 13, true),
        // Any YAML may follow `...`.
        ("---\na: 1\n...\nText\n\n---\ntool_configuration:\n", Some("a: 1\n"), 13, true),
        ("---\na: 1\n...\n? tool_configuration # c\n: {}\n", Some("a: 1\n"), 13, true),
        ("---\na: 1\n... # x\n---\ntool_configuration:\n---\n", Some("a: 1\n"), 17, true),
        ("---\na: 1\n...\nText\n", Some("a: 1\n"), 13, false),
        ("---\na: 1\n...\nOf tool_configuration it says nothing.\n", Some("a: 1\n"), 13, true),
        ("---\na: 1\n---\nOf tool_configuration it says nothing.\n", Some("a: 1\n"), 13, false),
        ("---\na: 1\n---\ntool_configuration: a heading\n---\n", Some("a: 1\n"), 13, false),
        ("---\n# x\n\n---\ntool_configuration:\n---\n", Some("# x\n\n"), 13, true),
        ("--- !!map\ntool_configuration:\n---\n", None, 0, true),
        ("--- |\n a\n---\ntool_configuration:\n---\n", None, 0, true),
        ("--- a line\ntext\n", None, 0, false),
        ("----\ntool_configuration:\n---\n", None, 0, false),
    ] {
        let found = parts(text);
        assert_eq!((found.front_matter, found.body, found.is_open), (yaml, body, is_open), "{text}");
    }
    assert_eq!(settings("---\na: 1\n---\n"), None);
    let yaml = "a: 1\ntool_configuration:\n  file_system:\n    max_file_size: 1\n";
    assert_eq!(settings(&format!("---\n{yaml}---\ntext")), Some(yaml));
}

/// A YAML parser finds the key in these spellings, so they must be recognised.
#[test]
fn settings_are_found_by_each_of_their_spellings() {
    for (key, expected) in [
        ("tool_configuration", true),
        ("\"tool\\u005fconfiguration\"", true),
        ("\"\\x74ool_configuration\"", true),
        ("\"tool\\U0000005Fconfiguration\"", true),
        ("? \"tool_\\\n   configuration\"\n", true),
        ("'C:\\': 1\n\"tool\\u005Fconfiguration\"", true),
        ("\"tool\\\\u005fconfiguration\"", false),
        ("\"tool\\u005\"", false),
        ("\"tool\\uD800configuration\\", false),
        ("tool\\x", false),
        ("tool-configuration", false),
    ] {
        let yaml = format!("{key}: {{}}\n");
        let text = format!("---\n{yaml}---\n");
        assert_eq!(settings(&text), expected.then_some(&yaml[..]), "{key}");
    }
}

/// Texts at the size limit that one pass reads.
#[test]
fn long_texts_are_read_in_one_go() {
    for piece in [
        "{{invoke_tool: a\n",
        "{{invoke_tool: a\nx: |\n",
        "{{invoke_tool: a\nx: |\n\n\n\n",
        "{{",
        "\n",
        "---\n",
        "a: |\n",
    ] {
        let text = format!("{{{{invoke_tool: a\n{}", piece.repeat(FRONT_END_TEXT_BYTES / 16 / piece.len()));
        assert!(!blocks(&text).is_empty(), "{piece}");
        let text = format!("{{{{invoke_tool: a\nx: \"{}\"\n}}}}", "{{ ".repeat(FRONT_END_TEXT_BYTES / 16));
        assert!(blocks(&text)[0].flaw.is_none());
    }
}

/// Pieces of near blocks.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "{{invoke_tool:", "{{invoke_tool: read_file\n", "}}", "\n}}\n", "\n", "\r\n", "  ", "file_path", "content", ": ",
            "\"", "'", "|\n", "|-\n", "{{v}}", "{{", "---\n", "...\n", "tool_configuration", "\\", "\\u00", "\\ud800", "\t",
            "max_lines: 1\n", "  file_path: \"a\"\n", "é",
        ])
        .prop_map(str::to_owned),
        1 => "\\PC{0,5}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

#[test]
fn any_text_is_answered() {
    fuzz(texts(), |text| {
        let mut at = parts(&text).body;
        for block in blocks(&text) {
            assert!(at <= block.at.start && block.at.start < block.at.end, "{text:?}");
            assert!(text[block.at.clone()].starts_with("{{invoke_tool:"), "{text:?}");
            at = block.at.end;
        }
        assert!(at <= text.len(), "{text:?}");
        let (output, rendered) = run(&InJson::over(&|_, _| Err(String::new())), &text, &[("v", "{{v}}")]);
        let results = output["results"].as_array().unwrap();
        assert_eq!(output["totalBlocks"], results.len());
        assert_eq!(output["success"] == false, !results.is_empty() || output["fatalError"].is_string());
        assert_eq!(rendered == text, results.is_empty(), "{text:?}");
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(
        tool in "[a-z_]{1,9}",
        values in prop::collection::btree_map("[a-z_]{1,9}", "(\\PC|[\\n\\r\\t{}\"'\\\\|]){0,20}", 0..5),
        before in "[^-{]{0,9}",
    ) {
        let given: Vec<_> = values.iter().map(|(name, value)| (&name[..], &value[..])).collect();
        let text = format!("{before}\n{}after", printed(&tool, &given));
        let found = blocks(&text);
        prop_assert_eq!(found.len(), 1);
        prop_assert_eq!(&found[0].flaw, &None);
        prop_assert_eq!(found[0].tool, tool);
        prop_assert_eq!(self::values(&found[0]), values.into_iter().collect::<Vec<_>>());
        prop_assert!(text[found[0].at.end..].starts_with("\nafter"));
    }
}

#[test]
fn results_are_json_in_one_line() {
    let text = "a\n{{invoke_tool: x\n}}\nb";
    let (_, rendered) = run(&InJson::over(&|_, _| Err(String::new())), text, &[]);
    let lines: Vec<_> = rendered.split('\n').collect();
    let [first, result, last] = &lines[..] else { panic!("{rendered}") };
    assert_eq!((*first, *last), ("a", "b"));
    assert!(serde_json::from_str::<Value>(result).is_ok(), "{result}");
}
