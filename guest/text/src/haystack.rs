//! A searched text that knows whether more text follows.
//!
//! The regex engine takes the end of its input for an end of line and text. That is wrong after a
//! final line end, where no line begins, and at a section's end. A match that touches such an end
//! is searched again with one more byte.

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
    /// More text follows.
    pub goes_on: bool,
}

impl<'t> Haystack<'t> {
    /// A complete text.
    pub fn whole(bytes: &'t [u8]) -> Self {
        Self { bytes, goes_on: false }
    }

    fn ends_line(&self) -> bool {
        matches!(self.bytes.last(), Some(b'\n' | b'\r'))
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct EndAssertions {
    /// It contains `$` in multi-line mode.
    pub(super) of_line: bool,
    /// It contains `\z`, or `$` outside of that mode.
    pub(super) of_text: bool,
}

const BEFORE: usize = 4;

/// A byte that is neither in a word nor a line end.
const BEHIND: u8 = 0;

impl EndAssertions {
    pub(super) fn of(hir: &Hir) -> Self {
        let looks = hir.properties().look_set();
        let of_line = looks.contains(Look::EndCRLF) || looks.contains(Look::EndLF);
        Self { of_line, of_text: looks.contains(Look::End) }
    }

    /// Whether the expression asserts an end that this text's end is not.
    fn are_elsewhere(self, text: Haystack) -> bool {
        text.ends_line() && if self.of_text { text.goes_on } else { self.of_line }
    }

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
