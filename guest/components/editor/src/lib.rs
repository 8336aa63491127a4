//! The component `fsgate-editor.wasm`: typed interfaces without JSON and front ends.

#![cfg(target_family = "wasm")]

use fsgate_contract::for_each_operation_of;
use fsgate_wasi::{Preopen, export_operations};

fsgate_wasi::bindings!(
    "../../../wit",
    "editor",
    "fsgate:tools/edit-types@0.1.0": edit_types,
    "fsgate:tools/manage-types@0.1.0": manage_types,
    "fsgate:tools/history-types@0.1.0": history_types
);

struct Component;

fsgate_wasi::session!(Preopen, fsgate_wasi::open);
for_each_operation_of!(read, export_operations);
for_each_operation_of!(search, export_operations);
for_each_operation_of!(edit, export_operations);
for_each_operation_of!(manage, export_operations);
for_each_operation_of!(history, export_operations);

bindings::export!(Component with_types_in bindings);
