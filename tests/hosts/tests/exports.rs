//! What the component exports, read from the binary.

use std::collections::BTreeSet;
use std::path::Path;

use fsgate_artifact::{COMPONENT, Kind};
use wit_component::DecodedWasm;
use wit_parser::{Function, Resolve, WorldItem};

use crate::program::{COMPILED, FLAT, kind};

/// Every function that a component exports.
pub(crate) struct Exports {
    /// The component, compiled.
    pub(crate) program: &'static Path,
    /// The types.
    pub(crate) resolve: Resolve,
    /// The functions.
    pub(crate) functions: Vec<Export>,
}

/// An exported function.
pub(crate) struct Export {
    /// Name of its interface in kebab-case; none of a function of the world itself.
    pub(crate) interface: String,
    /// The name by which `wasmtime run --invoke` finds it: `fsgate:tools/read.read@0.1.0`.
    pub(crate) name: String,
    /// What it takes and returns.
    pub(crate) function: Function,
}

impl Exports {
    /// Those of `fsgate.wasm`.
    pub(crate) fn new() -> Self {
        Self::of(COMPONENT, &COMPILED)
    }

    /// Those of `fsgate-flat.wasm`.
    pub(crate) fn flat() -> Self {
        Self::of(kind(Kind::Flat), &FLAT)
    }

    fn of(component: &[u8], program: &'static Path) -> Self {
        let DecodedWasm::Component(resolve, world) = wit_component::decode(component).unwrap() else {
            panic!("not a component");
        };
        let mut functions = Vec::new();
        for (key, item) in &resolve.worlds[world].exports {
            let name = resolve.name_world_key(key);
            let id = match item {
                WorldItem::Interface { id, .. } => id,
                WorldItem::Function(function) => {
                    functions.push(Export { interface: String::new(), name, function: function.clone() });
                    continue;
                }
                WorldItem::Type { .. } => panic!("the type `{name}` is exported"),
            };
            let (path, version) = name.split_once('@').unwrap();
            functions.extend(resolve.interfaces[*id].functions.values().map(|function| Export {
                interface: path.rsplit('/').next().unwrap_or_default().to_owned(),
                name: format!("{path}.{}@{version}", function.name),
                function: function.clone(),
            }));
        }
        assert!(!functions.is_empty(), "nothing is exported");
        Self { program, resolve, functions }
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
