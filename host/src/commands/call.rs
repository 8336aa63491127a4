//! `fsgate call`: a tool with JSON in and out.

use clap::ArgMatches;

use super::open;
use crate::output::{Exit, answer};

pub(crate) fn run(args: &ArgMatches) -> Exit {
    let text = |name: &str| args.get_one::<String>(name).map_or("", String::as_str);
    let opened = match open(args) {
        Ok(opened) => opened,
        Err(exit) => return exit,
    };
    match opened.gate.call(text("tool"), text("arguments")) {
        Ok(outcome) => answer(format!("{outcome}\n").as_bytes()),
        Err(error) => opened.refused(&error, true),
    }
}
