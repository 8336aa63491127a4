//! Conversions from lower crates' errors.

use super::{
    EditProblem, EncodingProblem, Failure, HistoryProblem, LineProblem, OccurrenceProblem, PatchProblem,
    Reason, SectionProblem,
};
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

macro_rules! reasons {
    ($($problem:ty: $reason:expr),+ $(,)?) => {
        $(impl From<$problem> for Reason {
            fn from(problem: $problem) -> Self {
                $reason(problem)
            }
        })+
    };
}

reasons! {
    EditProblem: Self::InvalidEdit,
    EncodingProblem: Self::Encoding,
    HistoryProblem: |problem| Self::Past(Box::new(problem)),
    InvalidLines: Self::InvalidLines,
    LineProblem: Self::Lines,
    NotEncodable: |error| Self::Encoding(EncodingProblem::NotEncodable("new", error)),
    OccurrenceProblem: |problem| Self::Occurrences(Box::new(problem)),
    PatchProblem: |problem| Self::Patch(Box::new(problem)),
    PatternError: Self::Pattern,
    SectionProblem: Self::Section,
}

impl<R: Into<Reason>> From<R> for Failure {
    fn from(reason: R) -> Self {
        Self { reason: reason.into(), path: None }
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
