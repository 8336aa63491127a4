//! Every case through the program: on its command line, and over the Model Context Protocol.

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
use fsgate_corpus::trials;
use protocol::Protocol;

fn main() -> ExitCode {
    trials::main(vec![Arc::new(CommandLine), Arc::new(Protocol::default())])
}
