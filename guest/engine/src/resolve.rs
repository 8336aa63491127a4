//! Resolves a path to a place, segment by segment: the first wall.
//!
//! No comparison of strings decides whether a path is allowed. The walk starts at a handle from the
//! host, and each step opens one name in the reached directory, without following links. The walk
//! reads links itself. So `..` always means the parent of the reached directory. A link out of a
//! grant is noticed on every host, even one that would follow it.
//!
//! Only this module makes a [`Place`]. Directory handles know their positions, so it has the
//! policy's rulings on the resolved path and, after links, on the requested one.

mod aliases;
mod folder;
mod place;

use std::collections::{HashMap, VecDeque};

use fsgate_contract::limits::HANDLES;
use fsgate_contract::path::PathProblem;
use fsgate_contract::path::{Segments, absolute, join, spelling};
use fsgate_error::{Denial, Failure, Reason};
use fsgate_journal::namespace::{GrantId, Namespace, NodeId};
use fsgate_policy::PolicyPosition;
use fsgate_policy::{RuleId, Ruling};
use fsgate_volume::{Fault, Kind, Stat, Volume};

/// The treatment of a link in the last segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastLink {
    /// Follow it, to read and edit.
    Follow,
    /// Keep the link itself, to create and to describe.
    Keep,
    /// The same for moving and deleting: a final `/` is refused, and a directory has its own name.
    Own,
}

/// A name in an open directory of a grant.
pub struct Place<V: Volume> {
    grant: GrantId,
    directory: V::Directory,
    parents: Vec<String>,
    name: String,
    directory_required: bool,
    asked: String,
    shown: String,
    resolved: String,
    resolved_directory: String,
    /// The policy's position of the requested directory, if links lead elsewhere.
    requested: Option<PolicyPosition>,
}

impl<V: Volume> Clone for Place<V> {
    fn clone(&self) -> Self {
        Self {
            grant: self.grant,
            directory: self.directory.clone(),
            parents: self.parents.clone(),
            name: self.name.clone(),
            directory_required: self.directory_required,
            asked: self.asked.clone(),
            shown: self.shown.clone(),
            resolved: self.resolved.clone(),
            resolved_directory: self.resolved_directory.clone(),
            requested: self.requested.clone(),
        }
    }
}

/// One handle for each directory of a call's places.
pub struct SharedHandles<V: Volume>(HashMap<(GrantId, u128), V::Directory>);

impl<V: Volume> Default for SharedHandles<V> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

/// An open directory of a grant.
pub struct Folder<V: Volume> {
    grant: GrantId,
    handle: V::Directory,
    /// Its node, if grants are below it.
    node: Option<NodeId>,
    shown: String,
    resolved: String,
    /// The policy's position of the requested path, if links lead elsewhere.
    requested: Option<PolicyPosition>,
    own: Option<Place<V>>,
}

/// The target of a path.
pub enum Target<V: Volume> {
    /// A directory of a grant.
    Directory(Folder<V>),
    /// A path to an inner node of the namespace, outside of all grants.
    Virtual(String, NodeId),
    /// A file, a special file or, with [`LastLink::Keep`], a link.
    Entry(Place<V>, Stat),
    /// A missing name.
    Absent(Place<V>),
}

/// Resolves a path. The failure names the requested path.
pub fn resolve<V: Volume>(
    namespace: &Namespace<V>,
    path: &str,
    last: LastLink,
) -> Result<Target<V>, Failure> {
    go(namespace, path, last, false)
}

/// The same for descriptions: a directory that may not be opened is an entry.
pub fn resolve_to_tell<V: Volume>(
    namespace: &Namespace<V>,
    path: &str,
    last: LastLink,
) -> Result<Target<V>, Failure> {
    go(namespace, path, last, true)
}

