//! The place of a line range in chunks of text, and its replacement.

use std::ops::{ControlFlow, RangeInclusive};

use super::line_end::{LineEnd, Tally, with_line_ends};
use super::lines::{LinePiece, Splitter};

/// A range of lines in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineRange {
    /// The start of the first line.
    pub start: u64,
    /// The end of the last line, its line end included.
    pub end: u64,
    /// LF bytes before the first line.
    pub newlines: u64,
    /// The line ends of the first lines, in order.
    pub ends: Vec<LineEnd>,
    /// The line end of the last one, if it has one.
    pub last: Option<LineEnd>,
}

/// Finds a line range in chunks.
#[derive(Debug)]
pub struct LineRangeFinder {
    wanted: RangeInclusive<u64>,
    most: usize,
    splitter: Splitter,
    at: u64,
    line: u64,
    newlines: u64,
    open: bool,
    region: LineRange,
    is_whole: bool,
    tally: Tally,
}

/// The result of a search.
#[derive(Debug, PartialEq, Eq)]
pub struct FoundRange {
    /// The lines; none if some are missing.
    pub region: Option<LineRange>,
    /// Line ends of the whole text.
    pub tally: Tally,
}

impl LineRangeFinder {
    /// A search from `start` on, which remembers the line ends of `most` lines. The empty range
    /// before line 1 always exists.
    pub fn new(start: u64, wanted: RangeInclusive<u64>, most: usize) -> Self {
        let is_whole = *wanted.end() == 0;
        let region = LineRange { start, end: start, newlines: 0, ends: Vec::new(), last: None };
        Self {
            wanted,
            most,
            splitter: Splitter::default(),
            at: start,
            line: 1,
            newlines: 0,
            open: false,
            region,
            is_whole,
            tally: Tally::default(),
        }
    }

    /// Scans the next chunk.
    pub fn feed(&mut self, chunk: &[u8]) {
        self.tally.feed(chunk);
        // After the range only line ends are counted.
        if !self.is_whole {
            let mut splitter = std::mem::take(&mut self.splitter);
            let _ = splitter.feed(chunk, |piece| self.piece(piece));
            self.splitter = splitter;
        }
    }

    fn piece(&mut self, piece: LinePiece) -> ControlFlow<()> {
        if self.line == *self.wanted.start() && !self.open {
            self.region.start = self.at;
            self.region.newlines = self.newlines;
        }
        self.open = true;
        self.at += piece.bytes.len() as u64;
        let Some(end) = piece.end else { return ControlFlow::Continue(()) };
        self.open = false;
        self.newlines += u64::from(end != LineEnd::Cr);
        if self.wanted.contains(&self.line) {
            self.region.last = Some(end);
            if self.region.ends.len() < self.most {
                self.region.ends.push(end);
            }
        }
        if self.line == *self.wanted.end() {
            self.region.end = self.at;
            self.is_whole = true;
            return ControlFlow::Break(());
        }
        self.line += 1;
        ControlFlow::Continue(())
    }

    /// Ends the text.
    pub fn finish(mut self) -> FoundRange {
        if !self.is_whole {
            let mut splitter = std::mem::take(&mut self.splitter);
            let _ = splitter.finish(|piece| self.piece(piece));
        }
        if !self.is_whole && self.open && self.line == *self.wanted.end() {
            self.region.end = self.at;
            self.region.last = None;
            self.is_whole = true;
        }
        FoundRange { region: self.is_whole.then_some(self.region), tally: self.tally }
    }
}

/// New text, and whether its line ends were adapted.
#[derive(Debug, PartialEq, Eq)]
pub struct PlacedLines {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Line ends were adapted to the text.
    pub adapted: bool,
}

