//! Open files and directories of a component, and their rights.

use std::cell::Cell;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use fsgate_journal::HalfWrittenFiles;
use fsgate_volume::{Access, LIKENESS};
use rustix::fs::{AtFlags, Mode, OFlags, Stat, StatxFlags};
use wasmtime::component::{Resource, ResourceTable};
pub(super) use wasmtime_wasi::p2::bindings::sync::filesystem::types::{DescriptorFlags, DescriptorType};

use super::super::{Preopen, Unopened, identity};
use super::likeness::Likeness;
use super::refusal::{ErrorCode, Outcome};

/// The preopened directories. Clones share the handles.
#[derive(Clone, Default)]
pub struct Directories {
    preopens: Arc<[(Descriptor, String)]>,
    /// The last opened file with its metadata, until the next call. Components ask for its type and
    /// size next.
    pub(super) fresh: Option<(u32, Stat)>,
    pub(super) likeness: Option<Likeness>,
    /// A call may have changed a granted directory since [`Directories::begin`].
    changed: bool,
    /// The files that this call does not open.
    closed: Arc<HalfWrittenFiles>,
}

impl Directories {
    /// Begins a call of the component, which opens none of these files: another process may have
    /// written half of one.
    pub fn begin(&mut self, closed: Arc<HalfWrittenFiles>) {
        self.changed = false;
        self.closed = closed;
    }

    /// Whether the call may have changed a granted directory.
    pub fn have_changed(&self) -> bool {
        self.changed
    }

    pub fn open<'a>(preopens: impl IntoIterator<Item = Preopen<'a>>) -> Result<Self, Unopened> {
        let open = |Preopen { host, name, access, is_state }: Preopen<'a>| {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let handle = rustix::fs::open(host, flags, Mode::empty())
                .map_err(|error| Unopened { host: host.to_owned(), error: error.into() })?;
            let opened = OpenHandle::shared_directory(handle, Rights { access, is_state });
            Ok((Descriptor::Open(opened), name.to_owned()))
        };
        Ok(Self { preopens: preopens.into_iter().map(open).collect::<Result<_, _>>()?, ..Self::default() })
    }

    /// Adds the directory through which a component names the permissions of new files.
    #[must_use]
    pub fn with_likeness(self) -> Self {
        let likeness = (Descriptor::Likeness, LIKENESS.to_owned());
        let preopens = self.preopens.iter().cloned().chain([likeness]).collect();
        Self { preopens, ..self }
    }

    pub(super) fn preopens(&self) -> impl Iterator<Item = &(Descriptor, String)> {
        self.preopens.iter()
    }
}

#[derive(Clone)]
pub(super) enum Descriptor {
    Open(OpenHandle),
    /// A virtual directory: linking a file into it names the permissions of the next new one. It
    /// refuses all other calls.
    Likeness,
}

#[derive(Clone)]
pub(super) struct OpenHandle {
    handle: Arc<OwnedFd>,
    kind: OpenKind,
    rights: Rights,
}

/// The rights of a preopened directory and all beneath it.
#[derive(Clone, Copy)]
pub(super) struct Rights {
    pub(super) access: Access,
    pub(super) is_state: bool,
}

#[derive(Clone, Copy)]
enum OpenKind {
    Directory {
        /// Whether its names are unread: the handle has the read position.
        is_unread: bool,
    },
    File(DescriptorFlags),
}

impl OpenHandle {
    pub(super) fn directory(handle: OwnedFd, rights: Rights) -> Self {
        Self { handle: Arc::new(handle), kind: OpenKind::Directory { is_unread: true }, rights }
    }

    fn shared_directory(handle: OwnedFd, rights: Rights) -> Self {
        Self { handle: Arc::new(handle), kind: OpenKind::Directory { is_unread: false }, rights }
    }

    pub(super) fn file(handle: OwnedFd, rights: Rights, flags: DescriptorFlags) -> Self {
        Self { handle: Arc::new(handle), kind: OpenKind::File(flags), rights }
    }

