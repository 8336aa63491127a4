//! `fsgate mcp` with a client: the program with pipes as standard streams.

mod audit;
mod calls;
mod client;
mod confirm;
mod embedded;
mod front_ends;
mod lean;
mod malformed;
mod order;
mod remember;
mod roots;
mod sessions;
mod skill;
mod transcript;
mod walks;
