//! What stands between two lines `---` at the beginning of a text: YAML, which is not read here.

/// The table in which the settings of the tools stand.
const SETTINGS: &str = "tool_configuration";

/// A text in two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts<'a> {
    /// The YAML, without the lines around it; none if the text begins with something else.
    pub front_matter: Option<&'a str>,
    /// Where the rest begins, in bytes.
    pub body: usize,
    /// The front matter begins, has settings in it, and has no end, or they cannot be read where they stand.
    pub is_open: bool,
}

/// Takes a text apart. Line ends are those of any system, and blank lines may stand before it: nobody who has written settings down is to
/// find that they were not read.
pub fn parts(text: &str) -> Parts<'_> {
    let none = Parts { front_matter: None, body: 0, is_open: false };
    let mark = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    let mut at = mark + text[mark..].find(|c: char| !c.is_whitespace()).unwrap_or_default();
    at = text[..at].rfind(['\n', '\r']).map_or(mark, |end| end + 1);
    let begin = at;
    let first = line_end(text, at);
    if !text[at..].starts_with("---") {
        return none;
    }
    if !begins(&text[at..first]) {
        return Parts { is_open: has_settings(&text[at..first]), ..none };
    }
    let start = first;
    at = first;
    while at < text.len() {
        let next = line_end(text, at);
        if matches!(text[at..next].trim_end(), "---" | "...") {
            let yaml = &text[start..at];
            let is_first = begin == mark;
            // Further down it is a line across the page, unless it is known for what it is.
            return match is_first || has_settings(yaml) {
                true => Parts { front_matter: Some(yaml), body: next, is_open: false },
                false => none,
            };
        }
        at = next;
    }
    // A line across the page, unless somebody has forgotten to end what narrows.
    Parts { is_open: has_settings(&text[start..]), ..none }
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
    line.strip_prefix("---").is_some_and(|rest| {
        let comment = rest.trim_start();
        comment.is_empty() || comment.len() < rest.len() && comment.starts_with('#')
    })
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

fn has_settings(yaml: &str) -> bool {
    yaml.contains(SETTINGS)
}
