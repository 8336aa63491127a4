//! Rules of ignore files with git's meaning.
//!
//! The crate `ignore` matches. Its braces, classes and trailing white space differ from git's, so
//! each line is translated.

use std::cell::{Cell, RefCell};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use fsgate_contract::limits::{
    IGNORE_DOUBLINGS, IGNORE_FILE_SIZE, IGNORE_PLAIN_RULE_BYTES, IGNORE_STATE_BYTES, IGNORE_STATE_OVERHEAD,
    IGNORE_STATE_SHARE, IGNORE_WILD_BYTE_BYTES,
};

/// The rules of one file, relative to its directory.
#[derive(Debug, Clone)]
pub struct IgnoreRules {
    matcher: RefCell<Gitignore>,
    size: usize,
    has_wildcards: bool,
    memory: Option<usize>,
    matched: Cell<usize>,
}

/// Rules above their budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMany;

/// The decision of rules about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IgnoreVerdict {
    /// Ignored.
    Ignored,
    /// Included, whatever outer rules say.
    Wanted,
}

impl IgnoreRules {
    /// Parses an ignore file; none without a rule. Invalid patterns and lines that are not UTF-8
    /// match no path with a name here. Rules above `room` or a file's limit are refused together.
    pub fn parse(bytes: &[u8], room: usize) -> Result<Option<Self>, TooMany> {
        let bytes = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes);
        let room = room.min(IGNORE_FILE_SIZE);
        let mut builder = GitignoreBuilder::new("");
        builder.allow_unclosed_class(false);
        let (mut size, mut has_wildcards) = (0, false);
        for line in bytes.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if let Some(line) =
                std::str::from_utf8(line).ok().and_then(translated).filter(|line| !line.is_empty())
            {
                size += estimated(&line);
                has_wildcards |= is_wild(&line);
                if size > room {
                    return Err(TooMany);
                }
                // Git matches nothing with it either.
                let _ = builder.add_line(None, &line);
            }
        }
        let matcher = builder.build().map_err(|_| TooMany)?;
        if matcher.is_empty() {
            return Ok(None);
        }
        let (matcher, matched) = (RefCell::new(matcher), Cell::default());
        Ok(Some(Self { matcher, size, has_wildcards, memory: None, matched }))
    }

    /// The estimated bytes of the rules.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether matching caches states in memory.
    pub fn has_wildcards(&self) -> bool {
        self.has_wildcards
    }

    /// Limits the cached states to these bytes.
    pub fn forgetting(self, states: usize) -> Self {
        // A byte of a path adds at most one state.
        let state = IGNORE_STATE_OVERHEAD + self.size / IGNORE_STATE_SHARE;
        Self { memory: Some(states / state), ..self }
    }

    /// The last matching rule's decision. The caller checks parent directories.
    pub fn verdict(&self, path: &str, is_directory: bool) -> Option<IgnoreVerdict> {
        if let Some(memory) = self.memory {
            let matched = self.matched.get() + path.len();
            self.matched.set(if matched > memory { path.len() } else { matched });
            if matched > memory {
                // A clone drops cached states and keeps compiled rules.
                self.matcher.replace_with(|matcher| matcher.clone());
            }
        }
        match self.matcher.borrow().matched(path, is_directory) {
            Match::None => None,
            Match::Ignore(_) => Some(IgnoreVerdict::Ignored),
            Match::Whitelist(_) => Some(IgnoreVerdict::Wanted),
        }
    }
}

fn estimated(rule: &str) -> usize {
    if !is_wild(rule) {
        return rule.len() + IGNORE_PLAIN_RULE_BYTES;
    }
    // After a `*` the engine tracks each possible start of a `?` or class.
    let behind = rule.find('*').map_or("", |star| &rule[star..]);
    let unsure = behind.matches(['?', '[']).count().min(IGNORE_DOUBLINGS as usize);
    rule.len() * IGNORE_WILD_BYTE_BYTES + (IGNORE_STATE_BYTES << unsure)
}

fn is_wild(rule: &str) -> bool {
    let rule = rule.trim_start_matches('!');
    rule.strip_prefix("**/").unwrap_or(rule).contains(['*', '?', '[', '{'])
}

