//! Queries on an open directory, and places below it.

use super::{Folder, Place, admit};
use fsgate_contract::path::{below, join};
use fsgate_error::Reason;
use fsgate_journal::namespace::{GrantId, Namespace};
use fsgate_policy::PolicyPosition;
use fsgate_volume::{Access, Volume};

impl<V: Volume> Folder<V> {
    /// The requested path, absolute.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The resolved path.
    pub fn resolved(&self) -> &str {
        &self.resolved
    }

    /// The open directory.
    pub fn handle(&self) -> &V::Directory {
        &self.handle
    }

    /// The access of its grant.
    pub fn access(&self, namespace: &Namespace<V>) -> Access {
        namespace.grant(self.grant).access
    }

    /// Its own name in its parent; none for a grant's directory, or if it was not requested.
    pub fn own(&self) -> Option<&Place<V>> {
        self.own.as_ref()
    }

    /// The same by value, with the open directory.
    pub fn into_own(self) -> Option<(Place<V>, V::Directory)> {
        self.own.map(|own| (own, self.handle))
    }

    /// The place of a walked path below it. Opens nothing.
    pub fn below(&self, namespace: &Namespace<V>, asked: &str, path: &str) -> Result<Place<V>, Reason> {
        let names = (asked, &self.shown[..], &self.resolved[..]);
        let start = PlaceStart {
            grant: self.grant,
            directory: &self.handle,
            resolved: &self.resolved,
            requested: self.requested.clone(),
            parents: Vec::new(),
        };
        beneath(namespace, start, names, path)
    }

    /// The policy's positions of the resolved path and of a different requested one.
    pub(crate) fn standpoints(&self, namespace: &Namespace<V>) -> Vec<PolicyPosition> {
        let there = self.volume(namespace).standpoint(&self.handle);
        there.into_iter().chain(self.requested.clone()).collect()
    }

    /// The position of the requested path, if links lead elsewhere.
    pub(crate) fn requested(&self) -> Option<&PolicyPosition> {
        self.requested.as_ref()
    }

    pub(crate) fn seen_from(self, requested: Option<PolicyPosition>) -> Self {
        Self { requested, ..self }
    }

    pub(crate) fn grant(&self) -> GrantId {
        self.grant
    }

    pub(crate) fn names_in_grant(&self, namespace: &Namespace<V>) -> Vec<String> {
        let root = namespace.names(namespace.grant(self.grant).node).len();
        let names = self.resolved.split('/').filter(|name| !name.is_empty());
        names.skip(root).map(str::to_owned).collect()
    }

    /// The names from another directory to this one inside, after links. Two names of one granted
    /// directory count as one.
    pub(crate) fn names_below(&self, namespace: &Namespace<V>, other: &Self) -> Option<Vec<String>> {
        let root = |folder: &Self| {
            let held = namespace.grant(folder.grant);
            held.volume.directory_identity(&held.root)
        };
        if self.grant != other.grant && root(self).ok()? != root(other).ok()? {
            return None;
        }
        let names = self.names_in_grant(namespace);
        names.strip_prefix(&other.names_in_grant(namespace)[..]).map(<[_]>::to_vec)
    }

    /// A directory that a walk has opened, without links.
    pub(crate) fn walked(grant: GrantId, handle: V::Directory, shown: String, resolved: String) -> Self {
        Self { grant, handle, node: None, shown, resolved, requested: None, own: None }
    }

    /// The volume that holds it.
    pub fn volume<'a>(&self, namespace: &'a Namespace<V>) -> &'a V {
        &namespace.grant(self.grant).volume
    }

    /// Names in it that lead to other grants, which cover the volume's names.
    pub fn nodes(&self, namespace: &Namespace<V>) -> Vec<String> {
        self.node.map_or_else(Vec::new, |node| namespace.children(node))
    }

    pub(crate) fn shown_nodes(&self, namespace: &Namespace<V>) -> Vec<String> {
        let mut nodes = self.nodes(namespace);
        nodes.retain(|node| !self.hides(namespace, node, true));
        nodes
    }

    /// True if the requested path hides a name in it; the volume hides those of the resolved path.
    pub(crate) fn hides(&self, namespace: &Namespace<V>, name: &str, is_directory: bool) -> bool {
        let policy = namespace.guard().policy();
        self.requested.as_ref().is_some_and(|at| at.ruling(policy, name, is_directory).hidden.is_some())
    }

    /// The place of a listed name in it, which is no link to follow.
    pub fn place(&self, namespace: &Namespace<V>, name: &str) -> Result<Place<V>, Reason> {
        admit(self.volume(namespace), name)?;
        let shown = join(&self.shown, name);
        Ok(Place {
            grant: self.grant,
            directory: self.handle.clone(),
            parents: Vec::new(),
            name: name.to_owned(),
            directory_required: false,
            asked: shown.clone(),
            resolved: join(&self.resolved, name),
            resolved_directory: self.resolved.clone(),
            requested: self.requested.clone(),
            shown,
        })
    }
}

pub(super) struct PlaceStart<'a, V: Volume> {
    pub(super) grant: GrantId,
    pub(super) directory: &'a V::Directory,
    pub(super) resolved: &'a str,
    pub(super) requested: Option<PolicyPosition>,
    pub(super) parents: Vec<String>,
}

/// The place of plain names below a directory.
pub(super) fn beneath<V: Volume>(
    namespace: &Namespace<V>,
    start: PlaceStart<V>,
    (asked, shown, resolved): (&str, &str, &str),
    path: &str,
) -> Result<Place<V>, Reason> {
    let PlaceStart { grant, directory, resolved: resolved_directory, mut requested, mut parents } = start;
    let volume = &namespace.grant(grant).volume;
    for (number, name) in path.split('/').enumerate() {
        admit(volume, name)?;
        if number > 0
            && let (Some(at), Some(above)) = (&requested, parents.last())
        {
            requested = Some(at.below(namespace.guard().policy(), above));
        }
        parents.push(name.to_owned());
    }
    let name = parents.pop().unwrap_or_default();
    Ok(Place {
        grant,
        directory: directory.clone(),
        requested,
        parents,
        name,
        directory_required: false,
        asked: below(asked, path),
        shown: join(shown, path),
        resolved: join(resolved, path),
        resolved_directory: resolved_directory.to_owned(),
    })
}
