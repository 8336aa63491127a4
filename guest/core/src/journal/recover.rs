//! After a death: what is pending is finished or taken back, before anything else is changed.

use std::ops::ControlFlow;

use super::Id;
use super::file::{Check, Stored};
use super::record::{Action, Record};
use super::settle::{Settled, Verdict, settle};
use super::trash::discard;
use crate::namespace::Namespace;
use crate::permission::forbids;
use crate::state::State;
use crate::volume::{Fault, Listed, Volume};

/// What recovery has found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Changes that stand now.
    pub finished: Vec<Record>,
    /// Changes that were taken back.
    pub rolled_back: Vec<Record>,
    /// Changes of files that somebody else has changed since, or that the policy forbids to change now: nothing was touched.
    pub conflicts: Vec<Record>,
    /// Changes in directories that are not granted for writing now.
    pub waiting: Vec<Record>,
}

/// Brings everything to an end that is pending, as far as it lies in grants of ours. Whoever calls holds the lock.
pub(crate) fn recover<V: Volume>(namespace: &Namespace<V>, sync: bool) -> Result<Report, Fault> {
    let mut report = Report::default();
    let mut found: Vec<(&State<V>, Stored<V>)> = Vec::new();
    for state in namespace.states() {
        let mut names = Vec::new();
        state.volume.each_entry(&state.pending, &mut |listed| {
            if let Listed::Name(name, _) = listed {
                names.push(name.to_owned());
            }
            ControlFlow::Continue(())
        })?;
        for name in names {
            let stored = match name.parse::<Id>() {
                Ok(_) => Stored::open(&state.volume, &state.pending, &name, Check::Whole),
                Err(_) => Ok(None),
            };
            match stored {
                Ok(Some(stored)) => found.push((state, stored)),
                // Its writer died before it was whole, and so before anything was changed.
                Ok(None) | Err(Fault::IsDirectory | Fault::Loop | Fault::NotPermitted) => {
                    discard(&state.volume, &state.pending, &name)?;
                }
                Err(fault) => return Err(fault),
            }
        }
        state.begin_in_place()?;
    }
    // The last one first: what is taken back has the state before it then that it left.
    found.sort_by_key(|(_, stored)| std::cmp::Reverse(stored.record.id));
    let (groups, changes): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(_, stored)| stored.record.action == Action::Group);
    for (state, stored) in changes {
        let verdict = match stored.record.group {
            None => Some(Verdict::Own),
            Some(member) => {
                let home = namespace.states().find(|state| state.identity == member.state);
                let pending = groups.iter().any(|(_, group)| group.record.id == member.id);
                match home {
                    // Whether the group stands is written where we cannot look.
                    None => None,
                    Some(home) if !pending && is_done(home, member.id)? => Some(Verdict::Forward),
                    Some(_) => Some(Verdict::Back),
                }
            }
        };
        let settled = match verdict {
            // The policy has been changed since it was begun: it is for a person to look at.
            Some(_) if forbids(namespace, &stored.record).is_some() => Settled::Foreign,
            Some(verdict) => settle(namespace, state, &stored, verdict, false, sync)?,
            None => Settled::Waiting,
        };
        let name = stored.record.id.to_string();
        match settled {
            Settled::Done => {
                put(state, &name, &state.done)?;
                report.finished.push(stored.record);
            }
            Settled::Undone => {
                state.volume.remove_file(&state.pending, &name)?;
                report.rolled_back.push(stored.record);
            }
            Settled::Foreign => {
                put(state, &name, &state.conflicts)?;
                report.conflicts.push(stored.record);
            }
            Settled::Waiting => report.waiting.push(stored.record),
        }
        if sync {
            // One that comes back when those before it are settled would find nothing of what it knows.
            state.volume.sync_directory(&state.pending)?;
        }
    }
    for (state, group) in groups {
        let id = group.record.id;
        let waits = |record: &Record| record.group.is_some_and(|member| member.id == id);
        if !report.waiting.iter().any(waits) {
            state.volume.remove_file(&state.pending, &id.to_string())?;
        }
    }
    for state in namespace.states() {
        clear(state)?;
        state.end_in_place()?;
    }
    Ok(report)
}

/// Moves a record out of `pending/`, over whatever else has its name there.
fn put<V: Volume>(state: &State<V>, name: &str, to: &V::Directory) -> Result<(), Fault> {
    match state.volume.rename(&state.pending, name, to, name) {
        Err(Fault::IsDirectory) => {
            discard(&state.volume, to, name)?;
            state.volume.rename(&state.pending, name, to, name)
        }
        done => done,
    }
}

fn is_done<V: Volume>(state: &State<V>, id: Id) -> Result<bool, Fault> {
    match state.volume.stat(&state.done, &id.to_string()) {
        Ok(_) => Ok(true),
        Err(Fault::NotFound) => Ok(false),
        Err(fault) => Err(fault),
    }
}

/// What was being put into the trash when its writer died.
fn clear<V: Volume>(state: &State<V>) -> Result<(), Fault> {
    let mut names = Vec::new();
    state.volume.each_entry(&state.tmp, &mut |listed| {
        if let Listed::Name(name, _) = listed {
            names.push(name.to_owned());
        }
        ControlFlow::Continue(())
    })?;
    names.iter().try_for_each(|name| discard(&state.volume, &state.tmp, name))
}
