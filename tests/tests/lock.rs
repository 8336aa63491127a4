//! The lock of a state directory on a real disk, by threads that know nothing of each other.

use std::time::Duration;
use std::{fs, thread};

use fsgate::volume::Native;
use fsgate_journal::state::lease::take;
use fsgate_volume::Volume;

const CONTENDERS: u128 = 4;
const TURNS: u64 = 50;

#[test]
fn who_holds_the_lock_is_alone() {
    let directory = tempfile::tempdir().unwrap();
    let (locks, count) = (directory.path().join("locks"), directory.path().join("count"));
    fs::create_dir(&locks).unwrap();
    fs::write(&count, "0").unwrap();
    thread::scope(|scope| {
        for owner in 0..CONTENDERS {
            let (locks, count) = (&locks, &count);
            scope.spawn(move || {
                let volume = Native::open(locks).unwrap();
                let root = volume.root();
                for _ in 0..TURNS {
                    let mut lease = take(&volume, &root, owner, Duration::from_secs(60)).unwrap();
                    let before: u64 = fs::read_to_string(count).unwrap().parse().unwrap();
                    thread::yield_now();
                    lease.renew().unwrap();
                    fs::write(count, (before + 1).to_string()).unwrap();
                    lease.release().unwrap();
                }
            });
        }
    });
    assert_eq!(fs::read_to_string(&count).unwrap(), (CONTENDERS as u64 * TURNS).to_string());
    assert!(fs::read_dir(&locks).unwrap().count() <= 2);
}
