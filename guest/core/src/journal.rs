//! Every change is written down before it is made, so that it can be finished or taken back whatever happens.
//!
//! A [`record`] is written to the [`log`] of a [`crate::state`] directory, and `control` says that it is under way; then the change is
//! made; then `control` says that the log ends behind it: that is the end of the operation. [`settle`] looks at a record that did
//! not get there and makes of its file either what it was or what it should be. It does so for the next call after a death, and
//! for the call itself if something fails midway.

mod call;
mod file;
mod forgetting;
mod grounds;
mod ink;
mod location;
mod log;
mod pending;
mod prune;
pub mod record;
mod report;
pub(crate) mod settle;
#[cfg(test)]
mod tests;
mod trash;

use crate::id::Id;
pub use call::Call;
pub(crate) use file::Writer;
pub use file::{Check, Stored};
pub(crate) use forgetting::{Forgetting, returned};
pub(crate) use grounds::Grounds;
pub(crate) use ink::{Ink, Writes};
pub(crate) use location::{Found, Spot};
pub(crate) use prune::{bytes_kept, sweep};
pub use report::Report;
pub(crate) use trash::{Taken, Unkept, discard, keep_copy, take_out};
