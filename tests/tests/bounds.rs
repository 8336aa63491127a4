//! What is very large is served in a few MiB of memory, page by page, or refused with a reason.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

use fsgate::{
    AppendArgs, Code, ExistsArgs, Gate, Limits, ListDirectoryArgs, ReadArgs, ReadBytesArgs, ReadManyArgs,
    ReadNumberedArgs, ReplaceArgs, StatArgs, Stop, WriteArgs,
};
use fsgate_core::cursor::FileCursor;
use fsgate_core::text::window::Position;
use tempfile::TempDir;

/// Memory of the component in all of these tests. What it needs for itself is half of it.
const MEMORY: usize = 8 << 20;

fn gate(directory: &Path) -> Gate {
    Gate::builder().dir(directory).limits(Limits { memory: MEMORY, ..Limits::default() }).build().unwrap()
}

const HUGE: u64 = 10 << 30;

/// Ten gigabytes of zeros that take no room, with some words at the end.
fn huge(directory: &Path) {
    let file = File::create(directory.join("huge")).unwrap();
    file.set_len(HUGE).unwrap();
    file.write_all_at(b"\nlast line\n", HUGE - 11).unwrap();
}

/// The cursor that reading all of the zeros would have led to.
fn cursor_at(offset: u64) -> String {
    let position = Position { offset, line: 1, column: offset };
    FileCursor::new(position, &[0; 4096]).to_string()
}

#[test]
fn ten_gigabytes_are_read_where_a_cursor_or_an_offset_says() {
    let scratch = TempDir::new().unwrap();
    huge(scratch.path());
    let gate = gate(scratch.path());

    let first = gate.read(&ReadArgs { path: "huge".into(), ..Default::default() }).unwrap();
    assert_eq!((first.content.len(), first.size, first.stopped), (262_144, HUGE, Some(Stop::Bytes)));
    assert_eq!(first.next_cursor, Some(cursor_at(262_144)));
    assert_eq!(first.line_count, None);

    // The last page costs what the first one did, and knows its line.
    let cursor = Some(cursor_at(HUGE - 1000));
    let last =
        gate.read(&ReadArgs { path: "huge".into(), cursor: cursor.clone(), ..Default::default() }).unwrap();
    assert_eq!(last.content.len(), 1000);
    assert!(last.content.ends_with("\0\nlast line\n"));
    assert_eq!((last.line_count, last.next_cursor, last.stopped), (Some(2), None, None));
    let numbered =
        gate.read_numbered(&ReadNumberedArgs { path: "huge".into(), cursor, ..Default::default() }).unwrap();
    assert_eq!((numbered.first, numbered.last, numbered.begins_at), (Some(1), Some(2), Some(HUGE - 1000)));
    assert!(numbered.content.ends_with("\n2: last line"));

    let bytes = gate
        .read_bytes(&ReadBytesArgs { path: "huge".into(), offset: Some(HUGE - 5), length: None })
        .unwrap();
    assert_eq!((&bytes.bytes[..], bytes.end), (&b"line\n"[..], true));
    let many = gate
        .read_many(&ReadManyArgs {
            paths: vec!["huge".into(); 3],
            max_bytes: Some(1000),
            ..Default::default()
        })
        .unwrap();
    assert_eq!((many.files.len(), many.left.unwrap().count), (1, 2));
    assert_eq!(gate.stat(&StatArgs { path: "huge".into(), ..Default::default() }).unwrap().entry.size, HUGE);
    assert!(gate.exists(&ExistsArgs { path: "huge".into() }).unwrap().exists);
}

