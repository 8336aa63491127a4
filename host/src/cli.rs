//! The command line: what can be typed. The tools' flags and their help come from the contract.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use fsgate::{Field, Kind, OPERATIONS, Operation};
use serde_json::{Map, Value};

/// The whole command line.
pub(crate) fn command() -> Command {
    Command::new("fsgate")
        .version(clap::crate_version!())
        .about("Filesystem tools for AI agents, sealed in a WebAssembly component")
        .long_about(
            "Filesystem tools for AI agents, sealed in a WebAssembly component. The tools see the directories \
             that are granted with --dir and --read-only-dir, and nothing else. Without either they see the \
             current directory, for reading only.",
        )
        .after_help(
            "Exit codes: 0 done, 1 refused by the tool, 2 wrong usage or refused start, 3 internal failure.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(OPERATIONS.iter().map(tool))
        .subcommand(
            Command::new("call")
                .about("Calls a tool with arguments in JSON, and prints its outcome or error in JSON")
                .arg(Arg::new("tool").required(true).value_name("TOOL").help("Name of the tool"))
                .arg(
                    Arg::new("arguments")
                        .required(true)
                        .value_name("JSON")
                        .help("Its arguments: a JSON object")
                        .allow_hyphen_values(true),
                )
                .args(grants()),
        )
        .subcommand(
            Command::new("tools").about("Lists the tools").arg(
                json().help("Print the catalogue in JSON: descriptions, schemas of arguments and outcomes, annotations"),
            ),
        )
        .subcommand(
            Command::new("component").about("Writes the component, fsgate.wasm, for other hosts").arg(
                Arg::new("output")
                    .short('o')
                    .long("output")
                    .value_name("FILE")
                    .value_parser(value_parser!(PathBuf))
                    .help("Where to write it [default: standard output]"),
            ),
        )
}

/// A directory that was granted on the command line.
pub(crate) enum Granted {
    /// `--dir`
    Write(PathBuf),
    /// `--read-only-dir`
    Read(PathBuf),
}

/// The granted directories in the order in which they were typed.
pub(crate) fn granted(args: &ArgMatches) -> Vec<Granted> {
    let mut all: Vec<(usize, Granted)> = Vec::new();
    for (flag, granted) in [(DIR, Granted::Write as fn(PathBuf) -> Granted), (READ_ONLY_DIR, Granted::Read)] {
        let paths = args.get_many::<PathBuf>(flag).into_iter().flatten().cloned();
        all.extend(args.indices_of(flag).into_iter().flatten().zip(paths.map(granted)));
    }
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, granted)| granted).collect()
}

/// The arguments of a tool as JSON. Where JSON calls have a smaller default than the tool, because models pay for
/// what they read, a shell gets all that the tool can give.
pub(crate) fn arguments(operation: &Operation, args: &ArgMatches) -> Map<String, Value> {
    let mut object = Map::new();
    for field in operation.fields {
        let value = match field.kind {
            Kind::Text => args.get_one::<String>(field.name).cloned().map(Value::from),
            Kind::Integer => args
                .get_one::<u64>(field.name)
                .copied()
                .or(field.agent_default.and(field.range).map(|(_, high)| high))
                .map(Value::from),
            Kind::Boolean => args.get_flag(field.name).then(|| Value::from(!is_on(field))),
        };
        if let Some(value) = value {
            object.insert(field.name.to_owned(), value);
        }
    }
    object
}

const DIR: &str = "dir";
const READ_ONLY_DIR: &str = "read-only-dir";

fn tool(operation: &Operation) -> Command {
    Command::new(kebab(operation.name))
        .about(operation.summary())
        .long_about(operation.description)
        .args(operation.fields.iter().map(argument))
        .args(grants())
        .arg(json().help("Print the outcome or the error in JSON"))
}

