//! `fsgate component`: the component as a file, for other hosts.

use std::fs;
use std::io::{IsTerminal, stdout};
use std::path::PathBuf;

use clap::ArgMatches;
use fsgate::COMPONENT;

use crate::output::{Exit, answer, complain};

pub(crate) fn run(args: &ArgMatches) -> Exit {
    match args.get_one::<PathBuf>("output") {
        Some(path) => match fs::write(path, COMPONENT) {
            Ok(()) => Exit::Done,
            Err(error) => {
                complain(&format!("cannot write `{}`: {error}", path.display()));
                Exit::Internal
            }
        },
        None if stdout().is_terminal() => {
            complain(
                "the component is no text: name a file with `-o FILE`, or send standard output elsewhere",
            );
            Exit::Usage
        }
        None => answer(COMPONENT),
    }
}
