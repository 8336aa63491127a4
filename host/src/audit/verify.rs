//! Checks that an audit is unchanged: each line has the hash of the line before.

use std::io::{self, BufRead, Read};

use blake3::Hash;
use serde::Deserialize;

use super::line::LINE_BYTES;
use super::tail::{FIRST, Hex};

/// The end of a file; the next file continues there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// The number of its last line.
    pub seq: u64,
    /// The hash of its last line.
    pub hash: Hash,
}

/// The result of [`verify`] for a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Good lines.
    pub lines: u64,
    /// Good lines that close off a torn line.
    pub torn: u64,
    /// The number of the first line.
    pub first: Option<u64>,
    /// The number of the last good line.
    pub last: Option<u64>,
    /// The end of the good lines.
    pub end: Option<End>,
    /// Whether a good line has the hash that was asked for.
    pub found: bool,
    /// The first line that is not good.
    pub bad: Option<Bad>,
}

/// A line that was changed, or is no line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bad {
    /// Its number in the file, from 1.
    pub line: u64,
    /// The reason.
    pub why: String,
}

#[derive(Deserialize)]
struct CheckedLink {
    seq: u64,
    previous: Hex,
    event: String,
    torn_bytes: Option<usize>,
    torn_hash: Option<Hex>,
}

struct Fragment {
    line: u64,
    text: Vec<u8>,
}

/// Checks a file that continues after `before`, and looks for a hash.
pub fn verify(file: &mut impl BufRead, before: Option<End>, looked_for: Option<Hash>) -> io::Result<Report> {
    let mut report =
        Report { lines: 0, torn: 0, first: None, last: None, end: before, found: false, bad: None };
    let (mut number, mut fragment) = (0, None::<Fragment>);
    loop {
        let mut line = Vec::new();
        file.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            break;
        }
        number += 1;
        let has_end = line.pop_if(|last| *last == b'\n').is_some();
        let link = serde_json::from_slice::<CheckedLink>(&line).ok().filter(|_| has_end);
        let Some(link) = link else {
            match &mut fragment {
                None => fragment = Some(Fragment { line: number, text: line }),
                Some(known) => known.text.extend([b'\n'].into_iter().chain(line)),
            }
            if fragment.as_ref().is_some_and(|fragment| fragment.text.len() as u64 >= LINE_BYTES) {
                break;
            }
            continue;
        };
        if let Some(fragment) = fragment.take_if(|fragment| !fragment.is_closed_by(&link)) {
            report.bad = Some(fragment.bad());
            return Ok(report);
        }
        if let Err(why) = check(&link, fragment.is_some(), report.end) {
            report.bad = Some(Bad { line: number, why });
            return Ok(report);
        }
        let hash = blake3::hash(&line);
        report.torn += u64::from(fragment.take().is_some());
        report.lines += 1;
        report.first.get_or_insert(link.seq);
        report.last = Some(link.seq);
        report.end = Some(End { seq: link.seq, hash });
        report.found |= looked_for == Some(hash);
    }
    report.bad = fragment.map(|fragment| fragment.bad());
    Ok(report)
}

impl Fragment {
    fn is_closed_by(&self, link: &CheckedLink) -> bool {
        link.event == TORN
            && link.torn_bytes == Some(self.text.len())
            && link.torn_hash == Some(Hex(blake3::hash(&self.text)))
    }

    fn bad(&self) -> Bad {
        let why =
            "it is no line of an audit: it was changed, or cut off, and nothing has closed it off since";
        Bad { line: self.line, why: why.to_owned() }
    }
}

const TORN: &str = "torn";

/// A line is good if it follows the one before, and closes off exactly the bytes between them.
fn check(link: &CheckedLink, has_fragment: bool, before: Option<End>) -> Result<(), String> {
    if link.event == TORN && !has_fragment {
        return Err("it closes off something that does not stand before it".to_owned());
    }
    follows(link, before)
}

