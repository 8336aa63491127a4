//! Recognises private keys and programs.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use memchr::memmem::{self, Finder};
use memchr::{memchr, memchr2_iter};

/// The inspected bytes of a file. At most attributes or certificates precede a key.
pub const CONTENT_HEAD: usize = 4096;

/// Whether a file holds a private key: a PEM or PuTTY header at a line's start, then key data. A
/// text about keys has no data.
pub(super) fn is_private_key(head: &[u8]) -> bool {
    may_be_private_key(head)
        && (has_private_key(head)
            || memchr(0, head).is_some()
                && [u16::from_le_bytes, u16::from_be_bytes]
                    .iter()
                    .any(|of| has_private_key(&narrow(head, *of))))
}

/// Excludes most files in one pass: every key has this word, or zeros between its letters.
fn may_be_private_key(head: &[u8]) -> bool {
    memchr2_iter(b'K', 0, head)
        .any(|at| matches!(head[at..], [0, ..] | [_, b'E', b'Y', ..] | [_, b'e', b'y', ..]))
}

/// A wide text as ASCII, which suffices for keys. Each other letter becomes one byte.
fn narrow(head: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    const MARK: u16 = 0xFEFF;
    let units = head.as_chunks::<2>().0.iter().map(|bytes| unit(*bytes));
    units
        .enumerate()
        .filter(|(number, unit)| *number > 0 || *unit != MARK)
        .map(|(_, unit)| u8::try_from(unit).unwrap_or(u8::MAX))
        .collect()
}

fn has_private_key(head: &[u8]) -> bool {
    const HEADER: &[u8] = b"-----BEGIN ";
    /// A part of every PEM header and age line.
    static KEY: LazyLock<Finder> = LazyLock::new(|| Finder::new("KEY"));
    if starts_line(head, b"PuTTY-User-Key-File-") || is_spelled_out(head) {
        return true;
    }
    if KEY.find(head).is_none() {
        return false;
    }
    if starts_line(head, b"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----")
        || head.split(|byte| is_line_end(*byte)).any(is_age_key)
    {
        return true;
    }
    memmem::find_iter(head, HEADER).any(|at| {
        let begins_line = at == 0 || is_line_end(head[at - 1]) || head[..at].ends_with(b"\xEF\xBB\xBF");
        let rest = &head[at + HEADER.len()..];
        let Some(end) = rest.iter().position(|byte| is_line_end(*byte)) else { return false };
        let label = trim(&rest[..end]);
        let is_key = label.ends_with(b"PRIVATE KEY-----") || label.ends_with(b"PRIVATE KEY BLOCK-----");
        begins_line && is_key && has_key_behind(&rest[end..])
    })
}

/// A key as OpenSSL prints it.
fn is_spelled_out(head: &[u8]) -> bool {
    /// `RSA Private-Key: (4096 bit, 2 primes)`.
    const NAME: usize = 64;
    let mut lines = head.split(|byte| is_line_end(*byte));
    let is_name = |line: &[u8]| memmem::find(&line[..line.len().min(NAME)], b"Private-Key:").is_some();
    lines.next().is_some_and(is_name)
        && lines.any(|line| line.starts_with(b"priv:") || line.starts_with(b"privateExponent:"))
}

/// An age key, which has no header.
fn is_age_key(line: &[u8]) -> bool {
    // The second mark is of post-quantum keys.
    const MARKS: [&[u8]; 2] = [b"AGE-SECRET-KEY-1", b"AGE-SECRET-KEY-PQ-1"];
    let line = line.trim_ascii_end();
    MARKS.iter().filter_map(|mark| line.strip_prefix(*mark)).any(|digits| {
        digits.len() >= 32 && digits.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    })
}

