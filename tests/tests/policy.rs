//! That a policy holds whatever the tool: also for tools that nobody has written yet.

mod every_tool;
mod hidden;
mod random;
mod recorder;
mod twins;
