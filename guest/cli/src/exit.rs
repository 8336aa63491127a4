//! Exits of a command.

use serde_json::Value;

/// The exit of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Success.
    Done,
    /// The tool refused, or the answer is no.
    Refused,
    /// Invalid words, or a refused start.
    Usage,
    /// A fault of fsgate.
    Internal,
}

impl Exit {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 1,
            Self::Usage => 2,
            Self::Internal => 3,
        }
    }

    /// The exit for this error, in JSON.
    pub fn of_error(error: &str) -> Self {
        match serde_json::from_str::<Value>(error) {
            Ok(error) if error["code"] != "other" => Self::Refused,
            _ => Self::Internal,
        }
    }
}
