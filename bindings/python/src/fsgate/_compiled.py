"""The component, compiled once and kept in the user's cache directory, see `_kept`."""

import logging
import platform
import threading
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from wasmtime import Engine, WasmtimeError
from wasmtime.component import Component

from . import _private
from ._error import StartError
from ._kept import digest, keep, kept
from ._places import CACHE, StrPath, base

LOG = logging.getLogger(__package__)

#: The last components of this process, by engine and key, newest last, without the bytes of their
#: source.
_loaded: dict[tuple[Engine, str], Component] = {}
LOADED = 4
_turn = threading.Lock()


def component(engine: Engine, path: StrPath | None) -> Component:
    """The built-in component, or that of a file."""
    try:
        return _built_in(engine) if path is None else load(engine, Path(path).read_bytes())
    except OSError as error:
        what = "the component, which this package was built without" if path is None else f"`{path}`"
        raise StartError(f"cannot read {what}: {error.strerror}") from error
    except WasmtimeError as error:
        raise StartError(f"cannot load the component: {error}") from error


@lru_cache(maxsize=1)
def _built_in(engine: Engine) -> Component:
    return load(engine, files(__package__).joinpath("fsgate.wasm").read_bytes())


def load(engine: Engine, wasm: bytes) -> Component:
    """A component, compiled unless compiled code of it is kept."""
    key = digest(b"\0".join([wasm, version("wasmtime").encode(), platform.machine().encode(), b"epochs"])).hex()
    with _turn:
        found = _loaded.pop((engine, key), None) or _made(engine, key, wasm)
        _loaded[engine, key] = found
        while len(_loaded) > LOADED:
            del _loaded[next(iter(_loaded))]
    return found


def _made(engine: Engine, key: str, wasm: bytes) -> Component:
    directory = base(*CACHE)
    place = _private.place(directory) if directory else None
    if place and (why := _private.exposure(place)):
        _tell(place, why)
        place = None
    if place and (code := kept(place, key)):
        # The engine refuses code of another machine or another build of it.
        with suppress(WasmtimeError):
            return Component.deserialize(engine, code)
    compiled = Component(engine, wasm)
    if place:
        try:
            keep(place, key, bytes(compiled.serialize()))
        except OSError as error:
            _tell(place, error.strerror)
    return compiled


def _tell(place: Path, why: str | None) -> None:
    LOG.warning("compiled code is not kept in `%s`, and every start compiles anew: %s", place, why)
