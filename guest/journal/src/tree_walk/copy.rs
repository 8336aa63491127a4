//! Copies files and trees, with their permissions if the volume keeps them.

use super::stream::{Side, Stream};
use super::{Census, Stopped, TreePosition, TreeVisitor, VisitedDirectory, walk};
use fsgate_contract::id::Id;
use fsgate_error::Reason;
use fsgate_volume::answers::NamedObject;
use fsgate_volume::bytes::{sync_content, sync_names};
use fsgate_volume::{Access, Fault, Kind, Seen, Volume};

/// The permissions of a copy, the ones closest to the original first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permissions {
    /// Those of the original.
    Kept,
    /// Those of a new object.
    New,
}

impl Permissions {
    /// The permissions that a copy on this volume is expected to have.
    pub fn expected<V: Volume>(volume: &V) -> Self {
        if volume.abilities().keeps_modes { Self::Kept } else { Self::New }
    }
}

/// Creates a new object if the volume cannot copy permissions.
fn or_new<T>(
    created: Result<(T, Permissions), Fault>,
    new: impl FnOnce() -> Result<T, Fault>,
) -> Result<(T, Permissions), Fault> {
    match created {
        Err(Fault::Unsupported) => Ok((new()?, Permissions::New)),
        created => created,
    }
}

/// Creates a file, and removes it again if it cannot be filled. It gets the permissions of `like`,
/// if that is a file.
pub fn write_new<V: Volume, E: From<Reason>>(
    volume: &V,
    directory: &V::Directory,
    name: &str,
    like: Option<&V::File>,
    sync: bool,
    fill: impl Fn(&V::File) -> Result<(), E>,
) -> Result<Permissions, E> {
    let created = match like {
        None => Err(Fault::Unsupported),
        Some(source) => volume.create_like(directory, name, source).map(|file| (file, Permissions::Kept)),
    };
    let (file, permissions) =
        or_new(created, || volume.create_file(directory, name)).map_err(Reason::writing)?;
    let filled = fill(&file)
        .and_then(|()| sync_content(volume, &file, sync).map_err(|fault| Reason::writing(fault).into()));
    filled.inspect_err(|_| drop(volume.remove_file(directory, name)))?;
    Ok(permissions)
}

/// Copies a file or a directory tree. Refuses links and special files. `apart` gets what another
/// program puts into the copy.
pub fn copy_object<V: Volume>(
    (from, directory, name): NamedObject<V>,
    (to, to_directory, to_name): NamedObject<V>,
    apart: Option<&V::Directory>,
    sync: bool,
) -> Result<Permissions, Fault> {
    let stat = from.stat(directory, name)?;
    match stat.kind {
        Kind::File => {
            let file = from.open_file(directory, name, Access::Read)?;
            let stream =
                Stream { from, seen: Seen { stat, identity: from.identity(&file)? }, file, etag: None };
            let like = Some(&stream.file);
            let permissions = write_new(to, to_directory, to_name, like, sync, |new| stream.fill(to, new))
                .map_err(|side| side.reason().into_fault())?;
            sync_names(to, to_directory, sync).map(|()| permissions)
        }
        Kind::Directory => {
            let source = from.open_directory(directory, name)?;
            let made = make_new((to, to_directory, to_name), &source, apart);
            let permissions = made.map_err(Reason::into_fault)?;
            let start = to.open_directory(to_directory, to_name)?;
            let position = TreePosition::new(to, start.clone());
            let found = Census::default();
            let mut copying = Copying { from, to, position, apart, found, permissions, wrote: false, sync };
            walk(from, source, &mut copying).map_err(|stopped| stopped.reason.into_fault())?;
            if copying.found.links + copying.found.special > 0 {
                return Err(Fault::Unsupported);
            }
            let permissions = copying.permissions;
            sync_names(to, &start, sync)?;
            sync_names(to, to_directory, sync).map(|()| permissions)
        }
        Kind::Link | Kind::Special(_) => Err(Fault::Unsupported),
    }
}

/// Creates a directory with the permissions of another one, if the volume can.
pub fn make_like<V: Volume>(
    to: &V,
    directory: &V::Directory,
    name: &str,
    source: &V::Directory,
) -> Result<Permissions, Fault> {
    let created = to.create_directory_like(directory, name, source).map(|()| ((), Permissions::Kept));
    or_new(created, || to.create_directory(directory, name)).map(|((), permissions)| permissions)
}

/// Creates a directory of an unfinished copy. An empty one that has the name is replaced: a network
/// file system repeats a call whose answer was lost, and says that the name exists.
pub fn make_new<V: Volume>(
    (to, directory, name): NamedObject<V>,
    source: &V::Directory,
    apart: Option<&V::Directory>,
) -> Result<Permissions, Reason> {
    let made = match make_like(to, directory, name, source) {
        Err(Fault::Exists) if apart.is_some() && to.remove_directory(directory, name).is_ok() => {
            make_like(to, directory, name, source)
        }
        made => made,
    };
    made.map_err(|fault| not_made(fault, to, directory, name, apart))
}

/// The reason why a name of an unfinished copy could not be created. An object of another program
/// goes to `apart`, because a failed copy is removed with everything in it.
fn not_made<V: Volume>(
    fault: Fault,
    volume: &V,
    directory: &V::Directory,
    name: &str,
    apart: Option<&V::Directory>,
) -> Reason {
    match (fault, apart) {
        (Fault::Exists | Fault::NotEmpty, Some(apart)) => {
            let found = format!("{FOUND}{}", Id::new(volume.wall(), volume.random(), None));
            match volume.rename(directory, name, apart, &found) {
                Ok(()) => Reason::Foreign(found),
                Err(_) => Reason::Changed,
            }
        }
        (fault, _) => Reason::writing(fault),
    }
}

