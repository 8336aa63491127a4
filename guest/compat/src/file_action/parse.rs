//! Parses JSON actions: an object or a list.

use serde::de::{IgnoredAny, MapAccess};

use crate::json::{Fields, JsonField, JsonObject, OneOrMany};
use fsgate_contract::limits::FILE_ACTIONS;

/// A kind of action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileActionKind {
    /// Creates a file.
    Create,
    /// Appends to a file.
    Append,
}

impl FileActionKind {
    /// Its name in an action.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Append => "append",
        }
    }

    fn find(name: &str) -> Option<Self> {
        [Self::Create, Self::Append].into_iter().find(|kind| kind.name() == name)
    }
}

/// A well-formed action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAction {
    /// Its kind.
    pub kind: FileActionKind,
    /// Its file.
    pub path: String,
    /// Its text.
    pub content: String,
}

/// A malformed action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenAction {
    /// Its claimed kind.
    pub action: Option<String>,
    /// Its path.
    pub path: Option<String>,
    /// The mistake.
    pub problem: String,
}

/// The actions of a text, or its mistake.
pub fn actions(text: &str) -> Result<Vec<Result<FileAction, BrokenAction>>, String> {
    let listed: OneOrMany<JsonObject<ActionEntry>, FILE_ACTIONS> =
        serde_json::from_str(text).map_err(|problem| format!("the text is not JSON: {problem}"))?;
    match listed {
        OneOrMany::One(entry) => Ok(vec![action(entry)]),
        OneOrMany::Many(entries) if entries.len() > FILE_ACTIONS => {
            Err(format!("a text has at most {FILE_ACTIONS} actions"))
        }
        OneOrMany::Many(entries) => Ok(entries.into_iter().map(action).collect()),
        OneOrMany::Neither => Err("the text is neither an action nor a list of actions".to_owned()),
    }
}

#[derive(Debug, Default)]
struct ActionEntry {
    action: JsonField,
    path: JsonField,
    content: JsonField,
}

impl Fields for ActionEntry {
    fn put<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "action" => self.action.put(map.next_value()?),
            "path" => self.path.put(map.next_value()?),
            "content" => self.content.put(map.next_value()?),
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
        Ok(())
    }
}

fn action(JsonObject { is_object, fields }: JsonObject<ActionEntry>) -> Result<FileAction, BrokenAction> {
    match (fields.action, fields.path, fields.content) {
        (JsonField::Text(action), JsonField::Text(path), JsonField::Text(content)) => {
            match FileActionKind::find(&action) {
                Some(kind) => Ok(FileAction { kind, path, content }),
                None => {
                    let problem = "`action` is neither `create` nor `append`".to_owned();
                    Err(BrokenAction { action: Some(action), path: Some(path), problem })
                }
            }
        }
        (action, path, content) => {
            let keys = [("action", &action), ("path", &path), ("content", &content)];
            let problem = match is_object {
                true => keys.into_iter().find_map(|(key, value)| value.problem(key)).unwrap_or_default(),
                false => "an action is an object with `action`, `path` and `content`".to_owned(),
            };
            Err(BrokenAction { action: action.text(), path: path.text(), problem })
        }
    }
}
