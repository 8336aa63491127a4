//! Paths as shells, browsers and other systems spell them, without files.
//!
//! A path is literal; only a `file:///` URL is decoded. Other spellings matter twice: no tool
//! creates a directory called `~`, and an error names the intended path.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::PathProblem;

/// The path of a `file:` URL (RFC 8089); any other path unchanged.
pub fn decoded(path: &str) -> Result<Cow<'_, str>, PathProblem> {
    let Some(encoded) = encoded(path)? else { return Ok(Cow::Borrowed(path)) };
    let path = without_fragment(encoded, &['#', '?'])?;
    percent_decode_str(path).decode_utf8().map_err(|_| PathProblem::UndecodableUrl)
}

/// The path in a URL, without a line (`#L3`) after its last name, and a query (`?x=1`) after an
/// extension. One of `marks` begins either. Pasted URLs often lack encoding, so any other mark
/// belongs to a name, as in `/w/C#/main.cs`. A name such as `a.md#b` is refused as ambiguous.
pub fn without_fragment<'a>(path: &'a str, marks: &[char]) -> Result<&'a str, PathProblem> {
    let last = path.rfind('/').map_or(0, |slash| slash + 1);
    let Some((name, rest)) = path[last..].find(marks).map(|at| path[last..].split_at(at)) else {
        return Ok(path);
    };
    let is_line = rest.strip_prefix("#L").is_some_and(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let has_extension = name.rfind('.').is_some_and(|dot| dot > 0);
    let is_query = has_extension && rest.starts_with('?') && rest.contains('=');
    if !name.is_empty() && (is_line || is_query) {
        return Ok(&path[..last + name.len()]);
    }
    if has_extension && rest.len() > 1 { Err(PathProblem::AmbiguousUrl) } else { Ok(path) }
}

/// The undecoded path of a `file:` URL of this machine; none for another path.
pub fn encoded(path: &str) -> Result<Option<&str>, PathProblem> {
    let Some(rest) = after(path, "file:").filter(|rest| rest.starts_with('/')) else { return Ok(None) };
    let rest = rest.strip_prefix("//").map_or(rest, |rest| after(rest, "localhost").unwrap_or(rest));
    if rest.starts_with('/') { Ok(Some(rest)) } else { Err(PathProblem::RemoteUrl) }
}

fn after<'a>(path: &'a str, start: &str) -> Option<&'a str> {
    let (begin, rest) = path.split_at_checked(start.len())?;
    begin.eq_ignore_ascii_case(start).then_some(rest)
}

/// A beginning that a shell or other system does not take literally.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beginning {
    /// `~` or `~name`: a home directory.
    Home,
    /// `$NAME`, `${NAME}` or `%NAME%`: a variable.
    Variable,
    /// `C:` or `\\server`: a path of Windows.
    Windows,
    /// A path in quotes.
    Quotes,
    /// `https://` and the like, or `file:` with a relative path.
    Url,
}

const QUOTES: [(char, char); 9] = [
    ('"', '"'),
    ('\'', '\''),
    ('`', '`'),
    ('“', '”'),
    ('„', '“'),
    ('‘', '’'),
    ('‚', '‘'),
    ('«', '»'),
    ('‹', '›'),
];

/// A path's nonliteral beginning, and the rest, which may be empty.
pub fn beginning(path: &str) -> Option<(Beginning, Cow<'_, str>)> {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let rest = rest.trim_start_matches('/');
    if let Some(inner) = unquoted(path) {
        return Some((Beginning::Quotes, Cow::Borrowed(inner)));
    }
    if let Some(meant) = after(path, "file:").filter(|meant| !meant.starts_with('/')) {
        let meant = percent_decode_str(meant).decode_utf8().unwrap_or(Cow::Borrowed(meant));
        return Some((Beginning::Url, meant));
    }
    if is_url(path) {
        return Some((Beginning::Url, Cow::Borrowed("")));
    }
    let bytes = first.as_bytes();
    let drive = bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    if first.starts_with("\\\\") || drive && matches!(bytes.get(2), None | Some(b'\\')) {
        let last = path.rsplit(['/', '\\', ':']).next().unwrap_or_default();
        return Some((Beginning::Windows, Cow::Borrowed(last)));
    }
    if first.strip_prefix('~').is_some_and(|user| user.is_empty() || is_word(user, "-.")) {
        return Some((Beginning::Home, Cow::Borrowed(rest)));
    }
    let (first, below) = first.split_once('\\').map_or((first, None), |(first, below)| (first, Some(below)));
    let inner = |open: &str, close: &str| first.strip_prefix(open)?.strip_suffix(close);
    let name = inner("${", "}").or_else(|| inner("%", "%")).or_else(|| inner("$", ""));
    if !name.is_some_and(|name| is_word(name, "")) {
        return None;
    }
    let rest = below.map_or(Cow::Borrowed(rest), |_| {
        let below = path.split_once('\\').map_or("", |(_, below)| below);
        Cow::Owned(below.replace('\\', "/"))
    });
    Some((Beginning::Variable, rest))
}

