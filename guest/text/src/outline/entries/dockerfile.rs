//! Stages of Dockerfiles: from `FROM` up to the next one.
//!
//! The name after `AS` is the name of a stage. A stage without one has the name of its image, or
//! `FROM image` if an earlier stage is called like that.

use std::collections::BTreeSet;

use super::{EntryName, Scan};
use crate::lines::{content, end_of_line};

pub(super) fn scan(scan: &mut Scan) {
    let (text, mut from) = (scan.text, scan.content_end);
    let mut escape = b'\\';
    let mut is_head = true;
    let mut names = BTreeSet::new();
    while from < text.len() {
        let to = end_of_line(text, from);
        let line = content(&text[from..to]).trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            escape = escape_directive(line).filter(|_| is_head).unwrap_or(escape);
            is_head &= !line.is_empty();
            from = to;
            continue;
        }
        is_head = false;
        let mut end = end_of_instruction(text, from, escape);
        let instruction = &without_comments(&text[from..end]);
        let word = &line[..line.iter().take_while(|byte| !byte.is_ascii_whitespace()).count()];
        if word.eq_ignore_ascii_case(b"FROM") {
            if let Some(name) = stage(instruction, &mut names) {
                scan.begin(vec![name], from..end);
            } else {
                scan.doubt(from);
            }
        } else if [&b"RUN"[..], b"COPY", b"ADD", b"ONBUILD"].iter().any(|own| word.eq_ignore_ascii_case(own))
        {
            for heredoc in heredocs(instruction) {
                match heredoc.end(text, end) {
                    Some(next) => end = next,
                    None => {
                        scan.lose(from);
                        end = text.len();
                    }
                }
            }
        }
        scan.content(end);
        from = end;
    }
    scan.close(text.len());
}

/// The mark that joins lines: a backslash, or a backtick if a directive in the head says so.
pub(crate) fn escape(head: &[u8]) -> &'static str {
    let lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let directives = lines.take_while(|line| line.starts_with(b"#"));
    if directives.filter_map(escape_directive).last() == Some(b'`') { "`" } else { "\\" }
}

/// The character in `# escape=`.
fn escape_directive(line: &[u8]) -> Option<u8> {
    let (name, value) = std::str::from_utf8(line).ok()?.strip_prefix('#')?.split_once('=')?;
    let is_escape = name.trim().eq_ignore_ascii_case("escape");
    value.trim().bytes().next().filter(|byte| is_escape && matches!(byte, b'\\' | b'`'))
}

/// The end of an instruction. Comments and blank lines do not end one that goes on.
fn end_of_instruction(text: &[u8], from: usize, escape: u8) -> usize {
    let mut at = from;
    loop {
        let to = end_of_line(text, at);
        let line = content(&text[at..to]).trim_ascii();
        let is_between = at > from && (line.is_empty() || line.starts_with(b"#"));
        let goes_on = line.strip_suffix(&[escape]).is_some_and(|before| !before.ends_with(&[escape]));
        if !is_between && !goes_on || to == text.len() {
            return to;
        }
        at = to;
    }
}

/// The lines of an instruction that are no comments.
fn without_comments(instruction: &[u8]) -> Vec<u8> {
    let lines = instruction.split_inclusive(|byte| matches!(byte, b'\n' | b'\r'));
    lines.filter(|line| !line.trim_ascii_start().starts_with(b"#")).flatten().copied().collect()
}

/// The name of a stage. Its image and its whole line find it too.
fn stage(instruction: &[u8], names: &mut BTreeSet<String>) -> Option<EntryName> {
    let text = String::from_utf8_lossy(instruction);
    let all: Vec<_> = text.split_ascii_whitespace().filter(|word| !matches!(*word, "\\" | "`")).collect();
    let mut words = all[1..].iter().skip_while(|word| word.starts_with("--"));
    let image = (*words.next()?).to_owned();
    let header = format!("FROM {image}");
    let mut aliases = vec![all.join(" "), header.clone(), image.clone()];
    let name = match (words.next(), words.next()) {
        (Some(word), Some(name)) if word.eq_ignore_ascii_case("AS") => {
            names.insert((*name).to_owned());
            aliases.push(format!("{header} AS {name}"));
            (*name).to_owned()
        }
        _ if names.contains(&image) => header,
        _ => image,
    };
    Some(EntryName::new(&name, aliases))
}

/// Lines up to one that holds a word alone.
struct Heredoc {
    word: Vec<u8>,
    strips_tabs: bool,
}

impl Heredoc {
    /// The end of the line with the word.
    fn end(&self, text: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        while at < text.len() {
            let to = end_of_line(text, at);
            let line = content(&text[at..to]);
            let tabs = line.iter().take_while(|byte| self.strips_tabs && **byte == b'\t').count();
            if line[tabs..] == self.word {
                return Some(to);
            }
            at = to;
        }
        None
    }
}

/// The words `<<EOF`, `<<-EOF`, `<<"EOF"` of an instruction, outside of other quotes.
fn heredocs(instruction: &[u8]) -> Vec<Heredoc> {
    let mut found = Vec::new();
    let (mut at, mut quote, mut is_start) = (0, None, true);
    while let Some(byte) = instruction.get(at) {
        if quote.is_none() && is_start && instruction[at..].starts_with(b"<<") {
            let rest = &instruction[at + 2..];
            let dash = usize::from(rest.starts_with(b"-"));
            let length = rest[dash..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
            let word: Vec<_> = rest[dash..dash + length]
                .iter()
                .copied()
                .take_while(|byte| !matches!(byte, b';' | b'>' | b'|' | b'&' | b')'))
                .filter(|byte| !matches!(byte, b'"' | b'\''))
                .collect();
            let is_word = word.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_');
            if is_word && !word.contains(&b'<') {
                found.push(Heredoc { word, strips_tabs: dash == 1 });
            }
            at += 2 + dash + length;
            continue;
        }
        match (quote, byte) {
            (Some(open), byte) if open == *byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None | Some(b'"'), b'\\') => at += 1,
            _ => {}
        }
        is_start = byte.is_ascii_whitespace() || is_start && byte.is_ascii_digit();
        at += 1;
    }
    found
}
