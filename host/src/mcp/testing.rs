//! Shared by the unit tests of the server.

use serde_json::{Map, Value};

/// Returns the fields of a JSON object.
pub(super) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other}"),
    }
}
