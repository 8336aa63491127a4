//! Patterns over paths, relative to the directory of the call, or absolute.

use super::{PathObject, View};
use crate::notes;
use crate::resolve::LastLink;
use crate::walk::Walk;
use fsgate_contract::limits::ERROR_PATH_CHARS;
use fsgate_contract::path::{self, join};
use fsgate_contract::types::Note;
use fsgate_error::{Failure, Reason};
use fsgate_text::excerpt::cut;
use fsgate_text::glob::url::decoded_pattern;
use fsgate_text::glob::{Glob, WILD, all_below, alternatives, escaped, is_by_name, literal_lead};
use fsgate_volume::Volume;

/// The paths of a pattern without a `/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Names in the directory itself.
    Directory,
    /// Names at any depth.
    Anywhere,
}

/// The directory that the first names of a pattern lead to, through a link.
pub struct Lead {
    /// Its path.
    pub path: String,
    /// The rest of the pattern.
    pub rest: String,
    /// Number of names from the directory of the call to this one.
    pub depth: u32,
}

impl<V: Volume> View<'_, V> {
    /// The pattern of the argument `field`, below the directory at `path`. An absolute pattern or
    /// choice in its braces has to be inside.
    pub fn glob(
        &self,
        path: &str,
        field: &'static str,
        pattern: &str,
        reach: Reach,
        ignore_case: bool,
    ) -> Result<Glob, Failure> {
        let refused = |invalid| Reason::InvalidGlob { field, invalid }.at(path);
        let mut all = Vec::new();
        for alternative in alternatives(pattern).map_err(refused)? {
            all.push(match self.below_start(path, field, &alternative)? {
                // An absolute pattern is about one place, even without another `/`.
                Some(below) => (below, false),
                None => {
                    let by_name = reach == Reach::Anywhere && is_by_name(&alternative);
                    (alternative, by_name)
                }
            });
        }
        let compiled = Glob::of(all.iter().map(|(pattern, by_name)| (&**pattern, *by_name)), ignore_case);
        compiled.map_err(|mut invalid| {
            if let [(below, _)] = &all[..] {
                invalid.position += pattern.len().saturating_sub(below.len());
            }
            refused(invalid)
        })
    }

    /// The patterns of the argument `field` below the directory at `path`. A pattern that names a
    /// directory includes all below it.
    pub fn globs_with_below(
        &self,
        path: &str,
        field: &'static str,
        patterns: &[String],
    ) -> Result<Vec<Glob>, Failure> {
        let below = patterns.iter().flat_map(|pattern| all_below(pattern));
        let glob = |pattern: String| self.glob(path, field, &pattern, Reach::Anywhere, false);
        patterns.iter().cloned().chain(below).map(glob).collect()
    }

    /// An absolute pattern or `file://` URL, relative to the directory at `path`.
    fn below_start(&self, path: &str, field: &'static str, pattern: &str) -> Result<Option<String>, Failure> {
        match decoded_pattern(pattern).map_err(|problem| Reason::InvalidPath(problem).at(pattern))? {
            absolute if absolute.starts_with('/') => self.relative_to(path, field, &absolute).map(Some),
            _ => Ok(None),
        }
    }

    /// An absolute pattern, relative to the directory at `path`. Its names may lead there through
    /// links, or another name of a grant.
    fn relative_to(&self, path: &str, field: &'static str, pattern: &str) -> Result<String, Failure> {
        let directory = self.directory(path)?;
        let start = match &directory {
            Ok(directory) => directory.path().to_owned(),
            Err(only) => only.path.clone(),
        };
        let below = pattern.strip_prefix(start.trim_end_matches('/'));
        if let Some(below) = below.filter(|below| below.is_empty() || below.starts_with('/')) {
            return Ok(below.to_owned());
        }
        let lead = literal_lead(pattern);
        if let Ok(directory) = directory
            && let Ok(PathObject::Directory(there)) = self.look(lead, LastLink::Follow)
            && let Some(below) = there.folder.names_below(self.namespace, &directory.folder)
        {
            return Ok(format!("{}{}", escaped(&below.join("/")), &pattern[lead.len()..]));
        }
        Err(Reason::GlobOutside { field, start }.at(path))
    }

    /// The directory that the names of a pattern lead to through a link. None without a link, or if
    /// the pattern has several choices. A walk follows no link, but a path does.
    pub fn linked_lead(&self, path: &str, pattern: &str) -> Option<Lead> {
        let [pattern] = <[String; 1]>::try_from(alternatives(pattern).ok()?).ok()?;
        let pattern = self.below_start(path, "pattern", &pattern).ok()?.unwrap_or(pattern);
        let pattern = pattern.trim_start_matches('/');
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let lead = literal_lead(pattern);
        let rest = pattern.get(lead.len() + 1..).filter(|rest| !rest.is_empty())?;
        if lead.split('/').any(|name| matches!(name, "" | "." | "..")) {
            return None;
        }
        let start = self.directory(path).ok()?.ok()?;
        let at = path::below(path, lead);
        let there = self.directory(&at).ok()?.ok()?;
        let is_linked = there.folder.resolved() != join(start.folder.resolved(), lead);
        let depth = u32::try_from(lead.split('/').count()).ok()?;
        is_linked.then(|| Lead { path: at, rest: rest.to_owned(), depth })
    }

    /// The note about patterns without a match, relative to the directory at `path`. One may be a
    /// mistake, or its wildcards may belong to an existing name.
    pub fn taken_literally<'p>(
        &self,
        path: &str,
        patterns: impl IntoIterator<Item = &'p str> + Clone,
    ) -> Option<Note> {
        let of_name = |pattern: &str| {
            let name = self.wild_name(path, pattern)?;
            let meant = format!("{}{}", escaped(name), &pattern[name.len()..]);
            Some(notes::wild_name(name, &meant))
        };
        notes::taken_literally(patterns.clone()).or_else(|| patterns.into_iter().find_map(of_name))
    }

    /// The longest existing beginning of a pattern whose last name has wildcards.
    fn wild_name<'p>(&self, path: &str, pattern: &'p str) -> Option<&'p str> {
        let ends = pattern.match_indices('/').map(|(at, _)| at).chain([pattern.len()]);
        let mut found = None;
        for lead in ends.map(|end| &pattern[..end]).filter(|lead| !lead.is_empty()) {
            let at = if lead.starts_with('/') { lead.to_owned() } else { path::below(path, lead) };
            if matches!(self.tell(&at, LastLink::Keep), Ok(PathObject::Nothing(_)) | Err(_)) {
                break;
            }
            let name = lead.rsplit('/').next().unwrap_or(lead);
            found = if name.contains(WILD) { Some(lead) } else { found };
        }
        found
    }

    /// The notes about a walk and the links that it did not follow.
    pub fn notes(&self, walk: &Walk<V>) -> Vec<Note> {
        let mut notes = walk.notes();
        notes.extend(self.unfollowed(walk.start(), walk.linked(), "path"));
        notes
    }

    /// The note about the first link below `start` that may lead to a directory. `field` is the
    /// argument for the directory of the call.
    pub fn unfollowed(&self, start: &str, links: &[String], field: &str) -> Option<Note> {
        let (link, leads_out) = links.iter().map(|link| join(start, link)).find_map(|link| {
            let leads_out = match self.look(&link, LastLink::Follow) {
                Ok(PathObject::Named(..) | PathObject::Nothing(_)) => return None,
                Ok(_) => false,
                Err(failure) => matches!(failure.reason, Reason::PathEscape | Reason::AbsoluteLink),
            };
            Some((link, leads_out))
        })?;
        let link = cut(&link, ERROR_PATH_CHARS);
        let text = if leads_out {
            format!("the link `{link}` is not followed: it leads out of its grant")
        } else {
            format!("the link `{link}` is not followed: give it as `{field}`")
        };
        Some(Note { kind: "left_out".to_owned(), text })
    }
}
