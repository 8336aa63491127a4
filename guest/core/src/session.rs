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
    /// Or why there is none, which is then the answer to every call.
    namespace: Result<Namespace<V>, DuplicateName>,
}

/// An operation: looks, and says what it would change.
pub type Run<V, A> = fn(&View<V>, &A) -> Result<(<A as Arguments>::Outcome, Changes<V>), Failure>;

impl<V: Volume> Session<V> {
    /// A session over these grants. The first one is where relative paths start.
    pub fn new(grants: Vec<Grant<V>>) -> Result<Self, DuplicateName> {
        Ok(Self { namespace: Ok(Namespace::new(grants)?) })
    }

    /// The same where nobody can be told at the start: with two grants of one name nobody can say which is meant, so
    /// every call is refused.
    pub fn open_or_refuse(grants: Vec<Grant<V>>) -> Self {
        Self { namespace: Namespace::new(grants) }
    }

    /// Carries out one call.
    pub fn run<A: Arguments>(&self, run: Run<V, A>, args: &A) -> Result<A::Outcome, Error> {
        let call = || {
            args.check().map_err(Reason::OutOfRange)?;
            let namespace =
                self.namespace.as_ref().map_err(|double| Reason::DuplicateGrant(double.0.clone()))?;
            let (mut outcome, changes) = run(&View::new(namespace), args)?;
            if !args.is_dry_run() {
                A::add(&mut outcome, apply(namespace, changes)?);
            }
            Ok(outcome)
        };
        call().map_err(|failure: Failure| failure.into_error(A::OPERATION))
    }
}
