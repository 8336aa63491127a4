//! Sentences about encodings.

use super::Reason;
use super::sentences::{Sentence, say};
use fsgate_contract::limits::DECODED_BYTES;
use fsgate_contract::types::Code;
use fsgate_text::encoding::Encoding;
use fsgate_text::excerpt::quoted;
use fsgate_text::utf8::NotEncodable;

/// An obstacle to decoding or encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EncodingProblem {
    /// The first byte that is not text.
    NotText(u64),
    /// The first byte outside of the named encoding.
    NotInNamed {
        /// Its offset.
        offset: u64,
        /// The encoding as given.
        label: String,
    },
    /// Its possible encoding.
    MayBeUtf16(&'static str),
    /// Its UTF-32 variant.
    Utf32(&'static str),
    /// A file too large to decode.
    TooLargeToDecode {
        /// Its size in bytes.
        size: u64,
        /// Its encoding.
        encoding: &'static str,
    },
    /// A character missing in the encoding.
    NotInEncoding {
        /// The character.
        character: char,
        /// The encoding.
        encoding: &'static str,
    },
    /// New text would merge with a neighbouring byte.
    JoinsCharacters {
        /// The encoding.
        encoding: &'static str,
    },
    /// An unknown encoding name.
    Unknown {
        /// The name as given.
        label: String,
        /// Similar names.
        near: Vec<String>,
    },
    /// An argument with a character for an unknown encoding.
    NotEncodable(&'static str, NotEncodable),
}

pub(super) fn sentence(problem: &EncodingProblem) -> Sentence {
    use EncodingProblem as Problem;
    match problem {
        Problem::NotText(offset) => say(
            Code::NotText(*offset),
            format!(
                "the file is no text: the byte at offset {offset} begins no character of UTF-8, and there are zeros"
            ),
            "read it with `read_bytes`, or name the encoding it is in",
        ),
        Problem::NotInNamed { offset, label } => say(
            Code::NotText(*offset),
            format!("the byte at offset {offset} begins no character of the encoding {}", quoted(label)),
            "name the encoding that the file is in with `encoding`, or leave that out to have it detected",
        ),
        Problem::MayBeUtf16(encoding) => say(
            Code::NotText(0),
            format!(
                "the file may be text in {encoding}, which no byte order mark says; it has zeros where such a text has them"
            ),
            format!(
                "name the encoding with `encoding`: `{}`, or `utf-8` to take its bytes as they are",
                encoding.to_ascii_lowercase()
            ),
        ),
        Problem::Utf32(name) => say(
            Code::NotText(0),
            format!("the file is text in {name}, which no tool reads or edits as text"),
            "convert it to UTF-8, or use `read_bytes` and `write_bytes`",
        ),
        Problem::TooLargeToDecode { size, encoding } => say(
            Code::TooLarge(DECODED_BYTES),
            format!("the file is in {encoding} and has {size} bytes; the limit for that is {DECODED_BYTES}"),
            "use `read_bytes` and `write_bytes`, or convert it first",
        ),
        Problem::NotInEncoding { character, encoding } => say(
            Code::NotEncodable(character.to_string()),
            format!("the text has to be in {encoding}, which has no {}", quoted(&character.to_string())),
            "use other characters, or write the file in another encoding with `write`",
        ),
        Problem::JoinsCharacters { encoding } => say(
            Code::NotEncodable(String::new()),
            format!(
                "the file is in {encoding}, where what is put in would be one character with a byte beside it"
            ),
            "replace the byte beside it as well",
        ),
        Problem::Unknown { label, .. } if Encoding::is_left_out(label) => say(
            Code::InvalidArgument("encoding".to_owned()),
            format!(
                "the encoding {} is not taken: a byte means now one thing and now another in it",
                quoted(label)
            ),
            "convert the file by other means, or use `read_bytes` and `write_bytes`",
        ),
        Problem::Unknown { label, near } => say(
            Code::InvalidArgument("encoding".to_owned()),
            format!("there is no encoding {}", quoted(label)),
            match near.first() {
                Some(name) => format!("did you mean `{name}`?"),
                None => {
                    "give a label of the web's encodings, such as `windows-1252`, `utf-16le` or `shift_jis`"
                        .to_owned()
                }
            },
        ),
        Problem::NotEncodable(argument, NotEncodable { character, offset }) => say(
            Code::NotEncodable(character.to_string()),
            format!(
                "`{argument}` has {}, and the file is not UTF-8 (offset {offset}), so it is not known how to write it",
                quoted(&character.to_string())
            ),
            "name the encoding of the file with `encoding`; `utf-8` puts the text in as UTF-8 and keeps \
             all other bytes",
        ),
    }
}

/// The same for a detected encoding.
pub(super) fn guessed(encoding: &str, why: &Reason) -> Sentence {
    let Sentence { code, message, repair } = why.sentence();
    let name = format!(
        "the bytes are only most like text in {encoding}: if they are text in another encoding, name it with `encoding`"
    );
    say(code, message, format!("{repair}; {name}"))
}
