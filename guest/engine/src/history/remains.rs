//! What is left of some calls where later ones have taken back earlier ones.
//!
//! To take back what was done since some place is to take back one record after the other, the newest first: when the turn
//! of one comes, what it left is there again. What was taken back already need not be brought back for that: it goes away
//! together with what has taken it back, if both touch the same and nothing that is left lies between them and does so, too. Where
//! that is not so (the directory that a file comes back into was made anew with it), both are left.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use super::entries::{Address, Entries, Entry};
use super::paths::near;
use fsgate_error::Failure;
use fsgate_journal::record::Action;
use fsgate_volume::Volume;

/// A record that is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) record: Address,
    /// The record that brought it back last, and under whose id that lies in the trash now which it has put there.
    pub(crate) lies: Option<Address>,
    /// The call that is taken back with it, by its number.
    pub(crate) call: usize,
}

/// What some calls have come to.
pub(crate) struct Remains<M> {
    /// True for a call that is meant, by its number.
    is_meant: M,
    /// In the order in which they were made.
    units: Vec<Unit>,
    /// Where those lie that are left.
    there: There,
}

/// A record, or the records of one call that together take back another unit.
#[derive(Default)]
struct Unit {
    /// The number of the call.
    call: usize,
    /// In the order in which they were made.
    records: Vec<Address>,
    /// What they touch.
    paths: BTreeSet<String>,
    /// The first of them that takes something away.
    takes_away: Option<Address>,
    /// The unit that they take back, if it is one of these calls that made it.
    undoes: Option<usize>,
    is_left: bool,
    /// The unit that they go away with, or have brought back to where it was; and whether it is left with that.
    turns: Option<(usize, bool)>,
    /// The unit that has turned this one last.
    turned_by: Option<usize>,
    /// Of the calls that are not meant: the unit of those that are which has to be taken back, so that it is as it would be without
    /// them.
    turned_for: Option<usize>,
}

impl<M: Fn(usize) -> bool> Remains<M> {
    /// Looks at some calls, the newest first.
    pub(crate) fn of<V: Volume>(entries: &Entries<V>, calls: &[Entry], is_meant: M) -> Result<Self, Failure> {
        let mut remains = Self { is_meant, units: units(entries, calls)?, there: There::default() };
        for number in 0..remains.units.len() {
            remains.come_to(number);
        }
        Ok(remains)
    }

    /// What comes of a unit, when those before it have come to something.
    fn come_to(&mut self, number: usize) {
        let unit = &self.units[number];
        if let Some(target) = unit.undoes {
            let (base, was_left) = self.units[target].turns.unwrap_or((target, true));
            if self.units[base].is_left == was_left && self.is_free(base, unit) {
                let is_meant = (self.is_meant)(unit.call);
                self.units[number].turns = Some((base, !was_left));
                let turned = &mut self.units[base];
                turned.turned_by = Some(number);
                turned.turned_for = Some(number).filter(|_| is_meant && turned.turned_for.is_none());
                self.set_left(base, !was_left);
                return;
            }
        }
        self.set_left(number, true);
    }

    fn set_left(&mut self, number: usize, is_left: bool) {
        let unit = &mut self.units[number];
        unit.is_left = is_left;
        self.there.set(&unit.paths, number, is_left);
    }

    /// True if another unit touches the same as this one, and nothing that is left came after it and does so.
    fn is_free(&self, base: usize, with: &Unit) -> bool {
        let paths = &self.units[base].paths;
        *paths == with.paths && !paths.iter().any(|path| self.there.is_touched_after(path, base))
    }

    /// All that is left of the calls that are meant, the newest first. What others have taken back is theirs to bring back.
    pub(crate) fn all(&self) -> Vec<Left> {
        let (mut left, mut by_others) = (Vec::new(), BTreeSet::new());
        for (number, unit) in self.units.iter().enumerate().rev() {
            let is_meant = (self.is_meant)(unit.call);
            if let Some(by) = unit.turned_for.filter(|_| !is_meant) {
                let Unit { call, records, .. } = &self.units[by];
                left.extend(records.iter().rev().map(|record| Left {
                    record: *record,
                    lies: None,
                    call: *call,
                }));
            } else if unit.is_left && !is_meant {
                by_others.extend(unit.undoes);
            } else if unit.is_left && !by_others.contains(&number) {
                left.extend(unit.records.iter().rev().map(|record| self.left(number, *record)));
            }
        }
        left
    }

