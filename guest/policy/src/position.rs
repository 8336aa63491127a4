//! A directory, as the policy sees it.

use std::rc::Rc;

use super::grants::{GrantPath, Grants};
use super::{PathState, Policy, RuleId, Ruling};

/// A directory, as the policy sees it.
#[derive(Clone)]
pub struct PolicyPosition {
    /// All its names, first the one of the call. A rule about one of them is about the directory.
    names: Vec<GrantPath>,
    grants: Rc<Grants>,
}

impl PolicyPosition {
    /// The directory at a path from the root of the namespace.
    pub fn new<'n>(policy: &Policy, grants: &Rc<Grants>, names: impl IntoIterator<Item = &'n str>) -> Self {
        Self { names: grants.walk(policy, names), grants: grants.clone() }
    }

    /// The directory of a name in it.
    #[must_use]
    pub fn below(&self, policy: &Policy, name: &str) -> Self {
        Self { names: self.grants.below(policy, &self.names, name), grants: self.grants.clone() }
    }

    /// What holds for a name in it.
    pub fn ruling(&self, policy: &Policy, name: &str, is_directory: bool) -> Ruling {
        let rulings = self.trails().map(|trail| trail.ruling(policy, name, is_directory));
        rulings.fold(Ruling::default(), Ruling::and)
    }

    /// What holds for itself.
    pub fn own(&self) -> Ruling {
        self.trails().map(PathState::own).fold(Ruling::default(), Ruling::and)
    }

    /// The rule that leads through a name in it.
    pub fn passage(&self, policy: &Policy, name: &str) -> Option<RuleId> {
        self.trails().find_map(|trail| policy.passage(trail, name))
    }

    /// The same for rules that name the name.
    pub fn named_passage(&self, policy: &Policy, name: &str) -> Option<RuleId> {
        self.trails().find_map(|trail| policy.named_passage(trail, name))
    }

    /// The positions in each of the policy's grants.
    pub fn trails(&self) -> impl Iterator<Item = &PathState> {
        self.names.iter().map(|named| &named.trail)
    }
}
