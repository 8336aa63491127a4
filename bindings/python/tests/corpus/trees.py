"""Trees, before and after a case."""

import re
from base64 import b64decode
from dataclasses import dataclass
from typing import Any


def repeated(text: str) -> str:
    """Expands every `$repeat(3, ab)`. JSON remains JSON: the repeated text has no `)`."""
    return re.sub(r"\$repeat\((\d+), ([^)]*)\)", lambda match: match[2] * int(match[1]), text)


@dataclass(frozen=True)
class Granted:
    """A directory of the tree that is granted."""

    directory: str
    name: str
    read_only: bool


@dataclass(frozen=True)
class Item:
    """An item of a tree. Its kind says which of the other fields it has."""

    path: str
    #: `file`, `hard-link`, `link`, `directory`, `fifo` or `undecodable`.
    kind: str
    #: The pieces of a file's content, each with a `text` or in `base64`.
    content: list[dict[str, str]] | None = None
    #: The permission bits; without them any bits pass.
    mode: int | None = None
    #: The file that a hard link is another name of.
    to: str | None = None
    target: str | None = None
    #: The name of an item that is not UTF-8, which the path only resembles.
    base64: str | None = None

    @property
    def data(self) -> bytes:
        """The bytes of a file."""
        pieces = (b64decode(piece["base64"]) if "base64" in piece else repeated(piece["text"]).encode() for piece in self.content)
        return b"".join(pieces)


class Tree:
    """A tree of files. Its paths are relative to a directory that no tool can see."""

    def __init__(self, grants: list[dict[str, Any]], items: list[dict[str, Any]], moved: dict[str, str] | None = None) -> None:
        self.grants = [Granted(**grant) for grant in grants]
        self.items = {item["path"]: Item(**item) for item in items}
        #: The new path of each item that has moved since the tree before, and its old path.
        self.moved = moved or {}

    def content(self, path: str) -> bytes | None:
        """Returns the content of a file, through hard links."""
        item = self.items.get(path)
        if item and item.kind == "hard-link":
            return self.content(item.to)
        return item.data if item and item.kind == "file" else None

    def is_outside(self, path: str) -> bool:
        """Returns true if no grant contains the path."""
        return not any(path == grant.directory or path.startswith(f"{grant.directory}/") for grant in self.grants)
