//! Tags in documentation: `@default`, `@agent-default`, `@range`, `@empty`, `@annotation`,
//! `@example`.

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The meaning of an absent option.
#[derive(Debug, Clone, PartialEq)]
pub enum Default {
    /// A value of the option's own type.
    Value(Value),
    /// A meaning in words.
    Meaning(String),
}

/// A parsed documentation comment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Documentation {
    /// The prose, without the tag lines.
    pub text: String,
    /// `@default 10` or `@default none every line`.
    pub default: Option<Default>,
    /// `@agent-default 10`: the default of `agent.call`.
    pub agent_default: Option<Value>,
    /// `@range 1..=10`.
    pub range: Option<(u64, u64)>,
    /// `@empty absent`: an empty argument, where the operation's effect implies something else.
    pub empty: Option<Empty>,
    /// `@annotation read-only idempotent`.
    pub annotation: Option<Annotation>,
    /// `@example {…}`, one each.
    pub examples: Vec<Value>,
}

/// The meaning of an empty text or list as an optional argument in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Empty {
    /// Left out: the default of reading operations.
    Absent,
    /// The call is refused: the default of changing operations, where a condition or choice may be
    /// lost.
    Refused,
    /// An ordinary value.
    Value,
}

/// An operation's behaviour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Annotation {
    /// It changes nothing.
    pub read_only: bool,
    /// It may change or remove something.
    pub destructive: bool,
    /// A second call changes nothing more.
    pub idempotent: bool,
}

impl Documentation {
    /// Parses a comment; an unknown or invalid tag is an error.
    pub fn parse(comment: Option<&str>) -> Result<Self> {
        let mut parsed = Self::default();
        let mut text = Vec::new();
        for line in comment.unwrap_or_default().lines() {
            let line = line.trim_end();
            match line.trim_start().strip_prefix('@') {
                Some(tag) => parsed.tag(tag).with_context(|| format!("in the tag `@{tag}`"))?,
                None => text.push(line),
            }
        }
        parsed.text = text.join("\n").trim().to_owned();
        Ok(parsed)
    }

    fn tag(&mut self, tag: &str) -> Result<()> {
        let (name, value) = tag.split_once(' ').unwrap_or((tag, ""));
        let value = value.trim();
        match name {
            "default" => {
                self.default = Some(match value.strip_prefix("none ") {
                    Some(meaning) => Default::Meaning(meaning.to_owned()),
                    None => Default::Value(serde_json::from_str(value)?),
                });
            }
            "agent-default" => self.agent_default = Some(serde_json::from_str(value)?),
            "range" => {
                let (low, high) = value.split_once("..=").context("a range is written `low..=high`")?;
                self.range = Some((low.parse()?, high.parse()?));
            }
            "empty" => {
                self.empty = Some(match value {
                    "absent" => Empty::Absent,
                    "refused" => Empty::Refused,
                    "value" => Empty::Value,
                    _ => bail!("`{value}` is none of absent, refused, value"),
                });
            }
            "annotation" => self.annotation = Some(Annotation::parse(value)?),
            "example" => {
                let example: Value = serde_json::from_str(value)?;
                if !example.is_object() {
                    bail!("an example is a JSON object");
                }
                self.examples.push(example);
            }
            _ => bail!("no such tag"),
        }
        Ok(())
    }
}

impl Annotation {
    fn parse(words: &str) -> Result<Self> {
        let mut annotation = Self::default();
        let mut effects = 0;
        for word in words.split_whitespace() {
            match word {
                "read-only" => (annotation.read_only, effects) = (true, effects + 1),
                "additive" => effects += 1,
                "destructive" => (annotation.destructive, effects) = (true, effects + 1),
                "idempotent" => annotation.idempotent = true,
                _ => bail!("`{word}` is none of read-only, additive, destructive, idempotent"),
            }
        }
        if effects != 1 {
            bail!("say exactly one of read-only, additive, destructive");
        }
        Ok(annotation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn takes_prose_and_tags_apart() {
        let parsed = Documentation::parse(Some(
            "Largest number of lines.\n@default 10\n@agent-default 5\nMore prose.\n@range 1..=20",
        ))
        .unwrap();
        assert_eq!(parsed.text, "Largest number of lines.\nMore prose.");
        assert_eq!(parsed.default, Some(Default::Value(json!(10))));
        assert_eq!(parsed.agent_default, Some(json!(5)));
        assert_eq!(parsed.range, Some((1, 20)));
    }

    #[test]
    fn a_default_may_be_a_meaning() {
        let parsed = Documentation::parse(Some("@default none every line")).unwrap();
        assert_eq!(parsed.default, Some(Default::Meaning("every line".to_owned())));
    }

    #[test]
    fn annotations_name_exactly_one_effect() {
        let annotation = |words: &str| Documentation::parse(Some(&format!("@annotation {words}")));
        let read = annotation("read-only idempotent").unwrap().annotation.unwrap();
        assert!(read.read_only && read.idempotent && !read.destructive);
        assert!(annotation("idempotent").is_err());
        assert!(annotation("read-only destructive").is_err());
        assert!(annotation("harmless").is_err());
    }

    #[test]
    fn refuses_what_it_does_not_understand() {
        for comment in
            ["@defualt 1", "@default ten", "@range 1-2", "@range a..=b", "@example [1]", "@agent-default x"]
        {
            assert!(Documentation::parse(Some(comment)).is_err(), "{comment}");
        }
    }
}
