//! What a component could ask of `wasi:filesystem` that the tools never ask: every call that changes something, and names
//! that lead elsewhere. For tests of hosts, in the same component as the laws.

use wasip2::filesystem::types::{Descriptor, DescriptorFlags, ErrorCode, NewTimestamp, OpenFlags, PathFlags};

/// A call, and what came of it: `done`, or the error's name.
pub(crate) type Trial = (String, String);

/// Names that are no single name. Some of them lead out of the directory, or to something in it by a way of their own.
const NAMES: &[&str] = &[
    "..",
    "../outside",
    "../outside/canary",
    "/",
    "/etc/passwd",
    "directory/..",
    "directory/../file",
    "directory/inner",
    "./file",
    "file/",
    "directory/",
    "link/",
    "out/canary",
    "out/",
    "directory//inner",
    "",
    ".",
    "file\0",
    "..\0",
];

fn told<T>(call: &str, outcome: Result<T, ErrorCode>) -> Trial {
    let outcome = outcome.map_or_else(|code| code.name().to_owned(), |_| "done".to_owned());
    (call.to_owned(), outcome)
}

/// Every call that changes something, in a directory that holds `file`, `directory`, `directory/inner` and `link`. Those that take two
/// directories are tried with `other` as well, to it and from it; it holds the same.
pub(crate) fn changes(here: &Descriptor, other: &Descriptor) -> Vec<Trial> {
    let none = PathFlags::empty();
    let read_write = DescriptorFlags::READ | DescriptorFlags::WRITE;
    let open = |name: &str, how, flags| here.open_at(none, name, how, flags);
    let mut trials = vec![
        told("open-at write", open("file", OpenFlags::empty(), DescriptorFlags::WRITE)),
        told("open-at read write", open("file", OpenFlags::empty(), read_write)),
        told("open-at create", open("new", OpenFlags::CREATE, DescriptorFlags::READ)),
        told("open-at create exclusive", open("new2", OpenFlags::CREATE | OpenFlags::EXCLUSIVE, read_write)),
        told("open-at create what is there", open("file", OpenFlags::CREATE, DescriptorFlags::READ)),
        told("open-at truncate", open("file", OpenFlags::TRUNCATE, DescriptorFlags::READ)),
        told("open-at truncate write", open("file", OpenFlags::TRUNCATE, DescriptorFlags::WRITE)),
        told(
            "open-at mutate-directory",
            open("directory", OpenFlags::DIRECTORY, DescriptorFlags::MUTATE_DIRECTORY),
        ),
        told("create-directory-at", here.create_directory_at("new-directory")),
        told("symlink-at", here.symlink_at("file", "new-link")),
        told("set-times", here.set_times(NewTimestamp::Now, NewTimestamp::Now)),
        told("set-times-at", here.set_times_at(none, "file", NewTimestamp::Now, NewTimestamp::Now)),
        told("link-at", here.link_at(none, "file", here, "second")),
        told("link-at to the other", here.link_at(none, "file", other, "second-from-here")),
        told("link-at from the other", other.link_at(none, "file", here, "second-from-there")),
        told("rename-at to the other", here.rename_at("moved-out", other, "moved-in")),
        told("rename-at from the other", other.rename_at("moved-out", here, "moved-in")),
        told("rename-at", here.rename_at("file", here, "renamed")),
        told("unlink-file-at", here.unlink_file_at("link")),
        told("remove-directory-at", here.remove_directory_at("empty")),
    ];
    // What was opened for reading, and the directory itself, as if they were files to write.
    for (what, opened) in [
        ("file", open("to-write", OpenFlags::empty(), DescriptorFlags::READ)),
        ("directory", open("directory", OpenFlags::DIRECTORY, DescriptorFlags::READ)),
    ] {
        let Ok(opened) = opened else {
            trials.push((format!("open-at {what}"), "refused".to_owned()));
            continue;
        };
        trials.extend([
            told(&format!("write {what}"), opened.write(b"changed", 0)),
            told(&format!("set-size {what}"), opened.set_size(1)),
            told(&format!("set-times {what}"), opened.set_times(NewTimestamp::Now, NewTimestamp::Now)),
            told(&format!("write-via-stream {what}"), opened.write_via_stream(0)),
            told(&format!("append-via-stream {what}"), opened.append_via_stream()),
        ]);
    }
    trials
}

/// Every call that takes a name, with every name that is none.
pub(crate) fn names(here: &Descriptor) -> Vec<Trial> {
    let mut trials = Vec::new();
    let none = PathFlags::empty();
    let follow = PathFlags::SYMLINK_FOLLOW;
    for name in NAMES {
        let mut tell = |call: &str, outcome: Result<(), ErrorCode>| {
            trials.push(told(&format!("{call} {name:?}"), outcome));
        };
        for (how, flags) in [("", none), (" follow", follow)] {
            let open = |open, access| here.open_at(flags, name, open, access).map(drop);
            tell(&format!("open-at{how}"), open(OpenFlags::empty(), DescriptorFlags::READ));
            tell(&format!("open-at write{how}"), open(OpenFlags::empty(), DescriptorFlags::WRITE));
            tell(&format!("open-at create{how}"), open(OpenFlags::CREATE, DescriptorFlags::WRITE));
            // A directory may be opened once more.
            if *name != "." {
                tell(&format!("open-at directory{how}"), open(OpenFlags::DIRECTORY, DescriptorFlags::READ));
            }
            tell(&format!("stat-at{how}"), here.stat_at(flags, name).map(drop));
            tell(&format!("metadata-hash-at{how}"), here.metadata_hash_at(flags, name).map(drop));
            tell(&format!("link-at from{how}"), here.link_at(flags, name, here, "second").map(drop));
        }
        tell("link-at to", here.link_at(none, "file", here, name));
        tell("rename-at from", here.rename_at(name, here, "renamed"));
        tell("rename-at to", here.rename_at("file", here, name));
        tell("readlink-at", here.readlink_at(name).map(drop));
        tell("create-directory-at", here.create_directory_at(name));
        tell("remove-directory-at", here.remove_directory_at(name));
        tell("unlink-file-at", here.unlink_file_at(name));
        tell("symlink-at", here.symlink_at("file", name));
        tell("set-times-at", here.set_times_at(none, name, NewTimestamp::Now, NewTimestamp::Now));
    }
    trials
}

/// Opens a directory so often, and keeps all of it open.
pub(crate) fn hold(here: &Descriptor, times: u32) -> u32 {
    let open = || here.open_at(PathFlags::empty(), ".", OpenFlags::DIRECTORY, DescriptorFlags::READ).ok();
    (0..times).map_while(|_| open()).collect::<Vec<_>>().len() as u32
}

/// What is read where a name leads, links followed if the host does that: the first bytes, or why not.
pub(crate) fn read(here: &Descriptor, name: &str) -> Result<Vec<u8>, String> {
    let bytes = here
        .open_at(PathFlags::SYMLINK_FOLLOW, name, OpenFlags::empty(), DescriptorFlags::READ)
        .and_then(|file| file.read(64, 0));
    bytes.map(|(bytes, _)| bytes).map_err(|code| code.name().to_owned())
}
