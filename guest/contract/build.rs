//! Makes the contract's Rust from `wit/`.

use std::fs;
use std::path::Path;

fn main() -> anyhow::Result<()> {
    // The contract is at the repository's top. A published package carries it.
    let components = Path::new("../components/wasi/Cargo.toml");
    let wit = Path::new(if components.exists() { "../../wit" } else { "wit" });
    println!("cargo::rerun-if-changed={}", wit.display());
    let source = fsgate_generator::generate(wit)?;
    fs::write(Path::new(&std::env::var("OUT_DIR")?).join("contract.rs"), source)?;
    Ok(())
}
