//! State and its purpose: hosts that exclude each other, and cancelled calls.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use fsgate::{
    Access, CancelToken, Code, CreateArgs, Durability, Gate, GateBuilder, GrepArgs, Limits,
    ListDirectoryArgs, ReadArgs, StartError, WriteArgs,
};
use fsgate_journal::state::control::Control;
use fsgate_tests::program::program;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A grant `w`, a home, and a state root that does not exist yet.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Self {
        let scratch = Self(TempDir::new().unwrap());
        for directory in ["w/sub", "home"] {
            fs::create_dir_all(scratch.at(directory)).unwrap();
        }
        fs::write(scratch.at("w/a.txt"), "hello").unwrap();
        scratch
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn builder(&self) -> GateBuilder {
        Gate::builder().dir_as(self.at("w"), "/w", Access::Write).state_root(self.at("state"))
    }

    /// The lock of the only state directory, opened like another host does.
    fn lock(&self) -> File {
        let states: Vec<_> = fs::read_dir(self.at("state/states")).unwrap().map(Result::unwrap).collect();
        assert_eq!(states.len(), 1, "{states:?}");
        File::options().write(true).open(states[0].path().join("lock")).unwrap()
    }

    /// The lock of a grant, opened like another program of this user does.
    fn grant_lock(&self, name: &str) -> File {
        let (found, user) = (fs::metadata(self.at(name)).unwrap(), rustix::process::geteuid().as_raw());
        let path = format!("/tmp/fsgate-{user}/{:x}-{:x}", found.dev(), found.ino());
        File::options().write(true).open(path).unwrap()
    }

    /// Marks bytes as being written in place, as a host does that dies then; or clears the mark.
    fn write_in_place(&self, is_begun: bool) {
        let states = fs::read_dir(self.at("state/states")).unwrap();
        for state in states {
            let path = state.unwrap().path().join("control");
            let now = Control::parse(&fs::read(&path).unwrap()).unwrap();
            let sequence = now.sequence + u64::from(now.is_in_place() != is_begun);
            let (at, slot) = Control { turn: now.turn + 1, sequence, ..now }.slot();
            File::options().write(true).open(path).unwrap().write_all_at(&slot, at).unwrap();
        }
    }

    fn command(&self) -> Command {
        program(env!("CARGO_BIN_EXE_fsgate"), self.0.path())
    }
}

fn create(path: &str) -> CreateArgs {
    CreateArgs { path: path.to_owned(), content: "new".to_owned(), ..Default::default() }
}

fn read(path: &str) -> ReadArgs {
    ReadArgs { path: path.to_owned(), ..Default::default() }
}

fn brief() -> Limits {
    Limits { deadline: Duration::from_millis(100), ..Limits::default() }
}

