//! A window of whole lines within a budget of bytes, out of text that comes in pieces.

use std::ops::{ControlFlow, RangeInclusive};

use super::line_end::LineEnd;
use super::lines::Piece;
use super::number::width;

/// Collects the lines of a range. Memory follows the budget, not the text.
#[derive(Debug)]
pub struct Window {
    wanted: RangeInclusive<u64>,
    budget: usize,
    /// Bytes of a delimiter, if the lines are to be shown with numbers.
    numbered: Option<usize>,
    /// Number of the line that is being read.
    line: u64,
    /// Something of that line was read.
    begun: bool,
    offset: u64,
    start: u64,
    bytes: Vec<u8>,
    /// Where the line that is being read begins in `bytes`.
    line_start: usize,
    /// Bytes of the complete lines without their line ends.
    text: usize,
    complete: u64,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Collecting,
    /// Every line that was wanted is here.
    Done,
    /// The budget is used up.
    Full,
    /// Not even the first line fits.
    TooLong,
}

/// What a window has collected.
#[derive(Debug, PartialEq, Eq)]
pub struct Collected {
    /// The lines, byte for byte.
    pub bytes: Vec<u8>,
    /// Where they begin in the text.
    pub offset: u64,
    /// Their numbers.
    pub lines: Option<RangeInclusive<u64>>,
    /// The budget ended before the range did.
    pub stopped: bool,
    /// Number of lines seen: all of them, if the whole text was.
    pub seen: u64,
}

/// The number of the line that is longer than the budget.
#[derive(Debug, PartialEq, Eq)]
pub struct LineTooLong(pub u64);

impl Window {
    /// A window of the lines `wanted`, of at most `budget` bytes as they are shown.
    pub fn new(wanted: RangeInclusive<u64>, budget: usize, numbered: Option<usize>) -> Self {
        let state = if wanted.is_empty() { State::Done } else { State::Collecting };
        Self {
            wanted,
            budget,
            numbered,
            line: 1,
            begun: false,
            offset: 0,
            start: 0,
            bytes: Vec::new(),
            line_start: 0,
            text: 0,
            complete: 0,
            state,
        }
    }

    /// Takes the next piece. Breaks off when nothing more will be collected.
    pub fn push(&mut self, piece: Piece) -> ControlFlow<()> {
        if self.state == State::Collecting && self.wanted.contains(&self.line) {
            if self.bytes.is_empty() && !self.begun {
                self.start = self.offset;
            }
            self.collect(piece);
        }
        self.offset += piece.bytes.len() as u64;
        self.begun = piece.end.is_none();
        if piece.end.is_some() {
            if self.state == State::Collecting && self.line >= *self.wanted.end() {
                self.state = State::Done;
            }
            self.line += 1;
        }
        if self.state == State::Collecting { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn collect(&mut self, piece: Piece) {
        let end = piece.end.map_or(0, |end: LineEnd| end.bytes().len());
        let open = self.bytes.len() - self.line_start + piece.bytes.len() - end;
        let shown = match self.numbered {
            None => self.bytes.len() + piece.bytes.len(),
            Some(delimiter) => {
                let lines = self.complete as usize + 1;
                self.text + open + lines * (width(self.line) + delimiter) + self.complete as usize
            }
        };
        if shown > self.budget {
            self.bytes.truncate(self.line_start);
            self.state = if self.complete == 0 { State::TooLong } else { State::Full };
            return;
        }
        self.bytes.extend_from_slice(piece.bytes);
        if piece.end.is_some() {
            self.text += open;
            self.complete += 1;
            self.line_start = self.bytes.len();
        }
    }

    /// What was collected, the text being over or not needed any more.
    pub fn finish(self) -> Result<Collected, LineTooLong> {
        let open = self.bytes.len() > self.line_start;
        let count = self.complete + u64::from(open);
        let first = *self.wanted.start();
        if self.state == State::TooLong {
            return Err(LineTooLong(first));
        }
        Ok(Collected {
            offset: self.start,
            lines: (count > 0).then(|| first..=first + count - 1),
            stopped: self.state == State::Full,
            seen: self.line - 1 + u64::from(self.begun),
            bytes: self.bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::lines::Splitter;
    use crate::text::number::numbered;

    fn window(
        text: &str,
        wanted: RangeInclusive<u64>,
        budget: usize,
        delimiter: Option<usize>,
    ) -> Result<Collected, LineTooLong> {
        let mut window = Window::new(wanted, budget, delimiter);
        let mut splitter = Splitter::default();
        // Two bytes at a time: no piece is a whole line.
        for chunk in text.as_bytes().chunks(2) {
            let _ = splitter.feed(chunk, |piece| {
                let _ = window.push(piece);
                ControlFlow::Continue(())
            });
        }
        let _ = splitter.finish(|piece| window.push(piece));
        window.finish()
    }

    #[test]
    fn collects_whole_lines_within_the_budget() {
        let text = "one\ntwo\r\nthree\rfour";
        for (wanted, budget, bytes, offset, lines, stopped) in [
            (1..=u64::MAX, 100, text, 0, Some(1..=4), false),
            (2..=3, 100, "two\r\nthree\r", 4, Some(2..=3), false),
            (4..=9, 100, "four", 15, Some(4..=4), false),
            (5..=9, 100, "", 0, None, false),
            (1..=u64::MAX, 9, "one\ntwo\r\n", 0, Some(1..=2), true),
            (1..=2, 9, "one\ntwo\r\n", 0, Some(1..=2), false),
            (1..=u64::MAX, 14, "one\ntwo\r\n", 0, Some(1..=2), true),
            (1..=u64::MAX, 19, text, 0, Some(1..=4), false),
        ] {
            let collected = window(text, wanted.clone(), budget, None).unwrap();
            let expected = Collected { bytes: bytes.into(), offset, lines, stopped, seen: 4 };
            assert_eq!(collected, expected, "{wanted:?} in {budget}");
        }
        assert_eq!(window(text, 3..=4, 4, None), Err(LineTooLong(3)));
    }

    #[test]
    fn an_empty_text_has_no_lines() {
        let collected = window("", 1..=u64::MAX, 100, None).unwrap();
        assert_eq!((collected.lines, collected.seen), (None, 0));
    }

    #[test]
    fn the_budget_of_numbered_lines_is_exactly_what_they_take() {
        let text: String = (1..=30).map(|n| format!("{}\n", "x".repeat(n % 7))).collect();
        for budget in 5..250 {
            match window(&text, 3..=28, budget, Some(2)) {
                Err(LineTooLong(line)) => assert!(line == 3 && budget < 6),
                Ok(collected) => {
                    let lines = collected.lines.clone().unwrap();
                    let shown = numbered(std::str::from_utf8(&collected.bytes).unwrap(), 3, ": ");
                    assert!(shown.len() <= budget, "{budget}: {shown}");
                    assert_eq!(collected.stopped, *lines.end() < 28);
                    if collected.stopped {
                        let more = window(&text, 3..=lines.end() + 1, usize::MAX, Some(2)).unwrap();
                        let more = numbered(std::str::from_utf8(&more.bytes).unwrap(), 3, ": ");
                        assert!(more.len() > budget, "{budget}: one more line would have fitted");
                    }
                }
            }
        }
    }
}
