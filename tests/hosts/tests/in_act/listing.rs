//! The list of tools in the program `act`, its data about the component, and its command line.

use std::fs;

use fsgate_artifact::Kind;
use fsgate_contract::agent_types::Annotations;
use serde_json::{Value, json};

use crate::act::component::{act, act_build};
use crate::act::session::Session;
use crate::program::{finished, kind, text, written};

#[test]
fn act_lists_every_operation_as_the_catalogue_has_it() {
    let home = tempfile::tempdir().unwrap();
    let component = written("act-listing.wasm", &kind(Kind::Act));
    let mut session = Session::start(&component, &[], home.path()).unwrap();
    let listed = session.request("tools/list", &json!({})).unwrap();
    let expected = fsgate_contract::catalogue().into_iter().map(|tool| {
        let Annotations { read_only, destructive, idempotent } = tool.annotations;
        json!({
            "name": tool.name,
            "description": tool.description,
            "inputSchema": tool.input_schema.parse::<Value>().unwrap(),
            "annotations":
                { "readOnlyHint": read_only, "destructiveHint": destructive, "idempotentHint": idempotent },
        })
    });
    assert_eq!(listed["tools"], Value::Array(expected.collect()));
}

#[test]
fn what_the_component_says_of_itself_is_valid() {
    let home = tempfile::tempdir().unwrap();
    let component = written("act-valid.wasm", &kind(Kind::Act));
    let mut validate = act_build(home.path());
    validate.arg("validate").arg(&component);
    let output = finished(validate).unwrap();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let mut info = act(home.path());
    info.args(["info", "--format", "json"]).arg(&component);
    let info: Value = serde_json::from_slice(&finished(info).unwrap().stdout).unwrap();
    let printed = info.to_string();
    for expected in ["fsgate-act", env!("CARGO_PKG_VERSION"), "wasi:filesystem"] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
}

#[test]
fn the_command_line_of_act_calls_operations() {
    let home = tempfile::tempdir().unwrap();
    let component = written("act-call.wasm", &kind(Kind::Act));
    let w = home.path().join("w").canonicalize().unwrap_or_else(|_| home.path().join("w"));
    fs::create_dir(&w).unwrap();
    fs::write(w.join("a.txt"), "one\n").unwrap();
    let file = w.join("a.txt").display().to_string();
    let (read_write, read_only) = (format!("fs={}/**", w.display()), format!("fs={}/**:ro", w.display()));
    for (tool, arguments, grant, expected) in [
        ("read", json!({ "path": file }), &read_only, Ok(r#""content":"one\n""#)),
        ("replace", json!({ "path": file, "old": "one", "new": "1" }), &read_only, Err("read_only")),
        ("replace", json!({ "path": file, "old": "two", "new": "1" }), &read_write, Err("no_match")),
        (
            "replace",
            json!({ "path": file, "old": "one", "new": "1" }),
            &read_write,
            Ok(r#""replacements":1"#),
        ),
    ] {
        let mut call = act(home.path());
        call.args(["call", "--no-audit", "--allow", grant, "--args", &arguments.to_string()]);
        let output = finished({
            call.arg(&component).arg(tool);
            call
        })
        .unwrap();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        match expected {
            Ok(part) => assert!(output.status.success() && out.contains(part), "{tool}: {out}{err}"),
            Err(part) => {
                assert!(
                    !output.status.success() && format!("{out}{err}").contains(part),
                    "{tool}: {out}{err}"
                );
            }
        }
    }
    assert_eq!(fs::read_to_string(w.join("a.txt")).unwrap(), "1\n");
}
