//! The choice of served tools: each costs tokens of the model that reads the list.

use std::str::FromStr;

use fsgate_compat::lean;
use fsgate_contract::{FRONT_ENDS, FrontEnd, LEAN};
use fsgate_text::close_names::nearest_tool;

use crate::{OPERATIONS, Operation};

/// The tools for most tasks.
const CORE: [&str; 17] = [
    "read",
    "read_numbered",
    "read_bytes",
    "stat",
    "list_directory",
    "tree",
    "glob",
    "grep",
    "create",
    "write",
    "replace",
    "replace_all",
    "apply",
    "undo",
    "move",
    "delete",
    "delete_directory",
];

/// A choice of tools: names of sets, of tools and of front ends.
#[derive(Debug, Clone)]
pub struct ToolSet(Vec<Choice>);

#[derive(Debug, Clone, Copy)]
enum Choice {
    /// Ten tools over the operations, instead of them.
    Lean,
    Core,
    All,
    ReadOnly,
    One(&'static str),
    /// A front end has to be named: no set contains it.
    FrontEnd(&'static FrontEnd),
}

/// A choice that cannot be served.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolSetError {
    /// An unknown tool.
    #[error("there is no tool `{name}`{}", hint(*.nearest))]
    Unknown {
        /// The name that was given.
        name: String,
        /// The most similar known name.
        nearest: Option<&'static str>,
    },
    /// The lean set beside operations: some of their names are the same.
    #[error("`lean` goes with front ends only; leave out `{0}`, or take `core` or `all` for it")]
    BesideLean(String),
    /// No tool is left to serve.
    #[error(
        "none of these tools can be used: all directories are granted for reading only; grant one for writing, or \
         choose tools that read"
    )]
    Nothing,
}

fn hint(nearest: Option<&str>) -> String {
    match nearest {
        Some(name) => format!("; did you mean `{name}`?"),
        None => "; `fsgate tools` lists them, and `lean`, `core`, `all` and `read-only` stand for several"
            .to_owned(),
    }
}

impl Default for ToolSet {
    fn default() -> Self {
        Self(vec![Choice::Lean])
    }
}

impl FromStr for ToolSet {
    type Err = ToolSetError;

    /// Parses names of sets and tools, separated by commas.
    fn from_str(typed: &str) -> Result<Self, ToolSetError> {
        let words: Vec<_> = typed.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
        let choices = words.iter().map(|word| choice(word)).collect::<Result<Vec<_>, _>>()?;
        if choices.iter().any(|choice| matches!(choice, Choice::Lean))
            && let Some((_, word)) = choices.iter().zip(&words).find(|(choice, _)| choice.is_of_operations())
        {
            return Err(ToolSetError::BesideLean((*word).to_owned()));
        }
        Ok(if choices.is_empty() { Self::default() } else { Self(choices) })
    }
}

fn choice(word: &str) -> Result<Choice, ToolSetError> {
    match word {
        "lean" => Ok(Choice::Lean),
        "core" => Ok(Choice::Core),
        "all" => Ok(Choice::All),
        "read-only" | "read_only" => Ok(Choice::ReadOnly),
        name => match (Operation::find(name), FrontEnd::find(name)) {
            (Some(operation), _) => Ok(Choice::One(operation.name)),
            (None, Some(front_end)) => Ok(Choice::FrontEnd(front_end)),
            (None, None) => {
                Err(ToolSetError::Unknown { name: name.to_owned(), nearest: nearest(name, |_| true) })
            }
        },
    }
}

/// The tool that a wrong name probably means; `is_there` accepts it.
pub(super) fn nearest(name: &str, is_there: impl Fn(&str) -> bool) -> Option<&'static str> {
    let front_ends = FRONT_ENDS.iter().map(|front_end| front_end.name);
    let all = OPERATIONS.iter().chain(LEAN).map(|operation| operation.name).chain(front_ends);
    let served: Vec<_> = all.filter(|name| is_there(name)).collect();
    nearest_tool(name, &served)
}

