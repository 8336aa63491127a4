//! The journal writes down each change first, so that a later call can complete it or roll it back.
//!
//! A change has four steps. A [`record`] goes to the log of a [`state`] directory; the file
//! `control` says that a change is in progress; the change is made; `control` says that the log
//! ends after the record. [`recovery`] takes a record that did not reach the last step, and
//! completes its change or rolls it back. It runs in the next call after a crash, and in the same
//! call after a failure.
//!
//! [`tree_walk`] walks trees by handles, and [`namespace`] has the granted directories with their
//! states. [`registry`] chooses the state directory of a granted one.

#![forbid(unsafe_code)]

mod call;
mod file;
mod half_written;
mod log;
pub mod namespace;
mod path_record;
mod pending;
mod prune;
pub mod record;
pub mod recovery;
pub mod registry;
mod remove;
mod report;
mod root_map;
pub mod scope;
pub mod state;
#[cfg(test)]
mod tests;
mod trash;
pub mod tree_walk;
mod writer;

pub use call::Call;
pub use file::Writer;
pub use file::{Check, Stored};
use fsgate_contract::id::Id;
pub use half_written::HalfWrittenFiles;
pub use path_record::{PlaceLookup, RecordedPlace};
pub use prune::{bytes_kept, sweep};
pub use remove::RemovalCause;
pub use report::RecoveryReport;
pub use root_map::RootMap;
pub use trash::{Taken, discard, keep_copy, require_copyable, take_out};
pub use writer::{Transaction, Writes};
