//! The lean set: ten tools for models, each a choice of operations.
//!
//! [`lower`] is a pure function from a call of a tool to the call of one operation. A host applies
//! it first, so admission, policy, history and audit see the operation alone.

pub mod agent;
#[cfg(test)]
mod tests;
mod wording;

use std::fmt::Display;

use fsgate_contract::{LEAN, Operation};
use fsgate_error::{ArgumentProblem, Reason, call};
use fsgate_text::close_names::nearest;
use fsgate_text::pattern::literal;
use serde_json::{Map, Value, json};

pub use self::wording::{reword, reword_notes, shorten};

type Arguments = Map<String, Value>;

/// The tool with this name.
pub fn find(name: &str) -> Option<&'static Operation> {
    LEAN.iter().find(|tool| tool.name == name)
}

/// Whether this is a tool of the set, and no operation.
pub fn is_tool(operation: &Operation) -> bool {
    LEAN.iter().any(|tool| std::ptr::eq(tool, operation))
}

/// The operations behind a tool. A call may have any argument of the one that it means.
const BEHIND: [(&str, &[&str]); 10] = [
    ("read", &["read", "read_numbered", "outline"]),
    ("list", &["list_directory", "tree"]),
    ("glob", &["glob"]),
    ("grep", &["grep"]),
    ("write", &["write", "create", "append"]),
    ("edit", &["replace", "replace_all", "replace_lines", "insert_lines", "replace_in_files"]),
    ("apply", &["apply"]),
    ("file", &["move", "copy", "create_directory"]),
    ("delete", &["delete", "delete_directory"]),
    ("undo", &["undo", "log"]),
];

/// The operations behind a tool.
pub fn behind(tool: &str) -> impl Iterator<Item = &'static Operation> {
    let names = BEHIND.iter().find(|(name, _)| *name == tool).map_or(&[][..], |(_, names)| names);
    names.iter().filter_map(|name| Operation::find(name))
}

/// The tool that stands for an operation.
pub fn serving(operation: &str) -> Option<&'static Operation> {
    let (tool, _) = BEHIND.iter().find(|(_, operations)| operations.contains(&operation))?;
    find(tool)
}

/// The call of an operation that a call of a tool means.
pub fn lower(
    tool: &'static Operation,
    mut given: Arguments,
) -> Result<(&'static Operation, Arguments), Reason> {
    let is_own = |name: &str| tool.fields.iter().any(|field| field.name == name);
    let own_names: Vec<_> = given.keys().filter(|name| is_own(name)).cloned().collect();
    let mut own: Arguments = own_names
        .into_iter()
        .filter_map(|name| given.shift_remove(&name).map(|value| (name, value)))
        .collect();
    let mut problems = call::check(tool, &mut own);
    let is_known = |name: &str| {
        behind(tool.name).any(|operation| operation.fields.iter().any(|field| field.name == name))
    };
    for name in given.keys().filter(|name| !is_known(name)) {
        let known: Vec<_> = tool.fields.iter().map(|field| field.name).collect();
        let nearest = nearest(name, &known);
        problems.push(ArgumentProblem::Unknown { field: name.clone(), known, nearest });
    }
    if !problems.is_empty() {
        return Err(Reason::Arguments(problems));
    }
    let mut call = Call { own, lowered: Arguments::new() };
    let operation = call.choose(tool.name)?;
    call.lowered.extend(call.own);
    call.lowered.extend(given);
    let operation = Operation::find(operation).unwrap_or(tool);
    Ok((operation, call.lowered))
}

struct Call {
    /// The arguments of the tool that are still to be translated. The rest have the same name.
    own: Arguments,
    lowered: Arguments,
}

