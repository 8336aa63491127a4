//! The files that profiles protect: for each program the patterns, the page that describes them,
//! and how that page was found.
//!
//! One table has it all. The patterns go into the profiles; the sources go into the documentation,
//! and no component carries them. `**/.x/*` protects everything in a directory but the exceptions
//! of its rule.

/// The day on which every row was last compared with its page.
pub const LOOKED_UP: &str = "2026-11-28";

/// Rows of the table that belong together.
pub(super) type Section = &'static [&'static [&'static str]];

/// A program, its files, and the page that describes them.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// The rule that protects the files.
    pub rule: &'static str,
    /// The program that runs or reads them.
    pub program: &'static str,
    /// The page of the program's maker.
    pub page: &'static str,
    /// How certain it is that the page says so.
    pub seen: Seen,
    /// The files.
    pub patterns: &'static [&'static str],
}

/// How certain it is that a page says what its row says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// A copy of the page was read on [`LOOKED_UP`].
    Read,
    /// No copy of the page was at hand on [`LOOKED_UP`]: the row is general knowledge about the
    /// program.
    Known,
}

macro_rules! table {
    ($($section:ident $rule:literal { $($program:literal $seen:ident $page:literal [$($pattern:literal)+])+ })+) => {
        $(pub(super) const $section: Section = &[$(&[$($pattern),+]),+];)+

        /// Every row, in the order of the rules.
        pub static SOURCES: &[Source] = &[$($(Source {
            rule: $rule,
            program: $program,
            page: $page,
            seen: Seen::$seen,
            patterns: &[$($pattern),+],
        }),+),+];
    };
}

