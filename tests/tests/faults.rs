//! What only a fault can bring about, by fault injection on the volume in memory.
//!
//! [`PROVEN_HERE`] and [`PROVEN_THROUGH_THE_HOST`] name every code of this kind and the place of its proof.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use fsgate_core::agent;
use fsgate_core::contract::agent_types::CallArgs;
use fsgate_core::error::FAULT_CODES;
use fsgate_core::volume::memory::{Id, Item, Memory};
use fsgate_core::volume::{Abilities, Access, Fault, Stat, Volume};
use fsgate_tests::memory;
use fsgate_tests::placeholder::strong_tag;
use fsgate_tests::tree::Tree;
use serde_json::{Value, json};

/// Codes that a fault of the volume gives.
const PROVEN_HERE: &[&str] =
    &["busy", "cross_device", "io", "no_space", "quota", "stale", "unrecovered", "unsupported"];

/// Codes that the host gives when it ends a call; `gate.rs` makes it do so.
const PROVEN_THROUGH_THE_HOST: &[&str] = &["deadline", "limit", "other"];

/// A call to a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Stat,
    OpenDirectory,
    OpenFile(Access),
    CreateFile,
    CreateDirectory,
    ReadLink,
    LinkFile,
    RemoveFile,
    RemoveDirectory,
    StatFile,
    ReadAt,
    WriteAt,
    SetSize,
}

/// A volume in memory that asks before every step whether it is to fail. It moves few bytes at once, as
/// volumes may, so that there are many steps.
#[derive(Clone)]
struct Faulty {
    inner: Memory,
    before: Rc<dyn Fn(Step) -> Option<Fault>>,
}

const BYTES_AT_ONCE: usize = 7;

impl Faulty {
    fn step(&self, step: Step) -> Result<(), Fault> {
        (self.before)(step).map_or(Ok(()), Err)
    }
}

impl Volume for Faulty {
    type Directory = Id;
    type File = Id;

    fn root(&self) -> Id {
        self.inner.root()
    }

    fn stat(&self, directory: &Id, name: &str) -> Result<Stat, Fault> {
        self.step(Step::Stat).and_then(|()| self.inner.stat(directory, name))
    }

    fn open_directory(&self, directory: &Id, name: &str) -> Result<Id, Fault> {
        self.step(Step::OpenDirectory).and_then(|()| self.inner.open_directory(directory, name))
    }

    fn open_file(&self, directory: &Id, name: &str, access: Access) -> Result<Id, Fault> {
        self.step(Step::OpenFile(access)).and_then(|()| self.inner.open_file(directory, name, access))
    }

    fn create_file(&self, directory: &Id, name: &str) -> Result<Id, Fault> {
        self.step(Step::CreateFile).and_then(|()| self.inner.create_file(directory, name))
    }

    fn create_directory(&self, directory: &Id, name: &str) -> Result<(), Fault> {
        self.step(Step::CreateDirectory).and_then(|()| self.inner.create_directory(directory, name))
    }

    fn read_link(&self, directory: &Id, name: &str) -> Result<String, Fault> {
        self.step(Step::ReadLink).and_then(|()| self.inner.read_link(directory, name))
    }

    fn link_file(&self, directory: &Id, name: &str, new_name: &str) -> Result<(), Fault> {
        self.step(Step::LinkFile).and_then(|()| self.inner.link_file(directory, name, new_name))
    }

    fn remove_file(&self, directory: &Id, name: &str) -> Result<(), Fault> {
        self.step(Step::RemoveFile).and_then(|()| self.inner.remove_file(directory, name))
    }

    fn remove_directory(&self, directory: &Id, name: &str) -> Result<(), Fault> {
        self.step(Step::RemoveDirectory).and_then(|()| self.inner.remove_directory(directory, name))
    }

    fn stat_file(&self, file: &Id) -> Result<Stat, Fault> {
        self.step(Step::StatFile).and_then(|()| self.inner.stat_file(file))
    }

    fn read_at(&self, file: &Id, offset: u64, length: usize) -> Result<Vec<u8>, Fault> {
        self.step(Step::ReadAt).and_then(|()| self.inner.read_at(file, offset, length.min(BYTES_AT_ONCE)))
    }

