//! The table of all keys, the source of files, variables, flags, documentation and schema.

use serde_json::Value as Json;

use super::value_type::{RecordField, ValueType};
use crate::audit::Audit;
use crate::limits::Limits;
use crate::settings::{Durability, HistoryLimits};

/// A key of the configuration.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its name; a dot follows the table's name.
    pub name: &'static str,
    /// Its type.
    pub kind: ValueType,
    /// Its meaning, also the help of its flag.
    pub meaning: &'static str,
    /// The effect of a project's file on it.
    pub project: Project,
    /// The flag that sets it.
    pub flag: Option<Flag>,
    default: fn() -> Json,
    said: Option<&'static str>,
}

/// The effect that a project's file can have on a key.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Project {
    /// None, with the reason.
    Nothing(&'static str),
    /// Makes the number smaller.
    Smaller,
    /// Sets it to this. The other value may only repeat the effective one.
    Only(bool),
    /// Sets it to a later word of this list than the effective one; other words are added.
    Behind(&'static [&'static str]),
    /// Adds to the effective value; each item narrows.
    Adds,
    /// Narrows: all levels have to allow it.
    Both,
}

/// A flag of the command line.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// Its name without leading hyphens. A truth flag means `true`, or `false` if it begins with
    /// `no-`.
    pub name: &'static str,
    /// The placeholder of its value in the help.
    pub value: &'static str,
    /// The commands that have it.
    pub on: Commands,
}

/// Commands that have a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commands {
    /// All that open directories.
    All,
    /// The server of the Model Context Protocol.
    Mcp,
}

impl Key {
    const fn new(name: &'static str, kind: ValueType, project: Project, meaning: &'static str) -> Self {
        Self { name, kind, meaning, project, flag: None, default: || Json::Null, said: None }
    }

    const fn default(mut self, default: fn() -> Json) -> Self {
        self.default = default;
        self
    }

    const fn said(mut self, said: &'static str) -> Self {
        self.said = Some(said);
        self
    }

    const fn flag(self, name: &'static str, value: &'static str) -> Self {
        self.flag_of(Commands::All, name, value)
    }

    const fn flag_of(mut self, on: Commands, name: &'static str, value: &'static str) -> Self {
        self.flag = Some(Flag { name, value, on });
        self
    }

    /// The default, or `null`.
    pub fn default_value(&self) -> Json {
        (self.default)()
    }

    /// The default in words.
    pub fn default_words(&self) -> Option<String> {
        match (self.said, self.default_value()) {
            (Some(said), _) => Some(said.to_owned()),
            (None, Json::Null) => None,
            (None, Json::String(word)) => Some(word),
            (None, value) => Some(value.to_string()),
        }
    }

    pub(crate) fn words(&self) -> Option<&'static str> {
        self.said
    }

    /// The variable that sets it.
    pub fn variable(&self) -> String {
        format!("FSGATE_{}", self.name.replace('.', "_").to_uppercase())
    }

    /// Finds the key with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }
}

/// The variable that sets all keys of the policy at once, in the component's own form.
pub const POLICY_VARIABLE: &str = "FSGATE_POLICY";

/// Variables that hosts set for a component; the program ignores them.
pub(crate) const COMPONENT_VARIABLES: [&str; 7] = [
    "FSGATE_DEADLINE_MILLIS",
    "FSGATE_LOCK",
    "FSGATE_OPERATOR",
    "FSGATE_POLICY_PATHS",
    "FSGATE_POLICY_ROOTS",
    "FSGATE_SESSION",
    "FSGATE_START",
];

pub(crate) const READ_ONLY: &str = "read_only";
pub(crate) const READ_WRITE: &str = "read_write";

