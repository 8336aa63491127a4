//! Actions that search for files and lines.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::execute::{ActionAnswer, ActionArguments, RefusedAction, ShamExecutor, size_in_json};
use crate::complete_file::{PAGE_BYTES, PAGE_ITEMS};
use crate::{Tools, answered};
use fsgate_contract::limits::CHUNK_BYTES;
use fsgate_contract::read_types::{ReadBytesArgs, StatArgs};
use fsgate_contract::search_types::{GlobArgs, GrepArgs, ListDirectoryArgs};
use fsgate_contract::types::{Entry, Error, Kind};

/// An entry's size besides its texts.
const ENTRY_BYTES: usize = 100;

#[derive(Default)]
struct FoundHits {
    hits: Vec<Value>,
    /// Their size in the answer.
    bytes: usize,
    /// A late NUL byte ended the search.
    is_cut: bool,
}

fn file(hit: &Value) -> &str {
    hit["file"].as_str().unwrap_or_default()
}

impl<T: Tools> ShamExecutor<'_, T> {
    pub(super) fn list(&mut self, given: &ActionArguments) -> ActionAnswer {
        let path = given.text("path");
        let mut args = ListDirectoryArgs {
            path: path.to_owned(),
            include_hidden: Some(true),
            respect_ignore: Some(false),
            max_items: Some(PAGE_ITEMS),
            ..ListDirectoryArgs::default()
        };
        let mut found = Vec::new();
        loop {
            let page = self.call(&args).map_err(|error| given.failed("scandir", path, &error))?;
            for entry in page.entries {
                self.take(given, size_in_json(&entry.name) + ENTRY_BYTES)?;
                found.push(self.listed(&entry).map_err(|error| given.failed("stat", &entry.path, &error))?);
            }
            match page.next_cursor {
                None => return Ok(Some(found.into())),
                next => args.cursor = next,
            }
        }
    }

    /// An entry in the system's terms; a link is its target.
    fn listed(&self, entry: &Entry) -> Result<Value, Error> {
        let args = StatArgs { path: entry.path.clone(), ..StatArgs::default() };
        let target = if entry.kind == Kind::Link { answered(self.call(&args))? } else { None };
        let told = target.as_ref().map_or(entry, |target| &target.entry);
        let kind = match told.kind {
            Kind::File => "file",
            Kind::Directory => "directory",
            Kind::Link => "link",
            Kind::Special => "special",
        };
        Ok(json!({"name": entry.name, "type": kind, "size": told.size, "modified": told.modified}))
    }

    pub(super) fn grep(&mut self, given: &ActionArguments) -> ActionAnswer {
        let path = given.text("path");
        self.require_whole(given, path, "searches")?;
        let found = self.hits(given, path, false)?;
        if !found.is_cut {
            return Ok(Some(found.hits.into()));
        }
        // A file with a late NUL byte is text to its end; others with one stay out.
        self.release(found.bytes);
        let mut is_text: BTreeMap<_, _> = found.hits.iter().map(|hit| (file(hit).to_owned(), true)).collect();
        let mut all = self.hits(given, path, true)?.hits;
        all.retain(|hit| {
            *is_text.entry(file(hit).to_owned()).or_insert_with(|| self.begins_as_text(file(hit)))
        });
        Ok(Some(all.into()))
    }

    fn hits(
        &mut self,
        given: &ActionArguments,
        path: &str,
        include_binary: bool,
    ) -> Result<FoundHits, RefusedAction> {
        let include = Some(given.text("include")).filter(|include| !include.is_empty());
        let mut args = GrepArgs {
            pattern: given.text("pattern").to_owned(),
            path: Some(path.to_owned()),
            include: include.map(|include| vec![include.to_owned()]),
            include_hidden: Some(true),
            include_binary: Some(include_binary),
            respect_ignore: Some(false),
            max_items: Some(PAGE_ITEMS),
            max_bytes: Some(PAGE_BYTES),
            ..GrepArgs::default()
        };
        let mut found = FoundHits::default();
        loop {
            let page = self.call(&args).map_err(|error| given.failed("open", path, &error))?;
            found.is_cut |= page.notes.iter().any(|note| note.kind == "binary");
            for hit in page.matches {
                let bytes = size_in_json(&hit.path) + size_in_json(&hit.text) + ENTRY_BYTES;
                self.take(given, bytes)?;
                found.bytes += bytes;
                found.hits.push(json!({"file": hit.path, "line_number": hit.line, "line": hit.text}));
            }
            match page.next_cursor {
                None => return Ok(found),
                next => args.cursor = next,
            }
        }
    }

    /// Whether no NUL byte is near a file's start.
    fn begins_as_text(&self, path: &str) -> bool {
        let length = u32::try_from(CHUNK_BYTES).ok();
        let args = ReadBytesArgs { path: path.to_owned(), length, ..ReadBytesArgs::default() };
        self.call(&args).is_ok_and(|outcome| !outcome.bytes.contains(&0))
    }

    pub(super) fn glob(&mut self, given: &ActionArguments) -> ActionAnswer {
        let path = given.text("base_path");
        let mut args = GlobArgs {
            pattern: given.text("pattern").to_owned(),
            path: Some(path.to_owned()),
            include_hidden: Some(true),
            respect_ignore: Some(false),
            max_items: Some(PAGE_ITEMS),
            ..GlobArgs::default()
        };
        let mut found: Vec<Value> = Vec::new();
        loop {
            let page = self.call(&args).map_err(|error| given.failed("scandir", path, &error))?;
            for entry in page.entries.into_iter().filter(|entry| entry.kind != Kind::Directory) {
                self.take(given, size_in_json(&entry.path) + ENTRY_BYTES)?;
                found.push(entry.path.into());
            }
            match page.next_cursor {
                None => return Ok(Some(found.into())),
                next => args.cursor = next,
            }
        }
    }
}
