//! The state directory of a granted directory, chosen from facts that a host collects.
//!
//! A root is a registered directory, identified by device, inode and time of birth. Its path only
//! serves to find roots inside of a directory that is granted later. A grant uses the state of the
//! outermost registered root around it, else of the first registered root inside of it, else a new
//! one. So `/repo` and `/repo/src` share one state, in either order.
//!
//! A host keeps an entry for each root in `roots/`, in a file named after the root. It reads files
//! that only its user can write, and locks `lock` while it registers a root. The program calls this
//! as a library. Other hosts call it in the component, in JSON ([`choose_json`]).

mod json;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use fsgate_contract::path::{absolute, grant_name};
use serde_json::{Value, json};

pub use json::choose_json;

/// Device, inode and time of birth of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectoryIdentity {
    /// The device of its file system.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Nanoseconds since 1970, if the host knows the time: inodes are reused.
    pub born: Option<u64>,
}

/// A registered root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootEntry {
    /// Its last known path.
    pub path: String,
    /// Its identity.
    pub identity: DirectoryIdentity,
    /// The name of its state directory.
    pub state: String,
    /// States of other roots inside or around it, which were registered before a root contained
    /// both.
    pub retired: Vec<String>,
    /// Nanoseconds since 1970.
    pub registered: u64,
}

/// The state directories of a granted directory, by name.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    /// The state that gets new records.
    pub state: String,
    /// States that have records about parts of the directory.
    pub retired: Vec<String>,
}

/// A choice, and the changes of `roots/` that it needs.
#[derive(Debug, PartialEq, Eq)]
pub struct Registration {
    /// The chosen states.
    pub found: Found,
    /// True if the state does not exist yet.
    pub is_new: bool,
    /// Entries to write, in this order.
    pub write: Vec<RootEntry>,
    /// The name of an entry to remove afterwards: it leads nowhere, or to another directory.
    pub remove: Option<String>,
}

/// A granted directory and those around it with their identities, the outermost first. Directories
/// without an identity are left out.
pub type Around = [(PathBuf, DirectoryIdentity)];

/// The facts of a host.
pub trait Facts {
    /// The valid entry with a name.
    fn entry(&self, name: &str) -> Option<RootEntry>;

    /// All valid entries.
    fn entries(&self) -> Vec<RootEntry>;

    /// The identity of the directory at a path; none if there is no directory.
    fn identity(&self, path: &Path) -> Option<DirectoryIdentity>;
}

/// The states by the registered roots around a directory, and the outermost root's entry if its
/// path has changed.
pub fn known(around: &Around, facts: &impl Facts) -> Option<(Found, Option<RootEntry>)> {
    known_with(around, |name| facts.entry(name))
}

/// Registers a directory without a registered root around it, or corrects a changed device number.
/// `new_state` is the name of a state directory that can be made.
pub fn register(
    around: &Around,
    facts: &impl Facts,
    new_state: String,
    registered: u64,
) -> Option<Registration> {
    let (grant, identity) = around.last()?;
    let all = facts.entries();
    let (mut write, mut remove) = (Vec::new(), None);
    let renumbered = around.iter().find_map(|(path, identity)| {
        let entry = all.iter().find(|entry| entry.is_renumbered(path, identity))?;
        Some((entry, RootEntry { identity: *identity, ..entry.clone() }))
    });
    if let Some((before, entry)) = renumbered {
        remove = Some(before.identity.name());
        write.push(entry.clone());
        let entry_with = |name: &str| match name == entry.identity.name() {
            true => Some(entry.clone()),
            false => facts.entry(name),
        };
        if let Some((found, _)) = known_with(around, entry_with) {
            return Some(Registration { found, is_new: false, write, remove });
        }
    }
    let mut inside: Vec<_> = all.into_iter().filter(|entry| entry.lies_in(grant, facts)).collect();
    inside.sort_by_key(|entry| entry.registered);
    let mut states = inside.into_iter().flat_map(|entry| [vec![entry.state], entry.retired].concat());
    let (state, mut retired, is_new) = match states.next() {
        Some(first) => (first, states.collect::<Vec<_>>(), false),
        None => (new_state, Vec::new(), true),
    };
    retired.sort_unstable();
    retired.dedup();
    retired.retain(|other| *other != state);
    let path = grant.to_string_lossy().into_owned();
    write.push(RootEntry {
        path,
        identity: *identity,
        state: state.clone(),
        retired: retired.clone(),
        registered,
    });
    Some(Registration { found: Found { state, retired }, is_new, write, remove })
}

