//! The settings with which each MCP client starts this program.

use std::ffi::OsString;
use std::iter;
use std::path::{Component, Path, absolute};

use clap::ArgMatches;
use fsgate::Access;
use fsgate::config::{GrantValue, ValueType};
use fsgate_cli::quote::shell_word;
use serde_json::{Value, json};

use crate::called;
use crate::cli::{component, config_file, granted, typed};

pub(super) struct Client {
    name: &'static str,
    form: SettingsFormat,
    /// The client replaces this word with its open directory.
    workspace: Option<&'static str>,
    place: &'static str,
}

#[derive(Clone, Copy)]
enum SettingsFormat {
    Command(&'static [&'static str]),
    /// Servers by name below this key, with further fixed fields in JSON.
    Json(&'static str, &'static [(&'static str, &'static str)]),
    /// Servers by name, each with program and arguments in one list.
    OneList(&'static str, &'static [(&'static str, &'static str)]),
    Toml,
    Yaml,
}

const SERVER: &str = "fsgate";

const FOLDER: &str = "${workspaceFolder}";

/// The form of Claude Desktop and most clients.
const USUAL: SettingsFormat = SettingsFormat::Json("mcpServers", &[]);

const CLIENTS: [Client; 14] = [
    Client {
        name: "claude-code",
        form: SettingsFormat::Command(&["claude", "mcp", "add", "--scope", "local", SERVER, "--"]),
        workspace: None,
        place: "run this command in the project; with --scope user it holds in every project, with --scope project it goes \
                into .mcp.json, for all who work on the project",
    },
    Client {
        name: "claude-desktop",
        form: USUAL,
        workspace: None,
        place: "this belongs into claude_desktop_config.json: in Claude Desktop, Settings, Developer, Edit Config; then \
                start it again",
    },
    Client {
        name: "vscode",
        form: SettingsFormat::Json("servers", &[("type", r#""stdio""#)]),
        workspace: Some(FOLDER),
        place: "this belongs into .vscode/mcp.json of a workspace, or into what the command `MCP: Open User \
                Configuration` opens",
    },
    Client {
        name: "cursor",
        form: SettingsFormat::Json("mcpServers", &[("type", r#""stdio""#)]),
        workspace: Some(FOLDER),
        place: "this belongs into .cursor/mcp.json of a project, or into ~/.cursor/mcp.json",
    },
    Client {
        name: "copilot",
        form: SettingsFormat::Json("mcpServers", &[("type", r#""local""#), ("tools", r#"["*"]"#)]),
        workspace: None,
        place: "this belongs into ~/.copilot/mcp-config.json of GitHub Copilot CLI, or into .mcp.json of a project",
    },
    Client {
        name: "windsurf",
        form: USUAL,
        workspace: None,
        place: "this belongs into ~/.codeium/windsurf/mcp_config.json",
    },
    Client {
        name: "cline",
        form: USUAL,
        workspace: None,
        place: "this belongs into cline_mcp_settings.json: in Cline, MCP Servers, Configure MCP Servers",
    },
    Client {
        name: "jetbrains",
        form: USUAL,
        workspace: None,
        place: "this belongs into Settings, Tools, AI Assistant, Model Context Protocol (MCP): Add, As JSON",
    },
    Client {
        name: "opencode",
        form: SettingsFormat::OneList("mcp", &[("type", r#""local""#), ("enabled", "true")]),
        workspace: None,
        place: "this belongs into opencode.json of a project, or into ~/.config/opencode/opencode.json",
    },
    Client {
        name: "zed",
        form: SettingsFormat::Json("context_servers", &[]),
        workspace: None,
        place: "this belongs into Zed's settings.json: the command `zed: open settings file`",
    },
    Client {
        name: "goose",
        form: SettingsFormat::Yaml,
        workspace: None,
        place: "this belongs into ~/.config/goose/config.yaml",
    },
    Client {
        name: "gemini",
        form: USUAL,
        workspace: None,
        place: "this belongs into ~/.gemini/settings.json, or into .gemini/settings.json of a project",
    },
    Client {
        name: "codex",
        form: SettingsFormat::Toml,
        workspace: None,
        place: "this belongs into ~/.codex/config.toml, or into .codex/config.toml of a trusted project",
    },
    Client {
        name: "json",
        form: USUAL,
        workspace: None,
        place: "most clients take this form; their documentation says where it belongs",
    },
];

impl Client {
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        CLIENTS.iter().map(|client| client.name)
    }

    pub(super) fn find(name: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    pub(super) fn place(&self) -> &'static str {
        self.place
    }

    pub(super) fn config(&self, args: &ArgMatches) -> Result<String, String> {
        let program =
            called::from_anywhere().map_err(|error| format!("cannot tell where this program is: {error}"))?;
        let workspace = self.workspace.filter(|_| is_root_of_project());
        Ok(self.form.settings(&text(program.into())?, &arguments(args, workspace)?))
    }
}

/// Whether the current directory is the root of a repository. Clients open those. Elsewhere they
/// may open a directory above, and their word would grant more than was typed.
fn is_root_of_project() -> bool {
    Path::new(".git").exists()
}

impl SettingsFormat {
    fn settings(self, program: &str, arguments: &[String]) -> String {
        let server = |fields: &[(&str, &str)]| {
            let parsed = |value: &str| serde_json::from_str::<Value>(value).unwrap_or_default();
            Value::Object(fields.iter().map(|(name, value)| ((*name).to_owned(), parsed(value))).collect())
        };
        let below = |key: &str, server: Value| format!("{:#}\n", json!({ key: { SERVER: server } }));
        match self {
            Self::Command(client) => {
                let ours = iter::once(program).chain(arguments.iter().map(String::as_str)).map(shell_word);
                let line: Vec<_> = client.iter().map(|word| (*word).to_owned()).chain(ours).collect();
                line.join(" ") + "\n"
            }
            Self::Json(key, fields) => {
                let mut server = server(fields);
                server["command"] = program.into();
                server["args"] = arguments.into();
                below(key, server)
            }
            Self::OneList(key, fields) => {
                let mut server = server(fields);
                server["command"] = iter::once(program).chain(arguments.iter().map(String::as_str)).collect();
                below(key, server)
            }
            // TOML and YAML write strings and their lists as JSON does.
            Self::Toml => {
                format!("[mcp_servers.{SERVER}]\ncommand = {}\nargs = {}\n", json!(program), json!(arguments))
            }
            Self::Yaml => format!(
                "extensions:\n  {SERVER}:\n    name: {SERVER}\n    type: stdio\n    enabled: true\n    cmd: {}\n    \
                 args: {}\n    timeout: 300\n",
                json!(program),
                json!(arguments)
            ),
        }
    }
}

/// The typed arguments, with absolute paths. Directories below the current one begin with the
/// client's word for it, if it has one. Without `--answers` the form is for models: clients that
/// get both forms show a model the data.
fn arguments(args: &ArgMatches, workspace: Option<&str>) -> Result<Vec<String>, String> {
    let mut arguments = vec!["mcp".to_owned()];
    for GrantValue { path, name, access } in granted(args) {
        let flag = match access {
            Access::Read => "--read-only-dir",
            Access::Write => "--dir",
        };
        let path = match workspace {
            Some(folder) => in_workspace(&path, folder),
            None => None,
        }
        .map_or_else(|| absolute_path(&path), Ok)?;
        let named = match name {
            Some(name) => format!("{path}::{name}"),
            None if path.contains("::") => format!("{path}::"),
            None => path,
        };
        arguments.extend([flag.to_owned(), named]);
    }
    if let Some(path) = component(args) {
        arguments.extend(["--component".to_owned(), absolute_path(path)?]);
    }
    if let Some(path) = config_file(args) {
        arguments.extend(["--config".to_owned(), absolute_path(path)?]);
    }
    let mut answers = "text".to_owned();
    for (key, value) in typed(args) {
        let Some(flag) = key.flag else { continue };
        match (key.name, key.kind) {
            ("mcp.answers", _) => answers = value,
            (_, ValueType::Truth) => arguments.push(format!("--{}", flag.name)),
            (_, ValueType::PathOr(word)) if value == word => {
                arguments.extend([format!("--{}", flag.name), value]);
            }
            (_, ValueType::Path | ValueType::PathOr(_)) => {
                arguments.extend([format!("--{}", flag.name), absolute_path(Path::new(&value))?]);
            }
            _ => arguments.extend([format!("--{}", flag.name), value]),
        }
    }
    arguments.extend(["--answers".to_owned(), answers]);
    Ok(arguments)
}

fn in_workspace(path: &Path, folder: &str) -> Option<String> {
    let mut typed = folder.to_owned();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => typed = format!("{typed}/{}", name.to_str()?),
            _ => return None,
        }
    }
    Some(typed)
}

fn absolute_path(path: &Path) -> Result<String, String> {
    let whole =
        absolute(path).map_err(|error| format!("cannot tell where `{}` is: {error}", path.display()))?;
    text(whole.components().as_path().into())
}

fn text(word: OsString) -> Result<String, String> {
    word.into_string()
        .map_err(|word| format!("no client's settings can hold `{}`: it is not UTF-8", word.display()))
}

#[cfg(test)]
mod tests {
    use std::env;

    use super::*;
    use crate::cli;

    fn typed(line: &[&str]) -> Vec<String> {
        let line = ["fsgate", "mcp"].iter().chain(line);
        let matches = cli::command().try_get_matches_from(line).unwrap();
        arguments(matches.subcommand().unwrap().1, None).unwrap()
    }

    #[test]
    fn directories_are_told_from_the_opened_one() {
        let line = "fsgate mcp --dir . --dir sub/x::name --read-only-dir /opt/doc --dir ../beside";
        let matches = cli::command().try_get_matches_from(line.split(' ')).unwrap();
        let arguments = arguments(matches.subcommand().unwrap().1, Some(FOLDER)).unwrap();
        let beside = env::current_dir().unwrap().join("../beside");
        assert_eq!(
            arguments[..9],
            [
                "mcp",
                "--dir",
                "${workspaceFolder}",
                "--dir",
                "${workspaceFolder}/sub/x::name",
                "--read-only-dir",
                "/opt/doc",
                "--dir",
                beside.to_str().unwrap(),
            ]
        );
    }

    #[test]
    fn a_command_line_is_repeated_with_whole_paths() {
        let here = env::current_dir().unwrap();
        let below = |name: &str| here.join(name).to_str().unwrap().to_owned();
        for (line, expected) in [
            (&["--dir", "a"][..], vec!["mcp", "--dir", &below("a"), "--answers", "text"]),
            (
                &["--read-only-dir", "./r/::docs", "--dir", "/x::y::"],
                vec![
                    "mcp",
                    "--read-only-dir",
                    &(below("r") + "::docs"),
                    "--dir",
                    "/x::y::",
                    "--answers",
                    "text",
                ],
            ),
            (
                &["--tools", "core", "--answers", "both", "--parallel", "2"],
                vec!["mcp", "--tools", "core", "--parallel", "2", "--answers", "both"],
            ),
            (
                &["--history-days", "3", "--state-dir", "s", "--durability", "power"],
                vec![
                    "mcp",
                    "--state-dir",
                    &below("s"),
                    "--durability",
                    "power",
                    "--history-days",
                    "3",
                    "--answers",
                    "text",
                ],
            ),
            (
                &["--ignore-roots", "--output-schemas", "--component", "c.wasm"],
                vec![
                    "mcp",
                    "--component",
                    &below("c.wasm"),
                    "--output-schemas",
                    "--ignore-roots",
                    "--answers",
                    "text",
                ],
            ),
        ] {
            assert_eq!(typed(line), expected, "{line:?}");
        }
    }

    /// Settings in the form that each client reads.
    #[test]
    fn every_client_has_its_own_form() {
        let json = |head: &str| {
            format!(
                "{{\n  \"{head}\": {{\n    \"fsgate\": {{\n      \"command\": \"/bin/fs gate\",\n      \"args\": [\n        \
                 \"mcp\",\n        \"--dir\",\n        \"/w/it's \\\"x\\\"\"\n      ]\n    }}\n  }}\n}}\n"
            )
        };
        let with = |head: &str, fields: &str| {
            json(head).replace("      \"command\"", &format!("{fields}      \"command\""))
        };
        for (name, expected) in [
            (
                "claude-code",
                "claude mcp add --scope local fsgate -- '/bin/fs gate' mcp --dir '/w/it'\\''s \"x\"'\n".to_owned(),
            ),
            ("claude-desktop", json("mcpServers")),
            ("vscode", with("servers", "      \"type\": \"stdio\",\n")),
            ("cursor", with("mcpServers", "      \"type\": \"stdio\",\n")),
            (
                "copilot",
                with("mcpServers", "      \"type\": \"local\",\n      \"tools\": [\n        \"*\"\n      ],\n"),
            ),
            ("windsurf", json("mcpServers")),
            ("cline", json("mcpServers")),
            ("jetbrains", json("mcpServers")),
            (
                "opencode",
                "{\n  \"mcp\": {\n    \"fsgate\": {\n      \"type\": \"local\",\n      \"enabled\": true,\n      \"command\": [\n        \
                 \"/bin/fs gate\",\n        \"mcp\",\n        \"--dir\",\n        \"/w/it's \\\"x\\\"\"\n      ]\n    }\n  }\n}\n"
                    .to_owned(),
            ),
            ("zed", json("context_servers")),
            ("gemini", json("mcpServers")),
            ("json", json("mcpServers")),
            (
                "codex",
                "[mcp_servers.fsgate]\ncommand = \"/bin/fs gate\"\nargs = [\"mcp\",\"--dir\",\"/w/it's \\\"x\\\"\"]\n"
                    .to_owned(),
            ),
            (
                "goose",
                "extensions:\n  fsgate:\n    name: fsgate\n    type: stdio\n    enabled: true\n    cmd: \"/bin/fs gate\"\n    \
                 args: [\"mcp\",\"--dir\",\"/w/it's \\\"x\\\"\"]\n    timeout: 300\n"
                    .to_owned(),
            ),
        ] {
            let arguments = ["mcp", "--dir", "/w/it's \"x\""].map(str::to_owned);
            assert_eq!(Client::find(name).unwrap().form.settings("/bin/fs gate", &arguments), expected, "{name}");
        }
        assert_eq!(Client::names().count(), 14);
    }

    #[test]
    fn every_client_is_told_where_its_settings_belong() {
        for client in &CLIENTS {
            assert!(!client.place().is_empty(), "{}", client.name);
        }
    }
}