    fn write_at(&self, file: &Id, offset: u64, bytes: &[u8]) -> Result<usize, Fault> {
        let some = &bytes[..bytes.len().min(BYTES_AT_ONCE)];
        self.step(Step::WriteAt).and_then(|()| self.inner.write_at(file, offset, some))
    }

    fn set_size(&self, file: &Id, size: u64) -> Result<(), Fault> {
        self.step(Step::SetSize).and_then(|()| self.inner.set_size(file, size))
    }

    fn random(&self) -> u128 {
        self.inner.random()
    }

    fn abilities(&self) -> Abilities {
        self.inner.abilities()
    }
}

/// A tree, and a call that changes it.
struct Change {
    tree: Tree,
    volume: Memory,
    tool: &'static str,
    arguments: Value,
    after: Tree,
}

impl Change {
    fn new(before: &str, tool: &'static str, arguments: Value, after: &str) -> Self {
        let (tree, after) = (Tree::parse(before).unwrap(), Tree::parse(after).unwrap());
        Self { volume: memory::volume(&tree).unwrap(), tree, tool, arguments, after }
    }

    /// A file with missing parents.
    fn create() -> Self {
        let arguments = json!({"path": "d/e/new.txt", "content": "twenty bytes, or more"});
        let after = "file w/a.txt \"old\"\nfile w/d/e/new.txt \"twenty bytes, or more\"";
        Self::new("file w/a.txt \"old\"", "create", arguments, after)
    }

    /// The three ways in which an existing file changes: it grows, it shrinks, it keeps its size.
    fn replaces() -> [Self; 3] {
        ["eighteen characters", "", "one"].map(|new| {
            let file = |text: &str| format!("file w/a.txt \"before {text} and a tail of some length\"");
            let (before, after) = (file("two"), file(new));
            Self::new(&before, "replace", json!({"path": "a.txt", "old": "two", "new": new}), &after)
        })
    }

    fn bytes(&self) -> Vec<u8> {
        self.tree.bytes("w/a.txt").unwrap().to_vec()
    }

    /// Makes the call on a volume that asks `before` every step.
    fn call(&self, before: impl Fn(Step) -> Option<Fault> + 'static) -> Result<Value, Value> {
        let before: Rc<dyn Fn(Step) -> Option<Fault>> = Rc::new(before);
        let wrap = |inner| Faulty { inner, before: before.clone() };
        let session = memory::session(&self.tree, &self.volume, wrap).unwrap();
        let args = CallArgs { tool: self.tool.to_owned(), arguments: self.arguments.to_string() };
        match agent::call(&session, &args) {
            Ok(ok) => Ok(serde_json::from_str(&ok.outcome).unwrap()),
            Err(refused) => Err(serde_json::from_str(&refused.error).unwrap()),
        }
    }

    /// The tree is what it was before the call.
    fn is_untouched(&self) -> bool {
        memory::snapshot(&self.volume) == memory::snapshot(&memory::volume(&self.tree).unwrap())
    }

    /// The tree is what the call makes of it.
    fn is_done(&self) -> bool {
        memory::snapshot(&self.volume) == memory::snapshot(&memory::volume(&self.after).unwrap())
    }

    fn file(&self) -> Item {
        self.volume.snapshot().remove("w/a.txt").unwrap()
    }
}

/// Fails at the `n`-th step of those that `counts`, and says whether it came to that.
fn nth(
    n: usize,
    fault: Fault,
    counts: impl Fn(Step) -> bool,
) -> (Rc<Cell<bool>>, impl Fn(Step) -> Option<Fault>) {
    let (met, so_far) = (Rc::new(Cell::new(false)), Cell::new(0));
    let fired = met.clone();
    let before = move |step| {
        if !counts(step) {
            return None;
        }
        so_far.set(so_far.get() + 1);
        let now = so_far.get() == n + 1;
        met.set(met.get() || now);
        now.then(|| fault.clone())
    };
    (fired, before)
}

fn code(error: &Value) -> &str {
    error["code"].as_str().unwrap()
}

