//! History at a shell: any session, the newest entry.

use clap::{Arg, ArgAction, ArgMatches};
use fsgate_contract::Operation;
use serde_json::{Map, Value, json};

use crate::environment::Shell;
use crate::flags::ANY_SESSION;

pub(crate) const LAST: &str = "last";

/// A shell's addition to the help of an id.
pub(crate) const IDS: &str = " `last` stands for the newest one.";

/// The flag of `undo` that continues after another program's change.
const FORCE: &str = "force";

/// Completes arguments. Every command is its own session, so all sessions are included. `last`
/// becomes an id.
pub(crate) fn complete(
    operation: &Operation,
    typed: &mut Map<String, Value>,
    shell: Shell,
) -> Result<(), String> {
    if operation.fields.iter().any(|field| field.name == ANY_SESSION) {
        typed.insert(ANY_SESSION.to_owned(), true.into());
    }
    let ids = match typed.get_mut("id") {
        Some(Value::Array(ids)) => &mut ids[..],
        Some(id) => std::slice::from_mut(id),
        None => &mut [],
    };
    for id in ids.iter_mut().filter(|id| *id == LAST) {
        let newest = shell.caller.call("log", &json!({"any_session": true, "max_items": 1}).to_string());
        *id = match newest {
            Ok(newest) => {
                let newest: Value = serde_json::from_str(&newest).unwrap_or_default();
                newest["entries"][0]["undo_id"].as_str().ok_or("the history is empty")?.into()
            }
            // The tool reports why the history is unreadable.
            Err(_) => "0".repeat(32).into(),
        };
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Answering;

    #[test]
    fn the_newest_entry_is_missing_only_where_the_history_can_be_read() {
        let undo = Operation::find("undo").unwrap();
        let id = "18b6a2".repeat(5) + "00";
        let completed = |given: Value, shell: Shell| {
            let mut typed = Map::from_iter([("id".to_owned(), given)]);
            complete(undo, &mut typed, shell).map(|()| typed["id"].clone())
        };
        let listing = Answering::new(|_: &str| {
            json!({"entries": [{"undo_id": "18b6a2".repeat(5) + "00"}]}).to_string()
        });
        for (given, expected) in [
            (json!(LAST), json!(id)),
            (json!([LAST, "18b6a1"]), json!([id, "18b6a1"])),
            (json!("18b6a1"), json!("18b6a1")),
        ] {
            assert_eq!(completed(given, listing.shell()), Ok(expected));
        }
        let empty = Answering::new(|_: &str| json!({"entries": []}).to_string());
        assert_eq!(completed(LAST.into(), empty.shell()), Err("the history is empty".to_owned()));
        let refusing = Answering::refusing(|_: &str| json!({"code": "unsupported"}).to_string());
        assert_eq!(completed(LAST.into(), refusing.shell()), Ok("0".repeat(32).into()));
    }
}
