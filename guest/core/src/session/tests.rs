//! What a host has said that means nothing: nobody can be told at the start, so every call is.

use serde_json::Value;

use super::Session;
use crate::contract::OPERATIONS;
use crate::contract::agent_types::CallArgs;
use crate::namespace::Grant;
use crate::volume::Access;
use crate::volume::memory::Memory;

#[test]
fn what_means_nothing_refuses_every_call() {
    for (name, value) in [
        ("FSGATE_POLICY", "{"),
        ("FSGATE_POLICY", r#"{"profil": "strict"}"#),
        ("FSGATE_POLICY", r#"{"rules": [{"name": "x", "paths": ["["], "effect": "denied"}]}"#),
        ("FSGATE_DURABILITY", "forever"),
        ("FSGATE_SESSION", "mine"),
        ("FSGATE_HISTORY_BYTES", "-1"),
    ] {
        let volume = Memory::default();
        let before = volume.snapshot();
        let grant = Grant { name: "/w".to_owned(), volume: volume.clone(), access: Access::Write };
        let session = Session::open_or_refuse(vec![grant], [(name, value)]);
        for operation in OPERATIONS {
            for example in operation.examples {
                let args = CallArgs { tool: operation.name.to_owned(), arguments: (*example).to_owned() };
                let refused = crate::agent::call(&session, &args).unwrap_err();
                let error: Value = serde_json::from_str(&refused.error).unwrap();
                assert_eq!(error["code"], "unsupported", "{name}={value}, {}: {error}", operation.name);
                assert!(error["message"].as_str().unwrap().contains(name), "{error}");
            }
        }
        assert_eq!(volume.snapshot(), before, "{name}={value}");
    }
}
