//! The files that profiles protect, with their documentation and how it was checked.
//!
//! Profiles contain the patterns; only the documentation has the sources. `**/.x/*` protects a
//! directory's content except the rule's exceptions.

/// The day of the last comparison with the pages; for some rows a day before.
pub const LOOKED_UP: &str = "2026-11-29";

pub(super) type Section = &'static [&'static [&'static str]];

/// A program, its files, and the page that documents them.
#[derive(Debug, Clone, Copy)]
pub struct PatternSource {
    /// The rule that protects the files.
    pub rule: &'static str,
    /// The program that uses them.
    pub program: &'static str,
    /// The maker's page.
    pub page: &'static str,
    /// The evidence for the row.
    pub seen: Evidence,
    /// The files.
    pub patterns: &'static [&'static str],
}

/// The evidence for a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// A copy of the page, read by [`LOOKED_UP`], names the files.
    Read,
    /// No such copy was available by [`LOOKED_UP`]: general knowledge.
    Known,
}

macro_rules! table {
    ($($section:ident $rule:literal { $($program:literal $seen:ident $page:literal [$($pattern:literal)+])+ })+) => {
        $(pub(super) const $section: Section = &[$(&[$($pattern),+]),+];)+

        /// Every row, in the order of the rules.
        pub static SOURCES: &[PatternSource] = &[$($(PatternSource {
            rule: $rule,
            program: $program,
            page: $page,
            seen: Evidence::$seen,
            patterns: &[$($pattern),+],
        }),+),+];
    };
}

