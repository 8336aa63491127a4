//! What can be wrong with the form of a block, and where.

use std::ops::Range;

use serde::Serialize;

use super::lines::BlockLines;

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SyntaxCode {
    /// A line begins like a header and is none.
    MalformedHeader,
    /// The id is not three letters or digits.
    InvalidBlockId,
    /// A key is there twice.
    DuplicateKey,
    /// A line is no assignment.
    MalformedAssignment,
    /// A quoted value has no end on its line.
    UnclosedQuote,
    /// A key has a character that none may have, or is too long.
    InvalidKey,
    /// An assignment has no key.
    EmptyKey,
    /// Something else than `=` stands between key and value.
    InvalidAssignmentOperator,
    /// A value is neither quoted nor a heredoc.
    InvalidValue,
    /// Something follows a quoted value.
    TrailingContent,
    /// A heredoc does not end in the mark of its block.
    InvalidHeredocDelimiter,
    /// A heredoc has no end.
    UnclosedHeredoc,
    /// A block has no end.
    UnclosedBlock,
    /// A block has the end of another one.
    MismatchedEnd,
}

impl SyntaxCode {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::MalformedHeader,
        Self::InvalidBlockId,
        Self::DuplicateKey,
        Self::MalformedAssignment,
        Self::UnclosedQuote,
        Self::InvalidKey,
        Self::EmptyKey,
        Self::InvalidAssignmentOperator,
        Self::InvalidValue,
        Self::TrailingContent,
        Self::InvalidHeredocDelimiter,
        Self::UnclosedHeredoc,
        Self::UnclosedBlock,
        Self::MismatchedEnd,
    ];
}

/// A mistake in the form of a block. Columns and lengths are in UTF-16 units, as JavaScript counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SyntaxError<'a> {
    /// What is wrong.
    pub code: SyntaxCode,
    /// The line, counted from 1; the one behind the last one where an end is missing.
    pub line: usize,
    /// Where on the line it begins, counted from 1.
    pub column: usize,
    /// How long it is.
    pub length: usize,
    /// The id of the block, if its header has one.
    pub block_id: Option<&'a str>,
    /// The line as it stands there.
    pub content: &'a str,
    /// Five lines with this one among them, or as many as there are.
    pub context: &'a str,
    /// The same in one sentence.
    pub message: String,
}

/// A mistake on a line: what, where in its bytes, and the sentence.
#[derive(Debug)]
pub(super) struct SyntaxFlaw {
    pub(super) code: SyntaxCode,
    pub(super) at: Range<usize>,
    pub(super) message: String,
}

impl SyntaxFlaw {
    pub(super) fn new(code: SyntaxCode, at: Range<usize>, message: impl Into<String>) -> Self {
        Self { code, at, message: message.into() }
    }

    /// This flaw of the line with this number, counted from 0.
    pub(super) fn on<'a>(
        self,
        lines: &BlockLines<'a>,
        line: usize,
        block_id: Option<&'a str>,
    ) -> SyntaxError<'a> {
        let content = lines.get(line).unwrap_or_default();
        let units = |bytes: Range<usize>| content.get(bytes).map_or(0, |text| text.encode_utf16().count());
        SyntaxError {
            code: self.code,
            line: line + 1,
            column: units(0..self.at.start) + 1,
            length: units(self.at),
            block_id,
            content,
            context: lines.around(line),
            message: self.message,
        }
    }
}
