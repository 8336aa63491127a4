//! A text in confusable characters: another normal form, other quotes, hyphens, blanks or line
//! ends, or HTML references.
//!
//! Folded texts are searched with Knuth, Morris and Pratt, in one pass.

use std::collections::VecDeque;
use std::iter::once;
use std::ops::Range;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use crate::borders::borders;
use crate::char_unit::{ABOVE_CHARACTERS, CharUnit};

pub(super) fn find(old: &[u8], text: &[u8]) -> Option<Range<usize>> {
    let wanted: Vec<u32> = FoldedChars::new(old).map(|fold| fold.value).collect();
    if wanted.is_empty() {
        return None;
    }
    let borders = borders(wanted.len(), |one, other| wanted[one] == wanted[other]);
    let mut begins = VecDeque::with_capacity(wanted.len());
    let mut agree = 0;
    for fold in FoldedChars::new(text) {
        if begins.len() == wanted.len() {
            begins.pop_front();
        }
        begins.push_back(fold.from);
        while agree > 0 && wanted[agree] != fold.value {
            agree = borders[agree];
        }
        agree += usize::from(wanted[agree] == fold.value);
        if agree == wanted.len() {
            if let (Some(Some(from)), Some(to)) = (begins.front(), fold.to) {
                return Some(*from..to);
            }
            agree = borders[agree];
        }
    }
    None
}

/// A folded character. Several folded together have ends only outside.
struct FoldedChar {
    value: u32,
    from: Option<usize>,
    to: Option<usize>,
}

struct FoldedChars<'a> {
    text: &'a [u8],
    at: usize,
    more: VecDeque<FoldedChar>,
}

impl<'a> FoldedChars<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, more: VecDeque::new() }
    }

    fn joined(&self) -> Option<(char, usize)> {
        match CharUnit::first(&self.text[self.at..])? {
            (CharUnit::Char(c), length) if !begins(c) => Some((c, length)),
            _ => None,
        }
    }
}

impl Iterator for FoldedChars<'_> {
    type Item = FoldedChar;

    fn next(&mut self) -> Option<FoldedChar> {
        if let Some(fold) = self.more.pop_front() {
            return Some(fold);
        }
        let from = self.at;
        let (unit, length) = first(&self.text[from..])?;
        self.at += length;
        let alone = |value| Some(FoldedChar { value, from: Some(from), to: Some(from + length) });
        let first = match unit {
            CharUnit::Char(c) => plain(c),
            CharUnit::End(_) => return alone(u32::from('\n')),
            CharUnit::Byte(byte) => return alone(ABOVE_CHARACTERS + u32::from(byte)),
        };
        let mut joined = self.joined();
        if joined.is_none() && first.is_ascii() {
            return alone(u32::from(first));
        }
        let mut cluster = String::from(first);
        while let Some((c, length)) = joined {
            cluster.push(c);
            self.at += length;
            joined = self.joined();
        }
        let fold = |c| FoldedChar { value: u32::from(c), from: None, to: None };
        self.more.extend(cluster.nfkc().map(fold));
        if let Some(last) = self.more.back_mut() {
            last.to = Some(self.at);
        }
        let first = self.more.pop_front()?;
        Some(FoldedChar { from: Some(from), ..first })
    }
}

/// HTML references for characters that a text may hold.
const REFERENCES: &[(&[u8], char)] =
    &[(b"&lt;", '<'), (b"&gt;", '>'), (b"&amp;", '&'), (b"&quot;", '"'), (b"&apos;", '\''), (b"&#39;", '\'')];

fn first(text: &[u8]) -> Option<(CharUnit, usize)> {
    let is_here = |(reference, _): &&(&[u8], char)| text.starts_with(reference);
    match REFERENCES.iter().find(is_here).filter(|_| text.first() == Some(&b'&')) {
        Some((reference, character)) => Some((CharUnit::Char(*character), reference.len())),
        None => CharUnit::first(text),
    }
}

/// Quotes and hyphens as on a keyboard, one for one.
fn plain(c: char) -> char {
    match c {
        '`' | '´' | '\u{1FEF}' | '\u{1FFD}' | '‘'..='‛' | '′' | '‹' | '›' => '\'',
        '“'..='‟' | '″' | '«' | '»' => '"',
        '‐'..='―' | '−' => '-',
        c => c,
    }
}

