//! `fsgate mcp` beside other MCP servers, one client each, over the same tree of some 250 files.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::peers::peer;
use crate::server::Server;
use crate::table::{Row, Work, report, waiting};
use crate::trees;

/// Rounds after the warm-up.
const ROUNDS: usize = 7;

/// The words of one server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    Fsgate,
    Rust,
    Reference,
}

/// What all of them are asked to do. Paths are below the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Job {
    /// Read a file of 11 KB.
    Read,
    /// Replace one text in it, and back in the next call.
    Edit { back: bool },
    /// List a directory of 40 entries.
    List,
    /// Find all files of one kind.
    Find,
    /// Find all lines with a word in them.
    Search,
    /// Show everything.
    Tree,
}

const FILE: &str = "src/profiling_agent/pulley.rs";
const DIRECTORY: &str = "src/runtime";
const WORD: &str = "unsafe";
const EDITED: [&str; 2] = ["use crate::prelude::*;", "use crate::PRELUDE::*;"];

/// A server that runs, and the tree that it serves.
struct Peer {
    words: Words,
    name: String,
    root: PathBuf,
    start: Box<dyn Fn() -> Command>,
    server: RefCell<Server>,
}

/// Prints the table.
pub(crate) fn measured(program: &Path) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let mut peers =
        vec![Peer::new(Words::Fsgate, scratch.path(), "fsgate mcp", Some(Command::new(program)))?];
    peers.push(Peer::new(Words::Rust, scratch.path(), "rust-mcp-filesystem", peer("rust-mcp-filesystem")?)?);
    peers.push(Peer::new(Words::Reference, scratch.path(), "reference server", peer("server-filesystem")?)?);
    let peers: Vec<_> = peers.into_iter().flatten().collect();
    for peer in &peers {
        peer.checked().with_context(|| peer.name.clone())?;
    }
    let jobs = [
        ("read a file of 11 KB", Job::Read, 200),
        ("replace one text in it", Job::Edit { back: false }, 200),
        ("list a directory of 40", Job::List, 200),
        ("find 241 files by a pattern", Job::Find, 20),
        ("search: 1,914 lines in 151 files", Job::Search, 10),
        ("the whole tree: 251 files", Job::Tree, 20),
    ];
    let mut rows = vec![row("start, until the tools are listed", &peers, |peer| Some(peer.starting()))?];
    for (name, job, times) in jobs {
        rows.push(row(name, &peers, |peer| peer.doing(job, times))?);
    }
    report(&mut rows, ROUNDS)
}

fn row<'a>(name: &str, peers: &'a [Peer], work: impl Fn(&'a Peer) -> Option<Work<'a>>) -> Result<Row<'a>> {
    let mut works = peers.iter().filter_map(work);
    let mut ours = works.next().context("fsgate does everything")?;
    ours.rename(name);
    Ok(Row { ours, peers: works.collect() })
}

impl Peer {
    /// None if the program is not there.
    fn new(words: Words, scratch: &Path, name: &str, command: Option<Command>) -> Result<Option<Self>> {
        let Some(command) = command else { return Ok(None) };
        let root = fs::canonicalize(scratch)?.join(name.replace(' ', "-"));
        trees::small(&root)?;
        let (program, first): (PathBuf, Vec<_>) =
            (command.get_program().into(), command.get_args().map(ToOwned::to_owned).collect());
        let (served, state) = (root.clone(), scratch.join("state"));
        let start: Box<dyn Fn() -> Command> = Box::new(move || {
            let mut command = Command::new(&program);
            command.args(&first).args(match words {
                Words::Fsgate => &["mcp", "--tools", "core", "--dir"][..],
                Words::Rust => &["--allow-write"],
                Words::Reference => &[],
            });
            command.arg(&served).env("XDG_STATE_HOME", &state);
            command
        });
        let server = RefCell::new(Server::start(&mut start())?);
        Ok(Some(Self { words, name: name.to_owned(), root, start, server }))
    }

