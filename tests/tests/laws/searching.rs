//! What a search shows is what is in the files, and answers in a row are one answer.

use std::time::Duration;

use fsgate_contract::search_types::{GrepArgs, GrepMode, GrepOutcome};
use fsgate_engine::session::Session;
use fsgate_engine::tools;
use fsgate_volume::memory::{Item, Memory};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::{BROKEN, PIECES, call, config, session};

/// Answers in a row, added up.
fn whole(session: &Session<Memory>, args: &GrepArgs) -> (GrepOutcome, u32) {
    let mut sum = session.run(tools::grep::run, args).unwrap();
    let mut answers = 1;
    while let Some(cursor) = sum.next_cursor.take() {
        let args = GrepArgs { cursor: Some(cursor.clone()), ..args.clone() };
        let next = session.run(tools::grep::run, &args).unwrap();
        assert_ne!(next.next_cursor.as_ref(), Some(&cursor), "it gets no further");
        assert!(sum.stopped.take().is_some());
        sum.matches.extend(next.matches);
        sum.files.extend(next.files);
        sum.count += next.count;
        sum.searched += next.searched;
        let (one, other) = (&mut sum.skipped, next.skipped);
        for (one, other) in [
            (&mut one.hidden, other.hidden),
            (&mut one.not_utf8, other.not_utf8),
            (&mut one.ignored, other.ignored),
            (&mut one.excluded, other.excluded),
            (&mut one.too_deep, other.too_deep),
            (&mut one.unreadable, other.unreadable),
            (&mut one.links, other.links),
            (&mut one.special, other.special),
            (&mut one.binary, other.binary),
            (&mut one.too_large, other.too_large),
        ] {
            *one += other;
        }
        sum.next_cursor = next.next_cursor;
        sum.stopped = next.stopped;
        answers += 1;
        assert!(answers < 10_000);
    }
    sum.notes.clear();
    (sum, answers)
}

/// Without the long lines that other laws have: an answer with little room would read them again and again.
fn contents() -> impl Strategy<Value = Vec<u8>> {
    let bytes = vec(select([PIECES, BROKEN].concat()), 0..40).prop_map(|pieces| pieces.concat());
    // What is searched as text goes on at places in that text.
    let utf_16 = "\u{FEFF}?[abxyé\r\n]{0,20}"
        .prop_map(|text| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>());
    prop_oneof![3 => bytes, 1 => utf_16]
}

fn patterns() -> impl Strategy<Value = (&'static str, bool)> {
    select(vec![
        ("a", false),
        ("é", false),
        ("aa", false),
        ("^a", true),
        ("b$", true),
        ("x|y", true),
        ("y*", true),
    ])
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn answers_in_a_row_are_one_answer(
        files in btree_map("(\\.?[abz]/){0,2}\\.?[a-c]{1,2}(\\.rs)?", contents(), 0..8),
        (pattern, regex) in patterns(),
        (ignore_case, multi_line, include_hidden, with_etag) in any::<(bool, bool, bool, bool)>(),
        (before, after) in (0..4_u32, 0..4_u32),
        mode in select(vec![GrepMode::Content, GrepMode::Files, GrepMode::Count]),
        include in prop::option::of(Just(vec!["*.rs".to_owned()])),
        max_items in prop::option::of(1..4_u32),
        max_bytes in prop::option::of(1..400_u32),
        max_millis in prop::option::of(1..300_u32),
    ) {
        let (volume, session) = session(b"a\n");
        for (path, content) in &files {
            // What stands in the way of another file's directory is left out.
            let is_way = files.keys().any(|other| other.starts_with(&format!("{path}/")));
            if !is_way {
                volume.put(&format!("w/{path}"), Item::File(content.clone()));
            }
        }
        let args = GrepArgs {
            pattern: pattern.to_owned(),
            regex: Some(regex),
            ignore_case: Some(ignore_case),
            multi_line: Some(multi_line),
            before: Some(before),
            after: Some(after),
            include,
            include_hidden: Some(include_hidden),
            mode: Some(mode),
            max_items: Some(10_000),
            max_bytes: Some(1 << 20),
            with_etag: Some(with_etag),
            ..GrepArgs::default()
        };
        let (at_once, answers) = whole(&session, &args);
        prop_assert_eq!(answers, 1);
        volume.set_clock_step(Duration::from_millis(40));
        let args = GrepArgs { max_items: max_items.or(args.max_items), max_bytes: max_bytes.or(args.max_bytes), max_millis, ..args };
        let (in_parts, answers) = whole(&session, &args);
        // A file in which an answer ends counts in the next one again.
        let searched = at_once.searched..=at_once.searched + answers - 1;
        prop_assert!(searched.contains(&in_parts.searched), "{} of {:?}", in_parts.searched, searched);
        prop_assert_eq!(&GrepOutcome { searched: at_once.searched, ..in_parts }, &at_once);
        if let (Some(most), true) = (max_items, max_millis.is_none() && max_bytes.is_none()) {
            let items = (at_once.matches.len() + at_once.files.len()) as u32;
            prop_assert_eq!(answers, items.div_ceil(most).max(1));
        }
    }

    #[test]
    fn lines_have_the_numbers_and_the_text_that_reading_gives_them(
        content in super::text(),
        (pattern, regex) in patterns(),
    ) {
        let (_, session) = session(&content);
        let found = call(&session, "grep", &json!({"pattern": pattern, "regex": regex, "path": "f", "before": 2, "after": 2, "with_etag": true})).unwrap();
        for hit in found["matches"].as_array().unwrap() {
            let line = hit["line"].as_u64().unwrap();
            let (before, after) = (hit["before"].as_array().unwrap(), hit["after"].as_array().unwrap());
            let texts: Vec<&Value> = before.iter().chain([&hit["text"]]).chain(after).collect();
            for (number, text) in (line - before.len() as u64..).zip(texts) {
                if hit["cut"] == true {
                    continue;
                }
                let read = call(&session, "read_numbered", &json!({"path": "f", "lines": number.to_string(), "delimiter": ""})).unwrap();
                let content = read["content"].as_str().unwrap();
                prop_assert_eq!(content.strip_prefix(&number.to_string()), text.as_str(), "line {}", number);
            }
        }
    }

    #[test]
    fn the_tag_of_a_line_guards_a_change_of_it(content in super::text()) {
        let (volume, session) = session(&content);
        let found = call(&session, "grep", &json!({"pattern": "b", "path": "f", "with_etag": true, "max_items": 1})).unwrap();
        let Some(hit) = found["matches"].get(0) else { return Ok(()) };
        let arguments = json!({"path": "f", "old": "b", "new": "c", "occurrence": 1, "if_match": hit["etag"]});
        call(&session, "replace", &arguments).unwrap();
        let refused = call(&session, "replace", &arguments).unwrap_err();
        prop_assert!(refused["code"] == "stale" || refused["code"] == "no_match", "{}", refused);
        prop_assert_ne!(super::file(&volume), content);
    }
}

