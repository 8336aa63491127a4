//! The promises of other systems to their users: `tests/systems`, counted in `docs/systems.md`.
//!
//! Each system has a file with a line for each statement: `number | statement | answer`. The answer is
//! one or more of these, with semicolons between them:
//!
//! - `case FILE NAME`: a case below `tests/cases`;
//! - `test FILE NAME`: a test in a file of the repository;
//! - `page FILE`: documentation;
//! - `ruling: …`: the reason why fsgate differs;
//! - `waits: …`: the reason why it is not there yet.
//!
//! Every case, test and page has to exist: a case that is renamed is renamed here too.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

use crate::reference::root;

/// A system: the file of its statements, its name, its page for users, the beginning of its numbers.
struct System {
    file: &'static str,
    title: &'static str,
    page: Option<&'static str>,
    prefix: &'static str,
}

const SYSTEMS: &[System] = &[
    System { file: "card", title: "fsgate itself", page: None, prefix: "M-" },
    System { file: "command", title: "`command`", page: Some("command.md"), prefix: "0-" },
    System { file: "workflow", title: "`workflow`", page: Some("workflow.md"), prefix: "1-" },
    System { file: "file_action", title: "`file-action`", page: Some("file-action.md"), prefix: "2-" },
    System { file: "sham", title: "`sham`", page: Some("sham.md"), prefix: "3-" },
    System { file: "plugin", title: "`plugin`", page: Some("plugin.md"), prefix: "4-" },
];

/// The page with the table of the systems.
///
/// # Errors
///
/// A statement has no answer, or its answer names a case, test or page that does not exist.
pub fn page() -> Result<String> {
    let mut table = String::from(
        "| system | statements | proven or described | done otherwise | waiting |\n| --- | --- | --- | --- | --- |\n",
    );
    for system in SYSTEMS {
        let list = format!("tests/systems/{}.txt", system.file);
        let text = std::fs::read_to_string(root().join(&list))?;
        let mut kinds = [0; 3];
        for (line, number) in text.lines().zip(1..) {
            let kind = statement(line, system.prefix, number)
                .with_context(|| format!("{list}, line {number}: {line}"))?;
            kinds[kind as usize] += 1;
        }
        let title = match system.page {
            Some(page) => format!("[{}]({page})", system.title),
            None => system.title.to_owned(),
        };
        let ([proven, otherwise, waiting], all) = (kinds, kinds.iter().sum::<u32>());
        let _ = writeln!(table, "| {title} | [{all}](../{list}) | {proven} | {otherwise} | {waiting} |");
    }
    Ok(format!(
        "# Other systems\n\nEach front end carries out the language of a system that has users already. A list has the promises\n\
         of that system to its users: the number of statements leads to it. Beside each statement is the case\n\
         or test that proves it here, or the reason for a difference. A test checks that every case and test\n\
         of the lists exists, and `make reference` writes this page.\n\n{table}"
    ))
}

/// The kind of a statement: the last kind among those of its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Proven,
    Otherwise,
    Waiting,
}

fn statement(line: &str, prefix: &str, number: u32) -> Result<Kind> {
    let fields: Vec<_> = line.splitn(3, " | ").collect();
    let [id, says, answer] = fields[..] else { bail!("three fields, with ` | ` between them") };
    ensure!(id == format!("{prefix}{number}"), "the number is not {prefix}{number}");
    ensure!(!says.is_empty() && !says.contains('|'), "the statement has no text, or a line of a table in it");
    let kinds = answer.split("; ").map(answered).collect::<Result<Vec<_>>>()?;
    Ok(kinds.into_iter().max().unwrap_or(Kind::Proven))
}

fn answered(answer: &str) -> Result<Kind> {
    if answer.starts_with("ruling: ") {
        return Ok(Kind::Otherwise);
    }
    if answer.starts_with("waits: ") {
        return Ok(Kind::Waiting);
    }
    let words: Vec<_> = answer.split(' ').collect();
    let (path, name) = match words[..] {
        ["case", file, name] => (PathBuf::from("tests/cases").join(file), Some(name)),
        ["test", file, name] => (PathBuf::from(file), Some(name)),
        ["page", file] => (PathBuf::from(file), None),
        _ => bail!("`{answer}` is no answer"),
    };
    let content =
        std::fs::read_to_string(root().join(&path)).with_context(|| format!("{}", path.display()))?;
    if let Some(name) = name {
        let is_there = |line: &str| match words[0] {
            "case" => line.starts_with('#') && line.trim_start_matches('#').trim() == name,
            _ => {
                line.trim_start().trim_start_matches("async ").starts_with(&format!("fn {name}("))
                    || line.contains(&format!("def {name}("))
            }
        };
        ensure!(content.lines().any(is_there), "there is no {} `{name}` in {}", words[0], path.display());
    }
    Ok(Kind::Proven)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_has_to_be_there() {
        let here = "tests/src/systems.rs";
        for (line, expected) in [
            (format!("1-1 | it is | test {here} what_is_named_has_to_be_there"), Ok(Kind::Proven)),
            (
                "1-1 | it is | case sham/file_move.cases.md no-such-case".to_owned(),
                Err("there is no case `no-such-case`"),
            ),
            (format!("1-1 | it is | test {here} nothing"), Err("there is no test `nothing`")),
            ("1-1 | it is | page docs/none.md".to_owned(), Err("docs/none.md")),
            ("1-1 | it is | page README.md; ruling: so".to_owned(), Ok(Kind::Otherwise)),
            ("1-1 | it is | ruling: so; waits: that".to_owned(), Ok(Kind::Waiting)),
            ("1-2 | it is | ruling: so".to_owned(), Err("the number is not 1-1")),
            ("1-1 | it is".to_owned(), Err("three fields")),
            ("1-1 | it is | proven".to_owned(), Err("`proven` is no answer")),
        ] {
            match (statement(&line, "1-", 1), expected) {
                (Ok(found), Ok(kind)) => assert_eq!(found, kind, "{line}"),
                (Err(error), Err(text)) => assert!(format!("{error:#}").contains(text), "{line}: {error:#}"),
                (found, expected) => panic!("{line}: {expected:?}, found {found:?}"),
            }
        }
    }
}
