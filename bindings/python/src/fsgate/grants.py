"""Which directories are handed in, and the grants that are refused before anything starts."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from ._error import StartError
from ._places import StrPath, as_typed, contains, from_here, histories, is_same, is_utf8, own_directories, way


@dataclass(frozen=True)
class Grant:
    """A directory that is handed in."""

    path: StrPath
    """Where it is on this machine."""

    name: str | None = None
    """Its name inside; by default its own path."""

    read_only: bool = False
    """Nothing in it can be changed."""


@dataclass(frozen=True)
class Checked:
    """A grant that nothing speaks against."""

    asked: Path
    """The absolute path by which it was asked for, links and all."""

    host: Path
    name: str
    read_only: bool

    typed: Path | None = None
    """The path that its user sees, if it is known and nobody who writes in another one can have made it."""

    def paths(self) -> list[str]:
        """Where it lies on this machine: at its real path first. What is not UTF-8 no pattern can name."""
        found = [str(self.host)] + ([str(self.typed)] if self.typed else [])
        return [path for path in dict.fromkeys(found) if is_utf8(path)]


#: Directories right below `/` that belong to the system, and those in which all users, drives or temporary files are.
SYSTEM = frozenset(
    "Applications Library System Volumes bin boot dev etc lib lib64 lost+found media mnt opt private proc run sbin snap srv "
    "sys tmp usr var".split()
)


def checked(grants: Iterable[Grant], state: Path | None, allow_wide: bool) -> list[Checked]:
    """All that was asked for, in this order; the first problem refuses the start."""
    found: list[Checked] = []
    for grant in grants:
        try:
            host = Path(grant.path).resolve(strict=True)
            os.listdir(host)
        except NotADirectoryError:
            refuse(grant.path, "it is not a directory; grant the directory that contains it")
        except OSError as error:
            refuse(grant.path, f"{error.strerror}; grant a directory that exists and can be read")
        name = grant.name if grant.name is not None else str(host)
        if not is_utf8(name):
            refuse(grant.path, "its name is not UTF-8; grant it under a name of your choice")
        if "".join(segments(name)[:1]).lower().startswith(".fsgate"):
            refuse(name, "names that begin with `/.fsgate` are fsgate's own; grant it under another name")
        if any(segments(other.name) == segments(name) for other in found):
            raise StartError(
                f"the name `{name}` is granted twice; grant each directory once, and different ones under different names"
            )
        if not allow_wide and (what := wide(host)):
            refuse(
                grant.path,
                f"it is {what}, and everything in it would be open; grant the directory that you work in, or "
                "say `allow_wide_grant=True`",
            )
        path = Path(grant.path)
        found.append(Checked(from_here(path), host, name, grant.read_only, as_typed(path)))
    refuse_led_out(found)
    own = [directory.resolve() for directory in own_directories(state)]
    for inner in found:
        for outer in found:
            if inner.read_only and not outer.read_only and contains(outer.host, inner.host):
                refuse(inner.host, f"`{outer.host}` around it is granted for writing; grant directories beside each other")
        near = [directory for directory in own if contains(inner.host, directory) or contains(directory, inner.host)]
        if not inner.read_only and near:
            refuse(inner.host, f"it and fsgate's own directory `{near[0]}` contain one another; grant a directory apart from it")
        # A history may be read as little as changed: what lies around it hides it, see `_protected`.
        if kept := [history for history in histories(state) if contains(history.resolve(), inner.host)]:
            refuse(inner.host, f"it is in fsgate's own directory `{kept[0]}`, and no tool sees a history; grant another one")
    return [replace(grant, typed=None) if is_typed_led(grant, found) else grant for grant in found]


def places(grants: list[Checked]) -> dict[str, list[str]]:
    """Where each grant lies on this machine, by its name: one directory under several names lies at the paths of all of them."""
    found: dict[str, list[str]] = {}
    for grant in grants:
        same = (other.paths() for other in grants if other.paths()[:1] == grant.paths()[:1])
        found[grant.name] = list(dict.fromkeys(path for paths in same for path in paths))
    return found


def refuse_led_out(grants: list[Checked]) -> None:
    """What a tool could have put on the way to a grant says neither what is granted nor, as patterns begin there, what rules are
    about: not even where it leads to what is granted anyway.
    """
    for grant in grants:
        if by := leading(grant.asked, [other for other in grants if other is not grant]):
            refuse(
                grant.asked,
                f"it is found through a link, or by `..`, in the granted directory `{by.host}`, and whoever writes there can "
                "have it lead anywhere; grant the directory that is meant by its own path",
            )


def is_typed_led(grant: Checked, grants: list[Checked]) -> bool:
    """True if the shell's idea of where it is leads through another directory that is granted: that names nothing."""
    others = [other for other in grants if other.host != grant.host]
    return grant.typed is not None and leading(grant.typed, others) is not None


def leading(path: Path, others: list[Checked]) -> Checked | None:
    """One of these in which a link leads to an absolute path, or which `..` leaves on the way there."""
    steps = [step.parent for step in way(path)]
    return next((other for other in others if any(contains(other.host, step) for step in steps)), None)


def refuse(path: object, why: str) -> None:
    """Refuses the start."""
    raise StartError(f"cannot grant `{path}`: {why}")


def segments(name: str) -> list[str]:
    """A name inside as what it comes to: `w`, `/w` and `/w/` are the same place."""
    walked: list[str] = []
    for segment in name.split("/"):
        if segment == "..":
            del walked[-1:]
        elif segment not in ("", "."):
            walked.append(segment)
    return walked


def wide(path: Path) -> str | None:
    """What a resolved path is that nobody grants for work; none if it is nothing of that kind."""
    said = os.environ.get("HOME", "")
    home = Path(said).resolve() if os.path.isabs(said) else None
    if home and (path == home or is_same(path, home)):
        return "a home directory"
    match PurePosixPath(path).parts[1:]:
        case []:
            return "all of this machine"
        case ["home" | "Users"]:
            return "the directory of all home directories"
        case ["root"] | ["home" | "Users", _]:
            return "a home directory"
        case [name] if name in SYSTEM:
            return "a directory of the system"
        case ["mnt", drive] if len(drive) == 1:
            return "a whole drive"
        case ["media" | "Volumes", _] | ["media", _, _] | ["run", "media", _] | ["run", "media", _, _]:
            return "a whole drive"
    # Where homes are is the machine's affair: `/var/home`, `/data`.
    return "a directory with a home directory in it" if home and contains(path, home) else None
