//! A model of four contenders for one lock. Random schedules of their volume calls have deaths
//! after any call, stalls, differing clocks and faults. Two owners never exist, and the next
//! contender always gets the lock.
//!
//! `FSGATE_SOAK=1` runs twenty times as many schedules.

use std::cell::Cell;
use std::time::Duration;

use super::scheduled_volume::{Habits, LeaseWorld, ScheduledVolume, StepFailure};
use super::take;
use fsgate_contract::limits::{LEASE, LEASE_GRACE};

const CONTENDERS: usize = 4;
const CALLS: usize = 400;
const EVERYTHING: usize = 100_000;

struct ScheduleKind {
    schedules: u64,
    habits: Habits,
    /// One call in so many fails; 0 for none.
    faults: u64,
}

#[test]
fn there_are_never_two_owners() {
    judge(&ScheduleKind { schedules: 6_000, habits: Habits::DISK, faults: 0 });
}

#[test]
fn there_are_never_two_owners_without_links() {
    let habits = Habits { links: false, bytes_at_once: 30, ..Habits::DISK };
    judge(&ScheduleKind { schedules: 3_000, habits, faults: 0 });
}

#[test]
fn there_are_never_two_owners_whose_clocks_differ() {
    judge(&ScheduleKind {
        schedules: 3_000,
        habits: Habits { margin: LEASE_GRACE, ..Habits::DISK },
        faults: 0,
    });
}

#[test]
fn there_are_never_two_owners_where_calls_fail() {
    judge(&ScheduleKind { schedules: 3_000, habits: Habits::DISK, faults: 40 });
    judge(&ScheduleKind {
        schedules: 3_000,
        habits: Habits { links: false, bytes_at_once: 30, ..Habits::DISK },
        faults: 40,
    });
}

#[test]
fn there_are_never_two_owners_where_listings_tear() {
    judge(&ScheduleKind {
        schedules: 3_000,
        habits: Habits { listings_tear: true, ..Habits::DISK },
        faults: 0,
    });
}

#[expect(clippy::print_stderr, reason = "how much was tried is worth knowing")]
fn judge(kind: &ScheduleKind) {
    let times = if std::env::var_os("FSGATE_SOAK").is_some() { 20 } else { 1 };
    let schedules = kind.schedules * times;
    let tally = ModelTally::default();
    for seed in 0..schedules {
        schedule(kind, seed, &tally);
    }
    let ModelTally { grants, renewals, deaths } = &tally;
    let (grants, renewals, deaths) = (grants.get(), renewals.get(), deaths.get());
    eprintln!("{schedules} schedules: {grants} grants, {renewals} renewals, {deaths} deaths of owners");
    // A model in which nothing happens proves nothing.
    assert!(grants > schedules && renewals > schedules / 20 && deaths > schedules / 20);
}

#[derive(Default)]
struct ModelTally {
    grants: Cell<u64>,
    renewals: Cell<u64>,
    deaths: Cell<u64>,
}

fn count(tally: &Cell<u64>) {
    tally.set(tally.get() + 1);
}

struct Life<'w> {
    volume: ScheduledVolume<'w>,
    owner: u128,
    writes: u64,
    owns: Cell<bool>,
}

fn schedule(kind: &ScheduleKind, seed: u64, tally: &ModelTally) {
    let world = &LeaseWorld::new(kind.habits);
    let dice = &Dice(Cell::new(seed));
    let born = Cell::new(0_u128);
    let new = || {
        born.set(born.get() + 1);
        let fails = move || match dice.below(kind.faults.max(1)) {
            0 if kind.faults > 0 && dice.below(2) == 0 => Some(StepFailure::Before),
            0 if kind.faults > 0 => Some(StepFailure::After),
            _ => None,
        };
        let most = u64::try_from(kind.habits.margin.as_nanos()).unwrap();
        let ahead = Duration::from_nanos(dice.below(most.max(1)));
        let volume = ScheduledVolume::new(world, ahead, fails);
        Life { volume, owner: born.get(), writes: dice.below(8), owns: Cell::new(false) }
    };
    let mut lives: Vec<_> = (0..CONTENDERS).map(|_| new()).collect();
    let mut calls = 0;
    while calls < CALLS {
        let who = dice.below(CONTENDERS as u64) as usize;
        if dice.below(10) == 0 {
            let times = [1, 50, 1_000, 3_000, 5_500, 5_500, 6_500, 11_000];
            world.wait(Duration::from_millis(times[dice.below(times.len() as u64) as usize]));
        }
        if dice.below(40) == 0 {
            if lives[who].owns.get() {
                count(&tally.deaths);
            }
            lives[who] = new();
        }
        // Single steps, and long runs while the rest stands still.
        let steps = [1, 1, 1, 2, 5, 12, 40][dice.below(7) as usize];
        calls += steps;
        if live(&lives[who], steps, tally).is_some() {
            lives[who] = new();
        }
    }
    drop(lives);
    world.wait(LEASE + kind.habits.margin);
    heals(world);
}

fn live(life: &Life<'_>, steps: usize, tally: &ModelTally) -> Option<()> {
    let Life { volume, owner, writes, owns } = life;
    let (granted, renewed) = (Cell::new(0), Cell::new(0));
    let end = volume.run(steps, |volume| {
        let directory = fsgate_volume::Volume::root(volume);
        let Ok(mut lease) = take(volume, &directory, *owner, Duration::from_millis(20)) else { return };
        if volume.own(*owner, lease.end) {
            granted.set(1);
        }
        for _ in 0..*writes {
            let before = lease.number;
            if lease.renew().is_err() {
                break;
            }
            if volume.own(*owner, lease.end) && lease.number != before {
                renewed.set(renewed.get() + 1);
            }
        }
        volume.leave(*owner);
        let _ = lease.release();
    });
    owns.set(granted.get() > 0);
    if end.is_some() {
        tally.grants.set(tally.grants.get() + granted.get());
        tally.renewals.set(tally.renewals.get() + renewed.get());
    }
    end
}

pub(super) fn heals(world: &LeaseWorld) {
    for _ in 0..2 {
        let volume = ScheduledVolume::new(world, Duration::ZERO, || None);
        let granted = volume.run(EVERYTHING, |volume| {
            let directory = fsgate_volume::Volume::root(volume);
            let lease = take(volume, &directory, u128::MAX, Duration::ZERO).expect("the lock is free");
            assert!(volume.own(u128::MAX, lease.end));
            let names: Vec<_> = world.memory.snapshot().into_keys().collect();
            assert_eq!(names, [lease.number.to_string()]);
            volume.leave(u128::MAX);
            lease.release().unwrap();
        });
        assert!(granted.is_some());
    }
}

/// SplitMix64: small, and random enough for schedules.
struct Dice(Cell<u64>);

impl Dice {
    fn below(&self, end: u64) -> u64 {
        self.0.set(self.0.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
        let mut mixed = self.0.get();
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}
