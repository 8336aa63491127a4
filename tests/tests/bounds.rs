//! What is very large is served in a few MiB of memory, page by page, or refused with a reason.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::time::Duration;

use fsgate::{
    Access, AppendArgs, Code, CopyArgs, DeleteDirectoryArgs, ExistsArgs, Gate, GlobArgs, GrepArgs, Limits,
    ListDirectoryArgs, MoveArgs, ReadArgs, ReadBytesArgs, ReadManyArgs, ReadNumberedArgs, ReplaceArgs,
    ReplaceInFilesArgs, StatArgs, Stop, TreeArgs, WriteArgs,
};
use fsgate_engine::pager::cursor::FileCursor;
use fsgate_tests::open::Opened;
use fsgate_text::window::Position;
use tempfile::TempDir;

/// Memory of the component in all of these tests. What it needs for itself is half of it.
const MEMORY: usize = 8 << 20;

/// What is tried here is how much memory is taken, also on a machine that has other things to do.
const DEADLINE: Duration = Duration::from_secs(300);

fn gate(directory: &Path) -> Opened {
    let limits = Limits { memory: MEMORY, deadline: DEADLINE, ..Limits::default() };
    Opened::new(Gate::builder().dir(directory).limits(limits)).unwrap()
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
    let mut paths = Vec::new();
    loop {
        let args = GlobArgs { pattern: "**".into(), max_items: Some(10_000), cursor, ..Default::default() };
        let page = gate.glob(&args).unwrap();
        assert_eq!(page.totals.files as usize, page.entries.len());
        paths.extend(page.entries.into_iter().map(|entry| entry.name));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert!((0..ENTRIES).map(|number| format!("{number:06}")).eq(paths));
    let mut searched = 0;
    loop {
        let args = GrepArgs { pattern: "x".into(), max_millis: Some(1000), cursor, ..Default::default() };
        let page = gate.grep(&args).unwrap();
        searched += page.searched as usize;
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(searched, ENTRIES);
    let mut searched = 0;
    loop {
        let args = ReplaceInFilesArgs {
            old: "x".into(),
            new: "y".into(),
            glob: Some("*".into()),
            max_millis: Some(1000),
            cursor,
            ..Default::default()
        };
        let page = gate.replace_in_files(&args).unwrap();
        searched += page.searched as usize;
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(searched, ENTRIES);
    // Nothing with this name is there: looking for what was meant has an end as well.
    let refused = gate.read(&ReadArgs { path: "00000O".into(), ..Default::default() }).unwrap_err();
    assert_eq!(refused.code, Code::NotFound);
}

#[test]
fn twenty_thousand_empty_directories_are_walked_in_small_pages() {
    const EACH: usize = 100;
    let scratch = TempDir::new().unwrap();
    for number in 0..200 * EACH {
        fs::create_dir_all(scratch.path().join(format!("{:03}/{:02}", number / EACH, number % EACH)))
            .unwrap();
    }
    let gate = gate(scratch.path());
    let (mut names, mut answers, mut cursor) = (0, 0, None);
    loop {
        let args = TreeArgs { path: ".".into(), max_items: Some(50), cursor, ..Default::default() };
        let page = gate.tree(&args).unwrap();
        names += page.totals.directories as usize;
        assert_eq!(page.drawn.unwrap().lines().count(), page.entries.len());
        answers += 1;
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!((names, answers), (200 + 200 * EACH, (200 + 200 * EACH) / 50));
    // Without an entry to show, one answer looks at all of them.
    let none =
        gate.glob(&GlobArgs { pattern: "**/x".into(), max_items: Some(1), ..Default::default() }).unwrap();
    assert_eq!((none.entries.len(), none.next_cursor), (0, None));
}

#[test]
fn a_walk_ends_where_paths_end() {
    let scratch = TempDir::new().unwrap();
    fs::create_dir_all(scratch.path().join("d/".repeat(1000))).unwrap();
    let gate = Gate::builder()
        .dir_as(scratch.path(), "/w", Access::Read)
        .limits(Limits { memory: MEMORY, deadline: DEADLINE, ..Limits::default() })
        .build()
        .unwrap();
    for max_items in [None, Some(10)] {
        let (mut deepest, mut too_deep, mut cursor) = (0, 0, None);
        loop {
            let args = TreeArgs { path: ".".into(), max_items, cursor, ..Default::default() };
            let page = gate.tree(&args).unwrap();
            deepest = page.entries.last().map_or(deepest, |entry| entry.depth);
            too_deep += page.skipped.too_deep;
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!((deepest, too_deep), (255, 1));
    }
    let found = gate.grep(&GrepArgs { pattern: "x".into(), ..Default::default() }).unwrap();
    assert_eq!((found.searched, found.skipped.too_deep), (0, 1));
}

#[test]
fn what_is_far_larger_than_memory_is_copied_with_its_holes_and_moved() {
    // As large as a machine that does other things as well copies before the deadline.
    const HUGE: u64 = 256 << 20;
    let scratch = TempDir::new().unwrap();
    let file = File::create(scratch.path().join("huge")).unwrap();
    file.set_len(HUGE).unwrap();
    for offset in [0, HUGE / 2, HUGE - 11] {
        file.write_all_at(b"\nsome line\n", offset).unwrap();
    }
    let gate = gate(scratch.path());
    let args = CopyArgs { source: "huge".into(), destination: "new/huge".into(), ..Default::default() };
    let copied = gate.copy(&args).unwrap();
    assert_eq!((copied.bytes_written, copied.etag), (HUGE, None));
    let (one, other) = (scratch.path().join("huge"), scratch.path().join("new/huge"));
    let metadata = fs::metadata(&other).unwrap();
    // Blocks of 512 bytes: what is not zero, and no more.
    assert!(metadata.len() == HUGE && metadata.blocks() < 100_000, "{metadata:?}");
    let at = |path: &Path, offset| {
        let mut bytes = vec![0; 1 << 20];
        File::open(path).unwrap().read_exact_at(&mut bytes, offset).unwrap();
        bytes
    };
    for offset in [0, HUGE / 2, HUGE - (1 << 20)] {
        assert!(at(&one, offset) == at(&other, offset), "at {offset}");
    }
    let args = MoveArgs { source: "huge".into(), destination: "moved".into(), ..Default::default() };
    assert_eq!(gate.r#move(&args).unwrap().etag, None);
    assert!(!one.exists() && fs::metadata(scratch.path().join("moved")).unwrap().len() == HUGE);
}

#[test]
fn twenty_thousand_files_are_copied_and_deleted() {
    const DIRECTORIES: u32 = 200;
    let scratch = TempDir::new().unwrap();
    for directory in 0..DIRECTORIES {
        let path = scratch.path().join(format!("tree/{directory}/deeper"));
        fs::create_dir_all(&path).unwrap();
        for file in 0..100 {
            fs::write(path.join(format!("a file with a name of some length, number {file}")), "content")
                .unwrap();
        }
    }
    let gate = gate(scratch.path());
    let args = CopyArgs {
        source: "tree".into(),
        destination: "copy".into(),
        recursive: Some(true),
        ..Default::default()
    };
    let copied = gate.copy(&args).unwrap();
    assert_eq!((copied.files, copied.directories), (DIRECTORIES * 100, DIRECTORIES * 2 + 1));
    let compared =
        std::process::Command::new("diff").args(["-r", "tree", "copy"]).current_dir(scratch.path()).status();
    assert!(compared.unwrap().success());
    let args = DeleteDirectoryArgs { path: "tree".into(), recursive: Some(true), ..Default::default() };
    assert_eq!(gate.delete_directory(&args).unwrap().deleted, DIRECTORIES * 102 + 1);
    assert!(!scratch.path().join("tree").exists());
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
