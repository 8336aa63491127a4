//! Tasks of a coding agent as calls of three sets of tools: calls, bytes, tokens, and impossible
//! tasks.
//!
//! The tasks are files of `bench/agent/tasks`, and `bench/README.md` has their form. Each script
//! starts from the same tree with a new server. It has to end in the state that the task describes,
//! and its answers have to contain the facts that the task asks for.

mod tree;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value};
use tiktoken_rs::CoreBPE;

use crate::peers::peer;
use crate::server::Server;
use tree::{Change, Tree};

/// The parts of a listed tool that a client hands to its model.
const LISTED: [&str; 3] = ["name", "description", "inputSchema"];

/// The path of the tree in texts that are counted: the real one differs between runs.
const COUNTED_ROOT: &str = "/project";

/// An id in texts that are counted, in place of ids that come from a clock.
const COUNTED_ID: &str = "18ecdd47bfdec48a892089fbe8202a39";

/// Names of arguments with a path that the agent reads from.
const PATHS: [&str; 4] = ["path", "paths", "source", "from"];

/// Names of arguments with a text that the agent has to know.
const TEXTS: [&str; 2] = ["old", "oldText"];

/// One file of `bench/agent/tasks`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Task {
    /// The request to the agent. All names and texts in it are known.
    task: String,
    /// Differences between the tree before and after; none at all for questions.
    after: Option<Vec<Change>>,
    /// Regular expressions, each of which the answers match.
    #[serde(default)]
    answers: Vec<String>,
    lean: Script,
    core: Script,
    reference: Script,
}

/// The calls of one set.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    /// The reason for which no calls do it. The calls, if any, are the best attempt, which fails.
    impossible: Option<String>,
    /// A regular expression that no listed name of a tool matches.
    no_tool: Option<String>,
    #[serde(default)]
    calls: Vec<Step>,
}

/// A tool with its arguments; `take` has names and regular expressions, whose first group a later
/// call has as `<name>`; `fails` is a text of the error that the answer is.
type Step = Map<String, Value>;

/// The command of a server from the directory that it serves and a folder for its state.
type Start = Box<dyn Fn(&Path, &Path) -> Command>;

/// A set of tools.
struct Set {
    name: &'static str,
    start: Start,
    script: fn(&Task) -> &Script,
}

/// The costs of one script, or of several.
#[derive(Debug, Clone, Copy, Default)]
struct Costs {
    calls: usize,
    bytes: usize,
    tokens: usize,
}

impl Task {
    /// The tree that the task leaves.
    fn after(&self, before: &Tree) -> Result<Tree> {
        let mut after = before.clone();
        for change in self.after.iter().flatten() {
            after.change(change)?;
        }
        Ok(after)
    }
}

/// The folder of the tree and the tasks.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("agent")
}

/// All tasks, by their names.
fn tasks() -> Result<Vec<(String, Task)>> {
    let mut paths: Vec<_> = fs::read_dir(folder().join("tasks"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_stem().and_then(|name| name.to_str()).context("a name is UTF-8")?;
        let task: Task = serde_saphyr::from_str(&fs::read_to_string(path)?)?;
        ensure!(task.after.is_some() || !task.answers.is_empty(), "nothing is expected");
        for script in [&task.lean, &task.core, &task.reference] {
            let is_proved = script.no_tool.is_some() || !script.calls.is_empty();
            ensure!(is_proved, "a script has neither calls nor `no_tool`");
        }
        Ok((name.to_owned(), task))
    };
    paths.iter().map(|path| read(path).with_context(|| path.display().to_string())).collect()
}

fn sets(program: &Path) -> Result<Vec<Set>> {
    let fsgate = |tools: &'static str| {
        let program = program.to_owned();
        move |root: &Path, state: &Path| {
            let mut command = Command::new(&program);
            command.args(["mcp", "--answers", "text", "--tools", tools, "--dir"]).arg(root);
            command.env("XDG_STATE_HOME", state).env("XDG_CONFIG_HOME", state);
            command
        }
    };
    let mut sets = vec![
        Set { name: "lean", start: Box::new(fsgate("lean")), script: |task| &task.lean },
        Set { name: "core", start: Box::new(fsgate("core")), script: |task| &task.core },
    ];
    if let Some(peer) = peer("server-filesystem")? {
        let start = move |root: &Path, _: &Path| {
            let mut command = Command::new(peer.get_program());
            command.args(peer.get_args()).arg(root).env("TZ", "UTC");
            command
        };
        sets.push(Set { name: "reference server", start: Box::new(start), script: |task| &task.reference });
    }
    Ok(sets)
}

