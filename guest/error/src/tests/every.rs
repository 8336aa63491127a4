//! The largest example of every reason: a new reason does not compile without one.

use super::*;
use fsgate_contract::Misfit;
use fsgate_contract::id::Id;
use fsgate_contract::limits::{LINES_LISTED, PATTERN_BYTES};
use fsgate_text::patch;
use fsgate_text::patch::locate::Anchor;
use fsgate_text::utf8::NotEncodable;
use fsgate_volume::settings::NoRoom;
use fsgate_volume::settings::directory::Problem;

/// Values of every variant. A missing variant does not compile.
macro_rules! every {
    ($name:ident($text:ident): $type:ty { $($form:pat => [$($value:expr),+ $(,)?]),+ $(,)? }) => {
        fn $name($text: &str) -> Vec<$type> {
            fn is_listed(value: &$type) {
                match value {
                    $($form => {})+
                }
            }
            let mut all: Vec<$type> = Vec::new();
            $({
                let values: Vec<$type> = vec![$($value),+];
                assert!(values.iter().all(|value| matches!(value, $form)));
                all.extend(values);
            })+
            all.iter().for_each(is_listed);
            all
        }
    };
}

fn longest() -> Candidate {
    let name = fsgate_text::char_unit::name(format!("a{}", "\u{10330}".repeat(100)).as_bytes());
    candidate(u32::MAX, &name, &name)
}

fn traces() -> Traces {
    Traces { nearest: Some(longest()), made: None }
}

fn lines() -> Vec<u32> {
    longest_lines(fsgate_contract::limits::AMBIGUOUS_LINES)
}

pub(super) fn longest_lines(count: usize) -> Vec<u32> {
    (0..=u32::MAX).rev().take(count).collect()
}

every!(faults(text): Fault {
    Fault::NotFound => [Fault::NotFound],
    Fault::Exists => [Fault::Exists],
    Fault::IsDirectory => [Fault::IsDirectory],
    Fault::NotDirectory => [Fault::NotDirectory],
    Fault::NotEmpty => [Fault::NotEmpty],
    Fault::Loop => [Fault::Loop],
    Fault::NotPermitted => [Fault::NotPermitted],
    Fault::IntoItself => [Fault::IntoItself],
    Fault::Access => [Fault::Access],
    Fault::ReadOnly => [Fault::ReadOnly],
    Fault::NoSpace => [Fault::NoSpace],
    Fault::Quota => [Fault::Quota],
    Fault::FileTooLarge => [Fault::FileTooLarge],
    Fault::NameTooLong => [Fault::NameTooLong],
    Fault::Busy => [Fault::Busy],
    Fault::Deadline => [Fault::Deadline],
    Fault::CrossDevice => [Fault::CrossDevice],
    Fault::InvalidName => [Fault::InvalidName],
    Fault::Unsupported => [Fault::Unsupported],
    Fault::Denied(_) => [Fault::Denied(text.to_owned())],
    Fault::OverLimit(_) => [Fault::OverLimit(u64::MAX)],
    Fault::Io(_) => [Fault::Io(text.to_owned())],
});

every!(edits(_text): EditProblem {
    EditProblem::Nothing => [EditProblem::Nothing],
    EditProblem::Needs(..) => [EditProblem::Needs("old", "new")],
    EditProblem::SameFile(_) => [EditProblem::SameFile(usize::MAX)],
    EditProblem::InsideFile(_) => [EditProblem::InsideFile(usize::MAX)],
    EditProblem::FileTooLarge(_) => [EditProblem::FileTooLarge(u64::MAX)],
    EditProblem::GrowsTooLarge => [EditProblem::GrowsTooLarge],
    EditProblem::TooMuchPlaced => [EditProblem::TooMuchPlaced],
});

every!(unreadable(_text): patch::PatchSyntaxProblem {
    patch::PatchSyntaxProblem::Expected(_) => [patch::PatchSyntaxProblem::Expected("a path in UTF-8, quoted as git does it".to_owned())],
    patch::PatchSyntaxProblem::Counts { .. } => [
        patch::PatchSyntaxProblem::Counts { header: u32::MAX, old: 0, new: 0 },
        patch::PatchSyntaxProblem::Counts { header: u32::MAX, old: u64::MAX, new: u64::MAX },
    ],
    patch::PatchSyntaxProblem::Unsupported(_) => [patch::PatchSyntaxProblem::Unsupported("a change of a binary file")],
    patch::PatchSyntaxProblem::TooLarge => [patch::PatchSyntaxProblem::TooLarge],
    patch::PatchSyntaxProblem::TooMany => [patch::PatchSyntaxProblem::TooMany],
});

every!(patches(_text): PatchProblem {
    PatchProblem::Invalid(_) => [PatchProblem::Invalid(patch::InvalidPatch { position: u64::MAX, line: u32::MAX, problem: patch::PatchSyntaxProblem::TooMany })],
    PatchProblem::Hunk(_) => [PatchProblem::Hunk(HunkProblem::Laborious)],
    PatchProblem::Left => [PatchProblem::Left],
});

