//! The syntax of blocks: accepted, refused and rendered.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::sham::print::printed;
use crate::sham::scan::{ShamBlock, blocks};
use crate::sham::syntax::SyntaxCode;
use fsgate_contract::limits::SHAM_ERRORS;
use fsgate_fuzz::fuzz;

/// A block with the id `abc` around these lines.
fn around(lines: &str) -> String {
    format!("#!SHAM [@three-char-SHA-256: abc]\n{lines}\n#!END_SHAM_abc")
}

fn values_of(block: &ShamBlock) -> Vec<(String, String)> {
    block.values.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}

#[test]
fn values_are_read() {
    let longest = "k".repeat(256);
    for (lines, expected) in [
        ("", &[][..]),
        ("\n  \n", &[]),
        ("key = \"value\"", &[("key", "value")]),
        ("key=\"value\"  ", &[("key", "value")]),
        ("a = \"\"\n\nb = \"x\"", &[("a", ""), ("b", "x")]),
        (r#"k = "He said \"hi\" \\ \n \t \u00e4 \/""#, &[("k", "He said \"hi\" \\ \n \t ä /")]),
        ("k = \"a == b := c << 'EOT'\"", &[("k", "a == b := c << 'EOT'")]),
        ("k = <<'EOT_SHAM_abc'\nEOT_SHAM_abc", &[("k", "")]),
        ("k = <<'EOT_SHAM_abc'\n\nEOT_SHAM_abc", &[("k", "")]),
        ("k = <<'EOT_SHAM_abc'\n\nLine one\n\nEOT_SHAM_abc", &[("k", "\nLine one\n")]),
        ("k = <<'EOT_SHAM_abc'\r\nLine 1\r\nLine 2\r\nEOT_SHAM_abc\r", &[("k", "Line 1\nLine 2")]),
        (
            "k=<<'EOT_SHAM_abc' \n#!SHAM [x]\n#!END_SHAM_abc\n EOT_SHAM_abc\nEOT_SHAM_abc",
            &[("k", "#!SHAM [x]\n#!END_SHAM_abc\n EOT_SHAM_abc")],
        ),
        ("用户名 = \"张三\"\n_données2 = \"42\"", &[("用户名", "张三"), ("_données2", "42")]),
        (&format!("{longest} = \"x\""), &[(&longest, "x")]),
    ] {
        let text = around(lines);
        let [block] = &blocks(&text)[..] else { panic!("{lines}") };
        assert_eq!((&block.errors[..], block.id), (&[][..], Some("abc")), "{lines}");
        let expected: Vec<_> = expected.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        assert_eq!(values_of(block), expected, "{lines}");
        assert_eq!((block.start_line, block.end_line), (1, Some(text.lines().count())));
        assert_eq!(block.text, text);
    }
}

#[test]
fn what_is_around_blocks_is_left_alone() {
    let text = "This mentions #!SHAM [@three-char-SHA-256: no1] only\n\n```sh sham\n#!SHAM [@three-char-SHA-256: a1B]\n#!END_SHAM_a1B\n```\n#!SHAMAN\n#!END_SHAM_xyz\n#!SHAM [@three-char-SHA-256: 000]\nk = \"v\"\n#!END_SHAM_000\n#!SHAM [@three-char-SHA-256: 001]\n#!END_SHAM_001";
    let found = blocks(text);
    let told: Vec<_> =
        found.iter().map(|block| (block.id.unwrap(), block.start_line, block.end_line)).collect();
    assert_eq!(told, [("a1B", 4, Some(5)), ("000", 9, Some(11)), ("001", 12, Some(13))]);
    assert!(found.iter().all(|block| block.errors.is_empty()));
}

/// Code, line, column, length, block and message of a mistake.
type Told = (&'static str, usize, usize, usize, Option<&'static str>, &'static str);

/// Texts and their mistakes: code, line, column, length, block and message.
const MISTAKES: &[(&str, &[Told])] = &[
    (
        "#!SHAM [missing-at-sign: bad]\nkey = \"value\"\n#!END_SHAM_bad",
        &[(
            "MALFORMED_HEADER",
            1,
            1,
            29,
            None,
            "Invalid SHAM header format - must be '#!SHAM [@three-char-SHA-256: XXX]'",
        )],
    ),
    (
        "#!SHAM [@sham-id: 567]",
        &[(
            "MALFORMED_HEADER",
            1,
            1,
            22,
            None,
            "Invalid SHAM header format - must be '#!SHAM [@three-char-SHA-256: XXX]'",
        )],
    ),
    (
        "#!SHAM",
        &[(
            "MALFORMED_HEADER",
            1,
            1,
            6,
            None,
            "Invalid SHAM header format - must be '#!SHAM [@three-char-SHA-256: XXX]'",
        )],
    ),
    (
        "#!SHAM [@three-char-SHA-256: a]",
        &[("INVALID_BLOCK_ID", 1, 30, 1, None, "Block ID must be exactly 3 characters")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: a-b]",
        &[("INVALID_BLOCK_ID", 1, 30, 3, None, "Block ID must contain only alphanumeric characters")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: äbc]",
        &[("INVALID_BLOCK_ID", 1, 30, 3, None, "Block ID must contain only alphanumeric characters")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey = \"1\"\nkey = \"2\"\n#!END_SHAM_abc",
        &[("DUPLICATE_KEY", 3, 1, 3, Some("abc"), "Duplicate key 'key' in block 'abc'")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\n// no comment\nkey = \"value\" // here neither\n#!END_SHAM_abc",
        &[
            (
                "MALFORMED_ASSIGNMENT",
                2,
                1,
                13,
                Some("abc"),
                "Invalid line format in block 'abc': not a valid key-value assignment or empty line",
            ),
            ("TRAILING_CONTENT", 3, 15, 15, Some("abc"), "Unexpected content after quoted value"),
        ],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey = \"unclosed\n#!END_SHAM_abc",
        &[("UNCLOSED_QUOTE", 2, 7, 9, Some("abc"), "Unclosed quoted string")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey = \"ends in \\\"\n#!END_SHAM_abc",
        &[("UNCLOSED_QUOTE", 2, 7, 11, Some("abc"), "Unclosed quoted string")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey name = \"x\"\n\tkey = \"x\"\nkey_😀 = \"x\"\n1k = \"x\"\n#!END_SHAM_abc",
        &[
            ("INVALID_KEY", 2, 1, 8, Some("abc"), "Key contains invalid character ' ' at position 4"),
            ("INVALID_KEY", 3, 1, 4, Some("abc"), "Key contains invalid character '\t' at position 1"),
            ("INVALID_KEY", 4, 1, 6, Some("abc"), "Key contains invalid character '😀' at position 5"),
            ("INVALID_KEY", 5, 1, 2, Some("abc"), "Key contains invalid character '1' at position 1"),
        ],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\n= \"missing key\"\n#!END_SHAM_abc",
        &[("EMPTY_KEY", 2, 1, 1, Some("abc"), "Assignment without key name")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey := \"x\"\nkey => \"x\"\n#!END_SHAM_abc",
        &[
            (
                "INVALID_ASSIGNMENT_OPERATOR",
                2,
                5,
                2,
                Some("abc"),
                "Invalid assignment operator ':=' - only '=' is allowed",
            ),
            (
                "INVALID_ASSIGNMENT_OPERATOR",
                3,
                5,
                2,
                Some("abc"),
                "Invalid assignment operator '=>' - only '=' is allowed",
            ),
        ],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey = unquoted\n😀k = \nk = 'x'\nk = \"\\q\"\n#!END_SHAM_abc",
        &[
            ("INVALID_VALUE", 2, 7, 8, Some("abc"), "Value must be a quoted string or heredoc"),
            ("INVALID_KEY", 3, 1, 3, Some("abc"), "Key contains invalid character '😀' at position 1"),
            ("INVALID_VALUE", 4, 5, 3, Some("abc"), "Value must be a quoted string or heredoc"),
            ("INVALID_VALUE", 5, 5, 4, Some("abc"), "Quoted value is not a valid JSON string"),
        ],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey =\n#!END_SHAM_abc",
        &[("INVALID_VALUE", 2, 6, 0, Some("abc"), "Value must be a quoted string or heredoc")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nk = <<'EOT_SHAM_xyz'\nbody\nEOT_SHAM_xyz\nl = <<EOF\nbody\nEOT_SHAM_abc\n#!END_SHAM_abc",
        &[
            (
                "INVALID_HEREDOC_DELIMITER",
                2,
                7,
                14,
                Some("abc"),
                "Invalid heredoc delimiter - must be 'EOT_SHAM_abc' in single quotes",
            ),
            (
                "INVALID_HEREDOC_DELIMITER",
                5,
                7,
                3,
                Some("abc"),
                "Invalid heredoc delimiter - must be 'EOT_SHAM_abc' in single quotes",
            ),
        ],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nk = <<\nbody\n#!END_SHAM_abc",
        &[
            (
                "INVALID_HEREDOC_DELIMITER",
                2,
                7,
                0,
                Some("abc"),
                "Invalid heredoc delimiter - must be 'EOT_SHAM_abc' in single quotes",
            ),
            (
                "MALFORMED_ASSIGNMENT",
                3,
                1,
                4,
                Some("abc"),
                "Invalid line format in block 'abc': not a valid key-value assignment or empty line",
            ),
        ],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\ncontent = <<'EOT_SHAM_abc'\nSome content\n#!END_SHAM_abc\n",
        &[("UNCLOSED_HEREDOC", 5, 1, 0, Some("abc"), "Heredoc 'EOT_SHAM_abc' not closed before EOF")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey = \"value\"",
        &[("UNCLOSED_BLOCK", 3, 1, 0, Some("abc"), "Block 'abc' not closed before EOF")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey = \"value\"\n#!END_SHAM_xyz",
        &[("MISMATCHED_END", 3, 1, 14, Some("abc"), "End marker 'xyz' doesn't match block ID 'abc'")],
    ),
];

#[test]
fn mistakes_are_told_with_their_place() {
    let mut seen = BTreeSet::new();
    for (text, expected) in MISTAKES {
        let found = blocks(text);
        let [block] = &found[..] else { panic!("{text}") };
        let told: Value = serde_json::to_value(&block.errors).unwrap();
        let mut wanted = Vec::new();
        for (code, line, column, length, block_id, message) in *expected {
            let lines: Vec<_> = text.lines().collect();
            let first = line.saturating_sub(3).min(lines.len().saturating_sub(5));
            wanted.push(json!({
                "code": code, "line": line, "column": column, "length": length, "blockId": block_id,
                "content": lines.get(line - 1).unwrap_or(&""),
                "context": lines[first..lines.len().min(first + 5)].join("\n"),
                "message": message,
            }));
        }
        assert_eq!(told, Value::Array(wanted), "{text}");
        seen.extend(block.errors.iter().map(|error| error.code));
    }
    assert_eq!(seen, BTreeSet::from(SyntaxCode::ALL));
}

#[test]
fn a_context_has_five_lines_wherever_it_is() {
    let text = around("// 2\nk1 = \"3\"\n  // 4\nk2 = \"5\"");
    let [block] = &blocks(&text)[..] else { panic!() };
    let contexts: Vec<_> = block.errors.iter().map(|error| error.context).collect();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(contexts, [lines[..5].join("\n"), lines[1..].join("\n")]);
}

#[test]
fn a_key_has_at_most_256_characters() {
    let text = around(&format!("{} = \"x\"", "k".repeat(257)));
    let [block] = &blocks(&text)[..] else { panic!() };
    let error = &block.errors[0];
    assert_eq!((error.code, error.column, error.length), (SyntaxCode::InvalidKey, 1, 257));
    assert_eq!(error.message, "Key exceeds 256 character limit");
}

#[test]
fn a_block_without_an_end_ends_where_the_next_one_begins() {
    let next = around("k = \"v\"");
    let text = format!("#!SHAM [@three-char-SHA-256: unc]\nkey = \"value\"\n\n{next}\n");
    let [first, second] = &blocks(&text)[..] else { panic!() };
    assert_eq!((first.errors[0].code, first.errors[0].line), (SyntaxCode::UnclosedBlock, 4));
    assert_eq!(first.errors[0].message, "Block 'unc' not closed before the next header");
    assert_eq!((first.end_line, first.text), (None, "#!SHAM [@three-char-SHA-256: unc]\nkey = \"value\"\n"));
    assert_eq!((second.text, second.errors.len()), (&next[..], 0));
}

#[test]
fn only_the_first_mistakes_of_a_block_are_told() {
    let text = around(&"k = <<'x'\n".repeat(10_000));
    let [block] = &blocks(&text)[..] else { panic!() };
    assert_eq!((block.errors.len(), block.end_line), (SHAM_ERRORS, Some(10_003)));
}

#[test]
fn any_text_is_read() {
    fuzz(
        "\\PC*|(#!SHAM|#!SHAM \\[@three-char-SHA-256: (a|ab|abc|äöü)\\]|#!END_SHAM_(a|abc)|EOT_SHAM_abc|k = |<<'EOT_SHAM_abc'|\"x\"|\\\\|:=|=|😀|\r|\n){0,30}",
        |text| {
            for block in blocks(&text) {
                assert!(text.contains(block.text));
                assert!(block.id.is_some() || !block.errors.is_empty());
                assert!(
                    block
                        .end_line
                        .is_none_or(|end| end >= block.start_line && end <= text.split('\n').count())
                );
                for error in &block.errors {
                    assert!(error.column + error.length <= error.content.encode_utf16().count() + 1);
                }
            }
        },
    );
}

#[test]
fn what_is_printed_is_read_back() {
    let values = prop::collection::btree_map(
        "[\\p{L}_][\\p{L}\\p{Nd}_]{0,8}",
        "(?s)(.|\n|\r|EOT_SHAM_abc\n|#!END_SHAM_abc\n|\"|\\\\){0,12}",
        0..4,
    );
    fuzz(prop::collection::vec(("[a-zA-Z0-9]{3}", values, "[^#\r]{0,10}"), 0..4), |printable| {
        let mut text = String::new();
        for (id, values, behind) in &printable {
            let values: Vec<_> = values.iter().map(|(key, value)| (&key[..], &value[..])).collect();
            text += &format!("{}{behind}\n", printed(id, &values));
        }
        let read = blocks(&text);
        assert_eq!(read.len(), printable.len());
        for (block, (id, expected, _)) in read.iter().zip(&printable) {
            assert_eq!(&block.errors[..], &[][..]);
            assert_eq!(block.id, Some(&id[..]));
            let expected: Vec<_> = expected.clone().into_iter().collect();
            assert_eq!(values_of(block), expected);
        }
    });
}
