//! The tree of granted directories.
//!
//! Its inner nodes are the prefixes of the grants' names: virtual and read-only. A grant can be
//! below another one, and has its own handle and access.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use crate::scope::RecordScope;
use crate::state::State;
use fsgate_contract::path;
use fsgate_policy::PolicyPosition;
use fsgate_policy::RuleId;
use fsgate_volume::clock::Clock;
use fsgate_volume::grant::Grant;
use fsgate_volume::policy_guard::PolicyGuard;
use fsgate_volume::{Access, Fault, Volume};

/// All grants by name.
pub struct Namespace<V: Volume> {
    nodes: Vec<GrantNode>,
    grants: Vec<HeldGrant<V>>,
    states: Vec<State<V>>,
    clock: Rc<Clock>,
    guard: Rc<PolicyGuard>,
    scope: OnceCell<RecordScope>,
    start: Option<Start>,
}

/// The directory at which relative paths start.
#[derive(Debug, Clone)]
pub struct Start {
    /// The node of a grant.
    pub node: NodeId,
    /// The names from the grant to the directory.
    pub below: Vec<String>,
}

/// A grant with its directory open.
pub struct HeldGrant<V: Volume> {
    /// The volume of the grant.
    pub volume: V,
    /// The granted directory.
    pub root: V::Directory,
    /// The granted access.
    pub access: Access,
    /// The place of the grant in the namespace.
    pub node: NodeId,
    /// The birth of the directory since 1970, if the host knows it.
    pub born: Option<Duration>,
    state: Option<StateId>,
}

/// A node of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeId(usize);

/// A state directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StateId(pub(crate) usize);

/// A grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GrantId(usize);

#[derive(Default)]
struct GrantNode {
    name: String,
    parent: Option<NodeId>,
    children: BTreeMap<String, NodeId>,
    grant: Option<GrantId>,
    /// The node is a grant that the policy does not hide, or leads to one.
    is_shown: bool,
}

/// Two grants have the same name.
#[derive(Debug, PartialEq, Eq)]
pub struct DuplicateName(pub String);

impl<V: Volume> Namespace<V> {
    /// Builds the tree. Relative paths start at the first grant.
    pub fn new(grants: Vec<Grant<V>>) -> Result<Self, DuplicateName> {
        let mut namespace = Self {
            nodes: vec![GrantNode { is_shown: true, ..GrantNode::default() }],
            grants: Vec::new(),
            states: Vec::new(),
            clock: Rc::default(),
            guard: Rc::default(),
            scope: OnceCell::new(),
            start: None,
        };
        for Grant { name, volume, access } in grants {
            let node = namespace.node_for(&path::grant_name(&name));
            let id = GrantId(namespace.grants.len());
            if namespace.nodes[node.0].grant.replace(id).is_some() {
                return Err(DuplicateName(namespace.path(node)));
            }
            let root = volume.root();
            namespace.grants.push(HeldGrant { volume, root, access, node, born: None, state: None });
        }
        namespace.start = namespace.grants.first().map(|held| Start { node: held.node, below: Vec::new() });
        Ok(namespace)
    }

    /// Sets the birth of granted directories, by name.
    pub fn born(mut self, births: &BTreeMap<String, u64>) -> Self {
        for (name, millis) in births {
            let names = path::grant_name(name);
            let paths: Vec<_> = self.grants.iter().map(|held| self.names(held.node)).collect();
            let held = self.grants.iter_mut().zip(paths).find(|(_, path)| *path == names);
            if let Some((held, _)) = held {
                held.born = Some(Duration::from_millis(*millis));
            }
        }
        self
    }

    /// Sets the start of relative paths, if the path is inside a grant.
    pub fn starting_at(mut self, path: &str) -> Self {
        let names = path::grant_name(path);
        let mut node = self.root();
        for (index, name) in names.iter().enumerate() {
            let Some(child) = self.child(node, name) else { break };
            node = child;
            if self.grant_at(node).is_some() {
                self.start = Some(Start { node, below: names[index + 1..].to_vec() });
            }
        }
        self
    }