    pub(super) fn handle(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    pub(super) fn take_unread(&mut self) -> Option<Arc<OwnedFd>> {
        match &mut self.kind {
            OpenKind::Directory { is_unread } => std::mem::take(is_unread).then(|| self.handle.clone()),
            OpenKind::File(_) => None,
        }
    }

    pub(super) fn rights(&self) -> Rights {
        self.rights
    }

    pub(super) fn type_(&self) -> DescriptorType {
        match self.kind {
            OpenKind::Directory { .. } => DescriptorType::Directory,
            OpenKind::File(_) => DescriptorType::RegularFile,
        }
    }

    pub(super) fn flags(&self) -> DescriptorFlags {
        match (self.kind, self.rights.access) {
            (OpenKind::File(flags), _) => flags,
            (OpenKind::Directory { .. }, Access::Read) => DescriptorFlags::READ,
            (OpenKind::Directory { .. }, Access::Write) => {
                DescriptorFlags::READ | DescriptorFlags::MUTATE_DIRECTORY
            }
        }
    }

    /// The only check of rights: every change calls it first.
    pub(super) fn changeable(&self) -> Outcome<&Self> {
        match self.rights.access {
            Access::Write => Ok(self),
            Access::Read => Err(ErrorCode::NotPermitted.into()),
        }
    }

    pub(super) fn as_directory(&self) -> Outcome<&Self> {
        match self.kind {
            OpenKind::Directory { .. } => Ok(self),
            OpenKind::File(_) => Err(ErrorCode::NotDirectory.into()),
        }
    }

    pub(super) fn as_file(&self) -> Outcome<&Self> {
        match self.kind {
            OpenKind::File(_) => Ok(self),
            OpenKind::Directory { .. } => Err(ErrorCode::IsDirectory.into()),
        }
    }
}

pub(super) struct Call<'a> {
    pub(super) table: &'a mut ResourceTable,
    pub(super) directories: &'a mut Directories,
    last: Option<(u32, Stat)>,
    pub(super) likeness: Option<Likeness>,
    changes: Cell<bool>,
}

impl<'a> Call<'a> {
    pub(super) fn begin(table: &'a mut ResourceTable, directories: &'a mut Directories) -> Self {
        let (last, likeness) = (directories.fresh.take(), directories.likeness.take());
        Self { table, directories, last, likeness, changes: Cell::new(false) }
    }

    pub(super) fn end(self) {
        self.directories.changed |= self.changes.get();
    }

    /// Refuses a file that is closed to this call.
    pub(super) fn require_open(&self, file: &OwnedFd, stat: &Stat, rights: Rights) -> Outcome<()> {
        let closed = &self.directories.closed;
        if closed.is_empty() || rights.is_state {
            return Ok(());
        }
        let [lower, upper] = identity(stat.st_dev, stat.st_ino).map(u128::from);
        match closed.get(&(upper << 64 | lower)) {
            Some(changed) if birth(file)?.is_none_or(|born| born <= *changed) => Err(ErrorCode::Busy.into()),
            _ => Ok(()),
        }
    }

    /// An object that the call changes now.
    pub(super) fn changing<'h>(&self, open: &'h OpenHandle) -> Outcome<&'h OpenHandle> {
        let open = open.changeable()?;
        // Recovery takes back changes of a state directory.
        self.changes.set(self.changes.get() || !open.rights.is_state);
        Ok(open)
    }

    pub(super) fn get(&self, descriptor: &Resource<Descriptor>) -> Outcome<&OpenHandle> {
        match self.table.get(descriptor)? {
            Descriptor::Open(open) => Ok(open),
            Descriptor::Likeness => Err(ErrorCode::NotPermitted.into()),
        }
    }

    pub(super) fn get_mut(&mut self, descriptor: &Resource<Descriptor>) -> Outcome<&mut OpenHandle> {
        match self.table.get_mut(descriptor)? {
            Descriptor::Open(open) => Ok(open),
            Descriptor::Likeness => Err(ErrorCode::NotPermitted.into()),
        }
    }

    pub(super) fn is_likeness(&self, descriptor: &Resource<Descriptor>) -> Outcome<bool> {
        Ok(matches!(self.table.get(descriptor)?, Descriptor::Likeness))
    }

    pub(super) fn push(&mut self, open: OpenHandle) -> Outcome<Resource<Descriptor>> {
        Ok(self.table.push(Descriptor::Open(open))?)
    }

    pub(super) fn just_opened(&self, descriptor: &Resource<Descriptor>) -> Option<&Stat> {
        self.last.as_ref().filter(|(rep, _)| *rep == descriptor.rep()).map(|(_, stat)| stat)
    }

    /// Keeps the metadata: this call asked the system for nothing.
    pub(super) fn keep_fresh(&mut self) {
        self.directories.fresh = self.last.take();
    }
}

/// The time since 1970 at which a file was made, where its file system keeps that.
fn birth(file: &OwnedFd) -> Outcome<Option<Duration>> {
    let found = rustix::fs::statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::BTIME)?;
    let is_known = found.stx_mask & StatxFlags::BTIME.bits() != 0;
    let seconds = u64::try_from(found.stx_btime.tv_sec).ok().filter(|_| is_known);
    Ok(seconds.map(|seconds| Duration::new(seconds, found.stx_btime.tv_nsec)))
}
