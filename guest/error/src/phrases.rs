//! Shared phrases: names, numbers, places.

use fsgate_contract::types::Candidate;
use fsgate_text::excerpt::quoted;
use fsgate_text::nearest::Traces;

/// `1 entry`, `2 entries`.
pub(super) fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// One name, or several with `or`, each in backticks.
pub(super) fn alternatives(names: &[String]) -> String {
    let shown: Vec<_> = names.iter().map(|name| quoted(name)).collect();
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} or {last}", first.join(", ")),
        None => String::new(),
    }
}

pub(super) fn place(nearest: &Candidate, request: &str) -> String {
    let Candidate { first_line, last_line, alike, line, column, in_file, in_request } = nearest;
    let (lines, at) = if first_line == last_line && first_line == line {
        (format!("line {line}"), String::new())
    } else if first_line == last_line {
        (format!("line {first_line}"), format!("line {line} "))
    } else {
        (format!("lines {first_line}-{last_line}"), format!("line {line} "))
    };
    format!(
        "the nearest place found is {lines} ({alike} % alike): {at}column {column} has {in_file} where {request} has \
         {in_request}"
    )
}

/// The first few names, each in backticks.
pub(super) fn listed(names: &[String]) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| quoted(name)).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

pub(super) fn suggestion(known: &[&str], nearest: Option<&str>) -> String {
    match nearest {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!(
            "there are {}",
            known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        ),
    }
}

pub(super) fn found(traces: &Traces, old: &str, new: &str) -> String {
    match (traces.made, &traces.nearest) {
        (Some(line), _) => format!("; {new} stands on line {line} already, so the change may be made"),
        (None, Some(nearest)) => format!("; {}", place(nearest, old)),
        (None, None) => String::new(),
    }
}

pub(super) fn where_to_look(traces: &Traces) -> &'static str {
    match traces {
        Traces { made: Some(_), .. } => "that line first; if something is left to change, read the file",
        Traces { nearest: Some(_), .. } => "these lines",
        Traces { .. } => "the file",
    }
}

pub(super) fn on_lines(count: u64, lines: &[u32]) -> String {
    // The code has more.
    const SHOWN: usize = 20;
    on_lines_of(count, lines, SHOWN)
}

pub(super) fn on_lines_of(count: u64, lines: &[u32], shown: usize) -> String {
    let runs: Vec<_> = lines.chunk_by(|one, other| one == other).take(shown).collect();
    let rest = count.saturating_sub(runs.iter().map(|run| run.len() as u64).sum());
    let times = |run: &[u32]| if run.len() == 1 { String::new() } else { format!(" ({} times)", run.len()) };
    let shown: Vec<_> = runs.iter().map(|run| format!("{}{}", run[0], times(run))).collect();
    match (shown.split_last(), rest) {
        (Some((_, [])), 0) => format!("line {}", runs[0][0]),
        (Some((only, [])), _) => format!("line {only} and {rest} more"),
        (Some((last, first)), 0) => format!("lines {} and {last}", first.join(", ")),
        _ => format!("lines {} and {rest} more", shown.join(", ")),
    }
}
