//! Reverts one change in a text that changed since.
//!
//! A change is found again by its new text and the lines around it. Their hash is enough, so no
//! forgotten text is kept here.

use std::ops::Range;

use memchr::{memchr_iter, memmem, memrchr_iter};

/// The most bytes of a window on either side of a change.
pub const WINDOW_BYTES: usize = 1024;

/// Whole lines on either side, the widest window first.
const LINES: [usize; 3] = [3, 1, 0];

/// The new text of a change and its surroundings, which must occur once.
///
/// A text has a line end before its first and after its last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Bytes before the new text.
    pub before: usize,
    /// Bytes after it.
    pub behind: usize,
    /// Hash of all of them.
    pub hash: u64,
}

/// The windows of the change that put `new` into `text`, the widest first.
///
/// An ambiguous window is left out. With `is_part`, `text` is part of a larger one, and only the
/// widest window counts.
pub fn windows(text: &[u8], new: Range<usize>, is_part: bool) -> Vec<Window> {
    let text = bordered(text);
    let (start, end) = (new.start + 1, new.end + 1);
    let mut all: Vec<Window> = Vec::new();
    for lines in LINES {
        let from = memrchr_iter(b'\n', &text[..start]).nth(lines).unwrap_or(0);
        // A change that ends with its line has no rest of it.
        let wanted = lines + usize::from(text[end - 1] != b'\n');
        let to = match wanted.checked_sub(1) {
            Some(more) => memchr_iter(b'\n', &text[end..]).nth(more).map_or(text.len(), |at| end + at + 1),
            None => end,
        };
        let (from, to) = (from.max(start.saturating_sub(WINDOW_BYTES)), to.min(end + WINDOW_BYTES));
        let window = &text[from..to];
        let is_once = memmem::find(&text[from + 1..], window).is_none()
            && memmem::find(&text[..to - 1], window).is_none();
        if is_part || is_once {
            let hash = window.iter().fold(0, with);
            let window = Window { before: start - from, behind: to - end, hash };
            if all.last() != Some(&window) {
                all.push(window);
            }
        }
        if is_part {
            break;
        }
    }
    all
}

/// The text `now` with `old` for `new`, where the widest window left occurs once. With `is_last`,
/// the changed text ended with `new`.
///
/// Each line of the result is one of the three texts. A last line without an end gets the line end
/// that now separates it from the next line.
pub fn taken_back(now: &[u8], windows: &[Window], old: &[u8], new: &[u8], is_last: bool) -> Option<Vec<u8>> {
    let text = bordered(now);
    let (start, is_cut) = windows.iter().find_map(|window| {
        let mut all = places(&text, window, new);
        let start = all.next()? + window.before;
        Some((all.next().is_none().then_some(start), window.behind == 0))
    })?;
    // The border lines are no part of the text.
    let start = start.filter(|start| *start > 0)?;
    let end = start + new.len();
    let is_followed = end <= now.len();
    let ends_line = |bytes: &[u8]| [&text[..start], bytes].concat().ends_with(b"\n");
    let (line_end, rest): (&[u8], usize) = match (ends_line(old), ends_line(new)) {
        // The rest of the old line is unknown.
        (false, true) if !is_last && is_cut => return None,
        (false, true) if is_last && is_followed => {
            (if text[..end].ends_with(b"\r\n") { b"\r\n" } else { b"\n" }, end)
        }
        // The line end that was added since is the one of the old line.
        (true, false) if is_last && is_followed => (b"", end + text[end..].starts_with(b"\n") as usize),
        _ => (b"", end),
    };
    Some([&text[1..start], old, line_end, now.get(rest - 1..).unwrap_or_default()].concat())
}

