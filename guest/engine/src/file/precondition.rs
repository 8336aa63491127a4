//! The state that a caller expects a file to be in: `if_match` and `if_none_match`.

use std::ops::ControlFlow;

use blake3::Hasher;

use super::OpenFile;
use fsgate_error::{Failure, Reason};
use fsgate_volume::Volume;
use fsgate_volume::etag::{self, Subtrees};

/// An open file in the state that the call expects, with the tag of that state.
pub struct TaggedFile<'a, V: Volume> {
    /// The file.
    pub file: OpenFile<'a, V>,
    /// Have seen its content.
    pub subtrees: Subtrees,
    /// Its strong tag.
    pub etag: String,
}

impl<'a, V: Volume> TaggedFile<'a, V> {
    /// The file whose content these subtrees have seen. Refuses it in another state than the call
    /// expects.
    pub fn new(file: OpenFile<'a, V>, subtrees: Subtrees) -> Result<Self, Failure> {
        let etag = file.tag(&subtrees)?;
        check(&file, file.expected.as_deref(), || Ok(etag.clone()))?;
        Ok(Self { file, subtrees, etag })
    }
}

impl<V: Volume> OpenFile<'_, V> {
    /// Refuses the file in another state than the call expects. It is read for its strong tag, if
    /// that is needed.
    pub fn require_expected_state(&self) -> Result<(), Failure> {
        check(self, self.expected.as_deref(), || self.strong_tag())
    }
}

/// A tag that a caller has given.
#[derive(Debug, PartialEq, Eq)]
enum Tag {
    /// `*`
    Any,
    Strong,
    Range {
        offset: u64,
        length: u64,
    },
    Malformed,
}

impl Tag {
    fn parse(text: &str) -> Self {
        if text == "*" {
            return Self::Any;
        }
        if etag::is_strong(text) {
            return Self::Strong;
        }
        match etag::parse_range(text) {
            Some((offset, length)) => Self::Range { offset, length },
            None => Self::Malformed,
        }
    }
}

/// Checks `if_match` of an existing file. `strong` computes its strong tag, if that is needed.
pub fn check<V: Volume>(
    file: &OpenFile<V>,
    if_match: Option<&str>,
    strong: impl FnOnce() -> Result<String, Failure>,
) -> Result<(), Failure> {
    let Some(wanted) = if_match else { return Ok(()) };
    let refused = |found| Err(file.refuse(Reason::NotInState { wanted: wanted.to_owned(), found }));
    let found = match Tag::parse(wanted) {
        Tag::Any => return Ok(()),
        Tag::Strong => strong()?,
        // No file has such a tag.
        Tag::Malformed => return refused(String::new()),
        // Every file has the hash of no bytes.
        Tag::Range { length: 0, .. } => return refused(String::new()),
        Tag::Range { offset, length } => {
            let mut hasher = Hasher::new();
            let mut seen = 0;
            file.each_chunk_of_file(offset..offset.saturating_add(length), |chunk| {
                hasher.update(chunk);
                seen += chunk.len() as u64;
                ControlFlow::Continue(())
            })?;
            etag::range(offset, seen, &hasher)
        }
    };
    if found == wanted { Ok(()) } else { refused(found) }
}

/// Checks `if_match` of something without content: only `*` matches.
pub fn check_no_file(path: &str, if_match: Option<&str>) -> Result<(), Failure> {
    if if_match == Some("*") { Ok(()) } else { check_absent(path, if_match) }
}

/// Checks `if_match` where there is no file: nothing matches.
pub fn check_absent(path: &str, if_match: Option<&str>) -> Result<(), Failure> {
    match if_match {
        None => Ok(()),
        Some(wanted) => Err(Reason::NotInState { wanted: wanted.to_owned(), found: String::new() }.at(path)),
    }
}

/// Checks `if_none_match` on its own: only `*` has a meaning.
pub fn check_none(path: &str, if_none_match: Option<&str>) -> Result<(), Failure> {
    match if_none_match {
        None | Some("*") => Ok(()),
        Some(tag) => Err(Reason::NoneMatchTag(tag.to_owned()).at(path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_told_apart() {
        let hex = "af1349b9f5f9a1a6a0404dea36dcc949";
        assert_eq!(Tag::parse("*"), Tag::Any);
        assert_eq!(Tag::parse(hex), Tag::Strong);
        assert_eq!(Tag::parse(&format!("r7+12:{hex}")), Tag::Range { offset: 7, length: 12 });
        for text in
            ["", "**", "r7+12", "r7:abc", &hex[1..], &hex.to_uppercase(), "W/\"x\"", &format!("r-1+2:{hex}")]
        {
            assert_eq!(Tag::parse(text), Tag::Malformed, "{text}");
        }
    }
}
