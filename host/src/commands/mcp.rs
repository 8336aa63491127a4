//! `fsgate mcp`: serves the tools to a client of the Model Context Protocol on the standard
//! streams.

use std::io::{IsTerminal, stdin};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use fsgate::Access;
use fsgate::mcp::{Answers, Server, ToolSet};
use fsgate_cli::Exit;
use fsgate_cli::quote::shell_word;

use super::mcp_clients::Client;
use crate::called;
use crate::cli::granted;
use crate::cli_gate::{DefaultGrant, asked_for, open};
use crate::streams::{complain, print};

pub(crate) fn command() -> Command {
    Command::new("mcp")
        .about("Serves the tools to an agent, by the Model Context Protocol on standard input and output")
        .long_about(
            "Serves the tools to an agent, by the Model Context Protocol on standard input and output. The client \
             starts this command by itself: --print-config says how to tell it.",
        )
        .arg(
            Arg::new("print_config")
                .long("print-config")
                .value_name("CLIENT")
                .value_parser(PossibleValuesParser::new(Client::names()))
                .help("Print how to tell a client of this command, with these directories, and do nothing else"),
        )
}

pub(crate) fn run(args: &ArgMatches) -> Exit {
    let ended = match args.get_one::<String>("print_config") {
        Some(client) => print_config(client, args),
        None => serve(args),
    };
    match ended {
        Ok(exit) | Err(exit) => exit,
    }
}

fn serve(args: &ArgMatches) -> Result<Exit, Exit> {
    let is_terminal = stdin().is_terminal();
    let server = server(args).inspect_err(|_| {
        if is_terminal {
            complain(&set_up(args));
        }
    })?;
    if is_terminal {
        complain(&format!(
            "waiting for a client of the Model Context Protocol on standard input: an agent starts this command by \
             itself; Ctrl-C ends it\n{}",
            set_up(args)
        ));
    }
    server.serve_standard_streams().map_err(|error| {
        complain(&error.to_string());
        Exit::Internal
    })?;
    Ok(Exit::Done)
}

/// Instructions for a person at a terminal, who would wait for a prompt in vain.
fn set_up(args: &ArgMatches) -> String {
    let clients: Vec<_> = Client::names().collect();
    let typed: String = granted(args)
        .iter()
        .map(|granted| match granted.access {
            Access::Read => ("--read-only-dir", granted),
            Access::Write => ("--dir", granted),
        })
        .map(|(flag, granted)| format!(" {flag} {}", shell_word(&granted.path.to_string_lossy())))
        .collect();
    let directories = if typed.is_empty() { " --dir ." } else { &typed };
    format!(
        "to set a client up, run: {} mcp{directories} --print-config CLIENT\nCLIENT is one of {}",
        called::command(),
        clients.join(", ")
    )
}

fn server(args: &ArgMatches) -> Result<Server, Exit> {
    let (config, builder) = asked_for(args, DefaultGrant::Nothing)?;
    // The check of the configuration parsed both values.
    let tools = config.text("mcp.tools").and_then(|set| set.parse::<ToolSet>().ok()).unwrap_or_default();
    let answers =
        config.text("mcp.answers").and_then(|name| name.parse::<Answers>().ok()).unwrap_or_default();
    let builder = if config.truth("mcp.remember") { builder.remember() } else { builder };
    let server = Server::new(open(builder, &config, args)?, &tools).map_err(|refused| {
        complain(&refused.to_string());
        Exit::Usage
    })?;
    let server = match config.number("mcp.answer_bytes") {
        Some(bytes) => server.answer_bytes(bytes),
        None => server,
    };
    Ok(server
        .answers(answers)
        .output_schemas(config.truth("mcp.output_schemas"))
        .ignore_roots(config.truth("mcp.ignore_roots"))
        .tell(complain))
}

/// Prints the settings for a client. Opens the server first, so that they name a command that
/// starts.
fn print_config(name: &str, args: &ArgMatches) -> Result<Exit, Exit> {
    server(args)?;
    let client = Client::find(name).ok_or(Exit::Usage)?;
    let config = client.config(args).map_err(|problem| {
        complain(&problem);
        Exit::Usage
    })?;
    let printed = print(config.as_bytes());
    complain(client.place());
    Ok(printed)
}
