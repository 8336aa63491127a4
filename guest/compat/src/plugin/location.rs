//! Paths of calls, from the user's root.
//!
//! Operations decode `file:` URLs and the escapes of answers. A path that they would decode is
//! refused: each check here is about the walked names.

use fsgate_contract::path::spelling::{encoded, literal};
use fsgate_text::excerpt::unshown;
use fsgate_text::fold::fold;

/// The suffix of a sidecar.
pub const SIDECAR: &str = ".meta.json";

/// A path from the user's root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginPath {
    path: String,
    /// It can only name a directory.
    is_directory: bool,
}

/// The reason to refuse a path by its spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedPath {
    /// It has a segment `..`.
    Up,
    /// It names a sidecar.
    Sidecar,
    /// It is the user's root.
    Root,
    /// It is a `file:` URL.
    Url,
    /// It has a name with escapes.
    Escape,
}

impl RefusedPath {
    /// The reason as one sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Up => "a segment of the path is `..`",
            Self::Sidecar => "a name that ends in `.meta.json` belongs to another file",
            Self::Root => "the path is the root",
            Self::Url => "the path is a URL; it has to begin in the root",
            Self::Escape => "a name has escapes for other characters; give these characters themselves",
        }
    }
}

impl PluginPath {
    /// A directory's path, possibly the root.
    pub fn new(path: &str) -> Result<Self, RefusedPath> {
        if path.split('/').any(|segment| segment == "..") {
            return Err(RefusedPath::Up);
        }
        let mut names = String::with_capacity(path.len());
        for name in path.split('/').filter(|name| !matches!(*name, "" | ".")) {
            if is_sidecar(name) {
                return Err(RefusedPath::Sidecar);
            }
            if unshown(name).is_some() {
                return Err(RefusedPath::Escape);
            }
            if !names.is_empty() {
                names.push('/');
            }
            names.push_str(name);
        }
        let is_directory = matches!(path.rsplit('/').next(), Some("" | "."));
        let location = Self { path: names, is_directory };
        if is_url(&location.asked()) { Err(RefusedPath::Url) } else { Ok(location) }
    }

    /// A path below the root.
    pub fn below(path: &str) -> Result<Self, RefusedPath> {
        let location = Self::new(path)?;
        if location.path.is_empty() { Err(RefusedPath::Root) } else { Ok(location) }
    }

    /// The path in answers.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The path for an operation, relative to the user's root.
    pub fn asked(&self) -> String {
        match (self.path.as_str(), self.is_directory) {
            ("", _) => ".".to_owned(),
            (path, true) => format!("{path}/"),
            (path, false) => literal(path),
        }
    }

    /// The sidecar's path for an operation.
    pub fn sidecar(&self) -> String {
        sidecar(&literal(&self.path))
    }

    /// A path below it, as in answers.
    pub fn join(&self, below: &str) -> String {
        if self.path.is_empty() { below.to_owned() } else { format!("{}/{below}", self.path) }
    }
}

/// The path of an entry for an operation. Its first name may be `file:`.
pub fn entry(path: &str) -> String {
    if is_url(path) { format!("./{path}") } else { literal(path) }
}

fn is_url(path: &str) -> bool {
    encoded(path) != Ok(None)
}

/// The path of a file's sidecar.
pub fn sidecar(path: &str) -> String {
    format!("{path}{SIDECAR}")
}

/// Whether a name is a sidecar's, or equals one on some file system.
pub fn is_sidecar(name: &str) -> bool {
    fold(name).ends_with(SIDECAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_in_the_root_and_stay_there() {
        for (path, expected) in [
            ("", Ok(("", "."))),
            ("/", Ok(("", "."))),
            ("./", Ok(("", "."))),
            ("docs/a.md", Ok(("docs/a.md", "docs/a.md"))),
            ("///docs//./a.md", Ok(("docs/a.md", "docs/a.md"))),
            ("docs/", Ok(("docs", "docs/"))),
            ("docs/.", Ok(("docs", "docs/"))),
            ("..a/b../...", Ok(("..a/b../...", "..a/b../..."))),
            ("%2e%2e/~/$HOME", Ok(("%2e%2e/~/$HOME", "%2e%2e/~/$HOME"))),
            ("..\\a", Ok(("..\\a", "..\\a"))),
            ("~/a", Ok(("~/a", "./~/a"))),
            ("file:a", Ok(("file:a", "./file:a"))),
            ("d/file:///a", Ok(("d/file:/a", "d/file:/a"))),
            ("a.meta.jsonx", Ok(("a.meta.jsonx", "a.meta.jsonx"))),
            ("meta.json", Ok(("meta.json", "meta.json"))),
            ("..", Err(RefusedPath::Up)),
            ("/..", Err(RefusedPath::Up)),
            ("a/../b", Err(RefusedPath::Up)),
            ("a//..", Err(RefusedPath::Up)),
            ("a.meta.json", Err(RefusedPath::Sidecar)),
            ("a.META.Json", Err(RefusedPath::Sidecar)),
            ("a.meta.j\u{17F}on", Err(RefusedPath::Sidecar)),
            ("a.meta.json.", Err(RefusedPath::Sidecar)),
            (".meta.json", Err(RefusedPath::Sidecar)),
            ("d.meta.json/a", Err(RefusedPath::Sidecar)),
            ("file:///a.txt.meta%2ejson", Err(RefusedPath::Url)),
            ("/file:/a", Err(RefusedPath::Url)),
            ("./FILE:////a", Err(RefusedPath::Url)),
            ("file://localhost/a", Err(RefusedPath::Url)),
            ("file://host/a", Err(RefusedPath::Url)),
            ("file:/", Err(RefusedPath::Url)),
            ("a.txt.meta\\u{2E}json", Err(RefusedPath::Escape)),
            ("d\\u002ex/a", Err(RefusedPath::Escape)),
            ("\\u{2E}./a", Err(RefusedPath::Escape)),
            ("a\\\\b", Err(RefusedPath::Escape)),
            ("d\\new.txt", Err(RefusedPath::Escape)),
        ] {
            let location = PluginPath::new(path);
            let found = location.as_ref().map(|location| (location.path(), location.asked()));
            assert_eq!(
                found,
                expected
                    .map(|(path, asked)| (path, asked.to_owned()))
                    .as_ref()
                    .map(|(path, asked)| (*path, asked.clone())),
                "{path}"
            );
        }
        for path in ["", "/", ".", "//"] {
            assert_eq!(PluginPath::below(path), Err(RefusedPath::Root), "{path}");
        }
        let [root, docs] = ["", "docs/"].map(|path| PluginPath::new(path).unwrap());
        assert_eq!((root.join("a"), docs.join("a")), ("a".to_owned(), "docs/a".to_owned()));
        for (path, expected) in [("file:/a", "./file:/a"), ("~/a", "./~/a"), ("d/a", "d/a")] {
            assert_eq!(entry(path), expected);
        }
        assert_eq!(PluginPath::below("/d/a.txt").unwrap().sidecar(), "d/a.txt.meta.json");
    }
}
