//! The lines of a text with blocks: ended by LF or CRLF.

/// The lines of a text, without their ends.
pub(super) struct Lines<'a> {
    text: &'a str,
    lines: Vec<&'a str>,
}

/// Lines that an error shows.
const CONTEXT: usize = 5;

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let bare = |line: &'a str| {
            let line = line.strip_suffix('\n').unwrap_or(line);
            line.strip_suffix('\r').unwrap_or(line)
        };
        Self { text, lines: text.split_inclusive('\n').map(bare).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The line with this number, counted from 0.
    pub(super) fn get(&self, line: usize) -> Option<&'a str> {
        self.lines.get(line).copied()
    }

    /// The text from one line to another one, both included, without the last one's end.
    pub(super) fn text(&self, first: usize, last: usize) -> &'a str {
        let start = |line: &str| line.as_ptr() as usize - self.text.as_ptr() as usize;
        match (self.get(first), self.get(last)) {
            (Some(first), Some(last)) => {
                self.text.get(start(first)..start(last) + last.len()).unwrap_or_default()
            }
            _ => "",
        }
    }

    /// This line with those before and behind it. At either end of the text there are as many lines on the other side.
    pub(super) fn around(&self, line: usize) -> &'a str {
        let first = line.saturating_sub(CONTEXT / 2).min(self.len().saturating_sub(CONTEXT));
        self.text(first, (first + CONTEXT).min(self.len()).saturating_sub(1))
    }
}
