//! The tools of fsgate, over a file system that is somebody else's affair.
//!
//! From the bottom to the top, each floor knows only those below it:
//!
//! - [`contract`]: names, types, defaults and schemas, generated from `wit/`.
//! - [`text`]: lines, line ends, search, diffs: bytes in, values out, no file in scope.
//! - [`policy`] and [`guard`]: what a policy says of names and contents, and who asks it.
//! - [`volume`]: what a file system is to the core: handles and single names, never paths.
//! - [`namespace`] and [`resolve`]: from a path to a [`resolve::Place`], segment by segment.
//! - [`view`] and [`changes`]: a tool looks through the one and returns the other.
//! - [`tools`]: one operation a file.
//! - [`state`] and [`journal`]: what is written down before it is changed, so that it can be finished or taken back.
//! - [`apply`]: the only writer.
//! - [`session`] and [`agent`]: a call from its arguments to its outcome, typed or in JSON.
//! - [`front_ends`]: the languages of other systems, over the operations.
//!
//! Laws that hold here: nothing reads a clock, a file or the environment; no string decides what may be
//! opened; a tool cannot write; nothing traps on input.

#![forbid(unsafe_code)]

pub mod agent;
pub mod apply;
mod base64;
pub mod changes;
pub mod coding;
pub mod content;
pub mod contract;
pub mod cursor;
pub mod descent;
pub mod drawing;
pub mod edited;
pub mod edits;
pub mod error;
pub mod etag;
pub mod front_ends;
pub mod guard;
mod history;
pub mod hits;
pub mod id;
pub mod journal;
pub mod limits;
pub mod lined;
pub mod media_type;
pub mod namespace;
mod notes;
pub mod occurrences;
pub mod page;
pub mod path;
mod permission;
pub mod policy;
pub mod precondition;
pub mod recovery;
pub mod resolve;
pub mod section;
pub mod session;
pub mod settings;
pub mod span;
pub mod state;
pub mod text;
pub mod tools;
pub mod view;
pub mod volume;
pub mod walk;