every!(misplaced(text): HunkProblem {
    HunkProblem::Missing(_) => [HunkProblem::Missing(Traces::default()), HunkProblem::Missing(traces())],
    HunkProblem::Unseparated(_) => [HunkProblem::Unseparated(traces())],
    HunkProblem::NoAnchor(..) => [
        HunkProblem::NoAnchor(Anchor { text: text.to_owned(), follows: false, nearest: None }),
        HunkProblem::NoAnchor(Anchor { text: text.to_owned(), follows: true, nearest: Some(longest()) }),
    ],
    HunkProblem::PastEnd(..) => [HunkProblem::PastEnd(u64::MAX, 0), HunkProblem::PastEnd(u64::MAX, u64::MAX - 1)],
    HunkProblem::Unended(_) => [HunkProblem::Unended(u64::MAX)],
    HunkProblem::Unmarked(_) => [HunkProblem::Unmarked(None), HunkProblem::Unmarked(Some(longest()))],
    HunkProblem::Overlapping(_) => [HunkProblem::Overlapping(u64::MAX)],
    HunkProblem::Disordered(_) => [HunkProblem::Disordered(u64::MAX)],
    HunkProblem::Ambiguous(..) => [HunkProblem::Ambiguous(lines(), u64::MAX)],
    HunkProblem::Laborious => [HunkProblem::Laborious],
});

every!(occurrences(text): OccurrenceProblem {
    OccurrenceProblem::NoFiles => [OccurrenceProblem::NoFiles],
    OccurrenceProblem::Count { .. } => [OccurrenceProblem::Count { wanted: u32::MAX, found: u64::MAX }],
    OccurrenceProblem::Unknown(_) => [OccurrenceProblem::Unknown(text.to_owned())],
    OccurrenceProblem::OtherSearch(_) => [OccurrenceProblem::OtherSearch(text.to_owned())],
    OccurrenceProblem::Stale(..) => [OccurrenceProblem::Stale(text.to_owned(), "0".repeat(32))],
    OccurrenceProblem::TooMany => [OccurrenceProblem::TooMany],
    OccurrenceProblem::TooManyFiles(_) => [OccurrenceProblem::TooManyFiles(usize::MAX)],
    OccurrenceProblem::PathsTooLong => [OccurrenceProblem::PathsTooLong],
    OccurrenceProblem::TooMuchPlaced => [OccurrenceProblem::TooMuchPlaced],
});

every!(wrong_lines(text): LineProblem {
    LineProblem::NotThere { .. } => [
        LineProblem::NotThere { asked: u64::MAX, total: 0 },
        LineProblem::NotThere { asked: u64::MAX - 1, total: u64::MAX },
    ],
    LineProblem::NothingToInsert => [LineProblem::NothingToInsert],
    LineProblem::TooLarge(_) => [LineProblem::TooLarge(u64::MAX)],
    LineProblem::UnknownFile => [LineProblem::UnknownFile],
    LineProblem::UnknownSyntax { .. } => [
        LineProblem::UnknownSyntax { syntax: text.to_owned(), near: Vec::new() },
        LineProblem::UnknownSyntax { syntax: text.to_owned(), near: vec![text.to_owned(); 3] },
    ],
    LineProblem::NoComments(_) => [LineProblem::NoComments("JSON")],
    LineProblem::Content { .. } => [LineProblem::Content { line: u64::MAX, what: "a string" }],
    LineProblem::AcrossMarkup => [LineProblem::AcrossMarkup],
    LineProblem::Joined(_) => [LineProblem::Joined(u64::MAX)],
    LineProblem::Deeper(_) => [LineProblem::Deeper(u64::MAX)],
    LineProblem::Continued { .. } => [LineProblem::Continued { line: u64::MAX, end: "..." }],
    LineProblem::Opens { .. } => [LineProblem::Opens { line: u64::MAX, what: "a string or a comment" }],
    LineProblem::StaysCode(_) => [LineProblem::StaysCode(u64::MAX)],
    LineProblem::Closes { .. } => [LineProblem::Closes { line: u64::MAX, holds: "-->" }],
});

every!(encodings(text): EncodingProblem {
    EncodingProblem::NotText(_) => [EncodingProblem::NotText(u64::MAX)],
    EncodingProblem::NotInNamed { .. } =>
        [EncodingProblem::NotInNamed { offset: u64::MAX, label: text.to_owned() }],
    EncodingProblem::MayBeUtf16(_) => [EncodingProblem::MayBeUtf16("UTF-16BE")],
    EncodingProblem::Utf32(_) => [EncodingProblem::Utf32("UTF-32BE")],
    EncodingProblem::TooLargeToDecode { .. } =>
        [EncodingProblem::TooLargeToDecode { size: u64::MAX, encoding: "x-mac-cyrillic" }],
    EncodingProblem::NotInEncoding { .. } =>
        [EncodingProblem::NotInEncoding { character: '\u{E0001}', encoding: "x-mac-cyrillic" }],
    EncodingProblem::JoinsCharacters { .. } => [EncodingProblem::JoinsCharacters { encoding: "x-mac-cyrillic" }],
    EncodingProblem::Unknown { .. } => [
        EncodingProblem::Unknown { label: text.to_owned(), near: Vec::new() },
        EncodingProblem::Unknown { label: text.to_owned(), near: vec!["windows-1252".to_owned()] },
    ],
    EncodingProblem::NotEncodable(..) => [
        EncodingProblem::NotEncodable("new", NotEncodable { character: '\u{1}', offset: u64::MAX }),
        EncodingProblem::NotEncodable("content", NotEncodable { character: '\u{E0001}', offset: u64::MAX }),
    ],
});

