"""Paths of this machine: where fsgate keeps things of its own, and what lies in what."""

import os
from itertools import takewhile
from pathlib import Path

StrPath = str | os.PathLike[str]

#: Where all of it lies in a base directory, and in that what this package keeps. The program has a state of its own beside it.
FSGATE, PYTHON, PROGRAM, ROOTS = "fsgate", "python", "states", "roots"

#: So many links are followed, as systems do it.
LINKS = 40

STATE, CACHE, CONFIG = (
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_CACHE_HOME", ".cache"),
    ("XDG_CONFIG_HOME", ".config"),
)


def base(variable: str, below_home: str) -> Path | None:
    """A base directory of this user; none if nobody says where that is."""
    said = os.environ.get(variable, "")
    if os.path.isabs(said):
        return Path(said)
    home = os.environ.get("HOME", "")
    return Path(home, below_home) if os.path.isabs(home) else None


def own_directories(state: Path | None) -> list[Path]:
    """Where fsgate keeps state, looks for its configuration and keeps compiled code. They may not exist yet."""
    found = [base(*which) for which in (STATE, CONFIG, CACHE)]
    return [directory / FSGATE for directory in found if directory] + ([state] if state else [])


def histories(state: Path | None) -> list[Path]:
    """Where old contents are kept, and of what: by this gate, others of this package and the program. They may not exist yet."""
    home = base(*STATE)
    usual = [home / FSGATE / kept for kept in (PYTHON, PROGRAM, ROOTS)] if home else []
    return ([state] if state else []) + usual


def from_here(path: Path) -> Path:
    """An absolute path. A `..` at its beginning leaves the current directory for the one above it, whatever leads there."""
    ups = 0 if path.is_absolute() else sum(1 for _ in takewhile(lambda name: name == "..", path.parts))
    here = Path.cwd()
    above = [here, *here.parents]
    return above[min(ups, len(above) - 1)].joinpath(*path.parts[ups:])


def as_typed(path: Path) -> Path | None:
    """An absolute path as its user sees it, links and all: from the shell's idea of the current directory. None where no shell
    has one, nor with a `..`: what it leaves may be what a link leads to.
    """
    shell = Path(os.environ.get("PWD", ""))
    if not path.is_absolute() and not (shell.is_absolute() and _is_here(shell)):
        return None
    typed = shell / path
    return None if ".." in typed.parts else typed


def is_utf8(text: str) -> bool:
    """True for what can be told to the component."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def way(path: Path) -> list[Path]:
    """What a system goes through on its way to an absolute path: links, and directories that it leaves by `..` again."""
    found: list[Path] = []
    links = 0
    at, names = Path(path.anchor), [*reversed(path.parts)]
    while names:
        name = names.pop()
        if name == "..":
            found.append(at)
            at = at.parent
        elif links < LINKS and (target := _target(at / name)):
            found.append(at / name)
            links += 1
            names += reversed(target.parts)
        else:
            at /= name
    return found


def below(outer: Path, inner: Path) -> tuple[str, ...] | None:
    """The names that lead from one directory to another path, also from a name that a mount or a link has given to it; none if it
    does not lie there.
    """
    for above in (inner, *inner.parents):
        if above == outer or is_same(above, outer):
            return inner.parts[len(above.parts) :]
    return None


def contains(outer: Path, inner: Path) -> bool:
    """True if one resolved path leads into the other directory, or to it."""
    return below(outer, inner) is not None


def _target(path: Path) -> Path | None:
    try:
        return path.readlink()
    except OSError:
        # No link, or nothing at all.
        return None


def _is_here(path: Path) -> bool:
    try:
        return os.path.realpath(path, strict=True) == os.path.realpath(Path.cwd())
    except OSError:
        # Nothing at all.
        return False


def is_same(one: Path, other: Path) -> bool:
    """True for two names of one directory."""
    try:
        return one.samefile(other)
    except OSError:
        return False
