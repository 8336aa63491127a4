//! The `*** Begin Patch` envelope, whose hunks have old lines instead of line numbers.
//!
//! ```text
//! *** Begin Patch
//! *** Add File: PATH        and lines that begin with +
//! *** Delete File: PATH
//! *** Update File: PATH     and hunks
//! *** Move to: PATH         before the hunks, if the file gets another name
//! @@ LINE                   a line of the file somewhere before the hunk; none, one or several
//!  LINE                     a line that stays; -LINE goes, +LINE comes
//! *** End of File           the hunk ends where the file ends
//! *** End Patch
//! ```

use super::hunk::{Hunk, HunkLine, HunkPlace, LineMark};
use super::reader::{self, PatchReader};
use super::{FilePatch, InvalidPatch, PatchAction, PatchPath};

pub(super) const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

const ADDED: &str = "a `+` before each line of a new file, or another file, or `*** End Patch`";

const FILES: &str =
    "`*** Add File: PATH`, `*** Update File: PATH`, `*** Delete File: PATH` or `*** End Patch`";

/// Parses an envelope after any text; only a code block's end may follow.
pub(super) fn parse(mut reader: PatchReader) -> Result<Vec<FilePatch>, InvalidPatch> {
    while reader.next().is_some_and(|line| line.header().trim() != BEGIN) {}
    let mut parts = Vec::new();
    loop {
        let Some(line) = reader.next() else { return Err(reader.end().expected(FILES)) };
        let header = line.header().trim_end();
        let action = if header == END {
            break;
        } else if header.is_empty() {
            continue;
        } else if header.starts_with(ADD) {
            PatchAction::Create(added(&mut reader))
        } else if header.starts_with(DELETE) {
            PatchAction::Delete(None)
        } else if header.starts_with(UPDATE) {
            updated(&mut reader)?
        } else {
            let is_added = matches!(parts.last(), Some(FilePatch { action: PatchAction::Create(_), .. }));
            return Err(line.expected(if is_added { ADDED } else { FILES }));
        };
        parts.push(FilePatch { line: line.number, path: path(line)?, action });
    }
    while let Some(line) = reader.next() {
        let text = line.header().trim();
        // A shell's here document adds its end word.
        if !text.is_empty() && !text.starts_with("```") && text != "EOF" {
            return Err(line.expected("nothing more behind `*** End Patch`"));
        }
    }
    Ok(parts)
}

fn path(line: reader::PatchLine) -> Result<PatchPath, InvalidPatch> {
    let path = line.header().split_once(':').map(|(_, path)| path.trim()).filter(|path| !path.is_empty());
    path.map(PatchPath::whole).ok_or_else(|| line.expected("a path behind the colon"))
}

fn added(reader: &mut PatchReader) -> String {
    let mut content = String::new();
    while let Some(line) = reader.peek()
        && let Some(text) = line.text.strip_prefix('+')
    {
        content.push_str(text);
        content.push('\n');
        reader.next();
    }
    content
}

fn updated<'a>(reader: &mut PatchReader<'a>) -> Result<PatchAction<'a>, InvalidPatch> {
    let mut to = None;
    if let Some(line) = reader.peek().filter(|line| line.text.starts_with(MOVE)) {
        to = Some(path(line)?);
        reader.next();
    }
    let mut hunks = Vec::new();
    while let Some(line) = reader.peek().filter(|line| begins_hunk(line)) {
        hunks.push(hunk(reader, line)?);
    }
    match to {
        Some(to) => Ok(PatchAction::Move(to, hunks)),
        None if hunks.is_empty() => {
            let line = reader.peek().unwrap_or_else(|| reader.end());
            Err(line.expected("a hunk: `@@`, and lines that begin with a space, `-` or `+`"))
        }
        None => Ok(PatchAction::Change(hunks)),
    }
}

fn begins_hunk(line: &reader::PatchLine) -> bool {
    line.text == "@@"
        || line.text == "@@\r"
        || line.text.starts_with("@@ ")
        || HunkLine::parse(line.text).is_some()
}

