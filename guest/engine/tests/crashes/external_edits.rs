//! A person changes files by hand between a crash and the next process. No bytes are lost.

use fsgate_volume::memory::{Item, Memory};
use fsgate_volume::{Access, Volume};
use serde_json::{Value, json};

use super::cases::cases;
use super::fixture::{Complaints, Fixture, LAYOUTS, Layout, Snapshot, call, holding};
use super::stops::{Course, is_tried};
use super::volume::FaultPlan;
use super::{every, soak};

const TREE: &[(&str, &str)] = &[("w/d/f.txt", "ffff"), ("w/d/g.txt", ""), ("w/e/f.txt", "eeee"), ("v/", "")];

fn file(text: &str) -> Item {
    Item::File(text.as_bytes().to_vec())
}

/// A grant, the directory of a path, and the name.
fn named<'a>(fixture: &Fixture, path: &'a str) -> (Memory, <Memory as Volume>::Directory, &'a str) {
    let (volume, path) = fixture.within(path);
    let (directory, name) = holding(volume, path).unwrap();
    (volume.clone(), directory, name)
}

fn rename(fixture: &Fixture, from: &str, to: &str) {
    let ((volume, old, name), (_, new, new_name)) = (named(fixture, from), named(fixture, to));
    volume.rename(&old, name, &new, new_name).unwrap();
}

fn remove(fixture: &Fixture, path: &str) {
    let (volume, directory, name) = named(fixture, path);
    volume.remove_file(&directory, name).unwrap();
}

fn put(fixture: &Fixture, path: &str, item: Item) {
    let (volume, path) = fixture.within(path);
    volume.put(path, item);
}

fn write(fixture: &Fixture, path: &str, at: u64, bytes: &[u8]) {
    let (volume, directory, name) = named(fixture, path);
    let file = volume.open_file(&directory, name, Access::Write).unwrap();
    assert_eq!(volume.write_at(&file, at, bytes).unwrap(), bytes.len());
}

/// A fixture with a crashed call, after the calls before it.
fn dead(fixture: Fixture, earlier: &[(&str, Value)], tool: &str, args: &Value, at: u64) -> Fixture {
    for (tool, args) in earlier {
        fixture.earlier(tool, args).unwrap();
    }
    let session = fixture.session();
    fixture.machine.set(FaultPlan::Stop(at, 3));
    let _ = call(&session, tool, &fixture.told(args));
    fixture
}

fn deaths(fixture: Fixture, earlier: &[(&str, Value)], tool: &str, args: &Value) -> u64 {
    let fixture = dead(fixture, earlier, tool, args, u64::MAX);
    fixture.machine.calls()
}

#[derive(Debug, Clone, Copy)]
enum ExternalEdit {
    /// As many other bytes in the same file.
    Writes,
    /// Further bytes.
    Appends,
    /// Another file of the same size, as editors save.
    Saves,
}

impl ExternalEdit {
    fn does(self, fixture: &Fixture, path: &str, before: &[u8]) -> Vec<u8> {
        let other = vec![b'~'; before.len()];
        match self {
            Self::Writes => {
                write(fixture, path, 0, &other);
                other
            }
            Self::Appends => {
                write(fixture, path, before.len() as u64, b"~");
                [before, b"~"].concat()
            }
            Self::Saves => {
                put(fixture, path, Item::File(other.clone()));
                other
            }
        }
    }
}

