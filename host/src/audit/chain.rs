//! The file of an audit, to which all sessions append.
//!
//! A writer locks the file, and reads its end to find the last line, unless it wrote that line
//! itself. Under the same lock a full file gets a numbered name. A writer that waited for the lock
//! then sees that the name belongs to another file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use blake3::Hash;

use super::line;
use super::tail::{self, FIRST};
use crate::state::{is_open_to_others, is_own_or_roots, take_lock};

/// Longest wait for other writers: each needs some microseconds.
const PATIENCE: Duration = Duration::from_secs(2);

/// Retries before a repeatedly replaced file is treated as tampering.
const ATTEMPTS: usize = 64;

pub(super) struct ChainPosition {
    pub(super) seq: u64,
    pub(super) previous: Hash,
}

pub(super) struct Chain {
    path: PathBuf,
    rotate_bytes: u64,
    keep: u32,
    open: Option<OpenChain>,
}

struct OpenChain {
    file: File,
    id: FileIdentity,
    /// The length of the file and the place of the next line, after this session's last write.
    known: Option<(u64, ChainPosition)>,
}

struct FileEnd {
    length: u64,
    next: ChainPosition,
    /// Bytes that a crash left, closed off by now.
    torn: Option<usize>,
}

impl Chain {
    pub(super) fn new(path: PathBuf, rotate_bytes: u64, keep: u32) -> Self {
        Self { path, rotate_bytes: rotate_bytes.max(1), keep: keep.max(1), open: None }
    }

    pub(super) fn begin(&mut self) -> io::Result<Option<usize>> {
        self.locked(|open, end| {
            open.known = Some((end.length, end.next));
            Ok(end.torn)
        })
    }

    pub(super) fn append(&mut self, sync: bool, text: impl Fn(&ChainPosition) -> Vec<u8>) -> io::Result<u64> {
        self.rotate_if_full()?;
        self.locked(|open, end| {
            let seq = end.next.seq;
            let line = text(&end.next);
            let length = write(&mut open.file, end.length, &line)?;
            if sync {
                open.file.sync_data()?;
            }
            open.known = Some((length, ChainPosition { seq: seq + 1, previous: blake3::hash(&line) }));
            Ok(seq)
        })
    }

    /// Runs `act` at the end of the file that has the name now, under its lock.
    fn locked<T>(&mut self, act: impl FnOnce(&mut OpenChain, FileEnd) -> io::Result<T>) -> io::Result<T> {
        for _ in 0..ATTEMPTS {
            let mut open = match self.open.take() {
                Some(open) => open,
                None => OpenChain::at(&self.path)?,
            };
            if !take_lock(&open.file, PATIENCE)? {
                self.open = Some(open);
                return Err(io::Error::other("somebody else holds its lock"));
            }
            if FileIdentity::at(&self.path).as_ref() != Some(&open.id) {
                continue;
            }
            let end = self.end(&mut open);
            let done = end.and_then(|end| act(&mut open, end));
            if done.is_err() {
                open.known = None;
            }
            let unlocked = open.file.unlock();
            // Close a file that cannot be unlocked.
            self.open = unlocked.is_ok().then_some(open);
            return done;
        }
        Err(io::Error::other("its name stands for another file each time"))
    }

    fn end(&self, open: &mut OpenChain) -> io::Result<FileEnd> {
        let length = open.file.metadata()?.len();
        if let Some((known, next)) = open.known.take()
            && known == length
        {
            return Ok(FileEnd { length, next, torn: None });
        }
        let tail = tail::read(&mut open.file, length)?;
        let (seq, previous) = match tail.last {
            Some(last) => last,
            None => self.before()?,
        };
        let next = ChainPosition { seq: seq + 1, previous };
        if tail.torn.is_empty() {
            return Ok(FileEnd { length, next, torn: None });
        }
        if let Some(previous) = tail.unended {
            let length = write(&mut open.file, length, b"")?;
            return Ok(FileEnd { length, next: ChainPosition { seq: seq + 2, previous }, torn: None });
        }
        let line = line::torn(&next, SystemTime::now(), &tail.torn);
        let length = write(&mut open.file, length, &[b"\n", &line[..]].concat())?;
        let next = ChainPosition { seq: next.seq + 1, previous: blake3::hash(&line) };
        Ok(FileEnd { length, next, torn: Some(tail.torn.len()) })
    }

