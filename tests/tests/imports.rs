//! What the component asks of its host, read from the binary, and its size.

use fsgate_artifact::COMPONENT;
use wit_component::DecodedWasm;
use wit_parser::WorldItem;

/// All that the tools may ask for. No network, no process, no standard streams.
const ALLOWED: &[&str] =
    &["wasi:filesystem/", "wasi:io/", "wasi:clocks/", "wasi:random/", "wasi:cli/environment@"];

/// What the component may weigh, in bytes: a little more than it does. Features and tables of a new crate show here first;
/// the profile `guest` says what is made small.
const CEILING: usize = 4_100_000;

#[test]
fn the_component_stays_small() {
    let bytes = COMPONENT.len();
    assert!(bytes <= CEILING, "{bytes} bytes, {} more than it may have", bytes - CEILING);
}

#[test]
fn the_component_imports_file_systems_clocks_and_random_numbers_only() {
    let DecodedWasm::Component(resolve, world) = wit_component::decode(COMPONENT).unwrap() else {
        panic!("not a component");
    };
    let world = &resolve.worlds[world];
    let mut functions = 0;
    for (key, item) in &world.imports {
        let name = resolve.name_world_key(key);
        let WorldItem::Interface { id, .. } = item else { panic!("`{name}` is imported by itself") };
        let types_only = resolve.interfaces[*id].functions.is_empty();
        functions += resolve.interfaces[*id].functions.len();
        let own_types = name.starts_with("fsgate:tools/") && types_only;
        assert!(own_types || ALLOWED.iter().any(|allowed| name.starts_with(allowed)), "`{name}` is imported");
    }
    assert!(functions > 0, "nothing is imported at all: was this the component?");
    let exports: Vec<_> = world.exports.keys().map(|key| resolve.name_world_key(key)).collect();
    let expected = ["read", "search", "edit", "manage", "history", "agent", "audit", "front-ends"]
        .map(|name| format!("fsgate:tools/{name}@0.1.0"));
    assert_eq!(exports, expected);
}
