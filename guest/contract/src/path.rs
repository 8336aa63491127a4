//! Paths of callers in segments, never interpreted.

use crate::limits::{PATH_BYTES, PATH_SEGMENTS};

pub mod spelling;

/// The error of a path in itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each case has its sentence in `error/paths.rs`")]
pub enum PathProblem {
    Empty,
    Nul,
    Backslash,
    NamesDirectory,
    NotANameHere,
    SlashBehindLink,
    GrantItself,
    HoldsGrant,
    RemoteUrl,
    UndecodableUrl,
    AmbiguousUrl,
}

/// The error of a path without segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathError {
    /// A path that is wrong in itself.
    Invalid(PathProblem),
    /// A path with too many bytes or segments.
    TooLong,
}

/// A caller's path in segments, `..` among them: only a walk knows its meaning.
#[derive(Debug, PartialEq, Eq)]
pub struct Segments<'a> {
    /// It starts at the namespace's root, not at the first grant.
    pub absolute: bool,
    /// It names a directory: it ends in `/`, `/.` or `/..`.
    pub directory_required: bool,
    /// The segments, without empty ones and `.`.
    pub names: Vec<&'a str>,
}

impl<'a> Segments<'a> {
    /// Splits a path.
    pub fn parse(path: &'a str) -> Result<Self, PathError> {
        if path.is_empty() {
            return Err(PathError::Invalid(PathProblem::Empty));
        }
        if path.contains('\0') {
            return Err(PathError::Invalid(PathProblem::Nul));
        }
        if path.len() > PATH_BYTES {
            return Err(PathError::TooLong);
        }
        let names: Vec<_> = path.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        if names.len() > PATH_SEGMENTS {
            return Err(PathError::TooLong);
        }
        let last = path.rsplit('/').next().unwrap_or_default();
        Ok(Self {
            absolute: path.starts_with('/'),
            directory_required: matches!(last, "" | "." | ".."),
            names,
        })
    }
}

/// The segments of a grant's name. `.` and `/` are the namespace's root; `..` cannot lead above it.
pub fn grant_name(name: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for segment in name.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(names.pop()),
            segment => names.push(segment.to_owned()),
        }
    }
    names
}

/// Whether no grant can have this name: at the root, names that begin with `.fsgate` are fsgate's
/// own.
pub fn is_reserved(name: &[String]) -> bool {
    name.first().is_some_and(|first| first.to_ascii_lowercase().starts_with(".fsgate"))
}

/// Segments as an absolute path.
pub fn absolute<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut path = String::new();
    for name in names {
        path.push('/');
        path.push_str(name);
    }
    if path.is_empty() {
        path.push('/');
    }
    path
}

/// The path of a name in a directory.
pub fn join(directory: &str, name: &str) -> String {
    if directory == "/" { format!("/{name}") } else { format!("{directory}/{name}") }
}

/// The path below a requested directory, or its own if `path` is empty. A `file://` URL becomes its
/// path, which a name can continue.
pub fn below(asked: &str, path: &str) -> String {
    if path.is_empty() {
        return asked.to_owned();
    }
    let directory = spelling::decoded(asked).unwrap_or(asked.into());
    format!("{}/{path}", directory.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_below_a_url_is_below_its_path() {
        for (asked, path, expected) in [
            ("d/", "a/b", "d/a/b"),
            ("/", "a", "/a"),
            (".", "a", "./a"),
            ("file:///w%20/", "a%20b", "/w /a%20b"),
            ("file:///w", "", "file:///w"),
        ] {
            assert_eq!(below(asked, path), expected);
        }
    }

    #[test]
    fn splits_without_interpreting() {
        for (path, absolute, directory_required, names) in [
            ("a/b", false, false, vec!["a", "b"]),
            ("/a//./b/", true, true, vec!["a", "b"]),
            (".", false, true, vec![]),
            ("/", true, true, vec![]),
            ("a/..", false, true, vec!["a", ".."]),
            ("a/.", false, true, vec!["a"]),
            ("..foo/a..b/...", false, false, vec!["..foo", "a..b", "..."]),
            ("~/$HOME/%2e%2e", false, false, vec!["~", "$HOME", "%2e%2e"]),
            (" x /-rf", false, false, vec![" x ", "-rf"]),
            ("file:///x", false, false, vec!["file:", "x"]),
            ("..\\x", false, false, vec!["..\\x"]),
            ("a\nb", false, false, vec!["a\nb"]),
        ] {
            assert_eq!(Segments::parse(path), Ok(Segments { absolute, directory_required, names }), "{path}");
        }
    }

    #[test]
    fn refuses_what_no_host_could_open() {
        assert_eq!(Segments::parse(""), Err(PathError::Invalid(PathProblem::Empty)));
        assert_eq!(Segments::parse("a\0b"), Err(PathError::Invalid(PathProblem::Nul)));
        assert_eq!(Segments::parse(&"x".repeat(4097)), Err(PathError::TooLong));
        assert!(Segments::parse(&"x".repeat(4096)).is_ok());
        assert_eq!(Segments::parse(&"a/".repeat(257)), Err(PathError::TooLong));
        assert!(Segments::parse(&"a/".repeat(256)).is_ok());
    }

    #[test]
    fn what_is_fsgates_own_is_no_name_of_a_grant() {
        for name in
            ["/.fsgate", ".fsgate/w", "/x/../.fsgate", "/.FSGATE", "/.fsgate-settings", "/.fsgate-setting/x"]
        {
            assert!(is_reserved(&grant_name(name)), "{name}");
        }
        for name in ["/", "/w/.fsgate", "fsgate", "/.fs/gate"] {
            assert!(!is_reserved(&grant_name(name)), "{name}");
        }
    }

    #[test]
    fn grant_names_are_absolute_and_clean() {
        for (name, path) in
            [("/", "/"), (".", "/"), ("", "/"), ("w", "/w"), ("/a/b/", "/a/b"), ("./w", "/w"), ("../x", "/x")]
        {
            assert_eq!(absolute(grant_name(name).iter().map(String::as_str)), path, "{name}");
        }
    }
}
