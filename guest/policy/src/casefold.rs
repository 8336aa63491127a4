//! Patterns for folded names: letters folded, final dots and blanks removed.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use fsgate_text::fold::letters;

/// A pattern for the folded names that `pattern` matches. A name of only dots and blanks keeps its
/// end, as its folded form does.
pub fn folded(pattern: &str) -> String {
    // Most patterns: an index of their tokens would cost more than the rest of a start.
    if is_plain(pattern) { pattern.to_ascii_lowercase() } else { folded_tokens(pattern) }
}

/// Whether folding changes the case of letters only.
fn is_plain(pattern: &str) -> bool {
    pattern.is_ascii()
        && !pattern.contains(['\\', '[', '{', '}'])
        && pattern.split('/').all(|name| !name.ends_with(['.', ' ']))
}

fn folded_tokens(pattern: &str) -> String {
    let tokens = tokens(pattern);
    let mut kept = vec![true; tokens.len()];
    // Backwards, because the rest decides. `behind`: whether a name ends after each open brace.
    let (mut ends, mut behind) = (true, Vec::new());
    let mut dropped: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate().rev() {
        match token {
            RegexToken::Slash => {
                restore(&mut kept, &mut dropped, ends);
                ends = true;
            }
            RegexToken::Close => behind.push(ends),
            RegexToken::Comma | RegexToken::Open => {
                restore(&mut kept, &mut dropped, ends && begins(&tokens[..=at]));
                ends = *token == RegexToken::Comma && behind.last().copied().unwrap_or(false);
                if *token == RegexToken::Open {
                    behind.pop();
                }
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
            // Its backslash would escape the next character.
            RegexToken::Literal(text) if text.strip_prefix('\\').is_some_and(is_unseen) => {}
            // Joined first: a letter may be several characters.
            RegexToken::Literal(text) => literals.push_str(text),
            token => {
                out.push_str(&letters(&std::mem::take(&mut literals)));
                out.push_str(&token.text());
            }
        }
    }
    out.push_str(&letters(&literals));
    out
}

/// Whether no name has begun before the end of these tokens.
fn begins(tokens: &[RegexToken]) -> bool {
    let (mut depth, mut beside) = (0u32, false);
    for token in tokens.iter().rev() {
        match token {
            RegexToken::Close if beside => depth += 1,
            RegexToken::Open if depth > 0 => depth -= 1,
            RegexToken::Open => beside = false,
            RegexToken::Comma => beside = true,
            _ if beside => {}
            RegexToken::Slash => return true,
            _ => return false,
        }
    }
    true
}

fn restore(kept: &mut [bool], dropped: &mut Vec<usize>, is_all: bool) {
    if is_all {
        dropped.iter().for_each(|at| kept[*at] = true);
    }
    dropped.clear();
}

fn is_unseen(text: &str) -> bool {
    !text.is_empty() && letters(text).is_empty()
}

#[derive(PartialEq, Eq)]
enum RegexToken<'a> {
    /// A literal character, with its backslash.
    Literal(&'a str),
    Class(&'a str),
    Any(&'a str),
    Open,
    Comma,
    Close,
    Slash,
}

impl RegexToken<'_> {
    fn is_dropped(&self) -> bool {
        match self {
            Self::Literal(text) => {
                let text = text.strip_prefix('\\').filter(|rest| !rest.is_empty()).unwrap_or(text);
                // Invisible characters vanish.
                matches!(&*letters(text), "" | "." | " ")
            }
            // A class matches one folded character that ends no name.
            _ => false,
        }
    }

    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Literal(text) | Self::Any(text) => Cow::Borrowed(text),
            // Matching ignores case; a range is one of written characters.
            Self::Class(text) => text.nfc().collect::<String>().into(),
            Self::Open => "{".into(),
            Self::Comma => ",".into(),
            Self::Close => "}".into(),
            Self::Slash => "/".into(),
        }
    }
}

fn tokens(pattern: &str) -> Vec<RegexToken<'_>> {
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
            '/' => RegexToken::Slash,
            '*' | '?' => RegexToken::Any(text),
            '[' => RegexToken::Class(text),
            '{' => {
                depth += 1;
                RegexToken::Open
            }
            '}' => {
                depth = depth.saturating_sub(1);
                RegexToken::Close
            }
            ',' if depth > 0 => RegexToken::Comma,
            _ => RegexToken::Literal(text),
        });
        at += length;
    }
    all
}

/// The length of a class. A `]` at its start or after a backslash does not end it.
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
    use fsgate_text::fold::fold;
    use fsgate_text::glob::Glob;

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
            ("*[.]", "*[.]"),
            ("*[.\\]]. ", "*[.\\]]"),
            ("{secret,...}", "{secret,...}"),
            ("{x,{y,. }/a.}/b", "{x,{y,. }/a}/b"),
            ("a{.,b}", "a{,b}"),
            ("b\\\u{200B}*", "b*"),
            ("*[!.]", "*[!.]"),
            (r"a\[1\]\ ", r"a\[1\]"),
            (r"x\{y\}.. /own", r"x\{y\}/own"),
            ("*.", "*"),
            ("...", "..."),
            ("./a.", "./a"),
            ("a/. /b", "a/. /b"),
            ("**/a.", "**/a"),
            ("STRASSE*", "strasse*"),
            ("Stra\u{DF}e*", "strasse*"),
            ("[A-z]x", "[A-z]x"),
            ("[A\u{308}]x", "[\u{C4}]x"),
            ("e\u{301}*", "\u{E9}*"),
            (r"\A*", r"\a*"),
        ] {
            assert_eq!(folded(pattern), expected, "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn a_plain_pattern_has_one_folded_form(pattern in r"[abC.*?,!^/ \]-]{0,12}") {
            prop_assert_eq!(folded(&pattern), folded_tokens(&pattern));
        }

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
