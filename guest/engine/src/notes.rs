//! Notes of several tools.

use fsgate_contract::limits::ERROR_PATH_CHARS;
use fsgate_contract::path::spelling::beginning;
use fsgate_contract::search_types::Skipped;
use fsgate_contract::types::Note;
use fsgate_journal::tree_walk::copy::Permissions;
use fsgate_text::encoding::{Certainty, Detected};
use fsgate_text::excerpt::{cut, quoted};
use fsgate_text::glob::escaped;
use fsgate_text::languages::{CommentDelimiters, CommentMark};
use fsgate_text::line_end::LineEnd;
use fsgate_text::pattern::{ForeignGroup, Pattern};
use fsgate_volume::Fault;

/// A new name resembles an existing one.
pub(crate) fn twin(path: &str) -> Note {
    let path = cut(path, ERROR_PATH_CHARS);
    note(
        "similar_name",
        &format!("`{path}` is there already, which differs in letter case or normal form alone"),
    )
}

/// A new path repeats a grant's name.
pub(crate) fn name_of_grant(meant: &str) -> Note {
    let meant = cut(meant, ERROR_PATH_CHARS);
    let text =
        format!("the path begins with the name of a granted directory; `{meant}` is the path in that one");
    note("similar_name", &text)
}

/// The arguments that include skipped names. `reads_binary`: the tool reads files that are not
/// text.
pub(crate) fn unskipping(skipped: &Skipped, reads_binary: bool) -> Option<String> {
    let arguments: Vec<_> = [
        (skipped.hidden > 0, "`include_hidden: true`"),
        (skipped.ignored > 0, "`respect_ignore: false`"),
        (skipped.binary > 0 && reads_binary, "`include_binary: true`"),
    ]
    .into_iter()
    .filter_map(|(has, argument)| has.then_some(argument))
    .collect();
    (!arguments.is_empty()).then(|| arguments.join(", "))
}

/// Notes a pattern without a match that may be a mistake: with a backslash, blanks or quotes around
/// it, or a beginning that a shell expands.
pub(crate) fn taken_literally<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Option<Note> {
    patterns.into_iter().find_map(|pattern| {
        if pattern.contains('\\') {
            let text = "a backslash keeps the next character as it is: names are separated by `/`";
            return Some(note("no_match", text));
        }
        let trimmed = pattern.trim();
        let meant = beginning(trimmed).map_or(trimmed.into(), |(_, meant)| meant);
        let shown = |text| quoted(&cut(text, ERROR_PATH_CHARS));
        let text = match &*meant {
            "" => format!("{} is taken as it is", shown(pattern)),
            meant if meant == pattern => return None,
            meant => format!("{} is taken as it is: {} may be meant", shown(pattern), shown(meant)),
        };
        Some(note("no_match", &text))
    })
}

/// A pattern's wildcards are a part of an existing name.
pub(crate) fn wild_name(path: &str, meant: &str) -> Note {
    let shown = |text| quoted(&cut(text, ERROR_PATH_CHARS));
    let text = format!("{} exists by this very name: the pattern {} means it", shown(path), shown(meant));
    note("no_match", &text)
}

pub(crate) fn directory(path: &str) -> Note {
    let path = cut(path, ERROR_PATH_CHARS);
    let below = escaped(&path);
    note("no_match", &format!("`{path}` is a directory: the pattern `{below}/**` names the files below it"))
}

/// Content is lost.
pub(crate) fn no_undo() -> Note {
    note("no_undo", "nothing of this is kept anywhere: there is no undo")
}

/// A change makes content that the history could not keep.
pub(crate) fn outgrows_history() -> Note {
    let text = "this is more than the history keeps, so an `undo` would be refused: `delete` takes it away";
    note("no_undo", text)
}

pub(crate) fn other_encoding(before: Detected) -> Note {
    let name = before.encoding.name();
    let was = if before.certainty == Certainty::Likely { "most like text" } else { "text" };
    let text = format!("the file was {was} in {name} and is in UTF-8 now; `encoding` `{name}` keeps it");
    note("encoding", &text)
}

/// No call can write UTF-32.
pub(crate) fn no_utf_32(name: &str) -> Note {
    note("encoding", &format!("the file was text in {name} and is in UTF-8 now"))
}

