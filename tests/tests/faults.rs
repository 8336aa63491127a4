//! What only a fault can bring about, by fault injection on the volume in memory.
//!
//! [`PROVEN_HERE`] and [`PROVEN_THROUGH_THE_HOST`] name every code of this kind and the place of its proof.

mod manage;
mod volume;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use fsgate_contract::agent_types::CallArgs;
use fsgate_corpus::codes::FAULT_CODES;
use fsgate_engine::agent;
use fsgate_tests::memory;
use fsgate_tests::placeholder::{occurrence, search, strong_tag};
use fsgate_tests::tree::Tree;
use fsgate_tests::verdict::foretold;
use fsgate_volume::memory::{Item, Memory};
use fsgate_volume::{Access, Fault, Volume};
use serde_json::{Value, json};
use volume::{Faulty, Step};

/// Codes that a fault of the volume gives.
const PROVEN_HERE: &[&str] =
    &["busy", "cross_device", "io", "no_space", "quota", "unrecovered", "unsupported"];

/// Codes that the host gives when it ends a call; `gate.rs` makes it do so.
const PROVEN_THROUGH_THE_HOST: &[&str] = &["deadline", "limit", "other"];

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
        Self::creates().swap_remove(0)
    }

    /// The same, by every tool that makes files.
    fn creates() -> Vec<Self> {
        let after = "file w/a.txt \"old\"\nfile w/d/e/new.txt \"twenty bytes, or more\"";
        let bytes = json!({"path": "d/e/new.txt", "bytes": "dHdlbnR5IGJ5dGVzLCBvciBtb3Jl"});
        let text = |tool| (tool, json!({"path": "d/e/new.txt", "content": "twenty bytes, or more"}));
        [text("create"), text("write"), ("write_bytes", bytes), text("append")]
            .into_iter()
            .map(|(tool, arguments)| Self::new("file w/a.txt \"old\"", tool, arguments, after))
            .collect()
    }

    /// The three ways in which an existing file changes: it grows, it shrinks, it keeps its size.
    fn replaces() -> [Self; 3] {
        ["eighteen characters", "", "one"].map(|new| {
            let file = |text: &str| format!("file w/a.txt \"before {text} and a tail of some length\"");
            let (before, after) = (file("two"), file(new));
            Self::new(&before, "replace", json!({"path": "a.txt", "old": "two", "new": new}), &after)
        })
    }

    /// Every way in which an existing file changes, by every tool.
    fn changes() -> Vec<Self> {
        let change = |before: &str, tool, mut arguments: Value, after: &str| {
            arguments["path"] = "a.txt".into();
            let file = |text: &str| format!("file w/a.txt {}", json!(text));
            Self::new(&file(before), tool, arguments, &file(after))
        };
        let (before, tail) = ("before two and a tail of some length", " and a tail of some length");
        let mut changes: Vec<_> = Self::replaces().into();
        for (new, bytes) in [
            (
                "before eighteen characters and a tail of some length",
                "YmVmb3JlIGVpZ2h0ZWVuIGNoYXJhY3RlcnMgYW5kIGEgdGFpbCBvZiBzb21lIGxlbmd0aA==",
            ),
            ("before", "YmVmb3Jl"),
            ("before one and a tail of some length", "YmVmb3JlIG9uZSBhbmQgYSB0YWlsIG9mIHNvbWUgbGVuZ3Ro"),
            (
                "something else that has nothing in common with it at all",
                "c29tZXRoaW5nIGVsc2UgdGhhdCBoYXMgbm90aGluZyBpbiBjb21tb24gd2l0aCBpdCBhdCBhbGw=",
            ),
            ("", ""),
        ] {
            changes.push(change(before, "write", json!({"content": new}), new));
            changes.push(change(before, "write_bytes", json!({"bytes": bytes}), new));
        }
        for separator in ["", ", or a separator, and "] {
            let arguments = json!({"content": "more than seven bytes", "separator": separator});
            changes.push(change(
                before,
                "append",
                arguments,
                &format!("{before}{separator}more than seven bytes"),
            ));
        }
        for new in ["eighteen characters", "", "one"] {
            let text = |two: &str| format!("before {two} and {two},{two}{tail}");
            for (old, regex) in [("two", false), ("[t]w.", true)] {
                let arguments = json!({"old": old, "new": new, "regex": regex});
                changes.push(change(&text("two"), "replace_all", arguments, &text(new)));
            }
        }
        for new in ["eighteen characters", "", "one"] {
            let file = |one: &str| format!("file w/a.txt {}", json!(format!("before {one} and two{tail}")));
            let before = format!("before two and two{tail}");
            let mut arguments = json!({"paths": ["a.txt"], "old": "two", "new": new});
            let id = occurrence(before.as_bytes(), "/w/a.txt", 7, &search(&arguments));
            arguments["ids"] = json!([id]);
            changes.push(Self::new(&file("two"), "replace_in_files", arguments, &file(new)));
        }
        let lines = |two: &str| format!("one and a line end\n{two}three and a tail of some length\n");
        for new in ["eighteen characters\n", "", "two\n"] {
            let arguments = json!({"lines": "2", "content": new});
            changes.push(change(&lines("two\n"), "replace_lines", arguments, &lines(new)));
        }
        let arguments = json!({"after": 1, "content": "eighteen characters"});
        changes.push(change(&lines(""), "insert_lines", arguments, &lines("eighteen characters\n")));
        let arguments = json!({"lines": "2", "syntax": "html"});
        let (plain, comment) = (lines("two\n"), lines("<!-- two -->\n"));
        changes.push(change(&plain, "comment_lines", arguments.clone(), &comment));
        changes.push(change(&comment, "uncomment_lines", arguments, &plain));
        changes
    }

    /// Which one it is, for messages.
    fn name(&self) -> String {
        format!("{} {}", self.tool, self.arguments)
    }

    /// How far the file grows.
    fn growth(&self) -> u64 {
        let size = |tree: &Tree| {
            tree.items.keys().filter_map(|path| tree.bytes(path)).map(<[u8]>::len).sum::<usize>()
        };
        size(&self.after).saturating_sub(size(&self.tree)) as u64
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
            Ok(ok) => Ok(foretold(serde_json::from_str(&ok.outcome).unwrap())),
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
    let all = || Change::creates().into_iter().chain(Change::changes());
    let (mut refused, mut done) = (0, 0);
    for room in 0..100 {
        for change in all() {
            let name = change.name();
            change.volume.set_capacity(change.bytes().len() as u64 + room);
            match change.call(|_| None) {
                Ok(_) => {
                    assert!(room >= change.growth() && change.is_done(), "{name} with room for {room} bytes");
                    done += 1;
                }
                Err(error) => {
                    assert_eq!(code(&error), "no_space", "{name}: {error}");
                    assert_eq!(error["applied"], false, "{name}");
                    assert!(room < 2 * change.growth(), "{name} with room for {room} bytes");
                    assert!(change.is_untouched(), "{name} with room for {room} bytes");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 100 && done > 100);
}

#[test]
fn wherever_creating_fails_nothing_is_left() {
    for which in 0..Change::creates().len() {
        for n in 0.. {
            let change = Change::creates().swap_remove(which);
            let name = change.name();
            let (fired, before) = nth(n, Fault::Io("broken".to_owned()), |_| true);
            match change.call(before) {
                Err(error) => {
                    assert_eq!(
                        (code(&error), &error["applied"]),
                        ("io", &json!(false)),
                        "{name} at step {n}"
                    );
                    assert!(change.is_untouched(), "{name} at step {n}: {:?}", change.volume.snapshot());
                }
                Ok(_) if fired.get() => {
                    // Only the temporary name could not be removed: the file is there all the same.
                    let made = change.volume.snapshot().remove("w/d/e/new.txt");
                    assert!(matches!(made, Some(Item::File(bytes)) if bytes == b"twenty bytes, or more"));
                }
                Ok(_) => {
                    assert!(change.is_done() && n > 10, "{name}");
                    break;
                }
            }
        }
    }
}

#[test]
fn wherever_changing_fails_it_says_whether_the_file_changed() {
    let mut unrecovered = 0;
    for which in 0..Change::changes().len() {
        for n in 0.. {
            let change = Change::changes().swap_remove(which);
            let name = change.name();
            let (fired, before) = nth(n, Fault::Io("broken".to_owned()), |_| true);
            let Err(error) = change.call(before) else {
                assert!(change.is_done() && !fired.get() && n > 5, "{name} at step {n}");
                break;
            };
            if error["applied"] == false {
                assert_eq!(code(&error), "io", "{name} at step {n}");
                assert!(change.is_untouched(), "{name} at step {n}: {:?}", change.file());
            } else {
                assert_eq!(code(&error), "unrecovered", "{name} at step {n}");
                assert!(change.tool != "append", "what was appended can always be cut off again");
                unrecovered += 1;
            }
        }
    }
    assert!(unrecovered > 0);
}

#[test]
fn where_everything_fails_from_some_step_on_no_error_hides_a_change() {
    for which in 0..Change::changes().len() {
        for n in 0.. {
            let change = Change::changes().swap_remove(which);
            let name = change.name();
            let steps = Cell::new(0);
            let before = move |_| {
                steps.set(steps.get() + 1);
                (steps.get() > n).then(|| Fault::Io("gone".to_owned()))
            };
            let Err(error) = change.call(before) else {
                assert!(change.is_done() && n > 5, "{name}");
                break;
            };
            if error["applied"] == false {
                assert!(change.is_untouched(), "{name} from step {n} on: {:?}", change.file());
            }
        }
    }
}

#[test]
fn wherever_looking_fails_it_says_so_or_leaves_it_out() {
    let tree = "file w/a.txt \"one\"\nfile w/d/b.txt \"two\"\nlink w/l -> d/b.txt";
    for (tool, arguments, may_leave_out) in [
        ("read", json!({"path": "l"}), false),
        ("read_numbered", json!({"path": "l"}), false),
        ("read_bytes", json!({"path": "l"}), false),
        ("stat", json!({"path": "l", "with_etag": true, "checksum": true}), false),
        // Why a link cannot be followed is not told: a host that will not say where it points has a reason.
        ("stat", json!({"path": "l", "follow": false}), true),
        ("exists", json!({"path": "l"}), false),
        ("read_many", json!({"paths": ["a.txt", "l"]}), true),
        ("list_directory", json!({"path": ".", "with_etag": true}), true),
        ("list_directory", json!({"path": ".", "with_etag": true, "recursive": true}), true),
        ("tree", json!({"path": "."}), true),
        ("glob", json!({"pattern": "**", "with_etag": true}), true),
        ("grep", json!({"pattern": "o", "path": "l"}), false),
        ("grep", json!({"pattern": "o"}), true),
    ] {
        for fault in [Fault::Io("broken".to_owned()), Fault::Access] {
            for n in 0.. {
                let change = Change::new(tree, tool, arguments.clone(), tree);
                let (fired, before) = nth(n, fault.clone(), |step| step != Step::ReadLink);
                let answer = change.call(before);
                assert!(change.is_untouched());
                match answer {
                    Err(error) => {
                        assert_eq!(
                            (code(&error), &error["applied"]),
                            ("io", &json!(false)),
                            "{tool} at step {n}"
                        );
                    }
                    Ok(_) if fired.get() => {
                        assert!(may_leave_out, "{tool} {arguments} hides a fault at step {n}");
                    }
                    Ok(_) => {
                        assert!(n > 2);
                        break;
                    }
                }
            }
        }
    }
}

#[test]
fn a_directory_that_cannot_be_read_is_counted_and_hides_no_other() {
    let tree = "file w/a/x \"\"\nfile w/b/y \"\"\nfile w/c \"\"";
    for (step, n) in [(Step::OpenDirectory, 0), (Step::EachEntry, 1)] {
        let change = Change::new(tree, "tree", json!({"path": "."}), tree);
        let (fired, before) = nth(n, Fault::Access, move |at| at == step);
        let outcome = change.call(before).unwrap();
        assert!(fired.get());
        assert_eq!(
            (&outcome["drawn"], &outcome["skipped"]["unreadable"]),
            (&json!("a/\nb/\n  y\nc\n"), &json!(1))
        );
    }
}

#[test]
fn a_file_that_changed_in_between_is_stale_and_stays_as_it_is() {
    for other in
        ["before 222 and a tail of some length", "shorter", "before two and a tail of some length, and more"]
    {
        for change in Change::changes() {
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
    let changes = [false, true]
        .into_iter()
        .flat_map(|without| Change::creates().into_iter().map(move |c| (c, without)));
    for (change, without_links) in changes {
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
