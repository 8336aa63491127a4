//! Runs `tests/cases/workflow`: every block of a case, comparing the last result.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::{STATE, run, session};
use crate::InJson;
use crate::testing::from_outside;
use crate::testing::front_end::FrontEndCase;
use crate::workflow::catalogue::TOOLS;
use crate::workflow::scan::blocks;
use fsgate_volume::memory::{Item, Memory};

fn cases() -> Vec<FrontEndCase> {
    FrontEndCase::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/workflow")).unwrap()
}

fn tree(text: &str) -> Memory {
    let volume = Memory::default();
    volume.put("project", Item::Directory);
    volume.put("templates", Item::Directory);
    for line in text.lines() {
        let (kind, rest) = line.split_once(' ').unwrap();
        let (path, content) = rest.split_once(' ').unwrap_or((rest, ""));
        let item = match kind {
            "file" => Item::File(serde_json::from_str::<String>(content).unwrap().into_bytes()),
            "bytes" => Item::File(bytes(content)),
            "repeated" => {
                let (times, text) = content.split_once(' ').unwrap();
                let text: String = serde_json::from_str(text).unwrap();
                Item::File(text.repeat(times.parse().unwrap()).into_bytes())
            }
            "directory" => Item::Directory,
            "link" => Item::Link(content.strip_prefix("-> ").unwrap().to_owned()),
            _ => panic!("no item: {line}"),
        };
        volume.put(path, item);
    }
    volume
}

fn granted(volume: &Memory) -> BTreeMap<String, Item> {
    let all = volume.snapshot().into_iter();
    all.filter(|(path, _)| path.split('/').next() != Some(STATE)).collect()
}

/// JSON strings and hex digits in a row.
fn bytes(mut text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    while !text.trim().is_empty() {
        text = text.trim_start();
        if text.starts_with('"') {
            let mut strings = serde_json::Deserializer::from_str(text).into_iter::<String>();
            out.extend_from_slice(strings.next().unwrap().unwrap().as_bytes());
            text = &text[strings.byte_offset()..];
        } else {
            let (digits, rest) = text.split_once(' ').unwrap_or((text, ""));
            out.push(u8::from_str_radix(digits, 16).unwrap());
            text = rest;
        }
    }
    out
}

/// Whether a value is the expected one; of an error only the expected fields count.
fn is_as(value: &Value, expected: &Value, is_error: bool) -> bool {
    let is_hex =
        |text: &str, digits| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_time = |text: &str| text.ends_with('Z') && text.contains('T');
    match (value, expected) {
        (_, Value::String(wanted)) if wanted == "$any" => true,
        (Value::Null, Value::String(wanted)) if wanted == "$moment" => true,
        (Value::String(text), Value::String(wanted)) => match &wanted[..] {
            "$time" | "$moment" => is_time(text),
            "$sha256" => is_hex(text, 64),
            "$history" => text.strip_prefix("history:").is_some_and(|id| is_hex(id, 32)),
            wanted => text == wanted,
        },
        (Value::Array(items), Value::Array(wanted)) => {
            items.len() == wanted.len()
                && items.iter().zip(wanted).all(|(item, wanted)| is_as(item, wanted, false))
        }
        (Value::Object(fields), Value::Object(wanted)) => {
            (is_error || fields.len() == wanted.len())
                && wanted.iter().all(|(name, wanted)| {
                    fields.get(name).is_some_and(|value| is_as(value, wanted, name == "error"))
                })
        }
        _ => value == expected,
    }
}

#[test]
fn the_last_result_is_what_each_case_expects() {
    let cases = cases();
    assert!(cases.len() > 50);
    let mut failed = Vec::new();
    for (case, in_json) in cases.iter().flat_map(|case| [(case, false), (case, true)]) {
        let name = case.title();
        let known = ["before", "policy", "variables", "workflow", "json", "after"];
        assert!(case.blocks().all(|block| known.contains(&block)), "{name}");
        let volume = tree(case.lines("before").unwrap_or_default());
        let session = session(&volume, case.lines("policy").unwrap_or(r#"{"profile": "workflow"}"#));
        let variables: BTreeMap<String, String> =
            case.lines("variables").map(|text| serde_json::from_str(text).unwrap()).unwrap_or_default();
        let variables: Vec<_> = variables.iter().map(|(name, value)| (&name[..], &value[..])).collect();
        let text = case.lines("workflow").unwrap_or_else(|| panic!("{name} has no text"));
        let (output, _) = match in_json {
            false => run(&session, text, &variables),
            true => run(&InJson::over(&from_outside(&session)), text, &variables),
        };
        let expected: Value = serde_json::from_str(case.lines("json").unwrap()).unwrap();
        let results = output["results"].as_array().unwrap();
        let last = results.last().unwrap_or_else(|| panic!("{name}: {output}"));
        let is_refused = last["result"]["success"] == false;
        if last["success"] == is_refused || !is_as(&last["result"], &expected, false) {
            failed.push(format!("{name}, in JSON: {in_json}: {last}\nand not {expected}"));
        }
        if let Some(after) = case.lines("after")
            && granted(&volume) != granted(&tree(after))
        {
            failed.push(format!("{name}, in JSON: {in_json}: left {:?}", granted(&volume)));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn every_tool_has_a_case_and_stands_on_the_page() {
    let cases = cases();
    let tried: BTreeSet<_> = cases
        .iter()
        .flat_map(|case| {
            blocks(case.lines("workflow").unwrap_or_default())
                .into_iter()
                .map(|block| block.tool.to_owned())
                .collect::<Vec<_>>()
        })
        .collect();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/workflow.md");
    let page = std::fs::read_to_string(page).unwrap();
    for tool in TOOLS {
        assert!(tried.contains(tool.name) && page.contains(&format!("`{}`", tool.name)), "{}", tool.name);
        for parameter in tool.parameters {
            assert!(page.contains(&format!("`{}`", parameter.name)), "{} {}", tool.name, parameter.name);
        }
    }
}
