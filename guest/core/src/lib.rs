//! The tools of fsgate, over an abstract file system.
//!
//! Each module uses those above it in this list only; `tests/tests/floors.rs` holds that:
//!
//! - [`contract`], [`limits`], [`path`], [`id`]: names, types, defaults and schemas from `wit/`;
//!   numbers with reasons.
//! - [`text`]: lines, line ends, search, diffs: bytes in, values out, no file in scope.
//! - [`policy`]: the rules that take something away from what is granted.
//! - [`volume`], [`settings`], [`state`], [`guard`], [`namespace`]: file systems as handles and
//!   single names.
//! - [`error`]: failures as data, with their sentences.
//! - [`descent`], [`journal`]: trees walked by handles; changes written down before they are made.
//! - [`resolve`], [`changes`], `permission`, [`walk`], [`view`]: from a path to a
//!   [`resolve::Place`].
//! - [`content`], [`coding`], [`occurrences`], [`lined`], [`edited`], [`drawing`], [`page`],
//!   [`section`]: text in files.
//! - [`recovery`], `history`, [`apply`]: interrupted changes, undo, and the only writer.
//! - [`session`]: the way that every call takes.
//! - [`tools`]: one operation a file.
//! - [`agent`]: calls in JSON.
//! - [`front_ends`]: the languages of other systems, over the operations.
//!
//! Laws that hold here: nothing reads a clock, a file or the environment; no string decides whether
//! something may be opened; a tool cannot write; nothing traps on input.

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