/// Whether base64 that is no sentence follows a header.
fn has_key_behind(rest: &[u8]) -> bool {
    /// Longer than a placeholder word.
    const DIGITS: usize = 16;
    /// Headers of real keys. Their data may be beyond the inspected bytes.
    const KNOWN: [&[u8]; 7] =
        [b"Proc-Type:", b"DEK-Info:", b"Version:", b"Comment:", b"Hash:", b"Charset:", b"MessageID:"];
    let lines = rest.split(|byte| is_line_end(*byte)).map(trim);
    let lines = lines.filter(|line| !line.is_empty()).take_while(|line| !line.starts_with(b"-----"));
    let lines: Vec<_> = lines.collect();
    if lines.first().is_some_and(|line| KNOWN.iter().any(|header| line.starts_with(header))) {
        return true;
    }
    // Key readers take any line with a colon for a header.
    let first = lines.iter().find(|line| !line.contains(&b':'));
    if first.is_some_and(|line| line.len() >= DIGITS && line.iter().all(|byte| is_base64(*byte))) {
        return true;
    }
    // Or all text before an empty line, if only the key follows.
    let is_of_key = |line: &&&[u8]| line.iter().all(|byte| is_base64(*byte) || is_blank(*byte));
    let of_key = lines.iter().rev().take_while(is_of_key).count();
    let key = &lines[lines.len() - of_key..];
    (0..key.len()).any(|from| begins_as_key(key[from..].iter().copied().flatten().copied()))
}

/// The start of a key, with digits on any lines and any blanks.
fn begins_as_key(text: impl Iterator<Item = u8>) -> bool {
    const DIGITS: usize = 24;
    let digits: Vec<u8> = text.filter(|byte| !is_blank(*byte)).take(DIGITS).collect();
    if digits.len() < DIGITS {
        return false;
    }
    STANDARD
        .decode(digits)
        .is_ok_and(|bytes| bytes.starts_with(b"openssh-key-v1") || is_der_key(&bytes) || is_pgp_key(&bytes))
}

/// A DER sequence that begins with a version, or with a sequence if encrypted.
fn is_der_key(bytes: &[u8]) -> bool {
    let [0x30, length, inner @ ..] = bytes else { return false };
    // A long form: the number of length bytes.
    let more = if length & 0x80 == 0 { 0 } else { usize::from(length & 0x7F) };
    inner.get(more..).is_some_and(|inner| inner.starts_with(&[0x02, 0x01]) || inner.starts_with(&[0x30]))
}

/// An OpenPGP secret key packet, by tag, length and version.
fn is_pgp_key(bytes: &[u8]) -> bool {
    match bytes {
        [0x94, _, version, ..]
        | [0x95, _, _, version, ..]
        | [0xC5, ..192, version, ..]
        | [0xC5, 192..224, _, version, ..]
        | [0xC5, 255, _, _, _, _, version, ..] => (3..=6).contains(version),
        _ => false,
    }
}

fn trim(line: &[u8]) -> &[u8] {
    let start = line.iter().position(|byte| !is_blank(*byte)).unwrap_or(line.len());
    let end = line.iter().rposition(|byte| !is_blank(*byte)).map_or(start, |last| last + 1);
    &line[start..end]
}

