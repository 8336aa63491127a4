//! Damaged and forged state directories.

use fsgate_contract::id::Id;
use fsgate_contract::types::SpecialKind;
use fsgate_journal::state::control::{BYTES, Control};
use fsgate_volume::memory::Item;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_128;

use super::cases::cases;
use super::fixture::{Complaints, Fixture, Layout, call, control, first};
use super::soak;
use super::volume::FaultPlan;

/// A pending record of a dead process, and the fixture without its changes.
struct Sample {
    case: usize,
    layout: Layout,
    id: Id,
    header: Value,
    body: Vec<u8>,
}

/// Records of every case, from a few calls before the end.
fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for (number, case) in cases().iter().enumerate() {
        if !soak() && !case.earlier.is_empty() {
            continue;
        }
        for layout in [Layout::Same, Layout::Other] {
            let (fixture, _) = Fixture::after(case, layout, FaultPlan::Well);
            // Without a kept entry there is no id, and a call without one is refused early.
            let Some(last) = fixture.machine.calls().checked_sub(1) else { continue };
            let fixture = Fixture::of(case, layout);
            // The earlier calls are cases of their own.
            let earlier: Vec<Id> = records(&fixture).into_iter().map(|(id, _)| id).collect();
            let session = fixture.session();
            fixture.machine.set(FaultPlan::Stop(last, 0));
            let _ = call(&session, case.tool, &fixture.args(case));
            for (id, bytes) in records(&fixture) {
                if earlier.contains(&id) {
                    continue;
                }
                let Some((header, body)) = opened(&bytes) else { continue };
                samples.push(Sample { case: number, layout, id, header, body });
            }
        }
    }
    samples
}

fn records(fixture: &Fixture) -> Vec<(Id, Vec<u8>)> {
    let mut records = Vec::new();
    for item in fixture.state().at("log").snapshot().into_values() {
        let Item::File(bytes) = item else { continue };
        let mut rest = &bytes[..];
        while let Some((record, behind)) = first(rest) {
            records.push((record.id, record.bytes));
            rest = behind;
        }
    }
    records
}

fn opened(bytes: &[u8]) -> Option<(Value, Vec<u8>)> {
    let length = u32::from_le_bytes(bytes.get(24..28)?.try_into().ok()?) as usize;
    let body = bytes.get(36 + length + 16..bytes.len() - 16)?;
    Some((serde_json::from_slice(bytes.get(36..36 + length)?).ok()?, body.to_vec()))
}

