//! The initial memory of instances, while the kernel holds a page of it.

#![cfg(target_os = "linux")]

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::Stdio;
use std::ptr::null_mut;
use std::thread;
use std::time::Duration;

use fsgate_tests::program::{Ended, program};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use tempfile::TempDir;

const PAGE: usize = 4096;

/// Images to be held up, and programs started for that at most: some images are sealed before they
/// are met.
const HELD: usize = 3;
const PROGRAMS: usize = 200;

/// Maps the images of a process that are not sealed yet, as long as the kernel's housekeeping may
/// hold a page. Returns their number.
fn hold_images(process: u32) -> usize {
    let mut held = 0;
    for entry in fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten() {
        let is_image = |path: &Path| path.to_string_lossy().starts_with("/memfd:wasm-memory-image");
        if !fs::read_link(entry.path()).is_ok_and(|path| is_image(&path)) {
            continue;
        }
        let Ok(file) = OpenOptions::new().read(true).write(true).open(entry.path()) else { continue };
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the mapping is new, and no code reads it or writes to it.
        let Ok(mapped) = (unsafe { mmap(null_mut(), PAGE, access, MapFlags::SHARED, &file, 0) }) else {
            // It is sealed.
            continue;
        };
        held += 1;
        thread::sleep(Duration::from_millis(10));
        // SAFETY: it was mapped here, and no pointer leads into it.
        unsafe { munmap(mapped, PAGE) }.unwrap();
    }
    held
}

#[test]
fn an_image_that_cannot_be_sealed_at_once_is_no_fault_of_the_component() {
    let scratch = TempDir::new().unwrap();
    fs::create_dir(scratch.path().join("w")).unwrap();
    fs::write(scratch.path().join("w/a.txt"), "hello").unwrap();
    let mut held = 0;
    for _ in 0..PROGRAMS {
        if held >= HELD {
            break;
        }
        let mut command = program(env!("CARGO_BIN_EXE_fsgate"), scratch.path());
        let words = ["read", "a.txt", "--dir", "w"];
        let mut child = command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut is_met = false;
        while child.try_wait().unwrap().is_none() {
            // Once, as the kernel's housekeeping does.
            is_met = is_met || hold_images(child.id()) > 0;
        }
        held += usize::from(is_met);
        let ended = Ended::from(child.wait_with_output().unwrap());
        assert_eq!((ended.code, &*ended.out), (0, "hello"), "{ended:?}");
    }
    assert!(held > 0, "no image was met before it was sealed");
}
