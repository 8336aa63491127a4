//! Every case of the corpus that can run in `wasmtime run --invoke`.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{iter, thread};

use anyhow::{Context, Result};
use fsgate_core::agent;
use fsgate_core::contract::Operation;
use fsgate_core::volume::Access;
use fsgate_corpus::calls::arguments;
use fsgate_corpus::verdict::Answer;
use fsgate_tests::case::{self, AGENT, Case, Kind};
use fsgate_tests::disk::Disk;
use fsgate_tests::report::Report;
use fsgate_tests::runner::on_disk;
use fsgate_tests::tree::{Grant, Tree};
use fsgate_tests::verdict::with_permissions;
use serde_json::{Value, json};

use crate::exports::{Export, Exports};
use crate::program::{invoked, invoked_under};
use crate::wave;

/// The longest argument that Linux hands to a program.
const ARGUMENT_BYTES: usize = 128 << 10;

#[test]
#[expect(clippy::print_stderr, reason = "what was left out, and why, is part of a run's result")]
fn every_case_holds_in_wasmtime() {
    let cases = case::all().unwrap_or_else(|error| panic!("{error:#}"));
    let exports = Exports::new();
    // What has a history or an audit of its own has a host that remembers; front ends are no operations.
    let remembers = |export: &Export| matches!(&export.interface[..], "history" | "audit" | FRONT_ENDS);
    let told = |export: &&Export| export.name != tools(&exports).name && !remembers(export);
    let calls = exports.functions.iter().filter(told);
    let mut missing: BTreeSet<_> =
        calls.flat_map(|export| [(&export.name, true), (&export.name, false)]).collect();
    let (mut left_out, mut failures) = (BTreeMap::<String, u32>::new(), Vec::new());
    let mut report = Report::default();
    for (case, ran) in run_all(&exports, &cases) {
        let name = format!("{}.cases.md, {}, {}", case.file, case.tool, case.name);
        match ran {
            Ok(Ran::Out(reason)) => {
                report.left_out(case, &reason);
                *left_out.entry(reason).or_default() += 1;
            }
            Ok(Ran::Through(export, problems)) => {
                missing.remove(&(&export.name, case.code().is_none()));
                if !problems.is_empty() {
                    failures.push(format!("{name}:\n    {}", problems.join("\n    ")));
                }
            }
            Err(error) => failures.push(format!("{name}: {error:#}")),
        }
    }
    for (reason, count) in left_out {
        eprintln!("{count} of {} cases are left out: {reason}", cases.len());
    }
    assert!(failures.is_empty(), "{} cases fail:\n  {}", failures.len(), failures.join("\n  "));
    assert!(missing.is_empty(), "no case calls these exports with this success: {missing:?}");
    report.check("wasmtime");
}

