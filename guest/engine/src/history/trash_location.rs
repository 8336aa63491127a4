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
use fsgate_volume::Volume;

/// The trash entry with the object that a record removed, if any. `maybe` is tried first.
pub(crate) fn trash_entry<V: Volume>(
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
    let undone_by =
        |id: Id| Ok(state.done(id, Check::Header).map_err(broken)?.and_then(|stored| stored.record.undoes));
    let trash_entry = NameSteps::of(state, record)?.end(record, undone_by)?;
    Ok(if is_in_trash(state, trash_entry)? { Some((number, trash_entry)) } else { None })
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
    state.is_kept(&id.to_string()).map_err(broken)
}

/// True if the trash entry has the expected kind and, as a file, size.
pub(crate) fn is_whole<V: Volume>(
    namespace: &Namespace<V>,
    (state, id): Address,
    object: Object,
) -> Result<bool, Failure> {
    let state = namespace.state(state);
    let stat = state.volume.stat(&state.trash, &id.to_string()).map_err(broken)?;
    let trash_entry = Object::of(&stat);
    Ok(trash_entry == object || trash_entry.is_directory() && object.is_directory())
}

/// The changes of names since a record, the oldest first, with those in progress.
struct NameSteps {
    steps: Vec<(Id, NameStep)>,
    /// The records that records undo, as far as they are known.
    undoes: BTreeMap<Id, Option<Id>>,
}

enum NameStep {
    /// A name is removed.
    Removed(String),
    /// A name gets a new object, or the trash entry with this id.
    Created(String, Option<Id>),
    /// An object moves, and may replace another one.
    Moved(String, String),
}

impl NameSteps {
    fn of<V: Volume>(state: &State<V>, since: Id) -> Result<Self, Failure> {
        let mut steps = Self { steps: Vec::new(), undoes: BTreeMap::new() };
        each_since(state, since, |record| {
            steps.add(record);
            ControlFlow::Continue(())
        })?;
        steps.steps.reverse();
        Ok(steps)
    }

    fn add(&mut self, record: Record) {
        self.undoes.insert(record.id, record.undoes);
        let step = match record.action {
            Action::Create(create) => NameStep::Created(name(&create.at), create.from),
            Action::Remove(remove) => NameStep::Removed(name(&remove.at)),
            Action::Move(moved) => NameStep::Moved(name(&moved.from), name(&moved.to)),
            Action::Splice(_) | Action::Group { .. } | Action::Checkpoint { .. } | Action::Remark => {
                return;
            }
        };
        self.steps.push((record.id, step));
    }

    /// The last id of the object in the trash. The object may have come out and gone back, and may
    /// have changed in between: it is the same again if its removal undoes its return.
    fn end(
        mut self,
        record: Id,
        mut undone_by: impl FnMut(Id) -> Result<Option<Id>, Failure>,
    ) -> Result<Id, Failure> {
        let (mut trash_entry, mut first, mut is_same) = (record, 0, true);
        let (mut end, mut same) = (record, BTreeSet::new());
        if let Some(undoes) = undone_by(record)? {
            same.insert(self.first(undoes, &mut undone_by)?);
        }
        while let Some((out, put_back, at)) = self.out(trash_entry, first) {
            if is_same {
                same.insert(self.first(put_back, &mut undone_by)?);
            }
            let Some((back, by)) = self.back(at, out + 1) else { break };
            (trash_entry, first) = (by, back + 1);
            is_same = match self.undoes.get(&by).copied().flatten() {
                Some(undoes) => same.contains(&self.first(undoes, &mut undone_by)?),
                None => false,
            };
            if is_same {
                end = trash_entry;
            }
        }
        Ok(end)
    }

    /// The step at which a trash entry comes out, with its record and new name.
    fn out(&self, trash_entry: Id, first: usize) -> Option<(usize, Id, String)> {
        let mut steps = self.steps.iter().enumerate().skip(first);
        steps.find_map(|(number, (id, step))| match step {
            NameStep::Created(at, Some(from)) if *from == trash_entry => Some((number, *id, at.clone())),
            _ => None,
        })
    }

