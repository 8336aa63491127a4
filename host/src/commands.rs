//! The program's own subcommands, one file each.

pub(crate) mod audit;
pub(crate) mod completions;
pub(crate) mod component;
pub(crate) mod config;
pub(crate) mod man;
pub(crate) mod mcp;
mod mcp_clients;
pub(crate) mod skill;
