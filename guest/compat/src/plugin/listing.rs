//! `filesystem.list` and `filesystem.glob`: entries and their metadata.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::json;

use super::execute::{CallOutput, PluginExecutor};
use super::failure::PluginFailure;
use super::location::{self, PluginPath, is_sidecar, sidecar};
use super::picomatch::PicomatchPattern;
use super::sidecar::{Sidecar, moment};
use crate::bounds::ended;
use crate::complete_file::PAGE_ITEMS;
use crate::{Tools, answered};
use fsgate_contract::Arguments;
use fsgate_contract::limits::{PLUGIN_LISTING_BYTES, PLUGIN_STEPS};
use fsgate_contract::media_type::by_name;
use fsgate_contract::read_types::StatArgs;
use fsgate_contract::search_types::{GlobArgs, ListDirectoryArgs};
use fsgate_contract::types::{Code, Entry, Error, Kind};

/// An entry's size in an answer, besides its texts.
const ENTRY_BYTES: usize = 200;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FileMetadata {
    path: String,
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
}

struct FoundNames {
    things: Vec<ListedEntry>,
    sidecars: BTreeSet<String>,
    room: usize,
}

struct ListedEntry {
    path: String,
    kind: Kind,
    size: u64,
    modified: Option<String>,
}

impl FoundNames {
    fn new() -> Self {
        Self { things: Vec::new(), sidecars: BTreeSet::new(), room: PLUGIN_LISTING_BYTES }
    }

    fn take(&mut self, bytes: usize) -> Result<(), PluginFailure> {
        let most = PLUGIN_LISTING_BYTES;
        self.room = self.room.checked_sub(bytes).ok_or_else(|| {
            PluginFailure::new(
                &Code::TooLarge(most as u64),
                format!("the entries have more than {most} bytes"),
            )
        })?;
        Ok(())
    }

    fn add(&mut self, path: String, entry: Entry) -> Result<(), PluginFailure> {
        self.take(path.len() + ENTRY_BYTES)?;
        self.things.push(ListedEntry { path, kind: entry.kind, size: entry.size, modified: entry.modified });
        Ok(())
    }

    fn add_sidecar(&mut self, path: String) -> Result<(), PluginFailure> {
        self.take(path.len() + ENTRY_BYTES)?;
        self.sidecars.insert(path);
        Ok(())
    }
}

impl<T: Tools> PluginExecutor<'_, T> {
    pub(super) fn list(&self, path: &str) -> CallOutput {
        let location = PluginPath::new(path)?;
        let mut args = ListDirectoryArgs {
            path: location.asked(),
            include_hidden: Some(true),
            max_items: Some(PAGE_ITEMS),
            ..ListDirectoryArgs::default()
        };
        let mut found = FoundNames::new();
        loop {
            let page = self.tools.call(&args).map_err(PluginFailure::from)?;
            for entry in page.entries {
                let path = location.join(&entry.name);
                match is_sidecar(&entry.name) {
                    true => found.add_sidecar(path)?,
                    false => found.add(path, entry)?,
                }
            }
            match page.next_cursor {
                None => return self.entries(found),
                next => args.cursor = next,
            }
        }
    }

    pub(super) fn glob(&mut self, pattern: &str, cwd: &str) -> CallOutput {
        let location = PluginPath::new(cwd)?;
        let pattern = PicomatchPattern::new(pattern).map_err(|invalid| {
            let position = invalid.position;
            let problem = format!("`pattern`, position {position}: {}", invalid.problem);
            PluginFailure::new(&Code::InvalidPattern(position as u64), problem)
        })?;
        let mut args = GlobArgs {
            pattern: "**".to_owned(),
            path: Some(location.asked()),
            include_hidden: Some(true),
            respect_ignore: Some(false),
            max_items: Some(PAGE_ITEMS),
            ..GlobArgs::default()
        };
        let mut found = FoundNames::new();
        loop {
            let page = match self.tools.call(&args) {
                Ok(page) => page,
                Err(Error { code: Code::NotFound, .. }) => return Ok(json!({"entries": []})),
                Err(error) => return Err(PluginFailure::from(error)),
            };
            let start = page.path.trim_end_matches('/').len() + 1;
            for entry in page.entries {
                let below = entry.path.get(start..).unwrap_or_default();
                let path = location.join(below);
                self.steps = self.steps.checked_sub(pattern.steps(below.len())).ok_or_else(too_many_steps)?;
                // No call checks the clock while matching.
                if let Some(ended) = ended(self.tools.bounds(), GlobArgs::OPERATION) {
                    return Err(PluginFailure::from(ended));
                }
                let is_hidden = below.split('/').any(is_sidecar);
                if is_hidden {
                    found.add_sidecar(path)?;
                } else if pattern.matches(below) {
                    found.add(path, entry)?;
                }
            }
            match page.next_cursor {
                None => return self.entries(found),
                next => args.cursor = next,
            }
        }
    }

    fn entries(&self, FoundNames { mut things, sidecars, .. }: FoundNames) -> CallOutput {
        for thing in things.iter_mut().filter(|thing| thing.kind == Kind::Link) {
            self.follow(thing)?;
        }
        things.retain(|thing| matches!(thing.kind, Kind::File | Kind::Directory));
        let of = |thing: &ListedEntry| {
            Some(sidecar(&thing.path)).filter(|path| thing.kind == Kind::File && sidecars.contains(path))
        };
        let paths: Vec<_> = things.iter().filter_map(of).map(|path| location::entry(&path)).collect();
        let mut said = self.sidecars(&paths)?.into_iter();
        let mut entries = Vec::with_capacity(things.len());
        for thing in things {
            let sidecar = of(&thing).and_then(|_| said.next().flatten());
            entries.push(thing.described(sidecar.unwrap_or_default()));
        }
        Ok(json!({"entries": entries}))
    }

    fn follow(&self, thing: &mut ListedEntry) -> Result<(), PluginFailure> {
        let args = StatArgs { path: location::entry(&thing.path), ..StatArgs::default() };
        if let Some(outcome) = answered(self.tools.call(&args)).map_err(PluginFailure::from)? {
            let Entry { kind, size, modified, .. } = outcome.entry;
            (thing.kind, thing.size, thing.modified) = (kind, size, modified);
        }
        Ok(())
    }
}

fn too_many_steps() -> PluginFailure {
    let problem = "there are too many paths for so large patterns in one text: write shorter ones, or name a directory in `cwd`";
    PluginFailure::new(&Code::TooLarge(PLUGIN_STEPS), problem)
}

impl ListedEntry {
    fn described(self, sidecar: Sidecar) -> FileMetadata {
        let Self { path, kind, size, modified } = self;
        let modified = modified.as_deref().and_then(moment);
        // In one format text order is time order.
        let updated_at = modified.clone().max(sidecar.updated_at);
        let created_at = sidecar.created_at.or(modified);
        let (r#type, mime_type) = match kind {
            Kind::Directory => ("directory", None),
            _ => ("file", sidecar.mime_type.or_else(|| by_name(&path).map(str::to_owned))),
        };
        FileMetadata { path, r#type, mime_type, size, created_at, updated_at }
    }
}
