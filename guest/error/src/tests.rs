//! Form, size and repair of every sentence.

mod every;

use self::every::{HOSTILE, all, longest_lines};
use super::phrases::on_lines;
use super::*;
use fsgate_contract::limits::PATH_BYTES;
use fsgate_contract::types::Candidate;
use fsgate_text::patch::locate::HunkProblem;

#[test]
fn a_change_that_was_cut_short_claims_nothing_for_the_whole_call() {
    let partly = |why| Reason::Partly { done: "forgotten", count: 3, why: Box::new(why) };
    for (reason, message) in [
        (
            partly(Reason::Journal(Box::new(Fault::Deadline))),
            "3 entries were forgotten before it failed: the time for the call was over",
        ),
        (
            partly(Reason::Journal(Box::new(Fault::NoSpace))),
            "3 entries were forgotten before it failed: the disk is full",
        ),
        (
            Reason::Unrecovered(Box::new(Fault::Deadline)),
            "writing failed midway, and the file holds a part of the change: the time for the call was over",
        ),
    ] {
        assert_eq!(Failure::from(reason).into_error("forget").message, message);
    }
}

#[test]
fn a_change_that_cannot_be_written_down_gets_a_repair_that_helps() {
    let journal = |fault| Reason::Journal(Box::new(fault));
    for (reason, message, repair) in [
        (
            journal(Fault::NotFound),
            "the state directory, or a part of it, is missing",
            "start the session again",
        ),
        (journal(Fault::NoSpace), "the disk is full", "make room for the state directory"),
        (journal(Fault::ReadOnly), "for reading only", "make the state directory writable"),
    ] {
        let error = Failure::from(reason).into_error("write");
        assert!(error.message.contains(message), "{}", error.message);
        assert!(error.repair.unwrap().starts_with(repair), "{message}");
        assert!(!error.applied);
    }
}

#[test]
fn a_refusal_to_undo_names_its_entry() {
    for (reason, code, start, end) in [
        (
            Reason::NotGranted(vec!["/w".to_owned()]),
            Code::NotGranted,
            "a path of it lies in no granted directory: ",
            "start fsgate with the other directory granted as well (`--dir`)",
        ),
        (
            Reason::ReadOnlyGrant,
            Reason::ReadOnlyGrant.sentence().code,
            "",
            "start fsgate with that directory granted for writing",
        ),
        (
            Reason::Denied("x".to_owned(), Denial::Change),
            Code::DeniedByPolicy("x".to_owned()),
            "the policy rule `x` forbids to change it: ",
            "in the policy of its configuration",
        ),
        (
            Reason::writing(Fault::Access),
            Reason::writing(Fault::Access).sentence().code,
            "the operating system does not allow writing here: ",
            "let a person change who may write there, and repeat the call",
        ),
        (
            Reason::OverLimit(5),
            Code::TooLarge(5),
            "the file has more than 5 bytes, ",
            "in the policy of its configuration",
        ),
        (
            Reason::NotDirectory,
            Code::NotDirectory,
            "a segment of the path is not a directory: ",
            "what has taken the place of a directory on its path",
        ),
        (Reason::PathEscape, Code::PathEscape, "", "what has taken the place of a directory on its path"),
    ] {
        let error = reason.at("/w/a").of_entry(|| Some(every::named())).into_error("undo");
        assert_eq!((error.code, error.path.as_deref()), (code, Some("/w/a")));
        assert!(error.message.starts_with(start), "{}", error.message);
        let entry = "the entry 000000000000, `replace_in_files` of 2026-11-21T00:23:57Z";
        assert!(error.message.ends_with(entry), "{}", error.message);
        let repair = error.repair.unwrap();
        assert!(repair.starts_with("take back an earlier entry by its `id`"), "{repair}");
        assert!(repair.ends_with(end), "{repair}");
        assert!(error.details.unwrap().contains("undo_id"));
    }
    let of_all = Reason::Denied("x".to_owned(), Denial::Many(3)).at("/w/a").of_entry(|| Some(every::named()));
    assert!(matches!(of_all.reason, Reason::Denied(..)));
}

