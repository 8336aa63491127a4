//! The languages of other systems, before walls: whatever path a text names, and in whatever words, nothing outside is reached, nothing that a
//! rule protects is changed, nothing that may not be seen is in an answer, and what is hidden makes no difference to one.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use fsgate::policy::Documents;
use fsgate::{
    CommandArgs, CommandOutcome, FileActionArgs, Gate, PluginArgs, ShamArgs, WorkflowArgs, WorkflowVariable,
};
use fsgate_tests::open::Opened;
use regex::Regex;
use serde_json::json;
use tempfile::TempDir;

/// Bytes that no answer has by chance: what may not be seen has them.
const CANARY: &str = "kestrel-7f3a91";

const POLICY: &str = r#"{"rules": [
    {"name": "unseen", "paths": ["hidden.txt", "burrow/"], "effect": "hidden"},
    {"name": "unread", "paths": ["secret.txt", "vault/"], "effect": "denied"},
    {"name": "unchanged", "paths": ["fixed.txt", "fixed/"], "effect": "read_only"}]}"#;

/// Files below the directory that holds the tree, and whether the rule `unseen` is about them. Nothing but `w` is granted.
const FILES: [(&str, bool); 12] = [
    ("outside/s.txt", false),
    ("outside/deep/s.txt", false),
    ("w-sibling/s.txt", false),
    ("w/hidden.txt", true),
    ("w/burrow/in.txt", true),
    ("w/secret.txt", false),
    ("w/vault/in.txt", false),
    ("w/id_rsa", false),
    ("w/key.txt", false),
    ("w/fixed.txt", false),
    ("w/fixed/in.txt", false),
    ("w/.git/config", false),
];

/// Paths that texts name; `{root}` is the directory that holds the tree, `{state}` the one of the history.
const PATHS: &[&str] = &[
    "../outside/s.txt",
    "../w-sibling/s.txt",
    "{root}/outside/s.txt",
    "{root}/w-sibling/s.txt",
    "/w/../outside/s.txt",
    "/w/../../outside/s.txt",
    "/outside/s.txt",
    "fixed/../../outside/s.txt",
    "fixed/in.txt/../../../outside/s.txt",
    "./../outside/s.txt",
    ".../s.txt",
    "..\\outside\\s.txt",
    "..",
    "../",
    "/",
    "/..",
    ".",
    "",
    " ",
    "%2e%2e/outside/s.txt",
    "..%2foutside%2fs.txt",
    "\u{FF0E}\u{FF0E}/outside/s.txt",
    "..\u{2215}outside\u{2215}s.txt",
    "~/outside/s.txt",
    "$HOME/outside/s.txt",
    "$(cat ../outside/s.txt)",
    "`cat ../outside/s.txt`",
    "a;cat ../outside/s.txt",
    "file://{root}/outside/s.txt",
    "//outside/s.txt",
    "s.txt\0.md",
    "../outside/s.txt\0.md",
    "s.txt\n../outside/s.txt",
    "'../outside/s.txt'",
    "\"../outside/s.txt\"",
    "../outside/s.txt ",
    "link.txt",
    "link/s.txt",
    "link",
    "link/deep",
    "link/../outside/s.txt",
    "loop",
    "loop/s.txt",
    "to-secret.txt",
    "to-hidden.txt",
    "to-vault/in.txt",
    "hidden.txt",
    "HIDDEN.txt",
    "hidden.txt.",
    "hidden.txt/",
    "hidden.txt/x",
    "./hidden.txt",
    "burrow",
    "burrow/",
    "burrow/in.txt",
    "burrow/../hidden.txt",
    "burrow/new.txt",
    "secret.txt",
    "Secret.TXT",
    "secret.txt ",
    "secret\u{200B}.txt",
    "fixed/../secret.txt",
    "vault",
    "vault/in.txt",
    "VAULT/in.txt",
    "vault/new.txt",
    "vault/new.md",
    "id_rsa",
    "key.txt",
    "fixed.txt",
    "fixed",
    "fixed/in.txt",
    "fixed/new.txt",
    "fixed/new.md",
    ".git",
    ".git/config",
    ".GIT/config",
    ".git/hooks/post-checkout",
    ".git/hooks/new.md",
    "{state}/control",
    "/.fsgate/control",
    ".fsgate-00000000000000000000000000000000",
    "/proc/self/environ",
    "/proc/self/root{root}/outside/s.txt",
    "/dev/stdin",
    "/etc/passwd",
];

