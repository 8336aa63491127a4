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

/// The same, compiled by the wasmtime of this build with [`engine::compiling`]. It starts at a
/// page, so that a host can run it where it is.
pub static PRECOMPILED: &[u8] = &PageAligned(*include_bytes!(concat!(env!("OUT_DIR"), "/fsgate.cwasm"))).0;

/// Bytes that start at a page on systems with pages of 4 KiB.
#[repr(C, align(4096))]
struct PageAligned<const N: usize>([u8; N]);

/// A component of the laws of volumes for two directories. It exports `check`, without the tools.
#[cfg(feature = "laws")]
pub static LAWS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/laws.wasm"));
