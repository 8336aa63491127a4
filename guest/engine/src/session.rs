//! A session, and its calls: arguments checked, tool run, changes applied.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use crate::apply::{apply, foretold};
use crate::authorize::{ChangedFiles, permit};
use crate::changes::Plan;
use crate::history::about;
use crate::recovery::{self, Occasion, recover};
use crate::session::call::{Facts, ToolCall, Typed};
use crate::session::timed::Timed;
use crate::tools;
use crate::view::View;
use fsgate_contract::id::Id;
use fsgate_contract::limits::{LOCK_PATIENCE, READ_PATIENCE, READ_PAUSE};
use fsgate_contract::types::{Error, Note};
use fsgate_contract::{Applied, Arguments, Misfit, Operations, for_each_operation};
use fsgate_error::{ArgumentProblem, Failure, Reason};
use fsgate_journal::namespace::Namespace;
use fsgate_journal::state::lease::{CallGuard, HeldLease, LeaseLocks, LeaseRefused, Leases};
use fsgate_journal::{Call, RecoveryReport};
use fsgate_volume::clock::Clock;
use fsgate_volume::policy_guard::volume::Guarded;
use fsgate_volume::settings::{Durability, Lock, Refusal, Settings, Unusable};
use fsgate_volume::{Fault, Volume};

mod call;
mod open;
#[cfg(test)]
mod tests;
mod timed;

/// The grants, and the calls on them.
pub struct Session<V: Volume> {
    namespace: Result<Namespace<Watched<V>>, Refusal>,
    clock: Rc<Clock>,
    leases: Rc<Leases<V>>,
    settings: Settings,
    id: Id,
    unusable: Option<Unusable>,
    /// True after the first attempt to empty pending trash entries.
    has_emptied: Cell<bool>,
    /// The locks of all state directories, since the first change.
    locks: OnceCell<Vec<LeaseLocks<Rc<V>>>>,
}

/// A volume behind the policy, on the clock of the call.
pub type Watched<V> = Guarded<Timed<V>>;

/// An operation, which only looks.
pub type Run<V, A, P> = fn(&View<Watched<V>>, &A) -> Result<P, Failure>;

macro_rules! operations {
    ($($tool:literal $name:ident $types:ident::$args:ident)*) => {
        impl<V: Volume> Operations for Session<V> {
            $(fn $name(
                &self,
                args: &fsgate_contract::$types::$args,
            ) -> Result<<fsgate_contract::$types::$args as Arguments>::Outcome, Error> {
                self.run(tools::$name::run, args)
            })*
        }
    };
}
for_each_operation!(operations);

impl<V: Volume> Session<V> {
    /// Carries out one call.
    pub fn run<A: Arguments, P: Plan<Watched<V>, A::Outcome>>(
        &self,
        run: Run<V, A, P>,
        args: &A,
    ) -> Result<A::Outcome, Error> {
        let (facts, mut call) = (Facts::of(args), Typed { run, args, outcome: None });
        let carried_out = self.begin(args.misfits()).and_then(|namespace| {
            // A component whose operations all read has no code for changes.
            if A::READ_ONLY || args.is_dry_run() {
                self.look(namespace, facts, &mut call)
            } else {
                self.change(namespace, facts, &mut call)
            }
        });
        carried_out
            .map(|()| call.outcome.expect("a call that succeeds has an outcome"))
            .map_err(|failure| failure.into_error(A::OPERATION))
    }

    fn begin(&self, misfits: Vec<Misfit>) -> Result<&Namespace<Watched<V>>, Failure> {
        if !misfits.is_empty() {
            let misfits = misfits.into_iter().map(ArgumentProblem::OutOfRange).collect();
            return Err(Reason::Arguments(misfits).into());
        }
        let namespace = self.namespace.as_ref().map_err(|refusal| Reason::from(refusal.clone()))?;
        self.clock.begin(self.settings.deadline.map(|time| namespace.now() + time));
        // These are of an earlier call.
        let _ = namespace.guard().take_hidden();
        Ok(namespace)
    }