#[test]
fn what_somebody_writes_before_anybody_comes_is_there_behind_it() {
    let mut complaints = Complaints::default();
    for (number, case) in cases().iter().enumerate() {
        for (row, layout) in LAYOUTS.into_iter().enumerate() {
            // A move between disks has two copies for a while.
            let is_between = layout == Layout::Two && case.tool == "move" && case.earlier.is_empty();
            let is_tried = match case.earlier.is_empty() {
                // Each in one layout, because there are many.
                false if soak() => number % LAYOUTS.len() == row && is_tried(case, (number, 0), 24),
                _ => is_tried(case, (number, row), 48),
            };
            if !is_between && !is_tried {
                continue;
            }
            let course = Course::of(case, layout);
            if course.is_idle() {
                continue;
            }
            for at in course.changes.iter().step_by(every(2)) {
                let died = || {
                    let (fixture, _) = Fixture::after(case, layout, FaultPlan::Stop(*at, 3));
                    fixture
                };
                let files = died().trees().into_iter().filter_map(|(path, item)| match item {
                    Item::File(bytes) if !path.contains("/.fsgate-") && !path.ends_with('/') => {
                        Some((path, bytes))
                    }
                    _ => None,
                });
                for (path, before) in files {
                    for edit in [ExternalEdit::Writes, ExternalEdit::Appends, ExternalEdit::Saves] {
                        let fixture = died();
                        let theirs = edit.does(&fixture, &path, &before);
                        fixture.heal();
                        complaints.tried();
                        if !fixture.has(&theirs) {
                            complaints.add(format!("{} in {layout:?}, {edit:?}", case.name), || {
                                format!("dead at {at}, {path}: {:?}", fixture.trees())
                            });
                        }
                    }
                }
            }
        }
    }
    complaints.end("deaths, and something written by hand");
}

/// Another file of the expected size appears before the next process.
#[test]
fn what_somebody_else_has_put_there_since_is_not_taken_for_what_was_to_come_back() {
    let mut complaints = Complaints::default();
    let to = || json!({"to": "here"});
    for (tool, args, path, theirs) in [
        ("undo", json!({"id": "#1"}), "d", vec![("d/f.txt", "zzzz"), ("d/g.txt", "")]),
        ("undo", to(), "d", vec![("d/f.txt", "zzzz"), ("d/g.txt", "")]),
        ("undo", to(), "e", vec![("e/f.txt", "yyyy")]),
        ("restore", json!({"id": "#1", "path": "d"}), "d", vec![("d/f.txt", "zzzz"), ("d/g.txt", "")]),
    ] {
        for layout in [Layout::Same, Layout::Other] {
            let begun = || {
                let fixture = Fixture::new(layout, TREE);
                for (tool, args) in [
                    ("checkpoint", json!({"label": "here"})),
                    ("delete_directory", json!({"path": "d", "recursive": true})),
                    ("delete_directory", json!({"path": "e", "recursive": true})),
                ] {
                    fixture.earlier(tool, &args).unwrap();
                }
                fixture
            };
            let whole = begun();
            let session = whole.session();
            whole.machine.set(FaultPlan::Well);
            call(&session, tool, &whole.told(&args)).unwrap();
            for at in 0..whole.machine.calls() {
                let fixture = begun();
                let session = fixture.session();
                fixture.machine.set(FaultPlan::Stop(at, 3));
                let _ = call(&session, tool, &fixture.told(&args));
                if fixture.grant().snapshot().contains_key(path) {
                    continue;
                }
                for (path, text) in &theirs {
                    fixture.grant().put(path, file(text));
                }
                fixture.heal();
                complaints.tried();
                let lost = ["ffff", "eeee"].into_iter().find(|text| !fixture.has(text.as_bytes()));
                let trees = fixture.trees();
                let is_there =
                    |(path, text): &(&str, &str)| trees.get(&format!("/w/{path}")) == Some(&file(text));
                if lost.is_some() || !theirs.iter().all(is_there) {
                    complaints.add(format!("{tool} {args} in {layout:?}"), || {
                        format!("dead at {at}: {lost:?} is gone: {trees:?}")
                    });
                }
            }
        }
    }
    complaints.end("deaths, and something of the same size put there");
}

/// A directory is at another place, or below another one, while other calls are made.
#[test]
fn a_half_written_file_waits_until_its_directory_comes_back() {
    let mut complaints = Complaints::default();
    let args = json!({"path": "d/f.txt", "content": "a new text"});
    for layout in [Layout::Same, Layout::Other] {
        for place in ["/w/away", "/w/e/away"] {
            for at in 0..deaths(Fixture::new(layout, TREE), &[], "write", &args) {
                let fixture = dead(Fixture::new(layout, TREE), &[], "write", &args, at);
                rename(&fixture, "/w/d", place);
                fixture.heal();
                rename(&fixture, place, "/w/d");
                let path = json!({"path": "/w/elsewhere/again"});
                fixture.call("create_directory", &path).unwrap();
                complaints.tried();
                let now = fixture.trees()["/w/d/f.txt"].clone();
                if ![file("ffff"), file("a new text")].contains(&now) {
                    complaints.add(format!("{layout:?} {place}"), || format!("dead at {at}: {now:?}"));
                }
            }
        }
    }
    complaints.end("deaths, and the directory was away");
}

