//! The exports of a component, read from the binary.

use std::path::PathBuf;
use std::sync::LazyLock;

use fsgate_artifact::{COMPONENT, Kind};
use fsgate_corpus::case::AGENT;
use wit_component::DecodedWasm;
use wit_parser::{Function, Resolve, WorldItem};

use crate::program::{COMPILED, FLAT, kind};

/// The interface of the languages of other systems. Its functions are no operations.
pub(crate) const FRONT_ENDS: &str = "front-ends";

/// Every function that a component exports.
pub(crate) struct Exports {
    /// The compiled component.
    pub(crate) program: &'static LazyLock<PathBuf>,
    pub(crate) resolve: Resolve,
    pub(crate) functions: Vec<Export>,
}

/// An exported function.
pub(crate) struct Export {
    /// The name of its interface in kebab-case. It is empty for a function of the world itself.
    pub(crate) interface: String,
    /// The name by which `wasmtime run --invoke` finds it: `fsgate:tools/read.read@0.1.0`.
    pub(crate) name: String,
    /// Its parameters and its result.
    pub(crate) function: Function,
}

impl Exports {
    /// The exports of `fsgate.wasm`.
    pub(crate) fn new() -> Self {
        Self::of(COMPONENT, &COMPILED)
    }

    /// The exports of `fsgate-flat.wasm`.
    pub(crate) fn flat() -> Self {
        Self::of(&kind(Kind::Flat), &FLAT)
    }

    fn of(component: &[u8], program: &'static LazyLock<PathBuf>) -> Self {
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

    /// The function that lists the tools.
    pub(crate) fn tools(&self) -> &Export {
        self.find(|interface| interface == AGENT, "tools").expect("the component lists its tools")
    }

    /// A function by the name of its interface and its own name.
    pub(crate) fn find(&self, interface: impl Fn(&str) -> bool, name: &str) -> Option<&Export> {
        self.functions.iter().find(|export| interface(&export.interface) && export.function.name == name)
    }
}
