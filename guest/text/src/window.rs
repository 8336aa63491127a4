//! A window of lines within a byte budget.
//!
//! A window holds whole lines. Only a first line above the budget is cut, at a character.

use std::ops::{ControlFlow, RangeInclusive};

use super::line_end::{LineEnd, Tally};
use super::lines::LinePiece;
use super::number::width;

/// A position in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Bytes before it.
    pub offset: u64,
    /// The number of its line.
    pub line: u64,
    /// Bytes of that line before it.
    pub column: u64,
}

/// Collects lines of a range. Memory follows the budget, not the text.
#[derive(Debug)]
pub struct Window {
    wanted: RangeInclusive<u64>,
    budget: usize,
    numbered: Option<usize>,
    at: Position,
    start: Option<Position>,
    bytes: Vec<u8>,
    line_start: usize,
    /// Bytes of the complete lines without line ends.
    text: usize,
    complete: u64,
    state: WindowState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WindowState {
    Collecting,
    Done,
    Full,
    TooSmall,
}

/// The collected lines.
#[derive(Debug, PartialEq, Eq)]
pub struct Collected {
    /// The lines, byte for byte.
    pub bytes: Vec<u8>,
    /// Their start; none if nothing was collected.
    pub start: Option<Position>,
    /// Their numbers.
    pub lines: Option<RangeInclusive<u64>>,
    /// The position after them, if the text continues.
    pub next: Option<Position>,
    /// The budget ended before the range did.
    pub stopped: bool,
    /// The last line seen; the number of lines, if all were.
    pub seen: u64,
}

/// The line whose first character exceeds the budget.
#[derive(Debug, PartialEq, Eq)]
pub struct BudgetTooSmall(pub u64);

impl Window {
    /// A window of the lines `wanted` from `at` on, at most `budget` displayed bytes.
    pub fn new(at: Position, wanted: RangeInclusive<u64>, budget: usize, numbered: Option<usize>) -> Self {
        // An empty range still has a position.
        let start = (wanted.is_empty() && at.line == *wanted.start()).then_some(at);
        let past = !wanted.is_empty() && at.line > *wanted.end();
        let state = if past || start.is_some() { WindowState::Done } else { WindowState::Collecting };
        Self {
            wanted,
            budget,
            numbered,
            at,
            start,
            bytes: Vec::new(),
            line_start: 0,
            text: 0,
            complete: 0,
            state,
        }
    }