/// The directory of a half-made deletion is away during `recover`, and there again for the next
/// `recover` or `forget`.
#[test]
fn a_deletion_that_was_set_aside_is_completed_after_its_directory_came_back() {
    const TREE: &[(&str, &str)] = &[("w/d/t/1", "one"), ("w/d/t/2", "two"), ("w/e", "e"), ("v/", "")];
    let mut complaints = Complaints::default();
    let args = json!({"path": "d/t", "recursive": true, "keep": false});
    let mut completed = 0;
    for (next, next_args) in [("recover", json!({})), ("forget", json!({"everything": true}))] {
        for at in 0..deaths(Fixture::new(Layout::Same, TREE), &[], "delete_directory", &args) {
            let fixture = dead(Fixture::new(Layout::Same, TREE), &[], "delete_directory", &args, at);
            rename(&fixture, "/w/d", "/w/away");
            fixture.machine.set(FaultPlan::Well);
            let said = fixture.call("recover", &json!({})).unwrap();
            if next == "forget" && at % 2 == 0 {
                let forgotten = fixture.call(next, &next_args).unwrap();
                let left = fixture.trees().into_keys().find(|path| path.starts_with("/w/away/.fsgate"));
                complaints.tried();
                if left.is_some() && !forgotten["notes"].to_string().contains("in that directory") {
                    complaints.add("no note".to_owned(), || format!("dead at {at}: {left:?} {forgotten}"));
                }
                continue;
            }
            rename(&fixture, "/w/away", "/w/d");
            fixture.call(next, &next_args).unwrap();
            complaints.tried();
            let was_set_aside = said["conflicts"].as_array().is_some_and(|conflicts| !conflicts.is_empty());
            completed += usize::from(was_set_aside);
            let left: Vec<_> = fixture.trees().into_keys().filter(|path| path.starts_with("/w/d/")).collect();
            let is_whole = left == ["/w/d/t", "/w/d/t/1", "/w/d/t/2"];
            if !left.is_empty() && !is_whole {
                complaints.add(next.to_owned(), || format!("dead at {at}: {left:?}"));
            }
        }
    }
    assert!(completed > 0, "no deletion was set aside");
    complaints.end("deaths of a deletion, and the directory was away during `recover`");
}

/// An edit of a half-made call, with the content that it has to keep; none if it does not apply.
type HandEdit = fn(&Fixture, &Snapshot) -> Option<&'static [&'static str]>;

/// Tries every edit at every death of a call. The old content and the edited one end up in some
/// file.
fn by_hand(
    complaints: &mut Complaints,
    fixture: impl Fn() -> Fixture,
    (tool, args): (&str, &Value),
    texts: &[&str],
    hands: &[(&str, HandEdit)],
    visitors: &[Option<&str>],
) {
    for at in 0..deaths(fixture(), &[], tool, args) {
        for (edit, ends) in hands {
            for visitor in visitors {
                let fixture = dead(fixture(), &[], tool, args, at);
                let Some(theirs) = ends(&fixture, &fixture.trees()) else { continue };
                if let Some(grant) = visitor {
                    let path = if *grant == "/w" { "/w/elsewhere" } else { super::fixture::THEIRS };
                    fixture.machine.set(FaultPlan::Well);
                    let session = fixture.session_over(&[grant]);
                    call(&session, "create_directory", &json!({ "path": path })).unwrap();
                }
                fixture.heal();
                complaints.tried();
                let lost = texts.iter().chain(theirs).find(|text| !fixture.has(text.as_bytes()));
                if let Some(lost) = lost {
                    complaints.add(format!("{tool} {args} in {:?}, {edit}", fixture.layout), || {
                        format!("dead at {at}, {visitor:?}: {lost:?} is gone: {:?}", fixture.trees())
                    });
                }
            }
        }
    }
}

