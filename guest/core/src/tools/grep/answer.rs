//! What an answer of `grep` has room for.

use serde::Serialize;

use crate::contract::search_types::{GrepArgs, GrepFile, GrepMatch, GrepMode};
use crate::contract::types::Stop;
use crate::hits::{Hit, Verdict};
use crate::text::escape;
use crate::tools::count;

/// Matches or files, as far as there is room.
pub(super) struct Answer<'a> {
    args: &'a GrepArgs,
    pub(super) matches: Vec<GrepMatch>,
    pub(super) files: Vec<GrepFile>,
    /// Lines that match in what is shown; in the mode `files` files.
    pub(super) count: u64,
    bytes: usize,
    pub(super) stopped: Option<Stop>,
}

impl<'a> Answer<'a> {
    pub(super) fn new(args: &'a GrepArgs) -> Self {
        Self { args, matches: Vec::new(), files: Vec::new(), count: 0, bytes: 0, stopped: None }
    }

    /// Takes a line that matches.
    pub(super) fn hit(&mut self, path: &str, hit: Hit) -> Verdict {
        let hit = shown(path, hit);
        if !self.has_room(self.matches.len(), &hit) {
            return Verdict::Refused;
        }
        self.matches.push(hit);
        self.count += 1;
        Verdict::Taken
    }

    /// Takes a file in which so many lines match. False if there is no room for it.
    pub(super) fn file(&mut self, path: &str, lines: u64) -> bool {
        let counts = self.args.mode() == GrepMode::Count;
        let count = counts.then(|| count(lines).unwrap_or(u32::MAX));
        let file = GrepFile { path: path.to_owned(), count };
        let has_room = self.has_room(self.files.len(), &file);
        if has_room {
            self.files.push(file);
            self.count += if counts { lines } else { 1 };
        }
        has_room
    }

    /// Only what is shown counts, so an answer says that it is full when there is something that it has no room for.
    fn has_room(&mut self, items: usize, next: &impl Serialize) -> bool {
        let bytes = self.bytes + serde_json::to_string(next).map_or(0, |json| json.len() + 1);
        if items >= self.args.max_items() as usize {
            self.stopped = Some(Stop::Items);
        } else if items > 0 && bytes > self.args.max_bytes() as usize {
            self.stopped = Some(Stop::Bytes);
        } else {
            self.bytes = bytes;
        }
        self.stopped.is_none()
    }
}

/// A hit as the contract has it. Where a byte of it is not UTF-8, all of its lines are written in escapes.
fn shown(path: &str, hit: Hit) -> GrepMatch {
    let lines = [&hit.text].into_iter().chain(&hit.before).chain(&hit.after);
    let escaped = lines.into_iter().any(|line| escape::plain(line).is_none());
    let text = |line: Vec<u8>| match String::from_utf8(line) {
        Ok(text) if !escaped => text,
        Ok(text) => escape::escaped(text.as_bytes()),
        Err(error) => escape::escaped(error.as_bytes()),
    };
    GrepMatch {
        path: path.to_owned(),
        line: count(hit.line).unwrap_or(u32::MAX),
        column: count(hit.column).unwrap_or(u32::MAX),
        text: text(hit.text),
        before: hit.before.into_iter().map(text).collect(),
        after: hit.after.into_iter().map(text).collect(),
        escaped,
        cut: hit.cut,
        etag: hit.etag,
    }
}
