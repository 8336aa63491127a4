//! The cases that each runner leaves out, and the reasons: `docs/hosts/corpus.md`.
//!
//! Every runner, in whatever language, has a file in `tests/reports`. Its own test compares that file
//! with its run, or writes it with `FSGATE_UPDATE=1`. The page is made of these files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::case::Case;

/// The runners, in the order of the page: file and title.
const RUNNERS: [(&str, &str); 12] = [
    ("core-in-memory", "the core, in memory"),
    ("core-on-a-disk", "the core, on a disk"),
    ("fsgate-typed", "fsgate, typed calls"),
    ("fsgate-json", "fsgate, JSON"),
    ("wasmtime", "`wasmtime run`"),
    ("act", "ACT, through MCP"),
    ("python-json", "Python, JSON"),
    ("python-typed", "Python, methods"),
    ("js-disk-json", "Node, JSON"),
    ("js-disk-methods", "Node, methods"),
    ("js-memory-json", "JavaScript, in memory"),
    ("js-jco", "jco's own layer"),
];

/// The cases that a runner leaves out, by the reason: `file: tool name`.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Report(BTreeMap<String, BTreeSet<String>>);

impl Report {
    /// A case was left out.
    pub fn left_out(&mut self, case: &Case, reason: &str) {
        self.0.entry(reason.to_owned()).or_default().insert(named(case));
    }

    /// Holds it against the file of the runner, or writes that.
    ///
    /// # Panics
    ///
    /// If it says something else.
    pub fn check(&self, runner: &str) {
        assert!(RUNNERS.iter().any(|(name, _)| *name == runner), "no runner is `{runner}`");
        let path = directory().join(format!("{runner}.json"));
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        if env::var_os("FSGATE_UPDATE").is_some() {
            fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            return;
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == text,
            "{} says something else of what is left out: run this test with FSGATE_UPDATE=1, then `make reference`",
            path.display()
        );
    }

    fn read(runner: &str) -> Result<Self> {
        let path = directory().join(format!("{runner}.json"));
        let told = || path.display().to_string();
        let text = fs::read_to_string(&path).with_context(told)?;
        serde_json::from_str(&text).with_context(told)
    }

    fn leaves_out(&self, case: &Case) -> bool {
        let name = named(case);
        self.0.values().any(|names| names.contains(&name))
    }
}

fn named(case: &Case) -> String {
    format!("{}: {} {}", case.file, case.tool, case.name)
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../reports")
}

/// The page.
pub fn page(cases: &[Case]) -> Result<String> {
    let mut files: Vec<_> = cases.iter().map(|case| &case.file[..]).collect();
    files.dedup();
    let mut told = Vec::new();
    for (runner, name) in RUNNERS {
        told.push((runner, name, Report::read(runner)?));
    }
    // A name that no case has any more would be counted nowhere.
    let known: BTreeSet<_> = cases.iter().map(named).collect();
    for (runner, _, report) in &told {
        let gone = report.0.values().flatten().find(|name| !known.contains(*name));
        ensure!(gone.is_none(), "{runner}.json names a case that is gone: {gone:?}");
    }
    let mut out = String::from(
        "# The corpus, case by case and host by host\n\nMade by `make reference` from what each runner of the corpus says of itself in \
         [`tests/reports`](../../tests/reports), and kept true by the tests of the runners. A number is that of the cases that a runner has to run, and fails if one does not hold; \
         behind it, those that it leaves out. In memory JavaScript runs them in Node and in Chromium.\n\nThe languages of other systems have cases of their own, in the folders beside these files. They run in the \
         core, and, all of them, through the packages: in Python, and in JavaScript on a disk and in memory. ACT and Wassette have \
         no front ends.\n\n| cases |",
    );
    for (_, name, _) in &told {
        write!(out, " {name} |")?;
    }
    out.push_str("\n| --- |");
    out.push_str(&" --- |".repeat(told.len()));
    out.push('\n');
    let mut sums = vec![(0, 0); told.len()];
    for file in files {
        let written: Vec<_> = cases.iter().filter(|case| case.file == file).collect();
        write!(out, "| [`{file}`](../../tests/cases/{file}.cases.md) |")?;
        for ((_, _, report), sum) in told.iter().zip(&mut sums) {
            let left_out = written.iter().filter(|case| report.leaves_out(case)).count();
            let ran = written.len() - left_out;
            *sum = (sum.0 + ran, sum.1 + left_out);
            write!(out, " {} |", cell(ran, left_out))?;
        }
        out.push('\n');
    }
    out.push_str("| all |");
    for (ran, left_out) in sums {
        write!(out, " {} |", cell(ran, left_out))?;
    }
    out.push_str("\n\n## What is left out, and why\n");
    for (runner, name, report) in &told {
        write!(out, "\n### {name}\n\n")?;
        if report.0.is_empty() {
            out.push_str("Nothing.\n");
            continue;
        }
        writeln!(out, "By name in [`{runner}.json`](../../tests/reports/{runner}.json).\n")?;
        for (reason, names) in &report.0 {
            let mut files: Vec<_> = names.iter().filter_map(|name| Some(name.split_once(": ")?.0)).collect();
            files.dedup();
            let files: Vec<_> = files.into_iter().map(|file| format!("`{file}`")).collect();
            let item = format!("- {}: {reason} ({}).", names.len(), files.join(", "));
            writeln!(out, "{}", wrapped(&item))?;
        }
    }
    Ok(out)
}

fn cell(ran: usize, left_out: usize) -> String {
    if left_out == 0 { ran.to_string() } else { format!("{ran} − {left_out}") }
}

/// Columns of a page.
const COLUMNS: usize = 100;

/// An item of a list, in lines of a page's width.
fn wrapped(item: &str) -> String {
    let (mut text, mut width) = (String::new(), 0);
    for word in item.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > COLUMNS {
            text.push_str("\n  ");
            width = 2;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += length;
    }
    text
}
