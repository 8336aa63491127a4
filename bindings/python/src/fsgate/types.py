"""What the operations take and return. Made from the contract by `python3 -m generator`; a test compares."""

from __future__ import annotations

import builtins
import dataclasses
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

Code: TypeAlias = Literal[
    "not_found",
    "exists",
    "is_directory",
    "not_directory",
    "not_empty",
    "path_escape",
    "not_granted",
    "link_loop",
    "read_only",
    "denied_by_policy",
    "confirmation_required",
    "invalid_path",
    "invalid_argument",
    "invalid_pattern",
    "invalid_range",
    "out_of_range",
    "malformed",
    "not_text",
    "not_encodable",
    "too_large",
    "no_match",
    "ambiguous",
    "count_mismatch",
    "stale",
    "special_file",
    "busy",
    "no_space",
    "quota",
    "cross_device",
    "name_too_long",
    "unrecovered",
    "deadline",
    "nothing_to_undo",
    "undo_conflict",
    "limit",
    "cancelled",
    "unknown_tool",
    "unknown_id",
    "unsupported",
    "io",
    "other",
]
"""What went wrong, as data. In JSON the case is `code` in snake_case, and a payload stands beside it under the name of its
type.
"""

GlobKind: TypeAlias = Literal["any", "file", "directory"]
"""Kinds that can be looked for."""

GrepMode: TypeAlias = Literal["content", "files", "count"]
"""What `grep` shows of the files that it searches."""

Kind: TypeAlias = Literal["file", "directory", "link", "special"]
"""What a name in a directory stands for."""

LineEnd: TypeAlias = Literal["lf", "crlf", "cr", "mixed"]
"""How the lines of a text end."""

SortOrder: TypeAlias = Literal["name", "size", "modified"]
"""The order of a listing."""

SpecialKind: TypeAlias = Literal["block_device", "character_device", "other"]
"""A kind of special file."""

Stop: TypeAlias = Literal["bytes", "items", "time"]
"""Why an answer ends before everything was shown."""

TreeForm: TypeAlias = Literal["drawn", "entries", "both"]
"""What a tree is told in."""


@dataclass(frozen=True, kw_only=True)
class AppendOutcome:
    """What `append` has done."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    etag: str
    """State of the file now: strong, or, above 16 MiB, of the bytes appended."""

    bytes_written: int
    """Number of bytes appended, the separator's among them."""

    created: bool
    """The file is new."""

    etag_before: str | None = None
    """State of the file before: strong. Absent if there was none, or it has more than 16 MiB."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    diff: str | None = None
    """The change as a unified diff, if it was asked for."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class AppliedFile:
    """What `apply` has done to one file."""

    path: str
    """Path of the file in the namespace of the granted directories, as its first edit says it."""

    bytes_written: int
    """Number of bytes written: what differs between the old text and the new one, and all that follows if the length changed."""

    created: bool
    """The file is new."""

    deleted: bool
    """The file, or the link, is gone."""

    replacements: int
    """Number of occurrences replaced, or of hunks applied."""

    lines: list[int]
    """The first line that changed of each replaced occurrence or hunk, in the text that its edit found. The first 100 of a
    file, and the first 2,000 of all files, are listed.
    """

    line_ends_adapted: bool
    """The line ends of some `old` or `new`, or of some hunk, were taken as the file's."""

    moved_from: str | None = None
    """The path that it had before, if a patch has given it another name."""

    etag_before: str | None = None
    """State of the file before. Absent if there was none, of a link, and of a deleted file that has more than 16 MiB or
    cannot be read.
    """

    etag: str | None = None
    """State of the file now. Absent if it was deleted."""


