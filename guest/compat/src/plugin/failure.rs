//! What is wrong, as the model of that system is told.

use serde::Serialize;

use super::location::RefusedPath;
use super::parse::NoCall;
use fsgate_contract::limits::ERROR_PATH_CHARS;
use fsgate_contract::types::{Code, Error};
use fsgate_text::excerpt::{cut, quoted};

/// An error in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PluginFailure {
    /// A word that programs can compare: the code of an operation.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// The path that it is about, as it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Something may have been changed all the same.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub applied: bool,
}

impl PluginFailure {
    /// A failure without a path.
    pub fn new(code: &Code, message: impl Into<String>) -> Self {
        Self { code: code.name(), message: message.into(), path: None, applied: false }
    }

    /// A text that nothing could be made of.
    pub fn unread(problem: String) -> Self {
        Self::new(&Code::Malformed(0), problem)
    }

    /// The same failure, about a path.
    pub fn at(self, path: &str) -> Self {
        Self { path: Some(cut(path, ERROR_PATH_CHARS).into_owned()), ..self }
    }
}

/// What an operation has said.
impl From<Error> for PluginFailure {
    fn from(error: Error) -> Self {
        // That they are edits of one call is of no interest here.
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
