//! The third wall: the reach of a confined process, whatever its component has.

#![expect(clippy::print_stderr, reason = "a skipped test says why")]
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use fsgate::{Access, Confined, Confinement, Durability, Gate};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A writable grant, a read-only one, a state directory, and one outside.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Self {
        let scratch = Self(TempDir::new().unwrap());
        for directory in ["w/sub", "r", "home", "outside"] {
            fs::create_dir_all(scratch.at(directory)).unwrap();
        }
        for file in ["w/a.txt", "w/sub/b.txt", "r/c.txt", "outside/canary"] {
            fs::write(scratch.at(file), file).unwrap();
        }
        scratch
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }
}

fn code(answer: Result<String, String>) -> String {
    match answer {
        Ok(_) => "ok".to_owned(),
        Err(error) => {
            let error: Value = serde_json::from_str(&error).unwrap();
            let code = error["code"].as_str().unwrap();
            assert!(code != "io" || error["message"].as_str().unwrap().contains("denies access"), "{error}");
            code.to_owned()
        }
    }
}

/// A gate with too many grants, in a thread with a narrower confinement.
#[test]
fn what_was_granted_by_mistake_is_kept_by_the_kernel() {
    let scratch = Scratch::new();
    let whole = scratch.at("");
    let gate = Gate::builder().dir_as(&whole, "/s", Access::Write).durability(Durability::None);
    // Its directory is already open, as after an escape of the component.
    let Ok(gate) = gate.build() else {
        eprintln!("skipped: this user's own directories lie in the one for temporary files");
        return;
    };
    let call = move |tool: &str, arguments: Value| code(gate.call(tool, &arguments.to_string()));
    let confinement = Confinement::nothing().write(scratch.at("w")).read(scratch.at("r"));
    let answers = thread::spawn(move || {
        // The same calls succeed without the confinement.
        let before = call("read", json!({"path": "/s/outside/canary"}));
        let confined = confinement.enter().unwrap();
        let tried = [
            ("read", json!({"path": "/s/w/a.txt"}), "ok"),
            ("read", json!({"path": "/s/r/c.txt"}), "ok"),
            ("create", json!({"path": "/s/w/new.txt", "content": "x"}), "ok"),
            ("replace", json!({"path": "/s/w/a.txt", "old": "w", "new": "v"}), "ok"),
            ("append", json!({"path": "/s/w/a.txt", "content": "x"}), "ok"),
            ("write", json!({"path": "/s/w/a.txt", "content": ""}), "ok"),
            ("move", json!({"source": "/s/w/a.txt", "destination": "/s/w/sub/a.txt"}), "ok"),
            ("delete", json!({"path": "/s/w/sub/b.txt", "keep": false}), "ok"),
            ("copy", json!({"source": "/s/r/c.txt", "destination": "/s/w/c.txt"}), "ok"),
            ("read", json!({"path": "/s/outside/canary"}), "io"),
            ("list_directory", json!({"path": "/s/outside"}), "io"),
            ("create", json!({"path": "/s/outside/new.txt", "content": "x"}), "io"),
            ("write", json!({"path": "/s/outside/canary", "content": "x"}), "io"),
            ("append", json!({"path": "/s/outside/canary", "content": "x"}), "io"),
            ("create_directory", json!({"path": "/s/outside/new"}), "io"),
            ("delete", json!({"path": "/s/outside/canary", "keep": false}), "io"),
            ("delete_directory", json!({"path": "/s/outside", "recursive": true, "keep": false}), "io"),
            ("copy", json!({"source": "/s/outside/canary", "destination": "/s/w/canary"}), "io"),
            ("copy", json!({"source": "/s/w/c.txt", "destination": "/s/outside/c.txt"}), "io"),
            ("move", json!({"source": "/s/outside/canary", "destination": "/s/w/canary"}), "io"),
            ("move", json!({"source": "/s/w/c.txt", "destination": "/s/outside/c.txt"}), "io"),
            ("create", json!({"path": "/s/r/new.txt", "content": "x"}), "read_only"),
            ("write", json!({"path": "/s/r/c.txt", "content": "x"}), "read_only"),
            ("delete", json!({"path": "/s/r/c.txt", "keep": false}), "read_only"),
        ];
        let answers = tried.map(|(tool, arguments, expected)| {
            (format!("{tool} {arguments}"), call(tool, arguments), expected)
        });
        (before, confined, answers)
    });
    let (before, confined, answers) = answers.join().unwrap();
    assert_eq!(before, "ok");
    if let Confined::Not(reason) = confined {
        eprintln!("skipped: {reason}");
        return;
    }
    let broken: Vec<_> = answers.iter().filter(|(_, answer, expected)| answer != expected).collect();
    assert!(broken.is_empty(), "{broken:#?}");
    assert_eq!(fs::read_to_string(scratch.at("outside/canary")).unwrap(), "outside/canary");
    assert_eq!(fs::read_dir(scratch.at("outside")).unwrap().count(), 1);
    assert_eq!(fs::read_dir(scratch.at("r")).unwrap().count(), 1);
}

