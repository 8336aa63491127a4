//! Trees, calls that change them, and what has to be true behind a death.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use fsgate_core::agent;
use fsgate_core::contract::agent_types::CallArgs;
use fsgate_core::journal::Id;
use fsgate_core::namespace::Grant;
use fsgate_core::session::Session;
use fsgate_core::state::control::Control;
use fsgate_core::volume::memory::{Item, Memory};
use fsgate_core::volume::{Abilities, Access};
use serde_json::{Value, json};

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

/// Paths and what they stand for: a file's content, `-> ` and a link's target; a directory's path ends in `/`.
type Tree = &'static [(&'static str, &'static str)];

/// Calls one after the other.
type Calls = Vec<(&'static str, Value)>;

/// A call and the trees that it meets.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) tree: Tree,
    /// Calls that come before it.
    pub(crate) earlier: Calls,
    pub(crate) tool: &'static str,
    /// In these, as in those of the calls before, `#0` stands for the id of the first call before.
    pub(crate) args: Value,
}

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

    /// A new process that is told something besides, such as a policy.
    pub(crate) fn session_with(&self, names: &[&str], told: &[(&str, &str)]) -> Session<Faulty> {
        let volume = |(name, inner): &(&'static str, Memory)| Grant {
            name: (*name).to_owned(),
            volume: Faulty {
                inner: inner.clone(),
                machine: self.machine.clone(),
                label: (*name).into(),
                disk: self.disk(name),
            },
            access: Access::Write,
        };
        let grants = self.grants.iter().filter(|(name, _)| names.contains(name));
        let states =
            self.states.iter().filter(|(name, _)| *name == "/.fsgate" || names.contains(&&name[8..]));
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
        self.heal_with(self.durability)
    }

    /// The same by one to whom changes of its own are to survive something else.
    pub(crate) fn heal_with(&self, durability: &str) -> Value {
        self.machine.set(Plan::Well);
        let session = self.session_with(&["/w", "/v"], &[("FSGATE_DURABILITY", durability)]);
        call(&session, "create_directory", &json!({"path": "/w/elsewhere"})).unwrap()
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

    /// What another process has made.
    pub(crate) fn theirs(&self) -> Option<Item> {
        self.grants[1].1.snapshot().remove(&THEIRS[3..])
    }
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

const FILE: &[(&str, &str)] =
    &[("w/a.txt", "before two and a tail of some length"), ("w/b.txt", "b"), ("v/", "")];

const COMMENT: &[(&str, &str)] = &[("w/a.txt", "<!-- a line of some length -->\nand another one\n")];

const TREE: &[(&str, &str)] = &[
    ("w/d/a.txt", "aaaa"),
    ("w/d/e/b.txt", "bb bb bb"),
    ("w/d/e/empty/", ""),
    ("w/d/c.txt", ""),
    ("w/nothing/", ""),
    ("w/b.txt", "something else, and longer"),
    ("w/to/a.txt", "what is overwritten"),
    ("v/x.txt", "in the other grant"),
    ("v/y.txt", "there, too"),
];

const LINKS: &[(&str, &str)] = &[
    ("w/l", "-> a.txt"),
    ("w/m", "-> nowhere"),
    ("w/a.txt", "aaaa"),
    ("w/d/l", "-> ../a.txt"),
    ("w/d/f", "f"),
    ("v/", ""),
];

/// A file is made, one changed, one deleted, and one moved into a new directory and changed there.
const PATCH: &str = "diff --git a/b.txt b/p/q/moved.txt\nrename from b.txt\nrename to p/q/moved.txt\n--- a/b.txt\n\
    +++ b/p/q/moved.txt\n@@ -1 +1,2 @@\n-something else, and longer\n\\ No newline at end of file\n+something else,\n\
    +and much longer\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n--- a/to/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n\
    -what is overwritten\n\\ No newline at end of file\n--- a/d/a.txt\n+++ b/d/a.txt\n@@ -1 +1 @@\n-aaaa\n\
    \\ No newline at end of file\n+aa\n";

/// Every way to change something.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |tree, tool, args: Value| {
        cases.push(Case { name: format!("{tool} {args}"), tree, earlier: Vec::new(), tool, args });
    };
    let text = "twenty bytes, or more";
    for path in ["new.txt", "p/q/new.txt"] {
        add(FILE, "create", json!({"path": path, "content": text}));
        add(FILE, "write", json!({"path": path, "content": text}));
        add(FILE, "write_bytes", json!({"path": path, "bytes": "dHdlbnR5IGJ5dGVz"}));
        add(FILE, "append", json!({"path": path, "content": text}));
        add(FILE, "create_directory", json!({"path": path}));
    }
    for content in
        ["before eighteen characters and a tail of some length", "before", "before one and a tail", "", "x"]
    {
        add(FILE, "write", json!({"path": "a.txt", "content": content}));
        add(FILE, "write", json!({"path": "a.txt", "content": content, "backup": true}));
    }
    add(FILE, "write_bytes", json!({"path": "a.txt", "bytes": "AAAA", "backup": true}));
    add(FILE, "write_bytes", json!({"path": "a.txt", "bytes": "dHdlbnR5IGJ5dGVz"}));
    add(FILE, "append", json!({"path": "a.txt", "content": text, "separator": "--"}));
    for new in ["eighteen characters", "one", "", "t"] {
        add(FILE, "replace", json!({"path": "a.txt", "old": "two", "new": new}));
    }
    for new in ["EEEE", "", "E"] {
        add(FILE, "replace_all", json!({"path": "a.txt", "old": "e", "new": new}));
    }
    add(FILE, "replace_all", json!({"path": "a.txt", "old": "[aeo]", "new": "<$0>", "regex": true}));
    for content in ["a line", "", "longer, by a line\nor so"] {
        add(FILE, "replace_lines", json!({"path": "a.txt", "lines": "1", "content": content}));
    }
    add(FILE, "insert_lines", json!({"path": "a.txt", "after": 0, "content": "first"}));
    add(FILE, "insert_lines", json!({"path": "a.txt", "after": 1, "content": "second"}));
    add(FILE, "comment_lines", json!({"path": "a.txt", "lines": "1", "syntax": "html"}));
    add(COMMENT, "uncomment_lines", json!({"path": "a.txt", "lines": "1", "syntax": "html"}));
    for destination in ["new.txt", "p/q/new.txt", "/v/new.txt"] {
        add(TREE, "copy", json!({"source": "b.txt", "destination": destination}));
        add(TREE, "move", json!({"source": "b.txt", "destination": destination}));
    }
    for (source, destination) in
        [("b.txt", "to/a.txt"), ("d/a.txt", "b.txt"), ("b.txt", "/v/x.txt"), ("d/c.txt", "b.txt")]
    {
        add(TREE, "copy", json!({"source": source, "destination": destination, "overwrite": true}));
        add(TREE, "move", json!({"source": source, "destination": destination, "overwrite": true}));
    }
    for destination in ["new", "p/q/new", "/v/new"] {
        add(TREE, "copy", json!({"source": "d", "destination": destination, "recursive": true}));
        add(TREE, "copy", json!({"source": "nothing", "destination": destination, "recursive": true}));
    }
    for destination in ["new", "p/q/new"] {
        add(TREE, "move", json!({"source": "d", "destination": destination, "recursive": true}));
        add(TREE, "move", json!({"source": "nothing", "destination": destination, "recursive": true}));
        add(LINKS, "move", json!({"source": "l", "destination": destination}));
    }
    add(LINKS, "move", json!({"source": "l", "destination": "m", "overwrite": true}));
    add(LINKS, "move", json!({"source": "m", "destination": "a.txt", "overwrite": true}));
    add(LINKS, "move", json!({"source": "a.txt", "destination": "l", "overwrite": true}));
    add(TREE, "copy", json!({"source": "d", "destination": "to", "glob": "**/*.txt", "overwrite": true}));
    add(TREE, "copy", json!({"source": "d", "destination": "p/q", "glob": "**"}));
    add(TREE, "copy", json!({"source": "d", "destination": "/v", "glob": "**"}));
    for keep in [true, false] {
        add(TREE, "delete", json!({"path": "b.txt", "keep": keep}));
        add(LINKS, "delete", json!({"path": "l", "keep": keep}));
        add(TREE, "delete", json!({"path": "d", "glob": "**", "keep": keep}));
        add(LINKS, "delete", json!({"path": ".", "glob": "**", "keep": keep}));
        add(TREE, "delete_directory", json!({"path": "nothing", "keep": keep}));
        add(TREE, "delete_directory", json!({"path": "d", "recursive": true, "keep": keep}));
        add(LINKS, "delete_directory", json!({"path": "d", "recursive": true, "keep": keep}));
    }
    let edits = json!([
        {"path": "d/a.txt", "old": "aaaa", "new": "b"},
        {"path": "b.txt", "old": "else", "new": "quite other"},
        {"path": "p/new.txt", "content": "new"},
        {"path": "to/a.txt", "delete": true},
        {"path": "/v/x.txt", "old": "the other", "new": "quite another"},
    ]);
    add(TREE, "apply", json!({"edits": edits}));
    add(TREE, "apply", json!({"patch": PATCH}));
    add(
        TREE,
        "apply",
        json!({"patch": "*** Begin Patch\n*** Update File: b.txt\n*** Move to: /v/new.txt\n@@\n-something else, and longer\n+other\n*** End Patch\n"}),
    );
    for new in ["$0$0", "", "X"] {
        add(TREE, "replace_in_files", chosen(new));
    }
    cases.extend(history(&edits));
    cases
}

