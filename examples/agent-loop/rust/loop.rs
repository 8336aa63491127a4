//! An agent in sixty lines: `cargo run --package fsgate --example agent_loop`.
//!
//! The model is a script, so that this runs without a key: put a call of a real one in its place. The loop stays as it is.

use std::{error::Error, fs, io::Write};

use fsgate::{Access, Gate, Tool};
use serde_json::{Value, json};

const SCRIPT: [(&str, &str); 4] = [
    ("grep", r#"{"pattern": "timeout"}"#),
    // It stands there twice: nothing is changed, and the answer says where.
    ("edit", r#"{"path": "settings.py", "old": "10", "new": "30"}"#),
    ("edit", r#"{"path": "settings.py", "old": "timeout = 10", "new": "timeout = 30"}"#),
    ("read", r#"{"path": "../secret.txt"}"#),
];
const LAST: &str = "The timeout is 30 now. I was not let out of the project.";

/// Stands for a model: takes the conversation and the tools, gives the next message.
fn scripted(messages: &[Value], _tools: &[Value]) -> Value {
    let turn = messages.len() / 2;
    let Some((name, arguments)) = SCRIPT.get(turn) else {
        return json!({"role": "assistant", "content": LAST});
    };
    let function = json!({"name": name, "arguments": arguments});
    json!({"role": "assistant", "tool_calls": [{"id": turn.to_string(), "type": "function", "function": function}]})
}

/// A tool as OpenAI's Chat Completions take it.
fn definition(tool: &Tool) -> Result<Value, serde_json::Error> {
    let parameters: Value = serde_json::from_str(&tool.input_schema)?;
    let function = json!({"name": tool.name, "description": tool.description, "parameters": parameters});
    Ok(json!({"type": "function", "function": function}))
}

/// Lets the model call tools until it has nothing more to call. What is refused is an answer too: it says what to do next.
pub(crate) fn run(gate: &Gate, task: &str, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let tools = Gate::lean_tools().iter().map(definition).collect::<Result<Vec<_>, _>>()?;
    let mut messages = vec![json!({"role": "user", "content": task})];
    loop {
        let message = scripted(&messages, &tools);
        messages.push(message.clone());
        let Some(calls) = message["tool_calls"].as_array() else {
            return Ok(writeln!(out, "{}", message["content"].as_str().unwrap_or_default())?);
        };
        for call in calls {
            let [name, arguments] =
                ["name", "arguments"].map(|part| call["function"][part].as_str().unwrap_or_default());
            let (Ok(answer) | Err(answer)) = gate.lean_answer(name, arguments);
            writeln!(out, "{name} {arguments}\n  {}", answer.lines().next().unwrap_or_default())?;
            messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": answer}));
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let project = scratch.path().join("project");
    fs::create_dir(&project)?;
    fs::write(project.join("settings.py"), "retries = 10\ntimeout = 10\n")?;
    let state = scratch.path().join("state");
    let gate = Gate::builder().dir_as(&project, "/project", Access::Write).state_root(state).build()?;
    run(&gate, "Set the timeout to 30.", &mut std::io::stdout())?;
    assert_eq!(fs::read_to_string(project.join("settings.py"))?, "retries = 10\ntimeout = 30\n");
    Ok(())
}