every!(expressions(text): PatternError {
    PatternError::Empty => [PatternError::Empty],
    PatternError::InvertsSeveralLines => [PatternError::InvertsSeveralLines],
    PatternError::Invalid { .. } =>
        [PatternError::Invalid { field: "old", position: u64::MAX, problem: text.to_owned(), repair: None }],
    PatternError::TooLaborious(_) => [PatternError::TooLaborious("pattern")],
    PatternError::TooLarge(_) => [PatternError::TooLarge("pattern")],
    PatternError::TooLong(_) => [PatternError::TooLong(usize::MAX)],
    PatternError::LineEnd(_) => [PatternError::LineEnd(u64::MAX)],
    PatternError::NoSuchGroup { .. } => [
        PatternError::NoSuchGroup { name: text.to_owned(), runs_on: None, groups: 0, names: Vec::new() },
        PatternError::NoSuchGroup {
            name: text.to_owned(),
            runs_on: None,
            groups: 1,
            names: vec![text.to_owned()],
        },
        PatternError::NoSuchGroup {
            name: text.to_owned(),
            runs_on: Some((1, text.to_owned())),
            groups: 99,
            names: vec![text.to_owned(); 99],
        },
    ],
});

every!(sections(text): SectionProblem {
    SectionProblem::Empty => [SectionProblem::Empty],
    SectionProblem::OfDirectory => [SectionProblem::OfDirectory],
    SectionProblem::WithLines => [SectionProblem::WithLines],
    SectionProblem::Unknown => [SectionProblem::Unknown],
    SectionProblem::TooLarge(_) => [SectionProblem::TooLarge(u64::MAX)],
    SectionProblem::NoPlace(_) => [SectionProblem::NoPlace("lines")],
    SectionProblem::NoOutline => [SectionProblem::NoOutline],
    SectionProblem::OutlineTooLarge(_) => [SectionProblem::OutlineTooLarge(u64::MAX)],
    SectionProblem::Missing { .. } => [
        SectionProblem::Missing { name: text.to_owned(), inside: None, near: Vec::new() },
        SectionProblem::Missing { name: text.to_owned(), inside: Some(text.to_owned()), near: vec![text.to_owned(); 3] },
    ],
    SectionProblem::Several { .. } => [SectionProblem::Several { name: text.to_owned(), count: u64::MAX, lines: lines() }],
    SectionProblem::Unclear { .. } => [
        SectionProblem::Unclear { name: text.to_owned(), line: 1, doubt: 1 },
        SectionProblem::Unclear { name: text.to_owned(), line: 1, doubt: u32::MAX },
    ],
    SectionProblem::Shared { .. } => [SectionProblem::Shared { name: text.to_owned(), line: u32::MAX }],
    SectionProblem::Lost { .. } => [SectionProblem::Lost { name: text.to_owned(), line: u32::MAX }],
    SectionProblem::Without { .. } => [
        SectionProblem::Without { name: text.to_owned(), nearest: None, count: 0, lines: Vec::new() },
        SectionProblem::Without { name: text.to_owned(), nearest: None, count: 1, lines: vec![1] },
        SectionProblem::Without {
            name: text.to_owned(),
            nearest: Some(Box::new(longest())),
            count: u64::MAX,
            lines: lines(),
        },
    ],
});

every!(conflicts(_text): Conflict {
    Conflict::Content => [Conflict::Content],
    Conflict::Entries => [Conflict::Entries],
    Conflict::Gone => [Conflict::Gone],
    Conflict::Other => [Conflict::Other],
    Conflict::Taken => [Conflict::Taken],
    Conflict::NotKept => [Conflict::NotKept],
    Conflict::Damaged => [Conflict::Damaged],
    Conflict::Part => [Conflict::Part],
    Conflict::GivenUp => [Conflict::GivenUp],
    Conflict::Overwritten => [Conflict::Overwritten],
});

pub(super) fn named() -> NamedEntry {
    NamedEntry {
        id: "0".repeat(32),
        tool: "replace_in_files".to_owned(),
        time: "2026-11-21T00:23:57.1Z".to_owned(),
    }
}

