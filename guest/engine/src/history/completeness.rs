//! Checks that an entry is complete.
//!
//! Each root may have a state directory of its own, and a session with one of two roots sees half
//! of a call over both. To undo a half would create a state that never existed.

use std::collections::BTreeMap;

use super::entries::{Entry, broken};
use super::paths::Paths;
use fsgate_contract::id::Id;
use fsgate_error::{Conflict, Failure, HistoryProblem, Reason};
use fsgate_journal::Check;
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::{Action, Member, Record};
use fsgate_volume::Volume;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingPart {
    /// A part is in a state directory that is not open.
    Elsewhere,
    /// A part is removed: each state directory is pruned alone.
    Forgotten,
}

pub(super) struct Completeness<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    /// Cached answers, because a group has many members.
    known: BTreeMap<Id, Result<Vec<Id>, MissingPart>>,
}

impl<'a, V: Volume> Completeness<'a, V> {
    pub(super) fn new(namespace: &'a Namespace<V>) -> Self {
        Self { namespace, known: BTreeMap::new() }
    }

    pub(super) fn require(&mut self, record: &Record, paths: &Paths<V>) -> Result<(), Failure> {
        let Some(group) = record.group else { return Ok(()) };
        match self.parts(group)? {
            Ok(_) => Ok(()),
            Err(lack) => Err(self.refusal(record, lack, paths)),
        }
    }

    pub(super) fn require_entry(&mut self, entry: &Entry, paths: &Paths<V>) -> Result<(), Failure> {
        match self.lacks(entry)? {
            None => Ok(()),
            Some(lack) => Err(self.refusal(&entry.newest, lack, paths)),
        }
    }

    pub(super) fn lacks(&mut self, entry: &Entry) -> Result<Option<MissingPart>, Failure> {
        let Some(group) = entry.newest.group else { return Ok(None) };
        let namespace = self.namespace;
        let is_there =
            |part: &Id| entry.records.iter().any(|(state, _)| namespace.state(*state).identity == *part);
        Ok(match self.parts(group)? {
            Ok(parts) if parts.iter().all(is_there) => None,
            Ok(_) => Some(MissingPart::Forgotten),
            Err(lack) => Some(lack),
        })
    }

    /// The state directories of a group's members, if all of them are open.
    fn parts(&mut self, group: Member) -> Result<Result<Vec<Id>, MissingPart>, Failure> {
        if let Some(known) = self.known.get(&group.id) {
            return Ok(known.clone());
        }
        let open = |identity: Id| self.namespace.states().find(|state| state.identity == identity);
        let parts = match open(group.state) {
            None => Err(MissingPart::Elsewhere),
            Some(home) => match home.done(group.id, Check::Header).map_err(broken)? {
                Some(stored) => match stored.record.action {
                    Action::Group { states } if states.iter().any(|part| open(*part).is_none()) => {
                        Err(MissingPart::Elsewhere)
                    }
                    Action::Group { states } if !states.is_empty() => Ok(states),
                    _ => Err(MissingPart::Forgotten),
                },
                None => Err(MissingPart::Forgotten),
            },
        };
        self.known.insert(group.id, parts.clone());
        Ok(parts)
    }

    fn refusal(&self, record: &Record, lack: MissingPart, paths: &Paths<V>) -> Failure {
        match lack {
            // The refusal names no path outside the grants.
            MissingPart::Elsewhere => {
                let path = paths.of(record).into_iter().next();
                Failure { reason: Reason::NotGranted(self.namespace.grant_names()), path }
            }
            MissingPart::Forgotten => {
                let path = paths.of(record).into_iter().next().unwrap_or_default();
                HistoryProblem::UndoConflict(path.clone(), Conflict::NotKept).at(path)
            }
        }
    }
}
