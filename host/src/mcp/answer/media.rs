//! Pictures and sounds, which `read_bytes` gives to the model in their own form.

use fsgate_cli::PathContext;
use rmcp::model::ContentBlock;
use serde_json::Value;

use crate::Operation;

/// Pictures that models accept; clients may refuse answers with others.
const PICTURES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/webp"];

/// The content of an answer with a complete picture or sound.
pub(super) fn content(tool: &str, json: &str, places: &PathContext) -> Option<Vec<ContentBlock>> {
    if tool != "read_bytes" {
        return None;
    }
    let outcome: Value = serde_json::from_str(json).ok()?;
    let text = |name: &str| outcome[name].as_str();
    let (bytes, kind) = (text("bytes").filter(|bytes| !bytes.is_empty())?, text("media_type")?);
    let size = outcome["size"].as_u64()?;
    let block = if PICTURES.contains(&kind) {
        ContentBlock::image(bytes, kind)
    } else if kind.starts_with("audio/") {
        ContentBlock::audio(bytes, kind)
    } else {
        return None;
    };
    let path = places.relative(text("path")?);
    let caption = format!("{path}: {kind}, {size} bytes\n[etag: {}]", text("etag")?);
    if outcome["offset"] == 0 && outcome["end"] == true {
        return Some(vec![ContentBlock::text(caption), block]);
    }
    // A part of a picture cannot be displayed.
    let hint = match most() {
        Some(most) if size > most => {
            format!("[this is a part; one call reads at most {most} bytes, so it cannot be shown]")
        }
        _ => format!("[this is a part; with `length` {size} and without `offset` it is shown]"),
    };
    Some(vec![ContentBlock::text(format!("{bytes}\n{caption}\n{hint}"))])
}

fn most() -> Option<u64> {
    let schema: Value = serde_json::from_str(Operation::find("read_bytes")?.input_schema).ok()?;
    schema["properties"]["length"]["maximum"].as_u64()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(tool: &str, kind: &str, offset: u64, end: bool) -> Value {
        let outcome = json!({"path": "/w/a", "bytes": "AP8=", "offset": offset, "size": 9, "media_type": kind,
            "end": end, "etag": "r0+2:0f", "notes": []});
        serde_json::to_value(content(tool, &outcome.to_string(), &PathContext::default())).unwrap()
    }

    #[test]
    fn what_was_read_whole_is_shown() {
        for (kind, of) in [("image/png", "image"), ("image/webp", "image"), ("audio/x-wav", "audio")] {
            let caption = format!("/w/a: {kind}, 9 bytes\n[etag: r0+2:0f]");
            assert_eq!(
                shown("read_bytes", kind, 0, true),
                json!([{"type": "text", "text": caption}, {"type": of, "data": "AP8=", "mimeType": kind}])
            );
        }
    }

    #[test]
    fn a_part_is_bytes_with_how_to_see_it() {
        let caption = "AP8=\n/w/a: image/png, 9 bytes\n[etag: r0+2:0f]\n\
            [this is a part; with `length` 9 and without `offset` it is shown]";
        for (offset, end) in [(0, false), (7, true)] {
            let block = json!([{"type": "text", "text": caption}]);
            assert_eq!(shown("read_bytes", "image/png", offset, end), block);
        }
    }

    #[test]
    fn a_part_of_what_no_call_reads_whole_says_so() {
        let size = most().unwrap() + 1;
        let outcome = json!({"path": "/w/a", "bytes": "AP8=", "offset": 0, "size": size, "media_type": "image/png",
            "end": false, "etag": "r0+2:0f", "notes": []});
        let caption =
            serde_json::to_string(&content("read_bytes", &outcome.to_string(), &PathContext::default()))
                .unwrap();
        assert!(caption.contains("one call reads at most 786432 bytes, so it cannot be shown"), "{caption}");
    }

    #[test]
    fn anything_else_is_no_matter_of_this() {
        for (tool, kind) in [
            ("read_bytes", "application/octet-stream"),
            ("read_bytes", "image/svg+xml"),
            ("read_bytes", "image/tiff"),
            ("read", "image/png"),
        ] {
            assert_eq!(shown(tool, kind, 0, true), Value::Null, "{tool} {kind}");
        }
        assert!(
            content("read_bytes", r#"{"bytes": "", "media_type": "image/png"}"#, &PathContext::default())
                .is_none()
        );
    }
}
