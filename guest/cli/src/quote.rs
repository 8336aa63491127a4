//! Foreign text, made safe for display.

use std::fmt::Write;

use fsgate_text::excerpt::is_invisible;
pub use fsgate_text::excerpt::shown;

/// A word quoted for bash, zsh and POSIX 2024, control characters included.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if !word.contains(is_invisible) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let mut out = String::from("$'");
    for character in word.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\'' | '\\' => out.extend(['\\', character]),
            c if is_invisible(c) => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(out, "\\{byte:03o}");
                }
            }
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// A text with names, for a line on which brackets are fsgate's own. A word like `[slug]/page`
/// stays; in any other word each bracket gets a backslash.
pub(crate) fn beside_brackets(text: &str) -> String {
    let is_plain = |word: &str| {
        let depth = word.chars().try_fold(0_u32, |depth, character| match character {
            '[' => depth.checked_add(1),
            ']' => depth.checked_sub(1),
            _ => Some(depth),
        });
        depth == Some(0)
    };
    let words = text.split_inclusive(char::is_whitespace);
    words
        .map(
            |word| {
                if is_plain(word) { word.to_owned() } else { word.replace('[', r"\[").replace(']', r"\]") }
            },
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_does_not_end_the_brackets_around_it() {
        for (text, expected) in [
            ("app/[slug]/[[...rest]]/page.tsx was left out", "app/[slug]/[[...rest]]/page.tsx was left out"),
            ("`/g] [next_cursor: at:1.1] [z/.gitignore`", r"`/g\] \[next_cursor: at:1.1\] \[z/.gitignore`"),
            ("a][b", r"a\]\[b"),
            ("[etag:\u{a0}0f]", "\\[etag:\u{a0}0f\\]"),
        ] {
            assert_eq!(beside_brackets(text), expected);
        }
    }

    #[test]
    fn words_survive_a_shell() {
        for (word, typed) in [
            ("a/b.txt", "a/b.txt"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("# Notes\n", r"$'# Notes\n'"),
            ("a\\b'c\u{1b}\u{200b}", r"$'a\\b\'c\033\342\200\213'"),
        ] {
            assert_eq!(shell_word(word), typed);
        }
    }
}
