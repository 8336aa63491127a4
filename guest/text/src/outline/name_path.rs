//! A path of names among the definitions of a text.

use std::ops::Range;

use super::entries::EntryName;
use crate::similar::Suggestions;
use fsgate_contract::limits::{AMBIGUOUS_LINES, SUGGESTION_NAMES};

/// The definitions around a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Enclosing {
    /// The matched names of the path.
    found: usize,
    depth: usize,
}

/// The quality of a match: few unnamed enclosing definitions, then a name before an alias, then a
/// definition before an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    direct: bool,
    exact: bool,
    defines: bool,
    /// Its number in a list of all definitions; 0 in a search.
    number: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DefinedName {
    /// Its possible names: `bar`, `Foo::bar`, `fn bar`.
    pub(super) names: Vec<String>,
    /// It extends an existing name.
    pub(super) adds: bool,
    /// An owner elsewhere: `Foo` of `Foo::bar` and of `func (f *Foo) bar`.
    pub(super) of: Option<String>,
}

impl DefinedName {
    /// The name that says most: `fn bar`, `impl Trait for Type`, `## Title`, `a, b` of a selector.
    fn title(&self) -> Option<&String> {
        let whole = self.names.first().filter(|name| name.contains(','));
        whole.or(self.names.last())
    }
}

/// A definition in a list of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) depth: usize,
    /// None until its end is known.
    pub(super) place: Option<Range<usize>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct FoundDefinition {
    place: Range<usize>,
    is_open: bool,
}

#[derive(Debug, Default)]
pub(super) struct NameSearch<'a> {
    wanted: &'a [String],
    /// The choice among equal places, from 1.
    number: Option<usize>,
    best: Option<Rank>,
    count: u64,
    places: Vec<FoundDefinition>,
    /// Ambiguous places, in order.
    doubts: Vec<usize>,
    /// The start of an unclosed construct.
    lost: Option<usize>,
    /// The longest matched part of the path.
    most: usize,
    /// Names near the missing one.
    near: Option<(Suggestions, usize)>,
    /// All definitions, in the order in which they begin.
    listed: Option<Vec<Listed>>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum NameOutcome {
    /// One place, and an ambiguous place in it.
    Found(Range<usize>, Option<usize>),
    /// One place, and the unclosed construct in it.
    Open(Range<usize>, usize),
    /// The number of places, and the first ones in order.
    Several(u64, Vec<Range<usize>>),
    /// The names found before the missing one.
    Missing(usize),
    /// None, but one may be after this place.
    Lost(usize),
}

impl<'a> NameSearch<'a> {
    pub(super) fn new(wanted: &'a [String]) -> Self {
        Self { wanted, ..Self::default() }
    }

    /// A search for one of equal places, from 1.
    pub(super) fn numbered(wanted: &'a [String], number: usize) -> Self {
        Self { number: Some(number), ..Self::new(wanted) }
    }

    /// A search for names similar to one that another pass missed.
    pub(super) fn suggesting(wanted: &'a [String], missing: usize) -> Self {
        let near = wanted.get(missing).map(|name| (Suggestions::new(&spaced(name)), missing));
        Self { near, ..Self::new(wanted) }
    }

    /// A search for all definitions.
    pub(super) fn listing() -> Self {
        Self { listed: Some(Vec::new()), ..Self::new(&[]) }
    }

    /// All definitions whose ends are known, in the order in which they begin.
    pub(super) fn listed(self) -> impl Iterator<Item = Listed> {
        self.listed.into_iter().flatten().filter(|listed| listed.place.is_some())
    }

