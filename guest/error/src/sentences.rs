//! The sentence of each failure.

use super::phrases::{
    alternatives, counted, found, listed, on_lines, on_lines_of, suggestion, where_to_look,
};
use super::{
    Misread, Reason, arguments, edits, encodings, hosts, interruption, lines, occurrences, patches, paths,
    patterns, policy, sections, volume_faults,
};
use fsgate_contract::limits::{
    ERROR_TEXT_CHARS, LINKS, PATH_BYTES, PATH_SEGMENTS, PLACED_BYTES, REGEX_BYTES, SPAN_BYTES, STALE_BYTES,
};
use fsgate_contract::types::{Code, SpecialKind};
use fsgate_text::excerpt::{cut, quoted};
use fsgate_text::number::InvalidLines;
use fsgate_volume::settings::Misset;
use fsgate_volume::settings::Unusable;
use fsgate_volume::{Fault, Kind};

const SEEN_BEFORE: &str = "another program has changed the file since this session saw it";

const LOOK: &str = "read the file before you go on: it may hold a part of the change";

const START_AGAIN: &str =
    "start the session again, which makes again what is missing; the history that was in it is gone";

pub(super) struct Sentence {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) repair: String,
}

impl Reason {
    /// The cause of a partial change, without words about unchanged files.
    fn cause(&self) -> String {
        match self {
            Self::Volume(fault, _) => volume_faults::cause(fault),
            Self::Journal(fault) => volume_faults::cause(fault),
            other => other.sentence().message,
        }
    }