/// TCP is blocked too for a process without network, if the kernel supports it (Linux 6.7).
#[test]
fn no_port_is_bound_and_nobody_is_called() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let open = listener.local_addr().unwrap();
    assert!(TcpStream::connect(open).is_ok());
    let tried = |confinement: Confinement| {
        let tried = move || {
            let confined = confinement.enter().unwrap();
            (confined, TcpListener::bind("127.0.0.1:0").is_ok(), TcpStream::connect(open).is_ok())
        };
        thread::spawn(tried).join().unwrap()
    };
    let (confined, bound, connected) = tried(Confinement::nothing());
    if confined != Confined::Wholly {
        eprintln!("skipped: this kernel cannot do it: {confined:?}");
        return;
    }
    assert!(!bound && !connected, "bound: {bound}, connected: {connected}");
    assert_eq!(tried(Confinement::nothing().network()), (Confined::Wholly, true, true));
}

/// The program under `strace`, if that is available.
fn traced(scratch: &Scratch, options: &[&str]) -> Option<Command> {
    let probe = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    if !probe.is_ok_and(|probed| probed.status.success()) {
        eprintln!("skipped: `strace` cannot be had, or may not look on");
        return None;
    }
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-y", "-o"]).arg(scratch.at("trace")).args(options);
    command.arg(env!("CARGO_BIN_EXE_fsgate"));
    command.env("HOME", scratch.at("home"));
    for variable in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        command.env_remove(variable);
    }
    Some(command)
}

/// The quoted words of a traced call.
fn quoted(call: &str) -> impl Iterator<Item = &str> {
    call.split('"').skip(1).step_by(2)
}

/// A session with calls of every kind. From its confinement on it opens only granted paths, and
/// does not even try others.
#[test]
fn after_its_start_the_program_opens_nothing_else() {
    let is_kept = !matches!(
        thread::spawn(|| Confinement::nothing().enter().unwrap()).join().unwrap(),
        Confined::Not(_)
    );
    if is_kept {
        opens_nothing_else(&[], "landlock_restrict_self(");
    }
    opens_nothing_else(&["--no-landlock"], " clone");
}

fn opens_nothing_else(flags: &[&str], start: &str) {
    const FILES: &str = "--trace=%file,landlock_restrict_self,clone,clone3";
    let scratch = Scratch::new();
    let Some(mut command) = traced(&scratch, &[FILES]) else { return };
    command.args(["mcp", "--tools", "all", "--dir"]).arg(scratch.at("w"));
    command.arg("--read-only-dir").arg(scratch.at("r"));
    command.arg("--audit").arg(scratch.at("audit/calls.jsonl")).args(flags);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let roots = format!("file://{}", scratch.at("w/sub").display());
    let mut messages = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {"roots": {}}, "clientInfo": {"name": "tests", "version": "1"},
        }}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ];
    let calls = [
        ("read", json!({"path": "b.txt"})),
        ("grep", json!({"pattern": "b"})),
        ("create", json!({"path": "new/x.txt", "content": "x"})),
        ("replace", json!({"path": "new/x.txt", "old": "x", "new": "y"})),
        ("copy", json!({"source": "new", "destination": "copied", "recursive": true})),
        ("move", json!({"source": "copied", "destination": "moved"})),
        ("delete_directory", json!({"path": "moved", "recursive": true})),
        ("undo", json!({})),
        ("log", json!({})),
        ("read", json!({"path": "/outside/canary"})),
    ];
    for (id, (tool, arguments)) in calls.iter().enumerate() {
        messages.push(json!({"jsonrpc": "2.0", "id": id + 1, "method": "tools/call", "params": {
            "name": tool, "arguments": arguments,
        }}));
    }
    for message in messages {
        writeln!(input, "{message}").unwrap();
    }
    let mut answered = 0;
    while answered < calls.len() + 1 {
        let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        if answer["method"] == "roots/list" {
            let listed = json!({"jsonrpc": "2.0", "id": answer["id"], "result": {"roots": [{"uri": roots}]}});
            writeln!(input, "{listed}").unwrap();
        } else if answer["id"].is_u64() {
            answered += 1;
        }
    }
    drop(input);
    assert!(child.wait().unwrap().success());

    let trace = fs::read_to_string(scratch.at("trace")).unwrap();
    let started = trace.find(start).expect("it was never shut in, or has no threads");
    let (before, after) = trace.split_at(started);
    assert!(!flags.is_empty() || after.lines().next().unwrap().ends_with("= 0"), "{after}");
    assert!(!before.contains(" clone"), "a thread was started before");
    let own = ["w", "r", "audit", "home/.local/state/fsgate"].map(|name| scratch.at(name));
    let locks = format!("/tmp/fsgate-{}", rustix::process::geteuid().as_raw());
    let is_granted = |path: &Path| path.starts_with(&locks) || own.iter().any(|own| path.starts_with(own));
    let mut opened = 0;
    for call in after.lines().skip(1).filter(|call| !call.contains(" clone")) {
        // An absolute path, or one relative to an open directory, which the trace shows after the
        // handle's number.
        let name = call.split('(').next().unwrap_or_default();
        let here = call.contains("AT_FDCWD");
        let handles = call.split('<').skip(1 + usize::from(here)).filter_map(|rest| rest.split('>').next());
        let named = quoted(call).next().unwrap_or_default();
        let is_handle = named.starts_with("/proc/self/fd/");
        assert!(!here || named.starts_with('/'), "{call}");
        let paths = handles.chain(quoted(call).filter(|path| path.starts_with('/') && !is_handle));
        for path in paths.filter(|path| path.starts_with('/')) {
            opened += 1;
            // Metadata may be requested everywhere.
            let only_looks = ["stat", "readlink", "access", "getcwd"].iter().any(|look| name.contains(look));
            // The standard library counts processors with it, and continues without.
            let counts = path == "/proc/self/cgroup" && call.contains("= -1 EACCES");
            assert!(only_looks || counts || is_granted(Path::new(path)), "{call}");
        }
    }
    assert!(opened > 100, "{opened}");
}