/// Letters in four files of [`TREE`], which are chosen by the ids that they are shown with.
fn chosen(new: &str) -> Value {
    let mut args = json!({
        "old": "[abt]",
        "new": new,
        "regex": true,
        "paths": ["d/a.txt", "d/e/b.txt", "b.txt", "/v/x.txt"],
    });
    let shown = Scene::new(Layout::Same, TREE).call("replace_in_files", &args).unwrap();
    let all = shown["occurrences"].as_array().unwrap();
    // Two of a file, and one of each of the others.
    let nth = |path: &str, nth: usize| {
        all.iter().filter(|found| found["path"] == path).nth(nth).unwrap_or_else(|| panic!("{path}: {shown}"))
            ["id"]
            .clone()
    };
    args["ids"] = json!([
        nth("/w/d/a.txt", 1),
        nth("/w/d/a.txt", 2),
        nth("/w/d/e/b.txt", 1),
        nth("/w/b.txt", 0),
        nth("/v/x.txt", 0)
    ]);
    args
}

/// Every change taken back and made again, and what was there before restored; marks in the history, and less of it.
fn history(edits: &Value) -> Vec<Case> {
    let all = json!({});
    let calls: Vec<(Tree, &'static str, Value)> = vec![
        (FILE, "create", json!({"path": "p/q/new.txt", "content": "new"})),
        (FILE, "create_directory", json!({"path": "p/q"})),
        (FILE, "write", json!({"path": "a.txt", "content": "before, and more than that"})),
        (FILE, "write", json!({"path": "a.txt", "content": "x", "backup": true})),
        (FILE, "append", json!({"path": "a.txt", "content": "more"})),
        (TREE, "copy", json!({"source": "d", "destination": "p/new", "recursive": true})),
        (TREE, "copy", json!({"source": "b.txt", "destination": "to/a.txt", "overwrite": true})),
        (TREE, "copy", json!({"source": "d", "destination": "to", "glob": "**/*.txt", "overwrite": true})),
        (TREE, "move", json!({"source": "b.txt", "destination": "p/new.txt"})),
        (TREE, "move", json!({"source": "b.txt", "destination": "to/a.txt", "overwrite": true})),
        (TREE, "move", json!({"source": "d", "destination": "p/new", "recursive": true})),
        (TREE, "move", json!({"source": "b.txt", "destination": "/v/new.txt"})),
        (TREE, "delete", json!({"path": "b.txt"})),
        (LINKS, "delete", json!({"path": "a.txt"})),
        (TREE, "delete", json!({"path": "d", "glob": "**"})),
        (TREE, "delete_directory", json!({"path": "nothing"})),
        (TREE, "delete_directory", json!({"path": "d", "recursive": true})),
        (TREE, "apply", json!({"edits": edits})),
        (TREE, "apply", json!({"patch": PATCH})),
        (TREE, "replace_in_files", chosen("$0$0")),
    ];
    let mut cases = Vec::new();
    for (tree, tool, args) in calls {
        let mut earlier = vec![(tool, args)];
        for then in ["undo", "redo", "undo"] {
            let name = format!("{then} of {earlier:?}");
            let args = all.clone();
            cases.push(Case { name, tree, earlier: earlier.clone(), tool: then, args });
            earlier.push((then, all.clone()));
        }
    }
    // Records are taken out of what was written down.
    let write = |path, content| ("write", json!({"path": path, "content": content}));
    for (name, args) in
        [("one of many forgotten", json!({"path": "b.txt"})), ("all forgotten", json!({"everything": true}))]
    {
        let earlier = vec![write("a.txt", "one"), write("b.txt", "x"), write("a.txt", "another")];
        cases.push(Case { name: name.to_owned(), tree: FILE, earlier, tool: "forget", args });
    }
    // And with them what is kept in the trash.
    let earlier = vec![
        ("delete", json!({"path": "b.txt"})),
        ("delete_directory", json!({"path": "d", "recursive": true})),
        write("a.txt", "one"),
    ];
    cases.push(Case {
        name: "all forgotten, with what was deleted".to_owned(),
        tree: TREE,
        earlier,
        tool: "forget",
        args: json!({"everything": true}),
    });
    // Several entries at once.
    let earlier = vec![
        ("checkpoint", json!({"label": "here"})),
        ("write", json!({"path": "b.txt", "content": "other"})),
        ("move", json!({"source": "b.txt", "destination": "p/b.txt"})),
        ("delete", json!({"path": "p/b.txt"})),
        ("delete_directory", json!({"path": "d", "recursive": true})),
        ("create", json!({"path": "d", "content": "a file now"})),
    ];
    cases.push(Case {
        name: "undo to a checkpoint".to_owned(),
        tree: TREE,
        earlier,
        tool: "undo",
        args: json!({"to": "here"}),
    });
    cases.extend(restored(edits));
    // What changes nothing but the history, or nothing at all.
    let one = write("a.txt", "one");
    for (tool, earlier, args) in [
        ("forget", vec![one.clone(), write("b.txt", "x"), one.clone()], json!({"id": "#1"})),
        ("checkpoint", vec![one.clone()], json!({"label": "here"})),
        ("checkpoint", vec![("checkpoint", json!({"label": "here"})), one.clone()], json!({"label": "here"})),
        ("recover", vec![one], json!({})),
    ] {
        cases.push(Case { name: format!("{tool} behind {earlier:?}"), tree: FILE, earlier, tool, args });
    }
    cases
}

