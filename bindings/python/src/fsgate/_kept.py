"""Compiled code in a directory, believed only if no other user could have written it."""

import hashlib
import os
import re
import secrets
import stat
import time
from contextlib import suppress
from pathlib import Path

from . import _private

DIGEST = 32

#: Most components: several environments with a version each take turns without compiling.
MOST = 4

#: Seconds after which a draft is abandoned.
DRAFT = 3600

_NAMES = re.compile(r"[^.]+\.(cwasm|[0-9a-f]{16})")


def digest(data: bytes) -> bytes:
    """A hash of the content."""
    return hashlib.blake2b(data, digest_size=DIGEST).digest()


def kept(place: Path, key: str) -> bytes | None:
    """The code of a key, if complete and not writable by other users."""
    try:
        directory = _private.opened(place)
        try:
            file = os.open(f"{key}.cwasm", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
        finally:
            os.close(directory)
        with open(file, "rb") as reader:
            if _private.objection(os.fstat(file)):
                return None
            data = reader.read()
            # Used code is pruned last.
            with suppress(OSError):
                os.utime(file)
    except OSError:
        return None
    return data[DIGEST:] if data[:DIGEST] == digest(data[DIGEST:]) else None


def keep(place: Path, key: str, code: bytes) -> None:
    """Keeps code under a key, all at once, beside concurrent writers."""
    directory = _private.opened(place)
    draft = f"{key}.{secrets.token_hex(8)}"
    try:
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=directory)
        try:
            with open(file, "wb") as writer:
                writer.write(digest(code) + code)
            os.rename(draft, f"{key}.cwasm", src_dir_fd=directory, dst_dir_fd=directory)
        except OSError:
            os.unlink(draft, dir_fd=directory)
            raise
        _prune(directory, f"{key}.cwasm")
    finally:
        os.close(directory)


def _prune(directory: int, present: str) -> None:
    """Removes abandoned drafts, and all code but the present one and the last used. A reader of a
    removed file reads it to its end; a later one compiles.
    """
    used: list[tuple[float, str]] = []
    for name in os.listdir(directory):
        match = _NAMES.fullmatch(name)
        with suppress(OSError):
            found = os.stat(name, dir_fd=directory, follow_symlinks=False)
            if match is None or name == present or not stat.S_ISREG(found.st_mode):
                continue
            if match[1] == "cwasm":
                used.append((found.st_mtime, name))
            elif found.st_mtime < time.time() - DRAFT:
                os.unlink(name, dir_fd=directory)
    for _, name in sorted(used, reverse=True)[MOST - 1 :]:
        with suppress(OSError):
            os.unlink(name, dir_fd=directory)
