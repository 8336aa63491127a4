//! Diffs from the current directory, for `git apply` and `patch -p1`.

use fsgate_text::diff::{empty, moved, name};
use fsgate_text::patch::header_name;
use fsgate_text::patch::hunk::HunkHeader;

use crate::display_paths::below;
use crate::environment::PathContext;

/// A line of a diff that names files.
enum DiffHead {
    /// `--- a/…` or `+++ b/…`: mark, prefix and path.
    Side(&'static str, &'static str, String),
    /// `diff --git` with its two `rename` lines: both paths.
    Renamed(String, String),
    /// `diff --git` with an empty file's mode line: path and line.
    Empty(String, String),
    Other,
}

/// The diffs of one answer, relative to the current directory, or to a grant around all paths: one
/// program applies them.
pub(crate) fn relative(diffs: &[&str], places: &PathContext) -> Vec<String> {
    let of_each: Vec<_> = diffs.iter().map(|diff| heads(diff)).collect();
    let paths = of_each.iter().flatten().flat_map(|(_, head)| match head {
        DiffHead::Side(_, _, path) => vec![path.as_str()],
        DiffHead::Renamed(from, to) => vec![from.as_str(), to.as_str()],
        DiffHead::Empty(path, _) => vec![path.as_str()],
        DiffHead::Other => Vec::new(),
    });
    let Some(root) = places.root_of(&paths) else {
        return diffs.iter().map(|diff| (*diff).to_owned()).collect();
    };
    let short = |path: &str| format!("/{}", below(root, path).unwrap_or(path));
    let line = |(text, head): &(&str, DiffHead)| match head {
        DiffHead::Side(mark, side, path) => format!("{mark}{}\n", name(side, &short(path))),
        DiffHead::Renamed(from, to) => moved(&short(from), &short(to), ""),
        DiffHead::Empty(path, mode) => empty(&short(path), mode),
        DiffHead::Other => (*text).to_owned(),
    };
    of_each.iter().map(|heads| heads.iter().map(line).collect()).collect()
}

fn heads(diff: &str) -> Vec<(&str, DiffHead)> {
    let mut heads = Vec::new();
    let mut rest = diff;
    let (mut old, mut new) = (0_u64, 0_u64);
    while !rest.is_empty() {
        let (line, after) = split(rest);
        let mut head = DiffHead::Other;
        let mut end = after;
        if old + new > 0 {
            match line.as_bytes().first() {
                Some(b'-') => old = old.saturating_sub(1),
                Some(b'+') => new = new.saturating_sub(1),
                Some(b' ') => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
                _ => {}
            }
        } else if let Some(header) = HunkHeader::parse(line) {
            (old, new) = (header.old, header.new);
        } else if let Some(path) = line.strip_prefix("--- ").and_then(|name| path(name, "a/")) {
            head = DiffHead::Side("--- ", "a", path);
        } else if let Some(path) = line.strip_prefix("+++ ").and_then(|name| path(name, "b/")) {
            head = DiffHead::Side("+++ ", "b", path);
        } else if let Some(names) = line.strip_prefix("diff --git ") {
            let (from, behind_first) = split(after);
            let (to, behind) = split(behind_first);
            let is_mode = ["new file mode ", "deleted file mode "].iter().any(|mode| from.starts_with(mode));
            // Both names are one path.
            if is_mode && let Some(path) = names.get(..names.len() / 2).and_then(|name| path(name, "a/")) {
                head = DiffHead::Empty(path, from.to_owned());
                end = behind_first;
            }
            let named = from.strip_prefix("rename from ").zip(to.strip_prefix("rename to "));
            if let Some((from, to)) = named.and_then(|(from, to)| path(from, "").zip(path(to, ""))) {
                head = DiffHead::Renamed(from, to);
                end = behind;
            }
        }
        heads.push((&rest[..rest.len() - end.len()], head));
        rest = end;
    }
    heads
}

fn split(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// The absolute path of a name without its first slash.
fn path(named: &str, prefix: &str) -> Option<String> {
    let (plain, _) = header_name(named)?;
    plain.strip_prefix(prefix).map(|path| format!("/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_at_the_current_directory() {
        let places = PathContext { start: Some("/w/sub".to_owned()), grants: vec!["/w".to_owned()] };
        for (diff, expected) in [
            (
                "--- a/w/sub/f\n+++ b/w/sub/f\n@@ -1 +1 @@\n-x\n+y\n",
                "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n",
            ),
            (
                "--- a/w/sub/f\n+++ b/w/sub/f\n@@ -1,2 +1,2 @@\n--- a/w/sub/g\n+++ b/w/sub/g\n x\n",
                "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n--- a/w/sub/g\n+++ b/w/sub/g\n x\n",
            ),
            (
                "--- a/w/sub/f\n+++ b/w/sub/f\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n--- /dev/null\n+++ b/w/sub/d/g h\t\n@@ -0,0 +1 @@\n+z\n",
                "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n--- /dev/null\n+++ b/d/g h\t\n@@ -0,0 +1 @@\n+z\n",
            ),
            (
                "--- a/w/sub/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
                "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
            ),
            (
                "--- a/w/f\n+++ b/w/f\n--- a/w/sub/g\n+++ b/w/sub/g\n",
                "--- a/f\n+++ b/f\n--- a/sub/g\n+++ b/sub/g\n",
            ),
            ("--- a/v/f\n+++ b/v/f\n", "--- a/v/f\n+++ b/v/f\n"),
            (
                "diff --git a/w/sub/g h b/w/sub/g h\nnew file mode 100644\n--- a/w/sub/f\n+++ b/w/sub/f\n",
                "diff --git a/g h b/g h\nnew file mode 100644\n--- a/f\n+++ b/f\n",
            ),
            (
                "diff --git \"a/w/sub/\\n\" \"b/w/sub/\\n\"\ndeleted file mode 100644\n",
                "diff --git \"a/\\n\" \"b/\\n\"\ndeleted file mode 100644\n",
            ),
            (
                "diff --git a/w/sub/f b/w/sub/g h\nrename from w/sub/f\nrename to w/sub/g h\n",
                "diff --git a/f b/g h\nrename from f\nrename to g h\n",
            ),
            (
                "--- \"a/w/sub/\\302\\205\\n\\\"\"\n+++ \"b/w/sub/\\302\\205\\n\\\"\"\n",
                "--- \"a/\\302\\205\\n\\\"\"\n+++ \"b/\\302\\205\\n\\\"\"\n",
            ),
        ] {
            assert_eq!(relative(&[diff], &places), [expected], "{diff}");
        }
        assert_eq!(relative(&["--- a/w/f\n"], &PathContext::default()), ["--- a/w/f\n"]);
    }

    #[test]
    fn the_diffs_of_one_answer_begin_at_one_directory() {
        let places = PathContext { start: Some("/w/sub".to_owned()), grants: vec!["/w".to_owned()] };
        let (inside, beside) = ("--- a/w/sub/f\n+++ b/w/sub/f\n", "--- a/w/f\n+++ b/w/f\n");
        assert_eq!(relative(&[inside, inside], &places), ["--- a/f\n+++ b/f\n"; 2]);
        let expected = ["--- a/sub/f\n+++ b/sub/f\n", "--- a/f\n+++ b/f\n"];
        assert_eq!(relative(&[inside, beside], &places), expected);
    }
}
