"""What the repository shows runs: the loop of an agent, and the README's lines."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fsgate
from conftest import REPOSITORY, component

BUILT_IN = Path(fsgate.__file__).with_name("fsgate.wasm")


def run(program: str, directory: Path, *words: str | Path) -> str:
    if component() or not BUILT_IN.exists():
        pytest.skip("the examples run the component of the package, and this one has none or another is tried")
    done = subprocess.run(
        [sys.executable, "-", *words], input=program, cwd=directory, capture_output=True, text=True, check=False, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def block(page: str, language: str = "python") -> str:
    """The first block of a page of the repository."""
    found = re.search(rf"```{language}\n(.*?)```", (REPOSITORY / page).read_text(), re.DOTALL)
    assert found, page
    return found[1]


def test_the_loop_of_an_agent_runs(tmp_path: Path) -> None:
    directory = REPOSITORY / "examples/agent-loop"
    assert run((directory / "python/loop.py").read_text(), tmp_path) == (directory / "transcript.txt").read_text()


def test_the_lines_of_the_readme_run(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project/notes.md").write_text("# Notes\ndraft\n")
    lines = block("bindings/python/README.md")
    assert len(lines.splitlines()) <= 10
    assert run(lines, tmp_path).splitlines() == ["1: # Notes", "2: final", "not_granted", "/w/notes.md"]
    assert (tmp_path / "project/notes.md").read_text() == "# Notes\ndraft\n"


def test_the_lines_of_the_first_page_run(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project/notes.md").write_text("# Notes\n")
    assert run(block("README.md"), tmp_path) == "1: # Notes\n"


def test_the_example_without_the_package_runs(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project/notes.md").write_text("# Notes\n")
    words = [BUILT_IN, "project", "read_numbered", '{"path": "notes.md"}']
    program = (REPOSITORY / "examples/python/call.py").read_text()
    assert json.loads(run(program, tmp_path, *words))["content"] == "1: # Notes"
