//! The leases of a running call.
//!
//! A call can take longer than a lease lasts, so every step on a volume renews its leases. If one
//! is lost, other processes take the call for dead and recover its changes, so no further step may
//! happen. Volumes without a state directory go on: no other process recovers those.

use std::cell::RefCell;
use std::rc::Rc;

use super::{InPlaceLease, Lease, LeaseRefused};
use fsgate_volume::{Fault, Volume};

/// A lease of either kind.
pub enum HeldLease<V: Volume> {
    /// The process has no other lock.
    Numbered(Lease<Rc<V>>),
    /// The process holds the operating system's lock.
    InPlace(InPlaceLease<Rc<V>>),
}

impl<V: Volume> HeldLease<V> {
    fn renew(&mut self) -> Result<(), LeaseRefused> {
        match self {
            Self::Numbered(lease) => lease.renew(),
            Self::InPlace(lease) => lease.renew(),
        }
    }

    fn is_mine(&self) -> bool {
        match self {
            Self::Numbered(lease) => lease.is_mine(),
            Self::InPlace(lease) => lease.is_mine(),
        }
    }
}

/// The leases of the running call.
pub struct Leases<V: Volume> {
    held: RefCell<Vec<HeldLease<V>>>,
    lost: RefCell<Option<Fault>>,
}

impl<V: Volume> Default for Leases<V> {
    fn default() -> Self {
        Self { held: RefCell::default(), lost: RefCell::default() }
    }
}

impl<V: Volume> Leases<V> {
    /// Begins a call without leases.
    pub fn begin(&self) -> CallGuard<'_, V> {
        CallGuard(self)
    }

    /// True if another process may have taken a lease.
    pub fn are_taken(&self) -> bool {
        *self.lost.borrow() == Some(Fault::Busy)
    }

    /// Renews the leases. To be called before every step.
    pub fn keep(&self) -> Result<(), Fault> {
        for lease in self.held.borrow_mut().iter_mut() {
            if let Some(fault) = &*self.lost.borrow() {
                return Err(fault.clone());
            }
            let Err(refused) = lease.renew() else { continue };
            // A lease that cannot be renewed still lasts until its end.
            if !lease.is_mine() {
                let fault = match refused {
                    LeaseRefused::Held => Fault::Busy,
                    LeaseRefused::Fault(fault) => fault,
                };
                *self.lost.borrow_mut() = Some(fault.clone());
                return Err(fault);
            }
        }
        Ok(())
    }
}

/// A call with leases. Dropping it releases them.
pub struct CallGuard<'a, V: Volume>(&'a Leases<V>);

impl<V: Volume> CallGuard<'_, V> {
    /// Keeps a lease until the call ends.
    pub fn hold(&self, lease: HeldLease<V>) {
        self.0.held.borrow_mut().push(lease);
    }
}

impl<V: Volume> Drop for CallGuard<'_, V> {
    fn drop(&mut self) {
        self.0.held.borrow_mut().clear();
        self.0.lost.take();
    }
}
