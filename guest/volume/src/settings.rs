//! A host's settings, in variables that are read once.

use std::collections::BTreeMap;
use std::time::Duration;

use self::directory::Unread;
use crate::Fault;
use fsgate_contract::id::Id;
use fsgate_contract::limits::{HISTORY_AGE, HISTORY_BYTES, HISTORY_ENTRIES};
use fsgate_contract::path::grant_name;
use fsgate_policy::InvalidPolicy;
use fsgate_policy::MachinePaths;

pub mod directory;

/// The settings of a host.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The lock that excludes other processes during a change.
    pub lock: Lock,
    /// The events that a change survives.
    pub durability: Durability,
    /// The session. Without it each instance is one.
    pub session: Option<Id>,
    /// A person at a shell calls, who sees every session's history.
    pub operator: bool,
    /// Time for one call.
    pub deadline: Option<Duration>,
    /// The limits of the history.
    pub history: Quota,
    /// The policy as JSON; `default` without it.
    pub policy: Option<String>,
    /// The machine paths of grants by name.
    pub policy_paths: MachinePaths,
    /// The directories of relative patterns; by default the grants.
    pub policy_roots: Option<Vec<String>>,
    /// The start of relative paths; by default the first grant.
    pub start: Option<String>,
    /// The birth of granted directories, by name, in milliseconds since 1970. It tells a directory
    /// from a deleted one with the same inode.
    pub births: BTreeMap<String, u64>,
}

/// The reason why every call is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Two grants have this name.
    DuplicateName(String),
    /// A grant has a reserved name.
    ReservedName(String),
    /// A variable has a meaningless value.
    Misset(Misset),
    /// A setting cannot be read.
    Unread(Unread),
    /// The policy cannot be read.
    Policy(InvalidPolicy),
}

/// The reason why a directory cannot hold state.
#[derive(Debug, Clone, PartialEq)]
pub enum Unusable {
    /// It belongs to another version, with this `format`.
    Format(String),
    /// It has a foreign name.
    Foreign(String),
    /// One of its names has the wrong kind.
    Damaged(&'static str),
    /// It cannot be used.
    Fault(Fault),
}

impl From<Fault> for Unusable {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// The lock against other processes during a change.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// The host locks before it calls. The file `lease` shows that to hosts without such locks.
    Host,
    /// fsgate takes a numbered lease in the state directory.
    #[default]
    Lease,
}

/// The events that a change survives.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The program's death.
    #[default]
    Process,
    /// Also a loss of power.
    Power,
    /// None: changes are not journaled.
    None,
}

/// A change that exceeds the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRoom {
    /// The amount that the change needs.
    pub needed: u64,
    /// The amount that the quota allows.
    pub most: u64,
    /// The unit of both.
    pub unit: &'static str,
}

/// The limits of the history. Older entries are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Bytes of records and trash.
    pub bytes: u64,
    /// Entries.
    pub entries: u64,
    /// Age.
    pub age: Duration,
}

impl Quota {
    /// The limit that keeps out an entry with so many bytes of content. The newest entry may exceed
    /// the limits by its records, and by their number: it replaces all older ones.
    pub fn refuses(&self, content: u64) -> Option<NoRoom> {
        let nothing = |is_zero: bool, unit| is_zero.then_some(NoRoom { needed: 1, most: 0, unit });
        nothing(self.bytes == 0, "bytes")
            .or_else(|| nothing(self.entries == 0, "entries"))
            .or_else(|| nothing(self.age.is_zero(), "days"))
            .or_else(|| {
                let is_over = content > self.bytes;
                is_over.then_some(NoRoom { needed: content, most: self.bytes, unit: "bytes" })
            })
    }
}

impl Default for Quota {
    fn default() -> Self {
        Self { bytes: HISTORY_BYTES, entries: HISTORY_ENTRIES, age: HISTORY_AGE }
    }
}

/// A variable with a meaningless value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misset {
    /// Its name.
    pub name: &'static str,
    /// The expected values.
    pub wanted: &'static str,
}

const DAY: u64 = 24 * 60 * 60;

