//! The process dies, and the next one has another policy.

use std::collections::BTreeSet;

use fsgate_contract::id::Id;
use fsgate_volume::memory::Item;
use fsgate_volume::{Access, Volume};
use serde_json::{Value, json};

use super::cases::{CrashCase, cases};
use super::fixture::{Complaints, Fixture, Layout, Snapshot, call, difference, twice};
use super::soak;
use super::stops::{Course, is_tried};
use super::volume::FaultPlan;

pub(super) const ALL: [&str; 2] = ["/w", "/v"];

pub(super) const SOMEBODY_ELSE: &str = "0123456789abcdef0123456789abcdef";

pub(super) fn policy(paths: &[&str], unless: &[&str], effect: &str) -> String {
    let rule = json!({"name": "now", "paths": paths, "unless": unless, "effect": effect});
    json!({"profile": "open", "rules": [rule]}).to_string()
}

/// A process with a policy makes a change elsewhere. Returns its outcome.
pub(super) fn heal(fixture: &Fixture, policy: &str) -> Value {
    under(fixture, policy, "create_directory", &json!({"path": "/w/elsewhere"})).unwrap()
}

pub(super) fn under(fixture: &Fixture, policy: &str, tool: &str, args: &Value) -> Result<Value, Value> {
    fixture.machine.set(FaultPlan::Well);
    call(&fixture.session_with(&ALL, &[("FSGATE_POLICY", policy)]), tool, args)
}

/// One of some effects in turn; all of them in a soak.
fn some<'e>(effects: &[&'e str], turn: u64) -> Vec<&'e str> {
    if soak() { effects.to_vec() } else { vec![effects[turn as usize % effects.len()]] }
}

/// A call that is stopped at a call of the machine.
pub(super) fn stopped(case: &CrashCase, layout: Layout, at: u64) -> Fixture {
    let (fixture, _) = Fixture::after(case, layout, FaultPlan::Stop(at, 1));
    fixture
}

pub(super) fn torn() -> (Fixture, Snapshot) {
    let case = CrashCase {
        name: "a torn file".to_owned(),
        tree: &[("w/s/a.txt", "the old content"), ("v/", "")],
        earlier: Vec::new(),
        tool: "write",
        args: json!({"path": "s/a.txt", "content": "something that is new and longer"}),
    };
    let course = Course::of(&case, Layout::Same);
    (0..course.calls)
        .map(|at| stopped(&case, Layout::Same, at))
        .map(|fixture| (fixture.trees(), fixture))
        .find(|(trees, _)| *trees != course.before && *trees != course.after)
        .map(|(trees, fixture)| (fixture, trees))
        .unwrap()
}

fn is_aside(path: &str) -> bool {
    path.split('/').any(|name| name.strip_prefix(".fsgate-").is_some_and(|id| id.parse::<Id>().is_ok()))
}

/// Everything at and below a name, in any place, without temporary names.
fn named(trees: &Snapshot, name: &str) -> Snapshot {
    let is_it = |path: &str| path.split('/').any(|segment| segment == name) && !is_aside(path);
    trees.iter().filter(|(path, _)| is_it(path)).map(|(path, item)| (path.clone(), item.clone())).collect()
}

/// Objects with two names, because a step was interrupted between them.
fn spare(fixture: &Fixture) -> BTreeSet<String> {
    fixture.disks.iter().flat_map(twice).map(|path| format!("/{path}")).collect()
}

/// True if nothing changed, except that second names and created directories went.
fn is_left(found: &Snapshot, now: &Snapshot, spare: &BTreeSet<String>) -> bool {
    let is_as_it_was = |(path, item): (&String, &Item)| match now.get(path) {
        None if *item == Item::Directory => spare.iter().any(|name| name.starts_with(&format!("{path}/"))),
        None => spare.contains(path),
        left => left == Some(item),
    };
    found.iter().all(is_as_it_was) && now.keys().all(|path| found.contains_key(path))
}

