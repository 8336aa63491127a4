"""Private directories of this user: their content is believed."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from ._places import FSGATE, PYTHON

#: The right to write, for all but the owner.
OTHERS = 0o022


def place(base: Path) -> Path:
    """The directory of this package in one of this user's. Earlier versions left the one around it
    to the umask: access of other users is removed.
    """
    shut(base / FSGATE)
    return base / FSGATE / PYTHON


def opened(directory: Path) -> int:
    """Opens a directory for its owner alone, made if missing. Fails with `OSError` if others can
    write to it.
    """
    # One by one: `parents=True` would leave those on the way to the umask.
    for missing in reversed([above for above in (directory, *directory.parents) if not above.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    if why := objection(os.fstat(handle)):
        os.close(handle)
        raise PermissionError(1, why, str(directory))
    return handle


def exposure(directory: Path) -> str | None:
    """The reason why another user could replace the directory; none if only root and its owner can
    rename those above.
    """
    for above in directory.resolve().parents:
        with suppress(FileNotFoundError):
            found = above.stat()
            if found.st_uid not in (0, os.geteuid()):
                return f"`{above}` belongs to somebody else"
            if found.st_mode & OTHERS and not found.st_mode & stat.S_ISVTX:
                return f"others can write to `{above}`: take that right away with `chmod go-w`"
    return None


def objection(found: os.stat_result) -> str | None:
    """The reason not to believe a found object, if any."""
    if found.st_uid != os.geteuid():
        return "it belongs to somebody else"
    if found.st_mode & OTHERS:
        return "others can write to it: take that right away with `chmod go-w`"
    return None


def shut(directory: Path) -> None:
    """Takes the right to write in a directory of this user from all others."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            found = os.fstat(handle)
            if found.st_uid == os.geteuid() and found.st_mode & OTHERS:
                os.fchmod(handle, stat.S_IMODE(found.st_mode) & ~OTHERS)
        finally:
            os.close(handle)
