//! A searched text, found by its rarest byte while that byte is rare.
//!
//! `memchr` compares one byte per position, `memmem` two. This search dominates an edit of a large
//! file (bench/README.md).

use memchr::arch::all::packedpair::Pair;
use memchr::memmem::Finder;

/// Tolerated false candidates: this many, plus one per [`SPAN`] bytes. Then `memmem` continues.
const BORNE: usize = 4;
const SPAN: usize = 512;

pub(super) struct Needle {
    finder: Finder<'static>,
    rarest: Option<usize>,
}

impl Needle {
    pub(super) fn new(text: &[u8]) -> Self {
        let rarest = Pair::new(text).map(|pair| usize::from(pair.index1()));
        Self { finder: Finder::new(text).into_owned(), rarest }
    }

    pub(super) fn len(&self) -> usize {
        self.finder.needle().len()
    }

    pub(super) fn find(&self, text: &[u8]) -> Option<usize> {
        let Some(rarest) = self.rarest else { return self.finder.find(text) };
        let needle = self.finder.needle();
        // A candidate costs at most the needle's length, so the total stays linear.
        let span = needle.len().max(SPAN);
        let (mut from, mut borne) = (rarest, 0);
        loop {
            let place = from + memchr::memchr(needle[rarest], text.get(from..)?)?;
            let start = place - rarest;
            if text[start..].starts_with(needle) {
                return Some(start);
            }
            from = place + 1;
            borne += 1;
            if borne > BORNE + from / span {
                return self.finder.find(&text[start + 1..]).map(|at| start + 1 + at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_plain_search_finds() {
        let rare_at_last = "q".repeat(5_000) + "quiz";
        let often_rare = "quit ".repeat(2_000) + "quiz";
        let now_and_then = ("a".repeat(2_000) + "quit").repeat(20) + "quiz quiz";
        for text in ["", "q", "qui", "quiz", "a quiz", "quit quiz", &rare_at_last, &often_rare, &now_and_then]
        {
            for needle in ["q", "quiz", "z", "uiz", "quit quiz", "quizz", "q q"] {
                let plain =
                    text.as_bytes().windows(needle.len()).position(|found| found == needle.as_bytes());
                let found = Needle::new(needle.as_bytes()).find(text.as_bytes());
                assert_eq!(found, plain, "{needle} in {:.40} of {} bytes", text, text.len());
            }
        }
    }
}
