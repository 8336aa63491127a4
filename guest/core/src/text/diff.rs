//! One change drawn as a unified diff, as `patch` and git read it.
//!
//! Such diffs know only LF as a line end, so lines are cut at LF here, and a CR stays where it is.

use std::fmt::Write;

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

use super::excerpt::escaped;
use crate::limits::{DIFF_CONTEXT, DIFF_PAIRS};

/// A piece of a file before and after a change. Both begin at the beginning of the same line and go to the end
/// of a line.
#[derive(Debug)]
pub struct Region<'a> {
    /// Number of the first line, counted from 1, lines ended by LF only.
    pub line: u64,
    /// The piece before.
    pub before: &'a [u8],
    /// The piece after.
    pub after: &'a [u8],
}

/// The diff of an existing file, and whether bytes that are no text are escaped in it.
pub fn changed(path: &str, region: &Region) -> (String, bool) {
    let mut out = String::new();
    let _ = writeln!(out, "--- {}\n+++ {}", name("a", path), name("b", path));
    let escaped = hunks(&mut out, region);
    (out, escaped)
}

/// The diff of a new file.
pub fn created(path: &str, content: &[u8]) -> (String, bool) {
    let mut out = String::new();
    let _ = writeln!(out, "--- /dev/null\n+++ {}", name("b", path));
    let escaped = hunks(&mut out, &Region { line: 1, before: b"", after: content });
    (out, escaped)
}

/// A file's name as git writes it: quoted if it has a character that would end the line or the name.
fn name(side: &str, path: &str) -> String {
    let plain = path.chars().all(|c| !c.is_control() && !matches!(c, '"' | '\\'));
    if plain {
        return format!("{side}{path}");
    }
    let mut out = format!("\"{side}");
    for character in path.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\{:03o}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

fn hunks(out: &mut String, region: &Region) -> bool {
    let (old, new) = (lines(region.before), lines(region.after));
    let mut escaped = false;
    for group in group_diff_ops(operations(&old, &new), DIFF_CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let old_range = first.old_range().start..last.old_range().end;
        let new_range = first.new_range().start..last.new_range().end;
        let _ =
            writeln!(out, "@@ -{} +{} @@", range(region.line, &old_range), range(region.line, &new_range));
        for op in group {
            if let DiffOp::Equal { .. } = op {
                escaped |= put(out, ' ', &old[op.old_range()]);
            } else {
                escaped |= put(out, '-', &old[op.old_range()]);
                escaped |= put(out, '+', &new[op.new_range()]);
            }
        }
    }
    escaped
}

/// The lines that both sides share at the ends are never looked at twice, and the search between them is bounded.
fn operations(old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let end = old[start..].iter().rev().zip(new[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (removed, added) = (old.len() - start - end, new.len() - start - end);
    if removed.saturating_mul(added) <= DIFF_PAIRS {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    vec![
        DiffOp::Equal { old_index: 0, new_index: 0, len: start },
        DiffOp::Replace { old_index: start, old_len: removed, new_index: start, new_len: added },
        DiffOp::Equal { old_index: start + removed, new_index: start + added, len: end },
    ]
}

/// `line,count`, where an empty range names the line before it.
fn range(first: u64, lines: &std::ops::Range<usize>) -> String {
    let start = first + lines.start as u64;
    match lines.len() {
        0 => format!("{},0", start - 1),
        1 => start.to_string(),
        count => format!("{start},{count}"),
    }
}

fn put(out: &mut String, mark: char, lines: &[&[u8]]) -> bool {
    let mut any = false;
    for line in lines {
        let (text, was_escaped) = escaped(line);
        any |= was_escaped;
        out.push(mark);
        out.push_str(&text);
        if !line.ends_with(b"\n") {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_a_change_with_its_context() {
        for (line, before, after, expected) in [
            (1, "a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"),
            (40, "a\n", "a\nb\n", "@@ -40 +40,2 @@\n a\n+b\n"),
            (
                1,
                "a",
                "b",
                "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
            ),
            (1, "a\r\nb\rc\n", "a\r\nx\rc\n", "@@ -1,2 +1,2 @@\n a\r\n-b\rc\n+x\rc\n"),
            (1, "a\n", "", "@@ -1 +0,0 @@\n-a\n"),
        ] {
            let region = Region { line, before: before.as_bytes(), after: after.as_bytes() };
            let (diff, escaped) = changed("/w/f", &region);
            assert_eq!(diff, format!("--- a/w/f\n+++ b/w/f\n{expected}"));
            assert!(!escaped);
        }
    }

    #[test]
    fn a_new_file_comes_from_nowhere() {
        assert_eq!(created("/w/f", b"x\n").0, "--- /dev/null\n+++ b/w/f\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(created("/w/f", b"").0, "--- /dev/null\n+++ b/w/f\n");
    }

    #[test]
    fn names_cannot_forge_a_header() {
        assert_eq!(name("a", "/w/x\n+++ b/etc"), "\"a/w/x\\n+++ b/etc\"");
    }

    #[test]
    fn very_long_changes_stay_cheap() {
        let before: String = (0..30_000).map(|n| format!("{n}\n")).collect();
        let after: String = (0..30_000).map(|n| format!("{}\n", n + 50_000)).collect();
        let region = Region { line: 1, before: before.as_bytes(), after: after.as_bytes() };
        let (diff, _) = changed("/w/f", &region);
        assert_eq!(diff.lines().count(), 3 + 60_000);
    }
}
