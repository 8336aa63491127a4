//! SEARCH/REPLACE blocks: lines of a file, and the lines that take their place.
//!
//! ```text
//! PATH
//! <<<<<<< SEARCH
//! the old lines
//! =======
//! the new lines
//! >>>>>>> REPLACE
//! ```
//!
//! The line that begins a code block may stand between the path and the block. A block directly
//! behind another one is about the same file if it has no path. The three lines of marks have the
//! same number of marks, five to nine: a text that contains such a line needs another number.
//! A block without old lines creates a file. Every other block is a hunk: its old lines are whole
//! lines of the file. The lines that both texts begin or end with stay as they are in the file.

use std::ops::RangeInclusive;

use super::hunk::{self, Hunk, Mark, Stands};
use super::reader::{Line, Reader};
use super::{Action, Invalid, Name, Part};

/// How many marks a line of marks has.
const MARKS: RangeInclusive<usize> = 5..=9;

/// Number of marks of the line that begins a block.
pub(super) fn opening(header: &str) -> Option<usize> {
    marks(header, '<', "SEARCH")
}

fn marks(header: &str, mark: char, word: &str) -> Option<usize> {
    let rest = header.trim_end().trim_start_matches(mark);
    let count = header.len() - header.trim_start_matches(mark).len();
    let is_it = match word {
        "" => rest.is_empty(),
        word => rest.strip_prefix(' ') == Some(word),
    };
    (is_it && MARKS.contains(&count)).then_some(count)
}

/// Reads all blocks. What stands between them says nothing but their paths.
pub(super) fn parse(mut reader: Reader) -> Result<Vec<Part>, Invalid> {
    let mut parts: Vec<Part> = Vec::new();
    // The last line that is no fence, if it stands right before; and whether anything was said since the last block.
    let (mut before, mut is_new) = (None, true);
    while let Some(line) = reader.next() {
        let header = line.header();
        let Some(count) = opening(header) else {
            let is_fence = header.trim_start().starts_with("```");
            let is_blank = header.trim().is_empty();
            if !is_fence {
                before = Some(line).filter(|_| !is_blank);
                is_new |= !is_blank;
            }
            continue;
        };
        let path = match (before.and_then(path), parts.last()) {
            (Some(path), _) => path,
            (None, Some(last)) if !is_new => last.path.clone(),
            _ => return Err(line.expected("the path of the file in the line before this one")),
        };
        let (old, new) = block(&mut reader, count)?;
        let action = match old.is_empty() {
            true => Action::Create(new.to_owned()),
            false => Action::Change(vec![hunk(line.number, old, new)]),
        };
        parts.push(Part { line: line.number, path, action });
        (before, is_new) = (None, false);
    }
    Ok(parts)
}

