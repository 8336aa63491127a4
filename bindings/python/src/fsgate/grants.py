"""Granted directories, and the facts for their checks in the component."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from ._error import StartError
from ._places import StrPath
from ._program import program
from ._sandbox import Interrupted, Sandbox, Trapped
from .limits import Limits

#: Seconds of a start, also with a shorter deadline of calls.
START = 60

#: The variables that tell the component the directories of fsgate.
VARIABLES = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")


@dataclass(frozen=True)
class Grant:
    """A granted directory."""

    path: StrPath
    """Where it is on this machine."""

    name: str | None = None
    """Its name inside; by default its own path."""

    read_only: bool = False
    """Nothing in it can be changed."""


@dataclass(frozen=True)
class Checked:
    """An accepted grant."""

    host: Path
    name: str
    read_only: bool


@dataclass(frozen=True)
class Verdict:
    """Accepted grants in order, and their consequences for the policy."""

    grants: list[Checked]
    paths: dict[str, list[str]]
    """The paths of this machine of each name."""

    rules: list[dict[str, Any]]
    """Rules that hold under every policy."""


def checked(
    grants: Iterable[Grant], state: Path | None, allow_wide: bool, nothing: bool = True, component: StrPath | None = None
) -> Verdict:
    """Checks all grants; the first problem refuses the start."""
    asked = list(grants)
    here, shell = os.getcwd(), os.environ.get("PWD")
    machine: dict[str, Any] = {
        "here": _encoded(here),
        "shells": [_encoded(shell)] if shell else [],
        "variables": {name: _encoded(os.environ[name]) for name in VARIABLES if name in os.environ},
        "is_exact": sys.platform == "linux",
        "facts": {},
    }
    start = {
        "grants": [_requested(grant) for grant in asked],
        "nothing": nothing,
        "terms": {"host": "python", "wide": allow_wide, "state": _encoded(str(state)) if state else None},
        "guarded": {"read_only": [["own_program", [_encoded(str(path)) for path in program(component)]]]},
        "machine": machine,
    }
    with questions(component) as ask:
        while "look" in (answer := ask("check", start)):
            machine["facts"] |= {path: _fact(_decoded(path)) for path in answer["look"]}
    if refused := answer.get("refused"):
        raise StartError(refused["message"])
    granted = answer["granted"]
    found = [_opened(grant, told) for grant, told in zip(asked, granted["grants"], strict=True)]
    return Verdict(found, granted["paths"], granted["rules"])


@contextmanager
def questions(component: StrPath | None) -> Iterator[Callable[[str, dict[str, Any]], Any]]:
    """The functions of the interface `host`, on an instance without directories. A component of
    this package answers for every other one.
    """
    own = files(__package__).joinpath("fsgate.wasm").is_file()
    sandbox = Sandbox([], {}, Limits(), None if own else component)
    try:
        yield lambda function, asked: json.loads(sandbox.call("host", function, json.dumps(asked), START))
    except (Interrupted, Trapped, LookupError) as error:
        raise StartError(f"cannot start the component: {error}") from error
    finally:
        sandbox.close()


def _requested(grant: Grant) -> dict[str, Any]:
    path = str(Path(grant.path))
    request: dict[str, Any] = {"path": _encoded(path), "access": "read" if grant.read_only else "write"}
    if grant.name is not None:
        request["name"] = _encoded(grant.name)
    try:
        os.scandir(path).close()
    except NotADirectoryError:
        request["problem"] = "not_directory"
    except OSError as error:
        request["problem"] = {"error": error.strerror}
    return request


def _opened(grant: Grant, told: dict[str, str]) -> Checked:
    """Returns the directory that this process finds, by the name of the checks."""
    host = Path(grant.path).resolve()
    if _encoded(str(host)) != told["host"]:
        raise StartError(f"cannot grant `{grant.path}`: it has changed during the check; grant it again")
    return Checked(host, told["name"], grant.read_only)


def _fact(path: str) -> dict[str, str]:
    """Looks at a path: a link, the path that it leads to, and the object there."""
    fact: dict[str, str] = {}
    with suppress(OSError):
        fact["link"] = _encoded(os.readlink(path))
    with suppress(OSError):
        found = os.stat(path)
        fact |= {"real": _encoded(os.path.realpath(path, strict=True)), "identity": f"{found.st_dev}:{found.st_ino}"}
    return fact


def _encoded(path: str) -> str:
    """Returns a path for the component: NUL, which no path has, replaces each byte that is not
    UTF-8.
    """
    return re.sub("[\ud800-\udfff]", lambda found: f"\0{ord(found[0]):04x}", path)


def _decoded(path: str) -> str:
    return re.sub("\0(.{4})", lambda found: chr(int(found[1], 16)), path)
