"""The gate under an event loop."""

import asyncio
import threading
from pathlib import Path

import pytest

from conftest import Opener
from fsgate import AsyncGate, errors


def test_calls_are_waited_for(opened: Opener, tmp_path: Path) -> None:
    async def session() -> None:
        async with AsyncGate(opened()) as gate:
            made = await asyncio.gather(*(gate.create(f"{number}", "x") for number in range(10)))
            assert [outcome.path for outcome in made] == [f"/w/{number}" for number in range(10)]
            with pytest.raises(errors.NotFoundError):
                await gate.read("none")
            assert (await gate.call("read", {"path": "3"}))["content"] == "x"
            assert (await gate.answer("read", {"path": "none"})).is_error
            assert len(gate.tools()) > 30
            assert isinstance(gate.front_ends(), list)

    asyncio.run(session())
    assert len(list((tmp_path / "w").iterdir())) == 10


def test_the_loop_goes_on_meanwhile(opened: Opener) -> None:
    async def session() -> int:
        beats = 0

        async def beat() -> None:
            nonlocal beats
            while True:
                beats += 1
                await asyncio.sleep(0)

        async with AsyncGate(opened()) as gate:
            beating = asyncio.create_task(beat())
            await gate.create("large", "x\n" * 500_000)
            await gate.grep("(x+x+)+y", regex=True)
            beating.cancel()
        return beats

    assert asyncio.run(session()) > 1


def test_a_task_that_is_cancelled_leaves_its_call_to_its_end(opened: Opener, tmp_path: Path) -> None:
    async def session() -> None:
        async with AsyncGate(opened()) as gate:
            task = asyncio.create_task(gate.create("a", "x"))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(session())
    assert (tmp_path / "w/a").read_text() == "x"


class Held:
    """Keeps the gate's thread busy until it is let go."""

    def __init__(self, gate: AsyncGate) -> None:
        self.let_go = threading.Event()
        self.has_begun = threading.Event()
        self.task = asyncio.ensure_future(gate._on_thread(self._wait))

    def _wait(self) -> None:
        self.has_begun.set()
        self.let_go.wait(60)


async def begun(held: Held) -> None:
    while not held.has_begun.is_set():
        await asyncio.sleep(0.001)


@pytest.mark.parametrize(("is_queued", "is_made"), [(False, True), (True, False)])
def test_a_call_that_had_not_begun_is_not_made_for_a_task_that_is_cancelled(
    opened: Opener, tmp_path: Path, is_queued: bool, is_made: bool
) -> None:
    async def session() -> None:
        async with AsyncGate(opened()) as gate:
            held = Held(gate) if is_queued else None
            task = asyncio.create_task(gate.create("a", "x" * 5_000_000))
            await asyncio.sleep(0)
            if held is None:
                while not gate.gate._lock.locked() and not task.done():
                    await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            if held:
                held.let_go.set()

    asyncio.run(session())
    assert (tmp_path / "w/a").exists() == is_made


def test_its_tools_are_told_while_a_call_runs(opened: Opener) -> None:
    gate = AsyncGate(opened())
    with gate.gate._lock:
        told = threading.Thread(target=gate.tools, daemon=True)
        told.start()
        told.join(60)
        assert not told.is_alive()
    asyncio.run(gate.close())


def test_a_gate_that_is_closed_is_closed(opened: Opener) -> None:
    async def session() -> None:
        gate = AsyncGate(opened())
        async with gate:
            await gate.close()
            await gate.close()
        for work in (lambda: gate.read("a"), lambda: gate.answer("read", {}), lambda: gate.sham("x")):
            with pytest.raises(ValueError, match="the gate is closed"):
                await work()
        with pytest.raises(ValueError, match="the gate is closed"):
            gate.gate.read("a")

    asyncio.run(session())


@pytest.mark.parametrize("is_queued", [False, True])
def test_a_close_that_is_cancelled_closes_all_the_same(opened: Opener, is_queued: bool) -> None:
    async def session() -> AsyncGate:
        gate = AsyncGate(opened())
        held = Held(gate)
        await begun(held)
        if is_queued:
            waiting = asyncio.create_task(gate.create("a", "x"))
            await asyncio.sleep(0)
        closing = asyncio.create_task(gate.close())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        with pytest.raises(ValueError, match="the gate is closed"):
            await gate.read("a")
        held.let_go.set()
        if is_queued:
            # What was asked for before is still done.
            assert (await waiting).created
        await gate.close()
        return gate

    gate = asyncio.run(session())
    assert gate.gate._sandbox._closed
    for thread in gate._thread._threads:
        thread.join(60)
        assert not thread.is_alive()
