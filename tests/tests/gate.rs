//! The host around the component: what outlives a call, what ends one, what a start holds on to.

mod large;
mod many;

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, Instant};

use fsgate::policy::Documents;
use fsgate::{
    Access, Code, CreateArgs, Directory, Gate, Limits, ReadArgs, ReadNumberedArgs, ReplaceArgs, UndoArgs,
    WriteArgs,
};
use fsgate_tests::open::Opened;
use tempfile::TempDir;
use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{LiftLowerAbi, ManglingAndAbi, Resolve};

fn read(path: &str) -> ReadArgs {
    ReadArgs { path: path.to_owned(), ..Default::default() }
}

fn replace(path: &str, old: &str, new: &str) -> ReplaceArgs {
    ReplaceArgs { path: path.to_owned(), old: old.to_owned(), new: new.to_owned(), ..Default::default() }
}

fn gate(directory: &Path, limits: Limits) -> Opened {
    Opened::new(Gate::builder().dir(directory).limits(limits)).unwrap()
}

#[test]
fn a_call_that_takes_too_long_is_stopped_and_the_next_one_works() {
    let scratch = TempDir::new().unwrap();
    fs::write(scratch.path().join("small.txt"), "hello").unwrap();
    // Sparse: sixteen gigabytes of zeros that take no room, and many seconds to search.
    fs::File::create(scratch.path().join("huge")).unwrap().set_len(16 << 30).unwrap();
    let gate = gate(scratch.path(), Limits { deadline: Duration::from_millis(100), ..Limits::default() });

    let refused =
        gate.read(&ReadArgs { max_lines: Some(1), skip_lines: Some(1), ..read("huge") }).unwrap_err();
    assert_eq!((refused.code.clone(), refused.applied), (Code::Deadline, false), "{refused}");
    let refused = gate.replace(&replace("huge", "old", "new")).unwrap_err();
    assert_eq!((refused.code.clone(), refused.applied), (Code::Deadline, false), "{refused}");
    let dry = ReplaceArgs { dry_run: Some(true), ..replace("huge", "old", "new") };
    let refused = gate.replace(&dry).unwrap_err();
    assert_eq!((refused.code.clone(), refused.applied), (Code::Deadline, false), "{refused}");
    let json = r#"{"path": "huge", "old": "old", "new": "new", "dry_run": true}"#;
    let refused: serde_json::Value = serde_json::from_str(&gate.call("replace", json).unwrap_err()).unwrap();
    assert_eq!((&refused["code"], &refused["applied"]), (&"deadline".into(), &false.into()));
    assert_eq!(gate.read(&read("small.txt")).unwrap().content, "hello");
}

#[test]
fn a_call_that_needs_too_much_memory_is_stopped_and_the_next_one_works() {
    let scratch = TempDir::new().unwrap();
    fs::write(scratch.path().join("small.txt"), "hello").unwrap();
    fs::write(scratch.path().join("large.txt"), "0123456\n".repeat(131_072)).unwrap();
    let large = ReadArgs { max_bytes: Some(1 << 20), ..read("large.txt") };

    let narrow = gate(scratch.path(), Limits { memory: 3 << 20, ..Limits::default() });
    let refused = narrow.read(&large).unwrap_err();
    assert_eq!(
        (refused.code.clone(), refused.applied),
        (Code::Limit("memory".to_owned()), false),
        "{refused}"
    );
    assert_eq!(narrow.read(&read("small.txt")).unwrap().content, "hello");

    let wide = gate(scratch.path(), Limits { memory: 16 << 20, ..Limits::default() });
    assert_eq!(wide.read(&large).unwrap().content.len(), 1 << 20);
}

#[test]
fn memory_does_not_follow_the_size_of_a_file() {
    let scratch = TempDir::new().unwrap();
    let line = "0123456789abcdef\n";
    let content = line.repeat((48 << 20) / line.len()) + "the end\n";
    fs::write(scratch.path().join("large.txt"), &content).unwrap();
    let gate = gate(scratch.path(), Limits { memory: 4 << 20, ..Limits::default() });
    let done = gate.replace(&replace("large.txt", "the end", "the very end")).unwrap();
    assert_eq!(done.bytes_written, "very end\n".len() as u64);
    let done =
        gate.replace(&ReplaceArgs { occurrence: Some(1), ..replace("large.txt", "0", "zero") }).unwrap();
    assert_eq!(done.bytes_written, content.len() as u64 + 8);
    let expected = format!("zero{}", content.replacen("the end", "the very end", 1).split_off(1));
    assert!(fs::read_to_string(scratch.path().join("large.txt")).unwrap() == expected);
}

