//! Builds the components and precompiles the tools. A published package carries built components
//! with their hashes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail};

#[path = "src/archive.rs"]
#[expect(unreachable_pub, reason = "the file is a module of the library as well")]
#[expect(dead_code, reason = "the library unpacks")]
mod archive;
#[path = "src/engine.rs"]
#[expect(unreachable_pub, reason = "the file is a public module of the library as well")]
mod engine;
mod prebuilt;
#[path = "src/sections.rs"]
#[expect(unreachable_pub, reason = "the file is a public module of the library as well")]
mod sections;

const TARGET: &str = "wasm32-unknown-unknown";

/// Files and directories below `guest` outside of components, by stem.
const NOT_IN_COMPONENTS: [&str; 3] = ["artifact", "proptest-regressions", "tests"];

fn main() -> Result<()> {
    let own = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo::rerun-if-changed=src/engine.rs");
    println!("cargo::rerun-if-changed=src/archive.rs");
    println!("cargo::rerun-if-changed=src/sections.rs");
    let repository = repository(&own)?;
    match &repository {
        Some(root) => watch(root)?,
        None => println!("cargo::rerun-if-changed=prebuilt"),
    }
    let has_laws = env::var_os("CARGO_FEATURE_LAWS").is_some();
    let laws: &[&str] = if has_laws { &["laws"] } else { &[] };
    let wanted = [&["tools"][..], others()?, laws].concat();
    let built = repository.as_ref().map(|root| build(root, &out, &wanted)).transpose()?;
    let component = |name: &str, kind: &str| match &built {
        Some(directory) => {
            let file = directory.join(format!("fsgate_component_{kind}.wasm"));
            fs::read(&file).with_context(|| format!("reading {}", file.display()))
        }
        None => prebuilt::component(&own.join("prebuilt"), name),
    };

    if has_laws {
        fs::write(out.join("laws.wasm"), component("laws.wasm", "laws")?)?;
    }
    let tools = component("fsgate.wasm", "tools")?;
    let engine = wasmtime::Engine::new(&engine::compiling(&env::var("TARGET")?)?)?;
    let precompiled = engine.precompile_component(&tools)?;
    fs::write(out.join("fsgate.cwasm"), precompiled)?;
    let kinds = others()?.iter().map(|kind| {
        let built = component(&format!("fsgate-{kind}.wasm"), kind)?;
        // A package's components have labels already.
        Ok((
            *kind,
            match &repository {
                Some(root) => kinds::labelled(kind, root, built)?,
                None => built,
            },
        ))
    });
    let kinds = kinds.collect::<Result<Vec<_>>>()?;
    let level = if is_release()? { RELEASE_LEVEL } else { 0 };
    fs::write(out.join("kinds.lzma2"), archive::pack(&tools, &kinds, level)?)?;
    fs::write(out.join("fsgate.wasm"), tools)?;
    Ok(())
}

const RELEASE_LEVEL: u32 = 6;

/// The components beside the tools: all in a release, else by feature, as each takes time.
fn others() -> Result<&'static [&'static str]> {
    Ok(if is_release()? || env::var_os("CARGO_FEATURE_KINDS").is_some() {
        &["command", "reader", "editor", "flat", "act"]
    } else if env::var_os("CARGO_FEATURE_COMMAND").is_some() {
        &["command"]
    } else {
        &[]
    })
}

fn is_release() -> Result<bool> {
    Ok(env::var("PROFILE")? == "release")
}

/// The repository around this crate. A published package is in none.
fn repository(own: &Path) -> Result<Option<PathBuf>> {
    let stands_in_it = own.join("../components/wasi/Cargo.toml").exists();
    Ok(if stands_in_it { Some(own.join("../..").canonicalize()?) } else { None })
}

/// Reruns this script when a component's source changes. Relative paths survive a move of the
/// repository.
fn watch(root: &Path) -> Result<()> {
    for watched in ["Cargo.toml", "Cargo.lock", "wit", "guest"] {
        watch_path(root, Path::new(watched))?;
    }
    Ok(())
}

/// Watches a file, or a directory's files. A new file needs a line in a watched one.
fn watch_path(root: &Path, path: &Path) -> Result<()> {
    if path.file_stem().is_some_and(|stem| NOT_IN_COMPONENTS.iter().any(|name| stem == *name)) {
        return Ok(());
    }
    let full = root.join(path);
    if !full.is_dir() {
        println!("cargo::rerun-if-changed=../../{}", path.display());
        return Ok(());
    }
    for entry in fs::read_dir(&full).with_context(|| format!("reading {}", full.display()))? {
        watch_path(root, &path.join(entry?.file_name()))?;
    }
    Ok(())
}

/// Labels in sections of the components that hosts load by themselves.
mod kinds {
    use std::env;
    use std::path::Path;

