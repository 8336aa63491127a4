//! The tools that make, copy, move and delete, where every step fails once.

use super::*;

const TREE: &str = "file w/a.txt \"one, two and three\"\nfile w/d/b.txt \"two, with more than seven bytes\"\n\
    file w/d/e/c.txt \"three\"\nlink w/l -> a.txt\nfile w/old.txt \"old, and longer than what comes\"\n\
    grant w\ngrant v\nfile v/x.txt \"of another grant\"";

/// A change of that tree: lines that are no more, and lines that are new.
fn change(tool: &'static str, arguments: Value, gone: &[&str], new: &[&str]) -> Change {
    let is_gone = |line: &str| gone.iter().any(|path| line.split(' ').nth(1) == Some(*path));
    let kept: Vec<_> = TREE.lines().map(str::trim).filter(|line| !is_gone(line)).collect();
    Change::new(TREE, tool, arguments, &[&kept[..], new].concat().join("\n"))
}

/// What can be taken back if it fails.
fn reversible() -> Vec<Change> {
    vec![
        change("create_directory", json!({"path": "n/m"}), &[], &["directory w/n/m"]),
        change(
            "copy",
            json!({"source": "a.txt", "destination": "n/m/a.txt"}),
            &[],
            &["file w/n/m/a.txt \"one, two and three\""],
        ),
        change(
            "copy",
            json!({"source": "d", "destination": "n/d", "recursive": true}),
            &[],
            &["file w/n/d/b.txt \"two, with more than seven bytes\"", "file w/n/d/e/c.txt \"three\""],
        ),
        change(
            "copy",
            json!({"source": "d", "destination": "n/d", "glob": "**/*.txt"}),
            &[],
            &["file w/n/d/b.txt \"two, with more than seven bytes\"", "file w/n/d/e/c.txt \"three\""],
        ),
        change(
            "move",
            json!({"source": "a.txt", "destination": "n/a.txt"}),
            &["w/a.txt"],
            &["file w/n/a.txt \"one, two and three\""],
        ),
        change("move", json!({"source": "l", "destination": "n/l"}), &["w/l"], &["link w/n/l -> a.txt"]),
        change(
            "move",
            json!({"source": "d", "destination": "n/d", "recursive": true}),
            &["w/d/b.txt", "w/d/e/c.txt"],
            &["file w/n/d/b.txt \"two, with more than seven bytes\"", "file w/n/d/e/c.txt \"three\""],
        ),
        change(
            "move",
            json!({"source": "a.txt", "destination": "/v/n/a.txt"}),
            &["w/a.txt"],
            &["file v/n/a.txt \"one, two and three\""],
        ),
    ]
}

/// What cannot be taken back behind the step that decides, or not all of it.
fn lasting() -> Vec<Change> {
    vec![
        change("delete", json!({"path": "a.txt"}), &["w/a.txt"], &[]),
        change(
            "delete",
            json!({"path": "d", "glob": "**/*.txt"}),
            &["w/d/b.txt", "w/d/e/c.txt"],
            &["directory w/d/e"],
        ),
        change(
            "delete_directory",
            json!({"path": "d", "recursive": true}),
            &["w/d/b.txt", "w/d/e/c.txt"],
            &[],
        ),
        change(
            "copy",
            json!({"source": "a.txt", "destination": "old.txt", "overwrite": true}),
            &["w/old.txt"],
            &["file w/old.txt \"one, two and three\""],
        ),
        change(
            "copy",
            json!({"source": "old.txt", "destination": "a.txt", "overwrite": true}),
            &["w/a.txt"],
            &["file w/a.txt \"old, and longer than what comes\""],
        ),
        change(
            "move",
            json!({"source": "a.txt", "destination": "old.txt"}),
            &["w/a.txt", "w/old.txt"],
            &["file w/old.txt \"one, two and three\""],
        ),
        change(
            "move",
            json!({"source": "a.txt", "destination": "/v/x.txt"}),
            &["w/a.txt", "v/x.txt"],
            &["file v/x.txt \"one, two and three\""],
        ),
    ]
}

fn all() -> Vec<Change> {
    reversible().into_iter().chain(lasting()).collect()
}

/// The tree without temporary names that could not be removed.
fn without_litter(volume: &Memory) -> Vec<(String, Item)> {
    let is_litter = |path: &str| path.split('/').any(|name| name.starts_with(".fsgate-"));
    volume.snapshot().into_iter().filter(|(path, _)| !is_litter(path)).collect()
}

fn is_done_but_for_litter(change: &Change) -> bool {
    without_litter(&change.volume) == without_litter(&memory::volume(&change.after).unwrap())
}

#[test]
fn without_a_fault_all_of_it_is_done() {
    for change in all() {
        let answer = change.call(|_| None);
        assert!(answer.is_ok() && change.is_done(), "{}: {answer:?}", change.name());
    }
}

#[test]
fn a_dry_run_answers_the_same_and_does_nothing() {
    for change in all() {
        let dry = Change { arguments: change.arguments.clone(), ..change };
        let mut arguments = dry.arguments.clone();
        arguments["dry_run"] = json!(true);
        let wet = Change::new(TREE, dry.tool, dry.arguments.clone(), TREE).call(|_| None);
        let dry = Change { arguments, ..dry };
        assert_eq!(dry.call(|_| None), wet, "{}", dry.name());
        assert!(dry.is_untouched(), "{}", dry.name());
    }
}

