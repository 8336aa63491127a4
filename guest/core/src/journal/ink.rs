//! What one call writes into the journal.

use super::file::{Check, Stored, Writer};
use super::record::{Action, Kept, Member, Record};
use super::settle::{Settled, Verdict, settle};
use super::{Id, prune};
use crate::apply::Call;
use crate::namespace::Namespace;
use crate::resolve::Place;
use crate::settings::{Durability, Settings};
use crate::state::State;
use crate::state::lease::{Lease, Refused};
use crate::volume::{Fault, Volume};

/// The journal of one call.
pub(crate) struct Ink<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    settings: &'a Settings,
    session: Id,
    tool: &'a str,
    /// What keeps others away, if the host does not.
    leases: Vec<Lease<'a, V>>,
    /// The change that is being taken back.
    pub(crate) undoes: Option<Id>,
    last: Option<Id>,
    group: Option<Begun<'a, V>>,
    begun: Vec<Begun<'a, V>>,
    /// The state directory whose files are being written in place.
    in_place: Option<&'a State<V>>,
}

/// A record in `pending/`.
pub(crate) struct Begun<'a, V: Volume> {
    pub(crate) state: &'a State<V>,
    pub(crate) id: Id,
    /// Bytes that it keeps.
    kept: u64,
    /// There is something to be done when everything stands.
    finish: bool,
    /// The name that was to be made was made, as far as we know.
    is_made: bool,
    /// It can be taken back later.
    undoable: bool,
}

impl<'a, V: Volume> Ink<'a, V> {
    pub(crate) fn new(namespace: &'a Namespace<V>, call: Call<'a>, leases: Vec<Lease<'a, V>>) -> Self {
        let Call { tool, session, settings, .. } = call;
        Self {
            namespace,
            settings,
            session,
            tool,
            leases,
            undoes: None,
            last: None,
            group: None,
            begun: Vec::new(),
            in_place: None,
        }
    }

    /// Several changes are one.
    pub(crate) fn is_group(&self) -> bool {
        self.group.is_some()
    }

    /// From now on bytes of files are written in place.
    pub(crate) fn begin_in_place(&mut self, state: &'a State<V>) -> Result<(), Fault> {
        self.namespace.clock().hold();
        self.in_place = Some(state);
        state.begin_in_place()
    }

    /// No more.
    pub(crate) fn end_in_place(&mut self) -> Result<(), Fault> {
        let Some(state) = self.in_place.take() else { return Ok(()) };
        self.namespace.clock().let_go();
        state.end_in_place()
    }

