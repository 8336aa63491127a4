//! The settings of the component, which ACT passes no variables: a mount with a file for each one.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::component::Mount;

/// The directory of settings in a home.
pub(crate) fn mount(home: &Path) -> Mount {
    Mount { host: home.join("settings"), name: "/.fsgate-settings".to_owned(), is_read_only: true }
}

/// Writes settings, and removes those of an earlier call.
pub(crate) fn write(home: &Path, settings: &[(&str, &str)]) -> Result<()> {
    let directory = mount(home).host;
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    fs::create_dir(&directory)?;
    for (name, value) in settings {
        fs::write(directory.join(name), value)?;
    }
    Ok(())
}