#[test]
fn what_the_policy_of_now_forbids_is_left_as_it_is_found() {
    let mut complaints = Complaints::default();
    for (number, case) in cases().iter().enumerate() {
        for (row, layout) in [Layout::Same, Layout::Other, Layout::NoLinks].into_iter().enumerate() {
            if !is_tried(case, (number, row), 8) {
                continue;
            }
            let course = Course::of(case, layout);
            for at in 0..course.calls {
                for effect in some(&["read_only", "denied", "hidden"], at) {
                    let fixture = stopped(case, layout, at);
                    let found = fixture.trees();
                    let spare = spare(&fixture);
                    let said = heal(&fixture, &policy(&["*"], &["elsewhere"], effect)).to_string();
                    let now = fixture.trees();
                    complaints.tried();
                    let name = || format!("{}, dead at {at} in {layout:?}, {effect}", case.name);
                    if !is_left(&found, &now, &spare) {
                        complaints.add(format!("{effect}: something was touched"), || {
                            format!("{}\n{}", name(), difference(&now, &found))
                        });
                    }
                    if effect == "hidden" && (said.contains("conflict") || said.contains(".txt")) {
                        complaints.add("told of what is hidden".to_owned(), || format!("{}: {said}", name()));
                    }
                }
            }
        }
    }
    complaints.end("deaths before another policy");
}

#[test]
fn what_lies_in_a_directory_is_asked_about_when_it_is_finished_or_taken_back() {
    let mut complaints = Complaints::default();
    let is_about = |case: &CrashCase| {
        let calls = case.earlier.iter().map(|(_, args)| args).chain([&case.args]);
        calls.map(Value::to_string).any(|args| args.contains("recursive"))
    };
    for (number, case) in cases().iter().filter(|case| is_about(case)).enumerate() {
        for (row, layout) in [Layout::Same, Layout::Other].into_iter().enumerate() {
            if !soak() && !(number + row).is_multiple_of(2) {
                continue;
            }
            let course = Course::of(case, layout);
            for at in 0..course.calls {
                for effect in some(&["no_delete", "read_only", "denied", "hidden"], at) {
                    let fixture = stopped(case, layout, at);
                    let (found, spare) = (named(&fixture.trees(), "b.txt"), spare(&fixture));
                    heal(&fixture, &policy(&["b.txt"], &[], effect));
                    let now = named(&fixture.trees(), "b.txt");
                    complaints.tried();
                    // A rule that protects a name still lets it be created, and the creation be
                    // rolled back.
                    let mut stood = found.iter().filter(|(path, _)| course.before.contains_key(*path));
                    let kept = match effect {
                        "no_delete" => stood.all(|(path, item)| now.get(path) == Some(item)),
                        _ => is_left(&found, &now, &spare),
                    };
                    if !kept {
                        complaints.add(format!("{effect}, {}, {layout:?}", case.tool), || {
                            format!("{}, dead at {at}\n{}", case.name, difference(&now, &found))
                        });
                    }
                }
            }
        }
    }
    complaints.end("deaths of changes of whole directories before another policy");
}

#[test]
fn what_a_rule_lets_be_added_to_is_taken_back_only_as_a_change() {
    for (paths, effect, is_healed) in [
        (&["other.txt"][..], "hidden", true),
        (&["a.txt"], "no_delete", true),
        (&["a.txt"], "append_only", false),
    ] {
        let (fixture, found) = torn();
        heal(&fixture, &policy(paths, &[], effect));
        let content = &fixture.trees()["/w/s/a.txt"];
        let expected =
            if is_healed { &Item::File(b"the old content".to_vec()) } else { &found["/w/s/a.txt"] };
        assert_eq!(content, expected, "{paths:?} {effect}");
    }
}