/// Prints the tables.
pub(crate) fn measured(program: &Path) -> Result<()> {
    let tokens = tiktoken_rs::o200k_base()?;
    let before = Tree::described(&folder().join("tree.yaml"))?;
    let (tasks, sets) = (tasks()?, sets(program)?);
    let mut rows: Vec<Vec<Option<Costs>>> = Vec::new();
    let mut failed = Vec::new();
    for (name, task) in &tasks {
        let after = task.after(&before).with_context(|| name.clone())?;
        let run = |set: &Set| Run::new(set, &before, task, &tokens)?.finished(&after);
        let mut row = Vec::new();
        for set in &sets {
            row.push(run(set).unwrap_or_else(|error| {
                failed.push(format!("{name}, {}: {error:#}", set.name));
                None
            }));
        }
        rows.push(row);
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n\n"));
    let listings = sets.iter().map(|set| listing(set, &tokens)).collect::<Result<Vec<_>>>()?;
    report(&sets, &tasks, &rows, &listings);
    Ok(())
}

/// Tokens of the list of tools and of the instructions.
fn listing(set: &Set, tokens: &CoreBPE) -> Result<usize> {
    let scratch = tempfile::tempdir()?;
    let root = fs::canonicalize(scratch.path())?.join("project");
    fs::create_dir(&root)?;
    let server = Server::start(&mut (set.start)(&root, scratch.path()))?;
    let listed: Value = serde_json::from_str(server.listed())?;
    let listed = listed["result"]["tools"].as_array().context("no list of tools")?;
    let shown = |tool: &Value| LISTED.map(|part| (part.to_owned(), tool[part].clone()));
    let shown: Vec<Value> =
        listed.iter().map(|tool| Value::Object(shown(tool).into_iter().collect())).collect();
    let hello: Value = serde_json::from_str(server.hello())?;
    let instructions = hello["result"]["instructions"].as_str().unwrap_or_default();
    let instructions = counted(instructions, &root)?;
    Ok([Value::Array(shown).to_string(), instructions]
        .iter()
        .map(|text| tokens.encode_ordinary(text).len())
        .sum())
}

/// A text without the parts that differ between runs.
fn counted(text: &str, root: &Path) -> Result<String> {
    let text = text.replace(&root.display().to_string(), COUNTED_ROOT);
    Ok(Regex::new(r"\b[0-9a-f]{32}\b")?.replace_all(&text, COUNTED_ID).into_owned())
}

/// One script under way.
struct Run<'a> {
    server: Server,
    set: &'a Set,
    task: &'a Task,
    tokens: &'a CoreBPE,
    root: PathBuf,
    /// The request and all answers.
    seen: String,
    answers: String,
    taken: Vec<(String, String)>,
    costs: Costs,
    _scratch: tempfile::TempDir,
}

impl<'a> Run<'a> {
    fn new(set: &'a Set, tree: &Tree, task: &'a Task, tokens: &'a CoreBPE) -> Result<Self> {
        let scratch = tempfile::tempdir()?;
        let root = fs::canonicalize(scratch.path())?.join("project");
        tree.write(&root)?;
        let server = Server::start(&mut (set.start)(&root, &scratch.path().join("state")))?;
        Ok(Self {
            server,
            set,
            task,
            tokens,
            root,
            seen: task.task.clone(),
            answers: String::new(),
            taken: Vec::new(),
            costs: Costs::default(),
            _scratch: scratch,
        })
    }

