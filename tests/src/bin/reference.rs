//! Writes the reference: the pages in `docs/tools/`, and the README's table.

use std::fs;

use anyhow::{Context, Result};
use fsgate_tests::reference::{files, root};

fn main() -> Result<()> {
    for (path, content) in files()? {
        let path = root().join(path);
        fs::create_dir_all(path.parent().context("a file has a directory")?)?;
        fs::write(path, content)?;
    }
    Ok(())
}
