"""Trees on a disk."""

import os
import stat
from base64 import b64decode
from dataclasses import dataclass
from pathlib import Path

from .trees import Item, Tree


@dataclass(frozen=True)
class Seen:
    """A path's content and identity."""

    #: `file`, `link`, `directory` or `special`.
    kind: str
    #: The bytes of a file, the target of a link.
    content: bytes | str | None
    inode: int
    mode: int
    links: int
    modified: int


Snapshot = dict[str, Seen]


def set_up(root: Path, tree: Tree) -> None:
    """Creates everything in a tree."""
    for grant in tree.grants:
        (root / grant.directory).mkdir(parents=True, exist_ok=True)
    # Hard links come last, after the files that they name.
    for item in sorted(tree.items.values(), key=lambda item: item.kind == "hard-link"):
        _put(root, item)


def _put(root: Path, item: Item) -> None:
    at = root / item.path
    at.parent.mkdir(parents=True, exist_ok=True)
    match item.kind:
        case "file":
            at.write_bytes(item.data)
            if item.mode is not None:
                at.chmod(item.mode)
        case "hard-link":
            os.link(root / item.to, at)
        case "link":
            at.symlink_to(rooted(root, item.target))
        case "directory":
            at.mkdir(exist_ok=True)
        case "fifo":
            os.mkfifo(at)
        case "undecodable":
            Path(os.fsdecode(os.fsencode(at.parent) + b"/" + b64decode(item.base64))).write_bytes(b"")
        case unknown:
            raise ValueError(f"an item of an unknown kind: {unknown}")


def rooted(root: Path, target: str) -> str:
    """Returns a link's target with `$root` replaced by the directory that holds the tree."""
    return target.replace("$root", str(root))


def snapshot(root: Path) -> Snapshot:
    """Returns everything below a directory, without following links."""
    found: Snapshot = {}
    for entry in _entries(os.fsencode(root)):
        name = os.fsencode(entry)[len(os.fsencode(root)) + 1 :].decode(errors="replace")
        status = os.lstat(entry)
        kind, content = "special", None
        if stat.S_ISLNK(status.st_mode):
            kind, content = "link", os.fsencode(os.readlink(entry)).decode(errors="replace")
        elif stat.S_ISDIR(status.st_mode):
            kind = "directory"
        elif stat.S_ISREG(status.st_mode):
            kind, content = "file", Path(os.fsdecode(entry)).read_bytes()
        mode = stat.S_IMODE(status.st_mode)
        found[name] = Seen(kind, content, status.st_ino, mode, status.st_nlink, status.st_mtime_ns)
    return found


def _entries(directory: bytes) -> list[bytes]:
    found = []
    for entry in os.scandir(directory):
        found.append(entry.path)
        if entry.is_dir(follow_symlinks=False):
            found += _entries(entry.path)
    return found


def contents(root: Path, tree: Tree) -> dict[str, tuple[str, bytes | str | None]]:
    """Returns the kind and content of every path of a tree, and of the directories above them."""
    found: dict[str, tuple[str, bytes | str | None]] = {}
    granted = [Item(grant.directory, "directory") for grant in tree.grants]
    for item in [*granted, *tree.items.values()]:
        for above in list(Path(item.path).parents)[:-1]:
            found.setdefault(str(above), ("directory", None))
        match item.kind:
            case "file" | "hard-link":
                found[item.path] = ("file", tree.content(item.path))
            case "link":
                found[item.path] = ("link", rooted(root, item.target))
            case "directory":
                found[item.path] = ("directory", None)
            case "fifo":
                found[item.path] = ("special", None)
            case "undecodable":
                found[item.path] = ("file", b"")
    return found
