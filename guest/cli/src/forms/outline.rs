//! `outline`: one section per line, behind its lines and below those around it.

use fsgate_contract::read_types::{OutlineOutcome, SectionLines};

use crate::answers::ToolAnswers;
use crate::exit::Exit;
use crate::quote::shown;

pub(super) fn show(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: OutlineOutcome = answers.ask()?;
    let width = outcome.sections.iter().map(|section| lines(section).len()).max().unwrap_or_default();
    let text: String = outcome.sections.iter().map(|section| line(section, width)).collect();
    answers.print(text.as_bytes())?;
    let shown = u32::try_from(outcome.sections.len()).unwrap_or(u32::MAX);
    if let more @ 1.. = outcome.total.saturating_sub(shown) {
        let left = answers.said(&format!("{more} more: name a `section`, or set `max_depth`"));
        answers.shell.complain(&left);
    }
    Ok(Exit::Done)
}

fn line(section: &SectionLines, width: usize) -> String {
    let indent = 2 * usize::try_from(section.depth).unwrap_or_default();
    format!("{:>width$}: {:indent$}{}\n", lines(section), "", shown(&section.name))
}

fn lines(section: &SectionLines) -> String {
    if section.first == section.last {
        section.first.to_string()
    } else {
        format!("{}-{}", section.first, section.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_aligned_and_names_indented() {
        let section =
            |name: &str, first, last, depth| SectionLines { name: name.to_owned(), first, last, depth };
        for (section, expected) in [
            (section("struct A", 1, 12, 0), " 1-12: struct A\n"),
            (section("fn b", 3, 3, 1), "    3:   fn b\n"),
            (section("a\nb", 10, 12, 0), "10-12: a\\nb\n"),
        ] {
            assert_eq!(line(&section, 5), expected);
        }
    }
}
