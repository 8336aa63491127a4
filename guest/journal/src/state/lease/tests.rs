//! One contender: the properties of a lease, foreign files in the directory, and every failing
//! call.

use std::cell::Cell;
use std::time::Duration;

use super::model::heals;
use super::record::LeaseRecord;
use super::scheduled_volume::{Habits, LeaseWorld, ScheduledVolume, StepFailure};
use super::{IN_PLACE, Lease, LeaseLocks, LeaseRefused, unlocked};
use fsgate_contract::limits::{LEASE, LEASE_AHEAD, LEASE_GRACE, LOCK_PAUSES};
use fsgate_contract::types::SpecialKind;
use fsgate_volume::memory::{Item, Memory};
use fsgate_volume::{Abilities, Access, Fault, Volume};

const NOW: Duration = Duration::ZERO;
const SECOND: Duration = Duration::from_secs(1);

fn locks(volume: &Memory) -> LeaseLocks<&Memory> {
    if volume.stat(&volume.root(), IN_PLACE).is_err() {
        volume.put(IN_PLACE, Item::File(unlocked().into_bytes()));
    }
    LeaseLocks::new(volume, volume.root(), volume.root())
}

fn take(volume: &Memory, owner: u128, patience: Duration) -> Result<Lease<&Memory>, LeaseRefused> {
    locks(volume).take(owner, patience)
}

fn is_free(volume: &Memory) -> bool {
    match take(volume, 2, NOW) {
        Ok(lease) => lease.release().is_ok(),
        Err(refused) => {
            assert_eq!(refused, LeaseRefused::Held);
            false
        }
    }
}

/// Numbered files.
fn files(volume: &Memory) -> usize {
    volume.snapshot().into_keys().filter(|name| name != IN_PLACE).count()
}

#[test]
fn a_lease_keeps_others_out_until_it_is_given_back() {
    for links in [true, false] {
        let volume = Memory::default().with_abilities(Abilities { links, ..Memory::ABILITIES });
        for _ in 0..100 {
            let lease = take(&volume, 1, NOW).unwrap();
            assert!(lease.is_mine() && !is_free(&volume));
            lease.release().unwrap();
            let dropped = take(&volume, 1, NOW).unwrap();
            assert!(!is_free(&volume));
            drop(dropped);
            assert!(is_free(&volume));
            assert_eq!(files(&volume), 2);
        }
    }
}

#[test]
fn an_owner_stops_before_others_begin() {
    let volume = Memory::default();
    let mut lease = take(&volume, 1, NOW).unwrap();
    volume.pause(LEASE - LEASE_GRACE);
    assert!(!lease.is_mine() && !is_free(&volume));
    assert_eq!(lease.renew(), Err(LeaseRefused::Held));
    volume.pause(LEASE_GRACE);
    assert!(is_free(&volume));
    lease.release().unwrap();
    assert!(is_free(&volume));
}

/// A slow process has put its record under the number of the lease.
#[test]
fn what_has_its_number_by_now_is_not_taken_for_its_own() {
    let volume = Memory::default();
    let mut lease = take(&volume, 1, NOW).unwrap();
    volume.pause(LEASE / 2);
    let other = LeaseRecord::held(7, 2, volume.wall() + LEASE);
    volume.put(&lease.number.to_string(), Item::File(other.to_text().into_bytes()));
    assert_eq!(lease.renew(), Err(LeaseRefused::Held));
    assert!(!lease.is_mine());
}

#[test]
fn a_lease_is_renewed_from_its_middle_on() {
    let volume = Memory::default();
    let mut lease = take(&volume, 1, NOW).unwrap();
    for _ in 0..20 {
        let number = lease.number;
        volume.pause(LEASE / 4);
        lease.renew().unwrap();
        assert_eq!(lease.number, number);
        volume.pause(LEASE / 4);
        lease.renew().unwrap();
        assert_eq!(lease.number, number + 1);
        assert!(lease.is_mine() && !is_free(&volume));
        assert_eq!(files(&volume), 1);
    }
    lease.release().unwrap();
    assert!(is_free(&volume));
}

