//! Reads the table `tool_configuration.file_system` of another program as keys of the
//! configuration.

use super::error::ConfigError;
use super::nearest::nearest;
use super::tree::{Name, Tree, Value};

pub(crate) const FILE: &str = "dotnet-prompt.yaml";

const KEYS: [(&str, Means); 8] = [
    ("allowed_directories", Means::Directories),
    ("blocked_directories", Means::Rule("paths")),
    ("blocked_extensions", Means::Rule("extensions")),
    ("allowed_extensions", Means::Key("policy", "allowed_extensions")),
    ("max_file_size", Means::Key("policy", "max_file_size")),
    ("max_files_per_operation", Means::Key("policy", "max_files")),
    ("require_confirmation_for_delete", Means::Key("policy", "confirm_delete")),
    ("enable_audit_logging", Means::Key("audit", "enabled")),
];

#[derive(Clone, Copy)]
enum Means {
    Directories,
    /// A rule that denies the items in this field.
    Rule(&'static str),
    Key(&'static str, &'static str),
}

pub(crate) struct Workflow {
    pub(crate) tree: Tree,
    pub(crate) allowed: Option<Tree>,
    /// The lists that become rules, also when empty.
    pub(crate) lists: Vec<&'static str>,
}

/// The table in a file, if any. The rest belongs to the other program.
pub(crate) fn table(file: &Tree) -> Result<Option<&Tree>, ConfigError> {
    const TABLE: &str = "tool_configuration";
    let Some(table) = file.get(TABLE) else { return Ok(None) };
    // A table with wrong indentation would be ignored silently.
    if !matches!(table.value, Value::Table(_)) {
        let (at, wanted) = (table.at.clone(), "a table; is what belongs to it indented?".to_owned());
        return Err(ConfigError::Wrong { at, key: TABLE.to_owned(), wanted });
    }
    Ok(table.get("file_system"))
}

pub(crate) fn read(table: &Tree) -> Result<Workflow, ConfigError> {
    let (mut allowed, mut rules, mut lists) = (None, Vec::new(), Vec::new());
    let mut tables: [(&str, Vec<(Name, Tree)>); 2] = [("policy", Vec::new()), ("audit", Vec::new())];
    if !matches!(table.value, Value::Table(_)) {
        let key = "tool_configuration.file_system".to_owned();
        return Err(ConfigError::Wrong { at: table.at.clone(), key, wanted: "a table".to_owned() });
    }
    for (name, value) in table.table() {
        let key = || format!("tool_configuration.file_system.{}", name.text);
        let Some((list, means)) = KEYS.iter().find(|(known, _)| *known == name.text) else {
            let nearest = nearest(&name.text, KEYS.iter().map(|(known, _)| *known));
            return Err(ConfigError::UnknownKey { at: name.at.clone(), key: key(), nearest });
        };
        let is_texts = || value.list().iter().all(|item| item.text().is_some());
        if !matches!(means, Means::Key(..)) && (!matches!(value.value, Value::List(_)) || !is_texts()) {
            let wanted = "a list of texts".to_owned();
            return Err(ConfigError::Wrong { at: value.at.clone(), key: key(), wanted });
        }
        let named = |text: &str| Name { text: text.to_owned(), at: name.at.clone() };
        if matches!(means, Means::Rule(_)) {
            lists.push(*list);
        }
        match means {
            Means::Directories => allowed = Some(value.clone()),
            Means::Rule(_) if value.list().is_empty() => {}
            Means::Rule(field) => {
                let text = |text: &str| Tree::new(Value::Text(text.to_owned()), name.at.clone());
                let rule = vec![
                    (named("name"), text(&name.text)),
                    (named(field), value.clone()),
                    (named("effect"), text("denied")),
                ];
                rules.push(Tree::new(Value::Table(rule), name.at.clone()));
            }
            Means::Key(table, key) => {
                let found = tables.iter_mut().find(|(known, _)| known == table);
                found.into_iter().for_each(|(_, entries)| entries.push((named(key), value.clone())));
            }
        }
    }
    let name = |text: &str| Name { text: text.to_owned(), at: table.at.clone() };
    if !rules.is_empty() {
        tables[0].1.push((name("rules"), Tree::new(Value::List(rules), table.at.clone())));
    }
    let entries = tables
        .into_iter()
        .filter(|(_, entries)| !entries.is_empty())
        .map(|(text, entries)| (name(text), Tree::new(Value::Table(entries), table.at.clone())))
        .collect();
    Ok(Workflow { tree: Tree::new(Value::Table(entries), table.at.clone()), allowed, lists })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::text::Syntax;
    use crate::config::tree::Origin;

    fn of(text: &str) -> Result<Workflow, String> {
        let file = Syntax::Yaml.read(text, &Origin::file(Path::new("f"))).unwrap();
        let table = table(&file).map_err(|error| error.to_string())?;
        read(table.unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn it_is_said_in_our_keys() {
        let found = of("name: x\ntool_configuration:\n  other: {a: 1}\n  file_system:\n    allowed_directories: ['.']\n    \
                        blocked_directories: [./bin, obj]\n    blocked_extensions: [.exe]\n    allowed_extensions: [.cs]\n    \
                        max_file_size: 10\n    max_files_per_operation: 7\n    require_confirmation_for_delete: true\n    \
                        enable_audit_logging: true\n")
        .unwrap();
        assert_eq!(
            found.tree.to_json(),
            serde_json::json!({
                "policy": {
                    "allowed_extensions": [".cs"],
                    "max_file_size": 10,
                    "max_files": 7,
                    "confirm_delete": true,
                    "rules": [
                        {"name": "blocked_directories", "paths": ["./bin", "obj"], "effect": "denied"},
                        {"name": "blocked_extensions", "extensions": [".exe"], "effect": "denied"},
                    ],
                },
                "audit": {"enabled": true},
            })
        );
        assert_eq!(found.allowed.unwrap().to_json(), serde_json::json!(["."]));
        let rules = found.tree.get("policy").unwrap().get("rules").unwrap();
        assert_eq!(rules.list()[0].at.to_string(), "f:6");
    }

    #[test]
    fn what_it_does_not_know_is_refused_by_name() {
        for (text, refused) in [
            (
                "max_filesize: 1",
                "f:3: there is no key `tool_configuration.file_system.max_filesize`; did you mean `max_file_size`?",
            ),
            (
                "allowed_directories: .",
                "`tool_configuration.file_system.allowed_directories` has to be a list of texts",
            ),
            ("blocked_extensions: [1]", "has to be a list of texts"),
        ] {
            let sentence = of(&format!("tool_configuration:\n  file_system:\n    {text}\n")).err().unwrap();
            assert!(sentence.contains(refused), "{text}: {sentence}");
        }
        assert!(of("tool_configuration:\n  file_system: 1\n").is_err());
        let sentence = of("tool_configuration:\nfile_system:\n  max_file_size: 1\n").err().unwrap();
        assert!(sentence.contains("`tool_configuration` has to be a table"), "{sentence}");
    }
}
