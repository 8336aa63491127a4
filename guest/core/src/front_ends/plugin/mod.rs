//! `plugin`: the file tools of a system in which every user has files of their own.
//!
//! [`picomatch`] reads the patterns of `filesystem.glob`.

pub mod picomatch;
