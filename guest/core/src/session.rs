//! The way every call takes: arguments checked, tool run, changes applied.

use crate::apply::apply;
use crate::changes::Changes;
use crate::contract::Arguments;
use crate::contract::types::Error;
use crate::error::{Failure, Reason};
use crate::namespace::{DuplicateName, Grant, Namespace};
use crate::view::View;
use crate::volume::Volume;

/// The granted directories and what happens in them.
pub struct Session<V: Volume> {
    namespace: Namespace<V>,
}

/// An operation: looks, and says what it would change.
pub type Run<V, A> = fn(&View<V>, &A) -> Result<(<A as Arguments>::Outcome, Changes<V>), Failure>;

impl<V: Volume> Session<V> {
    /// A session over these grants. The first one is where relative paths start.
    pub fn new(grants: Vec<Grant<V>>) -> Result<Self, DuplicateName> {
        Ok(Self { namespace: Namespace::new(grants)? })
    }

    /// Carries out one call.
    pub fn run<A: Arguments>(&self, run: Run<V, A>, args: &A) -> Result<A::Outcome, Error> {
        let call = || {
            args.check().map_err(Reason::OutOfRange)?;
            let (outcome, changes) = run(&View::new(&self.namespace), args)?;
            apply(&self.namespace, changes)?;
            Ok(outcome)
        };
        call().map_err(|failure: Failure| failure.into_error(A::OPERATION))
    }
}
