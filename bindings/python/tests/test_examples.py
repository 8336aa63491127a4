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


def run(program: str, directory: Path) -> str:
    if component() or not BUILT_IN.exists():
        pytest.skip("the examples run the component of the package, and this one has none or another is tried")
    done = subprocess.run(
        [sys.executable, "-"], input=program, cwd=directory, capture_output=True, text=True, check=False, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_loop_of_an_agent_runs(tmp_path: Path) -> None:
    printed = run((REPOSITORY / "examples/agent-loop/python/loop.py").read_text(), tmp_path)
    messages = [json.loads(line) for line in printed.splitlines()]
    codes = [json.loads(message["content"]).get("code") for message in messages if message["role"] == "tool"]
    assert codes == [None, "ambiguous", None, "not_granted"]


def test_the_lines_of_the_readme_run(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project/notes.md").write_text("# Notes\ndraft\n")
    blocks = re.findall(r"```python\n(.*?)```", (REPOSITORY / "bindings/python/README.md").read_text(), re.DOTALL)
    assert run(blocks[0], tmp_path).splitlines() == ["1: # Notes", "2: final", "not_granted", "/w/notes.md"]
    assert (tmp_path / "project/notes.md").read_text() == "# Notes\ndraft\n"
