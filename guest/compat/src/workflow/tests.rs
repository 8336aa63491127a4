//! Cases in the system's notation, syntax, complete texts, and laws.

mod cases;
mod forms;
mod texts;

use serde_json::Value;

use crate::Tools;
use fsgate_contract::front_ends_types::{WorkflowArgs, WorkflowVariable};
use fsgate_engine::session::Session;
use fsgate_volume::Access;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::Memory;

/// The history's directory, beside the grants.
const STATE: &str = "state";

/// A session over `/home/user/project`, the working directory, and `/shared/templates`, read-only,
/// with a history on the same file system.
fn session(volume: &Memory, policy: &str) -> Session<Memory> {
    let grant = |name: &str, volume: Memory, access| Grant { name: name.to_owned(), volume, access };
    let grants = vec![
        grant("/home/user/project", volume.at("project"), Access::Write),
        grant("/shared/templates", volume.at("templates"), Access::Read),
        grant("/.fsgate", volume.at(STATE), Access::Write),
    ];
    Session::open_or_refuse(grants, [("FSGATE_LOCK", "host"), ("FSGATE_POLICY", policy)])
}

/// The output of a text, and the rendered text.
fn run(tools: &impl Tools, text: &str, variables: &[(&str, &str)]) -> (Value, String) {
    let variable = |(name, value): &(&str, &str)| WorkflowVariable {
        name: (*name).to_owned(),
        value: (*value).to_owned(),
    };
    let args = WorkflowArgs {
        text: text.to_owned(),
        variables: Some(variables.iter().map(variable).collect()),
        render: Some(true),
        ..WorkflowArgs::default()
    };
    let outcome = super::run(tools, &args);
    (serde_json::from_str(&outcome.output).unwrap(), outcome.rendered.unwrap())
}
