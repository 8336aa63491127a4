//! One change as a unified diff for `patch` and git.
//!
//! Such diffs end lines at LF only, so a CR stays in its line.

use std::fmt::Write;

use similar::{Algorithm, DiffOp, capture_diff, group_diff_ops};

use super::escape;
use super::excerpt::is_invisible;
use fsgate_contract::limits::{DIFF_CONTEXT, DIFF_PAIRS};

/// A piece of a file before and after a change. Every part but the file's last ends with a line.
#[derive(Debug, Default)]
pub struct DiffRegion<'a> {
    /// The first line, counted from 1 by LF.
    pub line: u64,
    /// Lines of context before the change.
    pub head: &'a [u8],
    /// The touched lines before the change.
    pub before: &'a [u8],
    /// The touched lines after it.
    pub after: &'a [u8],
    /// Lines of context after the change.
    pub tail: &'a [u8],
}

/// One side's surroundings of a change.
#[derive(Debug, PartialEq, Eq)]
pub struct Context<'a> {
    /// The rest of the line.
    pub line: &'a [u8],
    /// Whole lines.
    pub lines: &'a [u8],
    /// The number of whole lines.
    pub count: u64,
}

/// The context at the end of `head`, if that is long enough.
pub fn context_before(head: &[u8], starts_file: bool) -> Option<Context<'_>> {
    let newlines: Vec<_> = memchr::memrchr_iter(b'\n', head).take(DIFF_CONTEXT + 1).collect();
    let start = match newlines.get(DIFF_CONTEXT) {
        Some(at) => at + 1,
        None if starts_file => 0,
        None => return None,
    };
    let line = newlines.first().map_or(0, |at| at + 1);
    let count = newlines.len().min(DIFF_CONTEXT) as u64;
    Some(Context { line: &head[line..], lines: &head[start..line], count })
}

/// The context at the start of `tail`, if that is long enough.
pub fn context_after(tail: &[u8], ends_file: bool) -> Option<Context<'_>> {
    let newlines: Vec<_> = memchr::memchr_iter(b'\n', tail).take(DIFF_CONTEXT + 1).collect();
    let end = match newlines.get(DIFF_CONTEXT) {
        Some(at) => at + 1,
        None if ends_file => tail.len(),
        None => return None,
    };
    let line = newlines.first().map_or(end, |at| at + 1);
    Some(Context {
        line: &tail[..line],
        lines: &tail[line..end],
        count: newlines.len().saturating_sub(1) as u64,
    })
}

/// The diff of an existing file, and whether it escapes bytes.
pub fn changed(path: &str, region: &DiffRegion) -> (String, bool) {
    whole(&name("a", path), &name("b", path), region).unwrap_or_default()
}

/// The same for a new file.
pub fn created(path: &str, content: &[u8]) -> (String, bool) {
    let region = DiffRegion { line: 1, after: content, ..DiffRegion::default() };
    whole("/dev/null", &name("b", path), &region)
        .unwrap_or_else(|| (empty(path, "new file mode 100644"), false))
}

/// The same for a deleted file.
pub fn deleted(path: &str, content: &[u8]) -> (String, bool) {
    let region = DiffRegion { line: 1, before: content, ..DiffRegion::default() };
    whole(&name("a", path), "/dev/null", &region)
        .unwrap_or_else(|| (empty(path, "deleted file mode 100644"), false))
}

/// The names and the hunks of a region; none without a difference.
fn whole(old: &str, new: &str, region: &DiffRegion) -> Option<(String, bool)> {
    if region.before == region.after {
        return None;
    }
    let mut out = format!("--- {old}\n+++ {new}\n");
    let escaped = hunks(&mut out, region);
    Some((out, escaped))
}

/// The diff of a renamed file: git's lines, then the hunks of `changed`.
pub fn moved(from: &str, to: &str, changed: &str) -> String {
    let bare = |path: &str| untabbed("", path.strip_prefix('/').unwrap_or(path));
    let mut out = format!("{}rename from {}\nrename to {}\n", header(from, to), bare(from), bare(to));
    if let Some(hunks) = changed.find("\n@@ ") {
        let _ = write!(out, "--- {}\n+++ {}{}", name("a", from), name("b", to), &changed[hunks..]);
    }
    out
}

/// The diff of an empty file: git's header and its line about the mode.
pub fn empty(path: &str, mode: &str) -> String {
    format!("{}{mode}\n", header(path, path))
}

