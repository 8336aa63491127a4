//! What the usual policy costs a search: the same searches under the profiles `default` and `open`, in many turns.
//!
//! The difference is smaller than what one measurement varies by, so there are more rounds than elsewhere, and no other
//! program runs in between.

use std::path::Path;

use anyhow::{Result, ensure};
use fsgate::policy::{Document, Documents, Profile};
use fsgate::{Access, Gate, GrepArgs, GrepOutcome, volume};
use fsgate_engine::tools;

use crate::searches::{TEXTS, counting, lines, showing};
use crate::table::{Row, Work, report, waiting};
use crate::trees;

/// Rounds after the warm-up: medians of two like series differ by less than a hundredth.
const ROUNDS: usize = 25;

/// Files of the tree.
const FILES: usize = 70_000;

/// Prints the table.
pub(crate) fn measured(_: &Path) -> Result<()> {
    let directory = trees::large(FILES)?;
    let open = Documents::from(Document { profile: Some(Profile::Open), ..Document::default() });
    let builder = || Gate::builder().dir_as(&directory, "/t", Access::Read);
    let gates = [builder().build()?, builder().policy(open.clone()).build()?];
    let grants = || vec![(directory.clone(), "/t".to_owned(), Access::Read)];
    let native = [volume::session(grants())?, volume::session_under(&open, grants())?];
    let mut searches =
        TEXTS.map(|text| (format!("grep, count lines with {text}, 70k files"), counting(text))).to_vec();
    searches.push((format!("grep, show lines with {}, 70k files", TEXTS[0]), showing(TEXTS[0])));
    let mut rows = Vec::new();
    for (name, args) in &searches {
        let expected = lines(args, |args| Ok(gates[0].grep(args)?))?;
        let beside = "under the profile `open`";
        let through =
            |name: &str, gate| search(name, args, expected, move |args| Ok(Gate::grep(gate, args)?));
        rows.push(Row { ours: through(name, &gates[0]), peers: vec![through(beside, &gates[1])] });
        let natively = |name: &str, session| {
            search(name, args, expected, move |args| {
                Ok(volume::Session::run(session, tools::grep::run, args)?)
            })
        };
        let name = format!("{name}, the same core, native");
        rows.push(Row { ours: natively(&name, &native[0]), peers: vec![natively(beside, &native[1])] });
    }
    report(&mut rows, ROUNDS)
}

/// A search that finds so many lines.
fn search<'a>(
    name: &str,
    args: &'a GrepArgs,
    expected: u64,
    call: impl Fn(&GrepArgs) -> Result<GrepOutcome> + 'a,
) -> Work<'a> {
    waiting(name, 1, move || {
        let found = lines(args, &call)?;
        ensure!(found == expected, "{found} lines, not {expected}");
        Ok(())
    })
}
