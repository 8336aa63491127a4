//! A model of the text tools, byte by byte and without regard to cost.

/// A file after a replacement.
#[derive(Debug)]
pub(super) struct Replaced {
    pub(super) after: Vec<u8>,
    /// The first line that changes of each occurrence.
    pub(super) lines: Vec<u32>,
    pub(super) adapted: bool,
    /// Bytes that have to be written for that.
    pub(super) written: u64,
}

/// Why a replace is refused.
#[derive(Debug)]
pub(super) enum Refusal {
    NoMatch,
    Ambiguous(Vec<u32>),
    OutOfRange,
    Count(usize),
}

impl Refusal {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::NoMatch => "no_match",
            Self::Ambiguous(_) => "ambiguous",
            Self::OutOfRange => "out_of_range",
            Self::Count(_) => "count_mismatch",
        }
    }
}

/// Lines with their ends.
pub(super) fn lines(text: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    let mut start = 0;
    for at in 0..text.len() {
        let ends = match text[at] {
            b'\n' => true,
            b'\r' => text.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        if ends {
            lines.push(&text[start..=at]);
            start = at + 1;
        }
    }
    if start < text.len() {
        lines.push(&text[start..]);
    }
    lines
}

/// The text of a file, behind its byte order mark.
pub(super) fn without_mark(file: &[u8]) -> &[u8] {
    file.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(file)
}

/// Lines of a file's text, without their ends.
pub(super) fn contents(file: &[u8]) -> Vec<String> {
    let content =
        |line: &[u8]| String::from_utf8(line.to_vec()).unwrap().trim_end_matches(['\r', '\n']).to_owned();
    lines(without_mark(file)).into_iter().map(content).collect()
}

/// A byte, or a line end of any kind.
#[derive(Debug, Clone, Copy)]
enum Unit<'a> {
    Byte(&'a [u8]),
    End(&'a [u8]),
}

impl<'a> Unit<'a> {
    fn bytes(self) -> &'a [u8] {
        let (Self::Byte(bytes) | Self::End(bytes)) = self;
        bytes
    }

    fn is_end(self) -> bool {
        matches!(self, Self::End(_))
    }

    /// The same, if any line end is as good as any other.
    fn matches(self, other: Self) -> bool {
        (self.is_end() && other.is_end())
            || (!self.is_end() && !other.is_end() && self.bytes() == other.bytes())
    }
}

fn units(text: &[u8]) -> Vec<Unit<'_>> {
    let mut units = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let unit = match &text[at..] {
            [b'\r', b'\n', ..] => Unit::End(&text[at..at + 2]),
            [b'\r' | b'\n', ..] => Unit::End(&text[at..=at]),
            _ => Unit::Byte(&text[at..=at]),
        };
        at += unit.bytes().len();
        units.push(unit);
    }
    units
}

/// Where `old` occurs byte for byte.
fn exact(text: &[u8], old: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(old) {
            found.push((at, at + old.len()));
            at += old.len();
        } else {
            at += 1;
        }
    }
    found
}

/// Where `old` occurs, whatever the line ends are.
fn adapted(text: &[u8], old: &[u8]) -> Vec<(usize, usize)> {
    let (text, old) = (units(text), units(old));
    let length = |units: &[Unit]| units.iter().map(|unit| unit.bytes().len()).sum::<usize>();
    let mut found = Vec::new();
    let mut at = 0;
    while at + old.len() <= text.len() {
        let window = &text[at..at + old.len()];
        if window.iter().zip(&old).all(|(unit, wanted)| unit.matches(*wanted)) {
            let start = length(&text[..at]);
            found.push((start, start + length(window)));
            at += old.len();
        } else {
            at += 1;
        }
    }
    found
}

fn ends(text: &[u8]) -> Vec<&[u8]> {
    units(text).into_iter().filter(|unit| unit.is_end()).map(Unit::bytes).collect()
}

/// The most frequent line end; LF before CRLF before CR where they are equally frequent.
fn majority(text: &[u8]) -> Option<&'static [u8]> {
    let kinds: [&'static [u8]; 3] = [b"\n", b"\r\n", b"\r"];
    let count = |kind: &[u8]| ends(text).into_iter().filter(|end| *end == kind).count();
    let most = kinds.into_iter().map(count).max()?;
    kinds.into_iter().find(|kind| most > 0 && count(kind) == most)
}

