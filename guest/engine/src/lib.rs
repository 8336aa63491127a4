//! The tools of fsgate, over an abstract file system.
//!
//! Each module uses those above it in this list only; `tests/tests/floors.rs` holds that:
//!
//! - [`resolve`], `changes`, `authorize`: from a path to a [`resolve::Place`], and the changes
//!   that the policy allows there.
//! - [`file`], [`pager`], [`walk`], [`view`]: open files, parts of long answers, and all else that
//!   a tool sees.
//! - [`edit`]: changes of the text in a file.
//! - [`recovery`], `history`, [`apply`]: interrupted changes, undo, and the only writer.
//! - [`tools`]: one operation a file.
//! - [`session`]: the way that every call takes, and the typed operations.
//! - [`agent`]: the same operations in JSON.
//!
//! Laws that hold here: nothing reads a clock, a file or the environment; no string decides whether
//! something may be opened; a tool cannot write; nothing traps on input.

#![forbid(unsafe_code)]

pub mod agent;
pub mod apply;
mod authorize;
mod changes;
pub mod edit;
pub mod file;
mod history;
mod notes;
pub mod pager;
pub mod recovery;
pub mod resolve;
pub mod session;
pub mod tools;
pub mod view;
pub mod walk;
