//! The lease of the process that holds the operating system's lock of the state directory.
//!
//! Only one process has that lock, so it writes its [`LeaseRecord`] in place, into the file
//! `lease`, and a successor replaces a dead owner's record at once. It excludes the owners of
//! numbered leases, which have no such lock: each side writes its record before it reads the
//! other's. If both find a record, this side withdraws its own, and the owner of the number waits.
//!
//! An owner that slept past the end of its record goes on if no higher number appeared since it
//! took the lease. It judges its record by the wall clock alone, as others do: the monotonic one
//! stands still while a machine is suspended, and jumps when a call is cancelled.

use std::ops::Deref;
use std::time::Duration;

use super::record::LeaseRecord;
use super::{IN_PLACE, LeaseFile, LeaseLocks, LeaseRefused, Patience};
use fsgate_contract::limits::{LEASE, LEASE_GRACE};
use fsgate_volume::{Access, Fault, Volume};

/// Attempts to find a free number. One can fail while another process renews or cleans up.
const LOOKS: usize = 4;

/// A lease in place. Dropping it releases it.
pub struct InPlaceLease<H: Deref<Target: Volume> + Clone> {
    locks: LeaseLocks<H>,
    file: <H::Target as Volume>::File,
    owner: u128,
    begin: Duration,
    pub(super) end: Duration,
    /// The highest number when this lease began.
    highest: u64,
    is_lost: bool,
}

impl<H: Deref<Target: Volume> + Clone> LeaseLocks<H> {
    /// Takes the lease of the process that holds the operating system's lock, and waits up to
    /// `patience` for the owner of a number.
    pub fn take_in_place(&self, owner: u128, patience: Duration) -> Result<InPlaceLease<H>, LeaseRefused> {
        let mut patience = Patience::new(&*self.volume, patience);
        loop {
            let mut lease = InPlaceLease {
                locks: self.clone(),
                file: self.volume.open_file(&self.root, IN_PLACE, Access::Write)?,
                owner,
                begin: Duration::ZERO,
                end: Duration::ZERO,
                highest: 0,
                is_lost: false,
            };
            lease.write()?;
            if let Some(highest) = self.free_number(owner)?
                && lease.is_mine()
            {
                lease.highest = highest;
                return Ok(lease);
            }
            drop(lease);
            patience.pause(&*self.volume)?;
        }
    }

    /// The highest number, if it is free. An ended lease is superseded, so that its owner notices.
    ///
    /// A listing that has a free number is enough, even if it is torn: the owner of a later number
    /// removes this one before it reads the lease in place. So a number is used if there is none.
    fn free_number(&self, owner: u128) -> Result<Option<u64>, LeaseRefused> {
        for _ in 0..LOOKS {
            let highest = self.list()?.numbers.last().copied().unwrap_or(0);
            // No record changes under its number.
            if highest > 0 && self.free.get() == highest {
                return Ok(Some(highest));
            }
            let found = if highest > 0 { self.read(highest)? } else { None };
            match found {
                Some(LeaseFile::LeaseRecord(record)) if record.owner.is_none() => self.free.set(highest),
                Some(found) if self.lasts(&found) => return Ok(None),
                None if highest > 0 => {}
                _ => {
                    if let Some(lease) = self.attempt(owner)? {
                        lease.release()?;
                    }
                }
            }
        }
        Ok(None)
    }

    /// True while the lease in place excludes the owners of numbers.
    pub(super) fn is_held_in_place(&self) -> Result<bool, Fault> {
        // The time precedes the record, which may be renewed before a slow process looks at it.
        let wall = self.volume.wall();
        // Shared file systems compare a file with its server when it is opened.
        let file = self.volume.open_file(&self.root, IN_PLACE, Access::Read)?;
        let bytes = self.first_bytes(&file)?;
        // A longer record may have been here.
        let line = bytes.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
        Ok(!line.is_empty() && self.parsed(line, &file)?.lasts(wall))
    }
}

impl<H: Deref<Target: Volume> + Clone> InPlaceLease<H> {
    /// True while no other owner can have taken the lease. Reads the clock.
    pub fn is_mine(&self) -> bool {
        !self.is_lost && self.lasted(self.begin, self.end)
    }

    /// Makes sure that the lease lasts for [`LEASE_GRACE`] at least. During the first half of the
    /// lease this only reads the clock. After an error nothing may be written, unless [`is_mine`]
    /// still holds.
    ///
    /// [`is_mine`]: Self::is_mine
    pub fn renew(&mut self) -> Result<(), LeaseRefused> {
        if self.is_lost {
            return Err(LeaseRefused::Held);
        }
        let wall = self.locks.volume.wall();
        if self.begin <= wall && wall < self.begin.saturating_add(LEASE / 2) {
            return Ok(());
        }
        let (begin, end) = (self.begin, self.end);
        self.write()?;
        // The process may have slept before it wrote.
        if self.lasted(begin, end) {
            return Ok(());
        }
        match self.locks.free_number(self.owner) {
            Ok(Some(highest)) if highest == self.highest => Ok(()),
            found => {
                (self.begin, self.end) = (begin, end);
                self.is_lost = !matches!(found, Err(LeaseRefused::Fault(_)));
                let _ = self.locks.fill(&self.file, &LeaseRecord::held(0, self.owner, end));
                Err(found.err().unwrap_or(LeaseRefused::Held))
            }
        }
    }

    /// True if a record with this begin and end still excludes others.
    fn lasted(&self, begin: Duration, end: Duration) -> bool {
        let wall = self.locks.volume.wall();
        begin <= wall && wall.saturating_add(LEASE_GRACE) < end
    }

    fn write(&mut self) -> Result<(), Fault> {
        let begin = self.locks.volume.wall();
        let end = begin.saturating_add(LEASE);
        self.locks.fill(&self.file, &LeaseRecord::held(0, self.owner, end))?;
        (self.begin, self.end) = (begin, end);
        Ok(())
    }
}

impl<H: Deref<Target: Volume> + Clone> Drop for InPlaceLease<H> {
    fn drop(&mut self) {
        // A lost lease has its old end.
        if !self.is_lost {
            let _ = self.locks.fill(&self.file, &LeaseRecord::free(0));
        }
    }
}
