//! Volumes in memory and the laws of all volumes: for tests, and in no product.

pub mod laws;
pub mod memory;
