//! Walks trees of directories by handles. Links are never followed, and few handles are open at
//! once.
//!
//! Only the names of the directories on the current path are in memory, so a million files cost no
//! more than ten.

pub mod copy;
pub mod remove;
pub mod stream;

use std::ops::ControlFlow;

use fsgate_contract::limits::{HANDLES, PATH_BYTES, PATH_SEGMENTS};
use fsgate_contract::path::join;
use fsgate_error::Reason;
use fsgate_volume::{Fault, Kind, Listed, Volume};

/// Handles of one walk. A copy takes two walks.
const HELD: usize = HANDLES / 2;

/// The number of names below a directory, and the bytes of the files.
pub fn count_below<V: Volume>(volume: &V, directory: V::Directory) -> Result<(u64, u64), Fault> {
    struct Count<'a, V>(&'a V, Census);
    impl<V: Volume> TreeVisitor<V> for Count<'_, V> {
        fn enter(&mut self, _: &VisitedDirectory<V>, _: &str) -> Result<(), Reason> {
            self.1.count(Kind::Directory);
            Ok(())
        }

        fn entry(&mut self, here: &VisitedDirectory<V>, name: &str, kind: Kind) -> Result<(), Reason> {
            self.1.count(kind);
            if kind == Kind::File {
                self.1.bytes += self.0.stat(here.directory, name).map_err(Reason::reading)?.size;
            }
            Ok(())
        }

        fn unreachable(&mut self, _: &VisitedDirectory<V>, count: u64) -> Result<(), Reason> {
            self.1.special += count;
            Ok(())
        }
    }
    let mut count = Count(volume, Census::default());
    walk(volume, directory, &mut count).map_err(|stopped| stopped.reason.into_fault())?;
    Ok((count.1.names(), count.1.bytes))
}

/// A position in a tree.
pub struct TreePosition<'a, V: Volume> {
    volume: &'a V,
    frames: Vec<OpenLevel<V>>,
}

struct OpenLevel<V: Volume> {
    name: String,
    /// None if the handle was closed; it is opened again when it is needed.
    handle: Option<V::Directory>,
}

impl<'a, V: Volume> TreePosition<'a, V> {
    /// The position at the start.
    pub fn new(volume: &'a V, start: V::Directory) -> Self {
        Self { volume, frames: vec![OpenLevel { name: String::new(), handle: Some(start) }] }
    }

    /// The directory at the position.
    pub fn here(&self) -> Result<V::Directory, Fault> {
        self.frames.last().and_then(|frame| frame.handle.clone()).ok_or(Fault::NotFound)
    }

    /// Its path from the start; empty at the start.
    pub fn path(&self) -> String {
        let names: Vec<_> = self.frames.iter().skip(1).map(|frame| &frame.name[..]).collect();
        names.join("/")
    }

    /// Directories between the start and the position.
    pub fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    /// Goes into a directory.
    pub fn down(&mut self, name: &str) -> Result<(), Fault> {
        let handle = self.volume.open_directory(&self.here()?, name)?;
        self.enter(name, handle);
        Ok(())
    }

    fn enter(&mut self, name: &str, handle: V::Directory) {
        self.frames.push(OpenLevel { name: name.to_owned(), handle: Some(handle) });
        if self.frames.len() > HELD {
            let oldest = (self.frames.len() - HELD).max(1);
            self.frames[oldest].handle = None;
        }
    }

    /// Goes back to the directory above. Returns the name of the one that it left.
    pub fn up(&mut self) -> Result<String, Fault> {
        if self.frames.len() < 2 {
            return Err(Fault::NotFound);
        }
        let left = self.frames.pop().map_or_else(String::new, |frame| frame.name);
        let held = self.frames.iter().rposition(|frame| frame.handle.is_some()).ok_or(Fault::NotFound)?;
        let first_kept = self.frames.len().saturating_sub(HELD / 2);
        let mut handle = self.frames[held].handle.clone().ok_or(Fault::NotFound)?;
        for (index, frame) in self.frames.iter_mut().enumerate().skip(held + 1) {
            handle = self.volume.open_directory(&handle, &frame.name)?;
            if index >= first_kept {
                frame.handle = Some(handle.clone());
            }
        }
        Ok(left)
    }
}

/// Opens the directory at a path of plain names.
pub fn open<V: Volume>(volume: &V, start: &V::Directory, names: &[String]) -> Result<V::Directory, Fault> {
    names.iter().try_fold(start.clone(), |directory, name| volume.open_directory(&directory, name))
}

