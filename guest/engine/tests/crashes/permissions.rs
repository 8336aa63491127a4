//! Calls of a user without privileges: a refusing place blocks changes of no other place.
//!
//! An obstacle appears between a crash and the next process, or before the call, and goes away
//! later. Meanwhile every other file can be changed. Afterwards the obstructed tree is as before
//! the call or as after it.

use fsgate_volume::memory::Item;
use serde_json::{Value, json};

use super::cases::{CrashCase, cases};
use super::fixture::{Complaints, Fixture, LAYOUTS, Layout, Snapshot, call, difference};
use super::rights::{DIRECTORIES, Obstacle, of_item};
use super::soak;
use super::states::in_a_directory;
use super::stops::{Course, is_tried, judge};
use super::stuck_trash::SECRET;
use super::volume::FaultPlan;

/// Every place below the grants for an obstacle, with the obstacles.
fn obstacles(trees: &Snapshot) -> Vec<(String, Obstacle)> {
    let of = |(path, item): (&String, &Item)| {
        let path = path.clone();
        of_item(item).iter().map(move |obstacle| (path.clone(), *obstacle)).collect::<Vec<_>>()
    };
    trees.iter().filter(|(path, _)| !path.ends_with('/')).flat_map(of).collect()
}

pub(super) fn put(fixture: &Fixture, path: &str, obstacle: Obstacle) {
    let (volume, path) = fixture.within(path);
    fixture.machine.rights.put(volume, path, obstacle);
}

fn elsewhere(fixture: &Fixture) -> Result<(), (String, String)> {
    let changed = fixture.call("create_directory", &json!({"path": "/w/elsewhere"}));
    fixture.grant().at("elsewhere");
    match changed {
        Err(error) => Err(("in the way".to_owned(), error.to_string())),
        Ok(said) if said.to_string().contains("\"conflict\"") => {
            Err(("a conflict".to_owned(), said.to_string()))
        }
        Ok(_) => Ok(()),
    }
}

fn is_unforeseen(trees: &Snapshot, (path, obstacle): (&str, Obstacle)) -> bool {
    obstacle == Obstacle::Immutable && trees.get(path) != Some(&Item::Directory)
}

/// Calls with several changes: each removes objects for good after the commit.
fn is_several(case: &CrashCase) -> bool {
    !["delete", "delete_directory", "move"].contains(&case.tool) || case.args.get("glob").is_some()
}

/// Faults that remain after a crash and a removed obstacle. Empty created directories may remain.
fn judge_later(
    course: &Course,
    fixture: &Fixture,
    answer: &Result<Value, Value>,
) -> Result<(), (String, String)> {
    let judged = judge(course, fixture, answer);
    let is_mix = judged.as_ref().is_err_and(|(kind, _)| kind == "a mix");
    if is_mix && fixture.litter().is_empty() {
        let mut trees = fixture.trees();
        let known = |path: &String| course.before.contains_key(path);
        while let Some(empty) = trees.iter().rev().find_map(|(path, item)| {
            let inside = format!("{path}/");
            let is_empty = !trees.keys().any(|other| other.starts_with(&inside));
            (*item == Item::Directory && is_empty && !known(path)).then(|| path.clone())
        }) {
            trees.remove(&empty);
        }
        if trees == course.before {
            return Ok(());
        }
    }
    judged
}

/// A crash, an obstacle and a change elsewhere. `second`: the process of that change dies as well,
/// in 65,536ths of its calls.
fn die_and_meet(
    complaints: &mut Complaints,
    (case, layout, course): (&CrashCase, Layout, &Course),
    at: u64,
    (path, obstacle): (&str, Obstacle),
    second: Option<u64>,
) {
    let (fixture, called) = Fixture::after(case, layout, FaultPlan::Stop(at, 3));
    put(&fixture, path, obstacle);
    if let Some(second) = second {
        fixture.machine.set(FaultPlan::Stop(second * (course.calls + 60) / 65_536, 3));
        let _ = fixture.call("create_directory", &json!({"path": "/w/elsewhere"}));
    }
    fixture.machine.set(FaultPlan::Well);
    // A later process finds the record among the pending ones.
    let other = elsewhere(&fixture).and_then(|()| elsewhere(&fixture));
    fixture.machine.rights.clear();
    complaints.tried();
    if let Err((kind, what)) = other.and_then(|()| judge_later(course, &fixture, &called)) {
        complaints.add(format!("{kind}, {} in {layout:?}, {obstacle:?}", case.tool), || {
            let left = fixture.litter();
            format!("{}, dead at {at} of {}, {path}, {second:?}: {what} {left:?}", case.name, course.calls)
        });
    }
}

