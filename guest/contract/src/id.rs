//! The ids of records, and the temporary names made of them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// 128 bits: a record's start in nanoseconds since 1970, and 64 unpredictable bits. Records sort by
/// time, so none is opened to find the last. Text has 32 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub u128);

impl Id {
    /// The identity of all things where a host cannot distinguish them.
    pub const NOBODY: Self = Self(0);

    /// The id of something that begins now. It follows `last` even if the clock is set back.
    pub fn new(now: Duration, random: u128, last: Option<Self>) -> Self {
        let now = u128::from(u64::try_from(now.as_nanos()).unwrap_or(u64::MAX));
        let behind = last.map_or(0, |last| (last.0 >> 64) + 1);
        Self(now.max(behind) << 64 | random & u128::from(u64::MAX))
    }

    /// Its start, since 1970.
    pub fn time(self) -> Duration {
        Duration::from_nanos((self.0 >> 64) as u64)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoId;

impl FromStr for Id {
    type Err = NoId;

    fn from_str(text: &str) -> Result<Self, NoId> {
        if text.len() == DIGITS && is_hex(text) {
            u128::from_str_radix(text, 16).map(Self).map_err(|_| NoId)
        } else {
            Err(NoId)
        }
    }
}

/// Hex digits of an id.
const DIGITS: usize = 32;

/// The fewest digits that name an entry: fewer are likely a slip.
pub const FEWEST_DIGITS: usize = 6;

/// Digits of an id in texts: they tell calls apart that begin 66 microseconds after each other.
pub const SHOWN_DIGITS: usize = 12;

/// The beginning of an id, for a text.
pub fn shown(id: &str) -> &str {
    id.get(..SHOWN_DIGITS).unwrap_or(id)
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// All ids with the same first digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdRange {
    first: Id,
    last: Id,
}

impl IdRange {
    /// The lowest id of the range.
    pub fn first(self) -> Id {
        self.first
    }

    /// Whether the range has this id.
    pub fn contains(self, id: Id) -> bool {
        self.first <= id && id <= self.last
    }

    /// The id of a range that has one alone.
    pub fn only(self) -> Option<Id> {
        (self.first == self.last).then_some(self.first)
    }
}

impl FromStr for IdRange {
    type Err = NoId;

    /// Takes [`FEWEST_DIGITS`] digits or more.
    fn from_str(digits: &str) -> Result<Self, NoId> {
        if !(FEWEST_DIGITS..=DIGITS).contains(&digits.len()) || !is_hex(digits) {
            return Err(NoId);
        }
        let end = |filler: &str| digits.to_owned() + &filler.repeat(DIGITS - digits.len());
        Ok(Self { first: end("0").parse()?, last: end("f").parse()? })
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|NoId| de::Error::custom("not 32 lower-case hex digits"))
    }
}

/// The start of every temporary name.
const TEMPORARY: &str = ".fsgate-";
/// The end of a second temporary name of one change.
const SECOND: &str = ".2";

/// The name of an incomplete thing beside its place. It leads to the record.
pub fn temporary(id: Id) -> String {
    format!("{TEMPORARY}{id}")
}

/// Another name beside a temporary one.
pub fn second_temporary(temporary: &str) -> String {
    format!("{temporary}{SECOND}")
}

/// The rule that hides temporary names in policies with a rule against reading.
pub const UNFINISHED_CHANGES: &str = "unfinished_changes";

/// Whether a name is temporary.
pub fn is_temporary(name: &str) -> bool {
    name.strip_prefix(TEMPORARY).is_some_and(|id| {
        let id = id.strip_suffix(SECOND).unwrap_or(id);
        id.len() == DIGITS && is_hex(id)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_and_never_go_back() {
        let at = |nanos, last| Id::new(Duration::from_nanos(nanos), u128::MAX, last);
        let (one, two) = (at(1, None), at(2, None));
        assert!(one < two);
        assert_eq!(one.to_string(), format!("{:016x}{}", 1, "f".repeat(16)));
        assert!(at(1, Some(two)) > two);
        assert_eq!(two.time(), Duration::from_nanos(2));
    }

    #[test]
    fn only_the_form_that_is_written_is_read() {
        let id = Id(0xabc);
        assert_eq!(id.to_string().parse(), Ok(id));
        let upper = id.to_string().to_uppercase();
        for text in ["", "abc", &upper, &format!("+{}", &id.to_string()[1..]), &format!("{id}0")] {
            assert_eq!(text.parse::<Id>(), Err(NoId), "{text}");
        }
    }

    #[test]
    fn the_beginning_of_an_id_is_a_range() {
        let range = |digits: &str| digits.parse::<IdRange>();
        let id = Id(0xabc_def0 << 100);
        let whole = range(&id.to_string()).unwrap();
        assert_eq!((whole.only(), whole.contains(id)), (Some(id), true));
        let part = range("abcdef").unwrap();
        assert_eq!((part.only(), part.first()), (None, Id(0xab_cdef << 104)));
        for (other, is_inside) in [(id, true), (part.first(), true), (Id(part.first().0 - 1), false)] {
            assert_eq!(part.contains(other), is_inside, "{other}");
        }
        assert!(part.contains(Id((0xab_cdf0 << 104) - 1)) && !part.contains(Id(0xab_cdf0 << 104)));
        for text in ["", "abcde", "ABCDEF", "abcdeg", &format!("{id}0")] {
            assert_eq!(range(text), Err(NoId), "{text}");
        }
    }
}
