//! `fsgate read`, `fsgate replace` and so on: a tool with flags.

use clap::ArgMatches;
use fsgate::{Operation, ReadOutcome};
use serde_json::{Map, Value};

use super::open;
use crate::cli::arguments;
use crate::output::{self, Exit, answer, complain};

pub(crate) fn run(tool: &str, args: &ArgMatches) -> Exit {
    let Some(operation) = Operation::find(tool) else { return Exit::Usage };
    let opened = match open(args) {
        Ok(opened) => opened,
        Err(exit) => return exit,
    };
    let json = args.get_flag("json");
    // At a shell, a file is read to its end: answers are bounded, so there may be several.
    let reads_on = !json && operation.name == "read" && args.get_one::<u64>("max_bytes").is_none();
    let mut page = arguments(operation, args);
    let mut first_tag = None;
    loop {
        let outcome = match opened.gate.call(operation.name, &Value::Object(page.clone()).to_string()) {
            Ok(outcome) => outcome,
            Err(error) => return opened.refused(&error, json),
        };
        let exit = if json {
            answer(format!("{outcome}\n").as_bytes())
        } else {
            output::outcome(operation.name, &outcome, reads_on)
        };
        let next = if reads_on { next_page(&mut page, &outcome, &mut first_tag) } else { Next::End };
        match next {
            Next::Page if exit == Exit::Done => {}
            Next::Changed => {
                complain("the file changed while it was read");
                return Exit::Refused;
            }
            Next::Page | Next::End => return exit,
        }
    }
}

enum Next {
    Page,
    Changed,
    End,
}

/// Makes the arguments read on where the outcome has stopped.
fn next_page(arguments: &mut Map<String, Value>, outcome: &str, first_tag: &mut Option<String>) -> Next {
    let Ok(outcome) = serde_json::from_str::<ReadOutcome>(outcome) else { return Next::End };
    // Tags of large files are those of the bytes shown: only strong ones can be compared.
    let strong = !outcome.etag.starts_with('r');
    if strong && first_tag.get_or_insert_with(|| outcome.etag.clone()) != &outcome.etag {
        return Next::Changed;
    }
    if outcome.stopped.is_none() {
        return Next::End;
    }
    let shown = fsgate::lines(&outcome.content).count() as u64;
    let skipped = arguments.get("skip_lines").and_then(Value::as_u64).unwrap_or_default();
    arguments.insert("skip_lines".to_owned(), (skipped + shown).into());
    if let Some(most) = arguments.get("max_lines").and_then(Value::as_u64) {
        arguments.insert("max_lines".to_owned(), most.saturating_sub(shown).into());
    }
    Next::Page
}