#[test]
fn an_obstacle_after_a_death_is_in_the_way_of_nothing_else() {
    let mut complaints = Complaints::default();
    let mut number = 0_u64;
    for case in &in_a_directory() {
        for layout in [Layout::Same, Layout::Other, Layout::NoLinks] {
            let course = Course::of(case, layout);
            for at in 0..course.calls {
                let (dead, _) = Fixture::after(case, layout, FaultPlan::Stop(at, 3));
                for (path, obstacle) in obstacles(&dead.trees()) {
                    number += 1;
                    if !soak() && !number.is_multiple_of(7) {
                        continue;
                    }
                    let second = number.is_multiple_of(3).then_some(number * 40_503 % 65_536);
                    let place = (path.as_str(), obstacle);
                    die_and_meet(&mut complaints, (case, layout, &course), at, place, second);
                }
            }
        }
    }
    complaints.end("deaths, and an obstacle that goes away later");
}

/// Every kind of change whose crash leaves more kinds of names than [`in_a_directory`] has.
#[test]
fn an_obstacle_after_a_death_of_any_change_is_in_the_way_of_nothing_else() {
    let mut complaints = Complaints::default();
    let mut number = 0_u64;
    for (index, case) in cases().iter().enumerate() {
        for (row, layout) in LAYOUTS.into_iter().enumerate() {
            if !is_tried(case, (index, row), 12) || layout == Layout::Slow {
                continue;
            }
            let course = Course::of(case, layout);
            for at in &course.changes {
                let (dead, _) = Fixture::after(case, layout, FaultPlan::Stop(*at, 3));
                for (path, obstacle) in obstacles(&dead.trees()) {
                    number += 1;
                    if !number.is_multiple_of(if soak() { 5 } else { 31 }) {
                        continue;
                    }
                    let second = number.is_multiple_of(2).then_some(number * 40_503 % 65_536);
                    let place = (path.as_str(), obstacle);
                    die_and_meet(&mut complaints, (case, layout, &course), *at, place, second);
                }
            }
        }
    }
    complaints.end("deaths of any change, and an obstacle that goes away later");
}

/// Calls with a later change that an obstacle can block: an edit of a moved file, and the deletion
/// of a link beside that of its directory.
#[test]
fn a_call_with_a_change_behind_an_obstacle_waits_as_a_whole() {
    let mut complaints = Complaints::default();
    let is_meant = |case: &CrashCase| {
        case.earlier.is_empty() && (case.args.get("patch").is_some() || case.args["glob"] == "**")
    };
    for case in cases().iter().filter(|case| is_meant(case)) {
        let course = Course::of(case, Layout::Same);
        for at in &course.changes {
            let (dead, _) = Fixture::after(case, Layout::Same, FaultPlan::Stop(*at, 3));
            let is_met = |obstacle| [Obstacle::Mode(4), Obstacle::ReadOnlyMount].contains(&obstacle);
            for (path, obstacle) in
                obstacles(&dead.trees()).into_iter().filter(|(_, obstacle)| is_met(*obstacle))
            {
                die_and_meet(&mut complaints, (case, Layout::Same, &course), *at, (&path, obstacle), None);
            }
        }
    }
    complaints.end("deaths of calls of which a part waits");
}

fn has_temporary(trees: &Snapshot) -> bool {
    trees.keys().any(|path| path.contains("/.fsgate-"))
}

