//! `fsgate read`, `fsgate replace` and so on: a tool with flags.

use clap::ArgMatches;
use fsgate::{Operation, ReadArgs, ReadOutcome};

use super::{Opened, open};
use crate::cli::arguments;
use crate::output::{self, Exit, answer, complain};

pub(crate) fn run(tool: &str, args: &ArgMatches) -> Exit {
    let Some(operation) = Operation::find(tool) else { return Exit::Usage };
    let opened = match open(args) {
        Ok(opened) => opened,
        Err(refused) => {
            complain(&refused.to_string());
            return Exit::Usage;
        }
    };
    let json = args.get_flag("json");
    let asked = arguments(operation, args);
    // At a shell, a file is read to its end: answers are bounded, so there may be several.
    let reads_on = !json && operation.name == "read" && args.get_one::<u64>("max_bytes").is_none();
    let call = |arguments: &str| match opened.gate.call(operation.name, arguments) {
        Ok(outcome) if json => Ok((answer(format!("{outcome}\n").as_bytes()), outcome)),
        Ok(outcome) => Ok((output::outcome(operation.name, &outcome, reads_on), outcome)),
        Err(error) => Err(refused(&opened, &error, json)),
    };
    let mut page = asked;
    let mut first_tag = None;
    loop {
        let (exit, outcome) = match call(&page) {
            Ok(answered) => answered,
            Err(exit) => return exit,
        };
        let next = if reads_on { next_page(&page, &outcome, &mut first_tag) } else { Next::End };
        match next {
            Next::Page(next) if exit == Exit::Done => page = next,
            Next::Changed => {
                complain("the file changed while it was read");
                return Exit::Refused;
            }
            Next::Page(_) | Next::End => return exit,
        }
    }
}

fn refused(opened: &Opened, error: &str, json: bool) -> Exit {
    let printed = if json { answer(format!("{error}\n").as_bytes()) } else { Exit::Done };
    if !json {
        output::error(error);
    }
    opened.hint(error);
    if printed == Exit::Done { Exit::of_error(error) } else { printed }
}

enum Next {
    Page(String),
    Changed,
    End,
}

/// The arguments that read on where an outcome has stopped.
fn next_page(arguments: &str, outcome: &str, first_tag: &mut Option<String>) -> Next {
    let (Ok(mut args), Ok(outcome)) =
        (serde_json::from_str::<ReadArgs>(arguments), serde_json::from_str::<ReadOutcome>(outcome))
    else {
        return Next::End;
    };
    // Tags of large files are those of the bytes shown: only strong ones can be compared.
    let strong = !outcome.etag.starts_with('r');
    if strong && first_tag.get_or_insert_with(|| outcome.etag.clone()) != &outcome.etag {
        return Next::Changed;
    }
    if outcome.stopped.is_none() {
        return Next::End;
    }
    let shown = u32::try_from(fsgate::lines(&outcome.content).count()).unwrap_or(u32::MAX);
    args.skip_lines = Some(args.skip_lines().saturating_add(shown));
    args.max_lines = args.max_lines.map(|lines| lines.saturating_sub(shown));
    serde_json::to_string(&args).map_or(Next::End, Next::Page)
}
