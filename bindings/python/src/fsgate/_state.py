"""The state root, which this package shares with the program: a state directory for each granted
directory. The component chooses them; this module gives it facts and writes the files.
"""

import ctypes
import os
import secrets
import stat
import struct
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from . import _private
from ._error import StartError
from ._places import StrPath
from ._sandbox import Preopen
from .grants import Checked, questions

#: Seconds of the longest wait for another registration, which takes milliseconds.
PATIENCE = 5

#: Bytes of the largest entry of a root: a path and some numbers.
ENTRY_BYTES = 64 << 10

STATES, ROOTS, NEW = "states", "roots", ".new-"

#: The names of state directories of no grant, which have records about parts of one.
RETIRED = "/.fsgate/.fsgate/"

Ask = Callable[[str, dict[str, Any]], Any]


def state_directories(root: Path, grants: Iterable[Checked], power: bool, component: StrPath | None) -> list[Preopen]:
    """The state directories of all grants for writing, made if they are missing. Fails with
    `OSError` if the state root cannot be used.
    """
    for directory in (root, root / STATES, root / ROOTS):
        os.close(_private.opened(directory))
    found: list[Preopen] = []
    retired: set[str] = set()
    with questions(component) as ask:
        for grant in grants:
            if not grant.read_only:
                chosen = _registered(ask, root, grant, power)
                found.append(Preopen(root / STATES / chosen["state"], chosen["preopen"], read_only=False))
                retired |= set(chosen["retired"])
    others = sorted(retired - {preopen.host.name for preopen in found})
    return found + [Preopen(root / STATES / state, f"{RETIRED}{number}", read_only=False) for number, state in enumerate(others)]


def _registered(ask: Ask, root: Path, grant: Checked, power: bool) -> Any:
    """The chosen state of a directory, which is a registered root or below one by then."""
    request = {
        "grant": grant.name,
        "around": _identities(grant.host),
        "new_state": secrets.token_hex(16),
        "now": str(time.time_ns()),
    }
    # Entries appear complete, so reading needs no lock.
    chosen = _chosen(ask, root, request)
    if not chosen["write"]:
        return chosen
    with _locked(root / "lock"):
        _settle(grant.host)
        request["around"] = _identities(grant.host)
        chosen = _chosen(ask, root, request)
        _write(root, chosen, power)
    return chosen


def _chosen(ask: Ask, root: Path, request: dict[str, Any]) -> Any:
    entries: dict[str, str | None] = {}
    directories: dict[str, str | None] = {}
    states: dict[str, bool] = {}
    facts = {"entries": entries, "all": False, "directories": directories, "states": states}
    while True:
        answer = ask("choose", request | facts)
        if "look" not in answer:
            break
        look = answer["look"]
        names = os.listdir(root / ROOTS) if look["all"] else look["entries"]
        entries |= {name: _entry(root / ROOTS / name) for name in names}
        facts["all"] = facts["all"] or look["all"]
        directories |= {path: _identity(Path(path)) for path in look["directories"]}
        states |= {name: _is_sound(root / STATES / name) for name in look["states"]}
    if refused := answer.get("refused"):
        raise StartError(f"cannot keep state in `{root}`: {refused}")
    return answer["chosen"]


def _write(root: Path, chosen: Any, power: bool) -> None:
    """Makes the state directory, and writes the entries. Each gets its name when it is complete."""
    if content := chosen["make"]:
        new = root / STATES / (NEW + chosen["state"])
        new.mkdir(mode=0o700)
        for directory in content["directories"]:
            (new / directory).mkdir(mode=0o700)
        for directory, name, octets in content["files"]:
            _private_file(new / directory / name, bytes(octets), power)
        new.rename(root / STATES / chosen["state"])
        _sync(root / STATES, power)
    for name, text in chosen["write"]:
        new = root / ROOTS / (NEW + secrets.token_hex(16))
        _private_file(new, text.encode(), power)
        new.rename(root / ROOTS / name)
    if name := chosen["remove"]:
        with suppress(OSError):
            (root / ROOTS / name).unlink()
    _sync(root / ROOTS, power)


def _private_file(path: Path, content: bytes, power: bool) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        if power:
            file.flush()
            os.fsync(file.fileno())


def _sync(directory: Path, power: bool) -> None:
    if power:
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Holds the lock that the program takes for a registration."""
    # Windows has no such module, and no state root.
    import fcntl

    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise StartError(f"another fsgate has held `{path}` for too long; try again") from None
                time.sleep(0.01)
        yield
    finally:
        os.close(handle)


def _around(host: Path) -> list[Path]:
    """A directory and those around it, the outermost first."""
    return [*reversed(host.parents), host]


def _entry(path: Path) -> str | None:
    """The text of an entry that only this user can have written."""
    with suppress(OSError):
        found = os.lstat(path)
        if stat.S_ISREG(found.st_mode) and _private.objection(found) is None and found.st_size <= ENTRY_BYTES:
            return path.read_bytes().decode("utf-8", "replace")
    return None


def _is_sound(directory: Path) -> bool:
    with suppress(OSError):
        found = os.lstat(directory)
        return stat.S_ISDIR(found.st_mode) and _private.objection(found) is None
    return False


def _identities(host: Path) -> list[list[str]]:
    return [[_text(path), identity] for path in _around(host) if (identity := _identity(path))]


def _settle(path: Path) -> None:
    """Sets the mode of a directory to what it is. On overlayfs the first change in a directory
    copies it to the upper layer, which changes its time of birth; this copies it before."""
    with suppress(OSError):
        path.chmod(stat.S_IMODE(path.lstat().st_mode))


def _identity(path: Path) -> str | None:
    """Device, inode and time of birth of a directory."""
    with suppress(OSError):
        found = os.lstat(path)
        if stat.S_ISDIR(found.st_mode):
            born = _born(path)
            return f"{found.st_dev}:{found.st_ino}" + (f":{born}" if born is not None else "")
    return None


def _born(path: Path) -> int | None:
    """Nanoseconds since 1970, by Linux's `statx`, which Python does not have."""
    at_cwd, no_follow, born = -100, 0x100, 0x800
    answer = ctypes.create_string_buffer(256)
    try:
        failed = ctypes.CDLL(None).statx(at_cwd, os.fsencode(path), no_follow, born, answer)
    except (AttributeError, OSError):
        return None
    mask, *_ = struct.unpack_from("=I", answer, 0)
    if failed or not mask & born:
        return None
    seconds, nanoseconds = struct.unpack_from("=qI", answer, 80)
    return int(seconds) * 10**9 + int(nanoseconds)


def _text(path: Path) -> str:
    """A path as the program writes it: U+FFFD replaces bytes that are not UTF-8."""
    return os.fsencode(path).decode("utf-8", "replace")
