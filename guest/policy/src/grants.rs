//! The tree of grants as rules see it.

use std::collections::BTreeMap;

use crate::{PathState, Policy};
use fsgate_contract::path::grant_name;
use fsgate_text::fold::fold;

/// Machine paths of granted directories by inside names, the canonical one first.
pub type MachinePaths = BTreeMap<String, Vec<String>>;

/// Grants and directories on the way to them, the root first.
pub struct Grants(Vec<GrantNode>);

#[derive(Default)]
struct GrantNode {
    /// Patterns of a grant begin here.
    is_root: bool,
    /// Its folded machine paths other than its inside name.
    elsewhere: Vec<String>,
    names: Vec<GrantPath>,
    below: BTreeMap<String, usize>,
}

#[derive(Clone)]
pub(crate) struct GrantPath {
    pub(crate) trail: PathState,
    /// The node of the tree with this exact name.
    node: Option<usize>,
}

impl GrantPath {
    /// Rules fold names, the tree does not: two spellings may have different grants.
    fn is_same(&self, other: &Self) -> bool {
        self.node == other.node && self.trail.is_at(&other.trail)
    }
}

impl Default for Grants {
    fn default() -> Self {
        Self(vec![GrantNode::default()])
    }
}

impl Grants {
    /// Builds the tree from names grouped by directory, and their machine paths.
    pub fn new(
        policy: &Policy,
        names: &[Vec<String>],
        groups: &[Vec<Vec<String>>],
        paths: &MachinePaths,
    ) -> Self {
        let mut all = Self::default();
        let inner = inner(paths);
        for names in names.iter().chain(inner.iter().flatten()) {
            all.node_mut(names).is_root = true;
        }
        for (name, lies_at) in paths {
            let names = grant_name(name);
            let inside = folded(&names);
            let elsewhere = lies_at.iter().map(|path| folded(&grant_name(path)));
            all.node_mut(&names).elsewhere = elsewhere.filter(|path| *path != inside).collect();
        }
        let groups: Vec<(Vec<_>, Vec<_>)> = joined(groups, inner)
            .into_iter()
            .map(|group| {
                let nodes = group.iter().map(|names| all.at(names)).collect();
                (group, nodes)
            })
            .collect();
        // A parent may have other names too. A way up has at most a step per group.
        for _ in 0..=groups.len() {
            let mut is_new = false;
            for (group, nodes) in &groups {
                let mut known: Vec<GrantPath> = Vec::new();
                for named in group.iter().flat_map(|names| all.walk(policy, names.iter().map(String::as_str)))
                {
                    if !known.iter().any(|known| known.is_same(&named)) {
                        known.push(named);
                    }
                }
                for at in nodes {
                    if let Some(node) = all.0.get_mut(*at) {
                        is_new |= node.names.len() != known.len();
                        node.names.clone_from(&known);
                    }
                }
            }
            if !is_new {
                break;
            }
        }
        all
    }

    /// The node at these names, created if missing.
    fn at(&mut self, names: &[String]) -> usize {
        names.iter().fold(0, |at, name| {
            let new = self.0.len();
            let Some(node) = self.0.get_mut(at) else { return at };
            let found = *node.below.entry(name.clone()).or_insert(new);
            if found == new {
                self.0.push(GrantNode::default());
            }
            found
        })
    }

    fn node_mut(&mut self, names: &[String]) -> &mut GrantNode {
        let at = self.at(names);
        &mut self.0[at]
    }

    fn node(&self, named: &GrantPath) -> Option<&GrantNode> {
        self.0.get(named.node?)
    }

    pub(crate) fn walk<'n>(
        &self,
        policy: &Policy,
        path: impl IntoIterator<Item = &'n str>,
    ) -> Vec<GrantPath> {
        let root = self.settled(vec![GrantPath { trail: policy.start(), node: Some(0) }]);
        path.into_iter().fold(root, |at, name| self.below(policy, &at, name))
    }

    pub(crate) fn below(&self, policy: &Policy, at: &[GrantPath], name: &str) -> Vec<GrantPath> {
        let below = at.iter().map(|named| GrantPath {
            trail: named.trail.below(policy, name),
            node: self.node(named).and_then(|node| node.below.get(name)).copied(),
        });
        self.settled(below.collect())
    }

    fn settled(&self, mut names: Vec<GrantPath>) -> Vec<GrantPath> {
        for named in &mut names {
            if let Some(node) = self.node(named).filter(|node| node.is_root) {
                named.trail = named.trail.at_grant().lying_at(&node.elsewhere);
            }
        }
        for number in 0..names.len() {
            let Some(node) = names.get(number).and_then(|named| self.node(named)) else { continue };
            for other in &node.names {
                if !names.iter().any(|named| named.is_same(other)) {
                    names.push(other.clone());
                }
            }
        }
        names
    }
}

/// Each grant inside another, with its name there.
fn inner(paths: &MachinePaths) -> Vec<[Vec<String>; 2]> {
    let canonical: Vec<_> = paths
        .iter()
        .filter_map(|(name, lies_at)| Some((grant_name(name), grant_name(lies_at.first()?))))
        .collect();
    let mut found = Vec::new();
    for (name, path) in &canonical {
        for (outer, around) in &canonical {
            let Some(below) = path.strip_prefix(&around[..]).filter(|below| !below.is_empty()) else {
                continue;
            };
            let through = [&outer[..], below].concat();
            if through != *name {
                found.push([name.clone(), through]);
            }
        }
    }
    found
}

fn joined(groups: &[Vec<Vec<String>>], pairs: Vec<[Vec<String>; 2]>) -> Vec<Vec<Vec<String>>> {
    pairs.into_iter().fold(groups.to_vec(), |groups, pair| {
        let (about, mut others): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(|name| pair.contains(name)));
        let mut group = about.concat();
        for name in pair {
            if !group.contains(&name) {
                group.push(name);
            }
        }
        others.push(group);
        others
    })
}

fn folded(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| fold(name)).collect();
    names.join("/")
}
