//! Named entries of configuration files: tables, keys of the top level, targets and stages.
//!
//! Entries do not nest. An entry ends before the next one, without the blank lines at its end, and
//! without comments behind those. Comments directly above an entry belong to it and not to the one
//! before, and its lines begin below them.
//! Text above the first entry is in none.

mod dockerfile;
mod ini;
mod json;
mod makefile;
mod toml;
mod yaml;

pub(crate) use self::dockerfile::escape as escape_of_dockerfile;

use std::ops::Range;

use super::name_path::{NameSearch, spaced};
use crate::lines::{content, end_of_line, start_of_line};

/// The format of a file with named entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryFormat {
    /// `[table]` and `[[array]]`.
    Toml,
    /// `[section]`.
    Ini,
    /// `[section]`; a backslash at the end of a line joins the next one.
    JoinedIni,
    /// Keys of the top level of each document.
    Yaml,
    /// Keys of the outermost object.
    Json,
    /// Targets of rules.
    Makefile,
    /// Stages from `FROM`.
    Dockerfile,
}

impl EntryFormat {
    /// The plural name of its entries.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Toml => "tables",
            Self::Ini | Self::JoinedIni => "sections in brackets",
            Self::Yaml | Self::Json => "keys of the top level",
            Self::Makefile => "targets",
            Self::Dockerfile => "stages",
        }
    }

    const fn comments(self) -> &'static [&'static str] {
        match self {
            Self::Ini | Self::JoinedIni => &[";", "#"],
            Self::Json => &["//"],
            Self::Toml | Self::Yaml | Self::Makefile | Self::Dockerfile => &["#"],
        }
    }
}

/// The name of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EntryName {
    /// The name in a list.
    pub(super) name: String,
    /// Other forms, which find it unless they name another entry.
    pub(super) aliases: Vec<String>,
}

impl EntryName {
    /// A name, and its literal form first among the aliases. That form replaces a blank name.
    fn new(name: &str, aliases: Vec<String>) -> Self {
        let name = spaced(name);
        match aliases.first().filter(|_| name.is_empty()) {
            Some(literal) => Self { name: spaced(literal), aliases },
            None => Self { name, aliases },
        }
    }
}

/// An entry of a file.
#[derive(Debug)]
struct Entry {
    name: EntryName,
    /// Its bytes; other entries may share its lines.
    place: Range<usize>,
    /// The start of the comments directly above it.
    lead: Option<usize>,
}

/// Places outside of entries.
#[derive(Debug, Default)]
struct Findings {
    /// Bytes that no entry may share a line with: the braces around keys.
    edges: Vec<usize>,
    /// Places at which a text may be read in several ways.
    doubts: Vec<usize>,
    /// The start of an unclosed construct, which may hide entries.
    lost: Option<usize>,
}

/// An entry whose end is not yet reached. Targets of one rule share it.
#[derive(Debug)]
struct OpenEntry {
    names: Vec<EntryName>,
    start: usize,
    lead: usize,
}

/// A pass over a text that passes entries on, in the order in which they begin.
struct Scan<'a> {
    text: &'a [u8],
    comments: &'static [&'static str],
    visit: &'a mut dyn FnMut(Entry),
    open: Option<OpenEntry>,
    /// The end of the last line known to be no comment. Comments after it may be of the next entry.
    content_end: usize,
    findings: Findings,
}

