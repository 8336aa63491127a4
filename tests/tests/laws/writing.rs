//! What writing and appending make of a file, and what every change has in common.

use std::io::Write;
use std::process::{Command, Stdio};
use std::{fs, io};

use fsgate_tests::memory;
use fsgate_tests::placeholder::{range_tag, strong_tag};
use fsgate_volume::memory::{Item, Memory};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use super::model::{bytes_written, patched};
use super::{BROKEN, PIECES, REFUSED, as_bytes, bytes, call, config, file, is_plain, request, session, text};

const MARK: &[u8] = "\u{FEFF}".as_bytes();

/// A text that may be written: anything, and often something like what is there.
fn content() -> impl Strategy<Value = String> {
    text().prop_map(|text| String::from_utf8(text).unwrap())
}

/// A file, and a text that shares its beginning and its end.
fn rewritten() -> impl Strategy<Value = (Vec<u8>, String)> {
    let pieces = || vec(select(PIECES), 0..12);
    (pieces(), pieces(), pieces(), pieces(), prop::option::weighted(0.2, select(BROKEN)))
        .prop_map(|(head, old, new, tail, broken)| {
            let broken = broken.map_or(&b""[..], |broken| broken);
            let before = [head.concat(), old.concat(), broken.to_vec(), tail.concat()].concat();
            let after = [head, new, tail].concat().concat();
            (before, String::from_utf8(after).unwrap())
        })
        .prop_filter(REFUSED, |(before, _)| is_plain(before))
}

/// A writing tool and arguments that are about the file `f`.
fn change() -> impl Strategy<Value = (&'static str, Value)> {
    let write = rewritten().prop_map(|(_, content)| ("write", json!({"path": "f", "content": content})));
    let write_bytes = select(&["", "AAEC", "Zg==", "77u/"][..])
        .prop_map(|bytes| ("write_bytes", json!({"path": "f", "bytes": bytes})));
    let append = (request(0..4), request(0..2)).prop_map(|(content, between)| {
        ("append", json!({"path": "f", "content": content, "separator": between}))
    });
    let replace =
        (request(1..3), request(0..3), prop::option::of(1..3_u32)).prop_map(|(old, new, occurrence)| {
            ("replace", json!({"path": "f", "old": old, "new": new, "occurrence": occurrence}))
        });
    let replace_all = (request(1..3), request(0..3), any::<bool>()).prop_map(|(old, new, regex)| {
        let old = if regex { old.replace('$', "") + "[ab]" } else { old };
        // Groups that the expression does not have are refused before any tag is looked at.
        let new = if regex { new.replace('$', "$$") } else { new };
        ("replace_all", json!({"path": "f", "old": old, "new": new, "regex": regex}))
    });
    prop_oneof![write, write_bytes, append, replace, replace_all]
}

fn with(arguments: &Value, name: &str, value: Value) -> Value {
    let mut arguments = arguments.clone();
    arguments[name] = value;
    arguments
}

