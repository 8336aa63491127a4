//! `fsgate-command.wasm` in a host with `wasi:cli`.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use fsgate::ComponentKind;
use serde_json::Value;
use tempfile::TempDir;
use wasmtime::component::{Component, Linker, ResourceTable};
use wasmtime::{Engine, Store};
use wasmtime_wasi::p2::bindings::sync::Command;
use wasmtime_wasi::p2::pipe::{MemoryInputPipe, MemoryOutputPipe};
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxView, WasiView};

/// Compiled once for all tests.
static COMPILED: LazyLock<(Engine, Component)> = LazyLock::new(|| {
    let engine = Engine::default();
    let component = Component::new(&engine, &*fsgate::component(ComponentKind::Command).unwrap()).unwrap();
    (engine, component)
});

struct State {
    wasi: WasiCtx,
    table: ResourceTable,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

#[derive(Debug)]
struct Ended {
    ok: bool,
    out: String,
    err: String,
}

/// Runs the component like `wasmtime run --dir DIRECTORY::/w fsgate-command.wasm WORDS`.
fn run(directory: Option<&Path>, words: &[&str], input: &str) -> Ended {
    let (engine, component) = &*COMPILED;
    let (out, err) = (MemoryOutputPipe::new(16 << 20), MemoryOutputPipe::new(1 << 20));
    let mut wasi = WasiCtx::builder();
    wasi.arg("fsgate-command.wasm").args(words);
    wasi.stdin(MemoryInputPipe::new(input.as_bytes().to_vec())).stdout(out.clone()).stderr(err.clone());
    if let Some(directory) = directory {
        wasi.preopened_dir(directory, "/w", FsPerms::ReadWrite).unwrap();
    }
    let mut store = Store::new(engine, State { wasi: wasi.build(), table: ResourceTable::new() });
    let mut linker = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_sync(&mut linker).unwrap();
    let command = Command::instantiate(&mut store, component, &linker).unwrap();
    let ok = command.wasi_cli_run().call_run(&mut store).unwrap().is_ok();
    drop(store);
    let text = |pipe: MemoryOutputPipe| String::from_utf8(pipe.contents().to_vec()).unwrap();
    Ended { ok, out: text(out), err: text(err) }
}

#[test]
fn the_component_imports_what_a_command_needs_and_no_more() {
    let (engine, component) = &*COMPILED;
    let imports: Vec<_> =
        component.component_type().imports(engine).map(|(name, _)| name.to_owned()).collect();
    for name in &imports {
        let (interface, version) = name.split_once('@').unwrap();
        let allowed = match interface.strip_prefix("wasi:cli/") {
            Some(name) => ["environment", "stdin", "stdout", "stderr"].contains(&name),
            None => ["wasi:filesystem/", "wasi:io/", "wasi:clocks/", "wasi:random/"]
                .iter()
                .any(|package| interface.starts_with(package)),
        };
        assert!(allowed && version.starts_with("0.2."), "`{name}` is imported");
    }
    assert!(imports.iter().any(|name| name.starts_with("wasi:filesystem/types@")), "{imports:?}");
    let exports: Vec<_> =
        component.component_type().exports(engine).map(|(name, _)| name.to_owned()).collect();
    assert!(matches!(&exports[..], [run] if run.starts_with("wasi:cli/run@0.2.")), "{exports:?}");
}

#[test]
fn the_words_are_those_of_the_program() {
    let scratch = TempDir::new().unwrap();
    fs::write(scratch.path().join("a.txt"), "one\ntwo\n").unwrap();
    fs::write(scratch.path().join("raw"), b"a\xFF").unwrap();
    // Words, standard input, success, beginning of standard output, part of standard error.
    for (words, input, ok, out, err) in [
        (&["read", "a.txt"][..], "", true, "one\ntwo\n", ""),
        (&["read", "/w/a.txt", "--json"], "", true, "{\"path\":\"/w/a.txt\"", ""),
        (&["read-numbered", "a.txt", "--lines", "2"], "", true, "2: two\n", ""),
        (&["create", "b.txt", "--content", "-"], "typed", true, "created /w/b.txt (5 bytes)\n", "no undo"),
        (&["write", "b.txt", "--content", "@a.txt"], "", true, "wrote /w/b.txt (8 bytes", "no undo"),
        (&["write", "b.txt", "--content", "@raw"], "", false, "", "not UTF-8"),
        (&["write", "b.txt", "--content", "@../x"], "", false, "", "in no granted directory"),
        (&["write-bytes", "c", "--bytes", "@raw"], "", true, "created /w/c (2 bytes)\n", "no undo"),
        (&["replace", "a.txt", "--old", "o", "--new", "0"], "", false, "", "[ambiguous]"),
        (&["exists", "none"], "", false, "false\n", ""),
        (&["list-directory", "."], "", true, "- 8 ", ""),
        (&["call", "read", "{\"path\": \"a.txt\"}"], "", true, "{\"path\":", ""),
        (&["call", "read", "-"], "{\"path\": \"none\"}", false, "{\"code\":\"not_found\"", ""),
        (&["sham"], "no block", true, "{\"success\":true,\"totalBlocks\":0,", ""),
        (
            &["sham"],
            "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_read\"\npath = \"/w/none\"\n#!END_SHAM_abc\n",
            false,
            "{\"success\":false,\"totalBlocks\":1,\"executedActions\":1,",
            "",
        ),
        (&["tools"], "", true, "read ", ""),
        (&["tools", "--json"], "", true, "[\n", ""),
        (&["--help"], "", true, "Filesystem tools", ""),
        (&["read", "--help"], "", true, "Reads a text file", ""),
        (&["--version"], "", true, "fsgate 0", ""),
        (&["raed", "a.txt"], "", false, "", "'read'"),
        (&["read", "a.txt", "--dir", "x"], "", false, "", "wasmtime run --dir PATH::NAME"),
        (&["--dir", "x", "read", "a.txt"], "", false, "", "wasmtime run --dir PATH::NAME"),
    ] {
        let ended = run(Some(scratch.path()), words, input);
        assert_eq!(ended.ok, ok, "{words:?}: {ended:?}");
        assert!(
            ended.out.starts_with(out) && (!out.is_empty() || ended.out.is_empty()),
            "{words:?}: {ended:?}"
        );
        assert!(ended.err.contains(err) && (!err.is_empty() || ended.err.is_empty()), "{words:?}: {ended:?}");
    }
    let tools: Value = serde_json::from_str(&run(None, &["tools", "--json"], "").out).unwrap();
    assert_eq!(tools.as_array().unwrap().len(), fsgate::OPERATIONS.len());
}

#[test]
fn without_words_it_answers_one_request_in_json() {
    let scratch = TempDir::new().unwrap();
    fs::write(scratch.path().join("a.txt"), "one\n").unwrap();
    for (input, ok, out) in [
        (
            r#"{"tool": "read", "arguments": {"path": "a.txt"}}"#,
            true,
            r#"{"path":"/w/a.txt","content":"one\n""#,
        ),
        (
            r#"{"tool": "read-bytes", "arguments": {"path": "a.txt"}}"#,
            true,
            r#"{"path":"/w/a.txt","bytes":"b25lCg==""#,
        ),
        (r#"{"tool": "read"}"#, false, r#"{"code":"invalid_argument","field":"path""#),
        (r#"{"tool": "raed", "arguments": {}}"#, false, r#"{"code":"unknown_tool""#),
        (
            r#"{"tool": "read", "arguments": }"#,
            false,
            r#"{"code":"malformed","position":30,"operation":"call""#,
        ),
        ("", false, r#"{"code":"malformed","position":0"#),
    ] {
        let ended = run(Some(scratch.path()), &[], input);
        assert_eq!((ended.ok, &ended.err[..]), (ok, ""), "{input}: {ended:?}");
        assert!(ended.out.starts_with(out) && ended.out.ends_with("}\n"), "{input}: {ended:?}");
    }
}

#[test]
fn a_long_file_comes_whole() {
    let scratch = TempDir::new().unwrap();
    let text = format!("first\n{}\nlast", "ä".repeat(1 << 20));
    fs::write(scratch.path().join("long"), &text).unwrap();
    for (words, expected) in [
        (&["read", "long"][..], text.clone()),
        (&["read-bytes", "long"], text.clone()),
        (&["read-numbered", "long"], format!("1: first\n2: {}\n3: last\n", text.lines().nth(1).unwrap())),
        (&["append", "long2", "--content", "@long"], format!("created /w/long2 ({} bytes)\n", text.len())),
        (&["read", "long2"], text.clone()),
    ] {
        let ended = run(Some(scratch.path()), words, "");
        assert!(ended.ok && ended.out == expected, "{words:?}: {}", ended.err);
    }
}

#[test]
fn without_a_directory_every_tool_says_how_to_grant_one() {
    for operation in fsgate::OPERATIONS {
        let arguments = operation.examples[0];
        let ended = run(None, &["call", operation.name, arguments], "");
        // The error of one file is listed beside the others.
        assert_eq!(ended.ok, operation.name == "read_many", "{}: {ended:?}", operation.name);
        assert!(ended.out.contains(r#""code":"not_granted""#), "{}: {ended:?}", operation.name);
        assert!(ended.out.contains("`wasmtime run`, with `--dir PATH`"), "{}: {ended:?}", operation.name);
    }
}
