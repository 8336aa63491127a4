//! The operations of a session, by their typed arguments.

use crate::session::Session;
use crate::tools;
use fsgate_contract::types::Error;
use fsgate_contract::{Arguments, Operations, for_each_operation};
use fsgate_volume::Volume;

macro_rules! operations {
    ($($tool:literal $name:ident $types:ident::$args:ident)*) => {
        impl<V: Volume> Operations for Session<V> {
            $(fn $name(
                &self,
                args: &fsgate_contract::$types::$args,
            ) -> Result<<fsgate_contract::$types::$args as Arguments>::Outcome, Error> {
                self.run(tools::$name::run, args)
            })*
        }
    };
}
for_each_operation!(operations);
