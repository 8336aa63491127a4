//! Syntax errors of blocks.

use serde::Serialize;

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

/// A syntax error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Its kind.
    pub code: SyntaxCode,
    /// The error as a sentence.
    pub message: String,
}

impl SyntaxError {
    pub(super) fn new(code: SyntaxCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
