//! The program `wasmtime`: what its makers' own `main` does, for the two subcommands that the tests use.

use clap::Parser;
use wasmtime_cli::commands::{CompileCommand, RunCommand};

#[derive(Parser)]
enum Wasmtime {
    Run(RunCommand),
    Compile(CompileCommand),
}

fn main() -> wasmtime::Result<()> {
    match Wasmtime::parse() {
        Wasmtime::Run(command) => command.execute(),
        Wasmtime::Compile(command) => command.execute(),
    }
}
