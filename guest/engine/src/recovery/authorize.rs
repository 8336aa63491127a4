//! The policy's rulings on recorded changes, before recovery completes or rolls them back.

use crate::authorize::NameUse;
use crate::authorize::tree::{TreeCheck, TreeView};
use fsgate_error::Reason;
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::{Action, Location, Object, Record};
use fsgate_journal::state::State;
use fsgate_journal::tree_walk::{Stopped, walk};
use fsgate_journal::{PlaceLookup, RecordedPlace, RootMap};
use fsgate_policy::PolicyPosition;
use fsgate_volume::answers::unless;
use fsgate_volume::{Fault, Kind, Volume};

/// True if the policy forbids to complete a recorded change. Contents and counts are not asked
/// again.
pub(crate) fn forbids<V: Volume>(
    namespace: &Namespace<V>,
    state: &State<V>,
    record: &Record,
) -> Result<bool, Fault> {
    Ok(forbids_names(namespace, record) || forbids_things(namespace, state, record)?)
}

pub(crate) fn forbids_names<V: Volume>(namespace: &Namespace<V>, record: &Record) -> bool {
    let refused = |at: &Location, object: Object, wanted: NameUse| {
        let Some((here, name)) = standing(namespace, at) else { return false };
        let policy = namespace.guard().policy();
        let ruling = here.ruling(policy, &name, object.is_directory());
        let leads = object == Object::Link && wanted == NameUse::Make;
        wanted.refusal(ruling).is_some() || leads && here.passage(policy, &name).is_some()
    };
    // A hidden name counts as well, and is not revealed.
    let _lifted = namespace.guard().lift();
    match &record.action {
        Action::Splice(splice) => {
            let is_append = splice.old == 0 && splice.offset == splice.size;
            let wanted = if is_append { NameUse::Append } else { NameUse::Write };
            refused(&splice.at, Object::File { size: splice.size }, wanted)
        }
        Action::Create(create) => refused(&create.at, create.object, NameUse::Make),
        Action::Remove(remove) => refused(&remove.at, remove.object, NameUse::Take),
        Action::Move(moved) => {
            let at_its_end = if moved.replaced.is_some() { NameUse::Take } else { NameUse::Make };
            refused(&moved.from, moved.object, NameUse::Take) || refused(&moved.to, moved.object, at_its_end)
        }
        Action::Group { .. } | Action::Checkpoint { .. } | Action::Remark => false,
    }
}

/// The same by the link count of a file and the content of a directory.
fn forbids_things<V: Volume>(
    namespace: &Namespace<V>,
    state: &State<V>,
    record: &Record,
) -> Result<bool, Fault> {
    let _lifted = namespace.guard().lift();
    match &record.action {
        Action::Splice(splice) => {
            Ok(namespace.guard().policy().limits().linked_files.is_some()
                && has_names(namespace, &splice.at)?)
        }
        Action::Create(create) if create.object.is_directory() => {
            DirectoryCheck::new(namespace, &[(&create.at, NameUse::Make)]).forbids_at(&create.at)
        }
        Action::Remove(remove) if remove.object.is_directory() => {
            let mut inside = DirectoryCheck::new(namespace, &[(&remove.at, NameUse::Take)]);
            Ok(inside.forbids(&state.volume, &state.trash, &record.id.to_string())?
                || inside.forbids_at(&remove.at)?
                || inside.forbids_aside(&remove.at, &fsgate_contract::id::temporary(record.id))?)
        }
        Action::Move(moved) if moved.object.is_directory() => {
            let sides = [(&moved.from, NameUse::Take), (&moved.to, NameUse::Make)];
            let mut inside = DirectoryCheck::new(namespace, &sides);
            Ok(inside.forbids_at(&moved.from)? || inside.forbids_at(&moved.to)?)
        }
        _ => Ok(false),
    }
}

/// The policy's positions of a recorded directory and its name; none without rules and outside the
/// grants.
fn standing<V: Volume>(namespace: &Namespace<V>, at: &Location) -> Option<(PolicyPosition, String)> {
    let mapped = RootMap::new(namespace).and_then(|roots| roots.find(at, None)).ok().flatten()?;
    let mut names = mapped.names_of(at);
    let name = names.pop()?;
    namespace.guard().at(names.iter().map(String::as_str)).map(|here| (here, name))
}

fn has_names<V: Volume>(namespace: &Namespace<V>, at: &Location) -> Result<bool, Fault> {
    let PlaceLookup::Here(place) = RecordedPlace::find(namespace, at)? else { return Ok(false) };
    let Some(directory) = place.directory()? else { return Ok(false) };
    let stat = unless(place.volume.stat(&directory, &place.name), Fault::is_absence)?;
    Ok(stat.is_some_and(|stat| stat.links > 1))
}

/// The content of the directory of a record, wherever it is now, seen from all its paths.
struct DirectoryCheck<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    sides: Vec<(PolicyPosition, NameUse)>,
    looked_at: u64,
}

impl<'a, V: Volume> DirectoryCheck<'a, V> {
    fn new(namespace: &'a Namespace<V>, places: &[(&Location, NameUse)]) -> Self {
        let policy = namespace.guard().policy();
        let side = |(at, wanted): &(&Location, NameUse)| {
            standing(namespace, at).map(|(here, name)| (here.below(policy, &name), *wanted))
        };
        let asks = !policy.rules_no_name();
        let sides = places.iter().filter(|_| asks).filter_map(side).collect();
        Self { namespace, sides, looked_at: 0 }
    }

    /// The same for the directory that has the name now.
    fn forbids_at(&mut self, at: &Location) -> Result<bool, Fault> {
        let PlaceLookup::Here(place) = RecordedPlace::find(self.namespace, at)? else { return Ok(false) };
        match place.directory()? {
            Some(directory) => self.forbids(place.volume, &directory, &place.name),
            None => Ok(false),
        }
    }

    fn forbids_aside(&mut self, at: &Location, temporary: &str) -> Result<bool, Fault> {
        let PlaceLookup::Here(place) = RecordedPlace::find(self.namespace, at)? else { return Ok(false) };
        self.forbids(place.volume, &place.start, temporary)
    }

    fn forbids(&mut self, volume: &V, directory: &V::Directory, name: &str) -> Result<bool, Fault> {
        if self.sides.is_empty() {
            return Ok(false);
        }
        let stat = unless(volume.stat(directory, name), Fault::is_absence)?;
        if stat.is_none_or(|stat| stat.kind != Kind::Directory) {
            return Ok(false);
        }
        let start = volume.open_directory(directory, name)?;
        let sides =
            self.sides.iter().map(|(at, wanted)| TreeView { at: at.clone(), wanted: *wanted }).collect();
        let mut looking = TreeCheck {
            volume,
            guard: self.namespace.guard(),
            views: vec![sides],
            refused: None,
            reads: false,
            files: 0,
            looked_at: self.looked_at,
        };
        let walked = walk(volume, start, &mut looking);
        self.looked_at = looking.looked_at;
        match (looking.refused, walked) {
            (Some(_), _) => Ok(true),
            (None, Ok(())) => Ok(false),
            (None, Err(Stopped { reason: Reason::Volume(fault, _), .. })) => Err(fault),
            // Its content is unknown.
            (None, Err(_)) => Ok(true),
        }
    }
}