@dataclass(frozen=True, kw_only=True)
class ApplyOutcome:
    """What `apply` has done."""

    files: list[AppliedFile]
    """The files, in the order of their first edits."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    diff: str | None = None
    """The changes as a unified diff, if it was asked for."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """The place in a file that is most like a text that was not found."""

    first_line: int
    """First line of the place."""

    last_line: int
    """Last line of the place."""

    alike: int
    """How alike the two texts are, in percent."""

    line: int
    """Line of the first difference."""

    column: int
    """Column of the first difference, in characters, from 1."""

    in_file: str
    """What the file has there, by name: `TAB`, `4 spaces`, `U+00A0`, `CRLF`, `"x"`."""

    in_request: str
    """What the request has there, by name."""


@dataclass(frozen=True, kw_only=True)
class CheckpointOutcome:
    """What `checkpoint` has done."""

    label: str
    """Its name."""

    undo_id: str | None = None
    """Its id."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class CommandOutcome:
    """What became of a command."""

    CASES: ClassVar[dict[str, str | None]] = {
        "done": "command_output",
        "failed": "command_error",
        "needs_options": "command_question",
    }

    command_outcome: Literal["done", "failed", "needs_options"]
    """`done`: It is done, and this is its answer. `failed`: It is refused or has failed: what the system throws.
    `needs_options`: Nothing is done: its options cannot be read, and somebody else is asked what they say.
    """

    command_output: str | None = None
    """With `done`: The text that a command returns: a sentence, or `FILE_CONTENT:`, a line end and the content of a file."""

    command_error: str | None = None
    """With `failed`: The sentence of an error."""

    command_question: CommandQuestion | None = None
    """With `needs_options`: Options that cannot be read: the same command with `content` or `destination` answers."""


@dataclass(frozen=True, kw_only=True)
class CommandQuestion:
    """Options that cannot be read: the same command with `content` or `destination` answers."""

    raw: str
    """The options as they stand in the text."""

    instruction: str
    """What is to be done with them."""

    keys: list[str]
    """The values that are asked for, in this order."""


@dataclass(frozen=True, kw_only=True)
class CommentLinesOutcome:
    """What `comment-lines` has done."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    etag_before: str
    """State of the file before."""

    etag: str
    """State of the file now."""

    bytes_written: int
    """Number of bytes written: what differs between the old text and the new one, and all that follows if the length changed."""

    syntax: str
    """The kind of file that it was taken for, or what is written in the block where the lines stand."""

    changed: int
    """Number of lines that became comments."""

    lines: list[int]
    """Which lines these are."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    diff: str | None = None
    """The change as a unified diff, if it was asked for."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class CopyOutcome:
    """What `copy` has done."""

    source: str
    """Path of the source in the namespace of the granted directories."""

    destination: str
    """Path of the copy in the same namespace."""

    files: int
    """Number of files copied."""

    directories: int
    """Number of directories copied: that of the source, with `recursive`, and all in it."""

    bytes_written: int
    """Number of bytes written: 0 where a file is overwritten that has the same content."""

    created: bool
    """Something is at a path where nothing was before."""

    overwrote: bool
    """The content of an existing file was replaced."""

    skipped: int
    """Number of links and special files left out of a directory."""

    etag: str | None = None
    """State of the copy of one file. Absent for several, and above 16 MiB."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class CreateDirectoryOutcome:
    """What `create-directory` has done."""

    path: str
    """Path of the directory in the namespace of the granted directories."""

    created: bool
    """The directory is new. False: it was there already."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class CreateOutcome:
    """What `create` has done."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    etag: str
    """State of the new file."""

    bytes_written: int
    """Number of bytes written."""

    created: bool
    """True: the file is new."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    diff: str | None = None
    """The change as a unified diff, if it was asked for."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class DeleteDirectoryOutcome:
    """What `delete-directory` has done."""

    path: str
    """Path of the directory in the namespace of the granted directories."""

    deleted: int
    """Number of names deleted, the directory's own among them."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class DeleteOutcome:
    """What `delete` has done."""

    path: str
    """The path as it was asked for, in the namespace of the granted directories."""

    deleted: int
    """Number of names deleted."""

    paths: list[str] | None = None
    """Their paths below `path`, with `glob`: in the order of their bytes, the first 64 KiB."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class Edit:
    """One edit of `apply`: `old` and `new`, or `content`, or `delete`."""

    path: str
    """File to change, create or delete."""

    old: str | None = None
    """Text to replace, matched exactly, line ends aside. It must occur once, unless `occurrence` or `all` is given. Default:
    not a replacement.
    """

    new: str | None = None
    """Text to put in its place, literally. Default: not a replacement."""

    occurrence: int | None = None
    """Which occurrence of `old` to replace, counted from 1. Default: the only one."""

    all: bool | None = None
    """Replace every occurrence of `old`. Default: `false`."""

    content: str | None = None
    """The whole content of the file, as `write` takes it. Default: not the whole file."""

    delete: bool | None = None
    """Delete the file, or the link. Default: `false`."""

    if_match: str | None = None
    """State that the file must be in before the call: a tag of either kind, or `*` for any. Default: any state."""

    if_none_match: str | None = None
    """`*`, with `content`: the file must not be there. Default: it may be there."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One name in a directory and what is known about it."""

    path: str
    """Path in the namespace of the granted directories."""

    name: str
    """Last segment of the path."""

    kind: Kind
    """What it is."""

    size: int
    """Size in bytes; 0 for everything but files."""

    hidden: bool
    """The name begins with a dot."""

    modified: str | None = None
    """Last change of the content. Absent where nothing knows it, as before 1970."""

    media_type: str | None = None
    """Media type by content, then by name. Absent where the content was not looked at."""

    etag: str | None = None
    """Strong tag of the content, if it was asked for."""

    checksum: str | None = None
    """SHA-256 of the content in hex, if it was asked for."""

    target: str | None = None
    """Where a link points, if that lies inside its grant."""

    escapes: bool | None = None
    """True for a link that leads out of its grant."""

    links: int | None = None
    """Number of names that the file has, if more than one."""

    ignored: bool | None = None
    """An ignore rule names it."""

    depth: int | None = None
    """Distance from the start of a walk."""


