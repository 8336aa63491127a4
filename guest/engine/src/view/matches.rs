//! The files below a directory that a pattern names.

use std::collections::HashSet;

use super::{Reach, View};
use crate::resolve::Folder;
use crate::walk::{Scope, Visits};
use fsgate_contract::limits::{GLOB_MATCHES, LINKS_REMEMBERED};
use fsgate_contract::path::{below, join};
use fsgate_error::{Failure, Reason};
use fsgate_journal::tree_walk::{PathRoom, Stopped, TreeVisitor, VisitedDirectory, walk};
use fsgate_text::glob::Glob;
use fsgate_volume::{Fault, Kind, Volume};

/// The matches of a pattern.
#[derive(Debug, Default)]
pub struct Matches {
    /// Paths of files and links, sorted.
    pub paths: Vec<(String, Kind)>,
    /// The number of matches that begin with a dot.
    pub hidden: u64,
    /// The number of ignored matches.
    pub ignored: u64,
    /// The number of special files.
    pub special: u64,
    /// The first matching directory.
    pub directory: Option<String>,
    /// The first links on the pattern's path, which are not followed.
    pub linked: Vec<String>,
    /// The number of names that are not UTF-8.
    pub unreachable: u64,
    /// The number of denied directories.
    pub denied: u64,
}

/// The accepted matches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Choice {
    /// Accepts paths with a dot name that the pattern does not name.
    pub include_hidden: bool,
    /// Rejects ignored files.
    pub respect_ignore: bool,
}

impl<V: Volume> View<'_, V> {
    /// Finds the matching files below a folder, up to the limit of one call.
    pub fn matching(
        &self,
        folder: &Folder<V>,
        asked: &str,
        pattern: &str,
        choice: Choice,
    ) -> Result<Matches, Failure> {
        let glob = self.glob(asked, "glob", pattern, Reach::Directory, false)?;
        let room = PathRoom::below(folder.resolved());
        let is_hidden = |path: &str| {
            // The volume hides names by the resolved path.
            let shown = folder.requested().map(|_| join(folder.shown(), path));
            shown.is_some_and(|shown| {
                self.namespace.guard().hides(shown.split('/').filter(|name| !name.is_empty())).is_some()
            })
        };
        let Choice { include_hidden, respect_ignore } = choice;
        let unignored = if respect_ignore { Some(self.unignored(asked, glob.clone())?) } else { None };
        let mut looking = MatchVisitor {
            glob,
            include_hidden,
            unignored,
            is_hidden,
            room,
            found: 0,
            matches: Matches::default(),
        };
        let volume = folder.volume(self.namespace);
        walk(volume, folder.handle().clone(), &mut looking)
            .map_err(|Stopped { reason, path }| reason.at(below(asked, &path)))?;
        let MatchVisitor { found, mut matches, .. } = looking;
        if found > GLOB_MATCHES as u64 {
            return Err(Reason::TooManyMatches { found, most: GLOB_MATCHES }.at(asked));
        }
        matches.paths.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(matches)
    }
}

impl<V: Volume> View<'_, V> {
    /// The matching paths that no ignore file names. An unusable ignore file is refused, because
    /// the caller changes the result.
    fn unignored(&self, asked: &str, glob: Glob) -> Result<HashSet<String>, Failure> {
        let scope = Scope {
            include_hidden: true,
            respect_ignore: true,
            include: vec![glob],
            visits: Visits::Others,
            ..Scope::default()
        };
        let mut walk = self.walk(asked, scope, None)?;
        let mut paths = HashSet::new();
        while let Some(visit) = walk.next() {
            paths.insert(visit.path.to_owned());
        }
        walk.require_ignore_files().map_err(|reason| reason.at(asked))?;
        Ok(paths)
    }
}

struct MatchVisitor<H> {
    glob: Glob,
    include_hidden: bool,
    unignored: Option<HashSet<String>>,
    is_hidden: H,
    room: PathRoom,
    found: u64,
    matches: Matches,
}

impl<V: Volume, H: Fn(&str) -> bool> TreeVisitor<V> for MatchVisitor<H> {
    fn wants(&mut self, here: &VisitedDirectory<V>, name: &str) -> bool {
        let path = here.path_of(name);
        if (self.is_hidden)(&path) {
            return false;
        }
        let leads = self.glob.leads_through(&path);
        let is_named = self.glob.matches(&path, true) && (self.include_hidden || self.glob.names_dots(&path));
        if is_named && self.matches.directory.is_none() {
            self.matches.directory = Some(path);
        }
        leads
    }

    fn unopened(&mut self, path: &str, fault: Fault) -> Result<(), Reason> {
        let Fault::Denied(_) = fault else { return Err(Reason::reading(fault)) };
        self.matches.denied += u64::from(self.glob.names_dots(path) && !(self.is_hidden)(path));
        Ok(())
    }

    fn enter(&mut self, here: &VisitedDirectory<V>, _: &str) -> Result<(), Reason> {
        self.room.holds(here.path)
    }

    fn entry(&mut self, here: &VisitedDirectory<V>, name: &str, kind: Kind) -> Result<(), Reason> {
        let path = here.path_of(name);
        if (self.is_hidden)(&path) {
            return Ok(());
        }
        if !self.glob.matches(&path, false) {
            if kind == Kind::Link
                && self.matches.linked.len() < LINKS_REMEMBERED
                && self.glob.leads_into(&path)
            {
                self.matches.linked.push(path);
            }
            return Ok(());
        }
        if let Kind::Special(_) = kind {
            self.matches.special += 1;
        } else if !self.include_hidden && !self.glob.names_dots(&path) {
            self.matches.hidden += 1;
        } else if self.unignored.as_ref().is_some_and(|unignored| !unignored.contains(&path)) {
            self.matches.ignored += 1;
        } else {
            self.room.holds(&path)?;
            self.found += 1;
            // Excess matches are only counted.
            if self.found <= GLOB_MATCHES as u64 {
                self.matches.paths.push((path, kind));
            }
        }
        Ok(())
    }

    fn unreachable(&mut self, _: &VisitedDirectory<V>, count: u64) -> Result<(), Reason> {
        self.matches.unreachable += count;
        Ok(())
    }
}