#[test]
fn lines_are_listed_as_a_person_would() {
    assert_eq!(on_lines(1, &[7]), "line 7");
    assert_eq!(on_lines(3, &[4, 9, 17]), "lines 4, 9 and 17");
    let many: Vec<u32> = (1..=100).collect();
    assert!(on_lines(1000, &many).ends_with("20 and 980 more"));
}

fn candidate(last_line: u32, in_file: &str, in_request: &str) -> Candidate {
    Candidate {
        first_line: 40,
        last_line,
        alike: 93,
        line: last_line,
        column: 5,
        in_file: in_file.to_owned(),
        in_request: in_request.to_owned(),
    }
}

#[test]
fn the_nearest_place_is_told_with_what_is_different() {
    for (last_line, expected) in [
        (42, "lines 40-42 (93 % alike): line 42 column 5 has TAB where `old` has 4 spaces"),
        (40, "line 40 (93 % alike): column 5 has TAB where `old` has 4 spaces"),
    ] {
        let nearest = candidate(last_line, "TAB", "4 spaces");
        let error = Failure::from(Reason::NoMatch(Traces { nearest: Some(nearest.clone()), made: None }))
            .into_error("replace");
        assert_eq!(
            error.message,
            format!("`old` does not occur in the file; the nearest place found is {expected}")
        );
        assert_eq!(error.code, Code::NoMatch(Some(nearest)));
    }
}

#[test]
fn what_is_ambiguous_is_told_with_its_lines() {
    let error = Failure::from(Reason::Ambiguous { count: 3, lines: vec![4, 9, 17] }).into_error("replace");
    assert_eq!(error.message, "`old` occurs 3 times, beginning on lines 4, 9 and 17");
    assert_eq!(error.code, Code::Ambiguous(vec![4, 9, 17]));
    let problem = SectionProblem::Several { name: "x".to_owned(), count: 2, lines: vec![1, 8] };
    let error = Failure::from(Reason::Section(problem)).into_error("read_numbered");
    assert_eq!(error.code, Code::Ambiguous(vec![1, 8]));
    let problem = PatchProblem::Hunk(HunkProblem::Ambiguous(vec![2, 3], 2));
    let error = Failure::from(Reason::Patch(Box::new(problem))).into_error("apply");
    assert!(error.message.ends_with("on lines 2 and 3"), "{}", error.message);
}

#[test]
fn as_many_lines_are_told_as_an_error_has_room_for() {
    for (path, lines, all) in [
        ("a", (1..=1000).collect::<Vec<_>>(), true),
        ("a", longest_lines(1000), false),
        (&"a".repeat(5000), longest_lines(1000), false),
    ] {
        let count = lines.len() as u64;
        let error = Reason::Ambiguous { count, lines: lines.clone() }.at(path).into_error("replace");
        let size = serde_json::to_string(&error).unwrap().len();
        let Code::Ambiguous(found) = &error.code else { panic!("{error:?}") };
        assert_eq!((&found[..], found.len() == lines.len()), (&lines[..found.len()], all), "{size}");
        assert!(all || (ERROR_BYTES - 11..=ERROR_BYTES).contains(&size), "{size}");
        assert!(error.message.contains("1000 times"), "{}", error.message);
    }
}

#[test]
fn no_error_is_larger_than_8_kib() {
    for character in HOSTILE {
        let text = character.repeat(1 << 20);
        let path = character.repeat(PATH_BYTES / character.len());
        for reason in all(&text) {
            let error = reason.clone().at(&*path).into_error("uncomment_lines");
            let size = serde_json::to_string(&error).unwrap().len();
            assert!(
                size <= 8 << 10,
                "{size} bytes of {character:?}: {} {}",
                error.code.name(),
                error.message
            );
        }
    }
}

#[test]
fn every_error_says_what_to_do_next() {
    for reason in all("x") {
        let error = reason.at("a").into_error("read");
        let repair = error.repair.unwrap_or_default();
        assert!(!repair.is_empty(), "{}: {}", error.code.name(), error.message);
        // A repair is a sentence that adds to the message.
        let is_sentence =
            !repair.ends_with('.') && !repair.starts_with(char::is_uppercase) && repair != error.message;
        assert!(is_sentence, "{repair}");
    }
}
