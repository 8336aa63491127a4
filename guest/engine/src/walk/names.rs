//! The names in a directory in byte order, in pages, so that memory is bounded.

use fsgate_contract::limits::WALK_PAGE_BYTES;
use fsgate_contract::types::SpecialKind;
use fsgate_volume::{Kind, Listed};

#[derive(Debug, Default)]
pub(super) struct NamePage {
    text: String,
    entries: Vec<NameEntry>,
    /// The first omitted name; no later one is in this page.
    bound: Option<String>,
    pub(super) undecodable: u32,
    pub(super) landmarks: Landmarks,
}

/// Names that influence the walk: ignore files and git's own directory.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Landmarks {
    pub(super) gitignore: bool,
    pub(super) ignore: bool,
    pub(super) git: Option<Kind>,
}

#[derive(Debug, Clone, Copy)]
struct NameEntry {
    start: u32,
    /// A longer name counts as undecodable.
    length: u16,
    kind: Kind,
}

pub(super) struct Collecting<'a> {
    after: Option<&'a str>,
    inclusive: bool,
    names: NamePage,
    budget: usize,
}

impl<'a> Collecting<'a> {
    /// Names after the given one, or from it on.
    pub(super) fn new(after: Option<&'a str>, inclusive: bool) -> Self {
        Self { after, inclusive, names: NamePage::default(), budget: WALK_PAGE_BYTES }
    }

    #[cfg(test)]
    fn with_budget(self, budget: usize) -> Self {
        Self { budget, ..self }
    }

    pub(super) fn add(&mut self, listed: Listed<'_>) {
        let Listed::Name(name, kind) = listed else {
            self.names.undecodable = self.names.undecodable.saturating_add(1);
            return;
        };
        match name {
            ".gitignore" => self.names.landmarks.gitignore = kind == Kind::File,
            ".ignore" => self.names.landmarks.ignore = kind == Kind::File,
            ".git" => self.names.landmarks.git = Some(kind),
            _ => {}
        }
        let past = self.after.is_some_and(|after| name < after || name == after && !self.inclusive);
        if past || self.names.bound.as_deref().is_some_and(|bound| name >= bound) {
            return;
        }
        let Ok(length) = u16::try_from(name.len()) else {
            self.names.undecodable = self.names.undecodable.saturating_add(1);
            return;
        };
        // At most twice a page's bytes.
        let start = u32::try_from(self.names.text.len()).unwrap_or(u32::MAX);
        self.names.text.push_str(name);
        self.names.entries.push(NameEntry { start, length, kind });
        if self.names.bytes() > 2 * self.budget {
            self.names.sort();
            self.names.cut(self.budget);
        }
    }

    pub(super) fn finish(mut self) -> NamePage {
        self.names.sort();
        if self.names.bytes() > self.budget {
            self.names.cut(self.budget);
        }
        self.names.text.shrink_to_fit();
        self.names.entries.shrink_to_fit();
        self.names
    }
}

impl NamePage {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<(&str, Kind)> {
        self.entries.get(index).map(|entry| (self.text(entry), entry.kind))
    }

    pub(super) fn more(&self) -> bool {
        self.bound.is_some()
    }

    pub(super) fn bytes(&self) -> usize {
        self.text.len() + self.entries.len() * size_of::<NameEntry>()
    }

    /// Drops the names from `index` on; they are read again on demand.
    pub(super) fn give_up(&mut self, index: usize) {
        if let Some((name, _)) = self.get(index) {
            self.bound = Some(name.to_owned());
            self.entries.truncate(index);
        }
        // Passed names are not needed either, except the last one.
        let last =
            index.checked_sub(1).and_then(|last| self.get(last)).map(|(name, kind)| (name.to_owned(), kind));
        (self.text, self.entries) = (String::new(), Vec::new());
        if let Some((name, kind)) = last {
            let length = u16::try_from(name.len()).unwrap_or(u16::MAX);
            self.entries.push(NameEntry { start: 0, length, kind });
            self.text = name;
        }
    }

    pub(super) fn end_at(&mut self, index: usize) {
        self.entries.truncate(index);
        self.bound = None;
    }

    fn text(&self, entry: &NameEntry) -> &str {
        let start = entry.start as usize;
        self.text.get(start..start + usize::from(entry.length)).unwrap_or_default()
    }

    fn sort(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        entries.sort_unstable_by(|one, other| self.text(one).cmp(self.text(other)));
        // A directory that changes during the listing may give a name twice.
        entries.dedup_by(|one, other| self.text(one) == self.text(other));
        self.entries = entries;
    }

    /// Keeps the first names in order, up to so many bytes and at least one.
    fn cut(&mut self, budget: usize) {
        let mut bytes = 0;
        let kept = self.entries.iter().position(|entry| {
            bytes += usize::from(entry.length) + size_of::<NameEntry>();
            bytes > budget
        });
        let Some(kept) = kept.map(|kept| kept.max(1)).filter(|kept| *kept < self.entries.len()) else {
            return;
        };
        self.bound = self.get(kept).map(|(name, _)| name.to_owned());
        let mut text = String::with_capacity(budget);
        for entry in &mut self.entries[..kept] {
            let name = self.text.get(entry.start as usize..).unwrap_or_default();
            let start = u32::try_from(text.len()).unwrap_or(u32::MAX);
            text.push_str(name.get(..usize::from(entry.length)).unwrap_or_default());
            entry.start = start;
        }
        self.entries.truncate(kept);
        self.text = text;
    }
}

/// A kind has one byte or two, so an entry is small.
const _: () = assert!(size_of::<NameEntry>() <= 8 && size_of::<SpecialKind>() == 1);

#[cfg(test)]
mod tests {
    use super::*;

    fn page(names: &[String], after: Option<&str>, budget: usize) -> NamePage {
        let mut collecting = Collecting::new(after, false).with_budget(budget);
        names.iter().for_each(|name| collecting.add(Listed::Name(name, Kind::File)));
        collecting.finish()
    }

    #[test]
    fn pages_in_a_row_tell_every_name_once_in_order() {
        let mut names: Vec<_> = (0..500_u32).map(|n| format!("{}", n.wrapping_mul(2_654_435_761))).collect();
        for budget in [1, 30, 100, 1000, 100_000] {
            let (mut told, mut after) = (Vec::new(), None);
            loop {
                let page = page(&names, after.as_deref(), budget);
                assert!(page.bytes() <= budget.max(40), "{}", page.bytes());
                told.extend((0..page.len()).map(|index| page.get(index).unwrap().0.to_owned()));
                after = told.last().cloned();
                if !page.more() {
                    break;
                }
            }
            let mut sorted = names.clone();
            sorted.sort();
            assert_eq!(told, sorted);
            names.reverse();
        }
    }

    #[test]
    fn a_page_that_is_given_up_knows_where_it_was() {
        let names = ["c", "a", "b", "d"].map(str::to_owned);
        let mut page = page(&names, None, 1000);
        page.give_up(2);
        assert_eq!((page.get(0), page.len(), page.more()), (Some(("b", Kind::File)), 1, true));
    }
}
