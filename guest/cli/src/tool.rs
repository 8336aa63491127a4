//! A tool as a subcommand with flags.

use clap::ArgMatches;
use fsgate_contract::Operation;
use serde_json::Value;

use crate::answers::ToolAnswers;
use crate::arguments::arguments;
use crate::call;
use crate::entry_ids;
use crate::environment::Shell;
use crate::exit::Exit;
use crate::forms;

pub(crate) fn run(operation: &'static Operation, args: &ArgMatches, shell: Shell) -> Result<Exit, Exit> {
    let refused = |problem: String| {
        shell.complain(&problem);
        Exit::Usage
    };
    let mut typed = arguments(operation, args, shell.streams).map_err(refused)?;
    if operation.interface == "history" {
        entry_ids::complete(operation, &mut typed, shell).map_err(refused)?;
    }
    let (operation, typed) = entry_ids::forced(operation, args, typed, shell);
    if args.get_flag("json") {
        return call::answer(operation.name, &Value::Object(typed).to_string(), shell);
    }
    forms::show(ToolAnswers::new(operation, typed, shell))
}
