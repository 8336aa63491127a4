//! The tools at a shell: their words, and what is shown to a person.
//!
//! The program `fsgate` and the component `fsgate-command.wasm` say the same with the same words; they differ in who
//! carries out a call and what standard streams are, which [`ToolCaller`] and [`Streams`] tell.
//!
//! - [`flags`]: from the contract to subcommands, flags and their help.
//! - [`arguments`] and [`command_line`]: from what was typed to the arguments in JSON, and back.
//! - [`run`](run()): one subcommand, to its end.
//! - `forms`: what a person sees of an outcome; one that does not fit into one answer is asked for page by page.
//! - [`outcome_text`] and [`error_text`]: the same forms for a model, one answer at a time.
//!
//! Nothing here reads a file, the environment or a clock by itself: it also runs where there is no such thing.

#![forbid(unsafe_code)]

mod answers;
pub mod arguments;
mod call;
mod catalogue;
pub mod command_line;
mod content;
mod diff;
mod display_paths;
mod entry_ids;
mod environment;
mod exit;
pub mod flags;
mod forms;
mod front_ends;
mod grep_aliases;
pub mod quote;
mod request;
mod run;
pub mod synonyms;
#[cfg(test)]
mod testing;
mod text;
mod tool;

pub use call::{OF_THE_HOST, said_for_the_host};
pub use command_line::command_line;
pub use environment::{HeldSettings, PathContext, Shell, Streams, Style, ToolCaller, Unwritten};
pub use exit::Exit;
pub use flags::{subcommands, unbound};
pub use fsgate_compat::workflow::front_matter::settings;
pub use request::answer_request;
pub use run::run;
pub use text::{error_text, outcome_text};
