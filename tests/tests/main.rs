//! What is true of fsgate from outside.

mod agent_loop;
mod bounds;
mod completeness;
mod corpus;
mod dependencies;
mod edits;
mod faults;
mod floors;
mod front_ends;
mod gate;
mod hostile;
mod language;
mod laws;
mod limits;
mod lock;
mod policy;
mod promises;
mod reference;
mod thousand;
mod volumes;
mod walls;
