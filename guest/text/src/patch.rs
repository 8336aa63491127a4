//! Patches without files.
//!
//! The first line tells the form: a unified diff ([`unified`]), the `*** Begin Patch` envelope
//! ([`envelope`]), SEARCH/REPLACE blocks ([`blocks`]), or `<<<FILE>>>` blocks ([`file_marks`]). A
//! [`FilePatch`] is about one file. [`locate`] finds hunks in a text.

mod blocks;
mod envelope;
mod file_marks;
pub mod hunk;
pub mod locate;
mod names;
mod reader;
mod unified;

pub use names::name as header_name;

use fsgate_contract::limits::{PATCH_BYTES, PATCH_PARTS};
use hunk::Hunk;
use reader::{PatchLine, PatchReader};

/// A parsed patch.
#[derive(Debug, PartialEq, Eq)]
pub struct Patch<'a> {
    /// Its form.
    pub form: PatchForm,
    /// Its parts, in its own order.
    pub parts: Vec<FilePatch<'a>>,
    /// The file modes that it sets.
    pub modes: Vec<(PatchPath, String)>,
}

/// The form of a patch.
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

/// The change of one file, or one block.
#[derive(Debug, PartialEq, Eq)]
pub struct FilePatch<'a> {
    /// Its first line in the patch.
    pub line: u32,
    /// The file.
    pub path: PatchPath,
    /// The change.
    pub action: PatchAction<'a>,
}

/// A path in a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchPath {
    /// The path.
    pub text: String,
    /// A prefix such as `a/`, or an absolute path's first `/`, was removed.
    pub is_bare: bool,
}

/// A change of a file.
#[derive(Debug, PartialEq, Eq)]
pub enum PatchAction<'a> {
    /// Creates it with this content.
    Create(String),
    /// Writes it, new or not.
    Write(&'a str),
    /// Deletes it; hunks must remove all of it.
    Delete(Option<Vec<Hunk<'a>>>),
    /// Changes lines.
    Change(Vec<Hunk<'a>>),
    /// Renames it and changes lines.
    Move(PatchPath, Vec<Hunk<'a>>),
    /// Copies it and changes lines of the copy.
    Copy(PatchPath, Vec<Hunk<'a>>),
    /// Replaces one text.
    Replace {
        /// The text to find; not empty.
        old: &'a str,
        /// The new text.
        new: &'a str,
    },
}

/// A syntax error in a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidPatch {
    /// The offset of its line, in bytes.
    pub position: u64,
    /// The number of its line.
    pub line: u32,
    /// The error.
    pub problem: PatchSyntaxProblem,
}

/// A kind of syntax error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchSyntaxProblem {
    /// Something else was expected.
    Expected(String),
    /// A hunk's length differs from its header; both numbers are 0 for surplus lines.
    Counts {
        /// The line of the header.
        header: u32,
        /// Missing old lines.
        old: u64,
        /// Missing new lines.
        new: u64,
    },
    /// A valid instruction without support.
    Unsupported(&'static str),
    /// Too many bytes.
    TooLarge,
    /// Too many parts.
    TooMany,
}

const BEGINNINGS: &str = "a diff that begins with `--- ` and `+++ ` lines, or with `diff --git`, or `*** Begin Patch`, or a \
    `<<<<<<< SEARCH` block with the path in the line before it, or `<<<FILE>>>`";

/// The place of a problem of the whole patch.
const FIRST_LINE: PatchLine = PatchLine { number: 1, at: 0, text: "" };

/// Parses a patch.
pub fn parse(text: &str) -> Result<Patch<'_>, InvalidPatch> {
    if text.len() > PATCH_BYTES {
        return Err(FIRST_LINE.invalid(PatchSyntaxProblem::TooLarge));
    }
    let (form, reader, mut modes) = (recognised(text)?, PatchReader::new(text), Vec::new());
    let parts = match form {
        PatchForm::Unified => unified::parse(reader, &mut modes)?,
        PatchForm::Envelope => envelope::parse(reader)?,
        PatchForm::Blocks => blocks::parse(reader)?,
        PatchForm::Marked => file_marks::parse(reader)?,
    };
    if parts.len() > PATCH_PARTS {
        return Err(FIRST_LINE.invalid(PatchSyntaxProblem::TooMany));
    }
    if parts.is_empty() && modes.is_empty() {
        return Err(FIRST_LINE.expected("at least one file"));
    }
    Ok(Patch { form, parts, modes })
}

/// The files that a patch names, and whether it deletes them; empty if invalid.
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
    Err(FIRST_LINE.expected(BEGINNINGS))
}

impl PatchPath {
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

    /// Only marks, so that most inputs pass the first one.
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
