//! What is true of fsgate from outside.

mod bounds;
mod completeness;
mod corpus;
mod edits;
mod faults;
mod gate;
mod imports;
mod laws;
mod lock;
mod policy;
mod reference;
mod thousand;
mod volumes;
