//! Makes the contract's Rust from `wit/`.

use std::fs;
use std::path::Path;

fn main() -> anyhow::Result<()> {
    // In the repository the contract stands at the top. A published package of this crate carries it, and whatever lies around
    // that is somebody else's.
    let guest = fs::read_to_string("../Cargo.toml").unwrap_or_default();
    let wit = Path::new(if guest.contains("\"fsgate-guest\"") { "../../wit" } else { "wit" });
    println!("cargo::rerun-if-changed={}", wit.display());
    let source = fsgate_generator::generate(wit)?;
    fs::write(Path::new(&std::env::var("OUT_DIR")?).join("contract.rs"), source)?;
    Ok(())
}
