//! Comments, attributes and decorators directly above a section.

use super::lexer_rules::{LexerRules, Oddity};
use super::strip_literals::{is_word, masked};
use super::{Sections, entries};
use crate::lines::{content, end_of_line, start_of_line};

/// The start of the comments, attributes and decorators directly above a section, which stand on
/// lines of their own: no blank line is between them and it. Comments about the whole file and
/// lines of a preprocessor are none of them.
pub fn lead(text: &[u8], section: usize, sections: Sections) -> usize {
    let lexis = match sections {
        Sections::Braces(lexis) | Sections::Indentation(lexis) => lexis,
        Sections::Entries(format) => return entries::lead(text, section, format),
        Sections::Unknown | Sections::Markdown => return section,
    };
    let head = end_of_line(text, end_of_line(text, 0));
    let above = Above { text, code: &masked(text, lexis).code, lexis, head };
    let mut lead = section;
    while let Some(start) = above.block(lead) {
        lead = start;
    }
    lead
}

struct Above<'a> {
    text: &'a [u8],
    /// The text with its comments blank.
    code: &'a [u8],
    lexis: &'a LexerRules,
    /// The end of the second line: the first two may name the encoding of a script.
    head: usize,
}

impl Above<'_> {
    /// The start of the comment or attribute that ends right before an offset.
    fn block(&self, end: usize) -> Option<usize> {
        let last = end.checked_sub(1)?;
        let start = start_of_line(self.text, last);
        let line = content(&self.text[start..end]).trim_ascii();
        if line.is_empty() || self.is_about_file(line, start) {
            return None;
        }
        if self.lexis.line_comments.iter().any(|mark| line.starts_with(mark.as_bytes()))
            && !line.starts_with(b"#[")
        {
            return Some(start);
        }
        self.block_comment(start, line).or_else(|| self.attributes(start, end))
    }

    /// A shebang, the encoding of a script, or the documentation of a whole file.
    fn is_about_file(&self, line: &[u8], start: usize) -> bool {
        let names_encoding = || memchr::memmem::find(line, b"coding").is_some();
        line.starts_with(b"#!")
            || self.lexis.oddities.contains(&Oddity::RustRaw)
                && (line.starts_with(b"//!") || line.starts_with(b"/*!"))
            || start < self.head && line.starts_with(b"#") && names_encoding()
    }

    /// A block comment that ends with this line and begins on a line of its own.
    fn block_comment(&self, start: usize, line: &[u8]) -> Option<usize> {
        let (open, close, _) = self.lexis.block_comment?;
        if !line.ends_with(close.as_bytes()) {
            return None;
        }
        let mut from = start;
        loop {
            let end = end_of_line(self.text, from);
            let first = content(&self.text[from..end]).trim_ascii();
            let is_blank = self.code[from..end].trim_ascii().is_empty();
            if !is_blank || self.is_about_file(first, from) {
                return None;
            }
            if first.starts_with(open.as_bytes()) {
                return Some(from);
            }
            from = start_of_line(self.text, from.checked_sub(1)?);
        }
    }

    /// Attributes that end with this line, and their first line.
    fn attributes(&self, start: usize, end: usize) -> Option<usize> {
        let mut from = start;
        let mut open = 0_usize;
        loop {
            let line = &self.code[from..end_of_line(self.text, from)];
            for byte in line.iter().rev() {
                match byte {
                    b')' | b']' | b'}' => open += 1,
                    b'(' | b'[' | b'{' => open = open.checked_sub(1)?,
                    _ => {}
                }
            }
            if open == 0 {
                return self.are_attributes(self.code[from..end].trim_ascii()).then_some(from);
            }
            from = start_of_line(self.text, from.checked_sub(1)?);
        }
    }

    /// Whether code is attributes and nothing else.
    fn are_attributes(&self, code: &[u8]) -> bool {
        let is_c_sharp = self.lexis.oddities.contains(&Oddity::CSharpStrings);
        let mut rest = code;
        if rest.is_empty() {
            return false;
        }
        while !rest.is_empty() {
            let behind = if rest.starts_with(b"#[") {
                closed(&rest[1..])
            } else if is_c_sharp && rest.starts_with(b"[") {
                let is_of_file = [&b"[assembly"[..], b"[module"].iter().any(|of| rest.starts_with(of));
                if is_of_file { None } else { closed(rest) }
            } else if let Some(name) = rest.strip_prefix(b"@") {
                let length = name
                    .iter()
                    .take_while(|byte| is_word(**byte, self.lexis) || matches!(byte, b'.' | b':'))
                    .count();
                let is_name = length > 0 && !name.starts_with(b"file:");
                let behind = name[length..].trim_ascii_start();
                match (is_name, behind.starts_with(b"(")) {
                    (false, _) => None,
                    (true, true) => closed(behind),
                    (true, false) => Some(behind),
                }
            } else {
                None
            };
            let Some(behind) = behind else { return false };
            rest = behind.trim_ascii_start();
        }
        true
    }
}

/// The code behind the bracket that closes the first one.
fn closed(code: &[u8]) -> Option<&[u8]> {
    let mut open = 0_usize;
    for (at, byte) in code.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => {
                open = open.checked_sub(1)?;
                if open == 0 {
                    return Some(&code[at + 1..]);
                }
            }
            _ => {}
        }
    }
    None
}
