//! The components as WebAssembly, and the tools also compiled for this kind of machine.

// The build script packs it.
#[doc(hidden)]
pub mod archive;
pub mod engine;
mod kind;
// For the build script, and for tests that make other components.
#[doc(hidden)]
pub mod sections;

pub use kind::Kind;

/// `fsgate.wasm`: the tools as a component.
pub static COMPONENT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/fsgate.wasm"));

/// The same, compiled by the wasmtime of this build with [`engine::compiling`].
pub static PRECOMPILED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/fsgate.cwasm"));

/// A component of the laws of volumes for two directories. It exports `check`, without the tools.
#[cfg(feature = "laws")]
pub static LAWS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/laws.wasm"));
