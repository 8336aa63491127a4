//! `replace-in-files`: a preview of occurrences with ids, then the replacement of chosen ones, or
//! of all at once.
//!
//! The preview holds one file at a time; the replacement searches the files again.

mod ids;
mod preview;
mod wish;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::time::Duration;

use ids::{ChosenIds, Id};
use preview::occurrence;
use wish::{HeldFile, Kept, Wish};

use super::grep::{count_one, misread, nothing_found, takes_lf};
use super::multi_file::{Batch, Gathered, PlannedFile};
use super::{count, walk_position};
use crate::changes::{Change, Old, Planned};
use crate::edit::splice::{self, Edited};
use crate::file::{OpenFile, TaggedFile, encoding};
use crate::pager::budget::Budget;
use crate::pager::cursor::WalkPosition;
use crate::view::View;
use crate::walk::{Scope, Visits, Walk};
use fsgate_contract::edit_types::{AppliedFile, Occurrence, ReplaceInFilesArgs, ReplaceInFilesOutcome};
use fsgate_contract::limits::{
    CHANGED_FILES, ECHO_BYTES, GUESSES_NAMED, LINES_LISTED, PLACED_BYTES, REPLACED_OCCURRENCES,
};
use fsgate_contract::search_types::Skipped;
use fsgate_contract::types::{Note, Stop};
use fsgate_error::{Failure, FaultAt, OccurrenceProblem, Reason};
use fsgate_text::encoding::Edit;
use fsgate_text::excerpt::shown;
use fsgate_text::select_matches::{SelectedEdits, SelectionError};
use fsgate_volume::{Fault, Kind, Volume};

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ReplaceInFilesArgs) -> Planned<V, ReplaceInFilesOutcome> {
    admit(args)?;
    if args.old.is_empty() {
        return Err(Reason::EmptyArgument("old").into());
    }
    let wish = Wish::new(args)?;
    let mut search = OccurrenceSearch {
        view,
        args,
        chosen: args.ids.as_deref().map(|ids| ChosenIds::parse(ids, &wish.sought)).transpose()?,
        notes: wish.note().into_iter().collect(),
        wish,
        jobs: Vec::new(),
        asked: HashMap::new(),
        known: HashSet::new(),
        wants_lf: None,
        found: 0,
        searched: 0,
        skipped: Skipped::default(),
        budget: Budget::new(args.max_items(), args.max_bytes()),
        occurrences: Vec::new(),
        next: None,
    };
    let position = walk_position(args.cursor.as_deref(), args.path())?;
    match (&args.paths, &args.glob) {
        (Some(paths), _) => search.named(paths, position.as_ref())?,
        (None, Some(glob)) => search.below(glob, position.as_ref())?,
        (None, None) => {}
    }
    search.finish()
}