@dataclass(frozen=True, kw_only=True)
class Error:
    """A refused or failed call. A refused call has changed nothing."""

    code: Code
    """What went wrong."""

    operation: str
    """The operation that was called."""

    message: str
    """The same in one sentence."""

    applied: bool
    """False: nothing was changed. True: something may have been, see the message."""

    rule: str | None = None
    """With `denied_by_policy`: The name of a policy rule."""

    field: str | None = None
    """With `invalid_argument`: The name of an argument."""

    position: int | None = None
    """With `invalid_pattern`, `malformed`: A position in a pattern or patch, in bytes."""

    total: int | None = None
    """With `out_of_range`: How many there are."""

    offset: int | None = None
    """With `not_text`: An offset in a file, in bytes."""

    character: str | None = None
    """With `not_encodable`: A character, shown by name where it cannot be seen."""

    limit: int | None = None
    """With `too_large`: The largest value that would have been accepted."""

    nearest: Candidate | None = None
    """With `no_match`: The nearest candidate, if one is near enough to be worth showing."""

    lines: list[int] | None = None
    """With `ambiguous`: Line numbers, the first 100; in an error the first 1,000, or as many as it has room for: 8 KiB in
    JSON.
    """

    found: int | None = None
    """With `count_mismatch`: How many were found."""

    tag: str | None = None
    """With `stale`: The state that was found where another one was expected."""

    special_kind: SpecialKind | None = None
    """With `special_file`: A kind of special file."""

    conflicting_path: str | None = None
    """With `undo_conflict`: The path of the file that stands in the way."""

    which: str | None = None
    """With `limit`: The name of a limit: `memory`, `host_memory`, `handles`, `result`, `calls`, `concurrent`, `work`."""

    text: str | None = None
    """With `io`, `other`: What the operating system or the program said."""

    path: str | None = None
    """The path that it is about, as it was asked for."""

    repair: str | None = None
    """What to do next."""

    details: str | None = None
    """More data, as JSON."""


@dataclass(frozen=True, kw_only=True)
class ExistsOutcome:
    """What `exists` tells."""

    path: str
    """Path in the namespace of the granted directories."""

    exists: bool
    """Something has this name. A link counts if what it points to is there."""

    kind: Kind | None = None
    """What it is."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class FileActionOutcome:
    """What became of the actions."""

    output: str
    """A JSON object with `success`, `results`, one for each action, and, where nothing could be done at all, `error`."""


@dataclass(frozen=True, kw_only=True)
class FileEvent:
    """A file for the user: whoever runs the tools delivers it."""

    path: str
    """Its path from the first granted directory, without a slash in front."""

    message: str
    """The line that tells the model of it, as a message of the assistant."""

    mime_type: str | None = None
    """Its media type, as far as it is known."""

    description: str | None = None
    """A text that goes with it."""


@dataclass(frozen=True, kw_only=True)
class FileRead:
    """One of many files."""

    path: str
    """Path of the file as it was asked for."""

    content: str | None = None
    """The lines, with their line ends; absent if the file could not be read, and in the joined form."""

    encoding: str | None = None
    """Name of the encoding, if it is not UTF-8."""

    escaped: bool | None = None
    r"""Bytes that are no character stand in the content by their numbers, as `\x{E9}`, and a backslash before `x{` as
    `\x{5C}`. Absent if there are none.
    """

    error: Error | None = None
    """Why it could not be read."""

    etag: str | None = None
    """State of the file: strong if it has at most 16 MiB, else of the bytes shown."""

    next_cursor: str | None = None
    """Where `read` reads on in this file. Absent at its end."""


@dataclass(frozen=True, kw_only=True)
class ForgetOutcome:
    """What `forget` has done."""

    forgotten: int
    """Number of entries that are gone, from the trash as well. A note of the kind `pending` names an entry that left the
    history while the trash still has something of it.
    """

    bytes: int
    """Bytes that are gone with them."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class GlobOutcome:
    """What `glob` finds."""

    path: str
    """Path of the directory in the namespace of the granted directories."""

    entries: list[Entry]
    """What matches, each directory before what is in it, names in the order of their bytes."""

    totals: Totals
    """What this answer shows."""

    skipped: Skipped
    """What this answer has left out, whether it would have matched or not."""

    next_cursor: str | None = None
    """Where to go on. Absent at the end."""

    stopped: Stop | None = None
    """Why the entries end before everything was looked at."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class GrepFile:
    """A file with lines that match."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    count: int | None = None
    """Number of lines that match. Absent in the mode `files`, which leaves a file at the first one."""


