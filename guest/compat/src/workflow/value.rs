//! Parameter values and variables.

use std::borrow::Cow;

/// A value as written, without its delimiters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterValue<'a> {
    /// Double-quoted, with JSON escapes.
    Quoted(&'a str),
    /// Single-quoted; two quotes are one.
    Single(&'a str),
    /// To the end of its line.
    Plain(&'a str),
    /// On lines of its own.
    Lines {
        /// The lines, indented.
        text: &'a str,
        /// The last line keeps its newline.
        ends: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValuePiece<'a> {
    Text(&'a str),
    Variable(&'a str),
}

/// The reason why a value cannot be filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfilled<'a> {
    /// An unknown variable.
    Unknown(&'a str),
    /// Variables exceed the budget.
    TooMuch,
}

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

pub(super) fn single(written: &str) -> Result<ParameterValue<'_>, &'static str> {
    let inside = written.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or("'");
    match inside.split("''").any(|part| part.contains('\'')) {
        false => Ok(ParameterValue::Single(inside)),
        true => Err("the value in single quotes does not end with its line; `''` in it is one quote"),
    }
}

impl<'a> ParameterValue<'a> {
    /// The filled value. `room`: bytes that variables may add.
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
            // Checked while reading.
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

fn indentation(text: &str) -> &str {
    let first = text.lines().find(|line| !line.trim_start().is_empty()).unwrap_or_default();
    &first[..first.len() - first.trim_start().len()]
}

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

/// The variable at the start, and its length.
fn variable(text: &str) -> Option<(&str, usize)> {
    let behind = text.strip_prefix("{{")?;
    let inside = behind.trim_start_matches([' ', '\t']);
    let is_first = |character: char| character.is_ascii_alphabetic() || character == '_';
    let is_part = |character: char| character.is_ascii_alphanumeric() || "_-.".contains(character);
    let name = &inside[..inside.find(|character| !is_part(character)).unwrap_or(inside.len())];
    let end = inside[name.len()..].trim_start_matches([' ', '\t']).strip_prefix("}}")?;
    name.starts_with(is_first).then_some((name, text.len() - end.len()))
}

fn unescaped(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('\\') {
        return Some(text.into());
    }
    // JSON strings exclude some characters, such as a raw tab.
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
