//! What stands between two lines `---` at the beginning of a text: YAML, which is not read here.

/// The table in which the settings of the tools stand.
const SETTINGS: &str = "tool_configuration";

/// Lines that end a document of YAML.
const ENDS: [&str; 2] = ["---", "..."];

/// A text in two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrontMatter<'a> {
    /// The YAML, without the lines around it; none if the text begins with something else.
    pub front_matter: Option<&'a str>,
    /// Where the rest begins, in bytes.
    pub body: usize,
    /// The front matter begins, has settings in it, and has no end, or they cannot be read where they stand: in another document of YAML, or
    /// on the line that begins it.
    pub is_open: bool,
}

/// Takes a text apart. Line ends are those of any system, and blank lines may stand before it: nobody who has written settings down is to
/// find that they were not read.
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
        // Something else than a comment may stand there in YAML; of a line across the page only that line is looked at.
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
            // Further down it is a line across the page, unless it is known for what it is.
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
    // A line across the page, unless somebody has forgotten to end what narrows.
    FrontMatter { is_open: has_settings(&text[start..]), ..none }
}

/// Where the line ends that begins there, with its end.
fn line_end(text: &str, at: usize) -> usize {
    match text[at..].find(['\n', '\r']).map(|end| at + end) {
        Some(end) if text[end..].starts_with("\r\n") => end + 2,
        Some(end) => end + 1,
        None => text.len(),
    }
}

/// A line that begins front matter. There may be a comment in it.
fn begins(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(says_nothing_more)
}

/// A line that ends it.
fn ends(line: &str) -> bool {
    ENDS.iter().any(|mark| line.strip_prefix(mark).is_some_and(says_nothing_more))
}

/// The rest of a line with a mark: nothing, or a comment.
fn says_nothing_more(rest: &str) -> bool {
    let comment = rest.trim_start();
    comment.is_empty() || comment.len() < rest.len() && comment.starts_with('#')
}

/// The front matter of a text, if there are settings for the tools in it: what a host has to hold the calls of this text to.
///
/// It is YAML; the settings are in its table `tool_configuration.file_system`.
pub fn settings(text: &str) -> Option<&str> {
    parts(text).front_matter.filter(|yaml| has_settings(yaml))
}

/// It asks for an audit.
pub(super) fn asks_for_audit(yaml: &str) -> bool {
    let value =
        |line: &str| Some(line.trim_start().strip_prefix("enable_audit_logging:")?.trim_start().to_owned());
    yaml.lines().filter_map(value).any(|value| value.starts_with("true"))
}

/// The name stands in it, be it with escapes: who reads the YAML says whether it is the key.
fn has_settings(yaml: &str) -> bool {
    yaml.contains(SETTINGS) || unescaped(yaml).contains(SETTINGS)
}

/// The name stands as a key in a text that need not be YAML.
fn names_settings(text: &str) -> bool {
    let text = unescaped(text);
    text.match_indices(SETTINGS).any(|(at, name)| {
        let behind = &text[at + name.len()..];
        behind.trim_start_matches(['"', '\'']).trim_start().starts_with(':')
    })
}

/// Another document of YAML with settings follows on the one that the line there ends. `...` ends a document for sure, and whatever is
/// behind it may be more of them; `---` begins the next one only where nothing was said before it, else it is what ends front matter.
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

/// What would be a document of YAML that begins there, without the line that ends it.
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

/// A document with nothing but comments.
fn says_nothing(yaml: &str) -> bool {
    yaml.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('#'))
}

/// The text with the escapes of double quotes that can stand for a part of a name.
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
            // The line goes on with the next one.
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
