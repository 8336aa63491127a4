"""A process that was forked off: calls in it would wait for threads that are not there, so they are refused."""

import asyncio
import multiprocessing
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Opener, component
from fsgate import AsyncGate, Gate

#: Longer than a refusal takes on a slow machine.
PATIENCE = 60


def answered(work: Callable[[], object]) -> str:
    """What becomes of it, in a child of this process."""

    def child(sender: Any) -> None:
        try:
            work()
            sender.send("done")
        except Exception as error:
            sender.send(f"{type(error).__name__}: {error}")

    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=child, args=(sender,))
    with warnings.catch_warnings():
        # That a process with threads is forked is what is tried here.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    try:
        assert receiver.poll(PATIENCE), "the child hangs"
        text: str = receiver.recv()
        return text
    finally:
        process.kill()
        process.join()


async def waited_for(gate: Gate) -> None:
    await AsyncGate(gate).read("a")


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (lambda gate, _: gate.read("a"), "RuntimeError: this process was forked off"),
        (lambda gate, _: gate.answer("read", {"path": "a"}), "RuntimeError: this process was forked off"),
        (lambda gate, _: gate.sham("x"), "RuntimeError: this process was forked off"),
        (lambda gate, _: asyncio.run(waited_for(gate)), "RuntimeError: this process was forked off"),
        (lambda _, w: Gate([w], component=component()), "StartError: this process was forked off"),
        (lambda gate, _: gate.tools(), "done"),
        (lambda gate, _: gate.close(), "done"),
        (lambda gate, _: asyncio.run(AsyncGate(gate).close()), "done"),
    ],
)
@pytest.mark.parametrize("is_busy", [False, True])
def test_it_is_refused_and_not_waited_for(
    opened: Opener, tmp_path: Path, work: Callable[[Gate, Path], object], said: str, is_busy: bool
) -> None:
    (tmp_path / "w/a").write_text("x")
    gate = opened()
    gate.read("a")
    if is_busy:
        # Somebody is in a call while the process is forked.
        with gate._lock:
            found = answered(lambda: work(gate, tmp_path / "w"))
    else:
        found = answered(lambda: work(gate, tmp_path / "w"))
    assert found.startswith(said), found
    assert gate.read("a").content == "x"


@pytest.mark.parametrize(
    ("work", "said"),
    [(lambda gate: gate.read("a"), "RuntimeError: this process was forked off"), (lambda gate: gate.close(), "done")],
)
def test_the_thread_of_a_gate_is_not_waited_for(
    opened: Opener, tmp_path: Path, work: Callable[[AsyncGate], Any], said: str
) -> None:
    (tmp_path / "w/a").write_text("x")
    gate = AsyncGate(opened())
    assert asyncio.run(gate.read("a")).content == "x"
    assert answered(lambda: asyncio.run(work(gate))).startswith(said)
    assert asyncio.run(gate.read("a")).content == "x"
    asyncio.run(gate.close())


def test_a_process_that_is_forked_before_has_gates_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w/a").write_text("x")
    program = (
        "import os, fsgate\n"
        "child = os.fork()\n"
        f"with fsgate.Gate([{str(tmp_path / 'w')!r}], component={component()!r}) as gate:\n"
        "    assert gate.read('a').content == 'x'\n"
        "if child:\n"
        "    assert os.waitpid(child, 0)[1] == 0\n"
    )
    (tmp_path / "program.py").write_text(program)
    subprocess.run([sys.executable, tmp_path / "program.py"], check=True, timeout=PATIENCE, env=os.environ)
