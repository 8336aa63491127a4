//! `fsgate read`, `fsgate replace` and so on: a tool with flags.

use clap::ArgMatches;
use fsgate::Operation;

use super::open;
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
    match opened.gate.call(operation.name, &arguments(operation, args)) {
        Ok(outcome) if json => answer(format!("{outcome}\n").as_bytes()),
        Ok(outcome) => output::outcome(operation.name, &outcome),
        Err(error) => {
            if json {
                answer(format!("{error}\n").as_bytes());
            } else {
                output::error(&error);
            }
            opened.hint(&error);
            Exit::of_error(&error)
        }
    }
}