fn go<V: Volume>(
    namespace: &Namespace<V>,
    path: &str,
    last: LastLink,
    tells: bool,
) -> Result<Target<V>, Failure> {
    let walk = || -> Result<Target<V>, Reason> {
        let decoded = spelling::decoded(path).map_err(Reason::InvalidPath)?;
        let segments = Segments::parse(&decoded)?;
        let start = namespace.start().ok_or_else(|| Reason::NotGranted(Vec::new()))?;
        let (start, below) =
            if segments.absolute { (namespace.root(), &[][..]) } else { (start.node, &start.below[..]) };
        let mut walk = PathWalk {
            namespace,
            asked: path,
            at: At::Virtual(start),
            ahead: below
                .iter()
                .map(String::as_str)
                .chain(segments.names.iter().copied())
                .map(|name| PathSegment { name: name.to_owned(), asked: true })
                .collect(),
            directory_asked: segments.directory_required,
            directory_required: segments.directory_required,
            shown: namespace.names(start),
            links: 0,
            tells,
        };
        walk.enter(start)?;
        let target = walk.run(last)?;
        walk.requested(target)
    };
    walk().map_err(|reason| reason.at(path))
}

struct PathSegment {
    name: String,
    asked: bool,
}

struct PathWalk<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    asked: &'a str,
    at: At<V>,
    ahead: VecDeque<PathSegment>,
    directory_asked: bool,
    /// The path or a link requires a directory.
    directory_required: bool,
    shown: Vec<String>,
    /// Followed links; after one, the walk stays in its grant.
    links: u32,
    tells: bool,
}

enum At<V: Volume> {
    /// An inner node of the namespace.
    Virtual(NodeId),
    /// Every directory of a grant from its root to the reached one.
    Inside { grant: GrantId, frames: Vec<PathFrame<V>> },
}

struct PathFrame<V: Volume> {
    name: String,
    node: Option<NodeId>,
    /// None if closed to bound the number of handles; reopened on demand.
    handle: Option<V::Directory>,
}

