//! Behind which moment nothing is told of what others did.
//!
//! Once something was moved from where it may be read to where it may not, what it was before is told by none of its older
//! names: neither content nor tag, nor whether something else is the same. Which records are about it cannot be told for
//! certain: names are chosen by whoever may make and move things, numbers are given anew, and a record that said it may be
//! forgotten. So nothing that others did before is told; what a session did itself it has seen.

use rustc_hash::FxHashSet;

use super::entries::broken;
use super::lane::{Lane, lanes};
use super::paths::Paths;
use crate::error::{Conflict, Denial, Failure, Past, Reason};
use crate::journal::record::{Action, Location, Object, Record};
use crate::journal::{Check, Id, Stored};
use crate::namespace::{Namespace, StateId};
use crate::policy::RuleId;
use crate::view::View;
use crate::volume::{Fault, Volume};

/// Why something may not be told of any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shut {
    /// Something has got a name by which a rule closes it.
    Closed(RuleId),
    /// Something has left what is granted now.
    Away,
    /// Something has gone where the history has forgotten what became of it.
    Forgotten,
}

/// What is known of that moment. It is looked for as far back as anybody asks.
pub(crate) struct Horizon<'a, V: Volume> {
    view: &'a View<'a, V>,
    lanes: Vec<Lane<'a, V>>,
    /// Records that were taken back.
    taken_back: FxHashSet<Id>,
    /// Directories were moved in what is granted.
    is_moved: bool,
    /// The newest record that has led something away, and where to.
    newest: Option<(Id, Shut)>,
}

impl<'a, V: Volume> Horizon<'a, V> {
    pub(crate) fn new(view: &'a View<'a, V>, paths: &Paths<V>) -> Result<Self, Failure> {
        let namespace = view.namespace();
        let mut horizon = Self {
            view,
            lanes: lanes(namespace)?,
            taken_back: FxHashSet::default(),
            is_moved: false,
            newest: None,
        };
        for (number, state) in namespace.state_ids() {
            // It may have been made, wholly or in part.
            for stored in state.under_way().map_err(broken)? {
                horizon.meet(paths, number, &stored.record)?;
            }
            for id in state.ids(&state.conflicts).map_err(broken)? {
                match Stored::open(&state.volume, &state.conflicts, &id.to_string(), Check::Header) {
                    Ok(Some(stored)) => horizon.meet(paths, number, &stored.record)?,
                    Ok(None) | Err(Fault::NotFound) => {}
                    Err(fault) => return Err(broken(fault)),
                }
            }
        }
        Ok(horizon)
    }

    /// Refuses to tell of a record, or to take it back.
    pub(crate) fn require_open(&mut self, paths: &Paths<V>, record: &Record) -> Result<(), Failure> {
        let namespace = self.view.namespace();
        match self.shuts(paths, record)? {
            None => Ok(()),
            // What it was, and where it is now, is not told.
            Some(Shut::Closed(rule)) => {
                Err(Reason::Denied(namespace.guard().rule(rule), Denial::Open).into())
            }
            Some(Shut::Away) => Err(Reason::NotGranted(namespace.grant_names()).into()),
            Some(Shut::Forgotten) => {
                let path = paths.of(record).into_iter().next().unwrap_or_default();
                Err(Past::UndoConflict(path.clone(), Conflict::NotKept).at(path))
            }
        }
    }

    /// Why a record is not to be told of, if it is not.
    pub(crate) fn shuts(&mut self, paths: &Paths<V>, record: &Record) -> Result<Option<Shut>, Failure> {
        if self.view.is_own(record) {
            return Ok(None);
        }
        // What led something away may keep it itself.
        let shut = |newest: Option<(Id, Shut)>| newest.filter(|(newest, _)| *newest >= record.id);
        if shut(self.newest).is_none() {
            self.reach(paths, record.id)?;
        }
        Ok(shut(self.newest).map(|(_, why)| why))
    }

