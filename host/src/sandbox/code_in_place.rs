//! The code of the built-in component, which runs where the program file is mapped.
//!
//! A copy would cost each start some milliseconds and the memory of the whole code. In place, the
//! system reads only the pages that run, and all processes share them.

use fsgate_artifact::{COMPONENT, PRECOMPILED, engine};
use wasmtime::Engine;
use wasmtime::component::Component;

/// The built-in component: in place, else as a copy. It is compiled now if this machine lacks
/// instructions that the precompiled code uses.
pub(super) fn component() -> wasmtime::Result<Component> {
    #[cfg(target_os = "linux")]
    if let Ok(component) = linux::in_place() {
        return Ok(component);
    }
    let engine = Engine::new(&engine::loading())?;
    // SAFETY: this build made these bytes from the component, and they are part of this program.
    let copied = unsafe { Component::deserialize(&engine, PRECOMPILED) };
    copied.or_else(|_| Component::new(&engine, COMPONENT))
}

/// Other systems refuse to run data of a program file, or want it signed.
#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::c_void;
    use std::sync::Arc;

    use fsgate_artifact::{PRECOMPILED, engine};
    use rustix::mm::{MprotectFlags, mprotect};
    use wasmtime::component::Component;
    use wasmtime::{CustomCodeMemory, Engine};

    /// Fails where pages are larger than [`PAGE`]. To be called once in a process: two engines
    /// would register the same code for unwinding.
    pub(super) fn in_place() -> wasmtime::Result<Component> {
        let engine = Engine::new(engine::loading().with_custom_code_memory(Some(Arc::new(Publisher))))?;
        // SAFETY: this build made these bytes from the component. They are a static of this
        // program, so they outlive the engine, and no code writes to them.
        unsafe { Component::deserialize_raw(&engine, PRECOMPILED.into()) }
    }

    /// The alignment of the static code.
    const PAGE: usize = 4096;

    struct Publisher;

    impl CustomCodeMemory for Publisher {
        fn required_alignment(&self) -> usize {
            PAGE
        }

        fn publish_executable(&self, code: *const u8, length: usize) -> wasmtime::Result<()> {
            let flags = MprotectFlags::READ | MprotectFlags::EXEC;
            // SAFETY: the code is all in pages of its own, and no code writes to them.
            unsafe { mprotect(code.cast::<c_void>().cast_mut(), length, flags) }?;
            Ok(())
        }

        /// Leaves the code as it is: it is read-only in any case.
        fn unpublish_executable(&self, _: *const u8, _: usize) -> wasmtime::Result<()> {
            Ok(())
        }
    }
}
