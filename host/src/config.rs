//! The configuration: grants, state, limits and policy, each value with its origin.
//!
//! Levels, the lowest first: built-in values, user's file, project's files, environment, command
//! line. The highest level that sets a key wins; rules of a policy add up. A project's file can
//! only narrow: an agent works in its directory, and others may have written it.
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let scratch = std::env::temp_dir().join("fsgate-doc/config");
//! # let _ = std::fs::remove_dir_all(&scratch);
//! # std::fs::create_dir_all(scratch.join("project"))?;
//! use fsgate::config::{Config, Sources};
//!
//! let file = scratch.join("fsgate.toml");
//! std::fs::write(&file, r#"
//!     durability = "none"
//!     limits.deadline_seconds = 10
//!     dirs = [{ path = "project", access = "read_only" }]
//! "#)?;
//!
//! let config = Config::load(&Sources::nothing().file(&file))?;
//! let deadline = config.values().find(|value| value.key.name == "limits.deadline_seconds").unwrap();
//! assert_eq!(deadline.value, 10);
//! assert_eq!(deadline.origin.to_string(), format!("{}:3", file.display()));
//!
//! let gate = config.builder().build()?;
//! assert_eq!(gate.directories()[0].access, fsgate::Access::Read);
//! # Ok(())
//! # }
//! ```

mod builtin_rules;
mod error;
mod expand;
mod file;
mod grant_value;
mod keys;
mod layer;
mod nearest;
mod precedence;
mod project;
mod reference;
mod schema;
mod sources;
mod text;
mod tree;
mod value_type;
mod workflow;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value as Json;

pub use error::ConfigError;
pub use grant_value::GrantValue;
pub use keys::{Commands, Flag, KEYS, Key, POLICY_VARIABLE, Project};
pub use reference::reference;
pub use schema::schema;
pub use sources::Sources;
pub use tree::Origin;
pub use value_type::{RecordField, ValueType};

use crate::audit::Audit;
use crate::grant::Access;
use crate::limits::Limits;
use crate::policy::{Document, Documents, Profile};
use crate::settings::{Durability, HistoryLimits};
use crate::{Gate, GateBuilder};
use tree::Tree;

const DIRS: &str = "dirs";

/// The effective configuration with its origins.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// The value of the highest level for each key; rules of all levels of the operator.
    set: BTreeMap<&'static str, Tree>,
    granted: Vec<(GrantValue, Origin)>,
    /// Further policies: of the operator, and one for each project's file.
    policies: Vec<(Origin, Document)>,
    project: BTreeMap<&'static str, Tree>,
    rules: Vec<Tree>,
    /// Allowed directories, a list for each project's file that has one.
    allowed: Vec<Vec<PathBuf>>,
    missing: Vec<(PathBuf, Origin)>,
    /// Rules of the profile that a workflow program's file replaces.
    replaced: Vec<&'static str>,
    files: Vec<PathBuf>,
}

/// A key with its effective value.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EffectiveValue {
    /// The key.
    pub key: &'static Key,
    /// Its value, or `null`.
    pub value: Json,
    /// The origin of the value. Items of a list can have others.
    pub origin: Origin,
    /// The origins of the items of a list.
    pub items: Vec<Origin>,
}

impl Config {
    /// A builder for the configured gate.
    pub fn builder(&self) -> GateBuilder {
        let mut builder = Gate::builder();
        for GrantValue { path, name, access } in self.directories() {
            builder = match (name, access) {
                (Some(name), access) => builder.dir_as(path, name, access),
                (None, Access::Write) => builder.dir(path),
                (None, Access::Read) => builder.read_only_dir(path),
            };
        }
        for allowed in &self.allowed {
            builder = builder.only(allowed.clone());
        }
        if let Some(path) = self.text("state_dir") {
            builder = builder.state_root(path);
        }
        if let Some(calls) = self.number("mcp.parallel").and_then(|calls| usize::try_from(calls).ok()) {
            builder = builder.parallel(calls);
        }
        if let Some(audit) = self.audit() {
            builder = builder.audit(audit);
        }
        let builder = builder
            .allow_wide_grant(self.truth("allow_wide_grant"))
            .durability(self.text("durability").and_then(|name| Durability::find(&name)).unwrap_or_default())
            .history(self.history())
            .limits(self.limits())
            .policy(self.policies());
        builtin_rules::protect(builder, &self.files)
    }

    fn history(&self) -> HistoryLimits {
        let usual = HistoryLimits::default();
        HistoryLimits {
            bytes: self.number("history.bytes").unwrap_or(usual.bytes),
            entries: self.number("history.entries").unwrap_or(usual.entries),
            days: self.number("history.days").unwrap_or(usual.days),
        }
    }

