//! Ids of occurrences: hashes of path, content and search, and an offset. The session remembers
//! nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use fsgate_contract::edit_types::ReplaceInFilesArgs;
use fsgate_contract::limits::{OCCURRENCE_DIGITS, SEARCH_DIGITS};
use fsgate_error::{OccurrenceProblem, Reason};
use fsgate_text::encoding::Encoding;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id {
    /// The hash of the path.
    path: String,
    tag: String,
    search: Sought,
    /// The offset in the bytes of the file.
    pub(super) offset: usize,
}

/// The hash of `old` and the options that change its matches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sought(String);

impl Sought {
    pub(super) fn of(args: &ReplaceInFilesArgs, encoding: Option<Encoding>) -> Self {
        let options = [
            ("regex", args.regex()),
            ("exact_line_ends", args.exact_line_ends()),
            ("escaped", args.escaped()),
        ];
        let set = options.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| format!("{name}\n"));
        let named = encoding.map(|encoding| format!("encoding={}\n", encoding.name().to_ascii_lowercase()));
        let text: String = set.chain(named).chain(["\n".to_owned(), args.old.clone()]).collect();
        Self(digits(&text, SEARCH_DIGITS))
    }
}

impl Id {
    pub(super) fn new(path: &str, tag: &str, search: &Sought, offset: usize) -> Self {
        Self { path: of_path(path), tag: short(tag).to_owned(), search: search.clone(), offset }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let is_hash = |part: &str, digits| {
            part.len() == digits && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let mut parts = text.split('-');
        let (path, tag, search, offset) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_number = offset.bytes().all(|byte| byte.is_ascii_digit());
        let are_hashes = is_hash(path, OCCURRENCE_DIGITS)
            && is_hash(tag, OCCURRENCE_DIGITS)
            && is_hash(search, SEARCH_DIGITS);
        let is_sound = are_hashes && is_number && parts.next().is_none();
        let offset = offset.parse().ok().filter(|_| is_sound)?;
        Some(Self { path: path.to_owned(), tag: tag.to_owned(), search: Sought(search.to_owned()), offset })
    }

    pub(super) fn is_for(&self, search: &Sought) -> bool {
        self.search == *search
    }

    pub(super) fn is_of(&self, tag: &str) -> bool {
        self.tag == short(tag)
    }

    pub(super) fn unknown(&self) -> Reason {
        unknown(&self.to_string())
    }

    /// The error that its file has another tag now.
    pub(super) fn stale(&self, tag: String) -> Reason {
        OccurrenceProblem::Stale(self.to_string(), tag).into()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}-{}-{}-{}", self.path, self.tag, self.search.0, self.offset)
    }
}

/// The ids of a call that are not found yet, by file.
pub(super) struct ChosenIds(BTreeMap<String, BTreeSet<Id>>);

impl ChosenIds {
    pub(super) fn parse(ids: &[String], search: &Sought) -> Result<Self, Reason> {
        let mut files: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for text in ids {
            let id = Id::parse(text).ok_or_else(|| unknown(text))?;
            if !id.is_for(search) {
                return Err(OccurrenceProblem::OtherSearch(text.clone()).into());
            }
            files.entry(id.path.clone()).or_default().insert(id);
        }
        Ok(Self(files))
    }

    pub(super) fn are_about(&self, path: &str) -> bool {
        self.0.contains_key(&of_path(path))
    }

    pub(super) fn take(&mut self, path: &str) -> Option<BTreeSet<Id>> {
        self.0.remove(&of_path(path))
    }

    pub(super) fn left(&self) -> Option<&Id> {
        self.0.values().find_map(BTreeSet::first)
    }
}

fn unknown(id: &str) -> Reason {
    OccurrenceProblem::Unknown(id.to_owned()).into()
}

fn of_path(path: &str) -> String {
    digits(path, OCCURRENCE_DIGITS)
}

fn digits(text: &str, count: usize) -> String {
    let mut hash = blake3::hash(text.as_bytes()).to_hex().to_string();
    hash.truncate(count);
    hash
}

fn short(tag: &str) -> &str {
    tag.get(..OCCURRENCE_DIGITS).unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(old: &str) -> ReplaceInFilesArgs {
        ReplaceInFilesArgs { old: old.to_owned(), ..ReplaceInFilesArgs::default() }
    }

    #[test]
    fn an_id_comes_back_as_it_was() {
        let search = Sought::of(&call("one"), None);
        let id = Id::new("/w/a.txt", "af1349b9f5f9a1a6a0404dea36dcc949", &search, 120);
        assert!(id.to_string().ends_with(&format!("-af1349b9f5f9-{}-120", search.0)));
        assert_eq!(Id::parse(&id.to_string()), Some(id.clone()));
        assert!(
            id.is_of("af1349b9f5f9a1a6a0404dea36dcc949") && !id.is_of("bf1349b9f5f9a1a6a0404dea36dcc949")
        );
        for text in [
            "",
            "1",
            "af1349b9f5f9-af1349b9f5f9-1",
            "af1349b9f5f9-af1349b9f5f9-a6a040",
            "af1349b9f5f9-af1349b9f5f9-a6a040-",
            "af1349b9f5f9-af1349b9f5f9-a6a040-+1",
            "af1349b9f5f9-af1349b9f5f9-a6a040-1-1",
            "AF1349B9F5F9-af1349b9f5f9-a6a040-1",
            "af1349b9f5f-af1349b9f5f9-a6a040-1",
            "af1349b9f5f9-af1349b9f5f9-a6a04-1",
            "af1349b9f5f9-af1349b9f5f9-a6a040-99999999999999999999999",
        ] {
            assert_eq!(Id::parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_changes_what_is_found_is_another_search() {
        let plain = Sought::of(&call("one"), None);
        let new = ReplaceInFilesArgs {
            new: "1".to_owned(),
            glob: Some("*".to_owned()),
            regex: Some(false),
            count: Some(1),
            diff: Some(true),
            ..call("one")
        };
        assert_eq!(Sought::of(&new, None), plain);
        let named = |label| Sought::of(&call("one"), Encoding::labelled(label));
        let others = [
            Sought::of(&call("two"), None),
            Sought::of(&ReplaceInFilesArgs { regex: Some(true), ..call("one") }, None),
            Sought::of(&ReplaceInFilesArgs { exact_line_ends: Some(true), ..call("one") }, None),
            Sought::of(&ReplaceInFilesArgs { escaped: Some(true), ..call("one") }, None),
            named("windows-1252"),
            named("utf-16le"),
        ];
        let all: BTreeSet<_> = others.iter().chain([&plain]).collect();
        assert_eq!(all.len(), others.len() + 1);
        assert_eq!(named("latin1"), named("windows-1252"));
    }

    #[test]
    fn ids_are_met_by_their_files() {
        let search = Sought::of(&call("one"), None);
        let ids = [7, 2].map(|offset| Id::new("/w/a", "0123456789ab", &search, offset));
        let texts = [&ids[0], &ids[1], &ids[0]].map(Id::to_string);
        let mut chosen = ChosenIds::parse(&texts, &search).unwrap();
        assert!(chosen.are_about("/w/a") && !chosen.are_about("/w/b"));
        assert_eq!(chosen.take("/w/b"), None);
        assert_eq!(chosen.left(), Some(&ids[1]));
        assert_eq!(chosen.take("/w/a"), Some(BTreeSet::from(ids)));
        assert_eq!(chosen.left(), None);
        assert!(ChosenIds::parse(&texts, &Sought::of(&call("two"), None)).is_err());
    }
}
