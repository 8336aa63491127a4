//! Behind which moment nothing is told of what others did.
//!
//! Once something was moved from where it may be read to where it may not, what it was before is told by none of its older
//! names: neither content nor tag, nor whether something else is the same. Which records are about it cannot be told for
//! certain: names are chosen by whoever may make and move things, numbers are given anew, and a record that said it may be
//! forgotten. So nothing that others did before is told; what a session did itself it has seen.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::brought_in::BroughtIn;
use super::entries::{Address, broken, entry_of};
use super::kept;
use super::lane::{Lane, lanes};
use super::paths::{Paths, is_below};
use super::whole::{Lack, Whole};
use crate::view::View;
use fsgate_contract::id::Id;
use fsgate_error::{Conflict, Denial, Failure, Past, Reason};
use fsgate_journal::namespace::{Namespace, StateId};
use fsgate_journal::record::{Action, Create, Location, Object, Record, Remove};
use fsgate_journal::{Check, Stored};
use fsgate_policy::RuleId;
use fsgate_volume::{Access, Fault, Volume};

/// Why something may not be told of any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shut {
    /// Something has got a name by which a rule closes it.
    Closed(RuleId),
    /// Something has left what is granted now.
    Away,
    /// The history has forgotten what became of something, or that it was moved.
    Forgotten,
}

/// What a call has brought back out of the trash and taken away, to take back others. Together it may be a move to another grant that is
/// reversed.
struct Turned {
    /// How many state directories it has changed.
    parts: Result<usize, Lack>,
    states: BTreeSet<StateId>,
    returned: Vec<Location>,
    /// Records of removals.
    removed: Vec<(StateId, Record)>,
}

/// What has come out of the trash.
struct Back {
    to: Location,
    /// The record that was taken back by that.
    undoes: Option<Id>,
    /// The call, if it has changed more.
    group: Option<Id>,
}

/// What is known of that moment. It is looked for as far back as anybody asks.
pub(crate) struct Horizon<'a, V: Volume> {
    view: &'a View<'a, V>,
    lanes: Vec<Lane<'a, V>>,
    /// Moves that were taken back: who came back, and where to.
    moved_back: FxHashMap<Id, (Id, Location)>,
    /// What came out of the trash, under the ids that it lay there.
    brought_back: FxHashMap<Id, Vec<Back>>,
    /// What calls have taken away that took back others, by the ids of their groups: the removal, and what it takes back.
    taken_away: FxHashMap<Id, Vec<(Id, Id)>>,
    /// Copies that moves to other grants have made: of which call, and of what.
    copies: FxHashMap<Id, (Id, Location)>,
    /// What calls have brought from where it may not be read.
    brought_in: BroughtIn,
    /// Moves to other grants of which it is not yet told whether they were taken back.
    across: Vec<(StateId, Record)>,
    /// Directories that lie in what is granted, or did.
    inside: FxHashSet<Id>,
    /// Records of what went from where it seems to lie in nothing that is granted, with the directories that it lay in, and what shuts if they do.
    elsewhere: Vec<(Id, Vec<Id>, Shut)>,
    /// Where on the machine the granted directories lie, if that is known of all of them.
    places: Option<Vec<String>>,
    /// The same of those that are granted for writing.
    writable: Option<Vec<String>>,
    /// Up to where state directories have forgotten what was too much, as far as that was passed.
    marks: BTreeMap<StateId, Id>,
    /// What a state directory has forgotten last by itself, where somebody has asked.
    pruned: BTreeMap<StateId, Option<Id>>,
    /// Calls that have taken back others, by the ids of their groups.
    turned: BTreeMap<Id, Turned>,
    whole: Whole<'a, V>,
    /// The newest record that has led something away, and where to.
    newest: Option<(Id, Shut)>,
}

