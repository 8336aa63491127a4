//! Policies as written: JSON in `FSGATE_POLICY`, a table in a configuration.

use std::fmt;

use serde::{Deserialize, Serialize};

use fsgate_contract::limits::POLICY_BYTES;

/// Policies that hold together: none restores access that another removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Documents(pub Vec<Document>);

impl Default for Documents {
    fn default() -> Self {
        Self(vec![Document::default()])
    }
}

impl From<Document> for Documents {
    fn from(document: Document) -> Self {
        Self(vec![document])
    }
}

impl Documents {
    /// Parses a policy or a list of them.
    pub fn parse(text: &str) -> Result<Self, InvalidPolicy> {
        if text.len() > POLICY_BYTES {
            return Err(InvalidPolicy::too_long());
        }
        let is_list = text.trim_start().starts_with('[');
        if is_list { read(text).map(Self) } else { read(text).map(|one: Document| Self(vec![one])) }
    }

    /// The JSON text.
    pub fn to_json(&self) -> String {
        // Records of texts and numbers have a form in JSON.
        match &self.0[..] {
            [one] => serde_json::to_string(one),
            several => serde_json::to_string(several),
        }
        .unwrap_or_default()
    }
}

fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, InvalidPolicy> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| InvalidPolicy {
        field: error.path().to_string(),
        problem: error.inner().to_string(),
    })?;
    json.end().map_err(|error| InvalidPolicy { field: ".".to_owned(), problem: error.to_string() })?;
    Ok(value)
}

/// A mistake in a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidPolicy {
    /// The field, such as `rules[2].paths[0]`; `.` is the whole policy.
    pub field: String,
    /// The mistake.
    pub problem: String,
}

impl fmt::Display for InvalidPolicy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "`{}`: {}", self.field, self.problem)
    }
}

impl std::error::Error for InvalidPolicy {}

impl InvalidPolicy {
    pub(super) fn too_long() -> Self {
        Self { field: ".".to_owned(), problem: format!("it has more than {POLICY_BYTES} bytes") }
    }
}

/// A policy: it only removes access from grants.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Document {
    /// The profile to start from: `default`, or `open` for a further policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// Rules of the profile to leave out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
    /// Rules beside those of the profile.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
    /// Paths outside of these patterns are denied, if any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_paths: Vec<String>,
    /// Files without these extensions are denied, if any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_extensions: Vec<String>,
    /// The bytes of the largest file to read or write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_file_size: Option<u64>,
    /// Files that one call may change, and entries of one answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_files: Option<u64>,
    /// Deleting needs `confirm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirm_delete: Option<bool>,
    /// The treatment of files with several names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linked_files: Option<LinkedFiles>,
    /// The treatment of files with a private key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_keys: Option<ContentRule>,
    /// The treatment of programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executables: Option<ContentRule>,
}

/// A built-in policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// No writing to files that run later; no access to keys and credentials.
    Default,
    /// Like `default`, with more rules that hide.
    Strict,
    /// No restrictions.
    Open,
    /// The usual policy of the workflow front end.
    Workflow,
}

/// A rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its name in refusals.
    pub name: String,
    /// Patterns over paths and all below them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// File extensions, with their dot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// Regular expressions over absolute paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regex: Vec<String>,
    /// Patterns of exceptions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<String>,
    /// Its effect.
    pub effect: RuleEffect,
    /// Names that never exist beside those in `paths`, the only effect. Only profiles have them.
    #[serde(skip)]
    pub apart: Vec<String>,
}

/// The effect of a rule, the strongest last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleEffect {
    /// It keeps its name and place; its content is free.
    KeepsName,
    /// It and its content keep their names; bytes may change.
    NoDelete,
    /// Also, content only grows at the end.
    AppendOnly,
    /// It is not changed.
    #[default]
    ReadOnly,
    /// It is visible but neither read nor changed.
    Denied,
    /// It does not exist for the agent.
    Hidden,
}

/// The treatment of files with several names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkedFiles {
    /// Like any file.
    Writable,
    /// They are not written: another name would change with them.
    ReadOnly,
}

/// The treatment of a kind of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentRule {
    /// Allowed.
    Allowed,
    /// Not read.
    Denied,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_again() {
        let rule = Rule {
            name: "logs".to_owned(),
            paths: vec!["logs/".to_owned()],
            effect: RuleEffect::AppendOnly,
            ..Rule::default()
        };
        let one = Document {
            profile: Some(Profile::Strict),
            rules: vec![rule],
            max_files: Some(3),
            ..Document::default()
        };
        for documents in [
            Documents::default(),
            Documents(vec![one.clone()]),
            Documents(vec![one, Document::default()]),
            Documents(Vec::new()),
        ] {
            assert_eq!(Documents::parse(&documents.to_json()), Ok(documents));
        }
    }

    #[test]
    fn one_that_is_too_long_is_refused_however_it_comes() {
        let long = Document { allowed_paths: vec!["x".repeat(POLICY_BYTES / 4); 4], ..Document::default() };
        let long = Documents(vec![long]);
        assert_eq!(Documents::parse(&long.to_json()), Err(InvalidPolicy::too_long()));
        assert_eq!(crate::Policy::compile(&long).map(drop), Err(InvalidPolicy::too_long()));
    }

    #[test]
    fn what_cannot_be_read_is_told_by_its_place() {
        for (text, field) in [
            ("", "."),
            ("{} x", "."),
            (r#"{"profil": "open"}"#, "profil"),
            (r#"{"profile": "lax"}"#, "profile"),
            (r#"[{}, {"rules": [{"name": "a", "effect": "gone"}]}]"#, "[1].rules[0].effect"),
            (r#"{"rules": [{"name": "a"}]}"#, "rules[0]"),
            (r#"{"max_files": -1}"#, "max_files"),
        ] {
            assert_eq!(
                Documents::parse(text).map_err(|invalid| invalid.field),
                Err(field.to_owned()),
                "{text}"
            );
        }
    }
}