const DIRECTORY: &[RecordField] = &[
    RecordField { name: "path", kind: ValueType::Path, required: true, meaning: "the directory" },
    RecordField {
        name: "name",
        kind: ValueType::Text,
        required: false,
        meaning: "its name inside; by default its own path",
    },
    RecordField {
        name: "access",
        kind: ValueType::Choice(&[READ_ONLY, READ_WRITE]),
        required: true,
        meaning: "what may be done in it",
    },
];

const RULE: &[RecordField] = &[
    RecordField { name: "name", kind: ValueType::Text, required: true, meaning: "what a refusal calls it" },
    RecordField {
        name: "paths",
        kind: ValueType::Patterns,
        required: false,
        meaning: "patterns over paths that it is about",
    },
    RecordField {
        name: "extensions",
        kind: ValueType::Texts,
        required: false,
        meaning: "ends of file names, such as `.exe`",
    },
    RecordField {
        name: "regex",
        kind: ValueType::Texts,
        required: false,
        meaning: "regular expressions over absolute paths inside",
    },
    RecordField {
        name: "unless",
        kind: ValueType::Patterns,
        required: false,
        meaning: "patterns over paths that it is not about",
    },
    RecordField {
        name: "effect",
        kind: ValueType::Choice(&["hidden", "denied", "read_only", "append_only", "no_delete", "keeps_name"]),
        required: true,
        meaning: "what it takes away",
    },
];

/// The file in the state directory.
const AUTO: &str = "auto";

const MOST: u64 = u32::MAX as u64;

/// Below 1 MiB no call can do useful work.
const BYTES: ValueType = ValueType::Number(1 << 20, MOST);

const OWN: &str = "belongs to whoever starts fsgate";
const GRANTS: &str = "would grant";

const fn key(name: &'static str, kind: ValueType, project: Project, meaning: &'static str) -> Key {
    Key::new(name, kind, project, meaning)
}