impl<'a, V: Volume> Horizon<'a, V> {
    pub(crate) fn new(view: &'a View<'a, V>, paths: &Paths<V>) -> Result<Self, Failure> {
        let namespace = view.namespace();
        let mut horizon = Self {
            view,
            lanes: lanes(namespace)?,
            moved_back: FxHashMap::default(),
            brought_back: FxHashMap::default(),
            taken_away: FxHashMap::default(),
            copies: FxHashMap::default(),
            brought_in: BroughtIn::default(),
            across: Vec::new(),
            inside: FxHashSet::default(),
            elsewhere: Vec::new(),
            places: namespace.places(None),
            writable: namespace.places(Some(Access::Write)),
            marks: BTreeMap::new(),
            pruned: BTreeMap::new(),
            turned: BTreeMap::new(),
            whole: Whole::new(namespace),
            newest: None,
        };
        for (number, state) in namespace.state_ids() {
            // It may have been made, wholly or in part.
            let mut records: Vec<_> = state.under_way().map_err(broken)?;
            for directory in [&state.conflicts, &state.waiting] {
                for id in state.ids(directory).map_err(broken)? {
                    match Stored::open(&state.volume, directory, &id.to_string(), Check::Header) {
                        Ok(stored) => records.extend(stored),
                        Err(Fault::NotFound) => {}
                        Err(fault) => return Err(broken(fault)),
                    }
                }
            }
            for Stored { record, .. } in records {
                horizon.brought_in.add(namespace, paths, number, &record)?;
                horizon.know(paths, &record);
                horizon.meet(paths, number, &record)?;
                // What else its call has done, and whether it has, is not known.
                if let Action::Remove(remove) = &record.action
                    && (record.group.is_some() && record.undoes.is_some())
                    && is_open(paths, &remove.at, remove.object)
                    && is_asked(namespace, &record)?
                {
                    horizon.shut(paths, &record, Shut::Forgotten);
                }
            }
        }
        Ok(horizon)
    }

    /// Refuses to tell of a record, or to take it back; `lies` is asked first for what it has put into the trash.
    pub(crate) fn require_open(
        &mut self,
        paths: &Paths<V>,
        address: Address,
        lies: Option<Address>,
        record: &Record,
    ) -> Result<(), Failure> {
        let why = self.shuts(paths, address.0, record)?;
        self.require(paths, record, why)?;
        self.require_open_since(paths, address, lies, record)
    }

    /// The same of one that recovery has set aside. It stays when what came after it is forgotten, and has to be of use then to whoever
    /// may read all of the directories in which it was made.
    pub(crate) fn require_open_aside(
        &mut self,
        paths: &Paths<V>,
        address: Address,
        record: &Record,
    ) -> Result<(), Failure> {
        let namespace = self.view.namespace();
        let may_read_all =
            namespace.guard().policy().against_reading().is_none() && paths.holds_all_around(record);
        let why = match self.shuts(paths, address.0, record)? {
            Some(Shut::Forgotten) if may_read_all => self.led_away(paths, record)?,
            why => why,
        };
        // Its call had brought something before. What that was, and from which directory, may be known to nobody any more.
        let is_of_what_came = record.group.is_some() && record.rulings.is_some();
        let is_unknown = is_of_what_came && !self.view.is_own(record) && is_asked(namespace, record)?;
        let why = why.or(is_unknown.then_some(Shut::Forgotten));
        self.require(paths, record, why)?;
        self.require_open_since(paths, address, None, record)
    }

    /// What a record has put into the trash may have been out of it, be it one of the session that asks: then it is what it was when
    /// somebody has put it there last.
    fn require_open_since(
        &mut self,
        paths: &Paths<V>,
        address: Address,
        lies: Option<Address>,
        record: &Record,
    ) -> Result<(), Failure> {
        if record.action.put_away().is_none() {
            return Ok(());
        }
        let namespace = self.view.namespace();
        let Some((state, id)) = kept::lies(namespace, address, lies)?.filter(|last| *last != address) else {
            return Ok(());
        };
        let Some(last) = namespace.state(state).done(id, Check::Header).map_err(broken)? else {
            return Ok(());
        };
        let why = self.shuts(paths, state, &last.record)?;
        self.require(paths, &last.record, why)
    }

