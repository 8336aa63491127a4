//! The search against a model that knows no blocks: every line on its own, by the crate `regex`.

use proptest::prelude::*;

use super::*;
use fsgate_text::line_pattern::{LineQuery, MatchedLines};

/// A line as the model shows it.
#[derive(Debug, Clone, PartialEq)]
struct Shown {
    line: u64,
    column: u64,
    text: String,
    before: Vec<String>,
    after: Vec<String>,
}

fn lines_of(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest
            .find(['\r', '\n'])
            .map_or(rest.len(), |at| at + if rest[at..].starts_with("\r\n") { 2 } else { 1 });
        lines.push(&rest[..end]);
        rest = &rest[end..];
    }
    lines
}

/// What is to be found, worked out line by line.
fn model(wanted: &LineQuery, text: &str, before: usize, after: usize) -> Vec<Shown> {
    let source = if wanted.regex { wanted.pattern.to_owned() } else { regex::escape(wanted.pattern) };
    let source = if wanted.word { format!(r"(?:^|\W)({source})(?:\W|$)") } else { format!("({source})") };
    let regex = regex::RegexBuilder::new(&source).case_insensitive(wanted.ignore_case).build().unwrap();
    let lines: Vec<_> = lines_of(text).iter().map(|line| line.trim_end_matches(['\r', '\n'])).collect();
    let at = |line: &str| regex.captures(line).and_then(|found| found.get(1)).map(|found| found.start());
    let hits: Vec<_> = (0..lines.len()).filter(|number| at(lines[*number]).is_some()).collect();
    let mut all = Vec::new();
    let mut shown = 0;
    for (index, hit) in hits.iter().enumerate() {
        let next = hits.get(index + 1).copied().unwrap_or(lines.len());
        let end = (hit + 1 + after).min(next);
        let owned = |range: Range<usize>| lines[range].iter().map(|line| (*line).to_owned()).collect();
        let start = at(lines[*hit]).unwrap_or_default();
        all.push(Shown {
            line: *hit as u64 + 1,
            column: lines[*hit][..start].chars().count() as u64 + 1,
            text: lines[*hit].to_owned(),
            before: owned(hit.saturating_sub(before).max(shown)..*hit),
            after: owned(hit + 1..end),
        });
        shown = end;
    }
    all
}

fn shown(hit: &Hit) -> Shown {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    Shown {
        line: hit.line,
        column: hit.column,
        text: text(&hit.text),
        before: hit.before.iter().map(|line| text(line)).collect(),
        after: hit.after.iter().map(|line| text(line)).collect(),
    }
}

/// Searches a text in blocks of so many lines each; after so many hits it stops and goes on from the position that it was
/// given. What does not fit is refused, or the last one that fits ends it.
fn scanned(
    wanted: &LineQuery,
    text: &str,
    (before, after): (usize, usize),
    per_block: usize,
    per_call: usize,
    refuses: bool,
    pauses: bool,
) -> Vec<Shown> {
    let pattern = LinePattern::compile(wanted).unwrap();
    let detail = Detail::Lines { before, after, with_etag: true };
    let mut all = Vec::new();
    let mut at = Position { offset: 0, line: 1, column: 0 };
    'calls: for _ in 0..10_000 {
        let mut scan = Scan::new(&pattern, detail, at, 0);
        let mut taken = 0;
        let start = usize::try_from(at.offset).unwrap();
        let lines = lines_of(&text[start..]);
        let mut take = |hit: Hit| {
            if refuses && taken == per_call {
                return Verdict::Refused;
            }
            let tag = etag::parse_range(hit.etag.as_deref().unwrap()).unwrap();
            let (offset, length) = (usize::try_from(tag.0).unwrap(), usize::try_from(tag.1).unwrap());
            assert_eq!(&text.as_bytes()[offset..offset + length], &hit.text[..]);
            all.push(shown(&hit));
            taken += 1;
            if !refuses && taken == per_call { Verdict::Last } else { Verdict::Taken }
        };
        let blocks: Vec<String> = lines.chunks(per_block).map(<[&str]>::concat).collect();
        for (number, block) in blocks.iter().enumerate() {
            let is_last = number + 1 == blocks.len();
            if let ControlFlow::Break(position) = scan.block(block.as_bytes(), 0, is_last, &mut take) {
                at = position;
                continue 'calls;
            }
            if pauses
                && !is_last
                && let Some(position) = scan.pause().filter(|p| p.offset > at.offset)
            {
                at = position;
                continue 'calls;
            }
        }
        return all;
    }
    panic!("it gets no further")
}

