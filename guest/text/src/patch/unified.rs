//! Unified diffs of git, `diff -u` and fsgate.
//!
//! Text outside of files is ignored: mails, commit messages. A line after a hunk that looks like
//! its line is refused: the header has miscounted, and the line would be lost.

use super::hunk::{Hunk, HunkHeader, HunkLine, HunkPlace, LineMark};
use super::names::{NOTHING, Sides, name, of_git_line, only_name, same, usual};
use super::reader::{self, PatchReader};
use super::{FilePatch, InvalidPatch, PatchAction, PatchPath, PatchSyntaxProblem};

/// A mail's signature before git's version.
const SIGNATURE: &str = "-- ";

pub(super) fn begins(header: &str, next: Option<reader::PatchLine>) -> bool {
    header.starts_with("diff --git ")
        || is_combined(header)
        || is_binary(header)
        || header.starts_with("--- ") && next.is_some_and(|next| next.text.starts_with("+++ "))
}

fn is_combined(header: &str) -> bool {
    header.starts_with("diff --cc ") || header.starts_with("diff --combined ")
}

fn is_binary(header: &str) -> bool {
    header == "GIT binary patch" || header.starts_with("Binary files ") && header.ends_with(" differ")
}

const BINARY: &str = "a change of a file that is no text";
const COMBINED: &str = "the diff of a merge";
pub(super) const NAMES: &str = "`--- a/PATH` and `+++ b/PATH` in the lines before a hunk";
const NUMBERS: &str =
    "the numbers of the lines, such as `@@ -3,7 +3,8 @@`; a `*** Begin Patch` envelope has none";
const LINK: &str = "a change of a symbolic link";
const SUBMODULE: &str = "a change of a submodule";

pub(super) fn parse<'a>(
    mut reader: PatchReader<'a>,
    modes: &mut Vec<(PatchPath, String)>,
) -> Result<Vec<FilePatch<'a>>, InvalidPatch> {
    let mut parts = Vec::new();
    let mut is_behind_hunk = false;
    while let Some(line) = reader.next() {
        let header = line.header();
        let is_blank = header.trim().is_empty();
        if let Some(names) = header.strip_prefix("diff --git ") {
            let section = FileSection::of_git(&mut reader, line, names)?;
            is_behind_hunk = section.has_hunks();
            parts.extend(section.finish(modes)?);
        } else if begins(header, reader.peek()) {
            if is_binary(header) {
                return Err(line.unsupported(BINARY));
            }
            if is_combined(header) {
                return Err(line.unsupported(COMBINED));
            }
            let mut section = FileSection::new(line, None);
            section.names(&mut reader, line)?;
            section.hunks(&mut reader)?;
            is_behind_hunk = section.has_hunks();
            parts.extend(section.finish(modes)?);
        } else if HunkHeader::parse(header).is_some() {
            return Err(line.expected(NAMES));
        } else if is_behind_hunk
            && header != SIGNATURE
            && !is_blank
            && header.starts_with(['+', '-', ' ', '\\'])
        {
            let header = parts.last().map_or(0, last_header);
            return Err(line.invalid(PatchSyntaxProblem::Counts { header, old: 0, new: 0 }));
        } else {
            // A hunk may continue after an empty line.
            is_behind_hunk &= is_blank;
        }
    }
    Ok(parts)
}

fn last_header(part: &FilePatch) -> u32 {
    let hunks = match &part.action {
        PatchAction::Change(hunks) | PatchAction::Move(_, hunks) | PatchAction::Copy(_, hunks) => Some(hunks),
        PatchAction::Delete(hunks) => hunks.as_ref(),
        PatchAction::Create(_) | PatchAction::Write(_) | PatchAction::Replace { .. } => None,
    };
    hunks.and_then(|hunks| hunks.last()).map_or(part.line, |hunk| hunk.line)
}

