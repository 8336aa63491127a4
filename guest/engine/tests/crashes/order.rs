//! The order of syncs, call by call in `order.md`. `FSGATE_UPDATE=1` rewrites it.

use serde_json::{Value, json};

use super::fixture::{Fixture, Layout, call};
use super::volume::is_look;

fn steps(
    layout: Layout,
    tree: &[(&str, &str)],
    (tool, args): (&str, &Value),
    earlier: &[(&str, Value)],
) -> String {
    let fixture = Fixture::new(layout, tree).with_power(0);
    for (tool, args) in earlier {
        fixture.earlier(tool, args).unwrap();
    }
    if tool != "checkpoint" && earlier.is_empty() {
        // The first change of all creates the file of the log.
        fixture.call("checkpoint", &json!({"label": "first"})).unwrap();
    }
    let session = fixture.session();
    fixture.machine.record();
    call(&session, tool, &fixture.told(args)).unwrap();
    let mut steps: Vec<String> = Vec::new();
    for step in fixture.machine.recorded() {
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
