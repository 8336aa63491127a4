//! The subcommands that need no gate, one file each.

pub(crate) mod completions;
pub(crate) mod component;
pub(crate) mod man;