#[test]
fn every_code_of_a_fault_is_proven_somewhere() {
    let proven: BTreeSet<_> = PROVEN_HERE.iter().chain(PROVEN_THROUGH_THE_HOST).collect();
    assert_eq!(proven, FAULT_CODES.iter().collect::<BTreeSet<_>>());
}

#[test]
fn faults_have_codes_of_their_own() {
    for (fault, step, change, expected) in [
        (Fault::Busy, Step::OpenFile(Access::Write), &Change::replaces()[0], "busy"),
        (Fault::Busy, Step::OpenFile(Access::Read), &Change::replaces()[0], "busy"),
        (Fault::Quota, Step::WriteAt, &Change::create(), "quota"),
        (Fault::Quota, Step::WriteAt, &Change::replaces()[0], "quota"),
        (Fault::NoSpace, Step::CreateDirectory, &Change::create(), "no_space"),
        (Fault::CrossDevice, Step::LinkFile, &Change::create(), "cross_device"),
        (Fault::Unsupported, Step::CreateFile, &Change::create(), "unsupported"),
        (Fault::Io("broken".to_owned()), Step::ReadAt, &Change::replaces()[0], "io"),
        (Fault::ReadOnly, Step::CreateDirectory, &Change::create(), "read_only"),
        (Fault::Access, Step::OpenFile(Access::Write), &Change::replaces()[0], "read_only"),
        (Fault::Access, Step::OpenFile(Access::Read), &Change::replaces()[0], "io"),
    ] {
        let (_, before) = nth(0, fault.clone(), move |taken| taken == step);
        let error = change.call(before).unwrap_err();
        assert_eq!(code(&error), expected, "{fault:?} at {step:?}: {error}");
        assert_eq!(error["applied"], false);
        assert!(change.is_untouched(), "{fault:?} at {step:?}");
    }
}

#[test]
fn a_full_disk_loses_nothing() {
    // However much room there is, down to none: the call works, or nothing has happened.
    for make in [|| Change::create(), || Change::replaces().into_iter().next().unwrap()] {
        let (mut refused, mut done) = (0, 0);
        for room in 0..40 {
            let change = make();
            change.volume.set_capacity(change.bytes().len() as u64 + room);
            match change.call(|_| None) {
                Ok(_) => {
                    assert!(change.is_done());
                    done += 1;
                }
                Err(error) => {
                    assert_eq!(code(&error), "no_space", "{error}");
                    assert_eq!(error["applied"], false);
                    assert!(change.is_untouched(), "with room for {room} bytes");
                    refused += 1;
                }
            }
        }
        assert!(refused > 0 && done > 0);
    }
}

#[test]
fn wherever_creating_fails_nothing_is_left() {
    for n in 0.. {
        let change = Change::create();
        let (fired, before) = nth(n, Fault::Io("broken".to_owned()), |_| true);
        match change.call(before) {
            Err(error) => {
                assert_eq!((code(&error), &error["applied"]), ("io", &json!(false)), "at step {n}");
                assert!(change.is_untouched(), "at step {n}: {:?}", change.volume.snapshot());
            }
            Ok(_) if fired.get() => {
                // Only the temporary name could not be removed: the file is there all the same.
                let made = change.volume.snapshot().remove("w/d/e/new.txt");
                assert!(matches!(made, Some(Item::File(bytes)) if bytes == b"twenty bytes, or more"));
            }
            Ok(_) => {
                assert!(change.is_done() && n > 10);
                break;
            }
        }
    }
}

#[test]
fn wherever_replacing_fails_it_says_whether_the_file_changed() {
    let mut unrecovered = 0;
    for which in 0..3 {
        for n in 0.. {
            let change = &Change::replaces()[which];
            let (fired, before) = nth(n, Fault::Io("broken".to_owned()), |_| true);
            let Err(error) = change.call(before) else {
                assert!(change.is_done() && !fired.get() && n > 10);
                break;
            };
            if error["applied"] == false {
                assert_eq!(code(&error), "io", "{which} at step {n}");
                assert!(change.is_untouched(), "{which} at step {n}: {:?}", change.file());
            } else {
                assert_eq!(code(&error), "unrecovered", "{which} at step {n}");
                unrecovered += 1;
            }
        }
    }
    assert!(unrecovered > 0);
}

