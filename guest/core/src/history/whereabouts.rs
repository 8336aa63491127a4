//! Where things have gone since, by what was written down.
//!
//! What has got a name by which it may not be read is told by no older one: neither its content nor its tag, nor whether
//! something else is the same. Who something is says what has become of it, not how it was called: whoever may make and move
//! things chooses names. Only what was made has no identity in its record, and what a copy has taken the place of; there the
//! next record says it that is about the same name.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::entries::{Entries, Entry};
use super::kept;
use super::paths::Paths;
use crate::error::{Denial, Failure, Reason};
use crate::journal::Id;
use crate::journal::record::{Action, Location, Record};
use crate::namespace::Namespace;
use crate::policy::RuleId;
use crate::text::fold::fold;
use crate::volume::Volume;

/// What has become of what some records are about. They come the newest first.
#[derive(Default)]
pub(crate) struct Whereabouts {
    /// Where things went, the newest first: by who they are, the record and the new place; none where somebody else begins, who
    /// has got the number of who had it before.
    went: FxHashMap<Id, Vec<(Id, Option<Location>)>>,
    /// Who had a name when a record was about it, the newest first.
    had: FxHashMap<Name, Vec<(Id, Id)>>,
    /// Where that went which lay in the trash under an id.
    came_back: FxHashMap<Id, (Id, Location)>,
    /// Something has gone where it may not be read.
    any_shut: bool,
}

/// A directory, and folded names below it.
type Name = (Id, String);

/// Why something may not be told of any more.
pub(crate) enum Shut {
    /// It has got a name by which a rule closes it.
    Closed(RuleId),
    /// It has left what is granted now.
    Away,
}

impl Whereabouts {
    /// Refuses what has been led to where it may not be read: of some records, all that are not about a move, which is asked about
    /// where it is made.
    pub(crate) fn require_open<V: Volume>(
        namespace: &Namespace<V>,
        paths: &Paths<V>,
        mut asked: Vec<Record>,
    ) -> Result<(), Failure> {
        asked.retain(|record| !matches!(record.action, Action::Move(_)));
        asked.sort_by_key(|record| Reverse(record.id));
        let Some(oldest) = asked.last().map(|record| record.id) else { return Ok(()) };
        let mut all = Self::default();
        let mut asked = asked.iter().peekable();
        for record in newer(namespace, oldest)? {
            while let Some(asked) = asked.next_if(|asked| asked.id >= record.id) {
                all.require(namespace, paths, asked)?;
            }
            all.pass(&record);
        }
        asked.try_for_each(|asked| all.require(namespace, paths, asked))
    }

    fn require<V: Volume>(
        &self,
        namespace: &Namespace<V>,
        paths: &Paths<V>,
        record: &Record,
    ) -> Result<(), Failure> {
        match self.shuts(paths, record) {
            None => Ok(()),
            // Where it is now is not told.
            Some(Shut::Closed(rule)) => {
                Err(Reason::Denied(namespace.guard().rule(rule), Denial::Open).into())
            }
            Some(Shut::Away) => Err(Reason::NotGranted(namespace.grant_names()).into()),
        }
    }

    /// All records of an entry that is older than all before, and of those that were passed over on the way to it.
    pub(crate) fn pass_entry<V: Volume>(
        &mut self,
        entries: &Entries<V>,
        entry: &Entry,
    ) -> Result<(), Failure> {
        for address in entries.passed_over().iter().chain(&entry.records) {
            if let Some(record) = entries.record(*address)? {
                self.pass(&record);
                let leads = matches!(record.action, Action::Move(_) | Action::Remove(_));
                self.any_shut |= leads && self.shuts(entries.paths(), &record).is_some();
            }
        }
        Ok(())
    }

    /// One record more, older than all before.
    pub(crate) fn pass(&mut self, record: &Record) {
        let id = record.id;
        match &record.action {
            Action::Splice(splice) => self.met(&splice.at, id, splice.identity),
            Action::Create(create) => match create.from {
                Some(trash) => drop(self.came_back.insert(trash, (id, create.at.clone()))),
                None => {
                    if let Some(who) = self.next(&create.at, id) {
                        self.went.entry(who).or_default().push((id, None));
                    }
                }
            },
            Action::Remove(remove) => {
                let to = remove.moved_to.as_ref().map(|to| (id, to.clone()));
                self.gone(remove.identity, to.or_else(|| self.came_back.get(&id).cloned()));
                self.met(&remove.at, id, remove.identity);
            }
            Action::Move(moved) => {
                self.gone(moved.identity, Some((id, moved.to.clone())));
                self.met(&moved.from, id, moved.identity);
                if let Some(replaced) = &moved.replaced {
                    self.gone(replaced.identity, self.came_back.get(&id).cloned());
                    self.met(&moved.to, id, replaced.identity);
                }
            }
            Action::Group { .. } | Action::Checkpoint { .. } => {}
        }
    }

