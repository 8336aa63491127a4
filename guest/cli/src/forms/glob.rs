//! `glob`: one path per match, as typed.

use fsgate_contract::path::spelling::decoded;
use fsgate_contract::search_types::GlobOutcome;
use fsgate_contract::types::Kind;

use super::left_out::LeftOut;
use crate::answers::ToolAnswers;
use crate::exit::Exit;
use crate::quote::shown;

pub(super) fn show(mut answers: ToolAnswers) -> Result<Exit, Exit> {
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
                let path = typed(start.as_deref(), &outcome.path, &entry.path);
                format!(
                    "{tag}{}{end}\n",
                    shown(&path.unwrap_or_else(|| answers.places().relative(&entry.path)))
                )
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

/// A match's path from the typed directory; none for a URL, which a plain name cannot continue.
fn typed(start: Option<&str>, directory: &str, path: &str) -> Option<String> {
    let below = path.strip_prefix(directory)?.trim_start_matches('/');
    match start {
        None | Some("." | "./" | "") => Some(below.to_owned()),
        Some(start) if decoded(start).is_ok_and(|path| path == start) => {
            Some(format!("{}/{below}", start.trim_end_matches('/')))
        }
        Some(_) => None,
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
            (Some(""), "/w", "/w/a", "a"),
            (Some("d"), "/w/d", "/w/d/a", "d/a"),
            (Some("/w/d/"), "/w/d", "/w/d/a", "/w/d/a"),
            (Some("/"), "/", "/w", "/w"),
        ] {
            assert_eq!(typed(start, directory, path).as_deref(), Some(expected));
        }
        assert_eq!(typed(Some("file:///w/d"), "/w/d", "/w/d/a%20b"), None);
    }
}
