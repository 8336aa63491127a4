//! The case corpus through the protocol: the data of each answer is what the case expects.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, ensure};
use fsgate::{Access, Operation};
use fsgate_tests::case::{self, Case, Kind};
use fsgate_tests::disk::Disk;
use fsgate_tests::runner::{Answer, arguments, on_disk};
use fsgate_tests::tree::Grant;
use serde_json::{Value, json};

use super::client::{Client, HANDSHAKE, Scratch};

/// Why a case cannot be run like this.
fn skips(case: &Case) -> Option<String> {
    match &case.only {
        Some(only) if only.volume != Kind::Disk => Some(only.reason.clone()),
        _ if !case.earlier.is_empty() => Some("every call has a server of its own".to_owned()),
        _ if case.before.grants.is_empty() => Some("without a grant the server does not start".to_owned()),
        _ if Operation::find(&case.tool).is_none_or(|operation| operation.name != case.tool) => {
            Some("a name that is not listed is an error of the protocol".to_owned())
        }
        _ if is_refused_earlier(case) => Some("what is no object never becomes a call".to_owned()),
        _ => None,
    }
}

fn is_refused_earlier(case: &Case) -> bool {
    !arguments(case).is_ok_and(|arguments| matches!(serde_json::from_str(&arguments), Ok(Value::Object(_))))
}

/// A server of one directory, `w`, that case after case is put into: half of the time of a case is its server's start.
struct Served {
    client: Client,
    directory: PathBuf,
}

impl Served {
    fn new(scratch: &Scratch) -> Self {
        let grant = format!("{}::/w", scratch.granted().display());
        let mut client = Client::start(command(scratch, &["--dir", &grant]));
        client.initialize(HANDSHAKE);
        Self { client, directory: scratch.granted() }
    }

    fn call(&mut self, case: &Case, disk: &Disk) -> Result<Answer> {
        let own = disk.path().join("w");
        move_all(&own, &self.directory)?;
        let answer = asked(&mut self.client, case);
        move_all(&self.directory, &own)?;
        answer?.context("a tool that is listed is not served")
    }
}

/// What a server knows of one case is nothing to another one.
fn can_share(case: &Case) -> bool {
    const ABOUT_HISTORY: [&str; 7] = ["log", "checkpoint", "undo", "redo", "restore", "forget", "recover"];
    let is_usual =
        |grant: &Grant| (&*grant.directory, &*grant.name, grant.access) == ("w", "/w", Access::Write);
    case.policy.is_none()
        && matches!(&case.before.grants[..], [grant] if is_usual(grant))
        && case.before.items.keys().all(|path| path.starts_with("w/"))
        && !ABOUT_HISTORY.contains(&&*case.tool)
}

fn move_all(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::rename(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

fn command(scratch: &Scratch, grants: &[&str]) -> Command {
    let mut command = scratch.command();
    command.args(["mcp", "--tools", "all", "--parallel", "1"]).args(grants);
    command
}

fn call(case: &Case, disk: &Disk, scratch: &Scratch) -> Result<Answer> {
    let mut grants = Vec::new();
    for grant in &case.before.grants {
        let flag = match grant.access {
            Access::Read => "--read-only-dir",
            Access::Write => "--dir",
        };
        let directory = disk.path().join(&grant.directory);
        grants.extend([flag.to_owned(), format!("{}::{}", directory.display(), grant.name)]);
    }
    let mut command = command(scratch, &grants.iter().map(String::as_str).collect::<Vec<_>>());
    if let Some(policy) = &case.policy {
        command.env("FSGATE_POLICY", &policy.text);
    }
    let mut client = Client::start(command);
    client.initialize(HANDSHAKE);
    let Some(answer) = asked(&mut client, case)? else {
        // All directories are granted for reading only: such a tool is not listed. What the tool itself would have said
        // is seen where it is.
        return Ok(disk.gate_under(&case.before, case.policies().1)?.call(&case.tool, &arguments(case)?));
    };
    ensure!(client.close().0.success(), "a bad end");
    Ok(answer)
}

/// The answer to a case; none if its tool is not served.
fn asked(client: &mut Client, case: &Case) -> Result<Option<Answer>> {
    let arguments: Value = serde_json::from_str(&arguments(case)?)?;
    let id = client.ask("tools/call", &json!({"name": case.tool, "arguments": arguments}));
    let answer = client.answer(id);
    if answer["error"]["message"].as_str().is_some_and(|refused| refused.contains("not served")) {
        return Ok(None);
    }
    let result = answer.get("result").with_context(|| format!("an error of the protocol: {answer}"))?;
    let text = result["content"][0]["text"].as_str().context("no text")?;
    let data = result.get("structuredContent").context("no data")?.to_string();
    ensure!(*text != data, "the text is the data once more");
    Ok(Some(if result["isError"] == true { Err(data) } else { Ok(data) }))
}

#[test]
#[expect(clippy::print_stderr, reason = "what was left out, and why, is part of a run's result")]
fn every_case_holds_over_the_protocol() {
    let cases = case::all().unwrap_or_else(|error| panic!("{error:#}"));
    let next = Mutex::new(cases.iter());
    let (failures, ran) = (Mutex::new(Vec::new()), Mutex::new(0));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let scratch = Scratch::new();
                let mut served = Served::new(&scratch);
                loop {
                    let Some(case) = next.lock().unwrap().next() else { break };
                    if let Some(reason) = skips(case) {
                        eprintln!("left out: {}, {}: {reason}", case.tool, case.name);
                        continue;
                    }
                    *ran.lock().unwrap() += 1;
                    let called = on_disk(case, |disk| match can_share(case) {
                        true => served.call(case, disk),
                        false => call(case, disk, &scratch),
                    });
                    let problems = called.unwrap_or_else(|error| vec![format!("{error:#}")]);
                    if !problems.is_empty() {
                        let name = format!("{}.cases.md, {}, {}", case.file, case.tool, case.name);
                        failures.lock().unwrap().push(format!("{name}:\n    {}", problems.join("\n    ")));
                    }
                }
                assert!(served.client.close().0.success(), "a bad end");
            });
        }
    });
    let (failures, ran) = (failures.into_inner().unwrap(), ran.into_inner().unwrap());
    eprintln!("{ran} of {} cases", cases.len());
    assert!(ran * 10 > cases.len() * 9, "only {ran} of {} cases were run", cases.len());
    assert!(failures.is_empty(), "{} of {ran} cases fail:\n  {}", failures.len(), failures.join("\n  "));
}