/// What a text looks like that does something with a path.
type Form = fn(&str) -> String;

/// A language: its name, its forms, and what it says to a text that is about a path.
struct Language {
    name: &'static str,
    forms: &'static [Form],
    answer: fn(&Gate, &str, &str) -> String,
}

fn sham(action: &str, values: &[(&str, &str)]) -> String {
    let lines: String = values.iter().map(|(key, value)| format!("{key} = {}\n", json!(value))).collect();
    format!("#!SHAM [@three-char-SHA-256: abc]\naction = \"{action}\"\n{lines}#!END_SHAM_abc\n")
}

fn heredoc(action: &str, paths: &str, values: &[(&str, &str)]) -> String {
    let text = sham(action, values);
    text.replacen("\"\n", &format!("\"\npaths = <<'EOT_SHAM_abc'\n{paths}\nEOT_SHAM_abc\n"), 1)
}

fn block(tool: &str, values: &[(&str, &str)]) -> String {
    let lines: String = values.iter().map(|(key, value)| format!("  {key}: {}\n", json!(value))).collect();
    format!("{{{{invoke_tool: {tool}\n{lines}}}}}\n")
}

fn plugin(tool: &str, input: &serde_json::Value) -> String {
    json!({"tool": format!("filesystem.{tool}"), "input": input}).to_string()
}

