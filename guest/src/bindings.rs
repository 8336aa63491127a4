//! Everything that is generated from `wit/` for this side. Types are the core's own, so nothing is converted.

/// The bindings of a world. Those types that every world has stand here; the others come behind its name.
macro_rules! world {
    ($path:tt, $world:tt $(, $types:tt: $module:ident)*) => {
        wit_bindgen::generate!({
            path: $path,
            world: $world,
            with: {
                "fsgate:tools/types@0.1.0": fsgate_contract::types,
                "fsgate:tools/read-types@0.1.0": fsgate_contract::read_types,
                "fsgate:tools/search-types@0.1.0": fsgate_contract::search_types,
                $($types: fsgate_contract::$module,)*
            },
        });
    };
}

#[cfg(feature = "tools")]
world!(
    "../wit",
    "fsgate",
    "fsgate:tools/edit-types@0.1.0": edit_types,
    "fsgate:tools/manage-types@0.1.0": manage_types,
    "fsgate:tools/history-types@0.1.0": history_types,
    "fsgate:tools/agent-types@0.1.0": agent_types,
    "fsgate:tools/front-ends-types@0.1.0": front_ends_types
);

#[cfg(feature = "reader")]
world!("../wit", "reader");

#[cfg(feature = "editor")]
world!(
    "../wit",
    "editor",
    "fsgate:tools/edit-types@0.1.0": edit_types,
    "fsgate:tools/manage-types@0.1.0": manage_types,
    "fsgate:tools/history-types@0.1.0": history_types
);

#[cfg(feature = "flat")]
world!(
    ["../wit", "../wit/flat"],
    "fsgate:flat/flat",
    "fsgate:tools/edit-types@0.1.0": edit_types,
    "fsgate:tools/manage-types@0.1.0": manage_types,
    "fsgate:tools/history-types@0.1.0": history_types
);
