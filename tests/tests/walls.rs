//! What holds even if the component in the gate is wrong, or another one, or if somebody else is at work in the same
//! directories.

mod advisories;
mod races;
mod rights;

pub(crate) mod component;
pub(crate) mod ground;
