//! Files that are larger, and changes that are more, than what is held, moved or kept at once.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fsgate::{
    AppendArgs, Code, CommentLinesArgs, CopyArgs, CreateArgs, DeleteArgs, Gate, HistoryLimits,
    InsertLinesArgs, Limits, ReadNumberedArgs, RedoArgs, ReplaceAllArgs, ReplaceArgs, ReplaceLinesArgs,
    RestoreArgs, UncommentLinesArgs, UndoArgs, WriteArgs, WriteBytesArgs,
};
use tempfile::TempDir;

use super::{gate, replace};

/// What is proven by the next tests: every code that only sizes and numbers can give.
const LARGE: &[(&str, &str)] = &[
    ("comment_lines", "too_large"),
    ("copy", "too_large"),
    // These where a policy is asked: see `the_number_of_names_that_a_policy_is_asked_about_is_bounded` in the engine.
    ("delete_directory", "too_large"),
    ("insert_lines", "too_large"),
    ("move", "too_large"),
    ("redo", "too_large"),
    ("replace", "too_large"),
    ("replace_lines", "too_large"),
    ("restore", "too_large"),
    ("uncomment_lines", "too_large"),
    ("undo", "too_large"),
    ("write", "too_large"),
    ("write_bytes", "too_large"),
];

/// A sparse file of some MiB that begins with a word.
fn sparse(directory: &Path, name: &str, mebibytes: u64) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, "MARK").unwrap();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(mebibytes << 20).unwrap();
    path
}

#[test]
fn a_change_that_would_move_too_much_is_refused_before_it_begins() {
    let scratch = TempDir::new().unwrap();
    let path = sparse(scratch.path(), "huge", 300);
    // Each call reads all of the file, on a busy machine too.
    let gate = gate(scratch.path(), Limits { deadline: Duration::from_secs(300), ..Limits::default() });
    let all = |old: &str, new: &str| ReplaceAllArgs {
        path: "huge".to_owned(),
        old: old.to_owned(),
        new: new.to_owned(),
        ..Default::default()
    };
    let write = WriteArgs { path: "huge".to_owned(), content: "NEW".to_owned(), ..Default::default() };
    let write_bytes =
        WriteBytesArgs { path: "huge".to_owned(), bytes: b"NEW".to_vec(), ..Default::default() };
    let refused = [
        gate.replace(&replace("huge", "MARK", "MARKER")).unwrap_err(),
        gate.replace_all(&all("MARK", "MARKER")).unwrap_err(),
        gate.write(&write).unwrap_err(),
        gate.write_bytes(&write_bytes).unwrap_err(),
    ];
    for (refused, operation) in refused.iter().zip(["replace", "replace_all", "write", "write_bytes"]) {
        assert_eq!(refused.operation, operation);
        assert_eq!((refused.code.clone(), refused.applied), (Code::TooLarge(256 << 20), false), "{refused}");
    }
    let content = "one\n".to_owned();
    let line = ReplaceLinesArgs {
        path: "huge".to_owned(),
        lines: Some("1".to_owned()),
        content: content.clone(),
        ..Default::default()
    };
    let before = InsertLinesArgs { path: "huge".to_owned(), after: Some(0), content, ..Default::default() };
    let refused = [gate.replace_lines(&line).unwrap_err(), gate.insert_lines(&before).unwrap_err()];
    for refused in refused {
        assert_eq!((refused.code.clone(), refused.applied), (Code::TooLarge(256 << 20), false), "{refused}");
    }
    let (path_of, lines, syntax) = ("huge".to_owned(), "1".to_owned(), Some("rust".to_owned()));
    let mark = CommentLinesArgs {
        path: path_of.clone(),
        lines: lines.clone(),
        syntax: syntax.clone(),
        ..Default::default()
    };
    let less = UncommentLinesArgs { path: path_of, lines, syntax, ..Default::default() };
    let refused = [gate.comment_lines(&mark).unwrap_err(), gate.uncomment_lines(&less).unwrap_err()];
    for refused in refused {
        assert_eq!((refused.code.clone(), refused.applied), (Code::TooLarge(32 << 20), false), "{refused}");
    }
    assert_eq!(fs::metadata(&path).unwrap().len(), 300 << 20);
    assert_eq!(gate.replace(&replace("huge", "MARK", "mark")).unwrap().bytes_written, 4);
    assert_eq!(gate.replace_all(&all("mark", "Mark")).unwrap().bytes_written, 1);
    // Nothing is moved by appending, however large the file is.
    let append = AppendArgs { path: "huge".to_owned(), content: "end".to_owned(), ..Default::default() };
    let done = gate.append(&append).unwrap();
    assert_eq!((done.bytes_written, done.etag_before), (3, None));
    assert_eq!(fs::metadata(&path).unwrap().len(), (300 << 20) + 3);
    assert_eq!(fsgate_corpus::codes::SIZE_CODES, LARGE, "each one is proven here");
}

#[test]
fn sections_are_looked_for_in_files_that_are_read_in_seconds() {
    let scratch = TempDir::new().unwrap();
    sparse(scratch.path(), "huge.rs", 5);
    let gate = gate(scratch.path(), Limits::default());
    let section = Some(vec!["main".to_owned()]);
    let read =
        ReadNumberedArgs { path: "huge.rs".to_owned(), section: section.clone(), ..Default::default() };
    let change = ReplaceArgs { section, ..replace("huge.rs", "MARK", "mark") };
    for refused in [gate.read_numbered(&read).unwrap_err(), gate.replace(&change).unwrap_err()] {
        assert_eq!(refused.code, Code::TooLarge(4 << 20), "{refused}");
    }
}

