//! Queries on a place.

use super::folder::{PlaceStart, beneath};
use super::{Place, SharedHandles, open_directory};
use fsgate_contract::id::Id;
use fsgate_contract::path::{Segments, absolute};
use fsgate_error::{Denial, Reason};
use fsgate_journal::namespace::{HeldGrant, Namespace};
use fsgate_journal::record::Location;
use fsgate_journal::state::State;
use fsgate_policy::PolicyPosition;
use fsgate_policy::Ruling;
use fsgate_volume::answers::{existing, unless};
use fsgate_volume::{Access, Fault, Volume};

impl<V: Volume> Place<V> {
    /// The requested path word for word, for errors.
    pub fn asked(&self) -> &str {
        &self.asked
    }

    /// The requested path, absolute, for outcomes.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The resolved path.
    pub fn resolved(&self) -> &str {
        &self.resolved
    }

    /// The resolved path of the open directory.
    pub fn directory_path(&self) -> &str {
        &self.resolved_directory
    }

    /// A link's target in the namespace: an absolute one in the grant begins with the grant's name.
    pub fn named_inside(&self, namespace: &Namespace<V>, target: String) -> String {
        let segments = Segments::parse(&target).ok().filter(|segments| segments.absolute);
        let Some(Segments { names, .. }) = segments else { return target };
        let Some(above) = namespace.names_above(self.grant, &names) else { return target };
        let grant = namespace.names(self.held(namespace).node);
        absolute(grant.iter().map(String::as_str).chain(names.into_iter().skip(above)))
    }

    /// True if a link here with this target stays in its grant, by the target's text.
    pub fn keeps_inside(&self, namespace: &Namespace<V>, target: &str) -> bool {
        let Ok(segments) = Segments::parse(target) else { return false };
        let root = namespace.names(self.held(namespace).node).len();
        let here = Segments::parse(&self.resolved_directory).map_or(0, |here| here.names.len());
        let (names, start) = if segments.absolute {
            // The target begins with the grant's own name.
            let grant = namespace.names(self.held(namespace).node);
            match segments.names.split_at_checked(grant.len()) {
                Some((above, below)) if above == grant => (below, 0),
                _ => return false,
            }
        } else {
            (&segments.names[..], here.saturating_sub(root))
        };
        let step =
            |depth: usize, name: &&str| if *name == ".." { depth.checked_sub(1) } else { Some(depth + 1) };
        names.iter().try_fold(start, step).is_some()
    }

    /// True if a link's target names something hidden.
    pub(crate) fn names_hidden(&self, namespace: &Namespace<V>, target: &str) -> bool {
        // Each name is asked from the root on.
        if !namespace.guard().policy().hides() {
            return false;
        }
        let Ok(segments) = Segments::parse(target) else { return false };
        let here = Segments::parse(&self.resolved_directory).map_or_else(|_| Vec::new(), |here| here.names);
        let mut way: Vec<&str> = if segments.absolute { Vec::new() } else { here };
        segments.names.iter().any(|name| {
            if *name == ".." {
                way.pop();
            } else {
                way.push(name);
            }
            namespace.guard().hides(way.iter().copied()).is_some()
        })
    }

    /// Directories between the open one and the name: missing ones or, below a folder, any.
    pub fn parents(&self) -> &[String] {
        &self.parents
    }

    /// The place of a path below this one, which can become a directory.
    pub fn below(&self, namespace: &Namespace<V>, path: &str) -> Result<Self, Reason> {
        let parents = self.parents.iter().chain([&self.name]).cloned().collect();
        let names = (&self.asked[..], &self.shown[..], &self.resolved[..]);
        let policy = namespace.guard().policy();
        let requested = self.requested.as_ref().map(|at| at.below(policy, self.last_shown()));
        let start = PlaceStart {
            grant: self.grant,
            directory: &self.directory,
            resolved: &self.resolved_directory,
            requested,
            parents,
        };
        beneath(namespace, start, names, path)
    }

    fn last_shown(&self) -> &str {
        self.shown.rsplit('/').next().unwrap_or_default()
    }

    /// The policy's positions of the directory, with the name, for the resolved path and a
    /// different requested one.
    pub(crate) fn standpoints(&self, namespace: &Namespace<V>) -> Vec<(PolicyPosition, &str)> {
        let policy = namespace.guard().policy();
        let there = self.volume(namespace).standpoint(&self.directory);
        let there = there.map(|at| self.parents.iter().fold(at, |at, name| at.below(policy, name)));
        let resolved = there.map(|at| (at, &self.name[..]));
        let requested = self.requested.clone().map(|at| (at, self.last_shown()));
        resolved.into_iter().chain(requested).collect()
    }

    /// The positions of the directories to create.
    pub(crate) fn standpoints_of_parents(&self, namespace: &Namespace<V>) -> Vec<(PolicyPosition, &str)> {
        let policy = namespace.guard().policy();
        let mut at = self.volume(namespace).standpoint(&self.directory);
        let mut passed = Vec::new();
        for name in &self.parents {
            let Some(here) = at else { break };
            at = Some(here.below(policy, name));
            passed.push((here, &name[..]));
        }
        passed
    }

