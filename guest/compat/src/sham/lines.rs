//! Lines of a text, ended by LF or CRLF.

pub(super) struct BlockLines<'a> {
    text: &'a str,
    /// The start of every [`STRIDE`]th line.
    starts: Vec<usize>,
    count: usize,
}

/// The stride of the index. Every line would multiply the memory of a text of line ends.
const STRIDE: usize = 16;

/// Lines of context in an error.
const CONTEXT: usize = 5;

impl<'a> BlockLines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let (mut starts, mut count, mut at) = (Vec::new(), 0, 0);
        for line in text.split_inclusive('\n') {
            if count % STRIDE == 0 {
                starts.push(at);
            }
            count += 1;
            at += line.len();
        }
        Self { text, starts, count }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The line with this number, from 0.
    pub(super) fn get(&self, line: usize) -> Option<&'a str> {
        let from = self.starts.get(line / STRIDE)?;
        let line = self.text[*from..].split_inclusive('\n').nth(line % STRIDE)?;
        let line = line.strip_suffix('\n').unwrap_or(line);
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    pub(super) fn text(&self, first: usize, last: usize) -> &'a str {
        let start = |line: &str| line.as_ptr() as usize - self.text.as_ptr() as usize;
        match (self.get(first), self.get(last)) {
            (Some(first), Some(last)) => {
                self.text.get(start(first)..start(last) + last.len()).unwrap_or_default()
            }
            _ => "",
        }
    }

    /// This line in its context, shifted at either end.
    pub(super) fn around(&self, line: usize) -> &'a str {
        let first = line.saturating_sub(CONTEXT / 2).min(self.len().saturating_sub(CONTEXT));
        self.text(first, (first + CONTEXT).min(self.len()).saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_found_by_its_number() {
        for end in ["\n", "\r\n"] {
            for count in 0..3 * STRIDE {
                let expected: Vec<_> = (0..count).map(|number| "ä".repeat(number % 5)).collect();
                let text: String = expected.iter().flat_map(|line| [line, end]).collect();
                for (text, rest) in [(text.clone(), None), (text + "rest", Some("rest"))] {
                    let lines = BlockLines::new(&text);
                    let all: Vec<_> = (0..).map_while(|number| lines.get(number)).collect();
                    let expected: Vec<_> = expected.iter().map(String::as_str).chain(rest).collect();
                    assert_eq!((all, lines.len()), (expected.clone(), expected.len()));
                }
            }
        }
    }
}
