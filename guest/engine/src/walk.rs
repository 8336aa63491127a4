//! The walk of all tools that look at more than one directory.
//!
//! Depth-first, in byte order of names: a directory, its content, then the next name. The walk
//! opens directories only, describes links without following them, and knows the rest from
//! listings. It can end after any name and go on in another call, which reads only the directories
//! on the path again and counts nothing twice. Names in memory are bounded by pages
//! (`walk/names.rs`), open directories by number.
//!
//! [`Walk::next`] visits one entry. The next call passes it, so a tool without room for it takes
//! [`Walk::position`] first.

mod frames;
mod ignore_stack;
mod ignored_names;
mod names;
mod repository;
mod resume;
#[cfg(test)]
mod tests;
mod time_budget;
mod visit;

use std::time::Duration;

use crate::pager::cursor::WalkPosition;
use crate::resolve::Folder;
use fsgate_contract::limits::{LINKS_REMEMBERED, PATH_BYTES, PATH_SEGMENTS};
use fsgate_contract::search_types::Skipped;
use fsgate_contract::types::Note;
use fsgate_error::{IgnoreProblem, Reason};
use fsgate_journal::namespace::{Namespace, NodeId};
use fsgate_text::glob::Glob;
use fsgate_volume::{Access, Fault, Kind, Volume};

use frames::{At, Frame, FrameSource};
use ignore_stack::IgnoreStack;
pub use ignored_names::IgnoredNames;
use time_budget::TimeBudget;
pub use visit::Visit;

/// The part of a tree that is walked and visited.
#[derive(Debug, Default)]
pub struct Scope {
    /// Include names that begin with a dot.
    pub include_hidden: bool,
    /// Leave out ignored names.
    pub respect_ignore: bool,
    /// Include ignored names, and mark them.
    pub marks_ignored: bool,
    /// The greatest depth; 1 for the names in the start.
    pub max_depth: Option<u32>,
    /// The time after which the walk ends, once something was passed.
    pub max_time: Option<Duration>,
    /// Visit only matches of these, if any. Directories that cannot lead to one are not walked.
    pub include: Vec<Glob>,
    /// Neither visit nor walk matches of these.
    pub exclude: Vec<Glob>,
    /// Count names that the patterns leave out.
    pub counts_excluded: bool,
    /// The visited kinds.
    pub visits: Visits,
}

impl Scope {
    fn reads_ignore_files(&self) -> bool {
        self.respect_ignore || self.marks_ignored
    }
}

/// The visited kinds. Directories are walked in any case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Visits {
    /// All kinds.
    #[default]
    Everything,
    /// Directories.
    Directories,
    /// All other kinds.
    Others,
}

/// A walk in progress.
pub struct Walk<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    scope: Scope,
    shown: String,
    resolved: String,
    segments: usize,
    frames: Vec<Frame<V>>,
    /// Below [`Walk::base`].
    path: String,
    /// Bytes of `path` above the start, for ignore files there.
    base: usize,
    /// The visited entry that is not passed yet.
    visited: Option<Visited>,
    /// The last passed name is a directory to be walked.
    entering: bool,
    skipped: Skipped,
    linked: Vec<String>,
    /// The first ignore file that was not applied, with the reason, and their number.
    left_out: (Option<(String, IgnoreProblem)>, u32),
    budget: TimeBudget,
    /// Something was passed, so that repeated calls make progress.
    moved: bool,
    timed_out: bool,
    held: usize,
}

#[derive(Debug, Clone, Copy)]
struct Visited {
    enters: bool,
}

enum Judgement {
    Skip(fn(&mut Skipped) -> &mut u32),
    /// A link that patterns lead through.
    Linked,
    Drop,
    Enter,
    Visit {
        enters: bool,
    },
}

impl<'a, V: Volume> Walk<'a, V> {
    /// A walk through a directory of a grant; the fault is of the directory itself.
    pub(crate) fn new(
        namespace: &'a Namespace<V>,
        folder: &Folder<V>,
        scope: Scope,
        from: Option<&WalkPosition>,
    ) -> Result<Self, Fault> {
        let mut walk = Self::empty(namespace, folder.shown(), folder.resolved(), scope);
        let levels =
            if walk.scope.reads_ignore_files() { walk.levels_above(folder) } else { IgnoreStack::default() };
        let at = At::Inside(folder.grant(), Some(folder.handle().clone()));
        walk.begin(at, folder.requested().cloned(), &levels, from)
    }

    /// A walk through a directory that leads to grants.
    pub(crate) fn of_virtual(
        namespace: &'a Namespace<V>,
        node: NodeId,
        scope: Scope,
        from: Option<&WalkPosition>,
    ) -> Result<Self, Fault> {
        let path = namespace.path(node);
        Self::empty(namespace, &path, &path, scope).begin(
            At::Virtual(node),
            None,
            &IgnoreStack::default(),
            from,
        )
    }

