//! Rows, measured in turns, and the table of their medians.

use std::iter;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// A thing to measure.
pub(crate) struct Work<'a> {
    name: String,
    /// How often it is done in one go of the clock.
    times: u32,
    /// How often the clock goes in one round; what counts is the median.
    goes: u32,
    run: Box<dyn FnMut() -> Result<()> + 'a>,
}

/// One thing, and other ways to do the same.
pub(crate) struct Row<'a> {
    pub(crate) ours: Work<'a>,
    pub(crate) peers: Vec<Work<'a>>,
}

/// What takes microseconds: the mean of many times is one measurement.
pub(crate) fn work<'a>(
    name: impl Into<String>,
    times: u32,
    run: impl FnMut() -> Result<()> + 'a,
) -> Work<'a> {
    Work { name: name.into(), times, goes: 1, run: Box::new(run) }
}

/// What somebody waits for: each time is measured.
pub(crate) fn waiting<'a>(
    name: impl Into<String>,
    goes: u32,
    run: impl FnMut() -> Result<()> + 'a,
) -> Work<'a> {
    Work { name: name.into(), times: 1, goes, run: Box::new(run) }
}

impl Work<'_> {
    /// The row's name is that of what is measured first.
    pub(crate) fn rename(&mut self, name: &str) {
        name.clone_into(&mut self.name);
    }

    fn measure(&mut self) -> Result<Duration> {
        let mut goes = Vec::new();
        for _ in 0..self.goes {
            let start = Instant::now();
            for _ in 0..self.times {
                (self.run)().with_context(|| self.name.clone())?;
            }
            goes.push(start.elapsed() / self.times);
        }
        goes.sort();
        Ok(goes[goes.len() / 2])
    }
}

/// Measures every row once to warm up and `rounds` times more, and prints the table.
#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
pub(crate) fn report(rows: &mut [Row], rounds: usize) -> Result<()> {
    let all = |row: &mut Row| iter::once(&mut row.ours).chain(&mut row.peers).map(Work::measure).collect();
    let mut measured: Vec<Vec<Vec<Duration>>> = Vec::new();
    for round in 0..=rounds {
        let times = rows.iter_mut().map(all).collect::<Result<_>>()?;
        if round > 0 {
            measured.push(times);
        }
    }
    println!("| work | median (min to max) | beside it | median (min to max) | ratio |");
    println!("| --- | --- | --- | --- | --- |");
    for (number, row) in rows.iter().enumerate() {
        let times = |work: usize| {
            let mut times: Vec<_> = measured.iter().map(|round| round[number][work]).collect();
            times.sort();
            (times[times.len() / 2], format!("{:.1?} to {:.1?}", times[0], times[times.len() - 1]))
        };
        let (ours, span) = times(0);
        let start = format!("| {} | {ours:.1?} ({span}) |", row.ours.name);
        if row.peers.is_empty() {
            println!("{start} | | |");
        }
        for (place, peer) in row.peers.iter().enumerate() {
            let (theirs, span) = times(place + 1);
            let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
            println!("{start} {} | {theirs:.1?} ({span}) | {ratio:.2} |", peer.name);
        }
    }
    Ok(())
}
