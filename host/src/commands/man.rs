//! `fsgate man`: the manual pages.

use std::fs;
use std::path::PathBuf;

use clap::ArgMatches;
use clap_mangen::{Man, generate_to};
use fsgate_command_line::Exit;

use crate::cli;
use crate::streams::{complain, print};

pub(crate) fn run(args: &ArgMatches) -> Exit {
    let written = match args.get_one::<PathBuf>("output") {
        Some(directory) => {
            let written = fs::create_dir_all(directory).and_then(|()| generate_to(cli::command(), directory));
            written
                .map(|()| Exit::Done)
                .map_err(|error| format!("cannot write to `{}`: {error}", directory.display()))
        }
        None => {
            let mut page = Vec::new();
            Man::new(cli::command())
                .render(&mut page)
                .map(|()| print(&page))
                .map_err(|error| error.to_string())
        }
    };
    written.unwrap_or_else(|problem| {
        complain(&problem);
        Exit::Internal
    })
}
