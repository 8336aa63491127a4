//! The third wall: a process that shuts itself in, so that whatever happens in it, also in the engine, reaches nothing
//! but what it was to work with.
//!
//! It is the process that is restricted, for ever, and not a gate in it. So a library never does it: the program
//! `fsgate` does, and so can any other program that has nothing else to open.

use std::path::{Path, PathBuf};

/// What a process is left with when it shuts itself in. What is open already stays open.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use fsgate::{Confined, Gate};
///
/// let builder = Gate::builder().dir("/w");
/// // Before the first thread: only the one that calls it is restricted, and those that it starts afterwards.
/// if let Confined::Not(reason) = builder.confinement()?.enter()? {
///     eprintln!("not shut in: {reason}");
/// }
/// let gate = builder.build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "nothing is restricted before `enter` is called"]
pub struct Confinement {
    readable: Vec<PathBuf>,
    writable: Vec<PathBuf>,
    network: bool,
}

/// How far a process is shut in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Confined {
    /// In all that was asked for.
    Wholly,
    /// In what this kernel knows: what is outside can be neither read nor written, but an older kernel lets a file be
    /// cut off, or the network be used.
    Partly,
    /// Not at all, and why: this system cannot do it.
    Not(&'static str),
}

/// The system refuses to shut the process in.
#[derive(Debug, thiserror::Error)]
#[error("cannot shut this process in: {0}")]
pub struct ConfinementError(String);

impl Confinement {
    /// A process that is left with nothing.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Leaves a file or a directory, for reading. One that is not there is not there afterwards either.
    pub fn read(mut self, path: impl AsRef<Path>) -> Self {
        self.readable.push(path.as_ref().to_owned());
        self
    }

    /// Leaves a file or a directory with all that can be done with files in it.
    pub fn write(mut self, path: impl AsRef<Path>) -> Self {
        self.writable.push(path.as_ref().to_owned());
        self
    }

    /// Leaves the network, for a process that serves on it. Otherwise no TCP port is bound or connected to.
    pub fn network(mut self) -> Self {
        self.network = true;
        self
    }

    /// Shuts in the thread that calls this and all that it starts afterwards. Nothing takes it back.
    pub fn enter(&self) -> Result<Confined, ConfinementError> {
        system::enter(self)
    }
}

#[cfg(target_os = "linux")]
mod system {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
        RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
    };

    use super::{Confined, Confinement, ConfinementError, Path};

    /// The newest one that was read about. Whatever later kernels restrict is left as it is.
    const KNOWN: ABI = ABI::V6;

    const WITHOUT: &str =
        "this kernel has no Landlock, or one that cannot rename between directories (Linux 5.19 can)";

    /// Looking at files and into directories.
    fn reading() -> BitFlags<AccessFs> {
        AccessFs::ReadFile | AccessFs::ReadDir
    }

    /// What tools do with files. Links, FIFOs and sockets are renamed and removed with the rest, which takes the right to make
    /// them; devices are not, because with one of them all of a disk is to be had. Nothing is run.
    fn writing() -> BitFlags<AccessFs> {
        reading()
            | AccessFs::WriteFile
            | AccessFs::Truncate
            | AccessFs::Refer
            | AccessFs::MakeReg
            | AccessFs::MakeDir
            | AccessFs::MakeSym
            | AccessFs::MakeFifo
            | AccessFs::MakeSock
            | AccessFs::RemoveFile
            | AccessFs::RemoveDir
    }

    pub(super) fn enter(confinement: &Confinement) -> Result<Confined, ConfinementError> {
        let error = |error: RulesetError| ConfinementError(error.to_string());
        // Where directories cannot be changed for others, the tools could not work: rather none of it.
        let Ok(ruleset) =
            Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(AccessFs::Refer)
        else {
            return Ok(Confined::Not(WITHOUT));
        };
        let mut ruleset = ruleset
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(KNOWN))
            .and_then(|ruleset| ruleset.scope(Scope::from_all(KNOWN)))
            .map_err(error)?;
        if !confinement.network {
            ruleset = ruleset.handle_access(AccessNet::from_all(KNOWN)).map_err(error)?;
        }
        let mut rules = ruleset.create().map_err(error)?;
        for (paths, access) in [(&confinement.readable, reading()), (&confinement.writable, writing())] {
            for path in paths {
                rules = leave(rules, path, access).map_err(error)?;
            }
        }
        // Without new privileges: what runs with more rights than its caller is not to be had either.
        let status = rules.restrict_self().map_err(error)?;
        Ok(match status.ruleset {
            RulesetStatus::FullyEnforced => Confined::Wholly,
            RulesetStatus::PartiallyEnforced => Confined::Partly,
            RulesetStatus::NotEnforced => Confined::Not(WITHOUT),
        })
    }

    /// A path that cannot be opened is left out, and stays closed. So is what has no place in a file system, a pipe that was
    /// named by its number: nobody is kept from those.
    fn leave(
        rules: RulesetCreated,
        path: &Path,
        access: BitFlags<AccessFs>,
    ) -> Result<RulesetCreated, RulesetError> {
        let Ok(handle) = PathFd::new(path) else { return Ok(rules) };
        match path.metadata() {
            Ok(found) if found.is_dir() => rules.add_rule(PathBeneath::new(handle, access)),
            Ok(found) if found.is_file() => {
                rules.add_rule(PathBeneath::new(handle, access & AccessFs::from_file(KNOWN)))
            }
            _ => Ok(rules),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{Confined, Confinement, ConfinementError};

    pub(super) fn enter(_: &Confinement) -> Result<Confined, ConfinementError> {
        Ok(Confined::Not("only Linux can do it"))
    }
}
