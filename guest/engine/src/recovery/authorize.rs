//! The policy's rulings on recorded changes, before recovery completes or rolls them back.

use crate::permission::Wanted;
use crate::permission::looking::{Looking, Side};
use fsgate_error::Reason;
use fsgate_journal::descent::{Stopped, walk};
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::{Action, Location, Object, Record};
use fsgate_journal::state::State;
use fsgate_journal::{Found, Grounds, Spot};
use fsgate_policy::Standpoint;
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

/// The same by the names of the record alone.
pub(crate) fn forbids_names<V: Volume>(namespace: &Namespace<V>, record: &Record) -> bool {
    let refused = |at: &Location, object: Object, wanted: Wanted| {
        let Some((here, name)) = standing(namespace, at) else { return false };
        let policy = namespace.guard().policy();
        let ruling = here.ruling(policy, &name, object.is_directory());
        let leads = object == Object::Link && wanted == Wanted::Make;
        wanted.refusal(ruling).is_some() || leads && here.passage(policy, &name).is_some()
    };
    // A hidden name counts as well, and is not revealed.
    let _lifted = namespace.guard().lift();
    match &record.action {
        Action::Splice(splice) => {
            let is_append = splice.old == 0 && splice.offset == splice.size;
            let wanted = if is_append { Wanted::Append } else { Wanted::Write };
            refused(&splice.at, Object::File { size: splice.size }, wanted)
        }
        Action::Create(create) => refused(&create.at, create.object, Wanted::Make),
        Action::Remove(remove) => refused(&remove.at, remove.object, Wanted::Take),
        Action::Move(moved) => {
            let at_its_end = if moved.replaced.is_some() { Wanted::Take } else { Wanted::Make };
            refused(&moved.from, moved.object, Wanted::Take) || refused(&moved.to, moved.object, at_its_end)
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
            Inside::new(namespace, &[(&create.at, Wanted::Make)]).forbids_at(&create.at)
        }
        Action::Remove(remove) if remove.object.is_directory() => {
            let mut inside = Inside::new(namespace, &[(&remove.at, Wanted::Take)]);
            Ok(inside.forbids(&state.volume, &state.trash, &record.id.to_string())?
                || inside.forbids_at(&remove.at)?
                || inside.forbids_aside(&remove.at, &fsgate_contract::id::temporary(record.id))?)
        }
        Action::Move(moved) if moved.object.is_directory() => {
            let sides = [(&moved.from, Wanted::Take), (&moved.to, Wanted::Make)];
            let mut inside = Inside::new(namespace, &sides);
            Ok(inside.forbids_at(&moved.from)? || inside.forbids_at(&moved.to)?)
        }
        _ => Ok(false),
    }
}

/// The policy's positions of a recorded directory and its name; none without rules and outside the
/// grants.
fn standing<V: Volume>(namespace: &Namespace<V>, at: &Location) -> Option<(Standpoint, String)> {
    let ground = Grounds::new(namespace).and_then(|grounds| grounds.find(at, None)).ok().flatten()?;
    let mut names = ground.names_of(at);
    let name = names.pop()?;
    namespace.guard().at(names.iter().map(String::as_str)).map(|here| (here, name))
}

fn has_names<V: Volume>(namespace: &Namespace<V>, at: &Location) -> Result<bool, Fault> {
    let Found::Here(spot) = Spot::find(namespace, at)? else { return Ok(false) };
    let Some(directory) = spot.directory()? else { return Ok(false) };
    match spot.volume.stat(&directory, &spot.name) {
        Ok(stat) => Ok(stat.links > 1),
        Err(fault) if fault.is_absence() => Ok(false),
        Err(fault) => Err(fault),
    }
}

/// The content of the directory of a record, wherever it is now, seen from all its paths.
struct Inside<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    sides: Vec<(Standpoint, Wanted)>,
    looked_at: u64,
}

impl<'a, V: Volume> Inside<'a, V> {
    fn new(namespace: &'a Namespace<V>, places: &[(&Location, Wanted)]) -> Self {
        let policy = namespace.guard().policy();
        let side = |(at, wanted): &(&Location, Wanted)| {
            standing(namespace, at).map(|(here, name)| (here.below(policy, &name), *wanted))
        };
        let asks = !policy.rules_no_name();
        let sides = places.iter().filter(|_| asks).filter_map(side).collect();
        Self { namespace, sides, looked_at: 0 }
    }

    /// The same for the directory that has the name now.
    fn forbids_at(&mut self, at: &Location) -> Result<bool, Fault> {
        let Found::Here(spot) = Spot::find(self.namespace, at)? else { return Ok(false) };
        match spot.directory()? {
            Some(directory) => self.forbids(spot.volume, &directory, &spot.name),
            None => Ok(false),
        }
    }

    /// The same for its set-aside object.
    fn forbids_aside(&mut self, at: &Location, temporary: &str) -> Result<bool, Fault> {
        let Found::Here(spot) = Spot::find(self.namespace, at)? else { return Ok(false) };
        self.forbids(spot.volume, &spot.start, temporary)
    }

    fn forbids(&mut self, volume: &V, directory: &V::Directory, name: &str) -> Result<bool, Fault> {
        if self.sides.is_empty() {
            return Ok(false);
        }
        match volume.stat(directory, name) {
            Ok(stat) if stat.kind == Kind::Directory => {}
            Ok(_) => return Ok(false),
            Err(fault) if fault.is_absence() => return Ok(false),
            Err(fault) => return Err(fault),
        }
        let start = volume.open_directory(directory, name)?;
        let sides = self.sides.iter().map(|(at, wanted)| Side { at: at.clone(), wanted: *wanted }).collect();
        let mut looking = Looking {
            volume,
            guard: self.namespace.guard(),
            ways: vec![sides],
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
