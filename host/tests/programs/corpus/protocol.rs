//! The cases through the protocol: the data of each answer is the expected one.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use fsgate::{Access, Operation};
use fsgate_corpus::calls::arguments;
use fsgate_corpus::case::{Case, Kind};
use fsgate_corpus::tree::Grant;
use fsgate_corpus::trials::Runner;
use fsgate_corpus::verdict::Answer;
use fsgate_tests::disk::Disk;
use fsgate_tests::runner::on_disk;
use fsgate_text::json::given_twice;
use serde_json::{Value, json};

use crate::client::{Client, HANDSHAKE, Scratch};
use crate::grants;

/// The server of the protocol.
#[derive(Default)]
pub(crate) struct Protocol {
    /// Idle servers. A failing case ends its server.
    servers: Mutex<Vec<Served>>,
}

impl Runner for Protocol {
    fn name(&self) -> &'static str {
        "mcp"
    }

    fn leaves_out(&self, case: &Case) -> Option<String> {
        let reason = match &case.only {
            Some(only) if only.volume != Kind::Disk => &only.reason,
            _ if !case.earlier.is_empty() => "every call has a server of its own",
            _ if case.before.grants.is_empty() => "without a grant the server does not start",
            _ if Operation::find(&case.tool).is_none_or(|operation| operation.name != case.tool) => {
                "a name that is not listed is an error of the protocol"
            }
            _ if is_refused_earlier(case) => "what is no object never becomes a call",
            _ if arguments(case).is_ok_and(|arguments| given_twice(&arguments).is_some()) => {
                "a message with a name that is given twice is an error of the protocol"
            }
            _ => return None,
        };
        Some(reason.to_owned())
    }

    fn run(&self, case: &'static Case) -> Result<Vec<String>> {
        if !can_share(case) {
            let scratch = Scratch::new();
            return on_disk(case, |disk| call(case, disk, &scratch));
        }
        let waits = self.servers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut served = waits.unwrap_or_else(Served::new);
        let problems = on_disk(case, |disk| served.call(case, disk))?;
        if problems.is_empty() {
            self.servers.lock().unwrap_or_else(PoisonError::into_inner).push(served);
        }
        Ok(problems)
    }

    fn check(&self, cases: &[&Case]) -> Result<()> {
        let shared = cases.iter().filter(|case| can_share(case)).count();
        ensure!(shared * 10 > cases.len() * 6, "only {shared} of {} cases share a server", cases.len());
        Ok(())
    }
}

fn is_refused_earlier(case: &Case) -> bool {
    !arguments(case).is_ok_and(|arguments| matches!(serde_json::from_str(&arguments), Ok(Value::Object(_))))
}

/// A server over `w` for many cases: a start takes half of a case's time.
struct Served {
    client: Client,
    scratch: Scratch,
}

impl Served {
    fn new() -> Self {
        let scratch = Scratch::new();
        let grant = format!("{}::/w", scratch.granted().display());
        let mut client = Client::start(command(&scratch, &["--dir".to_owned(), grant]));
        client.initialize(HANDSHAKE);
        Self { client, scratch }
    }

    fn call(&mut self, case: &Case, disk: &Disk) -> Result<Answer> {
        let own = disk.path().join("w");
        move_all(&own, &self.scratch.granted())?;
        let answer = asked(&mut self.client, case);
        move_all(&self.scratch.granted(), &own)?;
        answer?.context("a tool that is listed is not served")
    }
}

/// Whether a case cannot see earlier cases in the same server.
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

fn command(scratch: &Scratch, grants: &[String]) -> Command {
    let mut command = scratch.command();
    // The runner changes files between the cases of one session.
    command.args(["mcp", "--tools", "all", "--parallel", "1", "--no-remember"]).args(grants);
    command
}

fn call(case: &Case, disk: &Disk, scratch: &Scratch) -> Result<Answer> {
    let mut command = command(scratch, &grants(case, disk));
    if let Some(policy) = &case.policy {
        command.env("FSGATE_POLICY", &policy.text);
    }
    let mut client = Client::start(command);
    client.initialize(HANDSHAKE);
    let Some(answer) = asked(&mut client, case)? else {
        // With read-only grants only, tools that change are not listed. A gate answers then.
        return Ok(disk.gate_under(&case.before, case.policies().1)?.call(&case.tool, &arguments(case)?));
    };
    ensure!(client.close().0.success(), "a bad end");
    Ok(answer)
}

/// The answer to a case, or `None` if its tool is not served.
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