#[test]
fn what_copies_and_deletes_too_much_is_refused_before_it_begins() {
    let scratch = TempDir::new().unwrap();
    sparse(scratch.path(), "huge", 300);
    fs::write(scratch.path().join("small"), "small").unwrap();
    fs::create_dir(scratch.path().join("many")).unwrap();
    for number in 0..1001 {
        fs::write(scratch.path().join(format!("many/{number}.o")), "").unwrap();
    }
    let gate = gate(scratch.path(), Limits::default());
    for (source, destination) in [("huge", "small"), ("small", "huge")] {
        let (source, destination) = (source.to_owned(), destination.to_owned());
        let args = CopyArgs { source, destination, overwrite: Some(true), ..Default::default() };
        let refused = gate.copy(&args).unwrap_err();
        assert_eq!((refused.code.clone(), refused.applied), (Code::TooLarge(256 << 20), false), "{refused}");
    }
    let copy = CopyArgs {
        source: "many".into(),
        destination: "new".into(),
        glob: Some("*.o".into()),
        ..Default::default()
    };
    let delete = DeleteArgs { path: "many".into(), glob: Some("*.o".into()), ..Default::default() };
    for refused in [gate.copy(&copy).unwrap_err(), gate.delete(&delete).unwrap_err()] {
        assert_eq!((refused.code.clone(), refused.applied), (Code::TooLarge(1000), false), "{refused}");
        assert!(refused.message.contains("matches 1001 files"), "{refused}");
    }
    assert!(!scratch.path().join("new").exists());
    fs::remove_file(scratch.path().join("many/0.o")).unwrap();
    assert_eq!(gate.copy(&copy).unwrap().files, 1000);
    let deleted = gate.delete(&delete).unwrap();
    assert_eq!((deleted.deleted, deleted.paths.map(|paths| paths.len())), (1000, Some(1000)));
    assert_eq!(fs::read_dir(scratch.path().join("new")).unwrap().count(), 1000);
    assert_eq!(fs::read_dir(scratch.path().join("many")).unwrap().count(), 0);
}

/// A host whose history has become smaller: what others have done is in it, and there is no room for what would go.
#[test]
fn what_is_taken_back_is_refused_where_the_history_has_no_room_for_what_would_go() {
    let [scratch, state] = [(); 2].map(|()| TempDir::new().unwrap());
    let gate = |history| {
        Gate::builder().dir(scratch.path()).state_root(state.path()).history(history).build().unwrap()
    };
    let roomy = gate(HistoryLimits::default());
    let content = "own".repeat(1000);
    let create = CreateArgs { path: "new".into(), content: content.clone(), ..Default::default() };
    let created = roomy.create(&create).unwrap().undo_id.unwrap();
    let narrow = || gate(HistoryLimits { bytes: 2000, ..Default::default() });
    let any_session = Some(true);
    let undo = UndoArgs { any_session, ..Default::default() };
    let restore = RestoreArgs { id: created, any_session, ..Default::default() };
    let gone = [narrow().undo(&undo).unwrap_err(), narrow().restore(&restore).unwrap_err()];

    roomy.write(&WriteArgs { path: "new".into(), content: "x".into(), ..Default::default() }).unwrap();
    roomy.undo(&UndoArgs::default()).unwrap();
    let again = narrow().redo(&RedoArgs { any_session, ..Default::default() }).unwrap_err();
    for (refused, operation) in gone.iter().chain([&again]).zip(["undo", "restore", "redo"]) {
        assert_eq!(refused.operation, operation);
        assert_eq!((refused.code.clone(), refused.applied), (Code::TooLarge(2000), false), "{refused}");
    }
    assert_eq!(fs::read_to_string(scratch.path().join("new")).unwrap(), content);
    roomy.redo(&RedoArgs::default()).unwrap();
    assert_eq!(fs::read_to_string(scratch.path().join("new")).unwrap(), "x");
}

/// A change that puts in place nearly as much as a call may, and one that puts in place more: whatever has to be held,
/// the memory that a call has by default is enough for it.
fn what_has_to_be_held_is_bounded(regex: bool) {
    let scratch = TempDir::new().unwrap();
    let gate = gate(scratch.path(), Limits::default());
    let all = |name: &str| ReplaceAllArgs {
        path: name.to_owned(),
        old: "MARK".to_owned(),
        new: "mark".to_owned(),
        regex: Some(regex),
        ..Default::default()
    };
    let file = |name: &str, mebibytes| {
        let path = sparse(scratch.path(), name, mebibytes);
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"MARK").unwrap();
        path
    };
    let path = file("wide", 31);
    let done = gate.replace_all(&all("wide")).unwrap();
    assert_eq!((done.replacements, done.bytes_written), (2, (31 << 20) + 4));
    let content = fs::read(&path).unwrap();
    assert!(content.starts_with(b"mark\0") && content.ends_with(b"\0mark"));

    let path = file("wider", 33);
    // A new instance: what an earlier call has left of its memory is not to be counted on.
    let gate = self::gate(scratch.path(), Limits::default());
    let refused = gate.replace_all(&all("wider")).unwrap_err();
    assert_eq!((refused.code.clone(), refused.applied), (Code::TooLarge(32 << 20), false), "{refused}");
    let content = fs::read(&path).unwrap();
    assert!(content.starts_with(b"MARK\0") && content.ends_with(b"\0MARK"));
    if !regex {
        let done = gate.replace_all(&ReplaceAllArgs { limit: Some(1), ..all("wider") }).unwrap();
        assert_eq!((done.replacements, done.bytes_written), (1, 4));
    }
}

#[test]
fn a_text_that_is_replaced_everywhere_needs_no_more_memory_than_there_is() {
    what_has_to_be_held_is_bounded(false);
}

#[test]
fn an_expression_needs_no_more_memory_than_there_is() {
    what_has_to_be_held_is_bounded(true);
}
