//! The component `fsgate-reader.wasm`: reading and searching, without an import that changes
//! anything.

#![cfg(target_family = "wasm")]

use fsgate_contract::for_each_operation_of;
use fsgate_wasi::{Preopen, export_operations};

fsgate_wasi::bindings!("../../../wit", "reader");

struct Component;

fsgate_wasi::session!(Preopen<false>, fsgate_wasi::open);
for_each_operation_of!(read, export_operations);
for_each_operation_of!(search, export_operations);

bindings::export!(Component with_types_in bindings);