#[derive(Default)]
struct FileSection<'a> {
    line: reader::PatchLine<'a>,
    /// The names in the `diff --git` line.
    git: Option<Option<Sides>>,
    is_new: bool,
    is_deleted: bool,
    /// The source and destination of a rename or copy.
    from: Option<String>,
    to: Option<String>,
    is_copy: bool,
    /// The names of the `---` and `+++` lines.
    old: Option<String>,
    new: Option<String>,
    mode: Option<&'a str>,
    hunks: Vec<Hunk<'a>>,
}

impl<'a> FileSection<'a> {
    fn new(line: reader::PatchLine<'a>, git: Option<Option<Sides>>) -> Self {
        Self { line, git, ..Self::default() }
    }

    fn has_hunks(&self) -> bool {
        !self.hunks.is_empty()
    }

    /// git's extended headers, then hunks if content changes.
    fn of_git(
        reader: &mut PatchReader<'a>,
        line: reader::PatchLine<'a>,
        names: &str,
    ) -> Result<Self, InvalidPatch> {
        let mut section = Self::new(line, Some(of_git_line(names)));
        while let Some(line) = reader.peek() {
            let header = line.header();
            let path = |text: &str| {
                let name = only_name(text).filter(|name| !name.is_empty());
                name.map(Some).ok_or_else(|| line.expected("a path in UTF-8, quoted as git does it"))
            };
            if let Some(mode) = header.strip_prefix("new file mode ") {
                (section.is_new, section.mode) =
                    (true, Some(regular(line, mode)?).filter(|mode| *mode != "100644"));
            } else if let Some(mode) = header.strip_prefix("deleted file mode ") {
                regular(line, mode)?;
                section.is_deleted = true;
            } else if let Some(mode) = header.strip_prefix("old mode ") {
                regular(line, mode)?;
            } else if let Some(mode) = header.strip_prefix("new mode ") {
                section.mode = Some(regular(line, mode)?);
            } else if let Some(name) = header.strip_prefix("rename from ") {
                section.from = path(name)?;
            } else if let Some(name) = header.strip_prefix("rename to ") {
                section.to = path(name)?;
            } else if let Some(name) = header.strip_prefix("copy from ") {
                (section.from, section.is_copy) = (path(name)?, true);
            } else if let Some(name) = header.strip_prefix("copy to ") {
                (section.to, section.is_copy) = (path(name)?, true);
            } else if let Some(index) = header.strip_prefix("index ") {
                if let Some((_, mode)) = index.split_once(' ') {
                    regular(line, mode)?;
                }
            } else if !(header.starts_with("similarity index ") || header.starts_with("dissimilarity index "))
            {
                break;
            }
            reader.next();
        }
        if let Some(line) = reader.peek() {
            if is_binary(line.header()) {
                return Err(line.unsupported(BINARY));
            }
            let mut behind = *reader;
            behind.next();
            if begins(line.header(), behind.peek()) && line.text.starts_with("--- ") {
                reader.next();
                section.names(reader, line)?;
                section.hunks(reader)?;
            } else if HunkHeader::parse(line.header()).is_some() {
                return Err(line.expected(NAMES));
            }
        }
        Ok(section)
    }

    /// The lines `---` and `+++`; the first was read.
    fn names(
        &mut self,
        reader: &mut PatchReader<'a>,
        line: reader::PatchLine<'a>,
    ) -> Result<(), InvalidPatch> {
        let read = |line: reader::PatchLine| {
            // The caller has checked the start.
            let (name, _) = name(&line.header()[4..])
                .filter(|(name, _)| !name.is_empty())
                .ok_or_else(|| line.expected("a path in UTF-8, quoted as git does it"))?;
            Ok(name)
        };
        self.old = Some(read(line)?);
        self.new = reader.next().map(read).transpose()?;
        Ok(())
    }

    fn hunks(&mut self, reader: &mut PatchReader<'a>) -> Result<(), InvalidPatch> {
        while let Some(line) = reader.peek()
            && let Some(header) = HunkHeader::parse(line.header())
        {
            reader.next();
            let lines = HunkReader::read(reader, line.number, header)?;
            let stands = HunkPlace::After(header.before());
            self.hunks.push(Hunk { line: line.number, stands, lines });
        }
        match reader.peek().filter(|line| line.header() == "@@" || line.header().starts_with("@@ ")) {
            Some(line) => Err(line.expected(NUMBERS)),
            None => Ok(()),
        }
    }