    /// Gives all volumes this clock.
    pub fn on_clock(self, clock: Rc<Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Gives all volumes this guard.
    pub fn under_guard(mut self, guard: Rc<PolicyGuard>) -> Self {
        self.guard = guard;
        self.nodes.iter_mut().for_each(|node| node.is_shown = false);
        let shown: Vec<_> =
            self.grants.iter().map(|held| held.node).filter(|node| self.hides(*node).is_none()).collect();
        for node in shown {
            let mut above = Some(node);
            while let Some(node) = above.filter(|node| !self.nodes[node.0].is_shown) {
                self.nodes[node.0].is_shown = true;
                above = self.parent(node);
            }
        }
        self
    }

    /// The guard that the volumes ask.
    pub fn guard(&self) -> &PolicyGuard {
        &self.guard
    }

    /// The rules against reading and the grants of this session.
    pub fn scope(&self) -> Result<&RecordScope, Fault> {
        match self.scope.get() {
            Some(scope) => Ok(scope),
            None => RecordScope::of(self).map(|scope| self.scope.get_or_init(|| scope)),
        }
    }

    /// The same guard, shared.
    pub fn shared_guard(&self) -> Rc<PolicyGuard> {
        self.guard.clone()
    }

    /// The position of a node in the policy; none without rules.
    fn standpoint(&self, node: NodeId) -> Option<PolicyPosition> {
        self.guard.at(self.names(node).iter().map(String::as_str))
    }

    /// The clock of the running call.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Attaches a state directory to the grant with that name, or without a name to all grants that
    /// have none. Two handles of one directory count as one.
    pub fn attach(&mut self, grant: Option<&[String]>, state: State<V>) {
        let id = match self.states.iter().position(|known| known.identity == state.identity) {
            Some(known) => StateId(known),
            None => {
                self.states.push(state);
                StateId(self.states.len() - 1)
            }
        };
        for index in 0..self.grants.len() {
            let held = &self.grants[index];
            let wanted = match grant {
                Some(name) => self.names(held.node) == name,
                None => held.state.is_none(),
            };
            if wanted && held.access == Access::Write {
                self.grants[index].state = Some(id);
            }
        }
    }

    /// The path of the first grant, where relative paths start.
    pub fn first_grant(&self) -> Option<String> {
        self.grants.first().map(|held| self.path(held.node))
    }

    /// The state directories.
    pub fn states(&self) -> impl Iterator<Item = &State<V>> {
        self.states.iter()
    }

    /// The state directories with their ids.
    pub fn state_ids(&self) -> impl Iterator<Item = (StateId, &State<V>)> {
        self.states.iter().enumerate().map(|(index, state)| (StateId(index), state))
    }

    /// The state directory with an id.
    pub fn state(&self, id: StateId) -> &State<V> {
        &self.states[id.0]
    }

    /// The state directory of a grant.
    pub fn state_of(&self, grant: GrantId) -> Option<StateId> {
        self.grant(grant).state
    }

    fn node_for(&mut self, names: &[String]) -> NodeId {
        let mut node = NodeId(0);
        for name in names {
            node = match self.nodes[node.0].children.get(name) {
                Some(child) => *child,
                None => {
                    let child = NodeId(self.nodes.len());
                    self.nodes.push(GrantNode {
                        name: name.clone(),
                        parent: Some(node),
                        is_shown: true,
                        ..GrantNode::default()
                    });
                    self.nodes[node.0].children.insert(name.clone(), child);
                    child
                }
            };
        }
        node
    }

    /// The node above all grants.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// The start of relative paths; none without a grant.
    pub fn start(&self) -> Option<&Start> {
        self.start.as_ref()
    }

    /// The node above this one.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node.0].parent
    }

    pub(crate) fn child(&self, node: NodeId, name: &str) -> Option<NodeId> {
        self.nodes[node.0].children.get(name).copied()
    }

    /// The child of a node, unless it leads to nothing that the policy shows.
    pub fn shown_child(&self, node: NodeId, name: &str) -> Option<NodeId> {
        let child = self.child(node, name)?;
        if !self.nodes[child.0].is_shown
            && let Some(rule) = self.hides(child)
        {
            self.guard.hid(rule);
        }
        Some(child).filter(|child| self.nodes[child.0].is_shown)
    }

