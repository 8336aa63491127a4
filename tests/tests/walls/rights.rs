//! Calls that the tools never make, made by a component that does.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::process::Command;

use fsgate::Access;

use super::component::Host;
use super::ground::Ground;

type Trials = (Vec<(String, String)>,);

#[test]
fn nothing_is_changed_where_only_reading_is_granted() {
    for host in Host::ALL {
        // Whatever may be done in the other one.
        for other in [Access::Read, Access::Write] {
            let ground = Ground::new();
            let before = (ground.seen("here"), ground.seen("other"));
            let (trials,): Trials = ground.component(host, Access::Read, other).call("changes", ());
            assert!(trials.len() >= 30, "{trials:?}");
            for (call, outcome) in &trials {
                // The last three are about a directory: some hosts say first that it is no file.
                let expected = match (host, &call[..]) {
                    (Host::Stock, "set-size directory" | "write directory") => "bad-descriptor",
                    (Host::Stock, "write-via-stream directory" | "append-via-stream directory") => {
                        "bad-descriptor"
                    }
                    (
                        Host::Ours,
                        "set-size directory"
                        | "write directory"
                        | "write-via-stream directory"
                        | "append-via-stream directory",
                    ) => "is-directory",
                    // A flag that says what could be done later, and does nothing.
                    (Host::Stock, "open-at mutate-directory") => "done",
                    _ => "not-permitted",
                };
                assert_eq!(outcome, expected, "{host:?}, {call}");
            }
            assert_eq!((ground.seen("here"), ground.seen("other")), before, "{host:?}");
        }
    }
}

/// What our host does where everything is granted: as much as the tools need, and no more.
#[test]
fn what_no_tool_needs_is_not_to_be_had() {
    let ground = Ground::new();
    let (trials,): Trials = ground.component(Host::Ours, Access::Write, Access::Write).call("changes", ());
    for (call, outcome) in &trials {
        let expected = match &call[..] {
            "symlink-at" => "not-permitted",
            "set-times" | "set-times-at" | "set-times file" | "set-times directory" => "unsupported",
            "write-via-stream file" | "append-via-stream file" => "unsupported",
            "write directory" | "set-size directory" => "is-directory",
            "write-via-stream directory" | "append-via-stream directory" => "is-directory",
            // The handle was opened for reading.
            "write file" => "bad-descriptor",
            "set-size file" => "invalid",
            _ => "done",
        };
        assert_eq!(outcome, expected, "{call}");
    }
    assert_eq!(fs::read_to_string(ground.at("here/to-write")).unwrap(), "content");
    assert!(!ground.at("here/new-link").is_symlink());
}

/// The directory that says what new things are like takes that, and nothing else; no other host has one.
#[test]
fn nothing_can_be_done_with_the_directory_that_is_none() {
    for access in [Access::Read, Access::Write] {
        let ground = Ground::new();
        let before = ground.seen("here");
        let mut component = ground.component(Host::Ours, access, Access::Read);
        let (trials,): Trials = component.call("on-likeness", ());
        assert_eq!(trials.len(), 35, "{trials:?}");
        for (call, outcome) in &trials {
            assert_eq!(outcome, "not-permitted", "{call}");
        }
        assert_eq!(ground.seen("here"), before);
    }
    let ground = Ground::new();
    let mut component = ground.component(Host::Stock, Access::Write, Access::Write);
    let (trials,): Trials = component.call("on-likeness", ());
    assert!(trials.is_empty(), "{trials:?}");
}