every!(past(text): HistoryProblem {
    HistoryProblem::NoHistory => [HistoryProblem::NoHistory],
    HistoryProblem::NoId(_) => [HistoryProblem::NoId("id")],
    HistoryProblem::NoTime(_) => [HistoryProblem::NoTime("since")],
    HistoryProblem::NothingToUndo { .. } => [HistoryProblem::NothingToUndo { any: false }, HistoryProblem::NothingToUndo { any: true }],
    HistoryProblem::NothingToRedo { .. } => [HistoryProblem::NothingToRedo { any: false }, HistoryProblem::NothingToRedo { any: true }],
    HistoryProblem::UndoConflict(..) => [HistoryProblem::UndoConflict(text.to_owned(), Conflict::Content)],
    HistoryProblem::UnknownEntry(_) => [HistoryProblem::UnknownEntry(text.to_owned())],
    HistoryProblem::SeveralEntries(..) => [HistoryProblem::SeveralEntries("id", [Id(1), Id(2)])],
    HistoryProblem::SetAside(..) => [HistoryProblem::SetAside(text.to_owned(), text.to_owned())],
    HistoryProblem::UnknownPlace(_) => [HistoryProblem::UnknownPlace(text.to_owned())],
    HistoryProblem::OtherSession(_) => [HistoryProblem::OtherSession(text.to_owned())],
    HistoryProblem::HiddenEntry(_) => [HistoryProblem::HiddenEntry(text.to_owned())],
    HistoryProblem::UndoneAlready(_) => [HistoryProblem::UndoneAlready(text.to_owned())],
    HistoryProblem::ChangesNothing(_) => [HistoryProblem::ChangesNothing(text.to_owned())],
    HistoryProblem::NoUndo(_) => [HistoryProblem::NoUndo(text.to_owned())],
    HistoryProblem::EntryConflict(..) => [
        HistoryProblem::EntryConflict(text.to_owned(), Conflict::Content, named()),
        HistoryProblem::EntryConflict(text.to_owned(), Conflict::Taken, named()),
    ],
    HistoryProblem::EntryRefused(..) => [
        HistoryProblem::EntryRefused(Box::new(Reason::Denied(text.to_owned(), Denial::Open)), named()),
        HistoryProblem::EntryRefused(Box::new(Reason::NotGranted(vec![text.to_owned()])), named()),
        HistoryProblem::EntryRefused(Box::new(Reason::ReadOnlyGrant), named()),
        HistoryProblem::EntryRefused(Box::new(no_room().into()), named()),
    ],
    HistoryProblem::IdAndTo => [HistoryProblem::IdAndTo],
    HistoryProblem::BadLabel => [HistoryProblem::BadLabel],
    HistoryProblem::NeedsPath(_) => [HistoryProblem::NeedsPath(vec![text.to_owned(); 2])],
    HistoryProblem::NotInEntry => [HistoryProblem::NotInEntry],
    HistoryProblem::ForgetsOne => [HistoryProblem::ForgetsOne],
    HistoryProblem::NoRoom(_) => [
        no_room(),
        HistoryProblem::NoRoom(NoRoom { needed: u64::MAX, most: 1, unit: "entries" }),
    ],
});

fn no_room() -> HistoryProblem {
    HistoryProblem::NoRoom(NoRoom { needed: u64::MAX, most: 1, unit: "bytes" })
}

every!(globs(_text): glob::GlobProblem {
    glob::GlobProblem::Empty => [glob::GlobProblem::Empty],
    glob::GlobProblem::TooLong => [glob::GlobProblem::TooLong],
    glob::GlobProblem::UnclosedClass => [glob::GlobProblem::UnclosedClass],
    glob::GlobProblem::BackwardsRange => [glob::GlobProblem::BackwardsRange],
    glob::GlobProblem::UnclosedBraces => [glob::GlobProblem::UnclosedBraces],
    glob::GlobProblem::UnopenedBraces => [glob::GlobProblem::UnopenedBraces],
    glob::GlobProblem::NestedTooDeep => [glob::GlobProblem::NestedTooDeep],
    glob::GlobProblem::DanglingEscape => [glob::GlobProblem::DanglingEscape],
    glob::GlobProblem::Parent => [glob::GlobProblem::Parent],
    glob::GlobProblem::Nul => [glob::GlobProblem::Nul],
});

every!(paths(_text): PathProblem {
    PathProblem::Empty => [PathProblem::Empty],
    PathProblem::Nul => [PathProblem::Nul],
    PathProblem::Backslash => [PathProblem::Backslash],
    PathProblem::NamesDirectory => [PathProblem::NamesDirectory],
    PathProblem::NotANameHere => [PathProblem::NotANameHere],
    PathProblem::SlashBehindLink => [PathProblem::SlashBehindLink],
    PathProblem::GrantItself => [PathProblem::GrantItself],
    PathProblem::HoldsGrant => [PathProblem::HoldsGrant],
    PathProblem::RemoteUrl => [PathProblem::RemoteUrl],
    PathProblem::UndecodableUrl => [PathProblem::UndecodableUrl],
    PathProblem::AmbiguousUrl => [PathProblem::AmbiguousUrl],
});