#[test]
fn wherever_it_fails_what_was_made_is_taken_back() {
    for fault in [Fault::Io("broken".to_owned()), Fault::NoSpace] {
        for which in 0..reversible().len() {
            for n in 0.. {
                let change = reversible().swap_remove(which);
                let name = format!("{} at step {n} with {fault:?}", change.name());
                let (fired, before) = nth(n, fault.clone(), |_| true);
                match change.call(before) {
                    Err(error) => {
                        let codes = ["io", "no_space"];
                        assert!(codes.contains(&code(&error)), "{name}: {error}");
                        assert_eq!(error["applied"], false, "{name}: {error}");
                        assert!(change.is_untouched(), "{name}: {:?}", change.volume.snapshot());
                    }
                    Ok(_) if fired.get() => assert!(is_done_but_for_litter(&change), "{name}"),
                    Ok(_) => {
                        assert!(change.is_done() && n > 2, "{name}");
                        break;
                    }
                }
            }
        }
    }
}

#[test]
fn wherever_it_fails_nothing_is_lost_that_was_not_to_go() {
    let mut unrecovered = 0;
    for which in 0..lasting().len() {
        for n in 0.. {
            let change = lasting().swap_remove(which);
            let name = format!("{} at step {n}", change.name());
            let (fired, before) = nth(n, Fault::Io("broken".to_owned()), |_| true);
            match change.call(before) {
                Err(error) if error["applied"] == false => {
                    assert_eq!(code(&error), "io", "{name}");
                    assert!(change.is_untouched(), "{name}: {:?}", change.volume.snapshot());
                }
                Err(error) => {
                    assert_eq!(code(&error), "unrecovered", "{name}");
                    unrecovered += 1;
                    // What was not to change has not changed; no name holds anything but what it was to hold, or some of it.
                    let (before, after) = (
                        memory::volume(&change.tree).unwrap().snapshot(),
                        memory::volume(&change.after).unwrap().snapshot(),
                    );
                    for (path, item) in &before {
                        if after.get(path) == Some(item) {
                            assert_eq!(change.volume.snapshot().get(path), Some(item), "{name}: {path}");
                        }
                    }
                }
                Ok(_) if fired.get() => assert!(is_done_but_for_litter(&change), "{name}"),
                Ok(_) => {
                    assert!(change.is_done() && n > 2, "{name}");
                    break;
                }
            }
        }
    }
    assert!(unrecovered > 5, "{unrecovered}");
}

#[test]
fn a_part_that_is_gone_is_counted() {
    let change = lasting().swap_remove(2);
    let (_, before) = nth(1, Fault::Busy, |step| step == Step::RemoveFile);
    let error = change.call(before).unwrap_err();
    assert_eq!((code(&error), &error["applied"]), ("unrecovered", &json!(true)), "{error}");
    assert_eq!(
        error["message"],
        "1 file was deleted before it failed: another program uses it now, or has left it half changed"
    );
}

#[test]
fn where_everything_fails_from_some_step_on_no_moved_file_is_lost() {
    for which in 0..reversible().len() {
        for n in 0.. {
            let change = reversible().swap_remove(which);
            let steps = Cell::new(0);
            let before = move |_| {
                steps.set(steps.get() + 1);
                (steps.get() > n).then(|| Fault::Io("gone".to_owned()))
            };
            let answer = change.call(before);
            let items: Vec<_> = change.volume.snapshot().into_values().collect();
            for item in memory::volume(&change.tree).unwrap().snapshot().into_values() {
                assert!(items.contains(&item), "{} from step {n} on has lost {item:?}", change.name());
            }
            if answer.is_ok() {
                assert!(n > 2);
                break;
            }
        }
    }
}

