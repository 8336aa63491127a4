//! One level of the configuration: its values, key by key.

use fsgate_text::json::given_twice;
use serde_json::Value as Json;

use super::error::ConfigError;
use super::keys::{COMPONENT_VARIABLES, KEYS, Key, POLICY_VARIABLE};
use super::nearest::nearest;
use super::tree::{Name, Origin, Tree, Value};
use super::value_type::ValueType;

#[derive(Debug, Clone, Default)]
pub(crate) struct Layer {
    pub(crate) set: Vec<(&'static Key, Tree)>,
    pub(crate) policies: Vec<Tree>,
}

impl Layer {
    /// Reads tables, and refuses unknown names.
    pub(crate) fn of(tree: Tree, home: Option<&str>) -> Result<Self, ConfigError> {
        let mut layer = Self::default();
        layer.take_table("", tree, home)?;
        Ok(layer)
    }

    /// Reads variables: each `FSGATE_` name has to be known.
    pub(crate) fn of_variables<'a>(
        variables: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
        home: Option<&str>,
    ) -> Result<Self, ConfigError> {
        let mut layer = Self::default();
        let mut ours: Vec<_> =
            variables.into_iter().filter(|(name, _)| name.starts_with("FSGATE_")).collect();
        // A whole policy sorts before its keys, so a conflict is reported at the key.
        ours.sort_unstable();
        for (name, value) in ours {
            if COMPONENT_VARIABLES.contains(&name) {
                continue;
            }
            let at = Origin::Variable(name.to_owned());
            let known = KEYS.iter().find(|key| key.variable() == name);
            if known.is_none() && name != POLICY_VARIABLE {
                let variables: Vec<_> = KEYS.iter().map(Key::variable).collect();
                let names = variables.iter().map(String::as_str).chain([POLICY_VARIABLE]);
                return Err(ConfigError::UnknownVariable {
                    name: name.to_owned(),
                    nearest: nearest(name, names),
                });
            }
            let Some(value) = value else {
                return Err(ConfigError::Broken { at, problem: "it is not UTF-8".to_owned() });
            };
            match known {
                Some(key) => layer.take(key, typed(key, value, &at)?, home)?,
                None => layer.take_policy(json(value, &at)?, home)?,
            }
        }
        Ok(layer)
    }

    pub(crate) fn set(&mut self, key: &'static Key, value: &str, at: &Origin) -> Result<(), ConfigError> {
        self.take(key, typed(key, value, at)?, None)
    }

