//! Answers of a walk, put together, are one answer, wherever they were cut.

use std::time::Duration;

use fsgate_volume::memory::Item;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{call, config, session};

/// What answers in a row say together.
#[derive(Debug, Default, PartialEq)]
struct Together {
    lists: Vec<Value>,
    drawn: String,
    /// Every number in `totals` and `skipped`.
    counts: Vec<u64>,
}

impl Together {
    fn add(&mut self, outcome: &Value) {
        self.lists.extend(outcome["entries"].as_array().into_iter().flatten().cloned());
        self.drawn += outcome["drawn"].as_str().unwrap_or_default();
        let numbers =
            ["totals", "skipped"].iter().flat_map(|field| outcome[field].as_object().unwrap().values());
        for (at, number) in numbers.filter_map(Value::as_u64).enumerate() {
            self.counts.resize(self.counts.len().max(at + 1), 0);
            self.counts[at] += number;
        }
    }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn answers_put_together_are_one_answer(
        paths in vec(("([ab.]{1,2}/){0,3}[ab.\u{e9}]{1,2}", 0..4_u8), 0..40),
        undecodable in 0..3_u32,
        tool in prop_oneof![
            Just(("tree", json!({"path": ".", "form": "both"}))),
            Just(("tree", json!({"path": ".", "directories_only": true, "form": "both"}))),
            Just(("glob", json!({"pattern": "**", "respect_ignore": false}))),
            Just(("glob", json!({"pattern": "**/a*"}))),
            Just(("glob", json!({"pattern": "a/**", "kind": "file"}))),
            Just(("list_directory", json!({"path": ".", "recursive": true, "pattern": "*a"}))),
            Just(("list_directory", json!({"path": ".", "recursive": true, "respect_ignore": true}))),
        ],
        include_hidden: bool,
        max_items in 1..6_u32,
        max_millis in proptest::option::of(1..20_u32),
    ) {
        let (volume, session) = session(b"");
        volume.set_clock_step(Duration::from_millis(1));
        for (path, kind) in &paths {
            if path.split('/').any(|name| matches!(name, "." | "..")) {
                continue;
            }
            match kind {
                0 => drop(volume.at(&format!("w/{path}"))),
                1 => volume.put(&format!("w/{path}"), Item::Link("a".to_owned())),
                2 => volume.put(&format!("w/{path}.gitignore"), Item::File(b"b\n".to_vec())),
                _ => volume.put(&format!("w/{path}"), Item::File(path.clone().into_bytes())),
            }
        }
        volume.put("w/.gitignore", Item::File(b"/a/b\n*b.\n".to_vec()));
        (0..undecodable).for_each(|_| volume.put_undecodable("w/a"));

        let (tool, mut arguments) = tool;
        arguments["include_hidden"] = include_hidden.into();
        arguments["max_items"] = 10_000.into();
        let mut whole = Together::default();
        whole.add(&call(&session, tool, &arguments).unwrap());

        arguments["max_items"] = max_items.into();
        arguments["max_millis"] = max_millis.into();
        let mut cut = Together::default();
        loop {
            let outcome = call(&session, tool, &arguments).unwrap();
            cut.add(&outcome);
            prop_assert_eq!(outcome["stopped"].is_null(), outcome["next_cursor"].is_null());
            if outcome["next_cursor"].is_null() {
                break;
            }
            prop_assert_ne!(&arguments["cursor"], &outcome["next_cursor"]);
            arguments["cursor"] = outcome["next_cursor"].clone();
        }
        prop_assert_eq!(cut, whole);
    }
}
