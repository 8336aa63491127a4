//! Sections of INI files: `[name]` at the start of a line, up to the next one.
//!
//! An indented header is one for systemd and Git, and the continuation of a value for others. The
//! name may hold brackets: `[[ab].c]` of `.editorconfig` is `[ab].c`.

use super::{EntryName, Scan};
use crate::lines::{content, end_of_line};

/// Visits every section. If `joins`, a backslash at the end of a line joins the next one to it, and
/// headers may be indented.
pub(super) fn scan(scan: &mut Scan, joins: bool) {
    let text = scan.text;
    let mut from = scan.content_end;
    let mut is_joined = false;
    while from < text.len() {
        let to = end_of_line(text, from);
        let line = content(&text[from..to]);
        let is_comment = matches!(line.trim_ascii_start().first(), Some(b';' | b'#'));
        if is_comment || line.trim_ascii().is_empty() {
            is_joined &= is_comment;
            from = to;
            continue;
        }
        if !is_joined && let Some(name) = header(line.trim_ascii_start()) {
            if joins || line.starts_with(b"[") {
                scan.begin(vec![name], from..to);
            } else {
                scan.doubt(from);
            }
        }
        scan.content(to);
        let marks = line.iter().rev().take_while(|byte| **byte == b'\\').count();
        is_joined = joins && marks % 2 == 1;
        from = to;
    }
    scan.close(text.len());
}

/// The name in a header: up to a bracket with nothing but a comment behind it, or, as in Git's
/// files, a key.
fn header(line: &[u8]) -> Option<EntryName> {
    let inside = line.strip_prefix(b"[")?;
    let (mut before_key, mut is_quoted, mut at) = (None, false, 0);
    let close = loop {
        let Some(byte) = inside.get(at) else { break before_key };
        match byte {
            b'\\' if is_quoted => at += 1,
            b'"' => is_quoted = !is_quoted,
            b']' if !is_quoted => {
                let behind = &inside[at + 1..];
                let next = behind.trim_ascii_start();
                if matches!(next.first(), None | Some(b';' | b'#')) {
                    break Some(at);
                }
                if behind.len() > next.len() && next[0].is_ascii_alphabetic() {
                    before_key.get_or_insert(at);
                }
            }
            _ => {}
        }
        at += 1;
    }?;
    let name = String::from_utf8_lossy(inside[..close].trim_ascii()).into_owned();
    (!name.is_empty()).then(|| EntryName::new(&name, vec![format!("[{name}]")]))
}