fn header(from: &str, to: &str) -> String {
    format!("diff --git {} {}\n", untabbed("a", from), untabbed("b", to))
}

fn untabbed(side: &str, path: &str) -> String {
    name(side, path).trim_end_matches('\t').to_owned()
}

/// A file name as git writes it, quoted if a character would end it. A TAB ends a name with a
/// space, where `patch` would.
pub fn name(side: &str, path: &str) -> String {
    let plain = path.chars().all(|c| !is_invisible(c) && !matches!(c, '"' | '\\'));
    if plain {
        let end = if path.contains(' ') { "\t" } else { "" };
        return format!("{side}{path}{end}");
    }
    let mut out = format!("\"{side}");
    for character in path.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if is_invisible(c) => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(out, "\\{byte:03o}");
                }
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

fn hunks(out: &mut String, region: &DiffRegion) -> bool {
    let (head, tail) = (lines(region.head), lines(region.tail));
    let old = [&head[..], &lines(region.before), &tail].concat();
    let new = [&head[..], &lines(region.after), &tail].concat();
    let groups = group_diff_ops(operations(&old, &new, head.len(), tail.len()), DIFF_CONTEXT);
    let is_damaged = |lines: &[&[u8]]| lines.iter().any(|line| escape::plain(line).is_none());
    let mut operations = groups.iter().flatten();
    let escapes = operations.any(|op| is_damaged(&old[op.old_range()]) || is_damaged(&new[op.new_range()]));
    for group in groups {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let old_range = first.old_range().start..last.old_range().end;
        let new_range = first.new_range().start..last.new_range().end;
        let _ =
            writeln!(out, "@@ -{} +{} @@", range(region.line, &old_range), range(region.line, &new_range));
        for op in group {
            if let DiffOp::Equal { .. } = op {
                put(out, ' ', &old[op.old_range()], escapes);
            } else {
                put(out, '-', &old[op.old_range()], escapes);
                put(out, '+', &new[op.new_range()], escapes);
            }
        }
    }
    escapes
}

/// The operations between two lists of lines. The first `head` and last `tail` lines stay: a diff
/// could let a change slide, and a hunk without lines after it belongs at the file's end.
fn operations(old: &[&[u8]], new: &[&[u8]], head: usize, tail: usize) -> Vec<DiffOp> {
    let (removed, added) = (old.len() - head - tail, new.len() - head - tail);
    let mut operations = vec![DiffOp::Equal { old_index: 0, new_index: 0, len: head }];
    if removed.saturating_mul(added) <= DIFF_PAIRS {
        let (removed, added) = (head..head + removed, head..head + added);
        operations.extend(capture_diff(Algorithm::Myers, old, removed, new, added));
    } else if removed == added {
        operations.extend((head..head + removed).map(|at| compared(at, old[at] == new[at])));
    } else {
        operations.push(DiffOp::Replace {
            old_index: head,
            old_len: removed,
            new_index: head,
            new_len: added,
        });
    }
    operations.push(DiffOp::Equal { old_index: head + removed, new_index: head + added, len: tail });
    joined(operations)
}

/// One line that has the same number on both sides. Replacements within lines keep the numbers.
fn compared(at: usize, is_same: bool) -> DiffOp {
    if is_same {
        DiffOp::Equal { old_index: at, new_index: at, len: 1 }
    } else {
        DiffOp::Replace { old_index: at, old_len: 1, new_index: at, new_len: 1 }
    }
}

