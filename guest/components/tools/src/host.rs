//! The interface `host`: checks before a start.

use fsgate_journal::registry::choose_json;
use fsgate_policy::start::check_json;

use crate::Component;
use crate::bindings::exports::fsgate::tools::host::Guest;

impl Guest for Component {
    fn check(start: String) -> String {
        check_json(&start)
    }

    fn choose(directory: String) -> String {
        choose_json(&directory)
    }
}
