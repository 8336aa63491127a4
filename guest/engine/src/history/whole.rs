//! Whether all of an entry can be had: the members of a group may lie in several state directories.
//!
//! Each root may have a state directory of its own, and who is granted one root has not that of the other one. What he sees of
//! a call over both is a half, and to take back a half is to leave what was never there before.

use std::collections::BTreeMap;

use super::entries::{Entry, broken};
use super::paths::Paths;
use fsgate_contract::id::Id;
use fsgate_error::{Conflict, Failure, HistoryProblem, Reason};
use fsgate_journal::Check;
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::{Action, Member, Record};
use fsgate_volume::Volume;

/// Why an entry is not taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lack {
    /// Some of it lies in a state directory that is not open.
    Elsewhere,
    /// Some of it is forgotten already: each state directory is looked after by itself.
    Forgotten,
}

/// Knows of groups whether all of them is there.
pub(super) struct Whole<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    /// What was asked already: a group has many members.
    known: BTreeMap<Id, Result<Vec<Id>, Lack>>,
}

impl<'a, V: Volume> Whole<'a, V> {
    pub(super) fn new(namespace: &'a Namespace<V>) -> Self {
        Self { namespace, known: BTreeMap::new() }
    }

    /// Refuses to take back a record that belongs with others which are not there.
    pub(super) fn require(&mut self, record: &Record, paths: &Paths<V>) -> Result<(), Failure> {
        let Some(group) = record.group else { return Ok(()) };
        match self.parts(group)? {
            Ok(_) => Ok(()),
            Err(lack) => Err(self.refusal(record, lack, paths)),
        }
    }

    /// The same of an entry.
    pub(super) fn require_entry(&mut self, entry: &Entry, paths: &Paths<V>) -> Result<(), Failure> {
        match self.lacks(entry)? {
            None => Ok(()),
            Some(lack) => Err(self.refusal(&entry.newest, lack, paths)),
        }
    }

    /// What an entry lacks.
    pub(super) fn lacks(&mut self, entry: &Entry) -> Result<Option<Lack>, Failure> {
        let Some(group) = entry.newest.group else { return Ok(None) };
        let namespace = self.namespace;
        let is_there =
            |part: &Id| entry.records.iter().any(|(state, _)| namespace.state(*state).identity == *part);
        Ok(match self.parts(group)? {
            Ok(parts) if parts.iter().all(is_there) => None,
            Ok(_) => Some(Lack::Forgotten),
            Err(lack) => Some(lack),
        })
    }

    /// The state directories that hold members of a group, if all of them are open.
    fn parts(&mut self, group: Member) -> Result<Result<Vec<Id>, Lack>, Failure> {
        if let Some(known) = self.known.get(&group.id) {
            return Ok(known.clone());
        }
        let open = |identity: Id| self.namespace.states().find(|state| state.identity == identity);
        let parts = match open(group.state) {
            None => Err(Lack::Elsewhere),
            Some(home) => match home.done(group.id, Check::Header).map_err(broken)? {
                Some(stored) => match stored.record.action {
                    Action::Group { states } if states.iter().any(|part| open(*part).is_none()) => {
                        Err(Lack::Elsewhere)
                    }
                    Action::Group { states } if !states.is_empty() => Ok(states),
                    _ => Err(Lack::Forgotten),
                },
                None => Err(Lack::Forgotten),
            },
        };
        self.known.insert(group.id, parts.clone());
        Ok(parts)
    }

    fn refusal(&self, record: &Record, lack: Lack, paths: &Paths<V>) -> Failure {
        match lack {
            // Of what lies elsewhere not even the name is told.
            Lack::Elsewhere => Reason::NotGranted(self.namespace.grant_names()).into(),
            Lack::Forgotten => {
                let path = paths.of(record).into_iter().next().unwrap_or_default();
                HistoryProblem::UndoConflict(path.clone(), Conflict::NotKept).at(path)
            }
        }
    }
}