#[test]
fn no_call_sees_a_change_half_done() {
    let scratch = TempDir::new().unwrap();
    let contents = &["old line\n".repeat(1 << 14), "a new line\n".repeat(1 << 14)];
    let below = scratch.path().join("in");
    fs::create_dir(&below).unwrap();
    fs::write(below.join("a.txt"), &contents[0]).unwrap();
    let opened = Opened::new(Gate::builder().dir(scratch.path()).parallel(4)).unwrap();
    let gate: &Gate = &opened;
    // A gate over a part of it counts as the same one.
    let narrowed = &gate.within(&[below]).unwrap();
    std::thread::scope(|scope| {
        for (gate, path) in [(gate, "in/a.txt"), (narrowed, "a.txt"), (narrowed, "a.txt")] {
            scope.spawn(move || {
                for _ in 0..30 {
                    let found = gate.read(&ReadArgs { max_bytes: Some(1 << 20), ..read(path) }).unwrap();
                    assert!(contents.contains(&found.content), "{} bytes", found.content.len());
                }
            });
        }
        for content in contents.iter().cycle().skip(1).take(60) {
            let path = "in/a.txt".to_owned();
            gate.write(&WriteArgs { path, content: content.clone(), ..Default::default() }).unwrap();
        }
    });
}

#[test]
fn a_narrowed_gate_reaches_what_lies_in_both_and_no_more() {
    let scratch = TempDir::new().unwrap();
    let at = scratch.path().canonicalize().unwrap();
    for name in ["w/in", "w/beside", "out"] {
        fs::create_dir_all(at.join(name)).unwrap();
        fs::write(at.join(name).join("a.txt"), name).unwrap();
    }
    let gate = Gate::builder().read_only_dir(at.join("w")).build().unwrap();
    let roots = ["w/in", "out", "none", "w/in/a.txt"].map(|name| at.join(name));
    let narrowed = gate.within(&roots).unwrap();
    let path = at.join("w/in");
    let expected = Directory { name: path.to_str().unwrap().to_owned(), access: Access::Read, path };
    assert_eq!(narrowed.directories(), [expected]);
    for (name, expected) in [
        ("w/in/a.txt", Ok("w/in".to_owned())),
        ("w/beside/a.txt", Err(Code::NotGranted)),
        ("out/a.txt", Err(Code::NotGranted)),
    ] {
        let found = narrowed.read(&read(at.join(name).to_str().unwrap()));
        assert_eq!(found.map(|found| found.content).map_err(|error| error.code), expected, "{name}");
    }
    // Narrowed once more, it is less; around it, it is the same and not more.
    assert_eq!(narrowed.within(std::slice::from_ref(&at)).unwrap().directories(), narrowed.directories());
    assert_eq!(narrowed.within(&[at.join("w/beside")]).unwrap().directories(), []);
    assert_eq!(narrowed.within(&[]).unwrap().directories(), []);
}

/// What is left of a part is still that part: its changes are undone like those of the whole, and whoever may write in the
/// whole does not lead it anywhere.
#[test]
fn a_gate_that_is_narrowed_twice_is_one_of_its_grant() {
    let scratch = TempDir::new().unwrap();
    let at = scratch.path().canonicalize().unwrap();
    let (whole, part, least) = (at.join("w"), at.join("w/in"), at.join("w/in/deep"));
    fs::create_dir_all(&least).unwrap();
    fs::write(least.join("a.txt"), "old").unwrap();
    let gate = Opened::new(Gate::builder().dir(&whole)).unwrap();
    let narrowed = gate.within(&[part]).unwrap().within(std::slice::from_ref(&least)).unwrap();
    let path = least.join("a.txt").to_str().unwrap().to_owned();
    narrowed.write(&WriteArgs { path, content: "new".to_owned(), ..Default::default() }).unwrap();
    narrowed.undo(&UndoArgs::default()).unwrap();
    assert_eq!(fs::read_to_string(least.join("a.txt")).unwrap(), "old");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&least, whole.join("link")).unwrap();
        assert_eq!(narrowed.within(&[whole.join("link")]).unwrap().directories(), []);
    }
}

#[test]
fn no_deadline_is_too_far_away() {
    let scratch = TempDir::new().unwrap();
    fs::write(scratch.path().join("a.txt"), "hello").unwrap();
    let gate = gate(scratch.path(), Limits { deadline: Duration::MAX, ..Limits::default() });
    assert_eq!(gate.read(&read("a.txt")).unwrap().content, "hello");
}

