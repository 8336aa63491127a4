//! Every case that can run in `wasmtime run --invoke`.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use fsgate_contract::Operation;
use fsgate_corpus::calls::arguments;
use fsgate_corpus::case::{AGENT, Case, Kind};
use fsgate_corpus::tree::{Grant, Tree};
use fsgate_corpus::trials::Runner;
use fsgate_corpus::verdict::{Answer, with_permissions};
use fsgate_tests::disk::Disk;
use fsgate_tests::runner::on_disk;
use fsgate_volume::Access;
use serde_json::{Value, json};

use crate::exports::{Export, Exports, FRONT_ENDS};
use crate::program::invoked_under;
use crate::wave;

/// Longest argument that Linux passes to a program.
const ARGUMENT_BYTES: usize = 128 << 10;

/// The program `wasmtime`, started for each call of an export.
pub(crate) struct Wasmtime(pub(crate) Exports);

impl Runner for Wasmtime {
    fn name(&self) -> &'static str {
        "wasmtime"
    }

    fn report(&self) -> Option<&'static str> {
        Some("wasmtime")
    }

    fn leaves_out(&self, case: &Case) -> Option<String> {
        let without_history = || {
            (is_history(case) || !case.earlier.is_empty())
                .then(|| "every call is a session of its own, without a history".to_owned())
        };
        let by_length = || {
            let is_long = self.call(case).is_ok_and(|(_, call)| call.len() >= ARGUMENT_BYTES);
            is_long.then(|| format!("no program is given an argument of {ARGUMENT_BYTES} bytes"))
        };
        cannot_grant(&case.before)
            .or_else(|| case.only_elsewhere(Kind::Disk))
            .or_else(without_history)
            .or_else(by_length)
    }

    fn run(&self, case: &'static Case) -> Result<Vec<String>> {
        let (export, call) = self.call(case)?;
        on_disk(case, |disk| {
            let (Self(exports), grants) = (self, grants(disk, &case.before)?);
            let printed = invoked_under(exports.program, case.policies().1, &grants, &call)?;
            let answer = wave::answer(&exports.resolve, &export.function, &printed)?;
            let answer = if case.file == AGENT { unwrapped(answer)? } else { answer };
            with_permissions(case, answer)
        })
    }

    /// Every export has a case that succeeds and a case that is refused.
    fn check(&self, cases: &[&Case]) -> Result<()> {
        // The cases of a history need a session of several calls. A front end is no operation.
        let is_elsewhere =
            |export: &Export| matches!(&export.interface[..], "history" | "audit" | "host" | FRONT_ENDS);
        let exports = self.0.functions.iter();
        let exports = exports.filter(|export| export.name != self.0.tools().name && !is_elsewhere(export));
        let mut missing: BTreeSet<_> =
            exports.flat_map(|export| [(&export.name, true), (&export.name, false)]).collect();
        for case in cases {
            missing.remove(&(&self.export(case)?.name, case.code().is_none()));
        }
        ensure!(missing.is_empty(), "no case calls these exports with this success: {missing:?}");
        Ok(())
    }
}

impl Wasmtime {
    /// The export that a case calls, and the call in WAVE.
    fn call(&self, case: &Case) -> Result<(&Export, String)> {
        let export = self.export(case)?;
        let call = wave::call(&self.0.resolve, &export.name, &export.function, &argument(case)?)?;
        Ok((export, call))
    }

    fn export(&self, case: &Case) -> Result<&Export> {
        let export = if case.file == AGENT {
            self.0.find(|interface| interface == AGENT, "call")
        } else {
            self.0.find(|interface| interface != AGENT, &case.tool.replace('_', "-"))
        };
        export.with_context(|| format!("no export is `{}`", case.tool))
    }
}

fn is_history(case: &Case) -> bool {
    Operation::find(&case.tool).is_some_and(|operation| operation.interface == "history")
}

/// The reason why `wasmtime run` cannot grant the directories of a tree.
fn cannot_grant(tree: &Tree) -> Option<String> {
    let reason = if tree.grants.iter().any(|grant| grant.access == Access::Read) {
        "`--dir` always grants for writing"
    } else if tree.grants.iter().any(|grant| grant.name.contains("::")) {
        "`--dir` is split at `::`"
    } else {
        return None;
    };
    Some(reason.to_owned())
}

/// The words of `--dir` for every grant of a tree, and for a state directory.
fn grants(disk: &Disk, tree: &Tree) -> Result<Vec<String>> {
    let grant = |grant: &Grant| format!("{}::{}", disk.path().join(&grant.directory).display(), grant.name);
    let state = format!("{}::/.fsgate", disk.state()?.display());
    Ok(tree.grants.iter().map(grant).chain([state]).collect())
}

/// The argument of the called function: the arguments of an operation, or those of `call`.
fn argument(case: &Case) -> Result<Value> {
    let arguments = arguments(case)?;
    if case.file == AGENT {
        return Ok(json!({"tool": case.tool, "arguments": arguments}));
    }
    Ok(serde_json::from_str(&arguments)?)
}

/// The answer of an operation in an answer of `call`.
fn unwrapped(answer: Answer) -> Result<Answer> {
    let field = |text: String, name: &str| -> Result<String> {
        let value: Value = serde_json::from_str(&text)?;
        value[name].as_str().map(str::to_owned).with_context(|| format!("no `{name}` in {value}"))
    };
    Ok(match answer {
        Ok(text) => Ok(field(text, "outcome")?),
        Err(text) => Err(field(text, "error")?),
    })
}
