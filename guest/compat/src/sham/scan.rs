//! Finds and parses the blocks of a text.
//!
//! ```text
//! block   = header LF *(assignment LF / blank LF) end
//! header  = "#!SHAM [@three-char-SHA-256: " id "]"
//! id      = 3(letter / digit)                                  ; of ASCII
//! end     = "#!END_SHAM_" id
//! assignment = key [space] "=" [space] value
//! key     = (letter / "_") *255(letter / digit / "_")          ; of Unicode
//! value   = a string of JSON / "<<'" mark "'" LF *(line LF) mark
//! mark    = "EOT_SHAM_" id
//! ```
//!
//! A header begins a line; other text is ignored. LF joins a heredoc's lines, and it ends before
//! its mark's line end. All other text in it is literal. There are no comments.

use std::collections::BTreeSet;

use super::assignment::{AssignmentParts, AssignmentValue};
use super::lines::BlockLines;
use super::syntax::{SyntaxCode, SyntaxError, SyntaxFlaw};
use fsgate_contract::limits::{SHAM_BLOCKS, SHAM_ERRORS};

pub(super) const HEADER: &str = "#!SHAM";
pub(super) const BEFORE_ID: &str = "#!SHAM [@three-char-SHA-256: ";
pub(super) const END: &str = "#!END_SHAM_";
pub(super) const MARK: &str = "EOT_SHAM_";

/// A block, valid or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShamBlock<'a> {
    /// Its id; none if the header has no valid one.
    pub id: Option<&'a str>,
    /// Keys and values, in order.
    pub values: Vec<(&'a str, String)>,
    /// The line of its header, from 1.
    pub start_line: usize,
    /// The line of its end, if there is one.
    pub end_line: Option<usize>,
    /// Its full text.
    pub text: &'a str,
    /// Its first syntax errors, which prevent a run.
    pub errors: Vec<SyntaxError<'a>>,
}

impl ShamBlock<'_> {
    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.values.iter().find(|(name, _)| *name == key).map(|(_, value)| &value[..])
    }
}

/// The blocks in order, at most one above the limit.
pub fn blocks(text: &str) -> Vec<ShamBlock<'_>> {
    let lines = BlockLines::new(text);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at).filter(|_| found.len() <= SHAM_BLOCKS) {
        if is_header(line) {
            let mut reader = BlockReader::new(&lines, at);
            at = reader.read(line);
            found.push(reader.block);
        } else {
            at += 1;
        }
    }
    found
}

/// Whether a line is an intended header.
fn is_header(line: &str) -> bool {
    line.strip_prefix(HEADER).is_some_and(|rest| rest.chars().next().is_none_or(|next| " \t[".contains(next)))
}

struct BlockReader<'r, 'a> {
    lines: &'r BlockLines<'a>,
    block: ShamBlock<'a>,
    keys: BTreeSet<&'a str>,
}

impl<'r, 'a> BlockReader<'r, 'a> {
    fn new(lines: &'r BlockLines<'a>, at: usize) -> Self {
        let block = ShamBlock {
            id: None,
            values: Vec::new(),
            start_line: at + 1,
            end_line: None,
            text: lines.text(at, at),
            errors: Vec::new(),
        };
        Self { lines, block, keys: BTreeSet::new() }
    }

    fn note(&mut self, line: usize, flaw: SyntaxFlaw) {
        if self.block.errors.len() < SHAM_ERRORS {
            self.block.errors.push(flaw.on(self.lines, line, self.block.id));
        }
    }

