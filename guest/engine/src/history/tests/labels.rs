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