    fn limits(&self) -> Limits {
        let size = |key: &str, usual| {
            self.number(key).map_or(usual, |value| usize::try_from(value).unwrap_or(usize::MAX))
        };
        let usual = Limits::default();
        Limits {
            deadline: self.number("limits.deadline_seconds").map_or(usual.deadline, Duration::from_secs),
            memory: size("limits.memory_bytes", usual.memory),
            host_memory: size("limits.host_memory_bytes", usual.host_memory),
            handles: size("limits.handles", usual.handles),
            result: size("limits.result_bytes", usual.result),
            calls_per_second: self
                .number("limits.calls_per_second")
                .and_then(|calls| u32::try_from(calls).ok())
                .or(usual.calls_per_second),
            waiting: size("limits.waiting_calls", usual.waiting),
        }
    }

    fn audit(&self) -> Option<Audit> {
        let usual = Audit::default();
        self.truth("audit.enabled").then(|| Audit {
            file: self.text("audit.file").filter(|file| file != "auto").map(PathBuf::from),
            required: self.truth("audit.required"),
            arguments: self.truth("audit.arguments"),
            rotate_bytes: self.number("audit.rotate_bytes").unwrap_or(usual.rotate_bytes),
            keep: self.number("audit.keep").and_then(|keep| u32::try_from(keep).ok()).unwrap_or(usual.keep),
        })
    }

    /// The directories to grant, in their order.
    pub fn directories(&self) -> Vec<GrantValue> {
        let read_only = self.truth("read_only");
        let granted = |(granted, _): &(GrantValue, Origin)| {
            let access = if read_only { Access::Read } else { granted.access };
            GrantValue { access, ..granted.clone() }
        };
        self.granted.iter().map(granted).collect()
    }

    /// The directories of a workflow program's file that do not exist and are not granted, with the
    /// places that name them.
    pub fn missing(&self) -> &[(PathBuf, Origin)] {
        &self.missing
    }

    /// The policies as written: the operator's, then further ones.
    pub fn policies(&self) -> Documents {
        let further = self.policies.iter().map(|(_, document)| document.clone());
        Documents(
            std::iter::once(self.operator_policy())
                .chain(further)
                .chain([builtin_rules::project_file()])
                .collect(),
        )
    }

    /// Every key with its effective value, in table order.
    pub fn values(&self) -> impl Iterator<Item = EffectiveValue> {
        KEYS.iter().map(|key| {
            if key.name == DIRS {
                return self.granted_value(key);
            }
            let set = self.set.get(key.name);
            let rules = self.rules.iter().filter(|_| key.name == "policy.rules");
            let items: Vec<_> = set.into_iter().flat_map(tree::Tree::list).chain(rules).collect();
            let value = if items.is_empty() {
                self.json(key.name)
            } else {
                items.iter().map(|item| item.to_json()).collect()
            };
            let origin = set.map_or(Origin::BuiltIn, |tree| tree.at.clone());
            EffectiveValue { key, value, origin, items: items.iter().map(|item| item.at.clone()).collect() }
        })
    }

    fn granted_value(&self, key: &'static Key) -> EffectiveValue {
        let items: Vec<_> = self.granted.iter().map(|(_, origin)| origin.clone()).collect();
        EffectiveValue {
            key,
            value: self.directories().iter().map(GrantValue::to_json).collect(),
            origin: items.first().cloned().unwrap_or(Origin::BuiltIn),
            items,
        }
    }

    /// The origin of a key's value.
    pub fn origin(&self, key: &str) -> Origin {
        let origin = self.values().find(|value| value.key.name == key).map(|value| value.origin);
        origin.unwrap_or(Origin::BuiltIn)
    }

