//! Makes the functions of the world `flat` from `wit/`.

use std::path::Path;

fn main() -> anyhow::Result<()> {
    let wit = Path::new("../../../wit");
    println!("cargo::rerun-if-changed={}", wit.display());
    let contract = fsgate_generator::model::Contract::read(wit)?;
    let source = fsgate_generator::flat::source(&contract)?;
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("flat.rs"), source)?;
    Ok(())
}