@dataclass(frozen=True, kw_only=True)
class GrepMatch:
    """A line that matches; with `multi_line` the lines that a match, or several that meet on a line, touch."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    line: int
    """Number of the line; of several the first."""

    column: int
    """Where the first match begins in it, in characters from 1."""

    text: str
    """The line without its end."""

    before: list[str]
    """Lines before it. None is among them that was shown already, as a match or after one."""

    after: list[str]
    """Lines after it, up to the next match."""

    escaped: bool
    r"""A byte of these lines is no character: such bytes are written as `\x{E9}`, and a backslash before `x{` as `\x{5C}`."""

    cut: bool
    """A line is longer than what is shown of it: 500 characters around the match, or the first 500 of a line before or after
    it; of the lines of one match together 4,000.
    """

    encoding: str | None = None
    """Name of the encoding that the file is in. Absent if it was searched as UTF-8."""

    etag: str | None = None
    """Range tag of the whole of `text`, if it was asked for."""


@dataclass(frozen=True, kw_only=True)
class GrepOutcome:
    """What `grep` shows."""

    path: str
    """Path that was searched in the namespace of the granted directories."""

    matches: list[GrepMatch]
    """The lines that match, in the order of their paths and numbers. Empty in other modes."""

    files: list[GrepFile]
    """The files with such lines, in the order of their paths. Empty in the mode `content`."""

    count: int
    """Number of lines that match in what this answer shows; in the mode `files` of files."""

    searched: int
    """Number of files that this answer has looked into. One in which it ends counts in the next answer again."""

    skipped: Skipped
    """What was not searched since the cursor."""

    next_cursor: str | None = None
    """Where to go on. Absent at the end."""

    stopped: Stop | None = None
    """Why the answer ends before the search does."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing: `nothing_searched`, `regex_off`, `changed`, `ignore_file`."""


@dataclass(frozen=True, kw_only=True)
class InsertLinesOutcome:
    """What `insert-lines` has done."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    etag_before: str
    """State of the file before."""

    etag: str
    """State of the file now."""

    bytes_written: int
    """Number of bytes written: what differs between the old text and the new one, and all that follows if the length changed."""

    lines: str
    """Lines that the new text takes now: `4` or `23-43`."""

    line_ends_adapted: bool
    """Line ends of `content` were taken as the file's."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    diff: str | None = None
    """The change as a unified diff, if it was asked for."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class Left:
    """How much a bounded answer has left out."""

    count: int
    """Number of items that were not shown."""

    exact: bool
    """False if there may be more than `count`."""


@dataclass(frozen=True, kw_only=True)
class LinesOutOfRange:
    """A range of lines that goes past the end of the file."""

    requested: str
    """The range that was asked for."""

    total: int
    """Number of lines in the file."""


@dataclass(frozen=True, kw_only=True)
class ListDirectoryOutcome:
    """What `list-directory` shows."""

    path: str
    """Path of the directory in the namespace of the granted directories."""

    entries: list[Entry]
    """The entries in the order of their names, byte by byte, or in that of `sort`."""

    totals: Totals
    """What the whole directory holds, whatever this answer shows of it; with `recursive`, what this answer shows."""

    skipped: Skipped
    """What is not counted and not shown."""

    next_cursor: str | None = None
    """Where to go on. Absent after the last entry."""

    left: Left | None = None
    """Entries after the last one shown. Absent with `recursive`: nobody knows without going there."""

    stopped: Stop | None = None
    """Why the entries end before the directory does."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class LogEntry:
    """One call in the history: the changes that it made, seen as one."""

    undo_id: str
    """Its id."""

    time: str
    """When it began."""

    tool: str
    """The operation that was called."""

    own: bool
    """It was called in this session."""

    paths: list[str]
    """The paths that it changed, the first 10: of a move the old one and the new one."""

    changes: int
    """Number of changes: more than one of a call with a pattern, or one that took several others back."""

    bytes: int
    """Bytes that are kept for it, as far as what it is about may be read."""

    undone: bool
    """It was taken back, all of it."""

    label: str | None = None
    """The name of a checkpoint."""

    undoes: str | None = None
    """The entry that it takes back, the newest one of several."""

    etag_before: str | None = None
    """State of the file before, of a single change of a file's content."""

    etag: str | None = None
    """State of the file after it."""

    diff: str | None = None
    """What it did to contents as a unified diff, if it was asked for, as far as that can be found again."""

    hidden: bool | None = None
    """True if another session made the entry under other rules or grants: this session sees its id and its time, and cannot
    take it back. Else absent.
    """


