//! What the component is told about its host: a few variables, and nothing of the environment of this process.

use std::time::Duration;

use fsgate_policy::MachinePaths;
use serde_json::json;

use crate::grant::Grant;

/// What a change survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// The death of the program at any moment.
    #[default]
    Process,
    /// A loss of power as well. Every change waits for the disk.
    Power,
    /// Nothing: nothing is journaled, there is no undo, and no state is kept.
    None,
}

impl Durability {
    /// Their names, as they are typed.
    pub const NAMES: [&str; 3] = ["process", "power", "none"];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Power => "power",
            Self::None => "none",
        }
    }

    /// The one with this name.
    pub fn find(name: &str) -> Option<Self> {
        [Self::Process, Self::Power, Self::None].into_iter().find(|durability| durability.name() == name)
    }
}

/// How much history is kept of one root. What is more, or older, is forgotten, the oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryLimits {
    /// Bytes of old contents and of deleted files.
    pub bytes: u64,
    /// Changes.
    pub entries: u64,
    /// Age in days.
    pub days: u64,
}

impl Default for HistoryLimits {
    /// 1 GiB, 10,000 changes, 30 days: months of ordinary work, and nothing that fills a disk.
    fn default() -> Self {
        Self { bytes: 1 << 30, entries: 10_000, days: 30 }
    }
}

/// Variables with their values.
pub(crate) type Environment = Vec<(String, String)>;

/// Everything that the component is told.
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
    let told = [
        ("FSGATE_LOCK", "host".to_owned()),
        ("FSGATE_DURABILITY", durability.name().to_owned()),
        ("FSGATE_SESSION", format!("{session:032x}")),
        ("FSGATE_DEADLINE_MILLIS", millis.max(1).to_string()),
        ("FSGATE_HISTORY_BYTES", history.bytes.to_string()),
        ("FSGATE_HISTORY_ENTRIES", history.entries.to_string()),
        ("FSGATE_HISTORY_DAYS", history.days.to_string()),
        // A gate over parts of these has other grants, and rules about paths in these hold all the same.
        ("FSGATE_POLICY_PATHS", json!(paths).to_string()),
        ("FSGATE_POLICY_ROOTS", json!(names).to_string()),
    ];
    let policy = policy.map(|policy| ("FSGATE_POLICY", policy));
    told.into_iter().chain(policy).map(|(name, value)| (name.to_owned(), value)).collect()
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
        let told = environment(
            Durability::Power,
            0xab,
            Duration::MAX,
            &HistoryLimits::default(),
            Some("{}".to_owned()),
            &[grant("/a"), grant("/b c")],
            &[("/a".to_owned(), vec!["/host/a".to_owned()])].into(),
        );
        let lines: Vec<_> = told.iter().map(|(name, value)| format!("{name}={value}")).collect();
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