/// The variables and their values.
const WANTED: [(&str, &str); 13] = [
    ("FSGATE_LOCK", "`host` or `lease`"),
    ("FSGATE_DURABILITY", "`process`, `power` or `none`"),
    ("FSGATE_SESSION", "32 lower-case hex digits"),
    ("FSGATE_OPERATOR", "`true` or `false`"),
    ("FSGATE_DEADLINE_MILLIS", "a number of milliseconds"),
    ("FSGATE_HISTORY_BYTES", "a number of bytes"),
    ("FSGATE_HISTORY_ENTRIES", "a number"),
    ("FSGATE_HISTORY_DAYS", "a number of days"),
    ("FSGATE_POLICY", "a policy"),
    ("FSGATE_POLICY_PATHS", "an object of lists of paths in JSON"),
    ("FSGATE_POLICY_ROOTS", "a list of paths in JSON"),
    ("FSGATE_START", "a path"),
    ("FSGATE_BIRTHS", "an object of milliseconds since 1970 in JSON"),
];

impl Settings {
    /// Reads the variables, and skips unknown ones.
    pub fn read<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, Misset> {
        let mut settings = Self::default();
        for (variable, value) in variables {
            let Some((name, wanted)) = WANTED.iter().find(|(name, _)| *name == variable) else { continue };
            settings.set(name, value).ok_or(Misset { name, wanted })?;
        }
        Ok(settings)
    }

