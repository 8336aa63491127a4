//! Policy: rules that remove access from grants.
//!
//! This crate parses policies and judges names and bytes, for a volume's guard and the commit path.
//! A policy grants nothing, so a mistaken pattern only locks out. Spellings that some file system
//! equates are one name ([`fsgate_text::fold`]).

#![forbid(unsafe_code)]

mod casefold;
mod content;
mod document;
mod grants;
mod known_files;
mod path_state;
mod pattern;
mod position;
mod profiles;
mod read_rules;
mod regex_reach;
mod rules;
pub mod start;
#[cfg(test)]
mod tests;

pub use casefold::folded;
pub use content::CONTENT_HEAD;
pub use document::{ContentRule, Document, Documents, InvalidPolicy, LinkedFiles, Profile, Rule, RuleEffect};
pub use grants::Grants;
pub use grants::MachinePaths;
pub use known_files::{AGENTS_WORK, Evidence, LOOKED_UP, PatternSource, SOURCES};
pub use path_state::PathState;
pub use position::PolicyPosition;
pub use profiles::ENVIRONMENT_FILES;
pub use read_rules::ReadRules;

use fsgate_contract::limits::POLICY_BYTES;
use rules::RuleTable;

/// A compiled policy.
#[derive(Debug, Default)]
pub struct Policy {
    source: String,
    rules: RuleTable,
    reading: ReadRules,
    limits: PolicyLimits,
    private_keys: Option<RuleId>,
    executables: Option<RuleId>,
}

/// The index of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(u16);

/// The limits of a policy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PolicyLimits {
    /// The bytes of the largest file to read or write.
    pub max_file_size: Option<u64>,
    /// Files that one call may change and entries of one answer, and the rule's name.
    pub max_files: Option<(u64, RuleId)>,
    /// Deleting needs `confirm`.
    pub confirm_delete: bool,
    /// Files with several names are not written.
    pub linked_files: Option<RuleId>,
}

/// The rule behind each restriction of a name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ruling {
    /// It does not exist for the agent.
    pub hidden: Option<RuleId>,
    /// It is neither read nor changed.
    pub denied: Option<RuleId>,
    /// It is not changed.
    pub read_only: Option<RuleId>,
    /// It only grows at its end.
    pub append_only: Option<RuleId>,
    /// It and its content keep their names.
    pub no_delete: Option<RuleId>,
    /// It keeps its name.
    pub keeps_name: Option<RuleId>,
}

impl Ruling {
    /// The rule against reading.
    pub fn against_reading(&self) -> Option<RuleId> {
        self.hidden.or(self.denied)
    }

    /// The rule against creating and appending.
    pub fn against_adding(&self) -> Option<RuleId> {
        self.against_reading().or(self.read_only)
    }

    /// The rule against changing content.
    pub fn against_changing(&self) -> Option<RuleId> {
        self.against_adding().or(self.append_only)
    }

    /// The rule against removing the name: deleting, moving and replacing.
    pub fn against_deleting(&self) -> Option<RuleId> {
        self.against_changing().or(self.no_delete).or(self.keeps_name)
    }

    /// The ruling for a directory's content.
    pub fn within(self) -> Self {
        Self { keeps_name: None, ..self }
    }

    /// Whether there is no restriction.
    pub fn is_free(&self) -> bool {
        *self == Self::default()
    }

    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            hidden: self.hidden.or(other.hidden),
            denied: self.denied.or(other.denied),
            read_only: self.read_only.or(other.read_only),
            append_only: self.append_only.or(other.append_only),
            no_delete: self.no_delete.or(other.no_delete),
            keeps_name: self.keeps_name.or(other.keeps_name),
        }
    }

    fn apply(&mut self, effect: RuleEffect, rule: RuleId) {
        let taken = match effect {
            RuleEffect::Hidden => &mut self.hidden,
            RuleEffect::Denied => &mut self.denied,
            RuleEffect::ReadOnly => &mut self.read_only,
            RuleEffect::AppendOnly => &mut self.append_only,
            RuleEffect::NoDelete => &mut self.no_delete,
            RuleEffect::KeepsName => &mut self.keeps_name,
        };
        taken.get_or_insert(rule);
    }
}

impl Policy {
    /// A policy without restrictions.
    pub fn open() -> Self {
        Self::default()
    }

