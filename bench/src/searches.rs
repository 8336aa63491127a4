//! Searching and walking large trees, beside ripgrep and fd, and beside the same core without a sandbox.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::{str, thread};

use anyhow::{Result, ensure};
use fsgate::volume::{Native, Session};
use fsgate::{Access, Confinement, Gate, GlobArgs, GlobOutcome, GrepArgs, GrepMode, GrepOutcome, volume};
use fsgate_engine::tools;

use crate::peers::peer;
use crate::table::{Row, Work, report, waiting};
use crate::trees;

/// Rounds after the warm-up.
const ROUNDS: usize = 7;

/// Files, and how they are written in a row's name.
const TREES: [(usize, &str); 2] = [(10_000, "10k"), (70_000, "70k")];

/// A text that is in every other file, and one that is in few.
pub(crate) const TEXTS: [&str; 2] = ["unsafe", "MmapOffset"];

/// A pattern for most files, and one for everything.
const PATTERNS: [&str; 2] = ["**/*.rs", "**"];

/// A granted tree.
struct Tree {
    size: &'static str,
    directory: PathBuf,
    gate: Gate,
    native: Session<Native>,
}

/// Prints the table.
pub(crate) fn measured(_: &Path) -> Result<()> {
    let mut trees = Vec::new();
    for (files, size) in TREES {
        let directory = trees::large(files)?;
        let grants = || vec![(directory.clone(), "/t".to_owned(), Access::Read)];
        trees.push(Tree {
            size,
            gate: Gate::builder().dir_as(&directory, "/t", Access::Read).build()?,
            native: volume::session(grants())?,
            directory,
        });
    }
    let mut rows = Vec::new();
    for tree in &trees {
        for text in TEXTS {
            rows.push(tree.counting(text)?);
        }
        rows.push(tree.showing()?);
        for pattern in PATTERNS {
            rows.push(tree.globbing(pattern)?);
        }
    }
    report(&mut rows, ROUNDS)
}

impl Tree {
    /// How many lines have a text in them, file by file.
    fn counting(&self, text: &'static str) -> Result<Row<'_>> {
        let mut row =
            self.searching(format!("grep, count lines with {text}, {} files", self.size), counting(text))?;
        let expected = self.lines(&counting(text))?;
        for threads in ["-j1", "-j2"] {
            let flags = ["-F", "--count", "--no-filename", text];
            let found = |printed: &str| printed.lines().filter_map(|count| count.parse::<u64>().ok()).sum();
            row.peers.extend(self.program("rg", threads, &flags, expected, found)?);
        }
        Ok(row)
    }

    /// Every such line, with its place.
    fn showing(&self) -> Result<Row<'_>> {
        let mut row = self.searching(
            format!("grep, show lines with {}, {} files", TEXTS[0], self.size),
            showing(TEXTS[0]),
        )?;
        let expected = self.lines(&showing(TEXTS[0]))?;
        let flags = ["-F", "--line-number", "--column", "--no-heading", "--color=never", TEXTS[0]];
        let found = |printed: &str| printed.lines().count() as u64;
        row.peers.extend(self.program("rg", "-j1", &flags, expected, found)?);
        Ok(row)
    }

