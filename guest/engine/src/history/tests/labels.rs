//! Checkpoints.

use serde_json::json;

use super::World;

#[test]
fn a_label_that_is_an_id_would_be_in_the_place_of_an_entry() {
    let world = World::new(false);
    let first = world.call("write", &json!({"path": "a", "content": "new\n"})).unwrap();
    let refused = world.call("checkpoint", &json!({"label": first["undo_id"]})).unwrap_err();
    assert_eq!(refused["code"], "invalid_argument");
}

#[test]
fn the_beginning_of_several_ids_names_none() {
    let world = World::new(false);
    let ids = ["new\n", "newer\n"].map(|content| {
        let written = world.call("write", &json!({"path": "a", "content": content})).unwrap();
        written["undo_id"].as_str().unwrap().to_owned()
    });
    // The clock of a volume in memory hardly moves.
    let common = &ids[0][..12];
    for (tool, field) in [("undo", "id"), ("undo", "to"), ("redo", "id"), ("restore", "id"), ("forget", "id")]
    {
        let refused = world.call(tool, &json!({field: common})).unwrap_err();
        assert_eq!(
            (&refused["code"], &refused["field"]),
            (&json!("invalid_argument"), &json!(field)),
            "{tool}"
        );
        let message = refused["message"].as_str().unwrap();
        assert!(ids.iter().all(|id| message.contains(id)), "{message}");
        let too_few = world.call(tool, &json!({field: &common[..5]})).unwrap_err();
        let code = if field == "to" { "unknown_id" } else { "invalid_argument" };
        assert_eq!(too_few["code"], code, "{tool} {field}: {too_few}");
    }
    // A label precedes the beginning of an id.
    world.call("checkpoint", &json!({"label": common})).unwrap();
    world.call("append", &json!({"path": "a", "content": "newest\n"})).unwrap();
    let undone = world.call("undo", &json!({"to": common})).unwrap();
    assert_eq!(undone["undone"].as_array().unwrap().len(), 1, "{undone}");
}
