//! Trees on a disk.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use fsgate::policy::Documents;
use fsgate::volume::{self, Native, Session};
use fsgate::{Gate, GateBuilder};
use tempfile::TempDir;

use fsgate_corpus::snapshot::{Identity, Seen, Snapshot, What};
use fsgate_corpus::tree::{Grant, Item, Tree, parent};

/// A tree on a disk, removed when it is dropped.
pub struct Disk {
    root: TempDir,
    /// Where gates over it keep their state.
    state: TempDir,
}

/// A file system in memory, where a Linux machine has one.
const MEMORY: &str = "/dev/shm";

/// Puts the temporary directories of this process into memory, where that is possible. On a disk a
/// case spends more than half of its time in the search for free inodes and in syncs.
pub fn use_memory() {
    if tempfile::tempdir_in(MEMORY).is_ok() {
        // A second call keeps the first choice.
        let _kept = tempfile::env::override_temp_dir(Path::new(MEMORY));
    }
}

impl Disk {
    /// Sets a tree up.
    pub fn new(tree: &Tree) -> Result<Self> {
        let disk = Self { root: tempfile::tempdir()?, state: tempfile::tempdir()? };
        disk.set_up(tree)?;
        Ok(disk)
    }

    /// Sets another tree up in the place of this one. The granted directories keep their identity, for
    /// a host that holds them open; their content goes.
    pub fn again(&self, tree: &Tree) -> Result<()> {
        self.clear("", tree)?;
        self.set_up(tree)
    }

    fn set_up(&self, tree: &Tree) -> Result<()> {
        for grant in &tree.grants {
            fs::create_dir_all(self.path().join(&grant.directory))?;
        }
        // Hard links last: the files that they name have to be there.
        let late = |item: &&Item| matches!(item, Item::HardLink(_));
        let (last, first): (Vec<_>, Vec<_>) = tree.items.iter().partition(|(_, item)| late(item));
        for (path, item) in first.into_iter().chain(last) {
            self.put(path, item).with_context(|| format!("setting up {path}"))?;
        }
        Ok(())
    }

    /// Empties a directory, except for granted directories and those above them.
    fn clear(&self, directory: &str, tree: &Tree) -> Result<()> {
        for entry in fs::read_dir(self.path().join(directory))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let shown = if directory.is_empty() { name } else { format!("{directory}/{name}") };
            let is_above = |grant: &Grant| {
                let rest = grant.directory.strip_prefix(&shown);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            let is_directory = entry.file_type()?.is_dir();
            if is_directory && tree.grants.iter().any(is_above) {
                self.clear(&shown, tree)?;
            } else if is_directory {
                fs::remove_dir_all(entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// A gate over the granted directories of `tree`.
    pub fn gate(&self, tree: &Tree) -> Result<Gate> {
        self.gate_under(tree, None)
    }

    /// The same under a policy.
    pub fn gate_under(&self, tree: &Tree, policy: Option<&str>) -> Result<Gate> {
        let builder = if tree.grants.is_empty() { Gate::builder().nothing() } else { Gate::builder() };
        let add = |builder: GateBuilder, grant: &Grant| {
            builder.dir_as(self.path().join(&grant.directory), &grant.name, grant.access)
        };
        let mut builder = tree.grants.iter().fold(builder, add).state_root(self.state.path());
        if let Some(policy) = policy {
            builder = builder.policy(Documents::parse(policy)?);
        }
        Ok(builder.build()?)
    }

    /// A session over the granted directories of `tree`, without a component.
    pub fn session(&self, tree: &Tree) -> Result<Session<Native>> {
        self.session_under(tree, None)
    }

    /// The same under a policy.
    pub fn session_under(&self, tree: &Tree, policy: Option<&str>) -> Result<Session<Native>> {
        let grant = |grant: &Grant| (self.path().join(&grant.directory), grant.name.clone(), grant.access);
        let grants = tree.grants.iter().map(grant).collect();
        let variables = [("FSGATE_LOCK", "host")].into_iter();
        let variables: Vec<_> = variables.chain(policy.map(|policy| ("FSGATE_POLICY", policy))).collect();
        Ok(volume::journaled(grants, self.state()?, &variables)?)
    }

    /// A state directory for a host that has none of its own.
    pub fn state(&self) -> Result<PathBuf> {
        let state = self.state.path().join("handed-in");
        fs::create_dir_all(&state)?;
        Ok(state)
    }

    /// The directory that holds the tree.
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// Everything that is there, without following a link.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let mut snapshot = Snapshot::new();
        walk(self.path(), "", &mut snapshot)?;
        Ok(snapshot)
    }

    fn put(&self, path: &str, item: &Item) -> Result<()> {
        let at = self.path().join(path);
        fs::create_dir_all(self.path().join(parent(path)))?;
        match item {
            Item::File { bytes, mode, .. } => {
                fs::write(&at, bytes)?;
                if let Some(mode) = mode {
                    fs::set_permissions(&at, Permissions::from_mode(*mode))?;
                }
            }
            Item::HardLink(to) => fs::hard_link(self.path().join(to), &at)?,
            Item::Link(target) => symlink(self.link_target(target), &at)?,
            Item::Directory => fs::create_dir_all(&at)?,
            Item::Undecodable(name) => {
                let directory = self.path().join(parent(path));
                fs::write(directory.join(OsStr::from_bytes(name)), [])?;
            }
            Item::Fifo => ensure!(Command::new("mkfifo").arg(&at).status()?.success(), "mkfifo failed"),
        }
        Ok(())
    }

    /// A link's target, with `$root` as the directory that holds the tree.
    pub fn link_target(&self, target: &str) -> String {
        target.replace("$root", &self.path().to_string_lossy())
    }
}

fn walk(directory: &Path, shown: &str, snapshot: &mut Snapshot) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let shown = if shown.is_empty() { name } else { format!("{shown}/{name}") };
        let path = entry.path();
        let metadata = fs::symlink_metadata(&path)?;
        let kind = metadata.file_type();
        let what = if kind.is_symlink() {
            What::Link(fs::read_link(&path)?.to_string_lossy().into_owned())
        } else if kind.is_dir() {
            walk(&path, &shown, snapshot)?;
            What::Directory
        } else if kind.is_file() {
            What::File(fs::read(&path)?)
        } else {
            What::Special
        };
        let identity = Identity {
            inode: metadata.ino(),
            mode: metadata.mode() & 0o7777,
            links: metadata.nlink(),
            modified: metadata.modified()?,
        };
        snapshot.insert(shown, Seen { what, identity: Some(identity) });
    }
    Ok(())
}
