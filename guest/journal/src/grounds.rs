//! Where the location of a record lies in what is granted now: told by who its directories are, not by their names.
//!
//! A state directory may be shared by gates with different grants, and grants of different directories may have the same
//! name. What lies in none of the grants is none of the caller's business: it is not told of, not taken back, not forgotten.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::Id;
use super::location::is_none;
use super::record::{Location, Root};
use crate::descent;
use crate::namespace::{Held, Namespace, StateId};
use fsgate_contract::limits::PATH_SEGMENTS;
use fsgate_contract::path::absolute;
use fsgate_volume::{Access, Fault, Volume, single};

/// The granted directories, by who they are.
pub struct Grounds<'n, V: Volume> {
    namespace: &'n Namespace<V>,
    /// Those that are granted for writing come first.
    grants: Vec<Granted<'n, V>>,
    /// Who stands at some names below a grant, as far as somebody has looked.
    known: RefCell<BTreeMap<Name, Option<Id>>>,
}

/// The number of a grant, and names below it.
type Name = (usize, Vec<String>);

struct Granted<'n, V: Volume> {
    held: &'n Held<V>,
    names: Vec<String>,
    identity: Id,
}

/// The directory of a location: the grant that it is reached by, and the names from there.
pub struct Ground<'n, V: Volume> {
    pub(crate) held: &'n Held<V>,
    names: Vec<String>,
    pub(crate) way: Vec<String>,
}

impl<V: Volume> Ground<'_, V> {
    /// The names from the root of the namespace to a location in this directory.
    pub fn names_of(&self, at: &Location) -> Vec<String> {
        self.names.iter().chain(&self.way).chain(&at.below).chain([&at.name]).cloned().collect()
    }

    /// The same as a path.
    pub fn path_of(&self, at: &Location) -> String {
        absolute(self.names_of(at).iter().map(String::as_str))
    }
}

impl<'n, V: Volume> Grounds<'n, V> {
    /// Looks who the granted directories are.
    pub fn new(namespace: &'n Namespace<V>) -> Result<Self, Fault> {
        let mut grants = Vec::new();
        for wanted in [Access::Write, Access::Read] {
            for held in namespace.all_held().filter(|held| held.access == wanted) {
                let identity = Id(held.volume.directory_identity(&held.root)?);
                grants.push(Granted { held, names: namespace.names(held.node), identity });
            }
        }
        Ok(Self { namespace, grants, known: RefCell::default() })
    }

