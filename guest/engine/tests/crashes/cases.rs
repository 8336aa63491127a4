//! The cases: calls of every changing tool, their trees, and the calls before them.

use serde_json::{Value, json};

use super::fixture::{Fixture, Layout};

/// Paths with a file's content or, after `-> `, a link's target; a directory's path ends in `/`.
type CaseTree = &'static [(&'static str, &'static str)];

type CaseCalls = Vec<(&'static str, Value)>;

pub(crate) struct CrashCase {
    pub(crate) name: String,
    pub(crate) tree: CaseTree,
    /// Calls before it.
    pub(crate) earlier: CaseCalls,
    pub(crate) tool: &'static str,
    /// Here and in the calls before, `#0` is the id of the first call before.
    pub(crate) args: Value,
}

const FILE: &[(&str, &str)] =
    &[("w/a.txt", "before two and a tail of some length"), ("w/b.txt", "b"), ("v/", "")];

const COMMENT: &[(&str, &str)] = &[("w/a.txt", "<!-- a line of some length -->\nand another one\n")];

const TREE: &[(&str, &str)] = &[
    ("w/d/a.txt", "aaaa"),
    ("w/d/e/b.txt", "bb bb bb"),
    ("w/d/e/empty/", ""),
    ("w/d/c.txt", ""),
    ("w/nothing/", ""),
    ("w/b.txt", "something else, and longer"),
    ("w/to/a.txt", "what is overwritten"),
    ("v/x.txt", "in the other grant"),
    ("v/y.txt", "there, too"),
];

const LINKS: &[(&str, &str)] = &[
    ("w/l", "-> a.txt"),
    ("w/m", "-> nowhere"),
    ("w/a.txt", "aaaa"),
    ("w/d/l", "-> ../a.txt"),
    ("w/d/f", "f"),
    ("v/", ""),
];

/// Creates, changes and deletes a file, and moves one into a new directory with a change.
const PATCH: &str = "diff --git a/b.txt b/p/q/moved.txt\nrename from b.txt\nrename to p/q/moved.txt\n--- a/b.txt\n\
    +++ b/p/q/moved.txt\n@@ -1 +1,2 @@\n-something else, and longer\n\\ No newline at end of file\n+something else,\n\
    +and much longer\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n--- a/to/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n\
    -what is overwritten\n\\ No newline at end of file\n--- a/d/a.txt\n+++ b/d/a.txt\n@@ -1 +1 @@\n-aaaa\n\
    \\ No newline at end of file\n+aa\n";

pub(crate) fn cases() -> Vec<CrashCase> {
    let mut cases = Vec::new();
    let mut add = |tree, tool, args: Value| {
        cases.push(CrashCase { name: format!("{tool} {args}"), tree, earlier: Vec::new(), tool, args });
    };
    let text = "twenty bytes, or more";
    for path in ["new.txt", "p/q/new.txt"] {
        add(FILE, "create", json!({"path": path, "content": text}));
        add(FILE, "write", json!({"path": path, "content": text}));
        add(FILE, "write_bytes", json!({"path": path, "bytes": "dHdlbnR5IGJ5dGVz"}));
        add(FILE, "append", json!({"path": path, "content": text}));
        add(FILE, "create_directory", json!({"path": path}));
    }
    for content in
        ["before eighteen characters and a tail of some length", "before", "before one and a tail", "", "x"]
    {
        add(FILE, "write", json!({"path": "a.txt", "content": content}));
        add(FILE, "write", json!({"path": "a.txt", "content": content, "backup": true}));
    }
    add(FILE, "write_bytes", json!({"path": "a.txt", "bytes": "AAAA", "backup": true}));
    add(FILE, "write_bytes", json!({"path": "a.txt", "bytes": "dHdlbnR5IGJ5dGVz"}));
    add(FILE, "append", json!({"path": "a.txt", "content": text, "separator": "--"}));
    for new in ["eighteen characters", "one", "", "t"] {
        add(FILE, "replace", json!({"path": "a.txt", "old": "two", "new": new}));
    }
    for new in ["EEEE", "", "E"] {
        add(FILE, "replace_all", json!({"path": "a.txt", "old": "e", "new": new}));
    }
    add(FILE, "replace_all", json!({"path": "a.txt", "old": "[aeo]", "new": "<$0>", "regex": true}));
    for content in ["a line", "", "longer, by a line\nor so"] {
        add(FILE, "replace_lines", json!({"path": "a.txt", "lines": "1", "content": content}));
    }
    add(FILE, "insert_lines", json!({"path": "a.txt", "after": 0, "content": "first"}));
    add(FILE, "insert_lines", json!({"path": "a.txt", "after": 1, "content": "second"}));
    add(FILE, "comment_lines", json!({"path": "a.txt", "lines": "1", "syntax": "html"}));
    add(COMMENT, "uncomment_lines", json!({"path": "a.txt", "lines": "1", "syntax": "html"}));
    for destination in ["new.txt", "p/q/new.txt", "/v/new.txt"] {
        add(TREE, "copy", json!({"source": "b.txt", "destination": destination}));
        add(TREE, "move", json!({"source": "b.txt", "destination": destination}));
    }
    for (source, destination) in
        [("b.txt", "to/a.txt"), ("d/a.txt", "b.txt"), ("b.txt", "/v/x.txt"), ("d/c.txt", "b.txt")]
    {
        add(TREE, "copy", json!({"source": source, "destination": destination, "overwrite": true}));
        add(TREE, "move", json!({"source": source, "destination": destination, "overwrite": true}));
    }
    for destination in ["new", "p/q/new", "/v/new"] {
        add(TREE, "copy", json!({"source": "d", "destination": destination, "recursive": true}));
        add(TREE, "copy", json!({"source": "nothing", "destination": destination, "recursive": true}));
    }
    for destination in ["new", "p/q/new"] {
        add(TREE, "move", json!({"source": "d", "destination": destination, "recursive": true}));
        add(TREE, "move", json!({"source": "nothing", "destination": destination, "recursive": true}));
        add(LINKS, "move", json!({"source": "l", "destination": destination}));
    }
    add(LINKS, "move", json!({"source": "l", "destination": "m", "overwrite": true}));
    add(LINKS, "move", json!({"source": "m", "destination": "a.txt", "overwrite": true}));
    add(LINKS, "move", json!({"source": "a.txt", "destination": "l", "overwrite": true}));
    add(TREE, "copy", json!({"source": "d", "destination": "to", "glob": "**/*.txt", "overwrite": true}));
    add(TREE, "copy", json!({"source": "d", "destination": "p/q", "glob": "**"}));
    add(TREE, "copy", json!({"source": "d", "destination": "/v", "glob": "**"}));
    for keep in [true, false] {
        add(TREE, "delete", json!({"path": "b.txt", "keep": keep}));
        add(LINKS, "delete", json!({"path": "l", "keep": keep}));
        add(TREE, "delete", json!({"path": "d", "glob": "**", "keep": keep}));
        add(LINKS, "delete", json!({"path": ".", "glob": "**", "keep": keep}));
        add(TREE, "delete_directory", json!({"path": "nothing", "keep": keep}));
        add(TREE, "delete_directory", json!({"path": "d", "recursive": true, "keep": keep}));
        add(LINKS, "delete_directory", json!({"path": "d", "recursive": true, "keep": keep}));
    }
    let edits = json!([
        {"path": "d/a.txt", "old": "aaaa", "new": "b"},
        {"path": "b.txt", "old": "else", "new": "quite other"},
        {"path": "p/new.txt", "content": "new"},
        {"path": "to/a.txt", "delete": true},
        {"path": "/v/x.txt", "old": "the other", "new": "quite another"},
    ]);
    add(TREE, "apply", json!({"edits": edits}));
    add(TREE, "apply", json!({"patch": PATCH}));
    add(
        TREE,
        "apply",
        json!({"patch": "*** Begin Patch\n*** Update File: b.txt\n*** Move to: /v/new.txt\n@@\n-something else, and longer\n+other\n*** End Patch\n"}),
    );
    for new in ["$0$0", "", "X"] {
        add(TREE, "replace_in_files", chosen(new));
    }
    cases.extend(history(&edits));
    cases
}

/// Letters in four files of [`TREE`], chosen by the ids that they are shown with.
fn chosen(new: &str) -> Value {
    let mut args = json!({
        "old": "[abt]",
        "new": new,
        "regex": true,
        "paths": ["d/a.txt", "d/e/b.txt", "b.txt", "/v/x.txt"],
    });
    let shown = Fixture::new(Layout::Same, TREE).call("replace_in_files", &args).unwrap();
    let all = shown["occurrences"].as_array().unwrap();
    // Two of one file, and one of each of the others.
    let nth = |path: &str, nth: usize| {
        all.iter().filter(|found| found["path"] == path).nth(nth).unwrap_or_else(|| panic!("{path}: {shown}"))
            ["id"]
            .clone()
    };
    args["ids"] = json!([
        nth("/w/d/a.txt", 1),
        nth("/w/d/a.txt", 2),
        nth("/w/d/e/b.txt", 1),
        nth("/w/b.txt", 0),
        nth("/v/x.txt", 0)
    ]);
    args
}

/// Undo and redo of every change, restores, checkpoints, and removed entries.
fn history(edits: &Value) -> Vec<CrashCase> {
    let all = json!({});
    let calls: Vec<(CaseTree, &'static str, Value)> = vec![
        (FILE, "create", json!({"path": "p/q/new.txt", "content": "new"})),
        (FILE, "create_directory", json!({"path": "p/q"})),
        (FILE, "write", json!({"path": "a.txt", "content": "before, and more than that"})),
        (FILE, "write", json!({"path": "a.txt", "content": "x", "backup": true})),
        (FILE, "append", json!({"path": "a.txt", "content": "more"})),
        (TREE, "copy", json!({"source": "d", "destination": "p/new", "recursive": true})),
        (TREE, "copy", json!({"source": "b.txt", "destination": "to/a.txt", "overwrite": true})),
        (TREE, "copy", json!({"source": "d", "destination": "to", "glob": "**/*.txt", "overwrite": true})),
        (TREE, "move", json!({"source": "b.txt", "destination": "p/new.txt"})),
        (TREE, "move", json!({"source": "b.txt", "destination": "to/a.txt", "overwrite": true})),
        (TREE, "move", json!({"source": "d", "destination": "p/new", "recursive": true})),
        (TREE, "move", json!({"source": "b.txt", "destination": "/v/new.txt"})),
        (TREE, "delete", json!({"path": "b.txt"})),
        (LINKS, "delete", json!({"path": "a.txt"})),
        (TREE, "delete", json!({"path": "d", "glob": "**"})),
        (TREE, "delete_directory", json!({"path": "nothing"})),
        (TREE, "delete_directory", json!({"path": "d", "recursive": true})),
        (TREE, "apply", json!({"edits": edits})),
        (TREE, "apply", json!({"patch": PATCH})),
        (TREE, "replace_in_files", chosen("$0$0")),
    ];
    let mut cases = Vec::new();
    for (tree, tool, args) in calls {
        let mut earlier = vec![(tool, args)];
        for then in ["undo", "redo", "undo"] {
            let name = format!("{then} of {earlier:?}");
            let args = all.clone();
            cases.push(CrashCase { name, tree, earlier: earlier.clone(), tool: then, args });
            earlier.push((then, all.clone()));
        }
    }
    // Records are removed from the log.
    let write = |path, content| ("write", json!({"path": path, "content": content}));
    for (name, args) in
        [("one of many forgotten", json!({"path": "b.txt"})), ("all forgotten", json!({"everything": true}))]
    {
        let earlier = vec![write("a.txt", "one"), write("b.txt", "x"), write("a.txt", "another")];
        cases.push(CrashCase { name: name.to_owned(), tree: FILE, earlier, tool: "forget", args });
    }
    // With their trash entries.
    let earlier = vec![
        ("delete", json!({"path": "b.txt"})),
        ("delete_directory", json!({"path": "d", "recursive": true})),
        write("a.txt", "one"),
    ];
    cases.push(CrashCase {
        name: "all forgotten, with what was deleted".to_owned(),
        tree: TREE,
        earlier,
        tool: "forget",
        args: json!({"everything": true}),
    });
    // Several entries at once.
    let earlier = vec![
        ("checkpoint", json!({"label": "here"})),
        ("write", json!({"path": "b.txt", "content": "other"})),
        ("move", json!({"source": "b.txt", "destination": "p/b.txt"})),
        ("delete", json!({"path": "p/b.txt"})),
        ("delete_directory", json!({"path": "d", "recursive": true})),
        ("create", json!({"path": "d", "content": "a file now"})),
    ];
    cases.push(CrashCase {
        name: "undo to a checkpoint".to_owned(),
        tree: TREE,
        earlier,
        tool: "undo",
        args: json!({"to": "here"}),
    });
    cases.extend(restored(edits));
    // Changes of the history alone, or of nothing.
    let one = write("a.txt", "one");
    for (tool, earlier, args) in [
        ("forget", vec![one.clone(), write("b.txt", "x"), one.clone()], json!({"id": "#1"})),
        ("checkpoint", vec![one.clone()], json!({"label": "here"})),
        ("checkpoint", vec![("checkpoint", json!({"label": "here"})), one.clone()], json!({"label": "here"})),
        ("recover", vec![one], json!({})),
    ] {
        cases.push(CrashCase { name: format!("{tool} behind {earlier:?}"), tree: FILE, earlier, tool, args });
    }
    cases
}

/// Restores of a path from the first of some calls.
fn restored(edits: &Value) -> Vec<CrashCase> {
    let create = |path, content| ("create", json!({"path": path, "content": content}));
    let replace = |old, new| ("replace", json!({"path": "a.txt", "old": old, "new": new}));
    let kept = |content| ("write", json!({"path": "a.txt", "content": content, "backup": true}));
    let copy = |source, destination| {
        ("copy", json!({"source": source, "destination": destination, "recursive": true, "overwrite": true}))
    };
    let moved = |source, destination| {
        ("move", json!({"source": source, "destination": destination, "recursive": true, "overwrite": true}))
    };
    let delete = |path| ("delete", json!({"path": path}));
    let delete_directory = |path| ("delete_directory", json!({"path": path, "recursive": true}));
    let apply = ("apply", json!({"edits": edits}));
    let patch = ("apply", json!({"patch": PATCH}));
    let calls: Vec<(CaseTree, CaseCalls, Option<&str>)> = vec![
        (FILE, vec![create("p/q/new.txt", "new")], None),
        (FILE, vec![replace("two", "eighteen characters")], None),
        (FILE, vec![replace("two", "2"), replace("before", ""), replace("length", "all lengths")], None),
        // Wholly kept content: over another one, over a missing file, and if it is back already.
        (FILE, vec![kept("x")], None),
        (FILE, vec![kept("before, and a good deal more than that was"), replace("more", "less")], None),
        (FILE, vec![kept("x"), delete("a.txt")], None),
        (FILE, vec![kept("x"), ("undo", json!({})), replace("two", "2")], None),
        (TREE, vec![copy("d", "p/new")], Some("/w/p/new")),
        (TREE, vec![copy("b.txt", "to/a.txt")], Some("/w/to/a.txt")),
        (TREE, vec![moved("b.txt", "p/new.txt")], Some("/w/b.txt")),
        (TREE, vec![moved("d", "p/new")], Some("/w/d")),
        (TREE, vec![moved("b.txt", "/v/new.txt")], Some("/w/b.txt")),
        // The replaced object returns, and the object in its place is kept.
        (TREE, vec![moved("b.txt", "to/a.txt")], Some("/w/to/a.txt")),
        (TREE, vec![delete("b.txt")], None),
        (TREE, vec![delete("b.txt"), create("b.txt", "another one")], None),
        (TREE, vec![delete("b.txt"), create("b.txt/inside.txt", "in a directory now")], None),
        (LINKS, vec![delete("l"), create("l", "a file now")], None),
        (TREE, vec![("delete", json!({"path": "d", "glob": "**"}))], Some("/w/d/e/b.txt")),
        (TREE, vec![delete_directory("nothing")], None),
        (TREE, vec![delete_directory("d")], None),
        (TREE, vec![delete_directory("d"), create("d", "a file now")], None),
        (TREE, vec![delete_directory("d"), create("d/e/other.txt", "another one")], None),
        (TREE, vec![apply.clone()], Some("/w/to/a.txt")),
        (TREE, vec![apply], Some("/v/x.txt")),
        (TREE, vec![patch], Some("/w/b.txt")),
        (TREE, vec![("replace_in_files", chosen("$0$0"))], Some("/w/d/a.txt")),
    ];
    let mut cases = Vec::new();
    for (tree, mut earlier, path) in calls {
        let args = path.map_or_else(|| json!({"id": "#0"}), |path| json!({"id": "#0", "path": path}));
        let name = |what: &str| format!("{what} {path:?} of {earlier:?}");
        let (one, other) = (name("restore"), name("undo of restore"));
        let is_several = earlier.len() > 1;
        cases.push(CrashCase {
            name: one,
            tree,
            earlier: earlier.clone(),
            tool: "restore",
            args: args.clone(),
        });
        if is_several {
            earlier.push(("restore", args));
            cases.push(CrashCase { name: other, tree, earlier, tool: "undo", args: json!({}) });
        }
    }
    cases
}
