//! Other systems' terms for our error codes.

use fsgate_contract::limits::ERROR_PATH_CHARS;
use fsgate_contract::types::{Code, Error};
use fsgate_text::excerpt::cut;

/// A failure in other systems' terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailureTerms {
    /// Its POSIX name.
    pub errno: &'static str,
    /// The phrase of Node.js.
    pub phrase: &'static str,
    /// Its exception class, if any.
    pub class: Option<&'static str>,
}

/// An invalid argument, as for moving a directory into itself.
pub const INVALID: FailureTerms = FailureTerms { errno: "EINVAL", phrase: "invalid argument", class: None };

/// The terms for a code; none for codes of fsgate alone.
pub fn terms(code: &Code) -> Option<FailureTerms> {
    let of = |errno, phrase| Some(FailureTerms { errno, phrase, class: None });
    let named = |errno, phrase, class| Some(FailureTerms { errno, phrase, class: Some(class) });
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
        Code::CrossDevice => of("EXDEV", "cross-device link not permitted"),
        Code::NameTooLong => of("ENAMETOOLONG", "name too long"),
        Code::TooLarge(_) => of("EFBIG", "file too large"),
        Code::NotText(_) => of("EILSEQ", "illegal byte sequence"),
        _ => None,
    }
}

/// The Node.js call of a command or action.
#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    /// The system's operation, for messages without terms.
    pub operation: &'a str,
    /// The call in Node.js.
    pub call: &'a str,
    /// Its path.
    pub path: &'a str,
    /// The second path of a `rename` or `copyfile`.
    pub to: Option<SecondPath<'a>>,
}

/// The second path of an attempt.
#[derive(Debug, Clone, Copy)]
pub enum SecondPath<'a> {
    /// Shown in every message, as in Node.js.
    Always(&'a str),
    /// Shown with `ENOENT` and `EACCES` only, as in SHAM.
    OfSome(&'a str),
}

impl Attempt<'_> {
    /// A Node.js message: `ENOENT: no such file or directory, open '/a'`. Without terms it has the
    /// operation and our message.
    pub fn failed(&self, error: &Error) -> String {
        match terms(&error.code) {
            Some(terms) => self.failed_as(terms),
            None => format!("{}: {}", self.operation, error.message),
        }
    }

    /// The message for these terms.
    pub fn failed_as(&self, FailureTerms { errno, phrase, .. }: FailureTerms) -> String {
        // Paths may be impossibly long.
        let shown = |path| cut(path, ERROR_PATH_CHARS);
        let to = match self.to {
            Some(SecondPath::Always(to)) => Some(to),
            Some(SecondPath::OfSome(to)) if matches!(errno, "ENOENT" | "EACCES") => Some(to),
            _ => None,
        };
        let to = to.map(|to| format!(" -> '{}'", shown(to))).unwrap_or_default();
        format!("{errno}: {phrase}, {} '{}'{to}", self.call, shown(self.path))
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
            (Code::CrossDevice, "EXDEV: cross-device link not permitted, open '/a'"),
            (Code::NameTooLong, "ENAMETOOLONG: name too long, open '/a'"),
            (Code::TooLarge(1), "EFBIG: file too large, open '/a'"),
            (Code::NotText(1), "EILSEQ: illegal byte sequence, open '/a'"),
            (Code::Deadline, "file_read: a sentence"),
            (Code::Io("text".to_owned()), "file_read: a sentence"),
        ] {
            assert_eq!(open.failed(&error(code)), expected);
        }
        let rename = Attempt { operation: "file_move", call: "rename", path: "/a", to: None };
        for (code, expected, of_some) in [
            (Code::NotFound, "ENOENT: no such file or directory, rename '/a' -> '/b'", true),
            (Code::ReadOnly, "EACCES: permission denied, rename '/a' -> '/b'", true),
            (Code::Exists, "EEXIST: file already exists, rename '/a' -> '/b'", false),
            (Code::NotEmpty, "ENOTEMPTY: directory not empty, rename '/a' -> '/b'", false),
            (Code::IsDirectory, "EISDIR: illegal operation on a directory, rename '/a' -> '/b'", false),
            (Code::NotDirectory, "ENOTDIR: not a directory, rename '/a' -> '/b'", false),
            (Code::LinkLoop, "ELOOP: too many symbolic links encountered, rename '/a' -> '/b'", false),
            (Code::NoSpace, "ENOSPC: no space left on device, rename '/a' -> '/b'", false),
            (Code::TooLarge(1), "EFBIG: file too large, rename '/a' -> '/b'", false),
        ] {
            let sentence = |to| Attempt { to: Some(to), ..rename }.failed(&error(code.clone()));
            assert_eq!(sentence(SecondPath::Always("/b")), expected);
            let shown = if of_some { expected } else { expected.strip_suffix(" -> '/b'").unwrap() };
            assert_eq!(sentence(SecondPath::OfSome("/b")), shown);
        }
    }
}
