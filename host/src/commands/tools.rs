//! `fsgate tools`: what the component says of itself.

use clap::ArgMatches;
use fsgate::{Gate, Tool};
use serde_json::{Value, json};

use super::build;
use crate::output::{Exit, answer, complain};

pub(crate) fn run(args: &ArgMatches) -> Exit {
    let gate = match build(Gate::builder().nothing()) {
        Ok(gate) => gate,
        Err(exit) => return exit,
    };
    match gate.tools() {
        Ok(tools) if args.get_flag("json") => answer(format!("{:#}\n", catalogue(&tools)).as_bytes()),
        Ok(tools) => answer(table(&tools).as_bytes()),
        Err(error) => {
            complain(&error.message);
            Exit::Internal
        }
    }
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
