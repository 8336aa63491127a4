//! Changes that recovery has set aside because of the policy or another process: which session is
//! told, and gets them back.

use fsgate_volume::memory::Item;
use serde_json::{Value, json};

use super::cases::CrashCase;
use super::fixture::{Complaints, Fixture, Layout, call, difference};
use super::policy::{ALL, SOMEBODY_ELSE, policy, stopped, torn, under};
use super::power::recover;
use super::stops::Course;
use super::volume::FaultPlan;
use super::{every, soak};

#[test]
fn what_was_left_is_told_and_waits_for_a_person() {
    for (effect, is_told) in [("read_only", true), ("denied", true), ("hidden", false)] {
        let (fixture, found) = torn();
        let policy = policy(&["s/"], &[], effect);
        let said = under(&fixture, &policy, "recover", &json!({})).unwrap();
        assert_eq!(
            said["conflicts"].as_array().map(Vec::len),
            Some(usize::from(is_told)),
            "{effect}: {said}"
        );
        assert_eq!((&said["finished"], &said["rolled_back"]), (&json!([]), &json!([])), "{effect}");
        for (tool, args) in [
            ("recover", json!({"all": true})),
            ("log", json!({})),
            ("log", json!({"any_session": true, "diff": true})),
            ("create_directory", json!({"path": "elsewhere"})),
        ] {
            let said = under(&fixture, &policy, tool, &args).unwrap().to_string();
            let names = said.contains("/w/s/a.txt");
            assert_eq!(names, is_told && ["recover", "log"].contains(&tool), "{effect}, {tool}: {said}");
            assert!(!said.contains("the old content"), "{effect}, {tool}: {said}");
        }
        assert_eq!(fixture.trees(), found, "{effect}");
        // Set aside: no recovery returns to it after the policy is lifted.
        let said = fixture.call("recover", &json!({"all": true})).unwrap();
        assert_eq!(said["conflicts"][0]["paths"], json!(["/w/s/a.txt"]), "{effect}: {said}");
        assert_eq!(fixture.trees(), found, "{effect}");
    }
}

/// The reported id restores the state before the change, and nothing else does.
#[test]
fn what_was_set_aside_is_brought_back_by_its_id() {
    let any = |mut args: Value| {
        args["any_session"] = json!(true);
        args
    };
    let old = Item::File(b"the old content".to_vec());
    for theirs in [None, Some("somebody else's"), Some("")] {
        let (fixture, _) = torn();
        let policy = policy(&["s/"], &[], "read_only");
        under(&fixture, &policy, "recover", &json!({})).unwrap();
        if let Some(text) = theirs {
            fixture.grant().put("s/a.txt", Item::File(text.as_bytes().to_vec()));
        }
        let found = fixture.trees();
        let log = fixture.call("log", &any(json!({}))).unwrap();
        let id = &log["conflicts"][0]["undo_id"];
        let back_to = ("undo", json!({"to": id}));
        for (tool, args) in [("undo", json!({"id": id})), back_to, ("redo", json!({"id": id}))] {
            let refused = fixture.call(tool, &any(args)).unwrap_err();
            assert_eq!((&refused["code"], &refused["path"]), (&json!("undo_conflict"), &json!("/w/s/a.txt")));
            let says = |field: &str, words: &str| refused[field].as_str().unwrap().contains(words);
            assert!(
                says("message", "was interrupted") && says("repair", "`restore` with this id"),
                "{refused}"
            );
        }
        let refused = under(&fixture, &policy, "restore", &any(json!({"id": id}))).unwrap_err();
        assert_eq!(refused["code"], "denied_by_policy", "{refused}");
        let elsewhere = any(json!({"id": id, "path": "b.txt"}));
        assert_eq!(fixture.call("restore", &elsewhere).unwrap_err()["code"], "invalid_argument");
        let dry = any(json!({"id": id, "dry_run": true, "diff": true}));
        let said = fixture.call("restore", &dry).unwrap();
        assert!(said["diff"].as_str().unwrap().contains("+the old content"), "{said}");
        assert_eq!(fixture.trees(), found);
        let done = fixture.call("restore", &any(json!({"id": id}))).unwrap();
        assert_eq!((&done["path"], &done["undone"]), (&json!("/w/s/a.txt"), &json!([])), "{done}");
        assert_eq!(fixture.trees()["/w/s/a.txt"], old);
        // The restore is a change like any other.
        fixture.call("undo", &any(json!({"id": done["undo_id"]}))).unwrap();
        assert_eq!(fixture.trees(), found);
        fixture.call("restore", &any(json!({"id": id}))).unwrap();
        fixture.call("forget", &json!({"id": id})).unwrap();
        let gone = fixture.call("restore", &any(json!({"id": id}))).unwrap_err();
        assert_eq!(gone["code"], "unknown_id");
        assert_eq!(fixture.trees()["/w/s/a.txt"], old);
    }
}

