//! The component `fsgate-flat.wasm`: the operations as the world's functions, each argument a
//! parameter.
//!
//! Some hosts make a tool of every function. An absent argument has JSON's default.

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
