//! Starts of the program `wasmtime`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::channel;
use std::time::Duration;
use std::{env, fs, thread};

use anyhow::{Context, Result, bail, ensure};
use fsgate_artifact::{COMPONENT, Kind};

/// A time longer than a program needs to compile a component on a slow machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// The component as a file.
pub(crate) static FSGATE: LazyLock<PathBuf> = LazyLock::new(|| written("fsgate.wasm", COMPONENT));

/// The component, compiled by the program. Otherwise each of hundreds of starts would compile it.
pub(crate) static COMPILED: LazyLock<PathBuf> = LazyLock::new(|| compiled(&FSGATE));

/// The compiled `fsgate-flat.wasm`.
pub(crate) static FLAT: LazyLock<PathBuf> =
    LazyLock::new(|| compiled(&written(&Kind::Flat.file_name(), &kind(Kind::Flat))));

/// The component of a kind.
pub(crate) fn kind(kind: Kind) -> Vec<u8> {
    let component = fsgate::component(kind).unwrap_or_else(|missing| panic!("{missing}"));
    component.into_owned()
}

/// The compiled command component.
pub(crate) static COMMAND: LazyLock<PathBuf> =
    LazyLock::new(|| compiled(&written("fsgate-command.wasm", &kind(Kind::Command))));

pub(crate) fn compiled(component: &Path) -> PathBuf {
    let compiled = component.with_extension("cwasm");
    let mut compile = wasmtime();
    compile.arg("compile").arg(component).arg("-o").arg(&compiled);
    let output = finished(compile).unwrap_or_else(|error| panic!("{error:#}"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    compiled
}

/// Makes one call of `fsgate.wasm`, with a `--dir` for each grant. Returns its output.
pub(crate) fn invoked(grants: &[String], call: &str) -> Result<String> {
    invoked_under(&COMPILED, None, grants, call)
}

/// Makes one call of any component under a policy. Returns its output.
pub(crate) fn invoked_under(
    component: &Path,
    policy: Option<&str>,
    grants: &[String],
    call: &str,
) -> Result<String> {
    let mut run = wasmtime();
    run.args(["run", "--allow-precompiled"]);
    if let Some(policy) = policy {
        run.args(["--env", &format!("FSGATE_POLICY={policy}")]);
    }
    run.args(grants.iter().flat_map(|grant| ["--dir", grant])).args(["--invoke", call]).arg(component);
    let output = finished(run)?;
    ensure!(output.status.success(), "{call}: {}", text(&output.stderr));
    Ok(text(&output.stdout))
}

/// The program, without arguments and input.
pub(crate) fn wasmtime() -> Command {
    let Some(program) = env::var_os("WASMTIME") else {
        panic!("WASMTIME has to name the program wasmtime: `make test-hosts` installs one");
    };
    let mut command = Command::new(program);
    command.stdin(Stdio::null());
    command
}

/// Waits for the end of a program, for a limited time.
pub(crate) fn finished(mut command: Command) -> Result<Output> {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.with_context(|| format!("starting {}", command.get_program().display()))?;
    let id = child.id().to_string();
    let (send, receive) = channel();
    // After the limit nothing receives.
    thread::spawn(move || send.send(child.wait_with_output()));
    let Ok(output) = receive.recv_timeout(PATIENCE) else {
        Command::new("kill").arg(id).status()?;
        bail!("no answer in {PATIENCE:?}");
    };
    Ok(output?)
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).unwrap_or_else(|error| panic!("writing {}: {error}", path.display()));
    path
}