#[test]
fn patience_is_kept() {
    let volume = Memory::default();
    let lease = take(&volume, 1, NOW).unwrap();
    let begin = volume.now();
    assert_eq!(take(&volume, 2, SECOND).unwrap_err(), LeaseRefused::Held);
    assert_eq!(volume.now() - begin, SECOND);
    let next = take(&volume, 2, LEASE).unwrap();
    let waited = volume.now() - begin;
    assert!((LEASE..LEASE + LOCK_PAUSES.1).contains(&waited), "{waited:?}");
    assert!(next.is_mine() && !lease.is_mine());
}

#[test]
fn a_lease_ends_when_either_clock_says_so() {
    let volume = Memory::default();
    let lease = take(&volume, 1, NOW).unwrap();
    let day = volume.wall();
    volume.set_wall(day + LEASE);
    assert!(!lease.is_mine());
    volume.set_wall(day - SECOND);
    assert!(lease.is_mine() && !is_free(&volume));
    volume.pause(LEASE - LEASE_GRACE);
    assert!(!lease.is_mine());
}

#[test]
fn an_end_far_ahead_is_not_believed() {
    let set_back = [(NOW, false), (LEASE_AHEAD - LEASE, false), (LEASE_AHEAD, true), (3600 * SECOND, true)];
    for (time, free) in set_back {
        let volume = Memory::default();
        let _lease = take(&volume, 1, NOW).unwrap();
        volume.set_wall(volume.wall() - time);
        assert_eq!(is_free(&volume), free, "set back by {time:?}");
    }
}

#[test]
fn what_is_no_record_stays_and_does_no_harm() {
    let last = u64::MAX.to_string();
    let names = [
        "0",
        "1",
        "2",
        "7",
        "007",
        "+7",
        "-1",
        "7.",
        " 7",
        "18446744073709551616",
        "new-7",
        "x",
        last.as_str(),
    ];
    let items = [Item::Directory, Item::Link("1".to_owned()), Item::Special(SpecialKind::Other)];
    let odd = |name: &str| name.parse::<u64>().is_err() || matches!(name, "007" | "+7");
    for name in names {
        for item in items.iter().cloned().chain(odd(name).then(|| Item::File(b"x".to_vec()))) {
            let volume = Memory::default();
            volume.put(name, item.clone());
            volume.put_undecodable("");
            for _ in 0..5 {
                let mut lease = take(&volume, 1, NOW).unwrap();
                assert!(!is_free(&volume), "`{name}`: {item:?}");
                volume.pause(LEASE / 2);
                lease.renew().unwrap();
                assert!(!is_free(&volume), "`{name}`: {item:?}");
                lease.release().unwrap();
                assert_eq!(volume.snapshot().get(name), Some(&item));
            }
        }
    }
}

#[test]
fn what_comes_while_somebody_owns_takes_nothing_away() {
    let volume = Memory::default();
    let mut lease = take(&volume, 1, NOW).unwrap();
    for higher in 1..4 {
        volume.put(&(lease.number + higher).to_string(), Item::Directory);
    }
    assert!(!is_free(&volume));
    // With the next number taken, the lease cannot be renewed, and no other process gets in.
    volume.pause(LEASE / 2);
    assert_eq!(lease.renew(), Err(LeaseRefused::Held));
    assert!(!is_free(&volume));
    drop(lease);
    volume.pause(LEASE / 2);
    assert!(is_free(&volume));
}

#[test]
fn numbers_end() {
    let free = |number: u64| {
        let volume = Memory::default();
        volume.put(&number.to_string(), Item::File(LeaseRecord::free(7).to_text().into_bytes()));
        volume
    };
    let volume = free(u64::MAX);
    for _ in 0..2 {
        let refused = take(&volume, 1, SECOND).unwrap_err();
        assert!(
            matches!(refused, LeaseRefused::Fault(Fault::Io(text)) if text.contains("18446744073709551615"))
        );
    }
    let volume = free(u64::MAX - 1);
    let mut lease = take(&volume, 1, NOW).unwrap();
    assert!(!is_free(&volume));
    volume.pause(LEASE / 2);
    assert!(matches!(lease.renew(), Err(LeaseRefused::Fault(Fault::Io(_)))));
    lease.release().unwrap();
}

