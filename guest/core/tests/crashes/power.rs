//! The power goes, and what was not synced is lost.

use serde_json::{Value, json};

use super::cases::cases;
use super::scene::{Complaints, LAYOUTS, Layout, Scene, call, difference};
use super::soak;
use super::stops::{Course, is_tried, judge_past};
use super::volume::{Plan, is_look};

#[test]
fn a_loss_of_power_at_any_call_leaves_what_was_or_what_should_be() {
    let mut complaints = Complaints::default();
    let (mut seed, mut in_trash) = (0, 0_u64);
    for (number, case) in cases().iter().enumerate() {
        for (row, layout) in LAYOUTS.into_iter().enumerate() {
            if matches!(layout, Layout::Dumb | Layout::Slow) || !is_tried(case, (number, row), 18) {
                continue;
            }
            let scene = Scene::of(case, layout).with_power(0);
            let session = scene.session();
            scene.machine.set(Plan::Well);
            let _ = call(&session, case.tool, &scene.args(case));
            let calls = scene.machine.calls() + 1;
            let course = Course::of(case, layout);
            for at in 0..calls {
                for round in 0..if soak() { 6 } else { 2 } {
                    seed += 1;
                    let scene = Scene::of(case, layout).with_power(seed);
                    let session = scene.session();
                    scene.machine.set(Plan::Stop(at, round as usize % 7));
                    let called = call(&session, case.tool, &scene.args(case));
                    let was_told = called.is_ok();
                    // Whoever is refused may have come to its end all the same, as long as it is not synced.
                    let called = called.map_err(|_| json!({"applied": true}));
                    scene.crash();
                    for again in 0..round % 3 {
                        scene.machine.set(Plan::Stop((seed * 7 + again * 13) % (calls + 40), 3));
                        let _ = scene.call("create_directory", &json!({"path": "/w/elsewhere"}));
                        scene.crash();
                        scene.grant().at("elsewhere");
                    }
                    // Whoever comes next need not take as much care of what it changes itself.
                    let said = scene.heal_with(if seed % 2 == 0 { "power" } else { "process" });
                    let trees = scene.trees();
                    complaints.tried();
                    let mut complain = |kind: &str, what: String| {
                        complaints.add(format!("{kind}, {} in {layout:?}", case.tool), || {
                            format!("{}, dead at {at} of {calls}, seed {seed}: {what}", case.name)
                        });
                    };
                    let judged = judge_past(&course, || scene.past(), &called);
                    let mut litter = scene.litter();
                    // What the trash was to lose, and may have again, goes when the history is looked through.
                    if litter.iter().any(|path| path.contains("/trash/")) {
                        in_trash += 1;
                        scene.look_through();
                        litter = scene.litter();
                    }
                    if let Err((kind, what)) = judged {
                        complain(&kind, what);
                    } else if trees != course.after && (was_told || trees != course.before) {
                        let (before, after) =
                            (difference(&trees, &course.before), difference(&trees, &course.after));
                        let told = if was_told { "told, and not so" } else { "a mix" };
                        complain(told, format!("beside before\n{before}beside after\n{after}"));
                    } else if !litter.is_empty() {
                        complain("litter", format!("{litter:?}"));
                    } else if said.to_string().contains("\"conflict\"") {
                        complain("a conflict", said.to_string());
                    }
                }
            }
        }
    }
    eprintln!("{in_trash} times there was something in the trash until the history was looked through");
    complaints.end("losses of power");
}

/// What a call does to the disk, in order.
fn steps(
    layout: Layout,
    tree: &[(&str, &str)],
    (tool, args): (&str, &Value),
    earlier: &[(&str, Value)],
) -> String {
    let scene = Scene::new(layout, tree).with_power(0);
    for (tool, args) in earlier {
        scene.earlier(tool, args).unwrap();
    }
    if tool != "checkpoint" && earlier.is_empty() {
        // The first change of all makes the file that the others are written down in.
        scene.call("checkpoint", &json!({"label": "first"})).unwrap();
    }
    let session = scene.session();
    scene.machine.record();
    call(&session, tool, &scene.told(args)).unwrap();
    let mut steps: Vec<String> = Vec::new();
    for step in scene.machine.recorded() {
        if is_look(&step) {
            continue;
        }
        let words = step.split(' ').map(|word| match word.rfind("0de0b6b3a764") {
            Some(at) => format!("{}ID{}", &word[..at], &word[at + 32..]),
            None => word.to_owned(),
        });
        let step = words.collect::<Vec<_>>().join(" ").replace("/.fsgate/", "");
        if steps.last() != Some(&step) {
            steps.push(step);
        }
    }
    steps.join("\n")
}

/// Behind a heading: where the trash lies is no way to rename anything.
const ELSEWHERE: &str = ", the state directory on another file system";

#[test]
fn what_must_not_be_lost_is_synced_before_what_needs_it() {
    let tree = [("w/a.txt", "one two three"), ("w/b.txt", "b"), ("w/d/f.txt", "f"), ("v/", "")];
    let expected = include_str!("order.md");
    let mut parts = expected.split("\n## ");
    let mut all = parts.next().unwrap().to_owned();
    let mut tried = 0;
    let update = std::env::var_os("FSGATE_UPDATE").is_some();
    for part in parts {
        let (heading, list) = part.split_once('\n').unwrap();
        let (heading_here, layout) = match heading.strip_suffix(ELSEWHERE) {
            Some(heading) => (heading, Layout::Other),
            None => (heading, Layout::Same),
        };
        let mut calls = heading_here.split(" behind ").map(|call| {
            let (tool, args) = call.split_once(' ').unwrap();
            (tool, serde_json::from_str::<Value>(args).unwrap())
        });
        let (tool, args) = calls.next().unwrap();
        let mut earlier: Vec<_> = calls.collect();
        earlier.reverse();
        let found = steps(layout, &tree, (tool, &args), &earlier);
        if !update {
            assert_eq!(
                found.lines().collect::<Vec<_>>(),
                list.trim().lines().collect::<Vec<_>>(),
                "{heading}"
            );
        }
        all += &format!("\n## {heading}\n{found}\n");
        tried += 1;
    }
    assert!(tried >= 20);
    if update {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/crashes/order.md"), all).unwrap();
    }
    eprintln!("{tried} orders");
}