fn sealed(id: Id, header: &Value, body: &[u8]) -> Vec<u8> {
    let header = serde_json::to_vec(header).unwrap();
    let mut bytes = b"fsgate\0\x03".to_vec();
    bytes.extend_from_slice(&id.0.to_le_bytes());
    bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&header);
    for part in [body, &[]] {
        bytes.extend_from_slice(&xxh3_128(&bytes).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    /// After the committed ones, left by a dead process.
    UnderWay,
    /// In `waiting/`, left by a process that could not recover it.
    Waiting,
}

/// Puts bytes there as a record or as a member of a group.
fn put(fixture: &Fixture, at: Where, id: Id, owner: Id, bytes: Vec<u8>) {
    let state = fixture.state();
    let found = state.snapshot();
    let now = control(&found).unwrap();
    match at {
        Where::Waiting => {
            state.put(&format!("waiting/{id}"), Item::File(bytes));
            say(fixture, Control { unsettled: true, ..now });
        }
        Where::UnderWay => {
            let name = now.file.unwrap_or(id);
            let mut log = match found.get(&format!("log/{name}")) {
                Some(Item::File(log)) => log.clone(),
                _ => Vec::new(),
            };
            log.truncate(now.end as usize);
            log.extend(bytes);
            state.put(&format!("log/{name}"), Item::File(log));
            say(fixture, Control { file: Some(name), begun: Some(owner), ..now });
        }
    }
}

fn say(fixture: &Fixture, now: Control) {
    let (at, slot) = now.slot();
    let mut bytes = vec![0; BYTES];
    bytes[at as usize..][..slot.len()].copy_from_slice(&slot);
    fixture.state().put("control", Item::File(bytes));
}

fn owner(id: Id, header: &Value) -> Id {
    header["group"]["id"].as_str().and_then(|id| id.parse().ok()).unwrap_or(id)
}

fn guard(fixture: &Fixture) {
    fixture.disks[0].put("outside/secret.txt", Item::File(b"secret".to_vec()));
    fixture.disks[0].put("outside/empty", Item::Directory);
    fixture.grant().put("out", Item::Link("../outside".to_owned()));
    fixture.grant().put("keep/k.txt", Item::File(b"kept".to_vec()));
    fixture.grant().put("keep/empty", Item::Directory);
}

fn is_guarded(fixture: &Fixture) -> Result<(), String> {
    let mut all = fixture.disks[0].snapshot();
    for (path, item) in [
        ("outside", Item::Directory),
        ("outside/secret.txt", Item::File(b"secret".to_vec())),
        ("outside/empty", Item::Directory),
        ("w", Item::Directory),
        ("v", Item::Directory),
        ("w/keep/k.txt", Item::File(b"kept".to_vec())),
        ("w/keep/empty", Item::Directory),
    ] {
        if fixture.layout == Layout::Two && path == "v" {
            continue;
        }
        let found = all.remove(path);
        if found.as_ref() != Some(&item) {
            return Err(format!("{path} is {found:?}"));
        }
    }
    match all.keys().find(|path| path.starts_with("outside/") || !path.contains('/') && *path != "state") {
        None => Ok(()),
        Some(path) => Err(format!("{path} is new")),
    }
}

/// Another process's next call: it succeeds or is refused, and leaves unrelated files alone.
fn judge(fixture: &Fixture) -> Result<(), String> {
    fixture.machine.set(FaultPlan::Well);
    for name in ["one", "two"] {
        let said = fixture.call("create_directory", &json!({"path": format!("/w/elsewhere/{name}")}));
        is_guarded(fixture)?;
        if let Err(error) = said {
            return Err(format!("refused: {error}"));
        }
        // Every call looks at an unfinished record, so that must be fast.
        if fixture.machine.calls() > 5_000 {
            return Err(format!("{} calls", fixture.machine.calls()));
        }
    }
    Ok(())
}

#[test]
fn a_record_that_is_cut_off_or_changed_never_happened() {
    let (samples, all) = (samples(), cases());
    let mut complaints = Complaints::default();
    for (number, sample) in samples.iter().enumerate() {
        let case = &all[sample.case];
        let whole = sealed(sample.id, &sample.header, &sample.body);
        let step = if soak() { 5 } else { 67 };
        for at in (number % step..whole.len()).step_by(step) {
            for (cut, place) in
                [true, false].into_iter().flat_map(|cut| [(cut, Where::UnderWay), (cut, Where::Waiting)])
            {
                let mut bytes = whole.clone();
                if cut {
                    bytes.truncate(at);
                } else {
                    bytes[at] ^= 1 << (at % 8);
                }
                let fixture = Fixture::of(case, sample.layout);
                guard(&fixture);
                let before = fixture.trees();
                drop(fixture.session());
                put(&fixture, place, sample.id, owner(sample.id, &sample.header), bytes);
                fixture.heal();
                complaints.tried();
                if fixture.trees() != before || !fixture.litter().is_empty() {
                    complaints
                        .add(case.name.clone(), || format!("byte {at}, {place:?}, {:?}", fixture.litter()));
                }
            }
        }
    }
    complaints.end("damaged records");
}

/// With any content of `control`, nothing or no valid record is in progress.
#[test]
fn whatever_is_said_to_be_under_way_is_no_harm() {
    let mut complaints = Complaints::default();
    let ids = [None, Some(Id(1)), Some(Id(u128::MAX))];
    for case in cases().iter().step_by(if soak() { 1 } else { 9 }) {
        for file in ids.into_iter().chain([Some(Id(0))]) {
            for (begun, end) in
                ids.into_iter().flat_map(|begun| [0, 1, 100, u64::MAX].map(|end| (begun, end)))
            {
                for (is_committed, sequence) in [(false, 0), (true, 0), (false, 1), (true, u64::MAX)] {
                    let fixture = Fixture::of(case, Layout::Same);
                    let _ = fixture.call(case.tool, &fixture.args(case));
                    guard(&fixture);
                    let now = control(&fixture.state().snapshot()).unwrap();
                    // A missing file, or the present one.
                    let file = if file == Some(Id(0)) { now.file } else { file };
                    let before = fixture.trees();
                    say(&fixture, Control { file, begun, end, is_committed, sequence, last: Id(7), ..now });
                    let judged = judge(&fixture);
                    let mut trees = fixture.trees();
                    trees.retain(|path, _| !path.starts_with("/w/elsewhere"));
                    complaints.tried();
                    if judged.is_err() || trees != before {
                        complaints
                            .add(format!("{file:?} {begun:?}"), || format!("{end} {judged:?} {}", case.name));
                    }
                }
            }
        }
    }
    complaints.end("things said to be under way");
}

#[test]
fn what_is_no_record_is_removed_or_left_alone() {
    let mut complaints = Complaints::default();
    let id = "0de0b6b3a76400000000000000000001";
    let items = [
        Item::File(Vec::new()),
        Item::File(vec![0; 100]),
        Item::File(vec![255; 100_000]),
        Item::File([b"fsgate\0\x03", &[255; 28][..], b"{}"].concat()),
        Item::File([b"fsgate\0\x03", &[1; 16][..], &[0; 12], b"{}"].concat()),
        Item::Link("../../outside/secret.txt".to_owned()),
        Item::Link("../../outside".to_owned()),
        Item::Link(id.to_owned()),
        Item::Directory,
        Item::Special(SpecialKind::Other),
        Item::Special(SpecialKind::BlockDevice),
    ];
    for directory in ["log", "waiting", "trash", "conflicts", "tmp", "locks"] {
        for name in [
            id,
            "ffffffffffffffffffffffffffffffff",
            "README",
            ".hidden",
            "0de0b6b3a7640000000000000000000Z",
            &"x".repeat(255),
        ] {
            for item in &items {
                let fixture = Fixture::new(Layout::Same, &[("w/a.txt", "a"), ("v/", "")]);
                guard(&fixture);
                drop(fixture.session());
                let path = format!("{directory}/{name}");
                fixture.state().put(&path, item.clone());
                if *item == Item::Directory {
                    fixture.state().put(&format!("{path}/inside/f"), Item::File(vec![1]));
                    fixture.state().put(&format!("{path}/l"), Item::Link("../../../outside".to_owned()));
                }
                say(&fixture, Control { unsettled: true, ..Control::NEW });
                let before = fixture.trees();
                let judged = judge(&fixture);
                complaints.tried();
                let mut trees = fixture.trees();
                trees.retain(|path, _| !path.starts_with("/w/elsewhere"));
                let litter = fixture.state().at("waiting").snapshot();
                if judged.is_err() || trees != before || !litter.is_empty() {
                    complaints
                        .add(format!("{directory}/{name}"), || format!("{item:?}: {judged:?} {litter:?}"));
                }
            }
        }
    }
    for (path, item, usable) in [
        ("control", Item::File(Vec::new()), false),
        ("control", Item::File(vec![255; 3]), false),
        ("control", Item::File(vec![0; BYTES]), false),
        ("control", Item::File(vec![255; 999]), false),
        ("control", Item::File([&Control::first()[..], &[255; 999]].concat()), true),
        ("control", Item::Link("../outside/secret.txt".to_owned()), false),
        ("control", Item::Special(SpecialKind::Other), false),
        ("format", Item::File(b"fsgate state 9\n".to_vec()), false),
        ("format", Item::File(vec![0; 4_000_000]), false),
        ("format", Item::Link("../outside/secret.txt".to_owned()), false),
        ("waiting", Item::Link("../outside".to_owned()), false),
        ("trash", Item::Link("../w".to_owned()), false),
        ("tmp", Item::Link("../outside".to_owned()), false),
        ("log", Item::File(Vec::new()), false),
        ("conflicts", Item::Special(SpecialKind::Other), false),
        ("locks", Item::Link("..".to_owned()), false),
    ] {
        let fixture = Fixture::new(Layout::Same, &[("w/a.txt", "a"), ("v/", "")]);
        guard(&fixture);
        drop(fixture.session());
        fixture.state().put(path, item.clone());
        let judged = judge(&fixture);
        complaints.tried();
        if judged.is_ok() != usable || is_guarded(&fixture).is_err() {
            complaints.add(path.to_owned(), || format!("{item:?}: {judged:?}"));
        }
    }
    complaints.end("things that are no records");
}

#[derive(Debug, Clone)]
struct Twist {
    which: prop::sample::Index,
    what: Value,
    /// Removes the value.
    goes: bool,
}

fn twist() -> impl Strategy<Value = Twist> {
    let numbers = prop_oneof![
        Just(json!(0)),
        Just(json!(1)),
        Just(json!(u64::MAX)),
        Just(json!(u64::MAX - 1)),
        Just(json!(u64::MAX / 2 + 1)),
        Just(json!(u32::MAX)),
        Just(json!(-1)),
        (0..70_u64).prop_map(|number| json!(number)),
    ];
    let names = prop::sample::select(vec![
        "..",
        ".",
        "",
        "/",
        "a/b",
        "../outside",
        "out",
        "a\0b",
        "a.txt",
        "b.txt",
        "d",
        "e",
        "l",
        "to",
        "new",
        "state",
        "p",
        "directory",
        "tree",
        "file",
        "link",
        "special",
        "moved",
        "copied",
        "not",
        "group",
        "splice",
        "remove",
        "create",
        "/v",
        "/w/d",
        "/w/out",
        "w",
        "/outside",
        ".fsgate",
        "secret.txt",
        "00000000000000000000000000000000",
        "ffffffffffffffffffffffffffffffff",
    ])
    .prop_map(|name| json!(name));
    let others = prop_oneof![
        Just(Value::Null),
        Just(json!([])),
        Just(json!(["..", "outside"])),
        Just(json!(["out"])),
        Just(json!(["x".repeat(300)])),
        Just(json!(vec!["d"; 300])),
        Just(json!({})),
        Just(json!(["d"])),
        Just(json!(["d", "e", "f"])),
        Just(json!({"is": "tree", "names": u64::MAX, "bytes": u64::MAX})),
        Just(json!({"is": "directory"})),
        Just(json!({"is": "link"})),
        Just(json!("x".repeat(300))),
    ];
    (
        any::<prop::sample::Index>(),
        prop_oneof![4 => numbers, 4 => names, 3 => others],
        prop::bool::weighted(0.1),
    )
        .prop_map(|(which, what, goes)| Twist { which, what, goes })
}

fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let at = format!("{at}/{name}");
                all.push(at.clone());
                pointers(value, &at, all);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                let at = format!("{at}/{index}");
                all.push(at.clone());
                pointers(value, &at, all);
            }
        }
        _ => {}
    }
}

