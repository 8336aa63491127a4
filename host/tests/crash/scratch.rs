//! A grant, a state root, and the invariants of both at rest.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use fsgate::{Access, Gate, GateBuilder};
use fsgate_journal::state::control::Control;
use tempfile::TempDir;

use super::program::{Host, Program};
use super::tree::Tree;
use super::user::User;

/// A grant `w`, a home, and a place for a state root.
pub(crate) struct Scratch {
    directory: TempDir,
    pub(crate) user: User,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        Self::of(User::Own)
    }

    /// A scratch directory in which programs run as another user.
    pub(crate) fn of(user: User) -> Self {
        let scratch = Self { directory: TempDir::new().unwrap(), user };
        for directory in ["w", "home"] {
            fs::create_dir(scratch.at(directory)).unwrap();
        }
        user.owns(scratch.directory.path());
        scratch
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn write(&self, tree: &Tree, name: &str) {
        tree.write(&self.at(name));
        self.user.owns(&self.at(name));
    }

    pub(crate) fn builder(&self) -> GateBuilder {
        Gate::builder().dir_as(self.at("w"), "/w", Access::Write).state_root(self.at("state"))
    }

    pub(crate) fn gate(&self) -> Gate {
        self.builder().build().unwrap()
    }

    /// A host of this user.
    pub(crate) fn host(&self) -> Host {
        match self.user {
            User::Own => Host::Here(Box::new(self.gate())),
            User::Other => self.host_over("w::/w", "state"),
        }
    }

    /// A host in a process of its own, over a grant and a state root.
    pub(crate) fn host_over(&self, grant: impl AsRef<OsStr>, state: impl AsRef<OsStr>) -> Host {
        let mut command = self.command();
        command.args(["mcp", "--tools", "all", "--dir"]).arg(grant).arg("--state-dir").arg(state);
        Host::There(RefCell::new(Program::open(command)))
    }

    /// The program as a server with its component loaded.
    pub(crate) fn server(&self) -> Program {
        let mut command = self.command();
        command.args(["mcp", "--dir", "w::/w", "--state-dir", "state", "--tools", "all"]);
        Program::start(command)
    }

    /// The program as this user, without variables of the tests.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fsgate"));
        self.user.runs(&mut command);
        command
            .current_dir(self.directory.path())
            .env("HOME", self.at("home"))
            .env("PWD", self.directory.path())
            // The program would refuse variables of the tests.
            .env_remove("FSGATE_SOAK")
            .env_remove("FSGATE_UPDATE");
        for variable in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
            command.env_remove(variable);
        }
        command
    }

    /// The file that every program of this user locks to change something in `w`.
    pub(crate) fn lock(&self) -> PathBuf {
        let (w, user) = (fs::metadata(self.at("w")).unwrap(), rustix::process::geteuid().as_raw());
        format!("/tmp/fsgate-{user}/{:x}-{:x}", w.dev(), w.ino()).into()
    }

    pub(crate) fn states(&self) -> Vec<PathBuf> {
        states(&self.at("state"))
    }
}

pub(crate) fn states(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root.join("states")).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

pub(crate) fn names(directory: &Path) -> BTreeSet<String> {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The remains of a death in a state directory: number of pending records, and whether a file was
/// being written in place.
pub(crate) fn left(state: &Path) -> (usize, bool) {
    let control = control(state);
    let name = control.file.map(|file| file.to_string()).unwrap_or_default();
    let log = fs::read(state.join("log").join(name)).unwrap_or_default();
    let behind = log.get(control.end as usize..).unwrap_or_default();
    let begun = if control.begun.is_some() { ids(behind).count() } else { 0 };
    (begun + names(&state.join("waiting")).len(), control.is_in_place())
}

fn control(state: &Path) -> Control {
    Control::parse(&fs::read(state.join("control")).unwrap()).unwrap()
}

/// The ids of consecutive records.
fn ids(mut bytes: &[u8]) -> impl Iterator<Item = String> {
    std::iter::from_fn(move || {
        // Moved bytes can follow the last one.
        bytes.strip_prefix(b"fsgate\0\x03")?;
        let id = u128::from_le_bytes(bytes.get(8..24)?.try_into().ok()?);
        let header = u32::from_le_bytes(bytes.get(24..28)?.try_into().ok()?) as usize;
        let body = u64::from_le_bytes(bytes.get(28..36)?.try_into().ok()?) as usize;
        bytes = bytes.get(36 + header + 16 + body + 16..)?;
        Some(format!("{id:032x}"))
    })
}

/// Checks that nothing is unfinished, left over or in conflict.
pub(crate) fn check_settled(root: &Path, context: &str) {
    for state in states(root) {
        for directory in ["waiting", "tmp", "conflicts"] {
            let found = names(&state.join(directory));
            assert!(found.is_empty(), "{context}: {directory} holds {found:?}");
        }
        let locks = names(&state.join("locks"));
        assert_eq!(Vec::from_iter(&locks), ["1"], "{context}: a host with locks needs no other number");
        let control = control(&state);
        assert!(!control.is_unfinished() && !control.unsettled, "{context}: {control:?}");
        let mut done = BTreeSet::new();
        for name in names(&state.join("log")) {
            let log = fs::read(state.join("log").join(&name)).unwrap();
            let is_open = control.file.is_some_and(|file| file.to_string() == name);
            done.extend(ids(&log[..if is_open { control.end as usize } else { log.len() }]));
        }
        let trash = names(&state.join("trash"));
        let strange: Vec<_> = trash.difference(&done).collect();
        assert!(strange.is_empty(), "{context}: no record knows {strange:?} in the trash");
    }
}