/// All keys, in the order of display.
pub const KEYS: &[Key] = &[
    key("dirs", ValueType::Records(DIRECTORY), Project::Nothing(GRANTS), "Directories that are granted")
        .said("none; the tools at a shell look at the current directory"),
    key("read_only", ValueType::Truth, Project::Only(true), "Grant every directory for reading only, whatever is said of it")
        .default(|| false.into())
        .flag("read-only", ""),
    key(
        "allow_wide_grant",
        ValueType::Truth,
        Project::Nothing(GRANTS),
        "Allow to grant `/`, a home directory, or a directory of the system",
    )
    .default(|| false.into())
    .flag("allow-wide-grant", ""),
    key(
        "allow_secrets",
        ValueType::Truth,
        Project::Nothing("would lift a rule"),
        "Let `.env` and other files that often hold secrets be read and changed: the rule `environment_files` does not hold",
    )
    .default(|| false.into())
    .flag("allow-secrets", ""),
    key(
        "landlock",
        ValueType::Truth,
        Project::Only(true),
        "Have the kernel keep this program from everything that is not granted",
    )
    .default(|| true.into())
    .flag("no-landlock", ""),
    key("project_file", ValueType::Truth, Project::Nothing(OWN), "Honour what the project's file in the first directory takes away")
        .default(|| true.into())
        .flag("no-project-file", ""),
    key(
        "state_dir",
        ValueType::Path,
        Project::Nothing(OWN),
        "Keep state here: old contents, to undo changes and to recover after a crash",
    )
    .said("$XDG_STATE_HOME/fsgate or ~/.local/state/fsgate")
    .flag("state-dir", "PATH"),
    key(
        "durability",
        ValueType::Choice(&Durability::NAMES),
        Project::Nothing(OWN),
        "What a change survives: the end of the `process`, a loss of `power` (slower), or `none`: no state, no undo",
    )
    .default(|| Durability::default().name().into())
    .flag("durability", "WHAT"),
    key("history.bytes", ValueType::Number(0, u64::MAX), Project::Nothing(OWN), "Bytes of history to keep of one root")
        .default(|| HistoryLimits::default().bytes.into())
        .flag("history-bytes", "N"),
    key("history.entries", ValueType::Number(0, u64::MAX), Project::Nothing(OWN), "Changes to keep of one root")
        .default(|| HistoryLimits::default().entries.into())
        .flag("history-entries", "N"),
    key("history.days", ValueType::Number(0, u64::MAX), Project::Nothing(OWN), "Days to keep a change")
        .default(|| HistoryLimits::default().days.into())
        .flag("history-days", "N"),
    key(
        "limits.deadline_seconds",
        ValueType::Number(1, 3600),
        Project::Smaller,
        "Seconds for one call; after twice that it is stopped by force",
    )
    .default(|| Limits::default().deadline.as_secs().into())
    .flag("deadline", "SECONDS"),
    key("limits.memory_bytes", BYTES, Project::Smaller, "Memory of the component in one call")
        .default(|| Limits::default().memory.into())
        .flag("memory-bytes", "N"),
    key("limits.host_memory_bytes", BYTES, Project::Smaller, "Bytes that the component can hand to its host at once")
        .default(|| Limits::default().host_memory.into())
        .flag("host-memory-bytes", "N"),
    // A path needs a few handles, the tool itself some more.
    key("limits.handles", ValueType::Number(16, 1_000_000), Project::Smaller, "Files and directories open at once in one call")
        .default(|| Limits::default().handles.into())
        .flag("handles", "N"),
    key("limits.result_bytes", ValueType::Number(64 << 10, MOST), Project::Smaller, "Bytes of an answer in JSON")
        .default(|| Limits::default().result.into())
        .flag("result-bytes", "N"),
    key("limits.calls_per_second", ValueType::Number(1, 1_000_000), Project::Smaller, "Calls in a second; further ones wait")
        .default(|| Limits::default().calls_per_second.into())
        .said("any number")
        .flag("calls-per-second", "N"),
    key(
        "limits.waiting_calls",
        ValueType::Number(0, 1_000_000),
        Project::Smaller,
        "Calls that wait for those that run; further ones are refused",
    )
    .default(|| Limits::default().waiting.into())
    .flag("waiting-calls", "N"),
    key("audit.enabled", ValueType::Truth, Project::Only(true), "Write every call down")
        .said("as soon as another key of the audit is set")
        .flag("no-audit", ""),
    key(
        "audit.file",
        ValueType::PathOr(AUTO),
        Project::Nothing(OWN),
        "Write every call down in this file, a line of JSON each; `auto` is audit/audit.jsonl in the directory for state",
    )
    .default(|| AUTO.into())
    .flag("audit", "FILE|auto"),
    key(
        "audit.required",
        ValueType::Truth,
        Project::Only(true),
        "Refuse what cannot be written down; changes are written down before they are made, too",
    )
    .default(|| Audit::default().required.into())
    .flag("audit-required", ""),
    key("audit.arguments", ValueType::Truth, Project::Nothing(OWN), "Write arguments down as well, long texts cut and hashed")
        .default(|| Audit::default().arguments.into())
        .flag("audit-arguments", ""),
    key(
        "audit.rotate_bytes",
        ValueType::Number(1, u64::MAX),
        Project::Nothing(OWN),
        "Bytes from which on the file is full and another one begins",
    )
    .default(|| Audit::default().rotate_bytes.into())
    .flag("audit-rotate-bytes", "N"),
    key("audit.keep", ValueType::Number(1, MOST), Project::Nothing(OWN), "Full files to keep")
        .default(|| Audit::default().keep.into())
        .flag("audit-keep", "N"),
    key(
        "policy.profile",
        ValueType::Choice(&["default", "strict", "open", "workflow"]),
        Project::Behind(&["open", "default", "strict"]),
        "Rules to begin with",
    )
    .default(|| "default".into())
    .flag("profile", "NAME"),
    key("policy.except", ValueType::Texts, Project::Nothing("would lift rules"), "Rules of the profile that do not hold"),
    key("policy.rules", ValueType::Records(RULE), Project::Adds, "Rules besides; those of all levels add up"),
    key("policy.allowed_paths", ValueType::Patterns, Project::Both, "Patterns; if there are any, everything else is denied"),
    key(
        "policy.allowed_extensions",
        ValueType::Texts,
        Project::Both,
        "Ends of file names; if there are any, files with others are denied",
    ),
    key("policy.max_file_size", ValueType::Number(0, u64::MAX), Project::Smaller, "Bytes of the largest file that is read or written")
        .said("as the profile says"),
    key("policy.max_files", ValueType::Number(0, u64::MAX), Project::Smaller, "Files that one call may change, and entries that one answer lists")
        .said("as the profile says"),
    key("policy.confirm_delete", ValueType::Truth, Project::Only(true), "Ask for a confirmation before anything is deleted")
        .said("as the profile says"),
    key(
        "policy.linked_files",
        ValueType::Choice(&["writable", "read_only"]),
        Project::Behind(&["writable", "read_only"]),
        "Files with more than one name",
    )
    .said("as the profile says"),
    key(
        "policy.private_keys",
        ValueType::Choice(&["allowed", "denied"]),
        Project::Behind(&["allowed", "denied"]),
        "Files whose content is a private key",
    )
    .said("as the profile says"),
    key(
        "policy.executables",
        ValueType::Choice(&["allowed", "denied"]),
        Project::Behind(&["allowed", "denied"]),
        "Files whose content is a program",
    )
    .said("as the profile says"),
    key(
        "mcp.tools",
        ValueType::Checked(tool_set),
        Project::Nothing(OWN),
        "Tools to serve: `lean`, `core`, `all`, `read-only`, or names; every tool costs the model that reads the list",
    )
    .default(|| "lean".into())
    .flag_of(Commands::Mcp, "tools", "SET|TOOL,..."),
    key(
        "mcp.answers",
        ValueType::Choice(&["both", "text", "data"]),
        Project::Nothing(OWN),
        "What answers consist of: `text` for models, `data` for programs, or both; some clients show a model only the data",
    )
    .default(|| "both".into())
    .flag_of(Commands::Mcp, "answers", "FORM"),
    key(
        "mcp.answer_bytes",
        ValueType::Number(1_000, 1_048_576),
        Project::Smaller,
        "Bytes of an answer, unless its call says so",
    )
    .said("9,000 for Codex, 60,000 for Claude Code, 40,000 for others")
    .flag_of(Commands::Mcp, "answer-bytes", "N"),
    key("mcp.parallel", ValueType::Number(1, 64), Project::Smaller, "Calls that run at once, if they change nothing")
        .default(|| crate::gate::PARALLEL.into())
        .flag_of(Commands::Mcp, "parallel", "N"),
    key(
        "mcp.remember",
        ValueType::Truth,
        Project::Nothing(OWN),
        "Refuse a change by line numbers or of a whole file, if another program has changed the file since the session \
         saw it",
    )
    .default(|| true.into())
    .flag_of(Commands::Mcp, "no-remember", ""),
    key(
        "mcp.output_schemas",
        ValueType::Truth,
        Project::Nothing(OWN),
        "List the schemas of outcomes too: for clients that check data, not for models",
    )
    .default(|| false.into())
    .flag_of(Commands::Mcp, "output-schemas", ""),
    key(
        "mcp.ignore_roots",
        ValueType::Truth,
        Project::Only(false),
        "Serve the directories as they are granted, also what lies outside of the client's roots (the projects that are open in it)",
    )
    .default(|| false.into())
    .flag_of(Commands::Mcp, "ignore-roots", ""),
];