    fn starting(&self) -> Work<'_> {
        waiting(&self.name, 5, || Server::start(&mut (self.start)()).map(drop))
    }

    /// None if the server offers nothing of the kind.
    fn doing(&self, job: Job, times: u32) -> Option<Work<'_>> {
        self.words.call(job, &self.root)?;
        let mut back = true;
        Some(waiting(&self.name, times, move || {
            back = !back;
            self.done(if matches!(job, Job::Edit { .. }) { Job::Edit { back } } else { job }).map(drop)
        }))
    }

    /// All answers to a job: ours may come in pages.
    fn done(&self, job: Job) -> Result<Vec<String>> {
        let (tool, mut arguments) = self.words.call(job, &self.root).context("nothing of the kind")?;
        let mut answers = Vec::new();
        loop {
            let answer = self.server.borrow_mut().call(tool, &arguments)?;
            let goes_on = self.words == Words::Fsgate && answer.contains("\"next_cursor\":\"");
            answers.push(answer);
            if !goes_on {
                return Ok(answers);
            }
            let page: Value = serde_json::from_str(&answers[answers.len() - 1])?;
            arguments["cursor"] = page["result"]["structuredContent"]["next_cursor"].clone();
        }
    }

    /// Every answer is a real one: it holds what is on the disk.
    fn checked(&self) -> Result<()> {
        let file = self.root.join(FILE);
        let before = fs::read_to_string(&file)?;
        let read = self.found(Job::Read)?.concat();
        ensure!(read.trim_end() == before.trim_end(), "another content: {read}");
        for back in [false, true] {
            self.done(Job::Edit { back })?;
            let after = fs::read_to_string(&file)?;
            ensure!(after.contains(EDITED[usize::from(!back)]), "nothing was edited");
        }
        ensure!(fs::read_to_string(&file)? == before, "the edits are not each other's inverse");
        let listed = fs::read_dir(self.root.join(DIRECTORY))?.count();
        for (job, expected) in [
            (Job::List, listed),
            (Job::Find, 241),
            (Job::Search, 1914),
            (Job::Tree, trees::count(&self.root)?),
        ] {
            if self.words.call(job, &self.root).is_some() {
                let found = self.found(job)?;
                ensure!(found.len() == expected, "{job:?}: {}, not {expected}", found.len());
            }
        }
        Ok(())
    }

    /// What a job has found, one by one.
    fn found(&self, job: Job) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for answer in self.done(job)? {
            let answer: Value = serde_json::from_str(&answer)?;
            if self.words == Words::Fsgate {
                found.extend(records(job, &answer["result"]["structuredContent"]));
            } else {
                let text = answer["result"]["content"][0]["text"].as_str().context("no text")?;
                found.extend(pieces(job, text));
            }
        }
        Ok(found)
    }
}

/// What stands in an answer of fsgate.
fn records(job: Job, data: &Value) -> Vec<String> {
    let list = |name: &str| data[name].as_array().cloned().unwrap_or_default().into_iter();
    match job {
        Job::Read | Job::Edit { .. } => data["content"].as_str().map(str::to_owned).into_iter().collect(),
        Job::List | Job::Find => list("entries").map(|entry| entry["path"].to_string()).collect(),
        Job::Search => list("matches").map(|line| line["text"].to_string()).collect(),
        Job::Tree => {
            let names = data["drawn"].as_str().unwrap_or_default().lines();
            names.filter(|name| !name.ends_with('/')).map(str::to_owned).collect()
        }
    }
}

/// What stands in an answer of the others, which is text.
fn pieces(job: Job, text: &str) -> Vec<String> {
    let lines = |mark: &str| text.lines().filter(|line| line.contains(mark)).map(str::to_owned).collect();
    match job {
        Job::Read | Job::Edit { .. } => vec![text.to_owned()],
        Job::List => lines("["),
        Job::Find => lines(".rs"),
        // A path stands on a line of its own, at its beginning.
        Job::Search => text
            .lines()
            .filter(|line| line.starts_with(' ') && line.contains(WORD))
            .map(str::to_owned)
            .collect(),
        Job::Tree => lines("\"type\": \"file\""),
    }
}

impl Words {
    /// The tool and its arguments. None if there is no such tool.
    fn call(self, job: Job, root: &Path) -> Option<(&'static str, Value)> {
        let at = |path: &str| root.join(path).display().to_string();
        let [old, new] = match job {
            Job::Edit { back: true } => [EDITED[1], EDITED[0]],
            _ => EDITED,
        };
        let root = root.display().to_string();
        Some(match (self, job) {
            (Self::Fsgate, Job::Read) => ("read", json!({"path": at(FILE)})),
            (Self::Fsgate, Job::Edit { .. }) => {
                ("replace", json!({"path": at(FILE), "old": old, "new": new, "diff": true}))
            }
            (Self::Fsgate, Job::Find) => {
                ("glob", json!({"path": root, "pattern": "**/*.rs", "max_items": 1000}))
            }
            (Self::Fsgate, Job::Search) => {
                ("grep", json!({"path": root, "pattern": WORD, "max_items": 10_000}))
            }
            (Self::Fsgate, Job::Tree) => {
                ("tree", json!({"path": root, "max_items": 1000, "include_hidden": true}))
            }
            (Self::Rust | Self::Reference, Job::Read) => ("read_text_file", json!({"path": at(FILE)})),
            (Self::Rust | Self::Reference, Job::Edit { .. }) => {
                ("edit_file", json!({"path": at(FILE), "edits": [{"oldText": old, "newText": new}]}))
            }
            (_, Job::List) => ("list_directory", json!({"path": at(DIRECTORY)})),
            (_, Job::Find) => ("search_files", json!({"path": root, "pattern": "**/*.rs"})),
            (_, Job::Tree) => ("directory_tree", json!({"path": root})),
            (Self::Rust, Job::Search) => {
                ("search_files_content", json!({"path": root, "pattern": "**/*", "query": WORD}))
            }
            (Self::Reference, Job::Search) => return None,
        })
    }
}
