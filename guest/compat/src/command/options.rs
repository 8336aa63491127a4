//! Options: `content: …` and `destination: …`.
//!
//! ```text
//! options     = *(key ":" value)
//! key         = "content" / "destination"       ; each once, with space before it
//! value       = everything up to the next key, without the space around it; never nothing
//! ```
//!
//! A content is literal, but for a last line that begins with `dependsOn:`. A destination is one
//! word or a quoted text.

use std::borrow::Cow;

use super::marks::{OptionKey, OptionMark, Word, marks};

/// The text after `options:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenOption<'a> {
    /// Options; none for an empty text.
    Read(Options<'a>),
    /// Unreadable text.
    Unread(&'a str),
}

/// Parsed options.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options<'a> {
    /// The content of a file.
    pub content: Option<&'a str>,
    /// The destination of a file.
    pub destination: Option<Cow<'a, str>>,
}

/// Parses the text after `options:`. It ends at `dependsOn:`, in a content only on the last line.
pub(super) fn read(text: &str) -> GivenOption<'_> {
    let mut read = Some(Options::default());
    let (mut key, mut start, mut end) = (None, 0, text.len());
    for mark in marks(text) {
        let next = match mark.word {
            Word::Key(next) => next,
            Word::DependsOn if key != Some(OptionKey::Content) || is_last_line(text, mark) => {
                end = mark.start;
                break;
            }
            Word::DependsOn | Word::Options => continue,
        };
        read = read.and_then(|options| options.with(key, &text[start..mark.start]));
        (key, start) = (Some(next), mark.end);
    }
    let raw = text[..end].trim();
    if raw.is_empty() {
        return GivenOption::Read(Options::default());
    }
    read.and_then(|options| options.with(key, &text[start..end]))
        .map_or(GivenOption::Unread(raw), GivenOption::Read)
}

fn is_last_line(text: &str, mark: OptionMark) -> bool {
    text[..mark.start].ends_with('\n') && !text[mark.end..].trim_end().contains('\n')
}

impl<'a> Options<'a> {
    fn with(self, key: Option<OptionKey>, value: &'a str) -> Option<Self> {
        let value = value.trim();
        match key {
            // Nothing precedes the first key.
            None if value.is_empty() => Some(self),
            // A repeated key may be a line of the first value.
            Some(OptionKey::Content) if self.content.is_none() && !value.is_empty() => {
                Some(Self { content: Some(value), ..self })
            }
            Some(OptionKey::Destination) if self.destination.is_none() => {
                Some(Self { destination: Some(one(value)?), ..self })
            }
            _ => None,
        }
    }
}

fn one(value: &str) -> Option<Cow<'_, str>> {
    let one = match value.strip_prefix(['"', '\'']) {
        Some(rest) => Cow::Owned(unquoted(rest, value.chars().next()?)?),
        None if value.contains(char::is_whitespace) => return None,
        None => Cow::Borrowed(value),
    };
    Some(one).filter(|one| !one.is_empty())
}

fn unquoted(text: &str, quote: char) -> Option<String> {
    let mut out = String::new();
    let mut rest = text.chars();
    loop {
        match rest.next()? {
            '\\' => out.push(match rest.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                same @ ('\\' | '\'' | '"') => same,
                _ => return None,
            }),
            next if next == quote => return Some(out).filter(|_| rest.as_str().is_empty()),
            next => out.push(next),
        }
    }
}
