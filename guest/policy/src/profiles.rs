//! The built-in profiles, rule by rule.

use super::document::{ContentRule, Document, LinkedFiles, Profile, Rule, RuleEffect};
use super::known_files::{
    AGENTS, AGENTS_WORK, CREDENTIALS, EDITORS, ENVIRONMENT, GIT, KEY_FILES, PIPELINES, REGISTRIES, SHELLS,
    Section,
};

/// The rule about files that mix secrets and settings. A host's flag can lift it.
pub const ENVIRONMENT_FILES: &str = "environment_files";

impl Profile {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Default, Self::Strict, Self::Open, Self::Workflow];

    /// Its name in a policy.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Strict => "strict",
            Self::Open => "open",
            Self::Workflow => "workflow",
        }
    }

    /// Its content.
    pub fn document(self) -> Document {
        document(self)
    }
}

fn document(profile: Profile) -> Document {
    match profile {
        Profile::Open => Document::default(),
        Profile::Default => Document {
            rules: [RUNS_LATER, KEYS, &[SECRETS]].concat().iter().map(BuiltIn::rule).collect(),
            private_keys: Some(ContentRule::Denied),
            ..Document::default()
        },
        Profile::Strict => Document {
            rules: [RUNS_LATER, RUNS_IN_PIPELINES]
                .concat()
                .iter()
                .map(BuiltIn::rule)
                .chain([KEYS, &[STRICT_SECRETS]].concat().iter().map(BuiltIn::hidden))
                .collect(),
            confirm_delete: Some(true),
            linked_files: Some(LinkedFiles::ReadOnly),
            private_keys: Some(ContentRule::Denied),
            ..Document::default()
        },
        Profile::Workflow => Document {
            rules: [WORKFLOW, RUNS_LATER, KEYS].concat().iter().map(BuiltIn::rule).collect(),
            max_file_size: Some(10 << 20),
            max_files: Some(1000),
            confirm_delete: Some(true),
            private_keys: Some(ContentRule::Denied),
            executables: Some(ContentRule::Denied),
            ..Document::default()
        },
    }
}

#[derive(Clone, Copy)]
struct BuiltIn {
    name: &'static str,
    effect: RuleEffect,
    known: &'static [Section],
    paths: &'static [&'static str],
    extensions: &'static [&'static str],
    unless: &'static [&'static str],
    apart: &'static [&'static str],
}

const RULE: BuiltIn = BuiltIn {
    name: "",
    effect: RuleEffect::ReadOnly,
    known: &[],
    paths: &[],
    extensions: &[],
    unless: &[],
    apart: &[],
};

impl BuiltIn {
    fn rule(&self) -> Rule {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let known = self.known.iter().flat_map(|section| section.iter()).flat_map(|row| row.iter());
        Rule {
            name: self.name.to_owned(),
            paths: known.chain(self.paths).map(|path| (*path).to_owned()).collect(),
            extensions: owned(self.extensions),
            unless: owned(self.unless),
            effect: self.effect,
            apart: owned(self.apart),
            ..Rule::default()
        }
    }

    fn hidden(&self) -> Rule {
        Rule { effect: RuleEffect::Hidden, ..self.rule() }
    }
}

/// Files that a program runs unasked: writing them gives its power.
const RUNS_LATER: &[BuiltIn] = &[
    BuiltIn { name: "git", known: &[GIT], ..RULE },
    BuiltIn {
        name: "bare_repository",
        // Git takes a directory with `HEAD` beside `objects` and `refs`, or beside `commondir`,
        // which names their directory, for a repository with configuration.
        paths: &["HEAD"],
        apart: &["objects", "refs", "commondir"],
        ..RULE
    },
    BuiltIn { name: "editor_settings", known: &[EDITORS], ..RULE },
    BuiltIn { name: "agent_settings", known: &[AGENTS], unless: AGENTS_WORK, ..RULE },
    BuiltIn { name: "shell_startup", known: &[SHELLS], ..RULE },
];

const KEYS: &[BuiltIn] = &[
    BuiltIn { name: "key_files", effect: RuleEffect::Denied, known: &[KEY_FILES], ..RULE },
    BuiltIn { name: "credentials", effect: RuleEffect::Denied, known: &[CREDENTIALS], ..RULE },
];

/// Files that run elsewhere: after a push, in a package manager or a server.
const RUNS_IN_PIPELINES: &[BuiltIn] = &[BuiltIn { name: "pipelines", known: &[PIPELINES], ..RULE }];

const SECRETS: BuiltIn = BuiltIn {
    name: ENVIRONMENT_FILES,
    effect: RuleEffect::Denied,
    known: &[ENVIRONMENT],
    unless: EXAMPLES,
    ..RULE
};

/// The same in `strict`, with `.npmrc`, which sometimes holds a token.
const STRICT_SECRETS: BuiltIn = BuiltIn { known: &[ENVIRONMENT, REGISTRIES], ..SECRETS };

/// Environment files without secrets.
const EXAMPLES: &[&str] = &[".env.example", ".env.sample", ".env.template", ".env.dist"];

const WORKFLOW: &[BuiltIn] = &[
    BuiltIn {
        name: "blocked_directories",
        effect: RuleEffect::Denied,
        paths: &["bin/", "obj/", ".git", "node_modules/"],
        ..RULE
    },
    BuiltIn {
        name: "blocked_extensions",
        effect: RuleEffect::Denied,
        extensions: &[".exe", ".dll", ".so", ".dylib"],
        ..RULE
    },
    BuiltIn {
        name: "certificates",
        effect: RuleEffect::Denied,
        extensions: &[".pem", ".key", ".crt", ".cer", ".der", ".p7b", ".p7c", ".p8", ".snk"],
        ..RULE
    },
    SECRETS,
];
