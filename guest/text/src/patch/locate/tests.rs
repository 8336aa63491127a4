use proptest::prelude::*;

use super::super::{Patch, PatchAction, parse};
use super::*;

fn hunks(text: &str) -> Vec<Hunk<'_>> {
    let Patch { parts, .. } = parse(text).unwrap_or_else(|invalid| panic!("{invalid:?}\n{text}"));
    let [part] = <[_; 1]>::try_from(parts).unwrap_or_else(|parts| panic!("{parts:?}"));
    match part.action {
        PatchAction::Change(hunks) => hunks,
        other => panic!("{other:?}"),
    }
}

fn unified(hunks: &str) -> String {
    format!("--- a/x\n+++ b/x\n{hunks}")
}

fn envelope(hunks: &str) -> String {
    format!("*** Begin Patch\n*** Update File: x\n{hunks}*** End Patch\n")
}

fn applied(text: &str, patch: &str, exact: bool) -> Result<AppliedHunks, MisplacedHunk> {
    let done = apply(text.as_bytes(), &hunks(patch), Spelling::Plain, exact, &mut 0)?;
    assert_parts(text.as_bytes(), &done);
    Ok(done)
}

/// All text outside of the parts must be unchanged.
fn assert_parts(text: &[u8], done: &AppliedHunks) {
    let (mut old, mut new) = (0, 0);
    for (range, length) in &done.parts {
        assert!(range.start >= old && range.end >= range.start, "{:?}", done.parts);
        let kept = range.start - old;
        assert_eq!(&text[old..range.start], &done.text[new..new + kept], "{:?}", done.parts);
        (old, new) = (range.end, new + kept + length);
    }
    assert_eq!(&text[old..], &done.text[new..], "{:?}", done.parts);
}

/// The new text, the changed lines, `~` after adapted line ends, and moved hunks.
fn shown(done: Result<AppliedHunks, MisplacedHunk>) -> String {
    match done {
        Ok(AppliedHunks { text, lines, adapted, moved, .. }) => {
            let text = String::from_utf8(text).unwrap();
            let moved: String = moved
                .iter()
                .map(|MovedHunk { number, says, line }| format!(" {number}:{says}>{line}"))
                .collect();
            format!("{text:?} {lines:?}{}{moved}", if adapted { "~" } else { "" })
        }
        Err(MisplacedHunk { hunk, why }) => {
            let nearest = |nearest: Option<Candidate>| match nearest {
                None => String::new(),
                Some(Candidate { line, column, in_file, in_request, .. }) => {
                    format!(" {line}:{column} {in_file} | {in_request}")
                }
            };
            match why {
                HunkProblem::Missing(place) | HunkProblem::Unseparated(place) => {
                    format!("{hunk} missing{}", nearest(place.nearest))
                }
                HunkProblem::PastEnd(after, lines) => format!("{hunk} behind {after} of {lines}"),
                HunkProblem::Unended(line) => format!("{hunk} behind {line}, not ended"),
                HunkProblem::NoAnchor(Anchor { text, follows, nearest: place }) => {
                    let behind = if follows { " behind" } else { "" };
                    format!("{hunk} no {text:?}{behind}{}", nearest(place))
                }
                HunkProblem::Unmarked(place) => format!("{hunk} not ended{}", nearest(place)),
                HunkProblem::Overlapping(line) => format!("{hunk} overlapping at {line}"),
                HunkProblem::Disordered(line) => format!("{hunk} disordered at {line}"),
                HunkProblem::Ambiguous(lines, count) if count > lines.len() as u64 => {
                    format!("{hunk} ambiguous {} of {count}", lines.len())
                }
                HunkProblem::Ambiguous(lines, _) => format!("{hunk} ambiguous {lines:?}"),
                HunkProblem::Laborious => format!("{hunk} laborious"),
            }
        }
    }
}

#[test]
fn hunks_that_look_through_too_much_are_refused() {
    let text = "a\nb\nc\n".repeat(100);
    for (patch, least, most) in [
        ("@@ -1,1 +1,1 @@\n-a\n+A\n", 0, 10),
        ("@@ -298,1 +298,1 @@\n-a\n+A\n", 594, 600),
        ("@@ -900,1 +900,1 @@\n-x\n+A\n", 1_200, 2_400),
    ] {
        let mut looked = 0;
        let patch = unified(patch);
        let hunks = hunks(&patch);
        let made = apply(text.as_bytes(), &hunks, Spelling::Plain, false, &mut looked);
        if made.is_ok() {
            assert!((least..=most).contains(&looked), "{patch}: {looked}");
        }
        let mut spent = EDITS_LOOK_BYTES + 1;
        let refused = apply(text.as_bytes(), &hunks, Spelling::Plain, false, &mut spent).unwrap_err();
        assert_eq!(refused.why, HunkProblem::Laborious, "{patch}");
    }
}

