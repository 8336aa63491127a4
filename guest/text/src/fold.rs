//! Names as policies compare them: equal if any file system may equate them.
//!
//! A false match refuses a name; a missed one exposes a protected file.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// A name without case, normal form, invisible characters, and final dots and spaces, which some
/// file systems drop.
pub fn fold(name: &str) -> Cow<'_, str> {
    if is_folded(name.as_bytes()) {
        return Cow::Borrowed(name);
    }
    let mut folded = letters(name).into_owned();
    let kept = folded.trim_end_matches(['.', ' ']).len();
    if kept > 0 {
        folded.truncate(kept);
    }
    Cow::Owned(folded)
}

/// Like [`fold`], with the final dots and spaces.
pub fn letters(name: &str) -> Cow<'_, str> {
    if is_folded(name.trim_end_matches(['.', ' ']).as_bytes()) {
        return Cow::Borrowed(name);
    }
    if name.is_ascii() {
        return Cow::Owned(name.to_ascii_lowercase());
    }
    let visible = name.nfd().filter(|character| !is_ignorable(*character));
    // Upper case unites `ſ` with `s` and `ß` with `ss`; lower case first unites `ẞ` with `ß`.
    let upper = visible.flat_map(char::to_lowercase).flat_map(char::to_uppercase);
    Cow::Owned(upper.flat_map(char::to_lowercase).nfc().collect())
}

fn is_folded(name: &[u8]) -> bool {
    !matches!(name.last(), Some(b'.' | b' '))
        && name.iter().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase())
}

/// Whether it is a `Default_Ignorable_Code_Point`; ext4 and HFS+ skip these without case.
pub fn is_ignorable(character: char) -> bool {
    matches!(
        u32::from(character),
        0xAD | 0x34F
            | 0x61C
            | 0x115F..=0x1160
            | 0x17B4..=0x17B5
            | 0x180B..=0x180F
            | 0x200B..=0x200F
            | 0x202A..=0x202E
            | 0x2060..=0x206F
            | 0x3164
            | 0xFE00..=0xFE0F
            | 0xFEFF
            | 0xFFA0
            | 0xFFF0..=0xFFF8
            | 0x1BCA0..=0x1BCA3
            | 0x1D173..=0x1D17A
            | 0xE0000..=0xE0FFF
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_name_are_one() {
        for (name, folded) in [
            (".git", ".git"),
            (".GIT", ".git"),
            (".Git.", ".git"),
            (".git . ", ".git"),
            (".g\u{200C}it", ".git"),
            (".\u{17F}sh", ".ssh"),
            ("\u{212A}ey", "key"),
            ("stra\u{DF}e", "strasse"),
            ("STRA\u{1E9E}E", "strasse"),
            ("e\u{301}", "\u{E9}"),
            ("E\u{301}", "\u{E9}"),
            ("\u{C9}", "\u{E9}"),
            ("a\u{AD}b", "ab"),
            ("...", "..."),
            (" ", " "),
            ("", ""),
            ("a b", "a b"),
            (" a", " a"),
        ] {
            assert_eq!(fold(name), folded, "{name:?}");
            assert_eq!(fold(&fold(name)), folded, "{name:?} twice");
        }
    }

    #[test]
    fn different_names_stay_different() {
        for (one, other) in [(".git", "git"), (".gitignore", ".git"), ("a.b", "ab"), ("id_rsa.pub", "id_rsa")]
        {
            assert_ne!(fold(one), fold(other));
        }
    }
}
