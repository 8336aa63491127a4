//! History tools: a table of changes, and a line for an undo.

use fsgate_contract::history_types::{
    CheckpointOutcome, ForgetOutcome, LogEntry, LogOutcome, LogSummary, RecoverOutcome, RedoOutcome,
    RestoreOutcome, UndoOutcome,
};

use fsgate_contract::id;

use super::to_the_second;
use crate::answers::ToolAnswers;
use crate::environment::PathContext;
use crate::exit::Exit;
use crate::quote::shown;

const PATHS: usize = 3;

pub(super) fn log(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let mut listed = false;
    let nothing = match (answers.text("path"), answers.text("cursor")) {
        (Some(_), _) => "the history knows no change of this path",
        (None, Some(_)) => "the history has nothing before that",
        (None, None) => "the history is empty",
    };
    loop {
        let outcome: LogOutcome = answers.ask()?;
        let width = outcome.entries.iter().map(|entry| entry.tool.len()).max().unwrap_or_default();
        let diffs: Vec<_> = outcome.entries.iter().filter_map(|entry| entry.diff.as_deref()).collect();
        let mut diffs = answers.diffs(&diffs).into_iter();
        for entry in &outcome.entries {
            listed = true;
            let line = line(entry, width, answers.places(), !answers.are_in_json());
            answers.print(line.as_bytes())?;
            if let Some(diff) = entry.diff.as_ref().and_then(|_| diffs.next()) {
                answers.print(diff.as_bytes())?;
            }
        }
        for conflict in &outcome.conflicts {
            listed = true;
            let what = summary(conflict, answers.places());
            let told = format!("interrupted, and changed by somebody else since: {what}");
            answers.shell.complain(&answers.said(&told));
        }
        answers.notes(&outcome.notes);
        if answers.next(outcome.next_cursor)? {
            continue;
        }
        if !listed && !answers.are_in_json() {
            answers.shell.complain(nothing);
        }
        return Ok(Exit::Done);
    }
}

/// Id, time, operation, state, bytes for a person, paths.
fn line(entry: &LogEntry, width: usize, places: &PathContext, sized: bool) -> String {
    let bytes = if sized { format!("{:>9}  ", entry.bytes) } else { String::new() };
    let what = match &entry.label {
        Some(label) => shown(label).to_string(),
        None => paths(&entry.paths, places),
    };
    let several = if entry.changes > 1 { format!(" ({} changes)", entry.changes) } else { String::new() };
    let undone = match entry {
        LogEntry { hidden: Some(true), .. } => "hidden",
        LogEntry { undone: true, .. } => "undone",
        _ => "",
    };
    format!(
        "{}  {}  {:width$}  {undone:6}  {bytes}{what}{several}\n",
        id::shown(&entry.undo_id),
        to_the_second(&entry.time),
        entry.tool,
    )
}

fn paths(paths: &[String], places: &PathContext) -> String {
    let first: Vec<_> = paths.iter().take(PATHS).map(|path| shown(&places.relative(path))).collect();
    match paths.len().saturating_sub(PATHS) {
        0 => first.join(" "),
        _ => format!("{} …", first.join(" ")),
    }
}

fn summary(entry: &LogSummary, places: &PathContext) -> String {
    let (time, paths) = (to_the_second(&entry.time), paths(&entry.paths, places));
    format!("{} of {time} {paths} {}", entry.tool, id::shown(&entry.undo_id))
}

pub(super) fn checkpoint(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: CheckpointOutcome = answers.ask()?;
    let id = outcome.undo_id.unwrap_or_default();
    let id = id::shown(&id);
    answers.finish(&format!("checkpoint {} {id}", shown(&outcome.label)), None, &outcome.notes)
}

pub(super) fn undo(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: UndoOutcome = answers.ask()?;
    let text = lines(&answers, &answers.verb("undone", "undo"), &outcome.undone);
    let text = with_names(text, outcome.names);
    answers.finish(&text, outcome.diff.as_deref(), &outcome.notes)
}

pub(super) fn redo(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: RedoOutcome = answers.ask()?;
    let text = lines(&answers, &answers.verb("taken back", "take back"), &outcome.redone);
    let text = with_names(text, outcome.names);
    answers.finish(&text, outcome.diff.as_deref(), &outcome.notes)
}

/// A text with a number of changed names: one name goes without saying.
fn with_names(text: String, names: u64) -> String {
    if names > 1 { format!("{text}\n({names} names)") } else { text }
}

