//! The transaction of one call: it begins, writes, commits and rolls back changes.

use super::file::{Check, Stored, Writer};
use super::record::{Action, Kept, Member, Record};
use super::recovery::{Decision, Outcome, Progress, resolve};
use super::{Call, Id, prune};
use crate::namespace::Namespace;
use crate::state::State;
use crate::state::control::Control;
use fsgate_contract::limits::MOVED_BYTES_LEFT;
use fsgate_volume::settings::{Durability, NoRoom, Quota, Settings};
use fsgate_volume::{Fault, Volume};

/// The journal of one call.
pub struct Transaction<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    settings: &'a Settings,
    session: Id,
    tool: &'a str,
    /// The change that this call undoes.
    pub undoes: Option<Id>,
    last: Option<Id>,
    group: Option<OpenRecord<'a, V>>,
    parts: Vec<Id>,
    begun: Vec<OpenRecord<'a, V>>,
    /// The clock is held while bytes of a file are written in place.
    in_place: bool,
}

pub(crate) struct OpenRecord<'a, V: Volume> {
    pub(crate) state: &'a State<V>,
    pub(crate) id: Id,
    /// The turn of the state's control file before the record.
    turn: u64,
    /// The offsets in the log: the record, its end, and the end of the bytes that it needs until
    /// commit.
    at: u64,
    end: u64,
    end_of_all: u64,
    /// Bytes of content in the record and in the trash.
    kept: u64,
    /// The change has a step left after commit.
    finish: bool,
    /// The change has created its name, as far as the call knows.
    is_made: bool,
    undoable: bool,
}

/// How other processes can see a change before it is committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// Bytes of an existing file are written in place, so readers can see a part of the change.
    InPlace,
    /// Each name changes in one step.
    Names,
}

impl<'a, V: Volume> Transaction<'a, V> {
    /// A journal without a record yet.
    pub fn new(namespace: &'a Namespace<V>, call: Call<'a>) -> Self {
        let Call { tool, session, settings, .. } = call;
        Self {
            namespace,
            settings,
            session,
            tool,
            undoes: None,
            last: None,
            group: None,
            parts: Vec::new(),
            begun: Vec::new(),
            in_place: false,
        }
    }

    /// True if the call's changes form a group.
    pub fn is_group(&self) -> bool {
        self.group.is_some()
    }

    /// Holds the clock, so that no deadline ends the call in the middle of a write in place.
    pub fn begin_in_place(&mut self) {
        self.namespace.clock().hold();
        self.in_place = true;
    }

    /// Lets the clock go. The change can still be rolled back until commit.
    pub fn end_in_place(&mut self) {
        if std::mem::take(&mut self.in_place) {
            self.namespace.clock().let_go();
        }
    }

    /// True if changes are journaled.
    pub fn is_on(&self) -> bool {
        self.settings.durability != Durability::None
    }

    /// True if changes survive a loss of power.
    pub fn syncs(&self) -> bool {
        self.settings.durability == Durability::Power
    }

