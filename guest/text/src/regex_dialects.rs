//! Repairs for expressions in other engines' notations.

/// Unsupported spellings of PCRE, Perl, Python, JavaScript, Java, Ruby and .NET with repairs. A
/// longer spelling precedes its prefix.
const FOREIGN: &[(&str, &str)] = &[
    // Positions.
    ("\\Z", "write `\\z` for the end of the text, or `$` for the end of a line"),
    ("\\G", "leave `\\G` out: `\\A` is the beginning of the text, and `^` that of a line"),
    ("\\K", "leave `\\K` out, and put what stays in place into a group: it is `$1` in a replacement"),
    ("\\y", "write `\\b`"),
    ("\\m", "write `\\b{start}`"),
    ("\\M", "write `\\b{end}`"),
    ("\\b{", "write `\\b{start}`, `\\b{end}` or `\\b`"),
    // Characters.
    ("\\h", "write `[ \\t]` for a blank, or `[0-9A-Fa-f]` for a hexadecimal digit"),
    ("\\H", "write `[^ \\t]` for what is no blank, or `[^0-9A-Fa-f]` for what is no hexadecimal digit"),
    ("\\R", "write `(?:\\r\\n|\\n|\\r)` for a line end"),
    ("\\N{", "write the character by its number, as `\\x{263A}`"),
    ("\\N", "write `.` for what ends no line"),
    ("\\X", "write `\\P{M}\\p{M}*` for a character with its marks"),
    ("\\C", "write `.` for a character: no expression matches a part of one"),
    ("\\e", "write `\\x1B`"),
    ("\\c", "write the character by its number, as `\\x1B`"),
    ("\\o{", "write the number in hexadecimal digits, as `\\x1B`"),
    ("\\0", "write the number in hexadecimal digits, as `\\x00`"),
    ("\\b", "write `\\x08` for the backspace"),
    ("[^]", "write `(?s:.)` for any character"),
    ("\\Q", "put a backslash before each sign that is meant as it is, or leave `regex` out"),
    ("\\E", "put a backslash before each sign that is meant as it is, or leave `regex` out"),
    // Backreferences.
    ("(?P=", BACK),
    ("\\k", BACK),
    ("\\g", BACK),
    ("\\1", BACK),
    ("\\2", BACK),
    ("\\3", BACK),
    ("\\4", BACK),
    ("\\5", BACK),
    ("\\6", BACK),
    ("\\7", BACK),
    ("\\8", BACK),
    ("\\9", BACK),
    // Groups.
    ("(?=", AROUND),
    ("(?!", AROUND),
    ("(?<=", AROUND),
    ("(?<!", AROUND),
    ("(?>", "write `(?:`: a search never goes back into a group"),
    ("(?|", "write `(?:`, and give each group a name of its own"),
    ("(?'", "write `(?<name>…)`"),
    ("(?#", "leave the comment out"),
    ("(?(", "write both alternatives in full, as `a|b`"),
    ("(?&", RECURSION),
    ("(?P>", RECURSION),
    ("(?0", RECURSION),
    ("(?1", RECURSION),
    ("(?2", RECURSION),
    ("(?", "write `(?:…)`: the flags are `i`, `m`, `s`, `x`, `u`, `U` and `R`"),
    ("(*", "leave `(*…)` out"),
    // Literal signs.
    ("{,", "write `{0,` with the smallest number"),
    ("{", "write `\\{` for the character itself"),
    ("*", "write `.*` for any text, or `\\*` for the character itself"),
    ("+", "write `.+` for any text, or `\\+` for the character itself"),
    ("?", "write `.` for any character, or `\\?` for the character itself"),
];

const BACK: &str = "leave it out: no expression refers to a group again, so write its alternatives in full";

const AROUND: &str =
    "match what is around as well; in a replacement, put it into a group, which stays as `$1`";

const RECURSION: &str = "write the levels out: no expression contains itself";

pub(super) fn repair(expression: &str, position: usize) -> Option<&'static str> {
    /// Bytes of a spelling before the reported position: `(?`, `{` or `\b{`.
    const WITHIN: usize = 3;
    (0..=WITHIN).rev().find_map(|before| {
        let rest = expression.get(position.checked_sub(before)?..)?;
        let is_here = |spelled: &str| {
            let is_open = spelled.starts_with(['(', '{']) || spelled.ends_with('{');
            (before == 0 || is_open && spelled.len() >= before) && rest.starts_with(spelled)
        };
        FOREIGN.iter().find_map(|(spelled, repair)| is_here(spelled).then_some(*repair))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::{Pattern, PatternError};

    /// Each spelling in an expression that other engines accept.
    const EXPRESSIONS: &[(&str, &str)] = &[
        ("\\Z", "end\\Z"),
        ("(?P=", "(?P<q>['\"]).*(?P=q)"),
        ("(?'", "(?'name'a)"),
        ("(?(", "(a)?(?(1)b|c)"),
        ("(?0", "a(?0)?b"),
        ("(?&", "(?<x>a)(?&x)"),
        ("(?P>", "(?P<x>a)(?P>x)"),
        ("(?", "(?a:b)"),
        ("(*", "(*UTF8)a"),
        ("[^]", "a[^]*b"),
        ("\\b", "[\\b]"),
        ("\\b{", "\\b{x}a"),
        ("{,", "a{,3}"),
        ("{", "f() {"),
        ("{", "${name}"),
        ("*", "*.rs"),
        ("+", "+1"),
        ("?", "?a"),
    ];

    #[test]
    fn every_spelling_that_does_not_parse_has_its_repair() {
        let refused = |expression: &str| match Pattern::parse(expression) {
            Err(PatternError::Invalid { repair, .. }) => repair,
            other => panic!("{expression}: {:?}", other.err()),
        };
        for (spelled, repair) in FOREIGN {
            let mut tried = EXPRESSIONS.iter().filter(|(of, _)| of == spelled).peekable();
            if tried.peek().is_none() {
                let group = spelled.starts_with('(');
                let expression = if group { format!("x{spelled}a)") } else { format!("x{spelled}") };
                assert_eq!(refused(&expression), Some(*repair), "{expression}");
            }
            for (_, expression) in tried {
                assert_eq!(refused(expression), Some(*repair), "{expression}");
            }
        }
        for expression in ["f(", "a)", "ab[", "\\p{Nope}"] {
            assert_eq!(refused(expression), None, "{expression}");
        }
    }

    /// Other engines' spellings that parse here and mean the same.
    #[test]
    fn what_is_understood_is_no_spelling_of_this_table() {
        for expression in [
            "\\Aa\\z",
            "(?<n>a)",
            "(?P<n>a)",
            "a++",
            "a*?",
            "\\u0041",
            "\\u{41}",
            "\\x41",
            "[[:alpha:]]",
            "\\/",
        ] {
            assert!(Pattern::parse(expression).is_ok(), "{expression}");
        }
    }
}
