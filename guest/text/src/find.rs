//! Finds every occurrence of a text in chunks, in linear time. Memory is a chunk plus the searched
//! text.

mod needle;

use needle::Needle;

use super::line_end::{Tally, normalised};

/// The comparison of line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// Byte for byte.
    Exact,
    /// Any line end matches any other.
    Any,
}

/// An event of a scan, in order and without gaps.
#[derive(Debug, PartialEq, Eq)]
pub enum ScanEvent<'a> {
    /// A piece of text between occurrences.
    Text(&'a [u8]),
    /// An occurrence, without overlap.
    Match {
        /// Its bytes.
        bytes: &'a [u8],
        /// Its start.
        offset: u64,
        /// The line ends before it, while they are counted.
        before: Tally,
    },
}

/// A running search.
pub struct OccurrenceScan {
    needle: Needle,
    line_ends: LineEnds,
    /// The longest possible occurrence, plus a byte to recognise its last line end.
    reach: usize,
    held: Vec<u8>,
    offset: u64,
    tally: Tally,
    counted: u64,
}

impl OccurrenceScan {
    /// A search for `old`, which must not be empty.
    pub fn new(old: &[u8], line_ends: LineEnds) -> Self {
        let needle = match line_ends {
            LineEnds::Exact => old.to_vec(),
            LineEnds::Any => normalised(old),
        };
        let reach = match line_ends {
            LineEnds::Exact => needle.len(),
            LineEnds::Any => needle.len() + memchr::memchr_iter(b'\n', &needle).count() + 1,
        };
        Self {
            needle: Needle::new(&needle),
            line_ends,
            reach,
            held: Vec::new(),
            offset: 0,
            tally: Tally::default(),
            counted: u64::MAX,
        }
    }

    /// Counts line ends up to this occurrence only: counting is costly.
    pub fn counting_until(mut self, occurrences: u64) -> Self {
        self.counted = occurrences;
        self
    }

    /// Searches the next chunk in place. Only bytes that an occurrence may straddle are copied.
    pub fn feed(&mut self, chunk: &[u8], mut sink: impl FnMut(ScanEvent)) {
        let border = self.held.len();
        let (near, far) = chunk.split_at(chunk.len().min(self.reach));
        let mut rest = chunk;
        if border > 0 {
            self.held.extend_from_slice(near);
            // A CR and its LF stay together.
            if near.len() < self.reach || self.held[border - 1] == b'\r' {
                self.held.extend_from_slice(far);
                return self.search_held(sink);
            }
            let held = std::mem::take(&mut self.held);
            let done = self.search(&held, border, &mut sink);
            rest = &chunk[done - border..];
        }
        // Less would search the same bytes repeatedly.
        let done = match rest.len() >= 2 * self.reach {
            true => self.search(rest, rest.len() + 1 - self.reach, sink),
            false => 0,
        };
        self.held.extend_from_slice(&rest[done..]);
    }

    fn search_held(&mut self, sink: impl FnMut(ScanEvent)) {
        if self.held.len() >= 2 * self.reach {
            let held = std::mem::take(&mut self.held);
            let done = self.search(&held, held.len() + 1 - self.reach, sink);
            self.held.extend_from_slice(&held[done..]);
        }
    }

    /// Emits text unsearched, before the first searched chunk only.
    pub fn pass_over(&mut self, text: &[u8], mut sink: impl FnMut(ScanEvent)) {
        self.pass(text, &mut sink);
    }

    /// Ends the text. Returns the counted line ends.
    pub fn finish(mut self, sink: impl FnMut(ScanEvent)) -> Tally {
        let held = std::mem::take(&mut self.held);
        self.search(&held, held.len(), sink);
        self.tally
    }

    fn search(&mut self, held: &[u8], limit: usize, mut sink: impl FnMut(ScanEvent)) -> usize {
        let found = match self.line_ends {
            LineEnds::Exact => occurrences(&self.needle, held, limit, |at| at),
            LineEnds::Any => {
                let (text, joined) = joined(held);
                // Each CRLF before a place is one byte longer in the original.
                occurrences(&self.needle, &text, limit, |at| at + joined.partition_point(|lf| *lf < at))
            }
        };
        let mut done = 0;
        for (start, end) in found {
            self.pass(&held[done..start], &mut sink);
            let bytes = &held[start..end];
            sink(ScanEvent::Match { bytes, offset: self.offset, before: self.tally });
            self.counted = self.counted.saturating_sub(1);
            self.count(bytes);
            self.offset += bytes.len() as u64;
            done = end;
        }
        let limit = limit.max(done);
        let limit =
            if limit > done && held[limit - 1] == b'\r' && limit < held.len() { limit - 1 } else { limit };
        self.pass(&held[done..limit], &mut sink);
        limit
    }

    fn pass(&mut self, text: &[u8], sink: &mut impl FnMut(ScanEvent)) {
        if !text.is_empty() {
            self.count(text);
            self.offset += text.len() as u64;
            sink(ScanEvent::Text(text));
        }
    }

    fn count(&mut self, text: &[u8]) {
        match self.counted {
            0 => self.tally.pass(text),
            _ => self.tally.feed(text),
        }
    }
}

/// Ranges of occurrences that begin before `limit`, in offsets of the original.
fn occurrences(
    needle: &Needle,
    text: &[u8],
    limit: usize,
    original: impl Fn(usize) -> usize,
) -> Vec<(usize, usize)> {
    let length = needle.len();
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| needle.find(rest)) {
        let start = original(from + at);
        if start >= limit {
            break;
        }
        from += at + length;
        found.push((start, original(from)));
    }
    found
}