#[test]
fn what_was_done_by_hand_is_not_taken_back() {
    const TEXT: &str = "precious";
    let mut complaints = Complaints::default();
    let hands: [(&str, HandEdit); 3] = [
        ("removed", |fixture, trees| {
            let both = ["/w/f", "/v/f"].iter().all(|path| trees.get(*path) == Some(&file(TEXT)));
            both.then(|| remove(fixture, "/w/f")).map(|()| &[][..])
        }),
        ("moved", |fixture, trees| {
            (trees.get("/w/f") == Some(&file(TEXT))).then(|| {
                put(fixture, "/v/f", file(TEXT));
                remove(fixture, "/w/f");
                &[][..]
            })
        }),
        ("replaced", |fixture, trees| {
            let both = ["/w/f", "/v/f"].iter().all(|path| trees.get(*path) == Some(&file(TEXT)));
            both.then(|| put(fixture, "/w/f", file("otherwise"))).map(|()| &["otherwise"][..])
        }),
    ];
    let moved = json!({"source": "/w/f", "destination": "/v/f"});
    by_hand(
        &mut complaints,
        || Fixture::new(Layout::Two, &[("w/f", TEXT), ("w/g", "g"), ("v/", "")]),
        ("move", &moved),
        &[TEXT],
        &hands,
        &[None, Some("/w"), Some("/v")],
    );
    complaints.end("deaths of moves that were ended by hand");
}

/// A person gives a replaced file its old name back.
#[test]
fn what_was_replaced_is_not_thrown_away_where_its_name_is_not_free() {
    const TEXTS: [&str; 2] = ["precious", "replaced"];
    fn back(fixture: &Fixture, trees: &Snapshot) -> bool {
        let has_moved = !trees.contains_key("/w/f") && trees.get("/w/d/g") == Some(&file(TEXTS[0]));
        if has_moved {
            rename(fixture, "/w/d/g", "/w/f");
        }
        has_moved
    }
    let hands: [(&str, HandEdit); 6] = [
        ("given back", |fixture, trees| back(fixture, trees).then_some(&[])),
        ("given back, and a file in its place", |fixture, trees| {
            back(fixture, trees)
                .then(|| put(fixture, "/w/d/g", file("of theirs")))
                .map(|()| &["of theirs"][..])
        }),
        ("given back, and a directory in its place", |fixture, trees| {
            back(fixture, trees).then(|| put(fixture, "/w/d/g", Item::Directory)).map(|()| &[][..])
        }),
        ("given back, and a link in its place", |fixture, trees| {
            back(fixture, trees)
                .then(|| put(fixture, "/w/d/g", Item::Link("../f".to_owned())))
                .map(|()| &[][..])
        }),
        ("given back, and the directory removed", |fixture, trees| {
            back(fixture, trees).then(|| {
                let (volume, root, _) = named(fixture, "/w/d");
                volume.remove_directory(&root, "d").unwrap();
                &[][..]
            })
        }),
        ("given back, and the directory moved", |fixture, trees| {
            back(fixture, trees).then(|| rename(fixture, "/w/d", "/w/elsewhere2")).map(|()| &[][..])
        }),
    ];
    let mut complaints = Complaints::default();
    let moved = json!({"source": "/w/f", "destination": "/w/d/g", "overwrite": true});
    for layout in LAYOUTS {
        let fixture = || {
            let tree = [("w/f", TEXTS[0]), ("w/d/g", TEXTS[1]), ("w/a", "a"), ("v/", "")];
            Fixture::new(layout, &tree)
        };
        by_hand(&mut complaints, fixture, ("move", &moved), &TEXTS, &hands, &[None]);
    }
    complaints.end("deaths of moves over something that were turned round by hand");
}

