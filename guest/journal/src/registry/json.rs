//! The choice in JSON, for hosts that call the component.
//!
//! A request is an object with these fields:
//!
//! - `grant`: the name of the granted directory.
//! - `around`: the directory and those around it, the outermost first: pairs of a path and an
//!   identity, `DEVICE:INODE` or `DEVICE:INODE:BORN` in decimal digits. Such numbers exceed those
//!   of some languages.
//! - `new_state`: an unused name for a state directory, 32 random hex digits.
//! - `now`: nanoseconds since 1970, in digits.
//! - `entries`: files of `roots/` by name; null where there is none that only its user can write
//!   to.
//! - `all`: true if `entries` has every file.
//! - `directories`: identities of other directories by path; null where there is no directory.
//! - `states`: true for each name of a state directory that only its user can write to.
//!
//! The last four are facts. An answer `look` names those that are missing.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{DirectoryIdentity, Facts, Registration, RootEntry, is_id, known, preopen_name, register};
use crate::state::{DIRECTORIES, new_files};

#[derive(Default, PartialEq, Eq)]
struct Missing {
    entries: BTreeSet<String>,
    all: bool,
    directories: BTreeSet<String>,
    states: BTreeSet<String>,
}

struct Collected<'a> {
    request: &'a Value,
    missing: RefCell<Missing>,
}

/// Chooses the state directory of a granted directory. The answer is `look`, `chosen` or `refused`.
pub fn choose_json(request: &str) -> String {
    let answer = match serde_json::from_str(request) {
        Ok(request) => answer(&request).unwrap_or_else(|problem| json!({ "refused": problem })),
        Err(error) => json!({ "refused": error.to_string() }),
    };
    answer.to_string()
}

fn answer(request: &Value) -> Result<Value, &'static str> {
    let text = |value: &'_ Value| value.as_str().map(str::to_owned);
    let grant = request["grant"].as_str().ok_or("`grant` is missing")?;
    let around = request["around"].as_array().ok_or("`around` is missing")?;
    let pair = |pair: &Value| Some((PathBuf::from(pair[0].as_str()?), identity(pair[1].as_str()?)?));
    let around = around.iter().map(pair).collect::<Option<Vec<_>>>();
    let around = around.ok_or("`around` has something else than paths and numbers")?;
    let now = request["now"].as_str().and_then(|now| now.parse().ok()).ok_or("`now` is no number")?;
    let new_state = text(&request["new_state"]).filter(|state| is_id(state));
    let new_state = new_state.ok_or("`new_state` has 32 hex digits")?;
    let facts = Collected { request, missing: RefCell::default() };
    let chosen = match known(&around, &facts) {
        Some((found, moved)) => {
            let write = moved.into_iter().collect();
            Some(Registration { found, is_new: false, write, remove: None })
        }
        None if facts.lacks() => None,
        None if !facts.has_all() => {
            facts.missing.borrow_mut().all = true;
            None
        }
        None => register(&around, &facts, new_state, now),
    };
    if facts.lacks() {
        let Missing { entries, all, directories, states } = facts.missing.take();
        let look = json!({"entries": entries, "all": all, "directories": directories, "states": states});
        return Ok(json!({ "look": look }));
    }
    let unknown = "this system does not tell one directory from another";
    let Registration { found, is_new, write, remove } = chosen.ok_or(unknown)?;
    let write: Vec<_> = write.iter().map(|entry| json!([entry.identity.name(), entry.text()])).collect();
    let files: Vec<_> =
        new_files().iter().map(|(directory, name, bytes)| json!([directory, name, bytes])).collect();
    Ok(json!({"chosen": {
        // The name of the state directory in the component.
        "preopen": preopen_name(grant),
        "state": found.state,
        "retired": found.retired,
        // Directories, and then files by directory, name and bytes, if the host has to make them.
        "make": if is_new { json!({"directories": DIRECTORIES, "files": files}) } else { Value::Null },
        // Names and texts of files for `roots/`.
        "write": write,
        "remove": remove,
    }}))
}

fn identity(text: &str) -> Option<DirectoryIdentity> {
    let mut numbers = text.split(':').map(str::parse);
    let (device, inode) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    let born = numbers.next().transpose().ok()?;
    numbers.next().is_none().then_some(DirectoryIdentity { device, inode, born })
}

impl Collected<'_> {
    fn lacks(&self) -> bool {
        *self.missing.borrow() != Missing::default()
    }

    fn has_all(&self) -> bool {
        self.request["all"] == true
    }

    fn parsed(&self, name: &str, text: &Value) -> Option<RootEntry> {
        let entry = RootEntry::parse(name, text.as_str()?.as_bytes())?;
        let mut is_sound = true;
        for state in entry.states() {
            match self.request["states"].get(state) {
                Some(sound) => is_sound &= *sound == true,
                None => {
                    self.missing.borrow_mut().states.insert(state.to_owned());
                }
            }
        }
        is_sound.then_some(entry)
    }
}

impl Facts for Collected<'_> {
    fn entry(&self, name: &str) -> Option<RootEntry> {
        match self.request["entries"].get(name) {
            Some(text) => self.parsed(name, text),
            None if self.has_all() => None,
            None => {
                self.missing.borrow_mut().entries.insert(name.to_owned());
                None
            }
        }
    }

    fn entries(&self) -> Vec<RootEntry> {
        let entries = self.request["entries"].as_object().into_iter().flatten();
        entries.filter_map(|(name, text)| self.parsed(name, text)).collect()
    }

    fn identity(&self, path: &Path) -> Option<DirectoryIdentity> {
        let path = path.to_string_lossy();
        let Some(found) = self.request["directories"].get(&*path) else {
            self.missing.borrow_mut().directories.insert(path.into_owned());
            return None;
        };
        found.as_str().and_then(identity)
    }
}
