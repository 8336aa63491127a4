//! Tags of content that the policy of now denies.

use serde_json::{Value, json};

use super::called;
use super::shared::Shared;
use super::steps::{ONE, of, writable};
use fsgate_volume::memory::Item;

/// The operator sees the entries of a session with another policy. Content is judged by itself: an
/// entry has no tag if its file may have been a key, or if another file has its name now.
#[test]
fn what_may_have_been_a_key_has_no_tag() {
    const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n";
    let anew = || ("create", json!({"path": "d/k", "content": "z", "parents": true}));
    let created = |content: &str| {
        [
            ("create", json!({"path": "d/k", "content": content})),
            ("append", json!({"path": "d/k", "content": "-----END PRIVATE KEY-----\n"})),
        ]
    };
    let cases = [
        vec![("move", json!({"source": "d", "destination": "e", "recursive": true})), anew()],
        vec![("delete_directory", json!({"path": "d", "recursive": true})), anew()],
        vec![("delete", json!({"path": "d/k", "keep": false})), anew()],
        vec![("move", json!({"source": "d/k", "destination": "d/k2"})), anew()],
        vec![("write", json!({"path": "d/k", "content": "harmless"}))],
        vec![],
    ];
    for (content, case) in cases.iter().flat_map(|case| [(KEY, case), ("no key\n", case)]) {
        let shared = Shared::new();
        shared.disk.put("q/d", Item::Directory);
        let person = of(&shared, ONE, &json!({"profile": "open"}));
        let mut tags = Vec::new();
        for (tool, arguments) in created(content).iter().chain(case) {
            let outcome = called(&person, tool, arguments).unwrap_or_else(|error| panic!("{tool}: {error}"));
            tags.push(outcome["etag"].clone());
        }
        let operator = shared.operator(&writable(ONE), Some(r#"{"profile": "default"}"#));
        let log = called(&operator, "log", &json!({"any_session": true})).unwrap();
        let tells = |tag: &Value| log.to_string().contains(tag.as_str().unwrap());
        assert!(content != KEY || !tags[..2].iter().any(tells), "{case:?}: {log}");
        // The present content reveals the state before its last change.
        let told = |entry: &Value| entry["etag"].is_string() || entry["etag_before"].is_string();
        let told: Vec<_> = log["entries"].as_array().unwrap().iter().rev().take(2).map(told).collect();
        assert_eq!(told, [false, content != KEY && case.is_empty()], "{case:?}: {log}");
    }
}