/// A hunk that replaces whole lines, wherever they are in the file.
fn hunk<'a>(line: u32, old: &'a str, new: &'a str) -> Hunk<'a> {
    let lines = |text: &'a str| -> Vec<&'a str> { text.split_terminator('\n').collect() };
    let (old, new) = (lines(old), lines(new));
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (old[head..].iter().rev(), new[head..].iter().rev());
    let tail = old_rest.zip(new_rest).take_while(|(old, new)| old == new).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let parts = [
        (Mark::Keep, &old[..head]),
        (Mark::Remove, &old[head..old_end]),
        (Mark::Add, &new[head..new_end]),
        (Mark::Keep, &old[old_end..]),
    ];
    let marked = |(mark, lines): (Mark, &[&'a str])| -> Vec<hunk::Line<'a>> {
        lines.iter().map(|text| hunk::Line { mark, text, is_ended: true }).collect()
    };
    let lines = parts.into_iter().flat_map(marked).collect();
    Hunk { line, stands: Stands::Behind { anchors: Vec::new(), at_end: false }, lines }
}

/// The path that a line is, in backquotes or not.
pub(super) fn path(line: Line) -> Option<Name> {
    let text = line.header().trim();
    let bare = text.strip_prefix('`').and_then(|text| text.strip_suffix('`')).unwrap_or(text);
    (!bare.is_empty()).then(|| Name::whole(bare))
}

/// Both texts of a block whose first line was read.
fn block<'a>(reader: &mut Reader<'a>, count: usize) -> Result<(&'a str, &'a str), Invalid> {
    let (middle, closing) = ("=".repeat(count), format!("{} REPLACE", ">".repeat(count)));
    let begin = reader.peek().unwrap_or_else(|| reader.end());
    let mut split = None;
    while let Some(line) = reader.next() {
        let header = line.header();
        if marks(header, '=', "") == Some(count) {
            if split.is_some() {
                let what = format!(
                    "one `{middle}` only; give all lines of marks of the block another length if the text has such a line"
                );
                return Err(line.expected(&what));
            }
            split = Some((line, reader.peek().unwrap_or_else(|| reader.end())));
        } else if marks(header, '>', "REPLACE") == Some(count) {
            let (end, new) =
                split.ok_or_else(|| line.expected(&format!("`{middle}` before the end of the block")))?;
            return Ok((reader.between(begin, end), reader.between(new, line)));
        } else if opening(header) == Some(count) {
            return Err(line.expected(&format!("`{closing}` before another block begins")));
        }
    }
    let missing = if split.is_some() { closing } else { middle };
    Err(reader.end().expected(&format!("`{missing}`")))
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn shown(part: &Part) -> String {
        let path = &part.path.text;
        match &part.action {
            Action::Create(content) => format!("{} create {path} {content:?}", part.line),
            Action::Change(hunks) => {
                let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
                let lines: Vec<_> = lines.map(|line| format!("{:?} {:?}", line.mark, line.text)).collect();
                format!("{} {path} {}", part.line, lines.join(", "))
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn blocks_are_read_with_their_paths() {
        for (text, expected) in [
            ("x.rs\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", &[r#"2 x.rs Remove "a", Add "b""#][..]),
            (
                "x.rs\n<<<<<<< SEARCH\r\na\r\n=======\r\nb\r\n>>>>>>> REPLACE\r\n",
                &[r#"2 x.rs Remove "a\r", Add "b\r""#],
            ),
            ("x.rs\n```rust\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n```\n", &[r#"3 x.rs Remove "a""#]),
            ("```\n`d/x y.rs`\n<<<<< SEARCH\n=====\nb\n>>>>> REPLACE\n```", &[r#"3 create d/x y.rs "b\n""#]),
            (
                "x\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\nc\n\n=======\n\nd\n>>>>>>> REPLACE\n\
                 Now the other one:\ny\n<<<<<<< SEARCH\ne\n=======\nf\n>>>>>>> REPLACE",
                &[
                    r#"2 x Remove "a", Add "b""#,
                    r#"8 x Remove "c", Remove "", Add "", Add "d""#,
                    r#"17 y Remove "e", Add "f""#,
                ],
            ),
            // Other lines of marks are a part of the text.
            (
                "x\n<<<<<<<< SEARCH\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n==========\n========\nb\n>>>>>>>> REPLACE\n",
                &[concat!(
                    r#"2 x Remove "<<<<<<< SEARCH", Remove "=======", Remove ">>>>>>> REPLACE", "#,
                    r#"Remove "==========", Add "b""#
                )],
            ),
            (
                "x\n<<<<< SEARCH\na\nb\nc\na\n=====\na\nc\na\n>>>>> REPLACE\n",
                &[r#"2 x Keep "a", Remove "b", Keep "c", Keep "a""#],
            ),
            ("x\n<<<<< SEARCH\na\na\n=====\na\n>>>>> REPLACE\n", &[r#"2 x Keep "a", Remove "a""#]),
        ] {
            let patch = parse(text).unwrap_or_else(|invalid| panic!("{invalid:?}\n{text}"));
            assert_eq!(patch.parts.iter().map(shown).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_block_is_refused_where_it_goes_wrong() {
        for (text, line, expected) in [
            (
                "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
                1,
                "the path of the file in the line before this one",
            ),
            (
                "x\n\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
                3,
                "the path of the file in the line before this one",
            ),
            (
                "x\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\ntext\n\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
                8,
                "the path of the file in the line before this one",
            ),
            ("x\n<<<<<<< SEARCH\na\n", 4, "`=======`"),
            ("x\n<<<<<<< SEARCH\na\n=======\nb", 5, "`>>>>>>> REPLACE`"),
            ("x\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", 4, "`=======` before the end of the block"),
            (
                "x\n<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n",
                6,
                "one `=======` only; give all lines of marks of the block another length if the text has such a line",
            ),
            (
                "x\n<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\n",
                6,
                "`>>>>>>> REPLACE` before another block begins",
            ),
        ] {
            let invalid = parse(text).unwrap_err();
            let problem = super::super::Problem::Expected(expected.to_owned());
            assert_eq!((invalid.line, invalid.problem), (line, problem), "{text}");
        }
    }
}
