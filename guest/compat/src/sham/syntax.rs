//! Syntax errors of blocks.

use std::ops::Range;

use serde::Serialize;

use super::lines::BlockLines;

/// A kind of syntax error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SyntaxCode {
    /// An intended header in the wrong form.
    MalformedHeader,
    /// An id that is not three letters or digits.
    InvalidBlockId,
    /// A duplicate key.
    DuplicateKey,
    /// A line that is no assignment.
    MalformedAssignment,
    /// A quoted value without an end on its line.
    UnclosedQuote,
    /// A key with an invalid character, or too long.
    InvalidKey,
    /// An assignment without a key.
    EmptyKey,
    /// Another operator than `=`.
    InvalidAssignmentOperator,
    /// A value that is neither quoted nor a heredoc.
    InvalidValue,
    /// Text after a quoted value.
    TrailingContent,
    /// A heredoc with another mark than its block's.
    InvalidHeredocDelimiter,
    /// A heredoc without an end.
    UnclosedHeredoc,
    /// A block without an end.
    UnclosedBlock,
    /// A block with another block's end.
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

/// A syntax error. Columns and lengths are UTF-16 units, as in JavaScript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SyntaxError<'a> {
    /// Its kind.
    pub code: SyntaxCode,
    /// The line, from 1; after the last one for a missing end.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The length.
    pub length: usize,
    /// The id of the block, if its header has one.
    pub block_id: Option<&'a str>,
    /// The line.
    pub content: &'a str,
    /// Up to five lines with this one.
    pub context: &'a str,
    /// The error as a sentence.
    pub message: String,
}

/// An error in a line, with its bytes.
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

    /// This error at a line, counted from 0.
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
