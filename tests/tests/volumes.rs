//! Volumes of every kind keep the same laws, so that what is tried on one holds on the others.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::rc::Rc;
use std::{fs, thread};

use fsgate::volume::Native;
use fsgate_contract::types::SpecialKind;
use fsgate_policy::{Documents, Policy};
use fsgate_volume::laws::{LawReport, PREPARED, PREPARED_DIRECTORY, Prepared, check};
use fsgate_volume::memory::{Item, Memory};
use fsgate_volume::policy_guard::PolicyGuard;
use fsgate_volume::policy_guard::volume::Guarded;
use fsgate_volume::{Abilities, Access, Fault, Volume};
use tempfile::TempDir;

use crate::walls::component::{Component, Host};

/// So few were there never: a runner that tries none has found nothing.
const LAWS_AT_LEAST: usize = 50;

fn judge(report: &LawReport) {
    assert!(report.laws >= LAWS_AT_LEAST, "{} laws", report.laws);
    assert!(report.broken.is_empty(), "of {} laws:\n  {}", report.laws, report.broken.join("\n  "));
}

#[test]
fn memory_keeps_the_laws() {
    for links in [true, false] {
        let (first, second) = in_memory(links);
        judge(&check(&first, &second));
    }
}

/// A policy that is about nothing of what is done changes nothing.
#[test]
fn a_guarded_volume_keeps_the_laws() {
    for links in [true, false] {
        let (first, second) = in_memory(links);
        let policy = Policy::compile(&Documents::default()).unwrap();
        let guard =
            Rc::new(PolicyGuard::new(policy, &["first", "second"].map(|name| vec![name.to_owned()]), &[]));
        let guarded = |volume, name| Guarded::new(volume, guard.clone(), [name]);
        judge(&check(&guarded(first, "first"), &guarded(second, "second")));
    }
}

/// Two directories in memory, the first one prepared.
fn in_memory(links: bool) -> (Memory, Memory) {
    let tree = Memory::default().with_abilities(Abilities { links, ..Memory::ABILITIES });
    let (first, second) = (tree.at("first"), tree.at("second"));
    for prepared in PREPARED {
        let at = |name: &str| format!("{PREPARED_DIRECTORY}/{name}");
        match *prepared {
            Prepared::File(name, content) => first.put(&at(name), Item::File(content.to_vec())),
            Prepared::Directory(name) => first.put(&at(name), Item::Directory),
            Prepared::Link(name, target) => first.put(&at(name), Item::Link(target.to_owned())),
            Prepared::Fifo(name) => first.put(&at(name), Item::Special(SpecialKind::Other)),
            Prepared::Undecodable(directory, _) => first.put_undecodable(&at(directory)),
        }
    }
    (first, second)
}

#[test]
fn directories_of_this_machine_keep_the_laws() {
    let disk = Disk::new();
    judge(&check(&Native::open(disk.first()).unwrap(), &Native::open(disk.second()).unwrap()));
}

#[test]
fn preopened_directories_keep_the_laws() {
    for host in Host::ALL {
        let disk = Disk::new();
        let directories = [(disk.first(), Access::Write), (disk.second(), Access::Write)];
        let mut component =
            Component::new(host, &directories.each_ref().map(|(at, access)| (at.as_path(), *access)));
        let ((laws, broken),): ((u32, Vec<String>),) = component.call("check", ());
        judge(&LawReport { laws: laws as usize, broken });
    }
}

#[test]
fn nobody_waits_for_the_writer_of_a_fifo() {
    let disk = Disk::new();
    let opening = thread::spawn(move || {
        let volume = Native::open(disk.first().join(PREPARED_DIRECTORY)).unwrap();
        let open = |access| volume.open_file(&volume.root(), "fifo", access).err();
        (open(Access::Read), open(Access::Write), volume.open_directory(&volume.root(), "fifo").err())
    });
    let refused = (Some(Fault::NotPermitted), Some(Fault::NotPermitted), Some(Fault::NotDirectory));
    assert_eq!(opening.join().unwrap(), refused);
}

#[test]
fn two_trees_are_two_devices() {
    let (one, other) = (Memory::default(), Memory::default());
    one.put("a", Item::File(b"ab".to_vec()));
    let (from, to) = (one.root(), other.root());
    assert_eq!(one.rename(&from, "a", &to, "a"), Err(Fault::CrossDevice));
    assert_eq!(one.link_file(&from, "a", &to, "a"), Err(Fault::CrossDevice));
    assert_eq!(one.snapshot().len(), 1);
}

/// Two directories on a disk, the first one prepared.
struct Disk(TempDir);

impl Disk {
    fn new() -> Self {
        let disk = Self(tempfile::tempdir().unwrap());
        let prepared_directory = disk.first().join(PREPARED_DIRECTORY);
        fs::create_dir_all(&prepared_directory).unwrap();
        fs::create_dir(disk.second()).unwrap();
        let at = |name: &str| prepared_directory.join(name);
        for prepared in PREPARED {
            match *prepared {
                Prepared::File(name, content) => fs::write(at(name), content).unwrap(),
                Prepared::Directory(name) => fs::create_dir(at(name)).unwrap(),
                Prepared::Link(name, target) => symlink(target, at(name)).unwrap(),
                Prepared::Fifo(name) => {
                    assert!(Command::new("mkfifo").arg(at(name)).status().unwrap().success());
                }
                Prepared::Undecodable(directory, name) => {
                    fs::write(at(directory).join(OsStr::from_bytes(name)), b"").unwrap();
                }
            }
        }
        disk
    }

    fn first(&self) -> std::path::PathBuf {
        self.0.path().join("first")
    }

    fn second(&self) -> std::path::PathBuf {
        self.0.path().join("second")
    }
}
