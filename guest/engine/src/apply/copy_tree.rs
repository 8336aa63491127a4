//! Copies a directory with everything in it.
//!
//! The copy gets its name at the end, so that no process sees a part of the tree under it.

use super::create::Origin;
use super::{ApplyRun, require_free};
use crate::resolve::{Folder, Place};
use fsgate_contract::id::temporary;
use fsgate_contract::path::join;
use fsgate_error::{Failure, FaultAt, Reason};
use fsgate_journal::discard;
use fsgate_journal::record::Object;
use fsgate_journal::tree_walk::copy::{Copying, make_new};
use fsgate_journal::tree_walk::{Census, Stopped, TreePosition, walk};
use fsgate_volume::Volume;
use fsgate_volume::answers::unless_gone;
use fsgate_volume::bytes::sync_names;

impl<V: Volume> ApplyRun<'_, V> {
    pub(super) fn copy_tree(
        &mut self,
        source: &Folder<V>,
        census: Census,
        destination: &Place<V>,
    ) -> Result<(), Failure> {
        let there = |reason: Reason| reason.at(destination.asked());
        let from = source.volume(self.namespace);
        let to = self.writable(destination)?;
        let id = self.begin_create(destination, Object::copied(&census), &Origin::Here, || None)?;
        let directory =
            self.made.parents(to, destination, self.transaction.syncs()).writing_at(destination.asked())?;
        let temporary = temporary(id);
        let made = make_new((to, &directory, &temporary), source.handle(), Some(&directory));
        let permissions = made.map_err(there)?;
        let copied = (|| {
            let start = to.open_directory(&directory, &temporary).writing_at(destination.asked())?;
            let mut copying = Copying {
                from,
                to,
                position: TreePosition::new(to, start),
                apart: Some(&directory),
                found: Census::default(),
                permissions,
                wrote: false,
                sync: self.transaction.syncs(),
            };
            let start = copying.position.here().writing_at(destination.asked())?;
            walk(from, source.handle().clone(), &mut copying).map_err(|Stopped { reason, path }| {
                let base = if copying.wrote { destination.asked() } else { source.shown() };
                reason.at(if path.is_empty() { base.to_owned() } else { join(base, &path) })
            })?;
            if copying.found != census {
                return Err(Reason::Changed.at(source.shown()));
            }
            let synced = sync_names(to, &start, self.transaction.syncs());
            synced.writing_at(destination.asked())?;
            require_free(to, &directory, destination.name()).map_err(there)?;
            let renamed = to.rename(&directory, &temporary, &directory, destination.name());
            unless_gone(renamed, to, &directory, &temporary)
                .and_then(|()| self.published(to, &directory, true))
                .writing_at(destination.asked())?;
            Ok(copying.permissions)
        })();
        let permissions = copied.inspect_err(|_| drop(discard(to, &directory, &temporary)))?;
        self.copies.made(permissions);
        Ok(())
    }
}
