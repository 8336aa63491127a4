//! The command line: what can be typed. The tools' words come from the contract, what is added here belongs to the host.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use clap_complete::Shell;
use fsgate::{Access, Durability, HistoryLimits};
use fsgate_command_line::subcommands;

use crate::{commands, flags};

/// Where `@FILE` is read from.
const FILES: &str = "a file of this machine (by your own right, from the current directory)";

/// The whole command line.
pub(crate) fn command() -> Command {
    let file = |help: &'static str| {
        Arg::new("output").short('o').long("output").value_parser(value_parser!(PathBuf)).help(help)
    };
    Command::new("fsgate")
        .version(clap::crate_version!())
        .about("Filesystem tools for AI agents, sealed in a WebAssembly component")
        .long_about(
            "Filesystem tools for AI agents, sealed in a WebAssembly component. The tools see the directories \
             that are granted with --dir and --read-only-dir, and nothing else. Without either they see the \
             current directory, for reading only.",
        )
        .after_help(
            "Exit codes: 0 done, 1 refused by the tool (or the answer of `exists` is no), 2 wrong usage or refused \
             start, 3 internal failure.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(subcommands(FILES).into_iter().map(|command| command.args(host()).args(flags::args())))
        .subcommand(
            Command::new("component")
                .about("Writes a component for other hosts")
                .arg(
                    Arg::new("kind")
                        .long("kind")
                        .value_parser(["tools", "command"])
                        .default_value("tools")
                        .help("`tools`: functions to call, fsgate.wasm; `command`: this command line for `wasmtime run`, fsgate-command.wasm"),
                )
                .arg(file("Where to write it [default: standard output]").value_name("FILE")),
        )
        .subcommand(
            Command::new("completions").about("Prints what a shell needs to complete words").arg(
                Arg::new("shell").required(true).value_parser(value_parser!(Shell)).help("The shell"),
            ),
        )
        .subcommand(
            Command::new("man")
                .about("Prints the manual page")
                .arg(file("Write one page for each subcommand into this directory").value_name("DIR")),
        )
        .subcommand(commands::audit::command())
        .subcommand(commands::mcp::command().args(host()).args(flags::args()))
}

/// A directory that was granted on the command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Granted {
    pub(crate) path: PathBuf,
    /// Its name inside, if it is not its own path.
    pub(crate) name: Option<String>,
    pub(crate) access: Access,
}

/// The granted directories in the order in which they were typed.
pub(crate) fn granted(args: &ArgMatches) -> Vec<Granted> {
    let mut all: Vec<(usize, Granted)> = Vec::new();
    for (flag, access) in [(DIR, Access::Write), (READ_ONLY_DIR, Access::Read)] {
        let typed = args.get_many::<(PathBuf, Option<String>)>(flag).into_iter().flatten().cloned();
        let granted = typed.map(|(path, name)| Granted { path, name, access });
        all.extend(args.indices_of(flag).into_iter().flatten().zip(granted));
    }
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, granted)| granted).collect()
}

/// The component to take in place of the built-in one.
pub(crate) fn component(args: &ArgMatches) -> Option<&PathBuf> {
    args.get_one(COMPONENT)
}

/// The directory for state, if it is not that of the user.
pub(crate) fn state_root(args: &ArgMatches) -> Option<&PathBuf> {
    args.get_one(STATE_DIR)
}

/// What a change is to survive.
pub(crate) fn durability(args: &ArgMatches) -> Durability {
    args.get_one::<String>(DURABILITY).and_then(|name| Durability::find(name)).unwrap_or_default()
}

/// The program is to shut itself in with what it was granted.
pub(crate) fn shuts_itself_in(args: &ArgMatches) -> bool {
    !args.get_flag(NO_LANDLOCK)
}

/// How much history is to be kept.
pub(crate) fn history(args: &ArgMatches) -> HistoryLimits {
    let typed = |flag: &str| args.get_one::<u64>(flag).copied();
    let usual = HistoryLimits::default();
    let [bytes, entries, days] = HISTORY;
    HistoryLimits {
        bytes: typed(bytes).unwrap_or(usual.bytes),
        entries: typed(entries).unwrap_or(usual.entries),
        days: typed(days).unwrap_or(usual.days),
    }
}

/// Flags about state that were typed, as they were typed, but for the directory.
pub(crate) const STATE_FLAGS: [&str; 4] = [DURABILITY, HISTORY[0], HISTORY[1], HISTORY[2]];

const DIR: &str = "dir";
const READ_ONLY_DIR: &str = "read-only-dir";
/// The flag that keeps the program from shutting itself in.
pub(crate) const NO_LANDLOCK: &str = "no-landlock";

