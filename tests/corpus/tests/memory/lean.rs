//! Every case in the words of the lean set, where it has words for the case.
//!
//! A call of an operation is written as the call of a lean tool that means it. The tool is lowered
//! to an operation again, which runs. So each case also proves what its lean call does.

use anyhow::{Result, ensure};
use fsgate_compat::lean::{agent, serving};
use fsgate_contract::Operation;
use fsgate_contract::agent_types::{CallArgs, RewordArgs};
use fsgate_corpus::calls::{arguments, in_core};
use fsgate_corpus::case::{AGENT, Case, Expected, Kind};
use fsgate_corpus::trials::Runner;
use fsgate_corpus::verdict::{self, Answer};
use fsgate_engine::session::Session;
use fsgate_volume::memory::Memory;
use serde_json::{Map, Value, json};

use super::tried;

type Arguments = Map<String, Value>;

/// The kinds of notes that a diff can have.
const ABOUT_DIFF: [&str; 4] = ["decoded", "diff", "encoding", "escaped"];

/// The runner of the cases in the lean set.
pub(crate) struct Lean;

impl Runner for Lean {
    fn name(&self) -> &'static str {
        "lean"
    }

    fn leaves_out(&self, case: &Case) -> Option<String> {
        if let Some(reason) = case.only_elsewhere(Kind::Memory) {
            return Some(reason);
        }
        let reason = match raised(case) {
            _ if case.file == AGENT => "mistakes in JSON are those of the operation",
            _ if serving(&case.tool).is_none() => "no lean tool stands for the operation",
            None => "the lean set has no words for these arguments",
            Some(_) => return None,
        };
        Some(reason.to_owned())
    }

    fn run(&self, case: &'static Case) -> Result<Vec<String>> {
        tried(case, judged)
    }

    fn check(&self, cases: &[&Case]) -> Result<()> {
        ensure!(cases.len() > 3_000, "only {} cases have words in the lean set", cases.len());
        Ok(())
    }
}

/// Makes the call of a case in the words of the lean set, and judges its answer.
fn judged(session: &Session<Memory>, case: &Case) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    let call = raised(case).expect("it was checked");
    match agent::lower_call(&call) {
        Ok(lowered) if lowered.tool != case.tool => {
            problems.push(format!("{} {} means {}", call.tool, call.arguments, lowered.tool));
        }
        Ok(lowered) => {
            let mut case = case.clone();
            case.call = lowered.arguments;
            let answer = in_core(session, &case)?;
            problems.extend(verdict::answer(&case, &without_diff(&case, answer.clone())?)?);
            problems.extend(reworded(&call.tool, answer)?);
        }
        Err(refused) => {
            let error: Value = serde_json::from_str(&refused.error)?;
            let is_expected = match &case.expected {
                Expected::Error(fields) => fields.get("code") == error.get("code"),
                Expected::Outcome { .. } => false,
            };
            if !is_expected {
                problems.push(format!("{} {}: {}", call.tool, call.arguments, refused.error));
            }
        }
    }
    Ok(problems)
}

/// The answer without the diff that every lean change has, and without its notes, unless the case
/// expects them.
fn without_diff(case: &Case, answer: Answer) -> Result<Answer> {
    let (Ok(text), Expected::Outcome { value, .. }) = (&answer, &case.expected) else { return Ok(answer) };
    let mut outcome: Value = serde_json::from_str(text)?;
    let Some(fields) = outcome.as_object_mut().filter(|_| value.get("diff").is_none()) else {
        return Ok(answer);
    };
    fields.shift_remove("diff");
    if let Some(notes) = fields.get_mut("notes").and_then(Value::as_array_mut) {
        let expected = value.get("notes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        notes.retain(|note| {
            let is_expected = expected.iter().any(|expected| expected["kind"] == note["kind"]);
            is_expected || !ABOUT_DIFF.iter().any(|about| note["kind"] == *about)
        });
        if notes.is_empty() {
            fields.shift_remove("notes");
        }
    }
    Ok(Ok(outcome.to_string()))
}

/// The problems of an answer in the words of a tool: it is JSON, and keeps its code.
fn reworded(tool: &str, answer: Answer) -> Result<Vec<String>> {
    let (Ok(text) | Err(text)) = answer;
    let before: Value = serde_json::from_str(&text)?;
    let reworded = agent::reword_answer(&RewordArgs { tool: tool.to_owned(), answer: text });
    let after: Value = serde_json::from_str(&reworded)?;
    let is_same = before.get("code") == after.get("code");
    Ok(if is_same { Vec::new() } else { vec![format!("another code: {reworded}")] })
}

/// The call of a lean tool that means the call of a case. None if the set has no words for it.
fn raised(case: &Case) -> Option<CallArgs> {
    let tool = serving(&case.tool)?;
    let Ok(Value::Object(given)) = serde_json::from_str(&arguments(case).ok()?) else { return None };
    let mut call = Raised { given, lean: Arguments::new() };
    call.translate(&case.tool)?;
    let Raised { given, mut lean } = call;
    // A lean tool takes any argument of its operation. Of its own ones, those with the same name
    // have the same meaning.
    let operation = Operation::find(&case.tool)?;
    for (name, value) in given {
        let has = |tool: &Operation| tool.fields.iter().any(|field| field.name == name);
        if has(tool) && !has(operation) {
            return None;
        }
        lean.entry(name).or_insert(value);
    }
    let arguments = serde_json::to_string(&lean).ok()?;
    Some(CallArgs { tool: tool.name.to_owned(), arguments })
}