fn unquoted(text: &str) -> Option<&str> {
    QUOTES.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close))
}

/// Whether it is `scheme://…`, but no path of this machine.
fn is_url(path: &str) -> bool {
    let Some((scheme, _)) = path.split_once("://") else { return false };
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let starts = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    starts && scheme.len() > 1 && scheme.chars().all(is_scheme) && !scheme.eq_ignore_ascii_case("file")
}

/// The same path for a system that takes it literally.
pub fn literal(path: &str) -> String {
    if beginning(path).is_some() { format!("./{path}") } else { path.to_owned() }
}

/// Whether a shell takes it for a name: a letter or `_`, then letters, digits and `more`.
fn is_word(name: &str, more: &str) -> bool {
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_first) && name.chars().all(|c| is_first(c) || c.is_ascii_digit() || more.contains(c))
}

/// The path in a directory whose last names it repeats: `project/src` or `home/project/src` for
/// `src` in `/home/project`. An absolute path may repeat them after the directory. Case does not
/// matter.
pub fn below_own_name(directory: &str, path: &str) -> Option<String> {
    let names = directory.strip_prefix('/').filter(|names| !names.is_empty())?;
    let path = if path.starts_with('/') { path.strip_prefix(directory)?.strip_prefix('/')? } else { path };
    let path = path.strip_prefix("./").unwrap_or(path);
    let mut begins = std::iter::once(0).chain(names.match_indices('/').map(|(slash, _)| slash + 1));
    begins.find_map(|begin| {
        let (repeated, rest) = path.split_at_checked(names.len() - begin)?;
        let is_it =
            repeated.eq_ignore_ascii_case(&names[begin..]) && (rest.is_empty() || rest.starts_with('/'));
        is_it.then(|| format!("{directory}{rest}"))
    })
}

/// Whether a shell expands it: `*`, `?`, `[` or alternatives in braces.
pub fn has_wildcards(path: &str) -> bool {
    let mut groups = path.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    path.contains(['*', '?', '[']) || groups.any(|(group, _)| group.contains(','))
}

/// Other likely meanings of a missing path, the best first.
pub fn respelled(path: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut add = |other: &str| {
        if !other.is_empty() && other != path && !all.iter().any(|known| known == other) {
            all.push(other.to_owned());
        }
    };
    if let Some((_, rest)) = beginning(path.trim()) {
        add(&rest);
    }
    add(path.trim());
    add(without_position(path.trim()));
    add(&path.replace('\\', "/"));
    if let Ok(decoded) = percent_decode_str(path).decode_utf8() {
        add(&decoded);
    }
    all
}