    fn require(&self, paths: &Paths<V>, record: &Record, why: Option<Shut>) -> Result<(), Failure> {
        let namespace = self.view.namespace();
        match why {
            None => Ok(()),
            // What it was, and where it is now, is not told.
            Some(Shut::Closed(rule)) => {
                Err(Reason::Denied(namespace.guard().rule(rule), Denial::Open).into())
            }
            Some(Shut::Away) => Err(Reason::NotGranted(namespace.grant_names()).into()),
            Some(Shut::Forgotten) => {
                let path = paths.of(record).into_iter().next().unwrap_or_default();
                Err(Past::UndoConflict(path.clone(), Conflict::Untold).at(path))
            }
        }
    }

    /// Why a record is not to be told of, if it is not.
    pub(crate) fn shuts(
        &mut self,
        paths: &Paths<V>,
        state: StateId,
        record: &Record,
    ) -> Result<Option<Shut>, Failure> {
        if self.view.is_own(record) {
            return Ok(None);
        }
        let why = self.led_away(paths, record)?;
        // Of what is left from before a mark nobody knows what became of it.
        let is_left_over = |mark: &Id| *mark > record.id;
        Ok(why.or(self.marks.get(&state).filter(|mark| is_left_over(mark)).map(|_| Shut::Forgotten)))
    }

    /// The same, as far as it is known where something was led.
    fn led_away(&mut self, paths: &Paths<V>, record: &Record) -> Result<Option<Shut>, Failure> {
        // What led something away may keep it itself.
        let shut = |newest: Option<(Id, Shut)>| newest.filter(|(newest, _)| *newest >= record.id);
        if shut(self.newest).is_none() {
            self.reach(paths, entry_of(record))?;
        }
        if let Some((_, why)) = shut(self.newest) {
            return Ok(Some(why));
        }
        if let Some(why) = self.brought_in.shuts(record) {
            return Ok(Some(why));
        }
        if self.elsewhere.is_empty() {
            return Ok(None);
        }
        // It went from a directory that this one is about as well.
        let own: Vec<Id> = record.action.locations().iter().flat_map(|at| paths.inside(at)).collect();
        let is_known = |id: &Id| self.inside.contains(id) || own.contains(id);
        let went = |(id, from, _): &&(Id, Vec<Id>, Shut)| *id >= record.id && from.iter().any(is_known);
        Ok(self.elsewhere.iter().find(went).map(|(.., why)| *why))
    }

    /// Looks at all from the newest record on to one.
    fn reach(&mut self, paths: &Paths<V>, until: Id) -> Result<(), Failure> {
        for number in 0..self.lanes.len() {
            loop {
                let lane = &mut self.lanes[number];
                let Some(id) = lane.newest().map_err(broken)?.filter(|id| *id >= until) else { break };
                lane.pop();
                let state = lane.id;
                match lane.state.done(id, Check::Header).map_err(broken)? {
                    Some(stored) => self.pass(paths, state, &stored.record)?,
                    // It is damaged, and may have been a move.
                    None if self.view.namespace().guard().policy().against_reading().is_some() => {
                        self.newest = self.newest.max(Some((id, Shut::Forgotten)));
                        self.brought_in.add_damaged(id);
                    }
                    None => {}
                }
            }
        }
        self.settle(paths, until)
    }

