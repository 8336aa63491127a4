//! Everything that is generated from `wit/` for this side. Types are the core's own, so nothing is converted.

wit_bindgen::generate!({
    path: "../wit",
    world: "fsgate",
    with: {
        "fsgate:tools/types@0.1.0": fsgate_core::contract::types,
        "fsgate:tools/read-types@0.1.0": fsgate_core::contract::read_types,
        "fsgate:tools/search-types@0.1.0": fsgate_core::contract::search_types,
        "fsgate:tools/edit-types@0.1.0": fsgate_core::contract::edit_types,
        "fsgate:tools/manage-types@0.1.0": fsgate_core::contract::manage_types,
        "fsgate:tools/history-types@0.1.0": fsgate_core::contract::history_types,
        "fsgate:tools/agent-types@0.1.0": fsgate_core::contract::agent_types,
        "fsgate:tools/front-ends-types@0.1.0": fsgate_core::contract::front_ends_types,
    },
});