impl<V: Volume> PathWalk<'_, V> {
    fn run(&mut self, last: LastLink) -> Result<Target<V>, Reason> {
        while let Some(mut segment) = self.ahead.pop_front() {
            if segment.name == ".." {
                if segment.asked {
                    self.passed()?;
                }
                self.up()?;
                if segment.asked {
                    self.shown = self.resolved();
                }
                continue;
            }
            if segment.asked {
                if let Some(rule) = self.entered()? {
                    self.ahead.push_front(segment);
                    let name = self.shown.last().cloned().unwrap_or_default();
                    return self.hidden(rule, &name);
                }
                if let Some(name) = self.unshown(&segment.name) {
                    segment.name = name;
                }
                self.shown.push(segment.name.clone());
            }
            if let Some(target) = self.down(&segment.name, last)? {
                return Ok(target);
            }
        }
        let shown = absolute(self.shown.iter().map(String::as_str));
        let resolved = self.resolved();
        Ok(match &self.at {
            At::Virtual(node) => Target::Virtual(shown, *node),
            At::Inside { grant, frames } => Target::Directory(Folder {
                grant: *grant,
                handle: top(frames)?,
                node: self.node(),
                requested: self.seen_from(&self.shown),
                own: if last == LastLink::Own { self.own(*grant, frames, &shown)? } else { None },
                shown,
                resolved: absolute(resolved.iter().map(String::as_str)),
            }),
        })
    }

    fn seen_from(&self, names: &[String]) -> Option<PolicyPosition> {
        let guard = self.namespace.guard();
        if self.links == 0 { None } else { guard.at(names.iter().map(String::as_str)) }
    }

    /// Asks about a passed directory as about the last one.
    fn passed(&self) -> Result<(), Reason> {
        let guard = self.namespace.guard();
        let ruling = self.seen_from(&self.shown).map_or_else(Ruling::default, |at| at.own());
        match (ruling.hidden, ruling.denied) {
            (Some(rule), _) => {
                guard.hid(rule);
                Err(Reason::NotFound(Vec::new()))
            }
            (None, Some(rule)) => Err(Reason::Denied(guard.rule(rule), Denial::Open)),
            (None, None) => Ok(()),
        }
    }

    /// Asks about an entered directory. Returns the rule that hides it: a missing name in it may
    /// still be requested.
    fn entered(&self) -> Result<Option<RuleId>, Reason> {
        let ruling = self.seen_from(&self.shown).map_or_else(Ruling::default, |at| at.own());
        match (ruling.hidden, ruling.denied) {
            (None, Some(rule)) => Err(Reason::Denied(self.namespace.guard().rule(rule), Denial::Open)),
            (hidden, _) => Ok(hidden),
        }
    }

    fn hidden_as_asked(&self, is_directory: bool) -> Option<RuleId> {
        // In a link, only the last segment stands for the requested one.
        if self.ahead.front().is_some_and(|next| !next.asked) {
            return None;
        }
        let (name, above) = self.shown.split_last()?;
        self.seen_from(above)?.ruling(self.namespace.guard().policy(), name, is_directory).hidden
    }

    /// Answers for a hidden name as for a missing one, without kind or content.
    fn hidden(&mut self, rule: RuleId, name: &str) -> Result<Target<V>, Reason> {
        self.namespace.guard().hid(rule);
        self.forget_links();
        self.absent(name)
    }

    /// Forgets links that require a directory: a hidden target must not reveal its kind.
    fn forget_links(&mut self) {
        self.directory_required = self.directory_asked;
    }

    /// Asks about the requested path if links lead elsewhere.
    fn requested(&mut self, target: Target<V>) -> Result<Target<V>, Reason> {
        match target {
            Target::Directory(folder) => {
                let ruling = folder.requested.as_ref().map_or_else(Ruling::default, PolicyPosition::own);
                match (ruling.hidden, ruling.denied) {
                    (Some(rule), _) => {
                        self.namespace.guard().hid(rule);
                        self.forget_links();
                        let At::Inside { grant, frames } = &self.at else {
                            return Err(Reason::NotFound(Vec::new()));
                        };
                        // As if the name were missing; a grant's directory has only its requested
                        // name.
                        match self.own(*grant, frames, &folder.shown)? {
                            Some(own) => Ok(Target::Absent(own)),
                            None => self.absent(&self.shown.last().cloned().unwrap_or_default()),
                        }
                    }
                    (None, Some(rule)) if !self.tells => {
                        Err(Reason::Denied(self.namespace.guard().rule(rule), Denial::Open))
                    }
                    _ => Ok(Target::Directory(folder)),
                }
            }
            Target::Entry(place, stat) => {
                let is_directory = stat.kind == Kind::Directory;
                match place.requested_ruling(self.namespace, is_directory).hidden {
                    Some(rule) => {
                        self.namespace.guard().hid(rule);
                        Ok(Target::Absent(place))
                    }
                    None => Ok(Target::Entry(place, stat)),
                }
            }
            target => Ok(target),
        }
    }

    fn own(&self, grant: GrantId, frames: &[PathFrame<V>], shown: &str) -> Result<Option<Place<V>>, Reason> {
        let Some((last, above)) = frames.split_last().filter(|(_, above)| !above.is_empty()) else {
            return Ok(None);
        };
        let held = self.namespace.grant(grant);
        let directory = match above.last().and_then(|frame| frame.handle.clone()) {
            Some(handle) => handle,
            // The handle was closed because the path is long.
            None => above.iter().skip(1).try_fold(held.root.clone(), |handle, frame| {
                open_directory(&held.volume, &handle, &frame.name).map_err(Reason::reading)
            })?,
        };
        let mut names = self.namespace.names(held.node);
        names.extend(above.iter().skip(1).map(|frame| frame.name.clone()));
        let resolved_directory = absolute(names.iter().map(String::as_str));
        Ok(Some(Place {
            grant,
            directory,
            parents: Vec::new(),
            name: last.name.clone(),
            directory_required: self.directory_required,
            asked: self.asked.to_owned(),
            shown: shown.to_owned(),
            resolved: join(&resolved_directory, &last.name),
            resolved_directory,
            requested: self.seen_from(&self.shown[..self.shown.len().saturating_sub(1)]),
        }))
    }

    /// Enters a node of the namespace. A link cannot leave its grant, so it never gets here.
    fn enter(&mut self, node: NodeId) -> Result<(), Reason> {
        if self.links > 0 {
            return Err(Reason::PathEscape);
        }
        self.at = At::Virtual(node);
        let Some((grant, below)) = self.namespace.covering(node) else { return Ok(()) };
        let held = self.namespace.grant(grant);
        let own = held.volume.standpoint(&held.root).map_or_else(Ruling::default, |root| root.own());
        if let Some(rule) = own.hidden {
            self.namespace.guard().hid(rule);
            return Err(Reason::NotGranted(self.namespace.grant_names()));
        }
        if let Some(rule) = own.denied {
            return Err(Reason::Denied(self.namespace.guard().rule(rule), Denial::Open));
        }
        let mut handle = held.root.clone();
        let mut frames =
            vec![PathFrame { name: String::new(), node: Some(held.node), handle: Some(handle.clone()) }];
        for node in below {
            let name = self.namespace.name(node).to_owned();
            match open_directory(&held.volume, &handle, &name) {
                Ok(opened) => handle = opened,
                // The name exists only as a prefix of another grant's name.
                Err(_) => return Ok(()),
            }
            frames.push(PathFrame { name, node: Some(node), handle: Some(handle.clone()) });
        }
        self.at = At::Inside { grant, frames };
        Ok(())
    }

    fn up(&mut self) -> Result<(), Reason> {
        match &mut self.at {
            At::Virtual(node) => {
                let parent = self.namespace.parent(*node).unwrap_or(*node);
                self.enter(parent)
            }
            At::Inside { grant, frames } if frames.len() == 1 => {
                let root = self.namespace.grant(*grant).node;
                let parent = self.namespace.parent(root).ok_or(Reason::PathEscape)?;
                self.enter(parent)
            }
            At::Inside { grant, frames } => {
                frames.pop();
                reopen(&self.namespace.grant(*grant).volume, frames)
            }
        }
    }

    fn down(&mut self, name: &str, last: LastLink) -> Result<Option<Target<V>>, Reason> {
        let is_last = self.ahead.is_empty();
        let node = self.node();
        // A hidden name leads to no grant.
        let mut child = node.and_then(|node| self.namespace.shown_child(node, name));
        if child.is_some()
            && let Some(rule) = self.hidden_as_asked(true)
        {
            self.namespace.guard().hid(rule);
            child = None;
        }
        let (grant, directory) = match &self.at {
            At::Virtual(_) => {
                let child = child.ok_or_else(|| Reason::NotGranted(self.namespace.grant_names()))?;
                return self.enter(child).map(|()| None);
            }
            At::Inside { grant, frames } => (*grant, top(frames)?),
        };
        if let Some(child) = child
            && self.namespace.grant_at(child).is_some()
        {
            return self.enter(child).map(|()| None);
        }
        let volume = &self.namespace.grant(grant).volume;
        admit(volume, name)?;

        // Checked before opening, also in the middle of a path: opening a FIFO blocks.
        let stat = match volume.stat(&directory, name) {
            Ok(stat) => stat,
            Err(Fault::NotFound) => return self.missing(name, child),
            Err(fault) => return Err(Reason::reading(fault)),
        };
        if let Some(rule) = self.hidden_as_asked(stat.kind == Kind::Directory) {
            return self.hidden(rule, name).map(Some);
        }
        match stat.kind {
            Kind::Link if is_last && self.directory_required && last == LastLink::Own => {
                Err(Reason::InvalidPath(PathProblem::SlashBehindLink))
            }
            Kind::Link if !is_last || self.directory_required || last == LastLink::Follow => {
                let target = volume.read_link(&directory, name);
                if let Err(Fault::Denied(rule)) = target {
                    return Err(Reason::Denied(rule, Denial::Open));
                }
                self.follow(target).map(|()| None)
            }
            Kind::Directory => match volume.open_directory(&directory, name) {
                Ok(handle) => {
                    self.push(name, child, handle);
                    Ok(None)
                }
                Err(Fault::Denied(_) | Fault::Access) if is_last && self.tells => {
                    Ok(Some(Target::Entry(self.place(grant, directory, Vec::new(), name), stat)))
                }
                Err(fault) => Err(Reason::reading(fault)),
            },
            _ if !is_last || self.directory_required => Err(Reason::NotDirectory),
            _ => Ok(Some(Target::Entry(self.place(grant, directory, Vec::new(), name), stat))),
        }
    }

    fn missing(&mut self, name: &str, child: Option<NodeId>) -> Result<Option<Target<V>>, Reason> {
        match child {
            // The prefix of another grant's name.
            Some(child) => self.enter(child).map(|()| None),
            None => self.absent(name).map(Some),
        }
    }

    fn absent(&mut self, name: &str) -> Result<Target<V>, Reason> {
        let At::Inside { grant, frames } = &self.at else { return Err(Reason::NotFound(Vec::new())) };
        let (grant, directory) = (*grant, top(frames)?);
        let mut names = vec![name.to_owned()];
        for PathSegment { name, asked } in std::mem::take(&mut self.ahead) {
            if name == ".." {
                return Err(Reason::NotFound(Vec::new()));
            }
            admit(&self.namespace.grant(grant).volume, &name)?;
            if asked {
                self.shown.push(name.clone());
            }
            names.push(name);
        }
        let name = names.pop().unwrap_or_default();
        Ok(Target::Absent(self.place(grant, directory, names, &name)))
    }

    fn place(&self, grant: GrantId, directory: V::Directory, parents: Vec<String>, name: &str) -> Place<V> {
        let resolved = self.resolved();
        let below = parents.iter().map(String::as_str).chain([name]);
        Place {
            grant,
            directory,
            asked: self.asked.to_owned(),
            shown: absolute(self.shown.iter().map(String::as_str)),
            resolved: absolute(resolved.iter().map(String::as_str).chain(below)),
            resolved_directory: absolute(resolved.iter().map(String::as_str)),
            parents,
            name: name.to_owned(),
            directory_required: self.directory_required,
            requested: self.seen_from(&self.shown[..self.shown.len().saturating_sub(1)]),
        }
    }

    fn node(&self) -> Option<NodeId> {
        match &self.at {
            At::Virtual(node) => Some(*node),
            At::Inside { frames, .. } => frames.last().and_then(|frame| frame.node),
        }
    }

    fn resolved(&self) -> Vec<String> {
        match &self.at {
            At::Virtual(node) => self.namespace.names(*node),
            At::Inside { grant, frames } => {
                let mut names = self.namespace.names(self.namespace.grant(*grant).node);
                names.extend(frames.iter().skip(1).map(|frame| frame.name.clone()));
                names
            }
        }
    }

    fn push(&mut self, name: &str, node: Option<NodeId>, handle: V::Directory) {
        let At::Inside { frames, .. } = &mut self.at else { return };
        frames.push(PathFrame { name: name.to_owned(), node, handle: Some(handle) });
        if frames.len() > HANDLES {
            // The middle ones are the least likely to be needed again.
            let oldest = frames.len() - HANDLES;
            frames[oldest].handle = None;
        }
    }
}

