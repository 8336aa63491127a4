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
        let volume = memory::volume(&case.before)?;
        let (first, then) = case.policies();
        let session = |policy| memory::journaled(&case.before, &volume, |volume| volume, policy);
        let earlier = session(first);
        let case = &made_ready(case, |step| in_core(&earlier, step))?;
        let session = if first == then { earlier } else { session(then) };
        let before = memory::snapshot(&volume);
        let answer = in_core(&session, case)?;
        let mut problems = verdict::answer(case, &answer)?;
        let after = memory::snapshot(&volume);
        problems.extend(verdict::tree(&case.after, memory::link_target, &before, &after));
        Ok(problems)
    }
}
