//! The component `fsgate-reader.wasm`: reading and searching. It imports no function that changes
//! anything.

#![cfg(target_family = "wasm")]

use fsgate_contract::for_each_operation_of;
use fsgate_wasi::{Preopen, export_operations};

mod bindings {
    //! Everything that is generated from `wit/`. The types are those of the contract, so nothing is
    //! converted.

    wit_bindgen::generate!({
        path: "../../../wit",
        world: "reader",
        with: {
            "fsgate:tools/types@0.1.0": fsgate_contract::types,
            "fsgate:tools/read-types@0.1.0": fsgate_contract::read_types,
            "fsgate:tools/search-types@0.1.0": fsgate_contract::search_types,
        },
    });
}

struct Component;

fsgate_wasi::session!(Preopen<false>, fsgate_wasi::open);
for_each_operation_of!(read, export_operations);
for_each_operation_of!(search, export_operations);

bindings::export!(Component with_types_in bindings);
