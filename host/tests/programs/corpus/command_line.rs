//! The cases on the command line: by flags where possible, else by `fsgate call` with JSON.

use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use fsgate::Operation;
use fsgate_cli::command_line;
use fsgate_corpus::calls::arguments;
use fsgate_corpus::case::{Case, Kind};
use fsgate_corpus::trials::Runner;
use fsgate_corpus::verdict::Answer;
use fsgate_tests::disk::Disk;
use fsgate_tests::runner::on_disk;
use serde_json::Value;
use tempfile::TempDir;

use crate::grants;

/// Longest argument on Linux.
const ARGUMENT_BYTES: usize = 128 << 10;

/// Runs the program for each call.
pub(crate) struct CommandLine;

impl Runner for CommandLine {
    fn name(&self) -> &'static str {
        "command-line"
    }

    fn leaves_out(&self, case: &Case) -> Option<String> {
        if !case.earlier.is_empty() {
            return Some("every call is a session of its own".to_owned());
        }
        if case.before.grants.is_empty() {
            return Some("without a grant the program takes the current directory".to_owned());
        }
        case.only_elsewhere(Kind::Disk)
    }

    fn run(&self, case: &'static Case) -> Result<Vec<String>> {
        let home = TempDir::new()?;
        on_disk(case, |disk| call(case, disk, &home))
    }

    fn check(&self, cases: &[&Case]) -> Result<()> {
        let by_flags = cases
            .iter()
            .filter(|case| arguments(case).is_ok_and(|text| flags(case, &text).is_some()))
            .count();
        ensure!(by_flags * 10 > cases.len() * 8, "flags say only {by_flags} of {} cases", cases.len());
        Ok(())
    }
}

/// The arguments of a case if flags can express it. A call that the command line refuses is not
/// made.
fn flags(case: &Case, arguments: &str) -> Option<Vec<String>> {
    if case.code() == Some("invalid_argument") {
        return None;
    }
    let operation = Operation::find(&case.tool)?;
    let Ok(Value::Object(object)) = serde_json::from_str(arguments) else { return None };
    command_line(operation, &object)
        .filter(|words| words.iter().all(|word| !word.contains('\0') && word.len() < ARGUMENT_BYTES))
}

fn call(case: &Case, disk: &Disk, home: &TempDir) -> Result<Answer> {
    let arguments = arguments(case)?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_fsgate"));
    command.env("HOME", home.path()).current_dir(home.path());
    for variable in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        command.env_remove(variable);
    }
    if let Some(policy) = &case.policy {
        command.env("FSGATE_POLICY", &policy.text);
    }
    let grants = grants(case, disk);
    let input = match flags(case, &arguments) {
        Some(words) => {
            // Flags follow the first word, because a `--` may come later.
            command.arg(&words[0]).args(&grants).arg("--json").args(&words[1..]);
            String::new()
        }
        None => {
            command.arg("call").args(&grants).arg("--").args([&case.tool, "-"]);
            arguments
        }
    };
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // A program that does not read its input shows that in the answer.
    let _ = child.stdin.take().context("no standard input")?.write_all(input.as_bytes());
    let output = child.wait_with_output()?;
    let (text, reported) = (String::from_utf8(output.stdout)?, String::from_utf8_lossy(&output.stderr));
    ensure!(!text.is_empty(), "no answer: {reported}");
    match output.status.code() {
        Some(0) => Ok(Ok(text)),
        Some(1) => Ok(Err(text)),
        code => anyhow::bail!("exit code {code:?}: {reported}"),
    }
}