    use anyhow::Result;
    use fsgate_generator::flat;
    use fsgate_generator::model::Contract;
    use serde_json::json;

    use crate::sections::{append, component_name};

    const DESCRIPTION: &str = "Filesystem tools for AI agents";

    /// The component with its labels. The command line has none.
    pub(crate) fn labelled(kind: &str, root: &Path, mut component: Vec<u8>) -> Result<Vec<u8>> {
        if kind == "command" {
            return Ok(component);
        }
        let name = format!("fsgate-{kind}");
        let (version, licenses) = (env::var("CARGO_PKG_VERSION")?, env::var("CARGO_PKG_LICENSE")?);
        append(&mut component, "component-name", &component_name(&name));
        append(&mut component, "version", version.as_bytes());
        append(&mut component, "description", DESCRIPTION.as_bytes());
        append(&mut component, "licenses", licenses.as_bytes());
        match kind {
            "flat" => {
                let contract = Contract::read(&root.join("wit"))?;
                append(&mut component, flat::SECTION, &flat::section(&contract)?);
            }
            "act" => {
                // The most that it may be granted; the host's `--allow` decides.
                let files = json!({
                    "description": "the files that its tools are to see",
                    "constraints": [{ "path": "**", "mode": "rw" }],
                });
                let told = json!({ "std": {
                    "name": name,
                    "version": version,
                    "description": DESCRIPTION,
                    "default-language": "en",
                    "license": licenses,
                    "capabilities": { "wasi:filesystem": files },
                } });
                let mut data = Vec::new();
                ciborium::into_writer(&told, &mut data)?;
                append(&mut component, "act:component", &data);
            }
            _ => {}
        }
        Ok(component)
    }
}

/// Runs cargo for these kinds in a separate target folder, so neither build disturbs the other.
/// Returns the components' folder. One run compiles shared crates once: alone, kinds ask for
/// different features.
fn build(root: &Path, out: &Path, kinds: &[&str]) -> Result<PathBuf> {
    // Beside the build scripts' folders, which vary with this script's features.
    let target_dir = out.ancestors().nth(3).context("OUT_DIR is not where it always was")?.join("guest");
    let rustc = env::var("RUSTC")?;
    let print = |what: &str, more: &[&str]| -> Result<PathBuf> {
        let output = Command::new(&rustc).args(["--print", what]).args(more).output()?;
        Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()))
    };
    if !print("target-libdir", &["--target", TARGET])?.is_dir() {
        bail!("the Rust target {TARGET} is missing: run `make setup`, or `rustup target add {TARGET}`");
    }
    // Part of every toolchain: it links and makes a component in one step.
    let linker =
        print("sysroot", &[])?.join("lib/rustlib").join(env::var("HOST")?).join("bin/wasm-component-ld");

    let is_released = is_release()? || env::var_os("CARGO_FEATURE_RELEASE").is_some();
    let profile = if is_released { "guest" } else { "guest-dev" };
    let mut cargo = Command::new(env::var("CARGO")?);
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(is_of_the_outer_build) {
            cargo.env_remove(name);
        }
    }
    let status = cargo
        .current_dir(root)
        .args(["build", "--profile", profile, "--target", TARGET, "--target-dir"])
        .arg(&target_dir)
        .args(kinds.iter().map(|kind| format!("--package=fsgate-component-{kind}")))
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker)
        .env("CARGO_ENCODED_RUSTFLAGS", flags(root, &target_dir).join("\u{1f}"))
        .status()?;
    if !status.success() {
        bail!("the components do not build: {}", kinds.join(", "));
    }
    Ok(target_dir.join(TARGET).join(profile))
}

fn flags(root: &Path, target_dir: &Path) -> Vec<String> {
    // memchr and BLAKE3 have vector code for it, and every engine with components runs it.
    let mut flags = vec!["-Ctarget-feature=+simd128".to_owned()];
    // Panics name places. Without machine paths, the same sources make the same component
    // elsewhere.
    let cargo_home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo_home = cargo_home.or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    // The last fitting one holds.
    for (from, to) in
        [(cargo_home.as_deref(), "/cargo"), (Some(root), "/fsgate"), (Some(target_dir), "/target")]
    {
        flags.extend(from.map(|from| format!("--remap-path-prefix={}={to}", from.display())));
    }
    flags
}

/// Whether the outer cargo or a wrapper, such as clippy's, describes itself here.
fn is_of_the_outer_build(name: &str) -> bool {
    const NAMES: &[&str] =
        &["RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTDOCFLAGS", "CLIPPY_ARGS"];
    const PREFIXES: &[&str] = &[
        "CARGO_BUILD_",
        "CARGO_CFG_",
        "CARGO_ENCODED_",
        "CARGO_FEATURE_",
        "CARGO_MANIFEST_",
        "CARGO_PKG_",
        "CARGO_PROFILE_",
        "CARGO_TARGET_",
    ];
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
