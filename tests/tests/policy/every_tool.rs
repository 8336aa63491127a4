//! Every case of the corpus once more, where a rule names everything below the grants. What the tool is does not matter:
//! nothing may be changed, nothing that may not be seen is in an answer, and below the guard nothing was opened.

use std::collections::BTreeSet;

use fsgate_contract::agent_types::CallArgs;
use fsgate_contract::{OPERATIONS, Operation};
use fsgate_corpus::calls::arguments;
use fsgate_engine::agent;
use fsgate_engine::session::Session;
use fsgate_tests::case::{self, Case, Kind};
use fsgate_tests::memory;
use fsgate_tests::tree::{Item, Tree};
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::Memory;
use fsgate_volume::{Access, Volume};
use serde_json::{Value, json};

use super::recorder::Recorder;

/// Bytes that no answer has by chance.
const CANARY: &str = "kestrel-7f3a91";

/// What a rule does to everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Hidden,
    Denied,
    ReadOnly,
}

impl Effect {
    fn policy(self) -> String {
        let effect = match self {
            Self::Hidden => "hidden",
            Self::Denied => "denied",
            Self::ReadOnly => "read_only",
        };
        let rule = json!({"name": "everything", "paths": ["*"], "effect": effect});
        json!({"profile": "open", "rules": [rule]}).to_string()
    }
}

#[test]
fn where_everything_is_hidden_nothing_is_there() {
    run(Effect::Hidden);
}

#[test]
fn where_everything_is_denied_nothing_is_opened() {
    run(Effect::Denied);
}

#[test]
fn where_everything_is_read_only_nothing_is_changed() {
    run(Effect::ReadOnly);
}

fn run(effect: Effect) {
    let cases = case::all().unwrap_or_else(|error| panic!("{error:#}"));
    let (mut failures, mut tools) = (Vec::new(), BTreeSet::new());
    for case in &cases {
        if case.only.as_ref().is_some_and(|only| only.volume == Kind::Disk) {
            continue;
        }
        tools.extend(Operation::find(&case.tool).map(|operation| operation.name));
        let problems = problems(case, effect).unwrap_or_else(|error| vec![format!("{error:#}")]);
        if !problems.is_empty() {
            let name = format!("{}.cases.md, {}, {}", case.file, case.tool, case.name);
            failures.push(format!("{name}:\n    {}", problems.join("\n    ")));
        }
    }
    assert_eq!(tools, OPERATIONS.iter().map(|operation| operation.name).collect(), "a tool was not tried");
    assert!(failures.is_empty(), "{} cases fail:\n  {}", failures.len(), failures.join("\n  "));
}

/// The call of a case under a policy about everything. What is wrong with what it does.
fn problems(case: &Case, effect: Effect) -> anyhow::Result<Vec<String>> {
    // What may be read is what the case has, so that calls get as far as they can.
    let tree = if effect == Effect::ReadOnly { case.before.clone() } else { marked(&case.before) };
    let volume = memory::volume(&tree)?;
    let earlier = session(&tree, &volume, &Recorder::default(), r#"{"profile": "open"}"#);
    let mut undo_ids = Vec::new();
    for call in &case.earlier {
        // On marked files some are refused.
        let step = case.step(call, &undo_ids);
        let outcome = ask(&earlier, &step.tool, &arguments(&step)?).unwrap_or_default();
        let id = serde_json::from_str::<Value>(&outcome).unwrap_or_default()["undo_id"]
            .as_str()
            .map(str::to_owned);
        undo_ids.push(id.unwrap_or_else(|| "0".repeat(32)));
    }
    drop(earlier);
    let case = case.with_undo_ids(&undo_ids);
    let before = memory::snapshot(&volume);

    let log = Recorder::default();
    let guarded = session(&tree, &volume, &log, &effect.policy());
    let answer = ask(&guarded, &case.tool, &arguments(&case)?);
    let text = answer.clone().unwrap_or_else(|refused| refused);
    let mut problems = Vec::new();
    if memory::snapshot(&volume) != before {
        problems.push(format!("something was changed; the answer is {text}"));
    }
    if !log.writes().is_empty() {
        problems.push(format!("below the guard: {:?}; the answer is {text}", log.writes()));
    }
    if effect != Effect::ReadOnly {
        if !log.reads().is_empty() {
            problems.push(format!("below the guard: {:?}; the answer is {text}", log.reads()));
        }
        if text.contains(CANARY) {
            problems.push(format!("the answer has the content of a file: {text}"));
        }
    }
    if effect == Effect::Hidden && is_told_of_now(&case) {
        // What has no name that a rule could be about is left as it is.
        let stays = |(path, item): &(&String, &Item)| {
            let above = path.rsplit_once('/').map_or("", |(above, _)| above);
            matches!(item, Item::Undecodable(_)) && tree.grants.iter().any(|grant| grant.directory == above)
        };
        let items =
            tree.items.iter().filter(stays).map(|(path, item)| (path.clone(), item.clone())).collect();
        let empty = Tree { items, ..tree.clone() };
        let nothing = memory::volume(&empty)?;
        let there = ask(
            &session(&empty, &nothing, &Recorder::default(), &effect.policy()),
            &case.tool,
            &arguments(&case)?,
        );
        if answer != there {
            problems.push(format!("the answer is {text}, and without anything there {there:?}"));
        }
    }
    Ok(problems)
}

/// True for an operation that tells of nothing but what is there now.
fn is_told_of_now(case: &Case) -> bool {
    Operation::find(&case.tool).is_some_and(|operation| operation.interface != "history")
}

/// The same tree, where every file says something that can be told from anything else.
fn marked(tree: &Tree) -> Tree {
    let items = tree.items.iter().map(|(path, item)| {
        let item = match item {
            Item::File { mode, .. } => Item::file(format!("{CANARY}\n"), *mode),
            item => item.clone(),
        };
        (path.clone(), item)
    });
    Tree { items: items.collect(), ..tree.clone() }
}

fn ask<V: Volume>(session: &Session<V>, tool: &str, arguments: &str) -> Result<String, String> {
    let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
    agent::call(session, &args).map(|ok| ok.outcome).map_err(|refused| refused.error)
}

/// A session whose granted directories write down what is done in them; the state directory does not.
fn session(tree: &Tree, volume: &Memory, log: &Recorder, policy: &str) -> Session<Recorder> {
    let grant = |grant: &fsgate_tests::tree::Grant| Grant {
        name: grant.name.clone(),
        volume: Recorder::new(volume.at(&grant.directory), log),
        access: grant.access,
    };
    let state = Grant {
        name: "/.fsgate".to_owned(),
        volume: Recorder::new(volume.at(memory::STATE), &Recorder::default()),
        access: Access::Write,
    };
    let variables = [
        ("FSGATE_LOCK", "host"),
        ("FSGATE_SESSION", "0123456789abcdef0123456789abcdef"),
        ("FSGATE_POLICY", policy),
    ];
    Session::open_or_refuse(tree.grants.iter().map(grant).chain([state]).collect(), variables)
}
