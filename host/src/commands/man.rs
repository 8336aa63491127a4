//! `fsgate man`: the manual pages.

use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::ArgMatches;
use clap_mangen::{Man, generate_to};
use fsgate_cli::{Exit, unbound};

use crate::cli;
use crate::streams::{complain, print};

pub(crate) fn run(args: &ArgMatches) -> Exit {
    let written = match args.get_one::<PathBuf>("output") {
        Some(directory) => {
            let written = fs::create_dir_all(directory)
                .and_then(|()| generate_to(cli::command(), directory))
                .and_then(|()| unbind(directory));
            written
                .map(|()| Exit::Done)
                .map_err(|error| format!("cannot write to `{}`: {error}", directory.display()))
        }
        None => {
            let mut page = Vec::new();
            Man::new(cli::command())
                .render(&mut page)
                .map(|()| print(unbound(&String::from_utf8_lossy(&page)).as_bytes()))
                .map_err(|error| error.to_string())
        }
    };
    written.unwrap_or_else(|problem| {
        complain(&problem);
        Exit::Internal
    })
}

fn unbind(directory: &Path) -> io::Result<()> {
    for page in fs::read_dir(directory)? {
        let path = page?.path();
        if path.extension().is_some_and(|extension| extension == "1") {
            let text = fs::read_to_string(&path)?;
            fs::write(&path, unbound(&text))?;
        }
    }
    Ok(())
}
