//! The component for ACT, with other directories in the section that describes it.

use std::env;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use fsgate_artifact::Kind;
use fsgate_artifact::sections::append;
use serde_json::{Value, json};

use crate::program::kind;

/// The section from which the host reads the wishes of a component.
const SECTION: &str = "act:component";

/// A directory of this machine under a name for the component.
pub(crate) struct Mount {
    pub(crate) host: PathBuf,
    pub(crate) name: String,
    pub(crate) is_read_only: bool,
}

/// The program `act`, without input, variables and the home of a user.
pub(crate) fn act(home: &Path) -> Command {
    program("ACT", home)
}

/// The program `act-build`, which validates a component.
pub(crate) fn act_build(home: &Path) -> Command {
    program("ACT_BUILD", home)
}

fn program(variable: &str, home: &Path) -> Command {
    let Some(program) = env::var_os(variable) else {
        panic!("{variable} has to name a program: `make test-hosts` installs it and says where");
    };
    let mut command = Command::new(program);
    command.env_clear().env("HOME", home).current_dir(home).stdin(Stdio::null());
    // Compilation takes most of a start.
    command.env("ACT_WASMTIME_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("act-compiled"));
    command
}

/// The section of the component, decoded.
pub(crate) fn told() -> Result<Value> {
    let component = kind(Kind::Act);
    let (_, data) = custom_sections(&component)?
        .into_iter()
        .find(|(name, _)| name == SECTION)
        .with_context(|| format!("no section is `{SECTION}`"))?;
    Ok(ciborium::from_reader(data)?)
}

/// The component with these mounts. Without them it mounts all of the machine.
pub(crate) fn mounted(mounts: &[Mount]) -> Result<Vec<u8>> {
    let mut told = told()?;
    let params = mounts.iter().map(|mount| json!({ "guest": mount.name, "host": mount.host }));
    told["std"]["capabilities"]["wasi:filesystem"]["params"] =
        json!({ "mounts": params.collect::<Vec<_>>() });
    let mut data = Vec::new();
    ciborium::into_writer(&told, &mut data)?;
    let mut component = without(&kind(Kind::Act), SECTION)?;
    append(&mut component, SECTION, &data);
    Ok(component)
}

/// The same mounts by relative links in the home, where the program starts.
///
/// The program finds compiled code by the bytes of a component, and these contain the paths of its
/// mounts. With links, components that differ in their directories only share the code.
pub(crate) fn linked(mounts: impl IntoIterator<Item = Mount>, home: &Path) -> Result<Vec<Mount>> {
    let linked = mounts.into_iter().enumerate().map(|(number, mount)| {
        let link = PathBuf::from(format!("mount-{number}"));
        symlink(&mount.host, home.join(&link))?;
        Ok(Mount { host: link, ..mount })
    });
    linked.collect()
}

/// The words that allow mounts.
pub(crate) fn allowed(mounts: &[Mount]) -> Vec<String> {
    let rule = |mount: &Mount| {
        let mode = if mount.is_read_only { "ro" } else { "rw" };
        [String::from("--allow"), format!("fs={}/**:{mode}", mount.host.display())]
    };
    mounts.iter().flat_map(rule).collect()
}

fn without(component: &[u8], name: &str) -> Result<Vec<u8>> {
    let mut kept = component[..8].to_vec();
    for section in sections(component)? {
        if section.name.as_deref() != Some(name) {
            kept.extend(section.bytes);
        }
    }
    Ok(kept)
}

fn custom_sections(component: &[u8]) -> Result<Vec<(String, &[u8])>> {
    Ok(sections(component)?.into_iter().filter_map(|section| Some((section.name?, section.data))).collect())
}

struct Section<'a> {
    /// The section with its head.
    bytes: &'a [u8],
    /// The name of a custom section.
    name: Option<String>,
    /// The bytes after the name.
    data: &'a [u8],
}

/// The sections of a component.
fn sections(component: &[u8]) -> Result<Vec<Section<'_>>> {
    let mut sections = Vec::new();
    let mut rest = component.get(8..).context("a head")?;
    while let Some((id, after)) = rest.split_first() {
        let (length, body) = number(after)?;
        ensure!(length <= body.len(), "a section goes past the end");
        let (content, next) = body.split_at(length);
        let bytes = &rest[..rest.len() - next.len()];
        let (name, data) = if *id == 0 {
            let (length, named) = number(content)?;
            ensure!(length <= named.len(), "a name goes past the end");
            (Some(String::from_utf8(named[..length].to_vec())?), &named[length..])
        } else {
            (None, content)
        };
        sections.push(Section { bytes, name, data });
        rest = next;
    }
    Ok(sections)
}

/// A number in LEB128, and the bytes after it.
fn number(bytes: &[u8]) -> Result<(usize, &[u8])> {
    let mut number = 0;
    for (place, byte) in bytes.iter().enumerate().take(5) {
        number |= usize::from(byte & 0x7F) << (7 * place);
        if byte & 0x80 == 0 {
            return Ok((number, &bytes[place + 1..]));
        }
    }
    anyhow::bail!("a number does not end")
}
