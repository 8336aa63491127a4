//! Creates files and directories.

use super::copy::Copy;
use super::{ApplyRun, journal, unrecorded};
use crate::changes::Like;
use crate::resolve::Place;
use fsgate_contract::id::{Id, temporary};
use fsgate_error::{Failure, FaultAt, Reason};
use fsgate_journal::record::{Action, Create, Object, Root, Source};
use fsgate_journal::state::State;
use fsgate_journal::tree_walk::copy::{Permissions, write_new};
use fsgate_volume::answers::unless_linked;
use fsgate_volume::bytes::sync_names;
use fsgate_volume::bytes::write_all;
use fsgate_volume::etag;
use fsgate_volume::{Access, Fault, Kind, Volume};

pub(super) enum Origin<'a, V: Volume> {
    Here,
    Trash(Id),
    /// A copy of this place, which is removed, with its identity.
    Moved(&'a Place<V>, u128),
}

impl<'a, V: Volume> ApplyRun<'a, V> {
    /// Creates the missing parents and the file, with another file's permissions if given.
    pub(super) fn create(
        &mut self,
        place: &Place<V>,
        content: &[u8],
        like: Option<&Like<V>>,
    ) -> Result<(), Failure> {
        let volume = self.writable(place)?;
        let original = like.map(|like| Copy::like(self.namespace, like).open()).transpose()?;
        let object = Object::File { size: content.len() as u64 };
        let id = self.begin_create(place, object, &Origin::Here, || Some(etag::of(content)))?;
        let (here, sync) = (|reason: Reason| reason.at(place.asked()), self.transaction.syncs());
        let directory = self.made.parents(volume, place, sync).writing_at(place.asked())?;
        let names = FileNames { directory: &directory, name: place.name(), temporary: &temporary(id) };
        let original = original.as_ref().map(|original| &original.file);
        let published = publish(volume, &names, original, sync, |file| {
            write_all(volume, file, 0, content).map_err(|(fault, _)| Reason::writing(fault))
        });
        let Published { is_clean, permissions } = published.map_err(here)?;
        match like {
            Some(like) if like.is_moved => self.copies.moved(permissions),
            Some(_) => self.copies.made(permissions),
            None => {}
        }
        self.published(volume, &directory, is_clean).writing_at(place.asked())?;
        let identity = volume.identity_at(&directory, place.name()).ok();
        if like.is_some_and(|like| like.is_moved) {
            self.moved_copies.extend(identity);
        }
        if self.state(place).is_none() && identity.is_some() {
            self.made.file(volume, &directory, place);
        }
        Ok(())
    }

    pub(super) fn published(
        &mut self,
        volume: &V,
        directory: &V::Directory,
        is_clean: bool,
    ) -> Result<(), Fault> {
        self.transaction.made();
        if !is_clean {
            self.transaction.finish_later();
        }
        sync_names(volume, directory, self.transaction.syncs())
    }

    /// Creates the missing parents and the directory. One that another process has created
    /// meanwhile counts.
    pub(super) fn create_directory(&mut self, place: &Place<V>) -> Result<(), Failure> {
        let volume = self.writable(place)?;
        self.begin_create(place, Object::Directory, &Origin::Here, || None)?;
        let directory =
            self.made.parents(volume, place, self.transaction.syncs()).writing_at(place.asked())?;
        let made = match volume.create_directory(&directory, place.name()) {
            Err(Fault::Exists) if volume.open_directory(&directory, place.name()).is_ok() => Ok(()),
            // It exists in spite of the fault.
            Err(fault) if volume.open_directory(&directory, place.name()).is_err() => {
                Err(Reason::writing(fault).at(place.asked()))
            }
            _ => {
                self.transaction.made();
                Ok(())
            }
        };
        let synced = sync_names(volume, &directory, self.transaction.syncs());
        synced.writing_at(place.asked())?;
        made
    }

    /// Records a new name; the id gives its temporary name.
    pub(super) fn begin_create(
        &mut self,
        place: &Place<V>,
        object: Object,
        origin: &Origin<V>,
        etag: impl FnOnce() -> Option<String>,
    ) -> Result<Id, Failure> {
        match self.state(place) {
            None => Ok(unrecorded(place.volume(self.namespace))),
            Some(state) => self.record_create(state, place, object, etag(), origin),
        }
    }

