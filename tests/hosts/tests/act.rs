//! The program `act`, and the component that it runs.

pub(crate) mod component;
pub(crate) mod session;
pub(crate) mod settings;