/// A restore by such an id is a change like any other for later sessions.
#[test]
fn what_came_back_from_what_was_set_aside_is_taken_back_by_another_session() {
    let case = CrashCase {
        name: "two files are deleted".to_owned(),
        tree: &[("w/a.txt", "a\n"), ("w/b.txt", "b\n"), ("v/", "")],
        earlier: Vec::new(),
        tool: "apply",
        args: json!({"edits": [{"path": "/w/a.txt", "delete": true}, {"path": "/w/b.txt", "delete": true}]}),
    };
    let theirs = Item::File(b"by hand\n".to_vec());
    let (course, mut tried) = (Course::of(&case, Layout::Same), 0);
    // The last one is under another policy, and the history says where the file was.
    for policy in [json!({}), json!({"profile": "open"}), policy(&["never"], &[], "denied").parse().unwrap()]
    {
        let policy = policy.to_string();
        for at in 0..course.calls {
            let fixture = stopped(&case, Layout::Same, at);
            if fixture.trees().contains_key("/w/a.txt") {
                continue;
            }
            fixture.grant().put("a.txt", theirs.clone());
            fixture.heal();
            let log = fixture.call("log", &json!({"any_session": true})).unwrap();
            let is_it = |conflict: &&Value| conflict["paths"] == json!(["/w/a.txt"]);
            let Some(conflict) = log["conflicts"].as_array().unwrap().iter().find(is_it) else { continue };
            let restore = json!({"id": conflict["undo_id"], "any_session": true});
            let restored = fixture.call("restore", &restore).unwrap();
            assert_eq!(fixture.trees()["/w/a.txt"], Item::File(b"a\n".to_vec()));
            let told = [
                ("FSGATE_POLICY", &policy[..]),
                ("FSGATE_SESSION", SOMEBODY_ELSE),
                ("FSGATE_OPERATOR", "true"),
            ];
            let other = fixture.session_with(&ALL, &told);
            let undo = json!({"id": restored["undo_id"], "any_session": true});
            call(&other, "undo", &undo).unwrap_or_else(|error| panic!("{policy}, dead at {at}: {error}"));
            assert_eq!(fixture.trees()["/w/a.txt"], theirs, "{policy}, dead at {at}");
            tried += 1;
        }
    }
    assert!(tried > 0, "nothing was set aside");
}