    /// Compiles policies that hold together.
    pub fn compile(documents: &Documents) -> Result<Self, InvalidPolicy> {
        // Longer ones compile slowly and are too long to hand on.
        let source = documents.to_json();
        if source.len() > POLICY_BYTES {
            return Err(InvalidPolicy::too_long());
        }
        let mut policy = Self { source, ..Self::default() };
        for (number, document) in documents.0.iter().enumerate() {
            let place = if documents.0.len() > 1 { format!("[{number}].") } else { String::new() };
            let at = |field: &str| format!("{place}{field}");
            let usual = if number == 0 { Profile::Default } else { Profile::Open };
            let profile = document.profile.unwrap_or(usual).document();
            for name in &document.except {
                if !profile.rules.iter().any(|rule| rule.name == *name) {
                    let names: Vec<_> = profile.rules.iter().map(|rule| &rule.name[..]).collect();
                    let problem = format!("the profile has no rule `{name}`; it has: {}", names.join(", "));
                    return Err(InvalidPolicy { field: at("except"), problem });
                }
            }
            for rule in profile.rules.iter().filter(|rule| !document.except.contains(&rule.name)) {
                policy.rules.add(rule, &at("profile"))?;
                policy.reading.add(rule);
            }
            for (number, rule) in document.rules.iter().enumerate() {
                policy.rules.add(rule, &at(&format!("rules[{number}]")))?;
                policy.reading.add(rule);
            }
            policy.rules.allow_paths(&document.allowed_paths, &at("allowed_paths"))?;
            policy.reading.add_allowed("allowed_paths", &document.allowed_paths);
            policy.rules.allow_extensions(&document.allowed_extensions, &at("allowed_extensions"))?;
            policy.reading.add_allowed("allowed_extensions", &document.allowed_extensions);
            policy.restrict(&Document {
                max_file_size: document.max_file_size.or(profile.max_file_size),
                max_files: document.max_files.or(profile.max_files),
                confirm_delete: document.confirm_delete.or(profile.confirm_delete),
                linked_files: document.linked_files.or(profile.linked_files),
                private_keys: document.private_keys.or(profile.private_keys),
                executables: document.executables.or(profile.executables),
                ..Document::default()
            });
        }
        if !policy.reading.is_empty() {
            policy.rules.hide_unfinished();
        }
        Ok(policy)
    }

    fn restrict(&mut self, by: &Document) {
        let limits = &mut self.limits;
        limits.max_file_size = limits.max_file_size.into_iter().chain(by.max_file_size).min();
        limits.confirm_delete |= by.confirm_delete == Some(true);
        if let Some(files) = by.max_files {
            let rule = self.rules.named("max_files");
            limits.max_files = limits.max_files.into_iter().chain([(files, rule)]).min();
        }
        if by.linked_files == Some(LinkedFiles::ReadOnly) {
            limits.linked_files = Some(self.rules.named("linked_files"));
        }
        if by.private_keys == Some(ContentRule::Denied) {
            self.private_keys = Some(self.rules.named("private_keys"));
            self.reading.add_contents("private_keys");
        }
        if by.executables == Some(ContentRule::Denied) {
            self.executables = Some(self.rules.named("executables"));
            self.reading.add_contents("executables");
        }
    }

    /// The text of the policy.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The state at the namespace's root.
    pub fn start(&self) -> PathState {
        PathState::default()
    }

    /// The name of a rule.
    pub fn rule(&self, id: RuleId) -> &str {
        self.rules.name(id)
    }

    /// The rule against reading a file with these bytes, up to [`CONTENT_HEAD`].
    pub fn content(&self, head: &[u8]) -> Option<RuleId> {
        let head = &head[..head.len().min(CONTENT_HEAD)];
        let key = self.private_keys.filter(|_| content::is_private_key(head));
        key.or_else(|| self.executables.filter(|_| content::is_program(head)))
    }

    /// Whether content is judged.
    pub fn judges_content(&self) -> bool {
        self.private_keys.is_some() || self.executables.is_some()
    }

    /// Whether listings need filtering.
    pub fn hides(&self) -> bool {
        self.rules.hides()
    }

    /// The rule that hides temporary names of changes under way or cut off.
    pub fn unfinished(&self) -> Option<RuleId> {
        self.rules.unfinished()
    }

    /// Whether no rule is about names.
    pub fn rules_no_name(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rule whose paths lead through a name, or that is about it only as a directory. No link
    /// may have that name: it decides which files the rule covers.
    pub fn passage(&self, at: &PathState, name: &str) -> Option<RuleId> {
        self.rules.passage(at, name)
    }

    /// The same for rules with the name in them: such a link is not removed.
    pub fn named_passage(&self, at: &PathState, name: &str) -> Option<RuleId> {
        self.rules.named_passage(at, name)
    }

    /// The rules that keep this name apart from others.
    pub fn apart(&self, name: &str) -> impl Iterator<Item = (RuleId, &str)> {
        self.rules.apart(name)
    }

    /// The rules against reading, without limits and rules against changing.
    pub fn reading(&self) -> &ReadRules {
        &self.reading
    }

    /// The limits.
    pub fn limits(&self) -> &PolicyLimits {
        &self.limits
    }
}
