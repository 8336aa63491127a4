//! Many hosts at one file, each changing only the version that it saw: every version has one
//! winner.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fsgate::Gate;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::program::Program;
use super::scratch::{Scratch, check_settled, names};
use super::user::User;
use super::{Random, soak};

/// A host that makes calls.
trait Contender: Send {
    /// Returns `None` if it died before its answer.
    fn call(&mut self, tool: &str, arguments: &Value) -> Option<Result<Value, Value>>;
}

impl Contender for Program {
    fn call(&mut self, tool: &str, arguments: &Value) -> Option<Result<Value, Value>> {
        Program::call(self, tool, arguments)
    }
}

/// A program that is killed from time to time, and restarted.
struct Mortal<'a> {
    scratch: &'a Scratch,
    program: Program,
    /// Calls until it dies.
    left: u64,
    random: Random,
    deaths: &'a AtomicU64,
}

impl Contender for Mortal<'_> {
    fn call(&mut self, tool: &str, arguments: &Value) -> Option<Result<Value, Value>> {
        self.left = self.left.saturating_sub(1);
        if self.left > 0 {
            return self.program.call(tool, arguments);
        }
        let id = Pid::from_child(&self.program.child);
        let delay = Duration::from_micros(self.random.below(4_000));
        let killer = thread::spawn(move || {
            thread::sleep(delay);
            // Not yet reaped, so the id is still its own.
            kill_process(id, Signal::KILL).unwrap();
        });
        let answer = self.program.call(tool, arguments);
        killer.join().unwrap();
        self.deaths.fetch_add(1, Ordering::Relaxed);
        self.program = self.scratch.server();
        self.left = 1 + self.random.below(40);
        answer
    }
}

impl Contender for Gate {
    fn call(&mut self, tool: &str, arguments: &Value) -> Option<Result<Value, Value>> {
        let answer = Gate::call(self, tool, &arguments.to_string());
        let parse = |json: String| serde_json::from_str(&json).unwrap();
        Some(answer.map(parse).map_err(parse))
    }
}

/// A version, with the one that it was made from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Won {
    number: u64,
    before: String,
    after: String,
}

#[derive(Debug, Default)]
struct Tally {
    won: Vec<Won>,
    wins: Vec<usize>,
    lost: usize,
    longest: Duration,
}

/// The change that makes the next version. Every version has the replaced text: only the tag
/// identifies the version.
fn change(host: usize, path: &str, number: u64, etag: &Value) -> (&'static str, Value) {
    let next = format!("{} {host}", number + 1);
    match host % 3 {
        0 => ("write", json!({"path": path, "content": format!("version {next}\n"), "if_match": etag})),
        1 => {
            let new = format!("version {next}");
            (
                "replace_all",
                json!({"path": path, "old": "version \\d+ \\d+", "new": new, "regex": true, "if_match": etag}),
            )
        }
        _ => {
            let lines = [
                json!({"path": path, "old": "version ", "new": format!("version {next}|"), "if_match": etag}),
                json!({"path": "beside.txt", "content": format!("{next}\n")}),
            ];
            ("apply", json!({"edits": lines}))
        }
    }
}

fn race(hosts: Vec<Box<dyn Contender + '_>>, rounds: u64) -> Tally {
    let tally = Mutex::new(Tally { wins: vec![0; hosts.len()], ..Tally::default() });
    thread::scope(|scope| {
        for (number, mut host) in hosts.into_iter().enumerate() {
            let tally = &tally;
            scope.spawn(move || {
                let path = "race.txt";
                loop {
                    let Some(seen) = host.call("read", &json!({"path": path})) else { continue };
                    let seen = seen.unwrap();
                    let version = version(seen["content"].as_str().unwrap());
                    if version >= rounds {
                        return;
                    }
                    let (tool, arguments) = change(number, path, version, &seen["etag"]);
                    let begun = Instant::now();
                    let Some(answer) = host.call(tool, &arguments) else { continue };
                    let took = begun.elapsed();
                    let mut tally = tally.lock().unwrap();
                    tally.longest = tally.longest.max(took);
                    match answer {
                        Ok(done) => {
                            let one = if tool == "apply" { &done["files"][0] } else { &done };
                            let tag = |name: &str| one[name].as_str().unwrap().to_owned();
                            let (before, after) = (tag("etag_before"), tag("etag"));
                            tally.won.push(Won { number: version + 1, before, after });
                            tally.wins[number] += 1;
                        }
                        // No host gets `busy`.
                        Err(error) if error["code"] == "stale" => tally.lost += 1,
                        Err(error) => panic!("{tool}: {error}"),
                    }
                }
            });
        }
    });
    tally.into_inner().unwrap()
}