    /// A reason's sentence: families have their own files.
    pub(super) fn sentence(&self) -> Sentence {
        match self {
            Self::NotFound(paths) if paths.is_empty() => {
                say(Code::NotFound, "no such file or directory", "check the spelling of the path")
            }
            Self::NotFound(paths) => say(
                Code::NotFound,
                "no such file or directory",
                format!("did you mean {}?", alternatives(paths)),
            ),
            Self::Exists => say(
                Code::Exists,
                "something with this name exists already",
                "choose another name, or change what is there",
            ),
            Self::FileInTheWay => say(
                Code::Exists,
                "a file has this name, so no directory can have it",
                "choose another name, or move the file away first",
            ),
            Self::LinkInTheWay(target) => paths::link_in_the_way(target.as_deref()),
            Self::Dangling(target) => paths::dangling(target.as_deref()),
            Self::WildPath => paths::wild(None),
            Self::IsDirectory => {
                say(Code::IsDirectory, "this is a directory, not a file", "give the path of a file in it")
            }
            Self::NotDirectory => say(
                Code::NotDirectory,
                "a segment of the path is not a directory",
                "check the path segment by segment",
            ),
            Self::NeedsRecursive { within } => say(
                Code::IsDirectory,
                "this is a directory, not a file",
                match within {
                    false => "set `recursive` to true to take it with everything in it",
                    true => "give a destination outside of `source`, and set `recursive` to true",
                },
            ),
            Self::DeletesDirectory => {
                say(Code::IsDirectory, "this is a directory, not a file", "delete it with `delete_directory`")
            }
            Self::DeletesFile => {
                say(Code::NotDirectory, "this is not a directory", "delete it with `delete`")
            }
            Self::DestinationIsDirectory { meant, refused } => {
                let (message, meant) = ("the destination is a directory that is there", quoted(meant));
                match refused.as_ref().map(|reason| reason.sentence()) {
                    None => {
                        say(Code::IsDirectory, message, format!("give the whole new path, such as {meant}"))
                    }
                    Some(next) => {
                        let message = format!("{message}; with {meant}, {}", next.message);
                        say(Code::IsDirectory, message, next.repair)
                    }
                }
            }
            Self::NotEmpty(count) => say(
                Code::NotEmpty,
                format!("the directory is not empty: it has {}", counted(*count, "entry", "entries")),
                "set `recursive` to true to delete everything in it",
            ),
            Self::SameFile => say(
                Code::InvalidArgument("destination".to_owned()),
                "`source` and `destination` are the same",
                "give another destination",
            ),
            Self::IntoItself => say(
                Code::InvalidArgument("destination".to_owned()),
                "the destination lies in the directory that is to be put there",
                "give a destination outside of `source`",
            ),
            Self::Entangled => say(
                Code::InvalidArgument("destination".to_owned()),
                "this file would be overwritten, and it is also copied from, or written twice",
                "give another destination, or copy the files one by one",
            ),
            Self::OnlyFilesCross => say(
                Code::CrossDevice,
                "the two paths are in different granted directories or file systems, and only files are moved there",
                "copy it with `copy`, and delete what is left",
            ),
            Self::Unreachable(count) => say(
                Code::InvalidPath,
                format!(
                    "the directory has {} not UTF-8, which no path can name",
                    counted(*count, "name that is", "names that are")
                ),
                "rename them by other means, or take the other things one by one",
            ),
            Self::TooManyMatches { found, most } => say(
                Code::TooLarge(*most as u64),
                format!(
                    "`glob` matches {found} files, and at most {most} are taken at once; nothing was done"
                ),
                "narrow the pattern and call again for the rest, or use `recursive` for a whole directory",
            ),
            Self::IgnoreFile { file, why } => patterns::ignore_file(file, *why),
            Self::GlobOfFile => say(
                Code::NotDirectory,
                "`glob` looks in a directory, and this is none",
                "give the directory as the path, or leave `glob` out",
            ),
            Self::Excluding(field, other) => exclusive(field, field, other),
            Self::CopyTooLarge(bytes) => say(
                Code::TooLarge(SPAN_BYTES),
                format!(
                    "the copy puts {bytes} bytes in the place of others; at most {SPAN_BYTES} are changed at once"
                ),
                "copy to a new path, and move the copy over the file with `move`",
            ),
            Self::Unsized => say(
                Code::Unsupported,
                "the system makes this file up as it is read, and its size is not that of its content: it cannot be copied",
                "`read` it and `write` the text to the new path",
            ),
            Self::Changed => say(
                Code::Stale(String::new()),
                "something else is there than was looked at just before",
                "look at it again and repeat the call",
            ),
            Self::Foreign(found) => say(
                Code::Stale(String::new()),
                format!(
                    "another program has put something into the new directory; it is beside the directory now, as {}",
                    quoted(found)
                ),
                "move it back to its place, and repeat the call",
            ),
            Self::Partly { done, count, why } => say(
                Code::Unrecovered,
                format!(
                    "{} {done} before it failed: {}",
                    match *done {
                        "forgotten" => counted(*count, "entry was", "entries were"),
                        _ => counted(*count, "file was", "files were"),
                    },
                    why.cause()
                ),
                "look what is there before you go on",
            ),
            Self::PathEscape => say(
                Code::PathEscape,
                "the path leads out of the granted directory, by `..` or by a link",
                "use a path inside a granted directory",
            ),
            Self::NotLiteral { beginning, meant, start } => paths::not_literal(*beginning, meant, start),
            Self::AbsoluteLink => say(
                Code::PathEscape,
                "the path leads through an absolute link, which is not followed",
                "use the path that the link means, if it lies in a granted directory",
            ),
            Self::NotGranted(grants) if grants.is_empty() => say(
                Code::NotGranted,
                "no directory is granted",
                "start fsgate, or `wasmtime run`, with `--dir PATH`",
            ),
            Self::NotGranted(grants) => say(
                Code::NotGranted,
                "the path lies in no granted directory",
                format!("use a path in {}", listed(grants)),
            ),
            Self::DuplicateGrant(name) => say(
                Code::NotGranted,
                format!("two directories are granted under the name {}, so neither is", quoted(name)),
                "give each a name of its own, such as `--dir PATH::NAME`",
            ),
            Self::ReservedGrant(name) => say(
                Code::NotGranted,
                format!(
                    "a directory is granted under the name {}, and names that begin with `/.fsgate` are fsgate's own",
                    quoted(name)
                ),
                "grant it under another name; a state directory is `/.fsgate`, settings for ACT are `/.fsgate-settings`",
            ),
            Self::LinkLoop => say(
                Code::LinkLoop,
                format!("the path goes through a cycle of links, or more than {LINKS} of them"),
                "give a path without these links: `stat` with `follow: false` shows where each one leads",
            ),
            Self::ReadOnlyGrant => say(
                Code::ReadOnly,
                "the directory is granted for reading only",
                "start fsgate with `--dir` for this directory",
            ),
            Self::InvalidPath(problem) => paths::sentence(*problem),
            Self::NameTooLong => say(
                Code::NameTooLong,
                format!(
                    "the path has more than {PATH_BYTES} bytes or {PATH_SEGMENTS} segments, or a segment that the file \
                     system takes for too long"
                ),
                "give a shorter path: fewer directories in one another, or shorter names",
            ),
            Self::EmptyArgument(field) => say(
                Code::InvalidArgument((*field).to_owned()),
                format!("`{field}` is empty"),
                format!("give at least one character in `{field}`"),
            ),
            Self::MistypedArgument { field, problem } => {
                let name = quoted(field);
                say(
                    Code::InvalidArgument(cut(field, 100).into_owned()),
                    cut(problem, ERROR_TEXT_CHARS).into_owned(),
                    format!("give {name} as the schema of the tool describes it"),
                )
            }
            Self::Arguments(problems) => arguments::sentence(problems),
            Self::MalformedArguments { position, problem } => say(
                Code::Malformed(*position),
                format!("the arguments are not a JSON object: {}", cut(problem, ERROR_TEXT_CHARS)),
                "give a JSON object such as {\"path\": \"src/main.rs\"}",
            ),
            Self::MalformedRequest { position, problem } => say(
                Code::Malformed(*position),
                format!("the request is not a JSON object: {}", cut(problem, ERROR_TEXT_CHARS)),
                "give a JSON object such as {\"tool\": \"read\", \"arguments\": {\"path\": \"src/main.rs\"}}",
            ),
            Self::UnknownTool { name, known, nearest } => say(
                Code::UnknownTool,
                format!("there is no tool {}", quoted(name)),
                suggestion(known, *nearest),
            ),
            Self::InvalidLines(InvalidLines { spec, backwards }) => {
                let spec = cut(spec, 100);
                let message = if *backwards {
                    format!("invalid line range '{spec}' (start must be <= end)")
                } else {
                    format!("invalid line specification '{spec}'")
                };
                say(Code::InvalidRange, message, "write one line as `4`, a range as `23-43`")
            }
            Self::Encoding(problem) => encodings::sentence(problem),
            Self::BudgetTooSmall { line, budget, ceiling } => say(
                Code::TooLarge(u64::from(*budget)),
                match line {
                    0 => format!("`max_bytes` ({budget}) does not hold one character of the line"),
                    line => format!("`max_bytes` ({budget}) does not hold one character of line {line}"),
                },
                format!("set `max_bytes` to up to {ceiling}"),
            ),
            Self::SpanTooLarge(bytes) => say(
                Code::TooLarge(SPAN_BYTES),
                format!(
                    "the change moves or replaces {bytes} bytes of the file; at most {SPAN_BYTES} are changed at once"
                ),
                "keep the length of what is replaced, or change less of the file at once",
            ),
            Self::PlacedTooLarge => say(
                Code::TooLarge(PLACED_BYTES as u64),
                format!(
                    "the text from the first changed byte to the last has more than {PLACED_BYTES} bytes"
                ),
                "change fewer occurrences at once, with `limit`",
            ),
            Self::TooLargeForRegex(size) => say(
                Code::TooLarge(REGEX_BYTES),
                format!(
                    "the file has {size} bytes; a regular expression is used on at most {REGEX_BYTES}, because it may \
                     match across lines"
                ),
                "replace a plain text, without `regex`",
            ),
            Self::Pattern(error) => patterns::expression(error),
            Self::EditsLaborious => super::edits::too_laborious(),
            Self::InvalidGlob { field, invalid } => patterns::sentence(field, invalid),
            Self::GlobOutside { field, start } => say(
                Code::InvalidPattern(0),
                format!("`{field}` begins with `/` and does not lie in {}", quoted(start)),
                "give a pattern relative to the directory that is searched",
            ),
            Self::Past(past) => past.sentence(),
            Self::NoEdits => edits::no_edits(),
            Self::EditsAndPatch => edits::edits_and_patch(),
            Self::Patch(problem) => patches::sentence(problem),
            Self::InPatch { part, follows, hunk, why } => patches::in_patch(*part, *follows, *hunk, why),
            Self::EditPathsTooLong => edits::paths_too_long(),
            Self::InvalidEdit(problem) => edits::sentence(*problem),
            Self::Occurrences(problem) => occurrences::sentence(problem),
            Self::Guessed { encoding, why } => encodings::guessed(encoding, why),
            Self::InEdit { number, follows, why } => edits::in_edit(*number, *follows, why),
            Self::CountAndLimit => say(
                Code::InvalidArgument("limit".to_owned()),
                "`count` and `limit` exclude one another",
                "give `count` to be sure of the number, or `limit` to change only the first ones",
            ),
            Self::Both(one, other) => exclusive(other, one, other),
            Self::OnlyWith(one, other) => say(
                Code::InvalidArgument((*one).to_owned()),
                format!("`{one}` has a meaning only with `{other}`"),
                format!("leave out `{one}`"),
            ),
            Self::CountMismatch { wanted, found, lines } => say(
                Code::CountMismatch(u32::try_from(*found).unwrap_or(u32::MAX)),
                format!(
                    "`old` occurs {found} time{}, beginning on {}; `count` is {wanted}",
                    if *found == 1 { "" } else { "s" },
                    on_lines_of(*found, lines, lines.len())
                ),
                format!("set `count` to {found} if all of them are meant, or make `old` longer"),
            ),
            Self::CountOfNothing { wanted, why } => {
                let Sentence { message, repair, .. } = why.sentence();
                say(Code::CountMismatch(0), format!("{message}; `count` is {wanted}"), repair)
            }
            Self::Lines(problem) => lines::sentence(problem),
            Self::Section(problem) => sections::sentence(problem),
            Self::NoMatch(traces) => say(
                Code::NoMatch(traces.nearest.clone()),
                format!("`old` does not occur in the file{}", found(traces, "`old`", "`new`")),
                format!("read {} and copy the text exactly, white space included", where_to_look(traces)),
            ),
            Self::MatchesNothing(misread) => say(
                Code::NoMatch(None),
                "the expression in `old` matches nothing in the file",
                match misread {
                    Misread::LineEnds => {
                        "lines of it end in CRLF, and an expression sees that: write `\\r?\\n` for a line end"
                    }
                    Misread::Bar => "`\\|` stands for the character `|`: write alternatives as `a|b`",
                    Misread::Nothing => {
                        "read the file and correct the expression, or leave `regex` out to find the text as it is"
                    }
                },
            ),
            Self::TakenLiterally(why) => {
                let Sentence { code, message, repair } = why.sentence();
                say(code, message, format!("{repair}, or set `regex` if `old` is a regular expression"))
            }
            Self::Ambiguous { count, lines } => say(
                Code::Ambiguous(lines.clone()),
                format!("`old` occurs {count} times, beginning on {}", on_lines(*count, lines)),
                "add surrounding text to `old`, or say which one with `occurrence`",
            ),
            Self::NoSuchOccurrence { asked, count } => say(
                Code::OutOfRange(u32::try_from(*count).unwrap_or(u32::MAX)),
                format!(
                    "`occurrence` is {asked}, but `old` occurs {count} time{}",
                    if *count == 1 { "" } else { "s" }
                ),
                format!("set `occurrence` to a number from 1 to {count}"),
            ),
            Self::Stale(tag) => say(
                Code::Stale(tag.clone()),
                "the file changed between reading and writing",
                "read the file again and repeat the call",
            ),
            Self::NotInState { wanted, found } => {
                let wanted = quoted(wanted);
                let message = match &found[..] {
                    "" => {
                        format!("the file is not in the state {wanted}: it is not there, or that is no tag")
                    }
                    found => format!("the file is not in the state {wanted}: its tag is `{found}`"),
                };
                say(
                    Code::Stale(found.clone()),
                    message,
                    "read the file again and repeat the call with the new tag",
                )
            }
            Self::SeenBefore { found, is_there, lines } => {
                let (message, repair) = match (is_there, lines) {
                    (false, _) => (
                        "this session saw the file, and it is not there any more",
                        "repeat the call if the file is to be made anew".to_owned(),
                    ),
                    (_, Some(lines)) => (
                        SEEN_BEFORE,
                        format!(
                            "repeat the call if it still means these lines, and read the file before any other change by \
                             place:\n{}",
                            cut(lines, STALE_BYTES.into())
                        ),
                    ),
                    _ => (
                        SEEN_BEFORE,
                        "read the file again, and repeat the call if it is still right".to_owned(),
                    ),
                };
                say(Code::Stale(found.clone()), message, repair)
            }
            Self::NoneMatchTag(tag) => say(
                Code::Stale(String::new()),
                format!("`if_none_match` is {}, and only `*` has a meaning there", quoted(tag)),
                "give `*`, or a tag as `if_match`",
            ),
            Self::InvalidCursor => say(
                Code::InvalidArgument("cursor".to_owned()),
                "`cursor` is not a cursor of this tool",
                "give `next_cursor` of an answer as it is, or leave `cursor` out",
            ),
            Self::StaleCursor(tag) => say(
                Code::Stale(tag.clone()),
                "the file changed since the cursor was made",
                "start again without `cursor`",
            ),
            Self::SpecialFile(kind) => {
                let what = match kind {
                    SpecialKind::BlockDevice => "a block device",
                    SpecialKind::CharacterDevice => "a character device",
                    SpecialKind::Other => "a FIFO, a socket or something unknown",
                };
                say(
                    Code::SpecialFile(*kind),
                    format!("this is {what}, which is neither read nor written"),
                    "give the path of a file, a directory or a link",
                )
            }
            Self::Volume(fault, writing) => volume_faults::volume(fault, *writing),
            Self::Unrecovered(fault) => say(
                Code::Unrecovered,
                format!(
                    "writing failed midway, and the file holds a part of the change: {}",
                    volume_faults::cause(fault)
                ),
                LOOK,
            ),
            Self::Unhealed(fault) => say(
                Code::Unrecovered,
                format!(
                    "an earlier change was cut short, and it can be neither finished nor taken back now; nothing else was \
                     changed: {}",
                    volume_faults::volume(fault, true).message
                ),
                "call it again as soon as the cause is gone",
            ),
            Self::Journal(fault) => {
                let Sentence { code, message, .. } = volume_faults::volume(fault, true);
                let (message, repair) = match **fault {
                    Fault::NotFound => {
                        ("the state directory, or a part of it, is missing".to_owned(), START_AGAIN)
                    }
                    Fault::ReadOnly | Fault::Access | Fault::NotPermitted => {
                        (message, "make the state directory writable, or start with `--durability none`")
                    }
                    _ => (message, "make room for the state directory, or start with `--durability none`"),
                };
                say(
                    code,
                    format!(
                        "the change could not be written down before it was made, so it was not made: {message}"
                    ),
                    repair,
                )
            }
            Self::NotKept(fault) => {
                // The history is the user's own: the file is denied, not the copy.
                let writing = !matches!(**fault, Fault::Access);
                let Sentence { code, message, .. } = volume_faults::volume(fault, writing);
                say(
                    code,
                    format!("what would be gone cannot be kept for an undo: {message}"),
                    "delete it with `keep: false`, in a call of its own, if it may be gone for good",
                )
            }
            Self::NoCopy(kind) => say(
                Code::Unsupported,
                format!(
                    "{} cannot be kept for an undo: the history is on another file system, and only files and \
                     directories can be copied there",
                    if *kind == Kind::Link { "a link" } else { "a special file" }
                ),
                "delete it with `keep: false`, in a call of its own, if it may be gone for good",
            ),
            Self::Unusable(why) => say(
                Code::Unsupported,
                match &**why {
                    Unusable::Format(text) => {
                        format!("the state directory is of another version: {}", quoted(text))
                    }
                    Unusable::Foreign(name) => {
                        format!("the state directory has something else in it: {}", quoted(name))
                    }
                    Unusable::Damaged(name) => {
                        format!("`{name}` in the state directory is not what it should be")
                    }
                    Unusable::Fault(fault) => {
                        format!(
                            "the state directory cannot be used: {}",
                            volume_faults::volume(fault, true).message
                        )
                    }
                },
                "give another one, an empty directory, or start with `--durability none`",
            ),
            Self::Misset(Misset { name, wanted }) => say(
                Code::Unsupported,
                format!("the setting `{name}` has no meaning here"),
                format!("set it to {wanted}, or not at all, and start again"),
            ),
            Self::Unread(unread) => hosts::unread(unread),
            Self::InvalidPolicy { field, problem } => policy::invalid(field, problem),
            Self::Denied(rule, denial) => policy::denied(rule, *denial),
            Self::OverLimit(most) => policy::over_limit(*most),
            Self::TooManyToAsk => policy::too_many_to_ask(),
            Self::Unconfirmed => policy::unconfirmed(),
            Self::LockedElsewhere => say(
                Code::Busy,
                "another fsgate is changing files in the same directories",
                "repeat the call later",
            ),
            Self::HeldUp => hosts::held_up(),
            Self::HalfWritten => hosts::half_written(),
            Self::Unlockable(text) => say(
                Code::Io("lock".to_owned()),
                format!("a lock against other programs cannot be taken: {}", cut(text, ERROR_TEXT_CHARS)),
                "start fsgate again; if the state lies on a file system without locks, name another one with `--state-dir`",
            ),
            Self::Stopped(stop, standing) => interruption::sentence(stop, *standing),
            Self::Exceeded(exceeded) => hosts::exceeded(exceeded),
            Self::Unaudited(problem) => hosts::unaudited("was not made", problem),
            Self::AnswerUnaudited(problem) => hosts::unaudited("is not answered", problem),
            Self::NotConfirmed(refusing) => hosts::not_confirmed(*refusing),
        }
    }
}

/// Two arguments of which one is wrong.
fn exclusive(wrong: &str, one: &str, other: &str) -> Sentence {
    say(
        Code::InvalidArgument(wrong.to_owned()),
        format!("`{one}` and `{other}` exclude one another"),
        format!("leave out `{one}` or `{other}`"),
    )
}

pub(super) fn say(code: Code, message: impl Into<String>, repair: impl Into<String>) -> Sentence {
    Sentence { code, message: message.into(), repair: repair.into() }
}