/// A set-aside change is visible by the rule for entries, however old it is.
#[test]
fn what_was_set_aside_comes_back_for_a_session_that_sees_it() {
    let (open, changeless) = (json!({"profile": "open"}).to_string(), policy(&["never"], &[], "read_only"));
    let denied = policy(&["never"], &[], "denied");
    for (grants, asked, operator, is_back) in [
        (&ALL[..], &open, "false", true),
        (&ALL, &changeless, "false", true),
        (&ALL, &denied, "false", false),
        (&["/w"], &open, "false", false),
        (&["/w"], &denied, "true", true),
    ] {
        let (fixture, _) = torn();
        under(&fixture, &policy(&["s/"], &[], "read_only"), "recover", &json!({})).unwrap();
        let log = fixture.call("log", &json!({"any_session": true})).unwrap();
        fixture.call("move", &json!({"source": "/w/s/a.txt", "destination": "/w/a.txt"})).unwrap();
        for number in 0..4 {
            let few = fixture.session_with(&ALL, &[("FSGATE_HISTORY_ENTRIES", "1")]);
            call(&few, "create_directory", &json!({"path": format!("/w/{number}")})).unwrap();
        }
        let told =
            [("FSGATE_POLICY", &asked[..]), ("FSGATE_SESSION", SOMEBODY_ELSE), ("FSGATE_OPERATOR", operator)];
        let args = json!({"id": log["conflicts"][0]["undo_id"], "any_session": true});
        let session = fixture.session_with(grants, &told);
        let shown = call(&session, "log", &json!({"any_session": true})).unwrap();
        assert_eq!(shown["conflicts"].as_array().map(Vec::len), Some(usize::from(is_back)), "{shown}");
        let restored = call(&session, "restore", &args);
        let refused = restored.as_ref().map_err(|refused| refused["code"].clone()).err();
        assert_eq!(refused, (!is_back).then(|| json!("unknown_id")), "{grants:?} {asked}: {restored:?}");
        let old = Item::File(b"the old content".to_vec());
        assert_eq!(fixture.trees().get("/w/s/a.txt") == Some(&old), is_back, "{grants:?} {asked}");
    }
}

/// Bytes that a record lacks come from the file, as long as they are unchanged.
#[test]
fn what_is_kept_in_part_is_brought_back_whole_or_not_at_all() {
    let old = "head\nthe middle\ntail\n";
    let case = CrashCase {
        name: "a torn file".to_owned(),
        tree: &[("w/s/a.txt", "head\nthe middle\ntail\n"), ("v/", "")],
        earlier: Vec::new(),
        tool: "replace",
        args: json!({"path": "s/a.txt", "old": "the middle", "new": "something else"}),
    };
    let course = Course::of(&case, Layout::Same);
    let at = (0..course.calls)
        .find(|at| {
            let trees = stopped(&case, Layout::Same, *at).trees();
            trees != course.before && trees != course.after
        })
        .unwrap();
    for theirs in [None, Some("head\nxx"), Some("HEAD\nthe middle\ntail\n")] {
        let fixture = stopped(&case, Layout::Same, at);
        under(&fixture, &policy(&["s/"], &[], "read_only"), "recover", &json!({})).unwrap();
        if let Some(text) = theirs {
            fixture.grant().put("s/a.txt", Item::File(text.as_bytes().to_vec()));
        }
        let found = fixture.trees();
        let log = fixture.call("log", &json!({})).unwrap();
        let restore = json!({"id": log["conflicts"][0]["undo_id"], "any_session": true});
        let is_whole = theirs.is_none_or(|text| text.starts_with("head"));
        match fixture.call("restore", &restore) {
            Ok(_) if is_whole => {
                assert_eq!(fixture.trees()["/w/s/a.txt"], Item::File(old.as_bytes().to_vec()));
            }
            Err(refused) if !is_whole => {
                assert_eq!(refused["code"], "undo_conflict", "{refused}");
                assert!(refused["message"].as_str().unwrap().contains("does not make up"), "{refused}");
                assert_eq!(fixture.trees(), found);
            }
            other => panic!("{theirs:?}: {other:?}"),
        }
    }
}

const WHOLE: &[(&str, &str)] = &[("w/d/f.txt", "f"), ("w/d/g.txt", "g"), ("w/d/e/h.txt", "h"), ("v/", "")];

/// A set-aside trash entry of a directory: the policy forbids to complete its deletion, interrupted
/// at some call. Returns the record's id.
fn kept(layout: Layout, at: u64, seed: u64) -> Option<(Fixture, Value)> {
    let fixture = Fixture::new(layout, WHOLE).with_power(seed);
    let session = fixture.session();
    fixture.machine.set(FaultPlan::Stop(at, 3));
    let _ = call(&session, "delete_directory", &json!({"path": "/w/d", "recursive": true}));
    if fixture.trees().keys().any(|path| path.starts_with("/w/")) || !fixture.has(b"f") {
        return None;
    }
    let said = under(&fixture, &policy(&["d"], &[], "read_only"), "recover", &json!({})).unwrap();
    let id = said["conflicts"][0]["undo_id"].clone();
    Some((fixture, id)).filter(|(_, id)| !id.is_null())
}

