//! The journal: each change is written down before it is made, so that a later call can complete it
//! or take it back.
//!
//! A change has four steps. A [`record`] goes to the log of a [`state`] directory; the file
//! `control` says that the change is under way; the change is made; `control` says that the log
//! ends behind the record. [`settle`] takes a record that did not reach the last step, and makes
//! its file what it was or what it should be. It runs for the next call after a death, and for the
//! call itself after a failure.
//!
//! [`descent`] walks trees by handles, and [`namespace`] has the granted directories with their
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
