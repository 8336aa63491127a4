//! The kinds of components: their exports and imports, and a host that runs each one.

use std::fs;
use std::path::Path;
use std::process::Command;

use fsgate_artifact::Kind;
use fsgate_contract::{OPERATIONS, Operation};
use fsgate_generator::flat::documentation;
use fsgate_generator::model::Contract;
use fsgate_tests::reference::root;
use wit_component::DecodedWasm;
use wit_parser::{Function, Resolve, TypeDefKind, World, WorldItem};

use crate::program::{compiled, finished, invoked_under, kind, text, wasmtime, written};

/// The exports of each kind. The functions of `flat` are in no interface.
const ROWS: &[(Kind, &[&str])] = &[
    (Kind::Tools, &["read", "search", "edit", "manage", "history", "agent", "audit", "host", "front-ends"]),
    (Kind::Command, &["wasi:cli/run@0.2.12"]),
    (Kind::Reader, &["read", "search"]),
    (Kind::Editor, &["read", "search", "edit", "manage", "history"]),
    (Kind::Flat, &[]),
    (Kind::Act, &["act:tools/tool-provider@0.2.0"]),
];

/// The imports of all kinds. The command line also imports its arguments and the standard streams.
const ALLOWED: &[&str] =
    &["wasi:filesystem/", "wasi:io/", "wasi:clocks/", "wasi:random/", "wasi:cli/environment@"];

fn decoded(kind: Kind) -> (Resolve, World) {
    let DecodedWasm::Component(resolve, world) = wit_component::decode(&crate::program::kind(kind)).unwrap()
    else {
        panic!("{} is no component", kind.name());
    };
    let world = resolve.worlds[world].clone();
    (resolve, world)
}

#[test]
fn every_kind_is_what_its_name_says() {
    assert_eq!(ROWS.iter().map(|row| row.0).collect::<Vec<_>>(), Kind::ALL);
    for (kind, exports) in ROWS {
        let (resolve, world) = decoded(*kind);
        let found: Vec<_> = world.exports.keys().map(|key| resolve.name_world_key(key)).collect();
        let expected: Vec<_> = if *kind == Kind::Flat {
            OPERATIONS.iter().map(|operation| operation.name.replace('_', "-")).collect()
        } else {
            let full = |name: &&str| {
                if name.contains(':') { (*name).to_owned() } else { format!("fsgate:tools/{name}@0.1.0") }
            };
            exports.iter().map(full).collect()
        };
        assert_eq!(found, expected, "{}", kind.name());
        for (key, item) in &world.imports {
            let name = resolve.name_world_key(key);
            let is_types_only = match item {
                WorldItem::Interface { id, .. } => resolve.interfaces[*id].functions.is_empty(),
                WorldItem::Type { .. } => true,
                WorldItem::Function(_) => false,
            };
            let is_allowed = is_types_only
                || ALLOWED.iter().any(|allowed| name.starts_with(allowed))
                || *kind == Kind::Command && name.starts_with("wasi:cli/");
            assert!(is_allowed, "{} imports `{name}`", kind.name());
        }
    }
}

/// The functions of `wasi:filesystem` that change a file system.
const CHANGING: &[&str] = &[
    "write",
    "write-via-stream",
    "append-via-stream",
    "set-size",
    "set-times",
    "set-times-at",
    "create-directory-at",
    "link-at",
    "symlink-at",
    "rename-at",
    "unlink-file-at",
    "remove-directory-at",
    "sync",
    "sync-data",
];

#[test]
fn the_reader_imports_nothing_by_which_anything_could_be_changed() {
    let changing = |kind| {
        let (resolve, world) = decoded(kind);
        let functions = world.imports.values().filter_map(|item| match item {
            WorldItem::Interface { id, .. } => Some(resolve.interfaces[*id].functions.keys().cloned()),
            _ => None,
        });
        let mut found: Vec<_> = functions.flatten().collect();
        found.retain(|name| {
            name.strip_prefix("[method]descriptor.").is_some_and(|name| CHANGING.contains(&name))
                || name.contains("output-stream")
        });
        found
    };
    assert_eq!(changing(Kind::Reader), Vec::<String>::new());
    assert!(changing(Kind::Editor).len() > 5, "{:?}", changing(Kind::Editor));
}

