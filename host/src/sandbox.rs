//! The engine, the component and its imports. Only this module and [`crate::filesystem`] use
//! `wasmtime-wasi`.
//!
//! The directories are opened once, and instances share the handles. The linker has file systems,
//! clocks, random numbers and a few variables: a component that imports more does not load.

mod code_in_place;

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use anyhow::Context;
use fsgate_artifact::engine;
use wasmtime::component::{Component, HasData, Linker, ResourceTable};
use wasmtime::{Engine, Store, UpdateDeadline};
use wasmtime_wasi::WasiCtx;
use wasmtime_wasi::cli::{WasiCli, WasiCliCtx, WasiCliCtxView};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksCtx, WasiClocksCtxView};
use wasmtime_wasi::p2::bindings::{cli, clocks, random, sync};
use wasmtime_wasi::random::{WasiRandom, WasiRandomCtx};

use crate::bindings::{Typed, TypedPre};
use crate::cancel::{CancelToken, Clock, Current};
use crate::control_api::ControlApi;
use crate::filesystem::{self, Directories, Holder, Preopen, Unopened};
use crate::grant::{Access, Grant, StartError, unusable};
use crate::limits::{Deadline, Limits, MemoryMeter, NoRoom, WatchGuard, Watchdog};
use crate::settings::Environment;
use crate::state::{ClosedFiles, State as Journals};

/// Tries for the initial memory image, and the pause between them. The kernel waits a tenth of a
/// second for a held page.
const IMAGE_TRIES: usize = 10;
const IMAGE_PAUSE: Duration = Duration::from_millis(10);

/// Extra time before a call without changes is ended by force, which costs its instance. Only long
/// computations do not check the clock more often.
const GRACE: Duration = Duration::from_millis(50);

#[derive(Clone)]
pub(crate) struct Sandbox {
    /// Another component than the built-in one.
    other: Option<Arc<Loaded>>,
    directories: Directories,
    environment: Environment,
}

/// The built-in component, loaded once for all gates of the process.
static BUILT_IN: LazyLock<anyhow::Result<Loaded>> = LazyLock::new(|| load(&code_in_place::component()?));

struct Loaded {
    engine: Engine,
    component: TypedPre<StoreState>,
    control_api: ControlApi,
    watchdog: Watchdog,
}

pub(crate) struct Instance {
    pub(crate) store: Store<StoreState>,
    pub(crate) exports: Typed,
    pub(crate) raw: wasmtime::component::Instance,
    pub(crate) control_api: ControlApi,
}

pub(crate) struct StoreState {
    table: ResourceTable,
    directories: Directories,
    clocks: WasiClocksCtx,
    environment: WasiCliCtx,
    random: WasiRandomCtx,
    pub(crate) memory: MemoryMeter,
    /// The forced end of a call that has changed nothing.
    deadline: Deadline,
    /// That of a call that has changed something, and may need its time to complete it.
    change_deadline: Deadline,
    current: Current,
}

impl Instance {
    /// Begins a call, which opens none of the closed files. Calls end by themselves when their time
    /// is over. By force, a call that has changed something ends after twice its time, any other at
    /// once, also when it is cancelled.
    pub(crate) fn begin(&mut self, limits: &Limits, token: &CancelToken, closed: ClosedFiles) {
        let state = self.store.data_mut();
        state.deadline = Deadline::after(limits.deadline.saturating_add(GRACE));
        state.change_deadline = Deadline::after(changed_after(limits));
        state.current.set(token);
        state.directories.begin(closed);
    }
}

fn changed_after(limits: &Limits) -> Duration {
    limits.deadline.saturating_mul(2)
}

impl StoreState {
    /// Whether the call may have changed something.
    pub(crate) fn has_changed(&self) -> bool {
        self.directories.have_changed()
    }

    /// The time until the forced end, for the error.
    pub(crate) fn given(&self, limits: &Limits) -> Duration {
        if self.has_changed() { changed_after(limits) } else { limits.deadline }
    }
}

impl Sandbox {
    pub(crate) fn new(
        grants: &[Grant],
        component: Option<&[u8]>,
        journals: Option<&Journals>,
        environment: Environment,
    ) -> Result<Self, StartError> {
        let directories = open(grants, journals.map_or(&[], |journals| &journals.preopens))?;
        let other = match component {
            Some(bytes) => Some(Arc::new(other(bytes).map_err(StartError::Component)?)),
            None => {
                // It loads without errors in some milliseconds, in a thread while a server lists
                // its tools. Without a thread, the first call does it.
                let load = || _ = LazyLock::force(&BUILT_IN);
                let _ = std::thread::Builder::new().name("fsgate-load".to_owned()).spawn(load);
                None
            }
        };
        Ok(Self { other, directories, environment })
    }

    /// The same component and session over other directories.
    pub(crate) fn over(&self, grants: &[Grant], states: &[(String, PathBuf)]) -> Result<Self, StartError> {
        Ok(Self {
            other: self.other.clone(),
            directories: open(grants, states)?,
            environment: self.environment.clone(),
        })
    }

