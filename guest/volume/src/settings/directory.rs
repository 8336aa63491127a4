//! Settings from a directory, for hosts without variables. Each file is named like a variable.

use std::ops::ControlFlow;

use crate::bytes::read_all;
use crate::grant::Grant;
use crate::{Access, Fault, Kind, Listed, Volume};
use fsgate_contract::limits::POLICY_BYTES;
use fsgate_contract::path::grant_name;

/// Its name among the preopens.
pub const DIRECTORY: &str = ".fsgate-settings";

/// The variables that a file can replace. Four are for hosts: `FSGATE_LOCK`, `FSGATE_OPERATOR` for
/// a person's commands, `FSGATE_POLICY_ROOTS` for parts of grants, and `FSGATE_START` for a current
/// directory.
const NAMES: [&str; 8] = [
    "FSGATE_DEADLINE_MILLIS",
    "FSGATE_DURABILITY",
    "FSGATE_HISTORY_BYTES",
    "FSGATE_HISTORY_DAYS",
    "FSGATE_HISTORY_ENTRIES",
    "FSGATE_POLICY",
    "FSGATE_POLICY_PATHS",
    "FSGATE_SESSION",
];

/// A setting that is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The name of its file, or of the directory.
    pub name: String,
    /// The problem.
    pub problem: Problem,
}

/// The problem of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The directory is empty.
    Empty,
    /// The directory is also granted, under this name.
    Granted(String),
    /// No file can replace such a variable.
    Unknown,
    /// It is no file but this.
    NotAFile(Kind),
    /// It has more than [`POLICY_BYTES`].
    Long,
    /// It is not UTF-8.
    Undecodable,
    /// It cannot be read.
    Fault(Fault),
}

/// Takes the directory out of the preopens and reads it. Unknown content is refused: a misread
/// restriction would allow something.
pub fn take<V: Volume>(preopens: &mut Vec<Grant<V>>) -> Result<Vec<(String, String)>, Unread> {
    let directories = preopens.extract_if(.., |grant| grant_name(&grant.name) == [DIRECTORY]);
    let mut settings = Vec::new();
    for Grant { volume, .. } in directories.collect::<Vec<_>>() {
        apart(&volume, preopens)?;
        settings.extend(all(&volume)?);
    }
    Ok(settings)
}

fn unusable(problem: Problem) -> Unread {
    Unread { name: format!("/{DIRECTORY}"), problem }
}

fn apart<V: Volume>(volume: &V, grants: &[Grant<V>]) -> Result<(), Unread> {
    let identity = |volume: &V| {
        volume.directory_identity(&volume.root()).map_err(|fault| unusable(Problem::Fault(fault)))
    };
    let own = identity(volume)?;
    for Grant { name, volume, .. } in grants {
        if identity(volume)? == own {
            return Err(unusable(Problem::Granted(name.clone())));
        }
    }
    Ok(())
}

fn all<V: Volume>(volume: &V) -> Result<Vec<(String, String)>, Unread> {
    let root = volume.root();
    let mut entries = Vec::new();
    let listed = volume.each_entry(&root, &mut |entry| {
        entries.push(match entry {
            Listed::Name(name, kind) => (name.to_owned(), kind),
            Listed::Undecodable => (char::REPLACEMENT_CHARACTER.to_string(), Kind::File),
        });
        ControlFlow::Continue(())
    });
    listed.map_err(|fault| unusable(Problem::Fault(fault)))?;
    // Some hosts create a missing directory; their user wanted settings.
    if entries.is_empty() {
        return Err(unusable(Problem::Empty));
    }
    let read = |(name, kind): (String, Kind)| match one(volume, &root, &name, kind) {
        Ok(value) => Ok((name, value)),
        Err(problem) => Err(Unread { name, problem }),
    };
    entries.into_iter().map(read).collect()
}

