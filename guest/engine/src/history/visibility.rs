//! The entries of other sessions that a session sees.
//!
//! The rules, in this order:
//!
//! 1. An entry that is about nothing but hidden paths, or paths outside the grants, does not exist
//!    ([`Paths::is_absent`]).
//! 2. A session sees its own entries.
//! 3. It sees an entry that was made under the same rules against reading and the same grants. A
//!    directory that is younger than the entry is another one, even with the same inode.
//! 4. A session without rules against reading sees an entry whose grants lie inside its own.
//! 5. The operator sees every entry.
//! 6. Of any other entry the session sees its id and its time, and cannot take it back.
//!
//! Each rule looks at the record alone, so that moves, undo and restore by other sessions change
//! nothing. The policy of now still decides what may be read and written.

use super::entries::{Address, broken, entry_of};
use super::paths::Paths;
use super::trash_location;
use fsgate_contract::id::Id;
use fsgate_error::{Failure, HistoryProblem};
use fsgate_journal::Check;
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::Record;
use fsgate_journal::scope::RecordScope;
use fsgate_volume::Volume;

pub(crate) struct Visibility<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    session: Id,
    is_operator: bool,
    scope: &'a RecordScope,
    /// The session may read everything in its grants.
    reads_all: bool,
}

impl<'a, V: Volume> Visibility<'a, V> {
    pub(crate) fn new(
        namespace: &'a Namespace<V>,
        (session, is_operator): (Id, bool),
    ) -> Result<Self, Failure> {
        let scope = namespace.scope().map_err(broken)?;
        let reads_all = namespace.guard().policy().reading().is_empty() && !namespace.is_nested();
        Ok(Self { namespace, session, is_operator, scope, reads_all })
    }

    pub(crate) fn shows(&self, paths: &Paths<V>, record: &Record) -> bool {
        if self.is_operator || record.session == self.session {
            return true;
        }
        let Some(scope) = record.scope.as_ref().filter(|_| !paths.is_older(record)) else { return false };
        let lies_inside = || !scope.grants.is_empty() && scope.grants.iter().all(|root| paths.holds(root));
        scope.digest == self.scope.digest || self.reads_all && lies_inside()
    }

    /// Refuses to undo a record that the session does not see. A trash entry has the content of its
    /// last record: `trash_entry` is that record, if it is known, and the session has to see it as
    /// well.
    pub(super) fn require(
        &self,
        paths: &Paths<V>,
        address: Address,
        trash_entry: Option<Address>,
        record: &Record,
    ) -> Result<(), Failure> {
        self.require_one(paths, record)?;
        if record.action.trashed().is_none() {
            return Ok(());
        }
        match trash_location::trash_entry(self.namespace, address, trash_entry)?
            .filter(|last| *last != address)
        {
            Some((state, id)) => {
                let last = self.namespace.state(state).done(id, Check::Header).map_err(broken)?;
                last.map_or(Ok(()), |last| self.require_one(paths, &last.record))
            }
            None => Ok(()),
        }
    }

    fn require_one(&self, paths: &Paths<V>, record: &Record) -> Result<(), Failure> {
        if self.shows(paths, record) {
            return Ok(());
        }
        Err(HistoryProblem::HiddenEntry(entry_of(record).to_string()).into())
    }
}
