//! The program in unusual surroundings: on overlayfs, under masks of permissions and under limits
//! on file sizes.

#![expect(clippy::print_stderr, reason = "a skipped test says why")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use fsgate_tests::program::{Ended, program};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::crash::mount::{Mount, run};

/// A scratch directory with a grant `p` and a state root `s`.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Self {
        let scratch = Self(TempDir::new().unwrap());
        for directory in ["p/d/e", "home"] {
            fs::create_dir_all(scratch.0.path().join(directory)).unwrap();
        }
        fs::write(scratch.0.path().join("p/file"), "one\n").unwrap();
        scratch
    }

    fn at(&self, path: &str) -> std::path::PathBuf {
        self.0.path().join(path)
    }

    /// The answer of a call by a shell that first runs `settings`.
    fn call(&self, settings: &str, grant: &str, tool: &str, arguments: &Value) -> Result<Value, Value> {
        let mut command = program("sh", self.0.path());
        let script = format!("{settings}exec \"$0\" \"$@\"");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_fsgate"), "call", tool, &arguments.to_string()]);
        command.args(["--dir", grant, "--state-dir", "s"]);
        let ended = Ended::from(command.output().unwrap());
        let answer = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{tool}: {ended:?}"));
        if ended.code == 0 { Ok(answer) } else { Err(answer) }
    }
}

/// The lower layer has the granted directory `mnt/p`. The first change copies it up, which changes
/// its time of birth.
#[test]
fn a_session_on_overlayfs_has_the_history_of_the_one_before() {
    let scratch = Scratch::new();
    for directory in ["work", "upper", "mnt", "lower/p"] {
        fs::create_dir_all(scratch.at(directory)).unwrap();
    }
    fs::write(scratch.at("lower/p/file"), "one\n").unwrap();
    // One overlay cannot lie on another.
    let disk = Mount::small(&scratch.at("work"), 1 << 10);
    let mounted = disk.and_then(|disk| {
        fs::create_dir(scratch.at("work/upper")).unwrap();
        fs::create_dir(scratch.at("work/work")).unwrap();
        let at = |name: &str| scratch.at(name).display().to_string();
        let layers =
            format!("lowerdir={},upperdir={},workdir={}", at("lower"), at("work/upper"), at("work/work"));
        let mnt = scratch.at("mnt");
        run("mount", &["-t", "overlay", "-o", &layers, "fsgate-tests"], &mnt)?;
        Ok((Mount::of(&mnt), disk))
    });
    let Ok(_mounted) = mounted.inspect_err(|why| eprintln!("not tried: no overlayfs can be mounted: {why}"))
    else {
        return;
    };
    let call = |tool: &str, arguments| scratch.call("", "mnt/p", tool, &arguments);
    call("delete", json!({"path": "file"})).unwrap();
    let log = call("log", json!({"any_session": true})).unwrap();
    assert_eq!(log["entries"].as_array().unwrap().len(), 1, "{log}");
    call("undo", json!({"any_session": true})).unwrap();
    assert_eq!(fs::read_to_string(scratch.at("mnt/p/file")).unwrap(), "one\n");
    assert_eq!(fs::read_dir(scratch.at("s/states")).unwrap().count(), 1);
}

/// The masks of the caller take permissions from the owner.
#[test]
fn the_owner_may_use_what_a_call_makes() {
    for mask in ["177", "277", "300", "700", "777"] {
        let scratch = Scratch::new();
        let call = |tool: &str, arguments| scratch.call(&format!("umask {mask}; "), "p", tool, &arguments);
        call("copy", json!({"source": "d", "destination": "c", "recursive": true})).unwrap();
        call("create_directory", json!({"path": "n/m"})).unwrap();
        call("write", json!({"path": "o/q/file", "content": "x"})).unwrap();
        call("undo", json!({"any_session": true})).unwrap();
        let log = call("log", json!({"any_session": true})).unwrap();
        assert_eq!(log.get("notes"), None, "{mask}: {log}");
        let names: Vec<_> =
            fs::read_dir(scratch.at("p")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names.len(), 4, "{mask}: {names:?}");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&scratch.at("p/n/m")) & 0o700, 0o700, "{mask}");
        // The mask holds for all others.
        let others = 0o777 & !u32::from_str_radix(mask, 8).unwrap() & 0o077;
        assert_eq!(mode(&scratch.at("p/n/m")) & 0o077, others, "{mask}");
    }
}

#[test]
fn a_limit_on_file_sizes_is_an_error_of_its_call() {
    let scratch = Scratch::new();
    fs::write(scratch.at("p/large"), vec![b'x'; 30 << 20]).unwrap();
    // The compiled component has 19 MB. `sh` counts in blocks of 512 bytes.
    let call = |tool: &str, arguments| scratch.call("ulimit -f 50000; ", "p", tool, &arguments);
    let appended = call("append", json!({"path": "large", "content": "end\n"})).unwrap_err();
    assert_eq!((&appended["code"], &appended["applied"]), (&json!("io"), &json!(false)), "{appended}");
    let copied = call("copy", json!({"source": "large", "destination": "copy"})).unwrap_err();
    assert_eq!((&copied["code"], &copied["applied"]), (&json!("io"), &json!(false)), "{copied}");
    assert!(!scratch.at("p/copy").exists());
    call("create", json!({"path": "small", "content": "x"})).unwrap();
}

/// An expression that takes long for each byte: nothing is written before it has matched.
#[test]
fn a_change_that_has_changed_nothing_ends_at_its_deadline() {
    let scratch = Scratch::new();
    fs::write(scratch.at("p/slow"), vec![b'a'; 4 << 20]).unwrap();
    let mut command = program(env!("CARGO_BIN_EXE_fsgate"), scratch.0.path());
    let arguments = json!({"path": "slow", "old": "(a{1,300}){1,30}b", "new": "x", "regex": true});
    command.args(["call", "replace_all", &arguments.to_string()]);
    command.args(["--dir", "p", "--state-dir", "s", "--deadline", "2"]);
    let ended = Ended::from(command.output().unwrap());
    let answer: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!((&answer["code"], &answer["applied"]), (&json!("deadline"), &json!(false)), "{answer}");
    // A change that has begun gets twice the time.
    assert!(answer["message"].as_str().unwrap().contains("after 2s"), "{answer}");
}