    /// Enters a definition. Returns its names, and its rank if it matches.
    pub(super) fn enter(&mut self, around: Enclosing, named: &DefinedName) -> (Enclosing, Option<Rank>) {
        if let Some(listed) = &mut self.listed {
            let number = listed.len();
            let name = named.title().cloned().unwrap_or_default();
            listed.push(Listed { name, depth: around.depth, place: None });
            let inside = Enclosing { depth: around.depth + 1, ..around };
            return (inside, Some(Rank { direct: true, exact: true, defines: !named.adds, number }));
        }
        let around = named.of.as_ref().map_or(around, |owner| self.inside(around, owner));
        if let Some((near, missing)) = &mut self.near
            && around.found >= *missing
            && self.count < SUGGESTION_NAMES as u64
        {
            self.count += 1;
            named.names.first().into_iter().for_each(|name| near.consider(name));
        }
        let inside = Enclosing { depth: around.depth + 1, ..around };
        let is = |wanted: &String| named.names.iter().any(|name| is_called(wanted, name));
        let last = self.wanted.len().saturating_sub(1);
        let hit = around.found >= last && self.wanted.last().is_some_and(is);
        let direct = around.depth == last;
        let rank = hit.then_some(Rank { direct, exact: true, defines: !named.adds, number: 0 });
        match self.wanted.get(around.found).filter(|wanted| is(wanted)) {
            Some(_) => {
                self.most = self.most.max(around.found + 1);
                (Enclosing { found: around.found + 1, ..inside }, rank)
            }
            None => (inside, rank),
        }
    }

    /// Enters and leaves an entry, which no other definition is around. An alias finds it if no
    /// name does.
    pub(super) fn entry(&mut self, entry: &EntryName, place: Range<usize>) {
        let named = DefinedName { names: vec![entry.name.clone()], ..DefinedName::default() };
        let (_, rank) = self.enter(Enclosing::default(), &named);
        let is_alias = || {
            let [wanted] = self.wanted else { return false };
            entry.aliases.iter().any(|alias| is_called(wanted, alias))
        };
        let alias = Rank { direct: true, exact: false, defines: true, number: 0 };
        if let Some(rank) = rank.or_else(|| is_alias().then_some(alias)) {
            self.leave(rank, place);
        }
    }

    fn inside(&mut self, around: Enclosing, owner: &str) -> Enclosing {
        let simple = owner.rsplit([':', '.']).next().unwrap_or(owner);
        let is_owner = |wanted: &&String| is_called(wanted, owner) || is_called(wanted, simple);
        let is_last = around.found + 1 >= self.wanted.len();
        match self.wanted.get(around.found).filter(is_owner) {
            Some(_) if !is_last => {
                self.most = self.most.max(around.found + 1);
                Enclosing { found: around.found + 1, depth: around.depth + 1 }
            }
            _ => around,
        }
    }

    pub(super) fn leave(&mut self, rank: Rank, place: Range<usize>) {
        self.left(rank, FoundDefinition { place, is_open: false });
    }

    pub(super) fn leave_open(&mut self, rank: Rank, place: Range<usize>) {
        self.left(rank, FoundDefinition { place, is_open: true });
    }

    pub(super) fn doubt(&mut self, doubts: Vec<usize>, lost: Option<usize>) {
        (self.doubts, self.lost) = (doubts, lost);
    }

    fn left(&mut self, rank: Rank, found: FoundDefinition) {
        if let Some(listed) = &mut self.listed {
            listed[rank.number].place = Some(found.place);
            return;
        }
        if self.near.is_some() || self.best.is_some_and(|best| rank < best) {
            return;
        }
        if self.best.is_none_or(|best| rank > best) {
            self.best = Some(rank);
            self.count = 0;
            self.places.clear();
        }
        self.count += 1;
        let at = self.places.partition_point(|other| other.place.start <= found.place.start);
        let most = self.number.unwrap_or_default().max(AMBIGUOUS_LINES);
        if at < most {
            self.places.insert(at, found);
            self.places.truncate(most);
        }
    }

    pub(super) fn finish(mut self) -> NameOutcome {
        let wanted = self.number.unwrap_or(1);
        let is_one = if self.number.is_some() { wanted <= self.places.len() } else { self.count == 1 };
        if is_one {
            self.places.truncate(wanted);
        }
        match (is_one, self.places.pop()) {
            (true, Some(FoundDefinition { place, is_open })) => {
                let lost = self.lost.filter(|lost| place.contains(lost));
                let doubt = self.doubts.iter().copied().find(|doubt| place.contains(doubt));
                match lost {
                    Some(lost) => NameOutcome::Open(place, lost),
                    None if is_open => NameOutcome::Open(place.clone(), doubt.unwrap_or(place.start)),
                    None => NameOutcome::Found(place, doubt),
                }
            }
            (false, Some(last)) => {
                self.places.push(last);
                NameOutcome::Several(self.count, self.places.into_iter().map(|found| found.place).collect())
            }
            (_, None) => match self.lost {
                Some(lost) => NameOutcome::Lost(lost),
                None => NameOutcome::Missing(self.most.min(self.wanted.len().saturating_sub(1))),
            },
        }
    }

