//! Lists of edits as long as they may be, through the component, in the memory that a call has.

use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::Path;

use fsgate::{ApplyArgs, Code, Edit, Gate, ReplaceArgs};
use fsgate_tests::open::Opened;
use tempfile::TempDir;

fn gate(directory: &Path) -> Opened {
    Opened::new(Gate::builder().dir(directory)).unwrap()
}

fn replacing(path: String, old: &str, new: &str) -> Edit {
    Edit { path, old: Some(old.to_owned()), new: Some(new.to_owned()), ..Edit::default() }
}

fn apply(edits: Vec<Edit>) -> ApplyArgs {
    ApplyArgs { edits: Some(edits), ..ApplyArgs::default() }
}

#[test]
fn a_thousand_files_are_changed_or_none() {
    let scratch = TempDir::new().unwrap();
    let path = |number: usize| format!("{}/{number}.txt", number % 40);
    for number in 0..1000 {
        let path = scratch.path().join(path(number));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("number {number}\n")).unwrap();
    }
    let gate = gate(scratch.path());
    let content = |number: usize| fs::read_to_string(scratch.path().join(path(number))).unwrap();
    let mut edits: Vec<_> = (0..1000).map(|number| replacing(path(number), "number", "No.")).collect();

    edits[999].old = Some("nimber".to_owned());
    let refused = gate.apply(&apply(edits.clone())).unwrap_err();
    assert!(matches!(refused.code, Code::NoMatch(_)), "{refused}");
    assert!(refused.message.starts_with("edit 1000: "), "{refused}");
    assert!((0..1000).all(|number| content(number) == format!("number {number}\n")));

    edits[999].old = Some("number".to_owned());
    let done = gate.apply(&apply(edits.clone())).unwrap();
    assert_eq!(done.files.len(), 1000);
    assert!((0..1000).all(|number| content(number) == format!("No. {number}\n")));

    edits.push(edits[0].clone());
    let refused = gate.apply(&apply(edits)).unwrap_err();
    assert_eq!(refused.code, Code::InvalidArgument("edits".to_owned()), "{refused}");
}

/// attacks E14 and E15: what no case can say, because it depends on who runs it. An edit is no way around a mode that forbids it, and
/// takes none away.
#[test]
fn an_edit_keeps_the_mode_that_a_file_has() {
    let scratch = TempDir::new().unwrap();
    let is_root = rustix::process::geteuid().is_root();
    let gate = gate(scratch.path());
    for (mode, for_others) in
        [(0o444, None), (0o4755, Some(0o755)), (0o2755, Some(0o755)), (0o1644, Some(0o1644))]
    {
        for (word, new) in [("one", "two"), ("one", "a longer word"), ("one", "")] {
            let path = scratch.path().join("a.txt");
            let _ = fs::remove_file(&path);
            fs::write(&path, "before one and behind\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let done = gate.apply(&apply(vec![replacing("a.txt".to_owned(), word, new)]));
            let now = (fs::read_to_string(&path).unwrap(), path.metadata().unwrap().mode() & 0o7777);
            let told = format!("{mode:o} {new:?}: {done:?} {now:?}");
            // Whoever is not root may not write to the first, and loses the right to become another by writing to the others.
            match (is_root, for_others) {
                (false, None) => {
                    assert_eq!(done.unwrap_err().code, Code::ReadOnly, "{told}");
                    assert_eq!(now, ("before one and behind\n".to_owned(), mode), "{told}");
                }
                (_, others) => {
                    done.unwrap();
                    let kept = if is_root { mode } else { others.unwrap_or(mode) };
                    assert_eq!(now, (format!("before {new} and behind\n"), kept), "{told}");
                }
            }
        }
    }
}

#[test]
fn a_hole_stays_a_hole() {
    const SIZE: u64 = 256 << 20;
    let scratch = TempDir::new().unwrap();
    let path = scratch.path().join("sparse");
    let file = fs::File::options().create(true).read(true).write(true).truncate(true).open(&path).unwrap();
    file.write_all_at(b"HEAD\n", 0).unwrap();
    file.write_all_at(b"\nTAIL", SIZE).unwrap();
    let before = path.metadata().unwrap();
    let head = ReplaceArgs {
        path: "sparse".to_owned(),
        old: "HEAD".to_owned(),
        new: "head".to_owned(),
        ..ReplaceArgs::default()
    };
    gate(scratch.path()).replace(&head).unwrap();
    let after = path.metadata().unwrap();
    assert_eq!((after.len(), after.ino()), (before.len(), before.ino()));
    assert!(after.blocks() <= before.blocks() + 64, "{} blocks, then {}", before.blocks(), after.blocks());
    let mut ends = [0; 10];
    file.read_exact_at(&mut ends[..5], 0).unwrap();
    file.read_exact_at(&mut ends[5..], SIZE).unwrap();
    assert_eq!(&ends, b"head\n\nTAIL");
}

#[test]
fn a_thousand_edits_of_one_file_are_one_change() {
    let scratch = TempDir::new().unwrap();
    let file = scratch.path().join("a.txt");
    let text = |word: &str| (0..1000).map(|number| format!("{word} {number:03}\n")).collect::<String>();
    fs::write(&file, text("line")).unwrap();
    let edits = (0..1000).map(|number| {
        replacing("a.txt".to_owned(), &format!("line {number:03}\n"), &format!("row {number:03}\n"))
    });
    let done = gate(scratch.path()).apply(&apply(edits.rev().collect())).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), text("row"));
    assert_eq!((done.files.len(), done.files[0].replacements, done.files[0].lines.len()), (1, 1000, 100));
    assert_eq!(done.files[0].bytes_written, 8_000);
}

#[test]
fn what_has_to_be_held_is_bounded() {
    let scratch = TempDir::new().unwrap();
    let file = |name: &str, mebibytes: usize| {
        let path = scratch.path().join(name);
        fs::write(&path, [&b"HEAD\n"[..], &vec![b'x'; (mebibytes << 20) - 10], b"\nTAIL"].concat()).unwrap();
        path
    };
    let edits = |name: &str| {
        apply(vec![replacing(name.to_owned(), "TAIL", "tail"), replacing(name.to_owned(), "HEAD", "head")])
    };
    let path = file("wide", 32);
    let done = gate(scratch.path()).apply(&edits("wide")).unwrap();
    assert_eq!(done.files[0].bytes_written, 32 << 20);
    let content = fs::read(path).unwrap();
    assert!(content.starts_with(b"head\nx") && content.ends_with(b"x\ntail"));

    // A new instance: what an earlier call has left of its memory is not to be counted on.
    let path = file("wider", 33);
    let refused = gate(scratch.path()).apply(&edits("wider")).unwrap_err();
    assert_eq!((refused.code.clone(), refused.applied), (Code::TooLarge(32 << 20), false), "{refused}");
    assert!(fs::read(path).unwrap().starts_with(b"HEAD"));

    file("other", 32);
    file("wide", 32);
    let both = [edits("wide").edits.unwrap(), edits("other").edits.unwrap()].concat();
    let refused = gate(scratch.path()).apply(&apply(both)).unwrap_err();
    assert_eq!(refused.code, Code::TooLarge(32 << 20), "{refused}");
    assert!(refused.message.starts_with("edit 3: the edits up to here"), "{refused}");
    assert!(fs::read(scratch.path().join("wide")).unwrap().starts_with(b"HEAD"));
}
