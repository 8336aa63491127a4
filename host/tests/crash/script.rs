//! A sequence of changes, with the tree after each.

use serde_json::{Value, json};

use super::Random;
use super::tree::{Node, Tree};

/// Bytes of a large file: moving its content takes milliseconds.
const LARGE: usize = 4 << 20;

/// Approximate number of trees and files to make.
const MANY: usize = 60;

/// A call, and the tree after it.
pub(crate) struct Step {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
    pub(crate) after: Tree,
}

/// Writes scripts with unique contents: no two trees of a run are equal, except after an undo.
pub(crate) struct Writer {
    pub(crate) random: Random,
    count: u64,
}

impl Writer {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Random(seed), count: 0 }
    }

    /// Two large files, some small ones, a tree.
    pub(crate) fn beginning(&mut self) -> Tree {
        let mut tree = Tree::default();
        for name in ["large0", "large1"] {
            let mut content = format!("mark {} here\n", self.next()).into_bytes();
            content.extend(b"a line of text, as there are many\n".iter().cycle().take(LARGE));
            tree.put(name, content);
        }
        for number in 0..8 {
            tree.put(&format!("d{}/s{number}", number % 3), self.small());
        }
        for number in 0..5 {
            tree.put(&format!("t0/x{}/f{number}", number % 2), self.small());
        }
        tree
    }

    /// Consecutive calls that start with this tree.
    pub(crate) fn script(&mut self, tree: &Tree, steps: usize) -> Vec<Step> {
        let mut script: Vec<Step> = Vec::new();
        while script.len() < steps {
            let before = script.last().map_or(tree, |step| &step.after);
            // An undo reverts the last call, and a redo an undo.
            let back = match script.last().map(|step| step.tool) {
                Some("undo") if self.random.below(3) == 0 => Some("redo"),
                Some("undo" | "forget") | None => None,
                Some(_) => (self.random.below(12) == 0).then_some("undo"),
            };
            if let Some(tool) = back {
                let after = match &script[..] {
                    [.., before, _] => before.after.clone(),
                    _ => tree.clone(),
                };
                script.push(Step { tool, arguments: json!({}), after });
                continue;
            }
            let mut after = before.clone();
            if self.random.below(40) == 0 {
                script.push(Step { tool: "forget", arguments: self.forgotten(before), after });
                continue;
            }
            if let Some((tool, arguments)) = self.step(&mut after) {
                script.push(Step { tool, arguments, after });
            }
        }
        script
    }

    /// One more change, if the drawn one is possible in this tree.
    fn step(&mut self, tree: &mut Tree) -> Option<(&'static str, Value)> {
        let is_crowded = tree.0.len() > MANY;
        Some(match self.random.below(if is_crowded { 9 } else { 16 }) {
            0 => {
                let (path, content) = (self.file(tree)?, self.small());
                tree.put(&path, content.clone());
                ("write", json!({"path": path, "content": content}))
            }
            1 => {
                let (path, content) = (self.file(tree)?, self.small());
                let all = [&tree.file(&path)[..], content.as_bytes()].concat();
                tree.put(&path, all);
                ("append", json!({"path": path, "content": content}))
            }
            2 | 3 => {
                let large = format!("large{}", self.random.below(2));
                match self.random.below(3) {
                    0 => self.lines(tree, &large),
                    1 => {
                        let (_, new) = self.edit(tree, &large);
                        ("replace_lines", json!({"path": large, "lines": "1", "content": new}))
                    }
                    _ => {
                        let (old, new) = self.edit(tree, &large);
                        ("replace", json!({"path": large, "old": old, "new": new}))
                    }
                }
            }
            4 => {
                let (source, destination) = (self.file(tree)?, self.file(tree)?);
                if source == destination {
                    return None;
                }
                move_all(tree, &source, &destination);
                ("move", json!({"source": source, "destination": destination, "overwrite": true}))
            }
            5 => {
                let path = self.file(tree)?;
                tree.remove(&path);
                ("delete", json!({"path": path}))
            }
            6 => {
                let path = self.directory(tree)?;
                tree.remove(&path);
                ("delete_directory", json!({"path": path, "recursive": true}))
            }
            7 => ("apply", json!({"edits": self.batch(tree)?})),
            8 => ("apply", json!({"patch": as_patch(&self.batch(tree)?)})),
            9 => {
                let (path, content) = (format!("d{}/n{}", self.random.below(4), self.next()), self.small());
                tree.put(&path, content.clone());
                ("create", json!({"path": path, "content": content}))
            }
            10 => {
                let path = format!("d{}/e{}/e", self.random.below(4), self.next());
                tree.make_parents(&path);
                tree.0.insert(path.clone(), Node::Directory);
                ("create_directory", json!({"path": path}))
            }
            11 => {
                let (source, destination) = (self.file(tree)?, format!("c{}/copy", self.next()));
                tree.put(&destination, tree.file(&source).to_vec());
                ("copy", json!({"source": source, "destination": destination}))
            }
            12 => {
                let (from, to) = if self.random.below(2) == 0 { (0, 1) } else { (1, 0) };
                let (source, destination) = (format!("large{from}"), format!("large{to}"));
                if tree.file(&source) == tree.file(&destination) {
                    return None;
                }
                tree.put(&destination, tree.file(&source).to_vec());
                ("copy", json!({"source": source, "destination": destination, "overwrite": true}))
            }
            13 => {
                let (source, destination) = (self.directory(tree)?, format!("t{}", self.next()));
                for (rest, node) in tree.below(&source) {
                    tree.0.insert(format!("{destination}{rest}"), node);
                }
                ("copy", json!({"source": source, "destination": destination, "recursive": true}))
            }
            14 => {
                let (source, destination) = (self.directory(tree)?, format!("m{}/t", self.next()));
                tree.make_parents(&destination);
                move_all(tree, &source, &destination);
                ("move", json!({"source": source, "destination": destination, "recursive": true}))
            }
            _ => {
                let (directory, mut edits) = (format!("g{}", self.next()), Vec::new());
                for number in 0..2 + self.random.below(4) {
                    let (path, content) = (format!("{directory}/{number}/f"), self.small());
                    tree.put(&path, content.clone());
                    edits.push(json!({"path": path, "content": content}));
                }
                ("apply", json!({"edits": edits}))
            }
        })
    }

    /// The subject of a `forget`: an existing path, or the whole history.
    fn forgotten(&mut self, tree: &Tree) -> Value {
        match self.file(tree).filter(|_| self.random.below(2) == 0) {
            Some(path) => json!({"path": path}),
            None => json!({"everything": true}),
        }
    }

    /// Changes of several files: one in a large file, two in small ones, a created and a deleted
    /// file.
    fn batch(&mut self, tree: &mut Tree) -> Option<Vec<Value>> {
        let mut paths = [self.file(tree)?, self.file(tree)?, self.file(tree)?];
        paths.sort();
        if paths[0] == paths[1] || paths[1] == paths[2] {
            return None;
        }
        let mut edits = Vec::new();
        for path in &paths[..2] {
            let (old, new) = self.edit(tree, path);
            edits.push(json!({"path": path, "old": old, "new": new}));
        }
        if self.random.below(2) == 0 {
            let (old, new) = self.edit(tree, "large0");
            edits.push(json!({"path": "large0", "old": old, "new": new}));
        }
        tree.remove(&paths[2]);
        edits.push(json!({"path": paths[2], "delete": true}));
        let (path, content) = (format!("b{}/f", self.next()), self.small());
        tree.put(&path, content.clone());
        edits.push(json!({"path": path, "content": content}));
        Some(edits)
    }

    /// A new, unique first line, of the same length or another.
    fn edit(&mut self, tree: &mut Tree, path: &str) -> (String, String) {
        let content = tree.file(path).clone();
        let end = content.iter().position(|byte| *byte == b'\n').unwrap();
        let old = String::from_utf8(content[..end].to_vec()).unwrap();
        let width = match self.random.below(3) {
            0 => 12 + self.random.below(60) as usize,
            _ => old.len(),
        };
        let new = format!("{:<width$}", format!("mark {}", self.next()));
        tree.put(path, [new.as_bytes(), &content[end..]].concat());
        (old, new)
    }

    /// A new first line, or a mark added or removed before it. Added marks differ from removed
    /// ones, so no content occurs twice.
    fn lines(&mut self, tree: &mut Tree, path: &str) -> (&'static str, Value) {
        let content = tree.file(path).clone();
        match content.strip_prefix(b"// ") {
            Some(plain) => {
                tree.put(path, plain.to_vec());
                ("uncomment_lines", json!({"path": path, "lines": "1", "syntax": "rust"}))
            }
            None if self.random.below(2) == 0 => {
                tree.put(path, [b"# ", &content[..]].concat());
                ("comment_lines", json!({"path": path, "lines": "1", "syntax": "python"}))
            }
            None => {
                let line = format!("// mark {} here", self.next());
                tree.put(path, [line.as_bytes(), b"\n", &content[..]].concat());
                ("insert_lines", json!({"path": path, "after": 0, "content": line}))
            }
        }
    }

    /// An existing small file.
    fn file(&mut self, tree: &Tree) -> Option<String> {
        let files = tree.0.iter().filter(|(path, node)| matches!(node, Node::File(_)) && path.contains('/'));
        let files: Vec<_> = files.collect();
        let at = self.random.below(files.len().max(1) as u64) as usize;
        files.get(at).map(|(path, _)| (*path).clone())
    }

    /// An existing top-level directory.
    fn directory(&mut self, tree: &Tree) -> Option<String> {
        let directories =
            tree.0.iter().filter(|(path, node)| **node == Node::Directory && !path.contains('/'));
        let directories: Vec<_> = directories.collect();
        let at = self.random.below(directories.len().max(1) as u64) as usize;
        directories.get(at).map(|(path, _)| (*path).clone())
    }

    fn small(&mut self) -> String {
        let lines = self.random.below(60) as usize;
        format!("mark {} here\n{}", self.next(), "some more text\n".repeat(lines))
    }

    fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }
}

/// The same edits as a patch. They replace whole lines.
fn as_patch(edits: &[Value]) -> String {
    let mut patch = "*** Begin Patch\n".to_owned();
    for edit in edits {
        let text = |name: &str| edit[name].as_str();
        let path = text("path").unwrap();
        patch += &match (text("old"), text("new"), text("content")) {
            (Some(old), Some(new), _) => format!("*** Update File: {path}\n@@\n-{old}\n+{new}\n"),
            (.., Some(content)) => {
                let lines: String = content.lines().map(|line| format!("+{line}\n")).collect();
                format!("*** Add File: {path}\n{lines}")
            }
            _ => format!("*** Delete File: {path}\n"),
        };
    }
    patch + "*** End Patch\n"
}

fn move_all(tree: &mut Tree, source: &str, destination: &str) {
    let moved = tree.below(source);
    tree.remove(source);
    for (rest, node) in moved {
        tree.0.insert(format!("{destination}{rest}"), node);
    }
}
