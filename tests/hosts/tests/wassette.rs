//! `fsgate.wasm` in Wassette: its grants, and the calls in JSON.
//!
//! `WASSETTE` has the words that start the program. It needs glibc 2.39, which not every machine
//! has.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::program::{FSGATE, finished, text};

/// The name that Wassette gives to `agent.call`.
const CALL: &str = "fsgate_tools_agent_0_1_0_call";

/// Wassette with components and settings of its own.
struct Wassette {
    words: Vec<String>,
    home: TempDir,
}

impl Wassette {
    /// The program with `fsgate.wasm`; none on a machine where it does not start.
    fn loaded() -> Option<Self> {
        let words = env::var("WASSETTE").unwrap_or_default();
        let words: Vec<_> = words.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            eprintln!("skipped: WASSETTE names no program that starts here");
            return None;
        }
        let wassette = Self { words, home: TempDir::new().unwrap() };
        wassette.run(&["component", "load", &format!("file://{}", FSGATE.display())]);
        Some(wassette)
    }

    fn run(&self, arguments: &[&str]) -> String {
        let (program, words) = self.words.split_first().unwrap();
        let mut command = Command::new(program);
        command.args(words).arg("--component-dir").arg(self.home.path().join("components"));
        command.args(arguments).env("HOME", self.home.path()).env("XDG_DATA_HOME", self.home.path());
        let output = finished(command).unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    fn grant(&self, directory: &Path, access: &str) {
        let uri = format!("fs://{}", directory.display());
        self.run(&["permission", "grant", "storage", "fsgate", &uri, "--access", access]);
    }

    /// Calls a tool in JSON.
    fn call(&self, tool: &str, arguments: &Value) -> Result<Value, Value> {
        let call = json!({"args": {"tool": tool, "arguments": arguments.to_string()}});
        let answer = self.run(&["tool", "invoke", CALL, "--args", &call.to_string()]);
        let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{answer}"));
        let parsed = |json: &Value| serde_json::from_str(json.as_str().unwrap()).unwrap();
        match answer.get("ok") {
            Some(ok) => Ok(parsed(&ok["outcome"])),
            None => Err(parsed(&answer["err"]["error"])),
        }
    }
}

#[test]
fn the_component_keeps_to_its_grants_in_wassette() {
    let Some(wassette) = Wassette::loaded() else { return };
    let scratch = TempDir::new().unwrap();
    let root = scratch.path().canonicalize().unwrap();
    for directory in ["w", "r"] {
        fs::create_dir(root.join(directory)).unwrap();
    }
    fs::write(root.join("w/a.txt"), "one\n").unwrap();
    fs::write(root.join("r/b.txt"), "two\n").unwrap();
    fs::write(root.join("secret"), "secret elsewhere\n").unwrap();
    for (link, target) in
        [("out", "../secret".into()), ("absolute", root.join("secret")), ("in", "a.txt".into())]
    {
        std::os::unix::fs::symlink(target, root.join("w").join(link)).unwrap();
    }
    wassette.grant(&root.join("w"), "read,write");
    wassette.grant(&root.join("r"), "read");
    let at = |path: &str| root.join(path).display().to_string();
    for (tool, arguments, expected) in [
        ("read", json!({"path": at("w/a.txt")}), Ok(("/content", json!("one\n")))),
        ("read", json!({"path": at("w/in")}), Ok(("/content", json!("one\n")))),
        ("read", json!({"path": at("r/b.txt")}), Ok(("/content", json!("two\n")))),
        ("create", json!({"path": at("w/new.txt"), "content": "x"}), Ok(("/created", json!(true)))),
        ("create", json!({"path": at("r/new.txt"), "content": "x"}), Err("read_only")),
        ("read", json!({"path": at("secret")}), Err("not_granted")),
        ("read", json!({"path": at("w/../secret")}), Err("not_granted")),
        ("read", json!({"path": at("w/out")}), Err("path_escape")),
        ("read", json!({"path": at("w/absolute")}), Err("path_escape")),
    ] {
        match (wassette.call(tool, &arguments), expected) {
            (Ok(answer), Ok((field, expected))) => {
                assert_eq!(answer.pointer(field), Some(&expected), "{tool} {arguments}: {answer}");
            }
            (Err(error), Err(code)) => assert_eq!(error["code"], code, "{tool} {arguments}: {error}"),
            (answer, _) => panic!("{tool} {arguments}: {answer:?}"),
        }
    }
    assert_eq!(fs::read_to_string(root.join("w/new.txt")).unwrap(), "x");
    assert!(!root.join("r/new.txt").exists());
}
