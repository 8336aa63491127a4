//! The ignore files of a directory and of those above it.

use std::rc::Rc;

use super::names::Landmarks;
use super::repository;
use fsgate_contract::limits::{
    CHUNK_BYTES, IGNORE_FILE_BYTES, IGNORE_FILES_KEPT, IGNORE_FILES_SIZE, IGNORE_STATES_BYTES,
};
use fsgate_error::IgnoreProblem;
use fsgate_journal::namespace::Namespace;
use fsgate_text::ignore::{IgnoreRules, IgnoreVerdict, TooMany};
use fsgate_volume::{Access, Fault, Kind, Volume};

/// The ignore files of one directory, linked to the outer ones.
///
/// From the strongest: `.ignore`, `.gitignore`, `.git/info/exclude`; of one kind, the deeper one.
#[derive(Debug)]
struct IgnoreLevel {
    /// The offset of the paths for these rules, in a path from the outermost level on.
    start: usize,
    ignore: Option<IgnoreRules>,
    gitignore: Option<IgnoreRules>,
    exclude: Option<IgnoreRules>,
    outer: Option<Rc<IgnoreLevel>>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct IgnoreStack {
    innermost: Option<Rc<IgnoreLevel>>,
    /// Estimated bytes of all outer rules, also of those that do not apply any more.
    size: usize,
    wild: usize,
}

pub(super) struct ReadLevel {
    pub(super) levels: IgnoreStack,
    pub(super) left_out: Vec<(&'static str, IgnoreProblem)>,
}

pub(super) struct LevelDirectory<'a, V: Volume> {
    pub(super) namespace: &'a Namespace<V>,
    pub(super) volume: &'a V,
    pub(super) directory: &'a V::Directory,
    pub(super) path: &'a str,
}

pub(super) fn read<V: Volume>(
    at: &LevelDirectory<V>,
    landmarks: Landmarks,
    start: usize,
    outer: &IgnoreStack,
) -> ReadLevel {
    let LevelDirectory { namespace, volume, directory, path } = *at;
    let mut levels = outer.clone();
    // A repository does not apply rules from around it.
    if landmarks.git.is_some() {
        levels.innermost = None;
    }
    let mut left_out = Vec::new();
    let mut rules = |file: &'static str, contents: Result<Option<Vec<u8>>, Fault>| {
        let why = match contents {
            Ok(Some(bytes)) => {
                match IgnoreRules::parse(&bytes, IGNORE_FILES_SIZE.saturating_sub(levels.size)) {
                    Ok(rules) => return rules.map(|rules| levels.counted(rules)),
                    Err(TooMany) => IgnoreProblem::TooLarge,
                }
            }
            // Git does not read other kinds either.
            Err(
                Fault::NotFound
                | Fault::Loop
                | Fault::IsDirectory
                | Fault::NotDirectory
                | Fault::NotPermitted,
            ) => return None,
            Ok(None) => IgnoreProblem::TooLarge,
            Err(_) => IgnoreProblem::Unreadable,
        };
        left_out.push((file, why));
        None
    };
    let mut own =
        |wanted: bool, file| wanted.then(|| rules(file, contents(volume, directory, file))).flatten();
    let ignore = own(landmarks.ignore, ".ignore");
    let gitignore = own(landmarks.gitignore, ".gitignore");
    let excluded = match landmarks.git {
        Some(Kind::Directory) => match volume.open_directory(directory, ".git") {
            // A policy that denies the repository's own directory does so on purpose.
            Err(Fault::Denied(_)) => None,
            git => Some(git.and_then(|git| excluded(volume, &git))),
        },
        Some(Kind::File) => repository::shared(namespace, volume, directory, path)
            .map(|git| excluded(git.volume(namespace), git.handle())),
        _ => None,
    };
    let exclude = excluded.and_then(|contents| rules(".git/info/exclude", contents));
    if ignore.is_some() || gitignore.is_some() || exclude.is_some() {
        let outer = levels.innermost.take();
        levels.innermost = Some(Rc::new(IgnoreLevel { start, ignore, gitignore, exclude, outer }));
    }
    ReadLevel { levels, left_out }
}

impl IgnoreStack {
    fn counted(&mut self, rules: IgnoreRules) -> IgnoreRules {
        self.size += rules.size();
        self.wild += usize::from(rules.has_wildcards());
        match self.wild {
            0..=IGNORE_FILES_KEPT => rules,
            wild => rules.forgetting(IGNORE_STATES_BYTES / wild),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.innermost.is_none()
    }
}

pub(super) fn landmarks<V: Volume>(volume: &V, directory: &V::Directory) -> Landmarks {
    let kind = |name| volume.stat(directory, name).ok().map(|stat| stat.kind);
    Landmarks {
        gitignore: kind(".gitignore") == Some(Kind::File),
        ignore: kind(".ignore") == Some(Kind::File),
        git: kind(".git"),
    }
}

/// True if the rules ignore a path from the outermost level on, without the directories above it.
pub(super) fn ignored(levels: &IgnoreStack, path: &str, is_directory: bool) -> bool {
    const KINDS: [fn(&IgnoreLevel) -> &Option<IgnoreRules>; 3] =
        [|level| &level.ignore, |level| &level.gitignore, |level| &level.exclude];
    let decided = KINDS.iter().find_map(|kind| {
        let mut inner = levels.innermost.as_deref();
        while let Some(level) = inner {
            let below = path.get(level.start..).unwrap_or_default();
            if let Some(verdict) = kind(level).as_ref().and_then(|rules| rules.verdict(below, is_directory)) {
                return Some(verdict);
            }
            inner = level.outer.as_deref();
        }
        None
    });
    decided == Some(IgnoreVerdict::Ignored)
}

/// The bytes of `info/exclude`; none if it is too large.
fn excluded<V: Volume>(volume: &V, git: &V::Directory) -> Result<Option<Vec<u8>>, Fault> {
    let info = volume.open_directory(git, "info")?;
    contents(volume, &info, "exclude")
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
