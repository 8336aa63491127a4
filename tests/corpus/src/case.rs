//! Case files, parsed strictly: what is not understood is an error, never skipped.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, mem};

use anyhow::{Context, Result, bail, ensure};
use fsgate_contract::Operation;
use serde_json::{Map, Value};

use crate::placeholder::{About, expanded, repeated, search};
use crate::section::{Definitions, Sections, UNCHANGED};
use crate::tree::Tree;

/// The name of the file with the calls whose mistakes are in the JSON itself.
pub const AGENT: &str = "agent";

/// The name of the file with the calls that a policy refuses, of every tool.
pub const POLICY: &str = "policy";

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its file without `.cases.md`: the name of an operation, [`AGENT`] or [`POLICY`].
    pub file: String,
    /// The tool that is called.
    pub tool: String,
    /// A sentence in kebab-case.
    pub name: String,
    /// Its title in the reference, where it is a worked example.
    pub example: Option<String>,
    /// The ideas of attacks that it tries.
    pub attacks: Vec<Attack>,
    /// Where it runs, if not everywhere.
    pub only: Option<Only>,
    /// The tree before the call.
    pub before: Tree,
    /// The policy that holds, as a text in JSON; without one the profile `default`.
    pub policy: Option<Policy>,
    /// Calls that are made before it, one after the other, in the same session.
    pub earlier: Vec<Earlier>,
    /// The arguments: JSON, unless their being none is the point.
    pub call: String,
    /// What the call has to answer.
    pub expected: Expected,
    /// The tree after it.
    pub after: Tree,
    /// The case says that nothing changes.
    pub unchanged: bool,
    /// The trees as they are written.
    pub written: Written,
}

/// The idea of an attack, such as `A2`, and which one of two paths it is tried at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attack {
    /// A letter, and a number where the letter stands for several ideas.
    pub idea: String,
    /// `source` or `destination`, of a tool that takes both.
    pub path: Option<&'static str>,
}

/// A policy of a case.
#[derive(Debug, Clone)]
pub struct Policy {
    /// In JSON.
    pub text: String,
    /// It stands behind the earlier calls, so it holds from then on: another session begins.
    pub is_late: bool,
}

/// A call that comes before the one that the case is about. It has to succeed.
#[derive(Debug, Clone)]
pub struct Earlier {
    /// The tool.
    pub tool: String,
    /// Its arguments: JSON.
    pub call: String,
}

/// The trees of a case, word for word.
#[derive(Debug, Clone)]
pub struct Written {
    /// Before the call.
    pub before: String,
    /// After it.
    pub after: String,
}

/// What a call has to answer.
#[derive(Debug, Clone)]
pub enum Expected {
    /// An outcome.
    Outcome {
        /// The object.
        value: Value,
        /// Members that it does not name are not compared.
        is_partial: bool,
    },
    /// An error with these fields among others.
    Error(Map<String, Value>),
}

/// A case that cannot run everywhere.
#[derive(Debug, Clone)]
pub struct Only {
    /// Where it runs.
    pub volume: Kind,
    /// Why not elsewhere.
    pub reason: String,
}

/// Where a tree is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// In memory.
    Memory,
    /// On a disk.
    Disk,
}

/// Digits of `$start-of-undo-id(N)`: more than two ids have in common.
const START_DIGITS: usize = 30;

impl Case {
    /// The code of the error that is expected.
    pub fn code(&self) -> Option<&str> {
        match &self.expected {
            Expected::Error(fields) => fields.get("code").and_then(Value::as_str),
            Expected::Outcome { .. } => None,
        }
    }

    /// The reason why it does not run on a volume of this kind.
    pub fn only_elsewhere(&self, kind: Kind) -> Option<String> {
        self.only.as_ref().filter(|only| only.volume != kind).map(|only| only.reason.clone())
    }

    /// The value with the placeholders of all its strings replaced, `$time` aside.
    ///
    /// # Errors
    ///
    /// A placeholder without a value.
    pub fn expanded(&self, value: &Value) -> Result<Value> {
        self.replaced(value, false)
    }

    /// The same, but for repetitions, which stay short.
    ///
    /// # Errors
    ///
    /// A placeholder without a value.
    pub fn expanded_but_repeats(&self, value: &Value) -> Result<Value> {
        self.replaced(value, true)
    }