/// The position of a walk.
pub struct VisitedDirectory<'a, V: Volume> {
    /// The directory.
    pub directory: &'a V::Directory,
    /// Its path from the start; empty at the start.
    pub path: &'a str,
    /// Directories between the start and here.
    pub depth: usize,
}

impl<V: Volume> VisitedDirectory<'_, V> {
    /// The path of a name in it.
    pub fn path_of(&self, name: &str) -> String {
        below(self.path, name)
    }
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { join(path, name) }
}

/// The work on each name of a tree.
pub trait TreeVisitor<V: Volume> {
    /// True to go into a directory.
    fn wants(&mut self, _here: &VisitedDirectory<V>, _name: &str) -> bool {
        true
    }

    /// Opens a directory to go into it.
    fn open(&self, volume: &V, here: &V::Directory, name: &str) -> Result<V::Directory, Fault> {
        volume.open_directory(here, name)
    }

    /// Decides about a directory that cannot be opened. By default the walk ends there.
    fn unopened(&mut self, _path: &str, fault: Fault) -> Result<(), Reason> {
        Err(Reason::reading(fault))
    }

    /// Enters a directory, except the start.
    fn enter(&mut self, _here: &VisitedDirectory<V>, _name: &str) -> Result<(), Reason> {
        Ok(())
    }

    /// Visits a name that is not a directory.
    fn entry(&mut self, here: &VisitedDirectory<V>, name: &str, kind: Kind) -> Result<(), Reason>;

    /// Reports names that are not UTF-8.
    fn unreachable(&mut self, here: &VisitedDirectory<V>, count: u64) -> Result<(), Reason>;

    /// Leaves a directory, except the start, after everything in it.
    fn leave(&mut self, _here: &VisitedDirectory<V>, _name: &str) -> Result<(), Reason> {
        Ok(())
    }
}

/// An unfinished walk.
pub struct Stopped {
    /// The reason.
    pub reason: Reason,
    /// The path below the start.
    pub path: String,
}

/// Walks everything below a directory in post-order.
pub fn walk<V: Volume>(
    volume: &V,
    start: V::Directory,
    visitor: &mut impl TreeVisitor<V>,
) -> Result<(), Stopped> {
    let mut position = TreePosition::new(volume, start);
    let mut waiting = vec![list(volume, &position, visitor)?];
    while let Some(names) = waiting.last_mut() {
        if let Some(name) = names.pop() {
            let path = below(&position.path(), &name);
            let stopped = |reason| Stopped { reason, path: path.clone() };
            if waiting.len() >= PATH_SEGMENTS {
                return Err(stopped(Reason::NameTooLong));
            }
            match position.here().and_then(|here| visitor.open(volume, &here, &name)) {
                Ok(handle) => position.enter(&name, handle),
                Err(fault) => {
                    visitor.unopened(&path, fault).map_err(stopped)?;
                    continue;
                }
            }
            let directory = position.here().map_err(|fault| stopped(Reason::reading(fault)))?;
            let here = VisitedDirectory { directory: &directory, path: &path, depth: position.depth() };
            visitor.enter(&here, &name).map_err(stopped)?;
            waiting.push(list(volume, &position, visitor)?);
        } else {
            waiting.pop();
            if waiting.is_empty() {
                break;
            }
            let path = position.path();
            let stopped = |reason| Stopped { reason, path: path.clone() };
            let name = position.up().map_err(|fault| stopped(Reason::reading(fault)))?;
            let directory = position.here().map_err(|fault| stopped(Reason::reading(fault)))?;
            let here =
                VisitedDirectory { directory: &directory, path: &position.path(), depth: position.depth() };
            visitor.leave(&here, &name).map_err(stopped)?;
        }
    }
    Ok(())
}

fn list<V: Volume>(
    volume: &V,
    position: &TreePosition<V>,
    visitor: &mut impl TreeVisitor<V>,
) -> Result<Vec<String>, Stopped> {
    let path = position.path();
    let stopped = |reason| Stopped { reason, path: path.clone() };
    let directory = position.here().map_err(|fault| stopped(Reason::reading(fault)))?;
    let here = VisitedDirectory { directory: &directory, path: &path, depth: position.depth() };
    let (mut directories, mut unreachable, mut failed) = (Vec::new(), 0, None);
    let listed = volume.each_entry(&directory, &mut |listed| {
        match listed {
            Listed::Name(name, Kind::Directory) => {
                if visitor.wants(&here, name) {
                    directories.push(name.to_owned());
                }
            }
            Listed::Name(name, kind) => {
                if let Err(reason) = visitor.entry(&here, name, kind) {
                    failed = Some(Stopped { reason, path: here.path_of(name) });
                    return ControlFlow::Break(());
                }
            }
            Listed::Undecodable => unreachable += 1,
        }
        ControlFlow::Continue(())
    });
    if let Some(failed) = failed {
        return Err(failed);
    }
    listed.map_err(|fault| stopped(Reason::reading(fault)))?;
    if unreachable > 0 {
        visitor.unreachable(&here, unreachable).map_err(stopped)?;
    }
    Ok(directories)
}

