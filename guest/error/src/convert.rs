//! Conversions from lower crates' errors.

use super::{EditProblem, EncodingProblem, Failure, PatchProblem, Reason};
use fsgate_contract::path::PathError;
use fsgate_policy::InvalidPolicy;
use fsgate_text::edit_sequence::EditError;
use fsgate_text::number::InvalidLines;
use fsgate_text::pattern::PatternError;
use fsgate_text::utf8::NotEncodable;
use fsgate_volume::settings::Refusal;

impl From<PathError> for Reason {
    fn from(error: PathError) -> Self {
        match error {
            PathError::Invalid(problem) => Self::InvalidPath(problem),
            PathError::TooLong => Self::NameTooLong,
        }
    }
}

impl From<PathError> for Failure {
    fn from(error: PathError) -> Self {
        Reason::from(error).into()
    }
}

impl From<PatternError> for Reason {
    fn from(error: PatternError) -> Self {
        match error {
            PatternError::Empty => Self::EmptyArgument("pattern"),
            PatternError::InvertsSeveralLines => Self::Excluding("invert", "multi_line"),
            error => Self::Pattern(error),
        }
    }
}

impl From<PatternError> for Failure {
    fn from(error: PatternError) -> Self {
        Reason::from(error).into()
    }
}

impl From<InvalidLines> for Reason {
    fn from(error: InvalidLines) -> Self {
        Self::InvalidLines(error)
    }
}

impl From<InvalidLines> for Failure {
    fn from(error: InvalidLines) -> Self {
        Reason::from(error).into()
    }
}

impl From<NotEncodable> for Reason {
    fn from(error: NotEncodable) -> Self {
        Self::Encoding(EncodingProblem::NotEncodable(error))
    }
}

impl From<EditError> for Reason {
    fn from(error: EditError) -> Self {
        match error {
            EditError::NoMatch(traces) => Self::NoMatch(traces),
            EditError::NoSuchOccurrence { asked, count } => Self::NoSuchOccurrence { asked, count },
            EditError::Ambiguous { count, lines } => Self::Ambiguous { count, lines },
            EditError::Laborious => Self::EditsLaborious,
            EditError::GrowsTooLarge => Self::InvalidEdit(EditProblem::GrowsTooLarge),
            EditError::NotEncodable(error) => error.into(),
            EditError::Hunk(why) => Self::Patch(Box::new(PatchProblem::Hunk(why))),
        }
    }
}

impl From<Refusal> for Reason {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::DuplicateName(name) => Self::DuplicateGrant(name),
            Refusal::ReservedName(name) => Self::ReservedGrant(name),
            Refusal::Misset(misset) => Self::Misset(misset),
            Refusal::Unread(unread) => Self::Unread(Box::new(unread)),
            Refusal::Policy(InvalidPolicy { field, problem }) => Self::InvalidPolicy { field, problem },
        }
    }
}
