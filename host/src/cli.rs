//! The command line of the host; tools get their words from the contract.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::builder::{NonEmptyStringValueParser, OsStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use clap_complete::Shell;
use fsgate::config::{Commands, ConfigError, GrantValue, KEYS, Key, Sources, ValueType};
use fsgate::{Access, ComponentKind, Operation};
use fsgate_cli::subcommands;

use crate::{commands, terminal};

/// The source of `@FILE` arguments, for the help.
const FILES: &str = "a file of this machine (by your own right, from the current directory)";

const CHANGE: &str = " --dir .";

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
        .subcommands(subcommands(FILES, CHANGE).into_iter().map(|command| match command.get_name() {
            WORKFLOW => command.arg(context()).args(host()).mut_args(with_own_profile),
            SHAM => command.args(host()).mut_args(with_policy_file),
            name if Operation::find(name).is_some() => command.args(host()).arg(terminal::color()),
            _ => command.args(host()),
        }))
        .subcommand(
            Command::new("component")
                .about("Writes a component for other hosts")
                .arg(
                    Arg::new("kind")
                        .long("kind")
                        .value_parser(ComponentKind::ALL.map(ComponentKind::name))
                        .default_value(ComponentKind::Tools.name())
                        .help(
                            "`tools`: functions to call; `command`: this command line for `wasmtime run`; `reader`: the functions that \
                             look; `editor`: those that look and that change; `flat`: functions for Wassette; `act`: tools for ACT. \
                             A debug build has the first one alone",
                        ),
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
        .subcommand(
            Command::new("skill")
                .about("Prints the page that teaches a model the tools of `fsgate mcp`")
                .arg(file("Write it into `fsgate/SKILL.md` in this directory").value_name("DIR")),
        )
        .subcommand(commands::audit::command())
        .subcommand(commands::mcp::command().args(host()).args(flags(Commands::Mcp)))
        .subcommand(commands::config::command(&[host(), flags(Commands::Mcp)].concat()))
}

/// The granted directories as typed, in order.
pub(crate) fn granted(args: &ArgMatches) -> Vec<GrantValue> {
    let mut all: Vec<(usize, GrantValue)> = Vec::new();
    for (flag, access) in [(DIR, Access::Write), (READ_ONLY_DIR, Access::Read)] {
        let typed = args.get_many::<(PathBuf, Option<String>)>(flag).into_iter().flatten().cloned();
        let granted = typed.map(|(path, name)| GrantValue { path, name, access });
        all.extend(args.indices_of(flag).into_iter().flatten().zip(granted));
    }
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, granted)| granted).collect()
}

fn working_directory(args: &ArgMatches) -> Option<&PathBuf> {
    args.try_get_one(CONTEXT).ok().flatten()
}

pub(crate) fn component(args: &ArgMatches) -> Option<&PathBuf> {
    args.get_one(COMPONENT)
}

pub(crate) fn config_file(args: &ArgMatches) -> Option<&PathBuf> {
    args.get_one(CONFIG)
}

/// The sources of the configuration: typed words override the process.
pub(crate) fn sources(args: &ArgMatches) -> Result<Sources, ConfigError> {
    let mut sources = Sources::of_this_process();
    if let Some(path) = config_file(args) {
        sources = sources.file(path);
    }
    if let Some(path) = working_directory(args) {
        sources = sources.context(path);
    }
    for granted in granted(args) {
        let flag = match granted.access {
            Access::Read => READ_ONLY_DIR,
            Access::Write => DIR,
        };
        sources.grant(granted, &format!("--{flag}"));
    }
    for (key, value) in typed(args) {
        match key.kind {
            ValueType::Choice(profiles) if key.name == PROFILE && !profiles.contains(&value.as_str()) => {
                sources.policy_file(Path::new(&value))?;
            }
            _ => sources.set(key, &value)?,
        }
    }
    Ok(sources)
}

pub(crate) fn typed(args: &ArgMatches) -> impl Iterator<Item = (&'static Key, String)> {
    KEYS.iter().filter_map(|key| {
        let flag = key.flag?;
        let is_known = args.try_contains_id(key.name).is_ok();
        if !is_known || args.value_source(key.name) != Some(ValueSource::CommandLine) {
            return None;
        }
        let value = match key.kind {
            ValueType::Truth => (!flag.name.starts_with("no-")).to_string(),
            _ => args.get_raw(key.name)?.next_back()?.to_string_lossy().into_owned(),
        };
        Some((key, value))
    })
}

pub(crate) const WORKFLOW: &str = "workflow";

const SHAM: &str = "sham";

const CONTEXT: &str = "context";
const DIR: &str = "dir";
const READ_ONLY_DIR: &str = "read-only-dir";
const COMPONENT: &str = "component";
const CONFIG: &str = "config";

fn context() -> Arg {
    Arg::new(CONTEXT)
        .long(CONTEXT)
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .value_hint(ValueHint::DirPath)
        .help("Where the workflow works: this directory is granted for reading and writing, before any other [default: the current directory, if nothing else is granted]")
}

