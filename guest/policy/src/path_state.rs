//! The state of a policy at a path of the namespace.

use std::rc::Rc;

use super::{Policy, Ruling};
use fsgate_text::fold::fold;

/// A directory with the rulings for it and all below it.
#[derive(Debug, Clone, Default)]
pub struct PathState(Rc<PathStep>);

#[derive(Debug, Clone, Default)]
struct PathStep {
    /// The folded path from the namespace's root, without outer `/`.
    path: String,
    /// The offsets of the paths below each surrounding grant, outermost first.
    grants: Rc<[usize]>,
    /// Other folded machine paths.
    elsewhere: Rc<[String]>,
    ruling: Ruling,
    /// One bit per list of allowed paths that matches it or a parent.
    allowed: u64,
}

impl PathState {
    /// The state of a directory in this one.
    #[must_use]
    pub fn below(&self, policy: &Policy, name: &str) -> Self {
        let folded = fold(name);
        let (ruling, allowed) = policy.rules.judge(self, &folded, true);
        let path = self.path_of(&folded);
        let elsewhere = match &*self.0.elsewhere {
            [] => self.0.elsewhere.clone(),
            paths => paths.iter().map(|path| below(path, &folded)).collect(),
        };
        Self(Rc::new(PathStep { path, grants: self.0.grants.clone(), elsewhere, ruling, allowed }))
    }

    /// The same directory as a grant's root.
    #[must_use]
    pub fn at_grant(&self) -> Self {
        let path = &self.0.path;
        let begin = if path.is_empty() { 0 } else { path.len() + 1 };
        let grants = self.0.grants.iter().copied().chain([begin]).collect();
        Self(Rc::new(PathStep { grants, ..(*self.0).clone() }))
    }

    #[must_use]
    pub(crate) fn lying_at(&self, paths: &[String]) -> Self {
        let is_new = |path: &&String| !self.0.elsewhere.contains(path);
        let mut new = paths.iter().filter(is_new).peekable();
        if new.peek().is_none() {
            return self.clone();
        }
        let elsewhere = self.0.elsewhere.iter().chain(new).cloned().collect();
        Self(Rc::new(PathStep { elsewhere, ..(*self.0).clone() }))
    }

    /// The ruling for a name in it.
    pub fn ruling(&self, policy: &Policy, name: &str, is_directory: bool) -> Ruling {
        if policy.rules.is_empty() {
            return self.0.ruling;
        }
        policy.rules.judge(self, &fold(name), is_directory).0
    }

    /// The ruling for the directory itself.
    pub fn own(&self) -> Ruling {
        self.0.ruling
    }

    pub(crate) fn is_at(&self, other: &Self) -> bool {
        self.0.path == other.0.path && self.0.grants == other.0.grants
    }

    /// The folded path from the namespace's root.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        [&*self.0.path].into_iter().chain(self.0.elsewhere.iter().map(String::as_str))
    }

    pub(super) fn paths_of(&self, folded: &str) -> Vec<String> {
        self.paths().map(|path| below(path, folded)).collect()
    }

    pub(super) fn is_in_grant(&self) -> bool {
        !self.0.grants.is_empty()
    }

    pub(super) fn in_grants(&self) -> impl Iterator<Item = &str> {
        self.0.grants.iter().map(|begin| self.0.path.get(*begin..).unwrap_or_default())
    }

    pub(super) fn allowed(&self) -> u64 {
        self.0.allowed
    }

    pub(super) fn path_of(&self, folded: &str) -> String {
        below(&self.0.path, folded)
    }

    pub(super) fn above_grants(&self) -> &[usize] {
        &self.0.grants
    }
}

fn below(path: &str, folded: &str) -> String {
    if path.is_empty() { folded.to_owned() } else { format!("{path}/{folded}") }
}