    /// Looks at what calls have turned of which all has been passed, and at what has led elsewhere.
    fn settle(&mut self, paths: &Paths<V>, until: Id) -> Result<(), Failure> {
        for (state, record) in std::mem::take(&mut self.across) {
            let Action::Remove(remove) = &record.action else { continue };
            if !self.is_reversed(&record, &remove.at) {
                self.meet(paths, state, &record)?;
            }
        }
        for turned in self.turned.split_off(&until).into_values() {
            for (state, record) in &turned.removed {
                let Action::Remove(Remove { at, object, .. }) = &record.action else { continue };
                let mut why = None;
                match turned.parts {
                    _ if !is_open(paths, at, *object) => {}
                    Err(Lack::Elsewhere) => why = Some(Shut::Away),
                    Err(Lack::Forgotten) => why = Some(Shut::Forgotten),
                    Ok(parts) if parts > turned.states.len() => why = Some(Shut::Forgotten),
                    Ok(_) => {
                        for to in &turned.returned {
                            why = why.or(self.leads(paths, (*state, record), (at, to), *object)?);
                        }
                    }
                }
                if let Some(why) = why {
                    self.shut(paths, record, why);
                }
            }
        }
        Ok(())
    }

    /// One record more, older than all before of its state directory.
    fn pass(&mut self, paths: &Paths<V>, state: StateId, record: &Record) -> Result<(), Failure> {
        match &record.action {
            Action::Move(moved) => {
                if let Some(undoes) = record.undoes {
                    self.moved_back.entry(undoes).or_insert_with(|| (moved.identity, moved.to.clone()));
                }
            }
            Action::Create(Create { at, from: Some(from), .. }) => {
                let back =
                    Back { to: at.clone(), undoes: record.undoes, group: record.group.map(|group| group.id) };
                self.brought_back.entry(*from).or_default().push(back);
            }
            Action::Pruned => drop(self.marks.entry(state).or_insert(record.id)),
            _ => {}
        }
        if let (Some(group), Some(undoes)) = (record.group, record.undoes) {
            let parts = self.whole.count(group)?;
            let turned = self.turned.entry(group.id).or_insert_with(|| Turned {
                parts,
                states: BTreeSet::new(),
                returned: Vec::new(),
                removed: Vec::new(),
            });
            turned.states.insert(state);
            match &record.action {
                Action::Create(create) if create.from.is_some() => turned.returned.push(create.at.clone()),
                Action::Remove(_) => {
                    turned.removed.push((state, record.clone()));
                    self.taken_away.entry(group.id).or_default().push((record.id, undoes));
                }
                _ => {}
            }
        }
        if let (Some(group), Action::Create(Create { source: Some(source), .. })) =
            (record.group, &record.action)
        {
            self.copies.insert(record.id, (group.id, source.at.clone()));
        }
        self.brought_in.add(self.view.namespace(), paths, state, record)?;
        self.know(paths, record);
        // What was taken back is where it was, if that is who came back. What was in a directory may have stayed behind.
        let is_back = match &record.action {
            Action::Move(moved) => {
                let is_it = |(who, to): &(Id, Location)| *who == moved.identity && to.is_same(&moved.from);
                !moved.object.is_directory() && self.moved_back.get(&record.id).is_some_and(is_it)
            }
            _ => false,
        };
        match &record.action {
            _ if is_back => Ok(()),
            Action::Remove(Remove { moved_to: Some(_), .. }) => {
                self.across.push((state, record.clone()));
                Ok(())
            }
            _ => self.meet(paths, state, record),
        }
    }

    /// True for a move to another grant that one call has taken back: it has brought back what lay here and taken away what was made
    /// there, and neither is otherwise by now. What a `restore` brings back is there once more.
    fn is_reversed(&self, moved: &Record, at: &Location) -> bool {
        let is_of_it = |copy: &Id| {
            let copy =
                self.copies.get(copy).filter(|(group, _)| moved.group.is_some_and(|of| of.id == *group));
            copy.is_some_and(|(_, from)| from.is_same(at))
        };
        let is_gone = |group: &Id| {
            let away = self.taken_away.get(group).map_or(&[][..], |away| away);
            let mut copies = away.iter().filter(|(_, copy)| is_of_it(copy)).peekable();
            copies.peek().is_some() && !copies.any(|(id, _)| self.brought_back.contains_key(id))
        };
        let back = self.brought_back.get(&moved.id);
        back.is_some_and(|back| {
            back.iter().any(|back| {
                back.undoes == Some(moved.id)
                    && back.to.is_same(at)
                    && back.group.as_ref().is_some_and(is_gone)
            })
        })
    }

