//! `call`: a tool, or a front end, with JSON in and out.

use clap::ArgMatches;
use fsgate_core::contract::{FrontEnd, Kind};
use fsgate_core::front_ends::{self, InJson};

use crate::content;
use crate::exit::Exit;
use crate::outside::Shell;

pub(crate) fn run(args: &ArgMatches, shell: Shell) -> Result<Exit, Exit> {
    let text = |name: &str| args.get_one::<String>(name).map_or("", String::as_str);
    let arguments = parse(text("arguments"), shell)?;
    let call = |tool: &str, arguments: &str| shell.caller.call(tool, arguments);
    match FrontEnd::find(text("tool")).and_then(|it| front_ends::call(it.name, &InJson(&call), &arguments)) {
        None => answer(text("tool"), &arguments, shell),
        Some(Ok(outcome)) => shell.print(format!("{outcome}\n").as_bytes()).map(|()| Exit::Done),
        Some(Err(problem)) => {
            shell.complain(&problem);
            Err(Exit::Usage)
        }
    }
}

/// The JSON that a word stands for.
fn parse(word: &str, shell: Shell) -> Result<String, Exit> {
    content::value(word, Kind::Content, shell.streams, false, None).map_err(|problem| {
        shell.complain(&problem);
        Exit::Usage
    })
}

/// Calls a tool and prints what it says.
pub(crate) fn answer(tool: &str, arguments: &str, shell: Shell) -> Result<Exit, Exit> {
    match shell.caller.call(tool, arguments) {
        Ok(outcome) => shell.print(format!("{outcome}\n").as_bytes()).map(|()| Exit::Done),
        Err(error) => refuse(&error, shell),
    }
}

/// Prints an error in JSON.
pub(crate) fn refuse(error: &str, shell: Shell) -> Result<Exit, Exit> {
    // Nobody has to read it for the command to have failed.
    match shell.print(format!("{error}\n").as_bytes()) {
        Err(Exit::Internal) => Err(Exit::Internal),
        _ => Ok(Exit::of_error(error)),
    }
}
