//! A few fields of a record, from JSON or from a typed value.

use fsgate_text::json::picked;
use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Debug, Default, PartialEq)]
pub(crate) struct PickedFields(pub(crate) Map<String, Value>);

impl PickedFields {
    /// A text that is no object has no fields.
    pub(crate) fn parse(text: &str, wanted: &[&str]) -> Self {
        Self(picked(text, wanted).unwrap_or_default())
    }

    /// A value that is no record has no fields.
    pub(crate) fn of(record: &impl Serialize, wanted: &[&str]) -> Self {
        serde_json::to_string(record).map_or_else(|_| Self::default(), |text| Self::parse(&text, wanted))
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
