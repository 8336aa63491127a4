//! The locks of a state directory on a real disk, by threads that share nothing else.

use std::fs::{self, File};
use std::path::Path;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use fsgate::volume::{Native, journaled};
use fsgate::{Access, Gate};
use fsgate_contract::agent_types::CallArgs;
use fsgate_engine::agent::call;
use fsgate_journal::state::lease::{IN_PLACE, LeaseLocks};
use fsgate_volume::Volume;
use serde_json::{Value, json};

const CONTENDERS: u128 = 4;
const TURNS: u64 = 50;

const PATIENCE: Duration = Duration::from_secs(60);

fn locks(directory: &Path) -> LeaseLocks<Rc<Native>> {
    let volume = Rc::new(Native::open(directory).unwrap());
    let (root, numbers) = (volume.root(), volume.open_directory(&volume.root(), "locks").unwrap());
    LeaseLocks::new(volume, root, numbers)
}

/// Half of the owners have the lock of the operating system too.
#[test]
fn the_owner_of_a_lease_is_alone() {
    let directory = tempfile::tempdir().unwrap();
    let (directory, count) = (directory.path(), directory.path().join("count"));
    fs::create_dir(directory.join("locks")).unwrap();
    fs::write(directory.join("lock"), "").unwrap();
    fs::write(directory.join(IN_PLACE), "").unwrap();
    fs::write(&count, "0").unwrap();
    let add = || {
        let before: u64 = fs::read_to_string(&count).unwrap().parse().unwrap();
        thread::yield_now();
        fs::write(&count, (before + 1).to_string()).unwrap();
    };
    thread::scope(|scope| {
        for owner in 0..CONTENDERS {
            scope.spawn(move || {
                let locks = locks(directory);
                let system = File::open(directory.join("lock")).unwrap();
                for _ in 0..TURNS {
                    if owner % 2 == 0 {
                        let mut lease = locks.take(owner, PATIENCE).unwrap();
                        lease.renew().unwrap();
                        add();
                        lease.release().unwrap();
                    } else {
                        system.lock().unwrap();
                        let mut lease = locks.take_in_place(owner, PATIENCE).unwrap();
                        lease.renew().unwrap();
                        add();
                        drop(lease);
                        system.unlock().unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(fs::read_to_string(&count).unwrap(), (CONTENDERS as u64 * TURNS).to_string());
    assert!(fs::read_dir(directory.join("locks")).unwrap().count() <= 2);
}

/// A gate holds the operating system's lock, and a component elsewhere a numbered lease.
#[test]
fn hosts_with_and_without_locks_share_a_state_directory() {
    let scratch = tempfile::tempdir().unwrap();
    let (work, root) = (scratch.path().join("w"), scratch.path().join("state"));
    fs::create_dir(&work).unwrap();
    fs::write(work.join("lines.txt"), "").unwrap();
    let gate = || Gate::builder().dir_as(&work, "/w", Access::Write).state_root(&root).build().unwrap();
    gate();
    let state = fs::read_dir(root.join("states")).unwrap().next().unwrap().unwrap().path();
    let leasing =
        || journaled(vec![(work.clone(), "/w".to_owned(), Access::Write)], state.clone(), &[]).unwrap();
    let append =
        |number: usize| json!({"path": "lines.txt", "content": format!("line of {number}\n")}).to_string();
    thread::scope(|scope| {
        for number in 0..CONTENDERS as usize {
            scope.spawn(move || {
                if number % 2 == 0 {
                    let gate = gate();
                    (0..TURNS).for_each(|_| drop(gate.call("append", &append(number)).unwrap()));
                } else {
                    let session = leasing();
                    for _ in 0..TURNS {
                        let args = CallArgs { tool: "append".to_owned(), arguments: append(number) };
                        call(&session, &args).unwrap();
                    }
                }
            });
        }
    });
    let text = fs::read_to_string(work.join("lines.txt")).unwrap();
    for number in 0..CONTENDERS as usize {
        assert_eq!(text.lines().filter(|line| **line == format!("line of {number}")).count() as u64, TURNS);
    }
    assert_eq!(text.lines().count() as u64, CONTENDERS as u64 * TURNS);
    let operator =
        Gate::builder().dir_as(&work, "/w", Access::Write).state_root(&root).operator().build().unwrap();
    let log = operator.call("log", &json!({"max_items": 1000, "any_session": true}).to_string()).unwrap();
    let log: Value = serde_json::from_str(&log).unwrap();
    assert_eq!(log["entries"].as_array().unwrap().len() as u64, CONTENDERS as u64 * TURNS);
    operator.call("undo", &json!({"any_session": true}).to_string()).unwrap();
    let text = fs::read_to_string(work.join("lines.txt")).unwrap();
    assert_eq!(text.lines().count() as u64, CONTENDERS as u64 * TURNS - 1);
}