#[test]
fn a_file_that_has_two_names_by_now_is_not_written_where_that_is_forbidden() {
    for (linked_files, is_healed) in [("writable", true), ("read_only", false)] {
        let (fixture, found) = torn();
        let (volume, root) = (fixture.grant(), fixture.grant().root());
        let directory = volume.open_directory(&root, "s").unwrap();
        volume.link_file(&directory, "a.txt", &root, "other.txt").unwrap();
        heal(&fixture, &json!({"profile": "open", "linked_files": linked_files}).to_string());
        let is_old = fixture.trees()["/w/s/a.txt"] == Item::File(b"the old content".to_vec());
        assert_eq!(is_old, is_healed, "{linked_files}");
        assert_eq!(fixture.trees()["/w/s/a.txt"] == found["/w/s/a.txt"], !is_healed, "{linked_files}");
    }
}

/// Otherwise half of it would be rolled back, and no later process could tell which.
#[test]
fn a_call_of_which_a_part_is_forbidden_waits_for_who_may_take_back_all_of_it() {
    const TREE: &[(&str, &str)] =
        &[("w/s/y", "old\n"), ("w/s/conf", "host\nsecret\n"), ("w/pub/x", "old\n"), ("v/k", "")];
    let edit = |path: &str| json!({"path": path, "old": "old", "new": "new, and longer"});
    let patch = "diff --git a/s/conf b/pub/conf\nrename from s/conf\nrename to pub/conf\n\
        --- a/s/conf\n+++ b/pub/conf\n@@ -1,2 +1 @@\n host\n-secret\n";
    let mut complaints = Complaints::default();
    for (tool, args) in [
        ("apply", json!({"edits": [edit("pub/x"), edit("s/y")]})),
        ("apply", json!({"edits": [edit("s/y"), edit("pub/x")]})),
        ("apply", json!({ "patch": patch })),
    ] {
        let case = CrashCase { name: args.to_string(), tree: TREE, earlier: Vec::new(), tool, args };
        for layout in [Layout::Same, Layout::Other, Layout::NoLinks] {
            let course = Course::of(&case, layout);
            for at in 0..course.calls {
                for (effect, prunes) in [("read_only", false), ("denied", true), ("hidden", false)] {
                    let fixture = stopped(&case, layout, at);
                    let found = fixture.trees();
                    let mut complain = |kind: &str, what: String| {
                        complaints.add(format!("{kind}, {effect}, {layout:?}"), || {
                            format!("{}, dead at {at}: {what}", case.name)
                        });
                    };
                    let policy = policy(&["s/"], &[], effect);
                    heal(&fixture, &policy);
                    for number in (0..4).filter(|_| prunes) {
                        let told = [("FSGATE_POLICY", &policy[..]), ("FSGATE_HISTORY_ENTRIES", "1")];
                        let path = format!("/w/elsewhere/{number}");
                        let session = fixture.session_with(&ALL, &told);
                        call(&session, "create_directory", &json!({ "path": path })).unwrap();
                    }
                    let mut left = fixture.trees();
                    left.retain(|path, _| !path.starts_with("/w/elsewhere"));
                    if left != found && left != course.before && left != course.after {
                        complain("it is half", difference(&left, &found));
                    }
                    fixture.heal();
                    let mut trees = fixture.trees();
                    trees.retain(|path, _| !path.starts_with("/w/elsewhere"));
                    if trees != course.before && trees != course.after {
                        complain("it stays half", difference(&trees, &course.before));
                    }
                    complaints.tried();
                }
            }
        }
    }
    complaints.end("deaths of calls of which another policy forbids a part");
}

