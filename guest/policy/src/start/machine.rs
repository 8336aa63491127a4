//! The machine, as far as the host has looked at it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use super::{Grant, Terms};

/// Largest number of links, as in operating systems.
const LINKS: usize = 40;

/// The parts of a state root with histories.
const STATE_PARTS: [&str; 2] = ["states", "roots"];

/// The part with the compiled code of packages for other languages.
const PACKAGES: &str = "python";

/// A path as the system sees it. All fields are absent if nothing is there.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fact {
    /// The target, if the path itself is a symbolic link.
    pub link: Option<PathBuf>,
    /// The path that it leads to, without links.
    pub real: Option<PathBuf>,
    /// Its device and inode, the same under two names of one directory.
    pub identity: Option<String>,
}

/// The facts that a host has collected, and a function for more.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The current directory.
    pub here: PathBuf,
    /// Other names of the current directory, the one first seen first. Names that lead elsewhere do
    /// not count.
    pub shells: Vec<PathBuf>,
    /// The user's home and base directories, by their variables.
    pub variables: BTreeMap<String, PathBuf>,
    /// Whether a name has one spelling, as in systems that heed case.
    pub is_exact: bool,
    facts: RefCell<BTreeMap<PathBuf, Fact>>,
    #[serde(skip)]
    missing: RefCell<BTreeSet<PathBuf>>,
    #[serde(skip)]
    look: Option<fn(&Path) -> Fact>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Trace {
    /// Places that could redirect it: links, and directories left by `..`, each by a path without
    /// links.
    pub(super) through: Vec<PathBuf>,
    /// The resolved path. A missing name counts as no link.
    pub(super) end: PathBuf,
}

impl Machine {
    /// A machine that this function looks at, once for each path.
    pub fn new(look: fn(&Path) -> Fact) -> Self {
        Self { look: Some(look), ..Self::default() }
    }

    /// The paths that a verdict still needs. Without them it is void.
    pub(super) fn missing(&self) -> BTreeSet<PathBuf> {
        self.missing.borrow().clone()
    }

    fn fact(&self, path: &Path) -> Fact {
        if let Some(fact) = self.facts.borrow().get(path) {
            return fact.clone();
        }
        match self.look {
            Some(look) => {
                let fact = look(path);
                self.facts.borrow_mut().insert(path.to_owned(), fact.clone());
                fact
            }
            None => {
                self.missing.borrow_mut().insert(path.to_owned());
                Fact::default()
            }
        }
    }

    /// The path from the root. `..` stays in it.
    pub(super) fn absolute(&self, path: &Path) -> PathBuf {
        self.here.join(path).components().collect()
    }

    /// The canonical path of something that may not exist. A dangling link leads to the place of
    /// its missing target.
    pub fn canonical(&self, path: &Path) -> PathBuf {
        let path = self.absolute(path);
        self.fact(&path).real.unwrap_or_else(|| self.trace(&path).end)
    }

    pub(super) fn trace(&self, path: &Path) -> Trace {
        let mut trace = Trace::default();
        let mut links = 0;
        let mut names: VecDeque<OsString> = parts(path);
        while let Some(name) = names.pop_front() {
            match Path::new(&name).components().next() {
                Some(Component::ParentDir) => {
                    let left = trace.end.clone();
                    // The root has no parent.
                    if trace.end.pop() {
                        trace.through.push(left);
                    }
                }
                Some(Component::Normal(name)) => {
                    let next = trace.end.join(name);
                    match self.fact(&next).link.filter(|_| links < LINKS) {
                        Some(target) => {
                            for part in parts(&target).into_iter().rev() {
                                names.push_front(part);
                            }
                            links += 1;
                            trace.through.push(next);
                        }
                        None => trace.end = next,
                    }
                }
                // A prefix or the root replaces the path.
                Some(_) => trace.end.push(name),
                None => {}
            }
        }
        trace
    }

    /// The rest of a path below a directory, also below another name of it by a mount or link.
    /// `None` if the path leads elsewhere.
    pub(super) fn below(&self, outer: &Path, inner: &Path) -> Option<PathBuf> {
        let around = inner.ancestors().find(|above| *above == outer || self.is_same(above, outer))?;
        inner.strip_prefix(around).ok().map(Path::to_owned)
    }

    pub(super) fn contains(&self, outer: &Path, inner: &Path) -> bool {
        self.below(outer, inner).is_some()
    }

