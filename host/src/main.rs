//! The program `fsgate`: the tools at a shell.

mod cli;
mod commands;
mod output;

use std::process::ExitCode;

use output::Exit;

fn main() -> ExitCode {
    // Wrong usage ends here, with clap's message and code 2.
    let matches = cli::command().get_matches();
    let exit = match matches.subcommand() {
        Some(("call", args)) => commands::call::run(args),
        Some(("tools", args)) => commands::tools::run(args),
        Some(("component", args)) => commands::component::run(args),
        Some((tool, args)) => commands::tool::run(tool, args),
        None => Exit::Usage,
    };
    exit.into()
}
