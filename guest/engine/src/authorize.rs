//! Asks the policy about changes before anything is written; a dry run asks the same.
//!
//! The volume refuses forbidden calls about one name ([`fsgate_volume::policy_guard::volume`]).
//! This module rules on the rest: new content, and the content of a renamed or deleted directory.
//!
//! [`tree`] walks a directory with nothing hidden: a hidden object refuses the change too, but the
//! error does not name it. Recovery asks again about recorded changes.

pub(crate) mod tree;

use std::collections::HashSet;

use self::tree::{TreeCheck, TreeView};
use crate::changes::{Change, New, Old};
use crate::resolve::Place;
use fsgate_contract::path::join;
use fsgate_error::{Denial, Failure, FaultAt, Reason};
use fsgate_journal::namespace::{Namespace, StateId};
use fsgate_journal::record::Object;
use fsgate_journal::tree_walk::{Stopped, walk};
use fsgate_policy::PolicyPosition;
use fsgate_policy::{CONTENT_HEAD, Policy, RuleId, Ruling};
use fsgate_volume::Seen;
use fsgate_volume::answers::unless;
use fsgate_volume::bytes::read_all;
use fsgate_volume::policy_guard::PolicyGuard;
use fsgate_volume::{Access, Fault, Kind, Volume};

#[derive(Debug, Default)]
pub(crate) struct ChangedFiles {
    files: u64,
    /// Files by name, so that several changes of one count once.
    names: HashSet<String>,
}

/// Refuses changes that the policy forbids. `confirmed` is the consent to deletions; `counted` goes
/// on through the parts of a call.
pub(crate) fn permit<V: Volume>(
    namespace: &Namespace<V>,
    changes: &[Change<V>],
    confirmed: Option<bool>,
    counted: &mut ChangedFiles,
) -> Result<(), Failure> {
    let mut asking = Authorization { namespace, changes, guard: namespace.guard(), counted, looked_at: 0 };
    for change in changes {
        asking.change(change)?;
    }
    let limits = asking.guard.policy().limits();
    if confirmed == Some(false) && limits.confirm_delete && changes.iter().any(deletes) {
        let path = changes.iter().find_map(|change| match change {
            Change::Delete { place, .. } | Change::DeleteTree { place, .. } => Some(place.asked().to_owned()),
            _ => None,
        });
        return Err(Failure { reason: Reason::Unconfirmed, path });
    }
    Ok(())
}

/// Refuses a use of one name, by the requested path and by the resolved one.
pub(crate) fn permit_name<V: Volume>(
    namespace: &Namespace<V>,
    place: &Place<V>,
    is_directory: bool,
    wanted: NameUse,
) -> Result<(), Failure> {
    let guard = namespace.guard();
    for (at, name) in place.standpoints(namespace) {
        if let Some((rule, denial)) = wanted.refusal(at.ruling(guard.policy(), name, is_directory)) {
            return Err(Reason::Denied(guard.rule(rule), denial).at(place.asked()));
        }
    }
    Ok(())
}

fn deletes<V: Volume>(change: &Change<V>) -> bool {
    matches!(change, Change::Delete { .. } | Change::DeleteTree { .. })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameUse {
    Read,
    /// An object gets the name.
    Make,
    Append,
    Write,
    Take,
}

impl NameUse {
    pub(crate) fn of_splice(size: u64, offset: u64, old: &Old) -> Self {
        if offset == size && old.is_empty() { Self::Append } else { Self::Write }
    }

    pub(crate) fn refusal(self, ruling: Ruling) -> Option<(RuleId, Denial)> {
        let rule = match self {
            Self::Read => ruling.against_reading(),
            Self::Make | Self::Append => ruling.against_adding(),
            Self::Write => ruling.against_changing(),
            Self::Take => ruling.against_deleting(),
        }?;
        let denial = match self {
            Self::Take => Denial::Delete,
            _ if Some(rule) == ruling.against_reading() => Denial::Open,
            _ if Some(rule) == ruling.append_only => Denial::Append,
            _ => Denial::Change,
        };
        Some((rule, denial))
    }
}

struct Authorization<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    changes: &'a [Change<V>],
    guard: &'a PolicyGuard,
    counted: &'a mut ChangedFiles,
    looked_at: u64,
}

