//! A file's metadata, in JSON beside it.

use std::time::SystemTime;

use serde::Serialize;
use serde_json::Value;

use fsgate_contract::limits::{MEDIA_TYPE_BYTES, PLUGIN_SIDECAR_BYTES};

/// The content of a sidecar.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sidecar {
    /// The media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The time of the first file with this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// The time of the last write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

impl Sidecar {
    /// Parses a sidecar without malformed fields.
    pub fn read(text: &str) -> Self {
        if text.len() > PLUGIN_SIDECAR_BYTES {
            return Self::default();
        }
        let said: Value = serde_json::from_str(text).unwrap_or_default();
        let text = |key: &str| said.get(key).and_then(Value::as_str);
        Self {
            mime_type: text("mimeType").filter(|name| is_media_type(name)).map(str::to_owned),
            created_at: text("createdAt").and_then(moment),
            updated_at: text("updatedAt").and_then(moment),
        }
    }

    /// Renders it.
    pub fn written(&self) -> String {
        // Texts have a form in JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Whether it is a media type. In headers a line end would begin another one.
pub fn is_media_type(name: &str) -> bool {
    (1..=MEDIA_TYPE_BYTES).contains(&name.len()) && name.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// A time with milliseconds, as in JavaScript; none if it is not UTC.
pub fn moment(time: &str) -> Option<String> {
    let time = humantime::parse_rfc3339(time).ok().filter(|time| *time >= SystemTime::UNIX_EPOCH)?;
    Some(humantime::format_rfc3339_millis(time).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sidecar_says_what_it_says_in_the_right_form() {
        let said = |mime_type: Option<&str>, created_at: Option<&str>, updated_at: Option<&str>| {
            let [mime_type, created_at, updated_at] =
                [mime_type, created_at, updated_at].map(|text| text.map(str::to_owned));
            Sidecar { mime_type, created_at, updated_at }
        };
        let long = format!(r#"{{"mimeType": "text/plain", "x": "{}"}}"#, "x".repeat(PLUGIN_SIDECAR_BYTES));
        for (text, expected) in [
            (
                r#"{"mimeType": "image/png", "createdAt": "2026-11-20T08:30:00.123Z", "updatedAt": "2026-11-21T08:30:00Z", "x": [1]}"#,
                said(Some("image/png"), Some("2026-11-20T08:30:00.123Z"), Some("2026-11-21T08:30:00.000Z")),
            ),
            (
                r#"{"mimeType": "text/plain; charset=utf-8"}"#,
                said(Some("text/plain; charset=utf-8"), None, None),
            ),
            (r#"{"mimeType": "a\r\nb", "createdAt": "yesterday", "updatedAt": 1}"#, Sidecar::default()),
            (r#"{"mimeType": "", "createdAt": "2026-11-20T08:30:00+01:00"}"#, Sidecar::default()),
            ("[]", Sidecar::default()),
            ("null", Sidecar::default()),
            ("{", Sidecar::default()),
            ("", Sidecar::default()),
            (&long, Sidecar::default()),
        ] {
            assert_eq!(Sidecar::read(text), expected, "{text}");
            assert_eq!(Sidecar::read(&expected.written()), expected);
        }
    }

    #[test]
    fn times_have_milliseconds() {
        for (time, expected) in [
            ("2026-11-20T08:30:00Z", Some("2026-11-20T08:30:00.000Z")),
            ("2026-11-20T08:30:00.1Z", Some("2026-11-20T08:30:00.100Z")),
            ("2026-11-20T08:30:00.123999Z", Some("2026-11-20T08:30:00.123Z")),
            ("2026-11-20", None),
            ("now", None),
            ("", None),
        ] {
            assert_eq!(moment(time).as_deref(), expected, "{time}");
        }
    }
}
