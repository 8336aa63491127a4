//! File names in a diff's headers.

use super::PatchPath;

/// The missing side of a created or deleted file.
pub(super) const NOTHING: &str = "/dev/null";

/// A name, C-quoted or not, and the rest. An unquoted name ends at a TAB, perhaps before a time.
/// None if quoted wrongly.
pub fn name(text: &str) -> Option<(String, &str)> {
    match text.strip_prefix('"') {
        Some(quoted) => unquoted(quoted),
        None => {
            let (name, rest) = text.split_once('\t').unwrap_or((text, ""));
            Some((name.to_owned(), rest))
        }
    }
}

pub(super) fn only_name(text: &str) -> Option<String> {
    match text.strip_prefix('"') {
        Some(quoted) => unquoted(quoted).filter(|(_, rest)| rest.is_empty()).map(|(name, _)| name),
        None => Some(text.to_owned()),
    }
}

fn unquoted(text: &str) -> Option<(String, &str)> {
    let (mut out, mut bytes) = (Vec::new(), text.bytes().enumerate());
    loop {
        match bytes.next()? {
            (at, b'"') => return Some((String::from_utf8(out).ok()?, &text[at + 1..])),
            (_, b'\\') => out.push(match bytes.next()?.1 {
                b'a' => 7,
                b'b' => 8,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 11,
                b'f' => 12,
                b'r' => b'\r',
                plain @ (b'"' | b'\\') => plain,
                first @ b'0'..=b'3' => {
                    let mut digit =
                        || bytes.next().map(|(_, byte)| byte).filter(|byte| matches!(byte, b'0'..=b'7'));
                    let (second, third) = (digit()?, digit()?);
                    (first - b'0') << 6 | (second - b'0') << 3 | (third - b'0')
                }
                _ => return None,
            }),
            (_, byte) => out.push(byte),
        }
    }
}

/// The names in a `diff --git` line, if only prefixes differ: no other line need name the file.
pub(super) fn of_git_line(text: &str) -> Option<Sides> {
    if text.starts_with('"') {
        let (old, rest) = name(text)?;
        return same(&old, &only_name(rest.strip_prefix(' ')?)?);
    }
    if let Some(at) = text.find(" \"").filter(|_| text.ends_with('"')) {
        return same(&text[..at], &only_name(&text[at + 1..])?);
    }
    // A name may hold spaces: the middle separates equal names.
    let middle = text.len() / 2;
    if text.as_bytes().get(middle) == Some(&b' ') { same(&text[..middle], &text[middle + 1..]) } else { None }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sides {
    pub(super) name: PatchPath,
    /// The prefixes: `a/` and `b/`, others, or none.
    old: String,
    new: String,
}

impl Sides {
    pub(super) fn old_of(&self, name: &str) -> PatchPath {
        bare(name, &self.old)
    }

    pub(super) fn new_of(&self, name: &str) -> PatchPath {
        bare(name, &self.new)
    }
}

fn bare(name: &str, prefix: &str) -> PatchPath {
    match name.strip_prefix(prefix).filter(|_| !prefix.is_empty()) {
        Some(name) => PatchPath { text: name.to_owned(), is_bare: true },
        None => PatchPath::whole(name),
    }
}

/// Both names if they are equal or differ in the first segment only.
pub(super) fn same(old: &str, new: &str) -> Option<Sides> {
    if old == new {
        let name = PatchPath::whole(new);
        return Some(Sides { name, old: String::new(), new: String::new() }).filter(|_| !new.is_empty());
    }
    let ((before, one), (after, other)) = (old.split_once('/')?, new.split_once('/')?);
    let is_one = one == other && !one.is_empty() && !before.is_empty() && !after.is_empty();
    is_one.then(|| Sides {
        name: PatchPath { text: one.to_owned(), is_bare: true },
        old: format!("{before}/"),
        new: format!("{after}/"),
    })
}

pub(super) fn usual() -> Sides {
    Sides { name: PatchPath::whole(""), old: "a/".to_owned(), new: "b/".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_git_writes_them() {
        for (text, expected) in [
            ("a/x", Some(("a/x", ""))),
            ("a/x y\t", Some(("a/x y", ""))),
            ("a/x\t2020-01-01 00:00:00", Some(("a/x", "2020-01-01 00:00:00"))),
            (r#""a/\303\244\t\"\\\n""#, Some(("a/ä\t\"\\\n", ""))),
            (r#""a/x" "b/x""#, Some(("a/x", r#" "b/x""#))),
            (r#""a/\303""#, None),
            (r#""a/\400""#, None),
            (r#""a/\08""#, None),
            (r#""a/\q""#, None),
            (r#""a/x"#, None),
            (r#""a/\"#, None),
        ] {
            let read = name(text);
            let read = read.as_ref().map(|(name, rest)| (&name[..], *rest));
            assert_eq!(read, expected, "{text}");
        }
        assert_eq!(only_name(r#""x" y"#), None);
        assert_eq!(only_name("x\ty").as_deref(), Some("x\ty"));
    }

    #[test]
    fn a_line_of_git_names_one_file_twice() {
        for (text, expected) in [
            ("a/x b/x", Some(("x", true))),
            ("a/x y b/x y", Some(("x y", true))),
            ("a/b b/b b/b b/b", Some(("b b/b", true))),
            ("i/x w/x", Some(("x", true))),
            ("x x", Some(("x", false))),
            ("d/x d/x", Some(("d/x", false))),
            (r#""a/\303\244" "b/\303\244""#, Some(("ä", true))),
            (r#"a/x "b/x""#, Some(("x", true))),
            ("a/x b/y", None),
            ("a/ b/", None),
            ("x", None),
            ("", None),
        ] {
            let read = of_git_line(text).map(|sides| sides.name);
            assert_eq!(read.as_ref().map(|name| (&name.text[..], name.is_bare)), expected, "{text}");
        }
    }
}
