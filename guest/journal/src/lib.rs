//! Every change is written down before it is made, so that it can be finished or taken back whatever happens.
//!
//! A [`record`] is written to the [`log`] of a [`crate::state`] directory, and `control` says that it is under way; then the change is
//! made; then `control` says that the log ends behind it: that is the end of the operation. [`settle`] looks at a record that did
//! not get there and makes of its file either what it was or what it should be. It does so for the next call after a death, and
//! for the call itself if something fails midway.

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
pub mod settle;
pub mod state;
#[cfg(test)]
mod tests;
mod trash;

pub use call::Call;
pub use file::Writer;
pub use file::{Check, Stored};
pub use forgetting::{Forgetting, returned};
use fsgate_contract::id::Id;
pub use grounds::Grounds;
pub use ink::{Ink, Writes};
pub use location::{Found, Spot};
pub use prune::{bytes_kept, sweep};
pub use report::Report;
pub use trash::{Taken, Unkept, discard, keep_copy, take_out};
