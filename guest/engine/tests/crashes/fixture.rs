//! Trees, calls that change them, and the conditions after a crash.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use fsgate_contract::agent_types::CallArgs;
use fsgate_contract::id::Id;
use fsgate_engine::agent;
use fsgate_engine::session::Session;
use fsgate_journal::state::control::Control;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{Directory, Item, Memory};
use fsgate_volume::{Abilities, Access, Fault, Volume};
use serde_json::{Value, json};

use super::cases::CrashCase;
use super::disk::Disk;
use super::volume::{FaultPlan, Faulty, Machine};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// On the grants' file system: deleted objects are moved there.
    Same,
    /// On another one: deleted objects are copied there.
    Other,
    /// The same, with a host that gives no reason.
    Dumb,
    /// Without links.
    NoLinks,
    /// A state directory for each grant, the second grant on another file system.
    Two,
    /// On the same file system, with few bytes in each read and write.
    Slow,
}

pub(crate) const LAYOUTS: [Layout; 6] =
    [Layout::Same, Layout::Other, Layout::Dumb, Layout::NoLinks, Layout::Two, Layout::Slow];

/// A file of another process, where no case has any.
pub(crate) const THEIRS: &str = "/v/theirs";

pub(crate) type Snapshot = BTreeMap<String, Item>;