fn known_with(
    around: &Around,
    entry: impl Fn(&str) -> Option<RootEntry>,
) -> Option<(Found, Option<RootEntry>)> {
    let of =
        |identity: &DirectoryIdentity| entry(&identity.name()).filter(|entry| entry.identity.is(identity));
    let mut roots = around.iter().filter_map(|(path, identity)| Some((path, of(identity)?)));
    let (path, outermost) = roots.next()?;
    let mut retired = outermost.retired.clone();
    for (_, inner) in roots {
        retired.push(inner.state);
        retired.extend(inner.retired);
    }
    retired.retain(|state| *state != outermost.state);
    let found = Found { state: outermost.state.clone(), retired };
    let path = path.to_string_lossy();
    let moved = (outermost.path != path).then(|| RootEntry { path: path.into_owned(), ..outermost });
    Some((found, moved))
}

impl DirectoryIdentity {
    /// True unless they are known to be two directories.
    pub fn is(&self, other: &Self) -> bool {
        self.device == other.device && self.inode == other.inode && !self.is_younger(other)
    }

    /// Some file systems get another device number at every boot.
    fn is_on_renumbered_device(&self, other: &Self) -> bool {
        self.inode == other.inode && self.born.is_some() && self.born == other.born
    }

    fn is_younger(&self, other: &Self) -> bool {
        matches!((self.born, other.born), (Some(one), Some(other)) if one != other)
    }

    /// The name of the entry of this directory.
    pub fn name(&self) -> String {
        format!("{:x}-{:x}", self.device, self.inode)
    }
}

impl RootEntry {
    /// The entry in a file with this name, if a host can have written it. The caller checks that
    /// the state directories exist.
    pub fn parse(name: &str, text: &[u8]) -> Option<Self> {
        let entry: Value = serde_json::from_slice(text).ok()?;
        let number = |field: &str| entry[field].as_u64();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let retired = entry["retired"].as_array().map_or(&[][..], Vec::as_slice);
        let entry = Self {
            path: text(&entry["path"])?,
            identity: DirectoryIdentity {
                device: number("device")?,
                inode: number("inode")?,
                born: number("born"),
            },
            state: text(&entry["state"])?,
            retired: retired.iter().map(text).collect::<Option<_>>()?,
            registered: number("registered")?,
        };
        (entry.identity.name() == name && entry.states().all(is_id)).then_some(entry)
    }

    /// The text of its file.
    pub fn text(&self) -> String {
        let Self { path, identity: DirectoryIdentity { device, inode, born }, state, retired, registered } =
            self;
        let entry = json!({
            "path": path, "device": device, "inode": inode, "born": born,
            "state": state, "retired": retired, "registered": registered,
        });
        entry.to_string()
    }

    /// The names of its state directories.
    pub fn states(&self) -> impl Iterator<Item = &str> {
        [&self.state].into_iter().chain(&self.retired).map(String::as_str)
    }

    /// True if the root is still at this path, on a device with another number.
    pub fn is_renumbered(&self, path: &Path, identity: &DirectoryIdentity) -> bool {
        Path::new(&self.path) == path && self.identity.is_on_renumbered_device(identity)
    }

    /// True if the root is still at its last path, and that is inside of `directory`.
    pub fn lies_in(&self, directory: &Path, facts: &impl Facts) -> bool {
        let path = Path::new(&self.path);
        path.starts_with(directory)
            && facts.identity(path).is_some_and(|found| {
                self.identity.is(&found) || self.identity.is_on_renumbered_device(&found)
            })
    }
}

/// The name that a grant's state directory has in the component.
pub fn preopen_name(grant: &str) -> String {
    format!("/.fsgate{}", absolute(grant_name(grant).iter().map(String::as_str)))
}

/// True for the name of a state directory: 32 hex digits.
fn is_id(state: &str) -> bool {
    state.len() == 32 && state.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
