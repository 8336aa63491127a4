//! Policies to begin with: what each profile takes away, rule by rule.

use super::document::{Contents, Document, Effect, LinkedFiles, Profile, Rule};

impl Profile {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Default, Self::Strict, Self::Open, Self::Workflow, Self::Clada];

    /// Its name, as a policy gives it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Strict => "strict",
            Self::Open => "open",
            Self::Workflow => "workflow",
            Self::Clada => "clada",
        }
    }

    /// What it says.
    pub fn document(self) -> Document {
        document(self)
    }
}

fn document(profile: Profile) -> Document {
    match profile {
        Profile::Open => Document::default(),
        Profile::Default => Document {
            rules: [RUNS_LATER, KEYS].concat().iter().map(BuiltIn::rule).collect(),
            private_keys: Some(Contents::Denied),
            ..Document::default()
        },
        Profile::Strict => Document {
            rules: [RUNS_LATER, RUNS_IN_PIPELINES]
                .concat()
                .iter()
                .map(BuiltIn::rule)
                .chain([KEYS, SECRETS].concat().iter().map(BuiltIn::hidden))
                .collect(),
            confirm_delete: Some(true),
            linked_files: Some(LinkedFiles::ReadOnly),
            private_keys: Some(Contents::Denied),
            ..Document::default()
        },
        Profile::Workflow => Document {
            rules: WORKFLOW.iter().map(BuiltIn::rule).collect(),
            max_file_size: Some(10 << 20),
            max_files: Some(1000),
            confirm_delete: Some(true),
            private_keys: Some(Contents::Denied),
            executables: Some(Contents::Denied),
            ..Document::default()
        },
        Profile::Clada => Document {
            rules: CLADA.iter().map(BuiltIn::rule).collect(),
            allowed_paths: CLADA_ROOTS.map(str::to_owned).into(),
            max_file_size: Some(10 << 20),
            ..Document::default()
        },
    }
}

/// A rule of a profile.
#[derive(Clone, Copy)]
struct BuiltIn {
    name: &'static str,
    effect: Effect,
    paths: &'static [&'static str],
    extensions: &'static [&'static str],
    regex: &'static [&'static str],
    unless: &'static [&'static str],
}

const RULE: BuiltIn =
    BuiltIn { name: "", effect: Effect::ReadOnly, paths: &[], extensions: &[], regex: &[], unless: &[] };

impl BuiltIn {
    fn rule(&self) -> Rule {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Rule {
            name: self.name.to_owned(),
            paths: owned(self.paths),
            extensions: owned(self.extensions),
            regex: owned(self.regex),
            unless: owned(self.unless),
            effect: self.effect,
        }
    }

    fn hidden(&self) -> Rule {
        Rule { effect: Effect::Hidden, ..self.rule() }
    }
}