/// Where `old` is found, and whether that is with any line ends in the place of its own.
fn found(before: &[u8], old: &[u8], adapt: bool) -> (Vec<(usize, usize)>, bool) {
    let found = exact(before, old);
    // The LF of a CRLF is no LF. A CR is always meant as it is.
    let cut = |at: usize| before[..at].ends_with(b"\r") && before[at..].starts_with(b"\n");
    let cuts = !old.contains(&b'\r') && found.iter().any(|(start, _)| cut(*start));
    if (found.is_empty() || cuts) && adapt && !ends(old).is_empty() {
        (adapted(before, old), true)
    } else {
        (found, false)
    }
}

/// A line is told by the ends before it; the LF of a CRLF belongs to the line that the pair ends.
fn line(before: &[u8], at: usize) -> u32 {
    let mut passed = 0;
    let mut line = 1;
    for unit in units(before) {
        passed += unit.bytes().len();
        if passed > at {
            break;
        }
        line += u32::from(unit.is_end());
    }
    line
}

/// `new` with the line ends of the text that it replaces.
fn with_ends_of(new: &[u8], replaced: &[u8], before: &[u8]) -> Vec<u8> {
    let region = ends(replaced);
    let fallback = region.first().copied().or(majority(before));
    let mut number = 0;
    let mut text = Vec::new();
    for unit in units(new) {
        if unit.is_end() {
            text.extend_from_slice(region.get(number).copied().or(fallback).unwrap_or(unit.bytes()));
            number += 1;
        } else {
            text.extend_from_slice(unit.bytes());
        }
    }
    text
}

/// A text with every line end as an LF.
fn with_lf(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text).replace("\r\n", "\n");
    text.replace('\r', "\n").into_bytes()
}

/// `new` in some of the places that were found.
fn put(before: &[u8], places: &[(usize, usize)], old: &[u8], new: &[u8], any: bool, adapt: bool) -> Replaced {
    let (mut after, mut passed, mut differs) = (Vec::new(), 0, false);
    let mut lines = Vec::new();
    for &(start, end) in places {
        let text = if any || (adapt && ends(old).is_empty()) {
            with_ends_of(new, &before[start..end], before)
        } else {
            new.to_vec()
        };
        differs |= any || text != new;
        // The lines that it begins with, and that stay as they are, are none that change.
        let replaced = &before[start..end];
        let same = replaced.iter().zip(&text).take_while(|(old, new)| old == new).count();
        // An LF may follow a CR at the end, unless any line end was found.
        let same = same - usize::from(!any && same == replaced.len() && replaced.ends_with(b"\r"));
        // If any line end was found, a CR that has joined an LF changes no line.
        let is_same = text == replaced || any && with_lf(&text) == with_lf(replaced);
        lines.push(line(before, if is_same { start } else { start + same }));
        after.extend_from_slice(&before[passed..start]);
        after.extend(text);
        passed = end;
    }
    after.extend_from_slice(&before[passed..]);
    lines.truncate(100);
    // Nothing before the first place and nothing after the last one is compared.
    let (first, last) = (places.first().map_or(0, |place| place.0), places.last().map_or(0, |place| place.1));
    let (old, new) = (&before[first..last], &after[first..after.len() - (before.len() - last)]);
    let rest = if old.len() == new.len() { 0 } else { before.len() - last };
    Replaced { written: bytes_written(old, new) + rest as u64, after, lines, adapted: differs }
}

pub(super) fn replaced(
    before: &[u8],
    old: &[u8],
    new: &[u8],
    occurrence: Option<u32>,
    adapt: bool,
) -> Result<Replaced, Refusal> {
    let (found, any) = found(before, old, adapt);
    if found.is_empty() {
        return Err(Refusal::NoMatch);
    }
    let chosen = occurrence.map_or(0, |occurrence| occurrence as usize - 1);
    let Some(place) = found.get(chosen) else { return Err(Refusal::OutOfRange) };
    if occurrence.is_none() && found.len() > 1 {
        let mut lines: Vec<_> = found.iter().take(100).map(|(start, _)| line(before, *start)).collect();
        lines.dedup();
        return Err(Refusal::Ambiguous(lines));
    }
    Ok(put(before, &[*place], old, new, any, adapt))
}

