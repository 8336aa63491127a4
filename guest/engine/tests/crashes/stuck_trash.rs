//! Trash entries that cannot be emptied: other changes go on, the quota counts them, and later
//! calls try again.

use fsgate_volume::memory::Item;
use serde_json::{Value, json};

use super::every;
use super::fixture::{Complaints, Fixture, Layout, call};
use super::permissions::{TREE, pending, put};
use super::rights::{DIRECTORIES, Obstacle};
use super::volume::FaultPlan;

pub(super) const SECRET: &str = "a content of its own";

fn has_secret(fixture: &Fixture) -> bool {
    fixture.has(SECRET.as_bytes())
}

/// Obstacles to emptying a directory, by their paths in it.
fn inside() -> Vec<(&'static str, Obstacle)> {
    let directories = DIRECTORIES.iter().map(|obstacle| ("e", *obstacle));
    directories.chain([("e/b.txt", Obstacle::Immutable)]).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Forgetting {
    Everything,
    ById,
    ByNumber,
    ByBytes,
}

const FORGETTING: [Forgetting; 4] =
    [Forgetting::Everything, Forgetting::ById, Forgetting::ByNumber, Forgetting::ByBytes];

impl Forgetting {
    fn told(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Everything | Self::ById => &[],
            Self::ByNumber => &[("FSGATE_HISTORY_ENTRIES", "1")],
            Self::ByBytes => &[("FSGATE_HISTORY_BYTES", "30")],
        }
    }

    fn call(self) -> (&'static str, Value) {
        match self {
            Self::Everything => ("forget", json!({"everything": true})),
            Self::ById => ("forget", json!({"id": "#0"})),
            Self::ByNumber | Self::ByBytes => ("create", json!({"path": "/w/new.txt", "content": ""})),
        }
    }
}

fn with_stuck_trash((path, obstacle): (&str, Obstacle)) -> Fixture {
    let fixture = Fixture::new(Layout::Same, TREE);
    let deleted = fixture.earlier("delete_directory", &json!({"path": "/w/d", "recursive": true})).unwrap();
    fixture.earlier("replace", &json!({"path": "/w/b.txt", "old": "b", "new": "c"})).unwrap();
    let kept = format!("trash/{}/{path}", deleted["undo_id"].as_str().unwrap());
    fixture.machine.rights.put(fixture.state(), &kept, obstacle);
    fixture
}