fn version(content: &str) -> u64 {
    let number = content.strip_prefix("version ").and_then(|rest| rest.split(' ').next());
    number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{content:?}"))
}

/// As many winners as versions, each made from the one before. Killed hosts may have won up to
/// `deaths` of them.
fn check(scratch: &Scratch, mut tally: Tally, deaths: u64, name: &str) {
    tally.won.sort();
    let rounds = version(&fs::read_to_string(scratch.at("w/race.txt")).unwrap());
    assert!(rounds >= self::rounds(), "{name}");
    for pair in tally.won.windows(2) {
        assert!(pair[0].number < pair[1].number, "{name}: two have won: {pair:?}");
        let follows = pair[0].number + 1 == pair[1].number;
        assert!(!follows || pair[0].after == pair[1].before, "{name}: {pair:?}");
    }
    let answered = tally.won.len() as u64;
    assert!((rounds - deaths.min(rounds)..=rounds).contains(&answered), "{name}: {answered} of {rounds}");
    let seen: BTreeSet<_> = tally.won.iter().map(|won| &won.before).collect();
    assert_eq!(seen.len() as u64, answered, "{name}");
    scratch.host().call("recover", "{}").unwrap();
    check_settled(&scratch.at("state"), name);
    let found: Vec<_> = names(&scratch.at("w")).into_iter().filter(|name| name.contains(".fsgate")).collect();
    assert!(found.is_empty(), "{name}: {found:?}");
    let Tally { wins, lost, longest, .. } = tally;
    eprintln!(
        "{name}: {rounds} versions, {deaths} deaths, won {wins:?}, lost {lost}, the longest change took {longest:?}"
    );
}

fn scratch(user: User) -> Scratch {
    let scratch = Scratch::of(user);
    fs::write(scratch.at("w/race.txt"), "version 0 0\n").unwrap();
    user.owns(&scratch.at("w/race.txt"));
    scratch
}

fn rounds() -> u64 {
    if soak() { 10_000 } else { 300 }
}

fn programs(count: usize) {
    let scratch = scratch(User::Own);
    let hosts = (0..count).map(|_| Box::new(scratch.server()) as Box<dyn Contender>);
    let tally = race(hosts.collect(), rounds());
    check(&scratch, tally, 0, &format!("{count} programs"));
}

/// A host that takes a dead process's lock recovers its change, and never makes two versions from
/// one.
#[test]
fn of_programs_that_die_one_wins_each_version() {
    for user in User::all() {
        let (scratch, deaths) = (scratch(user), AtomicU64::new(0));
        let hosts = (0..4).map(|number| {
            let random = Random(number);
            let mortal =
                Mortal { scratch: &scratch, program: scratch.server(), left: 10, random, deaths: &deaths };
            Box::new(mortal) as Box<dyn Contender>
        });
        let tally = race(hosts.collect(), rounds());
        check(&scratch, tally, deaths.into_inner(), &format!("4 mortal programs, {user:?}"));
    }
}

#[test]
fn of_two_programs_one_wins_each_version() {
    programs(2);
}

#[test]
fn of_eight_programs_one_wins_each_version() {
    programs(8);
}

#[test]
fn of_two_gates_in_one_process_one_wins_each_version() {
    let scratch = scratch(User::Own);
    let hosts = (0..2).map(|_| Box::new(scratch.gate()) as Box<dyn Contender>);
    let tally = race(hosts.collect(), rounds());
    check(&scratch, tally, 0, "2 gates");
}