impl Scan<'_> {
    /// Begins an entry with a line, and ends the one before.
    fn begin(&mut self, names: Vec<EntryName>, line: Range<usize>) {
        let lead = self.comments_above(line.start);
        self.close(lead);
        self.open = Some(OpenEntry { names, start: line.start, lead });
        self.content(line.end);
    }

    /// Notes that the text before an offset holds no comment of the next entry.
    fn content(&mut self, end: usize) {
        self.content_end = self.content_end.max(end);
    }

    /// Ends the open entry before an offset, with the comments directly below its last line. A
    /// comment behind a blank line may be about the next entry.
    fn close(&mut self, before: usize) {
        while self.content_end < before {
            let end = end_of_line(self.text, self.content_end);
            if self.text[self.content_end..end].trim_ascii().is_empty() {
                break;
            }
            self.content(end);
        }
        self.close_at_content();
    }

    /// Ends the open entry at its last line that is no comment.
    fn close_at_content(&mut self) {
        let Some(OpenEntry { names, start, lead }) = self.open.take() else { return };
        for name in names {
            self.pass(Entry { name, place: start..self.content_end, lead: Some(lead) });
        }
    }

    fn pass(&mut self, entry: Entry) {
        (self.visit)(entry);
    }

    fn doubt(&mut self, at: usize) {
        self.findings.doubts.push(at);
    }

    fn lose(&mut self, at: usize) {
        self.findings.lost.get_or_insert(at);
    }

    /// The start of the comments directly above a line that are not indented deeper.
    fn comments_above(&self, line: usize) -> usize {
        let indent = |from: usize| {
            let rest = self.text[from..].iter();
            rest.take_while(|byte| matches!(byte, b' ' | b'\t')).count()
        };
        let depth = indent(line);
        let mut start = line;
        while start > self.content_end {
            let above = start_of_line(self.text, start - 1);
            let comment = content(&self.text[above..start]).trim_ascii();
            let is_comment = self.comments.iter().any(|mark| comment.starts_with(mark.as_bytes()));
            if above < self.content_end
                || !is_comment
                || indent(above) > depth
                || self.is_about_file(comment, above)
            {
                break;
            }
            start = above;
        }
        start
    }

    /// A comment that a program reads for the whole file.
    fn is_about_file(&self, comment: &[u8], start: usize) -> bool {
        const WORDS: &[&str] =
            &["coding", "yaml-language-server", "#:schema", "syntax=", "escape=", "check="];
        let is_in_head = || start < end_of_line(self.text, end_of_line(self.text, 0));
        let has = |word: &&str| memchr::memmem::find(comment, word.as_bytes()).is_some();
        comment.starts_with(b"#!") || WORDS.iter().any(has) && is_in_head()
    }
}

/// The offset after a byte order mark.
fn text_start(text: &[u8]) -> usize {
    if text.starts_with("\u{feff}".as_bytes()) { "\u{feff}".len() } else { 0 }
}

fn scan(text: &[u8], format: EntryFormat, visit: &mut dyn FnMut(Entry)) -> Findings {
    let mut scan = Scan {
        text,
        comments: format.comments(),
        visit,
        open: None,
        content_end: text_start(text),
        findings: Findings::default(),
    };
    match format {
        EntryFormat::Toml => toml::scan(&mut scan),
        EntryFormat::Ini => ini::scan(&mut scan, false),
        EntryFormat::JoinedIni => ini::scan(&mut scan, true),
        EntryFormat::Yaml => yaml::scan(&mut scan),
        EntryFormat::Json => json::scan(&mut scan),
        EntryFormat::Makefile => makefile::scan(&mut scan),
        EntryFormat::Dockerfile => dockerfile::scan(&mut scan),
    }
    scan.findings
}

pub(super) fn look(text: &[u8], format: EntryFormat, names: &mut NameSearch) {
    let Findings { doubts, lost, .. } =
        scan(text, format, &mut |entry: Entry| names.entry(&entry.name, entry.place));
    names.doubt(doubts, lost);
}

/// The start of the comments directly above an entry's line.
pub(super) fn lead(text: &[u8], line: usize, format: EntryFormat) -> usize {
    let end = end_of_line(text, line);
    let mut lead = None;
    scan(text, format, &mut |entry: Entry| {
        if lead.is_none() && (line..end).contains(&entry.place.start) {
            lead = entry.lead;
        }
    });
    lead.map_or(line, |lead| lead.min(line))
}

/// Whether whole lines hold one entry and nothing of another one or around it. Several targets of
/// one rule are one entry.
pub(super) fn stands_alone(text: &[u8], format: EntryFormat, lines: &Range<usize>) -> bool {
    let (mut own, mut is_shared) = (None, false);
    let findings = scan(text, format, &mut |entry: Entry| {
        if entry.place.start < lines.end && lines.start < entry.place.end {
            is_shared |= *own.get_or_insert_with(|| entry.place.clone()) != entry.place;
        }
    });
    !is_shared && !findings.edges.iter().any(|edge| lines.contains(edge))
}
