//! The program `fsgate`: the tools at a shell.

mod cli;
mod commands;
mod opened;
mod streams;

use std::process::ExitCode;

use fsgate_command_line::{Exit, Shell, run};

use crate::opened::Opened;
use crate::streams::Standard;

fn main() -> ExitCode {
    // Wrong usage ends here, with clap's message and code 2.
    let matches = cli::command().get_matches();
    let exit = match matches.subcommand() {
        Some(("audit", args)) => commands::audit::run(args),
        Some(("component", args)) => commands::component::run(args),
        Some(("completions", args)) => commands::completions::run(args),
        Some(("config", args)) => commands::config::run(args),
        Some(("man", args)) => commands::man::run(args),
        Some(("mcp", args)) => commands::mcp::run(args),
        Some((name, args)) => match Opened::open(name, args) {
            Ok(opened) => {
                let exit = run(name, args, Shell { caller: &opened, streams: &Standard });
                opened.hint();
                exit.unwrap_or(Exit::Usage)
            }
            Err(exit) => exit,
        },
        None => Exit::Usage,
    };
    ExitCode::from(exit.code())
}
