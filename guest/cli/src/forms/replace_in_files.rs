//! `replace-in-files`: occurrences with id and number under their path, or a line per changed file.

use std::fmt::Write;

use fsgate_contract::edit_types::{Occurrence, ReplaceInFilesOutcome};

use super::apply;
use super::grep::Unsearched;
use crate::answers::ToolAnswers;
use crate::environment::PathContext;
use crate::exit::Exit;
use crate::quote::shown;

pub(super) fn show(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let mut form = OccurrenceForm { places: answers.places().clone(), path: None };
    let (mut skipped, mut found) = (Unsearched::default(), false);
    let is_preview = !answers.arguments.contains_key("ids") && !answers.is_set("all");
    loop {
        let outcome: ReplaceInFilesOutcome = answers.ask()?;
        found |= outcome.count > 0;
        skipped.add(&outcome.skipped);
        if is_preview {
            answers.print(form.page(&outcome.occurrences).as_bytes())?;
        } else {
            apply::files(&mut answers, &outcome.files, outcome.diff.as_deref())?;
        }
        answers.notes(&outcome.notes);
        if answers.next(outcome.next_cursor)? {
            continue;
        }
        if let Some(sentence) = skipped.sentence() {
            answers.shell.complain(&sentence);
        }
        return Ok(if found || !is_preview { Exit::Done } else { Exit::Refused });
    }
}

/// The output so far, as pages continue each other.
#[derive(Debug, Default)]
struct OccurrenceForm {
    places: PathContext,
    path: Option<String>,
}

impl OccurrenceForm {
    /// One page: a path, then `ID 12:7: ` and the line of each occurrence.
    fn page(&mut self, occurrences: &[Occurrence]) -> String {
        let mut out = String::new();
        for Occurrence { id, path, line, column, text, .. } in occurrences {
            if self.path.as_ref() != Some(path) {
                let gap = if self.path.is_some() { "\n" } else { "" };
                let _ = writeln!(out, "{gap}{}", shown(&self.places.relative(path)));
                self.path = Some(path.clone());
            }
            let _ = writeln!(out, "{id} {line}:{column}: {text}");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occurrence(id: &str, path: &str, line: u32, column: u32, text: &str) -> Occurrence {
        let [id, path, text] = [id, path, text].map(str::to_owned);
        Occurrence { id, path, line, column, text, escaped: false, cut: false }
    }

    #[test]
    fn occurrences_stand_under_their_file() {
        let all = [
            occurrence("1-2-0", "/w/a", 1, 1, "one one"),
            occurrence("1-2-4", "/w/a", 1, 5, "one one"),
            occurrence("3-4-9", "/w/b\nc", 7, 3, "a one"),
        ];
        let expected = "/w/a\n1-2-0 1:1: one one\n1-2-4 1:5: one one\n\n/w/b\\nc\n3-4-9 7:3: a one\n";
        assert_eq!(OccurrenceForm::default().page(&all), expected);
        let mut form = OccurrenceForm::default();
        assert_eq!([form.page(&all[..1]), form.page(&all[1..])].concat(), expected);
    }
}