/// `content` in place of lines. A line end becomes the one at its position, else the first, else
/// the majority; `exact` keeps it. A missing final one is the last line's.
pub fn replacing(content: &[u8], region: &LineRange, tally: &Tally, exact: bool) -> PlacedLines {
    let fallback = region.ends.first().copied().or(tally.majority());
    let mut placed = adapted(content, region.ends.iter().copied(), fallback, exact);
    if let Some(last) = region.last
        && !content.is_empty()
        && !ends_line(content)
    {
        placed.bytes.extend_from_slice(last.bytes());
    }
    placed
}

/// `content` after a line or before the first, in `size` bytes after the mark. Between lines it
/// gets a line end; an open last line before it gets one.
pub fn inserting(
    content: &[u8],
    region: &LineRange,
    tally: &Tally,
    exact: bool,
    is_empty: bool,
) -> PlacedLines {
    let majority = tally.majority();
    let mut placed = adapted(content, std::iter::empty(), majority, exact);
    let end = majority.or_else(|| LineEnd::all(content).next()).unwrap_or(LineEnd::Lf).bytes();
    let follows_open_line = region.end > region.start && region.last.is_none();
    if follows_open_line {
        placed.bytes.splice(0..0, end.iter().copied());
    } else if !is_empty && !ends_line(content) {
        placed.bytes.extend_from_slice(end);
    }
    placed
}

fn ends_line(text: &[u8]) -> bool {
    matches!(text.last(), Some(b'\n' | b'\r'))
}

