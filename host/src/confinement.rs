//! The third wall: the kernel confines the process to its grants, also when the engine has a flaw.
//!
//! The confinement is permanent and covers the process, so a library never enters it. The program
//! `fsgate` does; so can a program that opens nothing else.

use std::path::{Path, PathBuf};

/// The paths that a confined process can still open. Open handles stay open.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use fsgate::{Confined, Gate};
///
/// let builder = Gate::builder().dir("/w");
/// // Before other threads start: it covers the calling thread and those that it starts.
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

/// The extent of a confinement.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Confined {
    /// All requested limits.
    Wholly,
    /// The part that this kernel supports. Nothing outside can be read or written, but an older
    /// kernel allows truncating files or using the network.
    Partly,
    /// None, with the reason: the system does not support it.
    Not(&'static str),
}

/// The system refused the confinement.
#[derive(Debug, thiserror::Error)]
#[error("cannot shut this process in: {0}")]
pub struct ConfinementError(String);

impl Confinement {
    /// A confinement without any path.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Allows reading a file or directory. A missing path stays unreachable.
    pub fn read(mut self, path: impl AsRef<Path>) -> Self {
        self.readable.push(path.as_ref().to_owned());
        self
    }

    /// Allows all file operations in a file or directory.
    pub fn write(mut self, path: impl AsRef<Path>) -> Self {
        self.writable.push(path.as_ref().to_owned());
        self
    }

    /// Allows the network, for servers. Without it no TCP port can be bound or connected to.
    pub fn network(mut self) -> Self {
        self.network = true;
        self
    }

    /// Confines the calling thread and its later threads, for good.
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

    /// The newest known version; later restrictions are not used.
    const KNOWN: ABI = ABI::V6;

    const WITHOUT: &str =
        "this kernel has no Landlock, or one that cannot rename between directories (Linux 5.19 can)";

    fn reading() -> BitFlags<AccessFs> {
        AccessFs::ReadFile | AccessFs::ReadDir
    }

    /// The operations of the tools. Moving and deleting links, FIFOs and sockets needs the right to
    /// make them. Devices are excluded: one gives access to a whole disk. Nothing can be executed.
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
        // Without renames between directories the tools cannot work, so nothing is confined.
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
        // This also sets `no_new_privs`: set-user-ID programs gain no rights.
        let status = rules.restrict_self().map_err(error)?;
        Ok(match status.ruleset {
            RulesetStatus::FullyEnforced => Confined::Wholly,
            RulesetStatus::PartiallyEnforced => Confined::Partly,
            RulesetStatus::NotEnforced => Confined::Not(WITHOUT),
        })
    }

    /// Adds a path; one that cannot be opened stays unreachable. Pipes that are named by number
    /// need no rule: Landlock does not restrict them.
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
