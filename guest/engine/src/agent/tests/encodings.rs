//! Edits of files in any encoding: bytes outside of the change stay.

use encoding_rs::Encoding;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::agent;
use crate::session::Session;
use fsgate_contract::agent_types::CallArgs;
use fsgate_contract::limits::DECODED_BYTES;
use fsgate_volume::Access;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{Item, Memory};

const LABELS: &[&str] = &[
    "utf-8",
    "utf-16le",
    "utf-16be",
    "windows-1252",
    "windows-1253",
    "windows-1251",
    "iso-8859-2",
    "koi8-r",
    "shift_jis",
    "euc-jp",
    "euc-kr",
    "gbk",
    "gb18030",
    "big5",
];

/// Texts of which each encoding has some.
const NEW: &[&str] = &["", "plain", "é", "日本", "ソ\\", "щ", "가", "ά", "ł", "€", "😀"];

/// A text in an encoding; none if the encoding has not all of it.
fn encoded(label: &str, text: &str) -> Option<Vec<u8>> {
    let encoding = Encoding::for_label(label.as_bytes()).unwrap();
    let units = text.encode_utf16();
    match label {
        "utf-16le" => Some(units.flat_map(u16::to_le_bytes).collect()),
        "utf-16be" => Some(units.flat_map(u16::to_be_bytes).collect()),
        _ => {
            let (bytes, _, has_others) = encoding.encode(text);
            let back = encoding.decode_without_bom_handling(&bytes).0;
            (!has_others && back == text).then(|| bytes.to_vec())
        }
    }
}

/// Lines of anything, be it text or not. None holds what is looked for, and no byte of a character ends a line.
fn lines(label: &'static str) -> impl Strategy<Value = Vec<Vec<u8>>> {
    let is_plain = |unit: &u16| ![b'\n', b'\r', b'<'].map(u16::from).contains(unit);
    let units = vec(any::<u16>().prop_filter("not special", is_plain), 0..6);
    let bytes = vec(any::<u8>().prop_filter("not special", move |byte| is_plain(&u16::from(*byte))), 0..9);
    let noise = match label {
        "utf-16le" => units.prop_map(|units| units.into_iter().flat_map(u16::to_le_bytes).collect()).boxed(),
        "utf-16be" => units.prop_map(|units| units.into_iter().flat_map(u16::to_be_bytes).collect()).boxed(),
        _ => bytes.boxed(),
    };
    let text = select(NEW).prop_map(|text| encoded(label, text).unwrap_or_default());
    let end = encoded(label, "\n").unwrap();
    vec(prop_oneof![noise, text].prop_map(move |line| [&line[..], &end].concat()), 0..5)
}

/// A file: the lines before `<old>`, and those behind it.
#[derive(Debug, Clone)]
struct File {
    label: &'static str,
    mark: &'static [u8],
    head: Vec<Vec<u8>>,
    tail: Vec<Vec<u8>>,
}

fn file() -> impl Strategy<Value = File> {
    (select(LABELS), any::<bool>()).prop_flat_map(|(label, has_mark)| {
        let mark: &[u8] = match label {
            "utf-8" => b"\xEF\xBB\xBF",
            "utf-16le" => b"\xFF\xFE",
            "utf-16be" => b"\xFE\xFF",
            _ => b"",
        };
        let mark = if has_mark { mark } else { b"" };
        (lines(label), lines(label)).prop_map(move |(head, tail)| File { label, mark, head, tail })
    })
}

impl File {
    /// Its bytes with this in the place of the old line.
    fn with(&self, middle: &[u8]) -> Vec<u8> {
        [self.mark, &self.head.concat(), middle, &self.tail.concat()].concat()
    }

    /// A line in its encoding.
    fn line(&self, text: &str) -> Option<Vec<u8>> {
        encoded(self.label, &format!("{text}\n"))
    }