@dataclass(frozen=True, kw_only=True)
class LogOutcome:
    """What `log` has found."""

    entries: list[LogEntry]
    """The entries, the newest first."""

    conflicts: list[LogSummary]
    """Changes that were interrupted, and then changed by somebody else: nothing was touched. `forget` with the id removes
    what is kept of them.
    """

    next_cursor: str | None = None
    """Where to go on. Absent at the end."""

    left: Left | None = None
    """What was not shown, if there is more."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class LogSummary:
    """An entry of the history in short."""

    undo_id: str
    """Its id."""

    time: str
    """When it began."""

    tool: str
    """The operation that was called."""

    paths: list[str]
    """The paths that it changed, the first 10."""


@dataclass(frozen=True, kw_only=True)
class MoveOutcome:
    """What `move` has done."""

    source: str
    """Path that nothing has any more."""

    destination: str
    """Path that it has now."""

    overwrote: bool
    """A file or link that was there is gone."""

    etag: str | None = None
    """State of the file. Absent for anything else, and above 16 MiB."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class Note:
    """Something worth knowing about an answer that no other field says."""

    kind: str
    """A word that programs can compare: `diff` (it is left out), `escaped` (of a diff), `decoded` (`git apply` and `patch`
    cannot apply the diff), `no_undo`, `new_file` (what a copy does not have), `left_out` (of what was asked for),
    `line_ends` (two have become one, or they differ from those before), `encoding` (it was guessed, or is another one),
    `similar_name` (beside a new one), `binary` (a search ended at a NUL byte), `pending` (the trash still has something of
    what left the history, or a file has old and new content), `unaudited` (the outcome is not written down).
    """

    text: str
    """One sentence."""


@dataclass(frozen=True, kw_only=True)
class Occurrence:
    """A place where a text stands that may be replaced."""

    id: str
    """What `ids` takes: which file, the state that it is in, what was looked for, and where it stands."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    line: int
    """Line on which it begins."""

    column: int
    """Where it begins in that line, in characters from 1."""

    text: str
    """That line without its end, or 500 characters of it."""

    escaped: bool
    r"""A byte of the line is no character: such bytes are written as `\x{E9}`, and a backslash before `x{` as `\x{5C}`."""

    cut: bool
    """The line is longer than what is shown of it."""


@dataclass(frozen=True, kw_only=True)
class OutlineOutcome:
    """The outcome of `outline`."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    sections: list[SectionLines]
    """The sections, in the order in which they begin."""

    total: int
    """Number of sections of these levels, listed or not."""

    etag: str
    """State of the file."""


@dataclass(frozen=True, kw_only=True)
class PluginOutcome:
    """What became of the calls."""

    output: str
    """The answer to a call, or, to a list, a list of them, in JSON: an object with `output`, or with `error`. Of a file for
    the user `event` and `message` are in it as well.
    """

    events: list[FileEvent]
    """The files for the user, in the order of the calls."""


