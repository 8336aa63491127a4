//! Every case in the engine, on the volume in memory: as it is, and in the words of the lean set.

#[path = "memory/lean.rs"]
mod lean;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use fsgate_corpus::calls::{in_core, made_ready};
use fsgate_corpus::case::{Case, Kind};
use fsgate_corpus::trials::{self, Runner};
use fsgate_corpus::{memory, verdict};
use fsgate_engine::session::Session;
use fsgate_volume::memory::Memory as Volume;
use lean::Lean;

fn main() -> ExitCode {
    trials::main(vec![Arc::new(Memory), Arc::new(Lean)])
}

struct Memory;

impl Runner for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn report(&self) -> Option<&'static str> {
        Some("core-in-memory")
    }

    fn leaves_out(&self, case: &Case) -> Option<String> {
        case.only_elsewhere(Kind::Memory)
    }

    fn run(&self, case: &'static Case) -> Result<Vec<String>> {
        tried(case, |session, case| verdict::answer(case, &in_core(session, case)?))
    }
}

/// Sets the tree of a case up and makes the calls before it. Returns the problems of `call`, and
/// those of the tree after it.
fn tried(case: &Case, call: impl Fn(&Session<Volume>, &Case) -> Result<Vec<String>>) -> Result<Vec<String>> {
    let volume = memory::volume(&case.before)?;
    let (first, then) = case.policies();
    let session = |policy| memory::journaled(&case.before, &volume, |volume| volume, policy);
    let earlier = session(first);
    let case = &made_ready(case, |step| in_core(&earlier, step))?;
    let session = if first == then { earlier } else { session(then) };
    let before = memory::snapshot(&volume);
    let mut problems = call(&session, case)?;
    let after = memory::snapshot(&volume);
    problems.extend(verdict::tree(&case.after, memory::link_target, &before, &after));
    Ok(problems)
}
