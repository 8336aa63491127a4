//! Who asks the policy, and about which path.
//!
//! A [`Standpoint`] goes along with every open directory: where it lies, seen from the root of the namespace, and so which
//! rules hold there. What a rule says of a path is asked by whoever holds a standpoint, name by name, as the path is
//! walked; nothing takes a path apart to compare it with rules.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::policy::{Policy, RuleId, Ruling, Trail};
use crate::volume::Fault;

/// The policy of a session, and the places at which its grants hang.
pub struct Guard {
    policy: Policy,
    /// False where nothing is ever asked.
    asks: bool,
    grants: Rc<Below>,
    lifted: Cell<u32>,
    /// Somebody makes what has been asked about, under temporary names.
    making: Cell<bool>,
    /// Rules that have hidden something since somebody wanted to know.
    met: RefCell<BTreeSet<RuleId>>,
}

/// Names in a directory that lead to grants.
#[derive(Default)]
struct Below {
    is_grant: bool,
    names: BTreeMap<String, Rc<Below>>,
}

impl Below {
    fn add(&mut self, names: &[String]) {
        match names.split_first() {
            None => self.is_grant = true,
            Some((first, rest)) => {
                let below = self.names.entry(first.clone()).or_default();
                // Nobody else holds it while the tree is being made.
                if let Some(below) = Rc::get_mut(below) {
                    below.add(rest);
                }
            }
        }
    }
}

/// A directory, as the policy sees it.
#[derive(Clone)]
pub struct Standpoint {
    trail: Trail,
    grants: Option<Rc<Below>>,
}

/// While there is one of these, nothing is asked.
pub struct Lifted<'a>(&'a Guard);

/// While there is one of these, what has a temporary name is under the rules of its directory.
pub struct Making<'a>(&'a Guard);

impl Drop for Making<'_> {
    fn drop(&mut self) {
        self.0.making.set(false);
    }
}

impl Drop for Lifted<'_> {
    fn drop(&mut self) {
        self.0.lifted.set(self.0.lifted.get().saturating_sub(1));
    }
}

impl Default for Guard {
    /// One that asks nothing.
    fn default() -> Self {
        Self {
            policy: Policy::open(),
            asks: false,
            grants: Rc::default(),
            lifted: Cell::new(0),
            making: Cell::new(false),
            met: RefCell::default(),
        }
    }
}

impl Guard {
    /// One that asks this policy about everything in grants of these names.
    pub fn new(policy: Policy, grants: &[Vec<String>]) -> Self {
        let mut all = Below::default();
        grants.iter().for_each(|names| all.add(names));
        Self { policy, asks: true, grants: Rc::new(all), ..Self::default() }
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// What stands at a path; none where nothing is asked.
    pub fn at<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<Standpoint> {
        if !self.asks {
            return None;
        }
        let root = Standpoint { trail: self.policy.start(), grants: Some(self.grants.clone()) };
        Some(names.into_iter().fold(root.settled(), |at, name| at.below(&self.policy, name)))
    }

    /// False while it is lifted.
    pub(crate) fn holds(&self) -> bool {
        self.lifted.get() == 0
    }

    /// Asks nothing as long as the answer lives: for what has been asked about already, and must come to its end.
    pub(crate) fn lift(&self) -> Lifted<'_> {
        self.lifted.set(self.lifted.get() + 1);
        Lifted(self)
    }

    /// Takes temporary names for those of what is being made, as long as the answer lives.
    pub(crate) fn make(&self) -> Making<'_> {
        self.making.set(true);
        Making(self)
    }

    /// True while something is being made.
    pub(crate) fn is_making(&self) -> bool {
        self.making.get()
    }

    /// A rule's name.
    pub(crate) fn rule(&self, rule: RuleId) -> String {
        self.policy.rule(rule).to_owned()
    }

    /// The fault of somebody who asks for what is hidden by a rule. That there is a rule only the host learns.
    pub(crate) fn hidden(&self, rule: RuleId) -> Fault {
        self.hid(rule);
        Fault::NotFound
    }

    /// This rule has hidden something that was asked for by its name.
    pub(crate) fn hid(&self, rule: RuleId) {
        self.met.borrow_mut().insert(rule);
    }

    /// True if anything was hidden while something was done.
    pub(crate) fn hides_in<T>(&self, done: impl FnOnce() -> T) -> (bool, T) {
        let before = self.met.take();
        let answer = done();
        let hid = !self.met.borrow().is_empty();
        self.met.borrow_mut().extend(before);
        (hid, answer)
    }

    /// The names of the rules that have hidden something since this was asked last.
    pub(crate) fn take_hidden(&self) -> Vec<String> {
        self.met.take().into_iter().map(|rule| self.rule(rule)).collect()
    }

    /// The fault of somebody who meets a rule.
    pub(crate) fn denied(&self, rule: RuleId) -> Fault {
        Fault::Denied(self.rule(rule))
    }

    /// The rule that hides a path, or something above it.
    pub(crate) fn hides<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<RuleId> {
        self.says(names, |ruling| ruling.hidden)
    }

    /// The rule against reading a path, or something above it.
    pub(crate) fn closes<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<RuleId> {
        self.says(names, |ruling| ruling.against_reading())
    }

    /// The rule against changing a path, or something above it.
    pub(crate) fn keeps<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<RuleId> {
        self.says(names, |ruling| ruling.against_changing())
    }

    fn says<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
        rule: impl Fn(Ruling) -> Option<RuleId>,
    ) -> Option<RuleId> {
        let mut names = names.into_iter().peekable();
        let mut at = self.at([])?;
        while let Some(name) = names.next() {
            let is_last = names.peek().is_none();
            // Whether the last one is a directory is not known: the rule holds if it were either.
            let found = rule(at.ruling(&self.policy, name, true));
            let found = found.or_else(|| rule(at.ruling(&self.policy, name, !is_last)));
            if found.is_some() {
                return found;
            }
            at = at.below(&self.policy, name);
        }
        None
    }
}

impl Standpoint {
    /// The directory of a name in it.
    #[must_use]
    pub fn below(&self, policy: &Policy, name: &str) -> Self {
        let grants = self.grants.as_ref().and_then(|grants| grants.names.get(name)).cloned();
        Self { trail: self.trail.below(policy, name), grants }.settled()
    }

    /// What holds for a name in it.
    pub fn ruling(&self, policy: &Policy, name: &str, is_directory: bool) -> Ruling {
        self.trail.ruling(policy, name, is_directory)
    }

    /// What holds for itself.
    pub fn own(&self) -> Ruling {
        self.trail.own()
    }

    /// The rule that leads through a name in it.
    pub fn passage(&self, policy: &Policy, name: &str) -> Option<RuleId> {
        policy.passage(&self.trail, name)
    }

    /// The same place as the root of a grant, if one hangs there.
    fn settled(self) -> Self {
        match &self.grants {
            Some(grants) if grants.is_grant => Self { trail: self.trail.at_grant(), ..self },
            _ => self,
        }
    }
}