/// The calls that remove the rest after the obstacle is gone.
const LATER: [(&str, &str); 3] = [
    ("create_directory", r#"{"path": "/w/elsewhere"}"#),
    ("forget", r#"{"everything": true}"#),
    ("recover", "{}"),
];

#[test]
fn a_trash_that_cannot_be_emptied_refuses_no_change() {
    let mut complaints = Complaints::default();
    for place in inside() {
        for forgetting in FORGETTING {
            let (tool, args) = forgetting.call();
            for at in (0..).step_by(every(3)) {
                for (then, then_args) in LATER {
                    let fixture = with_stuck_trash(place);
                    let session = fixture.session_with(&["/w", "/v"], forgetting.told());
                    fixture.machine.set(FaultPlan::Stop(at, 3));
                    let forgot = call(&session, tool, &fixture.told(&args));
                    let is_whole = fixture.machine.calls() <= at;
                    fixture.machine.set(FaultPlan::Well);
                    complaints.tried();
                    let mut complain = |kind: &str, what: String| {
                        complaints.add(format!("{kind}, {forgetting:?}, {place:?}"), || {
                            format!("dead at {at}, then {then}: {forgot:?} {what}")
                        });
                    };
                    // The process that removed the entry goes on if it lives, and others follow.
                    let others = fixture.session();
                    for session in is_whole.then_some(&session).into_iter().chain([&others]) {
                        for number in 0..2 {
                            let new = json!({"path": format!("/v/{number}"), "content": "x"});
                            let changed = call(session, "write", &new);
                            if let Err(error) = changed {
                                complain("in the way", error.to_string());
                            }
                        }
                    }
                    if !has_secret(&fixture) {
                        complain("it is gone all the same", String::new());
                    }
                    if is_whole && let Err(error) = &forgot {
                        complain("an error", error.to_string());
                    }
                    fixture.machine.rights.clear();
                    // An old session retries with `forget` and `recover`, a new one with any
                    // change.
                    let later = if then == "create_directory" { fixture.session() } else { others };
                    let args = serde_json::from_str(then_args).unwrap();
                    if let Err(error) = call(&later, then, &args) {
                        complain("in the way later", error.to_string());
                    }
                    // An entry stays while its trash entry cannot be read.
                    let is_kept = fixture.past().iter().any(|entry| entry.starts_with("\"delete_directory"));
                    if is_whole && !is_kept && has_secret(&fixture) {
                        complain("it is still there", format!("{:?}", fixture.state().snapshot().keys()));
                    }
                    let litter = fixture.litter();
                    if !litter.is_empty() {
                        complain("litter", format!("{litter:?}"));
                    }
                }
                let fixture = with_stuck_trash(place);
                let session = fixture.session_with(&["/w", "/v"], forgetting.told());
                fixture.machine.set(FaultPlan::Stop(at, 3));
                let _ = call(&session, tool, &fixture.told(&args));
                if fixture.machine.calls() <= at {
                    break;
                }
            }
        }
    }
    complaints.end("deaths while a directory is forgotten that cannot be emptied");
}

#[test]
fn what_cannot_be_removed_is_not_counted_as_forgotten() {
    for place in inside() {
        let fixture = with_stuck_trash(place);
        // One of two entries keeps an object that cannot be removed.
        let said = fixture.call("forget", &json!({"everything": true})).unwrap();
        assert_eq!(said["forgotten"], 1, "{place:?}: {said}");
        let size = SECRET.len() as u64;
        assert!(said["bytes"].as_u64().unwrap() < 2_000 + size, "{place:?}: {said}");
        assert!(said["notes"].as_array().is_some_and(|notes| !notes.is_empty()), "{place:?}: {said}");
        assert!(has_secret(&fixture), "{place:?}");
    }
}

#[test]
fn what_is_removed_later_is_counted_then() {
    let mut counted = 0;
    for place in inside() {
        for by_id in [false, true] {
            let fixture = with_stuck_trash(place);
            let said = fixture.call("forget", &json!({"everything": true})).unwrap();
            // An entry stays while its trash entry cannot be read.
            let [note] = &pending(&said)[..] else { continue };
            let id = note.split(['(', ')']).nth(1).unwrap();
            let forget = if by_id { json!({"id": id}) } else { json!({"everything": true}) };
            let said = fixture.call("forget", &forget).unwrap();
            assert_eq!(said["forgotten"], 0, "{place:?}: {said}");
            assert_eq!(pending(&said).len(), 1, "{place:?}: {said}");
            fixture.machine.rights.clear();
            let said = fixture.call("forget", &forget).unwrap();
            assert_eq!(said["forgotten"], 1, "{place:?}: {said}");
            assert!(said["bytes"].as_u64().unwrap() >= SECRET.len() as u64, "{place:?}: {said}");
            assert!(!has_secret(&fixture), "{place:?}");
            let again = fixture.call("forget", &json!({"everything": true})).unwrap();
            assert_eq!(again["forgotten"], 0, "{place:?}: {again}");
            counted += 1;
        }
    }
    assert!(counted > 2, "{counted}");
}

/// A record goes before its trash entry is emptied. A death in between loses neither its path nor
/// its count.
#[test]
fn a_death_while_an_entry_is_forgotten_leaves_its_path() {
    let mut counted = 0;
    for (place, forgetting) in inside().into_iter().flat_map(|place| FORGETTING.map(|how| (place, how))) {
        let (tool, args) = forgetting.call();
        for at in (0..).step_by(every(3)) {
            let fixture = with_stuck_trash(place);
            let session = fixture.session_with(&["/w", "/v"], forgetting.told());
            fixture.machine.set(FaultPlan::Stop(at, 3));
            let forgot = call(&session, tool, &fixture.told(&args));
            let is_whole = fixture.machine.calls() <= at;
            fixture.machine.set(FaultPlan::Well);
            let about = format!("{forgetting:?}, {place:?}, dead at {at}: {forgot:?}");
            let said = fixture.call("recover", &json!({})).unwrap();
            let notes = pending(&said);
            let is_kept = fixture.past().iter().any(|entry| entry.starts_with("\"delete_directory"));
            assert_eq!(notes.len(), usize::from(!is_kept), "{about}: {said}");
            assert!(notes.iter().all(|note| note.contains("/w/d ")), "{about}: {notes:?}");
            counted += notes.len();
            let left = fixture.past().len() + notes.len();
            fixture.machine.rights.clear();
            let said = fixture.call("forget", &json!({"everything": true})).unwrap();
            assert_eq!(said["forgotten"], left, "{about}: {said}");
            assert!(!has_secret(&fixture), "{about}");
            if is_whole {
                break;
            }
        }
    }
    assert!(counted > 20, "{counted}");
}

fn in_trash(fixture: &Fixture) -> usize {
    let state = fixture.state().snapshot();
    let bytes = |(path, item): (&String, &Item)| match item {
        Item::File(bytes) if path.starts_with("trash/") => bytes.len(),
        _ => 0,
    };
    state.iter().map(bytes).sum()
}

#[test]
fn what_cannot_be_removed_counts_in_the_quota() {
    const BYTES: usize = 1_000;
    // With these a directory can still be deleted.
    for (path, obstacle) in
        [("e", Obstacle::Mode(5)), ("e", Obstacle::Immutable), ("e/b.txt", Obstacle::Immutable)]
    {
        let told = [("FSGATE_HISTORY_BYTES", "4000")];
        let fixture = Fixture::new(Layout::Same, &[("w/", ""), ("v/", "")]);
        let (mut most, mut refused) = (0, 0);
        for number in 0..20 {
            for (path, bytes) in
                [(format!("d{number}/e/b.txt"), BYTES), (format!("n{number}/e/b.txt"), BYTES)]
            {
                fixture.grant().put(&path, Item::File(vec![b'x'; bytes]));
            }
            put(&fixture, &format!("/w/d{number}/{path}"), obstacle);
            // Every second directory can be emptied, and makes room for the others.
            for name in ["d", "n"] {
                let session = fixture.session_with(&["/w", "/v"], &told);
                let args = json!({"path": format!("/w/{name}{number}"), "recursive": true});
                match call(&session, "delete_directory", &args) {
                    Ok(_) => {}
                    Err(error) => {
                        assert_eq!(error["applied"], false, "{obstacle:?}: {error}");
                        refused += 1;
                    }
                }
                // A change of the same session, which prunes.
                let write = json!({"path": "/w/other.txt", "content": name});
                let id = call(&session, "write", &write).unwrap()["undo_id"].clone();
                let log = call(&session, "log", &json!({})).unwrap();
                assert_eq!(log["entries"][0]["undo_id"], id, "{path} {obstacle:?}: {number} {name}");
                most = most.max(in_trash(&fixture));
            }
        }
        // The newest deletion may exceed the limit until the next call prunes.
        assert!(most <= 4_000 + 2 * BYTES, "{path} {obstacle:?}: {most} bytes in the trash");
        eprintln!("{path} {obstacle:?}: {most} bytes in the trash at most, {refused} deletions refused");
    }
}

/// Another program has changed a copy, whose directory the undo takes away.
#[test]
fn an_undo_keeps_content_beside_a_trash_that_is_full() {
    for tool in ["undo", "restore"] {
        let undo = match tool {
            "undo" => json!({"any_session": true}),
            _ => json!({"path": "/w/n", "id": "#1", "force": true}),
        };
        for pending_bytes in [3_990, 5_000] {
            let fixture = Fixture::new(Layout::Same, &[("w/", ""), ("v/", "")]);
            fixture.grant().put("d/e/b.txt", Item::File(vec![b'x'; pending_bytes]));
            fixture.earlier("delete_directory", &json!({"path": "/w/d", "recursive": true})).unwrap();
            fixture.grant().put("o/a.txt", Item::File(vec![b'a'; SECRET.len()]));
            let copy = json!({"source": "/w/o", "destination": "/w/n", "recursive": true});
            fixture.earlier("copy", &copy).unwrap();
            let trash = fixture.state().snapshot();
            let kept = trash.keys().find(|path| path.ends_with("/e") && path.starts_with("trash/"));
            fixture.machine.rights.put(fixture.state(), kept.unwrap(), Obstacle::Mode(5));
            fixture.call("forget", &fixture.told(&json!({"id": "#0"}))).unwrap();
            fixture.grant().put("n/a.txt", Item::File(SECRET.as_bytes().to_vec()));
            let session = fixture.session_with(&["/w", "/v"], &[("FSGATE_HISTORY_BYTES", "4000")]);
            let undo = fixture.told(&undo);
            let mut trial = undo.clone();
            trial["dry_run"] = json!(true);
            let about = format!("{tool} {undo} beside {pending_bytes} bytes");
            let foretold = call(&session, tool, &trial);
            let said = call(&session, tool, &undo).unwrap();
            assert!(foretold.is_ok(), "{about}: {foretold:?}");
            assert!(!said.to_string().contains("no_undo"), "{about}: {said}");
            assert!(has_secret(&fixture), "{about}: {said}");
            let back = if tool == "undo" { "redo" } else { "undo" };
            call(&session, back, &json!({"any_session": true})).unwrap();
            assert!(has_secret(&fixture), "{about}");
        }
    }
}
