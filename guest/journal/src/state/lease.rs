//! The exclusive right to change what a state directory stands for, where no operating system keeps locks for us.
//!
//! The directory `locks/` holds files whose names are numbers. Each is a [`Record`]: of an owner and when its lease ends, or
//! that nobody owns. The highest number counts, and nothing is ever changed in place:
//!
//! 1. List, and read the highest number `n`. While its lease lasts, somebody else owns.
//! 2. Write a record under a name of its own, and link it to the next number: only one can, and it is complete at once.
//! 3. Read `n` again, and list again. Whoever was too slow finds another record, and withdraws its own, or a higher number, and
//!    leaves its own behind.
//! 4. Remove the lower numbers, the lowest first, and what others have left behind.
//!
//! This is safe because no record is removed that another one may still be built on: only lower ones by their successor, and
//! one's own, the highest, before it was ever relied on, while nobody can take its lease for over. So no number is used twice. So who still finds `n` as it was is the
//! first to follow it. Giving back is linking a free record to the next number, renewing is linking another one of one's own.
//!
//! An owner that died is waited for until its lease is over. An owner looks at both clocks, and stops [`LEASE_GRACE`] earlier.
//! A damaged record counts for a lease's time after it was written. What has a number for its name and is no file is passed
//! over, and stays.
//!
//! What this cannot see: an owner that sleeps for longer than [`LEASE_GRACE`] between its look and its write, clocks that are
//! set meanwhile, and a person who changes this directory.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::{ControlFlow, Deref};
use std::time::Duration;

use self::record::Record;
use fsgate_contract::limits::{LEASE, LEASE_AHEAD, LEASE_GRACE, LOCK_PAUSES, LOCK_RECORD_BYTES};
use fsgate_volume::{Access, Fault, Kind, Listed, Volume};

#[cfg(test)]
mod model;
mod record;
#[cfg(test)]
mod stepped;
mod term;
#[cfg(test)]
mod tests;

pub use self::term::Leases;
pub use self::term::Term;

/// Exclusive right to change what a state directory stands for, for a while. Dropping it gives it back.
pub struct Lease<H: Deref<Target: Volume> + Clone> {
    locks: Locks<H>,
    owner: u128,
    record: Record,
    /// The number of the record, which counts, and the one that comes after it, if there is one.
    number: u64,
    next: Option<u64>,
    /// When it was made, by the clock that never goes back, and when it ends by the wall clock.
    begin: Duration,
    end: Duration,
    /// Why it could not be renewed when that was tried last.
    failed: Option<Fault>,
    given_back: bool,
}

/// Why there is no lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// Somebody else holds it.
    Held,
    /// The volume failed.
    Fault(Fault),
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Takes the lease, and waits for it up to `patience`. `directory` is for this alone; `owner` is only written down,
/// for people.
pub fn take<H: Deref<Target: Volume> + Clone>(
    volume: H,
    directory: &<H::Target as Volume>::Directory,
    owner: u128,
    patience: Duration,
) -> Result<Lease<H>, Refused> {
    let locks = Locks { volume: volume.clone(), directory: directory.clone() };
    let begin = volume.now();
    let (mut pause, longest) = LOCK_PAUSES;
    let mut waited = Duration::ZERO;
    loop {
        if let Some(lease) = locks.attempt(owner)? {
            return Ok(lease);
        }
        // A clock that stands still must not make this endless.
        waited = waited.max(volume.now().saturating_sub(begin));
        if waited >= patience {
            return Err(Refused::Held);
        }
        let time = pause.min(patience - waited);
        volume.pause(time);
        waited += time;
        pause = (pause * 2).min(longest);
    }
}

impl<H: Deref<Target: Volume> + Clone> Lease<H> {
    /// True as long as nobody else can have taken the lease: two looks at the clock.
    pub fn is_mine(&self) -> bool {
        let passed = self.locks.volume.now().saturating_sub(self.begin);
        let lasts = self.locks.volume.wall().saturating_add(LEASE_GRACE) < self.end;
        !self.given_back && lasts && passed < LEASE - LEASE_GRACE
    }

    /// Makes sure that the lease lasts for [`LEASE_GRACE`] at least; to be called before every write. Until half of the lease is
    /// over that is three looks at the clock. After an error nothing is to be written any more, unless it still [`is_mine`].
    ///
    /// [`is_mine`]: Self::is_mine
    pub fn renew(&mut self) -> Result<(), Refused> {
        if !self.is_mine() {
            return Err(self.failed.clone().map_or(Refused::Held, Refused::Fault));
        }
        if self.locks.volume.now().saturating_sub(self.begin) < LEASE / 2 {
            return Ok(());
        }
        let renewed = self.follow();
        self.failed = match &renewed {
            Err(Refused::Fault(fault)) => Some(fault.clone()),
            _ => None,
        };
        renewed
    }

