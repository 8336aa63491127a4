//! Sentences about a call's arguments, in terms of JSON.

use serde_json::Value;

use super::phrases::suggestion;
use super::sentences::{Sentence, say};
use fsgate_contract::Misfit;
use fsgate_contract::limits::{ARGUMENT_PROBLEMS, ERROR_TEXT_CHARS};
use fsgate_contract::types::Code;
use fsgate_text::excerpt::{cut, quoted};

/// A mistake in the argument `field`, such as `edits[2].old`.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the sentence of each case is below")]
pub enum ArgumentProblem {
    Missing {
        field: String,
    },
    Unknown {
        field: String,
        known: Vec<&'static str>,
        nearest: Option<&'static str>,
    },
    Mistyped {
        field: String,
        wanted: String,
        found: String,
    },
    /// An empty value that would choose or protect something.
    Empty {
        field: String,
        /// The meaning of leaving it out.
        absent: &'static str,
    },
    TooLarge {
        field: String,
    },
    OutOfRange(Misfit),
}

/// Characters of a wrong value in a sentence.
const FOUND_CHARS: usize = 40;

impl ArgumentProblem {
    pub(crate) fn mistyped(field: String, wanted: &str, found: &Value) -> Self {
        let found = cut(&found.to_string(), FOUND_CHARS).into_owned();
        Self::Mistyped { field, wanted: wanted.to_owned(), found }
    }

    fn field(&self) -> &str {
        match self {
            Self::Missing { field }
            | Self::Unknown { field, .. }
            | Self::Mistyped { field, .. }
            | Self::Empty { field, .. }
            | Self::TooLarge { field }
            | Self::OutOfRange(Misfit { field, .. }) => field,
        }
    }

    pub(crate) fn sentence(&self) -> (String, String) {
        let name = quoted(self.field());
        let as_described = || format!("give {name} as the schema of the tool describes it");
        match self {
            Self::Missing { .. } => (format!("{name} is missing"), as_described()),
            Self::Unknown { known, nearest, .. } => {
                (format!("there is no argument {name}"), suggestion(known, *nearest))
            }
            Self::Mistyped { wanted, found, .. } => {
                (format!("{name} has to be {wanted}, not {found}"), as_described())
            }
            Self::Empty { absent, .. } => {
                (format!("{name} is empty"), format!("leave {name} out for its default: {absent}"))
            }
            Self::TooLarge { .. } => {
                (format!("{name} is above {}", u32::MAX), format!("give a smaller number in {name}"))
            }
            Self::OutOfRange(misfit) => out_of_range(misfit),
        }
    }
}

fn out_of_range(misfit: &Misfit) -> (String, String) {
    let Misfit { field, items, value, low, high } = misfit;
    let message = if *items {
        format!("`{field}` has {value} items, and has to have between {low} and {high}")
    } else {
        format!("`{field}` is {value}, and has to be between {low} and {high}")
    };
    let repair = match (*items, value < low) {
        (false, _) => format!("set `{field}` to a number from {low} to {high}, or leave it out"),
        (true, true) => format!("put at least {low} in `{field}`"),
        (true, false) => format!("put at most {high} in `{field}`, and make several calls"),
    };
    (message, repair)
}

/// All mistakes of a call; the first decides the code.
pub(super) fn sentence(problems: &[ArgumentProblem]) -> Sentence {
    let first = problems.first().map_or("", ArgumentProblem::field);
    let (mut messages, mut repairs) = (Vec::new(), Vec::new());
    for (message, repair) in problems.iter().take(ARGUMENT_PROBLEMS).map(ArgumentProblem::sentence) {
        messages.push(message);
        if !repairs.contains(&repair) {
            repairs.push(repair);
        }
    }
    if let Some(more) = problems.len().checked_sub(ARGUMENT_PROBLEMS).filter(|more| *more > 0) {
        messages.push(format!("and {more} more"));
    }
    let message = messages.join("; ");
    say(
        Code::InvalidArgument(cut(first, 100).into_owned()),
        cut(&message, ERROR_TEXT_CHARS).into_owned(),
        cut(&repairs.join("; "), ERROR_TEXT_CHARS).into_owned(),
    )
}
