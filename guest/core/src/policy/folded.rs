//! Patterns as they are held against folded names: their letters folded, and dots and blanks left out where a name ends.

use std::borrow::Cow;

use crate::text::fold::letters;

/// A pattern that names by its folded names what the given one names. What has a meaning in a pattern keeps it; of a name
/// that is nothing but dots and blanks the end is left, as it is of such a name.
pub fn folded(pattern: &str) -> String {
    let tokens = tokens(pattern);
    let mut kept = vec![true; tokens.len()];
    // From the end, because what follows decides. Of each brace that is open: whether a name ends behind it.
    let (mut ends, mut behind) = (true, Vec::new());
    let mut dropped: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate().rev() {
        match token {
            Token::Slash => {
                restore(&mut kept, &mut dropped, ends);
                ends = true;
            }
            Token::Close => behind.push(ends),
            Token::Comma => ends = behind.last().copied().unwrap_or(false),
            Token::Open => {
                behind.pop();
                ends = false;
            }
            token if ends && token.is_dropped() => {
                kept[at] = false;
                dropped.push(at);
                continue;
            }
            _ => ends = false,
        }
        dropped.clear();
    }
    restore(&mut kept, &mut dropped, ends);
    let mut out = String::with_capacity(pattern.len());
    let mut literals = String::new();
    for (token, _) in tokens.into_iter().zip(kept).filter(|(_, kept)| *kept) {
        match token {
            // Several together, because letters may be written as several characters.
            Token::Literal(text) => literals.push_str(text),
            token => {
                out.push_str(&letters(&std::mem::take(&mut literals)));
                out.push_str(&token.text());
            }
        }
    }
    out.push_str(&letters(&literals));
    out
}

/// If everything up to the beginning of a name was dropped, the name is what it is.
fn restore(kept: &mut [bool], dropped: &mut Vec<usize>, is_all: bool) {
    if is_all {
        dropped.iter().for_each(|at| kept[*at] = true);
    }
    dropped.clear();
}

/// A piece of a pattern.
enum Token<'a> {
    /// A character that stands for itself, with the backslash before it, if there is one.
    Literal(&'a str),
    /// `[…]`.
    Class(&'a str),
    /// `*` or `?`.
    Any(&'a str),
    Open,
    Comma,
    Close,
    Slash,
}

impl Token<'_> {
    /// True for what stands for dots and blanks alone.
    fn is_dropped(&self) -> bool {
        match self {
            Self::Literal(text) => {
                let text = text.strip_prefix('\\').filter(|rest| !rest.is_empty()).unwrap_or(text);
                // Characters that cannot be seen are nothing at all.
                matches!(&*letters(text), "" | "." | " ")
            }
            Self::Class(text) => {
                let members = text.trim_start_matches('[').trim_end_matches(']');
                !members.is_empty() && members.chars().all(|member| matches!(member, '.' | ' ' | '\\'))
            }
            _ => false,
        }
    }

    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Literal(text) | Self::Any(text) => Cow::Borrowed(text),
            // Case is ignored where a pattern is matched, and a range is one of the characters that were written.
            Self::Class(text) => text.chars().map(single).collect::<String>().into(),
            Self::Open => "{".into(),
            Self::Comma => ",".into(),
            Self::Close => "}".into(),
            Self::Slash => "/".into(),
        }
    }
}

/// A member of a class, folded if that is one character.
fn single(member: char) -> char {
    if member.is_ascii() {
        return member;
    }
    let mut text = [0; 4];
    let folded = letters(member.encode_utf8(&mut text));
    let mut characters = folded.chars();
    match (characters.next(), characters.next()) {
        (Some(one), None) => one,
        _ => member,
    }
}

fn tokens(pattern: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let (mut at, mut depth) = (0, 0u32);
    while let Some(next) = pattern[at..].chars().next() {
        let rest = &pattern[at..];
        let length = match next {
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '[' => class(rest),
            other => other.len_utf8(),
        };
        let text = &rest[..length];
        all.push(match next {
            '/' => Token::Slash,
            '*' | '?' => Token::Any(text),
            '[' => Token::Class(text),
            '{' => {
                depth += 1;
                Token::Open
            }
            '}' => {
                depth = depth.saturating_sub(1);
                Token::Close
            }
            ',' if depth > 0 => Token::Comma,
            _ => Token::Literal(text),
        });
        at += length;
    }
    all
}

/// The length of a class: a `]` right at its beginning, or behind a backslash, does not end it.
fn class(text: &str) -> usize {
    let begin = if text[1..].starts_with(['!', '^']) { 2 } else { 1 };
    let mut characters = text[begin..].char_indices();
    let mut first = true;
    while let Some((at, character)) = characters.next() {
        match character {
            ']' if !first => return begin + at + 1,
            '\\' => {
                characters.next();
            }
            _ => {}
        }
        first = false;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::fold::fold;
    use crate::text::glob::Glob;

    #[test]
    fn what_a_name_may_end_in_says_nothing_in_a_pattern() {
        for (pattern, expected) in [
            ("Acme*Inc.", "acme*inc"),
            ("a?. ", "a?"),
            ("[0-9]. /b", "[0-9]/b"),
            ("{A,b}. ", "{a,b}"),
            ("{Inc.,Ltd. }", "{inc,ltd}"),
            ("{a.,b}c.", "{a.,b}c"),
            ("{a./b.,c}/d", "{a/b,c}/d"),
            ("{x,{y.,z}}", "{x,{y,z}}"),
            ("*[.]", "*"),
            ("*[!.]", "*[!.]"),
            (r"a\[1\]\ ", r"a\[1\]"),
            (r"x\{y\}.. /own", r"x\{y\}/own"),
            ("*.", "*"),
            // Nothing else is there.
            ("...", "..."),
            ("./a.", "./a"),
            ("a/. /b", "a/. /b"),
            ("**/a.", "**/a"),
            // Letters; a range is one of what was written.
            ("STRASSE*", "strasse*"),
            ("Stra\u{DF}e*", "strasse*"),
            ("[A-z]x", "[A-z]x"),
            ("[\u{C4}]x", "[\u{E4}]x"),
            ("e\u{301}*", "\u{E9}*"),
            (r"\A*", r"\a*"),
        ] {
            assert_eq!(folded(pattern), expected, "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn a_name_as_a_pattern_stands_for_that_name(name in r"[\PC&&[^/]]{1,8}|[ab.\[\]{}*?, \\]{1,8}") {
            prop_assume!(!matches!(&*fold(&name), "" | "." | ".."));
            let special = |character| matches!(character, '*' | '?' | '[' | ']' | '{' | '}' | '\\');
            let pattern: String = name.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect();
            let glob = Glob::anchored(&folded(&pattern), true).unwrap();
            prop_assert!(glob.matches(&fold(&name), false), "{pattern:?} {:?}", folded(&pattern));
        }
    }
}
