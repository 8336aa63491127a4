//! Errors of path patterns.

use fsgate_contract::limits::{GLOB_BYTES, GLOB_NESTING, QUOTED_CHARS};

/// An error of a path pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidGlob {
    /// Its offset in bytes.
    pub position: usize,
    /// Its kind.
    pub problem: GlobProblem,
}

/// Kinds of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each case has its sentence below")]
pub enum GlobProblem {
    Empty,
    TooLong,
    UnclosedClass,
    BackwardsRange,
    UnclosedBraces,
    UnopenedBraces,
    NestedTooDeep,
    DanglingEscape,
    Parent,
    Nul,
}

impl InvalidGlob {
    /// The sentence about the pattern in the argument `field`.
    pub fn message(&self, field: &str) -> String {
        let Self { position, problem } = self;
        match problem {
            GlobProblem::Empty => format!("`{field}` names nothing"),
            GlobProblem::TooLong => format!(
                "`{field}` has more than {GLOB_BYTES} bytes, or says so much that it takes too much memory"
            ),
            GlobProblem::UnclosedClass => format!("the `[` at byte {position} of `{field}` is not closed"),
            GlobProblem::BackwardsRange => {
                format!("the range at byte {position} of `{field}` runs backwards")
            }
            GlobProblem::UnclosedBraces => format!("the `{{` at byte {position} of `{field}` is not closed"),
            GlobProblem::UnopenedBraces => format!("the `}}` at byte {position} of `{field}` closes nothing"),
            GlobProblem::NestedTooDeep => {
                format!("`{field}` has more than {GLOB_NESTING} braces in one another")
            }
            GlobProblem::DanglingEscape => format!("the backslash at the end of `{field}` escapes nothing"),
            GlobProblem::Parent => format!(
                "the `..` at byte {position} of `{field}` leads out of the directory that is searched"
            ),
            GlobProblem::Nul => format!("`{field}` has a NUL byte"),
        }
    }

    /// The same outside of a call's arguments, with an excerpt.
    pub fn message_about(&self, pattern: &str) -> String {
        self.message(&pattern.chars().take(QUOTED_CHARS).collect::<String>())
    }
}
