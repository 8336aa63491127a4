//! What one call writes into the journal.

use super::file::{Check, Stored, Writer};
use super::record::{Action, Kept, Member, Record};
use super::settle::{Came, Settled, Verdict, settle};
use super::{Call, Id, prune};
use crate::namespace::Namespace;
use crate::state::State;
use crate::state::control::Control;
use fsgate_contract::limits::MOVED_BYTES_LEFT;
use fsgate_volume::settings::{Durability, NoRoom, Quota, Settings};
use fsgate_volume::{Fault, Volume};

/// The journal of one call.
pub struct Ink<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    settings: &'a Settings,
    session: Id,
    tool: &'a str,
    /// The change that is being taken back.
    pub undoes: Option<Id>,
    last: Option<Id>,
    group: Option<Begun<'a, V>>,
    /// The state directories that the group says its members are in.
    parts: Vec<Id>,
    begun: Vec<Begun<'a, V>>,
    /// The clock is held, because bytes of a file are being written in place.
    in_place: bool,
}

/// A record that was written, of a change that is under way.
pub(crate) struct Begun<'a, V: Volume> {
    pub(crate) state: &'a State<V>,
    pub(crate) id: Id,
    /// Where in its file it begins and ends, and where everything ends that belongs to it until the change stands.
    at: u64,
    end: u64,
    end_of_all: u64,
    /// Bytes that it keeps, itself among them.
    kept: u64,
    /// There is something to be done when everything stands.
    finish: bool,
    /// The name that was to be made was made, as far as we know.
    is_made: bool,
    /// It can be taken back later.
    undoable: bool,
}

/// When others have to wait for a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// Bytes of an existing file are written in place: who reads meanwhile may see a part of it.
    InPlace,
    /// Names are made, taken away or changed, each at once.
    Names,
}

impl<'a, V: Volume> Ink<'a, V> {
    /// The journal of a call.
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

    /// Several changes are one.
    pub fn is_group(&self) -> bool {
        self.group.is_some()
    }

    /// From here to the end of the change that was begun in place, time does not end it.
    pub fn begin_in_place(&mut self) {
        self.namespace.clock().hold();
        self.in_place = true;
    }

    /// It is made. Others are told that by the end of the call: until then it may be taken back.
    pub fn end_in_place(&mut self) {
        if std::mem::take(&mut self.in_place) {
            self.namespace.clock().let_go();
        }
    }

    /// True if changes are written down.
    pub fn is_on(&self) -> bool {
        self.settings.durability != Durability::None
    }

    /// A loss of power is to be survived.
    pub fn syncs(&self) -> bool {
        self.settings.durability == Durability::Power
    }

    /// All changes from now on are one. What holds them together is written down in the first of the state directories that they are
    /// written down in.
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

