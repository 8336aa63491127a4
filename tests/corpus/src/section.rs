//! The block of a case: sections such as `call {…}`, each with lines that continue it.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value};

use crate::case::{Earlier, Expected, Policy};

/// The tree after a call that changes nothing.
pub const UNCHANGED: &str = "unchanged";

/// The block of a case.
#[derive(Debug)]
pub struct Sections {
    /// The lines of the tree before the call: none without a section.
    pub before: String,
    /// The policy.
    pub policy: Option<Policy>,
    /// The calls before it.
    pub earlier: Vec<Earlier>,
    /// The arguments.
    pub call: String,
    /// The answer.
    pub expected: Expected,
    /// The lines of the tree after it, or [`UNCHANGED`].
    pub after: Option<String>,
}

impl Sections {
    /// Reads the lines of a block.
    ///
    /// # Errors
    ///
    /// A section that does not exist, stands in the wrong place, or is not in its notation.
    pub fn parse(lines: &[&str], definitions: &mut Definitions) -> Result<Self> {
        let mut sections = sections(lines)?.into_iter().peekable();
        let mut next = |name: &str| sections.next_if(|section| section.name == name);
        let before = match next("before") {
            Some(section) => {
                let before = definitions.tree(&section.text)?;
                ensure!(!before.is_empty(), "a tree with nothing in it is the default");
                before
            }
            None => String::new(),
        };
        let (mut policy, mut earlier) = (None, Vec::new());
        loop {
            if let Some(section) = next("policy") {
                ensure!(policy.is_none(), "a case has one policy");
                let text = definitions.policy(&section.text)?;
                policy = Some(Policy { text, is_late: !earlier.is_empty() });
            } else if let Some(section) = next("earlier") {
                let (tool, call) = section.text.split_once(' ').context("a section is `earlier TOOL {…}`")?;
                let _: Map<String, Value> = serde_json::from_str(call).context("an earlier call is JSON")?;
                earlier.push(Earlier { tool: tool.to_owned(), call: call.to_owned() });
            } else {
                break;
            }
        }
        let call =
            next("call").context("a case has `call` after its tree, its policy and its earlier calls")?;
        let expected = match (next("outcome"), next("error")) {
            (Some(outcome), None) => self::outcome(&outcome.text)?,
            (None, Some(error)) => self::error(&error.text)?,
            _ => bail!("`outcome` or `error` follows `call`"),
        };
        let after = next("after").map(|section| definitions.tree(&section.text)).transpose()?;
        if let Some(section) = sections.next() {
            bail!("`{}` is no section, or stands in the wrong place", section.name);
        }
        Ok(Self { before, policy, earlier, call: call.text, expected, after })
    }
}

/// A section: its name, and the text after it with the lines that continue it.
struct Section {
    name: String,
    text: String,
}

fn sections(lines: &[&str]) -> Result<Vec<Section>> {
    let mut sections: Vec<Section> = Vec::new();
    for line in lines {
        if line.starts_with([' ', '}', ']']) {
            let section = sections.last_mut().context("a block begins with the name of a section")?;
            section.text += "\n";
            section.text += line;
        } else {
            let (name, text) = line.split_once(' ').unwrap_or((line, ""));
            sections.push(Section { name: name.to_owned(), text: text.to_owned() });
        }
    }
    Ok(sections)
}

/// `{…}`, or `partial {…}`.
fn outcome(text: &str) -> Result<Expected> {
    let (text, is_partial) = text.strip_prefix("partial ").map_or((text, false), |text| (text, true));
    let value: Map<String, Value> = serde_json::from_str(text).context("an outcome is a JSON object")?;
    Ok(Expected::Outcome { value: value.into(), is_partial })
}

fn error(text: &str) -> Result<Expected> {
    let fields: Map<String, Value> = serde_json::from_str(text).context("an error is a JSON object")?;
    ensure!(fields.contains_key("code"), "an expected error has a code");
    Ok(Expected::Error(fields))
}

/// The trees and policies that a file names before its cases.
#[derive(Debug, Default)]
pub struct Definitions {
    trees: BTreeMap<String, Definition>,
    policies: BTreeMap<String, Definition>,
}

#[derive(Debug)]
struct Definition {
    text: String,
    is_used: bool,
}

impl Definitions {
    /// Adds `tree NAME` or `policy NAME`.
    ///
    /// # Errors
    ///
    /// Another kind of definition, or a name that is taken.
    pub fn add(&mut self, info: &str, lines: &[&str]) -> Result<()> {
        let (kind, name) = info.split_once(' ').unwrap_or((info, ""));
        let definitions = match kind {
            "tree" => &mut self.trees,
            "policy" => &mut self.policies,
            _ => bail!("a definition is `tree NAME` or `policy NAME`"),
        };
        ensure!(!name.is_empty() && !name.contains(' '), "the name of a definition is one word");
        let definition = Definition { text: lines.join("\n"), is_used: false };
        ensure!(definitions.insert(name.to_owned(), definition).is_none(), "`{name}` is defined twice");
        Ok(())
    }

    /// The lines of a tree, with the lines of the trees that it names.
    fn tree(&mut self, text: &str) -> Result<String> {
        let mut lines = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            match line.strip_prefix("tree ") {
                Some(name) => lines.push(used(&mut self.trees, name)?),
                None => lines.push(line.to_owned()),
            }
        }
        Ok(lines.join("\n"))
    }

    /// A policy in JSON, which a case writes out or names.
    fn policy(&mut self, text: &str) -> Result<String> {
        let text = if text.starts_with('{') { text.to_owned() } else { used(&mut self.policies, text)? };
        let _: Map<String, Value> = serde_json::from_str(&text).context("a policy is JSON")?;
        Ok(text)
    }

    /// Checks that each definition has a use.
    ///
    /// # Errors
    ///
    /// A definition without one.
    pub fn are_used(&self) -> Result<()> {
        let idle = self.trees.iter().chain(&self.policies).find(|(_, definition)| !definition.is_used);
        ensure!(idle.is_none(), "`{}` has no use", idle.map_or("", |(name, _)| name));
        Ok(())
    }
}

fn used(definitions: &mut BTreeMap<String, Definition>, name: &str) -> Result<String> {
    let definition =
        definitions.get_mut(name).with_context(|| format!("`{name}` is defined nowhere before"))?;
    definition.is_used = true;
    Ok(definition.text.clone())
}