    /// Looks at all from the newest record on to one.
    fn reach(&mut self, paths: &Paths<V>, until: Id) -> Result<(), Failure> {
        for number in 0..self.lanes.len() {
            loop {
                let lane = &mut self.lanes[number];
                let Some(id) = lane.newest().map_err(broken)?.filter(|id| *id >= until) else { break };
                lane.pop();
                let state = lane.id;
                if let Some(stored) = lane.state.done(id, Check::Header).map_err(broken)? {
                    // What was taken back is where it was.
                    self.taken_back.extend(stored.record.undoes);
                    self.meet(paths, state, &stored.record)?;
                    self.is_moved |=
                        is_of_directory(&stored.record.action) && !paths.is_absent(&stored.record);
                }
            }
        }
        Ok(())
    }

    fn meet(&mut self, paths: &Paths<V>, state: StateId, record: &Record) -> Result<(), Failure> {
        if !self.taken_back.contains(&record.id)
            && self.newest.is_none_or(|(newest, _)| newest < record.id)
            && let Some(why) = leads_away(self.view.namespace(), paths, state, record, self.is_moved)?
        {
            self.newest = Some((record.id, why));
        }
        Ok(())
    }
}

/// Why what a record did to something shuts what others did before, if it does. `is_moved`: directories have been moved since.
pub(crate) fn leads_away<V: Volume>(
    namespace: &Namespace<V>,
    paths: &Paths<V>,
    state: StateId,
    record: &Record,
    is_moved: bool,
) -> Result<Option<Shut>, Failure> {
    let (from, to, object) = match &record.action {
        Action::Move(moved) => (&moved.from, &moved.to, moved.object),
        Action::Remove(remove) => match &remove.moved_to {
            Some(to) => (&remove.at, to, remove.object),
            None => return Ok(None),
        },
        Action::Splice(_) | Action::Create(_) | Action::Group { .. } | Action::Checkpoint { .. } => {
            return Ok(None);
        }
    };
    let was_open = match paths.granted(from) {
        // What happens among things that may not be read changes nothing, and is nobody's business.
        Some(path) => paths.is_open_as(&path, object),
        // It may have been found before its directory was moved.
        None => paths.held(from) || is_moved,
    };
    if !was_open {
        return Ok(None);
    }
    Ok(match led_to(paths, to, object) {
        None if is_forgotten(namespace, paths, (state, record.id), to)? => Some(Shut::Forgotten),
        why => why,
    })
}

fn led_to<V: Volume>(paths: &Paths<V>, to: &Location, object: Object) -> Option<Shut> {
    let Some(path) = paths.granted(to) else { return Some(Shut::Away) };
    let rule = if object.is_directory() { paths.closed_below(&path) } else { paths.closed_by(&path) };
    rule.map(Shut::Closed)
}

/// True if something was led into another history, which begins after that by now: where it went from there is not known.
fn is_forgotten<V: Volume>(
    namespace: &Namespace<V>,
    paths: &Paths<V>,
    (state, record): (StateId, Id),
    to: &Location,
) -> Result<bool, Failure> {
    let Some(other) = paths.state(to).filter(|other| *other != state) else { return Ok(false) };
    let other = namespace.state(other);
    for name in other.files().map_err(broken)?.iter() {
        let page = other.page(*name).map_err(broken)?;
        if let Some(oldest) = page.and_then(|page| page.spans.first().map(|span| span.id)) {
            return Ok(oldest > record);
        }
    }
    Ok(true)
}

/// True for what takes a directory away from its name.
fn is_of_directory(action: &Action) -> bool {
    match action {
        Action::Move(moved) => moved.object.is_directory(),
        Action::Remove(remove) => remove.object.is_directory(),
        Action::Splice(_) | Action::Create(_) | Action::Group { .. } | Action::Checkpoint { .. } => false,
    }
}
