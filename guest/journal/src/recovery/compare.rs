//! Compares two objects.

use crate::path_record::is_none;
use crate::tree_walk::{TreePosition, TreeVisitor, VisitedDirectory, walk};
use fsgate_error::Reason;
use fsgate_volume::answers::{NamedObject, unless};
use fsgate_volume::bytes::hasher;
use fsgate_volume::{Access, Fault, Kind, Volume};

/// True if an object contains another one: the same bytes of a file, or all entries of a directory.
/// Further entries do not count.
pub(super) fn holds<V: Volume>(all: NamedObject<V>, part: NamedObject<V>) -> Result<bool, Fault> {
    match part.0.stat(part.1, part.2)?.kind {
        Kind::File => is_same(all, part),
        Kind::Directory => {
            let start = unless(all.0.open_directory(all.1, all.2), is_none)?;
            let Some(start) = start else { return Ok(false) };
            let position = TreePosition::new(all.0, start);
            let mut beside = DirectoryComparison { all: all.0, part: part.0, position, differs: false };
            match walk(part.0, part.0.open_directory(part.1, part.2)?, &mut beside) {
                Ok(()) => Ok(true),
                Err(_) if beside.differs => Ok(false),
                Err(stopped) => Err(stopped.reason.into_fault()),
            }
        }
        Kind::Link | Kind::Special(_) => Ok(false),
    }
}

fn is_same<V: Volume>(one: NamedObject<V>, other: NamedObject<V>) -> Result<bool, Fault> {
    let size = |(volume, directory, name): NamedObject<V>| {
        let stat = unless(volume.stat(directory, name), is_none)?;
        Ok::<_, Fault>(stat.filter(|stat| stat.kind == Kind::File).map(|stat| stat.size))
    };
    let (Some(size), other_size) = (size(one)?, size(other)?) else { return Ok(false) };
    if other_size != Some(size) {
        return Ok(false);
    }
    let hash = |(volume, directory, name): NamedObject<V>| {
        let file = volume.open_file(directory, name, Access::Read)?;
        Ok(hasher(volume, &file, 0, size)?.finalize())
    };
    Ok(hash(one)? == hash(other)?)
}

struct DirectoryComparison<'a, V: Volume> {
    all: &'a V,
    part: &'a V,
    position: TreePosition<'a, V>,
    differs: bool,
}

impl<V: Volume> DirectoryComparison<'_, V> {
    fn require(&mut self, is_so: Result<bool, Fault>) -> Result<(), Reason> {
        let is_so = unless(is_so, is_none).map(|is_so| is_so == Some(true));
        self.differs = is_so == Ok(false);
        if is_so.map_err(Reason::reading)? { Ok(()) } else { Err(Reason::Changed) }
    }
}

impl<V: Volume> TreeVisitor<V> for DirectoryComparison<'_, V> {
    fn enter(&mut self, _: &VisitedDirectory<V>, name: &str) -> Result<(), Reason> {
        let entered = self.position.down(name).map(|()| true);
        self.require(entered)
    }

    fn entry(&mut self, here: &VisitedDirectory<V>, name: &str, kind: Kind) -> Result<(), Reason> {
        // Only regular files are copied.
        if kind != Kind::File {
            return self.require(Ok(false));
        }
        let directory = self.position.here().map_err(Reason::reading)?;
        let is_same = is_same((self.all, &directory, name), (self.part, here.directory, name));
        self.require(is_same)
    }

    fn unreachable(&mut self, _: &VisitedDirectory<V>, _: u64) -> Result<(), Reason> {
        self.require(Ok(false))
    }

    fn leave(&mut self, _: &VisitedDirectory<V>, _: &str) -> Result<(), Reason> {
        self.position.up().map(drop).map_err(Reason::reading)
    }
}