impl Call {
    fn choose(&mut self, tool: &str) -> Result<&'static str, Reason> {
        match tool {
            "read" => self.read(),
            "list" => Ok(self.list()),
            "glob" => {
                self.walk();
                Ok("glob")
            }
            "grep" => Ok(self.grep()),
            "write" => Ok(self.write()),
            "edit" => {
                self.set("diff", true);
                self.edit()
            }
            "file" => self.file(),
            "delete" => self.delete(),
            "undo" => self.undo(),
            // Its arguments are those of its operation.
            _ => {
                self.set("diff", true);
                Ok("apply")
            }
        }
    }

    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.lowered.insert(name.to_owned(), value.into());
    }

    fn flag(&mut self, name: &str) -> bool {
        self.own.shift_remove(name) == Some(Value::Bool(true))
    }

    fn text(&mut self, name: &str) -> Option<String> {
        match self.own.shift_remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    fn has(&self, name: &str) -> bool {
        self.own.contains_key(name)
    }

    /// Gives an argument another name.
    fn rename(&mut self, name: &str, new_name: &str) {
        if let Some(value) = self.own.shift_remove(name) {
            self.set(new_name, value);
        }
    }

    fn only_with(&self, name: &'static str, other: &'static str) -> Result<(), Reason> {
        if self.has(name) { Err(Reason::OnlyWith(name, other)) } else { Ok(()) }
    }

    fn not_with(&self, name: &'static str, other: &'static str) -> Result<(), Reason> {
        if self.has(name) { Err(Reason::Both(other, name)) } else { Ok(()) }
    }

    fn read(&mut self) -> Result<&'static str, Reason> {
        if self.flag("outline") {
            for name in ["lines", "numbers", "cursor"] {
                self.not_with(name, "outline")?;
            }
            return Ok("outline");
        }
        let numbers = self.own.shift_remove("numbers").and_then(|numbers| numbers.as_bool());
        let lines = self.text("lines");
        let last = lines.as_deref().and_then(|lines| lines.strip_prefix('-'));
        // Numbers tell where a part begins.
        let range = match (&lines, last) {
            (Some(lines), None) => Some(range(lines).ok_or_else(|| wrong_lines(READ_LINES, lines))?),
            _ => None,
        };
        let is_part = range.is_some_and(|(_, last)| last.is_some());
        let is_numbered = numbers.unwrap_or(is_part) || self.has("section");
        match (last, is_numbered) {
            (Some(last), false) => {
                let last = number(last).ok_or_else(|| wrong_lines(READ_LINES, last))?;
                self.set("last_lines", last);
                Ok("read")
            }
            (Some(last), true) => Err(wrong_lines(READ_LINES, format!("-{last}"))),
            (None, true) => {
                if let Some(lines) = lines {
                    self.set("lines", lines);
                }
                Ok("read_numbered")
            }
            (None, false) => {
                if let Some((first, last)) = range {
                    self.set("skip_lines", first - 1);
                    if let Some(last) = last {
                        self.set("max_lines", last + 1 - first);
                    }
                }
                Ok("read")
            }
        }
    }

    fn list(&mut self) -> &'static str {
        self.walk();
        if !self.has("path") {
            self.set("path", ".");
        }
        let is_sorted = self.own.get("sort").is_some_and(|order| order != "name");
        match self.own.shift_remove("depth").and_then(|depth| depth.as_u64()) {
            None | Some(1) => "list_directory",
            Some(depth) if is_sorted => {
                self.set("recursive", true);
                self.set("max_depth", depth);
                "list_directory"
            }
            Some(depth) => {
                self.own.shift_remove("sort");
                self.set("max_depth", depth);
                "tree"
            }
        }
    }

    /// The arguments that all walks share.
    fn walk(&mut self) {
        let all = self.flag("all");
        self.set("include_hidden", all);
        self.set("respect_ignore", !all);
        self.rename("limit", "max_items");
    }

    fn grep(&mut self) -> &'static str {
        self.walk();
        let is_literal = self.flag("literal");
        self.set("regex", !is_literal);
        let globs = self.own.shift_remove("glob");
        let globs = globs.iter().filter_map(Value::as_array).flatten().filter_map(Value::as_str);
        let (left_out, included): (Vec<_>, Vec<_>) = globs.partition(|glob| glob.starts_with('!'));
        for (argument, globs) in [("include", included), ("exclude", left_out)] {
            if !globs.is_empty() {
                let globs: Vec<_> = globs.iter().map(|glob| glob.trim_start_matches('!')).collect();
                self.set(argument, globs);
            }
        }
        if let Some(lines) = self.own.shift_remove("context") {
            self.set("before", lines.clone());
            self.set("after", lines);
        }
        "grep"
    }

    fn write(&mut self) -> &'static str {
        match self.text("mode").as_deref() {
            Some("create") => "create",
            Some("append") => "append",
            _ => "write",
        }
    }

    fn edit(&mut self) -> Result<&'static str, Reason> {
        let (all, at) = (self.flag("all"), self.text("at"));
        if self.has("glob") {
            if !all {
                return Err(Reason::OnlyWith("glob", "all"));
            }
            for name in ["lines", "section"] {
                self.not_with(name, "glob")?;
            }
        }
        let Some(old) = self.text("old") else {
            for name in ["regex", "word", "ignore_case", "glob"] {
                self.only_with(name, "old")?;
            }
            return if all { Err(Reason::OnlyWith("all", "old")) } else { self.edit_place(at.as_deref()) };
        };
        self.not_with("lines", "old")?;
        let is_regex = self.pattern(old, at)?;
        if self.has("glob") {
            self.set("regex", is_regex);
            self.set("all", true);
            return Ok("replace_in_files");
        }
        if !all && !is_regex {
            return Ok("replace");
        }
        self.set("regex", is_regex);
        if !all {
            // As with a text, one match and no other.
            self.set("count", 1);
        }
        Ok("replace_all")
    }

    /// Lines or a section, replaced or with something beside them.
    fn edit_place(&mut self, at: Option<&str>) -> Result<&'static str, Reason> {
        self.rename("new", "content");
        let is_before = at == Some("before");
        if self.has("section") {
            self.not_with("lines", "section")?;
            if at.is_none() {
                return Ok("replace_lines");
            }
            self.set("before", is_before);
            return Ok("insert_lines");
        }
        let lines = self.text("lines").ok_or_else(|| missing("old"))?;
        if at.is_none() {
            self.set("lines", lines);
            return Ok("replace_lines");
        }
        let (first, last) = range(&lines).ok_or_else(|| wrong_lines(EDIT_LINES, &lines))?;
        self.set("after", if is_before { first - 1 } else { last.unwrap_or(first) });
        Ok("insert_lines")
    }

    /// Sets `old` and `new`; true if `old` is a regular expression then.
    fn pattern(&mut self, old: String, at: Option<String>) -> Result<bool, Reason> {
        let (is_regex, word, ignores_case) =
            (self.flag("regex"), self.flag("word"), self.flag("ignore_case"));
        let new = self.text("new").unwrap_or_default();
        if let Some(side) = at {
            let other = [("regex", is_regex), ("word", word), ("ignore_case", ignores_case)];
            if let Some((other, _)) = other.iter().find(|(_, is_set)| *is_set) {
                return Err(Reason::Both("at", other));
            }
            self.set("new", if side == "before" { new + &old } else { old.clone() + &new });
            self.set("old", old);
            return Ok(false);
        }
        if !word && !ignores_case {
            self.set("old", old);
            self.set("new", new);
            return Ok(is_regex);
        }
        // A text is found with any line ends.
        let mut pattern = if is_regex { old } else { literal(&old).replace('\n', r"\r?\n") };
        if word {
            pattern = format!(r"\b{{start-half}}(?:{pattern})\b{{end-half}}");
        }
        if ignores_case {
            pattern.insert_str(0, "(?i)");
        }
        self.set("old", pattern);
        self.set("new", if is_regex { new } else { new.replace('$', "$$") });
        Ok(true)
    }

    fn file(&mut self) -> Result<&'static str, Reason> {
        let op = self.text("op").unwrap_or_default();
        if op == "mkdir" {
            self.only_with("to", "op: move")?;
            self.only_with("glob", "op: copy")?;
            return Ok("create_directory");
        }
        if !self.has("to") {
            return Err(missing("to"));
        }
        self.rename("path", "source");
        self.rename("to", "destination");
        if op == "move" {
            self.only_with("glob", "op: copy")?;
            self.set("recursive", true);
            return Ok("move");
        }
        if !self.has("glob") {
            self.set("recursive", true);
        }
        Ok("copy")
    }

    fn delete(&mut self) -> Result<&'static str, Reason> {
        if !self.flag("recursive") {
            return Ok("delete");
        }
        if self.has("glob") {
            return Err(Reason::Both("glob", "recursive"));
        }
        self.set("recursive", true);
        Ok("delete_directory")
    }

    fn undo(&mut self) -> Result<&'static str, Reason> {
        if self.flag("list") {
            self.only_with("id", "list: false")?;
            return Ok("log");
        }
        if self.has("id") {
            // An id names one change of any session.
            self.set("any_session", true);
        }
        Ok("undo")
    }
}

