//! One call as a JSON object on standard input.

use fsgate_contract::limits::PLACED_BYTES;
use fsgate_error::call;

use crate::call::{answer, refuse};
use crate::content::unmarked;
use crate::environment::Shell;
use crate::exit::Exit;

/// The largest request: a tool's largest content, in any JSON notation.
const REQUEST_BYTES: usize = 2 * PLACED_BYTES;

/// Reads `{"tool": "...", "arguments": {...}}` from standard input and prints the result in JSON.
pub fn answer_request(shell: Shell) -> Exit {
    let bytes = match shell.streams.input(REQUEST_BYTES) {
        Ok(bytes) => unmarked(bytes),
        Err(problem) => {
            shell.complain(&problem);
            return Exit::Usage;
        }
    };
    let ended = match call::request(&bytes) {
        Ok(call) => {
            drop(bytes);
            answer(&call.tool, &call.arguments, shell)
        }
        Err(refused) => refuse(&refused.error, shell),
    };
    match ended {
        Ok(exit) | Err(exit) => exit,
    }
}