table! {
    GIT "git" {
        // The configuration, hooks, filters, and files that name other directories. `git~1` is the
        // short name of `.git` on Windows.
        "Git" Known "https://git-scm.com/docs/gitrepository-layout" [".git" "git~1" "*.git"]
        "Git, by `core.hooksPath`" Known "https://git-scm.com/docs/githooks" [".githooks"]
        "Husky" Known "https://typicode.github.io/husky/" [".husky"]
        "Lefthook" Read "https://lefthook.dev/configuration" [
            "lefthook.yml" "lefthook.yaml" "lefthook.toml" "lefthook.json" "lefthook.jsonc"
            ".lefthook.yml" ".lefthook.yaml" ".lefthook.toml" ".lefthook.json" ".lefthook.jsonc"
            "lefthook-local.yml" "lefthook-local.yaml" "lefthook-local.toml" "lefthook-local.json" "lefthook-local.jsonc"
            ".lefthook-local.yml" ".lefthook-local.yaml" ".lefthook-local.toml" ".lefthook-local.json"
            ".lefthook-local.jsonc" ".lefthook" ".lefthook-local"
        ]
        "Mercurial" Known "https://www.mercurial-scm.org/doc/hgrc.5.html" [".hg"]
        "Jujutsu" Known "https://docs.jj-vcs.dev/latest/config/" [".jj"]
        "Sapling" Known "https://sapling-scm.com/docs/introduction/" [".sl"]
        "Darcs" Known "http://darcs.net/Using/Configuration" ["_darcs"]
        "Pijul" Known "https://pijul.org/manual/configuration.html" [".pijul"]
        "Repo" Known "https://gerrit.googlesource.com/git-repo/+/HEAD/docs/internal-fs-layout.md" [".repo"]
    }
    EDITORS "editor_settings" {
        "Visual Studio Code" Known "https://code.visualstudio.com/docs/configure/settings" [
            "**/.vscode/settings.json" "**/.vscode/tasks.json" "**/.vscode/launch.json" "**/.vscode/mcp.json"
            "*.code-workspace" "**/Code/User/*" "**/Code - Insiders/User/*"
        ]
        "VSCodium" Known "https://github.com/VSCodium/vscodium/blob/master/docs/index.md" ["**/VSCodium/User/*"]
        "Cursor" Known "https://cursor.com/docs" ["**/Cursor/User/*"]
        "Windsurf" Known "https://docs.windsurf.com/windsurf/getting-started" ["**/Windsurf/User/*"]
        "Dev Containers" Known "https://containers.dev/implementors/json_reference/" [".devcontainer" ".devcontainer.json"]
        "Visual Studio" Known "https://learn.microsoft.com/visualstudio/ide/mcp-servers" ["**/.vs/mcp.json"]
        "JetBrains IDEs" Known "https://www.jetbrains.com/help/idea/run-debug-configuration.html" [".idea" ".fleet"]
        "Zed" Known "https://zed.dev/docs/tasks" [
            "**/.zed/settings.json" "**/.zed/tasks.json" "**/.zed/debug.json" "**/.config/zed/settings.json"
            "**/.config/zed/tasks.json"
        ]
        "Vim" Known "https://vimhelp.org/starting.txt.html" [
            ".exrc" "_exrc" ".vimrc" "_vimrc" ".gvimrc" "_gvimrc" ".lvimrc" ".local.vimrc" ".vim"
        ]
        "Neovim" Known "https://neovim.io/doc/user/options.html#'exrc'" [
            ".nvimrc" ".nvim.lua" ".lazy.lua" "**/.config/nvim"
        ]
        "Emacs" Known "https://www.gnu.org/software/emacs/manual/html_node/emacs/Directory-Variables.html" [
            ".dir-locals.el" ".dir-locals-2.el" ".emacs" ".emacs.d" "**/.config/emacs"
        ]
        "Spacemacs" Known "https://develop.spacemacs.org/doc/DOCUMENTATION.html" [".spacemacs" ".spacemacs.d"]
        "Doom Emacs" Known "https://docs.doomemacs.org/latest/" [".doom.d" "**/.config/doom"]
        "Helix" Known "https://docs.helix-editor.com/languages.html" ["**/.helix" "**/.config/helix"]
        "Kakoune" Known "https://github.com/mawww/kakoune/blob/master/README.asciidoc" [".kakrc" "**/.config/kak"]
        "Sublime Text" Known "https://www.sublimetext.com/docs/projects.html" ["*.sublime-project"]
        "Lite XL" Known "https://lite-xl.com/user-guide/introduction/" [".lite_project.lua"]
        "Nova" Known "https://help.nova.app/nova/projects/" [".nova"]
        "Eclipse" Known "https://help.eclipse.org/latest/topic/org.eclipse.platform.doc.isv/guide/resAdv_builders.htm" [
            ".project" ".externalToolBuilders"
        ]
        "rust-analyzer" Known "https://rust-analyzer.github.io/book/configuration.html" ["rust-analyzer.toml" ".rust-analyzer.toml"]
        "Build Server Protocol" Known "https://build-server-protocol.github.io/docs/overview/server-discovery" [".bsp"]
        "Gitpod and Ona" Known "https://www.gitpod.io/docs/classic/user/references/gitpod-yml" [".gitpod.yml" ".ona"]
        "Firebase Studio" Known "https://firebase.google.com/docs/studio/customize-workspace" [".idx"]
    }
    AGENTS "agent_settings" {
        "Any client of the Model Context Protocol" Known "https://code.claude.com/docs/en/mcp" [".mcp.json"]
        // Settings, hooks, plugins; skills, commands and agents have hooks and commands in their
        // front matter.
        "Claude Code" Known "https://code.claude.com/docs/en/hooks" ["**/.claude/*" ".claude.json"]
        "Claude Desktop" Known "https://modelcontextprotocol.io/docs/develop/connect-local-servers" ["claude_desktop_config.json"]
        "Codex" Read "https://developers.openai.com/codex/config-basic" ["**/.codex/*"]
        "Cursor" Read "https://cursor.com/docs/configuration/worktrees" ["**/.cursor/*"]
        "Gemini CLI" Read "https://geminicli.com/docs/reference/policy-engine/" ["**/.gemini/*"]
        "Windsurf" Read "https://docs.windsurf.com/windsurf/cascade/hooks" ["**/.windsurf/*" "**/.codeium/*"]
        "Droid" Read "https://docs.factory.ai/harness/hooks" ["**/.factory/*"]
        "Kiro" Read "https://kiro.dev/docs/custom-agents/" ["**/.kiro/*"]
        "Amazon Q Developer" Read
            "https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/command-line-custom-agents-defining.html" [
            "**/.amazonq/*" "**/.aws/amazonq/*"
        ]
        "Auggie" Read "https://docs.augmentcode.com/cli/hooks" ["**/.augment/*"]
        "GitHub Copilot" Read
            "https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-hooks-reference" ["**/.github/hooks"]
        "GitHub Copilot" Known
            "https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/overview" [
            "**/.github/agents" "**/.github/copilot" "**/.github/extensions" "**/.github/skills" "**/.copilot/*"
        ]
        "OpenCode" Read "https://opencode.ai/docs/config" [
            "opencode.json" "opencode.jsonc" "**/.opencode/*" "**/.config/opencode"
        ]
        "Cline" Read "https://docs.cline.bot/customization/hooks" ["**/.clinerules/hooks" "**/.cline/*"]
        "Roo Code" Read "https://docs.roocode.com/features/experimental/custom-tools" ["**/.roo/*"]
        "Kilo Code" Read "https://kilo.ai/docs/automate/mcp/using-in-kilo-code" [
            "kilo.json" "kilo.jsonc" "**/.kilo/*" "**/.kilocode/*" "**/.config/kilo"
        ]
        "Qwen Code" Read "https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks" ["**/.qwen/*"]
        "Qoder" Read "https://docs.qoder.com/en/cli/hooks" ["**/.qoder/*"]
        "CodeBuddy" Read "https://cloud.tencent.com/document/product/1831/137009" ["**/.codebuddy/*"]
        "iFlow CLI" Known "https://platform.iflow.cn/en/cli/configuration/settings" ["**/.iflow/*"]
        "Rovo Dev" Read "https://support.atlassian.com/rovo/docs/connect-to-an-mcp-server-in-rovo-dev-cli" ["**/.rovodev/*"]
        "Mistral Vibe" Read "https://docs.mistral.ai/mistral-vibe/introduction/configuration" ["**/.vibe/*"]
        "OpenHands" Read "https://docs.openhands.dev/openhands/usage/customization/hooks" ["**/.openhands/*"]
        "Pi" Read "https://pi.dev/docs/latest/security" ["**/.pi/*"]
        "Amp" Known "https://ampcode.com/manual" ["**/.amp/*" "**/.config/amp"]
        "Junie" Known "https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html" ["**/.junie/*"]
        "Trae" Known "https://docs.trae.ai/ide/model-context-protocol" ["**/.trae/*"]
        "Continue" Known "https://docs.continue.dev/reference" ["**/.continue/*" ".continuerc.json"]
        "LM Studio" Known "https://lmstudio.ai/docs/app/mcp" ["**/.lmstudio/mcp.json"]
        "Goose" Known "https://block.github.io/goose/docs/guides/config-files" ["**/.config/goose"]
        "Crush" Known "https://github.com/charmbracelet/crush/blob/main/README.md" ["crush.json" ".crush.json" "**/.config/crush"]
        "Aider" Known "https://aider.chat/docs/config/aider_conf.html" [".aider.conf.yml"]
        "Codebuff" Known "https://www.codebuff.com/docs" ["codebuff.json"]
        "gptme" Known "https://gptme.org/docs/config.html" ["gptme.toml"]
        // Shared by several agents.
        "Agents that share `.agents`" Known "https://agentskills.io/specification" [
            "**/.agents/agents" "**/.agents/hooks" "**/.agents/hooks.json" "**/.agents/mcp_config.json" "**/.agents/plugins"
            "**/.agents/skills"
        ]
    }
    SHELLS "shell_startup" {
        "Bash" Known "https://www.gnu.org/software/bash/manual/html_node/Bash-Startup-Files.html" [
            ".bashrc" ".bash_profile" ".bash_login" ".bash_logout" ".bash_aliases" ".bash_completion" ".profile"
        ]
        "Readline" Known "https://www.gnu.org/software/bash/manual/html_node/Readline-Init-File.html" [".inputrc"]
        "Zsh" Known "https://zsh.sourceforge.io/Doc/Release/Files.html" [
            ".zshrc" ".zshenv" ".zprofile" ".zlogin" ".zlogout" ".zcompdump"
        ]
        "Oh My Zsh" Known "https://github.com/ohmyzsh/ohmyzsh/wiki/Customization" [".oh-my-zsh"]
        "Csh and Tcsh" Known "https://www.tcsh.org/tcsh-manual/" [".login" ".cshrc" ".tcshrc"]
        "KornShell" Known "https://man.openbsd.org/ksh.1" [".kshrc" ".mkshrc"]
        "Fish" Known "https://fishshell.com/docs/current/language.html#configuration-files" ["**/.config/fish"]
        "Nushell" Known "https://www.nushell.sh/book/configuration.html" ["**/.config/nushell"]
        "PowerShell" Known "https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_profiles" [
            "**/.config/powershell"
        ]
        "Xonsh" Known "https://xon.sh/xonshrc.html" [".xonshrc" "**/.config/xonsh"]
        "X11 sessions" Known "https://www.x.org/releases/current/doc/man/man1/xinit.1.xhtml" [
            ".xinitrc" ".xprofile" ".xsession" ".xsessionrc"
        ]
        "PAM" Known "https://man7.org/linux/man-pages/man8/pam_env.8.html" [".pam_environment"]
        "Freedesktop sessions" Known "https://specifications.freedesktop.org/autostart-spec/latest/" [
            "**/.config/autostart" "**/.local/share/applications" "**/.local/share/dbus-1"
        ]
        "Plasma" Known "https://userbase.kde.org/Session_Environment_Variables" ["**/.config/plasma-workspace"]
        "Hyprland" Known "https://wiki.hypr.land/Configuring/Keywords/" ["**/.config/hypr"]
        "systemd" Known "https://www.freedesktop.org/software/systemd/man/latest/systemd.unit.html" [
            "**/.config/environment.d" "**/.config/systemd/user" "**/.local/share/systemd/user"
        ]
        "launchd" Known "https://developer.apple.com/library/archive/documentation/MacOSX/Conceptual/BPSystemStartup/" [
            "**/Library/LaunchAgents"
        ]
        "Git" Known "https://git-scm.com/docs/git-config" [
            ".gitconfig" "**/.config/git/config" "**/.config/git/hooks"
        ]
        "Mercurial" Known "https://www.mercurial-scm.org/doc/hgrc.5.html" [".hgrc" "**/.config/hg"]
        "Jujutsu" Known "https://docs.jj-vcs.dev/latest/config/" [".jjconfig.toml" "**/.config/jj"]
        "direnv" Known "https://direnv.net/man/direnv.1.html" [".direnvrc" "**/.config/direnv"]
        "tmux" Known "https://man.openbsd.org/tmux.1" [".tmux.conf" "**/.config/tmux"]
        "GNU Screen" Known "https://www.gnu.org/software/screen/manual/screen.html" [".screenrc"]
        "WezTerm" Known "https://wezterm.org/config/files.html" [".wezterm.lua" "**/.config/wezterm"]
        "Mail" Known "https://www.rfc-editor.org/rfc/rfc1524" [".mailcap" ".forward"]
        "GDB" Known "https://sourceware.org/gdb/current/onlinedocs/gdb.html/Initialization-Files.html" [
            ".gdbinit" ".gdbearlyinit" "**/.config/gdb"
        ]
        "LLDB" Known "https://lldb.llvm.org/man/lldb.html" [".lldbinit"]
        "R" Read "https://stat.ethz.ch/R-manual/R-devel/library/base/html/Startup.html" [".Rprofile" ".Renviron" ".RData"]
        "Ruby" Known "https://docs.ruby-lang.org/en/master/IRB.html" [
            ".irbrc" ".pryrc" ".byebugrc" ".rdbgrc"
        ]
        "Python" Known "https://docs.python.org/3/library/pdb.html" [".pdbrc" ".pdbrc.py" ".ipython"]
        "Perl" Known "https://perldoc.perl.org/perldebug" [".perldb"]
        "GHC" Known "https://downloads.haskell.org/ghc/latest/docs/users_guide/ghci.html" [".ghci"]
        "OCaml" Known "https://ocaml.org/manual/latest/toplevel.html" [".ocamlinit"]
        "Octave" Known "https://docs.octave.org/latest/Startup-Files.html" [".octaverc"]
        "Julia" Known "https://docs.julialang.org/en/v1/manual/command-line-interface/" ["**/.julia/config"]
        "Elixir" Known "https://hexdocs.pm/iex/IEx.html" [".iex.exs"]
        "Erlang" Known "https://www.erlang.org/doc/apps/erts/erl_cmd.html" [".erlang"]
        "SQLite" Known "https://sqlite.org/cli.html" [".sqliterc"]
        "PostgreSQL" Known "https://www.postgresql.org/docs/current/app-psql.html" [".psqlrc"]
        "DuckDB" Known "https://duckdb.org/docs/stable/clients/cli/overview" [".duckdbrc"]
        "MongoDB" Known "https://www.mongodb.com/docs/mongodb-shell/mongoshrc/" [".mongoshrc.js"]
    }
    KEY_FILES "key_files" {
        "OpenSSH" Known "https://man.openbsd.org/ssh.1" [
            "id_rsa" "id_dsa" "id_ecdsa" "id_ed25519" "id_ecdsa_sk" "id_ed25519_sk"
        ]
        "OpenSSH, a copy" Known "https://man.openbsd.org/ssh.1" [
            "id_rsa.bak" "id_ecdsa.bak" "id_ed25519.bak" "id_rsa.old" "id_ecdsa.old" "id_ed25519.old"
        ]
        "PuTTY" Known "https://the.earth.li/~sgtatham/putty/latest/htmldoc/AppendixC.html" ["*.ppk"]
        "PKCS #12 and PKCS #8" Known "https://docs.openssl.org/master/man1/openssl-pkcs12/" ["*.p12" "*.pfx" "*.p8"]
        "Java key stores" Known "https://docs.oracle.com/en/java/javase/21/docs/specs/man/keytool.html" [
            "*.jks" "*.jceks" "*.keystore"
        ]
        "KeePass" Known "https://keepass.info/help/kb/kdbx.html" ["*.kdbx"]
        "macOS" Known "https://support.apple.com/guide/keychain-access/welcome/mac" ["*.keychain-db"]
        "Kerberos" Known "https://web.mit.edu/kerberos/krb5-latest/doc/basic/keytab_def.html" ["*.keytab"]
    }
    CREDENTIALS "credentials" {
        "OpenSSH" Known "https://man.openbsd.org/ssh.1" [".ssh"]
        "GnuPG" Known "https://www.gnupg.org/documentation/manuals/gnupg/GPG-Configuration.html" [".gnupg"]
        "pass" Known "https://www.passwordstore.org/" [".password-store"]
        "netrc" Known "https://everything.curl.dev/usingcurl/netrc.html" [
            ".netrc" "_netrc" ".authinfo" ".authinfo.gpg"
        ]
        "PostgreSQL" Known "https://www.postgresql.org/docs/current/libpq-pgpass.html" [".pgpass"]
        "MySQL" Known "https://dev.mysql.com/doc/refman/8.4/en/mysql-config-editor.html" [".my.cnf" ".mylogin.cnf"]
        "Git" Known "https://git-scm.com/docs/git-credential-store" [".git-credentials" "**/.config/git/credentials"]
        "PyPI" Known "https://packaging.python.org/en/latest/specifications/pypirc/" [".pypirc"]
        "Cargo" Known "https://doc.rust-lang.org/cargo/reference/config.html#credentials" [
            "**/.cargo/credentials" "**/.cargo/credentials.toml"
        ]
        "RubyGems" Known "https://guides.rubygems.org/api-key-scopes/" ["**/.gem/credentials"]
        "Maven" Known "https://maven.apache.org/settings.html" ["**/.m2/settings.xml" "**/.m2/settings-security.xml"]
        "Gradle" Known "https://docs.gradle.org/current/userguide/build_environment.html" ["**/.gradle/gradle.properties"]
        "Composer" Known "https://getcomposer.org/doc/articles/authentication-for-private-packages.md" [
            "**/.config/composer/auth.json" "**/.composer/auth.json"
        ]
        "Vault" Known "https://developer.hashicorp.com/vault/docs/commands/token-helper" [".vault-token"]
        "Terraform" Known "https://developer.hashicorp.com/terraform/cli/config/config-file" [
            ".terraformrc" "terraform.rc" "**/.terraform.d/credentials.tfrc.json"
        ]
        "Pulumi" Known "https://www.pulumi.com/docs/iac/concepts/state-and-backends/" [".pulumi"]
        "SOPS" Known "https://getsops.io/docs/" ["**/.config/sops/age/keys.txt"]
        "AWS CLI" Known "https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html" [
            "**/.aws/credentials" "**/.aws/config" "**/.aws/sso" "**/.aws/cli/cache"
        ]
        "Azure CLI" Known "https://learn.microsoft.com/cli/azure/azure-cli-configuration" [".azure"]
        "Google Cloud CLI" Known "https://cloud.google.com/sdk/docs/configurations" ["**/.config/gcloud"]
        "gsutil" Known "https://cloud.google.com/storage/docs/boto-gsutil" [".boto"]
        "Oracle Cloud CLI" Known "https://docs.oracle.com/en-us/iaas/Content/API/Concepts/sdkconfig.htm" [".oci"]
        "DigitalOcean CLI" Known "https://docs.digitalocean.com/reference/doctl/" ["**/.config/doctl"]
        "Fly.io CLI" Known "https://fly.io/docs/flyctl/" ["**/.fly/config.yml" "**/.config/flyctl"]
        "Wrangler" Known "https://developers.cloudflare.com/workers/wrangler/" ["**/.wrangler/config" "**/.config/.wrangler"]
        "Stripe CLI" Known "https://docs.stripe.com/stripe-cli" ["**/.config/stripe"]
        "ngrok" Known "https://ngrok.com/docs/agent/config/" [".ngrok2" "**/.config/ngrok"]
        "s3cmd" Known "https://s3tools.org/kb/item14.htm" [".s3cfg"]
        "rclone" Known "https://rclone.org/docs/#config-config-file" ["**/.config/rclone/rclone.conf"]
        "Databricks CLI" Known "https://docs.databricks.com/aws/en/dev-tools/auth/config-profiles" [".databrickscfg"]
        "Snowflake" Known "https://docs.snowflake.com/en/developer-guide/snowflake-cli/connecting/configure-cli" [
            ".snowflake" ".snowsql"
        ]
        "dbt" Known "https://docs.getdbt.com/docs/core/connect-data-platform/connection-profiles" ["**/.dbt/profiles.yml"]
        "Kaggle" Known "https://www.kaggle.com/docs/api" [".kaggle"]
        "Hugging Face" Known "https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables" [
            "**/.cache/huggingface/token" "**/.cache/huggingface/stored_tokens" "**/.huggingface/token"
        ]
        "GitHub CLI" Known "https://cli.github.com/manual/gh_auth_login" ["**/.config/gh/hosts.yml"]
        "GitLab CLI" Known "https://docs.gitlab.com/cli/" ["**/.config/glab-cli"]
        "hub" Known "https://hub.github.com/hub.1.html" ["**/.config/hub"]
        "1Password CLI" Known "https://developer.1password.com/docs/cli/config-directories/" ["**/.config/op"]
        "Kubernetes" Known
            "https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/" ["**/.kube/config"]
        "Docker" Known "https://docs.docker.com/reference/cli/docker/#docker-cli-configuration-file-configjson-properties" [
            "**/.docker/config.json" ".dockercfg"
        ]
        "Podman" Known "https://docs.podman.io/en/latest/markdown/podman-login.1.html" ["**/.config/containers/auth.json"]
        "GNOME Keyring" Known "https://wiki.gnome.org/Projects/GnomeKeyring" ["**/.local/share/keyrings"]
        "macOS" Known "https://support.apple.com/guide/keychain-access/welcome/mac" ["**/Library/Keychains"]
        "Samba" Known "https://man7.org/linux/man-pages/man8/mount.smb3.8.html" [".smbcredentials"]
        "Claude Code" Known "https://code.claude.com/docs/en/iam" ["**/.claude/.credentials.json" ".claude.json"]
        "Codex" Known "https://developers.openai.com/codex/auth" ["**/.codex/auth.json"]
        "Gemini CLI" Known "https://geminicli.com/docs/get-started/authentication/" ["**/.gemini/oauth_creds.json"]
        "Qwen Code" Known "https://qwenlm.github.io/qwen-code-docs/en/users/configuration/auth" ["**/.qwen/oauth_creds.json"]
        "iFlow CLI" Known "https://platform.iflow.cn/en/cli/configuration/settings" ["**/.iflow/oauth_creds.json"]
        "GitHub Copilot" Known "https://docs.github.com/en/copilot" ["**/.config/github-copilot"]
        "OpenCode" Known "https://opencode.ai/docs/providers/" [
            "**/.local/share/opencode/auth.json" "**/.local/share/opencode/mcp-auth.json"
        ]
        "Amp" Known "https://ampcode.com/manual" ["**/.local/share/amp/secrets.json"]
        "Auggie" Known "https://docs.augmentcode.com/cli/setup-auggie/authentication" ["**/.augment/session.json"]
        "Cline" Read "https://docs.cline.bot/cli/configuration" ["**/.cline/data/settings/providers.json"]
        "Pi" Known "https://pi.dev/docs/latest" ["**/.pi/agent/auth.json"]
        "Goose" Known "https://block.github.io/goose/docs/guides/config-files" ["**/.config/goose/secrets.yaml"]
        "Firefox" Known "https://support.mozilla.org/kb/profiles-where-firefox-stores-user-data" [
            "**/.mozilla/firefox" "**/Library/Application Support/Firefox" "**/AppData/Roaming/Mozilla/Firefox"
        ]
        "Chromium and its relatives" Known
            "https://chromium.googlesource.com/chromium/src/+/HEAD/docs/user_data_dir.md" [
            "**/.config/chromium" "**/.config/google-chrome" "**/.config/microsoft-edge" "**/.config/BraveSoftware"
            "**/Library/Application Support/Chromium" "**/Library/Application Support/Google/Chrome"
            "**/Library/Application Support/Microsoft Edge" "**/Library/Application Support/BraveSoftware"
            "**/AppData/Local/Google/Chrome" "**/AppData/Local/Microsoft/Edge"
        ]
        // People paste secrets into commands.
        "Histories of shells" Known "https://www.gnu.org/software/bash/manual/html_node/Bash-History-Facilities.html" [
            ".bash_history" ".zsh_history" ".sh_history" ".histfile" "**/.local/share/fish/fish_history"
        ]
        "Histories of interpreters" Known "https://docs.python.org/3/library/readline.html" [
            ".python_history" ".node_repl_history" ".psql_history" ".mysql_history" ".sqlite_history" ".rediscli_history"
        ]
        "Bitcoin Core" Known "https://github.com/bitcoin/bitcoin/blob/master/doc/files.md" ["wallet.dat" ".bitcoin"]
        "Ethereum clients" Known "https://geth.ethereum.org/docs/fundamentals/account-management" ["**/.ethereum/keystore"]
        "Electrum" Known "https://electrum.readthedocs.io/en/latest/faq.html" ["**/.electrum/wallets"]
        "Solana CLI" Known "https://docs.anza.xyz/cli/wallets/file-system" ["**/.config/solana/id.json"]
    }
    ENVIRONMENT "environment_files" {
        "dotenv" Known "https://github.com/motdotla/dotenv/blob/master/README.md" [".env" ".env.*" "*.env"]
        "Apache HTTP Server" Known "https://httpd.apache.org/docs/2.4/programs/htpasswd.html" [".htpasswd"]
        "Ruby on Rails and others" Known "https://guides.rubyonrails.org/security.html#custom-credentials" [
            "secrets.yml" "secrets.yaml" "secrets.json"
        ]
        "Terraform" Known "https://developer.hashicorp.com/terraform/language/values/variables" ["*.tfvars" "*.tfstate"]
    }
    REGISTRIES "environment_files" {
        "npm" Known "https://docs.npmjs.com/cli/configuring-npm/npmrc" [".npmrc"]
    }
    PIPELINES "pipelines" {
        "GitHub Actions" Known "https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax" [
            "**/.github/workflows" "**/.github/actions"
        ]
        "Gitea Actions" Known "https://docs.gitea.com/usage/actions/overview" ["**/.gitea/workflows"]
        "Forgejo Actions" Known "https://forgejo.org/docs/latest/user/actions/" ["**/.forgejo/workflows"]
        "GitLab CI/CD" Known "https://docs.gitlab.com/ci/yaml/" [".gitlab-ci.yml"]
        "Travis CI" Known "https://docs.travis-ci.com/user/tutorial/" [".travis.yml"]
        "CircleCI" Known "https://circleci.com/docs/configuration-reference/" [".circleci"]
        "Buildkite" Known "https://buildkite.com/docs/pipelines/configure" [".buildkite"]
        "Azure Pipelines" Known "https://learn.microsoft.com/azure/devops/pipelines/yaml-schema/" ["azure-pipelines.yml"]
        "Jenkins" Known "https://www.jenkins.io/doc/book/pipeline/jenkinsfile/" ["Jenkinsfile"]
        "Woodpecker CI" Known "https://woodpecker-ci.org/docs/usage/workflow-syntax" [
            ".woodpecker" ".woodpecker.yml" ".woodpecker.yaml"
        ]
        "Drone" Known "https://docs.drone.io/pipeline/configuration/" [".drone.yml"]
        "Bitbucket Pipelines" Known
            "https://support.atlassian.com/bitbucket-cloud/docs/bitbucket-pipelines-configuration-reference/" ["bitbucket-pipelines.yml"]
        "Cirrus CI" Known "https://cirrus-ci.org/guide/writing-tasks/" [".cirrus.yml"]
        "AppVeyor" Known "https://www.appveyor.com/docs/appveyor-yml/" ["appveyor.yml" ".appveyor.yml"]
        "Tekton" Known "https://pipelinesascode.com/docs/guide/authoringprs/" [".tekton"]
        "pre-commit" Known "https://pre-commit.com/" [".pre-commit-config.yaml"]
        "npm" Known "https://docs.npmjs.com/cli/configuring-npm/npmrc" [".npmrc"]
        "pnpm" Known "https://pnpm.io/pnpmfile" [".pnpmfile.cjs"]
        "Yarn" Known "https://yarnpkg.com/configuration/yarnrc" [".yarnrc" ".yarnrc.yml" "**/.yarn/releases" "**/.yarn/plugins"]
        "direnv" Known "https://direnv.net/man/direnv.1.html" [".envrc"]
        "Cargo" Known "https://doc.rust-lang.org/cargo/reference/config.html" ["**/.cargo/config" "**/.cargo/config.toml"]
        "rustup" Known "https://rust-lang.github.io/rustup/overrides.html#the-toolchain-file" ["rust-toolchain.toml" "rust-toolchain"]
        "Maven" Known "https://maven.apache.org/configure.html#mvn-directory" [".mvn"]
        "PHP" Known "https://www.php.net/manual/configuration.file.per-user.php" [".user.ini"]
        "Apache HTTP Server" Known "https://httpd.apache.org/docs/2.4/howto/htaccess.html" [".htaccess"]
        "Git" Known "https://git-scm.com/docs/gitattributes" [".gitmodules" ".gitattributes"]
    }
}