impl ToolSet {
    /// The tools in catalogue order; those that write need a writable grant.
    pub(super) fn operations(&self, writable: bool) -> Result<Vec<&'static Operation>, ToolSetError> {
        let chosen: Vec<_> = OPERATIONS
            .iter()
            .chain(LEAN)
            .filter(|operation| writable || operation.read_only)
            .filter(|operation| self.0.iter().any(|choice| choice.has(operation)))
            .collect();
        if chosen.is_empty() && self.front_ends().next().is_none() {
            return Err(ToolSetError::Nothing);
        }
        Ok(chosen)
    }

    pub(super) fn front_ends(&self) -> impl Iterator<Item = &'static FrontEnd> {
        FRONT_ENDS.iter().filter(|front_end| {
            self.0.iter().any(|choice| matches!(choice, Choice::FrontEnd(one) if one.name == front_end.name))
        })
    }
}

impl Choice {
    fn has(self, operation: &Operation) -> bool {
        let is_lean = lean::is_tool(operation);
        match self {
            Self::Lean => is_lean,
            _ if is_lean => false,
            Self::Core => CORE.contains(&operation.name),
            Self::All => true,
            Self::ReadOnly => operation.read_only,
            Self::One(name) => operation.name == name,
            Self::FrontEnd(_) => false,
        }
    }

    fn is_of_operations(self) -> bool {
        !matches!(self, Self::Lean | Self::FrontEnd(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(typed: &str, writable: bool) -> Result<Vec<&'static str>, ToolSetError> {
        let operations = typed.parse::<ToolSet>()?.operations(writable)?;
        Ok(operations.iter().map(|operation| operation.name).collect())
    }

    #[test]
    fn a_choice_is_words_and_names() {
        assert_eq!(names("read", true).unwrap(), ["read"]);
        assert_eq!(names("write-bytes, read", true).unwrap(), ["read", "write_bytes"]);
        assert_eq!(names("all", true).unwrap().len(), OPERATIONS.len());
        assert_eq!(names("", true), names("lean", true));
        assert!(names("core,write_bytes", true).unwrap().contains(&"write_bytes"));
        assert!(!names("core", true).unwrap().contains(&"write_bytes"));
        assert_eq!(names("lean", true).unwrap().len(), LEAN.len());
        assert_eq!(names("lean", false).unwrap(), ["read", "list", "glob", "grep"]);
        for typed in ["read-only", "all", "core"] {
            assert!(names(typed, false).unwrap().iter().all(|name| Operation::find(name).unwrap().read_only));
        }
    }

    #[test]
    fn a_front_end_is_served_if_it_is_named() {
        let front_ends = |typed: &str| {
            let chosen: ToolSet = typed.parse().unwrap();
            chosen.front_ends().map(|front_end| front_end.name).collect::<Vec<_>>()
        };
        assert_eq!(front_ends("core,sham"), ["sham"]);
        assert_eq!(front_ends("lean,sham"), ["sham"]);
        assert_eq!(front_ends("all"), [""; 0]);
        assert!(names("sham", true).unwrap().is_empty());
    }

    #[test]
    fn what_cannot_be_served_is_refused() {
        for (typed, writable, expected) in [
            ("raed", true, "there is no tool `raed`; did you mean `read`?"),
            ("cat", true, "there is no tool `cat`; did you mean `read`?"),
            ("Edit", true, "there is no tool `Edit`; did you mean `replace`?"),
            ("directory_tree", true, "there is no tool `directory_tree`; did you mean `tree`?"),
            ("read,nonsense", true, "there is no tool `nonsense`; `fsgate tools` lists them"),
            ("write", false, "none of these tools can be used"),
            ("lean,read", true, "`lean` goes with front ends only; leave out `read`"),
            ("all,sham,lean", true, "`lean` goes with front ends only; leave out `all`"),
        ] {
            let refused = names(typed, writable).unwrap_err().to_string();
            assert!(refused.starts_with(expected), "{refused}");
        }
    }

    #[test]
    fn every_tool_of_the_core_exists() {
        for name in CORE {
            assert!(Operation::find(name).is_some(), "{name}");
        }
    }
}