impl Twist {
    fn apply(&self, header: &mut Value) {
        let mut all = Vec::new();
        pointers(header, "", &mut all);
        if all.is_empty() {
            return;
        }
        let at = &all[self.which.index(all.len())];
        if self.goes {
            let (above, name) = at.rsplit_once('/').unwrap();
            if let Some(Value::Object(fields)) = header.pointer_mut(above) {
                fields.remove(name);
            }
        } else if let Some(value) = header.pointer_mut(at) {
            *value = self.what.clone();
        }
    }
}

#[test]
fn a_record_that_is_made_up_does_no_more_than_one_of_its_path_may() {
    let samples = samples();
    let cases = cases();
    let count = if soak() { 20_000 } else { 1_500 };
    let index = any::<prop::sample::Index>;
    let plans = (
        index(),
        prop::collection::vec(twist(), 1..4),
        prop::option::weighted(0.2, 0..80_usize),
        0..3_u8,
        any::<(bool, bool)>(),
    );
    let mut run = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    let mut complaints = Complaints::default();
    for _ in 0..count {
        let (which, twists, body, member, (is_after, is_under_way)) =
            plans.new_tree(&mut run).unwrap().current();
        let sample = &samples[which.index(samples.len())];
        let case = &cases[sample.case];
        let fixture = Fixture::of(case, sample.layout);
        if is_after {
            let _ = fixture.call(case.tool, &fixture.args(case));
        }
        guard(&fixture);
        // Identities are of this run, so those of the record are mapped first.
        let mut header = identities(&sample.header, &fixture);
        match member {
            // A member of a group that does not exist, or of itself.
            1 => {
                header["group"] =
                    json!({"id": "00000000000000000000000000000005", "state": state_identity(&fixture)});
            }
            2 => header["group"] = json!({"id": sample.id.to_string(), "state": state_identity(&fixture)}),
            _ => {}
        }
        for twist in &twists {
            twist.apply(&mut header);
        }
        let mut bytes = sample.body.clone();
        if let Some(length) = body {
            bytes.resize(length, b'B');
        }
        drop(fixture.session());
        // Random numbers in memory repeat.
        let other = |text: &str| text.replace("0de0b6b3", "0dd0b6b3");
        let id = other(&sample.id.to_string()).parse().unwrap();
        let header: Value = serde_json::from_str(&other(&header.to_string())).unwrap();
        put(
            &fixture,
            if is_under_way { Where::UnderWay } else { Where::Waiting },
            id,
            owner(id, &header),
            sealed(id, &header, &bytes),
        );
        complaints.tried();
        if let Err(what) = judge(&fixture) {
            let kind = header["action"]["kind"].to_string();
            let kind = format!("{kind} {}", what.chars().take(60).collect::<String>());
            complaints.add(kind, || format!("{header} and {} bytes: {what}", bytes.len()));
        }
    }
    complaints.end("records that are made up");
}

fn state_identity(fixture: &Fixture) -> Value {
    use fsgate_volume::Volume;
    let identity = fixture.state().directory_identity(&fixture.state().root()).unwrap();
    json!(format!("{identity:032x}"))
}

/// The record with the identities of this fixture: nodes have the same numbers, trees do not.
fn identities(header: &Value, fixture: &Fixture) -> Value {
    use fsgate_volume::Volume;
    let tree = fixture.grant().directory_identity(&fixture.grant().root()).unwrap() >> 64;
    fn mend(value: &mut Value, tree: u128) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields.iter_mut() {
                    if let ("root" | "directory" | "identity" | "state", Value::String(text)) =
                        (&name[..], &*value)
                        && let Ok(identity) = u128::from_str_radix(text, 16)
                    {
                        let identity = tree << 64 | identity & u128::from(u64::MAX);
                        *value = json!(format!("{identity:032x}"));
                    } else {
                        mend(value, tree);
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| mend(item, tree)),
            _ => {}
        }
    }
    let mut header = header.clone();
    mend(&mut header, tree);
    header
}
