//! Path patterns in `file:` URLs.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::escaped;
use fsgate_contract::path::PathProblem;
use fsgate_contract::path::spelling::{encoded, without_fragment};

/// The pattern in a `file:` URL. Encoded characters match themselves; `#` is literal, `?` is a
/// wildcard.
pub fn decoded_pattern(pattern: &str) -> Result<Cow<'_, str>, PathProblem> {
    let Some(pattern) = encoded(pattern)? else { return Ok(Cow::Borrowed(pattern)) };
    let mut rest = without_fragment(pattern, &['#'])?;
    let mut out = String::new();
    while let Some(begin) = rest.find('%') {
        let is_byte = |at: &usize| {
            rest.get(at + 1..at + 3).is_some_and(|hex| {
                rest[*at..].starts_with('%') && hex.bytes().all(|digit| digit.is_ascii_hexdigit())
            })
        };
        // Several bytes may be one character.
        let bytes = (begin..).step_by(3).take_while(is_byte).count();
        let end = begin + if bytes == 0 { 1 } else { 3 * bytes };
        let decoded = percent_decode_str(&rest[begin..end]).decode_utf8();
        out.push_str(&rest[..begin]);
        out.push_str(&escaped(&decoded.map_err(|_| PathProblem::UndecodableUrl)?));
        rest = &rest[end..];
    }
    out.push_str(rest);
    Ok(Cow::Owned(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoded_character_is_no_wildcard() {
        for (pattern, expected) in [
            ("file:///w/*.o", Ok("/w/*.o")),
            ("file:///w/a%20b%2A*%C3%A9%2", Ok("/w/a b\\**é%2")),
            ("*.o", Ok("*.o")),
            ("*.o#L3", Ok("*.o#L3")),
            ("file:///w/C#/*.cs", Ok("/w/C#/*.cs")),
            ("file:///w/*.o#L3", Ok("/w/*.o")),
            ("file:///w/a.?x=1", Ok("/w/a.?x=1")),
            ("file:///w/*.md#b", Err(PathProblem::AmbiguousUrl)),
            ("file:///%FFé", Err(PathProblem::UndecodableUrl)),
            ("file://host/*", Err(PathProblem::RemoteUrl)),
        ] {
            let expected = expected.as_ref().map(|pattern| &**pattern);
            assert_eq!(decoded_pattern(pattern).as_deref(), expected, "{pattern}");
        }
    }
}