    /// Which directories lie in what is granted, or did.
    fn know(&mut self, paths: &Paths<V>, record: &Record) {
        for at in record.action.locations() {
            if paths.granted(at).is_some() {
                self.inside.extend(paths.inside(at));
            }
        }
        if let Action::Trace { from, to, .. } = &record.action {
            for way in [from, to] {
                let is_inside = |id: &Id| self.inside.contains(id) || paths.is_granted(*id);
                let begins = way.iter().position(is_inside).unwrap_or(way.len());
                self.inside.extend(&way[begins..]);
            }
        }
    }

    fn meet(&mut self, paths: &Paths<V>, state: StateId, record: &Record) -> Result<(), Failure> {
        if self.newest.is_some_and(|(newest, _)| newest > record.id) {
            return Ok(());
        }
        let why = match &record.action {
            Action::Trace { to, across, .. } => {
                let leads_nowhere = self.leads_nowhere(paths, (state, record), to, *across)?;
                Some(Shut::Forgotten).filter(|_| !leads_nowhere)
            }
            _ => self.leads_away(paths, state, record)?,
        };
        if let Some(why) = why {
            self.shut(paths, record, why);
        }
        Ok(())
    }

    /// Nothing is told from here on back, unless what a record is about was never here.
    fn shut(&mut self, paths: &Paths<V>, record: &Record, why: Shut) {
        let (at, to) = match &record.action {
            Action::Move(moved) => (Some(&moved.from), Some(&moved.to)),
            Action::Remove(remove) => (Some(&remove.at), remove.moved_to.as_ref()),
            Action::Create(create) => (create.lay_at.as_ref(), Some(&create.at)),
            _ => (None, None),
        };
        let from: Vec<Id> = match &record.action {
            Action::Trace { from, .. } => from.clone(),
            _ => at.into_iter().flat_map(Location::on_the_way).collect(),
        };
        let is_granted = |at: &Location| paths.granted(at).is_some();
        let is_here = at.is_some_and(is_granted) || to.is_some_and(is_granted);
        if !is_here && self.is_outside(paths, record, &from) {
            self.elsewhere.push((record.id, from, why));
        } else {
            self.newest = self.newest.max(Some((record.id, why)));
        }
    }

