//! The component `fsgate-flat.wasm`: the operations as functions of the world itself, each argument a
//! parameter.
//!
//! It is for hosts that make a tool of every function. An argument that is left out has the value
//! that a call in JSON has for it.

#![cfg(target_family = "wasm")]
#![expect(clippy::too_many_arguments, reason = "every field of the arguments is a parameter")]

use fsgate_contract as contract;
use fsgate_engine::tools;
use fsgate_wasi::Preopen;

mod bindings {
    //! Everything that is generated from `wit/`. The types are those of the contract, so nothing is
    //! converted.

    wit_bindgen::generate!({
        path: ["../../../wit", "../../../wit/flat"],
        world: "fsgate:flat/flat",
        with: {
            "fsgate:tools/types@0.1.0": fsgate_contract::types,
            "fsgate:tools/read-types@0.1.0": fsgate_contract::read_types,
            "fsgate:tools/search-types@0.1.0": fsgate_contract::search_types,
            "fsgate:tools/edit-types@0.1.0": fsgate_contract::edit_types,
            "fsgate:tools/manage-types@0.1.0": fsgate_contract::manage_types,
            "fsgate:tools/history-types@0.1.0": fsgate_contract::history_types,
        },
    });
}

struct Component;

fsgate_wasi::session!(Preopen, fsgate_wasi::open);

mod exports {
    use super::{Component, contract, session, tools};

    include!(concat!(env!("OUT_DIR"), "/flat.rs"));
}

bindings::export!(Component with_types_in bindings);
