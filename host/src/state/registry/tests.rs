//! Roots that are granted, moved, replaced and forged.

use std::os::unix::fs::{PermissionsExt, symlink};

use tempfile::TempDir;

use super::super::root;
use super::*;

const MONTH: Duration = Duration::from_secs(30 * 24 * 60 * 60);

struct Scratch {
    scratch: TempDir,
    registry: Registry,
}

impl Scratch {
    fn new() -> Self {
        let scratch = TempDir::new().unwrap();
        let state = scratch.path().join("state");
        root::make(&state).unwrap();
        Self { registry: Registry::new(&state, true, MONTH), scratch }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().canonicalize().unwrap().join(name)
    }

    fn granted(&self, name: &str) -> Found {
        fs::create_dir_all(self.path(name)).unwrap();
        self.registry.state_of(&self.path(name)).unwrap()
    }

    fn entries(&self) -> usize {
        fs::read_dir(self.registry.roots()).unwrap().count()
    }

    fn entry(&self, name: &str) -> PathBuf {
        self.registry.roots().join(identity_of(&self.path(name)).unwrap().name())
    }
}

#[test]
fn roots_that_contain_one_another_have_one_state_in_any_order() {
    // Directories granted in turn, and the index of each one's state.
    for (granted, same) in [
        (&["r", "r"][..], &[0, 0][..]),
        (&["r", "r/a"], &[0, 0]),
        (&["r/a", "r"], &[0, 0]),
        (&["r/a/b", "r", "r/a", "r/c"], &[0, 0, 0, 0]),
        (&["r/a", "r/b"], &[0, 1]),
        (&["r/a", "ra"], &[0, 1]),
        // The first one's state for all, once a root contains both.
        (&["r/a", "r/b", "r", "r/b", "r/a"], &[0, 1, 0, 0, 0]),
        (&["r/b", "r/a", "r", "r/b"], &[0, 1, 0, 0]),
        (&["r/a/x", "r/b", "r/a", "r", "r/b"], &[0, 1, 0, 0, 0]),
    ] {
        let scratch = Scratch::new();
        let states: Vec<_> = granted.iter().map(|name| scratch.granted(name).state).collect();
        let mut distinct: Vec<&String> = Vec::new();
        let found: Vec<_> = states
            .iter()
            .map(|state| {
                distinct.iter().position(|known| *known == state).unwrap_or_else(|| {
                    distinct.push(state);
                    distinct.len() - 1
                })
            })
            .collect();
        assert_eq!(found, same, "{granted:?}");
    }
}

#[test]
fn states_that_are_left_behind_are_told_to_all() {
    let scratch = Scratch::new();
    let (a, b) = (scratch.granted("r/a"), scratch.granted("r/b"));
    assert!(a.retired.is_empty() && b.retired.is_empty());
    let both = scratch.granted("r");
    assert_eq!((&both.state, &both.retired), (&a.state, &vec![b.state.clone()]));
    for again in ["r", "r/b"] {
        let again = scratch.granted(again);
        assert!(again.state == a.state && again.retired.contains(&b.state), "{again:?}");
    }
    let wider = scratch.granted(".");
    assert_eq!((wider.state, wider.retired), (a.state, vec![b.state]));
}

#[test]
fn a_root_keeps_its_state_under_another_name() {
    let scratch = Scratch::new();
    let before = scratch.granted("old/r");
    fs::rename(scratch.path("old"), scratch.path("new")).unwrap();
    assert_eq!(scratch.granted("new/r"), before);
    assert_eq!(scratch.granted("new/r/a"), before);
    // Its new path is registered, so a root around it is recognised.
    assert_eq!(scratch.granted("new"), before);
    assert_eq!(scratch.entries(), 2);
}

#[test]
fn another_directory_in_its_place_has_another_state() {
    let scratch = Scratch::new();
    let before = scratch.granted("r");
    fs::rename(scratch.path("r"), scratch.path("kept")).unwrap();
    let after = scratch.granted("r");
    assert_ne!(after.state, before.state);
    assert_eq!(scratch.granted("kept").state, before.state);
}

#[test]
fn an_inode_that_is_used_again_is_another_directory() {
    let scratch = Scratch::new();
    let before = scratch.granted("r");
    let file = scratch.entry("r");
    let name = file.file_name().unwrap().to_str().unwrap();
    let mut entry = RootEntry::parse(name, &fs::read(&file).unwrap()).unwrap();
    let Some(born) = entry.identity.born else { return };
    entry.identity.born = Some(born - 1);
    scratch.registry.write(&entry).unwrap();
    assert_ne!(scratch.granted("r").state, before.state);
}

#[test]
fn a_device_that_has_another_number_changes_nothing() {
    let scratch = Scratch::new();
    let before = scratch.granted("r");
    let file = scratch.entry("r");
    let name = file.file_name().unwrap().to_str().unwrap();
    let mut entry = RootEntry::parse(name, &fs::read(&file).unwrap()).unwrap();
    if entry.identity.born.is_none() {
        return;
    }
    entry.identity.device += 1;
    fs::remove_file(&file).unwrap();
    scratch.registry.write(&entry).unwrap();
    assert_eq!(scratch.granted("r/a"), before);
    assert!(file.exists());
    assert_eq!(scratch.entries(), 1);
}

