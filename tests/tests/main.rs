//! What is true of fsgate from outside.

mod bounds;
mod completeness;
mod corpus;
mod faults;
mod gate;
mod imports;
mod laws;
mod reference;
mod thousand;
mod volumes;