    /// The costs, or none if the set cannot do it.
    fn finished(mut self, after: &Tree) -> Result<Option<Costs>> {
        let script = (self.set.script)(self.task);
        if let Some(pattern) = &script.no_tool {
            self.offers_nothing(pattern)?;
        }
        for step in &script.calls {
            self.step(step).with_context(|| Value::Object(step.clone()).to_string())?;
        }
        let missing = self.missing(after)?;
        match (&script.impossible, missing) {
            (None, None) => Ok(Some(self.costs)),
            (None, Some(missing)) => bail!("{missing}\n{}", self.answers),
            (Some(_), None) => bail!("it is called impossible, and its calls do it"),
            (Some(_), Some(_)) => Ok(None),
        }
    }

    /// The first difference from the expected state or answers.
    fn missing(&self, after: &Tree) -> Result<Option<String>> {
        if let Some(difference) = after.difference(&Tree::read(&self.root)?) {
            return Ok(Some(difference));
        }
        for pattern in &self.task.answers {
            if !Regex::new(pattern)?.is_match(&self.answers) {
                return Ok(Some(format!("no answer has `{pattern}`")));
            }
        }
        Ok(None)
    }

    fn offers_nothing(&self, pattern: &str) -> Result<()> {
        let listed: Value = serde_json::from_str(self.server.listed())?;
        let pattern = Regex::new(pattern)?;
        for tool in listed["result"]["tools"].as_array().context("no list of tools")? {
            let name = tool["name"].as_str().context("a tool has a name")?;
            ensure!(!pattern.is_match(name), "`{name}` is listed");
        }
        Ok(())
    }

    fn step(&mut self, step: &Step) -> Result<()> {
        let is_word = |name: &str| name == "take" || name == "fails";
        let (tool, arguments) =
            step.iter().find(|(name, _)| !is_word(name)).context("a step names a tool")?;
        let arguments = self.filled(arguments);
        self.knows(tool, &arguments)?;
        let answer: Value = serde_json::from_str(&self.server.ask(tool, &arguments)?)?;
        let content = answer["result"]["content"].as_array().context("no content")?;
        let block = |block: &Value| block["text"].as_str().map_or_else(|| block.to_string(), str::to_owned);
        let text = content.iter().map(block).collect::<Vec<_>>().join("\n");
        let is_error = answer["result"]["isError"] == true;
        match step.get("fails").and_then(Value::as_str) {
            Some(expected) => ensure!(is_error && text.contains(expected), "{text}"),
            None => ensure!(!is_error, "{text}"),
        }
        for (name, pattern) in step.get("take").and_then(Value::as_object).into_iter().flatten() {
            let pattern = Regex::new(pattern.as_str().context("`take` has regular expressions")?)?;
            let found = pattern.captures(&text).with_context(|| format!("no {name} in {text}"))?;
            self.taken.push((format!("<{name}>"), found[1].to_owned()));
        }
        self.costs.calls += 1;
        for text in [&arguments.to_string(), &text] {
            let text = counted(text, &self.root)?;
            self.costs.bytes += text.len();
            self.costs.tokens += self.tokens.encode_ordinary(&text).len();
        }
        writeln!(self.answers, "{text}")?;
        writeln!(self.seen, "{text}")?;
        Ok(())
    }

    /// Arguments with the texts that earlier answers gave.
    fn filled(&self, arguments: &Value) -> Value {
        match arguments {
            Value::String(text) => {
                let taken = self.taken.iter().rev().find(|(name, _)| name == text);
                taken.map_or_else(|| arguments.clone(), |(_, text)| text.clone().into())
            }
            Value::Array(items) => items.iter().map(|item| self.filled(item)).collect(),
            Value::Object(object) => {
                object.iter().map(|(name, value)| (name.clone(), self.filled(value))).collect()
            }
            _ => arguments.clone(),
        }
    }