fn one<V: Volume>(volume: &V, root: &V::Directory, name: &str, kind: Kind) -> Result<String, Problem> {
    if !NAMES.contains(&name) {
        return Err(Problem::Unknown);
    }
    // Opening a FIFO blocks.
    if kind != Kind::File {
        return Err(Problem::NotAFile(kind));
    }
    let file = volume.open_file(root, name, Access::Read).map_err(Problem::Fault)?;
    let bytes = read_all(volume, &file, 0, POLICY_BYTES + 1).map_err(Problem::Fault)?;
    if bytes.len() > POLICY_BYTES {
        return Err(Problem::Long);
    }
    let text = String::from_utf8(bytes).map_err(|_| Problem::Undecodable)?;
    // Editors add these.
    Ok(text.trim_start_matches('\u{feff}').trim_end_matches(['\n', '\r']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Item, Memory};
    use crate::settings::Settings;
    use fsgate_contract::types::SpecialKind;

    fn grants(volume: &Memory) -> Vec<Grant<Memory>> {
        let grant = |name: &str, volume| Grant { name: name.to_owned(), volume, access: Access::Read };
        vec![grant("/w", Memory::default()), grant("/.fsgate-settings", volume.clone())]
    }

    #[test]
    fn a_file_stands_for_a_variable() {
        let volume = Memory::default();
        volume.put("FSGATE_POLICY", Item::File(b"{\"profile\": \"strict\"}\r\n".to_vec()));
        volume.put("FSGATE_HISTORY_DAYS", Item::File("\u{feff}3".into()));
        let mut grants = grants(&volume);
        let told = take(&mut grants).unwrap();
        let settings = Settings::read(told.iter().map(|(name, value)| (&name[..], &value[..]))).unwrap();
        assert_eq!(settings.policy.as_deref(), Some("{\"profile\": \"strict\"}"));
        assert_eq!(settings.history.age.as_secs(), 3 * 24 * 60 * 60);
        assert_eq!(grants.iter().map(|grant| &grant.name[..]).collect::<Vec<_>>(), ["/w"]);
        assert_eq!(take(&mut grants), Ok(Vec::new()), "without such a directory nothing is said");
    }

    #[test]
    fn every_name_is_a_variable_that_is_read() {
        for name in NAMES {
            let is_read = Settings::read([(name, "\0")]) != Ok(Settings::default());
            assert!(is_read, "{name}");
        }
    }

    #[test]
    fn what_is_not_understood_is_refused_by_name() {
        let long = vec![b' '; POLICY_BYTES + 1];
        let file = |content: &[u8]| Item::File(content.to_vec());
        let fifo = Kind::Special(SpecialKind::Other);
        for (name, item, problem) in [
            ("FSGATE_POLCY", file(b"{}"), Problem::Unknown),
            ("fsgate_policy", file(b"{}"), Problem::Unknown),
            ("FSGATE_LOCK", file(b"host"), Problem::Unknown),
            ("FSGATE_POLICY_ROOTS", file(b"[\"/w\"]"), Problem::Unknown),
            ("FSGATE_POLICY~", file(b"{}"), Problem::Unknown),
            ("..data", Item::Directory, Problem::Unknown),
            ("FSGATE_POLICY", file(b"\xff"), Problem::Undecodable),
            ("FSGATE_POLICY", file(&long), Problem::Long),
            ("FSGATE_POLICY", Item::Directory, Problem::NotAFile(Kind::Directory)),
            ("FSGATE_POLICY", Item::Link("..data/FSGATE_POLICY".to_owned()), Problem::NotAFile(Kind::Link)),
            ("FSGATE_POLICY", Item::Special(SpecialKind::Other), Problem::NotAFile(fifo)),
        ] {
            let volume = Memory::default();
            volume.put(name, item);
            assert_eq!(take(&mut grants(&volume)), Err(Unread { name: name.to_owned(), problem }), "{name}");
        }
    }

    #[test]
    fn a_directory_that_says_nothing_or_is_granted_is_refused() {
        let refused = |problem| Err(Unread { name: "/.fsgate-settings".to_owned(), problem });
        let volume = Memory::default();
        assert_eq!(take(&mut grants(&volume)), refused(Problem::Empty));
        volume.put("FSGATE_POLICY", Item::File(b"{}".to_vec()));
        let mut grants = grants(&volume);
        grants.push(Grant { name: "/v".to_owned(), volume: volume.clone(), access: Access::Write });
        assert_eq!(take(&mut grants), refused(Problem::Granted("/v".to_owned())));
    }
}
