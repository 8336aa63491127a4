//! Unparsed YAML front matter between lines of `---`.

const SETTINGS: &str = "tool_configuration";

const ENDS: [&str; 2] = ["---", "..."];

/// A text in two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrontMatter<'a> {
    /// The YAML without its delimiters; none without front matter.
    pub front_matter: Option<&'a str>,
    /// The offset of the rest.
    pub body: usize,
    /// It has unreadable settings: without an end, in another YAML document, or on the opening
    /// line.
    pub is_open: bool,
}

/// Splits a text with any line ends and leading blank lines, so no settings are overlooked.
pub fn parts(text: &str) -> FrontMatter<'_> {
    let none = FrontMatter { front_matter: None, body: 0, is_open: false };
    let mark = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    let mut at = mark + text[mark..].find(|c: char| !c.is_whitespace()).unwrap_or_default();
    at = text[..at].rfind(['\n', '\r']).map_or(mark, |end| end + 1);
    let begin = at;
    let first = line_end(text, at);
    if !text[at..].starts_with("---") {
        return none;
    }
    if !begins(&text[at..first]) {
        // YAML allows more than comments there; a thematic break is its line only.
        let is_document = text[at + 3..].starts_with([' ', '\t']);
        let is_open = has_settings(&text[at..first]) || is_document && has_settings(&text[first..]);
        return FrontMatter { is_open, ..none };
    }
    let start = first;
    at = first;
    while at < text.len() {
        let next = line_end(text, at);
        if ends(&text[at..next]) {
            let yaml = &text[start..at];
            let is_first = begin == mark;
            // Below the start it is a thematic break, unless with settings.
            return match is_first || has_settings(yaml) {
                true => FrontMatter {
                    front_matter: Some(yaml),
                    body: next,
                    is_open: has_settings_behind(text, yaml, at),
                },
                false => none,
            };
        }
        at = next;
    }
    // A thematic break, unless settings without an end follow.
    FrontMatter { is_open: has_settings(&text[start..]), ..none }
}

fn line_end(text: &str, at: usize) -> usize {
    match text[at..].find(['\n', '\r']).map(|end| at + end) {
        Some(end) if text[end..].starts_with("\r\n") => end + 2,
        Some(end) => end + 1,
        None => text.len(),
    }
}

fn begins(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(says_nothing_more)
}

fn ends(line: &str) -> bool {
    ENDS.iter().any(|mark| line.strip_prefix(mark).is_some_and(says_nothing_more))
}

/// Whether the rest of a delimiter is empty or a comment.
fn says_nothing_more(rest: &str) -> bool {
    let comment = rest.trim_start();
    comment.is_empty() || comment.len() < rest.len() && comment.starts_with('#')
}

/// A text's front matter with settings that a host must apply.
///
/// It is YAML; the settings are in `tool_configuration.file_system`.
pub fn settings(text: &str) -> Option<&str> {
    parts(text).front_matter.filter(|yaml| has_settings(yaml))
}

pub(super) fn asks_for_audit(yaml: &str) -> bool {
    let value =
        |line: &str| Some(line.trim_start().strip_prefix("enable_audit_logging:")?.trim_start().to_owned());
    yaml.lines().filter_map(value).any(|value| value.starts_with("true"))
}

/// Whether the settings' name occurs, perhaps escaped. The YAML parser decides about the key.
fn has_settings(yaml: &str) -> bool {
    yaml.contains(SETTINGS) || unescaped(yaml).contains(SETTINGS)
}

/// Whether the name is a key, in YAML or not.
fn names_settings(text: &str) -> bool {
    let text = unescaped(text);
    text.match_indices(SETTINGS).any(|(at, name)| {
        let behind = &text[at + name.len()..];
        behind.trim_start_matches(['"', '\'']).trim_start().starts_with(':')
    })
}

/// Whether another YAML document with settings follows the end at `at`. `...` always ends a
/// document. `---` begins the next one only after an empty one, else it ends the front matter.
fn has_settings_behind(text: &str, yaml: &str, at: usize) -> bool {
    let start = line_end(text, at);
    if text[at..].starts_with("...") {
        return has_settings(&text[start..]);
    }
    let next = document(text, start);
    let end = start + next.len();
    says_nothing(yaml)
        && (names_settings(next) || text[end..].starts_with("...") && has_settings(&text[end..]))
}

/// The YAML document at `start`, without end line.
fn document(text: &str, start: usize) -> &str {
    let mut at = start;
    while at < text.len() {
        let next = line_end(text, at);
        if ends(&text[at..next]) {
            break;
        }
        at = next;
    }
    &text[start..at]
}

fn says_nothing(yaml: &str) -> bool {
    yaml.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('#'))
}

/// The text without double-quote escapes that a name may hold.
fn unescaped(yaml: &str) -> String {
    let mut out = String::with_capacity(yaml.len());
    let mut rest = yaml;
    while let Some(at) = rest.find('\\') {
        out += &rest[..at];
        rest = &rest[at + 1..];
        let kind = rest.chars().next();
        let digits = match kind {
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            _ => 0,
        };
        let number = rest.get(1..1 + digits).filter(|_| digits > 0);
        let character =
            number.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32);
        match (character, kind) {
            (Some(character), _) => {
                out.push(character);
                rest = &rest[1 + digits..];
            }
            // The line continues on the next one.
            (None, Some('\n' | '\r')) => rest = rest.trim_start(),
            (None, Some('\\')) => {
                out += "\\\\";
                rest = &rest[1..];
            }
            (None, _) => out.push('\\'),
        }
    }
    out + rest
}
