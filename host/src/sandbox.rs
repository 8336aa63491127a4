//! The engine, the component and what it is given: the only user of `wasmtime-wasi`.
//!
//! The directories are opened once, when the sandbox is made; every instance shares those handles. Nothing is linked but
//! file systems, clocks and random numbers, so a component that wants more does not even load.

use std::sync::{Arc, LazyLock};

use anyhow::Context;
use fsgate_artifact::{COMPONENT, PRECOMPILED, engine};
use wasmtime::component::{Component, HasData, Linker, ResourceTable};
use wasmtime::{Engine, Store, UpdateDeadline};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksCtx, WasiClocksCtxView};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemCtx, WasiFilesystemCtxView};
use wasmtime_wasi::p2::bindings::{clocks, filesystem, random, sync};
use wasmtime_wasi::random::{WasiRandom, WasiRandomCtx};
use wasmtime_wasi::{FsPerms, WasiCtx};

use crate::bindings::{Typed, TypedPre};
use crate::grant::{Access, Grant, StartError};
use crate::limits::{Deadline, Limits, MemoryMeter, Watch, Watchdog};
use crate::manage::Manage;

/// A component with its directories, ready to be instantiated.
pub(crate) struct Sandbox {
    loaded: Arc<Loading>,
    directories: WasiFilesystemCtx,
}

/// A component that is being loaded, or was.
type Loading = LazyLock<anyhow::Result<Loaded>, Box<dyn FnOnce() -> anyhow::Result<Loaded> + Send>>;

struct Loaded {
    engine: Engine,
    component: TypedPre<State>,
    manage: Manage,
    watchdog: Watchdog,
}

/// An instance and its state.
pub(crate) struct Instance {
    pub(crate) store: Store<State>,
    pub(crate) exports: Typed,
    pub(crate) raw: wasmtime::component::Instance,
    pub(crate) manage: Manage,
}

/// What belongs to one instance.
pub(crate) struct State {
    table: ResourceTable,
    directories: WasiFilesystemCtx,
    clocks: WasiClocksCtx,
    random: WasiRandomCtx,
    pub(crate) memory: MemoryMeter,
    pub(crate) deadline: Deadline,
}

impl Sandbox {
    /// Opens the directories and loads the component: the built-in one, or another.
    pub(crate) fn new(grants: &[Grant], component: Option<&[u8]>) -> Result<Self, StartError> {
        let directories = open(grants)?;
        let loaded: Arc<Loading> = if let Some(bytes) = component {
            let loaded = load(|engine| Component::new(engine, bytes)).map_err(StartError::Component)?;
            Arc::new(LazyLock::new(Box::new(|| Ok(loaded))))
        } else {
            // What is part of this program loads. That takes milliseconds, in which a server can be asked for its tools;
            // without another thread it is done by the first call.
            let loading: Arc<Loading> = Arc::new(LazyLock::new(Box::new(|| load(built_in))));
            let shared = loading.clone();
            let _ = std::thread::Builder::new().name("fsgate-load".to_owned()).spawn(move || {
                LazyLock::force(&shared);
            });
            loading
        };
        Ok(Self { loaded, directories })
    }

    /// A fresh instance with the same directories.
    pub(crate) fn instantiate(&self, limits: &Limits) -> wasmtime::Result<Instance> {
        let loaded = self.loaded()?;
        let state = State {
            table: ResourceTable::new(),
            directories: self.directories.clone(),
            clocks: WasiClocksCtx::default(),
            random: WasiRandomCtx::default(),
            memory: MemoryMeter::new(limits.memory),
            deadline: Deadline::after(limits.deadline),
        };
        let mut store = Store::new(&loaded.engine, state);
        store.limiter(|state| &mut state.memory);
        // Each tick of the watchdog asks whether this call's time is over.
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|store| {
            Ok(if store.data().deadline.is_over() {
                UpdateDeadline::Interrupt
            } else {
                UpdateDeadline::Continue(1)
            })
        });
        let raw = loaded.component.instance_pre().instantiate(&mut store)?;
        let exports = Typed::new(&mut store, &raw)?;
        Ok(Instance { store, exports, raw, manage: loaded.manage.clone() })
    }

    /// Lets the clock run until the guard is dropped.
    pub(crate) fn watch(&self) -> wasmtime::Result<Watch<'_>> {
        Ok(self.loaded()?.watchdog.watch())
    }

    fn loaded(&self) -> wasmtime::Result<&Loaded> {
        self.loaded.as_ref().as_ref().map_err(|error| wasmtime::Error::msg(format!("{error:#}")))
    }
}

fn load(component: impl FnOnce(&Engine) -> wasmtime::Result<Component>) -> anyhow::Result<Loaded> {
    let engine = Engine::new(&engine::loading())?;
    let component = component(&engine)?;
    let ready = TypedPre::new(linker(&engine)?.instantiate_pre(&component)?)?;
    let manage = Manage::of(&component)?;
    let watchdog = Watchdog::start(engine.weak()).context("starting a thread")?;
    Ok(Loaded { engine, component: ready, manage, watchdog })
}

fn open(grants: &[Grant]) -> Result<WasiFilesystemCtx, StartError> {
    let mut context = WasiCtx::builder();
    // Before the directories, which remember it: else every call to the file system changes threads.
    context.allow_blocking_current_thread(true);
    for Grant { host, name, access } in grants {
        let permissions = match access {
            Access::Read => FsPerms::ReadOnly,
            Access::Write => FsPerms::ReadWrite,
        };
        context.preopened_dir(host, name, permissions).map_err(|error| StartError::Unusable {
            path: host.clone(),
            error: std::io::Error::other(error.to_string()),
        })?;
    }
    Ok(context.build().filesystem().clone())
}

/// The component of this build: the code that was compiled with it, or, on a machine that lacks some of the
/// instructions that were counted on, compiled anew.
fn built_in(engine: &Engine) -> wasmtime::Result<Component> {
    // SAFETY: these bytes were made by this build from the component, and are part of this program.
    unsafe { Component::deserialize(engine, PRECOMPILED) }.or_else(|_| Component::new(engine, COMPONENT))
}

fn linker(engine: &Engine) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    let l = &mut linker;
    sync::filesystem::types::add_to_linker::<State, WasiFilesystem>(l, directories)?;
    filesystem::preopens::add_to_linker::<State, WasiFilesystem>(l, directories)?;
    clocks::wall_clock::add_to_linker::<State, WasiClocks>(l, clocks_of)?;
    clocks::monotonic_clock::add_to_linker::<State, WasiClocks>(l, clocks_of)?;
    random::random::add_to_linker::<State, WasiRandom>(l, |state| &mut state.random)?;
    sync::io::poll::add_to_linker::<State, Table>(l, |state| &mut state.table)?;
    sync::io::streams::add_to_linker::<State, Table>(l, |state| &mut state.table)?;
    Ok(linker)
}

struct Table;

impl HasData for Table {
    type Data<'a> = &'a mut ResourceTable;
}

fn directories(state: &mut State) -> WasiFilesystemCtxView<'_> {
    WasiFilesystemCtxView { ctx: &mut state.directories, table: &mut state.table }
}

fn clocks_of(state: &mut State) -> WasiClocksCtxView<'_> {
    WasiClocksCtxView { ctx: &mut state.clocks, table: &mut state.table }
}
