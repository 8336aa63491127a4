//! Case files, parsed strictly: what is not understood is an error, never skipped.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, mem};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value};

use crate::placeholder::{About, expanded, repeated, search};
use crate::tree::Tree;

/// The name of the file with the calls whose mistakes are in the JSON itself.
pub const AGENT: &str = "agent";

/// The name of the file with the calls that a policy refuses, of every tool.
pub const POLICY: &str = "policy";

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    /// The file it stands in, without `.cases.md`: the name of an operation, [`AGENT`] or [`POLICY`].
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
    /// This outcome, and nothing besides.
    Outcome(Value),
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

impl Case {
    /// The code of the error that is expected.
    pub fn code(&self) -> Option<&str> {
        match &self.expected {
            Expected::Error(fields) => fields.get("code").and_then(Value::as_str),
            Expected::Outcome(_) => None,
        }
    }

    /// The reason why it does not run on a volume of this kind.
    pub fn only_elsewhere(&self, kind: Kind) -> Option<String> {
        self.only.as_ref().filter(|only| only.volume != kind).map(|only| only.reason.clone())
    }

    /// The value with the placeholders of all its strings replaced, `$time` aside.
    pub fn expanded(&self, value: &Value) -> Result<Value> {
        let call = serde_json::from_str(&self.call).unwrap_or_default();
        let about = About { before: &self.before, after: &self.after, search: search(&call) };
        expanded(value, &about)
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

    /// The same with the ids that earlier calls have got in the place of `$undo-id(N)`.
    #[must_use]
    pub fn with_undo_ids(&self, undo_ids: &[String]) -> Self {
        let replaced = |text: &str| {
            undo_ids.iter().enumerate().fold(text.to_owned(), |text, (number, id)| {
                text.replace(&format!("$undo-id({})", number + 1), id)
            })
        };
        let value = |value: &Value| replaced(&value.to_string()).parse().unwrap_or_default();
        let expected = match &self.expected {
            Expected::Outcome(outcome) => Expected::Outcome(value(outcome)),
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
pub fn parse(file: &str, text: &str) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    let mut tool = None;
    let mut draft: Option<Draft> = None;
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let here = || format!("line {}: `{line}`", number + 1);
        if let Some(info) = line.strip_prefix("```") {
            let draft = draft.as_mut().context("a block outside of a case").with_context(here)?;
            let mut block = Vec::new();
            loop {
                match lines.next() {
                    Some((_, "```")) => break,
                    Some((_, line)) => block.push(line),
                    None => bail!("{}: the block has no end", here()),
                }
            }
            draft.block(info, block.join("\n")).with_context(here)?;
        } else if let Some(name) = line.strip_prefix("### ") {
            let tool: &String = tool.as_ref().context("a case before its tool").with_context(here)?;
            let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            ensure!(name.chars().all(kebab), "{}: names are in kebab-case", here());
            let new = Draft {
                tool: tool.clone(),
                name: name.to_owned(),
                example: None,
                attacks: Vec::new(),
                only: None,
                policy: None,
                earlier: Vec::new(),
                blocks: Vec::new(),
            };
            cases.extend(draft.replace(new).map(|draft| draft.finish(file)));
        } else if let Some(name) = line.strip_prefix("## ") {
            tool = Some(repeated(name));
            cases.extend(draft.take().map(|draft| draft.finish(file)));
        } else if line.starts_with('#') && !line.starts_with("# ") {
            bail!("{}: no such heading", here());
        } else if let Some(title) = line.strip_prefix("example: ") {
            let draft = draft.as_mut().context("an example outside of a case").with_context(here)?;
            draft.example = Some(title.to_owned());
        } else if let Some(words) = line.strip_prefix("attack ").or(line.strip_prefix("attacks ")) {
            let draft = draft.as_mut().context("an attack outside of a case").with_context(here)?;
            draft.attacks.extend(attacks(words).with_context(here)?);
        } else if let Some(only) = line.strip_prefix("only: ") {
            let draft = draft.as_mut().context("a restriction outside of a case").with_context(here)?;
            draft.only = Some(self::only(only).with_context(here)?);
        }
    }
    cases.extend(draft.map(|draft| draft.finish(file)));
    cases.into_iter().collect()
}

/// `A2`, `A2, A3 and B1` or `B1 to B4`; then ` at the source`, ` at the destination` or ` at both`; then `.` or `:` and
/// whatever there is to say.
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

/// A case whose end was not seen yet.
struct Draft {
    tool: String,
    name: String,
    example: Option<String>,
    attacks: Vec<Attack>,
    only: Option<Only>,
    policy: Option<Policy>,
    earlier: Vec<Earlier>,
    blocks: Vec<(String, String)>,
}

impl Draft {
    fn block(&mut self, info: &str, text: String) -> Result<()> {
        if let Some(tool) = info.strip_prefix("earlier ") {
            ensure!(self.blocks.len() == 1, "earlier calls stand between the tree before and the call");
            let _: Map<String, Value> = serde_json::from_str(&text).context("an earlier call is JSON")?;
            self.earlier.push(Earlier { tool: tool.to_owned(), call: text });
            return Ok(());
        }
        if info == "policy" {
            ensure!(self.blocks.len() == 1, "a policy stands between the tree before and the call");
            ensure!(self.policy.is_none(), "a case has one policy");
            let _: Value = serde_json::from_str(&text).context("a policy is JSON")?;
            self.policy = Some(Policy { text, is_late: !self.earlier.is_empty() });
            return Ok(());
        }
        const ORDER: [&[&str]; 4] = [&["before"], &["call"], &["outcome", "error"], &["after"]];
        let wanted = ORDER.get(self.blocks.len()).context("a case has four blocks")?;
        ensure!(wanted.contains(&info), "this block has to be {}", wanted.join(" or "));
        self.blocks.push((info.to_owned(), text));
        Ok(())
    }

    fn finish(mut self, file: &str) -> Result<Case> {
        let name = mem::take(&mut self.name);
        self.case(file, &name).with_context(|| format!("in the case {name}"))
    }

    fn case(self, file: &str, name: &str) -> Result<Case> {
        let blocks: [(String, String); 4] =
            self.blocks.try_into().map_err(|_| anyhow::anyhow!("a case has four blocks"))?;
        let [(_, before), (_, call), (kind, expected), (_, after)] = blocks;
        let written = Written { before: before.clone(), after: after.clone() };
        let before = Tree::parse(&before)?;
        let unchanged = after == "unchanged";
        let mut after = if unchanged { before.clone() } else { Tree::parse(&after)? };
        after.grants.clone_from(&before.grants);
        let expected = serde_json::from_str(&expected).context("what is expected is not JSON")?;
        let expected = match (kind.as_str(), expected) {
            ("error", Value::Object(fields)) => {
                ensure!(fields.contains_key("code"), "an expected error has a code");
                ensure!(unchanged || fields.contains_key("applied"), "a refused call changes nothing");
                Expected::Error(fields)
            }
            ("outcome", outcome @ Value::Object(_)) => Expected::Outcome(outcome),
            _ => bail!("what is expected is a JSON object"),
        };
        let (file, tool) = (file.to_owned(), self.tool);
        ensure!(file == AGENT || file == POLICY || file == tool, "the tool `{tool}` has a file of its own");
        ensure!(file != POLICY || self.policy.is_some(), "a case about a policy has one");
        Ok(Case {
            file,
            tool,
            name: name.to_owned(),
            example: self.example,
            attacks: self.attacks,
            only: self.only,
            before,
            policy: self.policy,
            earlier: self.earlier,
            call,
            expected,
            after,
            unchanged,
            written,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# Read\n\n## read\n\n### says-what-is-there\nWhere it comes from.\nonly: disk, a reason\n\n\
        ```before\nfile w/a \"x\"\n```\n```call\n{\"path\": \"a\"}\n```\n```error\n{\"code\": \"io\"}\n```\n\
        ```after\nunchanged\n```\n";

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
        let earlier = "```earlier write\n{\"path\": \"a\"}\n```\n```call\n{\"path\": \"$undo-id(1)\"}";
        let text = GOOD
            .replace("```call\n{\"path\": \"a\"}", earlier)
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
        let earlier = "```earlier write\n{\"path\": \"a\"}\n```\n";
        let policy = "```policy\n{\"profile\": \"open\"}\n```\n";
        for (blocks, expected) in [
            (String::new(), (false, false)),
            (format!("{policy}{earlier}"), (true, true)),
            (format!("{earlier}{policy}"), (false, true)),
        ] {
            let case =
                parse("read", &GOOD.replace("```call", &format!("{blocks}```call"))).unwrap().remove(0);
            let (first, then) = case.policies();
            assert_eq!((first.is_some(), then.is_some()), expected, "{blocks}");
        }
        for blocks in [format!("{policy}{policy}"), policy.replace("{\"profile", "\"profile")] {
            assert!(parse("read", &GOOD.replace("```call", &format!("{blocks}```call"))).is_err());
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
            ("```after\nunchanged\n```\n", ""),
            ("```after", "```then"),
            ("### says", "#### says"),
            ("says-what", "Says what"),
            ("## read", "## write"),
            ("only: disk, a", "only: moon, a"),
            ("{\"code\": \"io\"}", "{}"),
            ("{\"code\": \"io\"}", "{"),
            ("file w/a", "fule w/a"),
            ("after\nunchanged\n```", "after\nunchanged"),
        ] {
            assert!(parse("read", &GOOD.replacen(from, to, 1)).is_err(), "{from} as {to}");
        }
    }
}
