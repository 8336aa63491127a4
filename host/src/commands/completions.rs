//! `fsgate completions`: completion scripts for shells.

use clap::ArgMatches;
use clap_complete::{Shell, generate};
use fsgate_cli::Exit;

use crate::cli;
use crate::streams::print;

pub(crate) fn run(args: &ArgMatches) -> Exit {
    let Some(shell) = args.get_one::<Shell>("shell") else { return Exit::Usage };
    let mut script = Vec::new();
    generate(*shell, &mut cli::command(), "fsgate", &mut script);
    print(&script)
}
