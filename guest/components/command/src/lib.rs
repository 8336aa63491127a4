//! The command line as a component: `wasi:cli/run`, over the host's directories.

#![cfg(target_family = "wasm")]

mod streams;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use fsgate_cli::{Exit, Shell, ToolCaller, answer_request, run, subcommands, synonyms, unbound};
use fsgate_contract::agent_types::{CallArgs, Tool};
use wasip2::cli::environment;
use wasip2::exports::cli::run::Guest;

use crate::streams::Standard;
use fsgate_wasi::Preopen;

struct Component;

fsgate_wasi::session!(Preopen, fsgate_wasi::open);

impl Guest for Component {
    fn run() -> Result<(), ()> {
        // Every host knows only these two exit statuses.
        if start() == Exit::Done { Ok(()) } else { Err(()) }
    }
}

wasip2::cli::command::export!(Component);

fn start() -> Exit {
    let shell = Shell { caller: &Inside, streams: &Standard };
    let words = environment::get_arguments();
    // The first one is the program.
    if words.len() <= 1 {
        return answer_request(shell);
    }
    let ended = match root().try_get_matches_from(words) {
        Ok(matches) => matches.subcommand().and_then(|(name, args)| run(name, args, shell)),
        Err(error) => return misused(&error, shell),
    };
    ended.unwrap_or(Exit::Usage)
}

fn root() -> Command {
    Command::new("fsgate")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Filesystem tools for AI agents, as a WebAssembly component")
        .long_about(
            "Filesystem tools for AI agents, as a WebAssembly component. The tools see the directories that the host \
             hands in, and nothing else: `wasmtime run --dir PATH::NAME fsgate-command.wasm read NAME/file`.\n\n\
             Without arguments it reads one call as a JSON object from standard input, such as {\"tool\": \"read\", \
             \"arguments\": {\"path\": \"src/main.rs\"}}, and prints the outcome or the error in JSON.",
        )
        .after_help("The exit status is success, or failure for everything else.")
        .subcommand_required(true)
        .subcommands(subcommands("a file in the directories that the host hands in", ""))
}

fn misused(error: &Error, shell: Shell) -> Exit {
    let text = unbound(&error.render().to_string());
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return match shell.print(text.as_bytes()) {
            Ok(()) => Exit::Done,
            Err(exit) => exit,
        };
    }
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(told) = synonyms::meant(word, "fsgate")
    {
        shell.complain(&told);
        return Exit::Usage;
    }
    shell.complain(text.trim_end());
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg)
        && (word.starts_with("--dir") || word.starts_with("--read-only-dir"))
    {
        shell.complain(
            "directories are granted by the host, in front of the component: \
             wasmtime run --dir PATH::NAME fsgate-command.wasm ...",
        );
    }
    Exit::Usage
}

struct Inside;

impl ToolCaller for Inside {
    fn call(&self, tool: &str, arguments: &str) -> Result<String, String> {
        let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
        session(|session| fsgate_wasi::call(session, &args))
            .map(|outcome| outcome.outcome)
            .map_err(|refused| refused.error)
    }

    fn tools(&self) -> Result<Vec<Tool>, String> {
        Ok(fsgate_contract::catalogue())
    }
}
