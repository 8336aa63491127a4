//! The net effect of calls, some of which undo earlier ones.
//!
//! Calls are undone record by record, the newest first, so that each finds the state that it left.
//! An undone record need not come back for that: it cancels out with its undo if both touch the
//! same paths and no remaining record in between does. Otherwise both remain, for example if a
//! restored file's directory was created anew.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use super::entries::{Address, Entries, Entry};
use super::paths::near;
use fsgate_error::Failure;
use fsgate_journal::record::Action;
use fsgate_volume::Volume;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RemainingRecord {
    pub(crate) record: Address,
    /// The record that restored this one last, whose id its object may have in the trash.
    pub(crate) trash_entry: Option<Address>,
    /// The number of the call that is undone with it.
    pub(crate) call: usize,
}

pub(crate) struct NetEffect<M> {
    /// Selects calls by number.
    is_meant: M,
    /// In chronological order.
    units: Vec<EffectUnit>,
    there: RemainingUnits,
}

/// A record, or the records of one call that together undo another unit.
#[derive(Default)]
struct EffectUnit {
    call: usize,
    /// In chronological order.
    records: Vec<Address>,
    /// The touched paths.
    paths: BTreeSet<String>,
    /// The first removal among them.
    takes_away: Option<Address>,
    /// The undone unit, if it is of one of these calls.
    undoes: Option<usize>,
    is_left: bool,
    /// The unit that this one cancels or restores, and true for restoring.
    turns: Option<(usize, bool)>,
    /// The unit that changed this one last.
    turned_by: Option<usize>,
    /// For a call that is not selected: the selected unit to undo, so that this one is as without
    /// it.
    turned_for: Option<usize>,
}

impl<M: Fn(usize) -> bool> NetEffect<M> {
    pub(crate) fn of<V: Volume>(entries: &Entries<V>, calls: &[Entry], is_meant: M) -> Result<Self, Failure> {
        let mut effect = Self { is_meant, units: units(entries, calls)?, there: RemainingUnits::default() };
        for number in 0..effect.units.len() {
            effect.come_to(number);
        }
        Ok(effect)
    }

    /// Adds a unit to the net effect of the earlier ones.
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

    /// True if both units touch the same paths and no remaining later one does.
    fn is_free(&self, base: usize, with: &EffectUnit) -> bool {
        let paths = &self.units[base].paths;
        *paths == with.paths && !paths.iter().any(|path| self.there.is_touched_after(path, base))
    }

    /// The remaining records of the selected calls, the newest first. An undo by another call
    /// stays.
    pub(crate) fn all(&self) -> Vec<RemainingRecord> {
        let (mut left, mut by_others) = (Vec::new(), BTreeSet::new());
        for (number, unit) in self.units.iter().enumerate().rev() {
            let is_meant = (self.is_meant)(unit.call);
            if let Some(by) = unit.turned_for.filter(|_| !is_meant) {
                let EffectUnit { call, records, .. } = &self.units[by];
                left.extend(records.iter().rev().map(|record| RemainingRecord {
                    record: *record,
                    trash_entry: None,
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

    /// The records to undo, the newest first, so that nothing of a call stays in effect: its own
    /// remaining ones, or those that restored them.
    pub(crate) fn standing<V: Volume>(&self, entries: &Entries<V>, call: usize) -> Vec<RemainingRecord> {
        let (mut left, mut brought_back) = (Vec::new(), BTreeSet::new());
        for (number, unit) in self.units.iter().enumerate().rev() {
            let origins: Vec<usize> = self.origins(number).collect();
            let is_of_call = origins.last().is_some_and(|origin| self.units[*origin].call == call);
            if !unit.is_left || !is_of_call {
                continue;
            }
            let undoes_records = origins.len().is_multiple_of(2);
            if !undoes_records && !brought_back.contains(&number) {
                let is_in_effect = |(_, id): &&Address| entries.is_in_effect(*id);
                left.extend(
                    unit.records.iter().rev().filter(is_in_effect).map(|record| self.left(number, *record)),
                );
            }
            brought_back.extend(origins);
        }
        left
    }

    /// A unit, the one that it undoes, and so on.
    fn origins(&self, number: usize) -> impl Iterator<Item = usize> {
        iter::successors(Some(number), |number| self.units[*number].undoes)
    }

    fn left(&self, number: usize, record: Address) -> RemainingRecord {
        let unit = &self.units[number];
        let origin = self.origins(number).last().unwrap_or(number);
        // A single record is restored by one unit, which first removes what the record has removed.
        let by = unit.turned_by.filter(|_| unit.records.len() == 1);
        let trash_entry = by.and_then(|by| self.units[by].takes_away);
        RemainingRecord { record, trash_entry, call: self.units[origin].call }
    }
}

/// The units of calls, given the newest first, in chronological order.
fn units<V: Volume>(entries: &Entries<V>, calls: &[Entry]) -> Result<Vec<EffectUnit>, Failure> {
    let (mut units, mut unit_of) = (Vec::<EffectUnit>::new(), BTreeMap::new());
    for (number, call) in calls.iter().enumerate().rev() {
        let first = units.len();
        for address in call.records.iter().rev() {
            let Some(record) = entries.record(*address)? else { continue };
            let undoes = entries.undoes(call, &record).and_then(|undoes| unit_of.get(&undoes).copied());
            let goes_on = undoes.is_some() && units.len() > first;
            if !goes_on || units.last().is_none_or(|last| last.undoes != undoes) {
                units.push(EffectUnit { call: number, undoes, ..EffectUnit::default() });
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

#[derive(Default)]
struct RemainingUnits(BTreeMap<String, BTreeSet<usize>>);

impl RemainingUnits {
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

    /// True if a later unit touches a path, one above it or one below it.
    fn is_touched_after(&self, path: &str, unit: usize) -> bool {
        near(&self.0, path).any(|units| units.last().is_some_and(|last| *last > unit))
    }
}