/// A git line in the crate's notation; none if it is no rule.
fn translated(line: &str) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut out = String::with_capacity(line.len());
    let line = without_trailing_spaces(line);
    let mut rest = line.chars();
    let mut escaped = false;
    while let Some(next) = rest.next() {
        escaped = next == '\\';
        match next {
            // Git removes a final `/` first; a final backslash escapes nothing.
            '\\' if rest.as_str() == "/" => return None,
            '\\' => out.extend([next, rest.next()?]),
            // Only the crate knows braces.
            '{' | '}' => out.extend(['\\', next]),
            '[' => class(&mut out, &mut rest)?,
            // Longer runs mean the same.
            '*' if out.ends_with("**") => {}
            other => out.push(other),
        }
    }
    // The crate trims all final white space, git only spaces.
    if let Some(last) = out.pop() {
        if last.is_whitespace() {
            out.truncate(out.len() - usize::from(escaped));
            out.extend(['{', last, '}']);
        } else {
            out.push(last);
        }
    }
    // An inner `/` anchors a rule. A translated class may add or remove one.
    let tied = |line: &str| line.trim_start_matches('!').trim_end_matches('/').contains('/');
    let missing = match (tied(line), tied(&out)) {
        (true, false) => "/",
        (false, true) => "**/",
        _ => "",
    };
    out.insert_str(usize::from(out.starts_with('!')), missing);
    Some(out)
}

fn without_trailing_spaces(line: &str) -> &str {
    let mut kept = 0;
    let mut characters = line.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            ' ' => continue,
            '\\' => kept = characters.next().map_or(line.len(), |(at, escaped)| at + escaped.len_utf8()),
            _ => kept = at + character.len_utf8(),
        }
    }
    &line[..kept]
}

/// Parses a class after its `[`. In git a backslash escapes, `[:digit:]` names ASCII characters, a
/// reversed range holds its start, and no class matches `/`.
fn class(out: &mut String, rest: &mut std::str::Chars) -> Option<()> {
    let negated = rest.as_str().starts_with(['!', '^']);
    if negated {
        rest.next();
    }
    let mut members: Vec<(char, char)> = Vec::new();
    let mut first = true;
    loop {
        let mut low = rest.next()?;
        if low == ']' && !first {
            break;
        }
        first = false;
        if low == '[' && rest.as_str().starts_with(':') {
            let (name, after) = rest.as_str()[1..].split_once(":]")?;
            members.extend(named(name)?);
            *rest = after.chars();
            continue;
        }
        if low == '\\' {
            low = rest.next()?;
        }
        // Also where its range is empty.
        members.push((low, low));
        let mut high = low;
        if rest.as_str().starts_with('-') && !rest.as_str().starts_with("-]") {
            rest.next();
            high = rest.next()?;
            if high == '\\' {
                high = rest.next()?;
            }
        }
        members.push((low, high));
    }
    write_class(out, negated, &members)
}

fn named(name: &str) -> Option<Vec<(char, char)>> {
    let members: &[(char, char)] = match name {
        "alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
        "alpha" => &[('A', 'Z'), ('a', 'z')],
        "blank" => &[('\t', '\t'), (' ', ' ')],
        "cntrl" => &[('\x01', '\x1F'), ('\x7F', '\x7F')],
        "digit" => &[('0', '9')],
        "graph" => &[('!', '~')],
        "lower" => &[('a', 'z')],
        "print" => &[(' ', '~')],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "space" => &[('\t', '\r'), (' ', ' ')],
        "upper" => &[('A', 'Z')],
        "xdigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
        _ => return None,
    };
    Some(members.to_vec())
}