/// Second names and directory contents may come from the call.
#[test]
fn what_a_call_has_done_itself_does_not_forbid_to_take_it_back() {
    let to = json!({"to": "here"});
    let linked = json!({"profile": "open", "linked_files": "read_only"}).to_string();
    let kept = policy(&["*.log"], &[], "no_delete");
    let label = || ("checkpoint", json!({"label": "here"}));
    let moved =
        |source: &str, to: &str| ("move", json!({"source": source, "destination": to, "recursive": true}));
    let mut complaints = Complaints::default();
    for (policy, earlier) in [
        (
            &linked,
            vec![label(), moved("f", "h"), ("replace", json!({"path": "h", "old": "old", "new": "new"}))],
        ),
        (&kept, vec![label(), ("delete", json!({"path": "d/x.log"})), moved("d", "h")]),
    ] {
        let case = CrashCase {
            name: policy.clone(),
            tree: &[("w/f", "old\n"), ("w/d/x.log", "log\n"), ("v/k", "")],
            earlier,
            tool: "undo",
            args: to.clone(),
        };
        for layout in [Layout::Same, Layout::Other] {
            let course = Course::of(&case, layout);
            for at in 0..course.calls {
                let fixture = stopped(&case, layout, at);
                let said = heal(&fixture, policy).to_string();
                complaints.tried();
                let trees = fixture.trees();
                if trees != course.before && trees != course.after || said.contains("conflict") {
                    complaints.add(format!("it stays half, {layout:?}"), || {
                        format!("{policy}, dead at {at}: {said} {}", difference(&trees, &course.before))
                    });
                }
            }
        }
    }
    complaints.end("deaths of calls that are in the way of their own end");
}

/// A patch that moves a file to `/w/pub/conf` and removes a line.
fn cleaned(from: &str) -> CrashCase {
    let to = "w/pub/conf";
    CrashCase {
        name: format!("a file is moved from {from}, and a line taken out of it"),
        tree: &[("w/s/conf", "secret\nhost\n"), ("w/pub/x", ""), ("v/s/conf", "secret\nhost\n")],
        earlier: Vec::new(),
        tool: "apply",
        args: json!({"patch": format!("diff --git a/{from} b/{to}\nrename from {from}\nrename to {to}\n\
            --- a/{from}\n+++ b/{to}\n@@ -1,2 +1 @@\n-secret\n host\n")}),
    }
}

/// The set-aside changes, and the visibility of that line for another session through any listed
/// id.
fn told_of_line(fixture: &Fixture, grants: &[&str], policy: Option<&str>) -> (usize, Option<String>) {
    fixture.machine.set(FaultPlan::Well);
    let all = fixture.call("log", &json!({"any_session": true})).unwrap();
    let listed = ["entries", "conflicts"].map(|list| all[list].as_array().cloned().unwrap_or_default());
    let told = policy.map(|policy| ("FSGATE_POLICY", policy));
    let told: Vec<_> = told.into_iter().chain([("FSGATE_SESSION", SOMEBODY_ELSE)]).collect();
    let asker = fixture.session_with(grants, &told);
    let mut answers = vec![call(&asker, "log", &json!({"any_session": true, "diff": true}))];
    for entry in listed.concat() {
        for dry in [true, false] {
            let args = json!({"id": entry["undo_id"], "path": "/w/pub/conf", "any_session": true, "dry_run": dry, "diff": true});
            answers.push(call(&asker, "restore", &args));
        }
    }
    let is_back = fixture.trees().get("/w/pub/conf") == Some(&Item::File(b"secret\nhost\n".to_vec()));
    let answers = format!("{answers:?}");
    (listed[1].len(), Some(answers).filter(|answers| is_back || answers.contains("secret")))
}

