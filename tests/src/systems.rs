//! `docs/systems.md`: what the users of other systems were promised there, statement by statement, and where each is proven here.
//!
//! The statements are in `tests/systems`, a file for each system and a line for each statement: `number | statement | answer`, and the answer
//! is one or more of these, with semicolons between them:
//!
//! - `case FILE NAME`: a case below `tests/cases`;
//! - `test FILE NAME`: a test in a file of the repository;
//! - `page FILE`: documentation;
//! - `ruling: …`: it is done otherwise here, and why;
//! - `waits: …`: it is not there yet, and for what it waits.
//!
//! What is named has to be there: a case or test that is renamed has to be renamed here too.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

use crate::reference::root;

/// A system: the file of its statements, what it is called, and what their numbers begin with.
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

/// The page. An error if a statement has no answer, or one that is not there.
pub fn page() -> Result<String> {
    let mut sections = String::new();
    let mut counts = String::from(
        "| system | statements | proven or described | done otherwise | waiting |\n| --- | --- | --- | --- | --- |\n",
    );
    for system in SYSTEMS {
        let text =
            std::fs::read_to_string(root().join("tests/systems").join(format!("{}.txt", system.file)))?;
        let title = match system.page {
            Some(page) => format!("[{}]({page})", system.title),
            None => system.title.to_owned(),
        };
        let _ = writeln!(
            sections,
            "\n## {}\n\n| number | statement | answer |\n| --- | --- | --- |",
            system.title
        );
        let mut kinds = [0; 3];
        for (line, expected) in text.lines().zip(1..) {
            let statement = statement(line, system.prefix, expected)
                .with_context(|| format!("tests/systems/{}.txt, line {expected}: {line}", system.file))?;
            kinds[statement.kind as usize] += 1;
            let _ = writeln!(
                sections,
                "| {}{expected} | {} | {} |",
                system.prefix, statement.says, statement.answer
            );
        }
        let [proven, otherwise, waiting] = kinds;
        let _ = writeln!(
            counts,
            "| {title} | {} | {proven} | {otherwise} | {waiting} |",
            kinds.iter().sum::<u32>()
        );
    }
    Ok(format!(
        "# Statements and answers\n\nEach front end speaks for a system that has users already. What these were promised there is listed here, one \
         statement after the other, with the case or test that proves it, the reason why it is done otherwise, or what it waits for. The page is \
         made from `tests/systems` by `make reference`, and a test keeps it true: every case and test that it names is there.\n\n{counts}{sections}"
    ))
}

struct Statement<'a> {
    says: &'a str,
    answer: String,
    kind: Kind,
}

/// What an answer comes to in the end: what waits is not done, whatever else there is to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Proven,
    Otherwise,
    Waiting,
}

fn statement<'a>(line: &'a str, prefix: &str, number: u32) -> Result<Statement<'a>> {
    let fields: Vec<_> = line.splitn(3, " | ").collect();
    let [id, says, answer] = fields[..] else { bail!("three fields, with ` | ` between them") };
    ensure!(id == format!("{prefix}{number}"), "the number is not {prefix}{number}");
    ensure!(!says.is_empty() && !says.contains('|'), "the statement has no text, or a line of a table in it");
    let answers = answer.split("; ").map(answered).collect::<Result<Vec<_>>>()?;
    let kind = answers.iter().map(|(_, kind)| *kind).max().unwrap_or(Kind::Proven);
    let answer = answers.into_iter().map(|(text, _)| text).collect::<Vec<_>>().join("; ");
    Ok(Statement { says, answer, kind })
}

fn answered(answer: &str) -> Result<(String, Kind)> {
    if let Some(why) = answer.strip_prefix("ruling: ") {
        return Ok((format!("otherwise: {why}"), Kind::Otherwise));
    }
    if let Some(what) = answer.strip_prefix("waits: ") {
        return Ok((format!("waits for {what}"), Kind::Waiting));
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
    let link = format!("[{}](../{})", path.file_name().unwrap_or_default().to_string_lossy(), path.display());
    Ok((name.map_or_else(|| link.clone(), |name| format!("{link} `{name}`")), Kind::Proven))
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
                (Ok(statement), Ok(kind)) => assert_eq!(statement.kind, kind, "{line}"),
                (Err(error), Err(text)) => assert!(format!("{error:#}").contains(text), "{line}: {error:#}"),
                (found, expected) => {
                    panic!("{line}: {expected:?}, found {:?}", found.map(|found| found.answer))
                }
            }
        }
    }
}