/// Writes a class in the crate's notation: `]` first, `-` last, no escapes.
fn write_class(out: &mut String, negated: bool, members: &[(char, char)]) -> Option<()> {
    // Bytes, as in git: no class matches a multi-byte character.
    let mut held = [false; 128];
    for (low, high) in members {
        for code in u32::from(*low)..=u32::from(*high).min(127) {
            held[code as usize] = true;
        }
    }
    held[usize::from(b'/')] = negated;
    if !held.contains(&true) {
        return None;
    }
    out.push_str(if negated { "[!" } else { "[" });
    // `!` and `^` must not come first, and no name has a NUL.
    out.push(if held[usize::from(b']')] { ']' } else { '\0' });
    let plain = (1..128u8).filter(|byte| held[usize::from(*byte)] && !matches!(byte, b']' | b'-'));
    out.extend(plain.map(char::from));
    if held[usize::from(b'-')] {
        out.push('-');
    }
    out.push(']');
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_said_in_the_notation_of_the_crate() {
        for (line, expected) in [
            ("*.o", Some("*.o")),
            ("# note", None),
            ("\\#a", Some("\\#a")),
            ("\\/", None),
            ("!src\\/ ", None),
            ("a\\/b", Some("a\\/b")),
            ("a  ", Some("a")),
            ("a\\  ", Some("a{ }")),
            ("a\\\\ ", Some("a\\\\")),
            ("a\t", Some("a{\t}")),
            ("a b", Some("a b")),
            ("{a,b}", Some("\\{a,b\\}")),
            ("[ab]", Some("[\0ab]")),
            ("[a-c]", Some("[\0abc]")),
            ("[]a]", Some("[]a]")),
            ("[a\\]]", Some("[]a]")),
            ("[!a]", Some("**/[!\0/a]")),
            ("![^a]/", Some("!**/[!\0/a]/")),
            ("a/[!a]", Some("a/[!\0/a]")),
            ("a[/b]", Some("/a[\0b]")),
            ("a/***/b", Some("a/**/b")),
            ("[[:digit:]-]", Some("[\x000123456789-]")),
            ("[+-0]", Some("[\0+,.0-]")),
            ("[b-a]", Some("[\0b]")),
            ("[/]", None),
            ("[a", None),
            ("a\\", None),
        ] {
            assert_eq!(translated(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn the_last_rule_that_matches_decides() {
        let rules = IgnoreRules::parse(
            "\u{FEFF}*.log\r\n!keep.log\n/build/\n\n# note\n\u{1F}\nsub/*.tmp".as_bytes(),
            usize::MAX,
        )
        .unwrap()
        .unwrap();
        for (path, is_directory, verdict) in [
            ("a.log", false, Some(IgnoreVerdict::Ignored)),
            ("d/a.log", false, Some(IgnoreVerdict::Ignored)),
            ("keep.log", false, Some(IgnoreVerdict::Wanted)),
            ("build", true, Some(IgnoreVerdict::Ignored)),
            ("build", false, None),
            ("d/build", true, None),
            ("sub/a.tmp", false, Some(IgnoreVerdict::Ignored)),
            ("d/sub/a.tmp", false, None),
            ("a", false, None),
        ] {
            assert_eq!(rules.verdict(path, is_directory), verdict, "{path}");
        }
        for none in [&b""[..], b"\n\n", b"# only a note\n", b"\xFF\xFE\n"] {
            assert!(IgnoreRules::parse(none, 0).unwrap().is_none());
        }
    }

    #[test]
    fn rules_that_forget_their_states_say_the_same() {
        let rules = IgnoreRules::parse(b"*a?b\n!ca?b", usize::MAX).unwrap().unwrap();
        for states in [0, 3_000, usize::MAX] {
            let forgetting = rules.clone().forgetting(states);
            for path in ["axb", "caxb", "c", "d/axb", "axb"] {
                assert_eq!(rules.verdict(path, false), forgetting.verdict(path, false), "{path}");
            }
        }
    }

    #[test]
    fn a_file_has_a_budget() {
        let lines = |line: fn(usize) -> String, count: usize| -> String { (0..count).map(line).collect() };
        for (about, text, fits) in [
            ("plain paths", lines(|n| format!("/packages/some/file_{n}.txt\n"), 9_000), true),
            ("plain names", lines(|n| format!("name_{n}\n"), 10_000), true),
            ("comments", "# nothing\n".repeat(20_000), true),
            ("blank lines", "\n".repeat(200_000), true),
            ("usual patterns", lines(|n| format!("build{n}/**/*.py[cod]\n"), 1_000), true),
            ("a few unsure ones", "*a????????????????\n".to_owned(), false),
            ("a date", "*-[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].log\n".to_owned(), true),
            ("many names", lines(|n| format!("{n}\n"), 30_000), false),
            ("many stars", lines(|n| format!("**/*a*b*{n}*\n"), 20_000), false),
            ("many classes", lines(|n| format!("**/*[a-z]*b*c*{n}*\n"), 5_000), false),
            ("many ends", lines(|n| format!("a*{n}b*.o\n"), 5_000), false),
            ("long ones", format!("{}\n", "*a".repeat(40_000)), false),
        ] {
            let parsed = IgnoreRules::parse(text.as_bytes(), usize::MAX);
            assert_eq!(parsed.is_ok(), fits, "{about}");
        }
        let size = IgnoreRules::parse(b"*.o", usize::MAX).unwrap().unwrap().size();
        assert!(IgnoreRules::parse(b"*.o", size).is_ok());
        assert_eq!(
            IgnoreRules::parse(b"*.o", size - 1).unwrap_err(),
            TooMany,
            "what others have left counts"
        );
    }

    /// The largest automata within the budget match without a panic.
    #[test]
    fn rules_at_the_budget_can_be_matched() {
        for rule in ["**/*a*b*c*d*", "*a", "[ab]*c", "a/**/b*", "*.o", "a*.o", "?a?b"] {
            let line = |number: usize| format!("{rule}{number:05}\n");
            let size = estimated(&translated(line(0).trim_end()).unwrap());
            let text = |count: usize| -> String { (0..count).map(line).collect() };
            let most = IGNORE_FILE_SIZE / size;
            assert!(IgnoreRules::parse(text(most + 1).as_bytes(), usize::MAX).is_err(), "{rule}");
            let rules = IgnoreRules::parse(text(most).as_bytes(), usize::MAX).unwrap().unwrap();
            for path in ["a", "x/aaaabbbbccccdddd1", "b.o17", "a/q/r/b/b5"] {
                let _ = rules.verdict(path, false);
            }
        }
    }
}
