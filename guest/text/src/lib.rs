//! Text without files: bytes and strings in, values out.
//!
//! A line ends in LF, CRLF or CR, which belongs to the line. A final line end starts no line; an
//! empty text has no lines. Lines count from 1.

#![forbid(unsafe_code)]

pub mod ascii;
pub mod blocks;
mod borders;
pub mod char_unit;
pub mod close_names;
pub mod comment;
pub mod diff;
pub mod distance;
pub mod edit_sequence;
pub mod encoding;
pub mod escape;
pub mod excerpt;
pub mod find;
pub mod fold;
pub mod fuzzy_window;
pub mod glob;
pub mod haystack;
pub mod ignore;
pub mod json;
pub mod languages;
pub mod line_end;
pub mod line_pattern;
pub mod line_range;
pub mod lines;
pub mod markup;
pub mod match_count;
pub mod nearest;
pub mod number;
pub mod outline;
pub mod patch;
pub mod pattern;
pub mod provenance;
mod regex_dialects;
pub mod revert;
mod search_budget;
pub mod select_matches;
pub mod similar;
pub mod splice;
pub mod utf8;
pub mod window;
