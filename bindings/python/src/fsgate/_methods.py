"""A method for each operation and each front end. Made from the contract by `python3 -m generator`; a test compares."""

import builtins
from abc import ABC, abstractmethod
from pathlib import PurePath
from typing import TypeVar

from .types import (
    AppendOutcome,
    ApplyOutcome,
    CheckpointOutcome,
    CommandOutcome,
    CommentLinesOutcome,
    CopyOutcome,
    CreateDirectoryOutcome,
    CreateOutcome,
    DeleteDirectoryOutcome,
    DeleteOutcome,
    Edit,
    ExistsOutcome,
    FileActionOutcome,
    ForgetOutcome,
    GlobKind,
    GlobOutcome,
    GrepMode,
    GrepOutcome,
    InsertLinesOutcome,
    ListDirectoryOutcome,
    LogOutcome,
    MoveOutcome,
    OutlineOutcome,
    PluginOutcome,
    ReadBytesOutcome,
    ReadManyOutcome,
    ReadNumberedOutcome,
    ReadOutcome,
    RecoverOutcome,
    RedoOutcome,
    ReplaceAllOutcome,
    ReplaceInFilesOutcome,
    ReplaceLinesOutcome,
    ReplaceOutcome,
    RestoreOutcome,
    ShamOutcome,
    SortOrder,
    StatOutcome,
    TreeForm,
    TreeOutcome,
    UncommentLinesOutcome,
    UndoOutcome,
    WorkflowOutcome,
    WorkflowVariable,
    WriteBytesOutcome,
    WriteOutcome,
)

T = TypeVar("T")


