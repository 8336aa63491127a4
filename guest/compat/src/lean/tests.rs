use serde_json::{Map, Value, json};

use fsgate_contract::LEAN;

use super::{BEHIND, behind, find, lower};

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other}"),
    }
}

/// The operation and its arguments, or the sentence of the refusal.
fn lowered(tool: &str, given: Value) -> Result<(&'static str, Value), String> {
    match lower(find(tool).unwrap(), object(given)) {
        Ok((operation, arguments)) => Ok((operation.name, Value::Object(arguments))),
        Err(reason) => Err(fsgate_error::Failure::from(reason).into_error(tool).message),
    }
}

#[test]
fn a_call_of_a_tool_is_a_call_of_one_operation() {
    let shown = json!({"include_hidden": false, "respect_ignore": true});
    let with = |more: Value| {
        let mut all = object(shown.clone());
        all.extend(object(more));
        Value::Object(all)
    };
    for (tool, given, operation, expected) in [
        ("read", json!({"path": "a"}), "read", json!({"path": "a"})),
        ("read", json!({"path": "a", "lines": "4"}), "read_numbered", json!({"path": "a", "lines": "4"})),
        (
            "read",
            json!({"path": "a", "lines": "4-9", "numbers": false}),
            "read",
            json!({"path": "a", "skip_lines": 3, "max_lines": 6}),
        ),
        ("read", json!({"path": "a", "lines": "4-"}), "read", json!({"path": "a", "skip_lines": 3})),
        ("read", json!({"path": "a", "lines": "-20"}), "read", json!({"path": "a", "last_lines": 20})),
        ("read", json!({"path": "a", "lines": "4-9"}), "read_numbered", json!({"path": "a", "lines": "4-9"})),
        (
            "read",
            json!({"path": "a", "section": "f"}),
            "read_numbered",
            json!({"path": "a", "section": ["f"]}),
        ),
        // Arguments of the operation behind it go through.
        ("read", json!({"path": "a", "encoding": "x"}), "read", json!({"path": "a", "encoding": "x"})),
        ("list", json!({}), "list_directory", with(json!({"path": "."}))),
        (
            "list",
            json!({"path": "d", "limit": 3}),
            "list_directory",
            with(json!({"path": "d", "max_items": 3})),
        ),
        ("list", json!({"depth": 2}), "tree", with(json!({"path": ".", "max_depth": 2}))),
        (
            "list",
            json!({"depth": 9, "sort": "size", "limit": 5}),
            "list_directory",
            with(json!({"path": ".", "recursive": true, "max_depth": 9, "sort": "size", "max_items": 5})),
        ),
        (
            "list",
            json!({"all": true}),
            "list_directory",
            json!({"path": ".", "include_hidden": true, "respect_ignore": false}),
        ),
        ("glob", json!({"pattern": "*"}), "glob", with(json!({"pattern": "*"}))),
        ("grep", json!({"pattern": "a+"}), "grep", with(json!({"pattern": "a+", "regex": true}))),
        (
            "grep",
            json!({"pattern": "a", "path": "b", "section": "f"}),
            "grep",
            with(json!({"pattern": "a", "regex": true, "path": "b", "section": ["f"]})),
        ),
        (
            "grep",
            json!({"pattern": "a", "literal": true, "glob": "*.rs", "context": 2, "ignore_case": true}),
            "grep",
            with(json!({
                "pattern": "a", "regex": false, "include": ["*.rs"], "before": 2, "after": 2, "ignore_case": true,
            })),
        ),
        (
            "grep",
            json!({"pattern": "a", "glob": ["*.rs", "!tests/**"]}),
            "grep",
            with(json!({"pattern": "a", "regex": true, "include": ["*.rs"], "exclude": ["tests/**"]})),
        ),
        (
            "grep",
            json!({"pattern": "a", "glob": "!*.md"}),
            "grep",
            with(json!({"pattern": "a", "regex": true, "exclude": ["*.md"]})),
        ),
        ("write", json!({"path": "a", "content": ""}), "write", json!({"path": "a", "content": ""})),
        (
            "write",
            json!({"path": "a", "content": "x", "mode": "create"}),
            "create",
            json!({"path": "a", "content": "x"}),
        ),
        (
            "write",
            json!({"path": "a", "content": "x", "mode": "append", "separator": "\n"}),
            "append",
            json!({"path": "a", "content": "x", "separator": "\n"}),
        ),
        (
            "edit",
            json!({"path": "a", "old": "x", "new": "y"}),
            "replace",
            json!({"path": "a", "old": "x", "new": "y"}),
        ),
        (
            "edit",
            json!({"path": "a", "old": "x", "new": "y", "section": ["f"], "dry_run": true}),
            "replace",
            json!({"path": "a", "old": "x", "new": "y", "section": ["f"], "dry_run": true, "diff": true}),
        ),
        (
            "edit",
            json!({"path": "a", "old": "x", "new": "y\n", "at": "before"}),
            "replace",
            json!({"path": "a", "old": "x", "new": "y\nx"}),
        ),
        (
            "edit",
            json!({"path": "a", "old": "x", "new": "y", "at": "after"}),
            "replace",
            json!({"path": "a", "old": "x", "new": "xy"}),
        ),
        (
            "edit",
            json!({"path": "a", "old": "x", "new": "y", "all": true}),
            "replace_all",
            json!({"path": "a", "old": "x", "new": "y", "regex": false}),
        ),
        (
            "edit",
            json!({"path": "a", "old": "x+", "new": "y", "regex": true}),
            "replace_all",
            json!({"path": "a", "old": "x+", "new": "y", "regex": true, "count": 1}),
        ),
        (
            "edit",
            json!({"path": "a", "lines": "4-9", "new": "y"}),
            "replace_lines",
            json!({"path": "a", "lines": "4-9", "content": "y"}),
        ),
        (
            "edit",
            json!({"path": "a", "lines": "4", "new": "y", "at": "before"}),
            "insert_lines",
            json!({"path": "a", "after": 3, "content": "y"}),
        ),
        (
            "edit",
            json!({"path": "a", "lines": "4-9", "new": "y", "at": "after"}),
            "insert_lines",
            json!({"path": "a", "after": 9, "content": "y"}),
        ),
        (
            "edit",
            json!({"path": "a", "section": "f", "new": "y"}),
            "replace_lines",
            json!({"path": "a", "section": ["f"], "content": "y"}),
        ),
        (
            "edit",
            json!({"path": "a", "section": ["f"], "new": "y", "at": "before"}),
            "insert_lines",
            json!({"path": "a", "section": ["f"], "before": true, "content": "y"}),
        ),
        (
            "edit",
            json!({"path": "d", "old": "x", "new": "y", "all": true, "glob": "*.rs", "dry_run": true}),
            "replace_in_files",
            json!({
                "path": "d", "old": "x", "new": "y", "all": true, "glob": "*.rs", "regex": false, "dry_run": true,
                "diff": true,
            }),
        ),
        (
            "edit",
            json!({"path": "a", "old": "a.b", "new": "$1", "word": true}),
            "replace_all",
            json!({
                "path": "a", "old": r"\b{start-half}(?:a\.b)\b{end-half}", "new": "$$1", "regex": true, "count": 1,
            }),
        ),
        (
            "edit",
            json!({"path": "a", "old": "(a)b", "new": "$1", "regex": true, "ignore_case": true, "all": true}),
            "replace_all",
            json!({"path": "a", "old": "(?i)(a)b", "new": "$1", "regex": true}),
        ),
        ("read", json!({"path": "a", "outline": true}), "outline", json!({"path": "a"})),
        (
            "read",
            json!({"path": "a", "outline": true, "section": "f"}),
            "outline",
            json!({"path": "a", "section": ["f"]}),
        ),
        ("apply", json!({"patch": "p"}), "apply", json!({"patch": "p"})),
        (
            "file",
            json!({"op": "move", "path": "a", "to": "b"}),
            "move",
            json!({"source": "a", "destination": "b", "recursive": true}),
        ),
        (
            "file",
            json!({"op": "copy", "path": "a", "to": "b", "glob": "*"}),
            "copy",
            json!({"source": "a", "destination": "b", "glob": "*"}),
        ),
        ("file", json!({"op": "mkdir", "path": "a"}), "create_directory", json!({"path": "a"})),
        ("delete", json!({"path": "a"}), "delete", json!({"path": "a"})),
        ("delete", json!({"path": "a", "glob": "*"}), "delete", json!({"path": "a", "glob": "*"})),
        (
            "delete",
            json!({"path": "a", "recursive": "true"}),
            "delete_directory",
            json!({"path": "a", "recursive": true}),
        ),
        ("undo", json!({}), "undo", json!({})),
        ("undo", json!({"id": "1"}), "undo", json!({"id": ["1"], "any_session": true})),
        ("undo", json!({"list": true, "path": "a"}), "log", json!({"path": "a"})),
    ] {
        assert!(behind(tool).any(|behind| behind.name == operation), "{tool}: {operation}");
        let mut expected = expected;
        if ["edit", "apply"].contains(&tool) {
            expected["diff"] = json!(true);
        }
        assert_eq!(lowered(tool, given.clone()), Ok((operation, expected)), "{tool} {given}");
    }
}

