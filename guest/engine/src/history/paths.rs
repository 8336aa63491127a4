//! The present paths of records.

use std::collections::BTreeMap;
use std::iter;
use std::rc::Rc;

use fsgate_error::Failure;
use fsgate_journal::RootMap;
use fsgate_journal::namespace::{Namespace, StateId};
use fsgate_journal::record::{Action, Location, Record, Root};
use fsgate_policy::RuleId;
use fsgate_volume::policy_guard::PolicyGuard;
use fsgate_volume::{Access, Volume};

use super::entries::broken;

pub(crate) struct Paths<'n, V: Volume> {
    roots: RootMap<'n, V>,
    guard: Rc<PolicyGuard>,
}

impl<'n, V: Volume> Paths<'n, V> {
    pub(crate) fn new(namespace: &'n Namespace<V>) -> Result<Self, Failure> {
        Ok(Self { roots: RootMap::new(namespace).map_err(broken)?, guard: namespace.shared_guard() })
    }

    /// The path of a recorded place; none if it is hidden or outside the grants.
    pub(crate) fn path(&self, at: &Location) -> Option<String> {
        self.granted(at).filter(|path| self.hidden_by(path).is_none())
    }

    pub(crate) fn hides(&self, at: &Location) -> Option<String> {
        self.hidden_by(&self.granted(at)?).map(|rule| self.guard.rule(rule))
    }

    /// True for a record that does not exist for the session: all its paths are hidden or outside
    /// the grants.
    pub(crate) fn is_absent(&self, record: &Record) -> bool {
        if let Action::Checkpoint { roots, .. } = &record.action {
            return !roots.iter().any(|root| self.holds(root));
        }
        if record.action == Action::Remark {
            return true;
        }
        let about = record.action.locations();
        !about.is_empty() && about.into_iter().all(|at| self.path(at).is_none())
    }

    /// True for a record with a path outside the grants.
    pub(crate) fn is_outside(&self, record: &Record) -> bool {
        record.action.locations().into_iter().any(|at| self.granted(at).is_none())
    }

    /// True if a record is older than a granted directory that it is about.
    pub(super) fn is_older(&self, record: &Record) -> bool {
        let time = record.id.time();
        record.action.locations().into_iter().any(|at| self.roots.is_before_birth(at, time))
    }

    /// True if a directory that an earlier session was granted is a present grant or inside one.
    pub(super) fn holds(&self, root: &Root) -> bool {
        self.roots.holds(root, None) == Ok(true)
    }

    /// True for a record with a path in a grant for writing.
    pub(crate) fn is_in_reach(&self, record: &Record) -> bool {
        record.action.locations().into_iter().any(|at| self.found(at, Some(Access::Write)).is_some())
    }

    /// True for a record whose paths are all granted for writing and not protected by the policy.
    pub(crate) fn is_ours(&self, record: &Record) -> bool {
        if let Action::Checkpoint { roots, .. } = &record.action {
            let is_ours = |root| self.roots.holds(root, Some(Access::Write)) == Ok(true);
            return !roots.is_empty() && roots.iter().all(is_ours);
        }
        record.action.locations().into_iter().all(|at| {
            let path = self.found(at, Some(Access::Write));
            path.is_some_and(|path| self.guard.keeps(names(&path)).is_none())
        })
    }

    pub(crate) fn is_open(&self, at: &Location) -> bool {
        self.granted(at).is_some_and(|path| self.guard.closes(names(&path)).is_none())
    }

    pub(super) fn closed_by(&self, path: &str) -> Option<String> {
        self.guard.closes(names(path)).map(|rule| self.guard.rule(rule))
    }

    fn hidden_by(&self, path: &str) -> Option<RuleId> {
        self.guard.hides(names(path))
    }

    /// The path in the grants, even if it is hidden. For internal use only.
    pub(super) fn granted(&self, at: &Location) -> Option<String> {
        self.found(at, None)
    }

    /// A place that cannot be looked at counts as outside.
    fn found(&self, at: &Location, access: Option<Access>) -> Option<String> {
        self.roots.find(at, access).ok().flatten().map(|mapped| mapped.path_of(at))
    }

    pub(crate) fn of(&self, record: &Record) -> Vec<String> {
        record.action.locations().into_iter().filter_map(|at| self.path(at)).collect()
    }

    pub(crate) fn touched(&self, record: &Record) -> Vec<String> {
        let mut paths = self.of(record);
        paths.extend(self.made_for(record));
        paths
    }

    pub(crate) fn is_about(&self, record: &Record, wanted: impl Fn(&str) -> bool) -> bool {
        record.action.locations().into_iter().any(|at| self.is_named(at, &wanted))
    }

    /// True if a recorded place has a wanted path under any name of its grant.
    pub(crate) fn is_named(&self, at: &Location, wanted: impl Fn(&str) -> bool) -> bool {
        let roots = self.roots.find_all(at).unwrap_or_default();
        let mut paths = roots.iter().map(|mapped| mapped.path_of(at));
        paths.any(|path| wanted(&path) && self.hidden_by(&path).is_none())
    }

    pub(super) fn state(&self, at: &Location) -> Option<StateId> {
        self.roots.state(at)
    }

    fn made_for(&self, record: &Record) -> Vec<String> {
        let (at, made) = match &record.action {
            Action::Create(create) => (&create.at, create.made),
            Action::Move(moved) => (&moved.to, moved.made),
            _ => return Vec::new(),
        };
        let first = at.below.len().saturating_sub(made as usize);
        (first..at.below.len())
            .filter_map(|number| {
                let (below, name) = (at.below[..number].to_vec(), at.below[number].clone());
                self.path(&Location { below, name, ..at.clone() })
            })
            .collect()
    }
}

fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !name.is_empty())
}

pub(crate) fn is_below(path: &str, above: &str) -> bool {
    match path.strip_prefix(above) {
        Some(rest) => rest.is_empty() || rest.starts_with('/') || above.ends_with('/'),
        None => false,
    }
}

/// The values of a path, of all paths above it and of all below it.
pub(super) fn near<'a, T>(known: &'a BTreeMap<String, T>, path: &'a str) -> impl Iterator<Item = &'a T> {
    let below = format!("{path}/");
    let above = iter::successors(Some(path), |path| path.rsplit_once('/').map(|(above, _)| above));
    let from = known.range(below.clone()..).take_while(move |(path, _)| path.starts_with(&below));
    above.filter_map(|path| known.get(path)).chain(from.map(|(_, value)| value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_is_told_by_segments() {
        for (path, above, expected) in
            [("/w/a", "/w/a", true), ("/w/a/b", "/w/a", true), ("/w/ab", "/w/a", false), ("/w/a", "/", true)]
        {
            assert_eq!(is_below(path, above), expected, "{path} {above}");
        }
    }

    #[test]
    fn paths_touch_those_above_and_below_them() {
        let paths = BTreeMap::from(["/w/a/b", "/w/a.txt"].map(|path| (path.to_owned(), ())));
        for (path, expected) in [
            ("/w/a/b", true),
            ("/w/a/b/c", true),
            ("/w/a", true),
            ("/w", true),
            ("/w/a/bc", false),
            ("/w/a/c", false),
            ("/w/a.t", false),
            ("/v", false),
        ] {
            assert_eq!(near(&paths, path).next().is_some(), expected, "{path}");
        }
    }
}
