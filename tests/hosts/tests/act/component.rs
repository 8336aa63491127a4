//! The component for ACT with other directories in what it says of itself.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use fsgate_artifact::Kind;
use fsgate_artifact::sections::append;
use serde_json::{Value, json};

use crate::program::kind;

/// The section in which the host looks for what a component wants.
const SECTION: &str = "act:component";

/// A directory of this machine under a name for the component.
pub(crate) struct Mount {
    pub(crate) host: PathBuf,
    pub(crate) name: String,
    pub(crate) is_read_only: bool,
}

/// The program `act`, without input, and with neither a home nor variables of anybody's.
pub(crate) fn act(home: &Path) -> Command {
    program("ACT", home)
}

/// The program `act-build`, which looks a component over.
pub(crate) fn act_build(home: &Path) -> Command {
    program("ACT_BUILD", home)
}

fn program(variable: &str, home: &Path) -> Command {
    let Some(program) = env::var_os(variable) else {
        panic!("{variable} has to name a program: `make test-hosts` installs it and says where");
    };
    let mut command = Command::new(program);
    command.env_clear().env("HOME", home).current_dir(home).stdin(Stdio::null());
    command
}

/// What the component says of itself.
pub(crate) fn told() -> Result<Value> {
    let (_, data) = custom_sections(kind(Kind::Act))?
        .into_iter()
        .find(|(name, _)| name == SECTION)
        .with_context(|| format!("no section is `{SECTION}`"))?;
    Ok(ciborium::from_reader(data)?)
}

/// The component, with these directories under their names in the place of all of the machine.
pub(crate) fn mounted(mounts: &[Mount]) -> Result<Vec<u8>> {
    let mut told = told()?;
    let params = mounts.iter().map(|mount| json!({ "guest": mount.name, "host": mount.host }));
    told["std"]["capabilities"]["wasi:filesystem"]["params"] =
        json!({ "mounts": params.collect::<Vec<_>>() });
    let mut data = Vec::new();
    ciborium::into_writer(&told, &mut data)?;
    let mut component = without(kind(Kind::Act), SECTION)?;
    append(&mut component, SECTION, &data);
    Ok(component)
}

/// What `--allow` says for directories.
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
    /// All of it.
    bytes: &'a [u8],
    /// Of a custom section.
    name: Option<String>,
    /// What is behind the name.
    data: &'a [u8],
}

/// The sections behind the head of a component.
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

/// A number in LEB128, and what is behind it.
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
