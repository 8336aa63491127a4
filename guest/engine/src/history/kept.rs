//! The present trash entry of a removed object.
//!
//! The entry has the id of the record that removed the object, until the object comes out. A later
//! record may remove it again, under its own id.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::ops::ControlFlow;

use super::entries::{Address, broken};
use super::paths::is_below;
use fsgate_contract::id::Id;
use fsgate_error::Failure;
use fsgate_journal::Check;
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::{Action, Location, Object, Record};
use fsgate_journal::state::State;
use fsgate_volume::{Fault, Volume};

/// The trash entry with the object that a record removed, if any. `maybe` is tried first.
pub(crate) fn lies<V: Volume>(
    namespace: &Namespace<V>,
    (number, record): Address,
    maybe: Option<Address>,
) -> Result<Option<Address>, Failure> {
    for address in [Some((number, record)), maybe].into_iter().flatten() {
        if is_in_trash(namespace.state(address.0), address.1)? {
            return Ok(Some(address));
        }
    }
    let state = namespace.state(number);
    let taken_back =
        |id: Id| Ok(state.done(id, Check::Header).map_err(broken)?.and_then(|stored| stored.record.undoes));
    let lies = Ways::of(state, record)?.end(record, taken_back)?;
    Ok(if is_in_trash(state, lies)? { Some((number, lies)) } else { None })
}

/// Visits the records since a record, the newest first, with those in progress.
pub(super) fn each_since<V: Volume>(
    state: &State<V>,
    since: Id,
    mut look: impl FnMut(Record) -> ControlFlow<()>,
) -> Result<(), Failure> {
    for stored in state.under_way().map_err(broken)?.into_iter().rev() {
        if look(stored.record).is_break() {
            return Ok(());
        }
    }
    for name in state.files().map_err(broken)?.iter().rev() {
        let page = state.page(*name).map_err(broken)?;
        for span in page.iter().flat_map(|page| page.spans.iter().rev()) {
            if span.id <= since {
                return Ok(());
            }
            let stored = state.done(span.id, Check::Header).map_err(broken)?;
            if stored.is_some_and(|stored| look(stored.record).is_break()) {
                return Ok(());
            }
        }
    }
    Ok(())
}

pub(super) fn is_in_trash<V: Volume>(state: &State<V>, id: Id) -> Result<bool, Failure> {
    match state.volume.stat(&state.trash, &id.to_string()) {
        Ok(_) => Ok(true),
        Err(Fault::NotFound) => Ok(false),
        Err(fault) => Err(broken(fault)),
    }
}

/// True if the trash entry has the expected kind and, as a file, size.
pub(crate) fn is_whole<V: Volume>(
    namespace: &Namespace<V>,
    (state, id): Address,
    object: Object,
) -> Result<bool, Failure> {
    let state = namespace.state(state);
    let stat = state.volume.stat(&state.trash, &id.to_string()).map_err(broken)?;
    let lies = Object::of(&stat);
    Ok(lies == object || lies.is_directory() && object.is_directory())
}

/// The changes of names since a record, the oldest first, with those in progress.
struct Ways {
    ways: Vec<(Id, Way)>,
    /// The records that records undo, as far as they are known.
    undoes: BTreeMap<Id, Option<Id>>,
}

enum Way {
    /// A name is removed.
    Away(String),
    /// A name gets a new object, or the trash entry with this id.
    There(String, Option<Id>),
    /// An object moves, and may replace another one.
    Moved(String, String),
}

impl Ways {
    fn of<V: Volume>(state: &State<V>, since: Id) -> Result<Self, Failure> {
        let mut ways = Self { ways: Vec::new(), undoes: BTreeMap::new() };
        each_since(state, since, |record| {
            ways.add(record);
            ControlFlow::Continue(())
        })?;
        ways.ways.reverse();
        Ok(ways)
    }

    fn add(&mut self, record: Record) {
        self.undoes.insert(record.id, record.undoes);
        let way = match record.action {
            Action::Create(create) => Way::There(name(&create.at), create.from),
            Action::Remove(remove) => Way::Away(name(&remove.at)),
            Action::Move(moved) => Way::Moved(name(&moved.from), name(&moved.to)),
            Action::Splice(_) | Action::Group { .. } | Action::Checkpoint { .. } | Action::Remark => {
                return;
            }
        };
        self.ways.push((record.id, way));
    }

    /// The last id of the object in the trash. The object may have come out and gone back, and may
    /// have changed in between: it is the same again if its removal undoes its return.
    fn end(
        mut self,
        record: Id,
        mut taken_back: impl FnMut(Id) -> Result<Option<Id>, Failure>,
    ) -> Result<Id, Failure> {
        let (mut lies, mut first, mut is_same) = (record, 0, true);
        let (mut end, mut same) = (record, BTreeSet::new());
        if let Some(undoes) = taken_back(record)? {
            same.insert(self.first(undoes, &mut taken_back)?);
        }
        while let Some((out, put_back, at)) = self.out(lies, first) {
            if is_same {
                same.insert(self.first(put_back, &mut taken_back)?);
            }
            let Some((back, by)) = self.back(at, out + 1) else { break };
            (lies, first) = (by, back + 1);
            is_same = match self.undoes.get(&by).copied().flatten() {
                Some(undoes) => same.contains(&self.first(undoes, &mut taken_back)?),
                None => false,
            };
            if is_same {
                end = lies;
            }
        }
        Ok(end)
    }

