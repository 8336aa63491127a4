//! Searches that know what a text ends in.
//!
//! An engine takes the end of a text for the end of a line and of everything. Neither holds behind
//! a last line end, where no line begins, nor at the end of a section, behind which the text goes
//! on. There a match that touches the end is searched for once more, with one more byte behind it.

use std::ops::Range;

use regex_automata::Input;
use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use regex_syntax::hir::{Hir, Look};

/// A text, or a section of one.
#[derive(Debug, Clone, Copy)]
pub struct Haystack<'t> {
    /// Its bytes.
    pub bytes: &'t [u8],
    /// The text goes on behind them.
    pub goes_on: bool,
}

impl<'t> Haystack<'t> {
    /// A whole text.
    pub fn whole(bytes: &'t [u8]) -> Self {
        Self { bytes, goes_on: false }
    }

    fn ends_line(&self) -> bool {
        matches!(self.bytes.last(), Some(b'\n' | b'\r'))
    }
}

/// The assertions of an expression about the end of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct EndAssertions {
    /// It contains `$` in the multi-line mode.
    pub(super) of_line: bool,
    /// It contains `\z`, or `$` outside of that mode.
    pub(super) of_text: bool,
}

/// More bytes than the longest character has.
const BEFORE: usize = 4;

/// A byte that is no part of a word and ends no line.
const BEHIND: u8 = 0;

impl EndAssertions {
    /// Of this expression.
    pub(super) fn of(hir: &Hir) -> Self {
        let looks = hir.properties().look_set();
        let of_line = looks.contains(Look::EndCRLF) || looks.contains(Look::EndLF);
        Self { of_line, of_text: looks.contains(Look::End) }
    }

    /// True if the end of a text is none that the expression asks about.
    fn are_elsewhere(self, text: Haystack) -> bool {
        text.ends_line() && if self.of_text { text.goes_on } else { self.of_line }
    }

    /// The first match from a place on, and how much less the offsets of its groups are.
    pub(super) fn search(
        self,
        regex: &Regex,
        text: Haystack,
        from: usize,
        captures: &mut Captures,
    ) -> Option<(Range<usize>, usize)> {
        let bytes = text.bytes;
        regex.search_captures(&Input::new(bytes).range(from..), captures);
        let found = captures.get_match()?.range();
        if found.end < bytes.len() || !self.are_elsewhere(text) {
            return Some((found, 0));
        }
        let less = found.start.saturating_sub(BEFORE);
        let longer = [&bytes[less..], &[BEHIND]].concat();
        let within = found.start - less..bytes.len() - less;
        regex.search_captures(&Input::new(&longer).range(within), captures);
        let found = captures.get_match()?.range();
        Some((found.start + less..found.end + less, less))
    }
}
