//! What a policy says, as it is written: in `FSGATE_POLICY` as JSON, in a host's configuration as a table.

use std::fmt;

use serde::{Deserialize, Serialize};

use fsgate_contract::limits::POLICY_BYTES;

/// Policies that all hold. What one takes away no other one gives back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Documents(pub Vec<Document>);

impl Default for Documents {
    /// The profile `default`, and nothing else.
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
    /// Reads one policy, a JSON object, or several, a list of them.
    pub fn parse(text: &str) -> Result<Self, InvalidPolicy> {
        if text.len() > POLICY_BYTES {
            return Err(InvalidPolicy::too_long());
        }
        let is_list = text.trim_start().starts_with('[');
        if is_list { read(text).map(Self) } else { read(text).map(|one: Document| Self(vec![one])) }
    }

    /// The same as a text.
    pub fn to_json(&self) -> String {
        // Records of texts and numbers always have a form in JSON.
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

/// What is wrong with a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidPolicy {
    /// Where, as `rules[2].paths[0]`; `.` is all of it.
    pub field: String,
    /// What.
    pub problem: String,
}

impl fmt::Display for InvalidPolicy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "`{}`: {}", self.field, self.problem)
    }
}

impl std::error::Error for InvalidPolicy {}

impl InvalidPolicy {
    /// All of it.
    pub(super) fn too_long() -> Self {
        Self { field: ".".to_owned(), problem: format!("it has more than {POLICY_BYTES} bytes") }
    }
}

/// A policy: it only takes away from what is granted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Document {
    /// What it begins with. Absent: `default`, or, behind another policy, `open`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// Rules of that profile, by name, that do not hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
    /// Rules beside those of the profile.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
    /// If there are any, or the profile has some: what none of these patterns names is denied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_paths: Vec<String>,
    /// If there are any: files whose name ends in none of these are denied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_extensions: Vec<String>,
    /// Bytes of the largest file that is read or written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_file_size: Option<u64>,
    /// Files that one call may change, and entries that one answer lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_files: Option<u64>,
    /// Deleting needs `confirm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirm_delete: Option<bool>,
    /// What may be done to files with more than one name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linked_files: Option<LinkedFiles>,
    /// What becomes of files that hold a private key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_keys: Option<ContentRule>,
    /// What becomes of files that hold a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executables: Option<ContentRule>,
}

impl Document {
    /// The allowed paths that hold: its own, or, without any, those of its profile.
    pub fn paths_allowed(&self) -> Vec<String> {
        match self.profile {
            Some(profile) if self.allowed_paths.is_empty() => profile.document().allowed_paths,
            _ => self.allowed_paths.clone(),
        }
    }
}

/// A policy to begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// No writing to what runs by itself later, no key material, no stores of credentials.
    Default,
    /// The same, and more of it, hidden.
    Strict,
    /// Nothing is taken away.
    Open,
    /// What the workflow front end's users know.
    Workflow,
    /// What the SHAM front end's users know.
    Clada,
}

/// A rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// What refusals call it.
    pub name: String,
    /// Patterns over paths. What one names holds for everything below it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Ends of files' names, with their dot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// Regular expressions over whole absolute paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regex: Vec<String>,
    /// Patterns over what the rule is not about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<String>,
    /// What it does.
    pub effect: RuleEffect,
    /// Names that are never created beside those in `paths`, nor those beside them. With any, the
    /// rule says nothing else. Profiles alone have such rules.
    #[serde(skip)]
    pub apart: Vec<String>,
}

/// What a rule does, the strongest last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleEffect {
    /// It stays where it is, under its name; what is in it is not meant.
    KeepsName,
    /// It stays where it is, under its name; its content may change.
    NoDelete,
    /// The same, and content is only added at the end.
    AppendOnly,
    /// It is not changed.
    #[default]
    ReadOnly,
    /// It is neither read nor changed; that it is there can be seen.
    Denied,
    /// It is not there.
    Hidden,
}

/// What may be done to files with more than one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkedFiles {
    /// What may be done to others.
    Writable,
    /// Nothing is written to them: a name elsewhere would change with them.
    ReadOnly,
}

/// What becomes of files with a certain content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentRule {
    /// Nothing.
    Allowed,
    /// They are not read.
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
