//! The beginning of the last lines of a text, read backwards from its end.

use std::ops::Range;

use memchr::memrchr2;

use crate::file::OpenFile;
use fsgate_contract::limits::CHUNK_BYTES;
use fsgate_error::Failure;
use fsgate_volume::Volume;

/// The offset of the last `lines` lines in a range that ends with the file.
pub(super) fn start<V: Volume>(source: &OpenFile<V>, text: Range<u64>, lines: u64) -> Result<u64, Failure> {
    let mut search = TailSearch::new(lines);
    let mut end = text.end;
    while end > text.start {
        let begin = end.saturating_sub(CHUNK_BYTES as u64).max(text.start);
        if let Some(at) = search.feed(&source.bytes(begin..end)?) {
            return Ok(begin + at as u64);
        }
        end = begin;
    }
    Ok(text.start)
}

pub(super) fn start_in(text: &[u8], lines: u64) -> usize {
    TailSearch::new(lines).feed(text).unwrap_or(0)
}

/// Searches for the end of the line before, in pieces from the end on.
struct TailSearch {
    left: u64,
    /// The byte after the next piece; none at the end of the text, where a line end begins no other
    /// line.
    behind: Option<u8>,
}

impl TailSearch {
    fn new(lines: u64) -> Self {
        Self { left: lines, behind: None }
    }

    /// The beginning of the lines, if the next piece has it.
    fn feed(&mut self, piece: &[u8]) -> Option<usize> {
        let mut end = piece.len();
        while let Some(at) = memrchr2(b'\n', b'\r', &piece[..end]) {
            end = at;
            let behind = piece.get(at + 1).copied().or(self.behind);
            // The CR of a CRLF ends no line of its own.
            let ends_line = piece[at] == b'\n' || behind != Some(b'\n');
            if behind.is_some() && ends_line {
                self.left -= 1;
                if self.left == 0 {
                    return Some(at + 1);
                }
            }
        }
        self.behind = piece.first().copied().or(self.behind);
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::agent;
    use crate::session::Session;
    use fsgate_contract::agent_types::CallArgs;
    use fsgate_contract::limits::STRONG_TAG_BYTES;
    use fsgate_text::line_end::LineEnd;
    use fsgate_volume::Access;
    use fsgate_volume::grant::Grant;
    use fsgate_volume::memory::{Item, Memory};

    /// The same as it is said: what has all lines but the last ones before it.
    fn by_lines(text: &str, lines: usize) -> usize {
        let mut starts = vec![0];
        let mut at = 0;
        for end in LineEnd::all(text.as_bytes()) {
            let bytes = std::str::from_utf8(end.bytes()).unwrap();
            at += text[at..].find(bytes).unwrap() + bytes.len();
            starts.push(at);
        }
        if at == text.len() && !text.is_empty() {
            starts.pop();
        }
        starts[starts.len().saturating_sub(lines)]
    }

    fn in_pieces(text: &[u8], lines: u64, size: usize) -> usize {
        let mut search = TailSearch::new(lines);
        let mut end = text.len();
        while end > 0 {
            let begin = end.saturating_sub(size);
            if let Some(at) = search.feed(&text[begin..end]) {
                return begin + at;
            }
            end = begin;
        }
        0
    }

    #[test]
    fn the_last_lines_begin_behind_the_end_of_the_one_before() {
        for (text, lines, expected) in [
            ("", 1, 0),
            ("one", 1, 0),
            ("one\n", 1, 0),
            ("\n", 1, 0),
            ("one\ntwo", 1, 4),
            ("one\ntwo\n", 1, 4),
            ("one\ntwo\n", 2, 0),
            ("one\ntwo\n", 9, 0),
            ("one\n\n", 1, 4),
            ("one\r\ntwo\r\n", 1, 5),
            ("one\rtwo\r", 1, 4),
            ("one\r\n\r\n", 1, 5),
            ("one\n\rtwo", 2, 4),
            ("\r\r\n\n", 2, 1),
        ] {
            assert_eq!(start_in(text.as_bytes(), lines), expected, "{text:?}, {lines}");
            assert_eq!(by_lines(text, lines as usize), expected, "{text:?}, {lines}");
        }
    }

    /// A session over a file `/w/f`: what calls a tool in it.
    fn session(content: Vec<u8>) -> impl Fn(&str, &Value) -> Value {
        let volume = Memory::default();
        volume.put("f", Item::File(content));
        let grant = Grant { name: "/w".to_owned(), volume, access: Access::Write };
        let session = Session::new(vec![grant]).ok().unwrap();
        move |tool, arguments| {
            let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_string() };
            let answer = agent::call(&session, &args);
            serde_json::from_str(&answer.map_or_else(|refused| refused.error, |answer| answer.outcome))
                .unwrap()
        }
    }

