//! A directory's position in the policy.

use std::rc::Rc;

use super::grants::{GrantPath, Grants};
use super::{PathState, Policy, RuleId, Ruling};
use fsgate_contract::id::is_temporary;

/// A directory's position in the policy.
#[derive(Clone)]
pub struct PolicyPosition {
    /// All its names, the call's first. A rule about one holds for all.
    names: Vec<GrantPath>,
    grants: Rc<Grants>,
}

impl PolicyPosition {
    /// The position at a path from the namespace's root.
    pub fn new<'n>(policy: &Policy, grants: &Rc<Grants>, names: impl IntoIterator<Item = &'n str>) -> Self {
        Self { names: grants.walk(policy, names), grants: grants.clone() }
    }

    /// The position of a name in it.
    #[must_use]
    pub fn below(&self, policy: &Policy, name: &str) -> Self {
        Self { names: self.grants.below(policy, &self.names, name), grants: self.grants.clone() }
    }

    /// The ruling for a name in it. A rule of its own hides temporary names.
    pub fn ruling(&self, policy: &Policy, name: &str, is_directory: bool) -> Ruling {
        let hidden = policy.unfinished().filter(|_| is_temporary(name));
        let rulings = self.trails().map(|trail| trail.ruling(policy, name, is_directory));
        rulings.fold(Ruling { hidden, ..Ruling::default() }, Ruling::and)
    }

    /// The ruling for itself.
    pub fn own(&self) -> Ruling {
        self.trails().map(PathState::own).fold(Ruling::default(), Ruling::and)
    }

    /// The rule that leads through a name.
    pub fn passage(&self, policy: &Policy, name: &str) -> Option<RuleId> {
        self.trails().find_map(|trail| policy.passage(trail, name))
    }

    /// The same for rules with the name in them.
    pub fn named_passage(&self, policy: &Policy, name: &str) -> Option<RuleId> {
        self.trails().find_map(|trail| policy.named_passage(trail, name))
    }

    /// The states under each name.
    pub fn trails(&self) -> impl Iterator<Item = &PathState> {
        self.names.iter().map(|named| &named.trail)
    }
}