    fn take_table(&mut self, table: &str, tree: Tree, home: Option<&str>) -> Result<(), ConfigError> {
        let entries = match tree.value {
            Value::Table(entries) => entries,
            // An empty file, or only comments.
            Value::Nothing => Vec::new(),
            _ => {
                let key = if table.is_empty() { "the configuration" } else { table };
                let wanted = "a table".to_owned();
                return Err(ConfigError::Wrong { at: tree.at, key: key.to_owned(), wanted });
            }
        };
        for (Name { text, at }, below) in entries {
            let name = if table.is_empty() { text } else { format!("{table}.{text}") };
            let is_table =
                || KEYS.iter().any(|key| key.name.strip_prefix(&name).is_some_and(|r| r.starts_with('.')));
            match Key::find(&name) {
                Some(key) => self.take(key, below, home)?,
                None if is_table() => self.take_table(&name, below, home)?,
                None => {
                    let nearest = nearest(&name, KEYS.iter().map(|key| key.name));
                    return Err(ConfigError::UnknownKey { at, key: name, nearest });
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, key: &'static Key, mut value: Tree, home: Option<&str>) -> Result<(), ConfigError> {
        key.kind.check(key.name, &mut value, home)?;
        if self.set.iter().any(|(known, _)| known.name == key.name) {
            return Err(ConfigError::Twice { at: value.at, key: key.name.to_owned() });
        }
        self.set.push((key, value));
        Ok(())
    }

    /// Reads a policy or a list: the first sets the keys, the others are further policies.
    pub(crate) fn take_policy(&mut self, tree: Tree, home: Option<&str>) -> Result<(), ConfigError> {
        let mut policies = match tree.value {
            Value::List(policies) => policies,
            _ => vec![tree],
        };
        if policies.is_empty() {
            return Ok(());
        }
        let first = policies.remove(0);
        for policy in policies {
            let (at, mut read) = (policy.at.clone(), Self::default());
            read.take_table("policy", policy, home)?;
            let entry = |(key, tree): (&Key, Tree)| {
                let text = key.name.strip_prefix("policy.").unwrap_or(key.name).to_owned();
                (Name { text, at: tree.at.clone() }, tree)
            };
            self.policies.push(Tree::new(Value::Table(read.set.into_iter().map(entry).collect()), at));
        }
        self.take_table("policy", first, home)
    }
}

/// Parses a typed text; lists are JSON.
fn typed(key: &Key, text: &str, at: &Origin) -> Result<Tree, ConfigError> {
    let value = match key.kind {
        ValueType::Truth => match text {
            "true" => Value::Truth(true),
            "false" => Value::Truth(false),
            _ => Value::Text(text.to_owned()),
        },
        ValueType::Number(..) => match text.parse() {
            Ok(number) => Value::Number(number),
            Err(_) => Value::Text(text.to_owned()),
        },
        ValueType::Texts | ValueType::Patterns | ValueType::Records(_) => return json(text, at),
        ValueType::Text
        | ValueType::Checked(_)
        | ValueType::Path
        | ValueType::PathOr(_)
        | ValueType::Choice(_) => Value::Text(text.to_owned()),
    };
    Ok(Tree::new(value, at.clone()))
}

fn json(text: &str, at: &Origin) -> Result<Tree, ConfigError> {
    if let Some(key) = given_twice(text) {
        return Err(ConfigError::Twice { at: at.clone(), key });
    }
    let json: Json = serde_json::from_str(text).map_err(|error| ConfigError::Broken {
        at: at.clone(),
        problem: format!("it is no JSON: {error}"),
    })?;
    Ok(Tree::from_json(json, at))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::text::Syntax;

    fn shown(layer: &Layer) -> Vec<String> {
        let line = |(key, tree): &(&Key, Tree)| format!("{} = {} # {}", key.name, tree.to_json(), tree.at);
        layer.set.iter().map(line).collect()
    }

    fn file(text: &str) -> Result<Vec<String>, String> {
        let tree =
            Syntax::Toml.read(text, &Origin::file(Path::new("/c/f.toml"))).map_err(|e| e.to_string())?;
        Layer::of(tree, Some("/home/me")).map(|layer| shown(&layer)).map_err(|error| error.to_string())
    }

    #[test]
    fn files_set_keys_of_the_table() {
        let text = "state_dir = 's'\n[history]\ndays = 3\n[policy]\nprofile = 'strict'\n[[policy.rules]]\nname = 'a'\n\
                    paths = ['~/x']\neffect = 'hidden'\n";
        assert_eq!(
            file(text).unwrap(),
            [
                "state_dir = \"/c/s\" # /c/f.toml:1",
                "history.days = 3 # /c/f.toml:3",
                "policy.profile = \"strict\" # /c/f.toml:5",
                "policy.rules = [{\"name\":\"a\",\"paths\":[\"/home/me/x\"],\"effect\":\"hidden\"}] # /c/f.toml:6",
            ]
        );
    }

    #[test]
    fn what_means_nothing_is_refused_with_what_was_meant() {
        for (text, refused) in [
            ("\nstatedir = 's'", "/c/f.toml:2: there is no key `statedir`; did you mean `state_dir`?"),
            (
                "[history]\nday = 1",
                "/c/f.toml:2: there is no key `history.day`; did you mean `history.days`?",
            ),
            ("deadline_seconds = 1", "no key `deadline_seconds`; did you mean `limits.deadline_seconds`?"),
            ("colour = 1", "/c/f.toml:1: there is no key `colour`"),
            ("history = 1", "/c/f.toml:1: `history` has to be a table"),
            ("[history.days]\nx = 1", "/c/f.toml:1: `history.days` has to be a whole number"),
            ("[policy]\nprofile = 'strickt'", "did you mean `strict`?"),
            ("[[dirs]]\npath = '.'", "`dirs[0]` has to be a table with `access`"),
        ] {
            let sentence = file(text).unwrap_err();
            assert!(sentence.contains(refused), "{text}: {sentence}");
        }
    }

    fn variables(pairs: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let pairs = pairs.iter().map(|(name, value)| (*name, Some(*value)));
        Layer::of_variables(pairs, None).map(|layer| shown(&layer)).map_err(|error| error.to_string())
    }

    #[test]
    fn variables_set_the_same_keys() {
        assert_eq!(
            variables(&[
                ("FSGATE_READ_ONLY", "true"),
                ("FSGATE_HISTORY_DAYS", "3"),
                ("FSGATE_POLICY", r#"{"profile": "open"}"#),
                ("FSGATE_POLICY_EXCEPT", r#"["git"]"#),
                ("FSGATE_STATE_DIR", "s"),
                ("FSGATE_SESSION", "x"),
                ("PATH", "/bin"),
            ])
            .unwrap(),
            [
                "history.days = 3 # $FSGATE_HISTORY_DAYS",
                "policy.profile = \"open\" # $FSGATE_POLICY",
                "policy.except = [\"git\"] # $FSGATE_POLICY_EXCEPT",
                "read_only = true # $FSGATE_READ_ONLY",
                "state_dir = \"s\" # $FSGATE_STATE_DIR",
            ]
        );
    }

    #[test]
    fn every_policy_of_a_list_knows_the_home_directory() {
        let list = r#"[{"allowed_paths": ["~/x"]}, {"allowed_paths": ["~/y", "~z"], "max_files": 3}]"#;
        let layer = Layer::of_variables([("FSGATE_POLICY", Some(list))], Some("/home/me")).unwrap();
        assert_eq!(layer.set[0].1.to_json(), serde_json::json!(["/home/me/x"]));
        let further: Vec<_> = layer.policies.iter().map(Tree::to_json).collect();
        assert_eq!(further, [serde_json::json!({"allowed_paths": ["/home/me/y", "~z"], "max_files": 3})]);
    }

    #[test]
    fn variables_that_mean_nothing_are_refused() {
        for (pairs, refused) in [
            (&[("FSGATE_HISTORY_DAY", "3")][..], "did you mean `FSGATE_HISTORY_DAYS`?"),
            (&[("FSGATE_", "")], "the variable `FSGATE_` means nothing"),
            (
                &[("FSGATE_HISTORY_DAYS", "three")],
                "$FSGATE_HISTORY_DAYS: `history.days` has to be a whole number",
            ),
            (&[("FSGATE_READ_ONLY", "1")], "`read_only` has to be `true` or `false`"),
            (&[("FSGATE_POLICY", "{")], "$FSGATE_POLICY: it is no JSON"),
            (&[("FSGATE_POLICY", "3")], "`policy` has to be a table"),
            (
                &[("FSGATE_POLICY", r#"{"profil": "open"}"#)],
                "no key `policy.profil`; did you mean `policy.profile`?",
            ),
            (&[("FSGATE_POLICY", r#"[{}, {"profil": "open"}]"#)], "no key `policy.profil`"),
            (
                &[("FSGATE_POLICY", r#"{"profile": "open", "profile": "strict"}"#)],
                "`profile` is set a second time",
            ),
            (
                &[(
                    "FSGATE_POLICY_RULES",
                    r#"[{"name": "a", "paths": ["x"], "paths": ["y"], "effect": "denied"}]"#,
                )],
                "$FSGATE_POLICY_RULES: `paths` is set a second time",
            ),
            (
                &[("FSGATE_POLICY_ALLOWED_PATHS", r#"["~/x"]"#)],
                "`~` is the home directory, and `HOME` is not set",
            ),
            (
                &[("FSGATE_POLICY", r#"[{}, {"allowed_paths": ["~"]}]"#)],
                "`~` is the home directory, and `HOME` is not set",
            ),
            (
                &[("FSGATE_POLICY", r#"{"profile": "open"}"#), ("FSGATE_POLICY_PROFILE", "open")],
                "$FSGATE_POLICY_PROFILE: `policy.profile` is set a second time",
            ),
        ] {
            let sentence = variables(pairs).unwrap_err();
            assert!(sentence.contains(refused), "{pairs:?}: {sentence}");
        }
    }
}