class Methods(ABC):
    """Every operation and every front end."""

    @abstractmethod
    def _run(self, tool: str, outcome: type[T], arguments: dict[str, object]) -> T: ...

    @abstractmethod
    def _front_end(self, name: str, outcome: type[T], arguments: dict[str, object]) -> T: ...

    def read(
        self,
        path: str | PurePath,
        *,
        skip_lines: int | None = None,
        max_lines: int | None = None,
        last_lines: int | None = None,
        max_bytes: int | None = None,
        cursor: str | None = None,
        encoding: str | None = None,
        with_etag: bool | None = None,
    ) -> ReadOutcome:
        """Reads a text file, or a window of its lines. The content comes back as it is.

        An answer has at most `max_bytes`; `next_cursor` continues it, also inside one long line. Text in another encoding
        than UTF-8 is shown as UTF-8, and the answer names the encoding. A byte order mark decides which one it is, unless
        the file behind it is clearly binary; else the bytes decide, in a large file the first MiB. A file that is no text
        in any of them is `not-text`: `read_bytes` shows it. In UTF-16 a file may have at most 32 MiB.

        Args:
            path: File to read.
            skip_lines: Number of lines to leave out at the start of the file. Default: `0`.
            max_lines: Largest number of lines to show. Default: every line.
            last_lines: Show only so many lines at the end of the file, without reading what is before them. Not with
                `skip_lines`, `max_lines` or `cursor`. Default: from `skip_lines` on.
            max_bytes: Largest number of bytes of content to show. Whole lines, unless the first one alone is longer.
                Default: `40000`.
            cursor: Where to go on: `next_cursor` of an answer about the same file. It takes the place of `skip_lines`.
                Default: the start of the file.
            encoding: Label of the encoding that the file is in, as the web has them: `windows-1252`, `utf-16le`,
                `shift_jis`. Default: told from the bytes.
            with_etag: Give the strong tag of a file above 16 MiB as well. All of it is read for that. Default: `false`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "skip_lines": skip_lines,
            "max_lines": max_lines,
            "last_lines": last_lines,
            "max_bytes": max_bytes,
            "cursor": cursor,
            "encoding": encoding,
            "with_etag": with_etag,
        }
        return self._run("read", ReadOutcome, arguments)

    def read_numbered(
        self,
        path: str | PurePath,
        *,
        lines: str | None = None,
        section: list[str] | None = None,
        delimiter: str | None = None,
        max_bytes: int | None = None,
        cursor: str | None = None,
        encoding: str | None = None,
    ) -> ReadNumberedOutcome:
        """Reads lines of a text file with their numbers. `replace` and other tools name lines so.

        A range past the end is no error: the lines that exist are shown, and `out_of_range` is set.

        A `section` is a heading with its content, or a definition in code with its block; names in strings and comments do
        not count. Sections are also the tables of TOML and INI, the keys of the top level of YAML and JSON, the targets of
        Makefiles and the stages of Dockerfiles. `Close#2` is the second of several; `A` is around `Close` in `func (a *A)
        Close`. A missing name is `no-match`; several, or one without a clear end, are `ambiguous`. A file may have at most
        4 MiB for it. The languages: C, C++, C#, CSS, Dart, GDScript, Go, GraphQL, Java, JavaScript, Kotlin, Less,
        Markdown, PHP, Protobuf, Python, Rust, Scala, SCSS, shell, Swift, TypeScript, WIT, Zig. Note: similar to `cat -n`
        and `sed -n '23,43p'`.

        Args:
            path: File to read.
            lines: One line (`4`) or a range of lines (`23-43`), counted from 1. Default: every line.
            section: Names, the outermost first: a heading (`## Title`), a definition in code (`fn bar`, `.a > .b`), or a
                table, key, target or stage (`package`). Not with `lines`. Default: all of the file.
            delimiter: Text between a line's number and its content. Default: `": "`.
            max_bytes: Largest number of bytes of content to show, numbers and delimiters included. Whole lines, unless the
                first one alone is longer. Default: `40000`.
            cursor: Where to go on: `next_cursor` of an answer about the same file. It takes the place of the first line of
                `lines`; the last one holds. Default: the first line asked for.
            encoding: Label of the encoding that the file is in, as the web has them: `windows-1252`, `utf-16le`,
                `shift_jis`. Default: told from the bytes.
        """
        arguments: dict[str, object] = {
            "path": path,
            "lines": lines,
            "section": section,
            "delimiter": delimiter,
            "max_bytes": max_bytes,
            "cursor": cursor,
            "encoding": encoding,
        }
        return self._run("read_numbered", ReadNumberedOutcome, arguments)

    def outline(
        self,
        path: str | PurePath,
        *,
        section: list[str] | None = None,
        max_depth: int | None = None,
        max_items: int | None = None,
        encoding: str | None = None,
    ) -> OutlineOutcome:
        """Lists the headings of a Markdown file or the definitions in code, with their lines.

        In configuration files it lists tables, keys of the top level, targets or stages.

        Each name is one that `section` of other tools takes. Kinds and sizes of files are those that `read_numbered` takes
        for a `section`.

        Args:
            path: File to read.
            section: Names, the outermost first, as `read_numbered` takes them: list only this section, itself first.
                Default: all of the file.
            max_depth: Levels to list, the outermost one first. Default: every level.
            max_items: Largest number of sections to list; fewer if their names take more than 256 KiB. Default: `200`.
            encoding: Label of the encoding that the file is in, as the web has them: `windows-1252`, `utf-16le`,
                `shift_jis`. Default: told from the bytes.
        """
        arguments: dict[str, object] = {
            "path": path,
            "section": section,
            "max_depth": max_depth,
            "max_items": max_items,
            "encoding": encoding,
        }
        return self._run("outline", OutlineOutcome, arguments)

    def read_many(
        self,
        paths: list[str],
        *,
        joined: bool | None = None,
        max_bytes: int | None = None,
        encoding: str | None = None,
    ) -> ReadManyOutcome:
        """Reads several text files in one call; each one succeeds or fails on its own.

        Args:
            paths: Files to read.
            joined: Put everything into one text: `=== path ===`, a newline and the content for each file, joined by two
                newlines. Default: `false`.
            max_bytes: Largest number of bytes of content to show, headings included, all files together. Whole lines,
                unless the first one alone is longer. With long paths or many errors, 512 KiB of them end the answer as
                well. Default: `40000`.
            encoding: Label of the encoding that all of the files are in, as the web has them: `windows-1252`, `utf-16le`,
                `shift_jis`. Default: told from the bytes, of each file for itself.
        """
        arguments: dict[str, object] = {
            "paths": paths,
            "joined": joined,
            "max_bytes": max_bytes,
            "encoding": encoding,
        }
        return self._run("read_many", ReadManyOutcome, arguments)

    def read_bytes(
        self,
        path: str | PurePath,
        *,
        offset: int | None = None,
        length: int | None = None,
    ) -> ReadBytesOutcome:
        """Reads bytes of any file; in JSON they are base64.

        An offset at or past the end is no error: there are no bytes, and `end` is set.

        Args:
            path: File to read.
            offset: Number of bytes to leave out at the start of the file. Default: `0`.
            length: Largest number of bytes to return. Default: `30000`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "offset": offset,
            "length": length,
        }
        return self._run("read_bytes", ReadBytesOutcome, arguments)

    def stat(
        self,
        path: str | PurePath,
        *,
        follow: bool | None = None,
        with_etag: bool | None = None,
        checksum: bool | None = None,
    ) -> StatOutcome:
        """Tells what a path stands for: kind, size, last change, media type, link target.

        A link is followed; see `follow`. A link that leads out of its grant shows `escapes` in the place of its target.

        Args:
            path: What to look at.
            follow: Follow a link at the end of the path; without it the link itself is described. Default: `true`.
            with_etag: Give the strong tag of a file. All of it is read for that. Default: `false`.
            checksum: Give the SHA-256 of a file. All of it is read for that. Default: `false`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "follow": follow,
            "with_etag": with_etag,
            "checksum": checksum,
        }
        return self._run("stat", StatOutcome, arguments)

    def exists(
        self,
        path: str | PurePath,
    ) -> ExistsOutcome:
        """Tells whether a path stands for something, and what it is. Links are followed.

        That nothing is there is an answer, not an error; a path outside of the granted directories is an error.

        Args:
            path: What to look for.
        """
        arguments: dict[str, object] = {
            "path": path,
        }
        return self._run("exists", ExistsOutcome, arguments)

    def list_directory(
        self,
        path: str | PurePath,
        *,
        include_hidden: bool | None = None,
        with_etag: bool | None = None,
        pattern: str | None = None,
        recursive: bool | None = None,
        max_depth: int | None = None,
        respect_ignore: bool | None = None,
        sort: SortOrder | None = None,
        max_items: int | None = None,
        max_millis: int | None = None,
        cursor: str | None = None,
    ) -> ListDirectoryOutcome:
        """Lists a directory: kind, size and last change of each entry. Links are shown, not followed.

        An answer holds at most 1 MiB; it may end before `max_items` for that reason.

        Args:
            path: Directory to list.
            include_hidden: Show names that begin with a dot. Default: `false`.
            with_etag: Give the strong tag of each file. All of it is read for that. Default: `false`.
            pattern: Show only what this pattern stands for: `*`, `?`, `**`, `[a-z]`, `{a,b}`. Without a `/` it is about
                names at any depth, with one about the path below the directory. Default: everything.
            recursive: Show what is in the directories below as well, depth first, each entry with its depth. Totals are
                then those of the entries that this answer shows. Default: `false`.
            max_depth: With `recursive`, how deep to go; 1 is the directory itself. Default: to the end.
            respect_ignore: Leave out what `.gitignore`, `.ignore` and `.git/info/exclude` name. Default: `false`.
            sort: Order of the entries. By size or time, everything is looked at, and only the first `max_items` are shown:
                not with `cursor`. Default: `"name"`.
            max_items: Largest number of entries to show. Default: `200`.
            max_millis: Time after which the answer ends, with at least one step made and a cursor. Default: no limit.
            cursor: Where to go on: `next_cursor` of an answer to the same arguments. Default: the first entry.
        """
        arguments: dict[str, object] = {
            "path": path,
            "include_hidden": include_hidden,
            "with_etag": with_etag,
            "pattern": pattern,
            "recursive": recursive,
            "max_depth": max_depth,
            "respect_ignore": respect_ignore,
            "sort": sort,
            "max_items": max_items,
            "max_millis": max_millis,
            "cursor": cursor,
        }
        return self._run("list_directory", ListDirectoryOutcome, arguments)

    def tree(
        self,
        path: str | PurePath,
        *,
        max_depth: int | None = None,
        include_hidden: bool | None = None,
        respect_ignore: bool | None = None,
        directories_only: bool | None = None,
        form: TreeForm | None = None,
        max_items: int | None = None,
        max_millis: int | None = None,
        cursor: str | None = None,
    ) -> TreeOutcome:
        """Draws a directory with everything below it, names only. Links are shown, not followed.

        An answer holds at most 1 MiB; it may end before `max_items` for that reason.

        Args:
            path: Directory to draw.
            max_depth: How deep to go; 1 is the directory itself. Default: to the end.
            include_hidden: Show names that begin with a dot. Default: `false`.
            respect_ignore: Leave out what `.gitignore`, `.ignore` and `.git/info/exclude` name. Default: `true`.
            directories_only: Show directories only. Default: `false`.
            form: What to answer with. Default: `"drawn"`.
            max_items: Largest number of names to show. Default: `1000`.
            max_millis: Time after which the answer ends, with at least one step made and a cursor. Default: no limit.
            cursor: Where to go on: `next_cursor` of an answer to the same arguments. Default: the first name.
        """
        arguments: dict[str, object] = {
            "path": path,
            "max_depth": max_depth,
            "include_hidden": include_hidden,
            "respect_ignore": respect_ignore,
            "directories_only": directories_only,
            "form": form,
            "max_items": max_items,
            "max_millis": max_millis,
            "cursor": cursor,
        }
        return self._run("tree", TreeOutcome, arguments)

    def glob(
        self,
        pattern: str,
        *,
        path: str | PurePath | None = None,
        include_hidden: bool | None = None,
        respect_ignore: bool | None = None,
        ignore_case: bool | None = None,
        kind: GlobKind | None = None,
        max_depth: int | None = None,
        with_etag: bool | None = None,
        max_items: int | None = None,
        max_millis: int | None = None,
        cursor: str | None = None,
    ) -> GlobOutcome:
        """Finds files and directories by a pattern over their paths. Links are shown, not followed.

        An answer holds at most 1 MiB; it may end before `max_items` for that reason.

        Args:
            pattern: Pattern over paths below `path`: `*` and `?` stay in one segment, `**` is any number of them, `[a-z]`,
                `[!a]`, `{a,b}`; a backslash keeps the next character as it is; a `/` at the end means directories. `*.rs`
                looks in one directory, `**/*.rs` below as well.
            path: Directory to look in. Default: `"."`.
            include_hidden: Look at names that begin with a dot, and below them. Default: `false`.
            respect_ignore: Leave out what `.gitignore`, `.ignore` and `.git/info/exclude` name. Default: `true`.
            ignore_case: Take upper and lower case for the same. Default: `false`.
            kind: What to find. Default: `"any"`.
            max_depth: How deep to go; 1 is the directory itself. Default: as deep as the pattern.
            with_etag: Give the strong tag of each file. All of it is read for that. Default: `false`.
            max_items: Largest number of entries to show. Default: `200`.
            max_millis: Time after which the answer ends, with at least one step made and a cursor. Default: no limit.
            cursor: Where to go on: `next_cursor` of an answer to the same arguments. Default: the first entry.
        """
        arguments: dict[str, object] = {
            "pattern": pattern,
            "path": path,
            "include_hidden": include_hidden,
            "respect_ignore": respect_ignore,
            "ignore_case": ignore_case,
            "kind": kind,
            "max_depth": max_depth,
            "with_etag": with_etag,
            "max_items": max_items,
            "max_millis": max_millis,
            "cursor": cursor,
        }
        return self._run("glob", GlobOutcome, arguments)

    def grep(
        self,
        pattern: str,
        *,
        path: str | PurePath | None = None,
        section: list[str] | None = None,
        regex: bool | None = None,
        ignore_case: bool | None = None,
        word: bool | None = None,
        invert: bool | None = None,
        multi_line: bool | None = None,
        before: int | None = None,
        after: int | None = None,
        include: list[str] | None = None,
        exclude: list[str] | None = None,
        include_hidden: bool | None = None,
        respect_ignore: bool | None = None,
        include_binary: bool | None = None,
        max_depth: int | None = None,
        mode: GrepMode | None = None,
        max_items: int | None = None,
        max_bytes: int | None = None,
        max_millis: int | None = None,
        with_etag: bool | None = None,
        cursor: str | None = None,
        encoding: str | None = None,
    ) -> GrepOutcome:
        r"""Searches files for lines with a text, or with a match of a regular expression.

        A directory is searched with all below it, in the order of paths, without following links. Left out are hidden and
        ignored names, unless the arguments say otherwise, and files with a NUL byte, which are no text. What was left out
        is counted in `skipped`: no match and nothing searched are different answers. A file in which a NUL byte comes
        after the first 64 KiB is searched up to there. Lines are numbered as `read_numbered` does.

        A file in another encoding than UTF-8 is searched as the text that it holds, if its first 64 KiB show that, or
        `encoding` names it; `(?-u:\xE9)` and the like search the bytes as they are. Such a file above 32 MiB is
        `too_large` if it is in UTF-16 or its encoding is named, and else searched as if it were UTF-8.

        Args:
            pattern: Plain text; with `regex` a regular expression.
            path: Directory to search, with all below it, or one file. Default: `"."`.
            section: Search only this section of a file, as for `read_numbered`. Default: all of the file.
            regex: `pattern` is a regular expression, as Rust's regex crate has them. There is no look-around and no
                reference back. Each line is a text of its own, without its end. With `multi_line` an expression that takes
                too long is refused: `limit`, `work`. Default: `false`.
            ignore_case: Capital and small letters are the same. Default: `false`.
            word: Only with no letter, digit or `_` on either side. Default: `false`.
            invert: Lines without a match. Not with `multi_line`. Default: `false`.
            multi_line: A match may go over several lines. A line end in a plain `pattern` stands for any line end; in a
                regular expression `\n` is LF alone, `.` is no line end without `(?s)`, and `\z` is after the last line
                end. Files above 32 MiB are skipped. Default: `false`.
            before: Lines to show before each match. Default: `0`.
            after: Lines to show after each match. Default: `0`.
            include: Search only files that one of these patterns names: `*.rs` at any depth, `src/**/*.rs` from `path` on,
                `src` or `s*/` for all below it at any depth. Default: every file.
            exclude: Leave out files and whole directories that one of these names. Default: nothing.
            include_hidden: Search names that begin with a dot as well. Default: `false`.
            respect_ignore: Leave out what `.gitignore`, `.ignore` and `.git/info/exclude` name. A file that `path` names
                is searched in any case. Default: `true`.
            include_binary: Search files with NUL bytes to their end. Default: `false`.
            max_depth: Depth to go to: 1 is the files in `path` alone. Default: all the way.
            mode: What to show. Default: `"content"`.
            max_items: Largest number of lines to show, or of files in the modes `files` and `count`. Default: `200`.
            max_bytes: Largest number of bytes to show, in JSON. One that alone is larger is shown all the same. Default:
                `40000`.
            max_millis: Time after which the answer ends, in milliseconds. Something is searched in any case. Default: no
                end.
            with_etag: Give the range tag of each line, without its end. `replace` takes it as `if_match`. Default:
                `false`.
            cursor: Where to go on: `next_cursor` of an answer to the same arguments. Default: the first file.
            encoding: Label of the encoding of all the files: `windows-1252`, `utf-16le`, `shift_jis`. Default: told from
                the bytes of each file.
        """
        arguments: dict[str, object] = {
            "pattern": pattern,
            "path": path,
            "section": section,
            "regex": regex,
            "ignore_case": ignore_case,
            "word": word,
            "invert": invert,
            "multi_line": multi_line,
            "before": before,
            "after": after,
            "include": include,
            "exclude": exclude,
            "include_hidden": include_hidden,
            "respect_ignore": respect_ignore,
            "include_binary": include_binary,
            "max_depth": max_depth,
            "mode": mode,
            "max_items": max_items,
            "max_bytes": max_bytes,
            "max_millis": max_millis,
            "with_etag": with_etag,
            "cursor": cursor,
            "encoding": encoding,
        }
        return self._run("grep", GrepOutcome, arguments)

    def create(
        self,
        path: str | PurePath,
        content: str,
        *,
        parents: bool | None = None,
        if_none_match: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
        escaped: bool | None = None,
    ) -> CreateOutcome:
        r"""Creates a text file that does not exist yet, all at once: of several callers exactly one wins.

        If the file is there, the call is refused with `exists` and nothing is written.

        Args:
            path: File to create.
            content: Its content.
            parents: Make missing parent directories. Default: `true`.
            if_none_match: `*`: the file must not be there, which `create` asks for in any case. Anything else is `stale`.
                Default: the same.
            dry_run: Make every check and give the same outcome, but write nothing. Only the call itself shows a full disk
                or a missing permission. Default: `false`.
            diff: Show the change as a unified diff. Default: `false`.
            encoding: Label of the encoding to write `content` in, as the web has them: `windows-1252`, `utf-16le`,
                `shift_jis`. What it has no character for is `not-encodable`. Above 32 MiB `content` has to be UTF-8. A
                byte order mark is not put in front: begin `content` with U+FEFF for one. Default: UTF-8.
            escaped: Bytes stand in `content` by their numbers, as `\x{E9}`, and a backslash before `x{` as `\x{5C}`: as a
                read shows them that finds such bytes. Default: `false`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "content": content,
            "parents": parents,
            "if_none_match": if_none_match,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
            "escaped": escaped,
        }
        return self._run("create", CreateOutcome, arguments)

    def write(
        self,
        path: str | PurePath,
        content: str,
        *,
        parents: bool | None = None,
        overwrite: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        if_none_match: str | None = None,
        diff: bool | None = None,
        backup: bool | None = None,
        encoding: str | None = None,
        escaped: bool | None = None,
    ) -> WriteOutcome:
        r"""Writes a whole text file: a new one all at once, an existing one in place.

        Where old and new content agree at the beginning or the end, nothing is written.

        Args:
            path: File to write.
            content: Its new content, in UTF-8 unless `encoding` names another. A byte order mark of that encoding that the
                file has stays in front of it.
            parents: Make missing parent directories. Default: `true`.
            overwrite: Take the place of the content of a file that is there. Otherwise it is refused with `exists`.
                Default: `true`.
            if_match: State that the file must be in: a tag of either kind, or `*` for any. Otherwise the call is `stale`.
                Default: any state, and none.
            dry_run: Make every check and give the same outcome, but write nothing. Only the call itself shows a full disk
                or a missing permission. Default: `false`.
            if_none_match: `*`: the file must not be there. Anything else is `stale`, as is a file that is there. Default:
                it may be there.
            diff: Show the change as a unified diff. Default: `false`.
            backup: Keep all of the content from before, not only what changes. `restore` brings it back whatever becomes
                of the file. Default: `false`.
            encoding: Label of the encoding to write `content` in, as the web has them: `windows-1252`, `utf-16le`,
                `shift_jis`. What it has no character for is `not-encodable`. Above 32 MiB `content` has to be UTF-8. A
                byte order mark is not put in front, unless the file that is there has it: begin `content` with U+FEFF for
                one. Default: UTF-8.
            escaped: Bytes stand in `content` by their numbers, as `\x{E9}`, and a backslash before `x{` as `\x{5C}`: as a
                read shows them that finds such bytes. Default: `false`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "content": content,
            "parents": parents,
            "overwrite": overwrite,
            "if_match": if_match,
            "dry_run": dry_run,
            "if_none_match": if_none_match,
            "diff": diff,
            "backup": backup,
            "encoding": encoding,
            "escaped": escaped,
        }
        return self._run("write", WriteOutcome, arguments)

    def write_bytes(
        self,
        path: str | PurePath,
        bytes: builtins.bytes | bytearray | memoryview,
        *,
        parents: bool | None = None,
        overwrite: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        if_none_match: str | None = None,
        backup: bool | None = None,
    ) -> WriteBytesOutcome:
        """Writes a whole file of any kind; in JSON its content is base64.

        Args:
            path: File to write.
            bytes: Its new content; in JSON as base64.
            parents: Make missing parent directories. Default: `true`.
            overwrite: Take the place of the content of a file that is there. Otherwise it is refused with `exists`.
                Default: `true`.
            if_match: State that the file must be in: a tag of either kind, or `*` for any. Otherwise the call is `stale`.
                Default: any state, and none.
            dry_run: Make every check and give the same outcome, but write nothing. Only the call itself shows a full disk
                or a missing permission. Default: `false`.
            if_none_match: `*`: the file must not be there. Anything else is `stale`, as is a file that is there. Default:
                it may be there.
            backup: Keep all of the content from before, not only what changes. `restore` brings it back whatever becomes
                of the file. Default: `false`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "bytes": bytes,
            "parents": parents,
            "overwrite": overwrite,
            "if_match": if_match,
            "dry_run": dry_run,
            "if_none_match": if_none_match,
            "backup": backup,
        }
        return self._run("write_bytes", WriteBytesOutcome, arguments)

    def append(
        self,
        path: str | PurePath,
        content: str,
        *,
        must_exist: bool | None = None,
        separator: str | None = None,
        parents: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
        escaped: bool | None = None,
    ) -> AppendOutcome:
        r"""Puts a text at the end of a file, as it is. The time it takes does not follow the size of the file.

        The file is created if it is not there, unless `must_exist`. No newline is added. In a file that is text in another
        encoding than UTF-8 the text is put in that encoding; in one that is no text, in UTF-8.

        Args:
            path: File to append to.
            content: Text to put at its end, as it is.
            must_exist: Refuse with `not-found` if the file is not there, instead of creating it. Default: `false`.
            separator: Text to put before it if the file is not empty. Default: `""`.
            parents: Make missing parent directories. Default: `true`.
            if_match: State that the file must be in: a tag of either kind, or `*` for any. Otherwise the call is `stale`.
                Default: any state, and none.
            dry_run: Make every check and give the same outcome, but write nothing. Only the call itself shows a full disk
                or a missing permission. Default: `false`.
            diff: Show the change as a unified diff. Default: `false`.
            encoding: Label of the encoding that the file is in, as the web has them: `windows-1252`, `utf-16le`,
                `shift_jis`. What it has no character for is `not-encodable`. Default: told from the bytes; UTF-8 for a new
                file.
            escaped: Bytes stand in `content` and `separator` by their numbers, as `\x{E9}`, and a backslash before `x{` as
                `\x{5C}`: as a read shows them that finds such bytes. Default: `false`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "content": content,
            "must_exist": must_exist,
            "separator": separator,
            "parents": parents,
            "if_match": if_match,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
            "escaped": escaped,
        }
        return self._run("append", AppendOutcome, arguments)

    def replace(
        self,
        path: str | PurePath,
        old: str,
        new: str,
        *,
        occurrence: int | None = None,
        section: list[str] | None = None,
        exact_line_ends: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
        escaped: bool | None = None,
    ) -> ReplaceOutcome:
        r"""Replaces one occurrence of a text in a file and leaves every other byte alone.

        `old` must occur exactly once, or `occurrence` must say which one is meant; otherwise the call is refused with
        `no-match` or `ambiguous` and the line numbers. If `old` does not occur with its own line ends, they are taken as
        the file's, and `line_ends_adapted` is set. The LF of a CRLF is no LF; a CR in `old` is one wherever it stands.

        Args:
            path: File to change.
            old: Text to replace, matched exactly, line ends aside. It may run over several lines.
            new: Text to put in its place, literally: `$1` and `\1` mean themselves. If `old` was found with other line
                ends than its own, those of `new` become those of the text that it replaces; if `old` has none, those of
                the file; else they stay; see `exact_line_ends`.
            occurrence: Which occurrence of `old` to replace, counted from 1. Default: the only one; more than one is
                refused.
            section: Names, the outermost first: a heading (`## Title`), a definition in code (`fn bar`, `.a > .b`), or a
                table, key, target or stage (`package`). Only text wholly inside counts. See `read_numbered`. Default: all
                of the file.
            exact_line_ends: Take the line ends of `old` and `new` byte for byte instead of as the file's. Default:
                `false`.
            if_match: State that the file must be in: a tag of either kind, or `*` for any. Otherwise the call is `stale`.
                Default: any state, and none.
            dry_run: Make every check and give the same outcome, but write nothing. Only the call itself shows a full disk
                or a missing permission. Default: `false`.
            diff: Show the change as a unified diff. Default: `false`.
            encoding: Label of the encoding that the file is in, as the web has them: `windows-1252`, `utf-16le`,
                `shift_jis`. Default: told from the bytes.
            escaped: Bytes stand in the texts by their numbers, as `\x{E9}`, and a backslash before `x{` as `\x{5C}`: as a
                read shows them that finds such bytes. Default: `false`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "old": old,
            "new": new,
            "occurrence": occurrence,
            "section": section,
            "exact_line_ends": exact_line_ends,
            "if_match": if_match,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
            "escaped": escaped,
        }
        return self._run("replace", ReplaceOutcome, arguments)

    def replace_all(
        self,
        path: str | PurePath,
        old: str,
        new: str,
        *,
        count: int | None = None,
        limit: int | None = None,
        section: list[str] | None = None,
        regex: bool | None = None,
        exact_line_ends: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
        escaped: bool | None = None,
    ) -> ReplaceAllOutcome:
        r"""Replaces every occurrence of a text or a regular expression in a file, and leaves every other byte alone.

        None at all is `no-match`, unless `count` is 0. From the first occurrence to the last, at most 32 MiB are put in
        place in one call. Occurrences do not overlap, and what was put in place is not searched again. Line ends are
        treated as in `replace`; a regular expression sees them as they are.

        Args:
            path: File to change.
            old: Text to replace, matched exactly, line ends aside; with `regex`, a regular expression.
            new: Text to put in place of each occurrence, literally; with `regex`, `$1` and `${name}` stand for groups and
                `$$` for `$`, and a group that `old` does not have is refused. Its line ends are treated as in `replace`;
                with `regex` they become those of the file, unless `old` names line ends itself, as `\r\n` does.
            count: Number of occurrences that there must be. Otherwise the call is `count-mismatch`. Not with `limit`.
                Default: any number above 0.
            limit: Replace only the first so many occurrences. Not with `count`. Default: all of them.
            section: Names, the outermost first: a heading (`## Title`), a definition in code (`fn bar`, `.a > .b`), or a
                table, key, target or stage (`package`). Only text wholly inside counts, and a regular expression sees
                nothing else. See `read_numbered`. Default: all of the file.
            regex: Take `old` as a regular expression, in the syntax of Rust's regex crate, with at most 100 groups. One
                search takes time in proportion to the file; an expression that looks far ahead for each of very many
                matches is refused, `limit`, `work`, before anything is written. `^` and `$` match once in every line, `\z`
                after the last line end of the file, and no expression matches a part of a character. The file may have at
                most 32 MiB. Default: `false`.
            exact_line_ends: Take the line ends of `old` and `new` byte for byte instead of as the file's. Default:
                `false`.
            if_match: State that the file must be in: a tag of either kind, or `*` for any. Otherwise the call is `stale`.
                Default: any state, and none.
            dry_run: Make every check and give the same outcome, but write nothing. Only the call itself shows a full disk
                or a missing permission. Default: `false`.
            diff: Show the change as a unified diff. Default: `false`.
            encoding: Label of the encoding that the file is in, as the web has them: `windows-1252`, `utf-16le`,
                `shift_jis`. Default: told from the bytes.
            escaped: Bytes stand in the texts by their numbers, as `\x{E9}`, and a backslash before `x{` as `\x{5C}`: as a
                read shows them that finds such bytes. Default: `false`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "old": old,
            "new": new,
            "count": count,
            "limit": limit,
            "section": section,
            "regex": regex,
            "exact_line_ends": exact_line_ends,
            "if_match": if_match,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
            "escaped": escaped,
        }
        return self._run("replace_all", ReplaceAllOutcome, arguments)

    def replace_lines(
        self,
        path: str | PurePath,
        content: str,
        *,
        lines: str | None = None,
        section: list[str] | None = None,
        exact_line_ends: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
        escaped: bool | None = None,
    ) -> ReplaceLinesOutcome:
        r"""Puts a text in the place of whole lines or of a section, and leaves every other byte alone.

        The line ends of `content` become those of the lines that it replaces, each the one at its place, else the first
        one there, else what most lines of the file have; see `exact_line_ends`. A file whose last line has no line end
        keeps that, unless `content` ends with one. Lines that are not there are `out-of-range`: give `if_match`, or look
        again, if lines may have moved since they were read.

        Args:
            path: File to change.
            content: Text to put in their place. If it does not end with a line end, it gets that of the last line
                replaced, if that one has any. Empty, it deletes the lines, line ends included; of a `section` also the
                comments and attributes directly above it, and the blank lines of one side.
            lines: One line (`4`) or a range of lines (`23-43`), counted from 1. All of them have to be there. Default:
                those of `section`; one of both is needed.
            section: Names, the outermost first, as `read_numbered` takes them: replace the lines of this section. Not with
                `lines`. Default: those that `lines` names.
            exact_line_ends: Take the line ends of `content` byte for byte instead of as the file's. Default: `false`.
            if_match: State that the file must be in: a tag of either kind, or `*` for any. Otherwise the call is `stale`.
                Default: any state, and none.
            dry_run: Make every check and give the same outcome, but write nothing. Only the call itself shows a full disk
                or a missing permission. Default: `false`.
            diff: Show the change as a unified diff. Default: `false`.
            encoding: Label of the encoding that the file is in, as the web has them: `windows-1252`, `utf-16le`,
                `shift_jis`. Default: told from the bytes.
            escaped: Bytes stand in the texts by their numbers, as `\x{E9}`, and a backslash before `x{` as `\x{5C}`: as a
                read shows them that finds such bytes. Default: `false`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "content": content,
            "lines": lines,
            "section": section,
            "exact_line_ends": exact_line_ends,
            "if_match": if_match,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
            "escaped": escaped,
        }
        return self._run("replace_lines", ReplaceLinesOutcome, arguments)

    def insert_lines(
        self,
        path: str | PurePath,
        content: str,
        *,
        after: int | None = None,
        section: list[str] | None = None,
        before: bool | None = None,
        exact_line_ends: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
        escaped: bool | None = None,
    ) -> InsertLinesOutcome:
        r"""Puts a text on lines of its own behind a line or beside a section, and leaves all other bytes alone.

        The line ends of `content` become what most lines of the file have; see `exact_line_ends`. Behind a last line
        without a line end, that line gets one, and the new text has none at its end unless `content` has. Into an empty
        file `content` goes as it is.

        Args:
            path: File to change.
            content: Text to insert, on lines of its own. If it does not end with a line end, it gets one, unless it is the
                end of a file whose last line has none either.
            after: Number of the line to insert behind; 0 for the place before the first line. Default: the last line of
                `section`; one of both is needed.
            section: Names, the outermost first, as `read_numbered` takes them: insert behind this section, above its last
                blank lines unless the text ends with one. Not with `after`. Default: the place that `after` names.
            before: Insert before the section instead: above the comments and attributes that are directly above it.
                Default: `false`.
            exact_line_ends: Take the line ends of `content` byte for byte instead of as the file's. Default: `false`.
            if_match: State that the file must be in: a tag of either kind, or `*` for any. Otherwise the call is `stale`.
                Default: any state, and none.
            dry_run: Make every check and give the same outcome, but write nothing. Only the call itself shows a full disk
                or a missing permission. Default: `false`.
            diff: Show the change as a unified diff. Default: `false`.
            encoding: Label of the encoding that the file is in, as the web has them: `windows-1252`, `utf-16le`,
                `shift_jis`. Default: told from the bytes.
            escaped: Bytes stand in the texts by their numbers, as `\x{E9}`, and a backslash before `x{` as `\x{5C}`: as a
                read shows them that finds such bytes. Default: `false`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "content": content,
            "after": after,
            "section": section,
            "before": before,
            "exact_line_ends": exact_line_ends,
            "if_match": if_match,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
            "escaped": escaped,
        }
        return self._run("insert_lines", InsertLinesOutcome, arguments)

    def comment_lines(
        self,
        path: str | PurePath,
        lines: str,
        *,
        syntax: str | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
    ) -> CommentLinesOutcome:
        r"""Makes lines comments.

        The mark and one space go at the indentation of the least indented line. Lines of white space stay as they are.
        Comments get a second mark, so that `uncomment_lines` is the exact inverse. In CSS, HTML and other languages whose
        comments need an end, each line becomes one comment, and a line that would end its comment is refused. In HTML, Vue
        and Svelte, lines inside one `<script>`, `<style>` or `<template lang="pug">` become comments of its language, all
        others comments of HTML. Lines between the tags of an element in JavaScript become `{/* … */}`, those outside of
        `<?php` comments of HTML. Lines that begin in a string, fenced code, a comment of CSS or markup, a tag or raw text
        are refused: a mark is content. So are lines that enter or leave `<script>` or `<style>`, that open more than they
        close, that are joined with others, or with deeper ones after them in Pug or Sass. Text blocks of Pug, `{% raw %}`
        and `@php` are not known.

        Args:
            path: File to change.
            lines: One line (`4`) or a range of lines (`23-43`), counted from 1. All of them have to be there.
            syntax: Kind of file: a name such as `rust`, or an extension such as `rs`. Strings are known in the languages
                of code that `section` knows, and in TOML, YAML, SQL and Ruby. In SQL, bodies of functions are code, and no
                string after `\'` is known. Default: as its name or its first line tells.
            if_match: State that the file must be in: a tag of either kind, or `*` for any. Otherwise the call is `stale`.
                Default: any state, and none.
            dry_run: Make every check and give the same outcome, but write nothing. Only the call itself shows a full disk
                or a missing permission. Default: `false`.
            diff: Show the change as a unified diff. Default: `false`.
            encoding: Label of the encoding that the file is in, as the web has them: `windows-1252`, `utf-16le`,
                `shift_jis`. Default: told from the bytes.
        """
        arguments: dict[str, object] = {
            "path": path,
            "lines": lines,
            "syntax": syntax,
            "if_match": if_match,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
        }
        return self._run("comment_lines", CommentLinesOutcome, arguments)

    def uncomment_lines(
        self,
        path: str | PurePath,
        lines: str,
        *,
        syntax: str | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
    ) -> UncommentLinesOutcome:
        """Makes comments lines again: takes away one mark, and one space behind it.

        Lines that do not begin with a mark stay as they are; so do comments of several lines. The mark depends on the
        place of the lines, as for `comment_lines`; if none of them has it, a note names it. A mark that is content there,
        as in a known string, refuses the call.

        Args:
            path: File to change.
            lines: One line (`4`) or a range of lines (`23-43`), counted from 1. All of them have to be there.
            syntax: What kind of file it is: a name such as `rust`, or an extension such as `rs`. Default: as its name or
                its first line tells.
            if_match: State that the file must be in: a tag of either kind, or `*` for any. Otherwise the call is `stale`.
                Default: any state, and none.
            dry_run: Make every check and give the same outcome, but write nothing. Only the call itself shows a full disk
                or a missing permission. Default: `false`.
            diff: Show the change as a unified diff. Default: `false`.
            encoding: Label of the encoding that the file is in, as the web has them: `windows-1252`, `utf-16le`,
                `shift_jis`. Default: told from the bytes.
        """
        arguments: dict[str, object] = {
            "path": path,
            "lines": lines,
            "syntax": syntax,
            "if_match": if_match,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
        }
        return self._run("uncomment_lines", UncommentLinesOutcome, arguments)

    def apply(
        self,
        *,
        edits: list[Edit] | None = None,
        patch: str | None = None,
        exact_line_ends: bool | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        confirm: bool | None = None,
        encoding: str | None = None,
        escaped: bool | None = None,
    ) -> ApplyOutcome:
        r"""Makes a list of edits, or applies a patch, in one or many files: all of it, or nothing.

        An edit replaces a text (`old`, `new`; line ends are treated as in `replace`), writes a whole file (`content`) or
        deletes one (`delete`). If any of them is refused, nothing is changed, and the message names it by its number,
        counted from 1. A file in which a text is replaced may have at most 32 MiB, and at most as much is put in place in
        one call.

        Args:
            edits: Edits to make. Those that replace in one file are made one after the other, each in what the one before
                has left; a file with `content` or `delete` has no other edit. Not with `patch`. Default: those of `patch`;
                one of both is needed.
            patch: A patch to apply, in one of four forms: a unified diff, as git, `diff -u` and `diff` of any tool print
                it; a `*** Begin Patch` envelope; SEARCH/REPLACE blocks; or `<<<FILE>>>` blocks. At most 4 MiB, and 1,000
                files or blocks. Not with `edits`. Every line that stays or goes has to be in the file exactly, line ends
                aside; nothing is fuzzy. A hunk of a unified diff stands at the line that it says, or, if it does not, at
                the only other place where all of its lines stand, and a note says so. The diff may create, delete, rename
                (`rename from`) and copy files; text around it is ignored; modes are noted, and not set; changes of binary
                files and of links are refused. Paths may have the prefixes `a/` and `b/`. One that then begins with the
                path of a granted directory, less its first `/`, is taken for that, unless its first name is there where
                relative paths start. A hunk of an envelope has to stand once behind its `@@` lines, which are whole lines
                of the file. A SEARCH/REPLACE block replaces whole lines, and creates the file if it has none to search; a
                `<<<FILE>>>` block replaces one text. The paths of created, renamed and copied files must be free. Default:
                `edits`.
            exact_line_ends: Take the line ends of `old` and `new`, and those of the patch, byte for byte instead of as the
                file's. Default: `false`.
            dry_run: Make every check and give the same outcome, but write nothing. Only the call itself shows a full disk
                or a missing permission. Default: `false`.
            diff: Show the changes of all files as a unified diff. Default: `false`.
            confirm: A person has agreed that the edits with `delete`, or the deletions of the patch, are made. Needed only
                where the policy asks for it: without it the call is then `confirmation_required`. Default: `false`.
            encoding: Label of the encoding that all of the files are in, as the web has them: `windows-1252`, `utf-16le`,
                `shift_jis`. What is new is written in it, too. What it has no character for is `not-encodable`. Default:
                told from the bytes of each file; UTF-8 for what is new.
            escaped: Bytes stand in the texts of all edits, or in the lines of the patch, by their numbers, as `\x{E9}`,
                and a backslash before `x{` as `\x{5C}`: as a read shows them that finds such bytes. Default: `false`.
        """
        arguments: dict[str, object] = {
            "edits": edits,
            "patch": patch,
            "exact_line_ends": exact_line_ends,
            "dry_run": dry_run,
            "diff": diff,
            "confirm": confirm,
            "encoding": encoding,
            "escaped": escaped,
        }
        return self._run("apply", ApplyOutcome, arguments)

    def replace_in_files(
        self,
        old: str,
        new: str,
        *,
        paths: list[str] | None = None,
        glob: str | None = None,
        path: str | PurePath | None = None,
        include_hidden: bool | None = None,
        respect_ignore: bool | None = None,
        regex: bool | None = None,
        exact_line_ends: bool | None = None,
        escaped: bool | None = None,
        ids: list[str] | None = None,
        all: bool | None = None,
        count: int | None = None,
        max_items: int | None = None,
        max_bytes: int | None = None,
        max_millis: int | None = None,
        cursor: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
    ) -> ReplaceInFilesOutcome:
        r"""Replaces chosen occurrences of a text or an expression in many files, or every one.

        Without `ids` and `all` it changes nothing, and shows every occurrence with an id. A second call with the same
        arguments and some of these `ids` replaces exactly those. If a file has changed since, the call is refused with
        `stale`; an id that no occurrence has, or that a preview has given for something else, is `unknown-id`; nothing is
        changed then. Files of more than 32 MiB, and those with a NUL byte, which are no text, are not looked into, and
        counted in `skipped`. `notes` name a guessed encoding. In one call at most 32 MiB are put in place. Occurrences do
        not overlap, and line ends are treated as in `replace_all`.

        Args:
            old: Text to replace, matched exactly, line ends aside; with `regex`, a regular expression. It may run over
                several lines.
            new: Text to put in place of each chosen occurrence, literally; with `regex`, `$1` and `${name}` stand for
                groups and `$$` for `$`, and a group that `old` does not have is refused. Its line ends are treated as in
                `replace_all`, in each file for itself.
            paths: Files to look into. Two names of one file are one file, which has the first one. Not with `glob`.
                Default: those that `glob` names; one of both is needed.
            glob: Pattern over the files to look into: `*.rs` at any depth below `path`, `src/**/*.rs` from `path` on; `*`
                is every file, `src` or `s*/` all below such a directory at any depth. Links are not followed. Not with
                `paths`. Default: those that `paths` names; one of both is needed.
            path: With `glob`, the directory to look in, with all below it. Default: `"."`.
            include_hidden: With `glob`, look into what has a name that begins with a dot as well. Default: `false`.
            respect_ignore: With `glob`, leave out what `.gitignore`, `.ignore` and `.git/info/exclude` name. Default:
                `true`.
            regex: Take `old` as a regular expression, as `replace_all` does. Default: `false`.
            exact_line_ends: Take the line ends of `old` and `new` byte for byte instead of as each file's. Default:
                `false`.
            escaped: Bytes stand in the texts by their numbers, as `\x{E9}`, and a backslash before `x{` as `\x{5C}`: as a
                preview shows them that finds such bytes. Default: `false`.
            ids: Which occurrences to replace: ids of a preview with the same `old`, and the same `regex`,
                `exact_line_ends`, `escaped` and `encoding`. They hold as long as their files are what they were. At most
                1,000 files are changed in one call. Default: a preview of all of them, or, with `all`, every one.
            all: Replace every occurrence, at most 100,000, without a preview. Not with `ids` or `cursor`. Default:
                `false`.
            count: Number of occurrences that there must be in all the files together, chosen or not. Otherwise the call is
                `count-mismatch`. Every file is searched for that. Not with `cursor`. Default: any number.
            max_items: Largest number of occurrences that a preview shows. Default: `200`.
            max_bytes: Largest number of bytes that a preview shows, in JSON. An occurrence that alone is larger is shown
                all the same. Default: `40000`.
            max_millis: With `glob`, time after which a preview ends, in milliseconds. Something is searched in any case.
                Not with `ids` or `count`. Default: no end.
            cursor: Where a preview goes on: `next_cursor` of an answer to the same arguments. Not with `ids`. Default: the
                first file.
            dry_run: With `ids`, make every check that needs no writing and give the same outcome, but write nothing. What
                only the disk can tell, such as its permissions, shows when the call is made. Default: `false`.
            diff: With `ids`, show the changes of all files as a unified diff. Default: `false`.
            encoding: Label of the encoding that all of the files are in, as the web has them: `windows-1252`, `utf-16le`,
                `shift_jis`. Default: told from the bytes, of each file for itself.
        """
        arguments: dict[str, object] = {
            "old": old,
            "new": new,
            "paths": paths,
            "glob": glob,
            "path": path,
            "include_hidden": include_hidden,
            "respect_ignore": respect_ignore,
            "regex": regex,
            "exact_line_ends": exact_line_ends,
            "escaped": escaped,
            "ids": ids,
            "all": all,
            "count": count,
            "max_items": max_items,
            "max_bytes": max_bytes,
            "max_millis": max_millis,
            "cursor": cursor,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
        }
        return self._run("replace_in_files", ReplaceInFilesOutcome, arguments)

    def create_directory(
        self,
        path: str | PurePath,
        *,
        parents: bool | None = None,
        dry_run: bool | None = None,
    ) -> CreateDirectoryOutcome:
        """Creates a directory, and its parents. One that is there already is left as it is, and that is no error.

        Args:
            path: Directory to create.
            parents: Make missing parent directories. Default: `true`.
            dry_run: Make every check and give the same outcome, but write nothing. Only the call itself shows a full disk
                or a missing permission. Default: `false`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "parents": parents,
            "dry_run": dry_run,
        }
        return self._run("create_directory", CreateDirectoryOutcome, arguments)

    def copy(
        self,
        source: str | PurePath,
        destination: str | PurePath,
        *,
        overwrite: bool | None = None,
        recursive: bool | None = None,
        parents: bool | None = None,
        glob: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        dry_run: bool | None = None,
    ) -> CopyOutcome:
        """Copies a file, a directory, or the files that match a pattern. What is new appears whole or not at all.

        A copy has the permissions of its original; a note says so where the host cannot give it those. The owner of a
        copied directory can always change it. A file that is overwritten keeps its own permissions.

        Args:
            source: File to copy, or, with `recursive` or `glob`, directory. A link is followed inside its grant.
            destination: Path of the copy, its own name included; with `glob`, the directory for the copies.
            overwrite: Put the content in place of that of a file that is there, which keeps its mode and its links.
                Otherwise it is refused with `exists`. A directory that is there is never merged with another one. Default:
                `false`.
            recursive: Copy a directory and everything in it. Links and special files in it are left out, and counted.
                Default: `false`.
            parents: Make missing parent directories. Those below `destination` that `recursive` and `glob` need are made
                anyway. Default: `true`.
            glob: Copy the files in `source` whose path below it matches, to the same path below `destination`: at most
                1,000. `*` and `?` stay in one segment, `**` does not, `{a,b}` and `[a-z]` are choices. A segment that
                begins with a dot is matched only by one that does so, too. Ignore files have no say. Default: the one file
                or directory that `source` names.
            if_match: State that the source must be in: a tag of either kind, or `*` for any. Otherwise the call is
                `stale`. For one file. Default: any state.
            if_none_match: `*`: nothing may be at the destination. Anything else is `stale`, as is a file that is there.
                Default: as `overwrite` says.
            dry_run: Make every check and give the same outcome, but write nothing. Only the call itself shows a full disk
                or a missing permission. Default: `false`.
        """
        arguments: dict[str, object] = {
            "source": source,
            "destination": destination,
            "overwrite": overwrite,
            "recursive": recursive,
            "parents": parents,
            "glob": glob,
            "if_match": if_match,
            "if_none_match": if_none_match,
            "dry_run": dry_run,
        }
        return self._run("copy", CopyOutcome, arguments)

    def move(
        self,
        source: str | PurePath,
        destination: str | PurePath,
        *,
        overwrite: bool | None = None,
        recursive: bool | None = None,
        parents: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
    ) -> MoveOutcome:
        """Gives a file, a link or a directory another path. It stays the same file: mode, owner and hard links are kept.

        Between two granted directories or file systems a file is copied with its permissions, and then deleted; a
        directory is refused.

        Args:
            source: File or link to move, or, with `recursive`, directory. A link is moved itself.
            destination: Its new path. A link is replaced, except one to a directory of its grant.
            overwrite: Take the place of a file or link that is there. Otherwise it is refused with `exists`. A directory
                takes no place that is taken. Default: `true`.
            recursive: Move a directory and everything in it. Default: `false`.
            parents: Make missing parent directories. Default: `true`.
            if_match: State that the source must be in: a tag of either kind, or `*` for any. Otherwise the call is
                `stale`. What is no file has no tag but `*`. Default: any state.
            dry_run: Make every check and give the same outcome, but write nothing. Only the call itself shows a full disk
                or a missing permission. Default: `false`.
        """
        arguments: dict[str, object] = {
            "source": source,
            "destination": destination,
            "overwrite": overwrite,
            "recursive": recursive,
            "parents": parents,
            "if_match": if_match,
            "dry_run": dry_run,
        }
        return self._run("move", MoveOutcome, arguments)

    def delete(
        self,
        path: str | PurePath,
        *,
        glob: str | None = None,
        include_hidden: bool | None = None,
        respect_ignore: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        keep: bool | None = None,
        confirm: bool | None = None,
    ) -> DeleteOutcome:
        """Deletes a file or a link, or the files and links that match a pattern. Directories need `delete-directory`.

        Args:
            path: File, link or special file to delete; with `glob`, the directory to look in. A link is deleted itself.
            glob: Delete the files and links in `path` whose path below it matches, at most 1,000, or none of them. The
                pattern is that of `copy`. Default: the one file that `path` names.
            include_hidden: With `glob`, names that begin with a dot as well. Default: `false`.
            respect_ignore: With `glob`, keep what ignore files name, or refuse. Default: `false`.
            if_match: State that the file must be in: a tag of either kind, or `*` for any. Otherwise the call is `stale`.
                What is no file has no tag but `*`. Default: any state.
            dry_run: Make every check and give the same outcome, but delete nothing. Only the call itself shows a full disk
                or a missing permission. Default: `false`.
            keep: Keep what is deleted, for `undo`. False gives that up, and the space at once. Default: `true`.
            confirm: A person has agreed that this is deleted. Needed only where the policy asks for it: without it the
                call is then `confirmation_required`. Default: `false`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "glob": glob,
            "include_hidden": include_hidden,
            "respect_ignore": respect_ignore,
            "if_match": if_match,
            "dry_run": dry_run,
            "keep": keep,
            "confirm": confirm,
        }
        return self._run("delete", DeleteOutcome, arguments)

    def delete_directory(
        self,
        path: str | PurePath,
        *,
        recursive: bool | None = None,
        dry_run: bool | None = None,
        keep: bool | None = None,
        confirm: bool | None = None,
    ) -> DeleteDirectoryOutcome:
        """Deletes a directory: an empty one, or one with everything in it.

        The whole directory is looked through first, so that what cannot be deleted is refused before anything has gone.

        Args:
            path: Directory to delete.
            recursive: Delete everything in it as well. Links in it are deleted, never followed. Otherwise it has to be
                empty. Default: `false`.
            dry_run: Make every check and give the same outcome, but delete nothing. Only the call itself shows a full disk
                or a missing permission. Default: `false`.
            keep: Keep the directory, and what is in it, for `undo`. False gives that up, and the space at once. A tree
                that is not moved to the trash is refused where one of its directories may not be changed: then nothing of
                it is deleted. Default: `true`.
            confirm: A person has agreed that this is deleted. Needed only where the policy asks for it: without it the
                call is then `confirmation_required`. Default: `false`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "recursive": recursive,
            "dry_run": dry_run,
            "keep": keep,
            "confirm": confirm,
        }
        return self._run("delete_directory", DeleteDirectoryOutcome, arguments)

    def log(
        self,
        *,
        path: str | PurePath | None = None,
        max_items: int | None = None,
        cursor: str | None = None,
        any_session: bool | None = None,
        diff: bool | None = None,
    ) -> LogOutcome:
        """Lists what was changed, the newest first.

        Args:
            path: Only what changed this path, or something below it. Default: every path.
            max_items: Largest number of entries to show. Default: `20`.
            cursor: Where to go on: `next_cursor` of the answer before, with the other arguments as they were. Default: the
                beginning.
            any_session: Show what every session did, not only this one. Default: `false`.
            diff: Show each change as a unified diff. Default: `false`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "max_items": max_items,
            "cursor": cursor,
            "any_session": any_session,
            "diff": diff,
        }
        return self._run("log", LogOutcome, arguments)

    def checkpoint(
        self,
        label: str,
    ) -> CheckpointOutcome:
        """Gives the present state a name, to come back to with `undo`.

        Args:
            label: Its name, up to 200 characters. The newest of a name counts.
        """
        arguments: dict[str, object] = {
            "label": label,
        }
        return self._run("checkpoint", CheckpointOutcome, arguments)

    def undo(
        self,
        *,
        id: list[str] | None = None,
        to: str | None = None,
        any_session: bool | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
    ) -> UndoOutcome:
        """Takes back the last change of this session, a certain one, or everything after a checkpoint.

        Only if what the change left is still there; otherwise it is refused with `undo-conflict`, and nothing happens. An
        `undo` is a change itself: `redo` takes it back. Where the history has no room for what would go with it, nothing
        happens either: `too-large`.

        Args:
            id: The entry to take back, or several: all of them or nothing. Not with `to`. Default: this session's last
                change that stands.
            to: Take back everything after this checkpoint, by its label or id, or after this entry: the newest first, and
                all of it or nothing. Default: one entry.
            any_session: Take back what other sessions did, too. Default: `false`.
            dry_run: Make every check that needs no writing and give the same outcome, but change nothing. What only shows
                when later changes are taken back is not checked. Default: `false`.
            diff: Show what happens to the contents of files as a unified diff. Default: `false`.
        """
        arguments: dict[str, object] = {
            "id": id,
            "to": to,
            "any_session": any_session,
            "dry_run": dry_run,
            "diff": diff,
        }
        return self._run("undo", UndoOutcome, arguments)

    def redo(
        self,
        *,
        id: str | None = None,
        any_session: bool | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
    ) -> RedoOutcome:
        """Takes back the last `undo` of this session, as long as nothing has changed the same paths since.

        `undo` takes that back again; where the history has no room for what would go with it, nothing happens:
        `too-large`.

        Args:
            id: The `undo` to take back, by its own id. Default: this session's last one that stands.
            any_session: Take back an `undo` of another session, too. Default: `false`.
            dry_run: Make every check that needs no writing and give the same outcome, but change nothing. What only shows
                when later changes are taken back is not checked. Default: `false`.
            diff: Show what happens to the contents of files as a unified diff. Default: `false`.
        """
        arguments: dict[str, object] = {
            "id": id,
            "any_session": any_session,
            "dry_run": dry_run,
            "diff": diff,
        }
        return self._run("redo", RedoOutcome, arguments)

    def restore(
        self,
        id: str,
        *,
        path: str | PurePath | None = None,
        any_session: bool | None = None,
        force: bool | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
    ) -> RestoreOutcome:
        """Brings a path back to what it was before an entry of the history: its content, or that it was not there.

        Where the entry keeps the whole old content, nothing that happened since is in the way: after `backup`, or what was
        deleted or replaced. Otherwise every change of the path since is taken back, one after the other. What has the name
        by then goes into the history, or, if that has no room for it, stays: `too-large`.

        Args:
            id: The entry: its id, or `history:` and its id. What was there before it comes back.
            path: What to bring back. Default: the only path that the entry changed; with `force` all of them.
            any_session: Take back what other sessions did, too. Default: `false`.
            force: Another program, or a later change, has changed the file since: take back what this entry alone did to
                it, where its text still stands once. A file that the entry made goes. The present content goes into the
                history. Default: `false`.
            dry_run: Make every check that needs no writing and give the same outcome, but change nothing. What only shows
                when later changes are taken back is not checked. Default: `false`.
            diff: Show what happens to the file's content as a unified diff. Default: `false`.
        """
        arguments: dict[str, object] = {
            "id": id,
            "path": path,
            "any_session": any_session,
            "force": force,
            "dry_run": dry_run,
            "diff": diff,
        }
        return self._run("restore", RestoreOutcome, arguments)

    def forget(
        self,
        *,
        id: str | None = None,
        path: str | PurePath | None = None,
        before: str | None = None,
        everything: bool | None = None,
    ) -> ForgetOutcome:
        """Removes entries from the history, and what is kept for them. There is no undo.

        Args:
            id: This entry. Default: not by id.
            path: Every entry that changed this path or something below it. Default: not by path.
            before: Every entry older than this moment: `2026-11-20T08:30:00Z`. Default: not by time.
            everything: The whole history, and the trash, except for what has still to be brought to its end. Default:
                `false`.
        """
        arguments: dict[str, object] = {
            "id": id,
            "path": path,
            "before": before,
            "everything": everything,
        }
        return self._run("forget", ForgetOutcome, arguments)

    def recover(
        self,
        *,
        all: bool | None = None,
    ) -> RecoverOutcome:
        """Completes or rolls back interrupted changes. Every changing call does so by itself; this one reports them, and sets
        aside those whose directory is gone.

        Args:
            all: End the wait of changes whose directories are away, and show the conflicts that were found before as well.
                Default: `true`.
        """
        arguments: dict[str, object] = {
            "all": all,
        }
        return self._run("recover", RecoverOutcome, arguments)

    def sham(
        self,
        text: str,
        *,
        state: str | None = None,
        as_user: bool | None = None,
    ) -> ShamOutcome:
        """Carries out the SHAM blocks of a text, one after the other. One that fails does not keep the next one from being
        carried out.

        Args:
            text: Any text, such as a model's whole answer, with SHAM blocks in it.
            state: What has to last between two texts: the `state` of the last outcome. The working set is in it, and what
                `undo` takes back. Default: an empty working set, and nothing to undo.
            as_user: The text is a person's and not a model's: the actions that only a person may take are open to it.
                Default: false.
        """
        arguments: dict[str, object] = {
            "text": text,
            "state": state,
            "as_user": as_user,
        }
        return self._front_end("sham", ShamOutcome, arguments)

    def command(
        self,
        text: str,
        *,
        content: str | None = None,
        destination: str | None = None,
        ask: bool | None = None,
    ) -> CommandOutcome:
        """Carries out one command, such as `writeFile docs/a.md options: content: # A`.

        Args:
            text: One command: an operation and a path, and what it needs besides behind `options:`.
            content: What a person or a model says `content` is, asked by `needs-options`. It counts only where the options
                of the text cannot be read, as it stands. Default: there is none.
            destination: The same of `destination`. Default: there is none.
            ask: Ask if the options of the text cannot be read and neither `content` nor `destination` is given. Otherwise
                they are refused. Default: true.
        """
        arguments: dict[str, object] = {
            "text": text,
            "content": content,
            "destination": destination,
            "ask": ask,
        }
        return self._front_end("command", CommandOutcome, arguments)

    def file_action(
        self,
        text: str,
    ) -> FileActionOutcome:
        """Creates Markdown files and appends to them, one action after the other. One that fails does not keep the next one
        from being carried out.

        Args:
            text: One action, or a list of actions, in JSON: `{"action": "create", "path": "docs/a.md", "content": "# A"}`.
        """
        arguments: dict[str, object] = {
            "text": text,
        }
        return self._front_end("file_action", FileActionOutcome, arguments)

    def workflow(
        self,
        text: str,
        *,
        variables: list[WorkflowVariable] | None = None,
        render: bool | None = None,
        settings_hold: bool | None = None,
        audited: bool | None = None,
    ) -> WorkflowOutcome:
        """Carries out the `{{invoke_tool: …}}` blocks of a workflow, one after the other. One that fails does not keep the
        next one from being carried out.

        Args:
            text: A text in Markdown, with or without front matter, with `{{invoke_tool: …}}` blocks in it.
            variables: The variables that its values may name. Of two with one name the last one counts. Default: no
                variables.
            render: Give the text as well, with the result of each block in its place. Default: false.
            settings_hold: Whoever calls this holds the operations to the settings in the front matter: its table
                `tool_configuration`. Without that a text that has such settings is refused. Default: false.
            audited: The calls are written down in an audit. Default: false.
        """
        arguments: dict[str, object] = {
            "text": text,
            "variables": variables,
            "render": render,
            "settings_hold": settings_hold,
            "audited": audited,
        }
        return self._front_end("workflow", WorkflowOutcome, arguments)

    def plugin(
        self,
        text: str,
        *,
        now: str | None = None,
    ) -> PluginOutcome:
        """Carries out the calls of the tools `filesystem.write`, `read`, `list`, `glob`, `remove` and `output`, one after the
        other. One that fails does not keep the next one from being carried out.

        Args:
            text: One call, or a list of calls, in JSON: `{"tool": "filesystem.read", "input": {"path": "docs/a.md"}}`.
            now: The time of day, for the times that are kept with a file. Anything but a time in UTC counts as none.
                Default: no times are kept, and those of the files hold.
        """
        arguments: dict[str, object] = {
            "text": text,
            "now": now,
        }
        return self._front_end("plugin", PluginOutcome, arguments)


class AsyncMethods(ABC):
    """The same, to be waited for."""

    @abstractmethod
    async def _run(self, tool: str, outcome: type[T], arguments: dict[str, object]) -> T: ...

    @abstractmethod
    async def _front_end(self, name: str, outcome: type[T], arguments: dict[str, object]) -> T: ...

    async def read(
        self,
        path: str | PurePath,
        *,
        skip_lines: int | None = None,
        max_lines: int | None = None,
        last_lines: int | None = None,
        max_bytes: int | None = None,
        cursor: str | None = None,
        encoding: str | None = None,
        with_etag: bool | None = None,
    ) -> ReadOutcome:
        """Reads a text file, or a window of its lines. The content comes back as it is. See `Gate.read`."""
        arguments: dict[str, object] = {
            "path": path,
            "skip_lines": skip_lines,
            "max_lines": max_lines,
            "last_lines": last_lines,
            "max_bytes": max_bytes,
            "cursor": cursor,
            "encoding": encoding,
            "with_etag": with_etag,
        }
        return await self._run("read", ReadOutcome, arguments)

    async def read_numbered(
        self,
        path: str | PurePath,
        *,
        lines: str | None = None,
        section: list[str] | None = None,
        delimiter: str | None = None,
        max_bytes: int | None = None,
        cursor: str | None = None,
        encoding: str | None = None,
    ) -> ReadNumberedOutcome:
        """Reads lines of a text file with their numbers. `replace` and other tools name lines so. See `Gate.read_numbered`."""
        arguments: dict[str, object] = {
            "path": path,
            "lines": lines,
            "section": section,
            "delimiter": delimiter,
            "max_bytes": max_bytes,
            "cursor": cursor,
            "encoding": encoding,
        }
        return await self._run("read_numbered", ReadNumberedOutcome, arguments)

    async def outline(
        self,
        path: str | PurePath,
        *,
        section: list[str] | None = None,
        max_depth: int | None = None,
        max_items: int | None = None,
        encoding: str | None = None,
    ) -> OutlineOutcome:
        """Lists the headings of a Markdown file or the definitions in code, with their lines. See `Gate.outline`."""
        arguments: dict[str, object] = {
            "path": path,
            "section": section,
            "max_depth": max_depth,
            "max_items": max_items,
            "encoding": encoding,
        }
        return await self._run("outline", OutlineOutcome, arguments)

    async def read_many(
        self,
        paths: list[str],
        *,
        joined: bool | None = None,
        max_bytes: int | None = None,
        encoding: str | None = None,
    ) -> ReadManyOutcome:
        """Reads several text files in one call; each one succeeds or fails on its own. See `Gate.read_many`."""
        arguments: dict[str, object] = {
            "paths": paths,
            "joined": joined,
            "max_bytes": max_bytes,
            "encoding": encoding,
        }
        return await self._run("read_many", ReadManyOutcome, arguments)

    async def read_bytes(
        self,
        path: str | PurePath,
        *,
        offset: int | None = None,
        length: int | None = None,
    ) -> ReadBytesOutcome:
        """Reads bytes of any file; in JSON they are base64. See `Gate.read_bytes`."""
        arguments: dict[str, object] = {
            "path": path,
            "offset": offset,
            "length": length,
        }
        return await self._run("read_bytes", ReadBytesOutcome, arguments)

    async def stat(
        self,
        path: str | PurePath,
        *,
        follow: bool | None = None,
        with_etag: bool | None = None,
        checksum: bool | None = None,
    ) -> StatOutcome:
        """Tells what a path stands for: kind, size, last change, media type, link target. See `Gate.stat`."""
        arguments: dict[str, object] = {
            "path": path,
            "follow": follow,
            "with_etag": with_etag,
            "checksum": checksum,
        }
        return await self._run("stat", StatOutcome, arguments)

    async def exists(
        self,
        path: str | PurePath,
    ) -> ExistsOutcome:
        """Tells whether a path stands for something, and what it is. Links are followed. See `Gate.exists`."""
        arguments: dict[str, object] = {
            "path": path,
        }
        return await self._run("exists", ExistsOutcome, arguments)

    async def list_directory(
        self,
        path: str | PurePath,
        *,
        include_hidden: bool | None = None,
        with_etag: bool | None = None,
        pattern: str | None = None,
        recursive: bool | None = None,
        max_depth: int | None = None,
        respect_ignore: bool | None = None,
        sort: SortOrder | None = None,
        max_items: int | None = None,
        max_millis: int | None = None,
        cursor: str | None = None,
    ) -> ListDirectoryOutcome:
        """Lists a directory: kind, size and last change of each entry. Links are shown, not followed. See
        `Gate.list_directory`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "include_hidden": include_hidden,
            "with_etag": with_etag,
            "pattern": pattern,
            "recursive": recursive,
            "max_depth": max_depth,
            "respect_ignore": respect_ignore,
            "sort": sort,
            "max_items": max_items,
            "max_millis": max_millis,
            "cursor": cursor,
        }
        return await self._run("list_directory", ListDirectoryOutcome, arguments)

    async def tree(
        self,
        path: str | PurePath,
        *,
        max_depth: int | None = None,
        include_hidden: bool | None = None,
        respect_ignore: bool | None = None,
        directories_only: bool | None = None,
        form: TreeForm | None = None,
        max_items: int | None = None,
        max_millis: int | None = None,
        cursor: str | None = None,
    ) -> TreeOutcome:
        """Draws a directory with everything below it, names only. Links are shown, not followed. See `Gate.tree`."""
        arguments: dict[str, object] = {
            "path": path,
            "max_depth": max_depth,
            "include_hidden": include_hidden,
            "respect_ignore": respect_ignore,
            "directories_only": directories_only,
            "form": form,
            "max_items": max_items,
            "max_millis": max_millis,
            "cursor": cursor,
        }
        return await self._run("tree", TreeOutcome, arguments)

    async def glob(
        self,
        pattern: str,
        *,
        path: str | PurePath | None = None,
        include_hidden: bool | None = None,
        respect_ignore: bool | None = None,
        ignore_case: bool | None = None,
        kind: GlobKind | None = None,
        max_depth: int | None = None,
        with_etag: bool | None = None,
        max_items: int | None = None,
        max_millis: int | None = None,
        cursor: str | None = None,
    ) -> GlobOutcome:
        """Finds files and directories by a pattern over their paths. Links are shown, not followed. See `Gate.glob`."""
        arguments: dict[str, object] = {
            "pattern": pattern,
            "path": path,
            "include_hidden": include_hidden,
            "respect_ignore": respect_ignore,
            "ignore_case": ignore_case,
            "kind": kind,
            "max_depth": max_depth,
            "with_etag": with_etag,
            "max_items": max_items,
            "max_millis": max_millis,
            "cursor": cursor,
        }
        return await self._run("glob", GlobOutcome, arguments)

    async def grep(
        self,
        pattern: str,
        *,
        path: str | PurePath | None = None,
        section: list[str] | None = None,
        regex: bool | None = None,
        ignore_case: bool | None = None,
        word: bool | None = None,
        invert: bool | None = None,
        multi_line: bool | None = None,
        before: int | None = None,
        after: int | None = None,
        include: list[str] | None = None,
        exclude: list[str] | None = None,
        include_hidden: bool | None = None,
        respect_ignore: bool | None = None,
        include_binary: bool | None = None,
        max_depth: int | None = None,
        mode: GrepMode | None = None,
        max_items: int | None = None,
        max_bytes: int | None = None,
        max_millis: int | None = None,
        with_etag: bool | None = None,
        cursor: str | None = None,
        encoding: str | None = None,
    ) -> GrepOutcome:
        """Searches files for lines with a text, or with a match of a regular expression. See `Gate.grep`."""
        arguments: dict[str, object] = {
            "pattern": pattern,
            "path": path,
            "section": section,
            "regex": regex,
            "ignore_case": ignore_case,
            "word": word,
            "invert": invert,
            "multi_line": multi_line,
            "before": before,
            "after": after,
            "include": include,
            "exclude": exclude,
            "include_hidden": include_hidden,
            "respect_ignore": respect_ignore,
            "include_binary": include_binary,
            "max_depth": max_depth,
            "mode": mode,
            "max_items": max_items,
            "max_bytes": max_bytes,
            "max_millis": max_millis,
            "with_etag": with_etag,
            "cursor": cursor,
            "encoding": encoding,
        }
        return await self._run("grep", GrepOutcome, arguments)

    async def create(
        self,
        path: str | PurePath,
        content: str,
        *,
        parents: bool | None = None,
        if_none_match: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
        escaped: bool | None = None,
    ) -> CreateOutcome:
        """Creates a text file that does not exist yet, all at once: of several callers exactly one wins. See `Gate.create`."""
        arguments: dict[str, object] = {
            "path": path,
            "content": content,
            "parents": parents,
            "if_none_match": if_none_match,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
            "escaped": escaped,
        }
        return await self._run("create", CreateOutcome, arguments)

    async def write(
        self,
        path: str | PurePath,
        content: str,
        *,
        parents: bool | None = None,
        overwrite: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        if_none_match: str | None = None,
        diff: bool | None = None,
        backup: bool | None = None,
        encoding: str | None = None,
        escaped: bool | None = None,
    ) -> WriteOutcome:
        """Writes a whole text file: a new one all at once, an existing one in place. See `Gate.write`."""
        arguments: dict[str, object] = {
            "path": path,
            "content": content,
            "parents": parents,
            "overwrite": overwrite,
            "if_match": if_match,
            "dry_run": dry_run,
            "if_none_match": if_none_match,
            "diff": diff,
            "backup": backup,
            "encoding": encoding,
            "escaped": escaped,
        }
        return await self._run("write", WriteOutcome, arguments)

    async def write_bytes(
        self,
        path: str | PurePath,
        bytes: builtins.bytes | bytearray | memoryview,
        *,
        parents: bool | None = None,
        overwrite: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        if_none_match: str | None = None,
        backup: bool | None = None,
    ) -> WriteBytesOutcome:
        """Writes a whole file of any kind; in JSON its content is base64. See `Gate.write_bytes`."""
        arguments: dict[str, object] = {
            "path": path,
            "bytes": bytes,
            "parents": parents,
            "overwrite": overwrite,
            "if_match": if_match,
            "dry_run": dry_run,
            "if_none_match": if_none_match,
            "backup": backup,
        }
        return await self._run("write_bytes", WriteBytesOutcome, arguments)

    async def append(
        self,
        path: str | PurePath,
        content: str,
        *,
        must_exist: bool | None = None,
        separator: str | None = None,
        parents: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
        escaped: bool | None = None,
    ) -> AppendOutcome:
        """Puts a text at the end of a file, as it is. The time it takes does not follow the size of the file. See
        `Gate.append`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "content": content,
            "must_exist": must_exist,
            "separator": separator,
            "parents": parents,
            "if_match": if_match,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
            "escaped": escaped,
        }
        return await self._run("append", AppendOutcome, arguments)

    async def replace(
        self,
        path: str | PurePath,
        old: str,
        new: str,
        *,
        occurrence: int | None = None,
        section: list[str] | None = None,
        exact_line_ends: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
        escaped: bool | None = None,
    ) -> ReplaceOutcome:
        """Replaces one occurrence of a text in a file and leaves every other byte alone. See `Gate.replace`."""
        arguments: dict[str, object] = {
            "path": path,
            "old": old,
            "new": new,
            "occurrence": occurrence,
            "section": section,
            "exact_line_ends": exact_line_ends,
            "if_match": if_match,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
            "escaped": escaped,
        }
        return await self._run("replace", ReplaceOutcome, arguments)

    async def replace_all(
        self,
        path: str | PurePath,
        old: str,
        new: str,
        *,
        count: int | None = None,
        limit: int | None = None,
        section: list[str] | None = None,
        regex: bool | None = None,
        exact_line_ends: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
        escaped: bool | None = None,
    ) -> ReplaceAllOutcome:
        """Replaces every occurrence of a text or a regular expression in a file, and leaves every other byte alone. See
        `Gate.replace_all`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "old": old,
            "new": new,
            "count": count,
            "limit": limit,
            "section": section,
            "regex": regex,
            "exact_line_ends": exact_line_ends,
            "if_match": if_match,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
            "escaped": escaped,
        }
        return await self._run("replace_all", ReplaceAllOutcome, arguments)

    async def replace_lines(
        self,
        path: str | PurePath,
        content: str,
        *,
        lines: str | None = None,
        section: list[str] | None = None,
        exact_line_ends: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
        escaped: bool | None = None,
    ) -> ReplaceLinesOutcome:
        """Puts a text in the place of whole lines or of a section, and leaves every other byte alone. See
        `Gate.replace_lines`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "content": content,
            "lines": lines,
            "section": section,
            "exact_line_ends": exact_line_ends,
            "if_match": if_match,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
            "escaped": escaped,
        }
        return await self._run("replace_lines", ReplaceLinesOutcome, arguments)

    async def insert_lines(
        self,
        path: str | PurePath,
        content: str,
        *,
        after: int | None = None,
        section: list[str] | None = None,
        before: bool | None = None,
        exact_line_ends: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
        escaped: bool | None = None,
    ) -> InsertLinesOutcome:
        """Puts a text on lines of its own behind a line or beside a section, and leaves all other bytes alone. See
        `Gate.insert_lines`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "content": content,
            "after": after,
            "section": section,
            "before": before,
            "exact_line_ends": exact_line_ends,
            "if_match": if_match,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
            "escaped": escaped,
        }
        return await self._run("insert_lines", InsertLinesOutcome, arguments)

    async def comment_lines(
        self,
        path: str | PurePath,
        lines: str,
        *,
        syntax: str | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
    ) -> CommentLinesOutcome:
        """Makes lines comments. See `Gate.comment_lines`."""
        arguments: dict[str, object] = {
            "path": path,
            "lines": lines,
            "syntax": syntax,
            "if_match": if_match,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
        }
        return await self._run("comment_lines", CommentLinesOutcome, arguments)

    async def uncomment_lines(
        self,
        path: str | PurePath,
        lines: str,
        *,
        syntax: str | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
    ) -> UncommentLinesOutcome:
        """Makes comments lines again: takes away one mark, and one space behind it. See `Gate.uncomment_lines`."""
        arguments: dict[str, object] = {
            "path": path,
            "lines": lines,
            "syntax": syntax,
            "if_match": if_match,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
        }
        return await self._run("uncomment_lines", UncommentLinesOutcome, arguments)

    async def apply(
        self,
        *,
        edits: list[Edit] | None = None,
        patch: str | None = None,
        exact_line_ends: bool | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        confirm: bool | None = None,
        encoding: str | None = None,
        escaped: bool | None = None,
    ) -> ApplyOutcome:
        """Makes a list of edits, or applies a patch, in one or many files: all of it, or nothing. See `Gate.apply`."""
        arguments: dict[str, object] = {
            "edits": edits,
            "patch": patch,
            "exact_line_ends": exact_line_ends,
            "dry_run": dry_run,
            "diff": diff,
            "confirm": confirm,
            "encoding": encoding,
            "escaped": escaped,
        }
        return await self._run("apply", ApplyOutcome, arguments)

    async def replace_in_files(
        self,
        old: str,
        new: str,
        *,
        paths: list[str] | None = None,
        glob: str | None = None,
        path: str | PurePath | None = None,
        include_hidden: bool | None = None,
        respect_ignore: bool | None = None,
        regex: bool | None = None,
        exact_line_ends: bool | None = None,
        escaped: bool | None = None,
        ids: list[str] | None = None,
        all: bool | None = None,
        count: int | None = None,
        max_items: int | None = None,
        max_bytes: int | None = None,
        max_millis: int | None = None,
        cursor: str | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
        encoding: str | None = None,
    ) -> ReplaceInFilesOutcome:
        """Replaces chosen occurrences of a text or an expression in many files, or every one. See `Gate.replace_in_files`."""
        arguments: dict[str, object] = {
            "old": old,
            "new": new,
            "paths": paths,
            "glob": glob,
            "path": path,
            "include_hidden": include_hidden,
            "respect_ignore": respect_ignore,
            "regex": regex,
            "exact_line_ends": exact_line_ends,
            "escaped": escaped,
            "ids": ids,
            "all": all,
            "count": count,
            "max_items": max_items,
            "max_bytes": max_bytes,
            "max_millis": max_millis,
            "cursor": cursor,
            "dry_run": dry_run,
            "diff": diff,
            "encoding": encoding,
        }
        return await self._run("replace_in_files", ReplaceInFilesOutcome, arguments)

    async def create_directory(
        self,
        path: str | PurePath,
        *,
        parents: bool | None = None,
        dry_run: bool | None = None,
    ) -> CreateDirectoryOutcome:
        """Creates a directory, and its parents. One that is there already is left as it is, and that is no error. See
        `Gate.create_directory`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "parents": parents,
            "dry_run": dry_run,
        }
        return await self._run("create_directory", CreateDirectoryOutcome, arguments)

    async def copy(
        self,
        source: str | PurePath,
        destination: str | PurePath,
        *,
        overwrite: bool | None = None,
        recursive: bool | None = None,
        parents: bool | None = None,
        glob: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        dry_run: bool | None = None,
    ) -> CopyOutcome:
        """Copies a file, a directory, or the files that match a pattern. What is new appears whole or not at all. See
        `Gate.copy`.
        """
        arguments: dict[str, object] = {
            "source": source,
            "destination": destination,
            "overwrite": overwrite,
            "recursive": recursive,
            "parents": parents,
            "glob": glob,
            "if_match": if_match,
            "if_none_match": if_none_match,
            "dry_run": dry_run,
        }
        return await self._run("copy", CopyOutcome, arguments)

    async def move(
        self,
        source: str | PurePath,
        destination: str | PurePath,
        *,
        overwrite: bool | None = None,
        recursive: bool | None = None,
        parents: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
    ) -> MoveOutcome:
        """Gives a file, a link or a directory another path. It stays the same file: mode, owner and hard links are kept. See
        `Gate.move`.
        """
        arguments: dict[str, object] = {
            "source": source,
            "destination": destination,
            "overwrite": overwrite,
            "recursive": recursive,
            "parents": parents,
            "if_match": if_match,
            "dry_run": dry_run,
        }
        return await self._run("move", MoveOutcome, arguments)

    async def delete(
        self,
        path: str | PurePath,
        *,
        glob: str | None = None,
        include_hidden: bool | None = None,
        respect_ignore: bool | None = None,
        if_match: str | None = None,
        dry_run: bool | None = None,
        keep: bool | None = None,
        confirm: bool | None = None,
    ) -> DeleteOutcome:
        """Deletes a file or a link, or the files and links that match a pattern. Directories need `delete-directory`. See
        `Gate.delete`.
        """
        arguments: dict[str, object] = {
            "path": path,
            "glob": glob,
            "include_hidden": include_hidden,
            "respect_ignore": respect_ignore,
            "if_match": if_match,
            "dry_run": dry_run,
            "keep": keep,
            "confirm": confirm,
        }
        return await self._run("delete", DeleteOutcome, arguments)

    async def delete_directory(
        self,
        path: str | PurePath,
        *,
        recursive: bool | None = None,
        dry_run: bool | None = None,
        keep: bool | None = None,
        confirm: bool | None = None,
    ) -> DeleteDirectoryOutcome:
        """Deletes a directory: an empty one, or one with everything in it. See `Gate.delete_directory`."""
        arguments: dict[str, object] = {
            "path": path,
            "recursive": recursive,
            "dry_run": dry_run,
            "keep": keep,
            "confirm": confirm,
        }
        return await self._run("delete_directory", DeleteDirectoryOutcome, arguments)

    async def log(
        self,
        *,
        path: str | PurePath | None = None,
        max_items: int | None = None,
        cursor: str | None = None,
        any_session: bool | None = None,
        diff: bool | None = None,
    ) -> LogOutcome:
        """Lists what was changed, the newest first. See `Gate.log`."""
        arguments: dict[str, object] = {
            "path": path,
            "max_items": max_items,
            "cursor": cursor,
            "any_session": any_session,
            "diff": diff,
        }
        return await self._run("log", LogOutcome, arguments)

    async def checkpoint(
        self,
        label: str,
    ) -> CheckpointOutcome:
        """Gives the present state a name, to come back to with `undo`. See `Gate.checkpoint`."""
        arguments: dict[str, object] = {
            "label": label,
        }
        return await self._run("checkpoint", CheckpointOutcome, arguments)

    async def undo(
        self,
        *,
        id: list[str] | None = None,
        to: str | None = None,
        any_session: bool | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
    ) -> UndoOutcome:
        """Takes back the last change of this session, a certain one, or everything after a checkpoint. See `Gate.undo`."""
        arguments: dict[str, object] = {
            "id": id,
            "to": to,
            "any_session": any_session,
            "dry_run": dry_run,
            "diff": diff,
        }
        return await self._run("undo", UndoOutcome, arguments)

    async def redo(
        self,
        *,
        id: str | None = None,
        any_session: bool | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
    ) -> RedoOutcome:
        """Takes back the last `undo` of this session, as long as nothing has changed the same paths since. See `Gate.redo`."""
        arguments: dict[str, object] = {
            "id": id,
            "any_session": any_session,
            "dry_run": dry_run,
            "diff": diff,
        }
        return await self._run("redo", RedoOutcome, arguments)

    async def restore(
        self,
        id: str,
        *,
        path: str | PurePath | None = None,
        any_session: bool | None = None,
        force: bool | None = None,
        dry_run: bool | None = None,
        diff: bool | None = None,
    ) -> RestoreOutcome:
        """Brings a path back to what it was before an entry of the history: its content, or that it was not there. See
        `Gate.restore`.
        """
        arguments: dict[str, object] = {
            "id": id,
            "path": path,
            "any_session": any_session,
            "force": force,
            "dry_run": dry_run,
            "diff": diff,
        }
        return await self._run("restore", RestoreOutcome, arguments)

    async def forget(
        self,
        *,
        id: str | None = None,
        path: str | PurePath | None = None,
        before: str | None = None,
        everything: bool | None = None,
    ) -> ForgetOutcome:
        """Removes entries from the history, and what is kept for them. There is no undo. See `Gate.forget`."""
        arguments: dict[str, object] = {
            "id": id,
            "path": path,
            "before": before,
            "everything": everything,
        }
        return await self._run("forget", ForgetOutcome, arguments)

    async def recover(
        self,
        *,
        all: bool | None = None,
    ) -> RecoverOutcome:
        """Completes or rolls back interrupted changes. Every changing call does so by itself; this one reports them, and sets
        aside those whose directory is gone. See `Gate.recover`.
        """
        arguments: dict[str, object] = {
            "all": all,
        }
        return await self._run("recover", RecoverOutcome, arguments)

    async def sham(
        self,
        text: str,
        *,
        state: str | None = None,
        as_user: bool | None = None,
    ) -> ShamOutcome:
        """Carries out the SHAM blocks of a text, one after the other. One that fails does not keep the next one from being
        carried out. See `Gate.sham`.
        """
        arguments: dict[str, object] = {
            "text": text,
            "state": state,
            "as_user": as_user,
        }
        return await self._front_end("sham", ShamOutcome, arguments)

    async def command(
        self,
        text: str,
        *,
        content: str | None = None,
        destination: str | None = None,
        ask: bool | None = None,
    ) -> CommandOutcome:
        """Carries out one command, such as `writeFile docs/a.md options: content: # A`. See `Gate.command`."""
        arguments: dict[str, object] = {
            "text": text,
            "content": content,
            "destination": destination,
            "ask": ask,
        }
        return await self._front_end("command", CommandOutcome, arguments)

    async def file_action(
        self,
        text: str,
    ) -> FileActionOutcome:
        """Creates Markdown files and appends to them, one action after the other. One that fails does not keep the next one
        from being carried out. See `Gate.file_action`.
        """
        arguments: dict[str, object] = {
            "text": text,
        }
        return await self._front_end("file_action", FileActionOutcome, arguments)

    async def workflow(
        self,
        text: str,
        *,
        variables: list[WorkflowVariable] | None = None,
        render: bool | None = None,
        settings_hold: bool | None = None,
        audited: bool | None = None,
    ) -> WorkflowOutcome:
        """Carries out the `{{invoke_tool: …}}` blocks of a workflow, one after the other. One that fails does not keep the
        next one from being carried out. See `Gate.workflow`.
        """
        arguments: dict[str, object] = {
            "text": text,
            "variables": variables,
            "render": render,
            "settings_hold": settings_hold,
            "audited": audited,
        }
        return await self._front_end("workflow", WorkflowOutcome, arguments)

    async def plugin(
        self,
        text: str,
        *,
        now: str | None = None,
    ) -> PluginOutcome:
        """Carries out the calls of the tools `filesystem.write`, `read`, `list`, `glob`, `remove` and `output`, one after the
        other. One that fails does not keep the next one from being carried out. See `Gate.plugin`.
        """
        arguments: dict[str, object] = {
            "text": text,
            "now": now,
        }
        return await self._front_end("plugin", PluginOutcome, arguments)