/// State in a too wide directory would leave all of that directory open.
#[test]
fn a_wide_directory_to_keep_things_in_refuses_the_start() {
    for (flag, name, what) in [
        ("--audit", "homes/me/calls.jsonl", "its directory is a home directory"),
        ("--audit", "homes/calls.jsonl", "its directory is a directory with a home directory in it"),
        ("--state-dir", "homes/me", "it is a home directory"),
        ("--state-dir", "homes", "it is a directory with a home directory in it"),
    ] {
        let scratch = Scratch::new();
        fs::create_dir_all(scratch.at("homes/me")).unwrap();
        let run = |flags: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_fsgate"));
            command.env("HOME", scratch.at("homes/me")).env_remove("XDG_STATE_HOME");
            command.args(["read", "a.txt", "--dir"]).arg(scratch.at("w")).arg(flag).arg(scratch.at(name));
            command.args(flags).output().unwrap()
        };
        let refused = run(&[]);
        let reported = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success() && reported.contains(what), "{flag} {name}: {reported}");
        assert!(reported.contains("; name another"), "{reported}");
        assert_eq!(fs::read_dir(scratch.at("homes/me")).unwrap().count(), 0, "{flag} {name}");
        // An unconfined process has all of that open anyway.
        if flag == "--audit" {
            let open = run(&["--no-landlock"]);
            assert!(open.status.success(), "{}", String::from_utf8_lossy(&open.stderr));
        }
    }
}

/// Kernels without Landlock or `openat2`: the calls fail as they do there.
#[test]
fn older_kernels_are_told_about_once_and_do() {
    for (missing, complains) in [
        ("landlock_create_ruleset:error=ENOSYS", true),
        ("landlock_create_ruleset:error=EOPNOTSUPP", true),
        ("openat2:error=ENOSYS", false),
        ("openat2:error=EPERM", false),
    ] {
        let scratch = Scratch::new();
        let inject = format!("--inject={missing}");
        for (flags, expected) in [(&[][..], usize::from(complains)), (&["--no-landlock"], 0)] {
            let Some(mut command) = traced(&scratch, &[&inject]) else { return };
            command.args(["read", "a.txt", "--dir"]).arg(scratch.at("w")).args(flags);
            let ended = command.output().unwrap();
            let reported = String::from_utf8(ended.stderr).unwrap();
            assert_eq!(ended.stdout, b"w/a.txt", "{missing}: {reported}");
            assert_eq!(reported.lines().count(), expected, "{missing}: {reported}");
            assert!(reported.is_empty() || reported.contains("Landlock"), "{reported}");
        }
        let Some(mut command) = traced(&scratch, &[&inject]) else { return };
        command.args(["replace", "a.txt", "--old", "a", "--new", "b", "--dir"]).arg(scratch.at("w"));
        assert!(command.output().unwrap().status.success(), "{missing}");
        assert_eq!(fs::read_to_string(scratch.at("w/a.txt")).unwrap(), "w/b.txt", "{missing}");
    }
}
