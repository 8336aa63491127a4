//! Replacing: the bytes that change, and all others.

use fsgate_contract::edit_types::{ReplaceAllArgs, ReplaceArgs};
use fsgate_engine::tools;
use fsgate_tests::placeholder::strong_tag;
use proptest::prelude::*;
use serde_json::Value;

use super::model::{Refusal, patched, replaced, replaced_all};
use super::{as_bytes, bytes, config, file, request, session, text};

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
        let (volume, session) = session(&before);
        let args = ReplaceArgs {
            path: "f".into(),
            old: old.clone(),
            new: new.clone(),
            occurrence,
            exact_line_ends: Some(exact),
            encoding: as_bytes(&before),
            diff: Some(true),
            ..Default::default()
        };
        let answer = session.run(tools::replace::run, &args);
        match (replaced(&before, old.as_bytes(), new.as_bytes(), occurrence, !exact), answer) {
            (Ok(model), Ok(outcome)) => {
                let after = file(&volume);
                prop_assert_eq!(&after, &model.after);
                prop_assert_eq!(outcome.etag_before, strong_tag(&before));
                prop_assert_eq!(outcome.etag, strong_tag(&after));
                prop_assert_eq!(outcome.replacements, 1);
                prop_assert_eq!(outcome.lines, model.lines);
                prop_assert_eq!(outcome.line_ends_adapted, model.adapted);
                prop_assert_eq!(outcome.bytes_written, model.written);
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

/// A regular expression that matches just this text.
fn escaped(text: &str) -> String {
    text.chars()
        .map(|c| if "$.|?*+()[]{}\\^".contains(c) { format!("\\{c}") } else { c.to_string() })
        .collect()
}

proptest! {
    #![proptest_config(config(1_500))]

    #[test]
    fn replacing_all_changes_what_the_model_changes_and_nothing_else(
        before in bytes(),
        old in request(1..4),
        new in request(0..4),
        bound in prop::option::weighted(0.5, (any::<bool>(), 0..4_u32)),
        exact in prop::bool::weighted(0.2),
        regex in prop::bool::weighted(0.2),
    ) {
        let (volume, session) = session(&before);
        let count = bound.filter(|(is_count, _)| *is_count).map(|(_, bound)| bound);
        let limit = bound.filter(|(is_count, _)| !*is_count).map(|(_, bound)| bound + 1);
        // A regular expression sees line ends as they are: it is like a plain text with `exact_line_ends`.
        let exact = exact || regex;
        let args = ReplaceAllArgs {
            path: "f".into(),
            old: if regex { escaped(&old) } else { old.clone() },
            new: if regex { new.replace('$', "$$") } else { new.clone() },
            count,
            limit,
            regex: Some(regex),
            exact_line_ends: Some(exact),
            encoding: as_bytes(&before),
            diff: Some(true),
            ..Default::default()
        };
        let answer = session.run(tools::replace_all::run, &args);
        match (replaced_all(&before, old.as_bytes(), new.as_bytes(), count, limit, !exact), answer) {
            (Ok(model), Ok(outcome)) => {
                let after = file(&volume);
                prop_assert_eq!(&after, &model.after);
                prop_assert_eq!(outcome.etag_before, strong_tag(&before));
                prop_assert_eq!(outcome.etag, strong_tag(&after));
                prop_assert_eq!(outcome.replacements as usize, model.lines.len());
                prop_assert_eq!(outcome.lines, model.lines);
                prop_assert_eq!(outcome.line_ends_adapted, model.adapted);
                if let Some(diff) = outcome.diff
                    && std::str::from_utf8(&before).is_ok()
                {
                    prop_assert_eq!(patched(&before, diff.as_bytes()), after, "by {}", diff);
                }
            }
            (Err(refusal), Err(error)) => {
                prop_assert_eq!(refusal.name(), error.code.name());
                if let Refusal::Count(found) = refusal {
                    prop_assert_eq!(&serde_json::to_value(&error).unwrap()["found"], found);
                }
                prop_assert!(!error.applied);
                prop_assert_eq!(file(&volume), before);
            }
            (model, answer) => prop_assert!(false, "the model says {:?}, and the tool {:?}", model, answer),
        }
    }

    #[test]
    fn replacing_all_writes_from_the_first_changed_byte_to_the_last(
        before in text(),
        old in request(1..3),
        new in request(0..3),
    ) {
        let (_, session) = session(&before);
        let args = ReplaceAllArgs { path: "f".into(), old: old.clone(), new: new.clone(), ..Default::default() };
        let model = replaced_all(&before, old.as_bytes(), new.as_bytes(), None, None, true);
        if let (Ok(model), Ok(outcome)) = (model, session.run(tools::replace_all::run, &args)) {
            prop_assert_eq!(outcome.bytes_written, model.written);
        }
    }
}