pub(super) fn replaced_all(
    before: &[u8],
    old: &[u8],
    new: &[u8],
    count: Option<u32>,
    limit: Option<u32>,
    adapt: bool,
) -> Result<Replaced, Refusal> {
    let (mut found, any) = found(before, old, adapt);
    match count {
        Some(count) if count as usize != found.len() => return Err(Refusal::Count(found.len())),
        None if found.is_empty() => return Err(Refusal::NoMatch),
        _ => {}
    }
    found.truncate(limit.map_or(usize::MAX, |limit| limit as usize));
    Ok(put(before, &found, old, new, any && !found.is_empty(), adapt))
}

/// Bytes that have to be written to make one file of the other in place: from the first one that differs to the last, or
/// to the end if the length differs.
pub(super) fn bytes_written(before: &[u8], after: &[u8]) -> u64 {
    let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let end = if before.len() == after.len() {
        after.len()
            - before[same..].iter().rev().zip(after[same..].iter().rev()).take_while(|(a, b)| a == b).count()
    } else {
        after.len()
    };
    (end - same) as u64
}

/// The file after a unified diff of one file, applied as strictly as can be.
pub(super) fn patched(before: &[u8], diff: &[u8]) -> Vec<u8> {
    // Nothing changes.
    if diff.is_empty() {
        return before.to_vec();
    }
    // An empty file has no hunks.
    if diff.starts_with(b"diff --git ") {
        assert!(before.is_empty() && !diff.contains(&b'@'));
        return Vec::new();
    }
    let mut old = before.split_inclusive(|byte| *byte == b'\n');
    let (mut after, mut passed) = (Vec::new(), 0);
    let mut lines = diff.split_inclusive(|byte| *byte == b'\n').peekable();
    let first = lines.next().unwrap();
    assert!(first.starts_with(b"--- a/") || first == b"--- /dev/null\n");
    assert!(lines.next().unwrap().starts_with(b"+++ b/"));
    while let Some(line) = lines.next() {
        let without_end = lines.peek().is_some_and(|next| next.starts_with(b"\\ "));
        if without_end {
            lines.next();
        }
        let content = if without_end { line.strip_suffix(b"\n").unwrap() } else { line };
        match content[0] {
            b'@' => {
                // `@@ -first[,count] +…`: everything up to the first line is the same.
                let header = std::str::from_utf8(content).unwrap();
                let range = header.strip_prefix("@@ -").unwrap().split(' ').next().unwrap();
                let (first, count) = range.split_once(',').unwrap_or((range, "1"));
                let first: usize = first.parse().unwrap();
                let same = if count == "0" { first } else { first - 1 };
                while passed < same {
                    after.extend_from_slice(old.next().unwrap());
                    passed += 1;
                }
            }
            b' ' => {
                assert_eq!(old.next().unwrap(), &content[1..]);
                after.extend_from_slice(&content[1..]);
                passed += 1;
            }
            b'-' => {
                assert_eq!(old.next().unwrap(), &content[1..]);
                passed += 1;
            }
            b'+' => after.extend_from_slice(&content[1..]),
            mark => panic!("a line of a diff begins with {}", char::from(mark)),
        }
    }
    after.extend(old.flatten());
    after
}

#[test]
fn the_models_know_the_plain_cases() {
    assert_eq!(lines(b"a\r\nb\rc\n\nd"), [&b"a\r\n"[..], b"b\r", b"c\n", b"\n", b"d"]);
    assert_eq!(
        patched(b"a\nb\nc", b"--- a/f\n+++ b/f\n@@ -2,2 +2 @@\n-b\n c\n\\ No newline at end of file\n"),
        b"a\nc"
    );
    let model = replaced(b"a\r\nb\r\n", b"a\nb", b"1\n2", None, true).unwrap();
    assert_eq!((model.after, model.lines, model.adapted), (b"1\r\n2\r\n".to_vec(), vec![1], true));
    let model = replaced_all(b"a\r\nb\na\n", b"a\n", b"c\n", None, None, true).unwrap();
    assert_eq!((model.after, model.lines, model.adapted), (b"a\r\nb\nc\n".to_vec(), vec![3], false));
    assert_eq!(
        [bytes_written(b"abcd", b"aXYd"), bytes_written(b"abcd", b"abd"), bytes_written(b"a", b"a")],
        [2, 1, 0]
    );
}