fn hunk<'a>(reader: &mut PatchReader<'a>, first: reader::PatchLine<'a>) -> Result<Hunk<'a>, InvalidPatch> {
    let mut anchors = Vec::new();
    while let Some(line) = reader.peek()
        && line.text.starts_with("@@")
        && begins_hunk(&line)
    {
        anchors.extend(line.header().strip_prefix("@@ ").filter(|text| !text.trim().is_empty()));
        reader.next();
    }
    let (mut lines, mut empty) = (Vec::new(), 0);
    while let Some(line) = reader.peek()
        && let Some(marked) = HunkLine::parse(line.text)
    {
        empty = if line.header().is_empty() { empty + 1 } else { 0 };
        lines.push(marked);
        reader.next();
    }
    let at_end = reader.peek().is_some_and(|line| line.header().trim_end() == END_OF_FILE);
    if at_end {
        reader.next();
    } else {
        // Empty lines before the next header are decoration.
        lines.truncate(lines.len() - empty);
    }
    if lines.iter().all(|line| line.mark == LineMark::Keep) {
        return Err(first.expected("a line that begins with `-` or `+` in each hunk"));
    }
    if anchors.is_empty() && !at_end && !lines.iter().any(HunkLine::is_old) {
        return Err(first.expected(
            "lines that stay, or `@@` and the line before, so that it is clear where the new lines go",
        ));
    }
    Ok(Hunk { line: first.number, stands: HunkPlace::Behind { line: None, anchors, at_end }, lines })
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn shown(part: &FilePatch) -> String {
        let hunks = |hunks: &[Hunk]| -> String {
            let hunk = |hunk: &Hunk| {
                let HunkPlace::Behind { anchors, at_end, .. } = &hunk.stands else { panic!("{hunk:?}") };
                let lines: Vec<_> =
                    hunk.lines.iter().map(|line| format!("{:?} {}", line.mark, line.text)).collect();
                format!(" {anchors:?}[{}]{}", lines.join("|"), if *at_end { "$" } else { "" })
            };
            hunks.iter().map(hunk).collect()
        };
        let path = &part.path.text;
        match &part.action {
            PatchAction::Create(content) => format!("create {path} {content:?}"),
            PatchAction::Delete(None) => format!("delete {path}"),
            PatchAction::Change(changed) => format!("change {path}{}", hunks(changed)),
            PatchAction::Move(to, changed) => format!("move {path} {}{}", to.text, hunks(changed)),
            other => panic!("{other:?}"),
        }
    }

    fn envelope(inside: &str) -> String {
        format!("*** Begin Patch\n{inside}*** End Patch\n")
    }

    #[test]
    fn every_operation_is_read() {
        for (inside, expected) in [
            ("*** Add File: a b.txt\n+x\n+\n+y\n", &["create a b.txt \"x\\n\\ny\\n\""][..]),
            ("*** Add File: x\n*** Delete File: y\n\n", &["create x \"\"", "delete y"]),
            ("*** Update File: x\n-a\n+b\n", &["change x []; [Remove a|Add b]"]),
            (
                "*** Update File: x\n@@ class A\n@@     def f():\n a\n-b\n@@\n-c\n*** End of File\n",
                &["change x [\"class A\", \"    def f():\"][Keep a|Remove b] [][Remove c]$"],
            ),
            ("*** Update File: x\n*** Move to: y\n", &["move x y"]),
            ("*** Update File: x\n*** Move to: y\n@@\n-a\n\n b\n\n", &["move x y [][Remove a|Keep |Keep b]"]),
            ("*** Update File: x\r\n@@ a\r\n-b\r\n", &["change x [\"a\"][Remove b\r]"]),
            ("*** Update File: x\n@@ a\n+b\n", &["change x [\"a\"][Add b]"]),
            ("*** Update File: x\n@@\n+b\n*** End of File\n", &["change x [][Add b]$"]),
        ] {
            let text = envelope(inside);
            let patch = parse(&text).unwrap_or_else(|invalid| panic!("{invalid:?}\n{text}"));
            let expected: Vec<_> = expected.iter().map(|part| part.replace("[]; ", "[]")).collect();
            assert_eq!(patch.parts.iter().map(shown).collect::<Vec<_>>(), expected, "{text}");
        }
        let fenced = "Here it is:\n```\n*** Begin Patch\n*** Delete File: x\n*** End Patch\n```\n";
        assert_eq!(parse(fenced).unwrap().parts.len(), 1);
    }

    #[test]
    fn what_is_no_envelope_is_refused_where_it_goes_wrong() {
        for (text, line) in [
            ("*** Begin Patch\n*** Delete File: x\n".to_owned(), 3),
            ("*** Begin Patch\n*** Update File: x\n-a\n+b".to_owned(), 4),
            (envelope("*** Rename File: x\n"), 2),
            (envelope("*** Add File:\n"), 2),
            (envelope("*** Add File: x\nno plus\n"), 3),
            (envelope("*** Update File: x\n"), 3),
            (envelope("*** Update File: x\n@@\n a\n"), 3),
            (envelope("*** Update File: x\n@@\n+a\n"), 3),
            (envelope("*** Update File: x\n@@ -1 +1 @@x\n*a\n"), 3),
            (format!("{}*** Begin Patch\n", envelope("")), 3),
        ] {
            let invalid = parse(&text).unwrap_err();
            assert_eq!(invalid.line, line, "{text}{invalid:?}");
        }
    }
}
