//! What other systems call the failures that are codes here: one table for all front ends.

use crate::contract::types::{Code, Error};
use crate::limits::ERROR_PATH_CHARS;
use crate::text::excerpt::cut;

/// A failure in the words of other systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// The name that POSIX has for it.
    pub errno: &'static str,
    /// What Node.js says about it.
    pub phrase: &'static str,
    /// The class of exceptions that it is, where a system has one of its own for it.
    pub class: Option<&'static str>,
}

/// The words for a code; none for what only we tell apart.
pub fn words(code: &Code) -> Option<Words> {
    let of = |errno, phrase| Some(Words { errno, phrase, class: None });
    let named = |errno, phrase, class| Some(Words { errno, phrase, class: Some(class) });
    match code {
        Code::NotFound => named("ENOENT", "no such file or directory", "FileNotFoundError"),
        Code::Exists => named("EEXIST", "file already exists", "FileAlreadyExistsError"),
        Code::PathEscape | Code::NotGranted => named("EACCES", "permission denied", "PathTraversalError"),
        Code::ReadOnly | Code::DeniedByPolicy(_) => of("EACCES", "permission denied"),
        Code::IsDirectory => of("EISDIR", "illegal operation on a directory"),
        Code::NotDirectory => of("ENOTDIR", "not a directory"),
        Code::NotEmpty => of("ENOTEMPTY", "directory not empty"),
        Code::LinkLoop => of("ELOOP", "too many symbolic links encountered"),
        Code::NoSpace => of("ENOSPC", "no space left on device"),
        Code::Busy => of("EBUSY", "resource busy or locked"),
        Code::TooLarge(_) => of("EFBIG", "file too large"),
        Code::NotText(_) => of("EILSEQ", "illegal byte sequence"),
        Code::ConfirmationRequired
        | Code::InvalidPath
        | Code::InvalidArgument(_)
        | Code::InvalidPattern(_)
        | Code::InvalidRange
        | Code::OutOfRange(_)
        | Code::Malformed(_)
        | Code::NotEncodable(_)
        | Code::NoMatch(_)
        | Code::Ambiguous(_)
        | Code::CountMismatch(_)
        | Code::Stale(_)
        | Code::SpecialFile(_)
        | Code::Quota
        | Code::CrossDevice
        | Code::NameTooLong
        | Code::Unrecovered
        | Code::Deadline
        | Code::NothingToUndo
        | Code::UndoConflict(_)
        | Code::Limit(_)
        | Code::Cancelled
        | Code::UnknownTool
        | Code::UnknownId
        | Code::Unsupported
        | Code::Io(_)
        | Code::Other(_) => None,
    }
}

/// What somebody tried, as Node.js would have done it.
#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    /// The name that the system has for the operation; it stands before what has no other words.
    pub operation: &'a str,
    /// The call that Node.js makes for it.
    pub call: &'a str,
    /// The path that it was tried on.
    pub path: &'a str,
    /// The other path, of a `rename`.
    pub to: Option<&'a str>,
}

impl Attempt<'_> {
    /// An error as Node.js says it: `ENOENT: no such file or directory, open '/a'`. What it has no words for is said in ours, behind the
    /// name of the operation.
    pub fn failed(&self, error: &Error) -> String {
        let Self { operation, call, .. } = self;
        // A text can name what no file system could.
        let [path, to] = [Some(self.path), self.to].map(|path| path.map(|path| cut(path, ERROR_PATH_CHARS)));
        let path = path.unwrap_or_default();
        let Some(Words { errno, phrase, .. }) = words(&error.code) else {
            return format!("{operation}: {}", error.message);
        };
        match to {
            // Only of these two it tells both paths.
            Some(to) if matches!(errno, "ENOENT" | "EACCES") => {
                format!("{errno}: {phrase}, {call} '{path}' -> '{to}'")
            }
            _ => format!("{errno}: {phrase}, {call} '{path}'"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: Code) -> Error {
        Error {
            code,
            operation: "read".to_owned(),
            path: None,
            message: "a sentence".to_owned(),
            applied: false,
            repair: None,
            details: None,
        }
    }

    #[test]
    fn a_failure_is_told_in_the_words_of_node() {
        let open = Attempt { operation: "file_read", call: "open", path: "/a", to: None };
        for (code, expected) in [
            (Code::NotFound, "ENOENT: no such file or directory, open '/a'"),
            (Code::Exists, "EEXIST: file already exists, open '/a'"),
            (Code::ReadOnly, "EACCES: permission denied, open '/a'"),
            (Code::DeniedByPolicy("r".to_owned()), "EACCES: permission denied, open '/a'"),
            (Code::PathEscape, "EACCES: permission denied, open '/a'"),
            (Code::NotGranted, "EACCES: permission denied, open '/a'"),
            (Code::IsDirectory, "EISDIR: illegal operation on a directory, open '/a'"),
            (Code::NotDirectory, "ENOTDIR: not a directory, open '/a'"),
            (Code::NotEmpty, "ENOTEMPTY: directory not empty, open '/a'"),
            (Code::LinkLoop, "ELOOP: too many symbolic links encountered, open '/a'"),
            (Code::NoSpace, "ENOSPC: no space left on device, open '/a'"),
            (Code::Busy, "EBUSY: resource busy or locked, open '/a'"),
            (Code::TooLarge(1), "EFBIG: file too large, open '/a'"),
            (Code::NotText(1), "EILSEQ: illegal byte sequence, open '/a'"),
            (Code::Deadline, "file_read: a sentence"),
            (Code::Io("text".to_owned()), "file_read: a sentence"),
        ] {
            assert_eq!(open.failed(&error(code)), expected);
        }
        let rename = Attempt { operation: "file_move", call: "rename", path: "/a", to: Some("/b") };
        for (code, expected) in [
            (Code::NotFound, "ENOENT: no such file or directory, rename '/a' -> '/b'"),
            (Code::ReadOnly, "EACCES: permission denied, rename '/a' -> '/b'"),
            (Code::Exists, "EEXIST: file already exists, rename '/a'"),
            (Code::NotEmpty, "ENOTEMPTY: directory not empty, rename '/a'"),
        ] {
            assert_eq!(rename.failed(&error(code)), expected);
        }
    }
}
