//! Laws, on random files and random paths, against models that are as simple as can be.

mod model;
mod paths;

use fsgate_core::agent;
use fsgate_core::contract::agent_types::CallArgs;
use fsgate_core::contract::edit_types::ReplaceArgs;
use fsgate_core::contract::read_types::{ReadArgs, ReadNumberedArgs};
use fsgate_core::contract::types::Stop;
use fsgate_core::session::Session;
use fsgate_core::tools;
use fsgate_core::volume::memory::{Item, Memory};
use fsgate_tests::memory;
use fsgate_tests::placeholder::strong_tag;
use fsgate_tests::tree::Tree;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use model::{Refusal, contents, lines, patched, replaced, without_mark};

/// Runs of every law. The seed differs from run to run; a failure prints what it needs to be a case.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Pieces that random files are made of.
const PIECES: &[&[u8]] = &[
    b"a",
    b"b",
    b"ab",
    b"aa",
    b"x",
    b" ",
    b"\t",
    b"\n",
    b"\n",
    b"\r\n",
    b"\r\n",
    b"\r",
    b"\0",
    b"\x0c",
    b"\xC3\xA9",
    b"\xE2\x80\xA8",
    b"\xF0\x9F\x98\x80",
    b"\xEF\xBB\xBF",
];

/// Pieces that are not UTF-8.
const BROKEN: &[&[u8]] = &[b"\xE9", b"\xFF\xFE\x80", b"\xC3", b"\xED\xA0\x80"];

fn text() -> impl Strategy<Value = Vec<u8>> {
    let long = |line: bool, bytes: Vec<u8>| if line { [b"y".repeat(300_000), bytes].concat() } else { bytes };
    (prop::bool::weighted(0.05), vec(select(PIECES), 0..40))
        .prop_map(move |(line, pieces)| long(line, pieces.concat()))
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    (text(), prop::option::weighted(0.3, (select(BROKEN), any::<prop::sample::Index>()))).prop_map(
        |(mut bytes, broken)| {
            if let Some((piece, at)) = broken {
                let at = at.index(bytes.len() + 1);
                bytes.splice(at..at, piece.iter().copied());
            }
            bytes
        },
    )
}

fn request(pieces: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    vec(select(&["a", "b", "ab", "aa", "x", "\n", "\n", "\r\n", "\r", "é", "$1"][..]), pieces)
        .prop_map(|pieces| pieces.concat())
}

/// A session over a file `/w/f`.
fn session(bytes: &[u8]) -> (Memory, Session<Memory>) {
    let tree = Tree::parse("").unwrap();
    let volume = memory::volume(&tree).unwrap();
    volume.put("w/f", Item::File(bytes.to_vec()));
    let session = memory::session(&tree, &volume, |volume| volume).unwrap();
    (volume, session)
}

fn file(volume: &Memory) -> Vec<u8> {
    match volume.snapshot().remove("w/f") {
        Some(Item::File(bytes)) => bytes,
        other => panic!("there is no file any more: {other:?}"),
    }
}

