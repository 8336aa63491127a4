//! Hosts that are killed at any moment: the tree is that from before a call, or after it.

use std::fs;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::program::{Host, Program, outcome, request};
use super::scratch::{Scratch, check_settled, left};
use super::script::{Step, Writer};
use super::tree::{Node, Tree};
use super::user::User;
use super::{Random, soak};

/// More calls than a host makes before it is killed.
const STEPS: usize = 60;

/// A script may lack such a moment.
const PATIENCE: Duration = Duration::from_millis(700);

/// Answers after which a host is killed at the latest.
const ANSWERS: u64 = 10;

/// The way in which the remains of a dead process are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// By the program's `recover`.
    Program,
    /// By the gate's `recover`.
    Recover,
    /// By a change.
    Change,
    /// By reads.
    Look,
}

#[derive(Debug, Default)]
struct Counts {
    kills: usize,
    calls: usize,
    pending: usize,
    groups: usize,
    in_place: usize,
    between: usize,
    behind: usize,
    finished: usize,
    rolled_back: usize,
    /// Kills after the end of the script.
    late: usize,
}

#[test]
fn a_host_that_is_killed_leaves_every_call_done_or_not_done() {
    for user in User::all() {
        let kills = if soak() { 500 } else { 32 };
        kill(user, if user == User::Own { kills } else { kills / 2 });
    }
}

fn kill(user: User, kills: usize) {
    let scratch = Scratch::of(user);
    let mut writer = Writer::new(1);
    let mut tree = writer.beginning();
    scratch.write(&tree, "w");
    let mut counts = Counts::default();
    let mut random = Random(7);
    for kill in 0.. {
        // A busy machine misses moments: more hosts are killed then, up to a limit.
        let is_enough = counts.pending * 5 >= counts.kills || kill >= kills * 4;
        if kill >= kills && is_enough {
            break;
        }
        let script = writer.script(&tree, STEPS);
        let words: &[&str] = match kill % 8 {
            6 => &["--durability", "power"],
            // Limits so small that almost every call prunes history.
            7 => &["--history-bytes", "40000000", "--history-entries", "20"],
            _ => &[],
        };
        let moment = Moment::any(&mut random);
        let answers = kill_after(&scratch, "w::/w", words, &script, moment);
        let next = [Next::Program, Next::Recover, Next::Change, Next::Look][kill % 4];
        tree = after(&scratch, &tree, &script, answers, next, &mut counts);
        counts.kills += 1;
        counts.calls += answers;
    }
    eprintln!("{user:?}: {counts:?}");
    assert!(counts.pending * 5 >= counts.kills, "too few were killed in the middle: {counts:?}");
}

/// The moment of a kill: a number of answers, a condition, a delay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    answers: usize,
    until: Until,
    delay: Duration,
}

/// The condition.
#[derive(Debug, Clone, Copy)]
enum Until {
    /// None.
    Now,
    /// A record is pending.
    Pending,
    /// Several records are.
    Group,
    /// A file is being written in place.
    InPlace,
}

impl Moment {
    pub(crate) fn any(random: &mut Random) -> Self {
        let answers = random.below(ANSWERS) as usize;
        let until = [Until::Now, Until::Pending, Until::Group, Until::InPlace][random.below(4) as usize];
        // The time of a call that moves megabytes, or makes a small file.
        let most = if random.below(3) == 0 { 20_000 } else { 500 };
        Self { answers, until, delay: Duration::from_micros(random.below(most)) }
    }

    /// Whether the moment has come, by polling.
    fn has_come(self, states: &[PathBuf]) -> bool {
        states.iter().any(|state| match (self.until, left(state)) {
            (Until::Now, _) => true,
            (Until::Pending, (pending, _)) => pending > 0,
            (Until::Group, (pending, _)) => pending > 1,
            (Until::InPlace, (_, odd)) => odd,
        })
    }
}

