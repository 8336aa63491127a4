//! The exclusive right to change a state directory, if the operating system keeps no locks for it.
//!
//! The directory `locks/` holds files whose names are numbers. Each is a [`LeaseRecord`]: an owner
//! and the end of its lease, or no owner. The highest number counts, and no file is changed in
//! place:
//!
//! 1. List, and read the highest number `n`. Until its lease ends, another owner has the lock.
//! 2. Write a record under a name of its own, and link it to the next number. Only one process can,
//!    and the record is complete at once.
//! 3. Read `n` and list again. A slow process finds another record and withdraws its own, or a
//!    higher number and leaves its own behind.
//! 4. Remove the lower numbers, the lowest first, and the remains of others.
//!
//! This is safe because no process removes a record that another one can still build on: a
//! successor removes lower ones only, and a process its own, the highest, only while its unused
//! lease lasts. So no number is used twice, and a process that still finds `n` unchanged is the
//! first to follow it. To release is to link a free record to the next number; to renew is to link
//! another own one.
//!
//! Others wait for a dead owner until its lease ends. An owner checks both clocks, and stops
//! [`LEASE_GRACE`] earlier. A damaged record counts as a lease from its modification time. Objects
//! with a number that are no files are skipped.
//!
//! A process that holds the lock of the operating system has no number, but a lease `in_place`. An
//! owner of a number reads that as well, and waits.
//!
//! Limits: an owner that sleeps longer than [`LEASE_GRACE`] between its check and its write, clocks
//! that are set meanwhile, and a person who changes this directory.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::{ControlFlow, Deref};
use std::rc::Rc;
use std::time::Duration;

use self::record::LeaseRecord;
use fsgate_contract::limits::{LEASE, LEASE_AHEAD, LEASE_GRACE, LOCK_PAUSES, LOCK_RECORD_BYTES};
use fsgate_volume::bytes::write_all;
use fsgate_volume::{Access, Fault, Kind, Listed, Volume};

mod call_guard;
mod in_place;
#[cfg(test)]
mod model;
mod record;
#[cfg(test)]
mod scheduled_volume;
#[cfg(test)]
mod tests;

pub use self::call_guard::{CallGuard, HeldLease, Leases};
pub use self::in_place::InPlaceLease;

/// The number in a new directory `locks`.
pub const FIRST: &str = "1";

/// The file of the lease in place.
pub const IN_PLACE: &str = "lease";

/// The content of a new file of either kind. Later leases in place use its space on a full disk.
pub fn unlocked() -> String {
    LeaseRecord::free(0).to_text()
}

/// True for a complete record.
pub fn is_record(bytes: &[u8]) -> bool {
    LeaseRecord::from_bytes(bytes).is_some()
}

/// A lease. Dropping it releases it.
pub struct Lease<H: Deref<Target: Volume> + Clone> {
    locks: LeaseLocks<H>,
    owner: u128,
    record: LeaseRecord,
    number: u64,
    next: Option<u64>,
    /// The begin by the monotonic clock, and the end by the wall clock.
    begin: Duration,
    end: Duration,
    /// The fault of the last renewal.
    failed: Option<Fault>,
    given_back: bool,
}

/// The reason why there is no lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseRefused {
    /// Another owner holds it.
    Held,
    /// The volume failed.
    Fault(Fault),
}

impl From<Fault> for LeaseRefused {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl LeaseFile {
    /// True if it excludes others at this time.
    fn lasts(&self, wall: Duration) -> bool {
        let end = match self {
            Self::LeaseRecord(record) => record.end,
            // A process may be writing it.
            Self::Damaged(modified) => modified.saturating_add(LEASE),
        };
        wall < end && end <= wall.saturating_add(LEASE_AHEAD)
    }
}

/// The locks of a state directory.
pub struct LeaseLocks<H: Deref<Target: Volume> + Clone> {
    volume: H,
    /// The state directory.
    root: <H::Target as Volume>::Directory,
    /// The directory of numbered records.
    directory: <H::Target as Volume>::Directory,
    /// The number of a free record; 0 at first.
    free: Rc<Cell<u64>>,
}

impl<H: Deref<Target: Volume> + Clone> Clone for LeaseLocks<H> {
    fn clone(&self) -> Self {
        let Self { volume, root, directory, free } = self;
        Self { volume: volume.clone(), root: root.clone(), directory: directory.clone(), free: free.clone() }
    }
}

/// A wait for another owner.
struct Patience {
    begin: Duration,
    most: Duration,
    waited: Duration,
    pause: Duration,
}

impl Patience {
    fn new<V: Volume + ?Sized>(volume: &V, most: Duration) -> Self {
        Self { begin: volume.now(), most, waited: Duration::ZERO, pause: LOCK_PAUSES.0 }
    }