#[test]
fn where_everything_fails_from_some_step_on_no_error_hides_a_change() {
    for which in 0..3 {
        for n in 0.. {
            let change = &Change::replaces()[which];
            let steps = Cell::new(0);
            let before = move |_| {
                steps.set(steps.get() + 1);
                (steps.get() > n).then(|| Fault::Io("gone".to_owned()))
            };
            let Err(error) = change.call(before) else {
                assert!(change.is_done() && n > 10);
                break;
            };
            if error["applied"] == false {
                assert!(change.is_untouched(), "{which} from step {n} on: {:?}", change.file());
            }
        }
    }
}

#[test]
fn a_file_that_changed_in_between_is_stale_and_stays_as_it_is() {
    for other in
        ["before 222 and a tail of some length", "shorter", "before two and a tail of some length, and more"]
    {
        for change in Change::replaces() {
            let volume = change.volume.clone();
            let done = Cell::new(false);
            let error = change
                .call(move |step| {
                    if step == Step::OpenFile(Access::Write) && !done.replace(true) {
                        let root = volume.at("w");
                        let file = root.open_file(&root.root(), "a.txt", Access::Write).unwrap();
                        root.set_size(&file, 0).unwrap();
                        root.write_at(&file, 0, other.as_bytes()).unwrap();
                    }
                    None
                })
                .unwrap_err();
            assert_eq!((code(&error), &error["applied"]), ("stale", &json!(false)));
            assert_eq!(error["tag"], strong_tag(other.as_bytes()));
            assert_eq!(change.file(), Item::File(other.into()));
        }
    }
}

#[test]
fn a_file_that_came_in_between_is_not_overwritten() {
    // Before the link that decides, on volumes with links and without.
    for without_links in [false, true] {
        let change = Change::create();
        let volume = change.volume.clone();
        let error = change
            .call(move |step| {
                if step == Step::LinkFile {
                    volume.put("w/d/e/new.txt", Item::File(b"theirs".to_vec()));
                }
                (step == Step::LinkFile && without_links).then_some(Fault::Unsupported)
            })
            .unwrap_err();
        assert_eq!((code(&error), &error["applied"]), ("exists", &json!(false)));
        let tree = Tree::parse("file w/a.txt \"old\"\nfile w/d/e/new.txt \"theirs\"").unwrap();
        assert_eq!(memory::snapshot(&change.volume), memory::snapshot(&memory::volume(&tree).unwrap()));
    }
}

#[test]
fn parents_that_came_in_between_are_used_and_stay() {
    let change = Change::create();
    let volume = change.volume.clone();
    let done = Cell::new(false);
    let outcome = change.call(move |step| {
        if step == Step::CreateDirectory && !done.replace(true) {
            volume.put("w/d/theirs.txt", Item::File(b"theirs".to_vec()));
        }
        None
    });
    assert!(outcome.is_ok());
    assert!(change.volume.snapshot().contains_key("w/d/theirs.txt"));
    assert!(change.volume.snapshot().contains_key("w/d/e/new.txt"));
}

#[test]
fn a_volume_without_links_creates_files_too() {
    for fault in [Fault::Unsupported, Fault::NotPermitted, Fault::Access] {
        let change = Change::create();
        let no_links = fault.clone();
        assert!(change.call(move |step| (step == Step::LinkFile).then(|| no_links.clone())).is_ok());
        assert!(change.is_done());
        assert_eq!(code(&change.call(|_| None).unwrap_err()), "exists");

        // What fails on the way is taken back here as well.
        for n in 0.. {
            let change = Change::create();
            let no_links = fault.clone();
            let (fired, broken) = nth(n, Fault::Io("broken".to_owned()), |step| step == Step::WriteAt);
            let answer = change
                .call(move |step| if step == Step::LinkFile { Some(no_links.clone()) } else { broken(step) });
            match answer {
                Err(error) => {
                    assert_eq!((code(&error), &error["applied"]), ("io", &json!(false)));
                    assert!(change.is_untouched(), "at write {n}");
                }
                Ok(_) => {
                    assert!(!fired.get() && n > 2);
                    break;
                }
            }
        }
    }
}