const LANGUAGES: [Language; 5] = [
    Language {
        name: "sham",
        forms: &[
            |path| sham("file_read", &[("path", path)]),
            |path| sham("file_read_numbered", &[("path", path)]),
            |path| heredoc("files_read", &format!("open.txt\n{path}"), &[]),
            |path| heredoc("files_read_numbered", path, &[]),
            |path| sham("file_write", &[("path", path), ("content", "new")]),
            |path| sham("file_append", &[("path", path), ("content", "new")]),
            |path| sham("file_delete", &[("path", path)]),
            |path| sham("file_move", &[("old_path", path), ("new_path", "taken.txt")]),
            |path| sham("file_move", &[("old_path", "open.txt"), ("new_path", path)]),
            |path| sham("file_replace_text", &[("path", path), ("old_text", "e"), ("new_text", "x")]),
            |path| sham("file_replace_all_text", &[("path", path), ("old_text", "e"), ("new_text", "x")]),
            |path| heredoc("files_replace_all_text", path, &[("old_text", "e"), ("new_text", "x")]),
            |path| sham("file_replace_lines", &[("path", path), ("line", "1"), ("new_text", "x")]),
            |path| sham("file_comment_lines", &[("path", path), ("lines", "1")]),
            |path| sham("file_uncomment_lines", &[("path", path), ("lines", "1")]),
            |path| sham("dir_create", &[("path", path)]),
            |path| sham("dir_delete", &[("path", path)]),
            |path| sham("ls", &[("path", path)]),
            |path| sham("glob", &[("pattern", "**"), ("base_path", path)]),
            |path| sham("glob", &[("pattern", path), ("base_path", ".")]),
            |path| sham("grep", &[("pattern", "e"), ("path", path)]),
            |path| sham("grep", &[("pattern", "e"), ("path", "."), ("include", path)]),
            |path| sham("context_add", &[("path", path)]) + &sham("context_list", &[]),
            |path| sham("exec", &[("code", &format!("cat {path}")), ("lang", "bash")]),
        ],
        answer: |gate, text, _| gate.sham(&ShamArgs { text: text.to_owned(), ..Default::default() }).output,
    },
    Language {
        name: "command",
        forms: &[
            |path| format!("readFile {path}"),
            |path| format!("writeFile {path} options: content: new"),
            |path| format!("appendFile {path} options: content: new"),
            |path| format!("deleteFile {path}"),
            |path| format!("fileExists {path}"),
            |path| format!("listDirectory {path}"),
            |path| format!("createDirectory {path}"),
            |path| format!("copyFile {path} options: destination: taken.txt"),
            |path| format!("copyFile open.txt options: destination: {path}"),
            |path| format!("moveFile {path} options: destination: taken.txt"),
            |path| format!("moveFile open.txt options: destination: {path}"),
        ],
        answer: |gate, text, _| {
            let args = CommandArgs { text: text.to_owned(), ask: Some(false), ..Default::default() };
            match gate.command(&args) {
                CommandOutcome::Done(text) | CommandOutcome::Failed(text) => text,
                CommandOutcome::NeedsOptions(question) => panic!("nobody is to be asked: {question:?}"),
            }
        },
    },
    Language {
        name: "file-action",
        forms: &[
            |path| json!({"action": "create", "path": path, "content": "new"}).to_string(),
            |path| json!({"action": "append", "path": path, "content": "new"}).to_string(),
        ],
        answer: |gate, text, _| gate.file_action(&FileActionArgs { text: text.to_owned() }).output,
    },
    Language {
        name: "workflow",
        forms: &[
            |path| block("read_file", &[("file_path", path)]),
            |path| block("write_file", &[("file_path", path), ("content", "new")]),
            |path| block("write_file", &[("file_path", path), ("content", "new"), ("overwrite", "false")]),
            |path| block("list_directory", &[("directory_path", path)]),
            |path| block("list_directory", &[("directory_path", "."), ("pattern", path)]),
            // What a variable stands for is a path as any other.
            |_| block("read_file", &[("file_path", "{{path}}")]),
            |_| block("write_file", &[("file_path", "./{{path}}"), ("content", "new")]),
        ],
        answer: |gate, text, path| {
            let variables = vec![WorkflowVariable { name: "path".to_owned(), value: path.to_owned() }];
            let args = WorkflowArgs {
                text: text.to_owned(),
                variables: Some(variables),
                render: Some(true),
                ..Default::default()
            };
            let outcome = gate.workflow(&args);
            outcome.output + &outcome.rendered.unwrap_or_default()
        },
    },
    Language {
        name: "plugin",
        forms: &[
            |path| plugin("read", &json!({"path": path})),
            |path| plugin("read", &json!({"path": path, "encoding": "base64"})),
            |path| plugin("write", &json!({"path": path, "content": "new"})),
            |path| plugin("list", &json!({"path": path})),
            |path| plugin("glob", &json!({"pattern": "**", "cwd": path})),
            |path| plugin("glob", &json!({"pattern": path})),
            |path| plugin("remove", &json!({"path": path})),
            |path| plugin("output", &json!({"path": path, "description": "x"})),
        ],
        answer: |gate, text, _| {
            let now = Some("2026-01-01T00:00:00Z".to_owned());
            let outcome = gate.plugin(&PluginArgs { text: text.to_owned(), now });
            format!("{}{:?}", outcome.output, outcome.events)
        },
    },
];

/// A tree with its gate.
struct Scene {
    scratch: TempDir,
    gate: Opened,
    before: BTreeMap<String, Vec<u8>>,
}

