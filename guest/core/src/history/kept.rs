//! Where something lies in the trash by now.
//!
//! It lies there under the id of the record that put it there, until it comes out. If that is taken back, it goes into the trash
//! again, under the id of the record that did so: that one was made only because nothing else had come in between.

use std::collections::BTreeMap;

use super::entries::{Address, broken};
use crate::error::Failure;
use crate::journal::record::{Action, Object, Record};
use crate::journal::{Check, Id};
use crate::namespace::Namespace;
use crate::state::State;
use crate::volume::{Fault, Volume};

/// Under whose id that lies in the trash now which a record put there; none if it is not there.
pub(crate) fn lies<V: Volume>(
    namespace: &Namespace<V>,
    (number, record): Address,
) -> Result<Option<Address>, Failure> {
    let state = namespace.state(number);
    if is_in_trash(state, record)? {
        return Ok(Some((number, record)));
    }
    let gone_on = returns(state, record)?;
    let mut lies = record;
    while let Some(next) = gone_on.get(&lies) {
        lies = *next;
    }
    Ok(if is_in_trash(state, lies)? { Some((number, lies)) } else { None })
}

/// True if the trash has something under an id.
pub(super) fn is_in_trash<V: Volume>(state: &State<V>, id: Id) -> Result<bool, Failure> {
    match state.volume.stat(&state.trash, &id.to_string()) {
        Ok(_) => Ok(true),
        Err(Fault::NotFound) => Ok(false),
        Err(fault) => Err(broken(fault)),
    }
}

/// True if what lies there is of the kind and, as a file, of the size that was put there.
pub(super) fn is_whole<V: Volume>(
    namespace: &Namespace<V>,
    (state, id): Address,
    object: Object,
) -> Result<bool, Failure> {
    let state = namespace.state(state);
    let stat = state.volume.stat(&state.trash, &id.to_string()).map_err(broken)?;
    let lies = Object::of(&stat);
    Ok(lies == object || lies.is_directory() && object.is_directory())
}

/// Of what has come out of the trash since a record and gone back: under which id it was, and under which it was then. What is
/// under way counts as well.
fn returns<V: Volume>(state: &State<V>, since: Id) -> Result<BTreeMap<Id, Id>, Failure> {
    // The newest record first: what takes another one back is looked at before that.
    let (mut taken_back, mut returns) = (BTreeMap::new(), BTreeMap::new());
    let mut look = |record: Record| match (record.action, record.undoes) {
        (Action::Remove(_), Some(undoes)) => drop(taken_back.insert(undoes, record.id)),
        (Action::Create(create), _) => {
            if let (Some(from), Some(by)) = (create.from, taken_back.get(&record.id)) {
                returns.insert(from, *by);
            }
        }
        _ => {}
    };
    state.under_way().map_err(broken)?.into_iter().rev().for_each(|stored| look(stored.record));
    for name in state.files().map_err(broken)?.iter().rev() {
        let page = state.page(*name).map_err(broken)?;
        for span in page.iter().flat_map(|page| page.spans.iter().rev()) {
            if span.id <= since {
                return Ok(returns);
            }
            if let Some(stored) = state.done(span.id, Check::Header).map_err(broken)? {
                look(stored.record);
            }
        }
    }
    Ok(returns)
}
