//! A call of any operation behind one interface: its flow is compiled once, not for each operation.

use crate::changes::{Change, Plan};
use crate::session::{Run, Watched};
use crate::view::View;
use fsgate_contract::{Applied, Arguments};
use fsgate_error::Failure;
use fsgate_volume::Volume;

/// The contract's facts about one call.
#[derive(Clone, Copy)]
pub(crate) struct Facts {
    pub(crate) operation: &'static str,
    pub(crate) interface: &'static str,
    pub(crate) confirmed: Option<bool>,
    pub(crate) asks_for_recovery: bool,
}

impl Facts {
    pub(crate) fn of<A: Arguments>(args: &A) -> Self {
        Self {
            operation: A::OPERATION,
            interface: A::INTERFACE,
            confirmed: args.is_confirmed(),
            asks_for_recovery: args.asks_for_recovery(),
        }
    }
}

/// The typed parts of a call.
pub(crate) trait ToolCall<V: Volume> {
    /// Runs the tool, and keeps its outcome in the place of an earlier one.
    fn plan(&mut self, view: &View<Watched<V>>) -> Result<Vec<Change<Watched<V>>>, Failure>;
    /// Adds the results of the changes to the outcome, if there is one.
    fn add(&mut self, applied: Applied);
}

/// A call with its types.
pub(crate) struct Typed<'a, V: Volume, A: Arguments, P> {
    pub(crate) run: Run<V, A, P>,
    pub(crate) args: &'a A,
    /// The outcome of the last run.
    pub(crate) outcome: Option<A::Outcome>,
}

impl<V: Volume, A: Arguments, P: Plan<Watched<V>, A::Outcome>> ToolCall<V> for Typed<'_, V, A, P> {
    fn plan(&mut self, view: &View<Watched<V>>) -> Result<Vec<Change<Watched<V>>>, Failure> {
        let (outcome, changes) = (self.run)(view, self.args)?.into_parts();
        self.outcome = Some(outcome);
        Ok(changes)
    }

    fn add(&mut self, applied: Applied) {
        if let Some(outcome) = &mut self.outcome {
            self.args.add(outcome, applied);
        }
    }
}
