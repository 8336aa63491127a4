//! How a command ends.

use serde_json::Value;

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It is done.
    Done,
    /// The tool refused, or the answer is no.
    Refused,
    /// The words make no command, or the start was refused.
    Usage,
    /// fsgate itself failed.
    Internal,
}

impl Exit {
    /// The exit code, where there are several.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 1,
            Self::Usage => 2,
            Self::Internal => 3,
        }
    }

    /// How a command ends that got this error, in JSON.
    pub fn of_error(error: &str) -> Self {
        match serde_json::from_str::<Value>(error) {
            Ok(error) if error["code"] != "other" => Self::Refused,
            _ => Self::Internal,
        }
    }
}