fn tree(volume: &Memory) -> String {
    format!("{:?}", memory::snapshot(volume))
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn writing_leaves_the_content_and_the_mark_that_was_there(
        (before, content) in prop_oneof![rewritten(), (bytes(), content())],
    ) {
        let (volume, session) = session(&before);
        let arguments = json!({"path": "f", "content": content, "diff": true});
        let outcome = call(&session, "write", &arguments).unwrap();
        let kept = before.starts_with(MARK) && !content.as_bytes().starts_with(MARK);
        let expected = [if kept { MARK } else { b"" }, content.as_bytes()].concat();
        prop_assert_eq!(file(&volume), &expected[..]);
        prop_assert_eq!(&outcome["etag_before"], &strong_tag(&before));
        prop_assert_eq!(&outcome["etag"], &strong_tag(&expected));
        prop_assert_eq!(&outcome["bytes_written"], bytes_written(&before, &expected));
        prop_assert_eq!((&outcome["created"], &outcome["overwrote"]), (&json!(false), &json!(true)));
        if let (Some(diff), Ok(_)) = (outcome["diff"].as_str(), std::str::from_utf8(&before)) {
            prop_assert_eq!(patched(&before, diff.as_bytes()), expected, "by {}", diff);
        }
    }

    #[test]
    fn what_is_made_is_the_content(content in content(), tool in select(&["create", "write", "append"][..])) {
        let (volume, session) = session(b"");
        let arguments = json!({"path": "d/g", "content": content, "diff": true});
        let outcome = call(&session, tool, &arguments).unwrap();
        let made = volume.snapshot().remove("w/d/g");
        prop_assert_eq!(made, Some(Item::File(content.clone().into_bytes())));
        prop_assert_eq!(&outcome["etag"], &strong_tag(content.as_bytes()));
        prop_assert_eq!(&outcome["bytes_written"], content.len());
        prop_assert_eq!((&outcome["created"], outcome.get("etag_before")), (&json!(true), None));
        if let Some(diff) = outcome["diff"].as_str() {
            prop_assert_eq!(patched(b"", diff.as_bytes()), content.as_bytes(), "by {}", diff);
        }
    }

    #[test]
    fn appending_puts_the_text_behind_what_is_there(
        before in bytes(),
        content in content(),
        separator in prop::option::of(request(0..3)),
    ) {
        let (volume, session) = session(&before);
        let encoding = as_bytes(&before);
        let arguments =
            json!({"path": "f", "content": content, "separator": separator, "encoding": encoding, "diff": true});
        let outcome = call(&session, "append", &arguments).unwrap();
        let between = separator.filter(|_| !before.is_empty()).unwrap_or_default();
        let expected = [&before[..], between.as_bytes(), content.as_bytes()].concat();
        prop_assert_eq!(file(&volume), &expected[..]);
        prop_assert_eq!(&outcome["etag_before"], &strong_tag(&before));
        prop_assert_eq!(&outcome["etag"], &strong_tag(&expected));
        prop_assert_eq!(&outcome["bytes_written"], between.len() + content.len());
        prop_assert_eq!(&outcome["created"], false);
        if let (Some(diff), Ok(_)) = (outcome["diff"].as_str(), std::str::from_utf8(&before)) {
            prop_assert_eq!(patched(&before, diff.as_bytes()), expected, "by {}", diff);
        }
    }

    #[test]
    fn a_dry_run_answers_as_the_run_does_and_changes_nothing(before in bytes(), (tool, arguments) in change()) {
        let (volume, session) = session(&before);
        let arguments = if tool == "write_bytes" { arguments } else { with(&arguments, "diff", json!(true)) };
        let untouched = tree(&volume);
        let dry = call(&session, tool, &with(&arguments, "dry_run", json!(true)));
        prop_assert_eq!(tree(&volume), untouched);
        prop_assert_eq!(call(&session, tool, &arguments), dry);
    }

    #[test]
    fn a_call_with_the_tag_just_read_passes_and_with_another_one_does_not(
        before in bytes(),
        (tool, arguments) in change(),
        part in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        wrong in "[0-9a-f]{32}|r[0-9]{1,3}\\+[0-9]{1,3}:[0-9a-f]{32}|\\PC{0,5}",
    ) {
        // That an empty tag is none is a case of every tool.
        prop_assume!(!matches!(&wrong[..], "*" | ""));
        let (from, to) = (part.0.index(before.len() + 1), part.1.index(before.len() + 1));
        let (from, to) = (from.min(to), from.max(to));
        let plain = {
            let (_, session) = session(&before);
            call(&session, tool, &arguments)
        };
        // The tag of no bytes says nothing, and is refused.
        let range = Some(range_tag(from, &before[from..to])).filter(|_| from < to);
        for right in [strong_tag(&before), "*".to_owned()].into_iter().chain(range) {
            let (_, session) = session(&before);
            prop_assert_eq!(&call(&session, tool, &with(&arguments, "if_match", json!(right))), &plain);
        }
        let (volume, session) = session(&before);
        let untouched = tree(&volume);
        let error = call(&session, tool, &with(&arguments, "if_match", json!(wrong))).unwrap_err();
        prop_assert_eq!((&error["code"], &error["applied"]), (&json!("stale"), &json!(false)));
        prop_assert_eq!(tree(&volume), untouched);
    }
}

/// The files that `patch` makes of a file and a diff; none if there is no such program.
fn by_the_program(before: Option<&[u8]>, diff: &str) -> io::Result<Option<Vec<u8>>> {
    let scratch = tempfile::tempdir()?;
    fs::create_dir(scratch.path().join("w"))?;
    let path = scratch.path().join("w/f");
    if let Some(before) = before {
        fs::write(&path, before)?;
    }
    let mut patch = match Command::new("patch")
        .args(["-p1", "--binary", "--fuzz=0", "--silent"])
        .current_dir(scratch.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
    {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        spawned => spawned?,
    };
    patch.stdin.take().unwrap().write_all(diff.as_bytes())?;
    let output = patch.wait_with_output()?;
    assert!(output.status.success(), "{}\n{diff}", String::from_utf8_lossy(&output.stdout));
    fs::read(path).map(Some)
}

#[test]
fn the_patch_program_makes_the_same_of_a_diff() {
    let mut runner = TestRunner::new(config(1));
    let mut applied = 0;
    for _ in 0..400 {
        let before = text().new_tree(&mut runner).unwrap().current();
        let (tool, arguments) = change().new_tree(&mut runner).unwrap().current();
        if tool == "write_bytes" {
            continue;
        }
        let (volume, session) = session(&before);
        let Ok(outcome) = call(&session, tool, &with(&arguments, "diff", json!(true))) else { continue };
        let after = file(&volume);
        let Some(diff) = outcome["diff"].as_str().filter(|_| after != before) else { continue };
        match by_the_program(Some(&before), diff).unwrap() {
            Some(patched) => assert!(patched == after, "{before:?} by {tool} {arguments}\n{diff}"),
            None => {
                #[expect(clippy::print_stderr, reason = "a skipped test says why")]
                {
                    eprintln!("skipped: there is no program `patch` here");
                }
                return;
            }
        }
        applied += 1;
    }
    assert!(applied > 50, "{applied} diffs");
    let (_, session) = session(b"");
    let made = json!({"path": "g", "content": "one\r\ntwo", "diff": true});
    let diff = call(&session, "create", &made).unwrap()["diff"].as_str().unwrap().replace("w/g", "w/f");
    assert_eq!(by_the_program(None, &diff).unwrap().unwrap(), b"one\r\ntwo");
}
