//! The journal writes down each change first, so that a later call can complete it or roll it back.
//!
//! A change has four steps. A [`record`] goes to the log of a [`state`] directory; the file
//! `control` says that a change is in progress; the change is made; `control` says that the log
//! ends after the record. [`recovery`] takes a record that did not reach the last step, and
//! completes its change or rolls it back. It runs in the next call after a crash, and in the same
//! call after a failure.
//!
//! [`tree_walk`] walks trees by handles, and [`namespace`] has the granted directories with their
//! states.

#![forbid(unsafe_code)]

mod call;
pub mod descent;
mod file;
mod forgetting;
mod grounds;
mod ink;
mod location;
mod log;
pub mod namespace;
mod pending;
mod prune;
pub mod record;
mod report;
pub mod scope;
pub mod settle;
pub mod state;
#[cfg(test)]
mod tests;
mod trash;

pub use call::Call;
pub use file::Writer;
pub use file::{Check, Stored};
pub use forgetting::Cause;
use fsgate_contract::id::Id;
pub use grounds::Grounds;
pub use ink::{Ink, Writes};
pub use location::{Found, Spot};
pub use prune::{bytes_kept, sweep};
pub use report::Report;
pub use trash::{Taken, Unkept, discard, keep_copy, take_out};