    /// The call of a tool that puts `new` somewhere, and what the file is then; none if its encoding has not all of it.
    fn change(&self, tool: &'static str, new: &str) -> (&'static str, Value, Option<Vec<u8>>) {
        let number = self.head.len() + 1;
        let old = self.line("<old>").unwrap();
        let replaced = self.line(new).map(|line| self.with(&line));
        let text = json!({"path": "f", "old": "<old>", "new": new});
        match tool {
            "replace" | "replace_all" => (tool, text, replaced),
            "apply" => {
                // By way of another text, twice, and with what need not be there in the end.
                let steps = [("<old>", "<日>"), ("<日>", "<new>"), ("<new", "<"), ("<>", new)];
                let edits = steps.map(|(old, new)| json!({"path": "f", "old": old, "new": new}));
                (tool, json!({"edits": edits}), replaced)
            }
            "a patch" => {
                let hunk = format!("@@ -{number} +{number} @@\n-<old>\n+{new}\n");
                ("apply", json!({"patch": format!("--- a/f\n+++ b/f\n{hunk}")}), replaced)
            }
            "replace_lines" => {
                let line = format!("{new}\n");
                (tool, json!({"path": "f", "lines": number.to_string(), "content": line}), replaced)
            }
            "insert_lines" => {
                let after = self.line(new).map(|line| self.with(&[old, line].concat()));
                (tool, json!({"path": "f", "after": number, "content": format!("{new}\n")}), after)
            }
            "append" => {
                let after = encoded(self.label, new).map(|new| [self.with(&old), new].concat());
                (tool, json!({"path": "f", "content": new}), after)
            }
            _ => {
                let after = encoded(self.label, new).map(|new| [self.mark, &new].concat());
                (tool, json!({"path": "f", "content": new}), after)
            }
        }
    }
}

const TOOLS: &[&str] =
    &["replace", "replace_all", "replace_lines", "insert_lines", "apply", "a patch", "append", "write"];

/// A session over this file, and what calls a tool in it.
fn opened(content: Vec<u8>) -> (Memory, impl Fn(&str, &Value) -> Result<Value, String>) {
    let volume = Memory::default();
    volume.put("f", Item::File(content));
    let grant = Grant { name: "/w".to_owned(), volume: volume.clone(), access: Access::Write };
    let session = Session::new(vec![grant]).ok().unwrap();
    let call = move |tool: &str, arguments: &Value| {
        let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_string() };
        let answer = agent::call(&session, &args).map_err(|error| error.error)?;
        Ok(serde_json::from_str(&answer.outcome).unwrap())
    };
    (volume, call)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn bytes_outside_of_a_change_stay(file in file(), tool in select(TOOLS), new in select(NEW), diff: bool) {
        let before = file.with(&file.line("<old>").unwrap());
        let (volume, call) = opened(before.clone());
        let (tool, mut arguments, after) = file.change(tool, new);
        arguments["encoding"] = json!(file.label);
        arguments["diff"] = json!(diff);
        let answer = call(tool, &arguments);
        let found = volume.snapshot().remove("f");
        // UTF-8 with bytes that are none takes nothing but ASCII.
        let is_unsure = file.label == "utf-8" && std::str::from_utf8(&before).is_err();
        match (answer, after) {
            (Ok(_), Some(after)) => prop_assert_eq!(found, Some(Item::File(after))),
            (Err(error), after) => {
                prop_assert!(after.is_none() || is_unsure, "{}", error);
                prop_assert!(error.contains("not_encodable"), "{}", error);
                prop_assert_eq!(found, Some(Item::File(before)));
            }
            (Ok(_), None) => prop_assert!(false, "{} takes {:?}", file.label, new),
        }
    }

    #[test]
    fn a_search_shows_lines_by_their_numbers_and_guards_their_bytes(file in file(), others: bool) {
        let lines = [file.line("<old>").unwrap(), file.line("<older>").unwrap()].concat();
        let before = file.with(&lines);
        let (_, call) = opened(before.clone());
        let number = file.head.len() + 1;
        let mut arguments = json!({"pattern": "<old", "encoding": file.label, "with_etag": true, "max_items": 1});
        if others {
            arguments["before"] = json!(2);
            arguments["after"] = json!(1);
        }
        let first = call("grep", &arguments).unwrap();
        let has_nul = match file.label {
            "utf-16le" | "utf-16be" => before.chunks(2).any(|unit| unit == [0, 0]),
            _ => before.contains(&0),
        };
        if has_nul {
            prop_assert_eq!(&first["skipped"]["binary"], 1);
            return Ok(());
        }
        arguments["cursor"] = first["next_cursor"].clone();
        let second = call("grep", &arguments).unwrap();
        for (answer, line, text) in [(&first, number, "<old>"), (&second, number + 1, "<older>")] {
            let hit = &answer["matches"][0];
            prop_assert_eq!((&hit["line"], &hit["text"], &hit["column"]), (&json!(line), &json!(text), &json!(1)));
        }
        prop_assert_eq!(second.get("notes"), None);
        // Ask for the shown text.
        let tag = &first["matches"][0]["etag"];
        let change = json!({"path": "f", "old": "<old>", "new": "", "encoding": file.label, "if_match": tag});
        prop_assert!(call("replace", &change).is_ok());
        prop_assert!(call("replace", &change).unwrap_err().contains("stale"));
    }
}

