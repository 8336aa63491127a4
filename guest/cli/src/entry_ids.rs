//! History at a shell: any session, abbreviated ids.

use clap::{Arg, ArgAction, ArgMatches};
use fsgate_contract::Operation;
use fsgate_error::ID_FORM;
use serde_json::{Map, Value, json};

use crate::environment::Shell;
use crate::flags::ANY_SESSION;

/// The fewest digits of an id: fewer are likely a slip.
const FEWEST: usize = 6;

pub(crate) const LAST: &str = "last";

/// A shell's addition to the help of an id.
pub(crate) const IDS: &str = " The beginning of an id stands for it, and `last` for the newest one.";

/// The flag of `undo` that continues after another program's change.
const FORCE: &str = "force";

const ALL: usize = 32;

/// Completes arguments. Every command is its own session, so all sessions are included. An
/// unambiguous prefix becomes a full id.
pub(crate) fn complete(
    operation: &Operation,
    typed: &mut Map<String, Value>,
    shell: Shell,
) -> Result<(), String> {
    if operation.fields.iter().any(|field| field.name == ANY_SESSION) {
        typed.insert(ANY_SESSION.to_owned(), true.into());
    }
    for name in ["id", "to"] {
        let Some(word) = typed.get(name).and_then(Value::as_str) else { continue };
        if name == "id" && word == LAST {
            let newest = shell.caller.call("log", &json!({"any_session": true, "max_items": 1}).to_string());
            let id = match newest {
                Ok(newest) => {
                    let newest: Value = serde_json::from_str(&newest).unwrap_or_default();
                    newest["entries"][0]["undo_id"].as_str().ok_or("the history is empty")?.to_owned()
                }
                // The tool reports why the history is unreadable.
                Err(_) => "0".repeat(ALL),
            };
            typed.insert(name.to_owned(), id.into());
            continue;
        }
        let digits = word.strip_prefix("history:").unwrap_or(word);
        // `to` may also be a label.
        if name == "id" && digits.len() < FEWEST && is_hex(digits) {
            return Err(format!(
                "`{digits}` is too short for the beginning of an id: give {FEWEST} of its digits, or more"
            ));
        }
        if is_beginning(digits)
            && let Some(id) = whole(digits, name == "to", shell)?
        {
            typed.insert(name.to_owned(), id.into());
        }
    }
    Ok(())
}

pub(crate) fn in_words(text: &str) -> String {
    text.replace(ID_FORM, &format!("{ID_FORM}, or the first {FEWEST} or more of them"))
}

pub(crate) fn force() -> Arg {
    Arg::new(FORCE).long(FORCE).action(ArgAction::SetTrue).conflicts_with("to").help(
        "If another program has changed files of the entry since, take back what the entry did to them all the same, to all \
         of them or none; the present content goes into the history, and `undo` brings it back",
    )
}

pub(crate) fn forced(
    operation: &'static Operation,
    args: &ArgMatches,
    typed: Map<String, Value>,
    shell: Shell,
) -> (&'static Operation, Map<String, Value>) {
    let restore = Operation::find(RESTORE).filter(|_| operation.name == "undo" && args.get_flag(FORCE));
    let Some(restore) = restore else { return (operation, typed) };
    let Err(refused) = tried(operation.name, &typed, shell) else { return (operation, typed) };
    match by_force(&typed, &refused) {
        Some(arguments) => (restore, arguments),
        None => (operation, typed),
    }
}

pub(crate) fn can_be_forced(undo: &Map<String, Value>, refused: &str, shell: Shell) -> bool {
    by_force(undo, refused).is_some_and(|arguments| tried(RESTORE, &arguments, shell).is_ok())
}

const RESTORE: &str = "restore";

fn tried(tool: &str, arguments: &Map<String, Value>, shell: Shell) -> Result<String, String> {
    let mut trial = arguments.clone();
    trial.insert("dry_run".to_owned(), true.into());
    shell.caller.call(tool, &Value::Object(trial).to_string())
}

/// The `restore` that forces a refused `undo`. None without an entry in the refusal, or for
/// several.
fn by_force(undo: &Map<String, Value>, refused: &str) -> Option<Map<String, Value>> {
    let refused: Value = serde_json::from_str(refused).ok()?;
    let details: Value = serde_json::from_str(refused["details"].as_str()?).ok()?;
    let id = details["undo_id"].as_str().filter(|_| !undo.contains_key("to"))?;
    let mut arguments = undo.clone();
    arguments.insert("id".to_owned(), id.into());
    arguments.insert(FORCE.to_owned(), true.into());
    Some(arguments)
}