    fn replaced(&self, value: &Value, keeps_repeats: bool) -> Result<Value> {
        let call = serde_json::from_str(&self.call).unwrap_or_default();
        let search = search(&call);
        expanded(value, &About { before: &self.before, after: &self.after, search, keeps_repeats })
    }

    /// The policy that holds before the earlier calls, and for the call that the case is about.
    pub fn policies(&self) -> (Option<&str>, Option<&str>) {
        let policy = self.policy.as_ref();
        let text = policy.map(|policy| &policy.text[..]);
        (text.filter(|_| policy.is_some_and(|policy| !policy.is_late)), text)
    }

    /// The case of an earlier call, as far as it matters for making it.
    #[must_use]
    pub fn step(&self, earlier: &Earlier, undo_ids: &[String]) -> Self {
        let step = Self {
            tool: earlier.tool.clone(),
            call: earlier.call.clone(),
            earlier: Vec::new(),
            ..self.clone()
        };
        step.with_undo_ids(undo_ids)
    }

    /// The same with the ids that earlier calls have got in the place of `$undo-id(N)`, and the
    /// beginnings of them in the place of `$start-of-undo-id(N)`.
    #[must_use]
    pub fn with_undo_ids(&self, undo_ids: &[String]) -> Self {
        let replaced = |text: &str| {
            undo_ids.iter().enumerate().fold(text.to_owned(), |text, (number, id)| {
                text.replace(&format!("$undo-id({})", number + 1), id).replace(
                    &format!("$start-of-undo-id({})", number + 1),
                    id.get(..START_DIGITS).unwrap_or(id),
                )
            })
        };
        let value = |value: &Value| replaced(&value.to_string()).parse().unwrap_or_default();
        let expected = match &self.expected {
            Expected::Outcome { value: outcome, is_partial } => {
                Expected::Outcome { value: value(outcome), is_partial: *is_partial }
            }
            Expected::Error(fields) => {
                let fields = fields.iter().map(|(name, field)| (name.clone(), value(field)));
                Expected::Error(fields.collect())
            }
        };
        Self { call: replaced(&self.call), expected, ..self.clone() }
    }
}

/// Where the case files are.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases")
}

/// The names of all case files, without `.cases.md`.
pub fn files() -> Result<BTreeSet<String>> {
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(directory())? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_str().context("a name in UTF-8")?;
        // Front ends have cases in the notations of their systems, in directories of their own.
        if name == "README.md" || entry.file_type()?.is_dir() {
            continue;
        }
        let stem = name.strip_suffix(".cases.md").with_context(|| format!("`{name}` is no case file"))?;
        files.insert(stem.to_owned());
    }
    Ok(files)
}

/// Every case of every file.
///
/// # Errors
///
/// A file that cannot be read or understood.
pub fn all() -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for file in files()? {
        let path = directory().join(format!("{file}.cases.md"));
        let text = fs::read_to_string(&path)?;
        cases.extend(parse(&file, &text).with_context(|| format!("in {}", path.display()))?);
    }
    Ok(cases)
}

/// The cases of one file.
///
/// # Errors
///
/// A line that means nothing, or a case that is not complete.
pub fn parse(file: &str, text: &str) -> Result<Vec<Case>> {
    let mut parser = Parser { file, ..Parser::default() };
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let here = || format!("line {}: `{line}`", number + 1);
        let Some(info) = line.strip_prefix("```") else {
            parser.line(line).with_context(here)?;
            continue;
        };
        let mut block = Vec::new();
        loop {
            match lines.next() {
                Some((_, "```")) => break,
                Some((_, line)) => block.push(line),
                None => bail!("{}: the block has no end", here()),
            }
        }
        parser.block(info, &block).with_context(here)?;
    }
    parser.end()
}

