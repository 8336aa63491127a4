//! Trees, calls that change them, and what has to be true behind a death.

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

use super::cases::Case;
use super::disk::Disk;
use super::volume::{Faulty, Machine, Plan};

/// Where the state directory lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// On the file system of the grants: what is deleted is moved there.
    Same,
    /// On another one: what is deleted is copied there.
    Other,
    /// The same, and the host has no word for it.
    Dumb,
    /// Files cannot have two names.
    NoLinks,
    /// The two grants have state directories of their own, the second grant is on another file system.
    Two,
    /// As on the same file system; few bytes are written and read at once.
    Slow,
}

pub(crate) const LAYOUTS: [Layout; 6] =
    [Layout::Same, Layout::Other, Layout::Dumb, Layout::NoLinks, Layout::Two, Layout::Slow];

/// A file that another process makes, where no case has anything.
pub(crate) const THEIRS: &str = "/v/theirs";

pub(crate) type Snapshot = BTreeMap<String, Item>;

/// The disks of one run.
pub(crate) struct Scene {
    pub(crate) machine: Rc<Machine>,
    pub(crate) disks: Vec<Memory>,
    pub(crate) layout: Layout,
    pub(crate) durability: &'static str,
    grants: Vec<(&'static str, Memory)>,
    states: Vec<(&'static str, Memory)>,
    /// Those of the calls that came before a case; null of one that was refused.
    ids: RefCell<Vec<Value>>,
    /// Of each disk, if the power can go.
    power: Vec<Rc<Disk>>,
}

impl Scene {
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

    /// The power can go, and is to be survived.
    pub(crate) fn with_power(mut self, seed: u64) -> Self {
        self.durability = "power";
        self.power = self.disks.iter().map(|disk| Rc::new(Disk::new(disk, seed))).collect();
        self
    }

    /// The power goes and comes back.
    pub(crate) fn crash(&self) {
        self.power.iter().for_each(|disk| disk.crash());
    }

    /// The disk that a volume is on.
    fn disk(&self, name: &str) -> Option<Rc<Disk>> {
        let is_second = match self.layout {
            Layout::Two => name.ends_with('v'),
            Layout::Other | Layout::Dumb => name == "/.fsgate",
            _ => false,
        };
        self.power.get(usize::from(is_second)).cloned()
    }

    /// What comes before a case.
    pub(crate) fn before(&self, case: &Case) {
        for (tool, args) in &case.earlier {
            // Some layouts refuse it: then the case is about nothing there.
            let _ = self.earlier(tool, args);
        }
    }

    /// A call that comes before.
    pub(crate) fn earlier(&self, tool: &str, args: &Value) -> Result<Value, Value> {
        let called = self.call(tool, &self.told(args));
        let id = called.as_ref().map_or(Value::Null, |outcome| outcome["undo_id"].clone());
        self.ids.borrow_mut().push(id);
        called
    }

    /// The arguments of a case, here.
    pub(crate) fn args(&self, case: &Case) -> Value {
        self.told(&case.args)
    }

    /// Arguments with the ids that they speak of.
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

    /// A scene as a case meets it.
    pub(crate) fn of(case: &Case, layout: Layout) -> Self {
        let scene = Self::new(layout, case.tree);
        scene.before(case);
        scene
    }

    /// A new process.
    pub(crate) fn session(&self) -> Session<Faulty> {
        self.session_over(&["/w", "/v"])
    }

    /// A new process that has only some of the grants.
    pub(crate) fn session_over(&self, names: &[&str]) -> Session<Faulty> {
        self.session_with(names, &[])
    }

    /// A new process that is told something besides, such as a policy. It may have a directory in one of the grants only.
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

    /// One call of a new process.
    pub(crate) fn call(&self, tool: &str, args: &Value) -> Result<Value, Value> {
        call(&self.session(), tool, args)
    }

    /// Another process comes, after a death, and changes something elsewhere. What it says.
    pub(crate) fn heal(&self) -> Value {
        self.heal_with(self.durability).unwrap()
    }

    /// The same by one to whom changes of its own are to survive something else.
    pub(crate) fn heal_with(&self, durability: &str) -> Result<Value, Value> {
        self.machine.set(Plan::Well);
        let session = self.session_with(&["/w", "/v"], &[("FSGATE_DURABILITY", durability)]);
        call(&session, "create_directory", &json!({"path": "/w/elsewhere"}))
    }

    /// The history is looked through, as it is once in a while: a change that is so large a part of what it may keep does so.
    pub(crate) fn look_through(&self) {
        self.machine.set(Plan::Well);
        let session = self.session_with(&["/w", "/v"], &[("FSGATE_HISTORY_BYTES", "400000")]);
        for (tool, content) in [("create", "a"), ("write", "b")] {
            let args = json!({"path": "/w/elsewhere/large", "content": content.repeat(4_000)});
            call(&session, tool, &args).unwrap();
        }
    }

    /// What is in the grants, but for what healing has left.
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

    /// True if a file has these bytes, be it in a state directory.
    pub(crate) fn has(&self, bytes: &[u8]) -> bool {
        let is_it = |item: &Item| matches!(item, Item::File(there) if there == bytes);
        let mut volumes = self.grants.iter().chain(&self.states);
        volumes.any(|(_, volume)| volume.snapshot().values().any(is_it))
    }

    /// The history, the oldest entry first, but for what healing and others have left.
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

    /// True if something was begun, or was to be forgotten, and is not at its end.
    pub(crate) fn is_unfinished(&self) -> bool {
        let now = |state: &Memory| control(&state.snapshot());
        self.states
            .iter()
            .any(|(_, state)| now(state).is_some_and(|now| now.is_unfinished() || now.unsettled))
    }

    /// What is wrong with the state directories when nothing is under way.
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
                    // The one that counts stays, and may be that of a lease which was given back.
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

    /// What is in this grant is not journaled from now on, if it has a state directory of its own.
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

    /// The grant that a path lies in, and the rest of the path.
    pub(crate) fn within<'a>(&self, path: &'a str) -> (&Memory, &'a str) {
        let is_in = |(name, _): &&(&'static str, Memory)| path.starts_with(&format!("{name}/"));
        let (name, volume) = self.grants.iter().find(is_in).unwrap();
        (volume, &path[name.len() + 1..])
    }

    /// What another process has made.
    pub(crate) fn theirs(&self) -> Option<Item> {
        self.grants[1].1.snapshot().remove(&THEIRS[3..])
    }
}

/// The directory of a volume that holds a path, and the name in it.
pub(crate) fn holding<'a>(volume: &Memory, path: &'a str) -> Result<(Directory, &'a str), Fault> {
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    let names = above.split('/').filter(|name| !name.is_empty());
    let directory = names.into_iter().try_fold(volume.root(), |at, name| volume.open_directory(&at, name));
    directory.map(|directory| (directory, name))
}

/// What has more than one name on a disk, but for directories: all of these names.
pub(crate) fn twice(disk: &Memory) -> BTreeSet<String> {
    let is_twice = |(path, item): &(String, Item)| {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        *item != Item::Directory && disk.stat(&disk.at(above).root(), name).is_ok_and(|stat| stat.links > 1)
    };
    disk.snapshot().into_iter().filter(is_twice).map(|(path, _)| path).collect()
}

/// A record in the log, as its bytes.
pub(crate) struct Bytes {
    pub(crate) id: Id,
    pub(crate) bytes: Vec<u8>,
}

/// What a state directory says of what is under way; none if it says nothing that can be read.
pub(crate) fn control(state: &Snapshot) -> Option<Control> {
    match state.get("control") {
        Some(Item::File(bytes)) => Control::parse(bytes),
        _ => None,
    }
}

/// The records of a state directory that are done, read by another reader than the one that is tried.
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

/// The record that bytes begin with, and what comes behind it.
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

/// What differs, for a message.
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

/// What went wrong, by kind.
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

    /// Says how much was tried; fails if anything went wrong.
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