#[test]
fn ten_gigabytes_grow_at_their_end_and_are_not_replaced_whole() {
    let scratch = TempDir::new().unwrap();
    huge(scratch.path());
    let gate = gate(scratch.path());
    let args = AppendArgs { path: "huge".into(), content: "more\n".into(), ..Default::default() };
    let done = gate.append(&args).unwrap();
    assert_eq!((done.bytes_written, done.etag_before), (5, None));
    assert!(done.etag.starts_with(&format!("r{HUGE}+5:")));
    // What was appended is what a second writer may count on.
    let again = gate.append(&AppendArgs { if_match: Some(done.etag.clone()), ..args.clone() }).unwrap();
    assert_eq!(again.bytes_written, 5);
    let other = OpenOptions::new().write(true).open(scratch.path().join("huge")).unwrap();
    other.write_all_at(b"MORE", HUGE).unwrap();
    let refused = gate.append(&AppendArgs { if_match: Some(done.etag), ..args }).unwrap_err();
    assert!(matches!(refused.code, Code::Stale(_)), "{refused}");

    let refused = gate
        .write(&WriteArgs { path: "huge".into(), content: "x".into(), ..Default::default() })
        .unwrap_err();
    assert_eq!((refused.code, refused.applied), (Code::TooLarge(256 << 20), false));
    assert_eq!(fs::metadata(scratch.path().join("huge")).unwrap().len(), HUGE + 10);
}

#[test]
fn a_line_of_a_gigabyte_is_read_in_pages_and_edited_in_place() {
    const LINE: u64 = 1 << 30;
    let scratch = TempDir::new().unwrap();
    let file = File::create(scratch.path().join("line")).unwrap();
    file.set_len(LINE).unwrap();
    file.write_all_at("ä".repeat(1 << 20).as_bytes(), 1).unwrap();
    file.write_all_at(b"the end", LINE - 7).unwrap();
    let gate = gate(scratch.path());

    let (mut seen, mut cursor) = (0, None);
    for _ in 0..4 {
        let args = ReadArgs { path: "line".into(), cursor, max_bytes: Some(1 << 20), ..Default::default() };
        let page = gate.read(&args).unwrap();
        // A character of two bytes is never cut: the first page holds one byte less.
        seen += page.content.len();
        cursor = page.next_cursor;
    }
    assert!(((4 << 20) - 4..=4 << 20).contains(&seen), "{seen}");

    let replace = |old: &str, new: &str| {
        gate.replace(&ReplaceArgs {
            path: "line".into(),
            old: old.into(),
            new: new.into(),
            ..Default::default()
        })
    };
    let done = replace("the end", "The End").unwrap();
    assert_eq!((done.bytes_written, done.lines), (5, vec![1]));
    let refused = replace("the end", "x").unwrap_err();
    assert!(matches!(refused.code, Code::NoMatch(_)), "{refused}");
}

#[test]
fn a_hundred_thousand_entries_are_listed_in_pages() {
    const ENTRIES: usize = 100_000;
    let scratch = TempDir::new().unwrap();
    for number in 0..ENTRIES {
        File::create(scratch.path().join(format!("{:06}", number * 7 % ENTRIES))).unwrap();
    }
    let gate = gate(scratch.path());
    let (mut names, mut cursor) = (Vec::new(), None);
    loop {
        let args =
            ListDirectoryArgs { path: ".".into(), max_items: Some(10_000), cursor, ..Default::default() };
        let page = gate.list_directory(&args).unwrap();
        assert_eq!(page.totals.files as usize, ENTRIES);
        names.extend(page.entries.into_iter().map(|entry| entry.name));
        let left = page.left.map_or(0, |left| left.count) as usize;
        assert_eq!(names.len() + left, ENTRIES);
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert!((0..ENTRIES).map(|number| format!("{number:06}")).eq(names));
    // Nothing with this name is there: looking for what was meant has an end as well.
    let refused = gate.read(&ReadArgs { path: "00000O".into(), ..Default::default() }).unwrap_err();
    assert_eq!(refused.code, Code::NotFound);
}

#[test]
fn what_lies_deeper_than_a_path_can_say_is_refused() {
    let scratch = TempDir::new().unwrap();
    fs::create_dir_all(scratch.path().join("d/".repeat(1000))).unwrap();
    let gate = gate(scratch.path());
    let path = |depth: usize| "d/".repeat(depth) + "file";
    let create =
        |depth| gate.write(&WriteArgs { path: path(depth), content: "deep".into(), ..Default::default() });
    assert!(create(255).unwrap().created);
    let read = gate.read(&ReadArgs { path: path(255), ..Default::default() }).unwrap();
    assert_eq!(read.content, "deep");
    assert_eq!(create(256).unwrap_err().code, Code::NameTooLong);
    assert_eq!(create(1000).unwrap_err().code, Code::NameTooLong);
}