    /// Takes the next piece. Breaks when done.
    pub fn push(&mut self, piece: LinePiece) -> ControlFlow<()> {
        if self.state == WindowState::Collecting && self.wanted.contains(&self.at.line) {
            self.collect(piece);
        }
        self.at.offset += piece.bytes.len() as u64;
        if piece.end.is_some() {
            self.at.line += 1;
            self.at.column = 0;
            if self.state == WindowState::Collecting && self.at.line > *self.wanted.end() {
                self.state = WindowState::Done;
                if self.wanted.is_empty() {
                    self.start = Some(self.at);
                }
            }
        } else {
            self.at.column += piece.bytes.len() as u64;
        }
        if self.state == WindowState::Collecting { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn collect(&mut self, piece: LinePiece) {
        self.start.get_or_insert(self.at);
        let end = piece.end.map_or(0, |end: LineEnd| end.bytes().len());
        let open = self.bytes.len() - self.line_start + piece.bytes.len() - end;
        let shown = match self.numbered {
            None => self.bytes.len() + piece.bytes.len(),
            Some(delimiter) => {
                let lines = self.complete as usize + 1;
                self.text + open + lines * (width(self.at.line) + delimiter) + self.complete as usize
            }
        };
        if shown <= self.budget {
            self.bytes.extend_from_slice(piece.bytes);
            if piece.end.is_some() {
                self.text += open;
                self.complete += 1;
                self.line_start = self.bytes.len();
            }
        } else if self.complete > 0 {
            self.bytes.truncate(self.line_start);
            self.state = WindowState::Full;
        } else {
            self.cut(&piece.bytes[..piece.bytes.len() - end]);
        }
    }

    /// Takes the characters of the first line that fit.
    fn cut(&mut self, content: &[u8]) {
        let number = self.numbered.map_or(0, |delimiter| width(self.at.line) + delimiter);
        let room = self.budget.saturating_sub(number);
        let missing = room.saturating_sub(self.bytes.len()).min(content.len());
        let (taken, rest) = content.split_at(missing);
        self.bytes.extend_from_slice(taken);
        // A split character goes to the next page; an undecodable byte stays and is reported.
        let begun = self.bytes.iter().rev().take(4).position(|byte| byte & 0xC0 != 0x80);
        if let Some(back) = begun
            && rest.first().is_some_and(|next| next & 0xC0 == 0x80)
        {
            let begin = self.bytes.len() - 1 - back;
            if character(self.bytes[begin]) > back + 1 {
                self.bytes.truncate(begin);
            }
        }
        self.state = if self.bytes.is_empty() { WindowState::TooSmall } else { WindowState::Full };
    }

    /// The collected lines.
    pub fn finish(self) -> Result<Collected, BudgetTooSmall> {
        if self.state == WindowState::TooSmall {
            return Err(BudgetTooSmall(self.start.map_or(0, |start| start.line)));
        }
        let seen = self.at.line - u64::from(self.at.column == 0);
        let open = self.bytes.len() > self.line_start;
        let count = self.complete + u64::from(open);
        let start = self.start.filter(|_| !self.bytes.is_empty() || self.wanted.is_empty());
        let next = start.map(|start| {
            let offset = start.offset + self.bytes.len() as u64;
            let line = start.line + self.complete;
            let begun = if self.complete == 0 { start.column } else { 0 };
            let column = if open { begun + (self.bytes.len() - self.line_start) as u64 } else { 0 };
            Position { offset, line, column }
        });
        Ok(Collected {
            lines: start.filter(|_| count > 0).map(|start| start.line..=start.line + count - 1),
            start,
            next,
            stopped: self.state == WindowState::Full,
            seen,
            bytes: self.bytes,
        })
    }
}

impl Collected {
    /// Keeps the first `length` bytes, which end a line or are inside the first: the budget holds
    /// no more.
    pub fn keep(&mut self, length: usize) {
        self.bytes.truncate(length);
        self.stopped = true;
        let mut tally = Tally::default();
        tally.feed(&self.bytes);
        let Some(start) = self.start else { return };
        let whole = tally.total() == tally.lines();
        let count = tally.total();
        self.lines = (count > 0).then_some(start.line..=start.line + count.max(1) - 1);
        let column = if whole { 0 } else { start.column + length as u64 };
        self.next =
            Some(Position { offset: start.offset + length as u64, line: start.line + tally.lines(), column });
    }
}

fn character(first: u8) -> usize {
    match first {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::Splitter;
    use crate::number::numbered;

    const START: Position = Position { offset: 0, line: 1, column: 0 };

    /// The window of a text in pieces of two bytes, none of which is a whole line.
    fn window(
        text: &[u8],
        at: Position,
        wanted: RangeInclusive<u64>,
        budget: usize,
        delimiter: Option<usize>,
    ) -> Result<Collected, BudgetTooSmall> {
        let mut window = Window::new(at, wanted, budget, delimiter);
        let mut splitter = Splitter::default();
        for chunk in text[at.offset as usize..].chunks(2) {
            let _ = splitter.feed(chunk, |piece| {
                let _ = window.push(piece);
                ControlFlow::Continue(())
            });
        }
        let _ = splitter.finish(|piece| window.push(piece));
        window.finish()
    }

    fn at(offset: u64, line: u64, column: u64) -> Option<Position> {
        Some(Position { offset, line, column })
    }

    #[test]
    fn collects_whole_lines_within_the_budget() {
        let text = "one\ntwo\r\nthree\rfour";
        for (wanted, budget, bytes, start, lines, next, stopped) in [
            (1..=u64::MAX, 100, text, at(0, 1, 0), Some(1..=4), at(19, 4, 4), false),
            (2..=3, 100, "two\r\nthree\r", at(4, 2, 0), Some(2..=3), at(15, 4, 0), false),
            (4..=9, 100, "four", at(15, 4, 0), Some(4..=4), at(19, 4, 4), false),
            (5..=9, 100, "", None, None, None, false),
            (RangeInclusive::new(3, 2), 100, "", at(9, 3, 0), None, at(9, 3, 0), false),
            (RangeInclusive::new(6, 5), 100, "", None, None, None, false),
            (1..=u64::MAX, 9, "one\ntwo\r\n", at(0, 1, 0), Some(1..=2), at(9, 3, 0), true),
            (1..=2, 9, "one\ntwo\r\n", at(0, 1, 0), Some(1..=2), at(9, 3, 0), false),
            (1..=u64::MAX, 14, "one\ntwo\r\n", at(0, 1, 0), Some(1..=2), at(9, 3, 0), true),
            (1..=u64::MAX, 19, text, at(0, 1, 0), Some(1..=4), at(19, 4, 4), false),
            (3..=4, 4, "thre", at(9, 3, 0), Some(3..=3), at(13, 3, 4), true),
            (3..=4, 5, "three", at(9, 3, 0), Some(3..=3), at(14, 3, 5), true),
        ] {
            let collected = window(text.as_bytes(), START, wanted.clone(), budget, None).unwrap();
            let expected = Collected { bytes: bytes.into(), start, lines, next, stopped, seen: 4 };
            assert_eq!(collected, expected, "{wanted:?} in {budget}");
        }
    }

    #[test]
    fn a_long_line_is_cut_at_characters_and_never_inside_a_line_end() {
        for (text, budget, shown) in [
            ("häuser\n", 2, "h"),
            ("häuser\n", 3, "hä"),
            ("€€\n", 5, "€"),
            ("ab\r\n", 3, "ab"),
            ("ab\r\n", 2, "ab"),
        ] {
            let collected = window(text.as_bytes(), START, 1..=9, budget, None).unwrap();
            assert_eq!(
                (&collected.bytes[..], collected.stopped),
                (shown.as_bytes(), true),
                "{text:?} in {budget}"
            );
        }
        assert_eq!(window("€\n".as_bytes(), START, 1..=9, 2, None), Err(BudgetTooSmall(1)));
        assert_eq!(window(b"a\n\r\n", START, 2..=9, 1, None), Err(BudgetTooSmall(2)));
        assert_eq!(window(b"abc\n", START, 1..=9, 3, Some(2)), Err(BudgetTooSmall(1)));
        assert_eq!(window(b"abc\n", START, 1..=9, 4, Some(2)).unwrap().bytes, b"a");
    }

    #[test]
    fn windows_one_after_the_other_are_the_text() {
        let text = "one\r\n\ntwo and a half, ä and €\rthree\r\n\r\r\nlast 😀";
        for budget in 4..60 {
            let (mut position, mut seen) = (START, Vec::new());
            while position.offset < text.len() as u64 {
                let collected = window(text.as_bytes(), position, 1..=u64::MAX, budget, None).unwrap();
                assert_eq!(collected.start, Some(position), "by {budget}");
                assert!(collected.bytes.len() <= budget);
                assert_eq!(collected.seen, 7, "by {budget} at {position:?}");
                seen.extend_from_slice(&collected.bytes);
                position = collected.next.unwrap();
            }
            assert_eq!(seen, text.as_bytes(), "by {budget}");
        }
    }

    #[test]
    fn an_empty_text_has_no_lines() {
        let collected = window(b"", START, 1..=u64::MAX, 100, None).unwrap();
        assert_eq!((collected.lines, collected.seen, collected.next), (None, 0, None));
    }

    #[test]
    fn the_budget_of_numbered_lines_is_exactly_what_they_take() {
        let text: String = (1..=30).map(|n| format!("{}\n", "x".repeat(n % 7))).collect();
        let shown = |bytes: &[u8]| numbered(std::str::from_utf8(bytes).unwrap(), 3, ": ");
        for budget in 6..250 {
            let collected = window(text.as_bytes(), START, 3..=28, budget, Some(2)).unwrap();
            let lines = collected.lines.clone().unwrap();
            assert!(shown(&collected.bytes).len() <= budget, "{budget}");
            assert_eq!(collected.stopped, *lines.end() < 28);
            if collected.stopped {
                let more = window(text.as_bytes(), START, 3..=lines.end() + 1, usize::MAX, Some(2)).unwrap();
                assert!(shown(&more.bytes).len() > budget, "{budget}: one more line would have fitted");
            }
        }
    }
}
