//! Cases, rows, laws, and arbitrary text.

use std::borrow::Cow;

use proptest::prelude::*;
use serde_json::json;

use super::options::{GivenOption, Options};
use super::parse::{Command, CommandFlaw, CommandOperation, parse};
use crate::testing::corpus::{Case, all_hold, cases};
use crate::testing::{from_outside, session, sharing};
use crate::{InJson, Tools};
use fsgate_contract::Callable;
use fsgate_contract::front_ends_types::{CommandArgs, CommandOutcome, CommandQuestion};
use fsgate_contract::limits::{COMMAND_LISTING_BYTES, FRONT_END_FILE_BYTES, FRONT_END_TEXT_BYTES};
use fsgate_contract::search_types::Skipped;
use fsgate_contract::types::{Code, Error};
use fsgate_fuzz::fuzz;
use fsgate_volume::Access;
use fsgate_volume::memory::{Item, Memory};

fn run(tools: &impl Tools, text: &str) -> CommandOutcome {
    super::run(tools, &CommandArgs { text: text.to_owned(), ..CommandArgs::default() })
}

fn done(sentence: &str) -> CommandOutcome {
    CommandOutcome::Done(sentence.to_owned())
}

fn failed(sentence: &str) -> CommandOutcome {
    CommandOutcome::Failed(sentence.to_owned())
}

fn arguments(case: &Case) -> CommandArgs {
    let text = case.text("text").unwrap_or_default().to_owned();
    let answer: serde_json::Value = serde_json::from_str(case.text("answer").unwrap_or("{}")).unwrap();
    let given = |key: &str| answer[key].as_str().map(str::to_owned);
    CommandArgs {
        text,
        content: given("content"),
        destination: given("destination"),
        ask: answer["ask"].as_bool(),
    }
}

#[test]
fn each_case_comes_to_what_it_expects() {
    const BLOCKS: [&str; 7] = ["before", "text", "answer", "done", "failed", "needs-options", "after"];
    all_hold(&cases("command"), &BLOCKS, |case, session, in_json| {
        let outcome = match in_json {
            false => super::run(session, &arguments(case)),
            true => super::run(&InJson::over(&from_outside(session)), &arguments(case)),
        };
        let (kind, told) = match outcome {
            CommandOutcome::Done(sentence) => ("done", sentence),
            CommandOutcome::Failed(sentence) => ("failed", sentence),
            CommandOutcome::NeedsOptions(question) => {
                ("needs-options", serde_json::to_string(&question).unwrap())
            }
        };
        if case.text(kind) == Some(&told) { Vec::new() } else { vec![format!("{kind}: {told}")] }
    });
}

#[test]
fn every_operation_has_cases_and_stands_on_the_page() {
    let cases = cases("command");
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/command.md");
    let page = std::fs::read_to_string(page).unwrap();
    for operation in CommandOperation::ALL {
        let tried = |kind| {
            let of = |case: &&Case| case.group == operation.name();
            cases.iter().filter(of).any(|case| case.text(kind).is_some())
        };
        assert!(
            tried("done") && (tried("failed") || operation == CommandOperation::FileExists),
            "{operation:?}"
        );
        assert!(page.contains(&format!("| `{}` |", operation.name())), "{operation:?}");
    }
}

fn options<'a>(content: Option<&'a str>, destination: Option<&'a str>) -> GivenOption<'a> {
    GivenOption::Read(Options { content, destination: destination.map(Cow::Borrowed) })
}

