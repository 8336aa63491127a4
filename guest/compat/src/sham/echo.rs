//! Invalid blocks in the answer.

use super::convert::{ErrorType, ParseError};
use crate::bounds::bytes_in_json;
use fsgate_contract::limits::SHAM_NAME_CHARS;
use fsgate_text::excerpt::cut;

pub(super) fn mistakes(errors: Vec<ParseError>, room: &mut usize) -> Vec<ParseError> {
    let most = *room;
    let (mut told, mut untold) = (Vec::new(), None);
    for error in errors {
        let line = error.block_start_line;
        match fitting(error, room) {
            Some(error) => told.push(error),
            None => untold = Some(untold.map_or((line, 1_usize), |(line, count)| (line, count + 1))),
        }
    }
    if let Some((line, count)) = untold {
        let message = format!(
            "Mistakes that are not told: {count}, the first in the block at line {line}; an answer repeats at most {most} bytes of a text"
        );
        told.push(ParseError {
            block_id: "unknown".to_owned(),
            action: None,
            error_type: ErrorType::Syntax,
            message,
            mistyped: None,
            block_start_line: line,
            sham_content: None,
        });
    }
    told
}

/// A mistake, cut to the budget.
fn fitting(mut error: ParseError, room: &mut usize) -> Option<ParseError> {
    if let Some(left) = room.checked_sub(bytes_in_json(&error)) {
        *room = left;
        return Some(error);
    }
    error.sham_content = None;
    error.message = cut(&error.message, SHAM_NAME_CHARS).into_owned();
    if let Some(mistyped) = &mut error.mistyped {
        mistyped.actual_value = cut(&mistyped.actual_value, SHAM_NAME_CHARS).into_owned();
    }
    *room = room.checked_sub(bytes_in_json(&error))?;
    Some(error)
}
