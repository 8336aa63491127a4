"""The notation of a tree: one item a line."""

import json
from dataclasses import dataclass, field

from .placeholders import repeated


@dataclass(frozen=True)
class Granted:
    """A directory of the tree that is granted."""

    directory: str
    name: str
    read_only: bool


@dataclass(frozen=True)
class File:
    """A regular file; without a mode any will do."""

    content: bytes
    mode: int | None = None


@dataclass(frozen=True)
class HardLink:
    """Another name of a file."""

    to: str


@dataclass(frozen=True)
class Link:
    """A symbolic link."""

    target: str


@dataclass(frozen=True)
class Directory:
    """A directory."""


@dataclass(frozen=True)
class Fifo:
    """A FIFO without a writer."""


@dataclass(frozen=True)
class Undecodable:
    """An empty file whose name is not UTF-8; its path only resembles it."""

    name: bytes


Item = File | HardLink | Link | Directory | Fifo | Undecodable


@dataclass
class Tree:
    """A tree as a case writes it. Paths are relative to a directory that no tool can see."""

    grants: list[Granted] = field(default_factory=list)
    items: dict[str, Item] = field(default_factory=dict)
    #: What has another name than in the tree before: the new path, and the old one.
    moved: dict[str, str] = field(default_factory=dict)

    def content(self, path: str) -> bytes | None:
        """The content of a file, through hard links."""
        match self.items.get(path):
            case File(content):
                return content
            case HardLink(to):
                return self.content(to)
        return None

    def is_outside(self, path: str) -> bool:
        """True if no grant contains the path."""
        return not any(path == grant.directory or path.startswith(f"{grant.directory}/") for grant in self.grants)


class Word(str):
    """A bare word."""


class Quoted(str):
    """A JSON string."""


def parsed(text: str) -> Tree:
    """Reads a tree."""
    tree, granted = Tree(), False
    for line in filter(str.strip, text.split("\n")):
        try:
            granted |= _line(tree, _words(line))
        except ValueError as error:
            raise ValueError(f"in the tree, at `{line}`: {error}") from error
    if not granted:
        tree.grants.append(Granted("w", "/w", read_only=False))
    for path in tree.moved:
        if path not in tree.items:
            raise ValueError(f"`{path}` was moved, and is nothing of the tree")
    for path, item in tree.items.items():
        if isinstance(item, HardLink) and not isinstance(tree.items.get(item.to), File):
            raise ValueError(f"`{path}` is a hard link to `{item.to}`, which is no file of the tree")
    return tree


def _line(tree: Tree, words: list[str]) -> bool:
    """Adds what one line says. True if it speaks of grants."""
    if words == ["no-grant"]:
        return True
    if len(words) < 2 or isinstance(words[0], Quoted):
        raise ValueError("an item and a path are missing")
    kind, path, rest = words[0], repeated(words[1]), words[2:]
    if any(name in ("", ".", "..") for name in path.split("/")):
        raise ValueError("paths of a tree are relative, without `.` and `..`")
    if kind == "grant":
        tree.grants.append(_grant(path, rest))
        return True
    if kind == "moved":
        if len(rest) != 2 or rest[0] != "<-":
            raise ValueError("a move is `moved PATH <- PATH`")
        tree.moved[path] = repeated(rest[1])
        return False
    item = _item(kind, rest)
    if isinstance(item, Undecodable):
        path = f"{path}/{item.name.decode(errors='replace')}"
    if path in tree.items:
        raise ValueError("the path is there twice")
    tree.items[path] = item
    return False


def _item(kind: str, rest: list[str]) -> Item:
    mode = None
    if kind in ("file", "bytes") and rest and isinstance(rest[0], Word) and rest[0].startswith("mode="):
        mode, rest = int(rest[0].removeprefix("mode="), 8), rest[1:]
    match kind, rest:
        case "file", [Quoted() as text]:
            return File(repeated(text).encode(), mode)
        case "bytes", pieces:
            return File(_bytes(pieces), mode)
        case "undecodable", pieces:
            return Undecodable(_undecodable(_bytes(pieces)))
        case "link", ["->", target]:
            return Link(repeated(target))
        case "hard-link", ["=", target]:
            return HardLink(repeated(target))
        case "directory", []:
            return Directory()
        case "fifo", []:
            return Fifo()
    raise ValueError("no such line")


def _grant(directory: str, rest: list[str]) -> Granted:
    read_only = rest[:1] == ["read-only"]
    match rest[1:] if read_only else rest:
        case []:
            return Granted(directory, f"/{directory}", read_only)
        case ["as", name]:
            return Granted(directory, repeated(name), read_only)
    raise ValueError("a grant is `grant PATH [read-only] [as NAME]`")


def _bytes(pieces: list[str]) -> bytes:
    """JSON strings and hex digits in a row."""
    return b"".join(repeated(piece).encode() if isinstance(piece, Quoted) else bytes.fromhex(piece) for piece in pieces)


def _undecodable(name: bytes) -> bytes:
    try:
        name.decode()
    except UnicodeDecodeError:
        return name
    raise ValueError("this name is UTF-8")


def _words(line: str) -> list[str]:
    words: list[str] = []
    rest = line.strip()
    while rest:
        if rest.startswith('"'):
            text, end = json.JSONDecoder().raw_decode(rest)
            words.append(Quoted(text))
            rest = rest[end:].lstrip()
        else:
            word, _, rest = rest.partition(" ")
            words.append(Word(word))
            rest = rest.lstrip()
    return words
