//! What is true of fsgate from outside.

mod completeness;
mod corpus;
mod faults;
mod gate;
mod imports;
mod laws;
mod readme;
mod thousand;