    pub(super) fn near(self) -> Vec<String> {
        let mut near = self.near.map_or_else(Vec::new, |(near, _)| near.finish());
        near.dedup();
        near
    }
}

/// Whether a name is wanted, but for white space and a final `()`.
fn is_called(wanted: &str, name: &str) -> bool {
    let mut words = name.split_ascii_whitespace();
    let plain = wanted.strip_suffix("()").filter(|plain| !plain.is_empty());
    wanted.split_ascii_whitespace().all(|word| words.next() == Some(word)) && words.next().is_none()
        || plain == Some(name)
}

pub(super) fn spaced(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, adds: bool) -> DefinedName {
        DefinedName { names: vec![name.to_owned()], adds, of: None }
    }

    /// The result of a path in a text of definitions with their depth.
    fn look(wanted: &[&str], text: &[(usize, &str, bool)]) -> NameOutcome {
        let wanted: Vec<_> = wanted.iter().map(|name| (*name).to_owned()).collect();
        let mut names = NameSearch::new(&wanted);
        let mut around = vec![Enclosing::default()];
        for (at, (depth, name, adds)) in text.iter().enumerate() {
            around.truncate(depth + 1);
            let (inside, rank) = names.enter(around[*depth], &named(name, *adds));
            around.push(inside);
            if let Some(rank) = rank {
                names.leave(rank, at..at + 1);
            }
        }
        names.finish()
    }

    #[test]
    fn a_list_leads_from_the_outside_to_the_inside() {
        let text = &[
            (0, "A", false),
            (1, "run", false),
            (2, "x", false),
            (0, "B", false),
            (1, "run", false),
            (0, "x", false),
            (0, "B", true),
            (1, "stop", false),
        ];
        for (wanted, expected) in [
            (&["A"][..], NameOutcome::Found(0..1, None)),
            (&["A", "run"], NameOutcome::Found(1..2, None)),
            (&["B", "run"], NameOutcome::Found(4..5, None)),
            (&["run"], NameOutcome::Several(2, vec![1..2, 4..5])),
            (&["x"], NameOutcome::Found(5..6, None)),
            (&["A", "x"], NameOutcome::Found(2..3, None)),
            (&["run", "x"], NameOutcome::Found(2..3, None)),
            (&["B"], NameOutcome::Found(3..4, None)),
            (&["B", "stop"], NameOutcome::Found(7..8, None)),
            (&["C"], NameOutcome::Missing(0)),
            (&["A", "C"], NameOutcome::Missing(1)),
            (&["B", "x"], NameOutcome::Missing(1)),
            (&["A", "run", "x", "y"], NameOutcome::Missing(3)),
            (&["A", "A"], NameOutcome::Missing(1)),
        ] {
            assert_eq!(look(wanted, text), expected, "{wanted:?}");
        }
        assert_eq!(look(&["a", "a"], &[(0, "a", false), (1, "a", false)]), NameOutcome::Found(1..2, None));
    }

    #[test]
    fn names_are_compared_as_they_are_but_for_white_space() {
        for (wanted, name, expected) in [
            ("a", "a", true),
            ("a", "A", false),
            ("a()", "a", true),
            ("()", "", false),
            ("fn  a", "fn a", true),
            ("fn", "fn a", false),
            ("fn a b", "fn a", false),
        ] {
            assert_eq!(is_called(wanted, name), expected, "{wanted} {name}");
        }
    }

    #[test]
    fn names_are_suggested_where_one_is_missing() {
        let wanted = ["Outer".to_owned(), "handel".to_owned()];
        let mut names = NameSearch::suggesting(&wanted, 1);
        let (outer, _) = names.enter(Enclosing::default(), &named("Outer", false));
        names.enter(outer, &named("handle", false));
        names.enter(Enclosing::default(), &named("handler", false));
        assert_eq!(names.near(), ["handle"]);
    }
}
