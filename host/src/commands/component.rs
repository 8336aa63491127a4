//! `fsgate component`: writes a component into a file, for other hosts.

use std::fs;
use std::io::{IsTerminal, stdout};
use std::path::PathBuf;

use clap::ArgMatches;
use fsgate::ComponentKind;
use fsgate_cli::Exit;

use crate::streams::{complain, print};

pub(crate) fn run(args: &ArgMatches) -> Exit {
    // Only known names are accepted, and there is a default.
    let kind = args.get_one::<String>("kind").and_then(|name| ComponentKind::named(name));
    let component = match fsgate::component(kind.unwrap_or(ComponentKind::Tools)) {
        Ok(component) => component,
        Err(missing) => {
            complain(&missing.to_string());
            return Exit::Usage;
        }
    };
    match args.get_one::<PathBuf>("output") {
        Some(path) => match fs::write(path, component) {
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
        None => print(&component),
    }
}