    /// Pauses before the next attempt, unless the patience is at its end.
    fn pause<V: Volume + ?Sized>(&mut self, volume: &V) -> Result<(), LeaseRefused> {
        // A clock that does not move must not make this endless.
        self.waited = self.waited.max(volume.now().saturating_sub(self.begin));
        if self.waited >= self.most {
            return Err(LeaseRefused::Held);
        }
        let time = self.pause.min(self.most - self.waited);
        volume.pause(time);
        self.waited += time;
        self.pause = (self.pause * 2).min(LOCK_PAUSES.1);
        Ok(())
    }
}

impl<H: Deref<Target: Volume> + Clone> LeaseLocks<H> {
    /// The locks in a state directory and its directory `locks`.
    pub fn new(
        volume: H,
        root: <H::Target as Volume>::Directory,
        directory: <H::Target as Volume>::Directory,
    ) -> Self {
        Self { volume, root, directory, free: Rc::default() }
    }

    /// Takes a numbered lease, and waits for it up to `patience`. `owner` is for people.
    pub fn take(&self, owner: u128, patience: Duration) -> Result<Lease<H>, LeaseRefused> {
        let mut patience = Patience::new(&*self.volume, patience);
        let mut lease = loop {
            if let Some(lease) = self.attempt(owner)? {
                break lease;
            }
            patience.pause(&*self.volume)?;
        };
        while self.is_held_in_place()? {
            patience.pause(&*self.volume)?;
            lease.renew()?;
        }
        Ok(lease)
    }
}

impl<H: Deref<Target: Volume> + Clone> Lease<H> {
    /// True while no other owner can have taken the lease. Reads both clocks.
    pub fn is_mine(&self) -> bool {
        let passed = self.locks.volume.now().saturating_sub(self.begin);
        let lasts = self.locks.volume.wall().saturating_add(LEASE_GRACE) < self.end;
        !self.given_back && lasts && passed < LEASE - LEASE_GRACE
    }

    /// Makes sure that the lease lasts for [`LEASE_GRACE`] at least. To be called before every
    /// write. During the first half of the lease this only reads the clocks. After an error nothing
    /// may be written, unless [`is_mine`] still holds.
    ///
    /// [`is_mine`]: Self::is_mine
    pub fn renew(&mut self) -> Result<(), LeaseRefused> {
        if !self.is_mine() {
            return Err(self.failed.clone().map_or(LeaseRefused::Held, LeaseRefused::Fault));
        }
        if self.locks.volume.now().saturating_sub(self.begin) < LEASE / 2 {
            return Ok(());
        }
        let renewed = self.follow();
        self.failed = match &renewed {
            Err(LeaseRefused::Fault(fault)) => Some(fault.clone()),
            _ => None,
        };
        renewed
    }

    fn follow(&mut self) -> Result<(), LeaseRefused> {
        // A successor has removed it, and its number may be in use again.
        let Some(found) = self.locks.read(self.number)?.filter(|found| self.is_own(found)) else {
            self.given_back = true;
            return Err(LeaseRefused::Held);
        };
        for _ in 0..RENEWALS {
            let next = self.next.ok_or_else(used_up)?;
            let last = Some((self.number, &found));
            if let Some(mut renewed) = self.locks.claim(last, next, self.owner)? {
                // The old and the new lease are one.
                renewed.given_back = true;
                (self.record, self.number, self.next) =
                    (renewed.record.clone(), renewed.number, renewed.next);
                (self.begin, self.end) = (renewed.begin, renewed.end);
                return Ok(());
            }
        }
        Err(LeaseRefused::Held)
    }

    fn is_own(&self, found: &LeaseFile) -> bool {
        matches!(found, LeaseFile::LeaseRecord(record) if *record == self.record)
    }

