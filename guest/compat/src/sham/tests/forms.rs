//! The syntax of blocks: accepted, refused and rendered.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;

use crate::sham::scan::{ShamBlock, blocks};
use crate::sham::syntax::SyntaxCode;
use crate::sham::tests::{CODES, printed};
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

/// Code and message of a mistake.
type Told = (&'static str, &'static str);

/// Texts and their mistakes.
const MISTAKES: &[(&str, &[Told])] = &[
    (
        "#!SHAM [missing-at-sign: bad]\nkey = \"value\"\n#!END_SHAM_bad",
        &[("MALFORMED_HEADER", "Invalid SHAM header format - must be '#!SHAM [@three-char-SHA-256: XXX]'")],
    ),
    (
        "#!SHAM [@sham-id: 567]",
        &[("MALFORMED_HEADER", "Invalid SHAM header format - must be '#!SHAM [@three-char-SHA-256: XXX]'")],
    ),
    (
        "#!SHAM",
        &[("MALFORMED_HEADER", "Invalid SHAM header format - must be '#!SHAM [@three-char-SHA-256: XXX]'")],
    ),
    ("#!SHAM [@three-char-SHA-256: a]", &[("INVALID_BLOCK_ID", "Block ID must be exactly 3 characters")]),
    (
        "#!SHAM [@three-char-SHA-256: a-b]",
        &[("INVALID_BLOCK_ID", "Block ID must contain only alphanumeric characters")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: äbc]",
        &[("INVALID_BLOCK_ID", "Block ID must contain only alphanumeric characters")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey = \"1\"\nkey = \"2\"\n#!END_SHAM_abc",
        &[("DUPLICATE_KEY", "Duplicate key 'key' in block 'abc'")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\n// no comment\nkey = \"value\" // here neither\n#!END_SHAM_abc",
        &[
            (
                "MALFORMED_ASSIGNMENT",
                "Invalid line format in block 'abc': not a valid key-value assignment or empty line",
            ),
            ("TRAILING_CONTENT", "Unexpected content after quoted value"),
        ],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey = \"unclosed\n#!END_SHAM_abc",
        &[("UNCLOSED_QUOTE", "Unclosed quoted string")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey = \"ends in \\\"\n#!END_SHAM_abc",
        &[("UNCLOSED_QUOTE", "Unclosed quoted string")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey name = \"x\"\n\tkey = \"x\"\nkey_😀 = \"x\"\n1k = \"x\"\n#!END_SHAM_abc",
        &[
            ("INVALID_KEY", "Key contains invalid character ' ' at position 4"),
            ("INVALID_KEY", "Key contains invalid character '\t' at position 1"),
            ("INVALID_KEY", "Key contains invalid character '😀' at position 5"),
            ("INVALID_KEY", "Key contains invalid character '1' at position 1"),
        ],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\n= \"missing key\"\n#!END_SHAM_abc",
        &[("EMPTY_KEY", "Assignment without key name")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey := \"x\"\nkey => \"x\"\n#!END_SHAM_abc",
        &[
            ("INVALID_ASSIGNMENT_OPERATOR", "Invalid assignment operator ':=' - only '=' is allowed"),
            ("INVALID_ASSIGNMENT_OPERATOR", "Invalid assignment operator '=>' - only '=' is allowed"),
        ],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey = unquoted\n😀k = \nk = 'x'\nk = \"\\q\"\n#!END_SHAM_abc",
        &[
            ("INVALID_VALUE", "Value must be a quoted string or heredoc"),
            ("INVALID_KEY", "Key contains invalid character '😀' at position 1"),
            ("INVALID_VALUE", "Value must be a quoted string or heredoc"),
            ("INVALID_VALUE", "Quoted value is not a valid JSON string"),
        ],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey =\n#!END_SHAM_abc",
        &[("INVALID_VALUE", "Value must be a quoted string or heredoc")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nk = <<'EOT_SHAM_xyz'\nbody\nEOT_SHAM_xyz\nl = <<EOF\nbody\nEOT_SHAM_abc\n#!END_SHAM_abc",
        &[
            (
                "INVALID_HEREDOC_DELIMITER",
                "Invalid heredoc delimiter - must be 'EOT_SHAM_abc' in single quotes",
            ),
            (
                "INVALID_HEREDOC_DELIMITER",
                "Invalid heredoc delimiter - must be 'EOT_SHAM_abc' in single quotes",
            ),
        ],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nk = <<\nbody\n#!END_SHAM_abc",
        &[
            (
                "INVALID_HEREDOC_DELIMITER",
                "Invalid heredoc delimiter - must be 'EOT_SHAM_abc' in single quotes",
            ),
            (
                "MALFORMED_ASSIGNMENT",
                "Invalid line format in block 'abc': not a valid key-value assignment or empty line",
            ),
        ],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\ncontent = <<'EOT_SHAM_abc'\nSome content\n#!END_SHAM_abc\n",
        &[("UNCLOSED_HEREDOC", "Heredoc 'EOT_SHAM_abc' not closed before EOF")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey = \"value\"",
        &[("UNCLOSED_BLOCK", "Block 'abc' not closed before EOF")],
    ),
    (
        "#!SHAM [@three-char-SHA-256: abc]\nkey = \"value\"\n#!END_SHAM_xyz",
        &[("MISMATCHED_END", "End marker 'xyz' doesn't match block ID 'abc'")],
    ),
];

#[test]
fn mistakes_are_told() {
    let mut seen = BTreeSet::new();
    for (text, expected) in MISTAKES {
        let found = blocks(text);
        let [block] = &found[..] else { panic!("{text}") };
        let told: Vec<_> =
            block.errors.iter().map(|error| (json!(error.code), error.message.as_str())).collect();
        let wanted: Vec<_> = expected.iter().map(|(code, message)| (json!(code), *message)).collect();
        assert_eq!(told, wanted, "{text}");
        seen.extend(block.errors.iter().map(|error| error.code));
    }
    assert_eq!(seen, BTreeSet::from(CODES));
}

#[test]
fn a_key_has_at_most_256_characters() {
    let text = around(&format!("{} = \"x\"", "k".repeat(257)));
    let [block] = &blocks(&text)[..] else { panic!() };
    let error = &block.errors[0];
    assert_eq!(error.code, SyntaxCode::InvalidKey);
    assert_eq!(error.message, "Key exceeds 256 character limit");
}

#[test]
fn a_block_without_an_end_ends_where_the_next_one_begins() {
    let next = around("k = \"v\"");
    let text = format!("#!SHAM [@three-char-SHA-256: unc]\nkey = \"value\"\n\n{next}\n");
    let [first, second] = &blocks(&text)[..] else { panic!() };
    assert_eq!(first.errors[0].code, SyntaxCode::UnclosedBlock);
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
