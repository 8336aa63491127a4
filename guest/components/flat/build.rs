//! Makes the world `flat` and its functions from `wit/`.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> anyhow::Result<()> {
    let wit = Path::new("../../../wit");
    println!("cargo::rerun-if-changed={}", wit.display());
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let contract = fsgate_generator::model::Contract::read(wit)?;
    fs::write(out.join("flat.rs"), fsgate_generator::flat::source(&contract)?)?;
    let world = out.join("wit");
    fs::create_dir_all(&world)?;
    fs::write(world.join("world.wit"), fsgate_generator::flat::wit(&contract)?)?;
    // The macro takes a literal path.
    let bindings = format!(
        r#"fsgate_wasi::bindings!(
            ["../../../wit", {world:?}],
            "fsgate:flat/flat",
            "fsgate:tools/edit-types@0.1.0": edit_types,
            "fsgate:tools/manage-types@0.1.0": manage_types,
            "fsgate:tools/history-types@0.1.0": history_types
        );"#
    );
    fs::write(out.join("bindings.rs"), bindings)?;
    Ok(())
}
