//! Texts and bytes from words, files or standard input.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fsgate_contract::Kind;
use fsgate_contract::limits::PLACED_BYTES;
use fsgate_text::encoding::{Decoded, Encoding};

use crate::environment::Streams;
use crate::quote::shown;

enum ContentSource<'a> {
    Words(&'a str),
    Input,
    File(&'a str),
}

fn source(word: &str) -> ContentSource<'_> {
    match word.strip_prefix('@') {
        _ if word == "-" => ContentSource::Input,
        None => ContentSource::Words(word),
        Some(rest) => rest.strip_prefix('@').map_or(ContentSource::File(rest), ContentSource::Words),
    }
}

pub(crate) fn is_input(word: &str) -> bool {
    matches!(source(word), ContentSource::Input)
}

/// Strips a byte order mark, which some systems add to output.
pub(crate) fn unmarked(mut bytes: Vec<u8>) -> Vec<u8> {
    const MARK: &[u8] = "\u{FEFF}".as_bytes();
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    bytes
}

/// A word's value in JSON: base64, or text without a byte order mark. With `takes_encoding`, other
/// text than UTF-8 is in the call's encoding.
pub(crate) fn value(
    word: &str,
    kind: Kind,
    streams: &dyn Streams,
    takes_encoding: bool,
    encoding: Option<&str>,
) -> Result<String, String> {
    let (bytes, from) = match source(word) {
        ContentSource::Words(text) => return Ok(text.to_owned()),
        ContentSource::Input => (streams.input(PLACED_BYTES + 1)?, "standard input".to_owned()),
        ContentSource::File(path) => (streams.file(path, PLACED_BYTES + 1)?, format!("`{}`", shown(path))),
    };
    if bytes.len() > PLACED_BYTES {
        return Err(format!("{from} has more than {PLACED_BYTES} bytes, and no tool takes more at once"));
    }
    if kind == Kind::Bytes {
        return Ok(STANDARD.encode(bytes));
    }
    let bytes = if kind == Kind::Records { unmarked(bytes) } else { bytes };
    let error = match String::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(error) => error,
    };
    let offset = error.utf8_error().valid_up_to();
    let problem = format!("{from} is not UTF-8 text: the byte at offset {offset} begins no character");
    // The tool checks its existence.
    let named = encoding.map(|label| (label, Encoding::labelled(label)));
    let (label, encoding) = match named {
        Some((label, Some(encoding))) => (label, encoding),
        Some((label, None)) => return Err(format!("{problem}, and there is no encoding `{}`", shown(label))),
        None if takes_encoding => {
            return Err(format!(
                "{problem}; name the encoding that it is in with `--encoding`, or convert it to UTF-8"
            ));
        }
        None => return Err(format!("{problem}; convert it to UTF-8")),
    };
    let decoded = Decoded::new(encoding, error.into_bytes());
    let text = String::from_utf8(decoded.text().to_vec()).ok().filter(|_| !decoded.is_damaged());
    text.ok_or_else(|| {
        format!("{problem}, and it is no text in `{}` either; convert it to UTF-8", shown(label))
    })
}
