//! The queries in the component, page by page.

use fsgate::Gate;
use serde_json::{Value, json};

use super::answers::{Found, Line};

/// The granted directory's name.
const ROOT: &str = "/w";

/// What `grep` finds.
pub(crate) fn grep(gate: &Gate, call: &Value, rules: bool, items: Option<u32>) -> Found {
    let mut found = Found::default();
    pages(gate, "grep", call, rules, items, |start, page| {
        let file = |file: &Value| (below(start, file["path"].as_str().unwrap()), file["count"].as_u64());
        found.files.extend(page["files"].as_array().into_iter().flatten().map(file));
        found.lines.extend(page["matches"].as_array().into_iter().flatten().map(|line| Line {
            path: below(start, line["path"].as_str().unwrap()),
            number: line["line"].as_u64().unwrap(),
            column: line["column"].as_u64().unwrap(),
            text: line["text"].as_str().unwrap().to_owned(),
            before: strings(&line["before"]).map(str::to_owned).collect(),
            after: strings(&line["after"]).map(str::to_owned).collect(),
        }));
    });
    found
}

/// What `glob` finds: paths below the start; directories end in `/`.
pub(crate) fn glob(gate: &Gate, call: &Value, rules: bool, items: Option<u32>) -> Vec<String> {
    let mut found = Vec::new();
    pages(gate, "glob", call, rules, items, |start, page| {
        found.extend(page["entries"].as_array().unwrap().iter().map(|entry| {
            let end = if entry["kind"] == "directory" { "/" } else { "" };
            format!("{}{end}", below(start, entry["path"].as_str().unwrap()))
        }));
    });
    found
}

/// Every page of an answer.
fn pages(
    gate: &Gate,
    tool: &str,
    call: &Value,
    rules: bool,
    items: Option<u32>,
    mut each: impl FnMut(&str, &Value),
) {
    let mut call = call.clone();
    let start =
        call.get("path").map_or_else(|| ROOT.to_owned(), |path| format!("{ROOT}/{}", path.as_str().unwrap()));
    call["respect_ignore"] = json!(rules);
    if let Some(items) = items {
        call["max_items"] = json!(items);
    }
    loop {
        let answer = gate.call(tool, &call.to_string());
        let answer = answer.unwrap_or_else(|error| panic!("{tool} {call}: {error}"));
        let page: Value = serde_json::from_str(&answer).unwrap();
        each(&start, &page);
        let Some(cursor) = page.get("next_cursor").filter(|cursor| !cursor.is_null()) else { break };
        call["cursor"] = cursor.clone();
    }
}

fn below(start: &str, path: &str) -> String {
    let below = path.strip_prefix(start).and_then(|path| path.strip_prefix('/'));
    below.unwrap_or_else(|| panic!("{path} is not below {start}")).to_owned()
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().map(|text| text.as_str().unwrap())
}
