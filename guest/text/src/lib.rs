//! Text, with no file in scope: bytes and strings in, values out.
//!
//! A line ends in LF, CRLF or CR; the end belongs to the line; a final line end does not start another
//! line; an empty text has no lines. Lines are counted from 1.

#![forbid(unsafe_code)]

pub mod ascii;
pub mod beyond;
pub mod blocks;
pub mod chosen;
pub mod comment;
pub mod composed;
pub mod diff;
pub mod distance;
mod effort;
pub mod encoding;
pub mod escape;
pub mod excerpt;
pub mod find;
pub mod fold;
mod foreign;
pub mod glob;
pub mod ignore;
pub mod json;
pub mod languages;
pub mod likely;
pub mod line_end;
pub mod line_pattern;
pub mod lines;
pub mod markup;
pub mod names;
pub mod nearest;
pub mod number;
pub mod origins;
pub mod patch;
pub mod pattern;
pub mod region;
pub mod revert;
pub mod section;
pub mod similar;
pub mod splice;
pub mod survey;
pub mod unit;
pub mod utf8;
pub mod window;
