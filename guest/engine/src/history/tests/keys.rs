//! Tags of what may not be read for what it holds.

use serde_json::{Value, json};

use super::called;
use super::shared::Shared;
use super::steps::Who::{Agent, Person};
use super::steps::{ONE, filled, moved, of};
use fsgate_volume::memory::Item;

/// Contents are judged by what they are: of what may have been a key nothing is told, nor of what has its name.
#[test]
fn what_may_have_been_a_key_has_no_tag() {
    const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n";
    let anew = || (Agent, "create", json!({"path": "d/k", "content": "z", "parents": true}));
    let created = |content: &str| {
        vec![
            (Person, "create", json!({"path": "d/k", "content": content})),
            (Person, "append", json!({"path": "d/k", "content": "-----END PRIVATE KEY-----\n"})),
        ]
    };
    let cases = [
        vec![(Agent, "move", json!({"source": "d", "destination": "e", "recursive": true})), anew()],
        vec![(Agent, "delete_directory", json!({"path": "d", "recursive": true})), anew()],
        vec![(Agent, "delete", json!({"path": "d/k", "keep": false})), anew()],
        vec![moved(Agent, "d/k", "d/k2"), (Agent, "forget", json!({"id": "$3"})), anew()],
        vec![(Person, "write", json!({"path": "d/k", "content": "harmless"}))],
        vec![],
    ];
    for (content, case) in cases.iter().flat_map(|case| [(KEY, case), ("no key\n", case)]) {
        let shared = Shared::new();
        shared.disk.put("q/d", Item::Directory);
        let person = of(&shared, ONE, &json!({"profile": "open"}));
        let default = json!({"profile": "default"});
        let agent = of(&shared, ONE, &default);
        let (mut ids, mut tags) = (Vec::new(), Vec::new());
        for (who, tool, arguments) in created(content).iter().chain(case) {
            let session = if *who == Person { &person } else { &agent };
            let arguments = filled(tool, arguments, &ids);
            let outcome = called(session, tool, &arguments).unwrap_or_else(|error| panic!("{tool}: {error}"));
            ids.push(outcome["undo_id"].clone());
            tags.push(outcome["etag"].clone());
        }
        let log = called(&of(&shared, ONE, &default), "log", &json!({"any_session": true})).unwrap();
        let tells = |tag: &Value| log.to_string().contains(tag.as_str().unwrap());
        assert!(content != KEY || !tags[..2].iter().any(tells), "{case:?}: {log}");
        // What is there now tells what it was before its last change.
        let told = |entry: &Value| entry["etag"].is_string() || entry["etag_before"].is_string();
        let told: Vec<_> = log["entries"].as_array().unwrap().iter().rev().take(2).map(told).collect();
        assert_eq!(told, [false, content != KEY && case.is_empty()], "{case:?}: {log}");
    }
}
