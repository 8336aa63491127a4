//! The open directories on the path, with bounded handles and names.

use std::ops::ControlFlow;

use super::ignore_stack::{self, IgnoreStack, LevelDirectory};
use super::names::{Collecting, NamePage};
use super::time_budget::TimeBudget;
use super::{Walk, add};
use crate::resolve::Folder;
use fsgate_contract::limits::{HANDLES, WALK_NAMES_BYTES};
use fsgate_contract::path::join;
use fsgate_error::IgnoreProblem;
use fsgate_journal::namespace::{GrantId, NodeId};
use fsgate_policy::PolicyPosition;
use fsgate_volume::{Fault, Kind, Listed, Volume};

pub(super) struct Frame<V: Volume> {
    pub(super) name: String,
    pub(super) at: At<V>,
    /// The offset of its names in the path.
    pub(super) prefix: usize,
    pub(super) from: FrameSource,
    /// The policy's position of the requested path, if links lead elsewhere.
    pub(super) requested: Option<PolicyPosition>,
    pub(super) names: NamePage,
    pub(super) passed: usize,
    pub(super) levels: IgnoreStack,
    /// It or a directory above is ignored.
    pub(super) is_ignored: bool,
    pub(super) faulty: bool,
}

pub(super) enum FrameSource {
    Start,
    After(String),
    At(String),
}

pub(super) enum At<V: Volume> {
    Virtual(NodeId),
    /// A directory of a grant; its handle may be closed.
    Inside(GrantId, Option<V::Directory>),
}