    /// True if what has left a trace can be read still, as far as that move tells: by the same rules, or because there are none
    /// against reading.
    fn leads_nowhere(
        &mut self,
        paths: &Paths<V>,
        (state, record): (StateId, &Record),
        to: &[Id],
        across: bool,
    ) -> Result<bool, Failure> {
        let namespace = self.view.namespace();
        let is_within = to.iter().any(|id| paths.is_writable(*id)) || !across && self.stays_within(record);
        let is_open =
            is_within && !namespace.is_nested() && namespace.guard().policy().against_reading().is_none();
        if !is_open && is_asked(namespace, record)? {
            return Ok(false);
        }
        for (other, _) in namespace.state_ids().filter(|(other, _)| across && *other != state) {
            if self.has_forgotten(other, record.id)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// True if what has left a place has stayed in a directory that was granted then, and lies in what is granted for writing now, as far
    /// as can be told by where that lay on the machine.
    fn stays_within(&self, record: &Record) -> bool {
        let (Action::Trace { from, to, .. }, Some(ours)) = (&record.action, &self.writable) else {
            return false;
        };
        let is_within = |place: &String| ours.iter().any(|ours| is_below(place, ours));
        !to.is_empty()
            && to.first() == from.first()
            && !record.places.is_empty()
            && record.places.iter().all(is_within)
    }

    /// True if what has left a place was in nothing that is granted now, and nothing of that in it, as far as can be told by where it lay on the machine.
    fn is_outside(&self, paths: &Paths<V>, record: &Record, from: &[Id]) -> bool {
        let is_known = |id: &Id| self.inside.contains(id) || paths.is_granted(*id);
        let Some(ours) = &self.places else { return false };
        let is_inside = |place: &String| ours.iter().any(|ours| is_below(place, ours));
        !from.is_empty()
            && !from.iter().any(is_known)
            && !record.places.is_empty()
            && !record.places.iter().any(is_inside)
    }

    /// True if a state directory has forgotten by itself what was written down there behind some record of another one. Whoever has it
    /// forget something leaves traces.
    fn has_forgotten(&mut self, state: StateId, record: Id) -> Result<bool, Failure> {
        let pruned = match self.pruned.get(&state) {
            Some(pruned) => *pruned,
            None => {
                let pruned = self.view.namespace().state(state).pruned().map_err(broken)?;
                self.pruned.insert(state, pruned);
                pruned
            }
        };
        Ok(pruned.is_some_and(|pruned| pruned > record))
    }

    /// Why what a record did to something shuts what others did before, if it does.
    fn leads_away(
        &mut self,
        paths: &Paths<V>,
        state: StateId,
        record: &Record,
    ) -> Result<Option<Shut>, Failure> {
        let Some((from, to, object)) = way(record) else { return Ok(None) };
        // The history of the other grant is nobody's who may not write there: what became of it is not known.
        let is_unknown = matches!(record.action, Action::Remove(_)) && paths.state(to).is_none();
        if is_unknown && is_open(paths, from, object) {
            return Ok(Some(Shut::Away));
        }
        self.leads(paths, (state, record), (from, to), object)
    }

    /// The same of a way from one place to another one.
    fn leads(
        &mut self,
        paths: &Paths<V>,
        (state, record): (StateId, &Record),
        (from, to): (&Location, &Location),
        object: Object,
    ) -> Result<Option<Shut>, Failure> {
        let namespace = self.view.namespace();
        if !is_open(paths, from, object) {
            return Ok(None);
        }
        let Some(path) = paths.granted(to) else { return Ok(Some(Shut::Away)) };
        let is_asked = is_asked(namespace, record)?;
        let rule = match (object.is_directory(), paths.granted(from)) {
            _ if !is_asked => None,
            (true, Some(from)) => paths.closed_below(&from, &path),
            (true, None) => namespace.guard().policy().against_reading(),
            (false, _) => paths.closed_by(&path),
        };
        if rule.is_some() {
            return Ok(rule.map(Shut::Closed));
        }
        // It was led into another history: where it went from there may not be known.
        match paths.state(to).filter(|other| *other != state) {
            Some(other) if self.has_forgotten(other, record.id)? => Ok(Some(Shut::Forgotten)),
            _ => Ok(None),
        }
    }
}

/// From where to where a record has led what.
fn way(record: &Record) -> Option<(&Location, &Location, Object)> {
    match &record.action {
        Action::Move(moved) => Some((&moved.from, &moved.to, moved.object)),
        Action::Remove(remove) => Some((&remove.at, remove.moved_to.as_ref()?, remove.object)),
        Action::Create(create) => create.moved().map(|(from, to)| (from, to, create.object)),
        Action::Splice(_) => None,
        Action::Group { .. } | Action::Checkpoint { .. } | Action::Trace { .. } | Action::Pruned => None,
    }
}

/// True if the policy of now is to be asked where something was moved to. Whoever was told the same may move only what is open there as
/// well, all that is in it included.
pub(super) fn is_asked<V: Volume>(namespace: &Namespace<V>, record: &Record) -> Result<bool, Failure> {
    Ok(record.rulings != Some(namespace.rulings().map_err(broken)?))
}

/// True for what may be read, and for what is not found any more. What happens among things that may not be read changes nothing, and
/// is nobody's business.
fn is_open<V: Volume>(paths: &Paths<V>, at: &Location, object: Object) -> bool {
    paths.granted(at).is_none_or(|path| paths.is_open_as(&path, object))
}
