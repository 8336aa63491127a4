//! Cursors: the place where a stopped answer goes on, as a string. The session remembers nothing.

use std::fmt;

use blake3::Hasher;

use fsgate_contract::limits::CURSOR_BYTES;
use fsgate_text::window::Position;
use fsgate_volume::single;

/// A place in a file, bound to the bytes before it: other bytes make the cursor stale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCursor {
    /// The place to go on at, with line 0 if the lines before it are not counted.
    pub position: Position,
    seal: String,
}

/// Replaces an unknown line number.
const UNCOUNTED: &str = "-";

/// Enough digits to notice a change, few enough for a model to repeat.
const SEAL_DIGITS: usize = 16;

/// A column counts bytes of the shown text, an offset those of the file. UTF-16 shows one and a
/// half for one byte of the file, and an invalid byte is shown as three.
const SHOWN_BYTES: u64 = 3;

impl FileCursor {
    /// A cursor for a position after the bytes of [`FileCursor::bound`].
    pub fn new(position: Position, before: &[u8]) -> Self {
        let mut hasher = Hasher::new();
        for number in [position.offset, position.line, position.column] {
            hasher.update(&number.to_le_bytes());
        }
        hasher.update(before);
        let mut seal = hasher.finalize().to_hex().to_string();
        seal.truncate(SEAL_DIGITS);
        Self { position, seal }
    }

    /// The bytes that a cursor at `offset` is bound to.
    pub fn bound(offset: u64) -> std::ops::Range<u64> {
        offset.saturating_sub(CURSOR_BYTES)..offset
    }

    /// Reads a cursor, if it is one.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let number = |digits: &str| {
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| digits.parse::<u64>().ok()).flatten()
        };
        let offset = number(parts.next()?)?;
        let line = match parts.next()? {
            UNCOUNTED => 0,
            digits => number(digits).filter(|line| *line > 0)?,
        };
        let column = number(parts.next()?)?;
        let seal = parts.next()?;
        let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let sound = column / SHOWN_BYTES <= offset
            && seal.len() == SEAL_DIGITS
            && seal.bytes().all(hex)
            && parts.next().is_none();
        sound.then(|| Self { position: Position { offset, line, column }, seal: seal.to_owned() })
    }
}

impl fmt::Display for FileCursor {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Position { offset, line, column } = self.position;
        match line {
            0 => write!(f, "{offset}.{UNCOUNTED}.{column}.{}", self.seal),
            line => write!(f, "{offset}.{line}.{column}.{}", self.seal),
        }
    }
}

/// The name after which a listing goes on. Names are ordered, so nothing can be stale.
pub fn after_name(name: &str) -> String {
    format!("after:{name}")
}

/// The name in a cursor of a listing, if it is one.
pub fn parse_after_name(text: &str) -> Option<&str> {
    text.strip_prefix("after:")
}

/// The place where a walk goes on, relative to its start. Paths are ordered, so nothing can be
/// stale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WalkPosition {
    /// After this entry and everything in it.
    After(String),
    /// After this directory itself, before its content.
    Within(String),
    /// At this entry, with data of the tool without colons.
    At(String, String),
}

impl WalkPosition {
    /// Reads a cursor, if it is one.
    pub fn parse(text: &str) -> Option<Self> {
        let position = if let Some(path) = text.strip_prefix("after:") {
            match path.strip_suffix('/') {
                Some(directory) => Self::Within(directory.to_owned()),
                None => Self::After(path.to_owned()),
            }
        } else {
            let (extra, path) = text.strip_prefix("at:")?.split_once(':')?;
            Self::At(path.to_owned(), extra.to_owned())
        };
        let sound = position.path().split('/').all(|name| single(name).is_ok());
        sound.then_some(position)
    }

    /// The path.
    pub fn path(&self) -> &str {
        match self {
            Self::After(path) | Self::Within(path) | Self::At(path, _) => path,
        }
    }
}

impl fmt::Display for WalkPosition {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::After(path) => write!(f, "after:{path}"),
            Self::Within(path) => write!(f, "after:{path}/"),
            Self::At(path, extra) => write!(f, "at:{extra}:{path}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_as_it_was() {
        let position = Position { offset: 70_000, line: 12, column: 65_536 };
        let cursor = FileCursor::new(position, b"before");
        assert_eq!(FileCursor::parse(&cursor.to_string()), Some(cursor.clone()));
        assert_ne!(cursor, FileCursor::new(position, b"befOre"));
        let uncounted = FileCursor::new(Position { line: 0, ..position }, b"before");
        assert!(uncounted.to_string().starts_with("70000.-.65536."));
        assert_eq!(FileCursor::parse(&uncounted.to_string()), Some(uncounted));
        assert_ne!(cursor, FileCursor::new(Position { line: 13, ..position }, b"before"));
        assert_eq!(FileCursor::bound(10_000), 5_904..10_000);
        assert_eq!(FileCursor::bound(10), 0..10);
    }

    #[test]
    fn the_place_of_a_walk_comes_back_as_it_was() {
        for position in [
            WalkPosition::After("a:b/\n ä".to_owned()),
            WalkPosition::Within("a/b".to_owned()),
            WalkPosition::At("a:b/c".to_owned(), "1.2".to_owned()),
            WalkPosition::At("a".to_owned(), String::new()),
        ] {
            assert_eq!(WalkPosition::parse(&position.to_string()), Some(position));
        }
    }

    #[test]
    fn what_is_no_cursor_is_not_taken_for_one() {
        for text in [
            "",
            "1",
            "1.1.0",
            "1.1.0.",
            "1.0.0.0123456789abcdef",
            "1..0.0123456789abcdef",
            "1.1.6.0123456789abcdef",
            "+1.1.0.0123456789abcdef",
            "1.1.0.0123456789ABCDEF",
            "1.1.0.0123456789abcdef.",
            "99999999999999999999.1.0.0123456789abcdef",
        ] {
            assert_eq!(FileCursor::parse(text), None, "{text}");
        }
        assert!(FileCursor::parse("1.1.0.0123456789abcdef").is_some());
        for text in [
            "",
            "a",
            "after:",
            "after:/",
            "after:/a",
            "after:a//b",
            "after:a/../b",
            "after:.",
            "at:a",
            "at::",
        ] {
            assert_eq!(WalkPosition::parse(text), None, "{text}");
        }
        assert_eq!(parse_after_name(&after_name("a:b\nc")), Some("a:b\nc"));
        assert_eq!(parse_after_name("a"), None);
    }
}
