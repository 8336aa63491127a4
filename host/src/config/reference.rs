//! The table of keys as documentation.

use std::fmt::Write;

use super::keys::{Commands, KEYS, Key, Project};
use super::value_type::ValueType;

/// Returns all keys as a Markdown table.
pub fn reference() -> String {
    let mut table = "| key | meaning | value | default | a project's file | variable | flag |\n\
                     | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for key in KEYS {
        let default = match (key.words(), key.default_words()) {
            (Some(words), _) => words.to_owned(),
            (None, value) => value.map(|value| format!("`{value}`")).unwrap_or_default(),
        };
        let cells = [
            format!("`{}`", key.name),
            key.meaning.to_owned(),
            value(key.kind),
            default,
            project(key).to_owned(),
            format!("`{}`", key.variable()),
            flag(key),
        ];
        let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| {} |", cells.join(" | "));
    }
    table
}

fn value(kind: ValueType) -> String {
    match kind {
        ValueType::Records(fields) => {
            let field = |field: &super::RecordField| {
                let optional = if field.required { "" } else { "?" };
                format!("`{}`{optional}", field.name)
            };
            format!("a list of tables: {}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        ValueType::Choice(words) => {
            words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        }
        ValueType::Patterns => "a list of patterns".to_owned(),
        kind => kind.wanted(),
    }
}

fn project(key: &Key) -> &'static str {
    match (key.project, key.kind) {
        (Project::Nothing(_), _) => "no",
        (Project::Smaller, _) => "smaller",
        (Project::Only(true), _) => "only `true`",
        (Project::Only(false), _) => "only `false`",
        (Project::Behind(_), _) => "stricter",
        (Project::Adds, _) => "adds to it",
        (Project::Both, _) => "both have to allow",
    }
}

fn flag(key: &Key) -> String {
    let Some(flag) = key.flag else {
        return if key.name == "dirs" { "`--dir`, `--read-only-dir`".to_owned() } else { String::new() };
    };
    let value = if flag.value.is_empty() { String::new() } else { format!(" {}", flag.value) };
    let on = match flag.on {
        Commands::All => "",
        Commands::Mcp => " (`mcp`)",
    };
    format!("`--{}{value}`{on}", flag.name)
}