pub(crate) struct Fixture {
    pub(crate) machine: Rc<Machine>,
    pub(crate) disks: Vec<Memory>,
    pub(crate) layout: Layout,
    pub(crate) durability: &'static str,
    grants: Vec<(&'static str, Memory)>,
    states: Vec<(&'static str, Memory)>,
    /// The ids of the calls before a case; null for a refused one.
    ids: RefCell<Vec<Value>>,
    /// The disks that can lose power.
    power: Vec<Rc<Disk>>,
}

impl Fixture {
    pub(crate) fn new(layout: Layout, tree: &[(&str, &str)]) -> Self {
        let (one, two) = (Memory::default(), Memory::default());
        let machine = Rc::new(Machine::default());
        let mut second = one.at("v");
        let mut states = vec![("/.fsgate", one.at("state"))];
        let mut first = one.at("w");
        match layout {
            Layout::Same => {}
            Layout::Slow => machine.at_once(Some(5)),
            Layout::Other | Layout::Dumb => states = vec![("/.fsgate", two.at("state"))],
            Layout::NoLinks => {
                let no = Abilities { links: false, ..Memory::ABILITIES };
                first = first.with_abilities(no);
                second = second.with_abilities(no);
                states[0].1 = states[0].1.with_abilities(no);
            }
            Layout::Two => {
                second = two.at("v");
                states = vec![("/.fsgate/w", one.at("state")), ("/.fsgate/v", two.at("state"))];
            }
        }
        if layout == Layout::Dumb {
            machine.be_dumb();
        }
        for (path, content) in tree {
            let (grant, path) = path.split_at(1);
            let volume = if grant == "v" { &second } else { &first };
            let path = path.trim_start_matches('/');
            let item = match content.strip_prefix("-> ") {
                Some(target) => Item::Link(target.to_owned()),
                None if path.ends_with('/') => Item::Directory,
                None => Item::File(content.as_bytes().to_vec()),
            };
            volume.put(path.trim_end_matches('/'), item);
        }
        Self {
            machine,
            disks: vec![one, two],
            layout,
            durability: "process",
            grants: vec![("/w", first), ("/v", second)],
            states,
            ids: RefCell::default(),
            power: Vec::new(),
        }
    }

    /// The power can go, and changes have to survive that.
    pub(crate) fn with_power(mut self, seed: u64) -> Self {
        self.durability = "power";
        self.power = self.disks.iter().map(|disk| Rc::new(Disk::new(disk, seed))).collect();
        self
    }

    pub(crate) fn crash(&self) {
        self.power.iter().for_each(|disk| disk.crash());
    }

    fn disk(&self, name: &str) -> Option<Rc<Disk>> {
        let is_second = match self.layout {
            Layout::Two => name.ends_with('v'),
            Layout::Other | Layout::Dumb => name == "/.fsgate",
            _ => false,
        };
        self.power.get(usize::from(is_second)).cloned()
    }

    pub(crate) fn before(&self, case: &CrashCase) {
        for (tool, args) in &case.earlier {
            // Some layouts refuse it; then the case has no subject.
            let _ = self.earlier(tool, args);
        }
    }

    pub(crate) fn earlier(&self, tool: &str, args: &Value) -> Result<Value, Value> {
        let called = self.call(tool, &self.told(args));
        let id = called.as_ref().map_or(Value::Null, |outcome| outcome["undo_id"].clone());
        self.ids.borrow_mut().push(id);
        called
    }

    pub(crate) fn args(&self, case: &CrashCase) -> Value {
        self.told(&case.args)
    }

    pub(crate) fn told(&self, args: &Value) -> Value {
        let mut args = args.clone();
        for value in args.as_object_mut().into_iter().flat_map(|fields| fields.values_mut()) {
            let number = value.as_str().and_then(|text| text.strip_prefix('#')?.parse::<usize>().ok());
            if let Some(number) = number {
                *value = self.ids.borrow()[number].clone();
            }
        }
        args
    }

    /// A fixture after its case under a plan, and the answer. The process is gone.
    pub(crate) fn after(case: &CrashCase, layout: Layout, plan: FaultPlan) -> (Self, Result<Value, Value>) {
        let fixture = Self::of(case, layout);
        let session = fixture.session();
        fixture.machine.set(plan);
        let called = call(&session, case.tool, &fixture.args(case));
        drop(session);
        (fixture, called)
    }

    pub(crate) fn of(case: &CrashCase, layout: Layout) -> Self {
        let fixture = Self::new(layout, case.tree);
        fixture.before(case);
        fixture
    }

    pub(crate) fn session(&self) -> Session<Faulty> {
        self.session_over(&["/w", "/v"])
    }

    pub(crate) fn session_over(&self, names: &[&str]) -> Session<Faulty> {
        self.session_with(names, &[])
    }

    /// A new process with variables, such as a policy, over grants or a directory in one.
    pub(crate) fn session_with(&self, names: &[&str], told: &[(&str, &str)]) -> Session<Faulty> {
        let volume = |(name, inner): (&str, Memory)| Grant {
            name: name.to_owned(),
            volume: Faulty {
                inner,
                machine: self.machine.clone(),
                label: name.into(),
                disk: self.disk(name),
            },
            access: Access::Write,
        };
        let grants = names.iter().map(|name| match name[1..].split_once('/') {
            Some((grant, inside)) => (*name, self.granted(&format!("/{grant}")).at(inside)),
            None => (*name, self.granted(name).clone()),
        });
        let states =
            self.states.iter().filter(|(name, _)| *name == "/.fsgate" || names.contains(&&name[8..]));
        let states = states.map(|(name, state)| (*name, state.clone()));
        Session::open_or_refuse(
            grants.chain(states).map(volume).collect(),
            [
                ("FSGATE_LOCK", "host"),
                ("FSGATE_DURABILITY", self.durability),
                ("FSGATE_SESSION", "000000000000000000000000000000aa"),
            ]
            .into_iter()
            .chain(told.iter().copied()),
        )
    }

    pub(crate) fn call(&self, tool: &str, args: &Value) -> Result<Value, Value> {
        call(&self.session(), tool, args)
    }

    /// Another process recovers, and makes a change elsewhere. Returns its outcome.
    pub(crate) fn heal(&self) -> Value {
        self.heal_with(self.durability).unwrap()
    }

    pub(crate) fn heal_with(&self, durability: &str) -> Result<Value, Value> {
        self.machine.set(FaultPlan::Well);
        let session = self.session_with(&["/w", "/v"], &[("FSGATE_DURABILITY", durability)]);
        call(&session, "create_directory", &json!({"path": "/w/elsewhere"}))
    }

    /// Prunes the history, by a change of a large part of its limit.
    pub(crate) fn look_through(&self) {
        self.machine.set(FaultPlan::Well);
        let session = self.session_with(&["/w", "/v"], &[("FSGATE_HISTORY_BYTES", "400000")]);
        for (tool, content) in [("create", "a"), ("write", "b")] {
            let args = json!({"path": "/w/elsewhere/large", "content": content.repeat(4_000)});
            call(&session, tool, &args).unwrap();
        }
    }

    /// The content of the grants, without the changes of healing.
    pub(crate) fn trees(&self) -> Snapshot {
        let mut all = Snapshot::new();
        for (name, volume) in &self.grants {
            let items = volume.snapshot().into_iter().map(|(path, item)| (format!("{name}/{path}"), item));
            all.extend(items);
        }
        all.remove("/w/elsewhere");
        all.remove(THEIRS);
        all
    }

    /// True if a file has these bytes, also in a state directory.
    pub(crate) fn has(&self, bytes: &[u8]) -> bool {
        let is_it = |item: &Item| matches!(item, Item::File(there) if there == bytes);
        let mut volumes = self.grants.iter().chain(&self.states);
        volumes.any(|(_, volume)| volume.snapshot().values().any(is_it))
    }

    /// The history, the oldest entry first, without the changes of healing and of other processes.
    pub(crate) fn past(&self) -> Vec<String> {
        let log = self.call("log", &json!({"max_items": 1000, "any_session": true})).unwrap();
        let entries = log["entries"].as_array().unwrap().iter().rev();
        let entries = entries.filter(|entry| {
            let paths = entry["paths"].as_array().unwrap();
            paths.is_empty() || paths.iter().any(|path| path != "/w/elsewhere" && path != THEIRS)
        });
        entries
            .map(|entry| {
                let [tool, paths, label, undone] =
                    ["tool", "paths", "label", "undone"].map(|name| &entry[name]);
                format!("{tool} {paths} {label} {undone}")
            })
            .collect()
    }

    /// True if a change or a removal of entries is unfinished.
    pub(crate) fn is_unfinished(&self) -> bool {
        let now = |state: &Memory| control(&state.snapshot());
        self.states
            .iter()
            .any(|(_, state)| now(state).is_some_and(|now| now.is_unfinished() || now.unsettled))
    }

    /// Wrong content of the state directories while nothing is in progress.
    pub(crate) fn litter(&self) -> Vec<String> {
        let mut litter = Vec::new();
        for (name, state) in &self.states {
            let items = state.snapshot();
            let Some(control) = control(&items) else { continue };
            if control.is_unfinished() || control.unsettled {
                litter.push(format!("{name}/control is {control:?}"));
            }
            let done = records(&items, &control);
            let locks = items.keys().filter(|path| path.starts_with("locks/")).count();
            for path in items.keys() {
                let Some((directory, id)) = path.split_once('/') else { continue };
                let is_wrong = match directory {
                    "waiting" | "tmp" | "conflicts" => true,
                    // The counting number stays, and can be that of a released lease.
                    "locks" => locks > 2,
                    "trash" => !id.contains('/') && !done.iter().any(|record| record.id.to_string() == id),
                    _ => false,
                };
                if is_wrong {
                    litter.push(format!("{name}/{path}"));
                }
            }
        }
        litter
    }

    /// Stops journaling for this grant, if it has a state directory of its own.
    pub(crate) fn without_state(mut self, grant: &str) -> Self {
        self.states.retain(|(name, _)| name.strip_prefix("/.fsgate") != Some(grant));
        self
    }

    pub(crate) fn state(&self) -> &Memory {
        &self.states[0].1
    }

    pub(crate) fn grant(&self) -> &Memory {
        &self.grants[0].1
    }

    fn granted(&self, name: &str) -> &Memory {
        self.grants.iter().find(|(grant, _)| *grant == name).map(|(_, volume)| volume).unwrap()
    }

    /// The grant of a path, and the rest of the path.
    pub(crate) fn within<'a>(&self, path: &'a str) -> (&Memory, &'a str) {
        let is_in = |(name, _): &&(&'static str, Memory)| path.starts_with(&format!("{name}/"));
        let (name, volume) = self.grants.iter().find(is_in).unwrap();
        (volume, &path[name.len() + 1..])
    }

    pub(crate) fn theirs(&self) -> Option<Item> {
        self.grants[1].1.snapshot().remove(&THEIRS[3..])
    }
}

/// The directory of a path in a volume, and the name in it.
pub(crate) fn holding<'a>(volume: &Memory, path: &'a str) -> Result<(Directory, &'a str), Fault> {
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    let names = above.split('/').filter(|name| !name.is_empty());
    let directory = names.into_iter().try_fold(volume.root(), |at, name| volume.open_directory(&at, name));
    directory.map(|directory| (directory, name))
}

/// All names of files that have several on a disk.
pub(crate) fn twice(disk: &Memory) -> BTreeSet<String> {
    let is_twice = |(path, item): &(String, Item)| {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        *item != Item::Directory && disk.stat(&disk.at(above).root(), name).is_ok_and(|stat| stat.links > 1)
    };
    disk.snapshot().into_iter().filter(is_twice).map(|(path, _)| path).collect()
}

pub(crate) struct Bytes {
    pub(crate) id: Id,
    pub(crate) bytes: Vec<u8>,
}

/// The control of a state directory; none if it is unreadable.
pub(crate) fn control(state: &Snapshot) -> Option<Control> {
    match state.get("control") {
        Some(Item::File(bytes)) => Control::parse(bytes),
        _ => None,
    }
}

/// The committed records of a state directory, by an independent reader.
pub(crate) fn records(state: &Snapshot, control: &Control) -> Vec<Bytes> {
    let mut records = Vec::new();
    for (path, item) in state {
        let (Some(name), Item::File(bytes)) = (path.strip_prefix("log/"), item) else { continue };
        if name.parse::<Id>().is_err() {
            continue;
        }
        let is_open = control.file.is_some_and(|file| file.to_string() == name);
        let mut rest = &bytes[..if is_open { control.end as usize } else { bytes.len() }];
        while let Some((record, behind)) = first(rest) {
            records.push(record);
            rest = behind;
        }
        assert!(rest.is_empty(), "{path} does not end with a record: {rest:?}");
    }
    records
}

/// The record at the beginning of bytes, and the rest.
pub(crate) fn first(bytes: &[u8]) -> Option<(Bytes, &[u8])> {
    let header = u32::from_le_bytes(bytes.get(24..28)?.try_into().ok()?) as usize;
    let body = u64::from_le_bytes(bytes.get(28..36)?.try_into().ok()?) as usize;
    let id = Id(u128::from_le_bytes(bytes[8..24].try_into().ok()?));
    let (record, behind) = bytes.split_at_checked(36 + header + 16 + body + 16)?;
    Some((Bytes { id, bytes: record.to_vec() }, behind))
}

pub(crate) fn call(session: &Session<Faulty>, tool: &str, args: &Value) -> Result<Value, Value> {
    let args = CallArgs { tool: tool.to_owned(), arguments: args.to_string() };
    let json = |text: &str| serde_json::from_str(text).unwrap();
    agent::call(session, &args).map(|called| json(&called.outcome)).map_err(|refused| json(&refused.error))
}

pub(crate) fn difference(one: &Snapshot, other: &Snapshot) -> String {
    let only = |a: &Snapshot, b: &Snapshot| {
        let items = a.iter().filter(|(path, item)| b.get(*path) != Some(item));
        items.map(|(path, item)| format!("{path} {}", shown(item))).collect::<Vec<_>>().join("\n    ")
    };
    format!("  found\n    {}\n  instead of\n    {}\n", only(one, other), only(other, one))
}

fn shown(item: &Item) -> String {
    match item {
        Item::File(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
        other => format!("{other:?}"),
    }
}

#[derive(Default)]
pub(crate) struct Complaints {
    tried: u64,
    kinds: BTreeMap<String, (u64, String)>,
}

impl Complaints {
    pub(crate) fn tried(&mut self) {
        self.tried += 1;
    }

    pub(crate) fn add(&mut self, kind: String, example: impl FnOnce() -> String) {
        self.kinds.entry(kind).or_insert_with(|| (0, example())).0 += 1;
    }

    pub(crate) fn end(self, what: &str) {
        eprintln!("{} {what}", self.tried);
        assert!(self.tried > 0, "nothing was tried");
        let kinds: Vec<_> = self
            .kinds
            .iter()
            .map(|(kind, (count, example))| format!("{count} times {kind}: {example}"))
            .collect();
        assert!(kinds.is_empty(), "{} kinds\n{}", kinds.len(), kinds.join("\n"));
    }
}