#[test]
fn a_fifo_in_the_place_of_a_grants_prefix_holds_nobody_up() {
    let scratch = TempDir::new().unwrap();
    let (outer, inner) = (scratch.path().join("outer"), scratch.path().join("inner"));
    fs::create_dir_all(&outer).unwrap();
    fs::create_dir_all(&inner).unwrap();
    let made = std::process::Command::new("mkfifo").arg(outer.join("p")).status().unwrap();
    assert!(made.success());
    let builder = Gate::builder().dir_as(&inner, "/w/p/q", Access::Write).dir_as(&outer, "/w", Access::Write);
    let gate = Opened::new(builder).unwrap();
    assert_eq!(gate.read(&read("../x")).unwrap_err().code, Code::NotGranted);
    assert_eq!(gate.read(&read("/w/p")).unwrap_err().code, Code::SpecialFile(fsgate::SpecialKind::Other));
}

/// Nothing that is no regular file is opened, whatever a call wants of it: no call waits for what may never come.
#[test]
fn devices_and_sockets_hold_nobody_up() {
    let scratch = TempDir::new().unwrap();
    fs::write(scratch.path().join("a.txt"), "text").unwrap();
    let _listener = UnixListener::bind(scratch.path().join("socket")).unwrap();
    let builder =
        Gate::builder().dir_as(scratch.path(), "/w", Access::Write).dir_as("/dev", "/dev", Access::Read);
    let gate = Opened::new(builder.allow_wide_grant(true)).unwrap();
    gate.read(&read("a.txt")).unwrap();
    for (tool, arguments, code) in [
        ("read", r#"{"path": "socket"}"#, "special_file"),
        ("read", r#"{"path": "/dev/zero"}"#, "special_file"),
        ("read_bytes", r#"{"path": "/dev/zero", "length": 1}"#, "special_file"),
        ("read_numbered", r#"{"path": "/dev/zero"}"#, "special_file"),
        ("read_many", r#"{"paths": ["/dev/zero", "socket", "a.txt"]}"#, ""),
        ("stat", r#"{"path": "/dev/zero", "with_etag": true, "checksum": true}"#, ""),
        ("exists", r#"{"path": "socket"}"#, ""),
        ("list_directory", r#"{"path": "/dev"}"#, ""),
        ("tree", r#"{"path": "/dev", "max_depth": 1}"#, ""),
        ("glob", r#"{"path": "/dev", "pattern": "*", "with_etag": true}"#, ""),
        ("grep", r#"{"path": "/dev", "pattern": "x", "max_depth": 1}"#, ""),
        ("grep", r#"{"path": "/dev/zero", "pattern": "x"}"#, "special_file"),
        ("grep", r#"{"path": "socket", "pattern": "x"}"#, "special_file"),
        ("write", r#"{"path": "socket", "content": "x"}"#, "special_file"),
        ("write_bytes", r#"{"path": "socket", "bytes": "AA=="}"#, "special_file"),
        ("append", r#"{"path": "socket", "content": "x"}"#, "special_file"),
        ("replace", r#"{"path": "socket", "old": "x", "new": "y"}"#, "special_file"),
        ("replace_all", r#"{"path": "socket", "old": "x", "new": "y"}"#, "special_file"),
        ("apply", r#"{"edits": [{"path": "socket", "old": "x", "new": "y"}]}"#, "special_file"),
        ("apply", r#"{"edits": [{"path": "socket", "content": "x"}]}"#, "special_file"),
        ("replace_in_files", r#"{"paths": ["socket"], "old": "x", "new": "y"}"#, "special_file"),
        ("create", r#"{"path": "socket", "content": "x"}"#, "exists"),
        ("create_directory", r#"{"path": "socket"}"#, "exists"),
        ("delete_directory", r#"{"path": "socket"}"#, "not_directory"),
        ("copy", r#"{"source": "/dev/zero", "destination": "b"}"#, "special_file"),
        ("copy", r#"{"source": "socket", "destination": "b"}"#, "special_file"),
        ("copy", r#"{"source": "a.txt", "destination": "socket", "overwrite": true}"#, "special_file"),
        ("move", r#"{"source": "a.txt", "destination": "socket"}"#, "special_file"),
        ("move", r#"{"source": "socket", "destination": "moved"}"#, ""),
        ("delete", r#"{"path": "moved"}"#, ""),
    ] {
        let begun = Instant::now();
        let answer = gate.call(tool, arguments);
        assert!(begun.elapsed() < Duration::from_secs(1), "{tool} {arguments}: {:?}", begun.elapsed());
        let is = match &answer {
            Ok(_) => String::new(),
            Err(error) => {
                serde_json::from_str::<serde_json::Value>(error).unwrap()["code"].as_str().unwrap().to_owned()
            }
        };
        assert_eq!(is, code, "{tool} {arguments}: {answer:?}");
    }
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
}

/// A component with the right world, of which every function traps.
fn trapping() -> Vec<u8> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../wit")).unwrap();
    let world = resolve.select_world(&[package], Some("fsgate")).unwrap();
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Legacy(LiftLowerAbi::Sync));
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().encode().unwrap()
}

#[test]
fn a_trap_is_an_answer_and_the_host_goes_on() {
    let scratch = TempDir::new().unwrap();
    let gate = Opened::new(Gate::builder().dir(scratch.path()).component(trapping())).unwrap();
    for _ in 0..3 {
        let refused = gate.read(&read("a.txt")).unwrap_err();
        assert!(matches!(refused.code, Code::Other(_)), "{refused}");
        assert!(!refused.applied);
        assert!(gate.create(&CreateArgs::default()).unwrap_err().applied);
        let json: serde_json::Value = serde_json::from_str(&gate.call("read", "{}").unwrap_err()).unwrap();
        assert_eq!((&json["code"], &json["operation"]), (&"other".into(), &"read".into()));
    }
}

#[test]
fn a_component_that_wants_more_than_it_gets_does_not_load() {
    let mut resolve = Resolve::default();
    let wit = "package a:b@0.1.0; interface net { connect: func(); } world w { import net; }";
    let package = resolve.push_str("w.wit", wit).unwrap();
    let world = resolve.select_world(&[package], Some("w")).unwrap();
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Legacy(LiftLowerAbi::Sync));
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    let component = ComponentEncoder::default().module(&module).unwrap().encode().unwrap();
    let refused = Gate::builder().nothing().component(component).build().err().unwrap().to_string();
    assert!(refused.contains("a:b/net"), "{refused}");
    let refused = Gate::builder().nothing().component(*b"no component").build().err().unwrap().to_string();
    assert!(refused.starts_with("cannot load the component"), "{refused}");
}

#[test]
fn a_directory_swapped_by_name_later_changes_nothing() {
    let scratch = TempDir::new().unwrap();
    let (granted, moved) = (scratch.path().join("granted"), scratch.path().join("moved"));
    fs::create_dir(&granted).unwrap();
    fs::write(granted.join("a.txt"), "granted").unwrap();
    let gate = Opened::new(Gate::builder().dir_as(&granted, "/w", Access::Write)).unwrap();
    assert_eq!(gate.read(&read("/w/a.txt")).unwrap().content, "granted");

    fs::rename(&granted, &moved).unwrap();
    fs::create_dir(&granted).unwrap();
    fs::write(granted.join("a.txt"), "another directory").unwrap();
    assert_eq!(gate.read(&read("/w/a.txt")).unwrap().content, "granted");
    gate.create(&CreateArgs { path: "/w/b.txt".into(), content: "b".into(), ..Default::default() }).unwrap();
    assert!(moved.join("b.txt").exists() && !granted.join("b.txt").exists());
}

#[test]
fn a_gate_without_directories_describes_itself_and_does_nothing_else() {
    let gate = Gate::builder().nothing().build().unwrap();
    assert_eq!(gate.tools().unwrap().len(), fsgate::OPERATIONS.len());
    let refused =
        gate.read_numbered(&ReadNumberedArgs { path: "a".into(), ..Default::default() }).unwrap_err();
    assert_eq!(refused.code, Code::NotGranted);
    assert!(refused.repair.unwrap().contains("--dir"));
}

/// A client's roots leave parts of what is granted. A rule that begins at the root of a grant is about the same files then.
#[test]
fn a_rule_of_a_grant_holds_in_a_part_of_it() {
    let scratch = TempDir::new().unwrap();
    fs::create_dir_all(scratch.path().join("w/sub")).unwrap();
    for name in ["a.txt", "b.txt"] {
        fs::write(scratch.path().join("w/sub").join(name), "content").unwrap();
    }
    let policy =
        r#"{"profile": "open", "rules": [{"name": "r", "paths": ["./sub/a.txt"], "effect": "denied"}]}"#;
    let builder = Gate::builder().dir_as(scratch.path().join("w"), "/w", Access::Write);
    let opened = Opened::new(builder.policy(Documents::parse(policy).unwrap())).unwrap();
    let part = opened.within(&[scratch.path().join("w/sub")]).unwrap();
    assert_eq!(part.directories().len(), 1);
    let read = |gate: &Gate, path: &str| {
        gate.read(&ReadArgs { path: path.to_owned(), ..Default::default() }).map(|outcome| outcome.content)
    };
    for gate in [&*opened, &part] {
        let refused = read(gate, "/w/sub/a.txt").unwrap_err();
        assert_eq!(refused.code, Code::DeniedByPolicy("r".to_owned()));
        assert_eq!(read(gate, "/w/sub/b.txt").unwrap(), "content");
    }
}
