//! Policy: the rules that take something away from the granted directories.
//!
//! This crate reads policies and holds names against them: names and bytes in, rulings out. The
//! guard around a volume and the writer of changes ask it. A policy never grants anything, so a
//! mistake in a pattern can lock out, and not let out. Two spellings that some file system takes
//! for one name are one name here ([`fsgate_text::fold`]).

#![forbid(unsafe_code)]

mod ahead;
mod content;
mod document;
mod folded;
mod grants;
mod known;
mod pattern;
mod profiles;
mod reading;
mod rules;
mod standpoint;
pub mod start;
#[cfg(test)]
mod tests;
mod trail;

pub use content::CONTENT_HEAD;
pub use document::{Contents, Document, Documents, Effect, Invalid, LinkedFiles, Profile, Rule};
pub use folded::folded;
pub use grants::Grants;
pub use grants::MachinePaths;
pub use known::{AGENTS_WORK, LOOKED_UP, SOURCES, Seen, Source};
pub use profiles::ENVIRONMENT_FILES;
pub use reading::Reading;
pub use standpoint::Standpoint;
pub use trail::Trail;

use fsgate_contract::limits::POLICY_BYTES;
use rules::Rules;

/// A policy that names can be held against.
#[derive(Debug, Default)]
pub struct Policy {
    /// What it was made of.
    source: String,
    rules: Rules,
    reading: Reading,
    limits: PolicyLimits,
    private_keys: Option<RuleId>,
    executables: Option<RuleId>,
}

/// Which rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(u16);

/// What a policy says about numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PolicyLimits {
    /// Bytes of the largest file that is read or written.
    pub max_file_size: Option<u64>,
    /// Files that one call may change, and entries that one answer lists; and the rule's name in a refusal.
    pub max_files: Option<(u64, RuleId)>,
    /// Deleting needs `confirm`.
    pub confirm_delete: bool,
    /// Nothing is written to files with more than one name.
    pub linked_files: Option<RuleId>,
}

/// What a policy says about a name: the rule for each thing that it takes away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ruling {
    /// It is not there.
    pub hidden: Option<RuleId>,
    /// It is neither read nor changed.
    pub denied: Option<RuleId>,
    /// It is not changed.
    pub read_only: Option<RuleId>,
    /// It only grows at its end.
    pub append_only: Option<RuleId>,
    /// It keeps its name, and so does what is in it.
    pub no_delete: Option<RuleId>,
    /// It keeps its name.
    pub keeps_name: Option<RuleId>,
}

impl Ruling {
    /// The rule that forbids to read it.
    pub fn against_reading(&self) -> Option<RuleId> {
        self.hidden.or(self.denied)
    }

    /// The rule that forbids to create it, or to add to its end.
    pub fn against_adding(&self) -> Option<RuleId> {
        self.against_reading().or(self.read_only)
    }

    /// The rule that forbids to change what it holds.
    pub fn against_changing(&self) -> Option<RuleId> {
        self.against_adding().or(self.append_only)
    }

    /// The rule that forbids to take its name away: deleting, moving, and putting something else in its place.
    pub fn against_deleting(&self) -> Option<RuleId> {
        self.against_changing().or(self.no_delete).or(self.keeps_name)
    }

    /// What of it holds for what is in a directory.
    pub fn within(self) -> Self {
        Self { keeps_name: None, ..self }
    }

    /// True if nothing is taken away.
    pub fn is_free(&self) -> bool {
        *self == Self::default()
    }

    /// What either of them takes away.
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

    fn apply(&mut self, effect: Effect, rule: RuleId) {
        let taken = match effect {
            Effect::Hidden => &mut self.hidden,
            Effect::Denied => &mut self.denied,
            Effect::ReadOnly => &mut self.read_only,
            Effect::AppendOnly => &mut self.append_only,
            Effect::NoDelete => &mut self.no_delete,
            Effect::KeepsName => &mut self.keeps_name,
        };
        taken.get_or_insert(rule);
    }
}

impl Policy {
    /// A policy that takes nothing away.
    pub fn open() -> Self {
        Self::default()
    }

    /// All that these policies take away.
    pub fn compile(documents: &Documents) -> Result<Self, Invalid> {
        // Longer ones take their time, and could not be handed on.
        let source = documents.to_json();
        if source.len() > POLICY_BYTES {
            return Err(Invalid::too_long());
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
                    return Err(Invalid { field: at("except"), problem });
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
            let paths = document.paths_allowed();
            policy.rules.allow_paths(&paths, &at("allowed_paths"))?;
            policy.reading.add_allowed("allowed_paths", &paths);
            let own = &document.allowed_extensions;
            let extensions = if own.is_empty() { &profile.allowed_extensions } else { own };
            policy.rules.allow_extensions(extensions, &at("allowed_extensions"))?;
            policy.reading.add_allowed("allowed_extensions", extensions);
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
        Ok(policy)
    }

    /// The smaller of two numbers, the stricter of two words.
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
        if by.private_keys == Some(Contents::Denied) {
            self.private_keys = Some(self.rules.named("private_keys"));
            self.reading.add_contents("private_keys");
        }
        if by.executables == Some(Contents::Denied) {
            self.executables = Some(self.rules.named("executables"));
            self.reading.add_contents("executables");
        }
    }

    /// The text that it was made of.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// At the root of the namespace.
    pub fn start(&self) -> Trail {
        Trail::default()
    }

    /// The name of a rule.
    pub fn rule(&self, id: RuleId) -> &str {
        self.rules.name(id)
    }

    /// The rule against reading a file that begins with these bytes, [`CONTENT_HEAD`] of them if it has so many.
    pub fn content(&self, head: &[u8]) -> Option<RuleId> {
        let head = &head[..head.len().min(CONTENT_HEAD)];
        let key = self.private_keys.filter(|_| content::is_private_key(head));
        key.or_else(|| self.executables.filter(|_| content::is_program(head)))
    }

    /// True if some files are refused for what they hold.
    pub fn judges_content(&self) -> bool {
        self.private_keys.is_some() || self.executables.is_some()
    }

    /// True if some name may be hidden: else no list of names has to be looked through.
    pub fn hides(&self) -> bool {
        self.rules.hides()
    }

    /// True if no name makes a difference.
    pub fn rules_no_name(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rule whose path leads through a name in a directory, or which is about the name if that is a directory: what such
    /// a name stands for decides what the rule is about, so no link may be put there.
    pub fn passage(&self, at: &Trail, name: &str) -> Option<RuleId> {
        self.rules.passage(at, name)
    }

    /// The same for rules that name the name: a link with it is not taken away.
    pub fn named_passage(&self, at: &Trail, name: &str) -> Option<RuleId> {
        self.rules.named_passage(at, name)
    }

    /// The rule by which nothing gets this name beside any of these others.
    pub fn apart(&self, name: &str) -> impl Iterator<Item = (RuleId, &str)> {
        self.rules.apart(name)
    }

    /// The rules against reading. Limits of size and number are none, nor are rules against changing.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// What is said about numbers.
    pub fn limits(&self) -> &PolicyLimits {
        &self.limits
    }
}
