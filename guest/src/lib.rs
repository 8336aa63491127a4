//! The components: the core's tools over the directories that a host hands in.
//!
//! With the feature `tools` it is `fsgate.wasm`: [`component`] has one line per operation, [`bindings`] is the only
//! place where bindings are generated. With the feature `command` it is `fsgate-command.wasm`: [`command`] is the command
//! line. With the feature `laws` it is a component for tests: it tries the laws that every volume keeps to, and
//! what a host has to refuse. [`wasi`] is the only caller of `wasi:filesystem` for all of them but for those trials. Built
//! for `wasm32-unknown-unknown`; on any other target this crate is empty.

#![cfg(target_family = "wasm")]

#[cfg(not(any(feature = "tools", feature = "command", feature = "laws")))]
compile_error!("say which component it is to be: feature `tools`, `command` or `laws`");

#[cfg(feature = "tools")]
mod bindings;
#[cfg(feature = "command")]
mod command;
#[cfg(feature = "tools")]
mod component;
#[cfg(feature = "laws")]
mod laws;
#[cfg(feature = "command")]
mod streams;
#[cfg(feature = "laws")]
mod trials;
mod wasi;