struct Raised {
    /// The arguments of the operation that are still to be translated.
    given: Arguments,
    lean: Arguments,
}

impl Raised {
    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.lean.insert(name.to_owned(), value.into());
    }

    fn flag(&self, name: &str) -> bool {
        self.given.get(name) == Some(&Value::Bool(true))
    }

    fn number(&mut self, name: &str) -> Option<u64> {
        self.given.shift_remove(name).and_then(|value| value.as_u64())
    }

    /// Gives an argument the name that it has in the tool.
    fn rename(&mut self, name: &str, lean: &str) {
        if let Some(value) = self.given.shift_remove(name) {
            self.set(lean, value);
        }
    }

    /// Keeps the operation's default where the tool sets a value of its own.
    fn keep(&mut self, name: &str, default: impl Into<Value>) {
        if !self.given.contains_key(name) {
            self.set(name, default);
        }
    }

    fn translate(&mut self, operation: &str) -> Option<()> {
        match operation {
            "read" => self.read()?,
            "read_numbered" => {
                let lines = self.given.get("lines").and_then(Value::as_str);
                // The refusal of a mistake in it has other words.
                if lines.is_some_and(|lines| !is_range(lines)) {
                    return None;
                }
                self.set("numbers", true);
            }
            "outline" => self.set("outline", true),
            // Without a path, a lean tool looks at the first granted directory.
            "list_directory" | "tree" | "glob" | "grep" if self.given.get("path") == Some(&json!("")) => {
                return None;
            }
            "list_directory" | "tree" | "glob" | "grep" => self.walk(operation)?,
            "create" | "append" => self.set("mode", operation),
            "replace_all" | "replace_in_files" => self.replace_all(operation)?,
            "replace_lines" => self.rename("content", "new"),
            "insert_lines" => self.insert_lines()?,
            "move" | "copy" => {
                self.set("op", operation);
                if !self.given.contains_key("glob") {
                    self.keep("recursive", false);
                }
                if self.given.get("destination").is_none_or(|path| path == "") {
                    return None;
                }
                self.rename("source", "path");
                self.rename("destination", "to");
            }
            "create_directory" => self.set("op", "mkdir"),
            "delete_directory" if !self.flag("recursive") => return None,
            "undo" if self.given.contains_key("id") => self.keep("any_session", false),
            "log" => self.set("list", true),
            "apply" if !self.given.contains_key("patch") => return None,
            _ => {}
        }
        Some(())
    }

    fn read(&mut self) -> Option<()> {
        self.set("numbers", false);
        let skip = self.number("skip_lines");
        let (count, last) = (self.number("max_lines"), self.number("last_lines"));
        let lines = match (skip, count, last) {
            (None, None, None) => return Some(()),
            (None, None, Some(last)) => format!("-{last}"),
            (skip, Some(count @ 1..), None) => {
                format!("{}-{}", skip.unwrap_or(0) + 1, skip.unwrap_or(0) + count)
            }
            (Some(skip), None, None) => format!("{}-", skip + 1),
            _ => return None,
        };
        self.set("lines", lines);
        Some(())
    }

    fn walk(&mut self, operation: &str) -> Option<()> {
        let is_all = self.flag("include_hidden") && self.given.get("respect_ignore") == Some(&json!(false));
        if is_all {
            self.set("all", true);
            self.given.retain(|name, _| !["include_hidden", "respect_ignore"].contains(&&**name));
        } else {
            self.keep("include_hidden", false);
            self.keep("respect_ignore", operation != "list_directory");
        }
        self.rename("max_items", "limit");
        match operation {
            "tree" => self.set("depth", self.given.get("max_depth")?.as_u64().filter(|depth| *depth > 1)?),
            "grep" => {
                let is_regex = self.flag("regex");
                self.given.shift_remove("regex");
                self.set("literal", !is_regex);
            }
            _ => {}
        }
        Some(())
    }

    fn replace_all(&mut self, operation: &str) -> Option<()> {
        self.set("all", true);
        if operation == "replace_in_files" {
            if !self.given.contains_key("glob") || !self.flag("all") {
                return None;
            }
            self.keep("path", ".");
        }
        Some(())
    }

    fn insert_lines(&mut self) -> Option<()> {
        if self.given.contains_key("section") {
            let side = if self.flag("before") { "before" } else { "after" };
            self.given.shift_remove("before");
            self.set("at", side);
        } else {
            match self.number("after")? {
                0 => {
                    self.set("lines", "1");
                    self.set("at", "before");
                }
                line => {
                    self.set("lines", line.to_string());
                    self.set("at", "after");
                }
            }
        }
        self.rename("content", "new");
        Some(())
    }
}

/// True for a line or a range of lines, the smaller one first.
fn is_range(lines: &str) -> bool {
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
    match lines.split_once('-') {
        None => number(lines).is_some(),
        Some((first, last)) => number(first)
            .is_some_and(|first| last.is_empty() || number(last).is_some_and(|last| first <= last)),
    }
}
