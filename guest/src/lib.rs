//! The component: the core's tools over the directories that a host hands in.
//!
//! [`wasi`] is the only caller of `wasi:filesystem`, [`bindings`] the only place where bindings are
//! generated, [`component`] has one line per operation. Built for `wasm32-unknown-unknown`; on any other target this
//! crate is empty.

#![cfg(target_family = "wasm")]

mod bindings;
mod component;
mod wasi;