    /// Releases the lease. If that fails, others wait until it ends.
    pub fn release(mut self) -> Result<(), Fault> {
        self.release_once()
    }

    fn release_once(&mut self) -> Result<(), Fault> {
        // The next number may belong to another owner.
        if !self.is_mine() {
            return Ok(());
        }
        self.given_back = true;
        let Some(next) = self.next else { return Ok(()) };
        let free = LeaseRecord::free(self.locks.volume.random());
        // If the number is taken, its record counts instead.
        self.locks.put(&free, next).map(|_| ())
    }
}

impl<H: Deref<Target: Volume> + Clone> Drop for Lease<H> {
    fn drop(&mut self) {
        // No caller is left to get the fault; the lease ends by itself.
        let _ = self.release_once();
    }
}

impl<H: Deref<Target: Volume> + Clone> fmt::Debug for Lease<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("number", &self.number).field("end", &self.end).finish_non_exhaustive()
    }
}

/// Attempts to renew. One can fail while a slow process still cleans up.
const RENEWALS: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
enum LeaseFile {
    LeaseRecord(LeaseRecord),
    /// No complete record, since this time.
    Damaged(Duration),
}

fn number(name: &str) -> Option<u64> {
    name.parse().ok().filter(|number: &u64| number.to_string() == name)
}

fn unnumbered(record: &LeaseRecord) -> String {
    format!("{UNNUMBERED}{:032x}", record.nonce)
}

const UNNUMBERED: &str = "new-";

