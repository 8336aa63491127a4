//! What was found, in one form for all programs.

use std::fmt;

/// What a search found, in the order in which it was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// Lines with a match; over several lines, each match with all of its lines.
    pub(crate) lines: Vec<Line>,
    /// Paths below the start, in the modes that ask for them, and how many lines, in the one that asks for that.
    pub(crate) files: Vec<(String, Option<u64>)>,
}

/// A line with a match, and what stands around it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// Below the start.
    pub(crate) path: String,
    pub(crate) number: u64,
    pub(crate) column: u64,
    pub(crate) text: String,
    pub(crate) before: Vec<String>,
    pub(crate) after: Vec<String>,
}

impl fmt::Debug for Line {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, number, column, text, before, after } = self;
        let text: String = text.chars().take(120).collect();
        write!(out, "{path}:{number}:{column}: {text:?}")?;
        if !before.is_empty() || !after.is_empty() {
            write!(out, " after {before:?} before {after:?}")?;
        }
        Ok(())
    }
}

/// The first difference of two lists, in words. None if they are equal.
pub(crate) fn difference<T: PartialEq + fmt::Debug>(ours: &[T], theirs: &[T]) -> Option<String> {
    let place = (0..ours.len().max(theirs.len())).find(|&place| ours.get(place) != theirs.get(place))?;
    let shown = |side: &[T]| side.get(place).map_or_else(|| "nothing".to_owned(), |item| format!("{item:?}"));
    Some(format!(
        "{} and {} found; the first difference is at {place}\n      fsgate: {}\n      other:  {}",
        ours.len(),
        theirs.len(),
        shown(ours),
        shown(theirs)
    ))
}