every!(denials(_text): Denial {
    Denial::Open => [Denial::Open],
    Denial::Change => [Denial::Change],
    Denial::Append => [Denial::Append],
    Denial::Delete => [Denial::Delete],
    Denial::Inside => [Denial::Inside],
    Denial::Link => [Denial::Link],
    Denial::Linked => [Denial::Linked],
    Denial::Many(_) => [Denial::Many(u64::MAX)],
});

every!(interruptions(text): Interruption {
    Interruption::Deadline(_) => [Interruption::Deadline(Duration::from_secs(u64::MAX))],
    Interruption::TextDeadline(_) => [Interruption::TextDeadline(Duration::from_secs(u64::MAX))],
    Interruption::Memory(_) => [Interruption::Memory(u64::MAX)],
    Interruption::HostMemory(_) => [Interruption::HostMemory(u64::MAX)],
    Interruption::Handles(_) => [Interruption::Handles(u64::MAX)],
    Interruption::Cancelled => [Interruption::Cancelled],
    Interruption::Trap(_) => [Interruption::Trap(text.to_owned())],
});

every!(standings(_text): ChangeState {
    ChangeState::Untouched => [ChangeState::Untouched],
    ChangeState::RolledBack => [ChangeState::RolledBack],
    ChangeState::Done => [ChangeState::Done],
    ChangeState::Unknown => [ChangeState::Unknown],
});

every!(refusing(_text): ConfirmationRefusal {
    ConfirmationRefusal::Declined => [ConfirmationRefusal::Declined],
    ConfirmationRefusal::Dismissed => [ConfirmationRefusal::Dismissed],
    ConfirmationRefusal::Silent(_) => [ConfirmationRefusal::Silent(Duration::from_secs(u64::MAX))],
    ConfirmationRefusal::Failed => [ConfirmationRefusal::Failed],
});

every!(unusable(text): Unusable {
    Unusable::Format(_) => [Unusable::Format(text.to_owned())],
    Unusable::Foreign(_) => [Unusable::Foreign(text.to_owned())],
    Unusable::Damaged(_) => [Unusable::Damaged("control")],
    Unusable::Fault(_) => [Unusable::Fault(Fault::Io(text.to_owned()))],
});

