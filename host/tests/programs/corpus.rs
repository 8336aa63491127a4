//! Every case through the program: on its command line, and over MCP.

#[path = "../mcp/client.rs"]
#[expect(dead_code, reason = "the tests of the protocol use the rest")]
mod client;
#[path = "corpus/command_line.rs"]
mod command_line;
#[path = "corpus/protocol.rs"]
mod protocol;

use std::process::ExitCode;
use std::sync::Arc;

use command_line::CommandLine;
use fsgate::Access;
use fsgate_corpus::case::Case;
use fsgate_corpus::trials;
use fsgate_tests::disk::{Disk, use_memory};
use protocol::Protocol;

fn main() -> ExitCode {
    use_memory();
    trials::main(vec![Arc::new(CommandLine), Arc::new(Protocol::default())])
}

/// The arguments that grant the directories of a case.
fn grants(case: &Case, disk: &Disk) -> Vec<String> {
    let words = case.before.grants.iter().map(|grant| {
        let flag = match grant.access {
            Access::Read => "--read-only-dir",
            Access::Write => "--dir",
        };
        let directory = disk.path().join(&grant.directory);
        [flag.to_owned(), format!("{}::{}", directory.display(), grant.name)]
    });
    words.flatten().collect()
}