fn is_unnumbered(name: &str) -> bool {
    let digits = name.strip_prefix(UNNUMBERED);
    digits.is_some_and(|digits| digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

impl<H: Deref<Target: Volume> + Clone> LeaseLocks<H> {
    fn attempt(&self, owner: u128) -> Result<Option<Lease<H>>, LeaseRefused> {
        let listing = self.list()?;
        let Some(&highest) = listing.numbers.last() else {
            return self.claim(None, listing.after(0).ok_or_else(used_up)?, owner);
        };
        match self.read(highest)? {
            Some(found) if !self.lasts(&found) => {
                let next = listing.after(highest).ok_or_else(used_up)?;
                self.claim(Some((highest, &found)), next, owner)
            }
            _ => Ok(None),
        }
    }

    fn claim(
        &self,
        last: Option<(u64, &LeaseFile)>,
        number: u64,
        owner: u128,
    ) -> Result<Option<Lease<H>>, LeaseRefused> {
        let (begin, wall) = (self.volume.now(), self.volume.wall());
        let record = LeaseRecord::held(self.volume.random(), owner, wall.saturating_add(LEASE));
        if !self.put(&record, number)? {
            return Ok(None);
        }
        let (locks, end) = (self.clone(), record.end);
        let mut lease =
            Lease { locks, owner, record, number, next: None, begin, end, failed: None, given_back: false };
        let verified = self.is_last(last).and_then(|is_last| Ok((is_last, self.list()?)));
        let listing = match verified {
            Ok((true, listing)) if listing.numbers.last() == Some(&number) => listing,
            doubtful => {
                // A lower record stays for the next owner: a process that has built on it checks
                // that it exists, and gives up otherwise. If both were removed, both numbers would
                // be free again for a slow process.
                let is_lower =
                    matches!(&doubtful, Ok((_, listing)) if listing.numbers.last() > Some(&number));
                if !is_lower && lease.is_mine() {
                    let _ = self.volume.remove_file(&self.directory, &number.to_string());
                }
                lease.given_back = true;
                return doubtful.map(|_| None).map_err(LeaseRefused::Fault);
            }
        };
        lease.next = listing.after(number);
        self.clean(&listing, number);
        Ok(Some(lease).filter(Lease::is_mine))
    }

    /// True if the last number is unchanged, so that none follows it.
    fn is_last(&self, last: Option<(u64, &LeaseFile)>) -> Result<bool, Fault> {
        last.map_or(Ok(true), |(number, found)| Ok(self.read(number)?.as_ref() == Some(found)))
    }

    /// Links a complete record to a number. Returns false if the number is taken or the record was
    /// cleaned away.
    fn put(&self, record: &LeaseRecord, number: u64) -> Result<bool, Fault> {
        let (new, name) = (unnumbered(record), number.to_string());
        let file = self.volume.create_file(&self.directory, &new)?;
        let linked = self
            .fill(&file, record)
            .and_then(|()| self.volume.link_file(&self.directory, &new, &self.directory, &name));
        let _ = self.volume.remove_file(&self.directory, &new);
        match linked {
            Ok(()) => Ok(true),
            Err(Fault::Exists | Fault::NotFound) => Ok(false),
            Err(Fault::Unsupported | Fault::NotPermitted) => self.put_without_links(record, &name),
            Err(fault) => Err(fault),
        }
    }

    /// The same on a volume without links. Until the content is complete, the number counts as a
    /// damaged record.
    fn put_without_links(&self, record: &LeaseRecord, name: &str) -> Result<bool, Fault> {
        match self.volume.create_file(&self.directory, name) {
            Ok(file) => self.fill(&file, record).map(|()| true),
            Err(Fault::Exists) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    fn fill(&self, file: &<H::Target as Volume>::File, record: &LeaseRecord) -> Result<(), Fault> {
        write_all(&*self.volume, file, 0, record.to_text().as_bytes()).map_err(|(fault, _)| fault)
    }

    fn read(&self, number: u64) -> Result<Option<LeaseFile>, Fault> {
        let file = match self.volume.open_file(&self.directory, &number.to_string(), Access::Read) {
            Ok(file) => file,
            Err(Fault::NotFound) => return Ok(None),
            Err(fault) => return Err(fault),
        };
        self.parsed(&self.first_bytes(&file)?, &file).map(Some)
    }

    fn first_bytes(&self, file: &<H::Target as Volume>::File) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        while bytes.len() < LOCK_RECORD_BYTES {
            let more = self.volume.read_at(file, bytes.len() as u64, LOCK_RECORD_BYTES)?;
            if more.is_empty() {
                break;
            }
            bytes.extend(more);
        }
        Ok(bytes)
    }

    fn parsed(&self, bytes: &[u8], file: &<H::Target as Volume>::File) -> Result<LeaseFile, Fault> {
        match LeaseRecord::from_bytes(bytes) {
            Some(record) => Ok(LeaseFile::LeaseRecord(record)),
            None => Ok(LeaseFile::Damaged(self.volume.stat_file(file)?.modified.unwrap_or_default())),
        }
    }

    fn lasts(&self, found: &LeaseFile) -> bool {
        found.lasts(self.volume.wall())
    }

    fn list(&self) -> Result<LockListing, Fault> {
        let mut listing = LockListing::default();
        self.volume.each_entry(&self.directory, &mut |entry| {
            if let Listed::Name(name, kind) = entry {
                match number(name) {
                    Some(number) if kind == Kind::File => _ = listing.numbers.insert(number),
                    Some(number) => _ = listing.foreign.insert(number),
                    None if kind == Kind::File && is_unnumbered(name) => {
                        listing.unnumbered.push(name.to_owned());
                    }
                    None => {}
                }
            }
            ControlFlow::Continue(())
        })?;
        Ok(listing)
    }

    /// Removes the records below `number`, and those without a number. The next owner repeats what
    /// fails.
    fn clean(&self, listing: &LockListing, number: u64) {
        for lower in listing.numbers.range(..number) {
            match self.volume.remove_file(&self.directory, &lower.to_string()) {
                Ok(()) | Err(Fault::NotFound) => {}
                Err(_) => return,
            }
        }
        for name in &listing.unnumbered {
            let _ = self.volume.remove_file(&self.directory, name);
        }
    }
}

#[derive(Default)]
struct LockListing {
    numbers: BTreeSet<u64>,
    /// Numbers of directories, links and devices.
    foreign: BTreeSet<u64>,
    unnumbered: Vec<String>,
}

impl LockListing {
    fn after(&self, number: u64) -> Option<u64> {
        let mut next = number.checked_add(1)?;
        while self.foreign.contains(&next) {
            next = next.checked_add(1)?;
        }
        Some(next)
    }
}

fn used_up() -> Fault {
    let last = u64::MAX;
    Fault::Io(format!("no lock comes after number {last}; remove that file while nothing else runs"))
}
