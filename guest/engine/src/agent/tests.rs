//! Calls in JSON.

mod encodings;
