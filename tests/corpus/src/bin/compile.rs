//! Writes the corpus as JSON lines: `compile DIRECTORY`.

use std::path::PathBuf;
use std::{env, fs};

use anyhow::{Context, Result};
use fsgate_corpus::compile;

fn main() -> Result<()> {
    let directory: PathBuf = env::args_os().nth(1).context("usage: compile DIRECTORY")?.into();
    fs::create_dir_all(&directory)?;
    fs::write(directory.join("cases.jsonl"), compile::tools()?)?;
    fs::write(directory.join("front-ends.jsonl"), compile::front_ends()?)?;
    Ok(())
}
