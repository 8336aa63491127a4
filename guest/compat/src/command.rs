//! `command`: a line with an operation, a path, and `options:`.
//!
//! [`parse`] reads a text, [`marks`] finds its keywords, [`options`] their values. The result is
//! one operation and a sentence. Unreadable options become a question: the embedding program
//! answers with their values, for example from a model.

mod execute;
mod marks;
pub mod options;
pub mod parse;
#[cfg(test)]
mod tests;

use self::execute::CommandExecutor;
use self::options::{GivenOption, Options};
use self::parse::parse;
use crate::Tools;
use crate::bounds::bytes_in_json;
use fsgate_contract::front_ends_types::{CommandArgs, CommandOutcome, CommandQuestion};
use fsgate_contract::limits::FRONT_END_TEXT_BYTES;

const INSTRUCTION: &str = "Extract file system operation options as key-value pairs.";

/// The requested keys, in the order of the answer.
const KEYS: [&str; 2] = ["content", "destination"];

/// Runs a command.
pub fn run(tools: &impl Tools, args: &CommandArgs) -> CommandOutcome {
    let parts = [Some(&args.text), args.content.as_ref(), args.destination.as_ref()];
    if parts.into_iter().flatten().map(String::len).sum::<usize>() > FRONT_END_TEXT_BYTES {
        return CommandOutcome::Failed(format!("a text has at most {FRONT_END_TEXT_BYTES} bytes"));
    }
    let command = match parse(&args.text) {
        Ok(command) => command,
        Err(flaw) => return CommandOutcome::Failed(flaw.to_string()),
    };
    let options = match command.options {
        GivenOption::Read(options) => options,
        GivenOption::Unread(raw) => match answer(args) {
            Some(options) => options,
            None if args.ask.unwrap_or(true) && bytes_in_json(&raw) <= tools.bounds().room() => {
                return question(raw);
            }
            None => return CommandOutcome::Failed("Invalid options: unable to parse.".to_owned()),
        },
    };
    match CommandExecutor::new(tools, command.operation, command.path).execute(&options) {
        Ok(sentence) => CommandOutcome::Done(sentence),
        Err(sentence) => CommandOutcome::Failed(sentence),
    }
}

fn answer(args: &CommandArgs) -> Option<Options<'_>> {
    let options = Options {
        content: args.content.as_deref(),
        destination: args.destination.as_deref().map(Into::into),
    };
    Some(options).filter(|options| *options != Options::default())
}

fn question(raw: &str) -> CommandOutcome {
    CommandOutcome::NeedsOptions(CommandQuestion {
        raw: raw.to_owned(),
        instruction: INSTRUCTION.to_owned(),
        keys: KEYS.map(str::to_owned).to_vec(),
    })
}
