"""The gate under an event loop."""

import asyncio
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