    /// Sets a variable; none if its value is meaningless.
    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        let number = || value.parse::<u64>().ok();
        match (name, value) {
            ("FSGATE_LOCK", "host") => self.lock = Lock::Host,
            ("FSGATE_LOCK", "lease") => self.lock = Lock::Lease,
            ("FSGATE_DURABILITY", "process") => self.durability = Durability::Process,
            ("FSGATE_DURABILITY", "power") => self.durability = Durability::Power,
            ("FSGATE_DURABILITY", "none") => self.durability = Durability::None,
            ("FSGATE_SESSION", id) => self.session = Some(id.parse().ok()?),
            ("FSGATE_OPERATOR", is_operator) => self.operator = is_operator.parse().ok()?,
            ("FSGATE_DEADLINE_MILLIS", _) => self.deadline = Some(Duration::from_millis(number()?)),
            ("FSGATE_HISTORY_BYTES", _) => self.history.bytes = number()?,
            ("FSGATE_HISTORY_ENTRIES", _) => self.history.entries = number()?,
            ("FSGATE_HISTORY_DAYS", _) => {
                self.history.age = Duration::from_secs(number()?.saturating_mul(DAY));
            }
            ("FSGATE_POLICY", policy) => self.policy = Some(policy.to_owned()),
            ("FSGATE_POLICY_PATHS", paths) => self.policy_paths = serde_json::from_str(paths).ok()?,
            ("FSGATE_POLICY_ROOTS", roots) => self.policy_roots = Some(serde_json::from_str(roots).ok()?),
            ("FSGATE_START", start) => self.start = Some(start.to_owned()),
            ("FSGATE_BIRTHS", births) => self.births = serde_json::from_str(births).ok()?,
            _ => return None,
        }
        Some(())
    }

    /// Checks that the variables name these grants: a rule for a missing directory has no effect.
    pub fn over<'a>(self, grants: impl Iterator<Item = &'a str>) -> Result<Self, Misset> {
        let grants: Vec<_> = grants.map(grant_name).collect();
        let roots: Vec<_> = self.policy_roots.iter().flatten().map(|root| grant_name(root)).collect();
        let has_root = |grant: &Vec<String>| roots.iter().any(|root| grant.starts_with(root));
        if self.policy_roots.is_some() && !grants.iter().all(has_root) {
            let wanted = "a list of paths in JSON, so that each granted directory is at or below one of them";
            return Err(Misset { name: "FSGATE_POLICY_ROOTS", wanted });
        }
        let is_known = |name: Vec<String>| grants.contains(&name) || roots.contains(&name);
        if !self.policy_paths.keys().all(|name| is_known(grant_name(name))) {
            let wanted = "an object of lists of paths in JSON, each under the name of a granted directory";
            return Err(Misset { name: "FSGATE_POLICY_PATHS", wanted });
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_understood() {
        let settings = Settings::read([
            ("FSGATE_LOCK", "host"),
            ("FSGATE_DURABILITY", "power"),
            ("FSGATE_SESSION", "000000000000000000000000000000aa"),
            ("FSGATE_OPERATOR", "true"),
            ("FSGATE_DEADLINE_MILLIS", "1500"),
            ("FSGATE_HISTORY_BYTES", "7"),
            ("FSGATE_HISTORY_ENTRIES", "8"),
            ("FSGATE_HISTORY_DAYS", "9"),
            ("FSGATE_POLICY", "{}"),
            ("FSGATE_POLICY_PATHS", "{\"/a\": [\"/home/me/a\"]}"),
            ("FSGATE_POLICY_ROOTS", "[\"/a\"]"),
            ("FSGATE_START", "/a/b"),
            ("FSGATE_BIRTHS", "{\"/a\": 5}"),
            ("PATH", "/bin"),
        ]);
        let history = Quota { bytes: 7, entries: 8, age: Duration::from_secs(9 * DAY) };
        let expected = Settings {
            lock: Lock::Host,
            durability: Durability::Power,
            session: Some(Id(0xaa)),
            operator: true,
            deadline: Some(Duration::from_millis(1500)),
            history,
            policy: Some("{}".to_owned()),
            policy_paths: [("/a".to_owned(), vec!["/home/me/a".to_owned()])].into(),
            policy_roots: Some(vec!["/a".to_owned()]),
            start: Some("/a/b".to_owned()),
            births: [("/a".to_owned(), 5)].into(),
        };
        assert_eq!(settings, Ok(expected));
        assert_eq!(Settings::read([]), Ok(Settings::default()));
    }

    #[test]
    fn what_speaks_of_no_grant_is_refused_by_name() {
        const GRANTS: [&str; 2] = ["/w", "v/"];
        let over = |told: &[(&str, &str)], grants: &[&str]| {
            let settings = Settings::read(told.iter().copied()).unwrap();
            settings.over(grants.iter().copied()).map(|_| ()).map_err(|misset| misset.name)
        };
        for roots in [r#"["/w", "/v"]"#, r#"["/"]"#, r#"["w/", "./v", "/x"]"#] {
            assert_eq!(over(&[("FSGATE_POLICY_ROOTS", roots)], &GRANTS), Ok(()), "{roots}");
        }
        for roots in
            ["[]", r#"["/home/me/w"]"#, r#"["/w"]"#, r#"["/w", "/v/deeper"]"#, r#"["/w", "/vv", "/V"]"#]
        {
            let refused = Err("FSGATE_POLICY_ROOTS");
            assert_eq!(over(&[("FSGATE_POLICY_ROOTS", roots)], &GRANTS), refused, "{roots}");
        }
        for paths in ["{}", r#"{"w": ["/home/me/w"]}"#, r#"{"/w": [], "/v/": ["/b"]}"#] {
            assert_eq!(over(&[("FSGATE_POLICY_PATHS", paths)], &GRANTS), Ok(()), "{paths}");
        }
        for paths in [r#"{"/work": ["/home/me/w"]}"#, r#"{"/w": [], "/w/deeper": ["/b"]}"#] {
            let refused = Err("FSGATE_POLICY_PATHS");
            assert_eq!(over(&[("FSGATE_POLICY_PATHS", paths)], &GRANTS), refused, "{paths}");
        }
        // Parts of the grants.
        let told = [
            ("FSGATE_POLICY_ROOTS", r#"["/w", "/v"]"#),
            ("FSGATE_POLICY_PATHS", r#"{"/w": ["/a"], "/v": []}"#),
        ];
        assert_eq!(over(&told, &["/w/part"]), Ok(()));
    }

    #[test]
    fn what_means_nothing_is_refused_by_name() {
        for (name, value) in [
            ("FSGATE_LOCK", "maybe"),
            ("FSGATE_DURABILITY", ""),
            ("FSGATE_SESSION", "AA"),
            ("FSGATE_DEADLINE_MILLIS", "-1"),
            ("FSGATE_HISTORY_BYTES", "1k"),
            ("FSGATE_HISTORY_ENTRIES", " 1"),
            ("FSGATE_HISTORY_DAYS", "ever"),
            ("FSGATE_POLICY_PATHS", "{\"/a\": \"/b\"}"),
            ("FSGATE_POLICY_ROOTS", "{}"),
        ] {
            assert_eq!(Settings::read([(name, value)]).map_err(|misset| misset.name), Err(name), "{value}");
        }
    }
}
