//! Runs one subcommand.

use clap::ArgMatches;
use fsgate_contract::Operation;

use crate::environment::Shell;
use crate::exit::Exit;
use crate::front_ends::{command, file_action, plugin, sham, workflow};
use crate::{call, catalogue, tool};

/// Runs one of [`subcommands`](crate::subcommands); none for another name.
pub fn run(name: &str, args: &ArgMatches, shell: Shell) -> Option<Exit> {
    let ended = match name {
        "call" => call::run(args, shell),
        "command" => command::run(args, shell),
        "file-action" => file_action::run(args, shell),
        "plugin" => plugin::run(args, shell),
        "sham" => sham::run(args, shell),
        "tools" => catalogue::run(args, shell),
        "workflow" => workflow::run(args, shell),
        tool => tool::run(Operation::find(tool)?, args, shell),
    };
    Some(match ended {
        Ok(exit) | Err(exit) => exit,
    })
}
