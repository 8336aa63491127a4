//! What is true of fsgate from outside.

mod corpus;
mod gate;
mod imports;
mod readme;
mod thousand;