impl<V: Volume> Authorization<'_, V> {
    fn change(&mut self, change: &Change<V>) -> Result<(), Failure> {
        match change {
            Change::Create { place, content, .. } => {
                self.made(place, Kind::File)?;
                self.size(place, 0, content.len() as u64)?;
                self.content(place, content)?;
                self.count(place)
            }
            Change::Return { place, object, from } => {
                self.made(place, kind(*object))?;
                if object.is_directory() {
                    self.returned(place, *from)?;
                }
                if object.is_directory() { Ok(()) } else { self.count(place) }
            }
            Change::Splice { place, seen, offset, old, new, .. } => {
                self.place(place, false, NameUse::of_splice(seen.size, *offset, old))?;
                self.written(place, seen.links)?;
                self.size(place, seen.size, seen.size.saturating_sub(old.len()).saturating_add(new.len()))?;
                // The content was there before.
                if let New::Bytes(bytes) = new {
                    self.becomes(place, *offset, old.len(), bytes)?;
                }
                self.count(place)
            }
            Change::CreateDirectory { place } => self.made(place, Kind::Directory),
            Change::Copy { source, seen, destination, overwritten, .. } => {
                self.place(source, false, NameUse::Read)?;
                match overwritten {
                    None => self.made(destination, Kind::File)?,
                    Some(there) => {
                        self.place(destination, false, NameUse::Write)?;
                        self.written(destination, there.stat.links)?;
                    }
                }
                self.size(destination, overwritten.map_or(0, |there| there.stat.size), seen.stat.size)?;
                self.count(destination)
            }
            Change::CopyTree { source, destination, .. } => {
                self.made(destination, Kind::Directory)?;
                let at_source = source.standpoints(self.namespace);
                let tree = ChangedTree {
                    volume: source.volume(self.namespace),
                    start: source.handle(),
                    shown: source.shown(),
                    source: (at_source, NameUse::Read),
                    destination: self.inside(destination),
                    counted_for: destination,
                };
                self.tree(tree)
            }
            Change::Move { source, seen, destination, replaced, .. } => {
                let kind = seen.stat.kind;
                self.taken(source, kind)?;
                self.made(destination, kind)?;
                if let Some(Seen { stat, .. }) = replaced {
                    self.taken(destination, stat.kind)?;
                }
                if kind != Kind::Directory {
                    return self.count(destination);
                }
                let start = self.open(source)?;
                let Some(start) = start else { return Ok(()) };
                let tree = ChangedTree {
                    volume: source.volume(self.namespace),
                    start: &start,
                    shown: source.shown(),
                    source: (self.inside(source), NameUse::Take),
                    destination: self.inside(destination),
                    counted_for: destination,
                };
                self.tree(tree)
            }
            Change::Delete { place, seen, .. } => {
                self.taken(place, seen.stat.kind)?;
                self.count(place)
            }
            Change::DeleteTree { place, directory, .. } => {
                self.place(place, true, NameUse::Take)?;
                let tree = ChangedTree {
                    volume: place.volume(self.namespace),
                    start: directory,
                    shown: place.shown(),
                    source: (self.inside(place), NameUse::Take),
                    destination: Vec::new(),
                    counted_for: place,
                };
                self.tree(tree)
            }
            Change::Undo { change, entry, .. } => {
                self.change(change).map_err(|failure| failure.of_entry(|| entry.clone()))
            }
            // The rest is asked when it is known.
            Change::ThenUndo { file: Some(file), .. } => self.count_file(file, file),
            Change::ThenUndo { file: None, .. } | Change::Checkpoint { .. } | Change::Forget { .. } => Ok(()),
        }
    }

    fn refuse(&self, rule: RuleId, denial: Denial, place: &Place<V>) -> Failure {
        Reason::Denied(self.guard.rule(rule), denial).at(place.asked())
    }

    fn place(&self, place: &Place<V>, is_directory: bool, wanted: NameUse) -> Result<(), Failure> {
        permit_name(self.namespace, place, is_directory, wanted)
    }

    /// Asks about a new name, and the directories created for it.
    fn made(&self, place: &Place<V>, kind: Kind) -> Result<(), Failure> {
        for (at, name) in place.standpoints_of_parents(self.namespace) {
            if let Some((rule, denial)) = NameUse::Make.refusal(at.ruling(self.guard.policy(), name, true)) {
                return Err(self.refuse(rule, denial, place));
            }
            self.unhidden(place, &at, name, false)?;
        }
        let is_directory = kind == Kind::Directory;
        self.place(place, is_directory, NameUse::Make)?;
        let first = place.parents().first().map_or(place.name(), |name| &name[..]);
        let apart = place.volume(self.namespace).kept_apart(place.directory(), first);
        if let Some(rule) = apart.reading_at(place.asked())? {
            return Err(self.refuse(rule, Denial::Change, place));
        }
        for (at, name) in place.standpoints(self.namespace) {
            self.unhidden(place, &at, name, !is_directory)?;
        }
        self.leads(place, kind, PolicyPosition::passage)
    }

    /// Asks about a removed name. Other programs may reach a protected object through a link of
    /// that name.
    fn taken(&self, place: &Place<V>, kind: Kind) -> Result<(), Failure> {
        self.place(place, kind == Kind::Directory, NameUse::Take)?;
        self.leads(place, kind, PolicyPosition::named_passage)
    }

    fn leads(
        &self,
        place: &Place<V>,
        kind: Kind,
        passage: impl Fn(&PolicyPosition, &Policy, &str) -> Option<RuleId>,
    ) -> Result<(), Failure> {
        if kind == Kind::Link {
            for (at, name) in place.standpoints(self.namespace) {
                if let Some(rule) = passage(&at, self.guard.policy(), name) {
                    return Err(self.refuse(rule, Denial::Link, place));
                }
            }
        }
        Ok(())
    }

    /// Asks about a hidden object of the other kind: the refusal of a taken name would reveal it.
    fn unhidden(
        &self,
        place: &Place<V>,
        at: &PolicyPosition,
        name: &str,
        is_directory: bool,
    ) -> Result<(), Failure> {
        let hidden = at.ruling(self.guard.policy(), name, is_directory).hidden;
        hidden.map_or(Ok(()), |rule| Err(self.refuse(rule, Denial::Open, place)))
    }

    fn written(&self, place: &Place<V>, links: u64) -> Result<(), Failure> {
        match self.guard.policy().limits().linked_files.filter(|_| links > 1) {
            Some(rule) => Err(self.refuse(rule, Denial::Linked, place)),
            None => Ok(()),
        }
    }

    fn content(&self, place: &Place<V>, head: &[u8]) -> Result<(), Failure> {
        let rule = self.guard.policy().content(head);
        rule.map_or(Ok(()), |rule| Err(self.refuse(rule, Denial::Open, place)))
    }

    fn becomes(&self, place: &Place<V>, offset: u64, old: u64, new: &[u8]) -> Result<(), Failure> {
        if !self.guard.policy().judges_content() || offset >= CONTENT_HEAD as u64 {
            return Ok(());
        }
        let mut head = Vec::new();
        if offset > 0 || new.len() < CONTENT_HEAD {
            let mut there = self.parts(place, offset, old, new.len());
            // A file that the same call moves here is still at its source.
            if let Some(source) = self.source(place) {
                there = self.parts(source, offset, old, new.len());
            }
            // A file that the same call creates is judged by its bytes.
            let there = unless(there, Fault::is_absence);
            let there = there.reading_at(place.asked())?;
            let (before, behind) = there.unwrap_or_default();
            head = [&before[..], new, &behind].concat();
        }
        self.content(place, if head.is_empty() { new } else { &head })
    }

    /// The source of the file that the same call puts at a place.
    fn source(&self, place: &Place<V>) -> Option<&Place<V>> {
        self.changes.iter().find_map(|change| match change {
            Change::Move { source, destination, .. } | Change::Copy { source, destination, .. } => {
                Some(source).filter(|_| destination.shown() == place.shown())
            }
            _ => None,
        })
    }

    /// The bytes around the old ones that belong to the beginning of the new content.
    fn parts(
        &self,
        place: &Place<V>,
        offset: u64,
        old: u64,
        new: usize,
    ) -> Result<(Vec<u8>, Vec<u8>), Fault> {
        let volume = place.volume(self.namespace);
        let directory = fsgate_journal::tree_walk::open(volume, place.directory(), place.parents())?;
        let file = volume.open_file(&directory, place.name(), Access::Read)?;
        let before = read_all(volume, &file, 0, offset as usize)?;
        let room = CONTENT_HEAD.saturating_sub(before.len() + new);
        Ok((before, read_all(volume, &file, offset + old, room)?))
    }

    fn size(&self, place: &Place<V>, before: u64, after: u64) -> Result<(), Failure> {
        match self.guard.policy().limits().max_file_size {
            Some(most) if after > most && after > before => Err(Reason::OverLimit(most).at(place.asked())),
            _ => Ok(()),
        }
    }

    fn count(&mut self, place: &Place<V>) -> Result<(), Failure> {
        self.count_file(place.shown(), place.asked())
    }

    fn count_file(&mut self, file: &str, told: &str) -> Result<(), Failure> {
        let limits = self.guard.policy().limits();
        let is_new = limits.max_files.is_some() && self.counted.names.insert(file.to_owned());
        self.count_more(u64::from(is_new), told)
    }

    fn count_more(&mut self, more: u64, told: &str) -> Result<(), Failure> {
        self.counted.files += more;
        match self.guard.policy().limits().max_files {
            Some((most, rule)) if self.counted.files > most => {
                Err(Reason::Denied(self.guard.rule(rule), Denial::Many(most)).at(told))
            }
            _ => Ok(()),
        }
    }

    /// The policy's positions of a directory, if a rule can apply below it.
    fn inside(&self, place: &Place<V>) -> Vec<PolicyPosition> {
        let policy = self.guard.policy();
        if policy.rules_no_name() {
            return Vec::new();
        }
        place.standpoints(self.namespace).iter().map(|(at, name)| at.below(policy, name)).collect()
    }

    /// The directory at a place, if a rule needs it.
    fn open(&self, place: &Place<V>) -> Result<Option<V::Directory>, Failure> {
        let volume = place.volume(self.namespace);
        if volume.standpoint(place.directory()).is_none() {
            return Ok(None);
        }
        let opened = fsgate_journal::tree_walk::open(volume, place.directory(), place.parents())
            .and_then(|directory| volume.open_directory(&directory, place.name()));
        opened.map(Some).map_err(|fault: Fault| Reason::reading(fault).at(place.asked()))
    }

    fn returned(
        &mut self,
        place: &Place<V>,
        (state, id): (StateId, fsgate_contract::id::Id),
    ) -> Result<(), Failure> {
        let state = self.namespace.state(state);
        let start = state.volume.open_directory(&state.trash, &id.to_string());
        let start = start.map_err(|fault: Fault| Reason::reading(fault).at(place.asked()))?;
        let tree = ChangedTree {
            volume: &state.volume,
            start: &start,
            shown: place.shown(),
            source: (Vec::new(), NameUse::Take),
            destination: self.inside(place),
            counted_for: place,
        };
        self.tree(tree)
    }

    /// Asks about everything in a directory, at its old and new place.
    fn tree(&mut self, tree: ChangedTree<V>) -> Result<(), Failure> {
        let ChangedTree { volume, start, shown, source: (source, wanted), destination, counted_for } = tree;
        let limits = self.guard.policy().limits();
        let sides: Vec<_> = source
            .into_iter()
            .map(|at| TreeView { at, wanted })
            .chain(destination.into_iter().map(|at| TreeView { at, wanted: NameUse::Make }))
            .collect();
        let counts = limits.max_files.is_some() || limits.max_file_size.is_some() && wanted == NameUse::Read;
        if sides.is_empty() && !counts {
            return Ok(());
        }
        let mut looking = TreeCheck {
            volume,
            guard: self.guard,
            views: vec![sides],
            refused: None,
            reads: wanted == NameUse::Read,
            files: 0,
            looked_at: self.looked_at,
        };
        let lifted = self.guard.lift();
        let walked = walk(volume, start.clone(), &mut looking);
        drop(lifted);
        let told = |path: &str| match path {
            "" => shown.to_owned(),
            path => join(shown, path),
        };
        self.looked_at = looking.looked_at;
        if let Some((reason, path)) = looking.refused {
            return Err(reason.at(told(&path)));
        }
        walked.map_err(|Stopped { reason, path }| reason.at(told(&path)))?;
        self.count_more(looking.files, counted_for.asked())
    }
}

