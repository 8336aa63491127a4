//! Checks an ambiguous parse against the layout of the text.

use std::ops::Range;

use super::Sections;
use crate::lines::{content, end_of_line};

/// Whether lines after a section's first are indented deeper, but for closing lines. The layout of
/// an entry says nothing.
pub(super) fn shows(text: &[u8], section: &Range<usize>, sections: Sections) -> bool {
    if matches!(sections, Sections::Entries(_)) {
        return false;
    }
    let mut lines = lines(&text[section.clone()]);
    let Some(first) = lines.next() else { return false };
    let start = indent(first);
    let is_deeper = |line: &[u8]| indent(line).starts_with(start) && indent(line).len() > start.len();
    let mut lines: Vec<_> = lines.collect();
    let Some(last) = lines.pop() else {
        return self::lines(&text[section.end..])
            .next()
            .is_none_or(|line| !is_deeper(line) && !matches!(first_byte(line), b'{' | b'}' | b')' | b']'));
    };
    let is_closed = indent(last) == start && matches!(first_byte(last), b'}' | b')' | b']');
    let is_indented = matches!(sections, Sections::Indentation(_)) && is_deeper(last);
    (is_closed || is_indented)
        && lines.iter().all(|line| is_deeper(line) || matches!(first_byte(line), b'{' | b')'))
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut from = 0;
    std::iter::from_fn(move || {
        (from < text.len()).then(|| {
            let start = from;
            from = end_of_line(text, start);
            content(&text[start..from])
        })
    })
    .filter(|line| !line.trim_ascii().is_empty())
}

fn indent(line: &[u8]) -> &[u8] {
    &line[..line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()]
}

fn first_byte(line: &[u8]) -> u8 {
    line.trim_ascii_start().first().copied().unwrap_or(0)
}