proptest! {
    #![proptest_config(config(1_500))]

    #[test]
    fn replacing_changes_what_the_model_changes_and_nothing_else(
        before in bytes(),
        old in request(1..4),
        new in request(0..4),
        occurrence in prop::option::of(1..4_u32),
        exact in prop::bool::weighted(0.2),
    ) {
        // UTF-16 is refused before anything is looked for; a case says so.
        prop_assume!(!((before.starts_with(b"\xFF\xFE") || before.starts_with(b"\xFE\xFF")) && before.contains(&0)));
        let (volume, session) = session(&before);
        let args = ReplaceArgs {
            path: "f".into(),
            old: old.clone(),
            new: new.clone(),
            occurrence,
            exact_line_ends: Some(exact),
            diff: Some(true),
        };
        let answer = session.run(tools::replace::run, &args);
        match (replaced(&before, old.as_bytes(), new.as_bytes(), occurrence, !exact), answer) {
            (Ok(model), Ok(outcome)) => {
                let after = file(&volume);
                prop_assert_eq!(&after, &model.after);
                prop_assert_eq!(outcome.etag_before, strong_tag(&before));
                prop_assert_eq!(outcome.etag, strong_tag(&after));
                prop_assert_eq!(outcome.replacements, 1);
                prop_assert_eq!(outcome.lines, vec![model.line]);
                prop_assert_eq!(outcome.line_ends_adapted, model.adapted);
                if let Some(diff) = outcome.diff
                    && std::str::from_utf8(&before).is_ok()
                {
                    prop_assert_eq!(patched(&before, diff.as_bytes()), after, "by {}", diff);
                }
            }
            (Err(refusal), Err(error)) => {
                prop_assert_eq!(refusal.name(), error.code.name());
                if let Refusal::Ambiguous(lines) = refusal {
                    let json = serde_json::to_value(&error).unwrap();
                    prop_assert_eq!(&json["lines"], &Value::from(lines));
                }
                prop_assert!(!error.applied);
                prop_assert_eq!(file(&volume), before);
            }
            (model, answer) => prop_assert!(false, "the model says {:?}, and the tool {:?}", model, answer),
        }
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn windows_put_together_are_the_file(before in text(), skip in 0..5_u32, step in 1..7_u32) {
        let (_, session) = session(&before);
        let mut seen = Vec::new();
        for skip_lines in std::iter::successors(Some(0), |skipped| Some(skipped + step)) {
            let args = ReadArgs {
                path: "f".into(),
                skip_lines: Some(skip_lines),
                max_lines: Some(step),
                max_bytes: Some(1 << 20),
            };
            let outcome = session.run(tools::read::run, &args).unwrap();
            prop_assert_eq!(outcome.etag, strong_tag(&before));
            prop_assert_eq!(outcome.line_count, Some(contents(&before).len() as u32));
            prop_assert_eq!(outcome.size, before.len() as u64);
            prop_assert_eq!(outcome.stopped, None);
            prop_assert_eq!(outcome.bom, before.starts_with("\u{FEFF}".as_bytes()));
            if outcome.bom && skip_lines == 0 {
                seen.extend_from_slice("\u{FEFF}".as_bytes());
            }
            seen.extend_from_slice(outcome.content.as_bytes());
            if skip_lines >= contents(&before).len() as u32 {
                prop_assert_eq!(outcome.content, "");
                break;
            }
        }
        prop_assert_eq!(&seen, &before);

        // One window on its own is those lines.
        let args = ReadArgs {
            path: "f".into(),
            skip_lines: Some(skip + 1),
            max_lines: Some(step),
            max_bytes: Some(1 << 20),
        };
        let outcome = session.run(tools::read::run, &args).unwrap();
        let all = lines(&before);
        let window: Vec<_> = all.into_iter().skip(skip as usize + 1).take(step as usize).collect();
        prop_assert_eq!(outcome.content.as_bytes(), &window.concat()[..]);
    }

    #[test]
    fn a_budget_shows_as_many_whole_lines_as_fit(before in text(), skip in 0..5_u32, budget in 1..60_u32) {
        let (_, session) = session(&before);
        let args = ReadArgs {
            path: "f".into(),
            skip_lines: Some(skip),
            max_bytes: Some(budget),
            ..Default::default()
        };
        let wanted: Vec<_> = lines(without_mark(&before)).into_iter().skip(skip as usize).collect();
        let mut room = budget as usize;
        let shown: Vec<_> = wanted
            .iter()
            .take_while(|line| {
                let fits = line.len() <= room;
                room = room.saturating_sub(line.len());
                fits
            })
            .copied()
            .collect();
        match session.run(tools::read::run, &args) {
            Ok(outcome) => {
                prop_assert_eq!(outcome.content.as_bytes(), &shown.concat()[..]);
                prop_assert_eq!(outcome.stopped, (shown.len() < wanted.len()).then_some(Stop::Bytes));
                let next = (shown.len() < wanted.len()).then(|| {
                    format!("more lines follow: call again with `skip_lines` {}", skip as usize + shown.len())
                });
                prop_assert_eq!(outcome.notes.first().map(|note| note.text.clone()), next);
            }
            Err(error) => {
                prop_assert_eq!(error.code.name(), "too_large");
                prop_assert!(shown.is_empty() && !wanted.is_empty());
            }
        }
    }

    #[test]
    fn numbered_lines_are_the_lines(
        before in text(),
        range in prop::option::of((1..30_usize, 0..30_usize)),
        delimiter in select(&[": ", "", "\t", "| é "][..]),
    ) {
        let (_, session) = session(&before);
        let lines: Option<String> = range.map(|(first, more)| format!("{first}-{}", first + more));
        let args = ReadNumberedArgs {
            path: "f".into(),
            lines,
            delimiter: Some(delimiter.to_owned()),
            max_bytes: Some(1 << 20),
        };
        let outcome = session.run(tools::read_numbered::run, &args).unwrap();
        let all = contents(&before);
        let (first, last) =
            range.map_or((1, all.len()), |(first, more)| (first, (first + more).min(all.len())));
        let width = last.to_string().len();
        let shown: Vec<_> =
            (first..=last).map(|number| format!("{number:>width$}{delimiter}{}", all[number - 1])).collect();
        prop_assert_eq!(outcome.content, shown.join("\n"));
        prop_assert_eq!(outcome.total, Some(all.len() as u32));
        prop_assert_eq!((outcome.first, outcome.last), match shown.len() {
            0 => (None, None),
            _ => (Some(first as u32), Some(last as u32)),
        });
        let past = range.is_some_and(|(first, more)| first + more > all.len()) && !all.is_empty();
        prop_assert_eq!(outcome.out_of_range.is_some(), past);
        prop_assert_eq!(outcome.etag, strong_tag(&before));
    }

    #[test]
    fn what_is_not_utf_8_is_told_by_its_first_offset(before in bytes()) {
        let (_, session) = session(&before);
        let args = ReadArgs { path: "f".into(), max_bytes: Some(1 << 20), ..Default::default() };
        match (std::str::from_utf8(&before), session.run(tools::read::run, &args)) {
            (Ok(_), answer) => prop_assert!(answer.is_ok()),
            (Err(broken), Err(error)) => {
                let json = serde_json::to_value(&error).unwrap();
                prop_assert_eq!(&json["code"], "not_text");
                prop_assert_eq!(&json["offset"], broken.valid_up_to());
            }
            (Err(_), Ok(outcome)) => prop_assert!(false, "{:?} is no text", outcome.content),
        }
    }

    #[test]
    fn no_arguments_make_an_error_that_is_too_long_or_a_change(
        tool in select(&["read", "read_numbered", "create", "replace", "reed", "x\u{1}"][..]),
        arguments in "\\PC{0,20}|(\\{|\\[|\"|:|,|\\}|\\]|path|old|null|1|\u{1}){0,20}",
    ) {
        let (volume, session) = session(b"one\n");
        let refused = agent::call(&session, &CallArgs { tool: tool.to_owned(), arguments });
        let error: Value = serde_json::from_str(&refused.unwrap_err().error).unwrap();
        prop_assert!(error.to_string().len() <= 8 << 10);
        prop_assert_eq!(&error["applied"], false);
        prop_assert_eq!(volume.snapshot().len(), 2);
    }
}
