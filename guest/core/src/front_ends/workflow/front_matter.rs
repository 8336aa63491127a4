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
    /// The front matter begins, has settings in it, and has no end.
    pub is_open: bool,
}

/// Takes a text apart.
pub fn parts(text: &str) -> Parts<'_> {
    let none = Parts { front_matter: None, body: 0, is_open: false };
    let mark = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    let mut lines = text[mark..].split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else { return none };
    let start = mark + first.len();
    let mut at = start;
    for line in lines {
        let next = at + line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return Parts { front_matter: Some(&text[start..at]), body: next, is_open: false };
        }
        at = next;
    }
    // A line across the page, unless somebody has forgotten to end what narrows.
    Parts { is_open: has_settings(&text[start..]), ..none }
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
