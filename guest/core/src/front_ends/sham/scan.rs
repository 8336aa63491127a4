//! Finds the blocks of a text, and reads them.
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
//! A header stands at the beginning of a line; all that is not in a block is left alone. The lines of a heredoc are joined by
//! LF, and the line end before its mark is not part of it. Inside a heredoc everything but its mark is text. There are no
//! comments.

use super::lines::Lines;
use super::syntax::{Code, Flaw, SyntaxError};
use crate::limits::SHAM_ERRORS;

pub(super) const HEADER: &str = "#!SHAM";
pub(super) const BEFORE_ID: &str = "#!SHAM [@three-char-SHA-256: ";
pub(super) const END: &str = "#!END_SHAM_";
pub(super) const MARK: &str = "EOT_SHAM_";

/// Characters of a key, in UTF-16 units.
const KEY_UNITS: usize = 256;

/// A block, with or without mistakes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'a> {
    /// Its id; none if the header has none that can be one.
    pub id: Option<&'a str>,
    /// Keys and values, in their order.
    pub values: Vec<(&'a str, String)>,
    /// The line of its header, counted from 1.
    pub start_line: usize,
    /// The line of its end, if it has one.
    pub end_line: Option<usize>,
    /// All of it, as it stands in the text.
    pub text: &'a str,
    /// What is wrong with its form, the first mistakes. A block with one is not carried out.
    pub errors: Vec<SyntaxError<'a>>,
}

impl Block<'_> {
    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.values.iter().find(|(name, _)| *name == key).map(|(_, value)| &value[..])
    }
}

/// The blocks of a text, in their order.
pub fn blocks(text: &str) -> Vec<Block<'_>> {
    let lines = Lines::new(text);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if is_header(line) {
            let mut reader = Reader::new(&lines, at);
            at = reader.read(line);
            found.push(reader.block);
        } else {
            at += 1;
        }
    }
    found
}

/// It is meant as one, well-formed or not.
fn is_header(line: &str) -> bool {
    line.strip_prefix(HEADER).is_some_and(|rest| rest.chars().next().is_none_or(|next| " \t[".contains(next)))
}

struct Reader<'r, 'a> {
    lines: &'r Lines<'a>,
    block: Block<'a>,
}

impl<'r, 'a> Reader<'r, 'a> {
    fn new(lines: &'r Lines<'a>, at: usize) -> Self {
        let block = Block {
            id: None,
            values: Vec::new(),
            start_line: at + 1,
            end_line: None,
            text: lines.text(at, at),
            errors: Vec::new(),
        };
        Self { lines, block }
    }

    fn note(&mut self, line: usize, flaw: Flaw) {
        if self.block.errors.len() < SHAM_ERRORS {
            self.block.errors.push(flaw.on(self.lines, line, self.block.id));
        }
    }

    /// Reads the block that this header begins. Where the text goes on behind it.
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
                    self.note(at, Flaw::new(Code::MismatchedEnd, 0..line.len(), message));
                }
                self.block.end_line = Some(at + 1);
                self.block.text = self.lines.text(first, at);
                return at + 1;
            }
            if is_header(line) {
                let message = format!("Block '{id}' not closed before the next header");
                self.note(at, Flaw::new(Code::UnclosedBlock, 0..0, message));
                self.block.text = self.lines.text(first, at - 1);
                return at;
            }
            at = if line.trim().is_empty() { at + 1 } else { self.assignment(id, line, at) };
        }
        if !self.block.errors.iter().any(|error| error.code == Code::UnclosedHeredoc) {
            let message = format!("Block '{id}' not closed before EOF");
            self.note(at, Flaw::new(Code::UnclosedBlock, 0..0, message));
        }
        self.block.text = self.lines.text(first, self.lines.len() - 1);
        at
    }

    /// Reads one assignment. Where the text goes on behind it.
    fn assignment(&mut self, id: &str, line: &'a str, at: usize) -> usize {
        let parts = match Parts::of(line, id) {
            Ok(parts) => parts,
            Err(flaw) => {
                self.note(at, flaw);
                return at + 1;
            }
        };
        let known = self.block.values.iter().any(|(key, _)| *key == parts.key);
        let flaw = parts.flaw().or_else(|| {
            let message = || format!("Duplicate key '{}' in block '{id}'", parts.key);
            known.then(|| Flaw::new(Code::DuplicateKey, 0..parts.key.len(), message()))
        });
        let (value, next) = match parts.value(id) {
            Ok(Value::Quoted(value)) => (Ok(value), at + 1),
            Ok(Value::Heredoc) => self.heredoc(&format!("{MARK}{id}"), at + 1),
            // What belongs to it is skipped, so that it is not taken for assignments.
            Err((flaw, mark)) => {
                let body = mark.and_then(|mark| self.end_of_body(id, mark, at + 1));
                (Err((at, flaw)), body.map_or(at + 1, |end| end + 1))
            }
        };
        match (flaw, value) {
            (Some(flaw), _) => self.note(at, flaw),
            (None, Ok(value)) => self.block.values.push((parts.key, value)),
            (None, Err((at, flaw))) => self.note(at, flaw),
        }
        next
    }

    fn heredoc(&self, mark: &str, first: usize) -> (Result<String, (usize, Flaw)>, usize) {
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
        (Err((self.lines.len(), Flaw::new(Code::UnclosedHeredoc, 0..0, message))), self.lines.len())
    }

    /// The line that ends a heredoc whose mark is not the right one, if the block has one.
    fn end_of_body(&self, id: &str, mark: &str, first: usize) -> Option<usize> {
        // Of a block with more mistakes than are told nothing more is looked for.
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

fn id(header: &str) -> Result<&str, Flaw> {
    let Some(id) = header.strip_prefix(BEFORE_ID).and_then(|rest| rest.strip_suffix(']')) else {
        let message = format!("Invalid SHAM header format - must be '{BEFORE_ID}XXX]'");
        return Err(Flaw::new(Code::MalformedHeader, 0..header.len(), message));
    };
    let at = BEFORE_ID.len()..BEFORE_ID.len() + id.len();
    let flaw = |message: &str| Err(Flaw::new(Code::InvalidBlockId, at, message));
    if id.encode_utf16().count() != 3 {
        return flaw("Block ID must be exactly 3 characters");
    }
    if !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return flaw("Block ID must contain only alphanumeric characters");
    }
    Ok(id)
}