/// It holds for the next call alone, whatever that is, and never for more than was there.
#[test]
fn a_likeness_holds_for_one_new_thing() {
    let ground = Ground::new();
    let mode = |name: &str| fs::metadata(ground.at(&format!("here/{name}"))).unwrap().mode() & 0o7777;
    let set = |name: &str, mode| {
        fs::set_permissions(ground.at(&format!("here/{name}")), Permissions::from_mode(mode)).unwrap();
    };
    set("file", 0o4701);
    set("directory", 0o1510);
    let (trials,): Trials = ground.component(Host::Ours, Access::Write, Access::Read).call("alike", ());
    assert_eq!(trials.len(), 12, "{trials:?}");
    for (call, outcome) in &trials {
        assert_eq!(outcome, if call == "what is there" { "exist" } else { "done" }, "{call}");
    }
    fs::write(ground.at("here/plain"), "").unwrap();
    fs::create_dir(ground.at("here/plain-directory")).unwrap();
    assert_eq!(mode("like"), 0o701);
    for name in ["unlike", "behind", "refused"] {
        assert_eq!(mode(name), mode("plain"), "{name}");
    }
    assert_eq!(mode("like-directory"), 0o1710);
    assert_eq!(mode("unlike-directory"), mode("plain-directory"));
    assert_eq!(mode("file"), 0o4701);
    // Where nothing may be changed, it helps to nothing.
    let ground = Ground::new();
    let before = ground.seen("here");
    let (trials,): Trials = ground.component(Host::Ours, Access::Read, Access::Write).call("alike", ());
    for (call, outcome) in &trials {
        let is_said = call.starts_with("like ") || call == "a look in between";
        assert_eq!(outcome, if is_said { "done" } else { "not-permitted" }, "{call}");
    }
    assert_eq!(ground.seen("here"), before);
}

#[test]
fn what_is_not_one_name_is_refused_by_the_host() {
    let ground = Ground::new();
    let before = [ground.seen("here"), ground.seen("other"), ground.seen("outside")];
    let (trials,): Trials = ground.component(Host::Ours, Access::Write, Access::Write).call("names", ());
    assert!(trials.len() > 400, "{}", trials.len());
    for (call, outcome) in &trials {
        assert_ne!(outcome, "done", "{call}");
    }
    assert_eq!([ground.seen("here"), ground.seen("other"), ground.seen("outside")], before);
}

/// wasmtime finds its way along paths, and so far as it stays inside it may.
#[test]
fn no_name_leads_out_in_any_host() {
    for host in Host::ALL {
        let ground = Ground::new();
        let before = ground.seen("outside");
        let mut component = ground.component(host, Access::Write, Access::Write);
        let _: Trials = component.call("names", ());
        assert_eq!(ground.seen("outside"), before, "{host:?}");
        for name in [
            "../outside/canary",
            "out/canary",
            "out/./canary",
            "slashed/canary",
            "slashed//canary",
            "directory/../../outside/canary",
            "/etc/passwd",
        ] {
            let (read,): (Result<Vec<u8>, String>,) = component.call("read", (name,));
            assert!(read.is_err(), "{host:?}, {name}: {read:?}");
        }
    }
}

#[test]
fn links_are_not_followed_by_the_host() {
    let ground = Ground::new();
    let mut component = ground.component(Host::Ours, Access::Read, Access::Read);
    for (name, expected) in [("file", Ok(b"content".to_vec())), ("link", Err("loop".to_owned()))] {
        let (read,): (Result<Vec<u8>, String>,) = component.call("read", (name,));
        assert_eq!(read, expected, "{name}");
    }
}

/// None of these is opened, so none of them can hold anybody up.
#[test]
fn what_is_neither_file_nor_directory_is_not_opened_by_the_host() {
    let ground = Ground::new();
    let made = Command::new("mkfifo").arg(ground.at("here/fifo")).status().unwrap();
    assert!(made.success());
    let _listener = UnixListener::bind(ground.at("here/socket")).unwrap();
    let mut component = ground.component(Host::Ours, Access::Write, Access::Write);
    for name in ["fifo", "socket"] {
        let (read,): (Result<Vec<u8>, String>,) = component.call("read", (name,));
        assert!(read.as_ref().is_err_and(|code| code != "no-entry"), "{name}: {read:?}");
    }
    let (file,): (Result<Vec<u8>, String>,) = component.call("read", ("file",));
    assert_eq!(file, Ok(b"content".to_vec()));
}

/// Handles that are never let go: a million of them end at the bound of the table, not at that of this process.
#[test]
fn handles_are_bounded() {
    const BOUND: usize = 200;
    for host in Host::ALL {
        let ground = Ground::new();
        let mut component = ground.component(host, Access::Read, Access::Read);
        component.bound(BOUND);
        let held: wasmtime::Result<(u32,)> = component.try_call("hold", (1_000_000_u32,));
        assert!(held.is_err(), "{host:?}");
    }
}