    /// The directory of a location; none if that is not known to lie in a grant with this access, or in any.
    pub fn find(&self, at: &Location, access: Option<Access>) -> Result<Option<Ground<'n, V>>, Fault> {
        let mut first = None;
        self.each(at, access, |ground| {
            first = Some(ground);
            ControlFlow::Break(())
        })?;
        Ok(first)
    }

    /// Where changes of a location are written down.
    pub fn state(&self, at: &Location) -> Option<StateId> {
        let ground = self.find(at, Some(Access::Write)).ok().flatten()?;
        self.namespace.state_of(self.namespace.grant_at(ground.held.node)?)
    }

    /// The same by all grants that it lies in: one directory may be granted under several names.
    pub fn find_all(&self, at: &Location) -> Result<Vec<Ground<'n, V>>, Fault> {
        let mut all = Vec::new();
        self.each(at, None, |ground| {
            all.push(ground);
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    fn each(
        &self,
        at: &Location,
        access: Option<Access>,
        mut found: impl FnMut(Ground<'n, V>) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let inside = || at.above.iter().chain(&at.below).chain([&at.name]);
        // No record of ours is like that.
        if inside().count() > PATH_SEGMENTS || inside().any(|name| single(name).is_err()) {
            return Ok(());
        }
        // Where something lies is no question for the policy.
        let _lifted = self.namespace.guard().lift();
        for number in self.with(access) {
            if self.grants[number].identity == at.root && at.root != Id::NOBODY {
                let ground = self.ground(number, at.above.clone());
                if self.is_open(&ground, at) && found(ground).is_break() {
                    return Ok(());
                }
            }
        }
        for number in self.with(access) {
            if let Some(way) = self.way(number, at)? {
                let ground = self.ground(number, way);
                if self.is_open(&ground, at) && found(ground).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// True if a directory that was granted to somebody is granted now, or lies in one that is.
    pub fn holds(&self, root: &Root, access: Option<Access>) -> Result<bool, Fault> {
        let _lifted = self.namespace.guard().lift();
        for number in self.with(access) {
            let is_it = self.grants[number].identity == root.identity && root.identity != Id::NOBODY;
            if is_it || self.way_to_root(number, &root.grant, root.identity)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn with(&self, access: Option<Access>) -> impl Iterator<Item = usize> {
        let is_meant = move |granted: &Granted<V>| access.is_none_or(|access| granted.held.access == access);
        (0..self.grants.len()).filter(move |number| is_meant(&self.grants[*number]))
    }

    fn ground(&self, number: usize, way: Vec<String>) -> Ground<'n, V> {
        let Granted { held, names, .. } = &self.grants[number];
        Ground { held, names: names.clone(), way }
    }

    /// The names from a grant to the directory of a location that was made in another one.
    fn way(&self, number: usize, at: &Location) -> Result<Option<Vec<String>>, Fault> {
        // What was granted then holds what is granted now. Not any directory of ours that has become that of the location: rules
        // are about names, and whoever may move a directory would choose those by which its history is judged.
        let ours = self.grants[number].identity;
        if let Some(depth) = at.depth_of(ours).filter(|_| ours != Id::NOBODY) {
            let way = &at.above[depth..];
            return Ok((self.identity(number, way)? == Some(at.directory)).then(|| way.to_vec()));
        }
        // What is granted now holds what was granted then.
        let way = self.way_to_root(number, &at.grant, at.root)?;
        Ok(way.map(|way| way.into_iter().chain(at.above.iter().cloned()).collect()))
    }

    /// The names from a grant to one that was granted to somebody by a name below the grant's.
    fn way_to_root(&self, number: usize, name: &str, root: Id) -> Result<Option<Vec<String>>, Fault> {
        let granted = &self.grants[number];
        let names: Vec<_> = name.split('/').filter(|name| !name.is_empty()).collect();
        if names.len() < granted.names.len()
            || granted.names.iter().zip(&names).any(|(one, other)| one != other)
        {
            return Ok(None);
        }
        let way: Vec<_> = names[granted.names.len()..].iter().map(|name| (*name).to_owned()).collect();
        if way.iter().any(|name| single(name).is_err()) {
            return Ok(None);
        }
        let is_it = match root {
            // Nobody can tell, and the host has handed in the state directory for these names.
            Id::NOBODY => granted.identity == Id::NOBODY,
            root => self.identity(number, &way)? == Some(root),
        };
        Ok(is_it.then_some(way))
    }

    /// Who stands at some names below a grant.
    fn identity(&self, number: usize, way: &[String]) -> Result<Option<Id>, Fault> {
        let granted = &self.grants[number];
        if way.is_empty() {
            return Ok(Some(granted.identity));
        }
        let key = (number, way.to_vec());
        if let Some(known) = self.known.borrow().get(&key) {
            return Ok(*known);
        }
        let volume = &granted.held.volume;
        let opened = descent::open(volume, &granted.held.root, way);
        let identity = match opened.and_then(|directory| volume.directory_identity(&directory)) {
            Ok(identity) => Some(Id(identity)),
            Err(fault) if is_none(&fault) => None,
            Err(fault) => return Err(fault),
        };
        self.known.borrow_mut().insert(key, identity);
        Ok(identity)
    }

    /// False if another grant hangs on the way: whoever takes this path comes to that one.
    fn is_open(&self, ground: &Ground<'n, V>, at: &Location) -> bool {
        let names = ground.names_of(at);
        let (mut node, mut last) = (self.namespace.root(), None);
        for name in names.iter().take(names.len() - 1) {
            last = self.namespace.grant_at(node).map(|_| node).or(last);
            match self.namespace.child(node, name) {
                Some(child) => node = child,
                None => return last == Some(ground.held.node),
            }
        }
        last = self.namespace.grant_at(node).map(|_| node).or(last);
        last == Some(ground.held.node)
    }
}