    /// Where what a record is about has gone since, if it may not be told of there.
    pub(crate) fn shuts<V: Volume>(&self, paths: &Paths<V>, record: &Record) -> Option<Shut> {
        let (at, identity) = match &record.action {
            Action::Splice(splice) => (&splice.at, Some(splice.identity)),
            Action::Create(create) => (&create.at, None),
            // What lies in the trash is where it was put, but for what has another name as well.
            Action::Remove(remove) => match &remove.moved_to {
                Some(to) => return self.led(paths, to.clone(), None, record.id, true),
                None => return None,
            },
            Action::Move(moved) => {
                return self.led(paths, moved.to.clone(), Some(moved.identity), record.id, true);
            }
            Action::Group { .. } | Action::Checkpoint { .. } => return None,
        };
        self.led(paths, at.clone(), identity, record.id, false)
    }

    /// True if what a record has made was somebody else than who has its name now, as far as is known.
    pub(crate) fn is_other(&self, record: &Record, now: Id) -> bool {
        let next = |at: &&Location| self.next(at, record.id);
        record.action.locations().iter().filter_map(next).any(|who| who != now)
    }

    /// True if something was led to where it may not be read by what has been passed.
    pub(crate) fn any_shut(&self) -> bool {
        self.any_shut
    }

    /// Follows something from a place that it had behind a record.
    fn led<V: Volume>(
        &self,
        paths: &Paths<V>,
        mut at: Location,
        mut identity: Option<Id>,
        mut behind: Id,
        mut has_moved: bool,
    ) -> Option<Shut> {
        // Each step leads to a newer record.
        loop {
            let who = identity.take().filter(|id| *id != Id::NOBODY).or_else(|| self.next(&at, behind));
            let Some((moved, to)) = self.newer(who, behind).or_else(|| self.with_its_directory(&at, behind))
            else {
                break;
            };
            (behind, at, has_moved) = (moved, to, true);
            // A copy is somebody else.
            identity = who.filter(|who| self.newer(Some(*who), behind).is_some());
        }
        match (has_moved, paths.granted(&at)) {
            (false, _) => None,
            (true, None) => Some(Shut::Away),
            (true, Some(now)) => paths.closed_by(&now).map(Shut::Closed),
        }
    }

    /// Where somebody went last, if that was after a record.
    fn newer(&self, who: Option<Id>, behind: Id) -> Option<(Id, Location)> {
        let went = self.went.get(&who?)?;
        let newer = went.get(..went.partition_point(|(record, _)| *record > behind))?;
        let own = newer.iter().rev().map_while(|(record, to)| Some((*record, to.as_ref()?)));
        own.last().map(|(record, to)| (record, to.clone()))
    }

    /// Where a place went with a directory that it is in: the innermost first.
    fn with_its_directory(&self, at: &Location, behind: Id) -> Option<(Id, Location)> {
        // Who those are which a change has made on its way, the next record says that is about them.
        let made = (0..at.below.len()).rev().filter_map(|depth| {
            let (below, name) = (at.below[..depth].to_vec(), at.below[depth].clone());
            let rest = at.below[depth + 1..].iter().chain([&at.name]).cloned().collect();
            Some((self.next(&Location { below, name, ..at.clone() }, behind)?, rest))
        });
        made.chain(at.directories()).find_map(|(directory, below): (Id, Vec<String>)| {
            let (moved, to) = self.newer(Some(directory).filter(|id| *id != Id::NOBODY), behind)?;
            let mut names = to.below.clone();
            names.push(to.name.clone());
            names.extend(below);
            let name = names.pop()?;
            Some((moved, Location { below: names, name, ..to }))
        })
    }

    /// Who had a name when the next record behind one was about it.
    fn next(&self, at: &Location, behind: Id) -> Option<Id> {
        for (directory, key) in keys(at) {
            if let Some(had) = self.had.get(&(directory, key)) {
                let newer = had.partition_point(|(record, _)| *record > behind);
                if let Some((_, who)) = newer.checked_sub(1).and_then(|newest| had.get(newest)) {
                    return Some(*who).filter(|who| *who != Id::NOBODY);
                }
            }
            // Behind that, what is called so from further out is in another directory.
            if self.newer(Some(directory), behind).is_some() {
                return None;
            }
        }
        None
    }

    fn met(&mut self, at: &Location, record: Id, who: Id) {
        for key in keys(at) {
            self.had.entry(key).or_default().push((record, who));
        }
    }

    fn gone(&mut self, who: Id, to: Option<(Id, Location)>) {
        if let Some((record, to)) = to.filter(|_| who != Id::NOBODY) {
            self.went.entry(who).or_default().push((record, Some(to)));
        }
    }
}

/// All that a place can be known by: each of the directories on its way, and the names from there.
fn keys(at: &Location) -> impl Iterator<Item = Name> {
    at.directories().map(|(directory, below)| {
        let names: Vec<_> = below.iter().map(|name| fold(name)).collect();
        (directory, names.join("/"))
    })
}

/// All records that came after one, the newest first.
fn newer<V: Volume>(namespace: &Namespace<V>, since: Id) -> Result<Vec<Record>, Failure> {
    let mut records = Vec::new();
    for state in namespace.states() {
        kept::each_since(state, since, |record| {
            records.push(record);
            ControlFlow::Continue(())
        })?;
    }
    records.sort_by_key(|record: &Record| Reverse(record.id));
    Ok(records)
}