#[test]
fn a_call_that_means_nothing_is_refused_in_the_tools_words() {
    for (tool, given, expected) in [
        ("read", json!({}), "`path` is missing"),
        ("read", json!({"path": "a", "liens": "1"}), "there is no argument `liens`"),
        ("read", json!({"path": "a", "lines": "0"}), "`lines` has to be a line (\"40\")"),
        ("read", json!({"path": "a", "lines": "9-4"}), "`lines` has to be a line (\"40\")"),
        ("read", json!({"path": "a", "lines": "-"}), "`lines` has to be a line (\"40\")"),
        (
            "read",
            json!({"path": "a", "lines": "-5", "numbers": true}),
            "or, without `numbers`, the last lines",
        ),
        ("edit", json!({"path": "a", "new": "x"}), "`old` is missing"),
        ("edit", json!({"path": "a", "new": "x", "old": "y", "lines": "1"}), "`old` and `lines` exclude"),
        (
            "edit",
            json!({"path": "a", "new": "x", "lines": "1", "all": true}),
            "`all` has a meaning only with `old`",
        ),
        (
            "edit",
            json!({"path": "a", "new": "x", "section": ["f"], "lines": "1"}),
            "`section` and `lines` exclude",
        ),
        (
            "edit",
            json!({"path": "a", "new": "x", "section": ["f"], "word": true}),
            "`word` has a meaning only with `old`",
        ),
        (
            "edit",
            json!({"path": "a", "new": "x", "old": "y", "glob": "*"}),
            "`glob` has a meaning only with `all`",
        ),
        (
            "edit",
            json!({"path": "a", "new": "x", "old": "y", "glob": "*", "all": true, "section": "f"}),
            "`glob` and `section` exclude",
        ),
        ("read", json!({"path": "a", "outline": true, "lines": "1"}), "`outline` and `lines` exclude"),
        (
            "edit",
            json!({"path": "a", "new": "x", "old": "y", "at": "after", "word": true}),
            "`at` and `word` exclude",
        ),
        (
            "edit",
            json!({"path": "a", "new": "x", "old": "y", "at": "after", "regex": true}),
            "`at` and `regex` exclude",
        ),
        ("file", json!({"op": "move", "path": "a"}), "`to` is missing"),
        ("file", json!({"op": "rename", "path": "a"}), "`op` has to be \"move\" or \"copy\" or \"mkdir\""),
        ("file", json!({"op": "mkdir", "path": "a", "to": "b"}), "`to` has a meaning only with"),
        ("delete", json!({"path": "a", "glob": "*", "recursive": true}), "`glob` and `recursive` exclude"),
        ("delete", json!({"path": "a", "glob": ""}), "`glob` is empty"),
        ("read", json!({"path": "a", "section": []}), "`section` is empty"),
        ("undo", json!({"id": "1", "list": true}), "`id` has a meaning only with"),
    ] {
        let refused = lowered(tool, given.clone()).unwrap_err();
        assert!(refused.contains(expected), "{tool} {given}: {refused}");
    }
}

#[test]
fn every_tool_stands_for_operations_that_exist() {
    for tool in LEAN {
        let (_, names) = BEHIND.iter().find(|(name, _)| *name == tool.name).unwrap();
        assert_eq!(behind(tool.name).count(), names.len(), "{}: {names:?}", tool.name);
        assert_eq!(tool.read_only, behind(tool.name).all(|operation| operation.read_only), "{}", tool.name);
        assert!(tool.fields.iter().all(|field| !field.description.is_empty()), "{}", tool.name);
    }
}