    fn finish(self, modes: &mut Vec<(PatchPath, String)>) -> Result<Option<FilePatch<'a>>, InvalidPatch> {
        let line = self.line;
        let is_named =
            |side: &Option<String>| side.as_deref().filter(|name| *name != NOTHING).map(str::to_owned);
        let (old, new) = (is_named(&self.old), is_named(&self.new));
        let is_new = self.is_new || self.old.is_some() && old.is_none();
        let is_deleted = self.is_deleted || self.new.is_some() && new.is_none();
        let both = old.as_deref().zip(new.as_deref()).and_then(|(old, new)| same(old, new));
        let sides = self.git.clone().flatten().or(both);
        let part = |path, action| Ok(Some(FilePatch { line: line.number, path, action }));
        let contradiction =
            || Err(line.expected("one file, which is made, changed, moved, copied or deleted"));
        if self.from.is_some() != self.to.is_some() || self.from.is_some() && (is_new || is_deleted) {
            return contradiction();
        }
        if let (Some(from), Some(to)) = (self.from, self.to) {
            // git writes these names without prefixes.
            let [from, to] = [from, to].map(|text| PatchPath { text, is_bare: true });
            modes.extend(self.mode.map(|mode| (to.clone(), mode.to_owned())));
            let action = if self.is_copy { PatchAction::Copy } else { PatchAction::Move };
            return part(from, action(to, self.hunks));
        }
        if is_new && is_deleted {
            return contradiction();
        }
        let by_usual = |name: &str, is_old: bool| {
            let sides = self.git.clone().flatten().unwrap_or_else(usual);
            if is_old { sides.old_of(name) } else { sides.new_of(name) }
        };
        let path = match (&sides, &old, &new) {
            _ if is_new && new.is_some() => by_usual(new.as_deref().unwrap_or_default(), false),
            _ if is_deleted && old.is_some() => by_usual(old.as_deref().unwrap_or_default(), true),
            (Some(sides), ..) => sides.name.clone(),
            // Backups beside a file by `diff` and editors.
            (None, Some(old), Some(new)) if old.strip_suffix(".orig") == Some(new) => {
                PatchPath::whole(&**new)
            }
            (None, Some(_), Some(_)) => {
                return Err(
                    line.expected("the same path behind `---` and `+++`, or `rename from` and `rename to`")
                );
            }
            (None, ..) => {
                return Err(line.expected("the path of one file, such as `diff --git a/PATH b/PATH`"));
            }
        };
        modes.extend(self.mode.map(|mode| (path.clone(), mode.to_owned())));
        if is_new {
            return part(path, PatchAction::Create(content(&self.hunks, line)?));
        }
        if is_deleted {
            return part(path, PatchAction::Delete(Some(self.hunks)));
        }
        match self.hunks.is_empty() {
            true if self.mode.is_some() => Ok(None),
            true => Err(line.expected("at least one hunk behind the names of the file")),
            false => part(path, PatchAction::Change(self.hunks)),
        }
    }
}

fn content(hunks: &[Hunk], line: reader::PatchLine) -> Result<String, InvalidPatch> {
    let mut out = String::new();
    for (index, hunk) in hunks.iter().enumerate() {
        if index > 0 || hunk.stands != HunkPlace::After(0) || hunk.lines.iter().any(HunkLine::is_old) {
            return Err(line.expected("one hunk with `+` lines only, because the file is new"));
        }
        out += &hunk.result();
    }
    Ok(out)
}

/// Refuses the mode of anything but a regular file. Leading zeros do not matter.
fn regular<'a>(line: reader::PatchLine, mode: &'a str) -> Result<&'a str, InvalidPatch> {
    let mode = mode.trim_end();
    match mode.trim_start_matches('0') {
        "120000" => Err(line.unsupported(LINK)),
        "160000" => Err(line.unsupported(SUBMODULE)),
        _ => Ok(mode),
    }
}

