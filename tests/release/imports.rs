//! The released component: its imports, read from the binary, its size, and the paths in it.

use std::env;
use std::path::{Path, PathBuf};

use fsgate_artifact::{COMPONENT, Kind};
use wit_component::DecodedWasm;
use wit_parser::WorldItem;

/// The imports that the tools may have. No network, no process, no standard streams.
const ALLOWED: &[&str] =
    &["wasi:filesystem/", "wasi:io/", "wasi:clocks/", "wasi:random/", "wasi:cli/environment@"];

/// The largest size in bytes of each kind, a little above its present size. Features and tables of
/// a new crate show here first. The profile `guest` sets the optimisation of each part.
const CEILINGS: [(Kind, usize); 6] = [
    (Kind::Tools, 5_344_000),
    (Kind::Command, 5_228_000),
    (Kind::Reader, 2_720_000),
    (Kind::Editor, 4_058_000),
    (Kind::Flat, 4_063_000),
    (Kind::Act, 4_302_000),
];

/// Without the feature `kinds` a build has the first two.
#[test]
fn the_components_stay_small() {
    assert_eq!(CEILINGS.map(|(kind, _)| kind), Kind::ALL);
    let built = CEILINGS.iter().filter_map(|(kind, ceiling)| Some((kind, ceiling, kind.bytes()?)));
    let built: Vec<_> = built.collect();
    assert_eq!(built.len(), if cfg!(feature = "kinds") { CEILINGS.len() } else { 2 });
    let too_large = built.iter().filter_map(|(kind, ceiling, component)| {
        let (name, bytes) = (kind.name(), component.len());
        let excess = bytes.checked_sub(**ceiling).filter(|excess| *excess > 0)?;
        Some(format!("{name}: {bytes} bytes, {excess} too many"))
    });
    let too_large: Vec<_> = too_large.collect();
    assert!(too_large.is_empty(), "{}", too_large.join("\n"));
}

#[test]
fn no_path_of_the_machine_that_builds_the_components_is_in_them() {
    let cargo = env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.unwrap_or_else(|| env::home_dir().unwrap().join(".cargo"));
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    for component in Kind::ALL.iter().filter_map(|kind| kind.bytes()) {
        let text = String::from_utf8_lossy(&component);
        for path in [&cargo, repository, target] {
            let path = path.to_str().unwrap();
            assert!(!text.contains(&format!("{path}/")), "{path} stands in it");
        }
        // Places of sources do stand in it, by names that are the same everywhere.
        assert!(text.contains("/cargo/registry/src/"));
    }
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
    let expected =
        ["read", "search", "edit", "manage", "history", "agent", "lean-agent", "audit", "host", "front-ends"]
            .map(|name| format!("fsgate:tools/{name}@0.1.0"));
    assert_eq!(exports, expected);
}