/// The content of a tree, its root not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Census {
    /// Regular files.
    pub files: u64,
    /// Directories.
    pub directories: u64,
    /// Links.
    pub links: u64,
    /// Special files.
    pub special: u64,
    /// Bytes in the files that were looked at.
    pub bytes: u64,
}

impl Census {
    /// Counts one more name.
    pub fn count(&mut self, kind: Kind) {
        *match kind {
            Kind::File => &mut self.files,
            Kind::Directory => &mut self.directories,
            Kind::Link => &mut self.links,
            Kind::Special(_) => &mut self.special,
        } += 1;
    }

    /// All names.
    pub fn names(&self) -> u64 {
        self.files + self.directories + self.links + self.special
    }
}

/// Segments and bytes that paths below a directory can still have.
#[derive(Debug, Clone, Copy)]
pub struct PathRoom {
    segments: usize,
    bytes: usize,
}

impl PathRoom {
    /// The rest after the path of a directory.
    pub fn below(path: &str) -> Self {
        let taken = path.split('/').filter(|name| !name.is_empty()).count();
        Self {
            segments: PATH_SEGMENTS.saturating_sub(taken),
            bytes: PATH_BYTES.saturating_sub(path.len() + 1),
        }
    }

    /// The smaller of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { segments: self.segments.min(other.segments), bytes: self.bytes.min(other.bytes) }
    }

    /// Refuses a path that is too long to be put below.
    pub fn holds(self, path: &str) -> Result<(), Reason> {
        let fits = path.len() <= self.bytes && path.split('/').count() <= self.segments;
        if fits { Ok(()) } else { Err(Reason::NameTooLong) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgate_volume::memory::{Item, Memory};

    #[derive(Default)]
    struct VisitLog(Vec<String>);

    impl TreeVisitor<Memory> for VisitLog {
        fn enter(&mut self, here: &VisitedDirectory<Memory>, name: &str) -> Result<(), Reason> {
            self.0.push(format!("into {} {name} at {}", here.path, here.depth));
            Ok(())
        }

        fn entry(&mut self, here: &VisitedDirectory<Memory>, name: &str, _: Kind) -> Result<(), Reason> {
            self.0.push(here.path_of(name));
            Ok(())
        }

        fn unreachable(&mut self, here: &VisitedDirectory<Memory>, count: u64) -> Result<(), Reason> {
            self.0.push(format!("{count} more in {}", here.path));
            Ok(())
        }

        fn leave(&mut self, here: &VisitedDirectory<Memory>, name: &str) -> Result<(), Reason> {
            self.0.push(format!("out of {}", here.path_of(name)));
            Ok(())
        }
    }

    #[test]
    fn a_directory_comes_before_and_behind_what_is_in_it() {
        let volume = Memory::default();
        volume.put("a", Item::File(Vec::new()));
        volume.put("d/e/f", Item::Link("../../d".to_owned()));
        volume.put_undecodable("d/e");
        let mut diary = VisitLog::default();
        assert!(walk(&volume, volume.root(), &mut diary).is_ok());
        assert_eq!(
            diary.0,
            ["a", "into d d at 1", "into d/e e at 2", "d/e/f", "1 more in d/e", "out of d/e", "out of d"]
        );
    }

    #[test]
    fn a_tree_that_is_deeper_than_handles_are_held_is_walked_down_and_up() {
        let volume = Memory::default();
        for depth in 1..250 {
            volume.put(&format!("{}/f", vec!["d"; depth].join("/")), Item::File(Vec::new()));
        }
        let mut diary = VisitLog::default();
        assert!(walk(&volume, volume.root(), &mut diary).is_ok());
        assert_eq!(diary.0.iter().filter(|line| line.ends_with("/f")).count(), 249);
        assert_eq!(diary.0.last().unwrap(), "out of d");
        assert_eq!(diary.0.len(), 3 * 249);
    }

    #[test]
    fn no_walk_goes_deeper_than_a_path_can() {
        let volume = Memory::default();
        volume.put(&vec!["d"; 400].join("/"), Item::Directory);
        let stopped = walk(&volume, volume.root(), &mut VisitLog::default()).err().unwrap();
        assert_eq!(stopped.reason, Reason::NameTooLong);
        assert_eq!(stopped.path.split('/').count(), 256);
    }
}