/// What somebody's program runs, or obeys, without being asked: an agent that may write there may do what that program may.
const RUNS_LATER: &[BuiltIn] = &[
    BuiltIn {
        name: "git",
        // All of it: configuration, hooks, filters and what names other directories for them; also where it has no work tree. Its
        // relatives obey a directory of theirs in the same way.
        // `git~1` is what a file system of Windows calls `.git`.
        paths: &[".git", "git~1", "*.git", ".husky", ".githooks", ".hg", ".jj"],
        ..RULE
    },
    BuiltIn {
        name: "bare_repository",
        // Git takes a directory of any name for a repository, and obeys the configuration in it, if it has a file `HEAD` beside
        // `objects` and `refs`. Without that it never does. A directory may be called so.
        paths: &["HEAD"],
        unless: &["HEAD/"],
        ..RULE
    },
    BuiltIn {
        name: "editor_settings",
        paths: &[
            "**/.vscode/settings.json",
            "**/.vscode/tasks.json",
            "**/.vscode/launch.json",
            "**/.vscode/mcp.json",
            "*.code-workspace",
            ".idea",
            ".fleet",
            "**/.zed/settings.json",
            "**/.zed/tasks.json",
            "**/.zed/debug.json",
            "**/.config/zed/settings.json",
            "**/.config/zed/tasks.json",
            "**/.vs/mcp.json",
            ".exrc",
            ".vimrc",
            ".nvimrc",
            ".nvim.lua",
            ".lvimrc",
            ".lazy.lua",
            ".vim",
            "**/.config/nvim",
            ".dir-locals.el",
            ".dir-locals-2.el",
            ".emacs",
            ".emacs.d",
            "**/.config/emacs",
            "**/.helix",
            "*.sublime-project",
            ".devcontainer",
            ".devcontainer.json",
        ],
        ..RULE
    },
    BuiltIn {
        name: "agent_settings",
        paths: &[
            ".mcp.json",
            "**/.claude/settings.json",
            "**/.claude/settings.local.json",
            "**/.claude/hooks",
            "**/.claude/plugins",
            ".claude.json",
            "**/.cursor/mcp.json",
            "**/.cursor/hooks.json",
            "**/.cursor/cli.json",
            "**/.cursor/environment.json",
            "**/.gemini/settings.json",
            "**/.codex/config.toml",
            "**/.codex/hooks.json",
            "**/.continue/config.yaml",
            "**/.continue/config.json",
            "**/.continue/mcpServers",
            "**/.roo/mcp.json",
            "**/.kilocode/mcp.json",
            "**/.windsurf/mcp_config.json",
            "**/.amazonq/mcp.json",
            "**/.qwen/settings.json",
            "**/.codeium/windsurf/mcp_config.json",
            "**/.junie/mcp",
            "**/.trae/mcp.json",
            "**/.factory/mcp.json",
            "**/.amp/settings.json",
            "**/.copilot/mcp-config.json",
            "**/.lmstudio/mcp.json",
            "**/.kiro/settings",
            "**/.kiro/hooks",
            "opencode.json",
            "opencode.jsonc",
            "**/.opencode/plugin",
            "**/.opencode/plugins",
            "**/.opencode/tool",
            "**/.opencode/tools",
            "**/.config/opencode",
            "**/.github/hooks",
            "**/.copilot/hooks",
            ".aider.conf.yml",
            "crush.json",
            ".crush.json",
            "**/.config/goose",
        ],
        ..RULE
    },
    BuiltIn {
        name: "shell_startup",
        paths: &[
            ".bashrc",
            ".bash_profile",
            ".bash_login",
            ".bash_logout",
            ".bash_aliases",
            ".profile",
            ".login",
            ".cshrc",
            ".tcshrc",
            ".kshrc",
            ".mkshrc",
            ".zshrc",
            ".zshenv",
            ".zprofile",
            ".zlogin",
            ".zlogout",
            ".inputrc",
            ".xinitrc",
            ".xprofile",
            ".xsession",
            ".xsessionrc",
            ".pam_environment",
            ".gitconfig",
            ".hgrc",
            "**/.config/git/config",
            "**/.config/git/hooks",
            "**/.config/fish",
            "**/.config/nushell",
            "**/.config/powershell",
            "**/.config/tmux",
            "**/.config/autostart",
            "**/.config/environment.d",
            "**/.config/systemd/user",
            "**/.local/share/systemd/user",
            "**/Library/LaunchAgents",
            ".gdbinit",
            "**/.config/gdb",
            ".lldbinit",
            ".direnvrc",
            "**/.config/direnv",
            ".tmux.conf",
            ".screenrc",
            ".mailcap",
            // What interpreters run in the directory that they are started in.
            ".Rprofile",
            ".irbrc",
            ".pryrc",
            ".pdbrc",
            ".ghci",
            ".sqliterc",
            ".psqlrc",
            "**/.julia/config",
        ],
        ..RULE
    },
];