fn follows(link: &CheckedLink, before: Option<End>) -> Result<(), String> {
    let CheckedLink { seq, previous, .. } = link;
    let Some(before) = before else {
        return match (*seq, previous.0 == FIRST) {
            (0, _) => Err("its number is 0, and the first one is 1".to_owned()),
            (1, false) => Err("it is the first line, and names one before it".to_owned()),
            (2.., true) => Err(format!("its number is {seq}, and it names none before it")),
            _ => Ok(()),
        };
    };
    let due = before.seq + 1;
    match seq.cmp(&due) {
        std::cmp::Ordering::Greater => {
            Err(format!("its number is {seq}, and {due} is due: lines are missing before it"))
        }
        std::cmp::Ordering::Less => {
            Err(format!("its number is {seq}, and {due} is due: lines stand in another order, or twice"))
        }
        std::cmp::Ordering::Equal if previous.0 != before.hash => {
            Err("it names another line before it: that one was changed, or this one".to_owned())
        }
        std::cmp::Ordering::Equal => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(line: &str) -> Hash {
        blake3::hash(line.as_bytes())
    }

    fn line(seq: u64, previous: Hash, more: &str) -> String {
        format!(r#"{{"seq":{seq},"previous":"{previous}","event":"call"{more}}}"#)
    }

    /// Five good lines; the third closes off a torn one.
    fn good() -> Vec<String> {
        let one = line(1, FIRST, "");
        let two = line(2, hash(&one), r#","tool":"read""#);
        let cut = r#"{"seq":3,"pre"#.to_owned();
        let three = format!(
            r#"{{"seq":3,"previous":"{}","event":"torn","torn_bytes":{},"torn_hash":"{}"}}"#,
            hash(&two),
            cut.len(),
            hash(&cut)
        );
        let four = line(4, hash(&three), "");
        let five = line(5, hash(&four), "");
        vec![one, two, cut, three, four, five]
    }

    fn verified(lines: &[String]) -> Report {
        let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        verify(&mut text.as_bytes(), None, Some(hash(&good()[4]))).unwrap()
    }

    #[test]
    fn what_was_written_is_good() {
        let report = verified(&good());
        assert_eq!((report.lines, report.torn, report.first, report.last), (5, 1, Some(1), Some(5)));
        assert_eq!((report.found, report.bad), (true, None));
        let end = report.end.unwrap();
        assert_eq!(end, End { seq: 5, hash: hash(&good()[5]) });
        let next = line(6, end.hash, "") + "\n";
        assert_eq!(verify(&mut next.as_bytes(), Some(end), None).unwrap().bad, None);
        assert_eq!(verify(&mut next.as_bytes(), None, None).unwrap().first, Some(6), "others were not given");
        assert_eq!(verify(&mut &b""[..], None, None).unwrap().lines, 0);
    }

    #[test]
    fn what_was_changed_shows() {
        type Change = fn(&mut Vec<String>);
        // The change, the number of the first bad line, a part of the reason.
        let cases: &[(Change, u64, &str)] = &[
            (|lines| lines[1] = lines[1].replace("read", "stat"), 4, "another line"),
            (|lines| lines[0] = lines[0].replace("call", "cull"), 2, "another line"),
            (|lines| lines[4] = lines[4].replace("call", "cull"), 6, "another line"),
            (|lines| lines[4] = "nothing".to_owned(), 5, "no line"),
            (|lines| drop(lines.remove(1)), 3, "missing"),
            (|lines| drop(lines.remove(2)), 3, "does not stand before it"),
            (|lines| drop(lines.remove(3)), 3, "no line"),
            (|lines| drop(lines.remove(4)), 5, "missing"),
            (|lines| lines.swap(4, 5), 5, "missing"),
            (|lines| lines.insert(5, lines[4].clone()), 6, "twice"),
            (|lines| lines[2].push('x'), 3, "no line"),
            (|lines| lines.push("{".to_owned()), 7, "no line"),
            (|lines| lines[0] = line(0, FIRST, ""), 1, "number is 0"),
            (|lines| lines[0] = line(9, FIRST, ""), 1, "names none"),
        ];
        for (number, (change, bad, why)) in cases.iter().enumerate() {
            let mut lines = good();
            change(&mut lines);
            let report = verified(&lines);
            let found = report.bad.unwrap_or_else(|| panic!("{number}: all is good"));
            // A fragment that a later line does not close off is reported at its beginning.
            assert!(found.why.contains(why), "{number}: {found:?}");
            assert_eq!(found.line, *bad, "{number}: {found:?}");
        }
        // A change of any single byte in any line but the last shows.
        let whole = good().join("\n") + "\n";
        let checked = whole.len() - good()[5].len() - 1;
        for at in 0..checked {
            let mut bytes = whole.clone().into_bytes();
            bytes[at] ^= 1;
            let report = verify(&mut &bytes[..], None, None).unwrap();
            assert!(report.bad.is_some(), "byte {at} of {whole}");
        }
    }

    #[test]
    fn a_beginning_that_is_not_there_is_told() {
        let report = verified(&good()[1..]);
        assert_eq!((report.bad, report.first), (None, Some(2)), "it may stand in an older file");
    }

    #[test]
    fn an_end_that_was_cut_off_shows_by_a_hash_that_was_kept() {
        let mut lines = good();
        lines.truncate(4);
        let report = verified(&lines);
        assert_eq!((report.bad, report.found), (None, false));
    }

    #[test]
    fn what_is_no_audit_is_not_read_whole() {
        let report = verify(&mut io::BufReader::new(io::repeat(b'x')), None, None);
        assert_eq!(report.unwrap().bad.unwrap().line, 1);
    }
}
