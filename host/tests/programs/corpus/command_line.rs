//! The case corpus through the command line: flags where flags can say it, `fsgate call` where only JSON can.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, ensure};
use fsgate::{Access, Operation};
use fsgate_command_line::words;
use fsgate_tests::case::{self, Case, Kind};
use fsgate_tests::disk::Disk;
use fsgate_tests::runner::{Answer, arguments, on_disk};
use serde_json::Value;
use tempfile::TempDir;

/// Longest argument that Linux takes.
const ARGUMENT_BYTES: usize = 128 << 10;

/// Why a case cannot be run like this.
fn skips(case: &Case) -> Option<String> {
    match &case.only {
        Some(only) if only.volume != Kind::Disk => Some(only.reason.clone()),
        _ if !case.earlier.is_empty() => Some("every call is a session of its own".to_owned()),
        _ if case.before.grants.is_empty() => {
            Some("without a grant the program takes the current directory".to_owned())
        }
        _ => None,
    }
}

/// The words of a case, if flags can say it. What the command line refuses itself never becomes a call.
fn flags(case: &Case, arguments: &str) -> Option<Vec<String>> {
    if case.code() == Some("invalid_argument") {
        return None;
    }
    let operation = Operation::find(&case.tool)?;
    let Ok(Value::Object(object)) = serde_json::from_str(arguments) else { return None };
    words(operation, &object)
        .filter(|words| words.iter().all(|word| !word.contains('\0') && word.len() < ARGUMENT_BYTES))
}

fn call(case: &Case, disk: &Disk, home: &TempDir, by_flags: &Mutex<usize>) -> Result<Answer> {
    let arguments = arguments(case)?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_fsgate"));
    command.env("HOME", home.path()).current_dir(home.path());
    for variable in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        command.env_remove(variable);
    }
    if let Some(policy) = &case.policy {
        command.env("FSGATE_POLICY", &policy.text);
    }
    let mut grants = Vec::new();
    for grant in &case.before.grants {
        let flag = match grant.access {
            Access::Read => "--read-only-dir",
            Access::Write => "--dir",
        };
        let directory = disk.path().join(&grant.directory);
        grants.extend([flag.to_owned(), format!("{}::{}", directory.display(), grant.name)]);
    }
    let input = match flags(case, &arguments) {
        Some(words) => {
            *by_flags.lock().unwrap() += 1;
            // Behind the first word: a `--` may follow.
            command.arg(&words[0]).args(&grants).arg("--json").args(&words[1..]);
            String::new()
        }
        None => {
            command.arg("call").args(&grants).arg("--").args([&case.tool, "-"]);
            arguments
        }
    };
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // A program that does not read what it is given is told by its answer.
    let _ = child.stdin.take().context("no standard input")?.write_all(input.as_bytes());
    let output = child.wait_with_output()?;
    let (text, told) = (String::from_utf8(output.stdout)?, String::from_utf8_lossy(&output.stderr));
    ensure!(!text.is_empty(), "no answer: {told}");
    match output.status.code() {
        Some(0) => Ok(Ok(text)),
        Some(1) => Ok(Err(text)),
        code => anyhow::bail!("exit code {code:?}: {told}"),
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "what was left out, and why, is part of a run's result")]
fn every_case_holds_on_the_command_line() {
    let cases = case::all().unwrap_or_else(|error| panic!("{error:#}"));
    let (next, by_flags) = (Mutex::new(cases.iter()), Mutex::new(0));
    let (failures, ran) = (Mutex::new(Vec::new()), Mutex::new(0));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some(case) = next.lock().unwrap().next() else { return };
                    let home = TempDir::new().unwrap();
                    if let Some(reason) = skips(case) {
                        eprintln!("left out: {}, {}: {reason}", case.tool, case.name);
                        continue;
                    }
                    *ran.lock().unwrap() += 1;
                    let problems = on_disk(case, |disk| call(case, disk, &home, &by_flags))
                        .unwrap_or_else(|error| vec![format!("{error:#}")]);
                    if !problems.is_empty() {
                        let name = format!("{}.cases.md, {}, {}", case.file, case.tool, case.name);
                        failures.lock().unwrap().push(format!("{name}:\n    {}", problems.join("\n    ")));
                    }
                }
            });
        }
    });
    let (failures, ran, by_flags) =
        (failures.into_inner().unwrap(), ran.into_inner().unwrap(), by_flags.into_inner().unwrap());
    eprintln!("{ran} of {} cases, {by_flags} of them by flags", cases.len());
    assert!(by_flags * 10 > ran * 8, "only {by_flags} of {ran} cases were said by flags");
    assert!(failures.is_empty(), "{} of {ran} cases fail:\n  {}", failures.len(), failures.join("\n  "));
}
