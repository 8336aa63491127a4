//! Ids of occurrences: which file, the state that it is in, and where in it. They need no memory on this side.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::error::{OccurrenceProblem, Reason};
use crate::limits::OCCURRENCE_DIGITS;

/// One occurrence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id {
    /// Digits of the hash of its path.
    path: String,
    /// The first digits of its tag.
    tag: String,
    /// Where it begins in what the file gives out.
    pub(super) offset: usize,
}

impl Id {
    /// Of a place in a file with this path and this tag.
    pub(super) fn new(path: &str, tag: &str, offset: usize) -> Self {
        Self { path: digits(path), tag: short(tag).to_owned(), offset }
    }

    /// Reads an id; none if it cannot be one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let is_hash = |part: &str| {
            part.len() == OCCURRENCE_DIGITS
                && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let mut parts = text.split('-');
        let (path, tag, offset) = (parts.next()?, parts.next()?, parts.next()?);
        let is_number = offset.bytes().all(|byte| byte.is_ascii_digit());
        let is_sound = is_hash(path) && is_hash(tag) && is_number && parts.next().is_none();
        let offset = offset.parse().ok().filter(|_| is_sound)?;
        Some(Self { path: path.to_owned(), tag: tag.to_owned(), offset })
    }

    /// It is of a file with this tag.
    pub(super) fn is_of(&self, tag: &str) -> bool {
        self.tag == short(tag)
    }

    /// Nothing that was looked for has it.
    pub(super) fn unknown(&self) -> Reason {
        unknown(&self.to_string())
    }

    /// Its file has another tag now.
    pub(super) fn stale(&self, tag: String) -> Reason {
        Reason::Occurrences(Box::new(OccurrenceProblem::Stale(self.to_string(), tag)))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}-{}-{}", self.path, self.tag, self.offset)
    }
}

/// The ids of a call that were not met so far, by their files.
pub(super) struct Chosen(BTreeMap<String, BTreeSet<Id>>);

impl Chosen {
    /// Reads them.
    pub(super) fn parse(ids: &[String]) -> Result<Self, Reason> {
        let mut files: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for text in ids {
            let id = Id::parse(text).ok_or_else(|| unknown(text))?;
            files.entry(id.path.clone()).or_default().insert(id);
        }
        Ok(Self(files))
    }

    /// Some are about the file with this path.
    pub(super) fn are_about(&self, path: &str) -> bool {
        self.0.contains_key(&digits(path))
    }

    /// Those about the file with this path: they are met now.
    pub(super) fn take(&mut self, path: &str) -> Option<BTreeSet<Id>> {
        self.0.remove(&digits(path))
    }

    /// One that was not met.
    pub(super) fn left(&self) -> Option<&Id> {
        self.0.values().find_map(BTreeSet::first)
    }
}

fn unknown(id: &str) -> Reason {
    Reason::Occurrences(Box::new(OccurrenceProblem::Unknown(id.to_owned())))
}

/// What stands for a path.
fn digits(path: &str) -> String {
    let mut hash = blake3::hash(path.as_bytes()).to_hex().to_string();
    hash.truncate(OCCURRENCE_DIGITS);
    hash
}

/// What stands for a tag.
fn short(tag: &str) -> &str {
    tag.get(..OCCURRENCE_DIGITS).unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_comes_back_as_it_was() {
        let id = Id::new("/w/a.txt", "af1349b9f5f9a1a6a0404dea36dcc949", 120);
        assert!(id.to_string().ends_with("-af1349b9f5f9-120"));
        assert_eq!(Id::parse(&id.to_string()), Some(id.clone()));
        assert!(
            id.is_of("af1349b9f5f9a1a6a0404dea36dcc949") && !id.is_of("bf1349b9f5f9a1a6a0404dea36dcc949")
        );
        for text in [
            "",
            "1",
            "af1349b9f5f9-af1349b9f5f9",
            "af1349b9f5f9-af1349b9f5f9-",
            "af1349b9f5f9-af1349b9f5f9-+1",
            "af1349b9f5f9-af1349b9f5f9-1-1",
            "AF1349B9F5F9-af1349b9f5f9-1",
            "af1349b9f5f-af1349b9f5f9-1",
            "af1349b9f5f9-af1349b9f5f9-99999999999999999999999",
        ] {
            assert_eq!(Id::parse(text), None, "{text}");
        }
    }

    #[test]
    fn ids_are_met_by_their_files() {
        let ids = [Id::new("/w/a", "0123456789ab", 7), Id::new("/w/a", "0123456789ab", 2)];
        let mut chosen = Chosen::parse(&[&ids[0], &ids[1], &ids[0]].map(Id::to_string)).unwrap();
        assert!(chosen.are_about("/w/a") && !chosen.are_about("/w/b"));
        assert_eq!(chosen.take("/w/b"), None);
        assert_eq!(chosen.left(), Some(&ids[1]));
        assert_eq!(chosen.take("/w/a"), Some(BTreeSet::from(ids)));
        assert_eq!(chosen.left(), None);
    }
}