/// A file is visible while a pending call restores it.
#[test]
fn what_is_back_stays_or_can_be_brought_back_whatever_is_forgotten_meanwhile() {
    let tree = [("w/f", "precious"), ("v/g", "of the other grant")];
    let earlier = [
        ("checkpoint", json!({"label": "here"})),
        ("delete", json!({"path": "/w/f"})),
        ("delete", json!({"path": "/v/g"})),
    ];
    let undo = json!({"to": "here"});
    let mut complaints = Complaints::default();
    for at in 0..deaths(Fixture::new(Layout::Two, &tree), &earlier, "undo", &undo) {
        for forgets in ["by its id", "everything", "as too much"] {
            let fixture = dead(Fixture::new(Layout::Two, &tree), &earlier, "undo", &undo, at);
            fixture.machine.set(FaultPlan::Well);
            let few = [("FSGATE_HISTORY_ENTRIES", "1")];
            let told = if forgets == "as too much" { &few[..] } else { &[] };
            let part = fixture.session_with(&["/w"], told);
            call(&part, "create_directory", &json!({"path": "/w/elsewhere"})).unwrap();
            if !fixture.trees().contains_key("/w/f") {
                continue;
            }
            match forgets {
                "by its id" => drop(call(&part, "forget", &fixture.told(&json!({"id": "#1"})))),
                "everything" => drop(call(&part, "forget", &json!({"everything": true}))),
                _ => {
                    for number in 0..4 {
                        let path = format!("/w/elsewhere/{number}");
                        call(&part, "create_directory", &json!({ "path": path })).unwrap();
                    }
                }
            }
            fixture.heal();
            complaints.tried();
            if !fixture.has(b"precious") {
                complaints
                    .add(format!("forgotten {forgets}"), || format!("dead at {at}: {:?}", fixture.trees()));
            }
        }
    }
    complaints.end("deaths of an undo of which somebody forgets a part");
}

/// A file is written after it was copied into the trash.
#[test]
fn what_is_written_to_a_file_while_it_is_deleted_is_not_deleted_with_it() {
    let fixture = || Fixture::new(Layout::Other, &[("w/f", "precious"), ("v/", "")]);
    let delete = json!({"path": "/w/f"});
    let mut complaints = Complaints::default();
    for at in 0..deaths(fixture(), &[], "delete", &delete) {
        for meanwhile in 0..at {
            let fixture = fixture();
            let session = fixture.session();
            fixture.machine.set(FaultPlan::Stop(at, 3));
            let root = fixture.grant().clone();
            fixture.machine.meanwhile(meanwhile, move || {
                if let Ok(file) = root.open_file(&root.root(), "f", Access::Write) {
                    root.write_at(&file, 0, b"of them!").unwrap();
                }
            });
            let _ = call(&session, "delete", &delete);
            let is_written = fixture.has(b"of them!");
            fixture.heal();
            complaints.tried();
            if is_written && !fixture.has(b"of them!") {
                complaints.add("it is gone".to_owned(), || format!("dead at {at}, written at {meanwhile}"));
            }
        }
    }
    complaints.end("deaths of a delete, and something written before");
}

/// The copy of a directory may be the only complete one.
#[test]
fn what_is_written_to_what_is_left_of_a_directory_takes_nothing_else_with_it() {
    let texts = ["one", "two", "three", "four"];
    let fixture = || {
        let paths = ["w/t/a", "w/t/b", "w/t/s/c", "w/t/s/d"];
        let tree: Vec<_> = paths.into_iter().zip(texts).chain([("v/", "")]).collect();
        Fixture::new(Layout::Other, &tree)
    };
    let delete = json!({"path": "/w/t", "recursive": true});
    let (mut complaints, mut written) = (Complaints::default(), 0);
    for at in 0..deaths(fixture(), &[], "delete_directory", &delete) {
        let fixture = dead(fixture(), &[], "delete_directory", &delete, at);
        let aside = fixture.trees().into_keys().rfind(|path| {
            path.starts_with("/w/.fsgate-") && texts.iter().any(|text| fixture.trees()[path] == file(text))
        });
        if let Some(path) = aside {
            write(&fixture, &path, 0, b"~");
            written += 1;
        }
        fixture.heal();
        complaints.tried();
        if let Some(lost) = texts.iter().find(|text| !fixture.has(text.as_bytes())) {
            complaints
                .add("it is gone".to_owned(), || format!("dead at {at}: {lost}: {:?}", fixture.trees()));
        }
    }
    assert!(written > 0, "nothing was left");
    complaints.end("deaths of a delete of a directory, and something written to what was left");
}