#[test]
fn a_call_that_waits_in_vain_for_another_host_is_busy() {
    let scratch = Scratch::new();
    let gate = scratch.builder().limits(brief()).build().unwrap();
    let other = scratch.lock();
    other.lock().unwrap();
    let begun = Instant::now();
    let refused = gate.create(&create("b.txt")).unwrap_err();
    assert_eq!((refused.code.clone(), refused.applied), (Code::Busy, false), "{refused}");
    assert!(refused.message.contains("another fsgate"), "{refused}");
    assert!(begun.elapsed() >= Duration::from_millis(100));
    let json: Value = serde_json::from_str(
        &gate.call("create", r#"{"path": "b.txt", "content": "x", "dry_run": null}"#).unwrap_err(),
    )
    .unwrap();
    assert_eq!((&json["code"], &json["operation"]), (&"busy".into(), &"create".into()));
    // Reads wait for no one.
    assert_eq!(gate.read(&read("a.txt")).unwrap().content, "hello");
    gate.create(&CreateArgs { dry_run: Some(true), ..create("b.txt") }).unwrap();
    gate.call("create", r#"{"path": "b.txt", "content": "x", "dry_run": true}"#).unwrap();
    assert!(!scratch.at("w/b.txt").exists());
    other.unlock().unwrap();
    gate.create(&create("b.txt")).unwrap();
}

#[test]
fn gates_of_one_process_keep_out_of_each_others_way() {
    let scratch = Scratch::new();
    let outer = scratch.builder().build().unwrap();
    let inner = Gate::builder()
        .dir_as(scratch.at("w/sub"), "/s", Access::Write)
        .state_root(scratch.at("state"))
        .build()
        .unwrap();
    let held = scratch.lock();
    held.lock().unwrap();
    thread::scope(|scope| {
        let waiting = [
            scope.spawn(|| outer.create(&create("sub/x.txt")).unwrap().path),
            scope.spawn(|| inner.create(&create("y.txt")).unwrap().path),
        ];
        thread::sleep(Duration::from_millis(200));
        assert!(waiting.iter().all(|call| !call.is_finished()));
        held.unlock().unwrap();
        let paths = waiting.map(|call| call.join().unwrap());
        assert_eq!(paths, ["/w/sub/x.txt", "/s/y.txt"]);
    });
}

/// The other host has another state root or none; both share only the directory.
#[test]
fn the_lock_of_a_directory_holds_wherever_state_is_kept() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.at("beside")).unwrap();
    let builder = |name: &str, state: &str| {
        Gate::builder()
            .dir_as(scratch.at(name), "/w", Access::Write)
            .state_root(scratch.at(state))
            .limits(brief())
    };
    let unjournaled = |name: &str| builder(name, "none").durability(Durability::None).build().unwrap();
    let wide = builder("w", "state").build().unwrap();
    let narrowed = wide.within(&[scratch.at("w/sub")]).unwrap();
    let (inside, beside) = (unjournaled("w/sub"), unjournaled("beside"));
    let excluded = [
        ("whole", &wide),
        ("narrowed", &narrowed),
        ("inside", &inside),
        ("another state", &builder("w", "other").build().unwrap()),
        ("no state", &unjournaled("w")),
    ];
    let held = scratch.grant_lock("w");
    held.lock().unwrap();
    let content = json!({"path": "b.txt", "content": ""}).to_string();
    for (name, gate) in excluded {
        let refused: Value = serde_json::from_str(&gate.call("create", &content).unwrap_err()).unwrap();
        assert_eq!(refused["code"], "busy", "{name}: {refused}");
        assert!(gate.call("list_directory", r#"{"path": "."}"#).is_ok(), "{name}");
        gate.call("create", r#"{"path": "b.txt", "content": "", "dry_run": true}"#).unwrap();
    }
    beside.call("create", &content).unwrap();
    let reading =
        Gate::builder().dir_as(scratch.at("w"), "/w", Access::Read).limits(brief()).build().unwrap();
    assert_eq!(reading.read(&read("a.txt")).unwrap().content, "hello");
    held.unlock().unwrap();
    // A lock of a part blocks its gate, and not one beside it.
    let held = scratch.grant_lock("w/sub");
    held.lock().unwrap();
    assert!(inside.call("create", &content).is_err());
    beside.call("append", &content).unwrap();
    held.unlock().unwrap();
    for (name, gate) in excluded {
        let created = gate.call("create", &json!({"path": format!("{name}.txt"), "content": ""}).to_string());
        assert!(created.is_ok(), "{name}: {created:?}");
    }
}

#[test]
fn a_lock_file_is_hidden_where_all_of_its_place_is_granted() {
    let scratch = Scratch::new();
    scratch.builder().build().unwrap();
    let user = rustix::process::geteuid().as_raw();
    let wide = Gate::builder().read_only_dir("/tmp").allow_wide_grant(true);
    let wide = wide.state_root(scratch.at("state")).build().unwrap();
    let path = format!("/tmp/fsgate-{user}");
    assert!(Path::new(&path).is_dir());
    let listed = wide.list_directory(&ListDirectoryArgs { path, ..Default::default() });
    assert_eq!(listed.unwrap_err().code, Code::NotFound);
}

#[test]
fn a_program_waits_for_another_host() {
    let scratch = Scratch::new();
    let gate = scratch.builder().build().unwrap();
    let held = scratch.lock();
    held.lock().unwrap();
    let mut waiting = scratch
        .command()
        .args(["create", "b.txt", "--content", "new", "--dir", "w/sub", "--state-dir", "state"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(300));
    assert!(waiting.try_wait().unwrap().is_none() && !scratch.at("w/sub/b.txt").exists());
    held.unlock().unwrap();
    assert!(waiting.wait().unwrap().success());
    assert_eq!(gate.read(&read("sub/b.txt")).unwrap().content, "new");
}

#[test]
fn many_programs_change_one_file_one_after_the_other() {
    let scratch = Scratch::new();
    fs::write(scratch.at("w/lines.txt"), "").unwrap();
    let programs: Vec<_> = (0..8)
        .map(|number| {
            let line = format!("{number}\n").repeat(5_000);
            scratch
                .command()
                .args(["append", "lines.txt", "--content", &line, "--dir", "w"])
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut program in programs {
        assert!(program.wait().unwrap().success());
    }
    let text = fs::read_to_string(scratch.at("w/lines.txt")).unwrap();
    assert_eq!(text.lines().count(), 40_000);
    // Each content is complete.
    assert_eq!(
        text.as_bytes().windows(3).filter(|three| three[0] != three[2] && three[1] == b'\n').count(),
        7
    );
}

#[test]
fn state_is_no_part_of_what_tools_see() {
    let scratch = Scratch::new();
    let gate = scratch.builder().build().unwrap();
    assert_eq!(gate.directories().len(), 1);
    let root =
        gate.list_directory(&ListDirectoryArgs { path: "/".to_owned(), ..Default::default() }).unwrap();
    assert_eq!(root.entries.iter().map(|entry| &entry.name).collect::<Vec<_>>(), ["w"]);
    for path in ["/.fsgate/w/lock", "/.fsgate/w", "/.fsgate", "../.fsgate/w/lock"] {
        assert_eq!(gate.read(&read(path)).unwrap_err().code, Code::NotGranted, "{path}");
    }
}

#[test]
fn a_history_in_a_directory_that_is_granted_for_reading_is_not_there() {
    let scratch = Scratch::new();
    let writing = scratch.builder().build().unwrap();
    writing.create(&create("new.txt")).unwrap();
    let state = fs::read_dir(scratch.at("state/states")).unwrap().next().unwrap().unwrap().file_name();
    let state = state.to_str().unwrap();
    let around = Gate::builder().dir_as(scratch.at(""), "/all", Access::Read).state_root(scratch.at("state"));
    let around = around.build().unwrap();
    assert_eq!(around.read(&read("/all/w/new.txt")).unwrap().content, "new");
    for path in ["states".to_owned(), format!("states/{state}"), format!("states/{state}/control")] {
        let path = format!("/all/state/{path}");
        assert_eq!(around.read(&read(&path)).unwrap_err().code, Code::NotFound, "{path}");
        let listed = around.list_directory(&ListDirectoryArgs { path: path.clone(), ..Default::default() });
        assert_eq!(listed.unwrap_err().code, Code::NotFound, "{path}");
    }
    let root = ListDirectoryArgs { path: "/all/state".to_owned(), ..Default::default() };
    let listed = around.list_directory(&root).unwrap();
    assert!(listed.entries.iter().all(|entry| entry.name != "states"), "{listed:?}");
    let everything = GrepArgs { pattern: "new".to_owned(), include_hidden: Some(true), ..Default::default() };
    let found = around.grep(&everything).unwrap();
    assert!(found.matches.iter().all(|line| line.path == "/all/w/new.txt"), "{found:?}");
    // And its parts cannot be granted themselves.
    let inside = Gate::builder().dir_as(scratch.at("state/states"), "/s", Access::Read);
    assert!(inside.state_root(scratch.at("state")).build().is_err());
}

#[test]
fn what_changes_nothing_and_what_is_not_journaled_need_no_state() {
    let scratch = Scratch::new();
    let reading = Gate::builder().read_only_dir(scratch.at("w")).state_root(scratch.at("state"));
    reading.build().unwrap().read(&read("a.txt")).unwrap();
    let unjournaled = scratch.builder().durability(Durability::None).build().unwrap();
    unjournaled.create(&create("b.txt")).unwrap();
    assert!(!scratch.at("state").exists());
    for words in [
        &["read", "a.txt", "--read-only-dir=w"][..],
        &["create", "c", "--content=", "--dir=w", "--durability=none"],
    ] {
        let Output { status, .. } = scratch.command().args(words).output().unwrap();
        assert!(status.success(), "{words:?}");
    }
    assert_eq!(fs::read_dir(scratch.at("home")).unwrap().count(), 0);
}

/// A host that could not recover it does not read a half-written file.
#[test]
fn what_is_half_written_is_not_read_where_no_state_is_kept() {
    type Make = fn(&Scratch) -> GateBuilder;
    let makes: [(&str, Make, &str); 4] = [
        ("the same", |scratch| Gate::builder().dir_as(scratch.at("w"), "/r", Access::Read), "/r/sub/b.txt"),
        ("a part", |scratch| Gate::builder().dir_as(scratch.at("w/sub"), "/r", Access::Read), "/r/b.txt"),
        ("around", |scratch| Gate::builder().dir_as(scratch.at("around"), "/r", Access::Read), "/r/in/b.txt"),
        ("unjournaled", |scratch| scratch.builder().durability(Durability::None), "/w/sub/b.txt"),
    ];
    for (name, make, path) in makes {
        let scratch = Scratch::new();
        fs::create_dir_all(scratch.at("around/in")).unwrap();
        for written in ["w/sub/b.txt", "around/in/b.txt"] {
            let directory = scratch.at(written.split('/').next().unwrap());
            let directory = if written.starts_with('a') { directory.join("in") } else { directory };
            let writer =
                Gate::builder().dir_as(directory, "/x", Access::Write).state_root(scratch.at("state"));
            let inside = written.split_once('/').unwrap().1.trim_start_matches("in/");
            writer.build().unwrap().create(&create(inside)).unwrap();
        }
        let gate = make(&scratch).state_root(scratch.at("state")).limits(brief()).build().unwrap();
        assert_eq!(gate.read(&read(path)).unwrap().content, "new", "{name}");
        scratch.write_in_place(true);
        let refused = gate.read(&read(path)).unwrap_err();
        assert_eq!((&refused.code, refused.applied), (&Code::Busy, false), "{name}: {refused}");
        assert!(refused.to_string().contains("fsgate recover"), "{name}: {refused}");
        if name == "unjournaled" {
            let refused = gate.create(&create("c.txt")).unwrap_err();
            assert_eq!((&refused.code, refused.applied), (&Code::Busy, false), "{name}: {refused}");
            assert!(!scratch.at("w/c.txt").exists());
        }
        // A multi-file walk is not a snapshot.
        assert!(
            gate.list_directory(&ListDirectoryArgs { path: ".".to_owned(), ..Default::default() }).is_ok(),
            "{name}"
        );
        scratch.write_in_place(false);
        assert_eq!(gate.read(&read(path)).unwrap().content, "new", "{name}");
    }
}

/// The same with a living host: the old text or the new one, never a mix.
#[test]
fn who_may_only_read_reads_no_half_of_a_change() {
    let scratch = Scratch::new();
    let writer = scratch.builder().build().unwrap();
    let text = |letter: &str, length: usize| letter.repeat(length);
    let write = |content: String| {
        writer.write(&WriteArgs { path: "a.txt".to_owned(), content, ..Default::default() })
    };
    write(text("a", 900_000)).unwrap();
    let reader = Gate::builder().dir_as(scratch.at("w"), "/r", Access::Read).state_root(scratch.at("state"));
    let reader = reader.build().unwrap();
    thread::scope(|scope| {
        let reading = scope.spawn(|| {
            (0..60)
                .filter(|_| {
                    let content = reader.read(&read("a.txt")).unwrap().content;
                    content.bytes().any(|byte| byte != content.as_bytes()[0])
                })
                .count()
        });
        let mut turn = 0;
        while !reading.is_finished() {
            turn += 1;
            write(if turn % 2 == 0 { text("a", 900_000) } else { text("b", 800_000) }).unwrap();
        }
        assert_eq!(reading.join().unwrap(), 0, "mixed answers, in {turn} changes");
        assert!(turn > 1, "nothing was changed meanwhile");
    });
}

#[test]
fn state_that_cannot_be_kept_refuses_the_start_with_what_to_do() {
    let scratch = Scratch::new();
    fs::write(scratch.at("file"), "").unwrap();
    fs::create_dir(scratch.at("open")).unwrap();
    fs::set_permissions(scratch.at("open"), fs::Permissions::from_mode(0o777)).unwrap();
    symlink(scratch.at("w"), scratch.at("link")).unwrap();
    for (root, expected) in [
        ("file", "it is not a directory"),
        ("file/below", "Not a directory"),
        ("open", "others can write to it"),
        ("w", "contain one another"),
        ("w/sub/state", "contain one another"),
        ("link", "contain one another"),
        ("link/state", "contain one another"),
    ] {
        let output = scratch
            .command()
            .args(["create", "b.txt", "--content=", "--dir", "w", "--state-dir", root])
            .output()
            .unwrap();
        let reported = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{root}: {reported}");
        assert!(reported.contains(expected) && reported.contains("--state-dir"), "{root}: {reported}");
        // Reads are not delayed.
        let words = ["read", "a.txt", "--read-only-dir", "w", "--state-dir", root];
        assert!(scratch.command().args(words).status().unwrap().success(), "{root}");
    }
    let mut homeless = scratch.command();
    let reported =
        homeless.env_remove("HOME").args(["create", "b", "--content=", "--dir", "w"]).output().unwrap();
    assert!(String::from_utf8_lossy(&reported.stderr).contains("--durability none"), "{reported:?}");
    assert!(!scratch.at("w/b.txt").exists() && !scratch.at("w/b").exists());
    let refused = scratch.builder().state_root(scratch.at("open")).build();
    assert!(matches!(refused, Err(StartError::State { .. })));
}

#[test]
fn a_state_directory_that_is_gone_is_named_with_what_to_do() {
    let scratch = Scratch::new();
    let gate = scratch.builder().build().unwrap();
    gate.create(&create("b.txt")).unwrap();
    let states = scratch.at("state").canonicalize().unwrap();
    fs::remove_dir_all(&states).unwrap();
    let refused = gate.create(&create("c.txt")).unwrap_err();
    assert!(
        !refused.applied && refused.message.contains("the state directory, or a part of it, is missing"),
        "{}",
        refused.message
    );
    assert!(refused.repair.unwrap().starts_with("start the session again"));
    assert!(!scratch.at("w/c.txt").exists());
    assert_eq!(gate.read(&read("b.txt")).unwrap().content, "new");
    scratch.builder().build().unwrap().create(&create("c.txt")).unwrap();
}

#[test]
fn the_home_is_where_state_is_kept_by_default() {
    let scratch = Scratch::new();
    for (home, variable) in [("home/.local/state/fsgate", None), ("xdg/fsgate", Some(scratch.at("xdg")))] {
        let mut command = scratch.command();
        if let Some(path) = variable {
            command.env("XDG_STATE_HOME", path);
        }
        let args = ["write", "a.txt", "--content", "x", "--dir", "w"];
        assert!(command.args(args).stdout(std::process::Stdio::null()).status().unwrap().success());
        assert_eq!(fs::read_dir(scratch.at(home).join("roots")).unwrap().count(), 1, "{home}");
    }
}

/// 16 GB of zeros that take no space, and many seconds to search.
fn huge(directory: &Path) {
    File::create(directory.join("huge")).unwrap().set_len(16 << 30).unwrap();
}

#[test]
fn a_call_that_is_taken_back_ends_soon() {
    let scratch = Scratch::new();
    huge(&scratch.at("w"));
    let gate = scratch.builder().build().unwrap();
    let held = scratch.lock();
    for (tool, arguments, is_locked) in [
        ("read", r#"{"path": "huge", "skip_lines": 1}"#, false),
        ("replace", r#"{"path": "huge", "old": "a", "new": "b", "dry_run": true}"#, false),
        ("create", r#"{"path": "b.txt", "content": "x"}"#, true),
    ] {
        if is_locked {
            held.lock().unwrap();
        }
        let token = CancelToken::new();
        let begun = Instant::now();
        let answer = thread::scope(|scope| {
            let call = scope.spawn(|| gate.call_cancellable(tool, arguments, &token));
            thread::sleep(Duration::from_millis(100));
            assert!(!call.is_finished(), "{tool}");
            token.cancel();
            call.join().unwrap()
        });
        assert!(begun.elapsed() < Duration::from_secs(5), "{tool}: {:?}", begun.elapsed());
        let error: Value = serde_json::from_str(&answer.unwrap_err()).unwrap();
        assert_eq!((&error["code"], &error["applied"]), (&"cancelled".into(), &false.into()), "{error}");
        held.unlock().unwrap();
        // The gate continues.
        assert_eq!(gate.read(&read("a.txt")).unwrap().content, "hello");
    }
    gate.create(&create("b.txt")).unwrap();
}

#[test]
fn a_change_that_is_made_is_told_even_if_nobody_wants_it_any_more() {
    let scratch = Scratch::new();
    let gate = scratch.builder().build().unwrap();
    let token = CancelToken::new();
    token.cancel();
    let answer = gate.call_cancellable("create", r#"{"path": "b.txt", "content": "x"}"#, &token);
    // Stopped before its change or not: the answer matches the file.
    let reported = match &answer {
        Ok(_) => true,
        Err(error) => serde_json::from_str::<Value>(error).unwrap()["applied"] == true,
    };
    assert_eq!(reported, scratch.at("w/b.txt").exists(), "{answer:?}");
}
