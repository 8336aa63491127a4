//! A file's kind of data: by its first bytes, then by its name.

const TEXT: &str = "text/plain";
const BYTES: &str = "application/octet-stream";

/// The media type of a file with this name and these first bytes.
pub fn media_type(name: &str, head: &[u8]) -> &'static str {
    let by_content = infer::get(head).map(|kind| kind.mime_type());
    let by_name = mime_guess::from_path(name).first_raw();
    let is_text = !head.contains(&0) && is_utf_8(head);
    match (by_content, by_name) {
        // A name knows more than typical first words of a text (XML, HTML, scripts).
        (Some(kind), _) if !kind.starts_with("text/") => kind,
        // `.ts` is a video by name, but mostly TypeScript.
        (_, Some(kind))
            if is_text && ["video/", "audio/", "image/"].iter().any(|of| kind.starts_with(of)) =>
        {
            if kind == "image/svg+xml" { kind } else { TEXT }
        }
        (_, Some(kind)) if is_text || !kind.starts_with("text/") => kind,
        (Some(kind), _) => kind,
        _ if is_text => TEXT,
        _ => BYTES,
    }
}

/// The media type by name alone. None for `.ts`, which is a video by name, but mostly TypeScript.
pub fn by_name(name: &str) -> Option<&'static str> {
    mime_guess::from_path(name).first_raw().filter(|kind| *kind != "video/vnd.dlna.mpeg-tts")
}

/// Whether the bytes are UTF-8. A final character may be cut.
fn is_utf_8(head: &[u8]) -> bool {
    std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_alone_tells_something() {
        for (name, expected) in [
            ("d.png/a.txt", Some("text/plain")),
            ("a.PDF", Some("application/pdf")),
            ("a.svg", Some("image/svg+xml")),
            ("a.ts", None),
            ("a.png.", None),
            ("png", None),
            (".png", None),
        ] {
            assert_eq!(by_name(name), expected, "{name}");
        }
    }

    #[test]
    fn content_goes_before_the_name() {
        for (name, head, expected) in [
            ("a.txt", &b"one\n"[..], "text/plain"),
            ("a.txt", b"", "text/plain"),
            ("README", b"one\n", "text/plain"),
            ("README", b"h\xC3", "text/plain"),
            ("data", b"\0\x01\x02", "application/octet-stream"),
            ("data.txt", b"\0\x01\x02", "application/octet-stream"),
            ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
            ("a.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
            ("a.png", b"no picture", "text/plain"),
            ("a.ts", b"export {}\n", "text/plain"),
            ("a.rs", b"fn main() {}\n", "text/x-rust"),
            ("a.json", b"{}", "application/json"),
            ("a.svg", b"<?xml version=\"1.0\"?><svg/>", "image/svg+xml"),
            ("a.html", b"<!DOCTYPE html>", "text/html"),
            ("page", b"<!DOCTYPE html>", "text/html"),
            ("a.pdf", b"%PDF-1.7\n", "application/pdf"),
            ("a.bin", b"\0\0", "application/octet-stream"),
        ] {
            assert_eq!(media_type(name, head), expected, "{name} {head:?}");
        }
    }
}
