//! The choice in JSON, for hosts that call the component.
//!
//! Numbers of identities and times stand in texts: they exceed the numbers of some languages.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::state::{DIRECTORIES, new_files};

use super::{DirectoryIdentity, Facts, Found, Registration, RootEntry, is_id, known, preopen_name, register};

/// A request, with the facts that the host has collected.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// The name of the granted directory.
    grant: String,
    /// The granted directory and those around it, the outermost first, with their identities:
    /// `DEVICE:INODE` or `DEVICE:INODE:BORN`, in decimal digits.
    around: Vec<(PathBuf, String)>,
    /// Files of `roots/` by name; null where there is none that only its user can write to.
    #[serde(default)]
    entries: BTreeMap<String, Option<String>>,
    /// True if `entries` has every file.
    #[serde(default)]
    all: bool,
    /// Identities of other directories by path; null where there is no directory.
    #[serde(default)]
    directories: BTreeMap<PathBuf, Option<String>>,
    /// True for each name of a state directory that only its user can write to.
    #[serde(default)]
    states: BTreeMap<String, bool>,
    /// An unused name for a state directory: 32 random hex digits.
    new_state: String,
    /// Nanoseconds since 1970, in digits.
    now: String,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    /// Facts that the host adds before it asks again.
    Look(Missing),
    Chosen {
        /// The name of the state directory in the component.
        preopen: String,
        state: String,
        retired: Vec<String>,
        /// The content of the state directory, if the host has to make it.
        make: Option<Content>,
        /// Names and texts of files for `roots/`.
        write: Vec<(String, String)>,
        /// The name of a file to remove afterwards.
        remove: Option<String>,
    },
    Refused(String),
}

/// A new directory with directories, and then files, in it.
#[derive(Serialize)]
struct Content {
    directories: [&'static str; 6],
    /// Directory, name and bytes.
    files: [(&'static str, &'static str, Vec<u8>); 5],
}

#[derive(Default, PartialEq, Eq, Serialize)]
struct Missing {
    entries: BTreeSet<String>,
    /// Whether every file is needed.
    all: bool,
    directories: BTreeSet<PathBuf>,
    states: BTreeSet<String>,
}

struct Collected<'a> {
    request: &'a Request,
    missing: RefCell<Missing>,
}

/// Chooses the state directory of a granted directory. The answer is `look`, `chosen` or `refused`.
pub fn choose_json(request: &str) -> String {
    // An answer always has a form in JSON.
    serde_json::to_string(&answer(request)).unwrap_or_default()
}

fn answer(request: &str) -> Answer {
    let request: Request = match serde_json::from_str(request) {
        Ok(request) => request,
        Err(error) => return Answer::Refused(error.to_string()),
    };
    let around: Option<Vec<_>> =
        request.around.iter().map(|(path, text)| Some((path.clone(), identity(text)?))).collect();
    let (Some(around), Ok(now)) = (around, request.now.parse()) else {
        return Answer::Refused("an identity or the time is no number".to_owned());
    };
    if !is_id(&request.new_state) {
        return Answer::Refused("the name of a state directory has 32 hex digits".to_owned());
    }
    let facts = Collected { request: &request, missing: RefCell::default() };
    let chosen = match known(&around, &facts) {
        Some((found, moved)) => {
            let write = moved.into_iter().collect();
            Some(Registration { found, is_new: false, write, remove: None })
        }
        None if facts.lacks() => None,
        None if !request.all => {
            facts.missing.borrow_mut().all = true;
            None
        }
        None => register(&around, &facts, request.new_state.clone(), now),
    };
    match chosen {
        _ if facts.lacks() => Answer::Look(facts.missing.take()),
        Some(Registration { found: Found { state, retired }, is_new, write, remove }) => {
            let text = |entry: &RootEntry| serde_json::to_string(entry).unwrap_or_default();
            let preopen = preopen_name(&request.grant);
            let write = write.iter().map(|entry| (entry.identity.name(), text(entry))).collect();
            let make = is_new.then(|| Content { directories: DIRECTORIES, files: new_files() });
            Answer::Chosen { preopen, state, retired, make, write, remove }
        }
        None => Answer::Refused("this system does not tell one directory from another".to_owned()),
    }
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

    fn parsed(&self, name: &str, text: Option<&String>) -> Option<RootEntry> {
        let entry = RootEntry::parse(name, text?.as_bytes())?;
        let mut is_sound = true;
        for state in entry.states() {
            match self.request.states.get(state) {
                Some(sound) => is_sound &= sound,
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
        match self.request.entries.get(name) {
            Some(text) => self.parsed(name, text.as_ref()),
            None if self.request.all => None,
            None => {
                self.missing.borrow_mut().entries.insert(name.to_owned());
                None
            }
        }
    }

    fn entries(&self) -> Vec<RootEntry> {
        let entries = &self.request.entries;
        entries.iter().filter_map(|(name, text)| self.parsed(name, text.as_ref())).collect()
    }

    fn identity(&self, path: &Path) -> Option<DirectoryIdentity> {
        let Some(found) = self.request.directories.get(path) else {
            self.missing.borrow_mut().directories.insert(path.to_owned());
            return None;
        };
        found.as_deref().and_then(identity)
    }
}