    /// Makes all further changes one group. The first of these state directories holds the group
    /// record.
    pub fn begin_group(&mut self, states: &[&'a State<V>]) -> Result<(), Fault> {
        let Some(home) = states.first() else { return Ok(()) };
        self.parts = states.iter().map(|state| state.identity).collect();
        self.parts.sort_unstable();
        self.parts.dedup();
        let action = Action::Group { states: self.parts.clone() };
        let (begun, _) = self.write(home, None, action, 0, Writes::Names, |_| Ok(()))?;
        self.group = Some(begun);
        Ok(())
    }

    /// Writes the record of a change before the change itself. `fill` writes the body.
    pub fn begin(
        &mut self,
        state: &'a State<V>,
        action: Action,
        body: u64,
        writes: Writes,
        fill: impl FnOnce(&mut Writer<'a, V>) -> Result<(), Fault>,
    ) -> Result<Stored<V>, Fault> {
        let group = self.group.as_ref().map(|group| Member { id: group.id, state: group.state.identity });
        debug_assert!(group.is_some() || self.begun.is_empty(), "several changes are a group");
        // A recovery without that directory would roll the change back alone.
        if group.is_some() && !self.parts.contains(&state.identity) {
            return Err(Fault::Io("a change belongs where the others were not said to belong".to_owned()));
        }
        let (begun, stored) = self.write(state, group, action, body, writes, fill)?;
        self.begun.push(begun);
        Ok(stored)
    }

    fn write(
        &mut self,
        state: &'a State<V>,
        group: Option<Member>,
        action: Action,
        body: u64,
        writes: Writes,
        fill: impl FnOnce(&mut Writer<'a, V>) -> Result<(), Fault>,
    ) -> Result<(OpenRecord<'a, V>, Stored<V>), Fault> {
        let before = self.namespace.states().map(|state| state.now().last).max();
        let id = Id::new(state.volume.wall(), state.volume.random(), self.last.max(before));
        self.last = Some(id);
        let undoable = !matches!(&action, Action::Remove(remove) if remove.kept == Kept::Not);
        let in_trash = prune::bytes_kept(&action);
        let undoes = if action.is_group() { None } else { self.undoes };
        let (tool, power) = (self.tool.to_owned(), self.syncs());
        let (session, scope) = (self.session, Some(self.namespace.scope()?.clone()));
        let record = Record { id, group, session, tool, undoes, power, scope, action };
        let tail = self.tail(state);
        let turn = state.now().turn;
        let file = match state.now().file.filter(|_| tail.is_some()) {
            Some(name) => state.current(name)?,
            None => state.open_for(id, body)?,
        };
        let at = tail.unwrap_or(state.now().end);
        let written = (|| {
            let mut writer = Writer::begin(&state.volume, file, at, &record, body)?;
            fill(&mut writer)?;
            let stored = writer.end(record, self.syncs())?;
            self.announce(state, group.map_or(id, |group| group.id), writes)?;
            Ok(stored)
        })();
        match written {
            Ok(stored) => {
                let end = stored.end();
                let (kept, end_of_all) = (body + in_trash, stored.end_of_all());
                Ok((
                    OpenRecord {
                        state,
                        id,
                        turn,
                        at,
                        end,
                        end_of_all,
                        kept,
                        finish: false,
                        is_made: false,
                        undoable,
                    },
                    stored,
                ))
            }
            Err(fault) => {
                // The deadline can be the fault: rolling back needs time after it.
                self.namespace.clock().hold();
                let _ = state.cut_off(at);
                if tail.is_none() {
                    let _ = self.end_change(state, state.now().end);
                }
                self.namespace.clock().let_go();
                Err(fault)
            }
        }
    }

    fn tail(&self, state: &State<V>) -> Option<u64> {
        let ours = |begun: &&OpenRecord<V>| begun.state.identity == state.identity;
        self.begun.iter().rev().find(ours).or(self.group.as_ref().filter(ours)).map(|begun| begun.end)
    }

    /// Publishes that a change is in progress, and whether it writes files in place.
    fn announce(&self, state: &State<V>, owner: Id, writes: Writes) -> Result<(), Fault> {
        let now = state.now();
        let sequence = if writes == Writes::InPlace { now.sequence | 1 } else { now.sequence };
        let next = Control { begun: Some(owner), is_committed: false, sequence, ..now };
        if next == now { Ok(()) } else { state.set(next) }
    }

    fn end_change(&self, state: &State<V>, end: u64) -> Result<(), Fault> {
        let now = state.now();
        let sequence = now.sequence.wrapping_add(now.sequence % 2);
        let last = self.last.map_or(now.last, |last| last.max(now.last));
        let next = Control { begun: None, is_committed: false, sequence, end, last, ..now };
        if next == now { Ok(()) } else { state.set(next) }
    }

    fn states(&self) -> Vec<&'a State<V>> {
        let mut states: Vec<&'a State<V>> = Vec::new();
        for begun in self.records() {
            if states.iter().all(|known| known.identity != begun.state.identity) {
                states.push(begun.state);
            }
        }
        states
    }

    /// Leaves a step of the last change for after commit.
    pub fn finish_later(&mut self) {
        if let Some(last) = self.begun.last_mut() {
            last.finish = true;
        }
    }

    /// Notes that the last change has created its name.
    pub fn made(&mut self) {
        if let Some(last) = self.begun.last_mut() {
            last.is_made = true;
        }
    }

    /// Drops the last record. Its change turned out to be unnecessary.
    pub fn drop_last(&mut self) {
        if let Some(OpenRecord { state, at, .. }) = self.begun.pop() {
            let _ = state.cut_off(at);
        }
    }

    /// The id of the last record.
    pub fn last(&self) -> Option<Id> {
        self.begun.last().map(|begun| begun.id)
    }

    /// Rolls back the last change and drops its record.
    pub fn roll_back_last(&mut self) -> Result<(), Fault> {
        match self.begun.last() {
            Some(begun) if !self.roll_back_one(begun)? => return Err(Fault::Busy),
            _ => {}
        }
        self.begun.pop();
        Ok(())
    }

    /// The limits of the history.
    pub fn quota(&self) -> &Quota {
        &self.settings.history
    }

    /// The limit of the history that this call alone exceeds.
    pub fn too_much(&self) -> Option<NoRoom> {
        if self.begun.is_empty() { None } else { self.settings.history.refuses(self.kept()) }
    }

    fn is_too_much(&self) -> bool {
        self.too_much().is_some()
    }

    fn records(&self) -> impl Iterator<Item = &OpenRecord<'a, V>> {
        self.group.iter().chain(&self.begun)
    }

    fn kept(&self) -> u64 {
        self.records().map(|begun| begun.kept).sum()
    }

    /// Commits all changes. Returns the id of the entry if the history keeps it and can undo it.
    pub fn commit(&mut self) -> Result<Option<Id>, Fault> {
        self.namespace.clock().hold();
        let states = self.states();
        if self.begun.is_empty() {
            if let Some(state) = states.first() {
                let _ = self.end_change(state, state.now().end);
            }
            return Ok(None);
        }
        // A group is undone as a whole or not at all.
        let is_undoable = !self.is_too_much() && self.begun.iter().all(|begun| begun.undoable);
        let is_kept = is_undoable || !self.is_too_much() && self.is_group();
        let has_more = self.begun.iter().any(|begun| begun.finish);
        // If the history keeps no record of the commit, the group stays in progress as long as
        // another directory can ask for it.
        let is_asked_for = has_more || !is_kept && states.len() > 1;
        // This write commits a group; a single change has committed itself. The next call completes
        // the steps that fail from here on.
        if self.is_group()
            && let Some(home) = states.first()
        {
            match is_asked_for {
                true => home.set(Control { is_committed: true, ..home.now() })?,
                false => {
                    self.end_change(home, self.tail(home).filter(|_| is_kept).unwrap_or(home.now().end))?;
                }
            }
        }
        if !has_more || self.finish() {
            let mut all = true;
            // The other directories ask the group's one, so it comes last.
            for state in states.iter().rev() {
                let is_home = self.group.as_ref().is_some_and(|group| group.state.identity == state.identity);
                if is_home && !is_kept && !all {
                    break;
                }
                let end = if is_kept { self.tail(state) } else { None };
                all &= self.end_change(state, end.unwrap_or(state.now().end)).is_ok();
                // Frees the room of records that are not kept, and of many bytes that were needed
                // until commit.
                if !is_kept || self.begun.iter().any(|begun| begun.end_of_all - begun.end > MOVED_BYTES_LEFT)
                {
                    let _ = state.cut_off(state.now().end);
                }
            }
        }
        if !is_kept && !self.is_too_much() {
            return Ok(None);
        }
        let first = self.records().next();
        let id = first.map(|begun| begun.id);
        let turns = first.map_or(0..0, |begun| begun.turn..begun.state.now().turn);
        let (kept, records) = (self.kept(), self.records().count() as u64);
        if prune::is_due(turns, kept, records, &self.settings.history) {
            // Pruning reads committed records only.
            for state in self.namespace.states().filter(|state| state.now().begun.is_none()) {
                let _ = prune::prune(state, &self.settings.history, state.volume.wall());
            }
        }
        Ok(id.filter(|_| is_undoable))
    }

    fn finish(&self) -> bool {
        let finished = |begun: &OpenRecord<'a, V>| match self.read(begun, Check::Header)? {
            Some(stored) => resolve(
                self.namespace,
                begun.state,
                &stored,
                Decision::Forward,
                Progress::Complete,
                self.syncs(),
            )
            .map(|outcome| outcome == Outcome::RolledForward),
            None => Ok::<_, Fault>(true),
        };
        let mut all = true;
        for begun in self.begun.iter().filter(|begun| begun.finish) {
            all &= finished(begun) == Ok(true);
        }
        all
    }

