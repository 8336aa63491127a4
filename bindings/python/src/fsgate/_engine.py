"""The engine of all gates of a process, and the clock that ends calls."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from math import ceil

from wasmtime import Config, Engine

#: Seconds between two checks of running calls.
TICK = 0.01


class Clock:
    """Ticks while calls run."""

    def __init__(self) -> None:
        config = Config()
        config.epoch_interruption = True
        self.engine = Engine(config)
        self._changed = threading.Condition()
        self._running = 0
        self._thread: threading.Thread | None = None
        self._process = os.getpid()

    @property
    def is_forked(self) -> bool:
        """True in a forked process: it has neither this clock nor the engine's threads for files,
        so a call would wait without end.
        """
        return os.getpid() != self._process

    def ticks(self, seconds: float) -> int:
        """The ticks that take at least so long."""
        return min(ceil(seconds / TICK) + 1, 1 << 62)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Ticks during the context."""
        with self._changed:
            self._running += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._tick, name="fsgate-clock", daemon=True)
                self._thread.start()
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1

    def _tick(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._running > 0)
            time.sleep(TICK)
            self.engine.increment_epoch()


@cache
def clock() -> Clock:
    """The clock of this process."""
    return Clock()
