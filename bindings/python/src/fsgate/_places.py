"""The directories of fsgate on this machine."""

import os
from pathlib import Path

StrPath = str | os.PathLike[str]

#: The directory of fsgate in a base directory, and that of this package in it, beside the
#: program's.
FSGATE, PYTHON = "fsgate", "python"

STATE, CACHE = ("XDG_STATE_HOME", ".local/state"), ("XDG_CACHE_HOME", ".cache")


def base(variable: str, below_home: str) -> Path | None:
    """A base directory of this user, if a variable names it."""
    said = os.environ.get(variable, "")
    if os.path.isabs(said):
        return Path(said)
    home = os.environ.get("HOME", "")
    return Path(home, below_home) if os.path.isabs(home) else None


def is_same(one: Path, other: Path) -> bool:
    """True for two names of one directory."""
    try:
        return one.samefile(other)
    except OSError:
        return False
