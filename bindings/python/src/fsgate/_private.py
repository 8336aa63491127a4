"""Directories that are ours alone: what lies in them is believed."""

import os
import stat
from contextlib import suppress
from pathlib import Path


def opened(directory: Path) -> int:
    """Makes a directory for its owner alone, if it is not there, and opens it. Fails with `OSError` if others can write to it."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    if why := objection(os.fstat(handle)):
        os.close(handle)
        raise PermissionError(1, why, str(directory))
    return handle


def is_reached_safely(directory: Path) -> bool:
    """True if nobody else can put another directory into its place: only root and its owner can rename what leads to it."""
    for above in directory.resolve().parents:
        with suppress(FileNotFoundError):
            found = above.stat()
            is_open = stat.S_IMODE(found.st_mode) & 0o022 and not found.st_mode & stat.S_ISVTX
            if is_open or found.st_uid not in (0, os.geteuid()):
                return False
    return True


def objection(found: os.stat_result) -> str | None:
    """Why what was found cannot be believed; none if it can."""
    if found.st_uid != os.geteuid():
        return "it belongs to somebody else"
    if stat.S_IMODE(found.st_mode) & 0o022:
        return "others can write to it: take that right away with `chmod go-w`"
    return None
