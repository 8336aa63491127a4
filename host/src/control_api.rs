//! Typed calls of the interface `manage`, by the names of its functions.
//!
//! wasmtime's generator uses function names as field names, and `move` is a keyword of Rust. So
//! this module looks functions up at runtime, and each call checks the types.

use fsgate_contract::Arguments;
use fsgate_contract::types::Error;
use wasmtime::component::{Component, ComponentExportIndex, ComponentType, Lift, Lower};
use wasmtime::{Result, format_err};

use crate::sandbox::Instance;

const INTERFACE: &str = "fsgate:tools/manage@0.1.0";

#[derive(Clone)]
pub(crate) struct ControlApi(ComponentExportIndex);

impl ControlApi {
    /// Fails for a component without the interface.
    pub(crate) fn of(component: &Component) -> Result<Self> {
        let missing = || format_err!("no exported instance named `{INTERFACE}`");
        component.get_export_index(None, INTERFACE).map(Self).ok_or_else(missing)
    }

    pub(crate) fn call<A>(
        &self,
        instance: &mut Instance,
        args: &A,
    ) -> Result<std::result::Result<A::Outcome, Error>>
    where
        A: Arguments + ComponentType + Lower,
        A::Outcome: ComponentType + Lift + 'static,
    {
        let name = A::OPERATION.replace('_', "-");
        let Instance { store, raw, .. } = instance;
        let function = raw
            .get_export_index(&mut *store, Some(&self.0), &name)
            .and_then(|index| raw.get_func(&mut *store, index))
            .ok_or_else(|| format_err!("no exported function named `{name}` in `{INTERFACE}`"))?;
        let function = function.typed::<(&A,), (std::result::Result<A::Outcome, Error>,)>(&mut *store)?;
        function.call(&mut *store, (args,)).map(|(answer,)| answer)
    }
}
