//! Bytes in JSON: base64 with padding, in the standard alphabet.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serializer, de};

pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&STANDARD.encode(bytes))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
    STANDARD.decode(text.as_bytes()).map_err(|error| {
        // As in all messages: `Invalid symbol 32, offset 2.`
        let problem = error.to_string().trim_end_matches('.').replace("Invalid", "invalid");
        de::Error::custom(format!("no base64 with padding: {problem}"))
    })
}
