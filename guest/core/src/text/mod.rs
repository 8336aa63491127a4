//! Text, with no file in scope: bytes and strings in, values out.
//!
//! A line ends in LF, CRLF or CR; the end belongs to the line; a final line end does not start another
//! line; an empty text has no lines. Lines are counted from 1.

pub mod diff;
pub mod excerpt;
pub mod find;
pub mod line_end;
pub mod lines;
pub mod number;
pub mod splice;
pub mod utf8;
pub mod window;
