//! The programs that `bench/peers.sh` installs.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

/// The folder of everything that is built.
pub(crate) fn target() -> Result<PathBuf> {
    let program = env::current_exe()?;
    Ok(program.ancestors().nth(2).context("not in a target folder")?.to_owned())
}

/// A peer by its name, if it is there; else says that it is not.
#[expect(clippy::print_stderr, reason = "rows that are left out are named")]
pub(crate) fn peer(name: &str) -> Result<Option<Command>> {
    let peers = target()?.join("peers");
    let server = "node/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js";
    let (path, command) = match name {
        "server-filesystem" => (peers.join(server), Some("node")),
        _ => (peers.join("bin").join(name), None),
    };
    if !path.exists() {
        eprintln!("{name} is not installed: its rows are left out");
        return Ok(None);
    }
    Ok(Some(match command {
        None => Command::new(path),
        Some(command) => {
            let mut command = Command::new(command);
            command.arg(path);
            command
        }
    }))
}
