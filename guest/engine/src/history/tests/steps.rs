//! Calls of several people, one after the other, on what they share.

use serde_json::{Value, json};

use super::shared::Shared;
use crate::session::Session;
use fsgate_volume::Access;
use fsgate_volume::memory::Memory;

/// Whose call it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Who {
    /// Somebody from whom nothing is taken away.
    Person,
    /// Somebody who may not read `sec`.
    Agent,
    /// The same as the person, by a gate that is opened for this call.
    Gate(Grants),
}

/// Grants by their names, and where they are.
pub(super) type Grants = &'static [(&'static str, &'static str)];

pub(super) const ONE: Grants = &[("/w", "q")];
pub(super) const TWO: Grants = &[("/a", "q/a"), ("/b", "q/b")];
pub(super) const FIRST: Grants = &[("/a", "q/a")];
pub(super) const NESTED: Grants = &[("/w", "q"), ("/n", "q/in")];
pub(super) const INNER: Grants = &[("/n", "q/in")];
pub(super) const PARTS: Grants = &[("/w/d", "q/d"), ("/w/sec", "q/sec")];
pub(super) const NARROW: Grants = &[("/w/in", "q/in")];

/// A call; `$3` as its id is that of the third one.
pub(super) type Step = (Who, &'static str, Value);

pub(super) fn written(path: &str) -> Step {
    (Who::Person, "write", json!({"path": path, "content": "SECRET of now\n", "backup": true}))
}

pub(super) fn moved(who: Who, source: &str, destination: &str) -> Step {
    (who, "move", json!({"source": source, "destination": destination, "overwrite": true}))
}

/// The call with the ids of earlier ones in it.
pub(super) fn filled(tool: &str, arguments: &Value, ids: &[Value]) -> Value {
    let mut arguments = arguments.clone();
    if let Some(number) = arguments["id"].as_str().and_then(|id| id.strip_prefix('$')) {
        arguments["id"] = ids[number.parse::<usize>().unwrap() - 1].clone();
        if tool != "forget" {
            arguments["any_session"] = json!(true);
        }
    }
    arguments
}

/// Somebody with these grants and this policy.
pub(super) fn of(shared: &Shared, grants: &[(&str, &str)], policy: &Value) -> Session<Memory> {
    let grants: Vec<_> = grants.iter().map(|(name, path)| (*name, *path, Access::Write)).collect();
    shared.gate(&grants, Some(&policy.to_string()))
}
