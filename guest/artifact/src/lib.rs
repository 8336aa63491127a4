//! The component as bytes: as WebAssembly, and compiled for this kind of machine.

pub mod engine;

/// `fsgate.wasm`: the tools as a component.
pub static COMPONENT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/fsgate.wasm"));

/// The same, compiled by the wasmtime of this build with [`engine::compiling`].
pub static PRECOMPILED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/fsgate.cwasm"));
