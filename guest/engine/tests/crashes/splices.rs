//! Replaced bytes in a small file, with a crash at any byte.

use fsgate_volume::memory::Item;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::fixture::{Complaints, Fixture, Layout, call};
use super::soak;
use super::volume::FaultPlan;

#[derive(Debug, Clone)]
struct CrashedSplice {
    old: String,
    new: String,
    backup: bool,
    /// Bytes in one write.
    at_once: usize,
    /// In 65,536ths of the calls.
    deaths: Vec<u16>,
    /// The external edit after the first crash.
    foreign: ForeignEdit,
}

#[derive(Debug, Clone)]
enum ForeignEdit {
    Nothing,
    /// A byte that nothing else writes, at any offset.
    Byte(prop::sample::Index),
    Longer,
    /// Truncated.
    Empty,
    /// Another file has its name.
    Other,
    /// A link has its name.
    Link,
}

/// Few letters, so that old and new often agree.
fn text() -> impl Strategy<Value = String> {
    "[abc]{0,24}"
}

fn foreign() -> impl Strategy<Value = ForeignEdit> {
    prop_oneof![
        6 => Just(ForeignEdit::Nothing),
        3 => any::<prop::sample::Index>().prop_map(ForeignEdit::Byte),
        1 => Just(ForeignEdit::Longer),
        1 => Just(ForeignEdit::Empty),
        1 => Just(ForeignEdit::Other),
        1 => Just(ForeignEdit::Link),
    ]
}

impl ForeignEdit {
    /// The file after the edit; none without an edit.
    fn put(&self, fixture: &Fixture) -> Option<Item> {
        let now = match fixture.grant().snapshot().remove("a.txt") {
            Some(Item::File(bytes)) => bytes,
            other => panic!("{other:?}"),
        };
        let in_place = |bytes: Vec<u8>| {
            write_in_place(fixture, &bytes);
            Some(Item::File(bytes))
        };
        match self {
            Self::Nothing => None,
            Self::Byte(_) if now.is_empty() => None,
            Self::Byte(at) => {
                let mut bytes = now;
                let at = at.index(bytes.len());
                bytes[at] = b'Z';
                in_place(bytes)
            }
            Self::Longer => in_place([now, vec![b'Z'; 40]].concat()),
            Self::Empty => in_place(Vec::new()),
            Self::Other => {
                let item = Item::File(b"ZZ".to_vec());
                fixture.grant().put("a.txt", item.clone());
                Some(item)
            }
            Self::Link => {
                let item = Item::Link("b.txt".to_owned());
                fixture.grant().put("a.txt", item.clone());
                Some(item)
            }
        }
    }
}

fn write_in_place(fixture: &Fixture, bytes: &[u8]) {
    use fsgate_volume::{Access, Volume};
    let volume = fixture.grant();
    let file = volume.open_file(&volume.root(), "a.txt", Access::Write).unwrap();
    volume.set_size(&file, bytes.len() as u64).unwrap();
    if !bytes.is_empty() {
        volume.write_at(&file, 0, bytes).unwrap();
    }
}