    /// The step at which the object with a name is removed, and its id in the trash; none if
    /// another object gets the name, because then the object is lost.
    fn back(&self, mut at: String, mut first: usize) -> Option<(usize, Id)> {
        while let Some((id, step)) = self.steps.get(first) {
            match step {
                NameStep::Removed(from) if *from == at => return Some((first, *id)),
                NameStep::Moved(_, to) if *to == at => return Some((first, *id)),
                // Inside a directory, which has to come out first.
                NameStep::Removed(from) if is_below(&at, from) => {
                    let (out, _, to) = self.out(*id, first)?;
                    at = format!("{to}{}", &at[from.len()..]);
                    first = out;
                }
                NameStep::Moved(from, to) if is_below(&at, from) => at = format!("{to}{}", &at[from.len()..]),
                NameStep::Created(there, _) if *there == at => return None,
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
        mut undone_by: impl FnMut(Id) -> Result<Option<Id>, Failure>,
    ) -> Result<Id, Failure> {
        let mut undoes = |record: Id| {
            if let Some(undoes) = self.undoes.get(&record) {
                return Ok::<_, Failure>(*undoes);
            }
            let undoes = undone_by(record)?;
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

fn name(at: &Location) -> String {
    let names = at.above.iter().chain(&at.below).chain([&at.name]).map(String::as_str);
    iter::once(at.root.to_string().as_str()).chain(names).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lay_in_the_trash_is_followed_through_all_its_names() {
        let removed = |at: &str| NameStep::Removed(at.to_owned());
        let there = |at: &str, from: u128| NameStep::Created(at.to_owned(), Some(Id(from)));
        let new = |at: &str| NameStep::Created(at.to_owned(), None);
        let moved = |from: &str, to: &str| NameStep::Moved(from.to_owned(), to.to_owned());
        // The records after record 1, from record 2 on; the pairs of undo; and the expected id.
        for (steps, undoes, trash_entry) in [
            (vec![], &[][..], 1),
            (vec![there("r/a", 1), removed("r/a")], &[(3, 2)], 3),
            (
                vec![there("r/a", 1), removed("r/b"), removed("r/a"), there("r/a", 4), removed("r/a")],
                &[(4, 2), (6, 5)],
                6,
            ),
            (
                vec![there("r/a", 1), removed("r/a"), there("r/a", 3), removed("r/a")],
                &[(3, 2), (4, 3), (5, 2)],
                5,
            ),
            // Through other names, also of directories above.
            (vec![there("r/a/f", 1), moved("r/a", "r/b"), removed("r/b/f")], &[(4, 2)], 4),
            (vec![there("r/a/f", 1), removed("r/a"), new("r/a"), removed("r/a/f")], &[(5, 2)], 1),
            (
                vec![
                    there("r/a/f", 1),
                    removed("r/a"),
                    new("r/a"),
                    removed("r/a"),
                    there("r/a", 3),
                    removed("r/a/f"),
                ],
                &[(7, 2)],
                7,
            ),
            // A separate removal may be of another object, until it is back.
            (vec![there("r/a", 1), removed("r/a")], &[], 1),
            (vec![there("r/a", 1), moved("r/b", "r/a")], &[], 1),
            (vec![there("r/a", 1), removed("r/a"), there("r/a", 3), removed("r/a")], &[(4, 3)], 1),
            (vec![there("r/a", 1), removed("r/a"), there("r/a", 3), removed("r/a")], &[(4, 3), (5, 4)], 1),
            (vec![there("r/a", 1), removed("r/a"), there("r/a", 3), removed("r/a")], &[(4, 3), (5, 2)], 5),
            // Another object has the name.
            (vec![there("r/a", 1), new("r/a"), removed("r/a")], &[(4, 2)], 1),
            (vec![there("r/a", 1), moved("r/a", "r/b"), new("r/a"), removed("r/a")], &[(5, 2)], 1),
        ] {
            let about = format!("{} {undoes:?}", steps.len());
            let steps = NameSteps { steps: (2_u128..).map(Id).zip(steps).collect(), undoes: BTreeMap::new() };
            let undone_by = |id: Id| Ok(undoes.iter().find(|(by, _)| Id(*by) == id).map(|(_, of)| Id(*of)));
            let undoes = undoes.iter().map(|(by, of)| (Id(*by), Some(Id(*of)))).collect();
            assert_eq!(
                NameSteps { undoes, ..steps }.end(Id(1), undone_by).unwrap(),
                Id(trash_entry),
                "{about}"
            );
        }
    }
}