fn adapted(
    content: &[u8],
    ends: impl Iterator<Item = LineEnd>,
    fallback: Option<LineEnd>,
    exact: bool,
) -> PlacedLines {
    let bytes = match fallback.filter(|_| !exact) {
        Some(fallback) => with_line_ends(content, ends.chain(std::iter::repeat(fallback))),
        None => content.to_vec(),
    };
    PlacedLines { adapted: bytes != content, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(text: &[u8], wanted: RangeInclusive<u64>, chunk: usize) -> FoundRange {
        let mut search = LineRangeFinder::new(0, wanted, 2);
        text.chunks(chunk).for_each(|chunk| search.feed(chunk));
        search.finish()
    }

    #[test]
    fn lines_are_found_wherever_the_chunks_meet() {
        use LineEnd::{Cr, CrLf, Lf};
        let text = b"a\nbb\r\n\rccc\n\nd";
        for (wanted, expected) in [
            (1..=1, Some((0, 2, 0, vec![Lf], Some(Lf)))),
            (2..=2, Some((2, 6, 1, vec![CrLf], Some(CrLf)))),
            (3..=4, Some((6, 11, 2, vec![Cr, Lf], Some(Lf)))),
            (1..=5, Some((0, 12, 0, vec![Lf, CrLf], Some(Lf)))),
            (6..=6, Some((12, 13, 4, vec![], None))),
            (5..=6, Some((11, 13, 3, vec![Lf], None))),
            (7..=7, None),
            (6..=7, None),
            (RangeInclusive::new(1, 0), Some((0, 0, 0, vec![], None))),
        ] {
            for chunk in 1..=text.len() {
                let found = search(text, wanted.clone(), chunk);
                let region = found.region.map(|region| {
                    let LineRange { start, end, newlines, ends, last } = region;
                    (start, end, newlines, ends, last)
                });
                assert_eq!(region, expected, "{wanted:?} by {chunk}");
                assert_eq!(found.tally.total(), 6);
            }
        }
        for (text, expected) in [(&b""[..], false), (b"a", true), (b"\r", true)] {
            assert_eq!(search(text, 1..=1, 1).region.is_some(), expected, "{text:?}");
            assert_eq!(search(text, 2..=2, 1).region, None, "{text:?}");
        }
    }

    fn put(text: &str, wanted: RangeInclusive<u64>, content: &str, exact: bool) -> (String, bool) {
        let FoundRange { region, tally } = search(text.as_bytes(), wanted, 3);
        let region = region.unwrap();
        let PlacedLines { bytes, adapted } = replacing(content.as_bytes(), &region, &tally, exact);
        let (start, end) = (region.start as usize, region.end as usize);
        (format!("{}{}{}", &text[..start], String::from_utf8(bytes).unwrap(), &text[end..]), adapted)
    }

    #[test]
    fn what_takes_the_place_of_lines_has_their_line_ends() {
        for (text, wanted, content, exact, expected, adapted) in [
            ("a\nb\nc\n", 2..=2, "x", false, "a\nx\nc\n", false),
            ("a\nb\nc\n", 2..=2, "x\n", false, "a\nx\nc\n", false),
            ("a\nb\nc\n", 2..=2, "x\n\n", false, "a\nx\n\nc\n", false),
            ("a\nb\nc\n", 2..=2, "", false, "a\nc\n", false),
            ("a\nb\nc\n", 1..=3, "", false, "", false),
            ("a\r\nb\r\n", 1..=1, "x\ny", false, "x\r\ny\r\nb\r\n", true),
            ("a\r\nb\r\n", 1..=1, "x\ny", true, "x\ny\r\nb\r\n", false),
            ("a\r\nb\nc\n", 1..=2, "x\ny\nz\n", false, "x\r\ny\nz\r\nc\n", true),
            ("a\nb", 2..=2, "x", false, "a\nx", false),
            ("a\nb", 2..=2, "x\n", false, "a\nx\n", false),
            ("a\r\nb", 2..=2, "x\ny\n", false, "a\r\nx\r\ny\r\n", true),
            ("a\nb", 2..=2, "", false, "a\n", false),
            ("a", 1..=1, "x\r\ny", false, "x\r\ny", false),
            ("a\rb\r", 2..=2, "x\n", false, "a\rx\r", true),
            ("a\r\n", 1..=1, "x\r\n", false, "x\r\n", false),
            ("a\n", 1..=1, "x\r\n", false, "x\n", true),
        ] {
            assert_eq!(
                put(text, wanted, content, exact),
                (expected.to_owned(), adapted),
                "{text:?} {content:?}"
            );
        }
    }

    #[test]
    fn what_is_inserted_stands_on_lines_of_its_own() {
        for (text, after, content, exact, expected) in [
            ("a\nb\n", 0, "x", false, "x\na\nb\n"),
            ("a\nb\n", 1, "x\ny", false, "a\nx\ny\nb\n"),
            ("a\nb\n", 2, "x", false, "a\nb\nx\n"),
            ("a\nb\n", 2, "x\n", false, "a\nb\nx\n"),
            ("a\nb", 2, "x", false, "a\nb\nx"),
            ("a\nb", 2, "x\n", false, "a\nb\nx\n"),
            ("a\nb", 1, "x", false, "a\nx\nb"),
            ("a\r\nb\r\n", 1, "x\n\ny", false, "a\r\nx\r\n\r\ny\r\nb\r\n"),
            ("a\r\nb\r\n", 1, "x\ny", true, "a\r\nx\ny\r\nb\r\n"),
            ("a", 1, "x", false, "a\nx"),
            ("a", 1, "x\r\ny", false, "a\r\nx\r\ny"),
            ("a", 0, "x", false, "x\na"),
            ("a\rb\r", 1, "x\n", false, "a\rx\rb\r"),
            ("", 0, "x", false, "x"),
            ("", 0, "x\r\n", false, "x\r\n"),
        ] {
            let wanted = if after == 0 { RangeInclusive::new(1, 0) } else { after..=after };
            let FoundRange { region, tally } = search(text.as_bytes(), wanted, 3);
            let region = region.unwrap();
            let placed = inserting(content.as_bytes(), &region, &tally, exact, text.is_empty());
            let at = region.end as usize;
            let found = format!("{}{}{}", &text[..at], String::from_utf8(placed.bytes).unwrap(), &text[at..]);
            assert_eq!(found, expected, "{text:?} {after} {content:?}");
        }
    }
}