fn top<V: Volume>(frames: &[PathFrame<V>]) -> Result<V::Directory, Reason> {
    frames.last().and_then(|frame| frame.handle.clone()).ok_or(Reason::NotFound(Vec::new()))
}

fn admit<V: Volume>(volume: &V, name: &str) -> Result<(), Reason> {
    if name.contains('\\') && volume.abilities().backslash_separates {
        return Err(Reason::InvalidPath(PathProblem::Backslash));
    }
    Ok(())
}

/// Opens a directory by an unchecked name.
fn open_directory<V: Volume>(
    volume: &V,
    directory: &V::Directory,
    name: &str,
) -> Result<V::Directory, Fault> {
    match volume.stat(directory, name)?.kind {
        Kind::Directory => volume.open_directory(directory, name),
        _ => Err(Fault::NotDirectory),
    }
}

/// Reopens the last directory from the nearest open one above. Keeps the handles between, so that
/// going up does not reopen them.
fn reopen<V: Volume>(volume: &V, frames: &mut [PathFrame<V>]) -> Result<(), Reason> {
    let Some(kept) = frames.iter().rposition(|frame| frame.handle.is_some()) else {
        return Err(Reason::NotFound(Vec::new()));
    };
    let Some(mut handle) = frames[kept].handle.clone() else { return Err(Reason::NotFound(Vec::new())) };
    let first_kept = frames.len().saturating_sub(HANDLES / 2);
    for (index, frame) in frames.iter_mut().enumerate().skip(kept + 1) {
        handle = open_directory(volume, &handle, &frame.name).map_err(Reason::reading)?;
        if index >= first_kept {
            frame.handle = Some(handle.clone());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