#[test]
fn a_change_with_an_obstacle_in_its_tree_is_done_or_refused() {
    let mut complaints = Complaints::default();
    let (mut number, mut done, mut refused) = (0_u64, 0_u64, 0_u64);
    for (index, case) in cases().iter().enumerate() {
        for (row, layout) in LAYOUTS.into_iter().enumerate() {
            if !is_tried(case, (index, row), 16) || layout == Layout::Slow {
                continue;
            }
            let course = Course::of(case, layout);
            for (path, obstacle) in obstacles(&course.before) {
                let fixture = Fixture::of(case, layout);
                put(&fixture, &path, obstacle);
                let answer = fixture.call(case.tool, &fixture.args(case));
                complaints.tried();
                number += 1;
                let mut complain = |kind: &str, what: String| {
                    complaints.add(format!("{kind}, {} in {layout:?}, {obstacle:?}", case.tool), || {
                        format!("{}, {path}: {answer:?} {what}", case.name)
                    });
                };
                let mut trees = fixture.trees();
                let expected = match &answer {
                    Ok(_) => &course.after,
                    Err(_) => &course.before,
                };
                *(if answer.is_ok() { &mut done } else { &mut refused }) += 1;
                let is_unforeseen = is_unforeseen(&course.before, (&path, obstacle));
                if is_unforeseen && is_several(case) {
                    // It is pending under a temporary name until the obstacle goes.
                    trees.retain(|path, _| !path.contains("/.fsgate-"));
                }
                if answer.as_ref().is_err_and(|error| error["applied"] != false) {
                    if is_unforeseen {
                        // A part was removed before the obstacle, and the answer says so.
                        continue;
                    }
                    complain("applied", difference(&trees, expected));
                } else if trees != *expected {
                    let kind = if has_temporary(&trees) { "left under another name" } else { "other" };
                    complain(kind, difference(&trees, expected));
                }
                let other = elsewhere(&fixture);
                fixture.machine.rights.clear();
                if let Err((kind, what)) = other.and_then(|()| judge_later(&course, &fixture, &answer)) {
                    complain(&kind, what);
                }
            }
        }
    }
    eprintln!("{done} done, {refused} refused");
    assert!(number == 0 || done > 0 && refused > 0);
    complaints.end("changes with an obstacle in their tree");
}

#[test]
fn a_death_in_a_change_with_an_obstacle_in_its_tree_is_in_the_way_of_nothing_else() {
    let mut complaints = Complaints::default();
    let mut number = 0_u64;
    for (index, case) in cases().iter().enumerate() {
        for (row, layout) in LAYOUTS.into_iter().enumerate() {
            if !is_tried(case, (index, row), 12) || layout == Layout::Slow {
                continue;
            }
            let course = Course::of(case, layout);
            for (path, obstacle) in obstacles(&course.before) {
                number += 1;
                let is_unforeseen = is_unforeseen(&course.before, (&path, obstacle));
                // A crash while the rest of a tree gets its name back: the answer reports a part.
                if !number.is_multiple_of(if soak() { 3 } else { 31 }) || is_unforeseen && !is_several(case) {
                    continue;
                }
                for at in 0.. {
                    let fixture = Fixture::of(case, layout);
                    put(&fixture, &path, obstacle);
                    let session = fixture.session();
                    fixture.machine.set(FaultPlan::Stop(at, 3));
                    let answer = call(&session, case.tool, &fixture.args(case));
                    if fixture.machine.calls() <= at {
                        break;
                    }
                    fixture.machine.set(FaultPlan::Well);
                    let other = elsewhere(&fixture);
                    fixture.machine.rights.clear();
                    complaints.tried();
                    if let Err((kind, what)) = other.and_then(|()| judge_later(&course, &fixture, &answer)) {
                        complaints.add(format!("{kind}, {} in {layout:?}, {obstacle:?}", case.tool), || {
                            format!("{}, dead at {at}, {path}: {what}", case.name)
                        });
                    }
                }
            }
        }
    }
    complaints.end("deaths in changes with an obstacle in their tree");
}

pub(super) const TREE: &[(&str, &str)] =
    &[("w/d/a.txt", "a"), ("w/d/e/b.txt", SECRET), ("w/d/e/f/", ""), ("w/b.txt", "b"), ("v/", "")];

/// Without a history, deleted objects have temporary names until every change is made.
#[test]
fn several_deletions_without_a_history_are_done_or_refused() {
    let several = json!({"edits": [
        {"path": "/w/b.txt", "delete": true},
        {"path": "/w/new/name", "content": "x"},
        {"path": "/w/d/e/b.txt", "delete": true},
    ]});
    let calls = [
        ("apply", several),
        ("delete", json!({"path": "/w", "glob": "**/*.txt", "include_hidden": true})),
        ("delete", json!({"path": "/w/d", "glob": "**", "include_hidden": true})),
    ];
    let mut counts = [0, 0];
    let whole = Fixture::new(Layout::Same, TREE);
    for (tool, args) in &calls {
        for (path, obstacle) in obstacles(&whole.trees()) {
            let fixture = Fixture::new(Layout::Same, TREE);
            let session = fixture.session_with(&["/w", "/v"], &[("FSGATE_DURABILITY", "none")]);
            put(&fixture, &path, obstacle);
            let before = fixture.trees();
            fixture.machine.set(FaultPlan::Well);
            let answer = call(&session, tool, args);
            let trees = fixture.trees();
            let about = format!("{tool} {args} with {path} {obstacle:?}: {answer:?}");
            assert!(!has_temporary(&trees), "{about} {:?}", trees.keys());
            match &answer {
                Ok(_) => assert_ne!(trees, before, "{about}"),
                Err(error) => {
                    assert_eq!(error["applied"], false, "{about}");
                    assert!(trees == before, "{about} {}", difference(&trees, &before));
                }
            }
            counts[usize::from(answer.is_ok())] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > 5), "{counts:?}");
}

