//! What the component exports, read from the binary.

use std::collections::BTreeSet;

use fsgate_artifact::COMPONENT;
use wit_component::DecodedWasm;
use wit_parser::{Function, Resolve, WorldItem};

/// Every function that the component exports.
pub(crate) struct Exports {
    /// The types.
    pub(crate) resolve: Resolve,
    /// The functions.
    pub(crate) functions: Vec<Export>,
}

/// An exported function.
pub(crate) struct Export {
    /// Name of its interface in kebab-case.
    pub(crate) interface: String,
    /// The name by which `wasmtime run --invoke` finds it: `fsgate:tools/read.read@0.1.0`.
    pub(crate) name: String,
    /// What it takes and returns.
    pub(crate) function: Function,
}

impl Exports {
    /// Those of `fsgate.wasm`.
    pub(crate) fn new() -> Self {
        let DecodedWasm::Component(resolve, world) = wit_component::decode(COMPONENT).unwrap() else {
            panic!("not a component");
        };
        let mut functions = Vec::new();
        for (key, item) in &resolve.worlds[world].exports {
            let name = resolve.name_world_key(key);
            let WorldItem::Interface { id, .. } = item else { panic!("`{name}` is exported by itself") };
            let (path, version) = name.split_once('@').unwrap();
            functions.extend(resolve.interfaces[*id].functions.values().map(|function| Export {
                interface: path.rsplit('/').next().unwrap_or_default().to_owned(),
                name: format!("{path}.{}@{version}", function.name),
                function: function.clone(),
            }));
        }
        assert!(!functions.is_empty(), "nothing is exported");
        Self { resolve, functions }
    }

    /// A function by the name of its interface and its own.
    pub(crate) fn find(&self, interface: impl Fn(&str) -> bool, name: &str) -> Option<&Export> {
        self.functions.iter().find(|export| interface(&export.interface) && export.function.name == name)
    }
}

/// `--invoke 'read(…)'` finds a function by its own name only if no other interface has one of that name.
#[test]
fn functions_need_no_name_of_their_interface() {
    let exports = Exports::new();
    let names: BTreeSet<_> = exports.functions.iter().map(|export| &export.function.name).collect();
    assert_eq!(names.len(), exports.functions.len(), "{names:?}");
}