/// Wassette makes a tool of each function with plain values, and reads its documentation from the
/// component.
#[test]
fn the_flat_component_has_documented_functions_of_plain_values() {
    let contract = Contract::read(&root().join("wit")).unwrap();
    let (resolve, world) = decoded(Kind::Flat);
    for (key, item) in &world.exports {
        let name = resolve.name_world_key(key);
        let WorldItem::Function(Function { docs, .. }) = item else { panic!("`{name}` is no function") };
        let operation = contract.operations.iter().find(|operation| operation.name == name).unwrap();
        let told = documentation(&contract, operation).unwrap();
        assert_eq!(docs.contents.as_ref(), Some(&told), "{name}");
    }
    let imported = |id| {
        world.imports.values().any(|item| match item {
            WorldItem::Interface { id: interface, .. } => {
                resolve.interfaces[*interface].types.values().any(|ty| *ty == id)
                    && resolve.interfaces[*interface]
                        .name
                        .as_deref()
                        .is_some_and(|name| name.ends_with("types"))
                    && resolve.id_of(*interface).is_some_and(|name| name.starts_with("fsgate:"))
            }
            _ => false,
        })
    };
    for (id, ty) in resolve.types.iter().filter(|(id, _)| imported(*id)) {
        let is_plain = !matches!(
            ty.kind,
            TypeDefKind::Resource
                | TypeDefKind::Handle(_)
                | TypeDefKind::Flags(_)
                | TypeDefKind::Stream(_)
                | TypeDefKind::Future(_)
        );
        assert!(is_plain, "{:?} of {id:?}", ty.name);
    }
}

/// Each kind answers a call in `wasmtime run`, with the directory `w` as `/w`.
#[test]
fn a_host_runs_every_kind_that_needs_no_other() {
    let scratch = tempfile::tempdir().unwrap();
    let w = scratch.path().join("w");
    fs::create_dir(&w).unwrap();
    fs::write(w.join("a.txt"), "one\n").unwrap();
    let grants = [format!("{}::/w", w.display())];
    for (kind, call, printed) in [
        (Kind::Tools, r#"read({path: "a.txt"})"#, r#"content: "one\n""#),
        (Kind::Reader, r#"read({path: "a.txt"})"#, r#"content: "one\n""#),
        (Kind::Editor, r#"create({path: "b.txt", content: "two"})"#, "created: true"),
        (Kind::Reader, r#"list-directory({path: "/w"})"#, "/w/b.txt"),
        (Kind::Flat, r#"exists("b.txt")"#, "exists: true"),
    ] {
        let component = compiled(&written(&format!("run-{}", kind.file_name()), &self::kind(kind)));
        let found = invoked_under(&component, None, &grants, call).unwrap();
        assert!(found.contains(printed), "{}: {found}", kind.name());
    }
    let mut run = wasmtime();
    run.args(["run", "--dir", &grants[0]]).arg(written("run-command.wasm", &kind(Kind::Command)));
    run.args(["read", "/w/a.txt"]);
    assert_eq!(text(&finished(run).unwrap().stdout), "one\n");
}

/// The parts of the flat component for Wassette do not disturb jco.
#[test]
fn the_flat_component_is_one_for_jco_too() {
    let modules = std::env::var_os("NODE_MODULES").expect(
        "NODE_MODULES names the directory with jco in it: `make test-hosts` installs one and says so",
    );
    let scratch = tempfile::tempdir().unwrap();
    let (w, script) = (scratch.path().join("w"), scratch.path().join("jco.mjs"));
    fs::create_dir(&w).unwrap();
    fs::write(w.join("a.txt"), "one\n").unwrap();
    fs::write(&script, include_str!("kinds/jco.mjs")).unwrap();
    std::os::unix::fs::symlink(modules, scratch.path().join("node_modules")).unwrap();
    let component = written("jco-flat.wasm", &kind(Kind::Flat));
    for (path, answer) in [
        ("a.txt", r#"{"path":"/w/a.txt","exists":true,"kind":"file","notes":[]}"#),
        ("b.txt", r#"{"path":"/w/b.txt","exists":false,"notes":[]}"#),
    ] {
        let mut node = Command::new("node");
        node.arg(&script).arg(&component).args([&w, Path::new(path)]).current_dir(scratch.path());
        let output = finished(node).unwrap();
        assert!(output.status.success(), "{path}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout).trim(), answer, "{path}");
    }
}

#[test]
fn the_program_writes_every_kind() {
    let program = std::env::var_os("FSGATE")
        .expect("FSGATE names the program, with all kinds in it: `make test-hosts`");
    let scratch = tempfile::tempdir().unwrap();
    for kind in Kind::ALL {
        let path = scratch.path().join(kind.file_name());
        let mut write = Command::new(&program);
        write.args(["component", "--kind", kind.name(), "--output"]).arg(&path);
        let output = finished(write).unwrap();
        assert!(output.status.success(), "{}: {}", kind.name(), text(&output.stderr));
        assert!(fs::read(&path).unwrap() == self::kind(kind), "{}", kind.name());
    }
}

/// The kind `editor` lists its interfaces one by one. None is missing.
#[test]
fn the_editor_has_every_operation() {
    let (resolve, world) = decoded(Kind::Editor);
    let functions = world.exports.values().filter_map(|item| match item {
        WorldItem::Interface { id, .. } => Some(resolve.interfaces[*id].functions.keys()),
        _ => None,
    });
    let found: Vec<_> = functions.flatten().map(|name| name.replace('-', "_")).collect();
    assert_eq!(found, OPERATIONS.iter().map(|Operation { name, .. }| *name).collect::<Vec<_>>());
}