/// The ideas of `A2`, `A2, A3 and B1` or `B1 to B4`; then maybe ` at the source`, ` at the destination`
/// or ` at both`; then `.` or `:` and prose.
pub fn attacks(text: &str) -> Result<Vec<Attack>> {
    let (marks, _) = text.split_once(['.', ':']).context("a mark ends with `.` or `:`")?;
    let (ideas, paths): (_, &[_]) = match marks.split_once(" at ") {
        None => (marks, &[None]),
        Some((ideas, "the source")) => (ideas, &[Some("source")]),
        Some((ideas, "the destination")) => (ideas, &[Some("destination")]),
        Some((ideas, "both")) => (ideas, &[Some("source"), Some("destination")]),
        Some(_) => bail!("an attack is tried `at the source`, `at the destination` or `at both`"),
    };
    let mut all = Vec::new();
    for part in ideas.replace(" and ", ", ").split(", ") {
        let (first, last) = part.split_once(" to ").unwrap_or((part, part));
        let ((letter, first), (other, last)) = (idea(first)?, idea(last)?);
        ensure!(letter == other, "`{part}` goes from one letter to another");
        for number in first..=last {
            let idea = if number == 0 { letter.to_string() } else { format!("{letter}{number}") };
            all.extend(paths.iter().map(|path| Attack { idea: idea.clone(), path: *path }));
        }
    }
    Ok(all)
}

/// The letter of an idea, and its number: 0 if it has none.
fn idea(text: &str) -> Result<(char, u8)> {
    let letter = text.chars().next().filter(char::is_ascii_uppercase);
    let letter = letter.with_context(|| format!("`{text}` is no idea of an attack"))?;
    let number = if text.len() == 1 { 0 } else { text[1..].parse()? };
    Ok((letter, number))
}

fn only(text: &str) -> Result<Only> {
    let (volume, reason) = text.split_once(", ").context("a restriction is `only: memory, REASON`")?;
    let volume = match volume {
        "memory" => Kind::Memory,
        "disk" => Kind::Disk,
        _ => bail!("a case runs in `memory` or on a `disk`"),
    };
    ensure!(!reason.is_empty(), "a restriction has a reason");
    Ok(Only { volume, reason: reason.to_owned() })
}

/// A file of cases, up to a line.
#[derive(Default)]
struct Parser<'a> {
    file: &'a str,
    tool: Option<String>,
    /// The case whose block has not come yet, or has just come.
    heading: Option<Heading>,
    definitions: Definitions,
    cases: Vec<Case>,
}

/// The lines of a case before its block.
struct Heading {
    name: String,
    example: Option<String>,
    attacks: Vec<Attack>,
    only: Option<Only>,
    is_complete: bool,
}