    /// Puts another record of one's own behind the one that counts.
    fn follow(&mut self) -> Result<(), Refused> {
        // Whoever came after it has removed it, and another one may have got its number since.
        let Some(found) = self.locks.read(self.number)?.filter(|found| self.is_own(found)) else {
            self.given_back = true;
            return Err(Refused::Held);
        };
        for _ in 0..RENEWALS {
            let next = self.next.ok_or_else(used_up)?;
            let last = Some((self.number, &found));
            if let Some(mut renewed) = self.locks.claim(last, next, self.owner)? {
                // There is one lease still, and it is this one.
                renewed.given_back = true;
                (self.record, self.number, self.next) =
                    (renewed.record.clone(), renewed.number, renewed.next);
                (self.begin, self.end) = (renewed.begin, renewed.end);
                return Ok(());
            }
        }
        Err(Refused::Held)
    }

    fn is_own(&self, found: &Found) -> bool {
        matches!(found, Found::Record(record) if *record == self.record)
    }

    /// Gives the lease back. If that fails, others have to wait until it is over.
    pub fn release(mut self) -> Result<(), Fault> {
        self.give_back()
    }

    fn give_back(&mut self) -> Result<(), Fault> {
        // What is over is over: the next number may be somebody else's affair.
        if !self.is_mine() {
            return Ok(());
        }
        self.given_back = true;
        let Some(next) = self.next else { return Ok(()) };
        let free = Record::free(self.locks.volume.random());
        // If the number is taken, what took it counts more.
        self.locks.put(&free, next).map(|_| ())
    }
}

impl<H: Deref<Target: Volume> + Clone> Drop for Lease<H> {
    fn drop(&mut self) {
        // Nobody is left to tell; the lease ends by itself.
        let _ = self.give_back();
    }
}

impl<H: Deref<Target: Volume> + Clone> fmt::Debug for Lease<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("number", &self.number).field("end", &self.end).finish_non_exhaustive()
    }
}

/// Attempts to renew, all in all. One fails where somebody who was too slow is still cleaning up.
const RENEWALS: usize = 3;

/// What is under a number.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Found {
    Record(Record),
    /// No record, or half of one, since this time.
    Damaged(Duration),
}

struct Locks<H: Deref<Target: Volume> + Clone> {
    volume: H,
    directory: <H::Target as Volume>::Directory,
}

/// The number in a name, if it is written as one and no other way.
fn number(name: &str) -> Option<u64> {
    name.parse().ok().filter(|number: &u64| number.to_string() == name)
}

/// The name of a record that has no number yet.
fn unnumbered(record: &Record) -> String {
    format!("{UNNUMBERED}{:032x}", record.nonce)
}

const UNNUMBERED: &str = "new-";