fn patterns() -> impl Strategy<Value = (&'static str, bool)> {
    prop_oneof![
        Just(("a", false)),
        Just(("ab", false)),
        Just((".", false)),
        Just(("a.", true)),
        Just(("^b", true)),
        Just(("b$", true)),
        Just(("^$", true)),
        Just(("[^a]", true)),
        Just(("a*", true)),
        Just(("(a|ä)\\s?b", true)),
        Just(("\\bab\\b", true)),
    ]
}

proptest! {
    #[test]
    fn blocks_and_stops_change_nothing(
        text in proptest::collection::vec(
            prop_oneof![Just("a"), Just("b"), Just("B"), Just("ä"), Just(" "), Just("."), Just("\n"), Just("\r\n"), Just("\r")], 0..60
        ),
        (pattern, regex) in patterns(),
        (ignore_case, word) in any::<(bool, bool)>(),
        context in (0_usize..4, 0_usize..4),
        per_block in 1_usize..9,
        per_call in 1_usize..5,
        (refuses, pauses) in any::<(bool, bool)>(),
    ) {
        let text = text.concat();
        // What a word is next to, the model knows for texts only.
        let wanted = LineQuery { pattern, regex, ignore_case, word: word && !regex, ..LineQuery::default() };
        let expected = model(&wanted, &text, context.0, context.1);
        prop_assert_eq!(&scanned(&wanted, &text, context, per_block, per_call, refuses, pauses), &expected);
        // A pattern that can match no line end finds the same in the text as a whole.
        if !["[^a]", "(a|ä)\\s?b"].contains(&pattern) {
            let wanted = LineQuery { multi_line: true, ..wanted };
            prop_assert_eq!(&scanned(&wanted, &text, context, usize::MAX, per_call, refuses, false), &expected);
        }
    }
}

#[test]
fn what_is_too_long_is_shown_in_part() {
    let pattern = LinePattern::compile(&LineQuery { pattern: "needle", ..LineQuery::default() }).unwrap();
    let detail = Detail::Lines { before: 1, after: 1, with_etag: false };
    let text = format!("{0}\n{0}needle{0}\nshort\n", "ä".repeat(1000));
    let mut hits = Vec::new();
    let mut scan = Scan::new(&pattern, detail, Position { offset: 0, line: 1, column: 0 }, 0);
    let over = scan.block(text.as_bytes(), 0, true, &mut |hit| {
        hits.push(hit);
        Verdict::Taken
    });
    assert_eq!((over, hits.len()), (ControlFlow::Continue(()), 1));
    let hit = shown(&hits[0]);
    assert!(hits[0].cut);
    assert_eq!((hit.line, hit.column), (2, 1001));
    assert_eq!(hit.text.chars().count(), SHOWN_LINE_CHARS);
    assert!(hit.text.contains("needle") && hit.text.starts_with('ä') && hit.text.ends_with('ä'));
    assert_eq!(
        (hit.before[0].chars().count(), &hit.after[..]),
        (SHOWN_LINE_CHARS, &["short".to_owned()][..])
    );
}

#[test]
fn a_line_of_very_many_matches_takes_no_longer_than_its_length() {
    let text = "y".repeat(300_000);
    let wanted = LineQuery { pattern: "y", multi_line: true, ..LineQuery::default() };
    let pattern = LinePattern::compile(&wanted).unwrap();
    let found = pattern.find(text.as_bytes(), 0);
    // With every match measured from the beginning of the line this would not end while anybody waits.
    assert_eq!(found, Some(MatchedLines { lines: 0..text.len(), first: 0..1 }));
}
