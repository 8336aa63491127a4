//! `glob`: one path for each match, as it would be typed.

use fsgate_core::contract::search_types::GlobOutcome;
use fsgate_core::contract::types::Kind;

use super::left_out::LeftOut;
use crate::answers::Answers;
use crate::exit::Exit;
use crate::quote::shown;

pub(super) fn show(mut answers: Answers) -> Result<Exit, Exit> {
    let start = answers.text("path").map(str::to_owned);
    let mut left_out = LeftOut::default();
    let mut found = 0;
    loop {
        let outcome: GlobOutcome = answers.ask()?;
        let lines: String = outcome
            .entries
            .iter()
            .map(|entry| {
                let tag = entry.etag.as_deref().map(|tag| format!("{tag}  ")).unwrap_or_default();
                let end = if entry.kind == Kind::Directory { "/" } else { "" };
                format!("{tag}{}{end}\n", shown(&typed(start.as_deref(), &outcome.path, &entry.path)))
            })
            .collect();
        answers.print(lines.as_bytes())?;
        answers.notes(&outcome.notes);
        left_out.add(&outcome.skipped);
        found += outcome.entries.len();
        if !answers.next(outcome.next_cursor)? {
            left_out.tell(&answers.shell);
            return Ok(Exit::Done);
        }
        answers.shell.streams.progress(&format!("{found} found"));
    }
}

/// The path of a match, from the directory that was typed.
fn typed(start: Option<&str>, directory: &str, path: &str) -> String {
    let below = path.strip_prefix(directory).unwrap_or(path).trim_start_matches('/');
    match start.map(|start| start.trim_end_matches('/')) {
        None | Some(".") => below.to_owned(),
        Some(start) => format!("{start}/{below}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_as_they_were_typed() {
        for (start, directory, path, expected) in [
            (None, "/w", "/w/a/b", "a/b"),
            (Some("."), "/w", "/w/a", "a"),
            (Some("./"), "/w", "/w/a", "a"),
            (Some("d"), "/w/d", "/w/d/a", "d/a"),
            (Some("/w/d/"), "/w/d", "/w/d/a", "/w/d/a"),
            (Some("/"), "/", "/w", "/w"),
        ] {
            assert_eq!(typed(start, directory, path), expected);
        }
    }
}
