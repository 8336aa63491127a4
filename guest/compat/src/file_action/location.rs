//! Paths of actions, below the project's directory.

use fsgate_contract::path::spelling::encoded;

/// The reason to refuse a path by its spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathOutside {
    /// It begins with `/`, or is a `file:` URL.
    Absolute,
    /// It has a backslash, which is a separator elsewhere.
    Backslash,
    /// It has a segment `..`.
    Up,
}

impl PathOutside {
    /// The reason as one sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Absolute => "the path is absolute; it has to begin in the project's directory",
            Self::Backslash => "the path has a backslash; names are separated by `/`",
            Self::Up => "a segment of the path is `..`",
        }
    }
}

/// The path without redundant separators. Walking checks links.
pub fn relative(path: &str) -> Result<String, PathOutside> {
    if path.contains('\\') {
        return Err(PathOutside::Backslash);
    }
    if path.split('/').any(|segment| segment == "..") {
        return Err(PathOutside::Up);
    }
    if path.starts_with('/') {
        return Err(PathOutside::Absolute);
    }
    let mut out = String::with_capacity(path.len());
    for piece in path.split_inclusive('/').filter(|piece| *piece != "/") {
        out.push_str(piece);
    }
    // Operations decode a URL.
    if encoded(&out) == Ok(None) { Ok(out) } else { Err(PathOutside::Absolute) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside_as_they_are_written() {
        for (path, expected) in [
            ("docs/a.md", Ok("docs/a.md")),
            ("docs//ai///a.md", Ok("docs/ai/a.md")),
            ("./a.md", Ok("./a.md")),
            ("a//", Ok("a/")),
            ("", Ok("")),
            ("..a/b../...", Ok("..a/b../...")),
            ("%2e%2e/~/$HOME", Ok("%2e%2e/~/$HOME")),
            ("..", Err(PathOutside::Up)),
            ("a/../b", Err(PathOutside::Up)),
            ("a//..", Err(PathOutside::Up)),
            ("/a/../b", Err(PathOutside::Up)),
            ("/a", Err(PathOutside::Absolute)),
            ("//a", Err(PathOutside::Absolute)),
            ("file:///a", Err(PathOutside::Absolute)),
            ("File:/a%5Cb", Err(PathOutside::Absolute)),
            ("file://host/a", Err(PathOutside::Absolute)),
            ("file:a", Ok("file:a")),
            ("./file:/a", Ok("./file:/a")),
            ("..\\a", Err(PathOutside::Backslash)),
            ("C:\\a", Err(PathOutside::Backslash)),
        ] {
            assert_eq!(relative(path).as_deref(), expected.as_ref().map(|path| &**path), "{path}");
        }
    }
}