    fn empty(namespace: &'a Namespace<V>, shown: &str, resolved: &str, scope: Scope) -> Self {
        Self {
            budget: TimeBudget::new(namespace, scope.max_time),
            namespace,
            scope,
            shown: shown.to_owned(),
            resolved: resolved.to_owned(),
            segments: shown.split('/').filter(|name| !name.is_empty()).count(),
            frames: Vec::new(),
            path: String::new(),
            base: 0,
            visited: None,
            entering: false,
            skipped: Skipped::default(),
            linked: Vec::new(),
            left_out: (None, 0),
            moved: false,
            timed_out: false,
            held: 0,
        }
    }

    /// Visits the next entry; none at the end of the tree or of the time.
    #[expect(clippy::should_implement_trait, reason = "an iterator's items cannot borrow from it")]
    pub fn next(&mut self) -> Option<Visit<'_, V>> {
        self.pass();
        loop {
            // At the end there is no position, however late it is.
            if self.frames.is_empty() {
                return None;
            }
            if self.moved && self.budget.is_over_now_and_then(self.namespace) {
                self.timed_out = true;
                return None;
            }
            if std::mem::take(&mut self.entering) {
                self.enter();
                continue;
            }
            let frame = self.frames.last_mut()?;
            let Some((name, kind)) = frame.names.get(frame.passed) else {
                if !frame.names.more() {
                    self.leave();
                    continue;
                }
                // The page is finished, so nothing is read again if the walk ends here.
                self.budget.end_grace();
                if self.moved && self.budget.is_over(self.namespace) {
                    self.timed_out = true;
                    return None;
                }
                self.turn_page();
                continue;
            };
            self.path.truncate(frame.prefix);
            self.path.push_str(name);
            match self.judge(kind) {
                Judgement::Visit { enters } => {
                    self.visited = Some(Visited { enters });
                    break;
                }
                Judgement::Skip(count) => add(count(&mut self.skipped), 1),
                Judgement::Linked => {
                    add(&mut self.skipped.links, 1);
                    if self.linked.len() < LINKS_REMEMBERED {
                        self.linked.extend(self.path.get(self.base..).map(str::to_owned));
                    }
                }
                Judgement::Drop => {}
                Judgement::Enter => self.entering = true,
            }
            self.step();
        }
        self.current()
    }

    /// The visited entry, until it is passed.
    pub fn current(&self) -> Option<Visit<'_, V>> {
        self.visited?;
        let frame = self.frames.last()?;
        let (name, kind) = frame.names.get(frame.passed)?;
        let path = self.path.get(self.base..)?;
        let depth = u32::try_from(self.frames.len()).unwrap_or(u32::MAX);
        Some(Visit { path, name, kind, depth, walk: self, frame })
    }

    /// Opens the visited entry as a regular file; refuses links. The walk may go on meanwhile.
    pub fn open(&self) -> Result<(&'a V, V::File), Fault> {
        let visit = self.current().ok_or(Fault::NotFound)?;
        let At::Inside(grant, Some(directory)) = &visit.frame.at else { return Err(Fault::IsDirectory) };
        let volume = &self.namespace.grant(*grant).volume;
        visit.require_open()?;
        volume.open_file(directory, visit.name, Access::Read).map(|file| (volume, file))
    }

    /// Passes the visited entry. The walk goes on after it, and into a directory.
    pub fn pass(&mut self) {
        if let Some(Visited { enters }) = self.visited.take() {
            self.entering = enters;
            self.step();
        }
    }

    /// The time is over.
    pub fn timed_out(&self) -> bool {
        self.timed_out
    }

    /// Checks the time, for a tool that takes long over one entry.
    pub fn time_is_over(&mut self) -> bool {
        self.budget.is_over(self.namespace)
    }

    /// The names left out so far.
    pub fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    /// The same, for a tool that leaves out names itself.
    pub fn skipped_mut(&mut self) -> &mut Skipped {
        &mut self.skipped
    }

    /// The requested path of the start, absolute.
    pub fn start(&self) -> &str {
        &self.shown
    }

    /// The first links that patterns lead through, as paths below the start.
    pub fn linked(&self) -> &[String] {
        &self.linked
    }

    /// The note about ignore files that were not applied.
    pub fn notes(&self) -> Vec<Note> {
        let (Some((first, why)), count) = &self.left_out else { return Vec::new() };
        let why = why.cause();
        // Without a number, so that equal notes of all parts of a walk become one.
        let text = match count {
            1 => format!("`{first}` was left out, so nothing is ignored by it: {why}"),
            _ => format!("`{first}` and others were left out, so nothing is ignored by them: {why}"),
        };
        vec![Note { kind: "ignore_file".to_owned(), text }]
    }

    /// Refuses a change of files that are not ignored if an ignore file was not applied.
    pub fn require_ignore_files(&self) -> Result<(), Reason> {
        match &self.left_out.0 {
            None => Ok(()),
            Some((file, why)) => Err(Reason::IgnoreFile { file: file.clone(), why: *why }),
        }
    }

    /// The position after the last passed name; none before.
    pub fn position(&self) -> Option<WalkPosition> {
        let frame = self.frames.last()?;
        let directory = self.path.get(self.base..frame.prefix)?;
        let below = |name: &str| format!("{directory}{name}");
        let last = frame.passed.checked_sub(1).and_then(|last| frame.names.get(last));
        match (last, &frame.from) {
            (Some((name, _)), _) if self.entering => Some(WalkPosition::Within(below(name))),
            (Some((name, _)), _) => Some(WalkPosition::After(below(name))),
            (None, FrameSource::After(name)) => Some(WalkPosition::After(below(name))),
            (None, FrameSource::At(name)) => Some(WalkPosition::At(below(name), String::new())),
            (None, FrameSource::Start) => {
                directory.strip_suffix('/').map(|directory| WalkPosition::Within(directory.to_owned()))
            }
        }
    }

    /// The position at the visited entry, with data of the tool.
    pub fn position_at(&self, extra: String) -> Option<WalkPosition> {
        self.current().map(|visit| WalkPosition::At(visit.path.to_owned(), extra))
    }

    fn is_ignored(&self, frame: &Frame<V>, is_directory: bool) -> bool {
        frame.is_ignored
            || !frame.levels.is_empty() && ignore_stack::ignored(&frame.levels, &self.path, is_directory)
    }

    fn step(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.passed += 1;
            self.moved = true;
        }
    }

    fn judge(&self, kind: Kind) -> Judgement {
        let Some(frame) = self.frames.last() else { return Judgement::Drop };
        let name = self.path.get(frame.prefix..).unwrap_or_default();
        let depth = self.frames.len();
        let path = self.path.get(self.base..).unwrap_or_default();
        let is_directory = kind == Kind::Directory;
        if self.segments + depth > PATH_SEGMENTS || self.shown.len() + 1 + path.len() > PATH_BYTES {
            return Judgement::Skip(|skipped| &mut skipped.too_deep);
        }
        if let At::Inside(grant, _) = &frame.at
            && name.contains('\\')
            && self.namespace.grant(*grant).volume.abilities().backslash_separates
        {
            return Judgement::Skip(|skipped| &mut skipped.not_utf8);
        }
        if let Some(at) = &frame.requested
            && at.ruling(self.namespace.guard().policy(), name, is_directory).hidden.is_some()
        {
            return Judgement::Drop;
        }
        let names_dots = |glob: &Glob| {
            glob.names_dots(path) && (glob.matches(path, is_directory) || glob.leads_through(path))
        };
        if !self.scope.include_hidden && name.starts_with('.') && !self.scope.include.iter().any(names_dots) {
            return Judgement::Skip(|skipped| &mut skipped.hidden);
        }
        if self.scope.respect_ignore && self.is_ignored(frame, is_directory) {
            return Judgement::Skip(|skipped| &mut skipped.ignored);
        }
        let excluded = if self.scope.counts_excluded {
            Judgement::Skip(|skipped| &mut skipped.excluded)
        } else {
            Judgement::Drop
        };
        let Scope { include, exclude, .. } = &self.scope;
        if exclude.iter().any(|glob| glob.matches(path, is_directory)) {
            return excluded;
        }
        let included = include.is_empty() || include.iter().any(|glob| glob.matches(path, is_directory));
        if kind == Kind::Link && !included && include.iter().any(|glob| glob.leads_into(path)) {
            return Judgement::Linked;
        }
        if !is_directory {
            return match self.scope.visits {
                Visits::Directories => Judgement::Drop,
                _ if included => Judgement::Visit { enters: false },
                _ => excluded,
            };
        }
        let enters = self.scope.max_depth.is_none_or(|most| depth < most as usize)
            && (include.is_empty() || include.iter().any(|glob| glob.leads_through(path)));
        match (included && self.scope.visits != Visits::Others, enters) {
            (true, enters) => Judgement::Visit { enters },
            (false, true) => Judgement::Enter,
            // No pattern leaves out names that are too deep.
            (false, false) if included => Judgement::Drop,
            (false, false) => excluded,
        }
    }
}

fn add(count: &mut u32, more: u32) {
    *count = count.saturating_add(more);
}