fn missing(field: &str) -> Reason {
    Reason::Arguments(vec![ArgumentProblem::Missing { field: field.to_owned() }])
}

/// The forms of `lines`.
const READ_LINES: &str =
    "a line (\"40\"), a range (\"40-80\") or, without `numbers`, the last lines (\"-20\")";
const EDIT_LINES: &str = "a line (\"40\") or a range (\"40-80\")";

fn wrong_lines(wanted: &str, found: impl Display) -> Reason {
    let (field, wanted) = ("lines".to_owned(), wanted.to_owned());
    Reason::Arguments(vec![ArgumentProblem::Mistyped {
        field,
        wanted,
        found: json!(found.to_string()).to_string(),
    }])
}

/// A number of lines, or a line: from 1 up.
fn number(text: &str) -> Option<u64> {
    let is_number = text.bytes().all(|digit| digit.is_ascii_digit());
    text.parse::<u32>().ok().filter(|number| is_number && *number > 0).map(u64::from)
}

/// The first and the last line of a range. One without an end reaches to the end of the file.
fn range(text: &str) -> Option<(u64, Option<u64>)> {
    let Some((first, last)) = text.split_once('-') else {
        return number(text).map(|line| (line, Some(line)));
    };
    let first = number(first)?;
    let last = if last.is_empty() { None } else { Some(number(last)?) };
    last.is_none_or(|last| last >= first).then_some((first, last))
}
