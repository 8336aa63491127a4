//! A model of four contenders for one lock, of which some hold the operating system's lock as well.
//! Random schedules of their volume calls have deaths after any call, stalls, differing clocks and
//! faults. Two owners never exist, and the next contender always gets the lock.
//!
//! `FSGATE_SOAK=1` runs twenty times as many schedules.

use std::cell::Cell;
use std::time::Duration;

use super::scheduled_volume::{Habits, LeaseWorld, ScheduledVolume, StepFailure};
use super::{IN_PLACE, InPlaceLease, Lease, LeaseRefused};
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
    let ModelTally { grants, in_place, renewals, deaths } = &tally;
    let (grants, in_place) = (grants.get(), in_place.get());
    let (renewals, deaths) = (renewals.get(), deaths.get());
    eprintln!(
        "{schedules} schedules: {grants} grants, {in_place} of them in place, {renewals} renewals, {deaths} deaths of owners"
    );
    // A model in which nothing happens proves nothing.
    assert!(grants > schedules / 2 && renewals > schedules / 20 && deaths > schedules / 20);
    assert!(in_place > grants / 10 && in_place < grants / 10 * 9);
}

#[derive(Default)]
struct ModelTally {
    grants: Cell<u64>,
    in_place: Cell<u64>,
    renewals: Cell<u64>,
    deaths: Cell<u64>,
}

fn count(tally: &Cell<u64>) {
    tally.set(tally.get() + 1);
}

struct Life<'w> {
    volume: ScheduledVolume<'w>,
    owner: u128,
    /// With the operating system's lock.
    in_place: bool,
    writes: u64,
    owns: Cell<bool>,
}

/// A lease of either kind.
trait AnyLease {
    fn renew(&mut self) -> Result<(), LeaseRefused>;
    fn end(&self) -> Duration;
}

impl AnyLease for Lease<&ScheduledVolume<'_>> {
    fn renew(&mut self) -> Result<(), LeaseRefused> {
        self.renew()
    }

    fn end(&self) -> Duration {
        self.end
    }
}

impl AnyLease for InPlaceLease<&ScheduledVolume<'_>> {
    fn renew(&mut self) -> Result<(), LeaseRefused> {
        self.renew()
    }

    fn end(&self) -> Duration {
        self.end
    }
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
        let (in_place, writes) = (dice.below(2) == 0, dice.below(8));
        Life { volume, owner: born.get(), in_place, writes, owns: Cell::new(false) }
    };
    let mut lives: Vec<_> = (0..CONTENDERS).map(|_| new()).collect();
    let mut calls = 0;
    while calls < CALLS {
        let who = dice.below(CONTENDERS as u64) as usize;
        if dice.below(10) == 0 {
            let times = [1, 50, 1_000, 3_000, 5_500, 5_500, 6_500, 11_000];
            let time = Duration::from_millis(times[dice.below(times.len() as u64) as usize]);
            if dice.below(4) == 0 { world.suspend(time) } else { world.wait(time) }
        }
        if dice.below(40) == 0 {
            if lives[who].owns.get() {
                count(&tally.deaths);
            }
            world.end(lives[who].owner);
            lives[who] = new();
        }
        // Single steps, and long runs while the rest stands still.
        let steps = [1, 1, 1, 2, 5, 12, 40][dice.below(7) as usize];
        calls += steps;
        if live(&lives[who], steps, tally).is_some() {
            lives[who] = new();
        }
    }
    lives.iter().for_each(|life| world.end(life.owner));
    world.wait(LEASE + kind.habits.margin);
    heals(world);
}

fn live(life: &Life<'_>, steps: usize, tally: &ModelTally) -> Option<()> {
    let Life { volume, owner, in_place, writes, owns } = life;
    let (granted, renewed) = (Cell::new(0), Cell::new(0));
    let end = volume.run(steps, |volume| {
        if *in_place && !volume.lock(*owner) {
            return;
        }
        if let Some(mut lease) = taken(volume, *owner, *in_place) {
            if volume.own(*owner, lease.end()) {
                granted.set(1);
            }
            for _ in 0..*writes {
                let before = lease.end();
                if lease.renew().is_err() {
                    break;
                }
                if volume.own(*owner, lease.end()) && lease.end() != before {
                    renewed.set(renewed.get() + 1);
                }
            }
            volume.leave(*owner);
        }
        volume.unlock(*owner);
    });
    owns.set(granted.get() > 0);
    if end.is_some() {
        let count = |tally: &Cell<u64>, more| tally.set(tally.get() + more);
        count(&tally.grants, granted.get());
        count(&tally.renewals, renewed.get());
        if *in_place {
            count(&tally.in_place, granted.get());
        }
    }
    end
}

fn taken<'v>(volume: &'v ScheduledVolume<'_>, owner: u128, in_place: bool) -> Option<Box<dyn AnyLease + 'v>> {
    let (locks, patience) = (volume.locks(), Duration::from_millis(20));
    Some(if in_place {
        Box::new(locks.take_in_place(owner, patience).ok()?)
    } else {
        Box::new(locks.take(owner, patience).ok()?)
    })
}

pub(super) fn heals(world: &LeaseWorld) {
    for _ in 0..2 {
        let volume = ScheduledVolume::new(world, Duration::ZERO, || None);
        let granted = volume.run(EVERYTHING, |volume| {
            let locks = volume.locks();
            let lease = locks.take_in_place(u128::MAX, Duration::ZERO).expect("the lock is free");
            assert!(volume.own(u128::MAX, lease.end));
            volume.leave(u128::MAX);
            drop(lease);
            let lease = locks.take(u128::MAX, Duration::ZERO).expect("the lock is free");
            assert!(volume.own(u128::MAX, lease.end));
            let names: Vec<_> = world.memory.snapshot().into_keys().collect();
            assert_eq!(names, [lease.number.to_string(), IN_PLACE.to_owned()]);
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
