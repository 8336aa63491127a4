//! Errors as the system's model reads them.

use serde::Serialize;

use super::location::RefusedPath;
use super::parse::NoCall;
use fsgate_contract::limits::ERROR_PATH_CHARS;
use fsgate_contract::types::{Code, Error};
use fsgate_text::excerpt::{cut, quoted};

/// An error in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PluginFailure {
    /// The operation's code.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// The requested path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A change may exist.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub applied: bool,
}

impl PluginFailure {
    /// A failure without a path.
    pub fn new(code: &Code, message: impl Into<String>) -> Self {
        Self { code: code.name(), message: message.into(), path: None, applied: false }
    }

    /// An unreadable text.
    pub fn unread(problem: String) -> Self {
        Self::new(&Code::Malformed(0), problem)
    }

    /// The failure at a path.
    pub fn at(self, path: &str) -> Self {
        Self { path: Some(cut(path, ERROR_PATH_CHARS).into_owned()), ..self }
    }
}

impl From<Error> for PluginFailure {
    fn from(error: Error) -> Self {
        // The two edits are internal.
        let message = ["edit 1: ", "edit 2: "].iter().find_map(|edit| error.message.strip_prefix(edit));
        let message = message.unwrap_or(&error.message).to_owned();
        Self { applied: error.applied, ..Self::new(&error.code, message) }
    }
}

impl From<RefusedPath> for PluginFailure {
    fn from(refused: RefusedPath) -> Self {
        Self::new(&Code::InvalidPath, refused.sentence())
    }
}

impl From<NoCall> for PluginFailure {
    fn from(no_call: NoCall) -> Self {
        match no_call {
            NoCall::Unknown(name) => {
                Self::new(&Code::UnknownTool, format!("no tool has the name {}", quoted(&name)))
            }
            NoCall::Form(problem) => Self::new(&Code::InvalidArgument(String::new()), problem),
        }
    }
}
