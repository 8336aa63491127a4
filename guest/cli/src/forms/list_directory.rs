//! `list-directory`: one line per entry, like `ls -l`.

use fsgate_contract::search_types::ListDirectoryOutcome;
use fsgate_contract::types::{Entry, Kind};

use super::left_out::LeftOut;
use super::to_the_second;
use crate::answers::ToolAnswers;
use crate::exit::Exit;
use crate::quote::shown;

pub(super) fn show(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let recursive = answers.is_set("recursive");
    let mut left_out = LeftOut::default();
    let mut columns = 0;
    loop {
        let outcome: ListDirectoryOutcome = answers.ask()?;
        let widths = outcome.entries.iter().map(|entry| entry.size.to_string().len());
        columns = widths.max().unwrap_or_default().max(columns);
        let lines: String = outcome
            .entries
            .iter()
            .map(|entry| match recursive && answers.are_in_json() {
                // A model gives it back as it stands.
                true => line(entry, &answers.places().relative(&entry.path), columns),
                false => line(entry, name(entry, &outcome.path, recursive), columns),
            })
            .collect();
        answers.print(lines.as_bytes())?;
        answers.notes(&outcome.notes);
        left_out.add(&outcome.skipped);
        if answers.next(outcome.next_cursor)? {
            continue;
        }
        // A directory's last answer has the full count.
        if !recursive {
            left_out = LeftOut::default();
            left_out.add(&outcome.skipped);
        }
        left_out.tell(&answers.shell);
        return Ok(Exit::Done);
    }
}

/// Kind, size, time, perhaps tag, name, and a link's target.
fn line(entry: &Entry, name: &str, columns: usize) -> String {
    let (letter, end) = match entry.kind {
        Kind::File => ('-', String::new()),
        Kind::Directory => ('d', "/".to_owned()),
        Kind::Special => ('?', String::new()),
        Kind::Link => (
            'l',
            match &entry.target {
                Some(target) => format!(" -> {}", shown(target)),
                None => " -> outside of its grant".to_owned(),
            },
        ),
    };
    let modified = entry.modified.as_deref().map(to_the_second).unwrap_or_default();
    let tag = entry.etag.as_deref().map(|tag| format!("{tag}  ")).unwrap_or_default();
    let ignored = if entry.ignored == Some(true) { " [ignored]" } else { "" };
    format!("{letter} {:columns$} {modified:20} {tag}{}{end}{ignored}\n", entry.size, shown(name))
}

/// The name, or if recursive the path below the directory.
fn name<'a>(entry: &'a Entry, directory: &str, recursive: bool) -> &'a str {
    let below = entry.path.strip_prefix(directory).map(|below| below.trim_start_matches('/'));
    below.filter(|_| recursive).unwrap_or(&entry.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_pass_for_another_line() {
        let entry = |name: &str, kind: Kind, target: Option<&str>| Entry {
            path: format!("/w/{name}"),
            name: name.to_owned(),
            kind,
            size: 12,
            modified: Some("2026-11-21T00:23:57.106559900Z".to_owned()),
            media_type: None,
            etag: None,
            checksum: None,
            target: target.map(str::to_owned),
            escapes: None,
            links: None,
            hidden: false,
            ignored: None,
            depth: None,
        };
        for (entry, expected) in [
            (entry("a", Kind::File, None), "-   12 2026-11-21T00:23:57Z a\n"),
            (entry("b\n- 1 c", Kind::Directory, None), "d   12 2026-11-21T00:23:57Z b\\n- 1 c/\n"),
            (entry("l", Kind::Link, Some("../b")), "l   12 2026-11-21T00:23:57Z l -> ../b\n"),
        ] {
            assert_eq!(line(&entry, &entry.name, 4), expected);
        }
    }
}