/// The reason why a deletion is not kept by a rename into the trash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NotMoved {
    NotKept,
    TooLarge,
    OtherDisk,
}

#[test]
fn a_deletion_that_is_not_moved_to_the_trash_is_refused_before_anything_moves() {
    let mut complaints = Complaints::default();
    for why in [NotMoved::NotKept, NotMoved::TooLarge, NotMoved::OtherDisk] {
        for place in ["/w/d", "/w/d/e", "/w/d/e/f"] {
            for obstacle in DIRECTORIES {
                let layout = if why == NotMoved::OtherDisk { Layout::Other } else { Layout::Same };
                let fixture = Fixture::new(layout, TREE);
                let before = fixture.trees();
                put(&fixture, place, obstacle);
                let told: &[_] =
                    if why == NotMoved::TooLarge { &[("FSGATE_HISTORY_BYTES", "3")] } else { &[] };
                let args = json!({"path": "/w/d", "recursive": true, "keep": why != NotMoved::NotKept});
                let session = fixture.session_with(&["/w", "/v"], told);
                fixture.machine.set(FaultPlan::Well);
                let answer = call(&session, "delete_directory", &args);
                complaints.tried();
                let mut complain = |kind: &str, what: String| {
                    complaints.add(format!("{kind}, {why:?}, {place} {obstacle:?}"), || {
                        format!("{answer:?} {what}")
                    });
                };
                let trees = fixture.trees();
                let is_gone = !trees.keys().any(|path| path.starts_with("/w/d"));
                match &answer {
                    // An empty read-only directory is removed like any other.
                    Ok(_) if is_gone && !has_temporary(&trees) => {}
                    Ok(_) => complain("told, and not so", difference(&trees, &before)),
                    Err(error) if error["applied"] != false => complain("applied", String::new()),
                    Err(_) if trees != before => complain("refused, and done", difference(&trees, &before)),
                    Err(_) => {}
                }
                if place == "/w/d/e" && answer.is_ok() {
                    complain("it was deleted", String::new());
                }
                // No record was written, or none is left.
                let litter = fixture.litter();
                if !litter.is_empty() {
                    complain("litter", format!("{litter:?}"));
                }
                if let Err((kind, what)) = elsewhere(&fixture) {
                    complain(&kind, what);
                }
            }
        }
    }
    complaints.end("deletions that are not moved to the trash");
}

pub(super) fn pending(said: &Value) -> Vec<String> {
    let notes = said["notes"].as_array().into_iter().flatten();
    let of_kind = notes.filter(|note| note["kind"] == "pending");
    of_kind.map(|note| note["text"].as_str().unwrap().to_owned()).collect()
}

/// A search and a dry run before the next change name a file that a dead program was writing.
#[test]
fn a_file_under_change_is_named_by_searches() {
    let mut named = 0;
    for at in 0.. {
        let fixture = Fixture::new(Layout::Same, &[("w/d/f", "one"), ("w/g", "g"), ("v/", "")]);
        let session = fixture.session();
        fixture.machine.set(FaultPlan::Stop(at, 3));
        let args = fixture.told(&json!({"path": "/w/d/f", "old": "one", "new": "three"}));
        if call(&session, "replace", &args).is_ok() {
            break;
        }
        fixture.machine.set(FaultPlan::Well);
        let is_torn =
            ![b"one".to_vec(), b"three".to_vec()].map(Item::File).contains(&fixture.trees()["/w/d/f"]);
        for (tool, args) in [
            ("grep", json!({"path": "/w", "pattern": "one"})),
            ("replace", json!({"path": "/w/g", "old": "g", "new": "h", "dry_run": true})),
        ] {
            let said = fixture.call(tool, &args).unwrap();
            let notes = pending(&said);
            named += notes.len();
            assert!(!is_torn || notes.len() == 1 && notes[0].contains("/w/d/f ("), "{at} {tool}: {said}");
        }
    }
    assert!(named > 0);
}