@dataclass(frozen=True, kw_only=True)
class ReadBytesOutcome:
    """What `read-bytes` returns."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    bytes: builtins.bytes
    """The bytes; in JSON as base64. None at and past the end of the file."""

    offset: int
    """Where they begin."""

    size: int
    """Size of the file in bytes."""

    media_type: str
    """Media type by content, then by name."""

    end: bool
    """The file ends with these bytes."""

    etag: str
    """Range tag of these bytes."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class ReadManyOutcome:
    """What `read-many` shows."""

    files: list[FileRead]
    """One for each path, in their order, as far as the budget reaches."""

    content: str | None = None
    """All contents in one text, in the joined form. What could not be read is left out of it."""

    left: Left | None = None
    """Files that were left out because the budget is used up: the last ones of `paths`."""

    stopped: Stop | None = None
    """Why the content ends before the last file does."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class ReadNumberedOutcome:
    """What `read-numbered` shows."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    content: str
    """The lines, each behind its number and the delimiter, joined by LF. Numbers are right-aligned to the width of the last
    one shown.
    """

    etag: str
    """State of the file: strong if it has at most 16 MiB, else of the bytes shown."""

    encoding: str | None = None
    """Name of the encoding, if it is not UTF-8."""

    escaped: bool | None = None
    r"""Bytes that are no character stand in the content by their numbers, as `\x{E9}`, and a backslash before `x{` as
    `\x{5C}`. Absent if there are none.
    """

    first: int | None = None
    """Number of the first line shown."""

    last: int | None = None
    """Number of the last line shown."""

    total: int | None = None
    """Number of lines in the file, if its end was reached or it has at most 16 MiB."""

    begins_at: int | None = None
    """Bytes of the first line that were shown before: the content begins inside that line."""

    out_of_range: LinesOutOfRange | None = None
    """Set if the range goes past the end of the file; the lines that exist are shown all the same."""

    next_cursor: str | None = None
    """Where to read on. Absent at the end of the range."""

    stopped: Stop | None = None
    """Why the content ends before the lines that were asked for do."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class ReadOutcome:
    """What `read` shows."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    content: str
    """The lines, with their line ends as they are; without the byte order mark."""

    encoding: str
    """Name of the encoding of the file, or, if it is larger than 16 MiB, of the lines shown."""

    bom: bool
    """The file begins with a byte order mark."""

    escaped: bool
    r"""Bytes that are no character stand in the content by their numbers, as `\x{E9}`, and a backslash before `x{` as
    `\x{5C}`.
    """

    size: int
    """Size of the file in bytes."""

    media_type: str
    """Media type by content, then by name."""

    etag: str
    """State of the file: strong if it has at most 16 MiB, else of the bytes shown."""

    line_end: LineEnd | None = None
    """The file's line ends, or, if it is larger than 16 MiB, those of the lines shown. Absent without any."""

    line_count: int | None = None
    """Number of lines in the file, if its end was reached or it has at most 16 MiB."""

    modified: str | None = None
    """Last change of the file. Absent where nothing knows it, as before 1970."""

    next_cursor: str | None = None
    """Where to read on. Absent at the end of the file."""

    stopped: Stop | None = None
    """Why the content ends before the lines that were asked for do."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class RecoverOutcome:
    """What `recover` has found."""

    finished: list[LogSummary]
    """Interrupted changes that stand now."""

    rolled_back: list[LogSummary]
    """Interrupted changes that were taken back."""

    waiting: list[LogSummary]
    """Interrupted changes where writing is not granted now or the operating system refuses it, or of calls of which the
    policy forbids a part. Other changes go on meanwhile.
    """

    conflicts: list[LogSummary]
    """Interrupted changes of what somebody else has changed since: nothing was touched."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class RedoOutcome:
    """What `redo` has done."""

    redone: list[LogSummary]
    """The entry of the `undo` that was taken back."""

    paths: list[str]
    """The paths that were changed, the first 1,000."""

    names: int
    """Number of names that were changed: of a directory with everything in it."""

    etag: str | None = None
    """Tag of the file now, if the content of one file was changed."""

    undo_id: str | None = None
    """The id of this change in the history. Absent if nothing was changed."""

    diff: str | None = None
    """What happened to a file's content as a unified diff, if it was asked for."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class ReplaceAllOutcome:
    """What `replace-all` has done."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    etag_before: str
    """State of the file before."""

    etag: str
    """State of the file now."""

    bytes_written: int
    """Number of bytes written: what differs between the old text and the new one, and all that follows if the length changed."""

    replacements: int
    """Number of occurrences replaced."""

    lines: list[int]
    """The first line that changed of each replaced occurrence; with `regex`, the line on which it began."""

    line_ends_adapted: bool
    """The line ends of `old` and `new` were taken as the file's."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    diff: str | None = None
    """The change as a unified diff, if it was asked for."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class ReplaceInFilesOutcome:
    """What `replace-in-files` shows, or has done."""

    occurrences: list[Occurrence]
    """What a preview has found, in the order of files and places. Empty with `ids`."""

    count: int
    """Number of occurrences that this answer shows, or, with `ids`, replaces."""

    searched: int
    """Number of files that were looked into; with `ids` but not `count`, only those that the ids are about."""

    skipped: Skipped
    """What was not looked into."""

    files: list[AppliedFile]
    """With `ids`, what was done to each file, in the order in which they were looked into. Empty for a preview."""

    next_cursor: str | None = None
    """Where a preview goes on. Absent at the end."""

    stopped: Stop | None = None
    """Why a preview ends before the files do."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    diff: str | None = None
    """The changes as a unified diff, if it was asked for."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing: of a preview also `nothing_searched`, `regex_off`, `changed`, `ignore_file`."""


