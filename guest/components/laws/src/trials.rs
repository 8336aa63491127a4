//! Calls of `wasi:filesystem` that the tools never make: every change, and names that lead
//! elsewhere. For tests of hosts.

use wasip2::filesystem::types::{
    Advice, Descriptor, DescriptorFlags, ErrorCode, NewTimestamp, OpenFlags, PathFlags,
};

/// A call, and `done` or the error's name.
pub(crate) type Trial = (String, String);

/// Other than single names. Some lead out of the directory, or in it by another route.
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

/// Every changing call, in a directory with `file`, `directory`, `directory/inner` and `link`.
/// Those with two directories are tried to and from `other` too, its equal.
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
    // Objects opened for reading, and the directory, as files to write.
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

/// Every named call, with every invalid name.
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
            // A directory may be opened again.
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

/// Every call on the directory for likeness, and all that could lead in or out. A file and a
/// directory follow each named likeness.
pub(crate) fn on_likeness(here: &Descriptor, likeness: &Descriptor) -> Vec<Trial> {
    let none = PathFlags::empty();
    let open = |how, flags| likeness.open_at(none, "file", how, flags).map(drop);
    let mut trials = vec![
        told("get-flags", likeness.get_flags().map(drop)),
        told("get-type", likeness.get_type().map(drop)),
        told("stat", likeness.stat().map(drop)),
        told("metadata-hash", likeness.metadata_hash().map(drop)),
        told("sync", likeness.sync()),
        told("sync-data", likeness.sync_data()),
        told("advise", likeness.advise(0, 1, Advice::Normal)),
        told("read", likeness.read(1, 0).map(drop)),
        told("write", likeness.write(b"x", 0).map(drop)),
        told("set-size", likeness.set_size(1)),
        told("set-times", likeness.set_times(NewTimestamp::Now, NewTimestamp::Now)),
        told("read-via-stream", likeness.read_via_stream(0).map(drop)),
        told("write-via-stream", likeness.write_via_stream(0).map(drop)),
        told("append-via-stream", likeness.append_via_stream().map(drop)),
        told("read-directory", likeness.read_directory().map(drop)),
        told("open-at", open(OpenFlags::empty(), DescriptorFlags::READ)),
        told("open-at write", open(OpenFlags::empty(), DescriptorFlags::WRITE)),
        told("open-at create", open(OpenFlags::CREATE | OpenFlags::EXCLUSIVE, DescriptorFlags::WRITE)),
        told(
            "open-at itself",
            likeness.open_at(none, ".", OpenFlags::DIRECTORY, DescriptorFlags::READ).map(drop),
        ),
        told("stat-at", likeness.stat_at(none, "file").map(drop)),
        told("metadata-hash-at", likeness.metadata_hash_at(none, "file").map(drop)),
        told("set-times-at", likeness.set_times_at(none, "file", NewTimestamp::Now, NewTimestamp::Now)),
        told("readlink-at", likeness.readlink_at("link").map(drop)),
        told("symlink-at", likeness.symlink_at("file", "link")),
        told("create-directory-at", likeness.create_directory_at("new")),
        told("remove-directory-at", likeness.remove_directory_at("empty")),
        told("unlink-file-at", likeness.unlink_file_at("file")),
        told("rename-at out of it", likeness.rename_at("file", here, "new")),
        told("rename-at into it", here.rename_at("file", likeness, "file")),
        told("link-at out of it", likeness.link_at(none, ".", here, "new")),
        told("link-at a name", here.link_at(none, "file", likeness, ".")),
        told("link-at a way out", here.link_at(none, "..", likeness, ".")),
        told("link-at to a name", here.link_at(none, ".", likeness, "new")),
        told("link-at follow", here.link_at(PathFlags::SYMLINK_FOLLOW, ".", likeness, ".")),
        told("link-at itself", likeness.link_at(none, ".", likeness, ".")),
    ];
    if likeness.is_same_object(likeness) {
        trials.push(("is-same-object".to_owned(), "done".to_owned()));
    }
    trials
}

/// Makes two files and two directories like `file`, with and without another call in between.
pub(crate) fn alike(here: &Descriptor, likeness: &Descriptor) -> Vec<Trial> {
    let none = PathFlags::empty();
    let new = OpenFlags::CREATE | OpenFlags::EXCLUSIVE;
    let create = |name: &str| here.open_at(none, name, new, DescriptorFlags::WRITE).map(drop);
    let file = here.open_at(none, "file", OpenFlags::empty(), DescriptorFlags::READ);
    let directory = here.open_at(none, "directory", OpenFlags::DIRECTORY, DescriptorFlags::READ);
    let (Ok(file), Ok(directory)) = (file, directory) else { return Vec::new() };
    let like = |what: &Descriptor| what.link_at(none, ".", likeness, ".");
    vec![
        told("like the file", like(&file)),
        told("a file like it", create("like")),
        told("the next file", create("unlike")),
        told("like the file again", like(&file)),
        told("a look in between", here.stat_at(none, "file").map(drop)),
        told("a file behind that", create("behind")),
        told("like the directory", like(&directory)),
        told("a directory like it", here.create_directory_at("like-directory")),
        told("the next directory", here.create_directory_at("unlike-directory")),
        told("like the file once more", like(&file)),
        told("what is there", create("file")),
        told("a file behind the refusal", create("refused")),
    ]
}

/// Opens a directory so often, and keeps all open.
pub(crate) fn hold(here: &Descriptor, times: u32) -> u32 {
    let open = || here.open_at(PathFlags::empty(), ".", OpenFlags::DIRECTORY, DescriptorFlags::READ).ok();
    (0..times).map_while(|_| open()).collect::<Vec<_>>().len() as u32
}

/// The first bytes at a name, links followed if the host does that, or the error.
pub(crate) fn read(here: &Descriptor, name: &str) -> Result<Vec<u8>, String> {
    let bytes = here
        .open_at(PathFlags::SYMLINK_FOLLOW, name, OpenFlags::empty(), DescriptorFlags::READ)
        .and_then(|file| file.read(64, 0));
    bytes.map(|(bytes, _)| bytes).map_err(|code| code.name().to_owned())
}
