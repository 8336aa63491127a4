//! Pages of a directory, put together, are its names.

use std::collections::BTreeSet;

use fsgate_contract::search_types::ListDirectoryArgs;
use fsgate_contract::types::Stop;
use fsgate_engine::tools;
use fsgate_volume::memory::Item;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{call, config, session};

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn pages_put_together_are_the_sorted_names(
        things in btree_map("\\.?[a-cA-C\u{e9}\u{10000}\u{ffff} \n-]{1,3}", 0..3_u8, 0..30),
        pages in vec(1..12_u32, 1..40),
        include_hidden in any::<bool>(),
        undecodable in 0..3_u32,
    ) {
        let (volume, session) = session(b"");
        volume.at("w/d");
        for (name, kind) in &things {
            volume.put(&format!("w/d/{name}"), match kind {
                0 => Item::File(name.clone().into_bytes()),
                1 => Item::Directory,
                _ => Item::Link("..".to_owned()),
            });
        }
        (0..undecodable).for_each(|_| volume.put_undecodable("w/d"));
        let shown = |name: &&String| include_hidden || !name.starts_with('.');
        let wanted: BTreeSet<Vec<u8>> = things.keys().filter(shown).map(|name| name.clone().into_bytes()).collect();
        let kinds = |kind: u8| things.iter().filter(|(name, of)| shown(name) && **of == kind).count() as u32;
        let hidden = things.keys().filter(|name| !shown(name)).count() as u32;

        let (mut seen, mut cursor) = (Vec::new(), None);
        for max_items in pages.into_iter().chain([10_000]) {
            let first = cursor.is_none();
            let args = ListDirectoryArgs {
                path: "d".into(),
                include_hidden: Some(include_hidden),
                max_items: Some(max_items),
                cursor: cursor.take(),
                ..Default::default()
            };
            let outcome = session.run(tools::list_directory::run, &args).unwrap();
            prop_assert!(outcome.entries.len() <= max_items as usize);
            seen.extend(outcome.entries.iter().map(|entry| entry.name.clone().into_bytes()));
            let totals = outcome.totals;
            prop_assert_eq!((totals.files, totals.directories, totals.others), (kinds(0), kinds(1), kinds(2)));
            let sizes = things.iter().filter(|(name, of)| shown(name) && **of == 0).map(|(name, _)| name.len() as u64);
            let whole = first && outcome.next_cursor.is_none();
            prop_assert_eq!(totals.bytes, whole.then(|| sizes.sum()));
            prop_assert_eq!((outcome.skipped.hidden, outcome.skipped.not_utf8), (hidden, undecodable));
            let left = wanted.len() - seen.len();
            prop_assert_eq!(outcome.left.map(|left| (left.count, left.exact)), (left > 0).then_some((left as u64, true)));
            prop_assert_eq!(outcome.stopped, (left > 0).then_some(Stop::Items));
            prop_assert_eq!(outcome.next_cursor.is_some(), left > 0);
            cursor = outcome.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        prop_assert_eq!(seen, wanted.into_iter().collect::<Vec<_>>());
    }
}

/// The largest answer that a tool gives, in JSON.
const ANSWER: usize = 1 << 20;

#[test]
fn a_page_of_long_names_ends_before_1_mib() {
    let (volume, session) = session(b"");
    let names: Vec<String> = (0..3_000).map(|number| format!("{number:04}{}", "é".repeat(120))).collect();
    for name in &names {
        volume.put(&format!("w/d/{name}"), Item::File(Vec::new()));
    }
    let (mut seen, mut cursor, mut pages) = (Vec::new(), Value::Null, 0);
    loop {
        let arguments = json!({"path": "d", "max_items": 10_000, "cursor": cursor});
        let outcome = call(&session, "list_directory", &arguments).unwrap();
        assert!(outcome.to_string().len() <= ANSWER + 1024, "{} bytes", outcome.to_string().len());
        let entries = outcome["entries"].as_array().unwrap();
        seen.extend(entries.iter().map(|entry| entry["name"].as_str().unwrap().to_owned()));
        pages += 1;
        assert_eq!(outcome["totals"]["files"], 3_000);
        if outcome["next_cursor"].is_null() {
            break;
        }
        assert_eq!(
            (&outcome["stopped"], &outcome["left"]["count"]),
            (&json!("bytes"), &json!(3_000 - seen.len()))
        );
        cursor = outcome["next_cursor"].clone();
    }
    assert!(seen == names && pages > 1, "{pages} pages");
}
