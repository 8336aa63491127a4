//! Makes the contract's Rust from `wit/`.

use std::path::Path;

fn main() -> anyhow::Result<()> {
    let wit = Path::new("../../wit");
    println!("cargo::rerun-if-changed={}", wit.display());
    let source = fsgate_generator::generate(wit)?;
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("contract.rs"), source)?;
    Ok(())
}