    fn searching<'a>(&'a self, name: String, args: GrepArgs) -> Result<Row<'a>> {
        let expected = self.lines(&args)?;
        let (again, inside) = (args.clone(), args.clone());
        let gate = &self.gate;
        let count = move || lines(&inside, |args| Ok(gate.grep(args)?));
        let shut_in = self.shut_in(expected, count);
        let ours = waiting(name, 1, move || {
            let found = self.lines(&args)?;
            ensure!(found == expected, "{found} lines, not {expected}");
            Ok(())
        });
        let native = waiting("the same core, native", 1, move || {
            let found = lines(&again, |args| Ok(self.native.run(tools::grep::run, args)?))?;
            ensure!(found == expected, "{found} lines, not {expected}");
            Ok(())
        });
        Ok(Row { ours, peers: vec![shut_in, native] })
    }

    /// What a pattern stands for.
    fn globbing(&self, pattern: &'static str) -> Result<Row<'_>> {
        let args = GlobArgs {
            pattern: pattern.to_owned(),
            include_hidden: Some(true),
            respect_ignore: Some(false),
            max_items: Some(10_000),
            ..Default::default()
        };
        let expected = entries(&args, |args| Ok(self.gate.glob(args)?))?;
        let (again, inside) = (args.clone(), args.clone());
        let gate = &self.gate;
        let shut_in = self.shut_in(expected, move || entries(&inside, |args| Ok(gate.glob(args)?)));
        let ours = waiting(format!("glob {pattern}, {} files", self.size), 1, move || {
            let found = entries(&args, |args| Ok(self.gate.glob(args)?))?;
            ensure!(found == expected, "{found} paths, not {expected}");
            Ok(())
        });
        let mut peers = vec![
            shut_in,
            waiting("the same core, native", 1, move || {
                let found = entries(&again, |args| Ok(self.native.run(tools::glob::run, args)?))?;
                ensure!(found == expected, "{found} paths, not {expected}");
                Ok(())
            }),
        ];
        let found = |printed: &str| printed.lines().count() as u64;
        for threads in ["-j1", "-j2"] {
            let flags: &[&str] = if pattern == "**" { &["."] } else { &["--glob", "*.rs"] };
            peers.extend(self.program("fd", threads, flags, expected, found)?);
        }
        Ok(Row { ours, peers })
    }

    /// The same as the program does it: the kernel looks at every opening as well.
    fn shut_in<'a>(&'a self, expected: u64, count: impl Fn() -> Result<u64> + Sync + 'a) -> Work<'a> {
        let directory = &self.directory;
        waiting("the same, shut in", 1, move || {
            let inside = || {
                Confinement::nothing().read(directory).enter()?;
                count()
            };
            // Whoever is shut in stays so: a thread of its own.
            let found = thread::scope(|scope| scope.spawn(inside).join());
            let found = found.unwrap_or_else(|panicked| std::panic::resume_unwind(panicked))?;
            ensure!(found == expected, "{found} found, not {expected}");
            Ok(())
        })
    }

    fn lines(&self, args: &GrepArgs) -> Result<u64> {
        lines(args, |args| Ok(self.gate.grep(args)?))
    }

    /// A peer in the tree, which looks at everything as well. None if it is not there.
    fn program<'a>(
        &'a self,
        name: &str,
        threads: &'static str,
        flags: &[&'static str],
        expected: u64,
        found: impl Fn(&str) -> u64 + 'a,
    ) -> Result<Option<Work<'a>>> {
        let Some(mut command) = peer(name)? else { return Ok(None) };
        command.args(["-uu", threads]).args(flags).current_dir(&self.directory);
        command.args((name == "rg").then_some(["--no-config", "--sort=none"]).into_iter().flatten());
        // A search in the tree, not of what is handed in.
        command.args((name == "rg").then_some("./")).stdin(Stdio::null());
        Ok(Some(waiting(format!("{name} {threads}"), 1, move || {
            let output = command.output()?;
            let found = found(str::from_utf8(&output.stdout)?);
            ensure!(found == expected, "{found} found, not {expected}");
            Ok(())
        })))
    }
}

/// Counts lines, file by file.
pub(crate) fn counting(text: &str) -> GrepArgs {
    GrepArgs { mode: Some(GrepMode::Count), ..showing(text) }
}

/// Shows lines. Nothing is left out; answers are as large as they may be.
pub(crate) fn showing(text: &str) -> GrepArgs {
    GrepArgs {
        pattern: text.to_owned(),
        include_hidden: Some(true),
        respect_ignore: Some(false),
        max_items: Some(10_000),
        max_bytes: Some(1 << 20),
        ..Default::default()
    }
}

/// Lines found, page by page.
pub(crate) fn lines(args: &GrepArgs, call: impl Fn(&GrepArgs) -> Result<GrepOutcome>) -> Result<u64> {
    let mut args = args.clone();
    let mut count = 0;
    loop {
        let page = call(&args)?;
        count += u64::from(page.count);
        args.cursor = page.next_cursor;
        if args.cursor.is_none() {
            return Ok(count);
        }
    }
}

/// Paths found, page by page.
fn entries(args: &GlobArgs, call: impl Fn(&GlobArgs) -> Result<GlobOutcome>) -> Result<u64> {
    let mut args = args.clone();
    let mut count = 0;
    loop {
        let page = call(&args)?;
        count += page.entries.len() as u64;
        args.cursor = page.next_cursor;
        if args.cursor.is_none() {
            return Ok(count);
        }
    }
}
