//! `fsgate skill`: the page that teaches a model the lean set.

use std::fs;
use std::path::PathBuf;

use clap::ArgMatches;
use fsgate::mcp::{SKILL, SKILL_NAME};
use fsgate_cli::Exit;

use crate::streams::{complain, print};

pub(crate) fn run(args: &ArgMatches) -> Exit {
    let Some(directory) = args.get_one::<PathBuf>("output") else { return print(SKILL.as_bytes()) };
    let directory = directory.join(SKILL_NAME);
    let written = fs::create_dir_all(&directory).and_then(|()| fs::write(directory.join("SKILL.md"), SKILL));
    match written {
        Ok(()) => Exit::Done,
        Err(error) => {
            complain(&format!("cannot write to `{}`: {error}", directory.display()));
            Exit::Internal
        }
    }
}
