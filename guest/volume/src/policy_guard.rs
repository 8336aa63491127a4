//! The policy's rulings about paths.
//!
//! A [`PolicyPosition`] accompanies every open directory. A walk asks it name by name; no code
//! compares whole paths with rules.

pub mod volume;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use blake3::Hasher;

use crate::Fault;
use fsgate_contract::path::{absolute, grant_name};
use fsgate_policy::{Grants, MachinePaths, Policy, PolicyPosition, RuleId, Ruling};

/// A session's policy, with the places of its grants.
#[derive(Default)]
pub struct PolicyGuard {
    policy: Rc<Policy>,
    /// False without a policy.
    asks: bool,
    grants: Rc<Grants>,
    /// The grants' known paths on the machine.
    places: MachinePaths,
    /// The names by which rules find granted directories.
    names: String,
    lifted: Cell<u32>,
    /// A part of a file is being read.
    in_part: Cell<u32>,
    /// An allowed change uses temporary names.
    making: Cell<u32>,
    /// Rules that have hidden something since the last query.
    met: RefCell<BTreeSet<RuleId>>,
}

/// An exception that ends when this is dropped.
pub struct PolicyException<'a>(&'a Cell<u32>);

impl<'a> PolicyException<'a> {
    fn new(count: &'a Cell<u32>) -> Self {
        count.set(count.get() + 1);
        Self(count)
    }
}

impl Drop for PolicyException<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

impl PolicyGuard {
    /// A guard for grants of these names. Each group names one directory.
    pub fn new(policy: impl Into<Rc<Policy>>, grants: &[Vec<String>], groups: &[Vec<Vec<String>>]) -> Self {
        Self::over(policy, grants, groups, &MachinePaths::new())
    }

    /// The same, with machine paths.
    pub fn over(
        policy: impl Into<Rc<Policy>>,
        grants: &[Vec<String>],
        groups: &[Vec<Vec<String>>],
        paths: &MachinePaths,
    ) -> Self {
        let policy = policy.into();
        let sorted = |names: &[Vec<String>]| names.iter().cloned().collect::<BTreeSet<_>>();
        let sorted_groups: BTreeSet<_> = groups.iter().map(|group| sorted(group)).collect();
        let places: BTreeMap<&String, BTreeSet<&String>> =
            paths.iter().map(|(name, places)| (name, places.iter().collect())).collect();
        // Quoted, so different names have different forms.
        let names = format!("{:?}", (sorted(grants), sorted_groups, places));
        let grants = Rc::new(Grants::new(&policy, grants, groups, paths));
        Self { policy, asks: true, grants, places: paths.clone(), names, ..Self::default() }
    }

    /// The known machine paths of a granted directory.
    pub fn places(&self, grant: &str) -> BTreeSet<String> {
        let names = grant_name(grant);
        let known = self.places.iter().filter_map(|(name, places)| {
            let above = grant_name(name);
            Some((places, names.strip_prefix(&above[..])?.to_vec()))
        });
        let Some((places, below)) = known.min_by_key(|(_, below)| below.len()) else {
            return BTreeSet::new();
        };
        places
            .iter()
            .map(|place| absolute(grant_name(place).iter().chain(&below).map(String::as_str)))
            .collect()
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The digest of rules against reading and of their names for directories. Guards with equal
    /// digests deny the same files.
    pub fn reading_digest(&self) -> [u8; 32] {
        let mut hasher = Hasher::new();
        let rules = self.policy.reading();
        for rule in rules.rules() {
            hasher.update(&(rule.len() as u64).to_le_bytes()).update(rule.as_bytes());
        }
        if !rules.is_empty() {
            hasher.update(self.names.as_bytes());
        }
        *hasher.finalize().as_bytes()
    }

    /// A path's position in the policy, if any.
    pub fn at<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<PolicyPosition> {
        if !self.asks {
            return None;
        }
        Some(PolicyPosition::new(&self.policy, &self.grants, names))
    }

    pub(crate) fn holds(&self) -> bool {
        self.lifted.get() == 0
    }

    pub(crate) fn is_in_part(&self) -> bool {
        self.in_part.get() > 0
    }

    /// Lifts the size limit for reading while the answer lives: it is for whole files.
    pub fn part(&self) -> PolicyException<'_> {
        PolicyException::new(&self.in_part)
    }

