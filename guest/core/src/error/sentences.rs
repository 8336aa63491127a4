//! Every sentence that a user reads about a failure, and what to do next.

use super::phrases::{alternatives, counted, listed, on_lines, on_lines_of, place, suggestion};
use super::{
    Interruption, PathProblem, Reason, Standing, edits, faults, hosts, lines, occurrences, patches, patterns,
    policy, sections,
};
use crate::contract::Misfit;
use crate::contract::types::{Code, SpecialKind};
use crate::limits::{
    DECODED_BYTES, ERROR_TEXT_CHARS, LINKS, PATH_BYTES, PATH_SEGMENTS, PATTERN_BYTES, PLACED_BYTES,
    REGEX_BYTES, SPAN_BYTES,
};
use crate::settings::Misset;
use crate::state::Unusable;
use crate::text::encoding::Encoding;
use crate::text::excerpt::{cut, quoted};

const LOOK: &str = "read the file before you go on: it may hold a part of the change";

/// What to do where a change was cut off at some place, whatever it was.
const LOOK_AROUND: &str = "look what is there before you go on, hidden names too: a file may hold a part of the change, others may \
    be done, and what was not finished may be left under a name that begins with `.fsgate-`, which can be deleted";

pub(super) struct Sentence {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) repair: Option<String>,
}

