//! Bindings generated from `wit/`, with the types of the contract: no conversions.

#![expect(unreachable_pub, reason = "generated, and what generated code expects")]
#![expect(clippy::allow_attributes, reason = "which of the empty items are used changes with the contract")]

/// Interfaces of types import no functions, so the traits for generated code are empty.
macro_rules! types_only {
    ($($module:ident)*) => {
        $(#[allow(dead_code, reason = "see above")]
        pub mod $module {
            pub use fsgate_contract::$module::*;

            pub trait Host {}
            impl<T: ?Sized> Host for T {}

            pub trait HostWithStore<T>: wasmtime::component::HasData {}
            impl<T, D: wasmtime::component::HasData> HostWithStore<T> for D {}

            pub fn add_to_linker<T, D>(
                _: &mut wasmtime::component::Linker<T>,
                _: fn(&mut T) -> D::Data<'_>,
            ) -> wasmtime::Result<()>
            where
                T: 'static,
                D: HostWithStore<T>,
            {
                Ok(())
            }
        })*
    };
}

types_only! { agent_types edit_types history_types read_types search_types types }

wasmtime::component::bindgen!({
    path: "wit",
    // The world `fsgate` without `manage` and `front-ends`. The generator cannot write a function
    // called `move`, see `control_api.rs`. Front ends run before the gate, see `front_ends.rs`.
    inline: "
        package fsgate:host;
        world typed {
            export fsgate:tools/read@0.1.0;
            export fsgate:tools/search@0.1.0;
            export fsgate:tools/edit@0.1.0;
            export fsgate:tools/history@0.1.0;
            export fsgate:tools/agent@0.1.0;
            export fsgate:tools/audit@0.1.0;
        }
    ",
    world: "typed",
    with: {
        "fsgate:tools/types": types,
        "fsgate:tools/read-types": read_types,
        "fsgate:tools/search-types": search_types,
        "fsgate:tools/edit-types": edit_types,
        "fsgate:tools/history-types": history_types,
        "fsgate:tools/agent-types": agent_types,
    },
});
