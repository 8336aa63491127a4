"""Trees on a disk."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from .trees import Directory, Fifo, File, HardLink, Item, Link, Tree, Undecodable


@dataclass(frozen=True)
class Seen:
    """What stands at one path, and who it is."""

    #: `file`, `link`, `directory` or `special`.
    kind: str
    #: A file's bytes, a link's target.
    content: bytes | str | None
    inode: int
    mode: int
    links: int
    modified: int


Snapshot = dict[str, Seen]


def set_up(root: Path, tree: Tree) -> None:
    """Makes everything that a tree says."""
    for grant in tree.grants:
        (root / grant.directory).mkdir(parents=True, exist_ok=True)
    # Hard links last: the files that they name have to be there.
    for path, item in sorted(tree.items.items(), key=lambda named: isinstance(named[1], HardLink)):
        _put(root, path, item)


def _put(root: Path, path: str, item: Item) -> None:
    at = root / path
    at.parent.mkdir(parents=True, exist_ok=True)
    match item:
        case File(content, mode):
            at.write_bytes(content)
            if mode is not None:
                at.chmod(mode)
        case HardLink(to):
            os.link(root / to, at)
        case Link(target):
            at.symlink_to(rooted(root, target))
        case Directory():
            at.mkdir(exist_ok=True)
        case Fifo():
            os.mkfifo(at)
        case Undecodable(name):
            Path(os.fsdecode(os.fsencode(at.parent) + b"/" + name)).write_bytes(b"")


def rooted(root: Path, target: str) -> str:
    """A link's target, with `$root` as the directory that holds the tree."""
    return target.replace("$root", str(root))


def snapshot(root: Path) -> Snapshot:
    """Everything that is there, without following a link."""
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
    """What has to stand at every path of a tree, the directories that it only implies included."""
    found: dict[str, tuple[str, bytes | str | None]] = {}
    items: list[tuple[str, Item]] = [(grant.directory, Directory()) for grant in tree.grants]
    for path, item in [*items, *tree.items.items()]:
        for above in list(Path(path).parents)[:-1]:
            found.setdefault(str(above), ("directory", None))
        match item:
            case File() | HardLink():
                found[path] = ("file", tree.content(path))
            case Link(target):
                found[path] = ("link", rooted(root, target))
            case Directory():
                found[path] = ("directory", None)
            case Fifo():
                found[path] = ("special", None)
            case Undecodable():
                found[path] = ("file", b"")
    return found