    pub(crate) fn instantiate(&self, limits: &Limits) -> wasmtime::Result<Instance> {
        let loaded = self.loaded()?;
        let current = Current::default();
        let mut context = WasiCtx::builder();
        context.envs(&self.environment).monotonic_clock(Clock::new(current.clone()));
        let mut context = context.build();
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles);
        let state = StoreState {
            table,
            directories: self.directories.clone(),
            clocks: std::mem::take(context.clocks()),
            environment: std::mem::take(context.cli()),
            random: WasiRandomCtx::default(),
            memory: MemoryMeter::new(limits.memory),
            deadline: Deadline::after(limits.deadline.saturating_add(GRACE)),
            change_deadline: Deadline::after(changed_after(limits)),
            current,
        };
        let mut store = Store::new(&loaded.engine, state);
        store.limiter(|state| &mut state.memory);
        store.set_max_component_handles(limits.handles);
        store.set_hostcall_fuel(limits.host_memory);
        // Each tick of the watchdog checks the call's time.
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|store| {
            let state = store.data();
            let is_over = match state.has_changed() {
                true => state.change_deadline.is_over(),
                // Ending it loses nothing.
                false => state.deadline.is_over() || state.current.is_cancelled(),
            };
            Ok(if is_over { UpdateDeadline::Interrupt } else { UpdateDeadline::Continue(1) })
        });
        let raw = loaded
            .component
            .instance_pre()
            .instantiate(&mut store)
            .map_err(|error| if store.data().memory.exceeded { NoRoom.into() } else { error })?;
        let exports = Typed::new(&mut store, &raw)?;
        Ok(Instance { store, exports, raw, control_api: loaded.control_api.clone() })
    }

    pub(crate) fn watch(&self) -> wasmtime::Result<WatchGuard<'_>> {
        Ok(self.loaded()?.watchdog.watch())
    }

    fn loaded(&self) -> wasmtime::Result<&Loaded> {
        match &self.other {
            Some(other) => Ok(other),
            None => BUILT_IN.as_ref().map_err(|error| wasmtime::Error::msg(format!("{error:#}"))),
        }
    }
}

fn other(component: &[u8]) -> anyhow::Result<Loaded> {
    load(&Component::new(&Engine::new(&engine::loading())?, component)?)
}

fn load(component: &Component) -> anyhow::Result<Loaded> {
    let engine = component.engine().clone();
    make_image(component);
    let ready = TypedPre::new(linker(&engine)?.instantiate_pre(component)?)?;
    let control_api = ControlApi::of(component)?;
    let watchdog = Watchdog::start(engine.weak()).context("starting a thread")?;
    Ok(Loaded { engine, component: ready, control_api, watchdog })
}

/// Makes the initial memory of instances. The kernel refuses to seal it while one of its pages is
/// held, for example by its housekeeping, so this tries again.
fn make_image(component: &Component) {
    for _ in 0..IMAGE_TRIES {
        // The first call reports the error if all tries fail.
        if component.initialize_copy_on_write_image().is_ok() {
            return;
        }
        std::thread::sleep(IMAGE_PAUSE);
    }
}

/// Opens the grants, the state directories and the virtual directory for permissions. Tools see the
/// grants only.
fn open(grants: &[Grant], states: &[(String, PathBuf)]) -> Result<Directories, StartError> {
    let granted = grants.iter().map(|Grant { host, name, access }| Preopen {
        host,
        name,
        access: *access,
        is_state: false,
    });
    let states =
        states.iter().map(|(name, host)| Preopen { host, name, access: Access::Write, is_state: true });
    Directories::open(granted.chain(states))
        .map(Directories::with_likeness)
        .map_err(|Unopened { host, error }| unusable(&host, &error))
}

fn linker(engine: &Engine) -> wasmtime::Result<Linker<StoreState>> {
    let mut linker = Linker::new(engine);
    let l = &mut linker;
    filesystem::add_to_linker(l)?;
    clocks::wall_clock::add_to_linker::<StoreState, WasiClocks>(l, clocks_of)?;
    clocks::monotonic_clock::add_to_linker::<StoreState, WasiClocks>(l, clocks_of)?;
    cli::environment::add_to_linker::<StoreState, WasiCli>(l, environment_of)?;
    random::random::add_to_linker::<StoreState, WasiRandom>(l, |state| &mut state.random)?;
    sync::io::poll::add_to_linker::<StoreState, TableData>(l, |state| &mut state.table)?;
    sync::io::streams::add_to_linker::<StoreState, TableData>(l, |state| &mut state.table)?;
    Ok(linker)
}

struct TableData;

impl HasData for TableData {
    type Data<'a> = &'a mut ResourceTable;
}

fn environment_of(state: &mut StoreState) -> WasiCliCtxView<'_> {
    WasiCliCtxView { ctx: &mut state.environment, table: &mut state.table }
}

impl Holder for StoreState {
    fn files(&mut self) -> (&mut ResourceTable, &mut Directories) {
        (&mut self.table, &mut self.directories)
    }
}

fn clocks_of(state: &mut StoreState) -> WasiClocksCtxView<'_> {
    WasiClocksCtxView { ctx: &mut state.clocks, table: &mut state.table }
}