    /// The path of the first grant, where relative paths start.
    pub fn first_grant(&self) -> Option<String> {
        self.namespace.as_ref().ok()?.first_grant()
    }

    fn look(
        &self,
        namespace: &Namespace<Watched<V>>,
        facts: Facts,
        call: &mut dyn ToolCall<V>,
    ) -> Result<(), Failure> {
        let looked = self.look_in_time(namespace, facts, call);
        // The tool may have skipped a file because of the time.
        if self.clock.has_struck() { Err(Reason::reading(Fault::Deadline).into()) } else { looked }
    }

    fn look_in_time(
        &self,
        namespace: &Namespace<Watched<V>>,
        facts: Facts,
        call: &mut dyn ToolCall<V>,
    ) -> Result<(), Failure> {
        // Changes nothing. A dry run is refused where the call would be, but needs no consent.
        let mut foresee = |torn| {
            let view = self.view(namespace).without(torn);
            let half_written = half_written(&view);
            let changes = call.plan(&view)?;
            permit(namespace, &changes, None, &mut ChangedFiles::default())?;
            let mut notes = foretold(namespace, &self.settings, &changes)?;
            notes.extend(half_written);
            call.add(Applied { notes, ..Applied::default() });
            Ok(())
        };
        // A multi-file walk is not a snapshot, so it needs no read check.
        if facts.interface != "read" {
            // This reads other processes' states, which only the history needs.
            let known = sequences(namespace);
            if facts.interface == "history" {
                known?;
                if let Some(why) = self.unusable.as_ref().filter(|_| namespace.states().next().is_none()) {
                    return Err(Reason::Unusable(Box::new(why.clone())).into());
                }
            }
            let mut torn = recovery::under_way(namespace);
            foresee(BTreeSet::new())?;
            if sequences(namespace).is_ok() {
                torn.extend(recovery::under_way(namespace));
                torn.sort_by_key(|(record, _)| record.id);
                torn.dedup_by_key(|(record, _)| record.id);
            }
            let notes = about::half_written(&self.view(namespace), &torn);
            call.add(Applied { notes, ..Applied::default() });
            return Ok(());
        }
        let mut waited = Duration::ZERO;
        loop {
            let before = sequences(namespace)?;
            // A write in place leaves all other files alone. A call can begin with further files,
            // and records each one before.
            let torn = || recovery::torn(namespace).map_err(Reason::reading);
            if let Some(before_torn) = torn()? {
                let outcome = foresee(before_torn.clone());
                let is_torn = |failure: &Failure| matches!(failure.reason, Reason::HalfWritten);
                if !outcome.as_ref().is_err_and(is_torn)
                    && sequences(namespace)? == before
                    && torn()? == Some(before_torn)
                {
                    return outcome;
                }
            }
            // The bytes may be half of a change.
            if waited >= READ_PATIENCE {
                return Err(Reason::HalfWritten.into());
            }
            namespace.pause(READ_PAUSE);
            waited += READ_PAUSE;
        }
    }

