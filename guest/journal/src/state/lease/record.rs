//! The file of a lock: one line of text with a checksum.

use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeaseRecord {
    /// Unique for each record.
    pub(super) nonce: u128,
    /// None if the lock is free.
    pub(super) owner: Option<u128>,
    /// The end since 1970; without meaning in a free record.
    pub(super) end: Duration,
}

/// Characters of the checksum, against accidents only.
const CHECKSUM: usize = 16;

impl LeaseRecord {
    pub(super) fn held(nonce: u128, owner: u128, end: Duration) -> Self {
        Self { nonce, owner: Some(owner), end }
    }

    pub(super) fn free(nonce: u128) -> Self {
        Self { nonce, owner: None, end: Duration::ZERO }
    }

    pub(super) fn to_text(&self) -> String {
        let Self { nonce, owner, end } = self;
        let body = match owner {
            Some(owner) => {
                let (seconds, nanoseconds) = (end.as_secs(), end.subsec_nanos());
                format!("held {nonce:032x} {owner:032x} {seconds}.{nanoseconds:09}")
            }
            None => format!("free {nonce:032x}"),
        };
        let checksum = blake3::hash(body.as_bytes()).to_hex();
        format!("{body} {}\n", checksum.get(..CHECKSUM).unwrap_or_default())
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let text = str::from_utf8(bytes).ok()?;
        let mut words = text.split_whitespace();
        let hex = |word: Option<&str>| u128::from_str_radix(word?, 16).ok();
        let record = match words.next()? {
            "held" => {
                let (nonce, owner) = (hex(words.next())?, hex(words.next())?);
                let (seconds, nanoseconds) = words.next()?.split_once('.')?;
                let nanoseconds =
                    nanoseconds.parse().ok().filter(|nanoseconds| *nanoseconds < 1_000_000_000)?;
                Self::held(nonce, owner, Duration::new(seconds.parse().ok()?, nanoseconds))
            }
            "free" => Self::free(hex(words.next())?),
            _ => return None,
        };
        (record.to_text() == text).then_some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> [LeaseRecord; 4] {
        [
            LeaseRecord::free(0),
            LeaseRecord::free(u128::MAX),
            LeaseRecord::held(7, 3, Duration::new(1_000_000_010, 5)),
            LeaseRecord::held(u128::MAX, u128::MAX, Duration::MAX),
        ]
    }

    #[test]
    fn records_are_read_as_they_were_written() {
        for record in records() {
            assert_eq!(LeaseRecord::from_bytes(record.to_text().as_bytes()), Some(record));
        }
    }

    #[test]
    fn nothing_else_is_a_record() {
        for record in records() {
            let text = record.to_text();
            for length in 0..text.len() {
                assert_eq!(
                    LeaseRecord::from_bytes(&text.as_bytes()[..length]),
                    None,
                    "{length} bytes of `{text}`"
                );
            }
            for place in 0..text.len() {
                let mut bytes = text.clone().into_bytes();
                bytes[place] ^= 1;
                assert_eq!(LeaseRecord::from_bytes(&bytes), None, "`{text}` with another byte {place}");
            }
            assert_eq!(LeaseRecord::from_bytes(format!("{text} ").as_bytes()), None);
        }
        for text in [
            "",
            "free",
            "held",
            "free 1 2",
            "held 1 2 3.4 5",
            "held x y z",
            "\u{fc}",
            "held 1 2 3.4294967295 5",
        ] {
            assert_eq!(LeaseRecord::from_bytes(text.as_bytes()), None, "`{text}`");
        }
    }
}
