//! Settings for a component whose host hands in no variables: a directory with a file for each of them, named as the variable is.

use std::ops::ControlFlow;

use crate::limits::POLICY_BYTES;
use crate::namespace::Grant;
use crate::path::grant_name;
use crate::volume::bytes::read_all;
use crate::volume::{Access, Fault, Listed, Volume};

/// The name of the preopen that is no grant but this directory.
pub const DIRECTORY: &str = ".fsgate-settings";

/// The variables that a file can stand for. Who keeps others away from the state (`FSGATE_LOCK`) is the host's own to say.
const NAMES: [&str; 9] = [
    "FSGATE_DEADLINE_MILLIS",
    "FSGATE_DURABILITY",
    "FSGATE_HISTORY_BYTES",
    "FSGATE_HISTORY_DAYS",
    "FSGATE_HISTORY_ENTRIES",
    "FSGATE_POLICY",
    "FSGATE_POLICY_PATHS",
    "FSGATE_POLICY_ROOTS",
    "FSGATE_SESSION",
];

/// A setting that cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The name of its file, or of the directory.
    pub name: String,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// No variable that a file can stand for has this name.
    Unknown,
    /// It has more than [`POLICY_BYTES`].
    Long,
    /// It is not UTF-8.
    Undecodable,
    /// It cannot be read.
    Fault(Fault),
}

/// Takes the directory out of what a host hands in, and reads what stands in it. What is not understood there is refused: what was to be
/// taken away would be allowed otherwise.
pub fn take<V: Volume>(preopens: &mut Vec<Grant<V>>) -> Result<Vec<(String, String)>, Unread> {
    let directories = preopens.extract_if(.., |grant| grant_name(&grant.name) == [DIRECTORY]);
    let mut settings = Vec::new();
    for Grant { volume, .. } in directories.collect::<Vec<_>>() {
        settings.extend(all(&volume)?);
    }
    Ok(settings)
}

fn all<V: Volume>(volume: &V) -> Result<Vec<(String, String)>, Unread> {
    let root = volume.root();
    let mut names = Vec::new();
    let listed = volume.each_entry(&root, &mut |entry| {
        names.push(match entry {
            Listed::Name(name, _) => name.to_owned(),
            Listed::Undecodable => char::REPLACEMENT_CHARACTER.to_string(),
        });
        ControlFlow::Continue(())
    });
    listed.map_err(|fault| Unread { name: format!("/{DIRECTORY}"), problem: Problem::Fault(fault) })?;
    let read = |name: String| match one(volume, &root, &name) {
        Ok(value) => Ok((name, value)),
        Err(problem) => Err(Unread { name, problem }),
    };
    names.into_iter().map(read).collect()
}

fn one<V: Volume>(volume: &V, root: &V::Directory, name: &str) -> Result<String, Problem> {
    if !NAMES.contains(&name) {
        return Err(Problem::Unknown);
    }
    let file = volume.open_file(root, name, Access::Read).map_err(Problem::Fault)?;
    let bytes = read_all(volume, &file, 0, POLICY_BYTES + 1).map_err(Problem::Fault)?;
    if bytes.len() > POLICY_BYTES {
        return Err(Problem::Long);
    }
    let text = String::from_utf8(bytes).map_err(|_| Problem::Undecodable)?;
    // Editors end a file with it.
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::volume::memory::{Item, Memory};

    fn grants(volume: &Memory) -> Vec<Grant<Memory>> {
        let grant = |name: &str, volume| Grant { name: name.to_owned(), volume, access: Access::Read };
        vec![grant("/w", Memory::default()), grant("/.fsgate-settings", volume.clone())]
    }

    #[test]
    fn a_file_stands_for_a_variable() {
        let volume = Memory::default();
        volume.put("FSGATE_POLICY", Item::File(b"{\"profile\": \"strict\"}\r\n".to_vec()));
        volume.put("FSGATE_HISTORY_DAYS", Item::File(b"3".to_vec()));
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
        let cases: [(&str, &[u8], Problem); 6] = [
            ("FSGATE_POLCY", b"{}", Problem::Unknown),
            ("fsgate_policy", b"{}", Problem::Unknown),
            ("FSGATE_LOCK", b"host", Problem::Unknown),
            ("FSGATE_POLICY~", b"{}", Problem::Unknown),
            ("FSGATE_POLICY", b"\xff", Problem::Undecodable),
            ("FSGATE_POLICY", &long, Problem::Long),
        ];
        for (name, content, problem) in cases {
            let volume = Memory::default();
            volume.put(name, Item::File(content.to_vec()));
            assert_eq!(take(&mut grants(&volume)), Err(Unread { name: name.to_owned(), problem }), "{name}");
        }
        let volume = Memory::default();
        volume.put("FSGATE_POLICY", Item::Directory);
        let problem = Problem::Fault(Fault::IsDirectory);
        assert_eq!(take(&mut grants(&volume)), Err(Unread { name: "FSGATE_POLICY".to_owned(), problem }));
    }
}
