//! Refusals that concern every call of a session, and dry runs: settings without meaning, and bytes
//! that are half written.

use serde_json::{Value, json};

use super::Session;
use fsgate_contract::OPERATIONS;
use fsgate_contract::agent_types::CallArgs;
use fsgate_journal::state::control::Control;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{Item, Memory};
use fsgate_volume::{Access, Volume};

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

/// A change that cannot be completed, because the state directory cannot be written, is no sign of
/// another session.
#[test]
fn reading_beside_a_half_written_file_says_what_is_left() {
    let (volume, state) = (Memory::default(), Memory::default());
    let preopen = |name: &str, volume: &Memory| Grant {
        name: name.to_owned(),
        volume: volume.clone(),
        access: Access::Write,
    };
    let preopens = vec![preopen("/w", &volume), preopen("/.fsgate", &state)];
    let session = Session::open_or_refuse(preopens, [("FSGATE_LOCK", "host")]);
    let called = |tool: &str, arguments: &str| {
        let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
        crate::agent::call(&session, &args).map_err(|refused| refused.error)
    };
    called("create", r#"{"path": "a", "content": "x"}"#).unwrap();
    let Some(Item::File(control)) = state.snapshot().remove("control") else { panic!("no control") };
    let now = Control::parse(&control).unwrap();
    let (at, slot) = Control { turn: now.turn + 1, sequence: now.sequence + 1, ..now }.slot();
    let file = state.open_file(&state.root(), "control", Access::Write).unwrap();
    state.write_at(&file, at, &slot).unwrap();
    let error: Value = serde_json::from_str(&called("read", r#"{"path": "a"}"#).unwrap_err()).unwrap();
    assert_eq!(error["code"], "busy", "{error}");
    assert!(error["message"].as_str().unwrap().contains("half changed"), "{error}");
}