const COMPONENT: &str = "component";
const STATE_DIR: &str = "state-dir";
const DURABILITY: &str = "durability";
const HISTORY: [&str; 3] = ["history-bytes", "history-entries", "history-days"];

/// What every subcommand that needs a gate can be given besides its own arguments.
fn host() -> [Arg; 9] {
    let grant = |flag: &'static str| {
        Arg::new(flag)
            .long(flag)
            .value_name("PATH[::NAME]")
            .value_parser(OsStringValueParser::new().try_map(|typed| directory(&typed)))
            .value_hint(ValueHint::DirPath)
            .action(ArgAction::Append)
            .help_heading("Host")
    };
    let history = |flag: &'static str, help: &'static str| {
        Arg::new(flag)
            .long(flag)
            .value_name("N")
            .value_parser(value_parser!(u64))
            .help(help)
            .hide_short_help(true)
            .help_heading("Host")
    };
    [
        grant(DIR).help(
            "Grant a directory for reading and writing, under its own path or a name of your choice; relative paths \
             start at the first one granted",
        ),
        grant(READ_ONLY_DIR).help("Grant a directory for reading only"),
        Arg::new(COMPONENT)
            .long(COMPONENT)
            .value_name("FILE")
            .value_hint(ValueHint::FilePath)
            .value_parser(value_parser!(PathBuf))
            .help("Take this component, with the same world, in place of the built-in one")
            .help_heading("Host"),
        Arg::new(STATE_DIR)
            .long(STATE_DIR)
            .value_name("PATH")
            .value_hint(ValueHint::DirPath)
            .value_parser(value_parser!(PathBuf))
            .help("Keep state here: old contents, to undo changes and to recover after a crash [default: $XDG_STATE_HOME/fsgate or ~/.local/state/fsgate]")
            .help_heading("Host"),
        Arg::new(DURABILITY)
            .long(DURABILITY)
            .value_name("WHAT")
            .value_parser(PossibleValuesParser::new(Durability::NAMES))
            .help("What a change survives: the end of the `process`, a loss of `power` (slower), or `none`: no state, no undo [default: process]")
            .hide_possible_values(true)
            .help_heading("Host"),
        history(HISTORY[0], "Bytes of history to keep of one root [default: 1073741824]"),
        history(HISTORY[1], "Changes to keep of one root [default: 10000]"),
        history(HISTORY[2], "Days to keep a change [default: 30]"),
        Arg::new(NO_LANDLOCK)
            .long(NO_LANDLOCK)
            .action(ArgAction::SetTrue)
            .help("Do not have the kernel keep this program from everything that is not granted")
            .hide_short_help(true)
            .help_heading("Host"),
    ]
}

/// A path, and behind the last `::` a name. Without a name behind it the directory keeps its own, which is how a path
/// that has a `::` in it is typed.
fn directory(typed: &OsStr) -> Result<(PathBuf, Option<String>), String> {
    let bytes = typed.as_encoded_bytes();
    let Some(at) = bytes.windows(2).rposition(|two| two == b"::") else {
        return Ok((typed.into(), None));
    };
    let name =
        str::from_utf8(&bytes[at + 2..]).map_err(|_| "the name behind `::` is not UTF-8".to_owned())?;
    // SAFETY: the bytes come from an `OsStr` and end before a `:`, which is UTF-8.
    let path = unsafe { OsStr::from_encoded_bytes_unchecked(&bytes[..at]) };
    Ok((path.into(), Some(name).filter(|name| !name.is_empty()).map(str::to_owned)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn grants_keep_the_order_in_which_they_were_typed() {
        let line = "fsgate read a --read-only-dir r --dir w::name --read-only-dir s::";
        let matches = command().try_get_matches_from(line.split(' ')).unwrap();
        let (_, args) = matches.subcommand().unwrap();
        let granted: Vec<_> = granted(args)
            .into_iter()
            .map(|granted| (granted.path.display().to_string(), granted.name, granted.access))
            .collect();
        assert_eq!(
            granted,
            [
                ("r".to_owned(), None, Access::Read),
                ("w".to_owned(), Some("name".to_owned()), Access::Write),
                ("s".to_owned(), None, Access::Read),
            ]
        );
    }

    #[test]
    fn a_name_stands_behind_the_last_colons() {
        for (typed, path, name) in [
            ("a", "a", None),
            ("a::b", "a", Some("b")),
            ("/x/a::b::c", "/x/a::b", Some("c")),
            ("/x/a::b::", "/x/a::b", None),
            ("a:b", "a:b", None),
            ("a:::b", "a:", Some("b")),
        ] {
            assert_eq!(
                directory(OsStr::new(typed)).unwrap(),
                (path.into(), name.map(str::to_owned)),
                "{typed}"
            );
        }
    }
}
