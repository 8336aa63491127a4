//! The interface `audit`: facts about a call for the host.

use fsgate_engine::session::Session;

use crate::bindings::exports::fsgate::tools::audit::Guest;
use crate::{Component, session};

impl Guest for Component {
    fn hidden() -> Vec<String> {
        session(Session::hidden)
    }
}