#[test]
fn commands_are_read() {
    let none = || options(None, None);
    for (text, path, expected) in [
        ("readFile a", "a", none()),
        ("  readFile\n\ta\u{a0}b and more ", "a", none()),
        ("readFile a options:", "a", none()),
        ("readFile a Options : \n", "a", none()),
        ("readFile a dependsOn: x options: content: y", "a", none()),
        ("readFile a DEPENDSON:options: x", "a", none()),
        ("readFile a options: dependsOn: x", "a", none()),
        ("readFile a/options:b", "a/options:b", none()),
        ("readFile content:", "content:", none()),
        ("readFile a with options: content: b", "a", options(Some("b"), None)),
        ("readFile a content: b", "a", none()),
        ("readFile a options: content: \n b\n\n c \n", "a", options(Some("b\n\n c"), None)),
        ("readFile a options:content:b", "a", options(Some("b"), None)),
        ("readFile a options: content: 'b'", "a", options(Some("'b'"), None)),
        ("readFile a options: content: b dependsOn: c", "a", options(Some("b dependsOn: c"), None)),
        ("readFile a options: content: b\ndependsOn: c", "a", options(Some("b"), None)),
        ("readFile a options: content: b\r\nDEPENDSON : c, d\r\n\n", "a", options(Some("b"), None)),
        ("readFile a options: content: b\ndependsOn:", "a", options(Some("b"), None)),
        ("readFile a options: content: b\n dependsOn: c", "a", options(Some("b\n dependsOn: c"), None)),
        ("readFile a options: content: b\nxdependsOn: c", "a", options(Some("b\nxdependsOn: c"), None)),
        ("readFile a options: content: b\ndependsOn: c\nd", "a", options(Some("b\ndependsOn: c\nd"), None)),
        (
            "readFile a options: content: dependsOn: c\ndependsOn: d\ndependsOn: e",
            "a",
            options(Some("dependsOn: c\ndependsOn: d"), None),
        ),
        ("readFile a options: content:\ndependsOn: c", "a", GivenOption::Unread("content:")),
        ("readFile a options: content: b options: c", "a", options(Some("b options: c"), None)),
        ("readFile a options: content: b other: c", "a", options(Some("b other: c"), None)),
        ("readFile a options: content: b Content: c", "a", options(Some("b Content: c"), None)),
        ("readFile a options: destination: b", "a", options(None, Some("b"))),
        ("readFile a options: destination : b dependsOn: c", "a", options(None, Some("b"))),
        ("readFile a options: destination: b content: c d", "a", options(Some("c d"), Some("b"))),
        (
            "readFile a options: content: c d destination: b dependson : x",
            "a",
            options(Some("c d"), Some("b")),
        ),
        ("readFile a options: destination: b dependsOn: content: x", "a", options(None, Some("b"))),
        ("readFile a options: destination: 'b c'", "a", options(None, Some("b c"))),
        (r#"readFile a options: destination: "b\n\r\t\\\'\"'" "#, "a", options(None, Some("b\n\r\t\\'\"'"))),
        ("readFile a options: b", "a", GivenOption::Unread("b")),
        ("readFile a options: b content: c", "a", GivenOption::Unread("b content: c")),
        ("readFile a options: mode: b", "a", GivenOption::Unread("mode: b")),
        ("readFile a options: content:", "a", GivenOption::Unread("content:")),
        ("readFile a options: content: destination: b", "a", GivenOption::Unread("content: destination: b")),
        ("readFile a options: content: b content: c", "a", GivenOption::Unread("content: b content: c")),
        ("readFile a options: destination: b c", "a", GivenOption::Unread("destination: b c")),
        (
            "readFile a options: destination: b destination: c",
            "a",
            GivenOption::Unread("destination: b destination: c"),
        ),
        ("readFile a options: destination: 'b", "a", GivenOption::Unread("destination: 'b")),
        ("readFile a options: destination: 'b' c", "a", GivenOption::Unread("destination: 'b' c")),
        ("readFile a options: destination: '\\x'", "a", GivenOption::Unread("destination: '\\x'")),
        ("readFile a options: destination: '\\", "a", GivenOption::Unread("destination: '\\")),
        ("readFile a options: destination: ''", "a", GivenOption::Unread("destination: ''")),
        ("readFile a options:  b dependsOn: c", "a", GivenOption::Unread("b")),
        ("readFile a options: path='b' content='c'", "a", GivenOption::Unread("path='b' content='c'")),
    ] {
        let expected = Command { operation: CommandOperation::ReadFile, path, options: expected };
        assert_eq!(parse(text), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_no_command_is_told() {
    for (text, flaw) in [
        ("", CommandFlaw::Nothing),
        (" \n", CommandFlaw::Invalid),
        ("readFile", CommandFlaw::Invalid),
        ("readFile ", CommandFlaw::Invalid),
        ("readfile a", CommandFlaw::Invalid),
        ("rename a", CommandFlaw::Invalid),
        ("a readFile", CommandFlaw::Invalid),
        ("readFile options: content: a", CommandFlaw::Invalid),
        ("readFile Options : content: a", CommandFlaw::Invalid),
        ("readFile dependsOn: a", CommandFlaw::Invalid),
        ("dependsOn: readFile a", CommandFlaw::Invalid),
    ] {
        assert_eq!(parse(text), Err(flaw), "{text}");
    }
}

#[test]
fn a_question_has_the_words_that_its_answerers_know() {
    let question = |raw: &str| {
        CommandOutcome::NeedsOptions(CommandQuestion {
            raw: raw.to_owned(),
            instruction: "Extract file system operation options as key-value pairs.".to_owned(),
            keys: vec!["content".to_owned(), "destination".to_owned()],
        })
    };
    let text = "writeFile a options: put one in it dependsOn: x";
    for (content, destination, ask, expected, left) in [
        (None, None, None, question("put one in it"), None),
        (None, None, Some(true), question("put one in it"), None),
        (None, None, Some(false), failed("Invalid options: unable to parse."), None),
        (Some(" one "), None, Some(false), done("Wrote file at /tmp/a successfully."), Some(" one ")),
        (Some("one"), Some("b"), None, done("Wrote file at /tmp/a successfully."), Some("one")),
        (None, Some("b"), None, done("Wrote file at /tmp/a successfully."), Some("")),
    ] {
        let volume = Memory::default();
        let args = CommandArgs {
            text: text.to_owned(),
            content: content.map(str::to_owned),
            destination: destination.map(str::to_owned),
            ask,
        };
        assert_eq!(super::run(&session(&volume), &args), expected);
        let left = left.map(|content: &str| Item::File(content.as_bytes().to_vec()));
        assert_eq!(volume.snapshot().get("a"), left.as_ref());
    }
}

struct Never;

impl Tools for Never {
    fn call<A: Callable>(&self, _: &A) -> Result<A::Outcome, Error> {
        panic!("{} was called", A::OPERATION)
    }
}

#[test]
fn nothing_is_called_before_all_is_there_that_is_needed() {
    for (text, expected) in [
        ("", failed("No input provided for file-system operation")),
        ("delete a", failed("Invalid input: operation and path are required and must be valid.")),
        ("copyFile a", failed("Destination required for copyFile")),
        ("moveFile a options: content: b", failed("Destination required for moveFile")),
    ] {
        assert_eq!(run(&Never, text), expected);
    }
    let long = format!("readFile {}", "a".repeat(FRONT_END_TEXT_BYTES));
    assert_eq!(run(&Never, &long), failed("a text has at most 16777216 bytes"));
    let asked = run(&Never, "copyFile a options: to b");
    assert!(matches!(asked, CommandOutcome::NeedsOptions(_)), "{asked:?}");
    let args = CommandArgs {
        text: "copyFile a options: to b".to_owned(),
        destination: Some(String::new()),
        ..CommandArgs::default()
    };
    assert_eq!(super::run(&Never, &args), failed("Destination required for copyFile"));
}

/// Refuses every call except the one for the start of paths.
struct Refusing<'a>(&'a dyn Fn() -> Code);

impl Tools for Refusing<'_> {
    fn call<A: Callable>(&self, _: &A) -> Result<A::Outcome, Error> {
        let outcome =
            json!({"entry": {"path": "/w", "name": "w", "kind": "directory", "size": 0, "hidden": false}});
        serde_json::from_value(outcome).map_err(|_| Error {
            code: self.0(),
            operation: A::OPERATION.to_owned(),
            path: None,
            message: "a sentence".to_owned(),
            applied: false,
            repair: None,
            details: None,
        })
    }
}

#[test]
fn what_an_operation_refuses_is_told_as_its_system_does() {
    let options = "options: content: c destination: ../d";
    for (operation, missing, other) in [
        ("readFile", "ENOENT: no such file or directory, open '/w/a'", "readFile: a sentence"),
        ("writeFile", "ENOENT: no such file or directory, open '/w/a'", "writeFile: a sentence"),
        ("appendFile", "ENOENT: no such file or directory, open '/w/a'", "appendFile: a sentence"),
        ("deleteFile", "ENOENT: no such file or directory, unlink '/w/a'", "deleteFile: a sentence"),
        ("createDirectory", "ENOENT: no such file or directory, mkdir '/w/a'", "createDirectory: a sentence"),
        ("listDirectory", "ENOENT: no such file or directory, scandir '/w/a'", "listDirectory: a sentence"),
        ("fileExists", "ENOENT: no such file or directory, access '/w/a'", "fileExists: a sentence"),
        ("copyFile", "ENOENT: no such file or directory, copyfile '/w/a' -> '/d'", "copyFile: a sentence"),
        ("moveFile", "ENOENT: no such file or directory, rename '/w/a' -> '/d'", "moveFile: a sentence"),
    ] {
        let text = format!("{operation} x/.././a {options}");
        assert_eq!(run(&Refusing(&|| Code::NotFound), &text), failed(missing));
        assert_eq!(run(&Refusing(&|| Code::Deadline), &text), failed(other));
    }
}

#[test]
fn what_cannot_be_reached_is_not_there() {
    for code in [
        Code::PathEscape,
        Code::NotGranted,
        Code::LinkLoop,
        Code::InvalidPath,
        Code::NameTooLong,
        Code::DeniedByPolicy("r".to_owned()),
    ] {
        let outcome = run(&Refusing(&|| code.clone()), "fileExists ../a");
        assert_eq!(outcome, done("Checked file existence at /a: false."));
    }
}

#[test]
fn what_may_only_be_read_is_not_changed() {
    let volume = Memory::default();
    volume.put("a", Item::File(b"one".to_vec()));
    let before = volume.snapshot();
    let session = sharing(&volume, &Memory::default(), Access::Read);
    for (text, expected) in [
        ("readFile a", done("FILE_CONTENT:\none")),
        ("writeFile a options: content: b", failed("EACCES: permission denied, open '/tmp/a'")),
        ("appendFile a", failed("EACCES: permission denied, open '/tmp/a'")),
        ("deleteFile a", failed("EACCES: permission denied, unlink '/tmp/a'")),
        ("createDirectory d", failed("EACCES: permission denied, mkdir '/tmp/d'")),
        (
            "copyFile a options: destination: b",
            failed("EACCES: permission denied, copyfile '/tmp/a' -> '/tmp/b'"),
        ),
        (
            "moveFile a options: destination: b",
            failed("EACCES: permission denied, rename '/tmp/a' -> '/tmp/b'"),
        ),
    ] {
        assert_eq!(run(&session, text), expected, "{text}");
    }
    assert_eq!(volume.snapshot(), before);
}

/// Two paths with the answers of Node.js 20 on Linux: the start of the message, or nothing for
/// success. `-`: not compared. The memory volume cannot keep a replaced link, and `move` refuses a
/// link that would replace its own target.
const RELOCATIONS: &[(&str, &str, &str, &str)] = &[
    // source, destination, copyFile, rename
    ("a", "b", "", ""),
    ("a", "a", "", ""),
    ("a", "d/../a", "", ""),
    ("none", "b", "ENOENT", "ENOENT"),
    ("none", "none", "ENOENT", "ENOENT"),
    ("none", "d", "ENOENT", "ENOENT"),
    ("d", "b", "EISDIR", "ENOTDIR"),
    ("a", "d", "EISDIR", "EISDIR"),
    ("a", "empty", "EISDIR", "EISDIR"),
    ("d", "full", "EISDIR", "ENOTEMPTY"),
    ("d", "empty", "EISDIR", ""),
    ("empty", "d", "EISDIR", "ENOTEMPTY"),
    ("empty", "empty2", "EISDIR", ""),
    ("d", "d", "EISDIR", ""),
    ("d", "d/new", "EISDIR", "EINVAL"),
    ("d", "d/f", "EISDIR", "ENOTDIR"),
    ("full", "full/g", "EISDIR", "EINVAL"),
    ("full/g", "full", "EISDIR", "ENOTEMPTY"),
    ("d/f", "d", "EISDIR", "ENOTEMPTY"),
    ("d/f", "full", "EISDIR", "EISDIR"),
    ("d", "new", "EISDIR", ""),
    ("a", "none/x", "ENOENT", "ENOENT"),
    ("d", "none/x", "ENOENT", "ENOENT"),
    ("a", "b/x", "ENOTDIR", "ENOTDIR"),
    ("d", "b/x", "ENOTDIR", "ENOTDIR"),
    ("a/x", "b", "ENOTDIR", "ENOTDIR"),
    ("loop", "b", "ELOOP", ""),
    ("a", "loop", "ELOOP", "-"),
    ("loop/x", "b", "ELOOP", "ELOOP"),
    ("dangling", "b", "ENOENT", ""),
    ("a", "dangling", "", "-"),
    ("l", "a", "", "-"),
    ("a", "l", "", "-"),
    ("l", "l", "", ""),
    ("ld", "b", "EISDIR", ""),
    ("a", "ld", "EISDIR", "-"),
    ("d", "ld", "EISDIR", "ENOTDIR"),
    ("d", "dangling", "EISDIR", "ENOTDIR"),
];

#[test]
fn copies_and_renames_are_answered_as_node_does() {
    let volume = || {
        let volume = Memory::default();
        for (path, content) in [("a", "A"), ("b", "B"), ("d/f", "F"), ("full/g/h", "H")] {
            volume.put(path, Item::File(content.into()));
        }
        for (path, target) in [("l", "a"), ("loop", "loop"), ("dangling", "nowhere"), ("ld", "d")] {
            volume.put(path, Item::Link(target.to_owned()));
        }
        for path in ["empty", "empty2"] {
            volume.put(path, Item::Directory);
        }
        volume
    };
    let mut others = Vec::new();
    for (source, destination, copied, renamed) in RELOCATIONS {
        let calls = [("copyFile", "copyfile", copied), ("moveFile", "rename", renamed)];
        for (operation, call, expected) in calls.into_iter().filter(|(_, _, expected)| **expected != "-") {
            let volume = volume();
            let before = volume.snapshot();
            let text = format!("{operation} {source} options: destination: {destination}");
            let outcome = run(&session(&volume), &text);
            let is_as_node = match &outcome {
                CommandOutcome::Done(_) => expected.is_empty(),
                CommandOutcome::Failed(sentence) => {
                    let both = format!(", {call} '/tmp/{source}' -> '/tmp/{destination}'");
                    !expected.is_empty()
                        && sentence.starts_with(&format!("{expected}: "))
                        && sentence.ends_with(&both)
                        && volume.snapshot() == before
                }
                CommandOutcome::NeedsOptions(_) => false,
            };
            if !is_as_node {
                others.push(format!("{text}: {expected:?}, {outcome:?}"));
            }
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

#[test]
fn what_is_given_has_an_end() {
    let volume = Memory::default();
    let most = usize::try_from(FRONT_END_FILE_BYTES).unwrap();
    volume.put("most", Item::File(vec![b'x'; most]));
    volume.put("more", Item::File(vec![b'x'; most + 1]));
    for number in 0..20_001 {
        volume.put(&format!("d/{number:05}"), Item::File(Vec::new()));
    }
    let session = session(&volume);
    let CommandOutcome::Done(given) = run(&session, "readFile most") else { panic!() };
    assert_eq!(given.len(), "FILE_CONTENT:\n".len() + most);
    assert_eq!(run(&session, "readFile more"), failed("EFBIG: file too large, open '/tmp/more'"));
    let CommandOutcome::Done(given) = run(&session, "listDirectory d") else { panic!() };
    assert!(given.starts_with("Listed entries at /tmp/d successfully: [\"00000\",\"00001\","), "{given:.99}");
    assert!(given.ends_with("\"19999\",\"20000\"]."));
}

struct Endless;

impl Tools for Endless {
    fn call<A: Callable>(&self, _: &A) -> Result<A::Outcome, Error> {
        let entry =
            json!({"path": "/n", "name": "n".repeat(1 << 20), "kind": "file", "size": 0, "hidden": false});
        let page = json!({
            "path": "/",
            "entries": [entry],
            "totals": {"files": 1, "directories": 0, "others": 0},
            "skipped": Skipped::default(),
            "next_cursor": "c",
        });
        Ok(serde_json::from_value(page).unwrap())
    }
}

#[test]
fn names_without_an_end_are_refused() {
    let told = format!("listDirectory: the names have more than {COMMAND_LISTING_BYTES} bytes");
    assert_eq!(run(&Endless, "listDirectory /"), failed(&told));
}

/// Slow inputs for a bad parser, at the size limit.
#[test]
fn the_longest_texts_are_read_in_one_pass() {
    for piece in [
        "options:",
        " content",
        " content:",
        " destination:'",
        "dependsOn ",
        "options ",
        "\\",
        "\u{a0}",
        " destination \n",
    ] {
        for start in ["readFile a ", "readFile a options: ", "readFile a options: destination: '"] {
            let text =
                start.to_owned() + &piece.repeat((FRONT_END_TEXT_BYTES - start.len()) / piece.len() / 8);
            assert_eq!(parse(&text).map(|command| command.path), Ok("a"), "{piece}");
        }
    }
}

/// The text that [`parse`] reads as this command.
fn printed(
    operation: CommandOperation,
    path: &str,
    content: Option<&str>,
    destination: Option<&str>,
) -> String {
    let quoted = |text: &str| {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        format!(" destination: \"{}\"", escaped.replace('\t', "\\t").replace('\r', "\\r"))
    };
    let destination = destination.map(quoted).unwrap_or_default();
    let content = content.map(|text| format!(" content: {text}")).unwrap_or_default();
    format!("{} {path} options:{destination}{content}", operation.name())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_is_read_back(
        operation in prop::sample::select(&CommandOperation::ALL[..]),
        path in "[a-z./é-]{1,8}",
        content in prop::option::of("[a-z!]([a-z\\n \"'\\\\{}]{0,20}[a-z\"'\\\\])?"),
        destination in prop::option::of("[a-z\\n\\t\\r \"'\\\\]{0,12}[a-z/\"']"),
    ) {
        let text = printed(operation, &path, content.as_deref(), destination.as_deref());
        let options = options(content.as_deref(), destination.as_deref());
        prop_assert_eq!(parse(&text), Ok(Command { operation, path: &path, options }));
    }
}

/// Texts of keywords, near keywords and noise.
fn texts() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        prop::sample::select(&CommandOperation::ALL[..]).prop_map(|operation| operation.name().to_owned()),
        "(options|Options|content|destination|dependsOn|mode)[ \n]?:?",
        "(/tmp|\\.\\.)?/?[ab]{0,2}",
        "[\"'\\\\ntr:]{1,3}",
        "\\PC{0,4}",
        "[ \\n\\t\u{a0}]",
    ];
    let space = prop_oneof![3 => Just(" "), 1 => Just("")];
    prop::collection::vec((word, space), 0..12)
        .prop_map(|words| words.into_iter().flat_map(|(word, space)| [word, space.to_owned()]).collect())
}

#[test]
fn any_text_is_answered() {
    let volume = Memory::default();
    volume.put("a", Item::File(b"one".to_vec()));
    let session = session(&volume);
    fuzz(texts(), |text| {
        let read = parse(&text);
        match run(&session, &text) {
            CommandOutcome::Done(sentence) | CommandOutcome::Failed(sentence) => {
                assert!(!sentence.is_empty());
            }
            CommandOutcome::NeedsOptions(question) => {
                let options = read.map(|command| command.options);
                assert_eq!(options, Ok(GivenOption::Unread(&question.raw)));
                assert!(text.contains(&question.raw) && !question.raw.is_empty());
            }
        }
    });
}