/// The functions differ in how they are called, not in what they do: of each one, a call that succeeds and one that is refused.
#[test]
fn the_functions_of_the_flat_component_do_what_the_corpus_says() {
    let cases = case::all().unwrap_or_else(|error| panic!("{error:#}"));
    let exports = Exports::flat();
    let (mut missing, mut failures) = (Vec::new(), Vec::new());
    for export in &exports.functions {
        if Operation::find(&export.function.name).is_some_and(|operation| operation.interface == "history") {
            continue;
        }
        for succeeds in [true, false] {
            let is_told = |case: &&Case| {
                case.file != AGENT
                    && case.tool.replace('_', "-") == export.function.name
                    && case.code().is_none() == succeeds
            };
            // The first one that can run.
            let ran = cases.iter().filter(is_told).map(|case| (case, run(&exports, case)));
            match ran.into_iter().find(|(_, ran)| !matches!(ran, Ok(Ran::Out(_)))) {
                None => missing.push((&export.name, succeeds)),
                Some((_, Ok(Ran::Through(_, problems)))) if problems.is_empty() => {}
                Some((case, Ok(Ran::Through(_, problems)))) => {
                    failures.push(format!("{}, {}: {}", case.tool, case.name, problems.join(", ")));
                }
                Some((case, Ok(Ran::Out(why)))) => failures.push(format!("{}: {why}", case.name)),
                Some((case, Err(error))) => failures.push(format!("{}, {}: {error:#}", case.tool, case.name)),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(missing.is_empty(), "no case calls these functions with this success: {missing:?}");
}

#[test]
fn tools_lists_every_operation() {
    let exports = Exports::new();
    let export = tools(&exports);
    let printed = invoked(&[], &format!("{}()", export.name)).unwrap();
    let listed = wave::returned(&exports.resolve, &export.function, &printed).unwrap();
    assert_eq!(listed, serde_json::to_value(agent::catalogue()).unwrap());
}

const FRONT_ENDS: &str = "front-ends";

#[test]
fn every_front_end_carries_out_a_text() {
    let exports = Exports::new();
    let disk = tempfile::tempdir().unwrap();
    std::fs::write(disk.path().join("a.txt"), "one").unwrap();
    let grants = [format!("{}::/w", disk.path().display())];
    let mut missing: BTreeSet<_> = exports
        .functions
        .iter()
        .filter(|export| export.interface == FRONT_ENDS)
        .map(|export| &export.name)
        .collect();
    for (name, text, printed) in [
        (
            "sham",
            "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_read\"\npath = \"/w/a.txt\"\n#!END_SHAM_abc\n",
            r#""content\":\"one\""#,
        ),
        ("command", "readFile a.txt", r#"done("FILE_CONTENT:\none")"#),
        ("file-action", r#"{"action": "create", "path": "b.md", "content": "two"}"#, r#"{\"success\":true"#),
        ("plugin", r#"{"tool": "filesystem.output", "input": {"path": "a.txt"}}"#, r#"{\"sent\":true}"#),
        ("workflow", "{{invoke_tool: read_file\n  file_path: \"b.md\"\n}}", r#"\"content\":\"two\""#),
    ] {
        let export = exports.find(|interface| interface == FRONT_ENDS, name).unwrap();
        missing.remove(&export.name);
        let call =
            wave::call(&exports.resolve, &export.name, &export.function, &json!({ "text": text })).unwrap();
        let found = invoked(&grants, &call).unwrap();
        assert!(found.contains(printed), "{name}: {found}");
    }
    assert!(missing.is_empty(), "nothing was said in {missing:?}");
}

fn tools(exports: &Exports) -> &Export {
    exports.find(|interface| interface == AGENT, "tools").unwrap()
}

/// Runs the cases, as many at once as the machine has processors.
fn run_all<'a>(exports: &'a Exports, cases: &'a [Case]) -> Vec<(&'a Case, Result<Ran<'a>>)> {
    let next = AtomicUsize::new(0);
    let work = || {
        let cases = iter::from_fn(|| cases.get(next.fetch_add(1, Ordering::Relaxed)));
        cases.map(|case| (case, run(exports, case))).collect::<Vec<_>>()
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

/// How a case went.
enum Ran<'a> {
    /// Not at all, for a reason.
    Out(String),
    /// Through an export, with these problems.
    Through(&'a Export, Vec<String>),
}

fn run<'a>(exports: &'a Exports, case: &'a Case) -> Result<Ran<'a>> {
    if let Some(reason) = cannot_run(&case.before) {
        return Ok(Ran::Out(reason));
    }
    if let Some(only) = case.only.as_ref().filter(|only| only.volume != Kind::Disk) {
        return Ok(Ran::Out(only.reason.clone()));
    }
    if Operation::find(&case.tool).is_some_and(|operation| operation.interface == "history")
        || !case.earlier.is_empty()
    {
        return Ok(Ran::Out("every call is a session of its own, without a history".to_owned()));
    }
    let export = if case.file == AGENT {
        exports.find(|interface| interface == AGENT, "call")
    } else {
        exports.find(|interface| interface != AGENT, &case.tool.replace('_', "-"))
    };
    let export = export.with_context(|| format!("no export is `{}`", case.tool))?;
    let argument = argument(case)?;
    let call = wave::call(&exports.resolve, &export.name, &export.function, &argument)?;
    if call.len() >= ARGUMENT_BYTES {
        return Ok(Ran::Out(format!("no program is given an argument of {ARGUMENT_BYTES} bytes")));
    }
    let problems = on_disk(case, |disk| {
        let printed = invoked_under(exports.program, case.policies().1, &grants(disk, &case.before)?, &call)?;
        let answer = wave::answer(&exports.resolve, &export.function, &printed)?;
        let answer = if case.file == AGENT { unwrapped(answer)? } else { answer };
        with_permissions(case, answer)
    })?;
    Ok(Ran::Through(export, problems))
}

/// Why `wasmtime run` cannot grant what a case grants.
fn cannot_run(tree: &Tree) -> Option<String> {
    let reason = if tree.grants.iter().any(|grant| grant.access == Access::Read) {
        "`--dir` always grants for writing"
    } else if tree.grants.iter().any(|grant| grant.name.contains("::")) {
        "`--dir` is split at `::`"
    } else {
        return None;
    };
    Some(reason.to_owned())
}

/// What `--dir` says for every grant of a tree, and for the state directory, which is under no lock of this host.
fn grants(disk: &Disk, tree: &Tree) -> Result<Vec<String>> {
    let grant = |grant: &Grant| format!("{}::{}", disk.path().join(&grant.directory).display(), grant.name);
    let state = format!("{}::/.fsgate", disk.state()?.display());
    Ok(tree.grants.iter().map(grant).chain([state]).collect())
}

/// The argument of the function that is called: of the operation, or of `call`.
fn argument(case: &Case) -> Result<Value> {
    let arguments = arguments(case)?;
    if case.file == AGENT {
        return Ok(json!({"tool": case.tool, "arguments": arguments}));
    }
    Ok(serde_json::from_str(&arguments)?)
}

/// What `call` has wrapped up.
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
