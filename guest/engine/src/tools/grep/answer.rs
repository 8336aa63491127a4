//! The answer of `grep`, up to its budget.

use super::search::{Hit, Verdict};
use crate::pager::budget::Budget;
use crate::tools::count;
use fsgate_contract::search_types::{GrepArgs, GrepFile, GrepMatch, GrepMode};
use fsgate_text::encoding::{self, Encoding};
use fsgate_text::escape;

pub(super) struct Answer<'a> {
    args: &'a GrepArgs,
    pub(super) matches: Vec<GrepMatch>,
    pub(super) files: Vec<GrepFile>,
    /// Shown matching lines; in the mode `files`, files.
    pub(super) count: u64,
    pub(super) budget: Budget,
}

impl<'a> Answer<'a> {
    pub(super) fn new(args: &'a GrepArgs) -> Self {
        let budget = Budget::new(args.max_items(), args.max_bytes());
        Self { args, matches: Vec::new(), files: Vec::new(), count: 0, budget }
    }

    pub(super) fn hit(&mut self, path: &str, encoding: Option<Encoding>, hit: Hit) -> Verdict {
        let hit = shown(path, encoding, hit);
        if !self.budget.takes(&hit) {
            return Verdict::Refused;
        }
        self.matches.push(hit);
        self.count += 1;
        Verdict::Taken
    }

    /// Takes a file with that many matching lines, if it fits.
    pub(super) fn file(&mut self, path: &str, lines: u64) -> bool {
        let counts = self.args.mode() == GrepMode::Count;
        let count = counts.then(|| count(lines).unwrap_or(u32::MAX));
        let file = GrepFile { path: path.to_owned(), count };
        let fits = self.budget.takes(&file);
        if fits {
            self.files.push(file);
            self.count += if counts { lines } else { 1 };
        }
        fits
    }
}

/// A hit in the contract's form, from decoded text or bytes. With an invalid byte, all of its lines
/// are in escapes.
fn shown(path: &str, encoding: Option<Encoding>, hit: Hit) -> GrepMatch {
    let lines = [&hit.text].into_iter().chain(&hit.before).chain(&hit.after);
    let escaped = lines.into_iter().any(|line| match encoding {
        Some(_) => encoding::is_damaged(line),
        None => escape::plain(line).is_none(),
    });
    let text = |line: Vec<u8>| match String::from_utf8(line) {
        Ok(text) if !escaped => text,
        Ok(text) if encoding.is_some() => encoding::escaped(text.as_bytes()),
        Err(error) if encoding.is_some() => encoding::escaped(error.as_bytes()),
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
        encoding: encoding.map(|encoding| encoding.name().to_owned()),
        cut: hit.cut,
        etag: hit.etag,
    }
}
