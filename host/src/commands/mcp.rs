//! `fsgate mcp`: the tools for a client of the Model Context Protocol, on the standard streams.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use fsgate::mcp::{Answers, Server, ToolSet};
use fsgate_command_line::Exit;

use super::mcp_clients::Client;
use crate::opened::{asked_for, open};
use crate::streams::{complain, print};

/// What can be typed.
pub(crate) fn command() -> Command {
    Command::new("mcp")
        .about("Serves the tools to an agent, by the Model Context Protocol on standard input and output")
        .long_about(
            "Serves the tools to an agent, by the Model Context Protocol on standard input and output. The client \
             starts this command by itself: --print-config says how to tell it.",
        )
        .arg(
            Arg::new("tools")
                .long("tools")
                .value_name("SET|TOOL,...")
                .default_value("core")
                .value_parser(|typed: &str| typed.parse::<ToolSet>())
                .help("Tools to serve: `core`, `all`, `read-only`, or names; every tool costs the model that reads the list"),
        )
        .arg(
            Arg::new("answers")
                .long("answers")
                .value_name("FORM")
                .default_value("both")
                .value_parser(PossibleValuesParser::new(Answers::NAMES))
                .help("What answers consist of: `text` for models, `data` for programs, or both; some clients show a model only the data"),
        )
        .arg(
            Arg::new("parallel")
                .long("parallel")
                .value_name("N")
                .value_parser(value_parser!(u16).range(1..=64))
                .help("Calls that run at once, if they change nothing [default: 4]"),
        )
        .arg(
            Arg::new("output_schemas")
                .long("output-schemas")
                .action(ArgAction::SetTrue)
                .help("List the schemas of outcomes too: for clients that check data, not for models"),
        )
        .arg(
            Arg::new("ignore_roots")
                .long("ignore-roots")
                .action(ArgAction::SetTrue)
                .help("Serve the directories as they are granted, also what lies outside of the client's roots (the projects that are open in it)"),
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
    let server = server(args)?;
    server.serve_standard_streams().map_err(|error| {
        complain(&error.to_string());
        Exit::Internal
    })?;
    Ok(Exit::Done)
}

/// The server that is asked for, with its directories opened.
fn server(args: &ArgMatches) -> Result<Server, Exit> {
    let mut builder = asked_for(args)?;
    if let Some(parallel) = args.get_one::<u16>("parallel") {
        builder = builder.parallel(usize::from(*parallel));
    }
    let tools = args.get_one::<ToolSet>("tools").cloned().unwrap_or_default();
    let answers = args.get_one::<String>("answers").and_then(|name| name.parse().ok()).unwrap_or_default();
    let server = Server::new(open(builder, args)?, &tools).map_err(|refused| {
        complain(&refused.to_string());
        Exit::Usage
    })?;
    Ok(server
        .answers(answers)
        .output_schemas(args.get_flag("output_schemas"))
        .ignore_roots(args.get_flag("ignore_roots"))
        .tell(complain))
}

/// Only a command that would start is told to a client.
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
