//! `read-numbered`: numbered lines, pages joined.

use fsgate_contract::read_types::{ReadNumberedArgs, ReadNumberedOutcome};
use fsgate_text::number::{parse_lines, width};

use crate::answers::ToolAnswers;
use crate::exit::Exit;

pub(super) fn show(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let delimiter = ReadNumberedArgs {
        delimiter: answers.text("delimiter").map(str::to_owned),
        ..ReadNumberedArgs::default()
    };
    let delimiter = delimiter.delimiter();
    let end = answers.text("lines").and_then(|spec| parse_lines(spec).ok()).map(|range| *range.end());
    let mut columns = 0;
    let mut begun = false;
    loop {
        let outcome: ReadNumberedOutcome = answers.ask()?;
        answers.same_file(&outcome.etag)?;
        let goes_on = outcome.next_cursor.is_some() && answers.paged;
        if let (Some(first), Some(last)) = (outcome.first, outcome.last) {
            let shown = width(last.into());
            if goes_on {
                columns = columns.max(widest(outcome.total, end).unwrap_or(shown));
            }
            columns = columns.max(shown);
            let inside = begun && outcome.begins_at.is_some();
            let lines = NumberedLines { content: &outcome.content, first, last, delimiter, inside };
            let text = lines.aligned(columns);
            let text = if begun && !inside { format!("\n{text}") } else { text };
            answers.print(text.as_bytes())?;
            begun = true;
        }
        answers.notes(&outcome.notes);
        if answers.next(outcome.next_cursor)? {
            continue;
        }
        if begun {
            answers.print(b"\n")?;
        }
        if let Some(out) = outcome.out_of_range {
            answers
                .shell
                .complain(&format!("the file has {} lines; {} were asked for", out.total, out.requested));
        }
        return Ok(Exit::Done);
    }
}

/// The width of the largest possible number, if known.
fn widest(total: Option<u32>, end: Option<u64>) -> Option<usize> {
    let last = match (total.map(u64::from), end) {
        (Some(total), Some(end)) => total.min(end),
        (total, end) => total.or(end)?,
    };
    // An endless range in a file of unknown length.
    (last <= u64::from(u32::MAX)).then(|| width(last))
}

struct NumberedLines<'a> {
    content: &'a str,
    first: u32,
    last: u32,
    delimiter: &'a str,
    /// The first line's number is on the page before.
    inside: bool,
}

impl NumberedLines<'_> {
    fn aligned(&self, columns: usize) -> String {
        let shown = width(self.last.into());
        let padding = columns - shown;
        let prefix = shown + self.delimiter.len();
        let mut out =
            String::with_capacity(self.content.len() + padding * (self.last - self.first + 1) as usize);
        let mut rest = self.content;
        // The delimiter may hold line ends, so prefixes are skipped.
        for number in self.first..=self.last {
            let line =
                rest.get(prefix..).and_then(|text| text.find('\n')).map_or(rest.len(), |end| prefix + end);
            let (this, after) = rest.split_at(line);
            if number == self.first && self.inside {
                out.push_str(this.get(prefix..).unwrap_or_default());
            } else {
                out.extend(std::iter::repeat_n(' ', padding));
                out.push_str(this);
            }
            rest = after.strip_prefix('\n').unwrap_or(after);
            if number < self.last {
                out.push('\n');
            }
        }
        out.push_str(rest);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_aligned_to_one_width() {
        for (content, (first, last), delimiter, inside, columns, expected) in [
            ("8: a\n9: b", (8, 9), ": ", false, 3, "  8: a\n  9: b"),
            (" 9: a\n10: b", (9, 10), ": ", false, 2, " 9: a\n10: b"),
            (" 9: rest\n10: b", (9, 10), ": ", true, 4, "rest\n  10: b"),
            ("7: whole", (7, 7), ": ", true, 1, "whole"),
            ("1\na\n2\nb", (1, 2), "\n", false, 2, " 1\na\n 2\nb"),
            ("1\n2", (1, 2), "", false, 1, "1\n2"),
        ] {
            let lines = NumberedLines { content, first, last, delimiter, inside };
            assert_eq!(lines.aligned(columns), expected);
        }
    }

    #[test]
    fn the_last_number_is_the_smaller_of_those_that_are_known() {
        for (total, end, expected) in [
            (Some(120), None, Some(3)),
            (Some(120), Some(20), Some(2)),
            (None, Some(20), Some(2)),
            (None, Some(u64::MAX), None),
            (None, None, None),
        ] {
            assert_eq!(widest(total, end), expected);
        }
    }
}
