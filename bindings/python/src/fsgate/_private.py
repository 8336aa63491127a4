"""Directories that are ours alone: what lies in them is believed."""

import os
import stat
from pathlib import Path


def opened(directory: Path) -> int:
    """Makes a directory for its owner alone, if it is not there, and opens it. Fails with `OSError` if others can write to it."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    if why := objection(os.fstat(handle)):
        os.close(handle)
        raise PermissionError(1, why, str(directory))
    return handle


def objection(found: os.stat_result) -> str | None:
    """Why what was found cannot be believed; none if it can."""
    if found.st_uid != os.geteuid():
        return "it belongs to somebody else"
    if stat.S_IMODE(found.st_mode) & 0o022:
        return "others can write to it: take that right away with `chmod go-w`"
    return None