#[test]
fn what_is_too_large_to_decode_is_counted_or_searched_as_bytes() {
    let filled = |line: &[u8]| line.repeat(DECODED_BYTES as usize / line.len() + 1);
    let guessed = filled(b"needle caf\xE9 noir, cr\xE8me br\xFBl\xE9e\n");
    let utf_16 = [b"\xFF\xFE", &filled(b"n\0e\0e\0d\0l\0e\0\n\0")[..]].concat();
    for (content, encoding, found, too_large) in [
        (&utf_16, None, 0, 1),
        (&guessed, None, 1, 0),
        (&guessed, Some("windows-1252"), 0, 1),
        (&guessed, Some("utf-8"), 1, 0),
    ] {
        let (_, call) = opened(content.clone());
        let arguments = json!({"pattern": "needle", "mode": "files", "encoding": encoding});
        let answer = call("grep", &arguments).unwrap();
        let counted = (&answer["count"], &answer["skipped"]["too_large"]);
        assert_eq!(counted, (&json!(found), &json!(too_large)), "{encoding:?}");
    }
}

/// Calls of `apply` on one file `f`, with `escaped`: what is in it then, or the beginning of the refusal.
#[test]
fn apply_takes_bytes_by_their_numbers() {
    let utf_16 = |units: &[u16]| units.iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<_>>();
    let (mark, lone) = (0xFEFF, 0xD83D);
    let edit = |old: &str, new: &str| json!({"edits": [{"path": "f", "old": old, "new": new}]});
    let hunk = |hunk: &str| json!({"patch": format!("--- a/f\n+++ b/f\n{hunk}")});
    let envelope =
        |hunk: &str| json!({"patch": format!("*** Begin Patch\n*** Update File: f\n{hunk}*** End Patch\n")});
    let block = |old: &str, new: &str| json!({"patch": format!("f\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n")});
    // In windows-1253 the byte AA is no character, and in Shift_JIS neither is FF.
    let greek = b"\xE1\xE2\xE3 \xAA \xE4\xE5\n";
    let sjis = b"\x83\x5C \xFF\n\x82\xA0\n";
    for (before, call, expected) in [
        // UTF-8 with a byte that is none, named or told from the bytes.
        (
            "äöü caf\u{E9}\n".as_bytes(),
            json!({"encoding": null, "edits": [{"path": "f", "old": "café", "new": "caf\\x{E9}"}]}),
            Ok(["äöü caf".as_bytes(), b"\xE9\n"].concat()),
        ),
        (&b"\xC3\xA4 caf\xE9\n"[..], edit("caf\\x{E9}", "caf\\x{C3}\\x{A9}"), Ok("ä café\n".into())),
        (b"\xC3\xA4 caf\xE9\n", edit("ä", "\\x{E4}"), Ok(b"\xE4 caf\xE9\n".to_vec())),
        (b"\xC3\xA4 caf\xE9\n", edit("\\x{E9}", "é"), Ok("ä café\n".into())),
        (b"caf\xE9\n", edit("\\x{5C}x{E9}", "e"), Err("no_match edit 1: `old` does not occur in the file")),
        (b"a\\x{E9}\n", edit("\\x{5C}x{E9}", "\\x{5C}x{E8}"), Ok(b"a\\x{E8}\n".to_vec())),
        (
            b"\xC3\xA4 caf\xE9 noir\n",
            edit("caf\\x{E8} noir", "x"),
            Err(
                "no_match edit 1: `old` does not occur in the file; the nearest place found is line 1 (88 % alike): \
                 column 6 has \\x{E9} where `old` has \\x{E8}",
            ),
        ),
        (
            b"a\xE9 a\xE9\n",
            json!({"edits": [
                {"path": "f", "old": "\\x{E9}", "new": "\\x{E8}", "all": true},
                {"path": "f", "old": "\\x{E8}", "new": "\\x{FF}\\x{FE}", "occurrence": 2},
            ]}),
            Ok(b"a\xE8 a\xFF\xFE\n".to_vec()),
        ),
        (b"a\xE9\r\nb\r\n", edit("\\x{E9}\nb", "\\x{E8}\nc\nd"), Ok(b"a\xE8\r\nc\r\nd\r\n".to_vec())),
        (
            b"a\n",
            json!({"edits": [{"path": "f", "content": "a\\x{E9}\\x{00}\\x{5C}x{E9}"}]}),
            Ok(b"a\xE9\0\\x{E9}".to_vec()),
        ),
        // Other encodings, told from the bytes or named.
        (
            greek,
            json!({"encoding": "windows-1253", "edits": [{"path": "f", "old": "γ \\x{AA}", "new": "\\x{D2} ω"}]}),
            Ok(b"\xE1\xE2\xD2 \xF9 \xE4\xE5\n".to_vec()),
        ),
        (
            greek,
            json!({"encoding": "windows-1253", "edits": [{"path": "f", "old": "\\x{AA}", "new": "日\\x{AA}"}]}),
            Err("not_encodable edit 1: the text has to be in windows-1253"),
        ),
        (
            greek,
            json!({"encoding": "windows-1253", "edits": [{"path": "f", "content": "ω\\x{AA}"}]}),
            Ok(b"\xF9\xAA".to_vec()),
        ),
        (
            sjis,
            json!({"encoding": "shift_jis", "edits": [{"path": "f", "old": "ソ \\x{FF}\nあ", "new": "\\x{FD}ソ"}]}),
            Ok(b"\xFD\x83\x5C\n".to_vec()),
        ),
        (
            &utf_16(&[mark, u16::from(b'a'), lone, 0x0A])[..],
            json!({"encoding": "utf-16le", "edits": [{"path": "f", "old": "a\\x{3D}\\x{D8}", "new": "\\x{3D}\\x{D8}é"}]}),
            Ok(utf_16(&[mark, lone, 0xE9, 0x0A])),
        ),
        // Lines of a patch.
        (
            b"one\ncaf\xE9\ntwo\xE8\n",
            hunk("@@ -1,3 +1,4 @@\n one\n-caf\\x{E9}\n+\\x{E9}caf\n+\\x{5C}x{E9}\n two\\x{E8}\n"),
            Ok(b"one\n\xE9caf\n\\x{E9}\ntwo\xE8\n".to_vec()),
        ),
        (
            b"one\r\ncaf\xE9\r\n",
            hunk("@@ -1,2 +1,2 @@\n one\n-caf\\x{E9}\n+\\x{E9}caf\n"),
            Ok(b"one\r\n\xE9caf\r\n".to_vec()),
        ),
        (
            sjis,
            json!({"encoding": "shift_jis", "patch": "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-ソ \\x{FF}\n+\\x{FD} ソ\n あ\n"}),
            Ok(b"\xFD \x83\x5C\n\x82\xA0\n".to_vec()),
        ),
        (
            b"caf\xE9 noir\n",
            hunk("@@ -1 +1 @@\n-caf\\x{E8} noir\n+x\n"),
            Err(
                "no_match file 1 of the patch, hunk 1 (line 3): the lines that stay or go do not stand in the file in a \
                 row; the nearest place found is line 1 (90 % alike): column 4 has \\x{E9} where the hunk has \\x{E8}",
            ),
        ),
        (b"a\xE9\nb\nb\n", envelope("@@ a\\x{E9}\n b\n-b\n+\\x{E8}\n"), Ok(b"a\xE9\nb\n\xE8\n".to_vec())),
        (b"x\na\xE9\n", block("a\\x{E9}\n", "\\x{E8}\\x{E8}\n"), Ok(b"x\n\xE8\xE8\n".to_vec())),
        // At the end of a text that ends in no line end.
        (b"x\na\xE9", block("a\\x{E9}\n", "\\x{E8}\n"), Ok(b"x\n\xE8".to_vec())),
        (b"a\xE9\n", json!({"patch": "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\\x{E9}\n"}), Ok(Vec::new())),
        (
            b"",
            json!({"patch": "--- /dev/null\n+++ b/g\n@@ -0,0 +1 @@\n+a\\x{AA}\n", "encoding": "windows-1253"}),
            Ok(b"a\xAA\n".to_vec()),
        ),
    ] {
        let (volume, call_tool) = opened(before.to_vec());
        let mut arguments = json!({"escaped": true, "encoding": "utf-8"});
        arguments.as_object_mut().unwrap().extend(call.as_object().unwrap().clone());
        let answer = call_tool("apply", &arguments);
        let mut found = volume.snapshot();
        let found = found.remove("g").or_else(|| found.remove("f")).unwrap_or(Item::File(Vec::new()));
        match expected {
            Ok(after) => {
                assert!(answer.is_ok(), "{call}: {answer:?}");
                assert_eq!(found, Item::File(after), "{call}");
            }
            Err(refusal) => {
                let error: Value = serde_json::from_str(&answer.unwrap_err()).unwrap();
                let told =
                    format!("{} {}", error["code"].as_str().unwrap(), error["message"].as_str().unwrap());
                assert!(told.starts_with(refusal), "{call}: {told}");
                assert_eq!(found, Item::File(before.to_vec()), "{call}");
            }
        }
    }
    // Without it, they are texts.
    let (volume, call_tool) = opened(b"a\\x{E9}\n".to_vec());
    call_tool("apply", &edit("\\x{E9}", "\\x{E8}")).unwrap();
    assert_eq!(volume.snapshot().remove("f"), Some(Item::File(b"a\\x{E8}\n".to_vec())));
}

