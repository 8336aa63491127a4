//! The operations as functions of the world itself, each argument a parameter. For hosts that make a tool of every function that they find:
//! what is left out, null, is what an agent's call in JSON has for it.

use fsgate_contract as contract;
use fsgate_engine::tools;

use crate::wasi::session;

struct Component;

mod exports {
    use super::{Component, contract, session, tools};

    include!(concat!(env!("OUT_DIR"), "/flat.rs"));
}

crate::bindings::export!(Component with_types_in crate::bindings);