    /// The last line of the previous file, while the current one is empty.
    fn before(&self) -> io::Result<(u64, Hash)> {
        let mut file = match File::open(numbered(&self.path, 1)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((0, FIRST)),
            file => file?,
        };
        let length = file.metadata()?.len();
        let tail = tail::read(&mut file, length)?;
        tail.last.ok_or_else(|| io::Error::other("the file before it has no line"))
    }

    fn rotate_if_full(&mut self) -> io::Result<()> {
        let is_full = |length| length >= self.rotate_bytes;
        // Another session may have written since; it checked the size itself.
        let last = self.open.as_ref().and_then(|open| open.known.as_ref());
        if !last.is_some_and(|(length, _)| is_full(*length)) {
            return Ok(());
        }
        let (path, keep, full) = (self.path.clone(), self.keep, self.rotate_bytes);
        self.locked(|open, end| {
            if end.length >= full {
                // Lines matter more than rotation: a file that cannot be renamed grows.
                let _ = shift(&path, keep);
            }
            open.known = Some((end.length, end.next));
            Ok(())
        })
    }
}

/// Renames each full file to the next number, over the last one.
fn shift(path: &Path, keep: u32) -> io::Result<()> {
    let is_there = |number: &u32| numbered(path, *number).symlink_metadata().is_ok();
    let free = (1..=keep).find(|number| !is_there(number)).unwrap_or(keep);
    for number in (1..free).rev() {
        fs::rename(numbered(path, number), numbered(path, number + 1))?;
    }
    fs::rename(path, numbered(path, 1))
}

pub(super) fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

/// Writes a line with its end, or nothing, and returns the new length.
fn write(file: &mut File, length: u64, line: &[u8]) -> io::Result<u64> {
    let whole = [line, b"\n"].concat();
    if let Err(error) = file.write_all(&whole) {
        // If this fails too, the next writer finds a torn line.
        let _ = file.set_len(length);
        return Err(error);
    }
    Ok(length + whole.len() as u64)
}

impl OpenChain {
    fn at(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        private(&mut options);
        let file = options.open(path)?;
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        if !is_own_or_roots(&found) || is_open_to_others(&found) {
            return Err(io::Error::other("somebody else can write to it"));
        }
        Ok(Self { file, id: FileIdentity::of(&found), known: None })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct FileIdentity(u64, u64);

impl FileIdentity {
    fn at(path: &Path) -> Option<Self> {
        fs::symlink_metadata(path).ok().map(|found| Self::of(&found))
    }

    #[cfg(unix)]
    fn of(found: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(found.dev(), found.ino())
    }

    /// Without inodes, other sessions do not notice a rotation, and full files grow.
    #[cfg(not(unix))]
    fn of(_: &fs::Metadata) -> Self {
        Self(0, 0)
    }
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    // Refuse links, and pipes without a reader.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    options.mode(0o600).custom_flags(flags.bits().cast_signed());
}

#[cfg(not(unix))]
fn private(_: &mut OpenOptions) {}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, symlink};
    use std::thread;

    use super::super::verify::verify;
    use super::*;

    struct Scratch(tempfile::TempDir);

    impl Scratch {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn path(&self) -> PathBuf {
            self.0.path().join("a.jsonl")
        }

        fn chain(&self, rotate_bytes: u64, keep: u32) -> Chain {
            Chain::new(self.path(), rotate_bytes, keep)
        }

        fn text(&self) -> String {
            fs::read_to_string(self.path()).unwrap()
        }

        fn whole(&self) -> Vec<u8> {
            let mut names: Vec<_> = (1..100)
                .map(|number| numbered(&self.path(), number))
                .take_while(|path| path.exists())
                .collect();
            names.reverse();
            names.push(self.path());
            names.iter().flat_map(|name| fs::read(name).unwrap()).collect()
        }

        fn is_good(&self) -> u64 {
            let report = verify(&mut &self.whole()[..], None, None).unwrap();
            assert_eq!(report.bad, None);
            report.lines
        }
    }

