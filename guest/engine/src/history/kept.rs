//! Where something lies in the trash by now.
//!
//! It lies there under the id of the record that put it there, until it comes out. It may go there again, under the id of the
//! record that takes it away then.

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

/// Under whose id that lies in the trash now which a record put there; none if it is not there. `maybe` is asked first.
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

/// Looks at what was done since a record, the newest first, with what is under way.
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

/// True if the trash has something under an id.
pub(super) fn is_in_trash<V: Volume>(state: &State<V>, id: Id) -> Result<bool, Failure> {
    match state.volume.stat(&state.trash, &id.to_string()) {
        Ok(_) => Ok(true),
        Err(Fault::NotFound) => Ok(false),
        Err(fault) => Err(broken(fault)),
    }
}

/// True if what lies there is of the kind and, as a file, of the size that was put there.
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

/// What has had which name since a record, the oldest first. What is under way counts as well.
struct Ways {
    ways: Vec<(Id, Way)>,
    /// Who takes back whom, as far as it was asked.
    undoes: BTreeMap<Id, Option<Id>>,
}

/// What a record does with names.
enum Way {
    /// It takes one away.
    Away(String),
    /// It gives one to something new, or to what lay in the trash under some id.
    There(String, Option<Id>),
    /// It gives another one, and may replace what had that.
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

    /// Under which id that lies by now which a record has put into the trash: it may have come out and gone back many times. It may
    /// have been changed in between: it is the same again if it goes back as what was put there is taken back.
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

    /// Where something came out of the trash, by which record, and the name that it got.
    fn out(&self, lies: Id, first: usize) -> Option<(usize, Id, String)> {
        let mut ways = self.ways.iter().enumerate().skip(first);
        ways.find_map(|(number, (id, way))| match way {
            Way::There(at, Some(from)) if *from == lies => Some((number, *id, at.clone())),
            _ => None,
        })
    }

    /// Where what has a name goes into the trash, and under which id; none if something else gets its name: nobody knows where
    /// it is then.
    fn back(&self, mut at: String, mut first: usize) -> Option<(usize, Id)> {
        while let Some((id, way)) = self.ways.get(first) {
            match way {
                Way::Away(from) if *from == at => return Some((first, *id)),
                Way::Moved(_, to) if *to == at => return Some((first, *id)),
                // With what it lies in, which has to come out again.
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

    /// The first record that has done what one has done again by taking back what took that back, and so on.
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

/// A name, whatever the granted directory that it lies in is called.
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
        // What follows the record 1, from the record 2 on; who takes back whom; and where that lies then.
        for (ways, undoes, lies) in [
            (vec![], &[][..], 1),
            (vec![there("r/a", 1), away("r/a")], &[(3, 2)], 3),
            (
                vec![there("r/a", 1), away("r/b"), away("r/a"), there("r/a", 4), away("r/a")],
                &[(4, 2), (6, 5)],
                6,
            ),
            (vec![there("r/a", 1), away("r/a"), there("r/a", 3), away("r/a")], &[(3, 2), (4, 3), (5, 2)], 5),
            // Through other names, of what it lies in as well.
            (vec![there("r/a/f", 1), moved("r/a", "r/b"), away("r/b/f")], &[(4, 2)], 4),
            (vec![there("r/a/f", 1), away("r/a"), new("r/a"), away("r/a/f")], &[(5, 2)], 1),
            (
                vec![there("r/a/f", 1), away("r/a"), new("r/a"), away("r/a"), there("r/a", 3), away("r/a/f")],
                &[(7, 2)],
                7,
            ),
            // What was taken away by itself may be another one, until it is back.
            (vec![there("r/a", 1), away("r/a")], &[], 1),
            (vec![there("r/a", 1), moved("r/b", "r/a")], &[], 1),
            (vec![there("r/a", 1), away("r/a"), there("r/a", 3), away("r/a")], &[(4, 3)], 1),
            (vec![there("r/a", 1), away("r/a"), there("r/a", 3), away("r/a")], &[(4, 3), (5, 4)], 1),
            (vec![there("r/a", 1), away("r/a"), there("r/a", 3), away("r/a")], &[(4, 3), (5, 2)], 5),
            // Something else has its name.
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
