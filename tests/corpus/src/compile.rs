//! The corpus as JSON lines, a case a line, for the runners of the packages.
//!
//! `tests/corpus/README.md` describes the members. Placeholders have their values here, but for
//! those that only an answer can tell.

use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use fsgate_volume::Access;
use serde_json::{Map, Value, json};

use crate::calls::arguments_but_repeats;
use crate::case::{self, Case, Expected, Kind};
use crate::front_end::FrontEndCase;
use crate::placeholder::REPEAT;
use crate::sham::ShamCase;
use crate::tree::{Item, Piece, Tree};

/// Every case of a tool, in the order of the files.
///
/// # Errors
///
/// A case that is not understood, or a placeholder without a value.
pub fn tools() -> Result<String> {
    let lines = case::all()?.into_iter().map(|case| {
        let line = tool(&case).with_context(|| format!("in the case {} of {}", case.name, case.file))?;
        Ok(format!("{line}\n"))
    });
    lines.collect()
}

/// Every case of a front end, in the order of the front ends and of their files.
///
/// # Errors
///
/// A case that is not understood.
pub fn front_ends() -> Result<String> {
    let mut lines = String::new();
    for front_end in FRONT_ENDS {
        let directory = case::directory().join(front_end.name);
        for case in FrontEndCase::all(&directory)? {
            let line =
                front_end.case(&case).with_context(|| format!("{} of {}", case.title(), front_end.name))?;
            lines += &format!("{line}\n");
        }
    }
    Ok(lines)
}

fn tool(case: &Case) -> Result<Value> {
    let mut line = Map::new();
    let mut set = |name: &str, value: Value| line.insert(name.to_owned(), value);
    set("file", case.file.clone().into());
    set("tool", case.tool.clone().into());
    set("name", case.name.clone().into());
    if let Some(only) = &case.only {
        let volume = match only.volume {
            Kind::Memory => "memory",
            Kind::Disk => "disk",
        };
        set("only", json!({"volume": volume, "reason": only.reason}));
    }
    if let Some(policy) = &case.policy {
        set("policy", json!({"text": policy.text, "late": policy.is_late}));
    }
    let earlier = case.earlier.iter().map(|earlier| {
        let arguments = arguments_but_repeats(&case.step(earlier, &[]))?;
        Ok(json!({"tool": earlier.tool, "arguments": arguments}))
    });
    set("earlier", earlier.collect::<Result<_>>()?);
    set("arguments", arguments_but_repeats(case)?.into());
    match &case.expected {
        Expected::Outcome { value, is_partial } => {
            if *is_partial {
                set("partial", true.into());
            }
            set("outcome", case.expanded_but_repeats(value)?)
        }
        Expected::Error(fields) => set("error", case.expanded_but_repeats(&Value::Object(fields.clone()))?),
    };
    set("before", tree(&case.before, true));
    if !case.unchanged {
        set("after", tree(&case.after, false));
    }
    Ok(line.into())
}

fn tree(tree: &Tree, with_grants: bool) -> Value {
    let mut out = Map::new();
    if with_grants {
        let grants = tree.grants.iter().map(|grant| {
            json!({"directory": grant.directory, "name": grant.name, "read_only": grant.access == Access::Read})
        });
        out.insert("grants".to_owned(), grants.collect());
    }
    out.insert("items".to_owned(), tree.items.iter().map(|(path, item)| self::item(path, item)).collect());
    if !tree.moved.is_empty() {
        out.insert("moved".to_owned(), json!(tree.moved));
    }
    out.into()
}

fn item(path: &str, item: &Item) -> Value {
    match item {
        Item::File { pieces, mode, .. } => {
            let piece = |piece: &Piece| match piece {
                Piece::Text(text) => json!({ "text": text }),
                Piece::Bytes(bytes) => json!({"base64": BASE64_STANDARD.encode(bytes)}),
            };
            let content: Value = pieces.iter().map(piece).collect();
            let mut item = json!({"path": path, "kind": "file", "content": content});
            if let Some(mode) = mode {
                item["mode"] = (*mode).into();
            }
            item
        }
        Item::HardLink(to) => json!({"path": path, "kind": "hard-link", "to": to}),
        Item::Link(target) => json!({"path": path, "kind": "link", "target": target}),
        Item::Directory => json!({"path": path, "kind": "directory"}),
        Item::Fifo => json!({"path": path, "kind": "fifo"}),
        Item::Undecodable(name) => {
            json!({"path": path, "kind": "undecodable", "base64": BASE64_STANDARD.encode(name)})
        }
    }
}

/// A front end, and the blocks of its cases.
struct FrontEnd {
    name: &'static str,
    needed: &'static [&'static str],
    optional: &'static [&'static str],
    /// The kinds of lines of its trees.
    lines: &'static [&'static str],
    /// The text of a block has the end of its last line.
    has_line_ends: bool,
}

