//! What is true of fsgate from outside.

mod corpus;
