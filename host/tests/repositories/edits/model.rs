//! A file in the model: a byte order mark, bytes of lines, and an encoding.

use fsgate_tests::random::Random;

/// Longest searched text in characters.
const LONGEST: u64 = 40;

/// The encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    Utf8,
    Utf16Le,
    Utf16Be,
    /// Another encoding in which ASCII bytes are characters, at least after a line end.
    Other,
}

impl Form {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Other => "other",
        }
    }

    /// Whether any character can be encoded.
    pub(super) fn has_all_letters(self) -> bool {
        self != Self::Other
    }
}

/// The text of a file; UTF-8 for the Unicode encodings.
pub(super) struct Text {
    pub(super) form: Form,
    mark: &'static [u8],
    pub(super) text: Vec<u8>,
}

impl Text {
    /// Returns `None` for files that are no text, or ambiguous.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        if let Some(text) = bytes.strip_prefix(b"\xFF\xFE") {
            return Some(Self {
                form: Form::Utf16Le,
                mark: b"\xFF\xFE",
                text: units(text, u16::from_le_bytes)?,
            });
        }
        if let Some(text) = bytes.strip_prefix(b"\xFE\xFF") {
            return Some(Self {
                form: Form::Utf16Be,
                mark: b"\xFE\xFF",
                text: units(text, u16::from_be_bytes)?,
            });
        }
        if bytes.contains(&0) {
            return None;
        }
        let (mark, text): (&'static [u8], _) = match bytes.strip_prefix(b"\xEF\xBB\xBF") {
            Some(text) => (b"\xEF\xBB\xBF", text),
            None => (b"", bytes),
        };
        let form = if std::str::from_utf8(text).is_ok() { Form::Utf8 } else { Form::Other };
        Some(Self { form, mark, text: text.to_vec() })
    }

    /// The file with another text.
    pub(super) fn encoded(&self, text: &[u8]) -> Vec<u8> {
        let units = || std::str::from_utf8(text).unwrap().encode_utf16();
        let bytes: Vec<u8> = match self.form {
            Form::Utf8 | Form::Other => text.to_vec(),
            Form::Utf16Le => units().flat_map(u16::to_le_bytes).collect(),
            Form::Utf16Be => units().flat_map(u16::to_be_bytes).collect(),
        };
        [self.mark, &bytes].concat()
    }

    /// The lines with their ends: LF, CRLF or CR.
    pub(super) fn lines(&self) -> Vec<&[u8]> {
        let (text, mut lines, mut begin) = (&self.text, Vec::new(), 0);
        for at in 0..text.len() {
            let ends = text[at] == b'\n' || text[at] == b'\r' && text.get(at + 1) != Some(&b'\n');
            if ends {
                lines.push(&text[begin..=at]);
                begin = at + 1;
            }
        }
        if begin < text.len() {
            lines.push(&text[begin..]);
        }
        lines
    }

    pub(super) fn is_ended(&self) -> bool {
        matches!(self.text.last(), None | Some(b'\n' | b'\r'))
    }

    /// The end of the first line.
    pub(super) fn line_end(&self) -> &'static str {
        match self.lines().first() {
            Some(line) if line.ends_with(b"\r\n") => "\r\n",
            Some(line) if line.ends_with(b"\r") => "\r",
            _ => "\n",
        }
    }

    /// A text that occurs in it.
    pub(super) fn some(&self, random: &mut Random) -> Option<String> {
        let lines = self.lines();
        if lines.len() < 2 {
            return None;
        }
        if self.form == Form::Other {
            // A character begins after a line end.
            let place = 1 + random.below(lines.len() as u64 - 1) as usize;
            let before = *lines[place - 1].last()?;
            let line = std::str::from_utf8(lines[place]).ok().filter(|line| line.is_ascii())?;
            return Some(format!("{}{}", char::from(before), line.trim_end_matches(['\r', '\n'])));
        }
        let text = std::str::from_utf8(&self.text).ok()?;
        let from = random.below(text.len() as u64) as usize;
        let from = (from..text.len()).find(|at| text.is_char_boundary(*at))?;
        let wanted = 1 + random.below(LONGEST) as usize;
        let old: String = text[from..].chars().take(wanted).collect();
        (!old.is_empty()).then_some(old)
    }

    /// The text with its only occurrence replaced.
    pub(super) fn replaced(&self, old: &str, new: &str) -> Option<Vec<u8>> {
        let found = self.occurrences(old.as_bytes());
        match found[..] {
            [at] => Some([&self.text[..at], new.as_bytes(), &self.text[at + old.len()..]].concat()),
            _ => None,
        }
    }

    /// The text with all occurrences replaced.
    pub(super) fn replaced_all(&self, old: &str, new: &str) -> Vec<u8> {
        let (mut after, mut done) = (Vec::new(), 0);
        for at in self.occurrences(old.as_bytes()) {
            after.extend_from_slice(&self.text[done..at]);
            after.extend_from_slice(new.as_bytes());
            done = at + old.len();
        }
        after.extend_from_slice(&self.text[done..]);
        after
    }

    /// Occurrences from left to right, without overlaps.
    fn occurrences(&self, old: &[u8]) -> Vec<usize> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at + old.len() <= self.text.len() {
            if &self.text[at..at + old.len()] == old {
                found.push(at);
                at += old.len();
            } else {
                at += 1;
            }
        }
        found
    }
}

fn units(bytes: &[u8], unit: impl Fn([u8; 2]) -> u16) -> Option<Vec<u8>> {
    let pairs = bytes.as_chunks::<2>();
    let text = String::from_utf16(&pairs.0.iter().map(|pair| unit(*pair)).collect::<Vec<_>>()).ok();
    text.filter(|_| pairs.1.is_empty()).map(String::into_bytes)
}
