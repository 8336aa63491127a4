//! The tools at a shell: words in, text for a person out.
//!
//! The program and the component `fsgate-command.wasm` share all words. They differ in
//! [`ToolCaller`] and [`Streams`].
//!
//! - [`flags`]: subcommands, flags and help from the contract.
//! - [`arguments`] and [`command_line`]: typed words to JSON arguments, and back.
//! - [`run`](run()): runs one subcommand.
//! - `forms`: outcomes for a person, page by page.
//! - [`show`], [`answer_text`] and [`error_text`]: the forms for a model, one answer at a time.
//!
//! Nothing here reads a file, variable or clock.

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
mod no_undo_note;
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
pub use text::{answer_text, error_text, show};
