//! Components that mean harm: the right world, and functions that do something else.

use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{LiftLowerAbi, ManglingAndAbi, Resolve};

/// The world of the tools, and something that makes handles.
const WORLD: &str = "
    package tests:hostile;
    world hostile {
        include fsgate:tools/fsgate@0.1.0;
        import wasi:clocks/monotonic-clock@0.2.0;
    }
    package wasi:io@0.2.0 {
        interface poll { resource pollable; }
    }
    package wasi:clocks@0.2.0 {
        interface monotonic-clock {
            use wasi:io/poll@0.2.0.{pollable};
            subscribe-duration: func(when: u64) -> pollable;
        }
    }";

/// A component of which every function takes so many handles, closes none, and then traps.
pub(crate) fn leaking(handles: u32) -> Vec<u8> {
    let mut resolve = Resolve::default();
    resolve.push_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../wit")).unwrap();
    let package = resolve.push_str("hostile.wit", WORLD).unwrap();
    let world = resolve.select_world(&[package], Some("hostile")).unwrap();
    let module = dummy_module(&resolve, world, ManglingAndAbi::Legacy(LiftLowerAbi::Sync));
    let text = wasmprinter::print_bytes(&module).unwrap();
    let mut module = wat::parse_str(leaky(&text, handles)).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().encode().unwrap()
}

/// The same module with a loop before every trap, and with room for arguments.
fn leaky(module: &str, handles: u32) -> String {
    let number = |line: &str| {
        let (_, rest) = line.split_once("(;")?;
        rest.split_once(";)").map(|(number, _)| number.to_owned())
    };
    let import = module.lines().find(|line| line.contains("\"subscribe-duration\"")).unwrap();
    let subscribe = number(&import[import.find("(func").unwrap()..]).unwrap();
    let exported = module.lines().find(|line| line.contains("\"cabi_realloc\"")).unwrap();
    let realloc = exported.rsplit_once("(func ").unwrap().1.trim_end_matches(')').to_owned();
    let take = format!(
        "(local $left i32) (local.set $left (i32.const {handles}))
        (loop $again
            (drop (call {subscribe} (i64.const 1)))
            (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
        unreachable"
    );
    let mut inside = String::new();
    let mut text = String::new();
    for line in module.lines() {
        if line.trim_start().starts_with("(func (;") {
            inside = number(line).unwrap();
        }
        text += &match line.trim() {
            "unreachable" if inside == realloc => "i32.const 64".to_owned(),
            "unreachable" => take.clone(),
            memory if memory.starts_with("(memory (;0;)") => "(memory 1)".to_owned(),
            _ => line.to_owned(),
        };
        text.push('\n');
    }
    text
}
