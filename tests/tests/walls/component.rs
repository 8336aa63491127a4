//! The component for tests, in this host and in one that is not ours.

use std::path::Path;

use fsgate::Access;
use fsgate::filesystem::{self, Directories, Holder, Preopen};
use fsgate_artifact::LAWS;
use wasmtime::component::{ComponentNamedList, Instance, Lift, Linker, Lower, ResourceTable};
use wasmtime::{Engine, Store};
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxView, WasiView};

/// Who answers the calls to the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Host {
    /// The host of a gate.
    Ours,
    /// wasmtime, as it is.
    Stock,
}

impl Host {
    pub(crate) const ALL: [Self; 2] = [Self::Ours, Self::Stock];
}

/// The component for tests over some directories, which are named `0`, `1` and so on.
pub(crate) struct Component {
    store: Store<State>,
    instance: Instance,
}

struct State {
    wasi: WasiCtx,
    table: ResourceTable,
    directories: Directories,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl Holder for State {
    fn files(&mut self) -> (&mut ResourceTable, &mut Directories) {
        (&mut self.table, &mut self.directories)
    }
}

impl Component {
    pub(crate) fn new(host: Host, directories: &[(&Path, Access)]) -> Self {
        let engine = Engine::default();
        let component = wasmtime::component::Component::new(&engine, LAWS).unwrap();
        let mut linker = Linker::<State>::new(&engine);
        wasmtime_wasi::p2::add_to_linker_sync(&mut linker).unwrap();
        let mut wasi = WasiCtx::builder();
        let mut ours = Directories::default();
        match host {
            Host::Ours => {
                filesystem::add_to_linker(linker.allow_shadowing(true)).unwrap();
                let names: Vec<_> = (0..directories.len()).map(|number| number.to_string()).collect();
                let preopens = directories.iter().zip(&names);
                let preopens =
                    preopens.map(|(&(host, access), name)| Preopen { host, name, access, is_state: false });
                ours = Directories::open(preopens).unwrap();
            }
            Host::Stock => {
                for (number, (host, access)) in directories.iter().enumerate() {
                    let permissions = match access {
                        Access::Read => FsPerms::ReadOnly,
                        Access::Write => FsPerms::ReadWrite,
                    };
                    wasi.preopened_dir(host, number.to_string(), permissions).unwrap();
                }
            }
        }
        let state = State { wasi: wasi.build(), table: ResourceTable::new(), directories: ours };
        let mut store = Store::new(&engine, state);
        let instance = linker.instantiate(&mut store, &component).unwrap();
        Self { store, instance }
    }

    /// Calls an export.
    pub(crate) fn call<P, R>(&mut self, export: &str, parameters: P) -> R
    where
        P: ComponentNamedList + Lower,
        R: ComponentNamedList + Lift + 'static,
    {
        self.try_call(export, parameters).unwrap()
    }

    /// The same of a call that the host may end.
    pub(crate) fn try_call<P, R>(&mut self, export: &str, parameters: P) -> wasmtime::Result<R>
    where
        P: ComponentNamedList + Lower,
        R: ComponentNamedList + Lift + 'static,
    {
        let function = self.instance.get_typed_func::<P, R>(&mut self.store, export)?;
        function.call(&mut self.store, parameters)
    }

    /// How many things it may hold.
    pub(crate) fn bound(&mut self, handles: usize) {
        self.store.data_mut().table.set_max_capacity(handles);
    }
}