@dataclass(frozen=True, kw_only=True)
class ReplaceLinesOutcome:
    """What `replace-lines` has done."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    etag_before: str
    """State of the file before."""

    etag: str
    """State of the file now."""

    bytes_written: int
    """Number of bytes written: what differs between the old text and the new one, and all that follows if the length changed."""

    line_ends_adapted: bool
    """Line ends of `content` were taken as the file's."""

    lines: str | None = None
    """Lines that the new text takes now: `4` or `23-43`. Absent if it is empty."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    diff: str | None = None
    """The change as a unified diff, if it was asked for."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class ReplaceOutcome:
    """What `replace` has done."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    etag_before: str
    """State of the file before."""

    etag: str
    """State of the file now."""

    bytes_written: int
    """Number of bytes written: what differs between the old text and the new one, and all that follows if the length changed."""

    replacements: int
    """Number of occurrences replaced."""

    lines: list[int]
    """The first line that changed."""

    line_ends_adapted: bool
    """The line ends of `old` and `new` were taken as the file's."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    diff: str | None = None
    """The change as a unified diff, if it was asked for."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class RestoreOutcome:
    """What `restore` has done."""

    path: str
    """The path in the namespace of the granted directories; of several, the first."""

    undone: list[LogSummary]
    """The entries that were taken back for it. None if the old content was kept whole."""

    undo_id: str | None = None
    """The id of this change in the history. Absent if nothing was changed."""

    diff: str | None = None
    """What happened to the file's content as a unified diff, if it was asked for."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class SectionLines:
    """A heading, a definition or an entry of a configuration file, with its lines."""

    name: str
    """Its name, as `section` takes it: `## Title`, `fn bar`, `impl Trait for Type`; `fn bar#2` is the second of several in
    the same place.
    """

    first: int
    """Number of its first line, after comments and attributes above it."""

    last: int
    """Number of its last line."""

    depth: int
    """Number of listed sections around it."""


@dataclass(frozen=True, kw_only=True)
class ShamOutcome:
    """What became of a text."""

    output: str
    """What every block came to: a JSON object with `success`, `totalBlocks`, `executedActions`, `results`, `parseErrors` and,
    where nothing could be done at all, `fatalError`.
    """

    state: str | None = None
    """What the next text has to bring along. Absent if there is nothing to bring."""


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """How many were left out, and why. Of a walk that goes on at a cursor, each answer counts its own part."""

    hidden: int
    """The name begins with a dot."""

    not_utf8: int
    """The name is not UTF-8, so no path can name it."""

    ignored: int
    """A rule of `.gitignore`, `.ignore` or `.git/info/exclude` names it. A directory counts once, whatever it holds."""

    excluded: int
    """It was left out by a pattern of the call. A directory counts once, whatever it holds."""

    too_deep: int
    """It lies so deep that no path can name it: more than 256 segments or 4,096 bytes. A directory counts once."""

    unreadable: int
    """A directory that could not be listed, or a file that could not be read."""

    links: int
    """A link, which a search does not follow."""

    special: int
    """A device, FIFO or socket, which a search does not open."""

    binary: int
    """A file that is not text."""

    too_large: int
    """A file that is too large."""

    denied: int
    """A directory or file that the policy does not let anybody open. What it hides is not counted."""


