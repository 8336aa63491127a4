"""The component with its directories and a few variables, and nothing else of this process's
environment.
"""

import os
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wasmtime import Store, WasiConfig, WasmtimeError
from wasmtime.component import Func, FuncType, Instance, Linker

from . import _compiled, _engine, _native
from ._error import CLOSED, FORKED, StartError
from ._places import StrPath
from .limits import Limits

PACKAGE, VERSION = "fsgate:tools", "0.1.0"


class Interrupted(Exception):
    """The time of a call was over, so it was ended by force."""


class Trapped(Exception):
    """The component failed during a call."""


@dataclass(frozen=True)
class Preopen:
    """A directory for the component."""

    host: Path
    name: str
    read_only: bool


class Directory:
    """A directory that is opened once: replacing it by name later changes nothing, where the system
    has names for handles.
    """

    def __init__(self, preopen: Preopen) -> None:
        self.preopen = preopen
        try:
            self.handle = os.open(preopen.host, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise StartError(f"cannot grant `{preopen.host}`: {error.strerror}") from error
        #: Closes it on call, or with the last reference.
        self.close = weakref.finalize(self, os.close, self.handle)

    def path(self) -> str:
        """A path that opens the same directory again."""
        by_handle = f"/proc/self/fd/{self.handle}"
        if os.path.exists(by_handle):
            return by_handle
        if not os.path.samestat(os.stat(self.preopen.host), os.fstat(self.handle)):
            raise OSError(f"`{self.preopen.host}` is another directory than the one that was granted")
        return str(self.preopen.host)


class Sandbox:
    """An instance of the component for one thread at a time, made anew after a failure."""

    def __init__(self, preopens: list[Preopen], variables: dict[str, str], limits: Limits, component: StrPath | None) -> None:
        self._clock = _engine.clock()
        if self._clock.is_forked:
            raise StartError(FORKED)
        self._component = _compiled.component(self._clock.engine, component)
        self._linker = Linker(self._clock.engine)
        self._linker.add_wasip2()
        self._variables, self._limits = variables, limits
        self._live: Live | None = None
        self._closed = False
        self._directories: list[Directory] = []
        try:
            for preopen in preopens:
                self._directories.append(Directory(preopen))
        except StartError:
            self.close()
            raise

    def close(self) -> None:
        """Closes everything."""
        self._closed = True
        if not self.is_forked:
            self._live = None
        for directory in self._directories:
            directory.close()
        self._directories = []

    @property
    def is_forked(self) -> bool:
        """True in a process that was forked since: it can make no calls."""
        return self._clock.is_forked

    def functions(self, interface: str) -> list[str]:
        """The names of an interface's exports; nothing without the interface."""
        export = self._component.type.exports(self._clock.engine).get(f"{PACKAGE}/{interface}@{VERSION}")
        # From wasmtime 50 on, an export is a record.
        exported: Any = getattr(export, "ty", export)
        items = exported.exports(self._clock.engine) if exported else {}
        return [name for name, item in items.items() if hasattr(getattr(item, "ty", item), "params")]

    def call(self, interface: str, function: str, arguments: Mapping[str, Any] | str | None = None, seconds: float = 0) -> Any:
        """Calls a function of one record, of one text, or of nothing. A failed instance is thrown
        away; the next call gets a new one. A call may take twice the deadline, or `seconds` if that
        is more.
        """
        ticks = self._clock.ticks(max(2 * self._limits.deadline, seconds))
        with self._clock.running():
            # Leaves its place while it runs, so that a broken instance does not stay.
            live, self._live = self._live, None
            try:
                live = live or self._instantiated(ticks)
                live.store.set_epoch_deadline(ticks)
                answer = live.call(interface, function, arguments)
            except WasmtimeError as error:
                reason = str(error)
                raise Interrupted if "wasm trap: interrupt" in reason else Trapped(reason) from error
            except OSError as error:
                raise Trapped(str(error)) from error
            self._live = live
            return answer

    def _instantiated(self, ticks: int) -> "Live":
        if self._closed:
            raise ValueError(CLOSED)
        store, wasi = Store(self._clock.engine), WasiConfig()
        store.set_limits(memory_size=self._limits.memory)
        store.set_epoch_deadline(ticks)
        wasi.env = list(self._variables.items())
        for directory in self._directories:
            preopen = directory.preopen
            wasi.preopen_dir(directory.path(), preopen.name, not preopen.read_only)
        store.set_wasi(wasi)
        return Live(store, self._linker.instantiate(store, self._component))


@dataclass
class Live:
    """An instance, with its called functions."""

    store: Store
    instance: Instance
    functions: dict[tuple[str, str], tuple[Func, FuncType]] = field(default_factory=dict)

    def call(self, interface: str, function: str, arguments: Mapping[str, Any] | str | None) -> Any:
        """Calls a function."""
        key = (interface, function)
        if key not in self.functions:
            self.functions[key] = self._found(interface, function)
        found, type_ = self.functions[key]
        lowered = [_native.lowered(record, arguments) for _, record in type_.params]
        return _native.lifted(type_.result, found(self.store, *lowered))

    def _found(self, interface: str, function: str) -> tuple[Func, FuncType]:
        outer = self.instance.get_export_index(self.store, f"{PACKAGE}/{interface}@{VERSION}")
        inner = self.instance.get_export_index(self.store, function, outer) if outer else None
        found = self.instance.get_func(self.store, inner) if inner else None
        if found is None:
            raise LookupError(f"this component has no `{interface}` with `{function}`")
        return found, found.type(self.store)