/// Arguments and variables of one of two programs that share a file, and its path for the file.
#[derive(Clone, Copy)]
struct Setup(&'static str, &'static [(&'static str, &'static str)], &'static str);

/// Programs that each edit a line of one file, half of them in each way.
fn edit_lines(setups: [Setup; 2]) {
    const PROGRAMS: usize = 24;
    let scratch = Scratch::new();
    for directory in ["w/sub", "v", "other", "tmp"] {
        fs::create_dir_all(scratch.at(directory)).unwrap();
    }
    symlink("w/sub", scratch.at("link")).unwrap();
    let lines = |word: &str| -> String {
        (0..PROGRAMS).map(|number| format!("slot{number:02}={word}{number:02}\n")).collect()
    };
    fs::write(scratch.at("w/sub/lines.txt"), lines("none")).unwrap();
    let programs: Vec<_> = (0..PROGRAMS)
        .map(|number| {
            let Setup(words, variables, path) = setups[number % 2];
            let (old, new) = (format!("slot{number:02}=none"), format!("slot{number:02}=done"));
            let mut command = scratch.command();
            command.args(["replace", path, "--old", &old, "--new", &new]).args(words.split(' '));
            command.envs(variables.iter().map(|(name, value)| (name, scratch.at(value))));
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let context = format!("{} and {}", setups[0].0, setups[1].0);
    for program in programs {
        let ended = program.wait_with_output().unwrap();
        assert!(ended.status.success(), "{context}: {}", String::from_utf8_lossy(&ended.stderr));
    }
    assert_eq!(fs::read_to_string(scratch.at("w/sub/lines.txt")).unwrap(), lines("done"), "{context}");
}

#[test]
fn programs_with_different_states_lose_no_edit_and_tear_no_line() {
    const PATH: &str = "/w/sub/lines.txt";
    let usual = Setup("--dir w::/w --state-dir state", &[], PATH);
    for other in [
        Setup("--dir w::/w --state-dir other/state", &[], PATH),
        Setup("--dir w::/w --durability none", &[], PATH),
        Setup("--dir w/sub::/s --state-dir other/state", &[], "/s/lines.txt"),
        Setup("--dir link::/s --state-dir other/state", &[], "/s/lines.txt"),
        Setup("--dir link::/s --durability none", &[], "/s/lines.txt"),
        Setup(
            "--dir w::/w",
            &[("XDG_STATE_HOME", "other"), ("TMPDIR", "tmp"), ("XDG_RUNTIME_DIR", "tmp")],
            PATH,
        ),
        Setup("--dir w::/w", &[("HOME", "other")], PATH),
    ] {
        edit_lines([usual, other]);
    }
    let unjournaled = Setup("--dir w::/w --durability none", &[], PATH);
    edit_lines([unjournaled, Setup("--dir w/sub::/s --durability none", &[], "/s/lines.txt")]);
}

/// Two programs that each hold one lock and wait for the other's would end with `busy`.
#[test]
fn programs_with_two_directories_do_not_wait_for_each_other() {
    edit_lines([
        Setup("--dir w::/w --dir v::/v --state-dir state", &[], "/w/sub/lines.txt"),
        Setup("--dir v::/v --dir w::/w --state-dir other/state", &[], "/w/sub/lines.txt"),
    ]);
}

/// A confined server notices that its lock file was removed, as happens to temporary files.
#[test]
fn programs_whose_lock_files_are_removed_lose_no_edit() {
    let scratch = Scratch::new();
    fs::write(scratch.at("w/lines.txt"), "").unwrap();
    let start = |state: &str| {
        let mut command = scratch.command();
        command.args(["mcp", "--dir", "w::/w", "--state-dir", state, "--tools", "all"]);
        Program::start(command)
    };
    let servers = [start("state"), start("other")];
    let lock = scratch.lock();
    thread::scope(|scope| {
        let appending = servers.map(|mut server| {
            scope.spawn(move || {
                for _ in 0..50 {
                    let line = json!({"path": "lines.txt", "content": "line\n"});
                    server.call("append", &line).unwrap().unwrap();
                }
            })
        });
        while !appending.iter().all(thread::ScopedJoinHandle::is_finished) {
            // Cleaning programs do not remove it while the lock is held.
            let file = fs::File::open(&lock).unwrap();
            if file.try_lock().is_ok() {
                fs::remove_file(&lock).unwrap();
                drop(file);
                thread::sleep(Duration::from_millis(5));
            }
            while !lock.exists() && !appending.iter().all(thread::ScopedJoinHandle::is_finished) {
                thread::sleep(Duration::from_millis(1));
            }
        }
    });
    assert_eq!(fs::read_to_string(scratch.at("w/lines.txt")).unwrap(), "line\n".repeat(100));
}