@dataclass(frozen=True, kw_only=True)
class StatOutcome:
    """What `stat` tells."""

    entry: Entry
    """What is there."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class Totals:
    """How many there are of each kind."""

    files: int
    """Regular files."""

    directories: int
    """Directories."""

    others: int
    """Links, and special files."""

    bytes: int | None = None
    """Bytes in the files. Absent if this answer does not show all of them, or did not look at sizes."""


@dataclass(frozen=True, kw_only=True)
class TreeEntry:
    """A name in a tree: what its directory tells of it."""

    path: str
    """Path in the namespace of the granted directories."""

    kind: Kind
    """What it is."""

    depth: int
    """Distance from the start: 1 for what stands in it."""

    target: str | None = None
    """Where a link points, if that lies inside its grant."""

    escapes: bool | None = None
    """True for a link that leads out of its grant."""


@dataclass(frozen=True, kw_only=True)
class TreeOutcome:
    """What `tree` shows."""

    path: str
    """Path of the directory in the namespace of the granted directories."""

    entries: list[TreeEntry]
    """The entries, each directory before what is in it, names in the order of their bytes. Empty if only the drawing was
    asked for.
    """

    totals: Totals
    """What this answer shows."""

    skipped: Skipped
    """What this answer has left out."""

    drawn: str | None = None
    """The drawing: one line for each name, two spaces for each directory around it, `/` behind directories, ` -> ` and the
    target behind links. Backslashes and invisible characters are escaped. A name that begins or ends with a space, begins
    with `"` or contains ` -> ` is in quotes. Absent if entries were asked for.
    """

    next_cursor: str | None = None
    """Where to go on. Absent at the end."""

    stopped: Stop | None = None
    """Why the tree ends before everything was shown."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class UncommentLinesOutcome:
    """What `uncomment-lines` has done."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    etag_before: str
    """State of the file before."""

    etag: str
    """State of the file now."""

    bytes_written: int
    """Number of bytes written: what differs between the old text and the new one, and all that follows if the length changed."""

    syntax: str
    """The kind of file that it was taken for, or what is written in the block where the lines stand."""

    changed: int
    """Number of lines that are comments no more, or have a mark less."""

    lines: list[int]
    """Which lines these are."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    diff: str | None = None
    """The change as a unified diff, if it was asked for."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class UndoOutcome:
    """What `undo` has done."""

    undone: list[LogSummary]
    """The entries that were taken back, in that order, the first 1,000."""

    paths: list[str]
    """The paths that were changed, the first 1,000."""

    names: int
    """Number of names that were changed: of a directory with everything in it."""

    etag: str | None = None
    """Tag of the file now, if the content of one file was changed."""

    undo_id: str | None = None
    """The id of this change in the history. Absent if nothing was changed."""

    diff: str | None = None
    """What happened to a file's content as a unified diff, if it was asked for."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class WorkflowOutcome:
    """What became of a workflow."""

    output: str
    """What every block came to: a JSON object with `success`, `totalBlocks`, `results`, `notes` if there are any and, where
    nothing was done at all, `fatalError`.
    """

    rendered: str | None = None
    """The text with results in it, if it was asked for."""


@dataclass(frozen=True, kw_only=True)
class WorkflowVariable:
    """A variable of a workflow."""

    name: str
    """Its name: in a value, `{{name}}` stands for it."""

    value: str
    """What it stands for."""


@dataclass(frozen=True, kw_only=True)
class WriteBytesOutcome:
    """What `write-bytes` has done."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    etag: str
    """State of the file now."""

    bytes_written: int
    """Number of bytes written: what differs between the old text and the new one, and all that follows if the length changed."""

    created: bool
    """The file is new."""

    overwrote: bool
    """The content of an existing file was replaced."""

    etag_before: str | None = None
    """State of the file before. Absent if there was none."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    backup: str | None = None
    """`history:` and the id of this change: what `restore` brings the content from before back with. Absent if it was not
    asked for, or there was none.
    """

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""


@dataclass(frozen=True, kw_only=True)
class WriteOutcome:
    """What `write` has done."""

    path: str
    """Path of the file in the namespace of the granted directories."""

    etag: str
    """State of the file now."""

    bytes_written: int
    """Number of bytes written: what differs between the old text and the new one, and all that follows if the length changed."""

    created: bool
    """The file is new."""

    overwrote: bool
    """The content of an existing file was replaced."""

    etag_before: str | None = None
    """State of the file before. Absent if there was none."""

    undo_id: str | None = None
    """The id of this change in the history, for `undo`. Absent if nothing was changed, or the change is not kept."""

    backup: str | None = None
    """`history:` and the id of this change: what `restore` brings the content from before back with. Absent if it was not
    asked for, or there was none.
    """

    diff: str | None = None
    """The change as a unified diff, if it was asked for."""

    notes: list[Note] = dataclasses.field(default_factory=list)
    """What else is worth knowing."""
