//! One assignment: key, operator, value.

use std::ops::Range;

use super::scan::MARK;
use super::syntax::{SyntaxCode, SyntaxFlaw};

/// The longest key, in UTF-16 units.
const KEY_UNITS: usize = 256;

pub(super) struct AssignmentParts<'a> {
    line: &'a str,
    pub(super) key: &'a str,
    /// The operator's bytes in the line.
    operator: Range<usize>,
}

/// A value by its first line.
pub(super) enum AssignmentValue {
    Quoted(String),
    /// It follows on the next lines.
    Heredoc,
}

impl<'a> AssignmentParts<'a> {
    pub(super) fn of(line: &'a str, id: &str) -> Result<Self, SyntaxFlaw> {
        let before_quote = line.split('"').next().unwrap_or_default();
        let Some(equals) = before_quote.find('=') else {
            let message = format!(
                "Invalid line format in block '{id}': not a valid key-value assignment or empty line"
            );
            return Err(SyntaxFlaw::new(SyntaxCode::MalformedAssignment, 0..line.len(), message));
        };
        let is_part =
            |character: char| character.is_ascii_punctuation() && !"_\"'<(){}[],;".contains(character);
        let start = line[..equals].trim_end_matches(is_part).len();
        let behind = &line[equals + 1..];
        let end = line.len() - behind.trim_start_matches(|character| "=>~:".contains(character)).len();
        Ok(Self { line, key: line[..start].trim_end(), operator: start..end })
    }

    pub(super) fn flaw(&self) -> Option<SyntaxFlaw> {
        let Self { line, key, operator } = self;
        let key_flaw = |message: String| Some(SyntaxFlaw::new(SyntaxCode::InvalidKey, 0..key.len(), message));
        if key.trim().is_empty() {
            let message = "Assignment without key name";
            return Some(SyntaxFlaw::new(SyntaxCode::EmptyKey, operator.start..operator.start + 1, message));
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
            SyntaxFlaw::new(SyntaxCode::InvalidAssignmentOperator, operator.clone(), message)
        })
    }

    /// The value, or its mistake and an intended heredoc's mark.
    pub(super) fn value(&self, id: &str) -> Result<AssignmentValue, (SyntaxFlaw, Option<&'a str>)> {
        let behind = self.line[self.operator.end..].trim_start();
        let (start, end) = (self.line.len() - behind.len(), self.line.trim_end().len());
        let flaw = |code, at, message: &str| Err((SyntaxFlaw::new(code, at, message), None));
        if behind.starts_with('"') {
            let Some(length) = quoted(behind) else {
                return flaw(SyntaxCode::UnclosedQuote, start..self.line.len(), "Unclosed quoted string");
            };
            let rest = behind[length..].trim();
            if !rest.is_empty() {
                let message = "Unexpected content after quoted value";
                return flaw(SyntaxCode::TrailingContent, end - rest.len()..end, message);
            }
            return match serde_json::from_str(&behind[..length]) {
                Ok(value) => Ok(AssignmentValue::Quoted(value)),
                Err(_) => flaw(
                    SyntaxCode::InvalidValue,
                    start..start + length,
                    "Quoted value is not a valid JSON string",
                ),
            };
        }
        let Some(mark) = behind.strip_prefix("<<") else {
            let message = "Value must be a quoted string or heredoc";
            return flaw(SyntaxCode::InvalidValue, start..end.max(start), message);
        };
        let mark = mark.trim();
        if mark
            .strip_prefix('\'')
            .and_then(|mark| mark.strip_suffix('\''))
            .and_then(|mark| mark.strip_prefix(MARK))
            == Some(id)
        {
            return Ok(AssignmentValue::Heredoc);
        }
        let message = format!("Invalid heredoc delimiter - must be '{MARK}{id}' in single quotes");
        let at = end - mark.len().min(end)..end;
        let meant = Some(mark.trim_matches(['\'', '"'])).filter(|mark| !mark.is_empty());
        Err((SyntaxFlaw::new(SyntaxCode::InvalidHeredocDelimiter, at, message), meant))
    }
}

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