#[test]
fn a_lease_that_is_over_because_it_could_not_be_renewed_says_why() {
    let volume = Memory::default();
    volume.put(&(u64::MAX - 1).to_string(), Item::File(LeaseRecord::free(7).to_text().into_bytes()));
    let mut lease = take(&volume, 1, NOW).unwrap();
    for passed in [LEASE / 2, LEASE] {
        volume.pause(passed);
        assert!(matches!(lease.renew(), Err(LeaseRefused::Fault(Fault::Io(_)))), "{passed:?}");
    }
}

#[test]
fn a_damaged_record_counts_for_a_while() {
    let whole = LeaseRecord::held(1, 2, LeaseWorld::DAY).to_text();
    let half = &whole[..whole.len() / 2];
    for content in ["", "\n", "free", half, "held x y z\n", &format!("{whole}{whole}"), &"7".repeat(100_000)]
    {
        let world = LeaseWorld::new(Habits { bytes_at_once: usize::MAX, ..Habits::DISK });
        let volume = ScheduledVolume::new(&world, Duration::ZERO, || None);
        volume.run(100_000, |volume| {
            let root = volume.root();
            let file = volume.create_file(&root, "5").unwrap();
            volume.write_at(&file, 0, content.as_bytes()).unwrap();
            world.wait(LEASE - SECOND);
            let locks = volume.locks();
            assert_eq!(locks.take(1, NOW).unwrap_err(), LeaseRefused::Held);
            assert!(locks.take_in_place(1, NOW).is_err());
            world.wait(SECOND);
            assert_eq!(locks.take(1, NOW).unwrap().number, 6);
        });
    }
}

#[test]
fn whatever_call_fails_there_is_one_owner_and_then_the_next() {
    for (links, failure) in [true, false]
        .into_iter()
        .flat_map(|links| [StepFailure::Before, StepFailure::After].map(|failure| (links, failure)))
    {
        let habits = Habits { links, bytes_at_once: 30, ..Habits::DISK };
        let mut outcomes = [0; 2];
        for failing in 0.. {
            let world = LeaseWorld::new(habits);
            let calls = Cell::new(0);
            let volume = ScheduledVolume::new(&world, Duration::ZERO, || {
                calls.set(calls.get() + 1);
                (calls.get() == failing + 1).then_some(failure)
            });
            let result = volume.run(100_000, |volume| life_beside_another(&world, volume)).unwrap();
            outcomes[usize::from(result.is_ok())] += 1;
            if calls.get() <= failing {
                break;
            }
            world.wait(LEASE);
            heals(&world);
        }
        // Some faults are reported, others have no effect.
        let [told, harmless] = outcomes;
        assert!(told > 10 && harmless > 2, "{outcomes:?}");
    }
}

fn life_beside_another(world: &LeaseWorld, volume: &ScheduledVolume<'_>) -> Result<(), LeaseRefused> {
    let other = || {
        let volume = ScheduledVolume::new(world, Duration::ZERO, || None);
        volume.run(100_000, |volume| {
            let locks = volume.locks();
            if let Ok(lease) = locks.take(2, NOW) {
                volume.own(2, lease.end);
                volume.leave(2);
            }
        });
    };
    let locks = volume.locks();
    let mut lease = locks.take(1, NOW).inspect_err(|_| other())?;
    volume.own(1, lease.end);
    other();
    world.wait(LEASE / 2);
    let renewed = lease.renew();
    if renewed.is_ok() {
        volume.own(1, lease.end);
    }
    other();
    renewed?;
    world.wait(LEASE / 2);
    other();
    lease.renew()?;
    volume.own(1, lease.end);
    other();
    volume.leave(1);
    Ok(lease.release()?)
}

#[test]
fn a_lease_in_place_excludes_numbers_and_they_exclude_it() {
    let volume = Memory::default();
    let locks = locks(&volume);
    for _ in 0..3 {
        let lease = locks.take_in_place(1, NOW).unwrap();
        assert!(lease.is_mine() && !is_free(&volume));
        drop(lease);
        let numbered = take(&volume, 2, NOW).unwrap();
        assert_eq!(locks.take_in_place(1, NOW).err(), Some(LeaseRefused::Held));
        assert!(numbered.is_mine());
        numbered.release().unwrap();
        assert!(is_free(&volume));
    }
}