    fn text(at: &ChainPosition) -> Vec<u8> {
        format!(r#"{{"seq":{},"previous":"{}","event":"call"}}"#, at.seq, at.previous).into_bytes()
    }

    #[test]
    fn lines_go_on_over_restarts_and_files() {
        let scratch = Scratch::new();
        for round in 0..5 {
            let mut chain = scratch.chain(400, 100);
            assert_eq!(chain.begin().unwrap(), None);
            for n in 1..=7 {
                assert_eq!(chain.append(n % 2 == 0, text).unwrap(), round * 7 + n);
            }
        }
        assert_eq!(scratch.is_good(), 35);
        assert!(scratch.text().len() < 600 && scratch.text().lines().count() < 6);
        assert_eq!(fs::metadata(scratch.path()).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn the_oldest_files_go() {
        let scratch = Scratch::new();
        let mut chain = scratch.chain(1, 3);
        for _ in 0..10 {
            chain.append(false, text).unwrap();
        }
        let names = fs::read_dir(scratch.0.path()).unwrap().count();
        assert_eq!(names, 4);
        let report = verify(&mut &scratch.whole()[..], None, None).unwrap();
        assert_eq!((report.first, report.last, report.bad), (Some(7), Some(10), None));
    }

    #[test]
    fn what_a_crash_has_cut_off_is_closed_off() {
        for cut in 1..60 {
            let scratch = Scratch::new();
            let mut chain = scratch.chain(1 << 20, 1);
            for _ in 0..3 {
                chain.append(false, text).unwrap();
            }
            let whole = scratch.text();
            let file = OpenOptions::new().write(true).open(scratch.path()).unwrap();
            file.set_len(whole.len() as u64 - cut).unwrap();
            // One chain was open meanwhile, another is opened later.
            let mut later = scratch.chain(1 << 20, 1);
            let found = if cut % 2 == 0 { later.begin().unwrap() } else { None };
            // A line without its end only is complete.
            assert!(cut == 1 || cut % 2 == 1 || found.is_some(), "{cut}");
            chain.append(false, text).unwrap();
            let report = verify(&mut scratch.text().as_bytes(), None, None).unwrap();
            assert_eq!((report.bad, report.torn), (None, u64::from(cut > 1)), "{cut}: {}", scratch.text());
        }
    }

    #[test]
    fn closing_off_may_be_cut_off_as_well() {
        let scratch = Scratch::new();
        scratch.chain(1 << 20, 1).append(false, text).unwrap();
        for cut in 1..200 {
            let mut file = OpenOptions::new().append(true).open(scratch.path()).unwrap();
            file.write_all(b"{\"seq\":").unwrap();
            assert_eq!(scratch.chain(1 << 20, 1).begin().unwrap(), Some(7));
            file.set_len(scratch.text().len() as u64 - cut).unwrap();
            scratch.chain(1 << 20, 1).append(false, text).unwrap();
            scratch.is_good();
        }
    }

    #[test]
    fn many_that_write_one_file_make_one_chain() {
        let scratch = Scratch::new();
        thread::scope(|scope| {
            for _ in 0..6 {
                let mut chain = scratch.chain(2000, 1000);
                scope.spawn(move || {
                    for _ in 0..100 {
                        chain.append(false, text).unwrap();
                    }
                });
            }
        });
        assert_eq!(scratch.is_good(), 600);
    }

    #[test]
    fn a_file_that_was_moved_away_is_followed_by_another() {
        let scratch = Scratch::new();
        let mut chain = scratch.chain(1 << 20, 1);
        chain.append(false, text).unwrap();
        fs::rename(scratch.path(), scratch.0.path().join("elsewhere")).unwrap();
        assert_eq!(chain.append(false, text).unwrap(), 1, "nothing tells what was before");
        assert_eq!(scratch.text().lines().count(), 1);
    }

    #[test]
    fn what_is_no_file_of_ours_is_not_written() {
        let scratch = Scratch::new();
        let target = scratch.0.path().join("target");
        fs::write(&target, "").unwrap();
        symlink(&target, scratch.path()).unwrap();
        assert!(scratch.chain(1, 1).begin().is_err(), "a link");
        fs::remove_file(scratch.path()).unwrap();
        fs::create_dir(scratch.path()).unwrap();
        assert!(scratch.chain(1, 1).begin().is_err(), "a directory");
        fs::remove_dir(scratch.path()).unwrap();
        fs::write(scratch.path(), "some other text\n").unwrap();
        assert!(scratch.chain(1, 1).begin().is_err(), "another short file");
        fs::write(scratch.path(), r#"{"se"#).unwrap();
        assert_eq!(scratch.chain(1, 1).begin().unwrap(), Some(4), "a first line that was cut off");
        fs::write(scratch.path(), "x\n".repeat(1 << 20)).unwrap();
        assert!(scratch.chain(1, 1).begin().is_err(), "another file");
        let made = std::process::Command::new("mkfifo").arg(scratch.0.path().join("fifo")).status().unwrap();
        assert!(made.success());
        assert!(Chain::new(scratch.0.path().join("fifo"), 1, 1).begin().is_err(), "a pipe");
    }
}
