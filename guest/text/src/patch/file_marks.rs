//! `<<<FILE>>>` blocks: a file and its change between lines of marks.
//!
//! ```text
//! <<<EXPLANATION>>>         why; none, or lines that say nothing here
//! <<<FILE>>>
//! PATH                      with empty lines around it or not
//! <<<SEARCH>>>
//! the text, once in the file
//! <<<REPLACE>>>
//! the new text              one blank line: the lines go
//! <<<END>>>
//! ```
//!
//! `<<<OVERWRITE>>>` and the complete content may replace both texts. The line end before a mark
//! belongs to no text, so a text may be part of a line; deleted text loses its line end. No line of
//! a text is a mark.

use super::reader::{PatchLine, PatchReader};
use super::{FilePatch, InvalidPatch, PatchAction, blocks};

const FILE: &str = "<<<FILE>>>";
const EXPLANATION: &str = "<<<EXPLANATION>>>";
const SEARCH: &str = "<<<SEARCH>>>";
const REPLACE: &str = "<<<REPLACE>>>";
const OVERWRITE: &str = "<<<OVERWRITE>>>";
const END: &str = "<<<END>>>";
const MARKS: [&str; 6] = [FILE, EXPLANATION, SEARCH, REPLACE, OVERWRITE, END];

pub(super) fn mark(header: &str) -> Option<&'static str> {
    MARKS.into_iter().find(|mark| *mark == header.trim_end())
}

pub(super) fn parse(mut reader: PatchReader) -> Result<Vec<FilePatch>, InvalidPatch> {
    let (mut parts, mut is_explained) = (Vec::new(), false);
    while let Some(line) = reader.next() {
        match mark(line.header()) {
            None => {}
            Some(FILE) => {
                parts.push(part(&mut reader, line)?);
                is_explained = false;
            }
            Some(EXPLANATION) if !is_explained => is_explained = true,
            Some(_) => return Err(line.expected("`<<<FILE>>>` and the path in lines before this one")),
        }
    }
    if is_explained {
        return Err(reader.end().expected("`<<<FILE>>>` behind an explanation"));
    }
    Ok(parts)
}

fn part<'a>(reader: &mut PatchReader<'a>, first: PatchLine) -> Result<FilePatch<'a>, InvalidPatch> {
    let line = filled(reader);
    let path = blocks::path(line).filter(|_| mark(line.header()).is_none());
    let path = path.ok_or_else(|| line.expected("the path of the file"))?;
    let begin = filled(reader);
    let action = match mark(begin.header()) {
        Some(OVERWRITE) => PatchAction::Write(until(reader, END)?),
        Some(SEARCH) => {
            let start = reader.peek().unwrap_or_else(|| reader.end());
            let old = until(reader, REPLACE)?;
            if bare(old).is_empty() {
                return Err(start.expected("a text to look for"));
            }
            let start = reader.peek().unwrap_or_else(|| reader.end());
            let new = until(reader, END)?;
            match new.strip_suffix('\n') {
                None => return Err(start.expected("a new text, or a blank line if the old one is to go")),
                Some(line) if line.trim().is_empty() && !line.contains('\n') => {
                    PatchAction::Replace { old, new: "" }
                }
                Some(_) => PatchAction::Replace { old: bare(old), new: bare(new) },
            }
        }
        _ => return Err(begin.expected("`<<<SEARCH>>>` or `<<<OVERWRITE>>>` behind the path")),
    };
    Ok(FilePatch { line: first.number, path, action })
}

fn filled<'a>(reader: &mut PatchReader<'a>) -> PatchLine<'a> {
    while let Some(line) = reader.next() {
        if !line.header().trim().is_empty() {
            return line;
        }
    }
    reader.end()
}

fn until<'a>(reader: &mut PatchReader<'a>, end: &str) -> Result<&'a str, InvalidPatch> {
    let begin = reader.peek().unwrap_or_else(|| reader.end());
    while let Some(line) = reader.next() {
        match mark(line.header()) {
            None => {}
            Some(mark) if mark == end => return Ok(reader.between(begin, line)),
            Some(mark) => return Err(line.expected(&format!("`{end}` before `{mark}`"))),
        }
    }
    Err(reader.end().expected(&format!("`{end}`")))
}

