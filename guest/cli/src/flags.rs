//! Subcommands, flags and help from the contract.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, Command, value_parser};
use fsgate_contract::{Field, Kind, OPERATIONS, Operation};
use serde_json::Value;

use crate::command_line::command_line;
use crate::quote::shell_word;
use crate::{entry_ids, front_ends, grep_aliases};

/// The shared subcommands. `files` tells where `@FILE` is read; a changing command needs `change`.
pub fn subcommands(files: &str, change: &str) -> Vec<Command> {
    let call = Command::new("call")
        .about("Calls a tool with arguments in JSON, and prints its outcome or error in JSON")
        .arg(Arg::new("tool").required(true).value_name("TOOL").help("Name of the tool, or of a front end"))
        .arg(
            Arg::new("arguments")
                .required(true)
                .value_name("JSON")
                .help(format!(
                    "Its arguments: a JSON object; `-` takes it from standard input, `@FILE` from {files}"
                ))
                .allow_hyphen_values(true),
        );
    let tools =
        Command::new("tools").about("Lists the tools").arg(json().help(
            "Print the catalogue in JSON: descriptions, schemas of arguments and outcomes, annotations",
        ));
    OPERATIONS
        .iter()
        .map(|operation| tool(operation, files, change))
        .chain([call, tools])
        .chain(front_ends::commands(change))
        .collect()
}

fn tool(operation: &Operation, files: &str, change: &str) -> Command {
    let json = "Print one answer, the outcome or the error, in JSON, with the limits that `call` has";
    let name = kebab(operation.name);
    let mut command = Command::new(name.clone())
        .visible_aliases((operation.name == "log").then_some("history"))
        .aliases((name != operation.name).then_some(operation.name))
        .about(typed(operation, &paragraphs(operation.summary())))
        .long_about(typed(operation, &paragraphs(operation.description)))
        .args(operation.fields.iter().map(|field| argument(operation, field)))
        .arg(self::json().help(json))
        .after_long_help(examples_of(operation, change));
    if operation.fields.iter().any(|field| takes_files(field.kind)) {
        let words = operation.fields.iter().filter(|field| takes_files(field.kind)).map(value_name);
        let words = words.collect::<Vec<_>>().join(", ");
        let help = format!(
            "{words}: `-` takes it from standard input, `@FILE` from {files}; `@@TEXT` is TEXT, whatever it begins \
             with."
        );
        command = command
            .after_help(&help)
            .after_long_help(format!("{help}\n\n{}", examples_of(operation, change)));
    }
    match operation.name {
        "grep" => grep_aliases::flags(command),
        "undo" => command.arg(entry_ids::force()),
        _ => command,
    }
}

pub(crate) const ANY_SESSION: &str = "any_session";

fn json() -> Arg {
    Arg::new("json").long("json").action(ArgAction::SetTrue)
}

fn argument(operation: &Operation, field: &Field) -> Arg {
    let help = help(operation, field);
    let long_help = help.clone() + &items(field);
    if field.kind == Kind::Boolean {
        let arg = Arg::new(field.name).long(switch(field)).help(help).action(ArgAction::SetTrue);
        let arg = arg.short(grep_aliases::short(operation, field));
        // Always on: every command is a session.
        return arg.hide(field.name == ANY_SESSION);
    }
    let arg = Arg::new(field.name)
        .help(help)
        .long_help(long_help)
        .required(field.required)
        .value_name(value_name(field));
    let arg = grep_aliases::or_patterns(operation, field, arg);
    let arg = if is_positional(operation, field) {
        arg
    } else {
        arg.long(kebab(field.name)).short(grep_aliases::short(operation, field)).allow_hyphen_values(true)
    };
    match field.kind {
        Kind::Integer => {
            let (low, high) = field.range.unwrap_or((0, u64::MAX));
            arg.value_parser(value_parser!(u64).range(low..=high))
        }
        Kind::Texts if is_positional(operation, field) => arg.num_args(1..).action(ArgAction::Append),
        Kind::Texts => arg.action(ArgAction::Append),
        // The contract's names, plus a shell's.
        Kind::Choice => arg.value_parser(PossibleValuesParser::new(field.choices.iter().map(|choice| {
            let name = kebab(choice);
            let written = (name != *choice).then_some(*choice);
            PossibleValue::new(name).aliases(written)
        }))),
        Kind::Text | Kind::Content | Kind::Bytes | Kind::Boolean | Kind::Records => arg,
    }
}

fn help(operation: &Operation, field: &Field) -> String {
    let mut help = typed(operation, &paragraphs(field.description));
    if is_on(field) {
        help = format!("Turn off: {help}");
    }
    if field.kind == Kind::Records {
        help += " A list of objects in JSON.";
    }
    if operation.interface == "history" && field.name == "id" {
        help += entry_ids::IDS;
    }
    help + &bounds(field)
}

