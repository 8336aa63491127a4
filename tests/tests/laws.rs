//! Laws, on random files and random paths, against models that are as simple as can be.

mod applying;
mod listing;
mod managing;
mod model;
mod paths;
mod reading;
mod replacing;
mod searching;
mod walking;
mod writing;

use fsgate_contract::OPERATIONS;
use fsgate_contract::agent_types::CallArgs;
use fsgate_engine::agent;
use fsgate_engine::session::Session;
use fsgate_tests::memory;
use fsgate_tests::tree::Tree;
use fsgate_tests::verdict::foretold;
use fsgate_text::encoding::may_be_utf_16;
use fsgate_volume::memory::{Item, Memory};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

/// Runs of every law. The seed differs from run to run; a failure prints what it needs to be a case.
pub(crate) fn config(cases: u32) -> ProptestConfig {
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
        .prop_filter(REFUSED, |bytes| is_plain(bytes))
}

/// Why some files are left out.
const REFUSED: &str = "what may be text in UTF-16 is refused until its encoding is named";

fn is_plain(bytes: &[u8]) -> bool {
    may_be_utf_16(bytes, true).is_none()
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    (text(), prop::option::weighted(0.3, (select(BROKEN), any::<prop::sample::Index>())))
        .prop_map(|(mut bytes, broken)| {
            if let Some((piece, at)) = broken {
                let at = at.index(bytes.len() + 1);
                bytes.splice(at..at, piece.iter().copied());
            }
            bytes
        })
        .prop_filter(REFUSED, |bytes| is_plain(bytes))
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

/// Names UTF-8 where a file is none, because the models change bytes; what is guessed has laws of its own.
fn as_bytes(before: &[u8]) -> Option<String> {
    std::str::from_utf8(before).is_err().then(|| "utf-8".to_owned())
}

/// A call in JSON, and its outcome or its error.
fn call(session: &Session<Memory>, tool: &str, arguments: &Value) -> Result<Value, Value> {
    let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_string() };
    match agent::call(session, &args) {
        Ok(ok) => Ok(foretold(serde_json::from_str(&ok.outcome).unwrap())),
        Err(refused) => Err(serde_json::from_str(&refused.error).unwrap()),
    }
}

/// The name of every tool, and two that are none.
fn tools() -> Vec<&'static str> {
    OPERATIONS.iter().map(|operation| operation.name).chain(["reed", "x\u{1}"]).collect()
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn no_arguments_make_an_error_that_is_too_long_or_a_change(
        tool in select(tools()),
        arguments in "\\PC{0,20}|(\\{|\\[|\"|:|,|\\}|\\]|path|paths|bytes|old|null|1|\u{1}){0,20}",
    ) {
        let (volume, session) = session(b"one\n");
        let refused = agent::call(&session, &CallArgs { tool: tool.to_owned(), arguments });
        let error: Value = serde_json::from_str(&refused.unwrap_err().error).unwrap();
        prop_assert!(error.to_string().len() <= 8 << 10);
        prop_assert_eq!(&error["applied"], false);
        prop_assert_eq!(volume.snapshot().len(), 2);
    }
}
