//! Which tools a client is told about. Every tool costs the model that reads the list.

use std::str::FromStr;

use fsgate_core::agent;

use crate::{OPERATIONS, Operation};

/// What most work is done with.
const CORE: [&str; 15] = [
    "read",
    "read_numbered",
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
];

/// A choice of tools: words that stand for several, and names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSet(Vec<Choice>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Core,
    All,
    ReadOnly,
    One(&'static str),
}

/// A choice that cannot be served.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolSetError {
    /// There is no such tool.
    #[error("there is no tool `{name}`{}", hint(*.nearest))]
    Unknown {
        /// The name that was given.
        name: String,
        /// The one that is probably meant.
        nearest: Option<&'static str>,
    },
    /// Nothing is left to serve.
    #[error(
        "none of these tools can be used: all directories are granted for reading only; grant one for writing, or \
         choose tools that read"
    )]
    Nothing,
}

fn hint(nearest: Option<&str>) -> String {
    match nearest {
        Some(name) => format!("; did you mean `{name}`?"),
        None => "; `fsgate tools` lists them, and `core`, `all` and `read-only` stand for several".to_owned(),
    }
}

impl Default for ToolSet {
    fn default() -> Self {
        Self(vec![Choice::Core])
    }
}

impl FromStr for ToolSet {
    type Err = ToolSetError;

    /// `core`, `all`, `read-only` and names of tools, separated by commas.
    fn from_str(typed: &str) -> Result<Self, ToolSetError> {
        typed
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .map(choice)
            .collect::<Result<_, _>>()
            .map(|choices: Vec<_>| if choices.is_empty() { Self::default() } else { Self(choices) })
    }
}

fn choice(word: &str) -> Result<Choice, ToolSetError> {
    match word {
        "core" => Ok(Choice::Core),
        "all" => Ok(Choice::All),
        "read-only" | "read_only" => Ok(Choice::ReadOnly),
        name => match Operation::find(name) {
            Some(operation) => Ok(Choice::One(operation.name)),
            None => Err(ToolSetError::Unknown { name: name.to_owned(), nearest: nearest(name) }),
        },
    }
}

/// The tool that a wrong name probably means.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let known: Vec<_> = OPERATIONS.iter().map(|operation| operation.name).collect();
    agent::nearest(name, &known)
}

impl ToolSet {
    /// The tools, in the order of the catalogue; those that write only if that is granted anywhere.
    pub(super) fn operations(&self, writable: bool) -> Result<Vec<&'static Operation>, ToolSetError> {
        let chosen: Vec<_> = OPERATIONS
            .iter()
            .filter(|operation| writable || operation.read_only)
            .filter(|operation| self.0.iter().any(|choice| choice.has(operation)))
            .collect();
        if chosen.is_empty() { Err(ToolSetError::Nothing) } else { Ok(chosen) }
    }
}

impl Choice {
    fn has(self, operation: &Operation) -> bool {
        match self {
            Self::Core => CORE.contains(&operation.name),
            Self::All => true,
            Self::ReadOnly => operation.read_only,
            Self::One(name) => operation.name == name,
        }
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
        assert_eq!(names("", true), names("core", true));
        assert!(names("core,write_bytes", true).unwrap().contains(&"write_bytes"));
        assert!(!names("core", true).unwrap().contains(&"write_bytes"));
        for typed in ["read-only", "all", "core"] {
            assert!(names(typed, false).unwrap().iter().all(|name| Operation::find(name).unwrap().read_only));
        }
    }

    #[test]
    fn what_cannot_be_served_is_refused() {
        for (typed, writable, expected) in [
            ("raed", true, "there is no tool `raed`; did you mean `read`?"),
            ("read,nonsense", true, "there is no tool `nonsense`; `fsgate tools` lists them"),
            ("write", false, "none of these tools can be used"),
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
