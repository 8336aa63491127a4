//! Refusals that concern every call of a session, and dry runs: settings without meaning, and bytes
//! that are half written.

use serde_json::{Value, json};

use super::Session;
use fsgate_contract::agent_types::CallArgs;
use fsgate_contract::edit_types::{ApplyArgs, Edit};
use fsgate_contract::read_types::ReadArgs;
use fsgate_contract::types::Code;
use fsgate_contract::{OPERATIONS, Operations};
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

/// Calls in JSON name all of them before they come here; typed calls come here at once.
#[test]
fn a_typed_call_names_every_argument_out_of_its_range() {
    let session = Session::open_or_refuse(
        vec![Grant { name: "/w".to_owned(), volume: Memory::default(), access: Access::Write }],
        [("FSGATE_LOCK", "host")],
    );
    let edit = |occurrence| Edit {
        path: "a".to_owned(),
        old: Some("x".to_owned()),
        new: Some("y".to_owned()),
        occurrence: Some(occurrence),
        ..Edit::default()
    };
    let refused =
        session.apply(&ApplyArgs { edits: Some(vec![edit(0), edit(1), edit(0)]), ..ApplyArgs::default() });
    let refused = refused.unwrap_err();
    assert_eq!(refused.code, Code::InvalidArgument("edits[0].occurrence".to_owned()));
    assert_eq!(
        refused.message,
        "`edits[0].occurrence` is 0, and has to be between 1 and 4294967295; \
         `edits[2].occurrence` is 0, and has to be between 1 and 4294967295"
    );
    let args =
        ReadArgs { path: "a".to_owned(), last_lines: Some(0), max_bytes: Some(0), ..ReadArgs::default() };
    assert_eq!(
        session.read(&args).unwrap_err().message,
        "`last_lines` is 0, and has to be between 1 and 4294967295; \
         `max_bytes` is 0, and has to be between 1 and 1048576"
    );
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
