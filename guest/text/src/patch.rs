//! Patches: what they say, without a file in scope.
//!
//! There are four forms, told apart by the first line that only one of them has: a unified diff as git and `diff -u` print it
//! ([`unified`]), the `*** Begin Patch` envelope ([`envelope`]), SEARCH/REPLACE blocks ([`blocks`]), and `<<<FILE>>>` blocks
//! ([`file_marks`]). What a form says of one file is a [`FilePatch`]. How hunks are found in a text stands in [`locate`].

mod blocks;
mod envelope;
mod file_marks;
pub mod hunk;
pub mod locate;
mod names;
mod reader;
mod unified;

use fsgate_contract::limits::{PATCH_BYTES, PATCH_PARTS};
use hunk::Hunk;
use reader::{PatchLine, PatchReader};

/// What a patch says.
#[derive(Debug, PartialEq, Eq)]
pub struct Patch<'a> {
    /// What it calls its parts' parts.
    pub form: PatchForm,
    /// What it does, in its own order.
    pub parts: Vec<FilePatch<'a>>,
    /// Modes that it sets: the path, and the mode.
    pub modes: Vec<(PatchPath, String)>,
}

/// How a patch is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchForm {
    /// A unified diff.
    Unified,
    /// `*** Begin Patch`.
    Envelope,
    /// `<<<<<<< SEARCH`.
    Blocks,
    /// `<<<FILE>>>`.
    Marked,
}

/// What a patch does to one file; of blocks, one block.
#[derive(Debug, PartialEq, Eq)]
pub struct FilePatch<'a> {
    /// Line of the patch on which it begins.
    pub line: u32,
    /// The file.
    pub path: PatchPath,
    /// What is done to it.
    pub action: PatchAction<'a>,
}

/// A path in a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchPath {
    /// The path.
    pub text: String,
    /// It is what a diff's prefix, such as `a/`, was taken from: an absolute path has lost its first `/` then.
    pub is_bare: bool,
}

