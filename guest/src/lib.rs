//! The components: the core's tools over the directories that a host hands in.
//!
//! Each feature is a component. `tools` is `fsgate.wasm`, and `reader` and `editor` are the same with fewer interfaces:
//! [`component`] has one line per operation, [`bindings`] is the only place where bindings of our contract are generated. `flat` is
//! `fsgate-flat.wasm`: the operations as functions of the world itself, made by the generator. `act` is
//! `fsgate-act.wasm`: the operations behind the interface of the host ACT. `command` is `fsgate-command.wasm`: the command line.
//! `laws` is a component for tests: it tries the laws that every volume keeps to, and what a host has to refuse. [`wasi`] is
//! the only caller of `wasi:filesystem` for all of them but for those trials. Built for `wasm32-unknown-unknown`; on any other
//! target this crate is empty.

#![cfg(target_family = "wasm")]

#[cfg(not(any(
    feature = "tools",
    feature = "reader",
    feature = "editor",
    feature = "flat",
    feature = "act",
    feature = "command",
    feature = "laws"
)))]
compile_error!(
    "say which component it is to be: feature `tools`, `reader`, `editor`, `flat`, `act`, `command` or `laws`"
);

#[cfg(feature = "act")]
mod act;
#[cfg(any(feature = "tools", feature = "reader", feature = "editor", feature = "flat"))]
#[cfg_attr(
    feature = "flat",
    expect(clippy::too_many_arguments, reason = "every field of the arguments is a parameter")
)]
mod bindings;
#[cfg(feature = "command")]
mod command;
#[cfg(any(feature = "tools", feature = "reader", feature = "editor"))]
mod component;
#[cfg(feature = "flat")]
mod flat;
#[cfg(feature = "laws")]
mod laws;
#[cfg(feature = "command")]
mod streams;
#[cfg(feature = "laws")]
mod trials;
mod wasi;
