//! What it costs to write a change down before it is made, and to take it back: the same calls with and without a journal.

use std::fs;
use std::path::Path;

use anyhow::Result;
use fsgate::{CreateArgs, DeleteArgs, Durability, Gate, ReplaceArgs, StatArgs, UndoArgs, WriteArgs};

use crate::calls::edit;
use crate::table::{Row, Work, report, work};

/// A directory with its gate, and what it is called in the table.
struct Side {
    name: &'static str,
    gate: Gate,
    _scratch: tempfile::TempDir,
    _state: tempfile::TempDir,
}

const SMALL: &str = "small.txt";
const LARGE: &str = "large.txt";

impl Side {
    fn new(name: &'static str, durability: Durability) -> Result<Self> {
        let (scratch, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let small: String =
            (0..250).map(|n| format!("line {n:04} of an ordinary file, 44 bytes long\n")).collect();
        fs::write(scratch.path().join(SMALL), &small)?;
        let line = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n";
        let mut large = line.repeat((10 << 20) / 64);
        large.replace_range(0..4, "word");
        fs::write(scratch.path().join(LARGE), large)?;
        let gate =
            Gate::builder().dir(scratch.path()).state_root(state.path()).durability(durability).build()?;
        Ok(Self { name, gate, _scratch: scratch, _state: state })
    }

    fn works(&self) -> Vec<Work<'_>> {
        let gate = &self.gate;
        let named = |what: &str| format!("{what}, {}", self.name);
        let new =
            CreateArgs { path: "new.txt".to_owned(), content: "one\n".to_owned(), ..Default::default() };
        let gone = DeleteArgs { path: "new.txt".to_owned(), ..Default::default() };
        let mut turn = 0;
        vec![
            work(named("replace one word of 11 KB, same length"), 200, || {
                edit(gate, SMALL, "0123 of", "word of")?;
                edit(gate, SMALL, "word of", "0123 of")
            }),
            work(named("replace one word of 11 KB, longer"), 200, || {
                edit(gate, SMALL, "0003 of", "a longer word of")?;
                edit(gate, SMALL, "a longer word of", "0003 of")
            }),
            work(named("write 11 KB over 11 KB"), 200, move || {
                turn = (turn + 1) % 2;
                let content = ["one\n", "two\n"][turn].repeat(2_800);
                gate.write(&WriteArgs { path: "whole.txt".to_owned(), content, ..Default::default() })?;
                Ok(())
            }),
            work(named("create a file, delete it"), 200, move || {
                gate.create(&new)?;
                gate.delete(&gone)?;
                Ok(())
            }),
            work(named("replace one word of 10 MB, same length"), 4, || {
                edit(gate, LARGE, "word", "Word")?;
                edit(gate, LARGE, "Word", "word")
            }),
            work(named("replace one word of 10 MB at its beginning, longer"), 2, || {
                edit(gate, LARGE, "word", "a longer word")?;
                edit(gate, LARGE, "a longer word", "word")
            }),
        ]
    }
}

/// Prints the table.
pub(crate) fn measured(_: &Path) -> Result<()> {
    let journaled = Side::new("journaled", Durability::Process)?;
    let power = Side::new("journaled for a loss of power", Durability::Power)?;
    let none = Side::new("not journaled", Durability::None)?;
    let replace = ReplaceArgs {
        path: SMALL.to_owned(),
        old: "0007 of".to_owned(),
        new: "word of".to_owned(),
        ..Default::default()
    };
    // What an edit of a large file cannot do without, as often as the row has edits.
    let looked_at = StatArgs { path: LARGE.to_owned(), with_etag: Some(true), ..Default::default() };
    let mut rows: Vec<_> = beside(&journaled, &none);
    for row in rows.iter_mut().skip(4) {
        row.peers.push(work("read and hash 10 MB twice, in the component", 4, || {
            for _ in 0..2 {
                std::hint::black_box(journaled.gate.stat(&looked_at)?);
            }
            Ok(())
        }));
    }
    let gate = &journaled.gate;
    rows.push(Row {
        ours: work("replace one word of 11 KB, and undo it", 100, || {
            gate.replace(&replace)?;
            gate.undo(&UndoArgs::default())?;
            Ok(())
        }),
        peers: Vec::new(),
    });
    report(&mut rows, 7)?;
    // By themselves: a file system that was made to write everything down is busy with it for a while.
    report(&mut beside(&power, &journaled), 7)
}

/// What one side does beside the other.
fn beside<'a>(ours: &'a Side, other: &'a Side) -> Vec<Row<'a>> {
    let rows = ours.works().into_iter().zip(other.works());
    rows.map(|(ours, other)| Row { ours, peers: vec![other] }).collect()
}
