//! Finds and parses the blocks of a text.
//!
//! ```text
//! block     = head LF *(parameter LF / blank LF) "}}"
//! head      = [space] "{{invoke_tool:" [space] tool [space]     ; "}}" on the same line ends it
//! tool      = 1*(letter / digit / "_" / "-")                    ; of ASCII
//! parameter = [space] name [space] ":" [space] value
//! name      = 1*(letter / digit / "_")
//! value     = DQUOTE text with escapes DQUOTE / "'" text "'" / ("|" / "|-") LF lines
//!             / text to the end of the line
//! ```
//!
//! A head and a block's end begin a line, after optional spaces. Lines after `|` are indented
//! deeper than the name, and lose their common indentation. Other text is ignored.

use std::ops::Range;

use super::front_matter::parts;
use super::value::{ParameterValue, quoted, single};
use fsgate_contract::limits::{WORKFLOW_BLOCKS, WORKFLOW_PARAMETERS};

pub(super) const HEAD: &str = "{{invoke_tool:";
pub(super) const END: &str = "}}";

/// The longest tool name, which appears in results.
const LONGEST: usize = 64;

/// A block, valid or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowBlock<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// Names and values, in order.
    pub values: Vec<(&'a str, ParameterValue<'a>)>,
    /// The line of its head, from 1.
    pub line: usize,
    /// Its range in the text.
    pub at: Range<usize>,
    /// Its first syntax error, which prevents a run.
    pub flaw: Option<BlockFlaw>,
}

/// A syntax error of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockFlaw {
    /// Its offset in the text.
    pub at: usize,
    /// Its line, from 1.
    pub line: usize,
    /// The error.
    pub message: String,
}

impl<'a> WorkflowBlock<'a> {
    /// The value with this name.
    pub fn value(&self, name: &str) -> Option<&ParameterValue<'a>> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    fn note(&mut self, line: &BlockLine, at: usize, message: impl Into<String>) {
        if self.flaw.is_none() {
            self.flaw = Some(BlockFlaw { at: line.start + at, line: line.number, message: message.into() });
        }
    }
}

/// The blocks in order, at most one above the limit.
pub fn blocks(text: &str) -> Vec<WorkflowBlock<'_>> {
    let mut lines = WorkflowLines::from(text, parts(text).body);
    let mut found = Vec::new();
    while found.len() <= WORKFLOW_BLOCKS
        && let Some(line) = lines.next()
    {
        if let Some(behind) = line.head() {
            found.push(block(&line, behind, &mut lines));
        }
    }
    found
}

fn block<'a>(head: &BlockLine<'a>, behind: &'a str, lines: &mut WorkflowLines<'a>) -> WorkflowBlock<'a> {
    let (name, is_whole) = behind.split_once(END).map_or((behind, false), |(name, _)| (name, true));
    let start = head.start + head.indent();
    let name_at = head.text.len() - behind.len();
    let mut block = WorkflowBlock {
        tool: Some(name.trim()).filter(|name| name.len() <= LONGEST).unwrap_or_default(),
        values: Vec::new(),
        line: head.number,
        at: start..head.start + name_at + name.len() + if is_whole { END.len() } else { 0 },
        flaw: None,
    };
    let is_part = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    if block.tool.is_empty() || !block.tool.chars().all(is_part) {
        block.note(
            head,
            name_at,
            "a block begins with `{{invoke_tool:` and the name of a tool, alone on its line",
        );
    }
    if is_whole {
        return block;
    }
    loop {
        let Some(line) = lines.peek().filter(|line| line.head().is_none()) else {
            block.note(head, head.indent(), "the block has no end: `}}` at the beginning of a line");
            return block;
        };
        lines.next();
        block.at.end = line.start + line.text.len();
        let rest = line.text.trim_start();
        if rest.starts_with(END) {
            block.at.end = line.start + line.text.len() - rest.len() + END.len();
            return block;
        }
        if !rest.is_empty() {
            parameter(&mut block, &line, lines);
        }
    }
}

fn parameter<'a>(block: &mut WorkflowBlock<'a>, line: &BlockLine<'a>, lines: &mut WorkflowLines<'a>) {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let parts = line.text.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
    let Some((name, written)) = parts.filter(|(name, _)| !name.is_empty() && name.chars().all(is_part))
    else {
        return block.note(line, line.indent(), "a line of a block is a parameter, `name: value`");
    };
    let at = line.text.trim_end().len() - written.len();
    let value = match written {
        "|" | "|-" => {
            let text = lines.indented(line.indent());
            block.at.end = block.at.end.max(text.end);
            Ok(ParameterValue::Lines { text: &lines.text[text], ends: written == "|" })
        }
        _ if written.starts_with('"') => quoted(written),
        _ if written.starts_with('\'') => single(written),
        _ => Ok(ParameterValue::Plain(written)),
    };
    match value {
        Err(message) => block.note(line, at, message),
        Ok(_) if block.value(name).is_some() => {
            block.note(line, line.indent(), format!("the parameter `{name}` is there twice"));
        }
        Ok(_) if block.values.len() >= WORKFLOW_PARAMETERS => {
            block.note(line, line.indent(), format!("a block has at most {WORKFLOW_PARAMETERS} parameters"));
        }
        Ok(value) => block.values.push((name, value)),
    }
}

#[derive(Debug, Clone, Copy)]
struct BlockLine<'a> {
    text: &'a str,
    start: usize,
    number: usize,
}

impl<'a> BlockLine<'a> {
    /// The rest after a head's mark.
    fn head(&self) -> Option<&'a str> {
        self.text.trim_start().strip_prefix(HEAD)
    }

    fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }
}

/// Remaining lines, ended by LF or CRLF.
struct WorkflowLines<'a> {
    text: &'a str,
    at: usize,
    number: usize,
}

impl<'a> WorkflowLines<'a> {
    fn from(text: &'a str, at: usize) -> Self {
        Self { text, at, number: text[..at].matches('\n').count() + 1 }
    }

    fn peek(&self) -> Option<BlockLine<'a>> {
        let line = self.text[self.at..].split_inclusive('\n').next()?;
        let text = line.strip_suffix('\n').unwrap_or(line);
        Some(BlockLine { text: text.strip_suffix('\r').unwrap_or(text), start: self.at, number: self.number })
    }

    fn next(&mut self) -> Option<BlockLine<'a>> {
        let line = self.peek()?;
        let length = self.text[self.at..].find('\n').map_or(self.text.len() - self.at, |end| end + 1);
        self.at += length;
        self.number += 1;
        Some(line)
    }

    /// Skips deeper lines and empty ones between.
    fn indented(&mut self, indent: usize) -> Range<usize> {
        let start = self.at;
        let mut end = self.at;
        let mut rest = Self { ..*self };
        while let Some(line) = rest.next() {
            if line.text.trim_start().is_empty() {
                continue;
            }
            if line.indent() <= indent {
                break;
            }
            end = line.start + line.text.len();
            (self.at, self.number) = (rest.at, rest.number);
        }
        start..end
    }
}
