//! The component `fsgate.wasm`: every interface of the contract.

#![cfg(target_family = "wasm")]

mod agent;
mod audit;
mod front_ends;
mod host;
mod lean_agent;

use fsgate_contract::for_each_operation_of;
use fsgate_wasi::{Preopen, export_operations};

fsgate_wasi::bindings!(
    "../../../wit",
    "fsgate",
    "fsgate:tools/edit-types@0.1.0": edit_types,
    "fsgate:tools/manage-types@0.1.0": manage_types,
    "fsgate:tools/history-types@0.1.0": history_types,
    "fsgate:tools/agent-types@0.1.0": agent_types,
    "fsgate:tools/front-ends-types@0.1.0": front_ends_types
);

struct Component;

fsgate_wasi::session!(Preopen, fsgate_wasi::open);
for_each_operation_of!(read, export_operations);
for_each_operation_of!(search, export_operations);
for_each_operation_of!(edit, export_operations);
for_each_operation_of!(manage, export_operations);
for_each_operation_of!(history, export_operations);

bindings::export!(Component with_types_in bindings);
