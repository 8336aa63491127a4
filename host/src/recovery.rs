//! Recovery after a call that was ended by force, before its answer.

use std::time::{SystemTime, UNIX_EPOCH};

use fsgate_error::ChangeState;
use serde::Deserialize;
use serde_json::Value;

/// Calls a tool in JSON, and returns its outcome.
pub(crate) type CallTool<'a> = dyn FnMut(&str, &str) -> Option<String> + 'a;

/// The time in the unit of undo ids.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

/// The undecided changes in an outcome of `recover`.
#[derive(Deserialize)]
struct Recovered {
    #[serde(default)]
    waiting: Value,
    #[serde(default)]
    conflicts: Value,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<NewestEntry>,
}

#[derive(Deserialize)]
struct NewestEntry {
    undo_id: String,
}

/// Recovers, and returns the fate of the change that began at or after `begun`. The caller has held
/// the lock since then, so every newer entry is from that call.
pub(crate) fn recover(begun: u64, call: &mut CallTool<'_>) -> ChangeState {
    let mut standing = || {
        let recovered: Recovered = serde_json::from_str(&call("recover", r#"{"all": false}"#)?).ok()?;
        if [&recovered.waiting, &recovered.conflicts].into_iter().any(is_something) {
            return None;
        }
        let log: Log = serde_json::from_str(&call("log", r#"{"max_items": 1}"#)?).ok()?;
        let Some(newest) = log.entries.first() else { return Some(ChangeState::RolledBack) };
        let made = u64::from_str_radix(newest.undo_id.get(..16)?, 16).ok()?;
        Some(if made >= begun { ChangeState::Done } else { ChangeState::RolledBack })
    };
    standing().unwrap_or(ChangeState::Unknown)
}

fn is_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Number(count) => count.as_u64() != Some(0),
        Value::Array(list) => !list.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_change_is_what_is_found() {
        let id = |time: u64| format!(r#"{{"entries": [{{"undo_id": "{time:016x}00000000000000ff"}}]}}"#);
        let (older, newer) = (id(99), id(100));
        // The answers to `recover` and `log`, and the result.
        for (recovered, log, expected) in [
            (Some("{}"), Some(&newer[..]), ChangeState::Done),
            (Some("{}"), Some(&older), ChangeState::RolledBack),
            (Some("{}"), Some(r#"{"entries": []}"#), ChangeState::RolledBack),
            (Some(r#"{"waiting": 0, "conflicts": []}"#), Some(&older), ChangeState::RolledBack),
            (Some(r#"{"waiting": 1}"#), Some(&older), ChangeState::Unknown),
            (Some(r#"{"conflicts": ["a.txt"]}"#), Some(&older), ChangeState::Unknown),
            (Some("{}"), None, ChangeState::Unknown),
            (Some("{}"), Some("{}"), ChangeState::Unknown),
            (Some("{}"), Some(r#"{"entries": [{"undo_id": "x"}]}"#), ChangeState::Unknown),
            (Some("no JSON"), Some(&older), ChangeState::Unknown),
            (None, Some(&newer), ChangeState::Unknown),
        ] {
            let mut call = |tool: &str, _: &str| match tool {
                "recover" => recovered.map(str::to_owned),
                _ => log.map(str::to_owned),
            };
            assert_eq!(recover(100, &mut call), expected, "{recovered:?} {log:?}");
        }
    }
}
