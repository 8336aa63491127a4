//! The exports: one file for each interface, one line for each operation. A world with fewer interfaces leaves files out.

#[cfg(feature = "tools")]
mod agent;
#[cfg(feature = "tools")]
mod audit;
#[cfg(any(feature = "tools", feature = "editor"))]
mod edit;
#[cfg(feature = "tools")]
mod front_ends;
#[cfg(any(feature = "tools", feature = "editor"))]
mod history;
#[cfg(any(feature = "tools", feature = "editor"))]
mod manage;
mod read;
mod search;

pub(crate) struct Component;

crate::bindings::export!(Component with_types_in crate::bindings);
