//! The loop of `examples/agent-loop` in Rust. Those in Python and JavaScript are run with their packages, and say the same.

use std::fs;

use fsgate::{Access, Gate};
use fsgate_tests::open::Opened;

#[expect(dead_code, reason = "its `main` is for whoever runs it")]
#[path = "../../examples/agent-loop/rust/loop.rs"]
mod example;

#[test]
fn the_loop_says_what_the_others_say() {
    let scratch = tempfile::tempdir().unwrap();
    let settings = scratch.path().join("settings.py");
    fs::write(&settings, "retries = 10\ntimeout = 10\n").unwrap();
    let gate = Opened::new(Gate::builder().dir_as(scratch.path(), "/project", Access::Write)).unwrap();
    let mut said = Vec::new();
    example::run(&gate, "Set the timeout to 30.", &mut said).unwrap();
    assert_eq!(String::from_utf8(said).unwrap(), include_str!("../../examples/agent-loop/transcript.txt"));
    assert_eq!(fs::read_to_string(&settings).unwrap(), "retries = 10\ntimeout = 30\n");
}