    /// Writes down a change, before it is made. The body is what `fill` writes.
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
        // It would be taken back without this one by whoever has not that directory open.
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
    ) -> Result<(Begun<'a, V>, Stored<V>), Fault> {
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
                let (kept, end_of_all) = (end - at + in_trash, stored.end_of_all());
                Ok((
                    Begun { state, id, at, end, end_of_all, kept, finish: false, is_made: false, undoable },
                    stored,
                ))
            }
            Err(fault) => {
                // Also when it is the time that is over.
                self.namespace.clock().hold();
                let _ = state.cut_off(at);
                if tail.is_none() {
                    let _ = self.settled(state, state.now().end);
                }
                self.namespace.clock().let_go();
                Err(fault)
            }
        }
    }

    /// Where the records of this call end in the log of a state directory; none if there is none of them.
    fn tail(&self, state: &State<V>) -> Option<u64> {
        let ours = |begun: &&Begun<V>| begun.state.identity == state.identity;
        self.begun.iter().rev().find(ours).or(self.group.as_ref().filter(ours)).map(|begun| begun.end)
    }

    /// Tells everybody what is under way, and whether files are written in place.
    fn announce(&self, state: &State<V>, owner: Id, writes: Writes) -> Result<(), Fault> {
        let now = state.now();
        let sequence = if writes == Writes::InPlace { now.sequence | 1 } else { now.sequence };
        let next = Control { begun: Some(owner), stands: false, sequence, ..now };
        if next == now { Ok(()) } else { state.set(next) }
    }

    /// Nothing is under way any more, and what is done ends there.
    fn settled(&self, state: &State<V>, end: u64) -> Result<(), Fault> {
        let now = state.now();
        let sequence = now.sequence.wrapping_add(now.sequence % 2);
        let last = self.last.map_or(now.last, |last| last.max(now.last));
        let next = Control { begun: None, stands: false, sequence, end, last, ..now };
        if next == now { Ok(()) } else { state.set(next) }
    }

    /// The state directories that have something of this call, that of the group first.
    fn states(&self) -> Vec<&'a State<V>> {
        let mut states: Vec<&'a State<V>> = Vec::new();
        for begun in self.records() {
            if states.iter().all(|known| known.identity != begun.state.identity) {
                states.push(begun.state);
            }
        }
        states
    }

    /// What was begun last has an end of its own, which comes when everything stands.
    pub fn finish_later(&mut self) {
        if let Some(last) = self.begun.last_mut() {
            last.finish = true;
        }
    }

    /// The name that was to be made last was made.
    pub fn made(&mut self) {
        if let Some(last) = self.begun.last_mut() {
            last.is_made = true;
        }
    }

    /// The last record that was begun turned out not to be needed: nothing was changed.
    pub fn drop_last(&mut self) {
        if let Some(Begun { state, at, .. }) = self.begun.pop() {
            let _ = state.cut_off(at);
        }
    }

    /// What was begun last.
    pub fn last(&self) -> Option<Id> {
        self.begun.last().map(|begun| begun.id)
    }

    /// Takes back what was begun last, and forgets it.
    pub fn take_back_last(&mut self) -> Result<(), Fault> {
        match self.begun.last() {
            Some(begun) if !self.back(begun)? => return Err(Fault::Busy),
            _ => {}
        }
        self.begun.pop();
        Ok(())
    }

    /// How much history is kept.
    pub fn quota(&self) -> &Quota {
        &self.settings.history
    }

    /// Why the history does not keep it, if it is more than that keeps in all.
    pub fn too_much(&self) -> Option<NoRoom> {
        self.settings.history.refuses(self.kept(), self.records().count() as u64)
    }

    fn is_too_much(&self) -> bool {
        self.too_much().is_some()
    }

    /// All that was written, that of the group as well.
    fn records(&self) -> impl Iterator<Item = &Begun<'a, V>> {
        self.group.iter().chain(&self.begun)
    }

    fn kept(&self) -> u64 {
        self.records().map(|begun| begun.kept).sum()
    }

    /// Everything stands. The id of all of it, if it was journaled and can be taken back.
    pub fn commit(&mut self) -> Result<Option<Id>, Fault> {
        self.namespace.clock().hold();
        let states = self.states();
        if self.begun.is_empty() {
            if let Some(state) = states.first() {
                let _ = self.settled(state, state.now().end);
            }
            return Ok(None);
        }
        // Of several changes all are taken back, or none.
        let is_undoable = !self.is_too_much() && self.begun.iter().all(|begun| begun.undoable);
        let is_kept = is_undoable || !self.is_too_much() && self.is_group();
        let has_more = self.begun.iter().any(|begun| begun.finish);
        // Where it is not kept, nothing tells afterwards that it stands: as long as somebody may ask, it is under way.
        let is_asked_for = has_more || !is_kept && states.len() > 1;
        // Of a group this decides; a single change has decided by itself. Everything behind this point is done by the next call
        // if it cannot be done now.
        if self.is_group()
            && let Some(home) = states.first()
        {
            match is_asked_for {
                true => home.set(Control { stands: true, ..home.now() })?,
                false => self.settled(home, self.tail(home).filter(|_| is_kept).unwrap_or(home.now().end))?,
            }
        }
        if !has_more || self.finish() {
            let mut all = true;
            // That of the group is asked by the others, and comes last.
            for state in states.iter().rev() {
                let is_home = self.group.as_ref().is_some_and(|group| group.state.identity == state.identity);
                if is_home && !is_kept && !all {
                    break;
                }
                let end = if is_kept { self.tail(state) } else { None };
                all &= self.settled(state, end.unwrap_or(state.now().end)).is_ok();
                // What is said to be kept nowhere is not left there, nor a lot of what has moved.
                if !is_kept || self.begun.iter().any(|begun| begun.end_of_all - begun.end > MOVED_BYTES_LEFT)
                {
                    let _ = state.cut_off(state.now().end);
                }
            }
        }
        if !is_kept && !self.is_too_much() {
            return Ok(None);
        }
        let id = self.group.as_ref().or(self.begun.first()).map(|begun| begun.id);
        let (kept, records) = (self.kept(), self.records().count() as u64);
        if id.is_some_and(|id| prune::is_time(id, kept, records, &self.settings.history)) {
            // What is not at its end stands behind what is looked through.
            for state in self.namespace.states().filter(|state| state.now().begun.is_none()) {
                let _ = prune::prune(state, &self.settings.history, state.volume.wall());
            }
        }
        Ok(id.filter(|_| is_undoable))
    }

    /// True if nothing is left to be done.
    fn finish(&self) -> bool {
        let finished = |begun: &Begun<'a, V>| match self.read(begun, Check::Header)? {
            Some(stored) => {
                settle(self.namespace, begun.state, &stored, Verdict::Forward, Came::ToItsEnd, self.syncs())
                    .map(|settled| settled == Settled::Done)
            }
            None => Ok::<_, Fault>(true),
        };
        let mut all = true;
        for begun in self.begun.iter().filter(|begun| begun.finish) {
            all &= finished(begun) == Ok(true);
        }
        all
    }

    /// A record of this call.
    fn read(&self, begun: &Begun<'a, V>, check: Check) -> Result<Option<Stored<V>>, Fault> {
        let Begun { state, at, end_of_all, .. } = begun;
        let Some(name) = state.now().file else { return Ok(None) };
        Stored::read_at(&state.volume, &state.current(name)?, *at, *end_of_all, check)
    }

    /// Takes back everything, the last change first. What cannot be taken back stays begun, for the next call.
    pub fn roll_back(&mut self) -> Result<(), Fault> {
        let states = self.states();
        if self.begun.is_empty() {
            for state in states {
                let _ = self.settled(state, state.now().end);
            }
            return Ok(());
        }
        let foreign = self.take_all_back(&states)?;
        for state in states {
            // Where that is not to be written, the next call finds nothing that is left to be taken back.
            let _ = self.settled(state, state.now().end);
        }
        foreign.map_or(Ok(()), Err)
    }

    /// Stops at the first change that cannot be taken back: those before it have to wait for it. What somebody else has
    /// changed meanwhile is left as it is; that is the answer then.
    fn take_all_back(&mut self, states: &[&'a State<V>]) -> Result<Option<Fault>, Fault> {
        // It may have been decided already that everything stands, and only not been synced.
        let owner = self.group.as_ref().or(self.begun.first()).map(|begun| begun.id);
        for state in states {
            let now =
                || Control { begun: owner, stands: false, sequence: state.now().sequence | 1, ..state.now() };
            twice(|| state.set(now()))?;
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
    fn back(&self, begun: &Begun<'a, V>) -> Result<bool, Fault> {
        let Begun { state, at, is_made, .. } = begun;
        let (settled, stored) = match self.read(begun, Check::UnderWay)? {
            Some(stored) => {
                let verdict = Verdict::Back;
                let came = if *is_made { Came::ToItsEnd } else { Came::ToNoName };
                (settle(self.namespace, state, &stored, verdict, came, self.syncs())?, Some(stored))
            }
            // It is gone.
            None => (Settled::Undone, None),
        };
        match settled {
            Settled::Done | Settled::Undone => {}
            Settled::Foreign => {
                let aside = stored.map(|stored| state.put_aside(&stored, &state.conflicts));
                aside.transpose()?;
            }
            Settled::Waiting | Settled::Lost => return Err(Fault::NotFound),
        }
        // One that is there still when those before it are settled would find nothing of what it knows.
        match state.cut_off(*at) {
            Err(fault) if !self.begun.is_empty() => Err(fault),
            _ => Ok(settled != Settled::Foreign),
        }
    }
}

/// Tries once more what fails, before it is left to somebody else.
fn twice<T>(mut step: impl FnMut() -> Result<T, Fault>) -> Result<T, Fault> {
    step().or_else(|_| step())
}
