//! A configured value with its origin.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// No level has set it.
    BuiltIn,
    /// A file, and the line if it is known.
    File(Arc<Path>, Option<usize>),
    /// A variable of the environment.
    Variable(String),
    /// A flag, as it is typed.
    Flag(String),
}

impl Origin {
    pub(crate) fn file(path: &Path) -> Self {
        Self::File(path.into(), None)
    }

    pub(crate) fn line(&self, line: usize) -> Self {
        match self {
            Self::File(path, _) => Self::File(path.clone(), Some(line)),
            other => other.clone(),
        }
    }

    /// The directory where relative paths start: that of the file, or the current one for typed
    /// paths.
    pub(crate) fn base(&self) -> Option<PathBuf> {
        match self {
            Self::File(path, _) => std::path::absolute(path).ok()?.parent().map(Path::to_owned),
            _ => None,
        }
    }
}

/// Stands for the file name of a text's front matter.
pub(crate) const FRONT_MATTER: &str = "the front matter";

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // The front matter is no file, although its relative paths start in a directory.
        let shown = |path: &Path| match path.file_name().is_some_and(|name| name == FRONT_MATTER) {
            true => FRONT_MATTER.to_owned(),
            false => path.display().to_string(),
        };
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::File(path, None) => f.write_str(&shown(path)),
            Self::File(path, Some(line)) => write!(f, "{}:{line}", shown(path)),
            Self::Variable(name) => write!(f, "${name}"),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tree {
    pub(crate) value: Value,
    pub(crate) at: Origin,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Nothing,
    Truth(bool),
    Number(i128),
    Other(String),
    Text(String),
    List(Vec<Tree>),
    Table(Table),
}

pub(crate) type Table = Vec<(Name, Tree)>;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) at: Origin,
}

impl Tree {
    pub(crate) fn new(value: Value, at: Origin) -> Self {
        Self { value, at }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn table(&self) -> &[(Name, Self)] {
        match &self.value {
            Value::Table(entries) => entries,
            _ => &[],
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.table().iter().find(|(found, _)| found.text == name).map(|(_, tree)| tree)
    }

    pub(crate) fn from_json(json: serde_json::Value, at: &Origin) -> Self {
        let value = match json {
            serde_json::Value::Null => Value::Nothing,
            serde_json::Value::Bool(truth) => Value::Truth(truth),
            serde_json::Value::Number(number) => match number.as_i128() {
                Some(whole) => Value::Number(whole),
                None => Value::Other(number.to_string()),
            },
            serde_json::Value::String(text) => Value::Text(text),
            serde_json::Value::Array(items) => {
                Value::List(items.into_iter().map(|item| Self::from_json(item, at)).collect())
            }
            serde_json::Value::Object(entries) => {
                let entry = |(text, value)| (Name { text, at: at.clone() }, Self::from_json(value, at));
                Value::Table(entries.into_iter().map(entry).collect())
            }
        };
        Self::new(value, at.clone())
    }

    pub(crate) fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Nothing => serde_json::Value::Null,
            Value::Truth(truth) => (*truth).into(),
            Value::Number(number) => match u64::try_from(*number) {
                Ok(number) => number.into(),
                Err(_) => i64::try_from(*number).unwrap_or(i64::MIN).into(),
            },
            Value::Other(text) | Value::Text(text) => text.as_str().into(),
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Table(entries) => {
                let entry = |(name, tree): &(Name, Self)| (name.text.clone(), tree.to_json());
                serde_json::Value::Object(entries.iter().map(entry).collect())
            }
        }
    }
}