fn places<'t>(text: &'t [u8], window: &Window, new: &'t [u8]) -> impl Iterator<Item = usize> + use<'t> {
    let Window { before, behind, hash: wanted } = *window;
    let length = before.saturating_add(new.len()).saturating_add(behind);
    let last = text.len().checked_sub(length);
    // The weight of the byte that leaves.
    let weight = (0..length.min(text.len())).fold(1_u64, |weight, _| weight.wrapping_mul(BASE));
    let mut hash = text.iter().take(length).fold(0, with);
    (0..last.map_or(0, |last| last + 1)).filter(move |at| {
        if let Some(gone) = at.checked_sub(1) {
            hash = with(hash, &text[gone + length]).wrapping_sub(weight.wrapping_mul(value(text[gone])));
        }
        hash == wanted && text[at + before..].starts_with(new)
    })
}

/// An odd number, so every byte counts.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

fn with(hash: u64, byte: &u8) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(value(*byte))
}

fn value(byte: u8) -> u64 {
    u64::from(byte) + 1
}

fn bordered(text: &[u8]) -> Vec<u8> {
    let end: &[u8] = if matches!(text.last(), None | Some(b'\n')) { b"" } else { b"\n" };
    [b"\n", text, end].concat()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::splice::difference;

    fn reverted(was: &str, left: &str, now: &str, is_part: bool) -> Option<String> {
        let (was, left) = (was.as_bytes(), left.as_bytes());
        let (old, new) = difference(was, left);
        let windows = windows(left, new.clone(), is_part);
        let is_last = new.end == left.len();
        let back = taken_back(now.as_bytes(), &windows, &was[old], &left[new], is_last)?;
        Some(String::from_utf8(back).unwrap())
    }

    /// The text before the change, after it, now, and the reverted one.
    const CASES: &[(&str, &str, &str, Option<&str>)] = &[
        // Other lines have changed.
        ("a\none\nz\n", "a\ntwo\nz\n", "a\ntwo\nz\n", Some("a\none\nz\n")),
        ("a\none\nz\n", "a\ntwo\nz\n", "aa\ntwo\nz\n", Some("aa\none\nz\n")),
        ("a\none\nz\n", "a\ntwo\nz\n", "a\ntwo\nzz\n", Some("a\none\nzz\n")),
        ("a\none\nz\n", "a\ntwo\nz\n", "aa\ntwo\nzz\n", Some("aa\none\nzz\n")),
        ("a\none\nz\n", "a\ntwo\nz\n", "two\n", Some("one\n")),
        ("a\none\nz\n", "a\ntwo\nz\n", "a\nnew\nnew\ntwo\nz\n", Some("a\nnew\nnew\none\nz\n")),
        // Its own line has changed, or is gone.
        ("a\none\nz\n", "a\ntwo\nz\n", "a\ntree\nz\n", None),
        ("a\none\nz\n", "a\ntwo\nz\n", "a\ntwo three\nz\n", None),
        ("a\none\nz\n", "a\ntwo\nz\n", "a\nz\n", None),
        ("timeout = 10\n", "timeout = 20\n", "timeout = 250\n", None),
        ("timeout = 10\n", "timeout = 20\n", "timeout = 200\n", None),
        ("timeout = 10\n", "timeout = 20\n", "timeout = 120\n", None),
        ("timeout = 10\n", "timeout = 20\n", "timeout = 2\n", None),
        ("timeout = 10\n", "timeout = 20\n", "retries = 20\n", None),
        (
            "timeout = 10\n",
            "timeout = 20\n",
            "retries = 3\ntimeout = 20\n",
            Some("retries = 3\ntimeout = 10\n"),
        ),
        ("timeout = 10", "timeout = 20", "timeout = 250", None),
        ("timeout = 10", "timeout = 20", "timeout = 20\nmore", Some("timeout = 10\nmore")),
        // It stands several times now, or did so then.
        ("a\none\nz\n", "a\ntwo\nz\n", "a\ntwo\nz\na\ntwo\nz\n", None),
        ("a\none\nz\n", "a\ntwo\nz\n", "aa\ntwo\ntwo\nzz\n", None),
        ("a\non\nb\noff\n", "a\noff\nb\noff\n", "x\na\noff\nb\noff\n", Some("x\na\non\nb\noff\n")),
        ("a\non\nb\noff\n", "a\noff\nb\noff\n", "b\noff\n", None),
        ("b\non\nb\noff\n", "b\noff\nb\noff\n", "b\noff\n", None),
        // A deletion has its lines around it.
        ("H\nv = 1\nF\n", "H\nF\n", "H\nF\n", Some("H\nv = 1\nF\n")),
        ("H\nv = 1\nF\n", "H\nF\n", "H\nwork\nF\n", None),
        ("H\nv = 1\nF\n", "H\nF\n", "H\nF\nmore\n", Some("H\nv = 1\nF\nmore\n")),
        ("H\nv = 1\nF\n", "H\nF\n", "new\nH\nF\n", Some("new\nH\nv = 1\nF\n")),
        ("H\nv = 1\nF\n", "H\nF\n", "H\nFF\n", None),
        ("H\nv = 1\n", "H\n", "H\nmore\n", Some("H\nv = 1\nmore\n")),
        ("v = 1\nF\n", "F\n", "F\nmore\n", Some("v = 1\nF\nmore\n")),
        ("v = 1\nF\n", "F\n", "work\nF\n", Some("work\nv = 1\nF\n")),
        ("foo();\n", "foo()\n", "a\nfoo()\n", Some("a\nfoo();\n")),
        ("v\n", "", "", Some("v\n")),
        ("v\n", "", "work\n", None),
        // Additions.
        ("", "x\n", "x\ny\n", Some("y\n")),
        ("", "x", "xy", None),
        ("one\n", "one\ntwo\n", "one\ntwo\nthree\n", Some("one\nthree\n")),
        ("one\n", "one\ntwo\n", "two\nthree\n", Some("three\n")),
        ("one\n", "one\ntwo\n", "one\ntwo", Some("one\n")),
        ("one\n", "one\n\ntwo\n", "one\n\ntwo\nthree\n", Some("one\nthree\n")),
        ("a\r\none\r\n", "a\r\ntwo\r\n", "b\r\ntwo\r\n", Some("b\r\none\r\n")),
        ("a", "a", "a", Some("a")),
        // The file has lost its final line end.
        ("a\nb\nd\n", "a\nb\n", "a\nb", Some("a\nb\nd\n")),
        ("a\nb\n", "a\n", "a", Some("a\nb\n")),
        ("a\n\n", "a\n", "a", Some("a\n\n")),
        ("a\nb", "a\n", "a", Some("a\nb")),
        ("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n", "3\n4", Some("3\n4\n5\n6\n")),
        ("a\r\nb\r\n", "a\r\n", "a\r", Some("a\r\nb\r\n")),
        ("a\nb\n", "a\nb", "x\na\nb", Some("x\na\nb\n")),
        // Another program's line follows a last line without an end.
        ("a\nb", "a\nb\nc\n", "a\nb\nc\nd\n", Some("a\nb\nd\n")),
        ("a\nb", "a\nb\nc\n", "x\na\nb\nc\n", Some("x\na\nb")),
        ("a\nb\nc", "a\nb\n", "a\nb\nd\n", Some("a\nb\nc\nd\n")),
        ("a\r\nb\r\nc", "a\r\nb\r\n", "a\r\nb\r\nd\r\n", Some("a\r\nb\r\nc\r\nd\r\n")),
        ("a", "a\nb\n", "a\nb\nmore\n", Some("a\nmore\n")),
        ("a\r\nb", "a\r\nb\r\nc", "a\r\nb\r\nc\r\nd", None),
        ("a\nb\n", "a\nb", "a\nb\nc\n", Some("a\nb\nc\n")),
        ("a\n", "a\nb", "a\nb\nc\n", Some("a\nc\n")),
        ("a\nb", "a\nc", "a\nc\nd\n", Some("a\nb\nd\n")),
        // The changed line went on with text that is another one now.
        ("foo bar\n", "foo \nbar\n", "foo \nqux\n", None),
        ("foo bar\n", "foo \nbar\n", "foo \nbar\nqux\n", Some("foo bar\nqux\n")),
    ];

    #[test]
    fn one_change_is_taken_back_where_its_lines_stand_once() {
        for (was, left, now, expected) in CASES {
            assert_eq!(reverted(was, left, now, false).as_deref(), *expected, "{was:?} {left:?} {now:?}");
        }
    }

    #[test]
    fn a_part_of_a_text_is_found_by_its_widest_window_alone() {
        let (was, left) = ("1\n2\n3\none\n5\n6\n7\n", "1\n2\n3\ntwo\n5\n6\n7\n");
        for (now, expected) in [
            ("0\n1\n2\n3\ntwo\n5\n6\n7\n8\n", Some("0\n1\n2\n3\none\n5\n6\n7\n8\n")),
            ("2\n3\ntwo\n5\n6\n", None),
        ] {
            assert_eq!(reverted(was, left, now, true).as_deref(), expected, "{now:?}");
        }
    }

    /// A line without an end has a window of so many bytes.
    #[test]
    fn a_long_line_is_compared_near_the_change() {
        let long = |middle: &str, far: &str| {
            let near = "x".repeat(WINDOW_BYTES);
            format!("{far}{near}{middle}{near}{far}")
        };
        let left = long("[two]", "far");
        for (now, expected) in [
            (long("[two]", "other"), Some(long("[one]", "other"))),
            (long("[twos]", "far"), None),
            (long("[two]", "far") + &long("[two]", "far"), None),
        ] {
            assert_eq!(reverted(&long("[one]", "far"), &left, &now, false), expected);
        }
    }

    fn text() -> impl Strategy<Value = String> {
        let line = prop::sample::select(vec!["", "a", "b", "cd", "c", "\r"]);
        let end = prop::sample::select(vec!["\n", "\n", "\n", "\r\n", " "]);
        let lines = prop::collection::vec((line.clone(), end), 0..5);
        (lines, line).prop_map(|(lines, last)| {
            lines.into_iter().map(|(line, end)| format!("{line}{end}")).collect::<String>() + last
        })
    }

    /// Texts whose changes are often found again.
    fn texts() -> impl Strategy<Value = [String; 3]> {
        let parts = prop::array::uniform5(text());
        let kinds = (0..3_usize, 0..3_usize, 0..3_usize);
        (parts, kinds).prop_map(|([head, one, tail, other, more], (from, left, to))| {
            let now = match to {
                0 => format!("{head}{one}{tail}{more}"),
                1 => format!("{more}{head}{one}{tail}"),
                _ => format!("{head}{one}{tail}").trim_end_matches(['\n', 'd']).to_owned(),
            };
            let was = [format!("{head}{other}{tail}"), format!("{head}{tail}"), other][from].clone();
            let left = [format!("{head}{one}{tail}"), format!("{head}{one}{tail}"), one][left].clone();
            [was, left, now]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn every_line_is_one_of_an_author([was, left, now] in texts(), is_part in any::<bool>()) {
            if let Some(back) = reverted(&was, &left, &now, is_part) {
                let lines = |text: &str| -> Vec<String> {
                    text.split_terminator('\n').map(|line| line.trim_end_matches('\r').to_owned()).collect()
                };
                let known = [lines(&was), lines(&left), lines(&now)].concat();
                for line in lines(&back) {
                    prop_assert!(known.contains(&line), "{:?} {:?}", back, line);
                }
            }
        }

        #[test]
        fn any_window_is_looked_for(
            [now, old, new] in prop::array::uniform3(text()),
            windows in prop::collection::vec((0..9_usize, 0..9_usize, any::<bool>()), 1..4),
            is_last in any::<bool>(),
        ) {
            let windows: Vec<_> = windows.into_iter().map(|(before, behind, is_found)| {
                let text = bordered(now.as_bytes());
                let all = before + new.len() + behind;
                let hash = if is_found { text.iter().take(all).fold(0, with) } else { 0 };
                Window { before, behind, hash }
            }).collect();
            taken_back(now.as_bytes(), &windows, old.as_bytes(), new.as_bytes(), is_last);
            let (before, behind) = (usize::MAX, usize::MAX);
            let windows = [Window { before, behind, hash: 0 }];
            prop_assert_eq!(taken_back(now.as_bytes(), &windows, b"", b"", is_last), None);
        }
    }
}
