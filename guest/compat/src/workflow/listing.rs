//! The tool that lists directories.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::convert::ToolArguments;
use super::execute::{BlockAnswer, WorkflowExecutor, noted};
use crate::plugin::location::{SIDECAR, sidecar};
use crate::plugin::sidecar::Sidecar;
use crate::{Tools, answered};
use fsgate_contract::limits::WORKFLOW_ITEMS;
use fsgate_contract::read_types::ReadArgs;
use fsgate_contract::search_types::ListDirectoryArgs;
use fsgate_contract::types::{Entry, Error, Kind, Stop};

const DEEPEST: u32 = 256;

impl<T: Tools> WorkflowExecutor<'_, T> {
    pub(super) fn list(&self, given: &ToolArguments) -> BlockAnswer {
        let recursive = given.flag("recursive");
        let depth = Some(given.number("max_depth")).filter(|depth| recursive && *depth > 0);
        let mut args = ListDirectoryArgs {
            path: given.text("directory_path").to_owned(),
            pattern: Some(given.text("pattern").to_owned()),
            recursive: Some(recursive),
            max_depth: depth.map(|depth| depth.min(DEEPEST)),
            include_hidden: Some(given.flag("include_hidden")),
            respect_ignore: Some(false),
            max_items: Some(WORKFLOW_ITEMS),
            ..ListDirectoryArgs::default()
        };
        let sidecars = self.sidecars(given, &args)?;
        let mut items: Vec<Value> = Vec::new();
        let (mut files, mut directories, mut bytes) = (0_u64, 0_u64, 0_u64);
        let mut most = WORKFLOW_ITEMS as usize;
        let (path, truncated, notes) = loop {
            let page = self.call(given, &args)?;
            let is_at_limit = page.stopped == Some(Stop::Items);
            // The policy limits a listing.
            if is_at_limit {
                most = most.min(page.entries.len());
            }
            let left = most.saturating_sub(items.len());
            let is_over = page.entries.len() > left;
            for entry in page.entries.into_iter().take(left) {
                let target = self.link_target(given, &entry)?;
                let created = if sidecars.contains(&entry.path) { self.created(given, &entry) } else { None };
                let (kind, size, modified) = match target {
                    Some(target) => (target.kind, target.size, target.modified),
                    None => (entry.kind, entry.size, entry.modified),
                };
                files += u64::from(kind == Kind::File);
                directories += u64::from(kind == Kind::Directory);
                bytes = bytes.saturating_add(size);
                items.push(item(&Entry { size, modified, ..entry }, kind, created.as_deref()));
            }
            if is_at_limit || is_over || page.next_cursor.is_none() {
                break (page.path, is_at_limit || is_over, page.notes);
            }
            args.cursor = page.next_cursor;
        };
        let mut result = Map::new();
        result.insert("path".to_owned(), path.into());
        result.insert("items".to_owned(), items.into());
        result.insert("totalFiles".to_owned(), files.into());
        result.insert("totalDirectories".to_owned(), directories.into());
        result.insert("totalSizeBytes".to_owned(), bytes.into());
        result.insert("truncated".to_owned(), truncated.into());
        noted(&mut result, given, &notes);
        Ok(result.into())
    }

    fn sidecars(&self, given: &ToolArguments, listed: &ListDirectoryArgs) -> Result<BTreeSet<String>, Error> {
        let mut args = ListDirectoryArgs {
            pattern: Some(format!("*{SIDECAR}")),
            include_hidden: Some(true),
            ..listed.clone()
        };
        let mut found = BTreeSet::new();
        while found.len() < WORKFLOW_ITEMS as usize {
            let page = self.call(given, &args)?;
            let paths = page.entries.into_iter().map(|entry| entry.path);
            found.extend(paths.filter_map(|path| path.strip_suffix(SIDECAR).map(str::to_owned)));
            match page.next_cursor {
                None => break,
                next => args.cursor = next,
            }
        }
        Ok(found)
    }

    /// The creation time from a sidecar; file systems here have none.
    pub(super) fn created(&self, given: &ToolArguments, entry: &Entry) -> Option<String> {
        if entry.kind != Kind::File {
            return None;
        }
        let args = ReadArgs { path: sidecar(&entry.path), ..ReadArgs::default() };
        let page = self.call(given, &args).ok().filter(|page| page.next_cursor.is_none())?;
        Sidecar::read(&page.content).created_at
    }

    fn link_target(&self, given: &ToolArguments, entry: &Entry) -> Result<Option<Entry>, Error> {
        match entry.kind {
            Kind::Link => answered(self.stat(given, &entry.path)),
            _ => Ok(None),
        }
    }
}

pub(super) fn item(entry: &Entry, kind: Kind, created: Option<&str>) -> Value {
    let named = match kind {
        Kind::File => "file",
        Kind::Directory => "directory",
        Kind::Link => "link",
        Kind::Special => "special",
    };
    let mut item = json!({
        "name": entry.name,
        "path": entry.path,
        "type": named,
        "sizeBytes": entry.size,
        "created": created,
        "modified": entry.modified,
    });
    if let Value::Object(item) = &mut item {
        if let Some(extension) = extension(&entry.name).filter(|_| kind == Kind::File) {
            item.insert("extension".to_owned(), extension.into());
        }
        item.insert("isHidden".to_owned(), entry.hidden.into());
    }
    item
}

/// An extension with its dot, between text.
fn extension(name: &str) -> Option<&str> {
    let at = name.rfind('.').filter(|at| *at > 0)?;
    Some(&name[at..]).filter(|extension| extension.len() > 1)
}
