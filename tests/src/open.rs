//! A gate whose state is nobody else's: no test writes to the home of whoever runs it.

use std::ops::Deref;

use fsgate::{Gate, GateBuilder};
use tempfile::TempDir;

/// A gate and its state root, which is removed when it is dropped.
pub struct Opened {
    gate: Gate,
    state: TempDir,
}

impl Opened {
    /// Opens it.
    pub fn new(builder: GateBuilder) -> anyhow::Result<Self> {
        let state = tempfile::tempdir()?;
        Ok(Self { gate: builder.state_root(state.path()).build()?, state })
    }

    /// Where its state is.
    pub fn state_root(&self) -> &std::path::Path {
        self.state.path()
    }
}

impl Deref for Opened {
    type Target = Gate;

    fn deref(&self) -> &Gate {
        &self.gate
    }
}
