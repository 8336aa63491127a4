//! What is read, put together, is the file.

use fsgate_contract::read_types::{
    FileRead, ReadArgs, ReadBytesArgs, ReadManyArgs, ReadNumberedArgs, StatArgs,
};
use fsgate_contract::types::Stop;
use fsgate_engine::tools;
use fsgate_tests::placeholder::{cursor, range_tag, strong_tag};
use fsgate_volume::memory::Item;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::model::{contents, lines, without_mark};
use super::{bytes, call, config, session, text};

/// The cursor that leads to what follows the first `shown` bytes of a file's text; none at its end.
fn next(file: &[u8], shown: usize) -> Option<String> {
    let text = without_mark(file);
    let mark = file.len() - text.len();
    let before = lines(&text[..shown]);
    // A line end is never cut, so the lines of the first part are lines of the whole.
    let open = before.last().filter(|line| !line.ends_with(b"\n") && !line.ends_with(b"\r"));
    let line = before.len() + usize::from(open.is_none());
    let column = open.map_or(0, |open| open.len());
    (shown < text.len()).then(|| cursor(file, (mark + shown) as u64, line as u64, column as u64))
}

/// More bytes than stand in front of a file among others.
const HEADING: usize = 20;

/// As many whole characters of a text as fit.
fn characters(text: &str, room: usize) -> &str {
    let end = text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= room).last();
    &text[..end.unwrap_or(0)]
}

