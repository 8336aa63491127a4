//! JSON objects or lists, as front ends read them.
//!
//! Unknown parts become a marker, so memory stays close to the text's size.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The value of a text.
#[derive(Debug)]
pub enum OneOrMany<T, const MOST: usize> {
    /// One entry.
    One(T),
    /// Several, at most one above the limit.
    Many(Vec<T>),
    /// Neither an object nor a list.
    Neither,
}

/// The value of a key.
#[derive(Debug, Default)]
pub enum JsonField {
    /// Missing.
    #[default]
    Absent,
    /// A text.
    Text(String),
    /// Not a text.
    Other,
    /// Duplicate key.
    Twice,
}

impl JsonField {
    /// Sets the value, at most once.
    pub fn put(&mut self, value: Self) {
        *self = if matches!(self, Self::Absent) { value } else { Self::Twice };
    }

    /// The problem of a required key.
    pub fn problem(&self, key: &str) -> Option<String> {
        match self {
            Self::Text(_) => None,
            Self::Absent => Some(format!("`{key}` is missing")),
            Self::Other => Some(format!("`{key}` is not a text")),
            Self::Twice => Some(format!("`{key}` is there twice")),
        }
    }

    /// The text, if it is one.
    pub fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text, or the problem.
    pub fn needed(self, key: &str) -> Result<String, String> {
        match self.problem(key) {
            None => Ok(self.text().unwrap_or_default()),
            Some(problem) => Err(problem),
        }
    }

    /// An optional text, or the problem.
    pub fn optional(self, key: &str) -> Result<Option<String>, String> {
        match self {
            Self::Absent => Ok(None),
            other => other.needed(key).map(Some),
        }
    }
}

/// The fields of an object.
pub trait Fields: Default {
    /// Takes a key's value; must consume it in any case.
    fn put<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>;
}

/// A value in place of an object.
#[derive(Debug, Default)]
pub struct JsonObject<T> {
    /// It is an object.
    pub is_object: bool,
    /// Its fields.
    pub fields: T,
}

/// Visitor methods for all other values.
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

fn skip<'de, A: SeqAccess<'de>>(mut list: A) -> Result<(), A::Error> {
    while list.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

impl<'de, T: Fields, const MOST: usize> Deserialize<'de> for OneOrMany<JsonObject<T>, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfAll<T, const MOST: usize>(PhantomData<T>);
        impl<'de, T: Fields, const MOST: usize> Visitor<'de> for OfAll<T, MOST> {
            type Value = OneOrMany<JsonObject<T>, MOST>;
            all_the_same!(OneOrMany::Neither; visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64, visit_str &str);

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                OfObject(PhantomData).visit_map(map).map(OneOrMany::One)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while entries.len() <= MOST
                    && let Some(entry) = list.next_element()?
                {
                    entries.push(entry);
                }
                skip(list)?;
                Ok(OneOrMany::Many(entries))
            }
        }
        deserializer.deserialize_any(OfAll(PhantomData))
    }
}

struct OfObject<T>(PhantomData<T>);

impl<'de, T: Fields> Visitor<'de> for OfObject<T> {
    type Value = JsonObject<T>;
    all_the_same!(JsonObject::default(); visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64, visit_str &str);

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonObject<T>, A::Error> {
        let mut fields = T::default();
        while let Some(key) = map.next_key::<String>()? {
            fields.put(&key, &mut map)?;
        }
        Ok(JsonObject { is_object: true, fields })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<JsonObject<T>, A::Error> {
        skip(list)?;
        Ok(JsonObject::default())
    }
}

impl<'de, T: Fields> Deserialize<'de> for JsonObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OfObject(PhantomData))
    }
}

impl<'de> Deserialize<'de> for JsonField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfField;
        impl<'de> Visitor<'de> for OfField {
            type Value = JsonField;
            all_the_same!(JsonField::Other; visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64);

            fn visit_str<E>(self, text: &str) -> Result<JsonField, E> {
                Ok(JsonField::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonField, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(JsonField::Other)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<JsonField, A::Error> {
                skip(list)?;
                Ok(JsonField::Other)
            }
        }
        deserializer.deserialize_any(OfField)
    }
}