    /// Reads a block. Returns the next line.
    fn read(&mut self, header: &'a str) -> usize {
        let first = self.block.start_line - 1;
        let id = match id(header) {
            Ok(id) => id,
            Err(flaw) => {
                self.note(first, flaw);
                self.block.end_line = Some(first + 1);
                return first + 1;
            }
        };
        self.block.id = Some(id);
        let mut at = first + 1;
        while let Some(line) = self.lines.get(at) {
            if let Some(ending) = line.strip_prefix(END) {
                if ending != id {
                    let message = format!("End marker '{ending}' doesn't match block ID '{id}'");
                    self.note(at, SyntaxFlaw::new(SyntaxCode::MismatchedEnd, 0..line.len(), message));
                }
                self.block.end_line = Some(at + 1);
                self.block.text = self.lines.text(first, at);
                return at + 1;
            }
            if is_header(line) {
                let message = format!("Block '{id}' not closed before the next header");
                self.note(at, SyntaxFlaw::new(SyntaxCode::UnclosedBlock, 0..0, message));
                self.block.text = self.lines.text(first, at - 1);
                return at;
            }
            at = if line.trim().is_empty() { at + 1 } else { self.assignment(id, line, at) };
        }
        if !self.block.errors.iter().any(|error| error.code == SyntaxCode::UnclosedHeredoc) {
            let message = format!("Block '{id}' not closed before EOF");
            self.note(at, SyntaxFlaw::new(SyntaxCode::UnclosedBlock, 0..0, message));
        }
        self.block.text = self.lines.text(first, self.lines.len() - 1);
        at
    }

    /// Reads an assignment. Returns the next line.
    fn assignment(&mut self, id: &str, line: &'a str, at: usize) -> usize {
        let parts = match AssignmentParts::of(line, id) {
            Ok(parts) => parts,
            Err(flaw) => {
                self.note(at, flaw);
                return at + 1;
            }
        };
        let known = self.keys.contains(parts.key);
        let flaw = parts.flaw().or_else(|| {
            let message = || format!("Duplicate key '{}' in block '{id}'", parts.key);
            known.then(|| SyntaxFlaw::new(SyntaxCode::DuplicateKey, 0..parts.key.len(), message()))
        });
        let (value, next) = match parts.value(id) {
            Ok(AssignmentValue::Quoted(value)) => (Ok(value), at + 1),
            Ok(AssignmentValue::Heredoc) => self.heredoc(&format!("{MARK}{id}"), at + 1),
            // Skips its lines, which are no assignments.
            Err((flaw, mark)) => {
                let body = mark.and_then(|mark| self.end_of_body(id, mark, at + 1));
                (Err((at, flaw)), body.map_or(at + 1, |end| end + 1))
            }
        };
        match (flaw, value) {
            (Some(flaw), _) => self.note(at, flaw),
            (None, Ok(value)) => {
                self.keys.insert(parts.key);
                self.block.values.push((parts.key, value));
            }
            (None, Err((at, flaw))) => self.note(at, flaw),
        }
        next
    }

    fn heredoc(&self, mark: &str, first: usize) -> (Result<String, (usize, SyntaxFlaw)>, usize) {
        let mut value = String::new();
        for at in first..self.lines.len() {
            let line = self.lines.get(at).unwrap_or_default();
            if line == mark {
                return (Ok(value), at + 1);
            }
            if at > first {
                value.push('\n');
            }
            value.push_str(line);
        }
        let message = format!("Heredoc '{mark}' not closed before EOF");
        (
            Err((self.lines.len(), SyntaxFlaw::new(SyntaxCode::UnclosedHeredoc, 0..0, message))),
            self.lines.len(),
        )
    }

    /// The end of a heredoc with a wrong mark in the block.
    fn end_of_body(&self, id: &str, mark: &str, first: usize) -> Option<usize> {
        // A block with too many mistakes is given up.
        if self.block.errors.len() >= SHAM_ERRORS {
            return None;
        }
        let own = format!("{MARK}{id}");
        for at in first..self.lines.len() {
            let line = self.lines.get(at)?;
            if line == mark || line == own {
                return Some(at);
            }
            if is_header(line) || line.strip_prefix(END) == Some(id) {
                return None;
            }
        }
        None
    }
}

fn id(header: &str) -> Result<&str, SyntaxFlaw> {
    let Some(id) = header.strip_prefix(BEFORE_ID).and_then(|rest| rest.strip_suffix(']')) else {
        let message = format!("Invalid SHAM header format - must be '{BEFORE_ID}XXX]'");
        return Err(SyntaxFlaw::new(SyntaxCode::MalformedHeader, 0..header.len(), message));
    };
    let at = BEFORE_ID.len()..BEFORE_ID.len() + id.len();
    let flaw = |message: &str| Err(SyntaxFlaw::new(SyntaxCode::InvalidBlockId, at, message));
    if id.encode_utf16().count() != 3 {
        return flaw("Block ID must be exactly 3 characters");
    }
    if !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return flaw("Block ID must contain only alphanumeric characters");
    }
    Ok(id)
}