impl Reason {
    /// Every sentence that a user reads about a failure.
    pub(super) fn sentence(&self) -> Sentence {
        let (code, message, repair): (Code, String, Option<String>) = match self {
            Self::NotFound(paths) if paths.is_empty() => {
                say(Code::NotFound, "no such file or directory", "check the spelling of the path")
            }
            Self::NotFound(paths) => (
                Code::NotFound,
                "no such file or directory".to_owned(),
                Some(format!("did you mean {}?", alternatives(paths))),
            ),
            Self::Exists => say(
                Code::Exists,
                "something with this name exists already",
                "choose another name, or change the existing file with `replace`",
            ),
            Self::IsDirectory => {
                say(Code::IsDirectory, "this is a directory, not a file", "give the path of a file in it")
            }
            Self::NotDirectory => say(
                Code::NotDirectory,
                "a segment of the path is not a directory",
                "check the path segment by segment",
            ),
            Self::NeedsRecursive => say(
                Code::IsDirectory,
                "this is a directory, not a file",
                "set `recursive` to true to take it with everything in it",
            ),
            Self::DeletesDirectory => say(
                Code::IsDirectory,
                "this is a directory, not a file",
                "delete it with `delete_directory`",
            ),
            Self::DeletesFile => {
                say(Code::NotDirectory, "this is not a directory", "delete it with `delete`")
            }
            Self::DestinationIsDirectory(meant) => (
                Code::IsDirectory,
                "the destination is a directory that is there".to_owned(),
                Some(format!("give the whole new path, such as {}", quoted(meant))),
            ),
            Self::NotEmpty(count) => (
                Code::NotEmpty,
                format!("the directory is not empty: it has {}", counted(*count, "entry", "entries")),
                Some("set `recursive` to true to delete everything in it".to_owned()),
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
            Self::Unreachable(count) => (
                Code::InvalidPath,
                format!(
                    "the directory has {} not UTF-8, which no path can name",
                    counted(*count, "name that is", "names that are")
                ),
                Some("rename them by other means, or take the other things one by one".to_owned()),
            ),
            Self::TooManyMatches { found, most } => (
                Code::TooLarge(*most as u64),
                format!("`glob` matches {found} files, and at most {most} are taken at once; nothing was done"),
                Some("narrow the pattern and call again for the rest, or use `recursive` for a whole directory".to_owned()),
            ),
            Self::GlobOfFile => say(
                Code::NotDirectory,
                "`glob` looks in a directory, and this is none",
                "give the directory as the path, or leave `glob` out",
            ),
            Self::GlobWith(field) => (
                Code::InvalidArgument((*field).to_owned()),
                format!("`{field}` and `glob` exclude one another"),
                Some(format!("leave out `{field}` or `glob`")),
            ),
            Self::CopyTooLarge(bytes) => (
                Code::TooLarge(SPAN_BYTES),
                format!(
                    "the copy puts {bytes} bytes in the place of others; at most {SPAN_BYTES} are changed at once"
                ),
                Some("copy to a new path, and move the copy over the file with `move`".to_owned()),
            ),
            Self::Changed => say(
                Code::Stale(String::new()),
                "something else is there than was looked at just before",
                "look at it again and repeat the call",
            ),
            Self::Partly { done, count, why } => (
                Code::Unrecovered,
                format!("{} {done} before it failed: {}", counted(*count, "file was", "files were"), why.sentence().message),
                Some("look what is there before you go on".to_owned()),
            ),
            Self::PathEscape => say(
                Code::PathEscape,
                "the path leads out of the granted directory, by `..` or by a link",
                "use a path inside a granted directory",
            ),
            Self::NotGranted(grants) if grants.is_empty() => say(
                Code::NotGranted,
                "no directory is granted",
                "start fsgate, or `wasmtime run`, with `--dir PATH`",
            ),
            Self::NotGranted(grants) => (
                Code::NotGranted,
                "the path lies in no granted directory".to_owned(),
                Some(format!("use a path in {}", listed(grants))),
            ),
            Self::DuplicateGrant(name) => (
                Code::NotGranted,
                format!("two directories are granted under the name {}, so neither is", quoted(name)),
                Some("give each a name of its own, such as `--dir PATH::NAME`".to_owned()),
            ),
            Self::LinkLoop => (
                Code::LinkLoop,
                format!("the path goes through a cycle of links, or more than {LINKS} of them"),
                Some("give a path without these links: `stat` with `follow: false` shows where each one leads".to_owned()),
            ),
            Self::ReadOnlyGrant => say(
                Code::ReadOnly,
                "the directory is granted for reading only",
                "start fsgate with `--dir` for this directory",
            ),
            Self::InvalidPath(problem) => {
                let message = match problem {
                    PathProblem::Empty => "the path is empty",
                    PathProblem::Nul => "the path has a NUL byte",
                    PathProblem::Backslash => {
                        "the path has a backslash, which this host takes for a separator"
                    }
                    PathProblem::NamesDirectory => "the path can only name a directory, and a file is needed",
                    PathProblem::NotANameHere => {
                        "the path has a segment that the file system cannot hold as a name"
                    }
                    PathProblem::SlashBehindLink => {
                        return sentence(
                            Code::InvalidPath,
                            "the path ends in `/` and names a link, which is moved and deleted itself",
                            "leave the `/` out",
                        );
                    }
                    PathProblem::GrantItself => {
                        return sentence(
                            Code::InvalidPath,
                            "this is a granted directory, which is neither moved nor deleted",
                            "give the path of something in it",
                        );
                    }
                    PathProblem::HoldsGrant => {
                        return sentence(
                            Code::InvalidPath,
                            "there is a granted directory in this one, and it is neither moved nor deleted",
                            "give the paths of the other things in it",
                        );
                    }
                };
                say(Code::InvalidPath, message, "give a path such as `src/main.rs`")
            }
            Self::NameTooLong => (
                Code::NameTooLong,
                format!(
                    "the path has more than {PATH_BYTES} bytes or {PATH_SEGMENTS} segments, or a segment that the file \
                     system takes for too long"
                ),
                Some("give a shorter path: fewer directories in one another, or shorter names".to_owned()),
            ),
            Self::OutOfRange(Misfit { field, items, value, low, high }) => (
                Code::InvalidArgument(field.clone()),
                if *items {
                    format!("`{field}` has {value} items, and has to have between {low} and {high}")
                } else {
                    format!("`{field}` is {value}, and has to be between {low} and {high}")
                },
                Some(match (*items, value < low) {
                    (false, _) => format!("set `{field}` to a number from {low} to {high}, or leave it out"),
                    (true, true) => format!("put at least {low} in `{field}`"),
                    (true, false) => format!("put at most {high} in `{field}`, and make several calls"),
                }),
            ),
            Self::EmptyArgument(field) => (
                Code::InvalidArgument((*field).to_owned()),
                format!("`{field}` is empty"),
                Some(format!("give at least one character in `{field}`")),
            ),
            Self::MistypedArgument { field, problem } => {
                let name = quoted(field);
                (
                    Code::InvalidArgument(cut(field, 100).into_owned()),
                    cut(problem, ERROR_TEXT_CHARS).into_owned(),
                    Some(format!("give {name} as the schema of the tool describes it")),
                )
            }
            Self::UnknownArgument { field, known, nearest } => (
                Code::InvalidArgument(cut(field, 100).into_owned()),
                format!("there is no argument {}", quoted(field)),
                Some(suggestion(known, *nearest)),
            ),
            Self::MalformedArguments { position, problem } => (
                Code::Malformed(*position),
                format!("the arguments are not a JSON object: {}", cut(problem, ERROR_TEXT_CHARS)),
                Some("give a JSON object such as {\"path\": \"src/main.rs\"}".to_owned()),
            ),
            Self::MalformedRequest { position, problem } => (
                Code::Malformed(*position),
                format!("the request is not a JSON object: {}", cut(problem, ERROR_TEXT_CHARS)),
                Some(
                    "give a JSON object such as {\"tool\": \"read\", \"arguments\": {\"path\": \"src/main.rs\"}}"
                        .to_owned(),
                ),
            ),
            Self::UnknownTool { name, known, nearest } => (
                Code::UnknownTool,
                format!("there is no tool {}", quoted(name)),
                Some(suggestion(known, *nearest)),
            ),
            Self::InvalidLines { spec, backwards } => {
                let spec = cut(spec, 100);
                let message = if *backwards {
                    format!("invalid line range '{spec}' (start must be <= end)")
                } else {
                    format!("invalid line specification '{spec}'")
                };
                (Code::InvalidRange, message, Some("write one line as `4`, a range as `23-43`".to_owned()))
            }
            Self::NotText(offset) => (
                Code::NotText(*offset),
                format!("the file is no text: the byte at offset {offset} begins no character of UTF-8, and there are zeros"),
                Some("read it with `read_bytes`, or name the encoding it is in".to_owned()),
            ),
            Self::MayBeUtf16(encoding) => (
                Code::NotText(0),
                format!("the file may be text in {encoding}, which no byte order mark says; it has zeros where such a text has them"),
                Some(format!("name the encoding with `encoding`: `{}`, or `utf-8` to take its bytes as they are", encoding.to_ascii_lowercase())),
            ),
            Self::TooLargeToDecode { size, encoding } => (
                Code::TooLarge(DECODED_BYTES),
                format!("the file is in {encoding} and has {size} bytes; the limit for that is {DECODED_BYTES}"),
                Some("use `read_bytes` and `write_bytes`, or convert it first".to_owned()),
            ),
            Self::NotInEncoding { character, encoding } => (
                Code::NotEncodable(character.to_string()),
                format!("the file is in {encoding}, which has no {}", quoted(&character.to_string())),
                Some("use other characters, or write the file in another encoding with `write`".to_owned()),
            ),
            Self::JoinsCharacters { encoding } => (
                Code::NotEncodable(String::new()),
                format!("the file is in {encoding}, where what is put in would be one character with a byte beside it"),
                Some("replace the byte beside it as well".to_owned()),
            ),
            Self::UnknownEncoding { label, .. } if Encoding::is_left_out(label) => (
                Code::InvalidArgument("encoding".to_owned()),
                format!("the encoding {} is not taken: a byte means now one thing and now another in it", quoted(label)),
                Some("convert the file by other means, or use `read_bytes` and `write_bytes`".to_owned()),
            ),
            Self::UnknownEncoding { label, near } => (
                Code::InvalidArgument("encoding".to_owned()),
                format!("there is no encoding {}", quoted(label)),
                Some(match near.first() {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => "give a label of the web's encodings, such as `windows-1252`, `utf-16le` or `shift_jis`".to_owned(),
                }),
            ),
            Self::NotEncodable { character, offset } => (
                Code::NotEncodable(character.to_string()),
                format!(
                    "`new` has {}, and the file is not UTF-8 (offset {offset}), so it is not known how to write it",
                    quoted(&character.to_string())
                ),
                Some("use ASCII characters only, or name the encoding of the file with `encoding`".to_owned()),
            ),
            Self::BudgetTooSmall { line, budget, ceiling } => (
                Code::TooLarge(u64::from(*budget)),
                match line {
                    0 => format!("`max_bytes` ({budget}) does not hold one character of the line"),
                    line => format!("`max_bytes` ({budget}) does not hold one character of line {line}"),
                },
                Some(format!("set `max_bytes` to up to {ceiling}")),
            ),
            Self::SpanTooLarge(bytes) => (
                Code::TooLarge(SPAN_BYTES),
                format!(
                    "the change moves or replaces {bytes} bytes of the file; at most {SPAN_BYTES} are changed at once"
                ),
                Some("keep the length of what is replaced, or change less of the file at once".to_owned()),
            ),
            Self::PlacedTooLarge => (
                Code::TooLarge(PLACED_BYTES as u64),
                format!(
                    "the text from the first changed byte to the last has more than {PLACED_BYTES} bytes"
                ),
                Some("change fewer occurrences at once, with `limit`".to_owned()),
            ),
            Self::TooLargeForRegex(size) => (
                Code::TooLarge(REGEX_BYTES),
                format!(
                    "the file has {size} bytes; a regular expression is used on at most {REGEX_BYTES}, because it may \
                     match across lines"
                ),
                Some("replace a plain text, without `regex`".to_owned()),
            ),
            Self::InvalidPattern { field, position, problem } => (
                Code::InvalidPattern(*position),
                format!("`{field}` is no regular expression: {}", cut(problem, ERROR_TEXT_CHARS)),
                Some(
                    "correct it at that position, or leave `regex` out to find the text as it is".to_owned(),
                ),
            ),
            Self::PatternTooLarge(field) => (
                Code::InvalidPattern(0),
                format!("`{field}` is a pattern that takes too much memory or has too many groups"),
                Some("repeat less in it, and use `(?:…)` where no group is needed".to_owned()),
            ),
            Self::PatternTooLong(bytes) => (
                Code::TooLarge(PATTERN_BYTES as u64),
                format!("`pattern` has {bytes} bytes, and may have {PATTERN_BYTES}"),
                Some("look for a part of it".to_owned()),
            ),
            Self::LineEndInPattern(position) => say(
                Code::InvalidPattern(*position),
                "`pattern` has a line end, and every line is searched for itself, without its end",
                "set `multi_line` to find what goes over several lines; `^` and `$` match where lines begin and end",
            ),
            Self::NoSuchGroup { name, runs_on, groups, names } => {
                patterns::no_such_group(name, runs_on.as_ref(), *groups, names)
            }
            Self::InvalidGlob { field, invalid } => patterns::sentence(field, invalid),
            Self::GlobOutside(start) => (
                Code::InvalidPattern(0),
                format!("`pattern` begins with `/` and does not lie in {}", quoted(start)),
                Some("give the directory as `path`, and a pattern relative to it".to_owned()),
            ),
            Self::Past(past) => past.sentence(),
            Self::NoEdits => edits::no_edits(),
            Self::EditsAndPatch => edits::edits_and_patch(),
            Self::Patch(problem) => patches::sentence(problem),
            Self::InPatch { part, follows, hunk, why } => patches::in_patch(*part, *follows, *hunk, why),
            Self::EditPathsTooLong => edits::paths_too_long(),
            Self::InvalidEdit(problem) => edits::sentence(*problem),
            Self::Occurrences(problem) => occurrences::sentence(problem),
            Self::Guessed { encoding, why } => {
                let Sentence { code, message, repair } = why.sentence();
                let name = format!(
                    "the bytes are only most like text in {encoding}: if they are text in another encoding, name it with `encoding`"
                );
                let repair = repair.map_or_else(|| name.clone(), |repair| format!("{repair}; {name}"));
                (code, message, Some(repair))
            }
            Self::InEdit { number, follows, why } => edits::in_edit(*number, *follows, why),
            Self::CountAndLimit => say(
                Code::InvalidArgument("limit".to_owned()),
                "`count` and `limit` exclude one another",
                "give `count` to be sure of the number, or `limit` to change only the first ones",
            ),
            Self::Both(one, other) => (
                Code::InvalidArgument((*other).to_owned()),
                format!("`{one}` and `{other}` exclude one another"),
                Some(format!("leave out `{one}` or `{other}`")),
            ),
            Self::CountMismatch { wanted, found, lines } => (
                Code::CountMismatch(u32::try_from(*found).unwrap_or(u32::MAX)),
                match found {
                    0 => format!("`old` does not occur; `count` is {wanted}"),
                    found => format!(
                        "`old` occurs {found} time{}, beginning on {}; `count` is {wanted}",
                        if *found == 1 { "" } else { "s" },
                        on_lines_of(*found, lines, lines.len())
                    ),
                },
                Some(format!("set `count` to {found} if all of them are meant, or make `old` longer")),
            ),
            Self::Lines(problem) => lines::sentence(problem),
            Self::Section(problem) => sections::sentence(problem),
            Self::NoMatch(None) => say(
                Code::NoMatch(None),
                "`old` does not occur in the file",
                "read the file and copy the text exactly, white space included",
            ),
            Self::NoMatch(Some(nearest)) => (
                Code::NoMatch(Some(nearest.clone())),
                format!("`old` does not occur in the file; {}", place(nearest, "`old`")),
                Some("read these lines and copy the text exactly, white space included".to_owned()),
            ),
            Self::MatchesNothing { needs_cr } => say(
                Code::NoMatch(None),
                "the expression in `old` matches nothing in the file",
                match needs_cr {
                    true => "lines of it end in CRLF, and an expression sees that: write `\\r?\\n` for a line end",
                    false => "read the file and correct the expression, or leave `regex` out to find the text as it is",
                },
            ),
            Self::TakenLiterally(why) => {
                let Sentence { code, message, repair } = why.sentence();
                let repair = repair.unwrap_or_default();
                (code, message, Some(format!("{repair}, or set `regex` if `old` is a regular expression")))
            }
            Self::Ambiguous { count, lines } => (
                Code::Ambiguous(lines.clone()),
                format!("`old` occurs {count} times, beginning on {}", on_lines(*count, lines)),
                Some("add surrounding text to `old`, or say which one with `occurrence`".to_owned()),
            ),
            Self::NoSuchOccurrence { asked, count } => (
                Code::OutOfRange(u32::try_from(*count).unwrap_or(u32::MAX)),
                format!(
                    "`occurrence` is {asked}, but `old` occurs {count} time{}",
                    if *count == 1 { "" } else { "s" }
                ),
                Some(format!("set `occurrence` to a number from 1 to {count}")),
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
                (
                    Code::Stale(found.clone()),
                    message,
                    Some("read the file again and repeat the call with the new tag".to_owned()),
                )
            }
            Self::NoneMatchTag(tag) => (
                Code::Stale(String::new()),
                format!("`if_none_match` is {}, and only `*` has a meaning there", quoted(tag)),
                Some("give `*`, or a tag as `if_match`".to_owned()),
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
                (
                    Code::SpecialFile(*kind),
                    format!("this is {what}, which is neither read nor written"),
                    Some("give the path of a file, a directory or a link".to_owned()),
                )
            }
            Self::Volume(fault, writing) => faults::volume(fault, *writing),
            Self::Unrecovered(fault) => (
                Code::Unrecovered,
                format!(
                    "writing failed midway, and the file holds a part of the change: {}",
                    faults::volume(fault, true).1
                ),
                Some(LOOK.to_owned()),
            ),
            Self::Unhealed(fault) => (
                Code::Unrecovered,
                format!(
                    "an earlier change was cut short, and it can be neither finished nor taken back now; nothing else was \
                     changed: {}",
                    faults::volume(fault, true).1
                ),
                Some("call it again as soon as the cause is gone".to_owned()),
            ),
            Self::Journal(fault) => {
                let (code, message, _) = faults::volume(fault, true);
                (
                    code,
                    format!("the change could not be written down before it was made, so it was not made: {message}"),
                    Some("make room for the state directory, or start with `--durability none`".to_owned()),
                )
            }
            Self::NotKept(fault) => {
                let (code, message, _) = faults::volume(fault, true);
                (
                    code,
                    format!("what would be gone cannot be kept for an undo: {message}"),
                    Some("delete it with `keep: false` if it may be gone for good".to_owned()),
                )
            }
            Self::Unusable(why) => (
                Code::Unsupported,
                match &**why {
                    Unusable::Format(text) => {
                        format!("the state directory is of another version: {}", quoted(text))
                    }
                    Unusable::Foreign(name) => {
                        format!("the state directory has something else in it: {}", quoted(name))
                    }
                    Unusable::Damaged(name) => format!("`{name}` in the state directory is not what it should be"),
                    Unusable::Fault(fault) => {
                        format!("the state directory cannot be used: {}", faults::volume(fault, true).1)
                    }
                },
                Some("give another one, an empty directory, or start with `--durability none`".to_owned()),
            ),
            Self::Misset(Misset { name, wanted }) => (
                Code::Unsupported,
                format!("the environment variable `{name}` has no meaning here"),
                Some(format!("set it to {wanted}, or not at all")),
            ),
            Self::InvalidPolicy { field, problem } => return policy::invalid(field, problem),
            Self::Denied(rule, denial) => return policy::denied(rule, *denial),
            Self::OverLimit(most) => return policy::over_limit(*most),
            Self::TooManyToAsk => return policy::too_many_to_ask(),
            Self::Unconfirmed => return policy::unconfirmed(),
            Self::LockedElsewhere => say(
                Code::Busy,
                "another fsgate is changing files under the same root",
                "repeat the call later",
            ),
            Self::Unlockable(text) => (
                Code::Io("lock".to_owned()),
                format!("the lock of the state directory cannot be taken: {}", cut(text, ERROR_TEXT_CHARS)),
                Some("keep the state on another file system, with `--state-dir`".to_owned()),
            ),
            Self::Stopped(stop, standing) => {
                let (code, mut message, repair) = match stop {
                    Interruption::Deadline(time) => (
                        Code::Deadline,
                        format!("the call was stopped after {time:?}"),
                        "ask for less at once",
                    ),
                    Interruption::Memory(bytes) => (
                        Code::Limit("memory".to_owned()),
                        format!("the call was stopped: it needs more than {bytes} bytes of memory"),
                        "ask for less at once",
                    ),
                    Interruption::HostMemory(bytes) => (
                        Code::Limit("host_memory".to_owned()),
                        format!("the call was stopped: it hands more than {bytes} bytes to its host at once"),
                        "ask for less at once",
                    ),
                    Interruption::Handles(most) => (
                        Code::Limit("handles".to_owned()),
                        format!("the call was stopped: it needs more than {most} things open at once"),
                        "ask for less at once, or use shorter paths",
                    ),
                    Interruption::Cancelled => {
                        (Code::Cancelled, "the call was taken back".to_owned(), "make it again if it is wanted after all")
                    }
                    Interruption::Trap(text) => (
                        Code::Other(cut(text, ERROR_TEXT_CHARS).into_owned()),
                        "the component failed; this is a fault in fsgate".to_owned(),
                        "report it, with the call that caused it",
                    ),
                };
                let repair = match standing {
                    Standing::Untouched => repair,
                    Standing::RolledBack => {
                        message += "; nothing of its change is left";
                        repair
                    }
                    Standing::Done => {
                        message += "; its change is made";
                        "look at the result before you go on; `undo` takes it back"
                    }
                    Standing::Unknown => LOOK_AROUND,
                };
                (code, message, Some(repair.to_owned()))
            }
            Self::Exceeded(exceeded) => hosts::exceeded(exceeded),
            Self::Unaudited(problem) => hosts::unaudited(problem),
            Self::AnswerUnaudited(problem) => hosts::answer_unaudited(problem),
            Self::NotConfirmed(refusing) => hosts::not_confirmed(*refusing),
        };
        Sentence { code, message, repair }
    }
}

fn sentence(code: Code, message: &str, repair: &str) -> Sentence {
    Sentence { code, message: message.to_owned(), repair: Some(repair.to_owned()) }
}

pub(super) fn say(code: Code, message: &str, repair: &str) -> (Code, String, Option<String>) {
    (code, message.to_owned(), Some(repair.to_owned()))
}