    fn view<'n>(&self, namespace: &'n Namespace<Watched<V>>) -> View<'n, Watched<V>> {
        View::new(namespace).of_session(self.id, self.settings.operator)
    }

    fn change(
        &self,
        namespace: &Namespace<Watched<V>>,
        facts: Facts,
        call: &mut dyn ToolCall<V>,
    ) -> Result<(), Failure> {
        if let Some(why) = &self.unusable {
            return Err(Reason::Unusable(Box::new(why.clone())).into());
        }
        let _term = self.lock(namespace, facts.operation)?;
        let mut change = || -> Result<(), Failure> {
            let occasion = match facts.operation {
                "recover" if facts.asks_for_recovery => Occasion::Asked,
                "recover" => Occasion::Read,
                _ => Occasion::Change,
            };
            let has_reopened = if occasion == Occasion::Asked || facts.operation == "forget" {
                recovery::reopen(namespace).map_err(|fault| Reason::Unhealed(Box::new(fault)))?
            } else {
                false
            };
            let report = self.recover(namespace, occasion, has_reopened)?;
            let torn = recovery::torn(namespace).ok().flatten().unwrap_or_default();
            let view = self.view(namespace).after(report.clone().unwrap_or_default()).without(torn);
            let changes = call.plan(&view)?;
            let recorded = Call {
                tool: facts.operation,
                session: self.id,
                settings: &self.settings,
                confirmed: facts.confirmed,
            };
            let mut applied = apply(namespace, recorded, changes)?;
            if let Some(report) = report {
                let view = self.view(namespace);
                // The change may have moved one.
                applied.notes.extend(half_written(&view));
                applied.notes.extend(about::conflicts(&view, &report.conflicts));
            }
            call.add(applied);
            Ok(())
        };
        change().map_err(|failure| match failure.reason {
            // These report the progress.
            Reason::Unrecovered(_) | Reason::Partly { .. } => failure,
            _ if self.leases.are_taken() => Reason::LockedElsewhere.into(),
            _ => failure,
        })
    }

    fn lock(&self, namespace: &Namespace<Watched<V>>, operation: &str) -> Result<CallGuard<'_, V>, Failure> {
        // The owner of a lease completes its own change, and reads ask for a recovery.
        let most = if operation == "recover" { Duration::ZERO } else { LOCK_PATIENCE };
        let term = self.leases.begin();
        let locks = self.locks.get_or_init(|| lease_locks(namespace));
        for locks in locks {
            let left = self.clock.left(namespace.now());
            let patience = left.map_or(most, |left| left.min(most));
            let taken = match self.settings.lock {
                Lock::Host => locks.take_in_place(self.id.0, patience).map(HeldLease::InPlace),
                Lock::Lease => locks.take(self.id.0, patience).map(HeldLease::Numbered),
            };
            term.hold(taken.map_err(|refused| match refused {
                LeaseRefused::Held => Reason::LockedElsewhere,
                LeaseRefused::Fault(fault) => Reason::Journal(Box::new(fault)),
            })?);
        }
        Ok(term)
    }

    /// Completes or rolls back interrupted changes, if there are any; `recover` always does.
    fn recover(
        &self,
        namespace: &Namespace<Watched<V>>,
        occasion: Occasion,
        has_reopened: bool,
    ) -> Result<Option<RecoveryReport>, Failure> {
        let mut is_left = occasion != Occasion::Change || has_reopened;
        for state in namespace.states() {
            let now = state.refresh().map_err(|fault| Reason::Journal(Box::new(fault)))?;
            is_left |= now.is_unfinished() || now.unsettled;
        }
        if !is_left {
            // Once, so that a pending entry costs later changes nothing.
            if !self.has_emptied.replace(true) {
                recovery::empty_pending(namespace);
            }
            return Ok(None);
        }
        self.clock.hold();
        let recovered = recover(namespace, self.settings.durability == Durability::Power, occasion);
        self.clock.let_go();
        Ok(Some(recovered.map_err(|fault| Reason::Unhealed(Box::new(fault)))?))
    }
}

/// The locks of all state directories, in one order for all processes, which prevents deadlocks.
fn lease_locks<V: Volume>(namespace: &Namespace<Watched<V>>) -> Vec<LeaseLocks<Rc<V>>> {
    let mut states: Vec<_> = namespace.states().collect();
    states.sort_by_key(|state| state.identity);
    let locks = states.into_iter().map(|state| {
        let (timed, directory) = state.volume.bare(&state.locks);
        LeaseLocks::new(timed.volume.clone(), timed.volume.root(), directory.clone())
    });
    locks.collect()
}

/// Notes about half-written files. Unreadable state directories refuse no call.
fn half_written<V: Volume>(view: &View<V>) -> Vec<Note> {
    about::half_written(view, &recovery::half_written(view.namespace()).unwrap_or_default())
}

/// The sequence number of each history, odd during a write in place.
fn sequences<V: Volume>(namespace: &Namespace<V>) -> Result<Vec<u64>, Failure> {
    let mut sequences = Vec::new();
    for state in namespace.states() {
        let now = state.look().map_err(|fault| Failure::from(Reason::reading(fault)))?;
        // No change is possible in a damaged one.
        sequences.extend(now.map(|now| now.sequence));
    }
    Ok(sequences)
}