fn host() -> Vec<Arg> {
    let grant = |flag: &'static str| {
        Arg::new(flag)
            .long(flag)
            .value_name("PATH[::NAME]")
            .value_parser(OsStringValueParser::new().try_map(|typed| directory(&typed)))
            .value_hint(ValueHint::DirPath)
            .action(ArgAction::Append)
            .help_heading("Host")
    };
    let file = |flag: &'static str| {
        Arg::new(flag)
            .long(flag)
            .value_name("FILE")
            .value_hint(ValueHint::FilePath)
            .value_parser(value_parser!(PathBuf))
            .help_heading("Host")
    };
    let own = [
        grant(DIR).help(
            "Grant a directory for reading and writing, under its own path or a name of your choice; relative paths \
             start at the first one granted, those of a tool's flags at the current directory if it lies in one \
             [key: dirs]",
        ),
        grant(READ_ONLY_DIR).help("Grant a directory for reading only [key: dirs]"),
        file(CONFIG).help("Take this configuration, TOML or YAML, in place of the user's [default: $XDG_CONFIG_HOME/fsgate/config.toml or ~/.config/fsgate/config.toml]"),
        file(COMPONENT).help("Take this component, with the same world, in place of the built-in one"),
    ];
    own.into_iter().chain(flags(Commands::All)).collect()
}

fn flags(on: Commands) -> Vec<Arg> {
    KEYS.iter().filter(|key| key.flag.is_some_and(|flag| flag.on == on)).filter_map(flag).collect()
}

fn help(key: &Key, default: Option<&str>) -> String {
    let default = default.map(|words| format!(" [default: {words}]")).unwrap_or_default();
    let is_off = key.flag.is_some_and(|flag| flag.name.starts_with("no-"));
    let meaning = match is_off {
        true => format!("Switch this off: {}{}", key.meaning[..1].to_lowercase(), &key.meaning[1..]),
        false => key.meaning.to_owned(),
    };
    format!("{meaning} [key: {}]{default}", key.name)
}

fn with_own_profile(arg: Arg) -> Arg {
    match KEYS.iter().find(|key| key.name == PROFILE && arg.get_id() == PROFILE) {
        Some(key) => arg.help(help(key, Some(OWN_PROFILE))),
        None => arg,
    }
}

fn with_policy_file(arg: Arg) -> Arg {
    match KEYS.iter().find(|key| key.name == PROFILE && arg.get_id() == PROFILE) {
        Some(key) => arg
            .value_name("NAME|FILE")
            .value_hint(ValueHint::FilePath)
            .value_parser(NonEmptyStringValueParser::new())
            .help(format!("{}, or a file with a policy", help(key, key.default_words().as_deref()))),
        None => arg,
    }
}

const PROFILE: &str = "policy.profile";

pub(crate) const OWN_PROFILE: &str = "workflow";

fn flag(key: &'static Key) -> Option<Arg> {
    let flag = key.flag?;
    let default = key.default_words().filter(|_| !matches!(key.kind, ValueType::Truth));
    let arg = Arg::new(key.name)
        .long(flag.name)
        .help(help(key, default.as_deref()))
        .help_heading((flag.on == Commands::All).then_some("Host"));
    let valued = arg.clone().value_name(flag.value);
    Some(match key.kind {
        ValueType::Truth => arg.action(ArgAction::SetTrue).hide_short_help(flag.on == Commands::All),
        ValueType::Number(least, most) => valued
            .value_parser(value_parser!(u64).range(least..=most))
            .hide_short_help(flag.on == Commands::All),
        ValueType::Choice(words) => {
            valued.value_parser(PossibleValuesParser::new(words.iter().copied())).hide_possible_values(true)
        }
        ValueType::Checked(check) => {
            valued.value_parser(move |typed: &str| check(typed).map(|()| typed.to_owned()))
        }
        ValueType::Path | ValueType::PathOr(_) => {
            valued.value_parser(value_parser!(PathBuf)).value_hint(ValueHint::AnyPath)
        }
        _ => valued,
    })
}

/// Splits a path at its last `::`. An empty name means the directory's own, so a path with `::` can
/// be typed.
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
    fn what_was_typed_is_what_its_key_holds() {
        let line = "fsgate mcp --history-days 3 --read-only --no-project-file --tools all --profile strict";
        let matches = command().try_get_matches_from(line.split(' ')).unwrap();
        let typed: Vec<_> =
            typed(matches.subcommand().unwrap().1).map(|(key, value)| (key.name, value)).collect();
        let typed: Vec<_> = typed.iter().map(|(key, value)| (*key, value.as_str())).collect();
        assert_eq!(
            typed,
            [
                ("read_only", "true"),
                ("project_file", "false"),
                ("history.days", "3"),
                ("policy.profile", "strict"),
                ("mcp.tools", "all"),
            ]
        );
    }

    #[test]
    fn every_flag_of_a_key_names_it() {
        let mut command = command();
        for name in ["read", "mcp"] {
            let help = command.find_subcommand_mut(name).unwrap().render_long_help().to_string();
            let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
            for key in
                KEYS.iter().filter(|key| name == "mcp" || key.flag.is_some_and(|f| f.on == Commands::All))
            {
                if let Some(flag) = key.flag {
                    assert!(help.contains(&format!("--{}", flag.name)), "{name} {}", flag.name);
                    assert!(help.contains(&format!("[key: {}]", key.name)), "{name} {}", key.name);
                }
            }
        }
    }

    #[test]
    fn a_workflow_has_a_profile_of_its_own() {
        let mut command = command();
        for (name, profile) in [("workflow", "workflow"), ("read", "default")] {
            let help = command.find_subcommand_mut(name).unwrap().render_long_help().to_string();
            let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(help.contains(&format!("[key: policy.profile] [default: {profile}]")), "{name}: {help}");
        }
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