/// A path without a position: `a.rs:12`, `a.rs:12:5`, `a.rs:12-20`, `a.rs#L12`.
fn without_position(path: &str) -> &str {
    if let Some((before, _)) = path.rsplit_once("#L") {
        return before;
    }
    let is_position = |c: char| c.is_ascii_digit() || matches!(c, ':' | '-' | ',');
    let before = path.trim_end_matches(is_position);
    // The position begins with the first colon cut off.
    let behind = &path[before.len()..];
    behind.find(':').map_or(path, |colon| &path[..before.len() + colon])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_url_of_this_machine_is_decoded() {
        for (path, expected) in [
            ("file:///w/a.txt", Ok("/w/a.txt")),
            ("file:/w/a.txt", Ok("/w/a.txt")),
            ("file:///w/a.txt#L3", Ok("/w/a.txt")),
            ("file:///w/a%3F.txt?x=1#y", Ok("/w/a?.txt")),
            ("file:///w/Makefile#L3-L9", Ok("/w/Makefile")),
            // Names with these characters.
            ("file:///w/C#/main.cs", Ok("/w/C#/main.cs")),
            ("file:///w/x?y=1/m", Ok("/w/x?y=1/m")),
            ("file:///w/a.d#L3/", Ok("/w/a.d#L3/")),
            ("file:///w/C#", Ok("/w/C#")),
            ("file:///w/x?y=1", Ok("/w/x?y=1")),
            ("file:///w/#a.txt#", Ok("/w/#a.txt#")),
            ("file:///w/.a#b", Ok("/w/.a#b")),
            ("file:///w/why?.md", Ok("/w/why?.md")),
            ("file:///w/a#Lb.txt", Ok("/w/a#Lb.txt")),
            ("file:///w/a.txt?", Ok("/w/a.txt?")),
            ("file:///w/a.md#b", Err(PathProblem::AmbiguousUrl)),
            ("file:///w/a.b?c.txt", Err(PathProblem::AmbiguousUrl)),
            ("file:///w/a.md%23b", Ok("/w/a.md#b")),
            ("/w/a.md#b", Ok("/w/a.md#b")),
            ("file:a.txt", Ok("file:a.txt")),
            ("FILE:///w/dir%20x/%C3%A9", Ok("/w/dir x/é")),
            ("file://localhost/w", Ok("/w")),
            ("file:///", Ok("/")),
            ("dir%20x", Ok("dir%20x")),
            ("file://LocalHost/w", Ok("/w")),
            ("file://host/w", Err(PathProblem::RemoteUrl)),
            ("file://", Err(PathProblem::RemoteUrl)),
            ("file:///%FF", Err(PathProblem::UndecodableUrl)),
        ] {
            assert_eq!(decoded(path).as_deref(), expected.as_ref().map(|path| &**path), "{path}");
        }
    }

    #[test]
    fn a_beginning_is_what_shells_expand() {
        use Beginning::{Home, Quotes, Url, Variable, Windows};
        for (path, expected) in [
            ("~", Some((Home, ""))),
            ("~/notes.md", Some((Home, "notes.md"))),
            ("~//a/b", Some((Home, "a/b"))),
            ("~root/x", Some((Home, "x"))),
            ("$HOME/a/b", Some((Variable, "a/b"))),
            ("${PWD}", Some((Variable, ""))),
            ("%APPDATA%\\x\\y", Some((Variable, "x/y"))),
            ("C:\\Users\\me\\x.txt", Some((Windows, "x.txt"))),
            ("c:/x/y", Some((Windows, "y"))),
            ("c://x", Some((Windows, "x"))),
            ("\\\\server\\share\\z", Some((Windows, "z"))),
            ("\"src/q.txt\"", Some((Quotes, "src/q.txt"))),
            ("`a`", Some((Quotes, "a"))),
            ("“a b.txt”", Some((Quotes, "a b.txt"))),
            ("„a“", Some((Quotes, "a"))),
            ("‘a’", Some((Quotes, "a"))),
            ("«a»", Some((Quotes, "a"))),
            ("file:c.txt", Some((Url, "c.txt"))),
            ("FILE:c%20d.txt", Some((Url, "c d.txt"))),
            ("file:%FF", Some((Url, "%FF"))),
            ("https://x.org/a.txt", Some((Url, ""))),
            ("git+ssh://x", Some((Url, ""))),
            // Ordinary names, and every name behind `./`.
            ("~$letter.docx", None),
            ("a~", None),
            ("~1", None),
            ("$x.txt", None),
            ("$RECYCLE.BIN", None),
            ("%20", None),
            ("C:x", None),
            ("CC:\\x", None),
            ("'a", None),
            ("“a", None),
            ("“a”.txt", None),
            ("profile:a", None),
            ("file", None),
            ("file:/w/a", None),
            ("file:///w/a", None),
            ("http:x", None),
            ("a/http://x", None),
            ("1a://x", None),
            ("'", None),
            ("./~/notes.md", None),
            ("a/$HOME", None),
            ("src\\b.txt", None),
            (" x ", None),
            ("", None),
        ] {
            let expected = expected.map(|(kind, rest)| (kind, rest.to_owned()));
            assert_eq!(beginning(path).map(|(kind, rest)| (kind, rest.into_owned())), expected, "{path}");
        }
    }

    #[test]
    fn the_name_of_a_directory_may_come_once_more() {
        for (directory, path, expected) in [
            ("/home/project", "project/src", Some("/home/project/src")),
            ("/home/project", "project", Some("/home/project")),
            ("/home/project", "projects/src", None),
            ("/home/project", "home/project/a", Some("/home/project/a")),
            ("/home/me/project", "me/project/a", Some("/home/me/project/a")),
            ("/home/project", "./Project/a", Some("/home/project/a")),
            ("/home/project", "/home/project/project/a", Some("/home/project/a")),
            ("/home/project", "/home/project/a", None),
            ("/home/project", "/home/other/project/a", None),
            ("/home/project", "home/a", None),
            ("/", "src", None),
        ] {
            assert_eq!(below_own_name(directory, path).as_deref(), expected, "{directory} {path}");
        }
    }

    #[test]
    fn a_shell_expands_braces_with_a_comma_only() {
        for (path, expected) in [
            ("*.rs", true),
            ("a?", true),
            ("[ab].rs", true),
            ("src/{a,b}.rs", true),
            ("{a}/{b,c}", true),
            ("{id}.tsx", false),
            ("a,b}", false),
            ("{a},b", false),
            ("plain", false),
        ] {
            assert_eq!(has_wildcards(path), expected, "{path}");
        }
    }

    #[test]
    fn other_spellings_are_offered() {
        for (path, expected) in [
            ("~/a.txt", &["a.txt"][..]),
            ("C:\\p\\a.txt", &["a.txt", "C:/p/a.txt"]),
            (" a.txt\n", &["a.txt"]),
            ("“a.txt”\n", &["a.txt", "“a.txt”"]),
            ("file:c%20d.txt", &["c d.txt", "file:c d.txt"]),
            ("a.txt:12", &["a.txt"]),
            ("a.rs:12:5", &["a.rs"]),
            ("a.rs:3-7", &["a.rs"]),
            ("a.rs#L12", &["a.rs"]),
            ("src\\b.txt", &["src/b.txt"]),
            ("dir%20x\\f", &["dir%20x/f", "dir x\\f"]),
            ("a-1", &[]),
            ("2026-11-28", &[]),
            ("plain", &[]),
        ] {
            assert_eq!(respelled(path), expected, "{path}");
        }
    }
}