table! {
    GIT "git" {
        // Configuration, hooks, filters, files that name directories. `git~1` is the short name of
        // `.git` on Windows.
        "Git" Read "https://github.com/git/git/blob/HEAD/Documentation/gitrepository-layout.adoc" [
            ".git" "git~1" "*.git"
        ]
        "Git, by `core.hooksPath`" Known "https://git-scm.com/docs/githooks" [".githooks"]
        "Husky" Read "https://github.com/typicode/husky/blob/HEAD/docs/get-started.md" [".husky"]
        "Lefthook" Read "https://lefthook.dev/configuration" [
            "lefthook.yml" "lefthook.yaml" "lefthook.toml" "lefthook.json" "lefthook.jsonc"
            ".lefthook.yml" ".lefthook.yaml" ".lefthook.toml" ".lefthook.json" ".lefthook.jsonc"
            "lefthook-local.yml" "lefthook-local.yaml" "lefthook-local.toml" "lefthook-local.json" "lefthook-local.jsonc"
            ".lefthook-local.yml" ".lefthook-local.yaml" ".lefthook-local.toml" ".lefthook-local.json"
            ".lefthook-local.jsonc" ".lefthook" ".lefthook-local"
        ]
        "Overcommit" Read "https://github.com/sds/overcommit/blob/HEAD/README.md" [
            ".overcommit.yml" ".local-overcommit.yml" ".git-hooks"
        ]
        "hk" Read "https://github.com/jdx/hk/blob/HEAD/docs/configuration.md" [
            "hk.pkl" "hk.local.pkl" ".hkrc.pkl" "**/.config/hk"
        ]
        "Mercurial" Read "https://mercurial-scm.org/doc/hgrc.5.html" [".hg"]
        "Jujutsu" Read "https://github.com/jj-vcs/jj/blob/HEAD/docs/config.md" [".jj"]
        "Sapling" Read "https://github.com/facebook/sapling/blob/HEAD/eden/scm/lib/identity/src/lib.rs" [
            ".sl" "**/.config/sapling"
        ]
        "Darcs" Read "http://darcs.net/Using/Configuration" ["_darcs"]
        "Pijul" Read "https://pijul.org/manual/configuration.html" [".pijul" "pijul.toml"]
        "Repo" Read "https://github.com/GerritCodeReview/git-repo/blob/HEAD/docs/internal-fs-layout.md" [".repo"]
    }
    EDITORS "editor_settings" {
        "Visual Studio Code" Read
            "https://github.com/microsoft/vscode-docs/blob/HEAD/docs/editing/workspaces/workspaces.md" [
            "**/.vscode/settings.json" "**/.vscode/tasks.json" "**/.vscode/launch.json" "**/.vscode/mcp.json"
            "*.code-workspace" "**/Code/User/*"
        ]
        "Visual Studio Code" Known "https://code.visualstudio.com/docs/configure/settings" [
            "**/Code - Insiders/User/*"
        ]
        "VSCodium" Read "https://github.com/VSCodium/vscodium/blob/HEAD/docs/migration.md" ["**/VSCodium/User/*"]
        "Cursor" Known "https://cursor.com/docs" ["**/Cursor/User/*"]
        "Windsurf" Known "https://docs.windsurf.com/windsurf/getting-started" ["**/Windsurf/User/*"]
        "Dev Containers" Read "https://github.com/devcontainers/spec/blob/HEAD/docs/specs/devcontainer-reference.md" [
            ".devcontainer" ".devcontainer.json"
        ]
        "Visual Studio" Read "https://github.com/MicrosoftDocs/visualstudio-docs/blob/HEAD/docs/ide/mcp-servers.md" [
            "**/.vs/mcp.json"
        ]
        "JetBrains IDEs" Read "https://jetbrains.com/help/idea/2021.3/run-debug-configurations-dialog.html" [
            ".idea" "*.run.xml" "*.ipr" "*.iws"
        ]
        "JetBrains Fleet" Read "https://www.jetbrains.com/help/fleet/run-configs.html" [".fleet"]
        "Zed" Read "https://github.com/zed-industries/zed/blob/HEAD/docs/src/tasks.md" [
            "**/.zed/settings.json" "**/.zed/tasks.json" "**/.zed/debug.json" "**/.config/zed/settings.json"
            "**/.config/zed/tasks.json"
        ]
        "Vim" Read "https://github.com/vim/vim/blob/HEAD/runtime/doc/starting.txt" [
            ".exrc" "_exrc" ".vimrc" "_vimrc" ".gvimrc" "_gvimrc" ".lvimrc" ".local.vimrc" ".vim" "**/.config/vim"
            "vimfiles"
        ]
        "Neovim" Read "https://github.com/neovim/neovim/blob/HEAD/runtime/doc/starting.txt" [
            ".nvimrc" ".nvim.lua" ".lazy.lua" "**/.config/nvim"
        ]
        "Emacs" Read "https://gnu.org/software/emacs/manual/html_node/emacs/Init-File.html" [
            ".dir-locals.el" ".dir-locals-2.el" ".emacs" ".emacs.d" "**/.config/emacs" ".emacs.el"
        ]
        "Spacemacs" Read "https://github.com/syl20bnr/spacemacs/blob/HEAD/doc/DOCUMENTATION.org" [
            ".spacemacs" ".spacemacs.d" ".spacemacs.env"
        ]
        "Doom Emacs" Read "https://github.com/doomemacs/doomemacs/blob/HEAD/docs/appendix.org" [
            ".doom.d" "**/.config/doom"
        ]
        "Helix" Read "https://github.com/helix-editor/helix/blob/HEAD/book/src/configuration.md" [
            "**/.helix" "**/.config/helix"
        ]
        "Kakoune" Read "https://github.com/mawww/kakoune/blob/HEAD/README.asciidoc" ["**/.config/kak"]
        "Sublime Text" Read "https://sublimetext.com/docs/projects.html" ["*.sublime-project"]
        "Lite XL" Read "https://github.com/lite-xl/lite-xl/blob/HEAD/data/core/init.lua" [
            ".lite_project.lua" "**/.config/lite-xl"
        ]
        "Nova" Read "https://docs.nova.app/extensions/preferences/" [".nova"]
        "Eclipse" Read
            "https://github.com/eclipse-platform/eclipse.platform/blob/HEAD/debug/org.eclipse.core.externaltools/src/org/eclipse/core/externaltools/internal/model/BuilderCoreUtils.java" [
            ".project" ".externalToolBuilders"
        ]
        "rust-analyzer" Read "https://github.com/rust-lang/rust-analyzer/blob/HEAD/docs/book/src/configuration.md" [
            "rust-analyzer.toml"
        ]
        "Build Server Protocol" Read
            "https://github.com/build-server-protocol/build-server-protocol/blob/HEAD/docs/overview/server-discovery.md" [
            ".bsp"
        ]
        "Gitpod and Ona" Read
            "https://github.com/gitpod-io/website/blob/HEAD/src/routes/docs/references/gitpod-yml.md" [
            ".gitpod.yml"
        ]
        "Gitpod and Ona" Read "https://ona.com/docs/ona/configuration/tasks-and-services/basic-configuration" [".ona"]
        "Firebase Studio" Read "https://firebase.google.com/docs/studio/customize-workspace" [".idx"]
    }
    AGENTS "agent_settings" {
        "Any client of the Model Context Protocol" Read
            "https://github.com/MicrosoftDocs/visualstudio-docs/blob/HEAD/docs/ide/mcp-servers.md" [
            ".mcp.json"
        ]
        // Settings, hooks, plugins. Skills, commands and agents have hooks in their front matter.
        "Claude Code" Read "https://github.com/anthropics/claude-code/blob/HEAD/CHANGELOG.md" [
            "**/.claude/*" ".claude.json"
        ]
        "Claude Desktop" Read
            "https://github.com/modelcontextprotocol/modelcontextprotocol/blob/HEAD/docs/docs/2025-11-25/develop/connect-local-servers.mdx" [
            "claude_desktop_config.json"
        ]
        "Codex" Read "https://developers.openai.com/codex/config-basic" ["**/.codex/*"]
        "Cursor" Read "https://cursor.com/docs/configuration/worktrees" ["**/.cursor/*"]
        "Gemini CLI" Read "https://geminicli.com/docs/reference/policy-engine/" ["**/.gemini/*"]
        "Windsurf" Read "https://docs.windsurf.com/windsurf/cascade/hooks" ["**/.windsurf/*" "**/.codeium/*"]
        "Devin" Read "https://cli.devin.ai/docs/extensibility" ["**/.devin/*"]
        "Devin" Read "https://cli.devin.ai/docs/extensibility/configuration" [
            "**/.config/devin" "**/AppData/Roaming/devin"
        ]
        "Devin, its first releases" Read "https://cli.devin.ai/docs/extensibility/index" [
            "**/.cognition/*" "**/.config/cognition"
        ]
        "Grok Build" Read "https://docs.x.ai/build/settings" ["**/.grok/*"]
        "Kimi Code" Read "https://github.com/MoonshotAI/kimi-cli/blob/HEAD/docs/en/configuration/data-locations.md" [
            "**/.kimi/*"
        ]
        "Warp" Read "https://github.com/warpdotdev/docs/blob/HEAD/src/content/docs/terminal/windows/tab-configs.mdx" [
            "**/.warp/*"
        ]
        "Pochi" Read "https://github.com/TabbyML/pochi/blob/HEAD/packages/docs/content/docs/custom-agent.mdx" [
            "**/.pochi/*"
        ]
        "Kode" Read "https://github.com/shareAI-lab/Kode-cli/blob/HEAD/README.md" [
            "**/.kode/*" ".kode.json" ".mcprc"
        ]
        "Xum and Mux" Read "https://github.com/coder/mux/blob/HEAD/docs/reference/mux-compatibility.mdx" [
            "**/.xum/*" "**/.mux/*"
        ]
        "Droid" Read "https://docs.factory.ai/harness/hooks" ["**/.factory/*"]
        "Kiro" Read "https://kiro.dev/docs/custom-agents/" ["**/.kiro/*"]
        "Amazon Q Developer" Read
            "https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/command-line-custom-agents-defining.html" [
            "**/.amazonq/*" "**/.aws/amazonq/*"
        ]
        "Auggie" Read "https://docs.augmentcode.com/cli/hooks" ["**/.augment/*"]
        "GitHub Copilot" Read
            "https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-hooks-reference" ["**/.github/hooks"]
        "GitHub Copilot" Read
            "https://github.com/github/docs/blob/HEAD/content/copilot/reference/copilot-cli-reference/cli-config-dir-reference.md" [
            "**/.github/agents" "**/.github/copilot" "**/.github/extensions" "**/.github/skills" "**/.copilot/*"
            "**/.github/mcp.json" "**/.github/lsp.json"
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
        "iFlow CLI" Read "https://github.com/iflow-ai/iflow-cli/blob/HEAD/docs_cn/configuration/settings.md" [
            "**/.iflow/*"
        ]
        "Rovo Dev" Read "https://support.atlassian.com/rovo/docs/connect-to-an-mcp-server-in-rovo-dev-cli" ["**/.rovodev/*"]
        "Mistral Vibe" Read "https://docs.mistral.ai/mistral-vibe/introduction/configuration" ["**/.vibe/*"]
        "OpenHands" Read "https://docs.openhands.dev/openhands/usage/customization/hooks" ["**/.openhands/*"]
        "Pi" Read "https://pi.dev/docs/latest/security" ["**/.pi/*"]
        "Amp" Read "https://github.com/sourcegraph/amp-examples-and-guides/blob/HEAD/guides/cli/README.md" [
            "**/.config/amp"
        ]
        "Amp" Read "https://github.com/ampcode/official-plugins/blob/HEAD/skills/orb-setup/SKILL.md" [
            "**/.amp/*" "**/.agents/setup" "**/.agents/resume"
        ]
        "Amp" Read "https://github.com/ampcode/official-plugins/blob/HEAD/skills/building-skills/SKILL.md" [
            "**/.config/agents/skills"
        ]
        "Junie" Read "https://github.com/JetBrains/junie-github-action/blob/HEAD/README.md" ["**/.junie/*"]
        "Trae" Known "https://docs.trae.ai/ide/model-context-protocol" ["**/.trae/*"]
        "Continue" Read
            "https://github.com/continuedev/continue/blob/HEAD/docs/customize/deep-dives/configuration.mdx" [
            "**/.continue/*" ".continuerc.json"
        ]
        "LM Studio" Known "https://lmstudio.ai/docs/app/mcp" ["**/.lmstudio/mcp.json"]
        "Goose" Read "https://github.com/block/goose/blob/HEAD/documentation/docs/guides/config-files.md" [
            "**/.config/goose" "**/Block/goose"
        ]
        "Goose" Read
            "https://github.com/block/goose/blob/HEAD/documentation/docs/guides/context-engineering/using-skills.md" [
            "**/.goose/skills" "**/.agents/plugins"
        ]
        "Crush" Read "https://github.com/charmbracelet/crush/blob/HEAD/README.md" [
            "crush.json" ".crush.json" "**/.config/crush" ".crushrc" "crushrc" "**/.crush/skills"
            "**/AppData/Local/crush" "**/AppData/Local/agents/skills"
        ]
        "Aider" Read "https://github.com/Aider-AI/aider/blob/HEAD/aider/website/docs/config/aider_conf.md" [
            ".aider.conf.yml"
        ]
        "Codebuff" Read "https://github.com/CodebuffAI/codebuff/blob/HEAD/common/src/json-config/constants.ts" [
            "codebuff.json" "codebuff.jsonc"
        ]
        "gptme" Read "https://github.com/gptme/gptme/blob/HEAD/docs/config.rst" [
            "gptme.toml" "gptme.local.toml" "**/.config/gptme"
        ]
        // Shared by several agents.
        "Agents that share `.agents`" Read
            "https://github.com/agentskills/agentskills/blob/HEAD/docs/client-implementation/adding-skills-support.mdx" [
            "**/.agents/skills"
        ]
        "Agents that share `.agents`" Known "https://agentskills.io/specification" [
            "**/.agents/agents" "**/.agents/hooks" "**/.agents/hooks.json" "**/.agents/mcp_config.json"
        ]
    }
    SHELLS "shell_startup" {
        "Bash" Read "https://gnu.org/s/bash/manual/html_node/Bash-Startup-Files.html" [
            ".bashrc" ".bash_profile" ".bash_login" ".bash_logout" ".bash_completion" ".profile"
            "**/.local/share/bash-completion"
        ]
        "Bash on Debian" Read "https://sources.debian.org/src/bash/latest/debian/skel.bashrc/" [".bash_aliases"]
        "Readline" Read "https://github.com/bminor/bash/blob/HEAD/lib/readline/doc/rluser.texi" [".inputrc"]
        "Zsh" Read "https://github.com/zsh-users/zsh/blob/HEAD/Doc/Zsh/files.yo" [
            ".zshrc" ".zshenv" ".zprofile" ".zlogin" ".zlogout" ".zcompdump"
        ]
        "Oh My Zsh" Read "https://github.com/ohmyzsh/ohmyzsh/blob/HEAD/README.md" [".oh-my-zsh"]
        "Csh and Tcsh" Read "https://github.com/tcsh-org/tcsh/blob/HEAD/tcsh.man.in" [
            ".login" ".cshrc" ".tcshrc" ".logout"
        ]
        "KornShell" Read "https://github.com/ksh93/ksh/blob/HEAD/src/cmd/ksh93/sh.1" [".kshrc" ".mkshrc"]
        "Fish" Read "https://github.com/fish-shell/fish-shell/blob/HEAD/doc_src/language.rst" ["**/.config/fish"]
        "Nushell" Read "https://github.com/nushell/nushell.github.io/blob/HEAD/book/configuration.md" [
            "**/.config/nushell"
        ]
        "PowerShell" Read
            "https://github.com/MicrosoftDocs/PowerShell-Docs/blob/HEAD/reference/7.5/Microsoft.PowerShell.Core/About/about_Profiles.md" [
            "**/.config/powershell" "**/Documents/PowerShell" "**/Documents/WindowsPowerShell"
        ]
        "Xonsh" Read "https://github.com/xonsh/xonsh/blob/HEAD/docs/xonshrc.rst" [".xonshrc" "**/.config/xonsh"]
        "X11 sessions" Read "https://github.com/freedesktop/xorg-xinit/blob/HEAD/man/startx.man" [
            ".xinitrc" ".xprofile" ".xsession" ".xserverrc"
        ]
        "X11 sessions on Debian" Read "https://wiki.debian.org/Xsession" [".xsessionrc"]
        "PAM" Read "https://github.com/linux-pam/linux-pam/blob/HEAD/modules/pam_env/pam_env.8.xml" [
            ".pam_environment"
        ]
        "Freedesktop sessions" Read "https://specifications.freedesktop.org/autostart-spec/latest/ar01s02.html" [
            "**/.config/autostart" "**/.local/share/applications" "**/.local/share/dbus-1"
        ]
        "Plasma" Read "https://github.com/KDE/plasma-workspace/blob/HEAD/startkde/startplasma.cpp" [
            "**/.config/plasma-workspace"
        ]
        "Hyprland" Read "https://github.com/hyprwm/hyprland-wiki/blob/HEAD/content/Configuring/Start.md" [
            "**/.config/hypr"
        ]
        "i3" Read "https://github.com/i3/i3/blob/HEAD/docs/userguide" ["**/.config/i3" ".i3"]
        "Sway" Read "https://github.com/swaywm/sway/blob/HEAD/sway/sway.1.scd" ["**/.config/sway" ".sway"]
        "niri" Read "https://github.com/YaLTeR/niri/blob/HEAD/docs/wiki/Configuration:-Introduction.md" [
            "**/.config/niri"
        ]
        "systemd" Read "https://github.com/systemd/systemd/blob/HEAD/man/systemd.unit.xml" [
            "**/.config/environment.d" "**/.config/systemd/user" "**/.local/share/systemd/user"
            "**/.config/systemd/user.control"
        ]
        "launchd" Read "https://github.com/apple-oss-distributions/launchd/blob/HEAD/man/launchd.8" [
            "**/Library/LaunchAgents"
        ]
        "Git" Read "https://github.com/git/git/blob/HEAD/Documentation/git-config.adoc" [
            ".gitconfig" "**/.config/git/config" "**/.config/git/attributes"
        ]
        "Git" Known "https://git-scm.com/docs/git-config" ["**/.config/git/hooks"]
        "Mercurial" Read "https://mercurial-scm.org/doc/hgrc.5.html" [".hgrc" "mercurial.ini" "**/.config/hg"]
        "Jujutsu" Read "https://github.com/jj-vcs/jj/blob/HEAD/docs/config.md" [".jjconfig.toml" "**/.config/jj"]
        "direnv" Read "https://github.com/direnv/direnv/blob/HEAD/man/direnv.1.md" [
            ".direnvrc" "**/.config/direnv" "**/.local/share/direnv"
        ]
        "mise" Read "https://github.com/jdx/mise/blob/HEAD/docs/configuration.md" ["**/.config/mise"]
        "Starship" Read "https://github.com/starship/starship/blob/HEAD/docs/config/README.md" [
            "**/.config/starship.toml"
        ]
        "tmux" Read "https://github.com/tmux/tmux/blob/HEAD/tmux.1" [".tmux.conf" "**/.config/tmux"]
        "GNU Screen" Read "https://www.gnu.org/software/screen/manual/html_node/Startup-Files.html" [".screenrc"]
        "WezTerm" Read "https://github.com/wezterm/wezterm/blob/HEAD/docs/config/files.md" [
            ".wezterm.lua" "**/.config/wezterm"
        ]
        "kitty" Read "https://github.com/kovidgoyal/kitty/blob/HEAD/docs/conf.rst" ["**/.config/kitty"]
        "Alacritty" Read "https://github.com/alacritty/alacritty/blob/HEAD/README.md" [
            ".alacritty.toml" "**/.config/alacritty" "**/.config/alacritty.toml" "**/AppData/Roaming/alacritty"
        ]
        "Ghostty" Read "https://github.com/ghostty-org/ghostty/blob/HEAD/src/config/file_load.zig" [
            "**/.config/ghostty" "**/Library/Application Support/com.mitchellh.ghostty"
        ]
        "Zellij" Read "https://github.com/zellij-org/zellij/blob/HEAD/zellij-utils/src/home_unix.rs" [
            "**/.config/zellij"
        ]
        "Mail" Read "https://www.rfc-editor.org/rfc/rfc1524" [".mailcap" ".forward"]
        // Hosts and principals that may enter the account.
        "OpenSSH" Read "https://github.com/openssh/openssh-portable/blob/master/sshd.8" [".rhosts" ".shosts"]
        "Kerberos" Read "https://github.com/krb5/krb5/blob/HEAD/doc/user/user_commands/ksu.rst" [
            ".k5login" ".k5users"
        ]
        "GDB" Read "https://man7.org/linux/man-pages/man5/gdbinit.5.html" [".gdbinit" "**/.config/gdb"]
        "GDB" Read "https://github.com/bminor/binutils-gdb/blob/HEAD/gdb/main.c" [".gdbearlyinit"]
        "LLDB" Read "https://github.com/llvm/llvm-project/blob/HEAD/lldb/docs/man/lldb.rst" [
            ".lldbinit" ".lldbinit-*"
        ]
        "R" Read "https://stat.ethz.ch/R-manual/R-devel/library/base/html/Startup.html" [".Rprofile" ".Renviron" ".RData"]
        "Ruby" Read "https://github.com/ruby/irb/blob/HEAD/doc/Configurations.md" [
            ".irbrc" ".pryrc" ".byebugrc" ".rdbgrc" "_irbrc" ".rdbgrc.rb" "**/.config/irb" "**/.config/pry"
        ]
        "Python" Read "https://github.com/python/cpython/pull/136816.diff" [".pdbrc" ".pdbrc.py" ".ipython"]
        "Python" Read "https://github.com/python/cpython/blob/HEAD/Doc/library/site.rst" [
            "sitecustomize.py" "usercustomize.py"
        ]
        "Perl" Read "https://github.com/Perl/perl5/blob/HEAD/pod/perldebug.pod" [".perldb"]
        "GHC" Read "https://github.com/ghc/ghc/blob/HEAD/docs/users_guide/ghci.rst" [".ghci" "ghci.conf"]
        "OCaml" Read "https://github.com/ocaml/ocaml/blob/HEAD/man/ocaml.1" [
            ".ocamlinit" "**/.config/ocaml/init.ml" "**/AppData/Local/ocaml/init.ml" "**/AppData/Roaming/ocaml/init.ml"
        ]
        "Octave" Read "https://github.com/gnu-octave/octave/blob/HEAD/doc/interpreter/basics.txi" [
            ".octaverc" "**/.config/octave/octaverc" "**/AppData/Roaming/octave/octaverc" "startup.m"
        ]
        "Julia" Read "https://docs.julialang.org/en/v1/manual/command-line-interface/" ["**/.julia/config"]
        "Elixir" Read "https://github.com/elixir-lang/elixir/blob/main/lib/iex/lib/iex.ex" [".iex.exs"]
        "Erlang" Read "https://www.erlang.org/doc/apps/erts/erl_cmd.html" [".erlang"]
        "SQLite" Read "https://github.com/sqlite/sqlite/blob/master/sqlite3.1" [
            ".sqliterc" "**/.config/sqlite3/sqliterc" "**/.local/config/sqlite3/sqliterc"
        ]
        "PostgreSQL" Read "https://www.postgresql.org/docs/current/app-psql.html" [
            ".psqlrc" ".psqlrc-*" "**/postgresql/psqlrc.conf"
        ]
        "DuckDB" Read "https://duckdb.org/docs/stable/clients/cli/overview" [".duckdbrc"]
        "MongoDB" Read "https://www.mongodb.com/docs/mongodb-shell/mongoshrc/" [".mongoshrc.js"]
        "Maven" Read "https://github.com/apache/maven/blob/HEAD/apache-maven/src/assembly/maven/bin/mvn" [
            ".mavenrc"
        ]
        "Gradle" Read
            "https://github.com/gradle/gradle/blob/HEAD/platforms/documentation/docs/src/docs/userguide/authoring-builds/other/init_scripts.adoc" [
            "**/.gradle/init.gradle" "**/.gradle/init.gradle.kts" "**/.gradle/init.d"
        ]
        "Vault" Read "https://developer.hashicorp.com/vault/docs/commands/token-helper" [".vault"]
    }
    KEY_FILES "key_files" {
        "OpenSSH" Read "https://github.com/openssh/openssh-portable/blob/master/ssh.1" [
            "id_rsa" "id_ecdsa" "id_ed25519" "id_ecdsa_sk" "id_ed25519_sk" "id_mldsa44_ed25519"
        ]
        "OpenSSH before 9.8" Read "https://github.com/openssh/openssh-portable/blob/V_9_6_P1/ssh.1" ["id_dsa"]
        "OpenSSH, a copy" Known "https://man.openbsd.org/ssh.1" [
            "id_rsa.bak" "id_ecdsa.bak" "id_ed25519.bak" "id_rsa.old" "id_ecdsa.old" "id_ed25519.old"
        ]
        "PuTTY" Read "https://tartarus.org/~simon/putty-snapshots/htmldoc/AppendixC.html" ["*.ppk"]
        "PKCS #12 and PKCS #8" Read "https://docs.openssl.org/master/man1/openssl-pkcs12/" ["*.p12"]
        "PKCS #12 and PKCS #8" Read
            "https://github.com/MicrosoftDocs/PowerShell-Docs/blob/HEAD/reference/7.5/Microsoft.PowerShell.Core/About/about_Signing.md" [
            "*.pfx"
        ]
        "PKCS #12 and PKCS #8" Read
            "https://github.com/fastlane/docs/blob/HEAD/docs/app-store-connect-api.md" ["*.p8"]
        "Java key stores" Read "https://docs.oracle.com/en/java/javase/21/docs/specs/man/keytool.html" ["*.keystore"]
        "Java key stores" Read
            "https://github.com/apache/hadoop/blob/HEAD/hadoop-common-project/hadoop-common/src/site/markdown/CredentialProviderAPI.md" [
            "*.jceks"
        ]
        "Java key stores" Read "https://github.com/fastlane/docs/blob/HEAD/docs/generated/actions/gradle.md" [
            "*.jks"
        ]
        "KeePassXC" Read
            "https://github.com/keepassxreboot/keepassxc/blob/HEAD/docs/topics/DatabaseOperations.adoc" ["*.kdbx"]
        "macOS" Read
            "https://github.com/apple-oss-distributions/Security/blob/main/OSX/include/security_keychain/StorageManager.cpp" [
            "*.keychain-db" "*.keychain"
        ]
        "Kerberos" Read "https://github.com/krb5/krb5/blob/HEAD/doc/admin/admin_commands/ktutil.rst" ["*.keytab"]
    }
    CREDENTIALS "credentials" {
        "OpenSSH" Read "https://github.com/openssh/openssh-portable/blob/master/ssh.1" [".ssh"]
        "GnuPG" Read "https://www.gnupg.org/documentation/manuals/gnupg/GPG-Configuration.html" [".gnupg"]
        "pass" Read "https://github.com/zx2c4/password-store/blob/master/man/pass.1" [".password-store"]
        "netrc" Read "https://everything.curl.dev/usingcurl/netrc.html" [
            ".netrc" "_netrc" ".authinfo" ".authinfo.gpg" ".authinfo.json.gpg"
        ]
        "PostgreSQL" Read "https://www.postgresql.org/docs/8.4/static/libpq-pgpass.html" [
            ".pgpass" "**/postgresql/pgpass.conf"
        ]
        "MySQL" Read "https://dev.mysql.com/doc/refman/9.5/en/mysql-config-editor.html" [".mylogin.cnf"]
        "MySQL" Read "https://github.com/mysql/mysql-server/blob/HEAD/mysys/my_default.cc" [".my.cnf"]
        "Git" Read "https://git-scm.com/docs/git-credential-store" [".git-credentials" "**/.config/git/credentials"]
        "PyPI" Read "https://packaging.python.org/en/latest/specifications/pypirc/" [".pypirc"]
        "Cargo" Read "https://doc.rust-lang.org/cargo/reference/config.html#credentials" [
            "**/.cargo/credentials" "**/.cargo/credentials.toml"
        ]
        "RubyGems" Read "https://guides.rubygems.org/api-key-scopes/" [
            "**/.gem/credentials" "**/.local/share/gem/credentials"
        ]
        "Maven" Read "https://maven.apache.org/settings.html" [
            "**/.m2/settings.xml" "**/.m2/settings-security.xml" "**/.m2/settings-security4.xml"
        ]
        "Gradle" Read "https://docs.gradle.org/current/userguide/build_environment.html" [
            "**/.gradle/gradle.properties"
        ]
        "Composer" Read "https://getcomposer.org/doc/articles/authentication-for-private-packages.md" [
            "**/.config/composer/auth.json" "**/.composer/auth.json" "**/AppData/Roaming/Composer/auth.json"
        ]
        "pnpm" Read "https://github.com/pnpm/pnpm.io/blob/HEAD/docs/npmrc.md" [
            "**/.config/pnpm/auth.ini" "**/Library/Preferences/pnpm/auth.ini"
            "**/AppData/Local/pnpm/config/auth.ini"
        ]
        "uv" Read "https://github.com/astral-sh/uv/blob/HEAD/docs/concepts/authentication/http.md" [
            "**/.local/share/uv/credentials"
        ]
        "Poetry" Read "https://github.com/python-poetry/poetry/blob/HEAD/docs/configuration.md" [
            "**/.config/pypoetry/auth.toml" "**/Library/Application Support/pypoetry/auth.toml"
            "**/AppData/Roaming/pypoetry/auth.toml"
        ]
        "NuGet" Read
            "https://github.com/NuGet/docs.microsoft.com-nuget/blob/HEAD/docs/consume-packages/configuring-nuget-behavior.md" [
            "**/.nuget/NuGet/NuGet.Config" "**/.config/NuGet/NuGet.Config" "**/AppData/Roaming/NuGet/NuGet.Config"
        ]
        "Hex" Read "https://github.com/hexpm/hex/blob/HEAD/lib/hex/config.ex" ["**/.hex/hex.config"]
        "Vault" Read "https://developer.hashicorp.com/vault/docs/commands/token-helper" [".vault-token"]
        "Terraform" Read "https://developer.hashicorp.com/terraform/cli/config/config-file" [
            ".terraformrc" "terraform.rc" "**/.terraform.d/credentials.tfrc.json" "*.tfrc" "*.tfrc.json"
            "**/terraform.d/credentials.tfrc.json"
        ]
        "Pulumi" Read "https://www.pulumi.com/docs/iac/concepts/state-and-backends/" [".pulumi"]
        "SOPS" Read "https://getsops.io/docs/usage/identities/age/" [
            "**/.config/sops/age/keys.txt" "**/Library/Application Support/sops/age/keys.txt"
            "**/AppData/Roaming/sops/age/keys.txt"
        ]
        "AWS CLI" Read "https://github.com/aws/aws-cli/blob/v2/awscli/botocore/utils.py" [
            "**/.aws/credentials" "**/.aws/config" "**/.aws/sso" "**/.aws/cli/cache" "**/.aws/login"
        ]
        "Azure CLI" Read "https://learn.microsoft.com/cli/azure/azure-cli-configuration" [".azure"]
        "Google Cloud CLI" Read "https://cloud.google.com/sdk/docs/configurations" [
            "**/.config/gcloud" "**/AppData/Roaming/gcloud"
        ]
        "gsutil" Read "https://github.com/GoogleCloudPlatform/gsutil/blob/master/gslib/commands/config.py" [
            ".boto" ".boto.bak"
        ]
        "Oracle Cloud CLI" Read "https://github.com/oracle/oci-cli/blob/master/src/oci_cli/cli_setup.py" [".oci"]
        "DigitalOcean CLI" Read "https://github.com/digitalocean/doctl/blob/main/README.md" [
            "**/.config/doctl" "**/Library/Application Support/doctl" "**/AppData/Roaming/doctl"
        ]
        "Fly.io CLI" Read "https://github.com/superfly/flyctl/blob/master/helpers/config.go" ["**/.fly/config.yml"]
        "Hetzner Cloud CLI" Read
            "https://github.com/hetznercloud/cli/blob/HEAD/docs/reference/configuration.md" [
            "**/.config/hcloud/cli.toml" "**/AppData/Roaming/hcloud/cli.toml"
        ]
        "Linode CLI" Read "https://github.com/linode/linode-cli/blob/HEAD/linodecli/configuration/helpers.py" [
            "**/.config/linode-cli" ".linode-cli"
        ]
        "Railway CLI" Read "https://github.com/railwayapp/cli/blob/HEAD/src/config.rs" ["**/.railway/config.json"]
        "Supabase CLI" Read
            "https://github.com/supabase/cli/blob/HEAD/docs/adr/0008-authentication-and-token-management.md" [
            "**/.supabase/access-token"
        ]
        "Firebase CLI" Read
            "https://github.com/firebase/firebase-tools/blob/HEAD/scripts/agent-evals/src/runner/index.ts" [
            "**/.config/configstore/firebase-tools.json"
        ]
        "Modal" Read "https://github.com/modal-labs/modal-client/blob/HEAD/py/modal/config.py" [".modal.toml"]
        "cloudflared" Read "https://github.com/cloudflare/cloudflared/blob/HEAD/config/configuration.go" [
            ".cloudflared"
        ]
        "Doppler CLI" Read "https://github.com/DopplerHQ/cli/blob/HEAD/pkg/configuration/config.go" [".doppler"]
        "Infisical CLI" Read "https://github.com/Infisical/cli/blob/HEAD/packages/util/constants.go" [".infisical"]
        "Sentry CLI" Read "https://github.com/getsentry/sentry-cli/blob/HEAD/src/config.rs" [".sentryclirc"]
        "Wrangler" Read
            "https://github.com/cloudflare/workers-sdk/blob/main/packages/workers-utils/src/global-wrangler-config-path.ts" [
            "**/.wrangler/config" "**/.config/.wrangler" "**/Library/Preferences/.wrangler" "**/.config/cloudflare"
        ]
        "Stripe CLI" Read "https://github.com/stripe/stripe-cli/blob/master/pkg/config/config.go" [
            "**/.config/stripe"
        ]
        "ngrok" Read "https://ngrok.com/docs/agent/config/" [
            ".ngrok2" "**/.config/ngrok" "**/Library/Application Support/ngrok" "**/AppData/Local/ngrok"
        ]
        "s3cmd" Read "https://github.com/s3tools/s3cmd/blob/master/README.md" [
            ".s3cfg" "**/AppData/Roaming/s3cmd.ini"
        ]
        "rclone" Read "https://rclone.org/docs/#config-config-file" [
            "**/.config/rclone/rclone.conf" "rclone.conf" ".rclone.conf"
        ]
        "Databricks CLI" Read "https://github.com/databricks/cli/blob/main/cmd/configure/configure.go" [
            ".databrickscfg" "**/.databricks/token-cache.json"
        ]
        "Snowflake" Read
            "https://github.com/snowflakedb/snowflake-cli/blob/main/src/snowflake/cli/api/config_ng/sources.py" [
            ".snowflake" ".snowsql" ".snowsql.cnf"
        ]
        "dbt" Read "https://docs.getdbt.com/docs/core/connect-data-platform/connection-profiles" [
            "**/.dbt/profiles.yml"
        ]
        "Kaggle" Read "https://github.com/Kaggle/kaggle-api/blob/main/docs/README.md" [".kaggle"]
        "Hugging Face" Read "https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables" [
            "**/.cache/huggingface/token" "**/.cache/huggingface/stored_tokens"
        ]
        "Hugging Face before 0.29" Read
            "https://github.com/huggingface/huggingface_hub/blob/v0.28.0/src/huggingface_hub/constants.py" [
            "**/.huggingface/token"
        ]
        "GitHub CLI" Read "https://github.com/cli/cli/blob/trunk/docs/multiple-accounts.md" [
            "**/.config/gh/hosts.yml" "**/AppData/Roaming/GitHub CLI/hosts.yml"
        ]
        "GitLab CLI" Read "https://manpages.debian.org/testing/glab/glab-auth-login.1.en.html" ["**/.config/glab-cli"]
        "hub" Read "https://hub.github.com/hub.1.html" ["**/.config/hub"]
        "1Password CLI" Read
            "https://github.com/1Password/shell-plugins/blob/main/cmd/contrib/scripts/config_dir_getter.go" [
            "**/.config/op" ".op"
        ]
        "Bitwarden CLI" Read "https://github.com/bitwarden/cli/blob/HEAD/src/bw.ts" [
            "**/.config/Bitwarden CLI" "**/Library/Application Support/Bitwarden CLI"
            "**/AppData/Roaming/Bitwarden CLI"
        ]
        "Kerberos" Read "https://github.com/krb5/krb5/blob/HEAD/doc/user/tkt_mgmt.rst" ["krb5cc_*"]
        "Kubernetes" Read
            "https://github.com/kubernetes/website/blob/HEAD/content/en/docs/concepts/configuration/organize-cluster-access-kubeconfig.md" [
            "**/.kube/config"
        ]
        "Docker" Read
            "https://docs.docker.com/reference/cli/docker/#docker-cli-configuration-file-configjson-properties" [
            "**/.docker/config.json" ".dockercfg"
        ]
        "Podman" Read "https://github.com/containers/image/blob/main/docs/containers-auth.json.5.md" [
            "**/.config/containers/auth.json" "**/containers/auth.json"
        ]
        "Helm" Read "https://github.com/helm/helm-www/blob/HEAD/docs/helm/helm.md" [
            "**/.config/helm/registry/config.json"
        ]
        "GNOME Keyring" Read "https://github.com/GNOME/gnome-keyring/blob/master/daemon/dbus/gkd-secret-service.c" [
            "**/.local/share/keyrings" "**/.gnome2/keyrings"
        ]
        "macOS" Read
            "https://github.com/apple-oss-distributions/Security/blob/main/OSX/include/security_keychain/StorageManager.cpp" [
            "**/Library/Keychains"
        ]
        "Samba" Read
            "https://github.com/canonical/ubuntu-server-documentation/blob/HEAD/docs/how-to/samba/mount-cifs-shares-permanently.md" [
            ".smbcredentials"
        ]
        "Claude Code" Read "https://github.com/anthropics/claude-code/blob/main/CHANGELOG.md" [
            "**/.claude/.credentials.json" ".claude.json"
        ]
        "Codex" Read "https://github.com/openai/codex/blob/main/codex-rs/login/src/auth/storage.rs" [
            "**/.codex/auth.json"
        ]
        "Codex" Read "https://github.com/openai/codex/blob/main/codex-rs/secrets/src/local.rs" [
            "**/.codex/secrets"
        ]
        "Codex" Read "https://github.com/openai/codex/blob/main/codex-rs/rmcp-client/src/oauth.rs" [
            "**/.codex/.credentials.json"
        ]
        "Grok Build" Read
            "https://github.com/xai-org/grok-build/blob/HEAD/crates/codegen/xai-grok-pager/docs/user-guide/02-authentication.md" [
            "**/.grok/auth.json" "**/.grok/mcp_credentials.json"
        ]
        "Kimi Code" Read "https://github.com/MoonshotAI/kimi-cli/blob/HEAD/docs/en/configuration/data-locations.md" [
            "**/.kimi/credentials" "**/.kimi/mcp-oauth"
        ]
        "Pochi" Read "https://github.com/TabbyML/pochi/blob/HEAD/packages/docs/content/docs/cli.mdx" [
            "**/.pochi/config.jsonc"
        ]
        "Gemini CLI" Read
            "https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/config/storage.ts" [
            "**/.gemini/oauth_creds.json" "**/.gemini/gemini-credentials.json" "**/.gemini/mcp-oauth-tokens.json"
            "**/.gemini/a2a-oauth-tokens.json"
        ]
        "Qwen Code" Read "https://github.com/QwenLM/qwen-code/blob/main/packages/core/src/qwen/qwenOAuth2.ts" [
            "**/.qwen/oauth_creds.json"
        ]
        "iFlow CLI" Known "https://platform.iflow.cn/en/cli/configuration/settings" ["**/.iflow/oauth_creds.json"]
        "GitHub Copilot" Read "https://github.com/github/copilot.vim/blob/release/dist/agent.js" [
            "**/.config/github-copilot" "**/AppData/Local/github-copilot"
        ]
        "OpenCode" Read "https://opencode.ai/docs/providers/" [
            "**/.local/share/opencode/auth.json" "**/.local/share/opencode/mcp-auth.json"
        ]
        "Amp" Read "https://www.npmjs.com/package/@ampcode/cli-linux-x64" [
            "**/.local/share/amp/secrets.json" "**/.amp/oauth"
        ]
        "Auggie" Read
            "https://github.com/augmentcode/auggie/blob/main/examples/python-sdk/context/github_action_indexer/README.md" [
            "**/.augment/session.json"
        ]
        "Cline" Read "https://docs.cline.bot/cli/configuration" ["**/.cline/data/settings/providers.json"]
        "Pi" Read "https://github.com/badlogic/pi-mono/blob/main/packages/coding-agent/docs/providers.md" [
            "**/.pi/agent/auth.json"
        ]
        "Goose" Read "https://block.github.io/goose/docs/guides/config-files" [
            "**/.config/goose/secrets.yaml" "**/Block/goose/config/secrets.yaml"
        ]
        "Firefox" Read
            "https://firefox-source-docs.mozilla.org/code-quality/lint/linters/dot-mozilla-reference.html" [
            "**/.mozilla/firefox" "**/.config/mozilla/firefox"
        ]
        "Firefox" Known "https://support.mozilla.org/kb/profiles-where-firefox-stores-user-data" [
            "**/Library/Application Support/Firefox" "**/AppData/Roaming/Mozilla/Firefox"
        ]
        "Chromium and Chrome" Read "https://github.com/chromium/chromium/blob/HEAD/docs/user_data_dir.md" [
            "**/.config/chromium" "**/.config/google-chrome" "**/.config/google-chrome-beta"
            "**/.config/google-chrome-unstable" "**/Library/Application Support/Chromium"
            "**/Library/Application Support/Google/Chrome" "**/Library/Application Support/Google/Chrome Beta"
            "**/Library/Application Support/Google/Chrome Canary" "**/AppData/Local/Chromium"
            "**/AppData/Local/Google/Chrome" "**/AppData/Local/Google/Chrome Beta"
            "**/AppData/Local/Google/Chrome SxS"
        ]
        "Microsoft Edge" Known "https://learn.microsoft.com/deployedge/microsoft-edge-policies/userdatadir" [
            "**/.config/microsoft-edge" "**/Library/Application Support/Microsoft Edge"
            "**/AppData/Local/Microsoft/Edge"
        ]
        "Brave" Known "https://github.com/brave/brave-browser/wiki" [
            "**/.config/BraveSoftware" "**/Library/Application Support/BraveSoftware"
            "**/AppData/Local/BraveSoftware"
        ]
        // Commands may hold pasted secrets.
        "Histories of shells" Read "https://gnu.org/software/bash/manual/html_node/Bash-History-Facilities.html" [
            ".bash_history" ".zsh_history" ".sh_history" ".histfile" "**/.local/share/fish/fish_history"
        ]
        "Atuin" Read "https://github.com/atuinsh/atuin/blob/HEAD/crates/atuin-client/config.toml" [
            "**/.local/share/atuin"
        ]
        "Histories of interpreters" Read "https://docs.python.org/3/library/site.html" [
            ".python_history" ".node_repl_history" ".psql_history" ".mysql_history" ".sqlite_history"
            ".rediscli_history" "**/postgresql/psql_history" "**/.local/state/sqlite_history"
        ]
        "Bitcoin Core" Read "https://github.com/bitcoin/bitcoin/blob/master/doc/bitcoin-conf.md" [
            "wallet.dat" ".bitcoin" "**/Library/Application Support/Bitcoin" "**/AppData/Local/Bitcoin"
        ]
        "Ethereum clients" Read "https://github.com/ethereum/go-ethereum/blob/master/node/defaults.go" [
            "**/.ethereum/keystore" "**/Library/Ethereum/keystore" "**/AppData/Roaming/Ethereum/keystore"
            "**/AppData/Local/Ethereum/keystore"
        ]
        "Electrum" Read "https://docs.electrum.org/en/latest/faq.html" [
            "**/.electrum/wallets" "**/AppData/Roaming/Electrum/wallets"
        ]
        "Solana CLI" Read "https://github.com/solana-labs/solana/blob/master/cli-config/src/config.rs" [
            "**/.config/solana/id.json"
        ]
    }
    ENVIRONMENT "environment_files" {
        "dotenv" Read "https://github.com/motdotla/dotenv/blob/master/README.md" [".env" ".env.*"]
        "Docker Compose" Read
            "https://github.com/docker/docs/blob/HEAD/content/manuals/compose/how-tos/environment-variables/set-environment-variables.md" [
            "*.env"
        ]
        "Apache HTTP Server" Read "https://httpd.apache.org/docs/2.4/programs/htpasswd.html" [".htpasswd"]
        "Ruby on Rails" Read "https://guides.rubyonrails.org/security.html#custom-credentials" [
            "secrets.yml" "**/config/master.key"
        ]
        "ESPHome and Home Assistant" Read "https://github.com/esphome/esphome-docs/blob/HEAD/guides/faq.rst" [
            "secrets.yaml"
        ]
        ".NET" Read "https://github.com/dotnet/AspNetCore.Docs/blob/HEAD/aspnetcore/security/app-secrets.md" [
            "secrets.json"
        ]
        "Streamlit" Read
            "https://github.com/streamlit/docs/blob/HEAD/content/develop/api-reference/connections/secrets-toml.md" [
            "**/.streamlit/secrets.toml"
        ]
        "Terraform" Read "https://developer.hashicorp.com/terraform/language/values/variables" [
            "*.tfvars" "*.tfstate" "*.tfvars.json" "*.tfstate.backup"
        ]
    }
    REGISTRIES "environment_files" {
        "npm" Read "https://docs.npmjs.com/cli/configuring-npm/npmrc" [".npmrc"]
    }
    PIPELINES "pipelines" {
        "GitHub Actions" Read "https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax" [
            "**/.github/workflows" "**/.github/actions"
        ]
        "Gitea Actions" Read "https://docs.gitea.com/usage/actions/quickstart" ["**/.gitea/workflows"]
        "Forgejo Actions" Read "https://forgejo.org/docs/latest/user/actions/overview" ["**/.forgejo/workflows"]
        "GitLab CI/CD" Read "https://docs.gitlab.com/ci/quick_start/" [".gitlab-ci.yml"]
        "Travis CI" Read "https://github.com/travis-ci/docs-travis-ci-com/blob/master/user/tutorials/tutorial-c.md" [
            ".travis.yml"
        ]
        "CircleCI" Read
            "https://github.com/circleci/circleci-docs/blob/main/docs/reference/modules/ROOT/pages/configuration-reference.adoc" [
            ".circleci"
        ]
        "Buildkite" Read "https://github.com/buildkite/docs/blob/main/pages/agent/cli/help/_pipeline_upload.md" [
            ".buildkite" "buildkite.yml" "buildkite.yaml" "buildkite.json" "**/buildkite/pipeline.yml"
            "**/buildkite/pipeline.yaml" "**/buildkite/pipeline.json"
        ]
        "Azure Pipelines" Read "https://learn.microsoft.com/azure/devops/pipelines/customize-pipeline" [
            "azure-pipelines.yml"
        ]
        "Jenkins" Read "https://www.jenkins.io/doc/book/pipeline/jenkinsfile/" ["Jenkinsfile"]
        "Woodpecker CI" Read
            "https://github.com/woodpecker-ci/woodpecker/blob/main/docs/docs/20-usage/75-project-settings.md" [
            ".woodpecker" ".woodpecker.yml" ".woodpecker.yaml"
        ]
        "Drone" Read "https://docs.drone.io/pipeline/configuration/" [".drone.yml" ".drone.jsonnet" ".drone.star"]
        "Bitbucket Pipelines" Read
            "https://support.atlassian.com/bitbucket-cloud/docs/custom-configuration-files/" [
            "bitbucket-pipelines.yml"
        ]
        "Cirrus CI" Read "https://cirrus-ci.org/guide/writing-tasks/" [".cirrus.yml" ".cirrus.star"]
        "AppVeyor" Read "https://www.appveyor.com/docs/build-configuration/" ["appveyor.yml" ".appveyor.yml"]
        "Tekton" Read
            "https://github.com/openshift-pipelines/pipelines-as-code/blob/main/docs/content/docs/guides/creating-pipelines/_index.md" [
            ".tekton"
        ]
        "pre-commit" Read "https://pre-commit.com/" [".pre-commit-config.yaml"]
        "prek" Read "https://github.com/j178/prek/blob/HEAD/docs/configuration.md" [
            "prek.toml" ".pre-commit-config.yml"
        ]
        "npm" Read "https://docs.npmjs.com/cli/configuring-npm/npmrc" [".npmrc"]
        "pnpm" Read "https://pnpm.io/pnpmfile" [".pnpmfile.cjs" ".pnpmfile.mjs"]
        "Yarn" Read "https://yarnpkg.com/configuration/yarnrc" [
            ".yarnrc" ".yarnrc.yml" "**/.yarn/releases" "yarn.config.cjs"
        ]
        "Yarn" Read
            "https://github.com/yarnpkg/berry/blob/HEAD/packages/docusaurus/docs/getting-started/extra/questions-and-answers.mdx" [
            "**/.yarn/plugins" "**/.yarn/sdks" ".pnp.*"
        ]
        "Bun" Read "https://github.com/oven-sh/bun/blob/HEAD/docs/runtime/bunfig.md" ["bunfig.toml" ".bunfig.toml"]
        "pip" Read "https://github.com/pypa/pip/blob/HEAD/docs/html/topics/configuration.md" ["pip.conf" "pip.ini"]
        "Bundler" Read
            "https://github.com/rubygems/rubygems/blob/HEAD/bundler/lib/bundler/man/bundle-config.1.ronn" [
            "**/.bundle/config"
        ]
        "direnv" Read "https://direnv.net/man/direnv.1.html" [".envrc"]
        "mise" Read "https://github.com/jdx/mise/blob/HEAD/docs/configuration.md" [
            "mise.toml" ".mise.toml" "mise.*.toml" ".mise.*.toml" "**/mise/config.toml" "**/mise/conf.d"
            "**/.mise/config.toml" "**/.mise/conf.d" ".tool-versions"
        ]
        "Bazel" Read "https://github.com/bazelbuild/bazel/blob/HEAD/site/en/run/bazelrc.md" [".bazelrc"]
        "Cargo" Read "https://doc.rust-lang.org/cargo/reference/config.html" [
            "**/.cargo/config" "**/.cargo/config.toml"
        ]
        "rustup" Read "https://rust-lang.github.io/rustup/overrides.html#the-toolchain-file" [
            "rust-toolchain.toml" "rust-toolchain"
        ]
        "Maven" Read "https://maven.apache.org/configure.html#mvn-directory" [".mvn"]
        "PHP" Read "https://www.php.net/manual/configuration.file.per-user.php" [".user.ini"]
        "Apache HTTP Server" Read "https://httpd.apache.org/docs/2.4/howto/htaccess.html" [".htaccess"]
        "Git" Read "https://git-scm.com/docs/gitattributes" [".gitmodules" ".gitattributes"]
    }
}

/// Work places inside of `AGENTS` directories.
pub const AGENTS_WORK: &[&str] = &[
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
    "**/.grok/rules",
    "**/.grok/worktrees",
    "**/.kimi/plans",
    "**/.warp/themes",
    "**/.xum/plans",
    "**/.xum/src",
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
    use super::*;
    use crate::{Documents, Policy, Profile};

    #[test]
    fn both_profiles_have_what_is_theirs() {
        for (profile, name) in [(Profile::Default, "default"), (Profile::Strict, "strict")] {
            let all: Vec<_> = profile.document().rules.into_iter().flat_map(|rule| rule.paths).collect();
            for PatternSource { rule, patterns, .. } in SOURCES {
                for pattern in *patterns {
                    let expected = name == "strict" || (*rule != "pipelines" && *pattern != ".npmrc");
                    assert_eq!(all.iter().any(|path| path == pattern), expected, "{name}: {pattern}");
                }
            }
        }
    }

    #[test]
    fn a_checkout_that_is_granted_is_a_place_like_any_other() {
        // An agent works in its checkout, wherever that is.
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
}