    fn is_same(&self, one: &Path, other: &Path) -> bool {
        let one = self.fact(one).identity;
        one.is_some() && one == self.fact(other).identity
    }

    /// The canonical path of a directory to open. `None` if a link in one of these grants leads
    /// there, or `..` leaves one: an agent of any session could have made that path.
    pub fn firm(&self, path: &Path, grants: &[Grant]) -> Option<PathBuf> {
        let trace = self.trace(&self.joined_to_current(path));
        let is_changed = |step: &PathBuf| {
            let parent = step.parent().unwrap_or(step);
            grants.iter().any(|grant| self.contains(&grant.host, parent))
        };
        let real = self.canonical(&trace.end);
        let is_there = !self.is_exact || real == trace.end;
        (is_there && !trace.through.iter().any(is_changed)).then_some(real)
    }

    /// Whether an agent in another grant could have made this path. Its names are then unreliable.
    pub fn is_led(&self, path: &Path, host: &Path, grants: &[Grant]) -> bool {
        grants.iter().any(|by| by.host != host && self.firm(path, std::slice::from_ref(by)).is_none())
    }

    /// An absolute path. A leading `..` is the real parent, even if the shell came through a link.
    pub(super) fn joined_to_current(&self, path: &Path) -> PathBuf {
        if is_absolute(path) {
            return path.to_owned();
        }
        let is_up = |name: &Component| matches!(name, Component::CurDir | Component::ParentDir);
        let ups = path.components().take_while(is_up).filter(|name| *name == Component::ParentDir).count();
        let rest: PathBuf = path.components().skip_while(is_up).collect();
        // The parent of the root is the root.
        let from = self.here.ancestors().nth(ups).or_else(|| self.here.ancestors().last());
        from.unwrap_or(&self.here).join(rest)
    }

    /// The absolute path as its user sees it, from a name of the current directory, which may be
    /// stale. `None` without a name, and with `..`, before which a link may be.
    pub fn typed(&self, path: &Path) -> Option<PathBuf> {
        let absolute = if is_absolute(path) {
            path.to_owned()
        } else {
            let here = self.fact(&self.here).real?;
            let is_here = |shell: &&PathBuf| {
                is_absolute(shell) && self.fact(shell).real.is_some_and(|real| real == here)
            };
            self.shells.iter().find(is_here)?.join(path)
        };
        let names: Vec<_> = absolute.components().filter(|name| *name != Component::CurDir).collect();
        (!names.contains(&Component::ParentDir)).then(|| names.into_iter().collect())
    }

    pub(super) fn home(&self) -> Option<PathBuf> {
        self.variables.get("HOME").filter(|home| is_absolute(home)).cloned()
    }

    /// fsgate's own directories and their variables. They need not exist.
    pub fn own_directories(&self) -> Vec<(&'static str, PathBuf)> {
        [("XDG_STATE_HOME", ".local/state"), ("XDG_CONFIG_HOME", ".config"), ("XDG_CACHE_HOME", ".cache")]
            .into_iter()
            .filter_map(|(variable, below_home)| {
                let set = self.variables.get(variable).filter(|path| is_absolute(path)).cloned();
                let base = set.or_else(|| self.home().map(|home| home.join(below_home)))?;
                Some((variable, base.join("fsgate")))
            })
            .collect()
    }

    /// The directories with histories. They need not exist.
    pub(super) fn histories(&self, terms: &Terms) -> Vec<PathBuf> {
        let parts = |state: &PathBuf| STATE_PARTS.map(|part| state.join(part));
        let named = terms.state.iter().flat_map(parts);
        let usual =
            self.own_directories().into_iter().take(1).flat_map(|(_, state)| {
                [PACKAGES, STATE_PARTS[0], STATE_PARTS[1]].map(|part| state.join(part))
            });
        named.chain(usual).map(|path| self.absolute(&path)).collect()
    }

    /// The packages' directories in fsgate's own, which may be links.
    pub(super) fn packages(&self) -> Vec<PathBuf> {
        self.own_directories().into_iter().map(|(_, own)| own.join(PACKAGES)).collect()
    }
}

/// Whether the path begins at a root. In a component the standard library knows no absolute paths.
fn is_absolute(path: &Path) -> bool {
    path.is_absolute() || (cfg!(target_family = "wasm") && path.has_root())
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter(|part| *part != Component::CurDir)
        .map(|part| part.as_os_str().to_owned())
        .collect()
}