/// A line removed from a file that comes from a denied directory stays hidden from other sessions.
#[test]
fn what_is_left_of_a_call_does_not_tell_what_it_has_brought() {
    let denied = policy(&["s/"], &[], "denied");
    let (open, changeless) = (json!({"profile": "open"}).to_string(), policy(&["never"], &[], "read_only"));
    let [clean, theirs] = ["host\n", "something else\n"].map(|text| Item::File(text.as_bytes().to_vec()));
    let mut complaints = Complaints::default();
    for (from, grants, asked, is_theirs) in [
        ("w/s/conf", &ALL[..], Some(&denied), false),
        // From a directory outside the session's grants, even without rules.
        ("w/s/conf", &["/w/pub"], Some(&denied), false),
        ("w/s/conf", &["/w/pub"], Some(&open), false),
        ("w/s/conf", &["/w/pub"], None, false),
        ("v/s/conf", &["/w"], Some(&changeless), false),
        // A session with the same directories and policy could have made the change.
        ("w/s/conf", &ALL, None, true),
        ("v/s/conf", &ALL, None, true),
    ] {
        let case = cleaned(from);
        let course = Course::of(&case, Layout::Same);
        let (mut aside, mut told) = (0, 0);
        // The last one is a call that nothing stops.
        for at in 0..=course.calls {
            // With and without the part that moved it, at any age.
            for (is_all_left, prunes) in [(false, false), (false, true), (true, false), (true, true)] {
                let fixture = stopped(&case, Layout::Same, at);
                if is_all_left {
                    heal(&fixture, &denied);
                }
                if fixture.trees().get("/w/pub/conf") != Some(&clean) {
                    continue;
                }
                let volume = fixture.grant();
                if is_all_left {
                    volume.put("pub/conf", theirs.clone());
                } else {
                    let directory = volume.open_directory(&volume.root(), "pub").unwrap();
                    let file = volume.open_file(&directory, "conf", Access::Write).unwrap();
                    volume.write_at(&file, 0, b"something else\n").unwrap();
                }
                fixture.heal();
                for number in (0..4).filter(|_| prunes) {
                    let path = format!("/w/elsewhere/{number}");
                    let session = fixture.session_with(&ALL, &[("FSGATE_HISTORY_ENTRIES", "1")]);
                    call(&session, "create_directory", &json!({ "path": path })).unwrap();
                }
                let (conflicts, answers) = told_of_line(&fixture, grants, asked.map(|policy| &policy[..]));
                complaints.tried();
                aside += conflicts;
                told += usize::from(answers.is_some());
                if let Some(answers) = answers.filter(|_| !is_theirs) {
                    complaints.add(
                        format!("the answer shows it, {from}, {grants:?} {asked:?} {is_all_left} {prunes}"),
                        || format!("dead at {at}: {answers}"),
                    );
                }
            }
        }
        assert!(aside > 0, "{from}: nothing was set aside");
        assert!(told > 0 || !is_theirs, "{from}: nobody is told of what is set aside");
    }
    // Complete except for a bit in each record.
    let case = cleaned("w/s/conf");
    for number in 0..3 {
        let fixture = Fixture::of(&case, Layout::Same);
        fixture.call(case.tool, &case.args).unwrap();
        let items = fixture.state().snapshot();
        let (path, item) = items.iter().find(|(path, _)| path.starts_with("log/")).unwrap();
        let Item::File(mut bytes) = item.clone() else { panic!("{path} is no file") };
        let records = super::fixture::records(&items, &super::fixture::control(&items).unwrap());
        let at: usize = records[..number].iter().map(|record| record.bytes.len()).sum();
        bytes[at + 60] ^= 4;
        fixture.state().put(path, Item::File(bytes));
        complaints.tried();
        if let (_, Some(answers)) = told_of_line(&fixture, &ALL, Some(&denied)) {
            complaints
                .add("the answer shows it".to_owned(), || format!("record {number} is damaged: {answers}"));
        }
    }
    complaints.end("looks at what is left of a call");
}