impl Scene {
    fn new(with_hidden: bool) -> Self {
        let scratch = TempDir::new().unwrap();
        let root = scratch.path();
        for (path, is_hidden) in FILES {
            if is_hidden && !with_hidden {
                continue;
            }
            let file = root.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            let text = match path {
                "w/key.txt" => {
                    format!("-----BEGIN PRIVATE KEY-----\n{}\n{CANARY}\n", "QUJD".repeat(12))
                }
                _ if path.starts_with("w/fixed") || path.starts_with("w/.git") => "fixed e\n".to_owned(),
                _ => format!("{CANARY} e\n"),
            };
            fs::write(file, text).unwrap();
        }
        fs::write(root.join("w/open.txt"), "open\n").unwrap();
        for (name, target) in [
            ("link.txt", "../outside/s.txt"),
            ("link", "../outside"),
            ("loop", "loop"),
            ("to-secret.txt", "secret.txt"),
            ("to-hidden.txt", "hidden.txt"),
            ("to-vault", "vault"),
        ] {
            symlink(target, root.join("w").join(name)).unwrap();
        }
        let policy = Documents::parse(POLICY).unwrap();
        let gate = Opened::new(Gate::builder().dir(root.join("w")).policy(policy)).unwrap();
        let before = everything(root);
        Self { scratch, gate, before }
    }

    /// What is different now of what no text may change, and whether anything else is.
    fn changed(&self) -> (Vec<String>, bool) {
        let now = everything(self.scratch.path());
        // A key that is known by its content alone is not read; it may go.
        let guarded = |path: &str| {
            !path.starts_with("w/")
                || path != "w/key.txt" && FILES.iter().any(|(file, _)| path.starts_with(file))
                || is_guarded(path)
        };
        let names: Vec<_> = now.keys().chain(self.before.keys()).collect();
        let differs = |path: &&&String| now.get(**path) != self.before.get(**path);
        let wrong = names.iter().filter(differs).filter(|path| guarded(path)).map(|path| (**path).clone());
        (wrong.collect(), now != self.before)
    }
}

/// True for what stands, or would stand, where a rule protects it.
fn is_guarded(path: &str) -> bool {
    ["w/burrow", "w/vault", "w/fixed", "w/.git"].iter().any(|place| path.starts_with(place))
}

/// Everything below a directory: the content of files, the targets of links.
fn everything(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut left = vec![root.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            let kind = path.symlink_metadata().unwrap();
            if kind.is_symlink() {
                all.insert(name, fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes());
            } else if kind.is_dir() {
                all.insert(name, b"a directory".to_vec());
                left.push(path);
            } else {
                all.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    all
}

#[test]
fn no_text_gets_past_the_walls() {
    // What differs between two trees that are the same.
    let own = Regex::new(r"\d{4}-\d\d-\d\dT[0-9:.]+Z|[0-9a-f]{32}").unwrap();
    let (mut failures, mut texts) = (Vec::new(), 0);
    for language in &LANGUAGES {
        let (mut full, mut empty) = (Scene::new(true), Scene::new(false));
        for path in PATHS {
            for (number, form) in language.forms.iter().enumerate() {
                let told = format!("{} {number} {path:?}", language.name);
                texts += 1;
                let mut ask = |scene: &mut Scene, with_hidden| {
                    let root = scene.scratch.path().to_str().unwrap();
                    let state = scene.gate.state_root().to_str().unwrap();
                    let mut path = path.replace("{root}", root).replace("{state}", state);
                    // Every path in there has to be absolute.
                    if language.name == "sham" && !path.starts_with('/') {
                        path = format!("{root}/w/{path}");
                    }
                    let answer = (language.answer)(&scene.gate, &form(&path), &path);
                    if answer.contains(CANARY) {
                        failures.push(format!("{told} tells: {answer}"));
                    }
                    let (wrong, is_changed) = scene.changed();
                    if !wrong.is_empty() {
                        failures.push(format!("{told} changes {wrong:?}: {answer}"));
                    }
                    let plain = [root, &root[1..], state, &state[1..]]
                        .iter()
                        .fold(answer, |answer, own| answer.replace(own, "{own}"));
                    if is_changed {
                        *scene = Scene::new(with_hidden);
                    }
                    own.replace_all(&plain, "").into_owned()
                };
                let (one, other) = (ask(&mut full, true), ask(&mut empty, false));
                if one != other {
                    failures.push(format!("{told} tells what is hidden:\n    {one}\n    {other}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} of {texts} texts:\n{}", failures.len(), failures.join("\n"));
}
