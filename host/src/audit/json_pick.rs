//! A few fields of a record, from JSON or from a typed value. Other fields are not copied.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Error as _, Impossible, SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};
use serde_json::{Error, Map, Value};

/// The fields that were wanted and present.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct PickedFields(pub(crate) Map<String, Value>);

impl PickedFields {
    /// Reads a text of JSON; a text that is no object has no fields.
    pub(crate) fn parse(text: &str, wanted: &[&str]) -> Self {
        let mut json = serde_json::Deserializer::from_str(text);
        let picked = Wanted(wanted).deserialize(&mut json).and_then(|picked| json.end().map(|()| picked));
        Self(picked.unwrap_or_default())
    }

    /// Reads a value; a value that is no record has no fields.
    pub(crate) fn of(record: &impl Serialize, wanted: &[&str]) -> Self {
        Self(record.serialize(Picker(wanted)).unwrap_or_default())
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.0.get(name)?.as_str().map(str::to_owned)
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.as_u64()
    }

    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.0.get(name) == Some(&Value::Bool(true))
    }
}

struct Wanted<'a>(&'a [&'a str]);

impl<'de> DeserializeSeed<'de> for Wanted<'_> {
    type Value = Map<String, Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Wanted<'_> {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut picked = Map::new();
        while let Some(name) = fields.next_key::<std::borrow::Cow<str>>()? {
            if self.0.contains(&&*name) {
                // The last of two equal names counts, as in the component.
                picked.insert(name.into_owned(), fields.next_value()?);
            } else {
                fields.next_value::<IgnoredAny>()?;
            }
        }
        Ok(picked)
    }
}

/// Serializes the wanted fields of a record, and nothing else.
struct Picker<'a>(&'a [&'a str]);

struct FieldCollector<'a> {
    wanted: &'a [&'a str],
    picked: Map<String, Value>,
    /// The name of the next value, if it is wanted.
    name: Option<String>,
}

impl<'a> FieldCollector<'a> {
    fn new(wanted: &'a [&'a str]) -> Self {
        Self { wanted, picked: Map::new(), name: None }
    }

    fn add<T: ?Sized + Serialize>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        if self.wanted.contains(&name) {
            self.picked.insert(name.to_owned(), serde_json::to_value(value)?);
        }
        Ok(())
    }
}

impl SerializeStruct for FieldCollector<'_> {
    type Ok = Map<String, Value>;
    type Error = Error;

    fn serialize_field<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        self.add(name, value)
    }

    fn end(self) -> Result<Self::Ok, Error> {
        Ok(self.picked)
    }
}

impl SerializeMap for FieldCollector<'_> {
    type Ok = Map<String, Value>;
    type Error = Error;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, name: &T) -> Result<(), Error> {
        self.name = serde_json::to_value(name)?.as_str().map(str::to_owned);
        Ok(())
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        match self.name.take() {
            Some(name) => self.add(&name, value),
            None => Ok(()),
        }
    }

    fn end(self) -> Result<Self::Ok, Error> {
        Ok(self.picked)
    }
}

/// Values that are no records are errors.
macro_rules! none {
    ($($function:ident($($argument:ty),*) $(<$generic:ident>)?;)*) => {
        $(fn $function$(<$generic: ?Sized + Serialize>)?(self, $(_: $argument),*) -> Result<Self::Ok, Error> {
            Err(Error::custom("no record"))
        })*
    };
}

impl<'a> Serializer for Picker<'a> {
    type Ok = Map<String, Value>;
    type Error = Error;
    type SerializeSeq = Impossible<Self::Ok, Error>;
    type SerializeTuple = Impossible<Self::Ok, Error>;
    type SerializeTupleStruct = Impossible<Self::Ok, Error>;
    type SerializeTupleVariant = Impossible<Self::Ok, Error>;
    type SerializeMap = FieldCollector<'a>;
    type SerializeStruct = FieldCollector<'a>;
    type SerializeStructVariant = Impossible<Self::Ok, Error>;

    none! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_char(char);
        serialize_str(&str);
        serialize_bytes(&[u8]);
        serialize_none();
        serialize_some(&T) <T>;
        serialize_unit();
        serialize_unit_struct(&'static str);
        serialize_unit_variant(&'static str, u32, &'static str);
        serialize_newtype_struct(&'static str, &T) <T>;
        serialize_newtype_variant(&'static str, u32, &'static str, &T) <T>;
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        Err(Error::custom("no record"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Error> {
        Err(Error::custom("no record"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Error> {
        Err(Error::custom("no record"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        Err(Error::custom("no record"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<FieldCollector<'a>, Error> {
        Ok(FieldCollector::new(self.0))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<FieldCollector<'a>, Error> {
        Ok(FieldCollector::new(self.0))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        Err(Error::custom("no record"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[derive(Serialize)]
    struct Record {
        path: String,
        content: String,
        files: Vec<u32>,
        missing: Option<u32>,
    }

    #[test]
    fn a_typed_record_and_its_json_have_the_same_fields() {
        let record =
            Record { path: "a\n".into(), content: "x".repeat(100), files: vec![1, 2], missing: None };
        let text = serde_json::to_string(&record).unwrap();
        for (wanted, expected) in [
            (&["path", "files"][..], json!({"path": "a\n", "files": [1, 2]})),
            (&["path"], json!({"path": "a\n"})),
            (&["missing"], json!({"missing": null})),
            (&["nothing"], json!({})),
        ] {
            assert_eq!(Value::Object(PickedFields::of(&record, wanted).0), expected, "{wanted:?}");
            assert_eq!(Value::Object(PickedFields::parse(&text, wanted).0), expected, "{wanted:?}");
        }
        let map: BTreeMap<_, _> = [("path", 1), ("other", 2)].into();
        assert_eq!(Value::Object(PickedFields::of(&map, &["path"]).0), json!({"path": 1}));
    }

    #[test]
    fn what_is_no_record_has_no_fields() {
        for text in ["", "[]", "3", "{", r#"{"path": }"#, r#"{"path": 1} 2"#, "{\"a\": \"\u{1}\"}"] {
            assert_eq!(PickedFields::parse(text, &["path"]), PickedFields::default(), "{text}");
        }
        assert_eq!(PickedFields::parse(r#"{"path": 1, "p\u0061th": 2}"#, &["path"]).number("path"), Some(2));
        assert_eq!(PickedFields::of(&"path", &["path"]), PickedFields::default());
        assert_eq!(PickedFields::of(&[1, 2], &["path"]), PickedFields::default());
    }
}
