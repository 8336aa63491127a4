//! Fields of JSON objects: selected ones, and repeated ones.
//!
//! Parsers silently keep one of two values, and not the same one.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use memchr::memchr2;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Error, Map, Value};

/// The wanted fields of an object. The last of equal names counts.
pub fn picked(text: &str, wanted: &[&str]) -> Result<Map<String, Value>, Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let picked = Wanted(wanted).deserialize(&mut json)?;
    json.end().map(|()| picked)
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

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut picked = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            if self.0.contains(&&*name) {
                picked.insert(name, fields.next_value()?);
            } else {
                fields.next_value::<IgnoredAny>()?;
            }
        }
        Ok(picked)
    }
}

/// The first repeated name of an object, at any depth of valid JSON.
pub fn given_twice(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    // The names of each open object; none for a list.
    let mut open: Vec<Option<HashSet<Cow<str>>>> = Vec::new();
    let (mut at, mut is_name) = (0, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' => {
                open.push(Some(HashSet::new()));
                is_name = true;
            }
            b'[' => {
                open.push(None);
                is_name = false;
            }
            b'}' | b']' => {
                open.pop();
            }
            b',' => is_name = matches!(open.last(), Some(Some(_))),
            b'"' => {
                let end = end_of_string(bytes, at)?;
                if let (true, Some(Some(names))) = (is_name, open.last_mut()) {
                    let raw = text.get(at + 1..end)?;
                    let name = match raw.contains('\\') {
                        true => Cow::Owned(serde_json::from_str(text.get(at..=end)?).ok()?),
                        false => Cow::Borrowed(raw),
                    };
                    if names.contains(&name) {
                        return Some(name.into_owned());
                    }
                    names.insert(name);
                }
                is_name = false;
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn end_of_string(bytes: &[u8], begin: usize) -> Option<usize> {
    let mut at = begin + 1;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_given_once() {
        for (text, twice) in [
            (r#"{"path": "a", "path": "b"}"#, Some("path")),
            (r#"{"path": "a", "p\u0061th": "a"}"#, Some("path")),
            (r#"{"": 1, "": 2}"#, Some("")),
            (r#"{"edits": [{"path": "a"}, {"old": [1, {}], "new": 2, "old": {}}]}"#, Some("old")),
            (r#"{"a": {"b": 1}, "c": {"b": 1}, "d": [{"b": 1}, {"b": 1}], "e": "\"e\": 1, \"e\": 2"}"#, None),
            (r#"{"a": 1, "A": 1.5, "b": [true, null, -3], "a ": "a", "c": "}{\\"}"#, None),
            (r#"[1, "a", "a", ["b", "b"]]"#, None),
            (r#""a""#, None),
            (r#"{"a": 1, "b"#, None),
            ("\"\\", None),
            ("]}", None),
            ("", None),
        ] {
            assert_eq!(given_twice(text).as_deref(), twice, "{text}");
        }
    }
}
