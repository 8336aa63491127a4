//! `fsgate config`: the configuration with its origins, checks of files, the schema and the policy.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use fsgate::config::{Config, EffectiveValue, Origin, Sources, schema};
use fsgate_cli::Exit;
use serde_json::{Map, Value, json};

use crate::cli_gate::{DefaultGrant, asked_for};
use crate::streams::{complain, print, visible};

/// `host` has the arguments that select a configuration.
pub(crate) fn command(host: &[Arg]) -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    Command::new("config")
        .about("Shows the configuration that holds, and checks files")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("show")
                .about("Prints every key with the value that holds")
                .arg(flag("origin", "Say for each value where it comes from: a file and its line, a variable, a flag"))
                .arg(flag("json", "Print JSON"))
                .args(host),
        )
        .subcommand(
            Command::new("check")
                .about("Checks a configuration file, and does nothing else")
                .arg(
                    Arg::new("file")
                        .required(true)
                        .value_name("FILE")
                        .value_hint(ValueHint::FilePath)
                        .value_parser(value_parser!(PathBuf))
                        .help("The file, TOML or YAML"),
                )
                .arg(flag("project", "Check it as a project's file, which can only take away")),
        )
        .subcommand(Command::new("schema").about("Prints the JSON Schema of a configuration file, for editors"))
        .subcommand(
            Command::new("policy")
                .about("Prints the policy that holds as JSON: what FSGATE_POLICY says to the component in another host")
                .args(host),
        )
}

pub(crate) fn run(args: &ArgMatches) -> Exit {
    let done = match args.subcommand() {
        Some(("show", args)) => show(args),
        Some(("check", args)) => check(args),
        Some(("schema", _)) => Ok(format!("{:#}\n", schema())),
        Some(("policy", args)) => policy(args),
        _ => Err(Exit::Usage),
    };
    match done {
        Ok(text) => print(text.as_bytes()),
        Err(exit) => exit,
    }
}

fn show(args: &ArgMatches) -> Result<String, Exit> {
    let (config, _) = asked_for(args, DefaultGrant::Nothing)?;
    let (with_origin, as_json) = (args.get_flag("origin"), args.get_flag("json"));
    Ok(match (as_json, with_origin) {
        (false, _) => config.values().flat_map(|held| lines(&held, with_origin)).collect(),
        (true, false) => format!("{:#}\n", tables(config.values())),
        (true, true) => {
            let entry = |held: EffectiveValue| {
                let items: Vec<_> = held.items.iter().map(Origin::to_string).collect();
                let mut entry = json!({
                    "key": held.key.name, "value": held.value, "origin": held.origin.to_string(),
                });
                if !items.is_empty() {
                    entry["items"] = items.into();
                }
                entry
            };
            format!("{:#}\n", config.values().map(entry).collect::<Value>())
        }
    })
}

fn lines(held: &EffectiveValue, with_origin: bool) -> Vec<String> {
    let line = |name: String, value: &Value, origin: &Origin| {
        let value = if value.is_null() { "(none)".to_owned() } else { value.to_string() };
        let origin = if with_origin { format!("  # {origin}") } else { String::new() };
        visible(&format!("{name} = {value}{origin}\n"))
    };
    match &held.value {
        Value::Array(items) if !items.is_empty() => items
            .iter()
            .enumerate()
            .map(|(number, item)| {
                let origin = held.items.get(number).unwrap_or(&held.origin);
                line(format!("{}[{number}]", held.key.name), item, origin)
            })
            .collect(),
        value => vec![line(held.key.name.to_owned(), value, &held.origin)],
    }
}

fn tables(values: impl Iterator<Item = EffectiveValue>) -> Value {
    let mut tables = Map::new();
    for held in values.filter(|held| !held.value.is_null()) {
        match held.key.name.split_once('.') {
            Some((table, name)) => tables.entry(table).or_insert_with(|| json!({}))[name] = held.value,
            None => drop(tables.insert(held.key.name.to_owned(), held.value)),
        }
    }
    tables.into()
}

fn check(args: &ArgMatches) -> Result<String, Exit> {
    let file = args.get_one::<PathBuf>("file").ok_or(Exit::Usage)?;
    match Config::check(file, args.get_flag("project"), &Sources::of_this_process()) {
        Ok(()) => Ok(String::new()),
        Err(refused) => {
            complain(&refused.to_string());
            Err(Exit::Usage)
        }
    }
}

fn policy(args: &ArgMatches) -> Result<String, Exit> {
    let (_, builder) = asked_for(args, DefaultGrant::Nothing)?;
    match builder.effective_policies() {
        Ok(policies) => Ok(policies.to_json() + "\n"),
        Err(refused) => {
            complain(&refused.to_string());
            Err(Exit::Usage)
        }
    }
}