/// A session with a part of a call's directories does not learn where a file went, and no session
/// removes records that recovery needs.
#[test]
fn what_a_dead_call_has_led_away_is_told_by_no_older_name_and_is_not_forgotten() {
    let patch = "--- a/v/k\n+++ b/v/k\n@@ -1 +1 @@\n-old\n+new\n\
        diff --git a/w/f b/v/f\nsimilarity index 100%\nrename from w/f\nrename to v/f\n";
    let mut complaints = Complaints::default();
    let mut waited = 0;
    for (tool, args) in
        [("move", json!({"source": "/w/f", "destination": "/v/f"})), ("apply", json!({ "patch": patch }))]
    {
        for layout in [Layout::Same, Layout::Other, Layout::Two] {
            let fixture = || {
                let fixture = Fixture::new(layout, &[("w/f", "first secret\n"), ("v/k", "old\n")]);
                let second = json!({"path": "/w/f", "content": "second secret\n", "backup": true});
                let written = fixture.earlier("write", &second).unwrap();
                (fixture, written["undo_id"].clone())
            };
            let (whole, _) = fixture();
            let session = whole.session();
            whole.machine.set(FaultPlan::Well);
            call(&session, tool, &args).unwrap();
            for at in 0..whole.machine.calls() {
                let (fixture, id) = fixture();
                let session = fixture.session();
                fixture.machine.set(FaultPlan::Stop(at, 3));
                let _ = call(&session, tool, &args);
                fixture.machine.set(FaultPlan::Well);
                complaints.tried();
                let mut complain = |kind: &str, what: String| {
                    complaints
                        .add(format!("{kind}, {tool} in {layout:?}"), || format!("dead at {at}: {what}"));
                };
                call(&fixture.session_over(&["/w"]), "create_directory", &json!({"path": "/w/elsewhere"}))
                    .unwrap();
                let part = fixture.session_with(&["/w"], &[("FSGATE_SESSION", SOMEBODY_ELSE)]);
                let is_there = |fixture: &Fixture| fixture.trees().contains_key("/w/f");
                if !is_there(&fixture) {
                    let log =
                        call(&part, "log", &json!({"any_session": true, "diff": true})).unwrap().to_string();
                    let restored =
                        call(&part, "restore", &json!({"id": id, "any_session": true, "path": "/w/f"}));
                    if log.contains("secret")
                        || log.contains("\"etag\"")
                        || restored.is_ok()
                        || is_there(&fixture)
                    {
                        complain("the answer shows it", format!("{log} {restored:?}"));
                    }
                }
                let waiting = || {
                    let names = fixture.state().snapshot().into_keys();
                    names
                        .filter_map(|name| Some(name.strip_prefix("waiting/")?.to_owned()))
                        .collect::<Vec<_>>()
                };
                let found = waiting();
                waited += found.len();
                for id in &found {
                    let _ = call(&part, "forget", &json!({ "id": id }));
                }
                if waiting() != found {
                    complain("it is forgotten", format!("{found:?}"));
                }
                fixture.heal();
                let trees = fixture.trees();
                let left: Vec<_> = ["/w/f", "/v/f"].iter().filter_map(|path| trees.get(*path)).collect();
                if left != [&Item::File(b"second secret\n".to_vec())] {
                    complain("it is gone, or twice", format!("{left:?}"));
                }
            }
        }
    }
    assert!(waited > 0, "nothing has waited");
    complaints.end("deaths of moves, and somebody with a part of what they are about");
}

/// The history that has a call's decision may forget it before the others have completed it.
#[test]
fn what_belongs_to_a_call_that_is_forgotten_is_not_taken_back() {
    let mut complaints = Complaints::default();
    let away = json!({"source": "/w/f", "destination": "/v/f"});
    let fixture = || Fixture::new(Layout::Two, &[("w/f", "secret\n"), ("v/k", "old\n")]);
    let whole = fixture();
    let session = whole.session();
    whole.machine.set(FaultPlan::Well);
    call(&session, "move", &away).unwrap();
    for at in 0..whole.machine.calls() {
        let fixture = fixture();
        let session = fixture.session();
        fixture.machine.set(FaultPlan::Stop(at, 3));
        let _ = call(&session, "move", &away);
        fixture.machine.set(FaultPlan::Well);
        let few = [("FSGATE_HISTORY_ENTRIES", "1"), ("FSGATE_SESSION", SOMEBODY_ELSE)];
        let part = fixture.session_with(&["/w"], &few);
        for number in 0..20 {
            call(&part, "create", &json!({"path": format!("/w/{number}"), "content": ""})).unwrap();
        }
        call(&part, "forget", &json!({"path": "/w/f"})).unwrap();
        fixture.heal();
        complaints.tried();
        let trees = fixture.trees();
        let left: Vec<_> = ["/w/f", "/v/f"].iter().filter_map(|path| trees.get(*path)).collect();
        if !left.contains(&&Item::File(b"secret\n".to_vec())) {
            complaints.add("it is gone".to_owned(), || format!("dead at {at}: {trees:?}"));
        }
    }
    complaints.end("deaths of moves, of which one of two histories is forgotten");
}
