//! `wasi:filesystem` from `wasmtime-wasi`, for systems other than Linux.

use std::io;
use std::sync::Arc;

use fsgate_journal::HalfWrittenFiles;
use fsgate_volume::Access;
use wasmtime::component::{HasData, Linker};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemCtx, WasiFilesystemCtxView};
use wasmtime_wasi::p2::bindings::{filesystem, sync};
use wasmtime_wasi::{FsPerms, WasiCtx};

use super::{Holder, Preopen, Unopened};

/// The preopened directories. Clones share the handles.
#[derive(Clone, Default)]
pub struct Directories(WasiFilesystemCtx);

impl Directories {
    pub fn open<'a>(preopens: impl IntoIterator<Item = Preopen<'a>>) -> Result<Self, Unopened> {
        let mut context = WasiCtx::builder();
        // Set before the directories, which remember it: otherwise every call changes threads.
        context.allow_blocking_current_thread(true);
        for Preopen { host, name, access, .. } in preopens {
            let permissions = match access {
                Access::Read => FsPerms::ReadOnly,
                Access::Write => FsPerms::ReadWrite,
            };
            context.preopened_dir(host, name, permissions).map_err(|error| Unopened {
                host: host.to_owned(),
                error: io::Error::other(error.to_string()),
            })?;
        }
        Ok(Self(context.build().filesystem().clone()))
    }

    /// This implementation does not see changes, and closes no file.
    pub fn begin(&mut self, _: Arc<HalfWrittenFiles>) {}

    /// Any call may have changed something.
    pub fn have_changed(&self) -> bool {
        true
    }

    /// This implementation cannot copy permissions.
    #[must_use]
    pub fn with_likeness(self) -> Self {
        self
    }
}

/// Defines `wasi:filesystem` for a component.
pub fn add_to_linker<T: Holder>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    sync::filesystem::types::add_to_linker::<T, WasiFilesystem>(linker, view)?;
    filesystem::preopens::add_to_linker::<T, WasiFilesystem>(linker, view)
}

fn view<T: Holder>(state: &mut T) -> <WasiFilesystem as HasData>::Data<'_> {
    let (table, directories) = state.files();
    WasiFilesystemCtxView { ctx: &mut directories.0, table }
}
