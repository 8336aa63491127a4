//! The content of the log after writes, removals and damage.

mod format_2;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use proptest::prelude::*;

use super::Id;
use super::file::{Check, Stored, Writer};
use super::prune::prune;
use super::record::{Action, Location, Member, Move, Object, Record};
use super::remove::RemovalCause;
use crate::state::State;
use crate::state::control::Control;
use fsgate_contract::limits::{LOG_FILE_BYTES, RECORD_HEADER_BYTES};
use fsgate_volume::Volume;
use fsgate_volume::bytes::write_all;
use fsgate_volume::memory::{Item, Memory};
use fsgate_volume::settings::Quota;

fn add(state: &State<Memory>, id: Id, body: usize) -> Vec<u8> {
    add_as(state, record(id), (0..body).map(|n| n as u8 ^ moment(id) as u8).collect())
}

fn add_as(state: &State<Memory>, record: Record, body: Vec<u8>) -> Vec<u8> {
    let id = record.id;
    let file = state.open_for(id, body.len() as u64).unwrap();
    let mut writer = Writer::begin(&state.volume, file, state.now().end, &record, body.len() as u64).unwrap();
    writer.add(&body).unwrap();
    let stored = writer.end(record, false).unwrap();
    state.set(Control { begun: Some(id), ..state.now() }).unwrap();
    assert_eq!(state.under_way().unwrap().len(), 1);
    state.set(Control { begun: None, end: stored.end(), last: id, ..state.now() }).unwrap();
    body
}

fn at(moment: u128) -> Id {
    Id(moment << 64)
}

fn moment(id: Id) -> u128 {
    id.0 >> 64
}

fn record(id: Id) -> Record {
    let place = |name: &str| Location {
        grant: "/w".to_owned(),
        root: Id(7),
        above: Vec::new(),
        between: Vec::new(),
        directory: Id(7),
        below: Vec::new(),
        name: name.to_owned(),
    };
    let action = match moment(id) % 3 {
        1 | 2 => Action::Checkpoint { label: "here".to_owned(), roots: Vec::new() },
        _ => Action::Move(Move {
            from: place("old"),
            to: place("new"),
            made: 0,
            object: Object::File { size: 0 },
            identity: Id(8),
            links: None,
            replaced: None,
        }),
    };
    let tool = "any".to_owned();
    Record { id, group: None, session: Id(1), tool, undoes: None, power: false, scope: None, action }
}

fn waiting(state: &State<Memory>, id: Id, body: &[u8]) -> Stored<Memory> {
    let file = Rc::new(state.volume.create_file(&state.waiting, &id.to_string()).unwrap());
    let mut writer = Writer::begin(&state.volume, file, 0, &record(id), body.len() as u64).unwrap();
    writer.add(body).unwrap();
    writer.end(record(id), false).unwrap()
}

