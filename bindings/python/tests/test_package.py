"""The wheel: what is in it, and that it is all that somebody needs."""

import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from conftest import REPOSITORY

WHEEL = os.environ.get("FSGATE_WHEEL")

pytestmark = pytest.mark.skipif(WHEEL is None, reason="no wheel is named in FSGATE_WHEEL")


def test_it_holds_what_it_needs_and_nothing_else() -> None:
    with zipfile.ZipFile(WHEEL or "") as wheel:
        names = wheel.namelist()
    for name in ("py.typed", "fsgate.wasm", "LICENSE-MIT", "LICENSE-APACHE", "gate.py"):
        assert f"fsgate/{name}" in names
    assert [name for name in names if not re.match(r"fsgate(-[0-9.]+\.dist-info)?/", name)] == []


def test_the_lines_of_the_readme_run_where_nothing_else_is_installed(tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    python = environment / "bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", WHEEL], check=True)
    (tmp_path / "project").mkdir()
    (tmp_path / "project/notes.md").write_text("# Notes\ndraft\n")
    found = re.search(r"```python\n(.*?)```", (REPOSITORY / "bindings/python/README.md").read_text(), re.DOTALL)
    assert found
    said = subprocess.run([python, "-c", found[1]], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == ["1: # Notes", "2: final", "not_granted", "/w/notes.md"]


PROGRAM = """
import asyncio
from fsgate import AsyncGate, FsgateError, Gate, Grant, Limits, errors, openai, types

def used(gate: Gate) -> int:
    try:
        outcome: types.ReplaceOutcome = gate.replace("a.txt", "old", "new", occurrence=2, dry_run=True)
        lines: list[int] = outcome.lines
    except errors.AmbiguousError as refused:
        lines = refused.lines
    except FsgateError as refused:
        raise SystemExit(refused.repair) from refused
    gate.grep("x", mode="files", include=["*.py"])
    output: str = gate.sham("text", as_user=False).output
    return len(lines) + len(output)

async def waited_for() -> str:
    async with AsyncGate(Gate([Grant("project", "/w", read_only=True)], limits=Limits(deadline=5))) as gate:
        return (await gate.read("a.txt", max_lines=3)).content

def misused(gate: Gate) -> None:
    gate.read("a.txt", max_line=3)  # type: ignore[call-arg]
    gate.replace("a.txt", "old")  # type: ignore[call-arg]
    gate.grep("x", mode="lines")  # type: ignore[arg-type]
    gate.read("a.txt").contents  # type: ignore[attr-defined]

asyncio.run(waited_for())
print(openai.definitions(Gate(["project"])))
"""


def test_its_types_are_what_they_say(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