/// Whole lines of a text, as many as fit; where not even the first one does, as much of it as fits.
fn fitting(text: &[u8], room: usize) -> &[u8] {
    let mut end = 0;
    for line in lines(text) {
        if end + line.len() > room {
            break;
        }
        end += line.len();
    }
    if end > 0 || text.is_empty() {
        return &text[..end];
    }
    let first = std::str::from_utf8(lines(text)[0]).unwrap();
    characters(first.trim_end_matches(['\r', '\n']), room).as_bytes()
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn windows_put_together_are_the_file(before in text(), skip in 0..5_u32, step in 1..7_u32) {
        let (_, session) = session(&before);
        let text = without_mark(&before);
        let mut seen = Vec::new();
        for skip_lines in std::iter::successors(Some(0), |skipped| Some(skipped + step)) {
            let args = ReadArgs {
                path: "f".into(),
                skip_lines: Some(skip_lines),
                max_lines: Some(step),
                max_bytes: Some(1 << 20),
                ..Default::default()
            };
            let outcome = session.run(tools::read::run, &args).unwrap();
            prop_assert_eq!(outcome.etag, strong_tag(&before));
            prop_assert_eq!(outcome.line_count, Some(contents(&before).len() as u32));
            prop_assert_eq!(outcome.size, before.len() as u64);
            prop_assert_eq!(outcome.stopped, None);
            prop_assert_eq!(outcome.bom, before.starts_with("\u{FEFF}".as_bytes()));
            seen.extend_from_slice(outcome.content.as_bytes());
            prop_assert_eq!(outcome.next_cursor, next(&before, seen.len()));
            if skip_lines >= contents(&before).len() as u32 {
                prop_assert_eq!(outcome.content, "");
                break;
            }
        }
        prop_assert_eq!(&seen, text);

        // One window on its own is those lines.
        let args = ReadArgs {
            path: "f".into(),
            skip_lines: Some(skip + 1),
            max_lines: Some(step),
            max_bytes: Some(1 << 20),
            ..Default::default()
        };
        let outcome = session.run(tools::read::run, &args).unwrap();
        let all = lines(&before);
        let window: Vec<_> = all.into_iter().skip(skip as usize + 1).take(step as usize).collect();
        prop_assert_eq!(outcome.content.as_bytes(), &window.concat()[..]);
    }

    #[test]
    fn pages_by_cursor_put_together_are_the_file(
        before in text(),
        pages in vec((4..60_u32, prop::option::of(1..4_u32)), 1..9),
    ) {
        let (_, session) = session(&before);
        let text = without_mark(&before);
        let (mut seen, mut cursor) = (0, None);
        // The last page takes what is left: lines of 300 KB are not read by the dozen.
        let last = [(1 << 20, None)];
        for (max_bytes, max_lines) in pages.iter().chain(&last) {
            let args = ReadArgs {
                path: "f".into(),
                max_bytes: Some(*max_bytes),
                max_lines: *max_lines,
                cursor: cursor.take(),
                ..Default::default()
            };
            let outcome = session.run(tools::read::run, &args).unwrap();
            let wanted = lines(&text[seen..]).into_iter().take(max_lines.unwrap_or(u32::MAX) as usize);
            let wanted = wanted.collect::<Vec<_>>().concat();
            let shown = fitting(&wanted, *max_bytes as usize);
            prop_assert_eq!(outcome.content.as_bytes(), shown);
            prop_assert_eq!(outcome.stopped, (shown.len() < wanted.len()).then_some(Stop::Bytes));
            prop_assert_eq!(outcome.etag, strong_tag(&before));
            seen += shown.len();
            prop_assert_eq!(&outcome.next_cursor, &next(&before, seen));
            cursor = outcome.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        prop_assert_eq!(seen, text.len());
    }

    #[test]
    fn a_cursor_holds_as_long_as_the_4_kib_before_it_do(
        before in text(),
        at in any::<prop::sample::Index>(),
        budget in 4..60_u32,
    ) {
        let first = ReadArgs { path: "f".into(), max_bytes: Some(budget), ..Default::default() };
        let (volume, session) = session(&before);
        let Some(cursor) = session.run(tools::read::run, &first).unwrap().next_cursor else { return Ok(()) };
        let place: usize = cursor.split('.').next().unwrap().parse().unwrap();
        let again = ReadArgs { cursor: Some(cursor), max_bytes: Some(1 << 20), ..first };
        let rest = session.run(tools::read::run, &again).unwrap().content;
        prop_assert_eq!(rest.as_bytes(), &before[place..]);

        let mut after = before.clone();
        let at = at.index(after.len());
        after[at] = if after[at] == b'q' { b'p' } else { b'q' };
        volume.put("w/f", Item::File(after));
        match session.run(tools::read::run, &again) {
            Err(error) => prop_assert!(at < place && error.code.name() == "stale" || error.code.name() == "not_text"),
            Ok(_) => prop_assert!(at >= place || at + 4096 < place),
        }
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
        let all = lines(without_mark(&before));
        let skipped: usize = all.iter().take(skip as usize).map(|line| line.len()).sum();
        let wanted = &without_mark(&before)[skipped..];
        let shown = fitting(wanted, budget as usize);
        match session.run(tools::read::run, &args) {
            Ok(outcome) => {
                prop_assert_eq!(outcome.content.as_bytes(), shown);
                prop_assert_eq!(outcome.stopped, (shown.len() < wanted.len()).then_some(Stop::Bytes));
                prop_assert_eq!(outcome.next_cursor, next(&before, skipped + shown.len()));
                prop_assert!(outcome.notes.is_empty());
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
            ..Default::default()
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
        prop_assert_eq!((outcome.next_cursor, outcome.begins_at), (None, None));
    }

    #[test]
    fn numbered_pages_put_together_are_the_lines(
        before in text(),
        range in prop::option::of((1..20_usize, 0..20_usize)),
        budgets in vec(12..60_u32, 1..9),
    ) {
        let (_, session) = session(&before);
        let all = contents(&before);
        let (first, last) =
            range.map_or((1, all.len()), |(first, more)| (first, (first + more).min(all.len())));
        let wanted = all.get(first - 1..last).unwrap_or_default();
        let mut seen: Vec<String> = Vec::new();
        let mut cursor = None;
        for max_bytes in budgets.iter().chain(&[1 << 20]) {
            let args = ReadNumberedArgs {
                path: "f".into(),
                lines: range.map(|(first, more)| format!("{first}-{}", first + more)),
                max_bytes: Some(*max_bytes),
                cursor: cursor.take(),
                ..Default::default()
            };
            let outcome = session.run(tools::read_numbered::run, &args).unwrap();
            prop_assert!(outcome.content.len() <= *max_bytes as usize);
            prop_assert_eq!(outcome.stopped.is_some(), outcome.next_cursor.is_some());
            for (line, number) in outcome.content.split('\n').zip(outcome.first.unwrap_or(0)..) {
                let Some((shown, content)) = line.split_once(": ") else { break };
                prop_assert_eq!(shown.trim_start(), number.to_string());
                match seen.get_mut((number as usize).wrapping_sub(first)) {
                    Some(begun) => {
                        prop_assert_eq!(outcome.begins_at, Some(begun.len() as u64));
                        begun.push_str(content);
                    }
                    None => seen.push(content.to_owned()),
                }
            }
            cursor = outcome.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        prop_assert_eq!(seen, wanted);
    }

    #[test]
    fn what_is_not_utf_8_is_text_in_another_encoding_or_has_zeros(before in bytes()) {
        let (_, session) = session(&before);
        let args = ReadArgs { path: "f".into(), max_bytes: Some(1 << 20), ..Default::default() };
        match (std::str::from_utf8(&before), session.run(tools::read::run, &args)) {
            (Ok(_), answer) => prop_assert!(answer.is_ok()),
            (Err(broken), Err(error)) => {
                let json = serde_json::to_value(&error).unwrap();
                prop_assert_eq!(&json["code"], "not_text");
                prop_assert_eq!(&json["offset"], broken.valid_up_to());
                prop_assert!(before.contains(&0));
            }
            (Err(_), Ok(outcome)) => {
                prop_assert!(outcome.encoding != "UTF-8" || outcome.escaped, "{:?}", outcome.content);
            }
        }
    }

    #[test]
    fn reading_many_is_reading_one_after_the_other(
        files in vec(bytes(), 3),
        paths in vec(select(&["f", "g", "h", "missing", ".", "../x"][..]), 1..7),
        max_bytes in prop_oneof![1..200_u32, Just(1 << 20)],
        joined in any::<bool>(),
    ) {
        let (volume, session) = session(&files[0]);
        volume.put("w/g", Item::File(files[1].clone()));
        volume.put("w/h", Item::File(files[2].clone()));
        let args = ReadManyArgs {
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
            joined: Some(joined),
            max_bytes: Some(max_bytes),
            ..ReadManyArgs::default()
        };
        let outcome = session.run(tools::read_many::run, &args).unwrap();
        let mut room = max_bytes as usize;
        let mut text = String::new();
        for (asked, read) in paths.iter().zip(&outcome.files) {
            prop_assert_eq!(*asked, &read.path);
            let heading = match joined {
                false => String::new(),
                true if text.is_empty() => format!("=== {asked} ===\n"),
                true => format!("\n\n=== {asked} ===\n"),
            };
            if heading.len() >= room {
                // Not even the first heading fits; a shorter one after it may.
                let refused = read.error.as_ref().map(|error| error.code.name());
                prop_assert_eq!((refused, read), (Some("too_large"), &outcome.files[0]));
                continue;
            }
            let one = ReadArgs {
                path: read.path.clone(),
                max_bytes: Some((room - heading.len()) as u32),
                ..Default::default()
            };
            let FileRead { content, error, etag, next_cursor, .. } = read;
            match session.run(tools::read::run, &one) {
                Ok(one) => {
                    prop_assert_eq!(content.as_deref(), (!joined).then_some(one.content.as_str()));
                    prop_assert_eq!((etag, next_cursor), (&Some(one.etag), &one.next_cursor));
                    prop_assert!(error.is_none());
                    room -= heading.len() + one.content.len();
                    text.push_str(&heading);
                    text.push_str(&one.content);
                }
                Err(refused) => {
                    let error = error.as_ref().unwrap();
                    prop_assert_eq!((&error.code, &error.message), (&refused.code, &refused.message));
                    prop_assert_eq!((content, etag, next_cursor), (&None, &None, &None));
                }
            }
        }
        prop_assert!(text.len() <= max_bytes as usize);
        prop_assert_eq!(outcome.content, joined.then_some(text));
        let left = paths.len() - outcome.files.len();
        prop_assert_eq!(outcome.left.map_or(0, |left| left.count), left as u64);
        let cut = outcome.files.iter().any(|read| read.next_cursor.is_some());
        prop_assert_eq!(outcome.stopped, (cut || left > 0).then_some(Stop::Bytes));
        let asked = paths.iter().filter_map(|path| ["f", "g", "h"].iter().position(|known| known == path));
        // A byte that is shown by its number takes several.
        let most: usize = asked.map(|number| HEADING + 6 * files[number].len()).sum();
        if max_bytes == 1 << 20 && most < 1 << 20 {
            prop_assert_eq!(left, 0, "all of them have less than 1 MiB");
        }
    }

    #[test]
    fn pages_of_bytes_put_together_are_the_file(before in bytes(), lengths in vec(1..70_000_u32, 1..9)) {
        let (_, session) = session(&before);
        let mut seen = Vec::new();
        for length in lengths.iter().chain(&[786_432]) {
            let offset = seen.len() as u64;
            let args = ReadBytesArgs { path: "f".into(), offset: Some(offset), length: Some(*length) };
            let outcome = session.run(tools::read_bytes::run, &args).unwrap();
            prop_assert!(outcome.bytes.len() <= *length as usize);
            prop_assert_eq!((outcome.offset, outcome.size), (offset, before.len() as u64));
            prop_assert_eq!(outcome.etag, range_tag(seen.len(), &outcome.bytes));
            seen.extend_from_slice(&outcome.bytes);
            prop_assert_eq!(outcome.end, seen.len() == before.len());
        }
        prop_assert_eq!(seen, before);
    }

    #[test]
    fn a_tag_is_of_all_bytes(before in bytes()) {
        let (_, session) = session(&before);
        let args = StatArgs { path: "f".into(), with_etag: Some(true), ..Default::default() };
        let entry = session.run(tools::stat::run, &args).unwrap().entry;
        prop_assert_eq!((entry.etag, entry.size), (Some(strong_tag(&before)), before.len() as u64));
    }
}

#[test]
fn an_answer_about_many_files_has_at_most_1_mib_also_if_none_is_there() {
    let (_, session) = session(b"");
    let paths = vec!["x/".repeat(100) + &"y".repeat(3_000); 1_000];
    let outcome = call(&session, "read_many", &json!({"paths": paths})).unwrap();
    assert!(outcome.to_string().len() <= 1 << 20, "{} bytes", outcome.to_string().len());
}