    /// The ruling on the requested path, if links lead elsewhere. The volume enforces the one on
    /// the resolved path.
    pub(super) fn requested_ruling(&self, namespace: &Namespace<V>, is_directory: bool) -> Ruling {
        self.requested.as_ref().map_or_else(Ruling::default, |at| {
            at.ruling(namespace.guard().policy(), self.last_shown(), is_directory)
        })
    }

    pub(crate) fn require_open(&self, namespace: &Namespace<V>) -> Result<(), Reason> {
        let denied = self.requested_ruling(namespace, false).denied;
        denied.map_or(Ok(()), |rule| Err(Reason::Denied(namespace.guard().rule(rule), Denial::Open)))
    }

    pub(crate) fn is_hidden(&self, namespace: &Namespace<V>) -> bool {
        let policy = namespace.guard().policy();
        let parents = self.standpoints_of_parents(namespace);
        parents.iter().any(|(at, name)| at.ruling(policy, name, true).hidden.is_some())
            || self.standpoints(namespace).iter().any(|(at, name)| {
                at.ruling(policy, name, true).hidden.or(at.ruling(policy, name, false).hidden).is_some()
            })
    }

    /// Shares one handle among the places of a call in one directory: handles are scarce.
    pub fn share_handle(
        &mut self,
        namespace: &Namespace<V>,
        shared: &mut SharedHandles<V>,
    ) -> Result<(), Fault> {
        let identity = self.volume(namespace).directory_identity(&self.directory)?;
        let handle = shared.0.entry((self.grant, identity)).or_insert_with(|| self.directory.clone());
        self.directory = handle.clone();
        Ok(())
    }

    /// True if both places are in one grant, or in two grants of one directory.
    pub fn shares_grant(&self, namespace: &Namespace<V>, other: &Self) -> Result<bool, Fault> {
        let root = |place: &Self| {
            let held = place.held(namespace);
            held.volume.directory_identity(&held.root)
        };
        Ok(self.grant == other.grant || root(self)? == root(other)?)
    }

    /// True if the path from the grant to this place passes the directory with this identity.
    pub fn passes(&self, namespace: &Namespace<V>, identity: u128) -> Result<bool, Fault> {
        let HeldGrant { volume, root, node, .. } = self.held(namespace);
        let above = namespace.names(*node).len();
        let mut handle = root.clone();
        let mut found = volume.directory_identity(&handle)? == identity;
        for name in self.resolved_directory.split('/').filter(|name| !name.is_empty()).skip(above) {
            handle = open_directory(volume, &handle, name)?;
            found |= volume.directory_identity(&handle)? == identity;
        }
        Ok(found)
    }

    /// The path can only name a directory.
    pub fn directory_required(&self) -> bool {
        self.directory_required
    }

    /// The open directory.
    pub fn directory(&self) -> &V::Directory {
        &self.directory
    }

    /// The name in it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The volume that holds it.
    pub fn volume<'a>(&self, namespace: &'a Namespace<V>) -> &'a V {
        &self.held(namespace).volume
    }

    /// The access of its grant.
    pub fn access(&self, namespace: &Namespace<V>) -> Access {
        self.held(namespace).access
    }

    pub(crate) fn state<'a>(&self, namespace: &'a Namespace<V>) -> Option<&'a State<V>> {
        namespace.state_of(self.grant).map(|state| namespace.state(state))
    }

    pub(crate) fn location(&self, namespace: &Namespace<V>) -> Result<Location, Fault> {
        let HeldGrant { volume, root, node, .. } = self.held(namespace);
        let above = namespace.names(*node).len();
        let names = self.resolved_directory.split('/').filter(|name| !name.is_empty()).skip(above);
        let above: Vec<_> = names.map(str::to_owned).collect();
        Ok(Location {
            grant: namespace.path(*node),
            root: Id(volume.directory_identity(root)?),
            between: between(namespace, volume, root, &above)?,
            above,
            directory: Id(volume.directory_identity(&self.directory)?),
            below: self.parents.clone(),
            name: self.name.clone(),
        })
    }

    /// The number of missing directories before the name.
    pub(crate) fn missing(&self, namespace: &Namespace<V>) -> Result<u32, Fault> {
        let volume = self.volume(namespace);
        let mut directory = self.directory.clone();
        for (number, name) in self.parents.iter().enumerate() {
            let below = existing(volume.open_directory(&directory, name))?;
            let Some(below) = below else { return Ok((self.parents.len() - number) as u32) };
            directory = below;
        }
        Ok(0)
    }

    fn held<'a>(&self, namespace: &'a Namespace<V>) -> &'a HeldGrant<V> {
        namespace.grant(self.grant)
    }
}

/// The identities of the directories on the way, except the last; ends at a missing one.
fn between<V: Volume>(
    namespace: &Namespace<V>,
    volume: &V,
    root: &V::Directory,
    names: &[String],
) -> Result<Vec<Id>, Fault> {
    let _lifted = namespace.guard().lift();
    let (mut directory, mut all) = (root.clone(), Vec::new());
    for name in names.iter().take(names.len().saturating_sub(1)) {
        let below = unless(volume.open_directory(&directory, name), Fault::is_absence)?;
        let Some(below) = below else { break };
        directory = below;
        all.push(Id(volume.directory_identity(&directory)?));
    }
    Ok(all)
}
