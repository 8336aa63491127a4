//! SEARCH/REPLACE blocks: lines of a file and their replacement.
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
//! A code fence may separate path and block. The next block of the same file needs no path. All
//! three lines have the same number of marks, five to nine, so a text may contain such a line.
//! `------- SEARCH` and `+++++++ REPLACE` are the same marks. A line `:start_line:7` and a line of
//! hyphens before the old lines choose a place. A block without old lines creates a file; any other
//! is a hunk of whole lines, whose common first and last lines stay.

use std::ops::RangeInclusive;

use super::hunk::{self, Hunk, HunkPlace, LineMark};
use super::reader::{PatchLine, PatchReader};
use super::{FilePatch, InvalidPatch, PatchAction, PatchPath};

const MARKS: RangeInclusive<usize> = 5..=9;

/// The mark characters of the first and last line, and their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockMarks {
    open: char,
    close: char,
    count: usize,
}

pub(super) fn opening(header: &str) -> Option<BlockMarks> {
    [('<', '>'), ('-', '+')].into_iter().find_map(|(open, close)| {
        let count = marks(header, open, "SEARCH")?;
        Some(BlockMarks { open, close, count })
    })
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

/// Parses all blocks. Text between gives only paths.
pub(super) fn parse(mut reader: PatchReader) -> Result<Vec<FilePatch>, InvalidPatch> {
    let mut parts: Vec<FilePatch> = Vec::new();
    // The last line before a block but for a fence, and whether text followed a block.
    let (mut before, mut is_new) = (None, true);
    while let Some(line) = reader.next() {
        let header = line.header();
        let Some(marks) = opening(header) else {
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
        let block = block(&mut reader, marks)?;
        let action = match block.old.is_empty() {
            true => PatchAction::Create(block.new.to_owned()),
            false => PatchAction::Change(vec![hunk(line.number, &block)]),
        };
        parts.push(FilePatch { line: line.number, path, action });
        (before, is_new) = (None, false);
    }
    Ok(parts)
}

fn hunk<'a>(line: u32, block: &SearchBlock<'a>) -> Hunk<'a> {
    let SearchBlock { old, new, line: at } = *block;
    let lines = |text: &'a str| -> Vec<&'a str> { text.split_terminator('\n').collect() };
    let (old, new) = (lines(old), lines(new));
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (old[head..].iter().rev(), new[head..].iter().rev());
    let tail = old_rest.zip(new_rest).take_while(|(old, new)| old == new).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let parts = [
        (LineMark::Keep, &old[..head]),
        (LineMark::Remove, &old[head..old_end]),
        (LineMark::Add, &new[head..new_end]),
        (LineMark::Keep, &old[old_end..]),
    ];
    let marked = |(mark, lines): (LineMark, &[&'a str])| -> Vec<hunk::HunkLine<'a>> {
        lines.iter().map(|text| hunk::HunkLine { mark, text, is_ended: true }).collect()
    };
    let lines = parts.into_iter().flat_map(marked).collect();
    Hunk { line, stands: HunkPlace::Behind { line: at, anchors: Vec::new(), at_end: false }, lines }
}

pub(super) fn path(line: PatchLine) -> Option<PatchPath> {
    let text = line.header().trim();
    let bare = text.strip_prefix('`').and_then(|text| text.strip_suffix('`')).unwrap_or(text);
    (!bare.is_empty()).then(|| PatchPath::whole(bare))
}

struct SearchBlock<'a> {
    old: &'a str,
    new: &'a str,
    /// The line at which it claims to begin.
    line: Option<u64>,
}

fn block<'a>(reader: &mut PatchReader<'a>, marked: BlockMarks) -> Result<SearchBlock<'a>, InvalidPatch> {
    let BlockMarks { close, count, .. } = marked;
    let (middle, closing) = ("=".repeat(count), format!("{} REPLACE", close.to_string().repeat(count)));
    let line = numbered(reader);
    let begin = reader.peek().unwrap_or_else(|| reader.end());
    let mut split = None;
    while let Some(next) = reader.next() {
        let header = next.header();
        if marks(header, '=', "") == Some(count) {
            if split.is_some() {
                let what = format!(
                    "one `{middle}` only; give all lines of marks of the block another length if the text has such a line"
                );
                return Err(next.expected(&what));
            }
            split = Some((next, reader.peek().unwrap_or_else(|| reader.end())));
        } else if marks(header, close, "REPLACE") == Some(count) {
            let (end, new) =
                split.ok_or_else(|| next.expected(&format!("`{middle}` before the end of the block")))?;
            return Ok(SearchBlock { old: reader.between(begin, end), new: reader.between(new, next), line });
        } else if opening(header) == Some(marked) {
            return Err(next.expected(&format!("`{closing}` before another block begins")));
        }
    }
    let missing = if split.is_some() { closing } else { middle };
    Err(reader.end().expected(&format!("`{missing}`")))
}

/// Reads lines such as `:start_line:7` up to a line of hyphens.
fn numbered(reader: &mut PatchReader) -> Option<u64> {
    let (mut ahead, mut first) = (*reader, None);
    while let Some(line) = ahead.next() {
        let header = line.header().trim();
        if let Some(number) = header.strip_prefix(hunk::NUMBER) {
            first = Some(number.trim().parse().ok()?);
        } else if !header.starts_with(":end_line:") {
            first = first.filter(|_| marks(header, '-', "").is_some());
            *reader = if first.is_some() { ahead } else { *reader };
            return first;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn shown(part: &FilePatch) -> String {
        let path = &part.path.text;
        match &part.action {
            PatchAction::Create(content) => format!("{} create {path} {content:?}", part.line),
            PatchAction::Change(hunks) => {
                let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
                let lines: Vec<_> = lines.map(|line| format!("{:?} {:?}", line.mark, line.text)).collect();
                let at = hunks.iter().find_map(|hunk| match hunk.stands {
                    HunkPlace::Behind { line, .. } => line,
                    HunkPlace::After(_) => None,
                });
                let at = at.map(|line| format!("at {line} ")).unwrap_or_default();
                format!("{} {path} {at}{}", part.line, lines.join(", "))
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn blocks_are_read_with_their_paths() {
        for (text, expected) in [
            (
                "x.rs\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
                &[r#"2 x.rs Remove "a", Add "b""#][..],
            ),
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
            ("x\n------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n", &[r#"2 x Remove "a", Add "b""#]),
            (
                "x\n<<<<<<< SEARCH\n:start_line:2\n:end_line: 2\n-------\na\n=======\nb\n>>>>>>> REPLACE\n",
                &[r#"2 x at 2 Remove "a", Add "b""#],
            ),
            (
                "x\n<<<<<<< SEARCH\n:start_line:2\n=======\n-------\n>>>>>>> REPLACE\n",
                &[r#"2 x Remove ":start_line:2", Add "-------""#],
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
            let problem = super::super::PatchSyntaxProblem::Expected(expected.to_owned());
            assert_eq!((invalid.line, invalid.problem), (line, problem), "{text}");
        }
    }
}
