//! A file's content as JSON text.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// The meaning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentEncoding {
    /// Literal text.
    Utf8,
    /// Arbitrary bytes.
    Base64,
}

/// Writes padding without requiring it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

impl ContentEncoding {
    /// The encoding with this name.
    pub fn find(name: &str) -> Option<Self> {
        match name {
            "utf-8" => Some(Self::Utf8),
            "base64" => Some(Self::Base64),
            _ => None,
        }
    }

    /// A text's bytes, or its mistake. Base64 may hold white space and both alphabets.
    pub fn bytes(self, content: String) -> Result<Vec<u8>, String> {
        let mut bytes = content.into_bytes();
        if self == Self::Utf8 {
            return Ok(bytes);
        }
        bytes.retain(|byte| !byte.is_ascii_whitespace());
        for byte in &mut bytes {
            match byte {
                b'-' => *byte = b'+',
                b'_' => *byte = b'/',
                _ => {}
            }
        }
        BASE64.decode(bytes).map_err(|_| "`content` is not base64".to_owned())
    }

    /// The text of bytes, or the first undecodable offset.
    pub fn text(self, bytes: Vec<u8>) -> Result<String, u64> {
        match self {
            Self::Utf8 => String::from_utf8(bytes).map_err(|error| error.utf8_error().valid_up_to() as u64),
            Self::Base64 => Ok(BASE64.encode(bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn base64_is_read_however_it_is_written() {
        for (text, expected) in [
            ("", Some(&b""[..])),
            ("/wA=", Some(b"\xFF\0")),
            ("/wA", Some(b"\xFF\0")),
            ("_wA", Some(b"\xFF\0")),
            ("-_-_", Some(b"\xFB\xFF\xBF")),
            (" /w\r\nA=\n", Some(b"\xFF\0")),
            ("/wB=", Some(b"\xFF\0")),
            ("/wA==", None),
            ("/", None),
            ("/w!A", None),
            ("/wA=/wA=", None),
            ("é", None),
        ] {
            assert_eq!(ContentEncoding::Base64.bytes(text.to_owned()).ok().as_deref(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(bytes: Vec<u8>) {
            let text = ContentEncoding::Base64.text(bytes.clone()).unwrap();
            prop_assert_eq!(ContentEncoding::Base64.bytes(text), Ok(bytes.clone()));
            match ContentEncoding::Utf8.text(bytes.clone()) {
                Ok(text) => prop_assert_eq!(ContentEncoding::Utf8.bytes(text), Ok(bytes)),
                Err(offset) => prop_assert!(std::str::from_utf8(&bytes[..usize::try_from(offset).unwrap()]).is_ok()),
            }
        }
    }
}
