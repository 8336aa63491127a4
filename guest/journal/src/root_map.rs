//! Maps recorded paths to the present grants, by the identities of directories.
//!
//! Sessions with different grants can share a state directory, and different directories can be
//! granted under one name. A session does not report, undo or forget a record outside its grants.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

use super::Id;
use super::path_record::is_none;
use super::record::{Location, Root};
use crate::namespace::{HeldGrant, Namespace, StateId};
use crate::tree_walk;
use fsgate_contract::limits::PATH_SEGMENTS;
use fsgate_contract::path::absolute;
use fsgate_volume::answers::unless;
use fsgate_volume::{Access, Fault, Volume, single};

/// The granted directories with their identities.
pub struct RootMap<'n, V: Volume> {
    namespace: &'n Namespace<V>,
    /// Grants for writing come first.
    grants: Vec<MappedRoot<'n, V>>,
    /// Cached identities of names below a grant.
    known: RefCell<BTreeMap<BelowRoot, Option<Id>>>,
}

type BelowRoot = (usize, Vec<String>);

struct MappedRoot<'n, V: Volume> {
    held: &'n HeldGrant<V>,
    names: Vec<String>,
    identity: Id,
}

/// The directory of a recorded path: a grant, and the names from there.
pub struct MappedPath<'n, V: Volume> {
    pub(crate) held: &'n HeldGrant<V>,
    names: Vec<String>,
    pub(crate) route: Vec<String>,
}

impl<V: Volume> MappedPath<'_, V> {
    /// The names from the root of the namespace to a recorded path.
    pub fn names_of(&self, at: &Location) -> Vec<String> {
        self.names.iter().chain(&self.route).chain(&at.below).chain([&at.name]).cloned().collect()
    }

    /// The same as a path.
    pub fn path_of(&self, at: &Location) -> String {
        absolute(self.names_of(at).iter().map(String::as_str))
    }
}

impl<'n, V: Volume> RootMap<'n, V> {
    /// Reads the identities of the granted directories.
    pub fn new(namespace: &'n Namespace<V>) -> Result<Self, Fault> {
        let mut grants = Vec::new();
        for wanted in [Access::Write, Access::Read] {
            for held in namespace.all_held().filter(|held| held.access == wanted) {
                let identity = Id(held.volume.directory_identity(&held.root)?);
                grants.push(MappedRoot { held, names: namespace.names(held.node), identity });
            }
        }
        Ok(Self { namespace, grants, known: RefCell::default() })
    }