/// Sends a script to a host and kills it. Returns how many calls it answered.
pub(crate) fn kill_after(
    scratch: &Scratch,
    grant: &str,
    words: &[&str],
    script: &[Step],
    moment: Moment,
) -> usize {
    let mut command = scratch.command();
    command.args(["mcp", "--dir", grant, "--state-dir", "state", "--tools", "all"]).args(words);
    let mut program = Program::start(command);
    let (mut input, output) = (program.input.take().unwrap(), program.output.take().unwrap());
    let lines = script.iter().zip(1_000..).map(|(step, id)| request(id, step.tool, &step.arguments));
    let lines: String = lines.map(|request| format!("{request}\n")).collect();
    let begun = Instant::now();
    thread::scope(|scope| {
        let (reached, wait) = channel();
        let reader = scope.spawn(move || {
            let mut answers = 0;
            for line in output.lines() {
                // The last line may be cut off.
                let Ok(mut answer) = serde_json::from_str::<Value>(&line.unwrap()) else { break };
                // Calls run in order, but answers can overtake each other.
                let number = answer["id"].as_u64().unwrap() as usize - 1_000;
                let step = &script[number];
                outcome(&mut answer)
                    .unwrap_or_else(|error| panic!("{} {}: {error}", step.tool, step.arguments));
                let before = answers;
                answers = answers.max(number + 1);
                if (before + 1..=answers).contains(&moment.answers) {
                    // The receiver is gone after a timeout.
                    let _ = reached.send(());
                }
            }
            answers
        });
        // The host may be killed before it has read everything.
        scope.spawn(move || drop(input.write_all(lines.as_bytes())));
        if moment.answers > 0 {
            // No message comes if the script failed, which the reader reports.
            let _ = wait.recv();
        }
        let states = scratch.states();
        while !moment.has_come(&states) && !reader.is_finished() && begun.elapsed() < PATIENCE {}
        thread::sleep(moment.delay);
        program.child.kill().unwrap();
        program.child.wait().unwrap();
        reader.join().unwrap()
    })
}

/// Lets a host recover, and returns the tree and how many calls were made: at least the answered
/// ones.
fn after(
    scratch: &Scratch,
    before: &Tree,
    script: &[Step],
    answers: usize,
    next: Next,
    counts: &mut Counts,
) -> Tree {
    let (pending, odd) = left(&scratch.states()[0]);
    counts.pending += usize::from(pending > 0);
    counts.groups += usize::from(pending > 1);
    counts.in_place += usize::from(odd);
    let host = scratch.host();
    let mut seen = Vec::new();
    match next {
        Next::Program => {
            let words = ["recover", "--json", "--dir", "w::/w", "--state-dir", "state"];
            let output = scratch.command().args(words).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            count(&serde_json::from_slice(&output.stdout).unwrap(), counts);
        }
        Next::Recover => count(&call(&host, "recover", &json!({})), counts),
        Next::Change => {
            call(&host, "create", &json!({"path": "after", "content": "a death\n"}));
            assert_eq!(fs::read(scratch.at("w/after")).unwrap(), b"a death\n");
            fs::remove_file(scratch.at("w/after")).unwrap();
        }
        Next::Look => {
            for (path, node) in Tree::read(&scratch.at("w")).0 {
                if node != Node::Directory && !path.contains(".fsgate-") {
                    let found = look(&host, &path);
                    seen.push((path, found));
                }
            }
            count(&call(&host, "recover", &json!({})), counts);
        }
    }
    let context = format!("{answers} answers, {pending} pending, odd: {odd}, {next:?}");
    let found = Tree::read(&scratch.at("w"));
    let trees: Vec<_> = std::iter::once(before).chain(script.iter().map(|step| &step.after)).collect();
    let Some(reached) = (answers..trees.len()).find(|at| *trees[*at] == found) else {
        let nearest = trees[answers..].iter().take(3).map(|tree| tree.difference(&found));
        panic!(
            "{context}: no such tree; {:#?} {:#?}",
            nearest.collect::<Vec<_>>(),
            &script[answers].arguments
        );
    };
    check_settled(&scratch.at("state"), &context);
    // The reads before the recovery saw the final state.
    for (path, seen) in seen {
        assert_eq!(seen, look(&host, &path), "{context}: {path}");
    }
    match reached - answers {
        0 => counts.between += 1,
        _ => counts.behind += 1,
    }
    counts.late += usize::from(answers == script.len());
    found
}

fn count(recovered: &Value, counts: &mut Counts) {
    let length = |what: &str| recovered[what].as_array().map_or(0, Vec::len);
    counts.finished += length("finished");
    counts.rolled_back += length("rolled_back");
    assert_eq!(length("waiting") + length("conflicts"), 0, "{recovered}");
}

/// Size and checksum of a file, or the error.
fn look(host: &Host, path: &str) -> Result<[Value; 2], Value> {
    let answer = host.call("stat", &json!({"path": path, "checksum": true}).to_string());
    let parse = |json: String| serde_json::from_str::<Value>(&json).unwrap();
    let entry =
        answer.map_err(|error| parse(error)["code"].take()).map(|found| parse(found)["entry"].take())?;
    Ok(["size", "checksum"].map(|field| entry[field].clone()))
}

pub(crate) fn call(host: &Host, tool: &str, arguments: &Value) -> Value {
    let answer = host.call(tool, &arguments.to_string());
    serde_json::from_str(&answer.unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"))).unwrap()
}
