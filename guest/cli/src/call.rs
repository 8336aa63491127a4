//! `call`: a tool or front end in JSON.

use clap::ArgMatches;
use fsgate_compat::{self as front_ends, InJson};
use fsgate_contract::{FrontEnd, Kind};
use serde_json::{Map, Value};

use crate::content;
use crate::environment::Shell;
use crate::exit::Exit;

/// A text's arguments from the host alone: user, policy, audit and time. A JSON caller may be a
/// model or forward its words.
pub const OF_THE_HOST: [&str; 4] = ["as_user", "settings_hold", "audited", "now"];

/// The refusal of the host's arguments.
pub fn said_for_the_host(arguments: &Map<String, Value>) -> Option<String> {
    let said = OF_THE_HOST.into_iter().find(|argument| arguments.contains_key(*argument))?;
    Some(format!("`{said}` is for the host to say, and not for a caller"))
}

pub(crate) fn run(args: &ArgMatches, shell: Shell) -> Result<Exit, Exit> {
    let text = |name: &str| args.get_one::<String>(name).map_or("", String::as_str);
    let arguments = parse(text("arguments"), shell)?;
    match FrontEnd::find(text("tool")) {
        None => answer(text("tool"), &arguments, shell),
        Some(front_end) => match speak(front_end, &arguments, shell) {
            Ok(outcome) => shell.print(format!("{outcome}\n").as_bytes()).map(|()| Exit::Done),
            Err(problem) => {
                shell.complain(&problem);
                Err(Exit::Usage)
            }
        },
    }
}

/// Runs a front end. The audit gets its calls, or the text without any. An error is about its
/// arguments.
fn speak(front_end: &FrontEnd, arguments: &str, shell: Shell) -> Result<String, String> {
    // A list would match fields by position and bypass the check of names.
    let problem = match serde_json::from_str(arguments) {
        Ok(Value::Object(given)) => said_for_the_host(&given),
        Ok(_) => Some(format!("the arguments of `{}`: an object is needed", front_end.name)),
        // A parser into a record would skip these errors and the host's fields.
        Err(error) => Some(format!("the arguments of `{}`: {error}", front_end.name)),
    };
    let call = |tool: &str, arguments: &str| shell.caller.call(tool, arguments);
    let (answer, has_called) = InJson::heard(shell.caller.bounds(), call, |tools| match problem {
        Some(problem) => Err(problem),
        None => front_ends::call(front_end.name, tools, &timed(front_end, arguments, shell)),
    });
    if !has_called {
        shell.caller.uncalled(front_end.name, arguments, &answer)?;
    }
    answer
}

/// Adds the time of day if the front end needs it.
fn timed(front_end: &FrontEnd, arguments: &str, shell: Shell) -> String {
    let object = serde_json::from_str::<Map<String, Value>>(arguments).ok();
    match (front_end.name, object, shell.caller.now()) {
        ("plugin", Some(mut object), Some(now)) => {
            object.insert("now".to_owned(), now.into());
            Value::Object(object).to_string()
        }
        _ => arguments.to_owned(),
    }
}

fn parse(word: &str, shell: Shell) -> Result<String, Exit> {
    content::value(word, Kind::Records, shell.streams, false, None).map_err(|problem| {
        shell.complain(&problem);
        Exit::Usage
    })
}

pub(crate) fn answer(tool: &str, arguments: &str, shell: Shell) -> Result<Exit, Exit> {
    match shell.caller.call(tool, arguments) {
        Ok(outcome) => shell.print(format!("{outcome}\n").as_bytes()).map(|()| Exit::Done),
        Err(error) => refuse(&error, shell),
    }
}

pub(crate) fn refuse(error: &str, shell: Shell) -> Result<Exit, Exit> {
    // The command has failed even without a reader.
    match shell.print(format!("{error}\n").as_bytes()) {
        Err(Exit::Internal) => Err(Exit::Internal),
        _ => Ok(Exit::of_error(error)),
    }
}

#[cfg(test)]
mod tests {
    use fsgate_contract::FRONT_ENDS;

    use super::*;

    #[test]
    fn what_is_for_the_host_to_say_is_an_argument() {
        for argument in OF_THE_HOST {
            let needle = format!("\"{argument}\"");
            assert!(FRONT_ENDS.iter().any(|known| known.input_schema.contains(&needle)), "{argument}");
        }
    }
}
