//! Writes every component of this build into a directory.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use fsgate_artifact::Kind;

fn main() -> Result<()> {
    let directory = std::env::args_os().nth(1).context("give a directory")?;
    for kind in Kind::ALL {
        if let Some(component) = kind.bytes() {
            let file = Path::new(&directory).join(kind.file_name());
            fs::write(&file, component).with_context(|| format!("writing {}", file.display()))?;
        }
    }
    Ok(())
}