/// Merges neighbouring runs of equal and of replaced lines: context is counted by runs.
fn joined(operations: Vec<DiffOp>) -> Vec<DiffOp> {
    let mut out: Vec<DiffOp> = Vec::new();
    for operation in operations {
        match (out.last_mut(), operation) {
            (Some(DiffOp::Equal { len, .. }), DiffOp::Equal { len: more, .. }) => *len += more,
            (
                Some(DiffOp::Replace { old_len, new_len, .. }),
                DiffOp::Replace { old_len: more_old, new_len: more_new, .. },
            ) => {
                *old_len += more_old;
                *new_len += more_new;
            }
            (_, DiffOp::Equal { len: 0, .. }) => {}
            (_, operation) => out.push(operation),
        }
    }
    out
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

/// Writes lines. One undecodable line escapes the bytes of the whole diff.
fn put(out: &mut String, mark: char, lines: &[&[u8]], escapes: bool) {
    for line in lines {
        out.push(mark);
        match escape::plain(line).filter(|_| !escapes) {
            Some(text) => out.push_str(text),
            None => out.push_str(&escape::escaped(line)),
        }
        if !line.ends_with(b"\n") {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_lines_with_few_changes_have_small_hunks() {
        let old: String = (0..3_000).map(|line| format!("{line}\n")).collect();
        let new = old.replace("\n7\n", "\nx\n").replace("\n2500\n2501\n", "\ny\nz\n");
        let region =
            DiffRegion { line: 1, before: old.as_bytes(), after: new.as_bytes(), ..DiffRegion::default() };
        let (diff, _) = changed("/f", &region);
        let hunks = "@@ -5,7 +5,7 @@\n 4\n 5\n 6\n-7\n+x\n 8\n 9\n 10\n\
                     @@ -2498,8 +2498,8 @@\n 2497\n 2498\n 2499\n-2500\n-2501\n+y\n+z\n 2502\n 2503\n 2504\n";
        assert_eq!(diff, format!("--- a/f\n+++ b/f\n{hunks}"));
    }

    #[test]
    fn draws_a_change_with_its_context() {
        for (line, head, before, after, tail, expected) in [
            (1, "a\n", "b\n", "B\n", "c\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"),
            (40, "", "a\n", "a\nb\n", "", "@@ -40 +40,2 @@\n a\n+b\n"),
            (9, "}\n}\n}\n", "}\n", "", "}\n}\n}\n", "@@ -9,7 +9,6 @@\n }\n }\n }\n-}\n }\n }\n }\n"),
            (
                1,
                "",
                "a",
                "b",
                "",
                "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
            ),
            (1, "a\r\n", "b\rc\n", "x\rc\n", "", "@@ -1,2 +1,2 @@\n a\r\n-b\rc\n+x\rc\n"),
            (1, "", "a\n", "", "", "@@ -1 +0,0 @@\n-a\n"),
        ] {
            let [head, before, after, tail] = [head, before, after, tail].map(str::as_bytes);
            let region = DiffRegion { line, head, before, after, tail };
            let (diff, escaped) = changed("/w/f", &region);
            assert_eq!(diff, format!("--- a/w/f\n+++ b/w/f\n{expected}"));
            assert!(!escaped);
        }
    }

    #[test]
    fn a_new_file_comes_from_nowhere() {
        assert_eq!(created("/w/f", b"x\n").0, "--- /dev/null\n+++ b/w/f\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(created("/w/f", b"").0, "diff --git a/w/f b/w/f\nnew file mode 100644\n");
        assert_eq!(deleted("/w/f g", b"").0, "diff --git a/w/f g b/w/f g\ndeleted file mode 100644\n");
    }

    #[test]
    fn names_cannot_forge_a_header() {
        assert_eq!(name("a", "/w/x\n+++ b/etc"), "\"a/w/x\\n+++ b/etc\"");
        assert_eq!(name("a", "/w/\u{85}"), "\"a/w/\\302\\205\"");
        assert_eq!(name("a", "/w/a b"), "a/w/a b\t");
    }

    #[test]
    fn very_long_changes_stay_cheap() {
        let before: String = (0..30_000).map(|n| format!("{n}\n")).collect();
        let after: String = (0..30_000).map(|n| format!("{}\n", n + 50_000)).collect();
        let region = DiffRegion {
            line: 1,
            before: before.as_bytes(),
            after: after.as_bytes(),
            ..DiffRegion::default()
        };
        let (diff, _) = changed("/w/f", &region);
        assert_eq!(diff.lines().count(), 3 + 60_000);
    }

    #[test]
    fn context_ends_at_line_ends() {
        let context = |line, lines, count| Some(Context { line, lines, count });
        assert_eq!(context_before(b"1\n2\n3\n4\n5\nab", false), context(b"ab", b"3\n4\n5\n", 3));
        assert_eq!(context_before(b"1\nab", true), context(b"ab", b"1\n", 1));
        assert_eq!(context_before(b"1\nab", false), None);
        assert_eq!(context_after(b"yz\n1\n2\n3\n4\n", false), context(b"yz\n", b"1\n2\n3\n", 3));
        assert_eq!(context_after(b"yz", true), context(b"yz", b"", 0));
        assert_eq!(context_after(b"yz", false), None);
    }
}