#[test]
fn a_full_disk_is_noticed_before_anything_is_overwritten() {
    let used = |tree: &Tree| {
        tree.items.keys().filter_map(|path| tree.bytes(path)).map(<[u8]>::len).sum::<usize>() as u64
    };
    let (mut refused, mut done) = (0, 0);
    for room in 0..60 {
        for change in all() {
            let name = format!("{} with room for {room} bytes", change.name());
            change.volume.set_capacity(used(&change.tree) + room);
            match change.call(|_| None) {
                Ok(_) => {
                    assert!(change.is_done(), "{name}");
                    done += 1;
                }
                Err(error) => {
                    assert_eq!((code(&error), &error["applied"]), ("no_space", &json!(false)), "{name}");
                    assert!(change.is_untouched(), "{name}: {:?}", change.volume.snapshot());
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 50 && done > 300, "{refused} refused, {done} done");
}

#[test]
fn other_file_systems_are_noticed_when_it_comes_to_it() {
    for fault in [Fault::CrossDevice, Fault::Io("no word for it".to_owned())] {
        for (destination, step) in [("n/a.txt", Step::LinkFile), ("old.txt", Step::Rename)] {
            let change = change(
                "move",
                json!({"source": "a.txt", "destination": destination}),
                &["w/a.txt", &format!("w/{destination}")],
                &[&format!("file w/{destination} \"one, two and three\"")],
            );
            let (_, before) = nth(0, fault.clone(), move |taken| taken == step);
            let outcome = change.call(before).unwrap();
            let kinds: Vec<_> =
                outcome["notes"].as_array().unwrap().iter().map(|note| &note["kind"]).collect();
            assert!(kinds.contains(&&json!("new_file")), "{outcome}");
            assert!(change.is_done());
        }
    }
    for which in [5, 6] {
        let change = reversible().swap_remove(which);
        let across = |step| matches!(step, Step::LinkFile | Step::Rename).then_some(Fault::CrossDevice);
        let error = change.call(across).unwrap_err();
        assert_eq!((code(&error), &error["applied"]), ("cross_device", &json!(false)));
        assert!(change.is_untouched());
    }
}

#[test]
fn a_volume_without_links_copies_and_moves_too() {
    for fault in [Fault::Unsupported, Fault::NotPermitted, Fault::Access] {
        for change in all() {
            let no_links = fault.clone();
            let answer = change.call(move |step| (step == Step::LinkFile).then(|| no_links.clone()));
            assert!(answer.is_ok() && change.is_done(), "{}: {answer:?}", change.name());
        }
    }
}

/// Runs a change, and `meanwhile` once before a step of that kind.
fn meanwhile(change: &Change, at: Step, meanwhile: impl Fn(&Memory) + 'static) -> Result<Value, Value> {
    let (volume, done) = (change.volume.clone(), Cell::new(false));
    change.call(move |step| {
        if step == at && !done.replace(true) {
            meanwhile(&volume);
        }
        None
    })
}

#[test]
fn a_source_that_changes_meanwhile_is_stale_and_no_copy_of_it_stays() {
    let theirs = || Item::File(b"theirs".to_vec());
    for which in [1, 2, 3, 7] {
        let change = reversible().swap_remove(which);
        let name = change.name();
        let error = meanwhile(&change, Step::CreateFile, move |volume| {
            for (directory, name) in [("w", "a.txt"), ("w/d", "b.txt"), ("w/d/e", "c.txt")] {
                let at = volume.at(directory);
                let file = at.open_file(&at.root(), name, Access::Write).unwrap();
                at.set_size(&file, 0).unwrap();
                at.write_at(&file, 0, b"theirs").unwrap();
            }
        });
        let error = error.unwrap_err();
        assert_eq!((code(&error), &error["applied"]), ("stale", &json!(false)), "{name}: {error}");
        let left = change.volume.snapshot();
        assert_eq!(left.get("w/a.txt"), Some(&theirs()), "{name}");
        assert!(
            left.keys().all(|path| !path.contains("/n") && !path.contains(".fsgate-")),
            "{name}: {left:?}"
        );
    }
}

#[test]
fn what_comes_to_the_destination_meanwhile_stays() {
    for (which, at, path) in [
        (1, Step::LinkFile, "w/n/m/a.txt"),
        (2, Step::Rename, "w/n/d"),
        (3, Step::LinkFile, "w/n/d/b.txt"),
        (4, Step::LinkFile, "w/n/a.txt"),
        (5, Step::LinkFile, "w/n/l"),
        (6, Step::CreateDirectory, "w/n/d"),
        (7, Step::LinkFile, "v/n/a.txt"),
    ] {
        let change = reversible().swap_remove(which);
        let name = change.name();
        let error = meanwhile(&change, at, move |volume| volume.put(path, Item::File(b"theirs".to_vec())));
        let error = error.unwrap_err();
        let codes = ["exists", "not_directory"];
        assert!(codes.contains(&code(&error)), "{name}: {error}");
        assert_eq!(error["applied"], false, "{name}");
        let mut left = change.volume.snapshot();
        assert_eq!(left.remove(path), Some(Item::File(b"theirs".to_vec())), "{name}");
        left.retain(|path, _| !path.starts_with("w/n") && !path.starts_with("v/n"));
        assert_eq!(left, memory::volume(&change.tree).unwrap().snapshot(), "{name}");
    }
}

#[test]
fn another_file_in_the_place_of_the_one_that_was_looked_at_is_not_touched() {
    let theirs = || Item::File(b"one, two and three".to_vec());
    for (change, at) in [
        (lasting().swap_remove(0), Step::Identity),
        (lasting().swap_remove(5), Step::Identity),
        (reversible().swap_remove(4), Step::LinkFile),
        (reversible().swap_remove(4), Step::CreateDirectory),
    ] {
        let name = change.name();
        let answer = meanwhile(&change, at, move |volume| volume.put("w/a.txt", theirs()));
        let error = answer.unwrap_err();
        assert_eq!((code(&error), &error["applied"]), ("stale", &json!(false)), "{name}: {error}");
        let left = change.volume.snapshot();
        assert_eq!(left.get("w/a.txt"), Some(&theirs()), "{name}");
        assert!(left.keys().all(|path| !path.starts_with("w/n")), "{name}: {left:?}");
    }
}