fn try_one(plan: &CrashedSplice) -> Result<bool, String> {
    let tree = [("w/a.txt", &plan.old[..]), ("w/b.txt", "b"), ("v/", "")];
    let args: Value = json!({"path": "a.txt", "content": plan.new, "backup": plan.backup});
    let fixture = Fixture::new(Layout::Same, &tree);
    fixture.machine.at_once(Some(plan.at_once));
    let session = fixture.session();
    fixture.machine.set(FaultPlan::Well);
    call(&session, "write", &args).map_err(|error| error.to_string())?;
    let calls = fixture.machine.calls();

    let fixture = Fixture::new(Layout::Same, &tree);
    fixture.machine.at_once(Some(plan.at_once));
    let session = fixture.session();
    let mut left = None;
    let mut was_told = false;
    let mut said = Vec::new();
    for (round, death) in plan.deaths.iter().enumerate() {
        let at = |calls: u64| calls * u64::from(*death) / 65_536;
        if round == 0 {
            fixture.machine.set(FaultPlan::Stop(at(calls), 0));
            was_told = call(&session, "write", &args).is_ok();
            left = plan.foreign.put(&fixture);
        } else {
            fixture.machine.set(FaultPlan::Stop(at(calls * 2), 0));
            said.extend(fixture.call("create_directory", &json!({"path": "/w/elsewhere"})).ok());
            fixture.grant().at("elsewhere");
        }
    }
    said.push(fixture.heal());
    said.push(fixture.heal());
    let trees = fixture.trees();
    let file = |text: &str| Item::File(text.as_bytes().to_vec());
    let found = &trees["/w/a.txt"];
    let (old, new) = (file(&plan.old), file(&plan.new));
    let is_right = match &left {
        None if was_told => *found == new,
        None => *found == old || *found == new,
        // An empty file can be the result of an interrupted write.
        Some(Item::File(bytes)) if bytes.is_empty() => *found == file("") || *found == old || *found == new,
        Some(left) => found == left,
    };
    if !is_right || trees.len() != 3 {
        return Err(format!("{trees:?}, left {left:?}"));
    }
    let conflicts = fixture.state().snapshot().keys().filter(|path| path.starts_with("conflicts/")).count();
    let told = said.iter().filter(|said| said.to_string().contains(r#""conflict""#)).count();
    let litter = fixture.litter();
    if litter.len() != conflicts || conflicts > 1 || (left.is_none() && conflicts > 0) {
        return Err(format!("litter {litter:?}"));
    }
    // The process may have died before its report.
    if told > conflicts || (plan.deaths.len() == 1 && told != conflicts) {
        return Err(format!("told {told} times of {conflicts}"));
    }
    // Any way to forget has to find the set-aside change.
    let forget = if plan.backup { json!({"path": "a.txt"}) } else { json!({"everything": true}) };
    let forgotten = fixture.call("forget", &forget).map_err(|error| error.to_string())?;
    let left: Vec<_> = fixture.litter();
    if !left.is_empty() || forgotten["forgotten"].as_u64() < Some(conflicts as u64) {
        return Err(format!("{left:?} is left by {forget}: {forgotten}"));
    }
    Ok(conflicts > 0)
}

#[test]
fn a_death_at_any_byte_leaves_old_bytes_or_new_ones_and_those_of_others_alone() {
    let count = if soak() { 20_000 } else { 1_200 };
    let plans =
        (text(), text(), any::<bool>(), 1..9_usize, prop::collection::vec(any::<u16>(), 1..5), foreign())
            .prop_filter_map("nothing is changed", |(old, new, backup, at_once, deaths, foreign)| {
                (old != new).then_some(CrashedSplice { old, new, backup, at_once, deaths, foreign })
            });
    let mut run = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    let (mut complaints, mut conflicts) = (Complaints::default(), 0);
    for _ in 0..count {
        let plan = plans.new_tree(&mut run).unwrap().current();
        complaints.tried();
        match try_one(&plan) {
            Ok(conflict) => conflicts += u64::from(conflict),
            Err(what) => complaints
                .add(format!("{:?}", std::mem::discriminant(&plan.foreign)), || format!("{plan:?}: {what}")),
        }
    }
    eprintln!("{conflicts} conflicts");
    complaints.end("splices");
}

/// Every crash at every byte, of the call and of its recovery.
#[test]
fn no_byte_is_the_wrong_one() {
    let mut complaints = Complaints::default();
    let texts = ["", "a", "ab", "abc", "abcabc", "cab", "ccccc"];
    let pairs = texts.into_iter().flat_map(|old| texts.map(|new| (old, new)));
    // A backup keeps the whole old text, also the part after the change.
    let tried = pairs.flat_map(|(old, new)| [false, true].map(|backup| (old, new, backup)));
    for (old, new, backup) in tried.chain([("abcab", "cbcab", true), ("abcab", "acbab", true)]) {
        if old == new || (!soak() && old.len() + new.len() > 10) {
            continue;
        }
        for first in 0..60_u32 {
            for second in 0..60_u32 {
                if !soak() && (first * 7 + second) % 97 != 0 {
                    continue;
                }
                let deaths = [first, second].map(|death| (death * 65_536 / 60) as u16).to_vec();
                let plan = CrashedSplice {
                    old: old.to_owned(),
                    new: new.to_owned(),
                    backup,
                    at_once: 1,
                    deaths,
                    foreign: ForeignEdit::Nothing,
                };
                complaints.tried();
                if let Err(what) = try_one(&plan) {
                    complaints.add(format!("{old} {new}"), || format!("{plan:?}: {what}"));
                }
            }
        }
    }
    complaints.end("pairs of deaths");
}

/// Reads of other files go on beside a write in place that died, or that still goes on.
#[test]
fn a_write_in_place_holds_up_no_other_file() {
    let (old, new) = ("one and all", "another one and all");
    let calls = [
        ("replace", json!({"path": "/w/a.txt", "old": "one", "new": "another one"})),
        (
            "apply",
            json!({"edits": [
                {"path": "/w/b.txt", "old": "one", "new": "another one"},
                {"path": "/w/a.txt", "old": "one", "new": "another one"},
            ]}),
        ),
    ];
    for (tool, args) in calls {
        let mut busy = 0;
        for at in 0.. {
            let fixture = Fixture::new(
                Layout::Same,
                &[("w/a.txt", old), ("w/b.txt", old), ("w/c.txt", "c"), ("v/", "")],
            );
            let session = fixture.session();
            fixture.machine.set(FaultPlan::Stop(at, 3));
            let _died = call(&session, tool, &args);
            let is_whole = fixture.machine.calls() <= at;
            fixture.machine.set(FaultPlan::Well);
            let reader = fixture.session();
            let read = |path: &str| call(&reader, "read", &json!({"path": path}));
            assert_eq!(read("/w/c.txt").unwrap()["content"], "c", "{tool}, dead at {at}");
            for path in ["/w/a.txt", "/w/b.txt"] {
                match read(path) {
                    Ok(said) => assert!(
                        [old, new].iter().any(|text| said["content"] == *text),
                        "{tool}, dead at {at}: {said}"
                    ),
                    Err(error) => {
                        assert_eq!(error["code"], "busy", "{tool}, dead at {at}: {error}");
                        busy += 1;
                    }
                }
            }
            if is_whole {
                break;
            }
        }
        assert!(busy > 0, "{tool}");
    }
}