#[test]
fn what_is_forged_or_broken_is_passed_over() {
    let scratch = Scratch::new();
    let good = scratch.granted("r");
    let file = scratch.entry("r");
    let text = fs::read_to_string(&file).unwrap();
    fs::create_dir(scratch.path("elsewhere")).unwrap();
    let name = scratch.entry("elsewhere").file_name().unwrap().to_owned();
    let name = name.to_str().unwrap();
    let own = file.file_name().unwrap().to_str().unwrap();
    // The content of the file, and its mode.
    for (forged, mode) in [
        (String::new(), 0o600),
        ("{".to_owned(), 0o600),
        ("null".to_owned(), 0o600),
        (text.replace(&good.state, "../../elsewhere"), 0o600),
        (text.replace(&good.state, &"a".repeat(32)), 0o600),
        (text.replace("\"device\":", "\"device\":1"), 0o600),
        (text.clone() + &" ".repeat(ENTRY_BYTES as usize) + "x", 0o666),
        (text.clone(), 0o622),
    ] {
        fs::write(&file, &forged).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        assert!(scratch.registry.read(own).is_none(), "{forged:.80}");
        assert_ne!(scratch.granted("r").state, good.state, "{forged:.80}");
    }
    fs::write(scratch.registry.roots().join(name), &text).unwrap();
    assert!(scratch.registry.read(name).is_none(), "under another name");
    fs::remove_file(&file).unwrap();
    symlink(scratch.path("elsewhere/root"), &file).unwrap();
    fs::write(scratch.path("elsewhere/root"), &text).unwrap();
    assert!(scratch.registry.read(own).is_none(), "a link");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert!(scratch.registry.read(own).is_none(), "a directory");
}

#[test]
fn a_state_that_is_gone_or_open_to_others_is_not_used() {
    let scratch = Scratch::new();
    let first = scratch.granted("r");
    let directory = scratch.registry.directory(&first.state);
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o777)).unwrap();
    let second = scratch.granted("r");
    assert_ne!(second.state, first.state);
    fs::remove_dir_all(scratch.registry.directory(&second.state)).unwrap();
    assert_ne!(scratch.granted("r").state, second.state);
}

#[test]
fn of_many_that_register_at_once_all_get_the_same() {
    for _ in 0..10 {
        let scratch = Scratch::new();
        let names = ["r", "r/a", "r/a/b", "r"];
        for name in names {
            fs::create_dir_all(scratch.path(name)).unwrap();
        }
        std::thread::scope(|scope| {
            for name in names {
                scope.spawn(|| scratch.granted(name));
            }
        });
        let states: Vec<_> = names.iter().map(|name| scratch.granted(name).state).collect();
        assert!(states.iter().all(|state| *state == states[0]), "{states:?}");
    }
}

/// A name, the event, and whether the state is kept.
type Case<'a> = (&'a str, &'a dyn Fn(&Scratch, &Path), bool);

#[test]
fn what_is_gone_is_forgotten_when_nothing_in_it_is_kept_any_more() {
    let old = |scratch: &Scratch, state: &Path| {
        File::options()
            .write(true)
            .open(state.join("control"))
            .unwrap()
            .set_modified(SystemTime::now() - MONTH * 2)
            .unwrap();
        fs::remove_dir(scratch.path("r")).unwrap();
    };
    let cases: [Case; 6] = [
        ("gone and old", &|scratch, state| old(scratch, state), false),
        ("gone", &|scratch, _| fs::remove_dir(scratch.path("r")).unwrap(), true),
        (
            "old",
            &|_, state| {
                File::options()
                    .write(true)
                    .open(state.join("control"))
                    .unwrap()
                    .set_modified(SystemTime::now() - MONTH * 2)
                    .unwrap();
            },
            true,
        ),
        (
            "a change waits",
            &|scratch, state| {
                fs::write(state.join("waiting/1"), "").unwrap();
                old(scratch, state);
            },
            true,
        ),
        (
            "a change is in conflict",
            &|scratch, state| {
                fs::write(state.join("conflicts/1"), "").unwrap();
                old(scratch, state);
            },
            true,
        ),
        (
            "a root inside is there",
            &|scratch, state| {
                fs::create_dir(scratch.path("r/a")).unwrap();
                let outer = scratch.granted(".");
                assert!(state.ends_with(outer.state));
                fs::remove_dir(scratch.path("r/a")).unwrap();
                old(scratch, state);
            },
            true,
        ),
    ];
    for (what, happens, is_kept) in cases {
        let scratch = Scratch::new();
        let state = scratch.registry.directory(&scratch.granted("r").state);
        fs::create_dir(scratch.registry.directory(".new-1")).unwrap();
        happens(&scratch, &state);
        let elsewhere = TempDir::new().unwrap();
        scratch.registry.state_of(&elsewhere.path().canonicalize().unwrap()).unwrap();
        assert_eq!(state.exists(), is_kept, "{what}");
        assert!(!scratch.registry.directory(".new-1").exists() || what == "a root inside is there");
    }
    let scratch = Scratch::new();
    let state = scratch.registry.directory(&scratch.granted("r").state);
    old(&scratch, &state);
    let lock = File::open(state.join("lock")).unwrap();
    lock.lock().unwrap();
    scratch.granted("other");
    assert!(state.exists(), "somebody is at work");
}
