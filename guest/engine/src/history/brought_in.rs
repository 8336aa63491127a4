//! What calls have brought from where it may not be read, and changed.
//!
//! Who may not read there was never to see what was changed in it: what it was stands in the records that the same call has made at its
//! new name.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::entries::broken;
use super::horizon::{Shut, is_asked};
use super::paths::Paths;
use fsgate_contract::id::Id;
use fsgate_error::Failure;
use fsgate_journal::namespace::{Namespace, StateId};
use fsgate_journal::record::{Action, Create, Location, Record, Remove};
use fsgate_volume::Volume;

/// The calls that have brought something, as far as their records were looked at.
#[derive(Default)]
pub(super) struct BroughtIn {
    /// By the ids of their groups.
    calls: FxHashMap<Id, Call>,
    /// The newest record that is damaged: it may have brought something.
    damaged: Option<Id>,
}

#[derive(Default)]
struct Call {
    why: Option<Shut>,
    /// Records of it. One that takes away what was copied elsewhere goes with the copy.
    records: u64,
}

impl BroughtIn {
    /// One record more.
    pub(super) fn add<V: Volume>(
        &mut self,
        namespace: &Namespace<V>,
        paths: &Paths<V>,
        state: StateId,
        record: &Record,
    ) -> Result<(), Failure> {
        let Some(group) = record.group else { return Ok(()) };
        let why = why(namespace, paths, state, record)?;
        let call = self.calls.entry(group.id).or_default();
        call.why = call.why.or(why);
        let is_copied = matches!(record.action, Action::Remove(Remove { moved_to: Some(_), .. }));
        call.records += u64::from(!is_copied);
        Ok(())
    }

    /// One more that cannot be read.
    pub(super) fn add_damaged(&mut self, id: Id) {
        self.damaged = self.damaged.max(Some(id));
    }

    /// Why a record is not to be told of for what else its call has done, if it is not. All of that has been looked at.
    pub(super) fn shuts(&self, record: &Record) -> Option<Shut> {
        let group = record.group?.id;
        match self.calls.get(&group) {
            Some(Call { why: Some(why), records: 2.. }) => Some(*why),
            _ => self.damaged.filter(|damaged| *damaged > group).map(|_| Shut::Forgotten),
        }
    }
}

/// Why that may not have been read where it was before which a change has given a name, if it may be read now. Whoever was told the same
/// when it was made has brought nothing that is closed to who asks; of a record that does not say so that is not known.
fn why<V: Volume>(
    namespace: &Namespace<V>,
    paths: &Paths<V>,
    state: StateId,
    record: &Record,
) -> Result<Option<Shut>, Failure> {
    let action = &record.action;
    let (to, object) = match action {
        Action::Move(moved) => (&moved.to, moved.object),
        Action::Create(create) => (&create.at, create.object),
        _ => return Ok(None),
    };
    if !is_asked(namespace, record)? {
        return Ok(None);
    }
    let Some(to) = paths.granted(to).filter(|path| paths.is_open_as(path, object)) else { return Ok(None) };
    let closed = |from: &Location| match paths.granted(from) {
        None => Some(Shut::Away),
        Some(from) if object.is_directory() => paths.closed_below(&to, &from).map(Shut::Closed),
        Some(from) => paths.closed_by(&from).map(Shut::Closed),
    };
    match action {
        Action::Move(moved) => Ok(closed(&moved.from)),
        Action::Create(create) => {
            let (origins, is_all) = origins(namespace, state, create)?;
            // It may have been in a directory that is not granted: then it does not take a rule to close it.
            Ok(origins.iter().find_map(closed).or((!is_all).then_some(Shut::Forgotten)))
        }
        _ => Ok(None),
    }
}

/// Where something was before that has got a name, and whether that is all: it may have been taken away as what had its copy elsewhere, or
/// as such a copy, again and again, and the history may have forgotten that.
fn origins<V: Volume>(
    namespace: &Namespace<V>,
    state: StateId,
    create: &Create,
) -> Result<(Vec<Location>, bool), Failure> {
    let known = |id: Id| namespace.state(state).keeper(id).map_err(broken);
    let (mut origins, mut create, mut seen) = (Vec::new(), create.clone(), BTreeSet::new());
    loop {
        origins.extend(create.lay_at);
        origins.extend(create.source.map(|source| source.at));
        let Some(from) = create.from.filter(|from| seen.insert(*from)) else { return Ok((origins, true)) };
        let Some(lay) = known(from)? else { return Ok((origins, false)) };
        let Action::Remove(remove) = lay.action else { return Ok((origins, true)) };
        origins.extend(remove.moved_to);
        let Some(undoes) = lay.undoes else { return Ok((origins, true)) };
        match known(undoes)?.map(|record| record.action) {
            Some(Action::Create(before)) => create = before,
            Some(_) => return Ok((origins, true)),
            None => return Ok((origins, false)),
        }
    }
}
