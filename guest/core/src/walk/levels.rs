//! Ignore files of a directory and of those above it, and which of their rules decides.

use std::rc::Rc;

use crate::limits::{CHUNK_BYTES, IGNORE_FILE_BYTES};
use crate::text::ignore::{Rules, Verdict};
use crate::volume::{Access, Fault, Kind, Volume};

use super::names::Landmarks;

/// The ignore files that hold in a directory, and those further out.
///
/// From the strongest: `.ignore`, `.gitignore`, `.git/info/exclude`; among files of one kind, the one deeper down.
#[derive(Debug)]
pub(super) struct Level {
    /// Where the paths that these rules are about begin in a path from the outermost level.
    start: usize,
    ignore: Option<Rules>,
    gitignore: Option<Rules>,
    exclude: Option<Rules>,
    outer: Option<Rc<Level>>,
}

/// Levels from the inside out.
pub(super) type Levels = Option<Rc<Level>>;

/// What came of reading the ignore files of one directory.
pub(super) struct Read {
    pub(super) levels: Levels,
    /// Names of those that were not applied: too large, or not to be read.
    pub(super) left_out: Vec<&'static str>,
}

/// The levels in a directory whose names are known.
pub(super) fn read<V: Volume>(
    volume: &V,
    directory: &V::Directory,
    landmarks: Landmarks,
    start: usize,
    outer: &Levels,
) -> Read {
    // A repository knows nothing of what lies around it.
    let outer = if landmarks.git.is_some() { None } else { outer.clone() };
    let mut left_out = Vec::new();
    let mut rules = |wanted: bool, directory: &V::Directory, file: &str, shown: &'static str| {
        if !wanted {
            return None;
        }
        match contents(volume, directory, file) {
            Ok(Some(bytes)) => Rules::parse(&bytes),
            // Gone, or a link or directory of that name: git does not read these either.
            Err(Fault::NotFound | Fault::Loop | Fault::IsDirectory | Fault::NotPermitted) => None,
            Ok(None) | Err(_) => {
                left_out.push(shown);
                None
            }
        }
    };
    let ignore = rules(landmarks.ignore, directory, ".ignore", ".ignore");
    let gitignore = rules(landmarks.gitignore, directory, ".gitignore", ".gitignore");
    let exclude = (landmarks.git == Some(Kind::Directory))
        .then(|| {
            let git = volume.open_directory(directory, ".git").ok()?;
            let info = volume.open_directory(&git, "info").ok()?;
            rules(true, &info, "exclude", ".git/info/exclude")
        })
        .flatten();
    let levels = if ignore.is_none() && gitignore.is_none() && exclude.is_none() {
        outer
    } else {
        Some(Rc::new(Level { start, ignore, gitignore, exclude, outer }))
    };
    Read { levels, left_out }
}

/// What stands in a directory, where its names were not listed.
pub(super) fn landmarks<V: Volume>(volume: &V, directory: &V::Directory) -> Landmarks {
    let kind = |name| volume.stat(directory, name).ok().map(|stat| stat.kind);
    Landmarks {
        gitignore: kind(".gitignore") == Some(Kind::File),
        ignore: kind(".ignore") == Some(Kind::File),
        git: kind(".git"),
    }
}

/// True if the rules leave out a path, given from the outermost level on. The directories above it are not.
pub(super) fn ignored(levels: &Levels, path: &str, is_directory: bool) -> bool {
    const KINDS: [fn(&Level) -> &Option<Rules>; 3] =
        [|level| &level.ignore, |level| &level.gitignore, |level| &level.exclude];
    let decided = KINDS.iter().find_map(|kind| {
        let mut inner = levels.as_deref();
        while let Some(level) = inner {
            let below = path.get(level.start..).unwrap_or_default();
            if let Some(verdict) = kind(level).as_ref().and_then(|rules| rules.verdict(below, is_directory)) {
                return Some(verdict);
            }
            inner = level.outer.as_deref();
        }
        None
    });
    decided == Some(Verdict::Ignored)
}

/// The bytes of an ignore file; none if it is too large.
fn contents<V: Volume>(volume: &V, directory: &V::Directory, name: &str) -> Result<Option<Vec<u8>>, Fault> {
    let file = volume.open_file(directory, name, Access::Read)?;
    let mut bytes = Vec::new();
    loop {
        let chunk = volume.read_at(&file, bytes.len() as u64, CHUNK_BYTES)?;
        bytes.extend_from_slice(&chunk);
        if bytes.len() as u64 > IGNORE_FILE_BYTES {
            return Ok(None);
        }
        if chunk.is_empty() {
            return Ok(Some(bytes));
        }
    }
}
