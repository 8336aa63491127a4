//! What the kernel does with the memory that instances begin with, while it is made.

#![cfg(target_os = "linux")]

use std::fs::{self, OpenOptions};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use fsgate::{Gate, ReadArgs};
use fsgate_tests::open::Opened;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use tempfile::TempDir;

const PAGE: usize = 4096;

/// How many images are held up, and how many gates are opened for that at most: not each image is met before it is sealed.
const HELD: usize = 3;
const GATES: usize = 2_000;

/// Maps images that are not sealed yet, for as long as the kernel's housekeeping may hold a page. They cannot be sealed meanwhile.
fn hold_images(held: &AtomicUsize) {
    for entry in fs::read_dir("/proc/self/fd").unwrap().flatten() {
        let is_image =
            |path: &std::path::Path| path.to_string_lossy().starts_with("/memfd:wasm-memory-image");
        if !fs::read_link(entry.path()).is_ok_and(|path| is_image(&path)) {
            continue;
        }
        let Ok(file) = OpenOptions::new().read(true).write(true).open(entry.path()) else { continue };
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the mapping is new, and nobody reads it or writes to it.
        let Ok(mapped) = (unsafe { mmap(null_mut(), PAGE, access, MapFlags::SHARED, &file, 0) }) else {
            // It is sealed.
            continue;
        };
        held.fetch_add(1, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(10));
        // SAFETY: it was mapped here, and nobody has a pointer into it.
        unsafe { munmap(mapped, PAGE) }.unwrap();
    }
}

#[test]
fn an_image_that_cannot_be_sealed_at_once_is_no_fault_of_the_component() {
    let scratch = TempDir::new().unwrap();
    fs::write(scratch.path().join("a.txt"), "hello").unwrap();
    let (held, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) && held.load(Ordering::Relaxed) < HELD {
                hold_images(&held);
            }
        });
        for _ in 0..GATES {
            if held.load(Ordering::Relaxed) >= HELD {
                break;
            }
            let gate = Opened::new(Gate::builder().dir(scratch.path())).unwrap();
            let found = gate.read(&ReadArgs { path: "a.txt".into(), ..Default::default() });
            if !found.as_ref().is_ok_and(|found| found.content == "hello") {
                is_over.store(true, Ordering::Relaxed);
                panic!("{found:?}");
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(held.into_inner() > 0, "no image was met before it was sealed");
}
