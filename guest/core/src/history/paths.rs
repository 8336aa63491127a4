//! From a record to the paths of now.

use std::rc::Rc;

use crate::error::Failure;
use crate::guard::Guard;
use crate::journal::record::{Action, Location, Record};
use crate::namespace::Namespace;
use crate::path::absolute;
use crate::policy::RuleId;
use crate::volume::{Access, Volume};

use super::entries::broken;

/// The granted directories, by who they are.
pub(crate) struct Paths {
    grants: Vec<Granted>,
    guard: Rc<Guard>,
}

struct Granted {
    identity: u128,
    names: Vec<String>,
}

impl Paths {
    /// Looks who the granted directories are; those that are granted for writing come first.
    pub(crate) fn new<V: Volume>(namespace: &Namespace<V>) -> Result<Self, Failure> {
        let mut grants = Vec::new();
        for wanted in [Access::Write, Access::Read] {
            for held in namespace.all_held().filter(|held| held.access == wanted) {
                let identity = held.volume.directory_identity(&held.root).map_err(broken)?;
                grants.push(Granted { identity, names: namespace.names(held.node) });
            }
        }
        Ok(Self { grants, guard: namespace.shared_guard() })
    }

    /// The path of a location; none if it lies in no directory that is granted now, or the policy hides it.
    pub(crate) fn path(&self, at: &Location) -> Option<String> {
        self.granted(at).filter(|path| self.hidden_by(path).is_none())
    }

    /// The rule that hides a location.
    pub(crate) fn hides(&self, at: &Location) -> Option<String> {
        self.hidden_by(&self.granted(at)?).map(|rule| self.guard.rule(rule))
    }

    /// True for a record of which nothing is told.
    pub(crate) fn is_hidden(&self, record: &Record) -> bool {
        let about = paths_of(&record.action);
        !about.is_empty() && about.into_iter().all(|at| self.hides(at).is_some())
    }

    /// True if what is at a location may be read now.
    pub(crate) fn is_open(&self, at: &Location) -> bool {
        self.granted(at)
            .is_some_and(|path| self.guard.closes(path.split('/').filter(|name| !name.is_empty())).is_none())
    }

    fn hidden_by(&self, path: &str) -> Option<RuleId> {
        self.guard.hides(path.split('/').filter(|name| !name.is_empty()))
    }

    fn granted(&self, at: &Location) -> Option<String> {
        let below = at.above.iter().chain(&at.below).chain([&at.name]).map(String::as_str);
        if let Some(grant) = self.grants.iter().find(|grant| grant.identity == at.root.0) {
            return Some(absolute(grant.names.iter().map(String::as_str).chain(below)));
        }
        let names: Vec<_> = at.grant.split('/').filter(|name| !name.is_empty()).chain(below).collect();
        let lies_in = |grant: &Granted| {
            grant.names.len() < names.len() && grant.names.iter().zip(&names).all(|(one, other)| one == other)
        };
        self.grants.iter().any(lies_in).then(|| absolute(names.iter().copied()))
    }

    /// The paths that a record is about, as far as they are granted.
    pub(crate) fn of(&self, record: &Record) -> Vec<String> {
        paths_of(&record.action).into_iter().filter_map(|at| self.path(at)).collect()
    }
    /// The directories that were made for a record's change.
    pub(crate) fn made_for(&self, record: &Record) -> Vec<String> {
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

/// Where a record's change was made.
pub(crate) fn paths_of(action: &Action) -> Vec<&Location> {
    match action {
        Action::Splice(splice) => vec![&splice.at],
        Action::Create(create) => vec![&create.at],
        Action::Remove(remove) => vec![&remove.at],
        Action::Move(moved) => vec![&moved.from, &moved.to],
        Action::Group | Action::Checkpoint { .. } => Vec::new(),
    }
}

/// True for a path, and for everything below it.
pub(crate) fn is_below(path: &str, above: &str) -> bool {
    match path.strip_prefix(above) {
        Some(rest) => rest.is_empty() || rest.starts_with('/') || above.ends_with('/'),
        None => false,
    }
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
}