    /// The step at which a trash entry comes out, with its record and new name.
    fn out(&self, lies: Id, first: usize) -> Option<(usize, Id, String)> {
        let mut ways = self.ways.iter().enumerate().skip(first);
        ways.find_map(|(number, (id, way))| match way {
            Way::There(at, Some(from)) if *from == lies => Some((number, *id, at.clone())),
            _ => None,
        })
    }

    /// The step at which the object with a name is removed, and its id in the trash; none if
    /// another object gets the name, because then the object is lost.
    fn back(&self, mut at: String, mut first: usize) -> Option<(usize, Id)> {
        while let Some((id, way)) = self.ways.get(first) {
            match way {
                Way::Away(from) if *from == at => return Some((first, *id)),
                Way::Moved(_, to) if *to == at => return Some((first, *id)),
                // Inside a directory, which has to come out first.
                Way::Away(from) if is_below(&at, from) => {
                    let (out, _, to) = self.out(*id, first)?;
                    at = format!("{to}{}", &at[from.len()..]);
                    first = out;
                }
                Way::Moved(from, to) if is_below(&at, from) => at = format!("{to}{}", &at[from.len()..]),
                Way::There(there, _) if *there == at => return None,
                _ => {}
            }
            first += 1;
        }
        None
    }

    /// The oldest record that a record repeats through pairs of undo and redo.
    fn first(
        &mut self,
        mut record: Id,
        mut taken_back: impl FnMut(Id) -> Result<Option<Id>, Failure>,
    ) -> Result<Id, Failure> {
        let mut undoes = |record: Id| {
            if let Some(undoes) = self.undoes.get(&record) {
                return Ok::<_, Failure>(*undoes);
            }
            let undoes = taken_back(record)?;
            self.undoes.insert(record, undoes);
            Ok(undoes)
        };
        while let Some(by) = undoes(record)? {
            let Some(before) = undoes(by)? else { break };
            record = before;
        }
        Ok(record)
    }
}

/// The name without that of its grant.
fn name(at: &Location) -> String {
    let names = at.above.iter().chain(&at.below).chain([&at.name]).map(String::as_str);
    iter::once(at.root.to_string().as_str()).chain(names).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lay_in_the_trash_is_followed_through_all_its_names() {
        let away = |at: &str| Way::Away(at.to_owned());
        let there = |at: &str, from: u128| Way::There(at.to_owned(), Some(Id(from)));
        let new = |at: &str| Way::There(at.to_owned(), None);
        let moved = |from: &str, to: &str| Way::Moved(from.to_owned(), to.to_owned());
        // The records after record 1, from record 2 on; the pairs of undo; and the expected id.
        for (ways, undoes, lies) in [
            (vec![], &[][..], 1),
            (vec![there("r/a", 1), away("r/a")], &[(3, 2)], 3),
            (
                vec![there("r/a", 1), away("r/b"), away("r/a"), there("r/a", 4), away("r/a")],
                &[(4, 2), (6, 5)],
                6,
            ),
            (vec![there("r/a", 1), away("r/a"), there("r/a", 3), away("r/a")], &[(3, 2), (4, 3), (5, 2)], 5),
            // Through other names, also of directories above.
            (vec![there("r/a/f", 1), moved("r/a", "r/b"), away("r/b/f")], &[(4, 2)], 4),
            (vec![there("r/a/f", 1), away("r/a"), new("r/a"), away("r/a/f")], &[(5, 2)], 1),
            (
                vec![there("r/a/f", 1), away("r/a"), new("r/a"), away("r/a"), there("r/a", 3), away("r/a/f")],
                &[(7, 2)],
                7,
            ),
            // A separate removal may be of another object, until it is back.
            (vec![there("r/a", 1), away("r/a")], &[], 1),
            (vec![there("r/a", 1), moved("r/b", "r/a")], &[], 1),
            (vec![there("r/a", 1), away("r/a"), there("r/a", 3), away("r/a")], &[(4, 3)], 1),
            (vec![there("r/a", 1), away("r/a"), there("r/a", 3), away("r/a")], &[(4, 3), (5, 4)], 1),
            (vec![there("r/a", 1), away("r/a"), there("r/a", 3), away("r/a")], &[(4, 3), (5, 2)], 5),
            // Another object has the name.
            (vec![there("r/a", 1), new("r/a"), away("r/a")], &[(4, 2)], 1),
            (vec![there("r/a", 1), moved("r/a", "r/b"), new("r/a"), away("r/a")], &[(5, 2)], 1),
        ] {
            let about = format!("{} {undoes:?}", ways.len());
            let ways = Ways { ways: (2_u128..).map(Id).zip(ways).collect(), undoes: BTreeMap::new() };
            let taken_back = |id: Id| Ok(undoes.iter().find(|(by, _)| Id(*by) == id).map(|(_, of)| Id(*of)));
            let undoes = undoes.iter().map(|(by, of)| (Id(*by), Some(Id(*of)))).collect();
            assert_eq!(Ways { undoes, ..ways }.end(Id(1), taken_back).unwrap(), Id(lies), "{about}");
        }
    }
}
