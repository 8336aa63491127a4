//! The leases of a call, for as long as it takes.
//!
//! A call may look for longer than a lease lasts, or write one large file. So every step on a volume keeps its leases, and no tool
//! has to think of it. Where one is lost, the call has died as far as the others know: they have brought to an end what it left, and
//! not a step of it happens any more.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::Lease;
use crate::volume::{Fault, Volume};

/// The leases of the call that is under way.
pub struct Leases<V: Volume> {
    held: RefCell<Vec<Lease<Rc<V>>>>,
    lost: Cell<bool>,
}

impl<V: Volume> Default for Leases<V> {
    fn default() -> Self {
        Self { held: RefCell::default(), lost: Cell::default() }
    }
}

impl<V: Volume> Leases<V> {
    /// Begins a call without any.
    pub(crate) fn begin(&self) -> Term<'_, V> {
        Term(self)
    }

    /// True if somebody else has taken one meanwhile, or may have.
    pub(crate) fn are_lost(&self) -> bool {
        self.lost.get()
    }

    /// To be called before every step.
    pub(crate) fn keep(&self) -> Result<(), Fault> {
        for lease in self.held.borrow_mut().iter_mut() {
            // What cannot be renewed lasts until its end all the same.
            if self.lost.get() || lease.renew().is_err() && !lease.is_mine() {
                self.lost.set(true);
                return Err(Fault::Busy);
            }
        }
        Ok(())
    }
}

/// A call with leases. Dropping it gives them back.
pub(crate) struct Term<'a, V: Volume>(&'a Leases<V>);

impl<V: Volume> Term<'_, V> {
    pub(crate) fn hold(&self, lease: Lease<Rc<V>>) {
        self.0.held.borrow_mut().push(lease);
    }
}

impl<V: Volume> Drop for Term<'_, V> {
    fn drop(&mut self) {
        self.0.held.borrow_mut().clear();
        self.0.lost.set(false);
    }
}