#[derive(Debug, Clone)]
enum Step {
    Add(usize),
    /// A crash during a write.
    Torn(usize),
    Forget(Vec<prop::sample::Index>),
    ForgetWaiting,
    ForgetOldest(prop::sample::Index),
    /// A pending record is completed after some later ones.
    Insert(prop::sample::Index, usize),
    /// Another process opens the directory.
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let body = || prop_oneof![4 => 0..300_usize, 2 => 50_000..200_000_usize, 1 => Just(300_000)];
    prop_oneof![
        6 => body().prop_map(Step::Add),
        1 => body().prop_map(Step::Torn),
        2 => prop::collection::vec(any::<prop::sample::Index>(), 1..4).prop_map(Step::Forget),
        1 => Just(Step::ForgetWaiting),
        1 => any::<prop::sample::Index>().prop_map(Step::ForgetOldest),
        1 => (any::<prop::sample::Index>(), body()).prop_map(|(at, body)| Step::Insert(at, body)),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn what_was_done_is_found_until_it_is_forgotten(steps in prop::collection::vec(step(), 1..40)) {
        let volume = Memory::default();
        let mut state = State::open(volume.clone()).ok().unwrap();
        let mut known: BTreeMap<Id, Vec<u8>> = BTreeMap::new();
        let (mut next, mut removed) = (1_000_u128, None);
        for step in steps {
            state.refresh().unwrap();
            next += 1_000;
            let id = at(next);
            match step {
                Step::Add(body) => drop(known.insert(id, add(&state, id, body))),
                Step::Torn(body) => {
                    let file = state.open_for(id, body as u64).unwrap();
                    write_all(&state.volume, &file, state.now().end, &vec![7; body]).unwrap();
                }
                Step::Forget(which) => {
                    let ids: Vec<_> = known.keys().copied().collect();
                    let ids = which.iter().filter(|_| !ids.is_empty()).map(|index| *index.get(&ids));
                    let ids: BTreeSet<Id> = ids.collect();
                    state.forget(&ids, &[], RemovalCause::Requested).unwrap();
                    known.retain(|id, _| !ids.contains(id));
                }
                Step::ForgetWaiting => {
                    waiting(&state, id, b"");
                    state.forget(&BTreeSet::from([id]), &[], RemovalCause::Requested).unwrap();
                    prop_assert!(volume.at("waiting").snapshot().is_empty());
                }
                Step::ForgetOldest(which) => {
                    let ids: BTreeSet<Id> =
                        known.keys().copied().take(which.index(known.len() + 1)).collect();
                    state.forget(&ids, &[], RemovalCause::Quota).unwrap();
                    known.retain(|id, _| !ids.contains(id));
                    removed = removed.max(ids.last().copied());
                }
                Step::Insert(at, body) => {
                    // Not an id that is still to come.
                    let id = self::at(500 + at.index(next as usize - 1_000) as u128);
                    if let Entry::Vacant(entry) = known.entry(id) {
                        let body = vec![9; body];
                        state.insert(&waiting(&state, id, &body)).unwrap();
                        state.volume.remove_file(&state.waiting, &id.to_string()).unwrap();
                        entry.insert(body);
                    }
                }
                Step::Reopen => state = State::open(volume.clone()).ok().unwrap(),
            }
            let mut found = Vec::new();
            for name in state.files().unwrap().iter() {
                let page = state.page(*name).unwrap().unwrap();
                prop_assert!(page.spans.iter().all(|span| span.id >= *name));
                found.extend(page.spans.iter().map(|span| span.id));
            }
            prop_assert_eq!(&found, &known.keys().copied().collect::<Vec<_>>());
            for id in [Some(Id(1)), removed, Some(at(next + 1))].into_iter().flatten() {
                let is_oldest = known.keys().all(|known| *known > id);
                prop_assert_eq!(state.may_have_pruned(id).unwrap(), removed.is_some() && is_oldest);
            }
            for (id, body) in &known {
                let stored = state.done(*id, Check::Whole).unwrap().unwrap();
                prop_assert_eq!(&stored.read(&state.volume, 0, body.len() + 1).unwrap(), body);
            }
            prop_assert!(!state.is_done(at(next + 1)).unwrap() && !state.is_done(Id(1)).unwrap());
            prop_assert!(!state.now().unsettled && volume.at("tmp").snapshot().is_empty());
        }
    }
}

#[test]
fn what_is_no_file_of_records_is_passed_over() {
    let volume = Memory::default();
    let state = State::open(volume.clone()).ok().unwrap();
    add(&state, Id(5), 10);
    for (id, item) in [
        (3, Item::Directory),
        (4, Item::File(b"no record".to_vec())),
        (6, Item::Link("../control".to_owned())),
    ] {
        volume.put(&format!("log/{}", Id(id)), item);
    }
    let state = State::open(volume).ok().unwrap();
    for (id, expected) in [(3, false), (4, false), (5, true), (6, false), (7, false)] {
        assert_eq!(state.is_done(Id(id)), Ok(expected), "{id}");
    }
}

/// A header has at most as many bytes as its readers take.
#[test]
fn a_record_that_no_reader_would_take_is_not_written() {
    let state = State::open(Memory::default()).ok().unwrap();
    for (label, is_written) in [(RECORD_HEADER_BYTES - 1_000, true), (RECORD_HEADER_BYTES, false)] {
        let action = Action::Checkpoint { label: "x".repeat(label), roots: Vec::new() };
        let file = state.open_for(at(1), 0).unwrap();
        let begun = Writer::begin(&state.volume, file, 0, &Record { action, ..record(at(1)) }, 0);
        assert_eq!(begun.is_ok(), is_written, "{label}");
    }
}

/// A pending record stays, with the records that decide its outcome; younger records go.
#[test]
fn what_waits_is_not_forgotten_by_itself() {
    let state = State::open(Memory::default()).ok().unwrap();
    let member = |group| Some(Member { id: at(group), state: state.identity });
    let ids = [1, 2, 3, 4, 5, 6, 7].map(at);
    for (id, group) in ids.into_iter().zip([None, None, member(2), member(2), None, None, None]) {
        let record = Record { group, ..record(id) };
        let action = if id == at(2) { Action::Group { states: Vec::new() } } else { record.action };
        add_as(&state, Record { action, ..record }, Vec::new());
    }
    for id in [3, 5].map(at) {
        let stored = state.done(id, Check::Whole).unwrap().unwrap();
        state.set_aside(&stored, &state.waiting).unwrap();
    }
    let quota = Quota { bytes: u64::MAX, entries: 1, age: Duration::MAX };
    prune(&state, &quota, Duration::ZERO).unwrap();
    let left: Vec<_> = ids.into_iter().filter(|id| state.is_done(*id).unwrap()).collect();
    assert_eq!(left, [2, 3, 4, 5, 7].map(at));
    assert_eq!(state.ids(&state.waiting).unwrap(), [3, 5].map(at));
}

/// Damage loses one record only, wherever it is. A record inside the body of another one is not
/// found.
#[test]
fn a_damaged_record_is_alone() {
    let log = |volume: &Memory, id: Id| match volume.snapshot().remove(&format!("log/{id}")) {
        Some(Item::File(bytes)) => bytes,
        found => panic!("{found:?}"),
    };
    let elsewhere = Memory::default();
    add(&State::open(elsewhere.clone()).ok().unwrap(), at(9), 10);
    let planted = log(&elsewhere, at(9));
    let volume = Memory::default();
    let state = State::open(volume.clone()).ok().unwrap();
    let ids = [1, 2, 3, 4].map(at);
    let bodies =
        ids.map(|id| add_as(&state, record(id), if id == at(2) { planted.clone() } else { vec![7; 40] }));
    let name = format!("log/{}", at(1));
    let bytes = log(&volume, at(1));
    let (mut lost, mut tried) = ([0; 4], 0);
    for place in 0..bytes.len() {
        for bit in [1, 0x80] {
            let mut damaged = bytes.clone();
            damaged[place] ^= bit;
            volume.put(&name, Item::File(damaged));
            let state = State::open(volume.clone()).ok().unwrap();
            let is_whole = |(id, body): (&Id, &Vec<u8>)| {
                let stored = state.done(*id, Check::Whole).unwrap();
                stored.is_some_and(|stored| stored.read(&state.volume, 0, body.len() + 1).unwrap() == *body)
            };
            let gone: Vec<_> =
                ids.iter().zip(&bodies).map(is_whole).enumerate().filter(|(_, is)| !is).collect();
            assert_eq!(gone.len(), 1, "{place}: {gone:?}");
            assert!(!state.is_done(at(9)).unwrap(), "{place}");
            lost[gone[0].0] += 1;
            tried += 1;
        }
    }
    assert_eq!(lost.iter().sum::<i32>(), tried);
    assert!(lost.iter().all(|lost| *lost > 100), "{lost:?}");
}

/// An empty file of the log has the newest id, so that records after a clock change still sort
/// after it.
#[test]
fn nothing_older_is_written_behind_the_name_of_a_file() {
    let volume = Memory::default();
    let state = State::open(volume.clone()).ok().unwrap();
    add(&state, at(1), 10);
    for id in [5, 9].map(at) {
        state.open_for(id, LOG_FILE_BYTES + 1).unwrap();
        assert_eq!(State::open(volume.clone()).ok().unwrap().now().last, id);
    }
}

#[test]
fn what_is_damaged_in_two_places_ends_all_the_same() {
    let volume = Memory::default();
    let state = State::open(volume.clone()).ok().unwrap();
    let ids = [1 << 8, 2 << 8, 3 << 8, 4 << 8].map(at);
    for id in ids {
        add(&state, id, 40);
    }
    let name = format!("log/{}", ids[0]);
    let Some(Item::File(bytes)) = volume.snapshot().remove(&name) else { panic!("no log") };
    let spans = state.page(ids[0]).unwrap().unwrap().spans.clone();
    for (one, other) in [(0, 1), (1, 2), (2, 3), (0, 3)] {
        for (first, second) in [(1, 1), (1, 30), (30, 1), (18, 18), (24, 2), (100, 1), (1, 100), (30, 30)] {
            let mut damaged = bytes.clone();
            damaged[spans[one].at as usize + first] ^= 2;
            damaged[spans[other].at as usize + second] ^= 4;
            volume.put(&name, Item::File(damaged));
            let state = State::open(volume.clone()).ok().unwrap();
            let found = ids.map(|id| state.done(id, Check::Whole).unwrap().is_some());
            for (number, is_there) in found.into_iter().enumerate() {
                let is_damaged = number == one || number == other;
                // A wrong length before an unreadable record hides the records after it.
                let is_behind = first != 1 && second != 1 && number > one;
                assert!(is_damaged != is_there || is_behind, "{one} {first}, {other} {second}: {found:?}");
            }
        }
    }
}

#[test]
fn a_damaged_id_is_known_by_its_neighbours() {
    let volume = Memory::default();
    let state = State::open(volume.clone()).ok().unwrap();
    let ids = [1 << 8, 2 << 8, 3 << 8].map(at);
    for id in ids {
        add(&state, id, 40);
    }
    let name = format!("log/{}", ids[0]);
    let Some(Item::File(bytes)) = volume.snapshot().remove(&name) else { panic!("no log") };
    for span in &state.page(ids[0]).unwrap().unwrap().spans {
        for bit in 0..64 {
            let mut damaged = bytes.clone();
            damaged[span.at as usize + 16 + bit / 8] ^= 1 << (bit % 8);
            volume.put(&name, Item::File(damaged));
            let state = State::open(volume.clone()).ok().unwrap();
            let found: Vec<_> =
                state.page(ids[0]).unwrap().unwrap().spans.iter().map(|span| span.id).collect();
            let moved: Vec<_> = ids.iter().zip(&found).filter(|(id, found)| id != found).collect();
            assert!(
                found.len() == 3
                    && found.is_sorted()
                    && moved.iter().all(|(_, found)| **found > ids[0] && **found < ids[2]),
                "{bit}: {found:?}"
            );
        }
    }
}