fn joined(text: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let mut out = Vec::with_capacity(text.len());
    let mut joined = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'\r' if text.get(at + 1) == Some(&b'\n') => joined.push(out.len()),
            b'\r' => out.push(b'\n'),
            byte => out.push(*byte),
        }
    }
    (out, joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offset, bytes and line of every occurrence; the events together must be the text.
    fn scan(text: &[u8], old: &[u8], line_ends: LineEnds, chunk: usize) -> Vec<(u64, String, u64)> {
        let mut scan = OccurrenceScan::new(old, line_ends);
        let (mut found, mut all) = (Vec::new(), Vec::new());
        let mut sink = |event: ScanEvent| match event {
            ScanEvent::Text(bytes) => all.extend_from_slice(bytes),
            ScanEvent::Match { bytes, offset, before } => {
                assert_eq!(offset, all.len() as u64);
                found.push((offset, String::from_utf8_lossy(bytes).into_owned(), before.lines() + 1));
                all.extend_from_slice(bytes);
            }
        };
        for chunk in text.chunks(chunk) {
            scan.feed(chunk, &mut sink);
        }
        let tally = scan.finish(&mut sink);
        let mut whole = Tally::default();
        whole.feed(text);
        assert_eq!(tally, whole, "{text:?}");
        assert_eq!(all, text);
        found
    }

    #[test]
    fn finds_occurrences_wherever_the_chunks_meet() {
        use LineEnds::{Any, Exact};
        for (text, old, line_ends, expected) in [
            ("foo bar foo", "foo", Exact, vec![(0, "foo", 1), (8, "foo", 1)]),
            ("aaaa", "aa", Exact, vec![(0, "aa", 1), (2, "aa", 1)]),
            ("aaa", "aa", Exact, vec![(0, "aa", 1)]),
            ("a\nb\na\n", "a\n", Exact, vec![(0, "a\n", 1), (4, "a\n", 3)]),
            ("a\r\nb\r\n", "a\nb", Exact, vec![]),
            ("a\r\nb\r\n", "a\nb", Any, vec![(0, "a\r\nb", 1)]),
            ("a\r\nb\r\n", "a\nb\n", Any, vec![(0, "a\r\nb\r\n", 1)]),
            ("x\ra\rb\n", "a\r\nb\r\n", Any, vec![(2, "a\rb\n", 2)]),
            ("x\r\ny", "\ny", Any, vec![(1, "\r\ny", 1)]),
            ("x\r\r\ny", "\n\ny", Any, vec![(1, "\r\r\ny", 1)]),
            ("a\r\na\r\na\r\n", "a\n", Any, vec![(0, "a\r\n", 1), (3, "a\r\n", 2), (6, "a\r\n", 3)]),
            ("a\rb", "a\n", Any, vec![(0, "a\r", 1)]),
            ("", "a", Exact, vec![]),
            ("a", "a\n", Any, vec![]),
        ] {
            let expected: Vec<_> = expected.into_iter().map(|(o, s, l)| (o, s.to_owned(), l)).collect();
            for chunk in 1..=text.len().max(1) {
                assert_eq!(
                    scan(text.as_bytes(), old.as_bytes(), line_ends, chunk),
                    expected,
                    "{text:?} {old:?} by {chunk}"
                );
            }
        }
    }

    #[test]
    fn line_ends_are_counted_as_far_as_they_are_wanted() {
        for (wanted, expected) in [(0, [1, 1, 1]), (1, [2, 2, 2]), (2, [2, 3, 3]), (3, [2, 3, 4])] {
            let mut scan = OccurrenceScan::new(b"a", LineEnds::Exact).counting_until(wanted);
            let mut lines = Vec::new();
            let mut sink = |event: ScanEvent| {
                if let ScanEvent::Match { before, .. } = event {
                    lines.push(before.line_of(b"a"));
                }
            };
            scan.feed(b"\na\na\na\n", &mut sink);
            scan.finish(&mut sink);
            assert_eq!(lines, expected, "{wanted}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_searched_as_well() {
        assert_eq!(scan(b"\xFF\0foo\xE9\r", b"foo", LineEnds::Exact, 3), vec![(2, "foo".to_owned(), 1)]);
    }

    #[test]
    fn agrees_with_a_plain_search_on_random_texts() {
        use proptest::prelude::*;
        let text =
            proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'b'), Just(b'\r'), Just(b'\n')], 0..90);
        let old = proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'\r'), Just(b'\n')], 1..5);
        proptest!(|(text in text, old in old, chunk in 1usize..40)| {
            let exact = scan(&text, &old, LineEnds::Exact, chunk);
            let plain: Vec<u64> = memchr::memmem::find_iter(&text, &old).map(|at| at as u64).collect();
            prop_assert_eq!(exact.iter().map(|(at, ..)| *at).collect::<Vec<_>>(), plain);
            let any = scan(&text, &old, LineEnds::Any, chunk);
            let plain = memchr::memmem::find_iter(&normalised(&text), &normalised(&old)).count();
            prop_assert_eq!(any.len(), plain);
            for (_, bytes, _) in any {
                prop_assert_eq!(normalised(bytes.as_bytes()), normalised(&old));
            }
        });
    }
}
