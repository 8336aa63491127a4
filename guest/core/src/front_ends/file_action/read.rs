//! Reads actions: one object of JSON, or a list of them.
//!
//! Of what is no action only that is kept which tells so: a text takes little more memory than it has bytes, whatever is in it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::limits::FILE_ACTIONS;

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// There is a new file.
    Create,
    /// A file that is there has more.
    Append,
}

impl Kind {
    /// What an action calls it.
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

/// An action that can be carried out, as far as its form is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// What is to be done.
    pub kind: Kind,
    /// With which file.
    pub path: String,
    /// The text for it.
    pub content: String,
}

/// Something that is no action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// What it says is to be done.
    pub action: Option<String>,
    /// The path that it has.
    pub path: Option<String>,
    /// What is wrong with it.
    pub problem: String,
}

/// The actions of a text, or what is wrong with all of it.
pub fn actions(text: &str) -> Result<Vec<Result<Action, Broken>>, String> {
    let Listed(entries) =
        serde_json::from_str(text).map_err(|problem| format!("the text is not JSON: {problem}"))?;
    match entries {
        Some(entries) if entries.len() > FILE_ACTIONS => {
            Err(format!("a text has at most {FILE_ACTIONS} actions"))
        }
        Some(entries) => Ok(entries.into_iter().map(Entry::action).collect()),
        None => Err("the text is neither an action nor a list of actions".to_owned()),
    }
}

/// One entry or several, at most one more than may be; none of what is neither.
struct Listed(Option<Vec<Entry>>);

/// What may be an action.
#[derive(Default)]
struct Entry {
    is_object: bool,
    action: Value,
    path: Value,
    content: Value,
}

/// The value of a key.
#[derive(Default)]
enum Value {
    #[default]
    Absent,
    Text(String),
    /// No text.
    Other,
    /// The key is there twice.
    Twice,
}

impl Entry {
    fn action(self) -> Result<Action, Broken> {
        match (self.action, self.path, self.content) {
            (Value::Text(action), Value::Text(path), Value::Text(content)) => match Kind::find(&action) {
                Some(kind) => Ok(Action { kind, path, content }),
                None => {
                    let problem = "`action` is neither `create` nor `append`".to_owned();
                    Err(Broken { action: Some(action), path: Some(path), problem })
                }
            },
            (action, path, content) => {
                let keys = [("action", &action), ("path", &path), ("content", &content)];
                let problem = match self.is_object {
                    true => keys.into_iter().find_map(|(key, value)| value.problem(key)).unwrap_or_default(),
                    false => "an action is an object with `action`, `path` and `content`".to_owned(),
                };
                Err(Broken { action: action.text(), path: path.text(), problem })
            }
        }
    }
}

impl Value {
    fn problem(&self, key: &str) -> Option<String> {
        match self {
            Self::Text(_) => None,
            Self::Absent => Some(format!("`{key}` is missing")),
            Self::Other => Some(format!("`{key}` is not a text")),
            Self::Twice => Some(format!("`{key}` is there twice")),
        }
    }

    fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    fn put(&mut self, value: Self) {
        *self = if matches!(self, Self::Absent) { value } else { Self::Twice };
    }
}

/// What a visitor makes of all kinds of values that say nothing to it.
macro_rules! all_the_same {
    ($value:expr; $($visit:ident $of:ty),*) => {
        fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
            formatter.write_str("any value")
        }
        $(fn $visit<E>(self, _: $of) -> Result<Self::Value, E> {
            Ok($value)
        })*
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($value)
        }
    };
}

impl<'de> Deserialize<'de> for Listed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfAll;
        impl<'de> Visitor<'de> for OfAll {
            type Value = Listed;
            all_the_same!(Listed(None); visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64, visit_str &str);

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Listed, A::Error> {
                Ok(Listed(Some(vec![OfEntry.visit_map(map)?])))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Listed, A::Error> {
                let mut entries = Vec::new();
                while entries.len() <= FILE_ACTIONS
                    && let Some(entry) = list.next_element()?
                {
                    entries.push(entry);
                }
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Listed(Some(entries)))
            }
        }
        deserializer.deserialize_any(OfAll)
    }
}

struct OfEntry;

impl<'de> Visitor<'de> for OfEntry {
    type Value = Entry;
    all_the_same!(Entry::default(); visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64, visit_str &str);

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
        let mut entry = Entry { is_object: true, ..Entry::default() };
        while let Some(key) = map.next_key::<String>()? {
            match &key[..] {
                "action" => entry.action.put(map.next_value()?),
                "path" => entry.path.put(map.next_value()?),
                "content" => entry.content.put(map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(entry)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Entry, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Entry::default())
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OfEntry)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfValue;
        impl<'de> Visitor<'de> for OfValue {
            type Value = Value;
            all_the_same!(Value::Other; visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64);

            fn visit_str<E>(self, text: &str) -> Result<Value, E> {
                Ok(Value::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Value::Other)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Value::Other)
            }
        }
        deserializer.deserialize_any(OfValue)
    }
}
