//! The program and the library in use. One test program, because each one links the whole engine.

mod audit;
mod cli;
mod command;
mod config;
mod confinement;
mod crash;
mod front_ends;
mod image;
mod machine;
mod mcp;
mod permissions;
mod repositories;
mod shell;
mod state;
mod surroundings;
mod trees;