fn is_beginning(word: &str) -> bool {
    (FEWEST..ALL).contains(&word.len()) && is_hex(word)
}

fn is_hex(word: &str) -> bool {
    word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The only id with this prefix. None without an entry, or if a checkpoint has this label.
fn whole(digits: &str, is_place: bool, shell: Shell) -> Result<Option<String>, String> {
    let mut found: Option<String> = None;
    let mut arguments = json!({"any_session": true, "max_items": 1000});
    loop {
        let Ok(outcome) = shell.caller.call("log", &arguments.to_string()) else { return Ok(None) };
        let outcome: Value = serde_json::from_str(&outcome).unwrap_or_default();
        let listed = [&outcome["entries"], &outcome["conflicts"]].into_iter().filter_map(Value::as_array);
        for entry in listed.flatten() {
            if is_place && entry["label"] == digits {
                return Ok(None);
            }
            let id = entry["undo_id"].as_str().unwrap_or_default();
            if !id.starts_with(digits) {
                continue;
            }
            if let Some(other) = found.replace(id.to_owned()) {
                return Err(format!("several entries begin with {digits}, such as {other} and {id}"));
            }
        }
        let cursor = &outcome["next_cursor"];
        if cursor.is_null() {
            return Ok(found);
        }
        arguments["cursor"] = cursor.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Answering;

    /// A history of three entries, in two pages.
    fn three(arguments: &str) -> String {
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        let entry = |digits: &str| json!({"undo_id": format!("{digits:0<32}")});
        if arguments["cursor"].is_null() {
            json!({"entries": [entry("18b6a2"), entry("18b6a1ff")], "next_cursor": "c"}).to_string()
        } else {
            let place = json!({"undo_id": format!("{:0<32}", "17"), "label": "18b6a2"});
            json!({"entries": [entry("18b6a1f0"), place], "conflicts": [entry("18b6c0ff")]}).to_string()
        }
    }

    #[test]
    fn the_newest_entry_is_missing_only_where_the_history_can_be_read() {
        let last = || Map::from_iter([("id".to_owned(), LAST.into())]);
        let undo = Operation::find("undo").unwrap();
        let completed = |shell: Shell| {
            let mut typed = last();
            complete(undo, &mut typed, shell).map(|()| typed["id"].clone())
        };
        assert_eq!(completed(Answering::new(three).shell()), Ok(format!("{:0<32}", "18b6a2").into()));
        let empty = Answering::new(|_: &str| json!({"entries": []}).to_string());
        assert_eq!(completed(empty.shell()), Err("the history is empty".to_owned()));
        let refusing = Answering::refusing(|_: &str| json!({"code": "unsupported"}).to_string());
        assert_eq!(completed(refusing.shell()), Ok("0".repeat(ALL).into()));
    }

    #[test]
    fn the_beginning_of_an_id_stands_for_it() {
        let answering = Answering::new(three);
        let shell = answering.shell();
        let undo = Operation::find("undo").unwrap();
        let named = |name: &str, word: &str| Map::from_iter([(name.to_owned(), word.into())]);
        for (typed, expected) in
            [("18b6a2", "18b6a2".to_owned()), ("18b6a1ff", format!("{:0<32}", "18b6a1ff"))]
        {
            let mut arguments = named("to", typed);
            complete(undo, &mut arguments, shell).unwrap();
            assert_eq!(arguments["to"], expected, "a label is what it says");
        }
        for (typed, expected) in [
            ("18b6a2", Ok(format!("{:0<32}", "18b6a2"))),
            ("18b6a1f", Err(())),
            ("18b6a1ff", Ok(format!("{:0<32}", "18b6a1ff"))),
            ("history:18b6a1f0", Ok(format!("{:0<32}", "18b6a1f0"))),
            ("18b6c0", Ok(format!("{:0<32}", "18b6c0ff"))),
            ("18b6a", Err(())),
            ("history:1", Err(())),
            ("x", Ok("x".to_owned())),
            ("18b6b0", Ok("18b6b0".to_owned())),
            ("before", Ok("before".to_owned())),
        ] {
            let mut arguments = named("id", typed);
            let completed = complete(undo, &mut arguments, shell).map_err(drop);
            let expected = expected.map(|id| {
                let arguments = json!({"id": id, "any_session": true});
                arguments.as_object().unwrap().clone()
            });
            assert_eq!(completed.map(|()| arguments), expected, "{typed}");
        }
    }
}