every!(reasons(text): Reason {
    Reason::NotFound(_) => [Reason::NotFound(Vec::new()), Reason::NotFound(vec![text.to_owned(); fsgate_contract::limits::SUGGESTIONS])],
    Reason::Exists => [Reason::Exists],
    Reason::IsDirectory => [Reason::IsDirectory],
    Reason::NotDirectory => [Reason::NotDirectory],
    Reason::Dangling(_) => [Reason::Dangling(None), Reason::Dangling(Some(text.to_owned()))],
    Reason::WildPath => [Reason::WildPath],
    Reason::FileInTheWay => [Reason::FileInTheWay],
    Reason::LinkInTheWay(_) => [Reason::LinkInTheWay(None), Reason::LinkInTheWay(Some(text.to_owned()))],
    Reason::NeedsRecursive { .. } => [Reason::NeedsRecursive { within: false }, Reason::NeedsRecursive { within: true }],
    Reason::DeletesDirectory => [Reason::DeletesDirectory],
    Reason::DeletesFile => [Reason::DeletesFile],
    Reason::DestinationIsDirectory { .. } => [
        Reason::DestinationIsDirectory { meant: text.to_owned(), refused: None },
        Reason::DestinationIsDirectory { meant: text.to_owned(), refused: Some(Box::new(Reason::Exists)) },
    ],
    Reason::NotEmpty(_) => [Reason::NotEmpty(u64::MAX)],
    Reason::SameFile => [Reason::SameFile],
    Reason::IntoItself => [Reason::IntoItself],
    Reason::Entangled => [Reason::Entangled],
    Reason::OnlyFilesCross => [Reason::OnlyFilesCross],
    Reason::Unreachable(_) => [Reason::Unreachable(u64::MAX)],
    Reason::TooManyMatches { .. } => [Reason::TooManyMatches { found: u64::MAX, most: usize::MAX }],
    Reason::GlobOfFile => [Reason::GlobOfFile],
    Reason::IgnoreFile { .. } => [
        Reason::IgnoreFile { file: text.to_owned(), why: IgnoreProblem::TooLarge },
        Reason::IgnoreFile { file: text.to_owned(), why: IgnoreProblem::Unreadable },
    ],
    Reason::Excluding(..) => [Reason::Excluding("recursive", "glob")],
    Reason::CopyTooLarge(_) => [Reason::CopyTooLarge(u64::MAX)],
    Reason::Unsized => [Reason::Unsized],
    Reason::Changed => [Reason::Changed],
    Reason::Foreign(_) => [Reason::Foreign(text.to_owned())],
    Reason::Partly { .. } => [Reason::Partly {
        done: "copied",
        count: u64::MAX,
        why: Box::new(Reason::Volume(Fault::Io(text.to_owned()), true)),
    }],
    Reason::PathEscape => [Reason::PathEscape],
    Reason::AbsoluteLink => [Reason::AbsoluteLink],
    Reason::NotGranted(_) => [Reason::NotGranted(Vec::new()), Reason::NotGranted(vec![text.to_owned(); 100])],
    Reason::DuplicateGrant(_) => [Reason::DuplicateGrant(text.to_owned())],
    Reason::ReservedGrant(_) => [Reason::ReservedGrant(text.to_owned())],
    Reason::LinkLoop => [Reason::LinkLoop],
    Reason::ReadOnlyGrant => [Reason::ReadOnlyGrant],
    Reason::NotLiteral { .. } => [
        Reason::NotLiteral { beginning: Beginning::Home, meant: String::new(), start: text.to_owned() },
        Reason::NotLiteral { beginning: Beginning::Windows, meant: text.to_owned(), start: "/w".to_owned() },
        Reason::NotLiteral { beginning: Beginning::Url, meant: String::new(), start: text.to_owned() },
    ],
    Reason::InvalidPath(_) => [Reason::InvalidPath(PathProblem::Empty)],
    Reason::NameTooLong => [Reason::NameTooLong],
    Reason::EmptyArgument(_) => [Reason::EmptyArgument("old")],
    Reason::MistypedArgument { .. } => [Reason::MistypedArgument { field: text.to_owned(), problem: text.to_owned() }],
    Reason::Arguments(_) => [
        Reason::Arguments(vec![unknown_argument(text, None)]),
        Reason::Arguments(vec![unknown_argument(text, Some("path"))]),
        Reason::Arguments(vec![ArgumentProblem::Missing { field: text.to_owned() }]),
        Reason::Arguments(vec![ArgumentProblem::Empty { field: text.to_owned(), absent: "any" }]),
        Reason::Arguments(vec![ArgumentProblem::TooLarge { field: text.to_owned() }]),
        Reason::Arguments(vec![ArgumentProblem::OutOfRange(Misfit { field: "edits[999].occurrence".to_owned(), items: false, value: 0, low: 1, high: u64::MAX })]),
        Reason::Arguments(vec![ArgumentProblem::OutOfRange(Misfit { field: "paths".to_owned(), items: true, value: 0, low: 1, high: 1000 })]),
        Reason::Arguments(vec![ArgumentProblem::OutOfRange(Misfit { field: "paths".to_owned(), items: true, value: u64::MAX, low: 1, high: 1000 })]),
        Reason::Arguments(vec![
            ArgumentProblem::mistyped(text.to_owned(), "a text", &serde_json::Value::from(text));
            20
        ]),
    ],
    Reason::MalformedArguments { .. } => [Reason::MalformedArguments { position: u64::MAX, problem: text.to_owned() }],
    Reason::MalformedRequest { .. } => [Reason::MalformedRequest { position: u64::MAX, problem: text.to_owned() }],
    Reason::UnknownTool { .. } => [
        Reason::UnknownTool { name: text.to_owned(), known: known(), nearest: None },
        Reason::UnknownTool { name: text.to_owned(), known: known(), nearest: Some("read") },
    ],
    Reason::InvalidLines(_) => [
        Reason::InvalidLines(InvalidLines { spec: text.to_owned(), backwards: false }),
        Reason::InvalidLines(InvalidLines { spec: text.to_owned(), backwards: true }),
    ],
    Reason::Guessed { .. } => [Reason::Guessed { encoding: "windows-1252", why: Box::new(Reason::NoMatch(traces())) }],
    Reason::MatchesNothing(_) =>
        [Reason::MatchesNothing(Misread::LineEnds), Reason::MatchesNothing(Misread::Bar), Reason::MatchesNothing(Misread::Nothing)],
    Reason::TakenLiterally(_) => [Reason::TakenLiterally(Box::new(Reason::NoMatch(traces())))],
    Reason::Encoding(_) => [Reason::Encoding(EncodingProblem::NotText(0))],
    Reason::BudgetTooSmall { .. } => [
        Reason::BudgetTooSmall { line: 0, budget: 1, ceiling: u32::MAX },
        Reason::BudgetTooSmall { line: u64::MAX, budget: 1, ceiling: u32::MAX },
    ],
    Reason::SpanTooLarge(_) => [Reason::SpanTooLarge(u64::MAX)],
    Reason::PlacedTooLarge => [Reason::PlacedTooLarge],
    Reason::TooLargeForRegex(_) => [Reason::TooLargeForRegex(u64::MAX)],
    Reason::Pattern(_) => [Reason::Pattern(PatternError::Empty)],
    Reason::InvalidGlob { .. } => [Reason::InvalidGlob {
        field: "pattern",
        invalid: glob::InvalidGlob { position: usize::MAX, problem: glob::GlobProblem::Parent },
    }],
    Reason::EditsLaborious => [Reason::EditsLaborious],
    Reason::GlobOutside { .. } => [Reason::GlobOutside { field: "pattern", start: text.to_owned() }],
    Reason::CountAndLimit => [Reason::CountAndLimit],
    Reason::Both(..) => [Reason::Both("skip_lines", "last_lines"), Reason::Both("paths", "glob")],
    Reason::OnlyWith(..) => [Reason::OnlyWith("if_none_match", "content"), Reason::OnlyWith("path", "glob")],
    Reason::Lines(_) => [Reason::Lines(LineProblem::NothingToInsert)],
    Reason::Section(_) => [Reason::Section(SectionProblem::Empty)],
    Reason::NoEdits => [Reason::NoEdits],
    Reason::EditsAndPatch => [Reason::EditsAndPatch],
    Reason::Patch(_) => [Reason::Patch(Box::new(PatchProblem::Left))],
    Reason::InPatch { .. } => [in_patch(Reason::Exists)],
    Reason::EditPathsTooLong => [Reason::EditPathsTooLong],
    Reason::InvalidEdit(_) => [Reason::InvalidEdit(EditProblem::Nothing)],
    Reason::Occurrences(_) => [Reason::Occurrences(Box::new(OccurrenceProblem::NoFiles))],
    Reason::InEdit { .. } => [in_edit(Reason::Exists)],
    Reason::CountMismatch { .. } => [
        Reason::CountMismatch { wanted: u32::MAX, found: 1, lines: vec![1] },
        Reason::CountMismatch { wanted: u32::MAX, found: u64::MAX, lines: vec![u32::MAX; LINES_LISTED] },
    ],
    Reason::CountOfNothing { .. } => [
        Reason::CountOfNothing { wanted: u32::MAX, why: Box::new(Reason::NoMatch(traces())) },
    ],
    Reason::NoMatch(_) => [Reason::NoMatch(Traces::default()), Reason::NoMatch(traces())],
    Reason::Ambiguous { .. } => [Reason::Ambiguous { count: u64::MAX, lines: lines() }],
    Reason::NoSuchOccurrence { .. } => [Reason::NoSuchOccurrence { asked: u32::MAX, count: u64::MAX }],
    Reason::Stale(_) => [Reason::Stale("0".repeat(32))],
    Reason::SeenBefore { .. } => [
        Reason::SeenBefore { found: String::new(), is_there: false, lines: None },
        Reason::SeenBefore { found: "0".repeat(32), is_there: true, lines: None },
        Reason::SeenBefore { found: "0".repeat(32), is_there: true, lines: Some(text.to_owned()) },
    ],
    Reason::NotInState { .. } => [
        Reason::NotInState { wanted: text.to_owned(), found: String::new() },
        Reason::NotInState { wanted: text.to_owned(), found: "0".repeat(32) },
    ],
    Reason::NoneMatchTag(_) => [Reason::NoneMatchTag(text.to_owned())],
    Reason::InvalidCursor => [Reason::InvalidCursor],
    Reason::StaleCursor(_) => [Reason::StaleCursor(format!("r{0}+{0}:{1}", u64::MAX, "0".repeat(32)))],
    Reason::SpecialFile(_) => [
        Reason::SpecialFile(SpecialKind::BlockDevice),
        Reason::SpecialFile(SpecialKind::CharacterDevice),
        Reason::SpecialFile(SpecialKind::Other),
    ],
    Reason::Volume(..) => [Reason::Volume(Fault::NoSpace, true)],
    Reason::Unrecovered(_) => [Reason::Unrecovered(Box::new(Fault::Io(text.to_owned())))],
    Reason::Past(_) => [Reason::Past(Box::new(HistoryProblem::NoHistory))],
    Reason::Unhealed(_) => [Reason::Unhealed(Box::new(Fault::Io(text.to_owned())))],
    Reason::Journal(_) => [Reason::Journal(Box::new(Fault::Io(text.to_owned())))],
    Reason::NoCopy(_) => [Reason::NoCopy(Kind::Link), Reason::NoCopy(Kind::Special(SpecialKind::Other))],
    Reason::NotKept(_) => [Reason::NotKept(Box::new(Fault::Io(text.to_owned())))],
    Reason::Unusable(_) => [Reason::Unusable(Box::new(Unusable::Damaged("control")))],
    Reason::Misset(_) => [Reason::Misset(Misset { name: "FSGATE_HISTORY_BYTES", wanted: "a number of bytes" })],
    Reason::Unread(_) => [
        Reason::Unread(Box::new(Unread { name: text.to_owned(), problem: Problem::Unknown })),
        Reason::Unread(Box::new(Unread { name: text.to_owned(), problem: Problem::Granted(text.to_owned()) })),
    ],
    Reason::InvalidPolicy { .. } => [Reason::InvalidPolicy { field: text.to_owned(), problem: text.to_owned() }],
    Reason::Denied(..) => [Reason::Denied(text.to_owned(), Denial::Open)],
    Reason::OverLimit(_) => [Reason::OverLimit(u64::MAX)],
    Reason::TooManyToAsk => [Reason::TooManyToAsk],
    Reason::Unconfirmed => [Reason::Unconfirmed],
    Reason::LockedElsewhere => [Reason::LockedElsewhere],
    Reason::HeldUp => [Reason::HeldUp],
    Reason::HalfWritten => [Reason::HalfWritten],
    Reason::Unlockable(_) => [Reason::Unlockable(text.to_owned())],
    Reason::Stopped(..) => [Reason::Stopped(Interruption::Cancelled, ChangeState::Untouched)],
    Reason::Exceeded(_) => [
        Reason::Exceeded(Exceeded::Calls(u32::MAX, Duration::from_secs(u64::MAX))),
        Reason::Exceeded(Exceeded::Concurrent(usize::MAX, usize::MAX)),
    ],
    Reason::Unaudited(_) => [Reason::Unaudited(text.to_owned())],
    Reason::AnswerUnaudited(_) => [Reason::AnswerUnaudited(text.to_owned())],
    Reason::NotConfirmed(_) => [Reason::NotConfirmed(ConfirmationRefusal::Failed)],
});

