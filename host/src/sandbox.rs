//! The engine, the component and what it is given. `wasmtime-wasi` is used here, and in [`crate::filesystem`].
//!
//! The directories are opened once, when the sandbox is made; every instance shares those handles. Nothing is linked but
//! file systems, clocks, random numbers and a few variables, so a component that wants more does not even load.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use anyhow::Context;
use fsgate_artifact::{COMPONENT, PRECOMPILED, engine};
use wasmtime::component::{Component, HasData, Linker, ResourceTable};
use wasmtime::{Engine, Store, UpdateDeadline};
use wasmtime_wasi::WasiCtx;
use wasmtime_wasi::cli::{WasiCli, WasiCliCtx, WasiCliCtxView};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksCtx, WasiClocksCtxView};
use wasmtime_wasi::p2::bindings::{cli, clocks, random, sync};
use wasmtime_wasi::random::{WasiRandom, WasiRandomCtx};

use crate::bindings::{Typed, TypedPre};
use crate::cancel::{CancelToken, Clock, Current};
use crate::control_api::Manage;
use crate::filesystem::{self, Directories, Holder, Preopen, Unopened};
use crate::grant::{Access, Grant, StartError};
use crate::limits::{Deadline, Limits, MemoryMeter, NoRoom, Watch, Watchdog};
use crate::settings::Environment;
use crate::state::State as Journals;

/// How often the first memory of instances is made anew, and what is waited in between: the kernel itself waits a tenth of a second
/// for whoever holds a page.
const IMAGE_TRIES: usize = 10;
const IMAGE_PAUSE: Duration = Duration::from_millis(10);

/// How long a call that only reads may go on after its time: it looks at the clock more often than
/// that, unless it is at work on a long calculation, and its instance is lost when it is ended by force.
const GRACE: Duration = Duration::from_millis(50);

/// A component with its directories, ready to be instantiated.
#[derive(Clone)]
pub(crate) struct Sandbox {
    loaded: Arc<Loading>,
    directories: Directories,
    environment: Environment,
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
    directories: Directories,
    clocks: WasiClocksCtx,
    environment: WasiCliCtx,
    random: WasiRandomCtx,
    pub(crate) memory: MemoryMeter,
    deadline: Deadline,
    current: Current,
    /// The call that is under way may change something.
    changes: bool,
}

impl Instance {
    /// Begins a call. Both kinds of calls end by themselves when their time is over, at a place of
    /// their choice, and else by force: one that changes something after twice its time, one that
    /// only reads at once, also when it is cancelled.
    pub(crate) fn begin(&mut self, limits: &Limits, changes: bool, token: &CancelToken) {
        let state = self.store.data_mut();
        state.deadline = Deadline::after(forced_after(limits, changes));
        state.current.set(token);
        state.changes = changes;
    }
}

/// Time after which a call is ended by force. Nothing is lost with a call that only reads.
fn forced_after(limits: &Limits, changes: bool) -> Duration {
    if changes { limits.deadline.saturating_mul(2) } else { limits.deadline.saturating_add(GRACE) }
}

impl State {
    /// The time that the call under way was given until it was ended by force.
    pub(crate) fn given(&self, limits: &Limits) -> Duration {
        if self.changes { forced_after(limits, true) } else { limits.deadline }
    }
}

impl Sandbox {
    /// Opens the directories and loads the component: the built-in one, or another.
    pub(crate) fn new(
        grants: &[Grant],
        component: Option<&[u8]>,
        journals: Option<&Journals>,
        environment: Environment,
    ) -> Result<Self, StartError> {
        let directories = open(grants, journals.map_or(&[], |journals| &journals.preopens))?;
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
        Ok(Self { loaded, directories, environment })
    }

    /// The same component and the same session with other directories, and where their changes are written down.
    pub(crate) fn over(&self, grants: &[Grant], states: &[(String, PathBuf)]) -> Result<Self, StartError> {
        Ok(Self {
            loaded: self.loaded.clone(),
            directories: open(grants, states)?,
            environment: self.environment.clone(),
        })
    }

    /// A fresh instance with the same directories.
    pub(crate) fn instantiate(&self, limits: &Limits) -> wasmtime::Result<Instance> {
        let loaded = self.loaded()?;
        let current = Current::default();
        let mut context = WasiCtx::builder();
        context.envs(&self.environment).monotonic_clock(Clock::new(current.clone()));
        let mut context = context.build();
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles);
        let state = State {
            table,
            directories: self.directories.clone(),
            clocks: std::mem::take(context.clocks()),
            environment: std::mem::take(context.cli()),
            random: WasiRandomCtx::default(),
            memory: MemoryMeter::new(limits.memory),
            deadline: Deadline::after(forced_after(limits, false)),
            current,
            changes: false,
        };
        let mut store = Store::new(&loaded.engine, state);
        store.limiter(|state| &mut state.memory);
        store.set_max_component_handles(limits.handles);
        store.set_hostcall_fuel(limits.host_memory);
        // Each tick of the watchdog asks whether this call's time is over.
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|store| {
            let state = store.data();
            let is_unwanted = !state.changes && state.current.is_cancelled();
            Ok(if is_unwanted || state.deadline.is_over() {
                UpdateDeadline::Interrupt
            } else {
                UpdateDeadline::Continue(1)
            })
        });
        let raw = loaded
            .component
            .instance_pre()
            .instantiate(&mut store)
            .map_err(|error| if store.data().memory.exceeded { NoRoom.into() } else { error })?;
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
    make_image(&component);
    let ready = TypedPre::new(linker(&engine)?.instantiate_pre(&component)?)?;
    let manage = Manage::of(&component)?;
    let watchdog = Watchdog::start(engine.weak()).context("starting a thread")?;
    Ok(Loaded { engine, component: ready, manage, watchdog })
}

/// Makes the memory that instances begin with. The kernel refuses to seal it while something holds one of its pages, as its own
/// housekeeping may; a little later it does not.
fn make_image(component: &Component) {
    for _ in 0..IMAGE_TRIES {
        // If it cannot be made at all, the first call is told why.
        if component.initialize_copy_on_write_image().is_ok() {
            return;
        }
        std::thread::sleep(IMAGE_PAUSE);
    }
}

/// Opens the granted directories, the state directories, and the one that says what new things are like. Tools see the
/// granted ones only.
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
        .map_err(|Unopened { host, error }| StartError::Unusable { path: host, error })
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
    filesystem::add_to_linker(l)?;
    clocks::wall_clock::add_to_linker::<State, WasiClocks>(l, clocks_of)?;
    clocks::monotonic_clock::add_to_linker::<State, WasiClocks>(l, clocks_of)?;
    cli::environment::add_to_linker::<State, WasiCli>(l, environment_of)?;
    random::random::add_to_linker::<State, WasiRandom>(l, |state| &mut state.random)?;
    sync::io::poll::add_to_linker::<State, Table>(l, |state| &mut state.table)?;
    sync::io::streams::add_to_linker::<State, Table>(l, |state| &mut state.table)?;
    Ok(linker)
}

struct Table;

impl HasData for Table {
    type Data<'a> = &'a mut ResourceTable;
}

fn environment_of(state: &mut State) -> WasiCliCtxView<'_> {
    WasiCliCtxView { ctx: &mut state.environment, table: &mut state.table }
}

impl Holder for State {
    fn files(&mut self) -> (&mut ResourceTable, &mut Directories) {
        (&mut self.table, &mut self.directories)
    }
}

fn clocks_of(state: &mut State) -> WasiClocksCtxView<'_> {
    WasiClocksCtxView { ctx: &mut state.clocks, table: &mut state.table }
}