fn grants() -> [Arg; 2] {
    let grant = |flag: &'static str| {
        Arg::new(flag)
            .long(flag)
            .value_name("PATH")
            .value_parser(value_parser!(PathBuf))
            .action(ArgAction::Append)
    };
    [
        grant(DIR)
            .help("Grant a directory for reading and writing; relative paths start at the first one granted"),
        grant(READ_ONLY_DIR).help("Grant a directory for reading only"),
    ]
}

fn json() -> Arg {
    Arg::new("json").long("json").action(ArgAction::SetTrue)
}

fn argument(field: &Field) -> Arg {
    let help = field.description.replace('\n', " ");
    if field.kind == Kind::Boolean {
        let help = if is_on(field) { format!("Turn off: {help}") } else { help };
        return Arg::new(field.name).long(switch(field)).help(help).action(ArgAction::SetTrue);
    }
    let shown_default = field.default.filter(|_| field.agent_default.is_none());
    let help = match field.meaning_of_none.or(shown_default) {
        Some(default) => format!("{help} [default: {default}]"),
        None => help,
    };
    let arg = Arg::new(field.name).help(help).required(field.required);
    let arg = arg.value_name(field.name.to_ascii_uppercase());
    // A file's path is what every tool is about, so it stands alone, as at any shell.
    let arg = if field.name == "path" { arg } else { arg.long(kebab(field.name)).allow_hyphen_values(true) };
    match field.kind {
        Kind::Integer => {
            let (low, high) = field.range.unwrap_or((0, u64::from(u32::MAX)));
            arg.value_parser(value_parser!(u64).range(low..=high))
        }
        Kind::Text | Kind::Boolean => arg.value_parser(value_parser!(String)),
    }
}

/// The flag of a switch: what it turns on, or, where that is the default, what it turns off.
fn switch(field: &Field) -> String {
    let name = kebab(field.name);
    if is_on(field) { format!("no-{name}") } else { name }
}

fn is_on(field: &Field) -> bool {
    field.default == Some("true")
}

fn kebab(name: &str) -> String {
    name.replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn flags_become_arguments() {
        let line = "fsgate replace a.txt --old=-x --new= --occurrence 2 --diff";
        let matches = command().try_get_matches_from(line.split(' ')).unwrap();
        let (name, args) = matches.subcommand().unwrap();
        let json = Value::Object(arguments(Operation::find(name).unwrap(), args));
        assert_eq!(
            json,
            serde_json::json!({
                "path": "a.txt", "old": "-x", "new": "", "occurrence": 2, "diff": true
            })
        );
    }

    #[test]
    fn what_is_on_can_be_turned_off() {
        let line = "fsgate create a.txt --content x --no-parents";
        let matches = command().try_get_matches_from(line.split(' ')).unwrap();
        let (_, args) = matches.subcommand().unwrap();
        let json = Value::Object(arguments(Operation::find("create").unwrap(), args));
        assert_eq!(json, serde_json::json!({"path": "a.txt", "content": "x", "parents": false}));
    }

    #[test]
    fn a_shell_gets_all_that_a_tool_can_give() {
        let matches = command().try_get_matches_from(["fsgate", "read", "a.txt"]).unwrap();
        let (_, args) = matches.subcommand().unwrap();
        assert_eq!(
            Value::Object(arguments(Operation::find("read").unwrap(), args)),
            serde_json::json!({"path": "a.txt", "max_bytes": 1_048_576})
        );
    }

    #[test]
    fn grants_keep_the_order_in_which_they_were_typed() {
        let line = "fsgate read a --read-only-dir r --dir w --read-only-dir s";
        let matches = command().try_get_matches_from(line.split(' ')).unwrap();
        let (_, args) = matches.subcommand().unwrap();
        let paths: Vec<_> = granted(args)
            .into_iter()
            .map(|granted| match granted {
                Granted::Write(path) => format!("w:{}", path.display()),
                Granted::Read(path) => format!("r:{}", path.display()),
            })
            .collect();
        assert_eq!(paths, ["r:r", "w:w", "r:s"]);
    }
}