#[test]
fn a_file_that_changed_before_the_cursor_is_searched_again() {
    let (volume, session) = session(b"a1\na2\na3\n");
    let args = |cursor: &Value| json!({"pattern": "a", "path": ".", "max_items": 1, "cursor": cursor});
    let first = call(&session, "grep", &args(&Value::Null)).unwrap();
    volume.put("w/f", Item::File(b"a0\na1\na2\n".to_vec()));
    let second = call(&session, "grep", &args(&first["next_cursor"])).unwrap();
    assert_eq!(
        (&second["matches"][0]["text"], &second["notes"][0]["kind"]),
        (&json!("a0"), &json!("changed"))
    );
    // What comes after it is none of its business.
    volume.put("w/f", Item::File(b"a0\na4\n".to_vec()));
    let third = call(&session, "grep", &args(&second["next_cursor"])).unwrap();
    assert_eq!((&third["matches"][0]["text"], &third["notes"]), (&json!("a4"), &Value::Null));
}

#[test]
fn a_large_file_is_searched_in_parts_by_time_and_its_lines_keep_their_numbers() {
    let line = |number: u32| {
        if number.is_multiple_of(5_000) { format!("needle {number}\r\n") } else { format!("line {number}\n") }
    };
    let content: String = (1..=40_000).map(line).collect();
    let (volume, session) = session(content.as_bytes());
    volume.set_clock_step(Duration::from_millis(1));
    for (mode, max_millis) in [("content", 1), ("content", 3), ("count", 1), ("files", 1)] {
        let arguments = |cursor: &Value| json!({"pattern": "needle", "path": "f", "before": 2, "after": 1, "mode": mode, "max_millis": max_millis, "cursor": cursor});
        let (mut cursor, mut answers, mut hits, mut files, mut count) =
            (Value::Null, 0, Vec::new(), Vec::new(), 0);
        loop {
            let answer = call(&session, "grep", &arguments(&cursor)).unwrap();
            hits.extend(answer["matches"].as_array().unwrap().clone());
            files.extend(answer["files"].as_array().unwrap().clone());
            count += answer["count"].as_u64().unwrap();
            answers += 1;
            cursor = answer["next_cursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!(count, if mode == "files" { 1 } else { 8 }, "{mode}");
        match mode {
            "content" => {
                assert!(answers > 2, "{answers}");
                for (hit, number) in hits.iter().zip((5_000..).step_by(5_000)) {
                    assert_eq!(hit["line"], number);
                    let before = [format!("line {}", number - 2), format!("line {}", number - 1)];
                    assert_eq!(hit["before"], json!(before));
                    assert_eq!(
                        hit["after"],
                        if number == 40_000 { json!([]) } else { json!([format!("line {}", number + 1)]) }
                    );
                }
            }
            "count" => assert_eq!((&files, answers > 2), (&vec![json!({"path": "/w/f", "count": 8})], true)),
            _ => assert_eq!(files, vec![json!({"path": "/w/f"})]),
        }
    }
}
