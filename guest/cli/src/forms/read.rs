//! `read`: the content, byte for byte.

use fsgate_contract::read_types::ReadOutcome;
use fsgate_text::lines;

use crate::answers::ToolAnswers;
use crate::exit::Exit;

pub(super) fn show(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    // The tag is not shown, and would reread a large file per page.
    answers.arguments.shift_remove("with_etag");
    loop {
        let outcome: ReadOutcome = answers.ask()?;
        // The cursor continues these lines to the end.
        answers.arguments.shift_remove("last_lines");
        answers.same_file(&outcome.etag)?;
        answers.print(outcome.content.as_bytes())?;
        answers.notes(&outcome.notes);
        if let Some(most) = answers.number("max_lines") {
            let left = most.saturating_sub(ended_lines(&outcome.content));
            answers.arguments.insert("max_lines".to_owned(), left.into());
        }
        if !answers.next(outcome.next_cursor.filter(|_| outcome.stopped.is_some()))? {
            return Ok(Exit::Done);
        }
    }
}

/// The lines that end here. An open line counts on the next page.
fn ended_lines(text: &str) -> u64 {
    lines::contents(text).count() as u64 - u64::from(!text.is_empty() && !text.ends_with(['\n', '\r']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_goes_on_does_not_count_yet() {
        for (text, expected) in [("", 0), ("a", 0), ("a\n", 1), ("a\r\nb\rc\n", 3), ("a\nb", 1)] {
            assert_eq!(ended_lines(text), expected, "{text:?}");
        }
    }
}