fn lines(answers: &ToolAnswers, verb: &str, entries: &[LogSummary]) -> String {
    entries
        .iter()
        .map(|entry| format!("{verb}: {}", summary(entry, answers.places())))
        .collect::<Vec<_>>()
        .join("\n")
}

pub(super) fn restore(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: RestoreOutcome = answers.ask()?;
    let restored = format!("{} {}", answers.verb("restored", "restore"), answers.path(&outcome.path));
    let undone = lines(&answers, &answers.verb("undone", "undo"), &outcome.undone);
    // By force, without a path, the whole entry is undone.
    let is_entry = answers.is_set("force") && answers.text("path").is_none();
    let text = match (is_entry, outcome.undone.is_empty()) {
        (true, false) => undone,
        (false, false) => format!("{restored}\n{undone}"),
        (_, true) => restored,
    };
    answers.finish(&text, outcome.diff.as_deref(), &outcome.notes)
}

pub(super) fn forget(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: ForgetOutcome = answers.ask()?;
    let entries = if outcome.forgotten == 1 { "entry" } else { "entries" };
    answers.finish(
        &format!("forgotten: {} {entries}, {} bytes", outcome.forgotten, outcome.bytes),
        None,
        &outcome.notes,
    )
}

pub(super) fn recover(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: RecoverOutcome = answers.ask()?;
    let mut text = Vec::new();
    for (what, entries) in [
        ("finished", &outcome.finished),
        ("taken back", &outcome.rolled_back),
        ("waits for who may bring it to its end", &outcome.waiting),
        ("changed by somebody else since, not touched", &outcome.conflicts),
    ] {
        text.extend(entries.iter().map(|entry| format!("{what}: {}", summary(entry, answers.places()))));
    }
    if text.is_empty() {
        text.push("nothing was interrupted".to_owned());
    }
    answers.finish(&text.join("\n"), None, &outcome.notes)
}

#[cfg(test)]
mod tests {
    use fsgate_contract::Operation;
    use serde_json::json;

    use super::*;
    use crate::testing::Answering;

    #[test]
    fn where_nothing_is_listed_it_is_said_of_what() {
        const EMPTY: &str = r#"{"entries": [], "conflicts": [], "notes": []}"#;
        const CONFLICT: &str = r#"{"entries": [], "notes": [], "conflicts":
            [{"undo_id": "0a", "time": "2026-11-21T00:23:57Z", "tool": "write", "paths": ["/w/a"]}]}"#;
        for (outcome, arguments, expected) in [
            (EMPTY, json!({}), "the history is empty"),
            (EMPTY, json!({"path": "x"}), "the history knows no change of this path"),
            (EMPTY, json!({"cursor": "before:1"}), "the history has nothing before that"),
            (
                CONFLICT,
                json!({}),
                "interrupted, and changed by somebody else since: write of 2026-11-21T00:23:57Z /w/a 0a",
            ),
        ] {
            let answering = Answering::new(|_| outcome.to_owned());
            let arguments = arguments.as_object().unwrap().clone();
            log(ToolAnswers::new(Operation::find("log").unwrap(), arguments, answering.shell())).unwrap();
            assert_eq!(answering.told.take(), [expected], "{outcome}");
        }
    }

    #[test]
    fn a_line_tells_an_entry() {
        let entry = LogEntry {
            undo_id: "0".repeat(32),
            time: "2026-11-21T00:23:57.106559900Z".to_owned(),
            tool: "move".to_owned(),
            own: true,
            paths: ["/w/a", "/w/b\n", "/w/c", "/w/d"].map(str::to_owned).into(),
            changes: 2,
            bytes: 12,
            label: None,
            undone: true,
            hidden: None,
            undoes: None,
            etag_before: None,
            etag: None,
            diff: None,
        };
        let expected = format!(
            "{}  2026-11-21T00:23:57Z  move    undone         12  /w/a /w/b\\n /w/c … (2 changes)\n",
            "0".repeat(12)
        );
        let line = |entry: &LogEntry, sized| line(entry, 6, &PathContext::default(), sized);
        assert_eq!(line(&entry, true), expected);
        assert_eq!(line(&entry, false), expected.replace("       12  ", ""));
        let label = LogEntry { label: Some("here".to_owned()), changes: 1, undone: false, ..entry };
        assert!(line(&label, true).ends_with("  here\n"));
    }
}