    /// The state directory for what happens at a place; none if that is not journaled.
    pub(crate) fn state(&self, place: &Place<V>) -> Option<&'a State<V>> {
        if self.settings.durability == Durability::None { None } else { place.state(self.namespace) }
    }

    /// A loss of power is to be survived.
    pub(crate) fn syncs(&self) -> bool {
        self.settings.durability == Durability::Power
    }

    /// All changes from now on are one.
    pub(crate) fn begin_group(&mut self, state: &'a State<V>) -> Result<(), Fault> {
        let (id, _) = self.write(state, None, Action::Group, 0, |_| Ok(()))?;
        self.group = Some(Begun { state, id, kept: 0, finish: false, is_made: true, undoable: true });
        Ok(())
    }

    /// Writes down a change, before it is made. The body is what `fill` writes.
    pub(crate) fn begin(
        &mut self,
        state: &'a State<V>,
        action: Action,
        body: u64,
        fill: impl FnOnce(&mut Writer<'a, V>) -> Result<(), Fault>,
    ) -> Result<Stored<V>, Fault> {
        let group = self.group.as_ref().map(|group| Member { id: group.id, state: group.state.identity });
        let kept = body + prune::bytes_kept(&action);
        let undoable = !matches!(&action, Action::Remove(remove) if remove.kept == Kept::Not);
        let (id, stored) = self.write(state, group, action, body, fill)?;
        self.begun.push(Begun { state, id, kept, finish: false, is_made: false, undoable });
        Ok(stored)
    }

    fn write(
        &mut self,
        state: &'a State<V>,
        group: Option<Member>,
        action: Action,
        body: u64,
        fill: impl FnOnce(&mut Writer<'a, V>) -> Result<(), Fault>,
    ) -> Result<(Id, Stored<V>), Fault> {
        let before = self.namespace.states().filter_map(|state| state.last.get()).max();
        let id = Id::new(state.volume.wall(), state.volume.random(), self.last.max(before));
        self.last = Some(id);
        state.last.set(Some(id));
        let undoes = if action == Action::Group { None } else { self.undoes };
        let record = Record { id, group, session: self.session, tool: self.tool.to_owned(), undoes, action };
        for lease in &mut self.leases {
            lease.renew().map_err(|refused| match refused {
                Refused::Held => Fault::Busy,
                Refused::Fault(fault) => fault,
            })?;
        }
        let written = (|| {
            let mut writer = Writer::begin(&state.volume, &state.pending, &record, body)?;
            fill(&mut writer)?;
            let written = writer.end(self.syncs())?;
            if self.syncs() {
                state.volume.sync_directory(&state.pending)?;
            }
            Ok(written)
        })();
        match written {
            Ok((file, at)) => Ok((id, Stored::written(record, file, at, body))),
            Err(fault) => {
                // Also when it is the time that is over.
                self.namespace.clock().hold();
                let _ = state.volume.remove_file(&state.pending, &id.to_string());
                self.namespace.clock().let_go();
                Err(fault)
            }
        }
    }

    /// What was begun last has an end of its own, which comes when everything stands.
    pub(crate) fn finish_later(&mut self) {
        if let Some(last) = self.begun.last_mut() {
            last.finish = true;
        }
    }

    /// The name that was to be made last was made.
    pub(crate) fn made(&mut self) {
        if let Some(last) = self.begun.last_mut() {
            last.is_made = true;
        }
    }

    /// The last record that was begun turned out not to be needed: nothing was changed.
    pub(crate) fn drop_last(&mut self) {
        if let Some(Begun { state, id, .. }) = self.begun.pop() {
            let _ = state.volume.remove_file(&state.pending, &id.to_string());
        }
    }

    /// What was begun last.
    pub(crate) fn last(&self) -> Option<Id> {
        self.begun.last().map(|begun| begun.id)
    }

    /// Takes back what was begun last, and forgets it.
    pub(crate) fn take_back_last(&mut self) -> Result<(), Fault> {
        match self.begun.last() {
            Some(begun) if !self.back(begun)? => return Err(Fault::Busy),
            _ => {}
        }
        self.begun.pop();
        Ok(())
    }

    /// Bytes of history that are kept.
    pub(crate) fn quota(&self) -> u64 {
        self.settings.history.bytes
    }

    /// Everything stands. The id of all of it, if it was journaled.
    pub(crate) fn commit(&mut self) -> Result<Option<Id>, Fault> {
        self.namespace.clock().hold();
        if let Some(Begun { state, id, .. }) = &self.group {
            if self.begun.is_empty() {
                let _ = state.volume.remove_file(&state.pending, &id.to_string());
                return Ok(None);
            }
            self.is_done(state, *id)?;
        }
        // Everything behind this point is done by the next call if it cannot be done now.
        for Begun { state, id, finish, undoable, .. } in &self.begun {
            if !finish || self.finish(state, *id) == Ok(true) {
                let _ = match self.group.is_some() || *undoable {
                    true => self.is_done(state, *id),
                    // Nobody has a use for it.
                    false => state.volume.remove_file(&state.pending, &id.to_string()),
                };
            }
        }
        if self.begun.iter().all(|begun| !begun.undoable) {
            return Ok(None);
        }
        let id = self.group.as_ref().or(self.begun.first()).map(|begun| begun.id);
        let kept = self.begun.iter().map(|begun| begun.kept).sum();
        if id.is_some_and(|id| prune::is_time(id, kept, &self.settings.history)) {
            for state in self.namespace.states() {
                let _ = prune::prune(state, &self.settings.history, state.volume.wall());
            }
        }
        Ok(id)
    }

    /// True if nothing is left to be done.
    fn finish(&self, state: &State<V>, id: Id) -> Result<bool, Fault> {
        match Stored::open(&state.volume, &state.pending, &id.to_string(), Check::Header)? {
            Some(stored) => settle(self.namespace, state, &stored, Verdict::Forward, false, self.syncs())
                .map(|settled| settled == Settled::Done),
            None => Ok(true),
        }
    }

    fn is_done(&self, state: &State<V>, id: Id) -> Result<(), Fault> {
        let name = id.to_string();
        state.volume.rename(&state.pending, &name, &state.done, &name)?;
        if self.syncs() {
            state.volume.sync_directory(&state.done)?;
            state.volume.sync_directory(&state.pending)?;
        }
        Ok(())
    }

    /// Takes back everything, the last change first. What cannot be taken back stays in `pending/`, for the next call.
    pub(crate) fn roll_back(&mut self) -> Result<(), Fault> {
        let group = self.group.take();
        if !self.begun.is_empty() {
            let states: Vec<_> = self.namespace.states().collect();
            let taken_back = self.take_all_back(&states, group.as_ref());
            match &taken_back {
                // Readers wait for the next call, which tries again.
                Err(_) => states.iter().for_each(|state| state.leave_in_place()),
                // So they do if this does not succeed.
                Ok(_) => {
                    let _ = self.end_in_place();
                    states.iter().for_each(|state| drop(state.end_in_place()));
                }
            }
            if let Some(foreign) = taken_back? {
                return Err(foreign);
            }
        }
        if let Some(Begun { state, id, .. }) = group {
            let _ = state.volume.remove_file(&state.pending, &id.to_string());
        }
        Ok(())
    }

    /// Stops at the first change that cannot be taken back: those before it have to wait for it. What somebody else has
    /// changed meanwhile is left as it is; that is the answer then.
    fn take_all_back(
        &mut self,
        states: &[&State<V>],
        group: Option<&Begun<'a, V>>,
    ) -> Result<Option<Fault>, Fault> {
        twice(|| states.iter().try_for_each(|state| state.begin_in_place()))?;
        if let Some(Begun { state, id, .. }) = group {
            // It may have been decided already that everything stands, and only not been synced.
            let name = id.to_string();
            twice(|| match state.volume.rename(&state.done, &name, &state.pending, &name) {
                Ok(()) | Err(Fault::NotFound) => Ok(()),
                Err(fault) => Err(fault),
            })?;
        }
        let mut foreign = None;
        while let Some(begun) = self.begun.pop() {
            if !twice(|| self.back(&begun))? {
                foreign = Some(Fault::Io("somebody else has changed it meanwhile".to_owned()));
            }
        }
        Ok(foreign)
    }

    /// Takes one change back. False if somebody else has changed it meanwhile.
    fn back(&self, Begun { state, id, is_made, .. }: &Begun<'a, V>) -> Result<bool, Fault> {
        let name = id.to_string();
        let settled = match Stored::open(&state.volume, &state.pending, &name, Check::Whole) {
            Ok(Some(stored)) => {
                settle(self.namespace, state, &stored, Verdict::Back, !is_made, self.syncs())?
            }
            // It never was one, or is gone.
            Ok(None) | Err(Fault::NotFound) => Settled::Undone,
            Err(fault) => return Err(fault),
        };
        match settled {
            Settled::Done | Settled::Undone => {
                // One that is there still when those before it are settled would find nothing of what it knows.
                match state.volume.remove_file(&state.pending, &name) {
                    Ok(()) if self.syncs() => state.volume.sync_directory(&state.pending)?,
                    Ok(()) | Err(Fault::NotFound) => {}
                    Err(fault) if !self.begun.is_empty() => return Err(fault),
                    Err(_) => {}
                }
                Ok(true)
            }
            Settled::Foreign => {
                let _ = state.volume.rename(&state.pending, &name, &state.conflicts, &name);
                Ok(false)
            }
            Settled::Waiting => Err(Fault::NotFound),
        }
    }
}

/// Tries once more what fails, before it is left to somebody else.
fn twice<T>(mut step: impl FnMut() -> Result<T, Fault>) -> Result<T, Fault> {
    step().or_else(|_| step())
}
