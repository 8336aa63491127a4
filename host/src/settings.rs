//! The variables of the component, its whole environment.

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use fsgate_policy::MachinePaths;
use serde_json::json;

use crate::grant::Grant;

/// The failures that a change survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// The death of the program at any moment.
    #[default]
    Process,
    /// A power loss too. Every change waits for the disk.
    Power,
    /// None: there is no journal, no undo and no state.
    None,
}

impl Durability {
    /// All names, as they are typed.
    pub const NAMES: [&str; 3] = ["process", "power", "none"];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Power => "power",
            Self::None => "none",
        }
    }

    /// Finds the one with this name.
    pub fn find(name: &str) -> Option<Self> {
        [Self::Process, Self::Power, Self::None].into_iter().find(|durability| durability.name() == name)
    }
}

/// The limits of the history of a root. Above them the oldest entries are forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryLimits {
    /// Bytes of old contents and deleted files.
    pub bytes: u64,
    /// Number of changes.
    pub entries: u64,
    /// Age in days.
    pub days: u64,
}

impl Default for HistoryLimits {
    /// 1 GiB, 10,000 changes, 30 days: months of usual work, and no risk of a full disk.
    fn default() -> Self {
        Self { bytes: 1 << 30, entries: 10_000, days: 30 }
    }
}

pub(crate) type Environment = Vec<(String, String)>;

pub(crate) fn environment(
    durability: Durability,
    session: u128,
    deadline: Duration,
    history: &HistoryLimits,
    policy: Option<String>,
    grants: &[Grant],
    paths: &MachinePaths,
) -> Environment {
    let millis = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
    let names: Vec<_> = grants.iter().map(|grant| &grant.name).collect();
    let births: BTreeMap<_, _> =
        grants.iter().filter_map(|grant| Some((&grant.name, born(grant)?))).collect();
    let variables = [
        ("FSGATE_LOCK", "host".to_owned()),
        ("FSGATE_DURABILITY", durability.name().to_owned()),
        ("FSGATE_SESSION", format!("{session:032x}")),
        ("FSGATE_DEADLINE_MILLIS", millis.max(1).to_string()),
        ("FSGATE_HISTORY_BYTES", history.bytes.to_string()),
        ("FSGATE_HISTORY_ENTRIES", history.entries.to_string()),
        ("FSGATE_HISTORY_DAYS", history.days.to_string()),
        // A narrowed gate has other grants, but the same rules about paths in these.
        ("FSGATE_POLICY_PATHS", json!(paths).to_string()),
        ("FSGATE_POLICY_ROOTS", json!(names).to_string()),
        ("FSGATE_BIRTHS", json!(births).to_string()),
    ];
    let policy = policy.map(|policy| ("FSGATE_POLICY", policy));
    variables.into_iter().chain(policy).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The birth of a granted directory in milliseconds since 1970, rounded down, where the file system
/// keeps it.
fn born(grant: &Grant) -> Option<u64> {
    let born = grant.host.metadata().and_then(|found| found.created()).ok()?;
    let since = born.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_component_is_told_this_and_nothing_else() {
        let grant = |name: &str| Grant {
            name: name.to_owned(),
            host: format!("/host{name}").into(),
            access: crate::Access::Read,
        };
        let variables = environment(
            Durability::Power,
            0xab,
            Duration::MAX,
            &HistoryLimits::default(),
            Some("{}".to_owned()),
            &[grant("/a"), grant("/b c")],
            &[("/a".to_owned(), vec!["/host/a".to_owned()])].into(),
        );
        let lines: Vec<_> = variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(
            lines,
            [
                "FSGATE_LOCK=host",
                "FSGATE_DURABILITY=power",
                "FSGATE_SESSION=000000000000000000000000000000ab",
                "FSGATE_DEADLINE_MILLIS=18446744073709551615",
                "FSGATE_HISTORY_BYTES=1073741824",
                "FSGATE_HISTORY_ENTRIES=10000",
                "FSGATE_HISTORY_DAYS=30",
                "FSGATE_POLICY_PATHS={\"/a\":[\"/host/a\"]}",
                "FSGATE_POLICY_ROOTS=[\"/a\",\"/b c\"]",
                "FSGATE_BIRTHS={}",
                "FSGATE_POLICY={}",
            ]
        );
    }

    #[test]
    fn a_durability_has_one_name() {
        for name in Durability::NAMES {
            assert_eq!(Durability::find(name).map(Durability::name), Some(name));
        }
        assert_eq!(Durability::find("Process"), None);
    }
}
