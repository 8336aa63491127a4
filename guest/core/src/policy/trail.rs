//! Where one is in the namespace, as a policy sees it.

use std::rc::Rc;

use super::{Policy, Ruling};
use crate::text::fold::fold;

/// A directory, with what is said about it and so about everything below it.
#[derive(Debug, Clone, Default)]
pub struct Trail(Rc<Step>);

#[derive(Debug, Clone, Default)]
struct Step {
    /// From the root of the namespace, folded, without a `/` at its ends.
    path: String,
    /// Where in it the path below the grant begins; none outside of every grant.
    grant: Option<usize>,
    ruling: Ruling,
    /// One bit for each list of allowed paths that names it, or something above it.
    allowed: u64,
}

impl Trail {
    /// A directory in this one.
    #[must_use]
    pub fn below(&self, policy: &Policy, name: &str) -> Self {
        let folded = fold(name);
        let (ruling, allowed) = policy.rules.judge(self, &folded, true);
        let path = self.path_of(&folded);
        Self(Rc::new(Step { path, grant: self.0.grant, ruling, allowed }))
    }

    /// The same directory as the root of a grant.
    #[must_use]
    pub fn at_grant(&self) -> Self {
        let path = self.0.path.clone();
        let begin = if path.is_empty() { 0 } else { path.len() + 1 };
        Self(Rc::new(Step { grant: Some(begin), path, ..*self.0 }))
    }

    /// What is said about a name in it.
    pub fn ruling(&self, policy: &Policy, name: &str, is_directory: bool) -> Ruling {
        if policy.rules.is_empty() {
            return self.0.ruling;
        }
        policy.rules.judge(self, &fold(name), is_directory).0
    }

    /// What is said about the directory itself.
    pub fn own(&self) -> Ruling {
        self.0.ruling
    }

    pub(super) fn path(&self) -> &str {
        &self.0.path
    }

    /// The path below the grant; none outside of every grant.
    pub(super) fn in_grant(&self) -> Option<&str> {
        self.0.grant.map(|begin| self.0.path.get(begin..).unwrap_or_default())
    }

    pub(super) fn allowed(&self) -> u64 {
        self.0.allowed
    }

    /// The path of a folded name in it, from the root of the namespace.
    pub(super) fn path_of(&self, folded: &str) -> String {
        if self.0.path.is_empty() { folded.to_owned() } else { format!("{}/{folded}", self.0.path) }
    }

    /// How much of such a path lies above the grant.
    pub(super) fn above_grant(&self) -> Option<usize> {
        self.0.grant
    }
}
