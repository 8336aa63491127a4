//! Headings of Markdown, and what belongs to them.

use std::ops::Range;

use super::names::{Around, Named, Names, Rank, spaced};
use crate::text::lines::{content, end_of_line};

/// A heading that is open: its level, what is around the places under it, and, if it is looked for, where it begins.
struct Open {
    level: usize,
    inside: Around,
    found: Option<(Rank, usize)>,
}

/// What the lines so far are part of.
enum Part {
    /// Text in which headings count.
    Text,
    /// Code between two fences: the character, how many of them.
    Fence(u8, usize),
    /// A comment.
    Comment,
}

/// Looks at every heading.
pub(super) fn look(text: &[u8], names: &mut Names) {
    let mut walk = Walk { names, open: Vec::new() };
    let mut part = Part::Text;
    // Lines that a setext heading may consist of.
    let mut paragraph: Option<Range<usize>> = None;
    let mut from = end_of_front_matter(text);
    while from < text.len() {
        let to = end_of_line(text, from);
        let line = content(&text[from..to]);
        let indented = line.iter().take_while(|byte| **byte == b' ').count();
        let is_code = indented > 3 || line.first() == Some(&b'\t');
        let bare = line.trim_ascii();
        let before = paragraph.take();
        match part {
            Part::Fence(mark, count) => {
                let closing = bare.len() >= count && bare.iter().all(|byte| *byte == mark) && !is_code;
                if closing {
                    part = Part::Text;
                }
            }
            Part::Comment => {
                if memchr::memmem::find(line, b"-->").is_some() {
                    part = Part::Text;
                }
            }
            Part::Text if bare.is_empty() => {}
            // A paragraph goes on however far its lines are indented.
            Part::Text if is_code => paragraph = before.map(|lines| lines.start..to),
            Part::Text => {
                if let Some((mark, count)) = fence(bare) {
                    part = Part::Fence(mark, count);
                } else if let Some((level, title)) = atx(bare) {
                    walk.heading(level, &title, from);
                } else if let Some((level, lines)) = underline(bare).zip(before.clone()) {
                    let title: Vec<_> = String::from_utf8_lossy(&text[lines.clone()])
                        .split_ascii_whitespace()
                        .map(str::to_owned)
                        .collect();
                    walk.heading(level, &title.join(" "), lines.start);
                } else if bare.starts_with(b"<!--") {
                    if memchr::memmem::find(bare, b"-->").is_none() {
                        part = Part::Comment;
                    }
                } else if is_paragraph(bare, before.is_some()) {
                    paragraph = Some(before.map_or(from, |lines| lines.start)..to);
                }
            }
        }
        from = to;
    }
    walk.close(0, text.len());
}

/// Where the text begins behind settings that stand between two lines of `---` or `+++`.
fn end_of_front_matter(text: &[u8]) -> usize {
    let mut from = end_of_line(text, 0);
    let mark = content(&text[..from]);
    if mark != b"---" && mark != b"+++" {
        return 0;
    }
    while from < text.len() {
        let to = end_of_line(text, from);
        if content(&text[from..to]).trim_ascii_end() == mark {
            return to;
        }
        from = to;
    }
    0
}

struct Walk<'a, 'b> {
    names: &'a mut Names<'b>,
    open: Vec<Open>,
}

impl Walk<'_, '_> {
    fn heading(&mut self, level: usize, title: &str, at: usize) {
        self.close(level, at);
        let around = self.open.last().map_or_else(Around::default, |open| open.inside);
        let title = spaced(title);
        let names = vec![title.clone(), format!("{} {title}", "#".repeat(level))];
        let (inside, rank) = self.names.enter(around, &Named { names, adds: false });
        self.open.push(Open { level, inside, found: rank.map(|rank| (rank, at)) });
    }

    /// Ends what is open at this level and below; all of it at 0.
    fn close(&mut self, level: usize, at: usize) {
        while let Some(open) = self.open.pop_if(|open| open.level >= level) {
            if let Some((rank, start)) = open.found {
                self.names.leave(rank, start..at);
            }
        }
    }
}

/// The fence that a line opens.
fn fence(bare: &[u8]) -> Option<(u8, usize)> {
    let mark = *bare.first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let count = bare.iter().take_while(|byte| **byte == mark).count();
    // Otherwise it is code in a line.
    let opens = count >= 3 && (mark == b'~' || !bare[count..].contains(&b'`'));
    opens.then_some((mark, count))
}

/// `## Title`, perhaps with more marks behind it.
fn atx(bare: &[u8]) -> Option<(usize, String)> {
    let level = bare.iter().take_while(|byte| **byte == b'#').count();
    if !(1..=6).contains(&level) || !matches!(bare.get(level), None | Some(b' ' | b'\t')) {
        return None;
    }
    let title = bare[level..].trim_ascii();
    let marks = title.iter().rev().take_while(|byte| **byte == b'#').count();
    let plain = &title[..title.len() - marks];
    let title =
        if plain.is_empty() || plain.ends_with(b" ") || plain.ends_with(b"\t") { plain } else { title };
    Some((level, String::from_utf8_lossy(title.trim_ascii()).into_owned()))
}

/// The level that the line below a heading gives it.
fn underline(bare: &[u8]) -> Option<usize> {
    match bare.first()? {
        mark @ (b'=' | b'-') if bare.iter().all(|byte| byte == mark) => {
            Some(if *mark == b'=' { 1 } else { 2 })
        }
        _ => None,
    }
}

/// False for what begins a list, a quotation or a table, which no line below makes a heading.
fn is_paragraph(bare: &[u8], goes_on: bool) -> bool {
    let digits = bare.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let numbers = digits > 0 && matches!(bare.get(digits), Some(b'.' | b')')) && !goes_on;
    let item = matches!(bare, [b'-' | b'*' | b'+', b' ' | b'\t', ..]);
    // A line across the page.
    let is_rule =
        bare.len() >= 3 && matches!(bare[0], b'-' | b'*' | b'_') && bare.iter().all(|byte| *byte == bare[0]);
    !(numbers || item || is_rule || matches!(bare[0], b'>' | b'|'))
}