    /// The directory of a recorded path, in the first grant with this access, or with any.
    pub fn find(&self, at: &Location, access: Option<Access>) -> Result<Option<MappedPath<'n, V>>, Fault> {
        let mut first = None;
        self.each(at, access, |mapped| {
            first = Some(mapped);
            ControlFlow::Break(())
        })?;
        Ok(first)
    }

    /// The state directory for changes of a recorded path.
    pub fn state(&self, at: &Location) -> Option<StateId> {
        let mapped = self.find(at, Some(Access::Write)).ok().flatten()?;
        self.namespace.state_of(self.namespace.grant_at(mapped.held.node)?)
    }

    /// The directory of a recorded path in each grant that holds it.
    pub fn find_all(&self, at: &Location) -> Result<Vec<MappedPath<'n, V>>, Fault> {
        let mut all = Vec::new();
        self.each(at, None, |mapped| {
            all.push(mapped);
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    fn each(
        &self,
        at: &Location,
        access: Option<Access>,
        mut found: impl FnMut(MappedPath<'n, V>) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let inside = || at.above.iter().chain(&at.below).chain([&at.name]);
        // fsgate writes no such record.
        if inside().count() > PATH_SEGMENTS || inside().any(|name| single(name).is_err()) {
            return Ok(());
        }
        // The policy does not decide where a path is.
        let _lifted = self.namespace.guard().lift();
        for number in self.with(access) {
            if self.grants[number].identity == at.root && at.root != Id::NOBODY {
                let mapped = self.mapped(number, at.above.clone());
                if self.is_open(&mapped, at) && found(mapped).is_break() {
                    return Ok(());
                }
            }
        }
        for number in self.with(access) {
            if let Some(route) = self.route(number, at)? {
                let mapped = self.mapped(number, route);
                if self.is_open(&mapped, at) && found(mapped).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// True if the time is before the birth of the granted directory at which a recorded path
    /// begins. An earlier directory had its inode then.
    pub fn is_before_birth(&self, at: &Location, time: Duration) -> bool {
        let is_older = |held: &HeldGrant<V>| held.born.is_some_and(|born| time < born);
        self.grants.iter().any(|root| root.identity == at.root && is_older(root.held))
    }

    /// True if a directory that an earlier session was granted is a present grant or inside one.
    pub fn holds(&self, root: &Root, access: Option<Access>) -> Result<bool, Fault> {
        let _lifted = self.namespace.guard().lift();
        for number in self.with(access) {
            let is_it = self.grants[number].identity == root.identity && root.identity != Id::NOBODY;
            if is_it || self.route_to_root(number, &root.grant, root.identity)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn with(&self, access: Option<Access>) -> impl Iterator<Item = usize> {
        let is_meant =
            move |granted: &MappedRoot<V>| access.is_none_or(|access| granted.held.access == access);
        (0..self.grants.len()).filter(move |number| is_meant(&self.grants[*number]))
    }

    fn mapped(&self, number: usize, route: Vec<String>) -> MappedPath<'n, V> {
        let MappedRoot { held, names, .. } = &self.grants[number];
        MappedPath { held, names: names.clone(), route }
    }

    fn route(&self, number: usize, at: &Location) -> Result<Option<Vec<String>>, Fault> {
        // The earlier grant holds the present one. The present name of the recorded directory does
        // not count: rules apply to names, so a session that may move a directory could choose the
        // rules for its history.
        let ours = self.grants[number].identity;
        if let Some(depth) = at.depth_of(ours).filter(|_| ours != Id::NOBODY) {
            let route = &at.above[depth..];
            return Ok((self.identity(number, route)? == Some(at.directory)).then(|| route.to_vec()));
        }
        let route = self.route_to_root(number, &at.grant, at.root)?;
        Ok(route.map(|route| route.into_iter().chain(at.above.iter().cloned()).collect()))
    }

    fn route_to_root(&self, number: usize, name: &str, root: Id) -> Result<Option<Vec<String>>, Fault> {
        let granted = &self.grants[number];
        let names: Vec<_> = name.split('/').filter(|name| !name.is_empty()).collect();
        if names.len() < granted.names.len()
            || granted.names.iter().zip(&names).any(|(one, other)| one != other)
        {
            return Ok(None);
        }
        let route: Vec<_> = names[granted.names.len()..].iter().map(|name| (*name).to_owned()).collect();
        if route.iter().any(|name| single(name).is_err()) {
            return Ok(None);
        }
        let is_it = match root {
            // Without identities, the host guarantees this by its choice of the state directory.
            Id::NOBODY => granted.identity == Id::NOBODY,
            root => self.identity(number, &route)? == Some(root),
        };
        Ok(is_it.then_some(route))
    }

    fn identity(&self, number: usize, route: &[String]) -> Result<Option<Id>, Fault> {
        let granted = &self.grants[number];
        if route.is_empty() {
            return Ok(Some(granted.identity));
        }
        let key = (number, route.to_vec());
        if let Some(known) = self.known.borrow().get(&key) {
            return Ok(*known);
        }
        let volume = &granted.held.volume;
        let opened = tree_walk::open(volume, &granted.held.root, route);
        let identity = opened.and_then(|directory| volume.directory_identity(&directory));
        let identity = unless(identity, is_none)?.map(Id);
        self.known.borrow_mut().insert(key, identity);
        Ok(identity)
    }

    /// False if another grant covers this part of the path.
    fn is_open(&self, mapped: &MappedPath<'n, V>, at: &Location) -> bool {
        let names = mapped.names_of(at);
        let (mut node, mut last) = (self.namespace.root(), None);
        for name in names.iter().take(names.len() - 1) {
            last = self.namespace.grant_at(node).map(|_| node).or(last);
            match self.namespace.child(node, name) {
                Some(child) => node = child,
                None => return last == Some(mapped.held.node),
            }
        }
        last = self.namespace.grant_at(node).map(|_| node).or(last);
        last == Some(mapped.held.node)
    }
}
