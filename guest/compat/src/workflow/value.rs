//! Values of parameters: how they are written, and the variables in them.

use std::borrow::Cow;

/// A value as it is written, without what is around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterValue<'a> {
    /// Between double quotes, with the escapes of JSON.
    Quoted(&'a str),
    /// Between single quotes; two of them are one.
    Single(&'a str),
    /// To the end of its line.
    Plain(&'a str),
    /// On lines of its own.
    Lines {
        /// The lines, indented.
        text: &'a str,
        /// The last one of them ends in a newline.
        ends: bool,
    },
}

/// A part of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValuePiece<'a> {
    Text(&'a str),
    /// The name of a variable.
    Variable(&'a str),
}

/// Why a value cannot be filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfilled<'a> {
    /// Nobody knows this variable.
    Unknown(&'a str),
    /// Variables bring in more than there is room for.
    TooMuch,
}

/// A value in double quotes, alone on the rest of its line; else what is wrong with it.
pub(super) fn quoted(written: &str) -> Result<ParameterValue<'_>, &'static str> {
    let mut bytes = written.bytes().enumerate().skip(1);
    let mut end = None;
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => {
                end = Some(at);
                break;
            }
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
    let end = end.ok_or("the quoted value does not end on its line; `|` begins one of several lines")?;
    if end + 1 < written.len() {
        return Err("there is something behind the quoted value");
    }
    let inside = &written[1..end];
    let is_known = |piece| !matches!(piece, ValuePiece::Text(text) if unescaped(text).is_none());
    match pieces(inside).all(is_known) {
        true => Ok(ParameterValue::Quoted(inside)),
        false => Err("the quoted value has an escape that JSON does not have; `\\\\` is a backslash"),
    }
}

/// The same in single quotes.
pub(super) fn single(written: &str) -> Result<ParameterValue<'_>, &'static str> {
    let inside = written.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or("'");
    match inside.split("''").any(|part| part.contains('\'')) {
        false => Ok(ParameterValue::Single(inside)),
        true => Err("the value in single quotes does not end with its line; `''` in it is one quote"),
    }
}

impl<'a> ParameterValue<'a> {
    /// The value with its variables filled. `room` is how many bytes variables may still bring in.
    pub fn filled<'v>(
        &self,
        variable: impl Fn(&str) -> Option<&'v str>,
        room: &mut usize,
    ) -> Result<String, Unfilled<'a>> {
        let mut out = String::new();
        let mut fill = |text: &'a str, read: fn(&str) -> Cow<str>| {
            for piece in pieces(text) {
                match piece {
                    ValuePiece::Text(text) => out.push_str(&read(text)),
                    ValuePiece::Variable(name) => {
                        let value = variable(name).ok_or(Unfilled::Unknown(name))?;
                        *room = room.checked_sub(value.len()).ok_or(Unfilled::TooMuch)?;
                        out.push_str(value);
                    }
                }
            }
            Ok(())
        };
        match *self {
            Self::Plain(text) => fill(text, plain)?,
            Self::Single(text) => fill(text, |text| text.replace("''", "'").into())?,
            // It was looked at when it was read.
            Self::Quoted(text) => fill(text, |text| unescaped(text).unwrap_or_default())?,
            Self::Lines { text, ends } => {
                let indent = indentation(text);
                let mut lines = text.lines().peekable();
                while let Some(line) = lines.next() {
                    let line = line.strip_prefix(indent).unwrap_or_else(|| line.trim_start());
                    fill(line, plain)?;
                    if ends || lines.peek().is_some() {
                        fill("\n", plain)?;
                    }
                }
            }
        }
        Ok(out)
    }
}

fn plain(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// What stands before the first line with something on it.
fn indentation(text: &str) -> &str {
    let first = text.lines().find(|line| !line.trim_start().is_empty()).unwrap_or_default();
    &first[..first.len() - first.trim_start().len()]
}

/// A text in pieces: `{{name}}`, and what is between.
fn pieces(text: &str) -> impl Iterator<Item = ValuePiece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, length)) = variable(rest) {
            rest = &rest[length..];
            return Some(ValuePiece::Variable(name));
        }
        let mut end = rest.chars().next()?.len_utf8();
        while let Some(at) = rest[end..].find("{{") {
            end += at;
            if variable(&rest[end..]).is_some() {
                let (before, behind) = rest.split_at(end);
                rest = behind;
                return Some(ValuePiece::Text(before));
            }
            end += 1;
        }
        Some(ValuePiece::Text(std::mem::take(&mut rest)))
    })
}

/// The variable that a text begins with, and how long it is there.
fn variable(text: &str) -> Option<(&str, usize)> {
    let behind = text.strip_prefix("{{")?;
    let inside = behind.trim_start_matches([' ', '\t']);
    let is_first = |character: char| character.is_ascii_alphabetic() || character == '_';
    let is_part = |character: char| character.is_ascii_alphanumeric() || "_-.".contains(character);
    let name = &inside[..inside.find(|character| !is_part(character)).unwrap_or(inside.len())];
    let end = inside[name.len()..].trim_start_matches([' ', '\t']).strip_prefix("}}")?;
    name.starts_with(is_first).then_some((name, text.len() - end.len()))
}

/// A text without its escapes, which are those of JSON.
fn unescaped(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('\\') {
        return Some(text.into());
    }
    // What JSON does not have in a string: a tab as it is, and the like.
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '\0'..' ' => quoted += &format!("\\u{:04x}", u32::from(character)),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    serde_json::from_str::<String>(&quoted).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found() {
        for (text, expected) in [
            ("", &[][..]),
            ("a", &[ValuePiece::Text("a")]),
            ("{{a}}", &[ValuePiece::Variable("a")]),
            (
                "x{{ a_1.b-c }}y",
                &[ValuePiece::Text("x"), ValuePiece::Variable("a_1.b-c"), ValuePiece::Text("y")],
            ),
            ("{{a}}{{b}}", &[ValuePiece::Variable("a"), ValuePiece::Variable("b")]),
            ("é{{a}}é", &[ValuePiece::Text("é"), ValuePiece::Variable("a"), ValuePiece::Text("é")]),
            ("{{{a}}}", &[ValuePiece::Text("{"), ValuePiece::Variable("a"), ValuePiece::Text("}")]),
            ("{{1a}} {{}} {{a b}} {{#if}} {{a}", &[ValuePiece::Text("{{1a}} {{}} {{a b}} {{#if}} {{a}")]),
        ] {
            assert_eq!(pieces(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