fn bare(lines: &str) -> &str {
    lines.strip_suffix('\n').map_or(lines, |text| text.strip_suffix('\r').unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{PatchSyntaxProblem, parse};
    use super::*;
    use fsgate_fuzz::fuzz;

    fn shown(part: &FilePatch) -> String {
        let path = &part.path.text;
        match &part.action {
            PatchAction::Write(content) => format!("{} write {path} {content:?}", part.line),
            PatchAction::Replace { old, new } => format!("{} {path} {old:?} {new:?}", part.line),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn blocks_are_read_with_their_files() {
        for (text, expected) in [
            (
                "<<<EXPLANATION>>>\n\nwhy\n\n<<<FILE>>>\n\nd/x.py\n\n<<<SEARCH>>>\na\n  b\n<<<REPLACE>>>\nc\n<<<END>>>\n",
                &[r#"5 d/x.py "a\n  b" "c""#][..],
            ),
            (
                "<<<FILE>>>\nx\n<<<OVERWRITE>>>\n{\n}\n<<<END>>>\n\nand\n```\n<<<FILE>>>\n`y z` \n<<<OVERWRITE>>>\n<<<END>>>  \n```",
                &[r#"1 write x "{\n}\n""#, r#"10 write y z """#],
            ),
            ("<<<FILE>>>\nx\n<<<SEARCH>>>\na\nb\n<<<REPLACE>>>\n \n<<<END>>>", &[r#"1 x "a\nb\n" """#]),
            ("<<<FILE>>>\nx\n<<<SEARCH>>>\na\n<<<REPLACE>>>\n\n<<<END>>>", &[r#"1 x "a\n" """#]),
            ("<<<FILE>>>\nx\n<<<SEARCH>>>\na\n<<<REPLACE>>>\n\n\n<<<END>>>", &[r#"1 x "a" "\n""#]),
            (
                "<<<FILE>>>\r\nx\r\n<<<SEARCH>>>\r\na\r\nb\r\n<<<REPLACE>>>\r\nc\r\n<<<END>>>\r\n",
                &[r#"1 x "a\r\nb" "c""#],
            ),
            ("<<<FILE>>>\nx\n<<<SEARCH>>>\na\n<<<REPLACE>>>\n\r\n<<<END>>>\r\n", &[r#"1 x "a\n" """#]),
            (
                "<<<FILE>>>\nx\n<<<SEARCH>>>\n <<<END>>>\n<<<REPLACE>>>\n<<<END>>>.\n<<<<END>>>>\n<<<END>>>\n",
                &[r#"1 x " <<<END>>>" "<<<END>>>.\n<<<<END>>>>""#],
            ),
        ] {
            let patch = parse(text).unwrap_or_else(|invalid| panic!("{invalid:?}\n{text}"));
            assert_eq!(patch.parts.iter().map(shown).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_block_is_refused_where_it_goes_wrong() {
        let file = "`<<<FILE>>>` and the path in lines before this one";
        for (text, line, expected) in [
            ("<<<SEARCH>>>\na\n<<<REPLACE>>>\nb\n<<<END>>>\n", 1, file),
            ("<<<EXPLANATION>>>\nx\n<<<OVERWRITE>>>\n<<<END>>>\n", 3, file),
            ("<<<EXPLANATION>>>\nx\n<<<EXPLANATION>>>\n", 3, file),
            ("<<<FILE>>>\nx\n<<<OVERWRITE>>>\n<<<END>>>\n<<<OVERWRITE>>>\n<<<END>>>\n", 5, file),
            (
                "<<<FILE>>>\nx\n<<<OVERWRITE>>>\n<<<END>>>\n<<<EXPLANATION>>>\nand",
                6,
                "`<<<FILE>>>` behind an explanation",
            ),
            ("<<<FILE>>>\n\n", 3, "the path of the file"),
            ("<<<FILE>>>\n<<<OVERWRITE>>>\n<<<END>>>\n", 2, "the path of the file"),
            ("<<<FILE>>>\nx\ny\n<<<OVERWRITE>>>\n", 3, "`<<<SEARCH>>>` or `<<<OVERWRITE>>>` behind the path"),
            ("<<<FILE>>>\nx", 2, "`<<<SEARCH>>>` or `<<<OVERWRITE>>>` behind the path"),
            ("<<<FILE>>>\nx\n<<<SEARCH>>>\n<<<REPLACE>>>\na\n<<<END>>>\n", 4, "a text to look for"),
            ("<<<FILE>>>\nx\n<<<SEARCH>>>\n\n<<<REPLACE>>>\na\n<<<END>>>\n", 4, "a text to look for"),
            (
                "<<<FILE>>>\nx\n<<<SEARCH>>>\na\n<<<REPLACE>>>\n<<<END>>>\n",
                6,
                "a new text, or a blank line if the old one is to go",
            ),
            ("<<<FILE>>>\nx\n<<<SEARCH>>>\na\n<<<END>>>\n", 5, "`<<<REPLACE>>>` before `<<<END>>>`"),
            ("<<<FILE>>>\nx\n<<<OVERWRITE>>>\na\n<<<FILE>>>\n", 5, "`<<<END>>>` before `<<<FILE>>>`"),
            ("<<<FILE>>>\nx\n<<<SEARCH>>>\na\n<<<REPLACE>>>\nb\n", 7, "`<<<END>>>`"),
            ("<<<FILE>>>\nx\n<<<SEARCH>>>\na", 4, "`<<<REPLACE>>>`"),
        ] {
            let invalid = parse(text).unwrap_err();
            let problem = PatchSyntaxProblem::Expected(expected.to_owned());
            assert_eq!((invalid.line, invalid.problem), (line, problem), "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let new = prop::option::of("(?s)(.|\n){0,12}x");
        let block = ("[a-z][a-z /]{0,5}[a-z]", "[^\r]{0,12}x", new, any::<bool>());
        fuzz(prop::collection::vec(block, 1..4), |blocks| {
            let mut text = String::new();
            for (path, old, new, is_explained) in &blocks {
                text += if *is_explained { "<<<EXPLANATION>>>\nwhy\n" } else { "prose\n" };
                text += &format!("<<<FILE>>>\n{path}\n");
                text += &match new {
                    Some(new) => format!("<<<SEARCH>>>\n{old}\n<<<REPLACE>>>\n{new}\n<<<END>>>\n"),
                    None => format!("<<<OVERWRITE>>>\n{old}\n<<<END>>>\n"),
                };
            }
            let parts = parse(&text).unwrap().parts;
            assert_eq!(parts.len(), blocks.len());
            for (part, (path, old, new, _)) in parts.iter().zip(&blocks) {
                assert_eq!(&part.path.text, path);
                match new {
                    Some(new) => assert_eq!(part.action, PatchAction::Replace { old, new }),
                    None => assert_eq!(part.action, PatchAction::Write(&format!("{old}\n"))),
                }
            }
        });
    }
}
