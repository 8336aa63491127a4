"""The gate for programs with an event loop."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import Any, TypeVar

from ._error import CLOSED
from ._methods import AsyncMethods
from .gate import Answer, Form, Gate, Tool

T = TypeVar("T")


class AsyncGate(AsyncMethods):
    """A gate with awaitable calls: they run on one thread, one after the other.

    A cancelled task stops waiting. A call that has begun ends as usual; one that waits for its turn
    is not made.
    """

    def __init__(self, gate: Gate) -> None:
        """Takes over a gate, and closes it in the end."""
        self.gate = gate
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="fsgate")
        self._end: Future[None] | None = None

    async def close(self) -> None:
        """Waits for earlier calls, and closes the directories and the gate. A task that is
        cancelled here stops waiting; the gate is closed all the same.
        """
        if self._end is None:
            end: Future[None] = Future()
            # Like a running call, it stays in the queue if its task is cancelled.
            end.set_running_or_notify_cancel()
            if self.gate._sandbox.is_forked:
                # The thread is not in this process.
                self._finish(end)
            else:
                self._thread.submit(self._finish, end)
                self._thread.shutdown(wait=False)
            self._end = end
        await asyncio.wrap_future(self._end)

    def _finish(self, end: "Future[None]") -> None:
        try:
            self.gate.close()
        finally:
            end.set_result(None)

    async def __aenter__(self) -> "AsyncGate":
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    def tools(self) -> list[Tool]:
        """See `Gate.tools`."""
        return self.gate.tools()

    def lean_tools(self) -> list[Tool]:
        """See `Gate.lean_tools`."""
        return self.gate.lean_tools()

    def front_ends(self) -> list[str]:
        """See `Gate.front_ends`."""
        return self.gate.front_ends()

    async def call(self, tool: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
        """See `Gate.call`."""
        return await self._on_thread(partial(self.gate.call, tool, arguments))

    async def answer(self, tool: str, arguments: Mapping[str, Any] | str, form: Form = "data") -> Answer:
        """See `Gate.answer`."""
        return await self._on_thread(partial(self.gate.answer, tool, arguments, form))

    async def lean_answer(self, tool: str, arguments: Mapping[str, Any] | str, form: Form = "text") -> Answer:
        """See `Gate.lean_answer`."""
        return await self._on_thread(partial(self.gate.lean_answer, tool, arguments, form))

    async def front_end(self, name: str, **arguments: object) -> dict[str, Any]:
        """See `Gate.front_end`."""
        return await self._on_thread(partial(self.gate.front_end, name, **arguments))

    async def _shown(self, tool: str, arguments: str, answer: Answer, lean_tool: str | None) -> Answer:
        return await self._on_thread(partial(self.gate._shown, tool, arguments, answer, lean_tool))

    async def _run(self, tool: str, outcome: type[T], arguments: dict[str, object]) -> T:
        return await self._on_thread(partial(self.gate._run, tool, outcome, arguments))

    async def _front_end(self, name: str, outcome: type[T], arguments: dict[str, object]) -> T:
        return await self._on_thread(partial(self.gate._front_end, name, outcome, arguments))

    async def _on_thread(self, work: Callable[[], T]) -> T:
        if self._end is not None:
            raise ValueError(CLOSED)
        self.gate._refuse_fork()
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