impl<V: Volume> Walk<'_, V> {
    pub(super) fn enter(&mut self) {
        let passed = self.frames.last().and_then(|frame| frame.names.get(frame.passed.checked_sub(1)?));
        let Some((name, _)) = passed else { return };
        let name = name.to_owned();
        let depth = self.frames.len();
        if let Err(fault) = self.descend(&name, FrameSource::Start)
            && self.frames.len() == depth
        {
            self.skip(&fault);
        }
    }

    pub(super) fn skip(&mut self, fault: &Fault) {
        match fault {
            Fault::Denied(_) => add(&mut self.skipped.denied, 1),
            _ => add(&mut self.skipped.unreadable, 1),
        }
    }

    pub(super) fn descend(&mut self, name: &str, from: FrameSource) -> Result<(), Fault> {
        let Some(top) = self.frames.last() else { return Err(Fault::NotFound) };
        let (namespace, levels) = (self.namespace, top.levels.clone());
        let prefix = top.prefix;
        let policy = namespace.guard().policy();
        let requested = top.requested.as_ref().map(|at| at.below(policy, name));
        if let Some(rule) = requested.as_ref().and_then(|at| at.own().denied) {
            return Err(namespace.guard().denied(rule));
        }
        let at = match &top.at {
            At::Virtual(node) => {
                let child = namespace.shown_child(*node, name).ok_or(Fault::NotFound)?;
                match namespace.grant_at(child) {
                    Some(grant) => {
                        if let Some(rule) = namespace.closes(child) {
                            return Err(namespace.guard().denied(rule));
                        }
                        At::Inside(grant, Some(namespace.grant(grant).root.clone()))
                    }
                    None => At::Virtual(child),
                }
            }
            At::Inside(grant, _) => {
                let grant = *grant;
                let parent = self.handle()?;
                let opened = namespace.grant(grant).volume.open_directory(&parent, name)?;
                At::Inside(grant, Some(opened))
            }
        };
        self.path.truncate(prefix);
        self.path.push_str(name);
        self.path.push('/');
        self.push(name.to_owned(), at, requested, &levels, from)
    }

    pub(super) fn push(
        &mut self,
        name: String,
        at: At<V>,
        requested: Option<PolicyPosition>,
        outer: &IgnoreStack,
        from: FrameSource,
    ) -> Result<(), Fault> {
        let prefix = self.path.len();
        let is_ignored = self.frames.last().is_some_and(|above| {
            let path = self.path.trim_end_matches('/');
            above.is_ignored || !above.levels.is_empty() && ignore_stack::ignored(&above.levels, path, true)
        });
        let (names, fault) = self.read(&at, &from);
        // Without any name it is not entered.
        if let Some(fault) = &fault
            && names.len() == 0
            && !self.frames.is_empty()
        {
            self.path.truncate(self.frames.last().map_or(self.base, |frame| frame.prefix));
            return Err(fault.clone());
        }
        let mut levels = outer.clone();
        if let At::Inside(grant, Some(handle)) = &at
            && self.scope.reads_ignore_files()
        {
            let volume = &self.namespace.grant(*grant).volume;
            let path = join(&self.shown, self.path.get(self.base..).unwrap_or_default());
            let at = LevelDirectory {
                namespace: self.namespace,
                volume,
                directory: handle,
                path: path.trim_end_matches('/'),
            };
            let read = ignore_stack::read(&at, names.landmarks, prefix, outer);
            levels = read.levels;
            self.leave_out(&read.left_out);
        }
        self.held += names.bytes();
        let faulty = fault.is_some();
        self.frames.push(Frame {
            name,
            at,
            prefix,
            from,
            requested,
            names,
            passed: 0,
            levels,
            is_ignored,
            faulty,
        });
        self.let_go();
        fault.map_or(Ok(()), Err)
    }

    pub(super) fn leave_out(&mut self, files: &[(&str, IgnoreProblem)]) {
        for (file, why) in files {
            let directory = self.path.get(self.base..).unwrap_or_default();
            let path = join(&self.shown, &format!("{directory}{file}"));
            self.left_out.0.get_or_insert((path, *why));
            self.left_out.1 += 1;
        }
    }

    pub(super) fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.held -= frame.names.bytes();
        // Undecodable names have no place in the order, so they are counted once here.
        add(&mut self.skipped.not_utf8, frame.names.undecodable);
        add(&mut self.skipped.unreadable, u32::from(frame.faulty));
        self.moved = true;
        let lost = matches!(self.frames.last(), Some(Frame { at: At::Inside(_, None), .. }))
            && self.handle().is_err();
        if lost && let Some(frame) = self.frames.last_mut() {
            // The directory was moved or removed, so the rest of it is lost.
            self.held -= frame.names.bytes();
            frame.names.end_at(frame.passed);
            frame.faulty = true;
            self.held += frame.names.bytes();
        }
    }

    pub(super) fn turn_page(&mut self) {
        let handle = self.handle();
        let Some(mut frame) = self.frames.pop() else { return };
        let last = frame.passed.checked_sub(1).and_then(|last| frame.names.get(last));
        if let Some((name, _)) = last {
            frame.from = FrameSource::After(name.to_owned());
        }
        let mut budget = std::mem::replace(&mut self.budget, TimeBudget::new(self.namespace, None));
        let (names, fault) = budget.graced(self.namespace, || match handle {
            Err(fault) if matches!(frame.at, At::Inside(..)) => (NamePage::default(), Some(fault)),
            _ => self.read(&frame.at, &frame.from),
        });
        self.budget = budget;
        self.held = self.held + names.bytes() - frame.names.bytes();
        frame.faulty |= fault.is_some();
        frame.names = names;
        frame.passed = 0;
        self.frames.push(frame);
    }

    fn read(&self, at: &At<V>, from: &FrameSource) -> (NamePage, Option<Fault>) {
        let mut names = match from {
            FrameSource::Start => Collecting::new(None, false),
            FrameSource::After(name) => Collecting::new(Some(name), false),
            FrameSource::At(name) => Collecting::new(Some(name), true),
        };
        let told = match at {
            At::Virtual(node) => {
                for name in self.namespace.children(*node) {
                    names.add(Listed::Name(&name, Kind::Directory));
                }
                Ok(())
            }
            At::Inside(_, None) => Err(Fault::NotFound),
            At::Inside(grant, Some(handle)) => {
                self.namespace.grant(*grant).volume.each_entry(handle, &mut |listed| {
                    names.add(listed);
                    ControlFlow::Continue(())
                })
            }
        };
        (names.finish(), told.err())
    }

    fn handle(&mut self) -> Result<V::Directory, Fault> {
        let open = |frame: &Frame<V>| !matches!(frame.at, At::Inside(_, None));
        let kept = self.frames.iter().rposition(open).ok_or(Fault::NotFound)?;
        for at in kept + 1..self.frames.len() {
            let name = &self.frames[at].name;
            let At::Inside(grant, Some(parent)) = &self.frames[at - 1].at else {
                return Err(Fault::NotFound);
            };
            let opened = self.namespace.grant(*grant).volume.open_directory(parent, name)?;
            if let At::Inside(_, handle) = &mut self.frames[at].at {
                *handle = Some(opened);
            }
        }
        self.let_go();
        match self.frames.last().map(|frame| &frame.at) {
            Some(At::Inside(_, Some(handle))) => Ok(handle.clone()),
            _ => Err(Fault::NotFound),
        }
    }

    /// Closes handles and drops names from the outside in: those are needed last.
    fn let_go(&mut self) {
        let surplus = self.frames.len().saturating_sub(HANDLES);
        // The start stays open: every other directory can be reopened from it.
        for frame in self.frames.iter_mut().skip(1).take(surplus) {
            if let At::Inside(_, handle) = &mut frame.at {
                *handle = None;
            }
        }
        let inner = self.frames.len().saturating_sub(1);
        for frame in self.frames.iter_mut().take(inner) {
            if self.held <= WALK_NAMES_BYTES {
                break;
            }
            self.held -= frame.names.bytes();
            frame.names.give_up(frame.passed);
            frame.passed = frame.names.len();
            self.held += frame.names.bytes();
        }
    }

    /// The rules above the start, up to its repository or the root of its grant.
    pub(super) fn levels_above(&mut self, folder: &Folder<V>) -> IgnoreStack {
        let names = folder.names_in_grant(self.namespace);
        let volume = folder.volume(self.namespace);
        let granted = self.namespace.path(self.namespace.grant(folder.grant()).node);
        let mut handle = volume.root();
        let mut levels = IgnoreStack::default();
        for name in names {
            let path = format!("{granted}/{}", self.path.trim_end_matches('/'));
            let at = LevelDirectory {
                namespace: self.namespace,
                volume,
                directory: &handle,
                path: path.trim_end_matches('/'),
            };
            let read =
                ignore_stack::read(&at, ignore_stack::landmarks(volume, &handle), self.path.len(), &levels);
            levels = read.levels;
            if let Some((file, why)) = read.left_out.first() {
                self.left_out.0.get_or_insert_with(|| (format!("{file} above {}", self.shown), *why));
                self.left_out.1 += 1;
            }
            match volume.open_directory(&handle, &name) {
                Ok(opened) => handle = opened,
                Err(_) => break,
            }
            self.path.push_str(&name);
            self.path.push('/');
        }
        self.base = self.path.len();
        levels
    }
}