    fn hides(&self, node: NodeId) -> Option<RuleId> {
        self.standpoint(node).and_then(|at| at.own().hidden)
    }

    /// The rule against reading a node.
    pub fn closes(&self, node: NodeId) -> Option<RuleId> {
        self.standpoint(node).and_then(|at| at.own().against_reading())
    }

    /// The grant that begins at this node.
    pub fn grant_at(&self, node: NodeId) -> Option<GrantId> {
        self.nodes[node.0].grant
    }

    /// The grant with an id.
    pub fn grant(&self, id: GrantId) -> &HeldGrant<V> {
        &self.grants[id.0]
    }

    /// The time on the clock that all grants share; constant without one.
    pub fn now(&self) -> Duration {
        self.grants.first().map_or(Duration::ZERO, |grant| grant.volume.now())
    }

    /// Waits for some time, if there is a clock.
    pub fn pause(&self, time: Duration) {
        if let Some(grant) = self.grants.first() {
            grant.volume.pause(time);
        }
    }

    /// 128 unpredictable bits, if the host has them.
    pub fn random(&self) -> u128 {
        self.grants.first().map_or(0, |grant| grant.volume.random())
    }

    /// The grant that a node is in, and the nodes between them, outermost first.
    pub fn covering(&self, node: NodeId) -> Option<(GrantId, Vec<NodeId>)> {
        let mut below = Vec::new();
        let mut at = node;
        loop {
            if let Some(grant) = self.grant_at(at) {
                below.reverse();
                return Some((grant, below));
            }
            below.push(at);
            at = self.parent(at)?;
        }
    }

    /// Every directory that the host handed in.
    pub fn roots(&self) -> impl Iterator<Item = (&V, &V::Directory)> {
        self.grants.iter().map(|held| (&held.volume, &held.root))
    }

    /// All grants.
    pub fn all_held(&self) -> impl Iterator<Item = &HeldGrant<V>> {
        self.grants.iter()
    }

    /// The last name of this node's path.
    pub fn name(&self, node: NodeId) -> &str {
        &self.nodes[node.0].name
    }

    /// The names directly below a node that are shown.
    pub fn children(&self, node: NodeId) -> Vec<String> {
        let children = self.nodes[node.0].children.iter();
        children.filter(|(_, child)| self.nodes[child.0].is_shown).map(|(name, _)| name.clone()).collect()
    }

    /// The names from the root to a node.
    pub fn names(&self, node: NodeId) -> Vec<String> {
        let mut names = Vec::new();
        let mut at = Some(node);
        while let Some(node) = at {
            if self.parent(node).is_some() {
                names.push(self.name(node).to_owned());
            }
            at = self.parent(node);
        }
        names.reverse();
        names
    }

    /// The absolute path of this node.
    pub fn path(&self, node: NodeId) -> String {
        path::absolute(self.names(node).iter().map(String::as_str))
    }

    /// The number of names of an absolute machine path that lead to a grant's directory; none if
    /// the path does not lead through it or the host has not said where it is.
    pub fn names_above(&self, grant: GrantId, names: &[&str]) -> Option<usize> {
        let places = self.guard.places(&self.path(self.grant(grant).node));
        let above = |place: &String| {
            let place = path::grant_name(place);
            names.get(..place.len()).is_some_and(|above| above == place).then_some(place.len())
        };
        places.iter().filter_map(above).max()
    }

    /// True if one grant is inside another.
    pub fn is_nested(&self) -> bool {
        self.grants.iter().any(|held| {
            let mut above = self.parent(held.node);
            while let Some(node) = above {
                if self.nodes[node.0].grant.is_some() {
                    return true;
                }
                above = self.parent(node);
            }
            false
        })
    }

    /// The names of all grants, for a message.
    pub fn grant_names(&self) -> Vec<String> {
        let is_shown = |held: &&HeldGrant<V>| self.nodes[held.node.0].is_shown;
        self.grants.iter().filter(is_shown).map(|grant| self.path(grant.node)).collect()
    }
}
