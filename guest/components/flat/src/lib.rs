//! The component `fsgate-flat.wasm`: the operations as functions of the world itself, each argument a
//! parameter.
//!
//! It is for hosts that make a tool of every function. An argument that is left out has the value
//! that a call in JSON has for it.

#![cfg(target_family = "wasm")]
#![expect(clippy::too_many_arguments, reason = "every field of the arguments is a parameter")]

use fsgate_contract as contract;
use fsgate_wasi::Preopen;

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));

struct Component;

fsgate_wasi::session!(Preopen, fsgate_wasi::open);

mod exports {
    use super::{Component, contract, session};

    include!(concat!(env!("OUT_DIR"), "/flat.rs"));
}

bindings::export!(Component with_types_in bindings);
