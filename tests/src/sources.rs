//! Real source trees: crates that this build is made from, so any machine that has built it has them.

use std::path::PathBuf;
use std::{env, fs};

/// The newest version of a crate in cargo's registry folder, by a name such as `serde_json-1`. None in a vendored build.
pub fn sources(name: &str) -> Option<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")))?;
    let registries = fs::read_dir(home.join("registry/src")).ok()?;
    let crates =
        registries.flatten().filter_map(|registry| fs::read_dir(registry.path()).ok()).flatten().flatten();
    let with_name =
        crates.filter(|entry| entry.file_name().to_string_lossy().starts_with(&format!("{name}.")));
    with_name.map(|entry| entry.path()).max()
}