    /// Refuses calls with a text, a path or a line to change that the agent has not seen.
    fn knows(&self, tool: &str, arguments: &Value) -> Result<()> {
        let Value::Object(object) = arguments else {
            let items = arguments.as_array().into_iter().flatten();
            return items.into_iter().try_for_each(|item| self.knows(tool, item));
        };
        let is_regex = object.get("regex").is_some_and(|regex| regex == true);
        for (name, value) in object {
            let texts = value.as_array().into_iter().flatten().chain([value]).filter_map(Value::as_str);
            for text in texts {
                let is_seen = match name.as_str() {
                    name if PATHS.contains(&name) => {
                        let last = text.rsplit('/').next().unwrap_or(text);
                        !self.root.join(text).exists() || last == "." || self.seen.contains(last)
                    }
                    name if TEXTS.contains(&name) => {
                        is_regex || text.lines().all(|line| self.seen.contains(line.trim()))
                    }
                    "lines" if tool == "edit" => {
                        let numbered = |line| Regex::new(&format!(r"(?m)(?:^ *|-){line}[:-]"));
                        let shown = text.split('-').map(|line| Ok(numbered(line)?.is_match(&self.seen)));
                        shown.collect::<Result<Vec<_>>>()?.iter().all(|is_shown| *is_shown)
                    }
                    "section" => self.seen.contains(text.rsplit(' ').next().unwrap_or(text)),
                    _ => true,
                };
                ensure!(is_seen, "an agent does not know `{text}` yet");
            }
            self.knows(tool, value)?;
        }
        Ok(())
    }
}

#[expect(clippy::print_stdout, reason = "the tables are what this program is for")]
fn report(sets: &[Set], tasks: &[(String, Task)], rows: &[Vec<Option<Costs>>], listings: &[usize]) {
    let line = |name: &str, cells: Vec<String>| println!("| {name} | {} |", cells.join(" | "));
    let names = sets.iter().map(|set| set.name.to_owned()).collect();
    line("calls / bytes / tokens", names);
    line("---", vec!["---".to_owned(); sets.len()]);
    let mut notes = Vec::new();
    for ((name, task), row) in tasks.iter().zip(rows) {
        let mut cell = |(place, costs): (usize, &Option<Costs>)| {
            costs.map_or_else(
                || {
                    let reason = (sets[place].script)(task).impossible.as_deref().unwrap_or_default();
                    notes.push(format!("{name}, {}: {reason}", sets[place].name));
                    format!("– ({})", notes.len())
                },
                Costs::shown,
            )
        };
        line(name, row.iter().enumerate().map(&mut cell).collect());
    }
    let total = |place: usize, counts: fn(&[Option<Costs>]) -> bool| {
        let costs = rows.iter().filter(|row| counts(row)).filter_map(|row| row[place]);
        costs.fold(Costs::default(), Costs::plus).shown()
    };
    let is_common = |row: &[Option<Costs>]| row.iter().all(Option::is_some);
    let common = rows.iter().filter(|row| is_common(row)).count();
    let places = || 0..sets.len();
    line(
        &format!("**the {common} tasks that all sets can do**"),
        places().map(|place| total(place, is_common)).collect(),
    );
    line("**all that the set can do**", places().map(|place| total(place, |_| true)).collect());
    let impossible = |place: usize| rows.iter().filter(|row| row[place].is_none()).count().to_string();
    line("**tasks that it cannot do**", places().map(impossible).collect());
    line("**tokens of the list and the instructions**", listings.iter().map(usize::to_string).collect());
    println!();
    for (number, note) in notes.iter().enumerate() {
        println!("{}. {note}", number + 1);
    }
}

impl Costs {
    fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            bytes: self.bytes + other.bytes,
            tokens: self.tokens + other.tokens,
        }
    }

    fn shown(self) -> String {
        format!("{} / {} / {}", self.calls, grouped(self.bytes), grouped(self.tokens))
    }
}

/// A number with commas.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_thirty_tasks_and_each_changes_the_tree_or_asks_for_answers() {
        let before = Tree::described(&folder().join("tree.yaml")).unwrap();
        let tasks = tasks().unwrap();
        assert_eq!(tasks.len(), 30);
        for (name, task) in tasks {
            task.after(&before).with_context(|| name).unwrap();
            for pattern in &task.answers {
                Regex::new(pattern).unwrap();
            }
        }
    }
}
