//! The system's five exceptions, with a common base.

use serde::Serialize;

use super::location::PathOutside;
use super::parse::FileActionKind;
use crate::failure_terms::terms;
use fsgate_contract::types::Error;

/// The base class.
pub const BASE: &str = "FileSystemManagerError";

/// A failed action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActionFailure {
    /// Its class.
    pub name: &'static str,
    /// Its base class; none for the base.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<&'static str>,
    /// One sentence.
    pub message: String,
}

impl ActionFailure {
    /// An unreadable text or action.
    pub fn general(message: String) -> Self {
        Self { name: BASE, base: None, message }
    }

    /// A path refused by its spelling.
    pub fn traversal(outside: PathOutside) -> Self {
        Self { name: "PathTraversalError", base: Some(BASE), message: outside.sentence().to_owned() }
    }

    /// An operation's error, in a few classes.
    pub fn of(kind: FileActionKind, error: Error) -> Self {
        let class = terms(&error.code).and_then(|terms| terms.class);
        let name = match (kind, class) {
            (_, Some(class @ "PathTraversalError"))
            | (FileActionKind::Create, Some(class @ "FileAlreadyExistsError"))
            | (FileActionKind::Append, Some(class @ "FileNotFoundError")) => class,
            (FileActionKind::Create, _) => "WriteError",
            (FileActionKind::Append, _) => "AppendError",
        };
        Self { name, base: Some(BASE), message: error.message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgate_contract::types::Code;

    #[test]
    fn a_code_is_a_class_of_the_action() {
        for (code, create, append) in [
            (Code::Exists, "FileAlreadyExistsError", "AppendError"),
            (Code::NotFound, "WriteError", "FileNotFoundError"),
            (Code::PathEscape, "PathTraversalError", "PathTraversalError"),
            (Code::NotGranted, "PathTraversalError", "PathTraversalError"),
            (Code::ReadOnly, "WriteError", "AppendError"),
            (Code::DeniedByPolicy("r".to_owned()), "WriteError", "AppendError"),
            (Code::IsDirectory, "WriteError", "AppendError"),
            (Code::NotDirectory, "WriteError", "AppendError"),
            (Code::NoSpace, "WriteError", "AppendError"),
            (Code::Busy, "WriteError", "AppendError"),
            (Code::InvalidPath, "WriteError", "AppendError"),
            (Code::Io("text".to_owned()), "WriteError", "AppendError"),
        ] {
            let error = Error {
                code,
                operation: "create".to_owned(),
                path: None,
                message: "a sentence".to_owned(),
                applied: false,
                repair: None,
                details: None,
            };
            let of = |kind| ActionFailure::of(kind, error.clone());
            assert_eq!(
                [of(FileActionKind::Create).name, of(FileActionKind::Append).name],
                [create, append],
                "{error:?}"
            );
            assert_eq!(
                (of(FileActionKind::Create).base, &of(FileActionKind::Append).message[..]),
                (Some(BASE), "a sentence")
            );
        }
    }
}