/// The diff that a tool shows of any change, and `escaped`, make the same change elsewhere.
#[test]
fn a_diff_that_shows_bytes_by_their_numbers_can_be_applied() {
    let before = b"caf\xE9\nb\\x{E9}\n\xFFc\n";
    let (volume, call_tool) = opened(before.to_vec());
    let change = json!({"path": "f", "old": "b", "new": "\\x{E8}", "escaped": true, "encoding": "utf-8", "diff": true});
    let answer = call_tool("replace", &change).unwrap();
    let after = volume.snapshot();
    let (volume, call_tool) = opened(before.to_vec());
    call_tool("apply", &json!({"patch": answer["diff"], "escaped": true, "encoding": "utf-8"})).unwrap();
    assert_eq!(volume.snapshot(), after);
}

/// The diff of a change in ASCII shows the text as a read does, and makes the same change elsewhere as it is.
#[test]
fn a_diff_in_any_encoding_can_be_applied() {
    for (label, text) in [
        ("windows-1252", "café\nTARGET\nété à\n"),
        ("shift_jis", "日本語テキスト\nTARGET\n表示\n"),
        ("windows-1251", "Привет мир это текст\nTARGET\nещё строка\n"),
        ("utf-8", "日\nTARGET\nx\n"),
    ] {
        let before = encoded(label, text).unwrap();
        for (tool, change) in [
            ("replace", json!({"path": "f", "old": "TARGET", "new": "CHANGED", "diff": true})),
            ("replace_lines", json!({"path": "f", "lines": "2", "content": "CHANGED", "diff": true})),
            ("append", json!({"path": "f", "content": "CHANGED\n", "diff": true})),
            ("apply", json!({"edits": [{"path": "f", "old": "TARGET", "new": "CHANGED"}], "diff": true})),
        ] {
            let (volume, call_tool) = opened(before.clone());
            let answer = call_tool(tool, &change).unwrap();
            let after = volume.snapshot();
            let diff = answer["diff"].as_str().unwrap();
            assert!(!diff.contains("\\x{"), "{label} {tool}: {diff}");
            let (volume, call_tool) = opened(before.clone());
            call_tool("apply", &json!({"patch": diff})).unwrap();
            assert_eq!(volume.snapshot(), after, "{label} {tool}");
        }
    }
}

/// A refusal in a file with a guessed encoding names the guess, and one with a named encoding does
/// not.
#[test]
fn refusals_name_a_guess() {
    for (tool, mut call) in [
        ("replace", json!({"path": "f", "old": "щ", "new": "x"})),
        ("replace", json!({"path": "f", "old": "é", "new": "щ"})),
        ("replace_all", json!({"path": "f", "old": "щ+", "new": "x", "regex": true})),
        ("append", json!({"path": "f", "content": "щ"})),
        ("insert_lines", json!({"path": "f", "after": 1, "content": "щ"})),
        ("apply", json!({"edits": [{"path": "f", "old": "щ", "new": "x"}]})),
        ("apply", json!({"edits": [{"path": "f", "old": "é", "new": "щ"}]})),
        ("apply", json!({"patch": "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-cafщ\n+x\n"})),
    ] {
        let (_, call_tool) = opened(b"caf\xE9\n".to_vec());
        let refused = call_tool(tool, &call).unwrap_err();
        assert!(refused.contains("only most like text in windows-1252"), "{call}: {refused}");
        call["encoding"] = json!("windows-1252");
        let refused = call_tool(tool, &call).unwrap_err();
        assert!(!refused.contains("most like"), "{call}: {refused}");
    }
}