fn kind(object: Object) -> Kind {
    match object {
        Object::File { .. } => Kind::File,
        Object::Directory | Object::Tree { .. } => Kind::Directory,
        Object::Link => Kind::Link,
        Object::Special => Kind::Special(fsgate_contract::types::SpecialKind::Other),
    }
}

struct ChangedTree<'t, V: Volume> {
    volume: &'t V,
    start: &'t V::Directory,
    shown: &'t str,
    source: (Vec<PolicyPosition>, NameUse),
    destination: Vec<PolicyPosition>,
    /// A refusal of too many files names this place.
    counted_for: &'t Place<V>,
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::changes::Keep;
    use crate::resolve::{LastLink, Target, resolve};
    use fsgate_contract::limits::POLICY_NAMES;
    use fsgate_journal::tree_walk::Census;
    use fsgate_policy::{Documents, Policy};
    use fsgate_volume::grant::Grant;
    use fsgate_volume::memory::{Item, Memory};
    use fsgate_volume::policy_guard::volume::Guarded;

    const LOGS: &str =
        r#"{"profile": "open", "rules": [{"name": "logs", "paths": ["*.log"], "effect": "no_delete"}]}"#;

    fn namespace(volume: &Memory, policy: &str) -> Namespace<Guarded<Memory>> {
        let policy = Policy::compile(&Documents::parse(policy).unwrap()).unwrap();
        let guard = Rc::new(PolicyGuard::new(policy, &[vec!["w".to_owned()]], &[]));
        let guarded = Guarded::new(volume.clone(), guard.clone(), ["w"]);
        let grant = Grant { name: "/w".to_owned(), volume: guarded, access: Access::Write };
        Namespace::new(vec![grant]).unwrap().under_guard(guard)
    }

    /// The verdict on deleting `/w/d` after so many names were looked at.
    fn deleting(namespace: &Namespace<Guarded<Memory>>, looked_at: u64) -> Result<(), Failure> {
        let Ok(Target::Directory(folder)) = resolve(namespace, "d", LastLink::Own) else {
            panic!("no directory")
        };
        let (place, directory) = folder.into_own().unwrap();
        let change = Change::DeleteTree { place, directory, census: Census::default(), keep: Keep::IfRoom };
        let changes = [change];
        let counted = &mut ChangedFiles::default();
        Authorization { namespace, changes: &changes, guard: namespace.guard(), counted, looked_at }
            .change(&changes[0])
    }

    #[test]
    fn the_number_of_names_that_a_policy_is_asked_about_is_bounded() {
        let volume = Memory::default();
        for path in ["d/a", "d/e/b", "d/e/c"] {
            volume.put(path, Item::File(Vec::new()));
        }
        let asked = namespace(&volume, LOGS);
        assert_eq!(deleting(&asked, POLICY_NAMES - 4), Ok(()));
        assert_eq!(deleting(&asked, POLICY_NAMES - 3), Err(Reason::TooManyToAsk.at("/w/d")));
        // Without rules about names, nothing is looked at.
        assert_eq!(deleting(&namespace(&volume, r#"{"profile": "open"}"#), POLICY_NAMES), Ok(()));
    }

    #[test]
    fn what_is_hidden_is_seen_here_and_not_told() {
        let volume = Memory::default();
        volume.put("d/e/a.log", Item::File(Vec::new()));
        let told = |policy: &str| deleting(&namespace(&volume, policy), 0);
        let denied = |denial| Reason::Denied("logs".to_owned(), denial);
        assert_eq!(told(LOGS), Err(denied(Denial::Delete).at("/w/d/e/a.log")));
        assert_eq!(told(&LOGS.replace("no_delete", "hidden")), Err(denied(Denial::Inside).at("/w/d")));
        let asked = namespace(&volume, &LOGS.replace("no_delete", "hidden"));
        // The query leaves the policy in force.
        assert!(matches!(resolve(&asked, "d/e/a.log", LastLink::Follow), Ok(Target::Absent(_))));
    }
}