pub(crate) fn other_line_ends(before: LineEnd, after: LineEnd) -> Note {
    let text = format!("the lines of the file ended in {} and end in {} now", before.name(), after.name());
    note("line_ends", &text)
}

pub(crate) fn no_comment(language: &str, marks: &[CommentMark]) -> Note {
    let mark = |mark: &CommentMark| match mark {
        CommentMark::Line(open) => format!("`{open} …`"),
        CommentMark::Around(CommentDelimiters { open, close, .. }) => format!("`{open} … {close}`"),
    };
    let marks: Vec<_> = marks.iter().map(mark).collect();
    note("no_comment", &format!("none of the lines is a comment in {language}: {}", marks.join(" or ")))
}

/// A replacement has a group or an escape of another language. With `escaped`, escapes are known.
pub(crate) fn foreign_replacement(pattern: &Pattern, new: &str, escaped: bool) -> Option<Note> {
    foreign_group(pattern, new).or_else(|| if escaped { None } else { foreign_escape(new) })
}

fn foreign_escape(new: &str) -> Option<Note> {
    let spelled = Pattern::foreign_escape(new)?;
    let meant = match spelled {
        "$&" => "all of the match is `${0}`",
        "\\n" | "\\r" | "\\t" => "a line end and a tab are given as themselves",
        _ => "letter case is kept",
    };
    let text = format!("`new` has {}, which is put in place as it is; {meant}", quoted(spelled));
    Some(note("replacement", &text))
}

fn foreign_group(pattern: &Pattern, new: &str) -> Option<Note> {
    let ForeignGroup { spelled, name, is_known } = pattern.foreign_group(new)?;
    let written = quoted(&format!("${{{name}}}"));
    let group = match is_known {
        true => format!("a group is {written}"),
        false => format!("a group is {written}, and `old` has no group {name}"),
    };
    let text = format!("`new` has {}, which is put in place as it is; {group}", quoted(spelled));
    Some(note("replacement", &text))
}

const NEW_FILE: &str = "new_file";

pub(crate) fn new_file(permissions: Permissions) -> Note {
    note(NEW_FILE, of_a_copy(permissions))
}

/// Reports that content came back under a free name.
pub(crate) fn made_anew() -> Note {
    note(NEW_FILE, "the file was missing, so it has the permissions, the owner and the time of a new file")
}

/// The reason for a copy in the trash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copied {
    /// The trash is on another file system.
    Elsewhere,
    /// The operating system refuses to move the original.
    Unmoved,
}

impl Copied {
    pub(crate) fn after(fault: &Fault) -> Self {
        match fault {
            Fault::Access | Fault::NotPermitted | Fault::ReadOnly | Fault::Busy => Self::Unmoved,
            _ => Self::Elsewhere,
        }
    }
}

pub(crate) fn kept_as_copy(permissions: Permissions, why: Copied) -> Note {
    let why = match why {
        Copied::Elsewhere => "the history is on another file system",
        Copied::Unmoved => "the operating system does not let it move into the history",
    };
    let text = of_a_copy(permissions);
    note(NEW_FILE, &format!("what was deleted or replaced is kept as a copy, because {why}: {text}"))
}

fn of_a_copy(permissions: Permissions) -> &'static str {
    match permissions {
        Permissions::Kept => "a copy has the owner and the time of a new file, whatever the original has",
        Permissions::New => {
            "a copy has the permissions, the owner and the time of a new file, whatever the original has"
        }
    }
}

pub(crate) fn diff_of_first() -> Note {
    note("diff", "the diff shows what the newest change of each path comes to; those before it are left out")
}

pub(crate) fn diff_left_out(ids: &str, why: &str) -> Note {
    note("diff", &format!("no diff, or not all of it, of {ids}: {why}"))
}

pub(crate) fn not_forgotten() -> Note {
    left_out(
        "entries that are hidden, that the policy protects, that lie in a directory not granted for writing, or below one that cannot be opened, are still there",
    )
}

pub(crate) fn not_at_its_end() -> Note {
    left_out("changes that are not at their end are still there: what is kept for them is needed for that")
}

pub(crate) fn left_out(text: &str) -> Note {
    note("left_out", text)
}

pub(crate) fn note(kind: &str, text: &str) -> Note {
    Note { kind: kind.to_owned(), text: text.to_owned() }
}