/// What a path was before the first of some calls, brought back.
fn restored(edits: &Value) -> Vec<Case> {
    let create = |path, content| ("create", json!({"path": path, "content": content}));
    let replace = |old, new| ("replace", json!({"path": "a.txt", "old": old, "new": new}));
    let kept = |content| ("write", json!({"path": "a.txt", "content": content, "backup": true}));
    let copy = |source, destination| {
        ("copy", json!({"source": source, "destination": destination, "recursive": true, "overwrite": true}))
    };
    let moved = |source, destination| {
        ("move", json!({"source": source, "destination": destination, "recursive": true, "overwrite": true}))
    };
    let delete = |path| ("delete", json!({"path": path}));
    let delete_directory = |path| ("delete_directory", json!({"path": path, "recursive": true}));
    let apply = ("apply", json!({"edits": edits}));
    let patch = ("apply", json!({"patch": PATCH}));
    let calls: Vec<(Tree, Calls, Option<&str>)> = vec![
        (FILE, vec![create("p/q/new.txt", "new")], None),
        (FILE, vec![replace("two", "eighteen characters")], None),
        (FILE, vec![replace("two", "2"), replace("before", ""), replace("length", "all lengths")], None),
        // A content that was kept whole: over another one, over nothing, and after it was back already.
        (FILE, vec![kept("x")], None),
        (FILE, vec![kept("before, and a good deal more than that was"), replace("more", "less")], None),
        (FILE, vec![kept("x"), delete("a.txt")], None),
        (FILE, vec![kept("x"), ("undo", json!({})), replace("two", "2")], None),
        (TREE, vec![copy("d", "p/new")], Some("/w/p/new")),
        (TREE, vec![copy("b.txt", "to/a.txt")], Some("/w/to/a.txt")),
        (TREE, vec![moved("b.txt", "p/new.txt")], Some("/w/b.txt")),
        (TREE, vec![moved("d", "p/new")], Some("/w/d")),
        (TREE, vec![moved("b.txt", "/v/new.txt")], Some("/w/b.txt")),
        // What was replaced comes back, and what has its place is kept.
        (TREE, vec![moved("b.txt", "to/a.txt")], Some("/w/to/a.txt")),
        (TREE, vec![delete("b.txt")], None),
        (TREE, vec![delete("b.txt"), create("b.txt", "another one")], None),
        (TREE, vec![delete("b.txt"), create("b.txt/inside.txt", "in a directory now")], None),
        (LINKS, vec![delete("l"), create("l", "a file now")], None),
        (TREE, vec![("delete", json!({"path": "d", "glob": "**"}))], Some("/w/d/e/b.txt")),
        (TREE, vec![delete_directory("nothing")], None),
        (TREE, vec![delete_directory("d")], None),
        (TREE, vec![delete_directory("d"), create("d", "a file now")], None),
        (TREE, vec![delete_directory("d"), create("d/e/other.txt", "another one")], None),
        (TREE, vec![apply.clone()], Some("/w/to/a.txt")),
        (TREE, vec![apply], Some("/v/x.txt")),
        (TREE, vec![patch], Some("/w/b.txt")),
        (TREE, vec![("replace_in_files", chosen("$0$0"))], Some("/w/d/a.txt")),
    ];
    let mut cases = Vec::new();
    for (tree, mut earlier, path) in calls {
        let args = path.map_or_else(|| json!({"id": "#0"}), |path| json!({"id": "#0", "path": path}));
        let name = |what: &str| format!("{what} {path:?} of {earlier:?}");
        let (one, other) = (name("restore"), name("undo of restore"));
        let is_several = earlier.len() > 1;
        cases.push(Case { name: one, tree, earlier: earlier.clone(), tool: "restore", args: args.clone() });
        if is_several {
            earlier.push(("restore", args));
            cases.push(Case { name: other, tree, earlier, tool: "undo", args: json!({}) });
        }
    }
    cases
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
        let kinds: Vec<_> = self
            .kinds
            .iter()
            .map(|(kind, (count, example))| format!("{count} times {kind}: {example}"))
            .collect();
        assert!(kinds.is_empty(), "{} kinds\n{}", kinds.len(), kinds.join("\n"));
    }
}