/// An assignment, taken apart.
struct Parts<'a> {
    line: &'a str,
    key: &'a str,
    /// What stands between key and value, in bytes of the line.
    operator: std::ops::Range<usize>,
}

enum Value {
    Quoted(String),
    /// It follows on the next lines.
    Heredoc,
}

impl<'a> Parts<'a> {
    fn of(line: &'a str, id: &str) -> Result<Self, Flaw> {
        let before_quote = line.split('"').next().unwrap_or_default();
        let Some(equals) = before_quote.find('=') else {
            let message =
                format!("Invalid line format in block '{id}': not a valid key-value assignment or empty line");
            return Err(Flaw::new(Code::MalformedAssignment, 0..line.len(), message));
        };
        let is_part = |character: char| character.is_ascii_punctuation() && !"_\"'<(){}[],;".contains(character);
        let start = line[..equals].trim_end_matches(is_part).len();
        let behind = &line[equals + 1..];
        let end = line.len() - behind.trim_start_matches(|character| "=>~:".contains(character)).len();
        Ok(Self { line, key: line[..start].trim_end(), operator: start..end })
    }

    /// What is wrong before the value.
    fn flaw(&self) -> Option<Flaw> {
        let Self { line, key, operator } = self;
        let key_flaw = |message: String| Some(Flaw::new(Code::InvalidKey, 0..key.len(), message));
        if key.trim().is_empty() {
            let message = "Assignment without key name";
            return Some(Flaw::new(Code::EmptyKey, operator.start..operator.start + 1, message));
        }
        let allowed = |index: usize, character: char| {
            character == '_' || character.is_alphabetic() || index > 0 && character.is_alphanumeric()
        };
        if let Some((index, wrong)) = key.char_indices().find(|(index, wrong)| !allowed(*index, *wrong)) {
            let position = key[..index].encode_utf16().count() + 1;
            return key_flaw(format!("Key contains invalid character '{wrong}' at position {position}"));
        }
        if key.encode_utf16().count() > KEY_UNITS {
            return key_flaw(format!("Key exceeds {KEY_UNITS} character limit"));
        }
        (operator.len() > 1).then(|| {
            let found = &line[operator.clone()];
            let message = format!("Invalid assignment operator '{found}' - only '=' is allowed");
            Flaw::new(Code::InvalidAssignmentOperator, operator.clone(), message)
        })
    }

    /// The value; else what is wrong with it, and the mark of a heredoc that is meant.
    fn value(&self, id: &str) -> Result<Value, (Flaw, Option<&'a str>)> {
        let behind = self.line[self.operator.end..].trim_start();
        let (start, end) = (self.line.len() - behind.len(), self.line.trim_end().len());
        let flaw = |code, at, message: &str| Err((Flaw::new(code, at, message), None));
        if behind.starts_with('"') {
            let Some(length) = quoted(behind) else {
                return flaw(Code::UnclosedQuote, start..self.line.len(), "Unclosed quoted string");
            };
            let rest = behind[length..].trim();
            if !rest.is_empty() {
                let message = "Unexpected content after quoted value";
                return flaw(Code::TrailingContent, end - rest.len()..end, message);
            }
            return match serde_json::from_str(&behind[..length]) {
                Ok(value) => Ok(Value::Quoted(value)),
                Err(_) => flaw(Code::InvalidValue, start..start + length, "Quoted value is not a valid JSON string"),
            };
        }
        let Some(mark) = behind.strip_prefix("<<") else {
            let message = "Value must be a quoted string or heredoc";
            return flaw(Code::InvalidValue, start..end.max(start), message);
        };
        let mark = mark.trim();
        if mark.strip_prefix('\'').and_then(|mark| mark.strip_suffix('\'')).and_then(|mark| mark.strip_prefix(MARK))
            == Some(id)
        {
            return Ok(Value::Heredoc);
        }
        let message = format!("Invalid heredoc delimiter - must be '{MARK}{id}' in single quotes");
        let at = end - mark.len().min(end)..end;
        let meant = Some(mark.trim_matches(['\'', '"'])).filter(|mark| !mark.is_empty());
        Err((Flaw::new(Code::InvalidHeredocDelimiter, at, message), meant))
    }
}

/// How many bytes a quoted string has, with its quotes; none if it has no end.
fn quoted(text: &str) -> Option<usize> {
    let mut bytes = text.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return Some(at + 1),
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
    None
}