/// Keys, and stores of what opens something elsewhere.
const KEYS: &[BuiltIn] = &[
    BuiltIn {
        name: "key_files",
        effect: Effect::Denied,
        paths: &[
            "id_rsa",
            "id_dsa",
            "id_ecdsa",
            "id_ed25519",
            "id_ecdsa_sk",
            "id_ed25519_sk",
            "*.ppk",
            "*.p12",
            "*.pfx",
            "*.jks",
            "*.keystore",
            "*.kdbx",
            "*.keychain-db",
        ],
        ..RULE
    },
    BuiltIn {
        name: "credentials",
        effect: Effect::Denied,
        paths: &[
            ".ssh",
            ".gnupg",
            ".password-store",
            ".netrc",
            "_netrc",
            ".authinfo",
            ".authinfo.gpg",
            ".pgpass",
            ".my.cnf",
            ".git-credentials",
            "**/.config/git/credentials",
            ".pypirc",
            ".vault-token",
            ".s3cfg",
            ".boto",
            ".databrickscfg",
            "**/.aws/credentials",
            "**/.aws/config",
            "**/.aws/sso",
            "**/.aws/cli/cache",
            ".azure",
            "**/.config/gcloud",
            "**/.config/gh/hosts.yml",
            "**/.config/glab-cli",
            "**/.config/hub",
            "**/.config/rclone/rclone.conf",
            "**/.config/doctl",
            "**/.config/op",
            "**/.kube/config",
            "**/.docker/config.json",
            "**/.config/containers/auth.json",
            "**/.cargo/credentials",
            "**/.cargo/credentials.toml",
            "**/.gem/credentials",
            "**/.m2/settings-security.xml",
            "**/.terraform.d/credentials.tfrc.json",
            "**/.local/share/keyrings",
            "**/Library/Keychains",
        ],
        ..RULE
    },
];

/// What runs on somebody else's machine when it is pushed, or when packages are installed.
const RUNS_IN_PIPELINES: &[BuiltIn] = &[BuiltIn {
    name: "pipelines",
    paths: &[
        "**/.github/workflows",
        "**/.github/actions",
        "**/.gitea/workflows",
        "**/.forgejo/workflows",
        ".gitlab-ci.yml",
        ".travis.yml",
        ".circleci",
        ".buildkite",
        "azure-pipelines.yml",
        "Jenkinsfile",
        ".pre-commit-config.yaml",
        ".npmrc",
        ".yarnrc",
        ".yarnrc.yml",
        ".envrc",
        "**/.cargo/config",
        "**/.cargo/config.toml",
        ".gitmodules",
        ".gitattributes",
    ],
    ..RULE
}];

/// Files that often hold secrets beside other settings.
const SECRETS: &[BuiltIn] = &[BuiltIn {
    name: "environment_files",
    effect: Effect::Hidden,
    paths: &[
        ".env",
        ".env.*",
        "*.env",
        ".npmrc",
        ".htpasswd",
        "secrets.yml",
        "secrets.yaml",
        "secrets.json",
        "*.tfvars",
        "*.tfstate",
    ],
    unless: &[".env.example", ".env.sample", ".env.template", ".env.dist"],
    ..RULE
}];

/// The usual policy of the workflow front end's users.
const WORKFLOW: &[BuiltIn] = &[
    BuiltIn {
        name: "blocked_directories",
        effect: Effect::Denied,
        paths: &["bin/", "obj/", ".git", "node_modules/"],
        ..RULE
    },
    BuiltIn {
        name: "blocked_extensions",
        effect: Effect::Denied,
        extensions: &[".exe", ".dll", ".so", ".dylib"],
        ..RULE
    },
];

/// Where the SHAM front end's users let a model work, unless they say otherwise.
const CLADA_ROOTS: [&str; 2] = ["/home/user/projects", "/tmp/ai-coder"];

/// The usual policy of the SHAM front end's users.
const CLADA: &[BuiltIn] = &[BuiltIn {
    name: "blacklist",
    effect: Effect::Denied,
    regex: &[r".*\.ssh.*", r".*\.git/config", "/etc/.*", "/sys/.*", "/proc/.*"],
    ..RULE
}];
