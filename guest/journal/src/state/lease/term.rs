//! The leases of a call, for as long as it takes.
//!
//! A call may look for longer than a lease lasts, or write one large file. So every step on a volume keeps its leases, and no tool
//! has to think of it. Where one is lost, the call has died as far as the others know: they bring to an end what it left, and not a
//! step of it happens any more. What has no state directory goes on: nobody else would bring that to an end.

use std::cell::RefCell;
use std::rc::Rc;

use super::{Lease, Refused};
use fsgate_volume::{Fault, Volume};

/// The leases of the call that is under way.
pub struct Leases<V: Volume> {
    held: RefCell<Vec<Lease<Rc<V>>>>,
    /// Why one was lost.
    lost: RefCell<Option<Fault>>,
}

impl<V: Volume> Default for Leases<V> {
    fn default() -> Self {
        Self { held: RefCell::default(), lost: RefCell::default() }
    }
}

impl<V: Volume> Leases<V> {
    /// Begins a call without any.
    pub fn begin(&self) -> Term<'_, V> {
        Term(self)
    }

    /// True if somebody else has taken one meanwhile, or could have.
    pub fn are_taken(&self) -> bool {
        *self.lost.borrow() == Some(Fault::Busy)
    }

    /// To be called before every step.
    pub fn keep(&self) -> Result<(), Fault> {
        for lease in self.held.borrow_mut().iter_mut() {
            if let Some(fault) = &*self.lost.borrow() {
                return Err(fault.clone());
            }
            let Err(refused) = lease.renew() else { continue };
            // What cannot be renewed lasts until its end all the same.
            if !lease.is_mine() {
                let fault = match refused {
                    Refused::Held => Fault::Busy,
                    Refused::Fault(fault) => fault,
                };
                *self.lost.borrow_mut() = Some(fault.clone());
                return Err(fault);
            }
        }
        Ok(())
    }
}

/// A call with leases. Dropping it gives them back.
pub struct Term<'a, V: Volume>(&'a Leases<V>);

impl<V: Volume> Term<'_, V> {
    /// Keeps this lease until it is let go.
    pub fn hold(&self, lease: Lease<Rc<V>>) {
        self.0.held.borrow_mut().push(lease);
    }
}

impl<V: Volume> Drop for Term<'_, V> {
    fn drop(&mut self) {
        self.0.held.borrow_mut().clear();
        self.0.lost.take();
    }
}