const FRONT_ENDS: [FrontEnd; 5] = [
    FrontEnd {
        name: "command",
        needed: &["text"],
        optional: &["before", "answer", "done", "failed", "needs-options", "after"],
        lines: LINES,
        has_line_ends: false,
    },
    FrontEnd {
        name: "file-action",
        needed: &["text", "output"],
        optional: &["before", "after"],
        lines: LINES,
        has_line_ends: false,
    },
    FrontEnd {
        name: "plugin",
        needed: &["text", "output"],
        optional: &["before", "now", "events", "after"],
        lines: LINES,
        has_line_ends: false,
    },
    FrontEnd { name: SHAM, needed: &["sh sham", "json"], optional: &[], lines: LINES, has_line_ends: true },
    FrontEnd {
        name: WORKFLOW,
        needed: &["workflow", "json"],
        optional: &["before", "policy", "variables", "after"],
        lines: &["file", "directory", "link", "bytes", "repeated"],
        has_line_ends: true,
    },
];

const SHAM: &str = "sham";
const WORKFLOW: &str = "workflow";

/// The kinds of lines of most trees.
const LINES: &[&str] = &["file", "directory", "link"];

/// The results of a command: a case names one of them.
const COMMAND_OUTCOMES: [&str; 3] = ["done", "failed", "needs-options"];

/// The grants of a workflow, whose trees name the granted directories.
const WORKFLOW_GRANTS: &str =
    "grant project as /home/user/project\ngrant templates read-only as /shared/templates\n";

/// The policy of a workflow that names none.
const WORKFLOW_POLICY: &str = r#"{"profile": "workflow"}"#;

impl FrontEnd {
    fn case(&self, case: &FrontEndCase) -> Result<Value> {
        for block in self.needed {
            ensure!(case.lines(block).is_some(), "the block `{block}` is missing");
        }
        for block in case.blocks() {
            let is_known = self.needed.contains(&block) || self.optional.contains(&block);
            ensure!(is_known, "a case of `{}` has no block `{block}`", self.name);
        }
        if self.name == "command" {
            let outcomes = COMMAND_OUTCOMES.iter().filter(|outcome| case.lines(outcome).is_some());
            ensure!(outcomes.count() == 1, "a command has one of {COMMAND_OUTCOMES:?}");
        }
        let text = |block: &str| if self.has_line_ends { case.lines(block) } else { case.text(block) };
        let of_host = ["before", "after", "policy"];
        let blocks = case.blocks().filter(|block| !of_host.contains(block));
        let blocks: Map<_, _> = blocks.map(|block| (block.to_owned(), text(block).into())).collect();
        let before = match self.name {
            SHAM => sham_tree(case)?,
            _ => self.tree(case.text("before").unwrap_or_default())?,
        };
        let after = match (case.text("after"), self.name) {
            (Some(after), _) => Some(self.tree(after)?),
            // Their cases name a tree only where it matters.
            (None, SHAM | WORKFLOW) => None,
            (None, _) => Some(before.clone()),
        };
        let mut line = json!({
            "front_end": self.name, "group": case.group, "name": case.name, "blocks": blocks,
            "before": tree(&before, true),
        });
        if self.name == WORKFLOW {
            line["policy"] = case.text("policy").unwrap_or(WORKFLOW_POLICY).into();
        }
        if let Some(after) = after {
            line["after"] = tree(&after, false);
        }
        Ok(line)
    }

    fn tree(&self, text: &str) -> Result<Tree> {
        let mut lines = String::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
            ensure!(self.lines.contains(&kind), "a tree of `{}` has no line `{line}`", self.name);
            lines += &match kind {
                "repeated" => repeated_file(rest)?,
                _ => format!("{line}\n"),
            };
        }
        match self.name {
            WORKFLOW => Tree::parse(&format!("{WORKFLOW_GRANTS}{lines}")),
            _ => below_tmp(&lines),
        }
    }
}

/// A tree whose paths are below `/tmp`.
fn below_tmp(lines: &str) -> Result<Tree> {
    let mut tree = Tree::parse(&format!("grant tmp\n{lines}"))?;
    let items = std::mem::take(&mut tree.items).into_iter();
    tree.items = items.map(|(path, item)| (format!("tmp/{path}"), item)).collect();
    Ok(tree)
}

/// The line of a file from `PATH TIMES TEXT`.
fn repeated_file(line: &str) -> Result<String> {
    let parts = line.splitn(3, ' ').collect::<Vec<_>>();
    let [path, times, text] = parts[..] else { anyhow::bail!("a file is `repeated PATH TIMES TEXT`") };
    let text: String = serde_json::from_str(text)?;
    Ok(format!("file {path} {}\n", Value::from(format!("{REPEAT}{times}, {text})"))))
}

/// The tree before a case of SHAM.
fn sham_tree(case: &FrontEndCase) -> Result<Tree> {
    let case = ShamCase::new(case);
    let directory = case.directory();
    let mut lines = format!("directory {directory}\n");
    for (name, content) in case.files() {
        lines += &format!("file {directory}/{name} {}\n", Value::from(content));
    }
    below_tmp(&lines)
}
