//! Components in a package. `tests/package/crates.sh` puts them there with a list of hashes.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

/// A component's bytes, if they match the packed hash.
pub(crate) fn component(directory: &Path, name: &str) -> Result<Vec<u8>> {
    let read = |name: &str| {
        let file = directory.join(name);
        fs::read(&file)
            .with_context(|| format!("this package carries no components: reading {}", file.display()))
    };
    let list = String::from_utf8(read("SHA256SUMS")?)?;
    // As in `sha256sum`: hash, two characters, name.
    let packed = list.lines().find_map(|line| line.split_once("  ").filter(|(_, file)| *file == name));
    let Some((expected, _)) = packed else { bail!("`{name}` is not among the components that were packed") };
    let bytes = read(name)?;
    let found: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    if found != expected {
        bail!("`{name}` is not the component that was packed: its SHA-256 is {found}, and not {expected}");
    }
    Ok(bytes)
}
