//! The case corpus through the protocol: the data of each answer is what the case expects.

use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, ensure};
use fsgate::{Access, Operation};
use fsgate_tests::case::{self, Case, Kind};
use fsgate_tests::disk::Disk;
use fsgate_tests::runner::{Answer, arguments, on_disk};
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

fn call(case: &Case, disk: &Disk, scratch: &Scratch) -> Result<Answer> {
    let arguments: Value = serde_json::from_str(&arguments(case)?)?;
    let mut command = scratch.command();
    command.args(["mcp", "--tools", "all", "--parallel", "1"]);
    if let Some(policy) = &case.policy {
        command.env("FSGATE_POLICY", &policy.text);
    }
    for grant in &case.before.grants {
        let flag = match grant.access {
            Access::Read => "--read-only-dir",
            Access::Write => "--dir",
        };
        let directory = disk.path().join(&grant.directory);
        command.args([flag, &format!("{}::{}", directory.display(), grant.name)]);
    }
    let mut client = Client::start(command);
    client.initialize(HANDSHAKE);
    let id = client.ask("tools/call", &json!({"name": case.tool, "arguments": arguments}));
    let answer = client.answer(id);
    let refused = answer["error"]["message"].as_str();
    if let Some(refused) = refused
        && refused.contains("not served")
    {
        // All directories are granted for reading only: such a tool is not listed. What the tool itself would have said
        // is seen where it is.
        return Ok(disk
            .gate_under(&case.before, case.policies().1)?
            .call(&case.tool, &arguments.to_string()));
    }
    let result = answer.get("result").with_context(|| format!("an error of the protocol: {answer}"))?;
    let text = result["content"][0]["text"].as_str().context("no text")?;
    let data = result.get("structuredContent").context("no data")?.to_string();
    ensure!(*text != data, "the text is the data once more");
    ensure!(client.close().0.success(), "a bad end");
    Ok(if result["isError"] == true { Err(data) } else { Ok(data) })
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
                loop {
                    let Some(case) = next.lock().unwrap().next() else { return };
                    if let Some(reason) = skips(case) {
                        eprintln!("left out: {}, {}: {reason}", case.tool, case.name);
                        continue;
                    }
                    *ran.lock().unwrap() += 1;
                    let problems = on_disk(case, |disk| call(case, disk, &scratch))
                        .unwrap_or_else(|error| vec![format!("{error:#}")]);
                    if !problems.is_empty() {
                        let name = format!("{}.cases.md, {}, {}", case.file, case.tool, case.name);
                        failures.lock().unwrap().push(format!("{name}:\n    {}", problems.join("\n    ")));
                    }
                }
            });
        }
    });
    let (failures, ran) = (failures.into_inner().unwrap(), ran.into_inner().unwrap());
    eprintln!("{ran} of {} cases", cases.len());
    assert!(ran * 10 > cases.len() * 9, "only {ran} of {} cases were run", cases.len());
    assert!(failures.is_empty(), "{} of {ran} cases fail:\n  {}", failures.len(), failures.join("\n  "));
}