#[cfg(feature = "mcp")]
fn tool_set(typed: &str) -> Result<(), String> {
    typed.parse::<crate::mcp::ToolSet>().map(drop).map_err(|error| error.to_string())
}

/// Builds without the MCP server do not check the set.
#[cfg(not(feature = "mcp"))]
fn tool_set(_: &str) -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::config::tree::{Origin, Tree};

    #[test]
    fn names_variables_and_flags_are_unlike() {
        let mut known: HashSet<String> = COMPONENT_VARIABLES.iter().map(|name| (*name).to_owned()).collect();
        known.insert(POLICY_VARIABLE.to_owned());
        for key in KEYS {
            let flag = key.flag.map(|flag| format!("--{}", flag.name));
            for name in [key.name.to_owned(), key.variable()].into_iter().chain(flag) {
                assert!(known.insert(name.clone()), "{name}");
            }
            assert!(
                !KEYS.iter().any(|other| other.name.starts_with(&format!("{}.", key.name))),
                "{}",
                key.name
            );
        }
    }

    #[test]
    fn defaults_are_what_their_keys_take() {
        for key in KEYS.iter().filter(|key| !key.default_value().is_null()) {
            let mut tree = Tree::from_json(key.default_value(), &Origin::BuiltIn);
            key.kind.check(key.name, &mut tree, None).unwrap();
        }
    }

    #[test]
    fn every_key_says_what_it_means() {
        for key in KEYS {
            assert!(!key.meaning.is_empty() && !key.meaning.ends_with('.'), "{}", key.name);
            let ValueType::Records(fields) = key.kind else { continue };
            assert!(fields.iter().all(|field| !field.meaning.is_empty()), "{}", key.name);
        }
    }

    /// The fields of a policy in a file; the crate `fsgate-policy` compiles it.
    #[test]
    fn keys_of_the_policy_are_those_of_a_policy() {
        use crate::policy::{ContentRule, Document, LinkedFiles, Profile, Rule, RuleEffect};

        let names = |value: Json| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
        let some = || vec!["x".to_owned()];
        let rule = Rule {
            name: "x".to_owned(),
            paths: some(),
            extensions: some(),
            regex: some(),
            unless: some(),
            effect: RuleEffect::Hidden,
            apart: some(),
        };
        let whole = Document {
            profile: Some(Profile::Open),
            except: some(),
            rules: vec![rule.clone()],
            allowed_paths: some(),
            allowed_extensions: some(),
            max_file_size: Some(1),
            max_files: Some(1),
            confirm_delete: Some(true),
            linked_files: Some(LinkedFiles::Writable),
            private_keys: Some(ContentRule::Allowed),
            executables: Some(ContentRule::Denied),
        };
        let ours: Vec<_> = KEYS.iter().filter_map(|key| key.name.strip_prefix("policy.")).collect();
        assert_eq!(names(serde_json::to_value(whole).unwrap()), ours);
        assert_eq!(
            names(serde_json::to_value(rule).unwrap()),
            RULE.iter().map(|field| field.name).collect::<Vec<_>>()
        );
        let parses = |field: &str, word: &str| {
            let document = serde_json::json!({ field: word });
            serde_json::from_value::<Document>(document).is_ok()
        };
        for key in KEYS {
            if let (Some(field), ValueType::Choice(words)) = (key.name.strip_prefix("policy."), key.kind) {
                assert!(words.iter().all(|word| parses(field, word)), "{field}");
            }
        }
        let ValueType::Choice(effects) = RULE[5].kind else { unreachable!("it is one of words") };
        for effect in effects {
            serde_json::from_value::<RuleEffect>((*effect).into()).unwrap();
        }
        assert_eq!(effects.len(), 6);
        assert_eq!(
            Key::find("policy.profile").map(super::Key::default_value),
            Some(Profile::Default.name().into())
        );
    }

    #[test]
    fn words_of_a_key_are_in_its_order() {
        for key in KEYS {
            if let (Project::Behind(order), ValueType::Choice(words)) = (key.project, key.kind) {
                assert!(order.iter().all(|word| words.contains(word)), "{}", key.name);
            }
        }
    }
}