#[test]
fn hunks_of_a_diff_stand_where_they_say_or_at_one_place() {
    for (text, patch, expected) in [
        ("a\nb\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", r#""a\nB\nc\n" [2]"#),
        ("a\nb\nc\n", "@@ -1 +1 @@\n-a\n+A\n@@ -3 +3,2 @@\n-c\n+C\n+d\n", r#""A\nb\nC\nd\n" [1, 3]"#),
        ("x\nx\nx\n", "@@ -2 +2 @@\n-x\n+y\n", r#""x\ny\nx\n" [2]"#),
        ("x\ny\nx\n", "@@ -2 +2 @@\n-x\n+z\n", "0 ambiguous [1, 3]"),
        ("a\nb\nc\n", "@@ -7,2 +7,2 @@\n b\n-c\n+C\n", r#""a\nb\nC\n" [3] 1:7>2"#),
        ("a\nb\nc\n", "@@ -3 +3 @@\n-b\n+B\n@@ -1 +1 @@\n-c\n+C\n", r#""a\nB\nC\n" [2, 3] 1:3>2 2:1>3"#),
        ("a\nb\nc\n", "@@ -3 +3 @@\n-c\n+C\n@@ -1 +1 @@\n-a\n+A\n", "1 disordered at 1"),
        ("one line\n", "@@ -1 +1 @@\n-one  line\n+x\n", "0 missing 1:4 space | 2 spaces"),
        ("\tx = 1\n", "@@ -1 +1 @@\n-    x = 1\n+x\n", "0 missing 1:1 TAB | 4 spaces"),
        ("", "@@ -0,0 +1,2 @@\n+a\n+b", r#""a\nb\n" [1]"#),
        ("a\n", "@@ -0,0 +1 @@\n+b\n", r#""b\na\n" [1]"#),
        ("a\nb\n", "@@ -1,0 +2 @@\n+x\n", r#""a\nx\nb\n" [2]"#),
        ("a\nb\n", "@@ -2,0 +3 @@\n+x\n", r#""a\nb\nx\n" [3]"#),
        ("a\nb\n", "@@ -3,0 +4 @@\n+x\n", "0 behind 3 of 2"),
        ("a\nb", "@@ -9,0 +10 @@\n+x\n", "0 behind 9 of 2"),
        ("a\rb\r", "@@ -3,0 +4 @@\n+x\n", "0 behind 3 of 2"),
        ("", "@@ -1,0 +2 @@\n+x\n", "0 behind 1 of 0"),
        ("a\nb", "@@ -2,0 +3 @@\n+x\n", "0 behind 2, not ended"),
        ("a\nb\nc\n", "@@ -2 +2 @@\n-b\n+B\n@@ -1,0 +2 @@\n+x\n", "1 disordered at 2"),
        ("a\nb\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n@@ -2,2 +2,2 @@\n b\n-c\n+C\n", "1 overlapping at 2"),
        ("a\nb\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n@@ -1,0 +2 @@\n+x\n", "1 overlapping at 2"),
        ("a\rb\rc\r", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n@@ -1,0 +2 @@\n+x\n", "1 overlapping at 2"),
        ("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "0 not ended 2:2 end of file | LF"),
        (
            "max_value = 10",
            "@@ -1 +1 @@\n-value = 10\n+value = 20\n",
            "0 missing 1:1 \"max_value\" | \"value\"",
        ),
        ("a\r\nb", "@@ -2 +2 @@\n-b\n+B\n", "0 not ended"),
        ("c\nx\nc", "@@ -3 +3 @@\n-c\n+C\n", "0 not ended"),
        ("c\r\nx\r\nc", "@@ -3 +3 @@\n-c\n+C\n", "0 not ended"),
        ("c\nx\nc", "@@ -2 +2 @@\n-c\n+C\n", "0 ambiguous [1, 3]"),
        ("c\r\nx\r\nc", "@@ -2 +2 @@\n-c\n+C\n", "0 ambiguous [1, 3]"),
        ("c\nx\nc", "@@ -2 +2 @@\n-c\n\\ No newline\n+C\n", r#""c\nx\nC\n" [3] 1:2>3"#),
        ("a\r\nb\r\n", "@@ -0,0 +1 @@\n+x\n", r#""x\r\na\r\nb\r\n" [1]~"#),
        ("a\r\nb\nc\r\n", "@@ -2,0 +3 @@\n+x\n", r#""a\r\nb\nx\r\nc\r\n" [3]~"#),
        ("a\r\nb\r\n", "@@ -0,0 +1 @@\n+x\r\n", r#""x\r\na\r\nb\r\n" [1]"#),
        ("a\r\nb\r\n", "@@ -1,0 +2 @@\n+x\r\n", r#""a\r\nx\r\nb\r\n" [2]"#),
        ("a\nb\n", "@@ -1,0 +2 @@\n+x\r\n", r#""a\nx\r\nb\n" [2]"#),
        ("a\rb\r", "@@ -1,0 +2 @@\n+x\n", r#""a\rx\rb\r" [2]~"#),
        ("a\r\nb", "@@ -2 +2,2 @@\n-b\n\\ No newline\n+y\n+z\n\\ No newline\n", r#""a\r\ny\r\nz" [2]~"#),
        ("a", "@@ -1 +1 @@\n-a\n\\ No newline\n+b\n", r#""b\n" [1]"#),
        ("a\n", "@@ -1 +1 @@\n-a\n+a\n\\ No newline\n", r#""a" [1]"#),
        ("a\nb", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline\n", r#""A\nb" [1]"#),
        ("one line", "@@ -1 +1 @@\n-one line\n+b\n", "0 not ended 1:9 end of file | LF"),
        ("one line\n", "@@ -1 +1 @@\n-one line\n\\ No newline\n+b\n", "0 missing 1:9 LF | end of file"),
        ("one line\r\n", "@@ -1 +1 @@\n-one line\n\\ No newline\n+b\n", "0 missing 1:9 CRLF | end of file"),
        ("one line here", "@@ -1 +1 @@\n-one line\n\\ No newline\n+b\n", "0 missing 1:9 space | end of file"),
        ("x\none lime\n", "@@ -2 +2 @@\n-one line\n\\ No newline\n+b\n", "0 missing 2:7 \"me\" | \"ne\""),
        ("a\nnot one line\nb\n", "@@ -2 +2 @@\n-one line\n+x\n", "0 missing 2:1 \"not\" | \"one\""),
        ("a\na\na\n", "@@ -1 +0,0 @@\n-a\n@@ -2 +1 @@\n-a\n+b\n", r#""b\na\n" [1, 2]"#),
    ] {
        let patch = unified(patch);
        let told = shown(applied(text, &patch, false));
        assert_eq!(told, expected, "{text:?}\n{patch}");
    }
}

#[test]
fn hunks_of_an_envelope_stand_once_behind_their_lines() {
    const TWICE: &str = "class A\n    def f():\n        x\n\nclass B\n    def f():\n        x\n";
    for (text, patch, expected) in [
        ("a\nb\nc\n", "@@\n a\n-b\n+B\n", r#""a\nB\nc\n" [2]"#),
        ("a\nb\nc\n", "-b\n+B\n", r#""a\nB\nc\n" [2]"#),
        ("x\na\nx\n", "@@ a\n-x\n+y\n", r#""x\na\ny\n" [3]"#),
        ("x\na\nx\n", "@@\n-x\n+y\n", "0 ambiguous [1, 3]"),
        (
            TWICE,
            "@@ class B\n@@     def f():\n-        x\n+        y\n",
            "\"class A\\n    def f():\\n        x\\n\\nclass B\\n    def f():\\n        y\\n\" [7]",
        ),
        (TWICE, "@@ class A\n-        x\n+        y\n", "0 ambiguous [3, 7]"),
        (TWICE, "@@ class C\n-        x\n+        y\n", "0 no \"class C\" 1:7 \"A\" | \"C\""),
        (TWICE, "@@ class A\n@@ class A\n+x\n", "0 no \"class A\" behind"),
        (TWICE, "@@ def f():\n-        x\n+        y\n", "0 no \"def f():\" 2:1 4 spaces | \"def\""),
        (TWICE, "@@ class\n-        x\n+        y\n", "0 no \"class\" 1:6 space | LF"),
        (TWICE, "@@     def f():\n+        y\n", "0 ambiguous [2, 6]"),
        (
            TWICE,
            "@@ class B\n+    y = 1\n",
            "\"class A\\n    def f():\\n        x\\n\\nclass B\\n    y = 1\\n    def f():\\n        x\\n\" [6]",
        ),
        ("a\nb\n", "@@ b\n-b\n+c\n", "0 missing"),
        ("a\nb\n", "@@\n-b\n+c\n@@\n-a\n+d\n", "1 disordered at 1"),
        ("a\na\nb\n", "@@\n-b\n+c\n@@\n-a\n+d\n", "1 disordered at 2"),
        ("a\nb\nc\n", "@@\n-a\n b\n@@\n b\n-c\n", "1 overlapping at 2"),
        ("a\r\nb\r\nc", "@@\n-a\n b\n@@\n b\n-c\n", "1 overlapping at 2"),
        ("b\nx\nb", "@@\n-b\n+c\n", "0 ambiguous [1, 3]"),
        ("b\r\nx\r\nb", "@@\n-b\n+c\n", "0 ambiguous [1, 3]"),
        ("b\r\nx\r\nb", "@@\n-b\r\n+c\r\n", "0 ambiguous [1, 3]"),
        ("b\r\nx\nb\n", "@@\n-b\n+c\n", "0 ambiguous [1, 3]"),
        ("b\r\nx\nb\n", "@@ x\n-b\n+c\n", r#""b\r\nx\nc\n" [3]"#),
        ("b\r\nx\r\nb", "@@\n x\n-b\n+c\n", r#""b\r\nx\r\nc" [3]"#),
        ("x\ny\nx\n", "@@\n-x\n+z\n*** End of File\n", r#""x\ny\nz\n" [3]"#),
        ("x\ny\n", "@@\n-x\n+z\n*** End of File\n", "0 missing"),
        (
            "a first line\nanother\n",
            "@@\n-a first line\n+z\n*** End of File\n",
            "0 missing 2:1 \"another\" | end of file",
        ),
        ("a\n", "@@\n+b\n*** End of File\n", r#""a\nb\n" [2]"#),
        // An envelope cannot say whether the last line is ended, so that stays.
        ("a\nb", "@@\n a\n-b\n+c\n+d\n", r#""a\nc\nd" [2]"#),
        ("a\nb", "@@\n a\n b\n+c\n", r#""a\nb\nc" [3]"#),
        ("a\nb", "@@\n+c\n*** End of File\n", r#""a\nb\nc" [3]"#),
        ("a\r\nb", "@@\n b\n+c\n", r#""a\r\nb\r\nc" [3]"#),
        ("a\nb", "@@\n a\n-b\n", r#""a" [2]"#),
        ("", "@@\n+c\n*** End of File\n", r#""c\n" [1]"#),
    ] {
        let patch = envelope(patch);
        let told = shown(applied(text, &patch, false));
        let told = if expected.ends_with("missing") { told[..expected.len()].to_owned() } else { told };
        assert_eq!(told.trim_end_matches('~'), expected, "{text:?}\n{patch}");
    }
}

#[test]
fn line_ends_become_the_text_s() {
    for (text, patch, expected, exact) in [
        ("a\r\nb\r\nc\r\n", "@@ -2 +2,2 @@\n-b\n+B\n+B\n", r#""a\r\nB\r\nB\r\nc\r\n" [2]~"#, "0 missing"),
        ("a\rb\rc\r", "@@ -2,2 +2,2 @@\n b\n-c\n+C\n", r#""a\rb\rC\r" [3]~"#, "0 missing"),
        ("a\nb\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+B\r\n", r#""a\nB\n" [2]~"#, "0 missing"),
        ("a\r\nb\nc\r\nd", "@@ -1,3 +1,2 @@\n a\n-b\n c\n", r#""a\r\nc\r\nd" [2]~"#, "0 missing"),
        ("a\r\nb\nc\r\n", "@@ -1,3 +1,4 @@\n a\n-b\n+x\n+y\n c\n", r#""a\r\nx\ny\nc\r\n" [2]~"#, "0 missing"),
        ("a\r\nb\r\n", "@@ -1,0 +2 @@\n+x\n", r#""a\r\nx\r\nb\r\n" [2]~"#, r#""a\r\nx\nb\r\n" [2]"#),
        ("a\nb\n", "@@ -1 +1 @@\n-a\n+a\r\n", r#""a\r\nb\n" [1]"#, r#""a\r\nb\n" [1]"#),
        ("a\r\nb\n", "@@ -1 +1 @@\n-a\r\n+a\n", r#""a\nb\n" [1]"#, r#""a\nb\n" [1]"#),
        ("a\rb\nc\n", "@@ -1 +1 @@\n-a\rb\n+a\n", r#""a\nc\n" [1]"#, r#""a\nc\n" [1]"#),
        ("a\rb\rc\n", "@@ -1 +1 @@\n-a\n+A\n@@ -2 +2 @@\n-b\n+B\n", r#""A\rB\rc\n" [1, 2]~"#, "0 missing"),
    ] {
        let patch = unified(patch);
        let begin = |done: String, expected: &str| {
            if expected.ends_with("missing") { done[..expected.len()].to_owned() } else { done }
        };
        assert_eq!(shown(applied(text, &patch, false)), expected, "{text:?}\n{patch}");
        assert_eq!(begin(shown(applied(text, &patch, true)), exact), exact, "{text:?}\n{patch}");
    }
}

#[test]
fn a_byte_order_mark_stays_unless_it_is_meant() {
    for (text, patch, expected) in [
        ("\u{FEFF}a\nb\n", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n", "\u{FEFF}A\nb\n"),
        ("\u{FEFF}a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "\u{FEFF}a\nB\n"),
        ("\u{FEFF}a\nb\n", "@@ -1,2 +1,2 @@\n-\u{FEFF}a\n+\u{FEFF}A\n b\n", "\u{FEFF}A\nb\n"),
        ("\u{FEFF}a\nb\n", "@@ -1,2 +1,2 @@\n-\u{FEFF}a\n+a\n b\n", "a\nb\n"),
        ("a\n", "@@ -1 +1 @@\n-a\n+\u{FEFF}a\n", "\u{FEFF}a\n"),
        ("\u{FEFF}a\n", "@@ -0,0 +1 @@\n+x\n", "\u{FEFF}x\na\n"),
        ("\u{FEFF}a\n", "@@ -1 +0,0 @@\n-a\n", "\u{FEFF}"),
    ] {
        let patch = unified(patch);
        let done = applied(text, &patch, false).unwrap();
        assert_eq!(String::from_utf8(done.text).unwrap(), expected, "{text:?}\n{patch}");
    }
}

#[test]
fn what_does_not_decode_survives() {
    let patch = unified("@@ -2 +2 @@\n-b\n+B\n");
    let done = apply(b"caf\xE9\nb\n\xFF", &hunks(&patch), Spelling::Plain, false, &mut 0).unwrap();
    assert_eq!(done.text, b"caf\xE9\nB\n\xFF");
}

#[test]
fn a_place_is_found_in_linear_time() {
    let text = "}\n".repeat(400_000) + "end\n";
    let old: String = " }\n".repeat(100_000) + "-end\n+END\n";
    let patch = unified(&format!("@@ -1,100001 +1,100001 @@\n{old}"));
    let done = applied(&text, &patch, false).unwrap();
    assert_eq!(done.lines, [400_001]);
}

/// A text of few distinct lines, with any line ends.
fn texts() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec!["a", "b", "", "é", " x", "-", "+", "\\", "@@ -1 +1 @@", "\u{FEFF}"]);
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\r\n", "\r", ""]);
    prop::collection::vec((line, end), 0..14)
        .prop_map(|lines| lines.into_iter().map(|(line, end)| format!("{line}{end}")).collect())
}

proptest! {
    #[test]
    fn our_own_diff_gives_the_same_bytes(old in texts(), new in texts()) {
        prop_assume!(old != new);
        let region = crate::diff::DiffRegion {
            line: 1,
            before: old.as_bytes(),
            after: new.as_bytes(),
            ..Default::default()
        };
        let (diff, _) = crate::diff::changed("/w/x", &region);
        for exact in [false, true] {
            let done = applied(&old, &diff, exact).unwrap();
            prop_assert_eq!(String::from_utf8(done.text).unwrap(), &*new, "{}", diff);
            prop_assert!(!done.adapted && done.moved.is_empty());
        }
    }

    #[test]
    fn a_diff_of_lf_fits_a_text_of_crlf(old in texts(), new in texts(), head in "[xyz\n]{0,8}") {
        let [old, new] = [old, new].map(|text| text.replace("\r\n", "\n").replace('\r', "\n").replace('\u{FEFF}', ""));
        prop_assume!(old != new && old.contains('\n') && !old.starts_with('\n'));
        let region = crate::diff::DiffRegion {
            line: 1,
            before: old.as_bytes(),
            after: new.as_bytes(),
            ..Default::default()
        };
        let (diff, _) = crate::diff::changed("/w/x", &region);
        let crlf = |text: &str| text.replace('\n', "\r\n");
        let done = applied(&crlf(&old), &diff, false).unwrap();
        prop_assert_eq!(String::from_utf8(done.text).unwrap(), crlf(&new), "{}", diff);
        // Moved by lines before it, it is found or refused, but never misplaced.
        if let Ok(done) = applied(&format!("{head}{old}"), &diff, false) {
            let text = String::from_utf8(done.text).unwrap();
            prop_assert!(text == format!("{head}{new}") || head.contains(['\n']), "{}", text);
        }
    }
}
