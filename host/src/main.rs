//! The program `fsgate`: the tools at a shell.

mod called;
mod cli;
mod cli_gate;
mod commands;
mod streams;
mod terminal;

use std::env;
use std::ffi::OsString;
use std::io::{IsTerminal, stdout};
use std::process::ExitCode;

use clap::ArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use fsgate_cli::{Exit, Shell, run, synonyms, unbound};
use fsgate_contract::limits::FRONT_END_TEXT_BYTES;

use crate::cli::WORKFLOW;
use crate::cli_gate::CliGate;
use crate::streams::{Ahead, complain, visible, written};
use crate::terminal::Terminal;

/// Sets aside two settings of the process that starts this one, under which changes cannot be
/// completed.
#[cfg(unix)]
fn prepare() {
    use rustix::fs::Mode;

    // A write past the limit on file sizes is an error of its call, and not the end of the process.
    // SAFETY: no handler runs, and no other thread has started yet.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    // The owner may use the files and directories that this process makes.
    let mask = rustix::process::umask(Mode::empty());
    rustix::process::umask(mask - Mode::RWXU);
}

#[cfg(not(unix))]
fn prepare() {}

fn main() -> ExitCode {
    prepare();
    let matches = match cli::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
                && let Some(hint) = synonyms::meant(word, &called::command())
            {
                complain(&hint);
                return ExitCode::from(Exit::Usage.code());
            }
            if error.kind() == ErrorKind::DisplayHelp {
                let help = error.render();
                let is_plain = !stdout().is_terminal() || terminal::is_plain();
                let text = if is_plain { help.to_string() } else { help.ansi().to_string() };
                return ExitCode::from(written(unbound(&text).as_bytes()).code());
            }
            // clap prints the words of the call as they are, and a terminal obeys some.
            let is_plain = |word: OsString| word.to_str().is_some_and(|word| visible(word) == word);
            if error.use_stderr() && !env::args_os().skip(1).all(is_plain) {
                complain(error.to_string().trim_start_matches("error: ").trim_end());
                return ExitCode::from(Exit::Usage.code());
            }
            // clap prints the usage error, and exits with code 2.
            error.exit()
        }
    };
    let exit = match matches.subcommand() {
        Some(("audit", args)) => commands::audit::run(args),
        Some(("component", args)) => commands::component::run(args),
        Some(("completions", args)) => commands::completions::run(args),
        Some(("config", args)) => commands::config::run(args),
        Some(("man", args)) => commands::man::run(args),
        Some(("mcp", args)) => commands::mcp::run(args),
        Some(("skill", args)) => commands::skill::run(args),
        Some((WORKFLOW, args)) => workflow(args).unwrap_or_else(|exit| exit),
        Some((name, args)) => match CliGate::open(name, args) {
            Ok(opened) => {
                let streams = Terminal::new(args);
                let exit = run(name, args, Shell { caller: &opened, streams: &streams });
                drop(streams);
                opened.hint();
                exit.unwrap_or(Exit::Usage)
            }
            Err(exit) => exit,
        },
        None => Exit::Usage,
    };
    ExitCode::from(exit.code())
}

/// Runs a workflow. Its text can narrow the grants, so it is read before anything opens.
fn workflow(args: &ArgMatches) -> Result<Exit, Exit> {
    let streams = Ahead::read(FRONT_END_TEXT_BYTES + 1).map_err(|problem| {
        complain(&problem);
        Exit::Usage
    })?;
    let opened = CliGate::open_for(&streams.text(), args)?;
    let shell = Shell { caller: &opened, streams: &streams };
    Ok(run(WORKFLOW, args, shell).unwrap_or(Exit::Usage))
}