fn is_unnumbered(name: &str) -> bool {
    let digits = name.strip_prefix(UNNUMBERED);
    digits.is_some_and(|digits| digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

impl<H: Deref<Target: Volume> + Clone> Locks<H> {
    /// Takes the lease, if nobody has it.
    fn attempt(&self, owner: u128) -> Result<Option<Lease<H>>, Refused> {
        let listing = self.list()?;
        let Some(&highest) = listing.numbers.last() else {
            return self.claim(None, listing.after(0).ok_or_else(used_up)?, owner);
        };
        match self.read(highest)? {
            Some(found) if !self.lasts(&found) => {
                let next = listing.after(highest).ok_or_else(used_up)?;
                self.claim(Some((highest, &found)), next, owner)
            }
            // Somebody owns, or was quicker.
            _ => Ok(None),
        }
    }

    /// Takes the number that comes after the last one, and the lease with it; none if somebody else was quicker.
    fn claim(
        &self,
        last: Option<(u64, &Found)>,
        number: u64,
        owner: u128,
    ) -> Result<Option<Lease<H>>, Refused> {
        let (begin, wall) = (self.volume.now(), self.volume.wall());
        let record = Record::held(self.volume.random(), owner, wall.saturating_add(LEASE));
        if !self.put(&record, number)? {
            return Ok(None);
        }
        let locks = Locks { volume: self.volume.clone(), directory: self.directory.clone() };
        let end = record.end;
        let mut lease =
            Lease { locks, owner, record, number, next: None, begin, end, failed: None, given_back: false };
        let verified = self.is_last(last).and_then(|is_last| Ok((is_last, self.list()?)));
        let listing = match verified {
            Ok((true, listing)) if listing.numbers.last() == Some(&number) => listing,
            doubtful => {
                // What is lower than another number stays for the next owner: whoever has built on it looks whether it is there, and gives up
                // if it is not. Then both numbers would be free, for others and for somebody slow who still means the old ones.
                let is_lower =
                    matches!(&doubtful, Ok((_, listing)) if listing.numbers.last() > Some(&number));
                // Later than that somebody may have built on it already, and it stays too.
                if !is_lower && lease.is_mine() {
                    let _ = self.volume.remove_file(&self.directory, &number.to_string());
                }
                lease.given_back = true;
                return doubtful.map(|_| None).map_err(Refused::Fault);
            }
        };
        lease.next = listing.after(number);
        self.clean(&listing, number);
        Ok(Some(lease).filter(Lease::is_mine))
    }

    /// True if the last number still is what it was, so that nobody can have come after it.
    fn is_last(&self, last: Option<(u64, &Found)>) -> Result<bool, Fault> {
        last.map_or(Ok(true), |(number, found)| Ok(self.read(number)?.as_ref() == Some(found)))
    }

    /// Gives a record a number, complete at once; false if the number is taken, or the record was cleaned away.
    fn put(&self, record: &Record, number: u64) -> Result<bool, Fault> {
        let (new, name) = (unnumbered(record), number.to_string());
        let file = self.volume.create_file(&self.directory, &new)?;
        let linked = self
            .fill(&file, record)
            .and_then(|()| self.volume.link_file(&self.directory, &new, &self.directory, &name));
        // What stays is cleaned away by the next owner.
        let _ = self.volume.remove_file(&self.directory, &new);
        match linked {
            Ok(()) => Ok(true),
            // An owner that cleans up has got in between.
            Err(Fault::Exists | Fault::NotFound) => Ok(false),
            Err(Fault::Unsupported | Fault::NotPermitted) => self.put_without_links(record, &name),
            Err(fault) => Err(fault),
        }
    }

    /// The same where files have one name only. Until its content is there the number counts as taken by a damaged record,
    /// that is for as long as by this one.
    fn put_without_links(&self, record: &Record, name: &str) -> Result<bool, Fault> {
        match self.volume.create_file(&self.directory, name) {
            Ok(file) => self.fill(&file, record).map(|()| true),
            Err(Fault::Exists) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    fn fill(&self, file: &<H::Target as Volume>::File, record: &Record) -> Result<(), Fault> {
        let text = record.to_text();
        let mut written = 0;
        while let Some(rest) = text.as_bytes().get(written..).filter(|rest| !rest.is_empty()) {
            match self.volume.write_at(file, written as u64, rest)? {
                0 => return Err(Fault::Io("the disk takes no bytes".to_owned())),
                more => written += more,
            }
        }
        Ok(())
    }

    /// What is under a number; none if nothing is.
    fn read(&self, number: u64) -> Result<Option<Found>, Fault> {
        let file = match self.volume.open_file(&self.directory, &number.to_string(), Access::Read) {
            Ok(file) => file,
            Err(Fault::NotFound) => return Ok(None),
            Err(fault) => return Err(fault),
        };
        let mut bytes = Vec::new();
        while bytes.len() < LOCK_RECORD_BYTES {
            let more = self.volume.read_at(&file, bytes.len() as u64, LOCK_RECORD_BYTES)?;
            if more.is_empty() {
                break;
            }
            bytes.extend(more);
        }
        match Record::from_bytes(&bytes) {
            Some(record) => Ok(Some(Found::Record(record))),
            None => Ok(Some(Found::Damaged(self.volume.stat_file(&file)?.modified.unwrap_or_default()))),
        }
    }

    /// True while what is under the highest number keeps others out.
    fn lasts(&self, found: &Found) -> bool {
        let wall = self.volume.wall();
        let end = match found {
            Found::Record(record) => record.end,
            // Somebody may be writing it.
            Found::Damaged(modified) => modified.saturating_add(LEASE),
        };
        wall < end && end <= wall.saturating_add(LEASE_AHEAD)
    }

    fn list(&self) -> Result<Listing, Fault> {
        let mut listing = Listing::default();
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

    /// Removes the records below `number`, and what has no number. Whatever fails is left for the next owner.
    fn clean(&self, listing: &Listing, number: u64) {
        for lower in listing.numbers.range(..number) {
            match self.volume.remove_file(&self.directory, &lower.to_string()) {
                Ok(()) | Err(Fault::NotFound) => {}
                // The higher ones stay with it.
                Err(_) => return,
            }
        }
        for name in &listing.unnumbered {
            let _ = self.volume.remove_file(&self.directory, name);
        }
    }
}

/// What is in the directory.
#[derive(Default)]
struct Listing {
    numbers: BTreeSet<u64>,
    /// Numbers that are the names of directories, links and devices.
    foreign: BTreeSet<u64>,
    unnumbered: Vec<String>,
}

impl Listing {
    /// The first number after this one that is free of foreign things.
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
