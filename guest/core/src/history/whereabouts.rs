//! Where things have gone since, by the moves that were written down.
//!
//! What has got a name by which it may not be read is told by no older one: neither its content nor its tag, nor whether
//! something else is the same.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use super::kept;
use super::paths::{Paths, is_below};
use crate::error::{Denial, Failure, Reason};
use crate::journal::Id;
use crate::journal::record::{Action, Location};
use crate::namespace::Namespace;
use crate::policy::RuleId;
use crate::volume::Volume;

/// Moves, the newest first.
#[derive(Default)]
pub(crate) struct Whereabouts(Vec<Moved>);

struct Moved {
    id: Id,
    from: String,
    /// None for what is not granted now.
    to: Option<String>,
}

/// What has become of something.
pub(crate) enum Led {
    /// It has a path, as far as moves have led it.
    To(String),
    /// It has got a name by which a rule closes it.
    Closed(RuleId),
    /// It has left what is granted now.
    Away,
}

impl Whereabouts {
    /// All moves that came after a record.
    pub(crate) fn since<V: Volume>(
        namespace: &Namespace<V>,
        paths: &Paths<V>,
        since: Id,
    ) -> Result<Self, Failure> {
        let mut all = Self::default();
        for state in namespace.states() {
            kept::each_since(state, since, |record| {
                all.pass(paths, record.id, &record.action);
                ControlFlow::Continue(())
            })?;
        }
        all.0.sort_by_key(|moved| Reverse(moved.id));
        Ok(all)
    }

    /// One more record, older than all before.
    pub(crate) fn pass<V: Volume>(&mut self, paths: &Paths<V>, id: Id, action: &Action) {
        if let Action::Move(moved) = action
            && let Some(from) = paths.granted(&moved.from)
        {
            self.0.push(Moved { id, from, to: paths.granted(&moved.to) });
        }
    }

    /// Where that is by now which had a path right behind a record.
    pub(crate) fn of<V: Volume>(&self, paths: &Paths<V>, path: &str, behind: Id) -> Led {
        let mut now = path.to_owned();
        for Moved { from, to, .. } in self.0.iter().rev().filter(|moved| moved.id > behind) {
            if !is_below(&now, from) {
                continue;
            }
            let Some(to) = to else { return Led::Away };
            now = format!("{to}{}", &now[from.len()..]);
            if let Some(rule) = paths.closed_by(&now) {
                return Led::Closed(rule);
            }
        }
        Led::To(now)
    }

    /// Refuses what has been led to where it may not be read.
    pub(crate) fn require_open<V: Volume>(
        &self,
        namespace: &Namespace<V>,
        paths: &Paths<V>,
        at: &Location,
        behind: Id,
    ) -> Result<(), Failure> {
        // By the name that moves are known by, whatever others it may be asked for by.
        let Some(path) = paths.granted(at) else { return Ok(()) };
        match self.of(paths, &path, behind) {
            Led::To(_) => Ok(()),
            // Where it is now is not told.
            Led::Closed(rule) => Err(Reason::Denied(namespace.guard().rule(rule), Denial::Open).into()),
            Led::Away => Err(Reason::NotGranted(namespace.grant_names()).into()),
        }
    }
}
