//! Hunks: context, removed and added lines.

use std::ops::RangeInclusive;

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineMark {
    /// Context.
    Keep,
    /// Removed.
    Remove,
    /// Added.
    Add,
}

/// A line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HunkLine<'a> {
    /// Its kind.
    pub mark: LineMark,
    /// The line without LF; a CR belongs to it.
    pub text: &'a str,
    /// It has an LF.
    pub is_ended: bool,
}

impl<'a> HunkLine<'a> {
    /// A line with its mark; none without one. An empty line stays.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let (mark, text) = match line.as_bytes().first() {
            None | Some(b'\r') => (LineMark::Keep, line),
            Some(b' ') => (LineMark::Keep, &line[1..]),
            Some(b'-') => (LineMark::Remove, &line[1..]),
            Some(b'+') => (LineMark::Add, &line[1..]),
            Some(_) => return None,
        };
        Some(Self { mark, text, is_ended: true })
    }

    /// Whether the file must have it.
    pub fn is_old(&self) -> bool {
        self.mark != LineMark::Add
    }
}

/// The start of a line with a block's first line number, before hyphens.
pub(super) const NUMBER: &str = ":start_line:";

/// The place of a hunk's old lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HunkPlace<'a> {
    /// After so many lines of the file.
    After(u64),
    /// At one place after these lines, in this order with gaps.
    Behind {
        /// The first line, to choose between places.
        line: Option<u64>,
        /// The lines.
        anchors: Vec<&'a str>,
        /// The hunk ends the file.
        at_end: bool,
    },
}

/// Adjacent changed lines with context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// Its first line in the patch.
    pub line: u32,
    /// Its place.
    pub stands: HunkPlace<'a>,
    /// Its lines.
    pub lines: Vec<HunkLine<'a>>,
}

impl Hunk<'_> {
    /// The old lines as a text.
    pub fn old(&self) -> String {
        self.without(LineMark::Add)
    }

    /// Whether the first old line looks like a block's line number.
    pub fn has_number(&self) -> bool {
        let first = self.lines.iter().find(|line| line.is_old());
        first.is_some_and(|line| line.text.trim_start().starts_with(NUMBER))
    }

    /// The new lines as a text.
    pub fn result(&self) -> String {
        self.without(LineMark::Remove)
    }

    fn without(&self, mark: LineMark) -> String {
        let mut out = String::new();
        for line in self.lines.iter().filter(|line| line.mark != mark) {
            out.push_str(line.text);
            if line.is_ended {
                out.push('\n');
            }
        }
        out
    }
}

/// A hunk header of a unified diff: `@@ -3,7 +3,8 @@`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HunkHeader {
    /// The first old line, or the line before an empty range.
    pub old_start: u64,
    /// Old lines.
    pub old: u64,
    /// New lines.
    pub new: u64,
}

impl HunkHeader {
    /// Parses a line; none if it is no header.
    pub fn parse(line: &str) -> Option<Self> {
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let (old_start, old) = range(old)?;
        let (new_start, new) = range(new)?;
        let starts_well = |start, count| start > 0 || count == 0;
        (starts_well(old_start, old) && starts_well(new_start, new)).then_some(Self { old_start, old, new })
    }

    pub(super) fn before(&self) -> u64 {
        if self.old == 0 { self.old_start } else { self.old_start - 1 }
    }
}

/// `start`, or `start,count`.
fn range(text: &str) -> Option<(u64, u64)> {
    const DIGITS: RangeInclusive<usize> = 1..=15;
    let number = |text: &str| {
        let is_plain = DIGITS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        is_plain.then(|| text.parse().ok()).flatten()
    };
    match text.split_once(',') {
        Some((start, count)) => Some((number(start)?, number(count)?)),
        None => Some((number(text)?, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_say_where_and_how_many() {
        for (line, expected) in [
            ("@@ -1,3 +1,4 @@", Some((0, 3, 4))),
            ("@@ -7 +7,0 @@ fn x() {", Some((6, 1, 0))),
            ("@@ -0,0 +1 @@", Some((0, 0, 1))),
            ("@@ -5,0 +6,2 @@", Some((5, 0, 2))),
            ("@@ -0 +1 @@", None),
            ("@@ -1 +0 @@", None),
            ("@@ -1,3 +1,4", None),
            ("@@ -1,+3 +1,4 @@", None),
            ("@@ -9999999999999999 +1 @@", None),
            ("@@ @@", None),
            ("@@@ -1 -1 +1 @@@", None),
        ] {
            let header = HunkHeader::parse(line);
            assert_eq!(header.map(|header| (header.before(), header.old, header.new)), expected, "{line}");
        }
    }
}