/// Places for agents in the directories of [`AGENTS`]: plain text for themselves, plans, and
/// checkouts that they work in.
pub(super) const AGENTS_WORK: &[&str] = &[
    "**/.claude/CLAUDE.md",
    "**/.claude/agent-memory",
    "**/.claude/plans",
    "**/.claude/rules",
    "**/.claude/worktrees",
    "**/.codex/AGENTS.md",
    "**/.codex/worktrees",
    "**/.cursor/plans",
    "**/.cursor/rules",
    "**/.cursor/worktrees",
    "**/.gemini/GEMINI.md",
    "**/.gemini/styleguide.md",
    "**/.windsurf/plans",
    "**/.windsurf/rules",
    "**/.factory/docs",
    "**/.factory/specs",
    "**/.kiro/specs",
    "**/.kiro/steering",
    "**/.amazonq/rules",
    "**/.augment/rules",
    "**/.opencode/plans",
    "**/.cline/rules",
    "**/.roo/rules",
    "**/.kilo/plans",
    "**/.kilo/rules",
    "**/.kilo/worktrees",
    "**/.kilocode/rules",
    "**/.kilocode/worktrees",
    "**/.qwen/QWEN.md",
    "**/.qoder/rules",
    "**/.junie/AGENTS.md",
    "**/.junie/guidelines.md",
    "**/.trae/rules",
    "**/.continue/prompts",
    "**/.continue/rules",
];

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use serde_json::json;

    use super::*;
    use crate::guard::Guard;
    use crate::policy::{Document, Documents, ENVIRONMENT_FILES, Policy, Profile};
    use crate::volume::guarded::Guarded;
    use crate::volume::memory::{Item, Memory};
    use crate::volume::{Access, Fault, Volume};

    /// A path that a pattern names.
    fn example(pattern: &str) -> String {
        let path = pattern.strip_prefix("**/").unwrap_or(pattern);
        let path = path.strip_suffix("/*").map_or(path.to_owned(), |above| format!("{above}/anything"));
        path.replace('*', "x")
    }

    /// A profile with this rule alone.
    fn alone(profile: Profile, rule: &str) -> Policy {
        let rules = profile.document().rules;
        let except: Vec<_> =
            rules.iter().filter(|other| other.name != rule).map(|rule| rule.name.clone()).collect();
        let document = Document { profile: Some(profile), except, ..Document::default() };
        Policy::compile(&document.into()).unwrap()
    }

    /// Reads, then writes a file, then creates one beside nothing: the faults by rule.
    fn tried(policy: Policy, path: &str) -> [Result<(), Fault>; 3] {
        let guard = Rc::new(Guard::new(policy, &[vec!["w".to_owned()]], &[]));
        let memory = Memory::default();
        memory.put(path, Item::File(b"content".to_vec()));
        let at = |memory: &Memory, access: Option<Access>| {
            let volume = Guarded::new(memory.clone(), guard.clone(), ["w"]);
            let mut names: Vec<_> = path.split('/').collect();
            let last = names.pop().unwrap();
            let opened = names.iter().try_fold(volume.root(), |at, name| volume.open_directory(&at, name))?;
            match access {
                Some(access) => volume.open_file(&opened, last, access).map(drop),
                None => volume.create_file(&opened, last).map(drop),
            }
        };
        let empty = Memory::default();
        if let Some((above, _)) = path.rsplit_once('/') {
            empty.put(above, Item::Directory);
        }
        [at(&memory, Some(Access::Read)), at(&memory, Some(Access::Write)), at(&empty, None)]
    }

    #[test]
    fn every_pattern_protects_at_the_top_and_below() {
        for Source { rule, patterns, .. } in SOURCES {
            for pattern in *patterns {
                let in_default = *rule != "pipelines" && *pattern != ".npmrc";
                let profile = if in_default { Profile::Default } else { Profile::Strict };
                let secret = ["key_files", "credentials", ENVIRONMENT_FILES].contains(rule);
                for path in
                    [example(pattern), format!("a/b/{}", example(pattern)), example(pattern).to_uppercase()]
                {
                    let [read, write, create] = tried(alone(profile, rule), &path);
                    let denied = Err(Fault::Denied((*rule).to_owned()));
                    let hidden = profile == Profile::Strict && secret;
                    let unseen = if hidden { Err(Fault::NotFound) } else { denied.clone() };
                    assert_eq!(read, if secret { unseen.clone() } else { Ok(()) }, "{rule}: {path}");
                    assert_eq!(write, unseen, "{rule}: {path}");
                    // A directory that is denied or hidden cannot even be entered.
                    assert!(create == denied || create == unseen, "{rule}: {path}: {create:?}");
                }
            }
        }
    }

    #[test]
    fn both_profiles_have_what_is_theirs() {
        for (profile, name) in [(Profile::Default, "default"), (Profile::Strict, "strict")] {
            let all: Vec<_> = profile.document().rules.into_iter().flat_map(|rule| rule.paths).collect();
            for Source { rule, patterns, .. } in SOURCES {
                for pattern in *patterns {
                    let expected = name == "strict" || (*rule != "pipelines" && *pattern != ".npmrc");
                    assert_eq!(all.iter().any(|path| path == pattern), expected, "{name}: {pattern}");
                }
            }
        }
    }

    #[test]
    fn agents_work_where_only_text_is() {
        for pattern in AGENTS_WORK {
            for path in
                [example(pattern), format!("a/{}", example(pattern)), format!("{}/a/b.md", example(pattern))]
            {
                let policy = Policy::compile(&Documents::default()).unwrap();
                assert_eq!(tried(policy, &path), [Ok(()), Ok(()), Ok(())], "{path}");
            }
        }
        // A checkout is a place like any other.
        let policy = Policy::compile(&Documents::default()).unwrap();
        let [_, write, _] = tried(policy, ".claude/worktrees/a/.git/config");
        assert_eq!(write, Err(Fault::Denied("git".to_owned())));
        // An agent that is granted its checkout works in it, wherever that lies.
        let policy = Policy::compile(&Documents::default()).unwrap();
        let at =
            ["home", ".claude", "worktrees"].iter().fold(policy.start(), |at, name| at.below(&policy, name));
        assert!(at.below(&policy, "a").at_grant().ruling(&policy, "b.rs", false).is_free());
    }

    #[test]
    fn every_row_says_where_it_comes_from() {
        let mut patterns: Vec<_> = Vec::new();
        for source in SOURCES {
            assert!(source.page.starts_with("http"), "{source:?}");
            assert!(!source.program.is_empty(), "{source:?}");
            patterns.extend(source.patterns.iter().map(|pattern| (source.rule, *pattern)));
        }
        let all = patterns.len();
        patterns.sort_unstable();
        patterns.dedup();
        assert_eq!(patterns.len(), all, "a pattern stands twice in a rule");
    }

    #[test]
    fn a_repository_is_never_completed() {
        for (there, name, is_refused) in [
            (&["src"][..], "head", false),
            (&["src"], "HEAD", false),
            (&[], "HEAD", false),
            (&["HEAD"], "src", false),
            (&["objects"], "HEAD", true),
            (&["refs"], "head", true),
            (&["commondir"], "HEAD", true),
            (&["HEAD"], "objects", true),
            (&["HEAD"], "refs", true),
            (&["HEAD"], "Commondir", true),
            (&["objects"], "refs", false),
        ] {
            let memory = Memory::default();
            for name in there {
                memory.put(&format!("d/{name}"), Item::File(Vec::new()));
            }
            memory.put("d/other", Item::File(Vec::new()));
            memory.put("e", Item::Directory);
            let policy = Policy::compile(&Documents::parse(&json!({}).to_string()).unwrap()).unwrap();
            let guard = Rc::new(Guard::new(policy, &[vec!["w".to_owned()]], &[]));
            let volume = Guarded::new(memory, guard, ["w"]);
            let (d, e) = (
                volume.open_directory(&volume.root(), "d").unwrap(),
                volume.open_directory(&volume.root(), "e").unwrap(),
            );
            let expected = if is_refused { Err(Fault::Denied("bare_repository".to_owned())) } else { Ok(()) };
            let told = |done: Result<(), Fault>| done;
            assert_eq!(told(volume.create_directory(&d, name)), expected, "{there:?} {name}");
            volume.create_file(&e, "made").unwrap();
            if is_refused {
                assert_eq!(volume.create_file(&d, name).map(drop), expected, "{there:?} {name}");
                assert_eq!(volume.rename(&e, "made", &d, name), expected, "{there:?} {name}");
                assert_eq!(volume.rename(&d, "other", &d, name), expected, "{there:?} {name}");
                assert_eq!(volume.link_file(&e, "made", &d, name), expected, "{there:?} {name}");
            }
        }
    }
}