/// The prefix of objects that another program put into a copy. It is not the temporary prefix,
/// because temporary names can be deleted.
const FOUND: &str = "fsgate-found-";

/// Copies each visited name.
pub struct Copying<'a, V: Volume> {
    /// The volume that is read.
    pub from: &'a V,
    /// The volume that is written.
    pub to: &'a V,
    /// The position in the copy.
    pub position: TreePosition<'a, V>,
    /// The directory, outside of the copy, for objects of other programs.
    pub apart: Option<&'a V::Directory>,
    /// The objects copied so far.
    pub found: Census,
    /// The least permissions that a copied object has.
    pub permissions: Permissions,
    /// True if the last failure is of the written side.
    pub wrote: bool,
    /// True if the copy has to survive a loss of power.
    pub sync: bool,
}

impl<V: Volume> Copying<'_, V> {
    fn there<T>(&mut self, done: Result<T, Fault>) -> Result<T, Reason> {
        done.map_err(|fault| {
            self.wrote = true;
            Reason::writing(fault)
        })
    }
}

impl<V: Volume> TreeVisitor<V> for Copying<'_, V> {
    fn enter(&mut self, here: &VisitedDirectory<V>, name: &str) -> Result<(), Reason> {
        self.found.count(Kind::Directory);
        let above = self.position.here();
        let above = self.there(above)?;
        let made = make_new((self.to, &above, name), here.directory, self.apart);
        let permissions = made.inspect_err(|_| self.wrote = true)?;
        self.permissions = self.permissions.max(permissions);
        let entered = self.position.down(name);
        self.there(entered)
    }

    fn entry(&mut self, here: &VisitedDirectory<V>, name: &str, kind: Kind) -> Result<(), Reason> {
        self.found.count(kind);
        if kind != Kind::File {
            return Ok(());
        }
        let stream = open_stream(self.from, here, name)?;
        self.found.bytes += stream.size();
        let directory = self.position.here();
        let directory = self.there(directory)?;
        let like = Some(&stream.file);
        let made = write_new(self.to, &directory, name, like, self.sync, |new| stream.fill(self.to, new));
        let permissions = made.map_err(|side| match side {
            Side::Source(reason) => reason,
            Side::Destination(reason) => {
                self.wrote = true;
                match reason {
                    Reason::Exists => not_made(Fault::Exists, self.to, &directory, name, self.apart),
                    reason => reason,
                }
            }
        })?;
        self.permissions = self.permissions.max(permissions);
        Ok(())
    }

    fn unreachable(&mut self, _: &VisitedDirectory<V>, count: u64) -> Result<(), Reason> {
        Err(Reason::Unreachable(count))
    }

    fn leave(&mut self, _: &VisitedDirectory<V>, _: &str) -> Result<(), Reason> {
        if self.sync {
            let synced = self.position.here().and_then(|here| self.to.sync_directory(&here));
            self.there(synced)?;
        }
        let left = self.position.up();
        self.there(left).map(drop)
    }
}

/// Opens a file of a tree for reading.
pub(crate) fn open_stream<'a, V: Volume>(
    from: &'a V,
    here: &VisitedDirectory<V>,
    name: &str,
) -> Result<Stream<'a, V>, Reason> {
    let stat = from.stat(here.directory, name).map_err(Reason::reading)?;
    if stat.kind != Kind::File {
        return Err(Reason::Changed);
    }
    let file = from.open_file(here.directory, name, Access::Read).map_err(Reason::reading)?;
    let identity = from.identity(&file).map_err(Reason::reading)?;
    let stream = Stream { from, file, seen: Seen { stat, identity }, etag: None };
    stream.require_size()?;
    Ok(stream)
}

/// Refuses a tree with a file that cannot be copied.
pub fn require_copyable<V: Volume>(from: &V, start: V::Directory) -> Result<(), Stopped> {
    struct Opening<'a, V>(&'a V);
    impl<V: Volume> TreeVisitor<V> for Opening<'_, V> {
        fn entry(&mut self, here: &VisitedDirectory<V>, name: &str, kind: Kind) -> Result<(), Reason> {
            if kind == Kind::File { open_stream(self.0, here, name).map(drop) } else { Ok(()) }
        }

        fn unreachable(&mut self, _: &VisitedDirectory<V>, count: u64) -> Result<(), Reason> {
            Err(Reason::Unreachable(count))
        }
    }
    walk(from, start, &mut Opening(from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgate_volume::memory::{Item, Memory};

    #[test]
    fn another_programs_things_are_moved_out_of_an_unfinished_copy() {
        for (put, moved, rest) in [("copy/d/private", "copy/d", "/private"), ("copy/f", "copy/f", "")] {
            let volume = Memory::default();
            let file = |text: &str| Item::File(text.as_bytes().to_vec());
            volume.put("source/d/f", file("f"));
            volume.put("source/f", file("f"));
            volume.put("copy", Item::Directory);
            volume.put(put, file("private"));
            let root = volume.root();
            let mut copying = Copying {
                from: &volume,
                to: &volume,
                position: TreePosition::new(&volume, volume.open_directory(&root, "copy").unwrap()),
                apart: Some(&root),
                found: Census::default(),
                permissions: Permissions::Kept,
                wrote: false,
                sync: false,
            };
            let source = volume.open_directory(&root, "source").unwrap();
            let stopped = walk(&volume, source, &mut copying).unwrap_err();
            let Reason::Foreign(found) = stopped.reason else { panic!("{:?}", stopped.reason) };
            let items = volume.snapshot();
            assert_eq!(items.get(&format!("{found}{rest}")), Some(&file("private")), "{items:?}");
            assert!(!items.contains_key(moved), "{items:?}");
        }
    }
}