/// What is done to a file.
#[derive(Debug, PartialEq, Eq)]
pub enum PatchAction<'a> {
    /// It is made, with this content.
    Create(String),
    /// It holds this and nothing else, whether it is there or not.
    Write(&'a str),
    /// It goes, if the hunks remove all of it; without hunks in any case.
    Delete(Option<Vec<Hunk<'a>>>),
    /// Lines in it change.
    Change(Vec<Hunk<'a>>),
    /// It gets another name, and lines in it change.
    Move(PatchPath, Vec<Hunk<'a>>),
    /// Another file is made of it, in which lines change.
    Copy(PatchPath, Vec<Hunk<'a>>),
    /// A text in it becomes another one.
    Replace {
        /// The text to find; not empty.
        old: &'a str,
        /// What takes its place.
        new: &'a str,
    },
}

/// Why a patch cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidPatch {
    /// Offset of the line in the patch, in bytes.
    pub position: u64,
    /// Number of the line.
    pub line: u32,
    /// What is wrong with it.
    pub problem: PatchSyntaxProblem,
}

/// What is wrong with a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchSyntaxProblem {
    /// Something else has to stand there.
    Expected(String),
    /// A hunk has other lines than its header says: how many old and new ones are missing; none of both if it has more.
    Counts {
        /// Line of its header.
        header: u32,
        /// Old lines that are missing.
        old: u64,
        /// New lines that are missing.
        new: u64,
    },
    /// It can be read, and asks for what no tool does.
    Unsupported(&'static str),
    /// It has more bytes than may be.
    TooLarge,
    /// It has more parts than may be.
    TooMany,
}

/// What one of the forms begins with.
const BEGINNINGS: &str = "a diff that begins with `--- ` and `+++ ` lines, or with `diff --git`, or `*** Begin Patch`, or a \
    `<<<<<<< SEARCH` block with the path in the line before it, or `<<<FILE>>>`";

/// Reads a patch.
pub fn parse(text: &str) -> Result<Patch<'_>, InvalidPatch> {
    let first = PatchLine { number: 1, at: 0, text: "" };
    if text.len() > PATCH_BYTES {
        return Err(first.invalid(PatchSyntaxProblem::TooLarge));
    }
    let (form, parts, modes) = match recognised(text)? {
        PatchForm::Unified => {
            let (parts, modes) = unified::parse(PatchReader::new(text))?;
            (PatchForm::Unified, parts, modes)
        }
        PatchForm::Envelope => (PatchForm::Envelope, envelope::parse(PatchReader::new(text))?, Vec::new()),
        PatchForm::Blocks => (PatchForm::Blocks, blocks::parse(PatchReader::new(text))?, Vec::new()),
        PatchForm::Marked => (PatchForm::Marked, file_marks::parse(PatchReader::new(text))?, Vec::new()),
    };
    if parts.len() > PATCH_PARTS {
        return Err(first.invalid(PatchSyntaxProblem::TooMany));
    }
    if parts.is_empty() && modes.is_empty() {
        return Err(first.expected("at least one file"));
    }
    Ok(Patch { form, parts, modes })
}

/// The files that a patch names, as it names them, and whether it deletes them; nothing if it cannot be read.
pub fn paths(text: &str) -> Vec<(String, bool)> {
    let mut paths = Vec::new();
    for FilePatch { path, action, .. } in parse(text).map(|patch| patch.parts).unwrap_or_default() {
        paths.push((path.text, matches!(action, PatchAction::Delete(_))));
        if let PatchAction::Move(to, _) | PatchAction::Copy(to, _) = action {
            paths.push((to.text, false));
        }
    }
    paths
}

fn recognised(text: &str) -> Result<PatchForm, InvalidPatch> {
    let mut reader = PatchReader::new(text);
    while let Some(line) = reader.next() {
        let header = line.header();
        if header.trim() == envelope::BEGIN {
            return Ok(PatchForm::Envelope);
        }
        if blocks::opening(header).is_some() {
            return Ok(PatchForm::Blocks);
        }
        if file_marks::mark(header).is_some() {
            return Ok(PatchForm::Marked);
        }
        if unified::begins(header, reader.peek()) {
            return Ok(PatchForm::Unified);
        }
        if hunk::HunkHeader::parse(header).is_some() {
            return Err(line.expected(unified::NAMES));
        }
    }
    Err(PatchLine { number: 1, at: 0, text: "" }.expected(BEGINNINGS))
}

impl PatchPath {
    /// A path as it stands there.
    fn whole(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_bare: false }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::encoding::Spelling;
    use fsgate_fuzz::fuzz;

    #[test]
    fn the_form_is_told_by_the_first_line_that_only_it_has() {
        for (text, expected) in [
            ("diff --git a/x b/x\n", Ok(PatchForm::Unified)),
            ("From 1234\nSubject: x\n\n---\n x | 2 +-\n\ndiff --git a/x b/x\n", Ok(PatchForm::Unified)),
            ("--- x\n+++ x\n", Ok(PatchForm::Unified)),
            ("text\n--- x\nmore text\n*** Begin Patch\n", Ok(PatchForm::Envelope)),
            ("```\n*** Begin Patch\r\n", Ok(PatchForm::Envelope)),
            ("x\n<<<<<<< SEARCH\n--- a\n+++ b\n", Ok(PatchForm::Blocks)),
            ("--- a/x\n+++ b/x\n+<<<<<<< SEARCH\n", Ok(PatchForm::Unified)),
            ("why\n<<<EXPLANATION>>>\n--- a\n+++ b\n", Ok(PatchForm::Marked)),
            ("<<<FILE>>>\r\nx\n<<<<<<< SEARCH\n", Ok(PatchForm::Marked)),
            ("*** Begin Patch\n+<<<FILE>>>\n", Ok(PatchForm::Envelope)),
            ("", Err(1)),
            ("text\n", Err(1)),
            ("<<<<<<< HEAD\n=======\n", Err(1)),
            (" <<<FILE>>>\n", Err(1)),
            ("text\n@@ -1,2 +1,2 @@\n", Err(2)),
        ] {
            assert_eq!(recognised(text).map_err(|invalid| invalid.line), expected, "{text}");
        }
    }

    #[test]
    fn a_patch_names_its_files() {
        let text =
            "--- a/z\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\ndiff --git a/x b/y\nrename from x\nrename to y\n";
        let named = |name: &str, is_deleted| (name.to_owned(), is_deleted);
        assert_eq!(paths(text), [named("z", true), named("x", false), named("y", false)]);
        assert_eq!(paths("nothing"), []);
    }

    #[test]
    fn what_is_too_much_is_refused() {
        let long = format!("--- a/x\n+++ b/x\n{}", "\n".repeat(PATCH_BYTES));
        assert_eq!(parse(&long).unwrap_err().problem, PatchSyntaxProblem::TooLarge);
        let many: String = (0..=PATCH_PARTS).map(|n| format!("--- /dev/null\n+++ b/{n}\n")).collect();
        assert_eq!(parse(&many).unwrap_err().problem, PatchSyntaxProblem::TooMany);
    }

    /// Lines that mean something somewhere, cut and put together anyhow.
    fn scraps() -> impl Strategy<Value = String> {
        let line = prop::sample::select(vec![
            "diff --git a/x b/x\n",
            "diff --git \"a/\\303\" b/x\n",
            "--- a/x\n",
            "+++ b/x\n",
            "--- /dev/null\n",
            "+++ /dev/null\t2020\n",
            "new file mode 100755\n",
            "deleted file mode 100644\n",
            "rename from a\n",
            "rename to \"b\\\n",
            "@@ -1,2 +1,2 @@\n",
            "@@ -0,0 +1 @@ x\n",
            "@@ -99999999999999999999,1 +1 @@\n",
            "@@\n",
            "@@ def f():\n",
            "+x\n",
            "-x\r\n",
            " x\n",
            "\n",
            "\\ No newline at end of file\n",
            "*** Begin Patch\n",
            "*** End Patch\n",
            "*** Update File: x\n",
            "*** Move to: y\n",
            "*** Add File: x\n",
            "*** Delete File: x\n",
            "*** End of File\n",
            "<<<<<<< SEARCH\n",
            "=======\n",
            ">>>>>>> REPLACE\n",
            "<<<EXPLANATION>>>\n",
            "<<<FILE>>>\n",
            "<<<SEARCH>>>\n",
            "<<<REPLACE>>>\n",
            "<<<OVERWRITE>>>\n",
            "<<<END>>>\n",
            "x.rs\n",
            "```\n",
            "é\u{FEFF}",
        ]);
        prop::collection::vec(line, 0..30).prop_map(|lines| lines.concat())
    }

    #[test]
    fn whatever_is_given_is_read_or_refused() {
        let inputs = (prop_oneof![scraps(), "\\PC*"], "[ax\r\n]{0,20}");
        fuzz(inputs, |(text, file)| match parse(&text) {
            Ok(patch) => {
                for part in &patch.parts {
                    if let PatchAction::Change(hunks)
                    | PatchAction::Move(_, hunks)
                    | PatchAction::Copy(_, hunks) = &part.action
                    {
                        let _ = locate::apply(file.as_bytes(), hunks, Spelling::Plain, false, &mut 0);
                    }
                }
            }
            Err(invalid) => {
                let at = usize::try_from(invalid.position).unwrap();
                let lines = text[..at].bytes().filter(|byte| *byte == b'\n').count();
                assert_eq!(lines + 1, invalid.line as usize);
            }
        });
    }

    /// Lines of marks only, so that most inputs come further than the first mark.
    #[test]
    fn marks_in_any_order_are_read_or_refused() {
        let line = prop::sample::select(vec![
            "<<<EXPLANATION>>>\n",
            "<<<FILE>>>\nx\n<<<SEARCH>>>\na\n<<<REPLACE>>>\nb\n<<<END>>>\n",
            "<<<FILE>>>\nx\n<<<OVERWRITE>>>\n",
            "<<<FILE>>>\r\n",
            "<<<SEARCH>>>\n",
            "<<<REPLACE>>>\n",
            "<<<OVERWRITE>>> \n",
            "<<<END>>>\n",
            "<<<END>>>",
            "x\n",
            " \n",
            "\r\n",
            "é",
        ]);
        fuzz(prop::collection::vec(line, 0..14).prop_map(|lines| lines.concat()), |text| {
            match file_marks::parse(PatchReader::new(&text)) {
                Ok(parts) => {
                    for part in parts {
                        let begin = text.split_inclusive('\n').nth(part.line as usize - 1);
                        assert_eq!(begin.map(str::trim_end), Some("<<<FILE>>>"));
                        match part.action {
                            PatchAction::Write(content) => assert!(text.contains(content)),
                            PatchAction::Replace { old, new } => {
                                assert!(!old.is_empty() && text.contains(old) && text.contains(new));
                            }
                            other => panic!("{other:?}"),
                        }
                    }
                }
                Err(invalid) => {
                    let at = usize::try_from(invalid.position).unwrap();
                    assert_eq!(text[..at].matches('\n').count() + 1, invalid.line as usize);
                }
            }
        });
    }
}
