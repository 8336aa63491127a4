//! The types of keys.

use super::error::ConfigError;
use super::nearest::nearest;
use super::tree::{Tree, Value};

/// The type of a key.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum ValueType {
    /// A text.
    Text,
    /// A text with a check of its own, whose error is a sentence.
    Checked(fn(&str) -> Result<(), String>),
    /// A path of this machine. In a file it starts at the file's directory; `~/` is the home
    /// directory.
    Path,
    /// A path, or this word.
    PathOr(&'static str),
    /// `true` or `false`.
    Truth,
    /// A whole number in this range.
    Number(u64, u64),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// A list of patterns over paths; `~/` is the home directory.
    Patterns,
    /// A list of tables with these fields.
    Records(&'static [RecordField]),
}

/// A field of a table in a list.
#[derive(Debug, Clone, Copy)]
pub struct RecordField {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: ValueType,
    /// Whether it has to be present.
    pub required: bool,
    /// Its meaning.
    pub meaning: &'static str,
}

impl ValueType {
    /// Checks a value, and makes its paths absolute. `home` replaces `~`.
    pub(crate) fn check(self, key: &str, tree: &mut Tree, home: Option<&str>) -> Result<(), ConfigError> {
        let fits = match (self, &tree.value) {
            (
                Self::Text | Self::Checked(_) | Self::Path | Self::PathOr(_) | Self::Choice(_),
                Value::Text(_),
            ) => true,
            (Self::Truth, Value::Truth(_)) => true,
            (Self::Number(least, most), Value::Number(number)) => {
                (i128::from(least)..=i128::from(most)).contains(number)
            }
            (Self::Texts | Self::Patterns | Self::Records(_), Value::List(_)) => true,
            _ => false,
        };
        let wrong = |tree: &Tree, wanted: String| ConfigError::Wrong {
            at: tree.at.clone(),
            key: key.to_owned(),
            wanted,
        };
        if !fits {
            return Err(wrong(tree, self.wanted()));
        }
        let base = tree.at.base();
        match (self, &mut tree.value) {
            (Self::Choice(words), Value::Text(word)) if !words.contains(&word.as_str()) => {
                let meant = nearest(word, words.iter().copied());
                let meant = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
                return Err(wrong(tree, self.wanted() + &meant));
            }
            (Self::Checked(check), Value::Text(text)) => {
                check(text).map_err(|problem| wrong(tree, format!("something else: {problem}")))?;
            }
            (Self::PathOr(word), Value::Text(path)) if path == word => {}
            (Self::Path | Self::PathOr(_), Value::Text(path)) => {
                if path.is_empty() {
                    return Err(wrong(tree, self.wanted()));
                }
                *path = at_home(path, home);
                if let Some(whole) =
                    base.and_then(|base| base.join(&path).into_os_string().into_string().ok())
                {
                    *path = whole;
                }
            }
            (Self::Texts | Self::Patterns, Value::List(items)) => {
                for item in items {
                    match &mut item.value {
                        // Without a home directory, `~` would be a plain name and match nothing.
                        Value::Text(text)
                            if matches!(self, Self::Patterns) && home.is_none() && is_at_home(text) =>
                        {
                            let unset = "; `~` is the home directory, and `HOME` is not set";
                            return Err(wrong(item, self.wanted() + unset));
                        }
                        Value::Text(text) if matches!(self, Self::Patterns) => *text = at_home(text, home),
                        Value::Text(_) => {}
                        _ => return Err(wrong(item, self.wanted())),
                    }
                }
            }
            (Self::Records(fields), Value::List(items)) => {
                for (n, item) in items.iter_mut().enumerate() {
                    record(fields, &format!("{key}[{n}]"), item, home)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The expected value, to follow “has to be”.
    pub(crate) fn wanted(self) -> String {
        match self {
            Self::Text | Self::Checked(_) => "a text".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::PathOr(word) => format!("a path, or `{word}`"),
            Self::Truth => "`true` or `false`".to_owned(),
            Self::Number(0, u64::MAX) => "a whole number".to_owned(),
            Self::Number(least, u64::MAX) => format!("a whole number from {least} on"),
            Self::Number(least, most) => format!("a whole number from {least} to {most}"),
            Self::Choice(words) => {
                let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
                format!("one of {}", words.join(", "))
            }
            Self::Texts => "a list of texts".to_owned(),
            Self::Patterns => "a list of patterns, which are texts".to_owned(),
            Self::Records(fields) => {
                let names: Vec<_> = fields.iter().map(|field| format!("`{}`", field.name)).collect();
                format!("a list of tables with {}", names.join(", "))
            }
        }
    }
}

fn at_home(path: &str, home: Option<&str>) -> String {
    match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => path.to_owned(),
    }
}

fn is_at_home(path: &str) -> bool {
    path.strip_prefix('~').is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn record(
    fields: &'static [RecordField],
    key: &str,
    tree: &mut Tree,
    home: Option<&str>,
) -> Result<(), ConfigError> {
    let at = tree.at.clone();
    let wrong = |wanted: String| ConfigError::Wrong { at: at.clone(), key: key.to_owned(), wanted };
    let Value::Table(entries) = &mut tree.value else {
        return Err(wrong("a table".to_owned()));
    };
    for (name, below) in entries.iter_mut() {
        let whole = format!("{key}.{}", name.text);
        let Some(field) = fields.iter().find(|field| field.name == name.text) else {
            let nearest = nearest(&name.text, fields.iter().map(|field| field.name));
            return Err(ConfigError::UnknownKey { at: name.at.clone(), key: whole, nearest });
        };
        field.kind.check(&whole, below, home)?;
    }
    match fields
        .iter()
        .find(|field| field.required && !entries.iter().any(|(name, _)| name.text == field.name))
    {
        Some(missing) => Err(wrong(format!("a table with `{}`: {}", missing.name, missing.meaning))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::config::tree::Origin;

    const FIELDS: &[RecordField] = &[
        RecordField { name: "name", kind: ValueType::Text, required: true, meaning: "its name" },
        RecordField { name: "paths", kind: ValueType::Patterns, required: false, meaning: "" },
    ];

    fn check(kind: ValueType, json: Json) -> Result<Json, String> {
        let mut tree = Tree::from_json(json, &Origin::file(std::path::Path::new("/etc/f.toml")));
        kind.check("k", &mut tree, Some("/home/me")).map_err(|error| error.to_string())?;
        Ok(tree.to_json())
    }

    #[test]
    fn what_fits_is_taken() {
        for (kind, value, taken) in [
            (ValueType::Text, json!(""), json!("")),
            (ValueType::Truth, json!(true), json!(true)),
            (ValueType::Number(1, 9), json!(9), json!(9)),
            (ValueType::Number(0, u64::MAX), json!(u64::MAX), json!(u64::MAX)),
            (ValueType::Choice(&["a", "b"]), json!("b"), json!("b")),
            (ValueType::Texts, json!([]), json!([])),
            (ValueType::Texts, json!(["~/a"]), json!(["~/a"])),
            // Paths start at the file, patterns stay patterns.
            (ValueType::Path, json!("x/y"), json!("/etc/x/y")),
            (ValueType::Path, json!("/x"), json!("/x")),
            (ValueType::Path, json!("~"), json!("/home/me")),
            (ValueType::Path, json!("~/x"), json!("/home/me/x")),
            (ValueType::Path, json!("~x"), json!("/etc/~x")),
            (ValueType::PathOr("auto"), json!("auto"), json!("auto")),
            (ValueType::PathOr("auto"), json!("./auto"), json!("/etc/./auto")),
            (ValueType::Patterns, json!(["~/a", "./b", "c"]), json!(["/home/me/a", "./b", "c"])),
            (
                ValueType::Records(FIELDS),
                json!([{"name": "n", "paths": ["~/a"]}]),
                json!([{"name": "n", "paths": ["/home/me/a"]}]),
            ),
        ] {
            assert_eq!(check(kind, value.clone()), Ok(taken), "{value}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_would() {
        for (kind, value, refused) in [
            (ValueType::Text, json!(1), "`k` has to be a text"),
            (ValueType::Text, json!(null), "`k` has to be a text"),
            (ValueType::Truth, json!("yes"), "`k` has to be `true` or `false`"),
            (ValueType::Number(1, 9), json!(0), "a whole number from 1 to 9"),
            (ValueType::Number(1, u64::MAX), json!(-1), "a whole number from 1 on"),
            (ValueType::Number(0, u64::MAX), json!(1.5), "a whole number"),
            (ValueType::Number(0, u64::MAX), json!("1"), "a whole number"),
            (
                ValueType::Choice(&["process", "power"]),
                json!("Power"),
                "one of `process`, `power`; did you mean `power`?",
            ),
            (ValueType::Path, json!(""), "a path"),
            (ValueType::Texts, json!("a"), "a list of texts"),
            (ValueType::Texts, json!(["a", 1]), "a list of texts"),
            (ValueType::Records(FIELDS), json!({"name": "n"}), "a list of tables with `name`, `paths`"),
            (ValueType::Records(FIELDS), json!([1]), "`k[0]` has to be a table"),
            (
                ValueType::Records(FIELDS),
                json!([{"paths": []}]),
                "`k[0]` has to be a table with `name`: its name",
            ),
            (ValueType::Records(FIELDS), json!([{"name": 1}]), "`k[0].name` has to be a text"),
            (
                ValueType::Records(FIELDS),
                json!([{"name": "n"}, {"name": "n", "path": []}]),
                "no key `k[1].path`; did you mean `paths`?",
            ),
        ] {
            let sentence = check(kind, value.clone()).unwrap_err();
            assert!(sentence.contains(refused), "{value}: {sentence}");
        }
    }
}