fn admit(args: &ReplaceInFilesArgs) -> Result<(), Reason> {
    let given = |fields: &[(&'static str, bool)]| {
        fields.iter().find(|(_, is_given)| *is_given).map(|(name, _)| *name)
    };
    match (&args.paths, &args.glob) {
        (Some(_), Some(_)) => return Err(Reason::Both("paths", "glob")),
        (None, None) => return Err(OccurrenceProblem::NoFiles.into()),
        (Some(_), None) => {
            let of_walks = given(&[
                ("path", args.path.is_some()),
                ("include_hidden", args.include_hidden()),
                ("respect_ignore", args.respect_ignore == Some(true)),
                ("max_millis", args.max_millis.is_some()),
            ]);
            if let Some(field) = of_walks {
                return Err(Reason::OnlyWith(field, "glob"));
            }
        }
        (None, Some(_)) => {}
    }
    let of_changes = given(&[("dry_run", args.dry_run()), ("diff", args.diff())]);
    if let Some(field) = of_changes.filter(|_| args.ids.is_none() && !args.all()) {
        return Err(Reason::OnlyWith(field, "ids"));
    }
    if args.ids.is_some() && args.all() {
        return Err(Reason::Both("ids", "all"));
    }
    let of_parts = given(&[("cursor", args.cursor.is_some()), ("max_millis", args.max_millis.is_some())]);
    let of_all = given(&[("ids", args.ids.is_some()), ("all", args.all()), ("count", args.count.is_some())]);
    of_parts.zip(of_all).map_or(Ok(()), |(part, all)| Err(Reason::Both(all, part)))
}

struct OccurrenceSearch<'s, 'v, V: Volume> {
    view: &'s View<'v, V>,
    args: &'s ReplaceInFilesArgs,
    wish: Wish<'s>,
    chosen: Option<ChosenIds>,
    jobs: Vec<Job>,
    asked: HashMap<u128, usize>,
    known: HashSet<u128>,
    /// The first file in CRLF where the expression needs LF, and the number of others.
    wants_lf: Option<(String, u32)>,
    found: u64,
    searched: u32,
    skipped: Skipped,
    notes: Vec<Note>,
    budget: Budget,
    occurrences: Vec<Occurrence>,
    next: Option<WalkPosition>,
}

struct Job {
    path: String,
    ids: BTreeSet<Id>,
}

enum FileStep {
    Searched,
    Skipped(Kept),
    Full(String),
}

impl<'v, V: Volume> OccurrenceSearch<'_, 'v, V> {
    /// Searches named files, which must open.
    fn named(&mut self, paths: &[String], from: Option<&WalkPosition>) -> Result<(), Failure> {
        let mut wanted = match from {
            None => None,
            Some(WalkPosition::At(path, extra)) => Some((path, extra)),
            Some(_) => return Err(Reason::InvalidCursor.into()),
        };
        for path in paths {
            let source = self.view.open(path)?;
            let name = source.path().trim_start_matches('/').to_owned();
            let resume = match wanted {
                Some((begin, _)) if *begin != name => continue,
                begin => begin.map(|(_, extra)| extra.as_str()),
            };
            wanted = None;
            match self.file(source, path, resume)? {
                FileStep::Searched => {}
                FileStep::Skipped(kind) => add(kind(&mut self.skipped)),
                FileStep::Full(extra) => {
                    self.next = Some(WalkPosition::At(name, extra));
                    if self.args.count.is_none() {
                        break;
                    }
                }
            }
            if self.is_over() {
                break;
            }
        }
        if wanted.is_some() { Err(Reason::InvalidCursor.into()) } else { Ok(()) }
    }

    /// Searches the files of a pattern, and counts unopenable ones.
    fn below(&mut self, glob: &str, from: Option<&WalkPosition>) -> Result<(), Failure> {
        let scope = Scope {
            include_hidden: self.args.include_hidden(),
            respect_ignore: self.args.respect_ignore(),
            max_time: self.args.max_millis.map(|millis| Duration::from_millis(millis.into())),
            include: self.view.globs_with_below(self.args.path(), "glob", &[glob.to_owned()])?,
            visits: Visits::Others,
            ..Scope::default()
        };
        let mut walk = self.view.walk(self.args.path(), scope, from)?;
        loop {
            let Some(visit) = walk.next() else {
                if walk.timed_out() {
                    self.next = walk.position();
                }
                break;
            };
            let skipped: Option<Kept> = match visit.kind {
                Kind::File => None,
                Kind::Link => Some(|skipped| &mut skipped.links),
                Kind::Directory | Kind::Special(_) => Some(|skipped| &mut skipped.special),
            };
            if let Some(kind) = skipped {
                add(kind(walk.skipped_mut()));
                continue;
            }
            let is_asked = match &self.chosen {
                Some(chosen) => {
                    let is_asked = chosen.are_about(&visit.shown());
                    if !is_asked && self.args.count.is_none() {
                        continue;
                    }
                    is_asked
                }
                None => false,
            };
            let extra = match from {
                Some(WalkPosition::At(path, extra)) if path == visit.path => Some(extra.as_str()),
                _ => None,
            };
            let step = opened(self.view, &walk).and_then(|source| {
                let path = source.path().to_owned();
                self.file(source, &path, extra)
            });
            match step {
                Ok(FileStep::Searched) => {}
                Ok(FileStep::Skipped(kind)) => add(kind(walk.skipped_mut())),
                Ok(FileStep::Full(extra)) => {
                    self.next = walk.position_at(extra);
                    if self.args.count.is_none() {
                        break;
                    }
                }
                // A chosen file is not skipped.
                Err(failure) if is_asked => return Err(failure),
                Err(failure) => match failure.reason {
                    // Removed or replaced since its directory was read.
                    Reason::NotFound(_)
                    | Reason::Dangling(_)
                    | Reason::WildPath
                    | Reason::IsDirectory
                    | Reason::NotDirectory
                    | Reason::PathEscape
                    | Reason::AbsoluteLink => {}
                    Reason::Denied(..) => add(&mut walk.skipped_mut().denied),
                    Reason::OverLimit(_) => add(&mut walk.skipped_mut().too_large),
                    Reason::Volume(..) | Reason::SpecialFile(_) => add(&mut walk.skipped_mut().unreadable),
                    // The call is wrong, not the file.
                    _ => return Err(failure),
                },
            }
            if self.is_over() {
                break;
            }
            // The walk checks the clock rarely.
            if walk.time_is_over() {
                walk.pass();
                self.next = walk.position();
                break;
            }
        }
        self.skipped = walk.skipped().clone();
        self.notes.extend(self.view.notes(&walk));
        Ok(())
    }

    /// No id is left, and nothing is counted.
    fn is_over(&self) -> bool {
        self.args.count.is_none() && self.chosen.as_ref().is_some_and(|chosen| chosen.left().is_none())
    }

    fn file(
        &mut self,
        source: OpenFile<'v, V>,
        asked: &str,
        resume: Option<&str>,
    ) -> Result<FileStep, Failure> {
        if let Some(chosen) = &mut self.chosen {
            if let Some(ids) = chosen.take(source.path()) {
                self.ask(&source, asked, ids)?;
            }
            if self.args.count.is_none() {
                self.searched = self.searched.saturating_add(1);
                return Ok(FileStep::Searched);
            }
        }
        let held = match self.wish.hold(source)? {
            Ok(held) => held,
            Err(kind) => return Ok(FileStep::Skipped(kind)),
        };
        self.searched = self.searched.saturating_add(1);
        if self.wish.wants_lf(&held) {
            count_one(&mut self.wants_lf, &|| held.source.path().to_owned());
        }
        if held.found.survey.count == 0 || !self.known.insert(held.source.seen()?.identity) {
            return Ok(FileStep::Searched);
        }
        self.found += held.found.survey.count;
        if self.chosen.is_some() || self.next.is_some() {
            return Ok(FileStep::Searched);
        }
        let path = held.source.path().to_owned();
        if self.args.all() {
            if self.found > REPLACED_OCCURRENCES {
                return Err(OccurrenceProblem::TooMany.into());
            }
            let ids = self.ids_of(&held)?;
            self.jobs.push(Job { path, ids });
            return Ok(FileStep::Searched);
        }
        let guess = held.source.encoding_note();
        let shown = self.occurrences.len();
        let step = self.show(&held, resume)?;
        // Limits the notes of a page with many files.
        let guesses = self.notes.iter().filter(|note| note.kind == "encoding").count();
        if self.occurrences.len() > shown && guesses < GUESSES_NAMED {
            self.notes.extend(guess.map(|note| encoding::about(&path, note)));
        }
        Ok(step)
    }

    fn ids_of(&self, held: &HeldFile<V>) -> Result<BTreeSet<Id>, Failure> {
        let (_, tag) = held.tag()?;
        let mut ids = BTreeSet::new();
        self.wish.with_request(&held.source, |request| {
            request.each(held.text(), &held.found, |place| {
                ids.insert(held.id(&tag, &self.wish.sought, place.range.start));
                ControlFlow::Continue(())
            });
        });
        Ok(ids)
    }

    fn ask(&mut self, source: &OpenFile<V>, path: &str, ids: BTreeSet<Id>) -> Result<(), Failure> {
        let identity = source.seen()?.identity;
        if let Some(job) = self.asked.get(&identity) {
            self.jobs[*job].ids.extend(ids);
            return Ok(());
        }
        self.asked.insert(identity, self.jobs.len());
        self.jobs.push(Job { path: path.to_owned(), ids });
        Ok(())
    }

    fn show(&mut self, held: &HeldFile<V>, resume: Option<&str>) -> Result<FileStep, Failure> {
        let (_, tag) = held.tag()?;
        let begin = match resume.filter(|extra| !extra.is_empty()).map(Id::parse) {
            None => 0,
            Some(Some(id)) if !id.is_for(&self.wish.sought) => {
                return Err(held.source.refuse(Reason::InvalidCursor));
            }
            Some(None) => return Err(held.source.refuse(Reason::InvalidCursor)),
            Some(Some(id)) if id.is_of(&tag) => id.offset,
            Some(Some(_)) => {
                let path = shown(held.source.path());
                let text = format!(
                    "`{path}` has changed since the answer before, and is shown from its beginning again"
                );
                self.notes.push(Note { kind: "changed".to_owned(), text });
                0
            }
        };
        let Self { wish, budget, occurrences, .. } = self;
        let mut full = None;
        wish.with_request(&held.source, |request| {
            request.each(held.text(), &held.found, |place| {
                let id = held.id(&tag, &wish.sought, place.range.start);
                if id.offset < begin {
                    return ControlFlow::Continue(());
                }
                let next = occurrence(held, &id, &place);
                if !budget.takes(&next) {
                    full = Some(id.to_string());
                    return ControlFlow::Break(());
                }
                occurrences.push(next);
                ControlFlow::Continue(())
            });
        });
        Ok(full.map_or(FileStep::Searched, FileStep::Full))
    }

    fn finish(mut self) -> Planned<V, ReplaceInFilesOutcome> {
        if self.chosen.is_none() && self.jobs.is_empty() {
            return self.preview();
        }
        let unknown = self.chosen.as_ref().and_then(ChosenIds::left).map(Id::unknown);
        let jobs = std::mem::take(&mut self.jobs);
        let too_many = match jobs.iter().map(|job| job.path.len()).sum::<usize>() {
            _ if jobs.len() > CHANGED_FILES => Some(OccurrenceProblem::TooManyFiles(jobs.len())),
            bytes if bytes > ECHO_BYTES => Some(OccurrenceProblem::PathsTooLong),
            _ => None,
        };
        if let Some(problem) = too_many {
            return Err(problem.into());
        }
        let (mut batch, mut replaced, mut kept) = (Batch::new(self.args.diff()), 0, 0);
        batch.note(std::mem::take(&mut self.notes));
        for Job { path, ids } in &jobs {
            let too_much = || Reason::from(OccurrenceProblem::TooMuchPlaced).at(&**path);
            let planned = self.planned(path, ids, batch.draws())?;
            replaced += u64::from(planned.file.replacements);
            kept += planned.changes.iter().map(kept_of).sum::<usize>();
            if kept > PLACED_BYTES {
                return Err(too_much());
            }
            batch.add(self.view, planned, too_much)?;
        }
        if let Some(unknown) = unknown {
            return Err(unknown.into());
        }
        self.require_count()?;
        let Gathered { files, diff, notes, changes } = batch.finish();
        let outcome = ReplaceInFilesOutcome {
            count: count(replaced).unwrap_or(u32::MAX),
            searched: self.searched,
            skipped: self.skipped,
            files,
            diff,
            notes,
            ..ReplaceInFilesOutcome::default()
        };
        Ok((outcome, changes))
    }

    fn preview(mut self) -> Planned<V, ReplaceInFilesOutcome> {
        self.require_count()?;
        let wants_lf = self.wants_lf.take().map(takes_lf);
        if self.occurrences.is_empty() && self.args.cursor.is_none() {
            let literal = (!self.args.regex()).then_some(("old", &self.args.old[..]));
            if self.args.regex() && wants_lf.is_none() {
                self.notes.extend(misread(&self.args.old, true));
            }
            let path = self.args.path();
            self.notes.extend(self.view.taken_literally(path, self.args.glob.as_deref()));
            self.notes.extend(nothing_found(self.searched, &self.skipped, false, literal));
        }
        self.notes.extend(wants_lf);
        let outcome = ReplaceInFilesOutcome {
            count: count(self.occurrences.len() as u64).unwrap_or(u32::MAX),
            occurrences: self.occurrences,
            searched: self.searched,
            skipped: self.skipped,
            stopped: self.next.as_ref().map(|_| self.budget.stopped.unwrap_or(Stop::Time)),
            next_cursor: self.next.map(|position| position.to_string()),
            notes: self.notes,
            ..ReplaceInFilesOutcome::default()
        };
        Ok((outcome, Vec::new()))
    }

    fn require_count(&self) -> Result<(), Reason> {
        match self.args.count {
            Some(wanted) if u64::from(wanted) != self.found => {
                Err(OccurrenceProblem::Count { wanted, found: self.found }.into())
            }
            _ => Ok(()),
        }
    }

    fn planned(&self, path: &str, ids: &BTreeSet<Id>, draws: bool) -> Result<PlannedFile<V>, Failure> {
        let held = match self.wish.hold(self.view.open_for_change(path, None)?)? {
            Ok(held) => held,
            // No preview searched this state of it.
            Err(_) => {
                let source = self.view.open(path)?;
                let tag = source.strong_tag()?;
                let other = ids.iter().find(|id| !id.is_of(&tag));
                let unknown = ids.first().map_or(Reason::Changed, Id::unknown);
                return Err(source.refuse(other.map_or(unknown, |id| id.stale(tag))));
            }
        };
        let (subtrees, etag_before) = held.tag()?;
        let refuse = |reason| held.source.refuse(reason);
        if let Some(other) = ids.iter().find(|id| !id.is_of(&etag_before)) {
            return Err(refuse(other.stale(etag_before)));
        }
        let place = |id: &Id| held.place(id).ok_or_else(|| refuse(id.unknown()));
        let places = ids.iter().map(place).collect::<Result<BTreeSet<_>, _>>()?;
        let (text, start) = (held.text(), held.start());
        let replaced = self
            .wish
            .with_request(&held.source, |request| request.replaced(text, &held.found, &places, PLACED_BYTES))
            .map_err(|unreplaced| match unreplaced {
                SelectionError::NotThere(at) => {
                    let id = ids.iter().find(|id| held.place(id) == Some(at));
                    refuse(id.map_or(Reason::Changed, Id::unknown))
                }
                SelectionError::TooMuch => refuse(OccurrenceProblem::TooMuchPlaced.into()),
                SelectionError::NotEncodable(error) => refuse(error.into()),
                SelectionError::Pattern(error) => refuse(error.into()),
            })?;
        let (range, new) = (replaced.range(), replaced.joined(text));
        let SelectedEdits { edits, newlines, mut lines, adapted } = replaced;
        lines.truncate(LINES_LISTED);
        let moved = |Edit { range, new }: Edit| Edit { range: start + range.start..start + range.end, new };
        let edits = held.source.decoded().map(|_| edits.into_iter().map(moved).collect());
        let range = (start + range.start) as u64..(start + range.end) as u64;
        let tagged = TaggedFile { file: held.source, subtrees, etag: etag_before };
        let (edited, change) = splice::plan(tagged, range, newlines, new, edits, draws)?;
        let Edited { path, etag_before, etag, bytes_written, diff, notes } = edited;
        let is_guess = |note: &Note| note.kind == "encoding";
        let named = |note| if is_guess(&note) { encoding::about(&path, note) } else { note };
        let notes = notes.into_iter().map(named).collect();
        let file = AppliedFile {
            path,
            etag_before: Some(etag_before),
            etag: Some(etag),
            bytes_written,
            replacements: count(places.len() as u64).unwrap_or(u32::MAX),
            lines,
            line_ends_adapted: adapted,
            ..AppliedFile::default()
        };
        Ok(PlannedFile { file, changes: vec![change], diff, notes })
    }
}

fn opened<'v, V: Volume>(view: &View<'v, V>, walk: &Walk<'v, V>) -> Result<OpenFile<'v, V>, Failure> {
    let gone = || Failure::from(Reason::reading(Fault::NotFound));
    let visit = walk.current().ok_or_else(gone)?;
    let place = visit.place().ok_or_else(gone)?;
    let stat = visit.stat().reading_at(visit.shown())?;
    view.open_at(place, stat)
}

fn kept_of<V: Volume>(change: &Change<V>) -> usize {
    match change {
        Change::Splice { old: Old::Bytes(bytes), .. } => bytes.len(),
        _ => 0,
    }
}

fn add(count: &mut u32) {
    *count = count.saturating_add(1);
}
