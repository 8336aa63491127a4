//! What is true of the components in hosts that are not fsgate's own.

mod command;
mod corpus;
mod equality;
mod exports;
mod grants;
mod program;
mod wave;