/// Anything but printable ASCII, such as a page's blanks.
fn is_blank(byte: u8) -> bool {
    !byte.is_ascii_graphic()
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether a file is a program: ELF, PE, Mach-O, WebAssembly. A script is a text.
pub(super) fn is_program(head: &[u8]) -> bool {
    const MACH_O: [[u8; 4]; 5] = [
        [0xFE, 0xED, 0xFA, 0xCE],
        [0xFE, 0xED, 0xFA, 0xCF],
        [0xCE, 0xFA, 0xED, 0xFE],
        [0xCF, 0xFA, 0xED, 0xFE],
        // Also the mark of a Java class.
        [0xCA, 0xFE, 0xBA, 0xBE],
    ];
    head.starts_with(b"\x7FELF")
        || head.starts_with(b"\0asm")
        || is_pe(head)
        || MACH_O.iter().any(|magic| head.starts_with(magic))
}

/// A text may begin with `MZ`, so the PE header must follow, as far as inspected.
fn is_pe(head: &[u8]) -> bool {
    const POINTER: usize = 0x3C;
    if !head.starts_with(b"MZ") {
        return false;
    }
    let Some(pointer) = head.get(POINTER..POINTER + 4).and_then(|bytes| bytes.try_into().ok()) else {
        return false;
    };
    match head.get(u32::from_le_bytes(pointer) as usize..) {
        Some(behind) if behind.len() >= 4 => behind.starts_with(b"PE\0\0"),
        // A text has no zeros in that pointer.
        _ => head[..POINTER].contains(&0),
    }
}

fn starts_line(head: &[u8], text: &[u8]) -> bool {
    head.starts_with(text) || head.strip_prefix(b"\xEF\xBB\xBF").is_some_and(|head| head.starts_with(text))
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_by_what_they_hold() {
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
        for (head, expected) in [
            (format!("-----BEGIN PRIVATE KEY-----\n{body}\n"), true),
            (format!("-----BEGIN RSA PRIVATE KEY-----\r\n{body}\r\n"), true),
            (format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{body}\n"), true),
            (format!("\u{FEFF}-----BEGIN EC PRIVATE KEY-----\n{body}\n"), true),
            (
                format!("Bag Attributes\n  friendlyName: x\n-----BEGIN ENCRYPTED PRIVATE KEY-----\n{body}\n"),
                true,
            ),
            ("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n".to_owned(), true),
            ("-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF2VvJ0BCADI9hW2\n".to_owned(), true),
            ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nMessageID: 1\n".to_owned(), true),
            ("PuTTY-User-Key-File-3: ssh-ed25519\n".to_owned(), true),
            (format!("# public key: age1x\nAGE-SECRET-KEY-1{}\n", "QYPZ2".repeat(11)), true),
            ("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"x\"\n".to_owned(), true),
            (format!("# public key: age1pq1x\nAGE-SECRET-KEY-PQ-1{}\n", "QYPZ2".repeat(11)), true),
            ("AGE-SECRET-KEY-PQ-1...\n".to_owned(), false),
            ("AGE-SECRET-KEY-1...\n".to_owned(), false),
            (format!("-----BEGIN PRIVATE KEY-----\nX-Comment: mine\nX-Note: to keep\n\n{body}\n"), true),
            (format!("-----BEGIN PRIVATE KEY-----\nX-Note:\nX_Note: a\nX.Note:b\n{body}\n"), true),
            ("-----BEGIN PRIVATE KEY-----\nMIIEvQIB\nADANBgkq\nhkiG9w0B\nAQEFAASC\n".to_owned(), true),
            ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANB gkqhkiG9w0B\tAQEFAASC\n=\n".to_owned(), true),
            ("-----BEGIN PRIVATE KEY-----\nMIIEvQ IBADAN Bgkqhk iG9w0B\n".to_owned(), true),
            ("-----BEGIN EC PRIVATE KEY-----\nMHcCA\nQEEIH\naB3xY\nq7kLm\nPz0rT\n".to_owned(), true),
            ("-----BEGIN PRIVATE KEY-----\rMC4CAQ AwBQYD\rK2VwBC IEIJ8c\r".to_owned(), true),
            ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIFLT BXBgkq hkiG9w 0BBQ0w\n".to_owned(), true),
            ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz\naC1rZXktdjEAAAAA\n".to_owned(), true),
            (format!("-----BEGIN PRIVATE KEY-----\nX-Note : a\n: b\n#c: d\n\n{body}\n"), true),
            (
                format!("-----BEGIN PRIVATE KEY-----\nX-Note: it goes on\nin a line of its own\n\n{body}\n"),
                true,
            ),
            (
                "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF2VvJ\n0BCADI9hW2\nabcdefgh\n=ABCD\n"
                    .to_owned(),
                true,
            ),
            (
                "-----BEGIN PGP PRIVATE KEY BLOCK-----\nX-Note: a\n\nxVgEYk Zq3BYJ KwYBBA HaRw8B\n"
                    .to_owned(),
                true,
            ),
            (format!("-----BEGIN PRIVATE KEY-----\u{a0}\n\u{a0}{body}\u{a0}\n"), true),
            ("-----BEGIN PRIVATE KEY-----\nMIIEvQ\u{b}IBADAN\0Bgkqhk\u{a0}iG9w0B\n".to_owned(), true),
            (
                "Private-Key: (4096 bit, 2 primes)\nmodulus:\n    00:b1\nprivateExponent:\n    1f:02\n"
                    .to_owned(),
                true,
            ),
            ("ED25519 Private-Key:\npriv:\n    1f:02\n".to_owned(), true),
            ("Private-Key: (in another file)\nand privateExponent: nowhere\n".to_owned(), false),
            (
                "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF...\n-----END PRIVATE KEY-----\n"
                    .to_owned(),
                false,
            ),
            (
                "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ and so on, for many lines.\n"
                    .to_owned(),
                false,
            ),
            (
                "-----BEGIN PGP PRIVATE KEY BLOCK-----\nless than a whole key stands in here\n".to_owned(),
                false,
            ),
            (
                format!(
                    "-----BEGIN PRIVATE KEY-----\nnot here\n-----END PRIVATE KEY-----\n-----BEGIN CERTIFICATE-----\n{body}\n"
                ),
                false,
            ),
            (
                "-----BEGIN PRIVATE KEY-----\nMINIMAL keys have many more digits than are in here\n"
                    .to_owned(),
                false,
            ),
            ("-----BEGIN PRIVATE KEY-----\nREDACTED\n-----END PRIVATE KEY-----\n".to_owned(), false),
            ("-----BEGIN PRIVATE KEY-----\nNote: it is\nnot here.\n".to_owned(), false),
            (
                "-----BEGIN PRIVATE KEY-----\npassword\ncredential\nclientsecret\nbearertoken\n".to_owned(),
                false,
            ),
            ("-----BEGIN PRIVATE KEY-----\nYour key in Base64 goes here on 3 lines\n".to_owned(), false),
            (format!("-----BEGIN CERTIFICATE-----\n{body}\n"), false),
            (format!("-----BEGIN PUBLIC KEY-----\n{body}\n"), false),
            ("-----BEGIN PRIVATE KEY-----\n...\n".to_owned(), false),
            ("A file that begins with\n-----BEGIN PRIVATE KEY-----\nis a key.\n".to_owned(), false),
            (format!("    \"-----BEGIN PRIVATE KEY-----\\n{body}\""), false),
            ("-----BEGIN PRIVATE KEY-----".to_owned(), false),
            (String::new(), false),
        ] {
            assert_eq!(is_private_key(head.as_bytes()), expected, "{head}");
        }
    }

    #[test]
    fn keys_are_known_in_wide_letters() {
        for (text, expected) in [
            ("-----BEGIN PRIVATE KEY-----\r\nMIIEvQIBADANBgkqhkiG9w0B\r\n", true),
            ("\u{201C}key\u{201D}\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n", true),
            ("ключ ключ ключ\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n", true),
            ("\0\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n", true),
            ("\0\0\0\0\r\n-----BEGIN PRIVATE KEY-----\r\nMIIEvQ IBADAN Bgkqhk iG9w0B\n", true),
            ("only a text", false),
            ("\u{201C}only\u{201D} a text", false),
        ] {
            for mark in [&[0xFEFF][..], &[]] {
                let units = || mark.iter().copied().chain(text.encode_utf16());
                let little: Vec<_> = units().flat_map(u16::to_le_bytes).collect();
                let big: Vec<_> = units().flat_map(u16::to_be_bytes).collect();
                let told = (is_private_key(&little), is_private_key(&big));
                assert_eq!(told, (expected, expected), "{text} behind {mark:?}");
            }
        }
    }

    #[test]
    fn marks_without_a_text_are_no_key() {
        for mark in [b"\xFF\xFE", b"\xFE\xFF"] {
            assert!(!is_private_key(&mark.repeat(CONTENT_HEAD / 2)), "{mark:?}");
        }
    }

    #[test]
    fn programs_are_known_by_what_they_begin_with() {
        let mut pe = b"MZ".to_vec();
        pe.resize(0x3C, 0);
        pe.extend_from_slice(&0x40_u32.to_le_bytes());
        pe.extend_from_slice(b"PE\0\0");
        for (head, expected) in [
            (&b"\x7FELF\x02"[..], true),
            (&pe, true),
            (&pe[..0x40], true),
            (b"\xCF\xFA\xED\xFE", true),
            (b"\0asm\x0d\0\x01\0", true),
            (b"MZ is how a text may begin, and it is longer than sixty-four bytes.", false),
            (b"MZ", false),
            (b"#!/bin/sh\n", false),
            (b"", false),
        ] {
            assert_eq!(is_program(head), expected, "{head:?}");
        }
    }
}