    #[test]
    fn of_a_large_file_the_lines_before_are_not_counted() {
        let line = b"one more line of a log\r\n";
        let content =
            [&line.repeat((STRONG_TAG_BYTES as usize) / line.len() + 9), &b"caf\xC3\xA9\nend"[..]].concat();
        let size = content.len();
        let call = session(content);
        let first = call("read", &json!({"path": "f", "last_lines": 4, "max_bytes": 30}));
        assert_eq!(
            (&first["content"], &first["stopped"]),
            (&json!("one more line of a log\r\n"), &json!("bytes"))
        );
        assert_eq!(first.get("line_count"), None);
        let cursor = first["next_cursor"].as_str().unwrap();
        assert!(cursor.starts_with(&format!("{}.-.0.", size - 9 - line.len())), "{cursor}");
        let next = call("read", &json!({"path": "f", "cursor": cursor}));
        assert_eq!(next["content"], "one more line of a log\r\ncafé\nend");
        assert_eq!((next.get("line_count"), next.get("next_cursor")), (None, None));
        // A line without a number has none to be shown.
        let refused = call("read_numbered", &json!({"path": "f", "cursor": cursor}));
        assert_eq!((&refused["code"], &refused["field"]), (&json!("invalid_argument"), &json!("cursor")));
        let refused = call("read", &json!({"path": "f", "last_lines": 2, "max_bytes": 4}));
        assert_eq!(refused["content"], "caf");
        let all =
            call("read", &json!({"path": "f", "last_lines": u32::MAX, "max_lines": null, "max_bytes": 30}));
        assert!(all["next_cursor"].as_str().unwrap().starts_with("24.2.0."), "{all}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

        #[test]
        fn pages_of_the_last_lines_put_together_are_these(
            text in "(a|é|\n|\r\n|\r|\u{FEFF}|bc ){0,30}",
            utf_16: bool,
            lines in 1..9_u64,
            budget in 4..40_u32,
        ) {
            // Nothing but marks is no text in UTF-16 for certain.
            prop_assume!(!utf_16 || text.is_empty() || text.chars().any(|c| c != '\u{FEFF}'));
            let content = match utf_16 {
                true => format!("\u{FEFF}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect(),
                false => text.clone().into_bytes(),
            };
            let call = session(content);
            let text = if utf_16 { &text } else { text.strip_prefix('\u{FEFF}').unwrap_or(&text) };
            let expected = &text[by_lines(text, lines as usize)..];
            let mut arguments = json!({"path": "f", "last_lines": lines, "max_bytes": budget});
            let mut seen = String::new();
            loop {
                let page = call("read", &arguments);
                let content = page["content"].as_str().unwrap();
                prop_assert!(content.len() <= budget as usize);
                prop_assert_eq!(&page["line_count"], &json!(fsgate_text::line_end::count_lines(text.as_bytes())));
                seen += content;
                let Some(cursor) = page.get("next_cursor") else { break };
                arguments = json!({"path": "f", "cursor": cursor, "max_bytes": budget});
            }
            prop_assert_eq!(seen, expected);
        }

        #[test]
        fn they_begin_where_counting_from_the_front_says(text in "[a\n\r]{0,24}|(é|\r\n|b){0,12}", lines in 1..9_u64, size in 1..6_usize) {
            let expected = by_lines(&text, lines as usize);
            prop_assert_eq!(start_in(text.as_bytes(), lines), expected);
            prop_assert_eq!(in_pieces(text.as_bytes(), lines, size), expected);
        }
    }
}
