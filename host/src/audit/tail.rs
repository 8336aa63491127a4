//! The end of an audit file: its last line, and the remains of a crash after it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use blake3::Hash;
use serde::Deserialize;

use super::line::LINE_BYTES;

/// Bytes per read: many lines.
const BLOCK: u64 = 64 << 10;

#[derive(Debug, Deserialize)]
pub(super) struct ChainLink {
    pub(super) seq: u64,
    pub(super) previous: Hex,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hex(pub(super) Hash);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Hash::from_hex(text.as_bytes()).map(Self).map_err(serde::de::Error::custom)
    }
}

#[derive(Debug, PartialEq)]
pub(super) struct Tail {
    pub(super) last: Option<(u64, Hash)>,
    pub(super) torn: Vec<u8>,
    /// The hash of the last line if only its line end is missing. That line closes off the earlier
    /// bytes in `torn`.
    pub(super) unended: Option<Hash>,
}

impl Tail {
    /// Whether a file without a complete line can be the beginning of an audit.
    fn is_beginning(&self) -> bool {
        let len = self.torn.len().min(BEGIN.len());
        self.torn[..len] == BEGIN[..len]
    }
}

const BEGIN: &[u8] = br#"{"seq":"#;

pub(super) fn read(file: &mut File, length: u64) -> io::Result<Tail> {
    let mut end = Vec::new();
    let mut begin = length;
    loop {
        // Skip to the first line end, unless the whole file was read.
        let known = match begin {
            0 => Some(0),
            _ => end.iter().position(|byte| *byte == b'\n').map(|at| at + 1),
        };
        let found = known.map(|known| of(&end[known..]));
        match found {
            Some(tail) if tail.last.is_some() || begin == 0 && tail.is_beginning() => return Ok(tail),
            _ if begin == 0 || length - begin > LINE_BYTES => {
                return Err(io::Error::other("its end is no audit; move the file away, or name another one"));
            }
            _ => {}
        }
        let from = begin.saturating_sub(BLOCK);
        let mut block = vec![0; usize::try_from(begin - from).unwrap_or_default()];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut block)?;
        block.extend_from_slice(&end);
        (end, begin) = (block, from);
    }
}

fn of(text: &[u8]) -> Tail {
    let mut end = text.len();
    let mut tail = Tail { last: None, torn: text.to_vec(), unended: None };
    while let Some(line_end) = text[..end].iter().rposition(|byte| *byte == b'\n') {
        let begin = text[..line_end].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let line = &text[begin..line_end];
        if let Ok(link) = serde_json::from_slice::<ChainLink>(line) {
            tail.last = Some((link.seq, blake3::hash(line)));
            tail.torn = text[line_end + 1..].to_vec();
            break;
        }
        end = line_end;
    }
    let expected = tail.last.map_or((1, FIRST), |(seq, hash)| (seq + 1, hash));
    // A line that lacks only its end is the next one of the chain.
    let begin = tail.torn.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = &tail.torn[begin..];
    let is_next = |link: ChainLink| (link.seq, link.previous.0) == expected;
    if serde_json::from_slice(line).is_ok_and(is_next) {
        tail.unended = Some(blake3::hash(line));
    }
    tail
}

pub(super) const FIRST: Hash = Hash::from_bytes([0; 32]);

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn line(seq: u64, previous: Hash) -> String {
        format!(r#"{{"seq":{seq},"previous":"{previous}","tool":"read"}}"#)
    }

    fn tail(text: &str) -> io::Result<Tail> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        read(&mut file, text.len() as u64)
    }

    #[test]
    fn the_last_line_is_found_and_what_was_cut_off_behind_it() {
        let one = line(1, FIRST);
        let hash = blake3::hash(one.as_bytes());
        let two = line(2, hash);
        let second = blake3::hash(two.as_bytes());
        let long = "x".repeat(200_000);
        for (text, last, torn, unended) in [
            (String::new(), None, "", None),
            (format!("{one}\n"), Some((1, hash)), "", None),
            (format!("{one}\n{two}\n"), Some((2, second)), "", None),
            (format!("{one}\n{two}"), Some((1, hash)), &two[..], Some(second)),
            (format!("{one}\nx\n{two}"), Some((1, hash)), &format!("x\n{two}"), Some(second)),
            (format!("{one}\n{}", &two[..9]), Some((1, hash)), &two[..9], None),
            (format!("{one}\n{}\n{}", &two[..9], &two[..4]), Some((1, hash)), "{\"seq\":2,\n{\"se", None),
            (one.clone(), None, &one, Some(hash)),
            (two.clone(), None, &two, None),
            (one[..5].to_owned(), None, &one[..5], None),
            (one[..20].to_owned(), None, &one[..20], None),
            (format!("{one}\n{long}"), Some((1, hash)), &long, None),
            (format!("{one}\n{long}\n{one}"), Some((1, hash)), &format!("{long}\n{one}"), None),
        ] {
            let found = tail(&text).unwrap();
            assert_eq!(found.last, last, "{text:.100}");
            assert_eq!(found.torn, torn.as_bytes(), "{text:.100}");
            assert_eq!(found.unended, unended, "{text:.100}");
        }
    }

    #[test]
    fn what_is_no_audit_is_not_read_to_its_beginning() {
        let much = format!("{}\n{}", line(1, FIRST), "x\n".repeat(1 << 20));
        for text in [&much[..], "x", "\n", "{\"a\": 1}\n"] {
            assert!(tail(text).unwrap_err().to_string().contains("no audit"));
        }
    }
}