/// More names than any tool has arguments: all tools.
fn unknown_argument(field: &str, nearest: Option<&'static str>) -> ArgumentProblem {
    ArgumentProblem::Unknown { field: field.to_owned(), known: known(), nearest }
}

fn known() -> Vec<&'static str> {
    fsgate_contract::OPERATIONS.iter().map(|operation| operation.name).collect()
}

fn in_patch(why: Reason) -> Reason {
    let part = PatchPart { form: patch::PatchForm::Unified, number: usize::MAX, line: u32::MAX };
    Reason::InPatch { part, follows: true, hunk: Some((usize::MAX, u32::MAX)), why: Box::new(why) }
}

fn in_block(why: Reason) -> Reason {
    let part = PatchPart { form: patch::PatchForm::Blocks, number: usize::MAX, line: u32::MAX };
    Reason::InPatch { part, follows: true, hunk: None, why: Box::new(why) }
}

fn in_edit(why: Reason) -> Reason {
    Reason::InEdit { number: usize::MAX, follows: true, why: Box::new(why) }
}

/// Every reason with its largest data.
pub(super) fn all(text: &str) -> Vec<Reason> {
    let mut all = reasons(text);
    for fault in faults(text) {
        all.extend([Reason::Volume(fault.clone(), false), Reason::Volume(fault.clone(), true)]);
        let boxed = Box::new(fault);
        all.extend([
            Reason::Unrecovered(boxed.clone()),
            Reason::Journal(boxed.clone()),
            Reason::NotKept(boxed.clone()),
        ]);
        all.push(Reason::Unhealed(boxed));
    }
    all.extend(edits(text).into_iter().map(Reason::InvalidEdit));
    for problem in unreadable(text) {
        let invalid = patch::InvalidPatch { position: u64::MAX, line: u32::MAX, problem };
        all.push(Reason::Patch(Box::new(PatchProblem::Invalid(invalid))));
    }
    all.extend(patches(text).into_iter().map(|problem| Reason::Patch(Box::new(problem))));
    all.extend(occurrences(text).into_iter().map(|problem| Reason::Occurrences(Box::new(problem))));
    all.extend(wrong_lines(text).into_iter().map(Reason::Lines));
    let hunk = |why| Reason::Patch(Box::new(PatchProblem::Hunk(why)));
    all.extend(misplaced(text).into_iter().map(hunk));
    all.extend(expressions(text).into_iter().map(Reason::Pattern));
    all.extend(encodings(text).into_iter().map(Reason::Encoding));
    all.extend(sections(text).into_iter().map(Reason::Section));
    all.extend(past(text).into_iter().map(|problem| Reason::Past(Box::new(problem))));
    let conflict = |conflict| Reason::Past(Box::new(HistoryProblem::UndoConflict(text.to_owned(), conflict)));
    all.extend(conflicts(text).into_iter().map(conflict));
    for problem in globs(text) {
        all.push(Reason::InvalidGlob {
            field: "pattern",
            invalid: glob::InvalidGlob { position: PATTERN_BYTES, problem },
        });
    }
    all.extend(paths(text).into_iter().map(Reason::InvalidPath));
    all.extend(denials(text).into_iter().map(|denial| Reason::Denied(text.to_owned(), denial)));
    for standing in standings(text) {
        all.extend(interruptions(text).into_iter().map(|stop| Reason::Stopped(stop, standing)));
        all.push(Reason::Exceeded(Exceeded::Result(u64::MAX, u64::MAX, standing)));
    }
    all.extend(refusing(text).into_iter().map(Reason::NotConfirmed));
    all.extend(unusable(text).into_iter().map(|problem| Reason::Unusable(Box::new(problem))));
    // One part of many fails like one call.
    let parts: Vec<_> = all
        .iter()
        .flat_map(|why| [in_edit(why.clone()), in_patch(why.clone()), in_block(why.clone())])
        .collect();
    all.extend(parts);
    all
}

/// The characters that take the most room in JSON or in display.
pub(super) const HOSTILE: [&str; 5] = ["\u{1}", "\u{E0001}", "\u{1F600}", "\\", "a"];