/// A call moves a half-written file or its directory away, and another one back.
#[test]
fn a_half_written_file_is_named_after_it_left_its_place() {
    let moves = [("/w/d", "/w/e"), ("/w/d/f", "/w/e")];
    for ((source, destination), returns) in moves.into_iter().flat_map(|both| [(both, true), (both, false)]) {
        let mut tried = 0;
        for at in 0.. {
            let fixture = Fixture::new(Layout::Same, &[("w/d/f", "one"), ("v/", "")]);
            let session = fixture.session();
            fixture.machine.set(FaultPlan::Stop(at, 3));
            let args = fixture.told(&json!({"path": "/w/d/f", "old": "one", "new": "three"}));
            if call(&session, "replace", &args).is_ok() {
                break;
            }
            put(&fixture, "/w/d/f", Obstacle::Mode(4));
            fixture.machine.set(FaultPlan::Well);
            let _recovered = fixture.call("create_directory", &json!({"path": "/w/x"}));
            let said = fixture.call("list_directory", &json!({"path": "/w"})).unwrap();
            let [note] = &pending(&said)[..] else { continue };
            assert!(note.contains("refuses to write") && note.contains("/w/d/f"), "{note}");
            tried += 1;
            let arguments = json!({"source": source, "destination": destination, "recursive": true});
            let said = fixture.call("move", &arguments).unwrap();
            let [note] = &pending(&said)[..] else { panic!("{said}") };
            assert!(note.contains("moved or removed") && note.contains("/w/d/f"), "{note}");
            let said = fixture.call("list_directory", &json!({"path": "/w"})).unwrap();
            assert_eq!(pending(&said), std::slice::from_ref(note), "{said}");
            let said = fixture.call("create_directory", &json!({"path": "/w/y"})).unwrap();
            assert_eq!(pending(&said).len(), 1, "{said}");
            if returns {
                let back = json!({"source": destination, "destination": source, "recursive": true});
                fixture.call("move", &back).unwrap();
                fixture.machine.rights.clear();
                let said = fixture.call("list_directory", &json!({"path": "/w"})).unwrap();
                let [note] = &pending(&said)[..] else { panic!("{said}") };
                assert!(note.contains("not complete yet") && note.contains("/w/d/f"), "{note}");
                fixture.call("create_directory", &json!({"path": "/w/z"})).unwrap();
                let now = fixture.trees()["/w/d/f"].clone();
                assert!([b"one".to_vec(), b"three".to_vec()].map(Item::File).contains(&now), "{now:?}");
            } else {
                fixture.call("recover", &json!({})).unwrap();
            }
            let said = fixture.call("list_directory", &json!({"path": "/w"})).unwrap();
            assert!(pending(&said).is_empty(), "{said}");
        }
        assert!(tried > 0, "{source}");
    }
}

/// A directory that may not be opened still exists in listings.
#[test]
fn a_directory_that_may_not_be_opened_is_reported_and_not_changed() {
    let tree = &[("w/d/", ""), ("w/f.txt", "f"), ("v/", "")];
    let fixture = Fixture::new(Layout::Same, tree);
    let before = fixture.trees();
    put(&fixture, "/w/d", Obstacle::Mode(0));
    let exists = fixture.call("exists", &json!({"path": "d"})).unwrap();
    assert_eq!((&exists["exists"], &exists["kind"]), (&json!(true), &json!("directory")), "{exists}");
    let stat = fixture.call("stat", &json!({"path": "d"})).unwrap();
    assert_eq!(stat["entry"]["kind"], "directory", "{stat}");
    let tree = fixture.call("tree", &json!({"path": "."})).unwrap();
    assert_eq!(
        (&tree["drawn"], &tree["skipped"]["unreadable"]),
        (&json!("d/\nf.txt\n"), &json!(1)),
        "{tree}"
    );
    for (tool, args) in [
        ("list_directory", json!({"path": "d"})),
        ("stat", json!({"path": "d/a"})),
        ("delete_directory", json!({"path": "d"})),
        ("delete_directory", json!({"path": "d", "recursive": true, "keep": false})),
        ("copy", json!({"source": "d", "destination": "c", "recursive": true})),
        ("copy", json!({"source": ".", "destination": "/v/c", "recursive": true})),
        ("move", json!({"source": "d", "destination": "m"})),
    ] {
        let refused = fixture.call(tool, &args).unwrap_err();
        let told = (&refused["code"], &refused["applied"]);
        assert_eq!(told, (&json!("io"), &json!(false)), "{tool} {args}: {refused}");
        assert_eq!(fixture.trees(), before, "{tool} {args}");
    }
    assert_eq!(elsewhere(&fixture), Ok(()));
    fixture.machine.rights.clear();
    assert!(fixture.litter().is_empty(), "{:?}", fixture.litter());
}