    /// The value of a text key.
    pub fn text(&self, key: &str) -> Option<String> {
        match self.json(key) {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a number key.
    pub fn number(&self, key: &str) -> Option<u64> {
        self.json(key).as_u64()
    }

    /// The value of a truth key.
    pub fn truth(&self, key: &str) -> bool {
        self.json(key) == true
    }

    fn json(&self, key: &str) -> Json {
        match (self.set.get(key), Key::find(key)) {
            (Some(tree), _) => tree.to_json(),
            // Any other key of the audit enables it.
            (None, Some(key)) if key.name == "audit.enabled" => {
                self.set.keys().any(|key| key.starts_with("audit.")).into()
            }
            (None, Some(key)) => match key.name.strip_prefix("policy.") {
                Some(field) if key.default_value().is_null() => self.profile(field),
                _ => key.default_value(),
            },
            (None, None) => Json::Null,
        }
    }

    /// The profile's value of a field that no level sets.
    fn profile(&self, field: &str) -> Json {
        let name = self.text("policy.profile").unwrap_or_default();
        let profile = Profile::ALL.into_iter().find(|profile| profile.name() == name);
        let document = profile.filter(|_| !matches!(field, "rules" | "except")).map(Profile::document);
        let document = document.and_then(|document| serde_json::to_value(document).ok());
        document.map(|mut document| document[field].take()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys that do not concern a gate: the program reads them itself.
    const ELSEWHERE: [&str; 8] = [
        "landlock",
        "project_file",
        "mcp.tools",
        "mcp.answers",
        "mcp.output_schemas",
        "mcp.ignore_roots",
        "mcp.remember",
        "mcp.answer_bytes",
    ];

    /// A value that differs from the default.
    fn another(key: &Key) -> String {
        match (key.name, key.kind) {
            ("dirs", _) => r#"[{"path": "/x", "access": "read_write"}]"#.to_owned(),
            ("policy.rules", _) => r#"[{"name": "r", "paths": ["x"], "effect": "denied"}]"#.to_owned(),
            ("policy.except", _) => r#"["git"]"#.to_owned(),
            ("policy.allowed_extensions", _) => r#"[".md"]"#.to_owned(),
            (_, ValueType::Truth) => (key.default_value() != true).to_string(),
            (_, ValueType::Number(least, _)) => (least + 1).to_string(),
            (_, ValueType::Choice(words)) => {
                (*words.iter().find(|word| key.default_value() != **word).unwrap()).to_owned()
            }
            (_, ValueType::Patterns | ValueType::Texts) => r#"["x"]"#.to_owned(),
            (_, _) => "/x".to_owned(),
        }
    }

    #[test]
    fn every_key_does_something() {
        let dirs =
            || Sources::nothing().with_variable("FSGATE_DIRS", r#"[{"path": "/w", "access": "read_write"}]"#);
        let made = |config: &Config| format!("{:?}", config.builder());
        let usual = made(&Config::load(&dirs()).unwrap());
        for key in KEYS.iter().filter(|key| !ELSEWHERE.contains(&key.name)) {
            let config = Config::load(&dirs().with_variable(key.variable(), another(key))).unwrap();
            assert_ne!(made(&config), usual, "{}", key.name);
            assert_eq!(config.origin(key.name).to_string(), format!("${}", key.variable()));
        }
    }

    #[test]
    fn whoever_says_something_about_the_audit_wants_it() {
        let audit = |variables: &[(&str, &str)]| {
            let with = |sources: Sources, (name, value): &(&str, &str)| sources.with_variable(*name, *value);
            Config::load(&variables.iter().fold(Sources::nothing(), with)).unwrap().audit()
        };
        let usual = Audit::default;
        for (variables, expected) in [
            (&[][..], None),
            (&[("FSGATE_AUDIT_ENABLED", "true")], Some(usual())),
            (&[("FSGATE_AUDIT_FILE", "auto")], Some(usual())),
            (&[("FSGATE_AUDIT_FILE", "/a")], Some(Audit { file: Some("/a".into()), ..usual() })),
            (&[("FSGATE_AUDIT_REQUIRED", "true")], Some(Audit { required: true, ..usual() })),
            (&[("FSGATE_AUDIT_KEEP", "1")], Some(Audit { keep: 1, ..usual() })),
            (&[("FSGATE_AUDIT_KEEP", "1"), ("FSGATE_AUDIT_ENABLED", "false")], None),
        ] {
            assert_eq!(audit(variables), expected, "{variables:?}");
        }
    }

    #[test]
    fn rules_of_all_levels_add_up_and_other_lists_do_not() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("c.toml");
        std::fs::write(
            &file,
            "[policy]\nallowed_paths = ['a']\nrules = [{name = 'one', paths = ['x'], effect = 'denied'}]",
        )
        .unwrap();
        let further = r#"[{"rules": [{"name": "two", "paths": ["y"], "effect": "hidden"}], "allowed_paths": ["b"]}, {"max_files": 3}]"#;
        let sources = Sources::nothing().file(&file).with_variable("FSGATE_POLICY", further);
        let config = Config::load(&sources).unwrap();
        let Documents(policies) = config.policies();
        let names: Vec<_> = policies[0].rules.iter().map(|rule| rule.name.as_str()).collect();
        assert_eq!((names, &policies[0].allowed_paths), (vec!["one", "two"], &vec!["b".to_owned()]));
        assert_eq!(policies[1].max_files, Some(3));
        let held = config.values().find(|held| held.key.name == "policy.rules").unwrap();
        let origins: Vec<_> = held.items.iter().map(Origin::to_string).collect();
        assert_eq!(origins, [format!("{}:3", file.display()), "$FSGATE_POLICY".to_owned()]);
    }

    #[test]
    fn what_a_profile_says_is_what_holds() {
        let sources = Sources::nothing().with_variable("FSGATE_POLICY_PROFILE", "workflow");
        let config = Config::load(&sources).unwrap();
        assert_eq!(config.number("policy.max_files"), Some(1000));
        assert!(config.truth("policy.confirm_delete"));
        assert_eq!(config.text("policy.executables").as_deref(), Some("denied"));
        let sources = sources.with_variable("FSGATE_POLICY_MAX_FILES", "5");
        assert_eq!(Config::load(&sources).unwrap().number("policy.max_files"), Some(5));
    }
}
