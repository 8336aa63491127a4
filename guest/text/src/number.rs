//! Numbered lines, and two notations for line ranges.

use std::ops::RangeInclusive;

use super::lines::contents;

/// A text that names no lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidLines {
    /// The text.
    pub spec: String,
    /// The range ends before it begins.
    pub backwards: bool,
}

/// Parses `4` or `23-43`, counted from 1.
pub fn parse_lines(spec: &str) -> Result<RangeInclusive<u64>, InvalidLines> {
    let invalid = |backwards| InvalidLines { spec: spec.to_owned(), backwards };
    let number = |digits: &str| {
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        // An overflow is past every file's end, which is no syntax error.
        let value = digits.parse().unwrap_or(u64::MAX);
        if plain && value > 0 { Ok(value) } else { Err(invalid(false)) }
    };
    let (start, end) = spec.split_once('-').unwrap_or((spec, spec));
    let (start, end) = (number(start)?, number(end)?);
    if start > end { Err(invalid(true)) } else { Ok(start..=end) }
}

/// The lines of `text` after right-aligned numbers from `first`, joined by LF.
pub fn numbered(text: &str, first: u64, delimiter: &str) -> String {
    let count = contents(text).count() as u64;
    // An overflow names missing lines.
    let width = width(first.saturating_add(count.max(1) - 1));
    let mut out = String::with_capacity(text.len() + count as usize * (width + delimiter.len()));
    for (at, line) in (0..).zip(contents(text)) {
        if at > 0 {
            out.push('\n');
        }
        let digits = first.saturating_add(at).to_string();
        out.extend(std::iter::repeat_n(' ', width - digits.len()));
        out.push_str(&digits);
        out.push_str(delimiter);
        out.push_str(line);
    }
    out
}

/// The number of digits.
pub fn width(number: u64) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(first: usize, last: usize) -> String {
        (first..=last).map(|n| format!("Line {n}\n")).collect()
    }

    #[test]
    fn numbers_are_aligned_to_the_last_one() {
        for (text, first, delimiter, expected) in [
            ("Line 2\n", 2, ": ", "2: Line 2"),
            ("Second\nThird", 2, ": ", "2: Second\n3: Third"),
            ("A\nB\n", 1, "    ", "1    A\n2    B"),
            ("Two\n", 2, "", "2Two"),
            ("", u64::MAX, ":", ""),
            ("x\n", u64::MAX, ":", "18446744073709551615:x"),
            ("x\ny", u64::MAX - 1, ":", "18446744073709551614:x\n18446744073709551615:y"),
            ("", 1, ": ", ""),
            ("\n\n", 1, ": ", "1: \n2: "),
            ("a\r\nb\rc", 1, ":", "1:a\n2:b\n3:c"),
            (&lines(9, 11), 9, ": ", " 9: Line 9\n10: Line 10\n11: Line 11"),
            (&lines(8, 12), 8, ": ", " 8: Line 8\n 9: Line 9\n10: Line 10\n11: Line 11\n12: Line 12"),
            (
                &lines(98, 102),
                98,
                ": ",
                " 98: Line 98\n 99: Line 99\n100: Line 100\n101: Line 101\n102: Line 102",
            ),
        ] {
            assert_eq!(numbered(text, first, delimiter), expected);
        }
    }

    #[test]
    fn the_grammar_of_lines_is_strict() {
        for (spec, expected) in [
            ("4", Some(4..=4)),
            ("23-43", Some(23..=43)),
            ("7-7", Some(7..=7)),
            ("99999999999999999999999", Some(u64::MAX..=u64::MAX)),
            ("abc", None),
            ("-5", None),
            ("-1-5", None),
            ("1-2-3", None),
            ("0", None),
            ("0-4", None),
            ("", None),
            ("4abc", None),
            ("1.5", None),
            (" 4", None),
            ("4-", None),
            ("+4", None),
            ("٤", None),
        ] {
            let reason = InvalidLines { spec: spec.to_owned(), backwards: false };
            assert_eq!(parse_lines(spec), expected.ok_or(reason), "{spec:?}");
        }
        assert_eq!(parse_lines("5-3"), Err(InvalidLines { spec: "5-3".to_owned(), backwards: true }));
    }
}