fn items(field: &Field) -> String {
    if field.fields.is_empty() {
        return String::new();
    }
    let fields = field.fields.iter().map(|field| {
        let needed = if field.required { " [required]" } else { "" };
        format!("\n  {}: {}{needed}{}", field.name, paragraphs(field.description), bounds(field))
    });
    format!("\n\nEach object has the fields{}", fields.collect::<String>())
}

fn bounds(field: &Field) -> String {
    let mut help = String::new();
    let default = match (field.meaning_of_none, field.default) {
        // A shell gets all pages.
        (None, Some(_)) if field.agent_default.is_some() => Some("no limit"),
        (None, Some(_)) if field.kind == Kind::Boolean => None,
        (meaning, default) => meaning.or(default),
    };
    if let Some(default) = default {
        help += &format!(" [default: {default}]");
    }
    if let Some((low, high)) = field.range
        && field.kind == Kind::Integer
    {
        help += &format!(" [range: {low} to {high}]");
    }
    help
}

/// A blank that help never breaks, so an example stays on one line.
const BOUND: char = '\u{A0}';

/// A help text for display.
pub fn unbound(help: &str) -> String {
    help.replace(BOUND, " ")
}

/// The contract's examples as runnable commands, without earlier answers' tags and ids. The newest
/// entry replaces every entry id.
fn examples_of(operation: &Operation, change: &str) -> String {
    // A checkpoint may begin a history, and then its directory exists.
    let has_history = operation.interface == "history" && operation.name != "checkpoint";
    let change = if operation.read_only || has_history { "" } else { change };
    let lines = operation.examples.iter().filter_map(|example| {
        let Ok(Value::Object(mut arguments)) = serde_json::from_str(example) else { return None };
        if arguments.contains_key("ids") {
            return None;
        }
        arguments.shift_remove("if_match");
        if let Some(id) = arguments.get_mut("id") {
            *id = entry_ids::LAST.into();
        }
        let words = command_line(operation, &arguments)?;
        let typed: Vec<_> = words.iter().map(|word| shell_word(word)).collect();
        Some(format!("fsgate {}{change}", typed.join(" ")))
    });
    let lines: Vec<_> = lines.collect();
    examples(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

pub(crate) fn examples(lines: &[&str]) -> String {
    let line = |line: &&str| format!("\n{}", format!("  {line}").replace(' ', &BOUND.to_string()));
    format!("Examples:{}", lines.iter().map(line).collect::<String>())
}

/// A text of the contract at a shell, with flags for arguments and the usage's ids.
pub(crate) fn typed(operation: &Operation, text: &str) -> String {
    let words: Vec<_> = text.split('`').collect();
    let mut typed = String::with_capacity(text.len());
    let mut set = None;
    for (number, word) in words.iter().enumerate() {
        // A flag of a switch has no value to set.
        let word = set.take().and_then(|value: String| word.strip_prefix(&*value)).unwrap_or(word);
        let is_quoted = number % 2 == 1 && number + 1 < words.len();
        let field = operation.fields.iter().find(|field| is_quoted && field.name == word);
        let flag = field.and_then(|field| flag(operation, field));
        if let Some(field) = field.filter(|field| field.kind == Kind::Boolean)
            && let value = format!(" to {}", !is_on(field))
            && words[number + 1].starts_with(&value)
            && typed.ends_with("set `")
        {
            typed.truncate(typed.len() - "set `".len());
            typed += "give `";
            set = Some(value);
        }
        let assigned = if is_quoted { assigned(operation, word) } else { None };
        typed += assigned.or(flag).as_deref().unwrap_or(word);
        typed += if number + 1 < words.len() { "`" } else { "" };
    }
    typed
}

/// The flag of an argument; none if it has another form.
fn flag(operation: &Operation, field: &Field) -> Option<String> {
    match is_positional(operation, field) {
        true if field.name == "id" => Some(value_name(field)),
        true => None,
        false if field.kind == Kind::Boolean => Some(format!("--{}", switch(field))),
        false => Some(format!("--{}", kebab(field.name))),
    }
}

/// `NAME: VALUE` of this tool or another one as a flag; none if the default has that value.
fn assigned(operation: &Operation, words: &str) -> Option<String> {
    let (name, value) = words.split_once(": ")?;
    let field = |operation: &'_ Operation| operation.fields.iter().find(|field| field.name == name);
    let field = field(operation).or_else(|| OPERATIONS.iter().find_map(field))?;
    match (field.kind, value) {
        (Kind::Boolean, "true") if !is_on(field) => Some(format!("--{}", switch(field))),
        (Kind::Boolean, "false") if is_on(field) => Some(format!("--{}", switch(field))),
        (Kind::Integer | Kind::Choice, value) => Some(format!("--{} {value}", kebab(name))),
        _ => None,
    }
}

fn paragraphs(text: &str) -> String {
    text.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).collect::<Vec<_>>().join("\n\n")
}

/// A tool's main object is positional.
pub(crate) fn is_positional(operation: &Operation, field: &Field) -> bool {
    // An id is a flag if a path may replace it.
    let beside = |name: &str| operation.fields.iter().any(|field| field.name == name);
    let beside_path = || beside("path");
    // A list of paths takes all words.
    field.name == "path" && !beside("paths")
        || matches!(field.name, "paths" | "source" | "destination" | "label")
        || field.name == "id" && (field.required || !beside_path())
        || field.name == "pattern" && field.required
}

pub(crate) fn takes_files(kind: Kind) -> bool {
    matches!(kind, Kind::Content | Kind::Bytes | Kind::Records)
}

/// A switch's flag: its name, or `no-` if it is on by default.
pub(crate) fn switch(field: &Field) -> String {
    let name = kebab(field.name);
    if is_on(field) { format!("no-{name}") } else { name }
}

pub(crate) fn is_on(field: &Field) -> bool {
    field.default == Some("true")
}

/// A name in kebab case.
pub fn kebab(name: &str) -> String {
    name.replace('_', "-")
}

fn value_name(field: &Field) -> String {
    match field.kind {
        Kind::Integer => "N".to_owned(),
        Kind::Records => "JSON".to_owned(),
        Kind::Texts => field.name.trim_end_matches('s').to_ascii_uppercase(),
        _ => field.name.to_ascii_uppercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> Command {
        Command::new("fsgate").subcommands(subcommands("a file", " --dir ."))
    }

    #[test]
    fn the_command_line_is_sound() {
        root().debug_assert();
    }

    #[test]
    fn an_argument_with_a_value_is_a_flag() {
        for (tool, text, expected) in [
            ("delete", "repeat the call with `confirm: true`", "repeat the call with `--confirm`"),
            ("read", "`stat` with `follow: false` shows it", "`stat` with `--no-follow` shows it"),
            ("delete", "with `keep: false`", "with `--no-keep`"),
            (
                "grep",
                "give `include_hidden: true`, `respect_ignore: false`",
                "give `--include-hidden`, `--no-respect-ignore`",
            ),
            ("grep", "give `max_items: 20`", "give `--max-items 20`"),
            ("stat", "`follow: true`", "`follow: true`"),
            ("grep", "`old`: true` and `no: true`", "`old`: true` and `no: true`"),
            ("grep", "give `include_binary`", "give `--include-binary`"),
            ("copy", "set `recursive` to true to take it", "give `--recursive` to take it"),
            ("grep", "set `respect_ignore` to false", "give `--no-respect-ignore`"),
        ] {
            assert_eq!(typed(Operation::find(tool).unwrap(), text), expected);
        }
    }

    #[test]
    fn help_tells_defaults_ranges_and_examples() {
        let help = |name: &str| {
            let error = root().try_get_matches_from(["fsgate", name, "--help"]).unwrap_err();
            // Lines may be broken by other features of a build.
            error.render().to_string().split_whitespace().collect::<Vec<_>>().join(" ")
        };
        for (name, expected) in [
            (
                "read",
                &[
                    "[default: no limit] [range: 1 to 1048576]",
                    "Examples: fsgate read src/main.rs fsgate read server.log",
                ][..],
            ),
            ("read", &["--skip-lines 1000 --max-lines 50", "[default: every line]"]),
            ("read-numbered", &[r"--delimiter $'\t'", "[default: \": \"]"]),
            ("create", &["--no-parents", "`@FILE` from a file", r"--content $'# Notes\n' --dir ."]),
            ("restore", &["fsgate restore last src/main.rs", "`last` stands for the newest one"]),
            ("replace", &["see `--exact-line-ends`", "OLD, NEW: `-`"]),
            (
                "apply",
                &[
                    "--edits <JSON> Edits to make.",
                    "A list of objects in JSON.",
                    "path: File to change, create or delete. [required] old:",
                    "[default: the only one] [range: 1 to 4294967295]",
                    "JSON, PATCH: `-` takes it from standard input",
                    "Examples: fsgate apply --edits '[{\"path\":",
                ],
            ),
            ("replace-in-files", &["[PATH]...", "--path <", "--ids <", "--glob '*.md'"]),
            ("read-many", &["<PATH>...", "fsgate read-many a.md b.md --joined"]),
        ] {
            let help = help(name);
            for expected in expected {
                assert!(help.contains(expected), "{expected} is not in\n{help}");
            }
            assert!(!help.contains("40000") && !help.contains("max_bytes"), "{help}");
        }
    }
}