    fn read(&self, begun: &OpenRecord<'a, V>, check: Check) -> Result<Option<Stored<V>>, Fault> {
        let OpenRecord { state, at, end_of_all, .. } = begun;
        let Some(name) = state.now().file else { return Ok(None) };
        Stored::read_at(&state.volume, &state.current(name)?, *at, *end_of_all, check)
    }

    /// Rolls back all changes, the last one first. A change that cannot be rolled back stays for
    /// the next call.
    pub fn roll_back(&mut self) -> Result<(), Fault> {
        let states = self.states();
        if self.begun.is_empty() {
            for state in states {
                let _ = self.end_change(state, state.now().end);
            }
            return Ok(());
        }
        let foreign = self.roll_back_all(&states)?;
        for state in states {
            // If this write fails, the next call finds nothing left to roll back.
            let _ = self.end_change(state, state.now().end);
        }
        foreign.map_or(Ok(()), Err)
    }

    /// Stops at the first change that cannot be rolled back, because earlier ones depend on it.
    /// Returns a fault if another process has changed a file: that file stays.
    fn roll_back_all(&mut self, states: &[&'a State<V>]) -> Result<Option<Fault>, Fault> {
        // A commit may have been written and only not been synced.
        let owner = self.group.as_ref().or(self.begun.first()).map(|begun| begun.id);
        for state in states {
            let now = || Control {
                begun: owner,
                is_committed: false,
                sequence: state.now().sequence | 1,
                ..state.now()
            };
            twice(|| state.set(now()))?;
        }
        let mut foreign = None;
        while let Some(begun) = self.begun.pop() {
            if !twice(|| self.roll_back_one(&begun))? {
                foreign = Some(Fault::Io("somebody else has changed it meanwhile".to_owned()));
            }
        }
        Ok(foreign)
    }

    fn roll_back_one(&self, begun: &OpenRecord<'a, V>) -> Result<bool, Fault> {
        let OpenRecord { state, at, is_made, .. } = begun;
        let (outcome, stored) = match self.read(begun, Check::UnderWay)? {
            Some(stored) => {
                let decision = Decision::Back;
                let progress = if *is_made { Progress::Complete } else { Progress::NameMissing };
                (resolve(self.namespace, state, &stored, decision, progress, self.syncs())?, Some(stored))
            }
            None => (Outcome::RolledBack, None),
        };
        match outcome {
            Outcome::RolledForward | Outcome::RolledBack => {}
            Outcome::Conflict => {
                let aside = stored.map(|stored| state.set_aside(&stored, &state.conflicts));
                aside.transpose()?;
            }
            Outcome::Pending | Outcome::Missing => return Err(Fault::NotFound),
        }
        // A record that outlives the rollback of earlier ones would not find the state that it
        // describes.
        match state.cut_off(*at) {
            Err(fault) if !self.begun.is_empty() => Err(fault),
            _ => Ok(outcome != Outcome::Conflict),
        }
    }
}

/// Tries a step a second time before the next call has to do it.
fn twice<T>(mut step: impl FnMut() -> Result<T, Fault>) -> Result<T, Fault> {
    step().or_else(|_| step())
}