struct HunkReader<'a> {
    lines: Vec<HunkLine<'a>>,
    old: u64,
    new: u64,
    /// No line may follow that side's last one, which has no LF.
    old_is_over: bool,
    new_is_over: bool,
}

impl<'a> HunkReader<'a> {
    fn read(
        reader: &mut PatchReader<'a>,
        header: u32,
        counts: HunkHeader,
    ) -> Result<Vec<HunkLine<'a>>, InvalidPatch> {
        let HunkHeader { old, new, .. } = counts;
        let mut read = Self { lines: Vec::new(), old, new, old_is_over: false, new_is_over: false };
        loop {
            let line = reader.peek();
            if let Some(line) = line.filter(|line| line.text.starts_with('\\')) {
                read.unended(line)?;
                reader.next();
                continue;
            }
            if read.old == 0 && read.new == 0 {
                return Ok(read.lines);
            }
            let (old, new) = (read.old, read.new);
            let line =
                line.ok_or_else(|| reader.end().invalid(PatchSyntaxProblem::Counts { header, old, new }))?;
            if !read.line(line)? {
                return Err(line.invalid(PatchSyntaxProblem::Counts { header, old, new }));
            }
            reader.next();
        }
    }

    /// Reads a line; false if it belongs elsewhere.
    fn line(&mut self, line: reader::PatchLine<'a>) -> Result<bool, InvalidPatch> {
        let Some(read) = HunkLine::parse(line.text) else { return Ok(false) };
        let mark = read.mark;
        let (is_old, is_new) = (mark != LineMark::Add, mark != LineMark::Remove);
        if is_old && self.old == 0 || is_new && self.new == 0 {
            return Ok(false);
        }
        if is_old && self.old_is_over || is_new && self.new_is_over {
            return Err(line.expected("no line behind one without a newline at the end of the file"));
        }
        self.old -= u64::from(is_old);
        self.new -= u64::from(is_new);
        self.lines.push(read);
        Ok(true)
    }

    /// `\ No newline at end of file`, in any language.
    fn unended(&mut self, line: reader::PatchLine) -> Result<(), InvalidPatch> {
        let Some(last) = self.lines.last_mut().filter(|last| last.is_ended) else {
            return Err(line.expected("a line of a hunk before one that begins with `\\`"));
        };
        last.is_ended = false;
        self.old_is_over |= last.mark != LineMark::Add;
        self.new_is_over |= last.mark != LineMark::Remove;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn shown(part: &FilePatch) -> String {
        let name = |name: &PatchPath| format!("{}{}", if name.is_bare { "~/" } else { "" }, name.text);
        let hunks = |hunks: &[Hunk]| -> String {
            let hunk = |hunk: &Hunk| {
                let HunkPlace::After(before) = hunk.stands else { panic!("{hunk:?}") };
                let line = |line: &HunkLine| {
                    let mark = match line.mark {
                        LineMark::Keep => ' ',
                        LineMark::Remove => '-',
                        LineMark::Add => '+',
                    };
                    format!("{mark}{}{}", line.text, if line.is_ended { "" } else { "$" })
                };
                format!(" @{before}[{}]", hunk.lines.iter().map(line).collect::<Vec<_>>().join("|"))
            };
            hunks.iter().map(hunk).collect()
        };
        let path = name(&part.path);
        match &part.action {
            PatchAction::Create(content) => format!("create {path} {content:?}"),
            PatchAction::Delete(Some(gone)) => format!("delete {path}{}", hunks(gone)),
            PatchAction::Change(changed) => format!("change {path}{}", hunks(changed)),
            PatchAction::Move(to, changed) => format!("move {path} {}{}", name(to), hunks(changed)),
            PatchAction::Copy(to, changed) => format!("copy {path} {}{}", name(to), hunks(changed)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn sections_are_read_whoever_wrote_them() {
        for (text, expected) in [
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", &["change ~/x @0[-a|+b]"][..]),
            ("--- x\n+++ x\n@@ -2,2 +2,1 @@\n a\n-b\n", &["change x @1[ a|-b]"]),
            ("--- /w/x\t2020\n+++ /w/x\t2021\n@@ -1 +1 @@\n-a\n+b", &["change /w/x @0[-a|+b]"]),
            ("--- x.orig\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", &["change x @0[-a|+b]"]),
            ("--- old/d/x\n+++ new/d/x\n@@ -1 +1 @@\n-a\n+b\n", &["change ~/d/x @0[-a|+b]"]),
            ("--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n", &["create ~/x \"a\\nb\\n\""]),
            ("--- /dev/null\n+++ b/x\n", &["create ~/x \"\""]),
            ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", &["delete ~/x @0[-a]"]),
            (
                "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ Kein Zeilenumbruch\n",
                &["change ~/x @0[-a$|+b$]"],
            ),
            ("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c", &["change ~/x @0[ a| |-b|+c]"]),
            ("--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", &["change ~/x @0[-a\r|+b\r]"]),
            (
                "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@ fn f()\n-a\n+b\n@@ -9,0 +10 @@\n+c\n",
                &["change ~/x @0[-a|+b] @9[+c]"],
            ),
            (
                "diff --git a/x y b/x y\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/x y\t\n@@ -0,0 +1 @@\n+a\n",
                &["create ~/x y \"a\\n\""],
            ),
            ("diff --git a/x b/x\nnew file mode 100644\nindex 0..e69de29\n", &["create ~/x \"\""]),
            ("diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0\n", &["delete ~/x"]),
            ("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", &["move ~/x ~/y"]),
            (
                "diff --git a/x b/y z\nsimilarity index 90%\nrename from x\nrename to y z\nindex 1..2 100644\n\
                 --- a/x\n+++ b/y z\t\n@@ -1 +1 @@\n-a\n+b\n",
                &["move ~/x ~/y z @0[-a|+b]"],
            ),
            (
                "diff --git a/x \"b/\\303\\244\"\nsimilarity index 100%\ncopy from x\ncopy to \"\\303\\244\"\n",
                &["copy ~/x ~/ä"],
            ),
            ("diff --git d/x d/x\n--- d/x\n+++ d/x\n@@ -1 +1 @@\n-a\n+b\n", &["change d/x @0[-a|+b]"]),
            (
                "diff --git b/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n",
                &["create b/x \"a\\n\""],
            ),
            ("diff --git i/x w/x\n--- i/x\n+++ w/x\n@@ -1 +1 @@\n-a\n+b\n", &["change ~/x @0[-a|+b]"]),
            ("diff --git b/x a/x\n--- b/x\n+++ a/x\n@@ -1 +1 @@\n-a\n+b\n", &["change ~/x @0[-a|+b]"]),
            (
                "diff --git i/x w/x\ndeleted file mode 100644\n--- i/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
                &["delete ~/x @0[-a]"],
            ),
            (
                "From 12 Mon Sep 17\nSubject: [PATCH] x\n\n+ no hunk\n---\n x | 2 +-\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n\
                 @@ -1 +1 @@\n-a\n+b\n\ncommit 12\nAuthor: me\n\n    - a list\n\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n\
                 @@ -1 +1 @@\n-a\n+b\n-- \n2.47.3\n\n",
                &["change ~/x @0[-a|+b]", "change ~/y @0[-a|+b]"],
            ),
            (
                "```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n--- b\n+++ c\n```\n",
                &["change ~/x @0[-a|+b]", "change ~/y @0[--- b|+++ c]"],
            ),
            (
                "Index: x\n====\n--- x\t(revision 1)\n+++ x\t(working copy)\n@@ -1 +1 @@\n-a\n+b\n",
                &["change x @0[-a|+b]"],
            ),
        ] {
            let patch = parse(text).unwrap_or_else(|invalid| panic!("{invalid:?}\n{text}"));
            assert_eq!(patch.parts.iter().map(shown).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn modes_are_noted() {
        let text = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n\
            diff --git a/y b/y\nnew file mode 100755\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+a\n\
            diff --git a/z b/z\nnew file mode 100644\n";
        let patch = parse(text).unwrap();
        let modes: Vec<_> = patch.modes.iter().map(|(name, mode)| (&name.text[..], &mode[..])).collect();
        assert_eq!(modes, [("x", "100755"), ("y", "100755")]);
        assert_eq!(
            patch.parts.iter().map(shown).collect::<Vec<_>>(),
            ["create ~/y \"a\\n\"", "create ~/z \"\""]
        );
    }

    #[test]
    fn what_is_no_diff_is_refused_where_it_goes_wrong() {
        use PatchSyntaxProblem::{Counts, Expected, Unsupported};
        let expected = |what: &str| Expected(what.to_owned());
        let hunk = |lines: &str| format!("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n{lines}");
        let counts = |old, new| Counts { header: 3, old, new };
        for (text, line, problem) in [
            (hunk(" a\n-b\n"), 6, counts(0, 1)),
            (hunk(" a\n-b"), 5, counts(0, 1)),
            (hunk(""), 4, counts(2, 2)),
            (hunk(" a\n-b\n+c\n+d\n"), 7, counts(0, 0)),
            (hunk(" a\n-b\n+c\n\n d\n"), 8, counts(0, 0)),
            (hunk(" a\n b\n-c\n"), 6, counts(0, 0)),
            (hunk(" a\nb\n"), 5, counts(1, 1)),
            (hunk("\\ No newline\n"), 4, expected("a line of a hunk before one that begins with `\\`")),
            (
                hunk(" a\n\\ No newline\n b\n"),
                6,
                expected("no line behind one without a newline at the end of the file"),
            ),
            (
                "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n".to_owned(),
                1,
                expected("the same path behind `---` and `+++`, or `rename from` and `rename to`"),
            ),
            (
                "--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n".to_owned(),
                1,
                expected("one hunk with `+` lines only, because the file is new"),
            ),
            (
                "--- /dev/null\n+++ /dev/null\n".to_owned(),
                1,
                expected("one file, which is made, changed, moved, copied or deleted"),
            ),
            (
                "diff --git a/x b/y\nindex 1..2\n".to_owned(),
                1,
                expected("the path of one file, such as `diff --git a/PATH b/PATH`"),
            ),
            ("--- \"a/x\n+++ b/x\n".to_owned(), 1, expected("a path in UTF-8, quoted as git does it")),
            ("diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\n".to_owned(), 3, Unsupported(BINARY)),
            (
                "diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n".to_owned(),
                3,
                Unsupported(BINARY),
            ),
            ("diff -r a b\nBinary files a/x and b/x differ\n".to_owned(), 2, Unsupported(BINARY)),
            ("diff --git a/x b/x\nnew file mode 120000\n".to_owned(), 2, Unsupported(LINK)),
            ("diff --git a/x b/x\nindex 1..2 120000\n".to_owned(), 2, Unsupported(LINK)),
            ("diff --git a/x b/x\nnew file mode 0120000\n".to_owned(), 2, Unsupported(LINK)),
            ("diff --git a/x b/x\nnew file mode 00160000\n".to_owned(), 2, Unsupported(SUBMODULE)),
            ("diff --git a/x b/x\nindex 1..2 160000\n".to_owned(), 2, Unsupported(SUBMODULE)),
            (
                "diff --git a/x b/x\nindex 1..2 100644\n".to_owned(),
                1,
                expected("at least one hunk behind the names of the file"),
            ),
            (
                "diff --git a/x b/y\nrename from x\n".to_owned(),
                1,
                expected("one file, which is made, changed, moved, copied or deleted"),
            ),
            ("--- a/x\n+++ b/x\n@@\n-a\n+b\n".to_owned(), 3, expected(NUMBERS)),
            ("--- a/x\n+++ b/x\n@@ -1 +1\n-a\n+b\n".to_owned(), 3, expected(NUMBERS)),
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ ... @@\n-c\n".to_owned(), 6, expected(NUMBERS)),
            ("diff --cc x\nindex 1,2..3\n".to_owned(), 1, Unsupported(COMBINED)),
        ] {
            let invalid = parse(&text).unwrap_err();
            assert_eq!((invalid.line, invalid.problem), (line, problem), "{text}");
        }
    }
}