/// Fails unless the id restores all of the set-aside object, or nothing.
fn whole_or_nothing(fixture: &Fixture, id: &Value) -> Result<(), String> {
    let log = fixture.call("log", &json!({"any_session": true})).unwrap();
    let is_it = |conflict: &Value| conflict["undo_id"] == *id;
    if !log["conflicts"].as_array().unwrap().iter().any(is_it) {
        // Pruning removes what the trash should have lost and may have again.
        fixture.look_through();
        let left: Vec<_> = fixture.litter().into_iter().filter(|path| path.contains("/trash/")).collect();
        return if left.is_empty() { Ok(()) } else { Err(format!("forgotten, and there: {left:?}")) };
    }
    let args = json!({"id": id, "any_session": true});
    fixture.call("restore", &args).map_err(|error| error.to_string())?;
    // Names that the deletion has not reached do not matter here.
    let mut trees = fixture.trees();
    trees.retain(|path, _| !path.starts_with("/w/.fsgate-"));
    let whole = Fixture::new(fixture.layout, WHOLE).trees();
    if trees == whole { Ok(()) } else { Err(difference(&trees, &whole)) }
}

/// A record goes durably before its trash entry does, in any later process.
#[test]
fn what_was_set_aside_is_forgotten_wholly_or_not_at_all_when_the_power_goes() {
    let mut complaints = Complaints::default();
    let mut seed = 0_u64;
    for layout in [Layout::Same, Layout::Other, Layout::Two] {
        let aside = (0..1_000).find(|at| kept(layout, *at, 0).is_some()).expect("nothing was set aside");
        let kept = |seed| kept(layout, aside, seed).unwrap();
        for is_all in [false, true] {
            let forget = |fixture: &Fixture, id: &Value, plan: FaultPlan| {
                let args = if is_all { json!({"everything": true}) } else { json!({ "id": id }) };
                let session = fixture.session();
                fixture.machine.set(plan);
                let _ = call(&session, "forget", &args);
                let changes = fixture.machine.changes();
                fixture.machine.set(FaultPlan::Well);
                changes
            };
            let (whole, id) = kept(0);
            for at in forget(&whole, &id, FaultPlan::Well) {
                let mut deaths = vec![None];
                for durability in ["power", "process"] {
                    let (fixture, id) = kept(0);
                    forget(&fixture, &id, FaultPlan::Stop(at, 3));
                    // A session without such records need not sync.
                    if durability == "power" || fixture.is_unfinished() {
                        recover(&fixture, durability).unwrap();
                        let changes = fixture.machine.changes();
                        deaths.extend(changes.into_iter().map(|again| Some((durability, again))));
                    }
                }
                for death in deaths.into_iter().step_by(every(3)) {
                    for _ in 0..if soak() { 50 } else { 1 } {
                        seed += 1;
                        let (fixture, id) = kept(seed);
                        forget(&fixture, &id, FaultPlan::Stop(at, 3));
                        if let Some((durability, again)) = death {
                            fixture.machine.set(FaultPlan::Stop(again, 3));
                            let _ = recover(&fixture, durability);
                        }
                        fixture.crash();
                        complaints.tried();
                        let healed = fixture.heal_with("power").map_err(|error| error.to_string());
                        if let Err(what) = healed.and_then(|_| whole_or_nothing(&fixture, &id)) {
                            complaints.add(format!("all: {is_all} in {layout:?}"), || {
                                format!("dead at {at}, then {death:?}, seed {seed}: {what}")
                            });
                        }
                    }
                }
            }
        }
    }
    complaints.end("losses of power while what was set aside is forgotten");
}