#[test]
fn a_dead_lease_in_place_is_taken_over_at_once_by_the_next_holder_of_the_lock() {
    let volume = Memory::default();
    let locks = locks(&volume);
    std::mem::forget(locks.take_in_place(1, NOW).unwrap());
    assert!(!is_free(&volume));
    drop(locks.take_in_place(2, NOW).unwrap());
    assert!(is_free(&volume));
    std::mem::forget(locks.take_in_place(1, NOW).unwrap());
    volume.pause(LEASE);
    assert!(is_free(&volume));
}

#[test]
fn a_lease_in_place_goes_on_after_a_long_sleep_unless_a_number_was_used() {
    for is_used in [false, true] {
        let volume = Memory::default();
        let locks = locks(&volume);
        drop(take(&volume, 2, NOW).unwrap());
        let mut lease = locks.take_in_place(1, NOW).unwrap();
        volume.pause(LEASE / 2);
        lease.renew().unwrap();
        assert!(lease.is_mine());
        volume.pause(LEASE);
        assert!(!lease.is_mine());
        if is_used {
            assert!(is_free(&volume));
            assert_eq!(lease.renew(), Err(LeaseRefused::Held));
            assert_eq!(lease.renew(), Err(LeaseRefused::Held), "it stays lost");
            assert!(is_free(&volume));
        } else {
            lease.renew().unwrap();
            assert!(lease.is_mine() && !is_free(&volume));
        }
    }
}

#[test]
fn a_record_in_place_may_be_empty_longer_or_damaged() {
    let old = format!("{}{}", LeaseRecord::free(7).to_text(), "rest of a longer record\n");
    for content in ["", &old] {
        let volume = Memory::default();
        volume.put(IN_PLACE, Item::File(content.as_bytes().to_vec()));
        assert!(is_free(&volume), "{content}");
    }
    for content in ["held", "\n", &old[..9]] {
        let world = LeaseWorld::new(Habits { bytes_at_once: usize::MAX, ..Habits::DISK });
        let volume = ScheduledVolume::new(&world, Duration::ZERO, || None);
        volume.run(100_000, |volume| {
            let lock = volume.open_file(&volume.root(), IN_PLACE, Access::Write).unwrap();
            world.memory.set_size(&lock, 0).unwrap();
            volume.write_at(&lock, 0, content.as_bytes()).unwrap();
            let locks = volume.locks();
            assert_eq!(locks.take(1, NOW).err(), Some(LeaseRefused::Held), "{content}");
            // The next holder of the lock writes a complete one.
            drop(locks.take_in_place(1, NOW).unwrap());
            locks.take(1, NOW).unwrap();
        });
    }
}

#[test]
fn a_lease_in_place_ends_while_the_machine_is_suspended() {
    let volume = Memory::default();
    let locks = locks(&volume);
    let mut lease = locks.take_in_place(1, NOW).unwrap();
    // The monotonic clock stands still.
    volume.set_wall(volume.wall() + 3600 * SECOND);
    let mut numbered = take(&volume, 2, NOW).unwrap();
    assert!(!lease.is_mine());
    assert_eq!(lease.renew(), Err(LeaseRefused::Held));
    assert!(numbered.renew().is_ok() && numbered.is_mine());
}

#[test]
fn a_clock_that_is_set_back_is_noticed_at_the_next_step() {
    let volume = Memory::default();
    let locks = locks(&volume);
    let mut lease = locks.take_in_place(1, NOW).unwrap();
    volume.set_wall(volume.wall() - 60 * SECOND);
    let _numbered = take(&volume, 2, NOW).unwrap();
    assert_eq!(lease.renew(), Err(LeaseRefused::Held));
}

/// The monotonic clock jumps when a call is cancelled.
#[test]
fn a_cancelled_call_keeps_its_lease_in_place_beside_a_waiting_owner() {
    for waits in [false, true] {
        let volume = Memory::default();
        let locks = locks(&volume);
        let mut lease = locks.take_in_place(1, NOW).unwrap();
        let waiting = waits.then(|| locks.attempt(2).unwrap().unwrap());
        let day = volume.wall();
        volume.pause(1000 * SECOND);
        volume.set_wall(day);
        assert_eq!(lease.renew(), Ok(()), "waits: {waits}");
        assert!(locks.is_held_in_place().unwrap());
        drop(waiting);
    }
}
