//! `tools`: the component's description of itself.

use clap::ArgMatches;
use fsgate_contract::agent_types::Tool;
use serde_json::{Value, json};

use crate::environment::Shell;
use crate::exit::Exit;

pub(crate) fn run(args: &ArgMatches, shell: Shell) -> Result<Exit, Exit> {
    let tools = shell.caller.tools().map_err(|problem| {
        shell.complain(&problem);
        Exit::Internal
    })?;
    let text = if args.get_flag("json") { format!("{:#}\n", catalogue(&tools)) } else { table(&tools) };
    shell.print(text.as_bytes()).map(|()| Exit::Done)
}

fn catalogue(tools: &[Tool]) -> Value {
    let schema = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    tools
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": schema(&tool.input_schema),
                "outcome_schema": schema(&tool.outcome_schema),
                "annotations": tool.annotations,
            })
        })
        .collect()
}

fn table(tools: &[Tool]) -> String {
    let width = tools.iter().map(|tool| tool.name.len()).max().unwrap_or_default();
    tools
        .iter()
        .map(|tool| {
            let summary = tool.description.split("\n\n").next().unwrap_or_default().replace('\n', " ");
            format!("{:width$}  {summary}\n", tool.name)
        })
        .collect()
}
