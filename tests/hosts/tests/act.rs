//! The component for ACT in the program `act`: the corpus over its MCP server, its command line, and what it makes of grants.

mod component;
mod corpus;
mod escapes;
mod listing;
mod session;
mod settings;
