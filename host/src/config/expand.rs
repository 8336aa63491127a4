//! Variables in the texts of a file: `${NAME}` and `${NAME:-DEFAULT}`.

use super::error::ConfigError;
use super::tree::{Origin, Tree, Value};

/// Variables for project files too: locations and names, no secrets. An agent can discover their
/// values in rules and patterns.
const PLACES: [&str; 9] = [
    "HOME",
    "LOGNAME",
    "PWD",
    "TMPDIR",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

pub(crate) struct Variables<'a> {
    pub(crate) find: &'a dyn Fn(&str) -> Option<String>,
    /// Whether all of them apply, because the file is an operator's.
    pub(crate) all: bool,
}

impl Variables<'_> {
    /// Expands every text except the keys.
    pub(crate) fn expand(&self, tree: &mut Tree) -> Result<(), ConfigError> {
        match &mut tree.value {
            Value::Text(text) => *text = self.text(text, &tree.at)?,
            Value::List(items) => items.iter_mut().try_for_each(|item| self.expand(item))?,
            Value::Table(entries) => entries.iter_mut().try_for_each(|(_, below)| self.expand(below))?,
            Value::Nothing | Value::Truth(_) | Value::Number(_) | Value::Other(_) => {}
        }
        Ok(())
    }

    /// A `$` without a brace is literal: regular expressions have many.
    fn text(&self, text: &str, at: &Origin) -> Result<String, ConfigError> {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some(found) = rest.find("${") {
            let (before, from) = rest.split_at(found);
            if let Some(literal) = before.strip_suffix('$') {
                expanded.push_str(literal);
                expanded.push_str("${");
                rest = &from[2..];
                continue;
            }
            expanded.push_str(before);
            let bad = || ConfigError::NoVariable { at: at.clone(), text: from.to_owned() };
            let end = from.find('}').ok_or_else(bad)?;
            let inside = &from[2..end];
            let (name, default) = match inside.split_once(":-") {
                Some((name, default)) => (name, Some(default)),
                None => (inside, None),
            };
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if name.is_empty() || !name.chars().all(is_name) || name.starts_with(|c: char| c.is_ascii_digit())
            {
                return Err(bad());
            }
            if !self.all && !PLACES.contains(&name) {
                let allowed = PLACES.map(|name| format!("`{name}`")).join(", ");
                return Err(ConfigError::Private { at: at.clone(), name: name.to_owned(), allowed });
            }
            // As in a shell, a default replaces an empty value too.
            let value = match ((self.find)(name), default) {
                (Some(value), Some(default)) if value.is_empty() => default.to_owned(),
                (Some(value), _) => value,
                (None, Some(default)) => default.to_owned(),
                (None, None) => return Err(ConfigError::Unset { at: at.clone(), name: name.to_owned() }),
            };
            expanded.push_str(&value);
            rest = &from[end + 1..];
        }
        expanded.push_str(rest);
        Ok(expanded)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn expand(text: &str, all: bool) -> Result<String, String> {
        let find = |name: &str| match name {
            "HOME" => Some("/home/me".to_owned()),
            "EMPTY" => Some(String::new()),
            "TOKEN" => Some("secret${HOME}".to_owned()),
            _ => None,
        };
        Variables { find: &find, all }
            .text(text, &Origin::file(Path::new("f")).line(3))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn variables_stand_for_their_values() {
        for (text, expected) in [
            ("", ""),
            ("plain", "plain"),
            ("${HOME}/x", "/home/me/x"),
            ("${HOME}${HOME}", "/home/me/home/me"),
            ("${NONE:-/tmp}/x", "/tmp/x"),
            ("${NONE:-}", ""),
            ("${EMPTY:-x}", "x"),
            ("${EMPTY}", ""),
            ("${HOME:-x}", "/home/me"),
            // Values are not expanded again.
            ("${TOKEN}", "secret${HOME}"),
            // Any other dollar is literal.
            (r"\.exe$", r"\.exe$"),
            ("$HOME", "$HOME"),
            ("^a$|^b$", "^a$|^b$"),
            ("$${HOME}", "${HOME}"),
            ("a$$${HOME}", "a$${HOME}"),
        ] {
            assert_eq!(expand(text, true).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_stands_for_nothing_is_refused_with_its_line() {
        for (text, all, expected) in [
            ("${NONE}", true, "the variable `NONE` is not set"),
            ("${HOME", true, "`${HOME` is no variable"),
            ("x ${}", true, "`${}` is no variable"),
            ("${:-x}", true, "is no variable"),
            ("${1}", true, "is no variable"),
            ("${A B}", true, "is no variable"),
            ("${TOKEN}", false, "cannot use the variable `TOKEN`"),
            ("${TOKEN:-x}", false, "cannot use the variable `TOKEN`"),
            ("${NONE}", false, "cannot use the variable `NONE`"),
        ] {
            let refused = expand(text, all).unwrap_err();
            assert!(refused.starts_with("f:3: ") && refused.contains(expected), "{text}: {refused}");
        }
        assert_eq!(expand("${HOME}", false).as_deref(), Ok("/home/me"));
    }
}