    /// Suspends the policy while the answer lives, to complete an allowed change.
    pub fn lift(&self) -> PolicyException<'_> {
        PolicyException::new(&self.lifted)
    }

    /// Accepts temporary names while the answer lives.
    pub fn make(&self) -> PolicyException<'_> {
        PolicyException::new(&self.making)
    }

    pub(crate) fn is_making(&self) -> bool {
        self.making.get() > 0
    }

    /// The name of a rule.
    pub fn rule(&self, rule: RuleId) -> String {
        self.policy.rule(rule).to_owned()
    }

    /// The fault for a hidden name. Only the host learns the rule.
    pub(crate) fn hidden(&self, rule: RuleId) -> Fault {
        self.hid(rule);
        Fault::NotFound
    }

    /// Notes that a rule has hidden a requested name.
    pub fn hid(&self, rule: RuleId) {
        self.met.borrow_mut().insert(rule);
    }

    /// Runs a function. The answer begins with true if a rule has hidden something meanwhile.
    pub fn hides_in<T>(&self, done: impl FnOnce() -> T) -> (bool, T) {
        let before = self.met.take();
        let answer = done();
        let hid = !self.met.borrow().is_empty();
        self.met.borrow_mut().extend(before);
        (hid, answer)
    }

    /// The rules that have hidden something since the last call.
    pub fn take_hidden(&self) -> Vec<String> {
        self.met.take().into_iter().map(|rule| self.rule(rule)).collect()
    }

    /// The fault for a rule.
    pub fn denied(&self, rule: RuleId) -> Fault {
        Fault::Denied(self.rule(rule))
    }

    /// The rule that hides a path or its parent directories.
    pub fn hides<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<RuleId> {
        self.says(names, |ruling| ruling.hidden)
    }

    /// The rule against reading a path or its parents.
    pub fn closes<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<RuleId> {
        self.says(names, |ruling| ruling.against_reading())
    }

    /// The rule against changing a path or its parents.
    pub fn keeps<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<RuleId> {
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
            // The last name may be a directory, so either ruling counts.
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

#[cfg(test)]
mod tests {
    use super::*;
    use fsgate_policy::Documents;
    use fsgate_policy::PathState;

    fn names(path: &str) -> Vec<String> {
        path.split('/').map(str::to_owned).collect()
    }

    #[test]
    fn a_directory_of_several_names_is_under_what_the_rules_say_of_each() {
        let policy = r#"{"profile": "open", "rules": [{
            "name": "r", "paths": ["**/.aws/credentials"], "regex": ["/home/w/secrets/.*"], "effect": "denied"
        }]}"#;
        let grants =
            ["real/aws", "home/.aws", "real/w", "home/w", "home/w/in", "real/w/in", "third"].map(names);
        let groups = |several: bool| -> Vec<Vec<Vec<String>>> {
            let all =
                [&["real/aws", "home/.aws", "third"][..], &["real/w", "home/w"], &["real/w/in", "home/w/in"]];
            all.iter().filter(|_| several).map(|group| group.iter().copied().map(names).collect()).collect()
        };
        for (path, by_one, by_all) in [
            ("home/.aws/credentials", true, true),
            ("real/aws/credentials", false, true),
            ("third/credentials", false, true),
            ("third/other", false, false),
            ("home/w/secrets/x", true, true),
            ("real/w/secrets/x", false, true),
            ("real/w/in/x", false, false),
            ("real/w/other/x", false, false),
        ] {
            for (several, expected) in [(false, by_one), (true, by_all)] {
                let policy = Policy::compile(&Documents::parse(policy).unwrap()).unwrap();
                let guard = PolicyGuard::new(policy, &grants, &groups(several));
                let closed = guard.closes(path.split('/')).is_some();
                assert_eq!(closed, expected, "{path}, {several}");
                // A link of that name would lead to a denied file.
                let at = guard.at(["real", "w"]).unwrap();
                let leads = |name| at.passage(guard.policy(), name).is_some();
                assert_eq!((leads("secrets"), leads("other")), (several, false));
            }
        }
    }

    #[test]
    fn a_grant_hangs_in_a_directory_of_several_names_by_all_of_them() {
        let policy = r#"{"profile": "open", "rules": [{
            "name": "r", "paths": ["./b", "./deep/c"], "effect": "denied"
        }]}"#;
        let grants = ["w/link", "w/real", "w/real/a", "third", "w/link/x/y", "fourth"].map(names);
        let groups = [&["w/link", "w/real"][..], &["w/real/a", "third"], &["w/link/x/y", "fourth"]];
        let groups = groups.map(|group| group.iter().copied().map(names).collect());
        let guard =
            PolicyGuard::new(Policy::compile(&Documents::parse(policy).unwrap()).unwrap(), &grants, &groups);
        for (path, expected) in [
            ("w/real/a/b", true),
            ("w/link/a/b", true),
            ("third/b", true),
            ("w/link/a/deep/c", true),
            ("w/link/deep/c", true),
            ("w/real/x/y/b", true),
            ("w/real/x/b", false),
            ("w/link/x/deep/b", false),
            ("fourth/b", true),
        ] {
            assert_eq!(guard.closes(path.split('/')).is_some(), expected, "{path}");
        }
        for (path, expected) in
            [("third", ["third", "w/link/a", "w/real/a"]), ("fourth", ["fourth", "w/link/x/y", "w/real/x/y"])]
        {
            let at = guard.at(path.split('/')).unwrap();
            let mut known: Vec<_> = at.trails().map(PathState::path).collect();
            assert_eq!(known.first(), Some(&path));
            known.sort_unstable();
            assert_eq!(known, expected, "{path}");
        }
    }

    #[test]
    fn the_order_of_grants_says_nothing_about_their_names() {
        let policy =
            r#"{"profile": "open", "rules": [{"name": "r", "regex": ["/z/b/c/f"], "effect": "denied"}]}"#;
        // Each directory is inside the one before it, and the last name of the first one leads to
        // the rule.
        let mut groups = [&["x", "z"][..], &["a/b", "x/b"], &["a/b/c", "deep"], &["deep/d", "deeper"]]
            .map(|group| group.iter().copied().map(names).collect::<Vec<_>>());
        for _ in 0..2 {
            let grants = groups.concat();
            let policy = Policy::compile(&Documents::parse(policy).unwrap()).unwrap();
            let guard = PolicyGuard::new(policy, &grants, &groups);
            for path in ["z/b/c/f", "x/b/c/f", "a/b/c/f", "deep/f"] {
                assert!(guard.closes(path.split('/')).is_some(), "{path}");
            }
            let of = |path: &str| guard.at(path.split('/')).unwrap().trails().count();
            assert_eq!(["a/b", "deep", "deeper", "z"].map(of), [3, 4, 5, 2]);
            groups.reverse();
        }
    }

    fn machine(paths: &[(&str, &[&str])]) -> MachinePaths {
        let owned = |(name, paths): &(&str, &[&str])| {
            ((*name).to_owned(), paths.iter().map(|path| (*path).to_owned()).collect())
        };
        paths.iter().map(owned).collect()
    }

    #[test]
    fn a_directory_in_another_one_is_known_by_both_names() {
        let policy = r#"{"profile": "open", "rules": [
            {"name": "r", "paths": ["./secret", "in/y"], "regex": ["/n/x"], "effect": "denied"},
            {"name": "u", "paths": ["key", "cert"], "unless": ["./key", "/w/in/cert", "/n/cert"], "effect": "denied"}
        ]}"#;
        let paths = [
            ("/w", &["/m/w"][..]),
            ("/n", &["/m/w/in", "/link"]),
            ("/m/w/in/a", &["/m/w/in/a"]),
            ("/beside", &["/m/wide"]),
        ];
        let grants = ["w", "n", "m/w/in/a", "beside"].map(names);
        let policy = Policy::compile(&Documents::parse(policy).unwrap()).unwrap();
        let guard = PolicyGuard::over(policy, &grants, &[], &machine(&paths));
        for (path, expected) in [
            ("w/secret", true),
            ("n/secret", true),
            ("w/in/secret", true),
            ("w/other/secret", false),
            // The third is inside both others, and a root by each of its names.
            ("m/w/in/a/secret", true),
            ("n/a/secret", true),
            ("w/in/a/secret", true),
            ("w/in/b/secret", false),
            ("n/x", true),
            ("w/in/x", true),
            ("w/x", false),
            ("n/y", true),
            ("w/in/y", true),
            ("w/y", false),
            // A rule with a relative pattern allows by either root; one with an absolute pattern
            // does not.
            ("n/key", false),
            ("w/in/key", false),
            ("w/in/b/key", true),
            ("n/cert", false),
            ("w/in/cert", false),
            ("w/cert", true),
            ("beside/y", false),
        ] {
            assert_eq!(guard.closes(path.split('/')).is_some(), expected, "{path}");
        }
    }

    #[test]
    fn a_rule_that_begins_anywhere_begins_above_a_grant_whatever_that_is_called() {
        let policy = r#"{"rules": [{
            "name": "r", "paths": ["**/me/*/z", "**/a/link/b"], "unless": ["**/.aws/cli/cache"], "effect": "denied"
        }]}"#;
        let paths = [("/n", &["/home/Me/.aws", "/a/LINK"][..]), ("/me", &["/other"])];
        let grants = ["n", "me"].map(names);
        let policy = || Policy::compile(&Documents::parse(policy).unwrap()).unwrap();
        let known = PolicyGuard::over(policy(), &grants, &[], &machine(&paths));
        let unknown = PolicyGuard::new(policy(), &grants, &[]);
        for (path, by_its_name, by_all) in [
            ("n/credentials", false, true),
            ("n/sso/x", false, true),
            ("n/cli/cache/x", false, true),
            ("n/other", false, false),
            ("n/z", false, true),
            ("n/b", false, true),
            ("n/b/c", false, true),
            ("n/c/b", false, false),
            ("me/x/z", true, true),
            ("me/z", false, false),
        ] {
            for (guard, expected) in [(&unknown, by_its_name), (&known, by_all)] {
                assert_eq!(guard.closes(path.split('/')).is_some(), expected, "{path}");
            }
        }
        let usual = Policy::compile(&Documents::default()).unwrap();
        let known = PolicyGuard::over(usual, &grants, &[], &machine(&paths));
        let at = known.at(["n"]).unwrap();
        let leads = |name| at.passage(known.policy(), name).is_some();
        // A link of that name would lead to an object of the rule.
        assert_eq!((leads("cli"), leads("other")), (true, false));
    }

    /// One name for the rules can be two names below a directory.
    #[test]
    fn two_spellings_of_a_name_are_two_names() {
        let policy = r#"{"profile": "open", "rules": [{
            "name": "r", "paths": ["./in/secret", "./only"], "regex": ["/third/secret"], "effect": "denied"
        }]}"#;
        for (one, other) in [("w", "W"), ("w", "w."), ("w", "w "), ("\u{e4}", "a\u{308}"), ("w", "v")] {
            for (first, second) in [(one, other), (other, one)] {
                let inner = format!("{first}/in");
                let grants = [first, second, &inner, "third"].map(names);
                let groups = [&[first, second][..], &[&*inner, "third"]]
                    .map(|group| group.iter().copied().map(names).collect());
                let policy = Policy::compile(&Documents::parse(policy).unwrap()).unwrap();
                let guard = PolicyGuard::new(policy, &grants, &groups);
                for (path, expected) in [
                    (format!("{first}/in/secret"), true),
                    (format!("{second}/in/secret"), true),
                    ("third/secret".to_owned(), true),
                    // As a root of its own.
                    (format!("{first}/in/only"), true),
                    (format!("{second}/in/only"), true),
                    ("third/only".to_owned(), true),
                    (format!("{second}/in/other"), false),
                ] {
                    assert_eq!(guard.closes(path.split('/')).is_some(), expected, "{first:?} {path:?}");
                }
            }
        }
    }
}