    /// What has to be taken back so that what stands of a call does not stand any more, the newest first: what is left of its
    /// own records, or else of those that have brought them back.
    pub(crate) fn standing<V: Volume>(&self, entries: &Entries<V>, call: usize) -> Vec<Left> {
        let (mut left, mut brought_back) = (Vec::new(), BTreeSet::new());
        for (number, unit) in self.units.iter().enumerate().rev() {
            let origins: Vec<usize> = self.origins(number).collect();
            let is_of_call = origins.last().is_some_and(|origin| self.units[*origin].call == call);
            if !unit.is_left || !is_of_call {
                continue;
            }
            let takes_back = origins.len().is_multiple_of(2);
            if !takes_back && !brought_back.contains(&number) {
                let stands = |(_, id): &&Address| entries.stands(*id);
                left.extend(
                    unit.records.iter().rev().filter(stands).map(|record| self.left(number, *record)),
                );
            }
            brought_back.extend(origins);
        }
        left
    }

    /// A unit, the one that it takes back, the one that this takes back, and so on.
    fn origins(&self, number: usize) -> impl Iterator<Item = usize> {
        iter::successors(Some(number), |number| self.units[*number].undoes)
    }

    /// A record of a unit.
    fn left(&self, number: usize, record: Address) -> Left {
        let unit = &self.units[number];
        let origin = self.origins(number).last().unwrap_or(number);
        // One record is brought back by those of one unit, which take away first what the record has taken away.
        let by = unit.turned_by.filter(|_| unit.records.len() == 1);
        let lies = by.and_then(|by| self.units[by].takes_away);
        Left { record, lies, call: self.units[origin].call }
    }
}

/// The records of some calls, which are given the newest first, in the order in which they were made.
fn units<V: Volume>(entries: &Entries<V>, calls: &[Entry]) -> Result<Vec<Unit>, Failure> {
    let (mut units, mut unit_of) = (Vec::<Unit>::new(), BTreeMap::new());
    for (number, call) in calls.iter().enumerate().rev() {
        let first = units.len();
        for address in call.records.iter().rev() {
            let Some(record) = entries.record(*address)? else { continue };
            let undoes = entries.undoes(call, &record).and_then(|undoes| unit_of.get(&undoes).copied());
            let goes_on = undoes.is_some() && units.len() > first;
            if !goes_on || units.last().is_none_or(|last| last.undoes != undoes) {
                units.push(Unit { call: number, undoes, ..Unit::default() });
            }
            unit_of.insert(address.1, units.len() - 1);
            if let Some(unit) = units.last_mut() {
                unit.records.push(*address);
                unit.paths.extend(entries.paths().touched(&record));
                let takes_away = matches!(record.action, Action::Remove(_)).then_some(*address);
                unit.takes_away = unit.takes_away.or(takes_away);
            }
        }
    }
    Ok(units)
}

/// Which units touch a path.
#[derive(Default)]
struct There(BTreeMap<String, BTreeSet<usize>>);

impl There {
    fn set(&mut self, paths: &BTreeSet<String>, unit: usize, is_there: bool) {
        for path in paths {
            if is_there {
                self.0.entry(path.clone()).or_default().insert(unit);
            } else if let Some(units) = self.0.get_mut(path) {
                units.remove(&unit);
                if units.is_empty() {
                    self.0.remove(path);
                }
            }
        }
    }

    /// True if a unit behind this one touches a path, something above it or something below it.
    fn is_touched_after(&self, path: &str, unit: usize) -> bool {
        near(&self.0, path).any(|units| units.last().is_some_and(|last| *last > unit))
    }
}