impl Parser<'_> {
    fn line(&mut self, line: &str) -> Result<()> {
        if let Some(name) = line.strip_prefix("### ") {
            let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            ensure!(self.tool.is_some(), "a case before its tool");
            ensure!(name.chars().all(kebab), "names are in kebab-case");
            self.complete()?;
            self.heading = Some(Heading {
                name: name.to_owned(),
                example: None,
                attacks: Vec::new(),
                only: None,
                is_complete: false,
            });
        } else if let Some(name) = line.strip_prefix("## ") {
            self.complete()?;
            self.tool = Some(repeated(name));
        } else if line.starts_with('#') && !line.starts_with("# ") {
            bail!("there is no such heading");
        } else if let Some(title) = line.strip_prefix("example: ") {
            self.heading()?.example = Some(title.to_owned());
        } else if let Some(words) = line.strip_prefix("attack ").or(line.strip_prefix("attacks ")) {
            self.heading()?.attacks.extend(attacks(words)?);
        } else if let Some(only) = line.strip_prefix("only: ") {
            self.heading()?.only = Some(self::only(only)?);
        }
        Ok(())
    }

    /// The case that a line before its block is about.
    fn heading(&mut self) -> Result<&mut Heading> {
        let heading = self.heading.as_mut().filter(|heading| !heading.is_complete);
        heading.context("this line stands between the name of a case and its block")
    }

    fn block(&mut self, info: &str, lines: &[&str]) -> Result<()> {
        if !info.is_empty() {
            ensure!(self.heading.is_none(), "definitions stand before the cases of a file");
            return self.definitions.add(info, lines);
        }
        let tool = self.tool.clone().context("a case before its tool")?;
        let Heading { name, example, attacks, only, is_complete } = self.heading()?;
        *is_complete = true;
        let (name, example) = (name.clone(), example.take());
        let (attacks, only) = (mem::take(attacks), only.take());
        let Sections { before, policy, earlier, call, expected, after } =
            Sections::parse(lines, &mut self.definitions)?;
        let may_change = match &expected {
            Expected::Outcome { .. } => {
                let only_reads = Operation::find(&tool).is_some_and(|operation| operation.read_only);
                !only_reads || !earlier.is_empty()
            }
            Expected::Error(fields) => fields.contains_key("applied"),
        };
        let after = match (after.as_deref(), may_change) {
            (None, true) => bail!("a call that may change something has `after`"),
            (Some(UNCHANGED), false) => bail!("`after {UNCHANGED}` is the default of this call"),
            (Some(_), false) => bail!("this call changes nothing"),
            (None | Some(UNCHANGED), _) => None,
            (Some(after), true) => Some(after),
        };
        let (file, unchanged) = (self.file.to_owned(), after.is_none());
        ensure!(file == AGENT || file == POLICY || file == tool, "the tool `{tool}` has a file of its own");
        ensure!(file != POLICY || policy.is_some(), "a case about a policy has one");
        let written = Written { after: after.unwrap_or(&before).to_owned(), before };
        let before = Tree::parse(&written.before)?;
        let mut after = if unchanged { before.clone() } else { Tree::parse(&written.after)? };
        after.grants.clone_from(&before.grants);
        self.cases.push(Case {
            file,
            tool,
            name,
            example,
            attacks,
            only,
            before,
            policy,
            earlier,
            call,
            expected,
            after,
            unchanged,
            written,
        });
        Ok(())
    }

    /// Checks that the case before a heading has its block.
    fn complete(&self) -> Result<()> {
        let open = self.heading.as_ref().filter(|heading| !heading.is_complete);
        ensure!(open.is_none(), "the case `{}` has no block", open.map_or("", |heading| &heading.name));
        Ok(())
    }

    fn end(self) -> Result<Vec<Case>> {
        self.complete()?;
        self.definitions.are_used()?;
        Ok(self.cases)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# Read\n\n## read\n\n### says-what-is-there\nWhere it comes from.\nonly: disk, a reason\n```\n\
        before file w/a \"x\"\ncall {\"path\": \"a\"}\nerror {\"code\": \"io\"}\n```\n";

    fn parsed(from: &str, to: &str) -> Result<Case> {
        Ok(parse("read", &GOOD.replacen(from, to, 1))?.remove(0))
    }

    #[test]
    fn reads_a_case() {
        let cases = parse("read", GOOD).unwrap();
        assert_eq!(cases.len(), 1);
        assert_eq!((cases[0].name.as_str(), cases[0].code()), ("says-what-is-there", Some("io")));
        assert_eq!(cases[0].only.as_ref().unwrap().volume, Kind::Disk);
        assert!(cases[0].unchanged);
    }

    #[test]
    fn earlier_calls_give_their_ids_to_later_ones() {
        let text = GOOD
            .replace(
                "call {\"path\": \"a\"}",
                "earlier write {\"path\": \"a\"}\ncall {\"path\": \"$undo-id(1)\"}",
            )
            .replace("\"io\"", "\"io\", \"x\": \"$undo-id(1)\"");
        let case = parse("read", &text).unwrap().remove(0);
        assert_eq!((case.earlier.len(), &case.earlier[0].tool[..]), (1, "write"));
        let case = case.with_undo_ids(&["0f".to_owned()]);
        assert_eq!(case.call, "{\"path\": \"0f\"}");
        let Expected::Error(fields) = case.expected else { panic!("{:?}", case.expected) };
        assert_eq!(fields["x"], "0f");
    }

    #[test]
    fn a_policy_holds_from_where_it_stands() {
        let earlier = "earlier write {\"path\": \"a\"}\n";
        let policy = "policy {\"profile\": \"open\"}\n";
        for (sections, expected) in [
            (String::new(), (false, false)),
            (format!("{policy}{earlier}"), (true, true)),
            (format!("{earlier}{policy}"), (false, true)),
        ] {
            let case = parsed("call", &format!("{sections}call")).unwrap();
            let (first, then) = case.policies();
            assert_eq!((first.is_some(), then.is_some()), expected, "{sections}");
        }
        for sections in [format!("{policy}{policy}"), policy.replace("{\"profile", "\"profile")] {
            assert!(parsed("call", &format!("{sections}call")).is_err(), "{sections}");
        }
    }

    #[test]
    fn definitions_stand_for_their_lines() {
        let text = GOOD
            .replace(
                "## read",
                "```tree one\nfile w/a \"x\"\n```\n```policy p\n{\"profile\": \"open\"}\n```\n## read",
            )
            .replace("before file w/a \"x\"", "before\n  tree one\n  file w/b \"y\"\npolicy p");
        let case = parse("read", &text).unwrap().remove(0);
        assert_eq!(case.before.items.keys().collect::<Vec<_>>(), ["w/a", "w/b"]);
        assert_eq!(case.written.before, "file w/a \"x\"\nfile w/b \"y\"");
        assert_eq!(case.policies().0, Some("{\"profile\": \"open\"}"));
        for (from, to) in [
            ("tree one\n  file", "file"),
            ("policy p\ncall", "policy q\ncall"),
            ("```policy p", "```policy"),
            ("```policy p", "```rule p"),
            ("```policy p", "```tree one"),
        ] {
            assert!(parse("read", &text.replacen(from, to, 1)).is_err(), "{from} as {to}");
        }
    }

    #[test]
    fn the_tree_after_a_call_is_written_where_it_can_change() {
        let of = |tool: &str, rest: &str| {
            let block = format!("```\ncall {{}}\n{rest}\n```\n");
            let case = parse(tool, &format!("## {tool}\n### it\n{block}"))?.remove(0);
            anyhow::Ok(case.unchanged)
        };
        for (tool, rest, unchanged) in [
            ("read", "outcome {}", Some(true)),
            ("read", "outcome {}\nafter unchanged", None),
            ("write", "outcome {}", None),
            ("write", "outcome {}\nafter unchanged", Some(true)),
            ("write", "outcome {}\nafter file w/a \"\"", Some(false)),
            ("write", "outcome {}\nafter", Some(false)),
            ("write", "error {\"code\": \"io\"}", Some(true)),
            ("write", "error {\"code\": \"io\"}\nafter file w/a \"\"", None),
            ("write", "error {\"code\": \"io\", \"applied\": true}\nafter file w/a \"\"", Some(false)),
        ] {
            assert_eq!(of(tool, rest).ok(), unchanged, "{tool}: {rest}");
        }
    }

    #[test]
    fn reads_the_attacks_of_a_case() {
        let read = |words: &str| {
            let cases = parse("read", &GOOD.replace("Where it comes from.", words)).ok()?;
            let shown =
                |attack: &Attack| format!("{}{}", attack.idea, attack.path.map_or("", |path| &path[..1]));
            Some(cases[0].attacks.iter().map(shown).collect::<Vec<_>>().join(" "))
        };
        for (words, attacks) in [
            ("Nobody attacks.", ""),
            ("attack A2.", "A2"),
            ("attack E: one. Two.", "E"),
            ("attacks A2, D1 and B1 to B3 at the source. Links.", "A2s D1s B1s B2s B3s"),
            ("attack A13 at both.", "A13s A13d"),
        ] {
            assert_eq!(read(words).as_deref(), Some(attacks), "{words}");
        }
        for words in
            ["attack A2", "attack a2.", "attack A2 at home.", "attack A1 to B2.", "attack AA.", "attack ."]
        {
            assert_eq!(read(words), None, "{words}");
        }
    }

    #[test]
    fn refuses_what_it_does_not_understand() {
        for (from, to) in [
            ("error {\"code\": \"io\"}\n", ""),
            ("error", "failure"),
            ("before file", "then file"),
            ("before file w/a \"x\"", "before"),
            ("call {\"path\": \"a\"}\nerror {\"code\": \"io\"}", "error {\"code\": \"io\"}\ncall {}"),
            ("```\nbefore", "```\n  before"),
            ("```\nbefore", "```before\nbefore"),
            ("```\nbefore", "### next\n```\nbefore"),
            ("### says", "#### says"),
            ("says-what", "Says what"),
            ("## read", "## write"),
            ("only: disk, a", "only: moon, a"),
            ("{\"code\": \"io\"}", "{}"),
            ("{\"code\": \"io\"}", "{"),
            ("file w/a", "fule w/a"),
            ("io\"}\n```", "io\"}"),
        ] {
            assert!(parsed(from, to).is_err(), "{from} as {to}");
        }
    }
}
