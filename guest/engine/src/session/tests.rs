//! Settings of the host that mean nothing, which refuse every call; and dry runs.

use serde_json::{Value, json};

use super::Session;
use fsgate_contract::OPERATIONS;
use fsgate_contract::agent_types::CallArgs;
use fsgate_volume::Access;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{Item, Memory};

#[test]
fn what_means_nothing_refuses_every_call() {
    for (name, value) in [
        ("FSGATE_POLICY", "{"),
        ("FSGATE_POLICY", r#"{"profil": "strict"}"#),
        ("FSGATE_POLICY", r#"{"rules": [{"name": "x", "paths": ["["], "effect": "denied"}]}"#),
        ("FSGATE_DURABILITY", "forever"),
        ("FSGATE_SESSION", "mine"),
        ("FSGATE_HISTORY_BYTES", "-1"),
        ("FSGATE_POLICY_ROOTS", r#"["/home/me/w"]"#),
        ("FSGATE_POLICY_PATHS", r#"{"/work": ["/home/me/w"]}"#),
    ] {
        is_refused("/w", (name, value), "unsupported", name);
    }
}

#[test]
fn a_name_that_is_fsgates_own_refuses_every_call() {
    for name in ["/.fsgate-settings", "/.FSGATE", ".fsgate-setting/x"] {
        is_refused(name, ("FSGATE_POLICY", "{}"), "not_granted", name);
    }
}

/// Every call over a grant of this name, with this variable, is refused with this code, and the message says this.
fn is_refused(grant: &str, variable: (&str, &str), code: &str, said: &str) {
    let volume = Memory::default();
    let before = volume.snapshot();
    let preopen = Grant { name: grant.to_owned(), volume: volume.clone(), access: Access::Write };
    let session = Session::open_or_refuse(vec![preopen], [variable]);
    for operation in OPERATIONS {
        for example in operation.examples {
            let args = CallArgs { tool: operation.name.to_owned(), arguments: (*example).to_owned() };
            let refused = crate::agent::call(&session, &args).unwrap_err();
            let error: Value = serde_json::from_str(&refused.error).unwrap();
            assert_eq!(error["code"], code, "{grant}, {variable:?}, {}: {error}", operation.name);
            assert!(error["message"].as_str().unwrap().contains(said), "{error}");
        }
    }
    assert_eq!(volume.snapshot(), before, "{grant}, {variable:?}");
}

#[test]
fn a_dry_run_of_copy_is_refused_where_the_call_would_be() {
    let (kernel, volume) = (Memory::default(), Memory::default());
    kernel.put("d/f", Item::File(b"made up".to_vec()));
    kernel.hide_sizes();
    volume.put("old", Item::File(b"old".to_vec()));
    let grant =
        |name: &str, volume: &Memory, access| Grant { name: name.to_owned(), volume: volume.clone(), access };
    let grants = vec![grant("/w", &volume, Access::Write), grant("/k", &kernel, Access::Read)];
    let session = Session::new(grants).unwrap();
    let before = volume.snapshot();
    for mut arguments in [
        json!({"source": "/k/d/f", "destination": "new"}),
        json!({"source": "/k/d/f", "destination": "old", "overwrite": true}),
        json!({"source": "/k/d", "destination": "new", "glob": "*"}),
        json!({"source": "/k", "destination": "new", "recursive": true}),
    ] {
        for dry_run in [true, false] {
            arguments["dry_run"] = dry_run.into();
            let args = CallArgs { tool: "copy".to_owned(), arguments: arguments.to_string() };
            let refused = crate::agent::call(&session, &args).unwrap_err();
            let error: Value = serde_json::from_str(&refused.error).unwrap();
            assert_eq!(error["code"], "unsupported", "{arguments}: {error}");
            assert_eq!(volume.snapshot(), before, "{arguments}");
        }
    }
}