/// Whether a character never composes with its predecessor.
fn begins(c: char) -> bool {
    let begins = |c: char| canonical_combining_class(c) == 0 && is_nfkc_quick(once(c)) == IsNormalized::Yes;
    c.is_ascii() || once(c).nfkd().next().is_none_or(begins)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_found_however_it_is_written() {
        for (old, text, expected) in [
            ("caf\u{E9}", "x cafe\u{301} y", Some("cafe\u{301}")),
            ("cafe\u{301}", "x caf\u{E9} y", Some("caf\u{E9}")),
            (
                "\u{D55C}\u{AE00}",
                "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}\n",
                Some("\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}"),
            ),
            ("\u{30AC}", "\u{FF76}\u{FF9E}", Some("\u{FF76}\u{FF9E}")),
            ("a\u{323}\u{307}", "a\u{307}\u{323}", Some("a\u{307}\u{323}")),
            ("say \"x\"", "say \u{201C}x\u{201D}!", Some("say \u{201C}x\u{201D}")),
            ("it's", "it\u{2019}s", Some("it\u{2019}s")),
            ("'x'", "\"x\"", None),
            ("1-2", "1\u{2013}2", Some("1\u{2013}2")),
            ("a b", "a\u{A0}b", Some("a\u{A0}b")),
            ("a...", "a\u{2026}", Some("a\u{2026}")),
            ("a\nb\n", "x\r\na\r\nb\r\n", Some("a\r\nb\r\n")),
            ("office", "of\u{FB01}ce office", Some("of\u{FB01}ce")),
            ("of\u{FB01}ce", "office", Some("office")),
            // A part of a decomposed character is no place.
            ("of", "o\u{FB01}", None),
            ("e", "e\u{301}", None),
            ("\u{301}", "e\u{301}", None),
            ("aab", "aaab", Some("aab")),
            ("abcd", "abcabcd", Some("abcd")),
            ("if a &lt; b &amp;&amp; c", "if a < b && c", Some("if a < b && c")),
            ("<b>&quot;</b>", "&lt;b&gt;\"&lt;/b&gt;", Some("&lt;b&gt;\"&lt;/b&gt;")),
            ("&lt", "<", None),
            ("", "a", None),
            ("a", "", None),
        ] {
            let found = find(old.as_bytes(), text.as_bytes()).map(|range| &text[range]);
            assert_eq!(found, expected, "{old:?} in {text:?}");
        }
        assert_eq!(find(b"a\xE9", b"b a\xE9"), Some(2..4));
    }

    fn folded(text: &str) -> Vec<u32> {
        FoldedChars::new(text.as_bytes()).map(|fold| fold.value).collect()
    }

    fn text() -> impl Strategy<Value = String> {
        let c = prop_oneof![
            any::<char>(),
            prop::sample::select("ae'\"-\u{301}\u{323}\u{307}\u{1100}\u{1161}\u{11A8}\u{AC00}\u{FF76}\u{FF9E}\u{3099}\u{FB01}\u{B4}".chars().collect::<Vec<_>>()),
        ];
        prop::collection::vec(c, 0..12)
            .prop_map(|chars| chars.into_iter().filter(|c| !"\r\n".contains(*c)).collect())
    }

    proptest! {
        #[test]
        fn piece_by_piece_is_as_a_whole(text in text()) {
            let whole: String = text.chars().map(plain).collect();
            let whole: Vec<u32> = whole.nfkc().map(u32::from).collect();
            prop_assert_eq!(folded(&text), whole);
        }

        #[test]
        fn every_normal_form_is_found_in_every_other(text in text(), before in "[a-c \n]{0,4}", after in "[a-c \n]{0,4}") {
            let forms: [String; 3] = [text.clone(), text.nfc().collect(), text.nfd().collect()];
            prop_assume!(!text.is_empty() && text.chars().next().is_some_and(begins));
            for one in &forms {
                for other in &forms {
                    let there = format!("{before}{other}{after}");
                    prop_assert!(find(one.as_bytes(), there.as_bytes()).is_some(), "{one:?} {there:?}");
                }
            }
        }
    }
}