    pub(super) fn record_create(
        &mut self,
        state: &'a State<V>,
        place: &Place<V>,
        object: Object,
        etag: Option<String>,
        origin: &Origin<V>,
    ) -> Result<Id, Failure> {
        let located = || {
            let mut links = None;
            let (from, source) = match origin {
                Origin::Here => (None, None),
                Origin::Trash(id) => {
                    links = Some(state.volume.stat(&state.trash, &id.to_string())?.names());
                    (Some(*id), None)
                }
                Origin::Moved(source, identity) => {
                    let at = source.location(self.namespace)?;
                    (None, Some(Source { at, identity: Id(*identity) }))
                }
            };
            let (at, made) = (place.location(self.namespace)?, place.missing(self.namespace)?);
            Ok(Create { at, made, object, etag, from, links, source })
        };
        let create = located().map_err(|fault: Fault| Reason::writing(fault).at(place.asked()))?;
        self.record(state, Action::Create(create))
    }

    pub(super) fn checkpoint(&mut self, label: String) -> Result<(), Failure> {
        if let Some(state) = self.namespace.states().next() {
            let roots = self.namespace.all_held().filter(|held| held.access == Access::Write);
            let roots = roots.map(|held| {
                let identity = Id(held.volume.directory_identity(&held.root)?);
                Ok(Root { grant: self.namespace.path(held.node), identity })
            });
            let roots = roots.collect::<Result<_, Fault>>().map_err(journal)?;
            self.record(state, Action::Checkpoint { label, roots })?;
        }
        Ok(())
    }
}

pub(super) struct FileNames<'a, V: Volume> {
    pub(super) directory: &'a V::Directory,
    pub(super) name: &'a str,
    /// The name until the file is complete.
    pub(super) temporary: &'a str,
}

pub(super) struct Published {
    /// Whether the temporary name is gone; the call succeeds without that.
    pub(super) is_clean: bool,
    pub(super) permissions: Permissions,
}

/// Makes a file appear with everything that `fill` writes, or not at all. A file `like` gives its
/// permissions.
pub(super) fn publish<V: Volume, E: From<Reason>>(
    volume: &V,
    names: &FileNames<V>,
    like: Option<&V::File>,
    sync: bool,
    fill: impl Fn(&V::File) -> Result<(), E>,
) -> Result<Published, E> {
    let &FileNames { directory, name, temporary } = names;
    let permissions = write_new(volume, directory, temporary, like, sync, &fill)?;
    let linked = volume.link_file(directory, temporary, directory, name);
    let linked = unless_linked(linked, (volume, directory, temporary), (volume, directory, name));
    let published = match linked {
        // The link decides.
        Ok(()) => Ok(volume.remove_file(directory, temporary).is_ok()),
        // Without links, an empty file reserves the name, which only one caller can do, and the
        // full one replaces it. Without its temporary name, the owner of an empty file would be
        // unknown later.
        Err(Fault::Unsupported | Fault::NotPermitted | Fault::Access) => sync_names(volume, directory, sync)
            .and_then(|()| {
                let placeholder = volume.create_file(directory, name);
                placeholder.inspect_err(|fault| forget_placeholder(volume, directory, name, fault))
            })
            .and_then(|placeholder| {
                drop(placeholder);
                let taken = volume.rename(directory, temporary, directory, name);
                taken.inspect_err(|_| drop(volume.remove_file(directory, name))).map(|()| true)
            })
            .inspect_err(|_| drop(volume.remove_file(directory, temporary))),
        Err(fault) => {
            let _ = volume.remove_file(directory, temporary);
            Err(fault)
        }
    };
    published
        .map(|is_clean| Published { is_clean, permissions })
        .map_err(|fault| Reason::writing(fault).into())
}

fn forget_placeholder<V: Volume>(volume: &V, directory: &V::Directory, name: &str, fault: &Fault) {
    // Another process has created it if it `Exists`.
    let is_ours = *fault != Fault::Exists
        && volume.stat(directory, name).is_ok_and(|stat| stat.kind == Kind::File && stat.size == 0);
    if is_ours {
        let _ = volume.remove_file(directory, name);
    }
}
