//! What is true of the components in hosts that are not fsgate's own.

mod act;
mod command;
mod corpus;
mod equality;
mod exports;
mod grants;
mod kinds;
mod program;
mod wave;
