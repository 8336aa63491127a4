"""The component, compiled once. Compiled code is kept in the user's cache directory, and believed only if nobody else could have
written it: whoever can change it runs code here."""

import hashlib
import os
import platform
import secrets
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from wasmtime import Engine, WasmtimeError
from wasmtime.component import Component

from . import _private
from ._error import StartError
from .grants import StrPath, base

DIGEST = 32


def component(engine: Engine, path: StrPath | None) -> Component:
    """The built-in component, or that of a file."""
    try:
        return _built_in(engine) if path is None else _loaded(engine, Path(path).read_bytes())
    except OSError as error:
        what = "the component, which this package was built without" if path is None else f"`{path}`"
        raise StartError(f"cannot read {what}: {error.strerror}") from error
    except WasmtimeError as error:
        raise StartError(f"cannot load the component: {error}") from error


@cache
def _built_in(engine: Engine) -> Component:
    return _loaded(engine, files(__package__).joinpath("fsgate.wasm").read_bytes())


@cache
def _loaded(engine: Engine, wasm: bytes) -> Component:
    key = digest(b"\0".join([wasm, version("wasmtime").encode(), platform.machine().encode(), b"epochs"])).hex()
    directory = base("XDG_CACHE_HOME", ".cache")
    place = directory / "fsgate" / "python" if directory else None
    if place and not _private.is_reached_safely(place):
        place = None
    if place and (code := kept(place, key)):
        # Code of another machine, or of another build of the engine, is refused by the engine.
        with suppress(WasmtimeError):
            return Component.deserialize(engine, code)
    compiled = Component(engine, wasm)
    if place:
        # Without a place to keep it, it is compiled again next time.
        with suppress(OSError):
            keep(place, key, bytes(compiled.serialize()))
    return compiled


def digest(data: bytes) -> bytes:
    """What tells two contents apart."""
    return hashlib.blake2b(data, digest_size=DIGEST).digest()


def kept(place: Path, key: str) -> bytes | None:
    """What was kept under a key, if it is whole and nobody else could have written it."""
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
    except OSError:
        return None
    return data[DIGEST:] if data[:DIGEST] == digest(data[DIGEST:]) else None


def keep(place: Path, key: str, code: bytes) -> None:
    """Keeps code under a key: all of it at once, whoever else does so at the same time."""
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
    finally:
        os.close(directory)
