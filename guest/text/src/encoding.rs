//! Text in other encodings than UTF-8, edited without changing other bytes.
//!
//! In decoded text an undecodable byte is [`escape_unit`], three bytes that no UTF-8 holds. Search
//! and replace therefore need UTF-8 only, and different files never decode to the same text.

mod decoded;
mod detect;
mod display;
mod units;

pub use decoded::{Decoded, Edit, Unencodable};
pub use detect::{Certainty, Detected, detect, may_be_utf_16, utf_32};
pub use display::{Displayed, escaped, is_damaged, shown};
pub use units::{escape_unit, escaped_byte, plain_bytes, unit_start};

use std::borrow::Cow;

use crate::escape;
use encoding_rs::{ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, X_USER_DEFINED};

/// An encoding of the [web standard](https://encoding.spec.whatwg.org).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding(&'static encoding_rs::Encoding);

impl Encoding {
    /// UTF-8.
    pub const UTF_8: Self = Self(UTF_8);

    /// The encoding with this label; none for stateful and pseudo encodings.
    pub fn labelled(label: &str) -> Option<Self> {
        let found = encoding_rs::Encoding::for_label_no_replacement(label.as_bytes())?;
        let is_text = ![ISO_2022_JP, REPLACEMENT, X_USER_DEFINED].contains(&found);
        is_text.then_some(Self(found))
    }

    /// Whether fsgate leaves out this label.
    pub fn is_left_out(label: &str) -> bool {
        encoding_rs::Encoding::for_label(label.as_bytes()).is_some() && Self::labelled(label).is_none()
    }

    /// The name in the standard.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Whether it is UTF-8.
    pub fn is_utf_8(self) -> bool {
        self.0 == UTF_8
    }

    /// Whether it is UTF-16.
    pub fn is_utf_16(self) -> bool {
        self.0 == UTF_16LE || self.0 == UTF_16BE
    }

    /// Its byte order mark, or nothing.
    pub fn mark(self) -> &'static [u8] {
        match self.0 {
            found if found == UTF_8 => b"\xEF\xBB\xBF",
            found if found == UTF_16LE => b"\xFF\xFE",
            found if found == UTF_16BE => b"\xFE\xFF",
            _ => b"",
        }
    }

    /// Decodes a request's text with bytes by number.
    pub fn unescaped(self, text: &str) -> Vec<u8> {
        escape::unescaped_by(text, |byte, after, out| match byte {
            // In UTF-16 any byte may be undecodable.
            0x80.. => out.extend_from_slice(&escape_unit(byte)),
            b'\\' if after.starts_with("x{") => out.push(byte),
            _ if self.is_utf_16() => out.extend_from_slice(&escape_unit(byte)),
            _ => out.push(byte),
        })
    }

    /// Every label, for suggestions.
    pub fn labels() -> impl Iterator<Item = &'static str> {
        LABELS.iter().copied()
    }
}

/// The spelling of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Spelling {
    /// Literal text.
    #[default]
    Plain,
    /// Bytes by number, in this encoding.
    Escaped(Encoding),
}

impl Spelling {
    /// The decoded text.
    pub fn inside(self, text: &str) -> Cow<'_, [u8]> {
        match self {
            Self::Plain => Cow::Borrowed(text.as_bytes()),
            Self::Escaped(encoding) if encoding.is_utf_8() => Cow::Owned(escape::unescaped(text)),
            Self::Escaped(encoding) => Cow::Owned(encoding.unescaped(text)),
        }
    }
}

const LABELS: &[&str] = &[
    "big5",
    "euc-jp",
    "euc-kr",
    "gb18030",
    "gbk",
    "ibm866",
    "iso-8859-1",
    "iso-8859-10",
    "iso-8859-13",
    "iso-8859-14",
    "iso-8859-15",
    "iso-8859-16",
    "iso-8859-2",
    "iso-8859-3",
    "iso-8859-4",
    "iso-8859-5",
    "iso-8859-6",
    "iso-8859-7",
    "iso-8859-8",
    "iso-8859-8-i",
    "koi8-r",
    "koi8-u",
    "latin1",
    "macintosh",
    "shift_jis",
    "utf-16be",
    "utf-16le",
    "utf-8",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "windows-874",
    "x-mac-cyrillic",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_those_of_the_web() {
        for (label, expected) in [
            ("utf8", Some("UTF-8")),
            ("Latin1", Some("windows-1252")),
            (" iso-8859-1 ", Some("windows-1252")),
            ("ISO-8859-15", Some("ISO-8859-15")),
            ("utf-16", Some("UTF-16LE")),
            ("sjis", Some("Shift_JIS")),
            ("gb2312", Some("GBK")),
            ("iso-2022-jp", None),
            ("hz-gb-2312", None),
            ("x-user-defined", None),
            ("utf-7", None),
            ("", None),
        ] {
            assert_eq!(Encoding::labelled(label).map(Encoding::name), expected, "{label:?}");
            let is_left_out = ["iso-2022-jp", "hz-gb-2312", "x-user-defined"].contains(&label);
            assert_eq!(Encoding::is_left_out(label), is_left_out, "{label:?}");
        }
        assert!(Encoding::labels().all(|label| Encoding::labelled(label).is_some()));
    }
}
